/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Matrix products in random programs: any batching, contracting and free dimensions, in any order on both sides.
 */

#include "program.h"

/* The role of each dimension of one side of a product. */
typedef struct
{
  RandomType type;
  gint64     batch[RANDOM_MAX_RANK], contracting[RANDOM_MAX_RANK];
} Side;

typedef struct
{
  Side       lhs, rhs;
  guint      n_batch, n_contracting;
  RandomType result;
  double     count;      /* of terms of each sum */
} Product;

static gboolean
contains (const gint64 *numbers,
          guint         n,
          gint64        number)
{
  for (guint i = 0; i < n; i++)
    if (numbers[i] == number)
      return TRUE;

  return FALSE;
}

static void
append_free (RandomType    *result,
             const Side    *side,
             const Product *product)
{
  for (guint i = 0; i < side->type.rank; i++)
    if (!contains (side->batch, product->n_batch, i) && !contains (side->contracting, product->n_contracting, i))
      result->dimensions[result->rank++] = side->type.dimensions[i];
}

/* The other side's dimensions, shared and free ones, in any order. */
static void
choose_other_side (RandomProgram *self,
                   Product       *product)
{
  gint64 sizes[RANDOM_MAX_RANK], order[RANDOM_MAX_RANK];
  guint n_shared = product->n_batch + product->n_contracting, n = n_shared;
  Side *rhs = &product->rhs;

  for (guint i = 0; i < product->n_batch; i++)
    sizes[i] = product->lhs.type.dimensions[product->lhs.batch[i]];
  for (guint i = 0; i < product->n_contracting; i++)
    sizes[product->n_batch + i] = product->lhs.type.dimensions[product->lhs.contracting[i]];
  for (guint i = random_pick (self, 3); i > 0 && n < 4; i--)
    sizes[n++] = random_size (self);
  random_shuffle (self, order, n);
  rhs->type = (RandomType) { .element = product->lhs.type.element, .rank = n };
  for (guint i = 0; i < n; i++)
    {
      rhs->type.dimensions[i] = sizes[order[i]];
      if (order[i] < product->n_batch)
        rhs->batch[order[i]] = i;
      else if (order[i] < n_shared)
        rhs->contracting[order[i] - product->n_batch] = i;
    }
}

static gboolean
choose_product (RandomProgram *self,
                guint          value,
                Product       *product)
{
  gint64 order[RANDOM_MAX_RANK];
  Side swapped;

  *product = (Product) { .lhs.type = self->values[value].type, .count = 1 };
  if (product->lhs.type.rank > 4 || product->lhs.type.element == GHLO_ELEMENT_TYPE_I1)
    return FALSE;
  random_shuffle (self, order, product->lhs.type.rank);
  for (guint i = 0; i < product->lhs.type.rank; i++)
    {
      guint role = random_pick (self, 3);

      if (role == 0)
        {
          product->lhs.batch[product->n_batch++] = order[i];
        }
      else if (role == 1)
        {
          product->lhs.contracting[product->n_contracting++] = order[i];
          product->count *= (double) product->lhs.type.dimensions[order[i]];
        }
    }
  choose_other_side (self, product);
  if (product->lhs.type.rank + product->rhs.type.rank - product->n_batch - 2 * product->n_contracting
      > RANDOM_USUAL_RANK)
    return FALSE;
  if (random_once (self, 3))
    {
      swapped = product->lhs;
      product->lhs = product->rhs;
      product->rhs = swapped;
    }
  product->result = (RandomType) { .element = product->lhs.type.element, .rank = product->n_batch };
  for (guint i = 0; i < product->n_batch; i++)
    product->result.dimensions[i] = product->lhs.type.dimensions[product->lhs.batch[i]];
  append_free (&product->result, &product->lhs, product);
  append_free (&product->result, &product->rhs, product);

  return random_fits (self, &product->result) && random_fits (self, &product->rhs.type)
         && random_fits (self, &product->lhs.type);
}

/* An argument of some of @type's dimensions, repeated along the others. */
static guint
add_repeated (RandomProgram    *self,
              const RandomType *type)
{
  RandomType source = random_scalar (type->element);
  gint64 places[RANDOM_MAX_RANK];
  guint operand;

  for (guint i = 0; i < type->rank; i++)
    if (random_once (self, 2))
      {
        places[source.rank] = i;
        source.dimensions[source.rank++] = type->dimensions[i];
      }
  operand = random_argument (self, &source, RANDOM_FILL_GRID);

  return random_op (self, "stablehlo.broadcast_in_dim", &operand, 1,
                    random_printf (self, ", dims = [%s]", random_list (self, places, source.rank)), type,
                    self->values[operand].numbers);
}

