/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Matrix products on tensors, in batches: result[b, m, n] = sum over k of lhs[b, m, k] rhs[b, k, n]. Each of b, m, n
 * and k is any number of dimensions of the tensors, with any strides. A product is prepared once, when shapes and
 * strides are known, and may then be run by any number of threads at the same time.
 *
 * Sums of f32 and narrower floats are computed in f32 and rounded once into the result. Integers wrap in the result's
 * type. i1 uses "and" and "or". The order of summation is unspecified, but depends on shapes only.
 */

#pragma once

#include "base/monitor.h"
#include "cpu/gemm/problem.h"

G_BEGIN_DECLS

typedef struct _GhloCpuGemm GhloCpuGemm;

/* UNSUPPORTED for types that are left to another executor. The elements of the result must not overlap. */
GhloCpuGemm *ghlo_cpu_gemm_prepare      (const GhloCpuGemmProblem *problem,
                                         GError                  **error);
/* The same, to query the properties of a product only: nothing is packed or compiled. */
GhloCpuGemm *ghlo_cpu_gemm_choose       (const GhloCpuGemmProblem *problem,
                                         GError                  **error);
void         ghlo_cpu_gemm_free         (GhloCpuGemm              *self);
/* Bytes of scratch that a run needs, aligned to 64. */
gsize        ghlo_cpu_gemm_scratch_size (const GhloCpuGemm        *self);
/* Bytes of the constant operand that is kept in packed form, and whether it is rhs or lhs that is packed. */
gsize        ghlo_cpu_gemm_packed_size  (const GhloCpuGemm        *self);
gboolean     ghlo_cpu_gemm_packs_rhs    (const GhloCpuGemm        *self);
/* The order in which runs read an operand that is not constant, and its bytes: what has the same name has the same
 * order. NULL: as it is given. */
GBytes      *ghlo_cpu_gemm_get_packing  (const GhloCpuGemm        *self,
                                         gsize                    *size);
/* Packs the operand for any number of runs. @scratch is as for a run. FALSE when cancelled or on error. */
gboolean     ghlo_cpu_gemm_pack         (const GhloCpuGemm        *self,
                                         const guint8             *operand,
                                         gpointer                  packed,
                                         gpointer                  scratch,
                                         const GhloMonitor        *monitor,
                                         GError                  **error);
/* The algorithm: "onednn sgemm", "panels of f32, avx2". */
const char  *ghlo_cpu_gemm_describe     (const GhloCpuGemm        *self);
/* Whether batches alternate in the result, so that computing a dense one and copying it takes less time. */
gboolean     ghlo_cpu_gemm_prefers_dense (const GhloCpuGemm       *self);
/* Rows of the result; where the transpose of a product is computed, its columns. */
gint64       ghlo_cpu_gemm_get_rows     (const GhloCpuGemm        *self);
/* Approximate time of a run on one thread. */
double       ghlo_cpu_gemm_nanoseconds  (const GhloCpuGemm        *self);
/* Of an operand that is computed: the elements of a row, and the distance from a row of a block to the next one. */
gint64       ghlo_cpu_gemm_get_row      (const GhloCpuGemm        *self);
gint64       ghlo_cpu_gemm_get_pitch    (const GhloCpuGemm        *self);
/* Whether all its blocks consist of whole rows. */
gboolean     ghlo_cpu_gemm_takes_rows   (const GhloCpuGemm        *self);
/* Pointers are to the elements at index 0 in every dimension; @packed (nullable) is what ghlo_cpu_gemm_pack () made of
 * the operand. The result must not overlap the operands. FALSE when cancelled or on error; the result is undefined
 * then. */
gboolean     ghlo_cpu_gemm_run          (const GhloCpuGemm        *self,
                                         const guint8             *lhs,
                                         const guint8             *rhs,
                                         gconstpointer             packed,
                                         guint8                   *result,
                                         gpointer                  scratch,
                                         gpointer                  prologue_data,
                                         gpointer                  epilogue_data,
                                         const GhloMonitor        *monitor,
                                         GError                  **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloCpuGemm, ghlo_cpu_gemm_free)

G_END_DECLS
