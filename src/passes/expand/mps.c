/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The calls mps.* of jax-mps, by the meaning that its Python functions give them on other platforms. Their
 * configuration is a JSON object.
 */

#include "passes/expand/attention.h"
#include "passes/expand/check.h"
#include "passes/expand/config.h"
#include "passes/expand/expand.h"
#include "passes/shapes.h"

#define NORM_EPSILON 1e-5
#define RMS_EPSILON  1e-6

static gboolean
read_real (GhloRewriter    *self,
           const GhloIrOp  *op,
           const char      *name,
           double          *value,
           char           **problem)
{
  GhloExpandConfig config;

  return ghlo_expand_config_read (&config, self->module, op, (const char *[]) { name, NULL }, problem)
         && ghlo_expand_config_real (&config, name, value, problem);
}

static gboolean
read_nothing (GhloRewriter    *self,
              const GhloIrOp  *op,
              char           **problem)
{
  GhloExpandConfig config;

  return ghlo_expand_config_read (&config, self->module, op, (const char *[]) { NULL }, problem);
}

gboolean
ghlo_expand_mps_gelu (GhloRewriter    *self,
                      const GhloIrOp  *op,
                      GhloIrValue    **results,
                      char           **problem)
{
  if (!ghlo_expand_check_counts (op, 1, 1, 1, problem) || !ghlo_expand_check_floats (op, 1, problem)
      || !read_nothing (self, op, problem))
    return FALSE;
  results[0] = ghlo_expand_gelu (self, ghlo_expand_operand (self, op, 0), TRUE);

  return TRUE;
}

gboolean
ghlo_expand_mps_gelu_bwd (GhloRewriter    *self,
                          const GhloIrOp  *op,
                          GhloIrValue    **results,
                          char           **problem)
{
  if (!ghlo_expand_check_counts (op, 2, 2, 1, problem) || !ghlo_expand_check_floats (op, 2, problem)
      || !read_nothing (self, op, problem) || !ghlo_expand_check_broadcasts (op, 1, 0, problem))
    return FALSE;
  results[0] = ghlo_expand_gelu_gradient (self, ghlo_expand_operand (self, op, 0), ghlo_expand_operand (self, op, 1));

  return TRUE;
}

gboolean
ghlo_expand_mps_softmax (GhloRewriter    *self,
                         const GhloIrOp  *op,
                         GhloIrValue    **results,
                         char           **problem)
{
  GhloExpandConfig config;
  gint64 axis = -1;

  if (!ghlo_expand_check_counts (op, 1, 1, 1, problem) || !ghlo_expand_check_floats (op, 1, problem)
      || !ghlo_expand_config_read (&config, self->module, op, (const char *[]) { "axis", NULL }, problem)
      || !ghlo_expand_config_axis (&config, "axis", ghlo_ir_op_operand (op, 0)->type->rank, &axis, problem))
    return FALSE;
  results[0] = ghlo_expand_softmax (self, ghlo_expand_operand (self, op, 0), axis);

  return TRUE;
}

gboolean
ghlo_expand_mps_addmm (GhloRewriter    *self,
                       const GhloIrOp  *op,
                       GhloIrValue    **results,
                       char           **problem)
{
  GhloIrValue *product;

  if (!ghlo_expand_check_counts (op, 3, 3, 1, problem) || !ghlo_expand_check_floats (op, 3, problem)
      || !read_nothing (self, op, problem))
    return FALSE;
  if (!ghlo_expand_multiplies (ghlo_ir_op_operand (op, 0)->type, ghlo_ir_op_operand (op, 1)->type, FALSE, FALSE))
    return ghlo_expand_refuse (problem, "expected matrices to multiply as operands 0 and 1");
  if (!ghlo_expand_broadcasts (ghlo_ir_op_operand (op, 2)->type, op->results[0].type))
    return ghlo_expand_refuse (problem, "expected a bias that can be broadcast to the result as operand 2");
  product = ghlo_expand_product (self, ghlo_ir_op_operand (op, 0), ghlo_ir_op_operand (op, 1), FALSE, FALSE);
  results[0] = ghlo_expand_with_broadcast (self, GHLO_OP_STABLEHLO_ADD, product, ghlo_expand_operand (self, op, 2));

  return TRUE;
}

