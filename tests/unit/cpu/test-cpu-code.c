/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Machine code of kernels compared bit by bit with the interpreter: random kernels, with each choice of lanes, several
 * vector widths, and parallel points split anywhere, for every kind of processor that this one can act as, and for
 * aarch64 where an emulator is installed.
 *
 *   GHLO_TEST_KERNEL=SEED test-cpu-code      that kernel, whose text is printed when it fails
 *   GHLO_TEST_LISTING=1 …                    with its code
 *   GHLO_TEST_COUNT=N test-cpu-code          as many kernels
 */

#include "base/ghlo-error.h"
#include "cpu/isa/level.h"
#include "cpu/jit/blob.h"
#include "cpu/jit/call.h"
#include "cpu/jit/map.h"
#include "kernel/expand.h"
#include "kernel/text.h"

#include "guarded-memory.h"

#include "../kernel/random-kernel.h"
#include "../kernel/read-kernel.h"
#include "../samples.h"
#include "../sanitized.h"

#include <glib/gstdio.h>
#include <gmodule.h>
#include <locale.h>
#include <string.h>

static const GhloEmitter *emitter;

/* The targets of machine code, the most basic first. */
static const struct
{
  GhloCpuLevel   level;
  GhloCodeTarget target;
} targets[] = {
#if defined (__x86_64__)
  { GHLO_CPU_LEVEL_BASELINE, { "x86_64-unknown-linux-gnu", "x86-64", "", 16, 0, FALSE, FALSE } },
  { GHLO_CPU_LEVEL_AVX2, { "x86_64-unknown-linux-gnu", "x86-64-v2", "", 16, 0, FALSE, TRUE } },
  { GHLO_CPU_LEVEL_AVX2, { "x86_64-unknown-linux-gnu", "x86-64-v3", "", 32, 4, TRUE, TRUE } },
  { GHLO_CPU_LEVEL_AVX512, { "x86_64-unknown-linux-gnu", "x86-64-v4", "", 64, 1, TRUE, TRUE, FALSE, TRUE } },
#elif defined (__aarch64__)
  { GHLO_CPU_LEVEL_BASELINE, { "aarch64-unknown-linux-gnu", "generic", "", 16, 0, TRUE, TRUE, FALSE, FALSE, TRUE } },
#endif
};

/* Reports a failing kernel. */
static void
list (const GhloKernel         *kernel,
      const GhloKernelSchedule *schedule,
      const GhloCodeTarget     *target)
{
  g_autofree char *text = ghlo_kernel_print (kernel), *listing = NULL;
  g_autoptr (GBytes) object = NULL;

  object = emitter->compile (kernel, schedule, target, &listing, NULL);
  g_printerr ("%s\n%s\n", text, object != NULL && g_getenv ("GHLO_TEST_LISTING") != NULL ? listing : "");
}

/* Runs all parallel points of @kernel in pieces of up to @piece. FALSE where the emitter declines the kernel. */
static gboolean
run_code (const GhloKernel         *kernel,
          const GhloKernelSchedule *schedule,
          const GhloCodeTarget     *target,
          const gint64             *extents,
          const GhloKernelMemory   *memory,
          gint64                    piece)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) object = emitter->compile (kernel, schedule, target, NULL, &error), blob = NULL;
  g_autoptr (GhloCodeMap) map = NULL;
  guint8 *temporaries[GHLO_KERNEL_MAX_TEMPORARIES];
  gpointer buffers[GHLO_KERNEL_MAX_BUFFERS], scratch;
  GuardedMemory guarded[GHLO_KERNEL_MAX_BUFFERS];
  gsize size = ghlo_code_scratch (kernel, schedule, extents);
  GhloCodeCall call;
  gint64 n = 1;

  if (g_error_matches (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED))
    return FALSE;
  g_assert_no_error (error);
  blob = ghlo_code_flatten (object, &error);
  if (error != NULL)
    list (kernel, schedule, target);
  g_assert_no_error (error);
  map = ghlo_code_map_new (blob, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (size, <, (gsize) 1 << 32);
  scratch = g_aligned_alloc (1, size, 64);
  memset (scratch, 0xa5, size);
  for (guint i = 0; i < kernel->n_buffers; i++)
    {
      guarded[i] = guarded_memory_new (&memory[i], piece % 2 == 0);
      buffers[i] = guarded[i].data;
    }
  for (guint i = 0; i < kernel->n_parallel; i++)
    n *= extents[i];
  ghlo_code_call_init (&call, temporaries, kernel, schedule, extents, buffers, scratch);
  for (gint64 i = 0; i < n; i += piece)
    g_assert_true (((GhloCodeFunc) ghlo_code_map_get_entry (map)) (&call, i, MIN (n, i + piece)));
  for (guint i = 0; i < kernel->n_buffers; i++)
    guarded_memory_free (&guarded[i], &memory[i]);
  g_aligned_free (scratch);

  return TRUE;
}

