/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MetalHLO's calls fused_*, by the meaning that its handlers document. Their configuration is a JSON object. Where the
 * two code paths of MetalHLO give a call different meanings, it is refused.
 */

#include "passes/constant.h"
#include "passes/expand/attention.h"
#include "passes/expand/check.h"
#include "passes/expand/config.h"
#include "passes/expand/expand.h"
#include "passes/expand/rope.h"
#include "passes/shapes.h"

#define EPSILON 1e-5

gboolean
ghlo_expand_fused_attention (GhloRewriter    *self,
                             const GhloIrOp  *op,
                             GhloIrValue    **results,
                             char           **problem)
{
  static const char *const names[] = { "scale", "has_mask", "is_causal", "num_heads", "head_dim", NULL };
  GhloExpandAttention attention = { .scale = 1 };
  gboolean has_mask = FALSE;
  gint64 heads, size;
  GhloExpandConfig config;

  if (!ghlo_expand_check_counts (op, 3, 4, 1, problem) || !ghlo_expand_check_floats (op, 3, problem)
      || !ghlo_expand_config_read (&config, self->module, op, names, problem)
      || !ghlo_expand_config_real (&config, "scale", &attention.scale, problem)
      || !ghlo_expand_config_boolean (&config, "has_mask", &has_mask, problem)
      || !ghlo_expand_config_boolean (&config, "is_causal", &attention.causal, problem))
    return FALSE;
  attention.queries = ghlo_ir_op_operand (op, 0);
  attention.keys = ghlo_ir_op_operand (op, 1);
  attention.values = ghlo_ir_op_operand (op, 2);
  attention.mask = op->n_operands == 4 ? ghlo_ir_op_operand (op, 3) : NULL;
  if (has_mask != (op->n_operands == 4))
    return ghlo_expand_refuse (problem, "expected a mask as operand 3 exactly where 'has_mask' is true");
  if (!ghlo_expand_attention_check (&attention, self, problem))
    return FALSE;
  heads = attention.queries->type->dimensions[1];
  size = attention.queries->type->dimensions[3];
  if (!ghlo_expand_config_integer (&config, "num_heads", &heads, problem)
      || !ghlo_expand_config_integer (&config, "head_dim", &size, problem))
    return FALSE;
  if (heads != attention.queries->type->dimensions[1] || size != attention.queries->type->dimensions[3])
    return ghlo_expand_refuse (problem, "expected 'num_heads' and 'head_dim' to be those of operand 0");
  results[0] = ghlo_expand_attention (&attention, self);

  return TRUE;
}

/* Queries [batch, size] or [batch, 1, size]; keys and values [batch, depth, size]. */
gboolean
ghlo_expand_fused_depth_attention (GhloRewriter    *self,
                                   const GhloIrOp  *op,
                                   GhloIrValue    **results,
                                   char           **problem)
{
  static const char *const names[] = { "scale", "depth_dim", NULL };
  GhloExpandAttention attention = { .scale = 1 };
  GhloIrValue **const parts[] = { &attention.queries, &attention.keys, &attention.values };
  GhloExpandConfig config;
  gint64 depth;

  if (!ghlo_expand_check_counts (op, 3, 3, 1, problem) || !ghlo_expand_check_floats (op, 3, problem)
      || !ghlo_expand_config_read (&config, self->module, op, names, problem)
      || !ghlo_expand_config_real (&config, "scale", &attention.scale, problem))
    return FALSE;
  for (guint i = 0; i < 3; i++)
    {
      GhloIrValue *value = ghlo_ir_op_operand (op, i);
      const gint64 *from = value->type->dimensions;
      gint64 dimensions[] = { 0, 1, 1, 0 };

      if (value->type->rank != 3 && (i > 0 || value->type->rank != 2))
        return ghlo_expand_refuse (problem, "expected queries of batch x 1 x size, and keys and values of batch x "
                                   "depth x size");
      dimensions[0] = from[0];
      dimensions[2] = value->type->rank == 3 ? from[1] : 1;
      dimensions[3] = from[value->type->rank - 1];
      *parts[i] = ghlo_make_reshape (self, value, ghlo_make_type (self, value->type, dimensions, 4));
    }
  if (!ghlo_expand_attention_check (&attention, self, problem))
    return FALSE;
  depth = attention.keys->type->dimensions[2];
  if (!ghlo_expand_config_integer (&config, "depth_dim", &depth, problem))
    return FALSE;
  if (depth != attention.keys->type->dimensions[2] || attention.queries->type->dimensions[2] != 1)
    return ghlo_expand_refuse (problem, "expected one query, and 'depth_dim' keys");
  results[0] = ghlo_expand_attention (&attention, self);
  if (ghlo_type_count (results[0]->type) == ghlo_type_count (op->results[0].type))
    results[0] = ghlo_make_reshape (self, results[0], ghlo_make_type_of (self, results[0]->type->element_type,
                                                                         op->results[0].type));

  return TRUE;
}

