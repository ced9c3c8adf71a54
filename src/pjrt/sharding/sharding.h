/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How a tensor lies over the partitions of a program: each dimension in a number of equal parts, and of each dimension
 * one part on each partition. Partitions that hold the same hold copies, or, of what is not
 * reduced yet, numbers whose sum it is. Read from sdy's attributes (Shardy: attrs.td);
 * does not change.
 */

#pragma once

#include "pjrt/layouts.h"
#include "pjrt/sharding/mesh.h"
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
  guint          *addends;      /* by partition: which of the numbers that are to be added it holds; 0 along all axes
                                   along which nothing is */
  gboolean       *is_first;     /* by partition: none before it holds the same */
  gboolean        is_sum;       /* there are several addends */
  gboolean        is_stacked;   /* the whole has them one after the other, in a first dimension of its own */
  GBytes         *bytes;        /* as callers are told: an xla.OpSharding */
} GhloPjrtSharding;

/* The positions along some axes of a mesh. Places of a mesh count row by row, its last axis changing fastest. */
typedef struct
{
  guint  n_partitions;
  guint  n;                     /* of the positions */
  guint *offsets;               /* owned, as the next; by position: to its place from that of the first */
  guint *positions;             /* by place: its position */
  guint *partitions, *places;   /* by place its partition, and the reverse */
} GhloPjrtPositions;

/* Those along sdy's manual_axes @axes of @attr's mesh; FALSE with nothing to clear. */
gboolean          ghlo_pjrt_positions_read     (GhloPjrtPositions       *self,
                                                GhloIrModule            *module,
                                                const GhloIrOp          *from,
                                                const GhloIrAttr        *attr,
                                                const GhloIrAttr        *axes,
                                                guint                    n_partitions,
                                                GError                 **error);
void              ghlo_pjrt_positions_clear    (GhloPjrtPositions       *self);

/* Every partition holds all of it. */
GhloPjrtSharding *ghlo_pjrt_sharding_new_whole (GhloTensorType          *whole,
                                                guint                    n_partitions);
/* As sdy's attribute @attr says, of a tensor at or in @from, whose mesh is one of @n_partitions devices. @axes
 * (nullable: all): sdy's manual_axes, along which alone it counts; then what it lies over is their positions, not
 * partitions. @module may grow by attributes. */
GhloPjrtSharding *ghlo_pjrt_sharding_read      (GhloIrModule            *module,
                                                const GhloIrOp          *from,
                                                const GhloIrAttr        *attr,
                                                const GhloIrAttr        *axes,
                                                GhloTensorType          *whole,
                                                guint                    n_partitions,
                                                GError                 **error);
/* Each dimension along as many primes of @mesh as one of @axes says. */
GhloPjrtSharding *ghlo_pjrt_sharding_new       (const GhloPjrtMesh      *mesh,
                                                const GhloPjrtAxes      *axes,
                                                GhloTensorType          *whole,
                                                GError                 **error);
/* For whoever has set counts, parts and addends: sets what follows from them, but for bytes. INVALID_ARGUMENT where
 * some part is nobody's. */
gboolean          ghlo_pjrt_sharding_settle    (GhloPjrtSharding        *self,
                                                GError                 **error);
/* UNSUPPORTED where the tensor is not of numbers that can be added. */
gboolean          ghlo_pjrt_sharding_check_sum (const GhloPjrtSharding  *self,
                                                GError                 **error);
void              ghlo_pjrt_sharding_free      (GhloPjrtSharding        *self);
gboolean          ghlo_pjrt_sharding_is_whole  (const GhloPjrtSharding  *self);

/* Whether partition i of @self, for each i, holds what partition @partitions[i] of @other does. */
gboolean          ghlo_pjrt_sharding_matches   (const GhloPjrtSharding  *self,
                                                const GhloPjrtSharding  *other,
                                                const guint             *partitions);
/* Has the whole of a sum be its addends from now on, each as it is. */
void              ghlo_pjrt_sharding_stack     (GhloPjrtSharding        *self);

/* Has the whole and its parts be what is stored of them in @layout, by rows; not of a stacked one. Callers are told the
 * same as before. */
void              ghlo_pjrt_sharding_lay_out   (GhloPjrtSharding        *self,
                                                const PJRT_Layouts_MemoryLayout *layout);

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
