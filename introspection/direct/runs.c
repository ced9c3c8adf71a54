/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs of executables and sessions, blocking or asynchronous. The interpreter's lock is released while arrays are
 * copied and while the library works: a run may release memory that Python has lent, which takes that lock.
 */

#include "direct.h"

typedef struct
{
  gpointer          source;       /* borrowed: an executable or a session */
  guint             n_inputs;
  GhloDirectInput  *inputs;
  GhloBuffer      **buffers;      /* borrowed from the inputs */

  /* For a run that Ctrl-C cancels. */
  GCancellable     *stop;         /* borrowed; NULL for other runs */
  int               descriptor;   /* of the pipe whose reader cancels the run */
  pid_t             process;      /* the process of the reader */
} Run;

static void
run_clear (Run *self)
{
  for (guint i = 0; i < self->n_inputs; i++)
    ghlo_direct_input_clear (&self->inputs[i]);
  g_free (self->inputs);
  g_free (self->buffers);
}

static gboolean
set_source (Run      *self,
            PyObject *source)
{
  self->source = ghlo_direct_unwrap (source, GHLO_TYPE_EXECUTABLE);
  if (self->source == NULL)
    self->source = ghlo_direct_unwrap (source, GHLO_TYPE_SESSION);

  return self->source != NULL;
}

/* Finds the indices of the inputs that a session leaves to its runs. FALSE where there are not exactly @n. */
static gboolean
list_free_inputs (GhloSession *session,
                  guint       *numbers,
                  guint        n)
{
  g_autofree GhloValueInfo **infos = ghlo_session_list_inputs (session);
  guint found = 0;

  for (guint i = 0; infos[i] != NULL; i++, found++)
    {
      if (i < n)
        numbers[i] = ghlo_value_info_get_index (infos[i]);
      ghlo_value_info_unref (infos[i]);
    }

  return found == n;
}

/* @forms has one form for each input of the program. */
static gboolean
set_inputs (Run      *self,
            PyObject *values,
            PyObject *forms)
{
  const Py_ssize_t n = PyTuple_Size (values), n_forms = PyTuple_Size (forms);
  const gboolean is_session = GHLO_IS_SESSION (self->source);
  g_autofree guint *numbers = NULL;

  if (n < 0 || n > n_forms || (!is_session && n < n_forms))
    return FALSE;
  self->n_inputs = n;
  self->inputs = g_new0 (GhloDirectInput, n);
  self->buffers = g_new (GhloBuffer *, n);
  numbers = g_new (guint, n);
  if (is_session && !list_free_inputs (self->source, numbers, n))
    return FALSE;

  for (guint i = 0; i < n; i++)
    {
      PyObject *form = PyTuple_GetItem (forms, is_session ? numbers[i] : i);

      if (form == NULL || !ghlo_direct_input_set (&self->inputs[i], PyTuple_GetItem (values, i), form))
        return FALSE;
    }

  return TRUE;
}

/* Called without the interpreter's lock. */
static gboolean
make_buffers (Run *self)
{
  for (guint i = 0; i < self->n_inputs; i++)
    {
      if (!ghlo_direct_input_make_buffer (&self->inputs[i]))
        return FALSE;
      self->buffers[i] = self->inputs[i].buffer;
    }

  return TRUE;
}

/* Called without the interpreter's lock. */
static GhloResult *
execute (Run     *self,
         GError **error)
{
  return GHLO_IS_SESSION (self->source)
         ? ghlo_session_run (self->source, self->buffers, self->n_inputs, self->stop, error)
         : ghlo_executable_execute (self->source, self->buffers, self->n_inputs, self->stop, error);
}

/* Takes ownership of both arguments. */
static PyObject *
wrap_result (GhloResult *result,
             GError     *error)
{
  if (result != NULL)
    return ghlo_direct_wrap (result);
  pyg_error_check (&error);

  return NULL;
}

static PyObject *
run_now (Run *self)
{
  GhloResult *result = NULL;
  GError *error = NULL;
  gboolean complete;

  if (self->stop != NULL && !ghlo_direct_catch_interrupt (self->descriptor, self->process))
    return ghlo_direct_decline ();
  for (guint i = 0; i < self->n_inputs; i++)
    ghlo_direct_input_lend (&self->inputs[i]);
  Py_BEGIN_ALLOW_THREADS
  complete = make_buffers (self);
  if (complete)
    result = execute (self, &error);
  Py_END_ALLOW_THREADS
  if (self->stop != NULL)
    ghlo_direct_leave_interrupt ();
  if (!complete)
    return ghlo_direct_decline ();

  /* Handles signals that arrived during the run before its error is raised: Ctrl-C may be the error's cause. */
  if (self->stop != NULL && PyErr_CheckSignals () < 0)
    {
      g_clear_object (&result);
      g_clear_error (&error);
      return NULL;
    }

  return wrap_result (result, error);
}

