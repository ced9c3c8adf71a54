/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Folds of columns: the lanes are parallel points, and each point of a fold reads another row of memory. One vector at
 * a time would read a few bytes of each row. Many vectors are folded together instead, so that rows are read in long
 * pieces, chain after chain: the accumulators of one chain stay in the L1 cache, and several of its rows are added to
 * an accumulator while it is in a register.
 *
 * Chains are visited in the order of their reversed bits, so that those that are merged are finished one after the
 * other, as in a binary counter: when chain number i begins, as many partial results are kept as i has bits set.
 * Temporaries lie in the scratch, with an element for each point (cpu/jit/call.h); that of a fold is followed by its
 * partial results.
 */

#include "cpu/llvm/emit-llvm.h"

enum
{
  MAX_ROWS = 8,                 /* that are added to an accumulator at a time, */
  MAX_NODES = 128,              /* and the nodes of all of them, as far as there are several */
};

/* A block of folds that is being emitted, for the points [first, end) of the lanes' axis. */
typedef struct
{
  const GhloKernelBlock *block;
  Value                  first, end;
  Value                  level;                 /* which partial result is being computed */
  Value                  begin, n;              /* of the block's first axis: the coordinates of this part */
  Value                  extents[GHLO_KERNEL_MAX_AXES];         /* rows of a chain along each axis */
  Value                  chain;
} Columns;

/* Rows, that is points of the block. */
typedef struct
{
  const Columns *columns;
  guint          n;
  Value          points[MAX_ROWS][GHLO_KERNEL_MAX_AXES];
  Value          next[MAX_ROWS][GHLO_KERNEL_MAX_AXES];  /* those that are added after these */
} Rows;

typedef void (*VectorFunc) (Emitter    *self,
                            const void *data);

static void
for_each_vector (Emitter    *self,
                 Value       first,
                 Value       end,
                 VectorFunc  func,
                 const void *data)
{
  GhloEmitLoop loop = ghlo_emit_begin_loop (self, first, end, TRUE);

  self->point[self->lanes] = loop.index;
  self->fixed |= 1u << self->lanes;
  func (self, data);
  self->fixed &= ~(1u << self->lanes);
  ghlo_emit_end_loop (self, loop, ghlo_emit_i64 (self, self->width));
}

/* The partial result @level of fold @i at the current lanes. */
static GhloEmitPlace
find_partial (Emitter       *self,
              const Columns *columns,
              guint          i,
              Value          level)
{
  const GhloKernelFold *fold = ghlo_kernel_fold (self->kernel, columns->block, i);
  GhloEmitPlace place = ghlo_emit_column_place (self, fold->temporary);
  const gint64 size = (gint64) self->schedule->columns * ghlo_element_info (fold->type)->size;

  place.base = ghlo_emit_byte_address (self, place.base,
                                       LLVMBuildMul (self->builder, level, ghlo_emit_i64 (self, size), ""));

  return place;
}

static Value
read_partial (Emitter       *self,
              const Columns *columns,
              guint          i,
              Value          level)
{
  const GhloEmitPlace place = find_partial (self, columns, i, level);

  return ghlo_emit_read (self, &place, NULL);
}

static void
write_partial (Emitter       *self,
               const Columns *columns,
               guint          i,
               Value          level,
               Value          value)
{
  const GhloEmitPlace place = find_partial (self, columns, i, level);

  ghlo_emit_write (self, &place, value);
}

static void
begin_vector (Emitter    *self,
              const void *data)
{
  const Columns *columns = data;

  for (guint i = 0; i < columns->block->n_folds; i++)
    {
      const GhloKernelFold *fold = ghlo_kernel_fold (self->kernel, columns->block, i);

      write_partial (self, columns, i, columns->level, ghlo_emit_constant (self, fold->type, fold->identity));
    }
}

static void
set_point (Emitter       *self,
           const Columns *columns,
           const Value   *point)
{
  for (guint i = 0; i < self->kernel->n_axes; i++)
    if ((columns->block->axes & 1u << i) != 0)
      self->point[i] = point[i];
}

