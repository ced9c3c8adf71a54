/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Custom calls that the application answers: functions over values, found by the target's name. Tables of them are
 * immutable and counted atomically, as the functions are, so that a compile sees the one that there was when it was
 * called, and what it prepares keeps the functions that it may call.
 */

#pragma once

#include "base/monitor.h"
#include "ir/module.h"
#include "runtime/value.h"

G_BEGIN_DECLS

/* One call. All of it is borrowed for as long as the function runs. */
typedef struct
{
  const GhloIrOp    *op;          /* a stablehlo.custom_call */
  GhloValue *const  *operands;    /* one for each operand of op, in host memory */
  GhloValue        **results;     /* one for each result of op: NULL, and then a reference in host memory */
  const GhloMonitor *monitor;     /* nullable */
  struct _GhloRefProcess *process;      /* of the reference executor: the one that calls */
  gpointer           context;     /* of the run's options; nullable */
} GhloCustomCallFrame;

/* Fills the results, whose types the caller checks; FALSE with @error set. Called on whatever thread runs the
 * operation, and on several threads at once. */
typedef gboolean (*GhloCustomCallFunc) (gpointer                    data,
                                        const GhloCustomCallFrame  *frame,
                                        GError                    **error);

typedef struct
{
  gatomicrefcount     ref_count;
  char               *name;       /* the call_target_name that it answers */
  guint64             serial;     /* no two of the process have the same */
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
/* The last reference calls destroy, on the thread that gives it up. */
void               ghlo_custom_target_unref      (GhloCustomTarget        *self);

/* A table like @self, in which NULL stands for an empty one, with @target in the place of one of its name. */
GhloCustomTargets *ghlo_custom_targets_with      (const GhloCustomTargets *self,
                                                  GhloCustomTarget        *target);
/* The same without the target of that name. */
GhloCustomTargets *ghlo_custom_targets_without   (const GhloCustomTargets *self,
                                                  const char              *name);
GhloCustomTargets *ghlo_custom_targets_ref       (GhloCustomTargets       *self);
void               ghlo_custom_targets_unref     (GhloCustomTargets       *self);
/* Borrowed from @self, which may be NULL; NULL where there is none. */
GhloCustomTarget  *ghlo_custom_targets_find      (const GhloCustomTargets *self,
                                                  const char              *name);
/* Appends "'name', 'name'", in the order of the names. */
void               ghlo_custom_targets_list      (const GhloCustomTargets *self,
                                                  GString                 *string);
/* Which functions @module's calls would get, as text that is equal where they are the same; NULL where none. */
char              *ghlo_custom_targets_describe  (const GhloCustomTargets *self,
                                                  const GhloIrModule      *module);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloCustomTarget, ghlo_custom_target_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloCustomTargets, ghlo_custom_targets_unref)

G_END_DECLS
