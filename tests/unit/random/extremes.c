/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Extreme numbers for random programs: sizes, strides, dilations and padding at which arithmetic in 32 and 64 bits
 * ends. A few of them are chosen freely and the last one such that the result is small, so that most of the programs
 * are valid and run in no time.
 */

#include "program.h"

enum { N_TRIES = 8 };

/* Holds the sums and products of a few of the numbers. */
typedef __int128 Wide;

static gint64
choose_end (RandomProgram *self)
{
  static const gint64 ends[] = {
    G_MAXINT64, G_GINT64_CONSTANT (1) << 31, G_GINT64_CONSTANT (1) << 32, G_GINT64_CONSTANT (1) << 62,
  };
  guint choice = random_pick (self, 6);

  return choice < G_N_ELEMENTS (ends) ? ends[choice] : G_GINT64_CONSTANT (1) << random_pick (self, 63);
}

void
random_extreme_begin (RandomProgram *self)
{
  self->end = choose_end (self);
}

gint64
random_extreme (RandomProgram *self)
{
  guint choice = random_pick (self, 16);
  gint64 number = random_pick (self, 5);

  if (choice < 8)
    {
      gint64 end = choice < 6 ? self->end : choose_end (self);

      if (__builtin_add_overflow (end, (gint64) random_pick (self, 3) - 1, &number))
        return G_MININT64;
    }

  return random_once (self, 3) ? -number : number;
}

gint64
random_extreme_from (RandomProgram *self,
                     gint64         least)
{
  gint64 number = random_extreme (self);

  return MAX (number < 0 ? ~number : number, least);
}

guint
random_max_rank (const RandomProgram *self,
                 guint                usual)
{
  return self->is_extreme ? RANDOM_MAX_RANK : usual;
}

/* Features in the last dimension, as many as libraries take. */
static void
choose_features (RandomProgram *self,
                 RandomType    *type)
{
  static const GhloElementType elements[] = {
    GHLO_ELEMENT_TYPE_F32, GHLO_ELEMENT_TYPE_F32, GHLO_ELEMENT_TYPE_F32, GHLO_ELEMENT_TYPE_BF16, GHLO_ELEMENT_TYPE_F64,
    GHLO_ELEMENT_TYPE_I8,
  };

  type->element = elements[random_pick (self, G_N_ELEMENTS (elements))];
  type->rank = 3 + random_pick (self, 2);
  type->dimensions[0] = 1 + random_pick (self, 2);
  for (guint i = 1; i + 1 < type->rank; i++)
    type->dimensions[i] = 1 + random_pick (self, 8);
  type->dimensions[type->rank - 1] = random_once (self, 4) ? 16 : 64;
}

RandomType
random_extreme_type (RandomProgram *self)
{
  static const guint ranks[] = { 1, 2, 3, 4, 3, 2, 4, 3, 5, 1, 2, 3, 0, 8, 16, 31, 32, 33, 63, 64 };
  static const gint64 sizes[] = { 1, 2, 1, 3, 2, 1, 4, 8 };
  RandomType type = { .element = random_element (self), .rank = ranks[random_pick (self, G_N_ELEMENTS (ranks))] };

  if (random_pick (self, 3) == 2)
    choose_features (self, &type);
  else
    for (guint i = 0; i < type.rank; i++)
      type.dimensions[i] = type.rank > 6 && random_pick (self, 8) < 7 ? 1
                           : sizes[random_pick (self, G_N_ELEMENTS (sizes))];
  if (type.rank > 0 && random_pick (self, 6) == 5)
    {
      guint empty = random_pick (self, type.rank);

      for (guint i = 0; i < MIN (type.rank, 6); i++)
        if (random_once (self, 2))
          type.dimensions[i] = random_extreme_from (self, 0);
      type.dimensions[empty] = 0;
    }
  while (!random_fits (self, &type))
    type.rank--;

  return type;
}

