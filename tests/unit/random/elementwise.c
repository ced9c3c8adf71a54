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
  const char     *name;
  guint           classes;
  RandomRule      rule;         /* where the answer is rounded once */
  RandomFunction  function;     /* where ulps is not 0 */
} Row;

static const Row unary[] = {
  { "negate", FLOATS | COMPLEX, { FALSE, RANDOM_JOINS } },
  { "negate", INTEGERS, { FALSE, RANDOM_JUMPS } },
  { "abs", FLOATS | SIGNED, { FALSE, RANDOM_JOINS } },
  { "ceil", FLOATS, { FALSE, RANDOM_JUMPS } },
  { "floor", FLOATS, { FALSE, RANDOM_JUMPS } },
  { "round_nearest_afz", FLOATS, { FALSE, RANDOM_JUMPS } },
  { "round_nearest_even", FLOATS, { FALSE, RANDOM_JUMPS } },
  { "sign", FLOATS | SIGNED, { FALSE, RANDOM_JUMPS } },
  { "sqrt", FLOATS, { FALSE, RANDOM_JUMPS } },
  { "not", INTEGERS | BOOLEANS, { FALSE, RANDOM_JUMPS } },
  { "popcnt", INTEGERS, { FALSE, RANDOM_JUMPS } },
  { "count_leading_zeros", INTEGERS, { FALSE, RANDOM_JUMPS } },
  { "sign", COMPLEX, .function = { 8, 0, RANDOM_RANGE_LOW } },
  { "sqrt", COMPLEX, .function = { 8, 0, RANDOM_RANGE_OPEN } },
  { "cbrt", FLOATS | COMPLEX, .function = { 8, 0, RANDOM_RANGE_LOW } },
  { "cosine", FLOATS, .function = { 4, 0, RANDOM_RANGE_ONE } },
  { "cosine", COMPLEX, .function = { 16, 0, RANDOM_RANGE_EXP } },
  { "exponential", FLOATS | COMPLEX, .function = { 8, 0, RANDOM_RANGE_EXP } },
  { "exponential_minus_one", FLOATS | COMPLEX, .function = { 8, 4, RANDOM_RANGE_EXP } },
  { "log", FLOATS | COMPLEX, .function = { 8, 4, RANDOM_RANGE_LOW } },
  { "log_plus_one", FLOATS | COMPLEX, .function = { 8, 4, RANDOM_RANGE_LOW } },
  { "logistic", FLOATS, .function = { 8, 0, RANDOM_RANGE_ONE } },
  { "logistic", COMPLEX, .function = { 64, 16, RANDOM_RANGE_OPEN } },
  { "rsqrt", FLOATS | COMPLEX, .function = { 8, 0, RANDOM_RANGE_LOW } },
  { "sine", FLOATS, .function = { 4, 0, RANDOM_RANGE_ONE } },
  { "sine", COMPLEX, .function = { 16, 0, RANDOM_RANGE_EXP } },
  { "tan", FLOATS, .function = { 8, 0, RANDOM_RANGE_OPEN } },
  { "tan", COMPLEX, .function = { 64, 16, RANDOM_RANGE_OPEN } },
  { "tanh", FLOATS, .function = { 8, 0, RANDOM_RANGE_ONE } },
  { "tanh", COMPLEX, .function = { 64, 16, RANDOM_RANGE_OPEN } },
};

static const Row binary[] = {
  { "add", FLOATS | COMPLEX | INTEGERS | BOOLEANS, { FALSE, RANDOM_ADDS } },
  { "subtract", FLOATS | COMPLEX | INTEGERS, { FALSE, RANDOM_ADDS } },
  { "multiply", FLOATS | COMPLEX | INTEGERS | BOOLEANS, { FALSE, RANDOM_MULTIPLIES } },
  { "divide", FLOATS | INTEGERS, { TRUE, RANDOM_JUMPS } },
  { "divide", COMPLEX, .function = { 16, 0, RANDOM_RANGE_OPEN } },
  { "maximum", FLOATS | INTEGERS | BOOLEANS, { FALSE, RANDOM_JOINS } },
  { "maximum", COMPLEX, { TRUE, RANDOM_JUMPS } },
  { "minimum", FLOATS | INTEGERS | BOOLEANS, { FALSE, RANDOM_JOINS } },
  { "minimum", COMPLEX, { TRUE, RANDOM_JUMPS } },
  { "remainder", FLOATS | INTEGERS, { FALSE, RANDOM_JUMPS } },
  { "power", INTEGERS, { FALSE, RANDOM_JUMPS } },
  { "power", FLOATS | COMPLEX, .function = { 16, 0, RANDOM_RANGE_OPEN } },
  { "atan2", FLOATS, .function = { 8, 0, RANDOM_RANGE_LOW } },
  { "and", INTEGERS | BOOLEANS, { FALSE, RANDOM_JUMPS } },
  { "or", INTEGERS | BOOLEANS, { FALSE, RANDOM_JUMPS } },
  { "xor", INTEGERS | BOOLEANS, { FALSE, RANDOM_JUMPS } },
  { "shift_left", INTEGERS, { FALSE, RANDOM_JUMPS } },
  { "shift_right_arithmetic", INTEGERS, { FALSE, RANDOM_JUMPS } },
  { "shift_right_logical", INTEGERS, { FALSE, RANDOM_JUMPS } },
};

/* A row for @type, sums and products more often. */
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

  if (row->function.ulps > 0)
    return random_numbers_function (type, &row->function, operands, n);
  /* Products of complex numbers have no one way to be rounded, and with infinities in them none at all. */
  if (random_is_complex (type) && row->rule.continuity == RANDOM_MULTIPLIES)
    return random_numbers_sum (type, operands[0], &operands[1], 1);
  numbers = random_numbers_exact (type, &row->rule, operands, n);
  /* Nor an agreed order when a part is NaN. */
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
  random_op (self, random_printf (self, "stablehlo.%s", row->name), &value, 1, "", &type, numbers);

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
  random_op (self, random_printf (self, "stablehlo.%s", row->name), operands, 2, "", &type, numbers);

  return TRUE;
}

/* abs, real and imag of complex numbers, complex of real ones. */
static gboolean
make_parts (RandomProgram *self,
            guint          value)
{
  static const RandomRule rule = { FALSE, RANDOM_JOINS };
  static const RandomFunction magnitude = { 8, 0, RANDOM_RANGE_OPEN };
  static const char *const names[] = { "stablehlo.real", "stablehlo.imag", "stablehlo.abs" };
  RandomType type = self->values[value].type, result = type;
  guint operands[2] = { value }, choice = random_pick (self, 3);
  RandomNumbers numbers, known[2] = { self->values[value].numbers };

  if (random_is_complex (type.element))
    {
      result.element = ghlo_element_type_real_part (type.element);
      numbers = choice < 2 ? random_numbers_exact (type.element, &rule, known, 1)
                           : random_numbers_function (type.element, &magnitude, known, 1);
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
  /* The order of NaNs by their sign shows their bits. */
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
  { NULL },
};
