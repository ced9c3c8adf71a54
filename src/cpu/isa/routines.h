/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The innermost loops, compiled once for each level of processors (level.h):
 * products of packed panels, of a matrix and a vector, windows, conversions and copies
 * of elements. All of them take any number of elements and need no alignment.
 */

#pragma once

#include "cpu/isa/level.h"

G_BEGIN_DECLS

/* The arithmetic that a product is computed in. */
typedef enum
{
  GHLO_CPU_F32,
  GHLO_CPU_F64,
  GHLO_CPU_I16,      /* pairs of 16-bit numbers into sums of 32 bits, modulo 2^32 */
  GHLO_CPU_I32,      /* modulo 2^32 */
  GHLO_CPU_I64,      /* modulo 2^64 */
  GHLO_CPU_N_ARITHMETICS
} GhloCpuArithmetic;

/* C = (C +) A B for one tile, where @k counts groups. A group of @a has one number for each row
 * of a whole tile, also where the tile has fewer rows; a group of @b, every @b_step bytes, has
 * one for each column. For I16 a group has two numbers for each row or column. Complex numbers
 * are stored as alternating real and imaginary parts. @c_row is C's row stride in elements of
 * the sum; for complex numbers, in parts. */
typedef void (*GhloCpuTileFunc)    (gsize           k,
                                    gconstpointer   a,
                                    gconstpointer   b,
                                    gint64          b_step,
                                    gpointer        c,
                                    gsize           c_row,
                                    gboolean        accumulate);

enum { GHLO_CPU_MAX_HEIGHTS = 5 };

/* The tiles of one arithmetic: the largest has heights[0] rows, lower ones down to 1 row serve
 * the edges of a matrix, and each height comes with half the columns and with all. */
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

/* In both functions @x and @y are f64 where the matrix is, else f32; @stride is the bytes
 * from one row of the matrix to the next, and the elements of a row are adjacent. */
/* y[i] = sum of x[j] m[i][j], for i < rows, j < n. */
typedef void (*GhloCpuDotFunc)     (gsize           rows,
                                    gsize           n,
                                    const guint8   *matrix,
                                    gint64          stride,
                                    gconstpointer   x,
                                    gpointer        y);
/* y[j] += sum of x[i] m[i][j]. */
typedef void (*GhloCpuAddFunc)     (gsize           rows,
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

/* Interleaves rows: to[j * width + i] = rows[i][j] for i < n_rows, j < n, and 0 for
 * n_rows <= i < width. Elements of 4, 8 or 16 bytes. */
typedef void (*GhloCpuInterleaveFunc) (const gconstpointer *rows,
                                       guint                n_rows,
                                       guint                width,
                                       gsize                n,
                                       gpointer             to);

/* to[i][j] = from[i][j], i < rows, j < columns, for units of 1, 2, 4, 8 or 16 bytes; strides
 * are in bytes. */
typedef void (*GhloCpuPlaneFunc)      (const guint8        *from,
                                       gint64               from_row,
                                       gint64               from_column,
                                       guint8              *to,
                                       gint64               to_row,
                                       gint64               to_column,
                                       gsize                rows,
                                       gsize                columns);

enum { GHLO_CPU_N_UNITS = 5 };

/* Adds to each of @n offsets the number times @scale. A number outside of 0 to @limit is either
 * clamped, or its offset becomes GHLO_CPU_OUT_OF_BOUNDS and stays so in later calls. */
#define GHLO_CPU_OUT_OF_BOUNDS G_MININT64

typedef void (*GhloCpuIndexFunc)      (const gint64        *numbers,
                                       gsize                n,
                                       gint64               limit,
                                       gint64               scale,
                                       gint64              *offsets);

/* Copies unit i from from + offsets[i] to to + i * to_stride. */
typedef void (*GhloCpuPickFunc)       (const guint8        *from,
                                       const gint64        *offsets,
                                       guint8              *to,
                                       gint64               to_stride,
                                       gsize                n);

/* Sorts GHLO_CPU_SORT_COLUMNS columns of @n numbers; row i holds the i-th number of each. @rows
 * is aligned to 64 bytes. */
enum { GHLO_CPU_SORT_COLUMNS = 16 };

typedef void (*GhloCpuSortColumnsFunc) (gpointer             rows,
                                        gsize                n);

/* The two words of Threefry-2x32-20 for each of @n counters from @counter on. */
typedef void (*GhloCpuThreefryFunc)   (guint64              key,
                                       guint64              counter,
                                       gsize                n,
                                       guint32             *first,
                                       guint32             *second);
/* The four words of Philox-4x32-10 for each of @n counters in turn; @low, the lower half of the
 * first one, does not overflow. @words needs no alignment. */
typedef void (*GhloCpuPhiloxFunc)     (guint64              key,
                                       guint64              low,
                                       guint64              high,
                                       gsize                n,
                                       guint8              *words);

/* Windows over rows of @n adjacent elements. Window i begins @operand_step bytes behind window i - 1 in the
 * operand; @taps are the bytes from there to each of its rows. */
typedef struct
{
  const guint8 *operand, *source;
  guint8       *result;
  gint64        operand_step, source_step;
  gsize         n_windows, n;
  const gint64 *taps;
  guint         n_taps;
  /* The result is as large as the operand, and only these taps of it are written: added to, or set where no other
   * window has them. */
  guint         first, end;
  gboolean      adds;
} GhloCpuPoolRow;

/* The comparison by which an element that was selected stays so before a later one. */
typedef enum
{
  GHLO_CPU_SELECT_GREATER_EQUAL,
  GHLO_CPU_SELECT_GREATER,
  GHLO_CPU_SELECT_LESS_EQUAL,
  GHLO_CPU_SELECT_LESS,
  GHLO_CPU_N_SELECTIONS
} GhloCpuSelection;

/* The element of the source goes to where the window selects, the others have none of it. There is a tap at least. */
typedef void (*GhloCpuPoolGradientFunc) (const GhloCpuPoolRow *row);

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
  /* Of f32, of f64: */
  GhloCpuPoolGradientFunc pool_gradient[2][GHLO_CPU_N_SELECTIONS];
  /* By the logarithm of a unit's bytes: */
  GhloCpuPickFunc  pick[GHLO_CPU_N_UNITS];
  GhloCpuPlaneFunc move[GHLO_CPU_N_UNITS];                 /* any strides */
  GhloCpuPlaneFunc transpose[GHLO_CPU_N_UNITS];            /* columns of the source and rows of the result adjacent */
  GhloCpuPlaneFunc stream[GHLO_CPU_N_UNITS];               /* transposes past the caches; end with ghlo_cpu_fence() */
} GhloCpuRoutines;

/* The routines of ghlo_cpu_level (), and those of a level up to the processor's own. */
const GhloCpuRoutines *ghlo_cpu_routines      (void);
void                   ghlo_cpu_routines_init (GhloCpuRoutines *self,
                                               GhloCpuLevel     level);

/* Call it after stores past the caches, before another thread may read them. */
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

/* The size of a sum of products. */
static inline gsize
ghlo_cpu_sum_size (GhloCpuArithmetic arithmetic)
{
  return arithmetic == GHLO_CPU_I16 ? 4 : ghlo_cpu_arithmetic_size (arithmetic);
}

G_END_DECLS
