/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Writes the builtin dialect's types. A type without a code, such as a quantized one, is written as MLIR text.
 */

#include "import/bytecode/builtin.h"

#include <string.h>

/* Types that consist of their code only: by element type, or by spelling if GHLO's tensors cannot hold the type. */
static const struct
{
  GhloElementType element_type;
  const char     *spelling;
  guint           code;
} simple[] = {
  { .element_type = GHLO_ELEMENT_TYPE_INDEX, .code = GHLO_BUILTIN_TYPE_INDEX },
  { .element_type = GHLO_ELEMENT_TYPE_BF16, .code = GHLO_BUILTIN_TYPE_BF16 },
  { .element_type = GHLO_ELEMENT_TYPE_F16, .code = GHLO_BUILTIN_TYPE_F16 },
  { .element_type = GHLO_ELEMENT_TYPE_F32, .code = GHLO_BUILTIN_TYPE_F32 },
  { .element_type = GHLO_ELEMENT_TYPE_F64, .code = GHLO_BUILTIN_TYPE_F64 },
  { .spelling = "f80", .code = GHLO_BUILTIN_TYPE_F80 },
  { .spelling = "f128", .code = GHLO_BUILTIN_TYPE_F128 },
  { .spelling = "tf32", .code = GHLO_BUILTIN_TYPE_TF32 },
  { .element_type = GHLO_ELEMENT_TYPE_F8E5M2, .code = GHLO_BUILTIN_TYPE_F8E5M2 },
  { .element_type = GHLO_ELEMENT_TYPE_F8E4M3, .code = GHLO_BUILTIN_TYPE_F8E4M3 },
  { .element_type = GHLO_ELEMENT_TYPE_F8E4M3FN, .code = GHLO_BUILTIN_TYPE_F8E4M3FN },
  { .element_type = GHLO_ELEMENT_TYPE_F8E5M2FNUZ, .code = GHLO_BUILTIN_TYPE_F8E5M2FNUZ },
  { .element_type = GHLO_ELEMENT_TYPE_F8E4M3FNUZ, .code = GHLO_BUILTIN_TYPE_F8E4M3FNUZ },
  { .element_type = GHLO_ELEMENT_TYPE_F8E4M3B11FNUZ, .code = GHLO_BUILTIN_TYPE_F8E4M3B11FNUZ },
  { .element_type = GHLO_ELEMENT_TYPE_F8E3M4, .code = GHLO_BUILTIN_TYPE_F8E3M4 },
  { .element_type = GHLO_ELEMENT_TYPE_F4E2M1FN, .code = GHLO_BUILTIN_TYPE_F4E2M1FN },
  { .element_type = GHLO_ELEMENT_TYPE_F6E2M3FN, .code = GHLO_BUILTIN_TYPE_F6E2M3FN },
  { .element_type = GHLO_ELEMENT_TYPE_F6E3M2FN, .code = GHLO_BUILTIN_TYPE_F6E3M2FN },
  { .element_type = GHLO_ELEMENT_TYPE_F8E8M0FNU, .code = GHLO_BUILTIN_TYPE_F8E8M0FNU },
};

static gboolean
find_simple (const GhloIrType *type,
             guint            *code)
{
  for (guint i = 0; i < G_N_ELEMENTS (simple); i++)
    if (type->text != NULL ? g_strcmp0 (simple[i].spelling, type->text) == 0
                           : simple[i].spelling == NULL && simple[i].element_type == type->element_type)
      {
        *code = simple[i].code;
        return TRUE;
      }

  return FALSE;
}

/* Splits "i7", "si32" and "ui3". Returns FALSE for any other name. */
static gboolean
integer_by_name (const char *name,
                 guint64    *width,
                 guint      *sign)
{
  char *end;

  *sign = GHLO_BUILTIN_SIGNLESS;
  if (name[0] == 's' || name[0] == 'u')
    *sign = *name++ == 's' ? GHLO_BUILTIN_SIGNED : GHLO_BUILTIN_UNSIGNED;
  if (name[0] != 'i' || !g_ascii_isdigit (name[1]))
    return FALSE;
  *width = g_ascii_strtoull (name + 1, &end, 10);

  return *end == '\0' && *width <= G_MAXUINT32;
}

