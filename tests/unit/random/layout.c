/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Operations in random programs that move elements to positions known statically.
 */

#include "program.h"

/* One operation of one operand, with its numbers. */
static gboolean
move (RandomProgram    *self,
      const char       *name,
      guint             value,
      const char       *attributes,
      const RandomType *result)
{
  if (!random_fits (self, result))
    return FALSE;
  random_op (self, name, &value, 1, attributes, result, self->values[value].numbers);

  return TRUE;
}

/* Adds or removes dimensions of size one, flattens, or rotates the dimensions. */
static gboolean
make_reshape (RandomProgram *self,
              guint          value)
{
  RandomType type = self->values[value].type, result = type;

  result.rank = 0;
  if (random_once (self, 4))
    {
      result.dimensions[result.rank++] = random_count (&type);
    }
  else if (random_once (self, 3))
    {
      for (guint i = type.rank; i > 0; i--)
        result.dimensions[result.rank++] = type.dimensions[i - 1];
    }
  else
    {
      for (guint i = 0; i < type.rank; i++)
        {
          if (result.rank + type.rank - i < 5 && random_once (self, 3))
            result.dimensions[result.rank++] = 1;
          if (type.dimensions[i] != 1 || random_once (self, 2))
            result.dimensions[result.rank++] = type.dimensions[i];
        }
      if (result.rank < 5 && random_once (self, 3))
        result.dimensions[result.rank++] = 1;
    }

  return move (self, "stablehlo.reshape", value, "", &result);
}

static gboolean
make_transpose (RandomProgram *self,
                guint          value)
{
  RandomType type = self->values[value].type, result = type;
  gint64 permutation[RANDOM_MAX_RANK];

  random_shuffle (self, permutation, type.rank);
  result.open = 0;
  for (guint i = 0; i < type.rank; i++)
    {
      result.dimensions[i] = type.dimensions[permutation[i]];
      result.open |= (type.open >> permutation[i] & 1) << i;
    }

  return move (self, "stablehlo.transpose", value,
               random_printf (self, ", dims = [%s]", random_list (self, permutation, type.rank)), &result);
}

/* To up to four dimensions, in any order. */
static gboolean
make_broadcast (RandomProgram *self,
                guint          value)
{
  RandomType type = self->values[value].type, result = type;
  gint64 places[RANDOM_MAX_RANK];

  if (random_once (self, 5) && type.rank < random_max_rank (self, 4))
    {
      gint64 size = random_size (self);

      result.rank++;
      memmove (result.dimensions + 1, type.dimensions, type.rank * sizeof (gint64));
      result.dimensions[0] = size;
      return move (self, "stablehlo.broadcast", value, random_printf (self, ", sizes = [%" G_GINT64_FORMAT "]", size),
                   &result);
    }
  result.rank = random_pick (self, 5);
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

  return move (self, "stablehlo.broadcast_in_dim", value,
               random_printf (self, ", dims = [%s]", random_list (self, places, type.rank)), &result);
}

static gboolean
make_slice (RandomProgram *self,
            guint          value)
{
  RandomType type = self->values[value].type, result = type;
  g_autoptr (GString) ranges = g_string_new (" [");

  for (guint i = 0; i < type.rank; i++)
    {
      gint64 size = type.dimensions[i], start = random_within (self, size);
      gint64 limit = start + random_within (self, size - start), stride = 1 + random_pick (self, 3);

      if (self->is_extreme)
        stride = random_extreme_from (self, 1);

      if (random_once (self, 2))
        {
          start = 0;
          limit = size;
        }
      g_string_append_printf (ranges, "%s%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT,
                              i > 0 ? ", " : "", start, limit, stride);
      result.dimensions[i] = limit > start ? (limit - start - 1) / stride + 1 : 0;
    }
  g_string_append_c (ranges, ']');

  return move (self, "stablehlo.slice", value, random_printf (self, "%s", ranges->str), &result);
}

