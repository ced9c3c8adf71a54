/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The calls of fuzz-api that run executables, directly and in sessions.
 */

#include "api-state.h"

static void
finish_execute (State        *state,
                gpointer      self,
                GAsyncResult *result)
{
  GError *error = NULL;
  GhloResult *made = ghlo_executable_execute_finish (self, result, &error);

  check (made, error);
  put (state, POOL_RESULT, made);
}

void
api_call_execute (State *state)
{
  GhloExecutable *executable = pick (state, POOL_EXECUTABLE);
  GhloBuffer *inputs[MAX_INPUTS];
  guint n = take (state) % (MAX_INPUTS + 1);
  GhloBuffer *const *given = take (state) % 16 == 0 ? NULL : inputs;
  GCancellable *cancellable = api_pick_watched (state);
  GError *error = NULL;
  GhloResult *result;

  for (guint i = 0; i < n; i++)
    inputs[i] = take (state) % 16 == 0 ? pick_any (state, POOL_BUFFER) : pick (state, POOL_BUFFER);
  if (maybe (state))
    {
      ghlo_executable_execute_async (executable, given, n, cancellable, api_ready,
                                     api_call_new (state, executable, finish_execute));
      return;
    }
  result = ghlo_executable_execute (executable, given, n, cancellable, &error);
  check (result, error);
  put (state, POOL_RESULT, result);
}

/* Checks that either every step is measured or none. */
static void
look_at_steps (GListModel *steps,
               gboolean    profiled)
{
  for (guint i = 0; steps != NULL && i < g_list_model_get_n_items (steps); i++)
    {
      g_autoptr (GhloPlanStep) step = g_list_model_get_item (steps, i);
      g_autofree char *text = ghlo_plan_step_to_string (step);

      if ((ghlo_plan_step_get_measurement (step) >= 0) != profiled || *ghlo_plan_step_get_operation (step) == '\0'
          || *text == '\0')
        abort ();
      ghlo_plan_step_get_place (step);
      look_at_steps (ghlo_plan_step_get_steps (step), profiled);
    }
}

void
api_call_result (State *state)
{
  GhloResult *result = pick (state, POOL_RESULT);
  GhloPlan *plan = ghlo_result_get_plan (result);
  gsize n;

  if (plan != NULL)
    look_at_steps (G_LIST_MODEL (plan), TRUE);

  ghlo_result_get_outputs (result, &n);
  if (n != g_list_model_get_n_items (G_LIST_MODEL (result)) || n != ghlo_result_get_n_outputs (result))
    abort ();
  ghlo_timing_get_run (ghlo_result_get_timing (result));
  if (maybe (state))
    ghlo_result_release (result);
  put (state, POOL_BUFFER, g_list_model_get_item (G_LIST_MODEL (result), take (state)));
}

/* Sessions. */

static void
finish_session_run (State        *state,
                    gpointer      self,
                    GAsyncResult *result)
{
  GError *error = NULL;
  GhloResult *made = ghlo_session_run_finish (self, result, &error);

  check (made, error);
  put (state, POOL_RESULT, made);
}

void
api_call_session_run (State *state)
{
  GhloSession *session = pick (state, POOL_SESSION);
  GhloBuffer *inputs[MAX_INPUTS];
  guint n = take (state) % (MAX_INPUTS + 1);
  GCancellable *cancellable = api_pick_watched (state);
  GError *error = NULL;
  GhloResult *result;

  for (guint i = 0; i < n; i++)
    inputs[i] = take (state) % 16 == 0 ? pick_any (state, POOL_BUFFER) : pick (state, POOL_BUFFER);
  if (!maybe (state))
    {
      ghlo_session_run_async (session, inputs, n, cancellable, api_ready,
                              api_call_new (state, session, finish_session_run));
      return;
    }
  result = ghlo_session_run (session, inputs, n, cancellable, &error);
  check (result, error);
  put (state, POOL_RESULT, result);
}

void
api_call_session (State *state)
{
  GhloSession *session = ghlo_session_new (pick (state, POOL_EXECUTABLE));

  ghlo_session_set_progress (session, pick_or_null (state, POOL_PROGRESS));
  ghlo_session_set_profile (session, take (state) % 2);
  put (state, POOL_SESSION, session);
}

/* Binds an output to memory of any size and alignment, which lives as long as runs may write to it. */
static gboolean
bind_output (State        *state,
             GhloSession  *session,
             guint         output,
             GError      **error)
{
  enum { LARGEST = 64, BEHIND = 8 };
  guint8 *memory = g_malloc0 (LARGEST + BEHIND);
  const gsize words = take (state) % (LARGEST / 4 + 1), size = take (state) % 8 == 0 ? words : words * 4;
  const gsize offset = take (state) % 4 == 0 ? take (state) % BEHIND : 0;
  const guintptr address = take (state) % 16 == 0 ? 0 : (guintptr) memory + offset;

  return ghlo_session_bind_output (session, output, address, size, g_free, memory, error);
}

void
api_call_session_set_up (State *state)
{
  GhloSession *session = pick (state, POOL_SESSION);
  guint input = take (state) % 3, output = take (state) % 3;
  GError *error = NULL;
  gboolean done;

  switch (take (state) % 8)
    {
    case 0:
      done = ghlo_session_reset (session, &error);
      break;
    case 1:
      done = ghlo_session_bind_input (session, input, pick_any (state, POOL_BUFFER), &error);
      break;
    case 2:
    case 3:
      done = bind_output (state, session, output, &error);
      break;
    case 4:
      done = ghlo_session_unbind_output (session, output, &error);
      break;
    default:
      done = ghlo_session_carry (session, output, input, pick_any (state, POOL_BUFFER), &error);
    }
  check_done (done, error);
  ghlo_session_get_pending (session);
}

static void
finish_copy_state (State        *state,
                   gpointer      self,
                   GAsyncResult *result)
{
  GError *error = NULL;
  GhloBuffer *buffer = ghlo_session_copy_state_finish (self, result, &error);

  check (buffer, error);
  put (state, POOL_BUFFER, buffer);
}

void
api_call_copy_state (State *state)
{
  GhloSession *session = pick (state, POOL_SESSION);
  guint input = take (state) % 3;
  GCancellable *cancellable = api_pick_watched (state);
  GError *error = NULL;
  GhloBuffer *buffer;

  if (maybe (state))
    {
      ghlo_session_copy_state_async (session, input, cancellable, api_ready,
                                     api_call_new (state, session, finish_copy_state));
      return;
    }
  buffer = ghlo_session_copy_state (session, input, cancellable, &error);
  check (buffer, error);
  put (state, POOL_BUFFER, buffer);
}
