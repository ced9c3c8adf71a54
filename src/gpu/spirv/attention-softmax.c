/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The softmax of a block. The invocations of a row share out its columns: each computes the logits of its part, and
 * publishes their maximum to the others.
 *
 * The power of a logit, its exponential, is computed from its difference to the maximum so far, or to 0 while that
 * maximum is minus infinity. So a row that is fully masked in this block does not become NaN, and keeps the
 * contributions of other blocks. A row that is fully masked in all blocks does become NaN, since it is divided by a sum
 * of 0. Where a logit is NaN or infinity, its power is NaN, and so are the sum and the row.
 */

#include "gpu/spirv/attention-private.h"

#include <math.h>

#include "kernel/lower.h"

/* Exponents of 2 are clamped to this, whose power is 0, like that of minus infinity. */
#define LEAST_EXPONENT -200.0

/* Returns a pointer to the word of the workgroup's invocation @number. */
static Id
find_published (const SpirvAttention *attention,
                Id                    number)
{
  Spirv *self = attention->spirv;
  Id pointer = ghlo_spirv_pointer_type (self, SpvStorageClassWorkgroup, self->u32);
  Id place = CODE (SpvOpShiftRightLogical, self->u32, number, ghlo_spirv_u32 (self, 2));
  Id word = CODE (SpvOpBitwiseAnd, self->u32, number, ghlo_spirv_u32 (self, 3));

  return CODE (SpvOpAccessChain, pointer, attention->shared,
               ghlo_spirv_add_u32 (self, place, attention->numbers_at), word);
}

void
ghlo_spirv_attention_publish (const SpirvAttention *attention,
                              Id                    number)
{
  Spirv *self = attention->spirv;
  Id place = find_published (attention, attention->lane);

  ghlo_spirv_attention_set (attention, place, CODE (SpvOpBitcast, self->u32, number));
}

Id
ghlo_spirv_attention_published (const SpirvAttention *attention,
                                guint                 part)
{
  Spirv *self = attention->spirv;
  Id number = CODE (SpvOpIMul, self->u32, attention->row, ghlo_spirv_u32 (self, attention->n_parts));
  Id place = find_published (attention, ghlo_spirv_add_u32 (self, number, part));

  return CODE (SpvOpBitcast, attention->number, ghlo_spirv_attention_get (attention, self->u32, place));
}

static Id
real (const SpirvAttention *self,
      double                value)
{
  return ghlo_spirv_real (self->spirv, GHLO_ELEMENT_TYPE_F32, value);
}

/* Returns 2^(@difference × log2 (e)); @difference must be at most 0, or NaN. */
static Id
power_of (const SpirvAttention *attention,
          Id                    difference)
{
  Spirv *self = attention->spirv;
  Id exponent = CODE (SpvOpFMul, attention->number, difference, real (attention, M_LOG2E)), power, is_nan;

  exponent = GLSL (NMax, attention->number, exponent, real (attention, LEAST_EXPONENT));
  power = GLSL (Exp2, attention->number, exponent);
  is_nan = CODE (SpvOpFUnordNotEqual, self->boolean, difference, difference);

  return ghlo_spirv_select (self, attention->number, is_nan, difference, power);
}

/* Returns the number of columns of the block per invocation, a whole number of vectors. */
static guint
count_own (const SpirvAttention *self)
{
  g_assert (self->n_parts > 0);

  return self->shape->n_length / self->n_parts;
}

/* Returns the column of the block that is column @at of the invocation's own. */
static Id
find_column (const SpirvAttention *attention,
             Id                    at)
{
  Spirv *self = attention->spirv;
  Id first = CODE (SpvOpIMul, self->u32, attention->part, ghlo_spirv_u32 (self, count_own (attention)));

  return CODE (SpvOpIAdd, self->u32, first, at);
}

static Id
find_place (const SpirvAttention *attention,
            Id                    column)
{
  Spirv *self = attention->spirv;

  return ghlo_spirv_attention_place (attention, &attention->logits, attention->row,
                                     CODE (SpvOpShiftRightLogical, self->u32, column, ghlo_spirv_u32 (self, 2)));
}

