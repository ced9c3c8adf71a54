/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Walks the blocks at each parallel point. Temporaries are allocated before the first point; for each element a
 * mark tells at which parallel point it was written.
 */

#include "kernel/interpret/interpreter.h"

#include "kernel/evaluate.h"
#include "kernel/expand.h"

static gboolean run_blocks (GhloKernelRun         *self,
                            const GhloKernelBlock *block,
                            guint                  end);

void
ghlo_kernel_run_first (GhloKernelRun *self,
                       guint          axes)
{
  for (guint i = 0; i < self->kernel->n_axes; i++)
    if ((axes & 1u << i) != 0)
      self->point[i] = 0;
}

gboolean
ghlo_kernel_run_next (GhloKernelRun *self,
                      guint          axes)
{
  for (guint i = self->kernel->n_axes; i-- > 0;)
    {
      if ((axes & 1u << i) == 0)
        continue;
      if (++self->point[i] < self->extents[i])
        return TRUE;
      self->point[i] = 0;
    }

  return FALSE;
}

/* Copies the values of @from at the current iterations of the loops around to @to, which spans the same axes. */
static gboolean
copy_temporary (GhloKernelRun *self,
                guint          to,
                guint          from)
{
  guint axes = self->kernel->temporaries[to].axes & ~self->loops;

  ghlo_kernel_run_first (self, axes);
  do
    {
      guint64 value;

      if (!ghlo_kernel_run_get (self, from, &value))
        return FALSE;
      ghlo_kernel_run_set (self, to, value);
    }
  while (ghlo_kernel_run_next (self, axes));

  return TRUE;
}

/* Sets all carried temporaries of @block to their first, or next, values. */
static gboolean
carry (GhloKernelRun         *self,
       const GhloKernelBlock *block,
       gboolean               is_next)
{
  for (guint i = block->first_carry; i < block->first_carry + block->n_carries; i++)
    {
      const GhloKernelCarry *carried = &self->kernel->carries[i];

      if (!copy_temporary (self, carried->temporary, is_next ? carried->next : carried->first))
        return FALSE;
    }

  return TRUE;
}

static gboolean
get_factor (GhloKernelRun          *self,
            const GhloKernelFactor *factor,
            guint64                *value)
{
  return factor->access != GHLO_KERNEL_NONE ? ghlo_kernel_run_load (self, factor->access, value)
                                            : ghlo_kernel_run_get (self, factor->temporary, value);
}

static gboolean
run_product (GhloKernelRun         *self,
             const GhloKernelBlock *block)
{
  GhloElementType type = self->kernel->temporaries[block->result].type;

  ghlo_kernel_run_first (self, block->axes);
  do
    {
      guint64 operands[3] = { 0 };

      do
        {
          if (self->n_points++ % 4096 == 4095 && ghlo_monitor_cancelled (self->monitor, self->error))
            return FALSE;
          if (!get_factor (self, &block->left, &operands[0]) || !get_factor (self, &block->right, &operands[1]))
            return FALSE;
          operands[2] = ghlo_node_evaluate (GHLO_NODE_FMA, type, type, operands);
        }
      while (ghlo_kernel_run_next (self, block->inner));
      ghlo_kernel_run_set (self, block->result, operands[2]);
    }
  while (ghlo_kernel_run_next (self, block->rows | block->columns));

  return TRUE;
}

static gboolean
run_loop (GhloKernelRun         *self,
          const GhloKernelBlock *block)
{
  const guint loops = self->loops;

  if (!carry (self, block, FALSE))
    return FALSE;
  self->loops |= block->axes;
  ghlo_kernel_run_first (self, block->axes);
  do
    if (ghlo_monitor_cancelled (self->monitor, self->error) || !run_blocks (self, block + 1, block->end)
        || !carry (self, block, TRUE))
      return FALSE;
  while (ghlo_kernel_run_next (self, block->axes));
  self->loops = loops;

  return TRUE;
}

static gboolean
run_while (GhloKernelRun         *self,
           const GhloKernelBlock *block)
{
  guint64 goes_on;

  if (!carry (self, block, FALSE))
    return FALSE;
  for (;;)
    {
      if (ghlo_monitor_cancelled (self->monitor, self->error) || !run_blocks (self, block + 1, block->body)
          || !ghlo_kernel_run_get (self, block->predicate, &goes_on))
        return FALSE;
      if (!goes_on)
        return TRUE;
      if (!run_blocks (self, &self->kernel->blocks[block->body], block->end) || !carry (self, block, TRUE))
        return FALSE;
    }
}

static gboolean
run_if (GhloKernelRun         *self,
        const GhloKernelBlock *block)
{
  guint64 is_true;

  if (!ghlo_kernel_run_get (self, block->predicate, &is_true))
    return FALSE;
  if (is_true && !run_blocks (self, block + 1, block->end))
    return FALSE;

  return carry (self, block, is_true != 0);
}