/* Reads "eps" and "axes", or "epsilon" and "axis", as its passes write them. */
static gboolean
read_norm (GhloRewriter    *self,
           const GhloIrOp  *op,
           double          *epsilon,
           gint64          *axes,
           gsize           *n_axes,
           char           **problem)
{
  static const char *const names[] = { "eps", "axes", "epsilon", "axis", NULL };
  guint rank = ghlo_ir_op_operand (op, 0)->type->rank;
  const GhloIrAttr *list;
  GhloExpandConfig config;

  *epsilon = EPSILON;
  axes[0] = -1;
  *n_axes = 1;
  if (!ghlo_expand_config_read (&config, self->module, op, names, problem)
      || !ghlo_expand_config_real (&config, "epsilon", epsilon, problem)
      || !ghlo_expand_config_real (&config, "eps", epsilon, problem)
      || !ghlo_expand_config_array (&config, "axes", GHLO_IR_ATTR_INTEGER, &list, problem)
      || !ghlo_expand_config_axis (&config, "axis", rank, axes, problem))
    return FALSE;
  if (list == NULL)
    return TRUE;
  *n_axes = list->length;
  for (gsize i = 0; i < list->length; i++)
    {
      gint64 axis = i < rank ? list->children[i]->integer : rank;

      axis += axis < 0 ? rank : 0;
      if (axis < 0 || axis >= rank || ghlo_dims_contain (axes, i, axis))
        return ghlo_expand_refuse (problem, "expected different dimensions of operand 0 as 'axes'");
      axes[i] = axis;
    }

  return TRUE;
}

static gboolean
expand_norm (GhloRewriter    *self,
             const GhloIrOp  *op,
             gboolean         centers,
             GhloIrValue    **results,
             char           **problem)
{
  guint n = centers ? 3 : 2;
  gint64 axes[GHLO_MAX_RANK + 1];
  GhloExpandNorm norm;
  double epsilon;
  gsize n_axes;

  if (!ghlo_expand_check_counts (op, n, n, 1, problem) || !ghlo_expand_check_floats (op, n, problem)
      || !read_norm (self, op, &epsilon, axes, &n_axes, problem))
    return FALSE;
  for (guint i = 1; i < n; i++)
    if (!ghlo_expand_check_broadcasts (op, i, 0, problem))
      return FALSE;
  ghlo_expand_norm_init (&norm, self, ghlo_expand_operand (self, op, 0), axes, n_axes, centers, epsilon);
  results[0] = ghlo_expand_norm_apply (&norm, self, op);

  return TRUE;
}

gboolean
ghlo_expand_fused_layer_norm (GhloRewriter    *self,
                              const GhloIrOp  *op,
                              GhloIrValue    **results,
                              char           **problem)
{
  return expand_norm (self, op, TRUE, results, problem);
}

gboolean
ghlo_expand_fused_rms_norm (GhloRewriter    *self,
                            const GhloIrOp  *op,
                            GhloIrValue    **results,
                            char           **problem)
{
  return expand_norm (self, op, FALSE, results, problem);
}

/* The operands x, scale, offset, mean and variance. */
gboolean
ghlo_expand_fused_batch_norm (GhloRewriter    *self,
                              const GhloIrOp  *op,
                              GhloIrValue    **results,
                              char           **problem)
{
  double epsilon = EPSILON;
  GhloIrValue *distances, *factor, *spread;
  GhloExpandConfig config;

  if (!ghlo_expand_check_counts (op, 5, 5, 1, problem) || !ghlo_expand_check_floats (op, 5, problem)
      || !ghlo_expand_config_read (&config, self->module, op, (const char *[]) { "eps", NULL }, problem)
      || !ghlo_expand_config_real (&config, "eps", &epsilon, problem))
    return FALSE;
  for (guint i = 1; i < 5; i++)
    if (!ghlo_expand_check_broadcasts (op, i, 0, problem))
      return FALSE;
  distances = ghlo_expand_with_broadcast (self, GHLO_OP_STABLEHLO_SUBTRACT, ghlo_expand_operand (self, op, 0),
                                          ghlo_expand_operand (self, op, 3));
  spread = ghlo_expand_with (self, GHLO_OP_STABLEHLO_ADD, ghlo_expand_operand (self, op, 4), epsilon);
  factor = ghlo_make_unary (self, GHLO_OP_STABLEHLO_RSQRT, spread);
  results[0] = ghlo_expand_with_broadcast (self, GHLO_OP_STABLEHLO_MULTIPLY, distances, factor);
  results[0] = ghlo_expand_with_broadcast (self, GHLO_OP_STABLEHLO_MULTIPLY, results[0],
                                           ghlo_expand_operand (self, op, 1));
  results[0] = ghlo_expand_with_broadcast (self, GHLO_OP_STABLEHLO_ADD, results[0], ghlo_expand_operand (self, op, 2));

  return TRUE;
}

