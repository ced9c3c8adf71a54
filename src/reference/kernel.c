/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Services for kernels: memory for results, running regions and functions, errors
 * with a place, and small helpers for shapes and elements.
 */

#include "reference/kernel.h"

#include <string.h>

#include "reference/frame.h"

static const GhloIrModule *
call_module (const GhloRefCall *call)
{
  return call->frame != NULL ? call->frame->process->run->program->module : NULL;
}

gboolean
(ghlo_ref_fail) (const GhloRefCall *call,
                 GError           **error,
                 const char        *format,
                 ...)
{
  g_autoptr (GString) text = g_string_new (NULL);
  va_list args;

  ghlo_ref_append_place (text, call_module (call), call->op);
  va_start (args, format);
  g_string_append_vprintf (text, format, args);
  va_end (args);
  g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_DATA, text->str);

  return FALSE;
}

gboolean
ghlo_ref_continue (GhloRefCall *call,
                   GError     **error)
{
  return call->frame == NULL || ghlo_ref_process_continue (call->frame->process, error);
}

char *
ghlo_ref_value_describe (const GhloValue *value)
{
  static const char *const kinds[] = {
    [GHLO_VALUE_TENSOR] = "a tensor",
    [GHLO_VALUE_TOKEN] = "a token",
    [GHLO_VALUE_TUPLE] = "a tuple",
    [GHLO_VALUE_FUTURE] = "a future",
  };

  return value->kind == GHLO_VALUE_TENSOR ? ghlo_tensor_type_to_string (value->type) : g_strdup (kinds[value->kind]);
}

/* Whether the program's type @type admits a shape. */
static gboolean
shape_fits (const GhloIrType *type,
            const gint64     *dimensions,
            guint             rank)
{
  if (type->kind != GHLO_IR_TYPE_TENSOR && type->kind != GHLO_IR_TYPE_MEMREF)
    return type->kind == GHLO_IR_TYPE_UNRANKED || type->kind == GHLO_IR_TYPE_OPAQUE || rank == 0;
  if (type->rank != rank)
    return FALSE;

  for (guint i = 0; i < rank; i++)
    {
      if (type->dimensions[i] >= 0 && type->dimensions[i] != dimensions[i])
        return FALSE;
      if (type->bounds != NULL && type->bounds[i] >= 0 && dimensions[i] > type->bounds[i])
        return FALSE;
    }

  return TRUE;
}

static gboolean
members_fit (const GhloValue  *value,
             const GhloIrType *type)
{
  if (value->n_members != type->rank)
    return FALSE;
  for (guint i = 0; i < value->n_members; i++)
    if (!ghlo_ref_value_fits (value->members[i], type->members[i]))
      return FALSE;

  return TRUE;
}

gboolean
ghlo_ref_value_fits (const GhloValue  *value,
                     const GhloIrType *type)
{
  switch (type->kind)
    {
    case GHLO_IR_TYPE_TOKEN:
      return value->kind == GHLO_VALUE_TOKEN;
    case GHLO_IR_TYPE_TUPLE:
      return value->kind == GHLO_VALUE_TUPLE && members_fit (value, type);
    case GHLO_IR_TYPE_FUTURE:
      return value->kind == GHLO_VALUE_FUTURE;
    case GHLO_IR_TYPE_OPAQUE:
    case GHLO_IR_TYPE_NONE:
    case GHLO_IR_TYPE_FUNCTION:
      return TRUE;
    default:
      return value->kind == GHLO_VALUE_TENSOR
             && value->type->element_type == type->element_type
             && (value->type->quantization == type->quantization
                 || (value->type->quantization != NULL && type->quantization != NULL
                     && ghlo_quantization_equal (value->type->quantization, type->quantization)))
             && shape_fits (type, value->type->dimensions, value->type->rank);
    }
}

