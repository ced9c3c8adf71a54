/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Regions over scalars, as in reductions, sorts and scatters. A body that consists of
 * elementwise operations and constants is compiled to a list of instructions over an
 * array of scalars. Any other body runs as a region on tensors of rank 0.
 */

#include "reference/frame.h"
#include "reference/kernels.h"

enum { MAX_ARITY = 4 };

typedef struct
{
  GhloRefScalarFunc func;
  GhloRefScalarOp   op;
  guint32           operands[MAX_ARITY];
  guint32           n_operands;
  guint32           result;
} Instruction;

struct _GhloRefScalarFunction
{
  GhloRefCall         call;           /* a copy, for running the body as a region */
  const GhloRefBlock *block;
  const char         *function;       /* its name; NULL for a region */
  guint               region;
  /* The instructions; NULL when the body runs as a region. */
  Instruction        *instructions;
  guint32             n_instructions;
  GhloScalar         *scalars;        /* those of slots, at slot - first_slot, then captured values */
  guint32             n_scalars;
  guint32            *returned;       /* indices of scalars */
  GhloCombiner        combiner;
  /* State for running the body as a region. */
  GhloTensorType    **argument_types; /* owned */
  GhloValue         **values;         /* room for the arguments, then the results */
};

static gboolean
is_plain_scalar (const GhloIrType *type)
{
  return type->kind == GHLO_IR_TYPE_TENSOR && type->rank == 0 && type->quantization == NULL;
}

static gboolean
is_scalar_operation (const GhloIrOp *op)
{
  if (op->n_results != 1 || op->n_regions > 0 || op->n_operands > MAX_ARITY || !is_plain_scalar (op->results[0].type))
    return FALSE;
  for (guint i = 0; i < op->n_operands; i++)
    if (!is_plain_scalar (ghlo_ir_op_operand (op, i)->type))
      return FALSE;

  return TRUE;
}

static gboolean
read_constant (GhloRefScalarFunction *self,
               const GhloRefStep     *step)
{
  g_autoptr (GhloValue) value = NULL;

  if (step->constant != NULL)
    value = ghlo_value_ref (step->constant);
  else
    value = ghlo_ref_constant_value (step->op, NULL);
  if (value == NULL)
    return FALSE;
  self->scalars[step->first_result - self->block->first_slot] = ghlo_ref_load (value, 0);

  return TRUE;
}

/* The index of the scalar in @slot. A captured value is loaded once. */
static gboolean
find_scalar (GhloRefScalarFunction *self,
             guint32                slot,
             guint32               *index)
{
  const GhloRefBlock *block = self->block;
  const GhloValue *value;

  if (slot >= block->first_slot && slot < block->end_slot)
    {
      *index = slot - block->first_slot;
      return TRUE;
    }

  value = self->call.frame->slots[slot];
  if (value == NULL || value->kind != GHLO_VALUE_TENSOR || value->type->rank != 0
      || value->type->quantization != NULL)
    return FALSE;
  self->scalars = g_renew (GhloScalar, self->scalars, self->n_scalars + 1);
  self->scalars[self->n_scalars] = ghlo_ref_load (value, 0);
  *index = self->n_scalars++;

  return TRUE;
}

static gboolean
add_instruction (GhloRefScalarFunction *self,
                 const GhloRefStep     *step)
{
  Instruction *instruction = &self->instructions[self->n_instructions];

  if (!is_scalar_operation (step->op))
    return FALSE;
  if (step->kernel == ghlo_ref_constant)
    return read_constant (self, step);

  instruction->func = ghlo_ref_scalar_func (step->op, &instruction->op);
  if (instruction->func == NULL)
    return FALSE;
  instruction->n_operands = step->n_operands;
  instruction->result = step->first_result - self->block->first_slot;
  for (guint32 i = 0; i < step->n_operands; i++)
    if (!find_scalar (self, step->slots[i], &instruction->operands[i]))
      return FALSE;
  self->n_instructions++;

  return TRUE;
}

