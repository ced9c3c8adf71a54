/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whole programs do not allocate when they run again, neither on the caller's thread nor on the workers, if the outputs
 * are given. The programs are those of the tests and, where available, all of the models' with their own inputs.
 * Machine code is compiled before the first run. Allocations by oneDNN itself are reported but not counted.
 */

#include "../count-allocations.h"

#include "../compiled-program.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/debug.h"
#include "runtime/npy.h"

enum { WARM = 2, COUNTED = 3, MAX_TRIES = 4 };

#if defined COUNTS_ALLOCATIONS && defined SYS_mmap
#pragma GCC visibility push(default)
/* Counts the pool's own mappings. */
void *
mmap (void   *address,
      size_t  length,
      int     protection,
      int     flags,
      int     file,
      off_t   offset)
{
  count_allocation (length, __builtin_return_address (0));

  return (void *) syscall (SYS_mmap, address, length, protection, flags, file, offset);
}
#pragma GCC visibility pop
#endif

/* One step of each kind that works on many elements, large enough for the workers. */
static const char mixed[] =
  "func.func @main(%x: tensor<512x512xf32>, %y: tensor<512x512xf32>, %i: tensor<512x1xi32>)\n"
  "    -> (tensor<512x512xf32>, tensor<512xf32>, tensor<512x512xf32>) {\n"
  "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
  "  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
  "  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]\n"
  "    : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>\n"
  "  %1 = stablehlo.tanh %0 : tensor<512x512xf32>\n"
  "  %2 = stablehlo.reduce(%1 init: %low) applies stablehlo.maximum across dimensions = [1]\n"
  "    : (tensor<512x512xf32>, tensor<f32>) -> tensor<512xf32>\n"
  "  %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<512xf32>) -> tensor<512x512xf32>\n"
  "  %4 = stablehlo.subtract %1, %3 : tensor<512x512xf32>\n"
  "  %5 = \"stablehlo.sort\"(%4) ({\n"
  "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
  "    %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
  "    stablehlo.return %p : tensor<i1>\n"
  "  }) {dimension = 1 : i64} : (tensor<512x512xf32>) -> tensor<512x512xf32>\n"
  "  %6 = \"stablehlo.scatter\"(%5, %i, %1) ({\n"
  "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
  "    %s = stablehlo.add %a, %b : tensor<f32>\n"
  "    stablehlo.return %s : tensor<f32>\n"
  "  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],\n"
  "      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}\n"
  "    : (tensor<512x512xf32>, tensor<512x1xi32>, tensor<512x512xf32>) -> tensor<512x512xf32>\n"
  "  return %6, %2, %1 : tensor<512x512xf32>, tensor<512xf32>, tensor<512x512xf32>\n"
  "}\n";

/* Two loops, one of a kernel and one of steps, and a branch. */
static const char control[] =
  "func.func @main(%x: tensor<64x64xf32>, %n: tensor<i32>, %p: tensor<i1>) -> tensor<64x64xf32> {\n"
  "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
  "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
  "  %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<64x64xf32>\n"
  "    cond {\n"
  "      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
  "      stablehlo.return %c : tensor<i1>\n"
  "    } do {\n"
  "      %j = stablehlo.add %i, %one : tensor<i32>\n"
  "      %b = stablehlo.dot_general %a, %x, contracting_dims = [1] x [0]\n"
  "        : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>\n"
  "      %d = stablehlo.tanh %b : tensor<64x64xf32>\n"
  "      stablehlo.return %j, %d : tensor<i32>, tensor<64x64xf32>\n"
  "    }\n"
  "  %1:2 = stablehlo.while(%i = %zero, %k = %n) : tensor<i32>, tensor<i32>\n"
  "    cond {\n"
  "      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
  "      stablehlo.return %c : tensor<i1>\n"
  "    } do {\n"
  "      %j = stablehlo.add %i, %one : tensor<i32>\n"
  "      %l = stablehlo.multiply %k, %j : tensor<i32>\n"
  "      stablehlo.return %j, %l : tensor<i32>, tensor<i32>\n"
  "    }\n"
  "  %2 = stablehlo.convert %1#1 : (tensor<i32>) -> tensor<f32>\n"
  "  %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<64x64xf32>\n"
  "  %4 = \"stablehlo.if\"(%p) ({\n"
  "    %5 = stablehlo.add %0#1, %3 : tensor<64x64xf32>\n"
  "    stablehlo.return %5 : tensor<64x64xf32>\n"
  "  }, {\n"
  "    stablehlo.return %0#1 : tensor<64x64xf32>\n"
  "  }) : (tensor<i1>) -> tensor<64x64xf32>\n"
  "  return %4 : tensor<64x64xf32>\n"
  "}\n";

