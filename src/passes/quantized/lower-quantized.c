/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pass "lower-quantized": values of quantized types become their storage, integers, and operations on them become
 * operations on integers and floats, which every device has. Each operation is lowered by itself, between bitcasts from
 * its operands to their storage and back from the storage of its results. At the end bitcasts that undo each other
 * disappear. Those at the function's arguments and results stay, so that its signature does, as do those around
 * operations that are not lowered, which the reference executor runs. They are views in a plan.
 */

#include "passes/constant.h"
#include "passes/effects.h"
#include "passes/quantized/quantized.h"
#include "passes/walk.h"

enum { MAX_ELEMENTWISE = 3 };

typedef struct
{
  const GhloQuantization *quantization;   /* of the first quantized value */
  gboolean                is_supported;   /* all of them are */
  gboolean                is_uniform;     /* and are quantized alike */
  gboolean                is_plain;       /* all others have plain types */
} Types;

static void
add_type (Types            *self,
          const GhloIrType *type)
{
  if (type->quantization == NULL)
    {
      self->is_plain = self->is_plain && ghlo_type_is_plain (type);
      return;
    }
  if (self->quantization == NULL)
    self->quantization = type->quantization;
  self->is_supported = self->is_supported && ghlo_quantized_is_supported (type);
  self->is_uniform = self->is_uniform && type->quantization == self->quantization;
}

/* The types of operands, results, and arguments and results of regions. */
static Types
find_types (const GhloIrOp *op)
{
  Types types = { .is_supported = TRUE, .is_uniform = TRUE, .is_plain = TRUE };

  for (guint i = 0; i < op->n_operands; i++)
    add_type (&types, ghlo_ir_op_operand (op, i)->type);
  for (guint i = 0; i < op->n_results; i++)
    add_type (&types, op->results[i].type);
  for (guint i = 0; i < op->n_regions; i++)
    {
      const GhloIrBlock *block = ghlo_ir_op_region_block (op, i);
      const GhloIrOp *end = block != NULL ? ghlo_pass_terminator (block) : NULL;

      for (guint j = 0; block != NULL && j < block->n_arguments; j++)
        add_type (&types, block->arguments[j]->type);
      for (guint j = 0; end != NULL && j < end->n_operands; j++)
        add_type (&types, ghlo_ir_op_operand (end, j)->type);
    }

  return types;
}

static GhloIrValue *
make_bitcast (GhloRewriter     *self,
              GhloIrValue      *value,
              const GhloIrType *type)
{
  return ghlo_make (self, GHLO_OP_STABLEHLO_BITCAST_CONVERT, type, &value, 1, NULL, 0);
}

static GhloIrValue *
get_storage (GhloRewriter *self,
             GhloIrValue  *value)
{
  return value->type->quantization != NULL ? make_bitcast (self, value, ghlo_quantized_get_stored (self, value->type))
                                           : value;
}

/* Makes @value its storage, of which its uses get a bitcast. The rewriter's operation is the first that may use it, or
 * NULL where none can. */
static void
store_value (GhloRewriter *self,
             GhloIrValue  *value)
{
  const GhloIrType *type = value->type;
  GhloIrValue *bitcast;

  if (type->quantization == NULL)
    return;
  value->type = ghlo_quantized_get_stored (self, type);
  if (value->uses == NULL)
    return;
  bitcast = make_bitcast (self, value, type);
  ghlo_ir_value_replace (value, bitcast);
  ghlo_ir_op_set_operand (bitcast->op, 0, value);
}

static void
store_operands (GhloRewriter *self,
                GhloIrOp     *op)
{
  self->op = op;
  for (guint i = 0; i < op->n_operands; i++)
    ghlo_ir_op_set_operand (op, i, get_storage (self, ghlo_ir_op_operand (op, i)));
}

/* Turns @op into the same operation on storage. */
static void
store (GhloRewriter *self,
       GhloIrOp     *op)
{
  store_operands (self, op);
  for (guint i = 0; i < op->n_regions; i++)
    {
      GhloIrBlock *block = ghlo_ir_op_region_block (op, i);

      self->op = block->first;
      for (guint j = 0; j < block->n_arguments; j++)
        store_value (self, block->arguments[j]);
      if (ghlo_pass_terminator (block) != NULL)
        store_operands (self, ghlo_pass_terminator (block));
    }
  self->op = op->next;
  for (guint i = 0; i < op->n_results; i++)
    store_value (self, &op->results[i]);
}

/* The operation on the numbers that operands represent. */
static GhloIrValue *
lower_elementwise (GhloRewriter       *self,
                   const GhloIrOp     *op,
                   GhloIrValue *const *stored)
{
  const GhloQuantization *result = op->results[0].type->quantization;
  GhloIrValue *numbers[MAX_ELEMENTWISE], *value;

  for (guint i = 0; i < op->n_operands; i++)
    {
      const GhloQuantization *quantization = ghlo_ir_op_operand (op, i)->type->quantization;

      numbers[i] = quantization != NULL ? ghlo_quantized_dequantize (self, stored[i], quantization) : stored[i];
    }
  value = ghlo_make_like (self, op, numbers,
                          result != NULL ? ghlo_make_type_of (self, result->expressed, op->results[0].type)
                                         : op->results[0].type);

  return result != NULL ? ghlo_quantized_quantize (self, value, result) : value;
}

