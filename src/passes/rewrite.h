/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Applies rules until none applies: the driver of the passes that rewrite operations one by one. A rule looks at one
 * operation and the definers of its operands, and returns whether it changed something. All operations to which a
 * change may have made a rule applicable are visited again. The number of visits is bounded, so that two rules that
 * undo each other's changes cannot loop forever. A rule creates nothing before it knows that it applies.
 *
 * The makers insert before the operation that the rule was given, at its location. Other code may call them too, with a
 * rewriter that has only module and op set.
 */

#pragma once

#include "ir/window.h"
#include "passes/context.h"

G_BEGIN_DECLS

typedef struct _GhloRewriter GhloRewriter;

typedef gboolean (*GhloRule) (GhloRewriter *self,
                              GhloIrOp     *op);

/* With kind GHLO_OP_INVALID, the rule is tried on every operation. */
typedef struct
{
  GhloIrOpKind  kind;
  GhloRule      rule;
} GhloRuleRow;

struct _GhloRewriter
{
  GhloIrModule      *module;
  GhloPassContext   *context;
  GhloIrOp          *op;           /* the operation that a rule looks at */
  GHashTable        *operand_ends; /* private to canonicalize-moves.c: concatenation → its operands' ends, owned */
  GHashTable        *layouts;      /* private to channels-last.c: the transposes that it moves */
  /* Private to the driver. */
  GPtrArray         *queue;
  guint              head;
  const GhloRuleRow *rows;
  gsize              n_rows;
  GArray           **by_kind;      /* of GhloRule; NULL for kinds that were not met yet */
};

/* Applies the rules of @rows to every function. */
gboolean      ghlo_rewrite_module     (GhloIrModule           *module,
                                       GhloPassContext        *context,
                                       const GhloRuleRow      *rows,
                                       gsize                   n_rows,
                                       GError                **error);

/* Whether the device answers that it does not prefer what @kind asks about @op. */
gboolean      ghlo_rewrite_is_declined (GhloRewriter          *self,
                                       GhloFusionKind          kind,
                                       const GhloIrOp         *op);
/* Replaces the only result of @op by @value; FALSE where the types differ. */
gboolean      ghlo_rewrite_replace    (GhloRewriter           *self,
                                       GhloIrOp               *op,
                                       GhloIrValue            *value);
/* A rule that replaces an operation with one operand by that operand. */
gboolean      ghlo_rewrite_to_operand (GhloRewriter           *self,
                                       GhloIrOp               *op);
/* Replaces all results of @op by @values at once; FALSE where a type differs. */
gboolean      ghlo_rewrite_replace_all (GhloRewriter          *self,
                                       GhloIrOp               *op,
                                       GhloIrValue *const     *values);
void          ghlo_rewrite_set_operand (GhloRewriter          *self,
                                       GhloIrOp               *op,
                                       guint                   index,
                                       GhloIrValue            *value);
/* Queues an operation for another visit, after a change that the functions here do not see. Does nothing outside
 * the driver. */
void          ghlo_rewrite_again      (GhloRewriter           *self,
                                       GhloIrOp               *op);

/* Makers. */

GhloIrOp     *ghlo_make_op            (GhloRewriter           *self,
                                       const GhloIrOpState    *state);
/* Makes an operation with one result and no regions. The @n_attributes attributes are inherent ones. */
GhloIrValue  *ghlo_make               (GhloRewriter           *self,
                                       GhloIrOpKind            kind,
                                       const GhloIrType       *type,
                                       GhloIrValue *const     *operands,
                                       gsize                   n_operands,
                                       const GhloIrNamedAttr  *attributes,
                                       gsize                   n_attributes);
GhloIrValue  *ghlo_make_unary         (GhloRewriter           *self,
                                       GhloIrOpKind            kind,
                                       GhloIrValue            *operand);
GhloIrValue  *ghlo_make_binary        (GhloRewriter           *self,
                                       GhloIrOpKind            kind,
                                       GhloIrValue            *lhs,
                                       GhloIrValue            *rhs);
/* The same operation on other operands, with its inherent attributes. @op has no regions. */
GhloIrValue  *ghlo_make_like          (GhloRewriter           *self,
                                       const GhloIrOp         *op,
                                       GhloIrValue *const     *operands,
                                       const GhloIrType       *type);
GhloIrValue  *ghlo_make_constant      (GhloRewriter           *self,
                                       const GhloIrAttr       *dense);
GhloIrValue  *ghlo_make_splat         (GhloRewriter           *self,
                                       const GhloIrType       *type,
                                       GhloScalar              scalar);
/* A splat of a small number in the element class of @type; for complex types it is the real part. */
GhloIrValue  *ghlo_make_number        (GhloRewriter           *self,
                                       const GhloIrType       *type,
                                       double                  number);
GhloIrValue  *ghlo_make_reshape       (GhloRewriter           *self,
                                       GhloIrValue            *operand,
                                       const GhloIrType       *type);
/* @permutation has an entry for each dimension. */
GhloIrValue  *ghlo_make_transpose     (GhloRewriter           *self,
                                       GhloIrValue            *operand,
                                       const gint64           *permutation);
/* @dimensions has an entry for each of the operand's dimensions. */
GhloIrValue  *ghlo_make_broadcast     (GhloRewriter           *self,
                                       GhloIrValue            *operand,
                                       const gint64           *dimensions,
                                       const GhloIrType       *type);
GhloIrValue  *ghlo_make_slice         (GhloRewriter           *self,
                                       GhloIrValue            *operand,
                                       const gint64           *start,
                                       const gint64           *limit,
                                       const gint64           *strides);
/* Returns @operand where it has that element type. */
GhloIrValue  *ghlo_make_convert       (GhloRewriter           *self,
                                       GhloIrValue            *operand,
                                       GhloElementType         element_type);
/* A reduction by the operation @kind; @initial is a scalar. */
GhloIrValue  *ghlo_make_reduce        (GhloRewriter           *self,
                                       GhloIrOpKind            kind,
                                       GhloIrValue            *operand,
                                       GhloIrValue            *initial,
                                       const gint64           *dimensions,
                                       gsize                   n_dimensions);

/* A reduction of windows by the operation @kind; @initial is a scalar, and @window has a dimension for each of the
 * operand's. */
GhloIrValue  *ghlo_make_reduce_window (GhloRewriter           *self,
                                       GhloIrOpKind            kind,
                                       GhloIrValue            *operand,
                                       GhloIrValue            *initial,
                                       const GhloIrWindow     *window);

/* A type with the element type of @type, which is plain, and other dimensions. */
const GhloIrType *ghlo_make_type      (GhloRewriter           *self,
                                       const GhloIrType       *type,
                                       const gint64           *dimensions,
                                       gsize                   rank);
/* A type with another element type and the dimensions of @shape. */
const GhloIrType *ghlo_make_type_of   (GhloRewriter           *self,
                                       GhloElementType         element_type,
                                       const GhloIrType       *shape);
const GhloIrAttr *ghlo_make_dense_splat (GhloIrModule         *module,
                                       const GhloIrType       *type,
                                       GhloScalar              scalar);

G_END_DECLS