static GhloKernelSchedule
draw_schedule (GRand            *rand,
               const GhloKernel *kernel,
               guint             number)
{
  GhloKernelSchedule schedule = { .lanes = GHLO_KERNEL_NONE, .width = (guint16) (1 << g_rand_int_range (rand, 0, 7)) };

  if (number % 2 == 0 && kernel->n_parallel > 0)
    schedule.lanes = (guint16) g_rand_int_range (rand, 0, kernel->n_parallel);
  if (!ghlo_kernel_schedule_allows (kernel, schedule.lanes))
    schedule.lanes = GHLO_KERNEL_NONE;

  if (ghlo_kernel_schedule_allows_columns (kernel, schedule.lanes) && g_rand_int_range (rand, 0, 4) > 0)
    schedule.columns = (guint16) (schedule.width << g_rand_int_range (rand, 0, 4));
  schedule.cuts = (guint8) (g_rand_int (rand) | g_rand_int (rand));
  schedule.prefetches = g_rand_boolean (rand);

  return schedule;
}

static guint
compare (const GhloKernel *kernel,
         guint64           seed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed ((guint32) seed);
  GhloKernelMemory *from = random_memory_new (kernel, seed), *expected = random_memory_copy (kernel, from);
  gint64 extents[GHLO_KERNEL_MAX_AXES];
  g_autoptr (GError) error = NULL;
  guint n = 0;

  random_kernel_extents (kernel, seed, extents);
  ghlo_kernel_interpret (kernel, extents, expected, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (targets); i++)
    {
      GhloKernelSchedule schedule = draw_schedule (rand, kernel, i + (guint) seed);
      GhloKernelMemory *found = random_memory_copy (kernel, from);
      gint64 piece = g_rand_boolean (rand) ? G_MAXINT64 / 2 : g_rand_int_range (rand, 1, 40);
      g_autofree char *difference = NULL;

      if (targets[i].level <= ghlo_cpu_level ()
          && run_code (kernel, &schedule, &targets[i].target, extents, found, piece))
        {
          n++;
          difference = random_memory_compare (kernel, expected, found);
        }
      if (difference != NULL)
        {
          list (kernel, &schedule, &targets[i].target);
          g_error ("kernel %" G_GUINT64_FORMAT ", for %s, lanes %d, width %u, columns %u, pieces of %" G_GINT64_FORMAT
                   ": %s", seed, targets[i].target.cpu, (gint16) schedule.lanes, schedule.width, schedule.columns,
                   piece, difference);
        }
      random_memory_free (kernel, found);
    }
  random_memory_free (kernel, from);
  random_memory_free (kernel, expected);

  return n;
}

static GhloKernel *
draw_kernel (guint64 seed)
{
  static const RandomKernelFlags flags[] = { RANDOM_KERNEL_FUNCTIONS, RANDOM_KERNEL_COLUMNS, 0 };

  return random_kernel (seed, flags[seed % G_N_ELEMENTS (flags)]);
}

static guint
compare_random (guint64 seed)
{
  g_autofree GhloKernel *kernel = draw_kernel (seed);

  return compare (kernel, seed);
}

static guint
count_kernels (void)
{
  const char *count = g_getenv ("GHLO_TEST_COUNT");

  return count != NULL ? (guint) g_ascii_strtoull (count, NULL, 0) : SANITIZED ? 50 : choose_samples (100, 300);
}

