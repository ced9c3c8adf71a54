/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The text importer's entry points: a whole text, and a single attribute or type.
 */

#include <string.h>

#include "import/returns.h"
#include "import/text/parser.h"

static GhloIrOp *
new_module_op (GhloIrModule *module)
{
  GhloIrOp *op = ghlo_ir_op_new (module, &(GhloIrOpState) { .kind = GHLO_OP_BUILTIN_MODULE, .n_regions = 1 });

  ghlo_ir_region_add_block (module, &op->regions[0]);

  return op;
}

/* After an error outside all operations, skips to the next line. */
static void
skip_line (GhloImportParser *self)
{
  guint line = self->lexer.line;

  while (!ghlo_import_at (self, GHLO_TOKEN_END) && self->lexer.line == line)
    ghlo_import_next (self);
}

static gboolean
parse_top_level_item (GhloImportParser *self,
                      GhloIrBlock      *block)
{
  if (ghlo_import_at (self, GHLO_TOKEN_HASH) || ghlo_import_at (self, GHLO_TOKEN_BANG))
    {
      if (ghlo_import_parse_alias (self))
        return TRUE;
      skip_line (self);
      return FALSE;
    }
  if (ghlo_import_at (self, GHLO_TOKEN_META_OPEN))
    {
      if (ghlo_import_parse_resources (self))
        return TRUE;
      self->stopped = TRUE;
      return FALSE;
    }

  return ghlo_import_parse_top_level_op (self, block);
}

static void
check_resolved (GhloImportParser *self)
{
  const GhloImportName *name;
  gsize position = 0;

  while (!self->stopped && (name = ghlo_import_scopes_unresolved (&self->scopes, &position)) != NULL)
    {
      g_autofree char *quote = ghlo_import_quote (name->text, name->length);

      ghlo_import_fail_at (self, (GhloImportPosition) { name->line, name->column },
                           "expected '%%%s' to be defined in this text, found no definition of it", quote);
    }
}

/* Returns the module in the text if the text contains nothing else, otherwise the wrapper module. */
static GhloIrOp *
outermost (GhloIrOp *wrapper)
{
  GhloIrBlock *block = wrapper->regions[0].first;
  GhloIrOp *only = block->first;

  if (only == NULL || only->next != NULL || only->kind != GHLO_OP_BUILTIN_MODULE)
    return wrapper;
  ghlo_ir_op_remove (only);

  return only;
}

GhloIrModule *
ghlo_import_text (const char        *text,
                  gsize              length,
                  GhloImportFlags    flags,
                  GhloDiagnostics   *diagnostics,
                  const GhloMonitor *monitor)
{
  g_autoptr (GhloIrModule) module = ghlo_ir_module_new (diagnostics->file_name);
  g_autofree GhloImportParser *parser = g_new (GhloImportParser, 1);
  GhloIrOp *wrapper = new_module_op (module);
  gboolean ok = TRUE;

  ghlo_import_parser_init (parser, module, text, length, diagnostics, monitor);
  parser->flags = flags;
  while (!parser->stopped && !ghlo_import_at (parser, GHLO_TOKEN_END))
    ok = parse_top_level_item (parser, wrapper->regions[0].first) && ok;
  check_resolved (parser);
  ok = ok && !parser->stopped && diagnostics->n_errors == 0;
  ghlo_import_parser_clear (parser);
  if (!ok)
    return NULL;

  module->op = outermost (wrapper);
  ghlo_import_drop_returns (module);

  return g_steal_pointer (&module);
}

/* Checks that the whole text was read. */
static gboolean
check_end (GhloImportParser *parser)
{
  return ghlo_import_at (parser, GHLO_TOKEN_END) || ghlo_import_expected (parser, "the end of the text");
}

const GhloIrAttr *
ghlo_import_attribute (GhloIrModule *module,
                       const char   *text,
                       GError      **error)
{
  gsize length = strlen (text);
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("attribute", text, length);
  g_autofree GhloImportParser *parser = g_new (GhloImportParser, 1);
  const GhloIrAttr *attr;

  ghlo_import_parser_init (parser, module, text, length, diagnostics, NULL);
  attr = ghlo_import_parse_attr (parser);
  if (attr != NULL && !check_end (parser))
    attr = NULL;
  ghlo_import_parser_clear (parser);

  return ghlo_diagnostics_to_error (diagnostics, error) ? attr : NULL;
}

const GhloIrType *
ghlo_import_type (GhloIrModule *module,
                  const char   *text,
                  GError      **error)
{
  gsize length = strlen (text);
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("type", text, length);
  g_autofree GhloImportParser *parser = g_new (GhloImportParser, 1);
  const GhloIrType *type;

  ghlo_import_parser_init (parser, module, text, length, diagnostics, NULL);
  type = ghlo_import_parse_type (parser);
  if (type != NULL && !check_end (parser))
    type = NULL;
  ghlo_import_parser_clear (parser);

  return ghlo_diagnostics_to_error (diagnostics, error) ? type : NULL;
}
