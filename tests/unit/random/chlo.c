/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CHLO's functions and broadcasting operations in random programs.
 */

#include "program.h"

enum { FLOATS = 1, COMPLEX = 2 };

typedef struct
{
  GhloScalarKind  kind;
  guint           classes;
  RandomFunction  function;
} Function;

static const Function unary[] = {
  { GHLO_SCALAR_ASIN_ACOS_KERNEL, COMPLEX, { 16, RANDOM_RANGE_OPEN } },
  { GHLO_SCALAR_ACOS, FLOATS | COMPLEX, { 8, RANDOM_RANGE_LOW } },
  { GHLO_SCALAR_ACOSH, FLOATS | COMPLEX, { 8, RANDOM_RANGE_LOW } },
  { GHLO_SCALAR_ASIN, FLOATS | COMPLEX, { 8, RANDOM_RANGE_LOW } },
  { GHLO_SCALAR_ASINH, FLOATS, { 8, RANDOM_RANGE_SAME } },
  { GHLO_SCALAR_ASINH, COMPLEX, { 8, RANDOM_RANGE_OPEN } },
  { GHLO_SCALAR_ATAN, FLOATS, { 0, RANDOM_RANGE_ONE } },
  { GHLO_SCALAR_ATAN, COMPLEX, { 8, RANDOM_RANGE_OPEN } },
  { GHLO_SCALAR_ATANH, FLOATS | COMPLEX, { 8, RANDOM_RANGE_LOW } },
  { GHLO_SCALAR_BESSEL_I1E, FLOATS, { 16, RANDOM_RANGE_ONE } },
  { GHLO_SCALAR_COSH, FLOATS | COMPLEX, { 8, RANDOM_RANGE_EXP } },
  { GHLO_SCALAR_SINH, FLOATS | COMPLEX, { 8, RANDOM_RANGE_EXP } },
  { GHLO_SCALAR_TAN, FLOATS | COMPLEX, { 16, RANDOM_RANGE_OPEN } },
  { GHLO_SCALAR_DIGAMMA, FLOATS, { 256, RANDOM_RANGE_OPEN } },
  { GHLO_SCALAR_ERF, FLOATS, { 8, RANDOM_RANGE_ONE } },
  { GHLO_SCALAR_ERF_INV, FLOATS, { 16, RANDOM_RANGE_LOW } },
  { GHLO_SCALAR_ERFC, FLOATS, { 16, RANDOM_RANGE_ONE } },
  { GHLO_SCALAR_LGAMMA, FLOATS, { 256, RANDOM_RANGE_OPEN } },
};

static gboolean
is_of (GhloElementType type,
       guint           classes)
{
  return (random_is_float (type) && (classes & FLOATS) != 0) || (random_is_complex (type) && (classes & COMPLEX) != 0);
}

static guint
typed_op (RandomProgram    *self,
          const char       *name,
          const guint      *operands,
          guint             n,
          const RandomType *result,
          RandomNumbers     numbers)
{
  const char *names = random_names (self, operands, n);
  guint place = random_define (self, result, numbers);

  random_emit (self, "  %s = chlo.%s %s : ", random_name (self, place), name, names);
  for (guint i = 0; i < n; i++)
    random_emit (self, "%s%s", i > 0 ? ", " : "", random_type_of (self, operands[i]));
  random_emit (self, " -> %s\n", random_text (self, result));

  return place;
}

/* The function by the name of a call, as exporters write it. */
static void
named_call (RandomProgram    *self,
            const char       *name,
            guint             operand,
            const RandomType *type,
            RandomNumbers     numbers)
{
  guint place = random_define (self, type, numbers);

  random_emit (self, "  %s = stablehlo.custom_call @mhlo.%s(%s) {mhlo.attributes = {}, mhlo.version = 1 : i64} : "
               "(%s) -> %s\n", random_name (self, place), name, random_name (self, operand), random_text (self, type),
               random_text (self, type));
}

