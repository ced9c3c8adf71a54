/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rendezvous of processes: each waits for the others of its group and receives the values of all. A key says which
 * rendezvous of the same name and group it is; keys can be drawn ahead, as tickets, for work that runs later.
 */

#include "reference/process/process-private.h"

#include "base/hash.h"

/* A rendezvous of processes: each contributes values and receives those of all. */
typedef struct
{
  char       *key;
  guint       n_group, n_arrived, n_left;
  guint       n_values;
  gboolean    mismatched;       /* the members contributed different numbers of values */
  GhloValue **values;           /* n_group * n_values, owned */
  GPtrArray  *waiters;          /* of GhloRefWaiter; borrowed from the stacks of waiting threads */
} Rendezvous;

static void
rendezvous_free (gpointer data)
{
  Rendezvous *rendezvous = data;

  for (guint i = 0; rendezvous->values != NULL && i < rendezvous->n_group * rendezvous->n_values; i++)
    g_clear_pointer (&rendezvous->values[i], ghlo_value_unref);
  g_free (rendezvous->values);
  g_free (rendezvous->key);
  g_ptr_array_unref (rendezvous->waiters);
  g_free (rendezvous);
}

/* Returns how often this process has been at @place before, and counts this visit. Called with the lock held. */
static guint
count_visit (GhloRefProcess *self,
             const char     *place)
{
  GhloRefGrid *grid = self->grid;
  char *key = g_strdup_printf ("%u %s", self->replica * grid->n_partitions + self->partition, place);
  guint n;

  if (grid->visits == NULL)
    grid->visits = g_hash_table_new_full (ghlo_hash_string, g_str_equal, g_free, NULL);
  n = GPOINTER_TO_UINT (g_hash_table_lookup (grid->visits, key));
  g_hash_table_replace (grid->visits, key, GUINT_TO_POINTER (n + 1));

  return n;
}

/* Called with the lock held. */
static char *
draw_key (GhloRefProcess *self,
          const char     *name,
          const guint32  *group,
          guint           n_group)
{
  GString *key = g_string_new (name);

  for (guint i = 0; i < n_group; i++)
    g_string_append_printf (key, " %u", group[i]);
  g_string_append_printf (key, " #%u", count_visit (self, key->str));

  return g_string_free (key, FALSE);
}

char *
ghlo_ref_process_draw_ticket (GhloRefProcess *self,
                              const char     *name,
                              const guint32  *group,
                              guint           n_group)
{
  char *key;

  g_mutex_lock (&self->grid->lock);
  key = draw_key (self, name, group, n_group);
  g_mutex_unlock (&self->grid->lock);

  return key;
}

/* Takes ownership of @key. Called with the lock held. */
static Rendezvous *
find_rendezvous (GhloRefGrid *self,
                 char        *key,
                 guint        n_group,
                 guint        n_values)
{
  Rendezvous *rendezvous;

  if (self->rendezvous == NULL)
    self->rendezvous = g_hash_table_new_full (ghlo_hash_string, g_str_equal, NULL, rendezvous_free);
  rendezvous = g_hash_table_lookup (self->rendezvous, key);
  if (rendezvous != NULL)
    {
      g_free (key);
      return rendezvous;
    }

  rendezvous = g_new0 (Rendezvous, 1);
  rendezvous->key = key;
  rendezvous->n_group = n_group;
  rendezvous->n_values = n_values;
  rendezvous->values = g_new0 (GhloValue *, (gsize) n_group * n_values);
  rendezvous->waiters = g_ptr_array_new ();
  g_hash_table_insert (self->rendezvous, rendezvous->key, rendezvous);

  return rendezvous;
}

static void
store_values (Rendezvous       *rendezvous,
              guint             member,
              GhloValue *const *values,
              guint             n_values)
{
  rendezvous->n_arrived++;
  if (n_values != rendezvous->n_values)
    {
      rendezvous->mismatched = TRUE;
      return;
    }
  for (guint i = 0; i < n_values; i++)
    rendezvous->values[member * n_values + i] = ghlo_value_ref (values[i]);
}

/* Contributes to a rendezvous, waits for the other members and returns all values. Called with the lock held. */
static GhloValue **
attend (GhloRefProcess   *process,
        Rendezvous       *rendezvous,
        guint             member,
        GhloValue *const *values,
        guint             n_values,
        GError          **error)
{
  GhloRefWaiter waiter = { FALSE, FALSE, NULL };
  GhloValue **all = NULL;

  store_values (rendezvous, member, values, n_values);
  if (rendezvous->n_arrived == rendezvous->n_group)
    {
      waiter.ready = TRUE;
      for (guint i = 0; i < rendezvous->waiters->len; i++)
        ghlo_ref_grid_wake (process->grid, g_ptr_array_index (rendezvous->waiters, i));
      g_ptr_array_set_size (rendezvous->waiters, 0);
    }
  else
    g_ptr_array_add (rendezvous->waiters, &waiter);

  if (!ghlo_ref_process_wait_for (process, &waiter, error))
    {
      g_ptr_array_remove_fast (rendezvous->waiters, &waiter);
      if (*error == NULL)
        g_set_error (error, GHLO_ERROR, GHLO_ERROR_DATA,
                     "expected %u processes to reach this operation, found %u: no other process can reach it any more",
                     rendezvous->n_group, rendezvous->n_arrived);
      return NULL;
    }

  if (rendezvous->mismatched)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_DATA, "expected %u values from every process, found another number",
                 rendezvous->n_values);
  else
    {
      all = g_new (GhloValue *, (gsize) rendezvous->n_group * n_values + 1);
      for (guint i = 0; i < rendezvous->n_group * n_values; i++)
        all[i] = ghlo_value_ref (rendezvous->values[i]);
    }
  if (++rendezvous->n_left == rendezvous->n_group)
    g_hash_table_remove (process->grid->rendezvous, rendezvous->key);

  return all;
}

GhloValue **
ghlo_ref_process_rendezvous (GhloRefProcess   *self,
                             const char       *name,
                             const guint32    *group,
                             guint             n_group,
                             GhloValue *const *values,
                             guint             n_values,
                             GError          **error)
{
  guint32 number = self->replica * self->grid->n_partitions + self->partition;
  guint member = 0;
  GhloValue **all;
  char *key;

  while (member < n_group && group[member] != number)
    member++;
  if (member == n_group)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INTERNAL,
                   "process %u is not a member of the group that it synchronizes with", number);
      return NULL;
    }

  g_mutex_lock (&self->grid->lock);
  if (self->tickets != NULL && self->n_used_tickets < self->tickets->len)
    key = g_strdup (g_ptr_array_index (self->tickets, self->n_used_tickets++));
  else
    key = draw_key (self, name, group, n_group);
  all = attend (self, find_rendezvous (self->grid, key, n_group, n_values), member, values, n_values, error);
  g_mutex_unlock (&self->grid->lock);

  return all;
}
