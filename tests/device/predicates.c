/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Predicates of command buffers (device/command-buffer.h): commands that do nothing, branches that the device selects,
 * and blocks of iterations that it counts.
 */

#include "one-step.h"

#include <string.h>

/* Buffers of a recording: the vectors x, y and results, then a small one, then scratch memory. */
enum { N_RESULTS = 4, X = 0, Y, RESULTS, SMALL = RESULTS + N_RESULTS, SCRATCH, N_BUFFERS };

enum { SMALL_BYTES = STEP_BYTES, UNTOUCHED = -1 };

static const GhloBufferRef nowhere = { GHLO_STEP_NONE, 0 };

static Step *step;
static const GhloCommandBufferClass *commands;
static guint8 *addresses[N_BUFFERS];

/* A step that adds 3 and 4, if the device has command buffers. */
static gboolean
begin_case (void)
{
  commands = contract_command_buffers ();
  step = commands != NULL ? step_new ("add", STEP_PREDICATED) : NULL;
  if (step == NULL)
    return FALSE;
  addresses[X] = step_alloc (3);
  addresses[Y] = step_alloc (4);
  for (guint i = 0; i < N_RESULTS; i++)
    addresses[RESULTS + i] = step_alloc (UNTOUCHED);
  addresses[SMALL] = contract_alloc (GHLO_MEMORY_DEVICE, SMALL_BYTES, NULL);
  addresses[SCRATCH] = contract_alloc (GHLO_MEMORY_DEVICE, step->scratch, NULL);

  return TRUE;
}

static void
end_case (void)
{
  for (guint i = 0; i < SMALL; i++)
    step_release (addresses[i]);
  contract_free (addresses[SMALL], SMALL_BYTES);
  contract_free (addresses[SCRATCH], step->scratch);
  g_clear_pointer (&step, step_free);
  contract_finish ();
}

static void
put_add (GhloCommandBuffer *recording,
         guint              result)
{
  step_record (step, recording, X, Y, RESULTS + result, SCRATCH);
}

static GhloCommandBuffer *
begin_recording (GhloBufferExtent *extents)
{
  return step_begin (extents, N_BUFFERS, MAX (STEP_BYTES, step->scratch));
}

/* Runs, and checks that just the results in the set @written, a bit each, were written. */
static void
check_written (GhloCommandBuffer *recording,
               guint              written)
{
  for (guint i = 0; i < N_RESULTS; i++)
    step_set (addresses[RESULTS + i], UNTOUCHED);
  step_replay (recording, addresses);
  for (guint i = 0; i < N_RESULTS; i++)
    g_assert_true (step_holds (addresses[RESULTS + i], (written >> i & 1) != 0 ? 7 : UNTOUCHED));
}

/* Commands under a predicate of 0 write nothing. */
static void
test_set (void)
{
  enum { FIRST = 12, SECOND = 64 };
  const GhloBufferRef first = { SMALL, FIRST }, second = { SMALL, SECOND };
  GhloBufferExtent extents[N_BUFFERS];
  GhloCommandBuffer *recording;
  GhloBufferRef previous;

  if (!begin_case ())
    return;
  recording = begin_recording (extents);
  previous = commands->set_predicate (recording, first);
  g_assert_cmpuint (previous.buffer, ==, GHLO_STEP_NONE);
  put_add (recording, 0);
  previous = commands->set_predicate (recording, second);
  g_assert_cmpuint (previous.buffer, ==, SMALL);
  g_assert_cmpint (previous.offset, ==, FIRST);
  put_add (recording, 1);
  previous = commands->set_predicate (recording, nowhere);
  g_assert_cmpint (previous.offset, ==, SECOND);
  put_add (recording, 2);
  commands->end (recording, 0);
  for (guint i = 0; i < 4; i++)
    {
      guint8 bytes[SMALL_BYTES];

      /* Only the byte itself counts. */
      memset (bytes, 0xff, sizeof bytes);
      bytes[FIRST] = (i & 1) != 0 ? 1 : 0;
      bytes[SECOND] = (i & 2) != 0 ? 1 : 0;
      contract_upload (bytes, addresses[SMALL], sizeof bytes);
      check_written (recording, i | 4);
    }
  commands->free (recording);
  end_case ();
}

/* Sets the index or the predicate that a branch is selected by. */
static void
set_index (gsize  offset,
           gint32 index)
{
  contract_upload (&index, addresses[SMALL] + offset, sizeof index);
}

/* Records a result for each of @n branches, and the last result after them. */
static void
put_branches (GhloCommandBuffer *recording,
              gsize              offset,
              gboolean           is_if,
              guint              n)
{
  GhloBufferRef predicate = nowhere, around = nowhere;
  g_autoptr (GError) error = NULL;

  g_assert_true (commands->select_branch (recording, (GhloBufferRef) { SMALL, (gint64) offset }, is_if, n, &predicate,
                                          &error));
  g_assert_no_error (error);
  for (guint i = 0; i < n; i++)
    {
      const GhloBufferRef previous = commands->set_predicate (recording, predicate);

      around = i == 0 ? previous : around;
      put_add (recording, i);
      predicate.offset += GHLO_STEP_PREDICATE_STRIDE;
    }
  commands->set_predicate (recording, around);
}

