/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Channels between processes: messages in the order in which they were sent, and threads that wait for one.
 */

#include "reference/process/process-private.h"

#include "base/hash.h"
#include "reference/frame.h"

typedef struct
{
  GQueue  messages;             /* of GhloValue tuples, owned; empty while a thread is waiting */
  GQueue  waiters;              /* of GhloRefWaiter */
  const GhloIrOp     *sender;   /* of the last message; borrowed, like its module */
  const GhloIrModule *module;
} Channel;

static void
channel_free (gpointer data)
{
  Channel *channel = data;

  g_queue_clear_full (&channel->messages, (GDestroyNotify) ghlo_value_unref);
  g_queue_clear (&channel->waiters);
  g_free (channel);
}

/* Called with the lock held. */
static Channel *
find_channel (GhloRefGrid *self,
              const char  *name)
{
  Channel *channel;

  if (self->channels == NULL)
    self->channels = g_hash_table_new_full (ghlo_hash_string, g_str_equal, g_free, channel_free);
  channel = g_hash_table_lookup (self->channels, name);
  if (channel == NULL)
    {
      channel = g_new0 (Channel, 1);
      g_queue_init (&channel->messages);
      g_queue_init (&channel->waiters);
      g_hash_table_insert (self->channels, g_strdup (name), channel);
    }

  return channel;
}

void
ghlo_ref_process_send (GhloRefProcess   *self,
                       const char       *channel_name,
                       const GhloIrOp   *sender,
                       GhloValue *const *values,
                       guint             n_values)
{
  g_autoptr (GhloValue) message = ghlo_value_new_tuple (values, n_values);
  GhloRefGrid *grid = self->grid;
  Channel *channel;
  GhloRefWaiter *waiter;

  g_mutex_lock (&grid->lock);
  channel = find_channel (grid, channel_name);
  waiter = g_queue_pop_head (&channel->waiters);
  if (waiter != NULL)
    {
      waiter->message = g_steal_pointer (&message);
      ghlo_ref_grid_wake (grid, waiter);
    }
  else
    {
      g_queue_push_tail (&channel->messages, g_steal_pointer (&message));
      channel->sender = sender;
      channel->module = self->run->program->module;
    }
  g_mutex_unlock (&grid->lock);
}

/* Of the channels that hold messages, the one whose name sorts first, so that every run reports the same one. */
static const Channel *
find_full_channel (GhloRefGrid *self)
{
  const Channel *found = NULL;
  const char *found_name = NULL;
  GHashTableIter iter;
  gpointer name, value;

  if (self->channels == NULL)
    return NULL;
  g_hash_table_iter_init (&iter, self->channels);
  while (g_hash_table_iter_next (&iter, &name, &value))
    {
      const Channel *channel = value;

      if (!g_queue_is_empty ((GQueue *) &channel->messages) && (found == NULL || strcmp (name, found_name) < 0))
        {
          found = channel;
          found_name = name;
        }
    }

  return found;
}

gboolean
ghlo_ref_grid_check_received (GhloRefGrid  *self,
                              GError      **error)
{
  const Channel *channel = find_full_channel (self);
  g_autoptr (GString) place = NULL;
  gboolean to_host;

  if (channel == NULL)
    return TRUE;
  place = g_string_new (NULL);
  ghlo_ref_append_place (place, channel->module, channel->sender);
  to_host = ghlo_ir_op_get_int (channel->sender, "is_host_transfer", FALSE) != 0;
  g_set_error (error, GHLO_ERROR, to_host ? GHLO_ERROR_UNSUPPORTED : GHLO_ERROR_DATA, "%sno process received the "
               "values sent%s", place->str,
               to_host ? " to the host; only other processes of the run can receive them" : "");

  return FALSE;
}

GhloValue *
ghlo_ref_process_receive (GhloRefProcess *self,
                          const char     *channel_name,
                          GError        **error)
{
  GhloRefGrid *grid = self->grid;
  GhloRefWaiter waiter = { FALSE, FALSE, NULL };
  Channel *channel;

  g_mutex_lock (&grid->lock);
  channel = find_channel (grid, channel_name);
  waiter.message = g_queue_pop_head (&channel->messages);
  if (waiter.message == NULL)
    {
      g_queue_push_tail (&channel->waiters, &waiter);
      if (!ghlo_ref_process_wait_for (self, &waiter, error))
        {
          g_queue_remove (&channel->waiters, &waiter);
          if (*error == NULL)
            g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_DATA,
                                 "nothing was sent, and no other process can send any more");
        }
    }
  g_mutex_unlock (&grid->lock);

  return waiter.message;
}
