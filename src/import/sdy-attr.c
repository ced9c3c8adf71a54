/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The forms of sdy's attributes. A form is text in which "$" and a digit stand for
 * the field of that number, and "~" opens and closes a part that is there only when
 * the fields in it are. How a field is spelled follows from its kind; a letter
 * between "$" and the digit says otherwise: "f" factors ("i, k"), "c" factors in
 * one word ("ik"), "s" factors with sizes ("i=2, j=4"), "o" a question mark for
 * what is not closed. Parts that may be left out come in any order.
 */

#include "import/sdy-attr.h"

#include <string.h>

/* Factors are i to z, then z_1, z_2 and so on. */
enum { LAST_LETTER = 'z' - 'i' };

#define ATTRS(child)    { GHLO_SDY_FIELD_ATTRS, GHLO_SDY_##child }
#define ATTR(child)     { GHLO_SDY_FIELD_ATTR, GHLO_SDY_##child }
#define OPTIONAL(child) { GHLO_SDY_FIELD_OPTIONAL, GHLO_SDY_##child }
#define NAME            { GHLO_SDY_FIELD_NAME }
#define INTEGER         { GHLO_SDY_FIELD_INTEGER }
#define INTEGERS        { GHLO_SDY_FIELD_INTEGERS }
#define FLAG            { GHLO_SDY_FIELD_FLAG }
#define PRIORITY        { GHLO_SDY_FIELD_PRIORITY }
#define REDUCTION       { GHLO_SDY_FIELD_REDUCTION }

const GhloSdySpec ghlo_sdy_specs[GHLO_SDY_N_KINDS] = {
  [GHLO_SDY_MANUAL_AXES] = { "manual_axes", "{$0}", { ATTRS (STRING) } },
  [GHLO_SDY_MESH_AXIS] = { "mesh_axis", "$0=$1", { NAME, INTEGER } },
  [GHLO_SDY_MESH] = { "mesh", "<[$0]~, device_ids=[$1]~>", { ATTRS (MESH_AXIS), INTEGERS } },
  [GHLO_SDY_SUB_AXIS] = { "sub_axis_info", "($0)$1", { INTEGER, INTEGER } },
  [GHLO_SDY_AXIS] = { "axis_ref", "$0~:$1~", { NAME, OPTIONAL (SUB_AXIS) } },
  [GHLO_SDY_DIMENSION] = { "dimension_sharding", "{$0$o1}~p$2~", { ATTRS (AXIS), FLAG, PRIORITY } },
  [GHLO_SDY_SHARDING] = { "sharding", "<$0, [$1]~, replicated={$2}~~, unreduced=$4{$3}~>",
                          { ATTR (MESH_OR_SYMBOL), ATTRS (DIMENSION), ATTRS (AXIS), ATTRS (AXIS), REDUCTION } },
  [GHLO_SDY_SHARDINGS] = { "sharding_per_value", "<[$0]>", { ATTRS (SHARDING) } },
  [GHLO_SDY_DIMENSION_MAPPING] = { "dim_mapping", "$c0", { INTEGERS } },
  [GHLO_SDY_TENSOR_MAPPING] = { "tensor_mapping", "[$0]", { ATTRS (DIMENSION_MAPPING) } },
  [GHLO_SDY_RULE] = { "op_sharding_rule",
                      "<($1)->($2)~ {$s0}~~ reduction={$f3}~~ need_replication={$f4}~~ permutation={$f5}~"
                      "~ blocked_propagation={$f6}~~, custom$7~>",
                      { INTEGERS, ATTRS (TENSOR_MAPPING), ATTRS (TENSOR_MAPPING), INTEGERS, INTEGERS, INTEGERS,
                        INTEGERS, FLAG } },
  [GHLO_SDY_AXES] = { "axis_ref_list", "{$0}", { ATTRS (AXIS) } },
  [GHLO_SDY_LISTS_OF_AXES] = { "list_of_axis_ref_lists", "[$0]", { ATTRS (AXES) } },
  [GHLO_SDY_ALL_TO_ALL] = { "all_to_all_param", "{$0}: $1->$2", { ATTRS (AXIS), INTEGER, INTEGER } },
  [GHLO_SDY_ALL_TO_ALLS] = { "all_to_all_param_list", "[$0]", { ATTRS (ALL_TO_ALL) } },
};

