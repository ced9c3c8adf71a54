/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The module of attention: finds a workgroup's rows, lays out shared memory, and emits the loop over blocks of keys and
 * values. Keys and values use the same part of shared memory in turn.
 */

#include "gpu/spirv/attention-private.h"

#include <math.h>

#include "base/sizes.h"
#include "kernel/lower.h"

/* Vectors of padding per row of a tile, so that rows start in different banks. */
enum { SKEW = 1 };

static SpirvTile
make_tile (guint *at,
           guint  n_rows,
           guint  length,
           guint  n_planes)
{
  const SpirvTile tile = { .at = *at, .pitch = length + SKEW, .plane = n_rows * (length + SKEW) };

  *at += tile.plane * n_planes;

  return tile;
}

/* Lays out shared memory, and returns its size in vectors. */
static guint
lay_out (SpirvAttention *self)
{
  const GhloSpirvAttention *shape = self->shape;
  const guint unit = ghlo_spirv_attention_unit (shape);
  guint at = 0, keys_at, end;

  self->operands[GHLO_SPIRV_QUERIES].tile = make_tile (&at, shape->n_rows, shape->n_features / unit, shape->n_planes);
  keys_at = at;
  self->operands[GHLO_SPIRV_KEYS].tile = make_tile (&at, shape->n_length, shape->n_features / unit, shape->n_planes);
  end = at;
  at = keys_at;
  self->operands[GHLO_SPIRV_VALUES].tile = make_tile (&at, shape->n_length, shape->n_columns / unit, shape->n_planes);
  at = MAX (at, end);
  self->logits = make_tile (&at, shape->n_rows, shape->n_length / GHLO_SPIRV_VECTOR, 1);
  self->powers = make_tile (&at, shape->n_rows, shape->n_length / unit, shape->n_planes);
  self->numbers_at = at;

  return at + (guint) ghlo_ceil_div (ghlo_spirv_attention_threads (shape), GHLO_SPIRV_VECTOR);
}

gsize
ghlo_spirv_attention_shared (const GhloSpirvAttention *shape)
{
  SpirvAttention self = { .shape = shape };

  return (gsize) lay_out (&self) * GHLO_SPIRV_PIECE_BYTES;
}

/* The first invocation of a row must have at least 16 columns, where factors are stored. */
gboolean
ghlo_spirv_attention_fits (const GhloSpirvAttention *self)
{
  const guint lanes = ghlo_spirv_attention_lanes (self) * self->n_column_groups;

  return lanes % GHLO_SPIRV_MATRIX == 0 && self->n_length * GHLO_SPIRV_MATRIX / lanes >= GHLO_SPIRV_MATRIX
         && self->n_length % (GHLO_SPIRV_MATRIX * self->n_column_groups) == 0;
}

guint
ghlo_spirv_attention_second (const GhloSpirvAttention *self)
{
  const GhloSpirvEpilogue *epilogue = self->scores.epilogue;
  guint n = ghlo_spirv_product_words (&self->scores);

  if (epilogue == NULL)
    return n;
  n += epilogue->kernel->n_accesses;
  for (guint role = 0; role < GHLO_SPIRV_INNER; role++)
    n += epilogue->n_dimensions[role] * (1u + epilogue->kernel->n_accesses);

  return n;
}

Id
ghlo_spirv_attention_get (const SpirvAttention *attention,
                          Id                    type,
                          Id                    pointer)
{
  Spirv *self = attention->spirv;

  return self->has_vulkan_model ? CODE (SpvOpLoad, type, pointer, SpvMemoryAccessNonPrivatePointerMask)
                                : CODE (SpvOpLoad, type, pointer);
}

void
ghlo_spirv_attention_set (const SpirvAttention *attention,
                          Id                    pointer,
                          Id                    value)
{
  Spirv *self = attention->spirv;

  if (self->has_vulkan_model)
    STATEMENT (SpvOpStore, pointer, value, SpvMemoryAccessNonPrivatePointerMask);
  else
    STATEMENT (SpvOpStore, pointer, value);
}

