/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sorts, top-k, cumulative reductions and maps in random programs.
 */

#include "program.h"

/* A comparator over @n operands that looks at the first one, or with @is_chained at the
 * second one too where the first ones are equal. */
static const char *
comparator (RandomProgram *self,
            const guint   *operands,
            guint          n,
            const char    *word,
            const char    *kind,
            gboolean       is_chained)
{
  g_autoptr (GString) text = g_string_new ("{\n  ^bb0(");
  RandomType scalars[4];
  const char *s;

  for (guint i = 0; i < n; i++)
    {
      scalars[i] = random_scalar (self->values[operands[i]].type.element);
      s = random_text (self, &scalars[i]);
      g_string_append_printf (text, "%s%%a%u: %s, %%b%u: %s", i > 0 ? ", " : "", i, s, i, s);
    }
  s = random_text (self, &scalars[0]);
  g_string_append_printf (text, "):\n    %%p = stablehlo.compare %s, %%a0, %%b0%s : (%s, %s) -> tensor<i1>\n", word,
                          kind, s, s);
  if (is_chained)
    {
      const char *second = random_text (self, &scalars[1]);

      g_string_append_printf (text, "    %%e = stablehlo.compare EQ, %%a0, %%b0%s : (%s, %s) -> tensor<i1>\n"
                              "    %%q = stablehlo.compare GT, %%a1, %%b1 : (%s, %s) -> tensor<i1>\n"
                              "    %%r = stablehlo.and %%e, %%q : tensor<i1>\n"
                              "    %%s = stablehlo.or %%p, %%r : tensor<i1>\n", kind, s, s, second, second);
    }
  g_string_append_printf (text, "    stablehlo.return %s : tensor<i1>\n  }", is_chained ? "%s" : "%p");

  return random_printf (self, "%s", text->str);
}

/* The numbers of a sort's result; only a stable sort keeps the order of equal keys, and only the total order defines
 * one for NaNs. */
static RandomNumbers
sorted (GhloElementType element,
        RandomNumbers   keys,
        RandomNumbers   moved,
        gboolean        is_total,
        gboolean        is_stable)
{
  if (keys.trust < RANDOM_EQUAL || (random_is_float (element) && keys.specials))
    moved.trust = RANDOM_NONE;
  else if (is_total && keys.trust < RANDOM_BITS)
    moved.trust = RANDOM_NONE;
  else if (!is_stable)
    moved.trust = RANDOM_NONE;
  moved.reordered |= keys.reordered || (is_total && keys.specials);

  return moved;
}

static gboolean
make_sort (RandomProgram *self,
           guint          value)
{
  RandomType type = self->values[value].type;
  gboolean is_float = random_is_float (type.element), is_total = is_float && random_once (self, 3);
  gboolean is_stable = random_pick (self, 4) > 0, is_chained;
  guint n = 1 + random_pick (self, 3), operands[4] = { value }, outputs[4], dimension;
  const char *word = random_once (self, 2) ? "LT" : "GT", *types, *body;
  RandomNumbers keys = self->values[value].numbers, numbers[4];
  g_autoptr (GString) results = g_string_new (NULL);

  if (type.rank == 0 || random_is_complex (type.element))
    return FALSE;
  for (guint i = 1; i < n; i++)
    {
      RandomType other = type;

      other.element = i == 1 ? GHLO_ELEMENT_TYPE_I32 : random_element (self);
      operands[i] = random_like (self, &other);
    }
  is_chained = n > 1 && random_once (self, 2);
  if (is_chained && self->values[operands[1]].numbers.trust < RANDOM_BITS)
    keys.trust = RANDOM_NONE, keys.reordered |= self->values[operands[1]].numbers.reordered;
  for (guint i = 0; i < n; i++)
    {
      /* In a single operand, equal elements are indistinguishable except for zeros. */
      gboolean is_alone = n == 1 || (n == 2 && is_chained);

      numbers[i] = sorted (type.element, keys, self->values[operands[i]].numbers, is_total, is_stable || is_alone);
      if (is_float && i == 0 && is_alone && !is_stable)
        numbers[i].trust = MIN (numbers[i].trust, RANDOM_EQUAL);
      if (!random_allows (self, numbers[i]))
        return FALSE;
    }
  dimension = random_pick (self, type.rank);
  body = comparator (self, operands, n, word, is_total ? ", TOTALORDER" : "", is_chained);
  types = random_signature (self, operands, n, &type);
  types = random_printf (self, "%.*s", (int) (strstr (types, " -> ") - types), types);
  for (guint i = 0; i < n; i++)
    {
      RandomType other = self->values[operands[i]].type;

      g_string_append_printf (results, "%s%s", i > 0 ? ", " : "", random_text (self, &other));
      outputs[i] = random_define (self, &other, numbers[i]);
    }
  random_emit (self, "  %s = \"stablehlo.sort\"(%s) (%s) {dimension = %d : i64, is_stable = %s} : %s -> (%s)\n",
               random_names (self, outputs, n), random_names (self, operands, n), body,
               (int) dimension - (random_once (self, 4) ? (int) type.rank : 0), is_stable ? "true" : "false", types,
               results->str);

  return TRUE;
}

