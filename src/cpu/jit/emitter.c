/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The module lies beside the library, in ghlo-1.0/, where the build made it, or at a path that the application gave.
 * It is never closed.
 */

#include "cpu/jit/emitter.h"

#include <dlfcn.h>
#include <string.h>

#include "base/debug.h"
#include "base/ghlo-error.h"
#include "runtime/build-id.h"

#define FILE_NAME "libghlo-llvm.so"

/* Guarded by g_once_init_enter () in find () and ghlo_code_module_open (). */
static struct
{
  char              *path;      /* NULL where there is no module */
  char              *id;
  const GhloEmitter *emitter;
  char              *reason;    /* why there is no emitter */
} module;

/* The path from ghlo_code_module_set_path (), never freed; atomic. */
static char *given_path;

/* For tests, which set these while threads of earlier tests may still run. Both fields are atomic; the emitter is set
 * last. */
static struct
{
  const GhloEmitter *emitter;
  const char        *id;
} instead;

/* Folders to search for the module, relative to the folder of the library. Those of an uninstalled command, library
 * or test come first. */
static char *
find_path (void)
{
  static const char *const folders[] = { "../cpu/llvm", "../src/cpu/llvm", "ghlo-1.0" };
  const char *given = g_atomic_pointer_get (&given_path);
  Dl_info info;

  if (given != NULL)
    return g_strdup (given);
  if (dladdr (&module, &info) != 0 && info.dli_fname != NULL)
    {
      g_autofree char *own = g_path_get_dirname (info.dli_fname);

      for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
        {
          g_autofree char *path = g_build_filename (own, folders[i], FILE_NAME, NULL);

          if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
            return g_steal_pointer (&path);
        }
    }
  if (g_file_test (GHLO_MODULE_FOLDER "/" FILE_NAME, G_FILE_TEST_IS_REGULAR))
    return g_strdup (GHLO_MODULE_FOLDER "/" FILE_NAME);

  return NULL;
}

void
ghlo_code_module_set_path (const char *path)
{
  char *copy = g_strdup (path);

  if (!g_atomic_pointer_compare_and_exchange (&given_path, NULL, copy))
    g_free (copy);
}

static void
find (void)
{
  static gsize done;

  if (!g_once_init_enter (&done))
    return;
  module.path = find_path ();
  if (module.path != NULL)
    module.id = ghlo_build_id_read (module.path);
  else
    g_debug ("kernels have no machine code: the module %s was not found", FILE_NAME);
  g_once_init_leave (&done, 1);
}

const char *
ghlo_code_module_id (void)
{
  if (ghlo_debug_disables ("llvm"))
    return NULL;
  if (g_atomic_pointer_get (&instead.emitter) != NULL)
    return g_atomic_pointer_get (&instead.id);
  find ();

  return module.path == NULL ? NULL : module.id != NULL ? module.id : "";
}

/* Returns why @emitter cannot be used with this library, newly allocated; NULL where it can. */
static char *
refuse (const GhloEmitter *emitter)
{
  if (emitter == NULL || emitter->library == NULL)
    return g_strdup ("it exports no emitter");
  if (strcmp (emitter->library, GHLO_VERSION) != 0)
    return g_strdup_printf ("expected version " GHLO_VERSION ", found version %s", emitter->library);
  if (emitter->free_bytes != g_bytes_unref)
    return g_strdup ("it is linked with another copy of GLib");

  return NULL;
}

static void
open_module (void)
{
  gpointer library = dlopen (module.path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  GhloEmitterFunc function = NULL;

  if (library != NULL)
    *(gpointer *) &function = dlsym (library, GHLO_EMITTER_SYMBOL);
  module.reason = function == NULL ? g_strdup (dlerror ()) : refuse (function ());
  if (function != NULL && module.reason == NULL)
    module.emitter = function ();
  else
    g_debug ("kernels have no machine code: %s: %s", module.path, module.reason);
}

const GhloEmitter *
ghlo_code_module_open (GError **error)
{
  const GhloEmitter *other = g_atomic_pointer_get (&instead.emitter);
  static gsize done;

  if (other != NULL)
    return other;
  if (ghlo_code_module_id () == NULL)
    {
      g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
                           "the module " FILE_NAME ", which generates machine code, was not found, "
                           "or GHLO_DISABLE names 'llvm'");
      return NULL;
    }
  if (g_once_init_enter (&done))
    {
      open_module ();
      g_once_init_leave (&done, 1);
    }
  if (module.emitter == NULL)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED, "the module that generates machine code cannot be used: %s",
                 module.reason);

  return module.emitter;
}

void
ghlo_code_module_set (const GhloEmitter *emitter,
                      const char        *id)
{
  g_atomic_pointer_set (&instead.id, id);
  g_atomic_pointer_set (&instead.emitter, emitter);
}
