/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * reduce and map. reduce transposes its input so that the reduced dimensions come last.
 * Each result then reduces one contiguous run, in the row-major order of the input.
 */

#include "reference/move/box.h"
#include "reference/reduce/reducer.h"
#include "reference/kernels.h"
#include "reference/scalar/numbers.h"

#define CHUNK 1024          /* elements read at once */

typedef struct
{
  guint    n_inputs;
  guint    n_kept, n_reduced;
  gint64   kept[GHLO_MAX_RANK], reduced[GHLO_MAX_RANK];   /* dimensions of the inputs, ascending */
  gint64   dimensions[GHLO_MAX_RANK];                     /* of the results */
  gsize    outer, inner;
  gboolean in_order;                                      /* the reduced dimensions are the last ones already */
} Reduction;

static gboolean
find_dimensions (GhloRefCall *call,
                 Reduction   *self,
                 GError     **error)
{
  const GhloValue *input = call->operands[0];
  gboolean is_reduced[GHLO_MAX_RANK] = { FALSE };
  guint rank = ghlo_ref_rank (input);
  gint64 sizes[GHLO_MAX_RANK];
  gsize n;
  g_autofree gint64 *dimensions = ghlo_ir_op_dup_ints (call->op, "dimensions", &n);

  for (gsize i = 0; i < n; i++)
    {
      if (dimensions[i] < 0 || dimensions[i] >= rank || is_reduced[dimensions[i]])
        return ghlo_ref_fail (call, error, "expected different dimensions below %u, found %" G_GINT64_FORMAT,
                              rank, dimensions[i]);
      is_reduced[dimensions[i]] = TRUE;
    }
  for (guint i = 0; i < rank; i++)
    if (is_reduced[i])
      {
        sizes[self->n_reduced] = ghlo_ref_dims (input)[i];
        self->reduced[self->n_reduced++] = i;
      }
    else
      {
        self->dimensions[self->n_kept] = ghlo_ref_dims (input)[i];
        self->kept[self->n_kept++] = i;
      }
  self->in_order = self->n_kept == 0 || self->kept[self->n_kept - 1] == self->n_kept - 1;
  if (!ghlo_shape_count (self->dimensions, self->n_kept, &self->outer)
      || (input->n_elements > 0 && !ghlo_shape_count (sizes, self->n_reduced, &self->inner)))
    return ghlo_ref_fail (call, error, "the number of elements overflows");
  return TRUE;
}

/* The input's elements with the reduced dimensions innermost: the input's own data, or a copy that is
 * returned in *copy. */
static const guint8 *
ordered_input (GhloRefCall     *call,
               const Reduction *self,
               const GhloValue *input,
               guint8         **copy,
               GError         **error)
{
  gint64 own[GHLO_MAX_RANK], dimensions[GHLO_MAX_RANK], to[GHLO_MAX_RANK], from[GHLO_MAX_RANK];
  gsize size = ghlo_element_info (input->type->element_type)->size;
  guint rank = ghlo_ref_rank (input);

  if (self->in_order || input->n_elements == 0)
    return input->data;

  *copy = ghlo_ref_scratch (input->n_elements, size, error);
  if (*copy == NULL)
    return NULL;
  ghlo_ref_strides (ghlo_ref_dims (input), rank, own);
  for (guint i = 0; i < rank; i++)
    {
      gint64 d = i < self->n_kept ? self->kept[i] : self->reduced[i - self->n_kept];

      dimensions[i] = ghlo_ref_dims (input)[d];
      from[i] = own[d];
    }
  ghlo_ref_strides (dimensions, rank, to);
  return ghlo_ref_copy (call, size, rank, dimensions, *copy, to, input->data, from, error) ? *copy : NULL;
}

/* Folds run @index of each input. */
static gboolean
reduce_run (GhloRefCall         *call,
            const Reduction     *self,
            GhloRefReducer      *reducer,
            const guint8 *const *data,
            gpointer            *cells,
            gsize                index,
            GError             **error)
{
  ghlo_ref_reducer_start (reducer);
  for (gsize done = 0; done < self->inner;)
    {
      gsize n = MIN (CHUNK, self->inner - done);

      for (guint i = 0; i < self->n_inputs; i++)
        {
          gsize size = ghlo_element_info (call->operands[i]->type->element_type)->size;

          ghlo_ref_reducer_read (reducer, i, data[i] + (index * self->inner + done) * size, n, cells[i]);
        }
      if (!ghlo_ref_reducer_feed (reducer, (gconstpointer const *) cells, n, error))
        return FALSE;
      done += n;
      if (done % (CHUNK * 64) == 0 && !ghlo_ref_continue (call, error))
        return FALSE;
    }
  ghlo_ref_reducer_store (reducer, index);
  return TRUE;
}

