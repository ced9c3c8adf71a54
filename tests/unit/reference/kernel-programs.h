/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the tests of the structured kernels: inputs of reproducible numbers, programs run on them, and results as
 * numbers.
 */

#pragma once

#include <complex.h>
#include <math.h>

#include "reference-programs.h"

/* glibc defines CMPLX for gcc only; clang has the same builtin. */
#ifndef CMPLX
#define CMPLX(re, im) __builtin_complex ((double) (re), (double) (im))
#endif

typedef double _Complex Number;

static inline gboolean
is_complex (const GhloValue *value)
{
  return ghlo_element_type_is_complex (value->type->element_type);
}

/* Element @index of a tensor, whatever its element type is. */
static inline Number
number_at (const GhloValue *value,
           gsize            index)
{
  const GhloElementInfo *info = ghlo_element_info (value->type->element_type);
  GhloScalar scalar = ghlo_element_load (value->type->element_type, value->data + index * info->size);

  switch (info->element_class)
    {
    case GHLO_ELEMENT_CLASS_FLOAT: return scalar.f;
    case GHLO_ELEMENT_CLASS_COMPLEX: return CMPLX (scalar.c.re, scalar.c.im);
    case GHLO_ELEMENT_CLASS_UNSIGNED: return (double) scalar.u;
    default: return (double) scalar.i;
    }
}

static inline void
set_number (GhloValue *value,
            gsize      index,
            Number     number)
{
  const GhloElementInfo *info = ghlo_element_info (value->type->element_type);
  GhloScalar scalar = { .i = 0 };

  if (info->element_class == GHLO_ELEMENT_CLASS_FLOAT)
    scalar.f = creal (number);
  else if (info->element_class == GHLO_ELEMENT_CLASS_COMPLEX)
    scalar = (GhloScalar) { .c = { creal (number), cimag (number) } };
  else
    scalar.i = (gint64) creal (number);
  ghlo_element_store (value->type->element_type, value->data + index * info->size, scalar);
}

/* A tensor of the type spelled by @text, with random numbers from @low to @high. */
static inline GhloValue *
new_random (const char *text,
            double      low,
            double      high)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_parse (text, &error);
  GhloValue *value;

  g_assert_no_error (error);
  value = ghlo_value_new_tensor (type, &error);
  g_assert_no_error (error);
  for (gsize i = 0; i < value->n_elements; i++)
    {
      double re = g_test_rand_double_range (low, high);
      double im = is_complex (value) ? g_test_rand_double_range (low, high) : 0;

      set_number (value, i, CMPLX (re, im));
    }
  return value;
}

/* Runs @text; @outputs has room for all results. */
static inline void
run_text (const char  *text,
          GhloValue  **inputs,
          gsize        n_inputs,
          GhloValue  **outputs)
{
  g_auto (Program) program = { NULL };
  g_autoptr (GError) error = NULL;

  prepare (&program, text);
  run_program (&program, inputs, n_inputs, outputs, NULL, &error);
  g_assert_no_error (error);
}

/* The single result of @text. */
static inline GhloValue *
result_of (const char *text,
           GhloValue **inputs,
           gsize       n_inputs)
{
  GhloValue *output = NULL;

  run_text (text, inputs, n_inputs, &output);
  return output;
}

/* Checks that @found is within @tolerance of @expected, relative to @scale. */
static inline void
assert_near (Number found,
             Number expected,
             double scale,
             double tolerance)
{
  if (!(cabs (found - expected) <= tolerance * scale))
    g_error ("expected %.17g%+.17gi, found %.17g%+.17gi", creal (expected), cimag (expected),
             creal (found), cimag (found));
}
