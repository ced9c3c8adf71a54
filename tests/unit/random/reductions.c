/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reductions of all kinds in random programs: along dimensions, over windows, and select_and_scatter.
 */

#include "program.h"

RandomReduction
random_reduction (RandomProgram   *self,
                  GhloElementType  element,
                  gboolean         may_overwrite)
{
  static const RandomReduction any[] = {
    { "add", RANDOM_SUM }, { "add", RANDOM_SUM }, { "multiply", RANDOM_PRODUCT }, { "maximum", RANDOM_EXTREME },
    { "minimum", RANDOM_EXTREME }, { "and", RANDOM_EXTREME }, { "or", RANDOM_EXTREME }, { "xor", RANDOM_EXTREME },
  };
  gboolean is_bitwise = random_is_integer (element) || element == GHLO_ELEMENT_TYPE_I1;
  guint n = is_bitwise ? G_N_ELEMENTS (any) : random_is_complex (element) ? 3 : 5;

  if (may_overwrite && random_once (self, 3))
    return (RandomReduction) { NULL, RANDOM_SECOND };
  if (self->is_loose && element != GHLO_ELEMENT_TYPE_I1 && random_once (self, 12))
    return (RandomReduction) { "subtract", RANDOM_DIFFERENCE };

  return any[random_pick (self, n)];
}

RandomNumbers
random_reduced (GhloElementType        element,
                const RandomReduction *reduction,
                RandomNumbers          numbers,
                double                 n)
{
  static const RandomRule joins = { FALSE, RANDOM_JOINS };
  RandomNumbers known[2] = { numbers, numbers };

  switch (reduction->kind)
    {
    case RANDOM_SUM:
      return random_numbers_sum (element, numbers, NULL, n);
    case RANDOM_PRODUCT:
      return random_numbers_product (element, numbers, n);
    case RANDOM_EXTREME:
      if (random_is_float (element))
        return random_numbers_exact (element, &joins, known, 2);
      numbers = numbers.trust == RANDOM_NONE ? numbers : random_numbers_unknown ();
      return numbers;
    case RANDOM_SECOND:
      return numbers;
    case RANDOM_DIFFERENCE:
    default:
      known[0] = random_numbers_unknown ();
      known[0].trust = RANDOM_NONE;
      known[0].reordered = numbers.reordered;
      return known[0];
    }
}

/* Sometimes with exchanged operands, where the operation is commutative. */
const char *
random_reducer (RandomProgram         *self,
                const RandomReduction *reduction,
                GhloElementType        element)
{
  RandomType scalar = random_scalar (element);
  const char *type = random_text (self, &scalar);
  guint id = self->n_names++;
  gboolean is_swapped = reduction->kind != RANDOM_DIFFERENCE && random_once (self, 3);

  if (reduction->kind == RANDOM_SECOND)
    return random_printf (self, "{\n  ^bb0(%%a%u: %s, %%b%u: %s):\n    stablehlo.return %%b%u : %s\n  }", id, type, id,
                          type, id, type);

  return random_printf (self, "{\n  ^bb0(%%a%u: %s, %%b%u: %s):\n    %%c%u = stablehlo.%s %%%c%u, %%%c%u : %s\n"
                        "    stablehlo.return %%c%u : %s\n  }", id, type, id, type, id, reduction->name,
                        is_swapped ? 'b' : 'a', id, is_swapped ? 'a' : 'b', id, type, id, type);
}

/* Chooses the reduced dimensions, in order, and the remaining type. */
static guint
choose_reduced (RandomProgram *self,
                RandomType    *result,
                gint64        *dimensions,
                double        *count)
{
  RandomType type = *result;
  guint n = 0, every = 1 + random_pick (self, 3);

  result->rank = 0;
  result->open = 0;
  *count = 1;
  for (guint i = 0; i < type.rank; i++)
    if (random_once (self, every))
      {
        dimensions[n++] = i;
        *count *= (double) type.dimensions[i];
      }
    else
      {
        result->open |= (type.open >> i & 1) << result->rank;
        result->dimensions[result->rank++] = type.dimensions[i];
      }

  return n;
}