/* Small numbers; some of the integers are in bounds as indices. */
static GhloValue *
new_input (GhloTensorType *type)
{
  GhloValue *value = ghlo_value_new_tensor (type, NULL);
  const GhloElementInfo *info = ghlo_element_info (type->element_type);

  for (gsize i = 0; i < value->n_elements; i++)
    {
      GhloScalar scalar = { .u = (i * 7 + 3) % 5 };

      if (info->element_class == GHLO_ELEMENT_CLASS_FLOAT)
        scalar.f = (double) ((i * 7 + 3) % 11) / 16;
      ghlo_element_store (type->element_type, value->data + i * info->size, scalar);
    }

  return value;
}

/* Memory of the test's own for each output. */
static void
make_targets (GhloPrepared *prepared,
              GhloValue   **inputs,
              guint         n_inputs,
              GhloValue   **targets)
{
  g_autoptr (GError) error = NULL;

  ghlo_prepared_run (prepared, NULL, inputs, n_inputs, targets, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < ghlo_prepared_get_n_outputs (prepared); i++)
    {
      g_autoptr (GhloValue) output = targets[i];

      targets[i] = ghlo_value_new_uninitialized (output->type, &error);
      g_assert_no_error (error);
    }
}

/* Whether oneDNN allocated: its dnnl_sgemm () allocates memory for packing and accepts none from the caller. */
static gboolean
is_of_library (gconstpointer caller)
{
  Dl_info info;

  return dladdr (caller, &info) != 0 && info.dli_fname != NULL
         && (strstr (info.dli_fname, "libdnnl") != NULL || strstr (info.dli_fname, "libstdc++") != NULL);
}

/* How many of the first @n allocations the library itself made, with a message that says where. */
static guint
count_own (guint n)
{
  guint own = 0;

  for (guint i = 0; i < n; i++)
    {
      Dl_info info = { NULL };

      if (i < G_N_ELEMENTS (allocation_callers) && is_of_library (allocation_callers[i]))
        continue;
      own++;
      if (i < G_N_ELEMENTS (allocation_callers) && dladdr (allocation_callers[i], &info) != 0 && own <= 16)
        g_test_message ("%s+0x%zx, %s", info.dli_fname,
                        (gsize) ((const char *) allocation_callers[i] - (const char *) info.dli_fbase),
                        info.dli_sname != NULL ? info.dli_sname : "?");
    }

  return own;
}

/* The allocations of COUNTED runs, by any thread. */
static guint
count_runs (GhloPrepared *prepared,
            GhloValue   **inputs,
            guint         n_inputs,
            GhloValue   **targets)
{
  g_autofree GhloValue **outputs = g_new0 (GhloValue *, ghlo_prepared_get_n_outputs (prepared) + 1);
  const GhloRunOptions options = { .targets = targets };

  for (guint i = 0; i < WARM + COUNTED; i++)
    {
      if (i == WARM)
        begin_counting_allocations ();
      g_assert_true (ghlo_prepared_run (prepared, &options, inputs, n_inputs, outputs, NULL, NULL));
      ghlo_values_clear (outputs, ghlo_prepared_get_n_outputs (prepared));
    }

  return count_allocations ();
}

