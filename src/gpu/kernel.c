/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Kernels as shaders: decides how a kernel's points are distributed over invocations and workgroups. Kernels that the
 * device would compute with results other than the CPU's are declined; flushed subnormal numbers are the one permitted
 * difference.
 */

#include "gpu/kernel.h"

#include <math.h>
#include <string.h>

#include "base/sizes.h"
#include "kernel/expand.h"
#include "vulkan/pipelines.h"

/* Up to FEW_POINTS points, too few to fill a device, get a workgroup each if they have axes of at least MANY_ELEMENTS.
 * More points do as well, if their elements lie side by side in memory and their folds have MANY_CHAINS chains. But
 * MANY_PARTS parts that lie side by side across points get one invocation each. */
enum { FEW_POINTS = 4096, MANY_ELEMENTS = 256, MANY_CHAINS = 16, MANY_PARTS = 1024 };

/* The number of elements of a row, shared out by chains, that an invocation has at most. It loads them once, all
 * together. */
enum { ELEMENTS_EACH = 16 };

/* Where points have few elements each, a workgroup of TOGETHER invocations computes several of them: as many
 * invocations per point as leave each of them FEW_EACH elements, and as fill lines of LINE bytes, at most
 * MOST_TOGETHER; more where points are few. There are LEAST_POINTS points at least, which have LEAST_CHAINS chains and
 * LEAST_ELEMENTS elements at least. */
enum { TOGETHER = 128, FEW_EACH = 16, LINE = 128, MOST_TOGETHER = 32, LEAST_CHAINS = 4, LEAST_ELEMENTS = 16,
       LEAST_POINTS = 32 };

/* The threshold that replaces MANY_ELEMENTS where loops carry arrays, which a single invocation would keep in distant
 * scratch memory; and the maximum number of invocations per workgroup. */
enum { SOME_ELEMENTS = 16, MOST_INVOCATIONS = 256 };

/* The maximum scratch of a kernel in bytes. Invocations that it has no room for take turns. */
#define MAX_SCRATCH ((gsize) 64 << 20)

/* Folds are computed in parts where there are fewer than MANY_INVOCATIONS invocations and at least as many parts as
 * given here, for a workgroup per point or an invocation per point; the latter take longer for each part. */
enum { MANY_INVOCATIONS = 1 << 18, LEAST_OF_GROUPS = 4, LEAST_OF_INVOCATIONS = 2 };

/* Points per invocation where there are at least MANY_INVOCATIONS points. */
enum { POINTS_EACH = 8 };

/* Adjacent points are computed four at a time where that leaves at least this many invocations, of a kernel of at most
 * so many nodes. */
enum { LEAST_BY_FOUR = 1 << 16, MAX_NODES_BY_FOUR = 192 };

/* The invocations of a dispatch with the maximum number of workgroups; see recording.c. */
#define MAX_INVOCATIONS (65535 * (guint64) GHLO_SPIRV_GROUP)

void
ghlo_gpu_kernel_init_probe (GhloGpuKernel    *self,
                            GhloGpuDevice    *device,
                            const GhloKernel *kernel)
{
  *self = (GhloGpuKernel) { .kernel = kernel, .device = device, .n_points = 1, .n_parts = 1,
                            .points_per_invocation = 1, .points_per_group = 1 };
  for (guint i = 0; i < self->kernel->n_axes; i++)
    self->extents[i] = self->kernel->axes[i].extent;
  for (guint i = 0; i < self->kernel->n_parallel; i++)
    self->n_points *= (guint64) self->extents[i];
  self->n_invocations = MIN (ghlo_size_ceil_div (self->n_points, GHLO_SPIRV_GROUP) * GHLO_SPIRV_GROUP,
                             MAX_INVOCATIONS);
}

/* Returns the distance in bytes between the elements of adjacent points along @axis, or 0 if it is not known. */
static gint64
find_step (const GhloKernel       *kernel,
           const GhloKernelAccess *access,
           guint                   axis)
{
  gint64 step = access->strides[axis];

  for (guint i = access->first_term; i < access->first_term + access->n_terms; i++)
    if (kernel->terms[i].step == 1)
      step += kernel->terms[i].strides[axis] * kernel->terms[i].stride;

  return ABS (step);
}

/* Returns the distance in bytes between adjacent elements of the largest input buffer. Sets *@is_inner to whether these
 * belong to the same point: then accesses are contiguous where the invocations of a workgroup share the point. */
