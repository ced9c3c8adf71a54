/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Boxes of copies that permute. The inner axes of a box are those with adjacent elements in the one place, and in the
 * other, until these are enough for whole lines of memory.
 */

#include "gpu/permute.h"

#include "base/sizes.h"
#include "gpu/shaders.h"

/* Those of shaders/permute.comp: axes, and elements of an invocation. */
enum { MAX_AXES = GHLO_GPU_PERMUTE_MAX_AXES, MAX_EACH = 16 };

/* The most elements of 8 bytes of a box. */
enum { MOST_WIDE = 2048 };

/* The elements that are enough for adjacent ones, fewer in smaller boxes, and the most; the bytes from which adjacent
 * ones need no staging if both places have them; how many boxes fill a device, and the least elements of one that is
 * made smaller for that. */
enum { ENOUGH = 64, MOST_ADJACENT = 256, ENOUGH_BYTES = 64, MANY_BOXES = 1024, LEAST_OF_BOX = 1024 };

typedef struct
{
  GHLO_GPU_TABLE_HEAD
#include "shaders/permute.words"
} Table;

/* The specialization constants of the shader. */
typedef struct
{
  guint32 size, n_elements, n_words, from_start, to_start;
  guint32 sizes[MAX_AXES], boxes[MAX_AXES], from_strides[MAX_AXES], to_strides[MAX_AXES], positions[MAX_AXES];
  guint32 to_order[MAX_AXES];
} Constants;

/* Returns axis number @i of the order of a place: 0 where is read, 1 where is written. */
static guint
axis_at (const GhloGpuPermute *self,
         guint                 place,
         guint                 i)
{
  return place == 0 ? i : self->to_order[i];
}

