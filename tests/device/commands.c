/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Command buffers (device/command-buffer.h): recorded once, run any number of times, in any memory.
 */

#include "one-step.h"

#include <string.h>

enum { N_VECTORS = 6, SCRATCH = N_VECTORS };

static Step *step;

/* A step that adds, if the device has command buffers. */
static gboolean
begin_case (StepUse use)
{
  step = contract_command_buffers () != NULL ? step_new ("add", use) : NULL;

  return step != NULL;
}

static void
end_case (void)
{
  g_clear_pointer (&step, step_free);
  contract_finish ();
}

/* Vectors, and scratch memory after them. */
static void
alloc_vectors (guint8       **addresses,
               const gint32  *numbers)
{
  for (guint i = 0; i < N_VECTORS; i++)
    addresses[i] = step_alloc (numbers[i]);
  addresses[SCRATCH] = contract_alloc (GHLO_MEMORY_DEVICE, step->scratch, NULL);
}

static void
assert_vectors (guint8 *const *addresses,
                const gint32  *numbers)
{
  for (guint i = 0; i < N_VECTORS; i++)
    g_assert_true (step_holds (addresses[i], numbers[i]));
}

static void
free_vectors (guint8 **addresses)
{
  for (guint i = 0; i < N_VECTORS; i++)
    step_release (addresses[i]);
  contract_free (addresses[SCRATCH], step->scratch);
}

static GhloCommandBuffer *
begin_recording (GhloBufferExtent *extents)
{
  return step_begin (extents, N_VECTORS + 1, MAX (STEP_BYTES, step->scratch));
}

/* The same commands in other memory each time, before earlier runs have ended. */
static void
test_addresses (void)
{
  enum { N_RUNS = 8 };
  const GhloCommandBufferClass *commands;
  guint8 *addresses[N_RUNS][N_VECTORS + 1];
  GhloBufferExtent extents[N_VECTORS + 1];
  GhloCommandBuffer *recording;

  if (!begin_case (STEP_PLAIN))
    return;
  commands = contract_command_buffers ();
  recording = begin_recording (extents);
  g_assert_cmpuint (recording->n_commands, ==, 0);
  step_record (step, recording, 0, 1, 2, SCRATCH);
  g_assert_cmpuint (recording->n_commands, >, 0);
  commands->end (recording, 0);
  for (guint i = 0; i < N_RUNS; i++)
    alloc_vectors (addresses[i], (const gint32[]) { (gint32) i, 10, 0, 0, 0, 0 });
  for (guint i = 0; i < N_RUNS; i++)
    {
      guint8 *given[N_VECTORS + 1];

      /* The list of addresses is the caller's again. */
      memcpy (given, addresses[i], sizeof given);
      step_replay (recording, given);
      memcpy (given, addresses[0], sizeof given);
    }
  for (guint i = 0; i < N_RUNS; i++)
    assert_vectors (addresses[i], (const gint32[]) { (gint32) i, 10, 10 + (gint32) i, 0, 0, 0 });
  commands->free (recording);
  for (guint i = 0; i < N_RUNS; i++)
    free_vectors (addresses[i]);
  end_case ();
}

/* Buffers of which the step uses a part: offsets in the recording, and addresses inside blocks. */
static void
test_offsets (void)
{
  const GhloCommandBufferClass *commands;
  const GhloBufferRef operands[] = { { 0, STEP_BYTES }, { 0, 2 * STEP_BYTES } }, result = { 1, 64 };
  const gsize size = 4 * STEP_BYTES;
  guint8 *block, *addresses[3];
  GhloBufferExtent extents[G_N_ELEMENTS (addresses)];
  GhloCommandBuffer *recording;
  g_autoptr (GError) error = NULL;

  if (!begin_case (STEP_PLAIN))
    return;
  commands = contract_command_buffers ();
  recording = step_begin (extents, G_N_ELEMENTS (extents), MAX (size, step->scratch));
  g_assert_true (step->implementation->record (step->compiled, operands, &result, (GhloBufferRef) { 2, 0 }, recording,
                                               &error));
  g_assert_no_error (error);
  commands->end (recording, 0);
  block = contract_alloc (GHLO_MEMORY_DEVICE, 2 * size, NULL);
  addresses[2] = contract_alloc (GHLO_MEMORY_DEVICE, step->scratch, NULL);
  for (guint i = 0; i < 3; i++)
    {
      addresses[0] = block + 64 * i;
      addresses[1] = block + size + 128 * i;
      step_set (addresses[1] + 64, -1);
      step_set (addresses[0] + STEP_BYTES, 5);
      step_set (addresses[0] + 2 * STEP_BYTES, 6 + (gint32) i);
      step_replay (recording, addresses);
      g_assert_true (step_holds (addresses[1] + 64, 11 + (gint32) i));
    }
  commands->free (recording);
  contract_free (block, 2 * size);
  contract_free (addresses[2], step->scratch);
  end_case ();
}

