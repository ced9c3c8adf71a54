/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Emits the shader of a kernel, or of two kernels that do not depend on each other. In the latter case the first
 * workgroup computes all of the first kernel, which has few points, and the others compute the second, whose table
 * follows that of the first. A second dispatch would take longer than the kernels do.
 */

#include "gpu/spirv/emit-private.h"

#include "base/ghlo-error.h"
#include "kernel/expand.h"

#include <string.h>

/* Nodes, over all points, that may be computed before it is known whether the flag discards them. */
enum { MOST_AHEAD = 1 << 18 };

static void
load_table (Spirv *self)
{
  const GhloKernel *kernel = self->kernel;
  guint word = GHLO_SPIRV_N_WORDS;

  self->scratch = ghlo_spirv_word (self, self->table, GHLO_SPIRV_WORD_SCRATCH);
  self->n_invocations = ghlo_spirv_word (self, self->table, GHLO_SPIRV_WORD_INVOCATIONS);
  if (!self->floats.folds_exactly)
    self->zero = ghlo_spirv_word (self, self->table, GHLO_SPIRV_WORD_ZERO);
  for (guint i = 0; i < kernel->n_buffers; i++)
    self->buffers[i] = ghlo_spirv_word (self, self->table, word++);
  for (guint i = 0; i < kernel->n_axes; i++, word++)
    self->extents[i] = kernel->axes[i].is_runtime ? ghlo_spirv_word (self, self->table, word)
                                                  : ghlo_spirv_u64 (self, (guint64) kernel->axes[i].extent);
}

/* Whether the numbers of all parallel points fit into 32 bits. */
static gboolean
has_few_points (const GhloKernel *kernel)
{
  guint64 n = 1;

  for (guint i = 0; i < kernel->n_parallel; i++)
    if (!g_uint64_checked_mul (&n, n, (guint64) kernel->axes[i].extent))
      return FALSE;

  return n <= G_MAXUINT32;
}

/* Finds the coordinates of a parallel point, the last axis first. GPUs divide 32 bits faster than 64. Remainders are
 * computed by multiplication, since NVIDIA's compiler (580) miscompiles 64-bit remainders by 2 after a division. */
static void
set_point (Spirv *self,
           Id     number)
{
  gboolean is_narrow = has_few_points (self->kernel);
  Id type = is_narrow ? self->u32 : self->u64;

  if (is_narrow)
    number = CODE (SpvOpUConvert, type, number);
  for (guint i = self->kernel->n_parallel; i-- > 0;)
    {
      Id extent, quotient, coordinate = number;

      if (i > 0)
        {
          extent = is_narrow ? CODE (SpvOpUConvert, type, self->extents[i]) : self->extents[i];
          if (self->by_four && i == self->kernel->n_parallel - 1)
            extent = CODE (SpvOpUDiv, type, extent, ghlo_spirv_integer (self, is_narrow ? 32 : 64, 4));
          quotient = CODE (SpvOpUDiv, type, number, extent);
          coordinate = CODE (SpvOpISub, type, number, CODE (SpvOpIMul, type, quotient, extent));
          number = quotient;
        }
      self->point[i] = is_narrow ? CODE (SpvOpUConvert, self->u64, coordinate) : coordinate;
      if (self->by_four && i == self->kernel->n_parallel - 1)
        self->point[i] = CODE (SpvOpIMul, self->u64, self->point[i], ghlo_spirv_u64 (self, 4));
    }
}

/* Computes four adjacent points, whose elements are loaded together before and stored together after that. */
static void
emit_four (Spirv *self)
{
  const GhloKernelBlock *block = self->kernel->blocks;
  const GhloKernelStore *stores = &self->kernel->stores[block->first_store];
  const guint axis = self->kernel->n_parallel - 1;
  g_autofree Id (*values)[4] = g_malloc (block->n_stores * sizeof *values);

  self->unrolled = (SpirvUnrolled) { .first = self->point[axis], .step = 1, .n = 4, .axis = axis };
  for (guint i = 0; i < 4; i++)
    {
      ghlo_spirv_unroll_point (self, i);
      ghlo_spirv_preload_next (self, block);
      ghlo_spirv_nodes (self, block->first_node, block->first_merge);
      for (guint k = 0; k < (guint) block->n_stores; k++)
        values[k][i] = self->values[stores[k].node];
    }
  for (guint k = 0; k < (guint) block->n_stores; k++)
    {
      ghlo_spirv_unroll_point (self, 0);
      if (ghlo_spirv_has_four (self, stores[k].access))
        ghlo_spirv_store_four (self, stores[k].access, values[k]);
      else
        for (guint i = 0; i < 4; i++)
          {
            ghlo_spirv_unroll_point (self, i);
            ghlo_spirv_store (self, stores[k].access, values[k][i]);
          }
    }
  self->unrolled = (SpirvUnrolled) { 0 };
}