/* Fetches what @access reads at the next rows. Neighbours that share a row are fetched by the first of them. */
static void
prefetch (Emitter    *self,
          const Rows *rows,
          guint       access)
{
  const guint last = ghlo_kernel_last_axis (rows->columns->block->axes);
  const gint64 *strides = self->kernel->accesses[access].strides;
  const guint n = strides[last] != 0 ? rows->n : 1;

  for (guint row = 0; row < n; row++)
    {
      set_point (self, rows->columns, rows->next[row]);
      ghlo_emit_prefetch (self, access, self->width, 0);
    }
}

/* Rows are too far from each other for the processor to see which one is next. */
static void
prefetch_rows (Emitter    *self,
               const Rows *rows)
{
  const GhloKernelBlock *block = rows->columns->block;

  for (guint i = block->first_node; i < block->first_merge; i++)
    if (self->kernel->nodes[i].kind == GHLO_NODE_LOAD
        && ghlo_kernel_schedule_has_rows (self->kernel, block, self->kernel->nodes[i].index, self->lanes))
      prefetch (self, rows, self->kernel->nodes[i].index);
}

/* Adds rows to the accumulators of one vector. */
static void
add_rows (Emitter    *self,
          const void *data)
{
  const Rows *rows = data;
  const Columns *columns = rows->columns;
  const GhloKernelBlock *block = columns->block;

  if (rows->n > 1 && self->schedule->prefetches)
    prefetch_rows (self, rows);
  for (guint i = 0; i < block->n_folds; i++)
    self->left[block->first_fold + i] = read_partial (self, columns, i, columns->level);
  for (guint row = 0; row < rows->n; row++)
    {
      set_point (self, columns, rows->points[row]);
      ghlo_emit_nodes (self, block->first_node, block->first_merge);
      for (guint i = 0; i < block->n_folds; i++)
        self->left[block->first_fold + i]
          = ghlo_emit_widen (self, self->values[ghlo_kernel_fold (self->kernel, block, i)->update]);
    }
  for (guint i = 0; i < block->n_folds; i++)
    write_partial (self, columns, i, columns->level, self->left[block->first_fold + i]);
}

/* Merges the partial result behind columns->level into it. */
static void
merge_vector (Emitter    *self,
              const void *data)
{
  const Columns *columns = data;
  const GhloKernelBlock *block = columns->block;
  Value behind = LLVMBuildAdd (self->builder, columns->level, ghlo_emit_i64 (self, 1), "");

  for (guint i = 0; i < block->n_folds; i++)
    {
      self->left[block->first_fold + i] = read_partial (self, columns, i, columns->level);
      self->right[block->first_fold + i] = read_partial (self, columns, i, behind);
    }
  ghlo_emit_nodes (self, block->first_merge, block->end_node);
  for (guint i = 0; i < block->n_folds; i++)
    write_partial (self, columns, i, columns->level, self->values[ghlo_kernel_fold (self->kernel, block, i)->merge]);
}

/* Copies the partial result behind columns->level there. */
static void
copy_vector (Emitter    *self,
             const void *data)
{
  const Columns *columns = data;
  Value behind = LLVMBuildAdd (self->builder, columns->level, ghlo_emit_i64 (self, 1), "");

  for (guint i = 0; i < columns->block->n_folds; i++)
    write_partial (self, columns, i, columns->level, read_partial (self, columns, i, behind));
}

/* The coordinates of row @number of the chain, in row-major order. */
static void
find_point (Emitter       *self,
            const Columns *columns,
            Value          number,
            Value         *point)
{
  const guint axes = columns->block->axes, last = ghlo_kernel_last_axis (axes);
  const guint first = (guint) __builtin_ctz (axes);

  for (guint i = GHLO_KERNEL_MAX_AXES; i-- > 0;)
    {
      if ((axes & 1u << i) == 0)
        continue;
      point[i] = i == first ? number : LLVMBuildURem (self->builder, number, columns->extents[i], "");
      if (i != first)
        number = LLVMBuildUDiv (self->builder, number, columns->extents[i], "");
      if (i == last)
        {
          point[i] = LLVMBuildMul (self->builder, point[i], ghlo_emit_i64 (self, columns->block->n_chains), "");
          point[i] = LLVMBuildAdd (self->builder, point[i], columns->chain, "");
        }
      if (i == first)
        point[i] = LLVMBuildAdd (self->builder, point[i], columns->begin, "");
    }
}

