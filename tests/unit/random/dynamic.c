/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Dynamic shapes in random programs: operations with a shape operand, sizes that are read and set, and casts from "?"
 * back to static dimensions.
 */

#include "program.h"

/* Writes some dimensions as "?". */
static void
open_some (RandomProgram *self,
           RandomType    *type)
{
  type->open = random_once (self, 3) ? 0 : random_pick (self, 1u << MIN (type->rank, 16));
}

/* The numbers as a vector: a constant, or the shape of an argument with these dimensions. */
static guint
shape_value (RandomProgram *self,
             const gint64  *numbers,
             guint          n)
{
  static const GhloElementType elements[] = {
    GHLO_ELEMENT_TYPE_I32, GHLO_ELEMENT_TYPE_I64, GHLO_ELEMENT_TYPE_I64, GHLO_ELEMENT_TYPE_INDEX,
  };
  GhloElementType element = elements[self->is_extreme ? 1 : random_pick (self, G_N_ELEMENTS (elements))];
  RandomType model = { .element = GHLO_ELEMENT_TYPE_I8, .rank = n }, shape = random_vector (GHLO_ELEMENT_TYPE_INDEX, n);
  guint source, place;

  if (element != GHLO_ELEMENT_TYPE_INDEX)
    return random_integers (self, element, numbers, n);
  if (n > 0 && random_once (self, 2))
    {
      place = random_define (self, &shape, random_numbers_small (8, 1));
      random_emit (self, "  %s = shape.const_shape [%s] : %s\n", random_name (self, place),
                   random_list (self, numbers, n), random_text (self, &shape));
      return place;
    }
  memcpy (model.dimensions, numbers, n * sizeof (gint64));
  if (!self->is_closed)
    model.open = n > 0 ? G_GUINT64_CONSTANT (1) << random_pick (self, n) : 0;
  source = random_argument (self, &model, RANDOM_FILL_GRID);
  place = random_define (self, &shape, random_numbers_small (8, 1));
  random_emit (self, "  %s = shape.shape_of %s : %s -> %s\n", random_name (self, place), random_name (self, source),
               random_type_of (self, source), random_text (self, &shape));

  return place;
}

static gboolean
make_dynamic_iota (RandomProgram *self,
                   guint          value)
{
  RandomType type = self->values[value].type;
  guint shape;

  if (type.rank == 0 || !random_is_integer (type.element) || ghlo_element_info (type.element)->bits < 8)
    return FALSE;
  shape = shape_value (self, type.dimensions, type.rank);
  open_some (self, &type);
  random_op (self, "stablehlo.dynamic_iota", &shape, 1,
             random_printf (self, ", dim = %u", random_pick (self, type.rank)), &type, random_numbers_small (16, 1));

  return TRUE;
}

static gboolean
make_dynamic_reshape (RandomProgram *self,
                      guint          value)
{
  RandomType type = self->values[value].type, result = type;
  guint operands[2] = { value };

  result.rank = 0;
  if (random_once (self, 2) || type.rank == 0)
    result.dimensions[result.rank++] = random_count (&type);
  else
    for (guint i = type.rank; i > 0; i--)
      result.dimensions[result.rank++] = type.dimensions[i - 1];
  operands[1] = shape_value (self, result.dimensions, result.rank);
  open_some (self, &result);
  random_op (self, "stablehlo.dynamic_reshape", operands, 2, "", &result, self->values[value].numbers);

  return TRUE;
}

static gboolean
make_dynamic_broadcast (RandomProgram *self,
                        guint          value)
{
  RandomType type = self->values[value].type, result = type;
  gint64 places[RANDOM_MAX_RANK];
  guint operands[2] = { value };

  result.open = 0;
  result.rank = random_pick (self, 4);
  result.rank = MAX (result.rank, type.rank);
  for (guint i = 0; i < result.rank; i++)
    result.dimensions[i] = random_size (self);
  if (self->is_extreme && result.rank > 0 && random_once (self, 3))
    {
      result.dimensions[0] = random_extreme_from (self, 0);
      result.dimensions[result.rank - 1] = 0;
    }
  random_shuffle (self, places, result.rank);
  for (guint i = 0; i < type.rank; i++)
    if (type.dimensions[i] != 1)
      result.dimensions[places[i]] = type.dimensions[i];
  if (!random_fits (self, &result))
    return FALSE;
  operands[1] = shape_value (self, result.dimensions, result.rank);
  open_some (self, &result);
  random_op (self, "stablehlo.dynamic_broadcast_in_dim", operands, 2,
             random_printf (self, ", dims = [%s]", random_list (self, places, type.rank)), &result,
             self->values[value].numbers);

  return TRUE;
}

