/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Elementwise operations on tensors. Elements are processed in blocks: each operand
 * is loaded as scalars, the operation's function is applied to them, and the result
 * is stored. Operations on quantized tensors dequantize the operands and quantize
 * the result.
 */

#include "reference/scalar/elementwise.h"
#include "reference/kernels.h"

#include <string.h>

#include "reference/scalar/scalar.h"

gboolean
ghlo_ref_source_init (GhloRefSource *self,
                      GhloRefCall   *call,
                      guint          operand,
                      GError       **error)
{
  const GhloValue *value = call->operands[operand];
  const GhloQuantization *quantization = ghlo_ir_op_operand (call->op, operand)->type->quantization;

  self->value = value;
  self->kind = GHLO_REF_SOURCE_DENSE;

  if (!ghlo_ref_quantized_axis_init (&self->axis, quantization, ghlo_ref_dims (value), ghlo_ref_rank (value)))
    return ghlo_ref_fail (call, error, "expected as many scales as operand %u has elements along its quantized axis",
                          operand);

  return TRUE;
}

static void
gather_strided (const GhloRefSource *source,
                const GhloValue     *result,
                gsize                start,
                gsize                n,
                gsize               *offsets)
{
  const gint64 *dimensions = ghlo_ref_dims (result);
  guint rank = ghlo_ref_rank (result);
  gint64 index[GHLO_MAX_RANK];
  gint64 offset = 0;

  for (guint d = rank; d-- > 0; start /= (gsize) dimensions[d])
    {
      index[d] = (gint64) (start % (gsize) dimensions[d]);
      offset += index[d] * source->strides[d];
    }

  for (gsize i = 0; i < n; i++)
    {
      offsets[i] = (gsize) offset;
      for (guint d = rank; d-- > 0;)
        {
          offset += source->strides[d];
          if (++index[d] < dimensions[d])
            break;
          offset -= index[d] * source->strides[d];
          index[d] = 0;
        }
    }
}

/* Loads the elements that correspond to the result's elements start … start + n - 1, @stride scalars apart. */
static void
load_source (const GhloRefSource *source,
             const GhloValue     *result,
             gsize                start,
             gsize                n,
             GhloScalar          *scalars,
             gsize                stride)
{
  const GhloValue *value = source->value;
  GhloElementType type = value->type->element_type;
  gsize offsets[GHLO_REF_BLOCK];

  switch (source->kind)
    {
    case GHLO_REF_SOURCE_DENSE:
      ghlo_ref_load_block (type, value->data + start * ghlo_element_info (type)->size, n, scalars, stride);
      break;
    case GHLO_REF_SOURCE_SINGLE:
      for (gsize i = 0; i < n; i++)
        scalars[i * stride] = i == 0 ? ghlo_ref_load (value, 0) : scalars[0];
      break;
    default:
      gather_strided (source, result, start, n, offsets);
      for (gsize i = 0; i < n; i++)
        scalars[i * stride] = ghlo_ref_load (value, offsets[i]);
    }

  if (source->axis.quantization == NULL)
    return;

  for (gsize i = 0; i < n; i++)
    {
      gsize offset = start + i;

      if (source->kind != GHLO_REF_SOURCE_DENSE)
        offset = source->kind == GHLO_REF_SOURCE_SINGLE ? 0 : offsets[i];
      scalars[i * stride] = ghlo_ref_scalar_dequantize (&source->axis, offset, scalars[i * stride]);
    }
}

static gboolean
run_fast (GhloRefCall           *call,
          const GhloRefScalarOp *op,
          GhloRefFastLoop        loop,
          const GhloRefSource   *sources,
          guint                  n_sources,
          GError               **error)
{
  enum { CHUNK = 1 << 18 };
  GhloValue *result = call->results[0];
  gsize result_size = ghlo_element_info (result->type->element_type)->size;
  const guint8 *operands[GHLO_REF_MAX_SOURCES];

  for (gsize start = 0; start < result->n_elements; start += CHUNK)
    {
      for (guint k = 0; k < n_sources; k++)
        {
          const GhloValue *value = sources[k].value;

          operands[k] = value->data + start * ghlo_element_info (value->type->element_type)->size;
        }
      loop (op, operands, result->data + start * result_size, MIN (CHUNK, result->n_elements - start));
      if (!ghlo_ref_continue (call, error))
        return FALSE;
    }

  return TRUE;
}

static gboolean
all_plain_and_dense (const GhloRefSource        *sources,
                     guint                       n_sources,
                     const GhloRefQuantizedAxis *result_axis)
{
  for (guint k = 0; k < n_sources; k++)
    if (sources[k].kind != GHLO_REF_SOURCE_DENSE || sources[k].axis.quantization != NULL)
      return FALSE;

  return result_axis->quantization == NULL;
}

