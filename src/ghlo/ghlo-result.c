/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Results: an immutable list of buffers.
 */

#include "ghlo-result-private.h"

#include "ghlo-timing-private.h"
#include "ghlo/buffer/ghlo-buffer-private.h"
#include "ghlo/plan/ghlo-plan-private.h"

/**
 * GhloResult:
 *
 * The result of one run: its outputs, in the order in which the program returns
 * them, and how the time was spent. It is an immutable [iface@Gio.ListModel] of
 * [class@Ghlo.Buffer].
 *
 * Since: 1.0
 */
struct _GhloResult
{
  GObject     parent_instance;

  GPtrArray  *outputs;     /* of GhloBuffer; never changes */
  GhloTiming *timing;      /* never changes */
  GhloPlan   *plan;        /* NULL when nothing was measured; never changes */
};

static void ghlo_result_list_model_init (GListModelInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (GhloResult, ghlo_result, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, ghlo_result_list_model_init))

void
ghlo_result_begin (GhloRunResult *run_result)
{
  GhloResult *self = g_object_new (GHLO_TYPE_RESULT, NULL);

  for (guint i = 0; i < run_result->n_outputs; i++)
    g_ptr_array_add (self->outputs, ghlo_buffer_new_for_value (ghlo_value_ref (run_result->outputs[i])));
  run_result->public_result = self;
  run_result->free_public_result = g_object_unref;
}

GhloResult *
ghlo_result_new (GhloRunResult *run_result)
{
  GhloResult *self;

  if (run_result == NULL)
    return NULL;
  if (run_result->public_result == NULL)
    ghlo_result_begin (run_result);
  self = g_steal_pointer (&run_result->public_result);
  ghlo_timing_set (self->timing, 0, run_result->upload_time / (double) G_USEC_PER_SEC,
                   run_result->run_time / (double) G_USEC_PER_SEC, run_result->reference_time / (double) G_USEC_PER_SEC,
                   run_result->download_time / (double) G_USEC_PER_SEC);
  if (run_result->profile != NULL)
    self->plan = ghlo_plan_new (run_result->executable, g_steal_pointer (&run_result->profile));
  ghlo_run_result_free (run_result);

  return self;
}

static void
ghlo_result_finalize (GObject *object)
{
  GhloResult *self = GHLO_RESULT (object);

  g_ptr_array_unref (self->outputs);
  ghlo_timing_unref (self->timing);
  g_clear_object (&self->plan);

  G_OBJECT_CLASS (ghlo_result_parent_class)->finalize (object);
}

static void
ghlo_result_class_init (GhloResultClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = ghlo_result_finalize;
}

static void
ghlo_result_init (GhloResult *self)
{
  self->outputs = g_ptr_array_new_with_free_func (g_object_unref);
  self->timing = ghlo_timing_new ();
}

static GType
get_item_type (GListModel *model)
{
  return GHLO_TYPE_BUFFER;
}

static guint
get_n_items (GListModel *model)
{
  return GHLO_RESULT (model)->outputs->len;
}

static gpointer
get_item (GListModel *model,
          guint       position)
{
  GhloBuffer *output = ghlo_result_get_output (GHLO_RESULT (model), position);

  return output != NULL ? g_object_ref (output) : NULL;
}

static void
ghlo_result_list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = get_item_type;
  iface->get_n_items = get_n_items;
  iface->get_item = get_item;
}

/**
 * ghlo_result_get_n_outputs:
 * @self: a result
 *
 * Gets the number of outputs.
 *
 * Returns: the number
 *
 * Since: 1.0
 */
guint
ghlo_result_get_n_outputs (GhloResult *self)
{
  g_return_val_if_fail (GHLO_IS_RESULT (self), 0);

  return self->outputs->len;
}

/**
 * ghlo_result_get_output:
 * @self: a result
 * @index: the index of an output, from 0
 *
 * Gets one output.
 *
 * Returns: (transfer none) (nullable): the output, or %NULL when there is no such
 *   output
 *
 * Since: 1.0
 */
GhloBuffer *
ghlo_result_get_output (GhloResult *self,
                        guint       index)
{
  g_return_val_if_fail (GHLO_IS_RESULT (self), NULL);

  return index < self->outputs->len ? self->outputs->pdata[index] : NULL;
}

/**
 * ghlo_result_get_outputs:
 * @self: a result
 * @n_outputs: (out) (optional): return location for the number of outputs
 *
 * Gets all outputs.
 *
 * Returns: (transfer none) (array length=n_outputs) (nullable): the outputs in
 *   order; %NULL when there are none
 *
 * Since: 1.0
 */
GhloBuffer * const *
ghlo_result_get_outputs (GhloResult *self,
                         gsize      *n_outputs)
{
  if (n_outputs != NULL)
    *n_outputs = 0;
  g_return_val_if_fail (GHLO_IS_RESULT (self), NULL);

  if (n_outputs != NULL)
    *n_outputs = self->outputs->len;

  return self->outputs->len > 0 ? (GhloBuffer * const *) self->outputs->pdata : NULL;
}

/**
 * ghlo_result_get_timing:
 * @self: a result
 *
 * Gets how the time of the run was spent.
 *
 * Returns: (transfer none): the timing
 *
 * Since: 1.0
 */
GhloTiming *
ghlo_result_get_timing (GhloResult *self)
{
  g_return_val_if_fail (GHLO_IS_RESULT (self), NULL);

  return self->timing;
}

/**
 * ghlo_result_get_plan:
 * @self: a result
 *
 * Gets the plan of the program with the measured time of each step. Runs are measured
 * when this is enabled for their session ([property@Ghlo.Session:profile]).
 *
 * Returns: (transfer none) (nullable): the plan; %NULL for a run that was not
 *   measured, and for a device without plans, such as the reference device
 *
 * Since: 1.0
 */
GhloPlan *
ghlo_result_get_plan (GhloResult *self)
{
  g_return_val_if_fail (GHLO_IS_RESULT (self), NULL);

  return self->plan;
}

/**
 * ghlo_result_release:
 * @self: a result
 *
 * Releases all outputs; see [method@Ghlo.Buffer.release].
 *
 * Since: 1.0
 */
void
ghlo_result_release (GhloResult *self)
{
  g_return_if_fail (GHLO_IS_RESULT (self));

  for (guint i = 0; i < self->outputs->len; i++)
    ghlo_buffer_release (self->outputs->pdata[i]);
}