/* Runs @block and its siblings up to block @end. */
static gboolean
run_blocks (GhloKernelRun         *self,
            const GhloKernelBlock *block,
            guint                  end)
{
  static gboolean (*const functions[GHLO_N_BLOCKS]) (GhloKernelRun *self, const GhloKernelBlock *block) = {
    [GHLO_BLOCK_POINTS] = ghlo_kernel_run_points,
    [GHLO_BLOCK_LOOP] = run_loop,
    [GHLO_BLOCK_WHILE] = run_while,
    [GHLO_BLOCK_IF] = run_if,
    [GHLO_BLOCK_PRODUCT] = run_product,
  };
  const GhloKernelBlock *blocks = self->kernel->blocks;

  for (; block < blocks + end; block = blocks + block->end)
    if (!functions[block->kind] (self, block))
      return FALSE;

  return TRUE;
}

static gboolean
set_extents (GhloKernelRun *self,
             const gint64  *extents)
{
  for (guint i = 0; i < self->kernel->n_axes; i++)
    {
      const GhloKernelAxis *axis = &self->kernel->axes[i];

      self->extents[i] = extents != NULL ? extents[i] : axis->extent;
      if (self->extents[i] < 1 || (self->extents[i] != axis->extent && !axis->is_runtime))
        return ghlo_invalid (self->error, "axis %s of the kernel %s: expected an extent of %" G_GINT64_FORMAT "%s, "
                             "found %" G_GINT64_FORMAT, axis->name, self->kernel->name,
                             axis->is_runtime ? 1 : axis->extent, axis->is_runtime ? " or more" : "",
                             self->extents[i]);
    }

  return TRUE;
}

static gboolean
fail_for_memory (GhloKernelRun *self)
{
  g_set_error (self->error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY, "the temporaries of the kernel %s take more than the "
               "interpreter's %" G_GSIZE_FORMAT " bytes", self->kernel->name, GHLO_KERNEL_INTERPRET_BYTES);

  return FALSE;
}

/* Allocates all temporaries. The values of each one are followed by their marks. */
static gboolean
take_temporaries (GhloKernelRun  *self,
                  guint64       **room)
{
  gsize sizes[GHLO_KERNEL_MAX_TEMPORARIES], total = 0;
  const gsize most = GHLO_KERNEL_INTERPRET_BYTES / (2 * sizeof (guint64));
  guint64 *end;

  for (guint i = 0; i < self->kernel->n_temporaries; i++)
    {
      sizes[i] = 1;
      for (guint axis = 0; axis < self->kernel->n_axes; axis++)
        if ((self->kernel->temporaries[i].axes & 1u << axis) != 0
            && (__builtin_mul_overflow (sizes[i], (gsize) self->extents[axis], &sizes[i]) || sizes[i] > most))
          return fail_for_memory (self);
      total += sizes[i];
      if (total > most)
        return fail_for_memory (self);
    }
  *room = g_try_new0 (guint64, 2 * total);
  if (*room == NULL && total > 0)
    return fail_for_memory (self);
  end = *room;
  for (guint i = 0; i < self->kernel->n_temporaries; i++)
    {
      self->temporaries[i] = end;
      self->written[i] = end + sizes[i];
      end += 2 * sizes[i];
    }

  return TRUE;
}

static gboolean
run_all (GhloKernelRun *self)
{
  const guint parallel = (1u << self->kernel->n_parallel) - 1;

  do
    {
      self->parallel_point++;
      if (!run_blocks (self, self->kernel->blocks, self->kernel->n_blocks))
        return FALSE;
    }
  while (ghlo_kernel_run_next (self, parallel));

  return TRUE;
}

static gboolean
has_functions (const GhloKernel *kernel)
{
  for (guint i = 0; i < kernel->n_nodes; i++)
    if (ghlo_node_spec (kernel->nodes[i].kind)->role == GHLO_NODE_FUNCTION)
      return TRUE;

  return FALSE;
}

/* Runs a kernel without functions. */
static gboolean
interpret (const GhloKernel       *self,
           const gint64           *extents,
           const GhloKernelMemory *memory,
           const GhloMonitor      *monitor,
           GError                **error)
{
  GhloKernelRun run = { .kernel = self, .memory = memory, .monitor = monitor, .error = error };
  g_autofree GhloKernelRunNode *nodes = g_new0 (GhloKernelRunNode, self->n_nodes);
  g_autofree guint64 *values = g_new0 (guint64, self->n_nodes);
  g_autofree guint64 *partials = g_new0 (guint64, (GHLO_KERNEL_MAX_CHAINS + 1) * (gsize) self->n_folds);
  g_autofree guint64 *room = NULL;

  run.nodes = nodes;
  run.values = values;
  run.partials = partials;
  if (!set_extents (&run, extents) || !take_temporaries (&run, &room) || ghlo_monitor_cancelled (monitor, error))
    return FALSE;
  ghlo_kernel_run_precompute (&run);

  return run_all (&run);
}

gboolean
ghlo_kernel_interpret (const GhloKernel       *self,
                       const gint64           *extents,
                       const GhloKernelMemory *memory,
                       const GhloMonitor      *monitor,
                       GError                **error)
{
  g_autofree GhloKernel *expanded = NULL;

  if (!has_functions (self))
    return interpret (self, extents, memory, monitor, error);
  expanded = ghlo_kernel_expand (self, error);

  return expanded != NULL && interpret (expanded, extents, memory, monitor, error);
}
