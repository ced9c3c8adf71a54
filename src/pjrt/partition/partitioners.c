/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The registered partitioners, and the extension that registers them.
 */

#include "pjrt/partition/partitioners.h"

#include "base/fail.h"
#include "base/hash.h"
#include "pjrt/error.h"

/* The version of the structure of callbacks. */
enum { VERSION = 0 };

G_LOCK_DEFINE_STATIC (registry);
static GHashTable *partitioners;        /* name → JAX_CustomCallPartitioner_Callbacks; never removed */

JAX_CustomCallPartitioner_Callbacks *
ghlo_pjrt_partitioner_find (const char *name)
{
  JAX_CustomCallPartitioner_Callbacks *found;

  G_LOCK (registry);
  found = partitioners != NULL && name != NULL ? g_hash_table_lookup (partitioners, name) : NULL;
  G_UNLOCK (registry);

  return found;
}

gboolean
ghlo_pjrt_partitioner_register (const char                           *name,
                                gsize                                 name_size,
                                JAX_CustomCallPartitioner_Callbacks  *partitioner,
                                GError                              **error)
{
  g_autofree char *text = NULL;
  JAX_CustomCallPartitioner_Callbacks *known;

  if (name == NULL || name_size == 0 || !g_utf8_validate_len (name, name_size, NULL))
    return ghlo_invalid (error, "expected the name of a custom call in UTF-8, found an empty or invalid string");
  text = g_strndup (name, name_size);
  if (partitioner == NULL || partitioner->partition == NULL)
    return ghlo_invalid (error, "custom call '%s': expected a function that partitions it, found none", text);
  if (partitioner->version != VERSION)
    return ghlo_unsupported (error, "custom call '%s': expected a partitioner of version %d, found version %"
                             G_GINT64_FORMAT, text, VERSION, partitioner->version);
  G_LOCK (registry);
  if (partitioners == NULL)
    partitioners = g_hash_table_new (ghlo_hash_string, g_str_equal);
  known = g_hash_table_lookup (partitioners, text);
  if (known == NULL)
    g_hash_table_insert (partitioners, g_steal_pointer (&text), partitioner);
  G_UNLOCK (registry);
  if (known != NULL && known != partitioner && partitioner->dtor != NULL)
    partitioner->dtor (partitioner);

  return TRUE;
}

static PJRT_Error *
register_custom_partitioner (PJRT_Register_Custom_Partitioner_Args *args)
{
  GError *error = NULL;

  PJRT_NEEDS (args, callbacks);
  ghlo_pjrt_partitioner_register (args->name, args->name_size, args->callbacks, &error);

  return ghlo_pjrt_error_take (error);
}

/* Nothing to do, since a program runs as a whole. */
static PJRT_Error *
register_batch_partitionable (PJRT_Register_Batch_Partitionable_Args *args)
{
  PJRT_NEEDS (args, name_size);

  return NULL;
}

void
ghlo_pjrt_partitioners_fill (PJRT_Custom_Partitioner_Extension *extension)
{
  *extension = (PJRT_Custom_Partitioner_Extension) {
    .base = { .struct_size = sizeof *extension, .type = PJRT_Extension_Type_Custom_Partitioner },
    .register_custom_partitioner = register_custom_partitioner,
    .register_batch_partitionable = register_batch_partitionable,
  };
}
