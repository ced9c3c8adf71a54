/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the tests of the reference executor: programs parsed from text, run and expected to pass, to fail with a
 * message, or to stop when cancelled.
 */

#pragma once

#include <string.h>

#include "../soon.h"

#include "import/import.h"
#include "ir/verify/verify.h"
#include "reference/device.h"

typedef struct
{
  GhloIrModule *module;
  GhloPrepared *prepared;
} Program;

static inline void
program_clear (Program *self)
{
  g_clear_pointer (&self->prepared, ghlo_prepared_free);
  g_clear_pointer (&self->module, ghlo_ir_module_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Program, program_clear)

static inline GhloIrModule *
parse (const char *text)
{
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("test.mlir", text, strlen (text));
  g_autoptr (GError) error = NULL;
  GhloIrModule *module = ghlo_import_text (text, strlen (text), GHLO_IMPORT_DEFAULT, diagnostics, NULL);

  ghlo_diagnostics_to_error (diagnostics, &error);
  g_assert_no_error (error);
  g_assert_nonnull (module);
  ghlo_ir_verify (module, diagnostics, NULL);
  ghlo_diagnostics_to_error (diagnostics, &error);
  g_assert_no_error (error);

  return module;
}

static inline void
prepare (Program    *self,
         const char *text)
{
  g_autoptr (GError) error = NULL;

  self->module = parse (text);
  self->prepared = ghlo_device_core_prepare (ghlo_reference_device (), self->module,
                                             ghlo_ir_module_get_entry (self->module), NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (self->prepared);
}

static inline gboolean
run_program (Program           *self,
             GhloValue        **inputs,
             gsize              n_inputs,
             GhloValue        **outputs,
             const GhloMonitor *monitor,
             GError           **error)
{
  return ghlo_prepared_run (self->prepared, NULL, inputs, n_inputs, outputs, monitor, error);
}

static inline GhloValue *
new_i64 (gint64 number)
{
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_new (GHLO_ELEMENT_TYPE_I64, NULL, 0);
  GhloValue *value = ghlo_value_new_tensor (type, NULL);

  memcpy (value->data, &number, sizeof (number));

  return value;
}

static inline gint64
get_i64 (const GhloValue *value)
{
  gint64 number;

  g_assert_cmpuint (value->n_bytes, ==, sizeof (number));
  memcpy (&number, value->data, sizeof (number));

  return number;
}

/* Runs a program from one i64 scalar to one i64 scalar. */
static inline gint64
run_i64 (const char *text,
         gint64      argument)
{
  g_auto (Program) program = { NULL };
  g_autoptr (GhloValue) input = new_i64 (argument);
  g_autoptr (GhloValue) output = NULL;
  g_autoptr (GError) error = NULL;

  prepare (&program, text);
  run_program (&program, &input, 1, &output, NULL, &error);
  g_assert_no_error (error);

  return get_i64 (output);
}

/* Runs a program without inputs and outputs. */
static inline void
expect_ok (const char *text)
{
  g_auto (Program) program = { NULL };
  g_autoptr (GError) error = NULL;
  gsize used = ghlo_memory_get_used ();

  prepare (&program, text);
  run_program (&program, NULL, 0, NULL, NULL, &error);
  g_assert_no_error (error);
  program_clear (&program);
  g_assert_cmpuint (ghlo_memory_get_used (), ==, used);
}

static inline void
expect_failure (const char *text,
                int         code,
                const char *pattern)
{
  g_auto (Program) program = { NULL };
  g_autoptr (GError) error = NULL;
  gsize used = ghlo_memory_get_used ();

  prepare (&program, text);
  g_assert_false (run_program (&program, NULL, 0, NULL, NULL, &error));
  g_assert_error (error, GHLO_ERROR, code);
  if (!g_pattern_match_simple (pattern, error->message))
    g_error ("'%s' does not match '%s'", error->message, pattern);
  program_clear (&program);
  g_assert_cmpuint (ghlo_memory_get_used (), ==, used);
}

static inline gpointer
cancel_soon (gpointer data)
{
  g_usleep (20000);
  g_cancellable_cancel (data);

  return NULL;
}

/* An endless program, which takes a number if @has_input is set. */
typedef struct
{
  const char *text;
  gboolean    has_input;
} Endless;

/* The duration of a run, including the delay until it was cancelled. */
static inline gint64
cancel_endless (gpointer data)
{
  const Endless *self = data;
  g_auto (Program) program = { NULL };
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GhloValue) input = new_i64 (0);
  g_autoptr (GhloValue) output = NULL;
  g_autoptr (GError) error = NULL;
  GhloMonitor monitor = { .cancellable = cancellable };
  gint64 started = g_get_monotonic_time ();
  GThread *thread;

  prepare (&program, self->text);
  thread = g_thread_new ("cancel", cancel_soon, cancellable);
  g_assert_false (run_program (&program, &input, self->has_input ? 1 : 0, &output, &monitor, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  started = g_get_monotonic_time () - started;
  g_thread_join (thread);

  return started;
}

static inline void
expect_cancelled (const char *text,
                  gboolean    has_input)
{
  soon_assert (cancel_endless, &(Endless) { text, has_input }, 2 * G_USEC_PER_SEC);
}