static gint64
find_least_step (const GhloKernel *kernel,
                 gboolean         *is_inner)
{
  gint64 largest = 0, least = G_MAXINT64;

  *is_inner = FALSE;
  for (guint i = 0; i < kernel->n_accesses; i++)
    {
      const GhloKernelAccess *access = &kernel->accesses[i];
      const GhloKernelBuffer *buffer = &kernel->buffers[access->buffer];

      if (buffer->is_written || buffer->size < largest)
        continue;
      if (buffer->size > largest)
        least = G_MAXINT64;
      largest = buffer->size;
      for (guint k = 0; k < kernel->n_axes; k++)
        {
          const gint64 step = find_step (kernel, access, k);

          if (step != 0 && step < least)
            {
              least = step;
              *is_inner = k >= kernel->n_parallel;
            }
        }
    }

  return least;
}

static gboolean
has_elements_side_by_side (const GhloKernel *kernel)
{
  gboolean is_inner;

  find_least_step (kernel, &is_inner);

  return is_inner;
}

/* Returns the smallest number of chains of a block with folds, at most @least. */
static guint
least_chains (const GhloKernel *kernel,
              guint             least)
{

  for (guint i = 0; i < kernel->n_blocks; i++)
    if (kernel->blocks[i].n_folds > 0)
      least = MIN (least, kernel->blocks[i].n_chains);

  return least;
}

static gboolean
has_folds (const GhloKernel *kernel)
{
  for (guint i = 0; i < kernel->n_blocks; i++)
    if (kernel->blocks[i].n_folds > 0)
      return TRUE;

  return FALSE;
}

/* Whether loops carry arrays from one iteration to the next. */
static gboolean
carries_arrays (const GhloKernel *kernel)
{
  for (guint i = 0; i < kernel->n_blocks; i++)
    for (guint k = 0; k < kernel->blocks[i].n_carries; k++)
      if (kernel->blocks[i].kind != GHLO_BLOCK_IF
          && kernel->temporaries[kernel->carries[kernel->blocks[i].first_carry + k].temporary].axes != 0)
        return TRUE;

  return FALSE;
}

/* Returns the extent of the longest axis that is not parallel. */
static gint64
find_longest (const GhloGpuKernel *self)
{
  gint64 longest = 1;

  for (guint i = self->kernel->n_parallel; i < self->kernel->n_axes; i++)
    longest = MAX (longest, self->extents[i]);

  return longest;
}

/* Whether there are many invocations with one point, or part of a point, each, and these access contiguous memory. */
static gboolean
has_many_parts (const GhloGpuKernel *self)
{
  return self->n_points * ghlo_spirv_count_parts (self->kernel, self->extents) >= MANY_PARTS
         && ghlo_spirv_scratch (self->kernel) == 0 && !has_elements_side_by_side (self->kernel);
}

static gboolean
is_group_per_point (const GhloGpuKernel *self)
{
  const GhloKernel *kernel = self->kernel;
  const gint64 longest = find_longest (self), many = carries_arrays (kernel) ? SOME_ELEMENTS : MANY_ELEMENTS;

  if (ghlo_spirv_shared (kernel) > self->device->vulkan.shared_memory)
    return FALSE;

  return (self->n_points < FEW_POINTS && longest >= many && !has_many_parts (self))
         || (longest >= GHLO_SPIRV_GROUP && least_chains (kernel, MANY_CHAINS) == MANY_CHAINS
             && has_elements_side_by_side (kernel));
}

/* Where loops carry arrays, each iteration waits for the one before, so an invocation should have few points in each;
 * likewise few elements of a row. */
static guint
choose_group (const GhloGpuKernel *self)
{
  const gint64 longest = find_longest (self);
  const guint each = carries_arrays (self->kernel) ? 1 : ELEMENTS_EACH;
  guint most = MIN (MOST_INVOCATIONS, self->device->vulkan.max_group_size), group = GHLO_SPIRV_GROUP;

  most = least_chains (self->kernel, most);
  if (each > 1 && !has_folds (self->kernel))
    return group;
  while (group * each < longest && group * 2 <= most)
    group *= 2;

  return group;
}

/* Whether all blocks are of points, of which the last axis is short enough for few invocations. */
static gboolean
has_short_rows (const GhloGpuKernel *self)
{
  for (guint i = 0; i < self->kernel->n_blocks; i++)
    if (self->kernel->blocks[i].kind != GHLO_BLOCK_POINTS)
      return FALSE;

  return has_folds (self->kernel) && self->n_points >= LEAST_POINTS && find_longest (self) >= LEAST_ELEMENTS;
}

