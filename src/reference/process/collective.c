/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Collective operations. The processes of a group meet, each contributes its
 * operands, and each computes its own results from all contributions.
 */

#include "reference/process/collective.h"

#include <string.h>

#include "reference/frame.h"
#include "reference/kernels.h"
#include "reference/move/box.h"

/* The contributions of a group's processes. */
typedef struct
{
  GhloRefGroups  groups;
  const GArray  *group;           /* this process's; NULL when it is in none */
  guint          n_group;
  guint          position;        /* of this process in the group */
  GhloValue    **values;          /* n_group * n_values, owned */
  guint          n_values;
} Gathering;

static void
gathering_clear (Gathering *self)
{
  if (self->values != NULL)
    ghlo_values_clear (self->values, self->n_group * self->n_values);
  g_free (self->values);
  ghlo_ref_groups_clear (&self->groups);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Gathering, gathering_clear)

static const GhloValue *
contribution (const Gathering *self,
              guint            member,
              guint            index)
{
  return self->values[member * self->n_values + index];
}

/* The specification's strategy for partitioning the grid, by channel and use_global_device_ids. */
static GhloRefStrategy
find_strategy (const GhloRefCall *call)
{
  gint64 channel = ghlo_ref_call_get_channel (call);

  switch (call->op->kind)
    {
    case GHLO_OP_STABLEHLO_ALL_TO_ALL:
    case GHLO_OP_STABLEHLO_COLLECTIVE_BROADCAST:
    case GHLO_OP_STABLEHLO_COLLECTIVE_PERMUTE:
      return channel > 0 ? GHLO_REF_CROSS_PARTITION : GHLO_REF_CROSS_REPLICA;
    default:
      if (ghlo_ir_op_get (call->op, "use_global_device_ids") != NULL)
        return GHLO_REF_FLATTENED_IDS;
      return channel > 0 ? GHLO_REF_CROSS_REPLICA_AND_PARTITION : GHLO_REF_CROSS_REPLICA;
    }
}

static gboolean
is_permute (const GhloRefCall *call)
{
  return call->op->kind == GHLO_OP_STABLEHLO_COLLECTIVE_PERMUTE;
}

static gboolean
find_groups (GhloRefCall   *call,
             GhloRefGroups *groups,
             GError       **error)
{
  return ghlo_ref_groups_init (groups, call, is_permute (call) ? "source_target_pairs" : "replica_groups",
                               find_strategy (call), error);
}

static char *
rendezvous_name (const GhloRefCall *call)
{
  return g_strdup_printf ("%s/%" G_GINT64_FORMAT, ghlo_ir_op_get_spec (call->op)->name,
                          ghlo_ref_call_get_channel (call));
}

/* Whether a source-target pair connects this process with another one. */
static gboolean
is_own_pair (const GArray *pair,
             guint32       process)
{
  guint32 source = g_array_index (pair, guint32, 0), target = g_array_index (pair, guint32, 1);

  return source != target && (source == process || target == process);
}

gboolean
ghlo_ref_collective_draw_tickets (GhloRefCall *call,
                                  GPtrArray   *tickets,
                                  GError     **error)
{
  g_auto (GhloRefGroups) groups = { NULL };
  g_autofree char *name = rendezvous_name (call);
  guint32 process = ghlo_ref_call_get_process (call);

  if (ghlo_ir_op_get (call->op, "replica_groups") == NULL && !is_permute (call))
    return TRUE;
  if (!find_groups (call, &groups, error))
    return FALSE;

  for (guint i = 0; i < groups.groups->len; i++)
    {
      const GArray *group = g_ptr_array_index (groups.groups, i);

      if (is_permute (call) ? group->len == 2 && is_own_pair (group, process)
                            : group == ghlo_ref_groups_find (&groups, process))
        g_ptr_array_add (tickets, ghlo_ref_process_draw_ticket (call->frame->process, name,
                                                               (gconstpointer) group->data, group->len));
    }

  return TRUE;
}

/* Checks that all contributions have the same types, except for the size of dimension
 * @free_dimension (-1: none). */
