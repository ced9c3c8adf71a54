/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tiles by cooperative matrices (SPV_KHR_cooperative_matrix): each subgroup has a part of the tile as matrices of sums.
 * Blocks of the operands lie in shared memory as they are, two of each: while one is multiplied the next is fetched,
 * and staged behind it, so that one barrier is enough for a step. When all is added, matrices go through shared memory
 * to where each invocation finds elements, which have places and types of their own.
 */

#include "kernel/lower.h"
#include "vulkan/spirv/product-private.h"

/* Of SPIR-V's registry; headers before 2023 lack them. */
enum
{
  CAPABILITY_BFLOAT16        = 5116,
  CAPABILITY_BFLOAT16_MATRIX = 5118,
  CAPABILITY_MATRIX          = 6022,
  OP_TYPE_MATRIX             = 4456,
  OP_MATRIX_LOAD             = 4457,
  OP_MATRIX_STORE            = 4458,
  OP_MATRIX_MULTIPLY_ADD     = 4459,
  ENCODING_BFLOAT16          = 0,
  LAYOUT_ROWS                = 0,
  LAYOUT_COLUMNS             = 1,
  ALL_SIGNED                 = 0xf,             /* components of all four matrices */
};

/* Matrices of a subgroup along one side; a part of 64 rows or columns has so many. */
enum { MAX_MATRICES = 4, N_VECTORS = GHLO_SPIRV_MATRIX * GHLO_SPIRV_MATRIX / 4 };

typedef struct
{
  SpirvProduct *product;
  Id            types[GHLO_SPIRV_N_TENSORS];    /* of matrices; that of sums last */
  Id            subgroup;                       /* its number in the workgroup */
  Id            first[2];                       /* its row and column in the tile */
  guint         n[2];                           /* matrices along them */
  Id            sums[MAX_MATRICES][MAX_MATRICES];       /* variables */
} Matrices;

static void
add_extension (GhloSpirvBuilder *builder,
               const char       *name)
{
  static const guint32 nothing[1];

  ghlo_spirv_add_string (builder, GHLO_SPIRV_EXTENSIONS, SpvOpExtension, nothing, 0, 0, name);
}

void
ghlo_spirv_matrix_prepare (const SpirvProduct *product)
{
  Spirv *self = product->spirv;
  GhloSpirvBuilder *b = self->builder;

  self->has_vulkan_model = TRUE;
  ghlo_spirv_capability (b, SpvCapabilityVulkanMemoryModel);
  ghlo_spirv_capability (b, SpvCapabilityGroupNonUniform);
  ghlo_spirv_capability (b, (SpvCapability) CAPABILITY_MATRIX);
  add_extension (b, "SPV_KHR_cooperative_matrix");
  if (product->product->types[GHLO_SPIRV_LHS] != GHLO_ELEMENT_TYPE_BF16)
    return;
  ghlo_spirv_capability (b, (SpvCapability) CAPABILITY_BFLOAT16);
  ghlo_spirv_capability (b, (SpvCapability) CAPABILITY_BFLOAT16_MATRIX);
  add_extension (b, "SPV_KHR_bfloat16");
}

/* The type of the operands' components. */
static Id
component_type (const SpirvProduct *product)
{
  Spirv *self = product->spirv;

  switch (product->product->types[GHLO_SPIRV_LHS])
    {
    case GHLO_ELEMENT_TYPE_BF16:
      return ghlo_spirv_unique (self->builder, SpvOpTypeFloat, 0, GHLO_SPIRV_WORDS (16, ENCODING_BFLOAT16));
    case GHLO_ELEMENT_TYPE_F16:
      ghlo_spirv_capability (self->builder, SpvCapabilityFloat16);
      return ghlo_spirv_unique (self->builder, SpvOpTypeFloat, 0, GHLO_SPIRV_WORDS (16));
    default:
      return ghlo_spirv_integer_type (self, 8);
    }
}