static GhloIrValue *
lower_conversion (GhloRewriter       *self,
                  const GhloIrOp     *op,
                  GhloIrValue *const *stored)
{
  const GhloQuantization *from = ghlo_ir_op_operand (op, 0)->type->quantization;
  const GhloQuantization *to = op->results[0].type->quantization;
  GhloIrValue *numbers = from != NULL ? ghlo_quantized_dequantize (self, stored[0], from) : stored[0];

  return to != NULL ? ghlo_quantized_quantize (self, numbers, to)
                    : ghlo_make_convert (self, numbers, op->results[0].type->element_type);
}

static GhloIrValue *
lower_constant (GhloRewriter       *self,
                const GhloIrOp     *op,
                GhloIrValue *const *stored)
{
  const GhloIrAttr *value = ghlo_ir_op_get (op, "value");
  const GhloIrType *type = ghlo_quantized_get_stored (self, op->results[0].type);

  if (value->kind != GHLO_IR_ATTR_DENSE)
    return NULL;
  if (value->type != type)
    value = ghlo_ir_attr_dense (self->module, type, g_bytes_ref (value->dense.bytes), value->dense.splat, NULL);

  return ghlo_make_constant (self, value);
}

/* Operations that do the same on storage: they move elements, or have regions that do not look at them. SAME_TYPE:
 * only where all values are quantized alike, since regions or comparisons look at elements. ORDER: only where the order
 * of stored numbers is that of the numbers they represent. */
typedef enum { OTHER, MOVES, SAME_TYPE, ORDER } Storing;

static const guint8 storing[GHLO_N_OPS] = {
  [GHLO_OP_STABLEHLO_BITCAST_CONVERT] = MOVES, [GHLO_OP_STABLEHLO_BROADCAST] = MOVES,
  [GHLO_OP_STABLEHLO_BROADCAST_IN_DIM] = MOVES, [GHLO_OP_STABLEHLO_CASE] = MOVES,
  [GHLO_OP_STABLEHLO_CONCATENATE] = MOVES, [GHLO_OP_STABLEHLO_DYNAMIC_SLICE] = MOVES,
  [GHLO_OP_STABLEHLO_DYNAMIC_UPDATE_SLICE] = MOVES, [GHLO_OP_STABLEHLO_GATHER] = MOVES,
  [GHLO_OP_STABLEHLO_IF] = MOVES, [GHLO_OP_STABLEHLO_OPTIMIZATION_BARRIER] = MOVES, [GHLO_OP_STABLEHLO_PAD] = MOVES,
  [GHLO_OP_STABLEHLO_RESHAPE] = MOVES, [GHLO_OP_STABLEHLO_REVERSE] = MOVES, [GHLO_OP_STABLEHLO_SLICE] = MOVES,
  [GHLO_OP_STABLEHLO_TRANSPOSE] = MOVES, [GHLO_OP_STABLEHLO_WHILE] = MOVES,

  [GHLO_OP_STABLEHLO_MAP] = SAME_TYPE, [GHLO_OP_STABLEHLO_REDUCE] = SAME_TYPE,
  [GHLO_OP_STABLEHLO_REDUCE_WINDOW] = SAME_TYPE, [GHLO_OP_STABLEHLO_SCATTER] = SAME_TYPE,
  [GHLO_OP_STABLEHLO_SELECT] = SAME_TYPE, [GHLO_OP_STABLEHLO_SELECT_AND_SCATTER] = SAME_TYPE,
  [GHLO_OP_STABLEHLO_SORT] = SAME_TYPE,

  [GHLO_OP_STABLEHLO_CLAMP] = ORDER, [GHLO_OP_STABLEHLO_COMPARE] = ORDER, [GHLO_OP_STABLEHLO_MAXIMUM] = ORDER,
  [GHLO_OP_STABLEHLO_MINIMUM] = ORDER,
};

static gboolean
does_same_on_storage (const GhloIrOp *op,
                      const Types    *types)
{
  switch ((Storing) storing[op->kind])
    {
    case MOVES:
      return TRUE;
    case SAME_TYPE:
      return types->is_uniform;
    case ORDER:
      return types->is_uniform && ghlo_quantized_is_exact (types->quantization);
    default:
      return FALSE;
    }
}

static GhloQuantizedFunc
find_func (const GhloIrOp *op)
{
  switch (op->kind)
    {
    case GHLO_OP_STABLEHLO_CONSTANT:
      return lower_constant;
    case GHLO_OP_STABLEHLO_CONVOLUTION:
    case GHLO_OP_STABLEHLO_DOT:
    case GHLO_OP_STABLEHLO_DOT_GENERAL:
      return ghlo_quantized_lower_product;
    case GHLO_OP_STABLEHLO_REDUCE:
    case GHLO_OP_STABLEHLO_REDUCE_WINDOW:
      return ghlo_quantized_lower_sum;
    case GHLO_OP_STABLEHLO_UNIFORM_DEQUANTIZE:
    case GHLO_OP_STABLEHLO_UNIFORM_QUANTIZE:
      return lower_conversion;
    default:
      return ghlo_pass_is_elementwise (op) && op->n_operands <= MAX_ELEMENTWISE ? lower_elementwise : NULL;
    }
}