/* Computes the logits of four scores in the columns from @first on. Operands for columns and rows outside the tensors
 * are read from the last ones instead. */
static void
compute_logits (const SpirvAttention *attention,
                Id                    first,
                Id                   *numbers)
{
  const SpirvProduct *scores = attention->scores;
  const GhloSpirvEpilogue *epilogue = scores->product->epilogue;
  Spirv *self = attention->spirv;
  Id columns[GHLO_SPIRV_TOGETHER], n = attention->operands[GHLO_SPIRV_KEYS].n_rows, row;
  SpirvElements of_columns, elements;

  for (guint i = 0; i < GHLO_SPIRV_TOGETHER; i++)
    {
      columns[i] = ghlo_spirv_add_u32 (self, first, i);
      numbers[i] = ghlo_spirv_product_number (scores, GHLO_SPIRV_RESULT, numbers[i]);
    }
  if (epilogue != NULL)
    {
      Id clamped[GHLO_SPIRV_TOGETHER];

      /* The number of columns is a multiple of four if any access reads four at once. */
      for (guint i = 0; i < GHLO_SPIRV_TOGETHER; i++)
        clamped[i] = GLSL (UMin, self->u32, columns[i],
                           ghlo_spirv_add_u32 (self, n, epilogue->adjacent != 0 ? i - GHLO_SPIRV_TOGETHER : -1u));
      row = CODE (SpvOpIAdd, self->u32, attention->first_row, attention->row);
      row = GLSL (UMin, self->u32, row, ghlo_spirv_add_u32 (self, attention->operands[GHLO_SPIRV_QUERIES].n_rows, -1u));
      ghlo_spirv_epilogue_columns (scores, clamped, GHLO_SPIRV_TOGETHER, epilogue->adjacent != 0, &of_columns);
      ghlo_spirv_epilogue_row (scores, &of_columns, row, &elements);
      for (guint i = 0; i < GHLO_SPIRV_TOGETHER; i++)
        numbers[i] = ghlo_spirv_epilogue_value (scores, &elements, i, numbers[i]);
    }
  for (guint i = 0; i < GHLO_SPIRV_TOGETHER; i++)
    {
      Id is_there = CODE (SpvOpULessThan, self->boolean, columns[i], n);

      numbers[i] = ghlo_spirv_product_number (attention->values, GHLO_SPIRV_LHS, numbers[i]);
      numbers[i] = ghlo_spirv_select (self, attention->number, is_there, numbers[i], real (attention, -INFINITY));
    }
}

void
ghlo_spirv_attention_logits (const SpirvAttention *attention,
                             Id                    begin)
{
  Spirv *self = attention->spirv;
  Id most = ghlo_spirv_variable (self, attention->number), column, place, value, numbers[GHLO_SPIRV_TOGETHER];
  SpirvLoop loop;

  STATEMENT (SpvOpStore, most, real (attention, -INFINITY));
  loop = ghlo_spirv_begin_loop (self, ghlo_spirv_u64 (self, 0), ghlo_spirv_u64 (self, count_own (attention)));
  column = find_column (attention, CODE (SpvOpUConvert, self->u32, loop.index));
  place = find_place (attention, column);
  ghlo_spirv_attention_numbers (attention, ghlo_spirv_attention_load (attention, place), numbers);
  compute_logits (attention, CODE (SpvOpIAdd, self->u32, begin, column), numbers);
  ghlo_spirv_attention_store (attention, place, ghlo_spirv_attention_vector (attention, numbers));
  value = CODE (SpvOpLoad, attention->number, most);
  for (guint i = 0; i < GHLO_SPIRV_TOGETHER; i++)
    value = GLSL (NMax, attention->number, value, numbers[i]);
  STATEMENT (SpvOpStore, most, value);
  ghlo_spirv_end_loop (self, loop, ghlo_spirv_u64 (self, GHLO_SPIRV_TOGETHER));
  ghlo_spirv_attention_publish (attention, CODE (SpvOpLoad, attention->number, most));
}