/* Those of lhs, rhs and sums are used as A, B and accumulator, which are 0, 1 and 2 as well. */
static Id
matrix_type (const SpirvProduct *product,
             guint               tensor)
{
  Spirv *self = product->spirv;
  const guint n_inner = ghlo_spirv_matrix_inner (product->product);
  Id component = tensor == GHLO_SPIRV_RESULT ? product->element : component_type (product);
  Id scope = ghlo_spirv_u32 (self, SpvScopeSubgroup), use = ghlo_spirv_u32 (self, tensor);
  Id n_rows = ghlo_spirv_u32 (self, tensor == GHLO_SPIRV_RHS ? n_inner : GHLO_SPIRV_MATRIX);
  Id n_columns = ghlo_spirv_u32 (self, tensor == GHLO_SPIRV_LHS ? n_inner : GHLO_SPIRV_MATRIX);

  return ghlo_spirv_unique (self->builder, (SpvOp) OP_TYPE_MATRIX, 0,
                            GHLO_SPIRV_WORDS (component, scope, n_rows, n_columns, use));
}

/* Everybody of @scope is here, and sees what was written to shared memory. */
static void
emit_barrier (Spirv    *self,
              SpvScope  scope)
{
  const guint semantics = SpvMemorySemanticsAcquireReleaseMask | SpvMemorySemanticsWorkgroupMemoryMask
                          | SpvMemorySemanticsMakeAvailableMask | SpvMemorySemanticsMakeVisibleMask;
  Id id = ghlo_spirv_u32 (self, scope);

  STATEMENT (SpvOpControlBarrier, id, id, ghlo_spirv_u32 (self, semantics));
}

static void
begin_matrices (Matrices     *matrices,
                SpirvProduct *product)
{
  Spirv *self = product->spirv;
  const guint n_columns = product->product->tile.n_column_threads;
  Id number[2], zero;

  matrices->product = product;
  matrices->subgroup = CODE (SpvOpUConvert, self->u32, ghlo_spirv_built_in (self, SpvBuiltInSubgroupId, FALSE));
  for (guint i = 0; i < GHLO_SPIRV_N_TENSORS; i++)
    matrices->types[i] = matrix_type (product, i);
  number[0] = CODE (SpvOpShiftRightLogical, self->u32, matrices->subgroup,
                    ghlo_spirv_u32 (self, (guint) g_bit_nth_msf (n_columns, -1)));
  number[1] = CODE (SpvOpBitwiseAnd, self->u32, matrices->subgroup, ghlo_spirv_u32 (self, n_columns - 1));
  for (guint i = 0; i < 2; i++)
    {
      const SpirvSide *side = &product->sides[i];

      matrices->first[i] = CODE (SpvOpIMul, self->u32, number[i], ghlo_spirv_u32 (self, side->n_each));
      matrices->n[i] = side->n_each / GHLO_SPIRV_MATRIX;
      g_assert (matrices->n[i] <= MAX_MATRICES);
    }
  zero = ghlo_spirv_constant (self, product->number, 0);
  zero = ghlo_spirv_unique (self->builder, SpvOpConstantComposite, matrices->types[GHLO_SPIRV_RESULT],
                            GHLO_SPIRV_WORDS (zero));
  for (guint i = 0; i < matrices->n[0]; i++)
    for (guint j = 0; j < matrices->n[1]; j++)
      {
        matrices->sums[i][j] = ghlo_spirv_variable (self, matrices->types[GHLO_SPIRV_RESULT]);
        STATEMENT (SpvOpStore, matrices->sums[i][j], zero);
      }
}

/* Matrix @index of a side at step @inner of the block of shared memory that begins at the vector @begin. What is
 * adjacent are rows of A where that is k, and columns of B. */
static Id
load_matrix (const Matrices *matrices,
             guint           tensor,
             guint           index,
             guint           inner,
             Id              begin)
{
  Spirv *self = matrices->product->spirv;
  const SpirvSide *side = &matrices->product->sides[tensor];
  const gboolean is_inner_adjacent = matrices->product->product->is_inner_adjacent[tensor];
  Id pointer = ghlo_spirv_pointer_type (self, SpvStorageClassWorkgroup, side->vector), place, layout;
  Id outer = ghlo_spirv_add_u32 (self, matrices->first[tensor], index * GHLO_SPIRV_MATRIX);

  if (is_inner_adjacent)
    place = ghlo_spirv_add_u32 (self, CODE (SpvOpIMul, self->u32, outer, ghlo_spirv_u32 (self, side->pitch)),
                                inner / side->unit);
  else
    place = ghlo_spirv_add_u32 (self, CODE (SpvOpUDiv, self->u32, outer, ghlo_spirv_u32 (self, side->unit)),
                                inner * side->pitch);
  place = CODE (SpvOpAccessChain, pointer, side->shared, CODE (SpvOpIAdd, self->u32, begin, place));
  layout = ghlo_spirv_u32 (self, is_inner_adjacent == (tensor == GHLO_SPIRV_LHS) ? LAYOUT_ROWS : LAYOUT_COLUMNS);

  return CODE ((SpvOp) OP_MATRIX_LOAD, matrices->types[tensor], place, layout, ghlo_spirv_u32 (self, side->pitch),
               SpvMemoryAccessNonPrivatePointerMask);
}

