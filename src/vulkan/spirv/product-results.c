/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What becomes of sums in matrices: through shared memory they go to where each invocation finds numbers, makes
 * elements of them and writes these. Where the tile is inside and the result's columns are adjacent an invocation
 * writes four elements at once, else one after the other, each with a place of its own; which, is only known on the
 * device but for whole vectors. (To store matrices right to the
 * result takes longer on an H100: 522 µs in place of 488 for 4096³.)
 */

#include "kernel/lower.h"
#include "vulkan/spirv/product-private.h"

enum { N_TOGETHER = GHLO_SPIRV_TOGETHER, MATRIX_VECTORS = GHLO_SPIRV_MATRIX / N_TOGETHER };

/* How an invocation goes through matrices side by side: the subgroup's invocations have numbers, or four of them, side
 * by side, row after row. */
typedef struct
{
  const SpirvMatrices *matrices;
  guint                n_matrices;      /* side by side */
  guint                tensor;          /* the one whose shared memory they lie in */
  guint                pitch;           /* vectors from one row to the next: odd, so that rows lie in several banks */
  Id                   area;            /* the vector where the subgroup's first matrix begins */
  Id                   row, column;     /* the first number's */
  guint                n;               /* of the invocation */
  guint                n_rows;          /* from one to the next */
} Walk;

/* As many matrices of the subgroup's rows as there is room for, and as its invocations have columns of. */
static void
choose_area (const SpirvMatrices *matrices,
             guint                n_together,
             Walk                *walk)
{
  const GhloSpirvProduct *product = matrices->product->product;
  const guint n_subgroups = product->tile.n_row_threads * product->tile.n_column_threads;
  const SpirvBlocks *blocks = matrices->blocks;

  walk->tensor = blocks[0].n_shared >= blocks[1].n_shared ? 0 : 1;
  walk->n_matrices = n_together == 1 ? 1 : matrices->n[1];
  while (walk->n_matrices > 1
         && (ghlo_spirv_matrices_size (walk->n_matrices) * n_subgroups > blocks[walk->tensor].n_shared
             || walk->n_matrices * GHLO_SPIRV_MATRIX / n_together > product->subgroup))
    walk->n_matrices /= 2;
  walk->pitch = walk->n_matrices * MATRIX_VECTORS + 1;
  g_assert (ghlo_spirv_matrices_size (walk->n_matrices) * n_subgroups <= blocks[walk->tensor].n_shared);
}

static Walk
begin_walk (const SpirvMatrices *matrices,
            guint                n_together)
{
  const SpirvProduct *product = matrices->product;
  Spirv *self = product->spirv;
  Walk walk = { .matrices = matrices };
  guint n_lanes;

  choose_area (matrices, n_together, &walk);
  n_lanes = walk.n_matrices * GHLO_SPIRV_MATRIX / n_together;
  walk.n_rows = product->product->subgroup / n_lanes;
  walk.n = GHLO_SPIRV_MATRIX / walk.n_rows;
  walk.area = CODE (SpvOpIMul, self->u32, matrices->subgroup,
                    ghlo_spirv_u32 (self, ghlo_spirv_matrices_size (walk.n_matrices)));
  walk.row = CODE (SpvOpUDiv, self->u32, matrices->lane, ghlo_spirv_u32 (self, n_lanes));
  walk.column = CODE (SpvOpBitwiseAnd, self->u32, matrices->lane, ghlo_spirv_u32 (self, n_lanes - 1));
  walk.column = CODE (SpvOpIMul, self->u32, walk.column, ghlo_spirv_u32 (self, n_together));

  return walk;
}

/* Row or column @at of matrix @index of the subgroup, in the whole result. */
static Id
find_index (const SpirvMatrices *matrices,
            guint                side,
            guint                index,
            Id                   at)
{
  Spirv *self = matrices->product->spirv;
  Id first = CODE (SpvOpIAdd, self->u32, matrices->product->sides[side].first, matrices->first[side]);

  return ghlo_spirv_add_u32 (self, CODE (SpvOpIAdd, self->u32, first, at), index * GHLO_SPIRV_MATRIX);
}