static gboolean
make_reduce (RandomProgram *self,
             guint          value)
{
  RandomType type = self->values[value].type, result = type, scalar = random_scalar (type.element);
  RandomReduction reduction = random_reduction (self, type.element, FALSE);
  gint64 dimensions[RANDOM_MAX_RANK];
  double count;
  guint n = choose_reduced (self, &result, dimensions, &count), operands[2] = { value, 0 };
  RandomNumbers numbers;

  operands[1] = random_bounded (self, &scalar);
  numbers = random_numbers_join (self->values[value].numbers, self->values[operands[1]].numbers);
  numbers = random_reduced (type.element, &reduction, numbers, count + 1);
  if (!random_allows (self, numbers))
    return FALSE;
  if (reduction.kind != RANDOM_DIFFERENCE && random_once (self, 2))
    {
      guint place = random_define (self, &result, numbers);

      random_emit (self, "  %s = stablehlo.reduce(%s init: %s) applies stablehlo.%s across dimensions = [%s] : %s\n",
                   random_name (self, place), random_name (self, operands[0]), random_name (self, operands[1]),
                   reduction.name, random_list (self, dimensions, n), random_signature (self, operands, 2, &result));
    }
  else
    {
      random_generic_op (self, "stablehlo.reduce", operands, 2,
                         random_printf (self, " (%s) {dimensions = array<i64%s%s>}",
                                        random_reducer (self, &reduction, type.element), n > 0 ? ": " : "",
                                        random_list (self, dimensions, n)), &result, numbers);
    }

  return TRUE;
}

/* The maximum or minimum and its index, the first among equals: the same in any order. */
static gboolean
make_arg_extreme (RandomProgram *self,
                  guint          value)
{
  RandomType type = self->values[value].type, places = type, result = type;
  RandomType scalars[2] = { random_scalar (type.element), random_scalar (GHLO_ELEMENT_TYPE_I32) };
  RandomNumbers numbers = self->values[value].numbers;
  gint64 dimensions[RANDOM_MAX_RANK];
  double count;
  guint n, operands[4] = { value }, outputs[2];
  const char *t, *s[2], *word = random_once (self, 2) ? "GT" : "LT";

  if (random_is_complex (type.element) || type.element == GHLO_ELEMENT_TYPE_I1)
    return FALSE;
  if (random_is_float (type.element) && (numbers.trust < RANDOM_EQUAL || numbers.specials))
    return FALSE;
  n = choose_reduced (self, &result, dimensions, &count);
  places.element = GHLO_ELEMENT_TYPE_I32;
  operands[1] = random_like (self, &places);
  operands[2] = random_bounded (self, &scalars[0]);
  operands[3] = random_integer_constant (self, GHLO_ELEMENT_TYPE_I32, random_pick (self, 3));
  numbers = random_numbers_join (numbers, self->values[operands[2]].numbers);
  if (numbers.trust < RANDOM_EQUAL || numbers.specials
      || self->values[operands[1]].numbers.trust < RANDOM_BITS)
    return FALSE;
  t = random_printf (self, "(%s, %s, %s, %s) -> (", random_type_of (self, operands[0]),
                     random_type_of (self, operands[1]), random_type_of (self, operands[2]),
                     random_type_of (self, operands[3]));
  s[0] = random_text (self, &scalars[0]);
  s[1] = random_text (self, &scalars[1]);
  numbers.trust = random_is_float (type.element) ? RANDOM_EQUAL : RANDOM_BITS;
  outputs[0] = random_define (self, &result, numbers);
  result.element = GHLO_ELEMENT_TYPE_I32;
  outputs[1] = random_define (self, &result, random_numbers_unknown ());
  random_emit (self, "  %s = \"stablehlo.reduce\"(%s) ({\n  ^bb0(%%a: %s, %%i: %s, %%b: %s, %%j: %s):\n"
               "    %%p = stablehlo.compare %s, %%a, %%b : (%s, %s) -> tensor<i1>\n"
               "    %%q = stablehlo.compare EQ, %%a, %%b : (%s, %s) -> tensor<i1>\n"
               "    %%r = stablehlo.compare LT, %%i, %%j : (%s, %s) -> tensor<i1>\n"
               "    %%s = stablehlo.and %%q, %%r : tensor<i1>\n    %%t = stablehlo.or %%p, %%s : tensor<i1>\n",
               random_names (self, outputs, 2), random_names (self, operands, 4), s[0], s[1], s[0], s[1], word, s[0],
               s[0], s[0], s[0], s[1], s[1]);
  random_emit (self, "    %%v = stablehlo.select %%t, %%a, %%b : tensor<i1>, %s\n"
               "    %%w = stablehlo.select %%t, %%i, %%j : tensor<i1>, %s\n"
               "    stablehlo.return %%v, %%w : %s, %s\n  }) {dimensions = array<i64%s%s>} : %s%s, %s)\n", s[0], s[1],
               s[0], s[1], n > 0 ? ": " : "", random_list (self, dimensions, n), t, random_type_of (self, outputs[0]),
               random_type_of (self, outputs[1]));

  return TRUE;
}

