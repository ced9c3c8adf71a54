/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The innermost loops, compiled once for each level (level.h): products of packed panels, products of a matrix and a
 * vector, triangular systems, windows, and conversions and copies of elements. All of them take any number of elements,
 * and most need no alignment.
 */

#pragma once

#include "base/element.h"
#include "cpu/isa/level.h"
#include "kernel/scalar-kinds.h"

G_BEGIN_DECLS

/* The number type that a product is computed in. */
typedef enum
{
  GHLO_CPU_F32,
  GHLO_CPU_F64,
  GHLO_CPU_I16,      /* pairs of 16-bit numbers, summed in 32 bits modulo 2^32 */
  GHLO_CPU_I32,      /* modulo 2^32 */
  GHLO_CPU_I64,      /* modulo 2^64 */
  GHLO_CPU_N_ARITHMETICS
} GhloCpuArithmetic;

/* C = A B or C += A B for one tile; @k counts groups. A group of @a has one number for each row of a full tile, even
 * where the tile has fewer rows. A group of @b, each @b_step bytes from the one before, has one number for each
 * column. For I16, a group has two numbers for each row or column. Complex numbers are alternating real and imaginary
 * parts. @c_row is the row stride of C in elements of the sum; for complex numbers, in parts. */
typedef void (*GhloCpuTileFunc)    (gsize           k,
                                    gconstpointer   a,
                                    gconstpointer   b,
                                    gint64          b_step,
                                    gpointer        c,
                                    gsize           c_row,
                                    gboolean        accumulate);

/* The same where each row of A has adjacent elements, @a_row numbers from one row to the next, and no others. */
typedef void (*GhloCpuRowTileFunc) (gsize           k,
                                    gconstpointer   a,
                                    gsize           a_row,
                                    gconstpointer   b,
                                    gint64          b_step,
                                    gpointer        c,
                                    gsize           c_row,
                                    gboolean        accumulate);

enum { GHLO_CPU_MAX_HEIGHTS = 5 };

/* The tiles of one arithmetic. The largest has heights[0] rows; lower ones, down to 1 row, are for the edges of a
 * matrix. Each height comes with half the columns and with all columns. */
typedef struct
{
  guint            columns;
  guint            heights[GHLO_CPU_MAX_HEIGHTS];
  GhloCpuTileFunc  multiply[GHLO_CPU_MAX_HEIGHTS][2];
} GhloCpuTiles;

/* The element type of a matrix that is multiplied with vectors. */
typedef enum
{
  GHLO_CPU_VECTOR_F32,
  GHLO_CPU_VECTOR_F64,
  GHLO_CPU_VECTOR_BF16,
  GHLO_CPU_VECTOR_F16,
  GHLO_CPU_VECTOR_I32,
  GHLO_CPU_VECTOR_I8,
  GHLO_CPU_VECTOR_U8,
  GHLO_CPU_N_VECTORS
} GhloCpuVector;

/* Vectors that are multiplied with a matrix at the same time, and the bytes to whose multiple each is padded. */
enum { GHLO_CPU_MAX_VECTORS = 4, GHLO_CPU_VECTOR_PADDING = 64 };

/* y[i][j] = sum over k of x[i][k] and element (j, k) of the matrix. Numbers of @x are f64 or i32 where the
 * matrix is, i16 where it has smaller integers, else f32; sums are i32 for integers, and of the type of @x otherwise.
 * Behind the @k numbers of a vector there are zeros up to a multiple of GHLO_CPU_VECTOR_PADDING bytes. @stride is in
 * bytes: from one row of the matrix, whose elements are adjacent, to the next. */
typedef struct
{
  gsize         m, n, k;      /* 1 <= m <= GHLO_CPU_MAX_VECTORS */
  const guint8 *matrix;
  gint64        stride;
  gconstpointer x;
  gsize         x_step;       /* numbers from one vector to the next */
  gpointer      y;
  gsize         y_step;       /* sums from one vector to the next */
  gboolean      accumulate;   /* adds to the sums in @y; of the routines @add only */
} GhloCpuVectors;

