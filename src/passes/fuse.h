/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Making fusions (ir/fusion.h): the driver of the passes that look for groups of one kind. A
 * group begins with one operation and grows by merges; the device is asked about each, GHLO_FUSE
 * counts them, and who asked hears what became of it.
 */

#pragma once

#include "passes/context.h"

G_BEGIN_DECLS

enum { GHLO_FUSE_MAX_OPS = 17 };

/* Operations of one block, in its order, of which no other group has any. What they give to others
 * is what the last one gives, so that none of their operands depends on them. */
typedef struct
{
  GhloIrOp *ops[GHLO_FUSE_MAX_OPS];
  guint     n_ops;
} GhloFuseGroup;

typedef struct _GhloFuser GhloFuser;

/* What a pass does: it says whether a group may begin with @op, and lets groups of one operation
 * grow as far as they do, by the functions below. */
typedef struct
{
  const char *kind;                                  /* "epilogue" */
  gboolean  (*begins) (const GhloIrOp *op);
  void      (*grow)   (GhloFuser      *self,
                       GhloFuseGroup  *group);
} GhloFuseRules;

/* @group becomes @grown, which has a few operations more. The last one is what the merge is about. FALSE
 * where it is not to be. */
gboolean ghlo_fuse_merge  (GhloFuser           *self,
                           GhloFuseGroup       *group,
                           const GhloFuseGroup *grown);
/* Tells why @op, NULL where that is no certain one, is not merged with @group. */
void     ghlo_fuse_refuse (GhloFuser           *self,
                           const GhloFuseGroup *group,
                           const GhloIrOp      *op,
                           const char          *reason);

/* Finds the groups of all functions of @module, and makes fusions of them. */
gboolean ghlo_fuse_module (GhloIrModule        *module,
                           GhloPassContext     *context,
                           const GhloFuseRules *rules,
                           GError             **error);

G_END_DECLS