/* The normalization of operand 0 along its last dimension, with the operands x, weight, and bias where it is centered.
 * @n_more operands follow these. */
static gboolean
read_norm (GhloRewriter    *self,
           const GhloIrOp  *op,
           gboolean         centers,
           guint            n_more,
           guint            n_results,
           GhloExpandNorm  *norm,
           char           **problem)
{
  guint n = (centers ? 3 : 2) + n_more;
  double epsilon = centers ? NORM_EPSILON : RMS_EPSILON;
  gint64 last;

  if (!ghlo_expand_check_counts (op, n, n, n_results, problem) || !ghlo_expand_check_floats (op, n, problem)
      || !read_real (self, op, "eps", &epsilon, problem))
    return FALSE;
  last = (gint64) ghlo_ir_op_operand (op, 0)->type->rank - 1;
  for (guint i = 1; i < n; i++)
    {
      const GhloIrType *type = ghlo_ir_op_operand (op, i)->type;

      if (!ghlo_expand_check_broadcasts (op, i, 0, problem))
        return FALSE;
      if (last < 0 || (i < n - n_more ? type->rank != 1 : type->rank != last + 1))
        return ghlo_expand_refuse (problem, "expected vectors as weight and bias, and gradients of the operand's rank");
    }
  ghlo_expand_norm_init (norm, self, ghlo_expand_operand (self, op, 0), &last, 1, centers, epsilon);

  return TRUE;
}

static gboolean
expand_norm (GhloRewriter    *self,
             const GhloIrOp  *op,
             gboolean         centers,
             GhloIrValue    **results,
             char           **problem)
{
  GhloExpandNorm norm;

  if (!read_norm (self, op, centers, 0, 1, &norm, problem))
    return FALSE;
  results[0] = ghlo_expand_norm_apply (&norm, self, op);

  return TRUE;
}

/* The gradients of x, weight, and bias where there is one. */
static gboolean
expand_norm_gradients (GhloRewriter    *self,
                       const GhloIrOp  *op,
                       gboolean         centers,
                       GhloIrValue    **results,
                       char           **problem)
{
  guint n = centers ? 3 : 2;
  gint64 leading[GHLO_MAX_RANK];
  GhloIrValue *gradient, *weighted;
  GhloExpandAxes rows;
  GhloExpandNorm norm;

  if (!read_norm (self, op, centers, 1, n, &norm, problem))
    return FALSE;
  for (guint i = 0; i < GHLO_MAX_RANK; i++)
    leading[i] = i;
  gradient = ghlo_expand_operand (self, op, n);
  ghlo_expand_axes_init (&rows, gradient->type, leading, gradient->type->rank - 1);
  weighted = ghlo_expand_with_broadcast (self, GHLO_OP_STABLEHLO_MULTIPLY, gradient, ghlo_expand_operand (self, op, 1));
  results[0] = ghlo_expand_norm_gradient (&norm, self, weighted);
  results[1] = ghlo_expand_sum (self, ghlo_make_binary (self, GHLO_OP_STABLEHLO_MULTIPLY, gradient, norm.normal),
                                &rows);
  if (centers)
    results[2] = ghlo_expand_sum (self, gradient, &rows);

  return TRUE;
}

gboolean
ghlo_expand_mps_layer_norm (GhloRewriter    *self,
                            const GhloIrOp  *op,
                            GhloIrValue    **results,
                            char           **problem)
{
  return expand_norm (self, op, TRUE, results, problem);
}

gboolean
ghlo_expand_mps_layer_norm_bwd (GhloRewriter    *self,
                                const GhloIrOp  *op,
                                GhloIrValue    **results,
                                char           **problem)
{
  return expand_norm_gradients (self, op, TRUE, results, problem);
}

