/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Custom calls that the application implements: functions over values, found by the name of the call's target.
 * Tables of targets are immutable, and tables and targets are reference-counted atomically. A compilation therefore
 * sees the table as it was when the compilation was called, and prepared programs keep the functions that they may
 * call alive.
 */

#pragma once

#include "base/monitor.h"
#include "ir/module.h"
#include "runtime/value.h"

G_BEGIN_DECLS

/* The arguments of one call, borrowed for as long as the function runs. */
typedef struct
{
  const GhloIrOp    *op;          /* a stablehlo.custom_call */
  GhloValue *const  *operands;    /* in host memory, one for each operand of op */
  GhloValue        **results;     /* in host memory, one for each result of op; NULL on entry, references on return */
  const GhloMonitor *monitor;     /* nullable */
  struct _GhloRefProcess *process;      /* the calling process of the reference executor */
  gpointer           context;     /* from the options of the run; nullable */
} GhloCustomCallFrame;

/* Fills in the results, whose types the caller checks, or returns FALSE with @error set. Called on the thread that runs
 * the operation, possibly on several threads at once. */
typedef gboolean (*GhloCustomCallFunc) (gpointer                    data,
                                        const GhloCustomCallFrame  *frame,
                                        GError                    **error);

typedef struct
{
  gatomicrefcount     ref_count;
  char               *name;       /* the call_target_name that it implements */
  guint64             serial;     /* unique within the process */
  GhloCustomCallFunc  func;
  gpointer            data;
  GDestroyNotify      destroy;    /* of data; nullable */
} GhloCustomTarget;

typedef struct _GhloCustomTargets GhloCustomTargets;

GhloCustomTarget  *ghlo_custom_target_new        (const char              *name,
                                                  GhloCustomCallFunc       func,
                                                  gpointer                 data,
                                                  GDestroyNotify           destroy);
GhloCustomTarget  *ghlo_custom_target_ref        (GhloCustomTarget        *self);
/* The last unref calls destroy, on its own thread. */
void               ghlo_custom_target_unref      (GhloCustomTarget        *self);

/* Returns a copy of @self (nullable; NULL stands for the empty table) with @target added or replacing the target of the
 * same name. */
GhloCustomTargets *ghlo_custom_targets_with      (const GhloCustomTargets *self,
                                                  GhloCustomTarget        *target);
/* Returns a copy without the target of that name. */
GhloCustomTargets *ghlo_custom_targets_without   (const GhloCustomTargets *self,
                                                  const char              *name);
GhloCustomTargets *ghlo_custom_targets_ref       (GhloCustomTargets       *self);
void               ghlo_custom_targets_unref     (GhloCustomTargets       *self);
/* Returns the target, borrowed from @self (nullable), or NULL. */
GhloCustomTarget  *ghlo_custom_targets_find      (const GhloCustomTargets *self,
                                                  const char              *name);
/* Appends "'name', 'name'", sorted by name. */
void               ghlo_custom_targets_list      (const GhloCustomTargets *self,
                                                  GString                 *string);
/* Returns a text that identifies the functions which @module's calls would get; equal texts mean the same functions.
 * NULL where there are none. */
char              *ghlo_custom_targets_describe  (const GhloCustomTargets *self,
                                                  const GhloIrModule      *module);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloCustomTarget, ghlo_custom_target_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloCustomTargets, ghlo_custom_targets_unref)

G_END_DECLS
