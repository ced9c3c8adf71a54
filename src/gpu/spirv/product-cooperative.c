/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Matrices that the invocations of a subgroup hold together (SPV_KHR_cooperative_matrix).
 */

#include "gpu/spirv/product-private.h"

/* From the SPIR-V registry; headers from before 2023 lack them. */
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
  ALL_SIGNED                 = 0xf,             /* components of all four matrices are signed */
};

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
  if (product->product->is_emulated)
    return;
  ghlo_spirv_capability (b, SpvCapabilityGroupNonUniform);
  ghlo_spirv_capability (b, (SpvCapability) CAPABILITY_MATRIX);
  add_extension (b, "SPV_KHR_cooperative_matrix");
  if (ghlo_spirv_component (product->product) != GHLO_ELEMENT_TYPE_BF16)
    return;
  ghlo_spirv_capability (b, (SpvCapability) CAPABILITY_BFLOAT16);
  ghlo_spirv_capability (b, (SpvCapability) CAPABILITY_BFLOAT16_MATRIX);
  add_extension (b, "SPV_KHR_bfloat16");
}

/* Returns the component type of the operands. */
static Id
component_type (const SpirvProduct *product)
{
  Spirv *self = product->spirv;

  switch (ghlo_spirv_component (product->product))
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

/* Matrices of lhs, rhs and sums are used as A, B and accumulator, whose numbers are 0, 1 and 2 as well. */
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

Id
ghlo_spirv_matrix_variable (const SpirvProduct *product,
                            guint               tensor)
{
  if (product->product->is_emulated)
    return ghlo_spirv_emulated_variable (product, tensor);

  return ghlo_spirv_variable (product->spirv, matrix_type (product, tensor));
}

void
ghlo_spirv_matrix_clear (const SpirvProduct *product,
                         Id                  sums)
{
  Spirv *self = product->spirv;
  Id zero;

  if (product->product->is_emulated)
    {
      ghlo_spirv_emulated_clear (product, sums);
      return;
    }
  zero = ghlo_spirv_constant (self, product->number, 0);
  zero = ghlo_spirv_unique (self->builder, SpvOpConstantComposite, matrix_type (product, GHLO_SPIRV_RESULT),
                            GHLO_SPIRV_WORDS (zero));
  STATEMENT (SpvOpStore, sums, zero);
}

void
ghlo_spirv_matrix_add (const SpirvProduct *product,
                       Id                  sums,
                       Id                  others)
{
  Spirv *self = product->spirv;
  Id type, a, b;

  if (product->product->is_emulated)
    {
      ghlo_spirv_emulated_add (product, sums, others);
      return;
    }
  type = matrix_type (product, GHLO_SPIRV_RESULT);
  a = CODE (SpvOpLoad, type, sums);
  b = CODE (SpvOpLoad, type, others);
  STATEMENT (SpvOpStore, sums, CODE (SpvOpFAdd, type, a, b));
}

static Id
find_shared (const SpirvMatrices *matrices,
             guint                tensor,
             Id                   place)
{
  Spirv *self = matrices->product->spirv;
  const SpirvBlocks *blocks = &matrices->blocks[tensor];

  return CODE (SpvOpAccessChain, ghlo_spirv_pointer_type (self, SpvStorageClassWorkgroup, blocks->vector),
               blocks->shared, place);
}

void
ghlo_spirv_matrix_load (const SpirvMatrices *matrices,
                        guint                tensor,
                        Id                   variable,
                        Id                   place)
{
  const SpirvProduct *product = matrices->product;
  Spirv *self = product->spirv;
  const SpirvBlocks *blocks = &matrices->blocks[tensor];
  const gboolean is_by_rows = blocks->is_inner_adjacent == (tensor == GHLO_SPIRV_LHS);
  Id layout, pitch, matrix;

  if (product->product->is_emulated)
    {
      ghlo_spirv_emulated_load (matrices, tensor, variable, place);
      return;
    }
  layout = ghlo_spirv_u32 (self, is_by_rows ? LAYOUT_ROWS : LAYOUT_COLUMNS);
  pitch = ghlo_spirv_u32 (self, blocks->pitch);
  place = find_shared (matrices, tensor, place);
  matrix = CODE ((SpvOp) OP_MATRIX_LOAD, matrix_type (product, tensor), place, layout, pitch,
                 SpvMemoryAccessNonPrivatePointerMask);
  STATEMENT (SpvOpStore, variable, matrix);
}

void
ghlo_spirv_matrix_multiply (const SpirvProduct *product,
                            Id                  a,
                            Id                  b,
                            Id                  sums)
{
  Spirv *self = product->spirv;
  Id types[GHLO_SPIRV_N_TENSORS], sum;

  if (product->product->is_emulated)
    {
      ghlo_spirv_emulated_multiply (product, a, b, sums);
      return;
    }
  for (guint i = 0; i < GHLO_SPIRV_N_TENSORS; i++)
    types[i] = matrix_type (product, i);
  a = CODE (SpvOpLoad, types[GHLO_SPIRV_LHS], a);
  b = CODE (SpvOpLoad, types[GHLO_SPIRV_RHS], b);
  sum = CODE (SpvOpLoad, types[GHLO_SPIRV_RESULT], sums);
  if (product->product->types[GHLO_SPIRV_LHS] == GHLO_ELEMENT_TYPE_I8)
    sum = CODE ((SpvOp) OP_MATRIX_MULTIPLY_ADD, types[GHLO_SPIRV_RESULT], a, b, sum, ALL_SIGNED);
  else
    sum = CODE ((SpvOp) OP_MATRIX_MULTIPLY_ADD, types[GHLO_SPIRV_RESULT], a, b, sum);
  STATEMENT (SpvOpStore, sums, sum);
}

void
ghlo_spirv_matrix_put (const SpirvMatrices *matrices,
                       guint                tensor,
                       Id                   sums,
                       Id                   place,
                       guint                pitch)
{
  const SpirvProduct *product = matrices->product;
  Spirv *self = product->spirv;
  Id sum, layout;

  if (product->product->is_emulated)
    {
      ghlo_spirv_emulated_put (matrices, tensor, sums, place, pitch);
      return;
    }
  sum = CODE (SpvOpLoad, matrix_type (product, GHLO_SPIRV_RESULT), sums);
  layout = ghlo_spirv_u32 (self, LAYOUT_ROWS);
  place = find_shared (matrices, tensor, place);
  STATEMENT ((SpvOp) OP_MATRIX_STORE, place, sum, layout, ghlo_spirv_u32 (self, pitch),
             SpvMemoryAccessNonPrivatePointerMask);
}

void
ghlo_spirv_matrix_scale (const SpirvMatrices *matrices,
                         guint                tensor,
                         Id                   sums,
                         Id                   place,
                         guint                pitch)
{
  const SpirvProduct *product = matrices->product;
  Spirv *self = product->spirv;
  Id type = matrix_type (product, GHLO_SPIRV_RESULT), layout = ghlo_spirv_u32 (self, LAYOUT_ROWS), factors, sum;

  g_assert (!product->product->is_emulated);
  place = find_shared (matrices, tensor, place);
  factors = CODE ((SpvOp) OP_MATRIX_LOAD, type, place, layout, ghlo_spirv_u32 (self, pitch),
                  SpvMemoryAccessNonPrivatePointerMask);
  sum = CODE (SpvOpLoad, type, sums);
  STATEMENT (SpvOpStore, sums, CODE (SpvOpFMul, type, sum, factors));
}
