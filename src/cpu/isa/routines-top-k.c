/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The search of a row for its least ranks. Elements are compared where they are, as many at a time as a register holds
 * of their own size; only those that pass become numbers. Compiled for each level.
 */

#include "cpu/isa/routines-private.h"

#include <string.h>

/* REGISTERS: those that a step compares; WORD: bytes whose bits fill a word. */
enum { REGISTERS = 4, STEP = REGISTERS * VECTOR_BYTES, WORD = 64 };

#define ONES(n) (~(guint64) 0 >> (64 - (n)))
#define FULL    ONES (VECTOR_BYTES)

VECTOR (guint8, VU8);
VECTOR (gint8, VI8);
VECTOR (gint16, VI16);
VECTOR (gint64, VI64);

/* The top bit of each byte of a register. */
static inline guint64
find_bits (VI8 v)
{
#if defined (__AVX512BW__)
  return _mm512_movepi8_mask ((__m512i) v);
#elif defined (__AVX2__)
  return (guint32) _mm256_movemask_epi8 ((__m256i) v);
#elif defined (__SSE2__)
  return (guint32) _mm_movemask_epi8 ((__m128i) v);
#else
  guint64 bits = 0;

  for (guint i = 0; i < VECTOR_BYTES; i++)
    bits |= (guint64) (v[i] < 0) << i;

  return bits;
#endif
}

static inline VI8
min_8 (VI8 a,
       VI8 b)
{
#if defined (__AVX512BW__)
  return (VI8) _mm512_min_epi8 ((__m512i) a, (__m512i) b);
#elif defined (__AVX2__)
  return (VI8) _mm256_min_epi8 ((__m256i) a, (__m256i) b);
#else
  VI8 less = a < b;

  return (a & less) | (b & ~less);
#endif
}

static inline VI16
min_16 (VI16 a,
        VI16 b)
{
#if defined (__AVX512BW__)
  return (VI16) _mm512_min_epi16 ((__m512i) a, (__m512i) b);
#elif defined (__AVX2__)
  return (VI16) _mm256_min_epi16 ((__m256i) a, (__m256i) b);
#else
  VI16 less = a < b;

  return (a & less) | (b & ~less);
#endif
}

static inline VI32
min_32 (VI32 a,
        VI32 b)
{
#if defined (__AVX512F__)
  return (VI32) _mm512_min_epi32 ((__m512i) a, (__m512i) b);
#elif defined (__AVX2__)
  return (VI32) _mm256_min_epi32 ((__m256i) a, (__m256i) b);
#else
  VI32 less = a < b;

  return (a & less) | (b & ~less);
#endif
}

static inline VI64
min_64 (VI64 a,
        VI64 b)
{
#if defined (__AVX512F__)
  return (VI64) _mm512_min_epi64 ((__m512i) a, (__m512i) b);
#else
  VI64 less = a < b;

  return (a & less) | (b & ~less);
#endif
}

