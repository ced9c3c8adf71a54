/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How a tensor is distributed over the partitions of a program: each dimension is divided into a number of equal
 * parts, and each partition holds one part of each dimension. Partitions that hold the same part hold copies of it
 * or, for an unreduced tensor, addends whose sum it is. Read from sdy's attributes (Shardy: attrs.td). Immutable once
 * it is set up.
 */

#pragma once

#include "pjrt/layouts.h"
#include "pjrt/sharding/mesh.h"
#include "runtime/value.h"

G_BEGIN_DECLS

typedef struct
{
  GhloTensorType *whole;        /* owned, as are all pointers below; the tensor in the program */
  GhloTensorType *part;         /* the type of the part that a partition holds */
  guint           n_partitions;
  guint           rank;
  gint64         *counts;       /* by dimension: the number of parts */
  guint          *parts;        /* by partition and dimension: the index of the part */
  guint          *addends;      /* by partition: the index of the addend that it holds; 0 when the tensor is not
                                   unreduced */
  gboolean       *is_first;     /* by partition: no earlier partition holds the same */
  gboolean        is_unreduced; /* there is more than one addend */
  gboolean        is_stacked;   /* whole is the stack of the addends, along an additional first dimension */
  GBytes         *bytes;        /* for callers: a serialized xla.OpSharding */
} GhloPjrtSharding;

/* The positions along some axes of a mesh. A place is a row-major index into the whole mesh, a position one into the
 * grid of these axes only. */
typedef struct
{
  guint  n_partitions;
  guint  n;                     /* the number of positions */
  guint *offsets;               /* owned, as are the fields below; by position: the distance of its place from that
                                   of the first position */
  guint *positions;             /* by place */
  guint *partitions, *places;   /* by place its partition, and the inverse */
} GhloPjrtPositions;

/* Reads the positions along sdy's manual_axes @axes of @attr's mesh. On failure there is nothing to clear. */
gboolean          ghlo_pjrt_positions_read     (GhloPjrtPositions       *self,
                                                GhloIrModule            *module,
                                                const GhloIrOp          *from,
                                                const GhloIrAttr        *attr,
                                                const GhloIrAttr        *axes,
                                                guint                    n_partitions,
                                                GError                 **error);
void              ghlo_pjrt_positions_clear    (GhloPjrtPositions       *self);

/* Returns a sharding where every partition holds the whole tensor. */
GhloPjrtSharding *ghlo_pjrt_sharding_new_whole (GhloTensorType          *whole,
                                                guint                    n_partitions);
/* Reads sdy's attribute @attr, for a tensor at or in @from, whose mesh must have @n_partitions devices. @axes
 * (nullable: all axes): sdy's manual_axes, to which the sharding is restricted; it is then over the positions along
 * them instead of partitions. May add attributes to @module. */
GhloPjrtSharding *ghlo_pjrt_sharding_read      (GhloIrModule            *module,
                                                const GhloIrOp          *from,
                                                const GhloIrAttr        *attr,
                                                const GhloIrAttr        *axes,
                                                GhloTensorType          *whole,
                                                guint                    n_partitions,
                                                GError                 **error);
/* Creates a sharding where dimension i is divided along the primes of @mesh in @axes[i]. */
GhloPjrtSharding *ghlo_pjrt_sharding_new       (const GhloPjrtMesh      *mesh,
                                                const GhloPjrtAxes      *axes,
                                                GhloTensorType          *whole,
                                                GError                 **error);
/* Called when counts, parts and addends are set: computes the fields that follow from them, except for bytes. Sets
 * INVALID_ARGUMENT when no partition holds some part. */
gboolean          ghlo_pjrt_sharding_settle    (GhloPjrtSharding        *self,
                                                GError                 **error);
/* Sets UNSUPPORTED when the elements of the tensor cannot be added. */
gboolean          ghlo_pjrt_sharding_check_sum (const GhloPjrtSharding  *self,
                                                GError                 **error);
void              ghlo_pjrt_sharding_free      (GhloPjrtSharding        *self);
gboolean          ghlo_pjrt_sharding_is_whole  (const GhloPjrtSharding  *self);

/* Whether, for each i, partition i of @self holds the same as partition @partitions[i] of @other. */
gboolean          ghlo_pjrt_sharding_matches   (const GhloPjrtSharding  *self,
                                                const GhloPjrtSharding  *other,
                                                const guint             *partitions);
/* Turns the sharding of an unreduced tensor into that of the stack of its addends. */
void              ghlo_pjrt_sharding_stack     (GhloPjrtSharding        *self);

/* Changes whole and part to their stored types in @layout (row-major). Not for stacked shardings. The bytes for
 * callers do not change. */
void              ghlo_pjrt_sharding_lay_out   (GhloPjrtSharding        *self,
                                                const PJRT_Layouts_MemoryLayout *layout);

/* Returns the part of @value that @partition holds; may return @value itself. Transfer full. */
GhloValue        *ghlo_pjrt_sharding_split     (const GhloPjrtSharding  *self,
                                                GhloValue               *value,
                                                guint                    partition,
                                                GError                 **error);
/* Returns the tensor of which the partitions hold @parts. Transfer full. */
GhloValue        *ghlo_pjrt_sharding_assemble  (const GhloPjrtSharding  *self,
                                                GhloValue *const        *parts,
                                                GError                 **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloPjrtSharding, ghlo_pjrt_sharding_free)

G_END_DECLS
