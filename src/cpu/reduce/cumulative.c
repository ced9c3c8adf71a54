/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Cumulative reductions. Each element depends on the previous one, so a row is cut into eight segments that are
 * reduced side by side; then the total of the preceding segments is combined into each segment. Short rows are
 * reduced side by side as a whole.
 */

#include "cpu/reduce/cumulative.h"

enum { SEGMENTS = 8, MIN_SEGMENT = 4 };

#define ADD(a, b)      ((a) + (b))
#define MULTIPLY(a, b) ((a) * (b))
#define AND(a, b)      ((a) & (b))
#define OR(a, b)       ((a) | (b))
#define XOR(a, b)      ((a) ^ (b))
#define GREATER(a, b)  ((a) > (b) ? (a) : (b))
#define LESSER(a, b)   ((a) < (b) ? (a) : (b))
#define SIGNED_GREATER(a, b) ((gint64) (a) > (gint64) (b) ? (a) : (b))
#define SIGNED_LESSER(a, b)  ((gint64) (a) < (gint64) (b) ? (a) : (b))
/* Equal floats that differ in bits are zeros; their maximum is +0 and their minimum -0. */
#define FLOAT_GREATER(a, b) \
  ((a) != (a) || (a) > (b) || ((a) == (b) && !__builtin_signbit (a)) ? (a) : (b))
#define FLOAT_LESSER(a, b) \
  ((a) != (a) || (a) < (b) || ((a) == (b) && __builtin_signbit (a)) ? (a) : (b))

#define DEFINE_LOOPS(NAME, T, FIELD, OP) \
  static inline T \
  apply_##NAME (T a, \
                T b) \
  { \
    return OP (a, b); \
  } \
  \
  static inline void \
  add_inside_##NAME (GhloCpuCarry *carry, \
                     T             number) \
  { \
    carry->inside.FIELD = carry->begun ? apply_##NAME (carry->inside.FIELD, number) : number; \
    carry->begun = TRUE; \
  } \
  \
  static inline T \
  before_##NAME (const GhloCpuCarry *carry) \
  { \
    return carry->begun ? apply_##NAME (carry->before.FIELD, carry->inside.FIELD) : carry->before.FIELD; \
  } \
  \
  static inline void \
  segments_##NAME (T     *numbers, \
                   gsize  length, \
                   gint64 step, \
                   T      totals[SEGMENTS], \
                   gboolean store) \
  { \
    T *at[SEGMENTS]; \
    \
    for (guint s = 0; s < SEGMENTS; s++) \
      { \
        at[s] = numbers + (gint64) (s * length) * step; \
        totals[s] = *at[s]; \
      } \
    for (gsize i = 1; i < length; i++) \
      for (guint s = 0; s < SEGMENTS; s++) \
        { \
          totals[s] = apply_##NAME (totals[s], at[s][(gint64) i * step]); \
          if (store) \
            at[s][(gint64) i * step] = totals[s]; \
        } \
  } \
  \
  static inline void \
  run_##NAME (T            *numbers, \
              gsize         n, \
              gint64        step, \
              GhloCpuCarry *carry, \
              gboolean      store) \
  { \
    gsize length = n / SEGMENTS < MIN_SEGMENT ? 0 : n / SEGMENTS; \
    T totals[SEGMENTS]; \
    \
    if (n == 0) \
      return; \
    if (step < 0) \
      numbers += n - 1; \
    if (length > 0) \
      segments_##NAME (numbers, length, step, totals, store); \
    for (guint s = 0; length > 0 && s < SEGMENTS; s++) \
      { \
        T before = before_##NAME (carry), *first = step < 0 ? numbers - (length - 1) : numbers; \
        \
        for (gsize i = 0; store && i < length; i++) \
          first[i] = apply_##NAME (before, first[i]); \
        add_inside_##NAME (carry, totals[s]); \
        numbers += (gint64) length * step; \
      } \
    for (gsize i = SEGMENTS * length; i < n; i++) \
      { \
        add_inside_##NAME (carry, *numbers); \
        if (store) \
          *numbers = before_##NAME (carry); \
        numbers += step; \
      } \
  } \
  \
  static void \
  row_##NAME (gpointer      numbers, \
              gsize         n, \
              gboolean      backward, \
              GhloCpuCarry *carry) \
  { \
    if (backward) \
      run_##NAME (numbers, n, -1, carry, TRUE); \
    else \
      run_##NAME (numbers, n, 1, carry, TRUE); \
  } \
  \
  static inline void \
  side_by_side_##NAME (T     *numbers, \
                       gsize  n, \
                       gint64 step, \
                       guint  n_rows, \
                       T      start) \
  { \
    T totals[SEGMENTS]; \
    \
    for (guint s = 0; s < n_rows; s++) \
      totals[s] = start; \
    for (gsize i = 0; i < n; i++) \
      for (guint s = 0; s < n_rows; s++) \
        { \
          T *at = numbers + (gint64) (s * n) + (gint64) i * step; \
          \
          totals[s] = *at = apply_##NAME (totals[s], *at); \
        } \
  } \
  \
  static void \
  rows_##NAME (gpointer                  numbers, \
               gsize                     n, \
               gsize                     n_rows, \
               gboolean                  backward, \
               const GhloCpuNumberValue *start) \
  { \
    T *first = (T *) numbers + (backward ? n - 1 : 0); \
    gint64 step = backward ? -1 : 1; \
    \
    for (; n_rows >= SEGMENTS; n_rows -= SEGMENTS, first += SEGMENTS * n) \
      side_by_side_##NAME (first, n, step, SEGMENTS, start->FIELD); \
    for (; n_rows > 0; n_rows--, first += n) \
      side_by_side_##NAME (first, n, step, 1, start->FIELD); \
  } \
  \
  static void \
  total_##NAME (gconstpointer  numbers, \
                gsize          n, \
                gboolean       backward, \
                GhloCpuCarry  *carry) \
  { \
    run_##NAME ((T *) numbers, n, backward ? -1 : 1, carry, FALSE); \
  } \
  \
  static void \
  close_##NAME (GhloCpuCarry *carry) \
  { \
    carry->before.FIELD = before_##NAME (carry); \
    carry->begun = FALSE; \
  } \
  \
  static void \
  combine_##NAME (gpointer      to, \
                  gconstpointer numbers, \
                  gsize         n) \
  { \
    T *x = to; \
    const T *y = numbers; \
    \
    for (gsize i = 0; i < n; i++) \
      x[i] = apply_##NAME (x[i], y[i]); \
  }