/* The number of targets that this processor can run. */
static guint
count_targets (void)
{
  guint n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (targets); i++)
    n += targets[i].level <= ghlo_cpu_level ();

  return n;
}

/* A few kernels are not compiled for a target. */
static void
test_random (void)
{
  const char *seed = g_getenv ("GHLO_TEST_KERNEL");
  const guint n_kernels = count_kernels ();
  guint n = 0;

  if (seed != NULL)
    {
      compare_random (g_ascii_strtoull (seed, NULL, 0));
      return;
    }
  for (guint i = 0; i < n_kernels; i++)
    n += compare_random (i);
  g_test_message ("%u runs of %u kernels", n, n_kernels);
  g_assert_cmpuint (10 * n, >=, 9 * n_kernels * count_targets ());
}

static void
test_files (void)
{
  g_autoptr (GPtrArray) names = list_kernels ();
  guint n = 0;

  for (guint i = 0; i < names->len; i++)
    {
      g_autofree GhloKernel *kernel = read_kernel (names->pdata[i]), *expanded = NULL;
      g_autoptr (GError) error = NULL;

      expanded = ghlo_kernel_expand (kernel, &error);
      if (expanded != NULL)
        n += compare (kernel, n) + compare (kernel, n + 1) > 0;
    }
  g_assert_cmpuint (n, >, 10);
}

/* A buffer of floats around which roundings and extremes have to decide something: all combinations of signs, exponents
 * and mantissas. */
static void
fill_special (GhloKernelMemory *memory)
{
  static const guint32 exponents[] = { 0, 1, 127, 130, 254, 255 };
  static const guint32 mantissas[] = { 0, 1, 0x7fff, 0x8000, 0x8001, 0x17fff, 0x18000, 0x3fffff, 0x400000, 0x7fffff };
  const guint n = G_N_ELEMENTS (exponents) * G_N_ELEMENTS (mantissas);
  guint32 *to = memory->data;

  for (guint i = 0; i < memory->size / sizeof *to; i++)
    to[i] = (i / n % 2) << 31 | exponents[i % n / G_N_ELEMENTS (mantissas)] << 23
            | mantissas[i % G_N_ELEMENTS (mantissas)];
}

/* Results are f32, so that a NaN is as good as another: to_bf16 () of what may be a NaN as it was loaded, of what
 * arithmetic made, and of what is bounded by a constant from either side. */
