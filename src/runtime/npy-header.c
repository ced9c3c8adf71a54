/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "runtime/npy-header.h"

#include <string.h>

#include "base/foreign-format.h"
#include "base/ghlo-error.h"

/* The unread rest of the dictionary; not NUL-terminated. */
typedef struct
{
  const char *at, *end;
} Text;

typedef gboolean (*ParseFunc) (GhloNpyHeader *header, Text *text, GError **error);

static gboolean
malformed (GError    **error,
           const char *what)
{
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_DATA, "malformed .npy file: %s", what);

  return FALSE;
}

/* Refuses a file that does not begin as it should. */
static gboolean
refuse_beginning (const guint8  *data,
                  gsize          size,
                  GError       **error)
{
  const gsize length = sizeof GHLO_NPY_MAGIC - 1;
  const gboolean is_cut = size >= length && memcmp (data, GHLO_NPY_MAGIC, length) == 0;
  const char *found = data != NULL && !is_cut ? ghlo_foreign_format_describe (data, size) : NULL;

  if (is_cut)
    return malformed (error, "a header that is cut off");
  if (found == NULL)
    return malformed (error, "the magic number is missing");
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_DATA, "expected a .npy file, found %s", found);

  return FALSE;
}

/* Skips white space, then reads @word if it comes next. */
static gboolean
read_word (Text       *text,
           const char *word)
{
  gsize length = strlen (word);

  while (text->at < text->end && g_ascii_isspace (*text->at))
    text->at++;
  if ((gsize) (text->end - text->at) < length || memcmp (text->at, word, length) != 0)
    return FALSE;
  text->at += length;

  return TRUE;
}

static gboolean
read_number (Text   *text,
             gint64 *number)
{
  const char *start = text->at;

  *number = 0;
  for (; text->at < text->end && g_ascii_isdigit (*text->at); text->at++)
    if (__builtin_mul_overflow (*number, 10, number) || __builtin_add_overflow (*number, *text->at - '0', number))
      return FALSE;

  return text->at > start;
}

/* Reads a string in single or double quotes. The strings of a header contain no escapes. */
static gboolean
read_string (Text *text,
             Text *string)
{
  char quote = read_word (text, "'") ? '\'' : '"';
  const char *end;

  if (quote == '"' && !read_word (text, "\""))
    return FALSE;
  end = memchr (text->at, quote, text->end - text->at);
  if (end == NULL)
    return FALSE;
  string->at = text->at;
  string->end = end;
  text->at = end + 1;

  return TRUE;
}

