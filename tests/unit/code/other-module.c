/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A module that resembles the module that makes machine code but belongs to other libraries; GHLO_TEST_OTHER selects in
 * what way.
 */

#include "cpu/llvm/emit.h"

#include <gmodule.h>

static void
free_otherwise (GBytes *bytes)
{
  g_bytes_unref (bytes);
}

static GBytes *
compile (G_GNUC_UNUSED const GhloKernel          *kernel,
         G_GNUC_UNUSED const GhloKernelSchedule  *schedule,
         G_GNUC_UNUSED const GhloCodeTarget      *target,
         G_GNUC_UNUSED char                     **listing,
         G_GNUC_UNUSED GError                   **error)
{
  g_assert_not_reached ();

  return NULL;
}

G_MODULE_EXPORT const GhloEmitter *ghlo_emitter (void);

const GhloEmitter *
ghlo_emitter (void)
{
  static GhloEmitter emitter = {
    .library = GHLO_VERSION, .free_bytes = g_bytes_unref, .version = "2", .compile = compile,
  };

  if (g_strcmp0 (g_getenv ("GHLO_TEST_OTHER"), "version") == 0)
    emitter.library = "0.0.1";
  else
    emitter.free_bytes = free_otherwise;

  return &emitter;
}
