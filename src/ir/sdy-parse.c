/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Parses the text of sdy's attributes by their formats (sdy-attr.c). Spaces are allowed between any two tokens.
 * Nested attributes are at most a few levels deep, as the formats are.
 */

#include "ir/sdy-attr.h"

#include <string.h>

typedef struct
{
  GhloIrModule *module;
  const char   *text;       /* for messages */
  const char   *at, *end;
  char         *problem;
} Parser;

static gboolean
expected (Parser     *parser,
          const char *what)
{
  g_autofree char *found = NULL;

  if (parser->problem != NULL)
    return FALSE;
  found = parser->at < parser->end ? g_strdup_printf ("'%.*s'", (int) (g_utf8_next_char (parser->at) - parser->at),
                                                      parser->at)
                                   : g_strdup ("the end");
  parser->problem = g_strdup_printf ("expected %s at byte %" G_GSIZE_FORMAT " of #%s, found %s", what,
                                     (gsize) (parser->at - parser->text), parser->text, found);

  return FALSE;
}

static void
skip_spaces (Parser *parser)
{
  while (parser->at < parser->end && g_ascii_isspace (*parser->at))
    parser->at++;
}

static gboolean
accept (Parser *parser,
        char    c)
{
  skip_spaces (parser);
  if (parser->at >= parser->end || *parser->at != c)
    return FALSE;
  parser->at++;

  return TRUE;
}

static gboolean
parse_integer (Parser *parser,
               gint64 *value)
{
  const char *start;
  gboolean negative = accept (parser, '-');

  skip_spaces (parser);
  start = parser->at;
  *value = 0;
  while (parser->at < parser->end && g_ascii_isdigit (*parser->at))
    {
      gint64 digit = *parser->at - '0';

      if (__builtin_mul_overflow (*value, 10, value)
          || __builtin_add_overflow (*value, negative ? -digit : digit, value))
        return expected (parser, "an integer of 64 bits");
      parser->at++;
    }

  return parser->at > start || expected (parser, "an integer");
}

/* Parses "\22" and the like, and escapes with letters. */
static gboolean
parse_escape (Parser  *parser,
              GString *string)
{
  static const char from[] = "nt\"\\", to[] = "\n\t\"\\";
  const char *found = parser->at < parser->end ? memchr (from, *parser->at, strlen (from)) : NULL;

  if (found != NULL)
    {
      g_string_append_c (string, to[found - from]);
      parser->at++;
      return TRUE;
    }
  if (parser->end - parser->at < 2 || !g_ascii_isxdigit (parser->at[0]) || !g_ascii_isxdigit (parser->at[1]))
    return expected (parser, "an escape");
  g_string_append_c (string, (char) (g_ascii_xdigit_value (parser->at[0]) << 4 | g_ascii_xdigit_value (parser->at[1])));
  parser->at += 2;

  return TRUE;
}

static gboolean
parse_string (Parser            *parser,
              const GhloIrAttr **attr)
{
  g_autoptr (GString) string = NULL;

  if (!accept (parser, '"'))
    return expected (parser, "a string");
  string = g_string_new (NULL);
  while (parser->at < parser->end && *parser->at != '"')
    {
      char c = *parser->at++;

      if (c != '\\')
        g_string_append_c (string, c);
      else if (!parse_escape (parser, string))
        return FALSE;
    }
  if (parser->at >= parser->end)
    return expected (parser, "'\"'");
  parser->at++;
  *attr = ghlo_ir_attr_string (parser->module, string->str, (gssize) string->len);

  return TRUE;
}

