/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loops over triangles (routines.h, GhloCpuTriangles) for the number type T with vectors V. Before it is included, the
 * includer also defines F (name), which adds the type to a name; PARTS, 2 for complex numbers and else 1; ROWS, the
 * rows of the largest tile; SMALLEST, the smallest normal T; SQRT of a T, and ROOTS of a V. Terms are subtracted one by
 * one in the order of rows, so that lanes and panels, and tiles of any size, give the same bits.
 */

#define LANE   LANES (T)
#define NUMBER (PARTS * LANE)         /* Ts of a number in all lanes */
#define WIDTH  (2 * LANE)
#define PANEL  (PARTS * WIDTH)        /* Ts of a row of a panel */
/* Columns that are summed at the same time. */
#define SIDES  (8 / PARTS)
/* What a comparison gives: all bits of a lane, or none. */
#define BITS   __typeof__ ((V) { 0 } == 0)
#define CHOOSE(lanes, x, y) ((V) (((BITS) (x) & (lanes)) | ((BITS) (y) & ~(lanes))))
#define ABSOLUTE(x)         ((V) ((BITS) (x) & ~(BITS) -(V) { 0 }))

typedef struct
{
  V part[PARTS];
} F (Number);

/* A register, and a T, at any byte. */
typedef V F (AnyV) __attribute__ ((aligned (1)));
typedef T F (AnyT) __attribute__ ((aligned (1), may_alias));

/* Parts are @part Ts apart. */
static inline F (Number)
F (load) (const T *at,
          gsize    part)
{
  F (Number) x;

  UNROLL for (guint i = 0; i < PARTS; i++)
    x.part[i] = *(const V *) (gconstpointer) (at + i * part);

  return x;
}

static inline void
F (store) (T          *at,
           gsize       part,
           F (Number)  x)
{
  UNROLL for (guint i = 0; i < PARTS; i++)
    *(V *) (gpointer) (at + i * part) = x.part[i];
}

/* The same number in all lanes. Subtracting zero changes no number. */
static inline F (Number)
F (spread) (const F (AnyT) *at)
{
  F (Number) x;

  UNROLL for (guint i = 0; i < PARTS; i++)
    x.part[i] = at[i] - (V) { 0 };

  return x;
}

static inline F (Number)
F (minus_product) (F (Number) sum,
                   F (Number) a,
                   F (Number) x)
{
#if PARTS == 1
  return (F (Number)) { { sum.part[0] - a.part[0] * x.part[0] } };
#else
  return (F (Number)) { { (sum.part[0] - a.part[0] * x.part[0]) + a.part[1] * x.part[1],
                          (sum.part[1] - a.part[0] * x.part[1]) - a.part[1] * x.part[0] } };
#endif
}

static inline F (Number)
F (product) (F (Number) a,
             F (Number) x)
{
#if PARTS == 1
  return (F (Number)) { { a.part[0] * x.part[0] } };
#else
  V re = a.part[1] * x.part[1], im = a.part[1] * x.part[0];

  return (F (Number)) { { a.part[0] * x.part[0] - re, a.part[0] * x.part[1] + im } };
#endif
}

static inline F (Number)
F (times_real) (F (Number) x,
                V          real)
{
  UNROLL for (guint i = 0; i < PARTS; i++)
    x.part[i] *= real;

  return x;
}

/* A complex number is divided by its larger part first, so that its square does not overflow. */
static inline F (Number)
F (reciprocal) (F (Number) a)
{
#if PARTS == 1
  return (F (Number)) { { 1 / a.part[0] } };
#else
  F (Number) x;

  for (guint i = 0; i < LANE; i++)
    {
      T re = a.part[0][i], im = a.part[1][i];
      gboolean is_real = ABS (re) >= ABS (im);
      T ratio = is_real ? im / re : re / im, inverse = 1 / (is_real ? re + im * ratio : im + re * ratio);

      x.part[0][i] = is_real ? inverse : ratio * inverse;
      x.part[1][i] = is_real ? -ratio * inverse : -inverse;
    }

  return x;
#endif
}

