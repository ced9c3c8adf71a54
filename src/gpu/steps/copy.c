/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Copies of views, by kernels that load and store integers, since devices may flush floats; where neighbours change,
 * in boxes (permute.h).
 */

#include "base/ghlo-error.h"
#include "gpu/kernel.h"
#include "gpu/permute.h"
#include "gpu/steps.h"
#include "kernel/build.h"

#include <string.h>

/* The bytes from which boxes are worth their barriers. */
enum { LEAST_PERMUTED = 1 << 16 };

typedef struct
{
  GhloKernel       *kernel;           /* owned; NULL if there is nothing to copy, or boxes are copied */
  GhloGpuKernel     on;
  GhloGpuPermute    permute;          /* its pipeline is NULL if it is not used */
  gint64            starts[2];        /* for operand and result: bytes from the view's first element to its lowest
                                       * address; at most 0 */
} Copy;

static void
clear (gpointer step)
{
  Copy *self = step;

  g_free (self->kernel);
}

/* Returns the type by which elements of @size bytes are copied: integers of at most 8 bytes. */
static GhloElementType
piece_type (gsize size)
{
  return size == 1 ? GHLO_ELEMENT_TYPE_UI8 : size == 2 ? GHLO_ELEMENT_TYPE_UI16
         : size == 4 ? GHLO_ELEMENT_TYPE_UI32 : GHLO_ELEMENT_TYPE_UI64;
}

/* Dimensions of size 1 need no loop. */
static guint
merge_axes (const GhloView  *from,
            const GhloView  *to,
            GhloGpuCopyAxis *axes)
{
  guint n = 0;

  for (guint i = 0; i < from->rank; i++)
    {
      gint64 size = from->dimensions[i];
      GhloGpuCopyAxis axis = { size, { from->strides[i], to->strides[i] } }, *last = n > 0 ? &axes[n - 1] : NULL;

      if (size == 1)
        continue;
      if (last != NULL && last->strides[0] == size * axis.strides[0] && last->strides[1] == size * axis.strides[1])
        *last = (GhloGpuCopyAxis) { last->size * size, { axis.strides[0], axis.strides[1] } };
      else
        axes[n++] = axis;
    }

  return n;
}

/* Makes elements of up to 8 bytes of those that are adjacent in both places, as far as everything is aligned to them.
 * Returns the size of one. */
static gsize
widen (GhloGpuCopyAxis *axes,
       guint           *n_axes,
       gsize            size,
       const guint32   *alignments)
{
  guint inner = 0;
  guint64 bits = alignments[0] | alignments[1];

  while (inner < *n_axes && (axes[inner].strides[0] != (gint64) size || axes[inner].strides[1] != (gint64) size))
    inner++;
  if (inner == *n_axes)
    return size;
  for (guint i = 0; i < *n_axes; i++)
    bits |= i == inner ? (guint64) axes[i].size * size : (guint64) axes[i].strides[0] | (guint64) axes[i].strides[1];
  for (; size < 8 && bits % (2 * size) == 0; size *= 2)
    axes[inner].size /= 2;
  axes[inner].strides[0] = axes[inner].strides[1] = (gint64) size;
  if (axes[inner].size == 1)
    {
      (*n_axes)--;
      memmove (&axes[inner], &axes[inner + 1], (*n_axes - inner) * sizeof *axes);
    }

  return size;
}

