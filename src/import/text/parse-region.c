/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Regions, blocks and their labels, and recovery from errors.
 */

#include <string.h>

#include "import/text/parser.h"

/* Whether the token is the first of its line and starts an operation
 * or a label; parsing resumes at such places after an error. */
static gboolean
starts_op (GhloImportLexer lexer)
{
  gsize length = ghlo_import_lexer_length (&lexer);

  switch (lexer.kind)
    {
    case GHLO_TOKEN_CARET:
      return TRUE;
    case GHLO_TOKEN_STRING:
      return lexer.cursor < lexer.end && *lexer.cursor == '(' && memchr (lexer.start, '.', length) != NULL;
    case GHLO_TOKEN_BARE:
      return memchr (lexer.start, '.', length) != NULL || ghlo_import_lexer_is (&lexer, "return");
    case GHLO_TOKEN_PERCENT:
      ghlo_import_lexer_next (&lexer);
      if (lexer.kind == ':')
        {
          ghlo_import_lexer_next (&lexer);
          return lexer.kind == GHLO_TOKEN_INTEGER;
        }
      return lexer.kind == '=';
    default:
      return FALSE;
    }
}

/* After an error in the operation that began at @start, skips to the next line of the same region that starts an
 * operation, or to the region's "}". Stops the parser if neither can be found. Only braces are counted, so that a
 * missing ")" does not hide the rest. */
static void
recover (GhloImportParser *self,
         GhloImportLexer   start)
{
  const char *reached = self->lexer.start;
  guint line = start.line;
  int depth = 0;

  if (self->stopped)
    return;
  if (self->diagnostics->n_errors >= self->diagnostics->max_errors)
    {
      self->stopped = TRUE;
      return;
    }
  for (self->lexer = start; !ghlo_import_at (self, GHLO_TOKEN_END); ghlo_import_next (self))
    {
      if (ghlo_import_at (self, GHLO_TOKEN_INVALID))
        break;
      if (depth == 0 && self->lexer.line > line && self->lexer.start >= reached && starts_op (self->lexer))
        return;
      line = self->lexer.line;
      if (ghlo_import_at (self, '}') && depth-- == 0)
        {
          self->stopped = self->lexer.start < reached;
          return;
        }
      if (ghlo_import_at (self, '{'))
        depth++;
    }
  self->stopped = TRUE;
}

/* Parses one operation. After an error, the parser either stands where it can continue or is stopped. */
static gboolean
parse_op_or_recover (GhloImportParser *self,
                     GhloIrBlock      *block)
{
  GhloImportLexer start = self->lexer;
  guint depth = self->depth;

  if (ghlo_import_parse_op (self, block))
    return TRUE;
  self->depth = depth;
  recover (self, start);

  return FALSE;
}

gboolean
ghlo_import_parse_top_level_op (GhloImportParser *self,
                                GhloIrBlock      *block)
{
  if (ghlo_import_at (self, '}') || ghlo_import_at (self, GHLO_TOKEN_CARET))
    {
      self->stopped = TRUE;
      return self->diagnostics->n_errors == 0 && ghlo_import_expected (self, "an operation");
    }

  return parse_op_or_recover (self, block);
}

/* Parses operations up to a "}", a label, or the end of the text. Continues after errors. */
static gboolean
parse_block_body (GhloImportParser *self,
                  GhloIrBlock      *block)
{
  gboolean ok = TRUE;

  while (!self->stopped && !ghlo_import_at (self, '}') && !ghlo_import_at (self, GHLO_TOKEN_CARET)
         && !ghlo_import_at (self, GHLO_TOKEN_END))
    ok = parse_op_or_recover (self, block) && ok;

  return ok && !self->stopped;
}

static gboolean
add_argument (GhloImportParser     *self,
              GhloIrBlock          *block,
              const GhloImportName *name,
              const GhloIrType     *type,
              const GhloIrLocation *location)
{
  GhloIrValue *argument;

  if (block->n_arguments >= GHLO_MAX_OPERANDS)
    return ghlo_import_fail (self, "expected at most %u arguments, found more", GHLO_MAX_OPERANDS);
  argument = ghlo_ir_block_add_argument (self->module, block, type, location);

  return name->text == NULL || ghlo_import_define (self, name, argument, 1);
}

