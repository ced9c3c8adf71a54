/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * dot_general, dot and ragged_dot: converts dimension numbers to a contraction. A
 * requested algorithm or precision only permits a less exact result, so the
 * reference executor computes the same for all of them.
 */

#include "base/sizes.h"
#include "reference/algebra/contract.h"
#include "reference/move/indexing.h"
#include "reference/kernels.h"
#include "reference/scalar/numbers.h"

#include <string.h>

typedef struct
{
  const gint64 *lhs_batch, *rhs_batch, *lhs_contracted, *rhs_contracted;
  gsize         n_batch, n_contracted;
  gint64        rhs_group;        /* for ragged_dot, the group dimension of the rhs; else -1 */
} DotNumbers;

static gboolean
read_numbers (GhloRefCall      *call,
              const GhloIrAttr *attr,
              DotNumbers       *self,
              GError          **error)
{
  gsize n_batch, n_contracted;

  self->rhs_group = -1;
  self->lhs_batch = ghlo_ir_struct_get_dims (attr, "lhs_batching_dimensions", &self->n_batch);
  self->rhs_batch = ghlo_ir_struct_get_dims (attr, "rhs_batching_dimensions", &n_batch);
  self->lhs_contracted = ghlo_ir_struct_get_dims (attr, "lhs_contracting_dimensions", &self->n_contracted);
  self->rhs_contracted = ghlo_ir_struct_get_dims (attr, "rhs_contracting_dimensions", &n_contracted);
  if (n_batch != self->n_batch || n_contracted != self->n_contracted)
    return ghlo_ref_fail (call, error, "expected as many dimensions of the lhs as of the rhs");
  return TRUE;
}

static void
value_strides (const GhloValue *value,
               gint64          *strides)
{
  memset (strides, 0, GHLO_MAX_RANK * sizeof (gint64));
  if (value->n_elements > 0)
    ghlo_ref_strides (ghlo_ref_dims (value), ghlo_ref_rank (value), strides);
}

/* Appends pairs of dimensions, which must have equal sizes. */
static gboolean
append_pairs (GhloRefCall  *call,
              GhloRefAxes  *axes,
              const gint64 *lhs_dimensions,
              const gint64 *rhs_dimensions,
              gsize         n,
              const gint64 *lhs_strides,
              const gint64 *rhs_strides,
              GError      **error)
{
  const GhloValue *lhs = call->operands[0];
  const GhloValue *rhs = call->operands[1];

  for (gsize i = 0; i < n; i++)
    {
      gint64 l = lhs_dimensions[i];
      gint64 r = rhs_dimensions[i];

      if (l < 0 || l >= ghlo_ref_rank (lhs) || r < 0 || r >= ghlo_ref_rank (rhs))
        return ghlo_ref_fail (call, error, "expected dimensions of both operands");
      if (ghlo_ref_dims (lhs)[l] != ghlo_ref_dims (rhs)[r])
        return ghlo_ref_fail (call, error, "expected dimension %" G_GINT64_FORMAT " of the rhs to be %"
                              G_GINT64_FORMAT ", found %" G_GINT64_FORMAT,
                              r, ghlo_ref_dims (lhs)[l], ghlo_ref_dims (rhs)[r]);
      ghlo_ref_axes_append (axes, ghlo_ref_dims (lhs)[l], lhs_strides[l], rhs_strides[r]);
    }
  return TRUE;
}

