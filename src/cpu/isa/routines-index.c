/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Turns indices into byte offsets, and copies units from such offsets. Compiled for each level, since only the later
 * ones compare and multiply vectors of 64-bit numbers.
 */

#include "cpu/isa/routines-private.h"

#include "base/sizes.h"

#include <string.h>

#if VECTOR_BYTES == 32
VECTOR (gint64, VI64);

/* Whether products of indices and @scale need no more than a multiplication of 32 bits by 32, which is all that
 * registers of this size have. */
static gboolean
is_short (gint64 limit,
          gint64 scale)
{
  return limit >= 0 && limit <= G_MAXINT32 && scale >= 0 && scale <= G_MAXINT32;
}

/* add: does what the loops below do for the first numbers, and returns how many. */
static gsize
add_clamped (const gint64 *numbers,
             gsize         n,
             gint64        limit,
             gint64        scale,
             gint64       *offsets)
{
  const VI64 limits = (VI64) { 0 } + limit, scales = (VI64) { 0 } + scale;
  gsize i = 0;

  for (; is_short (limit, scale) && i + LANES (gint64) <= n; i += LANES (gint64))
    {
      const VI64 number = *(const VI64_any *) (gconstpointer) (numbers + i), low = number & (VI64) (number > 0);
      const VI64 beyond = low > limits, index = (low & ~beyond) | (limits & beyond);

      *(VI64_any *) (gpointer) (offsets + i) += (VI64) _mm256_mul_epu32 ((__m256i) index, (__m256i) scales);
    }

  return i;
}

static gsize
add_checked (const gint64 *numbers,
             gsize         n,
             gint64        limit,
             gint64        scale,
             gint64       *offsets)
{
  const VI64 limits = (VI64) { 0 } + limit, scales = (VI64) { 0 } + scale;
  const VI64 out = (VI64) { 0 } + GHLO_CPU_OUT_OF_BOUNDS;
  gsize i = 0;

  for (; is_short (limit, scale) && i + LANES (gint64) <= n; i += LANES (gint64))
    {
      const VI64 number = *(const VI64_any *) (gconstpointer) (numbers + i);
      const VI64 offset = *(const VI64_any *) (gconstpointer) (offsets + i);
      const VI64 is_out = (number < 0) | (number > limits) | (offset == out);
      const VU64 sum = (VU64) offset + (VU64) _mm256_mul_epu32 ((__m256i) number, (__m256i) scales);

      *(VI64_any *) (gpointer) (offsets + i) = (out & is_out) | ((VI64) sum & ~is_out);
    }

  return i;
}
#else
#define add_clamped(...) 0
#define add_checked(...) 0
#endif

void
NAME (clamp_indices) (const gint64 *numbers,
                      gsize         n,
                      gint64        limit,
                      gint64        scale,
                      gint64       *offsets)
{
  for (gsize i = add_clamped (numbers, n, limit, scale, offsets); i < n; i++)
    {
      gint64 number = numbers[i];

      number = number < 0 ? 0 : number;
      number = number > limit ? limit : number;
      offsets[i] += number * scale;
    }
}

void
NAME (check_indices) (const gint64 *numbers,
                      gsize         n,
                      gint64        limit,
                      gint64        scale,
                      gint64       *offsets)
{
  for (gsize i = add_checked (numbers, n, limit, scale, offsets); i < n; i++)
    {
      gint64 number = numbers[i], offset = (gint64) ((guint64) offsets[i] + (guint64) number * (guint64) scale);

      offsets[i] = offsets[i] == GHLO_CPU_OUT_OF_BOUNDS || number < 0 || number > limit
                   ? GHLO_CPU_OUT_OF_BOUNDS : offset;
    }
}

