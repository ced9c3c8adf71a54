/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where exactly each buffer holds a value that is still needed. In contrast to GhloStepBuffer.first and last, a range
 * has gaps: a buffer that the bodies of a branch write is not live before they do, one that a body of a branch reads
 * last is not live in the other bodies, and a buffer that is written in each iteration is not live at the iteration's
 * begin.
 */

#pragma once

#include "plan/build.h"

G_BEGIN_DECLS

/* Points of a run, both included: step n reads its operands at 2 n and writes its results at 2 n + 1. What a step reads
 * is live until it has written. After an iteration of a loop whose last number is n, buffers are swapped between 2 n
 * and 2 n + 1. A number after its last step belongs to the end of each body, so that what is needed after a step is not
 * live until that step only. */
typedef struct
{
  guint32 start, end;
} GhloLiveInterval;

/* Intervals in order, between any two of which there is a gap. */
typedef struct
{
  guint             n, capacity;
  GhloLiveInterval  one;      /* the only one, where many is NULL */
  GhloLiveInterval *many;     /* owned, with room for so many */
} GhloLiveRange;

static inline const GhloLiveInterval *
ghlo_live_range_intervals (const GhloLiveRange *self)
{
  return self->many != NULL ? self->many : &self->one;
}

void      ghlo_live_range_clear  (GhloLiveRange       *self);
/* Takes the intervals of @other, which becomes empty. Takes as long as the smaller range is, and what is behind its
 * begin in the larger one: a chain of ranges is united in linear time. */
void      ghlo_live_range_unite  (GhloLiveRange       *self,
                                  GhloLiveRange       *other);
/* Finds the first interval at or after @point that is in both ranges. */
gboolean  ghlo_live_range_common (const GhloLiveRange *a,
                                  const GhloLiveRange *b,
                                  guint32              point,
                                  GhloLiveInterval    *common);
/* Whether an interval ends at @point. */
gboolean  ghlo_live_range_ends_at (const GhloLiveRange *self,
                                   guint32              point);

/* Fills @ranges, one for each buffer of @plan, with those of temporaries and outputs; the others are empty. The steps
 * must be numbered. FALSE, with the error of @poll set, when cancelled. */
gboolean  ghlo_live_ranges_find  (const GhloStepPlan  *plan,
                                  GhloStepPoll        *poll,
                                  GhloLiveRange       *ranges);

G_END_DECLS
