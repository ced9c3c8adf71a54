/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ARITH-U-001 (exponential), NORM-LN-001 (layer norm), the softmax of XFMR-INF-001
 * with its scale, argmax as JAX writes it; and, since none of them has such accesses
 * and types, a pad in bf16, rows gathered by clamped indices, and sums of columns.
 */

#include "kernels.h"

#include <math.h>

#define F32  GHLO_ELEMENT_TYPE_F32
#define BF16 GHLO_ELEMENT_TYPE_BF16
#define I32  GHLO_ELEMENT_TYPE_I32
#define I1   GHLO_ELEMENT_TYPE_I1

#define NODE(kind, type, ...) ghlo_kernel_add_node (k, GHLO_NODE_##kind, type, __VA_ARGS__)
#define LEAF(kind, type, which) ghlo_kernel_add_leaf (k, GHLO_NODE_##kind, type, which)
#define ACCESS(buffer, element, ...) \
  ghlo_kernel_add_access (k, buffer, element, 0, (const gint64[GHLO_KERNEL_MAX_AXES]) { __VA_ARGS__ })

/* One accumulator, updated and merged by one operation. Ends the stage. */
static void
fold (GhloKernel   *k,
      guint         value,
      guint         temporary,
      GhloNodeKind  kind,
      double        identity)
{
  GhloKernelAccumulator *accumulator = k->stages[k->n_stages - 1].accumulators;
  guint type = k->temporaries[temporary].type;

  ghlo_kernel_add_accumulator (k, temporary, identity);
  accumulator->updated = ghlo_kernel_add_node (k, kind, type, LEAF (LEFT, type, 0), value, 0);
  ghlo_kernel_begin_merge (k);
  accumulator->merged = ghlo_kernel_add_node (k, kind, type, LEAF (LEFT, type, 0), LEAF (RIGHT, type, 0), 0);
  ghlo_kernel_end_stage (k);
}

static void
make_exponential (GhloKernel *k)
{
  enum { N = 1024 * 1024 };
  guint x, y;

  ghlo_kernel_add_axis (k, "element", N, TRUE);
  x = ACCESS (ghlo_kernel_add_buffer (k, "x", N * 4, FALSE), F32, 4);
  y = ACCESS (ghlo_kernel_add_buffer (k, "y", N * 4, TRUE), F32, 4);
  ghlo_kernel_begin_stage (k, 0);
  ghlo_kernel_store (k, NODE (EXPONENTIAL, F32, LEAF (LOAD, F32, x), 0, 0), y);
  ghlo_kernel_end_stage (k);
}

/* mean; mean of squares of what is left; the rest. The statement of the program, in
 * which x - mean is computed twice, keeps the row in cache and needs no temporary. */
