/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Each kernel is small, with pairwise different extents, so that mistaking one stride for another leads out of bounds.
 */

#include "good-kernels.h"

#define NONE GHLO_KERNEL_NONE
#define I1   GHLO_ELEMENT_TYPE_I1
#define I32  GHLO_ELEMENT_TYPE_I32
#define I64  GHLO_ELEMENT_TYPE_I64
#define F32  GHLO_ELEMENT_TYPE_F32

#define STRIDES(...) ((const gint64[GHLO_KERNEL_MAX_AXES]) { __VA_ARGS__ })

static guint
unary (GhloKernelBuilder *b,
       GhloNodeKind       kind,
       GhloElementType    type,
       guint              x)
{
  return ghlo_kernel_add_node (b, kind, type, x, NONE, NONE);
}

static guint
binary (GhloKernelBuilder *b,
        GhloNodeKind       kind,
        GhloElementType    type,
        guint              x,
        guint              y)
{
  return ghlo_kernel_add_node (b, kind, type, x, y, NONE);
}

static guint
leaf (GhloKernelBuilder *b,
      GhloNodeKind       kind,
      GhloElementType    type,
      guint              index)
{
  return ghlo_kernel_add_leaf (b, kind, type, index);
}

static guint
load (GhloKernelBuilder *b,
      GhloElementType    type,
      guint              access)
{
  return ghlo_kernel_add_load (b, type, access, NONE);
}

/* Points that copy each loaded element to where it is stored. */
static void
copy (GhloKernelBuilder *b,
      guint              axes,
      GhloElementType    type,
      guint              from,
      guint              to)
{
  ghlo_kernel_begin_points (b, axes);
  ghlo_kernel_store (b, load (b, type, from), to);
  ghlo_kernel_end_block (b);
}

/* y = -x, for 6 elements with a point each, and y = 2 y in place. */
static GhloKernelBuilder *
begin_map (void)
{
  GhloKernelBuilder *b = ghlo_kernel_builder_new ("map");
  guint x, y, two;

  ghlo_kernel_add_axis (b, "i", 6, TRUE, TRUE);
  ghlo_kernel_add_buffer (b, "x", 24, FALSE);
  ghlo_kernel_add_buffer (b, "y", 24, TRUE);
  ghlo_kernel_add_access (b, 0, F32, 0, STRIDES (4));
  ghlo_kernel_add_access (b, 1, F32, 0, STRIDES (4));
  ghlo_kernel_begin_points (b, 0);
  x = unary (b, GHLO_NODE_NEGATE, F32, load (b, F32, 0));
  y = load (b, F32, 1);
  two = ghlo_kernel_add_float (b, F32, 2);
  y = ghlo_kernel_add_node (b, GHLO_NODE_FMA, F32, y, two, x);
  ghlo_kernel_store (b, y, 1);
  ghlo_kernel_end_block (b);

  return b;
}

/* A fold of one operation, merged by the same one. */
static guint
add_fold (GhloKernelBuilder *b,
          GhloNodeKind       kind,
          guint              x,
          guint              temporary,
          guint64            identity)
{
  guint fold = ghlo_kernel_add_fold (b, F32, temporary, identity);
  guint left = leaf (b, GHLO_NODE_LEFT, F32, fold);

  ghlo_kernel_set_update (b, fold, binary (b, kind, F32, left, x));

  return fold;
}

static void
merge_fold (GhloKernelBuilder *b,
            GhloNodeKind       kind,
            guint              fold)
{
  guint left = leaf (b, GHLO_NODE_LEFT, F32, fold), right = leaf (b, GHLO_NODE_RIGHT, F32, fold);

  ghlo_kernel_set_merge (b, fold, binary (b, kind, F32, left, right));
}

