/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Slices at static and dynamic positions, slice updates, and padding. Starts that
 * come from data are clamped before anything is added to them.
 */

#include "reference/move/box.h"
#include "base/sizes.h"
#include "reference/kernels.h"
#include "reference/scalar/numbers.h"


/* Takes @dimensions elements of the operand as result 0, beginning at @starts, in steps of @steps. All must
 * be in bounds. */
static gboolean
take_slice (GhloRefCall  *call,
            const gint64 *starts,
            const gint64 *steps,
            const gint64 *dimensions,
            GError      **error)
{
  const GhloValue *operand = call->operands[0];
  gint64 to[GHLO_MAX_RANK], from[GHLO_MAX_RANK];
  guint rank = ghlo_ref_rank (operand);
  GhloValue *result = ghlo_ref_result (call, 0, dimensions, rank, error);
  const guint8 *first;

  if (result == NULL)
    return FALSE;
  if (result->n_elements == 0)
    return TRUE;

  first = operand->data;
  ghlo_ref_strides (ghlo_ref_dims (operand), rank, from);
  ghlo_ref_strides (dimensions, rank, to);
  for (guint i = 0; i < rank; i++)
    {
      first += starts[i] * from[i] * (gint64) ghlo_ref_element_size (operand);
      from[i] = dimensions[i] == 1 ? 0 : from[i] * steps[i];
    }
  return ghlo_ref_copy (call, ghlo_ref_element_size (operand), rank, dimensions, result->data, to, first, from, error);
}

static gboolean
slice_between (GhloRefCall  *call,
               const gint64 *starts,
               const gint64 *limits,
               const gint64 *steps,
               GError      **error)
{
  gint64 dimensions[GHLO_MAX_RANK];
  guint rank = ghlo_ref_rank (call->operands[0]);

  for (guint i = 0; i < rank; i++)
    {
      gint64 extent = ghlo_ref_dims (call->operands[0])[i];

      if (starts[i] < 0 || starts[i] > limits[i] || limits[i] > extent || steps[i] <= 0)
        return ghlo_ref_fail (call, error, "expected a slice inside dimension %u of size %" G_GINT64_FORMAT
                              ", found %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT " in steps of %" G_GINT64_FORMAT,
                              i, extent, starts[i], limits[i], steps[i]);
      dimensions[i] = ghlo_ceil_div (limits[i] - starts[i], steps[i]);
    }
  return take_slice (call, starts, steps, dimensions, error);
}

gboolean
ghlo_ref_slice (GhloRefCall *call,
                GError     **error)
{
  gsize n_starts, n_limits, n_steps;
  g_autofree gint64 *starts = ghlo_ir_op_dup_ints (call->op, "start_indices", &n_starts);
  g_autofree gint64 *limits = ghlo_ir_op_dup_ints (call->op, "limit_indices", &n_limits);
  g_autofree gint64 *steps = ghlo_ir_op_dup_ints (call->op, "strides", &n_steps);
  guint rank = ghlo_ref_rank (call->operands[0]);

  if (n_starts != rank || n_limits != rank || n_steps != rank)
    return ghlo_ref_fail (call, error, "expected starts, limits and strides for %u dimensions", rank);
  return slice_between (call, starts, limits, steps, error);
}

gboolean
ghlo_ref_real_dynamic_slice (GhloRefCall *call,
                             GError     **error)
{
  g_autofree gint64 *starts = NULL;
  g_autofree gint64 *limits = NULL;
  g_autofree gint64 *steps = NULL;
  guint rank = ghlo_ref_rank (call->operands[0]);

  for (guint i = 1; i < 4; i++)
    if (call->operands[i]->n_elements != rank)
      return ghlo_ref_fail (call, error, "expected starts, limits and strides for %u dimensions", rank);
  starts = ghlo_ref_read_indices (call, call->operands[1], error);
  limits = starts != NULL ? ghlo_ref_read_indices (call, call->operands[2], error) : NULL;
  steps = limits != NULL ? ghlo_ref_read_indices (call, call->operands[3], error) : NULL;
  return steps != NULL && slice_between (call, starts, limits, steps, error);
}

/* Reads start indices, one scalar operand each from @first on, and clamps them so that a slice of @sizes
 * fits into @operand. */
