/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Scalar operations: what is done to single elements, by elementwise operations and by
 * reductions. Executors read here what holds for all of them, and have functions and loops
 * of their own, which tests hold against these tables.
 *
 * Which fact stands where:
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
  GHLO_SCALAR_RESULT_SAME,      /* the values' element type */
  GHLO_SCALAR_RESULT_PART,      /* of complex values that of their parts, else the same */
  GHLO_SCALAR_RESULT_BOOLEAN,
  GHLO_SCALAR_RESULT_COMPLEX,   /* the complex type with such parts */
  GHLO_SCALAR_RESULT_ANY,
} GhloScalarResult;

typedef struct
{
  GhloIrOpKind     op;
  GhloScalarResult result;
  gboolean         is_exact;            /* gives one of its operands, or an exact answer: nothing is rounded */
  double           ulps, complex_ulps;  /* the most that an answer may differ from the reference executor's */
  double           cost;                /* nanoseconds for an element, besides moving it */
  guint            first_value;         /* operands before it are predicates */
  GhloScalarKind   on_booleans;         /* INVALID: itself */
  guint            undefined;           /* bits of GhloElementClass */
} GhloScalarSpec;

extern const GhloScalarSpec ghlo_scalar_specs[GHLO_N_SCALARS];

static inline const GhloScalarSpec *
ghlo_scalar_spec (GhloScalarKind kind)
{
  return &ghlo_scalar_specs[kind];
}

/* The scalar operation that computes the elements of @op's result, INVALID where none does. */
GhloScalarKind ghlo_scalar_of          (GhloIrOpKind        op);
/* The operation that @kind stands for on values of @element_class: on booleans some are others. */
GhloScalarKind ghlo_scalar_on          (GhloScalarKind      kind,
                                        GhloElementClass    element_class);
/* Whether there is arithmetic for values of @element_class. */
gboolean       ghlo_scalar_is_defined  (GhloScalarKind      kind,
                                        GhloElementClass    element_class);
/* The node that stands for it in kernels, on values of @element_class; GHLO_N_NODES where there is none. */
GhloNodeKind   ghlo_scalar_node        (GhloScalarKind      kind,
                                        GhloElementClass    element_class);
/* How far an answer on values of @element_class may be from the reference executor's, in
 * units in the last place of f32 and f64; 0: the same bits. */
double         ghlo_scalar_ulps        (GhloScalarKind      kind,
                                        GhloElementClass    element_class);
/* Whether a result may have elements of @result, of values of @values. */
gboolean       ghlo_scalar_gives       (GhloScalarKind      kind,
                                        GhloElementType     values,
                                        GhloElementType     result);

/* The combiner that @kind is for values of @element_class, or NONE; and the reverse. */
GhloCombiner   ghlo_scalar_combiner    (GhloScalarKind      kind,
                                        GhloElementClass    element_class);
GhloScalarKind ghlo_combiner_scalar    (GhloCombiner        combiner);
/* The combiner of @block, a computation of two scalars of @type in either order; NONE where it
 * does something else. On booleans it is AND, OR or XOR. */
GhloCombiner   ghlo_combiner_of        (const GhloIrBlock  *block,
                                        GhloElementType     type);
/* How @block changes an element, its first argument, by an update, its second: by a combiner, or NONE where the update
 * takes its place. FALSE where it does something else. */
gboolean       ghlo_combiner_of_update (const GhloIrBlock  *block,
                                        GhloElementType     type,
                                        GhloCombiner       *combiner);
/* The neutral element, which changes no element of @type that it is combined with; FALSE where there is none. */
gboolean       ghlo_combiner_neutral   (GhloCombiner        combiner,
                                        GhloElementType     type,
                                        GhloScalar         *value);
/* Whether combining an element with itself gives that element. */
gboolean       ghlo_combiner_is_idempotent (GhloCombiner    combiner);
/* Whether the order in which elements are combined changes nothing, not even by rounding. */
gboolean       ghlo_combiner_is_exact  (GhloCombiner        combiner,
                                        GhloElementClass    element_class);

G_END_DECLS
