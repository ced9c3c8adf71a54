/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Meshes of sdy: a mesh is a grid of partitions with named axes, the last one changing fastest. Dimensions of tensors
 * lie along axes, or along sub-axes, "x":(2)4 being 4 places along x that are |x| / (2 * 4) apart. Where axes are to be
 * compared and taken apart they are lists of their prime factors, smaller ones first: an axis of 6 is 2 by 3, and no
 * dimension of 3 lies along a part of it. Programs come from strangers: all is checked.
 */

#pragma once

#include <string.h>

#include "import/sdy-attr.h"

G_BEGIN_DECLS

enum
{
  GHLO_PJRT_MAX_AXES = 64,
  GHLO_PJRT_MAX_PRIMES = 8,             /* of the partitions of a mesh, of which there are 256 at most */
};

/* An axis, or a part of one: @size places that are @stride apart. */
typedef struct
{
  gint64 size, stride;
} GhloPjrtAxis;

/* Some of a mesh's primes, those that vary slowest first. */
typedef struct
{
  guint8 n;
  guint8 primes[GHLO_PJRT_MAX_PRIMES];
} GhloPjrtAxes;

typedef struct
{
  GhloIrModule *module;         /* borrowed, as are the names */
  guint         n_partitions;
  guint         n_axes;
  const char   *names[GHLO_PJRT_MAX_AXES];
  gint64        sizes[GHLO_PJRT_MAX_AXES];
  gint64        strides[GHLO_PJRT_MAX_AXES];    /* places from one index to the next; 0 for an axis that does not
                                                   count */
  guint         n_primes;       /* of all axes, axis by axis, smaller ones first */
  guint         prime_axes[GHLO_PJRT_MAX_PRIMES];
  GhloPjrtAxis  primes[GHLO_PJRT_MAX_PRIMES];
  guint        *partitions;     /* owned; by place; NULL where the number of a place is its partition's */
  gboolean      is_single;      /* no grid but one device of several */
} GhloPjrtMesh;

/* The mesh of @sharding, by its name as seen from @from or written out. Clear it in any case. */
gboolean          ghlo_pjrt_mesh_read         (GhloPjrtMesh       *self,
                                               GhloIrModule       *module,
                                               const GhloIrOp     *from,
                                               const GhloSdyAttr  *sharding,
                                               guint               n_partitions,
                                               GError            **error);
void              ghlo_pjrt_mesh_clear        (GhloPjrtMesh       *self);
void              ghlo_pjrt_mesh_free         (GhloPjrtMesh       *self);
gboolean          ghlo_pjrt_mesh_equal        (const GhloPjrtMesh *self,
                                               const GhloPjrtMesh *other);
/* Along sdy's manual_axes @axes: strides of positions in place of those of places, 0 along other axes. The number of
 * positions. */
guint             ghlo_pjrt_mesh_keep_axes    (GhloPjrtMesh       *self,
                                               const GhloSdyAttr  *axes);
/* The axis or sub-axis that sdy's attribute @reference names. */
gboolean          ghlo_pjrt_mesh_find         (const GhloPjrtMesh *self,
                                               const GhloIrAttr   *reference,
                                               GhloPjrtAxis       *axis,
                                               GError            **error);
/* Its primes, behind those that are in @axes; FALSE where it is not made of them, or is there already. */
gboolean          ghlo_pjrt_mesh_append       (const GhloPjrtMesh *self,
                                               const GhloIrAttr   *reference,
                                               GhloPjrtAxes       *axes);

static inline gboolean
ghlo_pjrt_axes_equal (const GhloPjrtAxes *self,
                      const GhloPjrtAxes *other)
{
  return self->n == other->n && memcmp (self->primes, other->primes, self->n) == 0;
}

static inline guint
ghlo_pjrt_mesh_partition_at (const GhloPjrtMesh *self,
                             guint               place)
{
  return self->partitions != NULL ? self->partitions[place] : place;
}

/* @attr as an attribute of @kind; clear it in any case. */
gboolean          ghlo_pjrt_read_sdy          (GhloIrModule       *module,
                                               const GhloIrAttr   *attr,
                                               GhloSdyKind         kind,
                                               GhloSdyAttr        *read,
                                               GError            **error);

static inline const GhloIrAttr *
ghlo_pjrt_sdy_get (const GhloSdyAttr *self,
                   guint              field,
                   guint              index)
{
  return self->fields[field].attrs->pdata[index];
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GhloPjrtMesh, ghlo_pjrt_mesh_clear)

G_END_DECLS