/* Parses "@mesh" or "@"a mesh"". */
static gboolean
parse_symbol (Parser            *parser,
              const GhloIrAttr **attr)
{
  g_autofree char *name = NULL;
  const GhloIrAttr *quoted;
  const char *start;

  if (parser->at < parser->end && *parser->at == '"')
    {
      if (!parse_string (parser, &quoted))
        return FALSE;
      if (strlen (quoted->text) != quoted->length)
        return expected (parser, "a symbol without NUL characters");
      *attr = ghlo_ir_attr_symbol (parser->module, quoted->text, NULL, 0);
      return TRUE;
    }
  start = parser->at;
  while (parser->at < parser->end && (g_ascii_isalnum (*parser->at) || strchr ("_$.-", *parser->at) != NULL))
    parser->at++;
  if (parser->at == start)
    return expected (parser, "a symbol");
  name = g_strndup (start, parser->at - start);
  *attr = ghlo_ir_attr_symbol (parser->module, name, NULL, 0);

  return TRUE;
}

static gboolean
parse_factor (Parser *parser,
              gint64 *factor)
{
  skip_spaces (parser);
  if (parser->at >= parser->end || *parser->at < 'i' || *parser->at > 'z')
    return expected (parser, "a factor");
  *factor = *parser->at++ - 'i';
  if (*factor < GHLO_SDY_LAST_LETTER || parser->end - parser->at < 2 || parser->at[0] != '_'
      || !g_ascii_isdigit (parser->at[1]))
    return TRUE;
  parser->at++;

  return (*parser->at != '0' && parse_integer (parser, factor)
          && !__builtin_add_overflow (*factor, GHLO_SDY_LAST_LETTER, factor))
         || expected (parser, "a factor");
}

/* Whether the list continues, that is, no bracket closes it here. */
static gboolean
at_item (Parser *parser)
{
  skip_spaces (parser);

  return parser->at < parser->end && strchr ("]})?", *parser->at) == NULL;
}

/* Accepts a comma unless a question mark follows. */
static gboolean
accept_comma (Parser *parser)
{
  const char *start = parser->at;

  if (!accept (parser, ','))
    return FALSE;
  skip_spaces (parser);
  if (parser->at >= parser->end || *parser->at != '?')
    return TRUE;
  parser->at = start;

  return FALSE;
}

static gboolean
parse_integers (Parser       *parser,
                GhloSdyField *field,
                char          style)
{
  gint64 value;

  while (at_item (parser))
    {
      gboolean ok = style == '\0' ? parse_integer (parser, &value) : parse_factor (parser, &value);

      if (!ok)
        return FALSE;
      if (style == 's')
        {
          if (value != (gint64) ghlo_sdy_field_n_integers (field))
            return expected (parser, "factors in order");
          if (!accept (parser, '='))
            return expected (parser, "'='");
          if (!parse_integer (parser, &value))
            return FALSE;
        }
      ghlo_sdy_field_append (field, value);
      if (style == 'c' ? parser->at >= parser->end || *parser->at < 'i' || *parser->at > 'z' : !accept (parser, ','))
        break;
    }

  return TRUE;
}

static gboolean parse_format (Parser *parser, GhloSdyAttr *self);

static gboolean
accept_word (Parser     *parser,
             const char *word)
{
  const gsize length = strlen (word);

  if ((gsize) (parser->end - parser->at) < length || memcmp (parser->at, word, length) != 0)
    return FALSE;
  parser->at += length;

  return TRUE;
}

/* Parses the text of an attribute, which may have its name: "#sdy.sharding<…>", "#sdy<axis_ref…>". */
static gboolean
parse_named (Parser      *parser,
             GhloSdyAttr *self)
{
  const char *mnemonic = ghlo_sdy_specs[self->kind].mnemonic;
  gboolean is_bracketed;

  if (!accept (parser, '#'))
    return parse_format (parser, self);
  is_bracketed = accept_word (parser, "sdy<");
  if ((!is_bracketed && !accept_word (parser, "sdy.")) || !accept_word (parser, mnemonic))
    return expected (parser, mnemonic);

  return parse_format (parser, self) && (!is_bracketed || accept (parser, '>') || expected (parser, "'>'"));
}

