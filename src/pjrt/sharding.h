/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How a tensor lies over the partitions of a program: each dimension in a number of equal parts, and of each dimension
 * one part on each partition. Partitions that hold the same hold copies. Read from sdy's attributes (Shardy: attrs.td);
 * does not change.
 */

#pragma once

#include "ir/module.h"
#include "runtime/value.h"

G_BEGIN_DECLS

typedef struct
{
  GhloTensorType *whole;        /* owned, as all of the next; the program's tensor */
  GhloTensorType *part;         /* what a partition holds */
  guint           n_partitions;
  guint           rank;
  gint64         *counts;       /* by dimension: in how many parts it is */
  guint          *parts;        /* by partition and dimension: which of them */
  gboolean       *is_first;     /* by partition: none before it holds the same */
  GBytes         *bytes;        /* as callers are told: an xla.OpSharding */
} GhloPjrtSharding;

/* Every partition holds all of it. */
GhloPjrtSharding *ghlo_pjrt_sharding_new_whole (GhloTensorType          *whole,
                                                guint                    n_partitions);
/* As sdy's attribute @attr says, of a tensor at or in @from, whose mesh is one of @n_partitions devices. @module may
 * grow by attributes. */
GhloPjrtSharding *ghlo_pjrt_sharding_read      (GhloIrModule            *module,
                                                const GhloIrOp          *from,
                                                const GhloIrAttr        *attr,
                                                GhloTensorType          *whole,
                                                guint                    n_partitions,
                                                GError                 **error);
void              ghlo_pjrt_sharding_free      (GhloPjrtSharding        *self);
gboolean          ghlo_pjrt_sharding_is_whole  (const GhloPjrtSharding  *self);

/* Whether sdy's manual_axes @axes are all axes of @attr's mesh, one of @n_partitions devices. */
gboolean          ghlo_pjrt_sharding_check_manual (GhloIrModule         *module,
                                                const GhloIrOp          *from,
                                                const GhloIrAttr        *attr,
                                                const GhloIrAttr        *axes,
                                                guint                    n_partitions,
                                                GError                 **error);

/* What @partition holds of @value, which may be @value itself. */
GhloValue        *ghlo_pjrt_sharding_split     (const GhloPjrtSharding  *self,
                                                GhloValue               *value,
                                                guint                    partition,
                                                GError                 **error);
/* The tensor of which the partitions hold @parts. */
GhloValue        *ghlo_pjrt_sharding_assemble  (const GhloPjrtSharding  *self,
                                                GhloValue *const        *parts,
                                                GError                 **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloPjrtSharding, ghlo_pjrt_sharding_free)

G_END_DECLS
