/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Creates an operation that has been read: the names of its operands are resolved to values, its regions and
 * attributes are handed over, and its results get their names.
 */

#include <string.h>

#include "import/text/parser.h"

static gboolean
fail_use (GhloImportParser     *self,
          const GhloImportName *name,
          GhloImportScopeResult result,
          const GhloIrType     *type,
          const GhloIrType     *other)
{
  GhloImportPosition position = { name->line, name->column };
  g_autofree char *quote = ghlo_import_quote (name->text, name->length);
  g_autofree char *wanted = NULL, *found = NULL;

  if (result == GHLO_IMPORT_SCOPE_RANGE)
    return ghlo_import_fail_at (self, position,
                                "expected a result of '%%%s', found number %u, which it does not have",
                                quote, name->number);
  wanted = ghlo_ir_type_to_string (type);
  found = ghlo_ir_type_to_string (other);

  return ghlo_import_fail_at (self, position, "expected '%%%s' to have the type %s, found %s", quote, wanted, found);
}

/* Resolves the operands' names and types to values. */
static gboolean
resolve_operands (GhloImportParser *self,
                  GhloImportOp     *op,
                  GhloIrValue     **values)
{
  if (op->operands.n != op->operand_types.n)
    return ghlo_import_fail_at (self, op->position, "expected a type for each of %" G_GSIZE_FORMAT
                                " operands of '%s', found %" G_GSIZE_FORMAT " types",
                                op->operands.n, op->spec->name, op->operand_types.n);

  for (gsize i = 0; i < op->operands.n; i++)
    {
      const GhloIrType *other = NULL;
      GhloImportScopeResult result = ghlo_import_scopes_resolve (&self->scopes, &op->operands.items[i],
                                                                 op->operand_types.items[i], &values[i], &other);

      if (result != GHLO_IMPORT_SCOPE_OK)
        return fail_use (self, &op->operands.items[i], result, op->operand_types.items[i], other);
    }

  return TRUE;
}

/* Sets the discardable attributes, sorted by name. */
static gboolean
set_discardable (GhloImportParser *self,
                 GhloImportOp     *op,
                 GhloIrOp         *made)
{
  gsize n = op->discardable.n;
  GhloIrNamedAttr *entries;

  if (n == 0)
    return TRUE;
  entries = ghlo_ir_module_alloc (self->module, n * sizeof (GhloIrNamedAttr));
  memcpy (entries, op->discardable.items, n * sizeof (GhloIrNamedAttr));
  qsort (entries, n, sizeof (GhloIrNamedAttr), ghlo_ir_named_attr_compare);
  for (gsize i = 1; i < n; i++)
    if (entries[i].name == entries[i - 1].name)
      return ghlo_import_fail_at (self, op->position, "expected the attribute '%s' once, found it again",
                                  entries[i].name);
  made->discardable = entries;
  made->n_discardable = n;

  return TRUE;
}

/* Moves the regions into the operation; if it is a symbol table, registers its symbols. */
static void
set_regions (GhloImportParser *self,
             GhloImportOp     *op,
             GhloIrOp         *made)
{
  gboolean is_table = (op->spec->traits & GHLO_IR_TRAIT_SYMBOL_TABLE) != 0;

  for (gsize i = 0; i < op->regions.n; i++)
    {
      GhloIrRegion *region = &made->regions[i];

      region->first = op->regions.items[i]->first;
      region->last = op->regions.items[i]->last;
      for (GhloIrBlock *block = region->first; block != NULL; block = block->next)
        {
          block->region = region;
          for (GhloIrOp *inner = is_table ? block->first : NULL; inner != NULL; inner = inner->next)
            if (ghlo_ir_op_get_spec (inner)->traits & GHLO_IR_TRAIT_SYMBOL)
              ghlo_ir_op_set (self->module, inner, "sym_name", ghlo_ir_op_get (inner, "sym_name"));
        }
    }
}