static void
test_narrowing (void)
{
  static const char text[] =
    "kernel narrowing {\n  parallel i 120\n  buffer x 480\n  buffer y 480 written\n  buffer z 480 written\n"
    "  buffer v 480 written\n  buffer w 480 written\n  access @0 f32 x [i * 4]\n  access @1 f32 y [i * 4]\n"
    "  access @2 f32 z [i * 4]\n  access @3 f32 v [i * 4]\n  access @4 f32 w [i * 4]\n  points {\n"
    "    %%0 = load f32 @0\n    %%1 = constant f32 %s\n    %%2 = constant ui32 16\n    %%3 = multiply f32 %%0 %%1\n"
    "    %%4 = multiply f32 %%0 %%0\n    %%5 = maximum f32 %%0 %%1\n    %%6 = minimum f32 %%1 %%4\n"
    "    %%7 = to_bf16 ui16 %%0\n    %%8 = to_bf16 ui16 %%3\n    %%9 = to_bf16 ui16 %%5\n"
    "    %%10 = to_bf16 ui16 %%6\n    %%11 = convert ui32 %%7\n    %%12 = convert ui32 %%8\n"
    "    %%13 = convert ui32 %%9\n    %%14 = convert ui32 %%10\n    %%15 = shift_left ui32 %%11 %%2\n"
    "    %%16 = shift_left ui32 %%12 %%2\n    %%17 = shift_left ui32 %%13 %%2\n"
    "    %%18 = shift_left ui32 %%14 %%2\n    %%19 = bitcast f32 %%15\n    %%20 = bitcast f32 %%16\n"
    "    %%21 = bitcast f32 %%17\n    %%22 = bitcast f32 %%18\n    store %%19 to @1\n    store %%20 to @2\n"
    "    store %%21 to @3\n    store %%22 to @4\n  }\n}\n";
  static const char *constants[] = { "0.0", "-0.0", "1.0", "6.0", "-inf", "0x7fc00000" };

  for (guint i = 0; i < G_N_ELEMENTS (constants) * G_N_ELEMENTS (targets); i++)
    {
      const GhloKernelSchedule schedule = { .lanes = 0, .width = (guint16) (8u << i % 3) };
      g_autofree char *program = g_strdup_printf (text, constants[i / G_N_ELEMENTS (targets)]), *difference = NULL;
      GhloCodeTarget target = targets[i % G_N_ELEMENTS (targets)].target;
      g_autoptr (GError) error = NULL;
      g_autofree GhloKernel *kernel = ghlo_kernel_parse (program, strlen (program), &error);
      GhloKernelMemory *expected, *found;
      const gint64 extents[] = { 120 };

      g_assert_no_error (error);
      if (targets[i % G_N_ELEMENTS (targets)].level > ghlo_cpu_level ())
        continue;
      target.has_half = TRUE;
      expected = random_memory_new (kernel, 1);
      fill_special (&expected[0]);
      found = random_memory_copy (kernel, expected);
      ghlo_kernel_interpret (kernel, extents, expected, NULL, &error);
      g_assert_no_error (error);
      g_assert_true (run_code (kernel, &schedule, &target, extents, found, G_MAXINT64 / 2));
      difference = random_memory_compare (kernel, expected, found);
      if (difference != NULL)
        {
          list (kernel, &schedule, &target);
          g_error ("%s, for %s, width %u: %s", constants[i / G_N_ELEMENTS (targets)], target.cpu, schedule.width,
                   difference);
        }
      random_memory_free (kernel, expected);
      random_memory_free (kernel, found);
    }
}

/* Values that are all used after the last one is computed, so that registers spill to the frame. */
static void
test_frame (void)
{
  enum { N = 1900 };
  static const GhloCodeTarget wide = { "x86_64-unknown-linux-gnu", "x86-64-v4", "", 64, 1, TRUE, TRUE },
                              narrow = { "x86_64-unknown-linux-gnu", "x86-64", "", 16, 0, FALSE, FALSE };
  const GhloKernelSchedule by_4 = { .lanes = 0, .width = 4 }, by_16 = { .lanes = 0, .width = 16 };
  g_autoptr (GString) text = g_string_new ("kernel powers {\n  parallel i 4096\n  buffer x 16384\n"
                                           "  buffer y 16384 written\n  access @0 f32 x [i * 4]\n"
                                           "  access @1 f32 y [i * 4]\n  points {\n    %0 = load f32 @0\n");
  g_autofree GhloKernel *kernel = NULL;
  g_autoptr (GBytes) object = NULL, none = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 1; i < N; i++)
    g_string_append_printf (text, "    %%%u = multiply f32 %%%u %%0\n", i, i - 1);
  for (guint i = N; i < 2 * N - 1; i++)
    g_string_append_printf (text, "    %%%u = subtract f32 %%%u %%%u\n", i, i - 1, i - N);
  g_string_append_printf (text, "    store %%%u to @1\n  }\n}\n", 2 * N - 2);
  kernel = ghlo_kernel_parse (text->str, text->len, &error);
  g_assert_no_error (error);

  object = emitter->compile (kernel, &by_4, &narrow, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (object);
  none = emitter->compile (kernel, &by_16, &wide, NULL, &error);
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "stack frame"));
  g_assert_null (none);
}

/* The input of the emulated program, and the expected output. */
typedef struct
{
  GByteArray *in, *out;
  GArray     *ends;             /* gsize: the end offset in @out of each kernel's buffers */
  GArray     *seeds;            /* guint64 */
} Emulated;

static void
add_word (Emulated *self,
          guint64   word)
{
  g_byte_array_append (self->in, (const guint8 *) &word, sizeof word);
}

static void
add_memory (GByteArray             *bytes,
            const GhloKernel       *kernel,
            const GhloKernelMemory *memory)
{
  for (guint i = 0; i < kernel->n_buffers; i++)
    g_byte_array_append (bytes, memory[i].data, (guint) memory[i].size);
}