/* Each command sees what those before it wrote, and none overwrites what those before it read. */
static void
test_dependent (void)
{
  enum { N_SUMS = 9 };
  const GhloCommandBufferClass *commands;
  guint8 *addresses[N_VECTORS + 1];
  GhloBufferExtent extents[N_VECTORS + 1];
  GhloCommandBuffer *recording;
  /* The sums of Fibonacci: a command reads what the last one wrote, and writes what the last one read. */
  gint32 numbers[N_VECTORS] = { 1, 1, 0, 0, 0, 0 };

  if (!begin_case (STEP_PLAIN))
    return;
  commands = contract_command_buffers ();
  alloc_vectors (addresses, numbers);
  recording = begin_recording (extents);
  for (guint i = 0; i < N_SUMS; i++)
    {
      step_record (step, recording, i % 3, (i + 1) % 3, (i + 2) % 3, SCRATCH);
      step_record (step, recording, 5, (i + 2) % 3, 4, SCRATCH);
      step_record (step, recording, 4, 3, 5, SCRATCH);
    }
  commands->end (recording, 0);
  /* Across runs as well. */
  for (guint run = 0; run < 3; run++)
    {
      step_replay (recording, addresses);
      for (guint i = 0; i < N_SUMS; i++)
        {
          numbers[(i + 2) % 3] = numbers[i % 3] + numbers[(i + 1) % 3];
          numbers[4] = numbers[5] + numbers[(i + 2) % 3];
          numbers[5] = numbers[4] + numbers[3];
        }
      if (run == 0)
        {
          assert_vectors (addresses, numbers);
          for (guint i = 0; i < N_VECTORS; i++)
            step_set (addresses[i], numbers[i] = (gint32) i);
        }
    }
  assert_vectors (addresses, numbers);
  commands->free (recording);
  free_vectors (addresses);
  end_case ();
}

/* A recording is freed while a run of it is in the queue, and so is the memory that it uses. */
static void
test_free_early (void)
{
  const GhloCommandBufferClass *commands;
  guint8 *addresses[N_VECTORS + 1], *result;
  GhloBufferExtent extents[N_VECTORS + 1];

  if (!begin_case (STEP_PLAIN))
    return;
  commands = contract_command_buffers ();
  result = step_alloc (0);
  for (guint i = 0; i < 20; i++)
    {
      GhloCommandBuffer *recording;

      alloc_vectors (addresses, (const gint32[]) { (gint32) i, 1, 0, 0, 0, 0 });
      recording = begin_recording (extents);
      step_record (step, recording, 0, 1, 2, SCRATCH);
      step_record (step, recording, 2, 1, 3, SCRATCH);
      commands->end (recording, 0);
      step_replay (recording, addresses);
      commands->free (recording);
      contract_copy (addresses[3], result, STEP_BYTES);
      free_vectors (addresses);
      if (i % 3 == 0)
        g_assert_true (step_holds (result, (gint32) i + 2));
    }
  g_assert_true (step_holds (result, 21));
  step_release (result);
  end_case ();
}

/* Commands that are appended once more do the same again. */
static void
test_repeat (void)
{
  const GhloCommandBufferClass *commands;
  guint8 *addresses[N_VECTORS + 1];
  GhloBufferExtent extents[N_VECTORS + 1];
  GhloCommandBuffer *recording;
  guint n;

  if (!begin_case (STEP_IN_PLACE))
    return;
  commands = contract_command_buffers ();
  alloc_vectors (addresses, (const gint32[]) { 0, 1, 0, 5, 0, 0 });
  recording = begin_recording (extents);
  step_record (step, recording, 0, 1, 0, SCRATCH);
  n = recording->n_commands;
  step_record (step, recording, 3, 0, 3, SCRATCH);
  g_assert_cmpuint (recording->n_commands, ==, 2 * n);
  for (guint i = 0; i < 9; i++)
    commands->repeat (recording, 0, 2 * n);
  commands->repeat (recording, 0, n);
  g_assert_cmpuint (recording->n_commands, ==, 21 * n);
  commands->end (recording, 0);
  step_replay (recording, addresses);
  /* 5 plus the sum of 1 … 10. */
  assert_vectors (addresses, (const gint32[]) { 11, 1, 0, 60, 0, 0 });
  step_replay (recording, addresses);
  assert_vectors (addresses, (const gint32[]) { 22, 1, 0, 60 + 165, 0, 0 });
  commands->free (recording);
  free_vectors (addresses);
  end_case ();
}