/* Replaces @op by what @func makes; FALSE where that is nothing. */
static gboolean
replace (GhloRewriter      *self,
         GhloIrOp          *op,
         GhloQuantizedFunc  func)
{
  g_autofree GhloIrValue **stored = g_new0 (GhloIrValue *, op->n_operands + 1);
  GhloIrValue *value;

  self->op = op;
  for (guint i = 0; i < op->n_operands; i++)
    stored[i] = get_storage (self, ghlo_ir_op_operand (op, i));
  value = func (self, op, stored);
  if (value == NULL)
    return FALSE;
  if (op->results[0].type->quantization != NULL)
    value = make_bitcast (self, value, op->results[0].type);
  ghlo_ir_value_replace (&op->results[0], value);
  ghlo_pass_erase (op);

  return TRUE;
}

/* Whether @op reads a quantized value as its storage, or the reverse, as the pass itself makes it. */
static gboolean
is_cast (const GhloIrOp *op)
{
  return op->kind == GHLO_OP_STABLEHLO_BITCAST_CONVERT
         && op->results[0].type->element_type == ghlo_ir_op_operand (op, 0)->type->element_type
         && (op->results[0].type->quantization == NULL) != (ghlo_ir_op_operand (op, 0)->type->quantization == NULL);
}

/* Returns whether it changed @op, which has quantized values. */
static gboolean
lower (GhloRewriter *self,
       GhloIrOp     *op,
       const Types  *types)
{
  GhloQuantizedFunc func = types->is_plain ? find_func (op) : NULL;

  if (!types->is_supported || is_cast (op))
    return FALSE;
  if (func != NULL && func != lower_elementwise && replace (self, op, func))
    return TRUE;
  if (does_same_on_storage (op, types))
    {
      /* The storage may be compared as other than floats. */
      if (op->kind == GHLO_OP_STABLEHLO_COMPARE)
        ghlo_ir_op_set (self->module, op, "compare_type", NULL);
      store (self, op);
      return TRUE;
    }

  return func == lower_elementwise && replace (self, op, func);
}

/* Removes casts that undo each other, and those that nothing uses. */
static void
remove_casts (GhloIrOp *func)
{
  g_autoptr (GPtrArray) casts = g_ptr_array_new ();

  for (GhloIrOp *op = ghlo_pass_next_op (func, func); op != NULL; op = ghlo_pass_next_op (op, func))
    if (is_cast (op))
      {
        const GhloIrOp *before = ghlo_ir_op_operand (op, 0)->op;

        if (before != NULL && is_cast (before) && ghlo_ir_op_operand (before, 0)->type == op->results[0].type)
          ghlo_ir_value_replace (&op->results[0], ghlo_ir_op_operand (before, 0));
        g_ptr_array_add (casts, op);
      }
  for (guint i = casts->len; i > 0; i--)
    if (ghlo_pass_is_unused (g_ptr_array_index (casts, i - 1)))
      ghlo_pass_erase (g_ptr_array_index (casts, i - 1));
}

/* Lowers the operations of @func. The computations of an operation that stays as it is stay, too. */
static gboolean
lower_function (GhloRewriter  *self,
                GhloIrOp      *func,
                GError       **error)
{
  g_autoptr (GPtrArray) ops = g_ptr_array_new ();
  const GhloIrOp *kept = NULL;
  gboolean any = FALSE;

  for (GhloIrOp *op = ghlo_pass_next_op (func, func); op != NULL; op = ghlo_pass_next_op (op, func))
    g_ptr_array_add (ops, op);
  for (guint i = 0; i < ops->len; i++)
    {
      GhloIrOp *op = g_ptr_array_index (ops, i);
      Types types;

      if (ghlo_monitor_cancelled (self->context->monitor, error))
        return FALSE;
      if (kept != NULL && ghlo_pass_is_within (op, kept))
        continue;
      kept = NULL;
      types = find_types (op);
      if (types.quantization == NULL)
        continue;
      any = TRUE;
      if (lower (self, op, &types))
        self->context->n_changes++;
      else if (op->n_regions > 0 && !ghlo_pass_is_control (op))
        kept = op;
    }
  if (any)
    remove_casts (func);

  return TRUE;
}

gboolean
ghlo_pass_lower_quantized (GhloIrModule     *module,
                           GhloPassContext  *context,
                           GError          **error)
{
  g_autoptr (GPtrArray) functions = ghlo_pass_functions (module);
  GhloRewriter self = { .module = module, .context = context };

  for (guint i = 0; i < functions->len; i++)
    if (!lower_function (&self, g_ptr_array_index (functions, i), error))
      return FALSE;

  return TRUE;
}
