/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The types of randomly drawn operations: those that an operand or result of a row accepts, and others.
 */

#include <string.h>

#include "base/sizes.h"
#include "import/import.h"
#include "op.h"

/* Types that are not tensors of numbers, and unusual tensors. */
static const char *const odd_types[] = {
  "!stablehlo.token",
  "tuple<>",
  "tuple<tensor<2xf32>, tuple<!stablehlo.token, tensor<i1>>>",
  "memref<2xf32>",
  "memref<?x3xi32>",
  "!stablehlo.future<tensor<2xf32>>",
  "tensor<*xf32>",
  "tensor<*xi32>",
  "tensor<2xindex>",
  "index",
  "f32",
  "none",
  "(tensor<f32>) -> tensor<f32>",
  "!quant.uniform<i8:f32, 5.000000e-01>",
  "tensor<2x!quant.uniform<i8:f32:0, {5.000000e-01, 2.500000e-01:3}>>",
  "tensor<2x2x!quant.uniform<ui8:f32:1, {5.000000e-01, 1.000000e+00}>>",
  "tensor<0x!quant.uniform<i8:f32, 1.000000e+00:-3>>",
  "tensor<?x2xf32, #stablehlo.bounds<4, ?>>",
  "tensor<?x?xi32, #stablehlo.bounds<4, 2>>",
  "tensor<2xf32, \"encoding\">",
  "tensor<2xtf32>",
  "!shape.witness",
  "tensor<0x4611686018427387904x4xi8>",
};

/* Quantized elements of few and many bits; the last one's zero point is at the end of its range. */
static const char *const quantized_elements[] = {
  "!quant.uniform<i8:f32, 5.000000e-01:1>",     "!quant.uniform<ui8:f32, 2.500000e-01:7>",
  "!quant.uniform<i16:f32, 1.250000e-01>",      "!quant.uniform<i8<-100:100>:f32, 1.000000e+00:-3>",
  "!quant.uniform<i4:f32, 2.000000e+00:1>",     "!quant.uniform<i32:f32, 1.000000e-03>",
  "!quant.uniform<i8:bf16, 5.000000e-01>",      "!quant.uniform<i8:f64, 1.000000e+100:127>",
};

static const gint64 extremes[] = {
  -1, 0, 1, 2, G_MAXINT64, G_MININT64, G_MAXINT32, G_GINT64_CONSTANT (1) << 31, G_GINT64_CONSTANT (1) << 32,
  G_GINT64_CONSTANT (1) << 62, G_MININT32, -2, 63, 64, 65, 3, 7, 100, 1000, G_GINT64_CONSTANT (1) << 61,
};

static const gint64 huge_dimensions[] = {
  G_GINT64_CONSTANT (1) << 31, G_MAXINT32, G_GINT64_CONSTANT (1) << 32, G_GINT64_CONSTANT (1) << 62, G_MAXINT64,
  1 << 20, 1 << 24, G_GINT64_CONSTANT (1) << 40,
};

gint64
random_op_draw_extreme (RandomOp *self)
{
  return extremes[random_op_pick (self, G_N_ELEMENTS (extremes))];
}

gint64
random_op_draw_dimension (RandomOp *self)
{
  static const gint64 sizes[] = { 2, 3, 1, 4, 2, 3, 5, 2, 1, 0, 7, 16, 33 };

  if (!self->is_huge && random_op_once (self, 48))
    {
      self->is_huge = TRUE;
      return huge_dimensions[random_op_pick (self, G_N_ELEMENTS (huge_dimensions))];
    }

  return sizes[random_op_pick (self, G_N_ELEMENTS (sizes))];
}

