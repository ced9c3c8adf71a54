/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sorting of unsigned numbers of 32 and 64 bits, and ranks of elements. Columns side by side are sorted by Batcher's
 * merge exchange sort (Knuth, "The Art of Computer Programming", volume 3, algorithm 5.2.2M). Which rows it compares
 * does not depend on the numbers, so that a register holds one row of several columns. A block of adjacent numbers is
 * sorted as columns, which bitonic merges then join. More numbers are partitioned first. Compiled for each level.
 *
 * Numbers of 64 bits whose upper bits are 0, such as ranks of 32 bits with places, are sorted as positive
 * floating-point numbers, which have the order of their bits, and whose minimum is an instruction.
 */

#include "cpu/isa/routines-private.h"

#include <string.h>

enum { COLUMNS = GHLO_CPU_SORT_COLUMNS, MAX_ROWS = GHLO_CPU_SORT_BLOCK / COLUMNS };

/* The most rows that are sorted in registers; there are registers for twice as many. */
#if VECTOR_BYTES == 64
enum { FEW = 16 };
#else
enum { FEW = 8 };
#endif

/* The place of each 32 bits of a register. */
#if VECTOR_BYTES == 64
#define PLACES (VU32) { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 }
#elif VECTOR_BYTES == 32
#define PLACES (VU32) { 0, 1, 2, 3, 4, 5, 6, 7 }
#else
#define PLACES (VU32) { 0, 1, 2, 3 }
#endif

/* Puts the smaller of each two numbers into @a and the larger into @b. */
static inline void
exchange_32 (VU32 *a,
             VU32 *b)
{
#if defined (__AVX512F__)
  __m512i low = _mm512_min_epu32 ((__m512i) *a, (__m512i) *b);

  *b = (VU32) _mm512_max_epu32 ((__m512i) *a, (__m512i) *b);
  *a = (VU32) low;
#elif defined (__AVX2__)
  __m256i low = _mm256_min_epu32 ((__m256i) *a, (__m256i) *b);

  *b = (VU32) _mm256_max_epu32 ((__m256i) *a, (__m256i) *b);
  *a = (VU32) low;
#else
  VU32 swap = (VU32) (*a > *b) & (*a ^ *b);

  *a ^= swap;
  *b ^= swap;
#endif
}

#if !defined (__AVX512F__)
/* The same as <. SSE2 compares only 32 bits, so that compilers would compare outside of registers. */
static inline VU64
less_64 (VU64 a,
         VU64 b)
{
#if VECTOR_BYTES == 16 && defined (__SSE2__)
  VU32 less = (VU32) ((VU32) a < (VU32) b), equal = (VU32) ((VU32) a == (VU32) b);
  VU32 high = less | (equal & __builtin_shufflevector (less, less, 0, 0, 2, 2));

  return (VU64) __builtin_shufflevector (high, high, 1, 1, 3, 3);
#else
  return (VU64) (a < b);
#endif
}
#endif

static inline void
exchange_64 (VU64 *a,
             VU64 *b)
{
#if defined (__AVX512F__)
  __m512i low = _mm512_min_epu64 ((__m512i) *a, (__m512i) *b);

  *b = (VU64) _mm512_max_epu64 ((__m512i) *a, (__m512i) *b);
  *a = (VU64) low;
#else
  VU64 swap = less_64 (*b, *a) & (*a ^ *b);

  *a ^= swap;
  *b ^= swap;
#endif
}

/* What is behind all numbers, or equal to the last ones. */
#define GREATEST_32 G_MAXUINT32
#define GREATEST_64 G_MAXUINT64

#if defined (__SSE2__) && !defined (__AVX512F__)
/* Numbers of that many bits become positive numbers by this bit, neither subnormal nor infinite. */
enum { REAL_BITS = 61 };
#define REAL_BIT      ((guint64) 1 << 62)
#define GREATEST_real G_GUINT64_CONSTANT (0x7FEFFFFFFFFFFFFF)

static inline void
exchange_real (VU64 *a,
               VU64 *b)
{
#if defined (__AVX2__)
  const __m256d low = _mm256_min_pd ((__m256d) *a, (__m256d) *b);

  *b = (VU64) _mm256_max_pd ((__m256d) *a, (__m256d) *b);
#else
  const __m128d low = _mm_min_pd ((__m128d) *a, (__m128d) *b);

  *b = (VU64) _mm_max_pd ((__m128d) *a, (__m128d) *b);
#endif
  *a = (VU64) low;
}
#endif

