/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The queue (device/queue.h) and its fences (device/fence.h): order, waiting, callbacks, timing. The work is copies.
 */

#include "contract.h"

enum { N_BLOCKS = 8, LARGE = 8 << 20, N_THREADS = 4 };

/* Puts copies into the queue that take some milliseconds. @blocks are two, of LARGE bytes. */
static void
put_work (guint8 *const *blocks)
{
  for (guint i = 0; i < 6; i++)
    contract_copy (blocks[i % 2], blocks[(i + 1) % 2], LARGE);
}

static void
alloc_large (guint8 **blocks)
{
  for (guint i = 0; i < 2; i++)
    blocks[i] = contract_alloc (GHLO_MEMORY_DEVICE, LARGE, NULL);
  contract_upload_filled (blocks[0], LARGE, 1);
}

static void
free_large (guint8 **blocks)
{
  for (guint i = 0; i < 2; i++)
    contract_free (blocks[i], LARGE);
}

/* What was put in later sees what was put in earlier: bytes go round a ring of blocks. */
static void
test_order (void)
{
  enum { SIZE = 1000, N_ROUNDS = 50 };
  guint8 *blocks[N_BLOCKS];

  if (contract_memory () == NULL)
    return;
  for (guint i = 0; i < N_BLOCKS; i++)
    {
      blocks[i] = contract_alloc (GHLO_MEMORY_DEVICE, SIZE, NULL);
      contract_upload_filled (blocks[i], SIZE, 100 + i);
    }
  for (guint round = 0; round < N_ROUNDS; round++)
    {
      /* The upload follows the copies of the round before, which read the old bytes. */
      contract_upload_filled (blocks[0], SIZE, round);
      for (guint i = 0; i + 1 < N_BLOCKS; i++)
        contract_copy (blocks[i], blocks[i + 1], SIZE);
    }
  for (guint i = 0; i < N_BLOCKS; i++)
    g_assert_true (contract_holds_filled (blocks[i], SIZE, N_ROUNDS - 1));
  /* Against the direction: each block gets the bytes that its neighbour had before. */
  for (guint i = 0; i < N_BLOCKS; i++)
    contract_upload_filled (blocks[i], SIZE, i);
  for (guint i = 0; i + 1 < N_BLOCKS; i++)
    contract_copy (blocks[i + 1], blocks[i], SIZE);
  for (guint i = 0; i < N_BLOCKS; i++)
    {
      g_assert_true (contract_holds_filled (blocks[i], SIZE, MIN (i + 1, N_BLOCKS - 1)));
      contract_free (blocks[i], SIZE);
    }
}

/* An upload waits for what reads the old bytes, and a download for what writes the new ones. */
static void
test_transfers (void)
{
  guint8 *blocks[2], *copy;

  if (contract_queue () == NULL)
    return;
  alloc_large (blocks);
  copy = contract_alloc (GHLO_MEMORY_DEVICE, LARGE, NULL);
  for (guint i = 1; i < 4; i++)
    {
      put_work (blocks);
      contract_copy (blocks[0], copy, LARGE);
      contract_upload_filled (blocks[0], LARGE, i + 1);
      g_assert_true (contract_holds_filled (copy, LARGE, i));
      g_assert_true (contract_holds_filled (blocks[0], LARGE, i + 1));
    }
  contract_free (copy, LARGE);
  free_large (blocks);
}

static void
move_about (guint thread)
{
  enum { SIZE = 10000, N_ROUNDS = 30 };
  guint8 *blocks[2];

  for (guint i = 0; i < 2; i++)
    blocks[i] = contract_alloc (GHLO_MEMORY_DEVICE, SIZE, NULL);
  for (guint round = 0; round < N_ROUNDS; round++)
    {
      contract_upload_filled (blocks[round % 2], SIZE, thread * N_ROUNDS + round);
      contract_copy (blocks[round % 2], blocks[(round + 1) % 2], SIZE);
      g_assert_true (contract_holds_filled (blocks[(round + 1) % 2], SIZE, thread * N_ROUNDS + round));
    }
  for (guint i = 0; i < 2; i++)
    contract_free (blocks[i], SIZE);
}

/* Any thread may put in work; each sees its own in order. */
static void
test_threads (void)
{
  if (contract_memory () != NULL)
    contract_run_threads (N_THREADS, move_about);
}

