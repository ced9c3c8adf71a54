/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Gather, dynamic_gather and scatter with any dimension numbers, in random programs.
 */

#include "program.h"

/* What gather and scatter share: an operand, indices, and windows of the operand at the positions that the indices
 * give. "batch" dimensions are those of the indices except the index vector's. */
typedef struct
{
  RandomType operand, indices, windows;
  gint64     offset[RANDOM_MAX_RANK], collapsed[RANDOM_MAX_RANK];
  gint64     batching[RANDOM_MAX_RANK], index_batching[RANDOM_MAX_RANK], map[RANDOM_MAX_RANK];
  gint64     sizes[RANDOM_MAX_RANK];
  guint      n_offset, n_collapsed, n_batching, n_map;
  guint      vector_dimension;
} Places;

/* Chooses the role of each dimension of the operand. */
static void
choose_roles (RandomProgram *self,
              Places        *places)
{
  gint64 order[RANDOM_MAX_RANK];

  random_shuffle (self, order, places->operand.rank);
  for (guint i = 0; i < places->operand.rank; i++)
    {
      gint64 size = places->operand.dimensions[i];
      guint role = random_pick (self, 8);

      places->sizes[i] = 1;
      if (role == 0)
        {
          places->batching[places->n_batching++] = i;
        }
      else if (role < 4 && size > 0)
        {
          places->collapsed[places->n_collapsed++] = i;
        }
      else
        {
          places->sizes[i] = random_once (self, 2) ? size : random_within (self, size);
          places->n_offset++;
        }
      if (role == 0)
        places->sizes[i] = MIN (size, 1);
    }
  for (guint i = 0; i < places->operand.rank; i++)
    {
      gboolean is_batching = FALSE;

      for (guint j = 0; j < places->n_batching; j++)
        is_batching |= places->batching[j] == order[i];
      if (!is_batching && random_pick (self, 4) > 0)
        places->map[places->n_map++] = order[i];
    }
}

/* The batching dimensions and a few others in any order, with the index vector dimension among them. */
static void
choose_indices (RandomProgram *self,
                Places        *places)
{
  gint64 sizes[RANDOM_MAX_RANK], order[RANDOM_MAX_RANK];
  guint n = places->n_batching, rank = 0;
  gboolean has_vector = places->n_map != 1 || random_pick (self, 3) > 0;

  for (guint i = 0; i < places->n_batching; i++)
    sizes[i] = places->operand.dimensions[places->batching[i]];
  for (guint i = random_pick (self, 3); i > 0 && n < 3; i--)
    sizes[n++] = random_size (self);
  random_shuffle (self, order, n);
  places->vector_dimension = has_vector ? random_pick (self, n + 1) : n;
  for (guint i = 0; i < n; i++)
    {
      if (has_vector && rank == places->vector_dimension)
        places->indices.dimensions[rank++] = places->n_map;
      if (order[i] < places->n_batching)
        places->index_batching[order[i]] = rank;
      places->indices.dimensions[rank++] = sizes[order[i]];
    }
  if (has_vector && rank == places->vector_dimension)
    places->indices.dimensions[rank++] = places->n_map;
  places->indices.rank = rank;
}

static void
choose_windows (RandomProgram *self,
                Places        *places)
{
  gboolean has_vector = places->vector_dimension < places->indices.rank;
  guint n_batch = places->indices.rank - has_vector, dimension = 0, index = 0, n_offset = 0;
  gint64 order[2 * RANDOM_MAX_RANK];

  places->windows.rank = n_batch + places->n_offset;
  random_shuffle (self, order, places->windows.rank);
  for (guint i = 0; i < places->windows.rank; i++)
    {
      if (order[i] < places->n_offset)
        {
          for (gboolean is_skipped = TRUE; is_skipped;)
            {
              is_skipped = FALSE;
              for (guint j = 0; j < places->n_batching; j++)
                is_skipped |= places->batching[j] == dimension;
              for (guint j = 0; j < places->n_collapsed; j++)
                is_skipped |= places->collapsed[j] == dimension;
              dimension += is_skipped;
            }
          places->offset[n_offset++] = i;
          places->windows.dimensions[i] = places->sizes[dimension++];
        }
      else
        {
          index += has_vector && index == places->vector_dimension;
          places->windows.dimensions[i] = places->indices.dimensions[index++];
        }
    }
}

