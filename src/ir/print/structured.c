/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Directives that make up the whole pretty form of an operation: modules, functions, reduce, while, scan.
 */

#include <string.h>

#include "ir/print/print-private.h"

static gboolean
is_plain_string (const GhloIrAttr *attr)
{
  return ghlo_ir_attr_is (attr, GHLO_IR_ATTR_STRING) && strlen (attr->text) == attr->length;
}

static void
put_module (GhloIrPrinter  *self,
            const GhloIrOp *op,
            guint64         shown)
{
  const char *name = ghlo_ir_op_get_string (op, "sym_name");

  if (name != NULL)
    {
      g_string_append_c (self->out, ' ');
      ghlo_ir_put_symbol (self->out, name);
    }
  ghlo_ir_put_attr_dict (self, op, shown, "attributes ");
  g_string_append_c (self->out, ' ');
  ghlo_ir_put_region (self, &op->regions[0], FALSE);
}

/* At most one block, without arguments. */
static gboolean
has_module_form (const GhloIrOp *op)
{
  const GhloIrAttr *name = ghlo_ir_op_get (op, "sym_name");
  const GhloIrBlock *block = op->regions[0].first;

  return (name == NULL || is_plain_string (name))
         && (block == NULL || (block->next == NULL && block->n_arguments == 0));
}

/* Puts the dictionary of argument or result @index unless it is empty. */
static void
put_value_attrs (GhloIrPrinter    *self,
                 const GhloIrAttr *dictionaries,
                 guint             index)
{
  const GhloIrAttr *dictionary = dictionaries != NULL ? dictionaries->children[index] : NULL;

  if (dictionary == NULL || dictionary->length == 0)
    return;
  g_string_append_c (self->out, ' ');
  ghlo_ir_put_entries (self, dictionary->entries, dictionary->length);
}

static void
put_arguments (GhloIrPrinter     *self,
               const GhloIrType  *type,
               const GhloIrAttr  *attrs,
               const GhloIrBlock *body)
{
  g_string_append_c (self->out, '(');
  for (guint i = 0; i < type->rank; i++)
    {
      g_string_append (self->out, i > 0 ? ", " : "");
      if (body != NULL)
        {
          ghlo_ir_put_value (self, body->arguments[i]);
          g_string_append (self->out, ": ");
        }
      ghlo_ir_put_type (self, type->members[i]);
      put_value_attrs (self, attrs, i);
      if (body != NULL)
        ghlo_ir_put_location (self, body->arguments[i]->location);
    }
  g_string_append_c (self->out, ')');
}

static gboolean
needs_brackets (const GhloIrType *type,
                const GhloIrAttr *attrs)
{
  return type->n_results > 1 || type->members[type->rank]->kind == GHLO_IR_TYPE_FUNCTION
         || (attrs != NULL && attrs->children[0]->length > 0);
}

static void
put_results (GhloIrPrinter    *self,
             const GhloIrType *type,
             const GhloIrAttr *attrs)
{
  gboolean brackets;

  if (type->n_results == 0)
    return;

  brackets = needs_brackets (type, attrs);
  g_string_append (self->out, brackets ? " -> (" : " -> ");
  for (guint i = 0; i < type->n_results; i++)
    {
      g_string_append (self->out, i > 0 ? ", " : "");
      ghlo_ir_put_type (self, type->members[type->rank + i]);
      put_value_attrs (self, attrs, i);
    }
  g_string_append (self->out, brackets ? ")" : "");
}

static void
put_func (GhloIrPrinter  *self,
          const GhloIrOp *op,
          guint64         shown)
{
  const GhloIrType *type = ghlo_ir_op_get (op, "function_type")->type;
  const char *visibility = ghlo_ir_op_get_string (op, "sym_visibility");

  if (visibility != NULL)
    g_string_append_printf (self->out, " %s", visibility);
  g_string_append_c (self->out, ' ');
  ghlo_ir_put_symbol (self->out, ghlo_ir_op_get_string (op, "sym_name"));
  put_arguments (self, type, ghlo_ir_op_get (op, "arg_attrs"), op->regions[0].first);
  put_results (self, type, ghlo_ir_op_get (op, "res_attrs"));
  ghlo_ir_put_attr_dict (self, op, shown, "attributes ");
  if (op->regions[0].first != NULL)
    {
      g_string_append_c (self->out, ' ');
      ghlo_ir_put_region (self, &op->regions[0], FALSE);
    }
}

/* Whether @attrs is NULL or has one dictionary for each of @n values, not all of them empty. */
static gboolean
are_value_attrs (const GhloIrAttr *attrs,
                 guint             n)
{
  gsize n_entries = 0;

  if (attrs == NULL)
    return TRUE;
  if (attrs->kind != GHLO_IR_ATTR_ARRAY || attrs->length != n)
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      if (attrs->children[i]->kind != GHLO_IR_ATTR_DICTIONARY)
        return FALSE;
      n_entries += attrs->children[i]->length;
    }

  return n_entries > 0 || n == 0;
}