/* Adds the rows [@from, @to) of the chain, @n at a time, where all times are whole. */
static void
emit_rows (Emitter       *self,
           const Columns *columns,
           Value          from,
           Value          to,
           guint          n)
{
  g_autofree Rows *rows = g_new0 (Rows, 1);
  GhloEmitLoop loop = ghlo_emit_begin_loop (self, from, to, FALSE);

  ghlo_emit_stop_at (self, loop.index);
  rows->columns = columns;
  rows->n = n;
  for (guint i = 0; i < n; i++)
    {
      Value number = LLVMBuildAdd (self->builder, loop.index, ghlo_emit_i64 (self, i), "");

      find_point (self, columns, number, rows->points[i]);
      number = LLVMBuildAdd (self->builder, number, ghlo_emit_i64 (self, n), "");
      find_point (self, columns, number, rows->next[i]);
    }
  self->fixed |= columns->block->axes;
  for_each_vector (self, columns->first, columns->end, add_rows, rows);
  self->fixed &= ~(guint) columns->block->axes;
  ghlo_emit_end_loop (self, loop, ghlo_emit_i64 (self, n));
}

/* Finds how many rows of the chain there are along each axis, and returns the number of all. */
static Value
count_rows (Emitter *self,
            Columns *columns)
{
  const guint axes = columns->block->axes, last = ghlo_kernel_last_axis (axes);
  const guint first = (guint) __builtin_ctz (axes), n_chains = columns->block->n_chains;
  Value n = ghlo_emit_i64 (self, 1);

  for (guint i = first; i <= last; i++)
    {
      if ((axes & 1u << i) == 0)
        continue;
      columns->extents[i] = i == first ? columns->n : self->extents[i];
      if (i == last)
        {
          Value left = LLVMBuildSub (self->builder, columns->extents[i], columns->chain, "");

          left = LLVMBuildAdd (self->builder, left, ghlo_emit_i64 (self, n_chains - 1), "");
          columns->extents[i] = LLVMBuildUDiv (self->builder, left, ghlo_emit_i64 (self, n_chains), "");
        }
      n = LLVMBuildMul (self->builder, n, columns->extents[i], "");
    }

  return n;
}

static Value
count_bits (Emitter *self,
            Value    value)
{
  return ghlo_emit_intrinsic (self, "llvm.ctpop", &self->i64, 1, &value, 1);
}

/* The chain at place @number of their order. */
static Value
find_chain (Emitter *self,
            Value    number,
            guint    n_chains)
{
  const guint n_bits = (guint) __builtin_ctz (n_chains);
  Value bits;

  if (n_bits == 0)
    return number;
  bits = ghlo_emit_intrinsic (self, "llvm.bitreverse", &self->i64, 1, &number, 1);

  return LLVMBuildLShr (self->builder, bits, ghlo_emit_i64 (self, 64 - (gint64) n_bits), "");
}

static void
emit_chain (Emitter *self,
            Columns *columns)
{
  const GhloKernelBlock *block = columns->block;
  const guint n_nodes = (guint) (block->first_merge - block->first_node);
  guint n = MAX_ROWS;
  Value all = count_rows (self, columns), whole;

  while (n > 1 && n * n_nodes > MAX_NODES)
    n /= 2;
  for_each_vector (self, columns->first, columns->end, begin_vector, columns);
  whole = LLVMBuildAnd (self->builder, all, ghlo_emit_i64 (self, -(gint64) n), "");
  emit_rows (self, columns, ghlo_emit_i64 (self, 0), whole, n);
  if (n > 1)
    emit_rows (self, columns, whole, all, 1);
}

/* Merges the partial results behind @before, the last one, until @kept of them are left. */
static void
merge_chains (Emitter *self,
              Columns *columns,
              Value    before,
              Value    kept)
{
  Value one = ghlo_emit_i64 (self, 1);
  GhloEmitLoop loop = ghlo_emit_begin_loop (self, kept, LLVMBuildAdd (self->builder, before, one, ""), FALSE);

  columns->level = LLVMBuildSub (self->builder, LLVMBuildAdd (self->builder, before, kept, ""), loop.index, "");
  columns->level = LLVMBuildSub (self->builder, columns->level, one, "");
  for_each_vector (self, columns->first, columns->end, merge_vector, columns);
  ghlo_emit_end_loop (self, loop, one);
}

