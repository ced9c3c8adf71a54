/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The performance of a device through the public API: the time of a small program and of loops from execute () until
 * the bytes can be read, the speed of reads and writes of memory beside a copy by the driver, and matrix products.
 *
 *   bench-vulkan [DEVICE]      "vulkan" by itself; --quick for sizes that a software device can do, --latency for
 *                              latencies alone
 */

#include <ghlo/ghlo.h>

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 2000, QUICK_RUNS = 50, IN_FLIGHT = 16, STREAM = 128 };

/* Warm-up in µs: an idle device takes tenths of a second to raise its clocks. */
#define WARM_UP       300e3
#define QUICK_WARM_UP 20e3

static GhloClient *client;
static GhloCompileOptions *options;
static gboolean is_quick, is_latency;

/* Prints the error and exits, if there is one. */
static void
check (GError *error)
{
  if (error == NULL)
    return;
  g_printerr ("bench-vulkan: %s\n", error->message);
  exit (1);
}

static GhloExecutable *
compile (const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloProgram) program = ghlo_program_parse (bytes, NULL, NULL, &error);
  GhloExecutable *executable;

  check (error);
  executable = ghlo_client_compile (client, program, options, NULL, NULL, &error);
  check (error);

  return executable;
}

/* Makes zeros for each input, on the device where @on_device. */
static GPtrArray *
make_inputs (GhloExecutable *executable,
             gboolean        on_device)
{
  GPtrArray *inputs = g_ptr_array_new_with_free_func (g_object_unref);
  g_autofree GhloValueInfo **infos = ghlo_executable_list_inputs (executable);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; infos[i] != NULL; i++)
    {
      GhloBuffer *buffer = ghlo_buffer_new_zeros (ghlo_value_info_get_tensor_type (infos[i]), &error);

      check (error);
      if (on_device)
        {
          g_autoptr (GhloBuffer) on_host = buffer;

          buffer = ghlo_buffer_copy_to_device (on_host, ghlo_executable_get_device (executable), NULL, &error);
          check (error);
        }
      g_ptr_array_add (inputs, buffer);
      ghlo_value_info_unref (infos[i]);
    }

  return inputs;
}

static int
compare (gconstpointer a,
         gconstpointer b)
{
  const double *x = a, *y = b;

  return *x < *y ? -1 : *x > *y;
}

/* Returns µs, from a clock of nanoseconds. */
static double
now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);

  return (double) time.tv_sec * 1e6 + (double) time.tv_nsec / 1e3;
}

/* Measures runs with an upload from host memory before and a download after. */
static void
measure_latency (const char *name,
                 const char *text)
{
  g_autoptr (GhloExecutable) executable = compile (text);
  g_autoptr (GPtrArray) inputs = make_inputs (executable, FALSE);
  g_autoptr (GError) error = NULL;
  const guint n = is_quick ? QUICK_RUNS : RUNS;
  const double begin = now () + (is_quick ? QUICK_WARM_UP : WARM_UP);
  double times[RUNS];

  for (guint i = 0; i < n;)
    {
      const double start = now ();
      g_autoptr (GhloResult) result = ghlo_executable_execute (executable, (GhloBuffer *const *) inputs->pdata,
                                                               inputs->len, NULL, &error);
      g_autoptr (GBytes) bytes = NULL;

      check (error);
      bytes = ghlo_buffer_read (ghlo_result_get_output (result, 0), NULL, &error);
      check (error);
      if (start >= begin)
        times[i++] = now () - start;
    }
  qsort (times, n, sizeof *times, compare);
  g_print ("%-40s median %.1f µs, p99 %.1f µs\n", name, times[n / 2], times[n * 99 / 100]);
}

/* A sequence of runs with a constant number in flight: each run that ends starts another. */
typedef struct
{
  GhloExecutable *executable;
  GPtrArray      *inputs;
  guint           n_left, n_running;
} Stream;

static void begin_run (Stream *stream);

static void
on_executed (GObject      *source,
             GAsyncResult *result,
             gpointer      data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloResult) outputs = ghlo_executable_execute_finish (GHLO_EXECUTABLE (source), result, &error);
  Stream *stream = data;

  check (error);
  g_assert (outputs != NULL);
  stream->n_running--;
  if (stream->n_left > 0)
    begin_run (stream);
}

static void
begin_run (Stream *stream)
{
  stream->n_left--;
  stream->n_running++;
  ghlo_executable_execute_async (stream->executable, (GhloBuffer *const *) stream->inputs->pdata, stream->inputs->len,
                                 NULL, on_executed, stream);
}

