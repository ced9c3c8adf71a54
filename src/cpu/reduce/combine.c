/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loops of their own for elements that C has; halves go through f32, which rounds the
 * same (24 bits are more than twice 11 and 2), products of bf16 and other types through
 * base/element.h.
 */

#include "cpu/reduce/combine.h"

#include <math.h>

#include "cpu/isa/routines.h"
#include "cpu/move/indexer.h"

enum { CHUNK = 256 };

/* @T's elements lie anywhere; x is the element and y the update. */
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
  name##_line (const GhloCpuCombine *self, \
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

/* Of floats NaN is smaller and larger than all, and -0 smaller than 0. */
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

/* Two elements of f16 or bf16 as f32. */
static void
combine_floats (GhloCpuCombineKind  kind,
                float              *x,
                const float        *y,
                gsize               n)
{
  GhloCpuCombineLineFunc line = kind == GHLO_CPU_COMBINE_ADD ? add_f32_line
                                : kind == GHLO_CPU_COMBINE_MULTIPLY ? multiply_f32_line
                                : kind == GHLO_CPU_COMBINE_MINIMUM ? smaller_f32s_line
                                : larger_f32s_line;

  line (NULL, (guint8 *) x, sizeof (float), (const guint8 *) y, sizeof (float), n);
}

static void
half_line (const GhloCpuCombine *self,
           guint8               *to,
           gint64                to_stride,
           const guint8         *from,
           gint64                from_stride,
           gsize                 n)
{
  const GhloCpuRoutines *kernels = ghlo_cpu_routines ();
  gboolean is_bf16 = self->type == GHLO_ELEMENT_TYPE_BF16, adjacent = to_stride == 2 && from_stride == 2;
  GhloCpuConvertFunc widen = kernels->convert[is_bf16 ? GHLO_CPU_BF16_TO_F32 : GHLO_CPU_F16_TO_F32];
  GhloCpuConvertFunc narrow = kernels->convert[is_bf16 ? GHLO_CPU_F32_TO_BF16 : GHLO_CPU_F32_TO_F16];
  float x[CHUNK], y[CHUNK];

  for (gsize part; n > 0; n -= part, to += (gint64) part * to_stride, from += (gint64) part * from_stride)
    {
      part = adjacent ? MIN (n, CHUNK) : 1;
      widen (to, x, part);
      widen (from, y, part);
      combine_floats (self->kind, x, y, part);
      narrow (x, to, part);
    }
}

static double
combine_reals (GhloCpuCombineKind kind,
               double             x,
               double             y)
{
  return kind == GHLO_CPU_COMBINE_ADD ? x + y
         : kind == GHLO_CPU_COMBINE_MULTIPLY ? x * y
         : kind == GHLO_CPU_COMBINE_MINIMUM ? smaller_f64 (x, y)
         : larger_f64 (x, y);
}

static guint64
combine_integers (GhloCpuCombineKind kind,
                  gboolean           is_signed,
                  GhloScalar         x,
                  GhloScalar         y)
{
  switch (kind)
    {
    case GHLO_CPU_COMBINE_ADD: return x.u + y.u;
    case GHLO_CPU_COMBINE_MULTIPLY: return x.u * y.u;
    case GHLO_CPU_COMBINE_AND: return x.u & y.u;
    case GHLO_CPU_COMBINE_OR: return x.u | y.u;
    case GHLO_CPU_COMBINE_MINIMUM: return is_signed ? (guint64) MIN (x.i, y.i) : MIN (x.u, y.u);
    default: return is_signed ? (guint64) MAX (x.i, y.i) : MAX (x.u, y.u);
    }
}

static void
any_line (const GhloCpuCombine *self,
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
        x.f = combine_reals (self->kind, x.f, y.f);
      else if (element_class == GHLO_ELEMENT_CLASS_COMPLEX)
        {
          x.c.re += y.c.re;
          x.c.im += y.c.im;
        }
      else
        x.u = combine_integers (self->kind, element_class == GHLO_ELEMENT_CLASS_SIGNED, x, y);
      ghlo_element_store (self->type, to, x);
    }
}

static void
line_points (const GhloCpuCombine *self,
             guint8               *to,
             const gint64         *offsets,
             const guint8         *from,
             const gint64         *others,
             gsize                 n)
{
  for (gsize i = 0; i < n; i++)
    if (offsets[i] != GHLO_CPU_OUT_OF_BOUNDS)
      self->line (self, to + offsets[i], 0, from + others[i], 0, 1);
}

typedef struct
{
  GhloCpuCombineLineFunc   line;
  GhloCpuCombinePointsFunc points;
} Loops;

#define LOOPS(name) { name##_line, name##_points }