/* Lets a workgroup compute several points, each by a few invocations. */
static void
choose_together (GhloGpuKernel *self)
{
  const GhloKernel *kernel = self->kernel;
  const gint64 last = kernel->n_axes > 0 ? self->extents[kernel->n_axes - 1] : 1;
  const guint n_chains = least_chains (kernel, MOST_INVOCATIONS);
  const guint64 n_parts = ghlo_spirv_count_parts (kernel, self->extents);
  gboolean is_inner;
  const gint64 step = find_least_step (kernel, &is_inner);
  guint n = LEAST_CHAINS, n_points;

  if (n_chains < LEAST_CHAINS || !has_short_rows (self) || (is_inner && last > MOST_TOGETHER * FEW_EACH))
    return;
  while (n < n_chains && ((n < MOST_TOGETHER && (n * FEW_EACH < last || (is_inner && n * step < LINE)))
                          || self->n_points * n_parts * n < MANY_INVOCATIONS))
    n *= 2;
  n_points = MAX (TOGETHER / n, 1);
  while (!is_inner && n_points * step < LINE && n_points * n < MOST_INVOCATIONS)
    n_points *= 2;
  while (n_points > 1 && (n_points / 2 >= self->n_points
                          || ghlo_spirv_shared (kernel) > self->device->vulkan.shared_memory / n_points))
    n_points /= 2;
  if (n_points == 1)
    return;
  self->workgroup_per_point = TRUE;
  self->has_adjacent_points = !is_inner;
  self->group = n;
  self->points_per_group = n_points;
}

GhloSpirvSchedule
ghlo_gpu_kernel_schedule (const GhloGpuKernel *self,
                          GhloSpirvParts       parts)
{
  return (GhloSpirvSchedule) {
    .workgroup_per_point = self->workgroup_per_point, .shared_size = self->device->vulkan.shared_memory,
    .points_per_invocation = self->points_per_invocation, .parts = parts,
    .group = self->workgroup_per_point ? self->group : 0, .points_per_group = self->points_per_group,
    .has_adjacent_points = self->has_adjacent_points, .by_four = self->by_four, .aligned = self->aligned,
    .n_points = self->may_be_predicated ? self->n_points : 0,
  };
}

static gboolean
may_end_early (const GhloGpuKernel *self,
               GhloSpirvParts       parts)
{
  const GhloSpirvSchedule schedule = ghlo_gpu_kernel_schedule (self, parts);
  const double n = ghlo_spirv_count_iterations (self->kernel, self->extents, &schedule);

  return !ghlo_vulkan_driver_may_iterate (self->device->vulkan.driver, self->points_per_invocation * (1 + n));
}

/* Starting a workgroup takes longer than many of the points it would compute. */
static void
choose_points (GhloGpuKernel *self)
{
  if (self->workgroup_per_point || self->scratch_each > 0 || self->n_parts > 1 || self->n_points < MANY_INVOCATIONS)
    return;
  self->points_per_invocation = POINTS_EACH;
  if (may_end_early (self, GHLO_SPIRV_PARTS_IN_TURN))
    self->points_per_invocation = 1;
}

/* There is no gain in more parts than the device executes at once. */
static void
choose_parts (GhloGpuKernel *self)
{
  guint64 n_parts = ghlo_spirv_count_parts (self->kernel, self->extents);
  guint64 n_invocations = !self->workgroup_per_point ? self->n_points
                          : self->n_points * (self->points_per_group > 1 ? self->group : GHLO_SPIRV_GROUP);
  guint64 least = self->workgroup_per_point ? LEAST_OF_GROUPS : LEAST_OF_INVOCATIONS;

  if (self->scratch_each == 0 && n_parts >= least && n_invocations < MANY_INVOCATIONS
      && ghlo_spirv_parts_scratch (self->kernel, self->n_points, n_parts) <= MAX_SCRATCH)
    self->n_parts = n_parts;
}

