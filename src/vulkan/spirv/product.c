/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The module of a product: which tile a workgroup does, the loop over k, and what becomes of the sums. The elements of
 * the next step of k are fetched while those in shared memory are multiplied.
 */

#include "kernel/expand.h"
#include "kernel/lower.h"
#include "vulkan/spirv/product-private.h"

/* Rows of tiles that are done together, so that what they read of both operands is still in the caches. */
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

/* What elements of the accumulator are. */
static GhloElementType
number_type (const GhloSpirvProduct *product)
{
  return product->accumulator == GHLO_ELEMENT_TYPE_I1 ? GHLO_ELEMENT_TYPE_UI32 : product->accumulator;
}

GhloKernel *
ghlo_spirv_product_convert (const GhloSpirvProduct *product,
                            guint                   tensor)
{
  static const gint64 strides[GHLO_KERNEL_MAX_AXES];
  const GhloElementType type = product->types[tensor], stored = ghlo_kernel_stored_type (type);
  const GhloElementType number = number_type (product);
  const gboolean is_result = tensor == GHLO_SPIRV_RESULT;
  g_autoptr (GhloKernelBuilder) builder = NULL;
  g_autofree GhloKernel *kernel = NULL;
  guint node;

  if (type == number)
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
  ghlo_kernel_store (builder, node, 1);
  ghlo_kernel_end_block (builder);
  kernel = ghlo_kernel_builder_end (g_steal_pointer (&builder), NULL);
  g_assert (kernel != NULL);

  return ghlo_kernel_expand (kernel, NULL);
}

Id
ghlo_spirv_product_number (const SpirvProduct *product,
                           guint               tensor,
                           Id                  value)
{
  Spirv *self = product->spirv;
  const GhloKernel *kernel = product->conversions[tensor];

  if (kernel == NULL)
    return value;
  self->kernel = kernel;
  for (guint i = 0; i < kernel->n_nodes; i++)
    if (kernel->nodes[i].kind == GHLO_NODE_LOAD)
      self->values[i] = value;
    else
      ghlo_spirv_nodes (self, i, i + 1);

  return self->values[kernel->stores[0].node];
}

/* A remainder is what a product leaves: see set_point () in module.c. */
static Id
divide (Spirv *self,
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
        index = divide (self, index, product->sizes[role][i], &at);
      bytes = CODE (SpvOpIMul, self->u64, CODE (SpvOpUConvert, self->u64, at), product->strides[role][i][form]);
      sum = sum != 0 ? CODE (SpvOpIAdd, self->u64, sum, bytes) : bytes;
    }

  return sum != 0 ? sum : ghlo_spirv_u64 (self, 0);
}

static Id
load_word (const SpirvProduct *product,
           guint               word)
{
  return ghlo_spirv_word (product->spirv, product->spirv->table, GHLO_SPIRV_N_WORDS + word);
}

static Id
load_number (const SpirvProduct *product,
             guint               word)
{
  Spirv *self = product->spirv;

  return CODE (SpvOpUConvert, self->u32, load_word (product, word));
}

static void
load_table (SpirvProduct *product)
{
  const guint n_forms = GHLO_SPIRV_N_TENSORS + product->product->n_windows;
  guint word = GHLO_SPIRV_PRODUCT_N_WORDS;

  for (guint i = 0; i < GHLO_SPIRV_PRODUCT_N_WORDS; i++)
    product->words[i] = load_word (product, i);
  for (guint i = 0; i < product->product->n_windows; i++)
    {
      product->windows[i].low = load_number (product, word++);
      product->windows[i].extent = load_number (product, word++);
      product->windows[i].dilation = load_number (product, word++);
      product->windows[i].stride = load_word (product, word++);
    }
  for (guint role = 0; role < GHLO_SPIRV_N_ROLES; role++)
    for (guint i = 0; i < product->product->n_dimensions[role]; i++)
      {
        product->sizes[role][i] = load_number (product, word++);
        for (guint form = 0; form < n_forms; form++)
          product->strides[role][i][form] = load_word (product, word++);
      }
}

/* Where the last tile begins, where tiles are whole. Pieces along rows or columns are whole as well: their memory is
 * there, though not each of their elements. */
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

