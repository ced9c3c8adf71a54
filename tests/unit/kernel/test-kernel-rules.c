/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Each rule of the kernel checker: a valid kernel is changed in one place, which the error message must name.
 */

#include "base/ghlo-error.h"
#include "good-kernels.h"
#include "kernel/check.h"

#include <string.h>

#define NONE GHLO_KERNEL_NONE

/* Writable tables of a copy. */
#define AXIS(i)      ((GhloKernelAxis *) k->axes)[i]
#define BUFFER(i)    ((GhloKernelBuffer *) k->buffers)[i]
#define ACCESS(i)    ((GhloKernelAccess *) k->accesses)[i]
#define TERM(i)      ((GhloKernelTerm *) k->terms)[i]
#define TEMPORARY(i) ((GhloKernelTemporary *) k->temporaries)[i]
#define BLOCK(i)     ((GhloKernelBlock *) k->blocks)[i]
#define STORE(i)     ((GhloKernelStore *) k->stores)[i]
#define FOLD(i)      ((GhloKernelFold *) k->folds)[i]
#define CARRY(i)     ((GhloKernelCarry *) k->carries)[i]
#define NODE(i)      ((GhloKernelNode *) k->nodes)[i]

static void
check_refused (const GhloKernel *kernel,
               const char       *message)
{
  g_autoptr (GError) error = NULL;

  g_test_message ("%s: %s", kernel->name, message);
  g_assert_false (ghlo_kernel_check (kernel, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  if (strstr (error->message, message) == NULL)
    g_error ("expected \"%s\" in \"%s\"", message, error->message);
}

/* The kernel @name is refused with @message after the given statements; k is a copy of the kernel. */
#define REFUSED(name, message, ...) \
  do \
    { \
      g_autofree GhloKernel *original = good_kernel (name); \
      g_autofree GhloKernel *k = ghlo_kernel_copy (original); \
      \
      __VA_ARGS__; \
      check_refused (k, message); \
    } \
  while (0)

/* The same for statements after which the kernel is accepted. */
#define ACCEPTED(name, ...) \
  do \
    { \
      g_autofree GhloKernel *original = good_kernel (name); \
      g_autofree GhloKernel *k = ghlo_kernel_copy (original); \
      g_autoptr (GError) error = NULL; \
      \
      __VA_ARGS__; \
      ghlo_kernel_check (k, &error); \
      g_assert_no_error (error); \
    } \
  while (0)

static void
test_tables (void)
{
  REFUSED ("rows", "extent of 1 or more, found 0", AXIS (1).extent = 0);
  REFUSED ("rows", "are not the first ones", AXIS (1).is_parallel = 1);
  REFUSED ("rows", "are not the first ones", AXIS (0).is_parallel = 0);
  REFUSED ("rows", "is_runtime is neither", AXIS (0).is_runtime = 2);
  REFUSED ("rows", "more than 2^63 points", AXIS (0).extent = AXIS (1).extent = G_GINT64_CONSTANT (1) << 32);
  REFUSED ("rows", "at most 8 axes, found 9", k->n_axes = 9);
  REFUSED ("rows", "at most 64 buffers", k->n_buffers = 65);
  REFUSED ("rows", "at most 8192 nodes", k->n_nodes = 8193);
  REFUSED ("rows", "its size is negative", BUFFER (0).size = -1);
  REFUSED ("rows", "is_written is neither", BUFFER (0).is_written = 2);
  REFUSED ("rows", "nodes cannot have its type", TEMPORARY (0).type = GHLO_ELEMENT_TYPE_BF16);
  REFUSED ("rows", "nodes cannot have its type", TEMPORARY (0).type = 200);
  REFUSED ("rows", "spans axes that are parallel or do not exist", TEMPORARY (2).axes = 3);
  REFUSED ("rows", "spans axes that are parallel or do not exist", TEMPORARY (2).axes = 6);
  REFUSED ("columns", "more than 2^63 bytes", AXIS (1).extent = G_MAXINT64 / 3; TEMPORARY (0).axes = 2);
  REFUSED ("rows", "15 nodes, 2 stores, 2 folds and 0 carries are in blocks: expected 16", BLOCK (1).end_node--;
           BLOCK (1).first_merge--; STORE (1).node--);
  REFUSED ("rows", "which are more than the kernel has", k->n_stores--);
}

static void
test_accesses (void)
{
  REFUSED ("map", "nodes cannot have its type", ACCESS (0).type = GHLO_ELEMENT_TYPE_F16);
  REFUSED ("map", "reserved fields", ACCESS (0).reserved = 1);
  REFUSED ("map", "there is no buffer 2", ACCESS (0).buffer = 2);
  REFUSED ("map", "an offset that is a multiple of 4, found 2", ACCESS (0).offset = 2);
  REFUSED ("map", "a stride that is a multiple of 4, found 3", ACCESS (0).strides[0] = 3);
  REFUSED ("map", "a stride of axis 1, which does not exist", ACCESS (0).strides[1] = 4);
  REFUSED ("map", "reaches the bytes [4, 28) of buffer 0 (x), which has 24", ACCESS (0).offset = 4);
  REFUSED ("map", "reaches the bytes [-20, 4)", ACCESS (0).strides[0] = -4);
  ACCEPTED ("map", ACCESS (0).strides[0] = -4; ACCESS (0).offset = 20);
  REFUSED ("map", "of buffer 0 (x), which has 20", BUFFER (0).size = 20);
  REFUSED ("map", "address does not fit", ACCESS (0).strides[0] = G_MAXINT64 - 3);
  REFUSED ("map", "address does not fit", ACCESS (0).offset = G_MININT64);
  REFUSED ("windows", "expected terms from 0 of 1 on", ACCESS (0).first_term = 1);
  REFUSED ("windows", "expected terms from 0 of 1 on", ACCESS (0).n_terms = 2);
  REFUSED ("windows", "belong to no access", ACCESS (0).n_terms = 0; ACCESS (1).first_term = 0);
  REFUSED ("windows", "reserved fields", TERM (0).reserved[4] = 1);
  REFUSED ("windows", "there is no node 100", TERM (0).node = 100);
  REFUSED ("windows", "clamps is neither", TERM (0).clamps = 2);
  REFUSED ("windows", "a step of 1 with a clamp, found 2", TERM (0).clamps = 1);
  REFUSED ("windows", "a step of 1 or more, found 0", TERM (0).step = 0);
  REFUSED ("windows", "an end of 1 or more", TERM (0).end = 0);
  REFUSED ("windows", "an end of 1 or more", TERM (0).end = G_MAXINT64);
  REFUSED ("windows", "a stride that is a multiple of 4, found 2", TERM (0).stride = 2);
  REFUSED ("windows", "which does not exist", TERM (0).strides[7] = 1);
  REFUSED ("windows", "position does not fit", TERM (0).strides[0] = G_MAXINT64 / 4);
  REFUSED ("windows", "position does not fit", TERM (0).offset = G_MININT64);
  REFUSED ("windows", "of buffer 0 (x), which has 32", BUFFER (0).size = 32);
  /* The position reaches 17 only, and only multiples of the step count. */
  ACCEPTED ("windows", TERM (0).end = 100);
  REFUSED ("windows", "reaches the bytes [4, 40)", TERM (0).end = 100; TERM (0).offset = 1);
  ACCEPTED ("windows", TERM (0).end = 100; TERM (0).offset = -100);
  REFUSED ("gather", "reaches the bytes [0, 60)", TERM (0).end = 5);
  REFUSED ("gather", "reaches the bytes [-36, 12)", TERM (0).stride = -12);
}

static void
test_indices (void)
{
  REFUSED ("gather", "its index is node 1: expected one of [0, 1)", TERM (0).node = 1);
  REFUSED ("gather", "its index is node 0, which is of type f32",
           NODE (0).type = ACCESS (0).type = GHLO_ELEMENT_TYPE_F32);
  REFUSED ("gather", "it has strides of axes 0x03: expected some of 0x02",
           AXIS (0).is_parallel = 0; k->n_parallel = 0; ACCESS (0).strides[0] = 0; ACCESS (1).strides[0] = 4;
           BUFFER (1).size = 100);
  REFUSED ("while", "its index is node 0: expected one of", TERM (0).node = 0);
}

static void
test_nodes (void)
{
  REFUSED ("map", "there is no kind 255", NODE (0).kind = 255);
  REFUSED ("map", "nodes cannot have type 0", NODE (1).type = GHLO_ELEMENT_TYPE_INVALID);
  REFUSED ("map", "reserved fields", NODE (1).reserved[2] = 1);
  REFUSED ("map", "are not of its type", NODE (1).bits = 1);
  REFUSED ("map", "are not of its type", NODE (3).bits |= G_GUINT64_CONSTANT (1) << 32);
  REFUSED ("map", "it refers to 1: expected 0", NODE (1).index = 1);
  REFUSED ("map", "it refers to 1: expected 0", NODE (3).index = 1);
  REFUSED ("map", "operand 0 is node 1: expected one of [0, 1)", NODE (1).operands[0] = 1);
  REFUSED ("map", "operand 0 is node 65535", NODE (1).operands[0] = NONE);
  REFUSED ("map", "operand 1 is node 0: expected none", NODE (1).operands[1] = 0);
  REFUSED ("map", "operand 2 is node 0: expected none", NODE (3).operands[2] = 0);
  REFUSED ("map", "there is no access 2", NODE (0).index = 2);
  REFUSED ("map", "it is of type f64: expected f32, as its access 0", NODE (0).type = GHLO_ELEMENT_TYPE_F64);
  REFUSED ("map", "it takes no operands of type f32", NODE (1).kind = GHLO_NODE_NOT);
  REFUSED ("map", "it is of type f64: expected f32", NODE (1).type = GHLO_ELEMENT_TYPE_F64);
  REFUSED ("map", "it cannot be of type f32", NODE (3).kind = GHLO_NODE_AXIS; NODE (3).bits = 0);
  REFUSED ("map", "operand 0 is of type f32: expected i1", NODE (4).kind = GHLO_NODE_SELECT);
  REFUSED ("map", "operand 1 is of type i32: expected f32", NODE (3).type = GHLO_ELEMENT_TYPE_I32);
  REFUSED ("map", "expected one as wide as f32", NODE (1).kind = GHLO_NODE_BITCAST;
           NODE (1).type = GHLO_ELEMENT_TYPE_F64);
  ACCEPTED ("map", NODE (1).kind = GHLO_NODE_EXPONENTIAL);
  REFUSED ("map", "it is of type f32: expected i1", NODE (1).kind = GHLO_NODE_EQUAL; NODE (1).operands[1] = 0);
  REFUSED ("map", "it takes no operands of type f32", NODE (1).kind = GHLO_NODE_FROM_BF16);
  REFUSED ("windows", "operand 0 is of type i32: expected f32", NODE (0).type = GHLO_ELEMENT_TYPE_I32);
  REFUSED ("columns", "there is no axis 2", NODE (7).index = 2);
  REFUSED ("columns", "axis 1 (row) is not in scope", NODE (7).kind = GHLO_NODE_AXIS);
  ACCEPTED ("columns", NODE (7).kind = GHLO_NODE_AXIS; NODE (7).index = 0);
  REFUSED ("rows", "there is no temporary 3", NODE (11).index = 3);
  REFUSED ("rows", "it is outside of a merge", NODE (1).kind = GHLO_NODE_RIGHT);
  REFUSED ("rows", "fold 2 is not one of its block: expected one of [0, 2)", NODE (1).index = 2);
  REFUSED ("rows", "in a merge, which sees", NODE (5).kind = GHLO_NODE_LOAD; NODE (5).index = 0);
  REFUSED ("rows", "operand 0 is node 2: expected one of [5, 7)", NODE (7).operands[0] = 2);
}

static void
test_temporaries (void)
{
  REFUSED ("rows", "has no value here", NODE (0).kind = GHLO_NODE_TEMPORARY; NODE (0).index = 0);
  REFUSED ("rows", "temporary 0 (least) is written in block 0 already", FOLD (1).temporary = 0);
  REFUSED ("rows", "temporary 2 (kept) spans axes 0x00: expected 0x02", TEMPORARY (2).axes = 0);
  REFUSED ("rows", "temporary 0 (least) spans axes 0x02: expected 0x00", TEMPORARY (0).axes = 2);
  REFUSED ("rows", "temporary 2 (kept) spans axes 0x02: expected some of 0x01", BLOCK (1).axes = 0;
           ACCESS (1).strides[1] = 0);
  REFUSED ("rows", "temporary 2 (kept) is of type f64: expected f32", TEMPORARY (2).type = GHLO_ELEMENT_TYPE_F64);
  REFUSED ("rows", "there is no temporary 3", STORE (0).temporary = 3);
  /* After the loop only carried values, and those that span its axis, are available. */
  REFUSED ("recurrence", "temporary 2 (new h) has no value here", NODE (4).index = 2);
  REFUSED ("recurrence", "temporary 4 (all h) has no value here", NODE (2).index = 4);
  REFUSED ("while", "temporary 2 (goes on) has no value here", BLOCK (1).body = 2);
  REFUSED ("while", "temporary 6 (other) has no value here", NODE (10).index = 6);
}

static void
test_blocks (void)
{
  REFUSED ("rows", "there is no kind 5", BLOCK (1).kind = GHLO_N_BLOCKS);
  REFUSED ("rows", "it ends before block 0", BLOCK (0).end = 0);
  REFUSED ("rows", "it ends before block 2: expected 1", BLOCK (0).end = 2);
  REFUSED ("rows", "it ends before block 3: expected one of [2, 2]", BLOCK (1).end = 3);
  REFUSED ("rows", "reserved fields", BLOCK (0).reserved_end[2] = 1);
  REFUSED ("rows", "fields that only products have", BLOCK (0).rows = 2);
  REFUSED ("rows", "fields that only products have", BLOCK (0).result = 0);
  REFUSED ("rows", "a predicate or a body", BLOCK (0).predicate = 0);
  REFUSED ("rows", "chains or a split but no folds", BLOCK (1).n_chains = 1);
  REFUSED ("rows", "its nodes, stores, folds and carries begin at", BLOCK (1).first_store = 0);
  REFUSED ("rows", "its nodes, their merge and their end", BLOCK (0).first_merge = 100);
  REFUSED ("rows", "its axes are 0x03: expected some of 0x02", BLOCK (0).axes = 3);
  REFUSED ("recurrence", "its axes are 0x06: expected some of 0x0c", BLOCK (3).axes = 6);
  REFUSED ("recurrence", "its axes are 0x06: expected one", BLOCK (1).axes = 6);
  REFUSED ("recurrence", "its axes are 0x00: expected one", BLOCK (1).axes = 0);
  REFUSED ("recurrence", "which only points have", BLOCK (1).end_node++);
  REFUSED ("recurrence", "it has carries", BLOCK (0).n_carries = 1);
  REFUSED ("while", "it has axes", BLOCK (1).axes = 1);
  REFUSED ("while", "its body begins at block 1", BLOCK (1).body = 1);
  REFUSED ("while", "its body begins at block 65535", BLOCK (1).body = NONE);
  REFUSED ("while", "is of type i32: expected i1", BLOCK (1).predicate = 0);
  REFUSED ("while", "there is no temporary 7", BLOCK (4).predicate = 7);
}

static void
test_carries (void)
{
  REFUSED ("recurrence", "a carry's first: temporary 2 (new h) has no value here", CARRY (0).first = 2);
  REFUSED ("recurrence", "a carry's next: temporary 0 (zero) is written in block 0", CARRY (0).next = 0);
  REFUSED ("recurrence", "a carry's next: temporary 1 (h) is written in block 1", CARRY (0).next = 1);
  REFUSED ("recurrence", "a carry's next spans axes 0x08: expected 0x04", CARRY (0).next = 3);
  REFUSED ("recurrence", "a carry: temporary 0 (zero) is written in block 0 already", CARRY (0).temporary = 0);
  REFUSED ("recurrence", "a carry's first: temporary 0 (zero) is of type f32: expected f64",
           TEMPORARY (1).type = GHLO_ELEMENT_TYPE_F64);
  REFUSED ("recurrence", "a carry's first spans axes 0x04: expected 0x0c", TEMPORARY (1).axes = 12);
  REFUSED ("recurrence", "is carried along an axis that it spans", BLOCK (1).axes = 4);
  REFUSED ("while", "there is no temporary 9", CARRY (1).temporary = 9);
  REFUSED ("while", "a carry's next: temporary 0 (zero)", CARRY (1).next = 0);
}

static void
test_folds (void)
{
  REFUSED ("rows", "nodes cannot have its type", FOLD (0).type = 0);
  REFUSED ("rows", "reserved fields", FOLD (0).reserved = 1);
  REFUSED ("rows", "are not of its type", FOLD (0).identity |= G_GUINT64_CONSTANT (1) << 32);
  REFUSED ("rows", "its update is node 7: expected one of [0, 5)", FOLD (0).update = 7);
  REFUSED ("rows", "its merge is node 2: expected one of [5, 11)", FOLD (0).merge = 2);
  REFUSED ("rows", "it has no merge", FOLD (0).merge = NONE);
  ACCEPTED ("rows", FOLD (0).merge = NONE; BLOCK (0).n_chains = 1);
  REFUSED ("columns", "it has no merge", FOLD (0).merge = NONE);
  REFUSED ("rows", "a power of two of at most 256 chains, found 3", BLOCK (0).n_chains = 3);
  REFUSED ("rows", "a power of two of at most 256 chains, found 512", BLOCK (0).n_chains = 512);
  REFUSED ("rows", "a split of 0 or more, found -1", BLOCK (0).split = -1);
  REFUSED ("rows", "it has folds but no axes", BLOCK (0).axes = 0);
  REFUSED ("rows", "it has a merge but no folds", BLOCK (0).n_folds = 0; BLOCK (0).n_chains = 0;
           BLOCK (1).first_fold = 0);
  REFUSED ("rows", "it depends on a partial fold", STORE (0).node = 2);
  ACCEPTED ("rows", STORE (0).node = 2; BLOCK (0).n_chains = 1);
}

static void
test_products (void)
{
  REFUSED ("recurrence", "do not make up its axes", BLOCK (2).rows = 4);
  REFUSED ("recurrence", "do not make up its axes", BLOCK (2).inner = 0);
  REFUSED ("recurrence", "do not make up its axes", BLOCK (2).axes = 4);
  REFUSED ("recurrence", "the left factor: expected an access or a temporary", BLOCK (2).left.access = 0);
  REFUSED ("recurrence", "the left factor: there is no temporary 9", BLOCK (2).left.temporary = 9);
  REFUSED ("recurrence", "the left factor: temporary 2 (new h) has no value here", BLOCK (2).left.temporary = 2);
  REFUSED ("recurrence", "the right factor: there is no access 9", BLOCK (2).right.access = 9);
  REFUSED ("recurrence", "the left factor: temporary 1 (h) spans axes 0x04: expected some of 0x0b",
           BLOCK (2).columns = 4; BLOCK (2).inner = 8);
  REFUSED ("recurrence", "the right factor: access 1 has a stride of axis 3 (j)", BLOCK (2).columns = 0;
           BLOCK (2).rows = 8);
  REFUSED ("recurrence", "the right factor: access 1 is of type i32", ACCESS (1).type = GHLO_ELEMENT_TYPE_I32);
  REFUSED ("recurrence", "the result is of type i32", TEMPORARY (3).type = GHLO_ELEMENT_TYPE_I32);
  REFUSED ("recurrence", "the result: temporary 3 (w h) spans axes 0x00", TEMPORARY (3).axes = 0);
  REFUSED ("recurrence", "the result: temporary 0 (zero) is written", BLOCK (2).result = 0);
  REFUSED ("recurrence", "is a factor, of a buffer that is written", BUFFER (1).is_written = 1);
}

static void
test_stores (void)
{
  REFUSED ("map", "store 0: it is of node 5: expected one of [0, 5)", STORE (0).node = 5);
  REFUSED ("map", "store 0: expected an access or a temporary", STORE (0).access = NONE);
  REFUSED ("map", "store 0: there is no access 2", STORE (0).access = 2);
  REFUSED ("gather", "store 0: node 0 is of type i32: expected f32, as access 2", STORE (0).node = 0);
  REFUSED ("map", "into buffer 1 (y), which is not written", BUFFER (1).is_written = 0);
  REFUSED ("map", "may take two points of axes 0x01 to the same address", ACCESS (1).strides[0] = 0);
  ACCEPTED ("map", ACCESS (1).strides[0] = 0; AXIS (0).extent = 1);
  REFUSED ("rows", "may take two points of axes 0x03 to the same address", ACCESS (1).strides[0] = 4);
  REFUSED ("rows", "may take two points of axes 0x03 to the same address", ACCESS (1).strides[0] = 24);
  ACCEPTED ("rows", ACCESS (1).strides[0] = -28; ACCESS (1).offset = 112);
  /* Iterations are sequential, whereas parallel points are not. */
  ACCEPTED ("recurrence", ACCESS (2).strides[1] = 0);
  REFUSED ("recurrence", "may take two points of axes 0x07 to the same address", ACCESS (2).strides[1] = 16;
           BUFFER (2).size = 120);
  REFUSED ("recurrence", "may take two points of axes 0x05 to the same address", ACCESS (2).strides[0] = 0;
           ACCESS (2).strides[1] = 0);
  ACCEPTED ("recurrence", AXIS (0).extent = 1; ACCESS (2).strides[1] = 4);
  REFUSED ("map", "expected the place of a store of the same block", ACCESS (1).buffer = 0; BUFFER (0).is_written = 1;
           ACCESS (0).offset = 0; NODE (2).index = 0; ACCESS (0).strides[0] = 0);
  REFUSED ("beside", "may be the same address", ACCESS (3).offset = 4);
  REFUSED ("beside", "may be the same address", ACCESS (5).offset = 0);
  REFUSED ("beside", "may be the same address", ACCESS (2).buffer = 3; ACCESS (2).strides[0] = 8;
           ACCESS (2).strides[1] = 32);
  REFUSED ("beside", "may be the same address", BUFFER (2).size = 200; ACCESS (3).strides[0] = 24);
}

static void
test_stored_terms (void)
{
  /* The update's index is the same for all points. */
  ACCEPTED ("update", ACCESS (0).strides[0] = 0);
  REFUSED ("update", "which may take two points", ACCESS (0).strides[0] = 4;
           NODE (0).type = ACCESS (0).type = GHLO_ELEMENT_TYPE_I32);
  /* As a separate dimension the index may have any value: 4 rows for each i. */
  ACCEPTED ("update", ACCESS (0).strides[0] = 4; NODE (0).type = ACCESS (0).type = GHLO_ELEMENT_TYPE_I32;
            ACCESS (2).strides[0] = 48; BUFFER (2).size = 96);
  REFUSED ("update", "has strides, and an index that is not the same", ACCESS (0).strides[0] = 4;
           NODE (0).type = ACCESS (0).type = GHLO_ELEMENT_TYPE_I32; TERM (0).clamps = 0; TERM (0).strides[0] = 1);
  REFUSED ("update", "clamps an index that depends on axes", TERM (0).strides[0] = 1);
  ACCEPTED ("update", TERM (0).clamps = 0; TERM (0).strides[0] = 1; ACCESS (2).strides[0] = 0);
  REFUSED ("update", "may take two points", TERM (0).clamps = 0; TERM (0).strides[0] = 1; ACCESS (2).strides[0] = -12;
           ACCESS (2).offset = 12);
  /* A mask adds nothing to the address. */
  ACCEPTED ("update", ACCESS (0).strides[0] = 4; NODE (0).type = ACCESS (0).type = GHLO_ELEMENT_TYPE_I32;
            TERM (0).clamps = 0; TERM (0).stride = 0);
}

/* Nesting deeper than the builder supports. */
static void
test_depth (void)
{
  const GhloKernelFactor none = { NONE, NONE };
  GhloKernelBuilder *builder = ghlo_kernel_builder_new ("deep");
  g_autoptr (GError) error = NULL;
  guint predicate;

  predicate = ghlo_kernel_add_temporary (builder, "p", GHLO_ELEMENT_TYPE_I1, 0);
  ghlo_kernel_begin_points (builder, 0);
  ghlo_kernel_keep (builder, ghlo_kernel_add_constant (builder, GHLO_ELEMENT_TYPE_I1, 1), predicate);
  ghlo_kernel_end_block (builder);
  for (guint i = 0; i < GHLO_KERNEL_MAX_DEPTH; i++)
    ghlo_kernel_begin_if (builder, predicate);
  ghlo_kernel_add_product (builder, 0, 0, 0, none, none, NONE);
  for (guint i = 0; i < GHLO_KERNEL_MAX_DEPTH; i++)
    ghlo_kernel_end_block (builder);
  g_assert_null (ghlo_kernel_builder_end (builder, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "at most 8 nested blocks"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernel/rules/tables", test_tables);
  g_test_add_func ("/kernel/rules/accesses", test_accesses);
  g_test_add_func ("/kernel/rules/indices", test_indices);
  g_test_add_func ("/kernel/rules/nodes", test_nodes);
  g_test_add_func ("/kernel/rules/temporaries", test_temporaries);
  g_test_add_func ("/kernel/rules/blocks", test_blocks);
  g_test_add_func ("/kernel/rules/carries", test_carries);
  g_test_add_func ("/kernel/rules/folds", test_folds);
  g_test_add_func ("/kernel/rules/products", test_products);
  g_test_add_func ("/kernel/rules/stores", test_stores);
  g_test_add_func ("/kernel/rules/stored-terms", test_stored_terms);
  g_test_add_func ("/kernel/rules/depth", test_depth);

  return g_test_run ();
}
