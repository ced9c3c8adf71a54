/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Epilogues. All nodes of an epilogue's kernel are computed for an element of the result before anything is written.
 * The epilogue's other operands and its results are accesses with a place for each row, column and batch.
 */

#include "gpu/spirv/product-private.h"

#include <string.h>

static gboolean
spans (const SpirvProduct *product,
       guint               access,
       GhloSpirvRole       role)
{
  return (product->product->epilogue->spans[access] >> role & 1) != 0;
}

/* Whether the access is the current element. */
static gboolean
is_element (const SpirvProduct *product,
            guint               access)
{
  return product->product->epilogue->kernel->accesses[access].buffer == 0;
}

static gboolean
is_load (const SpirvProduct *product,
         guint               access)
{
  const GhloKernel *kernel = product->product->epilogue->kernel;

  return !kernel->buffers[kernel->accesses[access].buffer].is_written;
}

static gboolean
is_in_fours (const SpirvProduct  *product,
             const SpirvElements *elements,
             guint                access)
{
  return elements->in_fours && (product->product->epilogue->adjacent >> access & 1) != 0;
}

/* Adds to @offsets the accesses' offsets for @index of @role. An offset of 0 is none. */
static void
add_offsets (const SpirvProduct *product,
             GhloSpirvRole       role,
             Id                  index,
             Id                 *offsets)
{
  const GhloSpirvEpilogue *epilogue = product->product->epilogue;
  Spirv *self = product->spirv;

  for (guint i = epilogue->n_dimensions[role]; i-- > 0;)
    {
      Id at = index;

      if (i > 0)
        index = ghlo_spirv_divide (self, index, product->epilogue.sizes[role][i], &at);
      at = CODE (SpvOpUConvert, self->u64, at);
      for (guint a = 0; a < epilogue->kernel->n_accesses; a++)
        {
          Id bytes;

          if (!spans (product, a, role))
            continue;
          bytes = CODE (SpvOpIMul, self->u64, at, product->epilogue.strides[role][i][a]);
          offsets[a] = offsets[a] != 0 ? CODE (SpvOpIAdd, self->u64, offsets[a], bytes) : bytes;
        }
    }
}

void
ghlo_spirv_epilogue_begin (SpirvProduct *product)
{
  const GhloSpirvEpilogue *epilogue = product->product->epilogue;
  const guint n_accesses = epilogue->kernel->n_accesses;
  SpirvEpilogue *state = &product->epilogue;
  Spirv *self = product->spirv;
  guint word = ghlo_spirv_product_words (product->product);

  for (guint a = 0; a < n_accesses; a++)
    state->addresses[a] = ghlo_spirv_product_word (product, word++);
  for (guint role = 0; role < GHLO_SPIRV_INNER; role++)
    for (guint i = 0; i < epilogue->n_dimensions[role]; i++)
      {
        state->sizes[role][i] = CODE (SpvOpUConvert, self->u32, ghlo_spirv_product_word (product, word++));
        for (guint a = 0; a < n_accesses; a++, word++)
          if (spans (product, a, role))
            state->strides[role][i][a] = ghlo_spirv_product_word (product, word);
      }
  add_offsets (product, GHLO_SPIRV_BATCH, product->batch, state->addresses);
}

/* Loads the elements of @access. */
static void
load (const SpirvProduct *product,
      SpirvElements      *elements,
      guint               access)
{
  const GhloElementType type = product->product->epilogue->kernel->accesses[access].type;
  const Id *addresses = elements->addresses[access];
  Spirv *self = product->spirv;
  Id *loaded = elements->loaded[access];

  if (is_in_fours (product, elements, access))
    {
      ghlo_spirv_read_adjacent (self, type, GHLO_SPIRV_TOGETHER, addresses[0], loaded);
      return;
    }
  for (guint c = 0; c < elements->n; c++)
    loaded[c] = c == 0 || spans (product, access, GHLO_SPIRV_COLUMNS) ? ghlo_spirv_read (self, type, addresses[c])
                                                                    : loaded[0];
}

