/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Updates of elements by other elements (routines.h, GhloCpuCombineLoops), for each type and operation. f16 and bf16
 * are combined in f32, whose results round to the same numbers (24 bits are at least 2 × 11 + 2), except for products
 * of bf16 that are subnormal. Compiled for each level and vectorized by the compiler.
 */

#include "cpu/isa/extremes-private.h"
#include "cpu/isa/halves-private.h"
#include "cpu/move/indexer.h"

enum { CHUNK = 256, SHORT_ROW = 16 };

/* The loop over rows around the loop for a row. */
#define ROWS(name) \
  static G_GNUC_UNUSED void \
  name##_rows (guint8       *to, \
               gint64        to_stride, \
               const gint64 *offsets, \
               const guint8 *from, \
               gint64        from_stride, \
               const gint64 *others, \
               gsize         n_rows, \
               gsize         n) \
  { \
    for (gsize i = 0; i < n_rows; i++) \
      if (offsets[i] != GHLO_CPU_OUT_OF_BOUNDS) \
        name##_row (to + offsets[i], to_stride, from + others[i], from_stride, n); \
  }

/* Elements of type @T, which need no alignment, are combined as numbers of type @W: x is the element and y the update.
 * In a run of updates of the same element, that stays in a register. */
#define COMBINE(name, T, W, WIDEN, NARROW, expression) \
  typedef T T_##name __attribute__ ((aligned (1), may_alias)); \
\
  static inline T \
  name##_one (T a, \
              T b) \
  { \
    W x = WIDEN (a), y = WIDEN (b); \
\
    (void) x; \
\
    return (T) NARROW (expression); \
  } \