static void
emit_block (Spirv *self)
{
  if (self->by_four)
    emit_four (self);
  else
    ghlo_spirv_blocks (self);
}

/* Returns the number of the point. If parts are computed separately, @number counts the points of all parts. */
static Id
find_part (Spirv *self,
           Id     number)
{
  self->n_points = ghlo_spirv_u64 (self, 1);
  for (guint i = 0; i < self->kernel->n_parallel; i++)
    self->n_points = CODE (SpvOpIMul, self->u64, self->n_points, self->extents[i]);
  self->slot = number;
  if (self->parts == GHLO_SPIRV_PARTS_MERGED)
    return number;
  self->part = CODE (SpvOpUDiv, self->u64, number, self->n_points);

  return CODE (SpvOpISub, self->u64, number, CODE (SpvOpIMul, self->u64, self->part, self->n_points));
}

/* Each invocation computes @n points, a workgroup's width apart, so that adjacent invocations access adjacent
 * memory. */
static void
emit_points (Spirv *self,
             guint  n)
{
  const Id push = ghlo_spirv_add_push (self), group = ghlo_spirv_built_in (self, SpvBuiltInWorkgroupId, TRUE);
  const Id lane = ghlo_spirv_built_in (self, SpvBuiltInLocalInvocationIndex, FALSE);
  Id begin = CODE (SpvOpIMul, self->u64, group, ghlo_spirv_u64 (self, (guint64) n * GHLO_SPIRV_GROUP)), end, exit;
  SpirvLoop loop;

  self->table = ghlo_spirv_load_push (self, push, 0);
  begin = CODE (SpvOpIAdd, self->u64, begin, CODE (SpvOpIAdd, self->u64, lane, ghlo_spirv_load_push (self, push, 1)));
  load_table (self);
  end = ghlo_spirv_load_end (self);
  loop = ghlo_spirv_begin_loop (self, begin, CODE (SpvOpIAdd, self->u64, begin,
                                                   ghlo_spirv_u64 (self, (guint64) n * GHLO_SPIRV_GROUP)));
  exit = ghlo_spirv_begin_if (self, CODE (SpvOpULessThan, self->boolean, loop.index, end));
  set_point (self, loop.index);
  emit_block (self);
  ghlo_spirv_end_if (self, exit);
  ghlo_spirv_end_loop (self, loop, ghlo_spirv_u64 (self, GHLO_SPIRV_GROUP));
}

/* Returns the bits of @value, extended to 64. */
static Id
bits_of (Spirv           *self,
         GhloElementType  type,
         Id               value)
{
  const guint bits = ghlo_element_info (type)->bits;

  if (type == GHLO_ELEMENT_TYPE_I1)
    return ghlo_spirv_select (self, self->u64, value, ghlo_spirv_u64 (self, 1), ghlo_spirv_u64 (self, 0));
  if (ghlo_node_types (type) == GHLO_NODE_TYPES_F)
    value = CODE (SpvOpBitcast, ghlo_spirv_integer_type (self, bits), value);

  return bits == 64 ? value : CODE (SpvOpUConvert, self->u64, value);
}

/* Returns a condition that always holds, but that depends on the values which @block stores in a way no compiler sees
 * through. Otherwise compilers would move the computation, and with it the loads, into the branch. */
static Id
has_values (Spirv                 *self,
            const GhloKernelBlock *block)
{
  Id bits = ghlo_spirv_u64 (self, 0);

  for (guint i = block->first_store; i < block->first_store + (guint) block->n_stores; i++)
    {
      const GhloKernelStore *store = &self->kernel->stores[i];

      bits = CODE (SpvOpBitwiseOr, self->u64, bits, bits_of (self, self->kernel->accesses[store->access].type,
                                                             self->values[store->node]));
    }
  bits = CODE (SpvOpBitwiseAnd, self->u64, bits, ghlo_spirv_word (self, self->table, GHLO_SPIRV_WORD_ZERO));

  return CODE (SpvOpIEqual, self->boolean, bits, ghlo_spirv_u64 (self, 0));
}

