/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the tests of sessions: pairs of numbers, a session that counts with them, and the answers of several async
 * calls.
 */

#pragma once

#include "api-help.h"

G_BEGIN_DECLS

static inline GhloBuffer *
pair_new (gint32 first,
          gint32 second)
{
  const gint32 values[2] = { first, second };

  return help_buffer ("tensor<2xi32>", values, sizeof values);
}

static inline void
assert_pair (GhloBuffer *buffer,
             gint32      first,
             gint32      second)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = ghlo_buffer_read (buffer, NULL, &error);
  const gint32 *values;

  g_assert_no_error (error);
  values = g_bytes_get_data (bytes, NULL);
  g_assert_cmpint (values[0], ==, first);
  g_assert_cmpint (values[1], ==, second);
}

static inline GhloSession *
counter_new (const char *text)
{
  g_autoptr (GhloExecutable) executable = help_compile (text);
  g_autoptr (GhloBuffer) zero = pair_new (0, 0);
  g_autoptr (GError) error = NULL;
  GhloSession *session = ghlo_session_new (executable);

  g_assert_true (ghlo_session_carry (session, 1, 1, zero, &error));
  g_assert_no_error (error);

  return session;
}

static inline void
assert_carried (GhloSession *session,
                guint        input,
                gint32       first,
                gint32       second)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloBuffer) state = ghlo_session_copy_state (session, input, NULL, &error);

  g_assert_no_error (error);
  assert_pair (state, first, second);
}

static inline void
assert_state (GhloSession *session,
              gint32       first,
              gint32       second)
{
  assert_carried (session, 1, first, second);
}

typedef struct
{
  GMainLoop *loop;
  GPtrArray *results;        /* of GAsyncResult, in the order of the callbacks */
  GArray    *pending;        /* the session's number of pending runs in each callback */
  guint      wanted;
} Wait;

static inline void
on_ready (GObject      *source,
          GAsyncResult *result,
          gpointer      data)
{
  Wait *wait = data;
  guint pending = ghlo_session_get_pending (GHLO_SESSION (source));

  g_ptr_array_add (wait->results, g_object_ref (result));
  g_array_append_val (wait->pending, pending);
  if (wait->results->len == wait->wanted)
    g_main_loop_quit (wait->loop);
}

static inline void
wait_init (Wait  *wait,
           guint  wanted)
{
  wait->loop = g_main_loop_new (g_main_context_get_thread_default (), FALSE);
  wait->results = g_ptr_array_new_with_free_func (g_object_unref);
  wait->pending = g_array_new (FALSE, FALSE, sizeof (guint));
  wait->wanted = wanted;
}

static inline void
wait_clear (Wait *wait)
{
  g_ptr_array_unref (wait->results);
  g_array_unref (wait->pending);
  g_main_loop_unref (wait->loop);
}

static inline void
on_pending (GObject    *object,
            GParamSpec *pspec,
            gpointer    data)
{
  ++*(guint *) data;
}

G_END_DECLS