/* Parses a nested attribute and creates it in the module with its name. */
static gboolean
parse_child (Parser            *parser,
             GhloSdyKind        kind,
             const GhloIrAttr **attr)
{
  g_autoptr (GString) text = NULL;
  g_auto (GhloSdyAttr) child;

  ghlo_sdy_attr_init (&child, kind < GHLO_SDY_N_KINDS ? kind : GHLO_SDY_MESH);
  if (kind == GHLO_SDY_STRING)
    return parse_string (parser, attr);
  if (kind == GHLO_SDY_MESH_OR_SYMBOL)
    {
      if (accept (parser, '@'))
        return parse_symbol (parser, attr);
      if (parser->at < parser->end && *parser->at != '#' && !accept_word (parser, "mesh"))
        return expected (parser, "a mesh or its symbol");
    }
  if (!parse_named (parser, &child))
    return FALSE;
  text = g_string_new (NULL);
  ghlo_sdy_attr_print (&child, text);
  *attr = ghlo_ir_attr_opaque (parser->module, text->str);

  return TRUE;
}

static gboolean
parse_children (Parser       *parser,
                GhloSdyField *field,
                GhloSdyKind   child,
                gboolean      many)
{
  const GhloIrAttr *attr;

  if (many && !at_item (parser))
    return TRUE;
  do
    {
      if (!parse_child (parser, child, &attr))
        return FALSE;
      ghlo_sdy_field_add (field, attr);
    }
  while (many && accept_comma (parser));

  return TRUE;
}

static gboolean
parse_reduction (Parser *parser,
                 gint64 *value)
{
  skip_spaces (parser);
  *value = 0;
  for (guint i = 1; i < GHLO_SDY_N_REDUCTIONS; i++)
    if (parser->end - parser->at >= 3 && memcmp (parser->at, ghlo_sdy_reductions[i], 3) == 0)
      *value = i;
  if (*value > 0 || (parser->end - parser->at >= 3 && memcmp (parser->at, "sum", 3) == 0))
    parser->at += 3;

  return TRUE;
}

static gboolean
parse_side (Parser *parser,
            gint64 *value)
{
  skip_spaces (parser);
  for (guint i = 0; i < GHLO_SDY_N_SIDES; i++)
    {
      *value = i;
      if (accept_word (parser, ghlo_sdy_sides[i]))
        return TRUE;
    }

  return expected (parser, "'operand' or 'result'");
}

/* Parses the question mark of a list that is not closed, after a comma unless the list is empty. */
static gboolean
parse_openness (Parser *parser,
                gsize   n_axes,
                gint64 *closed)
{
  const gboolean comma = n_axes > 0 && accept (parser, ',');

  *closed = (n_axes > 0 && !comma) || !accept (parser, '?');

  return !comma || *closed == 0 || expected (parser, "'?'");
}

/* Parses the digits of a priority, the first of which is 0 only if it is the only one. */
static gboolean
parse_priority (Parser *parser,
                gint64 *value)
{
  const char *start = parser->at;

  if (start < parser->end && *start == '0' && parser->end - start > 1 && g_ascii_isdigit (start[1]))
    return expected (parser, "a priority without leading zeros");

  return parse_integer (parser, value) && (*value >= 0 || expected (parser, "a priority of at least 0"));
}

static gboolean
parse_field (Parser      *parser,
             GhloSdyAttr *self,
             guint        index,
             char         style)
{
  const GhloSdyFieldSpec *spec = &ghlo_sdy_specs[self->kind].fields[index];
  GhloSdyField *field = &self->fields[index];

  switch (spec->kind)
    {
    case GHLO_SDY_FIELD_INTEGER:
      return parse_integer (parser, &field->integer);
    case GHLO_SDY_FIELD_PRIORITY:
      return parse_priority (parser, &field->integer);
    case GHLO_SDY_FIELD_INTEGERS:
      return parse_integers (parser, field, style);
    case GHLO_SDY_FIELD_FLAG:
      field->integer = 1;
      return style != 'o' || parse_openness (parser, ghlo_sdy_field_n_attrs (&self->fields[0]), &field->integer);
    case GHLO_SDY_FIELD_REDUCTION:
      return parse_reduction (parser, &field->integer);
    case GHLO_SDY_FIELD_SIDE:
      return parse_side (parser, &field->integer);
    case GHLO_SDY_FIELD_NAME:
      return parse_children (parser, field, GHLO_SDY_STRING, FALSE);
    default:
      return parse_children (parser, field, spec->child, spec->kind == GHLO_SDY_FIELD_ATTRS);
    }
}