static void
make_layer_norm (GhloKernel *k)
{
  enum { ROWS = 128, COLUMNS = 768, COLUMN = 1 << 1 };
  guint x, gamma, beta, y, sum, squares, mean, inverse, centred, node;

  ghlo_kernel_add_axis (k, "row", ROWS, TRUE);
  ghlo_kernel_add_axis (k, "column", COLUMNS, FALSE);
  x = ACCESS (ghlo_kernel_add_buffer (k, "x", ROWS * COLUMNS * 4, FALSE), F32, COLUMNS * 4, 4);
  gamma = ACCESS (ghlo_kernel_add_buffer (k, "gamma", COLUMNS * 4, FALSE), F32, 0, 4);
  beta = ACCESS (ghlo_kernel_add_buffer (k, "beta", COLUMNS * 4, FALSE), F32, 0, 4);
  y = ACCESS (ghlo_kernel_add_buffer (k, "y", ROWS * COLUMNS * 4, TRUE), F32, COLUMNS * 4, 4);
  sum = ghlo_kernel_add_temporary (k, "sum", F32, 0);
  squares = ghlo_kernel_add_temporary (k, "squares", F32, 0);
  mean = ghlo_kernel_add_temporary (k, "mean", F32, 0);
  inverse = ghlo_kernel_add_temporary (k, "inverse", F32, 0);

  ghlo_kernel_begin_stage (k, COLUMN);
  fold (k, LEAF (LOAD, F32, x), sum, GHLO_NODE_ADD, 0);

  ghlo_kernel_begin_stage (k, 0);
  node = ghlo_kernel_add_float (k, F32, COLUMNS);
  ghlo_kernel_keep (k, NODE (DIVIDE, F32, LEAF (TEMPORARY, F32, sum), node, 0), mean);
  ghlo_kernel_end_stage (k);

  ghlo_kernel_begin_stage (k, COLUMN);
  centred = NODE (SUBTRACT, F32, LEAF (LOAD, F32, x), LEAF (TEMPORARY, F32, mean), 0);
  fold (k, NODE (MULTIPLY, F32, centred, centred, 0), squares, GHLO_NODE_ADD, 0);

  ghlo_kernel_begin_stage (k, 0);
  node = ghlo_kernel_add_float (k, F32, COLUMNS);
  node = NODE (DIVIDE, F32, LEAF (TEMPORARY, F32, squares), node, 0);
  node = NODE (ADD, F32, node, ghlo_kernel_add_float (k, F32, 9.99999974E-6), 0);
  ghlo_kernel_keep (k, NODE (RSQRT, F32, node, 0, 0), inverse);
  ghlo_kernel_end_stage (k);

  ghlo_kernel_begin_stage (k, COLUMN);
  centred = NODE (SUBTRACT, F32, LEAF (LOAD, F32, x), LEAF (TEMPORARY, F32, mean), 0);
  node = NODE (MULTIPLY, F32, centred, LEAF (TEMPORARY, F32, inverse), 0);
  node = NODE (MULTIPLY, F32, node, LEAF (LOAD, F32, gamma), 0);
  ghlo_kernel_store (k, NODE (ADD, F32, node, LEAF (LOAD, F32, beta), 0), y);
  ghlo_kernel_end_stage (k);
}

static guint
greater (GhloKernel *k,
         guint       a,
         guint       b)
{
  return NODE (SELECT, F32, NODE (GREATER, I1, a, b, 0), a, b);
}

/* Two things that only who sees the whole pattern may do: a maximum that loses NaNs and
 * signs of zeros (a NaN comes back through the sum, and e^0 = e^-0), one instruction
 * instead of six; and a quotient, since the sum is within [1, columns]. */
static void
make_softmax (GhloKernel *k)
{
  enum { ROWS = 12 * 128, COLUMNS = 128, COLUMN = 1 << 1 };
  guint x, y, most, sum, scaled, exponential, inverse, node;
  GhloKernelStage *stage;

  ghlo_kernel_add_axis (k, "row", ROWS, TRUE);
  ghlo_kernel_add_axis (k, "column", COLUMNS, FALSE);
  x = ACCESS (ghlo_kernel_add_buffer (k, "x", ROWS * COLUMNS * 4, FALSE), F32, COLUMNS * 4, 4);
  y = ACCESS (ghlo_kernel_add_buffer (k, "y", ROWS * COLUMNS * 4, TRUE), F32, COLUMNS * 4, 4);
  most = ghlo_kernel_add_temporary (k, "most", F32, 0);
  sum = ghlo_kernel_add_temporary (k, "sum", F32, 0);
  scaled = ghlo_kernel_add_temporary (k, "scaled", F32, COLUMN);
  exponential = ghlo_kernel_add_temporary (k, "exponential", F32, COLUMN);
  inverse = ghlo_kernel_add_temporary (k, "inverse", F32, 0);

  stage = ghlo_kernel_begin_stage (k, COLUMN);
  node = NODE (MULTIPLY, F32, LEAF (LOAD, F32, x), ghlo_kernel_add_float (k, F32, 0.125), 0);
  ghlo_kernel_keep (k, node, scaled);
  ghlo_kernel_add_accumulator (k, most, -INFINITY);
  stage->accumulators[0].updated = greater (k, LEAF (LEFT, F32, 0), node);
  ghlo_kernel_begin_merge (k);
  stage->accumulators[0].merged = greater (k, LEAF (LEFT, F32, 0), LEAF (RIGHT, F32, 0));
  ghlo_kernel_end_stage (k);

  ghlo_kernel_begin_stage (k, COLUMN);
  node = NODE (SUBTRACT, F32, LEAF (TEMPORARY, F32, scaled), LEAF (TEMPORARY, F32, most), 0);
  node = NODE (EXPONENTIAL, F32, node, 0, 0);
  ghlo_kernel_keep (k, node, exponential);
  fold (k, node, sum, GHLO_NODE_ADD, 0);

  ghlo_kernel_begin_stage (k, 0);
  node = ghlo_kernel_add_float (k, F32, 1);
  ghlo_kernel_keep (k, NODE (DIVIDE, F32, node, LEAF (TEMPORARY, F32, sum), 0), inverse);
  ghlo_kernel_end_stage (k);

  ghlo_kernel_begin_stage (k, COLUMN);
  node = LEAF (TEMPORARY, F32, exponential);
  ghlo_kernel_store (k, NODE (QUOTIENT, F32, node, LEAF (TEMPORARY, F32, sum), LEAF (TEMPORARY, F32, inverse)), y);
  ghlo_kernel_end_stage (k);
}