/* The tile @number of those of one batch: down a few rows of tiles, then along them. */
static void
find_tile (SpirvProduct *product,
           Id            number,
           const Id      n_tiles[2])
{
  Spirv *self = product->spirv;
  Id group_rows = ghlo_spirv_u32 (self, GROUP_ROWS), first, rest, row, rows;
  Id group = divide (self, number, CODE (SpvOpIMul, self->u32, group_rows, n_tiles[1]), &rest);
  Id tiles[2];

  first = CODE (SpvOpIMul, self->u32, group, group_rows);
  rows = GLSL (UMin, self->u32, group_rows, CODE (SpvOpISub, self->u32, n_tiles[0], first));
  tiles[1] = divide (self, rest, rows, &row);
  tiles[0] = CODE (SpvOpIAdd, self->u32, first, row);
  for (guint i = 0; i < 2; i++)
    {
      SpirvSide *side = &product->sides[i];

      side->first = CODE (SpvOpIMul, self->u32, tiles[i], ghlo_spirv_u32 (self, side->extent));
      if (product->product->has_whole_tiles)
        side->first = GLSL (UMin, self->u32, side->first, find_last (product, side));
    }
}

/* Of the batch. */
static void
find_factors (SpirvProduct *product,
              Id            batch)
{
  Spirv *self = product->spirv;
  Id first, bytes;

  for (guint i = 0; i < 2 && product->product->split != GHLO_SPIRV_WHOLE; i++)
    {
      first = CODE (SpvOpIMul, self->u64, CODE (SpvOpUConvert, self->u64, batch),
                    CODE (SpvOpUConvert, self->u64, product->sides[i].count));
      bytes = CODE (SpvOpIMul, self->u64, first, ghlo_spirv_u64 (self, sizeof (float)));
      product->factors[i] = CODE (SpvOpIAdd, self->u64, product->words[GHLO_SPIRV_PRODUCT_FACTORS + i], bytes);
    }
}

/* The word as 32 bits. */
static Id
narrow_word (const SpirvProduct *product,
             guint               word)
{
  Spirv *self = product->spirv;

  return CODE (SpvOpUConvert, self->u32, product->words[word]);
}

/* From the number of the workgroup to its tile, batch and piece of k, and to the addresses of these. */
static void
find_place (SpirvProduct *product,
            Id            number)
{
  Spirv *self = product->spirv;
  Id n_tiles[2], plane, tile, piece, batch, length, address;

  for (guint i = 0; i < 2; i++)
    {
      SpirvSide *side = &product->sides[i];

      side->count = narrow_word (product, i == 0 ? GHLO_SPIRV_PRODUCT_M : GHLO_SPIRV_PRODUCT_N);
      n_tiles[i] = CODE (SpvOpUDiv, self->u32, ghlo_spirv_add_u32 (self, side->count, side->extent - 1),
                         ghlo_spirv_u32 (self, side->extent));
    }
  plane = divide (self, number, CODE (SpvOpIMul, self->u32, n_tiles[0], n_tiles[1]), &tile);
  piece = divide (self, plane, narrow_word (product, GHLO_SPIRV_PRODUCT_BATCHES), &batch);
  find_tile (product, tile, n_tiles);
  for (guint i = 0; i < GHLO_SPIRV_N_TENSORS; i++)
    product->addresses[i] = CODE (SpvOpIAdd, self->u64, product->words[GHLO_SPIRV_PRODUCT_ADDRESSES + i],
                                  ghlo_spirv_product_offset (product, GHLO_SPIRV_BATCH, i, batch));
  find_factors (product, batch);
  address = CODE (SpvOpIMul, self->u64, CODE (SpvOpUConvert, self->u64, piece),
                  product->words[GHLO_SPIRV_PRODUCT_PLANE]);
  product->addresses[GHLO_SPIRV_RESULT] = CODE (SpvOpIAdd, self->u64, product->addresses[GHLO_SPIRV_RESULT], address);
  length = narrow_word (product, GHLO_SPIRV_PRODUCT_PIECE);
  product->begin = CODE (SpvOpIMul, self->u32, piece, length);
  product->end = GLSL (UMin, self->u32, CODE (SpvOpIAdd, self->u32, product->begin, length),
                       narrow_word (product, GHLO_SPIRV_PRODUCT_K));
}

