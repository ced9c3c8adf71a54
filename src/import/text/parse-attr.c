/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MLIR's own attributes: numbers, strings, symbols, types, arrays,
 * dictionaries; and the short spellings that pretty forms have for them.
 */

#include <string.h>

#include "import/text/parser.h"

/* The width and signedness of an integer type. Returns FALSE for any other type. */
static gboolean
integer_shape (const GhloIrType *type,
               guint            *width,
               gboolean         *is_signed,
               gboolean         *is_unsigned)
{
  const GhloElementInfo *info;
  const char *digits = type->text;

  *is_signed = *is_unsigned = FALSE;
  if (type->kind != GHLO_IR_TYPE_ELEMENT)
    return FALSE;
  if (type->text == NULL)
    {
      info = ghlo_element_info (type->element_type);
      *width = info->bits;
      *is_unsigned = info->element_class == GHLO_ELEMENT_CLASS_UNSIGNED;
      return *is_unsigned || info->element_class == GHLO_ELEMENT_CLASS_SIGNED
             || info->element_class == GHLO_ELEMENT_CLASS_BOOLEAN;
    }

  *is_signed = *digits == 's';
  *is_unsigned = *digits == 'u';
  if (*is_signed || *is_unsigned)
    digits++;
  if (*digits != 'i')
    return FALSE;
  *width = (guint) g_ascii_strtoull (digits + 1, NULL, 10);

  return TRUE;
}

static gboolean
is_float (const GhloIrType *type)
{
  if (type->kind != GHLO_IR_TYPE_ELEMENT)
    return FALSE;
  if (type->text != NULL)
    return type->text[0] == 'f' || type->text[0] == 't';

  return ghlo_element_type_is_float (type->element_type);
}

gboolean
ghlo_import_check_integer (GhloImportParser   *self,
                           GhloImportPosition  position,
                           const GhloIrType   *type,
                           gboolean            negative,
                           guint64             magnitude,
                           gint64             *value)
{
  guint width;
  gboolean is_signed, is_unsigned;
  guint64 all, half;
  g_autofree char *name = NULL;

  if (!integer_shape (type, &width, &is_signed, &is_unsigned))
    {
      name = ghlo_ir_type_to_string (type);
      return ghlo_import_fail_at (self, position, "expected a literal of %s, found an integer", name);
    }
  if (width > 64)
    {
      name = ghlo_ir_type_to_string (type);
      return ghlo_import_unsupported (self, "expected an integer of at most 64 bits, found one of type %s", name);
    }

  all = width == 64 ? G_MAXUINT64 : (G_GUINT64_CONSTANT (1) << width) - 1;
  half = G_GUINT64_CONSTANT (1) << (width - 1);
  if (negative ? (is_unsigned && magnitude > 0) || magnitude > half
               : magnitude > (is_signed ? half - 1 : all))
    {
      name = ghlo_ir_type_to_string (type);
      return ghlo_import_fail_at (self, position, "expected an integer within %s, found %s%" G_GUINT64_FORMAT,
                                  name, negative ? "-" : "", magnitude);
    }

  if (negative)
    magnitude = 0 - magnitude;
  if (!is_unsigned && width > 1 && width < 64)
    *value = (gint64) (magnitude << (64 - width)) >> (64 - width);
  else
    *value = (gint64) (magnitude & all);

  return TRUE;
}

/* The given type if there is one, else ": type", else the usual type. NULL after a report. */
static const GhloIrType *
literal_type (GhloImportParser *self,
              const GhloIrType *given,
              GhloElementType   usual)
{
  if (given != NULL)
    return given;
  if (ghlo_import_accept (self, ':'))
    return ghlo_import_parse_type (self);

  return ghlo_import_element_type (self, usual);
}

static const GhloIrAttr *
make_float (GhloImportParser *self,
            const GhloIrType *type,
            double            value)
{
  if (type->text == NULL)
    value = ghlo_element_round (type->element_type, (GhloScalar) { .f = value }).f;

  return ghlo_ir_attr_float (self->module, type, value);
}