/* Half of the time, transposes back to the order of another operation. */
static void
add_transpose (RandomProgram *self,
               guint          value)
{
  RandomType type = self->values[value].type, result = type;
  gint64 permutation[RANDOM_MAX_RANK];

  random_shuffle (self, permutation, type.rank);
  for (guint i = 0; i < type.rank; i++)
    result.dimensions[i] = type.dimensions[permutation[i]];
  random_op (self, "stablehlo.transpose", &value, 1,
             random_printf (self, ", dims = [%s]", random_list (self, permutation, type.rank)), &result,
             self->values[value].numbers);
}

/* The type of a product's result, sometimes wider, as in programs that accumulate in it. */
static void
widen (RandomProgram *self,
       RandomType    *result)
{
  if (random_once (self, 5) && result->element == GHLO_ELEMENT_TYPE_I8)
    result->element = GHLO_ELEMENT_TYPE_I32;
  else if (random_once (self, 5)
           && (result->element == GHLO_ELEMENT_TYPE_BF16 || result->element == GHLO_ELEMENT_TYPE_F16))
    result->element = GHLO_ELEMENT_TYPE_F32;
}

static RandomNumbers
summed (RandomProgram   *self,
        GhloElementType  element,
        GhloElementType  result,
        guint            lhs,
        guint            rhs,
        double           count)
{
  RandomNumbers b = self->values[rhs].numbers;
  RandomNumbers numbers = random_numbers_sum (element, self->values[lhs].numbers, &b, count);

  return element == result ? numbers : random_numbers_convert (element, result, numbers);
}

static gboolean
make_dot_general (RandomProgram *self,
                  guint          value)
{
  static const char *const precisions[] = { "DEFAULT", "HIGH", "HIGHEST" };
  GhloElementType element = self->values[value].type.element;
  Product product;
  guint operands[2], place, other;
  RandomNumbers numbers;
  gboolean is_lhs;

  if (!choose_product (self, value, &product))
    return FALSE;
  is_lhs = random_same_type (&product.lhs.type, &self->values[value].type);
  other = !is_lhs ? random_bounded (self, &product.lhs.type)
          : random_once (self, 4) ? add_repeated (self, &product.rhs.type) : random_bounded (self, &product.rhs.type);
  operands[0] = is_lhs ? value : other;
  operands[1] = is_lhs ? other : value;
  /* Square ones may be on either side. */
  if (!random_same_type (&self->values[operands[0]].type, &product.lhs.type)
      || !random_same_type (&self->values[operands[1]].type, &product.rhs.type))
    return FALSE;
  widen (self, &product.result);
  numbers = summed (self, element, product.result.element, operands[0], operands[1], product.count);
  if (!random_allows (self, numbers))
    return FALSE;
  place = random_op (self, "stablehlo.dot_general", operands, 2,
                     random_printf (self, ", batching_dims = [%s] x [%s], contracting_dims = [%s] x [%s]%s",
                                    random_list (self, product.lhs.batch, product.n_batch),
                                    random_list (self, product.rhs.batch, product.n_batch),
                                    random_list (self, product.lhs.contracting, product.n_contracting),
                                    random_list (self, product.rhs.contracting, product.n_contracting),
                                    random_once (self, 3)
                                    ? random_printf (self, ", precision = [%s, %s]", precisions[random_pick (self, 3)],
                                                     precisions[random_pick (self, 3)]) : ""),
                     &product.result, numbers);
  if (random_once (self, 3))
    add_transpose (self, place);

  return TRUE;
}

/* A dimension of rhs along which there may be several scales; -1 for none. */
static int
choose_axis (RandomProgram *self,
             const Product *product)
{
  const RandomType *rhs = &product->rhs.type;
  int axis = rhs->rank > 0 && random_once (self, 2) ? (int) random_pick (self, rhs->rank) : -1;

  return axis >= 0 && !contains (product->rhs.contracting, product->n_contracting, axis) && rhs->dimensions[axis] > 0
         && rhs->dimensions[axis] <= 16 ? axis : -1;
}

