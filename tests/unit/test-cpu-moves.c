/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Steps that move data, against the reference executor or element by element: random
 * shapes in any layout.
 */

#include "cpu-steps.h"

#include "cpu/steps.h"

/* A tensor of random bits. */
static GhloTensorType *
pick_type (GhloElementType element_type,
           guint           max_rank,
           gint32          max_size)
{
  gint64 dimensions[8];
  guint rank = (guint) g_test_rand_int_range (0, (gint32) max_rank + 1);

  for (guint d = 0; d < rank; d++)
    dimensions[d] = g_test_rand_int_range (0, 40) == 0 ? 0 : g_test_rand_int_range (1, max_size);

  return ghlo_tensor_type_new (element_type, dimensions, rank);
}

static void
fill_bits (StepTensor *self)
{
  for (gsize i = 0; i < self->n_bytes; i++)
    self->memory[STEP_GUARD + i] = (guint8) g_test_rand_int ();
}

/* Dimensions of one element with any stride, and broadcast ones. */
static void
spoil_strides (StepTensor *self,
               gboolean    may_broadcast)
{
  for (guint d = 0; d < self->view.rank; d++)
    if (self->dimensions[d] == 1 && g_test_rand_bit ())
      self->strides[d] = g_test_rand_bit () ? G_MAXINT64 : -12345;
    else if (may_broadcast && g_test_rand_int_range (0, 5) == 0)
      self->strides[d] = 0;
}

static void
check_copy (GhloTensorType *type)
{
  const GhloCodeKernel *kernel = &ghlo_cpu_step_copy;
  gsize size = ghlo_element_info (type->element_type)->size, scratch = 0, n;
  StepTensor from, to;
  g_autofree guint8 *before = NULL;
  g_autoptr (GError) error = NULL;
  guint8 *source, *copied;
  gpointer prepared;

  step_tensor_init (&from, type, g_test_rand_int_range (0, 4) != 0);
  step_tensor_init (&to, type, g_test_rand_bit ());
  spoil_strides (&from, TRUE);
  spoil_strides (&to, FALSE);
  fill_bits (&from);
  prepared = kernel->prepare (NULL, &from.view, &to.view, &scratch, &error);
  g_assert_nonnull (prepared);
  g_assert_true (kernel->run (prepared, &from.view, &to.view, NULL, NULL, &error));
  g_assert_no_error (error);
  g_assert_true (ghlo_shape_count (type->dimensions, type->rank, &n));
  before = g_memdup2 (to.memory, to.n_bytes + 2 * STEP_GUARD);
  for (gsize i = 0; i < n; i++)
    {
      step_for_each (&from.view, i, &source);
      step_for_each (&to.view, i, &copied);
      g_assert_cmpmem (copied, size, source, size);
      memset (before + (copied - to.memory), 0xa5, size);
    }
  for (gsize i = 0; i < to.n_bytes + 2 * STEP_GUARD; i++)
    g_assert_cmphex (before[i], ==, 0xa5);
  kernel->release (prepared);
  step_tensor_clear (&from);
  step_tensor_clear (&to);
}

static const GhloElementType copied_types[] = {
  GHLO_ELEMENT_TYPE_I8, GHLO_ELEMENT_TYPE_BF16, GHLO_ELEMENT_TYPE_F32, GHLO_ELEMENT_TYPE_F64,
  GHLO_ELEMENT_TYPE_COMPLEX_F64,
};

static void
test_copy (void)
{
  for (guint t = 0; t < G_N_ELEMENTS (copied_types); t++)
    for (guint i = 0; i < 300; i++)
      {
        g_autoptr (GhloTensorType) type = pick_type (copied_types[t], i % 3 ? 5 : 2, i % 3 ? 9 : 150);

        check_copy (type);
      }
}

/* Blocks, chunks and threads: more bytes than one part. */
static void
test_copy_large (void)
{
  static const gint64 shapes[][3] = { { 1, 1, 500000 }, { 1, 700, 700 }, { 3, 300, 301 }, { 100, 7, 1000 } };

  for (guint t = 0; t < G_N_ELEMENTS (copied_types); t++)
    for (guint i = 0; i < 4 * G_N_ELEMENTS (shapes); i++)
      {
        g_autoptr (GhloTensorType) type = ghlo_tensor_type_new (copied_types[t], shapes[i / 4], 3);

        check_copy (type);
      }
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  /* More than one, whatever the machine, so that work is cut. */
  g_setenv ("GHLO_THREADS", "4", FALSE);

  g_test_add_func ("/cpu-moves/copy", test_copy);
  g_test_add_func ("/cpu-moves/copy/large", test_copy_large);

  return g_test_run ();
}