static Id
multiply_add (const Matrices *matrices,
              Id              a,
              Id              b,
              Id              sum)
{
  Spirv *self = matrices->product->spirv;
  const Id type = matrices->types[GHLO_SPIRV_RESULT];

  if (matrices->product->product->types[GHLO_SPIRV_LHS] == GHLO_ELEMENT_TYPE_I8)
    return CODE ((SpvOp) OP_MATRIX_MULTIPLY_ADD, type, a, b, sum, ALL_SIGNED);

  return CODE ((SpvOp) OP_MATRIX_MULTIPLY_ADD, type, a, b, sum);
}

/* Operands of one step of a block. */
typedef struct
{
  Id ids[2][MAX_MATRICES];
} Operands;

static void
load_operands (const Matrices *matrices,
               const Id       *begin,
               guint           inner,
               Operands       *operands)
{
  for (guint side = 0; side < 2; side++)
    for (guint i = 0; i < matrices->n[side]; i++)
      operands->ids[side][i] = load_matrix (matrices, side, i, inner, begin[side]);
}

static void
add_products (const Matrices *matrices,
              const Operands *operands)
{
  Spirv *self = matrices->product->spirv;

  for (guint j = 0; j < matrices->n[1]; j++)
    for (guint i = 0; i < matrices->n[0]; i++)
      {
        Id sum = CODE (SpvOpLoad, matrices->types[GHLO_SPIRV_RESULT], matrices->sums[i][j]);

        sum = multiply_add (matrices, operands->ids[0][i], operands->ids[1][j], sum);
        STATEMENT (SpvOpStore, matrices->sums[i][j], sum);
      }
}

/* All of the block of number @block, each step's operands loaded before those of the step before are multiplied. */
static void
add_block (const Matrices *matrices,
           Id              block)
{
  const SpirvProduct *product = matrices->product;
  Spirv *self = product->spirv;
  const guint each = ghlo_spirv_matrix_inner (product->product), n_steps = product->product->tile.n_inner / each;
  Id begin[2];
  Operands operands[2];

  for (guint side = 0; side < 2; side++)
    begin[side] = CODE (SpvOpIMul, self->u32, block, ghlo_spirv_u32 (self, product->sides[side].n_vectors));
  load_operands (matrices, begin, 0, &operands[0]);
  for (guint k = 0; k < n_steps; k++)
    {
      if (k + 1 < n_steps)
        load_operands (matrices, begin, (k + 1) * each, &operands[(k + 1) % 2]);
      add_products (matrices, &operands[k % 2]);
    }
}

static void
fetch_blocks (const SpirvProduct *product,
              Id                  begin)
{
  for (guint i = 0; i < 2; i++)
    ghlo_spirv_side_fetch (product, &product->sides[i], begin);
}

static void
stage_blocks (const SpirvProduct *product,
              Id                  block)
{
  Spirv *self = product->spirv;

  for (guint i = 0; i < 2; i++)
    {
      const SpirvSide *side = &product->sides[i];

      ghlo_spirv_side_stage_pieces (product, side, CODE (SpvOpIMul, self->u32, block,
                                                         ghlo_spirv_u32 (self, side->n_vectors)));
    }
}

