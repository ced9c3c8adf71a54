/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A correct executor that differs from the reference as much as it may. The program is changed so that everything
 * unspecified differs: zeros whose sign is free become -0, and results whose rounding is up to the executor move away
 * from zero by one ULP. The answers must stay within the known bounds; otherwise the bounds are wrong.
 */

#include "../passes/pass-help.h"
#include "check.h"

typedef struct
{
  GhloIrModule        *module;
  const RandomProgram *program;
} Jitter;

/* Operations on tensors whose rounding is up to the executor. */
static const GhloIrOpKind rounding[] = {
  GHLO_OP_STABLEHLO_REDUCE, GHLO_OP_STABLEHLO_REDUCE_WINDOW, GHLO_OP_STABLEHLO_DOT, GHLO_OP_STABLEHLO_DOT_GENERAL,
  GHLO_OP_STABLEHLO_EINSUM, GHLO_OP_STABLEHLO_UNARY_EINSUM, GHLO_OP_STABLEHLO_CONVOLUTION,
  GHLO_OP_STABLEHLO_DYNAMIC_CONV, GHLO_OP_STABLEHLO_FFT, GHLO_OP_STABLEHLO_SCATTER,
  GHLO_OP_STABLEHLO_SELECT_AND_SCATTER, GHLO_OP_STABLEHLO_TRIANGULAR_SOLVE, GHLO_OP_STABLEHLO_BATCH_NORM_GRAD,
  GHLO_OP_STABLEHLO_BATCH_NORM_INFERENCE, GHLO_OP_STABLEHLO_BATCH_NORM_TRAINING, GHLO_OP_CHLO_RAGGED_DOT,
};

/* Such operations on scalars, and sums and products, which round operands that are only near. */
static gboolean
scalar_rounds (const GhloIrOp *op)
{
  GhloScalarKind kind = ghlo_scalar_of (op->kind);
  GhloElementType type;

  if (kind == GHLO_SCALAR_INVALID)
    return FALSE;
  type = ghlo_ir_op_operand (op, 0)->type->element_type;

  return kind == GHLO_SCALAR_ADD || kind == GHLO_SCALAR_SUBTRACT || kind == GHLO_SCALAR_MULTIPLY
         || ghlo_scalar_ulps (kind, ghlo_element_info (type)->element_class) > 0;
}

/* Operations with a region, if it adds or multiplies. */
static gboolean
rounds (const GhloIrOp *op)
{
  const GhloIrBlock *body = op->n_regions > 0 ? op->regions[op->n_regions - 1].first : NULL;

  if (body != NULL && body->first->kind != GHLO_OP_STABLEHLO_ADD && body->first->kind != GHLO_OP_STABLEHLO_MULTIPLY)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (rounding); i++)
    if (rounding[i] == op->kind)
      return TRUE;

  return scalar_rounds (op);
}

static GhloIrValue *
add_op (Jitter             *self,
        GhloIrOp           *next,
        GhloIrOpKind        kind,
        GhloIrValue *const *operands,
        guint               n,
        const GhloIrType   *type)
{
  GhloIrOp *op = ghlo_ir_op_new (self->module, &(GhloIrOpState) {
    .kind = kind, .operands = operands, .n_operands = n, .result_types = &type, .n_results = 1,
  });

  ghlo_ir_op_insert_before (op, next);

  return &op->results[0];
}

/* Turns all zeros into -0 and keeps everything else: - (0 - x). */
static GhloIrValue *
flip_zeros (Jitter      *self,
            GhloIrOp    *next,
            GhloIrValue *value)
{
  static const guint8 zeros[16] = { 0 };
  const GhloIrType *type = value->type;
  GhloIrNamedAttr attribute = {
    "value", ghlo_ir_attr_dense (self->module, type,
                                 g_bytes_new_static (zeros, ghlo_element_info (type->element_type)->size), TRUE, NULL)
  };
  GhloIrOp *zero = ghlo_ir_op_new (self->module, &(GhloIrOpState) {
    .kind = GHLO_OP_STABLEHLO_CONSTANT, .result_types = &type, .n_results = 1, .attributes = &attribute,
    .n_attributes = 1,
  });
  GhloIrValue *operands[2] = { &zero->results[0], value };

  ghlo_ir_op_insert_before (zero, next);
  operands[0] = add_op (self, next, GHLO_OP_STABLEHLO_SUBTRACT, operands, 2, type);

  return add_op (self, next, GHLO_OP_STABLEHLO_NEGATE, operands, 1, type);
}

