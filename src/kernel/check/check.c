/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The order of the checks, their messages, and the tables that can be checked without blocks.
 */

#include "kernel/check/checker.h"

#include "base/ghlo-error.h"

gboolean
(ghlo_kernel_check_fail) (GhloKernelCheck *self,
                          const char      *format,
                          ...)
{
  g_autofree char *what = NULL;
  va_list arguments;

  va_start (arguments, format);
  what = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  if (self->block == GHLO_KERNEL_NONE)
    return ghlo_invalid (self->error, "the kernel %s is invalid: %s", self->kernel->name, what);

  return ghlo_invalid (self->error, "the kernel %s is invalid: block %u (%s): %s", self->kernel->name, self->block,
                       ghlo_kernel_block_word (self->kernel->blocks[self->block].kind), what);
}

gboolean
ghlo_kernel_check_is_type (guint type)
{
  return type <= GHLO_ELEMENT_TYPE_INDEX && ghlo_node_types (type) != 0;
}

static gboolean
check_counts (GhloKernelCheck *self)
{
  const GhloKernel *kernel = self->kernel;
  const struct
  {
    const char *what;
    guint       n, most;
  } tables[] = {
    { "axes", kernel->n_axes, GHLO_KERNEL_MAX_AXES },
    { "parallel axes", kernel->n_parallel, kernel->n_axes },
    { "buffers", kernel->n_buffers, GHLO_KERNEL_MAX_BUFFERS },
    { "accesses", kernel->n_accesses, GHLO_KERNEL_MAX_ACCESSES },
    { "terms of accesses", kernel->n_terms, GHLO_KERNEL_MAX_TERMS },
    { "temporaries", kernel->n_temporaries, GHLO_KERNEL_MAX_TEMPORARIES },
    { "blocks", kernel->n_blocks, GHLO_KERNEL_MAX_BLOCKS },
    { "stores", kernel->n_stores, GHLO_KERNEL_MAX_STORES },
    { "folds", kernel->n_folds, GHLO_KERNEL_MAX_FOLDS },
    { "carries", kernel->n_carries, GHLO_KERNEL_MAX_CARRIES },
    { "nodes", kernel->n_nodes, GHLO_KERNEL_MAX_NODES },
  };

  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    if (tables[i].n > tables[i].most)
      return ghlo_kernel_check_fail (self, "expected at most %u %s, found %u", tables[i].most, tables[i].what,
                                     tables[i].n);

  return TRUE;
}

static gboolean
check_axes (GhloKernelCheck *self)
{
  gint64 n_points = 1;

  for (guint i = 0; i < self->kernel->n_axes; i++)
    {
      const GhloKernelAxis *axis = &self->kernel->axes[i];

      if (axis->extent < 1)
        return ghlo_kernel_check_fail (self, "axis %u (%s): expected an extent of 1 or more, found %" G_GINT64_FORMAT,
                                       i, axis->name, axis->extent);
      if (axis->is_parallel != (i < self->kernel->n_parallel))
        return ghlo_kernel_check_fail (self, "axis %u (%s): the %u parallel axes are not the first ones", i, axis->name,
                                       self->kernel->n_parallel);
      if (axis->is_runtime > 1)
        return ghlo_kernel_check_fail (self, "axis %u (%s): is_runtime is neither 0 nor 1", i, axis->name);
      if (__builtin_mul_overflow (n_points, axis->extent, &n_points))
        return ghlo_kernel_check_fail (self, "axis %u (%s): the extents up to here are more than 2^63 points", i,
                                       axis->name);
      if (axis->extent > 1)
        self->long_axes |= 1u << i;
    }
  self->parallel = (1u << self->kernel->n_parallel) - 1;

  return TRUE;
}

static gboolean
check_buffers (GhloKernelCheck *self)
{
  for (guint i = 0; i < self->kernel->n_buffers; i++)
    {
      const GhloKernelBuffer *buffer = &self->kernel->buffers[i];

      if (buffer->size < 0)
        return ghlo_kernel_check_fail (self, "buffer %u (%s): its size is negative", i, buffer->name);
      if (buffer->is_written != FALSE && buffer->is_written != TRUE)
        return ghlo_kernel_check_fail (self, "buffer %u (%s): is_written is neither 0 nor 1", i, buffer->name);
      if (buffer->shared != GHLO_KERNEL_NONE
          && (buffer->is_written || buffer->shared >= self->kernel->n_buffers
              || !self->kernel->buffers[buffer->shared].is_written))
        return ghlo_kernel_check_fail (self, "buffer %u (%s): it shares the memory of buffer %u: expected it not to be "
                                       "written, and the other one to be written", i, buffer->name, buffer->shared);
    }

  return TRUE;
}

static gboolean
check_temporaries (GhloKernelCheck *self)
{
  const guint inner = ((1u << self->kernel->n_axes) - 1) & ~self->parallel;

  for (guint i = 0; i < self->kernel->n_temporaries; i++)
    {
      const GhloKernelTemporary *temporary = &self->kernel->temporaries[i];
      gint64 size = 1;

      if (!ghlo_kernel_check_is_type (temporary->type))
        return ghlo_kernel_check_fail (self, "temporary %u (%s): nodes cannot have its type %u", i, temporary->name,
                                       temporary->type);
      if ((temporary->axes & ~inner) != 0)
        return ghlo_kernel_check_fail (self, "temporary %u (%s): it spans axes that are parallel or do not exist: "
                                       "expected some of 0x%02x, found 0x%02x", i, temporary->name, inner,
                                       temporary->axes);
      size = ghlo_element_info (temporary->type)->size;
      for (guint axis = 0; axis < self->kernel->n_axes; axis++)
        if ((temporary->axes & 1u << axis) != 0
            && __builtin_mul_overflow (size, self->kernel->axes[axis].extent, &size))
          return ghlo_kernel_check_fail (self, "temporary %u (%s): it has more than 2^63 bytes", i, temporary->name);
      self->writers[i] = GHLO_KERNEL_NONE;
    }

  return TRUE;
}

gboolean
ghlo_kernel_check (const GhloKernel  *self,
                   GError           **error)
{
  GhloKernelCheck check = { .kernel = self, .error = error, .block = GHLO_KERNEL_NONE };

  return check_counts (&check) && check_axes (&check) && check_buffers (&check) && check_temporaries (&check)
         && ghlo_kernel_check_accesses (&check) && ghlo_kernel_check_blocks (&check)
         && ghlo_kernel_check_stores (&check);
}
