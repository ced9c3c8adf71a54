/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Floating-point numbers as MLIR spells them in a program.
 */

#pragma once

#include "element.h"

G_BEGIN_DECLS

/* Appends the number that @bits stand for in the float format @type. The text is "1.000000e+00" where six digits
 * represent the number exactly, otherwise as many digits as are needed to read the same bits back ("9.99999974E-6"),
 * otherwise (NaN, infinities, long integral numbers) the bits themselves in hexadecimal ("0x7FC00000"). */
void ghlo_float_append (GString         *string,
                        GhloElementType  type,
                        guint64          bits);

G_END_DECLS