/* Appends the Record of run-kernels.c, and the data that follow it. */
static void
add_record (Emulated                 *self,
            const GhloKernel         *kernel,
            const GhloKernelSchedule *schedule,
            const gint64             *extents,
            const GhloKernelMemory   *memory,
            GBytes                   *blob)
{
  guint8 *temporaries[GHLO_KERNEL_MAX_TEMPORARIES], *base = (guint8 *) (gsize) 4096;
  GhloCodeCall call;
  guint64 n = 1;

  for (guint i = 0; i < kernel->n_parallel; i++)
    n *= (guint64) extents[i];
  ghlo_code_call_init (&call, temporaries, kernel, schedule, extents, NULL, base);
  add_word (self, g_bytes_get_size (blob));
  add_word (self, kernel->n_axes);
  add_word (self, kernel->n_temporaries);
  add_word (self, kernel->n_buffers);
  add_word (self, ghlo_code_scratch (kernel, schedule, extents));
  add_word (self, n);
  add_word (self, MAX (n / 2 + 1, 1));
  for (guint i = 0; i < kernel->n_axes; i++)
    add_word (self, (guint64) extents[i]);
  for (guint i = 0; i < kernel->n_temporaries; i++)
    add_word (self, temporaries[i] != NULL ? (guint64) (temporaries[i] - base) : 0);
  for (guint i = 0; i < kernel->n_buffers; i++)
    add_word (self, memory[i].size);
  g_byte_array_append (self->in, g_bytes_get_data (blob, NULL), (guint) g_bytes_get_size (blob));
  add_memory (self->in, kernel, memory);
}

static void
add_kernel (Emulated             *self,
            const GhloCodeTarget *target,
            guint64               seed)
{
  g_autofree GhloKernel *kernel = draw_kernel (seed);
  g_autoptr (GRand) rand = g_rand_new_with_seed ((guint32) seed);
  GhloKernelSchedule schedule = draw_schedule (rand, kernel, (guint) seed);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) object = emitter->compile (kernel, &schedule, target, NULL, &error), blob = NULL;
  gint64 extents[GHLO_KERNEL_MAX_AXES];
  GhloKernelMemory *memory;
  gsize end;

  if (g_error_matches (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED))
    return;
  g_assert_no_error (error);
  blob = ghlo_code_flatten (object, &error);
  g_assert_no_error (error);
  memory = random_memory_new (kernel, seed);
  random_kernel_extents (kernel, seed, extents);
  add_record (self, kernel, &schedule, extents, memory, blob);
  ghlo_kernel_interpret (kernel, extents, memory, NULL, &error);
  g_assert_no_error (error);
  add_memory (self->out, kernel, memory);
  end = self->out->len;
  g_array_append_val (self->ends, end);
  g_array_append_val (self->seeds, seed);
  random_memory_free (kernel, memory);
}

/* NULL where there is no compiler for the runner or no emulator. */
static char *
build_runner (const char *folder)
{
  g_autofree char *source = g_test_build_filename (G_TEST_DIST, "unit", "cpu", "run-kernels.c", NULL);
  g_autofree char *line = g_strdup_printf ("aarch64-linux-gnu-gcc -static -O1 -ffp-contract=off "
                                           "-o %s/run-kernels %s -lm",
                                           folder, source);
  g_autofree char *emulator = g_find_program_in_path ("qemu-aarch64-static");
  int status;

  if (emulator == NULL || !g_spawn_command_line_sync (line, NULL, NULL, &status, NULL)
      || !g_spawn_check_wait_status (status, NULL))
    return NULL;

  return g_strdup_printf ("%s %s/run-kernels %s/in %s/out", emulator, folder, folder, folder);
}