static gint64
spread_of (const RandomAxis *axis,
           gboolean         *fits)
{
  Wide spread = axis->size == 0 ? 0 : (Wide) (axis->size - 1) * axis->base + 1;

  *fits = spread <= G_MAXINT64;

  return (gint64) spread;
}

/* Sets one of low and high to an extreme number, and the other such that the padded size is @total. */
static gboolean
choose_padding (RandomProgram *self,
                RandomAxis    *axis,
                Wide           total)
{
  gboolean fits, is_swapped = random_once (self, 2);
  gint64 spread = spread_of (axis, &fits), one = random_extreme (self);
  Wide other = total - spread - one;

  if (!fits || other > G_MAXINT64 || other < G_MININT64)
    return FALSE;
  axis->low = is_swapped ? (gint64) other : one;
  axis->high = is_swapped ? one : (gint64) other;

  return TRUE;
}

/* Seldom 0, since nothing is computed then. */
static void
choose_count (RandomProgram *self,
              RandomAxis    *axis)
{
  static const gint64 counts[] = { 1, 2, 1, 3, 1, 2, 8, 0 };

  axis->count = counts[random_pick (self, G_N_ELEMENTS (counts))];
  if (axis->rank > RANDOM_USUAL_RANK && random_pick (self, axis->rank) > 0)
    axis->count = 1;
}

/* One of so many windows begins where the operand ends, or up to a stride before. */
static gboolean
choose_windows (RandomProgram *self,
                RandomAxis    *axis)
{
  Wide reach = (Wide) (axis->window - 1) * axis->dilation + 1, total;

  choose_count (self, axis);
  if (axis->count == 0)
    total = random_once (self, 2) ? reach - 1 : MIN (reach - 1, random_pick (self, 3));
  else
    total = reach + (Wide) (axis->count - 1) * axis->stride
            + (random_once (self, 2) ? 0 : random_once (self, 2) ? axis->stride - 1 : (axis->stride - 1) / 2);

  return total <= G_MAXINT64 && choose_padding (self, axis, total);
}

/* Numbers whose lower 32 bits are those of ordinary windows. */
static gboolean
choose_wrapped (RandomProgram *self,
                RandomAxis    *axis,
                gboolean       is_plain)
{
  const gint64 wrap = G_GINT64_CONSTANT (1) << 32;
  Wide high;

  axis->stride = axis->base = 1;
  axis->dilation = is_plain ? 1 : wrap + 1 + random_pick (self, 2);
  axis->low = wrap * random_pick (self, 2) + random_pick (self, 3);
  choose_count (self, axis);
  high = (Wide) (axis->window - 1) * axis->dilation + axis->count - axis->size - axis->low;
  axis->high = (gint64) high;

  return high == axis->high;
}

void
random_extreme_axis (RandomProgram *self,
                     RandomAxis    *axis,
                     gboolean       is_plain)
{
  if (random_pick (self, 6) == 5 && choose_wrapped (self, axis, is_plain))
    return;
  for (guint i = 0; i < N_TRIES; i++)
    {
      axis->stride = random_extreme_from (self, 1);
      axis->base = is_plain || random_once (self, 2) ? 1 : random_extreme_from (self, 1);
      axis->dilation = is_plain || random_once (self, 2) ? 1 : random_extreme_from (self, 1);
      if (choose_windows (self, axis))
        return;
    }
  axis->stride = axis->base = axis->dilation = 1;
  axis->low = -axis->size;
  axis->high = axis->window;
  axis->count = 1;
}

void
random_extreme_padding (RandomProgram *self,
                        RandomAxis    *axis)
{
  for (guint i = 0; i < N_TRIES; i++)
    {
      axis->base = random_once (self, 2) ? 1 : random_extreme_from (self, 1);
      choose_count (self, axis);
      if (choose_padding (self, axis, axis->count))
        return;
    }
  axis->base = axis->count = 1;
  axis->low = -axis->size;
  axis->high = 1;
}