\
  static inline void \
  name##_row (guint8       *to, \
              gint64        to_stride, \
              const guint8 *from, \
              gint64        from_stride, \
              gsize         n) \
  { \
    T_##name *a = (T_##name *) to; \
    const T_##name *b = (const T_##name *) from; \
\
    if (to_stride == sizeof (T) && from_stride == sizeof (T)) \
      for (gsize i = 0; i < n; i++) \
        a[i] = name##_one (a[i], b[i]); \
    else \
      for (gsize i = 0; i < n; i++, to += to_stride, from += from_stride) \
        *(T_##name *) to = name##_one (*(T_##name *) to, *(const T_##name *) from); \
  } \
\
  static void \
  name##_points (guint8       *to, \
                 const gint64 *offsets, \
                 const guint8 *from, \
                 const gint64 *others, \
                 gsize         n) \
  { \
    gint64 at = GHLO_CPU_OUT_OF_BOUNDS; \
    T element = { 0 }; \
\
    for (gsize i = 0; i < n; i++) \
      { \
        if (offsets[i] == GHLO_CPU_OUT_OF_BOUNDS) \
          continue; \
        if (offsets[i] != at) \
          { \
            if (at != GHLO_CPU_OUT_OF_BOUNDS) \
              *(T_##name *) (to + at) = element; \
            at = offsets[i]; \
            element = *(T_##name *) (to + at); \
          } \
        element = name##_one (element, *(const T_##name *) (from + others[i])); \
      } \
    if (at != GHLO_CPU_OUT_OF_BOUNDS) \
      *(T_##name *) (to + at) = element; \
  } \
\
  ROWS (name)

#define SAME(x) (x)
#define PLAIN(name, T, expression) COMBINE (name, T, T, SAME, SAME, expression)

#define SMALLER(x, y) ((x) < (y) ? (x) : (y))
#define LARGER(x, y)  ((x) > (y) ? (x) : (y))

#define MODULAR(bits) \
  PLAIN (assign_##bits, guint##bits, y) \
  PLAIN (add_##bits, guint##bits, x + y) \
  PLAIN (multiply_##bits, guint##bits, (guint64) x * y) \
  PLAIN (and_##bits, guint##bits, x & y) \
  PLAIN (or_##bits, guint##bits, x | y) \
  PLAIN (xor_##bits, guint##bits, x ^ y) \
  PLAIN (smaller_u##bits, guint##bits, SMALLER (x, y)) \
  PLAIN (larger_u##bits, guint##bits, LARGER (x, y)) \
  PLAIN (smaller_s##bits, gint##bits, SMALLER (x, y)) \
  PLAIN (larger_s##bits, gint##bits, LARGER (x, y))

MODULAR (8)
MODULAR (16)
MODULAR (32)
MODULAR (64)

typedef guint64 Pair __attribute__ ((vector_size (16)));

PLAIN (assign_128, Pair, y)

#define FLOATS(name, T, W, WIDEN, NARROW, type) \
  COMBINE (add_##name, T, W, WIDEN, NARROW, x + y) \
  COMBINE (smaller_##name##s, T, W, WIDEN, NARROW, smaller_##type (x, y)) \
  COMBINE (larger_##name##s, T, W, WIDEN, NARROW, larger_##type (x, y))

#define FROM_BF16(x) ghlo_float_of_bits ((guint32) (x) << 16)
#define TO_BF16(x)   round_to_bf16 (ghlo_bits_of_float (x))

COMBINE (multiply_f32, float, float, SAME, SAME, x * y)
COMBINE (multiply_f64, double, double, SAME, SAME, x * y)
COMBINE (multiply_f16, guint16, float, float_from_half, half_from_float, x * y)
FLOATS (f32, float, float, SAME, SAME, f32)
FLOATS (f64, double, double, SAME, SAME, f64)
FLOATS (bf16, guint16, float, FROM_BF16, TO_BF16, f32)
FLOATS (f16, guint16, float, float_from_half, half_from_float, f32)

/* The processors' own conversions of f16 are no operations that the compiler knows, so rows are converted in chunks. */
#define HALF_ROW(name) \
  static void \
  name##_f16_vectors_row (guint8       *to, \
                          gint64        to_stride, \
                          const guint8 *from, \
                          gint64        from_stride, \
                          gsize         n) \
  { \
    float x[CHUNK], y[CHUNK]; \
\
    if (to_stride != 2 || from_stride != 2 || n < SHORT_ROW) \
      { \
        name##_f16_row (to, to_stride, from, from_stride, n); \
        return; \
      } \
    for (gsize part; n > 0; n -= part, to += 2 * part, from += 2 * part) \
      { \
        part = MIN (n, CHUNK); \
        NAME (conversions)[GHLO_CPU_F16_TO_F32] (to, x, part); \
        NAME (conversions)[GHLO_CPU_F16_TO_F32] (from, y, part); \
        name##_f32_row ((guint8 *) x, sizeof (float), (const guint8 *) y, sizeof (float), part); \
        NAME (conversions)[GHLO_CPU_F32_TO_F16] (x, to, part); \
      } \
  } \
\
  ROWS (name##_f16_vectors)

#define smaller_f16_row smaller_f16s_row
#define smaller_f32_row smaller_f32s_row
#define larger_f16_row  larger_f16s_row
#define larger_f32_row  larger_f32s_row

HALF_ROW (add)
HALF_ROW (smaller)
HALF_ROW (larger)

#define LOOPS(name) { name##_row, name##_points, name##_rows }
#define HALF_LOOPS(name, points) { name##_f16_vectors_row, points, name##_f16_vectors_rows }

#define INTEGERS(sign, bits) \
  { \
    [GHLO_COMBINER_ADD] = LOOPS (add_##bits), [GHLO_COMBINER_MULTIPLY] = LOOPS (multiply_##bits), \
    [GHLO_COMBINER_MINIMUM] = LOOPS (smaller_##sign##bits), \
    [GHLO_COMBINER_MAXIMUM] = LOOPS (larger_##sign##bits), \
    [GHLO_COMBINER_AND] = LOOPS (and_##bits), [GHLO_COMBINER_OR] = LOOPS (or_##bits), \
    [GHLO_COMBINER_XOR] = LOOPS (xor_##bits), \
  }

#define REALS(type) \
  { \
    [GHLO_COMBINER_ADD] = LOOPS (add_##type), [GHLO_COMBINER_MULTIPLY] = LOOPS (multiply_##type), \
    [GHLO_COMBINER_MINIMUM] = LOOPS (smaller_##type##s), [GHLO_COMBINER_MAXIMUM] = LOOPS (larger_##type##s), \
  }

static const GhloCpuCombineLoops loops[GHLO_ELEMENT_TYPE_INDEX + 1][GHLO_N_COMBINERS] = {
  [GHLO_ELEMENT_TYPE_I1] = {
    [GHLO_COMBINER_AND] = LOOPS (and_8), [GHLO_COMBINER_OR] = LOOPS (or_8), [GHLO_COMBINER_XOR] = LOOPS (xor_8),
  },
  [GHLO_ELEMENT_TYPE_I8] = INTEGERS (s, 8),
  [GHLO_ELEMENT_TYPE_UI8] = INTEGERS (u, 8),
  [GHLO_ELEMENT_TYPE_I16] = INTEGERS (s, 16),
  [GHLO_ELEMENT_TYPE_UI16] = INTEGERS (u, 16),
  [GHLO_ELEMENT_TYPE_I32] = INTEGERS (s, 32),
  [GHLO_ELEMENT_TYPE_UI32] = INTEGERS (u, 32),
  [GHLO_ELEMENT_TYPE_I64] = INTEGERS (s, 64),
  [GHLO_ELEMENT_TYPE_INDEX] = INTEGERS (s, 64),
  [GHLO_ELEMENT_TYPE_UI64] = INTEGERS (u, 64),
  [GHLO_ELEMENT_TYPE_F32] = REALS (f32),
  [GHLO_ELEMENT_TYPE_F64] = REALS (f64),
  [GHLO_ELEMENT_TYPE_BF16] = {
    [GHLO_COMBINER_ADD] = LOOPS (add_bf16), [GHLO_COMBINER_MINIMUM] = LOOPS (smaller_bf16s),
    [GHLO_COMBINER_MAXIMUM] = LOOPS (larger_bf16s),
  },
  [GHLO_ELEMENT_TYPE_F16] = {
    [GHLO_COMBINER_ADD] = HALF_LOOPS (add, add_f16_points),
    [GHLO_COMBINER_MULTIPLY] = LOOPS (multiply_f16),
    [GHLO_COMBINER_MINIMUM] = HALF_LOOPS (smaller, smaller_f16s_points),
    [GHLO_COMBINER_MAXIMUM] = HALF_LOOPS (larger, larger_f16s_points),
  },
};

/* By the log2 of an element's bytes. */
static const GhloCpuCombineLoops assigns[] = {
  LOOPS (assign_8), LOOPS (assign_16), LOOPS (assign_32), LOOPS (assign_64), LOOPS (assign_128),
};

const GhloCpuCombineLoops *
NAME (find_combine_loops) (GhloElementType type,
                           GhloCombiner    combiner)
{
  const GhloCpuCombineLoops *found = combiner == GHLO_COMBINER_NONE
                                     ? &assigns[g_bit_storage (ghlo_element_info (type)->size) - 1]
                                     : &loops[type][combiner];

  return found->row != NULL ? found : NULL;
}
