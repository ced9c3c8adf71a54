/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Types. Programs spell the same few tensor types again and again, so the text of each is looked up in a cache first.
 */

#include <string.h>

#include "base/hash.h"
#include "import/text/parser.h"

enum { LONGEST_CACHED = 256, WIDEST_INTEGER = (1 << 24) - 1 };

const GhloIrType *
ghlo_import_element_type (GhloImportParser *self,
                          GhloElementType   element_type)
{
  if (self->element_types[element_type] == NULL)
    self->element_types[element_type] = ghlo_ir_type_element (self->module, element_type);

  return self->element_types[element_type];
}

/* i3, si32, ui7: integers of MLIR that GHLO's tensors cannot hold. */
static gboolean
is_integer_name (const char *name,
                 gsize       length)
{
  const char *p = name, *end = name + length;
  guint width = 0;

  if (p < end && (*p == 's' || *p == 'u'))
    p++;
  if (p == end || *p++ != 'i' || p == end || *p == '0')
    return FALSE;
  for (; p < end; p++)
    {
      if (!g_ascii_isdigit (*p))
        return FALSE;
      width = width * 10 + (guint) (*p - '0');
      if (width > WIDEST_INTEGER)
        return FALSE;
    }

  return TRUE;
}

/* Floats of MLIR that GHLO's tensors cannot hold. */
static gboolean
is_float_name (const char *name,
               gsize       length)
{
  static const char *const names[] = { "tf32", "f80", "f128" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strlen (names[i]) == length && memcmp (names[i], name, length) == 0)
      return TRUE;

  return FALSE;
}

/* A builtin type that is one word; NULL without a report if the word is no such type. */
static const GhloIrType *
type_of_word (GhloImportParser *self,
              const char       *word,
              gsize             length)
{
  for (guint i = GHLO_ELEMENT_TYPE_I1; i <= GHLO_ELEMENT_TYPE_INDEX; i++)
    {
      const char *name = ghlo_element_info (i)->name;

      if (strlen (name) == length && memcmp (name, word, length) == 0)
        return ghlo_import_element_type (self, i);
    }
  if (length == 4 && memcmp (word, "none", 4) == 0)
    return ghlo_ir_type_none (self->module);
  if (is_integer_name (word, length) || is_float_name (word, length))
    return ghlo_ir_type_named (self->module, ghlo_ir_module_intern (self->module, word, length));

  return NULL;
}

/* complex<f32>, after the word. */
static const GhloIrType *
parse_complex (GhloImportParser *self)
{
  GhloImportPosition position;
  const GhloIrType *part;
  g_autofree char *name = NULL;

  if (!ghlo_import_expect (self, '<', "'<'"))
    return NULL;
  position = ghlo_import_position (self);
  part = ghlo_import_parse_type (self);
  if (part == NULL || !ghlo_import_expect (self, '>', "'>'"))
    return NULL;

  if (part->kind != GHLO_IR_TYPE_ELEMENT || part->element_type == GHLO_ELEMENT_TYPE_INDEX
      || ghlo_element_type_is_complex (part->element_type))
    {
      name = ghlo_ir_type_to_string (part);
      ghlo_import_fail_at (self, position, "expected a float or integer type inside 'complex', found %s", name);
      return NULL;
    }
  if (part->element_type == GHLO_ELEMENT_TYPE_F32)
    return ghlo_import_element_type (self, GHLO_ELEMENT_TYPE_COMPLEX_F32);
  if (part->element_type == GHLO_ELEMENT_TYPE_F64)
    return ghlo_import_element_type (self, GHLO_ELEMENT_TYPE_COMPLEX_F64);
  name = g_strdup_printf ("complex<%s>",
                          part->text != NULL ? part->text : ghlo_element_info (part->element_type)->name);

  return ghlo_ir_type_named (self->module, name);
}

/* Types between "<" and ">", after the word. */
static gboolean
parse_members (GhloImportParser *self)
{
  if (!ghlo_import_expect (self, '<', "'<'"))
    return FALSE;
  if (ghlo_import_accept (self, '>'))
    return TRUE;

  return ghlo_import_parse_types (self, &self->types) && ghlo_import_expect (self, '>', "'>'");
}

static const GhloIrType *
parse_tuple (GhloImportParser *self)
{
  gsize height = self->types.n;
  const GhloIrType *type = NULL;

  if (parse_members (self))
    type = ghlo_ir_type_tuple (self->module, self->types.items + height, self->types.n - height);
  self->types.n = height;

  return type;
}

