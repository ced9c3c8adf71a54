/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An operation made from its row of the op table alone: operands, results, attributes and regions that each suit their
 * place and are drawn from one theme, so that many of them suit each other, too.
 */

#include <string.h>

#include "op.h"

/* The kinds of bodies of regions. */
typedef enum
{
  STYLE_BRANCH,       /* no arguments, returns the operation's results */
  STYLE_REDUCER,      /* two scalars for each operand, returns one for each */
  STYLE_LOOP,         /* takes the operands and returns them */
  STYLE_COMPARATOR,   /* two scalars for each operand, returns a predicate */
  STYLE_CONDITION,    /* takes the operands, returns a predicate */
  STYLE_MAP,          /* a scalar for each operand, returns one */
  N_STYLES
} Style;

static guint
draw_count (RandomOp    *self,
            GhloIrArity  arity,
            int          shared)
{
  static const guint counts[] = { 1, 2, 1, 0, 3 };

  if (arity == GHLO_IR_ONE)
    return 1;
  if (arity == GHLO_IR_OPTIONAL)
    return random_op_pick (self, 2);

  return shared >= 0 ? (guint) shared : counts[random_op_pick (self, G_N_ELEMENTS (counts))];
}

static GhloIrValue *
add_argument (RandomOp         *self,
              const GhloIrType *type)
{
  return ghlo_ir_block_add_argument (self->module, random_main_block (self->module), type, NULL);
}

/* Types for @groups; how many each group has goes into @counts. */
static GPtrArray *
draw_types (RandomOp              *self,
            const GhloIrGroupSpec *groups,
            guint                  n_groups,
            int                    shared,
            gint64                *counts)
{
  GPtrArray *types = g_ptr_array_new ();

  for (guint i = 0; i < n_groups; i++)
    {
      counts[i] = draw_count (self, groups[i].arity, shared);
      for (guint j = 0; j < counts[i]; j++)
        g_ptr_array_add (types, (gpointer) random_op_draw_type (self, groups[i].constraint));
    }

  return types;
}

static const GhloIrType *
scalar_of (RandomOp         *self,
           const GhloIrType *type)
{
  return type->kind == GHLO_IR_TYPE_TENSOR
         ? ghlo_ir_type_tensor (self->module, ghlo_ir_type_get_element (self->module, type), NULL, 0, NULL, NULL)
         : type;
}

static void
add_block_arguments (RandomOp       *self,
                     GhloIrBlock    *block,
                     const GhloIrOp *op,
                     Style           style)
{
  guint n_each = style == STYLE_REDUCER || style == STYLE_COMPARATOR ? 2 : 1, n = op->n_operands;

  if (style == STYLE_BRANCH)
    return;
  /* Of the operations with initial values the first half are the inputs. */
  if (style == STYLE_REDUCER && (ghlo_ir_op_get_spec (op)->traits & GHLO_IR_TRAIT_SAME_GROUP_SIZE) != 0)
    n /= 2;
  for (guint i = 0; i < n_each * n; i++)
    {
      const GhloIrType *type = ghlo_ir_op_operand (op, style == STYLE_REDUCER ? i % n : i / n_each)->type;

      ghlo_ir_block_add_argument (self->module, block,
                                  style == STYLE_LOOP || style == STYLE_CONDITION ? type : scalar_of (self, type),
                                  NULL);
    }
}

static GhloIrValue *
add_op (RandomOp          *self,
        GhloIrBlock       *block,
        GhloIrOpKind       kind,
        GhloIrValue *const *operands,
        const GhloIrType  *type)
{
  static const GhloIrOpKind binary[] = {
    GHLO_OP_STABLEHLO_ADD, GHLO_OP_STABLEHLO_MAXIMUM, GHLO_OP_STABLEHLO_MULTIPLY, GHLO_OP_STABLEHLO_SUBTRACT,
  };
  const GhloIrNamedAttr direction = {
    "comparison_direction", ghlo_ir_attr_enum (self->module, GHLO_IR_ENUM_COMPARISON_DIRECTION, 5)
  };
  GhloIrOp *op = ghlo_ir_op_new (self->module, &(GhloIrOpState) {
    .kind = kind != GHLO_OP_INVALID ? kind : binary[random_op_pick (self, G_N_ELEMENTS (binary))],
    .operands = operands, .n_operands = 2, .result_types = &type, .n_results = 1, .attributes = &direction,
    .n_attributes = kind == GHLO_OP_STABLEHLO_COMPARE,
  });

  ghlo_ir_block_append (block, op);

  return &op->results[0];
}

static void
add_return (RandomOp    *self,
            GhloIrBlock *block,
            GPtrArray   *values)
{
  ghlo_ir_block_append (block, ghlo_ir_op_new (self->module, &(GhloIrOpState) {
    .kind = GHLO_OP_STABLEHLO_RETURN, .operands = (GhloIrValue *const *) values->pdata, .n_operands = values->len,
  }));
}