/* The block that is staged was read in the step before, which all have ended at the barrier. */
static void
emit_steps (const Matrices *matrices)
{
  const SpirvProduct *product = matrices->product;
  Spirv *self = product->spirv;
  const guint n_inner = product->product->tile.n_inner;
  Id exit = ghlo_spirv_begin_if (self, CODE (SpvOpULessThan, self->boolean, product->begin, product->end));
  Id begin = CODE (SpvOpUConvert, self->u64, product->begin), end = CODE (SpvOpUConvert, self->u64, product->end);
  Id next, has_next, more, block, other;
  SpirvLoop loop;

  fetch_blocks (product, product->begin);
  stage_blocks (product, ghlo_spirv_u32 (self, 0));
  loop = ghlo_spirv_begin_loop (self, begin, end);
  emit_barrier (self, SpvScopeWorkgroup);
  block = CODE (SpvOpUConvert, self->u32, CODE (SpvOpISub, self->u64, loop.index, begin));
  block = CODE (SpvOpUDiv, self->u32, block, ghlo_spirv_u32 (self, n_inner));
  block = CODE (SpvOpBitwiseAnd, self->u32, block, ghlo_spirv_u32 (self, 1));
  other = CODE (SpvOpBitwiseXor, self->u32, block, ghlo_spirv_u32 (self, 1));
  next = ghlo_spirv_add_u32 (self, CODE (SpvOpUConvert, self->u32, loop.index), n_inner);
  has_next = CODE (SpvOpULessThan, self->boolean, next, product->end);
  more = ghlo_spirv_begin_if (self, has_next);
  fetch_blocks (product, next);
  ghlo_spirv_end_if (self, more);
  add_block (matrices, block);
  more = ghlo_spirv_begin_if (self, has_next);
  stage_blocks (product, other);
  ghlo_spirv_end_if (self, more);
  ghlo_spirv_end_loop (self, loop, ghlo_spirv_u64 (self, n_inner));
  ghlo_spirv_end_if (self, exit);
}

/* How an invocation goes through a matrix: the subgroup's invocations have elements side by side, row after row. */
typedef struct
{
  Id area;              /* the vector of shared memory where the subgroup's matrix begins */
  Id row, column;       /* the first element's, in the matrix */
  guint n_elements;     /* of the invocation */
  guint n_rows;         /* from one to the next */
} Walk;

static Walk
begin_walk (const Matrices *matrices)
{
  const SpirvProduct *product = matrices->product;
  Spirv *self = product->spirv;
  const guint n = product->product->subgroup;
  Id lane = CODE (SpvOpUConvert, self->u32, ghlo_spirv_built_in (self, SpvBuiltInSubgroupLocalInvocationId, FALSE));
  Walk walk = { .n_elements = GHLO_SPIRV_MATRIX * GHLO_SPIRV_MATRIX / n, .n_rows = n / GHLO_SPIRV_MATRIX };

  walk.area = CODE (SpvOpIMul, self->u32, matrices->subgroup, ghlo_spirv_u32 (self, N_VECTORS));
  walk.row = CODE (SpvOpUDiv, self->u32, lane, ghlo_spirv_u32 (self, GHLO_SPIRV_MATRIX));
  walk.column = CODE (SpvOpBitwiseAnd, self->u32, lane, ghlo_spirv_u32 (self, GHLO_SPIRV_MATRIX - 1));

  return walk;
}

/* Row or column @at of matrix @index of the subgroup, in the whole result. */
static Id
find_index (const Matrices *matrices,
            guint           side,
            guint           index,
            Id              at)
{
  Spirv *self = matrices->product->spirv;
  Id first = CODE (SpvOpIAdd, self->u32, matrices->product->sides[side].first, matrices->first[side]);

  return ghlo_spirv_add_u32 (self, CODE (SpvOpIAdd, self->u32, first, at), index * GHLO_SPIRV_MATRIX);
}

/* The number at @row of the walk's column, from shared memory. */
static Id
load_number (const Matrices *matrices,
             const Walk     *walk,
             Id              row)
{
  const SpirvProduct *product = matrices->product;
  Spirv *self = product->spirv;
  Id pointer = ghlo_spirv_pointer_type (self, SpvStorageClassWorkgroup, self->u32), place, index, component;

  index = CODE (SpvOpIMul, self->u32, row, ghlo_spirv_u32 (self, GHLO_SPIRV_MATRIX / 4));
  index = CODE (SpvOpIAdd, self->u32, index, walk->area);
  index = CODE (SpvOpIAdd, self->u32, index,
                CODE (SpvOpShiftRightLogical, self->u32, walk->column, ghlo_spirv_u32 (self, 2)));
  component = CODE (SpvOpBitwiseAnd, self->u32, walk->column, ghlo_spirv_u32 (self, 3));
  place = CODE (SpvOpAccessChain, pointer, product->sides[0].shared, index, component);
  place = CODE (SpvOpLoad, self->u32, place, SpvMemoryAccessNonPrivatePointerMask);

  return product->element == self->u32 ? place : CODE (SpvOpBitcast, product->element, place);
}

