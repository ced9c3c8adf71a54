/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Types that C has get loops of their own. f16 and bf16 are combined in f32, whose results round to the same numbers
 * (24 bits are at least 2 × 11 + 2). Products of bf16 and all other types go through base/element.h.
 */

#include "cpu/reduce/combine.h"

#include <math.h>

#include "cpu/isa/routines.h"
#include "cpu/move/indexer.h"

enum { CHUNK = 256 };

/* Elements of type @T need no alignment. x is the element and y the update. */
#define COMBINE(name, T, expression) \
  typedef T T_##name __attribute__ ((aligned (1), may_alias)); \
\
  static inline T \
  name##_one (T x, \
              T y) \
  { \
    return (T) (expression); \
  } \
\
  static void \
  name##_row (const GhloCpuCombine *self, \
              guint8               *to, \
              gint64                to_stride, \
              const guint8         *from, \
              gint64                from_stride, \
              gsize                 n) \
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
  name##_points (const GhloCpuCombine *self, \
                 guint8               *to, \
                 const gint64         *offsets, \
                 const guint8         *from, \
                 const gint64         *others, \
                 gsize                 n) \
  { \
    for (gsize i = 0; i < n; i++) \
      if (offsets[i] != GHLO_CPU_OUT_OF_BOUNDS) \
        { \
          T_##name *x = (T_##name *) (to + offsets[i]); \
\
          *x = name##_one (*x, *(const T_##name *) (from + others[i])); \
        } \
  }

#define SMALLER(x, y) ((x) < (y) ? (x) : (y))
#define LARGER(x, y)  ((x) > (y) ? (x) : (y))

/* A NaN wins in both minimum and maximum, and -0 is below +0. */
static inline float
smaller_f32 (float x, float y)
{
  return x < y ? x : x > y ? y : x == y ? (signbit (x) ? x : y) : x != x ? x : y;
}

static inline float
larger_f32 (float x, float y)
{
  return x > y ? x : x < y ? y : x == y ? (signbit (x) ? y : x) : x != x ? x : y;
}

static inline double
smaller_f64 (double x, double y)
{
  return x < y ? x : x > y ? y : x == y ? (signbit (x) ? x : y) : x != x ? x : y;
}

static inline double
larger_f64 (double x, double y)
{
  return x > y ? x : x < y ? y : x == y ? (signbit (x) ? y : x) : x != x ? x : y;
}

