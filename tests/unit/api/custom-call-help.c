/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Programs with custom calls, and a function that logs its calls.
 */

#include "custom-call-help.h"

const float calls_counts[4] = { 1, 2, 3, 4 };

void
calls_destroyed (gpointer data)
{
  g_atomic_int_inc (&((CallLog *) data)->n_destroyed);
}

gboolean
calls_scale (GhloCustomCall  *call,
             gpointer         data,
             GError         **error)
{
  CallLog *seen = data;
  gsize n_in, n_out;
  const float *in = ghlo_custom_call_get_operand_data (call, 0, &n_in, error);
  float *out = in != NULL ? ghlo_custom_call_get_result_data (call, 0, &n_out, error) : NULL;

  if (out == NULL)
    return FALSE;
  g_assert_cmpuint (n_in, ==, n_out);
  for (gsize i = 0; i < n_in / sizeof (float); i++)
    {
      g_assert_cmpfloat (out[i], ==, 0);
      out[i] = in[i] * seen->factor;
    }
  seen->thread = g_thread_self ();
  g_atomic_int_inc (&seen->n_calls);

  return TRUE;
}

GhloClient *
calls_client (const char             *target,
              GhloCustomCallFunction  function,
              CallLog                *seen)
{
  g_autoptr (GError) error = NULL;
  GhloClient *client = ghlo_client_new ();

  g_assert_true (ghlo_client_register_custom_call (client, target, function, seen, calls_destroyed, NULL, &error));
  g_assert_no_error (error);

  return client;
}

GhloExecutable *
calls_compile (GhloClient *client,
               const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloProgram) program = help_parse (text);
  GhloExecutable *executable = ghlo_client_compile (client, program, NULL, NULL, NULL, &error);

  g_assert_no_error (error);

  return executable;
}

GhloExecutable *
calls_compile_on_reference (GhloClient *client,
                            const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloProgram) program = help_parse (text);
  g_autoptr (GhloCompileOptions) options = ghlo_compile_options_new ();
  g_autoptr (GListModel) devices = ghlo_client_list_devices (client, NULL, &error);
  g_autoptr (GhloDevice) device = NULL;
  GhloExecutable *executable;

  g_assert_no_error (error);
  for (guint i = 0; device == NULL || ghlo_device_get_kind (device) != GHLO_DEVICE_KIND_REFERENCE; i++)
    {
      g_clear_object (&device);
      device = g_list_model_get_item (devices, i);
      g_assert_nonnull (device);
    }
  ghlo_compile_options_set_device (options, device);
  executable = ghlo_client_compile (client, program, options, NULL, NULL, &error);
  g_assert_no_error (error);

  return executable;
}

GhloResult *
calls_execute (GhloExecutable  *executable,
               GError         **error)
{
  g_autoptr (GhloBuffer) x = help_buffer ("tensor<4xf32>", calls_counts, sizeof calls_counts);

  return ghlo_executable_execute (executable, &x, 1, NULL, error);
}

void
calls_assert_output (GhloResult *result,
                     float       factor)
{
  const float *found = help_read (ghlo_result_get_output (result, 0));

  for (guint i = 0; i < 4; i++)
    g_assert_cmpfloat (found[i], ==, (calls_counts[i] + 1) * factor + 1);
}

void
calls_assert_scales (GhloExecutable *executable,
                     float           factor)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloResult) result = calls_execute (executable, &error);

  g_assert_no_error (error);
  calls_assert_output (result, factor);
}