/* The first NaN, else the first of the greatest values. JAX's comparison takes the left
 * of two NaNs, so it is right in order only. Elements come in order within a lane, so
 * an update need not look at indices: it takes what is not <=, while it has no NaN. */
static void
make_argmax (GhloKernel *k)
{
  enum { ROWS = 512, COLUMNS = 8192, COLUMN = 1 << 1 };
  guint x, y, value, index, left, right, first, second, take, nan, both_nan;
  GhloKernelStage *stage;

  ghlo_kernel_add_axis (k, "row", ROWS, TRUE);
  ghlo_kernel_add_axis (k, "column", COLUMNS, FALSE);
  x = ACCESS (ghlo_kernel_add_buffer (k, "x", ROWS * COLUMNS * 4, FALSE), F32, COLUMNS * 4, 4);
  y = ACCESS (ghlo_kernel_add_buffer (k, "y", ROWS * 4, TRUE), I32, 4, 0);
  value = ghlo_kernel_add_temporary (k, "value", F32, 0);
  index = ghlo_kernel_add_temporary (k, "index", I32, 0);

  stage = ghlo_kernel_begin_stage (k, COLUMN);
  ghlo_kernel_add_accumulator (k, value, -INFINITY);
  ghlo_kernel_add_accumulator (k, index, 0);
  left = LEAF (LEFT, F32, 0);
  right = LEAF (LOAD, F32, x);
  take = NODE (EQUAL, I1, NODE (LESS_EQUAL, I1, right, left, 0), ghlo_kernel_add_integer (k, I1, 0), 0);
  take = NODE (AND, I1, take, NODE (EQUAL, I1, left, left, 0), 0);
  stage->accumulators[0].updated = NODE (SELECT, F32, take, right, left);
  stage->accumulators[1].updated = NODE (SELECT, I32, take, LEAF (AXIS, I32, 1), LEAF (LEFT, I32, 1));
  ghlo_kernel_begin_merge (k);
  left = LEAF (LEFT, F32, 0);
  right = LEAF (RIGHT, F32, 0);
  first = LEAF (LEFT, I32, 1);
  second = LEAF (RIGHT, I32, 1);
  nan = NODE (NOT_EQUAL, I1, right, right, 0);
  both_nan = NODE (AND, I1, nan, NODE (NOT_EQUAL, I1, left, left, 0), 0);
  take = NODE (OR, I1, NODE (EQUAL, I1, left, right, 0), both_nan, 0);
  take = NODE (AND, I1, take, NODE (LESS, I1, second, first, 0), 0);
  take = NODE (OR, I1, take, NODE (GREATER, I1, right, left, 0), 0);
  take = NODE (OR, I1, take, NODE (XOR, I1, nan, both_nan, 0), 0);
  stage->accumulators[0].merged = NODE (SELECT, F32, take, right, left);
  stage->accumulators[1].merged = NODE (SELECT, I32, take, second, first);
  ghlo_kernel_end_stage (k);

  ghlo_kernel_begin_stage (k, 0);
  ghlo_kernel_store (k, LEAF (TEMPORARY, I32, index), y);
  ghlo_kernel_end_stage (k);
}

/* bf16 rows of 500 between 3 and 9 columns of ones, plus one row above and below; what
 * is inside is doubled. */
