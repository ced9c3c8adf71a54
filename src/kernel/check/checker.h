/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the files of the checker (kernel/check.h). Tables are checked first, then blocks with their nodes in
 * execution order, then what stores do to buffers. Each step relies on the previous ones.
 */

#pragma once

#include "base/fail.h"
#include "kernel/check.h"

G_BEGIN_DECLS

/* The bytes [low, high) that an access reaches; empty if both are 0. */
typedef struct
{
  gint64 low, high;
} GhloKernelReach;

typedef struct
{
  const GhloKernel *kernel;
  GError          **error;
  guint             block;                                      /* the block being checked, or GHLO_KERNEL_NONE */
  guint8            parallel;                                   /* parallel axes, as bits */
  guint8            long_axes;                                  /* axes with more than one point, as bits */
  guint8            loops[GHLO_KERNEL_MAX_BLOCKS];              /* axes of the loops around each block, as bits */
  guint16           writers[GHLO_KERNEL_MAX_TEMPORARIES];       /* the block that writes each, or GHLO_KERNEL_NONE */
  gboolean          is_readable[GHLO_KERNEL_MAX_TEMPORARIES];   /* at the current place */
  guint16           users[GHLO_KERNEL_MAX_ACCESSES];            /* the block that uses an access with nodes, or NONE */
  GhloKernelReach   reaches[GHLO_KERNEL_MAX_ACCESSES];
} GhloKernelCheck;

/* Sets an error that says where and what is wrong; returns FALSE. */
gboolean ghlo_kernel_check_fail (GhloKernelCheck *self,
                                 const char      *format,
                                 ...) G_GNUC_PRINTF (2, 3);
#define ghlo_kernel_check_fail(...) GHLO_FALSE_AFTER (ghlo_kernel_check_fail (__VA_ARGS__))

/* Returns whether the type exists and nodes may have it. */
gboolean ghlo_kernel_check_is_type   (guint            type);

/* Checks accesses and terms by themselves; fills in the reaches. */
gboolean ghlo_kernel_check_accesses  (GhloKernelCheck *self);
/* Checks that the current block may use the access and that the access's nodes precede node @before. */
gboolean ghlo_kernel_check_use       (GhloKernelCheck *self,
                                      guint            access,
                                      guint            before);
/* Checks the tree of blocks and everything in it. */
gboolean ghlo_kernel_check_blocks    (GhloKernelCheck *self);
/* Checks the nodes of the current block of points, including its merge. */
gboolean ghlo_kernel_check_nodes     (GhloKernelCheck *self);
/* Checks what all blocks do to buffers that are written. */
gboolean ghlo_kernel_check_stores    (GhloKernelCheck *self);

/* Returns the axes in scope in the current block, which is points or a product, as bits. */
static inline guint
ghlo_kernel_check_scope (const GhloKernelCheck *self)
{
  return self->parallel | self->loops[self->block] | self->kernel->blocks[self->block].axes;
}

G_END_DECLS