typedef void (*GhloCpuVectorsFunc) (const GhloCpuVectors *product);

/* C += A B of any size, row by row; row strides are in elements. */
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
                                          gint64          a_row,
                                          gconstpointer   b,
                                          gint64          b_row,
                                          gpointer        c,
                                          gint64          c_row);

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

/* Clears the bytes from @from on of @n rows, and maybe some before. */
typedef void (*GhloCpuClearColumnsFunc) (guint8       *to,
                                         gsize         row,
                                         gsize         from,
                                         gsize         n);
/* Interleaves rows: to[j * width + i] = rows[i][j] for i < n_rows and j < n, and 0 for n_rows <= i < width. Elements
 * have 4, 8 or 16 bytes. */
typedef void (*GhloCpuInterleaveFunc) (const gconstpointer *rows,
                                       guint                n_rows,
                                       guint                width,
                                       gsize                n,
                                       gpointer             to);

/* to[i][j] = from[i][j] for i < rows and j < columns, for units of 1, 2, 4, 8 or 16 bytes; strides are in bytes. */
typedef void (*GhloCpuPlaneFunc)      (const guint8        *from,
                                       gint64               from_row,
                                       gint64               from_column,
                                       guint8              *to,
                                       gint64               to_row,
                                       gint64               to_column,
                                       gsize                rows,
                                       gsize                columns);

/* to[to_rows[i] + j units] = from[from_columns[j] + i units] for i < rows and j < columns, of units of the same sizes.
 * Tables are in bytes. */
typedef void (*GhloCpuTableFunc)      (const guint8        *from,
                                       const gint64        *from_columns,
                                       guint8              *to,
                                       const gint64        *to_rows,
                                       gsize                rows,
                                       gsize                columns);

enum { GHLO_CPU_N_UNITS = 5 };

/* A register of adjacent bytes of the result, that are picked from a few registers of the source. */
enum { GHLO_CPU_SHUFFLE_BYTES = 64, GHLO_CPU_SHUFFLE_MAX_PARTS = 8 };

typedef struct
{
  guint   n_parts;
  guint64 n_bytes;                               /* of the result; at most GHLO_CPU_SHUFFLE_BYTES */
  gint64  offsets[GHLO_CPU_SHUFFLE_MAX_PARTS];   /* of each part of the source */
  guint64 loads[GHLO_CPU_SHUFFLE_MAX_PARTS];     /* bits of the bytes that are read of a part */
  guint64 stores[GHLO_CPU_SHUFFLE_MAX_PARTS];    /* bits of the bytes of the result that are from a part */
  guint8  places[GHLO_CPU_SHUFFLE_MAX_PARTS][GHLO_CPU_SHUFFLE_BYTES];   /* of these in the part */
} GhloCpuShuffle;

/* Shuffles @cut columns at a time of each row. The last ones are shuffled together with some before them. */
typedef void (*GhloCpuShuffleFunc)    (const GhloCpuShuffle *self,
                                       const guint8         *from,
                                       gint64                from_row,
                                       gint64                from_column,
                                       guint8               *to,
                                       gint64                to_row,
                                       gint64                to_column,
                                       gsize                 rows,
                                       gsize                 columns,
                                       gsize                 cut);

/* Adds number × @scale to each of @n offsets. A number outside of [0, @limit] is either clamped, or its offset
 * becomes GHLO_CPU_OUT_OF_BOUNDS and stays so in later calls. */
#define GHLO_CPU_OUT_OF_BOUNDS G_MININT64

typedef void (*GhloCpuIndexFunc)      (const gint64        *numbers,
                                       gsize                n,
                                       gint64               limit,
                                       gint64               scale,
                                       gint64              *offsets);

/* Copies unit i of each row from from + offsets[i] to to + i * to_stride, for @rows rows. */
typedef void (*GhloCpuPickFunc)       (const guint8        *from,
                                       gint64               from_row,
                                       const gint64        *offsets,
                                       guint8              *to,
                                       gint64               to_row,
                                       gint64               to_stride,
                                       gsize                rows,
                                       gsize                n);

