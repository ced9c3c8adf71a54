/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Puts names and strings as MLIR spells them.
 */

#include <string.h>

#include "ir/print/print-private.h"

void
ghlo_ir_put_quoted (GString    *out,
                    const char *text,
                    gsize       length)
{
  static const char digits[] = "0123456789ABCDEF";

  g_string_append_c (out, '"');
  for (gsize i = 0; i < length; i++)
    {
      guchar c = (guchar) text[i];

      if (c == '\\')
        g_string_append (out, "\\\\");
      else if (c >= 0x20 && c < 0x7f && c != '"')
        g_string_append_c (out, c);
      else
        {
          g_string_append_c (out, '\\');
          g_string_append_c (out, digits[c >> 4]);
          g_string_append_c (out, digits[c & 0xf]);
        }
    }
  g_string_append_c (out, '"');
}

static gboolean
is_identifier (const char *text)
{
  if (!g_ascii_isalpha (*text) && *text != '_')
    return FALSE;
  for (const char *p = text; *p != '\0'; p++)
    if (!g_ascii_isalnum (*p) && strchr ("_$.", *p) == NULL)
      return FALSE;

  return TRUE;
}

void
ghlo_ir_put_keyword (GString    *out,
                     const char *text)
{
  if (is_identifier (text))
    g_string_append (out, text);
  else
    ghlo_ir_put_quoted (out, text, strlen (text));
}

void
ghlo_ir_put_symbol (GString    *out,
                    const char *name)
{
  g_string_append_c (out, '@');
  ghlo_ir_put_keyword (out, name);
}

void
ghlo_ir_put_newline (GhloIrPrinter *self)
{
  const gsize length = self->out->len;

  g_string_set_size (self->out, length + 1 + self->indent);
  self->out->str[length] = '\n';
  memset (self->out->str + length + 1, ' ', self->indent);
}

void
ghlo_ir_put_kept_text (GString    *out,
                       const char *text)
{
  gboolean quoted = FALSE;

  /* A comment extends to the end of its line, so lines cannot be joined. */
  if (strstr (text, "//") != NULL)
    {
      g_string_append (out, text);
      return;
    }

  for (const char *p = text; *p != '\0'; p++)
    {
      gsize blanks = quoted ? 0 : strspn (p, " \t\r\n");

      if (*p == '"' && (p == text || p[-1] != '\\'))
        quoted = !quoted;
      if (blanks > 0 && memchr (p, '\n', blanks) != NULL)
        {
          g_string_append_c (out, ' ');
          p += blanks - 1;
        }
      else
        g_string_append_c (out, *p);
    }
}
