/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Stores the sums in matrices. They pass through shared memory to where each invocation reads numbers, converts them to
 * elements and writes these. If the tile is inside and the result's columns are contiguous, an invocation writes four
 * elements at once, else one at a time. Which it is, except for whole vectors, is only known on the device. (Storing
 * matrices directly to the result is slower on an H100: 522 µs instead of 488 for 4096³.)
 */

#include "gpu/spirv/product-private.h"
#include "kernel/lower.h"

enum { N_TOGETHER = GHLO_SPIRV_TOGETHER, MATRIX_VECTORS = GHLO_SPIRV_MATRIX / N_TOGETHER };

/* Nodes of an epilogue that are unrolled for the rows of an iteration. The code exists once per row of matrices, and
 * processors cache some thousands of instructions. */
enum { MOST_NODES = 512 };

/* How a subgroup walks through adjacent matrices: its invocations have adjacent numbers, or groups of four, row by
 * row. */
typedef struct
{
  const SpirvMatrices *matrices;
  guint                n_matrices;      /* adjacent matrices */
  guint                tensor;          /* operand whose shared memory holds them */
  guint                pitch;           /* vectors from one row to the next: odd, so that rows start in different
                                         * banks */
  Id                   area;            /* first vector of the subgroup's first matrix */
  Id                   row, column;     /* of the first number */
  guint                n;               /* rows per invocation */
  guint                n_rows;          /* from one of these to the next */
} Walk;

/* Chooses as many adjacent matrices as fit into shared memory, and as the subgroup has invocations for their
 * columns. */
