/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Memory for random kernels, and statistics of which features of kernels the random ones use.
 */

#include "random-draw.h"

#include "kernel/evaluate.h"

#define NONE GHLO_KERNEL_NONE

/* The type of a buffer's elements; an unused buffer has bytes. */
static GhloElementType
type_of_buffer (const GhloKernel *kernel,
                guint             buffer)
{
  for (guint i = 0; i < kernel->n_accesses; i++)
    if (kernel->accesses[i].buffer == buffer)
      return kernel->accesses[i].type;

  return GHLO_ELEMENT_TYPE_UI8;
}

GhloKernelMemory *
random_memory_new (const GhloKernel *kernel,
                   guint64           seed)
{
  GhloKernelMemory *memory = g_new0 (GhloKernelMemory, kernel->n_buffers + 1);
  Draw self = { .state = seed };

  for (guint i = 0; i < kernel->n_buffers; i++)
    {
      GhloElementType type = type_of_buffer (kernel, i);
      gsize size = ghlo_element_info (type)->size;

      memory[i] = (GhloKernelMemory) { g_malloc0 ((gsize) kernel->buffers[i].size), (gsize) kernel->buffers[i].size };
      for (gsize j = 0; j + size <= memory[i].size; j += size)
        ghlo_node_store (type, (guint8 *) memory[i].data + j, draw_bits (&self, type));
    }

  return memory;
}

GhloKernelMemory *
random_memory_copy (const GhloKernel       *kernel,
                    const GhloKernelMemory *memory)
{
  GhloKernelMemory *copy = g_new0 (GhloKernelMemory, kernel->n_buffers + 1);

  for (guint i = 0; i < kernel->n_buffers; i++)
    copy[i] = (GhloKernelMemory) { g_memdup2 (memory[i].data, memory[i].size), memory[i].size };

  return copy;
}

void
random_memory_free (const GhloKernel *kernel,
                    GhloKernelMemory *memory)
{
  for (guint i = 0; i < kernel->n_buffers; i++)
    g_free (memory[i].data);
  g_free (memory);
}

static gboolean
is_nan (GhloElementType type,
        guint64         bits)
{
  const guint64 operands[3] = { bits, bits, 0 };

  return ghlo_node_types (type) == GHLO_NODE_TYPES_F
         && ghlo_node_evaluate (GHLO_NODE_NOT_EQUAL, GHLO_ELEMENT_TYPE_I1, type, operands);
}

char *
random_memory_compare (const GhloKernel       *kernel,
                       const GhloKernelMemory *expected,
                       const GhloKernelMemory *found)
{
  for (guint i = 0; i < kernel->n_buffers; i++)
    {
      GhloElementType type = type_of_buffer (kernel, i);
      gsize size = ghlo_element_info (type)->size;

      for (gsize j = 0; j + size <= expected[i].size; j += size)
        {
          guint64 a = ghlo_node_load (type, (const guint8 *) expected[i].data + j);
          guint64 b = ghlo_node_load (type, (const guint8 *) found[i].data + j);

          if (a != b && !(is_nan (type, a) && is_nan (type, b)))
            return g_strdup_printf ("%s: element %" G_GSIZE_FORMAT " of buffer %s (%s): expected 0x%" G_GINT64_MODIFIER
                                    "x, found 0x%" G_GINT64_MODIFIER "x", kernel->name, j / size,
                                    kernel->buffers[i].name, ghlo_element_info (type)->name, a, b);
        }
    }

  return NULL;
}

static void
cover_access (const GhloKernel       *kernel,
              const GhloKernelAccess *access,
              RandomCoverage         *coverage)
{
  for (guint i = 0; i < kernel->n_axes; i++)
    {
      coverage->forms[RANDOM_BACKWARDS] += access->strides[i] < 0;
      coverage->forms[RANDOM_BROADCAST] += access->strides[i] == 0;
    }
  for (guint i = access->first_term; i < access->first_term + access->n_terms; i++)
    {
      const GhloKernelTerm *term = &kernel->terms[i];
      gboolean has_node = term->node != NONE;

      coverage->forms[term->clamps ? has_node ? RANDOM_CLAMP_NODE : RANDOM_CLAMP
                                   : has_node ? RANDOM_GUARD_NODE : RANDOM_GUARD]++;
      coverage->forms[RANDOM_STEP] += term->step > 1;
    }
}

