/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sessions: the object, its properties, and its calls. Binding is in ghlo-session-bindings.c, carrying in
 * ghlo-session-carry.c, and the execution of a call in client/session-core.c.
 */

#include "ghlo-session.h"

#include "ghlo-call-private.h"
#include "ghlo-executable-private.h"
#include "ghlo-result-private.h"
#include "ghlo-session-private.h"
#include "ghlo/buffer/ghlo-buffer-private.h"

/**
 * GhloSession:
 *
 * An executable that is run repeatedly, with state that is kept between the runs.
 *
 * [method@Ghlo.Session.bind_input] sets an input once for all runs, such as weights.
 * [method@Ghlo.Session.carry] makes an output of each run an input of the next, such
 * as caches, counters and training state. [method@Ghlo.Session.bind_output] writes an
 * output to memory of the caller. [method@Ghlo.Session.run] then takes the remaining
 * inputs in order, and returns the remaining outputs in order.
 *
 * A carried value belongs to the session alone, which may change it in place. It
 * leaves the session only as a copy: [method@Ghlo.Session.copy_state]. It is lost when
 * a run is cancelled or fails after it has begun; further runs then fail until
 * [method@Ghlo.Session.reset] restores the initial values. A call that is cancelled
 * before its run begins leaves it unchanged.
 *
 * Runs are executed one at a time, in the order of the calls. Asynchronous runs may be
 * called while others are in progress. A run sees the effect of all calls before it
 * and of none after it. Sessions are cheap: several sessions of one executable are
 * independent of each other and run concurrently. A session may be used from any
 * thread, but bindings should be set up before threads share it.
 *
 * Since: 1.0
 */