/* The product of zero and a number that is not finite is NaN. */
static guint32
F (find_not_finite) (gsize         rows,
                     gsize         row,
                     gsize         n,
                     gconstpointer registers)
{
  const V *x = registers;
  V sums[4] = { { 0 } };
  T products[LANE];
  guint32 lanes = 0;

  for (; rows > 0; rows--, x += row)
    {
      gsize i = 0;

      for (; i + 4 <= n; i += 4)
        UNROLL for (guint j = 0; j < 4; j++)
          sums[j] += x[i + j] * 0;
      for (; i < n; i++)
        sums[0] += x[i] * 0;
    }
  sums[0] += sums[1] + (sums[2] + sums[3]);
  memcpy (products, sums, sizeof (products));
  for (guint i = 0; i < LANE; i++)
    lanes |= (guint32) (products[i] != 0) << i;

  return lanes;
}

/* From @n numbers at @c subtracts the sums of @a[p] times @x[p], with the imaginary parts of @a times @sign. Columns of
 * x and c are @column apart, and terms @a_step and @x_step, in Ts. */
static inline __attribute__ ((always_inline)) void
F (subtract_some) (guint    n,
                   gsize    k,
                   const T *a,
                   gint64   a_step,
                   T        sign,
                   const T *x,
                   gint64   x_step,
                   T       *c,
                   gint64   column)
{
  F (Number) sums[SIDES];

  UNROLL for (guint j = 0; j < n; j++)
    sums[j] = F (load) (c + j * column, LANE);
  for (gsize p = 0; p < k; p++, a += a_step, x += x_step)
    {
      F (Number) factor = F (load) (a, LANE);

      if (PARTS == 2)
        factor.part[PARTS - 1] *= sign;
      UNROLL for (guint j = 0; j < n; j++)
        sums[j] = F (minus_product) (sums[j], factor, F (load) (x + j * column, LANE));
    }
  UNROLL for (guint j = 0; j < n; j++)
    F (store) (c + j * column, LANE, sums[j]);
}

/* The same for up to SIDES columns. */
static void
F (subtract) (gsize    n,
              gsize    k,
              const T *a,
              gint64   a_step,
              T        sign,
              const T *x,
              gint64   x_step,
              T       *c,
              gint64   column)
{
  if (n == SIDES)
    {
      F (subtract_some) (SIDES, k, a, a_step, sign, x, x_step, c, column);
      return;
    }
  for (; n >= 4; n -= 4, x += 4 * column, c += 4 * column)
    F (subtract_some) (4, k, a, a_step, sign, x, x_step, c, column);
  for (; n >= 2; n -= 2, x += 2 * column, c += 2 * column)
    F (subtract_some) (2, k, a, a_step, sign, x, x_step, c, column);
  if (n > 0)
    F (subtract_some) (1, k, a, a_step, sign, x, x_step, c, column);
}

/* Columns of lanes that are solved for by a lower triangle. Rows and columns are as many Ts apart as the fields say. */
typedef struct
{
  const T *a;
  gint64   a_row, a_column;
  T        sign;                /* of the imaginary parts of the triangle */
  const T *inverses;            /* of the diagonal, @inverse_step apart */
  gint64   inverse_step;
  guint    inverse_parts;       /* 1: they are real; 0: the diagonal is all ones */
  T       *x;
  gint64   row, column;
} F (Sides);

static inline F (Number)
F (load_signed) (const T *at,
                 T        sign)
{
  F (Number) x = F (load) (at, LANE);

  if (PARTS == 2)
    x.part[PARTS - 1] *= sign;

  return x;
}

/* Solves for @rows rows of @columns from row @k on, where those above are solved. Inlined for each size, so that sums
 * are in registers. Returns the sum of the products of the results and zero. */