static void
cover_stores (const GhloKernel      *kernel,
              const GhloKernelBlock *block,
              RandomCoverage        *coverage)
{
  guint n = 0;

  for (guint i = block->first_store; i < block->first_store + block->n_stores; i++)
    {
      const GhloKernelStore *store = &kernel->stores[i];
      const GhloKernelAccess *access;

      if (store->access == NONE)
        {
          coverage->forms[RANDOM_SPANS_LOOP] += kernel->temporaries[store->temporary].axes != block->axes;
          continue;
        }
      access = &kernel->accesses[store->access];
      n++;
      for (guint j = access->first_term; j < access->first_term + access->n_terms; j++)
        coverage->forms[kernel->terms[j].node == NONE ? RANDOM_STORE_GUARD
                        : kernel->terms[j].stride != 0 ? RANDOM_STORE_INDEX : RANDOM_STORE_MASK]++;
    }
  coverage->forms[RANDOM_TWO_STORES] += n > 1;
}

static void
cover_points (const GhloKernel      *kernel,
              const GhloKernelBlock *block,
              RandomCoverage        *coverage)
{
  for (guint i = block->first_node; i < block->end_node; i++)
    {
      const GhloKernelNode *node = &kernel->nodes[i];
      GhloElementType type = ghlo_node_spec (node->kind)->role == GHLO_NODE_LEAF
                             ? (GhloElementType) node->type : ghlo_kernel_operand_type (kernel, node);

      coverage->nodes[node->kind][__builtin_ctz (ghlo_node_types (type))]++;
      if (node->kind == GHLO_NODE_LOAD)
        {
          coverage->forms[RANDOM_FILL] += node->operands[0] != NONE;
          coverage->forms[RANDOM_IN_PLACE] += kernel->buffers[kernel->accesses[node->index].buffer].is_written;
        }
    }
  cover_stores (kernel, block, coverage);
  coverage->forms[RANDOM_FOLD] += block->n_folds == 1;
  coverage->forms[RANDOM_FOLDS] += block->n_folds > 1;
  coverage->forms[RANDOM_CHAINS] += block->n_chains > 1;
  coverage->forms[RANDOM_SPLIT] += block->split > 0;
  coverage->forms[RANDOM_SCAN] += block->n_chains == 1 && block->split == 0 && block->n_stores > 0;
}

void
random_kernel_cover (const GhloKernel *kernel,
                     RandomCoverage   *coverage)
{
  static const RandomForm carries[GHLO_N_BLOCKS] = {
    [GHLO_BLOCK_LOOP] = RANDOM_LOOP_CARRY,
    [GHLO_BLOCK_WHILE] = RANDOM_WHILE_CARRY,
    [GHLO_BLOCK_IF] = RANDOM_WHEN_CARRY,
  };

  for (guint i = 0; i < kernel->n_axes; i++)
    coverage->forms[RANDOM_RUNTIME] += kernel->axes[i].is_runtime;
  coverage->forms[RANDOM_NO_PARALLEL] += kernel->n_parallel == 0;
  for (guint i = 0; i < kernel->n_accesses; i++)
    cover_access (kernel, &kernel->accesses[i], coverage);
  for (guint i = 0; i < kernel->n_blocks; i++)
    {
      const GhloKernelBlock *block = &kernel->blocks[i];

      coverage->blocks[block->kind]++;
      if (block->kind == GHLO_BLOCK_POINTS)
        cover_points (kernel, block, coverage);
      if (block->n_carries > 0)
        coverage->forms[carries[block->kind]]++;
      if (block->kind == GHLO_BLOCK_PRODUCT)
        {
          coverage->forms[RANDOM_PRODUCT_ACCESS] += block->left.access != NONE || block->right.access != NONE;
          coverage->forms[RANDOM_PRODUCT_TEMPORARY] += block->left.access == NONE || block->right.access == NONE;
        }
    }
}
