/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products of a few rows of floats and weights of four bits. A block of a row is multiplied as integers of 32 bits that
 * share an exponent, and these as four digits of 8 bits, since processors add up four products of bytes in one
 * instruction. So sums within a block are exact, and so are numbers that are at most 2^6 times smaller than the largest
 * of the block; others are rounded to 2^-29 of it. Compiled for each level, which all give the same bits: nothing is
 * fused.
 */

#include "base/bits.h"
#include "cpu/isa/routines-private.h"

#include <string.h>

enum
{
  WORDS = GHLO_CPU_NIBBLE_COLUMNS, DIGITS = GHLO_CPU_NIBBLE_DIGITS,
  /* Rows that are multiplied at the same time, whose sums are in registers. */
  MOST_ROWS = VECTOR_BYTES == 64 ? 4 : 2, WIDE_ROWS = VECTOR_BYTES == 64 ? 3 : 0, MOST_VECTORS = 2,
  /* Words of a column, and groups, from their prefetch to their use: hardware stops at the end of a page. */
  AHEAD = 32, GROUPS_AHEAD = 8,
  LINE = 64 / sizeof (guint32),
};


#if defined (__AVX512VNNI__)
#define MULTIPLY_NIBBLES ghlo_cpu_multiply_nibbles_vnni
#else
#define MULTIPLY_NIBBLES NAME (multiply_nibbles)
#endif

typedef gint16 VI16 __attribute__ ((vector_size (VECTOR_BYTES), may_alias));

/* Adds to each number the products of four bytes, unsigned and signed. Weights have four bits, so that no pair of
 * products exceeds 16 bits. */
static inline VI32
add_products (VI32 sums,
              VU32 weights,
              VI32 digits)
{
#if defined (__AVX512VNNI__)
  return (VI32) _mm512_dpbusd_epi32 ((__m512i) sums, (__m512i) weights, (__m512i) digits);
#elif defined (__AVX512BW__)
  const __m512i pairs = _mm512_maddubs_epi16 ((__m512i) weights, (__m512i) digits);

  return sums + (VI32) _mm512_madd_epi16 (pairs, _mm512_set1_epi16 (1));
#elif defined (__AVX2__)
  const __m256i pairs = _mm256_maddubs_epi16 ((__m256i) weights, (__m256i) digits);

  return sums + (VI32) _mm256_madd_epi16 (pairs, _mm256_set1_epi16 (1));
#else
  const VI16 bytes = (VI16) digits;

  sums += (VI32) multiply_pairs (weights & 0x00ff00ff, (VU32) ((VI16) ((VU16) bytes << 8) >> 8));

  return sums + (VI32) multiply_pairs (weights >> 8 & 0x00ff00ff, (VU32) (bytes >> 8));
#endif
}

static inline VI32
spread (const gint8 *digits)
{
  gint32 word;

  memcpy (&word, digits, sizeof word);

  return (VI32) { 0 } + word;
}

/* Adds the scaled sums of a block to y. The digits of a sum are added in pairs, which are exact, as are zero points
 * times sums of x. */
static inline __attribute__ ((always_inline)) void
add_sums (const GhloCpuNibbles     *p,
          const GhloCpuNibbleBlock *block,
          const VI32                sums[DIGITS],
          gsize                     group,
          gsize                     column,
          gboolean                  has_zeros,
          float                    *y)
{
  VF32 low = __builtin_convertvector (sums[0] + sums[1] * 256, VF32);
  VF32 high = __builtin_convertvector (sums[2] + sums[3] * 256, VF32);
  const VF32 scales = *(const VF32_any *) (p->scales + group * p->scale_step + column);

  if (has_zeros)
    {
      const VF32 zeros = *(const VF32_any *) (p->zeros + group * p->zero_step + column);

      low -= zeros * block->low;
      high -= zeros * block->high;
    }
  *(VF32_any *) y += (high * 0x1p16f + low) * (scales * block->unit);
}

