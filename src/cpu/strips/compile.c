/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compiles a kernel to a program for strips: copies the tables that have to outlive the kernel, chooses the lanes of
 * each block, and reserves memory for folds and products.
 */

#include "cpu/strips/strips-private.h"

#include "cpu/isa/level.h"
#include "kernel/places.h"

#include <string.h>

/* The shortest strip; single points reserve as much. */
#define LEAST_STRIP 8

const GhloMachine *
ghlo_cpu_machine (void)
{
  static const GhloMachine machines[GHLO_CPU_N_LEVELS] = {
    [GHLO_CPU_LEVEL_BASELINE] = { 16, 32768, 6, 0, 0.7, 0.7, 1.5, 0.04, 4 },
    [GHLO_CPU_LEVEL_AVX2] = { 32, 32768, 6, 0, 0.7, 0.7, 1.5, 0.04, 4 },
    [GHLO_CPU_LEVEL_AVX512] = { 64, 32768, 6, 0, 1, 0.7, 1.5, 0.04, 4 },
  };

  return &machines[ghlo_cpu_level ()];
}

static void
copy_tables (GhloCpuStrips    *self,
             const GhloKernel *kernel)
{
  self->n_axes = kernel->n_axes;
  self->n_parallel = kernel->n_parallel;
  self->n_blocks = kernel->n_blocks;
  self->n_temporaries = kernel->n_temporaries;
  self->n_folds = kernel->n_folds;
  for (guint i = 0; i < kernel->n_axes; i++)
    {
      self->extents[i] = kernel->axes[i].extent;
      self->is_runtime[i] = kernel->axes[i].is_runtime != 0;
    }
  self->temporaries = g_memdup2 (kernel->temporaries, kernel->n_temporaries * sizeof *kernel->temporaries);
  for (guint i = 0; i < kernel->n_temporaries; i++)
    self->temporaries[i].name = NULL;
  self->places = g_new (guint16, kernel->n_temporaries + 1);
  ghlo_kernel_find_places (kernel, self->places);
  self->carries = g_memdup2 (kernel->carries, kernel->n_carries * sizeof *kernel->carries);
  self->folds = g_new0 (GhloCpuStripFold, kernel->n_folds);
  self->blocks = g_new0 (GhloCpuStripBlock, kernel->n_blocks);
  self->slots = g_array_sized_new (FALSE, TRUE, sizeof (GhloCpuStripSlot), kernel->n_nodes);
  self->instructions = g_array_sized_new (FALSE, TRUE, sizeof (GhloCpuStripInstruction), kernel->n_nodes);
  self->accesses = g_array_new (FALSE, TRUE, sizeof (GhloCpuStripAccess));
  self->constants = g_byte_array_new ();
  self->terms = g_ptr_array_new_with_free_func (g_free);
}

/* Chooses the axis that the block's strips run along, and lists its other axes. */
static void
choose_lanes (const GhloCpuStrips *self,
              GhloCpuStripBlock   *block)
{
  const guint axes = block->block.kind == GHLO_BLOCK_PRODUCT ? block->block.columns : block->block.axes;

  block->lanes = self->lanes;
  if (self->lanes == GHLO_KERNEL_NONE && axes != 0)
    {
      block->lanes = ghlo_kernel_last_axis (axes);
      block->is_along = TRUE;
    }
  for (guint i = 0; i < self->n_axes; i++)
    if ((block->block.axes & 1u << i) != 0 && i != block->lanes)
      block->axes[block->n_axes++] = (guint8) i;
}

