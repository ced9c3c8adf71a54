/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a matrix product is asked to compute: types, dimensions and strides of its tensors, and the functions that are
 * called for parts of them.
 */

#pragma once

#include "base/element.h"
#include "base/sizes.h"

G_BEGIN_DECLS

/* Strides in bytes; 0 in a tensor that lacks this dimension. */
typedef struct
{
  gint64 size;
  gint64 lhs, rhs, result;
} GhloCpuGemmDimension;

/* A finished part of the result, which is still in the cache. Elements have one stride in each of two directions;
 * which elements of the result they are follows only from their addresses. */
typedef struct
{
  guint8 *data;
  gint64  n_rows, row_stride;          /* strides in bytes */
  gint64  n_columns, column_stride;
  guint   worker;                      /* index of the calling worker (runtime/parallel.h) */
} GhloCpuPanel;

/* Called once for each part, on any thread. Parts do not overlap. */
typedef void (*GhloCpuPanelFunc) (gpointer            data,
                                  const GhloCpuPanel *panel);

/* A part of an operand that is computed when it is needed: some elements of some of its rows. Rows of an operand are
 * runs of adjacent elements, along k or along the outer dimension; see ghlo_cpu_gemm_get_row (). */
typedef struct
{
  gint64  first;                       /* index of the first element, in row-major order of the operand */
  gint64  next;                        /* that of the block that is likely to follow; may be beyond the end */
  gint64  n_rows, n;                   /* rows, which follow each other, and elements of each */
  guint8 *to;                          /* for the elements; see ghlo_cpu_gemm_get_pitch () */
  guint   worker;
} GhloCpuOperandBlock;

/* Computes a block; called on any thread, and more than once for the same elements. */
typedef void (*GhloCpuOperandFunc) (gpointer            data,
                                  const GhloCpuOperandBlock *block);

typedef struct _GhloCpuDequantization GhloCpuDequantization;

typedef struct
{
  GhloElementType      lhs_type, rhs_type, result_type;
  gboolean             accumulate;     /* the product is added to the previous contents of the result */
  GhloCpuPanelFunc     epilogue;       /* nullable */
  GhloCpuOperandFunc     prologue;       /* nullable; computes rhs, or lhs where computes_lhs, which is dense but not in
                                        * memory: its pointers are NULL */
  gboolean             computes_lhs;
  const GhloCpuDequantization *dequantization;  /* nullable, borrowed: how rhs, or lhs where computes_lhs, is computed
                                                 * from the integers that its pointers are to */
  /* Elements of an operand that is constant, else NULL. Used by ghlo_cpu_gemm_prepare() only. */
  const guint8        *lhs_data, *rhs_data;
  gboolean             lhs_is_persistent, rhs_is_persistent;    /* as in GhloView */
  guint                n_batch, n_rows, n_columns, n_contracted;
  GhloCpuGemmDimension batch[GHLO_MAX_RANK];
  GhloCpuGemmDimension rows[GHLO_MAX_RANK];         /* of lhs and result */
  GhloCpuGemmDimension columns[GHLO_MAX_RANK];      /* of rhs and result */
  GhloCpuGemmDimension contracted[GHLO_MAX_RANK];   /* of lhs and rhs */
} GhloCpuGemmProblem;

G_END_DECLS
