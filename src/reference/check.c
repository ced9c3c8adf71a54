/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The check operations, with the semantics that StableHLO's own tests rely on.
 */

#include "reference/check.h"

#include <math.h>
#include <string.h>

#include "ir/print/print.h"
#include "reference/frame.h"
#include "reference/kernels.h"

/* How many differing elements a message shows, and the number of elements between checks whether the run is to stop. */
enum { MAX_SHOWN = 4, CHECK_INTERVAL = 1 << 16 };

/* The limits that a comparison applies to two elements; each kind of comparison uses some of them. */
typedef struct
{
  double  tolerance;
  guint64 minimum, maximum;
} Limits;

typedef gboolean (*CompareFunc) (GhloElementType  type,
                                 GhloScalar       actual,
                                 GhloScalar       expected,
                                 const Limits    *limits);

static gboolean
is_equal (GhloElementType  type,
          GhloScalar       actual,
          GhloScalar       expected,
          const Limits    *limits)
{
  if (ghlo_element_type_is_float (type))
    return actual.f == expected.f;
  if (ghlo_element_type_is_complex (type))
    return actual.c.re == expected.c.re && actual.c.im == expected.c.im;

  return actual.i == expected.i;
}

static gboolean
is_near (double a,
         double b,
         double tolerance)
{
  if (a == b || (isnan (a) && isnan (b)))
    return TRUE;

  return isfinite (a) && isfinite (b) && fabs (a - b) <= tolerance;
}

static gboolean
is_almost_equal (GhloElementType  type,
                 GhloScalar       actual,
                 GhloScalar       expected,
                 const Limits    *limits)
{
  if (ghlo_element_type_is_float (type))
    return is_near (actual.f, expected.f, limits->tolerance);
  if (ghlo_element_type_is_complex (type))
    return is_near (actual.c.re, expected.c.re, limits->tolerance)
           && is_near (actual.c.im, expected.c.im, limits->tolerance);

  return actual.i == expected.i;
}

/* The number of ULPs between two numbers. The bits of a float without its sign count the ULPs from zero. */
static guint64
count_steps (GhloElementType type,
             double          a,
             double          b)
{
  gboolean has_sign = ghlo_element_info (type)->specials != GHLO_FLOAT_E8M0;
  guint64 sign = has_sign ? (guint64) 1 << (ghlo_element_info (type)->bits - 1) : 0;
  guint64 a_bits, b_bits, x, y;

  if (isnan (a) && isnan (b))
    return 0;
  a_bits = ghlo_float_to_bits (type, a);
  b_bits = ghlo_float_to_bits (type, b);
  if (a_bits == b_bits)
    return 0;
  if (!isfinite (a) || !isfinite (b))
    return G_MAXUINT64;

  x = a_bits & ~sign;
  y = b_bits & ~sign;
  if ((a_bits & sign) != (b_bits & sign))
    return x + y;

  return x > y ? x - y : y - x;
}

static guint64
count_element_steps (GhloElementType type,
                     GhloScalar      actual,
                     GhloScalar      expected)
{
  if (ghlo_element_type_is_float (type))
    return count_steps (type, actual.f, expected.f);
  if (ghlo_element_type_is_complex (type))
    {
      GhloElementType part = ghlo_element_type_real_part (type);

      return MAX (count_steps (part, actual.c.re, expected.c.re), count_steps (part, actual.c.im, expected.c.im));
    }

  return actual.i == expected.i ? 0 : G_MAXUINT64;
}

static gboolean
is_close (GhloElementType  type,
          GhloScalar       actual,
          GhloScalar       expected,
          const Limits    *limits)
{
  guint64 steps = count_element_steps (type, actual, expected);

  return steps >= limits->minimum && steps <= limits->maximum;
}

