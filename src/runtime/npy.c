/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads and writes .npy files.
 */

#include "runtime/npy.h"

#include <string.h>

#include "base/element.h"
#include "base/sizes.h"
#include "runtime/npy-header.h"

/* The NumPy kind and size of each element type. */
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

/* Returns the element type of a file, or INVALID where NumPy's kind has none. */
static GhloElementType
element_type_of (const GhloNpyHeader  *header,
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
copy_element (guint8              *to,
              const guint8        *from,
              const GhloNpyHeader *header)
{
  /* Bytes are swapped within each part of a complex number; the parts keep their order. */
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
rearrange (guint8              *to,
           const guint8        *from,
           const GhloNpyHeader *header,
           gsize                n_elements)
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

/* For types narrower than a byte: fails if a byte holds a value outside the type's range, which no buffer may
 * contain. */
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
  GhloNpyHeader header;
  GhloElementType element_type;
  g_autoptr (GhloTensorType) type = NULL;
  GhloValue *value;

  if (!ghlo_npy_header_parse (&header, data, size, &offset, error))
    return NULL;
  element_type = element_type_of (&header, expected);
  if (element_type == GHLO_ELEMENT_TYPE_INVALID)
    {
      g_autofree char *descr = g_strdup_printf ("%c%u", header.kind, header.size);

      ghlo_npy_header_refuse (descr, strlen (descr),
                              expected != NULL ? ghlo_element_type_to_string (expected->element_type) : NULL, error);
      return NULL;
    }
  if (!ghlo_shape_count (header.dimensions, header.rank, &n_elements)
      || !ghlo_size_mul (&n_bytes, n_elements, header.size) || n_bytes > size - offset)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_DATA,
                   "malformed .npy file: expected the elements of the header's shape, found %" G_GSIZE_FORMAT " bytes",
                   size - offset);
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

/* Returns NumPy's descr of an element type. */
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

/* Returns everything before the elements: magic number, version and dictionary. */
static GString *
new_header (const GhloTensorType *type)
{
  g_autofree char *descr = descr_of (type->element_type);
  GString *header = g_string_new (NULL);
  guint8 prefix[10] = GHLO_NPY_MAGIC "\1";

  g_string_printf (header, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
  for (guint i = 0; i < type->rank; i++)
    g_string_append_printf (header, i == 0 && type->rank == 1 ? "%" G_GINT64_FORMAT ","
                            : i + 1 < type->rank ? "%" G_GINT64_FORMAT ", " : "%" G_GINT64_FORMAT,
                            type->dimensions[i]);
  g_string_append (header, "), }");
  /* The elements begin at a multiple of 64 bytes. */
  while ((sizeof prefix + header->len + 1) % 64 != 0)
    g_string_append_c (header, ' ');
  g_string_append_c (header, '\n');

  prefix[8] = header->len & 0xff;
  prefix[9] = header->len >> 8;

  return g_string_prepend_len (header, (const char *) prefix, sizeof prefix);
}

/* Writes block by block, so that no copy of the elements is needed. */
static gboolean
write_array (const GhloValue    *value,
             GOutputStream      *stream,
             const GhloMonitor  *monitor,
             GError            **error)
{
  enum { BLOCK = 1 << 20 };
  g_autoptr (GString) header = new_header (value->type);
  GCancellable *cancellable = monitor != NULL ? monitor->cancellable : NULL;

  if (!g_output_stream_write_all (stream, header->str, header->len, NULL, cancellable, error))
    return FALSE;
  for (gsize n = 0, block; n < value->n_bytes; n += block)
    {
      block = MIN (value->n_bytes - n, BLOCK);
      if (!g_output_stream_write_all (stream, value->data + n, block, NULL, cancellable, error))
        return FALSE;
      ghlo_monitor_progress (monitor, (double) (n + block) / (double) value->n_bytes, NULL);
    }

  return TRUE;
}

/* Closing the stream with a cancelled cancellable keeps the file that it was to replace. A new file was written in
 * place, and is deleted. */
static void
abandon_file (GOutputStream *stream,
              GFile         *file,
              gboolean       is_new)
{
  g_autoptr (GCancellable) cancelled = g_cancellable_new ();

  g_cancellable_cancel (cancelled);
  g_output_stream_close (stream, cancelled, NULL);
  if (is_new)
    g_file_delete (file, NULL, NULL);
}

gboolean
ghlo_npy_save (const GhloValue    *value,
               GFile              *file,
               const GhloMonitor  *monitor,
               GError            **error)
{
  GCancellable *cancellable = monitor != NULL ? monitor->cancellable : NULL;
  g_autoptr (GError) problem = NULL;
  g_autoptr (GFileOutputStream) stream = g_file_create (file, G_FILE_CREATE_NONE, cancellable, &problem);
  gboolean is_new = stream != NULL;

  if (g_error_matches (problem, G_IO_ERROR, G_IO_ERROR_EXISTS))
    {
      g_clear_error (&problem);
      stream = g_file_replace (file, NULL, FALSE, G_FILE_CREATE_NONE, cancellable, &problem);
    }
  if (stream == NULL)
    {
      g_propagate_error (error, g_steal_pointer (&problem));
      return FALSE;
    }
  if (write_array (value, G_OUTPUT_STREAM (stream), monitor, error)
      && g_output_stream_close (G_OUTPUT_STREAM (stream), cancellable, error))
    return TRUE;
  abandon_file (G_OUTPUT_STREAM (stream), file, is_new);

  return FALSE;
}
