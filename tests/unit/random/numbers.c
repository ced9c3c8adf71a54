/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How the known facts about numbers propagate through operations. Bounds are generous where a tight bound would be hard
 * to derive: wrong answers are seldom only slightly wrong.
 */

#include <math.h>

#include "numbers.h"

RandomNumbers
random_numbers_unknown (void)
{
  return (RandomNumbers) { .trust = RANDOM_BITS, .magnitude = INFINITY, .specials = TRUE };
}

RandomNumbers
random_numbers_small (double magnitude,
                      double step)
{
  return (RandomNumbers) { .trust = RANDOM_BITS, .magnitude = magnitude, .step = step };
}

double
random_epsilon (GhloElementType type)
{
  const GhloElementInfo *info = ghlo_element_info (type);

  if (info->element_class != GHLO_ELEMENT_CLASS_FLOAT && info->element_class != GHLO_ELEMENT_CLASS_COMPLEX)
    return 0;

  return ldexp (1, -(int) info->mantissa_bits);
}

double
random_largest (GhloElementType type)
{
  const GhloElementInfo *info = ghlo_element_info (type);
  int exponent;

  if (info->element_class == GHLO_ELEMENT_CLASS_SIGNED)
    return ldexp (1, info->bits - 1) - 1;
  if (info->element_class == GHLO_ELEMENT_CLASS_UNSIGNED)
    return ldexp (1, info->bits) - 1;
  if (info->element_class == GHLO_ELEMENT_CLASS_BOOLEAN)
    return 1;
  /* For narrow formats without infinities slightly less than the largest number. */
  exponent = (1 << info->exponent_bits) - 2 - info->bias;

  return ldexp (1, exponent) * (2 - ldexp (1, -(int) info->mantissa_bits));
}

/* The least number that is not zero. */
static double
smallest (GhloElementType type)
{
  const GhloElementInfo *info = ghlo_element_info (type);

  return ldexp (1, 1 - info->bias - (int) info->mantissa_bits);
}

static gboolean
is_inexact (GhloElementType type)
{
  return ghlo_element_type_is_float (type) || ghlo_element_type_is_complex (type);
}

/* The maximal error of an element, including its ULPs. */
static double
whole_error (GhloElementType type,
             RandomNumbers   a)
{
  if (a.trust != RANDOM_NEAR)
    return 0;

  return a.error + (a.ulps > 0 ? a.ulps * random_epsilon (type) * a.magnitude : 0);
}

static RandomNumbers
none (RandomNumbers a)
{
  return (RandomNumbers) { .magnitude = INFINITY, .specials = TRUE, .reordered = a.reordered };
}

RandomNumbers
random_numbers_join (RandomNumbers a,
                     RandomNumbers b)
{
  return (RandomNumbers) {
    .trust = MIN (a.trust, b.trust),
    .error = MAX (a.error, b.error),
    .ulps = MAX (a.ulps, b.ulps),
    .magnitude = MAX (a.magnitude, b.magnitude),
    .step = MIN (a.step, b.step),
    .specials = a.specials || b.specials,
    .reordered = a.reordered || b.reordered,
  };
}

static RandomNumbers
join_all (const RandomNumbers *operands,
          guint                n)
{
  RandomNumbers result = { .trust = RANDOM_BITS, .step = INFINITY };

  for (guint i = 0; i < n; i++)
    result = random_numbers_join (result, operands[i]);
  if (isinf (result.step))
    result.step = 0;

  return result;
}

/* Whether every multiple of @step up to @magnitude is representable in the type. */
static gboolean
is_exact (GhloElementType type,
          double          magnitude,
          double          step)
{
  return step > 0 && magnitude <= random_largest (type) && magnitude / step * random_epsilon (type) <= 2
         && step >= smallest (type);
}

/* After rounding to @type; an exact rounding loses no knowledge. */
static RandomNumbers
rounded (GhloElementType type,
         RandomNumbers   a)
{
  if (is_inexact (type) && !is_exact (type, a.magnitude, a.step))
    {
      a.step = 0;
      a.magnitude *= 1 + random_epsilon (type);
    }
  /* Without infinities NaN follows the largest number. */
  if (a.trust == RANDOM_NEAR && a.magnitude > random_largest (type) && isfinite (a.magnitude)
      && ghlo_element_info (type)->specials != GHLO_FLOAT_IEEE)
    return none (a);
  if (a.magnitude > random_largest (type))
    {
      a.magnitude = INFINITY;
      a.step = 0;
      a.specials = TRUE;
    }
  if (a.trust == RANDOM_NEAR && !isfinite (a.error))
    return none (a);
  /* Types without a zero or without a sign change some numbers. */
  if (type == GHLO_ELEMENT_TYPE_F8E8M0FNU && a.trust > RANDOM_NONE && a.trust < RANDOM_BITS)
    a.trust = RANDOM_NONE;

  return a;
}

