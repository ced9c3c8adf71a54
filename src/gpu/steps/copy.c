/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Copies of views, by kernels that load and store integers, since devices may flush floats.
 */

#include "base/ghlo-error.h"
#include "gpu/kernel.h"
#include "gpu/steps.h"
#include "kernel/build.h"

typedef struct
{
  GhloKernel       *kernel;           /* owned; NULL if there is nothing to copy */
  GhloGpuKernel  on;
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

/* What both views cross in one loop: a dimension, or several whose elements are at equal distances in both. */
typedef struct
{
  gint64 size;
  gint64 strides[2];                  /* of operand and result, in bytes */
} Axis;

/* Dimensions of size 1 need no loop. */
static guint
merge_axes (const GhloView *from,
            const GhloView *to,
            Axis           *axes)
{
  guint n = 0;

  for (guint i = 0; i < from->rank; i++)
    {
      gint64 size = from->dimensions[i];
      Axis axis = { size, { from->strides[i], to->strides[i] } }, *last = n > 0 ? &axes[n - 1] : NULL;

      if (size == 1)
        continue;
      if (last != NULL && last->strides[0] == size * axis.strides[0] && last->strides[1] == size * axis.strides[1])
        *last = (Axis) { last->size * size, { axis.strides[0], axis.strides[1] } };
      else
        axes[n++] = axis;
    }

  return n;
}

/* No kernel is made where there are too many axes. */
static void
build (Copy           *self,
       const GhloView *from,
       const GhloView *to)
{
  g_autoptr (GhloKernelBuilder) builder = ghlo_kernel_builder_new ("copy");
  gsize size = ghlo_element_info (from->element_type)->size;
  Axis axes[GHLO_MAX_RANK];
  GhloElementType type = piece_type (size);
  gint64 strides[2][GHLO_KERNEL_MAX_AXES] = { { 0 } };
  gint64 sizes[2] = { (gint64) ghlo_gpu_reach (from, &self->starts[0]),
                      (gint64) ghlo_gpu_reach (to, &self->starts[1]) };
  guint n = merge_axes (from, to, axes), node;

  if (n + (size > 8) > GHLO_KERNEL_MAX_AXES)
    return;
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
  ghlo_kernel_add_buffer (builder, "from", sizes[0], FALSE);
  ghlo_kernel_add_buffer (builder, "to", sizes[1], TRUE);
  ghlo_kernel_add_access (builder, 0, type, -self->starts[0], strides[0]);
  ghlo_kernel_add_access (builder, 1, type, -self->starts[1], strides[1]);
  ghlo_kernel_begin_points (builder, 0);
  node = ghlo_kernel_add_load (builder, type, 0, GHLO_KERNEL_NONE);
  ghlo_kernel_store (builder, node, 1);
  ghlo_kernel_end_block (builder);
  self->kernel = ghlo_kernel_builder_end (g_steal_pointer (&builder), NULL);
}

static gboolean
finish (gpointer                step,
        GhloDeviceCore         *device,
        const GhloStepRequest  *request,
        const GhloMonitor      *monitor,
        GError                **error)
{
  Copy *self = step;
  const char *reason;

  if (ghlo_view_count (&request->operands[0]) == 0)
    return TRUE;
  build (self, &request->operands[0], &request->results[0]);
  if (self->kernel == NULL)
    reason = "it has too many dimensions";
  else
    reason = ghlo_gpu_kernel_init (&self->on, (GhloGpuDevice *) device, self->kernel);
  if (reason != NULL)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED, "a Vulkan device cannot copy a view: %s", reason);

  return reason == NULL && ghlo_gpu_kernel_compile (&self->on, request->may_be_predicated, error);
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
  if (self->kernel != NULL)
    ghlo_gpu_kernel_record (&self->on, buffers, scratch, recording);

  return TRUE;
}

const GhloStepImplementation ghlo_gpu_step_copy = {
  .name = "copy",
  .size = sizeof (Copy),
  .finish = finish,
  .clear = clear,
  .record = record,
};
