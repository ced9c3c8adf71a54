/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Deep programs on threads with little stack. Every call gives its answer or an error, whatever the stack: what needs
 * more continues on a thread of the library's. The last size is just above what the library takes for enough
 * (base/stack.h), so that everything stays on the calling thread and shows that this is enough.
 */

#include "api-help.h"

#include <pthread.h>

/* The deepest that the readers accept, less one for what is around (base/sizes.h). */
enum { NESTING = 250, LOCATIONS = 1000, CALLS = 190 };

#if SANITIZED || !defined(__OPTIMIZE__)
static const guint sizes[] = { 512, 4096 + 64 };         /* KiB */
#else
static const guint sizes[] = { 16, 32, 128, 1024 + 64 };
#endif

typedef char *(*Make) (void);

typedef struct
{
  const char *name;
  Make        make;             /* the program, with one input f32 */
  gboolean    may_fail;         /* a device may refuse it, with an error */
} Deep;

static void
repeat (GString    *text,
        const char *part,
        guint       n)
{
  for (guint i = 0; i < n; i++)
    g_string_append (text, part);
}

/* Appends @n regions in each other around @inner, which defines %@name from %x. */
static void
append_regions (GString    *text,
                guint       n,
                const char *name,
                const char *inner)
{
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%%%s%u = \"stablehlo.if\"(%%true) ({\n", name, i);
  g_string_append_printf (text, "%%%s%u = %s\n", name, n, inner);
  for (guint i = n; i > 0; i--)
    g_string_append_printf (text, "stablehlo.return %%%s%u : tensor<f32>\n}, {\nstablehlo.return %%x : tensor<f32>\n})"
                            " : (tensor<i1>) -> tensor<f32>\n", name, i);
}

/* A function of %x, @name, whose innermost region computes @inner. */
static void
append_function (GString    *text,
                 const char *visibility,
                 const char *name,
                 guint       n_regions,
                 const char *inner)
{
  g_string_append_printf (text, "func.func %s @%s(%%x: tensor<f32>) -> tensor<f32> {\n"
                          "%%true = stablehlo.constant dense<true> : tensor<i1>\n", visibility, name);
  append_regions (text, n_regions, "r", inner);
  g_string_append (text, "return %r0 : tensor<f32>\n}\n");
}

static char *
make_regions (void)
{
  GString *text = g_string_new (NULL);

  append_function (text, "public", "main", NESTING, "stablehlo.sine %x : tensor<f32>");

  return g_string_free (text, FALSE);
}

static char *
make_loops (void)
{
  GString *text = g_string_new ("func.func public @main(%x: tensor<f32>) -> tensor<f32> {\n"
                                "%one = stablehlo.constant dense<1.0> : tensor<f32>\n");

  for (guint i = 0; i < NESTING / 2; i++)
    g_string_append_printf (text, "%%l%u = \"stablehlo.while\"(%%one) ({\n^bb0(%%c%u: tensor<f32>):\n"
                            "%%g%u = stablehlo.compare LT, %%c%u, %%x : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
                            "stablehlo.return %%g%u : tensor<i1>\n}, {\n^bb0(%%v%u: tensor<f32>):\n", i, i, i, i, i, i);
  g_string_append_printf (text, "%%l%u = stablehlo.sine %%one : tensor<f32>\n", NESTING / 2);
  for (guint i = NESTING / 2; i > 0; i--)
    g_string_append_printf (text, "%%s%u = stablehlo.add %%l%u, %%one : tensor<f32>\n"
                            "stablehlo.return %%s%u : tensor<f32>\n}) : (tensor<f32>) -> tensor<f32>\n", i, i, i);
  g_string_append (text, "return %l0 : tensor<f32>\n}\n");

  return g_string_free (text, FALSE);
}

static char *
make_calls_of (guint n_calls,
               guint n_regions)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < n_calls; i++)
    {
      g_autofree char *name = g_strdup_printf (i == 0 ? "main" : "f%u", i);
      g_autofree char *call = g_strdup_printf ("func.call @f%u(%%x) : (tensor<f32>) -> tensor<f32>", i + 1);

      append_function (text, i == 0 ? "public" : "private", name, n_regions,
                       i + 1 < n_calls ? call : "stablehlo.sine %x : tensor<f32>");
    }

  return g_string_free (text, FALSE);
}

static char *
make_calls (void)
{
  return make_calls_of (CALLS, 0);
}

static char *
make_regions_in_calls (void)
{
  return make_calls_of (100, NESTING);
}

/* A program with @what around a computation. */
static char *
make_around (const char *before,
             const char *opening,
             const char *inner,
             const char *closing,
             guint       n,
             const char *after)
{
  GString *text = g_string_new (before);

  repeat (text, opening, n);
  g_string_append (text, inner);
  repeat (text, closing, n);
  g_string_append (text, after);

  return g_string_free (text, FALSE);
}