/* Computes the partial result @level from all chains of a part. */
static void
emit_chains (Emitter *self,
             Columns *columns,
             gint64   level)
{
  const guint n_chains = columns->block->n_chains;
  Value one = ghlo_emit_i64 (self, 1), first = ghlo_emit_i64 (self, level), before, kept;
  GhloEmitLoop loop = ghlo_emit_begin_loop (self, ghlo_emit_i64 (self, 0), ghlo_emit_i64 (self, n_chains), TRUE);

  columns->chain = find_chain (self, loop.index, n_chains);
  before = LLVMBuildAdd (self->builder, count_bits (self, loop.index), first, "");
  columns->level = before;
  emit_chain (self, columns);
  kept = count_bits (self, LLVMBuildAdd (self->builder, loop.index, one, ""));
  /* A single chain may have nothing that merges. */
  if (n_chains > 1)
    merge_chains (self, columns, before, LLVMBuildAdd (self->builder, kept, first, ""));
  ghlo_emit_end_loop (self, loop, one);
}

/* Each part is merged with those before it. */
static void
emit_parts (Emitter *self,
            Columns *columns)
{
  LLVMBuilderRef builder = self->builder;
  Value extent = self->extents[__builtin_ctz (columns->block->axes)], zero = ghlo_emit_i64 (self, 0);
  Value split = ghlo_emit_i64 (self, columns->block->split), end;
  LLVMBasicBlockRef copies, merges, done;
  GhloEmitLoop loop = ghlo_emit_begin_pieces (self, zero, extent, split, &end);

  columns->begin = loop.index;
  columns->n = LLVMBuildSub (builder, end, loop.index, "");
  emit_chains (self, columns, 1);
  copies = ghlo_emit_add_block (self);
  merges = ghlo_emit_add_block (self);
  done = ghlo_emit_add_block (self);
  columns->level = zero;
  LLVMBuildCondBr (builder, LLVMBuildICmp (builder, LLVMIntEQ, loop.index, zero, ""), copies, merges);
  LLVMPositionBuilderAtEnd (builder, copies);
  for_each_vector (self, columns->first, columns->end, copy_vector, columns);
  LLVMBuildBr (builder, done);
  LLVMPositionBuilderAtEnd (builder, merges);
  for_each_vector (self, columns->first, columns->end, merge_vector, columns);
  LLVMBuildBr (builder, done);
  LLVMPositionBuilderAtEnd (builder, done);
  ghlo_emit_end_loop (self, loop, split);
}

static void
emit_folds (Emitter               *self,
            const GhloKernelBlock *block,
            Value                  first,
            Value                  end)
{
  g_autofree Columns *columns = g_new0 (Columns, 1);

  self->block = block;
  columns->block = block;
  columns->first = first;
  columns->end = end;
  if (block->split > 0)
    emit_parts (self, columns);
  else
    {
      columns->begin = ghlo_emit_i64 (self, 0);
      columns->n = self->extents[__builtin_ctz (block->axes)];
      emit_chains (self, columns, 0);
    }
  self->block = NULL;
}

static void
emit_other (Emitter    *self,
            const void *data)
{
  ghlo_emit_points (self, data);
}

void
ghlo_emit_columns (Emitter *self,
                   Value    begin,
                   Value    end)
{
  const GhloKernel *kernel = self->kernel;
  Value length = ghlo_emit_i64 (self, self->schedule->columns), piece_end;
  GhloEmitLoop loop = ghlo_emit_begin_pieces (self, begin, end, length, &piece_end);

  self->first_column = loop.index;
  for (guint i = 0; i < kernel->n_blocks; i++)
    if (kernel->blocks[i].n_folds > 0)
      emit_folds (self, &kernel->blocks[i], loop.index, piece_end);
    else
      for_each_vector (self, loop.index, piece_end, emit_other, &kernel->blocks[i]);
  self->first_column = NULL;
  ghlo_emit_end_loop (self, loop, length);
}