static const GhloIrAttr *
parse_float (GhloImportParser *self,
             const GhloIrType *given,
             gboolean          negative)
{
  GhloImportPosition position = ghlo_import_position (self);
  double value = ghlo_import_text_to_double (self->lexer.start, ghlo_import_lexer_length (&self->lexer));
  const GhloIrType *type;

  ghlo_import_next (self);
  type = literal_type (self, given, GHLO_ELEMENT_TYPE_F64);
  if (type == NULL)
    return NULL;
  if (!is_float (type))
    {
      g_autofree char *name = ghlo_ir_type_to_string (type);

      ghlo_import_fail_at (self, position, "expected a literal of %s, found a float", name);
      return NULL;
    }

  return make_float (self, type, negative ? -value : value);
}

/* Makes a float that is written as its bits. */
static const GhloIrAttr *
make_float_of_bits (GhloImportParser   *self,
                    GhloImportPosition  position,
                    const GhloIrType   *type,
                    gboolean            negative,
                    guint64             bits)
{
  const GhloElementInfo *info = ghlo_element_info (type->element_type);

  if (type->text != NULL)
    {
      ghlo_import_unsupported (self, "expected a decimal literal of %s, found its bits", type->text);
      return NULL;
    }
  if (negative || (info->bits < 64 && bits >> info->bits != 0))
    {
      ghlo_import_fail_at (self, position, "expected the %u bits of %s without a sign, found other ones",
                           info->bits, info->name);
      return NULL;
    }

  return ghlo_ir_attr_float (self->module, type, ghlo_float_from_bits (type->element_type, bits));
}

static const GhloIrAttr *
parse_integer (GhloImportParser *self,
               const GhloIrType *given,
               gboolean          negative)
{
  GhloImportPosition position = ghlo_import_position (self);
  gboolean hex = ghlo_import_token_is_hex (self), fits;
  const GhloIrType *type;
  guint64 magnitude = 0;
  gint64 value;

  fits = ghlo_import_token_unsigned (self, &magnitude);
  ghlo_import_next (self);
  type = literal_type (self, given, GHLO_ELEMENT_TYPE_I64);
  if (type == NULL)
    return NULL;
  if (!fits)
    {
      ghlo_import_fail_at (self, position, "expected an integer of at most 64 bits, found a larger one");
      return NULL;
    }
  if (hex && is_float (type))
    return make_float_of_bits (self, position, type, negative, magnitude);
  if (!ghlo_import_check_integer (self, position, type, negative, magnitude, &value))
    return NULL;
  if (type->text == NULL && type->element_type == GHLO_ELEMENT_TYPE_I1)
    return ghlo_ir_attr_bool (self->module, value != 0);

  return ghlo_ir_attr_integer (self->module, type, value);
}

static const GhloIrAttr *
parse_number (GhloImportParser *self,
              const GhloIrType *given)
{
  gboolean negative = ghlo_import_accept (self, '-');

  if (ghlo_import_at (self, GHLO_TOKEN_FLOAT))
    return parse_float (self, given, negative);
  if (ghlo_import_at (self, GHLO_TOKEN_INTEGER))
    return parse_integer (self, given, negative);
  ghlo_import_expected (self, "a number");

  return NULL;
}

static const GhloIrAttr *
parse_string (GhloImportParser *self)
{
  g_autofree char *string = NULL;
  gsize length;

  if (!ghlo_import_at (self, GHLO_TOKEN_STRING))
    {
      ghlo_import_expected (self, "a string");
      return NULL;
    }
  string = ghlo_import_token_string (self, &length);
  ghlo_import_next (self);

  return ghlo_ir_attr_string (self->module, string, length);
}

/* Accepts "::", which is two tokens. */
static gboolean
accept_nesting (GhloImportParser *self)
{
  GhloImportLexer saved = self->lexer;

  if (!ghlo_import_accept (self, ':'))
    return FALSE;
  if (ghlo_import_at (self, ':') && self->lexer.start == saved.cursor)
    {
      ghlo_import_next (self);
      return TRUE;
    }
  self->lexer = saved;

  return FALSE;
}

