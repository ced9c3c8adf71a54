/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * scatter: applies updates to copies of the inputs, in row-major order of the
 * updates. Updates whose index is out of bounds are skipped.
 */

#include "base/sizes.h"
#include "reference/move/indexing.h"
#include "reference/move/box.h"
#include "reference/kernels.h"
#include "reference/scalar/numbers.h"


typedef struct
{
  const gint64 *window;           /* update_window_dims */
  gsize         n_window;
  const gint64 *inserted;
  gsize         n_inserted;
  GhloRefIndexNumbers indices;
} Numbers;

/* The state of one scatter. */
typedef struct
{
  GhloRefCall           *call;
  Numbers                numbers;
  GhloRefIndices         indices;
  guint                  n;                       /* number of inputs, and of updates */
  GhloRefScalarFunction *body;
  gboolean               overwrites;              /* the body returns the updates unchanged */
  GhloValue *const      *updates;
  guint                  update_rank, rank;
  gint64                 role[GHLO_MAX_RANK];     /* for each dimension of the updates: the input's dimension for a
                                                   * window dimension, or -1 - (its part of the position) */
  gint64                 strides[GHLO_MAX_RANK];  /* of the inputs */
  GhloScalar            *arguments;               /* 2 n */
  GhloScalar            *outcome;                 /* n */
  GhloQuantization     **from, **to;              /* for each input, where its type differs from the body's */
} Scatter;

static void
scatter_clear (Scatter *self)
{
  ghlo_ref_indices_clear (&self->indices);
  g_clear_pointer (&self->body, ghlo_ref_scalar_function_free);
  g_free (self->arguments);
  g_free (self->outcome);
  g_free (self->from);
  g_free (self->to);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Scatter, scatter_clear)

static void
read_numbers (const GhloIrAttr *attr,
              Numbers          *self)
{
  gsize n;

  self->window = ghlo_ir_struct_get_dims (attr, "update_window_dims", &self->n_window);
  self->inserted = ghlo_ir_struct_get_dims (attr, "inserted_window_dims", &self->n_inserted);
  self->indices.map = ghlo_ir_struct_get_dims (attr, "scatter_dims_to_operand_dims", &self->indices.n_map);
  self->indices.batching = ghlo_ir_struct_get_dims (attr, "input_batching_dims", &self->indices.n_batching);
  self->indices.index_batching = ghlo_ir_struct_get_dims (attr, "scatter_indices_batching_dims", &n);
  self->indices.n_batching = MIN (self->indices.n_batching, n);
  self->indices.vector_dimension = ghlo_ir_struct_get_int (attr, "index_vector_dim");
}

/* Assigns a role to each dimension of the updates. */
static gboolean
assign_roles (Scatter *self,
              GError **error)
{
  const GhloValue *update = self->updates[0];
  gint64 position = 0, d = 0;

  for (guint u = 0; u < self->update_rank; u++)
    if (!ghlo_dims_contain (self->numbers.window, self->numbers.n_window, u))
      {
        if (position >= self->indices.rank || ghlo_ref_dims (update)[u] != self->indices.dimensions[position])
          return ghlo_ref_fail (self->call, error, "expected the updates' shape to fit that of the indices");
        self->role[u] = -1 - position++;
      }
    else
      {
        while (d < self->rank
               && (ghlo_dims_contain (self->numbers.inserted, self->numbers.n_inserted, d)
                   || ghlo_dims_contain (self->numbers.indices.batching, self->numbers.indices.n_batching, d)))
          d++;
        if (d >= self->rank)
          return ghlo_ref_fail (self->call, error, "expected as many window dimensions as the inputs keep");
        self->role[u] = d++;
      }
  if (position != self->indices.rank)
    return ghlo_ref_fail (self->call, error, "expected the updates' shape to fit that of the indices");
  return TRUE;
}

/* Whether the body returns its last @n arguments unchanged. */
static gboolean
body_overwrites (const GhloIrBlock *block,
                 guint              n)
{
  const GhloIrOp *last = block->last;

  if (last == NULL || last != block->first || last->n_operands != n)
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (ghlo_ir_op_operand (last, i) != block->arguments[n + i])
      return FALSE;
  return TRUE;
}

/* Initializes result @i with a copy of input @i, converted to the type of the body. */
static gboolean
copy_input (Scatter *self,
            guint    i,
            GError **error)
{
  const GhloValue *input = self->call->operands[i];
  GhloValue *result = ghlo_ref_result_like (self->call, i, input, error);

  if (result == NULL)
    return FALSE;
  if (result->type->quantization != NULL && input->type->quantization != NULL
      && !ghlo_quantization_equal (result->type->quantization, input->type->quantization))
    {
      self->from[i] = input->type->quantization;
      self->to[i] = result->type->quantization;
    }
  if (self->from[i] == NULL && result->type->element_type == input->type->element_type)
    return ghlo_ref_copy_bytes (self->call, result->data, input->data, result->n_bytes, error);
  for (gsize k = 0; k < result->n_elements; k++)
    {
      GhloScalar scalar = ghlo_ref_load (input, k);

      if (!ghlo_ref_work (self->call, 1, error))
        return FALSE;
      if (self->from[i] != NULL)
        scalar.i = ghlo_ref_quantize (self->to[i], 0, ghlo_ref_dequantize (self->from[i], 0, scalar.i));
      ghlo_ref_store (result, k, scalar);
    }
  return TRUE;
}