/* Fences end in the order of the queue, and what they stand for has been done then. */
static void
test_fences (void)
{
  enum { N_FENCES = 10 };
  GhloDeviceQueue *queue = contract_queue ();
  GhloFence *fences[N_FENCES];
  guint8 *blocks[2];
  g_autoptr (GError) error = NULL;

  if (queue == NULL)
    return;
  alloc_large (blocks);
  for (guint i = 0; i < N_FENCES; i++)
    {
      put_work (blocks);
      fences[i] = queue->klass->add_fence (queue, i % 2 == 0 ? GHLO_WAIT_FOR_RUN : GHLO_WAIT_IN_RUN);
    }
  g_assert_true (queue->klass->submit (queue, &error));
  g_assert_no_error (error);
  for (gint i = N_FENCES - 1; i >= 0; i -= 3)
    {
      g_assert_true (ghlo_fence_wait (fences[i], NULL, &error));
      g_assert_no_error (error);
    }
  for (guint i = 0; i < N_FENCES; i++)
    {
      g_assert_true (ghlo_fence_has_ended (fences[i]));
      g_assert_true (ghlo_fence_is_done (fences[i]));
      g_assert_null (ghlo_fence_get_error (fences[i]));
      g_clear_pointer (&fences[i], ghlo_fence_unref);
    }
  g_assert_true (contract_holds_filled (blocks[0], LARGE, 1));
  free_large (blocks);
}

/* Somebody who waits need not submit; who only asks has to. */
static void
test_submit (void)
{
  GhloDeviceQueue *queue = contract_queue ();
  guint8 *blocks[2];
  g_autoptr (GError) error = NULL;

  if (queue == NULL)
    return;
  alloc_large (blocks);
  for (guint asks = 0; asks < 2; asks++)
    {
      g_autoptr (GhloFence) fence = NULL;
      const gint64 limit = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;

      put_work (blocks);
      fence = queue->klass->add_fence (queue, GHLO_WAIT_FOR_RUN);
      if (asks)
        {
          g_assert_true (queue->klass->submit (queue, &error));
          while (!ghlo_fence_has_ended (fence))
            {
              g_assert_cmpint (g_get_monotonic_time (), <, limit);
              g_usleep (100);
            }
        }
      g_assert_true (ghlo_fence_wait (fence, NULL, &error));
      g_assert_no_error (error);
    }
  free_large (blocks);
}

/* With nothing in the queue, a fence has ended already. */
static void
test_idle (void)
{
  GhloDeviceQueue *queue = contract_queue ();
  g_autoptr (GhloFence) fence = NULL;
  g_autoptr (GError) error = NULL;

  if (queue == NULL)
    return;
  contract_finish ();
  queue->klass->settle (queue);
  fence = queue->klass->add_fence (queue, GHLO_WAIT_FOR_RUN);
  g_assert_true (queue->klass->submit (queue, &error));
  g_assert_true (ghlo_fence_wait (fence, NULL, &error));
  g_assert_no_error (error);
}

/* A fence that several threads wait for. */
static struct
{
  GhloFence *fence;
  gint       n_called, n_done;
} shared;

static void
called (gpointer data)
{
  /* The work has ended when a callback is called. */
  if (ghlo_fence_is_done (shared.fence))
    g_atomic_int_inc (&shared.n_done);
  g_atomic_int_inc (&shared.n_called);
}

static void
wait_and_notify (guint thread)
{
  g_autoptr (GError) error = NULL;

  if (thread % 2 == 0)
    ghlo_fence_notify (shared.fence, called, NULL);
  g_assert_true (ghlo_fence_wait (shared.fence, NULL, &error));
  g_assert_no_error (error);
  if (thread % 2 != 0)
    ghlo_fence_notify (shared.fence, called, NULL);
}

