/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Nests of loops over several axes. A nest of few points is unrolled. A long one checks every few milliseconds whether
 * to stop.
 */

#include "cpu/llvm/emit-llvm.h"

/* MAX_LAID_OUT: nodes of a nest that is fully unrolled. MAX_WORK: nodes, counted at each point, between two checks
 * whether to stop: at most about 10 ms. */
enum { MAX_LAID_OUT = 128, MAX_WORK = 1 << 22 };

/* The inner axes of a nest, from @axis on. */
typedef struct
{
  const GhloEmitNest *nest;
  guint               axis;
} Inner;

static void nest_from (Emitter            *self,
                       const GhloEmitNest *nest,
                       guint               axis);

static void
emit_coordinate (Emitter  *self,
                 gpointer  data,
                 Value     index)
{
  const Inner *inner = data;

  self->point[inner->axis] = index;
  self->fixed |= 1u << inner->axis;
  nest_from (self, inner->nest, inner->axis + 1);
  self->fixed &= ~(1u << inner->axis);
}

/* Counts the nodes of @block. A load that is scattered becomes many instructions and counts for more. */
static gint64
count_nodes (const Emitter         *self,
             const GhloKernelBlock *block)
{
  gint64 n = block->first_merge - block->first_node;

  for (guint i = block->first_node; i < block->first_merge; i++)
    if (self->kernel->nodes[i].kind == GHLO_NODE_LOAD)
      n += ghlo_emit_count_gather (self, self->kernel->nodes[i].index);

  return n;
}

/* Whether to unroll a nest: it has few points, and does little at each. */
static gboolean
is_laid_out (const Emitter      *self,
             const GhloEmitNest *nest)
{
  gint64 n = nest->n;

  if (nest->block == NULL || nest->begin != NULL)
    return FALSE;
  n *= count_nodes (self, nest->block);
  for (guint i = 0; i < self->kernel->n_axes; i++)
    if ((nest->axes & 1u << i) != 0)
      {
        if (!LLVMIsConstant (self->extents[i]) || LLVMConstIntGetSExtValue (self->extents[i]) > MAX_LAID_OUT)
          return FALSE;
        n *= LLVMConstIntGetSExtValue (self->extents[i]);
      }

  return n <= MAX_LAID_OUT;
}

/* Emits the coordinates [begin, end) of @axis. */
static void
emit_coordinates (Emitter            *self,
                  const GhloEmitNest *nest,
                  guint               axis,
                  Value               begin,
                  Value               end,
                  gboolean            is_certain)
{
  GhloEmitCut *cuts = g_new (GhloEmitCut, GHLO_EMIT_MAX_CUTS);
  const guint n = nest->block != NULL ? ghlo_emit_find_cuts (self, nest->block, axis, 1, cuts) : 0;
  Inner inner = { nest, axis };

  if (nest->block != NULL && nest->begin == NULL && n == 0 && nest->n == 1 && LLVMIsConstant (end)
      && ghlo_emit_tiles (self, nest->block, axis, LLVMConstIntGetSExtValue (end), emit_coordinate, &inner))
    ;
  else if (is_laid_out (self, nest))
    for (gint64 i = 0; i < LLVMConstIntGetSExtValue (end); i++)
      emit_coordinate (self, &inner, ghlo_emit_i64 (self, i));
  else if (n > 0)
    ghlo_emit_cut_loop (self, cuts, n, begin, end, 1, emit_coordinate, &inner);
  else
    {
      GhloEmitLoop loop = ghlo_emit_begin_loop (self, begin, end, is_certain);

      emit_coordinate (self, &inner, loop.index);
      ghlo_emit_end_loop (self, loop, ghlo_emit_i64 (self, 1));
    }
  g_free (cuts);
}

