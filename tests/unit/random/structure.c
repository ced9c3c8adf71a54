/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Structural operations in random programs: calls, composites, tuples, tokens, barriers, constants in other forms, and
 * other contents of exported programs.
 */

#include "program.h"

/* A function of @n arguments with the types of @operands and a random body, and what is known of its results for
 * these operands. */
static const char *
add_function (RandomProgram *self,
              const guint   *operands,
              guint          n,
              RandomType    *results,
              RandomNumbers *numbers,
              guint          n_results)
{
  RandomScope scope = random_scope_begin (self, TRUE, FALSE);
  g_autoptr (GString) body = g_string_new (NULL), header = g_string_new (NULL), types = g_string_new (NULL);
  const char *name = random_printf (self, "f%u", self->n_ids);
  guint returned[3];

  self->body = body;
  for (guint i = 0; i < n; i++)
    {
      RandomValue outside = self->values[operands[i]];
      guint inside = random_define (self, &outside.type, outside.numbers);

      g_string_append_printf (header, "%s%s: %s", i > 0 ? ", " : "", random_name (self, inside),
                              random_type_of (self, inside));
    }
  random_grow (self, 2 + random_pick (self, 4));
  for (guint i = 0; i < n_results; i++)
    {
      returned[i] = self->n_values - 1 - random_pick (self, MIN (self->n_values - self->first, 3));
      if (self->values[returned[i]].type.element == GHLO_ELEMENT_TYPE_INDEX)
        returned[i] = random_other (self, self->first);
      results[i] = self->values[returned[i]].type;
      numbers[i] = self->values[returned[i]].numbers;
      g_string_append_printf (types, "%s%s", i > 0 ? ", " : "", random_type_of (self, returned[i]));
    }
  g_string_append_printf (self->functions, "func.func private @%s(%s) -> (%s) {\n%s  return %s : %s\n}\n", name,
                          header->str, types->str, body->str, random_names (self, returned, n_results), types->str);
  random_scope_end (self, &scope);

  return name;
}

static const char *
operand_types (RandomProgram *self,
               const guint   *operands,
               guint          n)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", random_type_of (self, operands[i]));

  return random_printf (self, "%s", text->str);
}

/* Once or twice with the same operands. */
static gboolean
make_call (RandomProgram *self,
           guint          value)
{
  guint operands[3] = { value }, n = 1 + random_pick (self, 3), outputs[2], n_results = 1 + random_pick (self, 2);
  RandomType results[2];
  RandomNumbers numbers[2];
  const char *name, *types;
  gboolean is_composite = random_once (self, 3);

  if (self->depth >= 2)
    return FALSE;
  for (guint i = 1; i < n; i++)
    operands[i] = random_other (self, value);
  name = add_function (self, operands, n, results, numbers, n_results);
  types = operand_types (self, operands, n);
  for (guint times = 1 + random_once (self, 3); times > 0; times--)
    {
      for (guint i = 0; i < n_results; i++)
        outputs[i] = random_define (self, &results[i], numbers[i]);
      random_emit (self, "  %s = ", random_names (self, outputs, n_results));
      if (is_composite)
        random_emit (self, "stablehlo.composite \"random.%s\" %s {decomposition = @%s}", name,
                     random_names (self, operands, n), name);
      else
        random_emit (self, "func.call @%s(%s)", name, random_names (self, operands, n));
      random_emit (self, " : (%s) -> (%s)\n", types, operand_types (self, outputs, n_results));
    }

  return TRUE;
}

/* Packed and unpacked, next to a token or another tuple. */
static gboolean
make_tuple (RandomProgram *self,
            guint          value)
{
  guint other = random_other (self, value), id = self->n_ids;
  const char *t = random_type_of (self, value), *u = random_type_of (self, other), *pair;
  guint place;

  pair = random_printf (self, "tuple<%s, !stablehlo.token, tuple<%s>>", t, u);
  random_emit (self, "  %%t%u = %s !stablehlo.token\n", id,
               random_once (self, 2) ? "\"stablehlo.create_token\"() : () ->" : "stablehlo.after_all :");
  random_emit (self, "  %%s%u = stablehlo.after_all %%t%u, %%t%u : !stablehlo.token\n", id, id, id);
  random_emit (self, "  %%i%u = stablehlo.tuple %s : tuple<%s>\n", id, random_name (self, other), u);
  random_emit (self, "  %%p%u = stablehlo.tuple %s, %%s%u, %%i%u : %s\n", id, random_name (self, value), id, id, pair);
  if (random_once (self, 2))
    {
      place = random_define (self, &self->values[value].type, self->values[value].numbers);
      random_emit (self, "  %s = stablehlo.get_tuple_element %%p%u[0] : (%s) -> %s\n", random_name (self, place), id,
                   pair, t);
      return TRUE;
    }
  random_emit (self, "  %%j%u = stablehlo.get_tuple_element %%p%u[2] : (%s) -> tuple<%s>\n", id, id, pair, u);
  place = random_define (self, &self->values[other].type, self->values[other].numbers);
  random_emit (self, "  %s = stablehlo.get_tuple_element %%j%u[0] : (tuple<%s>) -> %s\n", random_name (self, place), id,
               u, u);

  return TRUE;
}

static gboolean
make_barrier (RandomProgram *self,
              guint          value)
{
  guint operands[2] = { value, random_other (self, value) }, outputs[2];
  guint n = 1 + random_pick (self, 2);

  for (guint i = 0; i < n; i++)
    outputs[i] = random_define (self, &self->values[operands[i]].type, self->values[operands[i]].numbers);
  random_emit (self, "  %s = stablehlo.optimization_barrier %s : %s\n", random_names (self, outputs, n),
               random_names (self, operands, n), operand_types (self, operands, n));

  return TRUE;
}

