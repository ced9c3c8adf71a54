/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Elementwise operations of StableHLO in random programs.
 */

#include "program.h"

enum { FLOATS = 1, COMPLEX = 2, SIGNED = 4, UNSIGNED = 8, BOOLEANS = 16, INTEGERS = SIGNED | UNSIGNED };

static guint
class_of (GhloElementType type)
{
  switch (ghlo_element_info (type)->element_class)
    {
    case GHLO_ELEMENT_CLASS_BOOLEAN:
      return BOOLEANS;
    case GHLO_ELEMENT_CLASS_SIGNED:
      return SIGNED;
    case GHLO_ELEMENT_CLASS_UNSIGNED:
      return UNSIGNED;
    case GHLO_ELEMENT_CLASS_FLOAT:
      return FLOATS;
    default:
      return COMPLEX;
    }
}

typedef struct
{
  GhloScalarKind  kind;
  guint           classes;
  RandomRule      rule;         /* where executors must agree exactly */
  RandomFunction  function;     /* where not */
} Row;

static const Row unary[] = {
  { GHLO_SCALAR_NEGATE, FLOATS | COMPLEX, { FALSE, RANDOM_JOINS } },
  { GHLO_SCALAR_NEGATE, INTEGERS, { FALSE, RANDOM_JUMPS } },
  { GHLO_SCALAR_ABS, FLOATS | SIGNED, { FALSE, RANDOM_JOINS } },
  { GHLO_SCALAR_CEIL, FLOATS, { FALSE, RANDOM_JUMPS } },
  { GHLO_SCALAR_FLOOR, FLOATS, { FALSE, RANDOM_JUMPS } },
  { GHLO_SCALAR_ROUND_NEAREST_AFZ, FLOATS, { FALSE, RANDOM_JUMPS } },
  { GHLO_SCALAR_ROUND_NEAREST_EVEN, FLOATS, { FALSE, RANDOM_JUMPS } },
  { GHLO_SCALAR_SIGN, FLOATS | SIGNED, { FALSE, RANDOM_JUMPS } },
  { GHLO_SCALAR_SQRT, FLOATS, { FALSE, RANDOM_JUMPS } },
  { GHLO_SCALAR_NOT, INTEGERS | BOOLEANS, { FALSE, RANDOM_JUMPS } },
  { GHLO_SCALAR_POPCNT, INTEGERS, { FALSE, RANDOM_JUMPS } },
  { GHLO_SCALAR_COUNT_LEADING_ZEROS, INTEGERS, { FALSE, RANDOM_JUMPS } },
  { GHLO_SCALAR_SIGN, COMPLEX, .function = { 0, RANDOM_RANGE_LOW } },
  { GHLO_SCALAR_SQRT, COMPLEX, .function = { 0, RANDOM_RANGE_OPEN } },
  { GHLO_SCALAR_CBRT, FLOATS | COMPLEX, .function = { 0, RANDOM_RANGE_LOW } },
  { GHLO_SCALAR_COSINE, FLOATS, .function = { 0, RANDOM_RANGE_ONE } },
  { GHLO_SCALAR_COSINE, COMPLEX, .function = { 0, RANDOM_RANGE_EXP } },
  { GHLO_SCALAR_EXPONENTIAL, FLOATS | COMPLEX, .function = { 0, RANDOM_RANGE_EXP } },
  { GHLO_SCALAR_EXPONENTIAL_MINUS_ONE, FLOATS | COMPLEX, .function = { 4, RANDOM_RANGE_EXP } },
  { GHLO_SCALAR_LOG, FLOATS | COMPLEX, .function = { 4, RANDOM_RANGE_LOW } },
  { GHLO_SCALAR_LOG_PLUS_ONE, FLOATS | COMPLEX, .function = { 4, RANDOM_RANGE_LOW } },
  { GHLO_SCALAR_LOGISTIC, FLOATS, .function = { 0, RANDOM_RANGE_ONE } },
  { GHLO_SCALAR_LOGISTIC, COMPLEX, .function = { 16, RANDOM_RANGE_OPEN } },
  { GHLO_SCALAR_RSQRT, FLOATS | COMPLEX, .function = { 0, RANDOM_RANGE_LOW } },
  { GHLO_SCALAR_SINE, FLOATS, .function = { 0, RANDOM_RANGE_ONE } },
  { GHLO_SCALAR_SINE, COMPLEX, .function = { 0, RANDOM_RANGE_EXP } },
  { GHLO_SCALAR_TAN, FLOATS, .function = { 0, RANDOM_RANGE_OPEN } },
  { GHLO_SCALAR_TAN, COMPLEX, .function = { 16, RANDOM_RANGE_OPEN } },
  { GHLO_SCALAR_TANH, FLOATS, .function = { 0, RANDOM_RANGE_ONE } },
  { GHLO_SCALAR_TANH, COMPLEX, .function = { 16, RANDOM_RANGE_OPEN } },
};