static gboolean
make_top_k (RandomProgram *self,
            guint          value)
{
  RandomType type = self->values[value].type, result = type, places;
  RandomNumbers keys = self->values[value].numbers, moved;
  guint outputs[2];

  if (type.rank == 0 || random_is_complex (type.element) || type.element == GHLO_ELEMENT_TYPE_I1)
    return FALSE;
  /* By the total order, which shows the sign of NaNs. Which of two zeros is the larger is not for sure. */
  moved = sorted (type.element, keys, keys, random_is_float (type.element), TRUE);
  moved.trust = random_is_float (type.element) ? MIN (moved.trust, RANDOM_EQUAL) : moved.trust;
  if (random_is_float (type.element) && keys.trust == RANDOM_EQUAL)
    moved.trust = RANDOM_NONE;
  if (!random_allows (self, moved))
    return FALSE;
  result.dimensions[type.rank - 1] = random_pick (self, (guint) type.dimensions[type.rank - 1] + 1);
  places = result;
  places.element = GHLO_ELEMENT_TYPE_I32;
  outputs[0] = random_define (self, &result, moved);
  if (random_is_float (type.element) && moved.trust == RANDOM_EQUAL)
    moved.trust = RANDOM_NONE;
  else if (moved.trust > RANDOM_NONE)
    moved = random_numbers_unknown ();
  outputs[1] = random_define (self, &places, moved);
  random_emit (self, random_once (self, 3)
               ? "  %s = stablehlo.custom_call @mhlo.topk(%s) {mhlo.attributes = {k = %" G_GINT64_FORMAT " : i64, "
                 "largest = true}} : (%s) -> (%s, %s)\n"
               : "  %s = chlo.top_k(%s, k = %" G_GINT64_FORMAT ") : %s -> (%s, %s)\n",
               random_names (self, outputs, 2), random_name (self, value), result.dimensions[result.rank - 1],
               random_type_of (self, value), random_type_of (self, outputs[0]), random_type_of (self, outputs[1]));

  return TRUE;
}

/* A few operations on scalars, using values in scope since @scope began; one of the results has type @wanted. */
static guint
grow_scalars (RandomProgram    *self,
              const RandomType *wanted)
{
  random_grow (self, 1 + random_pick (self, 4));
  if (self->values[self->n_values - 1].type.element == wanted->element)
    return self->n_values - 1;

  return random_like (self, wanted);
}

