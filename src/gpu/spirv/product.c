/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The module of a product: reads the table, and finds the tile that a workgroup computes.
 */

#include "gpu/spirv/product-private.h"
#include "kernel/expand.h"
#include "kernel/lower.h"

/* Rows of tiles that are computed together, so that the blocks they read of both operands are still cached. */
enum { GROUP_ROWS = 4 };

Id
ghlo_spirv_u32 (Spirv *self,
                guint  value)
{
  return ghlo_spirv_integer (self, 32, value);
}

Id
ghlo_spirv_add_u32 (Spirv *self,
                    Id     a,
                    guint  b)
{
  return b == 0 ? a : CODE (SpvOpIAdd, self->u32, a, ghlo_spirv_u32 (self, b));
}

/* Returns the element type of the accumulator. */
static GhloElementType
number_type (const GhloSpirvProduct *product)
{
  return product->accumulator == GHLO_ELEMENT_TYPE_I1 ? GHLO_ELEMENT_TYPE_UI32 : product->accumulator;
}

/* Returns the kernel that converts an element to a number, or a number of the result to an element; NULL if they are
 * the same. */
static GhloKernel *
new_conversion (const GhloSpirvProduct *product,
                guint                   tensor)
{
  static const gint64 strides[GHLO_KERNEL_MAX_AXES];
  const GhloElementType type = product->types[tensor], stored = ghlo_kernel_stored_type (type);
  const GhloElementType number = number_type (product);
  const gboolean is_result = tensor == GHLO_SPIRV_RESULT;
  const gboolean is_rounded = !is_result && product->split == GHLO_SPIRV_BF16;
  GhloKernelBuilder *builder;
  GhloKernel *kernel;
  guint node;

  if (type == number && !is_rounded)
    return NULL;
  builder = ghlo_kernel_builder_new ("element");
  ghlo_kernel_add_buffer (builder, "from", 8, FALSE);
  ghlo_kernel_add_buffer (builder, "to", 8, TRUE);
  ghlo_kernel_add_access (builder, 0, is_result ? number : stored, 0, strides);
  ghlo_kernel_add_access (builder, 1, is_result ? stored : number, 0, strides);
  ghlo_kernel_begin_points (builder, 0);
  node = ghlo_kernel_add_load (builder, is_result ? number : stored, 0, GHLO_KERNEL_NONE);
  node = is_result ? ghlo_kernel_add_element (builder, type, node, number)
                   : ghlo_kernel_add_number (builder, type, node, number);
  if (is_rounded)
    node = ghlo_kernel_add_number (builder, GHLO_ELEMENT_TYPE_BF16,
                                   ghlo_kernel_add_element (builder, GHLO_ELEMENT_TYPE_BF16, node, number), number);
  ghlo_kernel_store (builder, node, 1);
  ghlo_kernel_end_block (builder);
  kernel = ghlo_kernel_builder_end (builder, NULL);
  g_assert (kernel != NULL);

  return kernel;
}

GhloKernel *
ghlo_spirv_product_convert (const GhloSpirvProduct *product,
                            guint                   tensor)
{
  g_autofree GhloKernel *kernel = new_conversion (product, tensor);

  return kernel != NULL ? ghlo_kernel_expand (kernel, NULL) : NULL;
}

Id
ghlo_spirv_product_apply (Spirv            *self,
                          const GhloKernel *conversion,
                          Id                value)
{
  if (conversion == NULL)
    return value;
  self->kernel = conversion;
  for (guint i = 0; i < conversion->n_nodes; i++)
    if (conversion->nodes[i].kind == GHLO_NODE_LOAD)
      self->values[i] = value;
    else
      ghlo_spirv_nodes (self, i, i + 1);

  return self->values[conversion->stores[0].node];
}

Id
ghlo_spirv_product_number (const SpirvProduct *product,
                           guint               tensor,
                           Id                  value)
{
  return ghlo_spirv_product_apply (product->spirv, product->conversions[tensor], value);
}

