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
F (spread) (const T *at)
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
                   gsize    a_step,
                   T        sign,
                   const T *x,
                   gsize    x_step,
                   T       *c,
                   gsize    column)
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
              gsize    a_step,
              T        sign,
              const T *x,
              gsize    x_step,
              T       *c,
              gsize    column)
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

/* A few columns are solved for at a time, so that they stay in the L1 cache. */
static void
F (solve_lanes) (const GhloCpuMatrixLanes *triangles,
                 gboolean                  unit,
                 gboolean                  conjugate,
                 const GhloCpuMatrixLanes *sides)
{
  const gsize n = triangles->n, a_row = triangles->row * NUMBER, a_column = triangles->column * NUMBER;
  const gsize row = sides->row * NUMBER, column = sides->column * NUMBER;
  const T sign = conjugate ? -1 : 1;
  T *a = triangles->data;

  for (gsize i = 0; i < n && !unit; i++)
    {
      T *at = a + i * (a_row + a_column);

      F (store) (at, LANE, F (reciprocal) (F (load) (at, LANE)));
    }
  for (gsize first = 0; first < sides->n; first += SIDES)
    {
      const gsize count = MIN (SIDES, sides->n - first);
      T *x = (T *) sides->data + first * column, *c = x;

      for (gsize i = 0; i < n; i++, c += row)
        {
          F (Number) inverse = F (load) (a + i * (a_row + a_column), LANE);

          if (PARTS == 2)
            inverse.part[PARTS - 1] *= sign;
          F (subtract) (count, i, a + i * a_row, a_column, sign, x, row, c, column);
          for (gsize j = 0; j < count && !unit; j++)
            F (store) (c + j * column, LANE, F (product) (inverse, F (load) (c + j * column, LANE)));
        }
    }
}

/* Replaces a pivot by its root, and returns the reciprocal of that. Adds NaN to @failed where the pivot is not positive
 * or not finite: either it or the reciprocal is not. */
static V
F (take_root) (T *at,
               V *failed)
{
  F (Number) pivot = F (load) (at, LANE);
  V inverse;

  *failed += pivot.part[0] * 0;
  pivot.part[0] = ROOTS (pivot.part[0]);
  UNROLL for (guint part = 1; part < PARTS; part++)
    pivot.part[part] = (V) { 0 };
  F (store) (at, LANE, pivot);
  inverse = 1 / pivot.part[0];
  *failed += inverse * 0;

  return inverse;
}