/* Returns the seconds of one run in a long sequence on the device: the least of several rounds. */
static double
measure_rate (const char *text)
{
  g_autoptr (GhloExecutable) executable = compile (text);
  g_autoptr (GPtrArray) inputs = make_inputs (executable, TRUE);
  const guint n_runs = is_quick ? IN_FLIGHT : STREAM;
  double least = G_MAXDOUBLE;
  gint64 end = g_get_monotonic_time () + (is_quick ? 0 : 500 * G_TIME_SPAN_MILLISECOND);

  /* An idle device takes a while to reach its full speed. */
  for (guint round = 0; round < 3 || g_get_monotonic_time () < end; round++)
    {
      g_autoptr (GTimer) timer = g_timer_new ();
      Stream stream = { executable, inputs, n_runs, 0 };

      for (guint i = 0; i < IN_FLIGHT; i++)
        begin_run (&stream);
      while (stream.n_running > 0)
        g_main_context_iteration (NULL, TRUE);
      least = MIN (least, g_timer_elapsed (timer, NULL) / n_runs);
    }

  return least;
}

static double
measure_bytes (const char *name,
               double      bytes,
               double      copy,
               const char *text)
{
  double rate = bytes / measure_rate (text) / 1e9;

  g_print ("%-40s %.0f GB/s", name, rate);
  if (copy > 0)
    g_print (", %.2f of a copy", rate / copy);
  g_print ("\n");

  return rate;
}

