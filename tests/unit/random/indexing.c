/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Slices at runtime indices in random programs; the indices are often out of bounds.
 */

#include "program.h"

/* Scalar indices, all of one element type as StableHLO requires. */
static void
choose_starts (RandomProgram *self,
               guint         *starts,
               guint          n)
{
  RandomType type = random_scalar (random_integer (self));

  if (self->is_extreme)
    type.element = random_once (self, 2) ? GHLO_ELEMENT_TYPE_I64 : GHLO_ELEMENT_TYPE_UI64;
  for (guint i = 0; i < n; i++)
    {
      gint64 number = self->is_extreme ? random_extreme (self) : 0;

      if (number != 0)
        starts[i] = random_integer_constant (self, type.element,
                                             type.element == GHLO_ELEMENT_TYPE_UI64 && number < 0 ? ~number : number);
      else
        starts[i] = random_like (self, &type);
    }
}

static RandomNumbers
with_indices (RandomProgram *self,
              RandomNumbers  numbers,
              const guint   *indices,
              guint          n)
{
  for (guint i = 0; i < n; i++)
    {
      numbers.trust = MIN (numbers.trust, self->values[indices[i]].numbers.trust);
      numbers.reordered |= self->values[indices[i]].numbers.reordered;
    }

  return numbers;
}

static gboolean
make_dynamic_slice (RandomProgram *self,
                    guint          value)
{
  RandomType type = self->values[value].type, result = type;
  guint operands[RANDOM_MAX_RANK + 1] = { value };
  RandomNumbers numbers;

  choose_starts (self, operands + 1, type.rank);
  for (guint i = 0; i < type.rank; i++)
    result.dimensions[i] = random_once (self, 3) ? type.dimensions[i]
                                                 : random_within (self, type.dimensions[i]);
  numbers = with_indices (self, self->values[value].numbers, operands + 1, type.rank);
  if (!random_allows (self, numbers))
    return FALSE;
  random_op (self, "stablehlo.dynamic_slice", operands, 1 + type.rank,
             random_printf (self, ", sizes = [%s]", random_list (self, result.dimensions, result.rank)), &result,
             numbers);

  return TRUE;
}

static gboolean
make_dynamic_update_slice (RandomProgram *self,
                           guint          value)
{
  RandomType type = self->values[value].type, update = type;
  guint operands[RANDOM_MAX_RANK + 2] = { value };
  RandomNumbers numbers;

  for (guint i = 0; i < type.rank; i++)
    if (random_pick (self, 3) > 0)
      update.dimensions[i] = random_within (self, type.dimensions[i]);
  operands[1] = random_like (self, &update);
  choose_starts (self, operands + 2, type.rank);
  numbers = random_numbers_join (self->values[value].numbers, self->values[operands[1]].numbers);
  numbers = with_indices (self, numbers, operands + 2, type.rank);
  if (!random_allows (self, numbers))
    return FALSE;
  random_op (self, "stablehlo.dynamic_update_slice", operands, 2 + type.rank, "", &type, numbers);

  return TRUE;
}

static gboolean
make_index_select (RandomProgram *self,
                   guint          value)
{
  RandomType type = self->values[value].type, index = { .element = GHLO_ELEMENT_TYPE_I32 }, result = type;
  guint dimension, batch, operands[2] = { value };

  if (type.rank == 0 || random_count (&type) == 0)
    return FALSE;
  dimension = random_pick (self, type.rank);
  batch = random_once (self, 3) ? random_pick (self, dimension + 1) : 0;
  for (guint i = 0; i < batch; i++)
    index.dimensions[index.rank++] = type.dimensions[i];
  for (guint i = random_pick (self, 3); i > 0 && index.rank < 4; i--)
    index.dimensions[index.rank++] = random_size (self);
  if (type.rank + index.rank - batch - 1 > random_max_rank (self, RANDOM_USUAL_RANK))
    return FALSE;
  result.rank = 0;
  for (guint i = 0; i < dimension; i++)
    result.dimensions[result.rank++] = type.dimensions[i];
  for (guint i = batch; i < index.rank; i++)
    result.dimensions[result.rank++] = index.dimensions[i];
  for (guint i = dimension + 1; i < type.rank; i++)
    result.dimensions[result.rank++] = type.dimensions[i];
  if (!random_fits (self, &result))
    return FALSE;
  operands[1] = random_like (self, &index);
  random_generic_op (self, "stablehlo.torch_index_select", operands, 2,
                     random_printf (self, " {dim = %d : i64, batch_dims = %u : i64}",
                                    (int) dimension - (random_once (self, 4) ? (int) type.rank : 0), batch),
                     &result, with_indices (self, self->values[value].numbers, operands + 1, 1));

  return TRUE;
}

const RandomMaker random_indexing_makers[] = {
  { "dynamic slice", make_dynamic_slice, 10, 12, RANDOM_HAS_NUMBERS },
  { "dynamic update slice", make_dynamic_update_slice, 8, 8, RANDOM_HAS_NUMBERS },
  { "index select", make_index_select, 3, 3, 0 },
  { NULL },
};