static gboolean
element_fits (GhloElementType element,
              guint32         constraint)
{
  static const guint32 bits[] = {
    [GHLO_ELEMENT_CLASS_BOOLEAN] = GHLO_IR_CAN_PRED,   [GHLO_ELEMENT_CLASS_SIGNED] = GHLO_IR_CAN_SINT,
    [GHLO_ELEMENT_CLASS_UNSIGNED] = GHLO_IR_CAN_UINT,  [GHLO_ELEMENT_CLASS_FLOAT] = GHLO_IR_CAN_FLOAT,
    [GHLO_ELEMENT_CLASS_COMPLEX] = GHLO_IR_CAN_COMPLEX,
  };

  if (element == GHLO_ELEMENT_TYPE_INDEX)
    return (constraint & GHLO_IR_CAN_INDEX) != 0;
  if ((constraint & GHLO_IR_ONLY_I32) != 0 && ghlo_element_type_is_integer (element))
    return element == GHLO_ELEMENT_TYPE_I32;
  if ((constraint & GHLO_IR_ONLY_UI32) != 0 && ghlo_element_type_is_integer (element))
    return element == GHLO_ELEMENT_TYPE_UI32;
  if ((constraint & GHLO_IR_ONLY_F32_F64) != 0 && ghlo_element_type_is_float (element))
    return element == GHLO_ELEMENT_TYPE_F32 || element == GHLO_ELEMENT_TYPE_F64;

  return (constraint & bits[ghlo_element_info (element)->element_class]) != 0;
}

/* Common ones first. */
static GhloElementType
draw_element (RandomOp *self)
{
  static const GhloElementType common[] = {
    GHLO_ELEMENT_TYPE_F32, GHLO_ELEMENT_TYPE_I32, GHLO_ELEMENT_TYPE_I1, GHLO_ELEMENT_TYPE_COMPLEX_F32,
    GHLO_ELEMENT_TYPE_UI32, GHLO_ELEMENT_TYPE_I64, GHLO_ELEMENT_TYPE_F64, GHLO_ELEMENT_TYPE_BF16,
  };
  guint place = random_op_pick (self, G_N_ELEMENTS (common) + GHLO_ELEMENT_TYPE_INDEX);

  if (place < G_N_ELEMENTS (common))
    return common[place];

  return (GhloElementType) (place - G_N_ELEMENTS (common) + 1);
}

/* INVALID where tensors of numbers have no place. */
static GhloElementType
draw_fitting_element (RandomOp *self,
                      guint32   constraint)
{
  enum { N_TRIES = 8 };

  for (guint i = 0; i < N_TRIES; i++)
    {
      GhloElementType element = draw_element (self);

      if (element_fits (element, constraint))
        return element;
    }
  for (guint element = 1; element <= GHLO_ELEMENT_TYPE_INDEX; element++)
    if (element_fits (element, constraint))
      return (GhloElementType) element;

  return GHLO_ELEMENT_TYPE_INVALID;
}

void
random_op_choose_theme (RandomOp *self,
                        guint32   constraint)
{
  static const guint ranks[] = { 2, 1, 2, 0, 3, 2, 4, 1, 5, 6 };

  if ((constraint & GHLO_IR_CAN_ANYTHING) != 0)
    constraint = ~0u & ~(guint32) (GHLO_IR_ONLY_I32 | GHLO_IR_ONLY_UI32 | GHLO_IR_ONLY_F32_F64);
  self->element = draw_fitting_element (self, constraint);
  if (self->element == GHLO_ELEMENT_TYPE_INVALID)
    self->element = GHLO_ELEMENT_TYPE_F32;
  self->rank = ranks[random_op_pick (self, G_N_ELEMENTS (ranks))];
  for (guint i = 0; i < self->rank; i++)
    self->dimensions[i] = random_op_draw_dimension (self);
}

/* A tensor of 2^63 elements or more cannot be expressed in text. */
static gboolean
can_be_said (const gint64 *dimensions,
             guint         rank)
{
  gint64 n = 1;

  for (guint i = 0; i < rank; i++)
    if (dimensions[i] == 0)
      return TRUE;
  for (guint i = 0; i < rank; i++)
    if (dimensions[i] > 0 && __builtin_mul_overflow (n, dimensions[i], &n))
      return FALSE;

  return TRUE;
}

const GhloIrType *
random_op_tensor_type (RandomOp         *self,
                       const GhloIrType *element,
                       const gint64     *dimensions,
                       guint             rank,
                       const gint64     *bounds,
                       const GhloIrAttr *encoding)
{
  static const gint64 ones[GHLO_MAX_RANK] = { [0 ... GHLO_MAX_RANK - 1] = 1 };

  if (!can_be_said (dimensions, rank))
    return ghlo_ir_type_tensor (self->module, element, ones, rank, NULL, encoding);

  return ghlo_ir_type_tensor (self->module, element, dimensions, rank, bounds, encoding);
}