/* @watch is (cancellable, descriptor, process), or None where Ctrl-C does not cancel the run. */
static gboolean
set_watch (Run      *self,
           PyObject *watch)
{
  if (watch == Py_None)
    return TRUE;
  if (PyTuple_Size (watch) != 3)
    return FALSE;
  self->stop = ghlo_direct_unwrap (PyTuple_GetItem (watch, 0), G_TYPE_CANCELLABLE);
  self->descriptor = PyLong_AsLong (PyTuple_GetItem (watch, 1));
  self->process = PyLong_AsLong (PyTuple_GetItem (watch, 2));

  return self->stop != NULL && self->descriptor >= 0;
}

/* Returns whether Python signal handlers may be called in the caller's thread during a run. */
static gboolean
calls_back (const Run *self)
{
  return GHLO_IS_SESSION (self->source)
         && (ghlo_session_get_progress (self->source) != NULL
             || g_signal_handler_find (self->source, G_SIGNAL_MATCH_ID, g_signal_lookup ("notify", G_TYPE_OBJECT), 0,
                                       NULL, NULL, NULL) != 0);
}

PyObject *
ghlo_direct_run (PyObject        *module,
                 PyObject *const *arguments,
                 Py_ssize_t       n)
{
  Run run = { NULL };
  PyObject *result;

  if (n == 4 && set_source (&run, arguments[0]) && !calls_back (&run) && set_inputs (&run, arguments[1], arguments[2])
      && set_watch (&run, arguments[3]))
    result = run_now (&run);
  else
    result = ghlo_direct_decline ();
  run_clear (&run);

  return result;
}

static void
drop_answer (gpointer  answer,
             GClosure *closure)
{
  ghlo_direct_drop (answer);
}

static PyObject *
finish (GAsyncResult *result)
{
  g_autoptr (GObject) source = g_async_result_get_source_object (result);
  GError *error = NULL;
  GhloResult *found = GHLO_IS_SESSION (source)
                      ? ghlo_session_run_finish (GHLO_SESSION (source), result, &error)
                      : ghlo_executable_execute_finish (GHLO_EXECUTABLE (source), result, &error);

  return wrap_result (found, error);
}

/* Called in the caller's main context. */
static void
on_answered (GhloPendingCall *pending,
             GAsyncResult    *result,
             PyObject        *answer)
{
  const PyGILState_STATE state = PyGILState_Ensure ();
  PyObject *value = finish (result), *class = NULL, *error = NULL, *trace = NULL, *nothing;

  if (value == NULL)
    {
      PyErr_Fetch (&class, &error, &trace);
      PyErr_NormalizeException (&class, &error, &trace);
    }
  nothing = PyObject_CallFunctionObjArgs (answer, value != NULL ? value : Py_None, error != NULL ? error : Py_None,
                                          NULL);
  if (nothing == NULL)
    PyErr_WriteUnraisable (answer);
  Py_XDECREF (nothing);
  Py_XDECREF (value);
  Py_XDECREF (class);
  Py_XDECREF (error);
  Py_XDECREF (trace);
  PyGILState_Release (state);
}

/* Called without the interpreter's lock. */
static void
execute_async (Run             *self,
               GhloPendingCall *pending)
{
  GCancellable *cancellable = G_CANCELLABLE (pending);

  if (GHLO_IS_SESSION (self->source))
    ghlo_session_run_async (self->source, self->buffers, self->n_inputs, cancellable, NULL, NULL);
  else
    ghlo_executable_execute_async (self->source, self->buffers, self->n_inputs, cancellable, NULL, NULL);
}

/* The library keeps the returned pending call until the answer, and the pending call keeps @answer. */
static PyObject *
run_later (Run      *self,
           PyObject *answer)
{
  g_autoptr (GhloPendingCall) pending = ghlo_pending_call_new ();
  gboolean complete;

  Py_INCREF (answer);
  g_signal_connect_data (pending, "answered", G_CALLBACK (on_answered), answer, drop_answer, 0);
  Py_BEGIN_ALLOW_THREADS
  complete = make_buffers (self);
  if (complete)
    execute_async (self, pending);
  Py_END_ALLOW_THREADS

  return complete ? ghlo_direct_wrap (g_steal_pointer (&pending)) : ghlo_direct_decline ();
}

PyObject *
ghlo_direct_start (PyObject        *module,
                   PyObject *const *arguments,
                   Py_ssize_t       n)
{
  Run run = { NULL };
  PyObject *pending;

  if (n == 4 && set_source (&run, arguments[0]) && set_inputs (&run, arguments[1], arguments[2]))
    pending = run_later (&run, arguments[3]);
  else
    pending = ghlo_direct_decline ();
  run_clear (&run);

  return pending;
}
