/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions of the application as targets of custom calls. A function that belongs to a main context is called,
 * and its data released, on the thread that runs that context.
 */

#include "ghlo-client-private.h"

#include "client/context-calls.h"
#include "client/job.h"
#include "client/workers.h"
#include "ghlo-custom-call-private.h"
#include "reference/custom-call.h"

typedef struct
{
  char                   *name;
  GhloCustomCallFunction  function;
  gpointer                user_data;
  GDestroyNotify          destroy;      /* nullable */
  GMainContext           *context;      /* owned; NULL for any thread */
  GThread                *owner;        /* owned; the thread that the context belongs to; NULL when it is not known */
} Registration;

/* Lets language bindings stop all calls when their interpreter shuts down. */
static struct
{
  GMutex   lock;
  GCond    ended;          /* signalled when the last call in progress ends */
  gboolean is_closed;
  guint    n_active;       /* calls in progress */
} gate;

static gboolean
gate_enter (void)
{
  gboolean is_open;

  g_mutex_lock (&gate.lock);
  is_open = !gate.is_closed;
  if (is_open)
    gate.n_active++;
  g_mutex_unlock (&gate.lock);

  return is_open;
}

static void
gate_leave (void)
{
  g_mutex_lock (&gate.lock);
  if (--gate.n_active == 0)
    g_cond_broadcast (&gate.ended);
  g_mutex_unlock (&gate.lock);
}

static gboolean
gate_is_closed (void)
{
  gboolean is_closed;

  g_mutex_lock (&gate.lock);
  is_closed = gate.is_closed;
  g_mutex_unlock (&gate.lock);

  return is_closed;
}

static void
registration_free (gpointer data)
{
  Registration *self = data;

  if (self->destroy != NULL && !gate_is_closed ())
    self->destroy (self->user_data);
  g_clear_pointer (&self->context, g_main_context_unref);
  g_clear_pointer (&self->owner, g_thread_unref);
  g_free (self->name);
  g_free (self);
}

static gboolean
do_nothing (gpointer data)
{
  return G_SOURCE_REMOVE;
}

/* With a context, never releases the data here: this thread may be running an interpreter in a state in which it
 * cannot be called. The idle source releases it when it is destroyed: after it was dispatched, or together with
 * the context, which nothing here keeps alive then. */
static void
registration_drop (gpointer data)
{
  Registration *self = data;
  g_autoptr (GSource) source = NULL;
  g_autoptr (GMainContext) context = NULL;

  if (self->context == NULL || self->destroy == NULL)
    {
      registration_free (self);
      return;
    }
  context = g_steal_pointer (&self->context);
  source = g_idle_source_new ();
  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_static_name (source, "[ghlo] custom call dropped");
  g_source_set_callback (source, do_nothing, self, registration_free);
  g_source_attach (source, context);
}

typedef struct
{
  const Registration        *registration;
  const GhloCustomCallFrame *frame;
} Invocation;

/* Runs on the thread that the function must be called on. */
static gboolean
invoke (gpointer   data,
        GError   **error)
{
  const Invocation *invocation = data;
  const Registration *registration = invocation->registration;
  GhloCustomCall *call;
  GError *problem = NULL;
  gboolean ok;

  if (!gate_enter ())
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "the process is exiting");
      return FALSE;
    }
  call = ghlo_custom_call_new (registration->name, invocation->frame);
  ok = registration->function (call, registration->user_data, &problem);
  if (!ok && problem == NULL)
    g_set_error (&problem, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                 "the function that is registered for '%s' returned FALSE without setting an error",
                 registration->name);
  ok = ghlo_custom_call_end (call, &problem);
  g_object_unref (call);
  gate_leave ();
  if (problem != NULL)
    g_propagate_error (error, problem);

  return ok;
}

static gboolean
answer (gpointer                    data,
        const GhloCustomCallFrame  *frame,
        GError                    **error)
{
  const Registration *self = data;
  Invocation invocation = { self, frame };

  if (self->context == NULL)
    return invoke (&invocation, error);

  return ghlo_context_call (self->context, self->owner, invoke, &invocation,
                            frame->monitor != NULL ? frame->monitor->cancellable : NULL, error);
}

static Registration *
registration_new (const char             *target,
                  GhloCustomCallFunction  function,
                  gpointer                user_data,
                  GDestroyNotify          destroy,
                  GMainContext           *context)
{
  Registration *self = g_new0 (Registration, 1);
  g_autoptr (GMainContext) own = g_main_context_ref_thread_default ();

  self->name = g_strdup (target);
  self->function = function;
  self->user_data = user_data;
  self->destroy = destroy;
  if (context != NULL)
    self->context = g_main_context_ref (context);
  if (context != NULL && context == own)
    self->owner = g_thread_ref (g_thread_self ());

  return self;
}

static gboolean
check_target (const char  *target,
              GError     **error)
{
  if (target == NULL || *target == '\0')
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                 "expected the name that the program calls, its call_target_name, found %s",
                 target == NULL ? "nothing" : "an empty one");
  else if (ghlo_ref_custom_target (target) != NULL)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                 "expected another name, found '%s', which the library implements itself and which cannot be replaced",
                 target);
  else
    return TRUE;

  return FALSE;
}

