/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Making fusions (ir/fusion.h): the driver of the passes that find groups of one kind. A group grows by merges. The
 * device is asked about each merge, GHLO_FUSE limits their number, and the caller's callback is told the outcome.
 */

#pragma once

#include "passes/context.h"

G_BEGIN_DECLS

enum { GHLO_FUSE_MAX_OPS = 256 };

/* Operations of one block, in block order, that belong to no other group. All inputs of the group are computed before
 * anything that uses its results. */
typedef struct
{
  guint     n_ops;
  GhloIrOp *ops[GHLO_FUSE_MAX_OPS];
} GhloFuseGroup;

typedef struct _GhloFuser GhloFuser;

/* A fusion pass: finds the groups of one function with the functions below. It may reorder the
 * function's operations. */
typedef struct
{
  GhloFusionKind kind;
  gboolean     (*find) (GhloFuser      *self,
                        GhloIrOp       *func,
                        gconstpointer   data,
                        GError        **error);
  gconstpointer  data;
} GhloFuseRules;

GhloIrModule      *ghlo_fuse_get_module  (const GhloFuser     *self);
const GhloMonitor *ghlo_fuse_get_monitor (const GhloFuser     *self);

/* Why the device does not run @ops as one step, regardless of how many merges were made; NULL where it does. */
const char *ghlo_fuse_find_reason (GhloFuser           *self,
                                   GhloIrOp *const     *ops,
                                   guint                n_ops);
/* Whether to merge @op into the group that begins with @first, where @ops is the merged group. Counts the merge
 * if so. */
gboolean    ghlo_fuse_accept      (GhloFuser           *self,
                                   GhloIrOp *const     *ops,
                                   guint                n_ops,
                                   const GhloIrOp      *first,
                                   const GhloIrOp      *op);
/* The same for @group, which becomes @grown: the same operations followed by a few more. The last one is the operation
 * that the merge is reported for. FALSE where the merge is refused. */
gboolean    ghlo_fuse_merge       (GhloFuser           *self,
                                   GhloFuseGroup       *group,
                                   const GhloFuseGroup *grown);
/* Reports why @op is not merged into the group that begins with @first; @op is NULL where no particular operation
 * is concerned. */
void        ghlo_fuse_refuse      (GhloFuser           *self,
                                   const GhloIrOp      *first,
                                   const GhloIrOp      *op,
                                   const char          *reason);
/* Records a copy of @group. It becomes a fusion when all groups of the function have been found. */
void        ghlo_fuse_add         (GhloFuser           *self,
                                   const GhloFuseGroup *group);

/* Finds the groups of all functions of @module and makes fusions of them. */
gboolean ghlo_fuse_module (GhloIrModule        *module,
                           GhloPassContext     *context,
                           const GhloFuseRules *rules,
                           GError             **error);

/* The functions that are the bodies of fusions, whose contents are one step already: each with a composite of it. */
GHashTable *ghlo_fuse_decompositions (const GhloIrModule *module);

G_END_DECLS
