/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * chlo.scan: runs a body along one dimension, with values carried from step to
 * step. The body sees the slice of each input without that dimension. Its other
 * results are stacked along that dimension to form the outputs.
 */

#include "reference/move/box.h"
#include "reference/kernels.h"

#include <string.h>

typedef struct
{
  GhloRefCall *call;
  guint        n_inputs, n_carries, n_outputs;
  gint64       dimension;
  gint64       length;
  GhloValue  **arguments;      /* owned members: slices, then carries */
  GhloValue  **produced;       /* owned members: outputs, then carries */
} Scan;

static void
scan_clear (Scan *self)
{
  if (self->arguments != NULL)
    ghlo_values_clear (self->arguments, self->n_inputs + self->n_carries);
  if (self->produced != NULL)
    ghlo_values_clear (self->produced, self->n_outputs + self->n_carries);
  g_free (self->arguments);
  g_free (self->produced);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Scan, scan_clear)

/* Splits a row-major tensor around the scanned dimension: the number of outer elements before it and the
 * size in bytes of everything after it. */
static void
split_shape (const GhloValue *whole,
             gint64           dimension,
             gsize           *outer,
             gsize           *inner_bytes)
{
  *outer = 1;
  *inner_bytes = ghlo_element_info (whole->type->element_type)->size;
  for (guint i = 0; i < ghlo_ref_rank (whole); i++)
    if (i < dimension)
      *outer *= (gsize) ghlo_ref_dims (whole)[i];
    else if (i > dimension)
      *inner_bytes *= (gsize) ghlo_ref_dims (whole)[i];
}

static GhloValue *
take_slice (const Scan      *self,
            const GhloValue *input,
            gint64           position,
            GError         **error)
{
  gint64 dimensions[GHLO_MAX_RANK];
  guint rank = ghlo_ref_rank (input);
  g_autoptr (GhloTensorType) type = NULL;
  GhloValue *slice;
  gsize outer, bytes;

  for (guint i = 0, to = 0; i < rank; i++)
    if (i != self->dimension)
      dimensions[to++] = ghlo_ref_dims (input)[i];
  type = ghlo_tensor_type_new_full (input->type->element_type, dimensions, NULL, rank - 1,
                                    input->type->quantization);
  slice = ghlo_value_new_tensor (type, error);
  if (slice == NULL || slice->n_bytes == 0)
    return slice;

  split_shape (input, self->dimension, &outer, &bytes);
  for (gsize i = 0; i < outer; i++)
    memcpy (slice->data + i * bytes,
            input->data + (i * (gsize) self->length + (gsize) position) * bytes, bytes);
  return slice;
}

/* Creates output @index with room for all slices of shape @slice. */
static GhloValue *
make_output (Scan            *self,
             guint            index,
             const gint64    *slice,
             guint            slice_rank,
             GError         **error)
{
  gint64 dimensions[GHLO_MAX_RANK];

  if (self->dimension > slice_rank || slice_rank >= GHLO_MAX_RANK)
    {
      ghlo_ref_fail (self->call, error, "expected an output slice of at least rank %" G_GINT64_FORMAT ", found %u",
                     self->dimension, slice_rank);
      return NULL;
    }
  for (guint i = 0, from = 0; i <= slice_rank; i++)
    dimensions[i] = i == self->dimension ? self->length : slice[from++];
  return ghlo_ref_result (self->call, index, dimensions, slice_rank + 1, error);
}

static gboolean
put_slice (Scan      *self,
           guint      index,
           gint64     position,
           GError   **error)
{
  const GhloValue *slice = self->produced[index];
  GhloValue *output = self->call->results[index];
  gsize outer, bytes;

  if (output == NULL)
    output = make_output (self, index, ghlo_ref_dims (slice), ghlo_ref_rank (slice), error);
  if (output == NULL)
    return FALSE;
  split_shape (output, self->dimension, &outer, &bytes);
  if (slice->n_bytes != outer * bytes)
    return ghlo_ref_fail (self->call, error, "expected slices of one shape for output %u", index);
  for (gsize i = 0; i < outer && bytes > 0; i++)
    memcpy (output->data + (i * (gsize) self->length + (gsize) position) * bytes, slice->data + i * bytes, bytes);
  return TRUE;
}

