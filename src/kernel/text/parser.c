/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The small parts of the kernel grammar: required tokens, names, types and numbers, and the diagnostics where they
 * are missing.
 */

#include "kernel/text/parser.h"

#include <string.h>

enum { QUOTE_LENGTH = 40 };

static const char *const named_words[GHLO_KERNEL_N_NAMED] = {
  [GHLO_KERNEL_NAMED_AXIS] = "axis",
  [GHLO_KERNEL_NAMED_BUFFER] = "buffer",
  [GHLO_KERNEL_NAMED_TEMPORARY] = "temporary",
};

static char *
describe (const GhloKernelLexer *token)
{
  gsize length = token->cursor - token->start;
  g_autofree char *quote = NULL;

  if (token->kind == GHLO_KERNEL_TOKEN_END)
    return g_strdup ("the end of the text");
  if (token->kind == GHLO_KERNEL_TOKEN_INVALID)
    return g_strdup (token->problem);
  quote = g_strndup (token->start, MIN (length, QUOTE_LENGTH));

  return g_strdup_printf ("'%s%s'", quote, length > QUOTE_LENGTH ? "…" : "");
}

static void G_GNUC_PRINTF (3, 0)
report (GhloKernelParser      *self,
        const GhloKernelLexer *place,
        const char            *format,
        va_list                args)
{
  g_autofree char *expected = g_strdup_vprintf (format, args);
  g_autofree char *found = describe (place);

  ghlo_diagnostics_add (self->diagnostics, GHLO_SEVERITY_ERROR, GHLO_ERROR_PARSE, place->line,
                        place->start - place->line_start + 1, "expected %s, found %s", expected, found);
}

gboolean
(ghlo_kernel_parser_fail) (GhloKernelParser *self,
                           const char       *format,
                           ...)
{
  va_list args;

  va_start (args, format);
  report (self, &self->lexer, format, args);
  va_end (args);

  return FALSE;
}

gboolean
(ghlo_kernel_parser_fail_at) (GhloKernelParser      *self,
                              const GhloKernelLexer *place,
                              const char            *format,
                              ...)
{
  va_list args;

  va_start (args, format);
  report (self, place, format, args);
  va_end (args);

  return FALSE;
}

gboolean
ghlo_kernel_parser_accept (GhloKernelParser *self,
                           char              c)
{
  if (self->lexer.kind != (guchar) c)
    return FALSE;
  ghlo_kernel_parser_next (self);

  return TRUE;
}

gboolean
ghlo_kernel_parser_accept_word (GhloKernelParser *self,
                                const char       *word)
{
  if (!ghlo_kernel_lexer_is (&self->lexer, word))
    return FALSE;
  ghlo_kernel_parser_next (self);

  return TRUE;
}

gboolean
ghlo_kernel_parser_expect (GhloKernelParser *self,
                           char              c)
{
  return ghlo_kernel_parser_accept (self, c) || ghlo_kernel_parser_fail (self, "'%c'", c);
}

gboolean
ghlo_kernel_parser_expect_word (GhloKernelParser *self,
                                const char       *word)
{
  return ghlo_kernel_parser_accept_word (self, word) || ghlo_kernel_parser_fail (self, "'%s'", word);
}

static gboolean
at_name (GhloKernelParser *self)
{
  return self->lexer.kind == GHLO_KERNEL_TOKEN_WORD || self->lexer.kind == GHLO_KERNEL_TOKEN_STRING;
}

gboolean
ghlo_kernel_parser_name (GhloKernelParser  *self,
                         const char        *what,
                         char             **name)
{
  if (!at_name (self))
    return ghlo_kernel_parser_fail (self, "the name of %s", what);
  *name = ghlo_kernel_lexer_name (&self->lexer);
  ghlo_kernel_parser_next (self);

  return TRUE;
}

/* Returns the index of the first such name from @start on, or the number of names. */
static guint
find_name (GPtrArray  *names,
           const char *name,
           guint       start)
{
  guint i = start;

  while (i < names->len && strcmp (g_ptr_array_index (names, i), name) != 0)
    i++;

  return i;
}