/* How updates change elements (reduce/combine.h): @n adjacent or strided ones, those at @offsets, in order, or so many
 * rows of @n at @offsets. */
typedef struct
{
  void (*row)    (guint8       *to,
                  gint64        to_stride,
                  const guint8 *from,
                  gint64        from_stride,
                  gsize         n);
  void (*points) (guint8       *to,
                  const gint64 *offsets,
                  const guint8 *from,
                  const gint64 *others,
                  gsize         n);
  void (*rows)   (guint8       *to,
                  gint64        to_stride,
                  const gint64 *offsets,
                  const guint8 *from,
                  gint64        from_stride,
                  const gint64 *others,
                  gsize         n_rows,
                  gsize         n);
} GhloCpuCombineLoops;

/* How bits of elements become ranks (kernel/sort-key.h): the bits of those with the sign bit are exclusive-ored with
 * @negative, others with @positive. */
typedef struct
{
  guint64  positive, negative;
  guint64  infinity;        /* greater magnitudes become @nan */
  guint64  nan;
  guint64  zero;            /* the sign bit where -0 has the rank of +0, else 0 */
  gboolean table;           /* elements of one byte become ranks by the key's table first */
} GhloCpuRank;

/* What was found among elements: -0 that became +0, and NaN that became @nan. */
enum { GHLO_CPU_RANK_ZEROS = 1, GHLO_CPU_RANK_NANS = 2 };

/* Numbers are sorted in columns side by side, as many as this or a multiple, and in blocks of at most so many. */
enum { GHLO_CPU_SORT_COLUMNS = 16, GHLO_CPU_SORT_BLOCK = 256 };

/* The widths of numbers that are sorted: 32 and 64 bits. */
enum { GHLO_CPU_SORT_32, GHLO_CPU_SORT_64, GHLO_CPU_SORT_N_WIDTHS };

/* Functions that sort unsigned numbers, indexed by their width. */
typedef struct
{
  /* Sorts @width columns of @n numbers; row i holds the i-th number of each column. @rows is aligned to 64 bytes. */
  void  (*columns[GHLO_CPU_SORT_N_WIDTHS]) (gpointer rows, gsize n, gsize width);
  /* The same for the @k smallest numbers only; other rows are then undefined. */
  void  (*select[GHLO_CPU_SORT_N_WIDTHS]) (gpointer rows, gsize n, gsize width, gsize k);
  /* Sorts at most GHLO_CPU_SORT_BLOCK numbers. */
  void  (*block[GHLO_CPU_SORT_N_WIDTHS]) (gpointer numbers, gsize n);
  /* Copies the numbers below *@pivot to @low, and the others to @high. Returns how many are below. @low may be
   * @numbers or before it; there is room for all numbers at both. */
  gsize (*partition[GHLO_CPU_SORT_N_WIDTHS]) (gconstpointer numbers, gsize n, gconstpointer pivot, gpointer low,
                                              gpointer high);
  /* Moves numbers up by @low bits and puts positions below them, from @first on. */
  void  (*place[GHLO_CPU_SORT_N_WIDTHS]) (gpointer numbers, gsize n, guint low, guint64 first);
  /* Computes ranks of elements of 1 << j bytes. With @append, they are put below what the numbers hold. Returns what
   * was found. */
  guint (*rank[GHLO_CPU_SORT_N_WIDTHS][4]) (const GhloCpuRank *self, const guint8 *from, gsize n, gboolean append,
                                            gpointer numbers);
  /* Elements of their ranks, which exceed @least by what begins at bit @low of the numbers. */
  void  (*unrank[GHLO_CPU_SORT_N_WIDTHS][4]) (const GhloCpuRank *self, gconstpointer numbers, gsize n, guint low,
                                              guint64 least, guint8 *to);
  /* The least and the greatest of @n ranks, at least one. */
  void  (*span[GHLO_CPU_SORT_N_WIDTHS])      (gconstpointer ranks, gsize n, guint64 *least, guint64 *greatest);
  /* Numbers for ranks of one width, in the other: by how much they exceed @least, without the lowest @cut bits, and the
   * row in the lowest @low bits, for @n_rows rows of @width ranks. Higher bits than a number has are lost. @numbers may
   * be @ranks. */
  void  (*number[GHLO_CPU_SORT_N_WIDTHS][GHLO_CPU_SORT_N_WIDTHS]) (gconstpointer ranks, gsize n_rows, gsize width,
                                                                   guint64 least, guint cut, guint low,
                                                                   gpointer numbers);
  /* Whether of each column of @n_rows rows of @width ranks of 64 bits at most @k become numbers, as by @number, that do
   * not exceed that of the rank of @last. */
  gboolean (*has_least)                      (const guint64 *ranks, gsize n_rows, gsize width, guint64 least, guint cut,
                                              const guint64 *last, gsize k);
} GhloCpuSort;

