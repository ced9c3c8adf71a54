/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Parts of encodings that several dialects share: bits of numbers, shapes, tensor types, lists of types.
 */

#include "import/bytecode/reader.h"

gboolean
ghlo_bytecode_read_bits (GhloByteCursor *cursor,
                         guint           width,
                         guint64        *bits)
{
  gint64 number;
  guint8 byte;

  if (width <= 8)
    {
      if (!ghlo_bytecode_read_byte (cursor, &byte))
        return FALSE;
      *bits = byte;
    }
  else
    {
      if (!ghlo_bytecode_read_signed (cursor, &number))
        return FALSE;
      *bits = (guint64) number;
    }
  if (width < 64)
    *bits &= ((guint64) 1 << width) - 1;

  return TRUE;
}

void
ghlo_bytecode_write_bits (GhloBytecodeWriter *writer,
                          guint               width,
                          guint64             bits)
{
  if (width < 64)
    bits &= ((guint64) 1 << width) - 1;
  if (width <= 8)
    ghlo_bytecode_write_byte (writer, (guint8) bits);
  else
    ghlo_bytecode_write_signed (writer, (gint64) bits);
}

/* Checks that the number of elements fits in 63 bits. */
static gboolean
check_count (GhloByteCursor *cursor,
             const gint64   *dimensions,
             gsize           rank)
{
  gint64 count = 1;

  for (gsize i = 0; i < rank; i++)
    if (dimensions[i] == 0)
      count = 0;
  for (gsize i = 0; i < rank; i++)
    if (dimensions[i] > 0 && __builtin_mul_overflow (count, dimensions[i], &count))
      return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected fewer than 2^63 elements, found more");

  return TRUE;
}

gboolean
ghlo_bytecode_read_shape (GhloByteCursor *cursor,
                          gint64         *dimensions,
                          gsize          *rank)
{
  GhloByteCursor start = *cursor;

  if (!ghlo_bytecode_read_count (cursor, 1, rank))
    return FALSE;
  if (*rank > GHLO_MAX_RANK)
    return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected at most %d dimensions, found %" G_GSIZE_FORMAT,
                               GHLO_MAX_RANK, *rank);
  for (gsize i = 0; i < *rank; i++)
    {
      GhloByteCursor start = *cursor;

      if (!ghlo_bytecode_read_signed (cursor, &dimensions[i]))
        return FALSE;
      if (dimensions[i] == G_MININT64)
        dimensions[i] = GHLO_DYNAMIC;
      else if (dimensions[i] < 0)
        return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected a dimension that is not negative, found %"
                                   G_GINT64_FORMAT, dimensions[i]);
    }

  return check_count (&start, dimensions, *rank);
}

gboolean
ghlo_bytecode_read_element (GhloByteCursor    *cursor,
                            const GhloIrType **element)
{
  GhloByteCursor start = *cursor;
  g_autofree char *name = NULL;

  if (!ghlo_bytecode_read_type (cursor, element))
    return FALSE;
  if ((*element)->kind == GHLO_IR_TYPE_ELEMENT || (*element)->kind == GHLO_IR_TYPE_QUANTIZED
      || (*element)->kind == GHLO_IR_TYPE_OPAQUE)
    return TRUE;
  name = ghlo_ir_type_to_string (*element);

  return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected an element type, found %s", name);
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

gboolean
ghlo_bytecode_read_tensor (GhloByteCursor    *cursor,
                           gboolean           is_encoded,
                           const GhloIrType **type)
{
  GhloByteCursor start = *cursor;
  gint64 dimensions[GHLO_MAX_RANK];
  const gint64 *bounds = NULL;
  const GhloIrAttr *encoding = NULL;
  const GhloIrType *element;
  gsize rank, n_bounds;

  if (is_encoded && !ghlo_bytecode_read_attr (cursor, &encoding))
    return FALSE;
  if (!ghlo_bytecode_read_shape (cursor, dimensions, &rank) || !ghlo_bytecode_read_element (cursor, &element))
    return FALSE;
  if (encoding != NULL && encoding->kind == GHLO_IR_ATTR_STRUCT
      && encoding->subkind == GHLO_IR_STRUCT_TYPE_EXTENSIONS)
    {
      bounds = ghlo_ir_struct_get_dims (encoding, "bounds", &n_bounds);
      if (!check_bounds (&start, dimensions, rank, bounds, n_bounds))
        return FALSE;
      encoding = NULL;
    }
  *type = ghlo_ir_type_tensor (ghlo_bytecode_module (cursor), element, dimensions, rank, bounds, encoding);

  return TRUE;
}

gboolean
ghlo_bytecode_read_types (GhloByteCursor *cursor,
                          GPtrArray      *types)
{
  GhloByteCursor start = *cursor;
  const GhloIrType *type;
  gsize n;

  if (!ghlo_bytecode_read_count (cursor, 1, &n))
    return FALSE;
  if (n > GHLO_MAX_OPERANDS)
    return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected at most %u types, found %" G_GSIZE_FORMAT,
                               GHLO_MAX_OPERANDS, n);
  for (gsize i = 0; i < n; i++)
    {
      if (!ghlo_bytecode_read_type (cursor, &type))
        return FALSE;
      g_ptr_array_add (types, (gpointer) type);
    }

  return TRUE;
}

gboolean
ghlo_bytecode_read_plain_tensor (GhloByteCursor    *cursor,
                                 const GhloIrType **type)
{
  return ghlo_bytecode_read_tensor (cursor, FALSE, type);
}

gboolean
ghlo_bytecode_read_encoded_tensor (GhloByteCursor    *cursor,
                                   const GhloIrType **type)
{
  return ghlo_bytecode_read_tensor (cursor, TRUE, type);
}

gboolean
ghlo_bytecode_read_unranked_tensor (GhloByteCursor    *cursor,
                                    const GhloIrType **type)
{
  const GhloIrType *element;

  if (!ghlo_bytecode_read_element (cursor, &element))
    return FALSE;
  *type = ghlo_ir_type_unranked (ghlo_bytecode_module (cursor), element);

  return TRUE;
}

gboolean
ghlo_bytecode_read_tuple (GhloByteCursor    *cursor,
                          const GhloIrType **type)
{
  g_autoptr (GPtrArray) members = g_ptr_array_new ();

  if (!ghlo_bytecode_read_types (cursor, members))
    return FALSE;
  *type = ghlo_ir_type_tuple (ghlo_bytecode_module (cursor), (const GhloIrType *const *) members->pdata, members->len);

  return TRUE;
}
