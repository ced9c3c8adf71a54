/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The rows of lapack.def, between the files that read calls by them.
 */

#pragma once

#include "ir/lapack.h"

G_BEGIN_DECLS

typedef struct
{
  const char *target;              /* NULL: "lapack_", the letter of the type, the name and "_ffi" */
  const char *real, *complex;      /* NULL where LAPACK has none */
  const char *operands, *results, *parameters, *conditions;
  int         not_finite;
  const char *call;
} GhloIrLapackRow;

extern const GhloIrLapackRow ghlo_ir_lapack_rows[GHLO_IR_LAPACK_N_ROUTINES];

/* Whether @target is a name of the row's; the type that the name says, or INVALID where it says none. */
gboolean ghlo_ir_lapack_row_has_name (const GhloIrLapackRow *row,
                                      const char            *target,
                                      GhloElementType       *type);

/* Whether its matrices have to lie by columns. */
gboolean ghlo_ir_lapack_row_is_by_columns (const GhloIrLapackRow *row);

G_END_DECLS