/* Functions that search a row for its first ranks, which neither a table nor @infinity changes; indexed by j for
 * adjacent elements of 1 << j bytes. Ranks are numbers of 32 bits, of elements of 8 bytes those of 64. */
typedef struct
{
  /* Divides the row into some groups, and writes the least rank of each; a few elements at the end may be in none.
   * Returns how many groups there are, at most GHLO_CPU_SORT_BLOCK; none where there are fewer elements. */
  gsize (*lead[4])   (const GhloCpuRank *self, const guint8 *from, gsize n, gpointer ranks);
  /* Copies the ranks that are at most @limit, and writes their positions, from @first on. Returns how many they are;
   * there is room for all. */
  gsize (*filter[4]) (const GhloCpuRank *self, const guint8 *from, gsize n, guint64 limit, guint32 first,
                      gpointer kept, guint32 *positions);
} GhloCpuTopK;

/* Computes the two words of Threefry-2x32-20 for each of @n counters from @counter on. */
typedef void (*GhloCpuThreefryFunc)   (guint64              key,
                                       guint64              counter,
                                       gsize                n,
                                       guint32             *first,
                                       guint32             *second);
/* Computes the four words of Philox-4x32-10 for each of @n counters from the given one on, counter by counter. @low
 * is the lower half of the first counter and must not overflow. @words needs no alignment. */
typedef void (*GhloCpuPhiloxFunc)     (guint64              key,
                                       guint64              low,
                                       guint64              high,
                                       gsize                n,
                                       guint8              *words);

/* Windows over rows of @n adjacent elements. In the operand, window i begins @operand_step bytes behind window i - 1;
 * @taps are the byte offsets of its rows from there. */
typedef struct
{
  const guint8 *operand, *source;
  guint8       *result;
  gint64        operand_step, source_step;
  gsize         n_windows, n;
  const gint64 *taps;
  guint         n_taps;
  /* The result is as large as the operand. Only the taps [first, end) are written: added to, or set where no other
   * window has them. */
  guint         first, end;
  gboolean      adds;
} GhloCpuPoolRow;

/* The comparison by which a selected element stays selected against a later one. */
typedef enum
{
  GHLO_CPU_SELECT_GREATER_EQUAL,
  GHLO_CPU_SELECT_GREATER,
  GHLO_CPU_SELECT_LESS_EQUAL,
  GHLO_CPU_SELECT_LESS,
  GHLO_CPU_N_SELECTIONS
} GhloCpuSelection;

/* Writes the source's element to where the window selects; the other taps get nothing of it. There is at least one
 * tap. */
typedef void (*GhloCpuPoolGradientFunc) (const GhloCpuPoolRow *row);

/* What the weights of a tap are: a number for each output, lanes that all registers are multiplied with, or lanes for
 * each register. */
typedef enum
{
  GHLO_CPU_WEIGHTS_SHARED,
  GHLO_CPU_WEIGHTS_OF_LANES,
  GHLO_CPU_WEIGHTS_OF_REGISTERS,
  GHLO_CPU_N_WINDOW_WEIGHTS
} GhloCpuWindowWeights;

enum { GHLO_CPU_WINDOW_OUTPUTS = 4 };

/* For each output and register j of its result: the sum over the taps of a tap's weights, which are @weights_step
 * apart, times the register at x[offsets[tap] + j * x_step]. Steps and offsets are in numbers; @y_row is from one
 * output to the next. */