/* Signed numbers; those without a sign are in an order, too, in which equal ones are adjacent. */
#define ARE_SORTED(T) \
  gboolean \
  NAME (are_sorted_##T) (const guint8 *data, \
                         gsize         n) \
  { \
    enum { BLOCK = 256 }; \
    const T *numbers = (gconstpointer) data; \
    \
    for (gsize i = 1; i < n; i += BLOCK) \
      { \
        T descends = 0; \
        \
        for (gsize j = i; j < MIN (i + BLOCK, n); j++) \
          descends |= numbers[j] < numbers[j - 1]; \
        if (descends) \
          return FALSE; \
      } \
    \
    return TRUE; \
  }

ARE_SORTED (gint32)
ARE_SORTED (gint64)

/* Without branches: which offsets are kept follows no rule. */
gsize
NAME (limit_offsets) (gint64 *offsets,
                      gint64 *others,
                      gsize   n,
                      gint64  first,
                      gint64  end)
{
  gsize kept = 0, i = 0;

#if defined (__AVX512F__)
  for (; i + 8 <= n; i += 8)
    {
      const __m512i offset = _mm512_loadu_si512 (offsets + i), other = _mm512_loadu_si512 (others + i);
      const __mmask8 is_inside = _mm512_cmpge_epi64_mask (offset, _mm512_set1_epi64 (first))
                                 & _mm512_cmplt_epi64_mask (offset, _mm512_set1_epi64 (end));

      _mm512_storeu_si512 (offsets + kept, _mm512_maskz_compress_epi64 (is_inside, offset));
      _mm512_storeu_si512 (others + kept, _mm512_maskz_compress_epi64 (is_inside, other));
      kept += (gsize) __builtin_popcount (is_inside);
    }
#endif
  for (; i < n; i++)
    {
      const gint64 offset = offsets[i];

      offsets[kept] = offset;
      others[kept] = others[i];
      kept += (offset >= first) & (offset < end);
    }

  return kept;
}

void
NAME (count) (gint64 *numbers,
              gsize   n,
              gint64  first,
              gint64  step)
{
  const guint64 lanes = LANES (guint64) * (guint64) step;
  VU64 next;
  gsize i = 0;

  for (guint j = 0; j < LANES (guint64); j++)
    next[j] = (guint64) first + j * (guint64) step;
  for (; i + LANES (guint64) <= n; i += LANES (guint64), next += lanes)
    *(VU64_any *) (gpointer) (numbers + i) = next;
  for (; i < n; i++)
    numbers[i] = first + (gint64) i * step;
}

/* Rows that are picked from side by side, so that each offset is read once for all of them. */
enum { PICK_ROWS = 4 };

/* Where unit k is in a word of adjacent units, in bits. */
#define PLACE(T, k) (8 * sizeof (T) * (G_BYTE_ORDER == G_LITTLE_ENDIAN ? (k) : 8 / sizeof (T) - 1 - (k)))

#if defined (__AVX2__)
enum { PICK_BYTES = 1024, TABLE_BYTES = 64, MIN_TABLES = 4 };

/* The bytes from the start of a row to the end of the last unit of @size bytes in it, as far as @room bytes hold them
 * and @n units are worth to be picked from these; else 0. */
static gsize
find_table (const gint64 *offsets,
            gsize         n,
            gsize         size,
            gsize         room)
{
  guint64 most = 0;

  if (n * size < sizeof (__m256i) || n * size > PICK_BYTES)
    return 0;
  for (gsize i = 0; i < n; i++)
    most |= (guint64) offsets[i];
  if (most >= room)
    return 0;
  most = 0;
  for (gsize i = 0; i < n; i++)
    most = MAX (most, (guint64) offsets[i]);

  return most + size <= room ? most + size : 0;
}

#if defined (__AVX512BW__)
/* Rows in pairs of registers of bytes, of which one instruction picks. Only this level has it, and not all of its
 * processors do. */
#define VBMI __attribute__ ((target ("avx512vbmi")))