static const Row binary[] = {
  { GHLO_SCALAR_ADD, FLOATS | COMPLEX | INTEGERS | BOOLEANS, { FALSE, RANDOM_ADDS } },
  { GHLO_SCALAR_SUBTRACT, FLOATS | COMPLEX | INTEGERS, { FALSE, RANDOM_ADDS } },
  { GHLO_SCALAR_MULTIPLY, FLOATS | COMPLEX | INTEGERS | BOOLEANS, { FALSE, RANDOM_MULTIPLIES } },
  { GHLO_SCALAR_DIVIDE, FLOATS | INTEGERS, { TRUE, RANDOM_JUMPS } },
  { GHLO_SCALAR_DIVIDE, COMPLEX, .function = { 0, RANDOM_RANGE_OPEN } },
  { GHLO_SCALAR_MAXIMUM, FLOATS | INTEGERS | BOOLEANS, { FALSE, RANDOM_JOINS } },
  { GHLO_SCALAR_MAXIMUM, COMPLEX, { TRUE, RANDOM_JUMPS } },
  { GHLO_SCALAR_MINIMUM, FLOATS | INTEGERS | BOOLEANS, { FALSE, RANDOM_JOINS } },
  { GHLO_SCALAR_MINIMUM, COMPLEX, { TRUE, RANDOM_JUMPS } },
  { GHLO_SCALAR_REMAINDER, FLOATS | INTEGERS, { FALSE, RANDOM_JUMPS } },
  { GHLO_SCALAR_POWER, INTEGERS, { FALSE, RANDOM_JUMPS } },
  { GHLO_SCALAR_POWER, FLOATS | COMPLEX, .function = { 0, RANDOM_RANGE_OPEN } },
  { GHLO_SCALAR_ATAN2, FLOATS, .function = { 0, RANDOM_RANGE_LOW } },
  { GHLO_SCALAR_AND, INTEGERS | BOOLEANS, { FALSE, RANDOM_JUMPS } },
  { GHLO_SCALAR_OR, INTEGERS | BOOLEANS, { FALSE, RANDOM_JUMPS } },
  { GHLO_SCALAR_XOR, INTEGERS | BOOLEANS, { FALSE, RANDOM_JUMPS } },
  { GHLO_SCALAR_SHIFT_LEFT, INTEGERS, { FALSE, RANDOM_JUMPS } },
  { GHLO_SCALAR_SHIFT_RIGHT_ARITHMETIC, INTEGERS, { FALSE, RANDOM_JUMPS } },
  { GHLO_SCALAR_SHIFT_RIGHT_LOGICAL, INTEGERS, { FALSE, RANDOM_JUMPS } },
};

/* A row for @type; sums and products are chosen more often. */
static const Row *
choose_row (RandomProgram   *self,
            const Row       *rows,
            guint            n,
            GhloElementType  type)
{
  guint class = class_of (type);

  for (guint i = 0; i < 64; i++)
    {
      const Row *row = &rows[random_pick (self, random_once (self, 3) ? MIN (n, 6) : n)];

      if ((row->classes & class) != 0)
        return row;
    }

  return NULL;
}