static inline __attribute__ ((always_inline)) V
F (solve_tile) (guint    rows,
                guint    columns,
                gint64   k,
                F (Sides) s)
{
  const T *a = s.a + k * s.a_row, *x = s.x;
  T *c = s.x + k * s.row;
  F (Number) sums[SIDES];
  V products = { 0 };

  UNROLL for (guint i = 0; i < rows; i++)
    UNROLL for (guint j = 0; j < columns; j++)
      sums[i * columns + j] = F (load) (c + i * s.row + j * s.column, LANE);
  for (gint64 p = 0; p < k; p++, a += s.a_column, x += s.row)
    {
      F (Number) row[SIDES];

      UNROLL for (guint j = 0; j < columns; j++)
        row[j] = F (load) (x + j * s.column, LANE);
      UNROLL for (guint i = 0; i < rows; i++)
        {
          F (Number) factor = F (load_signed) (a + i * s.a_row, s.sign);

          UNROLL for (guint j = 0; j < columns; j++)
            sums[i * columns + j] = F (minus_product) (sums[i * columns + j], factor, row[j]);
        }
    }
  UNROLL for (guint p = 0; p < rows; p++, a += s.a_column)
    {
      const T *inverse = s.inverses + (k + p) * s.inverse_step;

      UNROLL for (guint j = 0; j < columns; j++)
        if (s.inverse_parts == 1)
          sums[p * columns + j] = F (times_real) (sums[p * columns + j], *(const V *) (gconstpointer) inverse);
        else if (s.inverse_parts == 2)
          sums[p * columns + j] = F (product) (F (load_signed) (inverse, s.sign), sums[p * columns + j]);
      UNROLL for (guint i = p + 1; i < rows; i++)
        {
          F (Number) factor = F (load_signed) (a + i * s.a_row, s.sign);

          UNROLL for (guint j = 0; j < columns; j++)
            sums[i * columns + j] = F (minus_product) (sums[i * columns + j], factor, sums[p * columns + j]);
        }
    }
  UNROLL for (guint i = 0; i < rows; i++)
    UNROLL for (guint j = 0; j < columns; j++)
      {
        F (store) (c + i * s.row + j * s.column, LANE, sums[i * columns + j]);
        UNROLL for (guint part = 0; part < PARTS; part++)
          products += sums[i * columns + j].part[part] * 0;
      }

  return products;
}

/* Solves for @columns columns of @n rows: the fewer columns, the more rows are summed at the same time. */
static inline __attribute__ ((always_inline)) V
F (solve_columns) (guint     columns,
                   gint64    n,
                   F (Sides) s)
{
  const guint most = SIDES / columns;
  V products = { 0 };
  gint64 k = 0;

  for (; most >= 8 && n - k >= 8; k += 8)
    products += F (solve_tile) (8, columns, k, s);
  for (; most >= 4 && n - k >= 4; k += 4)
    products += F (solve_tile) (4, columns, k, s);
  for (; most >= 2 && n - k >= 2; k += 2)
    products += F (solve_tile) (2, columns, k, s);
  for (; k < n; k++)
    products += F (solve_tile) (1, columns, k, s);

  return products;
}

#define COLUMNS(columns) \
  static V \
  F (solve_columns_##columns) (gint64           n, \
                               const F (Sides) *s) \
  { \
    return F (solve_columns) (columns, n, *s); \
  }

COLUMNS (1)
COLUMNS (2)
COLUMNS (4)
#if PARTS == 1
COLUMNS (8)
#endif
#undef COLUMNS

/* A few columns are solved for at a time, so that they stay in the L1 cache. */
static gboolean
F (solve_lanes) (const GhloCpuMatrixLanes *triangles,
                 gboolean                  unit,
                 gboolean                  conjugate,
                 const GhloCpuMatrixLanes *sides)
{
  const gint64 n = (gint64) triangles->n, diagonal = (triangles->row + triangles->column) * NUMBER;
  T *a = triangles->data, sum = 0;
  F (Sides) s = {
    .a = a, .a_row = triangles->row * NUMBER, .a_column = triangles->column * NUMBER, .sign = conjugate ? -1 : 1,
    .inverses = a, .inverse_step = diagonal, .inverse_parts = unit ? 0 : PARTS, .x = sides->data,
    .row = sides->row * NUMBER, .column = sides->column * NUMBER,
  };
  V products = { 0 };

  for (gint64 i = 0; i < n && !unit; i++)
    F (store) (a + i * diagonal, LANE, F (reciprocal) (F (load) (a + i * diagonal, LANE)));
  for (gsize left = sides->n, count; left > 0; left -= count, s.x += (gint64) count * s.column)
    {
      count = left >= SIDES ? SIDES : left >= 4 ? 4 : left >= 2 ? 2 : 1;
#if PARTS == 1
      if (count == SIDES)
        products += F (solve_columns_8) (n, &s);
      else
#endif
        products += (count == 4 ? F (solve_columns_4) : count == 2 ? F (solve_columns_2) : F (solve_columns_1)) (n, &s);
    }
  for (guint lane = 0; lane < LANE; lane++)
    sum += products[lane];

  return sum == 0;
}

