/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reading and writing .npy files: a magic number, a header that is a Python
 * dictionary, and the elements.
 */

#include "runtime/npy.h"

#include <string.h>

#include "base/element.h"
#include "base/sizes.h"

/* NumPy's kind and size of an element type; the first row of a pair is what a
 * file means without an expected type. */
static const struct
{
  char            kind;
  guint8          size;
  GhloElementType type;
} kinds[] = {
  { 'b', 1, GHLO_ELEMENT_TYPE_I1 },
  { 'i', 1, GHLO_ELEMENT_TYPE_I8 },
  { 'i', 2, GHLO_ELEMENT_TYPE_I16 },
  { 'i', 4, GHLO_ELEMENT_TYPE_I32 },
  { 'i', 8, GHLO_ELEMENT_TYPE_I64 },
  { 'u', 1, GHLO_ELEMENT_TYPE_UI8 },
  { 'u', 2, GHLO_ELEMENT_TYPE_UI16 },
  { 'u', 4, GHLO_ELEMENT_TYPE_UI32 },
  { 'u', 8, GHLO_ELEMENT_TYPE_UI64 },
  { 'f', 2, GHLO_ELEMENT_TYPE_F16 },
  { 'f', 4, GHLO_ELEMENT_TYPE_F32 },
  { 'f', 8, GHLO_ELEMENT_TYPE_F64 },
  { 'c', 8, GHLO_ELEMENT_TYPE_COMPLEX_F32 },
  { 'c', 16, GHLO_ELEMENT_TYPE_COMPLEX_F64 },
};

static const char magic[6] = { '\x93', 'N', 'U', 'M', 'P', 'Y' };

typedef struct
{
  char      kind;
  guint     size;
  gboolean  swap;            /* stored in the other byte order */
  gboolean  fortran;
  guint     rank;
  gint64    dimensions[GHLO_MAX_RANK];
} Header;

static gboolean
malformed (GError    **error,
           const char *what)
{
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_DATA, "malformed .npy file: %s", what);

  return FALSE;
}

/* What follows "'key':" in the header, or NULL. */
static const char *
find_key (const char *header,
          const char *key)
{
  const char *place = strstr (header, key);

  if (place == NULL)
    return NULL;
  place += strlen (key);
  while (*place == ' ' || *place == ':')
    place++;

  return place;
}

static gboolean
parse_descr (const char *descr,
             Header     *header,
             GError    **error)
{
  gboolean little = G_BYTE_ORDER == G_LITTLE_ENDIAN;
  char *end;
  guint64 size;

  if (descr == NULL || *descr != '\'')
    return malformed (error, "no simple 'descr' (structured arrays are not supported)");
  descr++;
  header->swap = (*descr == '<' && !little) || (*descr == '>' && little);
  if (strchr ("<>|=", *descr) == NULL || *descr == '\0')
    return malformed (error, "an unknown byte order");
  header->kind = descr[1];
  size = g_ascii_strtoull (descr + 2, &end, 10);
  if (*end != '\'' || size == 0 || size > 16)
    return malformed (error, "an unknown element size");
  header->size = size;
  header->swap &= size > 1;

  return TRUE;
}

static gboolean
parse_shape (const char *shape,
             Header     *header,
             GError    **error)
{
  if (shape == NULL || *shape != '(')
    return malformed (error, "no 'shape'");
  shape++;
  while (*shape != ')')
    {
      char *end;
      guint64 size = g_ascii_strtoull (shape, &end, 10);

      if (end == shape || size > G_MAXINT64)
        return malformed (error, "a 'shape' that is no tuple of sizes");
      if (header->rank == GHLO_MAX_RANK)
        return malformed (error, "too many dimensions");
      header->dimensions[header->rank++] = (gint64) size;
      shape = end;
      while (*shape == ',' || *shape == ' ')
        shape++;
    }

  return TRUE;
}

