/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rewrites operations that StableHLO deprecates, and CHLO's variants of StableHLO's
 * operations, into the operations that later stages know.
 */

#include "passes/canonicalize.h"

#include "ir/approx-top-k.h"
#include "ir/lapack.h"
#include "ir/symbols.h"
#include "ir/verify/verify.h"
#include "passes/constant.h"
#include "passes/shapes.h"
#include "passes/walk.h"

static gboolean
all_plain (const GhloIrOp *op)
{
  for (guint i = 0; i < op->n_operands; i++)
    if (!ghlo_type_is_plain (ghlo_ir_op_operand (op, i)->type))
      return FALSE;

  return op->n_results == 1 && ghlo_type_is_plain (op->results[0].type);
}

/* Old broadcast: adds leading dimensions. */
static gboolean
old_broadcast (GhloRewriter *self,
               GhloIrOp     *op)
{
  GhloIrValue *operand = ghlo_ir_op_operand (op, 0);
  const GhloIrType *type = op->results[0].type;
  gint64 dimensions[GHLO_MAX_RANK];

  if (!all_plain (op))
    return FALSE;
  for (guint i = 0; i < operand->type->rank; i++)
    dimensions[i] = type->rank - operand->type->rank + i;

  return ghlo_rewrite_replace (self, op, ghlo_make_broadcast (self, operand, dimensions, type));
}

/* Old dot: contracts the last dimension of lhs with the first of rhs. */
static gboolean
old_dot (GhloRewriter *self,
         GhloIrOp     *op)
{
  const GhloIrType *lhs = ghlo_ir_op_operand (op, 0)->type;
  const GhloIrAttr *none = ghlo_ir_attr_i64s (self->module, NULL, 0);
  const GhloIrAttr *precision = ghlo_ir_op_get (op, "precision_config");
  const GhloIrAttr *numbers;
  gint64 last = (gint64) lhs->rank - 1, first = 0;

  if (!all_plain (op) || lhs->rank == 0 || ghlo_ir_op_operand (op, 1)->type->rank == 0)
    return FALSE;
  numbers = ghlo_ir_attr_struct (self->module, GHLO_IR_STRUCT_DOT, (const GhloIrAttr *[]) {
    none, none, ghlo_ir_attr_i64s (self->module, &last, 1), ghlo_ir_attr_i64s (self->module, &first, 1),
  });

  return ghlo_rewrite_replace (self, op,
                               ghlo_make (self, GHLO_OP_STABLEHLO_DOT_GENERAL, op->results[0].type,
                                          (GhloIrValue *[]) { ghlo_ir_op_operand (op, 0),
                                                              ghlo_ir_op_operand (op, 1) }, 2,
                                          (GhloIrNamedAttr[]) { { "dot_dimension_numbers", numbers },
                                                                { "precision_config", precision } },
                                          precision != NULL ? 2 : 1));
}

static gboolean
old_token (GhloRewriter *self,
           GhloIrOp     *op)
{
  return ghlo_rewrite_replace (self, op, ghlo_make (self, GHLO_OP_STABLEHLO_AFTER_ALL, op->results[0].type, NULL, 0,
                                                    NULL, 0));
}

/* Tensor constants of other dialects. */
static gboolean
other_constant (GhloRewriter *self,
                GhloIrOp     *op)
{
  const GhloIrAttr *value = ghlo_ir_op_get (op, "value");

  return all_plain (op) && value != NULL && value->kind == GHLO_IR_ATTR_DENSE && value->type == op->results[0].type
         && ghlo_rewrite_replace (self, op, ghlo_make_constant (self, value));
}

