/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Conversion between tensors of floats, complex or quantized numbers and matrices
 * of long doubles.
 */

#include "reference/algebra/matrix.h"

#include "reference/scalar/numbers.h"

gpointer
ghlo_ref_numbers_new (gboolean complex_numbers,
                      gsize    n,
                      GError **error)
{
  return ghlo_ref_scratch (n, complex_numbers ? sizeof (GhloRefComplex) : sizeof (GhloRefReal), error);
}

void
ghlo_ref_numbers_load (const GhloValue *value,
                       gsize            first,
                       gsize            n,
                       gpointer         numbers)
{
  GhloElementType type = value->type->element_type;
  const GhloQuantization *quantization = value->type->quantization;

  for (gsize i = 0; i < n; i++)
    {
      GhloScalar scalar = ghlo_ref_load (value, first + i);

      if (ghlo_element_type_is_complex (type))
        ((GhloRefComplex *) numbers)[i] = CMPLXL (scalar.c.re, scalar.c.im);
      else if (quantization != NULL)
        ((GhloRefReal *) numbers)[i] = ghlo_ref_dequantize (quantization, 0, scalar.i);
      else
        ((GhloRefReal *) numbers)[i] = scalar.f;
    }
}

void
ghlo_ref_numbers_store (GhloValue    *value,
                        gsize         first,
                        gsize         n,
                        gconstpointer numbers)
{
  GhloElementType type = value->type->element_type;
  const GhloQuantization *quantization = value->type->quantization;

  for (gsize i = 0; i < n; i++)
    {
      GhloScalar scalar = { 0 };

      if (ghlo_element_type_is_complex (type))
        scalar = (GhloScalar) { .c = { (double) creall (((const GhloRefComplex *) numbers)[i]),
                                       (double) cimagl (((const GhloRefComplex *) numbers)[i]) } };
      else if (quantization != NULL)
        scalar.i = ghlo_ref_quantize (quantization, 0, (double) ((const GhloRefReal *) numbers)[i]);
      else
        scalar.f = (double) ((const GhloRefReal *) numbers)[i];
      ghlo_ref_store (value, first + i, scalar);
    }
}

void
ghlo_ref_take_triangle (gboolean      complex_numbers,
                        gconstpointer from,
                        gpointer      to,
                        gsize         n,
                        gboolean      lower,
                        gboolean      transpose,
                        gboolean      conjugate,
                        gboolean      unit)
{
  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < n; j++)
      {
        gsize at = transpose ? j * n + i : i * n + j;
        gboolean inside = lower ? j <= i : j >= i;

        if (complex_numbers)
          {
            GhloRefComplex x = inside ? ((const GhloRefComplex *) from)[i * n + j] : 0;

            ((GhloRefComplex *) to)[at] = unit && i == j ? 1 : conjugate ? conjl (x) : x;
          }
        else
          ((GhloRefReal *) to)[at] = unit && i == j ? 1 : inside ? ((const GhloRefReal *) from)[i * n + j] : 0;
      }
}
