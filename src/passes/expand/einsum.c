/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sums of products in Einstein's notation as products, and torch_index_select as a gather. Sums over a dimension that
 * only one operand has, diagonals and ellipses are left to the executor.
 */

#include <string.h>

#include "passes/constant.h"
#include "passes/expand/expand.h"
#include "passes/expand/nn.h"

/* The terms of "ab,bc->ac", without spaces. */
typedef struct
{
  char *terms[3];               /* owned; the operands' and, at last, the result's */
  guint n_operands;
} Config;

static void
config_clear (Config *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->terms); i++)
    g_clear_pointer (&self->terms[i], g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Config, config_clear)

/* Whether the term names each of the dimensions once, by letters. */
static gboolean
is_term_of (const char       *term,
            const GhloIrType *type)
{
  if (strlen (term) != type->rank)
    return FALSE;
  for (const char *p = term; *p != '\0'; p++)
    if (!g_ascii_isalpha (*p) || strchr (p + 1, *p) != NULL)
      return FALSE;

  return TRUE;
}

static gboolean
config_read (Config         *self,
             const GhloIrOp *op)
{
  const char *text = ghlo_ir_op_get_string (op, "einsum_config");
  g_auto (GStrv) sides = text != NULL ? g_strsplit (text, "->", 0) : NULL;
  g_auto (GStrv) terms = NULL;
  guint n;

  if (sides == NULL || g_strv_length (sides) != 2)
    return FALSE;
  terms = g_strsplit (sides[0], ",", 0);
  n = g_strv_length (terms);
  if (n != op->n_operands || n > 2)
    return FALSE;
  self->n_operands = n;
  for (guint i = 0; i <= n; i++)
    {
      self->terms[i] = g_strdup (g_strstrip (i < n ? terms[i] : sides[1]));
      if (!is_term_of (self->terms[i], i < n ? ghlo_ir_op_operand (op, i)->type : op->results[0].type))
        return FALSE;
    }

  return TRUE;
}

/* Whether the dimensions that have a letter in common are equal, and each of the result's is one of an operand. */
static gboolean
sizes_agree (const Config   *self,
             const GhloIrOp *op)
{
  const char *last = self->terms[self->n_operands];

  for (guint r = 0; r < op->results[0].type->rank; r++)
    {
      gboolean found = FALSE;

      for (guint i = 0; i < self->n_operands; i++)
        {
          const char *place = strchr (self->terms[i], last[r]);

          if (place == NULL)
            continue;
          found = TRUE;
          if (ghlo_ir_op_operand (op, i)->type->dimensions[place - self->terms[i]]
              != op->results[0].type->dimensions[r])
            return FALSE;
        }
      if (!found)
        return FALSE;
    }

  return TRUE;
}

/* Puts the dimensions of @value, which @letters names in order, into the result's order. */
static GhloIrValue *
reorder (const Config  *self,
         GhloRewriter  *rewriter,
         GhloIrValue   *value,
         const GString *letters)
{
  const char *last = self->terms[self->n_operands];
  gint64 permutation[GHLO_MAX_RANK];

  if (strcmp (letters->str, last) == 0)
    return value;
  for (guint i = 0; i < letters->len; i++)
    permutation[i] = strchr (letters->str, last[i]) - letters->str;

  return ghlo_make_transpose (rewriter, value, permutation);
}

/* The dimensions of both operands: the ones to sum over, or, where @batch, those that the result has too. @letters
 * receives their names. FALSE where two of them differ in size. */
static gboolean
find_common (const Config   *self,
             const GhloIrOp *op,
             gboolean        batch,
             gint64          dimensions[2][GHLO_MAX_RANK],
             guint          *n,
             GString        *letters)
{
  const GhloIrType *lhs = ghlo_ir_op_operand (op, 0)->type, *rhs = ghlo_ir_op_operand (op, 1)->type;

  *n = 0;
  for (guint i = 0; i < lhs->rank; i++)
    {
      char letter = self->terms[0][i];
      const char *other = strchr (self->terms[1], letter);

      if (other == NULL || (strchr (self->terms[2], letter) != NULL) != batch)
        continue;
      if (lhs->dimensions[i] != rhs->dimensions[other - self->terms[1]])
        return FALSE;
      dimensions[0][*n] = i;
      dimensions[1][(*n)++] = other - self->terms[1];
      g_string_append_c (letters, letter);
    }

  return TRUE;
}

/* Appends the letters of the dimensions that only one side has. FALSE where the result lacks one. */
static gboolean
append_free (const Config *self,
             guint         side,
             GString      *letters)
{
  for (const char *p = self->terms[side]; *p != '\0'; p++)
    if (strchr (self->terms[1 - side], *p) == NULL)
      {
        if (strchr (self->terms[2], *p) == NULL)
          return FALSE;
        g_string_append_c (letters, *p);
      }

  return TRUE;
}