/* What a window of each dimension sees, written as attributes. */
typedef struct
{
  gint64 sizes[RANDOM_MAX_RANK], strides[RANDOM_MAX_RANK], base[RANDOM_MAX_RANK], dilation[RANDOM_MAX_RANK];
  gint64 padding[2 * RANDOM_MAX_RANK];
} Window;

static gint64
number_of_windows (gint64 size,
                   gint64 window,
                   gint64 stride)
{
  return size < window ? 0 : (size - window) / stride + 1;
}

/* Windows of any size, which choose_window ()'s callers refuse where they would see too many elements. */
static gint64
choose_extreme (RandomProgram *self,
                const RandomType *type,
                Window        *window,
                guint          i,
                gboolean       is_plain)
{
  RandomAxis axis = { .size = type->dimensions[i], .rank = type->rank, .window = window->sizes[i] };

  if (random_pick (self, 8) == 7)
    axis.window = random_extreme_from (self, 1);
  random_extreme_axis (self, &axis, is_plain);
  window->sizes[i] = axis.window;
  window->strides[i] = axis.stride;
  window->base[i] = axis.base;
  window->dilation[i] = axis.dilation;
  window->padding[2 * i] = axis.low;
  window->padding[2 * i + 1] = axis.high;

  return axis.count;
}

static double
choose_window (RandomProgram *self,
               RandomType    *type,
               Window        *window,
               gboolean       is_plain)
{
  double count = 1;

  for (guint i = 0; i < type->rank; i++)
    {
      gint64 size = type->dimensions[i], reach;

      window->sizes[i] = 1 + random_pick (self, type->rank > RANDOM_USUAL_RANK && random_pick (self, 8) > 0 ? 1 : 3);
      if (self->is_extreme)
        {
          type->dimensions[i] = choose_extreme (self, type, window, i, is_plain);
          count *= (double) window->sizes[i];
          continue;
        }
      window->strides[i] = 1 + random_pick (self, 2);
      window->base[i] = is_plain || random_pick (self, 4) > 0 ? 1 : 1 + random_pick (self, 3);
      window->dilation[i] = is_plain || random_pick (self, 4) > 0 ? 1 : 1 + random_pick (self, 3);
      for (guint j = 0; j < 2; j++)
        window->padding[2 * i + j] = random_once (self, 2) ? 0 : (gint64) random_pick (self, 4) - !is_plain;
      size = size == 0 ? 0 : (size - 1) * window->base[i] + 1;
      if (size + window->padding[2 * i] + window->padding[2 * i + 1] < 0)
        window->padding[2 * i] = window->padding[2 * i + 1] = 0;
      size += window->padding[2 * i] + window->padding[2 * i + 1];
      reach = (window->sizes[i] - 1) * window->dilation[i] + 1;
      type->dimensions[i] = number_of_windows (size, reach, window->strides[i]);
      count *= (double) window->sizes[i];
    }

  return count;
}

static const char *
array_text (RandomProgram *self,
            const char    *name,
            const gint64  *numbers,
            guint          n)
{
  return random_printf (self, "%s = array<i64%s%s>", name, n > 0 ? ": " : "", random_list (self, numbers, n));
}

static const char *
padding_text (RandomProgram *self,
              const gint64  *padding,
              guint          rank)
{
  g_autoptr (GString) text = g_string_new ("padding = dense<[");

  for (guint i = 0; i < rank; i++)
    g_string_append_printf (text, "%s[%s]", i > 0 ? ", " : "", random_list (self, padding + 2 * i, 2));
  g_string_append_printf (text, "]> : tensor<%ux2xi64>", rank);

  return random_printf (self, "%s", text->str);
}

static const char *
window_text (RandomProgram *self,
             const Window  *window,
             guint          rank)
{
  return random_printf (self, "{%s, %s, %s, %s, %s}", array_text (self, "window_dimensions", window->sizes, rank),
                        array_text (self, "window_strides", window->strides, rank),
                        array_text (self, "base_dilations", window->base, rank),
                        array_text (self, "window_dilations", window->dilation, rank),
                        padding_text (self, window->padding, rank));
}

