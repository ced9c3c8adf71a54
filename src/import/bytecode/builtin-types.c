/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads the builtin dialect's types, with one row for each code.
 */

#include "import/bytecode/builtin.h"

#include <string.h>

enum { WIDEST_INTEGER = (1 << 24) - 1, SIGN_BITS = 2 };

typedef struct
{
  GhloElementType  element_type;   /* the type that the code denotes */
  const char      *spelling;       /* its spelling instead, if GHLO's tensors cannot hold the type */
  const char      *unsupported;    /* what the code means, if GHLO has no equivalent */
  gboolean (*read) (GhloByteCursor *cursor, const GhloIrType **type);
} TypeRow;

static gboolean
read_integer (GhloByteCursor    *cursor,
              const GhloIrType **type)
{
  static const char *const prefixes[] = { "i", "si", "ui" };
  GhloByteCursor start = *cursor;
  GhloElementType element_type;
  g_autofree char *name = NULL;
  guint64 value;

  if (!ghlo_bytecode_read_varint (cursor, &value))
    return FALSE;
  if (value >> SIGN_BITS == 0 || value >> SIGN_BITS > WIDEST_INTEGER
      || (value & ((1 << SIGN_BITS) - 1)) > GHLO_BUILTIN_UNSIGNED)
    return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected the width and sign of an integer type,"
                               " found %" G_GUINT64_FORMAT, value);
  name = g_strdup_printf ("%s%u", prefixes[value & ((1 << SIGN_BITS) - 1)], (guint) (value >> SIGN_BITS));
  element_type = ghlo_element_type_from_string (name);
  *type = element_type != GHLO_ELEMENT_TYPE_INVALID
          ? ghlo_ir_type_element (ghlo_bytecode_module (cursor), element_type)
          : ghlo_ir_type_named (ghlo_bytecode_module (cursor), name);

  return TRUE;
}

static gboolean
read_function (GhloByteCursor    *cursor,
               const GhloIrType **type)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  g_autoptr (GPtrArray) results = g_ptr_array_new ();

  if (!ghlo_bytecode_read_types (cursor, inputs) || !ghlo_bytecode_read_types (cursor, results))
    return FALSE;
  *type = ghlo_ir_type_function (ghlo_bytecode_module (cursor),
                                 (const GhloIrType *const *) inputs->pdata, inputs->len,
                                 (const GhloIrType *const *) results->pdata, results->len);

  return TRUE;
}

static gboolean
read_complex (GhloByteCursor    *cursor,
              const GhloIrType **type)
{
  GhloIrModule *module = ghlo_bytecode_module (cursor);
  GhloByteCursor start = *cursor;
  const GhloIrType *part;
  g_autofree char *name = NULL;

  if (!ghlo_bytecode_read_type (cursor, &part))
    return FALSE;
  name = ghlo_ir_type_to_string (part);
  if (part->kind != GHLO_IR_TYPE_ELEMENT || part->element_type == GHLO_ELEMENT_TYPE_INDEX
      || ghlo_element_type_is_complex (part->element_type) || strchr (name, '<') != NULL)
    return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected a float or integer type inside a complex type,"
                               " found %s", name);
  if (part->element_type == GHLO_ELEMENT_TYPE_F32)
    {
      *type = ghlo_ir_type_element (module, GHLO_ELEMENT_TYPE_COMPLEX_F32);
    }
  else if (part->element_type == GHLO_ELEMENT_TYPE_F64)
    {
      *type = ghlo_ir_type_element (module, GHLO_ELEMENT_TYPE_COMPLEX_F64);
    }
  else
    {
      g_autofree char *complex = g_strdup_printf ("complex<%s>", name);

      *type = ghlo_ir_type_named (module, complex);
    }

  return TRUE;
}

/* Whether a layout is the default one, which text omits: "affine_map<(d0, d1) -> (d0, d1)>". */
static gboolean
is_plain_layout (const GhloIrAttr *layout,
                 gsize             rank)
{
  g_autoptr (GString) dimensions = g_string_new (NULL);
  g_autofree char *plain = NULL;

  if (layout->kind != GHLO_IR_ATTR_OPAQUE)
    return FALSE;
  for (gsize i = 0; i < rank; i++)
    g_string_append_printf (dimensions, "%sd%" G_GSIZE_FORMAT, i > 0 ? ", " : "", i);
  plain = g_strdup_printf ("affine_map<(%s) -> (%s)>", dimensions->str, dimensions->str);

  return strcmp (layout->text, plain) == 0;
}

/* Bytecode has shape, element and layout; text has layout and memory space after the element. */
static gboolean
read_buffer (GhloByteCursor    *cursor,
             const GhloIrAttr  *space,
             const GhloIrType **type)
{
  GhloIrModule *module = ghlo_bytecode_module (cursor);
  gint64 dimensions[GHLO_MAX_RANK];
  const GhloIrAttr *both[2], *encoding = space;
  const GhloIrType *element;
  gsize rank;

  if (!ghlo_bytecode_read_shape (cursor, dimensions, &rank) || !ghlo_bytecode_read_element (cursor, &element)
      || !ghlo_bytecode_read_attr (cursor, &both[0]))
    return FALSE;
  both[1] = space;
  if (!is_plain_layout (both[0], rank))
    encoding = space != NULL ? ghlo_ir_attr_array (module, both, 2) : both[0];
  *type = ghlo_ir_type_memref (module, element, dimensions, rank, encoding);

  return TRUE;
}

static gboolean
read_memref (GhloByteCursor    *cursor,
             const GhloIrType **type)
{
  return read_buffer (cursor, NULL, type);
}

static gboolean
read_memref_with_space (GhloByteCursor    *cursor,
                        const GhloIrType **type)
{
  const GhloIrAttr *space;

  return ghlo_bytecode_read_attr (cursor, &space) && read_buffer (cursor, space, type);
}

