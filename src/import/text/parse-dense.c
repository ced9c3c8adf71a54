/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Constants: dense<…>, array<…>, dense_resource<…>. The type of dense<…> follows its data but is read first, so that
 * the data can be stored in buffer layout directly.
 */

#include <string.h>

#include "import/text/parser.h"

typedef struct
{
  GhloImportParser *parser;
  const GhloIrType *tensor;
  const GhloIrType *element;      /* of the numbers: the storage type if quantized */
  gsize             n;            /* number of elements of the tensor */
  gsize             size;         /* bytes of one element */
  guint8           *out;          /* where the next element goes */
  gsize             strings;      /* height of the stack on which strings are collected */
} Dense;

/* Skips from after the "<" to after the ">", over any tokens. */
static gboolean
skip_tokens (GhloImportParser *self)
{
  while (!ghlo_import_at (self, '>'))
    {
      if (ghlo_import_at (self, GHLO_TOKEN_END) || ghlo_import_at (self, GHLO_TOKEN_INVALID))
        return ghlo_import_expected (self, "'>'");
      ghlo_import_next (self);
    }
  ghlo_import_next (self);

  return TRUE;
}

/* The same, with a fast path for data that can only contain numbers. */
static gboolean
skip_data (GhloImportParser *self)
{
  GhloImportLexer *lexer = &self->lexer;
  const char *start = lexer->start;
  const char *end = NULL;

  if (!ghlo_import_at (self, GHLO_TOKEN_STRING))
    end = memchr (start, '>', lexer->end - start);
  if (end == NULL || memchr (start, '"', end - start) != NULL || memchr (start, '/', end - start) != NULL)
    return skip_tokens (self);

  for (const char *p = start; (p = memchr (p, '\n', end - p)) != NULL; p++)
    {
      lexer->line++;
      lexer->line_start = p + 1;
    }
  ghlo_import_lexer_jump (lexer, end + 1);

  return TRUE;
}

static gboolean
store_integer (Dense              *dense,
               GhloImportPosition  position,
               gboolean            negative,
               guint64             magnitude,
               guint8             *out)
{
  GhloElementType type = dense->element->element_type;
  gint64 value;

  if (!ghlo_import_check_integer (dense->parser, position, dense->element, negative, magnitude, &value))
    return FALSE;
  if (type == GHLO_ELEMENT_TYPE_I64)
    memcpy (out, &value, sizeof value);
  else
    ghlo_element_store (type, out, (GhloScalar) { .i = value });

  return TRUE;
}

static gboolean
read_integer (Dense  *dense,
              guint8 *out)
{
  GhloImportParser *self = dense->parser;
  GhloImportPosition position = ghlo_import_position (self);
  gboolean negative, truth;
  guint64 magnitude;

  truth = ghlo_import_at_word (self, "true");
  if (truth || ghlo_import_at_word (self, "false"))
    {
      if (dense->element->element_type != GHLO_ELEMENT_TYPE_I1)
        return ghlo_import_expected (self, "an integer");
      ghlo_import_next (self);
      *out = truth;
      return TRUE;
    }

  negative = ghlo_import_accept (self, '-');
  if (!ghlo_import_at (self, GHLO_TOKEN_INTEGER))
    return ghlo_import_expected (self, "an integer");
  if (!ghlo_import_token_unsigned (self, &magnitude))
    return ghlo_import_fail_at (self, position, "expected an integer of at most 64 bits, found a larger one");
  if (!store_integer (dense, position, negative, magnitude, out))
    return FALSE;
  ghlo_import_next (self);

  return TRUE;
}

static gboolean
store_float_bits (Dense           *dense,
                  GhloElementType  type,
                  gboolean         negative,
                  guint8          *out)
{
  const GhloElementInfo *info = ghlo_element_info (type);
  guint64 bits;

  if (negative || !ghlo_import_token_is_hex (dense->parser))
    return ghlo_import_expected (dense->parser, "a float");
  if (!ghlo_import_token_unsigned (dense->parser, &bits) || (info->bits < 64 && bits >> info->bits != 0))
    return ghlo_import_fail (dense->parser, "expected the %u bits of %s, found more", info->bits, info->name);
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
  memcpy (out, &bits, info->size);
#else
  memcpy (out, (const guint8 *) &bits + sizeof bits - info->size, info->size);
#endif
  ghlo_import_next (dense->parser);

  return TRUE;
}