/* A product of quantized values, or of floats and a quantized value. Since scales are powers of two, sums are exact. */
static gboolean
make_quantized_dot (RandomProgram *self,
                    guint          value)
{
  RandomQuantization elements[3];
  Product product;
  guint operands[2] = { value }, id = self->n_ids;
  gboolean is_hybrid = random_once (self, 3);
  const char *lhs, *rhs, *to, *attributes;
  RandomNumbers numbers;
  int axis;

  if (!random_may_quantize (self, value) || !choose_product (self, value, &product)
      || !random_same_type (&product.lhs.type, &self->values[value].type))
    return FALSE;
  operands[1] = random_bounded (self, &product.rhs.type);
  if (!random_may_quantize (self, operands[1]))
    return FALSE;
  axis = choose_axis (self, &product);
  elements[0] = random_quantization (self, RANDOM_BYTES, NULL, GHLO_ELEMENT_TYPE_F32, -1, 1, random_once (self, 2));
  elements[1] = random_quantization (self, RANDOM_BYTES, &elements[0], GHLO_ELEMENT_TYPE_F32, axis,
                                     axis >= 0 ? product.rhs.type.dimensions[axis] : 1, FALSE);
  numbers = is_hybrid ? random_numbers_sum (GHLO_ELEMENT_TYPE_F32, self->values[value].numbers, &elements[1].numbers,
                                            product.count) : elements[0].numbers;
  if (!random_allows (self, numbers))
    return FALSE;
  elements[2] = random_quantization (self, RANDOM_ANY_STORAGE, NULL, GHLO_ELEMENT_TYPE_F32, -1, 1,
                                     random_once (self, 2));
  lhs = is_hybrid ? random_name (self, value) : random_printf (self, "%%q%u_0", id);
  rhs = random_printf (self, "%%q%u_1", id);
  to = random_printf (self, "%%q%u_2", id);
  attributes = random_printf (self, "batching_dims = [%s] x [%s], contracting_dims = [%s] x [%s]",
                              random_list (self, product.lhs.batch, product.n_batch),
                              random_list (self, product.rhs.batch, product.n_batch),
                              random_list (self, product.lhs.contracting, product.n_contracting),
                              random_list (self, product.rhs.contracting, product.n_contracting));
  random_emit_quantize (self, operands[1], &elements[1], rhs);
  if (is_hybrid)
    to = random_name (self, random_define (self, &product.result, numbers));
  else
    random_emit_quantize (self, value, &elements[0], lhs);
  random_emit (self, "  %s = stablehlo.dot_general %s, %s, %s : (%s, %s) -> %s\n", to, lhs, rhs, attributes,
               is_hybrid ? random_text (self, &product.lhs.type)
                         : random_quantized_text (self, &product.lhs.type, &elements[0]),
               random_quantized_text (self, &product.rhs.type, &elements[1]),
               is_hybrid ? random_text (self, &product.result)
                         : random_quantized_text (self, &product.result, &elements[2]));
  if (!is_hybrid)
    random_emit_dequantize (self, to, &product.result, &elements[2]);

  return TRUE;
}

static gboolean
make_dot (RandomProgram *self,
          guint          value)
{
  RandomType lhs = self->values[value].type, rhs = random_scalar (lhs.element), result = rhs;
  guint operands[2] = { value };
  RandomNumbers numbers;

  if (lhs.rank < 1 || lhs.rank > 2 || lhs.element == GHLO_ELEMENT_TYPE_I1)
    return FALSE;
  rhs.rank = 1 + random_pick (self, 2);
  rhs.dimensions[0] = lhs.dimensions[lhs.rank - 1];
  rhs.dimensions[1] = random_size (self);
  if (lhs.rank == 2)
    result.dimensions[result.rank++] = lhs.dimensions[0];
  if (rhs.rank == 2)
    result.dimensions[result.rank++] = rhs.dimensions[1];
  operands[1] = random_bounded (self, &rhs);
  numbers = summed (self, lhs.element, lhs.element, value, operands[1], (double) rhs.dimensions[0]);
  if (!random_allows (self, numbers))
    return FALSE;
  random_op (self, "stablehlo.dot", operands, 2, "", &result, numbers);

  return TRUE;
}

/* Letters for the dimensions of both operands; the result has them in any order. */
static gboolean
make_einsum (RandomProgram *self,
             guint          value)
{
  RandomType lhs = self->values[value].type, rhs = random_scalar (lhs.element), result = rhs;
  g_autoptr (GString) config = g_string_new (NULL);
  gint64 sizes[2 * RANDOM_MAX_RANK], order[2 * RANDOM_MAX_RANK];
  guint operands[2] = { value }, n_letters, kept = 0;
  double count = 1;
  RandomNumbers numbers;

  if (lhs.rank > 3 || lhs.element == GHLO_ELEMENT_TYPE_I1)
    return FALSE;
  n_letters = lhs.rank;
  for (guint i = 0; i < lhs.rank; i++)
    {
      sizes[i] = lhs.dimensions[i];
      g_string_append_c (config, (char) ('a' + i));
    }
  g_string_append_c (config, ',');
  random_shuffle (self, order, lhs.rank);
  for (guint i = 0; i < lhs.rank; i++)
    if (random_once (self, 2))
      {
        rhs.dimensions[rhs.rank++] = sizes[order[i]];
        g_string_append_c (config, (char) ('a' + order[i]));
      }
  for (guint i = random_pick (self, 3); i > 0; i--)
    {
      sizes[n_letters] = random_size (self);
      rhs.dimensions[rhs.rank++] = sizes[n_letters];
      g_string_append_c (config, (char) ('a' + n_letters++));
    }
  g_string_append (config, "->");
  random_shuffle (self, order, n_letters);
  for (guint i = 0; i < n_letters; i++)
    {
      if (kept < 4 && random_once (self, 2))
        {
          result.dimensions[result.rank++] = sizes[order[i]];
          g_string_append_c (config, (char) ('a' + order[i]));
          kept++;
        }
      else
        {
          count *= (double) sizes[order[i]];
        }
    }
  operands[1] = random_bounded (self, &rhs);
  numbers = summed (self, lhs.element, lhs.element, value, operands[1], count);
  if (!random_fits (self, &result) || !random_allows (self, numbers))
    return FALSE;
  random_op (self, "stablehlo.einsum", operands, 2, random_printf (self, ", config = \"%s\"", config->str), &result,
             numbers);

  return TRUE;
}