#define INTEGER_ROW(sign, bits) \
  { \
    [GHLO_CPU_COMBINE_ADD] = LOOPS (add_##bits), [GHLO_CPU_COMBINE_MULTIPLY] = LOOPS (multiply_##bits), \
    [GHLO_CPU_COMBINE_MINIMUM] = LOOPS (smaller_##sign##bits), \
    [GHLO_CPU_COMBINE_MAXIMUM] = LOOPS (larger_##sign##bits), \
    [GHLO_CPU_COMBINE_AND] = LOOPS (and_##bits), [GHLO_CPU_COMBINE_OR] = LOOPS (or_##bits), \
  }

#define FLOAT_ROW(type) \
  { \
    [GHLO_CPU_COMBINE_ADD] = LOOPS (add_##type), [GHLO_CPU_COMBINE_MULTIPLY] = LOOPS (multiply_##type), \
    [GHLO_CPU_COMBINE_MINIMUM] = LOOPS (smaller_##type##s), [GHLO_CPU_COMBINE_MAXIMUM] = LOOPS (larger_##type##s), \
  }

#define HALF_ROW \
  { \
    [GHLO_CPU_COMBINE_ADD] = { half_line, line_points }, [GHLO_CPU_COMBINE_MINIMUM] = { half_line, line_points }, \
    [GHLO_CPU_COMBINE_MAXIMUM] = { half_line, line_points }, \
  }

static const Loops rows[GHLO_ELEMENT_TYPE_INDEX + 1][GHLO_CPU_N_COMBINES] = {
  [GHLO_ELEMENT_TYPE_I1] = {
    [GHLO_CPU_COMBINE_ADD] = LOOPS (or_8), [GHLO_CPU_COMBINE_MULTIPLY] = LOOPS (and_8),
    [GHLO_CPU_COMBINE_MINIMUM] = LOOPS (and_8), [GHLO_CPU_COMBINE_MAXIMUM] = LOOPS (or_8),
    [GHLO_CPU_COMBINE_AND] = LOOPS (and_8), [GHLO_CPU_COMBINE_OR] = LOOPS (or_8),
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

/* What @block returns of its two arguments. */
static gboolean
find_kind (const GhloIrBlock  *block,
           GhloElementType     type,
           GhloCpuCombineKind *kind)
{
  static const struct
  {
    GhloIrOpKind       op;
    GhloCpuCombineKind kind;
  } kinds[] = {
    { GHLO_OP_STABLEHLO_ADD, GHLO_CPU_COMBINE_ADD }, { GHLO_OP_STABLEHLO_MULTIPLY, GHLO_CPU_COMBINE_MULTIPLY },
    { GHLO_OP_STABLEHLO_MINIMUM, GHLO_CPU_COMBINE_MINIMUM }, { GHLO_OP_STABLEHLO_MAXIMUM, GHLO_CPU_COMBINE_MAXIMUM },
    { GHLO_OP_STABLEHLO_AND, GHLO_CPU_COMBINE_AND }, { GHLO_OP_STABLEHLO_OR, GHLO_CPU_COMBINE_OR },
  };
  const GhloIrOp *only;
  const GhloIrValue *returned;

  if (block == NULL || block->n_arguments != 2 || block->last == NULL || block->last->n_operands != 1)
    return FALSE;
  returned = ghlo_ir_op_operand (block->last, 0);
  *kind = GHLO_CPU_COMBINE_ASSIGN;
  if (returned == block->arguments[1])
    return returned->type->element_type == type;

  only = returned->op;
  if (only == NULL || only != block->first || only->next != block->last || only->n_operands != 2
      || returned->type->element_type != type)
    return FALSE;
  for (guint i = 0; i < 2; i++)
    if (block->arguments[i]->type->element_type != type
        || (ghlo_ir_op_operand (only, i) == block->arguments[0]) == (ghlo_ir_op_operand (only, 1 - i)
                                                                      == block->arguments[0])
        || (ghlo_ir_op_operand (only, i) == block->arguments[1]) == (ghlo_ir_op_operand (only, 1 - i)
                                                                      == block->arguments[1]))
      return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i].op == only->kind)
      {
        *kind = kinds[i].kind;
        return TRUE;
      }

  return FALSE;
}

/* The loops for a kind; of types without any the general one, where it is defined. */
static gboolean
find_loops (GhloCpuCombine *self)
{
  const GhloElementInfo *info = ghlo_element_info (self->type);
  const Loops *loops = &rows[self->type][self->kind];
  gboolean is_bitwise = self->kind == GHLO_CPU_COMBINE_AND || self->kind == GHLO_CPU_COMBINE_OR;

  if (self->kind == GHLO_CPU_COMBINE_ASSIGN)
    {
      for (guint i = 0; i < G_N_ELEMENTS (assigns); i++)
        if (assigns[i].size == info->size)
          loops = &assigns[i].loops;
    }
  else if (loops->line == NULL)
    {
      static const Loops any = { any_line, line_points };

      if (info->element_class == GHLO_ELEMENT_CLASS_NONE
          || (info->element_class == GHLO_ELEMENT_CLASS_FLOAT && is_bitwise)
          || (info->element_class == GHLO_ELEMENT_CLASS_COMPLEX && self->kind != GHLO_CPU_COMBINE_ADD))
        return FALSE;
      loops = &any;
    }
  self->line = loops->line;
  self->points = loops->points;
  self->nanoseconds = self->line == any_line ? 40 : self->line == half_line ? 2 : 0.5;

  return self->line != NULL;
}

gboolean
ghlo_cpu_combine_init (GhloCpuCombine    *self,
                       const GhloIrBlock *block,
                       GhloElementType    type)
{
  GhloElementClass element_class = ghlo_element_info (type)->element_class;

  *self = (GhloCpuCombine) { .type = type };
  if (!find_kind (block, type, &self->kind) || !find_loops (self))
    return FALSE;
  self->is_ordered = self->kind == GHLO_CPU_COMBINE_ASSIGN
                     || ((self->kind == GHLO_CPU_COMBINE_ADD || self->kind == GHLO_CPU_COMBINE_MULTIPLY)
                         && (element_class == GHLO_ELEMENT_CLASS_FLOAT
                             || element_class == GHLO_ELEMENT_CLASS_COMPLEX));

  return TRUE;
}
