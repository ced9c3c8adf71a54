/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The latency of cancellation within the largest single steps. Each program below is run repeatedly and cancelled at
 * a different moment each time; the run should end at most 50 ms after the cancel. Other load on the machine makes that
 * longer, so the processor time of all threads from the cancel to the end is printed as well.
 *
 *   bench-cancel [--cancels=N] [NAME…]
 *
 * With GHLO_DISABLE=llvm kernels run in strips. Times in milliseconds; runs that ended before their cancel are not
 * counted.
 */

#include "../unit/compiled-program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct
{
  const char *name, *text;
} Row;

#define ELEMENTWISE(type, op) \
  "func.func @main(%x: tensor<" type ">) -> tensor<" type "> {\n" \
  "  %0 = \"" op "\"(%x) : (tensor<" type ">) -> tensor<" type ">\n" \
  "  %1 = stablehlo.multiply %0, %x : tensor<" type ">\n" \
  "  return %1 : tensor<" type ">\n" \
  "}\n"

#define SOFTMAX(type, rows, rank) \
  "func.func @main(%x: tensor<" type "xf32>) -> tensor<" type "xf32> {\n" \
  "  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>\n" \
  "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n" \
  "  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [" rank "]\n" \
  "    : (tensor<" type "xf32>, tensor<f32>) -> tensor<" rows "xf32>\n"

#define SOFTMAX_END(type, rows, dims, rank) \
  "  %0 = stablehlo.broadcast_in_dim %m, dims = [" dims "] : (tensor<" rows "xf32>) -> tensor<" type "xf32>\n" \
  "  %1 = stablehlo.subtract %x, %0 : tensor<" type "xf32>\n" \
  "  %2 = stablehlo.exponential %1 : tensor<" type "xf32>\n" \
  "  %s = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [" rank "]\n" \
  "    : (tensor<" type "xf32>, tensor<f32>) -> tensor<" rows "xf32>\n" \
  "  %3 = stablehlo.broadcast_in_dim %s, dims = [" dims "] : (tensor<" rows "xf32>) -> tensor<" type "xf32>\n" \
  "  %4 = stablehlo.divide %2, %3 : tensor<" type "xf32>\n" \
  "  return %4 : tensor<" type "xf32>\n" \
  "}\n"

#define REDUCE(type, result, element, zero, op, dimensions) \
  "func.func @main(%x: tensor<" type ">) -> tensor<" result "> {\n" \
  "  %zero = stablehlo.constant dense<" zero "> : tensor<" element ">\n" \
  "  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo." op " across dimensions = [" dimensions "]\n" \
  "    : (tensor<" type ">, tensor<" element ">) -> tensor<" result ">\n" \
  "  return %0 : tensor<" result ">\n" \
  "}\n"

#define PRODUCT(from, to) \
  "func.func @main(%x: tensor<" from ">, %y: tensor<" from ">) -> tensor<" to "> {\n" \
  "  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]\n" \
  "    : (tensor<" from ">, tensor<" from ">) -> tensor<" to ">\n" \
  "  return %0 : tensor<" to ">\n" \
  "}\n"

/* A loop of one kernel, over numbers or an array, or of steps. */
#define LOOP(array, result) \
  "func.func @main(%n: tensor<i64>, %x: tensor<" array ">) -> tensor<" array "> {\n" \
  "  %one = stablehlo.constant dense<1> : tensor<i64>\n" \
  "  %end = stablehlo.constant dense<1000000000> : tensor<i64>\n" \
  "  %0:2 = stablehlo.while(%i = %n, %a = %x) : tensor<i64>, tensor<" array ">\n" \
  "    cond {\n" \
  "      %p = stablehlo.compare LT, %i, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>\n" \
  "      stablehlo.return %p : tensor<i1>\n" \
  "    } do {\n" \
  "      %j = stablehlo.add %i, %one : tensor<i64>\n" \
  "      %b = stablehlo.multiply %a, %a : tensor<" array ">\n" \
  "      %c = " result "\n" \
  "      stablehlo.return %j, %c : tensor<i64>, tensor<" array ">\n" \
  "    }\n" \
  "  return %0#1 : tensor<" array ">\n" \
  "}\n"