static gboolean
make_contraction (GhloRefCall        *call,
                  const DotNumbers   *numbers,
                  GhloRefContraction *self,
                  GError            **error)
{
  const GhloValue *lhs = call->operands[0];
  const GhloValue *rhs = call->operands[1];
  gint64 l[GHLO_MAX_RANK], r[GHLO_MAX_RANK];

  value_strides (lhs, l);
  value_strides (rhs, r);
  if (numbers->n_batch + numbers->n_contracted > MIN (ghlo_ref_rank (lhs), ghlo_ref_rank (rhs)))
    return ghlo_ref_fail (call, error, "expected different dimensions of both operands");
  if (!append_pairs (call, &self->batch, numbers->lhs_batch, numbers->rhs_batch, numbers->n_batch, l, r, error)
      || !append_pairs (call, &self->contracted, numbers->lhs_contracted, numbers->rhs_contracted,
                        numbers->n_contracted, l, r, error))
    return FALSE;

  for (guint i = 0; i < ghlo_ref_rank (lhs); i++)
    if (!ghlo_dims_contain (numbers->lhs_batch, numbers->n_batch, i)
        && !ghlo_dims_contain (numbers->lhs_contracted, numbers->n_contracted, i))
      ghlo_ref_axes_append (&self->left, ghlo_ref_dims (lhs)[i], l[i], 0);
  for (guint i = 0; i < ghlo_ref_rank (rhs); i++)
    if (!ghlo_dims_contain (numbers->rhs_batch, numbers->n_batch, i)
        && !ghlo_dims_contain (numbers->rhs_contracted, numbers->n_contracted, i)
        && i != numbers->rhs_group)
      ghlo_ref_axes_append (&self->right, ghlo_ref_dims (rhs)[i], 0, r[i]);
  return TRUE;
}

/* Creates result 0 with the shape [leading,] batch, left, right. @leading is -1 for none. */
static GhloValue *
make_result (GhloRefCall        *call,
             GhloRefContraction *self,
             gint64              leading,
             GError            **error)
{
  const GhloRefAxes *axes[] = { &self->batch, &self->left, &self->right };
  gint64 dimensions[3 * GHLO_MAX_RANK + 1];
  guint rank = 0;
  GhloValue *result;

  if (leading >= 0)
    dimensions[rank++] = leading;
  for (guint a = 0; a < G_N_ELEMENTS (axes); a++)
    for (guint i = 0; i < axes[a]->rank; i++)
      dimensions[rank++] = axes[a]->dimensions[i];
  if (rank > GHLO_MAX_RANK)
    {
      ghlo_ref_fail (call, error, "expected a result of a rank of at most %d, found %u", GHLO_MAX_RANK, rank);
      return NULL;
    }
  result = ghlo_ref_result (call, 0, dimensions, rank, error);
  if (result != NULL && result->n_elements > 0)
    ghlo_ref_contraction_set_dense (self);
  return result;
}

static gboolean
dot (GhloRefCall      *call,
     const DotNumbers *numbers,
     GError          **error)
{
  GhloRefContraction contraction = { 0 };
  GhloValue *result;

  if (!make_contraction (call, numbers, &contraction, error))
    return FALSE;
  result = make_result (call, &contraction, -1, error);
  if (result == NULL || result->n_elements == 0)
    return result != NULL;
  return ghlo_ref_contract_values (call, &contraction, call->operands[0], call->operands[1], result, error);
}

gboolean
ghlo_ref_dot_general (GhloRefCall *call,
                      GError     **error)
{
  DotNumbers numbers;

  return read_numbers (call, ghlo_ir_op_get (call->op, "dot_dimension_numbers"), &numbers, error)
         && dot (call, &numbers, error);
}

/* Contracts the last dimension of the lhs with the first of the rhs. */
gboolean
ghlo_ref_dot (GhloRefCall *call,
              GError     **error)
{
  gint64 last = (gint64) ghlo_ref_rank (call->operands[0]) - 1;
  DotNumbers numbers = {
    .lhs_contracted = &last, .rhs_contracted = &(gint64) { 0 }, .n_contracted = 1, .rhs_group = -1,
  };

  if (last < 0 || ghlo_ref_rank (call->operands[1]) == 0)
    return ghlo_ref_fail (call, error, "expected vectors or matrices");
  return dot (call, &numbers, error);
}

/* Where one part of a contraction begins in each tensor, in elements. */
typedef struct
{
  gint64 lhs, rhs, result;
} Offsets;

/* Restricts an axis to @count steps from @start on. */
static void
restrict_axis (GhloRefAxes *axes,
               guint        index,
               gint64       start,
               gint64       count,
               Offsets     *offsets)
{
  offsets->lhs += start * axes->lhs[index];
  offsets->rhs += start * axes->rhs[index];
  offsets->result += start * axes->result[index];
  axes->dimensions[index] = count;
}

