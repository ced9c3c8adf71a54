/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads the builtin dialect's attributes, with one row for each code.
 * Locations, which are attributes too, have a file of their own.
 */

#include "import/bytecode/builtin.h"

#include <string.h>

#include "import/bytecode/reader.h"
#include "import/text/unpack.h"

typedef struct
{
  gboolean  (*read) (GhloByteCursor *cursor, const GhloIrAttr **attr);
  const char *unsupported;    /* what the code means, if GHLO has no equivalent */
} AttrRow;

static gboolean
read_flat_symbol (GhloByteCursor    *cursor,
                  const GhloIrAttr **attr)
{
  const char *name;

  if (!ghlo_bytecode_read_name (cursor, &name))
    return FALSE;
  *attr = ghlo_ir_attr_symbol (ghlo_bytecode_module (cursor), name, NULL, 0);

  return TRUE;
}

static gboolean
read_symbol (GhloByteCursor    *cursor,
             const GhloIrAttr **attr)
{
  GhloByteCursor start = *cursor;
  GhloBytecodeAttrs nested = { 0 };
  const char *name;
  gboolean good = ghlo_bytecode_read_name (cursor, &name) && ghlo_bytecode_read_attrs (cursor, &nested);

  for (gsize i = 0; i < nested.n && good; i++)
    if (nested.items[i]->kind != GHLO_IR_ATTR_SYMBOL || nested.items[i]->length > 0)
      {
        g_autofree char *found = ghlo_ir_attr_to_string (nested.items[i]);

        good = ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected single symbols inside a nested one, found %s",
                                   found);
      }
  if (good)
    *attr = ghlo_ir_attr_symbol (ghlo_bytecode_module (cursor), name, nested.items, nested.n);
  GHLO_IMPORT_CLEAR (&nested);

  return good;
}

static gboolean
read_unit (GhloByteCursor    *cursor,
           const GhloIrAttr **attr)
{
  *attr = ghlo_ir_attr_unit (ghlo_bytecode_module (cursor));

  return TRUE;
}

/* The width of an integer type; 0 for any other type. */
static guint
integer_width (const GhloIrType *type,
               gboolean         *is_unsigned)
{
  const char *digits = type->text;
  const GhloElementInfo *info;

  if (type->kind != GHLO_IR_TYPE_ELEMENT)
    return 0;
  if (digits != NULL)
    {
      *is_unsigned = *digits == 'u';
      digits += *digits == 'u' || *digits == 's' ? 1 : 0;
      return *digits == 'i' ? (guint) g_ascii_strtoull (digits + 1, NULL, 10) : 0;
    }

  info = ghlo_element_info (type->element_type);
  *is_unsigned = info->element_class == GHLO_ELEMENT_CLASS_UNSIGNED;

  return ghlo_element_type_is_integer (type->element_type) || info->element_class == GHLO_ELEMENT_CLASS_BOOLEAN
         ? info->bits : 0;
}

static gboolean
read_integer (GhloByteCursor    *cursor,
              const GhloIrAttr **attr)
{
  GhloIrModule *module = ghlo_bytecode_module (cursor);
  GhloByteCursor start = *cursor;
  const GhloIrType *type;
  g_autofree char *name = NULL;
  gboolean is_unsigned;
  guint64 bits;
  guint width;

  if (!ghlo_bytecode_read_type (cursor, &type))
    return FALSE;
  width = integer_width (type, &is_unsigned);
  if (width == 0 || width > 64)
    {
      name = ghlo_ir_type_to_string (type);
      return ghlo_bytecode_fail (&start, width > 64 ? GHLO_ERROR_UNSUPPORTED : GHLO_ERROR_PARSE,
                                 "expected an integer of at most 64 bits, found one of %s", name);
    }
  if (!ghlo_bytecode_read_bits (cursor, width, &bits))
    return FALSE;
  if (type->element_type == GHLO_ELEMENT_TYPE_I1)
    *attr = ghlo_ir_attr_bool (module, bits != 0);
  else if (is_unsigned)
    *attr = ghlo_ir_attr_integer (module, type, (gint64) bits);
  else
    *attr = ghlo_ir_attr_integer (module, type, (gint64) (bits << (64 - width)) >> (64 - width));

  return TRUE;
}

