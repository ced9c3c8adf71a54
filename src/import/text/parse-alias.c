/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Aliases for attributes and types: "#loc3 = loc(…)", "!t = tensor<…>". MLIR prints the aliases of locations after
 * the module, so an alias may be used before its definition. On the first use of an unknown alias, all lines that
 * define one are found and read, in order.
 */

#include <string.h>

#include "base/hash.h"
#include "import/text/parser.h"

static GhloImportAlias *
find (GhloImportParser *self,
      const char       *name,
      gsize             length)
{
  guint32 hash;

  if (self->n_alias_slots == 0)
    return NULL;

  hash = (guint32) ghlo_hash_bytes (name, length);
  for (gsize slot = hash & (self->n_alias_slots - 1);
       self->alias_slots[slot] != 0;
       slot = (slot + 1) & (self->n_alias_slots - 1))
    {
      GhloImportAlias *alias = self->aliases.items[self->alias_slots[slot] - 1];

      if (alias->hash == hash && alias->length == length && memcmp (alias->name, name, length) == 0)
        return alias;
    }

  return NULL;
}

static void
insert (GhloImportParser *self,
        guint32           index)
{
  gsize slot = self->aliases.items[index]->hash & (self->n_alias_slots - 1);

  while (self->alias_slots[slot] != 0)
    slot = (slot + 1) & (self->n_alias_slots - 1);
  self->alias_slots[slot] = index + 1;
}

/* Adds an alias whose definition starts at @lexer. */
static GhloImportAlias *
add (GhloImportParser      *self,
     const GhloImportLexer *lexer)
{
  GhloImportAlias *alias = g_new0 (GhloImportAlias, 1);

  alias->name = lexer->start;
  alias->length = ghlo_import_lexer_length (lexer);
  alias->hash = (guint32) ghlo_hash_bytes (alias->name, alias->length);
  alias->definition = *lexer;
  GHLO_IMPORT_PUSH (&self->aliases, alias);

  if (self->aliases.n * 2 > self->n_alias_slots)
    {
      self->n_alias_slots = MAX (self->n_alias_slots * 2, 64);
      g_free (self->alias_slots);
      self->alias_slots = g_new0 (guint32, self->n_alias_slots);
      for (gsize i = 0; i + 1 < self->aliases.n; i++)
        insert (self, i);
    }
  insert (self, self->aliases.n - 1);

  return alias;
}

/* Reads the definition at which the lexer stands. */
static gboolean
read_definition (GhloImportParser *self,
                 GhloImportAlias  *alias)
{
  ghlo_import_next (self);
  if (!ghlo_import_expect (self, '=', "'='"))
    return FALSE;
  if (alias->name[0] == '!')
    alias->type = ghlo_import_parse_type (self);
  else
    alias->attr = ghlo_import_parse_attr (self);

  return alias->type != NULL || alias->attr != NULL;
}

static gboolean
resolve (GhloImportParser *self,
         GhloImportAlias  *alias)
{
  GhloImportLexer saved = self->lexer;

  if (alias->type != NULL || alias->attr != NULL)
    return TRUE;
  if (alias->failed)                 /* reported at its definition */
    return FALSE;
  if (alias->resolving)
    {
      g_autofree char *name = ghlo_import_quote (alias->name, alias->length);

      return ghlo_import_fail (self, "expected a definition of '%s' that does not contain itself, found a cycle", name);
    }
  if (!ghlo_import_enter (self))
    return FALSE;

  alias->resolving = TRUE;
  self->lexer = alias->definition;
  alias->failed = !read_definition (self, alias);
  alias->behind = self->lexer;
  self->lexer = saved;
  alias->resolving = FALSE;
  ghlo_import_leave (self);

  return !alias->failed;
}

/* Adds the definition on the line at whose start @lexer stands, if there is one. */
static void
find_on_line (GhloImportParser *self,
              GhloImportLexer   lexer)
{
  GhloImportLexer behind;

  while (lexer.cursor < lexer.end && ghlo_import_char_is (*lexer.cursor, GHLO_CHAR_SPACE))
    lexer.cursor++;
  if (lexer.cursor >= lexer.end || (*lexer.cursor != '#' && *lexer.cursor != '!'))
    return;

  ghlo_import_lexer_next (&lexer);
  if (lexer.kind != GHLO_TOKEN_HASH && lexer.kind != GHLO_TOKEN_BANG)
    return;
  behind = lexer;
  ghlo_import_lexer_next (&behind);
  if (behind.kind == '=' && memchr (lexer.start, '.', ghlo_import_lexer_length (&lexer)) == NULL
      && find (self, lexer.start, ghlo_import_lexer_length (&lexer)) == NULL)
    add (self, &lexer);
}

static void
find_definitions (GhloImportParser *self)
{
  GhloImportLexer lexer;
  guint depth = self->depth;
  gsize known = self->aliases.n;

  self->aliases_found = TRUE;
  ghlo_import_lexer_init (&lexer, self->lexer.text, self->lexer.end - self->lexer.text);
  for (;;)
    {
      const char *newline;

      find_on_line (self, lexer);
      newline = memchr (lexer.cursor, '\n', lexer.end - lexer.cursor);
      if (newline == NULL)
        break;
      lexer.cursor = lexer.line_start = newline + 1;
      lexer.line++;
    }

  /* In this order, most definitions only use earlier ones, which avoids deep recursion. */
  self->depth = 0;
  for (gsize i = known; i < self->aliases.n; i++)
    resolve (self, self->aliases.items[i]);
  self->depth = depth;
}

/* Returns the alias that the current token names, with its definition read; NULL after a report. */
static GhloImportAlias *
use (GhloImportParser *self)
{
  gsize length = ghlo_import_lexer_length (&self->lexer);
  GhloImportAlias *alias = find (self, self->lexer.start, length);

  if (alias == NULL && !self->aliases_found)
    {
      find_definitions (self);
      alias = find (self, self->lexer.start, length);
    }
  if (alias == NULL)
    {
      g_autofree char *name = ghlo_import_quote (self->lexer.start, length);

      ghlo_import_fail (self, "expected '%s' to be defined in this text, found no definition of it", name);
      return NULL;
    }
  if (!resolve (self, alias))
    return NULL;
  ghlo_import_next (self);

  return alias;
}

const GhloIrAttr *
ghlo_import_attr_alias (GhloImportParser *self)
{
  GhloImportAlias *alias = use (self);

  return alias != NULL ? alias->attr : NULL;
}

const GhloIrType *
ghlo_import_type_alias (GhloImportParser *self)
{
  GhloImportAlias *alias = use (self);

  return alias != NULL ? alias->type : NULL;
}

gboolean
ghlo_import_parse_alias (GhloImportParser *self)
{
  gsize length = ghlo_import_lexer_length (&self->lexer);
  GhloImportAlias *alias = find (self, self->lexer.start, length);

  if (memchr (self->lexer.start, '.', length) != NULL)
    {
      g_autofree char *found = ghlo_import_quote (self->lexer.start, length);

      return ghlo_import_fail (self, "expected a name without '.', which marks a dialect, found '%s'", found);
    }
  if (alias != NULL && alias->definition.start != self->lexer.start)
    {
      g_autofree char *name = ghlo_import_quote (alias->name, alias->length);

      return ghlo_import_fail (self, "expected one definition of '%s', found another after line %u", name,
                               alias->definition.line);
    }
  if (alias == NULL)
    alias = add (self, &self->lexer);
  if (!resolve (self, alias))
    return FALSE;
  self->lexer = alias->behind;

  return TRUE;
}
