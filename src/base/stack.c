/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds the end of a thread's stack once for each thread, and starts threads with stacks of a known size, which GLib
 * cannot.
 */

#include "base/stack.h"

#include <pthread.h>

#include "base/ghlo-error.h"

/* The stack of the calling thread; both 0 until it is known. */
static _Thread_local guintptr lowest, highest;

static gboolean
find_stack (void)
{
  pthread_attr_t attributes;
  void *start = NULL;
  size_t size = 0, guard = 0;

  if (highest != 0)
    return TRUE;
  if (pthread_getattr_np (pthread_self (), &attributes) != 0)
    return FALSE;
  if (pthread_attr_getstack (&attributes, &start, &size) == 0 && size > 0)
    {
      /* Some C libraries count the guard as part of the stack. */
      pthread_attr_getguardsize (&attributes, &guard);
      lowest = (guintptr) start + MIN (guard, size);
      highest = (guintptr) start + size;
    }
  pthread_attr_destroy (&attributes);

  return highest != 0;
}

gboolean
ghlo_stack_has (gsize size)
{
  const guintptr here = (guintptr) __builtin_frame_address (0);

  return find_stack () && here > lowest && here <= highest && here - lowest >= size;
}

struct _GhloThread
{
  const char *name;
  GThreadFunc func;
  gpointer    data;
  gboolean    is_joined;        /* by its owner, who frees this; otherwise the thread frees it */
  pthread_t   thread;
};

static void *
begin (void *data)
{
  const GhloThread self = *(GhloThread *) data;

  if (!self.is_joined)
    g_free (data);
  pthread_setname_np (pthread_self (), self.name);

  return self.func (self.data);
}

static int
create (GhloThread *self)
{
  pthread_attr_t attributes;
  pthread_t thread;
  int problem = pthread_attr_init (&attributes);

  if (problem != 0)
    return problem;
  pthread_attr_setdetachstate (&attributes, self->is_joined ? PTHREAD_CREATE_JOINABLE : PTHREAD_CREATE_DETACHED);
  problem = pthread_attr_setstacksize (&attributes, GHLO_STACK_SIZE);
  if (problem == 0)
    problem = pthread_create (self->is_joined ? &self->thread : &thread, &attributes, begin, self);
  pthread_attr_destroy (&attributes);

  return problem;
}

static GhloThread *
start (const GhloThread  *described,
       GError           **error)
{
  GhloThread *self = g_memdup2 (described, sizeof *described);
  int problem = create (self);

  if (problem == 0)
    return self;

  g_free (self);
  g_set_error (error, G_THREAD_ERROR, G_THREAD_ERROR_AGAIN, "the thread %s could not be started: %s", described->name,
               g_strerror (problem));

  return NULL;
}

GhloThread *
ghlo_thread_try_new (const char   *name,
                     GThreadFunc   func,
                     gpointer      data,
                     GError      **error)
{
  return start (&(GhloThread) { .name = name, .func = func, .data = data, .is_joined = TRUE }, error);
}

gpointer
ghlo_thread_join (GhloThread *self)
{
  void *result = NULL;

  pthread_join (self->thread, &result);
  g_free (self);

  return result;
}

gboolean
ghlo_thread_start (const char   *name,
                   GThreadFunc   func,
                   gpointer      data,
                   GError      **error)
{
  return start (&(GhloThread) { .name = name, .func = func, .data = data }, error) != NULL;
}

GhloThread *
ghlo_stack_continue (GThreadFunc   func,
                     gpointer      data,
                     GError      **error)
{
  g_autoptr (GError) local_error = NULL;
  GhloThread *thread = ghlo_thread_try_new ("ghlo-stack", func, data, &local_error);

  if (thread == NULL)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY,
                 "expected a thread with at least %" G_GSIZE_FORMAT " KiB of stack left, found less, and %s",
                 GHLO_STACK_NEED / 1024, local_error->message);

  return thread;
}

gpointer
ghlo_stack_call (GThreadFunc func,
                 gpointer    data)
{
  GhloThread *thread = ghlo_stack_has (GHLO_STACK_NEED) ? NULL : ghlo_stack_continue (func, data, NULL);

  return thread != NULL ? ghlo_thread_join (thread) : func (data);
}