static gboolean
is_visibility (const GhloIrAttr *attr)
{
  return attr == NULL
         || (is_plain_string (attr)
             && (strcmp (attr->text, "public") == 0 || strcmp (attr->text, "private") == 0
                 || strcmp (attr->text, "nested") == 0));
}

static gboolean
has_func_form (const GhloIrOp *op)
{
  const GhloIrAttr *type = ghlo_ir_op_get (op, "function_type");
  const GhloIrBlock *body = op->regions[0].first;

  if (!is_plain_string (ghlo_ir_op_get (op, "sym_name")) || !is_visibility (ghlo_ir_op_get (op, "sym_visibility"))
      || !ghlo_ir_attr_is (type, GHLO_IR_ATTR_TYPE) || type->type->kind != GHLO_IR_TYPE_FUNCTION)
    return FALSE;
  if (!are_value_attrs (ghlo_ir_op_get (op, "arg_attrs"), type->type->rank)
      || !are_value_attrs (ghlo_ir_op_get (op, "res_attrs"), type->type->n_results))
    return FALSE;
  if (body == NULL)
    return TRUE;
  if (body->n_arguments != type->type->rank)
    return FALSE;
  for (guint i = 0; i < body->n_arguments; i++)
    if (body->arguments[i]->type != type->type->members[i])
      return FALSE;

  return TRUE;
}

static gboolean
has_no_attributes (const GhloIrOp *op)
{
  for (guint i = 0; i < ghlo_ir_op_get_spec (op)->n_attributes; i++)
    if (op->attributes[i] != NULL)
      return FALSE;

  return op->n_discardable == 0;
}

/* Whether @scalar is a tensor of rank 0 with the elements of @type. */
static gboolean
is_scalar_of (const GhloIrType *scalar,
              const GhloIrType *type)
{
  return scalar->kind == GHLO_IR_TYPE_TENSOR && scalar->rank == 0 && scalar->encoding == NULL
         && (type->kind == GHLO_IR_TYPE_TENSOR || type->kind == GHLO_IR_TYPE_UNRANKED)
         && scalar->element_type == type->element_type && scalar->quantization == type->quantization
         && scalar->text == type->text;
}

/* Returns the operation that a reduce "applies", or NULL. It must be the body's only one, commutative, without
 * attributes, applied to the body's two arguments in order, and its result must be returned. */
static const GhloIrOp *
find_applied (const GhloIrOp *op)
{
  const GhloIrBlock *block = ghlo_ir_op_region_block (op, 0);
  const GhloIrOp *inner, *terminator;
  const GhloIrOpSpec *spec;

  if (block == NULL || op->n_operands != 2 || block->n_arguments != 2 || block->first == NULL
      || block->first->next != block->last || block->first == block->last)
    return NULL;
  inner = block->first;
  terminator = block->last;
  spec = ghlo_ir_op_get_spec (inner);

  if (!(spec->traits & GHLO_IR_TRAIT_COMMUTATIVE) || !g_str_has_prefix (spec->name, "stablehlo.")
      || inner->n_operands != 2 || inner->n_results != 1 || inner->n_regions != 0 || !has_no_attributes (inner))
    return NULL;
  for (guint i = 0; i < 2; i++)
    if (ghlo_ir_op_operand (inner, i) != block->arguments[i]
        || !is_scalar_of (block->arguments[i]->type, ghlo_ir_op_operand (op, 0)->type))
      return NULL;
  if (inner->results[0].type != block->arguments[0]->type || block->arguments[1]->type != block->arguments[0]->type)
    return NULL;
  if (terminator->kind != GHLO_OP_STABLEHLO_RETURN || terminator->n_operands != 1
      || ghlo_ir_op_operand (terminator, 0) != &inner->results[0] || !has_no_attributes (terminator))
    return NULL;

  return inner;
}

static void
put_reducer (GhloIrPrinter  *self,
             const GhloIrOp *op)
{
  const GhloIrBlock *block = ghlo_ir_op_region_block (op, 0);
  guint n = op->n_operands / 2;

  ghlo_ir_put_newline (self);
  g_string_append (self->out, " reducer");
  for (guint i = 0; i < n; i++)
    {
      g_string_append_c (self->out, '(');
      ghlo_ir_put_argument (self, block->arguments[i]);
      g_string_append (self->out, ", ");
      ghlo_ir_put_argument (self, block->arguments[n + i]);
      g_string_append (self->out, ") ");
    }
  g_string_append_c (self->out, ' ');
  ghlo_ir_put_region (self, &op->regions[0], FALSE);
}

static void
put_reduce (GhloIrPrinter  *self,
            const GhloIrOp *op,
            guint64         shown)
{
  const GhloIrOp *applied = find_applied (op);
  guint n = op->n_operands / 2;
  const gint64 *dims;
  gsize n_dims;

  for (guint i = 0; i < n; i++)
    {
      g_string_append (self->out, i > 0 ? ", (" : "(");
      ghlo_ir_put_value (self, ghlo_ir_op_operand (op, i));
      g_string_append (self->out, " init: ");
      ghlo_ir_put_value (self, ghlo_ir_op_operand (op, n + i));
      g_string_append_c (self->out, ')');
    }
  if (applied != NULL)
    g_string_append_printf (self->out, " applies %s", ghlo_ir_op_get_spec (applied)->name);
  g_string_append (self->out, " across dimensions = ");
  dims = ghlo_ir_op_get_ints (op, "dimensions", &n_dims);
  ghlo_ir_put_dims (self, dims, n_dims);
  ghlo_ir_put_attr_dict (self, op, shown, NULL);
  g_string_append (self->out, " : ");
  ghlo_ir_put_functional (self, op);
  if (applied == NULL)
    put_reducer (self, op);
}

