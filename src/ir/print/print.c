/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Prints operations, regions and the generic form.
 *
 * Reading the printed text, in the pretty or the generic form, gives an equal module, which prints as the same text.
 */

#include "ir/print/print.h"

#include <string.h>

#include "base/ghlo-error.h"
#include "ir/print/print-private.h"

enum { INDENT = 2 };

/* The dialect prefix that operations inside @op omit; inside the generic form they omit none. */
static const char *
inner_dialect (const GhloIrOp *op)
{
  if (!ghlo_ir_has_pretty_form (op))
    return "";
  if (op->kind == GHLO_OP_BUILTIN_MODULE)
    return "builtin.";
  if (op->kind == GHLO_OP_FUNC_FUNC)
    return "func.";

  return "";
}

void
ghlo_ir_put_operands (GhloIrPrinter  *self,
                      const GhloIrOp *op,
                      guint           first,
                      guint           n)
{
  for (guint i = 0; i < n; i++)
    {
      g_string_append (self->out, i > 0 ? ", " : "");
      ghlo_ir_put_value (self, ghlo_ir_op_operand (op, first + i));
    }
}

void
ghlo_ir_put_functional (GhloIrPrinter  *self,
                        const GhloIrOp *op)
{
  gboolean bare = op->n_results == 1 && op->results[0].type->kind != GHLO_IR_TYPE_FUNCTION;

  g_string_append_c (self->out, '(');
  for (guint i = 0; i < op->n_operands; i++)
    {
      g_string_append (self->out, i > 0 ? ", " : "");
      ghlo_ir_put_type (self, ghlo_ir_op_operand (op, i)->type);
    }
  g_string_append (self->out, bare ? ") -> " : ") -> (");
  for (guint i = 0; i < op->n_results; i++)
    {
      g_string_append (self->out, i > 0 ? ", " : "");
      ghlo_ir_put_type (self, op->results[i].type);
    }
  g_string_append (self->out, bare ? "" : ")");
}

/* A dictionary printed entry by entry; the opening bracket comes with the first entry. */
typedef struct
{
  GhloIrPrinter *printer;
  const char    *open;
  gsize          n;
} Dictionary;

static void
put_name (Dictionary *dictionary,
          const char *name)
{
  g_string_append (dictionary->printer->out, dictionary->n++ == 0 ? dictionary->open : ", ");
  ghlo_ir_put_keyword (dictionary->printer->out, name);
}

static void
put_entry (Dictionary       *dictionary,
           const char       *name,
           const GhloIrAttr *value)
{
  put_name (dictionary, name);
  if (value->kind == GHLO_IR_ATTR_UNIT)
    return;
  g_string_append (dictionary->printer->out, " = ");
  ghlo_ir_put_attr (dictionary->printer, value, GHLO_IR_TYPED);
}

static int
compare_rows (gconstpointer a,
              gconstpointer b,
              gpointer      data)
{
  const GhloIrAttrSpec *specs = data;

  return strcmp (specs[*(const guint8 *) a].name, specs[*(const guint8 *) b].name);
}

/* Sorts the row's attributes by name. */
static guint
sort_inherent (const GhloIrOpSpec *spec,
               guint8             *order)
{
  for (guint i = 0; i < spec->n_attributes; i++)
    order[i] = (guint8) i;
  g_qsort_with_data (order, spec->n_attributes, sizeof order[0], compare_rows, (gpointer) spec->attributes);

  return spec->n_attributes;
}

/* " <{…}>": the inherent attributes; absent ones are printed with their defaults. */
static void
put_properties (GhloIrPrinter  *self,
                const GhloIrOp *op)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_get_spec (op);
  Dictionary dictionary = { self, " <{", 0 };
  guint8 order[G_MAXUINT8] = { 0 };
  guint n = op->kind != GHLO_OP_UNREGISTERED ? sort_inherent (spec, order) : 0;

  for (guint i = 0; i < n; i++)
    {
      const GhloIrAttrSpec *row = &spec->attributes[order[i]];

      if (op->attributes[order[i]] != NULL)
        put_entry (&dictionary, row->name, op->attributes[order[i]]);
      else if (row->presence == GHLO_IR_DEFAULTED)
        {
          put_name (&dictionary, row->name);
          g_string_append_printf (self->out, " = %s", row->fallback);
        }
    }
  g_string_append (self->out, dictionary.n > 0 ? "}>" : "");
}

void
ghlo_ir_put_attr_dict (GhloIrPrinter  *self,
                       const GhloIrOp *op,
                       guint64         shown,
                       const char     *keyword)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_get_spec (op);
  g_autofree char *open = g_strdup_printf (" %s{", keyword != NULL ? keyword : "");
  Dictionary dictionary = { self, open, 0 };
  guint8 order[G_MAXUINT8] = { 0 };
  guint n = sort_inherent (spec, order), discardable = 0;

  /* Both lists are sorted by name and are merged here. */
  for (guint i = 0; i < n; i++)
    {
      const GhloIrAttrSpec *row = &spec->attributes[order[i]];
      const GhloIrAttr *value = op->attributes[order[i]];

      if (value == NULL || (shown >> order[i] & 1) || ghlo_ir_attr_is_default (row, value))
        continue;
      for (; discardable < op->n_discardable && strcmp (op->discardable[discardable].name, row->name) < 0;
           discardable++)
        put_entry (&dictionary, op->discardable[discardable].name, op->discardable[discardable].value);
      put_entry (&dictionary, row->name, value);
    }
  for (; discardable < op->n_discardable; discardable++)
    put_entry (&dictionary, op->discardable[discardable].name, op->discardable[discardable].value);
  g_string_append (self->out, dictionary.n > 0 ? "}" : "");
}