/* The place in shared memory of the number at @row of the walk's column. */
static Id
find_shared (const Walk *walk,
             Id          row,
             gboolean    is_vector)
{
  const SpirvMatrices *matrices = walk->matrices;
  Spirv *self = matrices->product->spirv;
  Id pointer = ghlo_spirv_pointer_type (self, SpvStorageClassWorkgroup,
                                        is_vector ? matrices->blocks[0].vector : self->u32);
  Id index = CODE (SpvOpIMul, self->u32, row, ghlo_spirv_u32 (self, walk->pitch)), component;
  Id shared = matrices->blocks[walk->tensor].shared;

  index = CODE (SpvOpIAdd, self->u32, index, walk->area);
  index = CODE (SpvOpIAdd, self->u32, index,
                CODE (SpvOpShiftRightLogical, self->u32, walk->column, ghlo_spirv_u32 (self, 2)));
  if (is_vector)
    return CODE (SpvOpAccessChain, pointer, shared, index);
  component = CODE (SpvOpBitwiseAnd, self->u32, walk->column, ghlo_spirv_u32 (self, N_TOGETHER - 1));

  return CODE (SpvOpAccessChain, pointer, shared, index, component);
}

/* The factor of row or column @index, 0 where there are none. */
static Id
load_factor (const SpirvProduct *product,
             guint               side,
             Id                  index)
{
  Spirv *self = product->spirv;
  Id bytes;

  if (product->product->split == GHLO_SPIRV_WHOLE)
    return 0;
  bytes = CODE (SpvOpIMul, self->u64, CODE (SpvOpUConvert, self->u64, index), ghlo_spirv_u64 (self, sizeof (float)));

  return ghlo_spirv_read (self, GHLO_ELEMENT_TYPE_F32,
                          CODE (SpvOpIAdd, self->u64, product->factors[side], bytes));
}

/* The element, as it is stored, of what lies in shared memory. */
static Id
make_element (const SpirvProduct *product,
              Id                  number,
              const Id            factors[2])
{
  Spirv *self = product->spirv;

  if (product->element != self->u32)
    number = CODE (SpvOpBitcast, product->element, number);
  for (guint i = 0; i < 2; i++)
    if (factors[i] != 0)
      number = ghlo_spirv_exact (self, CODE (SpvOpFMul, product->element, number, factors[i]));

  return ghlo_spirv_product_number (product, GHLO_SPIRV_RESULT, number);
}

/* A matrix of the subgroup, number @i of its rows, from shared memory; @address is that of the walk's column. */
static void
store_elements (const Walk *walk,
                guint       i,
                Id          has_column,
                Id          column_factor,
                Id          address)
{
  const SpirvMatrices *matrices = walk->matrices;
  const SpirvProduct *product = matrices->product;
  Spirv *self = product->spirv;
  const GhloElementType stored = ghlo_kernel_stored_type (product->product->types[GHLO_SPIRV_RESULT]);
  SpirvLoop loop = ghlo_spirv_begin_loop (self, ghlo_spirv_u64 (self, 0), ghlo_spirv_u64 (self, walk->n));
  Id row = CODE (SpvOpIMul, self->u32, CODE (SpvOpUConvert, self->u32, loop.index),
                 ghlo_spirv_u32 (self, walk->n_rows));
  Id index, has_row, exit, place, number, factors[2];

  row = CODE (SpvOpIAdd, self->u32, row, walk->row);
  index = find_index (matrices, 0, i, row);
  has_row = CODE (SpvOpULessThan, self->boolean, index, product->sides[0].count);
  exit = ghlo_spirv_begin_if (self, CODE (SpvOpLogicalAnd, self->boolean, has_row, has_column));
  place = CODE (SpvOpIAdd, self->u64, address,
                ghlo_spirv_product_offset (product, GHLO_SPIRV_ROWS, GHLO_SPIRV_RESULT, index));
  number = CODE (SpvOpLoad, self->u32, find_shared (walk, row, FALSE), SpvMemoryAccessNonPrivatePointerMask);
  factors[0] = load_factor (product, 0, index);
  factors[1] = column_factor;
  ghlo_spirv_write (self, stored, place, make_element (product, number, factors));
  ghlo_spirv_end_if (self, exit);
  ghlo_spirv_end_loop (self, loop, ghlo_spirv_u64 (self, 1));
}

