/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The innermost loops, compiled once for each level of processors (level.h):
 * products of packed panels, of a matrix and a vector, and conversions of lines of
 * elements. All of them take any number of elements and need no alignment.
 */

#pragma once

#include "cpu/isa/level.h"

G_BEGIN_DECLS

/* What a product is computed in. */
typedef enum
{
  GHLO_CPU_F32,
  GHLO_CPU_F64,
  GHLO_CPU_I16,      /* pairs of 16-bit numbers into sums of 32 bits, modulo 2^32 */
  GHLO_CPU_I32,      /* modulo 2^32 */
  GHLO_CPU_I64,      /* modulo 2^64 */
  GHLO_CPU_N_ARITHMETICS
} GhloCpuArithmetic;

/* C = (C +) A B for one tile. @a holds k groups of a number for each row of a whole
 * tile, of which the first ones are taken; @b a group of one for each column every
 * @b_step bytes; of I16 a group is two such in turn for each row or column, and @k
 * counts groups. Complex numbers are real and imaginary part in turn everywhere.
 * @c_row is C's row stride in elements of the sum, of parts where complex. */
typedef void (*GhloCpuTileFunc)    (gsize           k,
                                    gconstpointer   a,
                                    gconstpointer   b,
                                    gint64          b_step,
                                    gpointer        c,
                                    gsize           c_row,
                                    gboolean        accumulate);

enum { GHLO_CPU_MAX_HEIGHTS = 5 };

/* The tiles there are: the largest, whose rows are heights[0], and lower ones down to 1
 * for what is left of a matrix, each of half the columns and of all. */
typedef struct
{
  guint            columns;
  guint            heights[GHLO_CPU_MAX_HEIGHTS];
  GhloCpuTileFunc  multiply[GHLO_CPU_MAX_HEIGHTS][2];
} GhloCpuTiles;

/* The elements of a matrix that a vector is multiplied with. */
typedef enum
{
  GHLO_CPU_VECTOR_F32,
  GHLO_CPU_VECTOR_F64,
  GHLO_CPU_VECTOR_BF16,
  GHLO_CPU_VECTOR_F16,
  GHLO_CPU_N_VECTORS
} GhloCpuVector;

/* Of both, @x and @y are of f64 where the matrix is, else of f32; @stride is bytes
 * from one line of the matrix to the next, and the elements of a line are adjacent. */
/* y[i] = sum of x[j] m[i][j], for i < lines, j < n. */
typedef void (*GhloCpuDotFunc)     (gsize           lines,
                                    gsize           n,
                                    const guint8   *matrix,
                                    gint64          stride,
                                    gconstpointer   x,
                                    gpointer        y);
/* y[j] += sum of x[i] m[i][j]. */
typedef void (*GhloCpuAddFunc)     (gsize           lines,
                                    gsize           n,
                                    const guint8   *matrix,
                                    gint64          stride,
                                    gconstpointer   x,
                                    gpointer        y);

/* C += A B of any size, row by row; strides from row to row are in elements. */
typedef enum
{
  GHLO_CPU_ORDERED_GEMM_F32,
  GHLO_CPU_ORDERED_GEMM_F64,
  GHLO_CPU_ORDERED_GEMM_I64,
  GHLO_CPU_N_ORDERED_GEMMS
} GhloCpuOrderedGemm;

typedef void (*GhloCpuOrderedGemmFunc)   (gsize           m,
                                          gsize           n,
                                          gsize           k,
                                          gconstpointer   a,
                                          gsize           a_row,
                                          gconstpointer   b,
                                          gsize           b_row,
                                          gpointer        c,
                                          gsize           c_row);

typedef void (*GhloCpuConvertFunc) (gconstpointer   from,
                                    gpointer        to,
                                    gsize           n);

typedef enum
{
  GHLO_CPU_BF16_TO_F32,
  GHLO_CPU_F16_TO_F32,
  GHLO_CPU_F32_TO_BF16,
  GHLO_CPU_F32_TO_F16,
  GHLO_CPU_F32_TO_F64,
  GHLO_CPU_F64_TO_F32,
  GHLO_CPU_I8_TO_I16,
  GHLO_CPU_U8_TO_I16,
  GHLO_CPU_I8_TO_I32,
  GHLO_CPU_U8_TO_I32,
  GHLO_CPU_I16_TO_I32,
  GHLO_CPU_U16_TO_I32,
  GHLO_CPU_I64_TO_I32,
  GHLO_CPU_I8_TO_I64,
  GHLO_CPU_U8_TO_I64,
  GHLO_CPU_I16_TO_I64,
  GHLO_CPU_U16_TO_I64,
  GHLO_CPU_I32_TO_I64,
  GHLO_CPU_U32_TO_I64,
  GHLO_CPU_I32_TO_I8,
  GHLO_CPU_I32_TO_I16,
  GHLO_CPU_I64_TO_I8,
  GHLO_CPU_I64_TO_I16,
  GHLO_CPU_N_CONVERSIONS
} GhloCpuConversion;

