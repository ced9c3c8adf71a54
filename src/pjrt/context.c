/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tables of objects by type. They are small: objects are added before executions and looked up during them.
 */

#include "pjrt/context.h"

#include "base/hash.h"
#include "pjrt/error.h"

struct PJRT_ExecuteContext
{
  gatomicrefcount  ref_count;
  GMutex           lock;        /* guards the table */
  GHashTable      *objects;     /* by gint64, the type's number */
};

PJRT_ExecuteContext *
ghlo_pjrt_context_ref (PJRT_ExecuteContext *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
ghlo_pjrt_context_unref (PJRT_ExecuteContext *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  g_hash_table_unref (self->objects);
  g_mutex_clear (&self->lock);
  g_free (self);
}

PJRT_ExecuteContext *
ghlo_pjrt_context_of (const PJRT_ExecuteOptions *options)
{
  if (options == NULL || !PJRT_HAS (options, context) || options->context == NULL)
    return NULL;

  return ghlo_pjrt_context_ref (options->context);
}

gboolean
ghlo_pjrt_context_add (PJRT_ExecuteContext *self,
                       gint64               type,
                       gpointer             object)
{
  gboolean added;

  g_mutex_lock (&self->lock);
  added = !g_hash_table_contains (self->objects, &type);
  if (added)
    g_hash_table_insert (self->objects, g_memdup2 (&type, sizeof type), object);
  g_mutex_unlock (&self->lock);

  return added;
}

gboolean
ghlo_pjrt_context_find (PJRT_ExecuteContext *self,
                        gint64               type,
                        gpointer            *object)
{
  gboolean found;

  if (self == NULL)
    return FALSE;
  g_mutex_lock (&self->lock);
  found = g_hash_table_lookup_extended (self->objects, &type, NULL, object);
  g_mutex_unlock (&self->lock);

  return found;
}

static PJRT_Error *
create (PJRT_ExecuteContext_Create_Args *args)
{
  PJRT_ExecuteContext *self;

  PJRT_NEEDS (args, context);
  self = g_new0 (PJRT_ExecuteContext, 1);
  g_atomic_ref_count_init (&self->ref_count);
  g_mutex_init (&self->lock);
  self->objects = g_hash_table_new_full (ghlo_hash_int64, g_int64_equal, g_free, NULL);
  args->context = self;

  return NULL;
}

static PJRT_Error *
destroy (PJRT_ExecuteContext_Destroy_Args *args)
{
  PJRT_NEEDS (args, context);
  if (args->context != NULL)
    ghlo_pjrt_context_unref (args->context);

  return NULL;
}

void
ghlo_pjrt_context_add_functions (PJRT_Api *api)
{
  api->PJRT_ExecuteContext_Create = create;
  api->PJRT_ExecuteContext_Destroy = destroy;
}