static gboolean
check_contributions (GhloRefCall     *call,
                     const Gathering *self,
                     gint64           free_dimension,
                     GError         **error)
{
  for (guint i = 0; i < self->n_group * self->n_values; i++)
    {
      const GhloTensorType *mine = contribution (self, self->position, i % self->n_values)->type;
      const GhloTensorType *other = self->values[i]->type;
      gboolean fits = other->element_type == mine->element_type && other->rank == mine->rank;

      for (guint j = 0; fits && j < mine->rank; j++)
        fits = other->dimensions[j] == mine->dimensions[j] || j == free_dimension;
      if (!fits)
        {
          g_autofree char *expected = ghlo_tensor_type_to_string (mine);
          g_autofree char *found = ghlo_tensor_type_to_string (other);

          return ghlo_ref_fail (call, error, "expected %s from process %u, found %s", expected,
                                g_array_index (self->group, guint32, i / self->n_values), found);
        }
    }

  return TRUE;
}

/* Exchanges the first @n_values operands with the processes of the group. @group stays NULL when this
 * process is in no group. */
static gboolean
gather (GhloRefCall *call,
        guint        n_values,
        gint64       free_dimension,
        Gathering   *self,
        GError     **error)
{
  g_autofree char *name = rendezvous_name (call);
  guint32 process = ghlo_ref_call_get_process (call);

  if (!find_groups (call, &self->groups, error))
    return FALSE;
  self->group = ghlo_ref_groups_find (&self->groups, process);
  if (self->group == NULL)
    return TRUE;

  self->n_group = self->group->len;
  self->n_values = n_values;
  while (g_array_index (self->group, guint32, self->position) != process)
    self->position++;
  self->values = ghlo_ref_process_rendezvous (call->frame->process, name, (gconstpointer) self->group->data,
                                              self->n_group, call->operands, n_values, error);

  return self->values != NULL && check_contributions (call, self, free_dimension, error);
}

static gboolean
require_group (GhloRefCall     *call,
               const Gathering *self,
               GError         **error)
{
  return self->group != NULL
         || ghlo_ref_fail (call, error, "expected process %u in a group, found it in none",
                           ghlo_ref_call_get_process (call));
}

/* Copies @length indices along @dimension, from @source_start of @source to @start of @result. */
static void
copy_part (GhloValue       *result,
           gint64           start,
           const GhloValue *source,
           gint64           source_start,
           gint64           length,
           guint            dimension)
{
  const gint64 *to = result->type->dimensions, *from = source->type->dimensions;
  gsize inner = ghlo_element_info (result->type->element_type)->size, outer = 1;

  if (result->n_elements == 0 || source->n_elements == 0)
    return;
  for (guint i = 0; i < result->type->rank; i++)
    if (i < dimension)
      outer *= to[i];
    else if (i > dimension)
      inner *= to[i];
  for (gsize i = 0; i < outer; i++)
    memcpy (result->data + (i * to[dimension] + start) * inner,
            source->data + (i * from[dimension] + source_start) * inner, length * inner);
}

/* Stores zeros as result @index. For a quantized type these are the stored values that represent zero. */
static gboolean
store_zeros (GhloRefCall     *call,
             guint            index,
             const GhloValue *like,
             GError         **error)
{
  GhloValue *result = ghlo_ref_result_like (call, index, like, error);
  const GhloQuantization *quantization = result != NULL ? result->type->quantization : NULL;
  guint8 zero[16];

  if (quantization == NULL || quantization->axis >= 0 || result->n_elements == 0)
    return result != NULL;

  ghlo_element_store (result->type->element_type, zero, (GhloScalar) { .i = quantization->zero_points[0] });

  return ghlo_ref_fill (call, result->data, zero, ghlo_element_info (result->type->element_type)->size,
                        result->n_elements, error);
}

static gboolean
check_dimension (GhloRefCall *call,
                 const char  *name,
                 gint64      *dimension,
                 GError     **error)
{
  *dimension = ghlo_ir_op_get_int (call->op, name, -1);
  for (guint i = 0; i < call->n_operands; i++)
    if (*dimension < 0 || *dimension >= call->operands[i]->type->rank)
      return ghlo_ref_fail (call, error, "expected %s below %u, found %" G_GINT64_FORMAT, name,
                            call->operands[i]->type->rank, *dimension);

  return TRUE;
}

