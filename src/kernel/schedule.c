/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tries every choice of lanes and estimates its time from calls, vectors, and accesses to elements that are not
 * adjacent. A strip is as long as the live values fit the L1 cache.
 */

#include "kernel/schedule.h"

#include "base/sizes.h"
#include "kernel/depends.h"
#include "kernel/variance.h"

#include <string.h>

/* The least work for which waking a thread pays. */
#define GRAIN_NANOSECONDS 20000.0
#define LINE_BYTES 64
/* Vectors for each piece of a row that is transposed in a tile: loads, shuffles and stores; and a piece's bytes. */
#define TILE_STEPS 3.0
#define TILE_BYTES 16
/* A limit for code including all its cuts. */
#define MAX_INSTRUCTIONS 2000
/* A buffer of so many bytes may not be in the L2 cache. */
#define FAR_BYTES (1 << 20)
/* Columns that are folded together. A row is read in pieces of PIECE bytes: the L1 cache holds those of the rows that
 * are prefetched together, and the sums. That pays for LEAST_ROWS rows of LONG_ROW bytes, or of SHORT_ROW bytes where
 * a thread has whole rows. */
enum { PIECE = GHLO_SCHEDULE_MAX_COLUMNS, LONG_ROW = 8192, SHORT_ROW = 256, LEAST_ROWS = 64 };

typedef struct
{
  const GhloKernel  *kernel;
  const GhloMachine *machine;
  const guint16     *varies;            /* the axes on which each node depends (kernel/variance.h) */
  guint              lanes, strip;
} Estimate;

gboolean
ghlo_kernel_schedule_allows (const GhloKernel *kernel,
                             guint             lanes)
{
  if (lanes == GHLO_KERNEL_NONE)
    return TRUE;
  if (lanes >= kernel->n_parallel)
    return FALSE;
  /* All lanes of a strip take the same branch. */
  for (guint i = 0; i < kernel->n_blocks; i++)
    if (kernel->blocks[i].kind == GHLO_BLOCK_WHILE || kernel->blocks[i].kind == GHLO_BLOCK_IF)
      return FALSE;

  return TRUE;
}

gboolean
ghlo_kernel_schedule_allows_columns (const GhloKernel *kernel,
                                     guint             lanes)
{
  gboolean folds = FALSE;

  if (lanes >= kernel->n_parallel)
    return FALSE;
  for (guint i = 0; i < kernel->n_temporaries; i++)
    if (kernel->temporaries[i].axes != 0)
      return FALSE;
  for (guint i = 0; i < kernel->n_blocks; i++)
    {
      const GhloKernelBlock *block = &kernel->blocks[i];

      /* A chain has the same coordinates in each part. */
      if (block->kind != GHLO_BLOCK_POINTS
          || (block->n_folds > 0 && (block->axes == 0 || block->n_stores > 0 || block->split % block->n_chains != 0)))
        return FALSE;
      folds |= block->n_folds > 0;
    }

  return folds;
}

/* Returns the time to load or store one element for each of @n lanes along @axis, without the call. Folds along @row
 * (or GHLO_KERNEL_NONE) are of rows of their own. */
static double
access_time (const Estimate *self,
             guint           number,
             guint           axis,
             guint           row,
             double          n)
{
  const GhloKernelAccess *access = &self->kernel->accesses[number];
  const guint size = ghlo_element_info (access->type)->size;
  gint64 stride = axis == GHLO_KERNEL_NONE ? 0 : access->strides[axis];

  for (guint i = access->first_term; i < access->first_term + access->n_terms; i++)
    {
      const GhloKernelTerm *term = &self->kernel->terms[i];

      if (term->node != GHLO_KERNEL_NONE && axis != GHLO_KERNEL_NONE && (self->varies[term->node] & 1u << axis) != 0)
        return n * self->machine->indexed_time;
      if (axis != GHLO_KERNEL_NONE && term->strides[axis] != 0)
        if (!ghlo_int_add_product (&stride, term->strides[axis] / MAX (term->step, 1), term->stride))
          return n * self->machine->strided_time;
    }
  if (axis == GHLO_KERNEL_NONE)
    return self->machine->strided_time;
  if (stride == 0)
    return 0;
  if (stride == size)
    return MAX (n * size / self->machine->vector_bytes, 1) * self->machine->vector_time;
  /* Code extracts lanes from whole vectors, in about as many steps as it loads vectors. */
  if (self->machine->call_time == 0 && stride % size == 0 && stride > 0
      && stride <= GHLO_SCHEDULE_LANE_STRIDE * size)
    return MAX (n * size / self->machine->vector_bytes, 1) * 2 * (double) stride / size * self->machine->vector_time;
  /* Code transposes tiles of rows, in some steps for each. */
  if (self->machine->call_time == 0 && access->n_terms == 0 && row != GHLO_KERNEL_NONE && access->strides[row] == size
      && self->kernel->axes[row].extent >= TILE_BYTES / size)
    return n * size / TILE_BYTES * TILE_STEPS * self->machine->vector_time;

  return n * self->machine->strided_time;
}

