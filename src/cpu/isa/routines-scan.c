/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Scans of columns side by side. The reductions of as many columns as fill a few registers stay there while all rows
 * are read; each column is combined from the first row to the last, whatever the width of registers. Compiled for each
 * level.
 */

#include "cpu/isa/combiners-private.h"
#include "cpu/isa/extremes-private.h"

#include <string.h>

/* Bytes of the numbers of a wide block of columns. */
enum { WIDE = 4 * VECTOR_BYTES };

/* A loop of one register becomes vector code only if it is not unrolled before that. */
#ifdef __clang__
#define KEPT
#else
#define KEPT _Pragma ("GCC unroll 1")
#endif

/* Elements of type @T are combined in numbers of type @S, of which @read makes one. For an operation that is not @exact
 * there may be numbers before the scan. */
#define SCAN_OF(name, T, S, read, exact, expression) \
  static inline S \
  combine_##name (S x, \
                  S y) \
  { \
    return (S) (expression); \
  } \
\
  static inline __attribute__ ((always_inline)) void \
  block_##name (const GhloCpuScan *self, \
                gsize              column, \
                gsize              width, \
                gboolean           stores, \
                gboolean           is_behind) \
  { \
    S sums[WIDE / sizeof (S)], before[WIDE / sizeof (S)]; \
    const guint8 *from = self->from + column * sizeof (T); \
    guint8 *to = stores ? self->to + column * sizeof (T) : NULL; \
\
    memcpy (sums, self->sums + column * sizeof (S), width * sizeof (S)); \
    if (is_behind) \
      memcpy (before, self->before + column * sizeof (S), width * sizeof (S)); \
    for (gsize i = 0; i < self->rows; i++, from += self->from_row) \
      { \
        const T##_there *a = (gconstpointer) from; \
        T##_there *b = (gpointer) to; \
\
        KEPT INDEPENDENT for (gsize j = 0; j < width; j++) \
          { \
            sums[j] = combine_##name (sums[j], read (a[j])); \
            if (stores) \
              b[j] = (T) (is_behind ? combine_##name (before[j], sums[j]) : sums[j]); \
          } \
        if (stores) \
          to += self->to_row; \
      } \
    memcpy (self->sums + column * sizeof (S), sums, width * sizeof (S)); \
  } \
\
  /* Fewer columns than a register has. */ \
  static __attribute__ ((noinline)) void \
  rest_##name (const GhloCpuScan *self, \
               gsize              column) \
  { \
    block_##name (self, column, self->columns - column, self->to != NULL, !exact && self->before != NULL); \
  } \
\
  static inline __attribute__ ((always_inline)) void \
  columns_##name (const GhloCpuScan *self, \
                  gboolean           stores, \
                  gboolean           is_behind) \
  { \
    gsize column = 0, n = self->columns; \
\
    for (; n - column >= WIDE / sizeof (S); column += WIDE / sizeof (S)) \
      block_##name (self, column, WIDE / sizeof (S), stores, is_behind); \
    for (; n - column >= 2 * LANES (S); column += 2 * LANES (S)) \
      block_##name (self, column, 2 * LANES (S), stores, is_behind); \
    for (; n - column >= LANES (S); column += LANES (S)) \
      block_##name (self, column, LANES (S), stores, is_behind); \
    if (column < n) \
      rest_##name (self, column); \
  } \
\
  static __attribute__ ((noinline)) void \
  sum_##name (const GhloCpuScan *self) \
  { \
    columns_##name (self, FALSE, FALSE); \
  } \
\
  /* A last register that begins early enough to be whole takes the rest, of the sums as they were. */ \
  static void \
  reduce_##name (const GhloCpuScan *self) \
  { \
    const gsize before = self->columns - LANES (S); \
    GhloCpuScan whole = *self, last = *self; \
    S sums[LANES (S)]; \
\
    memcpy (sums, self->sums + before * sizeof (S), sizeof (sums)); \
    last.columns = LANES (S); \
    last.from += before * sizeof (T); \
    last.sums = (guint8 *) sums; \
    sum_##name (&last); \
    whole.columns -= self->columns % LANES (S); \
    sum_##name (&whole); \
    memcpy (self->sums + before * sizeof (S), sums, sizeof (sums)); \
  } \
\
  static void \
  scan_##name (const GhloCpuScan *self) \
  { \
    if (self->to == NULL && self->columns > LANES (S) && self->columns % LANES (S) != 0) \
      reduce_##name (self); \
    else if (self->to == NULL) \
      sum_##name (self); \
    else if (!exact && self->before != NULL) \
      columns_##name (self, TRUE, TRUE); \
    else \
      columns_##name (self, TRUE, FALSE); \
  }

#define SAME(x) (x)
#define SCAN(name, T, S, exact, expression) SCAN_OF (name, T, S, SAME, exact, expression)

#define INTEGERS(bits, W) \
  SCAN (add_##bits, U##bits, U##bits, TRUE, (W) x + y) \
  SCAN (and_##bits, U##bits, U##bits, TRUE, x & y) \
  SCAN (multiply_##bits, U##bits, U##bits, TRUE, (W) x * y) \
  SCAN (or_##bits, U##bits, U##bits, TRUE, x | y) \
  SCAN (xor_##bits, U##bits, U##bits, TRUE, x ^ y) \
  SCAN (maximum_s##bits, S##bits, S##bits, TRUE, x > y ? x : y) \
  SCAN (minimum_s##bits, S##bits, S##bits, TRUE, x < y ? x : y) \
  SCAN (maximum_u##bits, U##bits, U##bits, TRUE, x > y ? x : y) \
  SCAN (minimum_u##bits, U##bits, U##bits, TRUE, x < y ? x : y)

INTEGERS (8, guint32)
INTEGERS (16, guint32)
INTEGERS (32, guint32)
INTEGERS (64, guint64)
SCAN (and_i1, I1, I1, TRUE, (x != 0) & (y != 0))
SCAN (or_i1, I1, I1, TRUE, (x != 0) | (y != 0))
SCAN (xor_i1, I1, I1, TRUE, (x != 0) ^ (y != 0))

#define FLOATS(T, S, read, suffix, number) \
  SCAN_OF (add_##suffix, T, S, read, FALSE, x + y) \
  SCAN_OF (multiply_##suffix, T, S, read, FALSE, x * y) \
  SCAN_OF (maximum_##suffix, T, S, read, TRUE, larger_##number (x, y)) \
  SCAN_OF (minimum_##suffix, T, S, read, TRUE, smaller_##number (x, y))

#define READ_BF16(x) from_bits_f32 ((U32) (x) << 16)

FLOATS (F32, F32, SAME, f32, f32)
FLOATS (F64, F64, SAME, f64, f64)
FLOATS (U16, F32, READ_BF16, bf16, f32)
SCAN (add_wide, F32, F64, FALSE, x + y)

const GhloCpuScanFunc NAME (scans)[GHLO_CPU_N_NUMBERS][GHLO_N_COMBINERS] = {
  [GHLO_CPU_NUMBER_I1] = {
    [GHLO_COMBINER_AND] = scan_and_i1,
    [GHLO_COMBINER_OR] = scan_or_i1,
    [GHLO_COMBINER_XOR] = scan_xor_i1,
  },
  NUMBER_COMBINERS (scan_),
};

const GhloCpuScanFunc NAME (bf16_scans)[GHLO_N_COMBINERS] = FLOAT_COMBINERS (scan_, bf16);
const GhloCpuScanFunc NAME (wide_sum) = scan_add_wide;