/* Returns the reciprocal of the root of a pivot, and sets that. Adds NaN to @failed where the pivot is not positive or
 * not finite: either it or the reciprocal is not. */
static inline V
F (take_root) (V  pivot,
               V *root,
               V *failed)
{
  V inverse;

  *root = ROOTS (pivot);
  inverse = 1 / *root;
  *failed += pivot * 0;
  *failed += inverse * 0;

  return inverse;
}

static inline F (Number)
F (conjugate) (F (Number) x)
{
  if (PARTS == 2)
    x.part[PARTS - 1] = -x.part[PARTS - 1];

  return x;
}

/* Factors the square of @columns on the diagonal from row @k on, in registers. A reciprocal of a root is left in the
 * row below, which has no number of the factor there. */
static inline __attribute__ ((always_inline)) void
F (factor_square) (guint   columns,
                   gint64  n,
                   gint64  k,
                   T      *a,
                   gint64  row,
                   gint64  column,
                   V      *failed)
{
  T *c = a + k * (row + column);
  const T *x = a + k * column;
  F (Number) sums[4][4];

  UNROLL for (guint i = 0; i < columns; i++)
    UNROLL for (guint j = i; j < columns; j++)
      sums[i][j] = F (load) (c + i * row + j * column, LANE);
  for (gint64 p = 0; p < k; p++, x += row)
    {
      F (Number) terms[4];

      UNROLL for (guint j = 0; j < columns; j++)
        terms[j] = F (load) (x + j * column, LANE);
      UNROLL for (guint i = 0; i < columns; i++)
        UNROLL for (guint j = i; j < columns; j++)
          sums[i][j] = F (minus_product) (sums[i][j], F (conjugate) (terms[i]), terms[j]);
    }
  UNROLL for (guint p = 0; p < columns; p++)
    {
      V root, inverse = F (take_root) (sums[p][p].part[0], &root, failed);

      sums[p][p] = (F (Number)) { { root } };
      UNROLL for (guint j = p + 1; j < columns; j++)
        sums[p][j] = F (times_real) (sums[p][j], inverse);
      UNROLL for (guint i = p + 1; i < columns; i++)
        UNROLL for (guint j = i; j < columns; j++)
          sums[i][j] = F (minus_product) (sums[i][j], F (conjugate) (sums[p][i]), sums[p][j]);
      if (k + p + 1 < n)
        *(V *) (gpointer) (c + (p + 1) * row + p * column) = inverse;
      UNROLL for (guint j = p; j < columns; j++)
        F (store) (c + p * row + j * column, LANE, sums[p][j]);
    }
}

/* Whether any lane is not zero. */
static inline gboolean
F (is_any) (V lanes)
{
  BITS bits = lanes != 0;
  guint64 words[sizeof (V) / sizeof (guint64)], any = 0;

  memcpy (words, &bits, sizeof (words));
  UNROLL for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    any |= words[i];

  return any != 0;
}

/* Solves for the rows above the square of a few columns, and factors that. */
static void
F (factor_lanes) (const GhloCpuMatrixLanes *matrices)
{
  const gint64 n = (gint64) matrices->n, row = matrices->row * NUMBER, column = matrices->column * NUMBER;
  T *a = matrices->data;
  F (Sides) s = {
    .a = a, .a_row = column, .a_column = row, .sign = -1, .inverses = a + row, .inverse_step = row + column,
    .inverse_parts = 1, .row = row, .column = column,
  };
  V failed = { 0 };

  for (gint64 k = 0, count; k < n; k += count)
    {
      count = PARTS == 1 && n - k >= 4 ? 4 : n - k >= 2 ? 2 : 1;
      s.x = a + k * column;
      if (k > 0)
        (count == 4 ? F (solve_columns_4) : count == 2 ? F (solve_columns_2) : F (solve_columns_1)) (k, &s);
      if (count == 4)
        F (factor_square) (4, n, k, a, row, column, &failed);
      else if (count == 2)
        F (factor_square) (2, n, k, a, row, column, &failed);
      else
        F (factor_square) (1, n, k, a, row, column, &failed);
    }
  for (gint64 i = 0; i < n; i++)
    for (gint64 j = 0; j < i; j++)
      F (store) (a + i * row + j * column, LANE, (F (Number)) { { { 0 } } });
  if (!F (is_any) (failed))
    return;
  for (gint64 i = 0; i < n; i++)
    for (gint64 j = i; j < n; j++)
      for (V *at = (gpointer) (a + i * row + j * column), *end = at + PARTS; at < end; at++)
        *at -= failed;
}

