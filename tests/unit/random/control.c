/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Branches, loops, calls and composites in random programs, with random programs as their bodies.
 */

#include "program.h"

enum { MAX_DEPTH = 2 };

#define NOWHERE G_MAXUINT

/* In a region: grows a little, then returns the number of a value of @type. */
static guint
grow_for (RandomProgram    *self,
          const RandomType *type,
          gboolean          needs_bits)
{
  guint found;

  random_grow (self, 1 + random_pick (self, 3));
  for (guint i = self->n_values; i > self->first && i + 6 > self->n_values; i--)
    if (random_same_type (&self->values[i - 1].type, type)
        && (!needs_bits || self->values[i - 1].numbers.trust == RANDOM_BITS))
      return i - 1;
  found = random_like (self, type);
  if (needs_bits && self->values[found].numbers.trust != RANDOM_BITS)
    found = random_constant (self, type, RANDOM_FILL_ANY);

  return found;
}

/* One branch, "{ … }", giving values of @types. */
static const char *
branch (RandomProgram    *self,
        const RandomType *types,
        guint             n,
        RandomNumbers    *numbers)
{
  RandomScope scope = random_scope_begin (self, FALSE, FALSE);
  g_autoptr (GString) body = g_string_new (NULL);
  guint returned[4];
  const char *text;

  self->body = body;
  for (guint i = 0; i < n; i++)
    {
      returned[i] = grow_for (self, &types[i], FALSE);
      numbers[i] = self->values[returned[i]].numbers;
    }
  random_emit (self, "    stablehlo.return %s : ", random_names (self, returned, n));
  for (guint i = 0; i < n; i++)
    random_emit (self, "%s%s", i > 0 ? ", " : "", random_type_of (self, returned[i]));
  text = random_printf (self, "{\n%s\n  }", body->str);
  random_scope_end (self, &scope);

  return text;
}

static const char *
type_list (RandomProgram    *self,
           const RandomType *types,
           guint             n)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", random_text (self, &types[i]));

  return random_printf (self, "%s", text->str);
}

static gboolean
make_branches (RandomProgram *self,
               guint          value)
{
  gboolean is_case = random_once (self, 2);
  guint n_branches = is_case ? 1 + random_pick (self, 4) : 2, n = 1 + random_pick (self, 2), outputs[2], index;
  RandomType types[2], selector = random_scalar (is_case ? GHLO_ELEMENT_TYPE_I32 : GHLO_ELEMENT_TYPE_I1);
  RandomNumbers numbers[2], others[2];
  g_autoptr (GString) regions = g_string_new (NULL);

  if (self->depth >= MAX_DEPTH)
    return FALSE;
  types[0] = self->values[value].type;
  types[1] = random_type (self, 2);
  index = random_like (self, &selector);
  for (guint i = 0; i < n_branches; i++)
    {
      g_string_append_printf (regions, "%s%s", i > 0 ? ", " : "",
                              branch (self, types, n, i == 0 ? numbers : others));
      for (guint j = 0; i > 0 && j < n; j++)
        numbers[j] = random_numbers_join (numbers[j], others[j]);
    }
  for (guint i = 0; i < n; i++)
    {
      numbers[i].trust = MIN (numbers[i].trust, self->values[index].numbers.trust);
      numbers[i].reordered |= self->values[index].numbers.reordered;
      if (!random_allows (self, numbers[i]))
        return FALSE;
    }
  for (guint i = 0; i < n; i++)
    outputs[i] = random_define (self, &types[i], numbers[i]);
  random_emit (self, "  %s = \"stablehlo.%s\"(%s) (%s) : (%s) -> (%s)\n", random_names (self, outputs, n),
               is_case ? "case" : "if", random_name (self, index), regions->str, random_type_of (self, index),
               type_list (self, types, n));

  return TRUE;
}

/* A loop with that many iterations, counted in one of several forms, with carried values that its body may change,
 * pass on or swap. The carried values have the same bits on every executor, but nothing else is known about them. */