/* A matrix of the subgroup, number @i of its rows, from shared memory; @address is that of the walk's column. */
static void
store_elements (const Matrices *matrices,
                const Walk     *walk,
                guint           i,
                Id              has_column,
                Id              address)
{
  const SpirvProduct *product = matrices->product;
  Spirv *self = product->spirv;
  const GhloElementType stored = ghlo_kernel_stored_type (product->product->types[GHLO_SPIRV_RESULT]);

  SpirvLoop loop = ghlo_spirv_begin_loop (self, ghlo_spirv_u64 (self, 0), ghlo_spirv_u64 (self, walk->n_elements));
  Id row = CODE (SpvOpIMul, self->u32, CODE (SpvOpUConvert, self->u32, loop.index),
                 ghlo_spirv_u32 (self, walk->n_rows));
  Id index, has_row, exit, place, value;

  row = CODE (SpvOpIAdd, self->u32, row, walk->row);
  index = find_index (matrices, 0, i, row);
  has_row = CODE (SpvOpULessThan, self->boolean, index, product->sides[0].count);
  exit = ghlo_spirv_begin_if (self, CODE (SpvOpLogicalAnd, self->boolean, has_row, has_column));
  place = CODE (SpvOpIAdd, self->u64, address,
                ghlo_spirv_product_offset (product, GHLO_SPIRV_ROWS, GHLO_SPIRV_RESULT, index));
  value = ghlo_spirv_product_number (product, GHLO_SPIRV_RESULT, load_number (matrices, walk, row));
  ghlo_spirv_write (self, stored, place, value);
  ghlo_spirv_end_if (self, exit);
  ghlo_spirv_end_loop (self, loop, ghlo_spirv_u64 (self, 1));
}

static void
store_matrices (const Matrices *matrices)
{
  const SpirvProduct *product = matrices->product;
  Spirv *self = product->spirv;
  const SpirvSide *side = &product->sides[0];
  Id pointer = ghlo_spirv_pointer_type (self, SpvStorageClassWorkgroup, side->vector);
  Walk walk = begin_walk (matrices);
  Id area = CODE (SpvOpAccessChain, pointer, side->shared, walk.area);

  emit_barrier (self, SpvScopeWorkgroup);
  for (guint j = 0; j < matrices->n[1]; j++)
    {
      Id column = find_index (matrices, 1, j, walk.column), has_column, address;

      has_column = CODE (SpvOpULessThan, self->boolean, column, product->sides[1].count);
      address = CODE (SpvOpIAdd, self->u64, product->addresses[GHLO_SPIRV_RESULT],
                      ghlo_spirv_product_offset (product, GHLO_SPIRV_COLUMNS, GHLO_SPIRV_RESULT, column));
      for (guint i = 0; i < matrices->n[0]; i++)
        {
          Id sum = CODE (SpvOpLoad, matrices->types[GHLO_SPIRV_RESULT], matrices->sums[i][j]);

          STATEMENT ((SpvOp) OP_MATRIX_STORE, area, sum, ghlo_spirv_u32 (self, LAYOUT_ROWS),
                     ghlo_spirv_u32 (self, GHLO_SPIRV_MATRIX / 4), SpvMemoryAccessNonPrivatePointerMask);
          emit_barrier (self, SpvScopeSubgroup);
          store_elements (matrices, &walk, i, has_column, address);
          emit_barrier (self, SpvScopeSubgroup);
        }
    }
}

void
ghlo_spirv_matrix_body (SpirvProduct *product)
{
  Matrices matrices = { 0 };

  for (guint i = 0; i < 2; i++)
    ghlo_spirv_side_begin (product, &product->sides[i], GHLO_SPIRV_N_BLOCKS);
  begin_matrices (&matrices, product);
  emit_steps (&matrices);
  store_matrices (&matrices);
}