static RandomNumbers
numbers_of (const Row           *row,
            GhloElementType      type,
            const RandomNumbers *operands,
            guint                n)
{
  RandomNumbers numbers;

  /* The rounding of complex products is not specified, and with infinities neither is the result. */
  if (random_is_complex (type) && row->rule.continuity == RANDOM_MULTIPLIES)
    return random_numbers_sum (type, operands[0], &operands[1], 1);
  if (ghlo_scalar_ulps (row->kind, ghlo_element_info (type)->element_class) > 0)
    return random_numbers_function (type, row->kind, &row->function, operands, n);
  numbers = random_numbers_exact (type, &row->rule, operands, n);
  /* Nor is their order specified when a part is NaN. */
  if (random_is_complex (type) && row->rule.continuity == RANDOM_JUMPS
      && (operands[0].specials || operands[n - 1].specials))
    numbers.trust = RANDOM_NONE;

  return numbers;
}

static gboolean
make_unary (RandomProgram *self,
            guint          value)
{
  RandomType type = self->values[value].type;
  const Row *row = choose_row (self, unary, G_N_ELEMENTS (unary), type.element);
  RandomNumbers numbers;

  if (row == NULL)
    return FALSE;
  numbers = numbers_of (row, type.element, &self->values[value].numbers, 1);
  if (!random_allows (self, numbers))
    return FALSE;
  random_op (self, random_scalar_name (row->kind), &value, 1, "", &type, numbers);

  return TRUE;
}

static gboolean
make_binary (RandomProgram *self,
             guint          value)
{
  RandomType type = self->values[value].type;
  const Row *row = choose_row (self, binary, G_N_ELEMENTS (binary), type.element);
  guint operands[2] = { value, random_like (self, &type) };
  RandomNumbers numbers, known[2];

  if (row == NULL)
    return FALSE;
  if (random_once (self, 2))
    {
      operands[0] = operands[1];
      operands[1] = value;
    }
  known[0] = self->values[operands[0]].numbers;
  known[1] = self->values[operands[1]].numbers;
  numbers = numbers_of (row, type.element, known, 2);
  if (!random_allows (self, numbers))
    return FALSE;
  random_op (self, random_scalar_name (row->kind), operands, 2, "", &type, numbers);

  return TRUE;
}

/* abs, real and imag of complex numbers, complex of real ones. */
static gboolean
make_parts (RandomProgram *self,
            guint          value)
{
  static const RandomRule rule = { FALSE, RANDOM_JOINS };
  static const RandomFunction magnitude = { 0, RANDOM_RANGE_OPEN };
  static const char *const names[] = { "stablehlo.real", "stablehlo.imag", "stablehlo.abs" };
  RandomType type = self->values[value].type, result = type;
  guint operands[2] = { value }, choice = random_pick (self, 3);
  RandomNumbers numbers, known[2] = { self->values[value].numbers };

  if (random_is_complex (type.element))
    {
      result.element = ghlo_element_type_real_part (type.element);
      numbers = choice < 2 ? random_numbers_exact (type.element, &rule, known, 1)
                           : random_numbers_function (type.element, GHLO_SCALAR_ABS, &magnitude, known, 1);
      if (!random_allows (self, numbers))
        return FALSE;
      random_op (self, names[choice], operands, 1, "", &result, numbers);
      return TRUE;
    }
  if (random_is_float (type.element) && random_once (self, 4))
    {
      random_op (self, names[choice % 2], operands, 1, "", &result,
                 random_numbers_exact (type.element, &rule, known, 1));
      return TRUE;
    }
  if (type.element != GHLO_ELEMENT_TYPE_F32 && type.element != GHLO_ELEMENT_TYPE_F64)
    return FALSE;
  result.element = type.element == GHLO_ELEMENT_TYPE_F64 ? GHLO_ELEMENT_TYPE_COMPLEX_F64
                                                         : GHLO_ELEMENT_TYPE_COMPLEX_F32;
  operands[1] = random_like (self, &type);
  known[1] = self->values[operands[1]].numbers;
  random_op (self, "stablehlo.complex", operands, 2, "", &result, random_numbers_join (known[0], known[1]));

  return TRUE;
}