/* Describes NumPy kinds that have no counterpart here. */
static const char *
describe_kind (char kind)
{
  static const struct { char kind; const char *name; } names[] = {
    { 'i', "integers" }, { 'u', "integers" }, { 'f', "floats of another size" },
    { 'c', "complex numbers of another size" }, { 'M', "dates" }, { 'm', "durations" }, { 'O', "Python objects" },
    { 'S', "bytes" }, { 'a', "bytes" }, { 'U', "text" }, { 'V', "raw bytes" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (names[i].kind == kind)
      return names[i].name;

  return "elements of an unknown kind";
}

void
ghlo_npy_header_refuse (const char  *descr,
                        gsize        length,
                        const char  *expected,
                        GError     **error)
{
  gboolean has_order = length > 0 && memchr ("<>|=", *descr, 4) != NULL;
  g_autofree char *text = g_strndup (descr + has_order, length - has_order);
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  g_set_error (error, GHLO_ERROR, GHLO_ERROR_DATA,
               "the .npy file's element type '%s' has no counterpart: expected %s, found %s", valid,
               expected != NULL ? expected
                                : "booleans, integers or floats of up to 8 bytes, or complex numbers of up to 16",
               describe_kind (*text));
}

static gboolean
parse_descr (GhloNpyHeader *header,
             Text          *text,
             GError       **error)
{
  gboolean little = G_BYTE_ORDER == G_LITTLE_ENDIAN;
  const char *start;
  Text descr;
  gint64 size;
  char order;

  if (!read_string (text, &descr))
    return malformed (error, "no simple 'descr' (structured arrays are not supported)");
  start = descr.at;
  if (descr.at == descr.end || memchr ("<>|=", *descr.at, 4) == NULL)
    return malformed (error, "an unknown byte order");
  order = *descr.at++;
  if (descr.at == descr.end || !g_ascii_isalpha (*descr.at))
    return malformed (error, "an unknown kind of element");
  header->kind = *descr.at++;
  /* For dates, objects and strings the rest of descr is not just a size. */
  if (memchr ("MmOSaU", header->kind, 6) != NULL
      || (read_number (&descr, &size) && descr.at == descr.end && size > 16))
    {
      ghlo_npy_header_refuse (start, descr.end - start, NULL, error);
      return FALSE;
    }
  if (descr.at != descr.end || !g_ascii_isdigit (descr.at[-1]) || size < 1)
    return malformed (error, "an unknown element size");
  header->size = (guint) size;
  header->swap = size > 1 && order == (little ? '>' : '<');

  return TRUE;
}

static gboolean
parse_order (GhloNpyHeader *header,
             Text          *text,
             GError       **error)
{
  header->fortran = read_word (text, "True");

  return header->fortran || read_word (text, "False")
         || malformed (error, "a 'fortran_order' that is neither True nor False");
}

static gboolean
parse_shape (GhloNpyHeader *header,
             Text          *text,
             GError       **error)
{
  if (!read_word (text, "("))
    return malformed (error, "a 'shape' that is not a tuple");
  for (gboolean more = TRUE; !read_word (text, ")"); more = read_word (text, ","))
    {
      gint64 size;

      if (!more || !read_number (text, &size))
        return malformed (error, "a 'shape' that is not a tuple of sizes below 2^63");
      if (header->rank == GHLO_MAX_RANK)
        return malformed (error, "more than " G_STRINGIFY (GHLO_MAX_RANK) " dimensions");
      header->dimensions[header->rank++] = size;
    }

  return TRUE;
}

static const struct
{
  const char *key;
  ParseFunc   parse;
} entries[] = {
  { "descr", parse_descr },
  { "fortran_order", parse_order },
  { "shape", parse_shape },
};

#define ALL_ENTRIES ((1u << G_N_ELEMENTS (entries)) - 1)

static guint
find_entry (const Text *key)
{
  gsize length = key->end - key->at;
  guint i = 0;

  while (i < G_N_ELEMENTS (entries)
         && (strlen (entries[i].key) != length || memcmp (entries[i].key, key->at, length) != 0))
    i++;

  return i;
}

static gboolean
parse_dictionary (GhloNpyHeader *header,
                  Text          *text,
                  GError       **error)
{
  guint found = 0;

  if (!read_word (text, "{"))
    return malformed (error, "a header that is not a dictionary");
  for (gboolean more = TRUE; !read_word (text, "}"); more = read_word (text, ","))
    {
      Text key;
      guint i;

      if (!more || !read_string (text, &key) || !read_word (text, ":"))
        return malformed (error, "a header that is not a dictionary");
      i = find_entry (&key);
      if (i == G_N_ELEMENTS (entries) || (found & 1u << i) != 0)
        return malformed (error, "a key other than 'descr', 'fortran_order' and 'shape', each once");
      if (!entries[i].parse (header, text, error))
        return FALSE;
      found |= 1u << i;
    }
  read_word (text, "");  /* skips the padding */
  if (text->at != text->end)
    return malformed (error, "text after the header's dictionary");

  return found == ALL_ENTRIES || malformed (error, "a header without 'descr', 'fortran_order' or 'shape'");
}

gboolean
ghlo_npy_header_parse (GhloNpyHeader *self,
                       const guint8  *data,
                       gsize          size,
                       gsize         *offset,
                       GError       **error)
{
  static const char magic[] = GHLO_NPY_MAGIC;
  gsize prefix, length;
  Text text;

  memset (self, 0, sizeof *self);
  if (size < 12 || memcmp (data, magic, sizeof magic - 1) != 0)
    return refuse_beginning (data, size, error);
  if (data[6] < 1 || data[6] > 3)
    return malformed (error, "an unknown version");
  prefix = data[6] == 1 ? 10 : 12;
  length = data[8] | (gsize) data[9] << 8;
  if (prefix == 12)
    length |= (gsize) data[10] << 16 | (gsize) data[11] << 24;
  if (length > size - prefix)
    return malformed (error, "the header is cut off");
  *offset = prefix + length;
  text = (Text) { (const char *) data + prefix, (const char *) data + *offset };

  return parse_dictionary (self, &text, error);
}
