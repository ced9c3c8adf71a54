/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Names values as MLIR does: %0, %1, … for results, %arg0, … for arguments, and words for the results of some
 * operations (%cst, %c_0) and for the arguments of loops (%iterArg). All values of a region are named before those of
 * nested regions, which continue its numbers; sibling regions use the same numbers.
 */

#include <string.h>

#include "base/hash.h"
#include "ir/print/print-private.h"

typedef struct
{
  guint value;      /* the next %N */
  guint argument;   /* the next %argN */
  guint conflict;   /* the next suffix _N for a word that is in use */
} Counters;

struct _GhloIrNames
{
  GHashTable   *names;      /* GhloIrValue → name without %; a result that shares the name of an earlier one has no
                               entry */
  GHashTable   *used;       /* words in use in the region being named */
  GPtrArray    *order;      /* the words of @used, latest last */
  GStringChunk *text;
  Counters      counters;
  gboolean      generic;    /* numbers only */
};

static void
set_name (GhloIrNames       *self,
          const GhloIrValue *value,
          const char        *name)
{
  g_hash_table_insert (self->names, (gpointer) value, g_string_chunk_insert (self->text, name));
}

static void
number_value (GhloIrNames       *self,
              const GhloIrValue *value)
{
  char number[16];

  g_snprintf (number, sizeof number, "%u", self->counters.value++);
  set_name (self, value, number);
}

/* Names @value with @word, plus a suffix if the word is in use. */
static void
name_value (GhloIrNames       *self,
            const GhloIrValue *value,
            const char        *word)
{
  g_autoptr (GString) name = g_string_new (word);
  char *copy;

  while (g_hash_table_contains (self->used, name->str))
    {
      g_string_assign (name, word);
      g_string_append_printf (name, "_%u", self->counters.conflict++);
    }
  copy = g_string_chunk_insert (self->text, name->str);
  g_hash_table_add (self->used, copy);
  g_ptr_array_add (self->order, copy);
  g_hash_table_insert (self->names, (gpointer) value, copy);
}

static gboolean
is_integer_constant (const GhloIrOp *op)
{
  const GhloIrType *type = op->results[0].type;
  GhloElementClass element_class = ghlo_element_info (type->element_type)->element_class;

  return type->quantization == NULL && type->element_type != GHLO_ELEMENT_TYPE_INDEX
         && (element_class == GHLO_ELEMENT_CLASS_BOOLEAN || element_class == GHLO_ELEMENT_CLASS_SIGNED
             || element_class == GHLO_ELEMENT_CLASS_UNSIGNED);
}

/* Names a constant "c5_i32", "true" or "cst". */
static void
name_arith_constant (GhloIrNames    *self,
                     const GhloIrOp *op)
{
  const GhloIrAttr *value = ghlo_ir_op_get (op, "value");
  g_autoptr (GString) word = g_string_new (NULL);

  if (ghlo_ir_attr_is (value, GHLO_IR_ATTR_BOOL))
    g_string_append (word, value->integer ? "true" : "false");
  else if (ghlo_ir_attr_is (value, GHLO_IR_ATTR_INTEGER) && value->type->kind == GHLO_IR_TYPE_ELEMENT)
    {
      g_string_append_printf (word, "c%" G_GINT64_FORMAT, value->integer);
      if (value->type->element_type != GHLO_ELEMENT_TYPE_INDEX)
        {
          g_string_append_c (word, '_');
          ghlo_ir_type_append (value->type, word);
        }
    }
  else
    g_string_append (word, "cst");
  name_value (self, &op->results[0], word->str);
}

/* Whether the row has several result groups of one value each, so that each result has a name of its own. */
static gboolean
has_named_results (const GhloIrOp *op)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_get_spec (op);

  if (spec->n_results < 2 || spec->n_results != op->n_results)
    return FALSE;
  for (guint i = 0; i < spec->n_results; i++)
    if (spec->results[i].arity != GHLO_IR_ONE)
      return FALSE;

  return TRUE;
}

static void
name_results (GhloIrNames    *self,
              const GhloIrOp *op)
{
  if (op->n_results == 0)
    return;

  if (self->generic)
    number_value (self, &op->results[0]);
  else if (op->kind == GHLO_OP_STABLEHLO_CONSTANT)
    name_value (self, &op->results[0], is_integer_constant (op) ? "c" : "cst");
  else if (op->kind == GHLO_OP_ARITH_CONSTANT)
    name_arith_constant (self, op);
  else if (op->kind == GHLO_OP_TENSOR_CAST)
    name_value (self, &op->results[0], "cast");
  else if (has_named_results (op))
    for (guint i = 0; i < op->n_results; i++)
      name_value (self, &op->results[i], ghlo_ir_op_get_spec (op)->results[i].name);
  else
    number_value (self, &op->results[0]);
}