gboolean
ghlo_expand_mps_rms_norm (GhloRewriter    *self,
                          const GhloIrOp  *op,
                          GhloIrValue    **results,
                          char           **problem)
{
  return expand_norm (self, op, FALSE, results, problem);
}

gboolean
ghlo_expand_mps_rms_norm_bwd (GhloRewriter    *self,
                              const GhloIrOp  *op,
                              GhloIrValue    **results,
                              char           **problem)
{
  return expand_norm_gradients (self, op, FALSE, results, problem);
}

/* Queries, keys and values, a mask unless it is causal, and @n_more operands of the shape of queries. */
static gboolean
read_attention (GhloRewriter        *self,
                const GhloIrOp      *op,
                gboolean             causal,
                guint                n_more,
                guint                n_results,
                GhloExpandAttention *attention,
                char               **problem)
{
  guint n = (causal ? 3 : 4) + n_more;

  *attention = (GhloExpandAttention) { .causal = causal, .scale = 1 };
  if (!ghlo_expand_check_counts (op, n, n, n_results, problem) || !ghlo_expand_check_floats (op, 3, problem)
      || !read_real (self, op, "scale", &attention->scale, problem))
    return FALSE;
  attention->queries = ghlo_ir_op_operand (op, 0);
  attention->keys = ghlo_ir_op_operand (op, 1);
  attention->values = ghlo_ir_op_operand (op, 2);
  attention->mask = causal ? NULL : ghlo_ir_op_operand (op, 3);

  return ghlo_expand_attention_check (attention, self, problem);
}

static gboolean
expand_attention (GhloRewriter    *self,
                  const GhloIrOp  *op,
                  gboolean         causal,
                  GhloIrValue    **results,
                  char           **problem)
{
  GhloExpandAttention attention;

  if (!read_attention (self, op, causal, 0, 1, &attention, problem))
    return FALSE;
  results[0] = ghlo_expand_attention (&attention, self);

  return TRUE;
}

static gboolean
expand_attention_gradients (GhloRewriter    *self,
                            const GhloIrOp  *op,
                            gboolean         causal,
                            GhloIrValue    **results,
                            char           **problem)
{
  guint last = causal ? 3 : 4;
  GhloExpandAttention attention;

  if (!read_attention (self, op, causal, 1, 3, &attention, problem))
    return FALSE;
  if (!ghlo_element_type_is_float (ghlo_ir_op_operand (op, last)->type->element_type)
      || !ghlo_shape_equal (ghlo_ir_op_operand (op, last)->type, op->results[0].type))
    return ghlo_expand_refuse (problem, "expected a gradient of the queries' shape as operand %u", last);
  attention.queries = ghlo_expand_operand (self, op, 0);
  attention.keys = ghlo_expand_operand (self, op, 1);
  attention.values = ghlo_expand_operand (self, op, 2);
  ghlo_expand_attention_gradients (&attention, self, ghlo_expand_operand (self, op, last), results);

  return TRUE;
}

gboolean
ghlo_expand_mps_sdpa (GhloRewriter    *self,
                      const GhloIrOp  *op,
                      GhloIrValue    **results,
                      char           **problem)
{
  return expand_attention (self, op, FALSE, results, problem);
}

gboolean
ghlo_expand_mps_sdpa_bwd (GhloRewriter    *self,
                          const GhloIrOp  *op,
                          GhloIrValue    **results,
                          char           **problem)
{
  return expand_attention_gradients (self, op, FALSE, results, problem);
}

gboolean
ghlo_expand_mps_sdpa_causal (GhloRewriter    *self,
                             const GhloIrOp  *op,
                             GhloIrValue    **results,
                             char           **problem)
{
  return expand_attention (self, op, TRUE, results, problem);
}

gboolean
ghlo_expand_mps_sdpa_causal_bwd (GhloRewriter    *self,
                                 const GhloIrOp  *op,
                                 GhloIrValue    **results,
                                 char           **problem)
{
  return expand_attention_gradients (self, op, TRUE, results, problem);
}