static const char *const reductions[] = { "", "max", "min" };

void
ghlo_sdy_attr_init (GhloSdyAttr *self,
                    GhloSdyKind  kind)
{
  *self = (GhloSdyAttr) { .kind = kind };
  for (guint i = 0; i < GHLO_SDY_MAX_FIELDS; i++)
    if (ghlo_sdy_specs[kind].fields[i].kind == GHLO_SDY_FIELD_PRIORITY)
      self->fields[i].integer = -1;
}

void
ghlo_sdy_attr_clear (GhloSdyAttr *self)
{
  for (guint i = 0; i < GHLO_SDY_MAX_FIELDS; i++)
    {
      g_clear_pointer (&self->fields[i].integers, g_array_unref);
      g_clear_pointer (&self->fields[i].attrs, g_ptr_array_unref);
    }
}

void
ghlo_sdy_field_add (GhloSdyField     *field,
                    const GhloIrAttr *attr)
{
  if (field->attrs == NULL)
    field->attrs = g_ptr_array_new ();
  g_ptr_array_add (field->attrs, (gpointer) attr);
}

void
ghlo_sdy_field_append (GhloSdyField *field,
                       gint64        integer)
{
  if (field->integers == NULL)
    field->integers = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_array_append_val (field->integers, integer);
}

/* "sdy.mesh<…>" where the form is in angle brackets, else "sdy<axis_ref…>". */
static gboolean
is_angled (GhloSdyKind kind)
{
  return ghlo_sdy_specs[kind].form[0] == '<';
}

/* Behind the mnemonic, with the length of what is the attribute's own; NULL when
 * @attr is of another kind. */
static const char *
find_body (const GhloIrAttr *attr,
           GhloSdyKind       kind,
           gsize            *length)
{
  const char *mnemonic = ghlo_sdy_specs[kind].mnemonic, *text = attr->text;
  /* The letters of a mapping follow without a space. */
  gboolean open_end = kind == GHLO_SDY_DIMENSION_MAPPING;

  if (attr->kind != GHLO_IR_ATTR_OPAQUE || !g_str_has_prefix (text, "sdy") || (text[3] != '.' && text[3] != '<')
      || !g_str_has_prefix (text + 4, mnemonic))
    return NULL;
  text += 4 + strlen (mnemonic);
  if (!open_end && (*text == '_' || g_ascii_isalnum (*text)))
    return NULL;
  *length = strlen (text);
  if (attr->text[3] == '.')
    return text;
  if (*length == 0 || text[*length - 1] != '>')
    return NULL;
  *length -= 1;

  return text;
}

gboolean
ghlo_sdy_attr_is (const GhloIrAttr *attr,
                  GhloSdyKind       kind)
{
  gsize length;

  if (kind == GHLO_SDY_STRING)
    return attr->kind == GHLO_IR_ATTR_STRING;
  if (kind == GHLO_SDY_MESH_OR_SYMBOL)
    return (attr->kind == GHLO_IR_ATTR_SYMBOL && attr->length == 0) || ghlo_sdy_attr_is (attr, GHLO_SDY_MESH);

  return find_body (attr, kind, &length) != NULL;
}

/* Printing. */

static void
put_factor (GString *string,
            gint64   factor)
{
  if (factor <= LAST_LETTER)
    g_string_append_c (string, (char) ('i' + factor));
  else
    g_string_append_printf (string, "z_%" G_GINT64_FORMAT, factor - LAST_LETTER);
}

static void
put_integers (GString            *string,
              const GhloSdyField *field,
              char                style)
{
  for (guint i = 0; i < ghlo_sdy_field_n_integers (field); i++)
    {
      gint64 value = g_array_index (field->integers, gint64, i);

      if (i > 0 && style != 'c')
        g_string_append (string, ", ");
      if (style == 's')
        {
          put_factor (string, i);
          g_string_append_c (string, '=');
        }
      if (style == 'f' || style == 'c')
        put_factor (string, value);
      else
        g_string_append_printf (string, "%" G_GINT64_FORMAT, value);
    }
}