typedef struct
{
  gconstpointer x, weights;
  gpointer      y;
  const gint64 *offsets;
  gint64        x_step, y_step, y_row;
  gsize         n_taps, weights_step;
  guint         n_outputs;    /* a power of two up to GHLO_CPU_WINDOW_OUTPUTS; 1 for weights of lanes or registers */
  gsize         n;            /* registers */
} GhloCpuWindowLanes;

typedef void (*GhloCpuWindowLanesFunc) (const GhloCpuWindowLanes *windows);

/* Fourier transforms of f32 or f64 in all lanes of rows at once. A row has the real parts of its lanes, and then the
 * imaginary parts; it is aligned to 64 bytes. Tables have complex numbers of the same type. Where there is an @order,
 * which may be NULL, number i is in row order[i]. An inverse transform is that of the conjugate roots. */
enum { GHLO_CPU_FOURIER_PART = 64, GHLO_CPU_FOURIER_ROW = 128, GHLO_CPU_FOURIER_MAX_RADIX = 97 };

/* One pass of a transform whose results end in reversed order (decimation in frequency): in each group of @radix × m
 * rows, transforms the rows k + j m over j for each k < m, and multiplies result j with twiddles[k][j - 1], unless m is
 * 1. @roots are the powers of exp (-2 pi i / radix), for odd radices. Lanes from @lanes on need not be transformed. */
typedef void (*GhloCpuFourierPassFunc) (gpointer      rows,
                                        gsize         n_groups,
                                        gsize         m,
                                        gconstpointer twiddles,
                                        guint         radix,
                                        gconstpointer roots,
                                        gboolean      inverse,
                                        guint         lanes);

typedef struct
{
  GhloCpuFourierPassFunc pass[9];      /* by radix; NULL: there is none */
  GhloCpuFourierPassFunc any_pass;     /* for any odd radix up to GHLO_CPU_FOURIER_MAX_RADIX */
  /* Reads a row of complex numbers at each of @n addresses that are @step bytes apart. */
  void (*split)    (const guint8  *from,
                    gint64         step,
                    gpointer       rows,
                    gsize          n);
  /* Writes them, multiplied with @scale. */
  void (*join)     (gconstpointer  rows,
                    const guint32 *order,
                    guint8        *to,
                    gint64         step,
                    gsize          n,
                    double         scale);
  /* Copies rows, multiplied with @scale. */
  void (*collect)  (gconstpointer  rows,
                    const guint32 *order,
                    gpointer       to_rows,
                    gsize          n,
                    double         scale);
  /* Multiplies number i with factors[i]. */
  void (*multiply) (gconstpointer  rows,
                    const guint32 *order,
                    gconstpointer  factors,
                    gpointer       to_rows,
                    gsize          n);
  /* Multiplies number i with factors[i] times row i of @lane_factors, or with the conjugate. */
  void (*twist)    (gconstpointer  rows,
                    const guint32 *order,
                    gconstpointer  lane_factors,
                    gconstpointer  factors,
                    gpointer       to_rows,
                    gsize          n,
                    gboolean       inverse);
  /* Forward, turns the transform of the @m numbers x[2j] + i x[2j + 1] into the first m + 1 numbers of that of the
   * 2 m numbers x, where factors[k] is -i/2 exp (-2 pi i k / 2m). Otherwise, turns the latter into the former, where
   * factors[k] is i/2 exp (2 pi i k / 2m); there is a row m then, too. */
  void (*untangle) (gpointer       rows,
                    const guint32 *order,
                    gsize          m,
                    gconstpointer  factors,
                    gboolean       forward);
  /* The same for a line of complex numbers. Of untangle: only the part of numbers [begin, end) and their mirror images,
   * for @end up to m / 2 + 1, and no imaginary parts of numbers 0 and m are read for the inverse. */
  void (*multiply_line) (gconstpointer numbers,
                         gconstpointer factors,
                         gpointer      to,
                         gsize         n);
  void (*untangle_line) (gconstpointer numbers,
                         gpointer      to,
                         gsize         m,
                         gconstpointer factors,
                         gboolean      forward,
                         gsize         begin,
                         gsize         end);
  /* Appends the second half of the spectrum of an odd number of real numbers, the conjugates of the first. */
  void (*mirror_line)   (gpointer      numbers,
                         gsize         n);
} GhloCpuFourier;

