/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A few rows that are computed together, vector by vector, for one of two reasons; and folds of each lane's own row,
 * tile by tile.
 *
 * Transposes: where the elements of a load are a row apart from lane to lane, but adjacent from row to row, short rows
 * of the buffer are loaded for each lane, transposed in registers, and stored to the frame, from which each row loads
 * its vectors. Each cache line is thus used completely while it is in the cache. Folds have such rows along their last
 * axis.
 *
 * Loads of narrow elements that all rows share, such as biases and scales of columns: the loop over the rows is
 * innermost, so that LLVM moves them out of it, with their conversions. Other loads cost no more than the order of the
 * rows does.
 */

#include "cpu/llvm/emit-llvm.h"

#include <string.h>

/* INTERLEAVED: bytes of a lane's piece of its row. MAX_SHARING_ROW, MAX_SHARING_CALL: points of a row, and of a call,
 * which suggest that the data is in a cache. Memory is read more slowly in several streams, and long rows are streams
 * of their own. */
enum
{
  MAX_ROWS = 16, ROWS = 8, INTERLEAVED = 16, SHARING_ROWS = 4, MIN_SHARED = 2, MAX_SHARING_ROW = 1024,
  MAX_SHARING_CALL = 1 << 17,
};

/* Whether to transpose the elements of @access: adjacent along @rows, and so far apart along the lanes that these are
 * not picked from whole vectors. */
static gboolean
needs_transpose (const Emitter          *self,
                 const GhloKernelAccess *access,
                 guint                   rows)
{
  const gint64 size = ghlo_element_info (access->type)->size, stride = access->strides[self->schedule->lanes];

  return access->n_terms == 0 && access->strides[rows] == size && (size >= 4 || self->target->has_rounding)
         && (stride < 0 || stride > ghlo_emit_max_lane_distance (self, (guint) size) * size);
}

/* As many rows as a register holds elements, for each staged access; lanes are transposed in chunks of that many. */
static guint
count_rows (const Emitter *self,
            const guint8  *is_staged)
{
  guint n = MIN (ROWS, self->width);

  for (guint i = 0; i < self->kernel->n_accesses; i++)
    if (is_staged[i])
      n = MIN (n, self->target->vector_bytes / ghlo_element_info (self->kernel->accesses[i].type)->size);

  return n;
}

/* Whether the vectors of @access are the same in each of @rows, and have to be converted. */
static gboolean
is_shared (const Emitter          *self,
           const GhloKernelAccess *access,
           guint                   rows)
{
  return access->n_terms == 0 && access->strides[rows] == 0 && access->strides[self->schedule->lanes] != 0
         && ghlo_element_info (access->type)->size < 4;
}

static gboolean
may_share (const Emitter *self)
{
  const GhloKernelAxis *axis = &self->kernel->axes[self->schedule->lanes];

  return !axis->is_runtime && axis->extent <= MAX_SHARING_ROW;
}

guint
ghlo_emit_choose_rows (const Emitter *self,
                       guint          rows,
                       guint8        *is_staged,
                       gint64        *most_points)
{
  const GhloKernel *kernel = self->kernel;
  guint n = 0, n_shared = 0;

  memset (is_staged, 0, GHLO_KERNEL_MAX_ACCESSES);
  *most_points = G_MAXINT64;
  if (kernel->n_blocks != 1 || kernel->blocks[0].kind != GHLO_BLOCK_POINTS || kernel->blocks[0].axes != 0
      || rows == GHLO_KERNEL_NONE)
    return 0;
  for (guint i = 0; i < kernel->n_nodes; i++)
    if (kernel->nodes[i].kind == GHLO_NODE_LOAD && !is_staged[kernel->nodes[i].index])
      {
        const GhloKernelAccess *access = &kernel->accesses[kernel->nodes[i].index];

        is_staged[kernel->nodes[i].index] = needs_transpose (self, access, rows);
        n += is_staged[kernel->nodes[i].index];
        n_shared += is_shared (self, access, rows);
      }
  if (n == 0)
    {
      *most_points = MAX_SHARING_CALL;
      return n_shared >= MIN_SHARED && may_share (self) ? SHARING_ROWS : 0;
    }
  if (n > GHLO_EMIT_MAX_STAGED)
    return 0;
  n = count_rows (self, is_staged);

  return n > 1 ? n : 0;
}

/* Transposes a square: exchanges lane i of vector j with lane j of vector i, for @n vectors of @n lanes. */
static void
transpose (Emitter *self,
           Value   *vectors,
           guint    n)
{
  g_assert (n <= MAX_ROWS && (n & (n - 1)) == 0);
  for (guint step = 1; step < n; step *= 2)
    {
      Value low[MAX_ROWS], high[MAX_ROWS];

      for (guint i = 0; i < n; i++)
        {
          low[i] = LLVMConstInt (self->i32, (i & step) == 0 ? i : n + i - step, FALSE);
          high[i] = LLVMConstInt (self->i32, (i & step) == 0 ? i + step : n + i, FALSE);
        }
      for (guint i = 0; i < n; i++)
        if ((i & step) == 0)
          {
            Value a = vectors[i], b = vectors[i + step];

            vectors[i] = LLVMBuildShuffleVector (self->builder, a, b, LLVMConstVector (low, n), "");
            vectors[i + step] = LLVMBuildShuffleVector (self->builder, a, b, LLVMConstVector (high, n), "");
          }
    }
}