static void
choose_area (const SpirvMatrices *matrices,
             guint                n_together,
             Walk                *walk)
{
  const GhloSpirvProduct *product = matrices->product->product;
  const guint n_subgroups = product->tile.n_row_threads * product->tile.n_column_threads;
  const SpirvBlocks *blocks = matrices->blocks;

  walk->tensor = blocks[0].n_shared >= blocks[1].n_shared ? 0 : 1;
  walk->n_matrices = matrices->n[1];
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

/* Returns the index in the whole result of row or column @at of the subgroup's matrix @index. */
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

/* Returns a pointer into shared memory to the number at @row of the walk's column, or to its vector. */
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

/* Returns the factor of row or column @index; 0 if there are no factors. */
static Id
load_factor (const SpirvProduct *product,
             guint               side,
             Id                  index)
{
  Spirv *self = product->spirv;
  Id bytes;

  if (!ghlo_spirv_takes_planes (product->product->split))
    return 0;
  bytes = CODE (SpvOpIMul, self->u64, CODE (SpvOpUConvert, self->u64, index), ghlo_spirv_u64 (self, sizeof (float)));

  return ghlo_spirv_read (self, GHLO_ELEMENT_TYPE_F32,
                          CODE (SpvOpIAdd, self->u64, product->factors[side], bytes));
}

/* Converts a word from shared memory to the number it stands for. */
static Id
find_number (const SpirvProduct *product,
             Id                  number,
             const Id            factors[2])
{
  Spirv *self = product->spirv;

  if (product->element != self->u32)
    number = CODE (SpvOpBitcast, product->element, number);
  for (guint i = 0; i < 2; i++)
    if (factors[i] != 0)
      number = ghlo_spirv_exact (self, CODE (SpvOpFMul, product->element, number, factors[i]));

  return number;
}

/* Data of an invocation's columns: one, or four adjacent ones. */
typedef struct
{
  guint         n;
  Id            address;                /* of the first column's element in row 0; if the result is stored */
  Id            factors[N_TOGETHER];
  SpirvElements epilogue;
} Columns;

/* Starts at @column. If @n is more than 1, all columns must exist. */
static void
begin_columns (const SpirvProduct *product,
               Id                  column,
               guint               n,
               Columns            *columns)
{
  Spirv *self = product->spirv;
  Id indices[N_TOGETHER];

  columns->n = n;
  for (guint c = 0; c < n; c++)
    indices[c] = ghlo_spirv_add_u32 (self, column, c);
  if (n == 1)
    indices[0] = GLSL (UMin, self->u32, column,
                       ghlo_spirv_add_u32 (self, product->sides[GHLO_SPIRV_RHS].count, (guint) -1));
  for (guint c = 0; c < n; c++)
    columns->factors[c] = load_factor (product, GHLO_SPIRV_RHS, indices[c]);
  if (!product->product->is_dropped)
    columns->address = CODE (SpvOpIAdd, self->u64, product->addresses[GHLO_SPIRV_RESULT],
                             ghlo_spirv_product_offset (product, GHLO_SPIRV_COLUMNS, GHLO_SPIRV_RESULT, indices[0]));
  if (product->product->epilogue != NULL)
    ghlo_spirv_epilogue_columns (product, indices, n, n > 1, &columns->epilogue);
}

/* Data of a row's elements at some columns before anything is written. The numbers are those of the result. */
typedef struct
{
  Id            factor;
  Id            numbers[N_TOGETHER];
  Id            place;                  /* of the first element; if the result is stored */
  SpirvElements epilogue;
} Row;

/* Starts row @index, which must exist: loads the data of the row. */
static void
begin_row (const SpirvProduct *product,
           const Columns      *columns,
           Id                  index,
           Row                *row)
{
  Spirv *self = product->spirv;

  row->factor = load_factor (product, GHLO_SPIRV_LHS, index);
  if (!product->product->is_dropped)
    row->place = CODE (SpvOpIAdd, self->u64, columns->address,
                       ghlo_spirv_product_offset (product, GHLO_SPIRV_ROWS, GHLO_SPIRV_RESULT, index));
  if (product->product->epilogue != NULL)
    ghlo_spirv_epilogue_row (product, &columns->epilogue, index, &row->epilogue);
}

static void
set_numbers (const SpirvProduct *product,
             const Columns      *columns,
             const Id           *numbers,
             Row                *row)
{
  for (guint c = 0; c < columns->n; c++)
    row->numbers[c] = find_number (product, numbers[c], (const Id[]) { row->factor, columns->factors[c] });
}

/* Writes @n elements of each of @n_rows rows, and the results of their epilogue. */
static void
end_rows (const SpirvProduct *product,
          const Row          *rows,
          guint               n_rows,
          guint               n)
{
  Spirv *self = product->spirv;
  const GhloElementType stored = ghlo_kernel_stored_type (product->product->types[GHLO_SPIRV_RESULT]);
  SpirvEpilogueRow finished[GHLO_SPIRV_MATRIX];
  Id elements[N_TOGETHER];

  for (guint r = 0; r < n_rows; r++)
    {
      finished[r] = (SpirvEpilogueRow) { &rows[r].epilogue, rows[r].numbers };
      if (product->product->is_dropped)
        continue;
      for (guint c = 0; c < n; c++)
        elements[c] = ghlo_spirv_product_number (product, GHLO_SPIRV_RESULT, rows[r].numbers[c]);
      if (n > 1)
        ghlo_spirv_write_four (self, stored, rows[r].place, elements);
      else
        ghlo_spirv_write (self, stored, rows[r].place, elements[0]);
    }
  if (product->product->epilogue != NULL)
    ghlo_spirv_epilogue_finish (product, finished, n_rows);
}

/* Returns the walk's row number @at within a matrix. */
static Id
find_row (const Walk *walk,
          Id          at)
{
  Spirv *self = walk->matrices->product->spirv;

  return CODE (SpvOpIAdd, self->u32, walk->row,
               CODE (SpvOpIMul, self->u32, at, ghlo_spirv_u32 (self, walk->n_rows)));
}

/* Stores the walk's column of the matrices in the subgroup's row @i of matrices, from shared memory. Several rows are
 * read before any is written, since compilers do not move reads before writes that precede them. */
static void
store_elements (const Walk    *walk,
                guint          i,
                Id             has_column,
                const Columns *columns)
{
  const SpirvMatrices *matrices = walk->matrices;
  const SpirvProduct *product = matrices->product;
  Spirv *self = product->spirv;
  const guint n = MIN (walk->n, N_TOGETHER);
  SpirvLoop loop = (product->product->epilogue != NULL ? ghlo_spirv_begin_large_loop : ghlo_spirv_begin_loop)
                     (self, ghlo_spirv_u64 (self, 0), ghlo_spirv_u64 (self, walk->n));
  Id at = CODE (SpvOpUConvert, self->u32, loop.index), count = product->sides[0].count;
  Id last = ghlo_spirv_add_u32 (self, count, (guint) -1), has_row[N_TOGETHER];
  Row rows[N_TOGETHER];

  for (guint r = 0; r < n; r++)
    {
      Id row = find_row (walk, ghlo_spirv_add_u32 (self, at, r)), index = find_index (matrices, 0, i, row), number;

      has_row[r] = CODE (SpvOpULessThan, self->boolean, index, count);
      number = CODE (SpvOpLoad, self->u32, find_shared (walk, row, FALSE), SpvMemoryAccessNonPrivatePointerMask);
      begin_row (product, columns, GLSL (UMin, self->u32, index, last), &rows[r]);
      set_numbers (product, columns, &number, &rows[r]);
    }
  for (guint r = 0; r < n; r++)
    {
      Id exit = ghlo_spirv_begin_if (self, CODE (SpvOpLogicalAnd, self->boolean, has_row[r], has_column));

      end_rows (product, &rows[r], 1, 1);
      ghlo_spirv_end_if (self, exit);
    }
  ghlo_spirv_end_loop (self, loop, ghlo_spirv_u64 (self, n));
}

/* Writes matrices of the subgroup's row @i of matrices, from column @j on, to shared memory. */
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

  for (guint j = 0; j < matrices->n[1]; j += walk.n_matrices)
    {
      Id column = find_index (matrices, 1, j, walk.column);
      Id has_column = CODE (SpvOpULessThan, self->boolean, column, product->sides[1].count);
      Columns columns = { 0 };

      begin_columns (product, column, 1, &columns);
      for (guint i = 0; i < matrices->n[0]; i++)
        {
          put_matrices (&walk, i, j);
          store_elements (&walk, i, has_column, &columns);
          ghlo_spirv_matrix_barrier (product, SpvScopeSubgroup);
        }
    }
}