static gboolean
make_reverse (RandomProgram *self,
              guint          value)
{
  RandomType type = self->values[value].type;
  gint64 dimensions[RANDOM_MAX_RANK];
  guint n = random_pick (self, type.rank + 1);

  random_shuffle (self, dimensions, type.rank);

  return move (self, "stablehlo.reverse", value,
               random_printf (self, ", dims = [%s]", random_list (self, dimensions, n)), &type);
}

static gboolean
make_concatenate (RandomProgram *self,
                  guint          value)
{
  RandomType type = self->values[value].type, result = type;
  RandomNumbers numbers = self->values[value].numbers;
  guint operands[3] = { value }, n = 1 + random_pick (self, 3), dimension;

  if (type.rank == 0)
    return FALSE;
  dimension = random_pick (self, type.rank);
  for (guint i = 1; i < n; i++)
    {
      RandomType other = type;

      if (random_once (self, 2))
        other.dimensions[dimension] = random_size (self);
      if (!random_fits (self, &other))
        return FALSE;
      operands[i] = random_like (self, &other);
      numbers = random_numbers_join (numbers, self->values[operands[i]].numbers);
      if (__builtin_add_overflow (result.dimensions[dimension], other.dimensions[dimension],
                                  &result.dimensions[dimension]))
        return FALSE;
    }
  if (!random_fits (self, &result))
    return FALSE;
  random_op (self, "stablehlo.concatenate", operands, n, random_printf (self, ", dim = %u", dimension), &result,
             numbers);

  return TRUE;
}

static gboolean
make_pad (RandomProgram *self,
          guint          value)
{
  RandomType type = self->values[value].type, result = type, scalar = random_scalar (type.element);
  gint64 low[RANDOM_MAX_RANK], high[RANDOM_MAX_RANK], interior[RANDOM_MAX_RANK];
  guint operands[2] = { value };

  for (guint i = 0; i < type.rank; i++)
    {
      gint64 size = type.dimensions[i];
      RandomAxis axis = { .size = size, .rank = type.rank };

      if (self->is_extreme)
        {
          random_extreme_padding (self, &axis);
          low[i] = axis.low;
          high[i] = axis.high;
          interior[i] = axis.base - 1;
          result.dimensions[i] = axis.count;
          continue;
        }
      interior[i] = random_once (self, 3) ? random_pick (self, 3) : 0;
      size += MAX (size - 1, 0) * interior[i];
      low[i] = (gint64) random_pick (self, 5) - 2;
      high[i] = (gint64) random_pick (self, 5) - 2;
      if (size + low[i] + high[i] < 0)
        low[i] = high[i] = 0;
      result.dimensions[i] = size + low[i] + high[i];
    }
  if (!random_fits (self, &result))
    return FALSE;
  operands[1] = random_like (self, &scalar);
  random_op (self, "stablehlo.pad", operands, 2,
             random_printf (self, ", low = [%s], high = [%s], interior = [%s]", random_list (self, low, type.rank),
                            random_list (self, high, type.rank), random_list (self, interior, type.rank)),
             &result, random_numbers_join (self->values[value].numbers, self->values[operands[1]].numbers));

  return TRUE;
}

static gboolean
make_iota (RandomProgram *self,
           guint          value)
{
  RandomType type = self->values[value].type;
  guint dimension, place;
  double last;

  if (type.rank == 0 || type.element == GHLO_ELEMENT_TYPE_I1)
    return FALSE;
  dimension = random_pick (self, type.rank);
  last = (double) type.dimensions[dimension];
  place = random_define (self, &type, last <= random_largest (type.element) && last * random_epsilon (type.element) < 1
                                      && type.element != GHLO_ELEMENT_TYPE_F8E8M0FNU
                                      ? random_numbers_small (last, 1) : random_numbers_unknown ());
  random_emit (self, "  %s = stablehlo.iota dim = %u : %s\n", random_name (self, place), dimension,
               random_type_of (self, place));

  return TRUE;
}