/* Transposes squares of 16 bytes side by side: interleaves the elements of vectors that are half of all apart, as often
 * as it takes. Each time is one instruction. */
static void
interleave (Emitter *self,
            Value   *vectors,
            guint    n,
            guint    lanes)
{
  Value low[GHLO_SCHEDULE_MAX_WIDTH], high[GHLO_SCHEDULE_MAX_WIDTH], next[MAX_ROWS];

  for (guint i = 0; i < lanes; i++)
    {
      const guint lane = i / n * n + i % n / 2 + i % 2 * lanes;

      low[i] = LLVMConstInt (self->i32, lane, FALSE);
      high[i] = LLVMConstInt (self->i32, lane + n / 2, FALSE);
    }
  for (guint step = 1; step < n; step *= 2)
    {
      for (guint i = 0; i < n; i++)
        next[i] = LLVMBuildShuffleVector (self->builder, vectors[i / 2], vectors[i / 2 + n / 2],
                                          LLVMConstVector (i % 2 == 0 ? low : high, lanes), "");
      memcpy (vectors, next, n * sizeof *vectors);
    }
}

/* Loads @n adjacent elements for each of @lanes lanes, n apart, from the one at @base on. */
static Value
load_pieces (Emitter                *self,
             const GhloKernelAccess *access,
             Value                   base,
             gint64                  stride,
             guint                   n,
             guint                   lanes)
{
  GhloEmitPlace place = { .memory = ghlo_kernel_memory (self->kernel, access->buffer), .type = access->type };
  Value indices[GHLO_SCHEDULE_MAX_WIDTH], half;

  if (lanes > n)
    {
      for (guint i = 0; i < lanes; i++)
        indices[i] = LLVMConstInt (self->i32, i, FALSE);
      half = ghlo_emit_byte_address (self, base, ghlo_emit_i64 (self, lanes / 2 * stride));

      return LLVMBuildShuffleVector (self->builder, load_pieces (self, access, base, stride, n, lanes / 2),
                                     load_pieces (self, access, half, stride, n, lanes / 2),
                                     LLVMConstVector (indices, lanes), "");
    }
  place.base = base;

  return ghlo_emit_load_contiguous (self, &place, LLVMVectorType (ghlo_emit_memory_type (self, access->type), n), NULL);
}

/* Stores @n rows of the current lanes to the frame. */
static void
stage (Emitter *self,
       guint    number,
       guint    n)
{
  const GhloKernelAccess *access = &self->kernel->accesses[number];
  const gint64 size = ghlo_element_info (access->type)->size, stride = access->strides[self->lanes];
  const gboolean interleaves = n * size == INTERLEAVED;
  const guint lanes = interleaves ? MIN (self->width, self->target->vector_bytes / (guint) size) : n;
  Value base = ghlo_emit_byte_address (self, self->buffers[access->buffer],
                                       ghlo_emit_sum (self, access->offset, access->strides));

  for (guint i = 0; i < self->width; i += lanes)
    {
      Value vectors[MAX_ROWS];

      for (guint j = 0; j < n; j++)
        vectors[j] = load_pieces (self, access,
                                  ghlo_emit_byte_address (self, base, ghlo_emit_i64 (self, (gint64) (i + j) * stride)),
                                  stride, n, lanes);
      if (interleaves)
        interleave (self, vectors, n, lanes);
      else
        transpose (self, vectors, n);
      for (guint j = 0; j < n; j++)
        {
          Value to = ghlo_emit_byte_address (self, self->staged[number],
                                             ghlo_emit_i64 (self, ((gint64) j * self->width + i) * size));

          LLVMSetAlignment (LLVMBuildStore (self->builder, vectors[j], to), (unsigned) size);
        }
    }
}

Value
ghlo_emit_read_staged (Emitter *self,
                       guint    number)
{
  const GhloElementType type = self->kernel->accesses[number].type;
  const guint size = ghlo_element_info (type)->size;
  Value offset = LLVMBuildMul (self->builder, self->staged_row, ghlo_emit_i64 (self, (gint64) self->width * size), "");
  Value value = LLVMBuildLoad2 (self->builder, ghlo_emit_vector (self, ghlo_emit_memory_type (self, type)),
                                ghlo_emit_byte_address (self, self->staged[number], offset), "");

  LLVMSetAlignment (value, size);

  return type == GHLO_ELEMENT_TYPE_I1
           ? LLVMBuildTrunc (self->builder, value, ghlo_emit_vector (self, self->i1), "") : value;
}