/* Reads magic, version and dictionary; *offset is where the elements begin. */
static gboolean
parse_header (const guint8 *data,
              gsize         size,
              Header       *header,
              gsize        *offset,
              GError      **error)
{
  g_autofree char *text = NULL;
  const char *fortran;
  gsize prefix, length;

  if (size < 12 || memcmp (data, magic, sizeof magic) != 0)
    return malformed (error, "the magic number is missing");
  prefix = data[6] == 1 ? 10 : 12;
  if (data[6] < 1 || data[6] > 3)
    return malformed (error, "an unknown version");
  length = data[8] | (gsize) data[9] << 8;
  if (prefix == 12)
    length |= (gsize) data[10] << 16 | (gsize) data[11] << 24;
  if (length > size - prefix)
    return malformed (error, "the header is cut off");

  text = g_strndup ((const char *) data + prefix, length);
  *offset = prefix + length;
  fortran = find_key (text, "'fortran_order'");
  header->fortran = fortran != NULL && g_str_has_prefix (fortran, "True");

  return parse_descr (find_key (text, "'descr'"), header, error)
         && parse_shape (find_key (text, "'shape'"), header, error);
}

/* The element type of a file, INVALID when NumPy's kind has none. */
static GhloElementType
element_type_of (const Header         *header,
                 const GhloTensorType *expected)
{
  GhloElementType wanted = expected != NULL ? expected->element_type : GHLO_ELEMENT_TYPE_INVALID;
  const GhloElementInfo *info = ghlo_element_info (wanted);
  gboolean narrow = info->bits < 8 && info->size == 1 && wanted != GHLO_ELEMENT_TYPE_I1;

  if (header->kind == 'V')
    return info->element_class == GHLO_ELEMENT_CLASS_FLOAT && info->size == header->size ? wanted
           : GHLO_ELEMENT_TYPE_INVALID;
  if (header->size == 1 && narrow
      && ((header->kind == 'i' && info->element_class == GHLO_ELEMENT_CLASS_SIGNED)
          || (header->kind == 'u' && info->element_class == GHLO_ELEMENT_CLASS_UNSIGNED)))
    return wanted;

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i].kind == header->kind && kinds[i].size == header->size)
      return kinds[i].type;

  return GHLO_ELEMENT_TYPE_INVALID;
}

static void
copy_element (guint8       *to,
              const guint8 *from,
              const Header *header)
{
  /* The two parts of a complex number keep their order. */
  guint part = header->kind == 'c' ? header->size / 2 : header->size;

  if (!header->swap)
    {
      memcpy (to, from, header->size);
      return;
    }
  for (guint i = 0; i < header->size; i++)
    to[i] = from[i / part * part + (part - 1 - i % part)];
}

/* Copies elements into row-major order and the host's byte order. */
static void
rearrange (guint8       *to,
           const guint8 *from,
           const Header *header,
           gsize         n_elements)
{
  gint64 index[GHLO_MAX_RANK] = { 0 };

  for (gsize i = 0; i < n_elements; i++)
    {
      gsize source = i;

      if (header->fortran)
        {
          source = 0;
          for (guint d = header->rank; d > 0; d--)
            source = source * header->dimensions[d - 1] + index[d - 1];
        }
      copy_element (to + i * header->size, from + source * header->size, header);
      for (guint d = header->rank; d > 0 && ++index[d - 1] == header->dimensions[d - 1]; d--)
        index[d - 1] = 0;
    }
}

/* Types of less than a byte have values that no buffer may hold. */
static gboolean
check_narrow (GhloElementType element_type,
              const guint8   *data,
              gsize           n,
              GError        **error)
{
  if (ghlo_element_info (element_type)->bits >= 8)
    return TRUE;

  for (gsize i = 0; i < n; i++)
    {
      guint8 round_trip;

      ghlo_element_store (element_type, &round_trip, ghlo_element_load (element_type, data + i));
      if (round_trip != data[i])
        {
          g_set_error (error, GHLO_ERROR, GHLO_ERROR_DATA,
                       "element %" G_GSIZE_FORMAT " of the .npy file is outside the range of %s", i,
                       ghlo_element_type_to_string (element_type));
          return FALSE;
        }
    }

  return TRUE;
}