static gboolean
constant_like (GhloRewriter *self,
               GhloIrOp     *op)
{
  const GhloIrAttr *value = ghlo_ir_op_get (op, "value");
  const GhloIrType *type = op->results[0].type;
  GhloScalar scalar = { 0 };

  if (!all_plain (op) || value == NULL || value->type == NULL || value->type->kind != GHLO_IR_TYPE_ELEMENT
      || value->type->element_type != type->element_type)
    return FALSE;
  if (value->kind == GHLO_IR_ATTR_INTEGER || value->kind == GHLO_IR_ATTR_BOOL)
    scalar.i = value->integer;
  else if (value->kind == GHLO_IR_ATTR_FLOAT)
    scalar.f = value->real;
  else
    return FALSE;

  return ghlo_rewrite_replace (self, op, ghlo_make_splat (self, type, scalar));
}

/* CHLO accepts element types that StableHLO's operation does not, such as floats in shifts; such an operation is left
 * as it is. */
static gboolean
has_element_op (const GhloIrOp *op)
{
  GhloIrOpKind kind = ghlo_ir_op_get_spec (op)->element_op;
  const GhloIrOpSpec *spec;

  if (kind == GHLO_OP_INVALID)
    return FALSE;
  spec = ghlo_ir_op_spec (kind);
  for (guint i = 0; i < op->n_operands; i++)
    if (!ghlo_ir_type_fits (ghlo_ir_op_operand (op, i)->type, spec->operands[i].constraint))
      return FALSE;

  return ghlo_ir_type_fits (op->results[0].type, spec->results[0].constraint);
}

/* Maps the dimensions of operand @index to those of the result: to the last ones, or as the attribute says for an
 * operand of lower rank. FALSE when they do not fit. */
static gboolean
find_map (const GhloIrOp *op,
          guint           index,
          gint64         *map)
{
  const GhloIrType *operand = ghlo_ir_op_operand (op, index)->type, *type = op->results[0].type;
  gsize n = 0;
  const gint64 *named = op->kind != GHLO_OP_CHLO_BROADCAST_SELECT && operand->rank < type->rank
                        ? ghlo_ir_op_get_ints (op, "broadcast_dimensions", &n) : NULL;

  if (operand->rank > type->rank || (named != NULL && n != operand->rank))
    return FALSE;
  for (guint i = 0; i < operand->rank; i++)
    {
      map[i] = named != NULL ? named[i] : type->rank - operand->rank + i;
      if (map[i] >= type->rank || (i > 0 && map[i] <= map[i - 1])
          || (operand->dimensions[i] != 1 && operand->dimensions[i] != type->dimensions[map[i]]))
        return FALSE;
    }

  return TRUE;
}

/* CHLO's comparison enumerations use the same words as StableHLO's. */
static const GhloIrAttr *
same_word (GhloRewriter     *self,
           GhloIrEnum        enumeration,
           const GhloIrAttr *attr)
{
  gint64 value = attr != NULL ? ghlo_ir_enum_from_word (enumeration, ghlo_ir_enum_word (attr)) : -1;

  return value >= 0 ? ghlo_ir_attr_enum (self->module, enumeration, value) : NULL;
}

/* An operation whose elements are computed by another operation on operands of the result's shape: CHLO's broadcasting
 * forms, and old names. */
static gboolean
form_of_another (GhloRewriter *self,
                 GhloIrOp     *op)
{
  GhloIrOpKind kind = ghlo_ir_op_get_spec (op)->element_op;
  const GhloIrType *type = op->results[0].type;
  GhloIrNamedAttr attributes[2] = { { "comparison_direction", NULL }, { "compare_type", NULL } };
  gint64 map[3][GHLO_MAX_RANK];
  GhloIrValue *operands[3];
  gsize n = 0;

  if (!has_element_op (op) || !all_plain (op) || op->n_operands > G_N_ELEMENTS (operands))
    return FALSE;
  for (guint i = 0; i < op->n_operands; i++)
    if (!find_map (op, i, map[i]))
      return FALSE;
  if (op->kind == GHLO_OP_CHLO_BROADCAST_COMPARE)
    {
      attributes[0].value = same_word (self, GHLO_IR_ENUM_COMPARISON_DIRECTION,
                                       ghlo_ir_op_get (op, "comparison_direction"));
      attributes[1].value = same_word (self, GHLO_IR_ENUM_COMPARISON_TYPE, ghlo_ir_op_get (op, "compare_type"));
      if (attributes[0].value == NULL)
        return FALSE;
      n = attributes[1].value != NULL ? 2 : 1;
    }
  for (guint i = 0; i < op->n_operands; i++)
    {
      GhloIrValue *operand = ghlo_ir_op_operand (op, i);

      operands[i] = operand;
      if (!ghlo_shape_equal (operand->type, type))
        operands[i] = ghlo_make_broadcast (self, operand, map[i],
                                           ghlo_make_type_of (self, operand->type->element_type, type));
    }

  return ghlo_rewrite_replace (self, op, ghlo_make (self, kind, type, operands, op->n_operands, attributes, n));
}

