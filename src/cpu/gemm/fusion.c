/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Each elementwise operation is a stage; a clamp is two, a maximum and a minimum, which
 * give the same bits as its own loop. Reshapes are none.
 *
 * A fusion's body may come from anywhere: it is gone over operation by operation, and what
 * cannot be understood, with all behind it, is left to the plan.
 */

#include "cpu/gemm/fusion.h"

#include "base/sizes.h"
#include "kernel/scalar.h"

/* From so many nanoseconds on ghlo_parallel_for () splits, and what a stage takes for an
 * element, about, besides its operation. */
#define MIN_SPLIT 100e3
#define STAGE_TIME  0.3

/* The stages that @op is, 0 for a reshape; its operand @position is the result so far, of @type. -1 where it is no
 * epilogue's. */
static int
count_stages (const GhloIrOp  *op,
              guint            position,
              GhloElementType  type)
{
  if (op->kind == GHLO_OP_STABLEHLO_RESHAPE)
    return 0;
  if (op->kind == GHLO_OP_STABLEHLO_CLAMP)
    return position == 1 && ghlo_cpu_epilogue_takes (type, GHLO_OP_STABLEHLO_MAXIMUM) == 2
           && ghlo_cpu_epilogue_takes (type, GHLO_OP_STABLEHLO_MINIMUM) == 2 ? 2 : -1;

  return ghlo_cpu_epilogue_takes (type, op->kind) == op->n_operands ? 1 : -1;
}

static gboolean
is_plain (const GhloIrType *type)
{
  return type->kind == GHLO_IR_TYPE_TENSOR && type->quantization == NULL && ghlo_ir_type_has_static_shape (type)
         && type->element_type != GHLO_ELEMENT_TYPE_INVALID;
}

static gboolean
has_plain_types (const GhloIrOp *op)
{
  for (guint i = 0; i < op->n_operands; i++)
    if (!is_plain (ghlo_ir_op_operand (op, i)->type))
      return FALSE;

  return is_plain (op->results[0].type);
}

static gboolean
is_dot (const GhloIrOp *op)
{
  return op->kind == GHLO_OP_STABLEHLO_DOT_GENERAL || op->kind == GHLO_OP_STABLEHLO_DOT;
}

/* The operand of @op that is what @before gives. */
static guint
position_of (const GhloIrOp *op,
             const GhloIrOp *before)
{
  guint i = 0;

  while (i < op->n_operands && ghlo_ir_op_operand (op, i) != &before->results[0])
    i++;

  return i;
}

const char *
ghlo_cpu_declines (const char            *kind,
                   const GhloIrOp *const *ops,
                   guint                  n_ops)
{
  GhloElementType type = ops[0]->results[0].type->element_type;
  int n = 0, n_stages = 0;

  if (!g_str_equal (kind, "epilogue") || (!is_dot (ops[0]) && ops[0]->kind != GHLO_OP_STABLEHLO_CONVOLUTION))
    return "the CPU has no step of that kind";
  if (!has_plain_types (ops[0]) || !has_plain_types (ops[n_ops - 1]))
    return "the CPU has no step for its types";
  for (guint i = 1; i < n_ops && n >= 0; i++)
    {
      n = count_stages (ops[i], position_of (ops[i], ops[i - 1]), type);
      n_stages += n;
    }
  if (n < 0)
    return "the CPU does not do it while the result is in the cache";

  return n_stages > GHLO_CPU_MAX_STAGES ? "the CPU does not do so many operations while the result is in the cache"
                                        : NULL;
}

/* A fusion that is being read. */
typedef struct
{
  GhloCpuFusion         *self;
  const GhloStepRequest *request;
  guint                  n_ops;      /* that were read */
} Reader;

/* Where @value stands among the body's arguments, which are the operands; their number where it is none. */
static guint
find_operand (const Reader      *reader,
              const GhloIrValue *value)
{
  return value->block == reader->request->body ? value->index : reader->request->n_operands;
}

