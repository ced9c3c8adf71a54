/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Boxes of copies that permute. The inner axes of a box are those with adjacent elements in the one place, and in the
 * other, until these are enough for whole lines of memory.
 */

#include "gpu/permute.h"

#include "base/sizes.h"
#include "gpu/shaders.h"

/* MAX_AXES and MAX_SIDE of shaders/permute.comp; the latter is that of elements along the inner axes of an order. */
enum { MAX_AXES = GHLO_GPU_PERMUTE_MAX_AXES, MAX_SIDE = 256 };

/* The elements that are enough for adjacent ones, and the bytes from which they need no staging if both places have
 * them; elements of a box for each invocation, with twice as many registers for those of 8 bytes; and how many boxes
 * fill a device, which takes smaller ones before it has fewer. */
enum { ENOUGH = 64, ENOUGH_BYTES = 64, MAX_EACH = 16, MAX_EACH_WIDE = 8, MANY_BOXES = 1024, LEAST_OF_BOX = 512 };

typedef struct
{
  GHLO_GPU_TABLE_HEAD
#include "shaders/permute.words"
} Table;

static guint
find_most_each (const GhloGpuPermute *self)
{
  return self->size == 8 ? MAX_EACH_WIDE : MAX_EACH;
}

/* The most words of shared memory for the elements of a box: a row of an odd number of words for each. */
static guint
find_words (const GhloGpuPermute *self)
{
  return find_most_each (self) * GHLO_GPU_SHADER_GROUP + MAX_SIDE;
}

static void
sort_axes (GhloGpuPermute *self,
           guint           place)
{
  guint *order = self->orders[place];

  for (guint i = 0; i < self->n_axes; i++)
    {
      guint at = i;

      for (; at > 0 && ABS (self->axes[order[at - 1]].strides[place]) > ABS (self->axes[i].strides[place]); at--)
        order[at] = order[at - 1];
      order[at] = i;
    }
}

/* Returns the number of elements of a box along the first @n axes of an order. */
static gint64
count_elements (const GhloGpuPermute *self,
                guint                 place,
                guint                 n)
{
  gint64 count = 1;

  for (guint i = 0; i < n; i++)
    count *= self->boxes[self->orders[place][i]];

  return count;
}

/* Gives the box at most @most adjacent elements in @place, along axes before axis @end of its order. Axes of which it
 * has a part, for the sake of the other place, are left alone. */
static void
extend_box (GhloGpuPermute *self,
            guint           place,
            gint64          most,
            guint           end)
{
  gint64 n = 1;

  for (guint i = 0; i < self->n_axes && n < most; i++)
    {
      const guint axis = self->orders[place][i];
      const gint64 size = self->axes[axis].size, before = self->boxes[axis];

      if (axis == end || (before > 1 && (before < size || n * before > most)))
        break;
      self->boxes[axis] = MIN (MAX (most / n, 1), size);
      self->n_inner[place] = i + 1;
      n *= self->boxes[axis];
      if (self->boxes[axis] < size)
        break;
    }
}

/* Where one place has few adjacent elements, a box has more along those of the other. */
static void
choose_boxes (GhloGpuPermute *self,
              guint           n_common)
{
  gint64 most = find_most_each (self) * GHLO_GPU_SHADER_GROUP;

  do
    {
      const gint64 enough = most < ENOUGH * ENOUGH ? ENOUGH / 2 : ENOUGH;
      guint last;
      gint64 n;

      for (guint i = 0; i < self->n_axes; i++)
        self->boxes[i] = 1;
      self->n_inner[0] = self->n_inner[1] = 0;
      extend_box (self, 0, enough, self->orders[1][n_common]);
      extend_box (self, 1, MIN (most * count_elements (self, 0, n_common) / count_elements (self, 0, self->n_axes),
                                MAX_SIDE), G_MAXUINT);
      last = self->orders[0][self->n_inner[0] - 1];
      n = MIN (most / count_elements (self, 0, self->n_axes), MAX_SIDE / count_elements (self, 0, self->n_inner[0]));
      self->boxes[last] = MIN (self->boxes[last] * MAX (n, 1), self->axes[last].size);
      self->n_boxes = 1;
      for (guint i = 0; i < self->n_axes; i++)
        self->n_boxes *= (guint64) ghlo_ceil_div (self->axes[i].size, self->boxes[i]);
      most /= 2;
    }
  while (self->n_boxes < MANY_BOXES && most >= LEAST_OF_BOX);
}

