/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cholesky and triangular_solve, and LU of small matrices, in batches, on tensors with any strides. Prepared once, and
 * run by any number of threads at the same time.
 */

#pragma once

#include "base/monitor.h"
#include "base/view.h"

G_BEGIN_DECLS

/* A Cholesky factorization, or a triangular system, of each matrix of a batch. */
typedef struct _GhloCpuTriangular GhloCpuTriangular;

/* Both fail with UNSUPPORTED for types other than floats of up to 64 bits and complex numbers. Of the views only types,
 * dimensions and strides are used. */

/* The factor of the triangle of @a that is read; the other triangle is zero. All NaN where @a is not positive
 * definite. */
GhloCpuTriangular *ghlo_cpu_cholesky_prepare         (const GhloView           *a,
                                                      const GhloView           *result,
                                                      gboolean                  lower,
                                                      GError                  **error);

typedef enum
{
  GHLO_CPU_AS_IS,
  GHLO_CPU_TRANSPOSED,
  GHLO_CPU_ADJOINT,
} GhloCpuTranspose;

typedef struct
{
  gboolean         left;           /* op (a) x = b, else x op (a) = b */
  gboolean         lower;
  gboolean         unit;           /* the diagonal is all ones, and is not read */
  GhloCpuTranspose transpose;
} GhloCpuSolve;

GhloCpuTriangular *ghlo_cpu_triangular_solve_prepare (const GhloCpuSolve       *solve,
                                                      const GhloView           *a,
                                                      const GhloView           *b,
                                                      const GhloView           *result,
                                                      GError                  **error);

/* LU with partial pivoting, of matrices with any number of rows and columns; NULL unless there are many small ones. */
GhloCpuTriangular *ghlo_cpu_lu_prepare               (const GhloView           *a,
                                                      const GhloView           *result);

void               ghlo_cpu_triangular_free          (GhloCpuTriangular        *self);
gsize              ghlo_cpu_triangular_scratch_size  (const GhloCpuTriangular  *self);
const char        *ghlo_cpu_triangular_describe      (const GhloCpuTriangular  *self);
/* @b is NULL for cholesky. The result of cholesky may share the memory of @a, if the strides are the same; that of a
 * system shares none. */
gboolean           ghlo_cpu_triangular_run           (const GhloCpuTriangular  *self,
                                                      const guint8             *a,
                                                      const guint8             *b,
                                                      guint8                   *result,
                                                      gpointer                  scratch,
                                                      const GhloMonitor        *monitor,
                                                      GError                  **error);


/* Those of one matrix after the other, but for the factors, which may share the memory of the operand in the same way.
 * Others are LAPACK's, except that pivots count from 0 if the permutation of rows is wanted. */
typedef struct
{
  guint8 *factors;
  int    *pivots;
  int    *info, *permutation;       /* nullable */
} GhloCpuLuResults;

gboolean           ghlo_cpu_lu_run                   (const GhloCpuTriangular  *self,
                                                      const guint8             *a,
                                                      const GhloCpuLuResults   *results,
                                                      gpointer                  scratch,
                                                      const GhloMonitor        *monitor,
                                                      GError                  **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloCpuTriangular, ghlo_cpu_triangular_free)

G_END_DECLS
