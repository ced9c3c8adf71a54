/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Partial knowledge about the sharding of tensors during propagation: each dimension is sharded along some axes, and
 * possibly along further ones.
 */

#pragma once

#include "pjrt/sharding/sharding.h"

G_BEGIN_DECLS

typedef struct
{
  GhloPjrtAxes axes;
  gboolean     is_closed;       /* it is not sharded along any further axes */
} GhloPjrtDimension;

/* What is known about the sharding of a tensor over a mesh. */
typedef struct
{
  const GhloPjrtMesh *mesh;     /* borrowed */
  guint               rank;
  guint               taken;    /* bits: primes along which no dimension may be sharded */
  GhloPjrtDimension   dimensions[];
} GhloPjrtSpec;

/* Creates a spec with no knowledge. */
GhloPjrtSpec     *ghlo_pjrt_spec_new         (const GhloPjrtMesh  *mesh,
                                              guint                rank);
GhloPjrtSpec     *ghlo_pjrt_spec_copy        (const GhloPjrtSpec  *spec);
/* Reads sdy's sharding @attr of a tensor of @rank dimensions at or in @from. Its mesh is looked up in @meshes (of
 * GhloPjrtMesh, owned) and added there if needed. Returns NULL for attributes that are not understood. */
GhloPjrtSpec     *ghlo_pjrt_spec_read        (GhloIrModule        *module,
                                              const GhloIrOp      *from,
                                              const GhloIrAttr    *attr,
                                              guint                rank,
                                              guint                n_partitions,
                                              GPtrArray           *meshes);
/* Whether no dimension may be sharded further. */
gboolean          ghlo_pjrt_spec_is_closed   (const GhloPjrtSpec  *self);
gboolean          ghlo_pjrt_spec_equal       (const GhloPjrtSpec  *self,
                                              const GhloPjrtSpec  *other);
/* Returns @self without @primes (bits): in a manual computation along these, nothing is sharded along them. */
GhloPjrtSpec     *ghlo_pjrt_spec_hide        (const GhloPjrtSpec  *self,
                                              guint                primes);
/* Returns @self with the axes that @hidden gained since ghlo_pjrt_spec_hide (). */
GhloPjrtSpec     *ghlo_pjrt_spec_show        (const GhloPjrtSpec  *self,
                                              const GhloPjrtSpec  *hidden,
                                              guint                primes);
/* Returns the sharding for callers: only divisions into equal parts and, for dimensions that the program left open,
 * only along whole axes. NULL when every partition holds the whole tensor. */
GhloPjrtSharding *ghlo_pjrt_spec_to_sharding (const GhloPjrtSpec  *self,
                                              GhloTensorType      *type);

G_END_DECLS
