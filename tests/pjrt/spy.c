/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A plugin that wraps the one named by GHLO_PJRT_SPIED: it counts the calls of each entry and forwards them. This tells
 * a test which functions a framework calls.
 */

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

#include "pjrt/abi.h"

__attribute__ ((visibility ("default"))) const PJRT_Api *GetPjrtApi (void);
/* Returns how often a function such as "Client_Compile" was called since the last query; -1 for unknown names. */
__attribute__ ((visibility ("default"))) int spy_take_count (const char *name);

static const PJRT_Api *real;

#define IMPLEMENTED(name) ENTRY_##name,
#define IMPLEMENTED_VOID(name) ENTRY_##name,
#define UNIMPLEMENTED(name) ENTRY_##name,
enum
{
#include "pjrt/functions.def"
  N_ENTRIES
};
#undef IMPLEMENTED
#undef IMPLEMENTED_VOID
#undef UNIMPLEMENTED

static atomic_int counts[N_ENTRIES];

#define IMPLEMENTED(name) \
  static PJRT_Error * \
  spy_##name (PJRT_##name##_Args *args) \
  { \
    atomic_fetch_add (&counts[ENTRY_##name], 1); \
    return real->PJRT_##name (args); \
  }
#define IMPLEMENTED_VOID(name) \
  static void \
  spy_##name (PJRT_##name##_Args *args) \
  { \
    atomic_fetch_add (&counts[ENTRY_##name], 1); \
    real->PJRT_##name (args); \
  }
#define UNIMPLEMENTED(name) \
  static PJRT_Error * \
  spy_##name (void *args) \
  { \
    atomic_fetch_add (&counts[ENTRY_##name], 1); \
    return real->PJRT_##name (args); \
  }
#include "pjrt/functions.def"
#undef IMPLEMENTED
#undef IMPLEMENTED_VOID
#undef UNIMPLEMENTED

int
spy_take_count (const char *name)
{
#define IMPLEMENTED(entry) #entry,
#define IMPLEMENTED_VOID(entry) #entry,
#define UNIMPLEMENTED(entry) #entry,
  static const char *const names[] = {
#include "pjrt/functions.def"
  };
#undef IMPLEMENTED
#undef IMPLEMENTED_VOID
#undef UNIMPLEMENTED

  for (gsize i = 0; i < N_ENTRIES; i++)
    if (strcmp (names[i], name) == 0)
      return atomic_exchange (&counts[i], 0);

  return -1;
}

const PJRT_Api *
GetPjrtApi (void)
{
  static PJRT_Api api;
  const char *path = g_getenv ("GHLO_PJRT_SPIED");
  gpointer plugin = path != NULL ? dlopen (path, RTLD_LAZY | RTLD_LOCAL) : NULL;
  const PJRT_Api *(*get) (void);

  if (plugin == NULL)
    g_error ("GHLO_PJRT_SPIED: %s", path != NULL ? dlerror () : "it is not set");
  *(gpointer *) &get = dlsym (plugin, "GetPjrtApi");
  g_assert (get != NULL);
  real = get ();
  api = *real;
#define IMPLEMENTED(name) api.PJRT_##name = spy_##name;
#define IMPLEMENTED_VOID(name) api.PJRT_##name = spy_##name;
#define UNIMPLEMENTED(name) api.PJRT_##name = spy_##name;
#include "pjrt/functions.def"
#undef IMPLEMENTED
#undef IMPLEMENTED_VOID
#undef UNIMPLEMENTED

  return &api;
}