/* The sum of the magnitudes of the parts, which LAPACK compares. */
static inline V
F (magnitude) (const T *at)
{
  const V *x = (gconstpointer) at;
  V sum = ABSOLUTE (x[0]);

  UNROLL for (guint part = 1; part < PARTS; part++)
    sum += ABSOLUTE (x[part]);

  return sum;
}

/* The row of the first number of the largest magnitude, from row @k of a column on. NaN is less than any other number
 * behind it, and greater in row k. */
static V
F (find_pivots) (const T *column,
                 gint64   row,
                 gint64   k,
                 gint64   rows)
{
  V i = (T) k - (V) { 0 }, pivots = i, largest = F (magnitude) (column + k * row);

  for (gint64 next = k + 1; next < rows; next++)
    {
      V magnitude = F (magnitude) (column + next * row);
      BITS is_larger = magnitude > largest;

      i += 1;
      largest = CHOOSE (is_larger, magnitude, largest);
      pivots = CHOOSE (is_larger, i, pivots);
    }

  return pivots;
}

/* Exchanges row @k of @n columns with each lane's own row. All rows below are passed over once, since to read and write
 * lanes one by one takes longer for matrices that are this small. */
static void
F (exchange_rows) (gint64  n,
                   T      *columns,
                   gint64  column,
                   gint64  row,
                   gint64  k,
                   gint64  rows,
                   V       pivots)
{
  for (; n > 0; n--, columns += column)
    {
      T *at = columns + k * row;
      F (Number) old = F (load) (at, LANE), found = old;
      V i = (T) k - (V) { 0 };

      for (gint64 next = k + 1; next < rows; next++)
        {
          F (Number) x = F (load) (columns + next * row, LANE);
          BITS is_pivot = pivots == (i += 1);

          UNROLL for (guint part = 0; part < PARTS; part++)
            {
              found.part[part] = CHOOSE (is_pivot, x.part[part], found.part[part]);
              x.part[part] = CHOOSE (is_pivot, old.part[part], x.part[part]);
            }
          F (store) (columns + next * row, LANE, x);
        }
      F (store) (at, LANE, found);
    }
}

/* Divides the numbers below the pivot in row @k of a column by it. The reciprocals of the smallest pivots would be
 * infinite, so these and what is divided by them are enlarged first. Below zero there is nothing but zeros, or NaN,
 * which remain. Returns the lanes where the pivot is zero. */
static BITS
F (divide_column) (T      *columns,
                   gint64  row,
                   gint64  k,
                   gint64  rows)
{
  T *at = columns + k * row;
  V magnitude = F (magnitude) (at), one = 1 - (V) { 0 };
  BITS is_zero = magnitude == 0;
  V enlarged = CHOOSE (magnitude < SMALLEST, (T) 0x1p64 - (V) { 0 }, one);
  F (Number) inverse = F (load) (at, LANE);

  inverse.part[0] = CHOOSE (is_zero, one, inverse.part[0]);
  inverse = F (reciprocal) (F (times_real) (inverse, enlarged));
  for (gint64 i = k + 1; i < rows; i++)
    {
      at = columns + i * row;
      F (store) (at, LANE, F (product) (inverse, F (times_real) (F (load) (at, LANE), enlarged)));
    }

  return is_zero;
}

/* Eliminates step @k from the @n columns behind the one of its pivots. */
static void
F (eliminate) (gint64  n,
               T      *columns,
               gint64  column,
               gint64  row,
               gint64  k,
               gint64  rows)
{
  for (gint64 j = 1; j <= n; j++)
    {
      T *c = columns + j * column;
      F (Number) factor = F (load) (c + k * row, LANE);

      for (gint64 i = k + 1; i < rows; i++)
        {
          T *at = c + i * row;

          F (store) (at, LANE, F (minus_product) (F (load) (at, LANE), F (load) (columns + i * row, LANE), factor));
        }
    }
}

