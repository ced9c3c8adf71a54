/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reading constants in rules. A splat is a constant all of whose elements are equal, also
 * after reshapes and broadcasts.
 */

#pragma once

#include "base/element.h"
#include "ir/module.h"

G_BEGIN_DECLS

/* A ranked tensor of plain elements: no quantization, encoding, bounds, dynamic or
 * precision-only parts, and none of index, which stablehlo.constant does not hold. Rules
 * about elements and shapes look at nothing else. */
gboolean          ghlo_type_is_plain         (const GhloIrType  *type);
/* Its elements; of a plain type. */
gsize             ghlo_type_count            (const GhloIrType  *type);
/* Plain floats with signed zeros, to which IEEE's rules apply. */
gboolean          ghlo_type_is_ieee          (const GhloIrType  *type);
gboolean          ghlo_type_is_integer       (const GhloIrType  *type);
gboolean          ghlo_type_is_boolean       (const GhloIrType  *type);
/* Integers and booleans: what has no NaN and no second zero. */
gboolean          ghlo_type_is_discrete      (const GhloIrType  *type);

/* The elements of a constant operation's result, NULL when @value is none or its
 * bytes are not in the program. */
const GhloIrAttr *ghlo_value_get_dense       (const GhloIrValue *value);
/* The one element of a splat of plain elements; FALSE for anything else, and for
 * constants without elements. */
gboolean          ghlo_value_get_splat       (const GhloIrValue *value,
                                              GhloScalar        *scalar);
/* A splat of that exact number: -0.0 is not 0.0. */
gboolean          ghlo_value_is_number       (const GhloIrValue *value,
                                              double             number);
/* A splat of what changes nothing as the second operand of @kind. */
gboolean          ghlo_value_is_neutral      (const GhloIrValue *value,
                                              GhloIrOpKind       kind);
/* A splat of the least (greatest) value that its type has. */
gboolean          ghlo_value_is_least        (const GhloIrValue *value);
gboolean          ghlo_value_is_greatest     (const GhloIrValue *value);
/* All elements of a constant of integers; the caller frees them. FALSE beyond 64 Ki. */
gboolean          ghlo_value_get_ints        (const GhloIrValue *value,
                                              gint64           **integers,
                                              gsize             *n);

G_END_DECLS