gboolean
ghlo_kernel_parser_reference (GhloKernelParser *self,
                              GhloKernelNamed   named,
                              guint            *number)
{
  GPtrArray *names = self->names[named];
  const char *what = named_words[named];
  GhloKernelLexer place = self->lexer;
  g_autofree char *name = NULL;

  if (!at_name (self))
    return ghlo_kernel_parser_fail (self, "the name of %s %s", named == GHLO_KERNEL_NAMED_AXIS ? "an" : "a", what);
  name = ghlo_kernel_lexer_name (&self->lexer);
  ghlo_kernel_parser_next (self);
  *number = find_name (names, name, 0);
  if (*number == names->len)
    return ghlo_kernel_parser_fail_at (self, &place, "the name of %s %s declared before",
                                       named == GHLO_KERNEL_NAMED_AXIS ? "an" : "a", what);
  if (ghlo_kernel_parser_accept (self, ':'))
    {
      if (self->lexer.kind != GHLO_KERNEL_TOKEN_INTEGER || self->lexer.overflows || self->lexer.value >= names->len
          || strcmp (g_ptr_array_index (names, self->lexer.value), name) != 0)
        return ghlo_kernel_parser_fail (self, "the number of the %s of that name", what);
      *number = self->lexer.value;
      ghlo_kernel_parser_next (self);
    }
  else if (find_name (names, name, *number + 1) < names->len)
    return ghlo_kernel_parser_fail_at (self, &place, "a colon and a number after the name of more than one %s", what);

  return TRUE;
}

gboolean
ghlo_kernel_parser_axes (GhloKernelParser *self,
                         guint            *axes)
{
  *axes = 0;
  if (!ghlo_kernel_parser_expect (self, '['))
    return FALSE;
  if (ghlo_kernel_parser_accept (self, ']'))
    return TRUE;
  do
    {
      GhloKernelLexer place = self->lexer;
      guint axis;

      if (!ghlo_kernel_parser_reference (self, GHLO_KERNEL_NAMED_AXIS, &axis))
        return FALSE;
      if ((*axes & 1u << axis) != 0)
        return ghlo_kernel_parser_fail_at (self, &place, "each axis once");
      *axes |= 1u << axis;
    }
  while (ghlo_kernel_parser_accept (self, ','));

  return ghlo_kernel_parser_expect (self, ']');
}

gboolean
ghlo_kernel_parser_type (GhloKernelParser *self,
                         GhloElementType  *type)
{
  for (*type = GHLO_ELEMENT_TYPE_I1; *type <= GHLO_ELEMENT_TYPE_F64; (*type)++)
    if (ghlo_node_types (*type) != 0
        && ghlo_kernel_parser_accept_word (self, ghlo_element_info (*type)->name))
      return TRUE;

  return ghlo_kernel_parser_fail (self, "a type that nodes can have");
}

gboolean
ghlo_kernel_parser_magnitude (GhloKernelParser *self,
                              gboolean          is_negative,
                              gint64           *value)
{
  if (self->lexer.kind != GHLO_KERNEL_TOKEN_INTEGER)
    return ghlo_kernel_parser_fail (self, "an integer");
  if (self->lexer.overflows || self->lexer.value > (guint64) G_MAXINT64 + is_negative)
    return ghlo_kernel_parser_fail (self, "an integer that fits in 64 bits");
  *value = (gint64) (is_negative ? -self->lexer.value : self->lexer.value);
  ghlo_kernel_parser_next (self);

  return TRUE;
}

gboolean
ghlo_kernel_parser_integer (GhloKernelParser *self,
                            gint64           *value)
{
  return ghlo_kernel_parser_magnitude (self, ghlo_kernel_parser_accept (self, '-'), value);
}

static char
sign_of (guint kind)
{
  return kind == GHLO_KERNEL_TOKEN_NODE ? '%' : kind == GHLO_KERNEL_TOKEN_ACCESS ? '@' : '$';
}

gboolean
ghlo_kernel_parser_number (GhloKernelParser *self,
                           guint             kind,
                           guint             end,
                           guint            *number)
{
  const char *what = kind == GHLO_KERNEL_TOKEN_NODE ? "node" : kind == GHLO_KERNEL_TOKEN_ACCESS ? "access" : "fold";

  if (self->lexer.kind != kind)
    return ghlo_kernel_parser_fail (self, "'%c' and the number of %s %s", sign_of (kind), *what == 'a' ? "an" : "a",
                                    what);
  if (self->lexer.overflows || self->lexer.value >= end)
    return ghlo_kernel_parser_fail (self, "the number of an earlier %s", what);
  *number = self->lexer.value;
  ghlo_kernel_parser_next (self);

  return TRUE;
}

gboolean
ghlo_kernel_parser_new_number (GhloKernelParser *self,
                               guint             kind,
                               guint             next)
{
  if (self->lexer.kind != kind || self->lexer.overflows || self->lexer.value != next)
    return ghlo_kernel_parser_fail (self, "'%c%u'", sign_of (kind), next);
  ghlo_kernel_parser_next (self);

  return TRUE;
}