static inline VU32
permute (VU32 v,
         VU32 index)
{
#if defined (__AVX512F__)
  return (VU32) _mm512_permutexvar_epi32 ((__m512i) index, (__m512i) v);
#elif defined (__AVX2__)
  return (VU32) _mm256_permutevar8x32_epi32 ((__m256i) v, (__m256i) index);
#else
  return (VU32) { v[index[0] & 3], v[index[1] & 3], v[index[2] & 3], v[index[3] & 3] };
#endif
}

/* Partitions registers of eight parts: numbers, or halves of them. */
#if defined (__AVX2__)
typedef guint32 Parts_32 __attribute__ ((vector_size (32), may_alias));
typedef guint32 Parts_32_any __attribute__ ((vector_size (32), aligned (1), may_alias));
typedef VU64     Parts_64;
typedef VU64_any Parts_64_any;

/* For each mask, the places of its ones. Permuting by them is faster than an instruction that does both. */
static guint8 places[256][8];

static inline Parts_32
pick_32 (Parts_32 v,
         guint    mask)
{
  __m256i index = _mm256_cvtepu8_epi32 (_mm_loadl_epi64 ((const __m128i_u *) places[mask]));

  return (Parts_32) _mm256_permutevar8x32_epi32 ((__m256i) v, index);
}

#define mask_32(a, b) (guint) _mm256_movemask_ps ((__m256) ((a) < (b)))

#if defined (__AVX512F__)
static inline VU64
pick_64 (VU64  v,
         guint mask)
{
  __m512i index = _mm512_cvtepu8_epi64 (_mm_loadl_epi64 ((const __m128i_u *) places[mask]));

  return (VU64) _mm512_permutexvar_epi64 (index, (__m512i) v);
}

#define mask_64(a, b) (guint) _mm512_cmplt_epu64_mask ((__m512i) (a), (__m512i) (b))
#else
#define pick_64(v, mask) (VU64) pick_32 ((Parts_32) (v), mask)
#define mask_64(a, b) (guint) _mm256_movemask_ps ((__m256) ((a) < (b)))
#endif

