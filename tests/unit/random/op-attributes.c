/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The attributes of randomly drawn operations: one of each kind that a row may ask for, and mutations of existing ones.
 */

#include <math.h>
#include <string.h>

#include "base/sizes.h"
#include "import/import.h"
#include "op.h"

/* Attributes of the wrong kind. */
static const char *const odd_attributes[] = {
  "unit",
  "true",
  "5 : i32",
  "-1 : i64",
  "9223372036854775807 : i64",
  "1 : ui32",
  "1.5 : f32",
  "0x7FC00000 : f32",
  "\"text\"",
  "\"\"",
  "@f",
  "@missing",
  "[]",
  "[1, \"two\", i32]",
  "{}",
  "{a = 1 : i64, b = []}",
  "dense<1> : tensor<2xi64>",
  "dense<> : tensor<0x2xi64>",
  "dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>",
  "dense<-1> : tensor<1x1xi64>",
  "dense<1> : tensor<9223372036854775807xi64>",
  "dense<0.5> : tensor<f32>",
  "dense<true> : tensor<2xi1>",
  "array<i64>",
  "array<i64: -1>",
  "array<i64: 0, 0>",
  "array<i64: 9223372036854775807, -9223372036854775808>",
  "array<i32: 1, 1>",
  "array<i1: true>",
  "array<f32: 1.0>",
  "i32",
  "tensor<2xf32>",
  "#stablehlo<precision HIGH>",
  "#stablehlo.channel_handle<handle = -1, type = 7>",
  "#stablehlo.gather<offset_dims = [0], index_vector_dim = 1>",
  "#stablehlo.bounds<4, ?>",
  "#stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = \"a\">]>",
  ("#stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = \"a\", size = 1>]>, "
   "axes = [#stablehlo.axis_ref<name = \"a\">]>"),
};

/* Strings that some operation interprets. */
static const char *const strings[] = {
  "ab,bc->ac", "", "ab->ba", "...a,a->a", "Sharding", "LayoutConstraint", "mhlo.erf", "mhlo.topk",
  "annotate_device_placement", "->", "abc,abd->", "f", "\x01\xff",
};

static const GhloIrAttr *
import_attribute (RandomOp   *self,
                  const char *text)
{
  g_autoptr (GError) error = NULL;
  const GhloIrAttr *attr = ghlo_import_attribute (self->module, text, &error);

  g_assert_no_error (error);

  return attr;
}

static const GhloIrAttr *
odd_attribute (RandomOp *self)
{
  return import_attribute (self, odd_attributes[random_op_pick (self, G_N_ELEMENTS (odd_attributes))]);
}

/* A number that may be a dimension's, a size, or nothing sensible. */
static gint64
draw_number (RandomOp *self,
             gint64    least)
{
  guint choice = random_op_pick (self, 12);
  guint dimension = random_op_pick (self, MAX (self->rank, 1));

  if (choice == 11)
    return random_op_draw_extreme (self);
  if (choice < 7)
    return MAX (dimension, least);

  return choice < 9 ? 1 : self->rank > 0 ? self->dimensions[dimension] : 0;
}