/* Remainders are computed by multiplication; see set_point () in emit.c. */
Id
ghlo_spirv_divide (Spirv *self,
                   Id     number,
                   Id     by,
                   Id    *remainder)
{
  Id quotient = CODE (SpvOpUDiv, self->u32, number, by);

  *remainder = CODE (SpvOpISub, self->u32, number, CODE (SpvOpIMul, self->u32, quotient, by));

  return quotient;
}

Id
ghlo_spirv_product_offset (const SpirvProduct *product,
                           GhloSpirvRole       role,
                           guint               form,
                           Id                  index)
{
  Spirv *self = product->spirv;
  Id sum = 0;

  for (guint i = product->product->n_dimensions[role]; i-- > 0;)
    {
      Id at = index, bytes;

      if (i > 0)
        index = ghlo_spirv_divide (self, index, product->sizes[role][i], &at);
      bytes = CODE (SpvOpIMul, self->u64, CODE (SpvOpUConvert, self->u64, at), product->strides[role][i][form]);
      sum = sum != 0 ? CODE (SpvOpIAdd, self->u64, sum, bytes) : bytes;
    }

  return sum != 0 ? sum : ghlo_spirv_u64 (self, 0);
}

/* Whether the position in a window is that of an element; adjusts *@address to that. */
static Id
is_in_window (const SpirvProduct *product,
              guint               window,
              Id                  position,
              Id                 *address)
{
  Spirv *self = product->spirv;
  Id inside = CODE (SpvOpULessThan, self->boolean, position, product->windows[window].extent), index, multiple;

  if (!product->product->is_dilated)
    return inside;
  index = CODE (SpvOpUDiv, self->u32, position, product->windows[window].dilation);
  multiple = CODE (SpvOpIMul, self->u32, index, product->windows[window].dilation);
  inside = CODE (SpvOpLogicalAnd, self->boolean, inside, CODE (SpvOpIEqual, self->boolean, multiple, position));
  index = CODE (SpvOpUConvert, self->u64, index);
  *address = CODE (SpvOpIAdd, self->u64, *address,
                   CODE (SpvOpIMul, self->u64, index, product->windows[window].stride));

  return inside;
}

void
ghlo_spirv_product_positions (const SpirvProduct *product,
                              GhloSpirvRole       role,
                              Id                  index,
                              guint               n_windows,
                              Id                 *positions)
{
  Spirv *self = product->spirv;

  for (guint w = 0; w < n_windows; w++)
    {
      positions[w] = ghlo_spirv_product_offset (product, role, GHLO_SPIRV_N_TENSORS + w, index);
      positions[w] = CODE (SpvOpUConvert, self->u32, positions[w]);
      if (role != GHLO_SPIRV_INNER)
        positions[w] = CODE (SpvOpISub, self->u32, positions[w], product->windows[w].low);
    }
}

Id
ghlo_spirv_product_inside (const SpirvProduct *product,
                           guint               n_windows,
                           const Id           *outer,
                           const Id           *inner,
                           Id                  is_there,
                           Id                 *address)
{
  Spirv *self = product->spirv;

  for (guint w = 0; w < n_windows; w++)
    is_there = CODE (SpvOpLogicalAnd, self->boolean, is_there,
                     is_in_window (product, w, CODE (SpvOpIAdd, self->u32, outer[w], inner[w]), address));

  return is_there;
}

Id
ghlo_spirv_product_word (const SpirvProduct *product,
                         guint               word)
{
  return ghlo_spirv_word (product->spirv, product->spirv->table, GHLO_SPIRV_N_WORDS + product->first_word + word);
}

static Id
load_number (const SpirvProduct *product,
             guint               word)
{
  Spirv *self = product->spirv;

  return CODE (SpvOpUConvert, self->u32, ghlo_spirv_product_word (product, word));
}