static gboolean
add_stage (Reader             *reader,
           GhloIrOpKind        op,
           gboolean            is_left,
           const GhloIrValue  *operand,
           const GhloView     *result)
{
  guint n = reader->self->n_stages, index;
  GhloCpuEpilogueStage *stage = &reader->self->stages[n];

  if (n == GHLO_CPU_MAX_STAGES)
    return FALSE;
  *stage = (GhloCpuEpilogueStage) { .op = op, .is_left = is_left, .inner = 1 };
  if (operand != NULL)
    {
      index = find_operand (reader, operand);
      if (index == reader->request->n_operands
          || !ghlo_cpu_epilogue_meet (&reader->request->operands[index], result, stage))
        return FALSE;
      reader->self->operands[n] = index;
    }
  reader->self->n_ops[n] = reader->n_ops + 1;
  reader->self->n_stages++;

  return TRUE;
}

/* Whether @op does something to each element of what @before gives, which nothing else uses. */
static gboolean
continues (const GhloIrOp *op,
           const GhloIrOp *before)
{
  const GhloIrValue *value = &before->results[0];

  if (value->uses == NULL || value->uses->next != NULL || value->uses->op != op || op->n_results != 1
      || op->n_regions > 0 || !is_plain (op->results[0].type))
    return FALSE;
  if (op->kind == GHLO_OP_STABLEHLO_RESHAPE)
    return op->results[0].type->element_type == value->type->element_type;

  return op->results[0].type == value->type;
}

static GhloView
view_of (const GhloIrType *type,
         const gint64     *strides)
{
  static const gint64 no_dimensions[1];

  return (GhloView) { .element_type = type->element_type, .rank = type->rank,
                      .dimensions = type->rank > 0 ? type->dimensions : no_dimensions, .strides = strides };
}

/* Of the result of any of the fusion's operations: where the last one's is not dense, there are no reshapes. */
static const gint64 *
find_strides (const GhloStepRequest *request,
              const GhloIrType      *type,
              gint64                *dense)
{
  if (!ghlo_view_is_dense (&request->results[0]))
    return request->results[0].strides;
  ghlo_shape_strides (type->rank > 0 ? type->dimensions : NULL, type->rank,
                      ghlo_element_info (type->element_type)->size, dense);

  return dense;
}

/* All of @op's stages, or none. */
static gboolean
add_op (Reader         *reader,
        const GhloIrOp *op,
        const GhloIrOp *before)
{
  const GhloIrType *type = op->results[0].type;
  gint64 strides[GHLO_MAX_RANK];
  const GhloView result = view_of (type, find_strides (reader->request, type, strides));
  guint position = position_of (op, before), n_stages = reader->self->n_stages;
  gboolean ok;

  switch (continues (op, before) ? count_stages (op, position, type->element_type) : -1)
    {
    case 0:
      return ghlo_view_is_dense (&reader->request->results[0]);
    case 1:
      return add_stage (reader, op->kind, position == 1,
                        op->n_operands == 2 ? ghlo_ir_op_operand (op, 1 - position) : NULL, &result);
    case 2:
      ok = add_stage (reader, GHLO_OP_STABLEHLO_MAXIMUM, FALSE, ghlo_ir_op_operand (op, 0), &result)
           && add_stage (reader, GHLO_OP_STABLEHLO_MINIMUM, FALSE, ghlo_ir_op_operand (op, 2), &result);
      if (!ok)
        reader->self->n_stages = n_stages;
      return ok;
    default:
      return FALSE;
    }
}

static void
read_stages (Reader *reader)
{
  const GhloStepRequest *request = reader->request;
  const GhloIrOp *before = request->body->first;

  reader->self->type = before->results[0].type->element_type;
  for (reader->n_ops = 1; reader->n_ops < request->n_ops && add_op (reader, before->next, before); reader->n_ops++)
    before = before->next;
  /* Nothing is a step that ends in what nobody takes; reshapes at the end are the plan's. */
  if (before->next == request->body->last && ghlo_ir_op_operand (before->next, 0) != &before->results[0])
    reader->self->n_stages = 0;
}