static void
append_index (GString         *string,
              const GhloValue *value,
              gsize            element)
{
  gint64 strides[GHLO_MAX_RANK];

  ghlo_ref_strides (value->type->dimensions, value->type->rank, strides);
  g_string_append_c (string, '[');
  for (guint i = 0; i < value->type->rank; i++)
    {
      g_string_append_printf (string, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", (gint64) element / strides[i]);
      element %= strides[i];
    }
  g_string_append_c (string, ']');
}

static void
append_difference (GString         *string,
                   const GhloValue *actual,
                   const GhloValue *expected,
                   gsize            element,
                   CompareFunc      compare)
{
  GhloElementType type = actual->type->element_type;
  GhloScalar found = ghlo_ref_load (actual, element);
  GhloScalar wanted = ghlo_ref_load (expected, element);
  guint64 steps = count_element_steps (type, found, wanted);

  g_string_append (string, "expected ");
  ghlo_ir_append_scalar (string, type, wanted);
  g_string_append (string, " at ");
  append_index (string, actual, element);
  g_string_append (string, ", found ");
  ghlo_ir_append_scalar (string, type, found);
  if (compare == is_close && steps != G_MAXUINT64)
    g_string_append_printf (string, " (%" G_GUINT64_FORMAT " units in the last place apart)", steps);
}

static gboolean
fail_elements (GhloRefCall       *call,
               const GhloValue   *actual,
               const GhloValue   *expected,
               const gsize       *differing,
               gsize              n_differing,
               CompareFunc        compare,
               const Limits      *limits,
               GError           **error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  append_difference (text, actual, expected, differing[0], compare);
  g_string_append_printf (text, ": %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT " elements differ", n_differing,
                          actual->n_elements);
  if (compare == is_almost_equal)
    g_string_append_printf (text, " by more than %g", limits->tolerance);
  else if (compare == is_close)
    g_string_append_printf (text, " by less than %" G_GUINT64_FORMAT " or more than %" G_GUINT64_FORMAT
                            " units in the last place", limits->minimum, limits->maximum);
  for (gsize i = 1; i < MIN (n_differing, MAX_SHOWN); i++)
    {
      g_string_append (text, "\n  ");
      append_difference (text, actual, expected, differing[i], compare);
    }

  return ghlo_ref_fail (call, error, "%s", text->str);
}

static gboolean
check (GhloRefCall       *call,
       const GhloValue   *actual,
       const GhloValue   *expected,
       CompareFunc        compare,
       const Limits      *limits,
       GError           **error)
{
  gsize differing[MAX_SHOWN], n_differing = 0;
  GhloElementType type;

  if (actual->kind != GHLO_VALUE_TENSOR || expected->kind != GHLO_VALUE_TENSOR)
    {
      g_autofree char *first = ghlo_ref_value_describe (actual), *second = ghlo_ref_value_describe (expected);

      return ghlo_ref_fail (call, error, "expected tensors, found %s and %s", first, second);
    }
  if (actual->type->element_type != expected->type->element_type
      || actual->type->rank != expected->type->rank
      || memcmp (actual->type->dimensions, expected->type->dimensions, actual->type->rank * sizeof (gint64)) != 0)
    {
      g_autofree char *found = ghlo_ref_value_describe (actual);
      g_autofree char *wanted = ghlo_ref_value_describe (expected);

      return ghlo_ref_fail (call, error, "expected %s, found %s", wanted, found);
    }

  type = actual->type->element_type;
  for (gsize i = 0; i < actual->n_elements; i++)
    {
      if (i % CHECK_INTERVAL == 0 && !ghlo_ref_continue (call, error))
        return FALSE;
      if (compare (type, ghlo_ref_load (actual, i), ghlo_ref_load (expected, i), limits))
        continue;
      if (n_differing < MAX_SHOWN)
        differing[n_differing] = i;
      n_differing++;
    }

  return n_differing == 0
         || fail_elements (call, actual, expected, differing, n_differing, compare, limits, error);
}

gboolean
ghlo_ref_check_equal (GhloRefCall       *call,
                      const GhloValue   *actual,
                      const GhloValue   *expected,
                      GError           **error)
{
  return check (call, actual, expected, is_equal, NULL, error);
}

gboolean
ghlo_ref_check_almost_equal (GhloRefCall       *call,
                             const GhloValue   *actual,
                             const GhloValue   *expected,
                             double             tolerance,
                             GError           **error)
{
  Limits limits = { .tolerance = tolerance };

  return check (call, actual, expected, is_almost_equal, &limits, error);
}

gboolean
ghlo_ref_check_close (GhloRefCall       *call,
                      const GhloValue   *actual,
                      const GhloValue   *expected,
                      guint64            minimum,
                      guint64            maximum,
                      GError           **error)
{
  Limits limits = { .minimum = minimum, .maximum = maximum };

  return check (call, actual, expected, is_close, &limits, error);
}

/* The constant of the attribute "value". */
static GhloValue *
make_expected (GhloRefCall *call,
               GError     **error)
{
  const GhloIrAttr *attr = ghlo_ir_op_get (call->op, "value");
  GhloValue *value = attr != NULL && attr->kind == GHLO_IR_ATTR_DENSE
                     ? ghlo_ref_dense_value (attr, attr->type, error) : NULL;

  if (value == NULL && *error == NULL)
    ghlo_ref_fail (call, error, "expected a constant of numbers");

  return value;
}

static double
get_tolerance (const GhloRefCall *call)
{
  return ghlo_ir_op_get_real (call->op, "tolerance", 1e-4);
}

gboolean
ghlo_ref_expect_eq (GhloRefCall *call,
                    GError     **error)
{
  return ghlo_ref_check_equal (call, call->operands[0], call->operands[1], error);
}

gboolean
ghlo_ref_expect_eq_const (GhloRefCall *call,
                          GError     **error)
{
  g_autoptr (GhloValue) expected = make_expected (call, error);

  return expected != NULL && ghlo_ref_check_equal (call, call->operands[0], expected, error);
}

gboolean
ghlo_ref_expect_almost_eq (GhloRefCall *call,
                           GError     **error)
{
  return ghlo_ref_check_almost_equal (call, call->operands[0], call->operands[1], get_tolerance (call), error);
}

gboolean
ghlo_ref_expect_almost_eq_const (GhloRefCall *call,
                                 GError     **error)
{
  g_autoptr (GhloValue) expected = make_expected (call, error);

  return expected != NULL
         && ghlo_ref_check_almost_equal (call, call->operands[0], expected, get_tolerance (call), error);
}

gboolean
ghlo_ref_expect_close (GhloRefCall *call,
                       GError     **error)
{
  guint64 minimum = ghlo_ir_op_get_int (call->op, "min_ulp_difference", 0);
  guint64 maximum = ghlo_ir_op_get_int (call->op, "max_ulp_difference", 1);

  return ghlo_ref_check_close (call, call->operands[0], call->operands[1], minimum, maximum, error);
}