static const GhloIrType *
parse_future (GhloImportParser *self)
{
  GhloImportPosition position = ghlo_import_position (self);
  gsize height = self->types.n;
  const GhloIrType *type = NULL;

  if (parse_members (self))
    {
      type = ghlo_ir_type_future (self->module, self->types.items + height, self->types.n - height);
      for (gsize i = height; i < self->types.n; i++)
        if (self->types.items[i]->kind != GHLO_IR_TYPE_TENSOR)
          {
            g_autofree char *name = ghlo_ir_type_to_string (self->types.items[i]);

            ghlo_import_fail_at (self, position, "expected ranked tensors inside '!stablehlo.future', found %s", name);
            type = NULL;
            break;
          }
    }
  self->types.n = height;

  return type;
}

/* Reads raw characters: "4x?x", up to the start of the element type.
 * Pushes the dimensions onto self->ints. The lexer stands on the "<". */
static gboolean
parse_dimensions (GhloImportParser *self)
{
  GhloImportLexer *lexer = &self->lexer;
  gsize height = self->ints.n;

  for (;;)
    {
      gint64 dimension = 0;

      ghlo_import_lexer_skip (lexer);
      lexer->start = lexer->cursor;
      if (lexer->cursor < lexer->end && *lexer->cursor == '?')
        {
          dimension = GHLO_DYNAMIC;
          lexer->cursor++;
        }
      else if (lexer->cursor < lexer->end && ghlo_import_char_is (*lexer->cursor, GHLO_CHAR_DIGIT))
        {
          for (; lexer->cursor < lexer->end && ghlo_import_char_is (*lexer->cursor, GHLO_CHAR_DIGIT); lexer->cursor++)
            if (__builtin_mul_overflow (dimension, 10, &dimension)
                || __builtin_add_overflow (dimension, *lexer->cursor - '0', &dimension))
              return ghlo_import_fail (self, "expected a dimension below 2^63, found a larger one");
        }
      else
        {
          ghlo_import_next (self);
          return TRUE;
        }
      GHLO_IMPORT_PUSH (&self->ints, dimension);
      if (self->ints.n - height > GHLO_MAX_RANK)
        return ghlo_import_fail (self, "expected at most %d dimensions, found more", GHLO_MAX_RANK);

      ghlo_import_lexer_skip (lexer);
      lexer->start = lexer->cursor;
      if (lexer->cursor >= lexer->end || *lexer->cursor != 'x')
        {
          ghlo_import_next (self);
          return ghlo_import_expected (self, "'x' after a dimension");
        }
      lexer->cursor++;
    }
}

/* "*x" of an unranked type, with the lexer on the "<". */
static gboolean
accept_star (GhloImportParser *self)
{
  GhloImportLexer saved = self->lexer;

  ghlo_import_next (self);
  if (!ghlo_import_at (self, '*') || self->lexer.cursor >= self->lexer.end || *self->lexer.cursor != 'x')
    {
      self->lexer = saved;
      return FALSE;
    }
  ghlo_import_lexer_jump (&self->lexer, self->lexer.cursor + 1);

  return TRUE;
}

static const GhloIrType *
parse_shape_element (GhloImportParser *self)
{
  GhloImportPosition position = ghlo_import_position (self);
  const GhloIrType *element = ghlo_import_parse_type (self);
  g_autofree char *name = NULL;

  if (element == NULL || element->kind == GHLO_IR_TYPE_ELEMENT || element->kind == GHLO_IR_TYPE_QUANTIZED
      || element->kind == GHLO_IR_TYPE_OPAQUE)
    return element;

  name = ghlo_ir_type_to_string (element);
  ghlo_import_fail_at (self, position, "expected an element type, found %s", name);

  return NULL;
}

static gboolean
check_bounds (GhloImportParser   *self,
              GhloImportPosition  position,
              const gint64       *dimensions,
              gsize               rank,
              const gint64       *bounds,
              gsize               n_bounds)
{
  if (n_bounds != rank)
    return ghlo_import_fail_at (self, position,
                                "expected one bound for each of %" G_GSIZE_FORMAT " dimensions, found %"
                                G_GSIZE_FORMAT, rank, n_bounds);
  for (gsize i = 0; i < rank; i++)
    if (bounds[i] >= 0 && dimensions[i] >= 0)
      return ghlo_import_fail_at (self, position,
                                  "expected '?' as the bound of dimension %" G_GSIZE_FORMAT
                                  ", which has the size %" G_GINT64_FORMAT ", found %" G_GINT64_FORMAT,
                                  i, dimensions[i], bounds[i]);

  return TRUE;
}