static gboolean
clamped_starts (GhloRefCall     *call,
                guint            first,
                const GhloValue *operand,
                const gint64    *sizes,
                gint64          *starts,
                GError         **error)
{
  guint rank = ghlo_ref_rank (operand);

  if (call->n_operands - first != rank)
    return ghlo_ref_fail (call, error, "expected %u start indices, found %u", rank, call->n_operands - first);
  for (guint i = 0; i < rank; i++)
    {
      gint64 extent = ghlo_ref_dims (operand)[i];
      gint64 start;

      if (sizes[i] < 0 || sizes[i] > extent)
        return ghlo_ref_fail (call, error, "expected a size of at most %" G_GINT64_FORMAT " in dimension %u, found %"
                              G_GINT64_FORMAT, extent, i, sizes[i]);
      ghlo_ref_read_ints (call->operands[first + i]->type->element_type, call->operands[first + i]->data, 1, &start);
      if (start < 0 && call->operands[first + i]->type->element_type == GHLO_ELEMENT_TYPE_UI64)
        start = G_MAXINT64;
      starts[i] = CLAMP (start, 0, extent - sizes[i]);
    }
  return TRUE;
}

gboolean
ghlo_ref_dynamic_slice (GhloRefCall *call,
                        GError     **error)
{
  gint64 starts[GHLO_MAX_RANK], steps[GHLO_MAX_RANK] = { 0 };
  gsize n;
  g_autofree gint64 *sizes = ghlo_ir_op_dup_ints (call->op, "slice_sizes", &n);

  if (n != ghlo_ref_rank (call->operands[0]))
    return ghlo_ref_fail (call, error, "expected %u slice sizes, found %" G_GSIZE_FORMAT,
                          ghlo_ref_rank (call->operands[0]), n);
  for (gsize i = 0; i < n; i++)
    steps[i] = 1;
  return clamped_starts (call, 1, call->operands[0], sizes, starts, error)
         && take_slice (call, starts, steps, sizes, error);
}

gboolean
ghlo_ref_dynamic_update_slice (GhloRefCall *call,
                               GError     **error)
{
  const GhloValue *operand = call->operands[0];
  const GhloValue *update = call->operands[1];
  gint64 starts[GHLO_MAX_RANK], to[GHLO_MAX_RANK], from[GHLO_MAX_RANK];
  guint rank = ghlo_ref_rank (operand);
  GhloValue *result;
  guint8 *first;

  if (ghlo_ref_rank (update) != rank)
    return ghlo_ref_fail (call, error, "expected an update of rank %u, found %u", rank, ghlo_ref_rank (update));
  if (!clamped_starts (call, 2, operand, ghlo_ref_dims (update), starts, error))
    return FALSE;
  result = ghlo_ref_result_like (call, 0, operand, error);
  if (result == NULL)
    return FALSE;
  if (result->n_elements == 0)
    return TRUE;

  if (!ghlo_ref_copy_bytes (call, result->data, operand->data, result->n_bytes, error))
    return FALSE;
  if (update->n_elements == 0)
    return TRUE;
  first = result->data;
  ghlo_ref_strides (ghlo_ref_dims (operand), rank, to);
  ghlo_ref_strides (ghlo_ref_dims (update), rank, from);
  for (guint i = 0; i < rank; i++)
    first += starts[i] * to[i] * (gint64) ghlo_ref_element_size (operand);
  return ghlo_ref_copy (call, ghlo_ref_element_size (operand), rank, ghlo_ref_dims (update), first, to,
                        update->data, from, error);
}

/* The padded size of one dimension, and the range of elements that stay: @n elements from @first on. The
 * first of them lands at @at, each further one @step after the previous one. */
typedef struct
{
  gint64 extent, first, n, at, step;
} PaddedDimension;

