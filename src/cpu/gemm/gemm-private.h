/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A prepared product, and the interface of the algorithms that compute products. An algorithm decides whether it
 * takes a product, chooses the tiles that the result is cut into, and computes one tile at a time, on any thread.
 */

#pragma once

#include "cpu/gemm/axis.h"
#include "cpu/gemm/gemm.h"
#include "cpu/gemm/separate.h"
#include "cpu/isa/routines.h"
#include "cpu/way.h"

G_BEGIN_DECLS

/* Approximate nanoseconds to pack a byte of rhs. */
#define GHLO_CPU_PACK_TIME 0.1

/* A dimension outside of the matrices: a batch dimension, or an outer dimension of rows or columns that does not
 * merge with the inner ones. */
typedef struct
{
  gint64 size;
  gint64 lhs, rhs, result;               /* strides in bytes */
} GhloCpuLoop;

/* One operand as a matrix of an outer dimension (the rows of lhs, the columns of rhs) and k. */
typedef struct
{
  GhloElementType type;
  guint           size;
  GhloCpuAxis     outer;
  GhloCpuAxis     k;
  /* One of the two axes has adjacent elements, and the other a single stride that is at least a row, as BLAS requires
   * of a matrix; leading is then its leading dimension in elements. */
  gboolean        is_plain;
  gboolean        k_adjacent;
  gint64          leading;
  GhloCpuOperandFunc compute;              /* NULL: the operand is in memory */
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
  const guint8      *lhs, *rhs;          /* at the first row, column and k of this batch; NULL: it is computed */
  const guint8      *packed;             /* rhs as pack () packed it; NULL: it was not */
  gint64             computed_at;        /* offset of this batch in the operand that is computed, in bytes */
  guint8            *result;
  gint64             first_row, n_rows, first_column, n_columns;
  guint8            *scratch;            /* the product's scratch_size bytes */
  gpointer           prologue_data;
  guint              worker;
  const GhloMonitor *monitor;
} GhloCpuTile;

typedef struct
{
  const char *name;
  gboolean    takes_computed;            /* takes products with an operand that is computed */
  /* Decides whether to take the product. If so, fills in @way, which has an estimate of the nanoseconds. Nothing is
   * packed or compiled where the product's compiles is FALSE. */
  gboolean  (*take)    (const GhloCpuGemm  *self,
                        GhloCpuWay         *way);
  /* FALSE with an error, or without one when cancelled. The same holds for pack (), which every algorithm has that sets
   * a packed_size: it writes so many bytes to @packed, which tiles then get. @scratch is that of a run. */
  gboolean  (*compute) (const GhloCpuGemm  *self,
                        const GhloCpuTile  *tile,
                        GError            **error);
  gboolean  (*pack)    (const GhloCpuGemm  *self,
                        const guint8       *rhs,
                        guint8             *packed,
                        guint8             *scratch,
                        const GhloMonitor  *monitor,
                        GError            **error);
} GhloCpuGemmAlgorithm;

enum { GHLO_CPU_MAX_LOOPS = 3 * GHLO_MAX_RANK };

struct _GhloCpuGemm
{
  GhloCpuOperand        lhs, rhs;        /* swapped where is_swapped */
  GhloCpuResult         result;
  gboolean              is_swapped;      /* the transpose of the product is computed */
  gboolean              accumulate;
  gboolean              result_alternates;   /* batches of the result alternate in memory */
  gboolean              compiles;        /* the product is going to be run, not only described */
  const guint8         *rhs_data;        /* constant rhs of the problem, or NULL; set during preparation only */
  gboolean              has_constant_rhs;
  gboolean              rhs_is_persistent;
  GhloCpuPanelFunc      epilogue;
  const GhloCpuDequantization *dequantization;  /* of the problem; a run's prologue_data are all operands' views */
  gint64                m, n, k;
  GhloCpuLoop           loops[GHLO_CPU_MAX_LOOPS];
  guint                 n_loops;
  gint64                n_batches;       /* product of the loops */

  GhloCpuArithmetic     arithmetic;      /* of real and imaginary parts where complex */
  gboolean              is_complex;      /* both operands and the result are */

  GhloCpuSeparation    *separations[2];  /* owned, nullable: copies of lhs and rhs, which are never swapped */