/* Each waiter learns of the end, and each callback is called once. */
static void
test_waiters (void)
{
  enum { N_ROUNDS = 20 };
  GhloDeviceQueue *queue = contract_queue ();
  guint8 *blocks[2];

  if (queue == NULL)
    return;
  alloc_large (blocks);
  for (guint i = 0; i < N_ROUNDS; i++)
    {
      const gint64 limit = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;

      put_work (blocks);
      shared.fence = queue->klass->add_fence (queue, GHLO_WAIT_FOR_RUN);
      shared.n_called = shared.n_done = 0;
      ghlo_fence_notify (shared.fence, called, NULL);
      contract_run_threads (N_THREADS, wait_and_notify);
      /* A callback that another thread makes may still be on its way. */
      while (g_atomic_int_get (&shared.n_called) < N_THREADS + 1 && g_get_monotonic_time () < limit)
        g_usleep (100);
      g_assert_cmpint (g_atomic_int_get (&shared.n_called), ==, N_THREADS + 1);
      g_assert_cmpint (g_atomic_int_get (&shared.n_done), ==, N_THREADS + 1);
      g_clear_pointer (&shared.fence, ghlo_fence_unref);
    }
  contract_finish ();
  g_assert_cmpint (g_atomic_int_get (&shared.n_called), ==, N_THREADS + 1);
  free_large (blocks);
}

/* A waiter may give up, and the work goes on. */
static void
test_give_up (void)
{
  GhloDeviceQueue *queue = contract_queue ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const GhloMonitor monitor = { .cancellable = cancellable };
  g_autoptr (GhloFence) fence = NULL;
  g_autoptr (GError) error = NULL;
  guint8 *blocks[2];

  if (queue == NULL)
    return;
  alloc_large (blocks);
  g_cancellable_cancel (cancellable);
  put_work (blocks);
  fence = queue->klass->add_fence (queue, GHLO_WAIT_FOR_RUN);
  if (!ghlo_fence_wait (fence, &monitor, &error))
    g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  g_assert_true (ghlo_fence_wait (fence, NULL, &error));
  g_assert_no_error (error);
  g_assert_true (contract_holds_filled (blocks[0], LARGE, 1));
  free_large (blocks);
}

/* Everything that was submitted has been done when settle () returns. */
static void
test_settle (void)
{
  GhloDeviceQueue *queue = contract_queue ();
  g_autoptr (GhloFence) fence = NULL;
  g_autoptr (GError) error = NULL;
  guint8 *blocks[2], *seen, *host;

  if (queue == NULL)
    return;
  alloc_large (blocks);
  seen = contract_alloc (GHLO_MEMORY_READBACK, LARGE, &host);
  put_work (blocks);
  contract_copy (blocks[0], seen, LARGE);
  fence = queue->klass->add_fence (queue, GHLO_WAIT_FOR_RUN);
  g_assert_true (queue->klass->submit (queue, &error));
  queue->klass->settle (queue);
  g_assert_true (ghlo_fence_has_ended (fence));
  if (host != NULL)
    g_assert_true (contract_is_filled (host, LARGE, 1));
  contract_free (seen, LARGE);
  free_large (blocks);
}

/* Measured work has been done at the end, and took some time, if the device has a clock. */
static void
test_timing (void)
{
  GhloDeviceQueue *queue = contract_queue ();
  g_autoptr (GError) error = NULL;
  guint8 *blocks[2], *seen, *host;

  if (queue == NULL)
    return;
  alloc_large (blocks);
  seen = contract_alloc (GHLO_MEMORY_READBACK, LARGE, &host);
  for (guint i = 0; i < 3; i++)
    {
      const gint64 start = g_get_monotonic_time ();
      gint64 nanoseconds = G_MININT64;

      contract_upload_filled (blocks[0], LARGE, i);
      g_assert_true (queue->klass->begin_timing (queue, &error));
      g_assert_no_error (error);
      put_work (blocks);
      contract_copy (blocks[0], seen, LARGE);
      g_assert_true (queue->klass->end_timing (queue, &nanoseconds, NULL, &error));
      g_assert_no_error (error);
      g_assert_true (nanoseconds == -1 || nanoseconds > 0);
      g_assert_cmpint (nanoseconds / 1000, <=, g_get_monotonic_time () - start);
      if (host != NULL)
        g_assert_true (contract_is_filled (host, LARGE, i));
    }
  contract_free (seen, LARGE);
  free_large (blocks);
}

void
contract_add_queue_cases (void)
{
  contract_add ("/device/queue/order", test_order);
  contract_add ("/device/queue/transfers", test_transfers);
  contract_add ("/device/queue/threads", test_threads);
  contract_add ("/device/queue/submit", test_submit);
  contract_add ("/device/queue/idle", test_idle);
  contract_add ("/device/queue/settle", test_settle);
  contract_add ("/device/queue/timing", test_timing);
  contract_add ("/device/fence/order", test_fences);
  contract_add ("/device/fence/waiters", test_waiters);
  contract_add ("/device/fence/give-up", test_give_up);
}