enum { PAIR_BYTES = 128, MAX_PAIRS = 4, LARGE_TABLE_BYTES = MAX_PAIRS * PAIR_BYTES, PICK_PARTS = PICK_BYTES / 64 };

/* Where each byte of what is picked is in its pair, and which bytes are of each pair. */
typedef struct
{
  guint8   places[PICK_BYTES] __attribute__ ((aligned (64)));
  guint64  of_pair[PICK_PARTS][MAX_PAIRS];
} Places;

static inline __attribute__ ((always_inline)) VBMI void
permute_row (const guint8 *table,
             gsize         table_bytes,
             const Places *places,
             guint8       *to,
             gsize         n_bytes,
             const guint   n_pairs)
{
  __m512i parts[2 * MAX_PAIRS];

  UNROLL for (guint k = 0; k < 2 * n_pairs; k++)
    {
      const gsize left = table_bytes > 64 * k ? table_bytes - 64 * k : 0;

      parts[k] = _mm512_maskz_loadu_epi8 (left < 64 ? (1ull << left) - 1 : ~0ull, table + MIN (64 * k, table_bytes));
    }
  for (gsize at = 0; at < n_bytes; at += 64)
    {
      const __m512i of_part = _mm512_load_si512 (places->places + at);
      __m512i bytes = _mm512_permutex2var_epi8 (parts[0], of_part, parts[1]);

      UNROLL for (guint k = 1; k < n_pairs; k++)
        bytes = _mm512_mask_mov_epi8 (bytes, places->of_pair[at / 64][k],
                                      _mm512_permutex2var_epi8 (parts[2 * k], of_part, parts[2 * k + 1]));
      if (n_bytes - at >= 64)
        _mm512_storeu_si512 (to + at, bytes);
      else
        _mm512_mask_storeu_epi8 (to + at, (1ull << (n_bytes - at)) - 1, bytes);
    }
}

/* Finds the places of @n_bytes bytes from where each is in its row. */
static VBMI void
find_places (const guint16 *wanted,
             gsize          n_bytes,
             guint          n_pairs,
             Places        *places)
{
  for (gsize at = 0; at < n_bytes; at += 64)
    {
      const __m512i low = _mm512_load_si512 (wanted + at), high = _mm512_load_si512 (wanted + at + 32);
      const __m512i low_pair = _mm512_srli_epi16 (low, 7), high_pair = _mm512_srli_epi16 (high, 7);

      /* Of a place the instruction takes what PAIR_BYTES leaves. */
      _mm256_store_si256 ((__m256i *) (gpointer) (places->places + at), _mm512_cvtepi16_epi8 (low));
      _mm256_store_si256 ((__m256i *) (gpointer) (places->places + at + 32), _mm512_cvtepi16_epi8 (high));
      for (guint k = 1; k < n_pairs; k++)
        {
          const __m512i pair = _mm512_set1_epi16 ((short) k);

          places->of_pair[at / 64][k] = _mm512_cmpeq_epi16_mask (low_pair, pair)
                                        | (guint64) _mm512_cmpeq_epi16_mask (high_pair, pair) << 32;
        }
    }
}

/* Picks from rows of @table_bytes each. */
static inline __attribute__ ((always_inline)) VBMI void
permute_rows (const guint8 *from,
              gint64        from_row,
              const gint64 *offsets,
              guint8       *to,
              gint64        to_row,
              gsize         rows,
              gsize         n,
              const gsize   size,
              gsize         table_bytes)
{
  const guint n_pairs = (guint) ghlo_size_ceil_div (table_bytes, PAIR_BYTES);
  guint16 wanted[PICK_BYTES] __attribute__ ((aligned (64)));
  const gsize n_bytes = n * size;
  Places places;

  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < size; j++)
      wanted[i * size + j] = (guint16) ((guint64) offsets[i] + j);
  memset (wanted + n_bytes, 0, (PICK_BYTES - n_bytes) % 64 * sizeof (guint16));
  find_places (wanted, n_bytes, n_pairs, &places);
  for (gsize i = 0; i < rows; i++, from += from_row, to += to_row)
    switch (n_pairs)
      {
      case 1: permute_row (from, table_bytes, &places, to, n_bytes, 1); break;
      case 2: permute_row (from, table_bytes, &places, to, n_bytes, 2); break;
      case 3: permute_row (from, table_bytes, &places, to, n_bytes, 3); break;
      default: permute_row (from, table_bytes, &places, to, n_bytes, 4);
      }
}