/* The accumulators of an invocation: for each of its rows vectors of columns. */
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

static Id
multiply_add (const SpirvProduct *product,
              Id                  a,
              Id                  b,
              Id                  sum)
{
  Spirv *self = product->spirv;
  const Id type = product->sides[GHLO_SPIRV_RHS].vector;

  if (product->product->accumulator == GHLO_ELEMENT_TYPE_I1)
    return CODE (SpvOpBitwiseOr, type, sum, CODE (SpvOpBitwiseAnd, type, a, b));
  if (product->product->is_rounded_twice)
    return ghlo_spirv_exact (self, CODE (SpvOpFAdd, type, sum, ghlo_spirv_exact (self, CODE (SpvOpFMul, type, a, b))));
  if (ghlo_node_types (product->number) == GHLO_NODE_TYPES_F)
    return GLSL (Fma, type, a, b, sum);

  return CODE (SpvOpIAdd, type, sum, CODE (SpvOpIMul, type, a, b));
}

/* Element @index of the vectors @rows, in all components of a vector of columns. */
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

/* Step @k of those that are staged and that a loop goes through in blocks, the block from @begin on. */
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
        values[i][j] = multiply_add (product, row, columns[j], values[i][j]);
    }
}

/* All steps of k that are staged. */
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

/* Whether there is anything to add, and whether there is another step, are the same for the workgroup. */
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

/* The rows or columns of an invocation: whether there is each of them, and its bytes in the result. */
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
      Id index = ghlo_spirv_side_index (product, side, i);

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

/* Each invocation multiplies numbers. */
static void
emit_numbers (SpirvProduct *product)
{
  Spirv *self = product->spirv;
  Id n_columns = ghlo_spirv_u32 (self, product->product->tile.n_column_threads);
  Sums sums;

  product->sides[GHLO_SPIRV_LHS].thread = divide (self, product->lane, n_columns,
                                                  &product->sides[GHLO_SPIRV_RHS].thread);
  for (guint i = 0; i < 2; i++)
    ghlo_spirv_side_begin (product, &product->sides[i]);
  begin_sums (product, &sums);
  emit_loop (product, &sums);
  store_sums (product, &sums);
}

/* What follows, up to ghlo_spirv_end_if (), is done where the flag is as it is to be; 0: it is not looked at. */
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

/* As in module.c, the table is read before the flag is looked at. */
static void
emit_body (SpirvProduct *product)
{
  Spirv *self = product->spirv;
  Id number = ghlo_spirv_find_point (self, TRUE), exit, turn;

  load_table (product);
  exit = ghlo_spirv_begin_point (self, number);
  turn = begin_condition (product);
  product->lane = CODE (SpvOpUConvert, self->u32, self->lane);
  if (!self->floats.folds_exactly)
    self->zero = ghlo_spirv_word (self, self->table, GHLO_SPIRV_WORD_ZERO);
  product->element = ghlo_spirv_type (self, product->number);
  find_place (product, CODE (SpvOpUConvert, self->u32, number));
  if (product->product->subgroup > 0)
    ghlo_spirv_matrix_body (product);
  else
    emit_numbers (product);
  if (turn != 0)
    ghlo_spirv_end_if (self, turn);
  ghlo_spirv_end_if (self, exit);
}

gsize
ghlo_spirv_product_shared (const GhloSpirvProduct *product)
{
  const guint size = MAX (ghlo_element_info (product->accumulator)->size, 4);
  gsize shared = 0;

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
  for (guint i = 0; i < 2; i++)
    ghlo_spirv_side_init (&product->sides[i], shape, i);
  if (shape->subgroup > 0)
    ghlo_spirv_matrix_prepare (product);
  ghlo_spirv_begin_module (self);
  emit_body (product);
  ghlo_spirv_end_module (self, n_threads);
  for (guint i = 0; i < GHLO_SPIRV_N_TENSORS; i++)
    g_free (product->conversions[i]);

  return ghlo_spirv_builder_end (builder);
}