static gboolean
make_map (RandomProgram *self,
          guint          value)
{
  RandomType type = self->values[value].type, result = type, wanted = random_scalar (type.element);
  guint operands[3] = { value }, n = 1 + random_pick (self, 3), inner;
  g_autoptr (GString) body = g_string_new (NULL), arguments = g_string_new (NULL);
  RandomNumbers known[3], numbers;
  RandomScope scope;
  gint64 dimensions[RANDOM_MAX_RANK];

  for (guint i = 0; i < n; i++)
    {
      RandomType other = type;

      if (i > 0)
        {
          other.element = random_once (self, 2) ? type.element : random_element (self);
          operands[i] = random_like (self, &other);
        }
      known[i] = self->values[operands[i]].numbers;
    }
  scope = random_scope_begin (self, TRUE, TRUE);
  self->body = body;
  for (guint i = 0; i < n; i++)
    {
      RandomType scalar = random_scalar (self->values[operands[i]].type.element);
      guint argument = random_define (self, &scalar, known[i]);

      g_string_append_printf (arguments, "%s%s: %s", i > 0 ? ", " : "", random_name (self, argument),
                              random_text (self, &scalar));
    }
  inner = grow_scalars (self, &wanted);
  numbers = self->values[inner].numbers;
  random_emit (self, "    stablehlo.return %s : %s\n", random_name (self, inner), random_type_of (self, inner));
  result.element = self->values[inner].type.element;
  random_scope_end (self, &scope);
  if (!random_allows (self, numbers))
    return FALSE;
  for (guint i = 0; i < type.rank; i++)
    dimensions[i] = i;
  random_generic_op (self, "stablehlo.map", operands, n,
                     random_printf (self, " ({\n  ^bb0(%s):\n%s  }) {dimensions = array<i64%s%s>}", arguments->str,
                                    body->str, type.rank > 0 ? ": " : "", random_list (self, dimensions, type.rank)),
                     &result, numbers);

  return TRUE;
}

/* Integers and what is the same in any arithmetic: a carried value is not known well. */
static gboolean
make_scan (RandomProgram *self,
           guint          value)
{
  RandomType type = self->values[value].type, slice = type, carry;
  guint dimension, outputs[2], init;
  const char *s, *t, *name;

  if (type.rank == 0 || random_is_complex (type.element) || self->values[value].numbers.trust < RANDOM_BITS)
    return FALSE;
  dimension = random_pick (self, type.rank);
  slice.rank--;
  memmove (slice.dimensions + dimension, slice.dimensions + dimension + 1,
           (slice.rank - dimension) * sizeof (gint64));
  carry = slice;
  name = random_is_float (type.element) ? "maximum" : random_once (self, 2) ? "add" : "xor";
  if (type.element == GHLO_ELEMENT_TYPE_I1)
    name = "xor";
  init = random_like (self, &carry);
  if (self->values[init].numbers.trust < RANDOM_BITS)
    return FALSE;
  s = random_text (self, &slice);
  t = random_type_of (self, value);
  outputs[0] = random_define (self, &type, random_numbers_unknown ());
  outputs[1] = random_define (self, &carry, random_numbers_unknown ());
  random_emit (self, "  %s = chlo.scan(%s) inits(%s) dimension=%u%s", random_names (self, outputs, 2),
               random_name (self, value), random_name (self, init), dimension,
               random_once (self, 2) ? " attributes {is_reverse = true}" : "");
  random_emit (self, " {\n  ^bb0(%%a: %s, %%b: %s):\n    %%c = stablehlo.%s %%a, %%b : %s\n"
               "    stablehlo.return %%c, %%c : %s, %s\n  } : (%s, %s) -> (%s, %s)\n", s, s, name, s, s, s, t, s, t, s);

  return TRUE;
}

const RandomMaker random_order_makers[] = {
  { "sort", make_sort, 10, 4, 0 },
  { "top k", make_top_k, 4, 2, 0 },
  { "map", make_map, 8, 5, 0 },
  { "scan", make_scan, 4, 2, 0 },
  { NULL },
};