static void
measure_memory (void)
{
  const gint64 rows = is_quick ? 256 : 8192, columns = 8192;
  const double size = (double) rows * columns * 4;
  g_autofree char *type = g_strdup_printf ("tensor<%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT "xf32>", rows, columns);
  g_autofree char *copies = g_strdup_printf (
    "func.func @main(%%x: %s) -> %s {\n  return %%x : %s\n}\n", type, type, type);
  g_autofree char *negates = g_strdup_printf (
    "func.func @main(%%x: %s) -> %s {\n  %%0 = stablehlo.negate %%x : %s\n  return %%0 : %s\n}\n", type, type, type,
    type);
  g_autofree char *adds = g_strdup_printf (
    "func.func @main(%%x: %s, %%y: %s) -> %s {\n  %%0 = stablehlo.add %%x, %%y : %s\n  return %%0 : %s\n}\n", type,
    type, type, type, type);
  double copy = measure_bytes ("copy by the driver, 256 MB", 2 * size, 0, copies);

  measure_bytes ("negate, 256 MB", 2 * size, copy, negates);
  measure_bytes ("add, 3 × 256 MB", 3 * size, copy, adds);
  for (guint i = 0; i < 3; i++)
    {
      static const char *const names[] = { "sums of rows, 256 MB", "sums of columns, 256 MB", "sum, 256 MB" };
      static const char *const dimensions[] = { "1", "0", "0, 1" };
      g_autofree char *result = i == 2 ? g_strdup ("tensor<f32>")
                                       : g_strdup_printf ("tensor<%" G_GINT64_FORMAT "xf32>", i == 0 ? rows : columns);
      g_autofree char *sums = g_strdup_printf (
        "func.func @main(%%x: %s) -> %s {\n  %%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
        "  %%0 = stablehlo.reduce(%%x init: %%z) applies stablehlo.add across dimensions = [%s] : (%s, tensor<f32>) "
        "-> %s\n"
        "  return %%0 : %s\n}\n", type, result, dimensions[i], type, result, result);

      measure_bytes (names[i], size, copy, sums);
    }
}

static void
measure_products (void)
{
  static const struct
  {
    const char *lhs, *result, *precision;
    guint       n;
    gboolean    is_transposed;          /* rhs is transposed: both operands are contiguous along k */
  } cases[] = {
    { "bf16", "f32", "DEFAULT", 4096 }, { "bf16", "f32", "DEFAULT", 2048 }, { "bf16", "f32", "DEFAULT", 8192 },
    { "bf16", "f32", "DEFAULT", 4096, TRUE }, { "f16", "f32", "DEFAULT", 4096 },
    { "f32", "f32", "DEFAULT", 4096 }, { "f32", "f32", "HIGH", 4096 }, { "f32", "f32", "HIGHEST", 4096 },
    { "f32", "f32", "DEFAULT", 2048 }, { "f32", "f32", "HIGHEST", 2048 }, { "f32", "f32", "HIGHEST", 4095 },
    { "i8", "i32", "DEFAULT", 4096 }, { "i8", "i32", "DEFAULT", 4096, TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      guint n = is_quick ? cases[i].n / 16 : cases[i].n;
      g_autofree char *lhs = g_strdup_printf ("tensor<%ux%ux%s>", n, n, cases[i].lhs);
      g_autofree char *result = g_strdup_printf ("tensor<%ux%ux%s>", n, n, cases[i].result);
      g_autofree char *text = g_strdup_printf (
        "func.func @main(%%x: %s, %%y: %s) -> %s {\n"
        "  %%0 = stablehlo.dot_general %%x, %%y, contracting_dims = [1] x [%u], precision = [%s, %s] : (%s, %s) "
        "-> %s\n"
        "  return %%0 : %s\n}\n", lhs, lhs, result, cases[i].is_transposed ? 1 : 0, cases[i].precision,
        cases[i].precision, lhs, lhs, result, result);
      double seconds = measure_rate (text);

      g_print ("product %u³, %s → %s, %-10s%-14s %.1f TFLOP/s\n", n, cases[i].lhs, cases[i].result, cases[i].precision,
               cases[i].is_transposed ? "k adjacent" : "", 2.0 * n * n * n / seconds / 1e12);
    }
}

static const char small[] =
  "func.func @main(%x: tensor<256xf32>) -> tensor<256xf32> {\n"
  "  %0 = stablehlo.add %x, %x : tensor<256xf32>\n"
  "  return %0 : tensor<256xf32>\n"
  "}\n";

static const char large[] =
  "func.func @main(%x: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {\n"
  "  %0 = stablehlo.negate %x : tensor<4096x4096xf32>\n"
  "  return %0 : tensor<4096x4096xf32>\n"
  "}\n";

/* A loop of 100 iterations over @n numbers; @condition and @step write "N" for @n. @condition may use %i and %v. */
static void
measure_loop (const char *name,
              guint       n,
              const char *condition,
              const char *step)
{
  g_autofree char *title = g_strdup_printf ("%s, %u numbers", name, n), *type = g_strdup_printf ("tensor<%u", n);
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_printf (
    text,
    "func.func @main(%%x: tensor<Nxf32>) -> tensor<Nxf32> {\n"
    "  %%zero = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %%r:2 = stablehlo.while(%%i = %%zero, %%v = %%x) : tensor<i32>, tensor<Nxf32>\n"
    "  cond {\n"
    "    %%n = stablehlo.constant dense<100> : tensor<i32>\n"
    "%s"
    "    stablehlo.return %%c : tensor<i1>\n"
    "  } do {\n"
    "    %%one = stablehlo.constant dense<1> : tensor<i32>\n"
    "    %%next = stablehlo.add %%i, %%one : tensor<i32>\n"
    "%s"
    "    stablehlo.return %%next, %%w : tensor<i32>, tensor<Nxf32>\n"
    "  }\n"
    "  return %%r#1 : tensor<Nxf32>\n"
    "}\n", condition, step);
  g_string_replace (text, "tensor<N", type, 0);
  measure_latency (title, text->str);
}

static void
measure_loops (void)
{
  static const char counted[] = "    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n";
  static const char of_data[] =
    "    %m = stablehlo.constant dense<99.5> : tensor<f32>\n"
    "    %s = stablehlo.slice %v [0:1] : (tensor<Nxf32>) -> tensor<1xf32>\n"
    "    %t = stablehlo.reshape %s : (tensor<1xf32>) -> tensor<f32>\n"
    "    %c = stablehlo.compare LT, %t, %m : (tensor<f32>, tensor<f32>) -> tensor<i1>\n";
  static const char in_place[] =
    "    %o = stablehlo.constant dense<1.0> : tensor<Nxf32>\n"
    "    %w = stablehlo.add %v, %o : tensor<Nxf32>\n";
  static const char moved[] =
    "    %o = stablehlo.constant dense<1.0> : tensor<Nxf32>\n"
    "    %s0 = stablehlo.reverse %v, dims = [0] : tensor<Nxf32>\n"
    "    %w = stablehlo.add %s0, %o : tensor<Nxf32>\n";
  static const guint sizes[] = { 256, 16384 };

  measure_loop ("while in one workgroup", 256, counted, in_place);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    measure_loop ("while of dispatches", sizes[i], counted, moved);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    measure_loop ("while that data ends", sizes[i], of_data, moved);
}

int
main (int    argc,
      char **argv)
{
  const GOptionEntry entries[] = {
    { "quick", 'q', 0, G_OPTION_ARG_NONE, &is_quick, "Sizes that a software device can do", NULL },
    { "latency", 'l', 0, G_OPTION_ARG_NONE, &is_latency, "Latencies alone", NULL },
    G_OPTION_ENTRY_NULL
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("[DEVICE]");
  g_autoptr (GError) error = NULL;
  const char *name;

  setlocale (LC_ALL, "");
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_parse (context, &argc, &argv, &error);
  check (error);
  name = argc > 1 ? argv[1] : "vulkan";
  client = ghlo_client_new ();
  options = ghlo_compile_options_new ();
  g_setenv ("GHLO_DEVICE", name, TRUE);
  measure_latency ("1 KiB in and out", small);
  measure_latency ("64 MB in and out", large);
  measure_loops ();
  if (is_latency)
    return 0;
  measure_memory ();
  measure_products ();

  return 0;
}