/* Triangular systems and factorizations of one type, in either of two orders. Both are aligned to 64 bytes.
 *
 * Lanes: a number is a register with that of as many matrices.
 * Panels: a row is two registers, of adjacent columns. It is multiplied by numbers that are the same for all columns,
 * which are in bundles: groups, one for each row that is multiplied, of one number for each row of the largest tile.
 *
 * Complex numbers of both are a register (a row) of real parts and one of imaginary parts, and pairs in bundles. */
typedef enum
{
  GHLO_CPU_TILE_SUBTRACTED,
  GHLO_CPU_TILE_SOLVED,           /* by the triangle in the groups behind, with reciprocals on its diagonal */
  GHLO_CPU_TILE_SOLVED_UNIT,      /* the diagonal is all ones, and is not read */
} GhloCpuTileEnd;

/* Subtracts the sum over @k rows at @x, each times the numbers of a group of @a, from the rows of a tile at @c, and
 * then solves for these. Groups are @a_step numbers apart. */
typedef void (*GhloCpuTriangleTileFunc) (GhloCpuTileEnd  end,
                                         gsize           k,
                                         gconstpointer   a,
                                         gint64          a_step,
                                         gconstpointer   x,
                                         gpointer        c);

enum { GHLO_CPU_TRIANGLE_HEIGHTS = 4 };

/* Matrices of @n columns in lanes, with the numbers from one row, and from one column, to the next. */
typedef struct
{
  gpointer data;
  gsize    n;
  gint64   row, column;
} GhloCpuMatrixLanes;

/* @n_systems of @n unknowns for @columns adjacent right-hand sides, at least as many as a register holds, at any bytes.
 * Lower triangles, the rows of b and x, and systems are as many numbers apart as the fields say. */
typedef struct
{
  gsize         n_systems, n, columns;
  gboolean      unit;
  gconstpointer a, b;
  gpointer      x;
  gint64        a_row, a_column, b_row, x_row;
  gint64        a_system, b_system, x_system;
  gpointer      inverses;       /* room for those of all diagonals, in whole registers, aligned to 64 bytes */
} GhloCpuTriangleRows;

typedef struct
{
  guint    lanes;                 /* numbers of a register */
  guint    rows;                  /* of the largest tile; a power of two that divides the columns of a panel */
  /* Solves for right-hand sides in place, by lower triangles, whose diagonals are overwritten. Returns whether all
   * results are finite. */
  gboolean (*solve_lanes)  (const GhloCpuMatrixLanes *triangles,
                            gboolean                  unit,
                            gboolean                  conjugate,
                            const GhloCpuMatrixLanes *sides);
  /* Replaces the upper triangle by the factor f with f* f = a, or by NaN where there is none, and clears the rest. */
  void     (*factor_lanes) (const GhloCpuMatrixLanes *matrices);
  /* Replaces matrices of @rows rows by the factors of LU with partial pivoting. @pivots are a register for each step,
   * with the rows that it was exchanged with, and one that has the first step whose pivot is zero, from 1 on, or 0. */
  void     (*factor_rows_lanes) (const GhloCpuMatrixLanes *matrices,
                                 gsize                     rows,
                                 gpointer                  pivots);
  /* By the log2 of the rows; for panels of one and of two registers. */
  GhloCpuTriangleTileFunc tiles[GHLO_CPU_TRIANGLE_HEIGHTS][2];
  /* Factors the square of @rows × @rows that begins at @column of a tile, and solves for the columns behind it. What is
   * below the diagonal becomes undefined. FALSE where there is no factor. */
  gboolean (*factor_tile)  (guint          rows,
                            gsize          column,
                            gpointer       tile);
  /* Makes groups of the conjugates of @rows columns of @k rows. */
  void     (*bundle)       (gsize          k,
                            guint          rows,
                            gconstpointer  panel,
                            gpointer       to);
  /* Replaces the diagonal of a triangle in groups that are @step numbers apart by its reciprocals. */
  void     (*invert)       (guint          rows,
                            gpointer       bundle,
                            gint64         step);
  /* Returns the lanes in which any of the @n registers of any row is not finite, as bits. Rows are @row registers
   * apart. */
  guint32  (*find_not_finite) (gsize          rows,
                               gsize          row,
                               gsize          n,
                               gconstpointer  registers);
} GhloCpuTriangles;

