/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tiles whose invocations multiply scalars: the loop over k, and the storing of sums. The elements of the next step of
 * k are fetched while those in shared memory are multiplied.
 */

#include "gpu/spirv/product-private.h"
#include "kernel/lower.h"

/* The accumulators of an invocation: vectors of columns for each of its rows. */
typedef struct
{
  guint n_rows, n_vectors;
  Id    variables[GHLO_SPIRV_MAX_ROWS][GHLO_SPIRV_MAX_ROWS];
} Sums;

static void
begin_sums (const SpirvProduct *product,
            Sums               *sums)
{
  Spirv *self = product->spirv;
  const SpirvSide *columns = &product->sides[GHLO_SPIRV_RHS];
  Id zero = ghlo_spirv_unique (self->builder, SpvOpConstantNull, columns->vector, NULL, 0);

  sums->n_rows = product->sides[GHLO_SPIRV_LHS].n_each;
  sums->n_vectors = columns->n_each / columns->width;
  for (guint i = 0; i < sums->n_rows; i++)
    for (guint j = 0; j < sums->n_vectors; j++)
      {
        sums->variables[i][j] = ghlo_spirv_variable (self, columns->vector);
        STATEMENT (SpvOpStore, sums->variables[i][j], zero);
      }
}

Id
ghlo_spirv_product_add (const SpirvProduct *product,
                        Id                  a,
                        Id                  b)
{
  Spirv *self = product->spirv;

  if (product->product->accumulator == GHLO_ELEMENT_TYPE_I1)
    return CODE (SpvOpBitwiseOr, product->element, a, b);

  return CODE (ghlo_node_types (product->number) == GHLO_NODE_TYPES_F ? SpvOpFAdd : SpvOpIAdd, product->element, a, b);
}

Id
ghlo_spirv_product_multiply_add (const SpirvProduct *product,
                                 Id                  type,
                                 Id                  a,
                                 Id                  b,
                                 Id                  sum)
{
  Spirv *self = product->spirv;

  if (product->product->accumulator == GHLO_ELEMENT_TYPE_I1)
    return CODE (SpvOpBitwiseOr, type, sum, CODE (SpvOpBitwiseAnd, type, a, b));
  if (product->product->is_rounded_twice)
    return ghlo_spirv_exact (self, CODE (SpvOpFAdd, type, sum, ghlo_spirv_exact (self, CODE (SpvOpFMul, type, a, b))));
  if (ghlo_node_types (product->number) == GHLO_NODE_TYPES_F)
    return GLSL (Fma, type, a, b, sum);

  return CODE (SpvOpIAdd, type, sum, CODE (SpvOpIMul, type, a, b));
}

/* Broadcasts element @index of the vectors @rows to all components of a vector of columns. */
static Id
spread_row (const SpirvProduct *product,
            const Id           *rows,
            guint               index)
{
  Spirv *self = product->spirv;
  const SpirvSide *lhs = &product->sides[GHLO_SPIRV_LHS], *rhs = &product->sides[GHLO_SPIRV_RHS];
  Id a = rows[index / lhs->width];

  if (lhs->width > 1)
    a = CODE (SpvOpCompositeExtract, product->element, a, index % lhs->width);

  return rhs->width == 1 ? a : CODE (SpvOpCompositeConstruct, rhs->vector, a, a, a, a);
}

/* Adds the products of step @k of the group of unrolled steps that begins at @begin of the staged block. */
static void
add_step (const SpirvProduct *product,
          const Sums         *sums,
          Id                  begin,
          guint               k,
          Id                  values[GHLO_SPIRV_MAX_ROWS][GHLO_SPIRV_MAX_ROWS])
{
  const SpirvSide *lhs = &product->sides[GHLO_SPIRV_LHS], *rhs = &product->sides[GHLO_SPIRV_RHS];
  Id rows[GHLO_SPIRV_MAX_ROWS], columns[GHLO_SPIRV_MAX_ROWS];

  for (guint i = 0; i < lhs->n_each / lhs->width; i++)
    rows[i] = ghlo_spirv_side_load (product, lhs, begin, k, i);
  for (guint j = 0; j < sums->n_vectors; j++)
    columns[j] = ghlo_spirv_side_load (product, rhs, begin, k, j);
  for (guint i = 0; i < sums->n_rows; i++)
    {
      Id row = spread_row (product, rows, i);

      for (guint j = 0; j < sums->n_vectors; j++)
        values[i][j] = ghlo_spirv_product_multiply_add (product, product->sides[GHLO_SPIRV_RHS].vector, row, columns[j],
                                                        values[i][j]);
    }
}