static gboolean
make_loop (RandomProgram *self,
           guint          value)
{
  static const char *const words[] = { "LT", "LT", "LE", "NE" };
  RandomType types[4] = { random_scalar (random_once (self, 2) ? GHLO_ELEMENT_TYPE_I32 : GHLO_ELEMENT_TYPE_I64) };
  guint n = 2 + random_pick (self, 3), inits[4], outputs[4], arguments[4] = { 0 }, returned[4];
  guint end = random_pick (self, 4);
  g_autoptr (GString) body = g_string_new (NULL), header = g_string_new (NULL), condition = g_string_new (NULL);
  RandomScope scope;
  const char *counter, *t = random_text (self, &types[0]);
  guint limit, step, next, test;
  RandomType predicate = random_scalar (GHLO_ELEMENT_TYPE_I1);

  if (self->depth >= MAX_DEPTH)
    return FALSE;
  inits[0] = random_integer_constant (self, types[0].element, 0);
  for (guint i = 1; i < n; i++)
    {
      types[i] = i == 1 ? self->values[value].type : random_once (self, 2) ? types[1] : random_type (self, 2);
      inits[i] = i == 1 ? value : random_like (self, &types[i]);
      if (self->values[inits[i]].numbers.trust < RANDOM_BITS)
        inits[i] = random_constant (self, &types[i], RANDOM_FILL_ANY);
    }
  limit = random_once (self, 2) ? random_integer_constant (self, types[0].element, end) : NOWHERE;
  scope = random_scope_begin (self, FALSE, FALSE);
  for (guint i = 0; i < n; i++)
    {
      arguments[i] = random_define (self, &types[i], i == 0 ? random_numbers_small (8, 1) : random_numbers_unknown ());
      g_string_append_printf (header, "%s%s = %s", i > 0 ? ", " : "", random_name (self, arguments[i]),
                              random_name (self, inits[i]));
    }
  counter = random_name (self, arguments[0]);
  self->body = condition;
  if (limit == NOWHERE)
    limit = random_integer_constant (self, types[0].element, end);
  /* A hidden bound makes the loop's trip count unknown: it ends by its data. */
  if (random_once (self, 3))
    {
      guint hidden = random_define (self, &types[0], random_numbers_small (8, 1));

      random_emit (self, "  %s = stablehlo.optimization_barrier %s : %s\n", random_name (self, hidden),
                   random_name (self, limit), t);
      limit = hidden;
    }
  test = random_define (self, &predicate, random_numbers_unknown ());
  random_emit (self, "  %s = stablehlo.compare %s, %s, %s : (%s, %s) -> tensor<i1>\n    stablehlo.return %s : "
               "tensor<i1>", random_name (self, test), words[random_pick (self, G_N_ELEMENTS (words))], counter,
               random_name (self, limit), t, t, random_name (self, test));
  /* The values that the condition defines are local to it. */
  self->n_values = scope.n_values + n;
  self->body = body;
  step = random_integer_constant (self, types[0].element, 1);
  next = random_define (self, &types[0], random_numbers_small (8, 1));
  random_emit (self, "  %s = stablehlo.add %s, %s : %s\n", random_name (self, next), counter,
               random_name (self, step), t);
  returned[0] = next;
  for (guint i = 1; i < n; i++)
    returned[i] = random_once (self, 5) ? arguments[i] : grow_for (self, &types[i], TRUE);
  random_emit (self, "    stablehlo.return %s : %s", random_names (self, returned, n), type_list (self, types, n));
  random_scope_end (self, &scope);
  for (guint i = 0; i < n; i++)
    outputs[i] = random_define (self, &types[i], i == 0 ? random_numbers_small (8, 1) : random_numbers_unknown ());
  random_emit (self, "  %s = stablehlo.while(%s) : %s\n  cond {\n%s\n  } do {\n%s\n  }\n",
               random_names (self, outputs, n), header->str, type_list (self, types, n), condition->str, body->str);

  return TRUE;
}

/* Names of start indices for an element of an array of @rank: the counter, something near it, or a constant. */
static const char *
random_starts (RandomProgram *self,
               guint          rank,
               const char    *counter)
{
  const RandomType type = random_scalar (GHLO_ELEMENT_TYPE_I32);
  g_autoptr (GString) starts = g_string_new (NULL);

  for (guint i = 0; i < rank; i++)
    {
      guint constant = random_integer_constant (self, type.element, random_within (self, 4));
      guint sum;

      g_string_append (starts, ", ");
      if (random_once (self, 3))
        {
          g_string_append (starts, random_once (self, 2) ? counter : random_name (self, constant));
          continue;
        }
      sum = random_define (self, &type, random_numbers_unknown ());
      random_emit (self, "    %s = stablehlo.%s %s, %s : tensor<i32>\n", random_name (self, sum),
                   random_once (self, 2) ? "add" : "multiply", counter, random_name (self, constant));
      g_string_append (starts, random_name (self, sum));
    }

  return random_printf (self, "%s", starts->str);
}

/* The types of an array of @rank and its start indices, for an operation. */
static const char *
start_types (RandomProgram *self,
             guint          rank)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < rank; i++)
    g_string_append (text, ", tensor<i32>");

  return random_printf (self, "%s", text->str);
}