#define PARTITION_VECTORS(BITS, T) \
  enum { STEP = sizeof (Parts_##BITS) / sizeof (T) }; \
  Parts_##BITS limit; \
  \
  for (guint j = 0; j < STEP; j++) \
    ((T *) &limit)[j] = pivot; \
  for (; i + STEP <= n; i += STEP) \
    { \
      Parts_##BITS numbers = *(const Parts_##BITS##_any *) (from + i); \
      guint mask = mask_##BITS (numbers, limit); \
      \
      *(Parts_##BITS##_any *) (low + below) = pick_##BITS (numbers, mask); \
      *(Parts_##BITS##_any *) (high + i - below) = pick_##BITS (numbers, mask ^ 255); \
      below += (gsize) __builtin_popcount (mask) / (8 / STEP); \
    }
#else
#define PARTITION_VECTORS(BITS, T)
#endif

/* cross: each number of a row becomes the smaller, or in the upper one of columns c and c ^ x the larger, of itself and
 * the number of @other in the other of these columns. */
#define DEFINE_SORT(BITS, T, V) \
  static inline void \
  exchange_rows_##BITS (T *upper, \
                        T *lower) \
  { \
    UNROLL for (guint j = 0; j < COLUMNS; j += LANES (T)) \
      exchange_##BITS ((gpointer) (upper + j), (gpointer) (lower + j)); \
  } \
  \
  /* Exchanges registers i and i + @d where bit @p of i is that of @r. */ \
  static inline __attribute__ ((always_inline)) void \
  exchange_few_##BITS (V    *v, \
                       guint n, \
                       guint p, \
                       guint r, \
                       guint d) \
  { \
    UNROLL for (guint i = 0; i < n; i++) \
      if (i + d < n && (i & p) == r) \
        exchange_##BITS (&v[i], &v[i + d]); \
  } \
  \
  /* Sorts @n registers: a power of two, at most FEW, known when this is compiled. */ \
  static inline __attribute__ ((always_inline)) void \
  sort_few_##BITS (V    *v, \
                   guint n) \
  { \
    exchange_few_##BITS (v, n, 8, 0, 8); \
    exchange_few_##BITS (v, n, 4, 0, 4); \
    exchange_few_##BITS (v, n, 4, 4, 4); \
    exchange_few_##BITS (v, n, 2, 0, 2); \
    exchange_few_##BITS (v, n, 2, 2, 6); \
    exchange_few_##BITS (v, n, 2, 2, 2); \
    exchange_few_##BITS (v, n, 1, 0, 1); \
    exchange_few_##BITS (v, n, 1, 1, 7); \
    exchange_few_##BITS (v, n, 1, 1, 3); \
    exchange_few_##BITS (v, n, 1, 1, 1); \
  } \
  \
  /* Sorts registers that are bitonic. */ \
  static inline __attribute__ ((always_inline)) void \
  join_few_##BITS (V    *v, \
                   guint n) \
  { \
    UNROLL for (guint d = FEW / 2; d > 0; d /= 2) \
      exchange_few_##BITS (v, n, d, 0, d); \
  } \
  \
  /* Loads @count rows, and the greatest numbers behind them. */ \
  static inline __attribute__ ((always_inline)) void \
  load_few_##BITS (V       *v, \
                   guint    n, \
                   const T *row, \
                   gsize    count, \
                   gsize    width) \
  { \
    UNROLL for (guint i = 0; i < n; i++) \
      v[i] = i < count ? *(const V *) (gconstpointer) (row + i * width) : (V) ((V) { 0 } + GREATEST_##BITS); \
  } \
  \
  static inline __attribute__ ((always_inline)) void \
  order_few_##BITS (T       *row, \
                    guint    n, \
                    gsize    count, \
                    gsize    width, \
                    gboolean bitonic) \
  { \
    for (guint column = 0; column < COLUMNS; column += LANES (T)) \
      { \
        V v[FEW]; \
  \
        load_few_##BITS (v, n, row + column, count, width); \
        if (bitonic) \
          join_few_##BITS (v, n); \
        else \
          sort_few_##BITS (v, n); \
        UNROLL for (guint i = 0; i < n; i++) \
          if (i < count) \
            *(V *) (gpointer) (row + i * width + column) = v[i]; \
      } \
  } \
  \
  /* Sorts at most FEW rows; @bitonic if they are the first ones of bitonic columns that greatest numbers end. */ \
  static __attribute__ ((noinline)) void \
  order_rows_##BITS (T       *row, \
                     gsize    n, \
                     gsize    width, \
                     gboolean bitonic) \
  { \
    if (n > 8) \
      bitonic ? order_few_##BITS (row, FEW, n, width, TRUE) : order_few_##BITS (row, FEW, n, width, FALSE); \
    else if (n > 4) \
      bitonic ? order_few_##BITS (row, 8, n, width, TRUE) : order_few_##BITS (row, 8, n, width, FALSE); \
    else if (n > 2) \
      order_few_##BITS (row, 4, n, width, FALSE); \
    else if (n > 1) \
      order_few_##BITS (row, 2, n, width, FALSE); \
  } \
  \
  /* Sorts the first @n rows of bitonic columns of @most, a power of two, whose halves are bitonic after an exchange. \
   * The others are as if they held the greatest numbers. */ \
  static __attribute__ ((noinline)) void \
  join_rows_##BITS (T    *row, \
                    gsize n, \
                    gsize most, \
                    gsize width) \
  { \
    for (gsize d = most / 2; d >= FEW; d /= 2) \
      for (gsize block = 0; block + d < n; block += 2 * d) \
        for (gsize i = block; i < MIN (block + d, n - d); i++) \
          exchange_rows_##BITS (row + i * width, row + (i + d) * width); \
    for (gsize i = 0; i < n; i += FEW) \
      order_rows_##BITS (row + i * width, MIN (FEW, n - i), width, TRUE); \
  } \
  \
  /* Sorts COLUMNS columns of @n rows, @width numbers from one row to the next. */ \
  static __attribute__ ((noinline)) void \
  sort_rows_##BITS (T    *row, \
                    gsize n, \
                    gsize width) \
  { \
    for (gsize i = 0; i < n; i += FEW) \
      order_rows_##BITS (row + i * width, MIN (FEW, n - i), width, FALSE); \
    for (gsize half = FEW; half < n; half *= 2) \
      for (gsize begin = 0; begin + half < n; begin += 2 * half) \
        { \
          T *first = row + begin * width, *second = first + half * width; \
          gsize count = MIN (half, n - begin - half); \
  \
          for (gsize i = 0; i < count; i++) \
            exchange_rows_##BITS (first + (half - 1 - i) * width, second + i * width); \
          join_rows_##BITS (first, half, half, width); \
          join_rows_##BITS (second, count, half, width); \
        } \
  } \
  \
  static void \
  sort_columns_##BITS (gpointer rows, \
                       gsize    n, \
                       gsize    width) \
  { \
    for (gsize column = 0; column < width; column += COLUMNS) \
      sort_rows_##BITS ((T *) rows + column, n, width); \
  } \
  \
  /* Moves the least @most rows to the front, sorted. Those found so far stay in registers. */ \
  static inline __attribute__ ((always_inline)) void \
  select_few_##BITS (T    *row, \
                     gsize n, \
                     gsize width, \
                     guint most) \
  { \
    for (guint column = 0; column < COLUMNS; column += LANES (T)) \
      { \
        V least[FEW], next[FEW]; \
  \
        load_few_##BITS (least, most, row + column, n, width); \
        sort_few_##BITS (least, most); \
        for (gsize begin = most; begin < n; begin += most) \
          { \
            const T *from = row + begin * width + column; \
  \
            if (n - begin >= most) \
              load_few_##BITS (next, most, from, most, width); \
            else \
              load_few_##BITS (next, most, from, n - begin, width); \
            sort_few_##BITS (next, most); \
            UNROLL for (guint i = 0; i < most; i++) \
              exchange_##BITS (&least[i], &next[most - 1 - i]); \
            join_few_##BITS (least, most); \
          } \
        UNROLL for (guint i = 0; i < most; i++) \
          if (i < n) \
            *(V *) (gpointer) (row + i * width + column) = least[i]; \
      } \
  } \
  \
  static void \
  select_many_##BITS (T    *row, \
                      gsize n, \
                      gsize width, \
                      gsize most) \
  { \
    sort_rows_##BITS (row, MIN (most, n), width); \
    for (gsize begin = most; begin < n; begin += most) \
      { \
        gsize count = MIN (most, n - begin); \
  \
        sort_rows_##BITS (row + begin * width, count, width); \
        for (gsize i = 0; i < count; i++) \
          exchange_rows_##BITS (row + (most - 1 - i) * width, row + (begin + i) * width); \
        join_rows_##BITS (row, most, most, width); \
      } \
  } \
  \
  static void \
  select_columns_##BITS (gpointer rows, \
                         gsize    n, \
                         gsize    width, \
                         gsize    k) \
  { \
    for (T *row = rows, *end = row + width; row < end; row += COLUMNS) \
      if (k == 1) \
        select_few_##BITS (row, n, width, 1); \
      else if (k == 2) \
        select_few_##BITS (row, n, width, 2); \
      else if (k <= 4) \
        select_few_##BITS (row, n, width, 4); \
      else if (k <= 8) \
        select_few_##BITS (row, n, width, 8); \
      else if (k <= FEW) \
        select_few_##BITS (row, n, width, FEW); \
      else \
        select_many_##BITS (row, n, width, (gsize) 1 << g_bit_storage (k - 1)); \
  } \
  \
  static inline __attribute__ ((always_inline)) void \
  cross_##BITS (const V *own, \
                const V *other, \
                guint    x, \
                V       *result) \
  { \
    const guint size = sizeof (T) / 4, top = 1u << (g_bit_storage (x) - 1); \
    const VU32 index = PLACES ^ (guint32) (x % LANES (T) * size); \
    \
    UNROLL for (guint i = 0; i < COLUMNS / LANES (T); i++) \
      { \
        const VU32 upper = (VU32) (((PLACES / size + (guint32) (i * LANES (T))) & top) != 0); \
        V low = own[i], high = (V) permute ((VU32) other[i ^ x / LANES (T)], index); \
        \
        exchange_##BITS (&low, &high); \
        result[i] = (V) (((VU32) low & ~upper) | ((VU32) high & upper)); \
      } \
  } \
  \
  /* Joins pairs of sorted groups of @side / 2 columns, up to the order of the rows of a column. */ \
  static inline __attribute__ ((always_inline)) void \
  cross_rows_##BITS (T   (*row)[COLUMNS], \
                     gsize n_rows, \
                     guint side) \
  { \
    enum { REGISTERS = COLUMNS / LANES (T) }; \
    \
    for (gsize r = 0; r < (n_rows + 1) / 2; r++) \
      { \
        V *a = (gpointer) row[r], *b = (gpointer) row[n_rows - 1 - r], first[REGISTERS], last[REGISTERS]; \
        \
        cross_##BITS (a, b, side - 1, first); \
        cross_##BITS (b, a, side - 1, last); \
        UNROLL for (guint x = side / 4; x > 0; x /= 2) \
          { \
            V next[REGISTERS]; \
            \
            cross_##BITS (first, first, x, next); \
            memcpy (first, next, sizeof (next)); \
            cross_##BITS (last, last, x, next); \
            memcpy (last, next, sizeof (next)); \
          } \
        memcpy (a, first, sizeof (first)); \
        memcpy (b, last, sizeof (last)); \
      } \
  } \
  \
  static void \
  sort_block_##BITS (gpointer numbers, \
                     gsize    n) \
  { \
    T rows[MAX_ROWS][COLUMNS] __attribute__ ((aligned (64))), sorted[MAX_ROWS * COLUMNS]; \
    gsize n_rows = 1; \
    \
    while (n_rows < MAX_ROWS && n_rows * COLUMNS < n) \
      n_rows *= 2; \
    memcpy (rows, numbers, n * sizeof (T)); \
    for (gsize i = n; i < n_rows * COLUMNS; i++) \
      ((T *) rows)[i] = GREATEST_##BITS; \
    sort_rows_##BITS (rows[0], n_rows, COLUMNS); \
    UNROLL for (guint side = 2; side <= COLUMNS; side *= 2) \
      { \
        cross_rows_##BITS (rows, n_rows, side); \
        join_rows_##BITS (rows[0], n_rows, n_rows, COLUMNS); \
      } \
    if (n_rows == 1) \
      { \
        memcpy (numbers, rows, n * sizeof (T)); \
        return; \
      } \
    NAME (transposes)[__builtin_ctz (sizeof (T))] ((guint8 *) rows, sizeof (T), sizeof (rows[0]), (guint8 *) sorted, \
                                                   (gint64) (n_rows * sizeof (T)), sizeof (T), COLUMNS, n_rows); \
    memcpy (numbers, sorted, n * sizeof (T)); \
  }