static void
sort_axes (GhloGpuPermute        *self,
           const GhloGpuCopyAxis *axes,
           guint                  n_axes)
{
  for (guint i = 0; i < MAX_AXES; i++)
    {
      const GhloGpuCopyAxis axis = i < n_axes ? axes[i] : (GhloGpuCopyAxis) { 1, { G_MAXINT64, G_MAXINT64 } };
      guint at = i;

      for (; at > 0 && ABS (self->axes[at - 1].strides[0]) > ABS (axis.strides[0]); at--)
        self->axes[at] = self->axes[at - 1];
      self->axes[at] = axis;
    }
  for (guint i = 0; i < MAX_AXES; i++)
    {
      guint at = i;

      for (; at > 0 && ABS (self->axes[self->to_order[at - 1]].strides[1]) > ABS (self->axes[i].strides[1]); at--)
        self->to_order[at] = self->to_order[at - 1];
      self->to_order[at] = i;
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
    count *= self->boxes[axis_at (self, place, i)];

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

  for (guint i = 0; i < MAX_AXES && n < most; i++)
    {
      const guint axis = axis_at (self, place, i);
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
  gint64 most = self->size > sizeof (guint32) ? MOST_WIDE : MAX_EACH * GHLO_GPU_SHADER_GROUP;

  do
    {
      const gint64 enough = most < ENOUGH * ENOUGH ? ENOUGH / 2 : ENOUGH;
      guint last;
      gint64 n;

      for (guint i = 0; i < MAX_AXES; i++)
        self->boxes[i] = 1;
      self->n_inner[0] = self->n_inner[1] = 0;
      extend_box (self, 0, enough, self->to_order[n_common]);
      extend_box (self, 1, MIN (most * count_elements (self, 0, n_common) / count_elements (self, 0, MAX_AXES),
                                MOST_ADJACENT), G_MAXUINT);
      last = self->n_inner[0] - 1;
      n = MIN (most / count_elements (self, 0, MAX_AXES), MOST_ADJACENT / count_elements (self, 0, last + 1));
      self->boxes[last] = MIN (self->boxes[last] * MAX (n, 1), self->axes[last].size);
      self->n_boxes = 1;
      for (guint i = 0; i < MAX_AXES; i++)
        self->n_boxes *= (guint64) ghlo_ceil_div (self->axes[i].size, self->boxes[i]);
      most /= 2;
    }
  while (self->n_boxes < MANY_BOXES && most >= LEAST_OF_BOX);
}

/* Rows have an odd number of words, so that neighbours in different rows lie in different banks. */
static void
place_elements (GhloGpuPermute *self)
{
  gsize position = 1;

  for (guint i = 0; i < MAX_AXES; i++)
    {
      if (i == self->n_inner[1])
        position |= 1;
      self->positions[self->to_order[i]] = position;
      position *= (gsize) self->boxes[self->to_order[i]];
    }
  self->n_words = position;
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
  guint n_common = 0;

  *self = (GhloGpuPermute) { .device = device, .size = (guint) size };
  if (n_axes < 2 || n_axes > MAX_AXES || size > 8 || reaches[0] > G_MAXUINT32 || reaches[1] > G_MAXUINT32
      || ghlo_gpu_shaders_obstacle (device, 0) != NULL)
    return FALSE;
  for (guint i = 0; i < 2; i++)
    {
      self->starts[i] = starts[i];
      self->reaches[i] = reaches[i];
    }
  /* Elements of a broadcast have the same neighbours everywhere. */
  for (guint i = 0; i < n_axes; i++)
    if (axes[i].strides[0] == 0 || axes[i].strides[1] == 0)
      return FALSE;
  sort_axes (self, axes, n_axes);
  for (gsize n = size; n_common < n_axes && self->to_order[n_common] == n_common; n_common++)
    {
      n *= (gsize) self->axes[n_common].size;
      if (n >= ENOUGH_BYTES)
        return FALSE;
    }
  if (n_common == n_axes)
    return FALSE;
  choose_boxes (self, n_common);
  place_elements (self);

  return self->n_words * MAX (size, sizeof (guint32)) <= device->vulkan.shared_memory;
}

gboolean
ghlo_gpu_permute_compile (GhloGpuPermute  *self,
                          GError         **error)
{
  Constants constants = { .size = self->size, .n_elements = (guint32) count_elements (self, 0, MAX_AXES),
                          .n_words = (guint32) self->n_words, .from_start = (guint32) self->starts[0],
                          .to_start = (guint32) self->starts[1] };

  for (guint i = 0; i < MAX_AXES; i++)
    {
      constants.sizes[i] = (guint32) self->axes[i].size;
      constants.boxes[i] = (guint32) self->boxes[i];
      constants.from_strides[i] = (guint32) self->axes[i].strides[0];
      constants.to_strides[i] = (guint32) self->axes[i].strides[1];
      constants.positions[i] = (guint32) self->positions[i];
      constants.to_order[i] = self->to_order[i];
    }
  self->pipeline = ghlo_gpu_shader_compile (self->device, GHLO_GPU_SHADER_PERMUTE, (const guint32 *) &constants,
                                            sizeof constants / sizeof (guint32), error);

  return self->pipeline != NULL;
}

void
ghlo_gpu_permute_record (const GhloGpuPermute *self,
                         GhloBufferRef         from,
                         GhloBufferRef         to,
                         GhloGpuRecording     *recording)
{
  const Table table = { .from = ghlo_gpu_place_encode (from), .to = ghlo_gpu_place_encode (to) };
  const GhloGpuAccess accesses[] = { { GHLO_SPIRV_N_WORDS, from, 0, self->reaches[0], FALSE },
                                     { GHLO_SPIRV_N_WORDS + 1, to, 0, self->reaches[1], TRUE } };
  const GhloGpuDispatch dispatch = {
    .name = "permute", .pipeline = self->pipeline, .n_points = self->n_boxes, .points_per_group = 1,
    .most_groups = G_MAXUINT, .words = (const guint64 *) &table, .n_words = sizeof table / sizeof (guint64),
    .accesses = accesses, .n_accesses = G_N_ELEMENTS (accesses),
  };

  ghlo_gpu_recording_dispatch (recording, &dispatch);
}