static gboolean
read_float (GhloByteCursor    *cursor,
            const GhloIrAttr **attr)
{
  GhloByteCursor start = *cursor;
  const GhloIrType *type;
  guint64 bits;

  if (!ghlo_bytecode_read_type (cursor, &type))
    return FALSE;
  if (type->kind != GHLO_IR_TYPE_ELEMENT || !ghlo_element_type_is_float (type->element_type))
    {
      g_autofree char *name = ghlo_ir_type_to_string (type);

      return ghlo_bytecode_fail (&start, type->text != NULL ? GHLO_ERROR_UNSUPPORTED : GHLO_ERROR_PARSE,
                                 "expected a float of at most 64 bits, found a number of %s", name);
    }
  if (!ghlo_bytecode_read_bits (cursor, ghlo_element_info (type->element_type)->bits, &bits))
    return FALSE;
  *attr = ghlo_ir_attr_float (ghlo_bytecode_module (cursor), type, ghlo_float_from_bits (type->element_type, bits));

  return TRUE;
}

static gboolean
read_dense (GhloByteCursor    *cursor,
            const GhloIrAttr **attr)
{
  GhloByteCursor start = *cursor;
  const GhloIrType *type;
  GBytes *blob;

  if (!ghlo_bytecode_read_type (cursor, &type) || !ghlo_bytecode_read_blob (cursor, &blob))
    return FALSE;
  *attr = ghlo_bytecode_dense (&start, type, blob, NULL);

  return *attr != NULL;
}

static gboolean
read_dense_resource (GhloByteCursor    *cursor,
                     const GhloIrAttr **attr)
{
  const GhloIrType *type;

  return ghlo_bytecode_read_type (cursor, &type) && ghlo_bytecode_read_resource (cursor, type, attr);
}

/* Makes an array<…> from a blob of n elements of @type. */
static const GhloIrAttr *
make_dense_array (GhloIrModule    *module,
                  GhloElementType  type,
                  const guint8    *data,
                  gsize            n)
{
  gsize size = ghlo_element_info (type)->size;

  if (ghlo_element_type_is_float (type))
    {
      g_autofree double *reals = g_new (double, MAX (n, 1));

      for (gsize i = 0; i < n; i++)
        reals[i] = ghlo_element_load (type, data + i * size).f;
      return ghlo_ir_attr_reals (module, type, reals, n);
    }
  else
    {
      g_autofree gint64 *integers = g_new (gint64, MAX (n, 1));

      for (gsize i = 0; i < n; i++)
        integers[i] = ghlo_element_load (type, data + i * size).i;
      return ghlo_ir_attr_integers (module, type, integers, n);
    }
}

static gboolean
read_dense_array (GhloByteCursor    *cursor,
                  const GhloIrAttr **attr)
{
  GhloByteCursor start = *cursor;
  const GhloIrType *type;
  g_autoptr (GBytes) blob = NULL, bytes = NULL;
  const GhloElementInfo *info;
  gboolean splat;
  gsize size, missing;
  guint64 n;

  if (!ghlo_bytecode_read_type (cursor, &type) || !ghlo_bytecode_read_varint (cursor, &n)
      || !ghlo_bytecode_read_blob (cursor, &blob))
    return FALSE;
  if (type->kind != GHLO_IR_TYPE_ELEMENT || type->element_type == GHLO_ELEMENT_TYPE_INVALID
      || ghlo_element_type_is_complex (type->element_type))
    {
      g_autofree char *name = ghlo_ir_type_to_string (type);

      return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected an integer or float type of an array,"
                                 " found %s", name);
    }
  info = ghlo_element_info (type->element_type);
  size = g_bytes_get_size (blob);
  if (n != size / info->size || size % info->size != 0)
    return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected the data of %" G_GUINT64_FORMAT " elements of %s,"
                               " found %" G_GSIZE_FORMAT " bytes", n, info->name, size);
  bytes = ghlo_import_unpack (type->element_type, n, g_steal_pointer (&blob), FALSE, &splat, &missing);
  if (bytes == NULL)
    return ghlo_bytecode_fail (&start, GHLO_ERROR_OUT_OF_MEMORY, "expected memory for %" G_GUINT64_FORMAT
                               " elements, found none", n);
  *attr = make_dense_array (ghlo_bytecode_module (cursor), type->element_type, g_bytes_get_data (bytes, NULL), n);

  return TRUE;
}