/* On a busy machine a thread may first take part in a late run and then allocate what it needs: only the runs after
 * that count. */
static void
check_program (CompiledProgram *program,
               const char      *name,
               GhloValue      **inputs)
{
  GhloPrepared *prepared = program->compilation->prepared;
  guint n_inputs = compiled_program_n_inputs (program), n, own, n_tries = 0;
  g_autofree GhloValue **targets = g_new0 (GhloValue *, ghlo_prepared_get_n_outputs (prepared) + 1);

  make_targets (prepared, inputs, n_inputs, targets);
  do
    {
      n = count_runs (prepared, inputs, n_inputs, targets);
      own = count_own (n);
    }
  while (own > 0 && ++n_tries < MAX_TRIES);
  g_test_message ("%s: %u runs, %u allocations, and %u of oneDNN", name, COUNTED, own, n - own);
  g_assert_cmpuint (own, ==, 0);
  for (guint i = 0; i < ghlo_prepared_get_n_outputs (prepared); i++)
    ghlo_value_unref (targets[i]);
  for (guint i = 0; i < n_inputs; i++)
    ghlo_value_unref (inputs[i]);
}

static gboolean
skips (void)
{
  /* Guarded blocks need additional bookkeeping. */
  if (ghlo_debug_has (GHLO_DEBUG_GUARD))
    g_test_skip ("memory is guarded");

  return ghlo_debug_has (GHLO_DEBUG_GUARD);
}

static void
test_text (gconstpointer data)
{
  const char *text = data;
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  GhloValue *inputs[4];
  CompiledProgram program;

  if (skips ())
    return;
  compiled_program_init (&program, "program", bytes);
  for (guint i = 0; i < compiled_program_n_inputs (&program); i++)
    {
      g_autoptr (GhloTensorType) type = compiled_program_dup_type (&program, i);

      inputs[i] = new_input (type);
    }
  check_program (&program, "program", inputs);
  compiled_program_clear (&program);
}

static GBytes *
read_file (const char *folder,
           const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GError) error = NULL;
  char *data;
  gsize size;

  g_file_get_contents (path, &data, &size, &error);
  g_assert_no_error (error);

  return g_bytes_new_take (data, size);
}

static void
test_model (gconstpointer data)
{
  const char *folder = data;
  g_autoptr (GBytes) text = read_file (folder, "module.mlir");
  g_autofree GhloValue **inputs = NULL;
  CompiledProgram program;

  if (skips ())
    return;
  compiled_program_init (&program, folder, text);
  inputs = g_new0 (GhloValue *, compiled_program_n_inputs (&program) + 1);
  for (guint i = 0; i < compiled_program_n_inputs (&program); i++)
    {
      g_autoptr (GhloTensorType) type = compiled_program_dup_type (&program, i);
      g_autofree char *name = g_strdup_printf ("arg%u.npy", i);
      g_autoptr (GBytes) file = read_file (folder, name);
      g_autoptr (GError) error = NULL;

      inputs[i] = ghlo_npy_read (file, type, &error);
      g_assert_no_error (error);
    }
  check_program (&program, folder, inputs);
  compiled_program_clear (&program);
}

static void
add_models (void)
{
  g_autofree char *models = g_build_filename (GHLO_TEST_DATA, "models", NULL);
  g_autoptr (GDir) folder = g_dir_open (models, 0, NULL);

  for (const char *name; folder != NULL && (name = g_dir_read_name (folder)) != NULL;)
    {
      g_autofree char *path = g_build_filename (models, name, "module.mlir", NULL);
      g_autofree char *test = g_strdup_printf ("/plan/allocations/models/%s", name);

      if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
        g_test_add_data_func_full (test, g_path_get_dirname (path), test_model, g_free);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/plan/allocations/steps", mixed, test_text);
  g_test_add_data_func ("/plan/allocations/control", control, test_text);
  add_models ();

  return g_test_run ();
}