/* The table has room for them wherever its alignment makes them begin. */
Id
ghlo_spirv_product_zeros (const SpirvProduct *product)
{
  Spirv *self = product->spirv;
  const guint word = GHLO_SPIRV_N_WORDS + product->first_word + GHLO_SPIRV_PRODUCT_ZEROS;
  Id end = CODE (SpvOpIAdd, self->u64, self->table,
                 ghlo_spirv_u64 (self, word * sizeof (guint64) + GHLO_SPIRV_PIECE_BYTES - 1));

  return CODE (SpvOpBitwiseAnd, self->u64, end, ghlo_spirv_u64 (self, -(guint64) GHLO_SPIRV_PIECE_BYTES));
}

void
ghlo_spirv_product_load_table (SpirvProduct *product)
{
  const guint n_forms = GHLO_SPIRV_N_TENSORS + product->product->n_windows;
  guint word = GHLO_SPIRV_PRODUCT_N_WORDS;

  for (guint i = 0; i < GHLO_SPIRV_PRODUCT_N_WORDS; i++)
    product->words[i] = ghlo_spirv_product_word (product, i);
  for (guint i = 0; i < product->product->n_windows; i++)
    {
      product->windows[i].low = load_number (product, word++);
      product->windows[i].extent = load_number (product, word++);
      product->windows[i].dilation = load_number (product, word++);
      product->windows[i].stride = ghlo_spirv_product_word (product, word++);
    }
  for (guint role = 0; role < GHLO_SPIRV_N_ROLES; role++)
    for (guint i = 0; i < product->product->n_dimensions[role]; i++)
      {
        product->sizes[role][i] = load_number (product, word++);
        for (guint form = 0; form < n_forms; form++)
          product->strides[role][i][form] = ghlo_spirv_product_word (product, word++);
      }
}

/* Returns where the last tile begins if tiles are whole. Pieces along rows or columns are whole as well: all of their
 * memory exists, though some of their elements may not. */
static Id
find_last (const SpirvProduct *product,
           const SpirvSide    *side)
{
  Spirv *self = product->spirv;
  const guint unit = product->product->is_inner_adjacent[side->tensor] ? 1 : ghlo_spirv_piece (product->product);
  Id end = CODE (SpvOpBitwiseAnd, self->u32, ghlo_spirv_add_u32 (self, side->count, unit - 1),
                 ghlo_spirv_u32 (self, -unit));

  return ghlo_spirv_add_u32 (self, end, -side->extent);
}

/* Finds tile @number of a batch: down a few rows of tiles, then along them. */
static void
find_tile (SpirvProduct *product,
           Id            number,
           const Id      n_tiles[2])
{
  Spirv *self = product->spirv;
  Id group_rows = ghlo_spirv_u32 (self, GROUP_ROWS), first, rest, row, rows;
  Id group = ghlo_spirv_divide (self, number, CODE (SpvOpIMul, self->u32, group_rows, n_tiles[1]), &rest);
  Id tiles[2];

  first = CODE (SpvOpIMul, self->u32, group, group_rows);
  rows = GLSL (UMin, self->u32, group_rows, CODE (SpvOpISub, self->u32, n_tiles[0], first));
  tiles[1] = ghlo_spirv_divide (self, rest, rows, &row);
  tiles[0] = CODE (SpvOpIAdd, self->u32, first, row);
  for (guint i = 0; i < 2; i++)
    {
      SpirvSide *side = &product->sides[i];

      side->first = CODE (SpvOpIMul, self->u32, tiles[i], ghlo_spirv_u32 (self, side->extent));
      if (product->product->has_whole_tiles)
        side->first = GLSL (UMin, self->u32, side->first, find_last (product, side));
    }
}

/* Finds the addresses of the batch's factors. */
static void
find_factors (SpirvProduct *product)
{
  Spirv *self = product->spirv;
  Id first, bytes;

  for (guint i = 0; i < 2 && ghlo_spirv_takes_planes (product->product->split); i++)
    {
      first = CODE (SpvOpIMul, self->u64, CODE (SpvOpUConvert, self->u64, product->batch),
                    CODE (SpvOpUConvert, self->u64, product->sides[i].count));
      bytes = CODE (SpvOpIMul, self->u64, first, ghlo_spirv_u64 (self, sizeof (float)));
      product->factors[i] = CODE (SpvOpIAdd, self->u64, product->words[GHLO_SPIRV_PRODUCT_FACTORS + i], bytes);
    }
}