static Id
find_vector (const SpirvAttention *attention,
             Id                    place)
{
  Spirv *self = attention->spirv;

  return CODE (SpvOpAccessChain, ghlo_spirv_pointer_type (self, SpvStorageClassWorkgroup, attention->vector),
               attention->shared, place);
}

Id
ghlo_spirv_attention_load (const SpirvAttention *attention,
                           Id                    place)
{
  return ghlo_spirv_attention_get (attention, attention->vector, find_vector (attention, place));
}

void
ghlo_spirv_attention_store (const SpirvAttention *attention,
                            Id                    place,
                            Id                    vector)
{
  ghlo_spirv_attention_set (attention, find_vector (attention, place), vector);
}

void
ghlo_spirv_attention_numbers (const SpirvAttention *attention,
                              Id                    vector,
                              Id                   *numbers)
{
  Spirv *self = attention->spirv;

  for (guint i = 0; i < GHLO_SPIRV_VECTOR; i++)
    numbers[i] = CODE (SpvOpBitcast, attention->number, CODE (SpvOpCompositeExtract, self->u32, vector, i));
}

Id
ghlo_spirv_attention_vector (const SpirvAttention *attention,
                             const Id             *numbers)
{
  Spirv *self = attention->spirv;
  Id words[GHLO_SPIRV_VECTOR];

  for (guint i = 0; i < GHLO_SPIRV_VECTOR; i++)
    words[i] = CODE (SpvOpBitcast, self->u32, numbers[i]);

  return ghlo_spirv_code (self->builder, SpvOpCompositeConstruct, attention->vector, words, GHLO_SPIRV_VECTOR);
}

Id
ghlo_spirv_attention_place (const SpirvAttention *attention,
                            const SpirvTile      *tile,
                            Id                    row,
                            Id                    index)
{
  Spirv *self = attention->spirv;
  Id place = CODE (SpvOpIMul, self->u32, row, ghlo_spirv_u32 (self, tile->pitch));

  return ghlo_spirv_add_u32 (self, CODE (SpvOpIAdd, self->u32, place, index), tile->at);
}

void
ghlo_spirv_attention_barrier (const SpirvAttention *self)
{
  if (self->spirv->has_vulkan_model)
    ghlo_spirv_matrix_barrier (self->scores, SpvScopeWorkgroup);
  else
    ghlo_spirv_shared_barrier (self->spirv);
}

static void
find_operands (SpirvAttention *self)
{
  const GhloSpirvAttention *shape = self->shape;
  const Id n_rows = ghlo_spirv_product_narrow (self->scores, GHLO_SPIRV_PRODUCT_M);
  const Id n_length = ghlo_spirv_product_narrow (self->scores, GHLO_SPIRV_PRODUCT_N);
  const Id n_features = ghlo_spirv_product_narrow (self->scores, GHLO_SPIRV_PRODUCT_K);
  const SpirvOperand operands[] = {
    { self->scores, GHLO_SPIRV_LHS, GHLO_SPIRV_QUERIES, GHLO_SPIRV_ROWS, GHLO_SPIRV_INNER, n_rows, n_features,
      shape->n_rows, shape->n_features, self->operands[GHLO_SPIRV_QUERIES].tile },
    { self->scores, GHLO_SPIRV_RHS, GHLO_SPIRV_KEYS, GHLO_SPIRV_COLUMNS, GHLO_SPIRV_INNER, n_length, n_features,
      shape->n_length, shape->n_features, self->operands[GHLO_SPIRV_KEYS].tile },
    { self->values, GHLO_SPIRV_RHS, GHLO_SPIRV_VALUES, GHLO_SPIRV_INNER, GHLO_SPIRV_COLUMNS, n_length,
      ghlo_spirv_product_narrow (self->values, GHLO_SPIRV_PRODUCT_N), shape->n_length, shape->n_columns,
      self->operands[GHLO_SPIRV_VALUES].tile },
  };

  for (guint i = 0; i < G_N_ELEMENTS (operands); i++)
    self->operands[i] = operands[i];
}