/* Parses "^bb0(%a: type loc(…), …):". */
static gboolean
parse_label (GhloImportParser *self,
             GhloIrBlock      *block)
{
  block->label = ghlo_ir_module_intern (self->module, self->lexer.start + 1,
                                        ghlo_import_lexer_length (&self->lexer) - 1);
  ghlo_import_next (self);
  if (ghlo_import_accept (self, '(') && !ghlo_import_accept (self, ')'))
    {
      do
        {
          const GhloIrLocation *location = NULL;
          const GhloIrType *type;
          GhloImportName name;

          if (!ghlo_import_parse_value_name (self, &name) || !ghlo_import_expect (self, ':', "':'")
              || (type = ghlo_import_parse_type (self)) == NULL || !ghlo_import_accept_location (self, &location)
              || !add_argument (self, block, &name, type, location))
            return FALSE;
        }
      while (ghlo_import_accept (self, ','));
      if (!ghlo_import_expect (self, ')', "',' or ')'"))
        return FALSE;
    }

  return ghlo_import_expect (self, ':', "':'");
}

/* Checks that no block of the region before @last has the same label. */
static gboolean
check_label (GhloImportParser   *self,
             const GhloIrRegion *region,
             const GhloIrBlock  *last,
             GhloImportPosition  position,
             guint              *n_labels)
{
  if (++*n_labels > GHLO_MAX_NESTING)
    return ghlo_import_fail_at (self, position, "expected at most %d blocks in a region, found more", GHLO_MAX_NESTING);
  for (const GhloIrBlock *block = region->first; block != last; block = block->next)
    if (block->label == last->label)
      return ghlo_import_fail_at (self, position, "expected a new label, found '^%s' again", last->label);

  return TRUE;
}

static gboolean
parse_blocks (GhloImportParser          *self,
              GhloIrRegion              *region,
              const GhloImportArguments *arguments)
{
  gboolean ok = TRUE;
  guint n_labels = 0;
  GhloIrBlock *block;

  if (!ghlo_import_at (self, GHLO_TOKEN_CARET) || (arguments != NULL && arguments->n > 0))
    {
      /* Braces always contain a block: a region without one, as in a declaration, is written without braces. */
      block = ghlo_ir_region_add_block (self->module, region);
      for (gsize i = 0; arguments != NULL && i < arguments->n; i++)
        if (!add_argument (self, block, &arguments->items[i].name, arguments->items[i].type,
                           arguments->items[i].location))
          return FALSE;
      ok = parse_block_body (self, block);
    }
  while (!self->stopped && ghlo_import_at (self, GHLO_TOKEN_CARET))
    {
      GhloImportPosition position = ghlo_import_position (self);

      block = ghlo_ir_region_add_block (self->module, region);
      if (!parse_label (self, block) || !check_label (self, region, block, position, &n_labels))
        return FALSE;
      ok = parse_block_body (self, block) && ok;
    }

  return ok;
}

/* Reports the names that were used in the innermost table but never defined. */
static gboolean
check_resolved (GhloImportParser *self)
{
  const GhloImportName *name;
  gsize position = 0;
  gboolean ok = TRUE;

  while ((name = ghlo_import_scopes_unresolved (&self->scopes, &position)) != NULL)
    {
      g_autofree char *quote = ghlo_import_quote (name->text, name->length);

      ok = ghlo_import_fail_at (self, (GhloImportPosition) { name->line, name->column },
                                "expected '%%%s' to be defined in this scope, found no definition of it", quote);
      if (self->diagnostics->n_errors >= self->diagnostics->max_errors)
        break;
    }

  return ok;
}

gboolean
ghlo_import_parse_region (GhloImportParser          *self,
                          GhloIrRegion              *region,
                          const GhloImportArguments *arguments,
                          gboolean                   isolated)
{
  gsize mark = 0;
  gboolean ok, empty;

  if (!ghlo_import_enter (self))
    return FALSE;
  if (!ghlo_import_expect (self, '{', "'{'"))
    {
      ghlo_import_leave (self);
      return FALSE;
    }
  if (isolated)
    ghlo_import_scopes_open (&self->scopes);
  else
    mark = ghlo_import_scopes_mark (&self->scopes);

  empty = ghlo_import_at (self, '}') && arguments == NULL;
  ok = empty || parse_blocks (self, region, arguments);
  if (isolated)
    {
      if (!self->stopped)
        ok = check_resolved (self) && ok;
      ghlo_import_scopes_close (&self->scopes);
    }
  else
    {
      ghlo_import_scopes_forget (&self->scopes, mark);
    }
  ghlo_import_leave (self);

  return ok && ghlo_import_expect (self, '}', "an operation or '}'");
}
