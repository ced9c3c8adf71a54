/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products of tiles. A group of invocations has a strip of 16 rows, as matrices of 16 columns that alternate between
 * the column groups. These are cooperative matrices; or else each invocation has a row of each, and reads the numbers
 * that it multiplies from shared memory.
 */

#include "gpu/spirv/attention-private.h"

#include "kernel/lower.h"

static gboolean
has_matrices (const SpirvAttention *self)
{
  return self->shape->subgroup > 0;
}

/* Describes operands stored like @tile as operands of a product's matrices. */
static void
describe (const SpirvAttention *self,
          const SpirvTile      *tile,
          gboolean              is_inner_adjacent,
          SpirvMatrices        *matrices)
{
  *matrices = (SpirvMatrices) { .product = self->scores };
  for (guint i = 0; i < 2; i++)
    matrices->blocks[i] = (SpirvBlocks) { .vector = self->vector, .shared = self->shared, .pitch = tile->pitch,
                                          .is_inner_adjacent = is_inner_adjacent };
}

static Id
make_sums (const SpirvAttention *attention)
{
  Spirv *self = attention->spirv;
  Id n = ghlo_spirv_u32 (self, GHLO_SPIRV_MATRIX);

  if (has_matrices (attention))
    return ghlo_spirv_matrix_variable (attention->scores, GHLO_SPIRV_RESULT);

  return ghlo_spirv_variable (self, ghlo_spirv_unique (self->builder, SpvOpTypeArray, 0,
                                                       GHLO_SPIRV_WORDS (attention->number, n)));
}

void
ghlo_spirv_attention_make (SpirvAttention *self)
{
  const guint n_columns = GHLO_SPIRV_MATRIX * self->shape->n_column_groups;

  self->n_scores = self->shape->n_length / n_columns;
  self->n_results = self->shape->n_columns / n_columns;
  g_assert (MAX (self->n_scores, self->n_results) <= GHLO_SPIRV_MAX_STRIP);
  for (guint i = 0; i < self->n_scores; i++)
    self->sums[i] = make_sums (self);
  for (guint i = 0; i < self->n_results; i++)
    self->results[i] = make_sums (self);
  for (guint tensor = 0; tensor < GHLO_SPIRV_RESULT && has_matrices (self); tensor++)
    for (guint plane = 0; plane < self->shape->n_planes; plane++)
      self->matrices[tensor][plane] = ghlo_spirv_matrix_variable (self->scores, tensor);
}

static Id
find_sum (const SpirvAttention *attention,
          Id                    sums,
          Id                    column)
{
  Spirv *self = attention->spirv;

  return CODE (SpvOpAccessChain, ghlo_spirv_pointer_type (self, SpvStorageClassFunction, attention->number), sums,
               column);
}

void
ghlo_spirv_attention_clear (const SpirvAttention *attention,
                            const Id             *sums,
                            guint                 n)
{
  Spirv *self = attention->spirv;

  for (guint i = 0; i < n; i++)
    if (has_matrices (attention))
      ghlo_spirv_matrix_clear (attention->scores, sums[i]);
    else
      for (guint c = 0; c < GHLO_SPIRV_MATRIX; c++)
        STATEMENT (SpvOpStore, find_sum (attention, sums[i], ghlo_spirv_u32 (self, c)),
                   ghlo_spirv_constant (self, GHLO_ELEMENT_TYPE_F32, 0));
}

/* Returns the first column of the group's matrix @index. */
static Id
find_column (const SpirvAttention *attention,
             guint                 index)
{
  Spirv *self = attention->spirv;
  Id number = ghlo_spirv_add_u32 (self, attention->column_group, index * attention->shape->n_column_groups);

  return CODE (SpvOpIMul, self->u32, number, ghlo_spirv_u32 (self, GHLO_SPIRV_MATRIX));
}

/* Returns the group's first row. */
static Id
find_row (const SpirvAttention *attention)
{
  Spirv *self = attention->spirv;

  return CODE (SpvOpIMul, self->u32, attention->strip, ghlo_spirv_u32 (self, GHLO_SPIRV_MATRIX));
}