/* The sums of two operands at once. */
static void
emit_two_windows (RandomProgram    *self,
                  const guint      *operands,
                  const RandomType *result,
                  const char       *window,
                  RandomNumbers     numbers)
{
  RandomType scalar = random_scalar (result->element);
  const char *s = random_text (self, &scalar), *r = random_text (self, result), *t = random_type_of (self, operands[0]);
  guint twice[4] = { operands[0], operands[0], operands[1], operands[1] }, outputs[2];

  for (guint i = 0; i < 2; i++)
    outputs[i] = random_define (self, result, numbers);
  random_emit (self, "  %s = \"stablehlo.reduce_window\"(%s) ({\n  ^bb0(%%a: %s, %%b: %s, %%c: %s, %%d: %s):\n"
               "    %%e = stablehlo.add %%a, %%c : %s\n    %%f = stablehlo.add %%b, %%d : %s\n"
               "    stablehlo.return %%e, %%f : %s, %s\n  }) %s : (%s, %s, %s, %s) -> (%s, %s)\n",
               random_names (self, outputs, 2), random_names (self, twice, 4), s, s, s, s, s, s, s, s, window, t, t, s,
               s, r, r);
}

static gboolean
make_reduce_window (RandomProgram *self,
                    guint          value)
{
  RandomType type = self->values[value].type, result = type, scalar = random_scalar (type.element);
  RandomReduction reduction = random_reduction (self, type.element, FALSE);
  Window window;
  guint operands[2] = { value, 0 };
  double count;
  RandomNumbers numbers;

  if (type.rank == 0 || type.rank > random_max_rank (self, 4))
    return FALSE;
  count = choose_window (self, &result, &window, FALSE);
  operands[1] = random_bounded (self, &scalar);
  numbers = random_numbers_join (self->values[value].numbers, self->values[operands[1]].numbers);
  numbers = random_reduced (type.element, &reduction, numbers, count + 1);
  if (!random_fits (self, &result) || count * (double) random_count (&result) > RANDOM_MAX_WORK
      || !random_allows (self, numbers))
    return FALSE;
  if (self->is_extreme && reduction.kind == RANDOM_SUM && random_pick (self, 3) == 2)
    emit_two_windows (self, operands, &result, window_text (self, &window, type.rank), numbers);
  else
    random_generic_op (self, "stablehlo.reduce_window", operands, 2,
                       random_printf (self, " (%s) %s", random_reducer (self, &reduction, type.element),
                                      window_text (self, &window, type.rank)), &result, numbers);

  return TRUE;
}

static gboolean
make_select_and_scatter (RandomProgram *self,
                         guint          value)
{
  RandomType type = self->values[value].type, source = type, scalar = random_scalar (type.element);
  RandomReduction reduction = random_reduction (self, type.element, FALSE);
  Window window;
  guint operands[3] = { value };
  RandomNumbers numbers, selected = self->values[value].numbers;
  const char *s;
  double count;

  if (type.rank == 0 || type.rank > random_max_rank (self, 4) || random_is_complex (type.element)
      || type.element == GHLO_ELEMENT_TYPE_I1)
    return FALSE;
  count = choose_window (self, &source, &window, TRUE);
  if (!random_fits (self, &source) || count * (double) random_count (&source) > RANDOM_MAX_WORK)
    return FALSE;
  operands[1] = random_bounded (self, &source);
  operands[2] = random_bounded (self, &scalar);
  numbers = random_numbers_join (self->values[operands[1]].numbers, self->values[operands[2]].numbers);
  numbers = random_reduced (type.element, &reduction, numbers, (double) random_count (&source) + 1);
  if (selected.trust < RANDOM_EQUAL || (random_is_float (type.element) && selected.specials))
    numbers.trust = RANDOM_NONE;
  numbers.reordered |= selected.reordered && selected.trust < RANDOM_EQUAL;
  if (!random_allows (self, numbers))
    return FALSE;
  s = random_text (self, &scalar);
  random_generic_op (self, "stablehlo.select_and_scatter", operands, 3,
                     random_printf (self, " ({\n  ^bb0(%%a: %s, %%b: %s):\n"
                                    "    %%p = stablehlo.compare %s, %%a, %%b : (%s, %s) -> tensor<i1>\n"
                                    "    stablehlo.return %%p : tensor<i1>\n  }, %s) {%s, %s, %s}", s, s,
                                    random_once (self, 2) ? "GE" : "LE", s, s,
                                    random_reducer (self, &reduction, type.element),
                                    array_text (self, "window_dimensions", window.sizes, type.rank),
                                    array_text (self, "window_strides", window.strides, type.rank),
                                    padding_text (self, window.padding, type.rank)), &type, numbers);

  return TRUE;
}

const RandomMaker random_reduction_makers[] = {
  { "reduce", make_reduce, 14, 12, RANDOM_TAKES_OPEN },
  { "arg extreme", make_arg_extreme, 5, 3, 0 },
  { "reduce window", make_reduce_window, 10, 4, RANDOM_HAS_WINDOWS },
  { "select and scatter", make_select_and_scatter, 6, 2, RANDOM_HAS_WINDOWS },
  { NULL },
};
