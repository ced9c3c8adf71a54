/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How the words of rng_bit_generator's generators become elements. Counters and words are laid out as XLA does it:
 * Philox gives four words for each count, taken in turn; Threefry gives two, which an element of 64 bits takes both,
 * while of smaller ones they go to the two halves of one dimension. DEFAULT is Philox.
 */

#pragma once

#include "base/view.h"
#include "ir/module.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean is_threefry;
  gboolean is_wide;           /* an element takes two words */
  guint    size;              /* of an element */
  gsize    n, n_counts;
  gsize    extent, inner;     /* of the dimension that Threefry's words are split over, and of those after it */
  gsize    state_size;
  gboolean is_narrow;         /* elements of one byte hold fewer bits */
  guint8   narrow[256];       /* them by the word's lowest byte */
} GhloRandom;

/* NULL, or the reason, static, why @op is not done that way. */
const char *ghlo_random_init (GhloRandom     *self,
                              const GhloIrOp *op,
                              const GhloView *state,
                              const GhloView *output);

G_END_DECLS