/* A part that is an attribute of sdy goes without its name. */
static void
put_attrs (GString            *string,
           const GhloSdyField *field,
           GhloSdyKind         child)
{
  for (guint i = 0; i < ghlo_sdy_field_n_attrs (field); i++)
    {
      const GhloIrAttr *attr = g_ptr_array_index (field->attrs, i);
      const char *body = NULL;
      gsize length;

      if (child == GHLO_SDY_MESH_OR_SYMBOL && attr->kind == GHLO_IR_ATTR_OPAQUE)
        {
          g_string_append (string, "mesh");
          body = find_body (attr, GHLO_SDY_MESH, &length);
        }
      else if (child < GHLO_SDY_N_KINDS)
        body = find_body (attr, child, &length);
      g_string_append (string, i > 0 ? ", " : "");
      if (body != NULL)
        g_string_append_len (string, body, length);
      else
        ghlo_ir_attr_append (attr, string);
    }
}

static void
put_field (GString           *string,
           const GhloSdyAttr *self,
           guint              index,
           char               style)
{
  const GhloSdyFieldSpec *spec = &ghlo_sdy_specs[self->kind].fields[index];
  const GhloSdyField *field = &self->fields[index];

  switch (spec->kind)
    {
    case GHLO_SDY_FIELD_INTEGER:
    case GHLO_SDY_FIELD_PRIORITY:
      g_string_append_printf (string, "%" G_GINT64_FORMAT, field->integer);
      break;
    case GHLO_SDY_FIELD_INTEGERS:
      put_integers (string, field, style);
      break;
    case GHLO_SDY_FIELD_FLAG:
      if (style == 'o' && field->integer == 0)
        g_string_append (string, ghlo_sdy_field_n_attrs (&self->fields[0]) > 0 ? ", ?" : "?");
      break;
    case GHLO_SDY_FIELD_REDUCTION:
      g_string_append (string, reductions[field->integer]);
      break;
    default:
      put_attrs (string, field, spec->kind == GHLO_SDY_FIELD_NAME ? GHLO_SDY_STRING : spec->child);
    }
}

/* A "$" of a form: the letter behind it, or 0, and the field. */
static const char *
read_reference (const char *form,
                char       *style,
                guint      *index)
{
  *style = g_ascii_isalpha (*form) ? *form++ : '\0';
  *index = *form - '0';

  return form + 1;
}

/* Whether the part of the form up to the next "~" is there. */
static gboolean
has_part (const GhloSdyAttr *self,
          const char        *form)
{
  const GhloSdyFieldSpec *specs = ghlo_sdy_specs[self->kind].fields;
  char style;
  guint index;

  for (; *form != '~'; form++)
    if (*form == '$')
      {
        form = read_reference (form + 1, &style, &index) - 1;
        if (ghlo_sdy_field_n_attrs (&self->fields[index]) > 0 || ghlo_sdy_field_n_integers (&self->fields[index]) > 0
            || (specs[index].kind == GHLO_SDY_FIELD_FLAG && self->fields[index].integer != 0)
            || (specs[index].kind == GHLO_SDY_FIELD_PRIORITY && self->fields[index].integer >= 0))
          return TRUE;
      }

  return FALSE;
}

void
ghlo_sdy_attr_print (const GhloSdyAttr *self,
                     GString           *string)
{
  const char *form = ghlo_sdy_specs[self->kind].form;
  gboolean inside = FALSE;
  char style;
  guint index;

  g_string_append_printf (string, "sdy%c%s", is_angled (self->kind) ? '.' : '<', ghlo_sdy_specs[self->kind].mnemonic);
  while (*form != '\0')
    if (*form == '~')
      {
        inside = !inside;
        form++;
        if (inside && !has_part (self, form))
          {
            form = strchr (form, '~') + 1;
            inside = FALSE;
          }
      }
    else if (*form == '$')
      {
        form = read_reference (form + 1, &style, &index);
        put_field (string, self, index, style);
      }
    else
      g_string_append_c (string, *form++);
  if (!is_angled (self->kind))
    g_string_append_c (string, '>');
}

/* Reading text. */

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
  if (parser->problem == NULL)
    parser->problem = g_strdup_printf ("expected %s at byte %" G_GSIZE_FORMAT " of #%s", what,
                                       (gsize) (parser->at - parser->text), parser->text);

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

/* "\22" and the like, and the escapes that have letters. */
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

/* "@mesh", "@"a mesh"". */
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
  if (*factor < LAST_LETTER || parser->end - parser->at < 2 || parser->at[0] != '_' || !g_ascii_isdigit (parser->at[1]))
    return TRUE;
  parser->at++;

  return (parse_integer (parser, factor) && !__builtin_add_overflow (*factor, LAST_LETTER, factor))
         || expected (parser, "a factor");
}