static gboolean
find_integer (const GhloIrType *type,
              guint64          *width,
              guint            *sign)
{
  const GhloElementInfo *info = ghlo_element_info (type->element_type);

  if (type->text != NULL)
    return integer_by_name (type->text, width, sign);

  *width = info->bits;
  *sign = info->element_class == GHLO_ELEMENT_CLASS_UNSIGNED ? GHLO_BUILTIN_UNSIGNED : GHLO_BUILTIN_SIGNLESS;

  return info->element_class == GHLO_ELEMENT_CLASS_BOOLEAN
         || (ghlo_element_type_is_integer (type->element_type) && type->element_type != GHLO_ELEMENT_TYPE_INDEX);
}

guint
ghlo_bytecode_builtin_width (const GhloIrType *type)
{
  guint64 width = 64;
  guint sign;

  return find_integer (type, &width, &sign) ? (guint) MIN (width, 64) : 64;
}

/* The type of the parts of a complex type; NULL if @type is not complex. */
static const GhloIrType *
part_of (GhloIrModule     *module,
         const GhloIrType *type)
{
  const char *start = "complex<";
  g_autofree char *name = NULL;
  GhloElementType element_type;

  if (type->text == NULL)
    return ghlo_element_type_is_complex (type->element_type)
           ? ghlo_ir_type_element (module, ghlo_element_type_real_part (type->element_type)) : NULL;
  if (!g_str_has_prefix (type->text, start) || !g_str_has_suffix (type->text, ">"))
    return NULL;

  name = g_strndup (type->text + strlen (start), strlen (type->text) - strlen (start) - 1);
  element_type = ghlo_element_type_from_string (name);

  return element_type != GHLO_ELEMENT_TYPE_INVALID ? ghlo_ir_type_element (module, element_type)
                                                   : ghlo_ir_type_named (module, name);
}

static gboolean
has_element (const GhloIrType *type)
{
  guint64 width;
  guint code, sign;

  return find_simple (type, &code) || find_integer (type, &width, &sign)
         || (type->text != NULL ? g_str_has_prefix (type->text, "complex<")
                                : ghlo_element_type_is_complex (type->element_type));
}

gboolean
ghlo_bytecode_builtin_has_type (const GhloIrType *type)
{
  switch (type->kind)
    {
    case GHLO_IR_TYPE_ELEMENT:
      return has_element (type);
    case GHLO_IR_TYPE_TENSOR:
    case GHLO_IR_TYPE_UNRANKED:
    case GHLO_IR_TYPE_MEMREF:
    case GHLO_IR_TYPE_TUPLE:
    case GHLO_IR_TYPE_FUNCTION:
    case GHLO_IR_TYPE_NONE:
      return TRUE;
    case GHLO_IR_TYPE_QUANTIZED:
    case GHLO_IR_TYPE_TOKEN:
    case GHLO_IR_TYPE_FUTURE:
    case GHLO_IR_TYPE_OPAQUE:
      break;
    }

  return FALSE;
}

static void
write_element (GhloBytecodeWriter *writer,
               const GhloIrType   *type)
{
  const GhloIrType *part;
  guint64 width;
  guint code, sign;

  if (find_simple (type, &code))
    {
      ghlo_bytecode_write_varint (writer, code);
    }
  else if (find_integer (type, &width, &sign))
    {
      ghlo_bytecode_write_varint (writer, GHLO_BUILTIN_TYPE_INTEGER);
      ghlo_bytecode_write_varint (writer, width << 2 | sign);
    }
  else
    {
      part = part_of (ghlo_bytecode_writer_module (writer), type);
      ghlo_bytecode_write_varint (writer, GHLO_BUILTIN_TYPE_COMPLEX);
      ghlo_bytecode_write_type (writer, GHLO_BYTECODE_BUILTIN, part);
    }
}

/* In bytecode, bounds are an attribute of StableHLO. */
static const GhloIrAttr *
encoding_of (GhloIrModule     *module,
             const GhloIrType *type)
{
  const GhloIrAttr *bounds;

  if (type->bounds == NULL)
    return type->encoding;
  bounds = ghlo_ir_attr_i64s (module, type->bounds, type->rank);

  return ghlo_ir_attr_struct (module, GHLO_IR_STRUCT_TYPE_EXTENSIONS, &bounds);
}

static void
write_shape (GhloBytecodeWriter *writer,
             const GhloIrType   *type)
{
  ghlo_bytecode_write_varint (writer, type->rank);
  for (guint i = 0; i < type->rank; i++)
    ghlo_bytecode_write_signed (writer, type->dimensions[i] < 0 ? G_MININT64 : type->dimensions[i]);
  ghlo_bytecode_write_type (writer, GHLO_BYTECODE_BUILTIN,
                            ghlo_ir_type_get_element (ghlo_bytecode_writer_module (writer), type));
}

