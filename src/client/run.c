/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Running a compiled program. Whatever memory the executor gave outputs in, the caller
 * gets each in memory of its own, or in the memory that it brought.
 */

#include "client/run.h"

#include <string.h>

#include "base/ghlo-error.h"

/* An output that shares memory with a constant, an input or another output would
 * let a writable view of it, which some languages give, reach them. */
static GhloValue *
own_output (GhloValue  *value,
            GError    **error)
{
  GhloValue *copy;

  if (value->kind == GHLO_VALUE_TENSOR)
    {
      if (value->storage == NULL && g_atomic_ref_count_compare (&value->ref_count, 1))
        return value;
      copy = ghlo_value_new_uninitialized (value->type, error);
      if (copy != NULL && value->n_bytes > 0)
        memcpy (copy->data, value->data, value->n_bytes);
      ghlo_value_unref (value);
      return copy;
    }

  if (value->kind == GHLO_VALUE_TUPLE)
    {
      g_autoptr (GPtrArray) members = g_ptr_array_new_with_free_func ((GDestroyNotify) ghlo_value_unref);
      gboolean whole = TRUE;

      /* The tuple may be shared: its members then are as well. */
      for (guint i = 0; i < value->n_members && whole; i++)
        {
          GhloValue *member = own_output (ghlo_value_ref (value->members[i]), error);

          whole = member != NULL;
          if (whole)
            g_ptr_array_add (members, member);
        }
      copy = whole ? ghlo_value_new_tuple ((GhloValue *const *) members->pdata, members->len) : NULL;
      ghlo_value_unref (value);
      return copy;
    }

  return value;
}

GhloValue *
ghlo_copy_value (GhloValue *value,
                 GError   **error)
{
  /* With two references no memory is own. */
  return own_output (ghlo_value_ref (value), error);
}

static void
drop_output (gpointer data)
{
  if (data != NULL)
    ghlo_value_unref (data);
}

/* Whether the tensor lies where the caller wants any output. What is ours does not. */
static gboolean
is_wanted_there (const GhloRunOptions *options,
                 guint                 n_outputs,
                 const GhloValue      *value)
{
  gboolean wanted = FALSE;

  if (value->kind != GHLO_VALUE_TENSOR || value->storage == NULL || options->targets == NULL)
    return FALSE;
  for (guint i = 0; i < n_outputs && !wanted; i++)
    wanted = options->targets[i] != NULL
             && ghlo_value_overlaps (options->targets[i], value->data, value->n_bytes);

  return wanted;
}

/* Whether the output may stay in the memory where the executor gave it. */
static gboolean
may_stay (const GhloRunOptions *options,
          GhloValue *const     *inputs,
          const GPtrArray      *outputs,
          guint                 output)
{
  guint input = options->replaced != NULL ? options->replaced[output] : GHLO_RUN_NO_INPUT;
  const GhloValue *value = outputs->pdata[output];
  const GhloValue *memory = options->targets != NULL ? options->targets[output] : NULL;

  if (memory != NULL && value == memory)
    return TRUE;
  if (memory == NULL && (input == GHLO_RUN_NO_INPUT || value != inputs[input]))
    return FALSE;

  return !is_wanted_there (options, outputs->len, value);
}

/* Copies to the memory that the caller brought what the executor did not write there. */
static gboolean
deliver (const GhloRunOptions  *options,
         const GPtrArray       *outputs,
         GError               **error)
{
  for (guint i = 0; options->targets != NULL && i < outputs->len; i++)
    {
      const GhloValue *value = outputs->pdata[i], *memory = options->targets[i];

      if (memory == NULL || value == memory)
        continue;
      if (value->n_bytes != memory->n_bytes)
        {
          g_autofree char *text = ghlo_tensor_type_to_string (value->type);

          g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                       "output %u cannot be written to the memory that it is bound to: expected %" G_GSIZE_FORMAT
                       " bytes, found %s, which has %" G_GSIZE_FORMAT, i, memory->n_bytes, text, value->n_bytes);
          return FALSE;
        }
      if (value->n_bytes > 0)
        memcpy (memory->data, value->data, value->n_bytes);
    }

  return TRUE;
}

static GPtrArray *
run_outputs (GhloExecutableCore    *self,
             GhloValue *const      *inputs,
             const GhloRunOptions  *options,
             const GhloMonitor     *monitor,
             GError               **error)
{
  g_autoptr (GPtrArray) outputs = g_ptr_array_new_with_free_func (drop_output);

  g_ptr_array_set_size (outputs, self->signature.type->n_results);
  if (!self->compilation->executor->run (self->compilation->prepared, options, inputs, self->signature.type->rank,
                                         (GhloValue **) outputs->pdata, monitor, error))
    {
      /* What a failed run left behind is not ours to free. */
      g_ptr_array_set_free_func (outputs, NULL);
      return NULL;
    }

  /* All of them first: a copy to the caller's memory may write over what another output is in. */
  for (guint i = 0; i < outputs->len; i++)
    {
      if (may_stay (options, inputs, outputs, i))
        continue;
      outputs->pdata[i] = own_output (outputs->pdata[i], error);
      if (outputs->pdata[i] == NULL)
        return NULL;
    }

  return deliver (options, outputs, error) ? g_steal_pointer (&outputs) : NULL;
}

GhloOutcome *
ghlo_run_executable (GhloExecutableCore    *self,
                     GhloValue *const      *inputs,
                     const GhloRunOptions  *options,
                     const GhloMonitor     *monitor,
                     GError               **error)
{
  gint64 start = g_get_monotonic_time (), fallback_time = 0, time;
  GhloRunOptions counted = options != NULL ? *options : (GhloRunOptions) { NULL };
  GPtrArray *outputs;
  GhloOutcome *outcome;

  counted.fallback_time = &fallback_time;
  outputs = run_outputs (self, inputs, &counted, monitor, error);
  ghlo_counters_add_run (self->counters, start, outputs != NULL);
  ghlo_counters_add_run (self->client_counters, start, outputs != NULL);
  if (outputs == NULL)
    return NULL;

  outcome = g_new0 (GhloOutcome, 1);
  outcome->outputs = outputs;
  time = g_get_monotonic_time () - start;
  if (self->compilation->executor->measure == NULL)
    fallback_time = time;
  outcome->run_time = time;
  outcome->reference_time = fallback_time;

  return outcome;
}

void
ghlo_outcome_free (GhloOutcome *self)
{
  g_ptr_array_unref (self->outputs);
  g_free (self);
}
