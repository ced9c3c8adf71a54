/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Meshes of sdy: a mesh is a grid of partitions with named axes, in row-major order. A place is an index into that
 * grid. Dimensions of tensors are sharded along axes or sub-axes: "x":(2)4 stands for 4 places along x that are |x| /
 * (2 * 4) apart. Where axes are compared or split, they are represented as lists of their prime factors, the smaller
 * ones first: an axis of size 6 is 2 × 3, and a dimension of size 3 is not sharded along a part of it. All attributes
 * are checked, since programs may come from untrusted sources.
 */

#pragma once

#include <string.h>

#include "ir/sdy-attr.h"

G_BEGIN_DECLS

enum
{
  GHLO_PJRT_MAX_AXES = 64,
  GHLO_PJRT_MAX_PRIMES = 8,             /* of the partitions of a mesh, of which there are at most 256 */
};

/* An axis or a sub-axis: @size places that are @stride apart. */
typedef struct
{
  gint64 size, stride;
} GhloPjrtAxis;

/* A list of primes of a mesh, slowest-varying first. */
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
  gint64        strides[GHLO_PJRT_MAX_AXES];    /* the distance of neighbours in places; 0 for an axis that is left
                                                   out */
  guint         n_primes;       /* the primes of all axes, axis by axis, smaller ones first */
  guint         prime_axes[GHLO_PJRT_MAX_PRIMES];
  GhloPjrtAxis  primes[GHLO_PJRT_MAX_PRIMES];
  guint        *partitions;     /* owned; by place; NULL when place i is partition i */
  gboolean      is_single;      /* not a grid, but one of several devices */
} GhloPjrtMesh;

/* Reads the mesh of @sharding, which is given inline or by a name that is visible from @from. Clear @self also on
 * failure. */
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
/* Keeps the axes that sdy's manual_axes @axes lists: changes strides from places to positions along these axes, with
 * 0 for all others. Returns the number of positions. */
guint             ghlo_pjrt_mesh_keep_axes    (GhloPjrtMesh       *self,
                                               const GhloSdyAttr  *axes);
/* Finds the axis or sub-axis to which sdy's attribute @reference refers. */
gboolean          ghlo_pjrt_mesh_find         (const GhloPjrtMesh *self,
                                               const GhloIrAttr   *reference,
                                               GhloPjrtAxis       *axis,
                                               GError            **error);
/* Appends the primes of @reference to @axes. Returns FALSE when it does not consist of whole primes, or when one of
 * them is there already. */
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

/* Parses @attr as an attribute of @kind. Clear @read also on failure. */
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
