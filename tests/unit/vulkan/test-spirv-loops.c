/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loops that unroll several points at a time: folds over columns of many lengths give the interpreter's bits, with and
 * without stores and in place; and the elements of all unrolled points are loaded before the first point stores.
 */

#include "base/bits.h"
#include "gpu/spirv/builder.h"
#include "gpu/spirv/spirv.h"
#include "kernel/build.h"

#include "shader-check.h"

#include <math.h>

enum { N_COLUMNS = 5, PITCH = 4 * N_COLUMNS, P = 0, O = 1, I = 2 };

/* What a block of points computes. */
typedef struct
{
  guint    n_planes;            /* extent of an axis outside of the axis of columns */
  guint    n_folds;             /* a sum of x - mean, and the maxima of x - mean */
  gboolean stores, is_in_place; /* x - mean is stored as well; in place of x */
  guint    n_chains, split;     /* split 0: none */
} Form;

static const Form forms[] = {
  { 1, 1, FALSE, FALSE, 1, 0 },
  { 1, 2, FALSE, FALSE, 4, 0 },
  { 1, 1, TRUE, FALSE, 1, 37 },
  { 1, 2, TRUE, TRUE, 1, 512 },
  { 3, 1, TRUE, TRUE, 8, 2 },
  { 3, 0, TRUE, TRUE, 1, 0 },
};

static const GhloNodeKind fold_kinds[] = { GHLO_NODE_ADD, GHLO_NODE_MAXIMUM };

static guint
add_f32 (GhloKernelBuilder *b,
         GhloNodeKind       kind,
         guint              left,
         guint              right)
{
  return ghlo_kernel_add_node (b, kind, GHLO_ELEMENT_TYPE_F32, left, right, GHLO_KERNEL_NONE);
}

/* Adds the block, which loops over the axes O and I; fold k goes to temporary number k. */
static void
add_points (GhloKernelBuilder *b,
            const Form        *form,
            guint              from,
            guint              mean,
            guint              to)
{
  const double identities[] = { -0.0, -INFINITY };
  guint folds[G_N_ELEMENTS (fold_kinds)], element;

  ghlo_kernel_begin_points (b, 1u << O | 1u << I);
  if (form->n_folds > 0)
    ghlo_kernel_set_order (b, form->n_chains, form->split);
  for (guint k = 0; k < form->n_folds; k++)
    folds[k] = ghlo_kernel_add_fold (b, GHLO_ELEMENT_TYPE_F32, k, ghlo_bits_of_float ((float) identities[k]));
  element = ghlo_kernel_add_load (b, GHLO_ELEMENT_TYPE_F32, from, GHLO_KERNEL_NONE);
  element = add_f32 (b, GHLO_NODE_SUBTRACT, element, ghlo_kernel_add_load (b, GHLO_ELEMENT_TYPE_F32, mean,
                                                                           GHLO_KERNEL_NONE));
  for (guint k = 0; k < form->n_folds; k++)
    {
      guint left = ghlo_kernel_add_leaf (b, GHLO_NODE_LEFT, GHLO_ELEMENT_TYPE_F32, folds[k]);

      ghlo_kernel_set_update (b, folds[k], add_f32 (b, fold_kinds[k], left, element));
    }
  if (form->stores)
    ghlo_kernel_store (b, element, to);
  if (form->n_folds > 0)
    ghlo_kernel_begin_merge (b);
  for (guint k = 0; k < form->n_folds; k++)
    {
      guint left = ghlo_kernel_add_leaf (b, GHLO_NODE_LEFT, GHLO_ELEMENT_TYPE_F32, folds[k]);
      guint right = ghlo_kernel_add_leaf (b, GHLO_NODE_RIGHT, GHLO_ELEMENT_TYPE_F32, folds[k]);

      ghlo_kernel_set_merge (b, folds[k], add_f32 (b, fold_kinds[k], left, right));
    }
  ghlo_kernel_end_block (b);
}

/* A kernel over adjacent columns, with @n elements in each plane. */
static GhloKernel *
make_kernel (const Form *form,
             guint       n)
{
  GhloKernelBuilder *b = ghlo_kernel_builder_new ("columns");
  const gint64 strides[] = { 4, (gint64) n * PITCH, PITCH }, of_columns[] = { 4, 0, 0 };
  const gint64 size = strides[O] * form->n_planes;
  guint x, y, means, results[G_N_ELEMENTS (fold_kinds)] = { 0 }, from, to, mean;
  g_autoptr (GError) error = NULL;
  GhloKernel *kernel;

  ghlo_kernel_add_axis (b, "p", N_COLUMNS, TRUE, FALSE);
  ghlo_kernel_add_axis (b, "o", form->n_planes, FALSE, FALSE);
  ghlo_kernel_add_axis (b, "i", n, FALSE, FALSE);
  y = ghlo_kernel_add_buffer (b, "y", size, TRUE);
  x = form->is_in_place ? y : ghlo_kernel_add_buffer (b, "x", size, FALSE);
  means = ghlo_kernel_add_buffer (b, "mean", PITCH, FALSE);
  from = ghlo_kernel_add_access (b, x, GHLO_ELEMENT_TYPE_F32, 0, strides);
  to = ghlo_kernel_add_access (b, y, GHLO_ELEMENT_TYPE_F32, 0, strides);
  mean = ghlo_kernel_add_access (b, means, GHLO_ELEMENT_TYPE_F32, 0, of_columns);
  for (guint k = 0; k < form->n_folds; k++)
    {
      const guint buffer = ghlo_kernel_add_buffer (b, k == 0 ? "sum" : "most", PITCH, TRUE);

      results[k] = ghlo_kernel_add_access (b, buffer, GHLO_ELEMENT_TYPE_F32, 0, of_columns);
      ghlo_kernel_add_temporary (b, k == 0 ? "sum" : "most", GHLO_ELEMENT_TYPE_F32, 0);
    }
  add_points (b, form, from, mean, to);
  ghlo_kernel_begin_points (b, 0);
  for (guint k = 0; k < form->n_folds; k++)
    ghlo_kernel_store (b, ghlo_kernel_add_leaf (b, GHLO_NODE_TEMPORARY, GHLO_ELEMENT_TYPE_F32, k), results[k]);
  ghlo_kernel_end_block (b);
  kernel = ghlo_kernel_builder_end (b, &error);
  g_assert_no_error (error);

  return kernel;
}