static void
compile_product (GhloCpuStrips     *self,
                 const GhloKernel  *kernel,
                 GhloCpuStripBlock *block)
{
  const GhloKernelBlock *from = &block->block;
  const GhloElementType type = kernel->temporaries[from->result].type;
  const GhloCpuNumber number = ghlo_cpu_strip_number (type);
  gsize bytes = 0;

  block->left = from->left.access != GHLO_KERNEL_NONE
                  ? ghlo_cpu_strip_add_access (self, kernel, from->left.access, block->lanes) : GHLO_KERNEL_NONE;
  block->right = from->right.access != GHLO_KERNEL_NONE
                   ? ghlo_cpu_strip_add_access (self, kernel, from->right.access, block->lanes) : GHLO_KERNEL_NONE;
  for (guint i = 0; i < G_N_ELEMENTS (block->strips); i++)
    block->strips[i] = ghlo_cpu_strip_reserve (&bytes, ((gsize) self->strip * ghlo_element_info (type)->size) + 64);
  block->fma = ghlo_cpu_elementwise_routines ()->loops[number][GHLO_CPU_ELEMENTWISE_FMA];
  block->product = ghlo_cpu_strip_routines ()->products[number];
  self->strips_size = MAX (self->strips_size, bytes);
}

static gboolean
compile_blocks (GhloCpuStrips     *self,
                const GhloKernel  *kernel,
                GError           **error)
{
  for (guint i = 0; i < kernel->n_blocks; i++)
    {
      GhloCpuStripBlock *block = &self->blocks[i];

      block->block = kernel->blocks[i];
      choose_lanes (self, block);
      if (block->block.kind == GHLO_BLOCK_PRODUCT)
        compile_product (self, kernel, block);
      else if (block->block.kind == GHLO_BLOCK_POINTS && !ghlo_cpu_strip_compile_points (self, kernel, block, error))
        return FALSE;
    }
  self->n_slots = self->slots->len;
  for (guint i = 0; i < kernel->n_blocks; i++)
    if (kernel->blocks[i].kind == GHLO_BLOCK_POINTS)
      ghlo_cpu_strip_assign (self, &self->blocks[i], &self->strips_size);

  return TRUE;
}

static void
reserve_folds (GhloCpuStrips    *self,
               const GhloKernel *kernel)
{
  const gsize lanes = self->lanes == GHLO_KERNEL_NONE ? 1 : self->strip;

  for (guint i = 0; i < kernel->n_blocks; i++)
    for (guint j = 0; j < kernel->blocks[i].n_folds; j++)
      {
        GhloCpuStripFold *fold = &self->folds[kernel->blocks[i].first_fold + j];
        gsize bytes = lanes << fold->log2_size;

        fold->accumulators = ghlo_cpu_strip_reserve (&self->strips_size, kernel->blocks[i].n_chains * bytes);
        fold->merged = ghlo_cpu_strip_reserve (&self->strips_size, bytes);
      }
}

GhloCpuStrips *
ghlo_cpu_strips_new (const GhloKernel          *kernel,
                     const GhloKernelSchedule  *schedule,
                     GError                   **error)
{
  g_autoptr (GhloCpuStrips) self = g_new0 (GhloCpuStrips, 1);

  self->lanes = ghlo_kernel_schedule_allows (kernel, schedule->lanes) ? schedule->lanes : GHLO_KERNEL_NONE;
  self->strip = CLAMP (schedule->strip, LEAST_STRIP, GHLO_SCHEDULE_MAX_STRIP);
  self->cost = schedule->cost;
  copy_tables (self, kernel);
  if (!compile_blocks (self, kernel, error))
    return NULL;
  reserve_folds (self, kernel);

  return g_steal_pointer (&self);
}

void
ghlo_cpu_strips_free (GhloCpuStrips *self)
{
  g_free (self->temporaries);
  g_free (self->places);
  g_free (self->carries);
  g_free (self->folds);
  g_free (self->blocks);
  g_array_unref (self->slots);
  g_array_unref (self->instructions);
  g_array_unref (self->accesses);
  g_byte_array_unref (self->constants);
  g_ptr_array_unref (self->terms);
  g_free (self);
}

double
ghlo_cpu_strips_cost (const GhloCpuStrips *self)
{
  return self->cost;
}
