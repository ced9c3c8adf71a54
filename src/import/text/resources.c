/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The section after a program that contains large constants by key:
 *
 *   {-# dialect_resources: { builtin: { key: "0x08000000…" } } #-}
 *
 * A blob is its alignment, 4 bytes, followed by its data. The section is searched for when the first constant refers
 * to a key; each blob is decoded once.
 */

#include <string.h>

#include "import/text/parser.h"

enum { ALIGNMENT_DIGITS = 8 };

static gboolean
parse_key (GhloImportParser *self,
           const char      **key)
{
  *key = ghlo_import_parse_name (self);

  return *key != NULL && ghlo_import_expect (self, ':', "':'");
}

/* If a key occurs several times, the first blob counts. */
static void
add (GhloImportParser         *self,
     const GhloImportResource *resource)
{
  gpointer *number = ghlo_import_memo_at (&self->memo, resource->key, NULL);

  if (*number != NULL)
    return;
  GHLO_IMPORT_PUSH (&self->resources, *resource);
  *number = GSIZE_TO_POINTER (self->resources.n);
}

/* Parses "key: "0x…""; values that are not blobs are ignored. */
static gboolean
parse_blob (GhloImportParser *self)
{
  GhloImportResource resource = { 0 };

  if (!parse_key (self, &resource.key))
    return FALSE;
  if (ghlo_import_at (self, GHLO_TOKEN_STRING))
    {
      const char *text = self->lexer.start + 1;
      gsize length = ghlo_import_lexer_length (&self->lexer) - 2;

      if (length >= 2 + ALIGNMENT_DIGITS && text[0] == '0' && text[1] == 'x')
        {
          resource.hex = text + 2;
          resource.hex_length = length - 2;
          add (self, &resource);
        }
      ghlo_import_next (self);
      return TRUE;
    }

  return ghlo_import_accept_word (self, "true") || ghlo_import_expect_word (self, "false");
}

/* "dialect: { blob, … }". */
static gboolean
parse_dialect (GhloImportParser *self)
{
  const char *key;

  if (!parse_key (self, &key) || !ghlo_import_expect (self, '{', "'{'"))
    return FALSE;
  if (ghlo_import_accept (self, '}'))
    return TRUE;
  do
    if (!parse_blob (self))
      return FALSE;
  while (ghlo_import_accept (self, ','));

  return ghlo_import_expect (self, '}', "',' or '}'");
}

/* Parses "dialect_resources: { dialect, … }"; skips any other section. */
static gboolean
parse_section (GhloImportParser *self)
{
  const char *key;

  if (!parse_key (self, &key))
    return FALSE;
  if (!ghlo_import_at (self, '{'))
    return ghlo_import_expected (self, "'{'");
  if (strcmp (key, "dialect_resources") != 0)
    return ghlo_import_skip_balanced (self, self->lexer.start) != NULL;

  ghlo_import_next (self);
  if (ghlo_import_accept (self, '}'))
    return TRUE;
  do
    if (!parse_dialect (self))
      return FALSE;
  while (ghlo_import_accept (self, ','));

  return ghlo_import_expect (self, '}', "',' or '}'");
}

gboolean
ghlo_import_parse_resources (GhloImportParser *self)
{
  if (self->resources_found && self->behind_resources.start > self->lexer.start)
    {
      self->lexer = self->behind_resources;
      return TRUE;
    }

  self->resources_found = TRUE;
  ghlo_import_next (self);
  if (!ghlo_import_at (self, GHLO_TOKEN_META_CLOSE))
    do
      if (!parse_section (self))
        return FALSE;
    while (ghlo_import_accept (self, ','));
  if (!ghlo_import_expect (self, GHLO_TOKEN_META_CLOSE, "',' or '#-}'"))
    return FALSE;
  self->behind_resources = self->lexer;

  return TRUE;
}

/* Whether only blanks precede @p on its line. */
static gboolean
starts_line (const GhloImportParser *self,
             const char             *p)
{
  while (p > self->lexer.text && ghlo_import_char_is (p[-1], GHLO_CHAR_SPACE))
    p--;

  return p == self->lexer.text || p[-1] == '\n';
}

static void
find_section (GhloImportParser *self)
{
  GhloImportLexer saved = self->lexer;
  const char *end = self->lexer.end, *p = self->lexer.text;

  self->resources_found = TRUE;
  while ((p = memmem (p, end - p, "{-#", 3)) != NULL && !starts_line (self, p))
    p++;
  if (p == NULL)
    return;

  ghlo_import_lexer_init (&self->lexer, saved.text, end - saved.text);
  for (const char *newline = saved.text; (newline = memchr (newline, '\n', p - newline)) != NULL; newline++)
    {
      self->lexer.line++;
      self->lexer.line_start = newline + 1;
    }
  ghlo_import_lexer_jump (&self->lexer, p);
  ghlo_import_parse_resources (self);
  self->lexer = saved;
}

/* @position is the place that refers to the resource. */
static gboolean
decode (GhloImportParser   *self,
        GhloImportPosition  position,
        GhloImportResource *resource)
{
  gsize n = (resource->hex_length - ALIGNMENT_DIGITS) / 2;
  guint8 alignment[ALIGNMENT_DIGITS / 2];
  guint8 *bytes;

  if (resource->hex_length % 2 != 0
      || !ghlo_import_decode_hex (alignment, resource->hex, G_N_ELEMENTS (alignment)))
    return ghlo_import_fail_at (self, position,
                                "expected a resource of whole hexadecimal bytes, found other text in it");
  bytes = g_try_malloc (MAX (n, 1));
  if (bytes == NULL)
    return ghlo_import_no_memory (self, position, "a resource", n);
  if (!ghlo_import_decode_hex (bytes, resource->hex + ALIGNMENT_DIGITS, n))
    {
      g_free (bytes);
      return ghlo_import_fail_at (self, position,
                                  "expected a resource of whole hexadecimal bytes, found other text in it");
    }
  resource->bytes = g_bytes_new_take (bytes, n);

  return TRUE;
}

GBytes *
ghlo_import_find_resource (GhloImportParser   *self,
                           GhloImportPosition  position,
                           const char         *key)
{
  g_autofree char *name = NULL;
  gsize number;

  if (!self->resources_found)
    find_section (self);
  number = GPOINTER_TO_SIZE (*ghlo_import_memo_at (&self->memo, key, NULL));
  if (number > 0)
    {
      GhloImportResource *resource = &self->resources.items[number - 1];

      return resource->bytes != NULL || decode (self, position, resource) ? g_bytes_ref (resource->bytes) : NULL;
    }
  name = ghlo_import_quote (key, strlen (key));
  ghlo_import_fail_at (self, position, "expected the data of the resource '%s' in this text, found none", name);

  return NULL;
}