/* Adds the products of all staged steps of k. */
static void
add_products (const SpirvProduct *product,
              const Sums         *sums)
{
  Spirv *self = product->spirv;
  const Id vector = product->sides[GHLO_SPIRV_RHS].vector;
  Id values[GHLO_SPIRV_MAX_ROWS][GHLO_SPIRV_MAX_ROWS], begin;
  SpirvLoop loop = ghlo_spirv_begin_loop (self, ghlo_spirv_u64 (self, 0),
                                          ghlo_spirv_u64 (self, product->product->tile.n_inner));

  begin = CODE (SpvOpUConvert, self->u32, loop.index);
  for (guint i = 0; i < sums->n_rows; i++)
    for (guint j = 0; j < sums->n_vectors; j++)
      values[i][j] = CODE (SpvOpLoad, vector, sums->variables[i][j]);
  for (guint k = 0; k < GHLO_SPIRV_PRODUCT_UNROLLED; k++)
    add_step (product, sums, begin, k, values);
  for (guint i = 0; i < sums->n_rows; i++)
    for (guint j = 0; j < sums->n_vectors; j++)
      STATEMENT (SpvOpStore, sums->variables[i][j], values[i][j]);
  ghlo_spirv_end_loop (self, loop, ghlo_spirv_u64 (self, GHLO_SPIRV_PRODUCT_UNROLLED));
}

static void
fetch_sides (const SpirvProduct *product,
             Id                  begin)
{
  for (guint i = 0; i < 2; i++)
    ghlo_spirv_side_fetch (product, &product->sides[i], begin);
}

/* The conditions for whether there is anything to add, and for whether there is another step, are uniform across the
 * workgroup. */
static void
emit_loop (const SpirvProduct *product,
           const Sums         *sums)
{
  Spirv *self = product->spirv;
  const guint n_inner = product->product->tile.n_inner;
  Id exit = ghlo_spirv_begin_if (self, CODE (SpvOpULessThan, self->boolean, product->begin, product->end)), more, next;
  Id begin = CODE (SpvOpUConvert, self->u64, product->begin), end = CODE (SpvOpUConvert, self->u64, product->end);
  SpirvLoop loop;

  fetch_sides (product, product->begin);
  loop = ghlo_spirv_begin_loop (self, begin, end);
  for (guint i = 0; i < 2; i++)
    ghlo_spirv_side_stage (product, &product->sides[i]);
  ghlo_spirv_barrier (self);
  next = ghlo_spirv_add_u32 (self, CODE (SpvOpUConvert, self->u32, loop.index), n_inner);
  more = ghlo_spirv_begin_if (self, CODE (SpvOpULessThan, self->boolean, next, product->end));
  fetch_sides (product, next);
  ghlo_spirv_end_if (self, more);
  add_products (product, sums);
  ghlo_spirv_barrier (self);
  ghlo_spirv_end_loop (self, loop, ghlo_spirv_u64 (self, n_inner));
  ghlo_spirv_end_if (self, exit);
}

/* The rows or columns of an invocation: whether each exists, and its offset in bytes in the result. */
typedef struct
{
  Id is_there[GHLO_SPIRV_MAX_ROWS], offsets[GHLO_SPIRV_MAX_ROWS];
} Places;

static void
find_results (const SpirvProduct *product,
              const SpirvSide    *side,
              Places             *places)
{
  Spirv *self = product->spirv;

  for (guint i = 0; i < side->n_each; i++)
    {
      Id index = ghlo_spirv_side_index (product, side, ghlo_spirv_u32 (self, i));

      places->is_there[i] = CODE (SpvOpULessThan, self->boolean, index, side->count);
      places->offsets[i] = ghlo_spirv_product_offset (product, side->role, GHLO_SPIRV_RESULT, index);
    }
}

static void
store_row (const SpirvProduct *product,
           const Id           *sums,
           const Places       *columns,
           Id                  address)
{
  Spirv *self = product->spirv;
  const SpirvSide *rhs = &product->sides[GHLO_SPIRV_RHS];
  const GhloElementType stored = ghlo_kernel_stored_type (product->product->types[GHLO_SPIRV_RESULT]);

  for (guint j = 0; j < rhs->n_each; j++)
    {
      Id exit = ghlo_spirv_begin_if (self, columns->is_there[j]);
      Id value = CODE (SpvOpLoad, rhs->vector, sums[j / rhs->width]);

      if (rhs->width > 1)
        value = CODE (SpvOpCompositeExtract, product->element, value, j % rhs->width);
      ghlo_spirv_write (self, stored, CODE (SpvOpIAdd, self->u64, address, columns->offsets[j]),
                        ghlo_spirv_product_number (product, GHLO_SPIRV_RESULT, value));
      ghlo_spirv_end_if (self, exit);
    }
}

static void
store_sums (const SpirvProduct *product,
            const Sums         *sums)
{
  Spirv *self = product->spirv;
  Places rows, columns;

  find_results (product, &product->sides[GHLO_SPIRV_LHS], &rows);
  find_results (product, &product->sides[GHLO_SPIRV_RHS], &columns);
  for (guint i = 0; i < sums->n_rows; i++)
    {
      Id address = CODE (SpvOpIAdd, self->u64, product->addresses[GHLO_SPIRV_RESULT], rows.offsets[i]);
      Id exit = ghlo_spirv_begin_if (self, rows.is_there[i]);

      store_row (product, sums->variables[i], &columns, address);
      ghlo_spirv_end_if (self, exit);
    }
}