/* Accepts the format's text up to a "$", a "~" or the end. Returns FALSE without an error if it is missing. */
static gboolean
accept_literal (Parser      *parser,
                const char **format)
{
  for (; **format != '\0' && **format != '$' && **format != '~'; ++*format)
    if (**format != ' ' && !accept (parser, **format))
      return FALSE;

  return TRUE;
}

/* Parses the format from @format up to a "~" or the end. */
static gboolean
parse_stretch (Parser      *parser,
               GhloSdyAttr *self,
               const char  *format)
{
  char style;
  guint index;

  while (*format != '\0' && *format != '~')
    if (*format == '$')
      {
        format = ghlo_sdy_read_reference (format + 1, &style, &index);
        if (!parse_field (parser, self, index, style))
          return FALSE;
      }
    else if (!accept_literal (parser, &format))
      {
        char what[] = { '\'', *format, '\'', '\0' };

        return expected (parser, what);
      }

  return TRUE;
}

/* Parses optional parts, from the first "~" on: those of a sharding in any order, others in theirs. A list of factors
 * may be empty, any other part is not. Sets @format to the end of the last one. */
static gboolean
parse_parts (Parser       *parser,
             GhloSdyAttr  *self,
             const char  **format)
{
  const char *first = *format, *part;
  gboolean again = TRUE;

  while (again)
    {
      again = FALSE;
      for (part = first; *part == '~'; part = strchr (part + 1, '~') + 1)
        {
          const char *start = parser->at, *literal = part + 1;

          if (!again && !ghlo_sdy_has_part (self, part + 1) && accept_literal (parser, &literal))
            {
              if (!parse_stretch (parser, self, literal))
                return FALSE;
              if (self->kind != GHLO_SDY_RULE && !ghlo_sdy_has_part (self, part + 1))
                return expected (parser, "an item");
              again = self->kind == GHLO_SDY_SHARDING;
            }
          else if (!again)
            parser->at = start;
        }
      *format = part;
    }

  return TRUE;
}

static gboolean
parse_format (Parser      *parser,
              GhloSdyAttr *self)
{
  const char *format = ghlo_sdy_specs[self->kind].format;

  while (*format != '\0')
    if (*format == '~')
      {
        if (!parse_parts (parser, self, &format))
          return FALSE;
      }
    else
      {
        if (!parse_stretch (parser, self, format))
          return FALSE;
        format += strcspn (format, "~");
      }

  return TRUE;
}

char *
ghlo_sdy_attr_parse (GhloSdyAttr      *self,
                     GhloIrModule     *module,
                     const GhloIrAttr *attr)
{
  Parser parser = { .module = module, .text = attr->text };
  gsize length;

  for (guint kind = 0; kind < GHLO_SDY_N_KINDS; kind++)
    {
      parser.at = ghlo_sdy_find_body (attr, kind, &length);
      if (parser.at == NULL)
        continue;
      parser.end = parser.at + length;
      ghlo_sdy_attr_init (self, kind);
      if (parse_format (&parser, self))
        {
          skip_spaces (&parser);
          if (parser.at < parser.end)
            expected (&parser, "the end");
        }
      return parser.problem;
    }
  ghlo_sdy_attr_init (self, GHLO_SDY_MESH);

  return g_strdup_printf ("expected an attribute of sdy that is known, found #%s", attr->text);
}