/* The groups into which ragged_dot cuts the ragged dimension. */
typedef struct
{
  GhloRefCall       *call;
  GhloRefContraction contraction;     /* of all groups together */
  gboolean           is_contracted;   /* whether the ragged dimension is contracted; otherwise it is a free dimension
                                       * of the lhs */
  guint              ragged;          /* its axis among contraction.contracted or .left */
  guint              n_prefix;        /* axes along which group sizes differ; 0 when the sizes are the same for all */
  gint64             prefix[GHLO_MAX_RANK];
  gint64             n_groups;
  gint64            *sizes;           /* owned; [prefix][group] */
  gint64             group_stride;    /* of the rhs, when the ragged dimension is not contracted */
  gint64             result_stride;   /* between groups of the result, when the ragged dimension is contracted */
} Ragged;

static void
ragged_clear (Ragged *self)
{
  g_free (self->sizes);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Ragged, ragged_clear)

/* The axis of prefix dimension @index. Batch axes come first, then the axes before the ragged one. */
static GhloRefAxes *
prefix_axis (GhloRefContraction *contraction,
             gboolean            is_contracted,
             guint               index,
             guint              *axis)
{
  *axis = index < contraction->batch.rank ? index : index - contraction->batch.rank;
  if (index < contraction->batch.rank)
    return &contraction->batch;
  return is_contracted ? &contraction->contracted : &contraction->left;
}

/* Runs one group: rows *@start to *@start + @size of the ragged dimension, clamped to its extent. Advances
 * *@start to the beginning of the next group. */
static gboolean
run_group (Ragged       *self,
           const gint64 *index,
           gint64        group,
           gint64       *start,
           gint64        size,
           const guint8 *lhs,
           const guint8 *rhs,
           guint8       *result,
           GError      **error)
{
  GhloRefContraction part = self->contraction;
  GhloRefAxes *ragged = self->is_contracted ? &part.contracted : &part.left;
  Offsets at = { 0 };

  size = CLAMP (size, 0, ragged->dimensions[self->ragged] - *start);
  if (size == 0)
    return TRUE;
  restrict_axis (ragged, self->ragged, *start, size, &at);
  *start += size;
  for (guint i = 0; i < self->n_prefix; i++)
    {
      guint axis;
      GhloRefAxes *axes = prefix_axis (&part, self->is_contracted, i, &axis);

      restrict_axis (axes, axis, index[i], 1, &at);
    }
  at.rhs += group * self->group_stride;
  at.result += group * self->result_stride;
  return ghlo_ref_contract (self->call, &part,
                            lhs + at.lhs * ghlo_element_info (part.lhs_type)->size,
                            rhs + at.rhs * ghlo_element_info (part.rhs_type)->size,
                            result + at.result * ghlo_element_info (part.result_type)->size, error);
}

static gboolean
run_groups (Ragged    *self,
            GhloValue *result,
            GError   **error)
{
  const GhloValue *lhs = self->call->operands[0];
  const GhloValue *rhs = self->call->operands[1];
  gint64 index[GHLO_MAX_RANK] = { 0 };
  const gint64 *sizes = self->sizes;

  self->contraction.lhs_type = lhs->type->element_type;
  self->contraction.rhs_type = rhs->type->element_type;
  self->contraction.result_type = result->type->element_type;
  do
    {
      gint64 start = 0;

      for (gint64 g = 0; g < self->n_groups; g++)
        if (!run_group (self, index, g, &start, *sizes++, lhs->data, rhs->data, result->data, error))
          return FALSE;
    }
  while (ghlo_ref_next_index (index, self->prefix, self->n_prefix));
  return TRUE;
}