static void
F (factor_lanes) (const GhloCpuMatrixLanes *matrices)
{
  const gsize n = matrices->n, row = matrices->row * NUMBER, column = matrices->column * NUMBER;
  T *a = matrices->data;
  V failed = { 0 };

  for (gsize first = 0; first < n; first += SIDES)
    for (gsize i = 0; i < MIN (first + SIDES, n); i++)
      {
        const gsize begin = MAX (first, i), count = MIN (first + SIDES, n) - begin;
        T *pivot = a + i * (row + column), *c = a + i * row + begin * column;
        V inverse;

        F (subtract) (count, i, a + i * column, row, -1, a + begin * column, row, c, column);
        if (i < first)
          inverse = 1 / *(const V *) (gconstpointer) pivot;
        else
          inverse = F (take_root) (pivot, &failed);
        for (gsize j = i < first ? 0 : 1; j < count; j++)
          F (store) (c + j * column, LANE, F (times_real) (F (load) (c + j * column, LANE), inverse));
      }
  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < n; j++)
      for (V *at = (gpointer) (a + i * row + j * column), *end = at + PARTS; at < end; at++)
        if (j < i)
          *at = (V) { 0 };
        else
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
                 gsize    row,
                 gsize    k,
                 gsize    rows)
{
  V i = (T) k - (V) { 0 }, pivots = i, largest = F (magnitude) (column + k * row);

  for (gsize next = k + 1; next < rows; next++)
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
F (exchange_rows) (gsize  n,
                   T     *columns,
                   gsize  column,
                   gsize  row,
                   gsize  k,
                   gsize  rows,
                   V      pivots)
{
  for (; n > 0; n--, columns += column)
    {
      T *at = columns + k * row;
      F (Number) old = F (load) (at, LANE), found = old;
      V i = (T) k - (V) { 0 };

      for (gsize next = k + 1; next < rows; next++)
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
F (divide_column) (T     *columns,
                   gsize  row,
                   gsize  k,
                   gsize  rows)
{
  T *at = columns + k * row;
  V magnitude = F (magnitude) (at), one = 1 - (V) { 0 };
  BITS is_zero = magnitude == 0;
  V enlarged = CHOOSE (magnitude < SMALLEST, (T) 0x1p64 - (V) { 0 }, one);
  F (Number) inverse = F (load) (at, LANE);

  inverse.part[0] = CHOOSE (is_zero, one, inverse.part[0]);
  inverse = F (reciprocal) (F (times_real) (inverse, enlarged));
  for (gsize i = k + 1; i < rows; i++)
    {
      at = columns + i * row;
      F (store) (at, LANE, F (product) (inverse, F (times_real) (F (load) (at, LANE), enlarged)));
    }

  return is_zero;
}

/* Eliminates step @k from the @n columns behind the one of its pivots. */
static void
F (eliminate) (gsize  n,
               T     *columns,
               gsize  column,
               gsize  row,
               gsize  k,
               gsize  rows)
{
  for (gsize j = 1; j <= n; j++)
    {
      T *c = columns + j * column;
      F (Number) factor = F (load) (c + k * row, LANE);

      for (gsize i = k + 1; i < rows; i++)
        {
          T *at = c + i * row;

          F (store) (at, LANE, F (minus_product) (F (load) (at, LANE), F (load) (columns + i * row, LANE), factor));
        }
    }
}

/* A few columns are factored at a time, which stay in the L1 cache: all steps before are applied to them first. */
static void
F (factor_rows_lanes) (const GhloCpuMatrixLanes *matrices,
                       gsize                     rows,
                       gpointer                  pivots)
{
  const gsize n = matrices->n, row = matrices->row * NUMBER, column = matrices->column * NUMBER;
  const gsize steps = MIN (rows, n);
  T *a = matrices->data;
  V *pivot = pivots, *info = pivot + steps;

  *info = (V) { 0 };
  for (gsize first = 0; first < n; first += SIDES)
    {
      const gsize count = MIN (SIDES, n - first), known = MIN (first, steps), end = MIN (first + count, steps);
      T *c = a + first * column;

      for (gsize k = 0; k < known; k++)
        F (exchange_rows) (count, c, column, row, k, rows, pivot[k]);
      for (gsize i = 1; i < rows && known > 0; i++)
        F (subtract) (count, MIN (i, known), a + i * row, column, 1, c, row, c + i * row, column);
      for (gsize k = known; k < end; k++)
        {
          T *at = a + k * column;
          BITS is_zero;

          pivot[k] = F (find_pivots) (at, row, k, rows);
          F (exchange_rows) (count, c, column, row, k, rows, pivot[k]);
          is_zero = F (divide_column) (at, row, k, rows);
          *info = CHOOSE (is_zero & (*info == 0), (T) (k + 1) - (V) { 0 }, *info);
          F (eliminate) (first + count - k - 1, at, column, row, k, rows);
        }
      for (gsize j = 0; j < known; j++)
        for (gsize k = known; k < end; k++)
          F (exchange_rows) (1, a + j * column, column, row, k, rows, pivot[k]);
    }
}

/* Inlined into a function for each size, so that the sums are in registers. */
static inline __attribute__ ((always_inline)) void
F (tile) (guint           rows,
          guint           vectors,
          GhloCpuTileEnd  end,
          gsize           k,
          const T        *a,
          gint64          a_step,
          const T        *x,
          T              *c)
{
  F (Number) sums[ROWS][2];

  UNROLL for (guint i = 0; i < rows; i++)
    UNROLL for (guint j = 0; j < vectors; j++)
      sums[i][j] = F (load) (c + i * PANEL + j * LANE, WIDTH);
  for (gsize p = 0; p < k; p++, a += a_step, x += PANEL)
    {
      F (Number) row[2];

      UNROLL for (guint j = 0; j < vectors; j++)
        row[j] = F (load) (x + j * LANE, WIDTH);
      UNROLL for (guint i = 0; i < rows; i++)
        UNROLL for (guint j = 0; j < vectors; j++)
          sums[i][j] = F (minus_product) (sums[i][j], F (spread) (a + i * PARTS), row[j]);
    }
  if (end != GHLO_CPU_TILE_SUBTRACTED)
    UNROLL for (guint p = 0; p < rows; p++, a += a_step)
      UNROLL for (guint j = 0; j < vectors; j++)
        {
          if (end == GHLO_CPU_TILE_SOLVED)
            sums[p][j] = F (product) (F (spread) (a + p * PARTS), sums[p][j]);
          UNROLL for (guint i = p + 1; i < rows; i++)
            sums[i][j] = F (minus_product) (sums[i][j], F (spread) (a + i * PARTS), sums[p][j]);
        }
  UNROLL for (guint i = 0; i < rows; i++)
    UNROLL for (guint j = 0; j < vectors; j++)
      F (store) (c + i * PANEL + j * LANE, WIDTH, sums[i][j]);
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
    F (tile) (rows, vectors, end, k, a, a_step * PARTS, x, c); \
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
