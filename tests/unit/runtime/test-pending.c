/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Asynchronous work: every waiter and every callback sees its end exactly once.
 */

#include "runtime/pending.h"

#include "base/ghlo-error.h"

static void
count (gpointer data)
{
  g_atomic_int_inc ((gint *) data);
}

/* NULL stands for work that has ended. */
static void
test_nothing (void)
{
  g_autoptr (GError) error = NULL;
  gint n = 0;

  g_assert_true (ghlo_pending_is_done (NULL));
  g_assert_null (ghlo_pending_get_error (NULL));
  g_assert_true (ghlo_pending_wait (NULL, NULL, &error));
  g_assert_no_error (error);
  ghlo_pending_notify (NULL, count, &n);
  g_assert_cmpint (n, ==, 1);
}

static void
test_end (void)
{
  for (guint fails = 0; fails < 2; fails++)
    {
      g_autoptr (GhloPending) pending = ghlo_pending_new ();
      gint n = 0;

      g_assert_false (ghlo_pending_is_done (pending));
      g_assert_null (ghlo_pending_get_error (pending));
      ghlo_pending_notify (pending, count, &n);
      ghlo_pending_notify (pending, count, &n);
      g_assert_cmpint (n, ==, 0);
      ghlo_pending_end (pending, fails ? g_error_new (GHLO_ERROR, GHLO_ERROR_DEVICE, "it broke") : NULL);
      g_assert_cmpint (n, ==, 2);
      ghlo_pending_notify (pending, count, &n);
      g_assert_cmpint (n, ==, 3);
      g_assert_true (ghlo_pending_is_done (pending));
      g_assert_true ((ghlo_pending_get_error (pending) != NULL) == fails);
      /* Every waiter gets the error. */
      for (guint i = 0; i < 2; i++)
        {
          g_autoptr (GError) error = NULL;

          g_assert_true (ghlo_pending_wait (pending, NULL, &error) == !fails);
          if (fails)
            g_assert_error (error, GHLO_ERROR, GHLO_ERROR_DEVICE);
        }
    }
}

/* The callback may drop the last reference. */
static void
test_last_reference (void)
{
  GhloPending *pending = ghlo_pending_new ();

  ghlo_pending_notify (pending, (GhloPendingFunc) ghlo_pending_unref, pending);
  ghlo_pending_end (pending, NULL);
}

enum { N_THREADS = 4, N_ROUNDS = 300 };

typedef struct
{
  GhloPending *pending;
  gint         n_called;
  guint        delay;      /* microseconds before the work ends */
} Round;

static gpointer
wait_for_end (gpointer data)
{
  Round *round = data;
  g_autoptr (GError) error = NULL;

  ghlo_pending_notify (round->pending, count, &round->n_called);
  g_assert_true (ghlo_pending_wait (round->pending, NULL, &error));
  g_assert_no_error (error);
  ghlo_pending_notify (round->pending, count, &round->n_called);

  return NULL;
}

/* The work ends while other threads begin to wait, polling or sleeping. */
static void
test_threads (void)
{
  for (guint i = 0; i < N_ROUNDS; i++)
    {
      Round round = { ghlo_pending_new (), 0, i % 3 * 60 };
      GThread *threads[N_THREADS];

      for (guint t = 0; t < N_THREADS; t++)
        threads[t] = g_thread_new (NULL, wait_for_end, &round);
      g_usleep (round.delay);
      ghlo_pending_end (round.pending, NULL);
      for (guint t = 0; t < N_THREADS; t++)
        g_thread_join (threads[t]);
      g_assert_cmpint (round.n_called, ==, 2 * N_THREADS);
      ghlo_pending_unref (round.pending);
    }
}

static gpointer
cancel_later (gpointer data)
{
  g_usleep (20000);
  g_cancellable_cancel (data);

  return NULL;
}

/* A waiter may give up; the work continues. */
static void
test_cancel (void)
{
  g_autoptr (GhloPending) pending = ghlo_pending_new ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const GhloMonitor monitor = { .cancellable = cancellable };
  g_autoptr (GError) error = NULL;
  GThread *thread = g_thread_new (NULL, cancel_later, cancellable);

  g_assert_false (ghlo_pending_wait (pending, &monitor, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_thread_join (thread);
  g_assert_false (ghlo_pending_is_done (pending));
  g_clear_error (&error);
  g_assert_false (ghlo_pending_wait (pending, &monitor, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  ghlo_pending_end (pending, NULL);
  g_assert_true (ghlo_pending_wait (pending, &monitor, &error));
  g_assert_no_error (error);
}

/* A source whose work is only seen to end by polling: at the third poll. */
typedef struct
{
  guint  n_looks, n_told;
  gint64 time;
} Looked;

static gboolean
looked_has_ended (gpointer   data,
                  guint64    number,
                  GError   **error)
{
  Looked *self = data;

  g_assert_cmpuint (number, ==, 7);

  return ++self->n_looks >= 3;
}

static gint64
looked_get_patience (gpointer data)
{
  return 60 * G_USEC_PER_SEC;
}

static void
looked_took (gpointer data,
             gint64   time)
{
  Looked *self = data;

  self->n_told++;
  self->time = time;
}

/* A waiter polls for as long as the source says, and reports once how long the work took. */
static void
test_patience (void)
{
  static const GhloPendingSource source = {
    .has_ended = looked_has_ended, .get_patience = looked_get_patience, .record_time = looked_took,
  };
  Looked looked = { 0 };
  g_autoptr (GhloPending) pending = ghlo_pending_new_of (&source, &looked, 7);
  g_autoptr (GError) error = NULL;

  g_usleep (2000);
  g_assert_true (ghlo_pending_wait (pending, NULL, &error));
  g_assert_true (ghlo_pending_poll (pending));
  g_assert_cmpuint (looked.n_looks, ==, 3);
  g_assert_cmpuint (looked.n_told, ==, 1);
  g_assert_cmpint (looked.time, >=, 2000);
  g_assert_cmpint (looked.time, <, 60 * G_USEC_PER_SEC);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/pending/nothing", test_nothing);
  g_test_add_func ("/pending/end", test_end);
  g_test_add_func ("/pending/last-reference", test_last_reference);
  g_test_add_func ("/pending/threads", test_threads);
  g_test_add_func ("/pending/cancel", test_cancel);
  g_test_add_func ("/pending/patience", test_patience);

  return g_test_run ();
}