/* Loads the matrix of an operand that starts at (@outer, @inner) of @tile, for all planes. */
static void
load_matrix (const SpirvAttention *attention,
             guint                 tensor,
             const SpirvTile      *tile,
             gboolean              is_inner_adjacent,
             Id                    outer,
             Id                    inner)
{
  Spirv *self = attention->spirv;
  const guint unit = ghlo_spirv_attention_unit (attention->shape);
  Id place = ghlo_spirv_attention_place (attention, tile, outer,
                                         CODE (SpvOpUDiv, self->u32, inner, ghlo_spirv_u32 (self, unit)));
  SpirvMatrices matrices;

  describe (attention, tile, is_inner_adjacent, &matrices);
  for (guint plane = 0; plane < attention->shape->n_planes; plane++)
    ghlo_spirv_matrix_load (&matrices, tensor, attention->matrices[tensor][plane],
                            ghlo_spirv_add_u32 (self, place, plane * tile->plane));
}

/* Adds the small products first. */
static void
multiply_matrices (const SpirvAttention *attention,
                   Id                    sums)
{
  const Id *a = attention->matrices[GHLO_SPIRV_LHS], *b = attention->matrices[GHLO_SPIRV_RHS];

  if (attention->shape->n_planes > 1)
    {
      ghlo_spirv_matrix_multiply (attention->scores, a[0], b[1], sums);
      ghlo_spirv_matrix_multiply (attention->scores, a[1], b[0], sums);
    }
  ghlo_spirv_matrix_multiply (attention->scores, a[0], b[0], sums);
}

static void
multiply_by_matrices (const SpirvAttention *attention,
                      const SpirvTile      *a,
                      const SpirvTile      *b,
                      gboolean              is_inner_adjacent,
                      guint                 n_inner,
                      const Id             *sums,
                      guint                 n)
{
  Spirv *self = attention->spirv;

  for (guint k = 0; k < n_inner; k += GHLO_SPIRV_MATRIX)
    {
      Id inner = ghlo_spirv_u32 (self, k);

      load_matrix (attention, GHLO_SPIRV_LHS, a, TRUE, find_row (attention), inner);
      for (guint i = 0; i < n; i++)
        {
          Id column = find_column (attention, i);

          if (is_inner_adjacent)
            load_matrix (attention, GHLO_SPIRV_RHS, b, TRUE, column, inner);
          else
            load_matrix (attention, GHLO_SPIRV_RHS, b, FALSE, inner, column);
          multiply_matrices (attention, sums[i]);
        }
    }
}

/* Returns the number at (@outer, @inner) of a plane of @tile. */
static Id
read_number (const SpirvAttention *attention,
             const SpirvTile      *tile,
             guint                 plane,
             Id                    outer,
             Id                    inner)
{
  Spirv *self = attention->spirv;
  const GhloElementType component = attention->shape->component;
  const guint unit = ghlo_spirv_attention_unit (attention->shape), n_each = unit / GHLO_SPIRV_VECTOR;
  Id place, rest, word, half;

  place = ghlo_spirv_divide (self, inner, ghlo_spirv_u32 (self, unit), &rest);
  place = ghlo_spirv_add_u32 (self, ghlo_spirv_attention_place (attention, tile, outer, place), plane * tile->plane);
  word = n_each == 1 ? rest : CODE (SpvOpShiftRightLogical, self->u32, rest, ghlo_spirv_u32 (self, 1));
  word = CODE (SpvOpAccessChain, ghlo_spirv_pointer_type (self, SpvStorageClassWorkgroup, self->u32),
               attention->shared, place, word);
  word = CODE (SpvOpLoad, self->u32, word);
  if (n_each == 1)
    return CODE (SpvOpBitcast, attention->number, word);
  half = CODE (SpvOpBitwiseAnd, self->u32, rest, ghlo_spirv_u32 (self, 1));
  word = CODE (SpvOpShiftRightLogical, self->u32, word,
               CODE (SpvOpIMul, self->u32, half, ghlo_spirv_u32 (self, 16)));
  /* bf16 is the upper half of f32. */
  if (component == GHLO_ELEMENT_TYPE_BF16)
    return CODE (SpvOpBitcast, attention->number,
                 CODE (SpvOpShiftLeftLogical, self->u32, word, ghlo_spirv_u32 (self, 16)));

  return ghlo_spirv_product_number (attention->scores, GHLO_SPIRV_LHS,
                                    CODE (SpvOpUConvert, ghlo_spirv_integer_type (self, 16), word));
}

/* Adds all products of planes, except for low × low. */
static Id
multiply_numbers (const SpirvAttention *attention,
                  const Id             *a,
                  const Id             *b,
                  Id                    sum)
{
  Spirv *self = attention->spirv;

  if (attention->shape->n_planes > 1)
    {
      sum = GLSL (Fma, attention->number, a[0], b[1], sum);
      sum = GLSL (Fma, attention->number, a[1], b[0], sum);
    }

  return GLSL (Fma, attention->number, a[0], b[0], sum);
}