#define COUNTED \
  "func.func @main(%x: tensor<2048xf32>) -> tensor<2048xf32> {\n" \
  "  %zero = stablehlo.constant dense<0> : tensor<i32>\n" \
  "  %one = stablehlo.constant dense<1> : tensor<i32>\n" \
  "  %end = stablehlo.constant dense<1000000000> : tensor<i32>\n" \
  "  %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<2048xf32>\n" \
  "    cond {\n" \
  "      %p = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>\n" \
  "      stablehlo.return %p : tensor<i1>\n" \
  "    } do {\n" \
  "      %j = stablehlo.add %i, %one : tensor<i32>\n" \
  "      %b = stablehlo.cosine %a : tensor<2048xf32>\n" \
  "      stablehlo.return %j, %b : tensor<i32>, tensor<2048xf32>\n" \
  "    }\n" \
  "  return %0#1 : tensor<2048xf32>\n" \
  "}\n"

#define CONVOLUTION(image, kernel, result, element) \
  "func.func @main(%x: tensor<" image element ">, %y: tensor<" kernel element ">) -> tensor<" result element "> {\n" \
  "  %0 = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],\n" \
  "    window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}\n" \
  "    : (tensor<" image element ">, tensor<" kernel element ">) -> tensor<" result element ">\n" \
  "  return %0 : tensor<" result element ">\n" \
  "}\n"

#define SELECT_AND_SCATTER(image, source, direction) \
  "func.func @main(%x: tensor<" image "xf32>, %y: tensor<" source "xf32>) -> tensor<" image "xf32> {\n" \
  "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n" \
  "  %0 = \"stablehlo.select_and_scatter\"(%x, %y, %zero) ({\n" \
  "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n" \
  "    %p = stablehlo.compare " direction " : (tensor<f32>, tensor<f32>) -> tensor<i1>\n" \
  "    stablehlo.return %p : tensor<i1>\n" \
  "  }, {\n" \
  "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n" \
  "    %s = stablehlo.add %a, %b : tensor<f32>\n" \
  "    stablehlo.return %s : tensor<f32>\n" \
  "  }) {window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>,\n" \
  "      padding = dense<[[0, 0], [0, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>}\n" \
  "    : (tensor<" image "xf32>, tensor<" source "xf32>, tensor<f32>) -> tensor<" image "xf32>\n" \
  "  return %0 : tensor<" image "xf32>\n" \
  "}\n"

