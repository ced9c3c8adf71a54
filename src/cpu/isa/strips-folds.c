/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Folds along strips by a single operation: element i goes to chain (first + i) % n_chains. Adjacent chains are lanes
 * of vectors, and those of two cache lines stay in registers. Each chain is combined in the order of its elements, so
 * that all levels give the same bits.
 */

#include "cpu/isa/extremes-private.h"
#include "cpu/isa/strips-private.h"

#include <string.h>

/* @expression combines z, the value so far, with x, and with y where there are two operands. */
#define FOLD(name, T, n_operands, expression) \
  static inline T \
  combine_##name (T z, \
                  T x, \
                  T y) \
  { \
    return (T) (expression); \
  } \
\
  /* One element for each of @n accumulators. */ \
  static inline void \
  row_##name (T##_there       *accumulators, \
              const T##_there *a, \
              const T##_there *b, \
              gsize            n) \
  { \
    INDEPENDENT for (gsize i = 0; i < n; i++) \
      accumulators[i] = combine_##name (accumulators[i], a[i], b[i]); \
  } \
\
  /* @n elements, @stride apart, for each of the accumulators that fit into registers. */ \
  static inline void \
  columns_##name (T##_there       *accumulators, \
                  const T##_there *a, \
                  const T##_there *b, \
                  gsize            n, \
                  gsize            stride) \
  { \
    T values[128 / sizeof (T)]; \
\
    memcpy (values, accumulators, sizeof values); \
    for (gsize i = 0; i < n; i++, a += stride, b += stride) \
      for (gsize j = 0; j < G_N_ELEMENTS (values); j++) \
        values[j] = combine_##name (values[j], a[j], b[j]); \
    memcpy (accumulators, values, sizeof values); \
  } \
\
  static inline void \
  chain_##name (T##_there       *accumulator, \
                const T##_there *a, \
                const T##_there *b, \
                gsize            n) \
  { \
    T value = *accumulator; \
\
    for (gsize i = 0; i < n; i++) \
      value = combine_##name (value, a[i], b[i]); \
    *accumulator = value; \
  } \
\
  static void \
  fold_##name (const guint8 *const *operands, \
               guint8              *accumulators, \
               gsize                n, \
               gsize                n_chains, \
               gsize                first) \
  { \
    const T##_there *a = (gconstpointer) operands[0], *b = (gconstpointer) operands[n_operands - 1]; \
    T##_there *to = (gpointer) accumulators; \
    gsize head = first > 0 ? MIN (n, n_chains - first) : 0, n_rows, column = 0; \
\
    row_##name (to + first, a, b, head); \
    a += head; \
    b += head; \
    n -= head; \
    n_rows = n / n_chains; \
    if (n_chains == 1) \
      { \
        chain_##name (to, a, b, n); \
        return; \
      } \
    for (; column + 128 / sizeof (T) <= n_chains; column += 128 / sizeof (T)) \
      columns_##name (to + column, a + column, b + column, n_rows, n_chains); \
    for (gsize i = 0; i < n_rows && column < n_chains; i++) \
      row_##name (to + column, a + i * n_chains + column, b + i * n_chains + column, n_chains - column); \
    row_##name (to, a + n_rows * n_chains, b + n_rows * n_chains, n - n_rows * n_chains); \
  } \
\
  static G_GNUC_UNUSED void \
  halve_##name (guint8 *accumulators, \
                gsize   n_chains) \
  { \
    T##_there *to = (gpointer) accumulators; \
\
    for (gsize n = n_chains / 2; n > 0; n /= 2) \
      row_##name (to, to + n, to + n, n); \
  }