DEFINE_LOOPS (f32_add, float, f32, ADD)
DEFINE_LOOPS (f32_multiply, float, f32, MULTIPLY)
DEFINE_LOOPS (f32_maximum, float, f32, FLOAT_GREATER)
DEFINE_LOOPS (f32_minimum, float, f32, FLOAT_LESSER)
DEFINE_LOOPS (f64_add, double, f64, ADD)
DEFINE_LOOPS (f64_multiply, double, f64, MULTIPLY)
DEFINE_LOOPS (f64_maximum, double, f64, FLOAT_GREATER)
DEFINE_LOOPS (f64_minimum, double, f64, FLOAT_LESSER)
DEFINE_LOOPS (i64_add, guint64, i64, ADD)
DEFINE_LOOPS (i64_multiply, guint64, i64, MULTIPLY)
DEFINE_LOOPS (i64_maximum, guint64, i64, SIGNED_GREATER)
DEFINE_LOOPS (i64_minimum, guint64, i64, SIGNED_LESSER)
DEFINE_LOOPS (i64_maximum_unsigned, guint64, i64, GREATER)
DEFINE_LOOPS (i64_minimum_unsigned, guint64, i64, LESSER)
DEFINE_LOOPS (i64_and, guint64, i64, AND)
DEFINE_LOOPS (i64_or, guint64, i64, OR)
DEFINE_LOOPS (i64_xor, guint64, i64, XOR)

#define LOOPS(NAME) { row_##NAME, rows_##NAME, total_##NAME, close_##NAME, combine_##NAME }

static const GhloCpuCumulativeLoops loops[GHLO_CPU_N_ARITHMETICS][GHLO_N_COMBINERS] = {
  [GHLO_CPU_F32] = {
    [GHLO_COMBINER_ADD] = LOOPS (f32_add),
    [GHLO_COMBINER_MULTIPLY] = LOOPS (f32_multiply),
    [GHLO_COMBINER_MAXIMUM] = LOOPS (f32_maximum),
    [GHLO_COMBINER_MINIMUM] = LOOPS (f32_minimum),
  },
  [GHLO_CPU_F64] = {
    [GHLO_COMBINER_ADD] = LOOPS (f64_add),
    [GHLO_COMBINER_MULTIPLY] = LOOPS (f64_multiply),
    [GHLO_COMBINER_MAXIMUM] = LOOPS (f64_maximum),
    [GHLO_COMBINER_MINIMUM] = LOOPS (f64_minimum),
  },
  [GHLO_CPU_I64] = {
    [GHLO_COMBINER_ADD] = LOOPS (i64_add),
    [GHLO_COMBINER_MULTIPLY] = LOOPS (i64_multiply),
    [GHLO_COMBINER_MAXIMUM] = LOOPS (i64_maximum),
    [GHLO_COMBINER_MINIMUM] = LOOPS (i64_minimum),
    [GHLO_COMBINER_AND] = LOOPS (i64_and),
    [GHLO_COMBINER_OR] = LOOPS (i64_or),
    [GHLO_COMBINER_XOR] = LOOPS (i64_xor),
  },
};

/* The operations that differ for unsigned integers. */
static const GhloCpuCumulativeLoops unsigned_loops[GHLO_N_COMBINERS] = {
  [GHLO_COMBINER_MAXIMUM] = LOOPS (i64_maximum_unsigned),
  [GHLO_COMBINER_MINIMUM] = LOOPS (i64_minimum_unsigned),
};

const GhloCpuCumulativeLoops *
ghlo_cpu_cumulative_loops (GhloCpuArithmetic arithmetic,
                           GhloCombiner      combiner,
                           gboolean          is_unsigned)
{
  const GhloCpuCumulativeLoops *found = &loops[arithmetic][combiner];

  if (is_unsigned && unsigned_loops[combiner].row != NULL)
    found = &unsigned_loops[combiner];

  return found->row != NULL ? found : NULL;
}