static RandomNumbers
added (GhloElementType      type,
       const RandomNumbers *operands,
       guint                n)
{
  RandomNumbers result = join_all (operands, n);
  double error = 0, magnitude = 0;

  for (guint i = 0; i < n; i++)
    {
      error += whole_error (type, operands[i]);
      magnitude += operands[i].magnitude;
    }
  result.magnitude = magnitude;
  result.error = error + random_epsilon (type) * magnitude;
  result.ulps = 0;

  return rounded (type, result);
}

static RandomNumbers
multiplied (GhloElementType      type,
            const RandomNumbers *operands)
{
  RandomNumbers a = operands[0], b = operands[1], result = random_numbers_join (a, b);
  double left = whole_error (type, a), right = whole_error (type, b);
  double parts = ghlo_element_type_is_complex (type) ? 2 : 1;

  result.magnitude = parts * a.magnitude * b.magnitude;
  result.step = a.step * b.step;
  result.error = parts * (a.magnitude * right + b.magnitude * left + left * right)
                 + parts * random_epsilon (type) * result.magnitude + 2 * smallest (type);
  result.ulps = 0;
  /* A zero with an error changes the result of operations with infinity, and a zero makes it NaN. */
  if (result.trust == RANDOM_NEAR && result.specials)
    return none (result);
  if (isnan (result.magnitude))
    result.magnitude = INFINITY;

  return rounded (type, result);
}

static RandomNumbers
combined (GhloElementType      type,
          RandomContinuity     continuity,
          const RandomNumbers *operands,
          guint                n)
{
  RandomNumbers joined = join_all (operands, n);

  if (continuity == RANDOM_ADDS)
    return added (type, operands, n);
  if (continuity == RANDOM_MULTIPLIES && n == 2)
    return multiplied (type, operands);
  if (continuity == RANDOM_JOINS)
    return joined;
  joined.magnitude = INFINITY;
  joined.step = 0;
  joined.specials = TRUE;

  return joined;
}

RandomNumbers
random_numbers_exact (GhloElementType      type,
                      const RandomRule    *rule,
                      const RandomNumbers *operands,
                      guint                n)
{
  RandomNumbers joined = join_all (operands, n), result = combined (type, rule->continuity, operands, n);

  if (joined.trust == RANDOM_NONE || (joined.trust == RANDOM_EQUAL && rule->sees_zeros))
    return none (joined);
  if (joined.trust != RANDOM_NEAR)
    {
      if (!is_inexact (type) && rule->continuity != RANDOM_JOINS)
        result = random_numbers_unknown ();
      result.trust = is_inexact (type) ? joined.trust : RANDOM_BITS;
      result.error = result.ulps = 0;
      result.reordered = joined.reordered && result.trust == RANDOM_EQUAL;
    }
  else if (rule->continuity == RANDOM_JUMPS || (rule->continuity != RANDOM_JOINS && isinf (result.magnitude)))
    {
      return none (joined);
    }

  return result;
}

RandomNumbers
random_numbers_function (GhloElementType       type,
                         GhloScalarKind        kind,
                         const RandomFunction *function,
                         const RandomNumbers  *operands,
                         guint                 n)
{
  RandomNumbers a = join_all (operands, n), result = a;
  gboolean is_wide = type == GHLO_ELEMENT_TYPE_F32 || type == GHLO_ELEMENT_TYPE_F64
                     || ghlo_element_type_is_complex (type);
  double slope = 1;

  /* Complex functions of large numbers lose their angle. */
  if (a.trust == RANDOM_NONE
      || (ghlo_element_type_is_complex (type) && (a.trust < RANDOM_BITS || isinf (a.magnitude))))
    return none (a);
  switch (function->range)
    {
    case RANDOM_RANGE_ONE:
      result.magnitude = 4;
      slope = 2;
      break;
    case RANDOM_RANGE_EXP:
      result.magnitude = slope = a.magnitude < 300 ? exp (a.magnitude) : INFINITY;
      break;
    case RANDOM_RANGE_SAME:
      break;
    case RANDOM_RANGE_LOW:
    case RANDOM_RANGE_OPEN:
      result.magnitude = slope = INFINITY;
      break;
    }
  if (isinf (result.magnitude) && function->range != RANDOM_RANGE_LOW
      && ghlo_element_info (type)->specials != GHLO_FLOAT_IEEE)
    return none (a);
  if (a.trust < RANDOM_BITS && (n > 1 || isinf (slope)))
    return none (a);
  result.trust = RANDOM_NEAR;
  result.error = (a.trust < RANDOM_BITS ? slope * whole_error (type, a) : 0) + 4 * smallest (type)
                 + function->units * random_epsilon (type);
  result.ulps = is_wide ? ghlo_scalar_ulps (kind, ghlo_element_info (type)->element_class) : 2;
  result.step = 0;
  result.specials = a.specials || isinf (result.magnitude);

  return rounded (type, result);
}

