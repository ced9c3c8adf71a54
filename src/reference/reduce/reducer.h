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

typedef struct _GhloRefFold GhloRefReducer;

/* A reduction of @n inputs with region @region, from the scalars @inits, over
 * @length elements of each (which decides whether a sum of floats is made in
 * steps, see ghlo_element_short_sum()). */
GhloRefReducer *ghlo_ref_reducer_new       (GhloRefCall      *call,
                                            guint             region,
                                            guint             n,
                                            gsize             length,
                                            GhloValue *const *inputs,
                                            GhloValue *const *inits,
                                            GError          **error);
/* The same with the function @name. */
GhloRefReducer *ghlo_ref_reducer_new_for   (GhloRefCall      *call,
                                            const char       *name,
                                            guint             n,
                                            gsize             length,
                                            GhloValue *const *inputs,
                                            GhloValue *const *inits,
                                            GError          **error);
void         ghlo_ref_reducer_free      (GhloRefReducer      *self);

/* Bytes of a cell. */
gsize        ghlo_ref_reducer_cell_size (const GhloRefReducer *self);
/* Reads @n elements of input @input, which lie at @data, as cells. */
void         ghlo_ref_reducer_read      (const GhloRefReducer *self,
                                         guint                 input,
                                         const guint8         *data,
                                         gsize                 n,
                                         gpointer              cells);
/* The initial value of @input as a cell. */
gconstpointer ghlo_ref_reducer_init_cell (const GhloRefReducer *self,
                                          guint                 input);

/* Starts again from the initial values; feeds @n cells of each input; stores
 * what came out as element @index of the call's results. */
void         ghlo_ref_reducer_start     (GhloRefReducer       *self);
gboolean     ghlo_ref_reducer_feed      (GhloRefReducer      *self,
                                         gconstpointer const *cells,
                                         gsize                n,
                                         GError             **error);
void         ghlo_ref_reducer_store     (const GhloRefReducer *self,
                                         gsize                 index);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloRefReducer, ghlo_ref_reducer_free)

G_END_DECLS
