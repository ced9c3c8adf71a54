/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Steps (device/step.h): which there are, one by itself, and copies between any views.
 */

#include "ir/op-spec.h"
#include "one-step.h"

static void
check_implementation (const GhloStepImplementation *implementation)
{
  const GhloDeviceCore *device = contract_device ();

  g_assert_nonnull (implementation->name);
  g_assert_cmpstr (implementation->name, !=, "");
  g_assert_cmpuint (implementation->size, >, 0);
  if (device->command_buffers != NULL)
    g_assert_nonnull (implementation->record);
  else
    g_assert_nonnull (implementation->run);
}

/* The implementations of each operation are listed, each once, by the kind alone. */
static void
test_list (void)
{
  GhloDeviceCore *device = contract_device ();
  guint n_kinds = 0;

  if (device->klass->find_step == NULL)
    {
      g_test_skip ("the device makes no plans");
      return;
    }
  for (GhloIrOpKind kind = 0; kind < GHLO_N_OPS; kind++)
    {
      const GhloIrOp op = { .kind = kind };
      const GhloStepImplementation *found = NULL;
      g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

      while ((found = ghlo_device_core_find_step (device, &op, found)) != NULL)
        {
          g_assert_true (g_hash_table_add (seen, (gpointer) found));
          check_implementation (found);
        }
      n_kinds += g_hash_table_size (seen) > 0;
    }
  check_implementation (device->klass->copy_step);
  g_assert_cmpuint (n_kinds, >, 0);
}

/* One step, by itself, in place or not. Nothing but its result changes. */
static void
test_run (void)
{
  static const struct
  {
    const char *name;
    gint32      expected;
  } steps[] = { { "add", 11 }, { "subtract", -3 } };

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    for (StepUse use = STEP_PLAIN; use <= STEP_PREDICATED; use++)
      {
        Step *step = contract_device ()->klass->find_step != NULL ? step_new (steps[i].name, use) : NULL;
        guint8 *x, *y, *z;

        if (step == NULL)
          {
            g_test_skip ("the device has no such step");
            continue;
          }
        x = step_alloc (4);
        y = step_alloc (7);
        z = step_alloc (-1);
        step_run (step, x, y, use == STEP_IN_PLACE ? x : z);
        g_assert_true (step_holds (x, use == STEP_IN_PLACE ? steps[i].expected : 4));
        g_assert_true (step_holds (y, 7));
        g_assert_true (step_holds (z, use == STEP_IN_PLACE ? -1 : steps[i].expected));
        step_release (x);
        step_release (y);
        step_release (z);
        step_free (step);
      }
}

static Step *shared;

static void
run_shared (guint thread)
{
  enum { N_ROUNDS = 20 };
  guint8 *x = step_alloc ((gint32) thread), *y = step_alloc (1), *z = step_alloc (0);

  for (guint i = 0; i < N_ROUNDS; i++)
    {
      step_run (shared, i % 2 == 0 ? x : z, y, i % 2 == 0 ? z : x);
      g_assert_true (step_holds (i % 2 == 0 ? z : x, (gint32) (thread + i + 1)));
    }
  step_release (x);
  step_release (y);
  step_release (z);
}

/* A step is immutable: any number of threads run it. */
static void
test_threads (void)
{
  shared = contract_device ()->klass->find_step != NULL ? step_new ("add", STEP_PLAIN) : NULL;
  if (shared == NULL)
    {
      g_test_skip ("the device has no such step");
      return;
    }
  contract_run_threads (4, run_shared);
  g_clear_pointer (&shared, step_free);
}