#define PERMUTE(T, size) \
  static VBMI void \
  permute_##T (const guint8 *from, \
               gint64        from_row, \
               const gint64 *offsets, \
               guint8       *to, \
               gint64        to_row, \
               gsize         rows, \
               gsize         n, \
               gsize         table_bytes) \
  { \
    permute_rows (from, from_row, offsets, to, to_row, rows, n, size, table_bytes); \
  }

PERMUTE (Unit1, 1)
PERMUTE (Unit2, 2)
PERMUTE (Unit4, 4)
PERMUTE (Unit8, 8)
#define permute_Unit16 permute_Unit8    /* which is not called */

#define PERMUTE_FROM_TABLES(T) \
  if (sizeof (T) <= 8 && rows >= MIN_TABLES && to_stride == sizeof (T) && __builtin_cpu_supports ("avx512vbmi")) \
    { \
      const gsize table_bytes = find_table (offsets, n, sizeof (T), LARGE_TABLE_BYTES); \
\
      if (table_bytes > 0) \
        { \
          permute_##T (from, from_row, offsets, to, to_row, rows, n, table_bytes); \
          return; \
        } \
    }
#else
#define PERMUTE_FROM_TABLES(T)
#endif

/* Picks adjacent bytes of a row from @n_lanes registers; @places has where each byte is in each of them, or 0x80. */
static inline __attribute__ ((always_inline)) void
shuffle_row (const guint8 *table,
             guint8        (*places)[PICK_BYTES],
             guint8       *to,
             gsize         n_bytes,
             const guint   n_lanes)
{
  __m256i lanes[TABLE_BYTES / 16];

  UNROLL for (guint k = 0; k < n_lanes; k++)
    lanes[k] = _mm256_broadcastsi128_si256 (_mm_loadu_si128 ((const __m128i_u *) (table + 16 * k)));
  for (gsize next = 0; next < n_bytes; next += sizeof (__m256i))
    {
      const gsize at = MIN (next, n_bytes - sizeof (__m256i));
      __m256i bytes = _mm256_setzero_si256 ();

      UNROLL for (guint k = 0; k < n_lanes; k++)
        {
          const __m256i of_lane = _mm256_loadu_si256 ((const __m256i_u *) (places[k] + at));

          bytes = _mm256_or_si256 (bytes, _mm256_shuffle_epi8 (lanes[k], of_lane));
        }
      _mm256_storeu_si256 ((__m256i_u *) (to + at), bytes);
    }
}

/* Picks from rows of @table_bytes each, of which no byte beyond the last row is read. */
static void
shuffle_rows (const guint8 *from,
              gint64        from_row,
              const gint64 *offsets,
              guint8       *to,
              gint64        to_row,
              gsize         rows,
              gsize         n,
              gsize         size,
              gsize         table_bytes)
{
  const guint n_lanes = (guint) ((table_bytes + 15) / 16);
  guint8 places[TABLE_BYTES / 16][PICK_BYTES], table[TABLE_BYTES] = { 0 };

  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < size; j++)
      places[0][i * size + j] = (guint8) ((gsize) offsets[i] + j);
  for (guint k = n_lanes; k > 0; k--)
    for (gsize i = 0; i < n * size; i++)
      {
        const guint8 place = (guint8) (places[0][i] - 16 * (k - 1));

        places[k - 1][i] = place < 16 ? place : 0x80;
      }
  for (gsize i = 0; i < rows; i++, from += from_row, to += to_row)
    {
      const gboolean is_inside = from_row > 0
                                 && (rows - 1 - i) * (gsize) from_row + table_bytes >= 16 * (gsize) n_lanes;
      const guint8 *source = is_inside ? from : table;

      if (!is_inside)
        memcpy (table, from, table_bytes);
      switch (n_lanes)
        {
        case 1: shuffle_row (source, places, to, n * size, 1); break;
        case 2: shuffle_row (source, places, to, n * size, 2); break;
        case 3: shuffle_row (source, places, to, n * size, 3); break;
        default: shuffle_row (source, places, to, n * size, 4);
        }
    }
}

