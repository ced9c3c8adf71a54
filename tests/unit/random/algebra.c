/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Factorizations, Fourier transforms and batch normalization in random programs, on numbers for which they are stable.
 */

#include "program.h"

/* A type with @type's shape and float elements that the operations accept. */
static GhloElementType
choose_wide (RandomProgram *self,
             gboolean       may_be_complex)
{
  static const GhloElementType types[] = {
    GHLO_ELEMENT_TYPE_F32, GHLO_ELEMENT_TYPE_F64, GHLO_ELEMENT_TYPE_COMPLEX_F32, GHLO_ELEMENT_TYPE_COMPLEX_F64,
  };

  return types[random_pick (self, may_be_complex ? 4 : 2)];
}

/* Batches of square matrices. */
static guint
matrices (RandomProgram *self,
          RandomType    *type)
{
  gint64 n = random_once (self, 10) ? 0 : 1 + random_pick (self, 5);

  *type = (RandomType) { .element = choose_wide (self, TRUE), .rank = 2 + random_pick (self, 3) };
  for (guint i = 0; i < type->rank; i++)
    type->dimensions[i] = i + 2 < type->rank ? 1 + random_pick (self, 2) : n;

  return random_argument (self, type, RANDOM_FILL_POSITIVE);
}

/* A constant that is true in one triangle of a matrix, including the diagonal. */
static guint
half_mask (RandomProgram    *self,
           const RandomType *type,
           gboolean          is_lower)
{
  RandomType count = *type, result = *type;
  guint operands[2];

  count.element = GHLO_ELEMENT_TYPE_I32;
  result.element = GHLO_ELEMENT_TYPE_I1;
  for (guint i = 0; i < 2; i++)
    {
      operands[i] = random_define (self, &count, random_numbers_small (8, 1));
      random_emit (self, "  %s = stablehlo.iota dim = %u : %s\n", random_name (self, operands[i]),
                   type->rank - 2 + i, random_text (self, &count));
    }

  return random_op (self, is_lower ? "stablehlo.compare GE," : "stablehlo.compare LE,", operands, 2, "", &result,
                    random_numbers_unknown ());
}

/* The other triangle is undefined, and is set to zero here. */
static gboolean
make_cholesky (RandomProgram *self,
               guint          value G_GNUC_UNUSED)
{
  RandomType type;
  guint matrix, place, operands[3];
  gboolean is_lower = random_once (self, 2);
  RandomNumbers numbers;

  matrix = matrices (self, &type);
  numbers = random_numbers_stable (type.element, self->values[matrix].numbers, 1, 16);
  place = random_op (self, "stablehlo.cholesky", &matrix, 1,
                     random_printf (self, ", lower = %s", is_lower ? "true" : "false"), &type,
                     (RandomNumbers) { .trust = RANDOM_NONE, .magnitude = INFINITY, .specials = TRUE });
  operands[0] = half_mask (self, &type, is_lower);
  operands[1] = place;
  operands[2] = random_constant (self, &type, RANDOM_FILL_GRID);
  random_op (self, "stablehlo.select", operands, 3, "", &type, numbers);

  return TRUE;
}

static gboolean
make_triangular_solve (RandomProgram *self,
                       guint          value G_GNUC_UNUSED)
{
  static const char *const transposes[] = { "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT" };
  RandomType type, other;
  guint operands[2];
  gboolean is_left = random_once (self, 2), is_unit = random_once (self, 4);
  RandomNumbers numbers;

  operands[0] = matrices (self, &type);
  other = type;
  other.dimensions[type.rank - (is_left ? 1 : 2)] = random_size (self);
  operands[1] = random_bounded (self, &other);
  /* Without a dominant diagonal the solution may grow with every row. */
  numbers = random_numbers_stable (type.element, random_numbers_join (self->values[operands[0]].numbers,
                                                                      self->values[operands[1]].numbers),
                                   is_unit ? 64 : 4, 64);
  if (!random_allows (self, numbers))
    return FALSE;
  random_generic_op (self, "stablehlo.triangular_solve", operands, 2,
                     random_printf (self, " {left_side = %s, lower = %s, unit_diagonal = %s, "
                                    "transpose_a = #stablehlo<transpose %s>}", is_left ? "true" : "false",
                                    random_once (self, 2) ? "true" : "false", is_unit ? "true" : "false",
                                    transposes[random_pick (self, 3)]), &other, numbers);

  return TRUE;
}

