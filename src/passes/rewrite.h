/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rules that are applied until none applies: the driver of the passes that rewrite
 * operations one by one. A rule looks at one operation and what defines its operands
 * and says whether it changed something; whatever a change may have given a chance
 * is looked at again. The number of looks is bounded, so that two rules that undo
 * each other cannot go on for ever. A rule makes nothing before it knows that it
 * applies.
 *
 * The makers build before the operation that the rule was given, at its location. They are for others as well, with a
 * rewriter of module and op alone.
 */

#pragma once

#include "passes/context.h"

G_BEGIN_DECLS

typedef struct _GhloRewriter GhloRewriter;

typedef gboolean (*GhloRule) (GhloRewriter *self,
                              GhloIrOp     *op);

/* Of GHLO_OP_INVALID: a rule for every operation. */
typedef struct
{
  GhloIrOpKind  kind;
  GhloRule      rule;
} GhloRuleRow;

struct _GhloRewriter
{
  GhloIrModule      *module;
  GhloPassContext   *context;
  GhloIrOp          *op;           /* the one that a rule looks at */
  GHashTable        *operand_ends; /* canonicalize-moves.c's own: of concatenations, for g_free () */
  GHashTable        *layouts;      /* channels-last.c's own: the transposes that it moves */
  /* The driver's own. */
  GPtrArray         *queue;
  guint              head;
  const GhloRuleRow *rows;
  gsize              n_rows;
  GArray           **by_kind;      /* of GhloRule; NULL where no operation of the kind came yet */
};

/* Applies the rows' rules to every function. */
gboolean      ghlo_rewrite_module     (GhloIrModule           *module,
                                       GhloPassContext        *context,
                                       const GhloRuleRow      *rows,
                                       gsize                   n_rows,
                                       GError                **error);

/* Puts @value in the place of @op's only result; FALSE where the types differ. */
gboolean      ghlo_rewrite_replace    (GhloRewriter           *self,
                                       GhloIrOp               *op,
                                       GhloIrValue            *value);
/* A rule: an operation of one operand becomes that operand. */
gboolean      ghlo_rewrite_to_operand (GhloRewriter           *self,
                                       GhloIrOp               *op);
/* Puts @values in the place of all of @op's results at once. */
gboolean      ghlo_rewrite_replace_all (GhloRewriter          *self,
                                       GhloIrOp               *op,
                                       GhloIrValue *const     *values);
void          ghlo_rewrite_set_operand (GhloRewriter          *self,
                                       GhloIrOp               *op,
                                       guint                   index,
                                       GhloIrValue            *value);
/* Looks at an operation again: after a change that the functions here do not see. Nothing where no driver is. */
void          ghlo_rewrite_again      (GhloRewriter           *self,
                                       GhloIrOp               *op);

/* Makers. */

GhloIrOp     *ghlo_make_op            (GhloRewriter           *self,
                                       const GhloIrOpState    *state);
/* One result, no regions; attributes of inherent names, @n_attributes of them. */
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
/* The same operation, attributes and regions' absence included, on other operands. */
GhloIrValue  *ghlo_make_like          (GhloRewriter           *self,
                                       const GhloIrOp         *op,
                                       GhloIrValue *const     *operands,
                                       const GhloIrType       *type);
GhloIrValue  *ghlo_make_constant      (GhloRewriter           *self,
                                       const GhloIrAttr       *dense);
GhloIrValue  *ghlo_make_splat         (GhloRewriter           *self,
                                       const GhloIrType       *type,
                                       GhloScalar              scalar);
/* A splat of a small number in whatever class @type has (complex: real part). */
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

/* The element type of @type in other dimensions; of a plain type. */
const GhloIrType *ghlo_make_type      (GhloRewriter           *self,
                                       const GhloIrType       *type,
                                       const gint64           *dimensions,
                                       gsize                   rank);
/* Another element type in @shape's dimensions. */
const GhloIrType *ghlo_make_type_of   (GhloRewriter           *self,
                                       GhloElementType         element_type,
                                       const GhloIrType       *shape);
const GhloIrAttr *ghlo_make_dense_splat (GhloIrModule         *module,
                                       const GhloIrType       *type,
                                       GhloScalar              scalar);

G_END_DECLS