static char *
make_attributes (void)
{
  return make_around ("func.func public @main(%x: tensor<f32>) -> tensor<f32> {\n"
                      "%y = stablehlo.sine %x {deep = ", "[", "{a = 1 : i32}", "]", NESTING - 2,
                      "} : tensor<f32>\nreturn %y : tensor<f32>\n}\n");
}

static char *
make_dictionaries (void)
{
  return make_around ("func.func public @main(%x: tensor<f32>) -> tensor<f32> attributes {deep = ", "{a = ",
                      "tensor<f32>", "}", NESTING - 2, "} {\nreturn %x : tensor<f32>\n}\n");
}

static char *
make_locations (void)
{
  return make_around ("func.func public @main(%x: tensor<f32>) -> tensor<f32> {\n"
                      "%y = stablehlo.sine %x : tensor<f32> loc(", "callsite(\"f\" at ", "\"file\":1:2", ")", LOCATIONS,
                      ")\nreturn %y : tensor<f32>\n}\n");
}

static char *
make_types (void)
{
  g_autofree char *type = make_around ("", "tuple<", "tensor<f32>", ">", NESTING, "");

  return g_strdup_printf ("func.func public @main(%%x: tensor<f32>, %%t: %s) -> (tensor<f32>, %s) {\n"
                          "return %%x, %%t : tensor<f32>, %s\n}\n", type, type, type);
}

/* Makes tuples, so that they are values, and takes them apart. */
static char *
make_tuples (void)
{
  GString *text = g_string_new ("func.func public @main(%x: tensor<f32>) -> ");
  g_autoptr (GPtrArray) types = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i <= NESTING; i++)
    g_ptr_array_add (types, make_around ("", "tuple<", "tensor<f32>", ">", i, ""));
  g_string_append_printf (text, "%s {\n%%t0 = stablehlo.sine %%x : tensor<f32>\n", (char *) types->pdata[NESTING]);
  for (guint i = 0; i < NESTING; i++)
    g_string_append_printf (text, "%%t%u = \"stablehlo.tuple\"(%%t%u) : (%s) -> %s\n", i + 1, i,
                            (char *) types->pdata[i], (char *) types->pdata[i + 1]);
  g_string_append_printf (text, "return %%t%u : %s\n}\n", NESTING, (char *) types->pdata[NESTING]);

  return g_string_free (text, FALSE);
}

/* Not deep, but long: each operation uses the one before. */
static char *
make_chain (void)
{
  GString *text = g_string_new ("func.func public @main(%x: tensor<f32>) -> tensor<f32> {\n"
                                "%v0 = stablehlo.sine %x : tensor<f32>\n");

  for (guint i = 0; i < 2000; i++)
    g_string_append_printf (text, "%%v%u = stablehlo.%s %%v%u, %%x : tensor<f32>\n", i + 1,
                            i % 2 == 0 ? "add" : "multiply", i);
  g_string_append (text, "return %v2000 : tensor<f32>\n}\n");

  return g_string_free (text, FALSE);
}

/* A product, a convolution and a factorization, which libraries compute. */
static char *
make_libraries (void)
{
  return g_strdup ("func.func public @main(%x: tensor<f32>) -> (tensor<64x64xf32>, tensor<1x8x8x4xf32>) {\n"
                   "%m = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<64x64xf32>\n"
                   "%i = stablehlo.iota dim = 0 : tensor<1x8x8x4xf32>\n"
                   "%k = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<3x3x4x4xf32>\n"
                   "%p = stablehlo.dot_general %m, %m, contracting_dims = [1] x [0] : (tensor<64x64xf32>, "
                   "tensor<64x64xf32>) -> tensor<64x64xf32>\n"
                   "%c = stablehlo.convolution(%i, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
                   "window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} "
                   ": (tensor<1x8x8x4xf32>, tensor<3x3x4x4xf32>) -> tensor<1x8x8x4xf32>\n"
                   "%l = stablehlo.cholesky %p, lower = true : tensor<64x64xf32>\n"
                   "return %l, %c : tensor<64x64xf32>, tensor<1x8x8x4xf32>\n}\n");
}

static const Deep programs[] = {
  { "regions", make_regions, FALSE },
  { "loops", make_loops, FALSE },
  { "calls", make_calls, FALSE },
  { "regions-in-calls", make_regions_in_calls, TRUE },
  { "attributes", make_attributes, FALSE },
  { "dictionaries", make_dictionaries, FALSE },
  { "locations", make_locations, FALSE },
  { "types", make_types, TRUE },
  { "tuples", make_tuples, TRUE },
  { "chain", make_chain, FALSE },
  { "libraries", make_libraries, FALSE },
};

/* What a thread does, and the objects that it takes and leaves. */
typedef struct
{
  const Deep     *deep;
  GhloClient     *client;
  GhloDevice     *device;
  GBytes         *text;
  GhloBuffer     *input;
} Task;

static void
check (const Task   *task,
       gconstpointer result,
       GError       *error)
{
  if (result == NULL && !task->deep->may_fail)
    g_assert_no_error (error);
  g_assert_true ((result == NULL) == (error != NULL));
  g_clear_error (&error);
}