/* Computes the powers of the invocation's columns, stores them as weights of values, and returns their sum. */
static Id
compute_powers (const SpirvAttention *attention,
                Id                    subtracted)
{
  Spirv *self = attention->spirv;
  const guint n = ghlo_spirv_attention_unit (attention->shape);
  const gboolean is_narrow = ghlo_spirv_attention_is_narrow (attention->shape);
  Id sum = ghlo_spirv_variable (self, attention->number), column, place, value;
  Id numbers[2 * GHLO_SPIRV_VECTOR], planes[2];
  SpirvLoop loop;

  STATEMENT (SpvOpStore, sum, real (attention, 0));
  loop = ghlo_spirv_begin_loop (self, ghlo_spirv_u64 (self, 0), ghlo_spirv_u64 (self, count_own (attention)));
  column = find_column (attention, CODE (SpvOpUConvert, self->u32, loop.index));
  place = find_place (attention, column);
  value = CODE (SpvOpLoad, attention->number, sum);
  for (guint i = 0; i < n; i += GHLO_SPIRV_VECTOR)
    ghlo_spirv_attention_numbers (attention, ghlo_spirv_attention_load (attention, ghlo_spirv_add_u32 (self, place,
                                                                                                      i / 4)),
                                  numbers + i);
  for (guint i = 0; i < n; i++)
    {
      numbers[i] = power_of (attention, CODE (SpvOpFSub, attention->number, numbers[i], subtracted));
      value = CODE (SpvOpFAdd, attention->number, value, numbers[i]);
      if (is_narrow)
        numbers[i] = ghlo_spirv_product_number (attention->weights, GHLO_SPIRV_RESULT, numbers[i]);
    }
  STATEMENT (SpvOpStore, sum, value);
  ghlo_spirv_attention_pack (attention, numbers, planes);
  place = ghlo_spirv_attention_place (attention, &attention->powers, attention->row,
                                      CODE (SpvOpUDiv, self->u32, column, ghlo_spirv_u32 (self, n)));
  for (guint plane = 0; plane < attention->shape->n_planes; plane++)
    ghlo_spirv_attention_store (attention, ghlo_spirv_add_u32 (self, place, plane * attention->powers.plane),
                                planes[plane]);
  ghlo_spirv_end_loop (self, loop, ghlo_spirv_u64 (self, n));

  return CODE (SpvOpLoad, attention->number, sum);
}

/* Stored by the first invocation of a row, to which these columns belong: it has already read the logits there. */
static void
store_factor (const SpirvAttention *attention,
              Id                    factor)
{
  Spirv *self = attention->spirv;
  const Id numbers[] = { factor, factor, factor, factor };
  Id exit = ghlo_spirv_begin_if (self, CODE (SpvOpIEqual, self->boolean, attention->part, ghlo_spirv_u32 (self, 0)));
  Id vector = ghlo_spirv_attention_vector (attention, numbers);

  for (guint i = 0; i < GHLO_SPIRV_MATRIX / GHLO_SPIRV_VECTOR; i++)
    ghlo_spirv_attention_store (attention, ghlo_spirv_attention_place (attention, &attention->logits, attention->row,
                                                                       ghlo_spirv_u32 (self, i)), vector);
  ghlo_spirv_end_if (self, exit);
}

void
ghlo_spirv_attention_powers (const SpirvAttention *attention)
{
  Spirv *self = attention->spirv;
  Id before = CODE (SpvOpLoad, attention->number, attention->maximum), most = before;
  Id is_none, subtracted, factor, total;

  for (guint part = 0; part < attention->n_parts; part++)
    most = GLSL (NMax, attention->number, most, ghlo_spirv_attention_published (attention, part));
  is_none = CODE (SpvOpFOrdEqual, self->boolean, most, real (attention, -INFINITY));
  subtracted = ghlo_spirv_select (self, attention->number, is_none, real (attention, 0), most);
  factor = power_of (attention, CODE (SpvOpFSub, attention->number, before, subtracted));
  STATEMENT (SpvOpStore, attention->maximum, most);
  total = CODE (SpvOpFMul, attention->number, CODE (SpvOpLoad, attention->number, attention->total), factor);
  total = CODE (SpvOpFAdd, attention->number, total, compute_powers (attention, subtracted));
  STATEMENT (SpvOpStore, attention->total, total);
  store_factor (attention, factor);
}
