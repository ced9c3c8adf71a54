/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Matrix products of 8-byte numbers. The product in doubles is blocked for the
 * caches as in Goto and van de Geijn, "Anatomy of high-performance matrix
 * multiplication": panels of A and B are packed so that a small tile of C stays in
 * registers while k runs. The tile uses vector types; each lane owns one column and
 * sums in order.
 */

#include "reference/algebra/gemm.h"

#include "reference/scalar/numbers.h"

#include <string.h>

#define TILE_ROWS    6
#define TILE_COLUMNS 8
#define BLOCK_K      256
#define BLOCK_ROWS   96
#define BLOCK_COLUMNS 512
#define SMALL        4096       /* with fewer products than this, packing does not pay */
#define PRODUCTS_BETWEEN_CHECKS ((gsize) 1 << 23)

typedef double Columns __attribute__ ((vector_size (TILE_COLUMNS * sizeof (double)), aligned (8)));

typedef float  Narrow __attribute__ ((vector_size (TILE_COLUMNS * sizeof (float))));

typedef void (*TileFunc) (gsize         k,
                          const double *a,
                          const double *b,
                          double       *c);

#define ROUND(columns) __builtin_convertvector (__builtin_convertvector (columns, Narrow), Columns)

/* c[6][8] += a[k][6] * b[k][8], all packed. Rounding a product or a sum of two f32 numbers from double to
 * f32 gives the correctly rounded f32 result, since a double has more than twice the bits. */
static inline __attribute__ ((always_inline)) void
tile_body (gboolean      round_to_f32,
           gsize         k,
           const double *a,
           const double *b,
           double       *c)
{
  Columns sum[TILE_ROWS];

  for (guint r = 0; r < TILE_ROWS; r++)
    sum[r] = *(const Columns *) (c + r * TILE_COLUMNS);
  for (gsize i = 0; i < k; i++)
    {
      Columns columns = *(const Columns *) (b + i * TILE_COLUMNS);

#pragma GCC unroll 6
      for (guint r = 0; r < TILE_ROWS; r++)
        {
          Columns product = a[i * TILE_ROWS + r] * columns;

          sum[r] = round_to_f32 ? ROUND (sum[r] + ROUND (product)) : sum[r] + product;
        }
    }
  for (guint r = 0; r < TILE_ROWS; r++)
    *(Columns *) (c + r * TILE_COLUMNS) = sum[r];
}

#define DEFINE_TILES(NAME, ...) \
  __VA_ARGS__ static void \
  NAME (gsize k, const double *a, const double *b, double *c) \
  { \
    tile_body (FALSE, k, a, b, c); \
  } \
  __VA_ARGS__ static void \
  NAME##_f32 (gsize k, const double *a, const double *b, double *c) \
  { \
    tile_body (TRUE, k, a, b, c); \
  }

DEFINE_TILES (tile_portable)
#ifdef __x86_64__
DEFINE_TILES (tile_avx2, __attribute__ ((target ("avx2"))))
DEFINE_TILES (tile_avx512, __attribute__ ((target ("avx512f,avx512vl"))))
#endif

