/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Converts the words of rng_bit_generator's generators into elements. Counters and words are laid out as in XLA.
 * Philox produces four words per counter, which are used in turn. Threefry produces two: an element of 64 bits
 * takes both, while for smaller elements they go to the two halves of one dimension. DEFAULT is Philox.
 */

#pragma once

#include "base/view.h"
#include "ir/module.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean is_threefry;
  gboolean is_wide;           /* an element takes two words */
  guint    size;              /* bytes of an element */
  gsize    n, n_counts;
  gsize    extent, inner;     /* of the dimension over which Threefry's words are split, and of those after it */
  gsize    state_size;
  gboolean is_narrow;         /* elements are one byte with fewer bits in use */
  guint8   narrow[256];       /* such elements, by the lowest byte of the word */
} GhloRandom;

/* Returns NULL, or a static text that says why @op cannot be computed this way. */
const char *ghlo_random_init (GhloRandom     *self,
                              const GhloIrOp *op,
                              const GhloView *state,
                              const GhloView *output);

G_END_DECLS