Id
ghlo_spirv_product_narrow (const SpirvProduct *product,
                           guint               word)
{
  Spirv *self = product->spirv;

  return CODE (SpvOpUConvert, self->u32, product->words[word]);
}

/* Finds the tile, batch and piece of k of workgroup @number, and their addresses. */
static void
find_place (SpirvProduct *product,
            Id            number)
{
  Spirv *self = product->spirv;
  Id n_tiles[2], plane, tile, piece, length, address;

  for (guint i = 0; i < 2; i++)
    {
      SpirvSide *side = &product->sides[i];

      side->count = ghlo_spirv_product_narrow (product, i == 0 ? GHLO_SPIRV_PRODUCT_M : GHLO_SPIRV_PRODUCT_N);
      n_tiles[i] = CODE (SpvOpUDiv, self->u32, ghlo_spirv_add_u32 (self, side->count, side->extent - 1),
                         ghlo_spirv_u32 (self, side->extent));
    }
  plane = ghlo_spirv_divide (self, number, CODE (SpvOpIMul, self->u32, n_tiles[0], n_tiles[1]), &tile);
  piece = ghlo_spirv_divide (self, plane, ghlo_spirv_product_narrow (product, GHLO_SPIRV_PRODUCT_BATCHES),
                             &product->batch);
  find_tile (product, tile, n_tiles);
  for (guint i = 0; i < GHLO_SPIRV_N_TENSORS; i++)
    product->addresses[i] = CODE (SpvOpIAdd, self->u64, product->words[GHLO_SPIRV_PRODUCT_ADDRESSES + i],
                                  ghlo_spirv_product_offset (product, GHLO_SPIRV_BATCH, i, product->batch));
  find_factors (product);
  address = CODE (SpvOpIMul, self->u64, CODE (SpvOpUConvert, self->u64, piece),
                  product->words[GHLO_SPIRV_PRODUCT_PLANE]);
  product->addresses[GHLO_SPIRV_RESULT] = CODE (SpvOpIAdd, self->u64, product->addresses[GHLO_SPIRV_RESULT], address);
  length = ghlo_spirv_product_narrow (product, GHLO_SPIRV_PRODUCT_PIECE);
  product->begin = CODE (SpvOpIMul, self->u32, piece, length);
  product->end = GLSL (UMin, self->u32, CODE (SpvOpIAdd, self->u32, product->begin, length),
                       ghlo_spirv_product_narrow (product, GHLO_SPIRV_PRODUCT_K));
}

/* The code up to ghlo_spirv_end_if () is executed if the flag has the required state; 0: there is no condition. */
static Id
begin_condition (const SpirvProduct *product)
{
  Spirv *self = product->spirv;
  const GhloSpirvCondition condition = product->product->condition;
  Id flag;

  if (condition == GHLO_SPIRV_ALWAYS)
    return 0;
  flag = ghlo_spirv_read (self, GHLO_ELEMENT_TYPE_UI32, product->words[GHLO_SPIRV_PRODUCT_FLAG]);

  return ghlo_spirv_begin_if (self, CODE (condition == GHLO_SPIRV_IF_FLAGGED ? SpvOpINotEqual : SpvOpIEqual,
                                          self->boolean, flag, ghlo_spirv_u32 (self, 0)));
}

/* As in emit.c, the table is read before the flag is checked. */
static void
emit_body (SpirvProduct *product)
{
  Spirv *self = product->spirv;
  Id number = ghlo_spirv_find_point (self, TRUE), exit, turn;

  ghlo_spirv_product_load_table (product);
  exit = ghlo_spirv_begin_point (self, number);
  turn = begin_condition (product);
  product->lane = CODE (SpvOpUConvert, self->u32, self->lane);
  if (!self->floats.folds_exactly)
    self->zero = ghlo_spirv_word (self, self->table, GHLO_SPIRV_WORD_ZERO);
  product->element = ghlo_spirv_type (self, product->number);
  find_place (product, CODE (SpvOpUConvert, self->u32, number));
  if (product->product->subgroup > 0)
    ghlo_spirv_matrix_body (product);
  else if (product->product->stream.n_inner_threads > 0)
    ghlo_spirv_stream_body (product);
  else
    ghlo_spirv_numbers_body (product);
  if (turn != 0)
    ghlo_spirv_end_if (self, turn);
  ghlo_spirv_end_if (self, exit);
}

