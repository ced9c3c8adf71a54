/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Asynchronous work: every waiter and every callback sees its end exactly once.
 */

#include "device/queue.h"

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

  g_assert_true (ghlo_fence_is_done (NULL));
  g_assert_null (ghlo_fence_get_error (NULL));
  g_assert_true (ghlo_fence_wait (NULL, NULL, &error));
  g_assert_no_error (error);
  ghlo_fence_notify (NULL, count, &n);
  g_assert_cmpint (n, ==, 1);
}

static void
test_end (void)
{
  for (guint fails = 0; fails < 2; fails++)
    {
      g_autoptr (GhloFence) fence = ghlo_fence_new ();
      gint n = 0;

      g_assert_false (ghlo_fence_is_done (fence));
      g_assert_null (ghlo_fence_get_error (fence));
      ghlo_fence_notify (fence, count, &n);
      ghlo_fence_notify (fence, count, &n);
      g_assert_cmpint (n, ==, 0);
      ghlo_fence_signal (fence, fails ? g_error_new (GHLO_ERROR, GHLO_ERROR_DEVICE, "it broke") : NULL);
      g_assert_cmpint (n, ==, 2);
      ghlo_fence_notify (fence, count, &n);
      g_assert_cmpint (n, ==, 3);
      g_assert_true (ghlo_fence_is_done (fence));
      g_assert_true ((ghlo_fence_get_error (fence) != NULL) == fails);
      /* Every waiter gets the error. */
      for (guint i = 0; i < 2; i++)
        {
          g_autoptr (GError) error = NULL;

          g_assert_true (ghlo_fence_wait (fence, NULL, &error) == !fails);
          if (fails)
            g_assert_error (error, GHLO_ERROR, GHLO_ERROR_DEVICE);
        }
    }
}

/* The callback may drop the last reference. */
static void
test_last_reference (void)
{
  GhloFence *fence = ghlo_fence_new ();

  ghlo_fence_notify (fence, (GhloFenceFunc) ghlo_fence_unref, fence);
  ghlo_fence_signal (fence, NULL);
}

enum { N_THREADS = 4, N_ROUNDS = 300 };

typedef struct
{
  GhloFence *fence;
  gint         n_called;
  guint        delay;      /* microseconds before the work ends */
} Round;

static gpointer
wait_for_end (gpointer data)
{
  Round *round = data;
  g_autoptr (GError) error = NULL;

  ghlo_fence_notify (round->fence, count, &round->n_called);
  g_assert_true (ghlo_fence_wait (round->fence, NULL, &error));
  g_assert_no_error (error);
  ghlo_fence_notify (round->fence, count, &round->n_called);

  return NULL;
}

/* The work ends while other threads begin to wait, polling or sleeping. */
static void
test_threads (void)
{
  for (guint i = 0; i < N_ROUNDS; i++)
    {
      Round round = { ghlo_fence_new (), 0, i % 3 * 60 };
      GThread *threads[N_THREADS];

      for (guint t = 0; t < N_THREADS; t++)
        threads[t] = g_thread_new (NULL, wait_for_end, &round);
      g_usleep (round.delay);
      ghlo_fence_signal (round.fence, NULL);
      for (guint t = 0; t < N_THREADS; t++)
        g_thread_join (threads[t]);
      g_assert_cmpint (round.n_called, ==, 2 * N_THREADS);
      ghlo_fence_unref (round.fence);
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
  g_autoptr (GhloFence) fence = ghlo_fence_new ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const GhloMonitor monitor = { .cancellable = cancellable };
  g_autoptr (GError) error = NULL;
  GThread *thread = g_thread_new (NULL, cancel_later, cancellable);

  g_assert_false (ghlo_fence_wait (fence, &monitor, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_thread_join (thread);
  g_assert_false (ghlo_fence_is_done (fence));
  g_clear_error (&error);
  g_assert_false (ghlo_fence_wait (fence, &monitor, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  ghlo_fence_signal (fence, NULL);
  g_assert_true (ghlo_fence_wait (fence, &monitor, &error));
  g_assert_no_error (error);
}

/* A queue whose value is only seen to be reached by polling: at the third poll. */
typedef struct
{
  GhloDeviceQueue base;
  guint           n_looks;
} Looked;

static gboolean
looked_has_reached (GhloDeviceQueue  *queue,
                    guint64           value,
                    GError          **error)
{
  Looked *self = (Looked *) queue;

  g_assert_cmpuint (value, ==, 7);

  return ++self->n_looks >= 3;
}

/* A waiter polls for about as long as the last wait took, and records once how long this one took. */
static void
test_polling (void)
{
  static const GhloDeviceQueueClass klass = { .has_reached = looked_has_reached };
  Looked looked = { .base.klass = &klass };
  g_autoptr (GhloFence) fence = ghlo_fence_new_at (&looked.base, 7, GHLO_WAIT_IN_RUN);
  g_autoptr (GError) error = NULL;

  ghlo_device_queue_record_wait (&looked.base, GHLO_WAIT_IN_RUN, 200);
  g_assert_cmpint (ghlo_device_queue_get_polling_time (&looked.base, GHLO_WAIT_IN_RUN), ==, 400);
  g_assert_cmpint (ghlo_device_queue_get_polling_time (&looked.base, GHLO_WAIT_FOR_RUN), ==, 50);
  g_usleep (2000);
  g_assert_true (ghlo_fence_wait (fence, NULL, &error));
  g_assert_true (ghlo_fence_poll (fence));
  g_assert_cmpuint (looked.n_looks, ==, 3);
  /* More than 500 µs: not worth polling for. */
  g_assert_cmpint (ghlo_device_queue_get_polling_time (&looked.base, GHLO_WAIT_IN_RUN), ==, 50);
  looked.base.is_host = TRUE;
  g_assert_cmpint (ghlo_device_queue_get_polling_time (&looked.base, GHLO_WAIT_IN_RUN), ==, 0);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/fence/nothing", test_nothing);
  g_test_add_func ("/fence/end", test_end);
  g_test_add_func ("/fence/last-reference", test_last_reference);
  g_test_add_func ("/fence/threads", test_threads);
  g_test_add_func ("/fence/cancel", test_cancel);
  g_test_add_func ("/fence/polling", test_polling);

  return g_test_run ();
}
