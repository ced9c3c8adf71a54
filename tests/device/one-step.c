/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "one-step.h"

#include <string.h>

static const gint64 dimensions[] = { STEP_N }, strides[] = { sizeof (gint32) };

/* Sets *@scratch, and whether the result may overwrite operand 0. */
static const GhloStepImplementation *
select_implementation (const GhloStepRequest *request,
                       gsize                 *scratch,
                       gboolean              *may_overwrite)
{
  const GhloStepImplementation *found = NULL;

  while ((found = ghlo_device_core_find_step (contract_device (), request->op, found)) != NULL)
    {
      GhloStepOperandSelection operands[] = { { .in_place = GHLO_STEP_NONE }, { .in_place = GHLO_STEP_NONE } };
      GhloStepSelection selection = { .operands = operands };

      if (!ghlo_step_select (found, contract_device (), request, &selection))
        {
          g_assert_nonnull (selection.reason);
          continue;
        }
      ghlo_step_free (found, selection.selection_state);
      *scratch = selection.scratch;
      *may_overwrite = operands[0].in_place == 0;
      return found;
    }

  return NULL;
}

Step *
step_new (const char *name,
          StepUse     use)
{
  g_autofree char *text = g_strdup_printf (
    "func.func @main(%%x: tensor<%uxi32>, %%y: tensor<%uxi32>) -> tensor<%uxi32> {\n"
    "  %%0 = stablehlo.%s %%x, %%y : tensor<%uxi32>\n"
    "  return %%0 : tensor<%uxi32>\n}\n", STEP_N, STEP_N, STEP_N, name, STEP_N, STEP_N);
  const guint32 aliases[] = { use == STEP_IN_PLACE ? 0 : GHLO_STEP_NONE, GHLO_STEP_NONE }, alignments[] = { 4, 4, 4 };
  Step *self = g_new0 (Step, 1);
  GhloStepRequest request = { .n_operands = 2, .n_results = 1, .operands = self->views, .results = self->views + 2 };
  gboolean may_overwrite = FALSE;
  g_autoptr (GError) error = NULL;

  contract_open ();
  self->module = contract_parse (text);
  request.op = ghlo_ir_func_get_body (ghlo_ir_module_get_entry (self->module))->first;
  for (guint i = 0; i < STEP_N_VIEWS; i++)
    self->views[i] = (GhloView) { NULL, GHLO_ELEMENT_TYPE_I32, 1, dimensions, strides };
  self->implementation = select_implementation (&request, &self->scratch, &may_overwrite);
  if (self->implementation == NULL || (use == STEP_IN_PLACE && !may_overwrite))
    {
      g_test_skip ("the device has no such step for this operation");
      step_free (self);
      return NULL;
    }
  request.aliases = aliases;
  request.alignments = alignments;
  request.scratch = self->scratch;
  request.may_be_predicated = use == STEP_PREDICATED;
  self->compiled = ghlo_step_compile_request (self->implementation, contract_device (), &request, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (self->compiled);

  return self;
}

void
step_free (Step *self)
{
  if (self->implementation != NULL)
    ghlo_step_free (self->implementation, self->compiled);
  ghlo_ir_module_unref (self->module);
  g_free (self);
}

guint8 *
step_alloc (gint32 number)
{
  guint8 *vector = contract_device ()->memory != NULL ? contract_alloc (GHLO_MEMORY_DEVICE, STEP_BYTES, NULL)
                                                      : g_aligned_alloc (1, STEP_BYTES, 64);

  step_set (vector, number);

  return vector;
}

void
step_release (guint8 *vector)
{
  if (contract_device ()->memory != NULL)
    contract_free (vector, STEP_BYTES);
  else
    g_aligned_free (vector);
}

void
step_set (guint8 *vector,
          gint32  number)
{
  gint32 elements[STEP_N];

  for (gint32 i = 0; i < STEP_N; i++)
    elements[i] = (i + 1) * number;
  if (contract_device ()->memory != NULL)
    contract_upload (elements, vector, sizeof elements);
  else
    memcpy (vector, elements, sizeof elements);
}

gboolean
step_holds (const guint8 *vector,
            gint32        number)
{
  gint32 elements[STEP_N];

  if (contract_device ()->memory != NULL)
    contract_download (vector, elements, sizeof elements);
  else
    memcpy (elements, vector, sizeof elements);
  for (gint32 i = 0; i < STEP_N; i++)
    if (elements[i] != (i + 1) * number)
      {
        g_test_message ("element %d is %d, not %d", i, elements[i], (i + 1) * number);
        return FALSE;
      }

  return TRUE;
}

GhloCommandBuffer *
step_begin (GhloBufferExtent *extents,
            guint             n,
            gsize             size)
{
  for (guint i = 0; i < n; i++)
    extents[i] = (GhloBufferExtent) { i, 0, size, i };

  return contract_device ()->command_buffers->begin (contract_device (), extents);
}

void
step_record (const Step        *self,
             GhloCommandBuffer *commands,
             guint32            x,
             guint32            y,
             guint32            z,
             guint32            scratch)
{
  const GhloBufferRef operands[] = { { x, 0 }, { y, 0 } }, result = { z, 0 };
  g_autoptr (GError) error = NULL;

  g_assert_true (self->implementation->record (self->compiled, operands, &result, (GhloBufferRef) { scratch, 0 },
                                               commands, &error));
  g_assert_no_error (error);
}

void
step_replay (GhloCommandBuffer *commands,
             guint8 *const     *addresses)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (contract_device ()->command_buffers->replay (commands, addresses, NULL, &error));
  g_assert_no_error (error);
}

/* For a device without command buffers. */
static void
run_directly (const Step *self,
              guint8     *x,
              guint8     *y,
              guint8     *z)
{
  const gboolean is_host = contract_device ()->memory == NULL;
  guint8 *scratch = is_host ? g_aligned_alloc (1, MAX (self->scratch, 64), 64)
                            : contract_alloc (GHLO_MEMORY_DEVICE, self->scratch, NULL);
  GhloView views[STEP_N_VIEWS];
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < STEP_N_VIEWS; i++)
    {
      views[i] = self->views[i];
      views[i].data = i == 0 ? x : i == 1 ? y : z;
    }
  g_assert_true (self->implementation->run (self->compiled, views, views + 2, scratch, NULL, &error));
  g_assert_no_error (error);
  if (is_host)
    g_aligned_free (scratch);
  else
    contract_free (scratch, self->scratch);
}

void
step_run (const Step *self,
          guint8     *x,
          guint8     *y,
          guint8     *z)
{
  const GhloCommandBufferClass *commands = contract_device ()->command_buffers;
  guint8 *addresses[] = { x, y, z, NULL };
  GhloBufferExtent extents[G_N_ELEMENTS (addresses)];
  GhloCommandBuffer *recording;

  if (commands == NULL)
    {
      run_directly (self, x, y, z);
      return;
    }
  addresses[3] = contract_alloc (GHLO_MEMORY_DEVICE, self->scratch, NULL);
  recording = step_begin (extents, G_N_ELEMENTS (extents), MAX (STEP_BYTES, self->scratch));
  step_record (self, recording, 0, 1, x == z ? 0 : 2, 3);
  commands->end (recording, 0);
  step_replay (recording, addresses);
  commands->free (recording);
  contract_free (addresses[3], self->scratch);
  contract_finish ();
}