static gboolean
scan_step (Scan    *self,
           gint64   position,
           GError **error)
{
  for (guint i = 0; i < self->n_inputs; i++)
    {
      g_clear_pointer (&self->arguments[i], ghlo_value_unref);
      self->arguments[i] = take_slice (self, self->call->operands[i], position, error);
      if (self->arguments[i] == NULL)
        return FALSE;
    }
  if (!ghlo_ref_run_region (self->call, 0, self->arguments, self->n_inputs + self->n_carries,
                            self->produced, error))
    return FALSE;
  for (guint i = 0; i < self->n_outputs; i++)
    if (!put_slice (self, i, position, error))
      return FALSE;

  for (guint i = 0; i < self->n_carries; i++)
    {
      g_clear_pointer (&self->arguments[self->n_inputs + i], ghlo_value_unref);
      self->arguments[self->n_inputs + i] = g_steal_pointer (&self->produced[self->n_outputs + i]);
    }
  ghlo_values_clear (self->produced, self->n_outputs);
  return TRUE;
}

/* Finds the number of steps, from the inputs or else from the operation. */
static gboolean
find_length (Scan    *self,
             GError **error)
{
  const GhloRefCall *call = self->call;

  self->length = ghlo_ir_op_get_int (call->op, "scan_dim_size", -1);
  for (guint i = 0; i < self->n_inputs; i++)
    {
      const GhloValue *input = call->operands[i];

      if (self->dimension >= ghlo_ref_rank (input))
        return ghlo_ref_fail (call, error, "expected an input of a rank above %" G_GINT64_FORMAT ", found %u",
                              self->dimension, ghlo_ref_rank (input));
      if (self->length >= 0 && ghlo_ref_dims (input)[self->dimension] != self->length)
        return ghlo_ref_fail (call, error, "expected a scanned dimension of %" G_GINT64_FORMAT ", found %"
                              G_GINT64_FORMAT, self->length, ghlo_ref_dims (input)[self->dimension]);
      self->length = ghlo_ref_dims (input)[self->dimension];
    }
  if (self->length < 0 && self->n_outputs > 0 && self->dimension < call->op->results[0].type->rank)
    self->length = call->op->results[0].type->dimensions[self->dimension];
  return self->length >= 0 || ghlo_ref_fail (call, error, "the scanned dimension's size is not known");
}

/* When there are no steps, the outputs have the shapes that the program states. */
static gboolean
make_empty_outputs (Scan    *self,
                    GError **error)
{
  for (guint i = 0; i < self->n_outputs; i++)
    {
      const GhloIrType *type = self->call->op->results[i].type;

      if (ghlo_ref_result (self->call, i, type->dimensions, type->rank, error) == NULL)
        return FALSE;
    }
  return TRUE;
}

gboolean
ghlo_ref_scan (GhloRefCall *call,
               GError     **error)
{
  g_auto (Scan) self = { .call = call };
  gboolean is_reverse = ghlo_ir_op_get_int (call->op, "is_reverse", 0) != 0;
  guint first;

  if (!ghlo_ir_op_operand_group (call->op, 0, &first, &self.n_inputs)
      || !ghlo_ir_op_operand_group (call->op, 1, &first, &self.n_carries)
      || self.n_inputs + self.n_carries != call->n_operands || call->op->n_results < self.n_carries)
    return ghlo_ref_fail (call, error, "expected inputs and initial values to fit the operands");
  self.n_outputs = call->op->n_results - self.n_carries;
  self.dimension = ghlo_ir_op_get_int (call->op, "dimension", 0);
  if (!find_length (&self, error))
    return FALSE;

  self.arguments = g_new0 (GhloValue *, call->n_operands + 1);
  self.produced = g_new0 (GhloValue *, call->op->n_results + 1);
  for (guint i = 0; i < self.n_carries; i++)
    self.arguments[self.n_inputs + i] = ghlo_value_ref (call->operands[self.n_inputs + i]);
  if (self.length == 0 && !make_empty_outputs (&self, error))
    return FALSE;

  for (gint64 i = 0; i < self.length; i++)
    if (!ghlo_ref_continue (call, error)
        || !scan_step (&self, is_reverse ? self.length - 1 - i : i, error))
      return FALSE;
  for (guint i = 0; i < self.n_carries; i++)
    call->results[self.n_outputs + i] = g_steal_pointer (&self.arguments[self.n_inputs + i]);
  return TRUE;
}