/* Whether the access is an operand, and spans rows if and only if @spans_rows. */
static gboolean
is_operand (const SpirvProduct *product,
            guint               access,
            gboolean            spans_rows)
{
  return !is_element (product, access) && is_load (product, access)
         && spans (product, access, GHLO_SPIRV_ROWS) == spans_rows;
}

gboolean
ghlo_spirv_epilogue_loads_rows (const SpirvProduct *product)
{
  for (guint a = 0; a < product->product->epilogue->kernel->n_accesses; a++)
    if (is_operand (product, a, TRUE))
      return TRUE;

  return FALSE;
}

/* Loads all operands that do, or do not, span rows. */
static void
load_all (const SpirvProduct *product,
          SpirvElements      *elements,
          gboolean            spans_rows)
{
  for (guint a = 0; a < product->product->epilogue->kernel->n_accesses; a++)
    if (is_operand (product, a, spans_rows))
      load (product, elements, a);
}

void
ghlo_spirv_epilogue_columns (const SpirvProduct *product,
                             const Id           *indices,
                             guint               n,
                             gboolean            in_fours,
                             SpirvElements      *columns)
{
  *columns = (SpirvElements) { .n = n, .in_fours = in_fours };
  for (guint c = 0; c < n; c++)
    {
      Id addresses[GHLO_SPIRV_MAX_ACCESSES];

      memcpy (addresses, product->epilogue.addresses, sizeof addresses);
      add_offsets (product, GHLO_SPIRV_COLUMNS, indices[c], addresses);
      for (guint a = 0; a < product->product->epilogue->kernel->n_accesses; a++)
        columns->addresses[a][c] = addresses[a];
    }
  load_all (product, columns, FALSE);
}

void
ghlo_spirv_epilogue_row (const SpirvProduct  *product,
                         const SpirvElements *columns,
                         Id                   row,
                         SpirvElements       *elements)
{
  Spirv *self = product->spirv;
  Id offsets[GHLO_SPIRV_MAX_ACCESSES] = { 0 };

  *elements = *columns;
  add_offsets (product, GHLO_SPIRV_ROWS, row, offsets);
  for (guint a = 0; a < product->product->epilogue->kernel->n_accesses; a++)
    for (guint c = 0; c < elements->n && offsets[a] != 0; c++)
      elements->addresses[a][c] = CODE (SpvOpIAdd, self->u64, elements->addresses[a][c], offsets[a]);
  load_all (product, elements, TRUE);
}

/* How an element is computed: exactly, or on the fast path. */
typedef struct
{
  const GhloKernel *conversion;         /* from the number to the element; NULL: they are the same */
  const GhloKernel *kernel;
  guint             sentinel;           /* node that is NaN where results may be wrong, or GHLO_KERNEL_NONE */
} Way;

static Way
exact_way (const SpirvProduct *product)
{
  return (Way) { product->conversions[GHLO_SPIRV_RESULT], product->product->epilogue->kernel,
                 GHLO_KERNEL_NONE };
}

static Way
fast_way (const SpirvProduct *product)
{
  const GhloKernel *fast = product->fast_conversion, *exact = product->conversions[GHLO_SPIRV_RESULT];

  return (Way) { fast != NULL ? fast : exact, product->fast_epilogue, product->sentinel };
}

/* Computes the nodes of element @number, whose value is @element. */
static void
compute (const SpirvProduct  *product,
         const GhloKernel    *kernel,
         const SpirvElements *elements,
         guint                number,
         Id                   element)
{
  Spirv *self = product->spirv;

  self->kernel = kernel;
  for (guint i = 0; i < kernel->n_nodes; i++)
    {
      const GhloKernelNode *node = &kernel->nodes[i];

      if (node->kind != GHLO_NODE_LOAD)
        ghlo_spirv_nodes (self, i, i + 1);
      else
        self->values[i] = is_element (product, node->index) ? element : elements->loaded[node->index][number];
    }
}