static inline __attribute__ ((always_inline)) void
multiply_columns (const GhloCpuNibbles *p,
                  guint                 m,
                  guint                 vectors,
                  gboolean              has_zeros,
                  gsize                 column)
{
  const guint32 *words = p->weights + column;
  const gint8 *x = p->digits;
  gsize left = p->n_words;

  for (gsize block = 0; left > 0; block++)
    {
      const gsize n = MIN (left, p->block_words), group = block / p->group_blocks;
      VI32 sums[MOST_ROWS][MOST_VECTORS][DIGITS];

      UNROLL for (guint row = 0; row < m; row++)
        UNROLL for (guint v = 0; v < vectors; v++)
          UNROLL for (guint digit = 0; digit < DIGITS; digit++)
            sums[row][v][digit] = (VI32) { 0 } + p->blocks[row * p->n_blocks + block].starts[digit];
      for (guint at = 0; at < vectors * LANES (float); at += LINE)
        __builtin_prefetch (p->scales + (group + GROUPS_AHEAD) * p->scale_step + column + at);
      for (gsize i = 0; i < n; i++, words += WORDS, x += GHLO_CPU_NIBBLES_OF_WORD * DIGITS)
        {
          __builtin_prefetch (words + AHEAD * WORDS);
          if (vectors * LANES (guint32) > LINE)
            __builtin_prefetch (words + AHEAD * WORDS + LINE);
          UNROLL for (guint half = 0; half < 2; half++)
            UNROLL for (guint row = 0; row < m; row++)
              UNROLL for (guint digit = 0; digit < DIGITS; digit++)
                {
                  const VI32 digits = spread (x + row * p->digit_step + (half * DIGITS + digit) * sizeof (gint32));

                  UNROLL for (guint v = 0; v < vectors; v++)
                    {
                      const VU32 pairs = *(const VU32_any *) (words + v * LANES (guint32));

                      sums[row][v][digit] = add_products (sums[row][v][digit], pairs >> (4 * half) & 0x0f0f0f0f,
                                                          digits);
                    }
                }
        }
      UNROLL for (guint row = 0; row < m; row++)
        UNROLL for (guint v = 0; v < vectors; v++)
          add_sums (p, &p->blocks[row * p->n_blocks + block], sums[row][v], group, column + v * LANES (float),
                    has_zeros, p->y + row * p->y_step + column + v * LANES (float));
      left -= n;
    }
}

#define MULTIPLY(m) \
  static void \
  multiply_##m (const GhloCpuNibbles *p) \
  { \
    const guint vectors = (m) <= WIDE_ROWS ? MOST_VECTORS : 1; \
\
    for (gsize column = 0; column < WORDS; column += vectors * LANES (float)) \
      if (p->zeros != NULL) \
        multiply_columns (p, m, vectors, TRUE, column); \
      else \
        multiply_columns (p, m, vectors, FALSE, column); \
  }

MULTIPLY (1)
MULTIPLY (2)
#if VECTOR_BYTES == 64
MULTIPLY (3)
MULTIPLY (4)
#endif

void
MULTIPLY_NIBBLES (const GhloCpuNibbles *whole)
{
  static void (*const functions[]) (const GhloCpuNibbles *) = {
    multiply_1, multiply_2,
#if VECTOR_BYTES == 64
    multiply_3, multiply_4,
#endif
  };
  GhloCpuNibbles p = *whole;

  for (gsize row = 0; row < whole->m; row += p.m)
    {
      p.m = MIN (whole->m - row, MOST_ROWS);
      p.y = whole->y + row * p.y_step;
      p.digits = whole->digits + row * p.digit_step;
      p.blocks = whole->blocks + row * p.n_blocks;
      for (gsize i = 0; i < p.m; i++)
        memset (p.y + i * p.y_step, 0, WORDS * sizeof (float));
      functions[p.m - 1] (&p);
    }
}

/* Compiled once more for the processors of a level that have the instruction. */
#if !defined (__AVX512VNNI__)