static gboolean
read_none (GhloByteCursor    *cursor,
           const GhloIrType **type)
{
  *type = ghlo_ir_type_none (ghlo_bytecode_module (cursor));

  return TRUE;
}

static const TypeRow rows[] = {
  [GHLO_BUILTIN_TYPE_INTEGER] = { .read = read_integer },
  [GHLO_BUILTIN_TYPE_INDEX] = { .element_type = GHLO_ELEMENT_TYPE_INDEX },
  [GHLO_BUILTIN_TYPE_FUNCTION] = { .read = read_function },
  [GHLO_BUILTIN_TYPE_BF16] = { .element_type = GHLO_ELEMENT_TYPE_BF16 },
  [GHLO_BUILTIN_TYPE_F16] = { .element_type = GHLO_ELEMENT_TYPE_F16 },
  [GHLO_BUILTIN_TYPE_F32] = { .element_type = GHLO_ELEMENT_TYPE_F32 },
  [GHLO_BUILTIN_TYPE_F64] = { .element_type = GHLO_ELEMENT_TYPE_F64 },
  [GHLO_BUILTIN_TYPE_F80] = { .spelling = "f80" },
  [GHLO_BUILTIN_TYPE_F128] = { .spelling = "f128" },
  [GHLO_BUILTIN_TYPE_COMPLEX] = { .read = read_complex },
  [GHLO_BUILTIN_TYPE_MEMREF] = { .read = read_memref },
  [GHLO_BUILTIN_TYPE_MEMREF_SPACE] = { .read = read_memref_with_space },
  [GHLO_BUILTIN_TYPE_NONE] = { .read = read_none },
  [GHLO_BUILTIN_TYPE_TENSOR] = { .read = ghlo_bytecode_read_plain_tensor },
  [GHLO_BUILTIN_TYPE_ENCODED_TENSOR] = { .read = ghlo_bytecode_read_encoded_tensor },
  [GHLO_BUILTIN_TYPE_TUPLE] = { .read = ghlo_bytecode_read_tuple },
  [GHLO_BUILTIN_TYPE_UNRANKED_MEMREF] = { .unsupported = "an unranked memref" },
  [GHLO_BUILTIN_TYPE_UNRANKED_MEMREF_SPACE] = { .unsupported = "an unranked memref" },
  [GHLO_BUILTIN_TYPE_UNRANKED_TENSOR] = { .read = ghlo_bytecode_read_unranked_tensor },
  [GHLO_BUILTIN_TYPE_VECTOR] = { .unsupported = "a vector" },
  [GHLO_BUILTIN_TYPE_SCALABLE_VECTOR] = { .unsupported = "a vector" },
  [GHLO_BUILTIN_TYPE_TF32] = { .spelling = "tf32" },
  [GHLO_BUILTIN_TYPE_F8E5M2] = { .element_type = GHLO_ELEMENT_TYPE_F8E5M2 },
  [GHLO_BUILTIN_TYPE_F8E4M3] = { .element_type = GHLO_ELEMENT_TYPE_F8E4M3 },
  [GHLO_BUILTIN_TYPE_F8E4M3FN] = { .element_type = GHLO_ELEMENT_TYPE_F8E4M3FN },
  [GHLO_BUILTIN_TYPE_F8E5M2FNUZ] = { .element_type = GHLO_ELEMENT_TYPE_F8E5M2FNUZ },
  [GHLO_BUILTIN_TYPE_F8E4M3FNUZ] = { .element_type = GHLO_ELEMENT_TYPE_F8E4M3FNUZ },
  [GHLO_BUILTIN_TYPE_F8E4M3B11FNUZ] = { .element_type = GHLO_ELEMENT_TYPE_F8E4M3B11FNUZ },
  [GHLO_BUILTIN_TYPE_F8E3M4] = { .element_type = GHLO_ELEMENT_TYPE_F8E3M4 },
  [GHLO_BUILTIN_TYPE_F4E2M1FN] = { .element_type = GHLO_ELEMENT_TYPE_F4E2M1FN },
  [GHLO_BUILTIN_TYPE_F6E2M3FN] = { .element_type = GHLO_ELEMENT_TYPE_F6E2M3FN },
  [GHLO_BUILTIN_TYPE_F6E3M2FN] = { .element_type = GHLO_ELEMENT_TYPE_F6E3M2FN },
  [GHLO_BUILTIN_TYPE_F8E8M0FNU] = { .element_type = GHLO_ELEMENT_TYPE_F8E8M0FNU },
};

gboolean
ghlo_bytecode_builtin_read_type (GhloByteCursor    *cursor,
                                 const GhloIrType **type)
{
  GhloByteCursor start = *cursor;
  const TypeRow *row;
  guint64 code;

  if (!ghlo_bytecode_read_varint (cursor, &code))
    return FALSE;
  if (code >= G_N_ELEMENTS (rows))
    return ghlo_bytecode_fail (&start, GHLO_ERROR_UNSUPPORTED, "expected the code of a builtin type, below %u,"
                               " found %" G_GUINT64_FORMAT, (guint) G_N_ELEMENTS (rows), code);
  row = &rows[code];
  if (row->unsupported != NULL)
    return ghlo_bytecode_fail (&start, GHLO_ERROR_UNSUPPORTED, "expected a type that StableHLO has, found %s",
                               row->unsupported);
  if (row->read != NULL)
    return row->read (cursor, type);
  *type = row->spelling != NULL ? ghlo_ir_type_named (ghlo_bytecode_module (cursor), row->spelling)
                                : ghlo_ir_type_element (ghlo_bytecode_module (cursor), row->element_type);

  return TRUE;
}