static gboolean
check_count (GhloImportParser   *self,
             GhloImportPosition  position,
             const gint64       *dimensions,
             gsize               rank)
{
  gint64 count = 1;

  for (gsize i = 0; i < rank; i++)
    if (dimensions[i] == 0)
      return TRUE;
  for (gsize i = 0; i < rank; i++)
    if (dimensions[i] > 0 && __builtin_mul_overflow (count, dimensions[i], &count))
      return ghlo_import_fail_at (self, position, "expected fewer than 2^63 elements, found more");

  return TRUE;
}

/* After the element type: ", encoding" and ">". */
static gboolean
parse_encoding (GhloImportParser  *self,
                const GhloIrAttr **encoding)
{
  *encoding = NULL;
  if (ghlo_import_accept (self, ','))
    {
      *encoding = ghlo_import_parse_attr (self);
      if (*encoding == NULL)
        return FALSE;
    }

  return ghlo_import_expect (self, '>', "'>'");
}

/* From the "<" on. */
static const GhloIrType *
parse_tensor (GhloImportParser *self)
{
  GhloImportPosition position = ghlo_import_position (self);
  gsize height = self->ints.n, rank;
  const GhloIrType *element;
  const GhloIrAttr *encoding;
  const gint64 *dimensions, *bounds = NULL;

  if (!ghlo_import_at (self, '<'))
    {
      ghlo_import_expected (self, "'<'");
      return NULL;
    }
  if (accept_star (self))
    {
      element = parse_shape_element (self);
      if (element == NULL || !ghlo_import_expect (self, '>', "'>'"))
        return NULL;
      return ghlo_ir_type_unranked (self->module, element);
    }

  if (!parse_dimensions (self) || (element = parse_shape_element (self)) == NULL
      || !parse_encoding (self, &encoding))
    {
      self->ints.n = height;
      return NULL;
    }
  rank = self->ints.n - height;
  self->ints.n = height;
  dimensions = self->ints.items + height;
  if (!check_count (self, position, dimensions, rank))
    return NULL;
  if (encoding != NULL && encoding->kind == GHLO_IR_ATTR_STRUCT
      && encoding->subkind == GHLO_IR_STRUCT_TYPE_EXTENSIONS)
    {
      gsize n_bounds;

      bounds = ghlo_ir_struct_get_dims (encoding, "bounds", &n_bounds);
      if (!check_bounds (self, position, dimensions, rank, bounds, n_bounds))
        return NULL;
      encoding = NULL;
    }

  return ghlo_ir_type_tensor (self->module, element, dimensions, rank, bounds, encoding);
}

static const GhloIrType *
parse_memref (GhloImportParser *self)
{
  GhloImportPosition position = ghlo_import_position (self);
  gsize height = self->ints.n, attrs = self->attrs.n;
  const GhloIrType *element, *type = NULL;
  const GhloIrAttr *encoding = NULL;

  if (!ghlo_import_at (self, '<'))
    {
      ghlo_import_expected (self, "'<'");
      return NULL;
    }
  if (!parse_dimensions (self) || (element = parse_shape_element (self)) == NULL)
    {
      self->ints.n = height;
      return NULL;
    }
  while (ghlo_import_accept (self, ','))
    {
      const GhloIrAttr *attr = ghlo_import_parse_attr (self);

      if (attr == NULL)
        break;
      GHLO_IMPORT_PUSH (&self->attrs, attr);
      encoding = attr;
    }
  if (self->attrs.n - attrs > 1)
    encoding = ghlo_ir_attr_array (self->module, self->attrs.items + attrs, self->attrs.n - attrs);
  self->attrs.n = attrs;
  if (ghlo_import_at (self, '>') ? ghlo_import_accept (self, '>') : ghlo_import_expected (self, "'>'"))
    if (check_count (self, position, self->ints.items + height, self->ints.n - height))
      type = ghlo_ir_type_memref (self->module, element, self->ints.items + height, self->ints.n - height, encoding);
  self->ints.n = height;

  return type;
}