static gboolean
make_real_dynamic_slice (RandomProgram *self,
                         guint          value)
{
  RandomType type = self->values[value].type, result = type;
  gint64 starts[RANDOM_MAX_RANK], limits[RANDOM_MAX_RANK], strides[RANDOM_MAX_RANK];
  guint operands[4] = { value };
  GhloElementType element = random_integer_type (self);

  for (guint i = 0; i < type.rank; i++)
    {
      starts[i] = random_within (self, type.dimensions[i]);
      limits[i] = starts[i] + random_within (self, type.dimensions[i] - starts[i]);
      strides[i] = self->is_extreme ? random_extreme_from (self, 1) : 1 + random_pick (self, 2);
      result.dimensions[i] = limits[i] > starts[i] ? (limits[i] - starts[i] - 1) / strides[i] + 1 : 0;
    }
  operands[1] = random_integers (self, element, starts, type.rank);
  operands[2] = random_integers (self, element, limits, type.rank);
  operands[3] = random_integers (self, element, strides, type.rank);
  open_some (self, &result);
  random_op (self, "stablehlo.real_dynamic_slice", operands, 4, "", &result, self->values[value].numbers);

  return TRUE;
}

static gboolean
make_dynamic_pad (RandomProgram *self,
                  guint          value)
{
  RandomType type = self->values[value].type, result = type, scalar = random_scalar (type.element);
  gint64 amounts[3][RANDOM_MAX_RANK];
  guint operands[5] = { value };
  GhloElementType element = random_integer_type (self);

  for (guint i = 0; i < type.rank; i++)
    {
      gint64 size = type.dimensions[i];
      RandomAxis axis = { .size = size, .rank = type.rank };

      if (self->is_extreme)
        {
          random_extreme_padding (self, &axis);
          amounts[0][i] = axis.low;
          amounts[1][i] = axis.high;
          amounts[2][i] = axis.base - 1;
          result.dimensions[i] = axis.count;
          continue;
        }
      amounts[2][i] = random_once (self, 3);
      size += MAX (size - 1, 0) * amounts[2][i];
      amounts[0][i] = (gint64) random_pick (self, 4) - 1;
      amounts[1][i] = (gint64) random_pick (self, 4) - 1;
      if (size + amounts[0][i] + amounts[1][i] < 0)
        amounts[0][i] = amounts[1][i] = 0;
      result.dimensions[i] = size + amounts[0][i] + amounts[1][i];
    }
  if (!random_fits (self, &result))
    return FALSE;
  operands[1] = random_like (self, &scalar);
  for (guint i = 0; i < 3; i++)
    operands[2 + i] = random_integers (self, element, amounts[i], type.rank);
  open_some (self, &result);
  random_op (self, "stablehlo.dynamic_pad", operands, 5, "", &result,
             random_numbers_join (self->values[value].numbers, self->values[operands[1]].numbers));

  return TRUE;
}

/* From "?" to static dimensions, or the other way. */
static gboolean
make_cast (RandomProgram *self,
           guint          value)
{
  RandomType type = self->values[value].type, result = type;
  guint place;

  if (type.open == 0 && (type.rank == 0 || random_pick (self, 3) > 0))
    return FALSE;
  result.open = type.open == 0 ? G_GUINT64_CONSTANT (1) << random_pick (self, type.rank) : 0;
  place = random_define (self, &result, self->values[value].numbers);
  random_emit (self, "  %s = tensor.cast %s : %s to %s\n", random_name (self, place), random_name (self, value),
               random_text (self, &type), random_text (self, &result));

  return TRUE;
}

static gboolean
make_size (RandomProgram *self,
           guint          value)
{
  RandomType type = self->values[value].type, result = random_scalar (GHLO_ELEMENT_TYPE_I32);

  if (type.rank == 0)
    return FALSE;
  random_op (self, "stablehlo.get_dimension_size", &value, 1,
             random_printf (self, ", dim = %u", random_pick (self, type.rank)), &result, random_numbers_small (512, 1));

  return TRUE;
}