static gboolean
compile (GhloRefScalarFunction *self)
{
  const GhloRefBlock *block = self->block;

  for (guint32 i = 0; i < block->n_arguments; i++)
    if (!is_plain_scalar (block->block->arguments[i]->type))
      return FALSE;

  self->n_scalars = block->end_slot - block->first_slot;
  self->scalars = g_new0 (GhloScalar, self->n_scalars + 1);
  self->instructions = g_new0 (Instruction, block->n_steps + 1);
  self->returned = g_new (guint32, block->n_returned + 1);
  for (guint32 i = 0; i < block->n_steps; i++)
    if (!add_instruction (self, &block->steps[i]))
      return FALSE;
  for (guint32 i = 0; i < block->n_returned; i++)
    if (!find_scalar (self, block->slots[i], &self->returned[i]))
      return FALSE;

  return TRUE;
}

static void
clear_compiled (GhloRefScalarFunction *self)
{
  g_clear_pointer (&self->instructions, g_free);
  g_clear_pointer (&self->scalars, g_free);
  g_clear_pointer (&self->returned, g_free);
}

/* Recognizes "op (arg 0, arg 1)" with a single element type. */
static GhloCombiner
find_combiner (const GhloRefScalarFunction *self)
{
  const GhloRefBlock *block = self->block;
  const Instruction *instruction = &self->instructions[0];
  GhloElementType type;

  if (self->n_instructions != 1 || block->n_steps != 1 || block->n_arguments != 2 || block->n_returned != 1)
    return GHLO_COMBINER_NONE;
  type = instruction->op.result_type;
  if (instruction->n_operands != 2 || instruction->operands[0] != 0 || instruction->operands[1] != 1
      || self->returned[0] != instruction->result
      || block->block->arguments[0]->type->element_type != type
      || block->block->arguments[1]->type->element_type != type)
    return GHLO_COMBINER_NONE;

  return ghlo_scalar_combiner (instruction->op.kind, ghlo_element_info (type)->element_class);
}

static gboolean
fail (GhloRefScalarFunction *self,
      const char            *what,
      GError               **error)
{
  if (self->function != NULL)
    return ghlo_ref_fail (&self->call, error, "expected scalars as %s of @%s", what, self->function);

  return ghlo_ref_fail (&self->call, error, "expected scalars as %s of region %u", what, self->region);
}

static gboolean
prepare_region (GhloRefScalarFunction *self,
                GError               **error)
{
  const GhloRefBlock *block = self->block;

  self->values = g_new0 (GhloValue *, block->n_arguments + block->n_returned + 1);
  self->argument_types = g_new0 (GhloTensorType *, block->n_arguments + 1);
  for (guint32 i = 0; i < block->n_arguments; i++)
    {
      const GhloIrType *type = block->block->arguments[i]->type;

      if (type->kind != GHLO_IR_TYPE_TENSOR || type->rank != 0)
        return fail (self, "arguments", error);
      self->argument_types[i] = ghlo_ir_type_to_tensor_type (type);
    }

  return TRUE;
}

static GhloRefScalarFunction *
make (GhloRefCall        *call,
      const GhloRefBlock *block,
      guint               region,
      const char         *function,
      GError            **error)
{
  GhloRefScalarFunction *self = g_new0 (GhloRefScalarFunction, 1);

  self->call = *call;
  self->region = region;
  self->function = function;
  self->block = block;
  if (compile (self))
    self->combiner = find_combiner (self);
  else
    {
      clear_compiled (self);
      if (!prepare_region (self, error))
        {
          ghlo_ref_scalar_function_free (self);
          return NULL;
        }
    }

  return self;
}

GhloRefScalarFunction *
ghlo_ref_scalar_function_new (GhloRefCall *call,
                              guint        region,
                              GError     **error)
{
  const GhloRefStep *step = ghlo_ref_call_get_step (call);

  if (step != NULL && region < step->n_regions && step->regions[region].is_present)
    return make (call, &step->regions[region], region, NULL, error);
  ghlo_ref_fail (call, error, "expected a region %u, found none", region);

  return NULL;
}