DEFINE_SORT (32, guint32, VU32)
DEFINE_SORT (64, guint64, VU64)
#if defined (REAL_BIT)
DEFINE_SORT (real, guint64, VU64)

/* Makes numbers that sort quicker as floating-point numbers such numbers. There are @n of them; each is compared with
 * others in @steps steps or more, which must be enough to be worth that. */
static gboolean
make_reals (guint64 *numbers,
            gsize    n,
            gsize    steps)
{
  enum { MIN_STEPS = 4 };
  guint64 all = 0;

  if (steps < MIN_STEPS || numbers[0] >> REAL_BITS != 0)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    all |= numbers[i];
  if (all >> REAL_BITS != 0)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    numbers[i] |= REAL_BIT;

  return TRUE;
}

static void
unmake_reals (guint64 *numbers,
              gsize    n)
{
  for (gsize i = 0; i < n; i++)
    numbers[i] ^= REAL_BIT;
}

static void
sort_wide_columns (gpointer rows,
                   gsize    n,
                   gsize    width)
{
  if (make_reals (rows, n * width, g_bit_storage (n)))
    {
      sort_columns_real (rows, n, width);
      unmake_reals (rows, n * width);
    }
  else
    sort_columns_64 (rows, n, width);
}

static void
select_wide_columns (gpointer rows,
                     gsize    n,
                     gsize    width,
                     gsize    k)
{
  if (make_reals (rows, n * width, g_bit_storage (k)))
    {
      select_columns_real (rows, n, width, k);
      unmake_reals (rows, k * width);
    }
  else
    select_columns_64 (rows, n, width, k);
}

