/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Constants in bytecode: a tensor type and its data as MLIR packs it. Data that the file has in the layout of buffers
 * stays a slice of the file.
 */

#include "import/bytecode/reader.h"

#include <string.h>

#include "import/text/unpack.h"

/* Counts the elements of a constant of this type. Returns FALSE after an error. */
static gboolean
count_elements (GhloByteCursor   *cursor,
                const GhloIrType *tensor,
                gsize            *n)
{
  g_autofree char *name = NULL;

  if (tensor->kind == GHLO_IR_TYPE_TENSOR && ghlo_ir_type_has_static_shape (tensor)
      && tensor->element_type != GHLO_ELEMENT_TYPE_INVALID
      && ghlo_shape_count (tensor->dimensions, tensor->rank, n))
    return TRUE;

  name = ghlo_ir_type_to_string (tensor);
  if (tensor->kind == GHLO_IR_TYPE_TENSOR && tensor->element_type == GHLO_ELEMENT_TYPE_INVALID)
    return ghlo_bytecode_fail (cursor, GHLO_ERROR_UNSUPPORTED,
                               "expected a constant of an element type that buffers support, found one of %s", name);

  return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE,
                             "expected a tensor type with static dimensions for a constant, found %s", name);
}

static gboolean
count_copy (GhloByteCursor *cursor,
            gconstpointer   data,
            GBytes         *bytes)
{
  GhloBytecodeReader *reader = cursor->reader;
  gsize size = reader->file.end - reader->file.data;

  return ghlo_import_count_unpacked (&reader->n_unpacked, data, bytes, size)
         || ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected constants of at most %" G_GUINT64_FORMAT
                                " bytes when unpacked, found more", ghlo_import_most_unpacked (size));
}

const GhloIrAttr *
ghlo_bytecode_dense (GhloByteCursor   *cursor,
                     const GhloIrType *tensor,
                     GBytes           *blob,
                     const char       *resource)
{
  const GhloElementInfo *info;
  gconstpointer data;
  GBytes *bytes;
  gboolean splat = FALSE;
  gsize n, size, missing;

  if (!count_elements (cursor, tensor, &n))
    {
      g_clear_pointer (&blob, g_bytes_unref);
      return NULL;
    }
  if (blob == NULL)
    {
      ghlo_bytecode_fail (cursor, GHLO_ERROR_DATA, "expected the data of the resource '%s' in this file, found none",
                          resource != NULL ? resource : "");
      return NULL;
    }

  info = ghlo_element_info (tensor->element_type);
  data = g_bytes_get_data (blob, &size);
  bytes = ghlo_import_unpack (tensor->element_type, n, blob, resource == NULL, &splat, &missing);
  if (missing > 0)
    {
      ghlo_bytecode_fail (cursor, GHLO_ERROR_OUT_OF_MEMORY, "expected memory for a constant of %" G_GSIZE_FORMAT
                          " bytes, found less", missing);
      return NULL;
    }
  if (bytes == NULL)
    {
      ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected the data of %" G_GSIZE_FORMAT " elements of %s, found %"
                          G_GSIZE_FORMAT " bytes", n, info->name, size);
      return NULL;
    }
  if (!count_copy (cursor, data, bytes))
    {
      g_bytes_unref (bytes);
      return NULL;
    }
  if (resource == NULL)
    bytes = ghlo_import_compress (bytes, n, info->size, &splat);

  return ghlo_ir_attr_dense (ghlo_bytecode_module (cursor), tensor, bytes, splat, resource);
}