/* What the block gives in that style. */
static GPtrArray *
add_body (RandomOp    *self,
          GhloIrBlock *block,
          GhloIrOp    *op,
          Style        style)
{
  const GhloIrType *predicate = ghlo_ir_type_tensor (self->module, ghlo_ir_type_element (self->module,
                                                                                         GHLO_ELEMENT_TYPE_I1),
                                                     NULL, 0, NULL, NULL);
  GPtrArray *values = g_ptr_array_new ();
  guint n = block->n_arguments;

  if (style == STYLE_BRANCH)
    for (guint i = 0; i < op->n_results; i++)
      g_ptr_array_add (values, add_argument (self, op->results[i].type));
  else if (style == STYLE_REDUCER)
    for (guint i = 0; i < n / 2; i++)
      {
        GhloIrValue *operands[] = { block->arguments[i], block->arguments[i + n / 2] };

        g_ptr_array_add (values, add_op (self, block, GHLO_OP_INVALID, operands, operands[0]->type));
      }
  else if (style == STYLE_COMPARATOR && n > 1)
    g_ptr_array_add (values, add_op (self, block, GHLO_OP_STABLEHLO_COMPARE, block->arguments, predicate));
  else if (style == STYLE_CONDITION)
    g_ptr_array_add (values, add_argument (self, predicate));
  else
    for (guint i = 0; i < (style == STYLE_MAP ? MIN (n, 1) : n); i++)
      g_ptr_array_add (values, block->arguments[i]);

  return values;
}

static void
add_regions (RandomOp *self,
             GhloIrOp *op)
{
  Style style = random_op_pick (self, N_STYLES);

  for (guint i = 0; i < op->n_regions; i++)
    {
      GhloIrBlock *block = ghlo_ir_region_add_block (self->module, &op->regions[i]);
      g_autoptr (GPtrArray) values = NULL;

      add_block_arguments (self, block, op, style);
      values = add_body (self, block, op, style);
      add_return (self, block, values);
      if (random_op_once (self, 4))
        style = random_op_pick (self, N_STYLES);
    }
}

static void
add_attributes (RandomOp *self,
                GhloIrOp *op)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_get_spec (op);

  for (guint i = 0; i < spec->n_attributes; i++)
    if (spec->attributes[i].presence == GHLO_IR_REQUIRED || random_op_once (self, 3))
      op->attributes[i] = random_op_draw_attribute (self, &spec->attributes[i]);
}

static void
set_segments (RandomOp     *self,
              GhloIrOp     *op,
              const char   *name,
              const gint64 *counts,
              guint         n)
{
  ghlo_ir_op_set (self->module, op, name, ghlo_ir_attr_integers (self->module, GHLO_ELEMENT_TYPE_I32, counts, n));
}

static guint
count_regions (RandomOp           *self,
               const GhloIrOpSpec *spec)
{
  guint n = 0;

  for (guint i = 0; i < spec->n_regions; i++)
    n += spec->regions[i].variadic ? random_op_pick (self, 3) : 1;

  return n;
}

void
random_op_draw_row (RandomOp     *self,
                    GhloIrOpKind  kind)
{
  enum { MAX_GROUPS = 16 };
  const GhloIrOpSpec *spec = ghlo_ir_op_spec (kind);
  gboolean is_shared = (spec->traits & (GHLO_IR_TRAIT_SAME_GROUP_SIZE | GHLO_IR_TRAIT_PAIRWISE_TYPES)) != 0;
  int shared = is_shared ? (int) draw_count (self, GHLO_IR_VARIADIC, -1) : -1;
  gint64 operand_counts[MAX_GROUPS], result_counts[MAX_GROUPS];
  g_autoptr (GPtrArray) operands = NULL, results = NULL;

  g_assert (spec->n_operands <= MAX_GROUPS && spec->n_results <= MAX_GROUPS);
  random_op_choose_theme (self, spec->n_operands > 0 ? spec->operands[0].constraint
                                : spec->n_results > 0 ? spec->results[0].constraint : GHLO_IR_CAN_ANYTHING);
  operands = draw_types (self, spec->operands, spec->n_operands, shared, operand_counts);
  results = draw_types (self, spec->results, spec->n_results, shared, result_counts);
  for (guint i = 0; i < operands->len; i++)
    operands->pdata[i] = add_argument (self, operands->pdata[i]);
  self->op = ghlo_ir_op_new (self->module, &(GhloIrOpState) {
    .kind = kind, .operands = (GhloIrValue *const *) operands->pdata, .n_operands = operands->len,
    .result_types = (const GhloIrType *const *) results->pdata, .n_results = results->len,
    .n_regions = count_regions (self, spec),
  });
  ghlo_ir_op_insert_before (self->op, random_main_block (self->module)->last);
  add_attributes (self, self->op);
  if ((spec->traits & GHLO_IR_TRAIT_SEGMENTS) != 0)
    {
      set_segments (self, self->op, "operandSegmentSizes", operand_counts, spec->n_operands);
      set_segments (self, self->op, "resultSegmentSizes", result_counts, spec->n_results);
    }
  add_regions (self, self->op);
}
