/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The compilations that are in use: a program that is compiled again while the first result is alive shares
 * that result.
 */

#include "compiler/compilation.h"

#include <string.h>
#include <unistd.h>

static struct
{
  GMutex     lock;         /* guards the fields below */
  GPtrArray *compilations;    /* of GhloCompilation, borrowed: each removes itself before it is freed */
  pid_t      owner;        /* process that uses it; a forked child does not, since the lock may be held forever */
} shared;

/* A new reference, unless the last one is gone already. */
static GhloCompilation *
try_ref (GhloCompilation *compilation)
{
  int count = g_atomic_int_get (&compilation->ref_count);

  while (count > 0)
    {
      if (g_atomic_int_compare_and_exchange (&compilation->ref_count, count, count + 1))
        return compilation;
      count = g_atomic_int_get (&compilation->ref_count);
    }

  return NULL;
}

/* References to the compilations that may have the key. */
static GPtrArray *
find_candidates (const GhloCompileKey *key)
{
  GPtrArray *found = g_ptr_array_new_with_free_func ((GDestroyNotify) ghlo_compilation_unref);

  g_mutex_lock (&shared.lock);
  for (guint i = 0; shared.compilations != NULL && shared.owner == getpid () && i < shared.compilations->len; i++)
    {
      GhloCompilation *compilation = shared.compilations->pdata[i];

      if (ghlo_compile_key_resembles (compilation->key, key) && try_ref (compilation) != NULL)
        g_ptr_array_add (found, compilation);
    }
  g_mutex_unlock (&shared.lock);

  return found;
}

GhloCompilation *
ghlo_compilation_find (GhloCompileKey    *key,
                       const GhloMonitor *monitor,
                       GError           **error)
{
  g_autoptr (GPtrArray) candidates = find_candidates (key);

  for (guint i = 0; i < candidates->len; i++)
    {
      GhloCompilation *compilation = candidates->pdata[i];
      g_autoptr (GError) local_error = NULL;
      const char *digest, *other;

      if (compilation->key->module == key->module)
        return ghlo_compilation_ref (compilation);
      digest = ghlo_compile_key_get_digest (key, monitor, &local_error);
      other = digest != NULL ? ghlo_compile_key_get_digest (compilation->key, monitor, &local_error) : NULL;
      if (local_error != NULL)
        {
          g_propagate_error (error, g_steal_pointer (&local_error));
          return NULL;
        }
      if (other != NULL && strcmp (digest, other) == 0)
        return ghlo_compilation_ref (compilation);
    }

  return NULL;
}

void
ghlo_compilation_register (GhloCompilation *compilation)
{
  g_mutex_lock (&shared.lock);
  if (shared.compilations == NULL)
    {
      shared.compilations = g_ptr_array_new ();
      shared.owner = getpid ();
    }
  if (shared.owner == getpid ())
    g_ptr_array_add (shared.compilations, compilation);
  g_mutex_unlock (&shared.lock);
}

void
ghlo_compilation_unregister (GhloCompilation *compilation)
{
  if (shared.owner != getpid ())
    return;

  g_mutex_lock (&shared.lock);
  g_ptr_array_remove_fast (shared.compilations, compilation);
  g_mutex_unlock (&shared.lock);
}
