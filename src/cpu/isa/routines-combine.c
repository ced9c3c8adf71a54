/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Updates of elements by other elements (routines.h, GhloCpuCombineLoops), for each type and operation. f16 and bf16
 * are combined in f32, whose results round to the same numbers (24 bits are at least 2 × 11 + 2), except for products
 * of bf16 that are subnormal. Compiled for each level and vectorized by the compiler.
 */

#include "cpu/isa/extremes-private.h"
#include "cpu/isa/halves-private.h"
#include "cpu/move/indexer.h"

#include <string.h>

/* Bytes of the elements that are combined at once, which are one or more registers. */
#define SPAN_BYTES 64

/* The fewest updates of the same row whose sums stay in registers meanwhile, and the registers for them; MIN_SAME: the
 * fewest updates of an element that stays in one; SEEN: updates that are counted to tell. */
enum { MIN_RUN = 8, MAX_SUMS = 4, MIN_SAME = 2, SEEN = 16 };

/* Whether of a few rows most are added to the same row as the one before, so that runs have @least rows or more, as far
 * as the first rows show. */
static gboolean
are_runs (const gint64 *offsets,
          gsize         n,
          gsize         least)
{
  gsize n_same = 0;

  n = MIN (n, SEEN);
  for (gsize i = 1; i < n; i++)
    n_same += offsets[i] == offsets[i - 1];

  return n_same + 1 >= n - n / least;
}

/* The loop over rows of @count elements, which the compiler knows. */
#define ROWS_OF(name, T, count) \
  case (count) * sizeof (T) <= SPAN_BYTES ? count : -(count): \
    for (gsize i = 0; i < n_rows; i++) \
      if (offsets[i] != GHLO_CPU_OUT_OF_BOUNDS) \
        name##_span ((T_##name *) (to + offsets[i]), (const T_##name *) (from + others[i]), count); \
    return;

/* The loop over rows around the loop for a row. */
#define ROWS(name, T) \
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
    const gboolean is_dense = to_stride == sizeof (T) && from_stride == sizeof (T); \
\
    switch (is_dense ? (gint64) n : 0) \
      { \
      ROWS_OF (name, T, 1) \
      ROWS_OF (name, T, 2) \
      ROWS_OF (name, T, 4) \
      ROWS_OF (name, T, 8) \
      ROWS_OF (name, T, 16) \
      } \
    for (gsize i = 0; i < n_rows; i++) \
      if (offsets[i] != GHLO_CPU_OUT_OF_BOUNDS && is_dense) \
        name##_dense (to + offsets[i], from + others[i], n); \
      else if (offsets[i] != GHLO_CPU_OUT_OF_BOUNDS) \
        name##_row (to + offsets[i], to_stride, from + others[i], from_stride, n); \
  }

/* A loop that gcc would otherwise replace by its iterations before it looks for vectors. */
#ifdef __clang__
#define VECTORS INDEPENDENT
#define FOUR_TIMES
#else
#define VECTORS INDEPENDENT _Pragma ("GCC unroll 1")
#define FOUR_TIMES _Pragma ("GCC unroll 4")
#endif

/* Combines @n elements, a number that the compiler knows. */
#define LOOP_SPAN(name, T, expression) \
  static inline __attribute__ ((always_inline)) void \
  name##_span (T_##name       *to, \
               const T_##name *from, \
               const guint     n) \
  { \
    VECTORS for (guint i = 0; i < n; i++) \
      to[i] = name##_one (to[i], from[i]); \
  }

/* The same for updates that replace elements; the compiler would call a function for the loop. */
#define COPY_SPAN(name, T, expression) \
  static inline __attribute__ ((always_inline)) void \
  name##_span (T_##name       *to, \
               const T_##name *from, \
               const guint     n) \
  { \
    memcpy (to, from, n * sizeof (T)); \
  }

/* A span of @count elements where the rest of a row, of fewer elements than the span before had, has that many. */
#define PART(name, T, count) \
  if (count * sizeof (T) < SPAN_BYTES && (n & (count)) != 0) \
    { \
      name##_span (a, b, count); \
      a += count; \
      b += count; \
    }

/* Elements of type @T, which need no alignment, are combined as numbers of type @W: x is the element and y the update.
 * Adjacent elements are combined in spans of powers of two, since rows may be short. In a run of updates of the same
 * element, that stays in a register; otherwise nothing is compared, since random places follow no rule. */
#define COMBINE(name, T, W, WIDEN, NARROW, expression, SPAN, HAS_RUNS) \
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
  SPAN (name, T, expression) \
