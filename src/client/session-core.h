/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sessions as workers know them: a compiled program, the values that it carries from
 * run to run, and the queue of calls that touch them.
 *
 * What is bound and what is carried where are its bindings, immutable once made: a call
 * takes those of its moment along, and a change makes others.
 */

#pragma once

#include "client/run.h"
#include "client/serial-queue.h"

G_BEGIN_DECLS

typedef struct
{
  gatomicrefcount ref_count;
  guint           n_inputs, n_outputs;
  GhloValue     **bound;        /* n_inputs; NULL where not bound */
  GhloValue     **initial;      /* n_inputs; NULL where not carried */
  guint          *output;       /* n_inputs; the output that is carried there, where one is */
  guint          *replaced;     /* n_outputs; an input that it is carried into, or GHLO_RUN_NO_INPUT */
  GhloValue     **targets;      /* n_outputs; over memory of the caller's to write to; NULL where not bound */
} GhloSessionBindings;

GhloSessionBindings *ghlo_session_bindings_new   (guint n_inputs,
                                                  guint n_outputs);
/* One like @self, to be changed before anybody else sees it. */
GhloSessionBindings *ghlo_session_bindings_copy  (GhloSessionBindings *self);
GhloSessionBindings *ghlo_session_bindings_ref   (GhloSessionBindings *self);
void                 ghlo_session_bindings_unref (GhloSessionBindings *self);
/* Whether runs take the input, which is neither bound nor carried. */
static inline gboolean
ghlo_session_bindings_is_free (const GhloSessionBindings *self,
                               guint                      input)
{
  return self->bound[input] == NULL && self->initial[input] == NULL;
}

/* Of new ones or a copy. Takes @initial over. */
void                 ghlo_session_bindings_carry (GhloSessionBindings *self,
                                                  guint                output,
                                                  guint                input,
                                                  GhloValue           *initial);

/* What is bound to an input, brought to the device once. */
typedef struct
{
  GhloValue *bound, *value;        /* owned; NULL while there is nothing */
} GhloSessionPlaced;

typedef struct
{
  gatomicrefcount     ref_count;
  GhloExecutableCore *executable;
  GhloSerialQueue     queue;
  /* One for each input, touched by whoever has the queue's turn. State is NULL where nothing is carried, or
   * it was lost; the run that gives it may still go on, or have failed. */
  GhloValue         **state;
  guint64             n_runs;      /* that took their turn, under which guard the next is as well */
  guint64            *reset_after; /* for each input, how many of them there were when it was last reset */
  GhloSessionPlaced  *placed;      /* NULL on a device that works in host memory */
} GhloSessionCore;

GhloSessionCore *ghlo_session_core_new   (GhloExecutableCore  *executable);
GhloSessionCore *ghlo_session_core_ref   (GhloSessionCore     *self);
void             ghlo_session_core_unref (GhloSessionCore     *self);
/* In its turn, gives carried inputs their initial values: @input, or all if -1. */
void             ghlo_session_core_reset (GhloSessionCore     *self,
                                          GhloSessionBindings *bindings,
                                          int                  input);

/* A run, or the copying of what is carried into one input. An atomic GRcBox. */
typedef struct
{
  GhloSessionCore     *core;
  GhloSessionBindings *bindings;
  GhloValue          **inputs;     /* of a run: one for each input, NULL where carried; owned */
  guint                input;      /* of a copy */
  gboolean             in_turn;    /* set by whoever gave the call its turn */
  gboolean             is_profiled;    /* of a run: whether its steps are measured */
  guint64              run;        /* of a run: the how many-th it is once it has begun, until then 0; touched by
                                    * whoever has the queue's turn, also after the call was freed */
  gint64               upload_time;    /* microseconds, of a run: to upload what is bound */
  GhloPending         *previous;   /* owned; of a run: that gives what it was carried; NULL where that has ended well */
} GhloSessionCall;

/* Before the next call, forgets what is carried, as after a run that failed: @call's, so that what was reset after it
 * stays, and nothing is forgotten where it has not begun; or any, for NULL. */
void             ghlo_session_core_lose  (GhloSessionCore     *self,
                                          GhloSessionCall     *call);

/* Takes the bindings over. */
GhloSessionCall *ghlo_session_call_new  (GhloSessionCore     *core,
                                         GhloSessionBindings *bindings);
void             ghlo_session_call_free (gpointer              call);

/* The bodies of jobs: a run gives a GhloOutcome without the outputs that are
 * carried or bound, a copy gives a GhloValue. The turn of a run is over when it has begun. */
gpointer         ghlo_session_call_run    (gpointer           call,
                                           const GhloMonitor *monitor,
                                           GError           **error);
gpointer         ghlo_session_call_copy   (gpointer           call,
                                           const GhloMonitor *monitor,
                                           GError           **error);
/* What finishes a run. */
gboolean         ghlo_session_call_finish (gpointer           call,
                                           gpointer           outcome,
                                           GError           **error);
/* Of a run whose caller is told that it was cancelled: if it has begun, what is carried is lost, however it ends. */
void             ghlo_session_call_refuse (gpointer           call);
/* Has @func called with @work on a worker in the call's turn. */
gboolean         ghlo_session_call_push   (gpointer           call,
                                           GFunc              func,
                                           gpointer           work,
                                           GError           **error);

G_END_DECLS
