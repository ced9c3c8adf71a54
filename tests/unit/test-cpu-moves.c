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

static const char *const type_names[] = { "i8", "bf16", "f32", "f64", "complex<f64>", "i1" };
static const char *const index_names[] = { "i32", "i64", "ui8", "i8", "ui64", "ui32", "i16" };

#define PICK_ONE(names) names[g_test_rand_int_range (0, G_N_ELEMENTS (names))]

static gint64
pick (gint32 low,
      gint32 high)
{
  return g_test_rand_int_range (low, high + 1);
}

/* "tensor<2x3xf32>" */
static char *
spell (const gint64 *dimensions,
       guint         rank,
       const char   *element)
{
  g_autoptr (GString) text = g_string_new ("tensor<");

  for (guint i = 0; i < rank; i++)
    g_string_append_printf (text, "%" G_GINT64_FORMAT "x", dimensions[i]);
  g_string_append_printf (text, "%s>", element);

  return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
spell_list (const gint64 *values,
            guint         n)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", values[i]);

  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* A program of one operation: "%r = " and @op, whose operands %0, %1 … are the inputs. */
static void
check_op (const char  *op,
          const char  *name,
          GhloValue  **inputs,
          guint        n_inputs,
          const char  *result)
{
  g_autoptr (GString) text = g_string_new ("func.func @main(");

  for (guint i = 0; i < n_inputs; i++)
    {
      g_autofree char *type = ghlo_tensor_type_to_string (inputs[i]->type);

      g_string_append_printf (text, "%s%%x%u: %s", i > 0 ? ", " : "", i, type);
    }
  g_string_append_printf (text, ") -> %s {\n  %%r = %s : (", result, op);
  for (guint i = 0; i < n_inputs; i++)
    {
      g_autofree char *type = ghlo_tensor_type_to_string (inputs[i]->type);

      g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", type);
    }
  g_string_append_printf (text, ") -> %s\n  return %%r : %s\n}\n", result, result);
  if (!step_check (text->str, name, inputs, n_inputs, 0))
    g_error ("declined: %s", text->str);
}

static void
test_concatenate (void)
{
  for (guint i = 0; i < 150; i++)
    {
      const char *element = PICK_ONE (type_names);
      guint rank = (guint) pick (1, 4), n = (guint) pick (1, 5), dimension = (guint) pick (0, (gint32) rank - 1);
      gint64 dimensions[4], total = 0;
      GhloValue *inputs[5];
      g_autoptr (GString) op = g_string_new ("stablehlo.concatenate ");
      g_autofree char *result = NULL;

      for (guint d = 0; d < rank; d++)
        dimensions[d] = pick (i % 10 ? 1 : 0, i % 7 ? 6 : 40);
      for (guint k = 0; k < n; k++)
        {
          g_autofree char *type = NULL;

          dimensions[dimension] = pick (0, i % 7 ? 6 : 70);
          total += dimensions[dimension];
          type = spell (dimensions, rank, element);
          inputs[k] = new_random (type, 0, 1.9);
          g_string_append_printf (op, "%s%%x%u", k > 0 ? ", " : "", k);
        }
      dimensions[dimension] = total;
      result = spell (dimensions, rank, element);
      g_string_append_printf (op, ", dim = %u", dimension);
      check_op (op->str, "concatenate", inputs, n, result);
      for (guint k = 0; k < n; k++)
        ghlo_value_unref (inputs[k]);
    }
}

static void
test_pad (void)
{
  for (guint i = 0; i < 300; i++)
    {
      const char *element = PICK_ONE (type_names);
      guint rank = (guint) pick (0, 4);
      gint64 dimensions[4], padded[4], low[4], high[4], interior[4];
      g_autofree char *type = NULL, *scalar = spell (NULL, 0, element), *result = NULL, *op = NULL;
      g_autofree char *lows = NULL, *highs = NULL, *interiors = NULL;
      g_autoptr (GhloValue) operand = NULL, value = new_random (scalar, 0, 1.9);

      for (guint d = 0; d < rank; d++)
        do
          {
            dimensions[d] = pick (i % 10 ? 1 : 0, i % 7 ? 6 : 40);
            low[d] = pick (-4, 5);
            high[d] = pick (-4, 5);
            interior[d] = i % 3 ? 0 : pick (0, 3);
            padded[d] = dimensions[d] + low[d] + high[d] + MAX (dimensions[d] - 1, 0) * interior[d];
          }
        while (padded[d] < 0);
      type = spell (dimensions, rank, element);
      operand = new_random (type, 0, 1.9);
      result = spell (padded, rank, element);
      lows = spell_list (low, rank);
      highs = spell_list (high, rank);
      interiors = spell_list (interior, rank);
      op = g_strdup_printf ("stablehlo.pad %%x0, %%x1, low = [%s], high = [%s], interior = [%s]", lows, highs,
                            interiors);
      check_op (op, "pad", (GhloValue *[]) { operand, value }, 2, result);
    }
}

/* Slices, and their replacement, at places in bounds and out of them. */
static void
test_dynamic_slices (void)
{
  for (guint i = 0; i < 300; i++)
    {
      const char *element = PICK_ONE (type_names), *index = PICK_ONE (index_names);
      guint rank = (guint) pick (0, 4), first = i % 2 ? 2 : 1;
      gint64 dimensions[4], sizes[4];
      GhloValue *inputs[6];
      g_autoptr (GString) op = g_string_new (i % 2 ? "stablehlo.dynamic_update_slice %x0, %x1"
                                             : "stablehlo.dynamic_slice %x0");
      g_autofree char *type = NULL, *slice = NULL, *scalar = spell (NULL, 0, index), *list = NULL;

      for (guint d = 0; d < rank; d++)
        {
          dimensions[d] = pick (i % 10 ? 1 : 0, i % 7 ? 6 : 60);
          sizes[d] = pick (i % 9 ? MIN (dimensions[d], 1) : 0, (gint32) dimensions[d]);
        }
      type = spell (dimensions, rank, element);
      slice = spell (sizes, rank, element);
      inputs[0] = new_random (type, 0, 1.9);
      if (first == 2)
        inputs[1] = new_random (slice, 0, 1.9);
      for (guint d = 0; d < rank; d++)
        {
          inputs[first + d] = new_random (scalar, index[0] == 'u' ? 0 : -3, i % 7 ? 8 : 60);
          if (pick (0, 9) == 0)
            memset (inputs[first + d]->data, 0xff, inputs[first + d]->n_bytes);
          g_string_append_printf (op, ", %%x%u", first + d);
        }
      list = spell_list (sizes, rank);
      if (first == 1)
        g_string_append_printf (op, ", sizes = [%s]", list);
      check_op (op->str, first == 1 ? "dynamic_slice" : "dynamic_update_slice", inputs, first + rank,
                first == 1 ? slice : type);
      for (guint k = 0; k < first + rank; k++)
        ghlo_value_unref (inputs[k]);
    }
}

static void
test_iota (void)
{
  static const char *const elements[] = {
    "i8", "ui8", "i16", "i32", "ui32", "i64", "f16", "bf16", "f32", "f64", "complex<f32>", "f8E4M3FN", "i4",
  };

  for (guint e = 0; e < G_N_ELEMENTS (elements); e++)
    for (guint i = 0; i < 12; i++)
      {
        guint rank = (guint) pick (1, 4), dimension = (guint) pick (0, (gint32) rank - 1);
        gint64 dimensions[4];
        g_autofree char *type = NULL, *text = NULL;

        for (guint d = 0; d < rank; d++)
          dimensions[d] = pick (i % 6 ? 1 : 0, i % 4 ? 9 : 60);
        if (i == 0)
          dimensions[dimension] = 300;
        type = spell (dimensions, rank, elements[e]);
        text = g_strdup_printf ("func.func @main() -> %s {\n  %%0 = stablehlo.iota dim = %u : %s\n"
                                "  return %%0 : %s\n}\n", type, dimension, type, type);
        g_assert_true (step_check (text, "iota", NULL, 0, 0));
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
  g_test_add_func ("/cpu-moves/concatenate", test_concatenate);
  g_test_add_func ("/cpu-moves/pad", test_pad);
  g_test_add_func ("/cpu-moves/dynamic-slices", test_dynamic_slices);
  g_test_add_func ("/cpu-moves/iota", test_iota);

  return g_test_run ();
}