/* Products with weights of four bits, of GHLO_CPU_NIBBLE_COLUMNS columns. A word has eight weights of a column: those
 * of rows 0 to 3 in the lower halves of its bytes, 4 to 7 in the upper ones. */
enum
{
  GHLO_CPU_NIBBLE_COLUMNS = 32, GHLO_CPU_NIBBLES_OF_WORD = 8, GHLO_CPU_NIBBLE_DIGITS = 4,
  /* Of the largest number of a block, as in its bits. */
  GHLO_CPU_NIBBLE_MIN_EXPONENT = 64, GHLO_CPU_NIBBLE_MAX_EXPONENT = 190,
};

/* Numbers of a row of x as integers, in a unit of their own. */
typedef struct
{
  float  unit, low, high;                       /* sums of the lower and upper digits, as numbers of 16 bits */
  gint32 starts[GHLO_CPU_NIBBLE_DIGITS];        /* the sum of each digit, times the weight that a nibble of 0 is */
} GhloCpuNibbleBlock;

typedef struct
{
  gsize                     m;                  /* rows */
  gsize                     n_words;            /* words of a column */
  gsize                     block_words, group_blocks;  /* words of a block, and blocks with the same scales */
  const guint32            *weights;            /* for each word along k, that of each column */
  gint32                    first;              /* the weight that a nibble of 0 is; others follow */
  const gint8              *digits;             /* of four numbers each digit, the lowest first, then of the next */
  gsize                     digit_step;         /* bytes from a row to the next */
  const GhloCpuNibbleBlock *blocks;
  gsize                     n_blocks;           /* of a row */
  const float              *scales, *zeros;     /* for each group, a number for each column; zeros may be NULL */
  gsize                     scale_step, zero_step;
  float                    *y;                  /* for each row, a number for each column */
  gsize                     y_step;
} GhloCpuNibbles;

