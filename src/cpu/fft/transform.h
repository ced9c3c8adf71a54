/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The transform along one dimension. It is run in lanes (lanes.c), many rows side by side, or line by line (line.c):
 * then a line of n1 n2 numbers is a matrix, of which all columns, and then all rows, are transformed in lanes.
 *
 * The core is a complex transform. Where n is even, that of n real numbers, or to real numbers, has a core of n / 2
 * complex ones, which are the same numbers in pairs. A core with a large prime factor is Bluestein's (1970): with
 * jk = (j² + k² - (k - j)²) / 2 it becomes a convolution, by two transforms of a length of at least 2 n - 1. In lanes,
 * a prime core n whose predecessor has small factors is Rader's (1968): with powers of a primitive root, all but the
 * first of its numbers and results are those of a cyclic convolution, by two transforms of n - 1 numbers.
 */

#pragma once

#include "base/monitor.h"
#include "cpu/fft/radices.h"

G_BEGIN_DECLS

typedef enum
{
  GHLO_CPU_TRANSFORM_COMPLEX,
  GHLO_CPU_TRANSFORM_REAL,     /* from n real numbers to n / 2 + 1 complex ones */
  GHLO_CPU_TRANSFORM_HALF,     /* the inverse of that */
} GhloCpuTransformForm;

typedef struct
{
  gsize                n;
  GhloCpuTransformForm form;
  gboolean             is_f64, inverse;
  gboolean             by_line;
  gboolean             pairs;            /* the core takes or gives pairs of real numbers */
  gboolean             chirps;           /* the core is Bluestein's */
  gboolean             cycles;           /* the core is Rader's */
  gboolean             reverses;         /* the core is an inverse transform; the other two are made for that instead */
  gsize                core, length;     /* numbers of the core, and of the transforms that compute it */
  GhloCpuRadices       columns, rows;    /* the transforms of the lanes; rows only by line */
  guint8              *chirp;            /* owned; exp (∓pi i k² / core) */
  guint8              *filter;           /* owned; the transform of its conjugate, or of the roots in the order of
                                          * powers, divided by the length */
  guint32             *powers;           /* owned; of cycles: those of the primitive root */
  guint32             *order;            /* owned; of cycles: the row of each result, and one behind them */
  guint8              *halves;           /* owned; for untangle */
  guint8              *lane_twists;      /* owned; by line: exp (-2 pi i k l / length) for row k and lane l, as rows */
  guint8              *twists;           /* owned; the same for the first column l of each block, by blocks */
} GhloCpuTransform;

/* Numbers along one dimension in several lanes, which are in runs of adjacent ones. */
typedef struct
{
  guint8 *data;
  gint64  lane, element;      /* bytes from one run, and one number of a lane, to the next */
  gsize   run, first;         /* lanes of a run, and of it before the first one */
} GhloCpuLanes;

/* Reads a transform of @n numbers in @n_lanes lanes. Returns NULL, or why it is not supported. */
const char *ghlo_cpu_transform_read         (GhloCpuTransform     *self,
                                             gsize                 n,
                                             GhloCpuTransformForm  form,
                                             gboolean              is_f64,
                                             gboolean              inverse,
                                             gboolean              may_run_by_line,
                                             gsize                 n_lanes);
/* Makes the tables. FALSE where cancelled, or where there is no memory. */
gboolean    ghlo_cpu_transform_prepare      (GhloCpuTransform     *self,
                                             const GhloMonitor    *monitor);
void        ghlo_cpu_transform_clear        (GhloCpuTransform     *self);
/* Bytes of tables. */
gsize       ghlo_cpu_transform_tables_size  (const GhloCpuTransform *self);

/* Bytes of scratch for ghlo_cpu_transform_run_lanes() or, by line, for ghlo_cpu_transform_run_line(). */
gboolean    ghlo_cpu_transform_find_scratch (const GhloCpuTransform *self,
                                             gsize                *scratch);
/* Transforms up to GHLO_CPU_FOURIER_PART bytes of lanes. Reads everything before it writes. */
void        ghlo_cpu_transform_run_lanes    (const GhloCpuTransform *self,
                                             const GhloCpuLanes   *from,
                                             const GhloCpuLanes   *to,
                                             guint                 n_lanes,
                                             guint8               *scratch);
/* Transforms a line of adjacent numbers with all threads. FALSE where cancelled. */
gboolean    ghlo_cpu_transform_run_line     (const GhloCpuTransform *self,
                                             const guint8         *from,
                                             guint8               *to,
                                             guint8               *scratch,
                                             const GhloMonitor    *monitor);
/* The complex transform of a matrix, of length numbers; for line.c and for tables. @scratch has the
 * bytes that ghlo_cpu_transform_find_matrix() adds. */
gboolean    ghlo_cpu_transform_run_matrix   (const GhloCpuTransform *self,
                                             const guint8         *from,
                                             guint8               *to,
                                             gboolean              inverse,
                                             double                scale,
                                             guint8               *scratch,
                                             const GhloMonitor    *monitor);
gboolean    ghlo_cpu_transform_find_matrix  (const GhloCpuTransform *self,
                                             gsize                *scratch);

/* Bytes of a complex number. */
static inline gsize
ghlo_cpu_transform_size (const GhloCpuTransform *self)
{
  return self->is_f64 ? 16 : 8;
}

/* The lanes of a row. */
static inline guint
ghlo_cpu_transform_n_lanes (const GhloCpuTransform *self)
{
  return GHLO_CPU_FOURIER_ROW / (self->is_f64 ? 16 : 8);
}

G_END_DECLS