/* Returns the time of @store for @n lanes along @axis. Where each lane is in another cache line, and the L1 cache does
 * not hold all these lines, besides what is loaded, until their next elements are stored, each lane fetches one. */
static double
store_time (const Estimate        *self,
            const GhloKernelStore *store,
            guint                  axis,
            double                 n)
{
  const GhloKernel *kernel = self->kernel;
  const gint64 stride = axis == GHLO_KERNEL_NONE ? 0 : kernel->accesses[store->access].strides[axis];

  if (ABS (stride) >= LINE_BYTES
      && (double) kernel->axes[axis].extent * LINE_BYTES > (double) self->machine->l1_bytes / 2)
    return n * self->machine->line_time;

  return access_time (self, store->access, axis, GHLO_KERNEL_NONE, n);
}

/* Returns the time of a node for @n lanes along @axis, where folds are along @row. */
static double
node_time (const Estimate       *self,
           const GhloKernelNode *node,
           guint                 axis,
           guint                 row,
           double                n)
{
  const GhloMachine *machine = self->machine;
  const GhloNodeSpec *spec = ghlo_node_spec (node->kind);
  const gboolean varies = axis != GHLO_KERNEL_NONE && (self->varies[node - self->kernel->nodes] & 1u << axis) != 0;
  double vectors = varies ? MAX (n * ghlo_element_info (node->type)->size / machine->vector_bytes, 1) : 1;

  if (node->kind == GHLO_NODE_LOAD || node->kind == GHLO_NODE_INSIDE)
    return machine->call_time + access_time (self, node->index, axis, row, n);
  if (spec->role == GHLO_NODE_LEAF)
    return 0;

  return machine->call_time + vectors * machine->vector_time * (spec->role == GHLO_NODE_FUNCTION ? 12 : 1);
}

/* Returns the time of the nodes that depend on the folds of @block, along a strip of @n points, n_chains points at a
 * time. Folds by a single operation have a loop for the whole strip instead. */
static double
group_time (const Estimate        *self,
            const GhloKernelBlock *block,
            double                 n)
{
  g_autofree guint8 *depends = ghlo_kernel_depends (self->kernel, block);
  guint n_dependent = 0;

  for (guint i = block->first_node; i < block->first_merge; i++)
    n_dependent += depends[i] && self->kernel->nodes[i].kind != GHLO_NODE_LEFT;

  return n_dependent > block->n_folds ? self->machine->call_time * n_dependent * n / block->n_chains : 0;
}

/* Returns the time of the folds of @block at @n adjacent points. Several chains are kept in memory. */
static double
chain_time (const Estimate        *self,
            const GhloKernelBlock *block,
            double                 n)
{
  double vectors = block->n_chains > 1 ? 4 * MAX (n * 4 / self->machine->vector_bytes, 1) : 0;

  return block->n_folds * (self->machine->call_time + vectors * self->machine->vector_time);
}

/* Returns the time to merge chains that are lanes of strips, half into half. */
static double
merge_time (const Estimate        *self,
            const GhloKernelBlock *block)
{
  return g_bit_storage (block->n_chains - 1u) * (block->end_node - block->first_merge) * self->machine->wait_time;
}

/* Returns the nodes that code evaluates point by point: those that depend on a fold with one chain along the lanes, or
 * all nodes of the block if these cannot be separated. NULL: none. */
static guint8 *
find_single (const Estimate        *self,
             const GhloKernelBlock *block)
{
  guint8 *single;

  if (block->n_chains != 1 || self->lanes != GHLO_KERNEL_NONE || self->machine->call_time > 0)
    return NULL;
  single = ghlo_kernel_depends (self->kernel, block);
  if (!ghlo_kernel_folds_in_order (self->kernel, block))
    memset (single, TRUE, self->kernel->n_nodes);

  return single;
}

