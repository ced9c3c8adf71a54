/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Copies of operands in the orders that steps read faster (GhloStepPacking in device/step.h). They are kept with the
 * storage of the operand, so that all executables that read it share them, and they end with it. A copy is made at the
 * second use, since memory that is used once is not worth it: weights are bound once and used in each run, what a
 * training step changes is not. All of them together take a quarter of the memory limit at most.
 */

#pragma once

#include "device/storage.h"

G_BEGIN_DECLS

/* Counts a use of the bytes of @storage from @offset on in the order that @key names. Returns the copy; NULL where
 * there is none, or none yet. @slot is set, for the next two functions. */
gconstpointer ghlo_packed_use    (GhloStorage     *storage,
                                  GBytes          *key,
                                  gsize            offset,
                                  GhloPackedCopy **slot);
/* Returns @size bytes for the copy where the caller is to make it now, and has to call finish (); else NULL. */
gpointer      ghlo_packed_begin  (GhloPackedCopy  *slot,
                                  gsize            size);
/* Returns the copy; NULL where making it failed, which is final unless @may_retry. */
gconstpointer ghlo_packed_finish (GhloPackedCopy  *slot,
                                  gboolean         ok,
                                  gboolean         may_retry);
/* Frees the copies of storage that is going to be written to, maybe again and again, and keeps none from then on.
 * Nobody else uses the storage. */
void          ghlo_packed_drop   (GhloStorage     *storage);
/* The bytes of all copies. */
gsize         ghlo_packed_get_size (void);

G_END_DECLS