\
  static inline __attribute__ ((always_inline)) void \
  name##_dense (guint8       *to, \
                const guint8 *from, \
                gsize         n) \
  { \
    enum { COUNT = SPAN_BYTES / sizeof (T) }; \
    T_##name *a = (T_##name *) to; \
    const T_##name *b = (const T_##name *) from; \
\
    FOUR_TIMES for (const T_##name *end = b + n / COUNT * COUNT; b < end; a += COUNT, b += COUNT) \
      name##_span (a, b, COUNT); \
    PART (name, T, 32) \
    PART (name, T, 16) \
    PART (name, T, 8) \
    PART (name, T, 4) \
    PART (name, T, 2) \
    PART (name, T, 1) \
  } \
\
  static void \
  name##_row (guint8       *to, \
              gint64        to_stride, \
              const guint8 *from, \
              gint64        from_stride, \
              gsize         n) \
  { \
    if (to_stride == sizeof (T) && from_stride == sizeof (T)) \
      name##_dense (to, from, n); \
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
    if (!HAS_RUNS || !are_runs (offsets, n, MIN_SAME)) \
      { \
        for (gsize i = 0; i < n; i++) \
          if (offsets[i] != GHLO_CPU_OUT_OF_BOUNDS) \
            name##_span ((T_##name *) (to + offsets[i]), (const T_##name *) (from + others[i]), 1); \
        return; \
      } \
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
  ROWS (name, T)

#define SAME(x) (x)
#define PLAIN(name, T, expression) COMBINE (name, T, T, SAME, SAME, expression, LOOP_SPAN, TRUE)

#define SMALLER(x, y) ((x) < (y) ? (x) : (y))
#define LARGER(x, y)  ((x) > (y) ? (x) : (y))

#define MODULAR(bits) \
  COMBINE (assign_##bits, guint##bits, guint##bits, SAME, SAME, y, COPY_SPAN, FALSE) \
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

COMBINE (assign_128, Pair, Pair, SAME, SAME, y, COPY_SPAN, FALSE)

typedef float Four __attribute__ ((vector_size (16), may_alias));

#define HALVES(V, name) \
  static inline V \
  load_##name (const guint8 *from) \
  { \
    V x; \
\
    widen_halves (from, (float *) &x, sizeof (V) / sizeof (float)); \
\
    return x; \
  } \
\
  static inline void \
  store_##name (guint8 *to, \
                V       x) \
  { \
    narrow_halves ((const float *) &x, to, sizeof (V) / sizeof (float)); \
  }

HALVES (VF32, f16)
HALVES (Four, four)

#define HALF_SPAN(name, T, expression) \
  static inline __attribute__ ((always_inline)) void \
  name##_span (T_##name       *to, \
               const T_##name *from, \
               const guint     n) \
  { \
    guint i = 0; \
\
    for (; i + LANES (float) <= n; i += LANES (float)) \
      { \
        const VF32 x = load_f16 ((const guint8 *) (to + i)), y = load_f16 ((const guint8 *) (from + i)); \
\
        store_f16 ((guint8 *) (to + i), expression); \
      } \
    for (; i + 4 <= n; i += 4) \
      { \
        const Four x = load_four ((const guint8 *) (to + i)), y = load_four ((const guint8 *) (from + i)); \
\
        store_four ((guint8 *) (to + i), expression); \
      } \
    for (; i < n; i++) \
      to[i] = name##_one (to[i], from[i]); \
  }

