/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compiles that wait for machine code and compiles that do not: when they end, what progress they report, and that
 * cancelling ends only the wait. The emitter is the tests' own and handles none of the program's kernels.
 */

#include "../passes/pass-help.h"
#include "compiler/compilation.h"
#include "cpu/device.h"
#include "cpu/jit/code.h"
#include "runtime/cache.h"

#include "fake-emitter.h"

#include <glib/gstdio.h>

/* Small enough to be one step. */
#define PROGRAM \
  "func.func @main(%x: tensor<16x64xf32>) -> tensor<16xf32> {\n" \
  "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n" \
  "  %0 = stablehlo.exponential %x : tensor<16x64xf32>\n" \
  "  %1 = stablehlo.multiply %0, %x : tensor<16x64xf32>\n" \
  "  %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [1]" \
  " : (tensor<16x64xf32>, tensor<f32>) -> tensor<16xf32>\n" \
  "  return %2 : tensor<16xf32>\n" \
  "}\n"

typedef struct
{
  double   fraction;
  guint    n_calls;
  gboolean is_codegen;
} Progress;

static void
on_progress (gpointer    data,
             double      fraction,
             const char *detail)
{
  Progress *self = data;

  g_assert_cmpfloat (fraction, >=, self->fraction);
  g_assert_cmpfloat (fraction, <=, 1);
  self->fraction = fraction;
  self->n_calls++;
}

static void
on_stage (gpointer          data,
          GhloProgressStage stage)
{
  Progress *self = data;

  self->is_codegen |= stage == GHLO_PROGRESS_STAGE_CODEGEN;
}

static GhloCompilation *
compile (gboolean       waits,
         GCancellable  *cancellable,
         Progress      *progress,
         GError       **error)
{
  g_autoptr (GhloIrModule) module = pass_parse ("test", PROGRAM, strlen (PROGRAM), error);
  const GhloMonitor monitor = { .cancellable = cancellable, .progress = on_progress, .stage = on_stage,
                                .progress_data = progress };
  GhloSettings *settings = ghlo_settings_new ();
  GhloCompilation *compilation;
  GhloCacheUse use;

  g_assert_nonnull (module);
  settings->wait_for_code = waits;
  compilation = ghlo_compilation_new (module, ghlo_cpu_device (), settings, NULL, FALSE, &use, &monitor, error);
  ghlo_settings_unref (settings);

  return compilation;
}

static gpointer
release_soon (gpointer data)
{
  g_usleep (30000);
  fake_emitter_release ();

  return NULL;
}

static gpointer
cancel_soon (gpointer cancellable)
{
  g_usleep (30000);
  g_cancellable_cancel (cancellable);

  return NULL;
}

static void
begin (void)
{
  fake_emitter_set (FAKE_UNSUPPORTED);
  fake_emitter_release ();
  g_assert_true (fake_emitter_install ("waits"));
}

static void
run (const GhloCompilation *compilation)
{
  const gint64 dimensions[] = { 16, 64 };
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_new (GHLO_ELEMENT_TYPE_F32, dimensions, 2);
  g_autoptr (GhloValue) input = ghlo_value_new_tensor (type, NULL);
  g_autoptr (GError) error = NULL;
  GhloValue *output;

  ghlo_prepared_run (compilation->prepared, NULL, &input, 1, &output, NULL, &error);
  g_assert_no_error (error);
  ghlo_value_unref (output);
}

/* Code that nobody waits for is not begun in the first run. It begins with the second one; without it, it would only
 * begin later. Other work on the machine may take that long, too, but not each time. */