static void
write_tensor (GhloBytecodeWriter *writer,
              const GhloIrType   *type)
{
  const GhloIrAttr *encoding = encoding_of (ghlo_bytecode_writer_module (writer), type);

  ghlo_bytecode_write_varint (writer, encoding != NULL ? GHLO_BUILTIN_TYPE_ENCODED_TENSOR : GHLO_BUILTIN_TYPE_TENSOR);
  if (encoding != NULL)
    ghlo_bytecode_write_attr (writer, GHLO_BYTECODE_BUILTIN, encoding);
  write_shape (writer, type);
}

/* A memref's layout and memory space, from the encoding that text has after its element. No layout means the default
 * one, "affine_map<(d0, d1) -> (d0, d1)>". */
static const GhloIrAttr *
layout_of (GhloIrModule      *module,
           const GhloIrType  *type,
           const GhloIrAttr **space)
{
  const GhloIrAttr *encoding = type->encoding;
  g_autoptr (GString) dimensions = NULL;
  g_autofree char *plain = NULL;

  *space = NULL;
  if (encoding != NULL && encoding->kind == GHLO_IR_ATTR_ARRAY && encoding->length == 2)
    {
      *space = encoding->children[1];
      return encoding->children[0];
    }
  if (encoding != NULL && encoding->kind == GHLO_IR_ATTR_OPAQUE
      && (g_str_has_prefix (encoding->text, "affine_map<") || g_str_has_prefix (encoding->text, "strided<")))
    return encoding;

  *space = encoding;
  dimensions = g_string_new (NULL);
  for (guint i = 0; i < type->rank; i++)
    g_string_append_printf (dimensions, "%sd%u", i > 0 ? ", " : "", i);
  plain = g_strdup_printf ("affine_map<(%s) -> (%s)>", dimensions->str, dimensions->str);

  return ghlo_ir_attr_opaque (module, plain);
}

static void
write_memref (GhloBytecodeWriter *writer,
              const GhloIrType   *type)
{
  const GhloIrAttr *space, *layout = layout_of (ghlo_bytecode_writer_module (writer), type, &space);

  ghlo_bytecode_write_varint (writer, space != NULL ? GHLO_BUILTIN_TYPE_MEMREF_SPACE : GHLO_BUILTIN_TYPE_MEMREF);
  if (space != NULL)
    ghlo_bytecode_write_attr (writer, GHLO_BYTECODE_BUILTIN, space);
  write_shape (writer, type);
  ghlo_bytecode_write_attr (writer, GHLO_BYTECODE_BUILTIN, layout);
}

static void
write_types (GhloBytecodeWriter      *writer,
             const GhloIrType *const *types,
             guint                    n)
{
  ghlo_bytecode_write_varint (writer, n);
  for (guint i = 0; i < n; i++)
    ghlo_bytecode_write_type (writer, GHLO_BYTECODE_BUILTIN, types[i]);
}

gboolean
ghlo_bytecode_builtin_write_type (GhloBytecodeWriter *writer,
                                  const GhloIrType   *type)
{
  switch (type->kind)
    {
    case GHLO_IR_TYPE_ELEMENT:
      write_element (writer, type);
      break;
    case GHLO_IR_TYPE_TENSOR:
      write_tensor (writer, type);
      break;
    case GHLO_IR_TYPE_UNRANKED:
      ghlo_bytecode_write_varint (writer, GHLO_BUILTIN_TYPE_UNRANKED_TENSOR);
      ghlo_bytecode_write_type (writer, GHLO_BYTECODE_BUILTIN,
                                ghlo_ir_type_get_element (ghlo_bytecode_writer_module (writer), type));
      break;
    case GHLO_IR_TYPE_MEMREF:
      write_memref (writer, type);
      break;
    case GHLO_IR_TYPE_TUPLE:
      ghlo_bytecode_write_varint (writer, GHLO_BUILTIN_TYPE_TUPLE);
      write_types (writer, type->members, type->rank);
      break;
    case GHLO_IR_TYPE_FUNCTION:
      ghlo_bytecode_write_varint (writer, GHLO_BUILTIN_TYPE_FUNCTION);
      write_types (writer, type->members, type->rank);
      write_types (writer, type->members + type->rank, type->n_results);
      break;
    case GHLO_IR_TYPE_NONE:
      ghlo_bytecode_write_varint (writer, GHLO_BUILTIN_TYPE_NONE);
      break;
    default:
      return ghlo_bytecode_refuse (writer, GHLO_ERROR_INTERNAL, "a type that the builtin dialect does not have");
    }

  return TRUE;
}