/* Rows of 7: y = (x - minimum) / sum. */
static GhloKernelBuilder *
begin_rows (void)
{
  GhloKernelBuilder *b = ghlo_kernel_builder_new ("rows");
  guint x, least, sum, kept;

  ghlo_kernel_add_axis (b, "row", 5, TRUE, TRUE);
  ghlo_kernel_add_axis (b, "column", 7, FALSE, FALSE);
  ghlo_kernel_add_buffer (b, "x", 140, FALSE);
  ghlo_kernel_add_buffer (b, "y", 140, TRUE);
  ghlo_kernel_add_access (b, 0, F32, 0, STRIDES (28, 4));
  ghlo_kernel_add_access (b, 1, F32, 0, STRIDES (28, 4));
  ghlo_kernel_add_temporary (b, "least", F32, 0);
  ghlo_kernel_add_temporary (b, "sum", F32, 0);
  ghlo_kernel_add_temporary (b, "kept", F32, 2);
  ghlo_kernel_begin_points (b, 2);
  x = load (b, F32, 0);
  ghlo_kernel_keep (b, x, 2);
  least = add_fold (b, GHLO_NODE_MINIMUM, x, 0, 0x7f800000);
  sum = add_fold (b, GHLO_NODE_ADD, x, 1, 0);
  ghlo_kernel_set_order (b, 4, 0);
  ghlo_kernel_begin_merge (b);
  merge_fold (b, GHLO_NODE_MINIMUM, least);
  merge_fold (b, GHLO_NODE_ADD, sum);
  ghlo_kernel_end_block (b);
  ghlo_kernel_begin_points (b, 2);
  kept = leaf (b, GHLO_NODE_TEMPORARY, F32, 2);
  least = leaf (b, GHLO_NODE_TEMPORARY, F32, 0);
  sum = leaf (b, GHLO_NODE_TEMPORARY, F32, 1);
  kept = binary (b, GHLO_NODE_SUBTRACT, F32, kept, least);
  ghlo_kernel_store (b, binary (b, GHLO_NODE_DIVIDE, F32, kept, sum), 1);
  ghlo_kernel_end_block (b);

  return b;
}

/* y[column] = the sum over rows, in parts of 2. */
static GhloKernelBuilder *
begin_columns (void)
{
  GhloKernelBuilder *b = ghlo_kernel_builder_new ("columns");
  guint sum;

  ghlo_kernel_add_axis (b, "column", 3, TRUE, FALSE);
  ghlo_kernel_add_axis (b, "row", 5, FALSE, TRUE);
  ghlo_kernel_add_buffer (b, "x", 60, FALSE);
  ghlo_kernel_add_buffer (b, "y", 12, TRUE);
  ghlo_kernel_add_access (b, 0, F32, 0, STRIDES (4, 12));
  ghlo_kernel_add_access (b, 1, F32, 0, STRIDES (4));
  ghlo_kernel_add_temporary (b, "sum", F32, 0);
  ghlo_kernel_begin_points (b, 2);
  sum = add_fold (b, GHLO_NODE_ADD, load (b, F32, 0), 0, 0);
  ghlo_kernel_set_order (b, 1, 2);
  ghlo_kernel_begin_merge (b);
  merge_fold (b, GHLO_NODE_ADD, sum);
  ghlo_kernel_end_block (b);
  ghlo_kernel_begin_points (b, 0);
  sum = leaf (b, GHLO_NODE_TEMPORARY, F32, 0);
  ghlo_kernel_store (b, binary (b, GHLO_NODE_DIVIDE, F32, sum,
                                unary (b, GHLO_NODE_CONVERT, F32, leaf (b, GHLO_NODE_EXTENT, I32, 1))), 1);
  ghlo_kernel_end_block (b);

  return b;
}

/* Maxima of windows of 3 that begin at every second element, one before the first; x[9] has gaps. */
static GhloKernelBuilder *
begin_windows (void)
{
  GhloKernelBuilder *b = ghlo_kernel_builder_new ("windows");
  GhloKernelTerm term = { .node = NONE, .offset = -1, .step = 2, .end = 9, .stride = 4, .strides = { 2, 1 } };
  guint most, x, fill;

  ghlo_kernel_add_axis (b, "window", 9, TRUE, FALSE);
  ghlo_kernel_add_axis (b, "place", 3, FALSE, FALSE);
  ghlo_kernel_add_buffer (b, "x", 36, FALSE);
  ghlo_kernel_add_buffer (b, "y", 36, TRUE);
  ghlo_kernel_add_access (b, 0, F32, 0, STRIDES (0));
  ghlo_kernel_add_term (b, &term);
  ghlo_kernel_add_access (b, 1, F32, 0, STRIDES (4));
  ghlo_kernel_add_temporary (b, "most", F32, 0);
  ghlo_kernel_begin_points (b, 2);
  fill = ghlo_kernel_add_constant (b, F32, 0xff800000);
  x = ghlo_kernel_add_load (b, F32, 0, fill);
  most = add_fold (b, GHLO_NODE_MAXIMUM, x, 0, 0xff800000);
  ghlo_kernel_end_block (b);
  (void) most;
  ghlo_kernel_begin_points (b, 0);
  ghlo_kernel_store (b, leaf (b, GHLO_NODE_TEMPORARY, F32, 0), 1);
  ghlo_kernel_end_block (b);

  return b;
}