static void
test_second_run (void)
{
  enum { SOON = 800000, N_TRIES = 10 };
  guint n_soon = 0;

  begin ();
  for (guint i = 0; i < N_TRIES && n_soon == 0; i++)
    {
      const guint count = fake_emitter_count ();
      const gint64 start = g_get_monotonic_time ();
      g_autoptr (GhloCompilation) compilation = NULL;
      g_autoptr (GError) error = NULL;
      Progress progress = { 0 };

      compilation = compile (FALSE, NULL, &progress, &error);
      g_assert_no_error (error);
      run (compilation);
      g_usleep (10000);
      if (g_get_monotonic_time () - start < SOON)
        g_assert_cmpuint (fake_emitter_count (), ==, count);
      run (compilation);
      fake_emitter_await (count + 1);
      n_soon += g_get_monotonic_time () - start < SOON;
      while (!ghlo_code_is_idle ())
        g_usleep (100);
    }
  g_assert_cmpuint (n_soon, >, 0);
}

static void
test_waits (void)
{
  g_autoptr (GhloCompilation) at_once = NULL, later = NULL;
  g_autoptr (GError) error = NULL;
  Progress progress = { 0 }, of_wait = { 0 };
  guint count = fake_emitter_count ();
  gint64 start;
  GThread *thread;

  begin ();
  fake_emitter_hold ();
  at_once = compile (FALSE, NULL, &progress, &error);
  g_assert_no_error (error);
  fake_emitter_await (count + 1);

  thread = g_thread_new (NULL, release_soon, NULL);
  start = g_get_monotonic_time ();
  later = compile (TRUE, NULL, &of_wait, &error);
  g_assert_no_error (error);
  g_assert_cmpint (g_get_monotonic_time () - start, >=, 20000);
  /* The code is the one that existed already. */
  g_assert_true (later == at_once);
  g_assert_cmpfloat (of_wait.fraction, ==, 1);
  g_assert_cmpuint (of_wait.n_calls, >, 0);
  g_assert_cmpuint (fake_emitter_count (), ==, count + 1);
  g_thread_join (thread);
}

static void
test_progress (void)
{
  g_autoptr (GhloCompilation) compilation = NULL;
  g_autoptr (GError) error = NULL;
  Progress progress = { 0 };

  begin ();
  compilation = compile (TRUE, NULL, &progress, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (progress.fraction, ==, 1);
  g_assert_true (progress.is_codegen);
}

static void
test_cancel (void)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GhloCompilation) compilation = NULL;
  g_autoptr (GError) error = NULL;
  Progress progress = { 0 };
  GThread *thread;

  begin ();
  fake_emitter_hold ();
  thread = g_thread_new (NULL, cancel_soon, cancellable);
  g_assert_null (compile (TRUE, cancellable, &progress, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_thread_join (thread);
  g_clear_error (&error);
  fake_emitter_release ();
  compilation = compile (TRUE, NULL, &(Progress) { 0 }, &error);
  g_assert_no_error (error);
}

/* There is nothing to wait for. */
static void
test_disabled (void)
{
  g_autoptr (GhloCompilation) compilation = NULL;
  g_autoptr (GError) error = NULL;
  guint count = fake_emitter_count ();

  begin ();
  g_setenv ("GHLO_DISABLE", "llvm", TRUE);
  compilation = compile (TRUE, NULL, &(Progress) { 0 }, &error);
  g_unsetenv ("GHLO_DISABLE");
  g_assert_no_error (error);
  g_assert_cmpuint (fake_emitter_count (), ==, count);
}

static void
test_no_compiler (void)
{
  g_test_skip ("there is no C compiler");
}

int
main (int    argc,
      char **argv)
{
  g_setenv ("GHLO_CACHE", "memory", TRUE);
  g_unsetenv ("GHLO_DISABLE");
  g_test_init (&argc, &argv, NULL);
  if (!fake_emitter_install ("waits"))
    {
      g_test_add_func ("/code/compile/no-compiler", test_no_compiler);
      return g_test_run ();
    }
  g_test_add_func ("/code/compile/second-run", test_second_run);
  g_test_add_func ("/code/compile/waits", test_waits);
  g_test_add_func ("/code/compile/progress", test_progress);
  g_test_add_func ("/code/compile/cancel", test_cancel);
  g_test_add_func ("/code/compile/disabled", test_disabled);

  return g_test_run ();
}