static gboolean
make_compare (RandomProgram *self,
              guint          value)
{
  static const char *const words[] = { "EQ", "NE", "LT", "LE", "GT", "GE" };
  RandomType type = self->values[value].type, result = type;
  guint operands[2] = { value, random_like (self, &type) };
  gboolean is_total = random_is_float (type.element) && random_once (self, 4);
  const char *kind = is_total                            ? ", TOTALORDER"
                     : random_is_float (type.element) && random_once (self, 2) ? ", FLOAT" : "";
  const char *word = words[random_pick (self, random_is_complex (type.element) ? 2 : G_N_ELEMENTS (words))];
  RandomRule rule = { is_total, RANDOM_JUMPS };
  RandomNumbers numbers, known[2] = { self->values[operands[0]].numbers, self->values[operands[1]].numbers };

  result.element = GHLO_ELEMENT_TYPE_I1;
  numbers = random_numbers_exact (result.element, &rule, known, 2);
  /* The order of NaNs by sign reveals their bits. */
  if (is_total && (known[0].specials || known[1].specials))
    numbers.trust = RANDOM_NONE, numbers.reordered = TRUE;
  if (!random_allows (self, numbers))
    return FALSE;
  random_op (self, random_printf (self, "stablehlo.compare %s,", word), operands, 2, kind, &result, numbers);

  return TRUE;
}

static gboolean
make_finite (RandomProgram *self,
             guint          value)
{
  static const RandomRule rule = { FALSE, RANDOM_JUMPS };
  RandomType type = self->values[value].type, result = type;
  RandomNumbers numbers = random_numbers_exact (GHLO_ELEMENT_TYPE_I1, &rule, &self->values[value].numbers, 1);

  if (!random_is_float (type.element) || !random_allows (self, numbers))
    return FALSE;
  result.element = GHLO_ELEMENT_TYPE_I1;
  random_op (self, "stablehlo.is_finite", &value, 1, "", &result, numbers);

  return TRUE;
}

static gboolean
make_select (RandomProgram *self,
             guint          value)
{
  RandomType type = self->values[value].type, predicate = type;
  guint operands[3] = { 0, value, random_like (self, &type) };
  RandomNumbers numbers = random_numbers_join (self->values[value].numbers, self->values[operands[2]].numbers);

  predicate.element = GHLO_ELEMENT_TYPE_I1;
  if (random_once (self, 4))
    predicate.rank = predicate.open = 0;
  operands[0] = random_like (self, &predicate);
  numbers.trust = MIN (numbers.trust, self->values[operands[0]].numbers.trust);
  numbers.reordered |= self->values[operands[0]].numbers.reordered;
  if (!random_allows (self, numbers))
    return FALSE;
  random_op (self, "stablehlo.select", operands, 3, "", &type, numbers);

  return TRUE;
}

static gboolean
make_clamp (RandomProgram *self,
            guint          value)
{
  static const RandomRule rule = { FALSE, RANDOM_JOINS };
  RandomType type = self->values[value].type, limit = type;
  RandomNumbers numbers, known[3];
  guint operands[3];

  if (type.element == GHLO_ELEMENT_TYPE_I1 || random_is_complex (type.element))
    return FALSE;
  for (guint i = 0; i < 3; i++)
    {
      limit = type;
      if (i != 1 && random_once (self, 2))
        limit.rank = limit.open = 0;
      operands[i] = i == 1 ? value : random_like (self, &limit);
      known[i] = self->values[operands[i]].numbers;
    }
  numbers = random_numbers_exact (type.element, &rule, known, 3);
  if (!random_allows (self, numbers))
    return FALSE;
  random_op (self, "stablehlo.clamp", operands, 3, "", &type, numbers);

  return TRUE;
}

static gboolean
make_convert (RandomProgram *self,
              guint          value)
{
  RandomType type = self->values[value].type, result = type;
  RandomNumbers numbers;

  result.element = random_element (self);
  numbers = random_numbers_convert (type.element, result.element, self->values[value].numbers);
  if (!random_allows (self, numbers))
    return FALSE;
  random_op (self, "stablehlo.convert", &value, 1, "", &result, numbers);

  return TRUE;
}

