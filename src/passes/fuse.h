/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Making fusions (ir/fusion.h): the driver of the passes that look for groups of one kind. A
 * group grows by merges; the device is asked about each, GHLO_FUSE counts them, and who asked
 * hears what became of it.
 */

#pragma once

#include "passes/context.h"

G_BEGIN_DECLS

enum { GHLO_FUSE_MAX_OPS = 256 };

/* Operations of one block, in its order, of which no other group has any. What the group takes is computed before
 * all that uses what it gives. */
typedef struct
{
  guint     n_ops;
  GhloIrOp *ops[GHLO_FUSE_MAX_OPS];
} GhloFuseGroup;

typedef struct _GhloFuser GhloFuser;

/* What a pass does: it finds the groups of one function, by the functions below. It may put the function's
 * operations into another order. */
typedef struct
{
  const char *kind;                                  /* "epilogue" */
  gboolean  (*find) (GhloFuser      *self,
                     GhloIrOp       *func,
                     gconstpointer   data,
                     GError        **error);
  gconstpointer data;
} GhloFuseRules;

GhloIrModule      *ghlo_fuse_get_module  (const GhloFuser     *self);
const GhloMonitor *ghlo_fuse_get_monitor (const GhloFuser     *self);

/* Why the device does not do @ops as one step, whatever was merged so far; NULL where it does. */
const char *ghlo_fuse_find_reason (GhloFuser           *self,
                                   GhloIrOp *const     *ops,
                                   guint                n_ops);
/* Whether @ops, a group that begins with @first and @op, which it is to be merged with, is to be one; counts the
 * merge where it is. */
gboolean    ghlo_fuse_accept      (GhloFuser           *self,
                                   GhloIrOp *const     *ops,
                                   guint                n_ops,
                                   const GhloIrOp      *first,
                                   const GhloIrOp      *op);
/* The same of @group, which becomes @grown, which has a few operations more. The last one is what the merge is
 * about. FALSE where it is not to be. */
gboolean    ghlo_fuse_merge       (GhloFuser           *self,
                                   GhloFuseGroup       *group,
                                   const GhloFuseGroup *grown);
/* Tells why @op, NULL where that is no certain one, is not merged with the group that begins with @first. */
void        ghlo_fuse_refuse      (GhloFuser           *self,
                                   const GhloIrOp      *first,
                                   const GhloIrOp      *op,
                                   const char          *reason);
/* A copy of @group becomes a fusion when all groups of the function have been found. */
void        ghlo_fuse_add         (GhloFuser           *self,
                                   const GhloFuseGroup *group);

/* Finds the groups of all functions of @module, and makes fusions of them. */
gboolean ghlo_fuse_module (GhloIrModule        *module,
                           GhloPassContext     *context,
                           const GhloFuseRules *rules,
                           GError             **error);

G_END_DECLS