/* A copy from one view to another. */
static void
copy_views (const GhloView *from,
            const GhloView *to,
            guint8         *source,
            guint8         *target)
{
  GhloDeviceCore *device = contract_device ();
  const GhloStepImplementation *implementation = device->klass->copy_step;
  const guint32 alias = GHLO_STEP_NONE, alignments[] = { 4, 4 };
  GhloStepRequest request = { .n_operands = 1, .n_results = 1, .operands = from, .results = to };
  GhloStepOperandSelection operand = { .in_place = GHLO_STEP_NONE };
  GhloStepSelection selection = { .operands = &operand };
  Step step = { .implementation = implementation };
  g_autoptr (GError) error = NULL;

  g_assert_true (ghlo_step_select (implementation, device, &request, &selection));
  ghlo_step_free (implementation, selection.selection_state);
  g_assert_false (operand.dense);
  request.aliases = &alias;
  request.alignments = alignments;
  request.scratch = step.scratch = selection.scratch;
  step.compiled = ghlo_step_compile_request (implementation, device, &request, NULL, &error);
  g_assert_no_error (error);
  if (device->command_buffers != NULL)
    {
      guint8 *addresses[] = { source, target, contract_alloc (GHLO_MEMORY_DEVICE, step.scratch, NULL) };
      const GhloBufferRef read = { 0, 0 }, written = { 1, 0 };
      GhloBufferExtent extents[G_N_ELEMENTS (addresses)];
      GhloCommandBuffer *recording = step_begin (extents, G_N_ELEMENTS (extents), MAX (STEP_BYTES, step.scratch));

      g_assert_true (implementation->record (step.compiled, &read, &written, (GhloBufferRef) { 2, 0 }, recording,
                                             &error));
      device->command_buffers->end (recording, 0);
      step_replay (recording, addresses);
      device->command_buffers->free (recording);
      contract_free (addresses[2], step.scratch);
      contract_finish ();
    }
  else
    {
      guint8 *scratch = g_aligned_alloc (1, MAX (step.scratch, 64), 64);
      GhloView read = *from, written = *to;

      read.data = source;
      written.data = target;
      g_assert_true (implementation->run (step.compiled, &read, &written, scratch, NULL, &error));
      g_aligned_free (scratch);
    }
  g_assert_no_error (error);
  ghlo_step_free (implementation, step.compiled);
}

/* A transposed copy and back: what is between the elements stays. */
static void
test_copy (void)
{
  /* 20 rows of 50 elements, and the same as 50 rows, of which each second element of the target is written. */
  static const gint64 dimensions[] = { 20, 25 }, dense[] = { 25 * 4, 4 }, transposed[] = { 4, 20 * 4 };
  static const gint64 spread[] = { 50 * 4, 2 * 4 };
  const GhloView views[] = {
    { NULL, GHLO_ELEMENT_TYPE_I32, 2, dimensions, dense }, { NULL, GHLO_ELEMENT_TYPE_I32, 2, dimensions, transposed },
    { NULL, GHLO_ELEMENT_TYPE_I32, 2, dimensions, spread },
  };
  guint8 *vectors[4];

  if (contract_device ()->klass->copy_step == NULL)
    {
      g_test_skip ("the device makes no plans");
      return;
    }
  contract_open ();
  for (guint i = 0; i < G_N_ELEMENTS (vectors); i++)
    vectors[i] = step_alloc (i == 0 ? 3 : -1);
  copy_views (&views[0], &views[1], vectors[0], vectors[1]);
  g_assert_false (step_holds (vectors[1], -1));
  copy_views (&views[1], &views[2], vectors[1], vectors[2]);
  copy_views (&views[2], &views[0], vectors[2], vectors[3]);
  /* The first half has come back in order, and the second one was not touched. */
  for (guint i = 0; i < 2; i++)
    {
      gint32 elements[STEP_N];

      if (contract_device ()->memory != NULL)
        contract_download (vectors[3 - i], elements, sizeof elements);
      else
        memcpy (elements, vectors[3 - i], sizeof elements);
      for (gint32 k = 0; k < STEP_N; k++)
        if (i == 0)
          g_assert_cmpint (elements[k], ==, (k + 1) * (k < STEP_N / 2 ? 3 : -1));
        else
          g_assert_cmpint (elements[k], ==, k % 2 == 0 ? (k / 2 + 1) * 3 : -(k + 1));
    }
  for (guint i = 0; i < G_N_ELEMENTS (vectors); i++)
    step_release (vectors[i]);
}

void
contract_add_step_cases (void)
{
  contract_add ("/device/steps/list", test_list);
  contract_add ("/device/steps/run", test_run);
  contract_add ("/device/steps/threads", test_threads);
  contract_add ("/device/steps/copy", test_copy);
}
