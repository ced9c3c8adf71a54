/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What loops that data ends record as other steps are recorded.
 */

#pragma once

#include "runtime/run-recordings.h"

G_BEGIN_DECLS

typedef struct _GhloRunLoop GhloRunLoop;

typedef struct
{
  const GhloStepSpace *space;             /* whose recordings they are */
  gpointer             recording;         /* NULL: none begins here */
  guint                n_steps;
  gboolean             has_bodies;        /* loops or branches */
  /* Of a loop that is longer than what is recorded of it, which leaves all where it was. */
  gint64               n_replays;         /* 1 of all others */
  gpointer             rest;              /* what is left of it then; NULL: nothing */
  GhloRunLoop         *loop;              /* that data ends, in place of all that; NULL: none */
  GhloRunLoop         *next;              /* that data ends, which begins with the stretch; NULL: none */
} GhloRunStretch;

struct _GhloRunRecordings
{
  const GhloStepPlan *plan;
  GhloStepExtent     *extents;            /* of the plan's buffers, then of the loop's that is run */
  GhloStepPlace      *places;             /* of one step, while it is recorded */
  guint8            **names;              /* by buffer the number of the one where it lies while it is recorded */
  /* While a loop that data ends is recorded, its predicate's buffer, and where that lies. */
  guint32             moved;
  GhloStepPlace       moved_to;
  GhloRunStretch     *stretches;          /* by the number of the first step */
  GMutex              lock;               /* guards singles, and once the object is there also what is above, from
                                             extents to moved_to */
  GhloRunStretch     *singles;            /* of one step each, made when somebody measures them; NULL before */
};

/* Times that steps of a loop are recorded. A device is busy with so many for long enough that beginning the next ones
 * costs nothing beside it; more would keep it from others, and from hearing of a cancel. */
enum { GHLO_RUN_MAX_LOOP_STEPS = 1024 };

/* What is recorded: how many times steps are, or more than GHLO_RUN_MAX_LOOP_STEPS, and how long that takes, about,
 * where the plan tells. */
typedef struct
{
  gint64 n_steps;
  double seconds;
} GhloRunLength;

/* An empty recording, where all buffers lie where they are. */
gpointer      ghlo_run_recordings_begin   (GhloRunRecordings       *self,
                                           const GhloStepTarget    *target);
gboolean      ghlo_run_recordings_put     (GhloRunRecordings       *self,
                                           const GhloStepRecorder  *recorder,
                                           GhloStep *const         *steps,
                                           guint                    n_steps,
                                           gpointer                 recording,
                                           GError                 **error);
/* Whether @target records all of @step, NULL meaning any one, which it then becomes; what that comes to is added to
 * @length. */
gboolean      ghlo_run_is_recorded        (const GhloStepPlan      *plan,
                                           const GhloStep          *step,
                                           const GhloStepTarget   **target,
                                           GhloRunLength           *length);
/* Of an iteration of @step; no steps where it is no counted loop, or not recorded. */
GhloRunLength ghlo_run_measure_iteration  (const GhloStepPlan      *plan,
                                           const GhloStep          *step,
                                           const GhloStepTarget   **target);
/* The exchanges that the loops in @body, all of them counted, come to when it is run @n times and recorded. */
void          ghlo_run_exchange_in        (const GhloStepBody      *body,
                                           gint64                   n,
                                           guint8                 **addresses);

G_END_DECLS