/* Elements of BITS bits, whose ranks become numbers of type T. Registers hold ranks less half their range. */
#define DEFINE_TOP_K(BITS, SIZE, T) \
  enum { COUNT_##BITS = STEP / SIZE }; \
  \
  typedef struct \
  { \
    VU##BITS first, change; \
  } Flip_##BITS; \
  \
  static inline Flip_##BITS \
  find_flip_##BITS (const GhloCpuRank *self) \
  { \
    const guint##BITS positive = (guint##BITS) self->positive, change = positive ^ (guint##BITS) self->negative; \
    const guint##BITS sign = (guint##BITS) ((guint##BITS) 1 << (BITS - 1)), first = positive ^ sign; \
    \
    return (Flip_##BITS) { (VU##BITS) { 0 } + first, (VU##BITS) { 0 } + change }; \
  } \
  \
  static inline __attribute__ ((always_inline)) VI##BITS \
  flip_##BITS (const guint8      *from, \
               const Flip_##BITS *flip) \
  { \
    VU##BITS bits = *(const VU##BITS##_any *) (gconstpointer) from; \
    \
    return (VI##BITS) (bits ^ flip->first ^ ((VU##BITS) ((VI##BITS) bits < 0) & flip->change)); \
  } \
  \
  static gsize \
  lead_##BITS (const GhloCpuRank *self, \
               const guint8      *from, \
               gsize              n, \
               gpointer           ranks) \
  { \
    const Flip_##BITS flip = find_flip_##BITS (self); \
    VI##BITS least[REGISTERS]; \
    guint##BITS bits[COUNT_##BITS]; \
    \
    if (n < COUNT_##BITS) \
      return 0; \
    UNROLL for (guint j = 0; j < REGISTERS; j++) \
      least[j] = flip_##BITS (from + j * VECTOR_BYTES, &flip); \
    for (gsize i = COUNT_##BITS; n - i >= COUNT_##BITS; i += COUNT_##BITS) \
      UNROLL for (guint j = 0; j < REGISTERS; j++) \
        least[j] = min_##BITS (least[j], flip_##BITS (from + i * SIZE + j * VECTOR_BYTES, &flip)); \
    memcpy (bits, least, sizeof (bits)); \
    for (guint i = 0; i < COUNT_##BITS; i++) \
      ((T *) ranks)[i] = (guint##BITS) (bits[i] ^ (guint##BITS) ((guint##BITS) 1 << (BITS - 1))); \
    return COUNT_##BITS; \
  } \
  \
  static gsize \
  filter_##BITS (const GhloCpuRank *self, \
                 const guint8      *from, \
                 gsize              n, \
                 guint64            limit_rank, \
                 guint32            first, \
                 gpointer           kept_ranks, \
                 guint32           *positions) \
  { \
    const guint##BITS sign = (guint##BITS) ((guint##BITS) 1 << (BITS - 1)); \
    const guint##BITS limit = (guint##BITS) limit_rank ^ sign; \
    const Flip_##BITS flip = find_flip_##BITS (self); \
    const VI##BITS limits = (VI##BITS) ((VU##BITS) { 0 } + limit); \
    T *kept = kept_ranks; \
    gsize n_kept = 0; \
    \
    for (gsize i = 0; i < n; i += COUNT_##BITS) \
      { \
        guint8 rest[STEP]; \
        const guint8 *elements = from + i * SIZE; \
        gsize n_bytes = MIN (STEP, (n - i) * SIZE); \
        VI##BITS behind[REGISTERS]; \
        \
        if (n_bytes < STEP) \
          { \
            memset (rest, 0, sizeof (rest)); \
            elements = memcpy (rest, elements, n_bytes); \
          } \
        UNROLL for (guint j = 0; j < REGISTERS; j++) \
          behind[j] = flip_##BITS (elements + j * VECTOR_BYTES, &flip) > limits; \
        if (find_bits ((VI8) (behind[0] & behind[1] & behind[2] & behind[3])) == FULL) \
          continue; \
        UNROLL for (guint word = 0; word < STEP / WORD; word++) \
          { \
            guint64 bits = 0; \
            \
            UNROLL for (guint j = 0; j < WORD / VECTOR_BYTES; j++) \
              bits |= (FULL ^ find_bits ((VI8) behind[word * (WORD / VECTOR_BYTES) + j])) << j * VECTOR_BYTES % WORD; \
            if (n_bytes < (word + 1) * WORD) \
              bits &= n_bytes > word * WORD ? ((guint64) 1 << (n_bytes - word * WORD)) - 1 : 0; \
            for (guint bit; bits != 0; bits &= ~(ONES (SIZE) << bit)) \
              { \
                guint place; \
                guint##BITS element; \
                \
                bit = (guint) __builtin_ctzll (bits); \
                place = (word * WORD + bit) / SIZE; \
                element = ((const Unit##SIZE *) (gconstpointer) elements)[place]; \
                kept[n_kept] = (guint##BITS) (element ^ (element & sign ? self->negative : self->positive)); \
                positions[n_kept++] = first + (guint32) i + place; \
              } \
          } \
      } \
    return n_kept; \
  }

DEFINE_TOP_K (8, 1, guint32)
DEFINE_TOP_K (16, 2, guint32)
DEFINE_TOP_K (32, 4, guint32)
DEFINE_TOP_K (64, 8, guint64)

void
NAME (top_k_init) (GhloCpuTopK *self)
{
  *self = (GhloCpuTopK) {
    .lead = { lead_8, lead_16, lead_32, lead_64 },
    .filter = { filter_8, filter_16, filter_32, filter_64 },
  };
}