static gboolean
run_blocks (GhloRefCall                *call,
            const GhloRefScalarOp      *op,
            GhloRefScalarFunc           func,
            const GhloRefSource        *sources,
            guint                       n_sources,
            const GhloRefQuantizedAxis *result_axis,
            GError                    **error)
{
  enum { BLOCKS_BETWEEN_CHECKS = 64 };
  GhloValue *result = call->results[0];
  GhloElementType type = result->type->element_type;
  GhloScalar scalars[GHLO_REF_BLOCK * GHLO_REF_MAX_SOURCES], values[GHLO_REF_BLOCK];
  gsize blocks = 0;

  for (gsize start = 0; start < result->n_elements; start += GHLO_REF_BLOCK)
    {
      gsize n = MIN (GHLO_REF_BLOCK, result->n_elements - start);

      for (guint k = 0; k < n_sources; k++)
        load_source (&sources[k], result, start, n, scalars + k, n_sources);
      for (gsize i = 0; i < n; i++)
        values[i] = func (op, scalars + i * n_sources);
      for (gsize i = 0; result_axis->quantization != NULL && i < n; i++)
        values[i] = ghlo_ref_scalar_quantize (result_axis, start + i, values[i]);
      ghlo_ref_store_block (type, result->data + start * ghlo_element_info (type)->size, n, values);

      if (++blocks % BLOCKS_BETWEEN_CHECKS == 0 && !ghlo_ref_continue (call, error))
        return FALSE;
    }

  return TRUE;
}

gboolean
ghlo_ref_run_sources (GhloRefCall           *call,
                      const GhloRefScalarOp *op,
                      GhloRefScalarFunc      func,
                      const GhloRefSource   *sources,
                      guint                  n_sources,
                      GError               **error)
{
  const GhloValue *result = call->results[0];
  GhloRefQuantizedAxis axis;
  GhloRefFastLoop loop;

  if (!ghlo_ref_quantized_axis_init (&axis, call->op->results[0].type->quantization,
                                     ghlo_ref_dims (result), ghlo_ref_rank (result)))
    return ghlo_ref_fail (call, error, "expected as many scales as the result has elements along its quantized axis");

  loop = all_plain_and_dense (sources, n_sources, &axis) ? ghlo_ref_fast_loop (op) : NULL;
  if (loop != NULL)
    return run_fast (call, op, loop, sources, n_sources, error);

  return run_blocks (call, op, func, sources, n_sources, &axis, error);
}

static gboolean
same_expressed_types (const GhloIrOp  *op,
                      guint            first,
                      GhloElementType  type)
{
  for (guint i = first; i < op->n_operands; i++)
    if (ghlo_ref_expressed_type (ghlo_ir_op_operand (op, i)->type) != type)
      return FALSE;

  return TRUE;
}

GhloRefScalarFunc
ghlo_ref_call_func (GhloRefCall     *call,
                    GhloRefScalarOp *op,
                    GError         **error)
{
  const GhloIrOp *ir = call->op;
  guint first_value = ghlo_scalar_spec (ghlo_scalar_of (ir->kind))->first_value;
  GhloElementType operand_type, result_type;
  GhloRefScalarFunc func = NULL;

  if (ir->n_operands > first_value && ir->n_operands <= GHLO_REF_MAX_SOURCES && ir->n_results == 1)
    {
      operand_type = ghlo_ref_expressed_type (ghlo_ir_op_operand (ir, first_value)->type);
      result_type = ghlo_ref_expressed_type (ir->results[0].type);
      if (same_expressed_types (ir, first_value, operand_type))
        func = ghlo_ref_scalar_func_for (ir->kind, operand_type, result_type, op);
    }

  if (func == NULL)
    {
      ghlo_ref_fail (call, error, "the operation is not defined on these element types");
      return NULL;
    }

  ghlo_ref_scalar_read_attributes (ir, op);

  return func;
}

static gboolean
same_shape (const GhloValue *a,
            const GhloValue *b)
{
  return ghlo_ref_rank (a) == ghlo_ref_rank (b)
         && memcmp (ghlo_ref_dims (a), ghlo_ref_dims (b), ghlo_ref_rank (a) * sizeof (gint64)) == 0;
}

/* All operands must have the shape of operand @like. With @scalars, an operand of rank 0 is broadcast. */
static gboolean
run_elementwise (GhloRefCall *call,
                 guint        like,
                 gboolean     scalars,
                 GError     **error)
{
  GhloRefSource sources[GHLO_REF_MAX_SOURCES];
  GhloRefScalarOp op;
  GhloRefScalarFunc func = ghlo_ref_call_func (call, &op, error);
  const guint n = call->n_operands;

  if (func == NULL)
    return FALSE;

  for (guint k = 0; k < n; k++)
    {
      if (!ghlo_ref_source_init (&sources[k], call, k, error))
        return FALSE;
      if (same_shape (call->operands[k], call->operands[like]))
        continue;
      if (!scalars || ghlo_ref_rank (call->operands[k]) != 0)
        return ghlo_ref_fail (call, error, "expected operands of one shape, found operand %u with another", k);
      sources[k].kind = GHLO_REF_SOURCE_SINGLE;
    }

  if (ghlo_ref_result_like (call, 0, call->operands[like], error) == NULL)
    return FALSE;

  return ghlo_ref_run_sources (call, &op, func, sources, n, error);
}

gboolean
ghlo_ref_elementwise (GhloRefCall *call,
                      GError     **error)
{
  return run_elementwise (call, 0, FALSE, error);
}

gboolean
ghlo_ref_select (GhloRefCall *call,
                 GError     **error)
{
  return run_elementwise (call, 1, TRUE, error);
}

gboolean
ghlo_ref_clamp (GhloRefCall *call,
                GError     **error)
{
  return run_elementwise (call, 1, TRUE, error);
}
