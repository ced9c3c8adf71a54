/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Identifies what is compiled, as far as the caches are concerned.
 */

#pragma once

#include "base/monitor.h"
#include "compiler/settings.h"
#include "execute/program.h"

G_BEGIN_DECLS

/* Owned by its holder. */
typedef struct
{
  GhloIrModule         *module;           /* as it was written, before the passes */
  GhloDeviceCore       *device;
  gboolean              keep_locations;
  gboolean              may_use_host;     /* as in GhloPrepareOptions */
  char                 *options;          /* text of the options and all else that the passes' result depends on */
  char                 *functions;        /* text that identifies the application's functions it calls; nullable */
  char                 *name;             /* computed quickly from @options and @module; a file name */
  char                 *digest;           /* NULL until it is needed; then set once, atomically */
} GhloCompileKey;

/* NULL where builds of the library cannot be told apart. */
GhloCompileKey *ghlo_compile_key_new        (GhloIrModule            *module,
                                             GhloDeviceCore          *device,
                                             const GhloSettings      *settings,
                                             const GhloCustomTargets *custom_targets,
                                             gboolean                 may_use_host);
void            ghlo_compile_key_free       (GhloCompileKey        *self);
/* Whether @other may be equal, as far as can be told without the digests. */
gboolean        ghlo_compile_key_resembles  (const GhloCompileKey *self,
                                             const GhloCompileKey *other);
/* NULL for a program that cannot be cached; @error is then set only if cancelled. */
const char     *ghlo_compile_key_get_digest (GhloCompileKey    *self,
                                             const GhloMonitor *monitor,
                                             GError           **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloCompileKey, ghlo_compile_key_free)

G_END_DECLS
