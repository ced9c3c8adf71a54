/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What gather and scatter share: a tensor whose elements, along one dimension,
 * are index vectors into another tensor, and where each of them points.
 */

#pragma once

#include "base/sizes.h"
#include "reference/kernel.h"

G_BEGIN_DECLS

typedef struct
{
  const gint64 *map;              /* of an index vector's parts to dimensions of the indexed tensor */
  gsize         n_map;
  const gint64 *batching;         /* batching dimensions of the indexed tensor … */
  const gint64 *index_batching;   /* … and of the indices */
  gsize         n_batching;
  gint64        vector_dimension;
} GhloRefIndexNumbers;

typedef struct
{
  GhloRefIndexNumbers numbers;
  gint64 *indices;                              /* owned */
  guint   rank;                                 /* of a position: the indices' rank without the vector */
  gint64  dimensions[GHLO_MAX_RANK];
  gint64  strides[GHLO_MAX_RANK];
  gint64  vector_stride;
  guint   batch_position[GHLO_MAX_RANK];        /* of each batching dimension in a position */
} GhloRefIndices;

/* Checks the numbers against the shapes of @indexed and @indices. */
gboolean ghlo_ref_indices_init  (GhloRefIndices            *self,
                                 GhloRefCall               *call,
                                 const GhloRefIndexNumbers *numbers,
                                 const GhloValue           *indexed,
                                 const GhloValue           *indices,
                                 GError                   **error);
void     ghlo_ref_indices_clear (GhloRefIndices            *self);
/* Where the vector at @position points: one index for each dimension of the
 * indexed tensor, as the data has them, in bounds or not. */
void     ghlo_ref_indices_get   (const GhloRefIndices      *self,
                                 const gint64              *position,
                                 guint                      indexed_rank,
                                 gint64                    *start);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GhloRefIndices, ghlo_ref_indices_clear)

G_END_DECLS