/* y[i, j] = table[index[i], j]. */
static GhloKernelBuilder *
begin_gather (void)
{
  GhloKernelBuilder *b = ghlo_kernel_builder_new ("gather");
  GhloKernelTerm term = { .node = 0, .clamps = TRUE, .step = 1, .end = 4, .stride = 12 };

  ghlo_kernel_add_axis (b, "i", 6, TRUE, FALSE);
  ghlo_kernel_add_axis (b, "j", 3, FALSE, FALSE);
  ghlo_kernel_add_buffer (b, "index", 24, FALSE);
  ghlo_kernel_add_buffer (b, "table", 48, FALSE);
  ghlo_kernel_add_buffer (b, "y", 72, TRUE);
  ghlo_kernel_add_access (b, 0, I32, 0, STRIDES (4));
  ghlo_kernel_add_access (b, 1, F32, 0, STRIDES (0, 4));
  ghlo_kernel_add_term (b, &term);
  ghlo_kernel_add_access (b, 2, F32, 0, STRIDES (12, 4));
  ghlo_kernel_begin_points (b, 2);
  load (b, I32, 0);
  ghlo_kernel_store (b, load (b, F32, 1), 2);
  ghlo_kernel_end_block (b);

  return b;
}

/* y[start + i, j] = x[i, j], with two rows of five that are clamped to fit. */
static GhloKernelBuilder *
begin_update (void)
{
  GhloKernelBuilder *b = ghlo_kernel_builder_new ("update");
  GhloKernelTerm term = { .node = 0, .clamps = TRUE, .step = 1, .end = 4, .stride = 12 };

  ghlo_kernel_add_axis (b, "i", 2, TRUE, FALSE);
  ghlo_kernel_add_axis (b, "j", 3, FALSE, FALSE);
  ghlo_kernel_add_buffer (b, "start", 8, FALSE);
  ghlo_kernel_add_buffer (b, "x", 24, FALSE);
  ghlo_kernel_add_buffer (b, "y", 60, TRUE);
  ghlo_kernel_add_access (b, 0, I64, 0, STRIDES (0));
  ghlo_kernel_add_access (b, 1, F32, 0, STRIDES (12, 4));
  ghlo_kernel_add_access (b, 2, F32, 0, STRIDES (12, 4));
  ghlo_kernel_add_term (b, &term);
  ghlo_kernel_begin_points (b, 2);
  load (b, I64, 0);
  ghlo_kernel_store (b, load (b, F32, 1), 2);
  ghlo_kernel_end_block (b);

  return b;
}

/* Rows of x[2] and y[3] side by side, by two stores; and the parts of complex numbers. */
static GhloKernelBuilder *
begin_beside (void)
{
  GhloKernelBuilder *b = ghlo_kernel_builder_new ("beside");

  ghlo_kernel_add_axis (b, "row", 4, TRUE, FALSE);
  ghlo_kernel_add_axis (b, "i", 2, FALSE, FALSE);
  ghlo_kernel_add_axis (b, "j", 3, FALSE, FALSE);
  ghlo_kernel_add_buffer (b, "x", 32, FALSE);
  ghlo_kernel_add_buffer (b, "y", 48, FALSE);
  ghlo_kernel_add_buffer (b, "z", 80, TRUE);
  ghlo_kernel_add_buffer (b, "complex", 64, TRUE);
  ghlo_kernel_add_access (b, 0, F32, 0, STRIDES (8, 4));
  ghlo_kernel_add_access (b, 1, F32, 0, STRIDES (12, 0, 4));
  ghlo_kernel_add_access (b, 2, F32, 0, STRIDES (20, 4));
  ghlo_kernel_add_access (b, 2, F32, 8, STRIDES (20, 0, 4));
  ghlo_kernel_add_access (b, 3, F32, 0, STRIDES (8, 32));
  ghlo_kernel_add_access (b, 3, F32, 4, STRIDES (8, 32));
  copy (b, 2, F32, 0, 2);
  copy (b, 4, F32, 1, 3);
  copy (b, 2, F32, 0, 4);
  copy (b, 2, F32, 0, 5);

  return b;
}