static void
make_pad (GhloKernel *k)
{
  enum { ROWS = 200, COLUMNS = 500, OUT_ROWS = ROWS + 2, OUT = COLUMNS + 12 };
  guint x, y, node;
  GhloKernelAccess *access;

  ghlo_kernel_add_axis (k, "row", OUT_ROWS, TRUE);
  ghlo_kernel_add_axis (k, "column", OUT, TRUE);
  x = ACCESS (ghlo_kernel_add_buffer (k, "x", ROWS * COLUMNS * 2, FALSE), BF16, COLUMNS * 2, 2);
  y = ACCESS (ghlo_kernel_add_buffer (k, "y", OUT_ROWS * OUT * 2, TRUE), BF16, OUT * 2, 2);
  ghlo_kernel_begin_stage (k, 0);
  access = &k->accesses[x];
  access->offset = -(COLUMNS + 3) * 2;
  access->fill = ghlo_kernel_add_float (k, F32, 1);
  access->n_guards = 2;
  access->guards[0] = (GhloKernelGuard) { -1, ROWS, { 1, 0 } };
  access->guards[1] = (GhloKernelGuard) { -3, COLUMNS, { 0, 1 } };
  node = LEAF (LOAD, F32, x);
  ghlo_kernel_store (k, NODE (ADD, F32, node, node, 0), y);
  ghlo_kernel_end_stage (k);
}

static void
make_gather (GhloKernel *k)
{
  enum { ROWS = 1000, N = 333, COLUMNS = 100 };
  guint x, i, y, node;
  GhloKernelAccess *access;

  ghlo_kernel_add_axis (k, "row", N, TRUE);
  ghlo_kernel_add_axis (k, "column", COLUMNS, TRUE);
  x = ACCESS (ghlo_kernel_add_buffer (k, "x", ROWS * COLUMNS * 4, FALSE), F32, 0, 4);
  i = ACCESS (ghlo_kernel_add_buffer (k, "i", N * 4, FALSE), I32, 4, 0);
  y = ACCESS (ghlo_kernel_add_buffer (k, "y", N * COLUMNS * 4, TRUE), F32, COLUMNS * 4, 4);
  ghlo_kernel_begin_stage (k, 0);
  node = LEAF (LOAD, I32, i);
  access = &k->accesses[x];
  access->index = node;
  access->index_stride = COLUMNS * 4;
  access->index_end = ROWS;
  ghlo_kernel_store (k, LEAF (LOAD, F32, x), y);
  ghlo_kernel_end_stage (k);
}

/* The vector axis is a parallel one here: accumulators are vectors to the end. */
static void
make_column_sum (GhloKernel *k)
{
  enum { ROWS = 1024, COLUMNS = 1000 };
  guint x, y, sum;

  ghlo_kernel_add_axis (k, "column", COLUMNS, TRUE);
  ghlo_kernel_add_axis (k, "row", ROWS, FALSE);
  x = ACCESS (ghlo_kernel_add_buffer (k, "x", ROWS * COLUMNS * 4, FALSE), F32, 4, COLUMNS * 4);
  y = ACCESS (ghlo_kernel_add_buffer (k, "y", COLUMNS * 4, TRUE), F32, 4, 0);
  sum = ghlo_kernel_add_temporary (k, "sum", F32, 0);
  ghlo_kernel_begin_stage (k, 1 << 1);
  fold (k, LEAF (LOAD, F32, x), sum, GHLO_NODE_ADD, 0);
  ghlo_kernel_begin_stage (k, 0);
  ghlo_kernel_store (k, LEAF (TEMPORARY, F32, sum), y);
  ghlo_kernel_end_stage (k);
}

typedef struct
{
  guint8 halving;       /* width is the machine's over 2 to this */
  guint8 unroll, tile, place;
} Try;

static gboolean
fill (const Try    *tries,
      guint         n_tries,
      guint         number,
      guint         width,
      guint         vector_axis,
      guint         grain,
      GhloSchedule *schedule)
{
  const Try *try = &tries[number];

  if (number >= n_tries)
    return FALSE;
  *schedule = (GhloSchedule) { .vector_axis = vector_axis, .width = MAX (width >> try->halving, 1),
                               .unroll = try->unroll, .grain = grain };
  for (guint i = 0; i < GHLO_KERNEL_MAX_AXES; i++)
    schedule->axes[i].tile = 1;
  schedule->axes[0].unit = GHLO_UNIT_THREAD;
  schedule->axes[0].tile = try->tile;
  for (guint i = 0; i < GHLO_KERNEL_MAX_TEMPORARIES; i++)
    schedule->places[i] = try->place;

  return TRUE;
}