/* Writes @program in both forms and reads it again. */
static void
write_and_read (const Task  *task,
                GhloProgram *program)
{
  g_autofree char *text = NULL;
  g_autoptr (GBytes) artifact = NULL;
  g_autoptr (GhloProgram) again = NULL;
  GError *error = NULL;

  text = ghlo_program_to_text (program, GHLO_TEXT_FLAGS_NONE, NULL, &error);
  check (task, text, error);
  error = NULL;
  artifact = ghlo_program_serialize (program, NULL, NULL, &error);
  check (task, artifact, error);
  error = NULL;
  if (artifact != NULL)
    {
      again = ghlo_program_parse (artifact, NULL, NULL, &error);
      check (task, again, error);
    }
}

static void
look_at (GhloExecutable *executable)
{
  static const GhloDumpStage stages[] = { GHLO_DUMP_STAGE_PASSES, GHLO_DUMP_STAGE_PLAN };
  GhloValueInfo **infos = ghlo_executable_list_outputs (executable);
  g_autofree char *first = ghlo_value_info_to_string (infos[0]);
  g_autoptr (GhloPlan) plan = ghlo_executable_get_plan (executable);
  GhloCost *cost = ghlo_executable_get_cost (executable);

  g_test_message ("%s, %s", first, plan != NULL ? "planned" : "not planned");
  ghlo_cost_unref (cost);
  for (guint i = 0; infos[i] != NULL; i++)
    ghlo_value_info_unref (infos[i]);
  g_free (infos);
  for (guint i = 0; i < G_N_ELEMENTS (stages); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *dump = ghlo_executable_dump (executable, stages[i], GHLO_TEXT_FLAGS_NONE, NULL, &error);

      /* The reference device has no plans. */
      g_assert_true ((dump == NULL) == (error != NULL));
    }
}

static void
run (const Task     *task,
     GhloExecutable *executable)
{
  GhloValueInfo **infos = ghlo_executable_list_inputs (executable);
  g_autoptr (GhloResult) result = NULL;
  GError *error = NULL;

  if (infos[1] == NULL)
    {
      result = ghlo_executable_execute (executable, &task->input, 1, NULL, &error);
      check (task, result, error);
    }
  for (guint i = 0; infos[i] != NULL; i++)
    ghlo_value_info_unref (infos[i]);
  g_free (infos);
}

static void *
work (void *data)
{
  const Task *task = data;
  g_autoptr (GhloProgram) program = NULL;
  g_autoptr (GhloExecutable) executable = NULL;
  g_autoptr (GhloCompileOptions) options = NULL;
  g_autoptr (GListModel) problems = NULL;
  GError *error = NULL;

  problems = ghlo_program_check (task->text, NULL, NULL, &error);
  g_assert_no_error (error);
  program = ghlo_program_parse (task->text, NULL, NULL, &error);
  g_assert_no_error (error);
  write_and_read (task, program);
  options = ghlo_compile_options_new ();
  ghlo_compile_options_set_device (options, task->device);
  executable = ghlo_client_compile (task->client, program, options, NULL, NULL, &error);
  check (task, executable, error);
  if (executable == NULL)
    return NULL;
  look_at (executable);
  run (task, executable);

  return NULL;
}

static void
run_with_stack (Task *task,
                guint kibibytes)
{
  pthread_attr_t attributes;
  pthread_t thread;

  g_test_message ("%s: %u KiB on %s", task->deep->name, kibibytes, ghlo_device_get_name (task->device));
  g_assert_cmpint (pthread_attr_init (&attributes), ==, 0);
  g_assert_cmpint (pthread_attr_setstacksize (&attributes, kibibytes * 1024), ==, 0);
  g_assert_cmpint (pthread_create (&thread, &attributes, work, task), ==, 0);
  g_assert_cmpint (pthread_join (thread, NULL), ==, 0);
  pthread_attr_destroy (&attributes);
}

static void
test_program (gconstpointer data)
{
  const Deep *deep = data;
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autofree char *text = deep->make ();
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (GhloBuffer) input = help_buffer ("tensor<f32>", &(float) { 0.5f }, sizeof (float));
  g_autoptr (GError) error = NULL;
  g_autoptr (GListModel) devices = ghlo_client_list_devices (client, NULL, &error);

  g_assert_no_error (error);
  for (guint k = 0; k < g_list_model_get_n_items (devices); k++)
    {
      g_autoptr (GhloDevice) device = g_list_model_get_item (devices, k);
      Task task = { deep, client, device, bytes, input };

      for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
        run_with_stack (&task, sizes[i]);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  /* Every compile goes through everything. */
  g_setenv ("GHLO_CACHE", "off", TRUE);

  for (guint i = 0; i < G_N_ELEMENTS (programs); i++)
    {
      g_autofree char *path = g_strconcat ("/stacks/", programs[i].name, NULL);

      g_test_add_data_func (path, &programs[i], test_program);
    }

  return g_test_run ();
}
