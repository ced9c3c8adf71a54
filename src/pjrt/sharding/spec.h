/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How tensors lie over meshes, as far as it is known while it is found out: each dimension along some axes, and perhaps
 * along more.
 */

#pragma once

#include "pjrt/sharding/sharding.h"

G_BEGIN_DECLS

typedef struct
{
  GhloPjrtAxes axes;
  gboolean     is_closed;       /* it lies along no more than these */
} GhloPjrtDimension;

/* How a tensor lies over a mesh, as far as it is known. */
typedef struct
{
  const GhloPjrtMesh *mesh;     /* borrowed */
  guint               rank;
  guint               taken;    /* bits: primes that no dimension may lie along */
  GhloPjrtDimension   dimensions[];
} GhloPjrtSpec;

/* Nothing is known. */
GhloPjrtSpec     *ghlo_pjrt_spec_new         (const GhloPjrtMesh  *mesh,
                                              guint                rank);
GhloPjrtSpec     *ghlo_pjrt_spec_copy        (const GhloPjrtSpec  *spec);
/* As sdy's sharding @attr says of a tensor of @rank dimensions at or in @from. Its mesh is one of @meshes (of
 * GhloPjrtMesh, owned), where it is added if need be. NULL for what is not understood. */
GhloPjrtSpec     *ghlo_pjrt_spec_read        (GhloIrModule        *module,
                                              const GhloIrOp      *from,
                                              const GhloIrAttr    *attr,
                                              guint                rank,
                                              guint                n_partitions,
                                              GPtrArray           *meshes);
/* No dimension lies along more than it does. */
gboolean          ghlo_pjrt_spec_is_closed   (const GhloPjrtSpec  *self);
gboolean          ghlo_pjrt_spec_equal       (const GhloPjrtSpec  *self,
                                              const GhloPjrtSpec  *other);
/* Without @primes (bits), along which nothing inside of a manual computation along them lies. */
GhloPjrtSpec     *ghlo_pjrt_spec_hide        (const GhloPjrtSpec  *self,
                                              guint                primes);
/* As @self, with what @hidden came to lie along since ghlo_pjrt_spec_hide (). */
GhloPjrtSpec     *ghlo_pjrt_spec_show        (const GhloPjrtSpec  *self,
                                              const GhloPjrtSpec  *hidden,
                                              guint                primes);
/* For callers: what is in equal parts, and, of what the program left open, along whole axes. NULL where that is all of
 * it on every partition. */
GhloPjrtSharding *ghlo_pjrt_spec_to_sharding (const GhloPjrtSpec  *self,
                                              GhloTensorType      *type);

G_END_DECLS