/* Puts matrices to shared memory, those of number @i of the subgroup's rows, from @j on. */
static void
put_matrices (const Walk *walk,
              guint       i,
              guint       j)
{
  const SpirvMatrices *matrices = walk->matrices;

  for (guint n = 0; n < walk->n_matrices; n++)
    ghlo_spirv_matrix_put (matrices, walk->tensor, matrices->sums[i][j + n],
                           ghlo_spirv_add_u32 (matrices->product->spirv, walk->area, n * MATRIX_VECTORS), walk->pitch);
  ghlo_spirv_matrix_barrier (matrices->product, SpvScopeSubgroup);
}

static void
store_one_by_one (const SpirvMatrices *matrices)
{
  const SpirvProduct *product = matrices->product;
  Spirv *self = product->spirv;
  const Walk walk = begin_walk (matrices, 1);

  for (guint j = 0; j < matrices->n[1]; j++)
    {
      Id column = find_index (matrices, 1, j, walk.column), has_column, address, last, factor;

      has_column = CODE (SpvOpULessThan, self->boolean, column, product->sides[1].count);
      last = ghlo_spirv_add_u32 (self, product->sides[1].count, (guint) -1);
      factor = load_factor (product, 1, GLSL (UMin, self->u32, column, last));
      address = CODE (SpvOpIAdd, self->u64, product->addresses[GHLO_SPIRV_RESULT],
                      ghlo_spirv_product_offset (product, GHLO_SPIRV_COLUMNS, GHLO_SPIRV_RESULT, column));
      for (guint i = 0; i < matrices->n[0]; i++)
        {
          put_matrices (&walk, i, j);
          store_elements (&walk, i, has_column, factor, address);
          ghlo_spirv_matrix_barrier (product, SpvScopeSubgroup);
        }
    }
}

static guint
element_size (const SpirvProduct *product)
{
  return ghlo_element_info (product->product->types[GHLO_SPIRV_RESULT])->size;
}

/* Words of 32 bits, as a vector of them where they are several. */
static Id
pack (const SpirvProduct *product,
      const Id           *elements)
{
  Spirv *self = product->spirv;
  const guint size = element_size (product), n_each = sizeof (guint32) / size;
  guint32 words[N_TOGETHER] = { 0 };

  for (guint i = 0; i < N_TOGETHER; i++)
    {
      Id word = elements[i];

      if (size == sizeof (guint32))
        word = product->element == self->u32 ? word : CODE (SpvOpBitcast, self->u32, word);
      else
        word = CODE (SpvOpUConvert, self->u32, word);
      if (i % n_each > 0)
        word = CODE (SpvOpBitwiseOr, self->u32, words[i / n_each],
                     CODE (SpvOpShiftLeftLogical, self->u32, word, ghlo_spirv_u32 (self, i % n_each * 8 * size)));
      words[i / n_each] = word;
    }
  if (size == 1)
    return words[0];

  return ghlo_spirv_code (self->builder, SpvOpCompositeConstruct,
                          ghlo_spirv_unique (self->builder, SpvOpTypeVector, 0, GHLO_SPIRV_WORDS (self->u32, size)),
                          words, size);
}

/* The four elements of row @row of matrix @i of the subgroup's rows; @address is that of their column. */
static void
store_vector (const Walk *walk,
              guint       i,
              Id          row,
              const Id   *column_factors,
              Id          address)
{
  const SpirvProduct *product = walk->matrices->product;
  Spirv *self = product->spirv;
  const guint size = element_size (product);
  Id index = find_index (walk->matrices, 0, i, row), row_factor = load_factor (product, 0, index);
  Id numbers = CODE (SpvOpLoad, walk->matrices->blocks[0].vector, find_shared (walk, row, TRUE),
                     SpvMemoryAccessNonPrivatePointerMask);
  Id type = self->u32, elements[N_TOGETHER], value;

  for (guint c = 0; c < N_TOGETHER; c++)
    elements[c] = make_element (product, CODE (SpvOpCompositeExtract, self->u32, numbers, c),
                                (const Id[]) { row_factor, column_factors[c] });
  value = pack (product, elements);
  if (size > 1)
    type = ghlo_spirv_unique (self->builder, SpvOpTypeVector, 0, GHLO_SPIRV_WORDS (self->u32, size));
  address = CODE (SpvOpIAdd, self->u64, address,
                  ghlo_spirv_product_offset (product, GHLO_SPIRV_ROWS, GHLO_SPIRV_RESULT, index));
  address = CODE (SpvOpConvertUToPtr, ghlo_spirv_pointer_type (self, SpvStorageClassPhysicalStorageBuffer, type),
                  address);
  STATEMENT (SpvOpStore, address, value, SpvMemoryAccessAlignedMask, N_TOGETHER * size);
}

