/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by gather and scatter: a tensor of index vectors along one dimension, and
 * the position in another tensor that each of them points to.
 */

#pragma once

#include "base/sizes.h"
#include "reference/kernel.h"

G_BEGIN_DECLS

typedef struct
{
  const gint64 *map;              /* maps components of an index vector to dimensions of the indexed tensor */
  gsize         n_map;
  const gint64 *batching;         /* batching dimensions of the indexed tensor */
  const gint64 *index_batching;   /* the corresponding dimensions of the indices */
  gsize         n_batching;
  gint64        vector_dimension;
} GhloRefIndexNumbers;

typedef struct
{
  GhloRefIndexNumbers numbers;
  gint64 *indices;                              /* owned */
  guint   rank;                                 /* of a position: the indices' rank without the vector dimension */
  gint64  dimensions[GHLO_MAX_RANK];
  gint64  strides[GHLO_MAX_RANK];
  gint64  vector_stride;
  guint   batch_position[GHLO_MAX_RANK];        /* for each batching dimension, its place in a position */
} GhloRefIndices;

/* Validates @numbers against the shapes of @indexed and @indices. */
gboolean ghlo_ref_indices_init  (GhloRefIndices            *self,
                                 GhloRefCall               *call,
                                 const GhloRefIndexNumbers *numbers,
                                 const GhloValue           *indexed,
                                 const GhloValue           *indices,
                                 GError                   **error);
void     ghlo_ref_indices_clear (GhloRefIndices            *self);
/* The start that the index vector at @position points to: one index for each dimension of the indexed
 * tensor, as stored, possibly out of bounds. */
void     ghlo_ref_indices_get   (const GhloRefIndices      *self,
                                 const gint64              *position,
                                 guint                      indexed_rank,
                                 gint64                    *start);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GhloRefIndices, ghlo_ref_indices_clear)

G_END_DECLS
