/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A prepared product, and the algorithms that compute one. An algorithm says whether it
 * takes a product, chooses the tiles that the result is cut into, and computes one
 * tile at a time, on any thread.
 */

#pragma once

#include "cpu/gemm/axis.h"
#include "cpu/gemm/gemm.h"
#include "cpu/isa/routines.h"

G_BEGIN_DECLS

/* A dimension outside of the matrices: a batch, or one of rows or columns that does
 * not follow in equal steps. */
typedef struct
{
  gint64 size;
  gint64 lhs, rhs, result;               /* bytes */
} GhloCpuLoop;

/* One operand as a matrix of an outer dimension (rows of lhs, columns of rhs) and k. */
typedef struct
{
  GhloElementType type;
  guint           size;
  GhloCpuAxis     outer;
  GhloCpuAxis     k;
  /* Where one of both has adjacent elements and the other equal steps of at least
   * that much, as BLAS takes a matrix: its leading dimension in elements. */
  gboolean        is_plain;
  gboolean        k_adjacent;
  gint64          leading;
} GhloCpuOperand;

typedef struct
{
  GhloElementType type;
  guint           size;
  GhloCpuAxis     rows;
  GhloCpuAxis     columns;
  gboolean        is_plain;              /* columns are adjacent */
  gint64          leading;
} GhloCpuResult;

typedef struct
{
  const guint8      *lhs, *rhs;          /* of this batch: at its first row, column and k */
  guint8            *result;
  gint64             first_row, n_rows, first_column, n_columns;
  guint8            *scratch;            /* scratch_size of the product's */
  const GhloMonitor *monitor;
} GhloCpuTile;

typedef struct
{
  const char *name;
  /* Fills in the tile, the scratch and the size of what it packs ahead when it takes the product.
   * Where the product is not compiled nothing is packed or generated. */
  gboolean  (*take)    (GhloCpuGemm        *self);
  /* FALSE with an error, or without one when it was cancelled. */
  gboolean  (*compute) (const GhloCpuGemm  *self,
                        const GhloCpuTile  *tile,
                        GError            **error);
  void      (*release) (gpointer            state);    /* nullable */
} GhloCpuGemmAlgorithm;

enum { GHLO_CPU_MAX_LOOPS = 3 * GHLO_MAX_RANK };

struct _GhloCpuGemm
{
  GhloCpuOperand        lhs, rhs;        /* exchanged where is_swapped */
  GhloCpuResult         result;
  gboolean              is_swapped;      /* the transposed product is computed */
  gboolean              accumulate;
  gboolean              compiles;        /* it is to be run, not only asked what it would be */
  const guint8         *rhs_data;        /* of the problem's, while it is prepared */
  gsize                 packed_size;     /* of constants, for whoever asks */
  GhloCpuPanelFunc      epilogue;
  gint64                m, n, k;
  GhloCpuLoop           loops[GHLO_CPU_MAX_LOOPS];
  guint                 n_loops;
  gint64                n_batches;       /* product of the loops */

  GhloCpuArithmetic     arithmetic;      /* of a part where complex */
  gboolean              is_complex;      /* all three are */

  const GhloCpuGemmAlgorithm *algorithm;
  gpointer                    state;     /* the algorithm's own */
  char                       *description;
  gint64                      tile_rows, tile_columns;
  gsize                       scratch_size;  /* of one tile */
  /* Made from these: */
  gint64                n_row_tiles, n_column_tiles;
  gint64                batches_per_task;
  gboolean              is_one_run;      /* what a task's batches give lies without gaps, one after the other */
  gsize                 n_tasks;
  double                nanoseconds;
};

extern const GhloCpuGemmAlgorithm ghlo_cpu_gemm_empty;      /* no k: zeros */
extern const GhloCpuGemmAlgorithm ghlo_cpu_gemm_small;      /* a few numbers: loops in the order of k */
extern const GhloCpuGemmAlgorithm ghlo_cpu_gemm_vector;     /* a matrix and a vector */
extern const GhloCpuGemmAlgorithm ghlo_cpu_gemm_onednn;     /* bf16 and 8-bit integers by oneDNN's matmul */
extern const GhloCpuGemmAlgorithm ghlo_cpu_gemm_library;    /* oneDNN's sgemm; OpenBLAS where it wins */
extern const GhloCpuGemmAlgorithm ghlo_cpu_gemm_panels;     /* everything, by tiles of routines.h */

static inline guint
ghlo_cpu_gemm_n_parts (const GhloCpuGemm *self)
{
  return self->is_complex ? 2 : 1;
}

static inline double
ghlo_cpu_gemm_operations (const GhloCpuGemm *self)
{
  return 2.0 * (double) self->m * (double) self->n * (double) self->k * (self->is_complex ? 4 : 1);
}

/* It pays to pack rhs ahead, which panels do. */
gboolean ghlo_cpu_gemm_packs_ahead (const GhloCpuGemm *self);
/* Operations per second of one core, about. */
double   ghlo_cpu_gemm_rate   (const GhloCpuGemm *self);
/* Cuts m and n into tiles, in multiples of the units, of at most so many rows and
 * columns that take at most so long; more of them where several processors shall have
 * something to do. The tiles follow from shapes alone. */
void     ghlo_cpu_gemm_cut    (GhloCpuGemm       *self,
                               gint64             row_unit,
                               gint64             column_unit,
                               gint64             most_rows,
                               gint64             most_columns,
                               double             most_nanoseconds);
gboolean ghlo_cpu_gemm_stopped (const GhloMonitor *monitor);

G_END_DECLS