static gboolean
can_select (void)
{
  if (!begin_case ())
    return FALSE;
  if (commands->select_branch != NULL)
    return TRUE;
  g_test_skip ("the device does not select branches");
  end_case ();

  return FALSE;
}

/* One branch is taken, the last one for an index out of range. */
static void
test_case (void)
{
  static const gint32 indices[] = { 0, 1, 2, 3, -1, 256, G_MAXINT32, G_MININT32 };
  enum { OFFSET = 8, N = 3 };
  GhloBufferExtent extents[N_BUFFERS];
  GhloCommandBuffer *recording;

  if (!can_select ())
    return;
  recording = begin_recording (extents);
  put_branches (recording, OFFSET, FALSE, N);
  put_add (recording, N);
  commands->end (recording, 0);
  for (guint i = 0; i < G_N_ELEMENTS (indices); i++)
    {
      const guint taken = indices[i] >= 0 && indices[i] < N ? (guint) indices[i] : N - 1;

      set_index (OFFSET, indices[i]);
      check_written (recording, 1u << taken | 1u << N);
    }
  commands->free (recording);
  end_case ();
}

/* The first branch is taken if the byte is not 0, whatever the bytes after it are. */
static void
test_if (void)
{
  static const gint32 bytes[] = { 0, 1, 0x80, 0xff, 0x100, 0x7fffff00 };
  enum { OFFSET = 20 };
  GhloBufferExtent extents[N_BUFFERS];
  GhloCommandBuffer *recording;

  if (!can_select ())
    return;
  recording = begin_recording (extents);
  put_branches (recording, OFFSET, TRUE, 2);
  commands->end (recording, 0);
  for (guint i = 0; i < G_N_ELEMENTS (bytes); i++)
    {
      set_index (OFFSET, bytes[i]);
      check_written (recording, (bytes[i] & 0xff) != 0 ? 1 : 2);
    }
  commands->free (recording);
  end_case ();
}

/* A branch inside a branch: none of the inner ones is taken where the outer one is not. */
static void
test_nested (void)
{
  enum { OUTER = 0, INNER = 64 };
  GhloBufferExtent extents[N_BUFFERS];
  GhloCommandBuffer *recording;
  GhloBufferRef predicate = nowhere, around;
  g_autoptr (GError) error = NULL;

  if (!can_select ())
    return;
  recording = begin_recording (extents);
  g_assert_true (commands->select_branch (recording, (GhloBufferRef) { SMALL, OUTER }, FALSE, 2, &predicate, &error));
  g_assert_no_error (error);
  around = commands->set_predicate (recording, predicate);
  put_branches (recording, INNER, FALSE, 3);
  predicate.offset += GHLO_STEP_PREDICATE_STRIDE;
  g_assert_cmpint (commands->set_predicate (recording, predicate).offset, ==,
                   predicate.offset - GHLO_STEP_PREDICATE_STRIDE);
  put_add (recording, 3);
  commands->set_predicate (recording, around);
  commands->end (recording, 0);
  for (gint32 outer = 0; outer < 2; outer++)
    for (gint32 inner = 0; inner < 3; inner++)
      {
        set_index (OUTER, outer);
        set_index (INNER, inner);
        check_written (recording, outer == 0 ? 1u << inner : 8);
      }
  commands->free (recording);
  end_case ();
}

/* Blocks of iterations of a loop. */
enum { N_ITERATIONS = 4, STRIDE = 64, STATE = 1024, PREDICATES = 2048 + 2 };

/* The predicates were reset, and what is not in the same words is as it was. */
static void
assert_reset (const guint8 *predicates,
              guint8        between)
{
  for (guint i = 0; i < N_ITERATIONS * STRIDE; i++)
    if (i % STRIDE == 0)
      g_assert_cmpuint (predicates[i], ==, 0);
    else if (i % STRIDE >= sizeof (guint32) && i % STRIDE < STRIDE - sizeof (guint32))
      g_assert_cmpuint (predicates[i], ==, between);
}

/* What a block of which the first @n_true conditions gave TRUE leaves, after @n_before iterations of other blocks. */
static void
check_block (GhloCommandBuffer *block,
             const guint8      *report_host,
             guint              n_true,
             guint              n_before)
{
  guint8 predicates[N_ITERATIONS * STRIDE], state[GHLO_STEP_LOOP_STATE];
  guint32 report;

  memset (predicates, 0xee, sizeof predicates);
  for (guint i = 0; i < N_ITERATIONS; i++)
    predicates[i * STRIDE] = i < n_true ? 1 : 0;
  contract_upload (predicates, addresses[SMALL] + PREDICATES, sizeof predicates);
  step_replay (block, addresses);
  contract_finish ();
  memcpy (&report, report_host, sizeof report);
  g_assert_cmpuint (report, ==, 2 * (n_before + n_true) + (n_true == N_ITERATIONS ? 1 : 0));
  contract_download (addresses[SMALL] + STATE, state, sizeof state);
  g_assert_cmpuint (state[0], ==, n_true == N_ITERATIONS ? 1 : 0);
  g_assert_cmpuint (state[GHLO_STEP_LOOP_ENDED], ==, n_true == N_ITERATIONS - 1 ? 1 : 0);
  contract_download (addresses[SMALL] + PREDICATES, predicates, sizeof predicates);
  assert_reset (predicates, 0xee);
}

