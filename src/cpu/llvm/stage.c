/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A few rows that are computed together, vector by vector, for one of two reasons.
 *
 * Transposes: where the elements of a load are a row apart from lane to lane, but adjacent from row to row, short rows
 * of the buffer are loaded for each lane, transposed in registers, and stored to the frame, from which each row loads
 * its vectors. Each cache line is thus used completely while it is in the cache.
 *
 * Loads of narrow elements that all rows share, such as biases and scales of columns: the loop over the rows is
 * innermost, so that LLVM moves them out of it, with their conversions. Other loads cost no more than the order of the
 * rows does.
 */

#include "cpu/llvm/emit-llvm.h"

#include <string.h>

/* MAX_SHARING_ROW, MAX_SHARING_CALL: points of a row, and of a call, which suggest that the data is in a cache. Memory
 * is read more slowly in several streams, and long rows are streams of their own. */
enum { MAX_ROWS = 8, SHARING_ROWS = 4, MIN_SHARED = 2, MAX_SHARING_ROW = 1024, MAX_SHARING_CALL = 1 << 17 };

/* Whether to transpose the elements of @access: adjacent along @rows, and far apart along the lanes. */
static gboolean
needs_transpose (const Emitter          *self,
                 const GhloKernelAccess *access,
                 guint                   rows)
{
  const gint64 size = ghlo_element_info (access->type)->size, stride = access->strides[self->schedule->lanes];

  return access->n_terms == 0 && access->strides[rows] == size && (size >= 4 || self->target->has_rounding)
         && (stride < 0 || stride > GHLO_SCHEDULE_LANE_STRIDE * size);
}

/* As many rows as a register holds elements, for each staged access; lanes are transposed in chunks of that many. */
static guint
count_rows (const Emitter *self,
            const guint8  *is_staged)
{
  guint n = MIN (MAX_ROWS, self->width);

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

/* Stores @n rows of the current lanes to the frame. */
static void
stage (Emitter *self,
       guint    number,
       guint    n)
{
  const GhloKernelAccess *access = &self->kernel->accesses[number];
  const gint64 size = ghlo_element_info (access->type)->size, stride = access->strides[self->lanes];
  GhloEmitPlace place = { .memory = ghlo_kernel_memory (self->kernel, access->buffer), .type = access->type }, row;
  Value base = ghlo_emit_byte_address (self, self->buffers[access->buffer],
                                       ghlo_emit_sum (self, access->offset, access->strides));
  Type type = LLVMVectorType (ghlo_emit_memory_type (self, access->type), n);

  for (guint i = 0; i < self->width; i += n)
    {
      Value vectors[MAX_ROWS];

      for (guint j = 0; j < n; j++)
        {
          row = place;
          row.base = ghlo_emit_byte_address (self, base, ghlo_emit_i64 (self, (gint64) (i + j) * stride));
          vectors[j] = ghlo_emit_load_contiguous (self, &row, type, NULL);
        }
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

static void
emit_tile (Emitter  *self,
           gpointer  data,
           guint     number)
{
  const Tile *tile = data;
  const GhloKernel *kernel = self->kernel;
  /* The remainder of a row is masked or one lane wide; its elements are loaded directly. */
  const gboolean is_whole = self->mask == NULL && self->width == self->schedule->width;
  GhloEmitLoop loop;

  self->point[tile->rows] = tile->first;
  for (guint i = 0; is_whole && i < kernel->n_accesses; i++)
    if (tile->is_staged[i])
      {
        self->staged[i] = ghlo_emit_variable (self, LLVMArrayType2 (ghlo_emit_vector (self,
                                              ghlo_emit_memory_type (self, kernel->accesses[i].type)), tile->n));
        self->stack += (gsize) tile->n * self->width * ghlo_element_info (kernel->accesses[i].type)->size;
        stage (self, i, tile->n);
      }
  loop = ghlo_emit_begin_loop (self, ghlo_emit_i64 (self, 0), ghlo_emit_i64 (self, tile->n), TRUE);
  self->staged_row = loop.index;
  self->point[tile->rows] = LLVMBuildAdd (self->builder, tile->first, loop.index, "");
  tile->func (self, NULL, number);
  ghlo_emit_end_loop (self, loop, ghlo_emit_i64 (self, 1));
  memset (self->staged, 0, sizeof self->staged);
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