/* A loop that reads and writes single elements of an array, also ones that it wrote before. */
static gboolean
make_updates (RandomProgram *self,
              guint          value)
{
  const RandomType counter = random_scalar (GHLO_ELEMENT_TYPE_I32), predicate = random_scalar (GHLO_ELEMENT_TYPE_I1);
  const RandomType array = self->values[value].type;
  const GhloElementInfo *info = ghlo_element_info (array.element);
  const gboolean is_number = info->element_class == GHLO_ELEMENT_CLASS_SIGNED
                             || info->element_class == GHLO_ELEMENT_CLASS_UNSIGNED
                             || info->element_class == GHLO_ELEMENT_CLASS_FLOAT;
  RandomType element = array;
  const RandomType types[2] = { counter, array };
  guint zero, end, one, carried[2], outputs[2], next, test, first, second, last;
  g_autoptr (GString) body = g_string_new (NULL), condition = g_string_new (NULL), sizes = g_string_new (NULL);
  const char *array_text, *element_text, *indices, *header;
  RandomScope scope;

  if (self->depth >= MAX_DEPTH || !is_number || array.rank == 0 || array.rank > 3 || array.open != 0)
    return FALSE;
  for (guint i = 0; i < array.rank; i++)
    {
      if (array.dimensions[i] < 1)
        return FALSE;
      element.dimensions[i] = 1;
      g_string_append (sizes, i > 0 ? ", 1" : "1");
    }
  if (self->values[value].numbers.trust < RANDOM_BITS)
    value = random_constant (self, &array, RANDOM_FILL_ANY);
  array_text = random_text (self, &array);
  element_text = random_text (self, &element);
  zero = random_integer_constant (self, counter.element, 0);
  one = random_integer_constant (self, counter.element, 1);
  end = random_integer_constant (self, counter.element, random_pick (self, 7));
  scope = random_scope_begin (self, FALSE, FALSE);
  for (guint i = 0; i < 2; i++)
    carried[i] = random_define (self, &types[i], random_numbers_unknown ());
  header = random_printf (self, "%s = %s, %s = %s", random_name (self, carried[0]), random_name (self, zero),
                          random_name (self, carried[1]), random_name (self, value));
  self->body = condition;
  test = random_define (self, &predicate, random_numbers_unknown ());
  random_emit (self, "    %s = stablehlo.compare LT, %s, %s : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
               "    stablehlo.return %s : tensor<i1>", random_name (self, test), random_name (self, carried[0]),
               random_name (self, end), random_name (self, test));
  self->body = body;
  next = random_define (self, &counter, random_numbers_unknown ());
  random_emit (self, "    %s = stablehlo.add %s, %s : tensor<i32>\n", random_name (self, next),
               random_name (self, carried[0]), random_name (self, one));
  last = carried[1];
  for (guint n = 1 + random_pick (self, 2); n > 0; n--)
    {
      guint reads[2];

      for (guint i = 0; i < 2; i++)
        {
          indices = random_starts (self, array.rank, random_name (self, carried[0]));
          reads[i] = random_define (self, &element, random_numbers_unknown ());
          random_emit (self, "    %s = stablehlo.dynamic_slice %s%s, sizes = [%s] : (%s%s) -> %s\n",
                       random_name (self, reads[i]), random_name (self, random_once (self, 8) ? last : carried[1]),
                       indices, sizes->str, array_text, start_types (self, array.rank), element_text);
        }
      first = random_define (self, &element, random_numbers_unknown ());
      random_emit (self, "    %s = stablehlo.%s %s, %s : %s\n", random_name (self, first),
                   random_once (self, 2) ? "add" : "maximum", random_name (self, reads[0]),
                   random_name (self, reads[1]), element_text);
      indices = random_starts (self, array.rank, random_name (self, carried[0]));
      second = random_define (self, &array, random_numbers_unknown ());
      random_emit (self, "    %s = stablehlo.dynamic_update_slice %s, %s%s : (%s, %s%s) -> %s\n",
                   random_name (self, second), random_name (self, last), random_name (self, first), indices,
                   array_text, element_text, start_types (self, array.rank), array_text);
      last = second;
    }
  random_emit (self, "    stablehlo.return %s, %s : tensor<i32>, %s", random_name (self, next),
               random_name (self, last), array_text);
  random_scope_end (self, &scope);
  for (guint i = 0; i < 2; i++)
    outputs[i] = random_define (self, &types[i], i == 0 ? random_numbers_small (8, 1) : random_numbers_unknown ());
  random_emit (self, "  %s = stablehlo.while(%s) : tensor<i32>, %s\n  cond {\n%s\n  } do {\n%s\n  }\n",
               random_names (self, outputs, 2), header, array_text, condition->str, body->str);

  return TRUE;
}

const RandomMaker random_control_makers[] = {
  { "branches", make_branches, 6, 6, 0 },
  { "loop", make_loop, 6, 6, 0 },
  { "updates", make_updates, 4, 4, 0 },
  { NULL },
};
