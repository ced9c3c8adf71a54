/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Epilogues. The nodes of an epilogue's kernel are computed of each element of the result before anything is written;
 * its other operands and its results are accesses with a place for each row, column and batch.
 */

#include "vulkan/spirv/product-private.h"

#include <string.h>

static gboolean
spans (const SpirvProduct *product,
       guint               access,
       GhloSpirvRole       role)
{
  return (product->product->epilogue->spans[access] >> role & 1) != 0;
}

/* Whether it is the element at hand. */
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

/* Adds to @offsets, which are 0 where there is none, what accesses have by @index of @role. */
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

/* What @access has of the elements. */
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
      ghlo_spirv_read_four (self, type, addresses[0], loaded);
      return;
    }
  for (guint c = 0; c < elements->n; c++)
    loaded[c] = c == 0 || spans (product, access, GHLO_SPIRV_COLUMNS) ? ghlo_spirv_read (self, type, addresses[c])
                                                                    : loaded[0];
}

/* Whether it is an operand that spans rows, or one that does not. */
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

/* Loads what spans rows, or does not. */
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

/* Computes the nodes of one of the elements. */
static void
compute (const SpirvProduct  *product,
         const SpirvElements *elements,
         guint                number,
         Id                   result)
{
  const GhloKernel *kernel = product->product->epilogue->kernel;
  Spirv *self = product->spirv;

  self->kernel = kernel;
  for (guint i = 0; i < kernel->n_nodes; i++)
    {
      const GhloKernelNode *node = &kernel->nodes[i];

      if (node->kind != GHLO_NODE_LOAD)
        ghlo_spirv_nodes (self, i, i + 1);
      else
        self->values[i] = is_element (product, node->which) ? result : elements->loaded[node->which][number];
    }
}

Id
ghlo_spirv_epilogue_value (const SpirvProduct  *product,
                           const SpirvElements *elements,
                           guint                number,
                           Id                   result)
{
  compute (product, elements, number, result);

  return product->spirv->values[product->product->epilogue->kernel->stores[0].node];
}

void
ghlo_spirv_epilogue_finish (const SpirvProduct  *product,
                            const SpirvElements *elements,
                            const Id            *results)
{
  const GhloKernel *kernel = product->product->epilogue->kernel;
  Id stored[GHLO_SPIRV_MAX_ACCESSES][GHLO_SPIRV_TOGETHER];
  Spirv *self = product->spirv;

  for (guint c = 0; c < elements->n; c++)
    {
      compute (product, elements, c, results[c]);
      for (guint i = 0; i < kernel->n_stores; i++)
        stored[i][c] = self->values[kernel->stores[i].node];
    }
  for (guint i = 0; i < kernel->n_stores; i++)
    {
      const guint access = kernel->stores[i].access;
      const GhloElementType type = kernel->accesses[access].type;

      if (is_in_fours (product, elements, access))
        ghlo_spirv_write_four (self, type, elements->addresses[access][0], stored[i]);
      else
        for (guint c = 0; c < elements->n; c++)
          ghlo_spirv_write (self, type, elements->addresses[access][c], stored[i][c]);
    }
}
