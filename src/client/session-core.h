/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sessions as seen by workers: a compiled program, the values that are carried from run to run, and the queue of the
 * calls that touch them.
 *
 * A session's bindings say which values are bound to inputs and which outputs are carried into which inputs. They are
 * immutable once made: a call keeps the bindings of the time when it was made, and a change creates new ones.
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
  guint          *output;       /* n_inputs; the output that is carried into the input, where one is */
  guint          *donated_inputs;  /* n_outputs; an input that the output is carried into, or GHLO_RUN_NO_INPUT */
  GhloValue     **targets;      /* n_outputs; values over memory of the caller that the outputs are written to; NULL
                                   where not bound */
} GhloSessionBindings;

GhloSessionBindings *ghlo_session_bindings_new   (guint n_inputs,
                                                  guint n_outputs);
/* Returns a copy of @self, which may be changed until others see it. */
GhloSessionBindings *ghlo_session_bindings_copy  (GhloSessionBindings *self);
GhloSessionBindings *ghlo_session_bindings_ref   (GhloSessionBindings *self);
void                 ghlo_session_bindings_unref (GhloSessionBindings *self);
/* Whether runs take the input from the caller, since it is neither bound nor carried. */
static inline gboolean
ghlo_session_bindings_is_free (const GhloSessionBindings *self,
                               guint                      input)
{
  return self->bound[input] == NULL && self->initial[input] == NULL;
}

/* Carries @output into @input. Only for bindings that are new or a copy. Takes over @initial. */
void                 ghlo_session_bindings_carry (GhloSessionBindings *self,
                                                  guint                output,
                                                  guint                input,
                                                  GhloValue           *initial);

/* The value bound to an input, and a copy of it on the device, which is uploaded once. */
typedef struct
{
  GhloValue *bound, *value;        /* owned; NULL while there is none */
} GhloSessionPlaced;

typedef struct
{
  gatomicrefcount     ref_count;
  GhloExecutableCore *executable;
  GhloSerialQueue     queue;
  /* The carried values, one for each input; touched only by the holder of the queue's turn. NULL where no output is
   * carried into the input, or where the value was lost. The run that writes the value may still be pending, or may
   * have failed. */
  GhloValue         **state;
  guint64             n_runs;      /* the number of runs that took their turn; touched by the holder of the turn, as
                                      is the next */
  guint64            *reset_after; /* for each input, the value of n_runs when it was last reset */
  GhloSessionPlaced  *placed;      /* NULL on devices that work in host memory */
} GhloSessionCore;

GhloSessionCore *ghlo_session_core_new   (GhloExecutableCore  *executable);
GhloSessionCore *ghlo_session_core_ref   (GhloSessionCore     *self);
void             ghlo_session_core_unref (GhloSessionCore     *self);
/* Gives carried inputs their initial values when its turn comes: @input, or all of them for -1. */
void             ghlo_session_core_reset (GhloSessionCore     *self,
                                          GhloSessionBindings *bindings,
                                          int                  input);

/* A run, or a copy of the value that is carried into one input. An atomic GRcBox. */
typedef struct
{
  GhloSessionCore     *core;
  GhloSessionBindings *bindings;
  GhloValue          **inputs;     /* of a run: one for each input, NULL where carried; owned */
  guint                input;      /* of a copy */
  gboolean             in_turn;    /* set by whoever gives the call its turn */
  gboolean             is_profiled;    /* of a run: whether its steps are measured */
  guint64              run;        /* of a run: its number, counted from 1, once it has begun, and 0 before; touched
                                      by the holder of the queue's turn, even after the call was freed */
  gint64               upload_time;    /* of a run: microseconds to upload the bound values */
  GhloFence           *previous;   /* owned; of a run: the pending run that writes its carried inputs; NULL when
                                      those were written already */
} GhloSessionCall;

/* Drops the carried values before the next call, as after a run that failed. With @call, drops only the values not
 * reset since that run, and nothing when the run has not begun; with NULL, drops all of them. */
void             ghlo_session_core_drop_state (GhloSessionCore *self,
                                               GhloSessionCall *call);

/* Takes over @bindings. */
GhloSessionCall *ghlo_session_call_new  (GhloSessionCore     *core,
                                         GhloSessionBindings *bindings);
void             ghlo_session_call_free (gpointer              call);

/* The bodies of jobs. A run returns a GhloRunResult without the outputs that are carried or bound; its turn ends once
 * it has begun. A copy returns a GhloValue. */
gpointer         ghlo_session_call_run    (gpointer           call,
                                           const GhloMonitor *monitor,
                                           GError           **error);
gpointer         ghlo_session_call_copy   (gpointer           call,
                                           const GhloMonitor *monitor,
                                           GError           **error);
/* The finish function of a run's job. */
gboolean         ghlo_session_call_finish (gpointer           call,
                                           gpointer           run_result,
                                           GError           **error);
/* Called when the caller of a run is told that it was cancelled. If the run has begun, the carried values are lost,
 * however it ends. */
void             ghlo_session_call_cancelled (gpointer         call);
/* Makes a worker call @func with @work in the call's turn. */
gboolean         ghlo_session_call_push   (gpointer           call,
                                           GFunc              func,
                                           gpointer           work,
                                           GError           **error);

G_END_DECLS
