/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sharding rules: how the dimensions of an operation's operands and results correspond. Dimensions consist of
 * factors, mostly of one: "(i, k), (k, j) -> (i, j)" for a product of matrices, "((ij), k) -> (i, j, k)" where a
 * dimension is split. A tensor that is sharded along an axis in one factor may be sharded along that axis wherever
 * the factor occurs (Shardy: operation sharding rules).
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

enum
{
  GHLO_PJRT_NO_DIMENSION = -1,
  GHLO_PJRT_MAX_ENTRIES = 1 << 20,      /* factors times tensors; operations with more do not propagate */
};

typedef enum
{
  GHLO_PJRT_PASS_THROUGH,               /* a part of the result only needs the same part of the operands */
  GHLO_PJRT_NEEDS_COMMUNICATION,        /* requires an exchange or a sum between partitions */
  GHLO_PJRT_BLOCKED,                    /* shardings along it do not propagate */
} GhloPjrtFactorKind;

typedef struct
{
  gint64             size;
  GhloPjrtFactorKind kind;
} GhloPjrtFactor;

/* Among the factors of one dimension, the slowest-varying one has the lowest number. */
typedef struct
{
  guint   n_operands, n_tensors;        /* operands, and operands plus results */
  GArray *ranks;                        /* owned, as are the fields below; of guint; by tensor; 0 when the tensor
                                           does not take part */
  GArray *factors;                      /* of GhloPjrtFactor */
  GArray *dimensions;                   /* of int; by factor and tensor: the dimension that the factor is in, or
                                           NO_DIMENSION */
} GhloPjrtRule;

void     ghlo_pjrt_rule_init     (GhloPjrtRule       *self);
void     ghlo_pjrt_rule_clear    (GhloPjrtRule       *self);
/* Makes @self the rule of @op. Returns FALSE when there is none, so that shardings of its operands and results are
 * unrelated. May add attributes to @module, which owns @op. */
gboolean ghlo_pjrt_rule_read     (GhloPjrtRule       *self,
                                  GhloIrModule       *module,
                                  const GhloIrOp     *op);
/* Makes @self the rule of tensors of @type that are all sharded in the same way. */
void     ghlo_pjrt_rule_identity (GhloPjrtRule       *self,
                                  const GhloIrType   *type,
                                  guint               n_operands,
                                  guint               n_results);
/* Adds a factor that does not occur in any tensor yet. Returns its dimensions by tensor, to be filled in; valid
 * until the next factor is added. */
int     *ghlo_pjrt_rule_add      (GhloPjrtRule       *self,
                                  gint64              size,
                                  GhloPjrtFactorKind  kind);

/* Adds a factor that is dimension @dimension of each tensor that has one. */
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

/* The functions in the table of rule.c; each adds the factors of @op. In rule-algebra.c: */
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
/* In rule-indexed.c: */
void     ghlo_pjrt_rule_gather           (GhloPjrtRule     *self,
                                          const GhloIrOp   *op);
void     ghlo_pjrt_rule_scatter          (GhloPjrtRule     *self,
                                          const GhloIrOp   *op);
void     ghlo_pjrt_rule_convolution      (GhloPjrtRule     *self,
                                          const GhloIrOp   *op);
void     ghlo_pjrt_rule_reshape          (GhloPjrtRule     *self,
                                          const GhloIrOp   *op);

/* Adds the factors of sdy's op_sharding_rule @attr. Returns FALSE when it is not a rule for this number of tensors.
 * In rule-call.c. */
gboolean ghlo_pjrt_rule_read_attribute (GhloPjrtRule     *self,
                                        GhloIrModule     *module,
                                        const GhloIrAttr *attr);
/* Whether a custom call returns its operand or an elementwise function of it. */
gboolean ghlo_pjrt_call_is_elementwise (const GhloIrOp *op);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GhloPjrtRule, ghlo_pjrt_rule_clear)

G_END_DECLS