gboolean
ghlo_gpu_permute_init (GhloGpuPermute        *self,
                       GhloGpuDevice         *device,
                       const GhloGpuCopyAxis *axes,
                       guint                  n_axes,
                       gsize                  size,
                       const gint64          *starts,
                       const gsize           *reaches)
{
  const gsize shared_size = (gsize) (MAX_EACH * GHLO_GPU_SHADER_GROUP + MAX_SIDE * 6) * sizeof (guint32);
  guint n_common = 0;

  *self = (GhloGpuPermute) { .device = device, .size = (guint) size, .n_axes = n_axes };
  if (n_axes < 2 || n_axes > MAX_AXES || size > 8 || reaches[0] > G_MAXUINT32 || reaches[1] > G_MAXUINT32
      || device->vulkan.shared_memory < shared_size || ghlo_gpu_shaders_obstacle (device) != NULL)
    return FALSE;
  for (guint place = 0; place < 2; place++)
    {
      self->starts[place] = starts[place];
      self->reaches[place] = reaches[place];
      for (guint i = 0; i < n_axes; i++)
        self->axes[i] = axes[i];
      sort_axes (self, place);
    }
  /* Elements of a broadcast have the same neighbours everywhere. */
  for (guint i = 0; i < n_axes; i++)
    if (axes[i].strides[0] == 0 || axes[i].strides[1] == 0)
      return FALSE;
  for (gsize n = size; n_common < n_axes && self->orders[0][n_common] == self->orders[1][n_common]; n_common++)
    {
      n *= (gsize) axes[self->orders[0][n_common]].size;
      if (n >= ENOUGH_BYTES)
        return FALSE;
    }
  if (n_common == n_axes)
    return FALSE;
  choose_boxes (self, n_common);

  return TRUE;
}

gboolean
ghlo_gpu_permute_compile (GhloGpuPermute  *self,
                          GError         **error)
{
  const guint32 constants[] = { self->size, find_most_each (self), find_words (self) };

  self->pipeline = ghlo_gpu_shader_compile (self->device, GHLO_GPU_SHADER_PERMUTE, constants,
                                            G_N_ELEMENTS (constants), error);

  return self->pipeline != NULL;
}

void
ghlo_gpu_permute_record (const GhloGpuPermute *self,
                         GhloBufferRef         from,
                         GhloBufferRef         to,
                         GhloGpuRecording     *recording)
{
  Table table = { .from = ghlo_gpu_place_encode (from), .to = ghlo_gpu_place_encode (to),
                  .from_start = (guint64) self->starts[0], .to_start = (guint64) self->starts[1],
                  .n_axes = self->n_axes, .n_from_inner = self->n_inner[0], .n_to_inner = self->n_inner[1] };
  const GhloGpuAccess accesses[] = { { GHLO_SPIRV_N_WORDS, from, 0, self->reaches[0], FALSE },
                                     { GHLO_SPIRV_N_WORDS + 1, to, 0, self->reaches[1], TRUE } };
  const GhloGpuDispatch dispatch = {
    .name = "permute", .pipeline = self->pipeline, .n_points = self->n_boxes, .points_per_group = 1,
    .most_groups = G_MAXUINT, .words = (const guint64 *) &table, .n_words = sizeof table / sizeof (guint64),
    .accesses = accesses, .n_accesses = G_N_ELEMENTS (accesses),
  };
  gint64 position = 1;

  for (guint i = 0; i < self->n_axes; i++)
    {
      table.sizes[i] = (guint64) self->axes[i].size;
      table.boxes[i] = (guint64) self->boxes[i];
      table.from_strides[i] = (guint64) self->axes[i].strides[0];
      table.to_strides[i] = (guint64) self->axes[i].strides[1];
      table.from_order[i] = self->orders[0][i];
      table.to_order[i] = self->orders[1][i];
    }
  /* Rows of an odd number of words, so that neighbours in different rows lie in different banks. */
  for (guint i = 0; i < self->n_axes; i++)
    {
      const guint axis = self->orders[1][i];

      if (i == self->n_inner[1])
        position |= 1;
      table.positions[axis] = (guint64) position;
      position *= self->boxes[axis];
    }
  ghlo_gpu_recording_dispatch (recording, &dispatch);
}