/* For emulated matrices with components of 16 bits: multiplies column by column. */
static void
multiply_narrow (const SpirvAttention *attention,
                 const SpirvTile      *a,
                 const SpirvTile      *b,
                 gboolean              is_inner_adjacent,
                 Id                    inner,
                 const Id             *sums,
                 guint                 n)
{
  Spirv *self = attention->spirv;
  const guint n_planes = attention->shape->n_planes;
  Id row = CODE (SpvOpIAdd, self->u32, find_row (attention), attention->in_group), x[2], y[2];

  for (guint plane = 0; plane < n_planes; plane++)
    x[plane] = read_number (attention, a, plane, row, inner);
  for (guint i = 0; i < n; i++)
    {
      SpirvLoop loop = ghlo_spirv_begin_large_loop (self, ghlo_spirv_u64 (self, 0),
                                                    ghlo_spirv_u64 (self, GHLO_SPIRV_MATRIX));
      Id c = CODE (SpvOpUConvert, self->u32, loop.index), place = find_sum (attention, sums[i], c);
      Id column = CODE (SpvOpIAdd, self->u32, find_column (attention, i), c);

      for (guint plane = 0; plane < n_planes; plane++)
        y[plane] = is_inner_adjacent ? read_number (attention, b, plane, column, inner)
                                     : read_number (attention, b, plane, inner, column);
      STATEMENT (SpvOpStore, place, multiply_numbers (attention, x, y, CODE (SpvOpLoad, attention->number, place)));
      ghlo_spirv_end_loop (self, loop, ghlo_spirv_u64 (self, 1));
    }
}

/* Reads four numbers of f32 from (@outer, @inner) of @tile on. */
static void
read_vector (const SpirvAttention *attention,
             const SpirvTile      *tile,
             Id                    outer,
             Id                    inner,
             Id                   *numbers)
{
  Spirv *self = attention->spirv;
  Id index = CODE (SpvOpShiftRightLogical, self->u32, inner, ghlo_spirv_u32 (self, 2));

  ghlo_spirv_attention_numbers (attention, ghlo_spirv_attention_load (attention, ghlo_spirv_attention_place
                                                                      (attention, tile, outer, index)), numbers);
}

/* Multiplies four columns, from column @c of the matrix on, by four steps of k. */
static void
multiply_four (const SpirvAttention *attention,
               const Id             *a,
               const SpirvTile      *b,
               gboolean              is_inner_adjacent,
               Id                    inner,
               Id                    column,
               Id                    sums,
               guint                 c)
{
  Spirv *self = attention->spirv;
  Id numbers[GHLO_SPIRV_VECTOR][GHLO_SPIRV_VECTOR];

  for (guint i = 0; i < GHLO_SPIRV_VECTOR; i++)
    if (is_inner_adjacent)
      read_vector (attention, b, ghlo_spirv_add_u32 (self, column, c + i), inner, numbers[i]);
    else
      read_vector (attention, b, ghlo_spirv_add_u32 (self, inner, i), ghlo_spirv_add_u32 (self, column, c),
                   numbers[i]);
  for (guint i = 0; i < GHLO_SPIRV_VECTOR; i++)
    {
      Id place = find_sum (attention, sums, ghlo_spirv_u32 (self, c + i));
      Id sum = CODE (SpvOpLoad, attention->number, place);

      for (guint k = 0; k < GHLO_SPIRV_VECTOR; k++)
        sum = multiply_numbers (attention, &a[k], is_inner_adjacent ? &numbers[i][k] : &numbers[k][i], sum);
      STATEMENT (SpvOpStore, place, sum);
    }
}

static void
multiply_by_numbers (const SpirvAttention *attention,
                     const SpirvTile      *a,
                     const SpirvTile      *b,
                     gboolean              is_inner_adjacent,
                     guint                 n_inner,
                     const Id             *sums,
                     guint                 n)
{
  Spirv *self = attention->spirv;
  const gboolean is_narrow = attention->shape->component != GHLO_ELEMENT_TYPE_F32;
  SpirvLoop loop = ghlo_spirv_begin_large_loop (self, ghlo_spirv_u64 (self, 0), ghlo_spirv_u64 (self, n_inner));
  Id inner = CODE (SpvOpUConvert, self->u32, loop.index), numbers[GHLO_SPIRV_VECTOR];

  if (is_narrow)
    multiply_narrow (attention, a, b, is_inner_adjacent, inner, sums, n);
  else
    read_vector (attention, a, CODE (SpvOpIAdd, self->u32, find_row (attention), attention->in_group), inner, numbers);
  for (guint i = 0; i < n && !is_narrow; i++)
    for (guint c = 0; c < GHLO_SPIRV_MATRIX; c += GHLO_SPIRV_VECTOR)
      multiply_four (attention, numbers, b, is_inner_adjacent, inner, find_column (attention, i), sums[i], c);
  ghlo_spirv_end_loop (self, loop, ghlo_spirv_u64 (self, is_narrow ? 1 : GHLO_SPIRV_VECTOR));
}