/* A map along the last parallel axis. */
static gboolean
schedule_map (const GhloKernel *kernel,
              guint             number,
              guint             width,
              GhloSchedule     *schedule)
{
  static const Try tries[] = {
    { 0, 2, 1, GHLO_PLACE_SCRATCH }, { 0, 1, 1, GHLO_PLACE_SCRATCH }, { 0, 4, 1, GHLO_PLACE_SCRATCH },
    { 0, 8, 1, GHLO_PLACE_SCRATCH }, { 1, 1, 1, GHLO_PLACE_SCRATCH }, { 1, 2, 1, GHLO_PLACE_SCRATCH },
    { 1, 4, 1, GHLO_PLACE_SCRATCH }, { 2, 4, 1, GHLO_PLACE_SCRATCH },
  };
  guint parallel = 0;

  while (parallel + 1 < kernel->n_axes && kernel->axes[parallel + 1].parallel)
    parallel++;

  return fill (tries, G_N_ELEMENTS (tries), number, width, parallel, parallel == 0 ? 4096 : 16, schedule);
}

/* Rows: the vector axis is the inner one. */
static gboolean
schedule_rows (const GhloKernel *kernel,
               guint             number,
               guint             width,
               GhloSchedule     *schedule)
{
  static const Try tries[] = {
    { 0, 1, 4, GHLO_PLACE_SCRATCH }, { 0, 1, 1, GHLO_PLACE_SCRATCH }, { 0, 2, 1, GHLO_PLACE_SCRATCH },
    { 0, 4, 1, GHLO_PLACE_SCRATCH }, { 0, 8, 1, GHLO_PLACE_SCRATCH }, { 0, 2, 2, GHLO_PLACE_SCRATCH },
    { 0, 4, 2, GHLO_PLACE_SCRATCH }, { 1, 4, 1, GHLO_PLACE_SCRATCH }, { 1, 8, 1, GHLO_PLACE_SCRATCH },
    { 1, 4, 2, GHLO_PLACE_SCRATCH },
  };

  return fill (tries, G_N_ELEMENTS (tries), number, width, 1, 4, schedule);
}

/* Short rows may stay in registers. */
static gboolean
schedule_short_rows (const GhloKernel *kernel,
                     guint             number,
                     guint             width,
                     GhloSchedule     *schedule)
{
  static const Try tries[] = {
    { 0, 8, 1, GHLO_PLACE_REGISTER }, { 0, 8, 2, GHLO_PLACE_REGISTER }, { 0, 8, 1, GHLO_PLACE_SCRATCH },
    { 0, 4, 1, GHLO_PLACE_SCRATCH }, { 0, 2, 1, GHLO_PLACE_SCRATCH }, { 0, 1, 1, GHLO_PLACE_SCRATCH },
    { 0, 2, 2, GHLO_PLACE_SCRATCH }, { 0, 4, 2, GHLO_PLACE_SCRATCH }, { 1, 16, 1, GHLO_PLACE_REGISTER },
    { 1, 4, 1, GHLO_PLACE_SCRATCH },
  };

  return fill (tries, G_N_ELEMENTS (tries), number, width, 1, 16, schedule);
}

const SpikeKernel spike_kernels[] = {
  { "exponential", "ARITH-U-001", make_exponential, schedule_map },
  { "layer-norm", "NORM-LN-001", make_layer_norm, schedule_rows },
  { "softmax", "softmax.mlir", make_softmax, schedule_short_rows },
  { "argmax", "argmax.mlir", make_argmax, schedule_rows },
  { "pad", NULL, make_pad, schedule_map },
  { "gather", NULL, make_gather, schedule_map },
  { "column-sum", NULL, make_column_sum, schedule_map },
};

const guint spike_n_kernels = G_N_ELEMENTS (spike_kernels);