static const GhloIrType *
import_type (RandomOp   *self,
             const char *text)
{
  g_autoptr (GError) error = NULL;
  const GhloIrType *type = ghlo_import_type (self->module, text, &error);

  g_assert_no_error (error);

  return type;
}

static const GhloIrType *
theme_type (RandomOp         *self,
            const GhloIrType *element,
            guint32           constraint)
{
  gint64 dimensions[RANDOM_USUAL_RANK], bounds[RANDOM_USUAL_RANK] = { -1, -1, -1, -1, -1, -1 };
  guint rank = self->rank, open;
  gboolean is_bounded = FALSE;

  memcpy (dimensions, self->dimensions, sizeof dimensions);
  if ((constraint & GHLO_IR_RANK_0) != 0)
    rank = 0;
  else if ((constraint & GHLO_IR_RANK_1) != 0)
    {
      /* A shape, or what there is of each of some dimension. */
      dimensions[0] = (constraint & GHLO_IR_CAN_INDEX) != 0 || rank == 0 ? rank
                      : dimensions[random_op_pick (self, rank)];
      rank = 1;
    }
  else if ((constraint & GHLO_IR_RANK_2) != 0)
    rank = 2, dimensions[0] = self->rank, dimensions[1] = 2;
  if (rank > 0 && (constraint & GHLO_IR_STATIC) == 0 && random_op_once (self, 10))
    {
      open = random_op_pick (self, rank);
      is_bounded = (constraint & GHLO_IR_STATIC_OR_BOUNDED) != 0 || random_op_once (self, 2);
      bounds[open] = is_bounded ? dimensions[open] : -1;
      dimensions[open] = -1;
    }

  return random_op_tensor_type (self, element, dimensions, rank, is_bounded ? bounds : NULL, NULL);
}

const GhloIrType *
random_op_draw_type (RandomOp *self,
                     guint32   constraint)
{
  GhloElementType element = self->element;

  if ((constraint & GHLO_IR_CAN_TOKEN) != 0
      && ((constraint & (GHLO_IR_CAN_INT | GHLO_IR_CAN_FLOAT)) == 0 || random_op_once (self, 8)))
    return ghlo_ir_type_token (self->module);
  if ((constraint & GHLO_IR_CAN_QUANTIZED) != 0 && random_op_once (self, 8))
    return theme_type (self, import_type (self, quantized_elements[random_op_pick (self, 3)]), constraint);
  if ((constraint & GHLO_IR_CAN_ANYTHING) == 0 && !element_fits (element, constraint))
    element = draw_fitting_element (self, constraint);
  if (element != GHLO_ELEMENT_TYPE_INVALID)
    return theme_type (self, ghlo_ir_type_element (self->module, element), constraint);

  if ((constraint & (GHLO_IR_CAN_QUANTIZED | GHLO_IR_CAN_QUANTIZED_AXIS)) != 0)
    return theme_type (self, import_type (self, quantized_elements[random_op_pick (self, 3)]), constraint);
  if ((constraint & GHLO_IR_CAN_TUPLE) != 0)
    return import_type (self, odd_types[1 + random_op_pick (self, 2)]);

  return import_type (self, "!stablehlo.future<tensor<2xf32>>");
}

GhloElementType
random_op_change_element (RandomOp       *self,
                          GhloElementType type)
{
  GhloElementClass wanted = ghlo_element_info (type)->element_class;
  GhloElementType element = GHLO_ELEMENT_TYPE_INVALID;

  for (guint i = 0; i < 8; i++)
    {
      element = draw_element (self);
      if (element != type && ghlo_element_info (element)->element_class == wanted)
        break;
    }

  return element;
}

/* What a tensor type is changed by. */
typedef struct
{
  const GhloIrType *element;
  guint             rank;
  gint64            dimensions[GHLO_MAX_RANK];
  gint64            bounds[GHLO_MAX_RANK];
  gboolean          has_bounds;
} Parts;

static void
change_to_element (RandomOp *self,
                   Parts    *parts)
{
  GhloElementType before = parts->element->element_type;

  parts->element = ghlo_ir_type_element (self->module, before != GHLO_ELEMENT_TYPE_INVALID
                                                         ? random_op_change_element (self, before)
                                                         : GHLO_ELEMENT_TYPE_F32);
}

