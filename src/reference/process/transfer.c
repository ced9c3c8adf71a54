/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Point-to-point transfers, infeed and outfeed, and asynchronous operations.
 */

#include "reference/process/collective.h"
#include "reference/frame.h"
#include "reference/kernels.h"

/* The id of this process in source_target_pairs: its partition when there are several partitions, otherwise
 * its replica. */
static guint
find_own_number (const GhloRefCall *call)
{
  const GhloRefProcess *process = call->frame->process;

  return ghlo_ref_grid_get_partitions (process->grid) > 1 ? process->partition : process->replica;
}

/* The name of the channel between this process and its partner, or NULL when the pairs give it no partner.
 * Host transfers and transfers without pairs share one name per channel. */
static char *
find_channel (const GhloRefCall *call,
              gboolean           sends)
{
  gint64 channel = ghlo_ref_call_get_channel (call);
  gboolean to_host = ghlo_ir_op_get_int (call->op, "is_host_transfer", FALSE) != 0;
  g_autofree gint64 *pairs = NULL;
  guint own = find_own_number (call);
  gsize n;

  pairs = ghlo_ir_op_dup_ints (call->op, "source_target_pairs", &n);
  if (to_host || n < 2)
    return g_strdup_printf ("%" G_GINT64_FORMAT, channel);

  for (gsize i = 0; i + 1 < n; i += 2)
    if (pairs[i + (sends ? 0 : 1)] == own)
      return g_strdup_printf ("%" G_GINT64_FORMAT " %" G_GINT64_FORMAT "-%" G_GINT64_FORMAT, channel, pairs[i],
                              pairs[i + 1]);

  return NULL;
}

gboolean
ghlo_ref_send (GhloRefCall *call,
               GError     **error)
{
  g_autofree char *channel = find_channel (call, TRUE);

  if (channel != NULL)
    ghlo_ref_process_send (call->frame->process, channel, call->op, call->operands, call->n_operands - 1);
  call->results[0] = ghlo_value_new_token ();

  return TRUE;
}

/* Stores the payload as the results, followed by a token. */
static gboolean
store_payload (GhloRefCall      *call,
               GhloValue *const *values,
               guint             n_values,
               GError          **error)
{
  guint n = call->op->n_results - 1;

  if (n_values != n)
    return ghlo_ref_fail (call, error, "expected %u values, found %u", n, n_values);
  for (guint i = 0; i < n; i++)
    if (!ghlo_ref_pass (call, i, values[i], error))
      return FALSE;
  call->results[n] = ghlo_value_new_token ();

  return TRUE;
}

/* Stores zeros as the results of a process that no process sends to. */
static gboolean
store_zeros (GhloRefCall *call,
             GError     **error)
{
  guint n = call->op->n_results - 1;

  for (guint i = 0; i < n; i++)
    {
      const GhloIrType *type = call->op->results[i].type;

      if (ghlo_ref_result (call, i, type->dimensions, type->rank, error) == NULL)
        return FALSE;
    }
  call->results[n] = ghlo_value_new_token ();

  return TRUE;
}

gboolean
ghlo_ref_recv (GhloRefCall *call,
               GError     **error)
{
  g_autofree char *channel = find_channel (call, FALSE);
  g_autoptr (GhloValue) message = NULL;

  if (channel == NULL)
    return store_zeros (call, error);
  message = ghlo_ref_process_receive (call->frame->process, channel, error);

  return message != NULL && store_payload (call, message->members, message->n_members, error);
}

gboolean
ghlo_ref_infeed (GhloRefCall *call,
                 GError     **error)
{
  const char *name = ghlo_ref_grid_take_infeed (call->frame->process->grid);
  guint n = call->op->n_results - 1;
  g_autofree GhloValue **values = g_new0 (GhloValue *, n + 1);
  gboolean ok;

  if (name == NULL)
    return ghlo_ref_fail (call, error, "the infeed queue is empty");
  if (!ghlo_ref_run_function (call, name, NULL, 0, values, n, error))
    return FALSE;
  ok = store_payload (call, values, n, error);
  ghlo_values_clear (values, n);

  return ok;
}

/* Nothing reads the outfeed, so its operands are dropped. */
gboolean
ghlo_ref_outfeed (GhloRefCall *call,
                  GError     **error)
{
  call->results[0] = ghlo_value_new_token ();

  return TRUE;
}

/* The body of an asynchronous operation, which runs on a thread of its own. */
typedef struct
{
  const GhloRefFunction *function;
  const GhloRefBlock    *block;
  guint                  depth;
  GhloValue            **arguments;     /* owned until the block takes them */
} Body;

static gboolean
run_body (GhloRefProcess *process,
          gpointer        data,
          GhloValue     **results,
          GError        **error)
{
  Body *body = data;
  GhloRefFrame frame;
  gboolean ok;

  ghlo_ref_frame_init (&frame, process, body->function, body->depth);
  ok = ghlo_ref_frame_run (&frame, body->block, body->arguments, results, error);
  ghlo_ref_frame_clear (&frame);

  return ok;
}

static void
body_free (gpointer data)
{
  Body *body = data;

  ghlo_values_clear (body->arguments, body->block->n_arguments);
  g_free (body->arguments);
  g_free (body);
}

static GPtrArray *
draw_tickets (GhloRefCall        *call,
              const GhloRefBlock *block,
              GError            **error)
{
  g_autoptr (GPtrArray) tickets = g_ptr_array_new_with_free_func (g_free);

  for (guint32 i = 0; i < block->n_steps; i++)
    {
      GhloRefCall inner = { call->frame, block->steps[i].op, NULL, 0, NULL };

      if (!ghlo_ref_collective_draw_tickets (&inner, tickets, error))
        return NULL;
    }

  return g_steal_pointer (&tickets);
}

gboolean
ghlo_ref_async_start (GhloRefCall *call,
                      GError     **error)
{
  const GhloRefStep *step = ghlo_ref_call_get_step (call);
  const GhloRefBlock *block = step != NULL && step->n_regions > 0 ? &step->regions[0] : NULL;
  GPtrArray *tickets;
  Body *body;

  if (block == NULL || !block->is_present || block->n_arguments != call->n_operands)
    return ghlo_ref_fail (call, error, "expected a body with %u arguments", call->n_operands);
  tickets = draw_tickets (call, block, error);
  if (tickets == NULL)
    return FALSE;

  body = g_new0 (Body, 1);
  body->function = call->frame->function;
  body->block = block;
  body->depth = call->frame->depth;
  body->arguments = g_new0 (GhloValue *, call->n_operands + 1);
  for (guint i = 0; i < call->n_operands; i++)
    body->arguments[i] = ghlo_value_ref (call->operands[i]);
  call->results[0] = ghlo_ref_process_start (call->frame->process, tickets, run_body, body, body_free,
                                             block->n_returned, error);

  return call->results[0] != NULL;
}

gboolean
ghlo_ref_async_done (GhloRefCall *call,
                     GError     **error)
{
  GhloValue *future = call->operands[0];

  if (future->kind != GHLO_VALUE_FUTURE)
    return ghlo_ref_fail (call, error, "expected a future");
  if (!ghlo_ref_process_finish (call->frame->process, future, error))
    return FALSE;
  if (future->n_members != call->op->n_results)
    return ghlo_ref_fail (call, error, "expected %u results, found %u", call->op->n_results, future->n_members);
  for (guint i = 0; i < future->n_members; i++)
    if (!ghlo_ref_pass (call, i, future->members[i], error))
      return FALSE;

  return TRUE;
}
