/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products of matrices in tensors, in batches: result[b, m, n] = sum over k of
 * lhs[b, m, k] rhs[b, k, n]. Each of b, m, n and k is any number of dimensions of
 * the tensors, with any strides. A product is prepared once, when shapes and strides
 * are known, and then run by any number of threads at the same time.
 *
 * Sums of f32 and of narrower floats are f32, rounded once into the result; integers
 * wrap in the result's type; i1 is "and" and "or". The order of sums is free, but
 * follows from shapes alone.
 */

#pragma once

#include "base/element.h"
#include "base/monitor.h"
#include "base/sizes.h"

G_BEGIN_DECLS

typedef struct _GhloCpuGemm GhloCpuGemm;

/* Bytes from one step to the next; 0 in a tensor without this dimension. */
typedef struct
{
  gint64 size;
  gint64 lhs, rhs, result;
} GhloCpuGemmDimension;

/* A finished part of the result, which is still in the cache: elements in equal steps
 * in two directions. Which elements they are only their addresses say. */
typedef struct
{
  guint8 *data;
  gint64  n_rows, row_stride;          /* strides in bytes */
  gint64  n_columns, column_stride;
  guint   worker;                      /* whose thread calls (runtime/parallel.h) */
} GhloCpuPanel;

/* Called for each part once, on any thread; parts do not overlap. */
typedef void (*GhloCpuPanelFunc) (gpointer            data,
                                  const GhloCpuPanel *panel);

typedef struct
{
  GhloElementType      lhs_type, rhs_type, result_type;
  gboolean             accumulate;     /* the product is added to what the result holds */
  GhloCpuPanelFunc     epilogue;       /* nullable */
  /* An operand's elements where every run has the same, else NULL: read by
   * ghlo_cpu_gemm_prepare() and not kept. */
  const guint8        *lhs_data, *rhs_data;
  guint                n_batch, n_rows, n_columns, n_contracted;
  GhloCpuGemmDimension batch[GHLO_MAX_RANK];
  GhloCpuGemmDimension rows[GHLO_MAX_RANK];         /* of lhs and result */
  GhloCpuGemmDimension columns[GHLO_MAX_RANK];      /* of rhs and result */
  GhloCpuGemmDimension contracted[GHLO_MAX_RANK];   /* of lhs and rhs */
} GhloCpuGemmProblem;

/* UNSUPPORTED for types that products are not computed of here: another implementation
 * does those. The result's elements must not overlap each other. */
GhloCpuGemm *ghlo_cpu_gemm_prepare      (const GhloCpuGemmProblem *problem,
                                         GError                  **error);
/* The same, only to be asked what it would be: nothing is packed or generated. */
GhloCpuGemm *ghlo_cpu_gemm_choose       (const GhloCpuGemmProblem *problem,
                                         GError                  **error);
void         ghlo_cpu_gemm_free         (GhloCpuGemm              *self);
/* Bytes that a run needs, aligned to 64. */
gsize        ghlo_cpu_gemm_scratch_size (const GhloCpuGemm        *self);
/* Bytes of constants that it keeps in another order, and whether those are the rhs's or the lhs's. */
gsize        ghlo_cpu_gemm_packed_size  (const GhloCpuGemm        *self);
gboolean     ghlo_cpu_gemm_packs_rhs    (const GhloCpuGemm        *self);
/* How it is computed: "onednn sgemm", "panels of f32, avx2". */
const char  *ghlo_cpu_gemm_describe     (const GhloCpuGemm        *self);
/* What a run takes on one thread, about. */
double       ghlo_cpu_gemm_nanoseconds  (const GhloCpuGemm        *self);
/* The tensors' elements at index 0 in every dimension; the result's memory is none
 * of the operands'. FALSE when cancelled, the result is then undefined. */
gboolean     ghlo_cpu_gemm_run          (const GhloCpuGemm        *self,
                                         const guint8             *lhs,
                                         const guint8             *rhs,
                                         guint8                   *result,
                                         gpointer                  scratch,
                                         gpointer                  epilogue_data,
                                         const GhloMonitor        *monitor,
                                         GError                  **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloCpuGemm, ghlo_cpu_gemm_free)

G_END_DECLS
