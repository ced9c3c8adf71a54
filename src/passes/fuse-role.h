/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What an operation may be within a group that becomes a kernel, as far as the operation itself
 * says: static shapes of one dimension of 2 or more at least, or none; elements of 8 bits and more, or booleans.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

typedef enum
{
  GHLO_FUSE_ROLE_NONE,          /* it is in no group */
  /* In one group, which gives the result where others use it. */
  GHLO_FUSE_ROLE_ELEMENTWISE,
  GHLO_FUSE_ROLE_FUNCTION,      /* the same, but too costly to be computed again */
  GHLO_FUSE_ROLE_INDEX,         /* pad, concatenate */
  GHLO_FUSE_ROLE_START,         /* dynamic slice, gather: what they read is where the program says */
  GHLO_FUSE_ROLE_REDUCE,
  GHLO_FUSE_ROLE_PRODUCT,       /* a product or convolution: no kernel, but a group may begin with one */
  /* Views, which cost nothing or next to nothing, are in each group that uses them. */
  GHLO_FUSE_ROLE_LEAF,          /* has no operands: a constant of equal elements, iota */
  GHLO_FUSE_ROLE_BROADCAST,
  GHLO_FUSE_ROLE_RESHAPE,       /* adds and drops ones */
  GHLO_FUSE_ROLE_MOVE,          /* transpose, slice, reverse */
  GHLO_FUSE_ROLE_CONVERT,       /* to elements no smaller, for several users */
} GhloFuseRole;

static inline gboolean
ghlo_fuse_role_is_view (GhloFuseRole role)
{
  return role >= GHLO_FUSE_ROLE_LEAF;
}

/* Of an operation that stands in a function, or where control (see effects.h) leads. */
GhloFuseRole ghlo_fuse_role_of       (const GhloIrOp *op);
/* Whether results of @role may be computed more than once, at other places than the group's own. */
gboolean     ghlo_fuse_role_is_cheap (GhloFuseRole    role);

G_END_DECLS