/* No kernel is made where there are too many axes. */
static GhloKernel *
make_kernel (const GhloGpuCopyAxis *axes,
             guint                  n,
             gsize                  size,
             const gint64          *starts,
             const gsize           *reaches)
{
  g_autoptr (GhloKernelBuilder) builder = ghlo_kernel_builder_new ("copy");
  const GhloElementType type = piece_type (size);
  gint64 strides[2][GHLO_KERNEL_MAX_AXES] = { { 0 } };
  guint node;

  if (n + (size > 8) > GHLO_KERNEL_MAX_AXES)
    return NULL;
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("d%u", i);

      strides[0][i] = axes[i].strides[0];
      strides[1][i] = axes[i].strides[1];
      ghlo_kernel_add_axis (builder, name, axes[i].size, TRUE, FALSE);
    }
  if (size > 8)
    {
      strides[0][n] = strides[1][n] = 8;
      ghlo_kernel_add_axis (builder, "part", (gint64) size / 8, TRUE, FALSE);
    }
  ghlo_kernel_add_buffer (builder, "from", (gint64) reaches[0], FALSE);
  ghlo_kernel_add_buffer (builder, "to", (gint64) reaches[1], TRUE);
  ghlo_kernel_add_access (builder, 0, type, -starts[0], strides[0]);
  ghlo_kernel_add_access (builder, 1, type, -starts[1], strides[1]);
  ghlo_kernel_begin_points (builder, 0);
  node = ghlo_kernel_add_load (builder, type, 0, GHLO_KERNEL_NONE);
  ghlo_kernel_store (builder, node, 1);
  ghlo_kernel_end_block (builder);

  return ghlo_kernel_builder_end (g_steal_pointer (&builder), NULL);
}

static gboolean
finish (gpointer                step,
        GhloDeviceCore         *device,
        const GhloStepRequest  *request,
        const GhloMonitor      *monitor,
        GError                **error)
{
  Copy *self = step;
  const GhloView *views[] = { &request->operands[0], &request->results[0] };
  GhloGpuCopyAxis axes[GHLO_MAX_RANK];
  gsize size = ghlo_element_info (views[0]->element_type)->size, reaches[2];
  gint64 starts[2];
  const char *reason;
  guint n;

  if (ghlo_view_count (views[0]) == 0)
    return TRUE;
  for (guint i = 0; i < 2; i++)
    {
      reaches[i] = ghlo_gpu_reach (views[i], &self->starts[i]);
      starts[i] = -self->starts[i];
    }
  n = merge_axes (views[0], views[1], axes);
  size = widen (axes, &n, size, request->alignments);
  if (reaches[0] >= LEAST_PERMUTED && reaches[1] >= LEAST_PERMUTED
      && ghlo_gpu_permute_init (&self->permute, (GhloGpuDevice *) device, axes, n, size, starts, reaches))
    return ghlo_gpu_permute_compile (&self->permute, error);
  self->kernel = make_kernel (axes, n, size, self->starts, reaches);
  if (self->kernel == NULL)
    reason = "it has too many dimensions";
  else
    reason = ghlo_gpu_kernel_init (&self->on, (GhloGpuDevice *) device, self->kernel);
  if (reason != NULL)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED, "a Vulkan device cannot copy a view: %s", reason);

  return reason == NULL && ghlo_gpu_kernel_compile (&self->on, request->may_be_predicated, 0, error);
}

static gboolean
record (gpointer              compiled,
        const GhloBufferRef  *operands,
        const GhloBufferRef  *results,
        GhloBufferRef         scratch,
        gpointer              recording,
        GError              **error)
{
  const Copy *self = compiled;
  GhloBufferRef buffers[2] = { operands[0], results[0] };

  buffers[0].offset += self->starts[0];
  buffers[1].offset += self->starts[1];
  if (self->permute.pipeline != NULL)
    ghlo_gpu_permute_record (&self->permute, buffers[0], buffers[1], recording);
  else if (self->kernel != NULL)
    ghlo_gpu_kernel_record (&self->on, buffers, scratch, recording);

  return TRUE;
}

static char *
describe (gpointer compiled)
{
  const Copy *self = compiled;

  return self->permute.pipeline != NULL ? g_strdup ("in boxes") : NULL;
}

const GhloStepImplementation ghlo_gpu_step_copy = {
  .name = "copy",
  .size = sizeof (Copy),
  .finish = finish,
  .clear = clear,
  .record = record,
  .describe = describe,
};