Id
ghlo_spirv_epilogue_value (const SpirvProduct  *product,
                           const SpirvElements *elements,
                           guint                number,
                           Id                   result)
{
  const GhloKernel *kernel = product->product->epilogue->kernel;

  compute (product, kernel, elements, number, result);

  return product->spirv->values[kernel->stores[0].node];
}

/* Values by store and element, or by word where a store takes four elements at once. */
typedef Id Stored[GHLO_SPIRV_MAX_ACCESSES][GHLO_SPIRV_TOGETHER];

static GhloElementType
type_of_store (const GhloKernel *kernel,
               guint             store)
{
  return kernel->accesses[kernel->stores[store].access].type;
}

static gboolean
is_in_words (const SpirvProduct  *product,
             const SpirvElements *elements,
             guint                store)
{
  return is_in_fours (product, elements, product->product->epilogue->kernel->stores[store].access);
}

/* Returns the number of values of @store. */
static guint
count_stored (const SpirvProduct  *product,
              const SpirvElements *elements,
              guint                store)
{
  const GhloElementType type = type_of_store (product->product->epilogue->kernel, store);

  return is_in_words (product, elements, store) ? ghlo_element_info (type)->size : elements->n;
}

static Id
stored_type (const SpirvProduct  *product,
             const SpirvElements *elements,
             guint                store)
{
  const GhloElementType type = type_of_store (product->product->epilogue->kernel, store);

  return is_in_words (product, elements, store) ? product->spirv->u32 : ghlo_spirv_type (product->spirv, type);
}

/* Returns the ui32 node whose upper half is node @number, or GHLO_KERNEL_NONE. Packing the upper halves of two words
 * takes fewer instructions than converting each to 16 bits first. */
static guint
find_word (const GhloKernel *kernel,
           guint             number)
{
  const GhloKernelNode *node = &kernel->nodes[number], *shift, *count;

  if (node->kind != GHLO_NODE_CONVERT || node->type != GHLO_ELEMENT_TYPE_UI16)
    return GHLO_KERNEL_NONE;
  shift = &kernel->nodes[node->operands[0]];
  if (shift->kind != GHLO_NODE_SHIFT_RIGHT || shift->type != GHLO_ELEMENT_TYPE_UI32)
    return GHLO_KERNEL_NONE;
  count = &kernel->nodes[shift->operands[1]];

  return count->kind == GHLO_NODE_CONSTANT && count->bits == 16 ? shift->operands[0] : GHLO_KERNEL_NONE;
}

/* Packs four values of @store into words. */
static void
pack (const SpirvProduct *product,
      const GhloKernel   *kernel,
      guint               store,
      Id                 *stored)
{
  Id words[GHLO_SPIRV_TOGETHER] = { 0 };

  if (find_word (kernel, kernel->stores[store].node) != GHLO_KERNEL_NONE)
    ghlo_spirv_pack_halves (product->spirv, stored, words);
  else
    ghlo_spirv_pack_four (product->spirv, type_of_store (kernel, store), stored, words);
  memcpy (stored, words, sizeof words);
}

/* Computes a row. Returns @sum, the sum of the sentinels of other rows, plus those of this one; 0: there are none. */
static Id
compute_row (const SpirvProduct     *product,
             Way                     way,
             const SpirvEpilogueRow *row,
             Stored                  stored,
             Id                      sum)
{
  Spirv *self = product->spirv;
  const Id f32 = ghlo_spirv_type (self, GHLO_ELEMENT_TYPE_F32);

  for (guint c = 0; c < row->elements->n; c++)
    {
      Id sentinel;

      compute (product, way.kernel, row->elements, c,
               ghlo_spirv_product_apply (self, way.conversion, row->numbers[c]));
      for (guint i = 0; i < way.kernel->n_stores; i++)
        {
          const guint node = way.kernel->stores[i].node, word = find_word (way.kernel, node);
          const gboolean is_half = word != GHLO_KERNEL_NONE && is_in_words (product, row->elements, i);

          stored[i][c] = self->values[is_half ? word : node];
        }
      if (way.sentinel == GHLO_KERNEL_NONE)
        continue;
      sentinel = self->values[way.sentinel];
      sum = sum == 0 ? sentinel : ghlo_spirv_exact (self, CODE (SpvOpFAdd, f32, sum, sentinel));
    }
  for (guint i = 0; i < way.kernel->n_stores; i++)
    if (is_in_words (product, row->elements, i))
      pack (product, way.kernel, i, stored[i]);

  return sum;
}