void
NAME (multiply_nibbles_each) (const GhloCpuNibbles *p,
                              const float          *x)
{
  memset (p->y, 0, WORDS * sizeof (float));
  for (gsize column = 0; column < WORDS; column += LANES (float))
    {
      VF32 sum = { 0 };

      for (gsize word = 0; word < p->n_words; word++)
        {
          const VU32 words = *(const VU32_any *) (p->weights + word * WORDS + column);
          const gsize group = word / p->block_words / p->group_blocks;

          for (guint i = 0; i < GHLO_CPU_NIBBLES_OF_WORD; i++)
            {
              const VI32 nibbles = (VI32) (words >> (i % 4 * 8 + i / 4 * 4) & 15) + p->first;
              VF32 weights = __builtin_convertvector (nibbles, VF32);

              if (p->zeros != NULL)
                weights -= *(const VF32_any *) (p->zeros + group * p->zero_step + column);
              weights *= *(const VF32_any *) (p->scales + group * p->scale_step + column);
              sum += weights * x[word * GHLO_CPU_NIBBLES_OF_WORD + i];
            }
        }
      *(VF32_any *) (p->y + column) = sum;
    }
}

/* Rows of x */

static inline VI32
round_numbers (VF32 numbers)
{
#if defined (__AVX512F__)
  return (VI32) _mm512_cvtps_epi32 ((__m512) numbers);
#elif defined (__AVX2__)
  return (VI32) _mm256_cvtps_epi32 ((__m256) numbers);
#elif defined (__SSE2__)
  return (VI32) _mm_cvtps_epi32 ((__m128) numbers);
#else
  VI32 rounded;

  for (guint i = 0; i < LANES (float); i++)
    rounded[i] = (gint32) __builtin_rintf (numbers[i]);

  return rounded;
#endif
}