static const GhloIrAttr *
parse_symbol (GhloImportParser *self)
{
  gsize height = self->attrs.n;
  const char *root = ghlo_import_parse_symbol_name (self), *name = root;
  const GhloIrAttr *symbol = NULL;

  while (name != NULL && accept_nesting (self))
    {
      name = ghlo_import_parse_symbol_name (self);
      if (name != NULL)
        GHLO_IMPORT_PUSH (&self->attrs, ghlo_ir_attr_symbol (self->module, name, NULL, 0));
    }
  if (name != NULL)
    symbol = ghlo_ir_attr_symbol (self->module, root, self->attrs.items + height, self->attrs.n - height);
  self->attrs.n = height;

  return symbol;
}

static gboolean
parse_children (GhloImportParser *self)
{
  ghlo_import_next (self);
  if (ghlo_import_accept (self, ']'))
    return TRUE;
  do
    {
      const GhloIrAttr *child = ghlo_import_parse_attr (self);

      if (child == NULL)
        return FALSE;
      GHLO_IMPORT_PUSH (&self->attrs, child);
    }
  while (ghlo_import_accept (self, ','));

  return ghlo_import_expect (self, ']', "',' or ']'");
}

static const GhloIrAttr *
parse_array (GhloImportParser *self)
{
  gsize height = self->attrs.n;
  const GhloIrAttr *array = NULL;

  if (parse_children (self))
    array = ghlo_ir_attr_array (self->module, self->attrs.items + height, self->attrs.n - height);
  self->attrs.n = height;

  return array;
}

static int
compare_names (gconstpointer a,
               gconstpointer b)
{
  const char *left = *(const char *const *) a, *right = *(const char *const *) b;

  return (left > right) - (left < right);
}

/* Returns a name that occurs twice among the entries from @height
 * on, or NULL. Names are interned and compared by pointer. */
static const char *
find_duplicate (const GhloImportParser *self,
                gsize                   height)
{
  const GhloIrNamedAttr *entries = self->entries.items + height;
  gsize n = self->entries.n - height;
  g_autofree const char **names = NULL;

  if (n <= 8)
    {
      for (gsize i = 1; i < n; i++)
        for (gsize j = 0; j < i; j++)
          if (entries[i].name == entries[j].name)
            return entries[i].name;
      return NULL;
    }

  names = g_new (const char *, n);
  for (gsize i = 0; i < n; i++)
    names[i] = entries[i].name;
  qsort (names, n, sizeof (char *), compare_names);
  for (gsize i = 1; i < n; i++)
    if (names[i] == names[i - 1])
      return names[i];

  return NULL;
}

static gboolean
parse_entry (GhloImportParser *self)
{
  const char *name = ghlo_import_parse_name (self);
  const GhloIrAttr *value;

  if (name == NULL)
    return FALSE;
  value = ghlo_import_accept (self, '=') ? ghlo_import_parse_attr (self) : ghlo_ir_attr_unit (self->module);
  if (value == NULL)
    return FALSE;
  GHLO_IMPORT_PUSH (&self->entries, (GhloIrNamedAttr) { name, value });

  return TRUE;
}

gboolean
ghlo_import_parse_entries (GhloImportParser *self)
{
  GhloImportPosition position = ghlo_import_position (self);
  gsize height = self->entries.n;
  const char *duplicate;

  if (!ghlo_import_expect (self, '{', "'{'"))
    return FALSE;
  if (ghlo_import_accept (self, '}'))
    return TRUE;
  do
    if (!parse_entry (self))
      return FALSE;
  while (ghlo_import_accept (self, ','));
  if (!ghlo_import_expect (self, '}', "',' or '}'"))
    return FALSE;

  duplicate = find_duplicate (self, height);
  if (duplicate != NULL)
    {
      g_autofree char *name = ghlo_import_quote (duplicate, strlen (duplicate));

      return ghlo_import_fail_at (self, position, "expected each name once in a dictionary, found '%s' twice", name);
    }

  return TRUE;
}

