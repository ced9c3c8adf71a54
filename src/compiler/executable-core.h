/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A compiled program as workers know it: what it takes and gives, and what runs.
 * Immutable, counted atomically, run by any number of threads at once.
 */

#pragma once

#include "compiler/compilation.h"
#include "compiler/counters.h"
#include "compiler/signature.h"
#include "runtime/refine.h"

G_BEGIN_DECLS

/* What is compiled: all is owned but the device's core, which nobody frees. */
typedef struct
{
  GhloIrModule         *module;
  GhloDeviceCore       *device;            /* NULL: GHLO_DEVICE's, or else the one that suits the program */
  GhloSettings         *settings;
  GhloCounters         *counters;          /* the client's */
  GhloCustomTargets    *custom_targets;    /* what the application answers itself; NULL: nothing */
} GhloCompileRequest;

typedef struct
{
  gatomicrefcount       ref_count;
  GhloIrModule         *module;            /* as it was written: what people see of the program */
  GhloSignature         signature;         /* of module */
  GhloDeviceCore       *device;
  char                 *reason;            /* why it was chosen; NULL where it was asked for */
  GhloCompilation      *compilation;       /* what runs; other executables may share it */
  GhloSettings         *settings;
  GhloRunWatch         *watch;             /* which its runs are told to; NULL: nobody learns from them */
  GhloCounters         *counters;          /* of this program alone */
  GhloCounters         *client_counters;
} GhloExecutableCore;

/* Takes references to what @request has. Freeing one takes time where its module is
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