/* Whether MHLO has the function, and StableHLO does not. */
static gboolean
is_of_mhlo (GhloScalarKind kind)
{
  return kind != GHLO_SCALAR_ASIN_ACOS_KERNEL && kind != GHLO_SCALAR_BESSEL_I1E && kind != GHLO_SCALAR_DIGAMMA
         && kind != GHLO_SCALAR_ERFC && kind != GHLO_SCALAR_LGAMMA;
}

static gboolean
make_function (RandomProgram *self,
               guint          value)
{
  RandomType type = self->values[value].type;

  for (guint i = 0; i < 32; i++)
    {
      const Function *function = &unary[random_pick (self, G_N_ELEMENTS (unary))];
      RandomNumbers numbers;

      if (!is_of (type.element, function->classes))
        continue;
      numbers = random_numbers_function (type.element, function->kind, &function->function,
                                         &self->values[value].numbers, 1);
      if (!random_allows (self, numbers))
        return FALSE;
      if (is_of_mhlo (function->kind) && random_once (self, 4))
        named_call (self, random_scalar_mnemonic (function->kind), value, &type, numbers);
      else
        typed_op (self, random_scalar_mnemonic (function->kind), &value, 1, &type, numbers);
      return TRUE;
    }

  return FALSE;
}

/* Exact functions of one or two operands. */
static gboolean
make_exact (RandomProgram *self,
            guint          value)
{
  static const char *const predicates[] = { "is_inf", "is_neg_inf", "is_pos_inf" };
  static const RandomRule jumps = { FALSE, RANDOM_JUMPS }, sees = { TRUE, RANDOM_JUMPS };
  static const RandomRule joins = { FALSE, RANDOM_JOINS };
  RandomType type = self->values[value].type, result = type;
  guint choice = random_pick (self, 4), operands[2] = { value, value };
  RandomNumbers known[2] = { self->values[value].numbers, self->values[value].numbers }, numbers;
  const char *name;

  if (random_is_integer (type.element) || choice == 0 || choice == 1)
    operands[1] = random_like (self, &type);
  known[1] = self->values[operands[1]].numbers;
  if (random_is_integer (type.element))
    {
      name = "mulhi";
      numbers = random_numbers_exact (type.element, &jumps, known, 2);
    }
  else if (random_is_complex (type.element))
    {
      name = choice == 0 ? "square" : "conj";
      numbers = choice == 0 ? random_numbers_sum (type.element, known[0], &known[0], 1)
                            : random_numbers_exact (type.element, &joins, known, 1);
    }
  else if (type.element == GHLO_ELEMENT_TYPE_I1)
    {
      return FALSE;
    }
  else if (choice == 0)
    {
      name = "next_after";
      numbers = random_numbers_exact (type.element, &sees, known, 2);
    }
  else if (choice == 1)
    {
      name = "square";
      numbers = random_numbers_exact (type.element, &jumps, known, 1);
    }
  else
    {
      name = predicates[random_pick (self, 3)];
      result.element = GHLO_ELEMENT_TYPE_I1;
      numbers = random_numbers_exact (result.element, &jumps, known, 1);
    }
  if (!random_allows (self, numbers))
    return FALSE;
  typed_op (self, name, operands, strcmp (name, "mulhi") == 0 || strcmp (name, "next_after") == 0 ? 2 : 1, &result,
            numbers);

  return TRUE;
}

/* Two operands that broadcast to one shape: some dimensions are 1, leading ones missing. */
static RandomType
choose_partner (RandomProgram    *self,
                const RandomType *type,
                RandomType       *result)
{
  RandomType partner = *type;
  guint skipped = type->rank > 0 ? random_pick (self, type->rank + 1) : 0;

  *result = *type;
  if (random_once (self, 2))
    skipped = 0;
  partner.rank -= skipped;
  for (guint i = 0; i < partner.rank; i++)
    {
      gint64 size = type->dimensions[skipped + i];

      partner.dimensions[i] = random_once (self, 3) ? 1 : size == 1 ? random_size (self) : size;
      if (size == 1)
        result->dimensions[skipped + i] = partner.dimensions[i];
    }

  return partner;
}