/* Puts a copy of the comparator into the region of @sort. */
static void
put_comparator (GhloRewriter      *self,
                GhloIrOp          *sort,
                const GhloIrBlock *from)
{
  GhloIrBlock *block = ghlo_ir_region_add_block (self->module, &sort->regions[0]);
  g_autoptr (GHashTable) made = g_hash_table_new (NULL, NULL);
  GhloIrValue *outcome;

  g_assert (from->last != NULL);
  for (guint i = 0; i < from->n_arguments; i++)
    g_hash_table_insert (made, from->arguments[i],
                         ghlo_ir_block_add_argument (self->module, block, from->arguments[i]->type, NULL));
  for (const GhloIrOp *op = from->first; op != from->last; op = op->next)
    ghlo_ir_block_append (block, ghlo_ir_op_copy (self->module, op, TRUE, made));
  outcome = g_hash_table_lookup (made, ghlo_ir_op_operand (from->last, 0));
  ghlo_ir_block_append (block, ghlo_ir_op_new (self->module, &(GhloIrOpState) {
    .kind = GHLO_OP_STABLEHLO_RETURN, .operands = &outcome, .n_operands = 1, .location = sort->location,
  }));
}

static void
set_found (G_GNUC_UNUSED GhloIrOp *symbol,
           gpointer                data)
{
  *(gboolean *) data = TRUE;
}

/* Whether anything in @block refers to functions. A reference that leads back to the block's own function would be
 * copied into its copy without end. */
static gboolean
names_functions (const GhloIrBlock *block)
{
  gboolean found = FALSE;

  for (const GhloIrOp *op = block->first; op != NULL; op = op->next)
    for (const GhloIrOp *inner = op; inner != NULL; inner = ghlo_pass_next_op (inner, op))
      ghlo_ir_op_foreach_symbol (inner, set_found, &found);

  return found;
}

/* An approximate top-k is computed exactly: a sort, of whose results slices are taken. */
static gboolean
approximate_top_k (GhloRewriter *self,
                   GhloIrOp     *op)
{
  g_autofree char *problem = NULL;
  g_autofree GhloIrValue **values = NULL;
  g_autofree const GhloIrType **types = NULL;
  gint64 start[GHLO_MAX_RANK] = { 0 }, limit[GHLO_MAX_RANK], strides[GHLO_MAX_RANK];
  GhloIrNamedAttr attributes[2];
  GhloIrApproxTopK top_k;
  GhloIrOp *sort;

  if (g_strcmp0 (ghlo_ir_op_get_string (op, "call_target_name"), GHLO_IR_APPROX_TOP_K) != 0
      || !ghlo_ir_approx_top_k_read (&top_k, op, &problem) || names_functions (top_k.comparator))
    return FALSE;
  values = g_new (GhloIrValue *, top_k.n);
  types = g_new (const GhloIrType *, top_k.n);
  for (guint i = 0; i < top_k.n; i++)
    {
      values[i] = ghlo_ir_op_operand (op, i);
      types[i] = values[i]->type;
    }
  attributes[0] = (GhloIrNamedAttr) { "dimension", ghlo_ir_attr_i64 (self->module, top_k.dimension) };
  attributes[1] = (GhloIrNamedAttr) { "is_stable", ghlo_ir_attr_bool (self->module, TRUE) };
  sort = ghlo_make_op (self, &(GhloIrOpState) {
    .kind = GHLO_OP_STABLEHLO_SORT, .operands = values, .n_operands = top_k.n, .result_types = types,
    .n_results = top_k.n, .n_regions = 1, .attributes = attributes, .n_attributes = G_N_ELEMENTS (attributes),
  });
  put_comparator (self, sort, top_k.comparator);
  for (guint d = 0; d < types[0]->rank; d++)
    {
      limit[d] = d == top_k.dimension ? top_k.count : types[0]->dimensions[d];
      strides[d] = 1;
    }
  for (guint i = 0; i < top_k.n; i++)
    values[i] = ghlo_make_slice (self, &sort->results[i], start, limit, strides);

  return ghlo_rewrite_replace_all (self, op, values);
}