/* Merging two commands changes nothing but their number. */
static void
test_merge (void)
{
  const GhloCommandBufferClass *commands;
  guint8 *addresses[N_VECTORS + 1];
  GhloBufferExtent extents[N_VECTORS + 1];
  g_autoptr (GError) error = NULL;

  if (!begin_case (STEP_PLAIN))
    return;
  commands = contract_command_buffers ();
  if (commands->merge_dispatches == NULL)
    {
      g_test_skip ("the device merges nothing");
      end_case ();
      return;
    }
  for (guint depends = 0; depends < 2; depends++)
    {
      GhloCommandBuffer *recording = begin_recording (extents);
      guint n, most;

      alloc_vectors (addresses, (const gint32[]) { 1, 2, 0, 3, 0, 0 });
      step_record (step, recording, 0, 1, 2, SCRATCH);
      n = recording->n_commands;
      step_record (step, recording, depends ? 2 : 0, 3, 4, SCRATCH);
      most = recording->n_commands;
      g_assert_true (commands->merge_dispatches (recording, n - 1, &error));
      g_assert_no_error (error);
      g_assert_cmpuint (recording->n_commands, <=, most);
      if (depends)
        g_assert_cmpuint (recording->n_commands, ==, most);
      step_record (step, recording, 4, 2, 5, SCRATCH);
      commands->end (recording, 0);
      step_replay (recording, addresses);
      assert_vectors (addresses, (const gint32[]) { 1, 2, 3, 3, depends ? 6 : 4, depends ? 9 : 7 });
      commands->free (recording);
      free_vectors (addresses);
    }
  end_case ();
}

/* A cancelled run is not put into the queue, or does all of its work. */
static void
test_cancel (void)
{
  const GhloCommandBufferClass *commands;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const GhloMonitor monitor = { .cancellable = cancellable };
  g_autoptr (GError) error = NULL;
  guint8 *addresses[N_VECTORS + 1];
  GhloBufferExtent extents[N_VECTORS + 1];
  GhloCommandBuffer *recording;

  if (!begin_case (STEP_PLAIN))
    return;
  commands = contract_command_buffers ();
  alloc_vectors (addresses, (const gint32[]) { 1, 2, 0, 0, 0, 0 });
  recording = begin_recording (extents);
  step_record (step, recording, 0, 1, 2, SCRATCH);
  commands->end (recording, 0);
  g_cancellable_cancel (cancellable);
  if (commands->replay (recording, addresses, &monitor, &error))
    g_assert_true (step_holds (addresses[2], 3));
  else
    g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  step_replay (recording, addresses);
  assert_vectors (addresses, (const gint32[]) { 1, 2, 3, 0, 0, 0 });
  commands->free (recording);
  free_vectors (addresses);
  end_case ();
}

static GhloCommandBuffer *shared;

static void
replay_shared (guint thread)
{
  guint8 *addresses[N_VECTORS + 1];

  alloc_vectors (addresses, (const gint32[]) { (gint32) thread, 1, 0, 0, 0, 0 });
  for (guint i = 0; i < 30; i++)
    {
      step_replay (shared, addresses);
      if (i % 3 == 0)
        g_assert_true (step_holds (addresses[0], (gint32) (thread + 2 * i + 2)));
    }
  assert_vectors (addresses, (const gint32[]) { (gint32) thread + 60, 1, (gint32) thread + 59, 0, 0, 0 });
  free_vectors (addresses);
}

/* Any number of threads run one recording at a time, each in memory of its own. */
static void
test_threads (void)
{
  const GhloCommandBufferClass *commands;
  GhloBufferExtent extents[N_VECTORS + 1];

  if (!begin_case (STEP_PLAIN))
    return;
  commands = contract_command_buffers ();
  shared = begin_recording (extents);
  step_record (step, shared, 0, 1, 2, SCRATCH);
  step_record (step, shared, 2, 1, 0, SCRATCH);
  commands->end (shared, 0);
  contract_run_threads (4, replay_shared);
  commands->free (shared);
  end_case ();
}

void
contract_add_command_cases (void)
{
  contract_add ("/device/commands/addresses", test_addresses);
  contract_add ("/device/commands/offsets", test_offsets);
  contract_add ("/device/commands/dependent", test_dependent);
  contract_add ("/device/commands/free-early", test_free_early);
  contract_add ("/device/commands/repeat", test_repeat);
  contract_add ("/device/commands/merge", test_merge);
  contract_add ("/device/commands/cancel", test_cancel);
  contract_add ("/device/commands/threads", test_threads);
}