/* As rows have them: a permutation, ones, sizes, some dimensions, none. */
static guint
draw_numbers (RandomOp *self,
              gint64   *numbers)
{
  guint choice = random_op_pick (self, 8), n = self->rank, first = random_op_pick (self, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    numbers[i] = choice == 0   ? (i + first) % n
                 : choice == 1 ? 1
                 : choice == 2 ? self->dimensions[i]
                 : choice == 3 ? 0
                 : choice == 4 ? random_op_pick (self, 3)
                               : i;
  if (choice == 5)
    return 0;
  if (choice == 6)
    n = random_op_pick (self, n + 1);
  if (n > 0 && random_op_once (self, 12))
    numbers[random_op_pick (self, n)] = random_op_draw_extreme (self);

  return n;
}

static const GhloIrAttr *
draw_integers (RandomOp        *self,
               GhloElementType  element)
{
  gint64 numbers[RANDOM_USUAL_RANK];
  guint n = draw_numbers (self, numbers);

  for (guint i = 0; element != GHLO_ELEMENT_TYPE_I64 && i < n; i++)
    {
      GhloScalar number = { .i = numbers[i] };

      numbers[i] = ghlo_element_round (element, number).i;
    }

  return ghlo_ir_attr_integers (self->module, element, numbers, n);
}

/* Rows of pairs, as padding has them, or groups of processes. */
static const GhloIrAttr *
draw_i64_elements (RandomOp *self)
{
  static const char *const texts[] = { "dense<0> : tensor<1x1xi64>", "dense<[[0, 1]]> : tensor<1x2xi64>",
                                       "dense<> : tensor<0x0xi64>", "dense<1> : tensor<2xi64>" };
  g_autofree char *text = NULL;

  if (random_op_once (self, 2))
    return import_attribute (self, texts[random_op_pick (self, G_N_ELEMENTS (texts))]);
  text = g_strdup_printf ("dense<%u> : tensor<%ux2xi64>", random_op_pick (self, 3), self->rank);

  return import_attribute (self, text);
}

const GhloIrAttr *
random_op_dense (RandomOp         *self,
                 const GhloIrType *type,
                 const guint8     *elements,
                 gboolean          is_splat)
{
  gsize n = 1, size = ghlo_element_info (type->element_type)->size;

  for (guint i = 0; i < type->rank; i++)
    if (!is_splat || type->dimensions[i] == 0)
      n *= (gsize) type->dimensions[i];

  return ghlo_ir_attr_dense (self->module, type, g_bytes_new (elements, n * size), is_splat && n > 0, NULL);
}

static const GhloIrAttr *
draw_elements (RandomOp *self)
{
  const GhloIrType *type = random_op_draw_type (self, GHLO_IR_CAN_INT | GHLO_IR_CAN_FLOAT | GHLO_IR_CAN_COMPLEX
                                                        | GHLO_IR_CAN_PRED | GHLO_IR_STATIC);
  guint8 element[16] = { 0 };

  random_fill (type->element_type, NULL, 0, RANDOM_FILL_PLAIN, random_op_pick (self, 256), element);

  return random_op_dense (self, type, element, TRUE);
}

static const GhloIrAttr *
draw_typed (RandomOp *self)
{
  const GhloIrType *element = ghlo_ir_type_element (self->module, self->element);

  if (ghlo_element_type_is_float (self->element))
    return ghlo_ir_attr_float (self->module, element, random_op_pick (self, 4) / 2.0);
  if (ghlo_element_type_is_integer (self->element))
    {
      const GhloScalar number = { .i = random_op_pick (self, 3) };

      return ghlo_ir_attr_integer (self->module, element, ghlo_element_round (self->element, number).i);
    }

  return draw_elements (self);
}

static const GhloIrAttr *
draw_enum (RandomOp *self,
           guint     enumeration)
{
  const char *const *words = ghlo_ir_enum_specs[enumeration].words;
  guint n = g_strv_length ((char **) words), value = random_op_pick (self, n);

  /* The word that only stands for none. */
  if (words[value][0] == '\0')
    value = n - 1;

  return ghlo_ir_attr_enum (self->module, enumeration, value);
}

static const GhloIrAttr *
draw_field (RandomOp          *self,
            const GhloIrField *field)
{
  if (field->optional && field->kind != GHLO_IR_FIELD_DIMS && random_op_once (self, 2))
    return NULL;

  switch (field->kind)
    {
    case GHLO_IR_FIELD_DIMS:
      return draw_integers (self, GHLO_ELEMENT_TYPE_I64);
    case GHLO_IR_FIELD_INT:
      return ghlo_ir_attr_i64 (self->module, draw_number (self, 0));
    case GHLO_IR_FIELD_BOOL:
      return ghlo_ir_attr_bool (self->module, random_op_once (self, 2));
    case GHLO_IR_FIELD_TYPE:
      return ghlo_ir_attr_type (self->module, ghlo_ir_type_element (self->module, self->element));
    case GHLO_IR_FIELD_STRING:
      return ghlo_ir_attr_string (self->module, random_op_once (self, 4) ? "b" : "a", -1);
    case GHLO_IR_FIELD_REAL:
      return ghlo_ir_attr_float (self->module, ghlo_ir_type_element (self->module, GHLO_ELEMENT_TYPE_F64),
                                 random_op_once (self, 4) ? -1 : 0);
    default:
      return odd_attribute (self);
    }
}

static const GhloIrAttr *
draw_struct (RandomOp *self,
             guint     structure)
{
  const GhloIrStructSpec *spec = &ghlo_ir_struct_specs[structure];
  g_autofree const GhloIrAttr **fields = g_new0 (const GhloIrAttr *, spec->n_fields + 1);

  if (structure == GHLO_IR_STRUCT_RESULT_ACCURACY && !random_op_once (self, 3))
    return import_attribute (self,
                             "#stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>");
  for (guint i = 0; i < spec->n_fields; i++)
    fields[i] = draw_field (self, &spec->fields[i]);

  return ghlo_ir_attr_struct (self->module, structure, fields);
}

/* An array of none, one or two elements. */
static const GhloIrAttr *
draw_array (RandomOp             *self,
            GhloIrAttrConstraint  kind,
            guint                 detail)
{
  const GhloIrAttrSpec member = { .name = "member", .kind = kind, .detail = detail, .minimum = G_MININT64 };
  const GhloIrAttr *members[2];
  guint n = random_op_pick (self, 3);

  for (guint i = 0; i < n; i++)
    members[i] = random_op_draw_attribute (self, &member);

  return ghlo_ir_attr_array (self->module, members, n);
}

/* Kinds that one text or few stand for. */
static const GhloIrAttr *
draw_plain (RandomOp             *self,
            GhloIrAttrConstraint  kind)
{
  switch (kind)
    {
    case GHLO_IR_KIND_UNIT:
      return ghlo_ir_attr_unit (self->module);
    case GHLO_IR_KIND_BOOL:
      return ghlo_ir_attr_bool (self->module, random_op_once (self, 2));
    case GHLO_IR_KIND_STRING:
      return ghlo_ir_attr_string (self->module, strings[random_op_pick (self, G_N_ELEMENTS (strings))], -1);
    case GHLO_IR_KIND_SYMBOL:
      return ghlo_ir_attr_symbol (self->module, random_op_once (self, 16) ? "missing" : "f", NULL, 0);
    case GHLO_IR_KIND_TYPE:
      return ghlo_ir_attr_type (self->module, random_op_draw_type (self, GHLO_IR_CAN_ANYTHING));
    case GHLO_IR_KIND_DICTIONARY:
    case GHLO_IR_KIND_STRING_OR_DICTIONARY:
      return import_attribute (self, random_op_once (self, 3) ? "{a = 1 : i64, b = []}" : "{}");
    case GHLO_IR_KIND_INDEX_VECTORS:
      return import_attribute (self, random_op_once (self, 2) ? "[dense<[1, 0]> : tensor<2xindex>]" : "[]");
    case GHLO_IR_KIND_F32:
    case GHLO_IR_KIND_F64:
      return ghlo_ir_attr_float (self->module,
                                 ghlo_ir_type_element (self->module, kind == GHLO_IR_KIND_F32 ? GHLO_ELEMENT_TYPE_F32
                                                                                              : GHLO_ELEMENT_TYPE_F64),
                                 random_op_once (self, 6) ? -INFINITY : 0.5);
    default:
      return odd_attribute (self);
    }
}

const GhloIrAttr *
random_op_draw_attribute (RandomOp             *self,
                          const GhloIrAttrSpec *spec)
{
  static const GhloElementType integers[] = {
    [GHLO_IR_KIND_I32] = GHLO_ELEMENT_TYPE_I32, [GHLO_IR_KIND_I64] = GHLO_ELEMENT_TYPE_I64,
    [GHLO_IR_KIND_UI32] = GHLO_ELEMENT_TYPE_UI32, [GHLO_IR_KIND_UI64] = GHLO_ELEMENT_TYPE_UI64,
    [GHLO_IR_KIND_I32_ARRAY] = GHLO_ELEMENT_TYPE_I32,
    [GHLO_IR_KIND_I64_ARRAY] = GHLO_ELEMENT_TYPE_I64, [GHLO_IR_KIND_BOOL_ARRAY] = GHLO_ELEMENT_TYPE_I1,
  };
  GhloScalar number;

  switch (spec->kind)
    {
    case GHLO_IR_KIND_I32:
    case GHLO_IR_KIND_I64:
    case GHLO_IR_KIND_UI32:
    case GHLO_IR_KIND_UI64:
      number.i = draw_number (self, MAX (spec->minimum, 0));
      number = ghlo_element_round (integers[spec->kind], number);
      return ghlo_ir_attr_integer (self->module, ghlo_ir_type_element (self->module, integers[spec->kind]), number.i);
    case GHLO_IR_KIND_I32_ARRAY:
    case GHLO_IR_KIND_I64_ARRAY:
    case GHLO_IR_KIND_BOOL_ARRAY:
      return draw_integers (self, integers[spec->kind]);
    case GHLO_IR_KIND_I64_ELEMENTS:
    case GHLO_IR_KIND_REPLICA_GROUPS:
      return draw_i64_elements (self);
    case GHLO_IR_KIND_ELEMENTS:
      return draw_elements (self);
    case GHLO_IR_KIND_TYPED:
      return draw_typed (self);
    case GHLO_IR_KIND_ENUM:
      return draw_enum (self, spec->detail);
    case GHLO_IR_KIND_STRUCT:
      return draw_struct (self, spec->detail);
    case GHLO_IR_KIND_ENUMS:
      return draw_array (self, GHLO_IR_KIND_ENUM, spec->detail);
    case GHLO_IR_KIND_STRUCTS:
      return draw_array (self, GHLO_IR_KIND_STRUCT, spec->detail);
    case GHLO_IR_KIND_SYMBOLS:
      return draw_array (self, GHLO_IR_KIND_SYMBOL, 0);
    case GHLO_IR_KIND_SYMBOL_ARRAYS:
      return draw_array (self, GHLO_IR_KIND_SYMBOLS, 0);
    case GHLO_IR_KIND_INDEX_VECTOR_ARRAYS:
      return draw_array (self, GHLO_IR_KIND_INDEX_VECTORS, 0);
    case GHLO_IR_KIND_DICTIONARIES:
      return draw_array (self, GHLO_IR_KIND_DICTIONARY, 0);
    case GHLO_IR_KIND_ARRAY:
      return draw_array (self, GHLO_IR_KIND_ANY, 0);
    default:
      return draw_plain (self, spec->kind);
    }
}

/* Changes of an attribute that is there. */

static gint64
change_number (RandomOp *self,
               gint64    number)
{
  guint choice = random_op_pick (self, 6);

  if (choice == 0)
    return number == G_MAXINT64 ? 0 : number + 1;
  if (choice == 1)
    return number == G_MININT64 ? 0 : number - 1;

  return choice < 4 ? random_op_draw_dimension (self) : random_op_draw_extreme (self);
}

static const GhloIrAttr *
change_integer (RandomOp         *self,
                const GhloIrAttr *attr)
{
  GhloScalar number = { .i = change_number (self, attr->integer) };

  if (attr->type->kind != GHLO_IR_TYPE_ELEMENT || attr->type->element_type == GHLO_ELEMENT_TYPE_INVALID)
    return odd_attribute (self);

  return ghlo_ir_attr_integer (self->module, attr->type, ghlo_element_round (attr->type->element_type, number).i);
}

/* Changes, increments or decrements one number, exchanges two, or removes one. */
static const GhloIrAttr *
change_integers (RandomOp         *self,
                 const GhloIrAttr *attr)
{
  g_autofree gint64 *numbers = g_new0 (gint64, attr->length + 1);
  GhloElementType element = attr->type->element_type;
  gsize n = attr->length;
  guint choice = random_op_pick (self, 8), place = random_op_pick (self, (guint) MIN (MAX (n, 1), 64));

  if (!ghlo_element_type_is_integer (element) && element != GHLO_ELEMENT_TYPE_I1)
    return odd_attribute (self);
  if (n > 0)
    memcpy (numbers, attr->integers, n * sizeof (gint64));
  if (choice == 5 || n == 0)
    {
      numbers[n] = n > 0 ? numbers[place] : 0;
      n++;
    }
  else if (choice == 6)
    n--;
  else if (choice == 7)
    n = random_op_once (self, 4) ? 0 : n;
  else if (choice == 4 && n > 1)
    {
      gint64 number = numbers[place];

      numbers[place] = numbers[(place + 1) % n];
      numbers[(place + 1) % n] = number;
    }
  else
    {
      GhloScalar number = { .i = change_number (self, numbers[place]) };

      numbers[place] = ghlo_element_round (element, number).i;
    }

  return ghlo_ir_attr_integers (self->module, element, numbers, n);
}

/* Changes one element, or the shape, keeping the number of elements. */
static const GhloIrAttr *
change_dense (RandomOp         *self,
              const GhloIrAttr *attr)
{
  gsize size = ghlo_element_info (attr->type->element_type)->size, n_bytes;
  gconstpointer data = g_bytes_get_data (attr->dense.bytes, &n_bytes);
  g_autofree guint8 *bytes = g_malloc0 (n_bytes + 1);
  const GhloIrType *type = attr->type;
  GhloScalar number;
  gsize place;

  if (size == 0 || n_bytes < size || type->quantization != NULL)
    return odd_attribute (self);
  if (n_bytes > 0)
    memcpy (bytes, data, n_bytes);
  place = random_op_pick (self, (guint) MIN (n_bytes / size, 256));
  if (random_op_once (self, 4))
    {
      gint64 dimensions[2] = { (gint64) attr->dense.n_elements, 1 };

      type = ghlo_ir_type_tensor (self->module, ghlo_ir_type_get_element (self->module, type), dimensions,
                                  random_op_pick (self, 2) + 1, NULL, NULL);
    }
  else if (ghlo_element_type_is_integer (type->element_type))
    {
      number = ghlo_element_load (type->element_type, bytes + place * size);
      number.i = change_number (self, number.i);
      ghlo_element_store (type->element_type, bytes + place * size, number);
    }
  else
    random_fill (type->element_type, NULL, 0, RANDOM_FILL_SPECIAL, random_op_pick (self, 256), bytes + place * size);

  return random_op_dense (self, type, bytes, attr->dense.splat);
}

static const GhloIrAttr *
change_array (RandomOp         *self,
              const GhloIrAttr *attr)
{
  g_autofree const GhloIrAttr **members = g_new0 (const GhloIrAttr *, attr->length + 1);
  gsize n = attr->length;
  guint choice = random_op_pick (self, 4), place = random_op_pick (self, (guint) MIN (MAX (n, 1), 64));

  if (n > 0)
    memcpy (members, attr->children, n * sizeof (gpointer));
  if (choice == 2 || n == 0)
    {
      members[n] = n > 0 ? members[place] : odd_attribute (self);
      n++;
    }
  else if (choice == 3)
    n--;
  else
    members[place] = random_op_change_attribute (self, members[place]);

  return ghlo_ir_attr_array (self->module, members, n);
}

static const GhloIrAttr *
change_struct (RandomOp         *self,
               const GhloIrAttr *attr)
{
  const GhloIrStructSpec *spec = &ghlo_ir_struct_specs[attr->subkind];
  g_autofree const GhloIrAttr **fields = g_new0 (const GhloIrAttr *, spec->n_fields + 1);
  guint place = random_op_pick (self, spec->n_fields);

  memcpy (fields, attr->children, spec->n_fields * sizeof (gpointer));
  if (fields[place] == NULL || spec->fields[place].kind == GHLO_IR_FIELD_TYPE)
    fields[place] = draw_field (self, &spec->fields[place]);
  else if (spec->fields[place].optional && random_op_once (self, 6))
    fields[place] = NULL;
  else
    {
      const GhloIrAttr *changed = random_op_change_attribute (self, fields[place]);

      /* Fields of another kind cannot be expressed in text. */
      if (changed->kind == fields[place]->kind && changed->type == fields[place]->type)
        fields[place] = changed;
    }

  return ghlo_ir_attr_struct (self->module, attr->subkind, fields);
}

static const GhloIrAttr *
change_string (RandomOp         *self,
               const GhloIrAttr *attr)
{
  if (attr->length > 0 && random_op_once (self, 2))
    return ghlo_ir_attr_string (self->module, attr->text, (gssize) attr->length - 1);

  return ghlo_ir_attr_string (self->module, strings[random_op_pick (self, G_N_ELEMENTS (strings))], -1);
}

static const GhloIrAttr *
change_real (RandomOp         *self,
             const GhloIrAttr *attr)
{
  static const double reals[] = { 0, -1, NAN, INFINITY, -0.0, 1e-45, 0.25 };
  GhloScalar number = { .f = reals[random_op_pick (self, G_N_ELEMENTS (reals))] };

  if (attr->type->kind != GHLO_IR_TYPE_ELEMENT || !ghlo_element_type_is_float (attr->type->element_type))
    return odd_attribute (self);

  return ghlo_ir_attr_float (self->module, attr->type, ghlo_element_round (attr->type->element_type, number).f);
}

const GhloIrAttr *
random_op_change_attribute (RandomOp         *self,
                            const GhloIrAttr *attr)
{
  if (random_op_once (self, 12))
    return odd_attribute (self);

  switch (attr->kind)
    {
    case GHLO_IR_ATTR_BOOL:
      return ghlo_ir_attr_bool (self->module, attr->integer == 0);
    case GHLO_IR_ATTR_INTEGER:
      return change_integer (self, attr);
    case GHLO_IR_ATTR_FLOAT:
      return change_real (self, attr);
    case GHLO_IR_ATTR_STRING:
      return change_string (self, attr);
    case GHLO_IR_ATTR_ARRAY:
      return change_array (self, attr);
    case GHLO_IR_ATTR_DENSE:
      return change_dense (self, attr);
    case GHLO_IR_ATTR_DENSE_ARRAY:
      return change_integers (self, attr);
    case GHLO_IR_ATTR_ENUM:
      return draw_enum (self, attr->subkind);
    case GHLO_IR_ATTR_STRUCT:
      return change_struct (self, attr);
    case GHLO_IR_ATTR_TYPE:
      return ghlo_ir_attr_type (self->module, random_op_change_type (self, attr->type));
    default:
      return odd_attribute (self);
    }
}