gsize
ghlo_spirv_product_shared (const GhloSpirvProduct *product)
{
  const guint size = MAX (ghlo_element_info (product->accumulator)->size, 4);
  gsize shared = 0;

  if (product->stream.n_inner_threads > 0)
    return (gsize) ghlo_spirv_stream_shared (product) * size;
  for (guint i = 0; i < 2; i++)
    if (product->subgroup > 0)
      {
        SpirvBlocks blocks = { 0 };

        ghlo_spirv_blocks_init (&blocks, product, i);
        shared += (gsize) blocks.n_shared * GHLO_SPIRV_PIECE_BYTES;
      }
    else
      {
        SpirvSide side = { 0 };

        ghlo_spirv_side_init (&side, product, i);
        shared += (gsize) side.n_vectors * side.width * size;
      }

  return shared;
}

/* There is no fast path on devices that preserve subnormal numbers, which it does not, or that lack FMAs, where it is
 * not faster. Since it is added to the exact path and checks its results, it must save a quarter of the nodes. */
static void
prepare_fast_path (SpirvProduct *product)
{
  const GhloSpirvEpilogue *epilogue = product->product->epilogue;
  g_autofree GhloKernel *conversion = NULL;
  guint nobody;

  if (epilogue == NULL || epilogue->unexpanded == NULL || product->spirv->floats.keeps_subnormals[0]
      || !product->spirv->floats.shortens_quotients)
    return;
  product->fast_epilogue = ghlo_kernel_expand_fast (epilogue->unexpanded, &product->sentinel);
  if (product->fast_epilogue != NULL && 4 * product->fast_epilogue->n_nodes > 3 * epilogue->kernel->n_nodes)
    g_clear_pointer (&product->fast_epilogue, g_free);
  if (product->fast_epilogue != NULL && ghlo_kernel_passes_nan_on (epilogue->unexpanded, 0))
    conversion = new_conversion (product->product, GHLO_SPIRV_RESULT);
  if (conversion != NULL)
    product->fast_conversion = ghlo_kernel_expand_fast (conversion, &nobody);
}

GBytes *
ghlo_spirv_emit_product (const GhloSpirvProduct *shape,
                         const GhloSpirvFloats  *floats)
{
  const guint n_threads = ghlo_spirv_product_threads (shape);
  g_autofree Spirv *self = g_new0 (Spirv, 1);
  g_autofree SpirvProduct *product = g_new0 (SpirvProduct, 1);
  g_autoptr (GhloSpirvBuilder) builder = ghlo_spirv_builder_new ();
  g_autoptr (GArray) interface = g_array_new (FALSE, FALSE, sizeof (Id));

  self->builder = builder;
  self->interface = interface;
  self->floats = *floats;
  *product = (SpirvProduct) { .spirv = self, .product = shape, .n_threads = n_threads, .number = number_type (shape) };
  for (guint i = 0; i < GHLO_SPIRV_N_TENSORS; i++)
    product->conversions[i] = ghlo_spirv_product_convert (shape, i);
  prepare_fast_path (product);
  for (guint i = 0; i < 2; i++)
    ghlo_spirv_side_init (&product->sides[i], shape, i);
  if (shape->subgroup > 0)
    ghlo_spirv_matrix_prepare (product);
  ghlo_spirv_begin_module (self);
  emit_body (product);
  ghlo_spirv_end_module (self, n_threads);
  for (guint i = 0; i < GHLO_SPIRV_N_TENSORS; i++)
    g_free (product->conversions[i]);
  g_free (product->fast_conversion);
  g_free (product->fast_epilogue);

  return ghlo_spirv_builder_end (builder);
}