gboolean
ghlo_ref_all_gather (GhloRefCall *call,
                     GError     **error)
{
  g_auto (Gathering) gathering = { { NULL } };
  gint64 dimension;

  if (!check_dimension (call, "all_gather_dim", &dimension, error)
      || !gather (call, call->n_operands, dimension, &gathering, error) || !require_group (call, &gathering, error))
    return FALSE;

  for (guint i = 0; i < call->n_operands; i++)
    {
      gint64 dimensions[GHLO_MAX_RANK], start = 0;
      const GhloTensorType *type = call->operands[i]->type;
      GhloValue *result;

      memcpy (dimensions, type->dimensions, type->rank * sizeof (gint64));
      dimensions[dimension] = 0;
      for (guint j = 0; j < gathering.n_group; j++)
        dimensions[dimension] += contribution (&gathering, j, i)->type->dimensions[dimension];
      result = ghlo_ref_result (call, i, dimensions, type->rank, error);
      if (result == NULL)
        return FALSE;

      for (guint j = 0; j < gathering.n_group; j++)
        {
          const GhloValue *part = contribution (&gathering, j, i);

          copy_part (result, start, part, 0, part->type->dimensions[dimension], dimension);
          start += part->type->dimensions[dimension];
        }
    }

  return TRUE;
}

#define ADD_NUMBERS(name, Number) \
  static void \
  name (gpointer to, gconstpointer from, gsize n) \
  { \
    Number *sums = to; \
    const Number *addends = from; \
  \
    for (gsize i = 0; i < n; i++) \
      sums[i] += addends[i]; \
  }

ADD_NUMBERS (add_f32, float)
ADD_NUMBERS (add_f64, double)
ADD_NUMBERS (add_i32, guint32)
ADD_NUMBERS (add_i64, guint64)

typedef void (*AddNumbers) (gpointer      to,
                            gconstpointer from,
                            gsize         n);

/* The specialized addition for a type, or NULL where there is none. Sums of gradients are frequent, so they
 * avoid the generic loop. */
static AddNumbers
find_add (const GhloRefScalarFunction *function,
          const GhloTensorType        *type)
{
  if (ghlo_ref_scalar_function_combiner (function) != GHLO_COMBINER_ADD || type->quantization != NULL)
    return NULL;
  switch (type->element_type)
    {
    case GHLO_ELEMENT_TYPE_F32:
      return add_f32;
    case GHLO_ELEMENT_TYPE_F64:
      return add_f64;
    case GHLO_ELEMENT_TYPE_I32:
    case GHLO_ELEMENT_TYPE_UI32:
      return add_i32;
    case GHLO_ELEMENT_TYPE_I64:
    case GHLO_ELEMENT_TYPE_UI64:
      return add_i64;
    default:
      return NULL;
    }
}

static gboolean
add_members (GhloRefCall      *call,
             const Gathering  *gathering,
             AddNumbers        add,
             guint             index,
             GhloValue        *result,
             GError          **error)
{
  enum { PIECE = 4096 };
  const gsize size = ghlo_element_info (result->type->element_type)->size;

  for (gsize i = 0; i < result->n_elements; i += PIECE)
    {
      const gsize n = MIN (PIECE, result->n_elements - i);

      if (!ghlo_ref_continue (call, error))
        return FALSE;
      memcpy (result->data + i * size, contribution (gathering, 0, index)->data + i * size, n * size);
      for (guint j = 1; j < gathering->n_group; j++)
        add (result->data + i * size, contribution (gathering, j, index)->data + i * size, n);
    }

  return TRUE;
}

/* Reduces the members' contributions to value @index, in group order. */
static gboolean
reduce_members (GhloRefCall           *call,
                const Gathering       *gathering,
                GhloRefScalarFunction *function,
                guint                  index,
                GhloValue             *result,
                GError               **error)
{
  const gboolean is_same = result->type->element_type == contribution (gathering, 0, index)->type->element_type;
  const AddNumbers add = is_same ? find_add (function, result->type) : NULL;

  if (add != NULL)
    return add_members (call, gathering, add, index, result, error);
  for (gsize i = 0; i < result->n_elements; i++)
    {
      GhloScalar pair[2] = { ghlo_ref_load (contribution (gathering, 0, index), i) };

      if (i % 1024 == 0 && !ghlo_ref_continue (call, error))
        return FALSE;
      for (guint j = 1; j < gathering->n_group; j++)
        {
          GhloScalar sum;

          pair[1] = ghlo_ref_load (contribution (gathering, j, index), i);
          if (!ghlo_ref_scalar_function_run (function, pair, &sum, error))
            return FALSE;
          pair[0] = sum;
        }
      ghlo_ref_store (result, i, pair[0]);
    }

  return TRUE;
}