gboolean
ghlo_expand_fused_gelu (GhloRewriter    *self,
                        const GhloIrOp  *op,
                        GhloIrValue    **results,
                        char           **problem)
{
  gboolean approximate = TRUE;
  GhloExpandConfig config;

  if (!ghlo_expand_check_counts (op, 1, 1, 1, problem) || !ghlo_expand_check_floats (op, 1, problem)
      || !ghlo_expand_config_read (&config, self->module, op, (const char *[]) { "approximate", NULL }, problem)
      || !ghlo_expand_config_boolean (&config, "approximate", &approximate, problem))
    return FALSE;
  results[0] = ghlo_expand_gelu (self, ghlo_expand_operand (self, op, 0), approximate);

  return TRUE;
}

gboolean
ghlo_expand_fused_matmul (GhloRewriter    *self,
                          const GhloIrOp  *op,
                          GhloIrValue    **results,
                          char           **problem)
{
  static const char *const names[] = { "activation", "trans_a", "trans_b", NULL };
  const char *activation = "none";
  gboolean transpose[2] = { FALSE, FALSE };
  GhloExpandConfig config;

  if (!ghlo_expand_check_counts (op, 3, 3, 1, problem) || !ghlo_expand_check_floats (op, 3, problem)
      || !ghlo_expand_config_read (&config, self->module, op, names, problem)
      || !ghlo_expand_config_text (&config, "activation", &activation, problem)
      || !ghlo_expand_config_boolean (&config, "trans_a", &transpose[0], problem)
      || !ghlo_expand_config_boolean (&config, "trans_b", &transpose[1], problem))
    return FALSE;
  if (!ghlo_expand_multiplies (ghlo_ir_op_operand (op, 0)->type, ghlo_ir_op_operand (op, 1)->type, transpose[0],
                               transpose[1]))
    return ghlo_expand_refuse (problem, "expected matrices to multiply as operands 0 and 1");
  if (!ghlo_expand_broadcasts (ghlo_ir_op_operand (op, 2)->type, op->results[0].type))
    return ghlo_expand_refuse (problem, "expected a bias that can be broadcast to the result as operand 2");
  results[0] = ghlo_expand_product (self, ghlo_ir_op_operand (op, 0), ghlo_ir_op_operand (op, 1), transpose[0],
                                    transpose[1]);
  results[0] = ghlo_expand_with_broadcast (self, GHLO_OP_STABLEHLO_ADD, results[0], ghlo_expand_operand (self, op, 2));

  results[0] = ghlo_expand_activation (self, results[0], activation);

  return results[0] != NULL || ghlo_expand_refuse_activation (activation, problem);
}