static void
sort_wide_block (gpointer numbers,
                 gsize    n)
{
  if (make_reals (numbers, n, g_bit_storage (n / COLUMNS)))
    {
      sort_block_real (numbers, n);
      unmake_reals (numbers, n);
    }
  else
    sort_block_64 (numbers, n);
}
#else
#define sort_wide_columns   sort_columns_64
#define select_wide_columns select_columns_64
#define sort_wide_block     sort_block_64
#endif

#define DEFINE_PARTITION(BITS, T) \
  static gsize \
  partition_##BITS (gconstpointer numbers_data, \
                    gsize         n, \
                    gconstpointer pivot_data, \
                    gpointer      low_data, \
                    gpointer      high_data) \
  { \
    const T *from = numbers_data, pivot = *(const T *) pivot_data; \
    T *low = low_data, *high = high_data; \
    gsize i = 0, below = 0; \
    PARTITION_VECTORS (BITS, T) \
    for (; i < n; i++) \
      { \
        T number = from[i]; \
        \
        low[below] = number; \
        high[i - below] = number; \
        below += number < pivot; \
      } \
    return below; \
  }

DEFINE_PARTITION (32, guint32)
DEFINE_PARTITION (64, guint64)

/* Puts the ranks of elements of BITS bits into numbers of type T, or below what these hold. */
#define DEFINE_RANK(BITS, SIZE, T) \
  static guint \
  rank_##BITS##_##T (const GhloCpuRank *self, \
                     const guint8      *from, \
                     gsize              n, \
                     gboolean           append, \
                     gpointer           numbers) \
  { \
    const guint##BITS sign = (guint##BITS) ((guint##BITS) 1 << (BITS - 1)), positive = (guint##BITS) self->positive; \
    const guint##BITS infinity = (guint##BITS) self->infinity, nan = (guint##BITS) self->nan; \
    const guint##BITS zero = (guint##BITS) self->zero, change = positive ^ (guint##BITS) self->negative; \
    const Unit##SIZE *elements = (gconstpointer) from; \
    guint##BITS zeros = 0, nans = 0; \
    T *to = numbers; \
    \
    if (!append && zero == 0 && infinity >= (guint##BITS) ~sign) \
      { \
        for (gsize i = 0; i < n; i++) \
          to[i] = (guint##BITS) (positive ^ elements[i] ^ (elements[i] & sign ? change : 0)); \
        return 0; \
      } \
    for (gsize i = 0; i < n; i++) \
      { \
        guint##BITS bits = elements[i], is_zero = bits == sign ? zero : 0, rank; \
        guint##BITS is_nan = (guint##BITS) (bits & ~sign) > infinity ? (guint##BITS) ~(guint##BITS) 0 : 0; \
        \
        bits ^= is_zero; \
        rank = positive ^ bits ^ (bits & sign ? change : 0); \
        rank = (guint##BITS) ((rank & ~is_nan) | (nan & is_nan)); \
        zeros |= is_zero; \
        nans |= is_nan; \
        to[i] = append && BITS < 8 * sizeof (T) ? (T) (to[i] << BITS % (8 * sizeof (T))) | rank : rank; \
      } \
    return (zeros != 0 ? GHLO_CPU_RANK_ZEROS : 0) | (nans != 0 ? GHLO_CPU_RANK_NANS : 0); \
  }

#define DEFINE_UNRANK(BITS, SIZE, T) \
  static void \
  unrank_##BITS##_##T (const GhloCpuRank *self, \
                       gconstpointer      numbers, \
                       gsize              n, \
                       guint              low, \
                       guint64            least, \
                       guint8            *to) \
  { \
    const guint##BITS first = (guint##BITS) least; \
    const guint##BITS sign = (guint##BITS) ((guint##BITS) 1 << (BITS - 1)), positive = (guint##BITS) self->positive; \
    const guint##BITS change = positive ^ (guint##BITS) self->negative; \
    Unit##SIZE *elements = (gpointer) to; \
    const T *from = numbers; \
    \
    for (gsize i = 0; i < n; i++) \
      { \
        guint##BITS bits = positive ^ (guint##BITS) (first + (guint##BITS) (from[i] >> low)); \
        \
        elements[i] = bits ^ (bits & sign ? change : 0); \
      } \
  }

#define DEFINE_PLACE(BITS, T) \
  static void \
  place_##BITS (gpointer numbers, \
                gsize    n, \
                guint    low, \
                guint64  first) \
  { \
    T *number = numbers; \
    \
    for (gsize i = 0; i < n; i++) \
      number[i] = number[i] << low | (T) (first + i); \
  }

#define DEFINE_SPAN(BITS, T) \
  static void \
  span_##BITS (gconstpointer ranks, \
               gsize         n, \
               guint64      *least, \
               guint64      *greatest) \
  { \
    const T *from = ranks; \
    T low = from[0], high = from[0]; \
    \
    for (gsize i = 0; i < n; i++) \
      { \
        low = MIN (low, from[i]); \
        high = MAX (high, from[i]); \
      } \
    *least = low; \
    *greatest = high; \
  }

#define DEFINE_NUMBER(F, T) \
  static void \
  number_##F##_##T (gconstpointer ranks, \
                    gsize         n_rows, \
                    gsize         width, \
                    guint64       least, \
                    guint         cut, \
                    guint         low, \
                    gpointer      numbers) \
  { \
    const F *from = ranks; \
    T *to = numbers; \
    \
    for (gsize row = 0; row < n_rows; row++, from += width, to += width) \
      for (gsize i = 0; i < width; i++) \
        to[i] = (T) ((T) ((F) (from[i] - (F) least) >> cut) << low) | (T) row; \
  }