/* Finds the batch and the rows of workgroup @number. */
static void
find_place (SpirvAttention *attention,
            Id              number)
{
  Spirv *self = attention->spirv;
  const guint n_rows = attention->shape->n_rows;
  SpirvProduct *products[] = { attention->scores, attention->values };
  Id n = ghlo_spirv_product_narrow (attention->scores, GHLO_SPIRV_PRODUCT_M), batch;

  n = ghlo_spirv_add_u32 (self, n, n_rows - 1);
  n = CODE (SpvOpUDiv, self->u32, n, ghlo_spirv_u32 (self, n_rows));
  batch = ghlo_spirv_divide (self, number, n, &attention->first_row);
  attention->first_row = CODE (SpvOpIMul, self->u32, attention->first_row, ghlo_spirv_u32 (self, n_rows));
  for (guint p = 0; p < G_N_ELEMENTS (products); p++)
    {
      products[p]->batch = batch;
      for (guint i = 0; i < GHLO_SPIRV_N_TENSORS; i++)
        products[p]->addresses[i] = CODE (SpvOpIAdd, self->u64, products[p]->words[GHLO_SPIRV_PRODUCT_ADDRESSES + i],
                                          ghlo_spirv_product_offset (products[p], GHLO_SPIRV_BATCH, i, batch));
    }
  find_operands (attention);
  if (attention->shape->scores.epilogue != NULL)
    ghlo_spirv_epilogue_begin (attention->scores);
}

/* Finds the invocation's share of matrices, and of their rows where these are processed individually. */
static void
find_lane (SpirvAttention *attention)
{
  Spirv *self = attention->spirv;
  const guint n_lanes = ghlo_spirv_attention_lanes (attention->shape), n_groups = attention->shape->n_column_groups;
  Id group;

  attention->lane = CODE (SpvOpUConvert, self->u32, self->lane);
  attention->scores->lane = attention->lane;
  group = ghlo_spirv_divide (self, attention->lane, ghlo_spirv_u32 (self, n_lanes), &attention->in_group);
  if (attention->shape->subgroup > 0)
    group = CODE (SpvOpUConvert, self->u32, ghlo_spirv_built_in (self, SpvBuiltInSubgroupId, FALSE));
  attention->strip = ghlo_spirv_divide (self, group, ghlo_spirv_u32 (self, n_groups), &attention->column_group);
  attention->n_parts = n_lanes * n_groups / GHLO_SPIRV_MATRIX;
  attention->row = ghlo_spirv_divide (self, attention->lane, ghlo_spirv_u32 (self, attention->n_parts),
                                      &attention->part);
}

static void
make_variables (SpirvAttention *attention)
{
  Spirv *self = attention->spirv;
  Id n = ghlo_spirv_u32 (self, lay_out (attention));
  guint n_held = 0;

  attention->vector = ghlo_spirv_unique (self->builder, SpvOpTypeVector, 0, GHLO_SPIRV_WORDS (self->u32,
                                                                                            GHLO_SPIRV_VECTOR));
  attention->shared = ghlo_spirv_global (self, SpvStorageClassWorkgroup,
                                         ghlo_spirv_unique (self->builder, SpvOpTypeArray, 0,
                                                            GHLO_SPIRV_WORDS (attention->vector, n)));
  attention->number = ghlo_spirv_type (self, GHLO_ELEMENT_TYPE_F32);
  attention->scores->element = attention->values->element = attention->number;
  attention->maximum = ghlo_spirv_variable (self, attention->number);
  attention->total = ghlo_spirv_variable (self, attention->number);
  STATEMENT (SpvOpStore, attention->maximum, ghlo_spirv_real (self, GHLO_ELEMENT_TYPE_F32, -INFINITY));
  STATEMENT (SpvOpStore, attention->total, ghlo_spirv_real (self, GHLO_ELEMENT_TYPE_F32, 0));
  ghlo_spirv_attention_make (attention);
  if (!attention->shape->is_ahead)
    return;
  for (guint i = 0; i < GHLO_SPIRV_OUTPUT; i++)
    n_held = MAX (n_held, ghlo_spirv_attention_n_fetched (attention, &attention->operands[i]));
  n_held *= attention->shape->n_planes;
  g_assert (n_held <= GHLO_SPIRV_ATTENTION_MAX_HELD);
  for (guint i = 0; i < n_held; i++)
    attention->held[i] = ghlo_spirv_variable (self, attention->vector);
}