void
ghlo_spirv_attention_multiply (const SpirvAttention *self,
                               const SpirvTile      *a,
                               const SpirvTile      *b,
                               gboolean              is_inner_adjacent,
                               guint                 n_inner,
                               const Id             *sums,
                               guint                 n)
{
  if (has_matrices (self))
    multiply_by_matrices (self, a, b, is_inner_adjacent, n_inner, sums, n);
  else
    multiply_by_numbers (self, a, b, is_inner_adjacent, n_inner, sums, n);
}

void
ghlo_spirv_attention_rescale (const SpirvAttention *attention)
{
  Spirv *self = attention->spirv;
  Id zero = ghlo_spirv_u32 (self, 0), row, factors[GHLO_SPIRV_VECTOR];
  SpirvMatrices matrices;

  describe (attention, &attention->logits, TRUE, &matrices);
  if (has_matrices (attention))
    {
      Id place = ghlo_spirv_attention_place (attention, &attention->logits, find_row (attention), zero);

      for (guint i = 0; i < attention->n_results; i++)
        ghlo_spirv_matrix_scale (&matrices, GHLO_SPIRV_LHS, attention->results[i], place, attention->logits.pitch);
      return;
    }
  row = CODE (SpvOpIAdd, self->u32, find_row (attention), attention->in_group);
  row = ghlo_spirv_attention_place (attention, &attention->logits, row, zero);
  ghlo_spirv_attention_numbers (attention, ghlo_spirv_attention_load (attention, row), factors);
  for (guint i = 0; i < attention->n_results; i++)
    for (guint c = 0; c < GHLO_SPIRV_MATRIX; c++)
      {
        Id place = find_sum (attention, attention->results[i], ghlo_spirv_u32 (self, c));
        Id sum = CODE (SpvOpLoad, attention->number, place);

        STATEMENT (SpvOpStore, place, CODE (SpvOpFMul, attention->number, sum, factors[0]));
      }
}

/* Writes the matrix @sums to the group's rows of the tile of logits, starting at vector @at of each row. */
static void
put_matrix (const SpirvAttention *attention,
            Id                    sums,
            Id                    at)
{
  const SpirvTile *tile = &attention->logits;
  Spirv *self = attention->spirv;
  SpirvMatrices matrices;
  Id place, row;

  if (has_matrices (attention))
    {
      describe (attention, tile, TRUE, &matrices);
      place = ghlo_spirv_attention_place (attention, tile, find_row (attention), at);
      ghlo_spirv_matrix_put (&matrices, GHLO_SPIRV_LHS, sums, place, tile->pitch);
      return;
    }
  row = CODE (SpvOpIAdd, self->u32, find_row (attention), attention->in_group);
  place = ghlo_spirv_attention_place (attention, tile, row, at);
  for (guint c = 0; c < GHLO_SPIRV_MATRIX; c += GHLO_SPIRV_VECTOR)
    {
      Id numbers[GHLO_SPIRV_VECTOR];

      for (guint i = 0; i < GHLO_SPIRV_VECTOR; i++)
        numbers[i] = CODE (SpvOpLoad, attention->number, find_sum (attention, sums, ghlo_spirv_u32 (self, c + i)));
      ghlo_spirv_attention_store (attention, ghlo_spirv_add_u32 (self, place, c / GHLO_SPIRV_VECTOR),
                                  ghlo_spirv_attention_vector (attention, numbers));
    }
}

void
ghlo_spirv_attention_put (const SpirvAttention *attention,
                          const Id             *sums,
                          guint                 n,
                          guint                 from,
                          guint                 end)
{
  Spirv *self = attention->spirv;
  const guint width = GHLO_SPIRV_MATRIX * attention->shape->n_column_groups;

  for (guint i = 0; i < n; i++)
    if (i * width >= from && i * width < end)
      {
        Id column = ghlo_spirv_add_u32 (self, find_column (attention, i), -from);

        put_matrix (attention, sums[i], CODE (SpvOpShiftRightLogical, self->u32, column, ghlo_spirv_u32 (self, 2)));
      }
}
