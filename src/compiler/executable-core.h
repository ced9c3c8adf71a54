/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A compiled program as workers use it: its signature, and what runs. Immutable, with an atomic reference count; any
 * number of threads may run it at once.
 */

#pragma once

#include "compiler/compilation.h"
#include "compiler/counters.h"
#include "compiler/signature.h"

G_BEGIN_DECLS

/* What to compile. Everything is owned except the device's core, which is never freed. */
typedef struct
{
  GhloIrModule         *module;
  GhloDeviceCore       *device;            /* NULL: the one in GHLO_DEVICE, or else the one that suits the program */
  GhloSettings         *settings;
  GhloCounters         *counters;          /* the client's */
  GhloCustomTargets    *custom_targets;    /* the application's custom-call functions; NULL: none */
} GhloCompileRequest;

typedef struct
{
  gatomicrefcount       ref_count;
  GhloIrModule         *module;            /* as it was written; this is the program that users see */
  GhloSignature         signature;         /* of @module */
  GhloDeviceCore       *device;
  char                 *reason;            /* why @device was chosen; NULL where it was requested */
  GhloCompilation      *compilation;       /* what runs; other executables may share it */
  GhloSettings         *settings;
  GhloCounters         *counters;          /* for this program alone */
  GhloCounters         *client_counters;
} GhloExecutableCore;

/* Takes references to the contents of @request. Freeing an executable takes a while if its module is
 * large (client/reclaim.h). */
GhloExecutableCore *ghlo_executable_core_new   (const GhloCompileRequest *request,
                                                const GhloMonitor        *monitor,
                                                GError                  **error);
void                ghlo_compile_request_clear (GhloCompileRequest        *request);
GhloExecutableCore *ghlo_executable_core_ref   (GhloExecutableCore        *self);
void                ghlo_executable_core_unref (GhloExecutableCore        *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GhloCompileRequest, ghlo_compile_request_clear)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloExecutableCore, ghlo_executable_core_unref)

G_END_DECLS