enum
{
  PROP_0,
  PROP_EXECUTABLE,
  PROP_PROGRESS,
  PROP_PROFILE,
  PROP_PENDING,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (GhloSession, ghlo_session, G_TYPE_OBJECT)

static void
ghlo_session_constructed (GObject *object)
{
  GhloSession *self = GHLO_SESSION (object);
  GhloExecutableCore *executable = self->executable != NULL ? ghlo_executable_get_core (self->executable) : NULL;

  G_OBJECT_CLASS (ghlo_session_parent_class)->constructed (object);

  if (executable == NULL)
    return;
  self->core = ghlo_session_core_new (executable);
  self->bindings = ghlo_session_bindings_new (executable->signature.type->rank,
                                              executable->signature.type->n_results);
}

static void
ghlo_session_finalize (GObject *object)
{
  GhloSession *self = GHLO_SESSION (object);

  g_clear_pointer (&self->bindings, ghlo_session_bindings_unref);
  g_clear_pointer (&self->core, ghlo_session_core_unref);
  g_clear_object (&self->executable);
  g_clear_object (&self->progress);
  g_mutex_clear (&self->lock);

  G_OBJECT_CLASS (ghlo_session_parent_class)->finalize (object);
}

static void
ghlo_session_get_property (GObject    *object,
                           guint       prop_id,
                           GValue     *value,
                           GParamSpec *pspec)
{
  GhloSession *self = GHLO_SESSION (object);

  switch (prop_id)
    {
    case PROP_EXECUTABLE:
      g_value_set_object (value, self->executable);
      break;
    case PROP_PROGRESS:
      g_value_set_object (value, ghlo_session_get_progress (self));
      break;
    case PROP_PROFILE:
      g_value_set_boolean (value, ghlo_session_get_profile (self));
      break;
    case PROP_PENDING:
      g_value_set_uint (value, ghlo_session_get_pending (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
ghlo_session_set_property (GObject      *object,
                           guint         prop_id,
                           const GValue *value,
                           GParamSpec   *pspec)
{
  GhloSession *self = GHLO_SESSION (object);

  switch (prop_id)
    {
    case PROP_EXECUTABLE:
      self->executable = g_value_dup_object (value);
      break;
    case PROP_PROGRESS:
      ghlo_session_set_progress (self, g_value_get_object (value));
      break;
    case PROP_PROFILE:
      ghlo_session_set_profile (self, g_value_get_boolean (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
ghlo_session_class_init (GhloSessionClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;

  object_class->constructed = ghlo_session_constructed;
  object_class->finalize = ghlo_session_finalize;
  object_class->get_property = ghlo_session_get_property;
  object_class->set_property = ghlo_session_set_property;

  /**
   * GhloSession:executable: (getter get_executable)
   *
   * The executable that the session runs.
   *
   * Since: 1.0
   */
  properties[PROP_EXECUTABLE] =
    g_param_spec_object ("executable", NULL, NULL, GHLO_TYPE_EXECUTABLE,
                         flags | G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY);

  /**
   * GhloSession:progress: (getter get_progress) (setter set_progress)
   *
   * The progress that runs report to, from the next call on. It follows the run
   * that was called last.
   *
   * Since: 1.0
   */
  properties[PROP_PROGRESS] =
    g_param_spec_object ("progress", NULL, NULL, GHLO_TYPE_PROGRESS, flags | G_PARAM_READWRITE);

  /**
   * GhloSession:profile: (getter get_profile) (setter set_profile)
   *
   * Whether runs are measured step by step, which slows them down.
   * [method@Ghlo.Result.get_plan] returns the times. On the reference device there
   * are no steps to measure.
   *
   * Since: 1.0
   */
  properties[PROP_PROFILE] = g_param_spec_boolean ("profile", NULL, NULL, FALSE, flags | G_PARAM_READWRITE);

  /**
   * GhloSession:pending: (getter get_pending)
   *
   * The number of runs that were called and have not completed yet. It is notified
   * when a run is called and, before its callback, when it completes.
   *
   * Since: 1.0
   */
  properties[PROP_PENDING] = g_param_spec_uint ("pending", NULL, NULL, 0, G_MAXUINT, 0, flags | G_PARAM_READABLE);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
ghlo_session_init (GhloSession *self)
{
  g_mutex_init (&self->lock);
}

/**
 * ghlo_session_new:
 * @executable: the executable to run
 *
 * Creates a session in which nothing is bound or carried.
 *
 * Returns: (transfer full): a new session
 *
 * Since: 1.0
 */
GhloSession *
ghlo_session_new (GhloExecutable *executable)
{
  return g_object_new (GHLO_TYPE_SESSION,
                       "executable", GHLO_IS_EXECUTABLE (executable) ? executable : NULL,
                       NULL);
}

/**
 * ghlo_session_get_executable: (get-property executable)
 * @self: a session
 *
 * Gets the executable that the session runs.
 *
 * Returns: (transfer none) (nullable): the executable; %NULL for a session that was
 *   created without one
 *
 * Since: 1.0
 */
GhloExecutable *
ghlo_session_get_executable (GhloSession *self)
{
  g_return_val_if_fail (GHLO_IS_SESSION (self), NULL);

  return self->executable;
}

/**
 * ghlo_session_get_progress: (get-property progress)
 * @self: a session
 *
 * Gets the progress that runs report to.
 *
 * Returns: (transfer none) (nullable): the progress, or %NULL when there is none
 *
 * Since: 1.0
 */
GhloProgress *
ghlo_session_get_progress (GhloSession *self)
{
  GhloProgress *progress;

  g_return_val_if_fail (GHLO_IS_SESSION (self), NULL);

  g_mutex_lock (&self->lock);
  progress = self->progress;
  g_mutex_unlock (&self->lock);

  return progress;
}

/**
 * ghlo_session_set_progress: (set-property progress)
 * @self: a session
 * @progress: (nullable): a progress, or %NULL
 *
 * Sets the progress that runs report to, from the next call on.
 *
 * Since: 1.0
 */
void
ghlo_session_set_progress (GhloSession  *self,
                           GhloProgress *progress)
{
  g_autoptr (GhloProgress) old = NULL;

  g_return_if_fail (GHLO_IS_SESSION (self));

  if (!GHLO_IS_PROGRESS (progress))
    progress = NULL;
  g_mutex_lock (&self->lock);
  old = self->progress;
  self->progress = progress != NULL ? g_object_ref (progress) : NULL;
  g_mutex_unlock (&self->lock);

  if (old != progress)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PROGRESS]);
}

/**
 * ghlo_session_get_profile: (get-property profile)
 * @self: a session
 *
 * Gets whether runs are measured step by step.
 *
 * Returns: whether runs are measured
 *
 * Since: 1.0
 */
gboolean
ghlo_session_get_profile (GhloSession *self)
{
  gboolean profile;

  g_return_val_if_fail (GHLO_IS_SESSION (self), FALSE);

  g_mutex_lock (&self->lock);
  profile = self->profile;
  g_mutex_unlock (&self->lock);

  return profile;
}

/**
 * ghlo_session_set_profile: (set-property profile)
 * @self: a session
 * @profile: whether to measure
 *
 * Sets whether runs are measured step by step, from the next call on;
 * [method@Ghlo.Result.get_plan] returns the times of the steps.
 *
 * Since: 1.0
 */
void
ghlo_session_set_profile (GhloSession *self,
                          gboolean     profile)
{
  gboolean changed;

  g_return_if_fail (GHLO_IS_SESSION (self));

  g_mutex_lock (&self->lock);
  changed = self->profile != !!profile;
  self->profile = !!profile;
  g_mutex_unlock (&self->lock);

  if (changed)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PROFILE]);
}

/**
 * ghlo_session_get_pending: (get-property pending)
 * @self: a session
 *
 * Gets the number of runs that were called and have not completed yet.
 *
 * Returns: the number
 *
 * Since: 1.0
 */
guint
ghlo_session_get_pending (GhloSession *self)
{
  guint pending;

  g_return_val_if_fail (GHLO_IS_SESSION (self), 0);

  g_mutex_lock (&self->lock);
  pending = self->pending;
  g_mutex_unlock (&self->lock);

  return pending;
}

static void
add_pending (GhloSession *self,
             int          difference)
{
  g_mutex_lock (&self->lock);
  self->pending += difference;
  g_mutex_unlock (&self->lock);

  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PENDING]);
}

GhloSessionBindings *
ghlo_session_begin_call (GhloSession  *self,
                         GError      **error)
{
  GhloSessionBindings *bindings;

  if (self->core == NULL)
    {
      g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                           "the session was made without an executable: pass one from Client.compile to Session.new");
      return NULL;
    }
  if (!ghlo_workers_check (error))
    return NULL;

  g_mutex_lock (&self->lock);
  bindings = ghlo_session_bindings_ref (self->bindings);
  g_mutex_unlock (&self->lock);

  return bindings;
}

static void
on_run_ended (gpointer source_object,
              gboolean dropped)
{
  GhloSession *self = source_object;

  if (dropped)
    ghlo_session_core_drop_state (self->core, NULL);
  add_pending (self, -1);
}

static const GhloCallClass run_class = {
  .job = {
    .name = "ghlo_session_run_async",
    .workers = GHLO_WORKERS_RUN,
    .stage = GHLO_PROGRESS_STAGE_RUN,
    .run = ghlo_session_call_run,
    .free_data = ghlo_session_call_free,
    .free_result = (GDestroyNotify) ghlo_run_result_free,
    .get_fence = (GhloFence *(*) (gpointer)) ghlo_run_result_get_fence,
    .finish = ghlo_session_call_finish,
    .on_cancelled = ghlo_session_call_cancelled,
    .push = ghlo_session_call_push,
  },
  .ended = on_run_ended,
};

static const GhloCallClass copy_class = {
  .job = {
    .name = "ghlo_session_copy_state_async",
    .workers = GHLO_WORKERS_RUN,
    .run = ghlo_session_call_copy,
    .free_data = ghlo_session_call_free,
    .free_result = (GDestroyNotify) ghlo_value_unref,
    .push = ghlo_session_call_push,
  },
};

/* The synchronous form of both calls: waits for its turn on the caller's thread and runs there. */
static gpointer
call_sync (const GhloCallClass *klass,
           GhloSessionCall     *call,
           GhloProgress        *progress,
           GCancellable        *cancellable,
           GError             **error)
{
  GhloSessionCore *core;
  gboolean in_turn;
  gpointer result;

  if (call == NULL)
    return NULL;

  core = ghlo_session_core_ref (call->core);
  in_turn = ghlo_serial_queue_wait (&core->queue, cancellable);
  call->in_turn = in_turn;
  result = ghlo_call_run (klass, call, progress, cancellable, error);
  if (in_turn)
    ghlo_serial_queue_end (&core->queue);
  ghlo_session_core_unref (core);

  return result;
}

static gboolean
check_inputs (GhloSession                *self,
              const GhloSessionBindings  *bindings,
              gsize                       n_inputs,
              GError                    **error)
{
  const GhloIrOp *function = self->core->executable->signature.function;
  g_autoptr (GString) names = NULL;
  guint n_free = 0;

  for (guint i = 0; i < bindings->n_inputs; i++)
    n_free += ghlo_session_bindings_is_free (bindings, i);
  if (n_inputs == n_free)
    return TRUE;

  names = g_string_new (NULL);
  for (guint i = 0; i < bindings->n_inputs; i++)
    if (ghlo_session_bindings_is_free (bindings, i))
      ghlo_signature_append_input (function, i, names);
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
               "expected %u inputs, as many as are neither bound nor carried (%s), found %" G_GSIZE_FORMAT, n_free,
               n_free > 0 ? names->str : "none", n_inputs);

  return FALSE;
}

/* Fills in the inputs of a run from the bound values and the given buffers. */
static gboolean
take_inputs (GhloSessionCall     *call,
             GhloBuffer * const  *inputs,
             GError             **error)
{
  guint next = 0;

  for (guint i = 0; i < call->bindings->n_inputs; i++)
    {
      if (call->bindings->initial[i] != NULL)
        continue;
      if (call->bindings->bound[i] != NULL)
        {
          call->inputs[i] = ghlo_value_ref (call->bindings->bound[i]);
        }
      else
        {
          g_assert (inputs != NULL);
          call->inputs[i] = ghlo_executable_take_input (call->core->executable, inputs[next++], i, error);
        }
      if (call->inputs[i] == NULL)
        return FALSE;
    }

  return TRUE;
}

static GhloSessionCall *
run_new (GhloSession         *self,
         GhloBuffer * const  *inputs,
         gsize                n_inputs,
         GError             **error)
{
  GhloSessionBindings *bindings = ghlo_session_begin_call (self, error);
  GhloSessionCall *call;

  if (bindings == NULL)
    return NULL;
  if (inputs == NULL)
    n_inputs = 0;
  if (!check_inputs (self, bindings, n_inputs, error))
    {
      ghlo_session_bindings_unref (bindings);
      return NULL;
    }

  call = ghlo_session_call_new (self->core, bindings);
  call->inputs = g_new0 (GhloValue *, bindings->n_inputs + 1);
  call->is_profiled = ghlo_session_get_profile (self);
  if (take_inputs (call, inputs, error))
    return call;
  ghlo_session_call_free (call);

  return NULL;
}

static GhloProgress *
dup_progress (GhloSession *self)
{
  GhloProgress *progress;

  g_mutex_lock (&self->lock);
  progress = self->progress != NULL ? g_object_ref (self->progress) : NULL;
  g_mutex_unlock (&self->lock);

  return progress;
}

/**
 * ghlo_session_run:
 * @self: a session
 * @inputs: (array length=n_inputs) (nullable): the inputs that are neither bound nor
 *   carried, in the program's order
 * @n_inputs: the number of inputs
 * @cancellable: (nullable): a cancellable, or %NULL
 * @error: return location for an error
 *
 * Runs the program, after all runs that were called before. The result contains the outputs that
 * are neither carried nor bound, in the program's order. All of them are readable when the call
 * returns.
 *
 * When the run is cancelled or fails, the carried values are lost, and further runs fail until
 * [method@Ghlo.Session.reset] is called. They remain unchanged if the run did not begin: if the
 * call was cancelled while it waited for earlier runs, if its arguments were wrong, or if there
 * was no memory for it. The next run, or [method@Ghlo.Session.copy_state], shows whether the run
 * had begun.
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT when an input is missing, was released or does not
 * have the type that the program declares, or when the carried values were lost; and as
 * [method@Ghlo.Executable.execute] does.
 *
 * Returns: (transfer full): the outputs that are neither carried nor bound, or %NULL with @error
 *   set
 *
 * Since: 1.0
 */
GhloResult *
ghlo_session_run (GhloSession         *self,
                  GhloBuffer * const  *inputs,
                  gsize                n_inputs,
                  GCancellable        *cancellable,
                  GError             **error)
{
  g_autoptr (GhloProgress) progress = NULL;
  GhloSessionCall *call;
  GhloRunResult *run_result;

  g_return_val_if_fail (GHLO_IS_SESSION (self), NULL);

  call = run_new (self, inputs, n_inputs, error);
  if (call == NULL)
    return NULL;
  progress = dup_progress (self);
  add_pending (self, 1);
  run_result = call_sync (&run_class, call, progress, cancellable, error);
  add_pending (self, -1);

  return ghlo_result_new (run_result);
}

/**
 * ghlo_session_run_async:
 * @self: a session
 * @inputs: (array length=n_inputs) (nullable): the inputs that are neither bound nor
 *   carried, in the program's order
 * @n_inputs: the number of inputs
 * @cancellable: (nullable): a cancellable, or %NULL
 * @callback: (scope async) (closure user_data): called when the call has finished
 * @user_data: data for @callback
 *
 * Runs the program without blocking; see [method@Ghlo.Session.run]. Any number of
 * runs may be called before the first one has finished.
 *
 * Since: 1.0
 */
void
ghlo_session_run_async (GhloSession         *self,
                        GhloBuffer * const  *inputs,
                        gsize                n_inputs,
                        GCancellable        *cancellable,
                        GAsyncReadyCallback  callback,
                        gpointer             user_data)
{
  g_autoptr (GhloProgress) progress = NULL;
  GError *error = NULL;
  GhloSessionCall *call;

  g_return_if_fail (GHLO_IS_SESSION (self));

  call = run_new (self, inputs, n_inputs, &error);
  if (call != NULL)
    {
      progress = dup_progress (self);
      add_pending (self, 1);
    }
  ghlo_call_start (&run_class, ghlo_call_task (&run_class, self, cancellable, callback, user_data), call, progress,
                  error);
}

/**
 * ghlo_session_run_finish:
 * @self: a session
 * @result: the result passed to the callback
 * @error: return location for an error
 *
 * Finishes a call to [method@Ghlo.Session.run_async].
 *
 * Returns: (transfer full): the outputs that are neither carried nor bound, or %NULL with @error
 *   set
 *
 * Since: 1.0
 */
GhloResult *
ghlo_session_run_finish (GhloSession   *self,
                         GAsyncResult  *result,
                         GError       **error)
{
  g_return_val_if_fail (ghlo_call_is_valid (&run_class, self, result), NULL);

  return ghlo_result_new (g_task_propagate_pointer (G_TASK (result), error));
}

static GhloSessionCall *
copy_new (GhloSession  *self,
          guint         input,
          GError      **error)
{
  GhloSessionBindings *bindings = ghlo_session_begin_call (self, error);
  GhloSessionCall *call;

  if (bindings == NULL)
    return NULL;
  if (!ghlo_session_check_number ("input", input, bindings->n_inputs, error) || bindings->initial[input] == NULL)
    {
      if (input < bindings->n_inputs)
        g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                     "expected an input that an output is carried into, found input %u, which has no state", input);
      ghlo_session_bindings_unref (bindings);
      return NULL;
    }

  call = ghlo_session_call_new (self->core, bindings);
  call->input = input;

  return call;
}

/**
 * ghlo_session_copy_state:
 * @self: a session
 * @input: the index of a carried input
 * @cancellable: (nullable): a cancellable, or %NULL
 * @error: return location for an error
 *
 * Copies the value that is carried into an input, as the next run would find it:
 * after all runs that were called before.
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT when nothing is carried into the input, or
 * the carried value was lost.
 *
 * Returns: (transfer full): a copy, or %NULL with @error set
 *
 * Since: 1.0
 */
GhloBuffer *
ghlo_session_copy_state (GhloSession   *self,
                         guint          input,
                         GCancellable  *cancellable,
                         GError       **error)
{
  g_return_val_if_fail (GHLO_IS_SESSION (self), NULL);

  return ghlo_buffer_new_for_value (call_sync (&copy_class, copy_new (self, input, error), NULL, cancellable, error));
}

/**
 * ghlo_session_copy_state_async:
 * @self: a session
 * @input: the index of a carried input
 * @cancellable: (nullable): a cancellable, or %NULL
 * @callback: (scope async) (closure user_data): called when the call has finished
 * @user_data: data for @callback
 *
 * Copies the value that is carried into an input without blocking; see
 * [method@Ghlo.Session.copy_state].
 *
 * Since: 1.0
 */
void
ghlo_session_copy_state_async (GhloSession         *self,
                               guint                input,
                               GCancellable        *cancellable,
                               GAsyncReadyCallback  callback,
                               gpointer             user_data)
{
  GError *error = NULL;
  GhloSessionCall *call;

  g_return_if_fail (GHLO_IS_SESSION (self));

  call = copy_new (self, input, &error);
  ghlo_call_start (&copy_class, ghlo_call_task (&copy_class, self, cancellable, callback, user_data), call, NULL,
                   error);
}

/**
 * ghlo_session_copy_state_finish:
 * @self: a session
 * @result: the result passed to the callback
 * @error: return location for an error
 *
 * Finishes a call to [method@Ghlo.Session.copy_state_async].
 *
 * Returns: (transfer full): a copy, or %NULL with @error set
 *
 * Since: 1.0
 */
GhloBuffer *
ghlo_session_copy_state_finish (GhloSession   *self,
                                GAsyncResult  *result,
                                GError       **error)
{
  g_return_val_if_fail (ghlo_call_is_valid (&copy_class, self, result), NULL);

  return ghlo_buffer_new_for_value (g_task_propagate_pointer (G_TASK (result), error));
}