static gboolean
choose_places (RandomProgram *self,
               guint          value,
               Places        *places)
{
  *places = (Places) { .operand = self->values[value].type };
  if (places->operand.rank > random_max_rank (self, 3))
    return FALSE;
  places->indices.element = random_integer (self);
  places->windows.element = places->operand.element;
  choose_roles (self, places);
  choose_indices (self, places);
  if (places->n_offset + places->indices.rank > random_max_rank (self, RANDOM_USUAL_RANK))
    return FALSE;
  choose_windows (self, places);

  return random_fits (self, &places->windows) && random_fits (self, &places->indices);
}

static RandomNumbers
placed (RandomProgram *self,
        RandomNumbers  numbers,
        guint          indices)
{
  numbers.trust = MIN (numbers.trust, self->values[indices].numbers.trust);
  numbers.reordered |= self->values[indices].numbers.reordered;

  return numbers;
}

static gboolean
make_gather (RandomProgram *self,
             guint          value)
{
  Places places;
  guint operands[3] = { value };
  gboolean is_dynamic = random_once (self, 4);
  const char *numbers, *sizes = "";
  RandomType result;

  if (!choose_places (self, value, &places))
    return FALSE;
  operands[1] = random_like (self, &places.indices);
  if (!random_allows (self, placed (self, self->values[value].numbers, operands[1])))
    return FALSE;
  numbers = random_printf (self, "#stablehlo.gather<offset_dims = [%s], collapsed_slice_dims = [%s], "
                           "operand_batching_dims = [%s], start_indices_batching_dims = [%s], start_index_map = [%s], "
                           "index_vector_dim = %u>", random_list (self, places.offset, places.n_offset),
                           random_list (self, places.collapsed, places.n_collapsed),
                           random_list (self, places.batching, places.n_batching),
                           random_list (self, places.index_batching, places.n_batching),
                           random_list (self, places.map, places.n_map), places.vector_dimension);
  result = places.windows;
  if (is_dynamic)
    {
      operands[2] = random_integers (self, random_integer_type (self),
                                     places.sizes, places.operand.rank);
      if (result.rank > 0 && random_once (self, 2))
        result.open = G_GUINT64_CONSTANT (1) << random_pick (self, result.rank);
    }
  else
    {
      sizes = random_printf (self, ", slice_sizes = array<i64%s%s>", places.operand.rank > 0 ? ": " : "",
                             random_list (self, places.sizes, places.operand.rank));
    }
  random_generic_op (self, is_dynamic ? "stablehlo.dynamic_gather" : "stablehlo.gather", operands, 2 + is_dynamic,
                     random_printf (self, " {dimension_numbers = %s%s}", numbers, sizes), &result,
                     placed (self, self->values[value].numbers, operands[1]));

  return TRUE;
}

static gboolean
make_scatter (RandomProgram *self,
              guint          value)
{
  Places places;
  guint operands[3] = { value };
  RandomReduction reduction = random_reduction (self, self->values[value].type.element, TRUE);
  RandomNumbers numbers;

  if (!choose_places (self, value, &places))
    return FALSE;
  operands[1] = random_like (self, &places.indices);
  operands[2] = reduction.kind == RANDOM_SUM ? random_bounded (self, &places.windows)
                                             : random_like (self, &places.windows);
  numbers = random_numbers_join (self->values[value].numbers, self->values[operands[2]].numbers);
  numbers = random_reduced (places.operand.element, &reduction, numbers, (double) random_count (&places.windows) + 1);
  numbers = placed (self, numbers, operands[1]);
  if (!random_allows (self, numbers))
    return FALSE;
  random_generic_op (self, "stablehlo.scatter", operands, 3,
                     random_printf (self, " (%s) {scatter_dimension_numbers = #stablehlo.scatter<"
                                    "update_window_dims = [%s], inserted_window_dims = [%s], "
                                    "input_batching_dims = [%s], scatter_indices_batching_dims = [%s], "
                                    "scatter_dims_to_operand_dims = [%s], index_vector_dim = %u>}",
                                    random_reducer (self, &reduction, places.operand.element),
                                    random_list (self, places.offset, places.n_offset),
                                    random_list (self, places.collapsed, places.n_collapsed),
                                    random_list (self, places.batching, places.n_batching),
                                    random_list (self, places.index_batching, places.n_batching),
                                    random_list (self, places.map, places.n_map), places.vector_dimension),
                     &places.operand, numbers);

  return TRUE;
}

const RandomMaker random_gather_makers[] = {
  { "gather", make_gather, 12, 8, RANDOM_HAS_NUMBERS },
  { "scatter", make_scatter, 10, 6, RANDOM_HAS_NUMBERS },
  { NULL },
};