GhloValue *
ghlo_npy_read (GBytes               *file,
               const GhloTensorType *expected,
               GError              **error)
{
  gsize size, offset, n_elements, n_bytes;
  const guint8 *data = g_bytes_get_data (file, &size);
  Header header = { 0 };
  GhloElementType element_type;
  g_autoptr (GhloTensorType) type = NULL;
  GhloValue *value;

  if (!parse_header (data, size, &header, &offset, error))
    return NULL;
  element_type = element_type_of (&header, expected);
  if (element_type == GHLO_ELEMENT_TYPE_INVALID)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_DATA,
                   "the .npy file's element type '%c%u' has no counterpart; expected %s", header.kind, header.size,
                   expected != NULL ? ghlo_element_type_to_string (expected->element_type) : "a number");
      return NULL;
    }
  if (!ghlo_shape_count (header.dimensions, header.rank, &n_elements)
      || !ghlo_size_mul (&n_bytes, n_elements, header.size) || n_bytes > size - offset)
    {
      malformed (error, "the elements are cut off");
      return NULL;
    }

  if (!check_narrow (element_type, data + offset, n_elements, error))
    return NULL;

  type = ghlo_tensor_type_new (element_type, header.dimensions, header.rank);
  if (!header.swap && (!header.fortran || header.rank < 2))
    {
      g_autoptr (GBytes) elements = g_bytes_new_from_bytes (file, offset, n_bytes);

      return ghlo_value_new_for_bytes (type, elements, error);
    }
  value = ghlo_value_new_uninitialized (type, error);
  if (value != NULL)
    rearrange (value->data, data + offset, &header, n_elements);

  return value;
}

/* NumPy's descr for an element type. */
static char *
descr_of (GhloElementType type)
{
  const GhloElementInfo *info = ghlo_element_info (type);
  char order = info->size == 1 ? '|' : G_BYTE_ORDER == G_LITTLE_ENDIAN ? '<' : '>';

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i].type == type)
      return g_strdup_printf ("%c%c%u", order, kinds[i].kind, info->size);
  if (info->element_class == GHLO_ELEMENT_CLASS_FLOAT)
    return g_strdup_printf ("%cV%u", info->size == 1 ? '|' : order, info->size);

  return g_strdup_printf ("%c%c%u", order, info->element_class == GHLO_ELEMENT_CLASS_UNSIGNED ? 'u' : 'i', info->size);
}

GBytes *
ghlo_npy_write (const GhloValue *value)
{
  const GhloTensorType *type = value->type;
  g_autofree char *descr = descr_of (type->element_type);
  g_autoptr (GString) header = g_string_new (NULL);
  guint8 prefix[10] = { 0 };
  gsize header_size;
  guint8 *file;

  g_string_printf (header, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
  for (guint i = 0; i < type->rank; i++)
    g_string_append_printf (header, i == 0 && type->rank == 1 ? "%" G_GINT64_FORMAT ","
                            : i + 1 < type->rank ? "%" G_GINT64_FORMAT ", " : "%" G_GINT64_FORMAT,
                            type->dimensions[i]);
  g_string_append (header, "), }");
  /* Elements begin at a multiple of 64 bytes. */
  while ((sizeof prefix + header->len + 1) % 64 != 0)
    g_string_append_c (header, ' ');
  g_string_append_c (header, '\n');

  memcpy (prefix, magic, sizeof magic);
  prefix[6] = 1;
  prefix[8] = header->len & 0xff;
  prefix[9] = header->len >> 8;
  header_size = sizeof prefix + header->len;
  file = g_malloc (header_size + value->n_bytes);
  memcpy (file, prefix, sizeof prefix);
  memcpy (file + sizeof prefix, header->str, header->len);
  if (value->n_bytes > 0)
    memcpy (file + header_size, value->data, value->n_bytes);

  return g_bytes_new_take (file, header_size + value->n_bytes);
}