/* Returns the time of a block at one point of the axes around it, for one parallel point. */
static double
block_time (const Estimate        *self,
            const GhloKernelBlock *block)
{
  const GhloKernel *kernel = self->kernel;
  const gboolean is_across = self->lanes != GHLO_KERNEL_NONE;
  const guint axes = block->kind == GHLO_BLOCK_PRODUCT ? block->columns : block->axes;
  const guint axis = is_across ? self->lanes : ghlo_kernel_last_axis (axes);
  const guint row = is_across && block->n_folds > 0 && axes != 0 ? ghlo_kernel_last_axis (axes) : GHLO_KERNEL_NONE;
  const double n = axis == GHLO_KERNEL_NONE ? 1 : (double) MIN (kernel->axes[axis].extent, self->strip);
  g_autofree guint8 *single = find_single (self, block);
  double time = 0, strips = (double) ghlo_kernel_count_points (kernel, block->axes) / (is_across ? 1 : n);

  if (block->kind == GHLO_BLOCK_PRODUCT)
    time = self->machine->call_time + n * 4 / self->machine->vector_bytes * self->machine->vector_time;
  for (guint i = block->first_node; i < block->first_merge; i++)
    time += single != NULL && single[i] ? n * node_time (self, &kernel->nodes[i], axis, row, 1)
                                        : node_time (self, &kernel->nodes[i], axis, row, n);
  for (guint i = block->first_store; i < block->first_store + block->n_stores; i++)
    if (kernel->stores[i].access != GHLO_KERNEL_NONE)
      time += store_time (self, &kernel->stores[i], axis, n);
  if (block->n_folds > 0)
    time += is_across ? chain_time (self, block, n) : group_time (self, block, n);

  time = time * strips / (is_across ? n : 1);

  return block->n_folds > 0 && !is_across ? time + merge_time (self, block) : time;
}

static double
time_of (const Estimate *self)
{
  double time = 0;

  for (guint i = 0; i < self->kernel->n_blocks; i++)
    {
      const GhloKernelBlock *block = &self->kernel->blocks[i];
      const guint loops = ghlo_kernel_loops_around (self->kernel, block);

      time += (double) ghlo_kernel_count_points (self->kernel, loops) * block_time (self, block);
    }

  return time;
}

/* Returns an upper bound for the bytes per lane of all values in @block that are live at once; each is live from its
 * node to its last use. */
static guint
live_bytes (const GhloKernel      *kernel,
            const GhloKernelBlock *block)
{
  g_autofree guint *ends = g_new0 (guint, kernel->n_nodes);
  guint most = 0, bytes = 0;

  for (guint i = block->first_node; i < block->first_merge; i++)
    for (guint j = 0; j < 3; j++)
      if (kernel->nodes[i].operands[j] != GHLO_KERNEL_NONE)
        ends[kernel->nodes[i].operands[j]] = i;
  for (guint i = block->first_node; i < block->first_merge; i++)
    {
      bytes += ghlo_element_info (kernel->nodes[i].type)->size;
      most = MAX (most, bytes);
      for (guint j = 0; j < 3; j++)
        {
          guint operand = kernel->nodes[i].operands[j];

          if (operand != GHLO_KERNEL_NONE && ends[operand] == i)
            {
              ends[operand] = 0;
              bytes -= ghlo_element_info (kernel->nodes[operand].type)->size;
            }
        }
    }

  return most;
}

static guint
choose_strip (const GhloKernel  *kernel,
              const GhloMachine *machine)
{
  guint strip = GHLO_SCHEDULE_MAX_STRIP, bytes = 0;

  for (guint i = 0; i < kernel->n_blocks; i++)
    if (kernel->blocks[i].kind == GHLO_BLOCK_POINTS)
      bytes = MAX (bytes, live_bytes (kernel, &kernel->blocks[i]));
  while (strip > 128 && (gsize) strip * bytes > machine->l1_bytes / 4 * 3)
    strip /= 2;

  return strip;
}

/* Returns the time of all memory traffic for one parallel point. A buffer that is read in part counts at most the bytes
 * that are loaded. */
static double
memory_time (const Estimate *self)
{
  const GhloKernel *kernel = self->kernel;
  const double points = (double) ghlo_kernel_count_points (kernel, (1u << kernel->n_axes) - 1);
  double bytes = 0, loaded[GHLO_KERNEL_MAX_BUFFERS] = { 0 };

  for (guint i = 0; i < kernel->n_accesses; i++)
    loaded[kernel->accesses[i].buffer] += points * ghlo_element_info (kernel->accesses[i].type)->size;
  for (guint i = 0; i < kernel->n_buffers; i++)
    bytes += MIN (loaded[i], (double) kernel->buffers[i].size);

  return bytes * self->machine->byte_time / (double) ghlo_kernel_count_points (kernel, (1u << kernel->n_parallel) - 1);
}

