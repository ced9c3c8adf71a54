/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Making a plan: what the files that do it share. A value of the program is a view
 * of a buffer, a token, or a tuple of values. Building gives each result a buffer of
 * its own and copies where a value has to be somewhere; join.c takes away what copies
 * and buffers are not needed.
 */

#pragma once

#include "codegen/plan.h"

G_BEGIN_DECLS

typedef struct _GhloCodeValue GhloCodeValue;
typedef struct _GhloCodeScope GhloCodeScope;

struct _GhloCodeValue
{
  const GhloIrType *type;
  GhloCodeOperand   operand;       /* of a tensor */
  GhloCodeValue   **members;       /* of a tuple; type->rank of them */
  GhloCodeOperand   dense;         /* a dense copy, once a step made one */
  GhloCodeScope    *dense_scope;   /* where; NULL while there is none */
};

/* The body that is being filled. */
struct _GhloCodeScope
{
  GhloCodeScope *parent;
  guint32        number;
  GPtrArray     *steps;            /* of GhloCodeStep; NULL once the body has them */
};

/* An operation and what follows it, which become one step where the kernel takes them. */
typedef struct _GhloCodeGroup GhloCodeGroup;

struct _GhloCodeGroup
{
  const GhloIrOp *op;
  GhloIrFollower  followers[GHLO_IR_MAX_FOLLOWERS];
  guint           n_followers;
  GhloCodeGroup  *next;            /* that waits for the same operation */
};

static inline const GhloIrOp *
ghlo_code_last (const GhloCodeGroup *self)
{
  return self->followers[self->n_followers - 1].op;
}

typedef struct
{
  GhloCodePlan         *plan;
  const GhloCodeTarget *target;
  const GhloMonitor    *monitor;
  GArray               *buffers;   /* of GhloCodeBuffer */
  GHashTable           *values;    /* GhloIrValue → GhloCodeValue */
  GHashTable           *constants; /* GhloIrAttr → buffer + 1 */
  GHashTable           *groups;    /* GhloIrOp → GhloCodeGroup that it follows in, until its turn comes */
  GHashTable           *awaited;   /* GhloIrOp → the first GhloCodeGroup that waits for it */
  GPtrArray            *scopes;    /* all that were opened; freed at the end */
  GhloCodeScope        *scope;
  guint                 depth;     /* of calls */
  guint                 n_ops;
} GhloCodeBuilder;

/* Buffers and operands */
guint32          ghlo_code_add_buffer    (GhloCodeBuilder       *self,
                                          GhloCodeBufferKind     kind,
                                          guint                  index,
                                          gsize                  size);
gsize            ghlo_code_type_size     (const GhloIrType      *type);
/* The whole of @buffer, dense. */
GhloCodeOperand  ghlo_code_dense_operand (GhloCodeBuilder       *self,
                                          guint32                buffer,
                                          const GhloIrType      *type);
gboolean         ghlo_code_is_dense      (const GhloCodeOperand *operand);

/* Values */
GhloCodeValue   *ghlo_code_value         (const GhloCodeBuilder *self,
                                          const GhloIrValue     *value);
void             ghlo_code_bind          (GhloCodeBuilder       *self,
                                          const GhloIrValue     *value,
                                          GhloCodeOperand        operand);
void             ghlo_code_bind_same     (GhloCodeBuilder       *self,
                                          const GhloIrValue     *value,
                                          GhloCodeValue         *same);
/* A dense view of a value, by a copy where it is none. */
GhloCodeOperand  ghlo_code_densify       (GhloCodeBuilder       *self,
                                          GhloCodeValue         *value);
/* A new buffer for the result of a step. */
GhloCodeOperand  ghlo_code_add_result    (GhloCodeBuilder       *self,
                                          const GhloIrType      *type);

/* Steps */
GhloCodeStep    *ghlo_code_add_step      (GhloCodeBuilder       *self,
                                          GhloCodeStepKind       kind,
                                          const GhloIrOp        *op,
                                          guint                  n_operands,
                                          guint                  n_results);
void             ghlo_code_step_free     (GhloCodeStep          *step);
/* @from into @to, element by element; nothing for no elements. */
void             ghlo_code_add_copy      (GhloCodeBuilder       *self,
                                          const GhloCodeOperand *from,
                                          const GhloCodeOperand *to);
void             ghlo_code_open_scope    (GhloCodeBuilder       *self);
/* Ends the scope and gives its steps to @body. */
void             ghlo_code_close_scope   (GhloCodeBuilder       *self,
                                          GhloCodeBody          *body);

/* All operations of a block but its terminator. */
gboolean         ghlo_code_build_block   (GhloCodeBuilder       *self,
                                          const GhloIrBlock     *block,
                                          GError               **error);
/* Constants, and views of one value. */
gboolean         ghlo_code_is_view       (const GhloIrOp        *op);
/* Operations that are views: FALSE when @op is none. */
gboolean         ghlo_code_build_view    (GhloCodeBuilder       *self,
                                          const GhloIrOp        *op);
/* @operand as a view of @type's elements in the same row-major order, or as it is where it has
 * rank 0; FALSE when no strides say that, or its elements are of another type. */
gboolean         ghlo_code_view_as       (GhloCodeBuilder       *self,
                                          const GhloCodeOperand *operand,
                                          const GhloIrType      *type,
                                          GhloCodeOperand       *view);
gboolean         ghlo_code_has_plain_types (const GhloIrOp      *op);
/* A step by a kernel of the target for @op, and for what follows it: FALSE with @error set
 * when it fails; *built says whether a kernel takes them. */
gboolean         ghlo_code_build_kernel  (GhloCodeBuilder       *self,
                                          const GhloIrOp        *op,
                                          const GhloIrFollower  *followers,
                                          guint                  n_followers,
                                          gboolean              *built,
                                          GError               **error);
/* The group that @op begins; NULL: none. */
GhloCodeGroup   *ghlo_code_open_group    (GhloCodeBuilder       *self,
                                          const GhloIrOp        *op);
/* Whether all that it takes is there; else it waits for what is missing first. */
gboolean         ghlo_code_is_ready      (GhloCodeBuilder       *self,
                                          GhloCodeGroup         *group);
/* Loops, branches and calls: FALSE with @error set when it fails; *built says whether
 * @op is one. */
gboolean         ghlo_code_build_control (GhloCodeBuilder       *self,
                                          const GhloIrOp        *op,
                                          gboolean              *built,
                                          GError               **error);
gboolean         ghlo_code_unsupported   (const GhloIrOp        *op,
                                          const char            *reason,
                                          GError               **error);

/* Once the tree is whole: buffers are joined where one may stand for two, and copies
 * that are none any more go. */
void             ghlo_code_join_buffers  (GhloCodePlan          *plan);
/* Numbers the steps, and finds when each buffer is in use. */
void             ghlo_code_find_uses     (GhloCodePlan          *plan);
/* Places all temporaries in the arena. */
void             ghlo_code_place         (GhloCodePlan          *plan);

G_END_DECLS
