/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How the dimensions of an operation's operands and results belong together. Dimensions are made of factors, mostly
 * one each: "(i, k), (k, j) -> (i, j)" for a product of matrices, "((ij), k) -> (i, j, k)" where a dimension is taken
 * apart. What lies along an axis in one factor may lie so wherever the factor is (Shardy: operation sharding rules).
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

enum
{
  GHLO_PJRT_NO_DIMENSION = -1,
  GHLO_PJRT_MAX_PLACES = 1 << 20,       /* of factors in tensors: what has more follows nothing */
};

typedef enum
{
  GHLO_PJRT_FACTOR_SAME,        /* parts of it are made of the same parts, so that nothing moves */
  GHLO_PJRT_FACTOR_OTHER,       /* it takes exchange or sums between partitions */
  GHLO_PJRT_FACTOR_BLOCKED,     /* what it lies along goes nowhere */
} GhloPjrtFactorKind;

typedef struct
{
  gint64             size;
  GhloPjrtFactorKind kind;
} GhloPjrtFactor;

/* Of the factors of a dimension the one that varies slowest has the lowest number. */
typedef struct
{
  guint   n_operands, n_tensors;        /* the operands, then the results */
  GArray *ranks;                        /* owned, as the next; of guint; by tensor, 0 where it takes no part */
  GArray *factors;                      /* of GhloPjrtFactor */
  GArray *dimensions;                   /* of int; by factor and tensor: where it is, or NO_DIMENSION */
} GhloPjrtRule;

void     ghlo_pjrt_rule_init     (GhloPjrtRule       *self);
void     ghlo_pjrt_rule_clear    (GhloPjrtRule       *self);
/* Makes @self the rule of @op, whose operands and results lie as the rule says; FALSE where there is none, and its
 * operands and results lie as they like. @module, the operation's, may grow by attributes. */
gboolean ghlo_pjrt_rule_read     (GhloPjrtRule       *self,
                                  GhloIrModule       *module,
                                  const GhloIrOp     *op);
/* Makes @self the rule of tensors of @type that all lie the same. */
void     ghlo_pjrt_rule_identity (GhloPjrtRule       *self,
                                  const GhloIrType   *type,
                                  guint               n_operands,
                                  guint               n_results);
/* Adds a factor that is in no tensor yet: where it is, by tensor, valid until the next is added. */
int     *ghlo_pjrt_rule_add      (GhloPjrtRule       *self,
                                  gint64              size,
                                  GhloPjrtFactorKind  kind);

/* Adds a factor of dimension @dimension of each tensor that has one. */
void     ghlo_pjrt_rule_add_everywhere (GhloPjrtRule       *self,
                                        guint               dimension,
                                        gint64              size,
                                        GhloPjrtFactorKind  kind);

static inline const GhloPjrtFactor *
ghlo_pjrt_rule_factor (const GhloPjrtRule *self,
                       guint               factor)
{
  return &g_array_index (self->factors, GhloPjrtFactor, factor);
}

static inline int
ghlo_pjrt_rule_dimension (const GhloPjrtRule *self,
                          guint               factor,
                          guint               tensor)
{
  return g_array_index (self->dimensions, int, (gsize) factor * self->n_tensors + tensor);
}

static inline const GhloIrType *
ghlo_pjrt_operand_type (const GhloIrOp *op,
                        guint           index)
{
  return ghlo_ir_op_operand (op, index)->type;
}

static inline gboolean
ghlo_pjrt_rule_lists (const gint64 *list,
                      gsize         n,
                      gint64        dimension)
{
  for (gsize i = 0; i < n; i++)
    if (list[i] == dimension)
      return TRUE;

  return FALSE;
}

/* Of the table in rule.c, each adds the factors of @op: in rule-algebra.c, */
void     ghlo_pjrt_rule_reduce           (GhloPjrtRule     *self,
                                          const GhloIrOp   *op);
void     ghlo_pjrt_rule_reduce_window    (GhloPjrtRule     *self,
                                          const GhloIrOp   *op);
void     ghlo_pjrt_rule_matrices         (GhloPjrtRule     *self,
                                          const GhloIrOp   *op);
void     ghlo_pjrt_rule_triangular_solve (GhloPjrtRule     *self,
                                          const GhloIrOp   *op);
void     ghlo_pjrt_rule_fft              (GhloPjrtRule     *self,
                                          const GhloIrOp   *op);
void     ghlo_pjrt_rule_batch_norm       (GhloPjrtRule     *self,
                                          const GhloIrOp   *op);
void     ghlo_pjrt_rule_dot_general      (GhloPjrtRule     *self,
                                          const GhloIrOp   *op);
void     ghlo_pjrt_rule_dot              (GhloPjrtRule     *self,
                                          const GhloIrOp   *op);
/* and in rule-indexed.c. */
void     ghlo_pjrt_rule_gather           (GhloPjrtRule     *self,
                                          const GhloIrOp   *op);
void     ghlo_pjrt_rule_scatter          (GhloPjrtRule     *self,
                                          const GhloIrOp   *op);
void     ghlo_pjrt_rule_convolution      (GhloPjrtRule     *self,
                                          const GhloIrOp   *op);
void     ghlo_pjrt_rule_reshape          (GhloPjrtRule     *self,
                                          const GhloIrOp   *op);

/* In rule-call.c: adds the factors of sdy's op_sharding_rule @attr; FALSE where it is not one of as many tensors. */
gboolean ghlo_pjrt_rule_read_said   (GhloPjrtRule     *self,
                                     GhloIrModule     *module,
                                     const GhloIrAttr *attr);
/* Whether a custom call gives its operand, or that element by element. */
gboolean ghlo_pjrt_call_is_elementwise (const GhloIrOp *op);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GhloPjrtRule, ghlo_pjrt_rule_clear)

G_END_DECLS