static gboolean
read_float (Dense           *dense,
            GhloElementType  type,
            guint8          *out)
{
  GhloImportParser *self = dense->parser;
  gboolean negative = ghlo_import_accept (self, '-');
  double value;

  if (ghlo_import_at (self, GHLO_TOKEN_INTEGER))
    return store_float_bits (dense, type, negative, out);
  if (!ghlo_import_at (self, GHLO_TOKEN_FLOAT))
    return ghlo_import_expected (self, "a float");
  value = ghlo_import_text_to_double (self->lexer.start, ghlo_import_lexer_length (&self->lexer));
  ghlo_element_store (type, out, (GhloScalar) { .f = negative ? -value : value });
  ghlo_import_next (self);

  return TRUE;
}

/* "(re, im)". */
static gboolean
read_complex (Dense  *dense,
              guint8 *out)
{
  GhloElementType part = ghlo_element_type_real_part (dense->element->element_type);

  return ghlo_import_expect (dense->parser, '(', "'('")
         && read_float (dense, part, out)
         && ghlo_import_expect (dense->parser, ',', "','")
         && read_float (dense, part, out + dense->size / 2)
         && ghlo_import_expect (dense->parser, ')', "')'");
}

static gboolean
read_string (Dense *dense)
{
  GhloImportParser *self = dense->parser;
  g_autofree char *string = NULL;
  gsize length;

  if (!ghlo_import_at (self, GHLO_TOKEN_STRING))
    return ghlo_import_expected (self, "a string");
  string = ghlo_import_token_string (self, &length);
  ghlo_import_next (self);
  GHLO_IMPORT_PUSH (&self->attrs, ghlo_ir_attr_string (self->module, string, length));

  return TRUE;
}

static gboolean
read_element (Dense *dense)
{
  guint8 *out = dense->out;

  if (dense->element == NULL)
    return read_string (dense);

  dense->out += dense->size;
  switch (ghlo_element_info (dense->element->element_type)->element_class)
    {
    case GHLO_ELEMENT_CLASS_FLOAT:
      return read_float (dense, dense->element->element_type, out);
    case GHLO_ELEMENT_CLASS_COMPLEX:
      return read_complex (dense, out);
    default:
      return read_integer (dense, out);
    }
}

/* Parses "[…]" of one dimension and everything inside. */
static gboolean
read_list (Dense *dense,
           guint  dimension)
{
  GhloImportParser *self = dense->parser;
  GhloImportPosition position = ghlo_import_position (self);
  gint64 extent = dense->tensor->dimensions[dimension], n = 0;
  gboolean last = dimension + 1 == dense->tensor->rank;

  if (!ghlo_import_expect (self, '[', "'['"))
    return FALSE;
  if (!ghlo_import_at (self, ']'))
    do
      {
        if (n == extent)
          return ghlo_import_fail_at (self, position, "expected %" G_GINT64_FORMAT
                                      " elements in dimension %u, found more", extent, dimension);
        if (!(last ? read_element (dense) : read_list (dense, dimension + 1)))
          return FALSE;
        n++;
      }
    while (ghlo_import_accept (self, ','));
  if (n != extent)
    return ghlo_import_fail_at (self, position, "expected %" G_GINT64_FORMAT " elements in dimension %u, found %"
                                G_GINT64_FORMAT, extent, dimension, n);

  return ghlo_import_expect (self, ']', "',' or ']'");
}

/* Reduces the data to one element if all are equal. */
static GBytes *
compress (const Dense *dense,
          guint8      *bytes,
          gsize        n,
          gboolean    *splat)
{
  gsize total = n * dense->size;

  *splat = n > 0 && memcmp (bytes, bytes + dense->size, total - dense->size) == 0;
  if (*splat && n > 1)
    bytes = g_realloc (bytes, dense->size);

  return g_bytes_new_take (bytes, *splat ? dense->size : total);
}