static void
change_to_quantized (RandomOp *self,
                     Parts    *parts)
{
  parts->element = import_type (self, quantized_elements[random_op_pick (self, G_N_ELEMENTS (quantized_elements))]);
}

static void
change_dimension (RandomOp *self,
                  Parts    *parts)
{
  guint place = random_op_pick (self, MAX (parts->rank, 1));

  if (parts->rank == 0)
    return;
  parts->dimensions[place] = random_op_draw_dimension (self);
  parts->bounds[place] = -1;
}

static void
change_to_huge (RandomOp *self,
                Parts    *parts)
{
  guint place = random_op_pick (self, MAX (parts->rank, 1));

  if (parts->rank == 0)
    return;
  parts->dimensions[place] = huge_dimensions[random_op_pick (self, G_N_ELEMENTS (huge_dimensions))];
  parts->bounds[place] = -1;
}

static void
change_to_dynamic (RandomOp *self,
                   Parts    *parts)
{
  guint place = random_op_pick (self, MAX (parts->rank, 1));

  if (parts->rank == 0)
    return;
  if (random_op_once (self, 2))
    {
      parts->bounds[place] = random_op_once (self, 2) ? MAX (random_op_draw_extreme (self), 0)
                                                      : parts->dimensions[place];
      parts->has_bounds = TRUE;
    }
  parts->dimensions[place] = -1;
}

static void
add_dimension (RandomOp *self,
               Parts    *parts)
{
  guint place = random_op_pick (self, parts->rank + 1);

  if (parts->rank == GHLO_MAX_RANK)
    return;
  memmove (parts->dimensions + place + 1, parts->dimensions + place, (parts->rank - place) * sizeof (gint64));
  memmove (parts->bounds + place + 1, parts->bounds + place, (parts->rank - place) * sizeof (gint64));
  parts->dimensions[place] = random_op_once (self, 2) ? random_op_draw_dimension (self) : 1;
  parts->bounds[place] = -1;
  parts->rank++;
}

static void
drop_dimension (RandomOp *self,
                Parts    *parts)
{
  guint place = random_op_pick (self, MAX (parts->rank, 1));

  if (parts->rank == 0)
    return;
  parts->rank--;
  memmove (parts->dimensions + place, parts->dimensions + place + 1, (parts->rank - place) * sizeof (gint64));
  memmove (parts->bounds + place, parts->bounds + place + 1, (parts->rank - place) * sizeof (gint64));
}

static void
change_rank (RandomOp *self,
             Parts    *parts)
{
  static const guint ranks[] = { GHLO_MAX_RANK, 0, 6, GHLO_MAX_RANK - 1, 32 };
  guint rank = ranks[random_op_pick (self, G_N_ELEMENTS (ranks))];

  for (; parts->rank < rank; parts->rank++)
    {
      parts->dimensions[parts->rank] = 1;
      parts->bounds[parts->rank] = -1;
    }
  parts->rank = rank;
}

/* The likelier changes are listed several times. */
static void (*const changes[]) (RandomOp *self, Parts *parts) = {
  change_to_element, change_to_element, change_dimension, change_dimension, add_dimension, drop_dimension,
  change_to_dynamic, change_to_quantized, change_to_huge, change_rank,
};

const GhloIrType *
random_op_change_type (RandomOp         *self,
                       const GhloIrType *type)
{
  Parts parts = { .rank = type->rank, .has_bounds = type->bounds != NULL };

  if (type->kind != GHLO_IR_TYPE_TENSOR || random_op_once (self, 10))
    return import_type (self, odd_types[random_op_pick (self, G_N_ELEMENTS (odd_types))]);
  parts.element = ghlo_ir_type_get_element (self->module, type);
  for (guint i = 0; i < type->rank; i++)
    {
      parts.dimensions[i] = type->dimensions[i];
      parts.bounds[i] = type->bounds != NULL ? type->bounds[i] : -1;
    }
  changes[random_op_pick (self, G_N_ELEMENTS (changes))] (self, &parts);

  return random_op_tensor_type (self, parts.element, parts.dimensions, parts.rank,
                                parts.has_bounds ? parts.bounds : NULL, type->encoding);
}
