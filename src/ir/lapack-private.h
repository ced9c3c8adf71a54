/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The rows of lapack.def, shared by the files that read custom calls with them.
 */

#pragma once

#include "ir/lapack.h"

G_BEGIN_DECLS

typedef struct
{
  const char *target;              /* NULL: "lapack_", the letter of the element type, the routine's name and "_ffi" */
  const char *real, *complex;      /* name for real and for complex types; NULL if LAPACK has no such routine */
  const char *operands, *results, *parameters, *conditions;
  int         not_finite;
  const char *call;
} GhloIrLapackRow;

extern const GhloIrLapackRow ghlo_ir_lapack_rows[GHLO_IR_LAPACK_N_ROUTINES];

/* Returns whether @target is a name of the row. Sets @type to the
 * element type that the name implies, or INVALID if it implies none. */
gboolean ghlo_ir_lapack_row_has_name (const GhloIrLapackRow *row,
                                      const char            *target,
                                      GhloElementType       *type);

/* Returns whether the row's matrices must be in column-major order. */
gboolean ghlo_ir_lapack_row_is_by_columns (const GhloIrLapackRow *row);

G_END_DECLS