const GhloIrAttr *
ghlo_import_parse_dictionary (GhloImportParser *self)
{
  gsize height = self->entries.n;
  const GhloIrAttr *dictionary = NULL;

  if (ghlo_import_parse_entries (self))
    dictionary = ghlo_ir_attr_dictionary (self->module, self->entries.items + height, self->entries.n - height);
  self->entries.n = height;

  return dictionary;
}

static const GhloIrAttr *
parse_location_attr (GhloImportParser *self)
{
  const GhloIrLocation *location = NULL;

  if (!ghlo_import_accept_location (self, &location))
    return NULL;
  if (location == NULL)
    {
      ghlo_import_expected (self, "'loc('");
      return NULL;
    }

  return ghlo_ir_attr_location (self->module, location);
}

/* Parses a word and what follows it in brackets, and returns them as text. */
static char *
parse_kept_text (GhloImportParser *self)
{
  const char *start = self->lexer.start, *end;

  ghlo_import_next (self);
  if (!ghlo_import_at (self, '<') && !ghlo_import_at (self, '['))
    {
      ghlo_import_expected (self, "'<'");
      return NULL;
    }
  end = ghlo_import_skip_balanced (self, self->lexer.start);
  if (end != NULL && ghlo_import_at (self, '<') && self->lexer.start == end)
    end = ghlo_import_skip_balanced (self, self->lexer.start);
  if (end == NULL)
    return NULL;
  if (memchr (start, '\0', end - start) != NULL)
    {
      ghlo_import_fail (self, "expected an attribute without NUL bytes, found one with them");
      return NULL;
    }

  return g_strndup (start, end - start);
}

/* Parses affine_map<…>, distinct[…]<…> and the like, which are kept as text. */
static const GhloIrAttr *
parse_kept_word (GhloImportParser *self)
{
  g_autofree char *text = parse_kept_text (self);

  return text != NULL ? ghlo_ir_attr_opaque (self->module, text) : NULL;
}

static const GhloIrAttr *
parse_type_attr (GhloImportParser *self)
{
  const GhloIrType *type = ghlo_import_parse_type (self);

  return type != NULL ? ghlo_ir_attr_type (self->module, type) : NULL;
}

static const GhloIrAttr *
parse_true (GhloImportParser *self)
{
  ghlo_import_next (self);

  return ghlo_ir_attr_bool (self->module, TRUE);
}

static const GhloIrAttr *
parse_false (GhloImportParser *self)
{
  ghlo_import_next (self);

  return ghlo_ir_attr_bool (self->module, FALSE);
}

static const GhloIrAttr *
parse_unit (GhloImportParser *self)
{
  ghlo_import_next (self);

  return ghlo_ir_attr_unit (self->module);
}

/* Makes a constant that is kept as @text; its type follows unless it is given. */
static const GhloIrAttr *
make_kept_elements (GhloImportParser *self,
                    const GhloIrType *type,
                    const char       *text)
{
  GhloImportPosition position = ghlo_import_position (self);

  if (type == NULL && ghlo_import_expect (self, ':', "':'"))
    {
      position = ghlo_import_position (self);
      type = ghlo_import_parse_type (self);
    }
  if (type == NULL)
    return NULL;
  if (!ghlo_ir_type_is_tensor (type))
    {
      ghlo_import_fail_at (self, position, "expected the type of a tensor for a constant, found another type");
      return NULL;
    }

  return ghlo_ir_attr_kept_elements (self->module, type, text);
}

static const GhloIrAttr *
parse_sparse (GhloImportParser *self,
              const GhloIrType *type)
{
  g_autofree char *text = NULL;

  if ((self->flags & GHLO_IMPORT_KEEP_ELEMENTS) == 0)
    {
      ghlo_import_unsupported (self, "expected a dense constant, found a sparse one, which is not supported");
      return NULL;
    }
  text = parse_kept_text (self);

  return text != NULL ? make_kept_elements (self, type, text) : NULL;
}