gboolean
ghlo_ref_all_reduce (GhloRefCall *call,
                     GError     **error)
{
  g_auto (Gathering) gathering = { { NULL } };
  GhloRefScalarFunction *function;
  gboolean ok = TRUE;

  if (!gather (call, call->n_operands, -1, &gathering, error) || !require_group (call, &gathering, error))
    return FALSE;
  function = ghlo_ref_scalar_function_new (call, 0, error);
  if (function == NULL)
    return FALSE;

  for (guint i = 0; i < call->n_operands && ok; i++)
    {
      GhloValue *result = ghlo_ref_result_like (call, i, call->operands[i], error);

      ok = result != NULL && reduce_members (call, &gathering, function, i, result, error);
    }
  ghlo_ref_scalar_function_free (function);

  return ok;
}

gboolean
ghlo_ref_cross_replica_sum (GhloRefCall *call,
                            GError     **error)
{
  g_auto (Gathering) gathering = { { NULL } };
  GhloElementType type = call->operands[0]->type->element_type;
  GhloRefScalarOp op;
  GhloRefScalarFunc add = ghlo_ref_scalar_func_for (GHLO_OP_STABLEHLO_ADD, type, type, &op);
  GhloValue *result;

  if (add == NULL || call->operands[0]->type->quantization != NULL)
    return ghlo_ref_fail (call, error, "expected a tensor of numbers");
  if (!gather (call, 1, -1, &gathering, error) || !require_group (call, &gathering, error))
    return FALSE;
  result = ghlo_ref_result_like (call, 0, call->operands[0], error);
  if (result == NULL)
    return FALSE;

  for (gsize i = 0; i < result->n_elements; i++)
    {
      GhloScalar pair[2] = { ghlo_ref_load (contribution (&gathering, 0, 0), i) };

      if (i % 1024 == 0 && !ghlo_ref_continue (call, error))
        return FALSE;
      for (guint j = 1; j < gathering.n_group; j++)
        {
          pair[1] = ghlo_ref_load (contribution (&gathering, j, 0), i);
          pair[0] = add (&op, pair);
        }
      ghlo_ref_store (result, i, pair[0]);
    }

  return TRUE;
}

/* A new tensor with the operand's shape and the result's element type. */
static GhloValue *
new_reduced (GhloRefCall *call,
             GError     **error)
{
  const GhloIrType *type = call->op->results[0].type;
  const GhloTensorType *operand = call->operands[0]->type;
  g_autoptr (GhloTensorType) reduced =
    ghlo_tensor_type_new_full (type->element_type, operand->dimensions, NULL, operand->rank, type->quantization);

  return ghlo_value_new_tensor (reduced, error);
}

gboolean
ghlo_ref_reduce_scatter (GhloRefCall *call,
                         GError     **error)
{
  g_auto (Gathering) gathering = { { NULL } };
  g_autoptr (GhloValue) reduced = NULL;
  const GhloTensorType *type = call->operands[0]->type;
  gint64 dimensions[GHLO_MAX_RANK], dimension, length;
  GhloRefScalarFunction *function;
  GhloValue *result;
  gboolean ok;

  if (!check_dimension (call, "scatter_dimension", &dimension, error)
      || !gather (call, 1, -1, &gathering, error) || !require_group (call, &gathering, error))
    return FALSE;
  if (type->dimensions[dimension] % gathering.n_group != 0)
    return ghlo_ref_fail (call, error, "expected a multiple of %u as size of dimension %" G_GINT64_FORMAT ", found %"
                          G_GINT64_FORMAT, gathering.n_group, dimension, type->dimensions[dimension]);

  reduced = new_reduced (call, error);
  function = reduced != NULL ? ghlo_ref_scalar_function_new (call, 0, error) : NULL;
  if (function == NULL)
    return FALSE;
  ok = reduce_members (call, &gathering, function, 0, reduced, error);
  ghlo_ref_scalar_function_free (function);
  if (!ok)
    return FALSE;

  length = type->dimensions[dimension] / gathering.n_group;
  memcpy (dimensions, type->dimensions, type->rank * sizeof (gint64));
  dimensions[dimension] = length;
  result = ghlo_ref_result (call, 0, dimensions, type->rank, error);
  if (result == NULL)
    return FALSE;
  copy_part (result, 0, reduced, gathering.position * length, length, dimension);

  return TRUE;
}