/* The other spellings of constants, of the numbers that a dense one would have. */
static gboolean
make_constant (RandomProgram *self,
               guint          value)
{
  RandomType type = self->values[value].type;
  guint place;
  gboolean is_float = random_is_float (type.element);
  const char *number = is_float ? "1.000000e+00" : type.element == GHLO_ELEMENT_TYPE_I1 ? "true" : "1";

  if (random_is_complex (type.element))
    return FALSE;
  switch (random_pick (self, 4))
    {
    case 0:
      random_constant (self, &type, RANDOM_FILL_ANY);
      return TRUE;
    case 1:
      place = random_define (self, &type, random_numbers_small (1, 1));
      random_emit (self, "  %s = arith.constant dense<%s> : %s\n", random_name (self, place), number,
                   random_text (self, &type));
      return TRUE;
    case 2:
      place = random_define (self, &type, random_numbers_small (1, 1));
      random_emit (self, "  %s = chlo.constant dense<%s> : %s\n", random_name (self, place), number,
                   random_text (self, &type));
      return TRUE;
    default:
      random_generic_op (self, "chlo.constant_like", &value, 1,
                         type.element == GHLO_ELEMENT_TYPE_I1 ? " {value = true}"
                         : random_printf (self, " {value = %s : %s}", number, ghlo_element_info (type.element)->name),
                         &type, random_numbers_small (1, 1));
      return TRUE;
    }
}

/* Operations that return their operand unchanged. */
static gboolean
make_same (RandomProgram *self,
           guint          value)
{
  RandomType type = self->values[value].type;
  RandomNumbers numbers = self->values[value].numbers;
  const char *t = random_text (self, &type), *name = random_name (self, value);
  guint place = random_define (self, &type, numbers), choice = random_pick (self, type.rank > 0 ? 4 : 2);

  if (choice >= 2 && strstr (self->functions->str, "sdy.mesh") == NULL)
    g_string_prepend (self->functions, "sdy.mesh @mesh = <[\"x\"=1]>\n");
  random_emit (self, "  %s = ", random_name (self, place));
  if (choice == 0)
    {
      random_emit (self, "stablehlo.custom_call @Sharding(%s) : (%s) -> %s\n", name, t, t);
    }
  else if (choice == 1)
    {
      random_emit (self, "builtin.unrealized_conversion_cast %s : %s to %s\n", name, t, t);
    }
  else
    {
      g_autoptr (GString) axes = g_string_new (random_once (self, 2) ? "{\"x\"}" : "{}");

      for (guint i = 1; i < type.rank; i++)
        g_string_append (axes, ", {}");
      if (choice == 2)
        {
          random_emit (self, "sdy.sharding_constraint %s <@mesh, [%s]> : %s\n", name, axes->str, t);
          random_emit (self, "  sdy.sharding_group %s group_id = %u : %s\n", name, random_pick (self, 3), t);
        }
      else
        random_emit (self, "sdy.manual_computation(%s) in_shardings=[<@mesh, [%s]>] out_shardings=[<@mesh, [%s]>] "
                     "manual_axes={\"x\"} (%%m%u: %s) {\n    %%n%u = stablehlo.%s\n    sdy.return %%n%u : %s\n"
                     "  } : (%s) -> %s\n", name, axes->str, axes->str, self->n_ids, t, self->n_ids,
                     random_printf (self, "reverse %%m%u, dims = [] : %s", self->n_ids, t), self->n_ids, t, t, t);
    }

  return TRUE;
}

/* Any integers can serve as the state: bits are bits. */
static gboolean
make_random_bits (RandomProgram *self,
                  guint          value)
{
  static const char *const algorithms[] = { "DEFAULT", "THREE_FRY", "PHILOX", "PHILOX" };
  static const GhloElementType elements[] = {
    GHLO_ELEMENT_TYPE_UI64, GHLO_ELEMENT_TYPE_UI32, GHLO_ELEMENT_TYPE_UI8, GHLO_ELEMENT_TYPE_I32,
    GHLO_ELEMENT_TYPE_UI16,
  };
  guint algorithm = random_pick (self, 4), outputs[2], state;
  RandomType type = self->values[value].type;
  RandomType states = random_vector (GHLO_ELEMENT_TYPE_UI64, algorithm == 3 ? 3 : 2);

  type.element = elements[random_pick (self, G_N_ELEMENTS (elements))];
  state = random_like (self, &states);
  if (self->values[state].numbers.trust < RANDOM_BITS)
    return FALSE;
  outputs[0] = random_define (self, &states, random_numbers_unknown ());
  outputs[1] = random_define (self, &type, random_numbers_unknown ());
  random_emit (self, "  %s = stablehlo.rng_bit_generator %s, algorithm = %s : (%s) -> (%s, %s)\n",
               random_names (self, outputs, 2), random_name (self, state), algorithms[algorithm],
               random_type_of (self, state), random_type_of (self, outputs[0]), random_type_of (self, outputs[1]));

  return TRUE;
}

const RandomMaker random_structure_makers[] = {
  { "call", make_call, 6, 5, 0 },
  { "tuple", make_tuple, 3, 2, 0 },
  { "barrier", make_barrier, 3, 1, 0 },
  { "constant", make_constant, 6, 6, 0 },
  { "same", make_same, 3, 1, 0 },
  { "random bits", make_random_bits, 4, 1, 0 },
  { NULL },
};
