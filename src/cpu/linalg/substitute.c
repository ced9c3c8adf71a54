/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Substitution, written once for real and once for complex numbers. Terms are summed in the order of the unknowns, as
 * in the reference executor.
 */

#include "cpu/linalg/substitute.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#include "base/sizes.h"

typedef long double          Real;
typedef _Complex long double Complex;

/* glibc defines it for gcc only; clang has the same builtin. */
#ifndef CMPLXL
#define CMPLXL(re, im) __builtin_complex ((long double) (re), (long double) (im))
#endif

static inline Real
load_real (GhloElementType  type,
           const guint8    *at)
{
  float single;
  double number;

  if (type == GHLO_ELEMENT_TYPE_F32)
    {
      memcpy (&single, at, sizeof (single));
      return single;
    }
  if (type == GHLO_ELEMENT_TYPE_F64)
    {
      memcpy (&number, at, sizeof (number));
      return number;
    }

  return ghlo_element_load (type, at).f;
}

static inline Complex
load_complex (GhloElementType  type,
              const guint8    *at)
{
  GhloElementType part = ghlo_element_type_real_part (type);

  return CMPLXL (load_real (part, at), load_real (part, at + ghlo_element_info (part)->size));
}

/* Numbers of operands and results are doubles at most. */
static inline gboolean
is_finite_real (Real x)
{
  return isfinite ((double) x);
}

static inline gboolean
is_finite_complex (Complex x)
{
  return is_finite_real (creall (x)) && is_finite_real (cimagl (x));
}

static inline gboolean
is_nan_real (Real x)
{
  return isnan (x);
}

/* Requires both parts to be NaN, so that any product with the number is NaN in both parts, too. */
static inline gboolean
is_nan_complex (Complex x)
{
  return isnan (creall (x)) && isnan (cimagl (x));
}

static inline GhloScalar
scalar_of_real (Real x)
{
  return (GhloScalar) { .f = (double) x };
}

static inline GhloScalar
scalar_of_complex (Complex x)
{
  return (GhloScalar) { .c = { (double) creall (x), (double) cimagl (x) } };
}

#define CONJUGATE_real(x)    (x)
#define CONJUGATE_complex(x) conjl (x)
#define NAN_real             ((Real) NAN)
#define NAN_complex          CMPLXL (NAN, NAN)

/* After a NaN all unknowns are NaN. */
#define DEFINE_SUBSTITUTE(name, Number) \
  static gboolean \
  substitute_##name (const GhloCpuTriangle *self, \
                     const guint8          *a, \
                     const guint8          *b, \
                     gint64                 b_step, \
                     guint8                *x, \
                     gint64                 x_step, \
                     Number                *numbers) \
  { \
    gint64 n = self->n; \
    gboolean is_nan = FALSE; \
    \
    for (gint64 i = 0; i < n; i++) \
      { \
        numbers[i] = load_##name (self->type, b + i * b_step); \
        if (!is_finite_##name (numbers[i])) \
          return FALSE; \
      } \
    for (gint64 k = 0; k < n; k++) \
      { \
        gint64 i = self->lower ? k : n - 1 - k, first = self->lower ? 0 : i + 1; \
        const guint8 *row = a + i * self->row; \
        Number sum = numbers[i], pivot = 1; \
        \
        for (gint64 j = first; j < first + k && !is_nan; j++) \
          { \
            Number number = load_##name (self->type, row + j * self->column); \
            \
            sum -= (self->conjugate ? CONJUGATE_##name (number) : number) * numbers[j]; \
          } \
        if (!self->unit) \
          pivot = load_##name (self->type, row + i * self->column); \
        numbers[i] = is_nan ? NAN_##name : sum / (self->conjugate ? CONJUGATE_##name (pivot) : pivot); \
        is_nan = is_nan || is_nan_##name (numbers[i]); \
      } \
    for (gint64 i = 0; i < n; i++) \
      ghlo_element_store (self->type, x + i * x_step, scalar_of_##name (numbers[i])); \
    \
    return TRUE; \
  } \
  \
  static gboolean \
  vector_is_finite_##name (GhloElementType  type, \
                           gint64           n, \
                           const guint8    *vector, \
                           gint64           step) \
  { \
    for (gint64 i = 0; i < n; i++) \
      if (!is_finite_##name (load_##name (type, vector + i * step))) \
        return FALSE; \
    \
    return TRUE; \
  } \
  \
  static gboolean \
  triangle_is_finite_##name (const GhloCpuTriangle *self, \
                             const guint8          *a) \
  { \
    for (gint64 i = 0; i < self->n; i++) \
      { \
        gint64 begin = self->lower ? 0 : i + self->unit, end = self->lower ? i + !self->unit : self->n; \
        \
        if (!vector_is_finite_##name (self->type, end - begin, a + i * self->row + begin * self->column, \
                                      self->column)) \
          return FALSE; \
      } \
    \
    return TRUE; \
  }

DEFINE_SUBSTITUTE (real, Real)
DEFINE_SUBSTITUTE (complex, Complex)

gboolean
ghlo_cpu_vector_is_finite (GhloElementType  type,
                           gint64           n,
                           const guint8    *vector,
                           gint64           step)
{
  return ghlo_element_type_is_complex (type) ? vector_is_finite_complex (type, n, vector, step)
                                             : vector_is_finite_real (type, n, vector, step);
}

gboolean
ghlo_cpu_triangle_is_finite (const GhloCpuTriangle *self,
                             const guint8          *a)
{
  return ghlo_element_type_is_complex (self->type) ? triangle_is_finite_complex (self, a)
                                                   : triangle_is_finite_real (self, a);
}

gsize
ghlo_cpu_substitute_scratch_size (gint64 n)
{
  return ghlo_size_align ((gsize) n * sizeof (Complex));
}

gboolean
ghlo_cpu_substitute (const GhloCpuTriangle *self,
                     const guint8          *a,
                     const guint8          *b,
                     gint64                 b_step,
                     guint8                *x,
                     gint64                 x_step,
                     gpointer               scratch)
{
  if (ghlo_element_type_is_complex (self->type))
    return substitute_complex (self, a, b, b_step, x, x_step, scratch);

  return substitute_real (self, a, b, b_step, x, x_step, scratch);
}