/* Rows that are computed together. */
typedef struct
{
  guint          rows, n;       /* axis of the rows; their number */
  Value          first;
  const guint8  *is_staged;
  GhloEmitVector func;
} Tile;

/* Stores @n rows of all staged accesses to the frame. */
static void
stage_all (Emitter      *self,
           const guint8 *is_staged,
           guint         n)
{
  for (guint i = 0; i < self->kernel->n_accesses; i++)
    if (is_staged[i])
      {
        const GhloElementType type = self->kernel->accesses[i].type;

        self->staged[i] = ghlo_emit_variable (self, LLVMArrayType2 (ghlo_emit_vector (self,
                                                    ghlo_emit_memory_type (self, type)), n));
        self->stack += (gsize) n * self->width * ghlo_element_info (type)->size;
        stage (self, i, n);
      }
}

static void
emit_tile (Emitter  *self,
           gpointer  data,
           guint     number)
{
  const Tile *tile = data;
  /* The remainder of a row is masked or one lane wide; its elements are loaded directly. */
  const gboolean is_whole = self->mask == NULL && self->width == self->schedule->width;
  GhloEmitLoop loop;

  self->point[tile->rows] = tile->first;
  if (is_whole)
    stage_all (self, tile->is_staged, tile->n);
  loop = ghlo_emit_begin_loop (self, ghlo_emit_i64 (self, 0), ghlo_emit_i64 (self, tile->n), TRUE);
  self->staged_row = loop.index;
  self->point[tile->rows] = LLVMBuildAdd (self->builder, tile->first, loop.index, "");
  tile->func (self, NULL, number);
  ghlo_emit_end_loop (self, loop, ghlo_emit_i64 (self, 1));
  memset (self->staged, 0, sizeof self->staged);
}

/* Marks the accesses of the folds of @block whose rows along @axis are transposed, and returns the size of tiles; 0:
 * there are none. */
static guint
choose_tiles (const Emitter         *self,
              const GhloKernelBlock *block,
              guint                  axis,
              guint8                *is_staged)
{
  guint n = 0;

  memset (is_staged, 0, GHLO_KERNEL_MAX_ACCESSES);
  if (self->schedule->lanes == GHLO_KERNEL_NONE || block->n_folds == 0 || axis != ghlo_kernel_last_axis (block->axes)
      || self->mask != NULL || self->width != self->schedule->width)
    return 0;
  for (guint i = block->first_node; i < block->first_merge; i++)
    if (self->kernel->nodes[i].kind == GHLO_NODE_LOAD && !is_staged[self->kernel->nodes[i].index])
      n += is_staged[self->kernel->nodes[i].index]
        = needs_transpose (self, &self->kernel->accesses[self->kernel->nodes[i].index], axis);
  if (n == 0 || n > GHLO_EMIT_MAX_STAGED)
    return 0;
  n = MAX_ROWS;
  for (guint i = 0; i < self->kernel->n_accesses; i++)
    if (is_staged[i])
      n = MIN (n, INTERLEAVED / ghlo_element_info (self->kernel->accesses[i].type)->size);

  return n <= self->width ? n : 0;
}

gboolean
ghlo_emit_tiles (Emitter               *self,
                 const GhloKernelBlock *block,
                 guint                  axis,
                 gint64                 extent,
                 GhloEmitPoint          func,
                 gpointer               data)
{
  guint8 is_staged[GHLO_KERNEL_MAX_ACCESSES];
  guint n = choose_tiles (self, block, axis, is_staged);
  gint64 begin = 0;

  for (; n > 1; n /= 2)
    if (extent - begin >= n)
      {
        const gint64 end = begin + (extent - begin) / n * n;
        GhloEmitLoop tiles = ghlo_emit_begin_loop (self, ghlo_emit_i64 (self, begin), ghlo_emit_i64 (self, end), TRUE);
        GhloEmitLoop rows;

        self->point[axis] = tiles.index;
        stage_all (self, is_staged, n);
        rows = ghlo_emit_begin_loop (self, ghlo_emit_i64 (self, 0), ghlo_emit_i64 (self, n), TRUE);
        self->staged_row = rows.index;
        func (self, data, LLVMBuildAdd (self->builder, tiles.index, rows.index, ""));
        ghlo_emit_end_loop (self, rows, ghlo_emit_i64 (self, 1));
        ghlo_emit_end_loop (self, tiles, ghlo_emit_i64 (self, n));
        memset (self->staged, 0, sizeof self->staged);
        begin = end;
      }
  if (begin > 0 && begin < extent)
    func (self, data, ghlo_emit_i64 (self, begin));

  return begin > 0;
}

void
ghlo_emit_rows (Emitter        *self,
                guint           rows,
                guint           n,
                const guint8   *is_staged,
                GhloEmitVector  func)
{
  Tile tile = { rows, n, self->point[rows], is_staged, func };

  ghlo_emit_range (self, ghlo_emit_i64 (self, 0), self->extents[self->lanes], emit_tile, &tile);
}