/* The flag only decides whether to store. Invocations past the last point load the first one. */
static void
emit_little (Spirv *self,
             Id     point)
{
  const GhloKernelBlock *block = self->kernel->blocks;
  const Id is_there = CODE (SpvOpULessThan, self->boolean, point,
                            ghlo_spirv_word (self, self->table, GHLO_SPIRV_WORD_END));
  const SpirvPredicate predicate = ghlo_spirv_load_predicate (self);
  Id condition, exit;

  set_point (self, ghlo_spirv_select (self, self->u64, is_there, point, ghlo_spirv_u64 (self, 0)));
  ghlo_spirv_nodes (self, block->first_node, block->first_merge);
  condition = CODE (SpvOpLogicalAnd, self->boolean, is_there, has_values (self, block));
  exit = ghlo_spirv_begin_if (self, CODE (SpvOpLogicalAnd, self->boolean, condition,
                                          ghlo_spirv_is_predicate_true (self, &predicate)));
  ghlo_spirv_stores (self, block);
  ghlo_spirv_end_if (self, exit);
}

/* Begins what is computed only where there is such a point. Of a workgroup with several points, *@point is the first,
 * and becomes that of the invocation. */
static Id
begin_points (Spirv *self,
              Id    *point)
{
  const Id end = ghlo_spirv_load_end (self);
  const Id exit = ghlo_spirv_begin_if (self, CODE (SpvOpULessThan, self->boolean, *point, end));

  if (self->together != 0)
    {
      const Id own = CODE (SpvOpIAdd, self->u64, *point, self->together);

      self->is_there = CODE (SpvOpULessThan, self->boolean, own, end);
      *point = ghlo_spirv_select (self, self->u64, self->is_there, own, *point);
    }

  return exit;
}

/* The table is loaded at the same time as the flag, since steps that wait for each other are dominated by such
 * latencies. */
static void
emit_point (Spirv *self,
            Id     point)
{
  Id exit;

  load_table (self);
  if (self->is_speculative)
    {
      emit_little (self, point);
      return;
    }
  exit = begin_points (self, &point);
  ghlo_spirv_place (self);
  if (self->parts != GHLO_SPIRV_PARTS_IN_TURN)
    point = find_part (self, point);
  set_point (self, point);
  if (self->parts == GHLO_SPIRV_PARTS_SEPARATE)
    ghlo_spirv_part (self);
  else
    {
      ghlo_spirv_preload (self);
      emit_block (self);
    }
  ghlo_spirv_end_if (self, exit);
}

/* Whether all points are cheap and straight-line: then a device computes them in the time of a single memory
 * latency. */
static gboolean
is_speculative (const Spirv             *self,
                const GhloSpirvSchedule *schedule)
{
  const GhloKernel *kernel = self->kernel;
  const GhloKernelBlock *block = kernel->blocks;
  guint64 n_nodes;

  if (schedule->workgroup_per_point || kernel->n_blocks != 1 || block->kind != GHLO_BLOCK_POINTS || block->axes != 0
      || block->n_folds > 0 || schedule->n_points == 0)
    return FALSE;
  for (guint i = block->first_store; i < block->first_store + (guint) block->n_stores; i++)
    if (kernel->stores[i].access == GHLO_KERNEL_NONE)
      return FALSE;
  n_nodes = 1 + ghlo_spirv_count_nodes (self, block->first_node, block->first_merge);

  return schedule->n_points <= MOST_AHEAD / n_nodes;
}

/* Resets all state but that of the module. */
static void
begin_kernel (Spirv                   *self,
              const GhloKernel        *kernel,
              const GhloSpirvSchedule *schedule)
{
  memset (&self->kernel, 0, sizeof *self - G_STRUCT_OFFSET (Spirv, kernel));
  self->kernel = kernel;
  self->parts = schedule->parts;
  self->by_four = schedule->by_four;
  self->aligned = schedule->aligned;
  self->is_speculative = is_speculative (self, schedule);
}

static void
emit_one (Spirv                   *self,
          const GhloKernel        *kernel,
          const GhloSpirvSchedule *schedule)
{
  begin_kernel (self, kernel, schedule);
  if (schedule->points_per_invocation > 1)
    emit_points (self, schedule->points_per_invocation);
  else if (schedule->workgroup_per_point && ghlo_spirv_points_per_group (schedule) > 1)
    emit_point (self, ghlo_spirv_find_together (self, schedule));
  else
    emit_point (self, ghlo_spirv_find_point (self, schedule->workgroup_per_point));
}

