/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Scalar operations: what elementwise operations and reductions do to single elements. This module has the facts
 * that hold for all executors. Executors have functions and loops of their own, which tests check against these
 * tables.
 *
 * Which fact is where:
 *
 *   ir/ops.def          name, number of operands, the classes of element types that operands
 *                       and results may have, attributes, commutative, idempotent, neutral
 *                       element, and of which operation another one is only a form: what the
 *                       verifier and the passes, which are below this folder, need as well
 *   kernel/scalar.def   the type of the result's elements, accuracy, cost, associative, what
 *                       an operation is on booleans, its node in kernels
 */

#pragma once

#include "base/element.h"
#include "ir/module.h"
#include "kernel/kernel.h"
#include "kernel/scalar-kinds.h"

G_BEGIN_DECLS

typedef enum
{
  GHLO_SCALAR_RESULT_SAME,      /* the element type of the values */
  GHLO_SCALAR_RESULT_PART,      /* for complex values the type of their parts, else the same */
  GHLO_SCALAR_RESULT_BOOLEAN,
  GHLO_SCALAR_RESULT_COMPLEX,   /* the complex type whose parts have that type */
  GHLO_SCALAR_RESULT_ANY,
} GhloScalarResult;

typedef struct
{
  GhloIrOpKind     op;
  GhloScalarResult result;
  gboolean         is_exact;            /* returns one of its operands, or an exact result: nothing is rounded */
  double           ulps, complex_ulps;  /* the largest difference from results of the reference executor */
  double           cost;                /* nanoseconds per element, without moving it */
  guint            first_value;         /* the operands before it are predicates */
  GhloScalarKind   on_booleans;         /* the operation that it stands for on booleans; INVALID: itself */
  guint            undefined;           /* bits of GhloElementClass that have no arithmetic */
} GhloScalarSpec;

extern const GhloScalarSpec ghlo_scalar_specs[GHLO_N_SCALARS];

static inline const GhloScalarSpec *
ghlo_scalar_spec (GhloScalarKind kind)
{
  return &ghlo_scalar_specs[kind];
}

/* Returns the scalar operation that computes the elements of @op's result, or INVALID. */
GhloScalarKind ghlo_scalar_of          (GhloIrOpKind        op);
/* Returns the operation that @kind stands for on values of @element_class; some stand for another one on booleans. */
GhloScalarKind ghlo_scalar_on          (GhloScalarKind      kind,
                                        GhloElementClass    element_class);
/* Returns whether there is arithmetic for values of @element_class. */
gboolean       ghlo_scalar_is_defined  (GhloScalarKind      kind,
                                        GhloElementClass    element_class);
/* Returns the node for @kind on values of @element_class, or GHLO_N_NODES. */
GhloNodeKind   ghlo_scalar_node        (GhloScalarKind      kind,
                                        GhloElementClass    element_class);
/* Returns how far a result on values of @element_class may be from that of the reference executor, in ULP of f32 and
 * f64; 0: the same bits. */
double         ghlo_scalar_ulps        (GhloScalarKind      kind,
                                        GhloElementClass    element_class);
/* Returns whether a result on values of type @values may have elements of type @result. */
gboolean       ghlo_scalar_gives       (GhloScalarKind      kind,
                                        GhloElementType     values,
                                        GhloElementType     result);

/* Return the combiner for @kind on values of @element_class, or NONE; and the reverse. */
GhloCombiner   ghlo_scalar_combiner    (GhloScalarKind      kind,
                                        GhloElementClass    element_class);
GhloScalarKind ghlo_combiner_scalar    (GhloCombiner        combiner);
/* Returns the combiner of @block if that combines two scalars of @type, in either order, else NONE. On booleans the
 * combiner is AND, OR or XOR. */
GhloCombiner   ghlo_combiner_of        (const GhloIrBlock  *block,
                                        GhloElementType     type);
/* Sets *@combiner to how @block combines an element, its first argument, with an update, its second; NONE where the
 * update replaces the element. Returns FALSE where the block does something else. */
gboolean       ghlo_combiner_of_update (const GhloIrBlock  *block,
                                        GhloElementType     type,
                                        GhloCombiner       *combiner);
/* Sets *@value to the neutral element, which leaves every element of @type unchanged; FALSE where there is none. */
gboolean       ghlo_combiner_neutral   (GhloCombiner        combiner,
                                        GhloElementType     type,
                                        GhloScalar         *value);
/* Returns whether combining an element with itself yields that element. */
gboolean       ghlo_combiner_is_idempotent (GhloCombiner    combiner);
/* Returns whether the order of combining has no effect at all, not even through rounding. */
gboolean       ghlo_combiner_is_exact  (GhloCombiner        combiner,
                                        GhloElementClass    element_class);

G_END_DECLS