/* Concatenates part @position of every member's operand along dimension @concat. */
static gboolean
exchange_parts (GhloRefCall     *call,
                const Gathering *gathering,
                guint            index,
                gint64           split,
                gint64           concat,
                GError         **error)
{
  const GhloTensorType *type = call->operands[index]->type;
  gint64 part_dimensions[GHLO_MAX_RANK], dimensions[GHLO_MAX_RANK];
  gint64 length = type->dimensions[split] / gathering->n_group;
  g_autoptr (GhloTensorType) part_type = NULL;
  g_autoptr (GhloValue) part = NULL;
  GhloValue *result;

  memcpy (part_dimensions, type->dimensions, type->rank * sizeof (gint64));
  part_dimensions[split] = length;
  memcpy (dimensions, part_dimensions, sizeof (dimensions));
  if (__builtin_mul_overflow (dimensions[concat], (gint64) gathering->n_group, &dimensions[concat]))
    return ghlo_ref_fail (call, error, "the result is too large");
  result = ghlo_ref_result (call, index, dimensions, type->rank, error);
  if (result == NULL)
    return FALSE;

  part_type = ghlo_tensor_type_new_full (type->element_type, part_dimensions, NULL, type->rank, type->quantization);
  part = ghlo_value_new_tensor (part_type, error);
  if (part == NULL)
    return FALSE;
  for (guint i = 0; i < gathering->n_group; i++)
    {
      copy_part (part, 0, contribution (gathering, i, index), gathering->position * length, length, split);
      copy_part (result, i * part_dimensions[concat], part, 0, part_dimensions[concat], concat);
    }

  return TRUE;
}

gboolean
ghlo_ref_all_to_all (GhloRefCall *call,
                     GError     **error)
{
  g_auto (Gathering) gathering = { { NULL } };
  gint64 count = ghlo_ir_op_get_int (call->op, "split_count", 1);
  gint64 split, concat;

  if (!check_dimension (call, "split_dimension", &split, error)
      || !check_dimension (call, "concat_dimension", &concat, error)
      || !gather (call, call->n_operands, -1, &gathering, error) || !require_group (call, &gathering, error))
    return FALSE;
  if (count != gathering.n_group)
    return ghlo_ref_fail (call, error, "expected a group of %" G_GINT64_FORMAT " processes, found %u", count,
                          gathering.n_group);

  for (guint i = 0; i < call->n_operands; i++)
    {
      gint64 size = call->operands[i]->type->dimensions[split];

      if (size % count != 0)
        return ghlo_ref_fail (call, error, "expected a multiple of %" G_GINT64_FORMAT " as size of dimension %"
                              G_GINT64_FORMAT ", found %" G_GINT64_FORMAT, count, split, size);
      if (!exchange_parts (call, &gathering, i, split, concat, error))
        return FALSE;
    }

  return TRUE;
}

gboolean
ghlo_ref_collective_permute (GhloRefCall *call,
                             GError     **error)
{
  g_auto (GhloRefGroups) groups = { NULL };
  g_autofree char *name = rendezvous_name (call);
  guint32 process = ghlo_ref_call_get_process (call);

  if (!find_groups (call, &groups, error))
    return FALSE;

  for (guint i = 0; i < groups.groups->len; i++)
    {
      const GArray *pair = g_ptr_array_index (groups.groups, i);
      guint32 source, target;
      GhloValue **values;
      gboolean ok = TRUE;

      if (pair->len != 2)
        return ghlo_ref_fail (call, error, "expected pairs of source and target, found %u numbers", pair->len);
      source = g_array_index (pair, guint32, 0);
      target = g_array_index (pair, guint32, 1);
      if (source == target && source == process && call->results[0] == NULL)
        ok = ghlo_ref_pass (call, 0, call->operands[0], error);
      if (ok && is_own_pair (pair, process))
        {
          values = ghlo_ref_process_rendezvous (call->frame->process, name, (gconstpointer) pair->data, 2,
                                                call->operands, 1, error);
          if (values == NULL)
            return FALSE;
          if (target == process && call->results[0] == NULL)
            ok = ghlo_ref_pass (call, 0, values[0], error);
          ghlo_values_clear (values, 2);
          g_free (values);
        }
      if (!ok)
        return FALSE;
    }

  return call->results[0] != NULL || store_zeros (call, 0, call->operands[0], error);
}