/* Large programs, at least one for each family of steps. */
static const Row rows[] = {
  { "map", ELEMENTWISE ("67108864xf32", "stablehlo.tanh") },
  { "map of f64", ELEMENTWISE ("33554432xf64", "chlo.digamma") },
  { "map of f16", ELEMENTWISE ("67108864xf16", "chlo.lgamma") },
  { "reduction", REDUCE ("67108864xf32", "f32", "f32", "0.0", "add", "0") },
  { "reduction of rows", REDUCE ("16x4194304xf32", "16xf32", "f32", "0.0", "add", "1") },
  { "reduction of columns", REDUCE ("4194304x16xf32", "16xf32", "f32", "0.0", "add", "0") },
  { "reduction of f16 products", REDUCE ("67108864xf16", "f16", "f16", "1.0", "multiply", "0") },
  { "softmax", SOFTMAX ("12x2048x2048", "12x2048", "2") SOFTMAX_END ("12x2048x2048", "12x2048", "0, 1", "2") },
  { "softmax of one row", SOFTMAX ("1x67108864", "1", "1") SOFTMAX_END ("1x67108864", "1", "0", "1") },
  { "softmax of columns", SOFTMAX ("1048576x64", "64", "0") SOFTMAX_END ("1048576x64", "64", "1", "0") },
  { "loop of a number", LOOP ("f32", "stablehlo.cosine %b : tensor<f32>") },
  { "loop of an array", LOOP ("2048xf32", "stablehlo.cosine %b : tensor<2048xf32>") },
  { "loop of steps", LOOP ("1024x1024xf32", "stablehlo.dot_general %b, %x, contracting_dims = [1] x [0]\n"
                           "    : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>") },
  { "loop that counts", COUNTED },
  { "product of f32", PRODUCT ("4096x4096xf32", "4096x4096xf32") },
  { "product of f64", PRODUCT ("4096x4096xf64", "4096x4096xf64") },
  { "product of bf16", PRODUCT ("4096x4096xbf16", "4096x4096xbf16") },
  { "product of i8", PRODUCT ("4096x4096xi8", "4096x4096xi32") },
  { "product of i64", PRODUCT ("2048x2048xi64", "2048x2048xi64") },
  { "product of c64", PRODUCT ("2048x2048xcomplex<f32>", "2048x2048xcomplex<f32>") },
  { "convolution", CONVOLUTION ("16x224x224x64x", "3x3x64x64x", "16x224x224x64x", "f32") },
  { "convolution of f64", CONVOLUTION ("4x224x224x64x", "3x3x64x64x", "4x224x224x64x", "f64") },
  { "convolution of i32", CONVOLUTION ("2x112x112x64x", "3x3x64x64x", "2x112x112x64x", "i32") },
  { "select_and_scatter", SELECT_AND_SCATTER ("32x112x112x64", "32x56x56x64", "GE, %a, %b") },
  { "select_and_scatter of another kind", SELECT_AND_SCATTER ("32x112x112x64", "32x56x56x64",
                                                              "GE, %b, %a, TOTALORDER") },
  { "windows", "func.func @main(%x: tensor<32x224x224x64xf32>) -> tensor<32x224x224x64xf32> {\n"
    "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %0 = \"stablehlo.reduce_window\"(%x, %zero) ({\n"
    "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
    "    %s = stablehlo.add %a, %b : tensor<f32>\n"
    "    stablehlo.return %s : tensor<f32>\n"
    "  }) {window_dimensions = array<i64: 1, 7, 7, 1>, padding = dense<[[0, 0], [3, 3], [3, 3], [0, 0]]>\n"
    "      : tensor<4x2xi64>} : (tensor<32x224x224x64xf32>, tensor<f32>) -> tensor<32x224x224x64xf32>\n"
    "  return %0 : tensor<32x224x224x64xf32>\n"
    "}\n" },
  { "cumulative sum", "func.func @main(%x: tensor<67108864xf32>) -> tensor<67108864xf32> {\n"
    "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %0 = \"stablehlo.reduce_window\"(%x, %zero) ({\n"
    "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
    "    %s = stablehlo.add %a, %b : tensor<f32>\n"
    "    stablehlo.return %s : tensor<f32>\n"
    "  }) {window_dimensions = array<i64: 67108864>, padding = dense<[[67108863, 0]]> : tensor<1x2xi64>}\n"
    "    : (tensor<67108864xf32>, tensor<f32>) -> tensor<67108864xf32>\n"
    "  return %0 : tensor<67108864xf32>\n"
    "}\n" },
  { "transpose", "func.func @main(%x: tensor<8192x8192xf32>) -> tensor<8192x8192xf32> {\n"
    "  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<8192x8192xf32>) -> tensor<8192x8192xf32>\n"
    "  return %0 : tensor<8192x8192xf32>\n"
    "}\n" },
  { "sort", "func.func @main(%x: tensor<33554432xf32>) -> tensor<33554432xf32> {\n"
    "  %0 = \"stablehlo.sort\"(%x) ({\n"
    "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
    "    %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "    stablehlo.return %p : tensor<i1>\n"
    "  }) {dimension = 0 : i64} : (tensor<33554432xf32>) -> tensor<33554432xf32>\n"
    "  return %0 : tensor<33554432xf32>\n"
    "}\n" },
  { "scatter", "func.func @main(%x: tensor<16777216xf32>, %i: tensor<16777216x1xi32>, %u: tensor<16777216xf32>)"
    " -> tensor<16777216xf32> {\n"
    "  %0 = \"stablehlo.scatter\"(%x, %i, %u) ({\n"
    "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
    "    %s = stablehlo.add %a, %b : tensor<f32>\n"
    "    stablehlo.return %s : tensor<f32>\n"
    "  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],\n"
    "      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}\n"
    "    : (tensor<16777216xf32>, tensor<16777216x1xi32>, tensor<16777216xf32>) -> tensor<16777216xf32>\n"
    "  return %0 : tensor<16777216xf32>\n"
    "}\n" },
  { "random numbers", "func.func @main(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<67108864xui32>) {\n"
    "  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>)\n"
    "    -> (tensor<2xui64>, tensor<67108864xui32>)\n"
    "  return %0, %1 : tensor<2xui64>, tensor<67108864xui32>\n"
    "}\n" },
  { "fourier transform", "func.func @main(%x: tensor<4194304xcomplex<f32>>) -> tensor<4194304xcomplex<f32>> {\n"
    "  %0 = stablehlo.fft %x, type = FFT, length = [4194304] : (tensor<4194304xcomplex<f32>>)\n"
    "    -> tensor<4194304xcomplex<f32>>\n"
    "  return %0 : tensor<4194304xcomplex<f32>>\n"
    "}\n" },
};