/* Lengths around the number of points that are unrolled at a time, and around the number of parts. */
static void
test_bits (void)
{
  static const guint lengths[] = { 1, 15, 16, 17, 31, 37, 64, 513, 1000 };
  GhloSpirvDevice device;
  g_autoptr (ShaderRunner) runner = shader_kernel_open (&device);

  for (guint i = 0; runner != NULL && i < G_N_ELEMENTS (forms); i++)
    for (guint k = 0; k < G_N_ELEMENTS (lengths); k++)
      {
        g_autofree GhloKernel *kernel = make_kernel (&forms[i], lengths[k]);
        const gint64 extents[] = { N_COLUMNS, forms[i].n_planes, lengths[k] };
        g_autofree char *name = g_strdup_printf ("columns of %u, form %u", lengths[k], i);

        shader_check_validate (kernel, name);
        g_assert_cmpint (shader_check_run (runner, &device, kernel, extents, 1, name), !=, SHADER_CHECK_INEXACT);
      }
}

/* Counts the loads of 32-bit elements from buffers in the shader @bytes, before the first store and after it. Loads
 * from the table are of 64 bits, except the flag's. */
static void
count_loads (GBytes *bytes,
             guint  *n_before,
             guint  *n_behind)
{
  gsize size;
  const guint32 *words = g_bytes_get_data (bytes, &size);
  g_autofree guint32 *pointers = g_new0 (guint32, words[3]);
  guint32 f32 = 0;
  guint *n = n_before;

  *n_before = *n_behind = 0;
  for (gsize i = 5; i < size / 4; i += words[i] >> SpvWordCountShift)
    switch (words[i] & SpvOpCodeMask)
      {
      case SpvOpTypeFloat:
        f32 = words[i + 1];
        break;
      case SpvOpConvertUToPtr:
        pointers[words[i + 2]] = 1;
        break;
      case SpvOpLoad:
        *n += pointers[words[i + 3]] && words[i + 1] == f32;
        break;
      case SpvOpStore:
        if (pointers[words[i + 1]])
          n = n_behind;
        break;
      default:
        break;
      }
}

/* Checks the loads for columns of @length, with parts in turn or as given by @parts, run by an invocation or a
 * workgroup. */
static void
check_loads (const Form     *form,
             guint           length,
             gboolean        workgroup_per_point,
             GhloSpirvParts  parts,
             guint           n_before,
             guint           n_behind)
{
  const GhloSpirvFloats floats = { .folds_exactly = TRUE };
  const GhloSpirvSchedule schedule = { workgroup_per_point, G_MAXSIZE - 1, .parts = parts };
  g_autofree GhloKernel *kernel = make_kernel (form, length);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) words = ghlo_spirv_emit (kernel, &floats, &schedule, &error);
  guint before, behind;

  g_assert_no_error (error);
  count_loads (words, &before, &behind);
  g_assert_cmpuint (before, ==, n_before);
  g_assert_cmpuint (behind, ==, n_behind);
}

/* The operands of an iteration are loaded before anything is stored, the mean only once; the remaining points
 * follow, one at a time. */
static void
test_loads (void)
{
  const Form sums = { 1, 1, TRUE, TRUE, 1, 0 }, copies = { 3, 0, TRUE, FALSE, 1, 0 };
  const Form wide = { 1, 1, TRUE, TRUE, 64, 0 }, parted = { 1000, 1, TRUE, FALSE, 1, 20 };

  check_loads (&sums, 512, FALSE, GHLO_SPIRV_PARTS_IN_TURN, 16 + 1, 2);
  check_loads (&copies, 512, FALSE, GHLO_SPIRV_PARTS_IN_TURN, 16 + 1, 2);
  /* 3 × 8 leaves no remainder, whereas 16 would leave 8. */
  check_loads (&sums, 24, FALSE, GHLO_SPIRV_PARTS_IN_TURN, 8 + 1, 2);
  check_loads (&sums, 15, FALSE, GHLO_SPIRV_PARTS_IN_TURN, 2, 0);
  check_loads (&wide, 64 * 64, TRUE, GHLO_SPIRV_PARTS_IN_TURN, 16 + 1, 2);
  check_loads (&copies, 64 * 64, TRUE, GHLO_SPIRV_PARTS_IN_TURN, 16 + 1, 2);
  /* 50 parts, whose sums are merged. */
  check_loads (&parted, 1, FALSE, GHLO_SPIRV_PARTS_MERGED, 16 + 1, 0);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/spirv/loops/loads", test_loads);
  g_test_add_func ("/spirv/loops/bits", test_bits);

  return g_test_run ();
}