static void
name_arguments (GhloIrNames       *self,
                const GhloIrBlock *block)
{
  gboolean is_loop = !self->generic && block->region->op != NULL && block->region->op->kind == GHLO_OP_STABLEHLO_WHILE;
  char word[24];

  for (guint i = 0; i < block->n_arguments; i++)
    {
      if (is_loop)
        name_value (self, block->arguments[i], "iterArg");
      else if (block->previous != NULL)
        number_value (self, block->arguments[i]);
      else
        {
          g_snprintf (word, sizeof word, "arg%u", self->counters.argument++);
          name_value (self, block->arguments[i], word);
        }
    }
}

static void
name_region (GhloIrNames        *self,
             const GhloIrRegion *region,
             Counters            counters)
{
  guint height = self->order->len;

  self->counters = counters;
  for (const GhloIrBlock *block = region->first; block != NULL; block = block->next)
    {
      name_arguments (self, block);
      for (const GhloIrOp *op = block->first; op != NULL; op = op->next)
        name_results (self, op);
    }

  counters = self->counters;
  for (const GhloIrBlock *block = region->first; block != NULL; block = block->next)
    for (const GhloIrOp *op = block->first; op != NULL; op = op->next)
      for (guint i = 0; i < op->n_regions; i++)
        name_region (self, &op->regions[i], counters);

  for (guint i = height; i < self->order->len; i++)
    g_hash_table_remove (self->used, g_ptr_array_index (self->order, i));
  g_ptr_array_set_size (self->order, height);
}

static gboolean
is_inside (const GhloIrValue *value,
           const GhloIrOp    *op)
{
  const GhloIrOp *at = value->op != NULL ? value->op : value->block->region->op;

  while (at != NULL && at != op)
    at = ghlo_ir_op_get_parent (at);

  return at == op;
}

/* Numbers the values from outside @top that @op or its regions use. */
static void
number_outer (GhloIrNames    *self,
              const GhloIrOp *top,
              const GhloIrOp *op)
{
  for (guint i = 0; i < op->n_operands; i++)
    {
      const GhloIrValue *value = ghlo_ir_op_operand (op, i);

      if (!g_hash_table_contains (self->names, value) && !is_inside (value, top))
        number_value (self, value);
    }
  for (guint i = 0; i < op->n_regions; i++)
    for (const GhloIrBlock *block = op->regions[i].first; block != NULL; block = block->next)
      for (const GhloIrOp *inner = block->first; inner != NULL; inner = inner->next)
        number_outer (self, top, inner);
}

GhloIrNames *
ghlo_ir_names_new (const GhloIrOp *op,
                   gboolean        generic)
{
  GhloIrNames *self = g_new0 (GhloIrNames, 1);
  Counters counters;

  self->names = g_hash_table_new (NULL, NULL);
  self->used = g_hash_table_new (ghlo_hash_string, g_str_equal);
  self->order = g_ptr_array_new ();
  self->text = g_string_chunk_new (1024);
  self->generic = generic;

  if (op->block != NULL)
    number_outer (self, op, op);
  name_results (self, op);
  counters = self->counters;
  for (guint i = 0; i < op->n_regions; i++)
    name_region (self, &op->regions[i], counters);

  return self;
}

void
ghlo_ir_names_free (GhloIrNames *self)
{
  g_hash_table_unref (self->names);
  g_hash_table_unref (self->used);
  g_ptr_array_unref (self->order);
  g_string_chunk_free (self->text);
  g_free (self);
}

void
ghlo_ir_put_value (GhloIrPrinter     *self,
                   const GhloIrValue *value)
{
  const char *name = g_hash_table_lookup (self->names->names, value);

  if (name != NULL)
    g_string_append_printf (self->out, "%%%s", name);
  else if (value->op != NULL && value->index > 0
           && (name = g_hash_table_lookup (self->names->names, &value->op->results[0])) != NULL)
    g_string_append_printf (self->out, "%%%s#%u", name, value->index);
  else
    g_string_append (self->out, "%unknown");

  /* The first of several results that share one name. */
  if (name != NULL && value->op != NULL && value->index == 0 && value->op->n_results > 1
      && !g_hash_table_contains (self->names->names, &value->op->results[1]))
    g_string_append (self->out, "#0");
}

void
ghlo_ir_put_result_names (GhloIrPrinter  *self,
                          const GhloIrOp *op)
{
  gboolean apart;

  if (op->n_results == 0)
    return;

  apart = op->n_results == 1 || g_hash_table_contains (self->names->names, &op->results[1]);
  for (guint i = 0; i < (apart ? op->n_results : 1); i++)
    g_string_append_printf (self->out, "%s%%%s", i > 0 ? ", " : "",
                            (const char *) g_hash_table_lookup (self->names->names, &op->results[i]));
  if (!apart)
    g_string_append_printf (self->out, ":%u", op->n_results);
  g_string_append (self->out, " = ");
}