const char *
ghlo_gpu_kernel_init (GhloGpuKernel    *self,
                      GhloGpuDevice    *device,
                      const GhloKernel *kernel)
{
  g_autofree GhloKernel *expanded = ghlo_kernel_expand (kernel, NULL);
  GhloElementType type;

  ghlo_gpu_kernel_init_probe (self, device, kernel);
  if (expanded == NULL)
    return "its kernel is too large";
  self->n_nodes = expanded->n_nodes;
  if (ghlo_spirv_find_inexact (&device->measured, expanded, FALSE, &type) != GHLO_N_NODES)
    return "the device does not compute it with the required accuracy";
  self->workgroup_per_point = is_group_per_point (self);
  self->group = choose_group (self);
  choose_together (self);
  if (!self->workgroup_per_point)
    self->scratch_each = ghlo_spirv_scratch (kernel);
  if (self->scratch_each > MAX_SCRATCH / GHLO_SPIRV_GROUP)
    return "a point of its kernel needs too much scratch memory";
  if (self->scratch_each > 0)
    self->n_invocations = MIN (self->n_invocations,
                               MAX_SCRATCH / self->scratch_each / GHLO_SPIRV_GROUP * GHLO_SPIRV_GROUP);
  choose_parts (self);
  choose_points (self);
  if (self->n_parts > 1 ? may_end_early (self, GHLO_SPIRV_PARTS_SEPARATE)
                          || may_end_early (self, GHLO_SPIRV_PARTS_MERGED)
                        : may_end_early (self, GHLO_SPIRV_PARTS_IN_TURN))
    return "its loops have more iterations than the driver supports";

  return NULL;
}

gsize
ghlo_gpu_kernel_scratch (const GhloGpuKernel *self)
{
  return self->n_parts > 1 ? ghlo_spirv_parts_scratch (self->kernel, self->n_points, self->n_parts)
                           : self->scratch_each * (gsize) self->n_invocations;
}

static GhloVulkanPipeline *
make_pipeline (const GhloGpuKernel  *self,
               GhloSpirvParts        parts,
               GError              **error)
{
  const GhloSpirvSchedule schedule = ghlo_gpu_kernel_schedule (self, parts);
  g_autoptr (GBytes) words = ghlo_spirv_emit (self->kernel, &self->device->measured.floats, &schedule, error);
  g_autoptr (GBytes) adapted = words != NULL ? ghlo_vulkan_driver_adapt (self->device->vulkan.driver, words) : NULL;

  return adapted != NULL ? ghlo_vulkan_pipelines_get (self->device->vulkan.pipelines, adapted, error) : NULL;
}

/* Whether four points have adjacent elements of an access that they load, or the same one. */
static gboolean
loads_by_four (const GhloKernel     *kernel,
               const GhloKernelNode *node,
               guint64               aligned)
{
  const guint last = kernel->n_parallel - 1;
  const GhloKernelAccess *access;

  if (node->kind != GHLO_NODE_LOAD)
    return TRUE;
  access = &kernel->accesses[node->index];

  return ghlo_spirv_may_be_four (kernel, node->index, last, aligned)
         || (access->n_terms == 0 && access->strides[last] == 0);
}

/* Whether the kernel is a map whose elements are loaded and stored by four. */
static gboolean
suits_four (const GhloGpuKernel *self,
            guint64              aligned)
{
  const GhloKernel *kernel = self->kernel;
  const GhloKernelBlock *block = kernel->blocks;
  const guint last = kernel->n_parallel - 1;

  if (self->workgroup_per_point || kernel->n_parallel == 0 || kernel->n_blocks != 1
      || block->kind != GHLO_BLOCK_POINTS || block->axes != 0 || block->n_folds > 0
      || self->extents[last] % 4 != 0 || self->n_points / 4 < LEAST_BY_FOUR)
    return FALSE;
  for (guint i = block->first_store; i < block->first_store + (guint) block->n_stores; i++)
    if (kernel->stores[i].access == GHLO_KERNEL_NONE
        || !ghlo_spirv_may_be_four (kernel, kernel->stores[i].access, last, aligned))
      return FALSE;
  for (guint i = block->first_node; i < block->end_node; i++)
    if (!loads_by_four (kernel, &kernel->nodes[i], aligned))
      return FALSE;

  return TRUE;
}

static void
choose_four (GhloGpuKernel *self,
             guint64        aligned)
{
  if (self->n_nodes > MAX_NODES_BY_FOUR || !suits_four (self, aligned))
    return;
  self->by_four = TRUE;
  self->aligned = aligned;
  self->points_per_invocation = self->n_points / 4 >= MANY_INVOCATIONS ? POINTS_EACH / 4 : 1;
}

gboolean
ghlo_gpu_kernel_compile (GhloGpuKernel  *self,
                         gboolean        may_be_predicated,
                         guint64         aligned,
                         GError        **error)
{
  self->may_be_predicated = may_be_predicated;
  choose_four (self, aligned);
  if (self->n_parts > 1)
    {
      self->parts_pipeline = make_pipeline (self, GHLO_SPIRV_PARTS_SEPARATE, error);
      if (self->parts_pipeline == NULL)
        return FALSE;
    }
  self->pipeline = make_pipeline (self, self->n_parts > 1 ? GHLO_SPIRV_PARTS_MERGED : GHLO_SPIRV_PARTS_IN_TURN, error);

  return self->pipeline != NULL;
}