/* A few columns are factored at a time, which stay in the L1 cache: all steps before are applied to them first. */
static void
F (factor_rows_lanes) (const GhloCpuMatrixLanes *matrices,
                       gsize                     n_rows,
                       gpointer                  pivots)
{
  const gint64 n = (gint64) matrices->n, row = matrices->row * NUMBER, column = matrices->column * NUMBER;
  const gint64 rows = (gint64) n_rows, steps = MIN (rows, n);
  T *a = matrices->data;
  V *pivot = pivots, *info = pivot + steps;

  *info = (V) { 0 };
  for (gint64 first = 0; first < n; first += SIDES)
    {
      const gint64 count = MIN (SIDES, n - first), known = MIN (first, steps), end = MIN (first + count, steps);
      T *c = a + first * column;

      for (gint64 k = 0; k < known; k++)
        F (exchange_rows) (count, c, column, row, k, rows, pivot[k]);
      for (gint64 i = 1; i < rows && known > 0; i++)
        F (subtract) ((gsize) count, (gsize) MIN (i, known), a + i * row, column, 1, c, row, c + i * row, column);
      for (gint64 k = known; k < end; k++)
        {
          T *at = a + k * column;
          BITS is_zero;

          pivot[k] = F (find_pivots) (at, row, k, rows);
          F (exchange_rows) (count, c, column, row, k, rows, pivot[k]);
          is_zero = F (divide_column) (at, row, k, rows);
          *info = CHOOSE (is_zero & (*info == 0), (T) (k + 1) - (V) { 0 }, *info);
          F (eliminate) (first + count - k - 1, at, column, row, k, rows);
        }
      for (gint64 j = 0; j < known; j++)
        for (gint64 k = known; k < end; k++)
          F (exchange_rows) (1, a + j * column, column, row, k, rows, pivot[k]);
    }
}

/* Where a tile reads and writes. Rows, terms and numbers are as many Ts apart as the fields say; parts of x and c are
 * WIDTH apart. */
typedef struct
{
  const T *a;                   /* the numbers of a term are @a_row apart, and terms @a_step */
  gint64   a_row, a_step;
  const T *inverses;            /* of the diagonal, @inverse_step apart */
  gint64   inverse_step;
  const T *x;
  gint64   x_row;
  const T *from;                /* what is subtracted from; may be c */
  gint64   from_row;
  T       *c;
  gint64   c_row;
} F (Tile);

static inline F (Number)
F (load_any) (const T *at)
{
  F (Number) x;

  UNROLL for (guint i = 0; i < PARTS; i++)
    x.part[i] = *(const F (AnyV) *) (gconstpointer) ((const F (AnyT) *) at + i * WIDTH);

  return x;
}

static inline void
F (store_any) (T          *at,
               F (Number)  x)
{
  UNROLL for (guint i = 0; i < PARTS; i++)
    *(F (AnyV) *) (gpointer) ((F (AnyT) *) at + i * WIDTH) = x.part[i];
}

/* Inlined into a function for each size, so that the sums are in registers. Returns the sum of the products of the
 * results and zero. */
static inline __attribute__ ((always_inline)) V
F (tile) (guint           rows,
          guint           vectors,
          GhloCpuTileEnd  end,
          gsize           k,
          F (Tile)        t)
{
  F (Number) sums[2 * ROWS][2];
  V products = { 0 };

  UNROLL for (guint i = 0; i < rows; i++)
    UNROLL for (guint j = 0; j < vectors; j++)
      sums[i][j] = F (load_any) (t.from + i * t.from_row + j * LANE);
  for (gsize p = 0; p < k; p++, t.a += t.a_step, t.x += t.x_row)
    {
      F (Number) row[2];

      UNROLL for (guint j = 0; j < vectors; j++)
        row[j] = F (load_any) (t.x + j * LANE);
      UNROLL for (guint i = 0; i < rows; i++)
        UNROLL for (guint j = 0; j < vectors; j++)
          sums[i][j] = F (minus_product) (sums[i][j], F (spread) (t.a + i * t.a_row), row[j]);
    }
  if (end != GHLO_CPU_TILE_SUBTRACTED)
    UNROLL for (guint p = 0; p < rows; p++, t.a += t.a_step)
      UNROLL for (guint j = 0; j < vectors; j++)
        {
          if (end == GHLO_CPU_TILE_SOLVED)
            sums[p][j] = F (product) (F (spread) (t.inverses + p * t.inverse_step), sums[p][j]);
          UNROLL for (guint i = p + 1; i < rows; i++)
            sums[i][j] = F (minus_product) (sums[i][j], F (spread) (t.a + i * t.a_row), sums[p][j]);
        }
  UNROLL for (guint i = 0; i < rows; i++)
    UNROLL for (guint j = 0; j < vectors; j++)
      {
        F (store_any) (t.c + i * t.c_row + j * LANE, sums[i][j]);
        UNROLL for (guint part = 0; part < PARTS; part++)
          products += sums[i][j].part[part] * 0;
      }

  return products;
}