/* Lines @stride elements apart are brought together: to[j * width + i] = from[i][j]
 * for i < n_lines, j < n, and 0 for n_lines <= i < width. Elements of 4, 8 or 16 bytes. */
typedef void (*GhloCpuInterleaveFunc) (const gconstpointer *lines,
                                       guint                n_lines,
                                       guint                width,
                                       gsize                n,
                                       gpointer             to);

/* to[i][j] = from[i][j], i < rows, j < columns, units of 1, 2, 4, 8 or 16 bytes that lie
 * as the strides, in bytes, say. */
typedef void (*GhloCpuPlaneFunc)      (const guint8        *from,
                                       gint64               from_row,
                                       gint64               from_column,
                                       guint8              *to,
                                       gint64               to_row,
                                       gint64               to_column,
                                       gsize                rows,
                                       gsize                columns);

enum { GHLO_CPU_N_UNITS = 5 };

/* Adds to each of @n places the number, from 0 to @limit, times @scale: numbers are
 * clamped, or else their places, as all that were so before, become GHLO_CPU_OUT_OF_BOUNDS. */
#define GHLO_CPU_OUT_OF_BOUNDS G_MININT64

typedef void (*GhloCpuIndexFunc)      (const gint64        *numbers,
                                       gsize                n,
                                       gint64               limit,
                                       gint64               scale,
                                       gint64              *places);

/* Unit i to to + i * to_stride, from from + places[i]. */
typedef void (*GhloCpuPickFunc)       (const guint8        *from,
                                       const gint64        *places,
                                       guint8              *to,
                                       gint64               to_stride,
                                       gsize                n);

/* Sorts GHLO_CPU_SORT_COLUMNS lines of @n numbers, of which row i holds each one's i-th;
 * @rows is aligned to 64 bytes. */
enum { GHLO_CPU_SORT_COLUMNS = 16 };

typedef void (*GhloCpuSortColumnsFunc) (gpointer             rows,
                                        gsize                n);

/* The two words of Threefry-2x32-20 for each of @n counts from @counter on. */
typedef void (*GhloCpuThreefryFunc)   (guint64              key,
                                       guint64              counter,
                                       gsize                n,
                                       guint32             *first,
                                       guint32             *second);
/* The four words of Philox-4x32-10, one count after the other, which @low, the counter's
 * lower half, does not overflow in. @words needs no alignment. */
typedef void (*GhloCpuPhiloxFunc)     (guint64              key,
                                       guint64              low,
                                       guint64              high,
                                       gsize                n,
                                       guint8              *words);

typedef struct
{
  GhloCpuTiles           tiles[GHLO_CPU_N_ARITHMETICS];
  GhloCpuTiles           complex_tiles[2];                 /* F32, F64 */
  GhloCpuDotFunc         dot[GHLO_CPU_N_VECTORS];
  GhloCpuAddFunc         add[GHLO_CPU_N_VECTORS];
  GhloCpuOrderedGemmFunc order[GHLO_CPU_N_ORDERED_GEMMS];
  GhloCpuConvertFunc     convert[GHLO_CPU_N_CONVERSIONS];
  GhloCpuInterleaveFunc  interleave4;
  GhloCpuInterleaveFunc  interleave8;
  GhloCpuInterleaveFunc  interleave16;
  GhloCpuIndexFunc       clamp_indices;
  GhloCpuIndexFunc       check_indices;
  GhloCpuSortColumnsFunc sort_columns_32;
  GhloCpuSortColumnsFunc sort_columns_64;
  GhloCpuThreefryFunc    threefry;
  GhloCpuPhiloxFunc      philox;
  /* By the logarithm of a unit's bytes: */
  GhloCpuPickFunc       pick[GHLO_CPU_N_UNITS];
  GhloCpuPlaneFunc      move[GHLO_CPU_N_UNITS];            /* any strides */
  GhloCpuPlaneFunc      turn[GHLO_CPU_N_UNITS];            /* columns of the source and rows of the result adjacent */
  GhloCpuPlaneFunc      stream[GHLO_CPU_N_UNITS];          /* the same past the caches; ghlo_cpu_fence() ends it */
} GhloCpuRoutines;

/* Those of ghlo_cpu_level (). */
const GhloCpuRoutines *ghlo_cpu_routines (void);

/* After stores past the caches, before another thread is told of them. */
static inline void
ghlo_cpu_fence (void)
{
#if defined (__x86_64__)
  __builtin_ia32_sfence ();
#endif
}

static inline gsize
ghlo_cpu_arithmetic_size (GhloCpuArithmetic arithmetic)
{
  static const guint8 sizes[] = { 4, 8, 2, 4, 8 };

  return sizes[arithmetic];
}

/* Of a sum. */
static inline gsize
ghlo_cpu_sum_size (GhloCpuArithmetic arithmetic)
{
  return arithmetic == GHLO_CPU_I16 ? 4 : ghlo_cpu_arithmetic_size (arithmetic);
}

G_END_DECLS