/* The offset of the input element that the update at @index applies to, or -1 when it is out of bounds. */
static gint64
find_element (const Scatter *self,
              const gint64  *index)
{
  gint64 position[GHLO_MAX_RANK], place[GHLO_MAX_RANK];
  gint64 offset = 0;

  for (guint u = 0; u < self->update_rank; u++)
    if (self->role[u] < 0)
      position[-1 - self->role[u]] = index[u];
  ghlo_ref_indices_get (&self->indices, position, self->rank, place);
  for (guint u = 0; u < self->update_rank; u++)
    if (self->role[u] >= 0
        && __builtin_add_overflow (place[self->role[u]], index[u], &place[self->role[u]]))
      return -1;
  for (guint d = 0; d < self->rank; d++)
    {
      if (place[d] < 0 || place[d] >= ghlo_ref_dims (self->call->operands[0])[d])
        return -1;
      offset += place[d] * self->strides[d];
    }
  return offset;
}

static gboolean
update_element (Scatter *self,
                gsize    place,
                gsize    update,
                GError **error)
{
  for (guint i = 0; i < self->n; i++)
    {
      GhloScalar scalar = ghlo_ref_load (self->updates[i], update);

      if (self->from[i] != NULL)
        scalar.i = ghlo_ref_quantize (self->to[i], 0, ghlo_ref_dequantize (self->from[i], 0, scalar.i));
      self->arguments[self->n + i] = scalar;
      if (self->overwrites)
        self->outcome[i] = scalar;
      else
        self->arguments[i] = ghlo_ref_load (self->call->results[i], place);
    }
  if (!self->overwrites && !ghlo_ref_scalar_function_run (self->body, self->arguments, self->outcome, error))
    return FALSE;
  for (guint i = 0; i < self->n; i++)
    ghlo_ref_store (self->call->results[i], place, self->outcome[i]);
  return TRUE;
}

static gboolean
check_operands (Scatter *self,
                GError **error)
{
  const GhloRefCall *call = self->call;

  for (guint i = 0; i < self->n; i++)
    if (call->operands[i]->n_elements != call->operands[0]->n_elements
        || ghlo_ref_rank (call->operands[i]) != self->rank
        || self->updates[i]->n_elements != self->updates[0]->n_elements
        || ghlo_ref_rank (self->updates[i]) != self->update_rank)
      return ghlo_ref_fail (call, error, "expected inputs of one shape, and updates of one shape");
  return TRUE;
}

static gboolean
scatter_init (Scatter     *self,
              GhloRefCall *call,
              GError     **error)
{
  const GhloIrBlock *block = ghlo_ir_op_region_block (call->op, 0);

  self->call = call;
  self->n = call->n_operands / 2;
  if (call->n_operands % 2 == 0 || self->n == 0 || block == NULL || block->n_arguments != 2 * self->n)
    return ghlo_ref_fail (call, error, "expected as many updates as inputs, and a body of two arguments for each");
  self->updates = call->operands + self->n + 1;
  self->rank = ghlo_ref_rank (call->operands[0]);
  self->update_rank = ghlo_ref_rank (self->updates[0]);
  self->arguments = g_new0 (GhloScalar, 2 * self->n);
  self->outcome = g_new0 (GhloScalar, self->n);
  self->from = g_new0 (GhloQuantization *, self->n);
  self->to = g_new0 (GhloQuantization *, self->n);
  self->overwrites = body_overwrites (block, self->n);
  read_numbers (ghlo_ir_op_get (call->op, "scatter_dimension_numbers"), &self->numbers);
  if (!check_operands (self, error)
      || !ghlo_ref_indices_init (&self->indices, call, &self->numbers.indices, call->operands[0],
                                 call->operands[self->n], error)
      || !assign_roles (self, error))
    return FALSE;
  for (guint i = 0; i < self->n; i++)
    if (!copy_input (self, i, error))
      return FALSE;
  self->body = ghlo_ref_scalar_function_new (call, 0, error);
  return self->body != NULL;
}

gboolean
ghlo_ref_scatter (GhloRefCall *call,
                  GError     **error)
{
  g_auto (Scatter) self = { 0 };
  gint64 index[GHLO_MAX_RANK] = { 0 };

  if (!scatter_init (&self, call, error))
    return FALSE;
  if (call->results[0]->n_elements == 0)
    return TRUE;

  ghlo_ref_strides (ghlo_ref_dims (call->operands[0]), self.rank, self.strides);
  for (gsize i = 0; i < self.updates[0]->n_elements; i++)
    {
      gint64 place = find_element (&self, index);

      if (i % 4096 == 0 && !ghlo_ref_continue (call, error))
        return FALSE;
      if (place >= 0 && !update_element (&self, (gsize) place, i, error))
        return FALSE;
      ghlo_ref_next_index (index, ghlo_ref_dims (self.updates[0]), self.update_rank);
    }
  return TRUE;
}