gboolean
ghlo_ref_accept_storage (const GhloIrType  *type,
                         GhloValue        **value,
                         GError           **error)
{
  const GhloValue *given = *value;
  g_autoptr (GhloTensorType) quantized = NULL;
  GhloValue *accepted;

  if (given->kind != GHLO_VALUE_TENSOR || type->kind != GHLO_IR_TYPE_TENSOR || type->quantization == NULL
      || given->type->quantization != NULL || given->type->element_type != type->element_type)
    return TRUE;
  quantized = ghlo_tensor_type_new_full (type->element_type, given->type->dimensions, NULL, given->type->rank,
                                         type->quantization);
  accepted = ghlo_value_new_over (quantized, given->storage, error);
  if (accepted == NULL)
    return FALSE;
  ghlo_value_unref (*value);
  *value = accepted;

  return TRUE;
}

gboolean
ghlo_ref_pass (GhloRefCall *call,
               guint        index,
               GhloValue   *value,
               GError     **error)
{
  const GhloIrType *type = call->op->results[index].type;

  if (!ghlo_ref_value_fits (value, type))
    {
      g_autofree char *expected = ghlo_ir_type_to_string (type);
      g_autofree char *found = ghlo_ref_value_describe (value);

      return ghlo_ref_fail (call, error, "expected %s for result %u, found %s", expected, index, found);
    }
  call->results[index] = ghlo_value_ref (value);

  return TRUE;
}

/* Whether values of @type are tensors. */
static gboolean
is_tensor (const GhloIrType *type)
{
  switch (type->kind)
    {
    case GHLO_IR_TYPE_TENSOR:
    case GHLO_IR_TYPE_MEMREF:
    case GHLO_IR_TYPE_UNRANKED:
    case GHLO_IR_TYPE_ELEMENT:
    case GHLO_IR_TYPE_OPAQUE:
      return TRUE;
    default:
      return FALSE;
    }
}

/* The type of a result with these dimensions, or NULL where the program's type does not admit them. */
static GhloTensorType *
make_result_type (const GhloIrType *type,
                  const gint64     *dimensions,
                  guint             rank)
{
  GhloElementType element_type = type->element_type;

  if (!is_tensor (type) || !shape_fits (type, dimensions, rank))
    return NULL;
  if (type->kind == GHLO_IR_TYPE_OPAQUE)
    element_type = GHLO_ELEMENT_TYPE_INDEX;  /* !shape.shape and !shape.size */

  return ghlo_tensor_type_new_full (element_type, dimensions, NULL, rank, type->quantization);
}

static GhloTensorType *
find_result_type (GhloRefCall   *call,
                  guint          index,
                  const gint64  *dimensions,
                  guint          rank,
                  GError       **error)
{
  const GhloRefStep *step = ghlo_ref_call_get_step (call);
  const GhloIrType *type = call->op->results[index].type;
  GhloTensorType *result = step != NULL ? step->result_types[index] : NULL;
  g_autoptr (GhloTensorType) given = NULL;
  g_autofree char *expected = NULL, *found = NULL;

  if (result != NULL && result->rank == rank
      && (rank == 0 || memcmp (result->dimensions, dimensions, rank * sizeof (gint64)) == 0))
    return ghlo_tensor_type_ref (result);
  result = make_result_type (type, dimensions, rank);
  if (result != NULL)
    return result;

  if (is_tensor (type))
    given = ghlo_tensor_type_new_full (type->element_type, dimensions, NULL, rank, type->quantization);
  expected = ghlo_ir_type_to_string (type);
  found = given != NULL ? ghlo_tensor_type_to_string (given) : g_strdup ("a tensor");
  ghlo_ref_fail (call, error, "expected %s for result %u, found %s", expected, index, found);

  return NULL;
}

GhloValue *
ghlo_ref_result (GhloRefCall  *call,
                 guint         index,
                 const gint64 *dimensions,
                 guint         rank,
                 GError      **error)
{
  g_autoptr (GhloTensorType) type = find_result_type (call, index, dimensions, rank, error);

  if (type == NULL)
    return NULL;
  g_clear_pointer (&call->results[index], ghlo_value_unref);
  call->results[index] = ghlo_value_new_tensor (type, error);

  return call->results[index];
}