/* Returns random numbers from 0 to 1; small ones for integers. */
static GhloValue *
new_input (GhloTensorType *type)
{
  g_autoptr (GError) error = NULL;
  GhloValue *value = ghlo_value_new_tensor (type, &error);
  const GhloElementInfo *info = ghlo_element_info (type->element_type);
  guint32 state = 1;

  if (value == NULL)
    g_error ("%s", error->message);
  if (type->rank == 0)
    return value;
  for (gsize i = 0; i < value->n_elements; i++)
    {
      GhloScalar scalar = { .u = 0 };

      state = state * 1664525 + 1013904223;
      if (info->element_class == GHLO_ELEMENT_CLASS_FLOAT || info->element_class == GHLO_ELEMENT_CLASS_COMPLEX)
        scalar.f = (state >> 8) * 0x1p-24;
      else
        scalar.u = state >> 8 & (info->size > 1 ? 0xffffff : 7);
      ghlo_element_store (type->element_type, value->data + i * info->size, scalar);
    }

  return value;
}

/* A run on a thread of its own. */
typedef struct
{
  GhloPrepared *prepared;
  GhloValue   **inputs;
  guint         n_inputs;
  GCancellable *cancellable;
  gint64        begin, end;             /* monotonic, microseconds; begin is atomic */
  gint64        worked;                 /* processor time of all threads at the end, microseconds */
  gboolean      was_cancelled;
} Run;

static gint64
processor_time (void)
{
  struct timespec time;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &time);

  return time.tv_sec * G_USEC_PER_SEC + time.tv_nsec / 1000;
}