static void
fetch (const SpirvAttention *self,
       guint                 operand,
       Id                    first)
{
  if (self->shape->is_ahead)
    ghlo_spirv_attention_fetch (self, &self->operands[operand], first);
}

static void
stage (const SpirvAttention *self,
       guint                 operand,
       Id                    first)
{
  if (self->shape->is_ahead)
    ghlo_spirv_attention_stage (self, &self->operands[operand]);
  else
    ghlo_spirv_attention_copy_in (self, &self->operands[operand], first);
}

/* Processes the block from @begin on, whose keys are already staged, then stages the keys of the next block. */
static void
do_block (const SpirvAttention *attention,
          Id                    begin)
{
  const SpirvTile *queries = &attention->operands[GHLO_SPIRV_QUERIES].tile;
  const SpirvTile *keys = &attention->operands[GHLO_SPIRV_KEYS].tile;
  const SpirvTile *values = &attention->operands[GHLO_SPIRV_VALUES].tile;
  const GhloSpirvAttention *shape = attention->shape;
  Id next = ghlo_spirv_add_u32 (attention->spirv, begin, shape->n_length);

  fetch (attention, GHLO_SPIRV_VALUES, begin);
  ghlo_spirv_attention_clear (attention, attention->sums, attention->n_scores);
  ghlo_spirv_attention_multiply (attention, queries, keys, TRUE, shape->n_features, attention->sums,
                                 attention->n_scores);
  ghlo_spirv_attention_put (attention, attention->sums, attention->n_scores, 0, shape->n_length);
  ghlo_spirv_attention_barrier (attention);
  stage (attention, GHLO_SPIRV_VALUES, begin);
  ghlo_spirv_attention_logits (attention, begin);
  ghlo_spirv_attention_barrier (attention);
  ghlo_spirv_attention_powers (attention);
  ghlo_spirv_attention_barrier (attention);
  fetch (attention, GHLO_SPIRV_KEYS, next);
  ghlo_spirv_attention_rescale (attention);
  ghlo_spirv_attention_multiply (attention, &attention->powers, values, FALSE, shape->n_length, attention->results,
                                 attention->n_results);
  ghlo_spirv_attention_barrier (attention);
  stage (attention, GHLO_SPIRV_KEYS, next);
  ghlo_spirv_attention_barrier (attention);
}

/* Converts four numbers to elements of the result, and writes them to the row at @address from @column on. */
static void
write_four (const SpirvAttention *attention,
            Id                    address,
            Id                    column,
            const Id             *numbers)
{
  const SpirvProduct *product = attention->values;
  const GhloElementType stored = ghlo_kernel_stored_type (product->product->types[GHLO_SPIRV_RESULT]);
  const gboolean in_fours = (attention->shape->fours >> GHLO_SPIRV_OUTPUT & 1) != 0;
  Spirv *self = attention->spirv;
  Id elements[GHLO_SPIRV_VECTOR];

  for (guint i = 0; i < GHLO_SPIRV_VECTOR; i++)
    elements[i] = ghlo_spirv_product_number (product, GHLO_SPIRV_RESULT, numbers[i]);
  for (guint i = 0; i < (in_fours ? 1 : GHLO_SPIRV_VECTOR); i++)
    {
      Id index = ghlo_spirv_add_u32 (self, column, i), place;
      Id exit = ghlo_spirv_begin_if (self, CODE (SpvOpULessThan, self->boolean, index,
                                                 attention->operands[GHLO_SPIRV_VALUES].n_inner));

      place = CODE (SpvOpIAdd, self->u64, address,
                    ghlo_spirv_product_offset (product, GHLO_SPIRV_COLUMNS, GHLO_SPIRV_RESULT, index));
      if (in_fours)
        ghlo_spirv_write_four (self, stored, place, elements);
      else
        ghlo_spirv_write (self, stored, place, elements[i]);
      ghlo_spirv_end_if (self, exit);
    }
}