/* x[3] followed by y[4], by guards. */
static GhloKernelBuilder *
begin_concatenation (void)
{
  GhloKernelBuilder *b = ghlo_kernel_builder_new ("concatenation");
  GhloKernelTerm first = { .node = NONE, .step = 1, .end = 3, .stride = 4, .strides = { 1 } };
  GhloKernelTerm second = { .node = NONE, .offset = -3, .step = 1, .end = 4, .stride = 4, .strides = { 1 } };
  guint y;

  ghlo_kernel_add_axis (b, "i", 7, TRUE, FALSE);
  ghlo_kernel_add_buffer (b, "x", 12, FALSE);
  ghlo_kernel_add_buffer (b, "y", 16, FALSE);
  ghlo_kernel_add_buffer (b, "z", 28, TRUE);
  ghlo_kernel_add_access (b, 0, F32, 0, STRIDES (0));
  ghlo_kernel_add_term (b, &first);
  ghlo_kernel_add_access (b, 1, F32, 0, STRIDES (0));
  ghlo_kernel_add_term (b, &second);
  ghlo_kernel_add_access (b, 2, F32, 0, STRIDES (4));
  ghlo_kernel_begin_points (b, 0);
  y = load (b, F32, 1);
  ghlo_kernel_store (b, ghlo_kernel_add_load (b, F32, 0, y), 2);
  ghlo_kernel_end_block (b);

  return b;
}

/* h = x[t] + w h, for 3 elements and 4 times; each h is stored, and the last one also separately. */
static GhloKernelBuilder *
begin_recurrence (void)
{
  GhloKernelBuilder *b = ghlo_kernel_builder_new ("recurrence");

  ghlo_kernel_add_axis (b, "batch", 2, TRUE, TRUE);
  ghlo_kernel_add_axis (b, "t", 4, FALSE, TRUE);
  ghlo_kernel_add_axis (b, "i", 3, FALSE, FALSE);
  ghlo_kernel_add_axis (b, "j", 3, FALSE, FALSE);
  ghlo_kernel_add_buffer (b, "x", 96, FALSE);
  ghlo_kernel_add_buffer (b, "w", 36, FALSE);
  ghlo_kernel_add_buffer (b, "all", 96, TRUE);
  ghlo_kernel_add_buffer (b, "last", 24, TRUE);
  ghlo_kernel_add_access (b, 0, F32, 0, STRIDES (48, 12, 4));
  ghlo_kernel_add_access (b, 1, F32, 0, STRIDES (0, 0, 4, 12));
  ghlo_kernel_add_access (b, 2, F32, 0, STRIDES (48, 12, 4));
  ghlo_kernel_add_access (b, 3, F32, 0, STRIDES (12, 0, 4));
  ghlo_kernel_add_temporary (b, "zero", F32, 4);
  ghlo_kernel_add_temporary (b, "h", F32, 4);
  ghlo_kernel_add_temporary (b, "new h", F32, 4);
  ghlo_kernel_add_temporary (b, "w h", F32, 8);
  ghlo_kernel_add_temporary (b, "all h", F32, 6);
  ghlo_kernel_begin_points (b, 4);
  ghlo_kernel_keep (b, ghlo_kernel_add_float (b, F32, 0), 0);
  ghlo_kernel_end_block (b);
  ghlo_kernel_begin_loop (b, 1);
  ghlo_kernel_add_carry (b, 1, 0, 2);
  ghlo_kernel_add_product (b, 0, 8, 4, (GhloKernelFactor) { NONE, 1 }, (GhloKernelFactor) { 1, NONE }, 3);
  ghlo_kernel_begin_points (b, 4);
  ghlo_kernel_keep (b, load (b, F32, 0), 2);
  ghlo_kernel_keep (b, leaf (b, GHLO_NODE_TEMPORARY, F32, 1), 4);
  ghlo_kernel_store (b, 1, 2);
  ghlo_kernel_end_block (b);
  ghlo_kernel_end_block (b);
  ghlo_kernel_begin_points (b, 6);
  leaf (b, GHLO_NODE_TEMPORARY, F32, 4);
  ghlo_kernel_end_block (b);
  ghlo_kernel_begin_points (b, 4);
  ghlo_kernel_store (b, leaf (b, GHLO_NODE_TEMPORARY, F32, 1), 3);
  ghlo_kernel_end_block (b);

  return b;
}