/* LAPACK's trsm is triangular_solve, which more devices support. */
static gboolean
triangular_solve (GhloRewriter *self,
                  GhloIrOp     *op)
{
  static const char *const words[] = { ['N'] = "NO_TRANSPOSE", ['T'] = "TRANSPOSE", ['C'] = "ADJOINT" };
  static const struct
  {
    const char *attribute, *parameter;
    char        value;
  } flags[] = { { "left_side", "side", 'L' }, { "lower", "uplo", 'L' }, { "unit_diagonal", "diag", 'U' } };
  GhloIrNamedAttr attributes[G_N_ELEMENTS (flags) + 1];
  g_autofree char *problem = NULL;
  GhloIrLapackCall call;
  const char *word;

  if (!ghlo_ir_lapack_is_target (ghlo_ir_op_get_string (op, "call_target_name"))
      || !ghlo_ir_lapack_read_op (&call, op, &problem) || call.routine != GHLO_IR_LAPACK_TRSM || op->n_operands != 2)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (flags); i++)
    {
      gboolean value = ghlo_ir_lapack_parameter (&call, flags[i].parameter)->value == flags[i].value;

      attributes[i] = (GhloIrNamedAttr) { flags[i].attribute, ghlo_ir_attr_bool (self->module, value) };
    }
  word = words[ghlo_ir_lapack_parameter (&call, "trans_x")->value];
  attributes[G_N_ELEMENTS (flags)] = (GhloIrNamedAttr) {
    "transpose_a", ghlo_ir_attr_enum (self->module, GHLO_IR_ENUM_TRANSPOSE,
                                      ghlo_ir_enum_from_word (GHLO_IR_ENUM_TRANSPOSE, word)),
  };

  return ghlo_rewrite_replace (self, op,
                               ghlo_make (self, GHLO_OP_STABLEHLO_TRIANGULAR_SOLVE, op->results[0].type,
                                          (GhloIrValue *[]) { ghlo_ir_op_operand (op, 0), ghlo_ir_op_operand (op, 1) },
                                          2, attributes, G_N_ELEMENTS (attributes)));
}

static const GhloRuleRow rows[] = {
  { GHLO_OP_STABLEHLO_CUSTOM_CALL, triangular_solve },
  { GHLO_OP_STABLEHLO_CUSTOM_CALL, approximate_top_k },
  { GHLO_OP_STABLEHLO_BROADCAST, old_broadcast },
  { GHLO_OP_STABLEHLO_DOT, old_dot },
  { GHLO_OP_STABLEHLO_CREATE_TOKEN, old_token },
  { GHLO_OP_CHLO_CONSTANT, other_constant },
  { GHLO_OP_ARITH_CONSTANT, other_constant },
  { GHLO_OP_CHLO_CONSTANT_LIKE, constant_like },
  { GHLO_OP_INVALID, form_of_another },
};

const GhloRuleGroup ghlo_canonicalize_forms = { rows, G_N_ELEMENTS (rows) };