static gboolean
make_fft (RandomProgram *self,
          guint          value G_GNUC_UNUSED)
{
  static const char *const words[] = { "FFT", "IFFT", "RFFT", "IRFFT" };
  static const gint64 lengths[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 16, 101 };
  guint kind = random_pick (self, 4), operand, n;
  gboolean is_wide = random_once (self, 3);
  GhloElementType real = is_wide ? GHLO_ELEMENT_TYPE_F64 : GHLO_ELEMENT_TYPE_F32;
  GhloElementType complex = is_wide ? GHLO_ELEMENT_TYPE_COMPLEX_F64 : GHLO_ELEMENT_TYPE_COMPLEX_F32;
  RandomType type = { .element = kind == 2 ? real : complex, .rank = 1 + random_pick (self, 3) }, result;
  gint64 transformed[3];
  double count = 1;
  RandomNumbers numbers;

  n = 1 + random_pick (self, MIN (type.rank, 3));
  for (guint i = 0; i < type.rank; i++)
    type.dimensions[i] = random_size (self);
  for (guint i = 0; i < n; i++)
    {
      transformed[i] = lengths[random_pick (self, i + 1 == n ? G_N_ELEMENTS (lengths) : 4)];
      type.dimensions[type.rank - n + i] = transformed[i];
      count *= (double) transformed[i];
    }
  result = type;
  result.element = kind == 3 ? real : complex;
  if (kind == 2)
    result.dimensions[type.rank - 1] = transformed[n - 1] / 2 + 1;
  else if (kind == 3)
    type.dimensions[type.rank - 1] = transformed[n - 1] / 2 + 1;
  if (!random_fits (self, &type) || !random_fits (self, &result))
    return FALSE;
  operand = random_bounded (self, &type);
  numbers = random_numbers_stable (type.element, self->values[operand].numbers, 2 * count, 8);
  if (!random_allows (self, numbers))
    return FALSE;
  random_op (self, "stablehlo.fft", &operand, 1,
             random_printf (self, ", type = %s, length = [%s]", words[kind], random_list (self, transformed, n)),
             &result, numbers);

  return TRUE;
}

/* Any suitable values, and non-negative variances. */
static gboolean
make_batch_norm (RandomProgram *self,
                 guint          value G_GNUC_UNUSED)
{
  guint kind = random_pick (self, 3), operands[5], n = 0, feature, outputs[3];
  RandomType type = { .element = random_once (self, 4) ? random_float (self) : choose_wide (self, FALSE),
                      .rank = 1 + random_pick (self, 4) };
  RandomType features;
  RandomNumbers numbers;
  const char *types;
  double count;

  if (type.element == GHLO_ELEMENT_TYPE_F8E8M0FNU)
    return FALSE;
  for (guint i = 0; i < type.rank; i++)
    type.dimensions[i] = 1 + random_pick (self, 3);
  feature = random_pick (self, type.rank);
  features = random_vector (type.element, type.dimensions[feature]);
  count = (double) random_count (&type);
  operands[n++] = random_bounded (self, &type);
  operands[n++] = random_bounded (self, &features);
  for (guint i = 0; i < (kind == 0 ? 1 : kind == 1 ? 2 : 1); i++)
    operands[n++] = random_bounded (self, &features);
  if (kind != 0)
    operands[n++] = random_constant (self, &features, RANDOM_FILL_POSITIVE);
  if (kind == 2)
    operands[n++] = random_bounded (self, &type);
  numbers = self->values[operands[0]].numbers;
  for (guint i = 1; i < n; i++)
    numbers = random_numbers_join (numbers, self->values[operands[i]].numbers);
  /* Products of three of the numbers, with an epsilon of 1 under the root. */
  numbers = random_numbers_stable (type.element, numbers, numbers.magnitude * numbers.magnitude * 8 * MAX (count, 1),
                                   64);
  /* The pass "expand" makes operations of it that round each. */
  numbers.reordered = TRUE;
  if (!random_allows (self, numbers) || numbers.error > 1e6)
    return FALSE;
  types = random_signature (self, operands, n, &type);
  outputs[0] = random_define (self, &type, numbers);
  for (guint i = 1; i < 3; i++)
    outputs[i] = kind == 1 ? outputs[0] : random_define (self, &features, numbers);
  random_emit (self, "  %s = \"stablehlo.batch_norm_%s\"(%s) {epsilon = 1.0 : f32, feature_index = %u : i64} : ",
               random_names (self, outputs, kind == 1 ? 1 : 3),
               kind == 0 ? "training" : kind == 1 ? "inference" : "grad", random_names (self, operands, n), feature);
  if (kind == 1)
    random_emit (self, "%s\n", types);
  else
    random_emit (self, "%.*s(%s, %s, %s)\n", (int) (strstr (types, "-> ") + 3 - types), types,
                 random_text (self, &type), random_text (self, &features), random_text (self, &features));

  return TRUE;
}

const RandomMaker random_algebra_makers[] = {
  { "cholesky", make_cholesky, 3, 1, 0 },
  { "triangular solve", make_triangular_solve, 4, 1, 0 },
  { "fft", make_fft, 5, 1, 0 },
  { "batch norm", make_batch_norm, 4, 1, 0 },
  { NULL },
};