#define INTEGERS(bits, Wide) \
  FOLD (add_##bits, U##bits, 1, (Wide) z + x) \
  FOLD (multiply_##bits, U##bits, 1, (Wide) z * x) \
  FOLD (and_##bits, U##bits, 1, z & x) \
  FOLD (or_##bits, U##bits, 1, z | x) \
  FOLD (xor_##bits, U##bits, 1, z ^ x) \
  FOLD (maximum_s##bits, S##bits, 1, z > x ? z : x) \
  FOLD (minimum_s##bits, S##bits, 1, z < x ? z : x) \
  FOLD (maximum_u##bits, U##bits, 1, z > x ? z : x) \
  FOLD (minimum_u##bits, U##bits, 1, z < x ? z : x)

INTEGERS (8, guint32)
INTEGERS (16, guint32)
INTEGERS (32, guint32)
INTEGERS (64, guint64)

#define FLOATS(T, suffix, f) \
  FOLD (add_##suffix, T, 1, z + x) \
  FOLD (multiply_##suffix, T, 1, z * x) \
  FOLD (maximum_##suffix, T, 1, larger_##suffix (z, x)) \
  FOLD (minimum_##suffix, T, 1, smaller_##suffix (z, x)) \
  FOLD (fma_##suffix, T, 2, __builtin_fma##f (x, y, z))

FLOATS (F32, f32, f)
FLOATS (F64, f64, )

#define INTEGER_TABLE(sign, bits) \
  const GhloCpuFoldFunc NAME (folds_##sign##bits)[GHLO_CPU_N_FOLDS] = { \
    [GHLO_COMBINER_ADD] = fold_add_##bits, \
    [GHLO_COMBINER_MULTIPLY] = fold_multiply_##bits, \
    [GHLO_COMBINER_AND] = fold_and_##bits, \
    [GHLO_COMBINER_OR] = fold_or_##bits, \
    [GHLO_COMBINER_XOR] = fold_xor_##bits, \
    [GHLO_COMBINER_MAXIMUM] = fold_maximum_##sign##bits, \
    [GHLO_COMBINER_MINIMUM] = fold_minimum_##sign##bits, \
  }; \
\
  const GhloCpuHalveFunc NAME (halvings_##sign##bits)[GHLO_N_COMBINERS] = { \
    [GHLO_COMBINER_ADD] = halve_add_##bits, \
    [GHLO_COMBINER_MULTIPLY] = halve_multiply_##bits, \
    [GHLO_COMBINER_AND] = halve_and_##bits, \
    [GHLO_COMBINER_OR] = halve_or_##bits, \
    [GHLO_COMBINER_XOR] = halve_xor_##bits, \
    [GHLO_COMBINER_MAXIMUM] = halve_maximum_##sign##bits, \
    [GHLO_COMBINER_MINIMUM] = halve_minimum_##sign##bits, \
  };

INTEGER_TABLE (s, 8)
INTEGER_TABLE (s, 16)
INTEGER_TABLE (s, 32)
INTEGER_TABLE (s, 64)
INTEGER_TABLE (u, 8)
INTEGER_TABLE (u, 16)
INTEGER_TABLE (u, 32)
INTEGER_TABLE (u, 64)

#define FLOAT_TABLE(suffix) \
  const GhloCpuFoldFunc NAME (folds_##suffix)[GHLO_CPU_N_FOLDS] = { \
    [GHLO_COMBINER_ADD] = fold_add_##suffix, \
    [GHLO_COMBINER_MULTIPLY] = fold_multiply_##suffix, \
    [GHLO_COMBINER_MAXIMUM] = fold_maximum_##suffix, \
    [GHLO_COMBINER_MINIMUM] = fold_minimum_##suffix, \
    [GHLO_CPU_FOLD_FMA] = fold_fma_##suffix, \
  }; \
\
  const GhloCpuHalveFunc NAME (halvings_##suffix)[GHLO_N_COMBINERS] = { \
    [GHLO_COMBINER_ADD] = halve_add_##suffix, \
    [GHLO_COMBINER_MULTIPLY] = halve_multiply_##suffix, \
    [GHLO_COMBINER_MAXIMUM] = halve_maximum_##suffix, \
    [GHLO_COMBINER_MINIMUM] = halve_minimum_##suffix, \
  };

FLOAT_TABLE (f32)
FLOAT_TABLE (f64)

/* Booleans are bytes, 0 or 1. */
const GhloCpuFoldFunc NAME (folds_i1)[GHLO_CPU_N_FOLDS] = {
  [GHLO_COMBINER_AND] = fold_and_8,
  [GHLO_COMBINER_OR] = fold_or_8,
  [GHLO_COMBINER_XOR] = fold_xor_8,
  [GHLO_COMBINER_MAXIMUM] = fold_or_8,
  [GHLO_COMBINER_MINIMUM] = fold_and_8,
};

const GhloCpuHalveFunc NAME (halvings_i1)[GHLO_N_COMBINERS] = {
  [GHLO_COMBINER_AND] = halve_and_8,
  [GHLO_COMBINER_OR] = halve_or_8,
  [GHLO_COMBINER_XOR] = halve_xor_8,
  [GHLO_COMBINER_MAXIMUM] = halve_or_8,
  [GHLO_COMBINER_MINIMUM] = halve_and_8,
};