/* Parses dense_resource<…>. Printers write the key "__elided__" for elements that they leave out. */
static const GhloIrAttr *
parse_resource (GhloImportParser *self,
                const GhloIrType *type)
{
  static const char elided[] = "dense_resource<__elided__>";
  GhloImportLexer saved = self->lexer;
  g_autofree char *text = NULL;

  if ((self->flags & GHLO_IMPORT_KEEP_ELEMENTS) == 0)
    return ghlo_import_parse_dense_resource (self, type);
  text = parse_kept_text (self);
  if (text == NULL)
    return NULL;
  if (strcmp (text, elided) == 0)
    return make_kept_elements (self, type, text);
  self->lexer = saved;

  return ghlo_import_parse_dense_resource (self, type);
}

static const GhloIrAttr *
parse_word (GhloImportParser *self,
            const GhloIrType *type)
{
  static const struct
  {
    const char *word;
    const GhloIrAttr *(*parse) (GhloImportParser *self);
  } words[] = {
    { "true", parse_true },
    { "false", parse_false },
    { "array", ghlo_import_parse_dense_array },
    { "unit", parse_unit },
    { "loc", parse_location_attr },
    { "affine_map", parse_kept_word },
    { "affine_set", parse_kept_word },
    { "distinct", parse_kept_word },
    { "strided", parse_kept_word },
  };

  if (ghlo_import_lexer_is (&self->lexer, "dense"))
    return ghlo_import_parse_dense (self, type);
  if (ghlo_import_lexer_is (&self->lexer, "dense_resource"))
    return parse_resource (self, type);
  if (ghlo_import_lexer_is (&self->lexer, "sparse"))
    return parse_sparse (self, type);
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (ghlo_import_lexer_is (&self->lexer, words[i].word))
      return words[i].parse (self);

  return parse_type_attr (self);
}

static const GhloIrAttr *
parse_any (GhloImportParser *self,
           const GhloIrType *type)
{
  switch (self->lexer.kind)
    {
    case '-':
    case GHLO_TOKEN_INTEGER:
    case GHLO_TOKEN_FLOAT:
      return parse_number (self, type);
    case GHLO_TOKEN_STRING:
      return parse_string (self);
    case GHLO_TOKEN_AT:
      return parse_symbol (self);
    case GHLO_TOKEN_HASH:
      return ghlo_import_parse_dialect_attr (self);
    case '[':
      return parse_array (self);
    case '{':
      return ghlo_import_parse_dictionary (self);
    case '(':
    case GHLO_TOKEN_BANG:
      return parse_type_attr (self);
    case GHLO_TOKEN_BARE:
      return parse_word (self, type);
    default:
      ghlo_import_expected (self, "an attribute");
      return NULL;
    }
}

const GhloIrAttr *
ghlo_import_parse_typed_attr (GhloImportParser *self,
                              const GhloIrType *type)
{
  const GhloIrAttr *attr;

  if (!ghlo_import_enter (self))
    return NULL;
  attr = parse_any (self, type);
  ghlo_import_leave (self);

  return attr;
}

const GhloIrAttr *
ghlo_import_parse_attr (GhloImportParser *self)
{
  return ghlo_import_parse_typed_attr (self, NULL);
}

gboolean
ghlo_import_parse_ints (GhloImportParser *self,
                        GhloImportInts   *ints,
                        gboolean          dynamic)
{
  if (!ghlo_import_expect (self, '[', "'['"))
    return FALSE;
  if (ghlo_import_accept (self, ']'))
    return TRUE;
  do
    {
      gint64 value = -1;

      if (!(dynamic && ghlo_import_accept (self, '?')) && !ghlo_import_parse_integer (self, &value))
        return FALSE;
      GHLO_IMPORT_PUSH (ints, value);
    }
  while (ghlo_import_accept (self, ','));

  return ghlo_import_expect (self, ']', "',' or ']'");
}

const GhloIrAttr *
ghlo_import_parse_i64s (GhloImportParser *self)
{
  gsize height = self->ints.n;
  const GhloIrAttr *attr = NULL;

  if (ghlo_import_parse_ints (self, &self->ints, FALSE))
    attr = ghlo_ir_attr_i64s (self->module, self->ints.items + height, self->ints.n - height);
  self->ints.n = height;

  return attr;
}