GhloRefScalarFunction *
ghlo_ref_scalar_function_new_for (GhloRefCall *call,
                                  const char  *name,
                                  GError     **error)
{
  GhloIrOp *op = ghlo_ir_op_find_symbol (call->op, name);
  const GhloRefFunction *function = op != NULL
    ? ghlo_ref_program_get_function (call->frame->process->run->program, op) : NULL;

  if (function != NULL)
    return make (call, &function->body, 0, ghlo_ir_op_get_string (op, "sym_name"), error);
  ghlo_ref_fail (call, error, "expected a function '@%s' with a body, found none", name);

  return NULL;
}

const GhloIrBlock *
ghlo_ref_scalar_function_get_block (const GhloRefScalarFunction *self)
{
  return self->block->block;
}

/* Takes ownership of the arguments. */
static gboolean
call_body (GhloRefScalarFunction *self,
           GhloValue            **results,
           GError               **error)
{
  const GhloRefBlock *block = self->block;
  gboolean ok;

  if (self->function == NULL)
    return ghlo_ref_frame_run (self->call.frame, block, self->values, results, error);
  ok = ghlo_ref_run_function (&self->call, self->function, self->values, block->n_arguments, results,
                              block->n_returned, error);
  ghlo_values_clear (self->values, block->n_arguments);

  return ok;
}

static gboolean
run_as_region (GhloRefScalarFunction *self,
               const GhloScalar      *arguments,
               GhloScalar            *results,
               GError               **error)
{
  const GhloRefBlock *block = self->block;
  GhloValue **given = self->values + block->n_arguments;
  gboolean ok;

  for (guint32 i = 0; i < block->n_arguments; i++)
    {
      self->values[i] = ghlo_value_new_tensor (self->argument_types[i], error);
      if (self->values[i] == NULL)
        {
          ghlo_values_clear (self->values, i);
          return FALSE;
        }
      ghlo_ref_store (self->values[i], 0, arguments[i]);
    }
  if (!call_body (self, given, error))
    return FALSE;

  ok = TRUE;
  for (guint32 i = 0; i < block->n_returned; i++)
    {
      if (given[i]->kind == GHLO_VALUE_TENSOR && given[i]->n_elements == 1)
        results[i] = ghlo_ref_load (given[i], 0);
      else
        ok = FALSE;
    }
  ghlo_values_clear (given, block->n_returned);

  return ok || fail (self, "results", error);
}

gboolean
ghlo_ref_scalar_function_run (GhloRefScalarFunction *self,
                              const GhloScalar      *arguments,
                              GhloScalar            *results,
                              GError               **error)
{
  const GhloRefBlock *block = self->block;
  GhloScalar *scalars = self->scalars;

  if (self->instructions == NULL)
    return run_as_region (self, arguments, results, error);

  for (guint32 i = 0; i < block->n_arguments; i++)
    scalars[i] = arguments[i];
  for (guint32 i = 0; i < self->n_instructions; i++)
    {
      const Instruction *instruction = &self->instructions[i];
      GhloScalar operands[MAX_ARITY];

      for (guint32 j = 0; j < instruction->n_operands; j++)
        operands[j] = scalars[instruction->operands[j]];
      scalars[instruction->result] = instruction->func (&instruction->op, operands);
    }
  for (guint32 i = 0; i < block->n_returned; i++)
    results[i] = scalars[self->returned[i]];

  return TRUE;
}

GhloCombiner
ghlo_ref_scalar_function_combiner (const GhloRefScalarFunction *self)
{
  return self->combiner;
}

void
ghlo_ref_scalar_function_free (GhloRefScalarFunction *self)
{
  clear_compiled (self);
  for (guint32 i = 0; self->argument_types != NULL && i < self->block->n_arguments; i++)
    g_clear_pointer (&self->argument_types[i], ghlo_tensor_type_unref);
  g_free (self->argument_types);
  g_free (self->values);
  g_free (self);
}