static gboolean
pad_dimension (GhloRefCall     *call,
               guint            index,
               gint64           extent,
               gint64           low,
               gint64           high,
               gint64           interior,
               PaddedDimension *padded,
               GError         **error)
{
  guint64 first;
  gint64 inner;

  padded->step = 1;
  if (interior < 0)
    return ghlo_ref_fail (call, error, "expected interior padding of at least 0, found %" G_GINT64_FORMAT, interior);
  /* Between fewer than two elements, there is no interior. */
  if ((extent > 1 && __builtin_add_overflow (interior, 1, &padded->step))
      || __builtin_mul_overflow (MAX (extent - 1, 0), interior, &inner)
      || __builtin_add_overflow (inner, extent, &inner)
      || __builtin_add_overflow (inner, low, &padded->extent)
      || __builtin_add_overflow (padded->extent, high, &padded->extent))
    return ghlo_ref_fail (call, error, "the padded size of dimension %u overflows", index);
  if (padded->extent < 0)
    return ghlo_ref_fail (call, error, "expected a padded size of at least 0 in dimension %u, found %" G_GINT64_FORMAT,
                          index, padded->extent);

  /* Element i lands at low + i * step; keep those that land between 0 and extent - 1. Negation as an
   * unsigned number is correct for the smallest integer, too. */
  first = low >= 0 ? 0 : ghlo_size_ceil_div (0 - (guint64) low, (guint64) padded->step);
  padded->n = 0;
  if (extent == 0 || padded->extent == 0 || first >= (guint64) extent)
    return TRUE;
  padded->first = (gint64) first;
  padded->at = low + padded->first * padded->step;
  if (padded->at >= padded->extent)
    return TRUE;
  padded->n = MIN ((padded->extent - 1 - padded->at) / padded->step, extent - 1 - padded->first) + 1;
  return TRUE;
}

static gboolean
pad (GhloRefCall  *call,
     const gint64 *low,
     const gint64 *high,
     const gint64 *interior,
     GError      **error)
{
  const GhloValue *operand = call->operands[0];
  gint64 dimensions[GHLO_MAX_RANK] = { 0 }, counts[GHLO_MAX_RANK], to[GHLO_MAX_RANK], from[GHLO_MAX_RANK];
  PaddedDimension padded[GHLO_MAX_RANK];
  guint rank = ghlo_ref_rank (operand);
  gsize size = ghlo_ref_element_size (operand);
  const guint8 *source = operand->data;
  GhloValue *result;
  guint8 *place;

  for (guint i = 0; i < rank; i++)
    {
      if (!pad_dimension (call, i, ghlo_ref_dims (operand)[i], low[i], high[i], interior[i], &padded[i], error))
        return FALSE;
      dimensions[i] = padded[i].extent;
      counts[i] = padded[i].n;
    }
  result = ghlo_ref_result (call, 0, dimensions, rank, error);
  if (result == NULL)
    return FALSE;
  if (!ghlo_ref_fill (call, result->data, call->operands[1]->data, size, result->n_elements, error))
    return FALSE;
  for (guint i = 0; i < rank; i++)
    if (counts[i] == 0)
      return TRUE;

  place = result->data;
  ghlo_ref_strides (dimensions, rank, to);
  ghlo_ref_strides (ghlo_ref_dims (operand), rank, from);
  for (guint i = 0; i < rank; i++)
    {
      place += padded[i].at * to[i] * (gint64) size;
      source += padded[i].first * from[i] * (gint64) size;
      to[i] = counts[i] == 1 ? 0 : to[i] * padded[i].step;
    }
  return ghlo_ref_copy (call, size, rank, counts, place, to, source, from, error);
}

gboolean
ghlo_ref_pad (GhloRefCall *call,
              GError     **error)
{
  gsize n_low, n_high, n_interior;
  g_autofree gint64 *low = ghlo_ir_op_dup_ints (call->op, "edge_padding_low", &n_low);
  g_autofree gint64 *high = ghlo_ir_op_dup_ints (call->op, "edge_padding_high", &n_high);
  g_autofree gint64 *interior = ghlo_ir_op_dup_ints (call->op, "interior_padding", &n_interior);
  guint rank = ghlo_ref_rank (call->operands[0]);

  if (n_low != rank || n_high != rank || n_interior != rank)
    return ghlo_ref_fail (call, error, "expected padding for %u dimensions", rank);
  return pad (call, low, high, interior, error);
}

gboolean
ghlo_ref_dynamic_pad (GhloRefCall *call,
                      GError     **error)
{
  g_autofree gint64 *low = NULL;
  g_autofree gint64 *high = NULL;
  g_autofree gint64 *interior = NULL;
  guint rank = ghlo_ref_rank (call->operands[0]);

  for (guint i = 2; i < 5; i++)
    if (call->operands[i]->n_elements != rank)
      return ghlo_ref_fail (call, error, "expected padding for %u dimensions", rank);
  low = ghlo_ref_read_indices (call, call->operands[2], error);
  high = low != NULL ? ghlo_ref_read_indices (call, call->operands[3], error) : NULL;
  interior = high != NULL ? ghlo_ref_read_indices (call, call->operands[4], error) : NULL;
  return interior != NULL && pad (call, low, high, interior, error);
}