/* The same bits under another element type, of the same width, more or fewer. */
static gboolean
make_bitcast (RandomProgram *self,
              guint          value)
{
  RandomType type = self->values[value].type, result = type;
  const GhloElementInfo *info = ghlo_element_info (type.element), *other;
  RandomNumbers known = self->values[value].numbers, numbers = random_numbers_unknown ();

  for (guint i = 0; i < 20; i++)
    {
      result.element = random_element (self);
      if (result.element != type.element && random_is_complex (result.element) == random_is_complex (type.element))
        break;
    }
  other = ghlo_element_info (result.element);
  if (random_is_complex (result.element) != random_is_complex (type.element) || random_is_complex (type.element)
      || MAX (info->bits, other->bits) % MIN (info->bits, other->bits) != 0)
    return FALSE;
  if (other->bits < info->bits)
    {
      if (type.rank == 5)
        return FALSE;
      result.dimensions[result.rank++] = info->bits / other->bits;
    }
  else if (other->bits > info->bits)
    {
      if (type.rank == 0 || type.dimensions[type.rank - 1] != other->bits / info->bits)
        return FALSE;
      result.rank--;
    }
  if (known.trust < RANDOM_BITS)
    numbers.trust = RANDOM_NONE;
  /* Which NaN it is becomes visible here, and is unspecified. */
  if (known.trust == RANDOM_NONE || (random_is_float (type.element) && known.specials))
    numbers.trust = RANDOM_NONE, numbers.reordered = TRUE;
  numbers.reordered |= known.reordered;
  if (!random_fits (self, &result) || !random_allows (self, numbers))
    return FALSE;
  random_op (self, "stablehlo.bitcast_convert", &value, 1, "", &result, numbers);

  return TRUE;
}

/* An operation on a value and its own permutation: elements must not be overwritten before they are read. */
static gboolean
make_mirrored (RandomProgram *self,
               guint          value)
{
  static const RandomRule rule = { FALSE, RANDOM_ADDS };
  RandomType type = self->values[value].type;
  RandomNumbers known[2] = { self->values[value].numbers, self->values[value].numbers }, numbers;
  gint64 order[RANDOM_MAX_RANK];
  guint operands[2] = { value };
  gboolean is_square = type.rank >= 2 && type.dimensions[0] == type.dimensions[1];

  if (type.rank == 0)
    return FALSE;
  numbers = random_numbers_exact (type.element, &rule, known, 2);
  if (!random_allows (self, numbers))
    return FALSE;
  for (guint i = 0; i < type.rank; i++)
    order[i] = i;
  if (is_square)
    order[0] = 1, order[1] = 0;
  operands[1] = random_op (self, is_square ? "stablehlo.transpose" : "stablehlo.reverse", operands, 1,
                           random_printf (self, ", dims = [%s]", random_list (self, order, type.rank)), &type,
                           known[0]);
  random_op (self, "stablehlo.add", operands, 2, "", &type, numbers);

  return TRUE;
}

const RandomMaker random_layout_makers[] = {
  { "reshape", make_reshape, 12, 20, RANDOM_HAS_NUMBERS },
  { "transpose", make_transpose, 12, 20, RANDOM_TAKES_OPEN },
  { "broadcast", make_broadcast, 12, 20, RANDOM_HAS_NUMBERS },
  { "slice", make_slice, 8, 10, RANDOM_HAS_NUMBERS },
  { "reverse", make_reverse, 6, 10, RANDOM_TAKES_OPEN },
  { "concatenate", make_concatenate, 8, 10, RANDOM_HAS_NUMBERS },
  { "pad", make_pad, 8, 10, RANDOM_HAS_NUMBERS },
  { "iota", make_iota, 4, 8, RANDOM_HAS_NUMBERS },
  { "bitcast", make_bitcast, 5, 5, 0 },
  { "mirrored", make_mirrored, 5, 5, 0 },
  { NULL },
};