static gboolean
has_reduce_form (const GhloIrOp *op)
{
  const GhloIrBlock *block = ghlo_ir_op_region_block (op, 0);

  return block != NULL && op->n_operands > 0 && op->n_operands % 2 == 0 && block->n_arguments == op->n_operands
         && ghlo_ir_attr_is_i64s (ghlo_ir_op_get (op, "dimensions"));
}

static void
put_while (GhloIrPrinter  *self,
           const GhloIrOp *op,
           guint64         shown)
{
  const GhloIrBlock *body = ghlo_ir_op_region_block (op, 1);

  g_string_append_c (self->out, '(');
  for (guint i = 0; i < op->n_operands; i++)
    {
      g_string_append (self->out, i > 0 ? ", " : "");
      ghlo_ir_put_value (self, body->arguments[i]);
      g_string_append (self->out, " = ");
      ghlo_ir_put_value (self, ghlo_ir_op_operand (op, i));
    }
  g_string_append (self->out, op->n_operands > 0 ? ") : " : ")");
  for (guint i = 0; i < op->n_operands; i++)
    {
      g_string_append (self->out, i > 0 ? ", " : "");
      ghlo_ir_put_type (self, ghlo_ir_op_operand (op, i)->type);
    }
  ghlo_ir_put_attr_dict (self, op, shown, "attributes ");

  ghlo_ir_put_newline (self);
  g_string_append (self->out, "cond ");
  ghlo_ir_put_region (self, &op->regions[0], FALSE);
  g_string_append (self->out, " do ");
  ghlo_ir_put_region (self, &op->regions[1], FALSE);
}

/* The form states one type for operand, result and both arguments, and cannot express locations of arguments. */
static gboolean
has_while_form (const GhloIrOp *op)
{
  if (op->n_results != op->n_operands)
    return FALSE;

  for (guint i = 0; i < 2; i++)
    {
      const GhloIrBlock *block = ghlo_ir_op_region_block (op, i);

      if (block == NULL || block->n_arguments != op->n_operands)
        return FALSE;
      for (guint j = 0; j < op->n_operands; j++)
        if (block->arguments[j]->type != ghlo_ir_op_operand (op, j)->type
            || op->results[j].type != block->arguments[j]->type)
          return FALSE;
    }

  return TRUE;
}

static void
put_scan (GhloIrPrinter  *self,
          const GhloIrOp *op,
          guint64         shown)
{
  guint first, n;

  ghlo_ir_op_operand_group (op, 0, &first, &n);
  g_string_append_c (self->out, '(');
  ghlo_ir_put_operands (self, op, first, n);
  g_string_append (self->out, ") inits (");
  ghlo_ir_op_operand_group (op, 1, &first, &n);
  ghlo_ir_put_operands (self, op, first, n);
  g_string_append_printf (self->out, ") dimension=%" G_GINT64_FORMAT, ghlo_ir_op_get_int (op, "dimension", 0));
  ghlo_ir_put_attr_dict (self, op, shown, "attributes ");
  g_string_append_c (self->out, ' ');
  ghlo_ir_put_region (self, &op->regions[0], TRUE);
  g_string_append (self->out, " : ");
  ghlo_ir_put_functional (self, op);
}

/* Readers assume as many carried results as there are initial values. */
static gboolean
has_scan_form (const GhloIrOp *op)
{
  const GhloIrAttr *dimension = ghlo_ir_op_get (op, "dimension");
  guint first, n_inits, n_carries;

  return ghlo_ir_attr_is (dimension, GHLO_IR_ATTR_INTEGER) && dimension->type->element_type == GHLO_ELEMENT_TYPE_I64
         && ghlo_ir_op_operand_group (op, 1, &first, &n_inits)
         && ghlo_ir_op_result_group (op, 1, &first, &n_carries) && n_inits == n_carries;
}

static const GhloIrPrintDirective directives[GHLO_IR_N_DIRECTIVES] = {
  [GHLO_IR_DIRECTIVE_MODULE] = { put_module, has_module_form, TRUE },
  [GHLO_IR_DIRECTIVE_FUNC] = { put_func, has_func_form, TRUE },
  [GHLO_IR_DIRECTIVE_REDUCE] = { put_reduce, has_reduce_form, TRUE },
  [GHLO_IR_DIRECTIVE_WHILE] = { put_while, has_while_form, TRUE },
  [GHLO_IR_DIRECTIVE_SCAN] = { put_scan, has_scan_form, TRUE },
};

const GhloIrPrintDirective *
ghlo_ir_print_structured_directive (GhloIrAsmDirective directive)
{
  return directives[directive].put != NULL ? &directives[directive] : NULL;
}
