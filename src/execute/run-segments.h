/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by recordings of steps and of data-dependent loops. A segment is a sequence of steps in one body that is
 * recorded, and replayed, as a whole.
 */

#pragma once

#include "execute/run-recordings.h"

G_BEGIN_DECLS

typedef struct _GhloRunLoop GhloRunLoop;

typedef struct
{
  GhloDeviceCore      *device;            /* that the recordings are of */
  GhloCommandBuffer   *recording;         /* NULL: no segment begins here */
  guint                n_steps;
  gboolean             has_bodies;        /* it contains loops or branches */
  /* For a counted loop that is recorded in pieces. A piece is an even number of iterations, so all buffers end up where
   * they were. */
  gint64               n_replays;         /* of recording; 1 for everything else */
  GhloCommandBuffer   *rest;              /* the iterations that remain after these; NULL: none */
  GhloRunLoop         *loop;              /* a data-dependent loop, in place of the fields above; NULL: none */
  GhloRunLoop         *next;              /* a data-dependent loop that begins with this segment; NULL: none */
} GhloRunSegment;

struct _GhloRunRecordings
{
  const GhloStepPlan *plan;
  GhloBufferExtent   *extents;            /* of the plan's buffers, then of the buffers of the loop that is running */
  GhloBufferRef      *refs;               /* scratch for the step that is being recorded */
  guint8            **buffer_numbers;     /* scratch for recording: for each buffer, the number of the buffer whose
                                           * place it currently has */
  /* While a data-dependent loop is recorded: the buffer of its predicate, and the place where that is put. */
  guint32             moved;
  GhloBufferRef       moved_to;
  GhloRunSegment     *segments;           /* indexed by the number of the first step */
  GMutex              lock;               /* guards singles and, once the object has been created, the scratch fields
                                           * from extents to moved_to */
  GhloRunSegment     *singles;            /* segments of one step, made when first measured; NULL before */
};

/* The most steps that one recording of a loop contains, counted once per iteration. They keep the device busy for long
 * enough that starting the next ones costs nothing in comparison. More of them would block other users of the device
 * and delay cancellation. */
enum { GHLO_RUN_MAX_LOOP_STEPS = 1024 };

/* The length of what is recorded: the number of steps, capped at GHLO_RUN_MAX_LOOP_STEPS + 1 for each loop, and their
 * estimated seconds, where the plan has an estimate. */
typedef struct
{
  gint64 n_steps;
  double seconds;
} GhloRunLength;

/* Starts a recording in which every buffer is in its own place. */
gpointer      ghlo_run_recordings_begin   (GhloRunRecordings       *self,
                                           GhloDeviceCore          *target);
gboolean      ghlo_run_recordings_record  (GhloRunRecordings            *self,
                                           const GhloCommandBufferClass *commands,
                                           GhloStep *const              *steps,
                                           guint                         n_steps,
                                           GhloCommandBuffer            *recording,
                                           GError                      **error);
/* Returns whether @target records all of @step and adds the length to @length. *@target may be NULL for any target; it
 * is then set to that of the step. */
gboolean      ghlo_run_is_recorded        (const GhloStepPlan      *plan,
                                           const GhloStep          *step,
                                           GhloDeviceCore         **target,
                                           GhloRunLength           *length);
/* Returns the length of one iteration of @step; no steps if it is not a counted loop or not recorded. */
GhloRunLength ghlo_run_measure_iteration  (const GhloStepPlan      *plan,
                                           const GhloStep          *step,
                                           GhloDeviceCore         **target);
/* Makes the swaps that result from running the recorded @body @n times; all loops in it are counted. */
void          ghlo_run_swap_in            (const GhloStepBody      *body,
                                           gint64                   n,
                                           guint8                 **addresses);

G_END_DECLS