#define MODULAR(bits) \
  COMBINE (assign_##bits, guint##bits, y) \
  COMBINE (add_##bits, guint##bits, x + y) \
  COMBINE (multiply_##bits, guint##bits, (guint64) x * y) \
  COMBINE (and_##bits, guint##bits, x & y) \
  COMBINE (or_##bits, guint##bits, x | y) \
  COMBINE (xor_##bits, guint##bits, x ^ y) \
  COMBINE (smaller_u##bits, guint##bits, SMALLER (x, y)) \
  COMBINE (larger_u##bits, guint##bits, LARGER (x, y)) \
  COMBINE (smaller_s##bits, gint##bits, SMALLER (x, y)) \
  COMBINE (larger_s##bits, gint##bits, LARGER (x, y))

MODULAR (8)
MODULAR (16)
MODULAR (32)
MODULAR (64)

typedef guint64 Pair __attribute__ ((vector_size (16)));

COMBINE (assign_128, Pair, y)
COMBINE (add_f32, float, x + y)
COMBINE (add_f64, double, x + y)
COMBINE (multiply_f32, float, x * y)
COMBINE (multiply_f64, double, x * y)
COMBINE (smaller_f32s, float, smaller_f32 (x, y))
COMBINE (smaller_f64s, double, smaller_f64 (x, y))
COMBINE (larger_f32s, float, larger_f32 (x, y))
COMBINE (larger_f64s, double, larger_f64 (x, y))

/* Combines elements of f16 or bf16 that were converted to f32. */
static void
combine_floats (GhloCombiner  combiner,
                float        *x,
                const float  *y,
                gsize         n)
{
  GhloCpuCombineRowFunc row = combiner == GHLO_COMBINER_ADD ? add_f32_row
                              : combiner == GHLO_COMBINER_MULTIPLY ? multiply_f32_row
                              : combiner == GHLO_COMBINER_MINIMUM ? smaller_f32s_row
                              : larger_f32s_row;

  row (NULL, (guint8 *) x, sizeof (float), (const guint8 *) y, sizeof (float), n);
}

static void
half_row (const GhloCpuCombine *self,
          guint8               *to,
          gint64                to_stride,
          const guint8         *from,
          gint64                from_stride,
          gsize                 n)
{
  const GhloCpuRoutines *routines = ghlo_cpu_routines ();
  gboolean is_bf16 = self->type == GHLO_ELEMENT_TYPE_BF16, adjacent = to_stride == 2 && from_stride == 2;
  GhloCpuConvertFunc widen = routines->convert[is_bf16 ? GHLO_CPU_BF16_TO_F32 : GHLO_CPU_F16_TO_F32];
  GhloCpuConvertFunc narrow = routines->convert[is_bf16 ? GHLO_CPU_F32_TO_BF16 : GHLO_CPU_F32_TO_F16];
  float x[CHUNK], y[CHUNK];

  for (gsize part; n > 0; n -= part, to += (gint64) part * to_stride, from += (gint64) part * from_stride)
    {
      part = adjacent ? MIN (n, CHUNK) : 1;
      widen (to, x, part);
      widen (from, y, part);
      combine_floats (self->combiner, x, y, part);
      narrow (x, to, part);
    }
}

static double
combine_reals (GhloCombiner combiner,
               double       x,
               double       y)
{
  return combiner == GHLO_COMBINER_ADD ? x + y
         : combiner == GHLO_COMBINER_MULTIPLY ? x * y
         : combiner == GHLO_COMBINER_MINIMUM ? smaller_f64 (x, y)
         : larger_f64 (x, y);
}

static guint64
combine_integers (GhloCombiner combiner,
                  gboolean     is_signed,
                  GhloScalar   x,
                  GhloScalar   y)
{
  switch (combiner)
    {
    case GHLO_COMBINER_ADD: return x.u + y.u;
    case GHLO_COMBINER_AND: return x.u & y.u;
    case GHLO_COMBINER_MAXIMUM: return is_signed ? (guint64) MAX (x.i, y.i) : MAX (x.u, y.u);
    case GHLO_COMBINER_MINIMUM: return is_signed ? (guint64) MIN (x.i, y.i) : MIN (x.u, y.u);
    case GHLO_COMBINER_MULTIPLY: return x.u * y.u;
    case GHLO_COMBINER_OR: return x.u | y.u;
    case GHLO_COMBINER_XOR: return x.u ^ y.u;
    case GHLO_COMBINER_NONE:
    case GHLO_N_COMBINERS: break;
    }

  return y.u;
}

static void
any_row (const GhloCpuCombine *self,
         guint8               *to,
         gint64                to_stride,
         const guint8         *from,
         gint64                from_stride,
         gsize                 n)
{
  GhloElementClass element_class = ghlo_element_info (self->type)->element_class;

  for (gsize i = 0; i < n; i++, to += to_stride, from += from_stride)
    {
      GhloScalar x = ghlo_element_load (self->type, to), y = ghlo_element_load (self->type, from);

      if (element_class == GHLO_ELEMENT_CLASS_FLOAT)
        x.f = combine_reals (self->combiner, x.f, y.f);
      else if (element_class == GHLO_ELEMENT_CLASS_COMPLEX)
        {
          x.c.re += y.c.re;
          x.c.im += y.c.im;
        }
      else
        x.u = combine_integers (self->combiner, element_class == GHLO_ELEMENT_CLASS_SIGNED, x, y);
      ghlo_element_store (self->type, to, x);
    }
}

static void
points_by_row (const GhloCpuCombine *self,
               guint8               *to,
               const gint64         *offsets,
               const guint8         *from,
               const gint64         *others,
               gsize                 n)
{
  for (gsize i = 0; i < n; i++)
    if (offsets[i] != GHLO_CPU_OUT_OF_BOUNDS)
      self->row (self, to + offsets[i], 0, from + others[i], 0, 1);
}

typedef struct
{
  GhloCpuCombineRowFunc    row;
  GhloCpuCombinePointsFunc points;
} Loops;

#define LOOPS(name) { name##_row, name##_points }

#define INTEGER_ROW(sign, bits) \
  { \
    [GHLO_COMBINER_ADD] = LOOPS (add_##bits), [GHLO_COMBINER_MULTIPLY] = LOOPS (multiply_##bits), \
    [GHLO_COMBINER_MINIMUM] = LOOPS (smaller_##sign##bits), \
    [GHLO_COMBINER_MAXIMUM] = LOOPS (larger_##sign##bits), \
    [GHLO_COMBINER_AND] = LOOPS (and_##bits), [GHLO_COMBINER_OR] = LOOPS (or_##bits), \
    [GHLO_COMBINER_XOR] = LOOPS (xor_##bits), \
  }

#define FLOAT_ROW(type) \
  { \
    [GHLO_COMBINER_ADD] = LOOPS (add_##type), [GHLO_COMBINER_MULTIPLY] = LOOPS (multiply_##type), \
    [GHLO_COMBINER_MINIMUM] = LOOPS (smaller_##type##s), [GHLO_COMBINER_MAXIMUM] = LOOPS (larger_##type##s), \
  }

#define HALF_ROW \
  { \
    [GHLO_COMBINER_ADD] = { half_row, points_by_row }, [GHLO_COMBINER_MINIMUM] = { half_row, points_by_row }, \
    [GHLO_COMBINER_MAXIMUM] = { half_row, points_by_row }, \
  }

static const Loops rows[GHLO_ELEMENT_TYPE_INDEX + 1][GHLO_N_COMBINERS] = {
  [GHLO_ELEMENT_TYPE_I1] = {
    [GHLO_COMBINER_AND] = LOOPS (and_8), [GHLO_COMBINER_OR] = LOOPS (or_8), [GHLO_COMBINER_XOR] = LOOPS (xor_8),
  },
  [GHLO_ELEMENT_TYPE_I8] = INTEGER_ROW (s, 8),
  [GHLO_ELEMENT_TYPE_UI8] = INTEGER_ROW (u, 8),
  [GHLO_ELEMENT_TYPE_I16] = INTEGER_ROW (s, 16),
  [GHLO_ELEMENT_TYPE_UI16] = INTEGER_ROW (u, 16),
  [GHLO_ELEMENT_TYPE_I32] = INTEGER_ROW (s, 32),
  [GHLO_ELEMENT_TYPE_UI32] = INTEGER_ROW (u, 32),
  [GHLO_ELEMENT_TYPE_I64] = INTEGER_ROW (s, 64),
  [GHLO_ELEMENT_TYPE_INDEX] = INTEGER_ROW (s, 64),
  [GHLO_ELEMENT_TYPE_UI64] = INTEGER_ROW (u, 64),
  [GHLO_ELEMENT_TYPE_F32] = FLOAT_ROW (f32),
  [GHLO_ELEMENT_TYPE_F64] = FLOAT_ROW (f64),
  [GHLO_ELEMENT_TYPE_F16] = HALF_ROW,
  [GHLO_ELEMENT_TYPE_BF16] = HALF_ROW,
};

static const struct
{
  gsize size;
  Loops loops;
} assigns[] = {
  { 1, LOOPS (assign_8) }, { 2, LOOPS (assign_16) }, { 4, LOOPS (assign_32) }, { 8, LOOPS (assign_64) },
  { 16, LOOPS (assign_128) },
};

/* Types without loops of their own get the general loop, where the operation is defined for them. */
static gboolean
find_loops (GhloCpuCombine *self)
{
  static const Loops any = { any_row, points_by_row };
  const GhloElementInfo *info = ghlo_element_info (self->type);
  const Loops *loops = &rows[self->type][self->combiner];

  for (guint i = 0; self->combiner == GHLO_COMBINER_NONE && i < G_N_ELEMENTS (assigns); i++)
    if (assigns[i].size == info->size)
      loops = &assigns[i].loops;
  if (loops->row == NULL && self->combiner != GHLO_COMBINER_NONE
      && ghlo_scalar_is_defined (ghlo_combiner_scalar (self->combiner), info->element_class)
      && (info->element_class != GHLO_ELEMENT_CLASS_COMPLEX || self->combiner == GHLO_COMBINER_ADD))
    loops = &any;
  self->row = loops->row;
  self->points = loops->points;
  self->nanoseconds = self->row == any_row ? 40 : self->row == half_row ? 2 : 0.5;

  return self->row != NULL;
}

gboolean
ghlo_cpu_combine_init (GhloCpuCombine    *self,
                       const GhloIrBlock *block,
                       GhloElementType    type)
{
  *self = (GhloCpuCombine) { .type = type };
  if (!ghlo_combiner_of_update (block, type, &self->combiner) || !find_loops (self))
    return FALSE;
  self->is_ordered = self->combiner == GHLO_COMBINER_NONE
                     || !ghlo_combiner_is_exact (self->combiner, ghlo_element_info (type)->element_class);

  return TRUE;
}