/* A diagonal, sums, or another order. */
static gboolean
make_unary_einsum (RandomProgram *self,
                   guint          value)
{
  RandomType type = self->values[value].type, result = random_scalar (type.element);
  g_autoptr (GString) config = g_string_new (NULL);
  gint64 sizes[RANDOM_MAX_RANK], order[RANDOM_MAX_RANK];
  guint n_letters = 0;
  double count = 1;
  RandomNumbers numbers;

  if (type.element == GHLO_ELEMENT_TYPE_I1)
    return FALSE;
  for (guint i = 0; i < type.rank; i++)
    {
      guint letter = n_letters;

      if (i > 0 && type.dimensions[i] == type.dimensions[i - 1] && random_once (self, 3))
        letter = (guint) (config->str[i - 1] - 'a');
      if (letter == n_letters)
        sizes[n_letters++] = type.dimensions[i];
      g_string_append_c (config, (char) ('a' + letter));
    }
  g_string_append (config, "->");
  random_shuffle (self, order, n_letters);
  for (guint i = 0; i < n_letters; i++)
    if (random_once (self, 2))
      {
        result.dimensions[result.rank++] = sizes[order[i]];
        g_string_append_c (config, (char) ('a' + order[i]));
      }
    else
      {
        count *= (double) sizes[order[i]];
      }
  numbers = random_numbers_sum (type.element, self->values[value].numbers, NULL, count);
  if (!random_allows (self, numbers))
    return FALSE;
  random_op (self, "stablehlo.unary_einsum", &value, 1, random_printf (self, ", config = \"%s\"", config->str),
             &result, numbers);

  return TRUE;
}

/* Rows in groups, each with its own matrix; rows without a group are zero. */
static gboolean
make_ragged_dot (RandomProgram *self,
                 guint          value)
{
  RandomType lhs = self->values[value].type, rhs = random_scalar (lhs.element), result = lhs;
  guint operands[3] = { value }, n_groups = 1 + random_pick (self, 3);
  gint64 sizes[3], left;
  RandomNumbers numbers;

  if (lhs.rank != 2 || lhs.element == GHLO_ELEMENT_TYPE_I1)
    return FALSE;
  left = lhs.dimensions[0];
  for (guint i = 0; i < n_groups; i++)
    {
      sizes[i] = i + 1 < n_groups ? random_pick (self, (guint) left + 1) : left;
      left -= sizes[i];
    }
  rhs.rank = 3;
  rhs.dimensions[0] = n_groups;
  rhs.dimensions[1] = lhs.dimensions[1];
  rhs.dimensions[2] = result.dimensions[1] = random_size (self);
  operands[1] = random_bounded (self, &rhs);
  operands[2] = random_integers (self, GHLO_ELEMENT_TYPE_I64, sizes, n_groups);
  numbers = summed (self, lhs.element, lhs.element, value, operands[1], (double) lhs.dimensions[1]);
  if (!random_allows (self, numbers))
    return FALSE;
  random_generic_op (self, "chlo.ragged_dot", operands, 3,
                     " {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], "
                     "rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}",
                     &result, numbers);

  return TRUE;
}

const RandomMaker random_product_makers[] = {
  { "dot general", make_dot_general, 16, 16, 0 },
  { "quantized dot", make_quantized_dot, 5, 3, 0 },
  { "dot", make_dot, 6, 4, 0 },
  { "einsum", make_einsum, 5, 5, 0 },
  { "unary einsum", make_unary_einsum, 3, 3, 0 },
  { "ragged dot", make_ragged_dot, 3, 1, 0 },
  { NULL },
};
