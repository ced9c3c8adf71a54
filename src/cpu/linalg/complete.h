/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What calls of linear algebra want before and after LAPACK does its part.
 */

#pragma once

#include "cpu/linalg/call.h"

G_BEGIN_DECLS

/* Whether what the routine reads of matrix a is finite. Iterations on others may not end, or print. */
gboolean ghlo_cpu_lapack_is_finite (const GhloIrLapackCall   *call,
                                    const GhloCpuLapackArray *arrays);
/* Makes what LAPACK would have written NaN, of floats. */
void     ghlo_cpu_lapack_fill_nan  (const GhloIrLapackCall   *call,
                                    const GhloCpuLapackArray *arrays);
/* Results that are not LAPACK's own: info of matrices that are not positive definite, complex eigenvectors of real
 * matrices, permutations. */
void     ghlo_cpu_lapack_complete  (const GhloIrLapackCall   *call,
                                    const GhloCpuLapackArray *arrays,
                                    int                      *info);

G_END_DECLS