/**
 * ghlo_client_register_custom_call:
 * @self: a client
 * @target: the name that the program calls, its `call_target_name`
 * @function: (scope notified) (closure user_data) (destroy destroy): the function that
 *   answers the call
 * @user_data: data for @function
 * @destroy: (nullable): called with @user_data when @function will not be called any more
 * @context: (nullable): the main context to call @function in; %NULL to call it on the
 *   thread that runs the operation
 * @error: return location for an error
 *
 * Registers a function of the application as the implementation of a `custom_call`
 * target, for programs that the client compiles or loads from now on. A compilation uses
 * the functions that are registered when it is called. Executables keep these functions,
 * whatever is registered or unregistered later. Registering a name again replaces its
 * function.
 *
 * Without @context, the function is called on the thread that runs the program, and on
 * several threads at once when several runs are in progress. On the CPU this is the
 * caller's thread for a synchronous call and a worker's for an asynchronous one. With
 * @context, it is called in that context, one call at a time, while the run waits: by the
 * context's main loop, or directly when the thread that owns the context is itself in a
 * synchronous call. A run waits until it is cancelled if nobody iterates its context. The
 * same happens to a synchronous call on that thread when the program executes the
 * `custom_call` in concurrent work (`async_start`, `interpreter.run_parallel`); such
 * programs need an asynchronous call.
 *
 * @destroy is called once: after the function was replaced or unregistered or the client
 * was freed, when the last executable that may call it is freed too. It is called on the
 * thread that drops the last reference, or in @context. It is also called when this call
 * fails, but no longer once the process is exiting.
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT for a name that the library implements itself,
 * such as `Sharding` or `Qr`.
 *
 * Returns: whether the function is registered
 *
 * Since: 1.0
 */
gboolean
ghlo_client_register_custom_call (GhloClient              *self,
                                  const char              *target,
                                  GhloCustomCallFunction   function,
                                  gpointer                 user_data,
                                  GDestroyNotify           destroy,
                                  GMainContext            *context,
                                  GError                 **error)
{
  g_autoptr (GhloCustomTarget) custom = NULL;
  Registration *registration;

  g_return_val_if_fail (GHLO_IS_CLIENT (self), FALSE);

  /* However this function ends, dropping the last reference calls @destroy. */
  registration = registration_new (target, function, user_data, destroy, context);
  custom = ghlo_custom_target_new (target, answer, registration, registration_drop);
  if (!ghlo_workers_check (error) || !check_target (target, error))
    return FALSE;
  if (function == NULL)
    {
      g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                           "expected a function to answer the calls, found nothing");
      return FALSE;
    }
  ghlo_client_change_custom_target (self, target, custom);

  return TRUE;
}

/**
 * ghlo_shut_down:
 * @timeout: how long to wait at most, in milliseconds
 *
 * Prepares the process for its exit: cancels the asynchronous calls in progress, stops
 * calling the functions that are registered for custom calls, no longer releases their
 * data, and waits until no thread of the library works for any of them. Runs that reach
 * a custom call later end as cancelled ones do.
 *
 * This is for language bindings, whose interpreter cannot be entered by the library's
 * threads once it has shut down, not even to free an object that it has seen. A function
 * that does not return within @timeout is left running.
 *
 * Returns: whether everything ended in time
 *
 * Since: 1.0
 */
gboolean
ghlo_shut_down (guint timeout)
{
  const gint64 deadline = g_get_monotonic_time () + timeout * (gint64) 1000;
  gboolean in_time;

  /* A forked child has none of the threads. */
  if (!ghlo_workers_check (NULL))
    return TRUE;

  g_mutex_lock (&gate.lock);
  gate.is_closed = TRUE;
  g_mutex_unlock (&gate.lock);
  in_time = ghlo_job_stop_all (deadline);

  g_mutex_lock (&gate.lock);
  while (gate.n_active > 0 && in_time)
    in_time = g_cond_wait_until (&gate.ended, &gate.lock, deadline);
  g_mutex_unlock (&gate.lock);

  return in_time;
}

/**
 * ghlo_client_unregister_custom_call:
 * @self: a client
 * @target: the name that the program calls, its `call_target_name`
 * @error: return location for an error
 *
 * Unregisters a function that was registered with
 * [method@Ghlo.Client.register_custom_call]. Executables that were compiled with it
 * keep it.
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT when no function is registered for the name.
 *
 * Returns: whether the function was unregistered
 *
 * Since: 1.0
 */
gboolean
ghlo_client_unregister_custom_call (GhloClient  *self,
                                    const char  *target,
                                    GError     **error)
{
  g_autofree char *found = NULL;

  g_return_val_if_fail (GHLO_IS_CLIENT (self), FALSE);

  if (!ghlo_workers_check (error))
    return FALSE;
  if (target != NULL && ghlo_client_change_custom_target (self, target, NULL))
    return TRUE;

  found = g_utf8_make_valid (target != NULL ? target : "nothing", -1);
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT, target != NULL
               ? "expected the name of a registered function, found '%s'"
               : "expected the name of a registered function, found %s", found);

  return FALSE;
}