/* Fills @found with the emulator's result for each buffer, and compares. */
static void
compare_emulated (guint64       seed,
                  const guint8 *found,
                  gsize         size)
{
  g_autofree GhloKernel *kernel = draw_kernel (seed);
  GhloKernelMemory *expected = random_memory_new (kernel, seed), *memory = random_memory_copy (kernel, expected);
  gint64 extents[GHLO_KERNEL_MAX_AXES];
  g_autofree char *difference = NULL;
  const guint8 *at = found;

  random_kernel_extents (kernel, seed, extents);
  g_assert_true (ghlo_kernel_interpret (kernel, extents, expected, NULL, NULL));
  for (guint i = 0; i < kernel->n_buffers; at += memory[i++].size)
    memcpy (memory[i].data, at, memory[i].size);
  g_assert_cmpuint ((gsize) (at - found), ==, size);
  difference = random_memory_compare (kernel, expected, memory);
  if (difference != NULL)
    g_error ("kernel %" G_GUINT64_FORMAT ", for aarch64: %s", seed, difference);
  random_memory_free (kernel, expected);
  random_memory_free (kernel, memory);
}

static void
run_emulated (Emulated   *self,
              const char *folder,
              const char *line)
{
  g_autofree char *in = g_build_filename (folder, "in", NULL), *out = g_build_filename (folder, "out", NULL);
  g_autofree char *found = NULL;
  g_autoptr (GError) error = NULL;
  gsize size, begin = 0;
  int status;

  g_file_set_contents (in, (const char *) self->in->data, self->in->len, &error);
  g_assert_no_error (error);
  g_spawn_command_line_sync (line, NULL, NULL, &status, &error);
  g_assert_no_error (error);
  g_spawn_check_wait_status (status, &error);
  g_assert_no_error (error);
  g_file_get_contents (out, &found, &size, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (size, ==, self->out->len);
  for (guint i = 0; i < self->seeds->len; i++)
    {
      gsize end = g_array_index (self->ends, gsize, i);

      compare_emulated (g_array_index (self->seeds, guint64, i), (const guint8 *) found + begin, end - begin);
      begin = end;
    }
  g_unlink (in);
  g_unlink (out);
}

static void
test_aarch64 (void)
{
  static const GhloCodeTarget target = { "aarch64-unknown-linux-gnu", "generic", "", 16, 0, TRUE, TRUE, TRUE };
  g_autofree char *folder = g_dir_make_tmp ("ghlo-code-XXXXXX", NULL), *line = NULL, *runner = NULL;
  Emulated emulated = { g_byte_array_new (), g_byte_array_new (), g_array_new (FALSE, FALSE, sizeof (gsize)),
                        g_array_new (FALSE, FALSE, sizeof (guint64)) };
  guint64 n;

  line = build_runner (folder);
  add_word (&emulated, 0);
  for (guint i = 0; i < count_kernels (); i++)
    add_kernel (&emulated, &target, i);
  n = emulated.seeds->len;
  memcpy (emulated.in->data, &n, sizeof n);
  g_assert_cmpuint (n, >, count_kernels () / 2);
  if (line != NULL)
    run_emulated (&emulated, folder, line);
  else
    g_test_skip ("there is no compiler for aarch64, or no emulator: code was made for it, and not run");
  g_test_message ("%u kernels", (guint) n);
  runner = g_build_filename (folder, "run-kernels", NULL);
  g_unlink (runner);
  g_rmdir (folder);
  g_byte_array_unref (emulated.in);
  g_byte_array_unref (emulated.out);
  g_array_unref (emulated.ends);
  g_array_unref (emulated.seeds);
}

int
main (int    argc,
      char **argv)
{
  GModule *module;
  gpointer symbol;

  setlocale (LC_ALL, "");
  g_test_init (&argc, &argv, NULL);
  module = g_module_open (GHLO_TEST_EMITTER, G_MODULE_BIND_LOCAL);
  if (module == NULL || !g_module_symbol (module, GHLO_EMITTER_SYMBOL, &symbol))
    g_error ("%s", g_module_error ());
  emitter = ((GhloEmitterFunc) symbol) ();
  g_test_add_func ("/cpu/code/files", test_files);
  g_test_add_func ("/cpu/code/frame", test_frame);
  g_test_add_func ("/cpu/code/narrowing", test_narrowing);
  g_test_add_func ("/cpu/code/random", test_random);
  g_test_add_func ("/cpu/code/aarch64", test_aarch64);

  return g_test_run ();
}