static gboolean
fail_definition (GhloImportParser      *self,
                 const GhloImportName  *name,
                 GhloImportScopeResult  result,
                 const GhloIrValue     *value,
                 guint                  n,
                 const GhloIrType      *other)
{
  GhloImportPosition position = { name->line, name->column };
  g_autofree char *quote = ghlo_import_quote (name->text, name->length);
  g_autofree char *wanted = NULL, *found = NULL;

  if (result == GHLO_IMPORT_SCOPE_REDEFINED)
    return ghlo_import_fail_at (self, position, "expected a new name, found '%%%s', which is already defined", quote);
  if (result == GHLO_IMPORT_SCOPE_RANGE)
    return ghlo_import_fail_at (self, position, "expected '%%%s' to have the results that are used earlier, found %u",
                                quote, n);
  wanted = ghlo_ir_type_to_string (other);
  found = ghlo_ir_type_to_string (value->type);

  return ghlo_import_fail_at (self, position,
                              "expected '%%%s' to have the type %s of its earlier uses, found %s",
                              quote, wanted, found);
}

gboolean
ghlo_import_define (GhloImportParser     *self,
                    const GhloImportName *name,
                    GhloIrValue          *values,
                    guint                 n)
{
  const GhloIrType *other = NULL;
  GhloImportScopeResult result = ghlo_import_scopes_define (&self->scopes, name, values, n, &other);

  if (result != GHLO_IMPORT_SCOPE_OK)
    return fail_definition (self, name, result, values, n, other);
  if (!g_ascii_isdigit (name->text[0]))
    {
      const char *interned = ghlo_ir_module_intern (self->module, name->text, name->length);

      for (guint i = 0; i < n; i++)
        values[i].name = interned;
    }

  return TRUE;
}

static gboolean
define_results (GhloImportParser *self,
                GhloImportOp     *op,
                GhloIrOp         *made)
{
  GhloImportPosition position;
  gsize n = 0;

  if (op->names.n == 0)
    return TRUE;
  for (gsize i = 0; i < op->names.n; i++)
    n += op->names.items[i].n;
  position = (GhloImportPosition) { op->names.items[0].name.line, op->names.items[0].name.column };
  if (n != made->n_results)
    return ghlo_import_fail_at (self, position,
                                "expected names for the %u results of '%s', found %" G_GSIZE_FORMAT,
                                made->n_results, op->spec->name, n);
  n = 0;
  for (gsize i = 0; i < op->names.n; i++)
    {
      if (!ghlo_import_define (self, &op->names.items[i].name, &made->results[n], op->names.items[i].n))
        return FALSE;
      n += op->names.items[i].n;
    }

  return TRUE;
}

gboolean
ghlo_import_make_op (GhloImportParser *self,
                     GhloImportOp     *op,
                     GhloIrBlock      *block)
{
  GhloIrValue *few[16];
  g_autofree GhloIrValue **many = op->operands.n > G_N_ELEMENTS (few) ? g_new (GhloIrValue *, op->operands.n) : NULL;
  GhloIrValue **values = many != NULL ? many : few;
  GhloIrOp *made;

  if (!resolve_operands (self, op, values))
    return FALSE;
  if (op->result_types.n > GHLO_MAX_OPERANDS)
    return ghlo_import_fail_at (self, op->position, "expected at most %u results, found %" G_GSIZE_FORMAT,
                                GHLO_MAX_OPERANDS, (gsize) op->result_types.n);

  made = ghlo_ir_op_new (self->module, &(GhloIrOpState) {
    .kind = op->kind,
    .operands = values,
    .n_operands = op->operands.n,
    .result_types = op->result_types.items,
    .n_results = op->result_types.n,
    .n_regions = op->regions.n,
    .location = op->location,
    .line = op->position.line,
    .column = op->position.column,
  });
  memcpy (made->attributes, op->inherent, op->spec->n_attributes * sizeof (gpointer));
  set_regions (self, op, made);
  ghlo_ir_block_append (block, made);

  return set_discardable (self, op, made) && define_results (self, op, made);
}