/* Reads the group sizes, finds the prefix along which they are given, and checks it against their shape. */
static gboolean
read_sizes (Ragged  *self,
            GError **error)
{
  const GhloValue *sizes = self->call->operands[2];
  guint rank = ghlo_ref_rank (sizes);

  if (rank == 0)
    return ghlo_ref_fail (self->call, error, "expected group sizes of at least rank 1");
  self->n_groups = ghlo_ref_dims (sizes)[rank - 1];
  if (rank > 1)
    {
      self->n_prefix = self->contraction.batch.rank + self->ragged;
      if (rank != self->n_prefix + 1)
        return ghlo_ref_fail (self->call, error, "expected group sizes of rank %u, found %u", self->n_prefix + 1, rank);
      for (guint i = 0; i < self->n_prefix; i++)
        {
          guint axis;
          const GhloRefAxes *axes = prefix_axis (&self->contraction, self->is_contracted, i, &axis);

          self->prefix[i] = axes->dimensions[axis];
          if (ghlo_ref_dims (sizes)[i] != self->prefix[i])
            return ghlo_ref_fail (self->call, error, "expected dimension %u of the group sizes to be %"
                                  G_GINT64_FORMAT ", found %" G_GINT64_FORMAT,
                                  i, self->prefix[i], ghlo_ref_dims (sizes)[i]);
        }
      /* With several contracted dimensions, a group would not be a single range of each of them. */
      if (self->is_contracted && self->ragged > 0)
        {
          g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
                               "group sizes that differ along a contracted dimension are not supported");
          return FALSE;
        }
    }
  self->sizes = ghlo_ref_read_indices (self->call, sizes, error);
  return self->sizes != NULL;
}

/* Finds the axis of the ragged dimension. FALSE when it is a batch dimension. */
static gboolean
find_ragged_axis (Ragged           *self,
                  const DotNumbers *numbers,
                  gint64            ragged)
{
  if (ghlo_dims_contain (numbers->lhs_batch, numbers->n_batch, ragged))
    return FALSE;
  for (guint i = 0; i < numbers->n_contracted; i++)
    if (numbers->lhs_contracted[i] == ragged)
      {
        self->is_contracted = TRUE;
        self->ragged = i;
        return TRUE;
      }
  for (gint64 d = 0; d < ragged; d++)
    if (!ghlo_dims_contain (numbers->lhs_batch, numbers->n_batch, d)
        && !ghlo_dims_contain (numbers->lhs_contracted, numbers->n_contracted, d))
      self->ragged++;
  return TRUE;
}

gboolean
ghlo_ref_ragged_dot (GhloRefCall *call,
                     GError     **error)
{
  const GhloIrAttr *attr = ghlo_ir_op_get (call->op, "ragged_dot_dimension_numbers");
  g_auto (Ragged) self = { .call = call };
  gint64 strides[GHLO_MAX_RANK];
  const gint64 *ragged, *group;
  DotNumbers numbers;
  GhloValue *result;
  gsize n_ragged, n_group;

  if (!read_numbers (call, attr, &numbers, error))
    return FALSE;
  ragged = ghlo_ir_struct_get_dims (attr, "lhs_ragged_dimensions", &n_ragged);
  group = ghlo_ir_struct_get_dims (attr, "rhs_group_dimensions", &n_group);
  if (n_ragged != 1 || ragged[0] < 0 || ragged[0] >= ghlo_ref_rank (call->operands[0]))
    return ghlo_ref_fail (call, error, "expected one ragged dimension of the lhs");
  if (!find_ragged_axis (&self, &numbers, ragged[0]))
    return dot (call, &numbers, error);       /* groups of whole batches change nothing */

  if (!self.is_contracted && (n_group != 1 || group[0] < 0 || group[0] >= ghlo_ref_rank (call->operands[1])))
    return ghlo_ref_fail (call, error, "expected one group dimension of the rhs");
  numbers.rhs_group = self.is_contracted ? -1 : group[0];
  if (!make_contraction (call, &numbers, &self.contraction, error) || !read_sizes (&self, error))
    return FALSE;
  result = make_result (call, &self.contraction, self.is_contracted ? self.n_groups : -1, error);
  if (result == NULL || result->n_elements == 0)
    return result != NULL;

  value_strides (call->operands[1], strides);
  if (self.is_contracted)
    self.result_stride = (gint64) result->n_elements / self.n_groups;
  else if (ghlo_ref_dims (call->operands[1])[numbers.rhs_group] != self.n_groups)
    return ghlo_ref_fail (call, error, "expected %" G_GINT64_FORMAT " groups in the rhs", self.n_groups);
  else
    self.group_stride = strides[numbers.rhs_group];
  return run_groups (&self, result, error);
}
