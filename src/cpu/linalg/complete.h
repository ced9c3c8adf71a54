/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Work that linear algebra calls need before and after LAPACK does its part.
 */

#pragma once

#include "cpu/linalg/call.h"

G_BEGIN_DECLS

/* Whether the part of matrix a that the routine reads is finite. With other values LAPACK's iterations may not
 * terminate, or may print. */
gboolean ghlo_cpu_lapack_is_finite (const GhloIrLapackCall   *call,
                                    const GhloCpuLapackArray *arrays);
/* Fills the floats that LAPACK would have written with NaN. */
void     ghlo_cpu_lapack_fill_nan  (const GhloIrLapackCall   *call,
                                    const GhloCpuLapackArray *arrays);
/* Computes results that LAPACK does not have itself: info of matrices that are not positive definite, complex
 * eigenvectors of real matrices, and permutations. */
void     ghlo_cpu_lapack_complete  (const GhloIrLapackCall   *call,
                                    const GhloCpuLapackArray *arrays,
                                    int                      *info);
/* Makes LAPACK's pivots count from 0, and finds the permutation of rows that their exchanges amount to. */
void     ghlo_cpu_lapack_permute   (int                      *pivots,
                                    gsize                     n_pivots,
                                    int                      *rows,
                                    gsize                     n_rows);

G_END_DECLS
