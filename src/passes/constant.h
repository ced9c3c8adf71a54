/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How rules read constants. A splat is a constant whose elements are all equal; a reshape or broadcast of a splat is a
 * splat too.
 */

#pragma once

#include "base/element.h"
#include "ir/module.h"

G_BEGIN_DECLS

/* Whether @type is a ranked tensor of plain elements: no quantization, encoding, bounds or text, no dynamic
 * dimensions, and no index elements, which stablehlo.constant does not hold. Rules about elements and shapes consider
 * plain types only. */
gboolean          ghlo_type_is_plain         (const GhloIrType  *type);
/* The number of elements. @type must be plain. */
gsize             ghlo_type_count            (const GhloIrType  *type);
/* Whether the elements are plain floats with signed zeros, which follow the rules of IEEE 754. */
gboolean          ghlo_type_is_ieee          (const GhloIrType  *type);
gboolean          ghlo_type_is_integer       (const GhloIrType  *type);
gboolean          ghlo_type_is_boolean       (const GhloIrType  *type);
/* Integers and booleans, which have neither NaN nor a second zero. */
gboolean          ghlo_type_is_discrete      (const GhloIrType  *type);

/* The elements of the constant operation that defines @value. NULL when @value is not a constant or its bytes are not
 * in the program. */
const GhloIrAttr *ghlo_value_get_dense       (const GhloIrValue *value);
/* Gets the one element of a splat of plain elements. FALSE for any other value, and for constants without elements. */
gboolean          ghlo_value_get_splat       (const GhloIrValue *value,
                                              GhloScalar        *scalar);
/* Whether @value is a splat of exactly that number: -0.0 is not 0.0. */
gboolean          ghlo_value_is_number       (const GhloIrValue *value,
                                              double             number);
/* Whether @value is a splat of the neutral element of @kind as its second operand. */
gboolean          ghlo_value_is_neutral      (const GhloIrValue *value,
                                              GhloIrOpKind       kind);
/* Whether @value is a splat of the least (greatest) value of its type. */
gboolean          ghlo_value_is_least        (const GhloIrValue *value);
gboolean          ghlo_value_is_greatest     (const GhloIrValue *value);
/* Gets all elements of an integer constant; the caller frees them. FALSE for more than 64 Ki elements. */
gboolean          ghlo_value_get_ints        (const GhloIrValue *value,
                                              gint64           **integers,
                                              gsize             *n);

G_END_DECLS
