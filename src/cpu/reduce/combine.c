/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Types and operations that routines have loops for get those (isa/routines-combine.c). All others go through
 * base/element.h.
 */

#include "cpu/reduce/combine.h"

#include <math.h>

#include "cpu/move/indexer.h"

/* Approximate nanoseconds of a function call for each element, and of a loop for the type. */
#define ANY_TIME  40.0
#define LOOP_TIME 0.3
#define HALF_TIME 1.0

/* A NaN wins in both minimum and maximum, and -0 is below +0. */
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

/* Types without loops of their own get the general loop, where the operation is defined for them. */
static gboolean
find_loops (GhloCpuCombine *self)
{
  const GhloElementInfo *info = ghlo_element_info (self->type);

  self->loops = ghlo_cpu_routines ()->find_combine_loops (self->type, self->combiner);
  self->nanoseconds = self->loops == NULL ? ANY_TIME : ghlo_element_type_is_float (self->type) && info->size < 4
                      ? HALF_TIME : LOOP_TIME;

  return self->loops != NULL
         || (self->combiner != GHLO_COMBINER_NONE
             && ghlo_scalar_is_defined (ghlo_combiner_scalar (self->combiner), info->element_class)
             && (info->element_class != GHLO_ELEMENT_CLASS_COMPLEX || self->combiner == GHLO_COMBINER_ADD));
}

void
ghlo_cpu_combine_row (const GhloCpuCombine *self,
                      guint8               *to,
                      gint64                to_stride,
                      const guint8         *from,
                      gint64                from_stride,
                      gsize                 n)
{
  if (self->loops != NULL)
    self->loops->row (to, to_stride, from, from_stride, n);
  else
    any_row (self, to, to_stride, from, from_stride, n);
}

void
ghlo_cpu_combine_rows (const GhloCpuCombine *self,
                       guint8               *to,
                       gint64                to_stride,
                       const gint64         *offsets,
                       const guint8         *from,
                       gint64                from_stride,
                       const gint64         *others,
                       gsize                 n_rows,
                       gsize                 n)
{
  if (self->loops != NULL)
    self->loops->rows (to, to_stride, offsets, from, from_stride, others, n_rows, n);
  else
    for (gsize i = 0; i < n_rows; i++)
      if (offsets[i] != GHLO_CPU_OUT_OF_BOUNDS)
        any_row (self, to + offsets[i], to_stride, from + others[i], from_stride, n);
}

void
ghlo_cpu_combine_points (const GhloCpuCombine *self,
                         guint8               *to,
                         const gint64         *offsets,
                         const guint8         *from,
                         const gint64         *others,
                         gsize                 n)
{
  if (self->loops != NULL)
    self->loops->points (to, offsets, from, others, n);
  else
    for (gsize i = 0; i < n; i++)
      if (offsets[i] != GHLO_CPU_OUT_OF_BOUNDS)
        any_row (self, to + offsets[i], 0, from + others[i], 0, 1);
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