  const GhloCpuGemmAlgorithm *algorithm;
  GhloCpuWay                  way;       /* the algorithm's own */
  guint8                     *packed;    /* owned: a constant rhs, packed; NULL where it is not */
  /* Derived from the fields above: */
  gint64                n_row_tiles, n_column_tiles;
  gint64                batches_per_task;
  gboolean              is_one_run;      /* the results of a task's batches are contiguous in memory */
  gsize                 n_tasks;
};

extern const GhloCpuGemmAlgorithm ghlo_cpu_gemm_empty;      /* k is 0: the result is zero */
extern const GhloCpuGemmAlgorithm ghlo_cpu_gemm_nibbles;    /* a few vectors and weights of four bits */
extern const GhloCpuGemmAlgorithm ghlo_cpu_gemm_small;      /* a few numbers: plain loops in the order of k */
extern const GhloCpuGemmAlgorithm ghlo_cpu_gemm_vector;     /* a few vectors and a matrix */
extern const GhloCpuGemmAlgorithm ghlo_cpu_gemm_onednn;     /* bf16 and 8-bit integers by oneDNN's matmul */
extern const GhloCpuGemmAlgorithm ghlo_cpu_gemm_library;    /* oneDNN's sgemm; OpenBLAS where it wins */
extern const GhloCpuGemmAlgorithm ghlo_cpu_gemm_panels;     /* any product, by the tiles of routines.h */

static inline guint
ghlo_cpu_gemm_n_parts (const GhloCpuGemm *self)
{
  return self->is_complex ? 2 : 1;
}

/* Whether batches have a rhs each. */
static inline gboolean
ghlo_cpu_gemm_has_batches_of_rhs (const GhloCpuGemm *self)
{
  for (guint i = 0; i < self->n_loops; i++)
    if (self->loops[i].rhs != 0)
      return TRUE;

  return FALSE;
}

/* Whether rhs stays in memory from run to run, so that a packed copy of it may be kept. */
static inline gboolean
ghlo_cpu_gemm_keeps_rhs (const GhloCpuGemm *self)
{
  return self->rhs_is_persistent && self->rhs.compute == NULL && self->rhs.is_plain
         && !ghlo_cpu_gemm_has_batches_of_rhs (self);
}

static inline double
ghlo_cpu_gemm_operations (const GhloCpuGemm *self)
{
  return 2.0 * (double) self->m * (double) self->n * (double) self->k * (self->is_complex ? 4 : 1);
}

/* The kind of matrix of @type that is multiplied with vectors in @arithmetic. FALSE where there is none. */
gboolean ghlo_cpu_find_vector (GhloElementType    type,
                               GhloCpuArithmetic  arithmetic,
                               GhloCpuVector     *kind);
/* Whether there are so few results, of a long k each, that the algorithm for vectors takes them, as groups of rows. */
gboolean ghlo_cpu_gemm_is_deep (const GhloCpuGemm *self);
/* The number of tasks that work of that time is worth. It does not depend on the number of threads, because the sums
 * of a library may depend on the tile size. */
double   ghlo_cpu_count_tasks (double nanoseconds);
/* The same for tiles whose sums have the same bits however they are cut: enough for all threads. */
double   ghlo_cpu_count_tiles (double nanoseconds);
/* Approximate operations per second of one core. */
double   ghlo_cpu_gemm_rate   (const GhloCpuGemm *self);
/* Cuts m and n into tiles whose sizes are multiples of the units, with at most @most_rows × @most_columns elements
 * and @most_nanoseconds each. Products that are worth several threads get more tiles. The tiles depend on shapes
 * only. */
void     ghlo_cpu_gemm_cut    (const GhloCpuGemm *self,
                               GhloCpuWay        *way,
                               gint64             row_unit,
                               gint64             column_unit,
                               gint64             most_rows,
                               gint64             most_columns,
                               double             most_nanoseconds);
/* Computes a part of @operand, from row (or column) @first_outer and k @first_k on, into @to, where rows (along k if it
 * is adjacent) are way.pitch elements apart. The part that is going to be needed next begins @ahead bytes behind. */
void     ghlo_cpu_gemm_compute_part (const GhloCpuGemm    *self,
                                     const GhloCpuTile    *tile,
                                     const GhloCpuOperand *operand,
                                     gint64                first_outer,
                                     gint64                n_outer,
                                     gint64                first_k,
                                     gint64                n_k,
                                     gint64                ahead,
                                     guint8               *to);
gboolean ghlo_cpu_gemm_stopped (const GhloMonitor *monitor);

G_END_DECLS
