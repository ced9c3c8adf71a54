/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What makes two compiles the same, and what is in use of the same: a program that is
 * compiled twice, while the first result lives, is compiled once.
 */

#include "ghlo-runnable-private.h"

#include <string.h>
#include <unistd.h>

#include "ghlo-program-private.h"
#include "reference/device.h"
#include "runtime/stored.h"

static struct
{
  GMutex     lock;         /* guards what follows */
  GPtrArray *runnables;    /* of GhloRunnable, borrowed: each takes itself out when it goes */
  pid_t      owner;        /* a child of a fork leaves all of it alone, since the lock may be held for ever */
} shared;

/* Whatever tells one device of this machine from another, and from another machine's. */
static char *
describe_device (const GhloDeviceCore *device)
{
  g_autofree char *features = g_strjoinv (",", (char **) device->features);

  return g_strjoin ("; ", device->klass->name, device->title, device->driver, features, NULL);
}

GhloIdentity *
ghlo_identity_new (GhloIrModule         *module,
                   GhloDeviceCore       *device,
                   const GhloSettings   *settings)
{
  const GhloOptimizeOptions options = {
    .level = settings->optimization_level,
    .enabled = (const char *const *) settings->enabled_passes,
    .disabled = (const char *const *) settings->disabled_passes,
    .excess_precision = settings->excess_precision,
    .evaluator = ghlo_reference_device (),
  };
  g_autofree char *of_device = describe_device (device);
  char *text = ghlo_stored_describe_options (&options, of_device, settings->debug_info);
  GhloIdentity *self;

  if (text == NULL)
    return NULL;

  self = g_new0 (GhloIdentity, 1);
  self->module = ghlo_ir_module_ref (module);
  self->device = device;
  self->keep_locations = settings->debug_info;
  self->options = text;
  self->name = ghlo_stored_name (module, text);

  return self;
}

void
ghlo_identity_free (GhloIdentity *self)
{
  ghlo_program_drop_module (self->module);
  g_free (self->options);
  g_free (self->name);
  g_free (self->key);
  g_free (self);
}

const char *
ghlo_identity_get_key (GhloIdentity       *self,
                       const GhloMonitor  *monitor,
                       GError            **error)
{
  char *key = g_atomic_pointer_get (&self->key);

  if (key != NULL)
    return key;
  key = ghlo_stored_key (self->module, self->options, self->keep_locations, monitor, error);
  if (key != NULL && !g_atomic_pointer_compare_and_exchange (&self->key, NULL, key))
    g_free (key);

  return g_atomic_pointer_get (&self->key);
}

/* A reference, unless the last one is gone already. */
static GhloRunnable *
try_ref (GhloRunnable *runnable)
{
  int count = g_atomic_int_get (&runnable->ref_count);

  while (count > 0)
    {
      if (g_atomic_int_compare_and_exchange (&runnable->ref_count, count, count + 1))
        return runnable;
      count = g_atomic_int_get (&runnable->ref_count);
    }

  return NULL;
}

/* Those that may be the one, with references. */
static GPtrArray *
find_candidates (const GhloIdentity *identity)
{
  GPtrArray *found = g_ptr_array_new_with_free_func ((GDestroyNotify) ghlo_runnable_unref);

  g_mutex_lock (&shared.lock);
  for (guint i = 0; shared.runnables != NULL && shared.owner == getpid () && i < shared.runnables->len; i++)
    {
      GhloRunnable *runnable = shared.runnables->pdata[i];
      const GhloIdentity *other = runnable->identity;

      if (other->device == identity->device && strcmp (other->name, identity->name) == 0
          && strcmp (other->options, identity->options) == 0
          && g_strcmp0 (other->module->file_name, identity->module->file_name) == 0 && try_ref (runnable) != NULL)
        g_ptr_array_add (found, runnable);
    }
  g_mutex_unlock (&shared.lock);

  return found;
}

GhloRunnable *
ghlo_shared_find (GhloIdentity       *identity,
                  const GhloMonitor  *monitor,
                  GError            **error)
{
  g_autoptr (GPtrArray) candidates = find_candidates (identity);

  for (guint i = 0; i < candidates->len; i++)
    {
      GhloRunnable *runnable = candidates->pdata[i];
      g_autoptr (GError) local_error = NULL;
      const char *key, *other;

      if (runnable->identity->module == identity->module)
        return ghlo_runnable_ref (runnable);
      key = ghlo_identity_get_key (identity, monitor, &local_error);
      other = key != NULL ? ghlo_identity_get_key (runnable->identity, monitor, &local_error) : NULL;
      if (local_error != NULL)
        {
          g_propagate_error (error, g_steal_pointer (&local_error));
          return NULL;
        }
      if (other != NULL && strcmp (key, other) == 0)
        return ghlo_runnable_ref (runnable);
    }

  return NULL;
}

void
ghlo_shared_add (GhloRunnable *runnable)
{
  g_mutex_lock (&shared.lock);
  if (shared.runnables == NULL)
    {
      shared.runnables = g_ptr_array_new ();
      shared.owner = getpid ();
    }
  if (shared.owner == getpid ())
    g_ptr_array_add (shared.runnables, runnable);
  g_mutex_unlock (&shared.lock);
}

void
ghlo_shared_remove (GhloRunnable *runnable)
{
  if (shared.owner != getpid ())
    return;

  g_mutex_lock (&shared.lock);
  g_ptr_array_remove_fast (shared.runnables, runnable);
  g_mutex_unlock (&shared.lock);
}
