/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions of the application as targets of custom calls. One that belongs to a main context is called, and given
 * back, by whoever runs that context.
 */

#include "ghlo-client-private.h"

#include "client/context-calls.h"
#include "client/workers.h"
#include "ghlo-custom-call-private.h"
#include "reference/custom-call.h"

typedef struct
{
  char                   *name;
  GhloCustomCallFunction  function;
  gpointer                user_data;
  GDestroyNotify          destroy;      /* nullable */
  GMainContext           *context;      /* owned; NULL: on whatever thread */
  GThread                *owner;        /* owned; the thread that the context belongs to; NULL: not known */
} Registration;

/* For language bindings whose interpreter ends. */
static struct
{
  int   closed;       /* atomic */
  guint n_begun;      /* atomic; calls that found it open, and those that are about to look */
} gate;

static void
registration_free (gpointer data)
{
  Registration *self = data;

  if (self->destroy != NULL && !g_atomic_int_get (&gate.closed))
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

/* Never from here where there is a context: an interpreter may be at work in this thread that cannot be called now.
 * The source gives it back when it goes: after its turn, or with the context, which nothing here keeps then. */
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

/* On the thread that the function is to be called on. */
static gboolean
invoke (gpointer   data,
        GError   **error)
{
  const Invocation *invocation = data;
  const Registration *registration = invocation->registration;
  g_autoptr (GhloCustomCall) call = NULL;
  GError *problem = NULL;
  gboolean ok;

  g_atomic_int_inc (&gate.n_begun);
  if (g_atomic_int_get (&gate.closed))
    {
      g_atomic_int_add (&gate.n_begun, -1);
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "the process ends");
      return FALSE;
    }
  call = ghlo_custom_call_new (registration->name, invocation->frame);
  ok = registration->function (call, registration->user_data, &problem);
  if (!ok && problem == NULL)
    g_set_error (&problem, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                 "the function that is registered for '%s' returned FALSE and said no error", registration->name);
  ok = ghlo_custom_call_end (call, &problem);
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
                 "the library answers calls of '%s' itself, which cannot be replaced: expected another name", target);
  else
    return TRUE;

  return FALSE;
}

/**
 * ghlo_client_register_custom_call:
 * @self: a client
 * @target: the name that the program calls, its `call_target_name`
 * @function: (scope notified) (closure user_data) (destroy destroy): what answers the
 *   call
 * @user_data: data for @function
 * @destroy: (nullable): called with @user_data when @function will not be called any more
 * @context: (nullable): the main context to call @function in; %NULL to call it on the
 *   thread that runs the operation
 * @error: return location for an error
 *
 * Has a function of the application answer a `custom_call` of programs that the client
 * compiles or loads from now on. A compile sees what was registered when it was called:
 * executables keep the functions that they were made with, whatever is registered or
 * taken back later. Registering a name again replaces its function.
 *
 * Without @context the function is called on whatever thread runs the program, and on
 * several at once where several runs are under way: on the CPU the caller's in a
 * synchronous call and a worker's in an asynchronous one. With @context it
 * is called there one call at a time, while the run waits: from the loop of that
 * context, or directly where the thread that it belongs to is in a synchronous call
 * itself. A run whose context nobody iterates waits until it is cancelled.
 *
 * @destroy is called once, when the function was replaced or taken back or the client is
 * gone, and so are the executables that may call it: on the thread that drops the last
 * of them, or in @context. It is called as well when this call fails, and not any more
 * when the process ends.
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT for a name that the library answers itself,
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

  /* Whichever way this ends, the last reference has @destroy called. */
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
 * ghlo_custom_call_end_all:
 *
 * Has no function be called any more, and none given back, that any client of the
 * process registered: runs that come to one end as cancelled ones do. This is for
 * language bindings, whose functions cannot be called once their interpreter has ended.
 *
 * Returns: how many calls were begun until now, those among them that go on
 *
 * Since: 1.0
 */
guint
ghlo_custom_call_end_all (void)
{
  g_atomic_int_set (&gate.closed, TRUE);

  return (guint) g_atomic_int_get (&gate.n_begun);
}

/**
 * ghlo_client_unregister_custom_call:
 * @self: a client
 * @target: the name that the program calls, its `call_target_name`
 * @error: return location for an error
 *
 * Takes a function back that [method@Ghlo.Client.register_custom_call] registered.
 * Executables that were compiled with it keep it.
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT when no function is registered for the name.
 *
 * Returns: whether the function was taken back
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