/* Threads get whole strips or vectors, since a partial one takes as long as a full one. */
static void
choose_grain (const GhloKernel   *kernel,
              GhloKernelSchedule *schedule)
{
  const double points = (double) ghlo_kernel_count_points (kernel, (1u << kernel->n_parallel) - 1);
  gint64 grain = (gint64) CLAMP (GRAIN_NANOSECONDS / MAX (schedule->cost, 1e-3), 1, points), together = 1;

  if (schedule->lanes != GHLO_KERNEL_NONE)
    together = CLAMP (kernel->axes[schedule->lanes].extent, 1, MAX (schedule->strip, schedule->width));
  schedule->grain = ghlo_round_up (grain, together);
}

/* Chooses the lanes with the least time. */
static void
choose_lanes (Estimate           *estimate,
              guint               axes,
              GhloKernelSchedule *schedule)
{
  const GhloKernel *kernel = estimate->kernel;

  estimate->lanes = schedule->lanes = GHLO_KERNEL_NONE;
  schedule->cost = time_of (estimate);
  for (guint i = 0; i < kernel->n_parallel; i++)
    {
      double cost;

      if (!ghlo_kernel_schedule_allows (kernel, i))
        break;
      if ((axes & 1u << i) == 0)
        continue;
      estimate->lanes = i;
      cost = time_of (estimate);
      if (cost <= schedule->cost)
        {
          schedule->lanes = (guint16) i;
          schedule->cost = cost;
        }
    }
  schedule->cost = MAX (schedule->cost, memory_time (estimate));
}

void
ghlo_kernel_schedule_choose (const GhloKernel   *kernel,
                             const GhloMachine  *machine,
                             guint               axes,
                             GhloKernelSchedule *schedule)
{
  g_autofree guint16 *varies = ghlo_kernel_variance (kernel);
  Estimate estimate = { kernel, machine, varies, .strip = choose_strip (kernel, machine) };

  *schedule = (GhloKernelSchedule) { .strip = (guint16) estimate.strip };
  choose_lanes (&estimate, axes, schedule);
  choose_grain (kernel, schedule);
}

/* Returns how many elements of average size a vector has. */
static guint
choose_width (const GhloKernel  *kernel,
              const GhloMachine *machine)
{
  guint n = 0, bytes = 0, width = machine->vector_bytes;

  for (guint i = 0; i < kernel->n_nodes; i++)
    if (kernel->nodes[i].type != GHLO_ELEMENT_TYPE_I1
        && (ghlo_node_spec (kernel->nodes[i].kind)->role != GHLO_NODE_LEAF || kernel->nodes[i].kind == GHLO_NODE_LOAD))
      {
        bytes += ghlo_element_info (kernel->nodes[i].type)->size;
        n++;
      }
  while (bytes > n)
    {
      width /= 2;
      n *= 2;
    }

  return CLAMP (width, 4, GHLO_SCHEDULE_MAX_WIDTH);
}

/* Returns whether there are folds with one chain. */
static gboolean
has_long_chains (const GhloKernel *kernel)
{
  for (guint i = 0; i < kernel->n_blocks; i++)
    if (kernel->blocks[i].n_folds > 0 && kernel->blocks[i].n_chains == 1)
      return TRUE;

  return FALSE;
}

/* Returns the estimated number of instructions for evaluating all nodes. */
static guint
count_instructions (const GhloKernel *kernel)
{
  guint n = 0;

  for (guint i = 0; i < kernel->n_nodes; i++)
    n += ghlo_node_spec (kernel->nodes[i].kind)->role == GHLO_NODE_FUNCTION ? 30 : 1;

  return n;
}

/* Returns whether the position of a guard increases along @axis. */
static gboolean
has_guards (const GhloKernel *kernel,
            guint             axis)
{
  for (guint i = 0; i < kernel->n_terms; i++)
    if (!kernel->terms[i].clamps && kernel->terms[i].node == GHLO_KERNEL_NONE && kernel->terms[i].strides[axis] > 0)
      return TRUE;

  return FALSE;
}

/* Each cut produces three versions of the code: inside, outside, and in between. Cuts of lanes save the most, because
 * lanes need masks; short loops of blocks are hardly worth one. */
