/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Folds of sequences of elements with the body of reduce, reduce_window and
 * their kin. A body of one known operation on one input has a loop of its own,
 * in which a sum of floats is kept in a wider type and rounded once; any other
 * body runs once for each element.
 *
 * Elements are fed as cells: 8-byte numbers for bodies with a loop of their
 * own, whole GhloScalars otherwise.
 */

#pragma once

#include "reference/kernel.h"

G_BEGIN_DECLS

typedef struct _GhloRefFold GhloRefFold;

/* A fold of @n inputs with region @region, from the scalars @inits, over
 * @length elements of each (which decides whether a sum of floats is made in
 * steps, see ghlo_element_short_sum()). */
GhloRefFold *ghlo_ref_fold_new       (GhloRefCall      *call,
                                      guint             region,
                                      guint             n,
                                      gsize             length,
                                      GhloValue *const *inputs,
                                      GhloValue *const *inits,
                                      GError          **error);
/* The same with the function @name. */
GhloRefFold *ghlo_ref_fold_new_for   (GhloRefCall      *call,
                                      const char       *name,
                                      guint             n,
                                      gsize             length,
                                      GhloValue *const *inputs,
                                      GhloValue *const *inits,
                                      GError          **error);
void         ghlo_ref_fold_free      (GhloRefFold      *self);

/* Bytes of a cell. */
gsize        ghlo_ref_fold_cell_size (const GhloRefFold *self);
/* Reads @n elements of input @input, which lie at @data, as cells. */
void         ghlo_ref_fold_read      (const GhloRefFold *self,
                                      guint              input,
                                      const guint8      *data,
                                      gsize              n,
                                      gpointer           cells);
/* The initial value of @input as a cell. */
gconstpointer ghlo_ref_fold_init_cell (const GhloRefFold *self,
                                      guint              input);

/* Starts again from the initial values; feeds @n cells of each input; stores
 * what came out as element @index of the call's results. */
void         ghlo_ref_fold_start     (GhloRefFold       *self);
gboolean     ghlo_ref_fold_feed      (GhloRefFold       *self,
                                      gconstpointer const *cells,
                                      gsize              n,
                                      GError           **error);
void         ghlo_ref_fold_store     (const GhloRefFold *self,
                                      gsize              index);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloRefFold, ghlo_ref_fold_free)

G_END_DECLS
