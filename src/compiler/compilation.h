/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a compile makes of a program for a device: the program after the passes, and
 * what the device prepared. Immutable and counted atomically; it knows nothing of
 * who compiled it, so executables of equal programs share one.
 */

#pragma once

#include "compiler/compile-key.h"
#include "passes/pass.h"

G_BEGIN_DECLS

typedef struct
{
  int                 ref_count;   /* atomic */
  GhloIrModule       *module;      /* as the device was given it */
  GhloPrepared       *prepared;
  GhloPassReport     *report;
  GhloCompileKey     *key;         /* NULL for what is not shared */
} GhloCompilation;

/* What a compile had of caches. */
typedef enum
{
  GHLO_CACHE_USE_NONE,             /* it was not to ask */
  GHLO_CACHE_USE_HIT,
  GHLO_CACHE_USE_MISS,
} GhloCacheUse;

GhloCompilation *ghlo_compilation_new        (GhloIrModule            *module,
                                              GhloDeviceCore          *device,
                                              const GhloSettings      *settings,
                                              const GhloCustomTargets *custom_targets,     /* nullable */
                                              gboolean                 places,     /* as in GhloPrepareOptions */
                                              GhloCacheUse            *use,
                                              const GhloMonitor       *monitor,
                                              GError                 **error);
GhloCompilation *ghlo_compilation_ref        (GhloCompilation       *self);
void             ghlo_compilation_unref      (GhloCompilation       *self);

/* Those in use that have a key; none is kept from going. */
GhloCompilation *ghlo_compilation_find       (GhloCompileKey    *key,
                                              const GhloMonitor *monitor,
                                              GError           **error);
void             ghlo_compilation_register   (GhloCompilation       *self);
void             ghlo_compilation_unregister (GhloCompilation       *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloCompilation, ghlo_compilation_unref)

G_END_DECLS