/* Declares a variable for each value of the row, initialized to it. */
static void
keep_row (const SpirvProduct     *product,
          const SpirvEpilogueRow *row,
          Stored                  stored,
          Stored                  variables)
{
  const GhloKernel *kernel = product->product->epilogue->kernel;
  Spirv *self = product->spirv;

  for (guint i = 0; i < kernel->n_stores; i++)
    {
      const Id type = stored_type (product, row->elements, i);

      for (guint c = 0; c < count_stored (product, row->elements, i); c++)
        {
          variables[i][c] = ghlo_spirv_variable (self, type);
          STATEMENT (SpvOpStore, variables[i][c], stored[i][c]);
        }
    }
}

/* Computes rows on the fast path, and then exactly if the sentinels are NaN. */
static void
compute_fast (const SpirvProduct     *product,
              const SpirvEpilogueRow *rows,
              guint                   n,
              Stored                 *stored)
{
  const GhloKernel *kernel = product->product->epilogue->kernel;
  Spirv *self = product->spirv;
  Stored variables[GHLO_SPIRV_ROWS_AT_ONCE];
  Id sum = 0, exit;

  for (guint r = 0; r < n; r++)
    sum = compute_row (product, fast_way (product), &rows[r], stored[r], sum);
  for (guint r = 0; r < n; r++)
    keep_row (product, &rows[r], stored[r], variables[r]);
  exit = ghlo_spirv_begin_if (self, CODE (SpvOpFUnordNotEqual, self->boolean, sum, sum));
  for (guint r = 0; r < n; r++)
    {
      compute_row (product, exact_way (product), &rows[r], stored[r], 0);
      for (guint i = 0; i < kernel->n_stores; i++)
        for (guint c = 0; c < count_stored (product, rows[r].elements, i); c++)
          STATEMENT (SpvOpStore, variables[r][i][c], stored[r][i][c]);
    }
  ghlo_spirv_end_if (self, exit);
  for (guint r = 0; r < n; r++)
    for (guint i = 0; i < kernel->n_stores; i++)
      for (guint c = 0; c < count_stored (product, rows[r].elements, i); c++)
        stored[r][i][c] = CODE (SpvOpLoad, stored_type (product, rows[r].elements, i), variables[r][i][c]);
}

static void
write_row (const SpirvProduct     *product,
           const SpirvEpilogueRow *row,
           Stored                  stored)
{
  const GhloKernel *kernel = product->product->epilogue->kernel;
  const SpirvElements *elements = row->elements;
  Spirv *self = product->spirv;

  for (guint i = 0; i < kernel->n_stores; i++)
    {
      const guint access = kernel->stores[i].access;
      const GhloElementType type = type_of_store (kernel, i);

      if (is_in_words (product, elements, i))
        ghlo_spirv_write_words (self, ghlo_element_info (type)->size, elements->addresses[access][0], stored[i]);
      else
        for (guint c = 0; c < elements->n; c++)
          ghlo_spirv_write (self, type, elements->addresses[access][c], stored[i][c]);
    }
}

void
ghlo_spirv_epilogue_finish (const SpirvProduct     *product,
                            const SpirvEpilogueRow *rows,
                            guint                   n)
{
  const gboolean is_fast = product->fast_epilogue != NULL;
  Stored stored[GHLO_SPIRV_ROWS_AT_ONCE];

  for (guint first = 0, together; first < n; first += together)
    {
      together = is_fast ? MIN (n - first, GHLO_SPIRV_ROWS_AT_ONCE) : 1;
      if (is_fast)
        compute_fast (product, rows + first, together, stored);
      else
        compute_row (product, exact_way (product), rows + first, stored[0], 0);
      for (guint r = 0; r < together; r++)
        write_row (product, rows + first + r, stored[r]);
    }
}
