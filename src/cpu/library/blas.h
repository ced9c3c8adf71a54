/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * OpenBLAS, for products of f64 and complex numbers and for LAPACK's routines. It is opened when first needed, by its
 * path and without exporting its symbols, and only as a single-threaded build. Functions have Fortran's calling
 * convention and column-major matrices; the lengths of strings are passed last.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef void (*GhloCpuBlasGemm)  (const char *transa, const char *transb, const int *m, const int *n, const int *k,
                                  gconstpointer alpha, gconstpointer a, const int *lda, gconstpointer b,
                                  const int *ldb, gconstpointer beta, gpointer c, const int *ldc,
                                  gsize transa_length, gsize transb_length);

/* For f32, f64, complex<f32>, complex<f64>. */
typedef enum
{
  GHLO_CPU_BLAS_S,
  GHLO_CPU_BLAS_D,
  GHLO_CPU_BLAS_C,
  GHLO_CPU_BLAS_Z,
  GHLO_CPU_BLAS_N_KINDS
} GhloCpuBlasKind;

typedef struct
{
  char             *core;          /* the processor that it has detected: "SkylakeX" */
  gboolean          is_of_level;   /* its kernels use the instructions of ghlo_cpu_level () */
  char             *version;       /* "0.3.21" */
  GhloCpuBlasGemm   gemm[GHLO_CPU_BLAS_N_KINDS];
  gpointer          library;       /* the handle from dlopen(), for looking up other functions */
} GhloCpuBlas;

/* Whether OpenBLAS and LAPACK take @n: their integers have 32 bits. A step checks the numbers of a program before it
 * takes them; in a call they are written with ghlo_cpu_blas_int(). */
static inline gboolean
ghlo_cpu_blas_fits (gint64 n)
{
  return n >= G_MININT && n <= G_MAXINT;
}

static inline int
ghlo_cpu_blas_int (gint64 n)
{
  g_assert (ghlo_cpu_blas_fits (n));

  return (int) n;
}

/* NULL where there is none. The first call opens the library. */
const GhloCpuBlas *ghlo_cpu_blas       (void);
/* These two enclose every call of a function, so that calls are serialized: a build without threads takes its working
 * memory from a table without a lock, and so gives one piece to two callers (0.3.21 as built by Debian: with eight
 * threads up to 4 in 100 results of potrf were wrong). */
void               ghlo_cpu_blas_begin (void);
void               ghlo_cpu_blas_end   (void);

G_END_DECLS