static gpointer
run (gpointer data)
{
  Run *self = data;
  const GhloMonitor monitor = { .cancellable = self->cancellable };
  g_autofree GhloValue **outputs = g_new0 (GhloValue *, ghlo_prepared_get_n_outputs (self->prepared));
  g_autoptr (GError) error = NULL;

  __atomic_store_n (&self->begin, g_get_monotonic_time (), __ATOMIC_RELEASE);
  self->was_cancelled = !ghlo_prepared_run (self->prepared, NULL, self->inputs, self->n_inputs, outputs, &monitor,
                                            &error);
  self->end = g_get_monotonic_time ();
  self->worked = processor_time ();
  if (error != NULL && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    g_error ("%s", error->message);
  ghlo_values_clear (outputs, ghlo_prepared_get_n_outputs (self->prepared));

  return NULL;
}

/* Cancels a run @wait µs after its beginning. Returns the milliseconds from the cancel to the end of the run, or -1
 * where the run ended first. Sets *length to the run's time (µs), *worked to the milliseconds of processor time since
 * the cancel. */
static double
cancel_after (Run    *self,
              gint64  wait,
              gint64 *length,
              double *worked)
{
  GThread *thread;
  gint64 at, now, before;

  self->cancellable = g_cancellable_new ();
  self->begin = 0;
  thread = g_thread_new ("run", run, self);
  while ((at = __atomic_load_n (&self->begin, __ATOMIC_ACQUIRE)) == 0)
    g_usleep (100);
  now = g_get_monotonic_time ();
  if (at + wait > now)
    g_usleep ((gulong) (at + wait - now));
  before = processor_time ();
  at = g_get_monotonic_time ();
  g_cancellable_cancel (self->cancellable);
  g_thread_join (thread);
  g_object_unref (self->cancellable);
  *length = self->end - self->begin;
  *worked = MAX (self->worked - before, 0) * 1e-3;

  return self->was_cancelled ? MAX (self->end - at, 0) * 1e-3 : -1;
}

/* Returns the time of a run in µs, at most a second. */
static gint64
measure_length (Run *self)
{
  gint64 length;
  double worked;

  cancel_after (self, G_USEC_PER_SEC, &length, &worked);

  return MIN (length, G_USEC_PER_SEC);
}

static double
bench (const Row *row,
       guint      n)
{
  g_autoptr (GBytes) text = g_bytes_new_static (row->text, strlen (row->text));
  CompiledProgram program;
  Run self = { NULL };
  double worst = 0, most = 0, sum = 0;
  guint n_cancelled = 0;
  gint64 length, ignored;

  compiled_program_init (&program, row->name, text);
  self.prepared = program.compilation->prepared;
  self.n_inputs = compiled_program_n_inputs (&program);
  self.inputs = g_new (GhloValue *, self.n_inputs);
  for (guint i = 0; i < self.n_inputs; i++)
    {
      g_autoptr (GhloTensorType) type = compiled_program_dup_type (&program, i);

      self.inputs[i] = new_input (type);
    }
  measure_length (&self);
  length = measure_length (&self);
  for (guint i = 0; i < n; i++)
    {
      double worked, took = cancel_after (&self, length * (i + 1) / (n + 1), &ignored, &worked);

      worst = MAX (worst, took);
      most = MAX (most, took >= 0 ? worked : 0);
      sum += MAX (took, 0);
      n_cancelled += took >= 0;
    }
  printf ("%-36s %s%7.1f %10u %9.2f %9.2f %9.2f%s\n", row->name, length < G_USEC_PER_SEC ? " " : ">", length * 1e-3,
          n_cancelled, n_cancelled > 0 ? sum / n_cancelled : 0, worst, most,
          worst > 50 ? " !" : "");
  fflush (stdout);
  for (guint i = 0; i < self.n_inputs; i++)
    ghlo_value_unref (self.inputs[i]);
  g_free (self.inputs);
  compiled_program_clear (&program);

  return worst;
}

static gboolean
is_wanted (const char *name,
           char      **names)
{
  return names[0] == NULL || g_strv_contains ((const char *const *) names, name);
}

int
main (int    argc,
      char **argv)
{
  guint n = 20;
  double worst = 0;
  char **names = argv + 1;

  if (argc > 1 && g_str_has_prefix (argv[1], "--cancels="))
    {
      n = (guint) CLAMP (atoi (argv[1] + strlen ("--cancels=")), 1, 10000);
      names++;
    }
  printf ("%-36s %8s %10s %9s %9s %9s\n", "ms", "run", "cancelled", "mean", "worst", "processor");
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (is_wanted (rows[i].name, names))
      {
        double found = bench (&rows[i], n);

        worst = MAX (worst, found);
      }
  printf ("the worst: %.2f ms of 50\n", worst);

  return 0;
}