/* Finds the root's position in the group for value @index. */
static gboolean
find_root (GhloRefCall     *call,
           const Gathering *gathering,
           guint            index,
           guint           *root,
           GError         **error)
{
  const GhloValue *roots = call->operands[call->n_operands - 1];
  gint64 number;

  *root = 0;
  if (ghlo_ir_op_get (call->op, "has_dynamic_root") == NULL)
    return TRUE;
  if (index >= roots->n_elements)
    return ghlo_ref_fail (call, error, "expected %u roots, found %" G_GSIZE_FORMAT, call->n_operands - 1,
                          roots->n_elements);
  number = ghlo_ref_load (roots, index).i;
  if (number < 0 || number >= gathering->n_group)
    return ghlo_ref_fail (call, error, "expected a root below %u, found %" G_GINT64_FORMAT, gathering->n_group, number);
  *root = number;

  return TRUE;
}

/* The number of data operands: all except the roots. */
static guint
count_data (const GhloRefCall *call)
{
  gboolean has_roots = ghlo_ir_op_get (call->op, "has_dynamic_root") != NULL;

  return call->n_operands - (has_roots && call->n_operands > 0 ? 1 : 0);
}

static gboolean
store_all_zeros (GhloRefCall *call,
                 guint        n,
                 GError     **error)
{
  for (guint i = 0; i < n; i++)
    if (!store_zeros (call, i, call->operands[i], error))
      return FALSE;

  return TRUE;
}

gboolean
ghlo_ref_collective_broadcast (GhloRefCall *call,
                               GError     **error)
{
  g_auto (Gathering) gathering = { { NULL } };
  guint n = count_data (call), root;

  if (!gather (call, n, -1, &gathering, error))
    return FALSE;
  if (gathering.group == NULL)
    return store_all_zeros (call, n, error);

  for (guint i = 0; i < n; i++)
    if (!find_root (call, &gathering, i, &root, error)
        || !ghlo_ref_pass (call, i, (GhloValue *) contribution (&gathering, root, i), error))
      return FALSE;

  return TRUE;
}

gboolean
ghlo_ref_collective_reduce (GhloRefCall *call,
                            GError     **error)
{
  g_auto (Gathering) gathering = { { NULL } };
  guint n = count_data (call), root;
  GhloRefScalarFunction *function;
  gboolean ok = TRUE;

  if (!gather (call, n, -1, &gathering, error))
    return FALSE;
  if (gathering.group == NULL)
    return store_all_zeros (call, n, error);
  function = ghlo_ref_scalar_function_new (call, 0, error);
  if (function == NULL)
    return FALSE;

  for (guint i = 0; i < n && ok; i++)
    {
      ok = find_root (call, &gathering, i, &root, error) && store_zeros (call, i, call->operands[i], error);
      if (ok && root == gathering.position)
        ok = reduce_members (call, &gathering, function, i, call->results[i], error);
    }
  ghlo_ref_scalar_function_free (function);

  return ok;
}

static gboolean
store_number (GhloRefCall *call,
              guint        number,
              GError     **error)
{
  GhloValue *result = ghlo_ref_result (call, 0, NULL, 0, error);

  if (result != NULL)
    ghlo_ref_store (result, 0, (GhloScalar) { .u = number });

  return result != NULL;
}

gboolean
ghlo_ref_replica_id (GhloRefCall *call,
                     GError     **error)
{
  return store_number (call, call->frame->process->replica, error);
}

gboolean
ghlo_ref_partition_id (GhloRefCall *call,
                       GError     **error)
{
  return store_number (call, call->frame->process->partition, error);
}