typedef enum { ADD, MULTIPLY, DIVIDE, EXTREME, JUMP, POWER, SPECIAL } Kind;

typedef struct
{
  GhloScalarKind scalar;
  Kind           kind;
} Broadcast;

static const Broadcast broadcasts[] = {
  { GHLO_SCALAR_ADD, ADD }, { GHLO_SCALAR_SUBTRACT, ADD }, { GHLO_SCALAR_MULTIPLY, MULTIPLY },
  { GHLO_SCALAR_DIVIDE, DIVIDE }, { GHLO_SCALAR_MAXIMUM, EXTREME }, { GHLO_SCALAR_MINIMUM, EXTREME },
  { GHLO_SCALAR_REMAINDER, JUMP }, { GHLO_SCALAR_POWER, POWER }, { GHLO_SCALAR_ATAN2, POWER },
  { GHLO_SCALAR_NEXT_AFTER, DIVIDE }, { GHLO_SCALAR_POLYGAMMA, SPECIAL }, { GHLO_SCALAR_ZETA, SPECIAL },
  { GHLO_SCALAR_SHIFT_LEFT, JUMP }, { GHLO_SCALAR_SHIFT_RIGHT_ARITHMETIC, JUMP },
  { GHLO_SCALAR_SHIFT_RIGHT_LOGICAL, JUMP }, { GHLO_SCALAR_AND, JUMP }, { GHLO_SCALAR_OR, JUMP },
  { GHLO_SCALAR_XOR, JUMP },
};

static RandomNumbers
broadcast_numbers (const Broadcast     *row,
                   GhloElementType      type,
                   const RandomNumbers *known)
{
  static const RandomRule rules[] = {
    [ADD] = { FALSE, RANDOM_ADDS }, [MULTIPLY] = { FALSE, RANDOM_MULTIPLIES }, [DIVIDE] = { TRUE, RANDOM_JUMPS },
    [EXTREME] = { FALSE, RANDOM_JOINS }, [JUMP] = { FALSE, RANDOM_JUMPS }, [POWER] = { FALSE, RANDOM_JUMPS },
  };
  static const RandomFunction power = { 0, RANDOM_RANGE_OPEN }, special = { 1024, RANDOM_RANGE_OPEN };

  if (random_is_float (type) && row->kind == POWER)
    return random_numbers_function (type, row->scalar, &power, known, 2);
  if (row->kind == SPECIAL)
    return random_numbers_function (type, row->scalar, &special, known, 2);

  return random_numbers_exact (type, &rules[row->kind], known, 2);
}

static gboolean
make_broadcasting (RandomProgram *self,
                   guint          value)
{
  RandomType type = self->values[value].type, result, partner;
  const Broadcast *row = NULL;
  guint operands[2] = { value };
  RandomNumbers known[2], numbers;
  gint64 map[RANDOM_MAX_RANK];

  if (random_is_complex (type.element))
    return FALSE;
  while (row == NULL)
    {
      const Broadcast *candidate = &broadcasts[random_pick (self, G_N_ELEMENTS (broadcasts))];

      if (ghlo_scalar_is_defined (candidate->scalar, ghlo_element_info (type.element)->element_class))
        row = candidate;
    }
  partner = choose_partner (self, &type, &result);
  if (!random_fits (self, &result))
    return FALSE;
  operands[1] = random_like (self, &partner);
  if (random_once (self, 2))
    {
      operands[0] = operands[1];
      operands[1] = value;
    }
  known[0] = self->values[operands[0]].numbers;
  known[1] = self->values[operands[1]].numbers;
  numbers = broadcast_numbers (row, type.element, known);
  if (!random_allows (self, numbers))
    return FALSE;
  for (guint i = 0; i < partner.rank; i++)
    map[i] = result.rank - partner.rank + i;
  random_op (self, random_printf (self, "chlo.broadcast_%s", random_scalar_mnemonic (row->scalar)), operands, 2,
             partner.rank < result.rank && random_once (self, 2)
             ? random_printf (self, " {broadcast_dimensions = array<i64%s%s>}", partner.rank > 0 ? ": " : "",
                              random_list (self, map, partner.rank)) : "", &result, numbers);

  return TRUE;
}