/* The number of strings in a constant of @type whose data states it. Returns FALSE after an error. */
static gboolean
count_strings (GhloByteCursor   *cursor,
               const GhloIrType *type,
               gboolean          is_splat,
               gsize            *n)
{
  g_autofree char *name = NULL;

  if (type->kind == GHLO_IR_TYPE_TENSOR && type->element_type == GHLO_ELEMENT_TYPE_INVALID
      && ghlo_ir_type_has_static_shape (type) && ghlo_shape_count (type->dimensions, type->rank, n))
    {
      *n = is_splat ? 1 : *n;
      return *n <= ghlo_bytecode_left (cursor)
             || ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected %" G_GSIZE_FORMAT " strings, found %"
                                    G_GSIZE_FORMAT " bytes", *n, ghlo_bytecode_left (cursor));
    }
  name = ghlo_ir_type_to_string (type);

  return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected a tensor type of strings with static dimensions,"
                             " found %s", name);
}

static gboolean
read_dense_strings (GhloByteCursor    *cursor,
                    const GhloIrAttr **attr)
{
  g_autofree const GhloIrAttr **children = NULL;
  const GhloIrType *type;
  guint64 is_splat;
  gsize n;

  if (!ghlo_bytecode_read_type (cursor, &type) || !ghlo_bytecode_read_varint (cursor, &is_splat)
      || !count_strings (cursor, type, is_splat != 0, &n))
    return FALSE;
  children = g_new (const GhloIrAttr *, MAX (n, 1));
  for (gsize i = 0; i < n; i++)
    if (!ghlo_bytecode_read_string_attr (cursor, &children[i]))
      return FALSE;
  *attr = ghlo_ir_attr_dense_strings (ghlo_bytecode_module (cursor), type, children, n);

  return TRUE;
}

static const AttrRow rows[] = {
  [GHLO_BUILTIN_ATTR_ARRAY] = { ghlo_bytecode_read_array },
  [GHLO_BUILTIN_ATTR_DICTIONARY] = { ghlo_bytecode_read_dictionary },
  [GHLO_BUILTIN_ATTR_STRING] = { ghlo_bytecode_read_string_attr },
  [GHLO_BUILTIN_ATTR_TYPED_STRING] = { .unsupported = "a string with a type" },
  [GHLO_BUILTIN_ATTR_FLAT_SYMBOL] = { read_flat_symbol },
  [GHLO_BUILTIN_ATTR_SYMBOL] = { read_symbol },
  [GHLO_BUILTIN_ATTR_TYPE] = { ghlo_bytecode_read_type_attr },
  [GHLO_BUILTIN_ATTR_UNIT] = { read_unit },
  [GHLO_BUILTIN_ATTR_INTEGER] = { read_integer },
  [GHLO_BUILTIN_ATTR_FLOAT] = { read_float },
  [GHLO_BUILTIN_ATTR_DENSE_RESOURCE] = { read_dense_resource },
  [GHLO_BUILTIN_ATTR_DENSE_ARRAY] = { read_dense_array },
  [GHLO_BUILTIN_ATTR_DENSE] = { read_dense },
  [GHLO_BUILTIN_ATTR_DENSE_STRINGS] = { read_dense_strings },
  [GHLO_BUILTIN_ATTR_SPARSE] = { .unsupported = "a sparse constant" },
  [GHLO_BUILTIN_ATTR_DISTINCT] = { .unsupported = "a distinct attribute" },
};

static gboolean
read_attr (GhloByteCursor    *cursor,
           const GhloIrAttr **attr)
{
  GhloByteCursor start = *cursor;
  gboolean is_location, good;
  guint64 code;

  if (!ghlo_bytecode_read_varint (cursor, &code))
    return FALSE;
  good = ghlo_bytecode_builtin_read_location (cursor, code, &is_location, attr);
  if (is_location)
    return good;
  if (code >= G_N_ELEMENTS (rows))
    return ghlo_bytecode_fail (&start, GHLO_ERROR_UNSUPPORTED, "expected the code of a builtin attribute, up to %d,"
                               " found %" G_GUINT64_FORMAT, GHLO_BUILTIN_ATTR_FILE_RANGE, code);
  if (rows[code].read == NULL)
    return ghlo_bytecode_fail (&start, GHLO_ERROR_UNSUPPORTED, "expected an attribute that StableHLO has, found %s",
                               rows[code].unsupported);

  return rows[code].read (cursor, attr);
}

const GhloBytecodeCodec ghlo_bytecode_builtin = {
  .name = "builtin",
  .read_attr = read_attr,
  .read_type = ghlo_bytecode_builtin_read_type,
  .has_attr = ghlo_bytecode_builtin_has_attr,
  .has_type = ghlo_bytecode_builtin_has_type,
  .write_attr = ghlo_bytecode_builtin_write_attr,
  .write_type = ghlo_bytecode_builtin_write_type,
};