static void
emit_two (Spirv                   *self,
          GhloKernel *const       *kernels,
          const GhloSpirvSchedule *schedules)
{
  const Id table = ghlo_spirv_load_push (self, ghlo_spirv_add_push (self), 0);
  const Id lane = ghlo_spirv_built_in (self, SpvBuiltInLocalInvocationIndex, FALSE);
  const Id group = ghlo_spirv_built_in (self, SpvBuiltInWorkgroupId, TRUE), zero = ghlo_spirv_u64 (self, 0);

  for (guint i = 0; i < 2; i++)
    {
      const Id exit = ghlo_spirv_begin_if (self, CODE (i == 0 ? SpvOpIEqual : SpvOpINotEqual, self->boolean, group,
                                                       zero));
      const Id number = i == 0 ? zero : CODE (SpvOpISub, self->u64, group, ghlo_spirv_u64 (self, 1));

      begin_kernel (self, kernels[i], &schedules[i]);
      self->table = i == 0 ? table : CODE (SpvOpIAdd, self->u64, table,
                                           ghlo_spirv_u64 (self, ghlo_spirv_count_words (kernels[0]) * 8));
      self->number = number;
      if (schedules[i].workgroup_per_point)
        self->lane = lane;
      else
        self->number = CODE (SpvOpIAdd, self->u64, lane, CODE (SpvOpIMul, self->u64, number,
                                                               ghlo_spirv_u64 (self, self->group)));
      emit_point (self, self->number);
      ghlo_spirv_end_if (self, exit);
    }
}

/* Returns FALSE with an error if the kernel is too large. */
static gboolean
check_size (const GhloKernel         *kernel,
            const GhloSpirvSchedule  *schedule,
            GError                  **error)
{
  if (kernel->n_nodes > GHLO_SPIRV_MAX_NODES)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED, "the shader of the kernel %s would be too large: "
                 "expected at most %u nodes, found %u", kernel->name, GHLO_SPIRV_MAX_NODES, kernel->n_nodes);
  else if (schedule->workgroup_per_point
           && ghlo_spirv_shared (kernel) > schedule->shared_size / ghlo_spirv_points_per_group (schedule))
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED, "a point of the kernel %s needs too much shared "
                 "memory: expected at most %" G_GSIZE_FORMAT " bytes, found %" G_GSIZE_FORMAT, kernel->name,
                 schedule->shared_size, ghlo_spirv_shared (kernel));
  else
    return TRUE;

  return FALSE;
}

/* @n kernels that must have been expanded. */
static GBytes *
emit (GhloKernel *const       *kernels,
      guint                    n,
      const GhloSpirvFloats   *floats,
      const GhloSpirvSchedule *schedules)
{
  g_autoptr (GhloSpirvBuilder) builder = ghlo_spirv_builder_new ();
  g_autoptr (GArray) interface = g_array_new (FALSE, FALSE, sizeof (Id));
  g_autofree Spirv *self = g_new0 (Spirv, 1);

  self->builder = builder;
  self->interface = interface;
  self->floats = *floats;
  for (guint i = 0; i < n; i++)
    self->group = MAX (self->group, ghlo_spirv_group (&schedules[i]));
  ghlo_spirv_begin_module (self);
  if (n == 1)
    emit_one (self, kernels[0], schedules);
  else
    emit_two (self, kernels, schedules);
  ghlo_spirv_end_module (self, self->group * (n == 1 ? ghlo_spirv_points_per_group (schedules) : 1));

  return ghlo_spirv_builder_end (builder);
}

GBytes *
ghlo_spirv_emit (const GhloKernel         *kernel,
                 const GhloSpirvFloats    *floats,
                 const GhloSpirvSchedule  *schedule,
                 GError                  **error)
{
  g_autofree GhloKernel *expanded = ghlo_kernel_expand (kernel, error);

  return expanded != NULL && check_size (expanded, schedule, error) ? emit (&expanded, 1, floats, schedule) : NULL;
}

GBytes *
ghlo_spirv_emit_pair (const GhloKernel *const  *kernels,
                      const GhloSpirvFloats    *floats,
                      const GhloSpirvSchedule  *schedules,
                      GError                  **error)
{
  g_autofree GhloKernel *first = ghlo_kernel_expand (kernels[0], error);
  g_autofree GhloKernel *second = first != NULL ? ghlo_kernel_expand (kernels[1], error) : NULL;

  return second != NULL && check_size (first, &schedules[0], error) && check_size (second, &schedules[1], error)
         ? emit ((GhloKernel *[]) { first, second }, 2, floats, schedules) : NULL;
}