/* Two products with a function between them. "gelu" is the approximation here. */
gboolean
ghlo_expand_fused_ffn (GhloRewriter    *self,
                       const GhloIrOp  *op,
                       GhloIrValue    **results,
                       char           **problem)
{
  static const char *const names[] = { "activation", "hidden_dim", "is_gated", NULL };
  const char *activation = "gelu";
  gint64 hidden = 0;
  gboolean is_gated = FALSE;
  const GhloIrType *x, *up;
  GhloIrValue *inner;
  GhloExpandConfig config;

  if (!ghlo_expand_check_counts (op, 3, 3, 1, problem) || !ghlo_expand_check_floats (op, 3, problem)
      || !ghlo_expand_config_read (&config, self->module, op, names, problem)
      || !ghlo_expand_config_text (&config, "activation", &activation, problem)
      || !ghlo_expand_config_integer (&config, "hidden_dim", &hidden, problem)
      || !ghlo_expand_config_boolean (&config, "is_gated", &is_gated, problem))
    return FALSE;
  x = ghlo_ir_op_operand (op, 0)->type;
  up = ghlo_ir_op_operand (op, 1)->type;
  if (is_gated)
    return ghlo_expand_refuse (problem, "expected false as 'is_gated', which has no documented meaning otherwise");
  if (!ghlo_expand_multiplies (x, up, FALSE, FALSE) || up->rank != 2
      || ghlo_ir_op_operand (op, 2)->type->rank != 2
      || ghlo_ir_op_operand (op, 2)->type->dimensions[0] != up->dimensions[1]
      || (hidden != 0 && hidden != up->dimensions[1]))
    return ghlo_expand_refuse (problem, "expected matrices to multiply as operands 0 to 2, with 'hidden_dim' columns "
                               "of operand 1");
  inner = ghlo_expand_product (self, ghlo_ir_op_operand (op, 0), ghlo_ir_op_operand (op, 1), FALSE, FALSE);
  inner = ghlo_expand_activation (self, inner, g_str_equal (activation, "gelu") ? "gelu_approximate" : activation);
  if (inner == NULL)
    return ghlo_expand_refuse_activation (activation, problem);
  inner = ghlo_make_convert (self, inner, ghlo_ir_op_operand (op, 2)->type->element_type);
  results[0] = ghlo_expand_product (self, inner, ghlo_ir_op_operand (op, 2), FALSE, FALSE);

  return TRUE;
}

gboolean
ghlo_expand_fused_rope (GhloRewriter    *self,
                        const GhloIrOp  *op,
                        GhloIrValue    **results,
                        char           **problem)
{
  const GhloIrType *x, *table;
  GhloIrValue *sines, *cosines;
  GhloExpandConfig config;
  gint64 size, n;

  /* "dim" and "base_freq" belong to the kernels that MetalHLO generates, which rotate neighbours. */
  if (!ghlo_expand_check_counts (op, 2, 2, 1, problem) || !ghlo_expand_check_floats (op, 2, problem)
      || !ghlo_expand_config_read (&config, self->module, op, (const char *[]) { NULL }, problem))
    return FALSE;
  x = ghlo_ir_op_operand (op, 0)->type;
  table = ghlo_ir_op_operand (op, 1)->type;
  size = x->rank > 0 ? x->dimensions[x->rank - 1] : 0;
  n = table->rank > 0 ? table->dimensions[table->rank - 1] : 0;
  if (size == 0 || size % 2 != 0 || (n != size && n != size / 2))
    return ghlo_expand_refuse (problem, "expected an even number of elements, and cosines and sines of their pairs, or "
                               "angles, in the last dimensions of the operands");
  cosines = ghlo_expand_operand (self, op, 1);
  sines = n == size ? ghlo_expand_slice_last (self, cosines, size / 2, size, 1)
                    : ghlo_make_unary (self, GHLO_OP_STABLEHLO_SINE, cosines);
  cosines = n == size ? ghlo_expand_slice_last (self, cosines, 0, size / 2, 1)
                      : ghlo_make_unary (self, GHLO_OP_STABLEHLO_COSINE, cosines);
  if (table->rank > x->rank)
    return ghlo_expand_refuse (problem, "expected no more dimensions in operand 1 than in operand 0");
  for (guint i = 1; i < table->rank; i++)
    if (table->dimensions[table->rank - 1 - i] != 1
        && table->dimensions[table->rank - 1 - i] != x->dimensions[x->rank - 1 - i])
      return ghlo_expand_refuse (problem, "expected operand 1 to be broadcast to operand 0");
  results[0] = ghlo_expand_rotate (self, ghlo_expand_operand (self, op, 0), cosines, sines, FALSE);

  return TRUE;
}

