/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds OpenBLAS where distributions install its single-threaded build, and refuses anything else by that name: a
 * threaded build would start threads for each caller, and a plain BLAS is many times slower.
 */

#include "cpu/library/blas.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpu/isa/level.h"
#include "runtime/memory.h"

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

/* Bytes that the working memory of one call may take: it has 128 MiB on x86-64. */
enum { ROOM = 160 << 20 };

/* OpenBLAS's LAPACK must call its own BLAS, not one that the program has loaded before. AddressSanitizer does not
 * work with RTLD_DEEPBIND. */
#if defined (RTLD_DEEPBIND) && !defined (__SANITIZE_ADDRESS__) && !__has_feature (address_sanitizer)
#define OPEN_FLAGS (RTLD_LAZY | RTLD_LOCAL | RTLD_DEEPBIND)
#else
#define OPEN_FLAGS (RTLD_LAZY | RTLD_LOCAL)
#endif

/* Version 0.3.21 takes recent Intel processors for one of 2004, unless this variable is in the environment while it
 * is loaded. It exports its tables of kernels and which one it uses, but not the function that prepares a table, so
 * the environment is the only way. */
static char *
name_core (void)
{
  static char variables[GHLO_CPU_N_LEVELS][32] = {
    [GHLO_CPU_LEVEL_AVX2] = "OPENBLAS_CORETYPE=HASWELL", [GHLO_CPU_LEVEL_AVX512] = "OPENBLAS_CORETYPE=SKYLAKEX",
  };
  char *variable = variables[ghlo_cpu_level ()];

  return variable[0] != '\0' && g_getenv ("OPENBLAS_CORETYPE") == NULL ? variable : NULL;
}

/* Another thread may be reading the environment, and setenv() would move and free parts of it. This creates a new
 * array of the same strings instead, never frees either of them, and changes a single pointer. */
static void
add_variable (char *variable)
{
  guint n = environ != NULL ? g_strv_length (environ) : 0;
  char **copy = g_new (char *, n + 2);

  if (n > 0)
    memcpy (copy, environ, n * sizeof (char *));
  copy[n] = variable;
  copy[n + 1] = NULL;
  g_atomic_pointer_set (&environ, copy);
}

/* Removes the variable if it is still the last one; if somebody else has changed the environment meanwhile, it
 * stays. */
static void
remove_variable (const char *variable)
{
  guint n = g_strv_length (environ);

  if (n > 0 && environ[n - 1] == variable)
    g_atomic_pointer_set (&environ[n - 1], NULL);
}

/* Whether @library is OpenBLAS, and a single-threaded build. */
static gboolean
is_wanted (gpointer library)
{
  int (*get_parallel) (void);

  *(gpointer *) &get_parallel = dlsym (library, "openblas_get_parallel");

  return get_parallel != NULL && get_parallel () == 0;
}

static gpointer
open_wanted (const char *path)
{
  gpointer library = dlopen (path, OPEN_FLAGS);

  if (library == NULL || is_wanted (library))
    return library;
  dlclose (library);

  return NULL;
}

/* Searches the folder of GLib, which is that of the system's libraries for this architecture. */
static gpointer
open_library (void)
{
  static const char *const names[] = { "openblas-serial/libopenblas.so.0", "libopenblas.so.0" };
  gpointer library = NULL;
  Dl_info info;

  if (dladdr ((gconstpointer) g_free, &info) != 0 && info.dli_fname != NULL)
    {
      char *file = realpath (info.dli_fname, NULL);
      g_autofree char *folder = g_path_get_dirname (file != NULL ? file : info.dli_fname);

      free (file);
      for (guint i = 0; library == NULL && i < G_N_ELEMENTS (names); i++)
        {
          g_autofree char *path = g_build_filename (folder, names[i], NULL);

          if (g_file_test (path, G_FILE_TEST_EXISTS))
            library = open_wanted (path);
        }
    }

  return library != NULL ? library : open_wanted ("libopenblas.so.0");
}

static gboolean
find_functions (GhloCpuBlas *self,
                gpointer     library)
{
  static const char letters[] = { 's', 'd', 'c', 'z' };

  for (guint i = 0; i < GHLO_CPU_BLAS_N_KINDS; i++)
    {
      char name[16];

      g_snprintf (name, sizeof (name), "%cgemm_", letters[i]);
      *(gpointer *) &self->gemm[i] = dlsym (library, name);
      if (self->gemm[i] == NULL)
        return FALSE;
    }

  return TRUE;
}

/* Every function needs working memory, which the library gets once and keeps, since calls are serialized. Where the
 * system refuses it, the library tries again without end. */
static gboolean
take_working_memory (gpointer library)
{
  gpointer (*allocate) (int position);
  void (*release) (gpointer memory);

  *(gpointer *) &allocate = dlsym (library, "blas_memory_alloc");
  *(gpointer *) &release = dlsym (library, "blas_memory_free");
  if (!ghlo_memory_check_room (ROOM, "OpenBLAS", NULL))
    return FALSE;
  if (allocate != NULL && release != NULL)
    release (allocate (0));

  return TRUE;
}

/* The second word of "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH …". */
static char *
find_version (gpointer library)
{
  const char *(*get_config) (void);
  g_auto (GStrv) words = NULL;

  *(gpointer *) &get_config = dlsym (library, "openblas_get_config");
  words = g_strsplit (get_config != NULL ? get_config () : "", " ", 3);

  return g_strdup (g_strv_length (words) > 1 ? words[1] : "unknown");
}

/* Whether the kernels that the library has chosen, or that the environment has named, are of the processor's level. */
static gboolean
is_of_level (const char *core)
{
  static const char *const wide[] = { "SkylakeX", "Cooperlake", "SapphireRapids" };

  for (guint i = 0; i < G_N_ELEMENTS (wide); i++)
    if (strcmp (core, wide[i]) == 0)
      return TRUE;

  return ghlo_cpu_level () != GHLO_CPU_LEVEL_AVX512;
}

/* The library is never closed, since others may hold its functions. */
static gboolean
open_blas (GhloCpuBlas *self)
{
  char *variable = name_core ();
  const char *(*get_core) (void);
  gpointer library;

  if (variable != NULL)
    add_variable (variable);
  library = open_library ();
  if (variable != NULL)
    remove_variable (variable);

  if (library == NULL)
    {
      g_debug ("no single-threaded build of OpenBLAS was found");
      return FALSE;
    }
  *(gpointer *) &get_core = dlsym (library, "openblas_get_corename");
  self->core = g_strdup (get_core != NULL ? get_core () : "unknown");
  self->is_of_level = is_of_level (self->core);
  self->version = find_version (library);
  self->library = library;

  if (!find_functions (self, library))
    return FALSE;
  if (!take_working_memory (library))
    {
      g_debug ("there is not enough memory for OpenBLAS");
      return FALSE;
    }

  return TRUE;
}

const GhloCpuBlas *
ghlo_cpu_blas (void)
{
  static GhloCpuBlas blas;
  static gsize state;

  if (g_once_init_enter (&state))
    g_once_init_leave (&state, open_blas (&blas) ? 2 : 1);

  return state == 2 ? &blas : NULL;
}

static GMutex in_use;

void
ghlo_cpu_blas_begin (void)
{
  g_mutex_lock (&in_use);
}

void
ghlo_cpu_blas_end (void)
{
  g_mutex_unlock (&in_use);
}