/* Returns how many nodes the dispatch computes, counted at each point; 0 where that depends on data. */
static double
count_work (const GhloGpuKernel *self,
            gboolean             is_of_parts)
{
  const GhloSpirvSchedule schedule = ghlo_gpu_kernel_schedule (self, is_of_parts ? GHLO_SPIRV_PARTS_SEPARATE
                                                                     : self->n_parts > 1 ? GHLO_SPIRV_PARTS_MERGED
                                                                     : GHLO_SPIRV_PARTS_IN_TURN);
  const double each = 1 + ghlo_spirv_count_iterations (self->kernel, self->extents, &schedule);
  const double n_invocations = (double) self->n_points * (is_of_parts ? (double) self->n_parts : 1)
                               * (self->workgroup_per_point ? self->group : 1);

  return isfinite (each) ? n_invocations * each * self->kernel->n_nodes : 0;
}

/* Records either the dispatch that computes the parts, or the one that computes all points, merging parts if there are
 * any. */
static void
record_dispatch (const GhloGpuKernel *self,
                 const GhloBufferRef *buffers,
                 GhloBufferRef        scratch,
                 gboolean             is_of_parts,
                 GhloGpuRecording    *recording)
{
  const GhloKernel *kernel = self->kernel;
  const gsize scratch_size = ghlo_gpu_kernel_scratch (self);
  guint64 words[GHLO_SPIRV_N_WORDS + GHLO_KERNEL_MAX_BUFFERS + GHLO_KERNEL_MAX_AXES] = { 0 };
  GhloGpuAccess accesses[GHLO_KERNEL_MAX_BUFFERS + 1];
  GhloGpuDispatch dispatch = {
    .name = g_intern_string (kernel->name), .pipeline = is_of_parts ? self->parts_pipeline : self->pipeline,
    .n_points = is_of_parts ? self->n_points * self->n_parts : self->by_four ? self->n_points / 4 : self->n_points,
    .points_per_group = self->workgroup_per_point ? self->points_per_group
                                                  : GHLO_SPIRV_GROUP * self->points_per_invocation,
    .most_groups = self->workgroup_per_point || is_of_parts ? G_MAXUINT
                   : (guint) (self->n_invocations / GHLO_SPIRV_GROUP),
    .takes_turns = self->scratch_each > 0, .work = count_work (self, is_of_parts),
    .kernel = scratch_size == 0 && self->points_per_invocation == 1 && self->points_per_group == 1
              && !self->by_four ? self : NULL,
    .words = words, .n_words = ghlo_spirv_count_words (kernel),
    .accesses = accesses, .n_accesses = kernel->n_buffers,
  };

  words[GHLO_SPIRV_WORD_INVOCATIONS] = self->n_invocations;
  memcpy (words + GHLO_SPIRV_N_WORDS + kernel->n_buffers, self->extents, kernel->n_axes * sizeof *self->extents);
  for (guint i = 0; i < kernel->n_buffers; i++)
    accesses[i] = (GhloGpuAccess) { GHLO_SPIRV_N_WORDS + i, buffers[i], 0, (gsize) kernel->buffers[i].size,
                                    kernel->buffers[i].is_written };
  if (scratch_size > 0)
    accesses[dispatch.n_accesses++] = (GhloGpuAccess) { GHLO_SPIRV_WORD_SCRATCH, scratch, 0, scratch_size, TRUE };
  ghlo_gpu_recording_dispatch (recording, &dispatch);
}

void
ghlo_gpu_kernel_record_parts (const GhloGpuKernel *self,
                              const GhloBufferRef *buffers,
                              GhloBufferRef        scratch,
                              GhloGpuRecording    *recording)
{
  if (self->n_parts > 1)
    record_dispatch (self, buffers, scratch, TRUE, recording);
}

void
ghlo_gpu_kernel_record_rest (const GhloGpuKernel *self,
                             const GhloBufferRef *buffers,
                             GhloBufferRef        scratch,
                             GhloGpuRecording    *recording)
{
  record_dispatch (self, buffers, scratch, FALSE, recording);
}

void
ghlo_gpu_kernel_record (const GhloGpuKernel *self,
                        const GhloBufferRef *buffers,
                        GhloBufferRef        scratch,
                        GhloGpuRecording    *recording)
{
  ghlo_gpu_kernel_record_parts (self, buffers, scratch, recording);
  ghlo_gpu_kernel_record_rest (self, buffers, scratch, recording);
}