#define FLOATS(name, T, W, WIDEN, NARROW, smaller, larger, SPAN) \
  COMBINE (add_##name, T, W, WIDEN, NARROW, x + y, SPAN, TRUE) \
  COMBINE (smaller_##name##s, T, T, SAME, SAME, smaller, LOOP_SPAN, TRUE) \
  COMBINE (larger_##name##s, T, T, SAME, SAME, larger, LOOP_SPAN, TRUE)

/* Floats of 16 bits, which are ordered like their bits as signed integers after all bits but the sign of negative ones
 * are flipped. NaN wins, and becomes quiet. */
#define HALF_KEY(x)                ((gint16) ((x) ^ ((gint16) (x) >> 15 & 0x7fff)))
#define IS_NAN(x, infinity)        (((x) & 0x7fff) > infinity)
#define EXTREME_HALF(better, infinity, quiet) \
  (IS_NAN (x, infinity) ? x | quiet : IS_NAN (y, infinity) ? y | quiet : HALF_KEY (x) better HALF_KEY (y) ? x : y)

#define FROM_BF16(x) ghlo_float_of_bits ((guint32) (x) << 16)
#define TO_BF16(x)   round_to_bf16 (ghlo_bits_of_float (x))

COMBINE (multiply_f32, float, float, SAME, SAME, x * y, LOOP_SPAN, TRUE)
COMBINE (multiply_f64, double, double, SAME, SAME, x * y, LOOP_SPAN, TRUE)
COMBINE (multiply_f16, guint16, float, float_from_half, half_from_float, x * y, HALF_SPAN, TRUE)
FLOATS (f32, float, float, SAME, SAME, smaller_f32 (x, y), larger_f32 (x, y), LOOP_SPAN)
FLOATS (f64, double, double, SAME, SAME, smaller_f64 (x, y), larger_f64 (x, y), LOOP_SPAN)
FLOATS (bf16, guint16, float, FROM_BF16, TO_BF16, EXTREME_HALF (<, 0x7f80, 0x40), EXTREME_HALF (>, 0x7f80, 0x40),
        LOOP_SPAN)
FLOATS (f16, guint16, float, float_from_half, half_from_float, EXTREME_HALF (<, 0x7c00, 0x200),
        EXTREME_HALF (>, 0x7c00, 0x200), HALF_SPAN)

VECTOR (guint8, VU8);

#define LOAD(V, T) \
  static inline V \
  load_##T (const guint8 *from) \
  { \
    return *(const V##_any *) from; \
  } \
\
  static inline void \
  store_##T (guint8 *to, \
             V       x) \
  { \
    *(V##_any *) to = x; \
  }

LOAD (VU8, guint8)
LOAD (VU16, guint16)
LOAD (VU32, guint32)
LOAD (VU64, guint64)
LOAD (VF32, float)
LOAD (VF64, double)

#define load_bf16 read_bf16

static inline void
store_bf16 (guint8 *to,
            VF32    x)
{
  *(VHalf *) to = __builtin_convertvector ((VU32) x >> 16, VHalf);
}

/* The bf16 that round_to_bf16 () gives, as floats. A NaN has the bits of a bf16, since it comes from one, and keeps
 * them. */
static inline VF32
round_bf16 (VF32 x)
{
  const VU32 bits = (VU32) x;

  return (VF32) ((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000);
}

static inline VF32
round_f16 (VF32 x)
{
#if defined (__AVX512F__)
  return (VF32) _mm512_cvtph_ps (_mm512_cvtps_ph ((__m512) x, _MM_FROUND_TO_NEAREST_INT));
#elif defined (__F16C__)
  return (VF32) _mm256_cvtph_ps (_mm256_cvtps_ph ((__m256) x, _MM_FROUND_TO_NEAREST_INT));
#else
  guint8 halves[VECTOR_BYTES / 2];

  store_f16 (halves, x);

  return load_f16 (halves);
#endif
}

/* Bytes of elements of type @T that a register of type @V holds as numbers. */
#define STEP_OF(T, V) (sizeof (T) * (sizeof (V) / sizeof (((V) { 0 })[0])))

/* Rows that are added to one. */
typedef struct
{
  guint8       *to;
  const gint64 *others;
  gsize         n;
} Updates;

/* Finds up to @most runs of updates of different rows, each behind the one before it, from *@at on, which it
 * advances. */
static inline guint
find_runs (guint8       *to,
           const gint64 *offsets,
           const gint64 *others,
           gsize         n,
           guint         most,
           gsize        *at,
           Updates      *runs)
{
  guint found = 0;
  gint64 last = -1;

  while (found < most && *at < n)
    {
      const gsize i = *at;
      const gint64 offset = offsets[i];
      gsize end = i + 1;

      if (offset != GHLO_CPU_OUT_OF_BOUNDS && found > 0 && offset <= last)
        break;
      while (end < n && offsets[end] == offset)
        end++;
      if (offset != GHLO_CPU_OUT_OF_BOUNDS)
        {
          runs[found++] = (Updates) { to + offset, others + i, end - i };
          last = offset;
        }
      *at = end;
    }

  return found;
}

/* sum: adds rows of @n elements to @n_runs rows side by side, since each addition waits for the one before it; the rows
 * have @count registers each, and are read as if they filled them. */
#define SUMS(name, T, V, type, ROUND) \
  static inline __attribute__ ((always_inline)) void \
  sum_##name (const Updates *runs, \
              const guint8  *from, \
              gsize          n, \
              const guint    n_runs, \
              const guint    count) \
  { \
    enum { STEP = STEP_OF (T, V) }; \
    guint8 rows[MAX_SUMS][MAX_SUMS * STEP]; \
    V x[MAX_SUMS]; \
    gsize least = runs[0].n; \
\
    for (guint k = 0; k < n_runs; k++) \
      { \
        memset (rows[k], 0, count * STEP); \
        memcpy (rows[k], runs[k].to, n * sizeof (T)); \
        least = MIN (least, runs[k].n); \
      } \
    UNROLL for (guint k = 0; k < n_runs * count; k++) \
      x[k] = load_##type (rows[k / count] + k % count * STEP); \
    for (gsize i = 0; i < least; i++) \
      UNROLL for (guint k = 0; k < n_runs * count; k++) \
        x[k] = ROUND (x[k] + load_##type (from + runs[k / count].others[i] + k % count * STEP)); \
    UNROLL for (guint k = 0; k < n_runs * count; k++) \
      store_##type (rows[k / count] + k % count * STEP, x[k]); \
    for (guint k = 0; k < n_runs; k++) \
      { \
        memcpy (runs[k].to, rows[k], n * sizeof (T)); \
        for (gsize i = least; i < runs[k].n; i++) \
          add_##name##_dense (runs[k].to, from + runs[k].others[i], n); \
      } \
  } \
\
  static void \
  sum_runs_##name (const Updates *runs, \
                   guint          n_runs, \
                   const guint8  *from, \
                   gsize          n, \
                   guint          count) \
  { \
    if (count == 1 && n_runs == MAX_SUMS) \
      sum_##name (runs, from, n, MAX_SUMS, 1); \
    else if (count == 2 && n_runs == 2) \
      sum_##name (runs, from, n, 2, 2); \
    else \
      for (guint k = 0; k < n_runs; k++) \
        switch (count) \
          { \
          case 1: sum_##name (runs + k, from, n, 1, 1); break; \
          case 2: sum_##name (runs + k, from, n, 1, 2); break; \
          case 3: sum_##name (runs + k, from, n, 1, 3); break; \
          default: sum_##name (runs + k, from, n, 1, 4); \
          } \
  } \
\
  /* Rows are only read beyond their ends where there are others behind them. */ \
  static void \
  sum_##name##_rows (guint8       *to, \
                     gint64        to_stride, \
                     const gint64 *offsets, \
                     const guint8 *from, \
                     gint64        from_stride, \
                     const gint64 *others, \
                     gsize         n_rows, \
                     gsize         n) \
  { \
    const guint count = (guint) MIN ((n * sizeof (T) + STEP_OF (T, V) - 1) / STEP_OF (T, V), MAX_SUMS + 1); \
    const gint64 end = n_rows > 0 ? others[n_rows - 1] + (gint64) (n * sizeof (T)) : 0; \
    gsize n_whole = 0, at = 0; \
    Updates runs[MAX_SUMS]; \
\
    if (to_stride == sizeof (T) && from_stride == sizeof (T) && count > 0 && count <= MAX_SUMS \
        && are_runs (offsets, n_rows, MIN_RUN)) \
      while (n_whole < n_rows && others[n_whole] + (gint64) (count * STEP_OF (T, V)) <= end) \
        n_whole++; \
    while (at < n_whole) \
      { \
        const guint n_runs = find_runs (to, offsets, others, n_whole, MAX_SUMS / count, &at, runs); \
\
        sum_runs_##name (runs, n_runs, from, n, count); \
      } \
    add_##name##_rows (to, to_stride, offsets + at, from, from_stride, others + at, n_rows - at, n); \
  }

#define SAME_SUMS(name, T, V) SUMS (name, T, V, T, SAME)

SAME_SUMS (8, guint8, VU8)
SAME_SUMS (16, guint16, VU16)
SAME_SUMS (32, guint32, VU32)
SAME_SUMS (64, guint64, VU64)
SAME_SUMS (f32, float, VF32)
SAME_SUMS (f64, double, VF64)
SUMS (bf16, guint16, VF32, bf16, round_bf16)
SUMS (f16, guint16, VF32, f16, round_f16)

typedef guint16 Eight __attribute__ ((vector_size (16)));
typedef guint32 EightBits __attribute__ ((vector_size (32)));
typedef float EightFloats __attribute__ ((vector_size (32)));

static inline __attribute__ ((always_inline)) void
widen_eight_bf16 (const Eight *from,
                  EightFloats *to)
{
  *to = (EightFloats) (__builtin_convertvector (*from, EightBits) << 16);
}

static inline __attribute__ ((always_inline)) void
round_eight_bf16 (EightFloats *x)
{
  const EightBits bits = (EightBits) *x;

  *x = (EightFloats) ((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000);
}

static inline __attribute__ ((always_inline)) void
narrow_eight_bf16 (const EightFloats *from,
                   Eight             *to)
{
  *to = __builtin_convertvector ((EightBits) *from >> 16, Eight);
}

static inline __attribute__ ((always_inline)) void
widen_eight_f16 (const Eight *from,
                 EightFloats *to)
{
  widen_halves ((const guint8 *) from, (float *) to, 8);
}

static inline __attribute__ ((always_inline)) void
narrow_eight_f16 (const EightFloats *from,
                  Eight             *to)
{
  narrow_halves ((const float *) from, (guint8 *) to, 8);
}

static inline __attribute__ ((always_inline)) void
round_eight_f16 (EightFloats *x)
{
  Eight rounded;

  narrow_eight_f16 (x, &rounded);
  widen_eight_f16 (&rounded, x);
}

#define READ_EIGHT(at) \
  (Eight) { *(const Unit2 *) (at (0)), *(const Unit2 *) (at (1)), *(const Unit2 *) (at (2)), \
            *(const Unit2 *) (at (3)), *(const Unit2 *) (at (4)), *(const Unit2 *) (at (5)), \
            *(const Unit2 *) (at (6)), *(const Unit2 *) (at (7)) }
#define SUM_OF(k)    (runs[k].to)
#define UPDATE_OF(k) (from + runs[k].others[i])

/* Adds runs of halves to eight elements at a time, since rounding takes longer than adding. */
#define HALF_POINTS(name) \
  static void \
  sum_##name##_points (guint8       *to, \
                       const gint64 *offsets, \
                       const guint8 *from, \
                       const gint64 *others, \
                       gsize         n) \
  { \
    gsize at = 0, next = 0; \
    Updates runs[8]; \
\
    if (are_runs (offsets, n, MAX_SUMS)) \
      for (; find_runs (to, offsets, others, n, 8, &next, runs) == 8; at = next) \
        { \
          gsize least = runs[0].n; \
          Eight sums = READ_EIGHT (SUM_OF); \
          EightFloats x; \
\
          widen_eight_##name (&sums, &x); \
          for (guint k = 1; k < 8; k++) \
            least = MIN (least, runs[k].n); \
          for (gsize i = 0; i < least; i++) \
            { \
              const Eight updates = READ_EIGHT (UPDATE_OF); \
              EightFloats y; \
\
              widen_eight_##name (&updates, &y); \
              x += y; \
              round_eight_##name (&x); \
            } \
          narrow_eight_##name (&x, &sums); \
          for (guint k = 0; k < 8; k++) \
            { \
              guint16 sum = sums[k]; \
\
              for (gsize i = least; i < runs[k].n; i++) \
                sum = add_##name##_one (sum, *(const Unit2 *) UPDATE_OF (k)); \
              *(Unit2 *) runs[k].to = sum; \
            } \
        } \
    add_##name##_points (to, offsets + at, from, others + at, n - at); \
  }

HALF_POINTS (bf16)
HALF_POINTS (f16)

#define LOOPS(name) { name##_row, name##_points, name##_rows }
#define ADD_LOOPS(type) { add_##type##_row, add_##type##_points, sum_##type##_rows }
#define HALF_LOOPS(type) { add_##type##_row, sum_##type##_points, sum_##type##_rows }

#define INTEGERS(sign, bits) \
  { \
    [GHLO_COMBINER_ADD] = ADD_LOOPS (bits), [GHLO_COMBINER_MULTIPLY] = LOOPS (multiply_##bits), \
    [GHLO_COMBINER_MINIMUM] = LOOPS (smaller_##sign##bits), \
    [GHLO_COMBINER_MAXIMUM] = LOOPS (larger_##sign##bits), \
    [GHLO_COMBINER_AND] = LOOPS (and_##bits), [GHLO_COMBINER_OR] = LOOPS (or_##bits), \
    [GHLO_COMBINER_XOR] = LOOPS (xor_##bits), \
  }

#define REALS(type, ADD) \
  { \
    [GHLO_COMBINER_ADD] = ADD (type), [GHLO_COMBINER_MULTIPLY] = LOOPS (multiply_##type), \
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
  [GHLO_ELEMENT_TYPE_F32] = REALS (f32, ADD_LOOPS),
  [GHLO_ELEMENT_TYPE_F64] = REALS (f64, ADD_LOOPS),
  [GHLO_ELEMENT_TYPE_F16] = REALS (f16, HALF_LOOPS),
  [GHLO_ELEMENT_TYPE_BF16] = {
    [GHLO_COMBINER_ADD] = HALF_LOOPS (bf16), [GHLO_COMBINER_MINIMUM] = LOOPS (smaller_bf16s),
    [GHLO_COMBINER_MAXIMUM] = LOOPS (larger_bf16s),
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