static gboolean
make_reduce_precision (RandomProgram *self,
                       guint          value)
{
  static const RandomRule rule = { FALSE, RANDOM_JUMPS };
  RandomType type = self->values[value].type;
  RandomNumbers numbers = random_numbers_exact (type.element, &rule, &self->values[value].numbers, 1);

  if (!random_is_float (type.element) || !random_allows (self, numbers))
    return FALSE;
  random_op (self, "stablehlo.reduce_precision", &value, 1,
             random_printf (self, ", format = e%um%u", 1 + random_pick (self, 11), random_pick (self, 24)), &type,
             numbers);

  return TRUE;
}

/* Operations that need only operands of one type. */
static gboolean
is_plain (GhloScalarKind  kind,
          GhloElementType type)
{
  const GhloScalarSpec *scalar = ghlo_scalar_spec (kind);
  const GhloIrOpSpec *spec = ghlo_ir_op_spec (scalar->op);

  for (guint i = 0; i < spec->n_attributes; i++)
    if (spec->attributes[i].presence == GHLO_IR_REQUIRED)
      return FALSE;

  return ghlo_scalar_is_defined (kind, ghlo_element_info (type)->element_class) && scalar->first_value == 0
         && scalar->result != GHLO_SCALAR_RESULT_ANY && scalar->result != GHLO_SCALAR_RESULT_COMPLEX;
}

/* Any row of the table of scalar operations; little is known about the result's numbers. */
static gboolean
make_any (RandomProgram *self,
          guint          value)
{
  static const RandomRule rule = { TRUE, RANDOM_JUMPS };
  RandomType type = self->values[value].type, result = type;
  GhloScalarKind kind = 1 + random_pick (self, GHLO_N_SCALARS - 1);
  GhloElementClass element_class = ghlo_element_info (type.element)->element_class;
  RandomFunction function = { ghlo_scalar_ulps (kind, element_class), RANDOM_RANGE_OPEN };
  guint n = ghlo_ir_op_spec (ghlo_scalar_spec (kind)->op)->n_operands, operands[3] = { value };
  RandomNumbers numbers, known[3];

  if (!is_plain (kind, type.element))
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      operands[i] = i == 0 ? value : random_like (self, &type);
      known[i] = self->values[operands[i]].numbers;
    }
  result.element = ghlo_scalar_spec (kind)->result == GHLO_SCALAR_RESULT_BOOLEAN ? GHLO_ELEMENT_TYPE_I1
                   : ghlo_scalar_spec (kind)->result == GHLO_SCALAR_RESULT_PART
                   ? ghlo_element_type_real_part (type.element) : type.element;
  numbers = function.units > 0 ? random_numbers_function (type.element, kind, &function, known, n)
                               : random_numbers_exact (result.element, &rule, known, n);
  for (guint i = 0; random_is_complex (type.element) && function.units == 0 && i < n; i++)
    if (known[i].specials)
      numbers.trust = RANDOM_NONE;
  if (!random_allows (self, numbers))
    return FALSE;
  random_generic_op (self, random_scalar_name (kind), operands, n, "", &result, numbers);

  return TRUE;
}

const RandomMaker random_elementwise_makers[] = {
  { "unary", make_unary, 40, 20, RANDOM_TAKES_OPEN | RANDOM_TAKES_SCALAR },
  { "binary", make_binary, 50, 40, RANDOM_TAKES_OPEN | RANDOM_TAKES_SCALAR },
  { "parts", make_parts, 8, 4, RANDOM_TAKES_OPEN | RANDOM_TAKES_SCALAR },
  { "compare", make_compare, 10, 10, RANDOM_TAKES_OPEN | RANDOM_TAKES_SCALAR },
  { "finite", make_finite, 3, 3, RANDOM_TAKES_OPEN | RANDOM_TAKES_SCALAR },
  { "select", make_select, 10, 10, RANDOM_TAKES_OPEN | RANDOM_TAKES_SCALAR },
  { "clamp", make_clamp, 6, 6, RANDOM_TAKES_OPEN | RANDOM_TAKES_SCALAR },
  { "convert", make_convert, 12, 10, RANDOM_TAKES_OPEN | RANDOM_TAKES_SCALAR },
  { "reduce precision", make_reduce_precision, 4, 4, RANDOM_TAKES_OPEN | RANDOM_TAKES_SCALAR },
  { "any", make_any, 10, 5, RANDOM_TAKES_OPEN | RANDOM_TAKES_SCALAR },
  { NULL },
};
