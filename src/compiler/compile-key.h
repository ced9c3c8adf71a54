/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a compile is of, as far as caches are concerned.
 */

#pragma once

#include "base/monitor.h"
#include "compiler/settings.h"
#include "runtime/device.h"

G_BEGIN_DECLS

/* Owned by whoever has it. */
typedef struct
{
  GhloIrModule         *module;           /* as it was written */
  GhloDeviceCore       *device;
  gboolean              keep_locations;
  gboolean              places;           /* as in GhloPrepareOptions */
  char                 *options;          /* and all else that the passes' result depends on, as text */
  char                 *functions;        /* of the application, that what is prepared calls; NULL where none */
  char                 *name;             /* quickly made, of this and the module: a file's name */
  char                 *digest;           /* NULL until it is needed; then set once, atomically */
} GhloCompileKey;

/* NULL where builds of the library cannot be told apart. */
GhloCompileKey *ghlo_compile_key_new        (GhloIrModule            *module,
                                             GhloDeviceCore          *device,
                                             const GhloSettings      *settings,
                                             const GhloCustomTargets *custom_targets,
                                             gboolean                 places);
void            ghlo_compile_key_free       (GhloCompileKey        *self);
/* Whether @other may be equal, as far as is known without the digests. */
gboolean        ghlo_compile_key_resembles  (const GhloCompileKey *self,
                                             const GhloCompileKey *other);
/* NULL for a program that caches do not take, with @error set when cancelled. */
const char     *ghlo_compile_key_get_digest (GhloCompileKey    *self,
                                             const GhloMonitor *monitor,
                                             GError           **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloCompileKey, ghlo_compile_key_free)

G_END_DECLS