static void
store_vectors (const SpirvMatrices *matrices)
{
  const SpirvProduct *product = matrices->product;
  Spirv *self = product->spirv;
  const Walk walk = begin_walk (matrices, N_TOGETHER);

  for (guint j = 0; j < matrices->n[1]; j += walk.n_matrices)
    {
      Id column = find_index (matrices, 1, j, walk.column), factors[N_TOGETHER], address;

      for (guint c = 0; c < N_TOGETHER; c++)
        factors[c] = load_factor (product, 1, ghlo_spirv_add_u32 (self, column, c));
      address = CODE (SpvOpIAdd, self->u64, product->addresses[GHLO_SPIRV_RESULT],
                      ghlo_spirv_product_offset (product, GHLO_SPIRV_COLUMNS, GHLO_SPIRV_RESULT, column));
      for (guint i = 0; i < matrices->n[0]; i++)
        {
          put_matrices (&walk, i, j);
          for (guint pass = 0; pass < walk.n; pass++)
            store_vector (&walk, i, ghlo_spirv_add_u32 (self, walk.row, pass * walk.n_rows), factors, address);
          ghlo_spirv_matrix_barrier (product, SpvScopeSubgroup);
        }
    }
}

/* Whether four elements side by side are adjacent and begin at a multiple of their size: 0 where it is known that they
 * do not. */
static Id
is_in_vectors (const SpirvMatrices *matrices)
{
  const SpirvProduct *product = matrices->product;
  Spirv *self = product->spirv;
  const guint size = element_size (product), n = product->product->n_dimensions[GHLO_SPIRV_COLUMNS];
  Id bits = product->addresses[GHLO_SPIRV_RESULT], is_adjacent;

  if (n != 1 || size > sizeof (guint32))
    return 0;
  for (guint i = 0; i < product->product->n_dimensions[GHLO_SPIRV_ROWS]; i++)
    bits = CODE (SpvOpBitwiseOr, self->u64, bits, product->strides[GHLO_SPIRV_ROWS][i][GHLO_SPIRV_RESULT]);
  bits = CODE (SpvOpBitwiseAnd, self->u64, bits, ghlo_spirv_u64 (self, N_TOGETHER * size - 1));
  is_adjacent = CODE (SpvOpIEqual, self->boolean, product->strides[GHLO_SPIRV_COLUMNS][0][GHLO_SPIRV_RESULT],
                      ghlo_spirv_u64 (self, size));
  is_adjacent = CODE (SpvOpLogicalAnd, self->boolean, is_adjacent,
                      CODE (SpvOpIEqual, self->boolean, bits, ghlo_spirv_u64 (self, 0)));

  return CODE (SpvOpLogicalAnd, self->boolean, is_adjacent, matrices->is_inside);
}

void
ghlo_spirv_matrix_results (const SpirvMatrices *matrices)
{
  Spirv *self = matrices->product->spirv;
  Id is_fast, exit;

  if (matrices->product->product->has_whole_vectors)
    {
      store_vectors (matrices);
      return;
    }
  is_fast = is_in_vectors (matrices);
  if (is_fast != 0)
    {
      exit = ghlo_spirv_begin_if (self, is_fast);
      store_vectors (matrices);
      ghlo_spirv_end_if (self, exit);
      exit = ghlo_spirv_begin_if (self, CODE (SpvOpLogicalNot, self->boolean, is_fast));
      store_one_by_one (matrices);
      ghlo_spirv_end_if (self, exit);
    }
  else
    store_one_by_one (matrices);
}
