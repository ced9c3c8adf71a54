/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fuzzes the public API: the input is a list of calls, one byte each, each followed
 * by the choices of its arguments. Objects come from a pool to which calls add their
 * results; arguments may be missing, unconstructed, released, of another program, or
 * cancelled from another thread. The checks: every call fails with an error or
 * succeeds, each async call is answered once, and no message is logged.
 *
 * Not called: what the API forbids to callers, such as a method on NULL.
 */

#include "api-state.h"

enum { MAX_CALLS = 64, INPUT_TIME = G_USEC_PER_SEC, ANSWER_LIMIT = 10 * G_USEC_PER_SEC };

int LLVMFuzzerInitialize (int *argc, char ***argv);
int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

/* Actions other than calls of the library. */

static gpointer
cancel (gpointer data)
{
  g_autoptr (GCancellable) cancellable = data;

  g_cancellable_cancel (cancellable);

  return NULL;
}

static void
call_cancel (State *state)
{
  GCancellable *cancellable = pick (state, POOL_CANCELLABLE);

  if (maybe (state))
    g_thread_unref (g_thread_new ("cancel", cancel, g_object_ref (cancellable)));
  else
    g_cancellable_cancel (cancellable);
}

static void
call_drop (State *state)
{
  PoolKind kind = take (state) % N_POOLS;

  g_clear_object (&state->pools[kind][take (state) % POOL_SIZE]);
}

static void
call_iterate (State *state)
{
  guint n = take (state) % 8;

  while (n-- > 0 && g_main_context_iteration (state->context, FALSE))
    ;
}

static void
call_properties (State *state)
{
  GObject *object = pick (state, take (state) % N_POOLS);
  guint n;
  g_autofree GParamSpec **specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (object), &n);

  for (guint i = 0; i < n; i++)
    {
      g_auto (GValue) value = G_VALUE_INIT;

      g_object_get_property (object, specs[i]->name, &value);
      if ((specs[i]->flags & (G_PARAM_WRITABLE | G_PARAM_CONSTRUCT_ONLY)) == G_PARAM_WRITABLE)
        g_object_set_property (object, specs[i]->name, &value);
    }
}

static void (*const calls[]) (State *state) = {
  api_call_parse, api_call_load, api_call_check, api_call_text, api_call_lists, api_call_devices, api_call_compile,
  api_call_compile, api_call_options, api_call_execute, api_call_execute, api_call_execute, api_call_result,
  api_call_buffer, api_call_buffer, api_call_strided, api_call_tuple, api_call_token, api_call_read,
  api_call_ask_buffer, api_call_release, call_cancel, call_drop, call_iterate, call_properties, api_call_session,
  api_call_session_set_up, api_call_session_run, api_call_copy_state, api_call_numbers, api_call_copy, api_call_file,
  api_call_serialize, api_call_register,
};

/* Waits until every async call has been answered. */
static void
drain (State *state)
{
  gint64 limit = g_get_monotonic_time () + ANSWER_LIMIT;

  while (state->pending > 0)
    {
      if (!g_main_context_iteration (state->context, FALSE))
        g_usleep (50);
      if (g_get_monotonic_time () > limit)
        abort ();
    }
}

int
LLVMFuzzerInitialize (int    *argc,
                      char ***argv)
{
  g_setenv ("GHLO_MEMORY_LIMIT", "256M", TRUE);
  g_log_set_always_fatal (G_LOG_LEVEL_MASK & ~(G_LOG_LEVEL_DEBUG | G_LOG_LEVEL_INFO | G_LOG_LEVEL_MESSAGE));
  api_start_watchdog ();

  return 0;
}

int
LLVMFuzzerTestOneInput (const guint8 *data,
                        gsize         size)
{
  State state = { .input = { data, size }, .context = g_main_context_new () };
  guint n = 0;

  g_main_context_push_thread_default (state.context);
  api_set_watch (g_get_monotonic_time () + INPUT_TIME);
  while (state.input.size > 0 && n++ < MAX_CALLS)
    calls[take (&state) % G_N_ELEMENTS (calls)] (&state);
  if (maybe (&state))
    for (guint i = 0; i < POOL_SIZE; i++)
      if (state.pools[POOL_CANCELLABLE][i] != NULL)
        g_cancellable_cancel (G_CANCELLABLE (state.pools[POOL_CANCELLABLE][i]));
  drain (&state);
  for (guint kind = 0; kind < N_POOLS; kind++)
    for (guint i = 0; i < POOL_SIZE; i++)
      g_clear_object (&state.pools[kind][i]);
  while (g_main_context_iteration (state.context, FALSE))
    ;
  g_main_context_pop_thread_default (state.context);
  g_main_context_unref (state.context);
  api_set_watch (0);

  return 0;
}