#define SIZE(rows, vectors) \
  static void \
  F (tile_##rows##_##vectors) (GhloCpuTileEnd end, \
                               gsize          k, \
                               gconstpointer  a, \
                               gint64         a_step, \
                               gconstpointer  x, \
                               gpointer       c) \
  { \
    const T *bundle = a; \
    const F (Tile) t = { \
      .a = bundle, .a_row = PARTS, .a_step = a_step * PARTS, .inverses = bundle + (gint64) k * a_step * PARTS, \
      .inverse_step = (a_step + 1) * PARTS, .x = x, .x_row = PANEL, .from = c, .from_row = PANEL, .c = c, \
      .c_row = PANEL, \
    }; \
  \
    F (tile) (rows, vectors, end, k, t); \
  }

SIZE (1, 1)
SIZE (1, 2)
SIZE (2, 1)
SIZE (2, 2)
#if ROWS >= 4
SIZE (4, 1)
SIZE (4, 2)
#endif
#if ROWS >= 8
SIZE (8, 1)
SIZE (8, 2)
#endif
#undef SIZE

#if PARTS == 1
/* Solves for columns that @vectors registers hold, from @column on. Twice as many sums of one register are as many
 * registers, and wait less for each other. */
static inline __attribute__ ((always_inline)) V
F (solve_strip) (guint                       vectors,
                 const GhloCpuTriangleRows  *s,
                 gsize                       column)
{
  const gint64 n = (gint64) s->n;
  const GhloCpuTileEnd end = s->unit ? GHLO_CPU_TILE_SOLVED_UNIT : GHLO_CPU_TILE_SOLVED;
  F (Tile) t = {
    .a = s->a, .a_row = s->a_row, .a_step = s->a_column, .inverses = s->inverses, .inverse_step = 1,
    .x = (const T *) s->x + column, .x_row = s->x_row, .from = (const T *) s->b + column, .from_row = s->b_row,
    .c = (T *) s->x + column, .c_row = s->x_row,
  };
  V products = { 0 };

  for (gint64 i = 0, height; i < n; i += height)
    {
      height = vectors == 1 && n - i >= 2 * ROWS ? 2 * ROWS : n - i >= ROWS ? ROWS : n - i >= 2 ? 2 : 1;
      if (height == 2 * ROWS)
        products += F (tile) (2 * ROWS, 1, end, (gsize) i, t);
      else if (height == ROWS)
        products += F (tile) (ROWS, vectors, end, (gsize) i, t);
      else if (height == 2)
        products += F (tile) (2, vectors, end, (gsize) i, t);
      else
        products += F (tile) (1, vectors, end, (gsize) i, t);
      t.a += height * t.a_row;
      t.inverses += height;
      t.from += height * t.from_row;
      t.c += height * t.c_row;
    }

  return products;
}

/* The reciprocals of all diagonals, so that divisions are whole registers however small matrices are. */
static void
F (invert_diagonals) (const GhloCpuTriangleRows *s)
{
  const F (AnyT) *a = s->a;
  T *inverses = s->inverses;
  gsize count = 0;

  for (gint64 system = 0; system < (gint64) s->n_systems; system++)
    for (gint64 i = 0; i < (gint64) s->n; i++)
      inverses[count++] = a[system * s->a_system + i * (s->a_row + s->a_column)];
  for (gsize i = count; i % LANE != 0; i++)
    inverses[i] = 1;
  for (gsize i = 0; i < count; i += LANE)
    *(V *) (gpointer) (inverses + i) = 1 / *(V *) (gpointer) (inverses + i);
}