/* Decodes the current token, a string "0x…" with all the data. */
static GBytes *
read_hex (Dense    *dense,
          gboolean *splat)
{
  GhloImportParser *self = dense->parser;
  GhloImportPosition position = ghlo_import_position (self);
  const char *hex = self->lexer.start + 3;
  gsize length = ghlo_import_lexer_length (&self->lexer), n, missing;
  guint8 *data;
  GBytes *bytes;

  if (length < 4 || hex[-2] != '0' || hex[-1] != 'x' || length % 2 != 0)
    {
      ghlo_import_fail (self, "expected a string of whole hexadecimal bytes after '0x', found another one");
      return NULL;
    }
  n = (length - 4) / 2;
  data = g_try_malloc (MAX (n, 1));
  if (data == NULL)
    {
      ghlo_import_no_memory (self, ghlo_import_position (self), "a constant", n);
      return NULL;
    }
  if (!ghlo_import_decode_hex (data, hex, n))
    {
      g_free (data);
      ghlo_import_fail (self, "expected a string of whole hexadecimal bytes after '0x', found another one");
      return NULL;
    }
  bytes = ghlo_import_unpack (dense->element->element_type, dense->n, g_bytes_new_take (data, n), TRUE, splat,
                              &missing);
  if (missing > 0)
    {
      ghlo_import_no_memory (self, position, "a constant", missing);
      return NULL;
    }
  if (bytes == NULL)
    {
      ghlo_import_fail_at (self, position, "expected the data of %" G_GSIZE_FORMAT " elements of %s, found %"
                           G_GSIZE_FORMAT " bytes", dense->n,
                           ghlo_element_info (dense->element->element_type)->name, n);
      return NULL;
    }
  ghlo_import_next (self);

  return ghlo_import_compress (bytes, dense->n, dense->size, splat);
}

/* Parses one element, or nested lists of elements. */
static GBytes *
read_numbers (Dense    *dense,
              gsize     n_characters,
              gboolean *splat)
{
  GhloImportParser *self = dense->parser;
  gboolean list = ghlo_import_at (self, '['), ok;
  gsize n = list ? dense->n : 1;
  guint8 *bytes;

  *splat = FALSE;
  if (ghlo_import_at (self, '>') && dense->n == 0)
    return g_bytes_new (NULL, 0);
  if (list && dense->tensor->rank == 0)
    {
      ghlo_import_expected (self, "one element for a tensor without dimensions");
      return NULL;
    }
  /* Every element takes at least one character, so the length of the text bounds the memory. */
  if (n > n_characters)
    {
      ghlo_import_fail (self, "expected %" G_GSIZE_FORMAT " elements, found fewer", n);
      return NULL;
    }

  bytes = g_try_malloc (MAX (n * dense->size, 1));
  if (bytes == NULL)
    {
      ghlo_import_no_memory (self, ghlo_import_position (self), "a constant", n * dense->size);
      return NULL;
    }
  dense->out = bytes;
  ok = list ? read_list (dense, 0) : read_element (dense);
  if (!ok)
    {
      g_free (bytes);
      return NULL;
    }
  if (dense->n == 0)
    {
      g_free (bytes);
      return g_bytes_new (NULL, 0);
    }

  return compress (dense, bytes, n, splat);
}

static const GhloIrAttr *
read_strings (Dense *dense,
              gsize  n_characters)
{
  GhloImportParser *self = dense->parser;
  gsize height = self->attrs.n;
  const GhloIrAttr *attr = NULL;
  gboolean ok;

  if (ghlo_import_at (self, '[') && dense->tensor->rank > 0)
    ok = read_list (dense, 0);
  else
    ok = (ghlo_import_at (self, '>') && dense->n == 0) || read_string (dense);
  if (ok)
    attr = ghlo_ir_attr_dense_strings (self->module, dense->tensor, self->attrs.items + height,
                                       self->attrs.n - height);
  self->attrs.n = height;

  return attr;
}