/* The shapes of two values broadcast, or their elements counted. */
static gboolean
make_shape (RandomProgram *self,
            guint          value)
{
  RandomType type = self->values[value].type, shape = random_vector (GHLO_ELEMENT_TYPE_INDEX, type.rank);
  guint shapes[2], place;
  gint64 ones[RANDOM_MAX_RANK];
  const char *s = random_text (self, &shape);

  if (type.rank == 0)
    return FALSE;
  for (guint i = 0; i < type.rank; i++)
    ones[i] = 1;
  shapes[0] = random_define (self, &shape, random_numbers_small (512, 1));
  random_emit (self, "  %s = shape.shape_of %s : %s -> %s\n", random_name (self, shapes[0]),
               random_name (self, value), random_type_of (self, value), s);
  shapes[1] = random_define (self, &shape, random_numbers_small (512, 1));
  random_emit (self, "  %s = shape.const_shape [%s] : %s\n", random_name (self, shapes[1]),
               random_list (self, ones, type.rank), s);
  place = random_define (self, &shape, random_numbers_small (512, 1));
  random_emit (self, "  %s = shape.broadcast %s : %s, %s -> %s\n", random_name (self, place),
               random_names (self, shapes, 2), s, s, s);
  random_emit (self, "  %%n%u = shape.num_elements %s : %s -> index\n", self->n_ids, random_name (self, place), s);

  return TRUE;
}

/* A dimension that is shortened at run time, and a sum or size of the rest. */
static gboolean
make_set_size (RandomProgram *self,
               guint          value)
{
  RandomType type = self->values[value].type, scalar = random_scalar (type.element), result = type;
  RandomReduction reduction = { "add", RANDOM_SUM };
  guint dimension, size, init, id = self->n_ids;
  RandomNumbers numbers;
  g_autoptr (GString) bounded = g_string_new ("tensor<"), bounds = g_string_new (NULL);

  if (type.rank == 0)
    return FALSE;
  dimension = random_pick (self, type.rank);
  for (guint i = 0; i < type.rank; i++)
    {
      if (i == dimension)
        g_string_append (bounded, "?x");
      else
        g_string_append_printf (bounded, "%" G_GINT64_FORMAT "x", type.dimensions[i]);
      g_string_append_printf (bounds, i == dimension ? "%s%" G_GINT64_FORMAT : "%s?", i > 0 ? ", " : "",
                              type.dimensions[i]);
    }
  g_string_append_printf (bounded, "%s, #stablehlo.bounds<%s>>", ghlo_element_info (type.element)->name, bounds->str);
  init = random_bounded (self, &scalar);
  numbers = random_numbers_join (self->values[value].numbers, self->values[init].numbers);
  numbers = random_reduced (type.element, &reduction, numbers, (double) type.dimensions[dimension] + 1);
  if (type.element == GHLO_ELEMENT_TYPE_I1 || !random_allows (self, numbers))
    return FALSE;
  size = random_integer_constant (self, GHLO_ELEMENT_TYPE_I32,
                                  random_pick (self, (guint) type.dimensions[dimension] + 1));
  random_emit (self, "  %%z%u = stablehlo.set_dimension_size %s, %s, dim = %u : (%s, tensor<i32>) -> %s\n", id,
               random_name (self, value), random_name (self, size), dimension, random_type_of (self, value),
               bounded->str);
  if (random_once (self, 3))
    {
      result = random_scalar (GHLO_ELEMENT_TYPE_I32);
      size = random_define (self, &result, random_numbers_small (512, 1));
      random_emit (self, "  %s = stablehlo.get_dimension_size %%z%u, dim = %u : (%s) -> tensor<i32>\n",
                   random_name (self, size), id, dimension, bounded->str);
      return TRUE;
    }
  result.rank--;
  memmove (result.dimensions + dimension, result.dimensions + dimension + 1,
           (result.rank - dimension) * sizeof (gint64));
  size = random_define (self, &result, numbers);
  random_emit (self, "  %s = stablehlo.reduce(%%z%u init: %s) applies stablehlo.add across dimensions = [%u] : "
               "(%s, %s) -> %s\n", random_name (self, size), id, random_name (self, init), dimension, bounded->str,
               random_type_of (self, init), random_text (self, &result));

  return TRUE;
}

const RandomMaker random_dynamic_makers[] = {
  { "dynamic iota", make_dynamic_iota, 2, 2, RANDOM_HAS_NUMBERS },
  { "dynamic reshape", make_dynamic_reshape, 3, 3, RANDOM_TAKES_OPEN | RANDOM_HAS_NUMBERS },
  { "dynamic broadcast", make_dynamic_broadcast, 3, 3, RANDOM_TAKES_OPEN | RANDOM_HAS_NUMBERS },
  { "real dynamic slice", make_real_dynamic_slice, 3, 3, RANDOM_HAS_NUMBERS },
  { "dynamic pad", make_dynamic_pad, 3, 3, RANDOM_HAS_NUMBERS },
  { "cast", make_cast, 8, 8, RANDOM_TAKES_OPEN },
  { "size", make_size, 3, 3, RANDOM_TAKES_OPEN },
  { "shape", make_shape, 2, 2, RANDOM_TAKES_OPEN },
  { "set size", make_set_size, 3, 2, 0 },
  { NULL },
};