/* The next number away from zero; infinities, NaNs and zeros stay. */
static GhloIrValue *
move_away (Jitter      *self,
           GhloIrOp    *next,
           GhloIrValue *value)
{
  GhloIrValue *operands[2] = { value, value };

  operands[1] = add_op (self, next, GHLO_OP_STABLEHLO_ADD, operands, 2, value->type);

  return add_op (self, next, GHLO_OP_CHLO_NEXT_AFTER, operands, 2, value->type);
}

static GhloIrValue *
move_parts_away (Jitter      *self,
                 GhloIrOp    *next,
                 GhloIrValue *value)
{
  const GhloIrType *element = ghlo_ir_type_element (self->module,
                                                    ghlo_element_type_real_part (value->type->element_type));
  const GhloIrType *real = ghlo_ir_type_with_element (self->module, value->type, element);
  GhloIrValue *parts[2];

  for (guint i = 0; i < 2; i++)
    parts[i] = move_away (self, next, add_op (self, next, i == 0 ? GHLO_OP_STABLEHLO_REAL : GHLO_OP_STABLEHLO_IMAG,
                                              &value, 1, real));

  return add_op (self, next, GHLO_OP_STABLEHLO_COMPLEX, parts, 2, value->type);
}

static void
change (Jitter      *self,
        GhloIrOp    *op,
        GhloIrValue *value)
{
  const GhloIrType *type = value->type;
  RandomNumbers numbers = random_program_known (self->program, value->name);
  GhloIrOp *next = op->next;
  GhloIrUse *uses = value->uses;
  g_autoptr (GPtrArray) users = g_ptr_array_new ();
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (guint));
  GhloIrValue *changed = NULL;

  if (type->kind != GHLO_IR_TYPE_TENSOR || type->quantization != NULL || type->bounds != NULL
      || !ghlo_ir_type_has_static_shape (type) || type->element_type == GHLO_ELEMENT_TYPE_F8E8M0FNU
      || (!ghlo_element_type_is_float (type->element_type) && !ghlo_element_type_is_complex (type->element_type))
      || value->name == NULL || g_str_hash (value->name) % 3 == 0)
    return;
  for (const GhloIrUse *use = uses; use != NULL; use = use->next)
    {
      guint place = (guint) (use - use->op->operands);

      g_ptr_array_add (users, use->op);
      g_array_append_val (places, place);
    }
  if (numbers.trust == RANDOM_EQUAL)
    changed = flip_zeros (self, next, value);
  else if (numbers.trust == RANDOM_NEAR && rounds (op))
    changed = ghlo_element_type_is_complex (type->element_type) ? move_parts_away (self, next, value)
                                                                : move_away (self, next, value);
  for (guint i = 0; i < users->len && changed != NULL; i++)
    ghlo_ir_op_set_operand (users->pdata[i], g_array_index (places, guint, i), changed);
}

static void
walk (Jitter      *self,
      GhloIrBlock *block)
{
  GhloIrOp *next;

  for (GhloIrOp *op = block->first; op != NULL; op = next)
    {
      next = op->next;
      for (guint i = 0; i < op->n_regions; i++)
        for (GhloIrBlock *inner = op->regions[i].first; inner != NULL; inner = inner->next)
          walk (self, inner);
      for (guint i = 0; i < op->n_results && next != NULL; i++)
        change (self, op, &op->results[i]);
    }
}

void
random_jitter (GhloIrModule        *module,
               const RandomProgram *program)
{
  Jitter self = { module, program };

  walk (&self, ghlo_ir_op_region_block (module->op, 0));
}
