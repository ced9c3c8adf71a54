/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Prints a module as MLIR text.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

typedef enum
{
  GHLO_IR_PRINT_DEFAULT         = 0,
  GHLO_IR_PRINT_GENERIC         = 1 << 0,  /* print every operation in the generic form */
  GHLO_IR_PRINT_STRIP_LOCATIONS = 1 << 1,  /* omit the locations that the source had */
  GHLO_IR_PRINT_ELIDE_LARGE     = 1 << 2,  /* print constants of more than 64 elements as dense_resource<__elided__> */
} GhloIrPrintFlags;

/* Returns FALSE if memory does not suffice for the elements of constants, which are then left out. */
gboolean ghlo_ir_print           (const GhloIrModule   *module,
                                  GhloIrPrintFlags      flags,
                                  GString              *string);
/* The same as a new string; NULL if memory does not suffice. */
char    *ghlo_ir_to_string       (const GhloIrModule   *module,
                                  GhloIrPrintFlags      flags);
/* The same; sets OUT_OF_MEMORY on failure. */
char    *ghlo_ir_to_text         (const GhloIrModule   *module,
                                  GhloIrPrintFlags      flags,
                                  GError              **error);
/* Prints one operation, on one line if it has no region. Values are numbered for this operation alone. */
void     ghlo_ir_print_op        (const GhloIrOp       *op,
                                  GhloIrPrintFlags      flags,
                                  GString              *string);
/* Appends a location without its "loc(" and ")". */
void     ghlo_ir_location_append (const GhloIrLocation *location,
                                  GString              *string);
/* Appends elements in buffer layout as dense<…> has them between its brackets: "[[1, 2], [3, 4]]", "1.500000e+00",
 * "(1.0,2.0)". Numbers that have no decimal spelling (NaN, infinities) are printed in hexadecimal. */
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
