/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See api-help.h.
 */

#include "api-help.h"

#include <string.h>

static const float ones[6] = { 1, 1, 1, 1, 1, 1 };
static const float counts[6] = { 0, 1, 2, 3, 4, 5 };

GhloProgram *
help_parse (const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (GError) error = NULL;
  GhloProgram *program = ghlo_program_parse (bytes, "test.mlir", NULL, &error);

  g_assert_no_error (error);
  g_assert_true (GHLO_IS_PROGRAM (program));

  return program;
}

GhloExecutable *
help_compile (const char *text)
{
  g_autoptr (GhloProgram) program = help_parse (text);
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GError) error = NULL;
  GhloExecutable *executable = ghlo_client_compile (client, program, NULL, NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_true (GHLO_IS_EXECUTABLE (executable));

  return executable;
}

GhloBuffer *
help_buffer (const char    *type,
             gconstpointer  data,
             gsize          size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloTensorType) tensor_type = ghlo_tensor_type_parse (type, &error);
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  GhloBuffer *buffer;

  g_assert_no_error (error);
  buffer = ghlo_buffer_new_from_bytes (tensor_type, bytes, &error);
  g_assert_no_error (error);

  return buffer;
}

GhloBuffer *
help_number (void)
{
  const gint32 one = 1;

  return help_buffer ("tensor<i32>", &one, sizeof one);
}

GhloBuffer *
help_counts (void)
{
  return help_buffer ("tensor<2x3xf32>", counts, sizeof counts);
}

GhloBuffer *
help_ones (void)
{
  return help_buffer ("tensor<2x3xf32>", ones, sizeof ones);
}

gpointer
help_read (GhloBuffer *buffer)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = ghlo_buffer_read (buffer, NULL, &error);
  g_autoptr (GBytes) host = ghlo_buffer_get_host_bytes (buffer);

  g_assert_no_error (error);
  g_assert_cmpuint (g_bytes_get_size (bytes), ==, ghlo_buffer_get_size (buffer));
  g_assert_true (g_bytes_get_data (host, NULL) == g_bytes_get_data (bytes, NULL));
  g_assert_cmpuint (ghlo_buffer_get_address (buffer), ==, (guintptr) g_bytes_get_data (bytes, NULL));

  return (gpointer) g_bytes_get_data (bytes, NULL);
}

void
help_assert_sum (GhloResult *result)
{
  const float *values;

  g_assert_cmpuint (ghlo_result_get_n_outputs (result), ==, 1);
  g_assert_cmpuint (ghlo_buffer_get_size (ghlo_result_get_output (result, 0)), ==, sizeof counts);
  values = help_read (ghlo_result_get_output (result, 0));
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    g_assert_cmpfloat (values[i], ==, counts[i] + 1);
}

typedef struct
{
  GCancellable *cancellable;
  guint         microseconds;
} Later;

static gpointer
cancel_later (gpointer data)
{
  g_autofree Later *later = data;

  g_usleep (later->microseconds);
  g_cancellable_cancel (later->cancellable);
  g_object_unref (later->cancellable);

  return NULL;
}

GhloResult *
help_run_session (GhloSession        *session,
                  GhloBuffer * const *inputs,
                  gsize               n_inputs)
{
  g_autoptr (GError) error = NULL;
  GhloResult *result = ghlo_session_run (session, inputs, n_inputs, NULL, &error);

  g_assert_no_error (error);

  return result;
}

GThread *
help_cancel_later (GCancellable *cancellable,
                   guint         microseconds)
{
  Later *later = g_new (Later, 1);

  later->cancellable = g_object_ref (cancellable);
  later->microseconds = microseconds;

  return g_thread_new ("cancel", cancel_later, later);
}

HelpWait
help_wait_init (void)
{
  return (HelpWait) { g_main_context_ref_thread_default (), NULL, NULL };
}

void
help_ready (GObject      *source,
            GAsyncResult *result,
            gpointer      data)
{
  HelpWait *wait = data;

  /* A call is answered only once. */
  g_assert_null (wait->result);
  wait->result = g_object_ref (result);
  wait->thread = g_thread_self ();
}

GAsyncResult *
help_wait_run (HelpWait *wait)
{
  while (wait->result == NULL)
    g_main_context_iteration (wait->context, TRUE);

  return wait->result;
}

GAsyncResult *
help_wait_for_call (HelpWait *wait)
{
  g_assert_null (wait->result);

  return help_wait_run (wait);
}

void
help_wait_clear (HelpWait *wait)
{
  g_clear_object (&wait->result);
  g_main_context_unref (wait->context);
}