/* Loads four numbers of row @row of the matrix in shared memory. */
static void
load_vector (const Walk    *walk,
             Id             row,
             const Columns *columns,
             Row           *begun)
{
  const SpirvProduct *product = walk->matrices->product;
  Spirv *self = product->spirv;
  Id vector = CODE (SpvOpLoad, walk->matrices->blocks[0].vector, find_shared (walk, row, TRUE),
                    SpvMemoryAccessNonPrivatePointerMask);
  Id numbers[N_TOGETHER];

  for (guint c = 0; c < N_TOGETHER; c++)
    numbers[c] = CODE (SpvOpCompositeExtract, self->u32, vector, c);
  set_numbers (product, columns, numbers, begun);
}

/* Stores @n rows of matrix @i, the first of which is @first. All reads from memory are issued before any row is
 * written, since compilers do not move reads before writes that precede them. Shared memory is read later, as it is
 * fast and registers are scarce. */
static void
store_together (const Walk    *walk,
                guint          i,
                Id             first,
                guint          n,
                const Columns *columns)
{
  const SpirvProduct *product = walk->matrices->product;
  Spirv *self = product->spirv;
  Id rows[GHLO_SPIRV_MATRIX];
  Row begun[GHLO_SPIRV_MATRIX];

  for (guint r = 0; r < n; r++)
    {
      rows[r] = ghlo_spirv_add_u32 (self, first, r * walk->n_rows);
      begin_row (product, columns, find_index (walk->matrices, 0, i, rows[r]), &begun[r]);
    }
  for (guint r = 0, together; r < n; r += together)
    {
      together = MIN (n - r, GHLO_SPIRV_ROWS_AT_ONCE);
      for (guint k = r; k < r + together; k++)
        load_vector (walk, rows[k], columns, &begun[k]);
      end_rows (product, &begun[r], together, N_TOGETHER);
    }
}

/* Returns how many rows are processed together: if nothing is loaded per row, as many as are computed at once. */
static guint
count_together (const Walk *walk)
{
  const SpirvProduct *product = walk->matrices->product;
  guint n = walk->n;

  if (product->product->epilogue == NULL)
    return 1;
  if (!ghlo_spirv_epilogue_loads_rows (product))
    return MIN (n, GHLO_SPIRV_ROWS_AT_ONCE);
  while (n > 1 && n * N_TOGETHER * product->product->epilogue->kernel->n_nodes > MOST_NODES)
    n /= 2;

  return n;
}

