/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files of the checker (kernel/check.h) tell each other. Tables come first, then blocks
 * with their nodes in the order of running, then what stores do to buffers. Each step relies on those before.
 */

#pragma once

#include "base/fail.h"
#include "kernel/check.h"

G_BEGIN_DECLS

/* The bytes [low, high) that an access reaches; none where both are 0. */
typedef struct
{
  gint64 low, high;
} GhloKernelReach;

typedef struct
{
  const GhloKernel *kernel;
  GError          **error;
  guint             block;                                      /* that is looked at, or GHLO_KERNEL_NONE */
  guint8            parallel;                                   /* parallel axes, as bits */
  guint8            long_axes;                                  /* those of more than one point */
  guint8            loops[GHLO_KERNEL_MAX_BLOCKS];              /* axes of the loops around each block */
  guint16           writers[GHLO_KERNEL_MAX_TEMPORARIES];       /* the block that writes it, or GHLO_KERNEL_NONE */
  gboolean          is_readable[GHLO_KERNEL_MAX_TEMPORARIES];   /* where the check has arrived */
  guint16           users[GHLO_KERNEL_MAX_ACCESSES];            /* of an access with nodes: the block, or NONE */
  GhloKernelReach   reaches[GHLO_KERNEL_MAX_ACCESSES];
} GhloKernelCheck;

/* Says where and what is wrong; FALSE. */
gboolean ghlo_kernel_check_fail (GhloKernelCheck *self,
                                 const char      *format,
                                 ...) G_GNUC_PRINTF (2, 3);
#define ghlo_kernel_check_fail(...) GHLO_FALSE_AFTER (ghlo_kernel_check_fail (__VA_ARGS__))

/* Whether there is such a type, and nodes may have it. */
gboolean ghlo_kernel_check_is_type   (guint            type);

/* Accesses and terms by themselves; fills in the reaches. */
gboolean ghlo_kernel_check_accesses  (GhloKernelCheck *self);
/* That the block that is looked at may use the access, its nodes being before the node @before. */
gboolean ghlo_kernel_check_use       (GhloKernelCheck *self,
                                      guint            access,
                                      guint            before);
/* The tree of blocks and all that is in it. */
gboolean ghlo_kernel_check_blocks    (GhloKernelCheck *self);
/* The nodes of the block of points that is looked at, with its merge. */
gboolean ghlo_kernel_check_nodes     (GhloKernelCheck *self);
/* What all blocks do to buffers that are written. */
gboolean ghlo_kernel_check_stores    (GhloKernelCheck *self);

/* The axes in scope in the block that is looked at, points or a product, as bits. */
static inline guint
ghlo_kernel_check_scope (const GhloKernelCheck *self)
{
  return self->parallel | self->loops[self->block] | self->kernel->blocks[self->block].axes;
}

G_END_DECLS