/* Divides the columns of the results from @from on, which are in the tile of logits, by @total, and writes them. */
static void
write_columns (const SpirvAttention *attention,
               guint                 from,
               Id                    address,
               Id                    total)
{
  Spirv *self = attention->spirv;
  const guint n_own = attention->shape->n_length / attention->n_parts;
  SpirvLoop loop = ghlo_spirv_begin_loop (self, ghlo_spirv_u64 (self, 0), ghlo_spirv_u64 (self, n_own));
  Id column = CODE (SpvOpIMul, self->u32, attention->part, ghlo_spirv_u32 (self, n_own)), place;
  Id numbers[GHLO_SPIRV_VECTOR];

  column = CODE (SpvOpIAdd, self->u32, column, CODE (SpvOpUConvert, self->u32, loop.index));
  place = CODE (SpvOpShiftRightLogical, self->u32, column, ghlo_spirv_u32 (self, 2));
  place = ghlo_spirv_attention_place (attention, &attention->logits, attention->row, place);
  ghlo_spirv_attention_numbers (attention, ghlo_spirv_attention_load (attention, place), numbers);
  for (guint i = 0; i < GHLO_SPIRV_VECTOR; i++)
    numbers[i] = CODE (SpvOpFDiv, attention->number, numbers[i], total);
  write_four (attention, address, ghlo_spirv_add_u32 (self, column, from), numbers);
  ghlo_spirv_end_loop (self, loop, ghlo_spirv_u64 (self, GHLO_SPIRV_VECTOR));
}

static void
write_results (const SpirvAttention *attention)
{
  Spirv *self = attention->spirv;
  const guint width = attention->shape->n_length;
  Id row = CODE (SpvOpIAdd, self->u32, attention->first_row, attention->row), total, address, is_there;

  address = CODE (SpvOpIAdd, self->u64, attention->values->addresses[GHLO_SPIRV_RESULT],
                  ghlo_spirv_product_offset (attention->values, GHLO_SPIRV_ROWS, GHLO_SPIRV_RESULT, row));
  is_there = CODE (SpvOpULessThan, self->boolean, row, attention->operands[GHLO_SPIRV_QUERIES].n_rows);
  ghlo_spirv_attention_publish (attention, CODE (SpvOpLoad, attention->number, attention->total));
  for (guint from = 0; from < attention->shape->n_columns; from += width)
    {
      Id exit;

      ghlo_spirv_attention_put (attention, attention->results, attention->n_results, from, from + width);
      ghlo_spirv_attention_barrier (attention);
      total = ghlo_spirv_attention_published (attention, 0);
      for (guint part = 1; part < attention->n_parts; part++)
        total = CODE (SpvOpFAdd, attention->number, total, ghlo_spirv_attention_published (attention, part));
      /* The largest power of a row with a key is 1. */
      if (attention->shape->has_empty_rows)
        total = ghlo_spirv_select (self, attention->number,
                                   CODE (SpvOpFOrdEqual, self->boolean, total,
                                         ghlo_spirv_real (self, GHLO_ELEMENT_TYPE_F32, 0)),
                                   ghlo_spirv_real (self, GHLO_ELEMENT_TYPE_F32, 1), total);
      exit = ghlo_spirv_begin_if (self, is_there);
      write_columns (attention, from, address, total);
      ghlo_spirv_end_if (self, exit);
      ghlo_spirv_attention_barrier (attention);
    }
}