/* The function of a chain by its name, and whether it has a second operand. */
static GhloIrOpKind
find_elementwise (const char *name,
                  gboolean   *is_binary)
{
  static const struct
  {
    const char   *name;
    GhloIrOpKind  kind;
    gboolean      is_binary;
  } rows[] = {
    { "add", GHLO_OP_STABLEHLO_ADD, TRUE },
    { "subtract", GHLO_OP_STABLEHLO_SUBTRACT, TRUE },
    { "multiply", GHLO_OP_STABLEHLO_MULTIPLY, TRUE },
    { "divide", GHLO_OP_STABLEHLO_DIVIDE, TRUE },
    { "maximum", GHLO_OP_STABLEHLO_MAXIMUM, TRUE },
    { "minimum", GHLO_OP_STABLEHLO_MINIMUM, TRUE },
    { "negate", GHLO_OP_STABLEHLO_NEGATE, FALSE },
    { "abs", GHLO_OP_STABLEHLO_ABS, FALSE },
    { "exponential", GHLO_OP_STABLEHLO_EXPONENTIAL, FALSE },
    { "log", GHLO_OP_STABLEHLO_LOG, FALSE },
    { "sqrt", GHLO_OP_STABLEHLO_SQRT, FALSE },
    { "rsqrt", GHLO_OP_STABLEHLO_RSQRT, FALSE },
    { "tanh", GHLO_OP_STABLEHLO_TANH, FALSE },
    { "logistic", GHLO_OP_STABLEHLO_LOGISTIC, FALSE },
    { "sine", GHLO_OP_STABLEHLO_SINE, FALSE },
    { "cosine", GHLO_OP_STABLEHLO_COSINE, FALSE },
    { "floor", GHLO_OP_STABLEHLO_FLOOR, FALSE },
    { "ceil", GHLO_OP_STABLEHLO_CEIL, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (g_str_equal (rows[i].name, name))
      {
        *is_binary = rows[i].is_binary;
        return rows[i].kind;
      }

  return GHLO_OP_INVALID;
}

/* A chain: each function's first operand is the result of the one before it, and a second operand is the next of the
 * call's. */
gboolean
ghlo_expand_fused_elementwise (GhloRewriter    *self,
                               const GhloIrOp  *op,
                               GhloIrValue    **results,
                               char           **problem)
{
  static const char *const names[] = { "ops", "operations", "num_ops", NULL };
  const GhloIrAttr *list, *other;
  GhloExpandConfig config;
  guint next = 1;

  if (!ghlo_expand_check_counts (op, 1, G_MAXUINT, 1, problem)
      || !ghlo_expand_check_floats (op, op->n_operands, problem)
      || !ghlo_expand_config_read (&config, self->module, op, names, problem)
      || !ghlo_expand_config_array (&config, "ops", GHLO_IR_ATTR_STRING, &list, problem)
      || !ghlo_expand_config_array (&config, "operations", GHLO_IR_ATTR_STRING, &other, problem))
    return FALSE;
  list = list != NULL ? list : other;
  if (list == NULL || list->length == 0)
    return ghlo_expand_refuse (problem, "expected a list of names as 'ops'");
  results[0] = ghlo_ir_op_operand (op, 0);
  for (gsize i = 0; i < list->length; i++)
    {
      gboolean is_binary = FALSE;
      GhloIrOpKind kind = find_elementwise (list->children[i]->text, &is_binary);

      if (kind == GHLO_OP_INVALID || (is_binary && next == op->n_operands)
          || (is_binary && ghlo_ir_op_operand (op, next)->type != results[0]->type))
        return ghlo_expand_refuse (problem, "expected the name of an elementwise operation in 'ops', and operands of "
                                   "one type for it, found '%s'", list->children[i]->text);
      results[0] = is_binary ? ghlo_make_binary (self, kind, results[0], ghlo_ir_op_operand (op, next++))
                             : ghlo_make_unary (self, kind, results[0]);
    }

  return next == op->n_operands || ghlo_expand_refuse (problem, "expected %u operands for 'ops', found %u", next,
                                                       op->n_operands);
}

gboolean
ghlo_expand_fused_residual_chain (GhloRewriter    *self,
                                  const GhloIrOp  *op,
                                  GhloIrValue    **results,
                                  char           **problem)
{
  GhloExpandConfig config;

  if (!ghlo_expand_check_counts (op, 2, 2, 1, problem) || !ghlo_expand_check_floats (op, 2, problem)
      || !ghlo_expand_config_read (&config, self->module, op, (const char *[]) { NULL }, problem)
      || !ghlo_expand_check_broadcasts (op, 1, 0, problem))
    return FALSE;
  results[0] = ghlo_expand_with_broadcast (self, GHLO_OP_STABLEHLO_ADD, ghlo_expand_operand (self, op, 0),
                                           ghlo_expand_operand (self, op, 1));

  return TRUE;
}

/* Nothing states the order of its operands. */
gboolean
ghlo_expand_fused_transformer_block (G_GNUC_UNUSED GhloRewriter    *self,
                                     G_GNUC_UNUSED const GhloIrOp  *op,
                                     G_GNUC_UNUSED GhloIrValue    **results,
                                     char                         **problem)
{
  return ghlo_expand_refuse (problem, "expected another call: the meaning of its operands is not documented");
}
