/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A prepared factorization or system, and its algorithms, which give the same bits: lanes, for many small matrices;
 * rows, for small systems with adjacent right-hand sides; and panels, which LU does not have. For all, every system is
 * op (a) x = b with a lower triangle, and every Cholesky factorization that of an upper one, f* f = a: other sides,
 * triangles and transposes are strides and offsets only.
 */

#pragma once

#include "cpu/gemm/axis.h"
#include "cpu/isa/routines.h"
#include "cpu/linalg/substitute.h"
#include "cpu/linalg/triangular.h"
#include "cpu/move/copy.h"
#include "runtime/parallel.h"

G_BEGIN_DECLS

/* The matrices of a tensor. */
typedef struct
{
  GhloElementType type;
  gint64          rows, columns;
  gint64          row, column;      /* strides in bytes */
  gint64          first;            /* offset of the first row and column, in bytes */
  gint64          n_batch;
  GhloCpuAxis     batch;
} GhloCpuMatrices;

/* Copies between the matrices of a tensor and lanes. Where lines of numbers that are adjacent in the tensor are
 * adjacent in lanes, they are transposed; else there are copies of as many matrices as there are lanes, of the rest of
 * the batch, and of one. */
typedef struct
{
  gboolean    transposes, triangle;      /* only the triangle of each matrix */
  gsize       n_lines, length;
  gint64      line, step;                /* bytes between lines in the tensor and in lanes */
  gint64      first;                     /* offset of the first line in a matrix of the tensor, in bytes */
  GhloCpuCopy all, rest, one;
  gint64      row, column;               /* numbers from one to the next in lanes */
  gint64      at;                        /* offset of the first of both in lanes, in bytes */
} GhloCpuLanesCopies;

typedef enum
{
  GHLO_CPU_TRIANGULAR_LANES,
  GHLO_CPU_TRIANGULAR_ROWS,
  GHLO_CPU_TRIANGULAR_PANELS,
} GhloCpuTriangularWay;

struct _GhloCpuTriangular
{
  const GhloCpuTriangles *routines;
  GhloElementType         number;        /* that is computed with: narrow floats are f32 */
  GhloElementType         part;          /* its real part */
  gint64                  part_size, size;
  gboolean                is_solve, is_lu;
  gboolean                unit, conjugate;
  /* The triangles of a system; b or the matrices to factor; x or the factors. */
  GhloCpuMatrices         a, from, result;
  gint64                  n;             /* order of the triangles; steps of LU */
  gint64                  sides;         /* columns of from and result */
  GhloCpuTriangle         substituted;   /* op (a), as the reference executor walks it */
  gsize                   substitute_size;      /* bytes of scratch for that */
  double                  nanoseconds;   /* for all matrices, on one thread */

  GhloCpuTriangularWay    way;
  GhloCpuLanesCopies      a_lanes, from_lanes, result_lanes;
  gsize                   triangles_at, pivots_at;       /* offsets in a worker's scratch */

  gint64                  together;      /* panels of a group, which is worked on by one thread; rows: systems */

  /* Panels: */
  gint64                  n_panels;
  gint64                  block;         /* rows that are solved before those below them are updated */
  gboolean                by_matrix;     /* a thread has matrices of its own; else all threads share each */
  gboolean                a_is_direct;   /* triangles are not copied, since they need no conversion */
  GhloCpuCopy             copy_a;
  GhloCpuCopy             copy_in[2], copy_out[2];       /* of a whole panel and of the last one */
  /* Scratch of a matrix, and of a worker, with offsets. */
  gsize                   matrix_size, bundles_at, panels_at, copy_at;
  gsize                   worker_size, substitute_at;

  char                   *description;
};

/* What threads share. */
typedef struct
{
  const GhloCpuTriangular *self;
  const guint8            *a, *from;
  guint8                  *result, *scratch;
  const GhloCpuLuResults  *lu;
  const GhloMonitor       *monitor;
  gint                     stopped;      /* atomic */
} GhloCpuTriangularRun;

/* Returns whether the run was cancelled. */
gboolean ghlo_cpu_triangular_stopped     (GhloCpuTriangularRun    *run);
/* Solves again those right-hand sides [@first, @end) of matrix @index whose solution is not finite, though they and
 * the triangle are: only intermediate results may be out of range. */
void     ghlo_cpu_triangular_solve_again (GhloCpuTriangularRun    *run,
                                          gint64                   index,
                                          gint64                   first,
                                          gint64                   end,
                                          gpointer                 scratch);

/* Whether rows may be solved for where they are. */
gboolean ghlo_cpu_rows_accept            (const GhloCpuTriangular *self);

/* All plan copies and scratch; lanes and rows are for a few numbers only. FALSE where the size of scratch overflows. */
gboolean ghlo_cpu_lanes_plan             (GhloCpuTriangular       *self);
gboolean ghlo_cpu_rows_plan              (GhloCpuTriangular       *self);
gboolean ghlo_cpu_panels_plan            (GhloCpuTriangular       *self);
gsize    ghlo_cpu_lanes_scratch_size     (const GhloCpuTriangular *self);
gsize    ghlo_cpu_rows_scratch_size      (const GhloCpuTriangular *self);
gsize    ghlo_cpu_panels_scratch_size    (const GhloCpuTriangular *self);
/* FALSE when cancelled. */
gboolean ghlo_cpu_lanes_run              (GhloCpuTriangularRun    *run);
gboolean ghlo_cpu_rows_run               (GhloCpuTriangularRun    *run);
gboolean ghlo_cpu_panels_run             (GhloCpuTriangularRun    *run);

static inline gint64
ghlo_cpu_matrices_at (const GhloCpuMatrices *self,
                      gint64                 index)
{
  return self->first + ghlo_cpu_axis_at (&self->batch, index);
}

static inline gint64
ghlo_cpu_triangular_parts (const GhloCpuTriangular *self)
{
  return self->size / self->part_size;
}

static inline void
ghlo_cpu_triangular_copy (const GhloCpuCopy *copy,
                          const guint8      *from,
                          guint8            *to)
{
  if (copy->n_parts > 0)
    ghlo_cpu_copy_parts (copy, from, to, 0, copy->n_parts);
}

G_END_DECLS
