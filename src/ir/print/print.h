/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From a module to text, as MLIR spells it.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

typedef enum
{
  GHLO_IR_PRINT_DEFAULT         = 0,
  GHLO_IR_PRINT_GENERIC         = 1 << 0,  /* every operation in the generic form */
  GHLO_IR_PRINT_STRIP_LOCATIONS = 1 << 1,  /* else locations that the source gave are kept */
  GHLO_IR_PRINT_ELIDE_LARGE     = 1 << 2,  /* constants over 64 elements become dense_resource<__elided__> */
} GhloIrPrintFlags;

/* FALSE where memory does not suffice for the elements of constants, which are left out then. */
gboolean ghlo_ir_print           (const GhloIrModule   *module,
                                  GhloIrPrintFlags      flags,
                                  GString              *string);
/* The same as a new string; NULL where memory does not suffice. */
char    *ghlo_ir_to_string       (const GhloIrModule   *module,
                                  GhloIrPrintFlags      flags);
/* The same, with OUT_OF_MEMORY set. */
char    *ghlo_ir_to_text         (const GhloIrModule   *module,
                                  GhloIrPrintFlags      flags,
                                  GError              **error);
/* One operation on one line where it has no region; values are numbered for it alone. */
void     ghlo_ir_print_op        (const GhloIrOp       *op,
                                  GhloIrPrintFlags      flags,
                                  GString              *string);
/* A location without its "loc(" and ")". */
void     ghlo_ir_location_append (const GhloIrLocation *location,
                                  GString              *string);
/* Elements in buffer layout as dense<…> has them between its brackets:
 * "[[1, 2], [3, 4]]", "1.500000e+00", "(1.0,2.0)". Hex for what no decimal says
 * (NaN, infinities). */
void     ghlo_ir_append_elements (GString              *string,
                                  GhloElementType       element_type,
                                  const gint64         *dimensions,
                                  guint                 rank,
                                  gconstpointer         data,
                                  gboolean              splat);
/* One scalar of that type, in the same spelling. */
void     ghlo_ir_append_scalar   (GString              *string,
                                  GhloElementType       element_type,
                                  GhloScalar            value);

G_END_DECLS