DEFINE_SPAN (32, guint32)
DEFINE_SPAN (64, guint64)
DEFINE_NUMBER (guint32, guint32)
DEFINE_NUMBER (guint32, guint64)
DEFINE_NUMBER (guint64, guint32)
DEFINE_NUMBER (guint64, guint64)

static gboolean
has_least (const guint64 *ranks,
           gsize          n_rows,
           gsize          width,
           guint64        least,
           guint          cut,
           const guint64 *last,
           gsize          k)
{
  for (gsize column = 0; column < width; column += COLUMNS)
    {
      guint64 limits[COLUMNS], n[COLUMNS] = { 0 }, beyond = 0;

      for (guint i = 0; i < COLUMNS; i++)
        limits[i] = (last[column + i] - least) >> cut;
      for (gsize row = 0; row < n_rows; row++)
        for (guint i = 0; i < COLUMNS; i++)
          n[i] += (ranks[row * width + column + i] - least) >> cut <= limits[i];
      for (guint i = 0; i < COLUMNS; i++)
        beyond |= n[i] > k;
      if (beyond)
        return FALSE;
    }

  return TRUE;
}

DEFINE_RANK (8, 1, guint32)
DEFINE_RANK (16, 2, guint32)
DEFINE_RANK (32, 4, guint32)
DEFINE_RANK (8, 1, guint64)
DEFINE_RANK (16, 2, guint64)
DEFINE_RANK (32, 4, guint64)
DEFINE_RANK (64, 8, guint64)
DEFINE_UNRANK (8, 1, guint32)
DEFINE_UNRANK (16, 2, guint32)
DEFINE_UNRANK (32, 4, guint32)
DEFINE_UNRANK (64, 8, guint32)
DEFINE_UNRANK (8, 1, guint64)
DEFINE_UNRANK (16, 2, guint64)
DEFINE_UNRANK (32, 4, guint64)
DEFINE_UNRANK (64, 8, guint64)
DEFINE_PLACE (32, guint32)
DEFINE_PLACE (64, guint64)