static gboolean
reduce_all (GhloRefCall         *call,
            const Reduction     *self,
            GhloRefReducer      *reducer,
            const guint8 *const *data,
            GError             **error)
{
  gsize cell = ghlo_ref_reducer_cell_size (reducer);
  g_autofree gpointer *cells = g_new0 (gpointer, self->n_inputs);
  g_autofree guint8 *memory = ghlo_ref_scratch (self->n_inputs * CHUNK, cell, error);
  gsize between_checks = MAX (1, CHUNK * 64 / MAX (self->inner, 1));

  if (memory == NULL)
    return FALSE;
  for (guint i = 0; i < self->n_inputs; i++)
    cells[i] = memory + i * CHUNK * cell;
  for (gsize index = 0; index < self->outer; index++)
    {
      if (index % between_checks == 0 && !ghlo_ref_continue (call, error))
        return FALSE;
      if (!reduce_run (call, self, reducer, data, cells, index, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
check_inputs (GhloRefCall *call,
              guint        n,
              GError     **error)
{
  for (guint i = 1; i < n; i++)
    {
      if (ghlo_ref_rank (call->operands[i]) != ghlo_ref_rank (call->operands[0]))
        return ghlo_ref_fail (call, error, "expected inputs of one shape");
      for (guint d = 0; d < ghlo_ref_rank (call->operands[0]); d++)
        if (ghlo_ref_dims (call->operands[i])[d] != ghlo_ref_dims (call->operands[0])[d])
          return ghlo_ref_fail (call, error, "expected inputs of one shape");
    }
  return TRUE;
}

gboolean
ghlo_ref_reduce (GhloRefCall *call,
                 GError     **error)
{
  Reduction self = { .n_inputs = call->n_operands / 2 };
  g_autoptr (GhloRefReducer) reducer = NULL;
  g_autoptr (GPtrArray) copies = g_ptr_array_new_with_free_func (g_free);
  g_autofree const guint8 **data = g_new0 (const guint8 *, self.n_inputs);

  if (self.n_inputs == 0 || call->n_operands % 2 != 0)
    return ghlo_ref_fail (call, error, "expected an initial value for each input");
  if (!check_inputs (call, self.n_inputs, error) || !find_dimensions (call, &self, error))
    return FALSE;
  reducer = ghlo_ref_reducer_new (call, 0, self.n_inputs, self.inner, call->operands, call->operands + self.n_inputs,
                                  error);
  if (reducer == NULL)
    return FALSE;
  for (guint i = 0; i < self.n_inputs; i++)
    {
      guint8 *copy = NULL;

      if (ghlo_ref_result (call, i, self.dimensions, self.n_kept, error) == NULL)
        return FALSE;
      data[i] = ordered_input (call, &self, call->operands[i], &copy, error);
      g_ptr_array_add (copies, copy);
      if (data[i] == NULL && call->operands[i]->n_elements > 0)
        return FALSE;
    }
  return reduce_all (call, &self, reducer, data, error);
}

gboolean
ghlo_ref_map (GhloRefCall *call,
              GError     **error)
{
  const GhloIrBlock *block = ghlo_ir_op_region_block (call->op, 0);
  g_autofree GhloScalar *arguments = g_new0 (GhloScalar, MAX (call->n_operands, 1));
  GhloRefScalarFunction *body;
  GhloScalar outcome;
  GhloValue *result;
  gboolean ok = TRUE;

  if (call->n_operands == 0 || block == NULL || block->n_arguments != call->n_operands)
    return ghlo_ref_fail (call, error, "expected a computation of as many arguments as inputs");
  if (!check_inputs (call, call->n_operands, error))
    return FALSE;
  result = ghlo_ref_result_like (call, 0, call->operands[0], error);
  body = result != NULL ? ghlo_ref_scalar_function_new (call, 0, error) : NULL;
  if (body == NULL)
    return FALSE;

  for (gsize index = 0; ok && index < result->n_elements; index++)
    {
      for (guint i = 0; i < call->n_operands; i++)
        arguments[i] = ghlo_ref_load (call->operands[i], index);
      ok = (index % 4096 != 0 || ghlo_ref_continue (call, error))
           && ghlo_ref_scalar_function_run (body, arguments, &outcome, error);
      if (ok)
        ghlo_ref_store (result, index, outcome);
    }
  ghlo_ref_scalar_function_free (body);
  return ok;
}
