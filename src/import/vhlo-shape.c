/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VHLO's tensors and buffers. A dimension that is dynamic, or one without a bound,
 * is the least 64-bit integer there.
 */

#include "import/vhlo-private.h"

/* A count and dimensions; @dimensions has room for GHLO_MAX_RANK. The number of
 * elements fits 63 bits. */
static gboolean
read_dimensions (GhloByteCursor *cursor,
                 gint64         *dimensions,
                 gsize          *rank)
{
  gint64 count = 1;

  if (!ghlo_bytecode_read_count (cursor, 1, rank))
    return FALSE;
  if (*rank > GHLO_MAX_RANK)
    return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected at most %d dimensions, found %" G_GSIZE_FORMAT,
                               GHLO_MAX_RANK, *rank);
  for (gsize i = 0; i < *rank; i++)
    {
      if (!ghlo_bytecode_read_signed (cursor, &dimensions[i]))
        return FALSE;
      if (dimensions[i] < 0 && dimensions[i] != G_MININT64)
        return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected a dimension that is not negative, found %"
                                   G_GINT64_FORMAT, dimensions[i]);
      if (dimensions[i] < 0)
        dimensions[i] = GHLO_DYNAMIC;
      if (dimensions[i] == 0)
        count = 0;
    }
  for (gsize i = 0; i < *rank; i++)
    if (dimensions[i] > 0 && __builtin_mul_overflow (count, dimensions[i], &count))
      return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected fewer than 2^63 elements, found more");

  return TRUE;
}

static void
write_dimensions (GhloBytecodeWriter *writer,
                  const GhloIrType   *type)
{
  ghlo_bytecode_write_varint (writer, type->rank);
  for (guint i = 0; i < type->rank; i++)
    ghlo_bytecode_write_signed (writer, type->dimensions[i] < 0 ? G_MININT64 : type->dimensions[i]);
}

/* What a tensor or a buffer may be made of. */
static gboolean
read_element (GhloByteCursor    *cursor,
              const GhloIrType **element)
{
  g_autofree char *name = NULL;

  if (!ghlo_bytecode_read_type (cursor, element))
    return FALSE;
  if ((*element)->kind == GHLO_IR_TYPE_ELEMENT || (*element)->kind == GHLO_IR_TYPE_QUANTIZED)
    return TRUE;
  name = ghlo_ir_type_to_string (*element);

  return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected an element type, found %s", name);
}

static void
write_element (GhloBytecodeWriter *writer,
               const GhloIrType   *type)
{
  ghlo_bytecode_write_type (writer, GHLO_BYTECODE_VHLO,
                            ghlo_ir_type_get_element (ghlo_bytecode_writer_module (writer), type));
}

gboolean
ghlo_vhlo_read_ranked (GhloByteCursor    *cursor,
                       const GhloIrType **type)
{
  gint64 dimensions[GHLO_MAX_RANK];
  const GhloIrType *element;
  gsize rank;

  if (!read_dimensions (cursor, dimensions, &rank) || !read_element (cursor, &element))
    return FALSE;
  *type = ghlo_ir_type_tensor (ghlo_bytecode_module (cursor), element, dimensions, rank, NULL, NULL);

  return TRUE;
}

gboolean
ghlo_vhlo_write_ranked (GhloBytecodeWriter *writer,
                        const GhloIrType   *type)
{
  write_dimensions (writer, type);
  write_element (writer, type);

  return TRUE;
}

static gboolean
check_bounds (GhloByteCursor *cursor,
              const gint64   *dimensions,
              gsize           rank,
              const gint64   *bounds,
              gsize           n_bounds)
{
  if (n_bounds != rank)
    return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected one bound for each of %" G_GSIZE_FORMAT
                               " dimensions, found %" G_GSIZE_FORMAT, rank, n_bounds);
  for (gsize i = 0; i < rank; i++)
    if (bounds[i] < GHLO_DYNAMIC || (bounds[i] >= 0 && dimensions[i] >= 0))
      return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected no bound of dimension %" G_GSIZE_FORMAT
                                 ", which has the size %" G_GINT64_FORMAT ", found %" G_GINT64_FORMAT,
                                 i, dimensions[i], bounds[i]);

  return TRUE;
}

/* The encoding comes first. */
gboolean
ghlo_vhlo_read_encoded (GhloByteCursor    *cursor,
                        const GhloIrType **type)
{
  gint64 dimensions[GHLO_MAX_RANK];
  const gint64 *bounds = NULL;
  const GhloIrType *element;
  const GhloIrAttr *encoding;
  gsize rank, n_bounds;

  if (!ghlo_bytecode_read_attr (cursor, &encoding) || !read_dimensions (cursor, dimensions, &rank)
      || !read_element (cursor, &element))
    return FALSE;
  if (encoding->kind == GHLO_IR_ATTR_STRUCT && encoding->subkind == GHLO_IR_STRUCT_TYPE_EXTENSIONS)
    {
      bounds = ghlo_ir_struct_get_dims (encoding, "bounds", &n_bounds);
      if (!check_bounds (cursor, dimensions, rank, bounds, n_bounds))
        return FALSE;
      encoding = NULL;
    }
  *type = ghlo_ir_type_tensor (ghlo_bytecode_module (cursor), element, dimensions, rank, bounds, encoding);

  return TRUE;
}

gboolean
ghlo_vhlo_write_encoded (GhloBytecodeWriter *writer,
                         const GhloIrType   *type)
{
  const GhloIrAttr *encoding = type->encoding;

  if (type->bounds != NULL)
    {
      GhloIrModule *module = ghlo_bytecode_writer_module (writer);
      const GhloIrAttr *fields[] = { ghlo_ir_attr_i64s (module, type->bounds, type->rank) };

      encoding = ghlo_ir_attr_struct (module, GHLO_IR_STRUCT_TYPE_EXTENSIONS, fields);
    }
  ghlo_bytecode_write_attr (writer, GHLO_BYTECODE_VHLO, encoding);

  return ghlo_vhlo_write_ranked (writer, type);
}

gboolean
ghlo_vhlo_read_unranked (GhloByteCursor    *cursor,
                         const GhloIrType **type)
{
  const GhloIrType *element;

  if (!read_element (cursor, &element))
    return FALSE;
  *type = ghlo_ir_type_unranked (ghlo_bytecode_module (cursor), element);

  return TRUE;
}

gboolean
ghlo_vhlo_write_unranked (GhloBytecodeWriter *writer,
                          const GhloIrType   *type)
{
  write_element (writer, type);

  return TRUE;
}

gboolean
ghlo_vhlo_read_buffer (GhloByteCursor    *cursor,
                       const GhloIrType **type)
{
  gint64 dimensions[GHLO_MAX_RANK];
  const GhloIrType *element;
  gsize rank;

  if (!read_dimensions (cursor, dimensions, &rank) || !read_element (cursor, &element))
    return FALSE;
  *type = ghlo_ir_type_memref (ghlo_bytecode_module (cursor), element, dimensions, rank, NULL);

  return TRUE;
}