static gboolean
make_broadcast_other (RandomProgram *self,
                      guint          value)
{
  static const char *const words[] = { "EQ", "NE", "LT", "LE", "GT", "GE" };
  static const RandomRule jumps = { FALSE, RANDOM_JUMPS };
  RandomType type = self->values[value].type, result, partner = choose_partner (self, &type, &result), predicate;
  guint operands[3] = { value };
  RandomNumbers known[2] = { self->values[value].numbers }, numbers;

  if (!random_fits (self, &result))
    return FALSE;
  operands[1] = random_like (self, &partner);
  known[1] = self->values[operands[1]].numbers;
  if (random_once (self, 3) && !random_is_complex (type.element))
    {
      result.element = GHLO_ELEMENT_TYPE_I1;
      numbers = random_numbers_exact (result.element, &jumps, known, 2);
      if (!random_allows (self, numbers))
        return FALSE;
      random_op (self, "chlo.broadcast_compare", operands, 2,
                 random_printf (self, " {comparison_direction = #chlo<comparison_direction %s>}",
                                words[random_pick (self, 6)]), &result, numbers);
      return TRUE;
    }
  numbers = random_numbers_join (known[0], known[1]);
  if (random_once (self, 2) && (type.element == GHLO_ELEMENT_TYPE_F32 || type.element == GHLO_ELEMENT_TYPE_F64))
    {
      result.element = type.element == GHLO_ELEMENT_TYPE_F64 ? GHLO_ELEMENT_TYPE_COMPLEX_F64
                                                             : GHLO_ELEMENT_TYPE_COMPLEX_F32;
      random_op (self, "chlo.broadcast_complex", operands, 2, "", &result, numbers);
      return TRUE;
    }
  predicate = result;
  predicate.element = GHLO_ELEMENT_TYPE_I1;
  for (guint i = 0; i < predicate.rank; i++)
    predicate.dimensions[i] = random_once (self, 3) ? 1 : predicate.dimensions[i];
  operands[2] = operands[1];
  operands[1] = value;
  operands[0] = random_like (self, &predicate);
  numbers.trust = MIN (numbers.trust, self->values[operands[0]].numbers.trust);
  numbers.reordered |= self->values[operands[0]].numbers.reordered;
  if (!random_allows (self, numbers))
    return FALSE;
  random_op (self, "chlo.broadcast_select", operands, 3, "", &result, numbers);

  return TRUE;
}

/* At small integer orders and positive operands, where the functions are bounded. */
static gboolean
make_special (RandomProgram *self,
              guint          value)
{
  static const RandomFunction special = { 1024, RANDOM_RANGE_OPEN };
  GhloScalarKind kind = random_once (self, 2) ? GHLO_SCALAR_POLYGAMMA : GHLO_SCALAR_ZETA;
  RandomType type = self->values[value].type;
  guint operands[2] = { value };
  RandomNumbers known[2] = { self->values[value].numbers }, numbers;

  if (!random_is_float (type.element))
    return FALSE;
  operands[1] = random_like (self, &type);
  known[1] = self->values[operands[1]].numbers;
  numbers = random_numbers_function (type.element, kind, &special, known, 2);
  if (!random_allows (self, numbers))
    return FALSE;
  typed_op (self, random_scalar_mnemonic (kind), operands, 2, &type, numbers);

  return TRUE;
}

const RandomMaker random_chlo_makers[] = {
  { "function", make_function, 16, 5, RANDOM_TAKES_SCALAR },
  { "exact", make_exact, 8, 5, RANDOM_TAKES_SCALAR },
  { "broadcasting", make_broadcasting, 14, 5, RANDOM_TAKES_SCALAR },
  { "broadcast other", make_broadcast_other, 6, 3, RANDOM_TAKES_SCALAR },
  { "special", make_special, 3, 1, RANDOM_TAKES_SCALAR },
  { NULL },
};