void
NAME (sort_init) (GhloCpuSort *self)
{
  *self = (GhloCpuSort) {
    .columns = { sort_columns_32, sort_wide_columns },
    .select = { select_columns_32, select_wide_columns },
    .block = { sort_block_32, sort_wide_block },
    .partition = { partition_32, partition_64 },
    .rank = {
      { rank_8_guint32, rank_16_guint32, rank_32_guint32, NULL },
      { rank_8_guint64, rank_16_guint64, rank_32_guint64, rank_64_guint64 },
    },
    .unrank = {
      { unrank_8_guint32, unrank_16_guint32, unrank_32_guint32, unrank_64_guint32 },
      { unrank_8_guint64, unrank_16_guint64, unrank_32_guint64, unrank_64_guint64 },
    },
    .place = { place_32, place_64 },
    .span = { span_32, span_64 },
    .number = {
      { number_guint32_guint32, number_guint32_guint64 },
      { number_guint64_guint32, number_guint64_guint64 },
    },
    .has_least = has_least,
  };
#if defined (__AVX2__)
  for (guint mask = 0; mask < G_N_ELEMENTS (places); mask++)
    for (guint i = 0, to = 0; i < 8; i++)
      if (mask >> i & 1)
        places[mask][to++] = (guint8) i;
#endif
}
