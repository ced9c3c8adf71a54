/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a compile makes of a program for a device: the program after the passes, and
 * what the device prepared. Immutable and counted atomically; it knows nothing of
 * who compiled it, so executables of equal programs share one.
 */

#pragma once

#include "ghlo-compile-options-private.h"
#include "ghlo-compile-report.h"
#include "ghlo-device-private.h"
#include "ir/module.h"

G_BEGIN_DECLS

/* What a compile is of, as far as caches are concerned; owned by whoever has it. */
typedef struct
{
  GhloIrModule         *module;           /* as it was written */
  GhloDeviceCore       *device;
  gboolean              keep_locations;
  char                 *options;          /* and all else that the result depends on, as text */
  char                 *name;             /* quickly made, of this and the module: a file's name */
  char                 *key;              /* NULL until it is needed; then set once, atomically */
} GhloIdentity;

typedef struct
{
  int                   ref_count;   /* atomic */
  GhloIrModule         *module;      /* as the device was given it */
  GhloPrepared         *prepared;
  GhloCompileReport    *report;
  GhloIdentity         *identity;    /* NULL for what is not shared */
} GhloRunnable;

/* What a compile had of caches. */
typedef enum
{
  GHLO_CACHE_USE_NONE,               /* it was not to ask */
  GHLO_CACHE_USE_HIT,
  GHLO_CACHE_USE_MISS,
} GhloCacheUse;

/* @monitor is a job's own, since it is told the stage of its progress. */
GhloRunnable *ghlo_runnable_new      (GhloIrModule          *module,
                                      GhloDeviceCore        *device,
                                      const GhloSettings    *settings,
                                      GhloCacheUse          *use,
                                      const GhloMonitor     *monitor,
                                      GError               **error);
GhloRunnable *ghlo_runnable_ref      (GhloRunnable          *self);
void          ghlo_runnable_unref    (GhloRunnable          *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloRunnable, ghlo_runnable_unref)

/* NULL where builds of the library cannot be told apart. */
GhloIdentity *ghlo_identity_new      (GhloIrModule          *module,
                                      GhloDeviceCore        *device,
                                      const GhloSettings    *settings);
void          ghlo_identity_free     (GhloIdentity          *self);
/* NULL for a program that caches do not take, with @error set when cancelled. */
const char   *ghlo_identity_get_key  (GhloIdentity          *self,
                                      const GhloMonitor     *monitor,
                                      GError               **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloIdentity, ghlo_identity_free)

/* Those in use that have an identity; none is kept from going. */
GhloRunnable *ghlo_shared_find       (GhloIdentity          *identity,
                                      const GhloMonitor     *monitor,
                                      GError               **error);
void          ghlo_shared_add        (GhloRunnable          *runnable);
void          ghlo_shared_remove     (GhloRunnable          *runnable);

G_END_DECLS