/* Points that keep @node in @temporary belong to this. */
static void
keep_alone (GhloKernelBuilder *b,
            guint              node,
            guint              temporary)
{
  ghlo_kernel_keep (b, node, temporary);
  ghlo_kernel_end_block (b);
}

/* While n < 5: when n is odd y[n] = n; n = n + 1. */
static GhloKernelBuilder *
begin_while (void)
{
  enum { ZERO, N, GOES_ON, NEXT, IS_ODD, VALUE, OTHER };
  GhloKernelTerm term = { .node = NONE, .clamps = TRUE, .step = 1, .end = 5, .stride = 4 };
  GhloKernelBuilder *b = ghlo_kernel_builder_new ("while");
  guint n, one;

  ghlo_kernel_add_buffer (b, "y", 20, TRUE);
  ghlo_kernel_add_temporary (b, "zero", I32, 0);
  ghlo_kernel_add_temporary (b, "n", I32, 0);
  ghlo_kernel_add_temporary (b, "goes on", I1, 0);
  ghlo_kernel_add_temporary (b, "next", I32, 0);
  ghlo_kernel_add_temporary (b, "is odd", I1, 0);
  ghlo_kernel_add_temporary (b, "value", I32, 0);
  ghlo_kernel_add_temporary (b, "other", I32, 0);
  ghlo_kernel_begin_points (b, 0);
  keep_alone (b, ghlo_kernel_add_constant (b, I32, 0), ZERO);
  ghlo_kernel_begin_while (b, GOES_ON);
  ghlo_kernel_add_carry (b, N, ZERO, NEXT);
  ghlo_kernel_begin_points (b, 0);
  n = leaf (b, GHLO_NODE_TEMPORARY, I32, N);
  keep_alone (b, binary (b, GHLO_NODE_LESS, I1, n, ghlo_kernel_add_constant (b, I32, 5)), GOES_ON);
  ghlo_kernel_begin_body (b);
  ghlo_kernel_begin_points (b, 0);
  n = leaf (b, GHLO_NODE_TEMPORARY, I32, N);
  one = ghlo_kernel_add_constant (b, I32, 1);
  ghlo_kernel_keep (b, unary (b, GHLO_NODE_CONVERT, I1, binary (b, GHLO_NODE_AND, I32, n, one)), IS_ODD);
  keep_alone (b, binary (b, GHLO_NODE_ADD, I32, n, one), NEXT);
  ghlo_kernel_begin_if (b, IS_ODD);
  ghlo_kernel_add_carry (b, VALUE, ZERO, OTHER);
  ghlo_kernel_begin_points (b, 0);
  keep_alone (b, leaf (b, GHLO_NODE_TEMPORARY, I32, N), OTHER);
  ghlo_kernel_end_block (b);
  ghlo_kernel_begin_points (b, 0);
  n = leaf (b, GHLO_NODE_TEMPORARY, I32, N);
  ghlo_kernel_add_access (b, 0, I32, 0, STRIDES (0));
  term.node = n;
  ghlo_kernel_add_term (b, &term);
  ghlo_kernel_store (b, leaf (b, GHLO_NODE_TEMPORARY, I32, VALUE), 0);
  ghlo_kernel_end_block (b);
  ghlo_kernel_end_block (b);

  return b;
}

const GoodKernel good_kernels[] = {
  { "map", begin_map },
  { "rows", begin_rows },
  { "columns", begin_columns },
  { "windows", begin_windows },
  { "gather", begin_gather },
  { "update", begin_update },
  { "beside", begin_beside },
  { "concatenation", begin_concatenation },
  { "recurrence", begin_recurrence },
  { "while", begin_while },
};
const guint n_good_kernels = G_N_ELEMENTS (good_kernels);

GhloKernel *
good_kernel (const char *name)
{
  for (guint i = 0; i < n_good_kernels; i++)
    if (g_str_equal (good_kernels[i].name, name))
      {
        g_autoptr (GError) error = NULL;
        GhloKernel *kernel = ghlo_kernel_builder_end (good_kernels[i].begin (), &error);

        g_assert_no_error (error);

        return kernel;
      }
  g_assert_not_reached ();
}