static const GhloIrAttr *
read_data (Dense *dense,
           gsize  n_characters)
{
  GhloImportParser *self = dense->parser;
  gboolean splat = FALSE;
  GBytes *bytes;

  if (dense->element == NULL)
    return read_strings (dense, n_characters);
  if (ghlo_import_at (self, GHLO_TOKEN_STRING))
    bytes = read_hex (dense, &splat);
  else
    bytes = read_numbers (dense, n_characters, &splat);

  return bytes != NULL ? ghlo_ir_attr_dense (self->module, dense->tensor, bytes, splat, NULL) : NULL;
}

/* Determines the number, type and size of the elements of a constant of this type. FALSE after a report. */
static gboolean
describe (GhloImportParser   *self,
          GhloImportPosition  position,
          const GhloIrType   *type,
          Dense              *dense)
{
  g_autofree char *name = NULL;

  *dense = (Dense) { .parser = self, .tensor = type };
  if (type->kind != GHLO_IR_TYPE_TENSOR || !ghlo_ir_type_has_static_shape (type))
    {
      name = ghlo_ir_type_to_string (type);
      return ghlo_import_fail_at (self, position, "expected a tensor type with static dimensions, found %s", name);
    }
  if (!ghlo_shape_count (type->dimensions, type->rank, &dense->n))
    return ghlo_import_fail_at (self, position, "expected fewer than 2^64 elements, found more");
  if (type->element_type != GHLO_ELEMENT_TYPE_INVALID)
    {
      dense->element = ghlo_import_element_type (self, type->element_type);
      dense->size = ghlo_element_info (type->element_type)->size;
      return TRUE;
    }
  if (ghlo_ir_type_get_element (self->module, type)->kind == GHLO_IR_TYPE_ELEMENT && type->text != NULL
      && strchr (type->text, '.') == NULL)
    return ghlo_import_unsupported (self, "expected elements of a type that buffers support, found %s", type->text);

  return TRUE;
}

/* Returns the type of a literal, skipping its data, which is read later. */
static const GhloIrType *
type_behind (GhloImportParser   *self,
             GhloImportPosition *position)
{
  if (!skip_data (self) || !ghlo_import_expect (self, ':', "':'"))
    return NULL;
  *position = ghlo_import_position (self);

  return ghlo_import_parse_type (self);
}

const GhloIrAttr *
ghlo_import_parse_dense (GhloImportParser *self,
                         const GhloIrType *type)
{
  GhloImportPosition position = ghlo_import_position (self);
  GhloImportLexer data, behind = { 0 };
  gboolean given = type != NULL;
  const GhloIrAttr *attr;
  Dense dense;

  ghlo_import_next (self);
  if (!ghlo_import_expect (self, '<', "'<'"))
    return NULL;
  data = self->lexer;
  if (!given)
    {
      type = type_behind (self, &position);
      behind = self->lexer;
    }
  if (type == NULL || !describe (self, position, type, &dense))
    return NULL;

  self->lexer = data;
  attr = read_data (&dense, self->lexer.end - data.start);
  if (attr == NULL || !ghlo_import_expect (self, '>', "'>'"))
    return NULL;
  if (!given)
    self->lexer = behind;

  return attr;
}

/* Parses one value of array<…> and pushes it onto the stack of integers; a float is pushed as the bits of a double. */
static gboolean
read_array_value (GhloImportParser *self,
                  const GhloIrType *element)
{
  guint8 bytes[16] = { 0 };
  Dense dense = { .parser = self, .element = element, .size = sizeof bytes, .out = bytes };
  GhloScalar value;

  if (!read_element (&dense))
    return FALSE;
  value = ghlo_element_load (element->element_type, bytes);
  GHLO_IMPORT_PUSH (&self->ints, value.i);

  return TRUE;
}