static guint
choose_cuts (const GhloKernel         *kernel,
             const GhloKernelSchedule *schedule)
{
  guint instructions = count_instructions (kernel), cuts = 0;

  for (guint round = 0; round < 3; round++)
    for (guint i = kernel->n_axes; i-- > 0;)
      {
        const guint kind = i == schedule->lanes ? 0 : i >= kernel->n_parallel ? 1 : 2;

        if (kind != round || !has_guards (kernel, i) || instructions * 3 > MAX_INSTRUCTIONS
            || (kind == 1 && kernel->axes[i].extent < 16 && !kernel->axes[i].is_runtime))
          continue;
        cuts |= 1u << i;
        instructions *= 3;
      }

  return cuts;
}

gboolean
ghlo_kernel_schedule_has_rows (const GhloKernel      *kernel,
                               const GhloKernelBlock *block,
                               guint                  access,
                               guint                  lanes)
{
  const GhloKernelAccess *rows = &kernel->accesses[access];
  guint varies = 0;

  for (guint i = 0; i < GHLO_KERNEL_MAX_AXES; i++)
    varies |= (guint) (rows->strides[i] != 0) << i;

  return rows->n_terms == 0 && (varies & block->axes) != 0
         && rows->strides[lanes] == ghlo_element_info (rows->type)->size;
}

/* Returns the size of the smallest elements that folds read in rows along axis @lanes; 0: there are no such folds, or
 * not of enough rows. */
static guint
find_element_size (const GhloKernel *kernel,
                   guint             lanes)
{
  guint least = 0;

  for (const GhloKernelBlock *block = kernel->blocks; block < kernel->blocks + kernel->n_blocks; block++)
    for (guint i = block->first_node; i < block->first_merge && block->n_folds > 0; i++)
      if (kernel->nodes[i].kind == GHLO_NODE_LOAD && ghlo_kernel_count_points (kernel, block->axes) >= LEAST_ROWS
          && ghlo_kernel_schedule_has_rows (kernel, block, kernel->nodes[i].index, lanes))
        {
          const guint size = ghlo_element_info (kernel->nodes[i].type)->size;

          least = least == 0 ? size : MIN (least, size);
        }

  return least;
}

/* Chooses how many lanes are folded together, and threads that get as many. */
static void
choose_columns (const GhloKernel   *kernel,
                GhloKernelSchedule *schedule)
{
  const gint64 points = ghlo_kernel_count_points (kernel, (1u << kernel->n_parallel) - 1);
  gint64 extent;
  guint least;

  /* A range of columns is not cut where guards start and stop to hold. */
  if (kernel->n_terms > 0 || !ghlo_kernel_schedule_allows_columns (kernel, schedule->lanes))
    return;
  least = find_element_size (kernel, schedule->lanes);
  extent = kernel->axes[schedule->lanes].extent;
  if (least == 0 || extent < (points > extent ? SHORT_ROW : LONG_ROW) / least)
    return;
  schedule->columns = (guint16) (PIECE / least);
  schedule->grain = MAX (schedule->grain, ghlo_round_up (MIN (extent, PIECE / least), schedule->width));
}

/* Returns whether there is a buffer of FAR_BYTES. */
static gboolean
is_far (const GhloKernel *kernel)
{
  for (guint i = 0; i < kernel->n_buffers; i++)
    if (kernel->buffers[i].size >= FAR_BYTES)
      return TRUE;

  return FALSE;
}

void
ghlo_kernel_schedule_choose_code (const GhloKernel   *kernel,
                                  const GhloMachine  *machine,
                                  guint               axes,
                                  GhloKernelSchedule *schedule)
{
  g_autofree guint16 *varies = ghlo_kernel_variance (kernel);
  Estimate estimate = { kernel, machine, varies, .strip = choose_width (kernel, machine) };

  *schedule = (GhloKernelSchedule) { .width = (guint16) estimate.strip };
  choose_lanes (&estimate, axes, schedule);
  /* Parallel points do not wait for each other, so several vectors of them keep the processor busy. */
  if (schedule->lanes != GHLO_KERNEL_NONE)
    schedule->width = MIN (schedule->width * (has_long_chains (kernel) ? 4 : 2), GHLO_SCHEDULE_MAX_WIDTH);
  /* No more lanes than points. */
  while (schedule->lanes != GHLO_KERNEL_NONE && schedule->width > 1
         && schedule->width / 2 >= kernel->axes[schedule->lanes].extent && !kernel->axes[schedule->lanes].is_runtime)
    schedule->width /= 2;
  schedule->cuts = (guint8) choose_cuts (kernel, schedule);
  choose_grain (kernel, schedule);
  choose_columns (kernel, schedule);
  schedule->prefetches = kernel->n_folds > 0 && is_far (kernel);
}