/* Returns the end of the type's text, from the "<" at @p, if the type may be cached; else NULL. */
static const char *
find_cached_end (const GhloImportParser *self,
                 const char             *p)
{
  const char *end = MIN (self->lexer.end, p + LONGEST_CACHED);
  int depth = 0;

  for (; p < end; p++)
    {
      if (*p == '<')
        depth++;
      else if (*p == '>' && --depth == 0)
        return p + 1;
      else if (*p == '"' || *p == '\n' || *p == '/' || (*p == '-' && p + 1 < end && p[1] == '>'))
        return NULL;
    }

  return NULL;
}

static const GhloIrType *
parse_cached_tensor (GhloImportParser *self)
{
  const char *text = self->lexer.start;
  const char *end = self->lexer.cursor < self->lexer.end && *self->lexer.cursor == '<'
                    ? find_cached_end (self, self->lexer.cursor) : NULL;
  GhloImportCachedType *cached = NULL;
  const GhloIrType *type;
  guint32 hash = 0, length = 0;

  if (end != NULL)
    {
      length = end - text;
      hash = (guint32) ghlo_hash_bytes (text, length);
      cached = &self->type_cache[hash % GHLO_IMPORT_TYPE_CACHE];
      if (cached->hash == hash && cached->length == length && cached->text != NULL
          && memcmp (cached->text, text, length) == 0)
        {
          ghlo_import_lexer_jump (&self->lexer, end);
          return cached->type;
        }
    }

  ghlo_import_next (self);
  type = parse_tensor (self);
  if (cached != NULL && type != NULL)
    *cached = (GhloImportCachedType) { text, length, hash, type };

  return type;
}

static const GhloIrType *
parse_word (GhloImportParser *self)
{
  static const struct
  {
    const char *word;
    const GhloIrType *(*parse) (GhloImportParser *self);
  } words[] = {
    { "tuple", parse_tuple },
    { "complex", parse_complex },
    { "memref", parse_memref },
  };
  const GhloIrType *type;

  if (ghlo_import_lexer_is (&self->lexer, "tensor"))
    return parse_cached_tensor (self);
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (ghlo_import_accept_word (self, words[i].word))
      return words[i].parse (self);

  type = type_of_word (self, self->lexer.start, ghlo_import_lexer_length (&self->lexer));
  if (type == NULL && ghlo_import_at_word (self, "vector"))
    ghlo_import_unsupported (self, "expected a tensor, found a vector type, which StableHLO does not have");
  else if (type == NULL)
    ghlo_import_expected (self, "a type");
  else
    ghlo_import_next (self);

  return type;
}

/* Another dialect's type, from its "!" to the end of its brackets. */
static const GhloIrType *
parse_opaque (GhloImportParser *self)
{
  g_autofree char *text = ghlo_import_opaque_text (self, "a type");

  return text != NULL ? ghlo_ir_type_opaque (self->module, text) : NULL;
}

/* The type that @word at @position names; "!stablehlo<token>"
 * is "!stablehlo.token". The lexer stands after the word. */
static const GhloIrType *
parse_stablehlo_type (GhloImportParser   *self,
                      GhloImportPosition  position,
                      const char         *word,
                      gsize               length)
{
  g_autofree char *name = NULL;

  if (length == 5 && memcmp (word, "token", 5) == 0)
    return ghlo_ir_type_token (self->module);
  if (length == 6 && memcmp (word, "future", 6) == 0)
    return parse_future (self);
  name = ghlo_import_quote (word, length);
  ghlo_import_fail_at (self, position, "expected the type 'token' or 'future' of 'stablehlo', found '%s'", name);

  return NULL;
}

static const GhloIrType *
parse_bracketed_stablehlo (GhloImportParser *self)
{
  const GhloIrType *type;
  GhloImportPosition position;
  const char *word;
  gsize length;

  ghlo_import_next (self);
  ghlo_import_next (self);
  position = ghlo_import_position (self);
  if (!ghlo_import_at (self, GHLO_TOKEN_BARE))
    {
      ghlo_import_expected (self, "the name of a type");
      return NULL;
    }
  word = self->lexer.start;
  length = ghlo_import_lexer_length (&self->lexer);
  ghlo_import_next (self);
  type = parse_stablehlo_type (self, position, word, length);

  return type != NULL && ghlo_import_expect (self, '>', "'>'") ? type : NULL;
}

