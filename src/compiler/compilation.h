/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The result of compiling a program for a device: the program after the passes, and what the device prepared from it.
 * Immutable, with an atomic reference count. It does not refer to the executable that it was compiled for, so that
 * executables of equal programs share one.
 */

#pragma once

#include "compiler/compile-key.h"
#include "passes/pass.h"

G_BEGIN_DECLS

typedef struct
{
  int                 ref_count;   /* atomic */
  GhloIrModule       *module;      /* as it was given to the device */
  GhloPrepared       *prepared;
  GhloPassReport     *report;
  GhloCompileKey     *key;         /* NULL if it is not shared */
} GhloCompilation;

/* How a compile used the caches. */
typedef enum
{
  GHLO_CACHE_USE_NONE,             /* it was not to use them */
  GHLO_CACHE_USE_HIT,
  GHLO_CACHE_USE_MISS,
} GhloCacheUse;

GhloCompilation *ghlo_compilation_new        (GhloIrModule            *module,
                                              GhloDeviceCore          *device,
                                              const GhloSettings      *settings,
                                              const GhloCustomTargets *custom_targets,     /* nullable */
                                              gboolean                 may_use_host,      /* as in GhloPrepareOptions */
                                              GhloCacheUse            *use,
                                              const GhloMonitor       *monitor,
                                              GError                 **error);
GhloCompilation *ghlo_compilation_ref        (GhloCompilation       *self);
void             ghlo_compilation_unref      (GhloCompilation       *self);

/* Compilations in use that have a key. find () returns a new reference; being registered does not keep a
 * compilation alive. */
GhloCompilation *ghlo_compilation_find       (GhloCompileKey    *key,
                                              const GhloMonitor *monitor,
                                              GError           **error);
void             ghlo_compilation_register   (GhloCompilation       *self);
void             ghlo_compilation_unregister (GhloCompilation       *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloCompilation, ghlo_compilation_unref)

G_END_DECLS