GhloValue *
ghlo_ref_result_like (GhloRefCall     *call,
                      guint            index,
                      const GhloValue *like,
                      GError         **error)
{
  return ghlo_ref_result (call, index, like->type->dimensions, like->type->rank, error);
}

gboolean
ghlo_ref_run_region (GhloRefCall      *call,
                     guint             region,
                     GhloValue *const *arguments,
                     guint             n_arguments,
                     GhloValue       **results,
                     GError          **error)
{
  const GhloRefStep *step = ghlo_ref_call_get_step (call);
  const GhloRefBlock *block = step != NULL && region < step->n_regions ? &step->regions[region] : NULL;
  g_autofree GhloValue **owned = NULL;

  if (block == NULL || !block->is_present || block->n_arguments != n_arguments)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INTERNAL, "expected region %u with %u arguments, found %d",
                   region, n_arguments, block != NULL && block->is_present ? (int) block->n_arguments : -1);
      return FALSE;
    }

  owned = g_new (GhloValue *, n_arguments + 1);
  for (guint i = 0; i < n_arguments; i++)
    owned[i] = ghlo_value_ref (arguments[i]);

  return ghlo_ref_frame_run (call->frame, block, owned, results, error);
}

gboolean
ghlo_ref_run_function (GhloRefCall      *call,
                       const char       *name,
                       GhloValue *const *arguments,
                       guint             n_arguments,
                       GhloValue       **results,
                       guint             n_results,
                       GError          **error)
{
  GhloIrOp *op = ghlo_ir_op_find_symbol (call->op, name);
  const GhloRefFunction *function = NULL;
  g_autofree GhloValue **owned = NULL;

  if (op != NULL && call->frame != NULL)
    function = ghlo_ref_program_get_function (call->frame->process->run->program, op);
  if (function == NULL)
    return ghlo_ref_fail (call, error, "expected a function '@%s' with a body, found none", name);
  if (function->body.n_arguments != n_arguments || function->body.n_returned != n_results)
    return ghlo_ref_fail (call, error, "expected function '@%s' with %u arguments and %u results, found %u and %u",
                          name, n_arguments, n_results, function->body.n_arguments, function->body.n_returned);

  owned = g_new (GhloValue *, n_arguments + 1);
  for (guint i = 0; i < n_arguments; i++)
    owned[i] = ghlo_value_ref (arguments[i]);

  return ghlo_ref_enter_function (call->frame->process, function, call->frame->depth + 1, owned, results, error);
}

void
ghlo_ref_strides (const gint64 *dimensions,
                  guint         rank,
                  gint64       *strides)
{
  ghlo_shape_strides (dimensions, rank, 1, strides);
}

gboolean
ghlo_ref_next_index (gint64       *index,
                     const gint64 *dimensions,
                     guint         rank)
{
  for (guint i = rank; i-- > 0;)
    {
      if (++index[i] < dimensions[i])
        return TRUE;
      index[i] = 0;
    }

  return FALSE;
}

gint64 *
ghlo_ref_to_ints (const GhloValue *value)
{
  gint64 *integers = g_new (gint64, value->n_elements + 1);

  for (gsize i = 0; i < value->n_elements; i++)
    integers[i] = ghlo_ref_load (value, i).i;

  return integers;
}

double *
ghlo_ref_to_doubles (const GhloValue *value)
{
  gboolean is_complex = ghlo_element_type_is_complex (value->type->element_type);
  double *doubles = g_try_new (double, (is_complex ? 2 : 1) * value->n_elements + 1);

  if (doubles == NULL)
    return NULL;
  for (gsize i = 0; i < value->n_elements; i++)
    {
      GhloScalar scalar = ghlo_ref_load (value, i);

      if (is_complex)
        {
          doubles[2 * i] = scalar.c.re;
          doubles[2 * i + 1] = scalar.c.im;
        }
      else
        doubles[i] = scalar.f;
    }

  return doubles;
}