#define PICK_FROM_TABLES(T) \
  PERMUTE_FROM_TABLES (T) \
  if (sizeof (T) <= 4 && rows >= MIN_TABLES && to_stride == sizeof (T)) \
    { \
      const gsize table_bytes = find_table (offsets, n, sizeof (T), TABLE_BYTES); \
\
      if (table_bytes > 0) \
        { \
          shuffle_rows (from, from_row, offsets, to, to_row, rows, n, sizeof (T), table_bytes); \
          return; \
        } \
    }
#else
#define PICK_FROM_TABLES(T)
#endif

/* Adjacent units, of type @W in words, are stored a word at a time where several fit. */
#define PICK(name, T, W) \
  static inline __attribute__ ((always_inline)) void \
  name##_side_by_side (const guint8 *from, \
                       gint64        from_row, \
                       const gint64 *offsets, \
                       guint8       *to, \
                       gint64        to_row, \
                       gint64        to_stride, \
                       gsize         n, \
                       const guint   rows) \
  { \
    enum { UNITS = sizeof (T) < 8 ? 8 / sizeof (T) : 1 }; \
    gsize i = 0; \
\
    for (; UNITS > 1 && to_stride == sizeof (T) && i + UNITS <= n; i += UNITS) \
      { \
        gint64 at[UNITS]; \
\
        UNROLL for (guint k = 0; k < UNITS; k++) \
          at[k] = offsets[i + k]; \
        UNROLL for (guint r = 0; r < rows; r++) \
          { \
            guint64 word = 0; \
\
            UNROLL for (guint k = 0; k < UNITS; k++) \
              word |= (guint64) *(const W *) (from + r * from_row + at[k]) << PLACE (W, k); \
            *(Unit8 *) (to + r * to_row + i * sizeof (T)) = word; \
          } \
      } \
    for (; i < n; i++) \
      { \
        const gint64 at = offsets[i]; \
\
        UNROLL for (guint r = 0; r < rows; r++) \
          *(T *) (to + r * to_row + (gint64) i * to_stride) = *(const T *) (from + r * from_row + at); \
      } \
  } \
\
  static void \
  name (const guint8 *from, \
        gint64        from_row, \
        const gint64 *offsets, \
        guint8       *to, \
        gint64        to_row, \
        gint64        to_stride, \
        gsize         rows, \
        gsize         n) \
  { \
    PICK_FROM_TABLES (T) \
    for (; rows >= PICK_ROWS; rows -= PICK_ROWS, from += PICK_ROWS * from_row, to += PICK_ROWS * to_row) \
      name##_side_by_side (from, from_row, offsets, to, to_row, to_stride, n, PICK_ROWS); \
    for (; rows > 0; rows--, from += from_row, to += to_row) \
      name##_side_by_side (from, 0, offsets, to, 0, to_stride, n, 1); \
  }

PICK (pick1, Unit1, Unit1)
PICK (pick2, Unit2, Unit2)
PICK (pick4, Unit4, Unit4)
PICK (pick8, Unit8, Unit8)
PICK (pick16, Unit16, Unit8)

const GhloCpuPickFunc NAME (picks)[GHLO_CPU_N_UNITS] = { pick1, pick2, pick4, pick8, pick16 };