static void
put_regions (GhloIrPrinter  *self,
             const GhloIrOp *op)
{
  for (guint i = 0; i < op->n_regions; i++)
    {
      g_string_append (self->out, i > 0 ? ", " : " (");
      ghlo_ir_put_region (self, &op->regions[i], TRUE);
    }
  g_string_append (self->out, op->n_regions > 0 ? ")" : "");
}

void
ghlo_ir_put_generic_body (GhloIrPrinter  *self,
                          const GhloIrOp *op)
{
  g_string_append_c (self->out, '(');
  ghlo_ir_put_operands (self, op, 0, op->n_operands);
  g_string_append_c (self->out, ')');
  put_properties (self, op);
  put_regions (self, op);
  if (op->n_discardable > 0)
    {
      g_string_append_c (self->out, ' ');
      ghlo_ir_put_entries (self, op->discardable, op->n_discardable);
    }
  g_string_append (self->out, " : ");
  ghlo_ir_put_functional (self, op);
}

void
ghlo_ir_put_argument (GhloIrPrinter     *self,
                      const GhloIrValue *argument)
{
  ghlo_ir_put_value (self, argument);
  g_string_append (self->out, ": ");
  ghlo_ir_put_type (self, argument->type);
  ghlo_ir_put_location (self, argument->location);
}

static void
put_label (GhloIrPrinter     *self,
           const GhloIrBlock *block,
           guint              number)
{
  ghlo_ir_put_newline (self);
  g_string_append_printf (self->out, "^bb%u", number);
  for (guint i = 0; i < block->n_arguments; i++)
    {
      g_string_append (self->out, i > 0 ? ", " : "(");
      ghlo_ir_put_argument (self, block->arguments[i]);
    }
  g_string_append (self->out, block->n_arguments > 0 ? "):" : ":");
}

static void
put_block (GhloIrPrinter     *self,
           const GhloIrBlock *block)
{
  self->indent += INDENT;
  for (const GhloIrOp *op = block->first; op != NULL; op = op->next)
    {
      ghlo_ir_put_newline (self);
      ghlo_ir_put_op (self, op);
    }
  self->indent -= INDENT;
}

void
ghlo_ir_put_region (GhloIrPrinter      *self,
                    const GhloIrRegion *region,
                    gboolean            label)
{
  const char *outer = self->dialect;
  guint number = 0;

  self->dialect = self->flags & GHLO_IR_PRINT_GENERIC ? "" : inner_dialect (region->op);
  g_string_append_c (self->out, '{');
  for (const GhloIrBlock *block = region->first; block != NULL; block = block->next, number++)
    {
      /* The first block needs a label only if it has arguments or is empty. */
      if (number > 0 || (label && (block->n_arguments > 0 || block->first == NULL)))
        put_label (self, block, number);
      put_block (self, block);
    }
  ghlo_ir_put_newline (self);
  g_string_append_c (self->out, '}');
  self->dialect = outer;
}

void
ghlo_ir_put_op (GhloIrPrinter  *self,
                const GhloIrOp *op)
{
  const char *name = ghlo_ir_op_get_name (op);

  ghlo_ir_put_result_names (self, op);
  if ((self->flags & GHLO_IR_PRINT_GENERIC) || !ghlo_ir_has_pretty_form (op))
    {
      g_string_append_printf (self->out, "\"%s\"", name);
      ghlo_ir_put_generic_body (self, op);
    }
  else
    {
      if (self->dialect[0] != '\0' && g_str_has_prefix (name, self->dialect))
        name += strlen (self->dialect);
      g_string_append (self->out, name);
      ghlo_ir_put_pretty (self, op);
    }
  ghlo_ir_put_location (self, op->location);
}

void
ghlo_ir_print_op (const GhloIrOp   *op,
                  GhloIrPrintFlags  flags,
                  GString          *string)
{
  GhloIrPrinter printer = { .out = string, .flags = flags, .dialect = "" };

  if (!(flags & GHLO_IR_PRINT_GENERIC))
    printer.dialect = op->block != NULL ? inner_dialect (op->block->region->op) : "builtin.";
  printer.names = ghlo_ir_names_new (op, (flags & GHLO_IR_PRINT_GENERIC) != 0);
  ghlo_ir_put_op (&printer, op);
  ghlo_ir_names_free (printer.names);
  g_clear_pointer (&printer.resources, g_hash_table_unref);
}

gboolean
ghlo_ir_print (const GhloIrModule *module,
               GhloIrPrintFlags    flags,
               GString            *string)
{
  GhloIrPrinter printer = { .out = string, .flags = flags, .dialect = "builtin." };

  if (flags & GHLO_IR_PRINT_GENERIC)
    printer.dialect = "";
  printer.names = ghlo_ir_names_new (module->op, (flags & GHLO_IR_PRINT_GENERIC) != 0);
  ghlo_ir_put_op (&printer, module->op);
  g_string_append_c (string, '\n');
  ghlo_ir_put_resources (&printer);
  ghlo_ir_names_free (printer.names);
  g_clear_pointer (&printer.resources, g_hash_table_unref);

  return !printer.is_cut;
}

char *
ghlo_ir_to_string (const GhloIrModule *module,
                   GhloIrPrintFlags    flags)
{
  GString *string = g_string_new (NULL);
  gboolean is_whole = ghlo_ir_print (module, flags, string);

  return g_string_free (string, !is_whole);
}

char *
ghlo_ir_to_text (const GhloIrModule  *module,
                 GhloIrPrintFlags     flags,
                 GError             **error)
{
  char *text = ghlo_ir_to_string (module, flags);

  if (text == NULL)
    g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY,
                         "expected memory for the program's text, in which two characters stand for each byte of a "
                         "large constant, found less; leave such constants out, or write an artifact");

  return text;
}