/* Copies all vectors of sums, row by row, into one array. */
static Id
gather_sums (const SpirvProduct *product,
             const Sums         *sums)
{
  Spirv *self = product->spirv;
  const Id vector = product->sides[GHLO_SPIRV_RHS].vector;
  Id n = ghlo_spirv_u32 (self, sums->n_rows * sums->n_vectors);
  Id array = ghlo_spirv_variable (self, ghlo_spirv_unique (self->builder, SpvOpTypeArray, 0,
                                                           GHLO_SPIRV_WORDS (vector, n)));
  Id pointer = ghlo_spirv_pointer_type (self, SpvStorageClassFunction, vector);

  for (guint i = 0; i < sums->n_rows; i++)
    for (guint j = 0; j < sums->n_vectors; j++)
      {
        Id sum = CODE (SpvOpLoad, vector, sums->variables[i][j]);
        Id place = CODE (SpvOpAccessChain, pointer, array, ghlo_spirv_u32 (self, i * sums->n_vectors + j));

        STATEMENT (SpvOpStore, place, sum);
      }

  return array;
}

void
ghlo_spirv_product_finish (const SpirvProduct *product,
                           Id                  row,
                           Id                  column,
                           Id                  sum)
{
  Spirv *self = product->spirv;
  const GhloElementType stored = ghlo_kernel_stored_type (product->product->types[GHLO_SPIRV_RESULT]);
  Id exit = ghlo_spirv_begin_if (self, CODE (SpvOpULessThan, self->boolean, column, product->sides[1].count));
  SpirvElements columns, elements;

  if (!product->product->is_dropped)
    {
      Id element = ghlo_spirv_product_number (product, GHLO_SPIRV_RESULT, sum), place;

      place = CODE (SpvOpIAdd, self->u64, product->addresses[GHLO_SPIRV_RESULT],
                    ghlo_spirv_product_offset (product, GHLO_SPIRV_ROWS, GHLO_SPIRV_RESULT, row));
      place = CODE (SpvOpIAdd, self->u64, place,
                    ghlo_spirv_product_offset (product, GHLO_SPIRV_COLUMNS, GHLO_SPIRV_RESULT, column));
      ghlo_spirv_write (self, stored, place, element);
    }
  if (product->product->epilogue != NULL)
    {
      ghlo_spirv_epilogue_columns (product, &column, 1, FALSE, &columns);
      ghlo_spirv_epilogue_row (product, &columns, row, &elements);
      ghlo_spirv_epilogue_finish (product, &(SpirvEpilogueRow) { &elements, &sum }, 1);
    }
  ghlo_spirv_end_if (self, exit);
}

/* For products with an epilogue. Loops over the invocation's vectors, since unrolled code would be large. */
static void
finish_sums (SpirvProduct *product,
             const Sums   *sums)
{
  Spirv *self = product->spirv;
  const SpirvSide *lhs = &product->sides[GHLO_SPIRV_LHS], *rhs = &product->sides[GHLO_SPIRV_RHS];
  Id array = gather_sums (product, sums), number, row, first, vector, exit;
  Id pointer = ghlo_spirv_pointer_type (self, SpvStorageClassFunction, rhs->vector);
  SpirvLoop loop;

  ghlo_spirv_epilogue_begin (product);
  loop = ghlo_spirv_begin_large_loop (self, ghlo_spirv_u64 (self, 0),
                                      ghlo_spirv_u64 (self, sums->n_rows * sums->n_vectors));
  number = CODE (SpvOpUConvert, self->u32, loop.index);
  row = ghlo_spirv_divide (self, number, ghlo_spirv_u32 (self, sums->n_vectors), &first);
  row = ghlo_spirv_side_index (product, lhs, row);
  first = CODE (SpvOpIMul, self->u32, first, ghlo_spirv_u32 (self, rhs->width));
  vector = CODE (SpvOpLoad, rhs->vector, CODE (SpvOpAccessChain, pointer, array, number));
  exit = ghlo_spirv_begin_if (self, CODE (SpvOpULessThan, self->boolean, row, lhs->count));
  for (guint c = 0; c < rhs->width; c++)
    ghlo_spirv_product_finish (product, row, ghlo_spirv_side_index (product, rhs, ghlo_spirv_add_u32 (self, first, c)),
                               rhs->width > 1 ? CODE (SpvOpCompositeExtract, product->element, vector, c) : vector);
  ghlo_spirv_end_if (self, exit);
  ghlo_spirv_end_loop (self, loop, ghlo_spirv_u64 (self, 1));
}

void
ghlo_spirv_numbers_body (SpirvProduct *product)
{
  Spirv *self = product->spirv;
  Id n_columns = ghlo_spirv_u32 (self, product->product->tile.n_column_threads);
  Sums sums;

  product->sides[GHLO_SPIRV_LHS].thread = ghlo_spirv_divide (self, product->lane, n_columns,
                                                             &product->sides[GHLO_SPIRV_RHS].thread);
  for (guint i = 0; i < 2; i++)
    ghlo_spirv_side_begin (product, &product->sides[i]);
  begin_sums (product, &sums);
  emit_loop (product, &sums);
  if (product->product->epilogue != NULL)
    finish_sums (product, &sums);
  else
    store_sums (product, &sums);
}