/* The last columns are solved for twice where they do not fill a strip. */
static inline V
F (solve_strips) (const GhloCpuTriangleRows *s)
{
  V products = { 0 };
  gsize column = 0;

  for (; s->columns - column >= WIDTH; column += WIDTH)
    products += F (solve_strip) (2, s, column);
  if (s->columns - column > LANE && s->columns >= WIDTH)
    return products + F (solve_strip) (2, s, s->columns - WIDTH);
  if (s->columns - column > LANE)
    products += F (solve_strip) (1, s, column);
  if (s->columns > column)
    products += F (solve_strip) (1, s, s->columns - LANE);

  return products;
}

static gboolean
F (solve_rows) (const GhloCpuTriangleRows *systems)
{
  GhloCpuTriangleRows s = *systems;
  V products = { 0 };
  T sum = 0;

  if (!s.unit)
    F (invert_diagonals) (&s);
  for (gint64 system = 0; system < (gint64) s.n_systems; system++)
    {
      s.a = (const F (AnyT) *) systems->a + system * s.a_system;
      s.b = (const F (AnyT) *) systems->b + system * s.b_system;
      s.x = (F (AnyT) *) systems->x + system * s.x_system;
      s.inverses = (T *) systems->inverses + system * (gint64) s.n;
      products += F (solve_strips) (&s);
    }
  for (guint lane = 0; lane < LANE; lane++)
    sum += products[lane];

  return sum == 0;
}
#endif

static gboolean
F (factor_tile) (guint    rows,
                 gsize    column,
                 gpointer tile)
{
  T *c = tile;

  for (guint i = 0; i < rows; i++)
    {
      T *row = c + i * PANEL, *pivot = row + column + i, root = SQRT (*pivot), inverse = 1 / root;

      if (!(*pivot > 0) || isinf (*pivot))
        return FALSE;
      for (guint j = 0; j < PANEL; j++)
        row[j] *= inverse;
      *pivot = root;
      if (PARTS == 2)
        pivot[WIDTH] = 0;
      for (guint r = i + 1; r < rows; r++)
        for (guint j = 0; j < 2; j++)
          {
            T factor[2] = { row[column + r], -row[(PARTS - 1) * WIDTH + column + r] };
            T *to = c + r * PANEL + j * LANE;

            F (store) (to, WIDTH, F (minus_product) (F (load) (to, WIDTH), F (spread) (factor),
                                                     F (load) (row + j * LANE, WIDTH)));
          }
    }

  return TRUE;
}

static void
F (bundle) (gsize         k,
            guint         rows,
            gconstpointer panel,
            gpointer      to)
{
  const T *from = panel;
  T *a = to;

  for (gsize p = 0; p < k; p++, a += ROWS * PARTS, from += PANEL)
    for (guint i = 0; i < rows; i++)
      {
        a[i * PARTS] = from[i];
        if (PARTS == 2)
          a[i * PARTS + 1] = -from[WIDTH + i];
      }
}

static void
F (invert) (guint    rows,
            gpointer bundle,
            gint64   step)
{
  T *a = bundle;

  for (guint i = 0; i < rows; i++, a += (step + 1) * PARTS)
    {
      F (Number) inverse = F (reciprocal) (F (spread) (a));

      for (guint part = 0; part < PARTS; part++)
        a[part] = inverse.part[part][0];
    }
}

static const GhloCpuTriangles F (triangles) = {
  .lanes = LANE, .rows = ROWS, .solve_lanes = F (solve_lanes), .factor_lanes = F (factor_lanes),
  .factor_rows_lanes = F (factor_rows_lanes),
  .tiles = {
    { F (tile_1_1), F (tile_1_2) }, { F (tile_2_1), F (tile_2_2) },
#if ROWS >= 4
    { F (tile_4_1), F (tile_4_2) },
#endif
#if ROWS >= 8
    { F (tile_8_1), F (tile_8_2) },
#endif
  },
  .factor_tile = F (factor_tile), .bundle = F (bundle), .invert = F (invert),
  .find_not_finite = F (find_not_finite),
};

#undef LANE
#undef NUMBER
#undef WIDTH
#undef PANEL
#undef SIDES
#undef BITS
#undef CHOOSE
#undef ABSOLUTE
#undef T
#undef V
#undef F
#undef F_
#undef PARTS
#undef ROWS
#undef SMALLEST
#undef SQRT
#undef ROOTS