static gboolean
parse_short_element (GhloImportParser *self,
                     GhloElementType   element_type)
{
  GhloImportPosition position = ghlo_import_position (self);
  gint64 value = 1;

  if (element_type == GHLO_ELEMENT_TYPE_I1 && ghlo_import_accept_word (self, "false"))
    value = 0;
  else if (!(element_type == GHLO_ELEMENT_TYPE_I1 && ghlo_import_accept_word (self, "true"))
           && !(ghlo_import_parse_integer (self, &value)
                && ghlo_import_check_integer (self, position, ghlo_import_element_type (self, element_type), value < 0,
                                              value < 0 ? 0 - (guint64) value : (guint64) value, &value)))
    return FALSE;
  GHLO_IMPORT_PUSH (&self->ints, value);

  return TRUE;
}

/* Parses "[1, 2]" of 32-bit integers, or "[true, false]". */
static const GhloIrAttr *
parse_short_array (GhloImportParser *self,
                   GhloElementType   element_type)
{
  gsize height = self->ints.n;
  const GhloIrAttr *attr = NULL;
  gboolean ok = ghlo_import_expect (self, '[', "'['");

  if (ok && !ghlo_import_at (self, ']'))
    do
      ok = parse_short_element (self, element_type);
    while (ok && ghlo_import_accept (self, ','));
  if (ok && ghlo_import_expect (self, ']', "',' or ']'"))
    attr = ghlo_ir_attr_integers (self->module, element_type, self->ints.items + height, self->ints.n - height);
  self->ints.n = height;

  return attr;
}

const GhloIrAttr *
ghlo_import_parse_attr_of (GhloImportParser     *self,
                           const GhloIrAttrSpec *spec)
{
  static const GhloElementType numbers[] = {
    [GHLO_IR_KIND_I32] = GHLO_ELEMENT_TYPE_I32, [GHLO_IR_KIND_I64] = GHLO_ELEMENT_TYPE_I64,
    [GHLO_IR_KIND_UI32] = GHLO_ELEMENT_TYPE_UI32, [GHLO_IR_KIND_UI64] = GHLO_ELEMENT_TYPE_UI64,
    [GHLO_IR_KIND_F32] = GHLO_ELEMENT_TYPE_F32,   [GHLO_IR_KIND_F64] = GHLO_ELEMENT_TYPE_F64,
  };

  switch (spec->kind)
    {
    case GHLO_IR_KIND_I32:
    case GHLO_IR_KIND_I64:
    case GHLO_IR_KIND_UI32:
    case GHLO_IR_KIND_UI64:
    case GHLO_IR_KIND_F32:
    case GHLO_IR_KIND_F64:
      return ghlo_import_parse_typed_attr (self, ghlo_import_element_type (self, numbers[spec->kind]));
    case GHLO_IR_KIND_I64_ARRAY:
      if (ghlo_import_at (self, '['))
        return ghlo_import_parse_i64s (self);
      break;
    case GHLO_IR_KIND_I32_ARRAY:
      if (ghlo_import_at (self, '['))
        return parse_short_array (self, GHLO_ELEMENT_TYPE_I32);
      break;
    case GHLO_IR_KIND_BOOL_ARRAY:
      if (ghlo_import_at (self, '['))
        return parse_short_array (self, GHLO_ELEMENT_TYPE_I1);
      break;
    case GHLO_IR_KIND_ENUM:
      if (!ghlo_import_at (self, GHLO_TOKEN_HASH))
        return ghlo_import_parse_enum_word (self, spec->detail);
      break;
    case GHLO_IR_KIND_STRUCT:
      if (ghlo_import_at (self, '<'))
        return ghlo_import_parse_struct (self, spec->detail);
      break;
    case GHLO_IR_KIND_STRING:
      return parse_string (self);
    case GHLO_IR_KIND_SYMBOL:
      if (!ghlo_import_at (self, GHLO_TOKEN_AT))
        {
          ghlo_import_expected (self, "a symbol name such as @main");
          return NULL;
        }
      break;
    default:
      break;
    }

  return ghlo_import_parse_attr (self);
}