typedef struct
{
  GhloCpuTiles           tiles[GHLO_CPU_N_ARITHMETICS];
  GhloCpuTiles           complex_tiles[2];                 /* for F32 and F64 */
  GhloCpuRowTileFunc     row_tiles[2][GHLO_CPU_MAX_HEIGHTS][2];   /* for F32 and F64; sizes are those of the tiles */
  /* The same for bf16, with sums of f32, where the processor has instructions for them; else NULL. A number is a pair
   * that is summed, as for I16. Subnormal numbers count as 0. */
  const GhloCpuRowTileFunc (*bf16_row_tiles)[2];
  /* Replaces the @n numbers of each row by e^(factor × number - maximum), and sets their sum. The maximum becomes that
   * of the given one and of @factor, which is positive, × the numbers that are not NaN. Rows are @stride numbers
   * apart. */
  void                 (*weigh) (float *rows, gsize n_rows, gsize stride, gsize n, float factor, float *maxima,
                                 float *totals);
  GhloCpuVectorsFunc     dot[GHLO_CPU_N_VECTORS];          /* a row of the matrix for each j */
  GhloCpuVectorsFunc     add[GHLO_CPU_N_VECTORS];          /* a row of the matrix for each k */
  void                 (*multiply_nibbles) (const GhloCpuNibbles *p);
  /* The same for one row of floats, whose products with weights that are scaled before are added one by one. */
  void                 (*multiply_nibbles_each) (const GhloCpuNibbles *p, const float *x);
  /* Splits @n numbers, a multiple of sixteen as @block_size is. FALSE where a block has numbers that do not fit. */
  gboolean             (*split_digits) (const float *x, gsize n, gsize block_size, gint32 first, gint8 *digits,
                                        GhloCpuNibbleBlock *blocks);
  /* Packs the lower halves of the bytes of @n columns and @k rows, exclusive or @flip for each word. Columns are @step
   * bytes apart where @k_adjacent, else rows. */
  void                 (*pack_nibbles) (const guint8 *from, gint64 step, gboolean k_adjacent, gsize n, gsize k,
                                        guint32 flip, guint32 *to);
  GhloCpuOrderedGemmFunc order[GHLO_CPU_N_ORDERED_GEMMS];
  GhloCpuConvertFunc     convert[GHLO_CPU_N_CONVERSIONS];
  GhloCpuClearColumnsFunc clear_columns;
  GhloCpuInterleaveFunc  interleave4;
  GhloCpuInterleaveFunc  interleave8;
  GhloCpuInterleaveFunc  interleave16;
  guint                  register_bytes;
  GhloCpuWindowLanesFunc windows[GHLO_CPU_N_ARITHMETICS][GHLO_CPU_N_WINDOW_WEIGHTS];     /* not of I64 */
  GhloCpuIndexFunc       clamp_indices;
  GhloCpuIndexFunc       check_indices;
  /* Whether no number of 4 or 8 bytes is less than the one before it. */
  gboolean             (*are_sorted[2])      (const guint8    *numbers,
                                              gsize            n);
  /* Leaves out offsets outside of [@first, @end), and the others beside them. Returns how many are left. */
  gsize                (*limit_offsets)      (gint64          *offsets,
                                              gint64          *others,
                                              gsize            n,
                                              gint64           first,
                                              gint64           end);
  /* Stores @first, @first + @step and so on. */
  void                 (*count)              (gint64          *numbers,
                                              gsize            n,
                                              gint64           first,
                                              gint64           step);
  /* NULL where there are none for the type. */
  const GhloCpuCombineLoops *(*find_combine_loops) (GhloElementType type,
                                                    GhloCombiner    combiner);
  GhloCpuSort            sort;
  GhloCpuTopK            top_k;
  GhloCpuThreefryFunc    threefry;
  GhloCpuPhiloxFunc      philox;
  GhloCpuFourier         fourier[2];                       /* for f32 and f64 */
  GhloCpuTriangles       triangles[4];                     /* for f32, f64 and complex numbers of both */
  /* For f32 and f64: */
  GhloCpuPoolGradientFunc pool_gradient[2][GHLO_CPU_N_SELECTIONS];
  /* Indexed by the log2 of a unit's bytes: */
  GhloCpuPickFunc  pick[GHLO_CPU_N_UNITS];
  GhloCpuPlaneFunc move[GHLO_CPU_N_UNITS];                 /* any strides */
  GhloCpuPlaneFunc transpose[GHLO_CPU_N_UNITS];            /* source columns and result rows are adjacent */
  GhloCpuTableFunc transpose_at[GHLO_CPU_N_UNITS];         /* the same by tables */
  GhloCpuShuffleFunc shuffle;                              /* NULL where the processor has no shuffles of bytes */
  GhloCpuPlaneFunc stream[GHLO_CPU_N_UNITS];               /* with non-temporal stores; then ghlo_cpu_fence() */
  /* For f32 and f64: solves where rows are, and returns whether all of x is finite. */
  gboolean               (*solve_rows[2])    (const GhloCpuTriangleRows *systems);
} GhloCpuRoutines;

/* The routines of ghlo_cpu_level (), and those of any level up to the processor's own. */
const GhloCpuRoutines *ghlo_cpu_routines      (void);
void                   ghlo_cpu_routines_init (GhloCpuRoutines *self,
                                               GhloCpuLevel     level);

/* Has to be called after non-temporal stores, before another thread may read what they wrote. */
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

/* The bytes of a sum of products. */
static inline gsize
ghlo_cpu_sum_size (GhloCpuArithmetic arithmetic)
{
  return arithmetic == GHLO_CPU_I16 ? 4 : ghlo_cpu_arithmetic_size (arithmetic);
}

G_END_DECLS
