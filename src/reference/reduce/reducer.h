/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Folds of sequences of elements with the body of reduce, reduce_window and similar
 * operations. A body that consists of one known operation on one input has a
 * specialized loop, in which a sum of floats is accumulated in a wider type and
 * rounded once. Any other body runs once for each element.
 *
 * Elements are fed as cells: 8-byte numbers for the specialized loops, whole
 * GhloScalars otherwise.
 */

#pragma once

#include "reference/kernel.h"

G_BEGIN_DECLS

typedef struct _GhloRefReducer GhloRefReducer;

/* A reduction of @n inputs by region @region, starting from the scalars @inits. @length is the number of
 * elements of each input that are folded; it decides whether every step of a sum of floats is rounded (see
 * ghlo_element_short_sum()). */
GhloRefReducer *ghlo_ref_reducer_new       (GhloRefCall      *call,
                                            guint             region,
                                            guint             n,
                                            gsize             length,
                                            GhloValue *const *inputs,
                                            GhloValue *const *inits,
                                            GError          **error);
/* The same with function @name of the program. */
GhloRefReducer *ghlo_ref_reducer_new_for   (GhloRefCall      *call,
                                            const char       *name,
                                            guint             n,
                                            gsize             length,
                                            GhloValue *const *inputs,
                                            GhloValue *const *inits,
                                            GError          **error);
void         ghlo_ref_reducer_free      (GhloRefReducer      *self);

/* Size of a cell in bytes. */
gsize        ghlo_ref_reducer_cell_size (const GhloRefReducer *self);
/* Converts the @n elements of input @input that lie at @data to cells. */
void         ghlo_ref_reducer_read      (const GhloRefReducer *self,
                                         guint                 input,
                                         const guint8         *data,
                                         gsize                 n,
                                         gpointer              cells);
/* The initial value of @input as a cell. */
gconstpointer ghlo_ref_reducer_init_cell (const GhloRefReducer *self,
                                          guint                 input);

/* start resets to the initial values; feed folds @n more cells of each input; store writes the outcome to
 * element @index of the call's results. */
void         ghlo_ref_reducer_start     (GhloRefReducer       *self);
gboolean     ghlo_ref_reducer_feed      (GhloRefReducer      *self,
                                         gconstpointer const *cells,
                                         gsize                n,
                                         GError             **error);
void         ghlo_ref_reducer_store     (const GhloRefReducer *self,
                                         gsize                 index);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloRefReducer, ghlo_ref_reducer_free)

G_END_DECLS