const GhloIrAttr *
ghlo_import_parse_dense_array (GhloImportParser *self)
{
  gsize height = self->ints.n;
  GhloImportPosition position;
  const GhloIrType *element;
  const GhloIrAttr *attr = NULL;
  gboolean ok = TRUE;

  ghlo_import_next (self);
  if (!ghlo_import_expect (self, '<', "'<'"))
    return NULL;
  position = ghlo_import_position (self);
  element = ghlo_import_parse_type (self);
  if (element == NULL)
    return NULL;
  if (element->kind != GHLO_IR_TYPE_ELEMENT || element->element_type == GHLO_ELEMENT_TYPE_INVALID
      || ghlo_element_type_is_complex (element->element_type))
    {
      g_autofree char *name = ghlo_ir_type_to_string (element);

      ghlo_import_fail_at (self, position, "expected an integer or float type of an array, found %s", name);
      return NULL;
    }

  if (ghlo_import_accept (self, ':'))
    do
      ok = read_array_value (self, element);
    while (ok && ghlo_import_accept (self, ','));
  if (ok && ghlo_import_expect (self, '>', "',' or '>'"))
    {
      gsize n = self->ints.n - height;

      if (ghlo_element_type_is_float (element->element_type))
        {
          g_autofree double *reals = g_new (double, MAX (n, 1));

          memcpy (reals, self->ints.items + height, n * sizeof (double));
          attr = ghlo_ir_attr_reals (self->module, element->element_type, reals, n);
        }
      else
        {
          attr = ghlo_ir_attr_integers (self->module, element->element_type, self->ints.items + height, n);
        }
    }
  self->ints.n = height;

  return attr;
}

/* Makes the constant of @type, stated at @position, from the
 * resource @name, referred to at @named. NULL after a report. */
static const GhloIrAttr *
make_of_resource (GhloImportParser   *self,
                  GhloImportPosition  named,
                  GhloImportPosition  position,
                  const char         *name,
                  const GhloIrType   *type)
{
  gconstpointer data;
  gsize n_bytes, missing;
  gboolean splat;
  GBytes *raw, *bytes;
  Dense dense;

  if (!describe (self, position, type, &dense))
    return NULL;
  if (dense.element == NULL)
    {
      ghlo_import_unsupported (self, "expected a resource of numbers, found one of type %s", type->text);
      return NULL;
    }

  raw = ghlo_import_find_resource (self, named, name);
  if (raw == NULL)
    return NULL;
  data = g_bytes_get_data (raw, &n_bytes);
  bytes = ghlo_import_unpack (dense.element->element_type, dense.n, raw, FALSE, &splat, &missing);
  if (missing > 0)
    {
      ghlo_import_no_memory (self, position, "a resource", missing);
      return NULL;
    }
  if (bytes == NULL)
    {
      ghlo_import_fail_at (self, position, "expected a resource of %" G_GSIZE_FORMAT " elements of %s, found %"
                           G_GSIZE_FORMAT " bytes", dense.n,
                           ghlo_element_info (dense.element->element_type)->name, n_bytes);
      return NULL;
    }
  if (!ghlo_import_count_unpacked (&self->n_unpacked, data, bytes, self->lexer.end - self->lexer.text))
    {
      ghlo_import_fail_at (self, position, "expected constants of at most %" G_GUINT64_FORMAT " bytes when unpacked,"
                           " found more", ghlo_import_most_unpacked (self->lexer.end - self->lexer.text));
      self->stopped = TRUE;
      g_bytes_unref (bytes);
      return NULL;
    }

  return ghlo_ir_attr_dense (self->module, type, bytes, FALSE, name);
}

const GhloIrAttr *
ghlo_import_parse_dense_resource (GhloImportParser *self,
                                  const GhloIrType *type)
{
  GhloImportPosition named = ghlo_import_position (self), position = named;
  const char *name;
  gpointer *made;

  ghlo_import_next (self);
  if (!ghlo_import_expect (self, '<', "'<'") || (name = ghlo_import_parse_name (self)) == NULL
      || !ghlo_import_expect (self, '>', "'>'"))
    return NULL;
  if (type == NULL)
    {
      if (!ghlo_import_expect (self, ':', "':'"))
        return NULL;
      position = ghlo_import_position (self);
      type = ghlo_import_parse_type (self);
    }
  if (type == NULL)
    return NULL;

  made = ghlo_import_memo_at (&self->memo, name, type);
  if (*made == NULL)
    *made = (gpointer) make_of_resource (self, named, position, name, type);

  return *made;
}