/* As in emit.c, the table is read before the flag is checked. */
static void
emit_body (SpirvAttention *attention)
{
  Spirv *self = attention->spirv;
  Id number = ghlo_spirv_find_point (self, TRUE), exit, zero = ghlo_spirv_u32 (self, 0);
  SpirvLoop loop;

  ghlo_spirv_product_load_table (attention->scores);
  ghlo_spirv_product_load_table (attention->values);
  exit = ghlo_spirv_begin_point (self, number);
  if (!self->floats.folds_exactly)
    self->zero = ghlo_spirv_word (self, self->table, GHLO_SPIRV_WORD_ZERO);
  find_lane (attention);
  find_place (attention, CODE (SpvOpUConvert, self->u32, number));
  make_variables (attention);
  ghlo_spirv_attention_clear (attention, attention->results, attention->n_results);
  fetch (attention, GHLO_SPIRV_QUERIES, attention->first_row);
  stage (attention, GHLO_SPIRV_QUERIES, attention->first_row);
  fetch (attention, GHLO_SPIRV_KEYS, zero);
  stage (attention, GHLO_SPIRV_KEYS, zero);
  ghlo_spirv_attention_barrier (attention);
  loop = ghlo_spirv_begin_large_loop (self, ghlo_spirv_u64 (self, 0),
                                      attention->scores->words[GHLO_SPIRV_PRODUCT_N]);
  do_block (attention, CODE (SpvOpUConvert, self->u32, loop.index));
  ghlo_spirv_end_loop (self, loop, ghlo_spirv_u64 (self, attention->shape->n_length));
  write_results (attention);
  ghlo_spirv_end_if (self, exit);
}

static void
begin_product (SpirvProduct           *product,
               Spirv                  *self,
               const GhloSpirvProduct *shape,
               guint                   first_word)
{
  *product = (SpirvProduct) { .spirv = self, .product = shape, .first_word = first_word,
                              .number = GHLO_ELEMENT_TYPE_F32 };
  for (guint i = 0; i < GHLO_SPIRV_N_TENSORS; i++)
    product->conversions[i] = ghlo_spirv_product_convert (shape, i);
}

GBytes *
ghlo_spirv_emit_attention (const GhloSpirvAttention *shape,
                           const GhloSpirvFloats    *floats)
{
  const GhloSpirvProduct weights = { .types = { GHLO_ELEMENT_TYPE_F32, GHLO_ELEMENT_TYPE_F32, shape->component },
                                     .accumulator = GHLO_ELEMENT_TYPE_F32 };
  g_autofree Spirv *self = g_new0 (Spirv, 1);
  g_autofree SpirvAttention *attention = g_new0 (SpirvAttention, 1);
  g_autofree SpirvProduct *products = g_new0 (SpirvProduct, 3);
  g_autoptr (GhloSpirvBuilder) builder = ghlo_spirv_builder_new ();
  g_autoptr (GArray) interface = g_array_new (FALSE, FALSE, sizeof (Id));

  self->builder = builder;
  self->interface = interface;
  self->floats = *floats;
  *attention = (SpirvAttention) { .spirv = self, .shape = shape, .scores = &products[0], .values = &products[1],
                                  .weights = &products[2] };
  begin_product (attention->scores, self, &shape->scores, 0);
  begin_product (attention->values, self, &shape->values, ghlo_spirv_attention_second (shape));
  begin_product (attention->weights, self, &weights, 0);
  if (shape->subgroup > 0)
    ghlo_spirv_matrix_prepare (attention->scores);
  ghlo_spirv_begin_module (self);
  emit_body (attention);
  ghlo_spirv_end_module (self, ghlo_spirv_attention_threads (shape));
  for (guint p = 0; p < 3; p++)
    for (guint i = 0; i < GHLO_SPIRV_N_TENSORS; i++)
      g_free (products[p].conversions[i]);

  return ghlo_spirv_builder_end (builder);
}