/* Of every four words, the first bytes, then the second ones, and so on. */
static inline VU32
transpose_bytes (VU32 words)
{
#if defined (__AVX2__)
  const __m128i order = _mm_setr_epi8 (0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
#endif
#if defined (__AVX512BW__)
  return (VU32) _mm512_shuffle_epi8 ((__m512i) words, _mm512_broadcast_i32x4 (order));
#elif defined (__AVX2__)
  return (VU32) _mm256_shuffle_epi8 ((__m256i) words, _mm256_broadcastsi128_si256 (order));
#else
  typedef guint8 Bytes __attribute__ ((vector_size (16), may_alias));

  return (VU32) __builtin_shufflevector ((Bytes) words, (Bytes) words, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11,
                                         15);
#endif
}

typedef guint32 Words4 __attribute__ ((vector_size (16), aligned (1), may_alias));

static guint32
find_largest (const float *x,
              gsize        n)
{
  VU32 most = { 0 };
  Words4 four = { 0 };

  for (gsize i = 0; i < n; i += LANES (float))
    {
      const VU32 bits = *(const VU32_any *) (x + i) & 0x7fffffff, is_more = (VU32) ((VI32) bits > (VI32) most);

      most = (bits & is_more) | (most & ~is_more);
    }
  UNROLL for (guint i = 0; i < VECTOR_BYTES / 16; i++)
    {
      const Words4 other = ((const Words4 *) &most)[i], is_more = (Words4) (other > four);

      four = (other & is_more) | (four & ~is_more);
    }

  return MAX (MAX (four[0], four[1]), MAX (four[2], four[3]));
}

static void
split_block (const float        *x,
             gsize               n,
             gint32              first,
             guint32             exponent,
             gint8              *digits,
             GhloCpuNibbleBlock *block)
{
  /* Below 2^30, so that no digit overflows. */
  const float up = ghlo_float_of_bits ((157 + 126 - exponent) << 23);
  VI32 sums = { 0 };
  Words4 totals = { 0 };

  for (gsize i = 0; i < n; i += LANES (float))
    {
      /* A digit that is negative borrows one from the next. */
      const VU32 bytes = transpose_bytes (((VU32) round_numbers (*(const VF32_any *) (x + i) * up) + 0x808080)
                                          ^ 0x808080);

      *(VU32_any *) (digits + i * DIGITS) = bytes;
      sums = add_products (sums, (VU32) { 0 } + 0x01010101, (VI32) bytes);
    }
  UNROLL for (guint i = 0; i < VECTOR_BYTES / 16; i++)
    totals += ((const Words4 *) &sums)[i];
  for (guint digit = 0; digit < DIGITS; digit++)
    block->starts[digit] = first * (gint32) totals[digit];
  block->low = (float) ((gint32) totals[0] + (gint32) totals[1] * 256);
  block->high = (float) ((gint32) totals[2] + (gint32) totals[3] * 256);
  block->unit = ghlo_float_of_bits ((exponent - 29) << 23);
}

gboolean
NAME (split_digits) (const float        *x,
                     gsize               n,
                     gsize               block_size,
                     gint32              first,
                     gint8              *digits,
                     GhloCpuNibbleBlock *blocks)
{
  for (gsize at = 0, size; at < n; at += size, blocks++)
    {
      guint32 exponent, largest;

      size = MIN (block_size, n - at);
      largest = find_largest (x + at, size);
      exponent = largest == 0 ? 127 : largest >> 23;
      if (exponent < GHLO_CPU_NIBBLE_MIN_EXPONENT || exponent > GHLO_CPU_NIBBLE_MAX_EXPONENT)
        return FALSE;
      split_block (x + at, size, first, exponent, digits + at * DIGITS, blocks);
    }

  return TRUE;
}

/* Packing */

/* Packs up to eight weights of each column, which are adjacent and @step bytes behind those of the column before. */
static void
pack_columns (const guint8 *from,
              gint64        step,
              gsize         n,
              guint32       flip,
              guint32      *to)
{
  for (gsize column = 0; column < n; column++)
    {
      const guint64 bytes = *(const Unit8 *) (from + (gint64) column * step);

      to[column] = (guint32) ((bytes & 0x0f0f0f0f) | (bytes >> 28 & 0xf0f0f0f0)) ^ flip;
    }
}

typedef guint8 VBytes __attribute__ ((vector_size (VECTOR_BYTES / 4), aligned (1), may_alias));

/* Packs rows that are @step bytes apart, of adjacent columns. */
static void
pack_rows (const guint8 *from,
           gint64        step,
           guint32       flip,
           guint32      *to)
{
  for (gsize column = 0; column < WORDS; column += LANES (guint32))
    {
      VU32 words = { 0 };

      UNROLL for (gint64 i = 0; i < GHLO_CPU_NIBBLES_OF_WORD; i++)
        words |= (__builtin_convertvector (*(const VBytes *) (from + i * step + column), VU32) & 15)
                 << (i % 4 * 8 + i / 4 * 4);
      *(VU32_any *) (to + column) = words ^ flip;
    }
}

void
NAME (pack_nibbles) (const guint8 *from,
                     gint64        step,
                     gboolean      k_adjacent,
                     gsize         n,
                     gsize         k,
                     guint32       flip,
                     guint32      *to)
{
  guint8 rest[GHLO_CPU_NIBBLES_OF_WORD * WORDS] = { 0 };
  const gsize row = k_adjacent ? GHLO_CPU_NIBBLES_OF_WORD : WORDS;

  for (gsize at = 0, size; at < k; at += size, to += WORDS)
    {
      const guint8 *weights = from + (gint64) at * (k_adjacent ? 1 : step);
      gint64 apart = step;

      size = MIN (k - at, GHLO_CPU_NIBBLES_OF_WORD);
      if (size < GHLO_CPU_NIBBLES_OF_WORD || (!k_adjacent && n < WORDS))
        {
          for (gsize i = 0; i < (k_adjacent ? n : size); i++)
            memcpy (rest + i * row, weights + (gint64) i * step, k_adjacent ? size : n);
          weights = rest;
          apart = (gint64) row;
        }
      if (k_adjacent)
        {
          memset (to + n, 0, (WORDS - n) * sizeof *to);
          pack_columns (weights, apart, n, flip, to);
        }
      else
        pack_rows (weights, apart, flip, to);
    }
}
#endif