static void
emit_axis (Emitter            *self,
           const GhloEmitNest *nest,
           guint               axis)
{
  const gboolean is_first = nest->begin != NULL && (nest->axes & ((1u << axis) - 1)) == 0;
  Value begin = is_first ? nest->begin : ghlo_emit_i64 (self, 0), end = is_first ? nest->end : self->extents[axis];
  Value length = ghlo_emit_i64 (self, nest->piece), piece_end;
  GhloEmitLoop loop;

  if (axis != nest->stops)
    {
      emit_coordinates (self, nest, axis, begin, end, !is_first);
      return;
    }
  loop = ghlo_emit_begin_pieces (self, begin, end, length, &piece_end);
  emit_coordinates (self, nest, axis, loop.index, piece_end, TRUE);
  ghlo_emit_end_loop (self, loop, length);
}

/* Emits the lanes' axis. */
static void
emit_lanes (Emitter            *self,
            const GhloEmitNest *nest)
{
  const gboolean is_first = nest->axes == 1u << self->lanes;
  Value begin = is_first ? nest->begin : NULL;
  Value end = is_first && nest->end != NULL ? nest->end : self->extents[self->lanes];
  Value length = ghlo_emit_i64 (self, nest->piece), piece_end;
  GhloEmitLoop loop;

  if (self->lanes != nest->stops)
    {
      ghlo_emit_vectors (self, nest, begin, end, nest->alignment);
      return;
    }
  loop = ghlo_emit_begin_pieces (self, begin != NULL ? begin : ghlo_emit_i64 (self, 0), end, length, &piece_end);
  ghlo_emit_vectors (self, nest, loop.index, piece_end, begin != NULL ? nest->alignment : nest->piece);
  ghlo_emit_end_loop (self, loop, length);
}

static void
nest_from (Emitter            *self,
           const GhloEmitNest *nest,
           guint               axis)
{
  while (axis < self->kernel->n_axes && ((nest->axes & 1u << axis) == 0 || axis == self->lanes))
    axis++;
  if (axis < self->kernel->n_axes)
    emit_axis (self, nest, axis);
  else if (self->lanes != GHLO_KERNEL_NONE && (nest->axes & 1u << self->lanes) != 0)
    emit_lanes (self, nest);
  else
    nest->func (self, nest->data, 0);
}

/* Returns how many coordinates of @axis @nest has at most. */
static gint64
count_coordinates (const Emitter      *self,
                   const GhloEmitNest *nest,
                   guint               axis)
{
  const gboolean is_first = (nest->axes & ((1u << axis) - 1)) == 0;
  gint64 n = LLVMIsConstant (self->extents[axis]) ? LLVMConstIntGetSExtValue (self->extents[axis]) : G_MAXINT64;

  return is_first && nest->begin != NULL && nest->alignment > 0 ? MIN (n, nest->alignment) : n;
}

/* Makes @nest check whether to stop after every MAX_WORK nodes, unless it has fewer. One axis is cut into pieces: the
 * innermost one that is long enough. The loops inside of it are short, and those around it check in every iteration. */
static void
choose_stops (const Emitter *self,
              GhloEmitNest  *nest)
{
  const gboolean has_lanes = self->lanes != GHLO_KERNEL_NONE && (nest->axes & 1u << self->lanes) != 0;
  gint64 work = has_lanes ? 1 : self->width;
  guint rest = nest->axes;

  nest->stops = GHLO_KERNEL_NONE;
  nest->piece = 0;
  if (nest->block != NULL)
    work *= MAX (count_nodes (self, nest->block), 1);
  work *= CLAMP (nest->inner, 1, MAX_WORK);
  while (rest != 0 && nest->stops == GHLO_KERNEL_NONE)
    {
      const gboolean is_lanes = has_lanes && rest == nest->axes;
      const guint axis = is_lanes ? self->lanes : ghlo_kernel_last_axis (rest);
      const gint64 n = count_coordinates (self, nest, axis), step = is_lanes ? (gint64) self->width * nest->n : 1;

      rest &= ~(1u << axis);
      if (n <= MAX_WORK / work)
        work *= n;
      else if (n > 1)
        {
          nest->stops = axis;
          nest->piece = MAX (MAX_WORK / work / step, 1) * step;
        }
    }
}

void
ghlo_emit_nest (Emitter            *self,
                const GhloEmitNest *nest)
{
  GhloEmitNest whole = *nest;

  choose_stops (self, &whole);
  nest_from (self, &whole, 0);
}