/* Whether a list goes on: no bracket closes it here. */
static gboolean
at_item (Parser *parser)
{
  skip_spaces (parser);

  return parser->at < parser->end && strchr ("]})?", *parser->at) == NULL;
}

/* A comma, unless a question mark follows it. */
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

static gboolean parse_form (Parser *parser, GhloSdyAttr *self);

/* An attribute without its name, which goes into the module with it. */
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
      if (parser->end - parser->at < 4 || memcmp (parser->at, "mesh", 4) != 0)
        return expected (parser, "a mesh or its symbol");
      parser->at += 4;
    }
  if (!parse_form (parser, &child))
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
  for (guint i = 1; i < G_N_ELEMENTS (reductions); i++)
    if (parser->end - parser->at >= 3 && memcmp (parser->at, reductions[i], 3) == 0)
      *value = i;
  if (*value > 0 || (parser->end - parser->at >= 3 && memcmp (parser->at, "sum", 3) == 0))
    parser->at += 3;

  return TRUE;
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
      return parse_integer (parser, &field->integer)
             && (field->integer >= 0 || expected (parser, "a priority from 0 on"));
    case GHLO_SDY_FIELD_INTEGERS:
      return parse_integers (parser, field, style);
    case GHLO_SDY_FIELD_FLAG:
      field->integer = 1;
      if (style == 'o')
        {
          accept (parser, ',');
          field->integer = !accept (parser, '?');
        }
      return TRUE;
    case GHLO_SDY_FIELD_REDUCTION:
      return parse_reduction (parser, &field->integer);
    case GHLO_SDY_FIELD_NAME:
      return parse_children (parser, field, GHLO_SDY_STRING, FALSE);
    default:
      return parse_children (parser, field, spec->child, spec->kind == GHLO_SDY_FIELD_ATTRS);
    }
}

/* The form's text up to a "$", or "~" or the end; FALSE without a word when it is
 * not there. */
static gboolean
accept_literal (Parser      *parser,
                const char **form)
{
  for (; **form != '\0' && **form != '$' && **form != '~'; ++*form)
    if (**form != ' ' && !accept (parser, **form))
      return FALSE;

  return TRUE;
}

/* The form from @form up to a "~" or the end. */
static gboolean
parse_stretch (Parser      *parser,
               GhloSdyAttr *self,
               const char  *form)
{
  char style;
  guint index;

  while (*form != '\0' && *form != '~')
    if (*form == '$')
      {
        form = read_reference (form + 1, &style, &index);
        if (!parse_field (parser, self, index, style))
          return FALSE;
      }
    else if (!accept_literal (parser, &form))
      {
        char what[] = { '\'', *form, '\'', '\0' };

        return expected (parser, what);
      }

  return TRUE;
}

/* Parts that may be left out, from the first "~" on, in any order. Gives the form
 * behind the last. */
static gboolean
parse_parts (Parser      *parser,
             GhloSdyAttr *self,
             const char **form)
{
  const char *first = *form, *part;
  gboolean again = TRUE;

  while (again)
    {
      again = FALSE;
      for (part = first; *part == '~'; part = strchr (part + 1, '~') + 1)
        {
          const char *start = parser->at, *literal = part + 1;

          if (!again && !has_part (self, part + 1) && accept_literal (parser, &literal))
            {
              if (!parse_stretch (parser, self, literal))
                return FALSE;
              again = has_part (self, part + 1);
            }
          else if (!again)
            parser->at = start;
        }
      *form = part;
    }

  return TRUE;
}

static gboolean
parse_form (Parser      *parser,
            GhloSdyAttr *self)
{
  const char *form = ghlo_sdy_specs[self->kind].form;

  while (*form != '\0')
    if (*form == '~')
      {
        if (!parse_parts (parser, self, &form))
          return FALSE;
      }
    else
      {
        if (!parse_stretch (parser, self, form))
          return FALSE;
        form += strcspn (form, "~");
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
      parser.at = find_body (attr, kind, &length);
      if (parser.at == NULL)
        continue;
      parser.end = parser.at + length;
      ghlo_sdy_attr_init (self, kind);
      if (parse_form (&parser, self))
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