static gboolean
token_is (const GhloImportParser *self,
          const char             *text)
{
  return ghlo_import_lexer_is (&self->lexer, text);
}

/* If GHLO's tensors cannot have the storage type, the type is kept as text like another dialect's. */
static const GhloIrType *
parse_uniform (GhloImportParser *self)
{
  GhloImportLexer saved = self->lexer;
  gboolean foreign = FALSE;
  const GhloIrType *type;

  ghlo_import_next (self);
  type = ghlo_import_parse_quantized (self, &foreign);
  if (!foreign)
    return type;
  self->lexer = saved;

  return parse_opaque (self);
}

static const GhloIrType *
parse_dialect_type (GhloImportParser *self)
{
  GhloImportPosition position = ghlo_import_position (self);
  const char *start = self->lexer.start;
  gsize length = ghlo_import_lexer_length (&self->lexer);
  const char *point = memchr (start, '.', length);
  gboolean bracket = self->lexer.cursor < self->lexer.end && *self->lexer.cursor == '<';

  if (point == NULL && !bracket)
    return ghlo_import_type_alias (self);
  if (token_is (self, "!quant.uniform") && bracket)
    return parse_uniform (self);
  if (token_is (self, "!stablehlo"))
    return parse_bracketed_stablehlo (self);
  if (point != NULL && (gsize) (point - start) == strlen ("!stablehlo")
      && memcmp (start, "!stablehlo", strlen ("!stablehlo")) == 0)
    {
      ghlo_import_next (self);
      return parse_stablehlo_type (self, position, point + 1, start + length - point - 1);
    }

  return parse_opaque (self);
}

gboolean
ghlo_import_parse_types (GhloImportParser *self,
                         GhloImportTypes  *types)
{
  do
    {
      const GhloIrType *type = ghlo_import_parse_type (self);

      if (type == NULL)
        return FALSE;
      if (types->n >= GHLO_MAX_OPERANDS)
        return ghlo_import_fail (self, "expected at most %u types, found more", GHLO_MAX_OPERANDS);
      GHLO_IMPORT_PUSH (types, type);
    }
  while (ghlo_import_accept (self, ','));

  return TRUE;
}

static gboolean
parse_function_parts (GhloImportParser *self,
                      gsize            *n_inputs)
{
  gsize height = self->types.n;

  if (!ghlo_import_expect (self, '(', "'('"))
    return FALSE;
  if (!ghlo_import_accept (self, ')')
      && (!ghlo_import_parse_types (self, &self->types) || !ghlo_import_expect (self, ')', "')'")))
    return FALSE;
  *n_inputs = self->types.n - height;
  if (!ghlo_import_expect (self, GHLO_TOKEN_ARROW, "'->'"))
    return FALSE;

  if (!ghlo_import_at (self, '('))
    {
      const GhloIrType *type = ghlo_import_parse_type (self);

      if (type != NULL)
        GHLO_IMPORT_PUSH (&self->types, type);
      return type != NULL;
    }
  ghlo_import_next (self);

  return ghlo_import_accept (self, ')')
         || (ghlo_import_parse_types (self, &self->types) && ghlo_import_expect (self, ')', "')'"));
}

const GhloIrType *
ghlo_import_parse_function_type (GhloImportParser *self)
{
  gsize height = self->types.n, n_inputs = 0;
  const GhloIrType *type = NULL;

  if (!ghlo_import_enter (self))
    return NULL;
  if (parse_function_parts (self, &n_inputs))
    type = ghlo_ir_type_function (self->module, self->types.items + height, n_inputs,
                                  self->types.items + height + n_inputs, self->types.n - height - n_inputs);
  self->types.n = height;
  ghlo_import_leave (self);

  return type;
}

const GhloIrType *
ghlo_import_parse_type (GhloImportParser *self)
{
  const GhloIrType *type = NULL;

  if (!ghlo_import_enter (self))
    return NULL;
  if (ghlo_import_at (self, GHLO_TOKEN_BARE))
    type = parse_word (self);
  else if (ghlo_import_at (self, GHLO_TOKEN_BANG))
    type = parse_dialect_type (self);
  else if (ghlo_import_at (self, '('))
    type = ghlo_import_parse_function_type (self);
  else
    ghlo_import_expected (self, "a type");
  ghlo_import_leave (self);

  return type;
}
