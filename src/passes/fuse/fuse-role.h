/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The role that an operation may have in a group that becomes a kernel, as far as the operation itself determines it.
 * Operands and results must have a static shape without empty dimensions.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

typedef enum
{
  GHLO_FUSE_ROLE_NONE,          /* in no group */
  /* In exactly one group, which writes the result where others use it. */
  GHLO_FUSE_ROLE_ELEMENTWISE,
  GHLO_FUSE_ROLE_FUNCTION,      /* the same, but too costly to be computed again */
  GHLO_FUSE_ROLE_INDEX,         /* pad, concatenate, bitcasts of parts of bytes */
  GHLO_FUSE_ROLE_START,         /* dynamic slice, gather: they read at indices that are computed at run time */
  GHLO_FUSE_ROLE_REDUCE,
  GHLO_FUSE_ROLE_PRODUCT,       /* a product or convolution: not part of a kernel, but a group may begin with one */
  /* Views cost nothing or next to nothing; each group that uses one has a copy of it. */
  GHLO_FUSE_ROLE_LEAF,          /* without operands: a splat constant, iota */
  GHLO_FUSE_ROLE_BROADCAST,
  GHLO_FUSE_ROLE_RESHAPE,       /* adds and drops dimensions of size 1 */
  GHLO_FUSE_ROLE_MOVE,          /* transpose, slice, reverse */
  GHLO_FUSE_ROLE_CONVERT,       /* to elements that are not smaller, with several users */
} GhloFuseRole;

static inline gboolean
ghlo_fuse_role_is_view (GhloFuseRole role)
{
  return role >= GHLO_FUSE_ROLE_LEAF;
}

/* For an operation in the function's body or in the regions of control flow (see effects.h). */
GhloFuseRole ghlo_fuse_role_of       (const GhloIrOp *op);
/* Whether results of @role may be computed more than once, at points other than the group's own. */
gboolean     ghlo_fuse_role_is_cheap (GhloFuseRole    role);

G_END_DECLS
