/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Quantized values in random programs: quantization to a type whose scale is a power of two, so that everything is
 * exact, a few operations on the quantized value, and dequantization. Also the operations that generate random numbers.
 */

#include "program.h"

const char *
random_quantized_text (RandomProgram    *self,
                       const RandomType *type,
                       const char       *element)
{
  const char *text = random_text (self, type);

  return random_printf (self, "%.*s%s>", (int) (strrchr (text, 'f') - text), text, element);
}

/* Of one element type in and out. */
static gboolean
make_quantized (RandomProgram *self,
                guint          value)
{
  static const char *const elements[] = {
    "!quant.uniform<i8:f32, 5.000000e-01:1>", "!quant.uniform<ui8:f32, 2.500000e-01:7>",
    "!quant.uniform<i16:f32, 1.250000e-01>", "!quant.uniform<i8<-100:100>:f32, 1.000000e+00:-3>",
  };
  static const char *const binary[] = { "add", "multiply", "maximum", "minimum", "subtract" };
  static const char *const unary[] = { "negate", "abs" };
  RandomType type = self->values[value].type;
  RandomNumbers known = self->values[value].numbers;
  const char *t, *q, *element = elements[random_pick (self, G_N_ELEMENTS (elements))];
  guint id = self->n_ids, last = 0, place;

  if (type.element != GHLO_ELEMENT_TYPE_F32)
    return FALSE;
  if (known.trust < RANDOM_EQUAL || known.specials)
    {
      value = random_bounded (self, &type);
      known = self->values[value].numbers;
      if (known.trust < RANDOM_EQUAL || known.specials)
        return FALSE;
    }
  t = random_text (self, &type);
  q = random_quantized_text (self, &type, element);
  random_emit (self, "  %%q%u_0 = stablehlo.uniform_quantize %s : (%s) -> %s\n", id, random_name (self, value), t, q);
  for (guint n = random_pick (self, 4); n > 0; n--)
    {
      last++;
      if (random_once (self, 2))
        random_emit (self, "  %%q%u_%u = stablehlo.%s %%q%u_%u, %%q%u_%u : %s\n", id, last,
                     binary[random_pick (self, G_N_ELEMENTS (binary))], id, last - 1, id,
                     random_pick (self, last), q);
      else
        random_emit (self, "  %%q%u_%u = stablehlo.%s %%q%u_%u : %s\n", id, last,
                     unary[random_pick (self, G_N_ELEMENTS (unary))], id, last - 1, q);
    }
  place = random_define (self, &type, random_numbers_small (32768, 0.125));
  random_emit (self, "  %s = stablehlo.uniform_dequantize %%q%u_%u : (%s) -> %s\n", random_name (self, place), id, last,
               q, t);

  return TRUE;
}

/* Nothing is promised of these but their type and range. */
static gboolean
make_rng (RandomProgram *self,
          guint          value)
{
  RandomType type = self->values[value].type, scalar = random_scalar (type.element);
  RandomNumbers nothing = { .trust = RANDOM_NONE, .magnitude = INFINITY, .specials = TRUE, .reordered = TRUE };
  guint operands[3];

  if (!self->is_loose || random_is_complex (type.element))
    return FALSE;
  for (guint i = 0; i < 2; i++)
    operands[i] = random_constant (self, &scalar, RANDOM_FILL_GRID);
  operands[2] = random_integers (self, GHLO_ELEMENT_TYPE_I64, type.dimensions, type.rank);
  random_op (self, "stablehlo.rng", operands, 3,
             random_is_float (type.element) && random_once (self, 2) ? ", distribution = NORMAL"
                                                                     : ", distribution = UNIFORM", &type, nothing);

  return TRUE;
}

const RandomMaker random_quantized_makers[] = {
  { "quantized", make_quantized, 4, 2, 0 },
  { "rng", make_rng, 1, 1, 0 },
  { NULL },
};