/* The number of iterations is accumulated over blocks, and begins at 0 again. */
static void
test_count (void)
{
  const GhloBufferRef predicates = { SMALL, PREDICATES }, state = { SMALL, STATE }, report = { RESULTS, 0 };
  GhloBufferExtent extents[N_BUFFERS];
  GhloCommandBuffer *begin, *block;
  guint8 *readback, *host, *kept;
  g_autoptr (GError) error = NULL;

  if (!begin_case ())
    return;
  if (commands->count_iterations == NULL)
    {
      g_test_skip ("the device does not count iterations");
      end_case ();
      return;
    }
  readback = contract_alloc (GHLO_MEMORY_READBACK, STEP_BYTES, &host);
  /* Who counts iterations lets the host see how many there were. */
  g_assert_nonnull (host);
  kept = addresses[RESULTS];
  addresses[RESULTS] = readback;
  begin = begin_recording (extents);
  g_assert_true (commands->count_iterations (begin, predicates, N_ITERATIONS, STRIDE, state, nowhere, &error));
  g_assert_no_error (error);
  commands->end (begin, 0);
  block = begin_recording (extents);
  g_assert_true (commands->count_iterations (block, predicates, N_ITERATIONS, STRIDE, state, report, &error));
  g_assert_no_error (error);
  commands->end (block, 0);
  for (guint n = 0; n <= N_ITERATIONS; n++)
    {
      guint8 bytes[N_ITERATIONS * STRIDE];

      memset (bytes, 0xaa, sizeof bytes);
      contract_upload (bytes, addresses[SMALL] + PREDICATES, sizeof bytes);
      step_replay (begin, addresses);
      contract_download (addresses[SMALL] + PREDICATES, bytes, sizeof bytes);
      assert_reset (bytes, 0xaa);
      check_block (block, host, N_ITERATIONS, 0);
      check_block (block, host, N_ITERATIONS, N_ITERATIONS);
      check_block (block, host, n, 2 * N_ITERATIONS);
    }
  commands->free (begin);
  commands->free (block);
  addresses[RESULTS] = kept;
  contract_free (readback, STEP_BYTES);
  end_case ();
}

/* The state is a predicate, and so is what is written when the loop has ended. */
static void
test_predicate_of_count (void)
{
  const GhloBufferRef predicates = { SMALL, PREDICATES }, state = { SMALL, STATE }, report = { SMALL, 0 };
  GhloBufferExtent extents[N_BUFFERS];
  GhloCommandBuffer *recording;
  g_autoptr (GError) error = NULL;

  if (!begin_case ())
    return;
  if (commands->count_iterations == NULL)
    {
      g_test_skip ("the device does not count iterations");
      end_case ();
      return;
    }
  recording = begin_recording (extents);
  g_assert_true (commands->count_iterations (recording, predicates, N_ITERATIONS, STRIDE, state, report, &error));
  g_assert_no_error (error);
  commands->set_predicate (recording, state);
  put_add (recording, 0);
  commands->set_predicate (recording, (GhloBufferRef) { SMALL, STATE + GHLO_STEP_LOOP_ENDED });
  put_add (recording, 1);
  commands->set_predicate (recording, nowhere);
  put_add (recording, 2);
  commands->end (recording, 0);
  for (guint n = 0; n <= N_ITERATIONS; n++)
    {
      guint8 bytes[N_ITERATIONS * STRIDE] = { 0 };

      contract_upload (bytes, addresses[SMALL] + STATE, GHLO_STEP_LOOP_STATE);
      for (guint i = 0; i < n; i++)
        bytes[i * STRIDE] = 1;
      contract_upload (bytes, addresses[SMALL] + PREDICATES, sizeof bytes);
      check_written (recording, (n == N_ITERATIONS ? 1 : 0) | (n == N_ITERATIONS - 1 ? 2 : 0) | 4);
    }
  commands->free (recording);
  end_case ();
}

void
contract_add_predicate_cases (void)
{
  contract_add ("/device/predicates/set", test_set);
  contract_add ("/device/predicates/case", test_case);
  contract_add ("/device/predicates/if", test_if);
  contract_add ("/device/predicates/nested", test_nested);
  contract_add ("/device/predicates/count", test_count);
  contract_add ("/device/predicates/of-count", test_predicate_of_count);
}