RandomNumbers
random_numbers_sum (GhloElementType      type,
                    RandomNumbers        a,
                    const RandomNumbers *b,
                    double               n)
{
  RandomNumbers operands[] = { a, b != NULL ? *b : a }, term = a;

  if (b != NULL)
    {
      term = combined (type, RANDOM_MULTIPLIES, operands, 2);
      term.step = a.step * b->step;
      if (ghlo_element_type_is_complex (type) && term.specials)
        term.trust = RANDOM_NONE;
    }
  if (!is_inexact (type))
    return term.trust == RANDOM_NONE ? none (term) : random_numbers_unknown ();
  n = MAX (n, 1);
  if (term.trust == RANDOM_NONE || isinf (term.magnitude) || n * term.magnitude > random_largest (type))
    return none (term);
  if (term.trust != RANDOM_NEAR && is_exact (type, n * term.magnitude, term.step))
    {
      term.trust = RANDOM_EQUAL;
      term.error = 0;
    }
  else
    {
      double each = term.trust == RANDOM_NEAR ? whole_error (type, term) : 0;

      term.error = n * (each + 2 * random_epsilon (type) * n * term.magnitude) + 2 * smallest (type);
      term.trust = RANDOM_NEAR;
      term.step = 0;
    }
  term.ulps = 0;
  term.magnitude *= n;

  return rounded (type, term);
}

RandomNumbers
random_numbers_product (GhloElementType type,
                        RandomNumbers   a,
                        double          n)
{
  double magnitude = pow (MAX (a.magnitude, 1), n), step = pow (a.step, n);

  if (!is_inexact (type))
    return a.trust == RANDOM_NONE ? none (a) : random_numbers_unknown ();
  if (a.trust == RANDOM_NONE || isinf (magnitude) || magnitude > random_largest (type)
      || ghlo_element_type_is_complex (type))
    return none (a);
  a.step = MIN (a.step, step);
  if (a.trust != RANDOM_NEAR && is_exact (type, magnitude, a.step))
    {
      a.trust = RANDOM_EQUAL;
    }
  else if (a.trust == RANDOM_NEAR && a.specials)
    {
      return none (a);
    }
  else
    {
      double each = a.trust == RANDOM_NEAR ? whole_error (type, a) : 0;

      a.error = n * magnitude * (each + 2 * random_epsilon (type)) + n * smallest (type) * magnitude;
      a.trust = RANDOM_NEAR;
      a.step = 0;
    }
  a.ulps = 0;
  a.magnitude = magnitude;

  return rounded (type, a);
}

RandomNumbers
random_numbers_convert (GhloElementType from,
                        GhloElementType type,
                        RandomNumbers   a)
{
  if (a.trust == RANDOM_NONE)
    return none (a);
  if (!is_inexact (type))
    {
      RandomNumbers result = random_numbers_unknown ();

      if (a.magnitude <= random_largest (type) && !a.specials)
        result = random_numbers_small (a.magnitude, 1);
      return a.trust == RANDOM_NEAR ? none (a) : result;
    }
  if (a.trust == RANDOM_NEAR)
    {
      a.error = whole_error (from, a) + random_epsilon (type) * a.magnitude + 2 * smallest (type);
      a.ulps = 0;
      if (isinf (a.magnitude) || a.magnitude > random_largest (type) || isinf (a.error))
        return none (a);
    }

  return rounded (type, a);
}

RandomNumbers
random_numbers_stable (GhloElementType type,
                       RandomNumbers   a,
                       double          growth,
                       double          n)
{
  if (a.trust == RANDOM_NONE || a.specials || isinf (a.magnitude) || a.magnitude * growth > random_largest (type))
    return none (a);
  a.error = growth * (n * whole_error (type, a) + 16 * n * random_epsilon (type) * a.magnitude) + 4 * smallest (type);
  a.magnitude = a.magnitude * growth + a.error;
  a.ulps = 0;
  a.step = 0;
  a.trust = RANDOM_NEAR;

  return rounded (type, a);
}