gboolean
ghlo_expand_einsum (GhloRewriter         *self,
                    const GhloIrOp       *op,
                    GhloIrValue         **results,
                    G_GNUC_UNUSED char  **problem)
{
  gint64 batch[2][GHLO_MAX_RANK], summed[2][GHLO_MAX_RANK], dimensions[GHLO_MAX_RANK];
  g_autoptr (GString) letters = g_string_new (NULL), ignored = g_string_new (NULL);
  g_auto (Config) config = { 0 };
  const GhloIrAttr *numbers;
  guint n_batch, n_summed;

  if (!ghlo_expand_is_plain (op) || op->n_operands != 2 || !config_read (&config, op) || !sizes_agree (&config, op)
      || !find_common (&config, op, TRUE, batch, &n_batch, letters)
      || !find_common (&config, op, FALSE, summed, &n_summed, ignored) || !append_free (&config, 0, letters)
      || !append_free (&config, 1, letters))
    return FALSE;
  for (guint i = 0; i < letters->len; i++)
    dimensions[i] = op->results[0].type->dimensions[strchr (config.terms[2], letters->str[i]) - config.terms[2]];
  numbers = ghlo_ir_attr_struct (self->module, GHLO_IR_STRUCT_DOT, (const GhloIrAttr *[]) {
    ghlo_ir_attr_i64s (self->module, batch[0], n_batch), ghlo_ir_attr_i64s (self->module, batch[1], n_batch),
    ghlo_ir_attr_i64s (self->module, summed[0], n_summed), ghlo_ir_attr_i64s (self->module, summed[1], n_summed),
  });
  results[0] = ghlo_make (self, GHLO_OP_STABLEHLO_DOT_GENERAL,
                          ghlo_make_type (self, op->results[0].type, dimensions, letters->len),
                          (GhloIrValue *[]) { ghlo_ir_op_operand (op, 0), ghlo_ir_op_operand (op, 1) }, 2,
                          &(GhloIrNamedAttr) { "dot_dimension_numbers", numbers }, 1);
  results[0] = reorder (&config, self, results[0], letters);

  return TRUE;
}

/* Only another order of dimensions, since sums are rounded once. A sum of one term is a zero and that term, so it is
 * not -0, which only some types have; of complex numbers it is a product, too, in which a NaN is in both parts. */
gboolean
ghlo_expand_unary_einsum (GhloRewriter         *self,
                          const GhloIrOp       *op,
                          GhloIrValue         **results,
                          G_GNUC_UNUSED char  **problem)
{
  g_autoptr (GString) letters = NULL;
  g_auto (Config) config = { 0 };

  if (!ghlo_expand_is_plain (op) || !config_read (&config, op) || !sizes_agree (&config, op)
      || ghlo_ir_op_operand (op, 0)->type->rank != op->results[0].type->rank
      || ghlo_element_type_is_complex (op->results[0].type->element_type))
    return FALSE;
  letters = g_string_new (config.terms[0]);
  results[0] = reorder (&config, self, ghlo_ir_op_operand (op, 0), letters);
  if (ghlo_type_is_ieee (results[0]->type))
    results[0] = ghlo_expand_with (self, GHLO_OP_STABLEHLO_ADD, results[0], 0);

  return TRUE;
}

/* Slices along one dimension, at the indices that belong to the same place of the first dimensions. */
gboolean
ghlo_expand_index_select (GhloRewriter         *self,
                          const GhloIrOp       *op,
                          GhloIrValue         **results,
                          G_GNUC_UNUSED char  **problem)
{
  const GhloIrType *operand = ghlo_ir_op_operand (op, 0)->type, *index = ghlo_ir_op_operand (op, 1)->type;
  gint64 dim = ghlo_ir_op_get_int (op, "dim", 0), n_batch = ghlo_ir_op_get_int (op, "batch_dims", 0);
  gint64 sizes[GHLO_MAX_RANK], offsets[GHLO_MAX_RANK], batch[GHLO_MAX_RANK];
  const GhloIrAttr *numbers, *batching, *selected;
  guint n_offsets = 0;

  dim += dim < 0 ? operand->rank : 0;
  n_batch += n_batch < 0 ? index->rank : 0;
  if (!ghlo_expand_is_plain (op) || !ghlo_type_is_integer (index) || dim < 0 || dim >= operand->rank || n_batch < 0
      || n_batch > MIN (dim, index->rank) || operand->dimensions[dim] == 0)
    return FALSE;
  for (gint64 i = 0; i < operand->rank; i++)
    {
      sizes[i] = i < n_batch || i == dim ? MIN (1, operand->dimensions[i]) : operand->dimensions[i];
      if (i < n_batch)
        batch[i] = i;
      else if (i != dim)
        offsets[n_offsets++] = i < dim ? i : i - 1 + index->rank - n_batch;
    }
  batching = ghlo_ir_attr_i64s (self->module, batch, n_batch);
  selected = ghlo_ir_attr_i64s (self->module, &dim, 1);
  numbers = ghlo_ir_attr_struct (self->module, GHLO_IR_STRUCT_GATHER, (const GhloIrAttr *[]) {
    ghlo_ir_attr_i64s (self->module, offsets, n_offsets), selected, batching, batching, selected,
    ghlo_ir_attr_i64 (self->module, index->rank),
  });
  results[0] = ghlo_make (self, GHLO_OP_STABLEHLO_GATHER, op->results[0].type,
                          (GhloIrValue *[]) { ghlo_ir_op_operand (op, 0), ghlo_ir_op_operand (op, 1) }, 2,
                          (GhloIrNamedAttr[]) {
                            { "dimension_numbers", numbers },
                            { "slice_sizes", ghlo_ir_attr_i64s (self->module, sizes, operand->rank) },
                          }, 2);

  return TRUE;
}