static TileFunc
choose_tile (gboolean round_to_f32)
{
#ifdef __x86_64__
  __builtin_cpu_init ();
  if (__builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512vl"))
    return round_to_f32 ? tile_avx512_f32 : tile_avx512;
  if (__builtin_cpu_supports ("avx2"))
    return round_to_f32 ? tile_avx2_f32 : tile_avx2;
#endif
  return round_to_f32 ? tile_portable_f32 : tile_portable;
}

/* Packs the rows of a [rows][k] matrix into panels of @width, [panel][k][width]. The last panel is padded
 * with zeros. */
static void
pack (const double *matrix,
      gsize         stride,
      gsize         rows,
      gsize         k,
      guint         width,
      double       *packed)
{
  for (gsize row = 0; row < rows; row += width, packed += k * width)
    for (guint r = 0; r < width; r++)
      {
        const double *from = matrix + (row + r) * stride;

        if (row + r < rows)
          for (gsize i = 0; i < k; i++)
            packed[i * width + r] = from[i];
        else
          for (gsize i = 0; i < k; i++)
            packed[i * width + r] = 0;
      }
}

/* Updates one tile, which may be cut off at the edge of C. The rows of C have stride @n. */
static void
update_tile (TileFunc      tile,
             gsize         k,
             const double *a,
             const double *b,
             double       *c,
             gsize         n,
             gsize         rows,
             gsize         columns)
{
  double local[TILE_ROWS * TILE_COLUMNS] = { 0 };

  for (gsize r = 0; r < rows; r++)
    memcpy (local + r * TILE_COLUMNS, c + r * n, columns * sizeof (double));
  tile (k, a, b, local);
  for (gsize r = 0; r < rows; r++)
    memcpy (c + r * n, local + r * TILE_COLUMNS, columns * sizeof (double));
}

static void
update_block (TileFunc      tile,
              gsize         rows,
              gsize         columns,
              gsize         k,
              const double *packed_a,
              const double *packed_b,
              double       *c,
              gsize         n)
{
  for (gsize j = 0; j < columns; j += TILE_COLUMNS)
    for (gsize i = 0; i < rows; i += TILE_ROWS)
      update_tile (tile, k, packed_a + i * k, packed_b + j * k, c + i * n + j, n,
                   MIN (TILE_ROWS, rows - i), MIN (TILE_COLUMNS, columns - j));
}

static gboolean
gemm_small (gboolean      round_to_f32,
            gsize         m,
            gsize         n,
            gsize         k,
            const double *a,
            const double *b,
            double       *c)
{
  for (gsize i = 0; i < m; i++)
    for (gsize j = 0; j < n; j++)
      {
        double sum = c[i * n + j];

        if (round_to_f32)
          for (gsize p = 0; p < k; p++)
            sum = (float) (sum + (float) (a[i * k + p] * b[j * k + p]));
        else
          for (gsize p = 0; p < k; p++)
            sum += a[i * k + p] * b[j * k + p];
        c[i * n + j] = sum;
      }
  return TRUE;
}

gboolean
ghlo_ref_gemm_double (GhloRefCall  *call,
                      gboolean      round_to_f32,
                      gsize         m,
                      gsize         n,
                      gsize         k,
                      const double *a,
                      const double *b,
                      double       *c,
                      GError      **error)
{
  g_autofree double *packed_a = NULL;
  g_autofree double *packed_b = NULL;
  TileFunc tile;

  if (m * n <= SMALL && m * n * k <= SMALL)
    return gemm_small (round_to_f32, m, n, k, a, b, c);

  packed_a = ghlo_ref_scratch (MIN (BLOCK_K, k) * (MIN (BLOCK_ROWS, m) + TILE_ROWS), sizeof (double), error);
  if (packed_a != NULL)
    packed_b = ghlo_ref_scratch (MIN (BLOCK_K, k) * (MIN (BLOCK_COLUMNS, n) + TILE_COLUMNS),
                                 sizeof (double), error);
  if (packed_b == NULL)
    return FALSE;

  tile = choose_tile (round_to_f32);
  for (gsize j = 0; j < n; j += BLOCK_COLUMNS)
    for (gsize p = 0; p < k; p += BLOCK_K)
      {
        gsize columns = MIN (BLOCK_COLUMNS, n - j);
        gsize depth = MIN (BLOCK_K, k - p);

        pack (b + j * k + p, k, columns, depth, TILE_COLUMNS, packed_b);
        for (gsize i = 0; i < m; i += BLOCK_ROWS)
          {
            gsize rows = MIN (BLOCK_ROWS, m - i);

            pack (a + i * k + p, k, rows, depth, TILE_ROWS, packed_a);
            update_block (tile, rows, columns, depth, packed_a, packed_b, c + i * n + j, n);
            if (!ghlo_ref_continue (call, error))
              return FALSE;
          }
      }
  return TRUE;
}

/* The two slower products share this loop: one row of A against four rows of B, which have @stride. */
#define DEFINE_GEMM(NAME, NUMBER, SUM, PRODUCT) \
  static void \
  NAME (gsize n, gsize k, gsize stride, const NUMBER *a, const NUMBER *b, SUM sign, SUM *c) \
  { \
    gsize j = 0; \
    for (; j + 4 <= n; j += 4, b += 4 * stride) \
      { \
        SUM s0 = c[j], s1 = c[j + 1], s2 = c[j + 2], s3 = c[j + 3]; \
        for (gsize p = 0; p < k; p++) \
          { \
            SUM x = sign * (SUM) a[p]; \
            s0 += PRODUCT (x, b[p]); \
            s1 += PRODUCT (x, b[stride + p]); \
            s2 += PRODUCT (x, b[2 * stride + p]); \
            s3 += PRODUCT (x, b[3 * stride + p]); \
          } \
        c[j] = s0; c[j + 1] = s1; c[j + 2] = s2; c[j + 3] = s3; \
      } \
    for (; j < n; j++, b += stride) \
      for (gsize p = 0; p < k; p++) \
        c[j] += PRODUCT (sign * (SUM) a[p], b[p]); \
  }
#define TIMES(x, y) ((x) * (y))

/* Calls @row for pieces of one row of C and of the sums, and checks between them whether to stop. */
#define ROW_IN_PIECES(row, a, b, sign, c) \
  for (gsize p = 0, depth; p < k; p += depth) \
    { \
      depth = MIN (k - p, PRODUCTS_BETWEEN_CHECKS); \
      for (gsize j = 0, columns; j < n; j += columns) \
        { \
          columns = MIN (n - j, PRODUCTS_BETWEEN_CHECKS / depth); \
          row (columns, depth, k, (a) + p, (b) + j * k + p, sign, (c) + j); \
          if (!ghlo_ref_work (call, columns * depth, error)) \
            return FALSE; \
        } \
    }

DEFINE_GEMM (row_long, double, long double, TIMES)
DEFINE_GEMM (row_int, guint64, guint64, TIMES)

gboolean
ghlo_ref_gemm_long (GhloRefCall  *call,
                    gsize         m,
                    gsize         n,
                    gsize         k,
                    const double *a,
                    const double *b,
                    long double   sign,
                    long double  *c,
                    GError      **error)
{
  for (gsize i = 0; i < m; i++)
    ROW_IN_PIECES (row_long, a + i * k, b, sign, c + i * n)
  return TRUE;
}

static inline double
round_if (gboolean round_to_f32,
          double   number)
{
  return round_to_f32 ? (float) number : number;
}

/* Accumulates one element of C in @re and @im. */
static inline __attribute__ ((always_inline)) void
complex_element (gboolean      r,
                 gsize         k,
                 const double *a_re,
                 const double *a_im,
                 const double *b_re,
                 const double *b_im,
                 double       *re,
                 double       *im)
{
  for (gsize p = 0; p < k; p++)
    {
      double x = round_if (r, round_if (r, a_re[p] * b_re[p]) - round_if (r, a_im[p] * b_im[p]));
      double y = round_if (r, round_if (r, a_re[p] * b_im[p]) + round_if (r, a_im[p] * b_re[p]));

      *re = round_if (r, *re + x);
      *im = round_if (r, *im + y);
    }
}

gboolean
ghlo_ref_gemm_complex (GhloRefCall    *call,
                       gboolean        round_to_f32,
                       gsize           m,
                       gsize           n,
                       gsize           k,
                       gpointer const *a,
                       gpointer const *b,
                       gpointer const *c,
                       GError        **error)
{
  for (gsize i = 0; i < m; i++)
    for (gsize j = 0; j < n; j++)
      for (gsize p = 0, depth; p < k; p += depth)
        {
          depth = MIN (k - p, PRODUCTS_BETWEEN_CHECKS / 4);
          complex_element (round_to_f32, depth, (const double *) a[0] + i * k + p, (const double *) a[1] + i * k + p,
                           (const double *) b[0] + j * k + p, (const double *) b[1] + j * k + p,
                           (double *) c[0] + i * n + j, (double *) c[1] + i * n + j);
          if (!ghlo_ref_work (call, depth, error))
            return FALSE;
        }
  return TRUE;
}

gboolean
ghlo_ref_gemm_int (GhloRefCall   *call,
                   gsize          m,
                   gsize          n,
                   gsize          k,
                   const guint64 *a,
                   const guint64 *b,
                   guint64       *c,
                   GError       **error)
{
  for (gsize i = 0; i < m; i++)
    ROW_IN_PIECES (row_int, a + i * k, b, 1, c + i * n)
  return TRUE;
}