static const char *
read_fusion (GhloCpuProduct        *self,
             const GhloStepRequest *request,
             GhloCpuFusion         *fusion)
{
  const GhloIrOp *op = self->op = request->body->first;
  Reader reader = { .self = fusion, .request = request };

  if (request->n_ops < 2 || request->n_results != 1 || !has_plain_types (op))
    return "it is no epilogue";
  self->lhs = find_operand (&reader, ghlo_ir_op_operand (op, 0));
  self->rhs = find_operand (&reader, ghlo_ir_op_operand (op, 1));
  if (self->lhs == request->n_operands || self->rhs == request->n_operands)
    return "it does not begin with what it takes";
  if (request->results[0].rank != op->results[0].type->rank && !ghlo_view_is_dense (&request->results[0]))
    return "its result is of another shape, and not dense";
  self->result = view_of (op->results[0].type, find_strides (request, op->results[0].type, self->strides));
  fusion->n_elements = ghlo_view_count (&self->result);
  read_stages (&reader);

  return fusion->n_stages > 0 && fusion->n_elements > 0 ? NULL : "what follows it is no epilogue";
}

const char *
ghlo_cpu_product_read (GhloCpuProduct        *self,
                       const GhloStepRequest *request,
                       gboolean               is_convolution,
                       GhloCpuFusion        **fusion)
{
  if (request->body != NULL)
    {
      const GhloIrOp *first = request->body->first;

      if (is_convolution ? first->kind != GHLO_OP_STABLEHLO_CONVOLUTION : !is_dot (first))
        return "it begins with another operation";
      *fusion = g_new0 (GhloCpuFusion, 1);
      return read_fusion (self, request, *fusion);
    }
  self->op = request->op;
  self->lhs = 0;
  self->rhs = 1;
  self->result = request->results[0];

  return NULL;
}

void
ghlo_cpu_fusion_free (GhloCpuFusion *self)
{
  g_clear_pointer (&self->epilogue, ghlo_cpu_epilogue_free);
  g_free (self);
}

gboolean
ghlo_cpu_fusion_choose (GhloCpuFusion *self,
                        double         nanoseconds)
{
  double cost = 0;
  guint n_left = 0;

  if (nanoseconds >= MIN_SPLIT)
    return TRUE;
  for (guint s = 0; s < self->n_stages; s++)
    {
      cost += STAGE_TIME + ghlo_scalar_spec (ghlo_scalar_of (self->stages[s].op))->cost;
      if ((double) self->n_elements * cost >= MIN_SPLIT)
        break;
      /* Both stages of a clamp, or none. */
      if (s + 1 == self->n_stages || self->n_ops[s + 1] > self->n_ops[s])
        n_left = s + 1;
    }
  self->n_stages = n_left;

  return n_left > 0;
}

guint
ghlo_cpu_fusion_n_ops (const GhloCpuFusion *self)
{
  return self->n_ops[self->n_stages - 1];
}

gboolean
ghlo_cpu_fusion_compile (GhloCpuFusion         *self,
                         const GhloStepRequest *request)
{
  if (ghlo_cpu_fusion_n_ops (self) == request->n_ops)
    self->epilogue = ghlo_cpu_epilogue_new (self->type, self->n_elements, self->stages, self->n_stages);

  return self->epilogue != NULL;
}

void
ghlo_cpu_fusion_begin (const GhloCpuFusion *self,
                       const GhloView      *operands,
                       const GhloView      *result,
                       GhloCpuEpilogueRun  *run)
{
  if (self == NULL)
    return;
  run->epilogue = self->epilogue;
  run->result = result->data;
  for (guint s = 0; s < self->n_stages; s++)
    run->operands[s] = operands[self->operands[s]].data;
}