/* Stores all rows of matrix @i that the invocation has; in a loop if unrolled code would be large. */
static void
store_rows (const Walk    *walk,
            guint          i,
            const Columns *columns)
{
  const SpirvProduct *product = walk->matrices->product;
  const guint n = count_together (walk);
  Spirv *self = product->spirv;
  SpirvLoop loop;

  if (product->product->epilogue == NULL)
    {
      for (guint pass = 0; pass < walk->n; pass++)
        store_together (walk, i, ghlo_spirv_add_u32 (self, walk->row, pass * walk->n_rows), n, columns);
      return;
    }
  loop = ghlo_spirv_begin_large_loop (self, ghlo_spirv_u64 (self, 0), ghlo_spirv_u64 (self, walk->n));
  store_together (walk, i, find_row (walk, CODE (SpvOpUConvert, self->u32, loop.index)), n, columns);
  ghlo_spirv_end_loop (self, loop, ghlo_spirv_u64 (self, n));
}

static void
store_vectors (const SpirvMatrices *matrices)
{
  const SpirvProduct *product = matrices->product;
  const Walk walk = begin_walk (matrices, N_TOGETHER);

  for (guint j = 0; j < matrices->n[1]; j += walk.n_matrices)
    {
      Columns columns = { 0 };

      begin_columns (product, find_index (matrices, 1, j, walk.column), N_TOGETHER, &columns);
      for (guint i = 0; i < matrices->n[0]; i++)
        {
          put_matrices (&walk, i, j);
          store_rows (&walk, i, &columns);
          ghlo_spirv_matrix_barrier (product, SpvScopeSubgroup);
        }
    }
}

/* Whether the tile's first column is a multiple of four. In the last tiles, which may start anywhere, it may not be. */
static Id
begins_with_four (const SpirvProduct *product)
{
  Spirv *self = product->spirv;
  Id rest = CODE (SpvOpBitwiseAnd, self->u32, product->sides[GHLO_SPIRV_RHS].first,
                  ghlo_spirv_u32 (self, N_TOGETHER - 1));

  return CODE (SpvOpIEqual, self->boolean, rest, ghlo_spirv_u32 (self, 0));
}

/* Returns a condition for whether an invocation may write four adjacent elements at once, of the result and of all
 * accesses that permit it (none do if the number of columns is not a multiple of four); 0 if it is known that it may
 * not. */
static Id
is_in_vectors (const SpirvMatrices *matrices)
{
  const SpirvProduct *product = matrices->product;
  Spirv *self = product->spirv;
  const guint size = ghlo_element_info (product->product->types[GHLO_SPIRV_RESULT])->size;
  const guint n = product->product->n_dimensions[GHLO_SPIRV_COLUMNS];
  Id bits = product->addresses[GHLO_SPIRV_RESULT], is_adjacent;

  if (product->product->is_dropped)
    {
      g_assert (product->product->epilogue != NULL);
      return product->product->epilogue->adjacent != 0 ? matrices->is_inside : 0;
    }
  if (n != 1 || size > sizeof (guint32))
    return 0;
  for (guint i = 0; i < product->product->n_dimensions[GHLO_SPIRV_ROWS]; i++)
    bits = CODE (SpvOpBitwiseOr, self->u64, bits, product->strides[GHLO_SPIRV_ROWS][i][GHLO_SPIRV_RESULT]);
  bits = CODE (SpvOpBitwiseAnd, self->u64, bits, ghlo_spirv_u64 (self, N_TOGETHER * size - 1));
  is_adjacent = CODE (SpvOpIEqual, self->boolean, product->strides[GHLO_SPIRV_COLUMNS][0][GHLO_SPIRV_RESULT],
                      ghlo_spirv_u64 (self, size));
  is_adjacent = CODE (SpvOpLogicalAnd, self->boolean, is_adjacent,
                      CODE (SpvOpIEqual, self->boolean, bits, ghlo_spirv_u64 (self, 0)));
  if (product->product->has_whole_tiles && product->product->is_inner_adjacent[GHLO_SPIRV_RHS])
    is_adjacent = CODE (SpvOpLogicalAnd, self->boolean, is_adjacent, begins_with_four (product));

  return CODE (SpvOpLogicalAnd, self->boolean, is_adjacent, matrices->is_inside);
}

void
ghlo_spirv_matrix_results (const SpirvMatrices *matrices)
{
  Spirv *self = matrices->product->spirv;
  Id is_fast, exit;

  if (matrices->product->product->epilogue != NULL)
    ghlo_spirv_epilogue_begin (matrices->product);
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
