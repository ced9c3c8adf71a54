/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sessions as workers know them: a compiled program, the values that it carries
 * from run to run, and the turns in which they are touched; and the object, which they
 * never see.
 *
 * What is bound and what is carried where is a wiring, immutable once made: a call
 * takes the one of its moment along, and a change makes another.
 */

#pragma once

#include "ghlo-compiled-private.h"
#include "ghlo-session.h"
#include "ghlo-turns-private.h"

G_BEGIN_DECLS

typedef struct
{
  gatomicrefcount  ref_count;
  guint            n_inputs, n_outputs;
  GhloValue      **bound;       /* n_inputs; NULL where not bound */
  GhloValue      **initial;     /* n_inputs; NULL where not carried */
  guint           *output;      /* n_inputs; the output that is carried there, where one is */
  guint           *replaced;    /* n_outputs; an input that it is carried into, or GHLO_RUN_NO_INPUT */
  GhloValue      **targets;     /* n_outputs; over memory of the caller's to write to; NULL where not bound */
} GhloSessionWiring;

GhloSessionWiring *ghlo_session_wiring_new   (guint              n_inputs,
                                              guint              n_outputs);
/* One like @self, to be changed before anybody else sees it. */
GhloSessionWiring *ghlo_session_wiring_copy  (GhloSessionWiring *self);
GhloSessionWiring *ghlo_session_wiring_ref   (GhloSessionWiring *self);
void               ghlo_session_wiring_unref (GhloSessionWiring *self);
/* Of a new one or a copy. Takes @initial over. */
void               ghlo_session_wiring_carry (GhloSessionWiring *self,
                                              guint              output,
                                              guint              input,
                                              GhloValue         *initial);

typedef struct
{
  gatomicrefcount   ref_count;
  GhloCompiled     *compiled;
  GhloValue       **state;      /* one for each input, NULL where not carried or lost;
                                   touched by whoever has the turn */
  GhloTurns         turns;
} GhloSessionCore;

GhloSessionCore   *ghlo_session_core_new     (GhloCompiled      *compiled);
GhloSessionCore   *ghlo_session_core_ref     (GhloSessionCore   *self);
void               ghlo_session_core_unref   (GhloSessionCore   *self);
/* In its turn, gives carried inputs their initial values: @input, or all if -1. */
void               ghlo_session_core_reset   (GhloSessionCore   *self,
                                              GhloSessionWiring *wiring,
                                              int                input);
/* In its turn, forgets what is carried, as after a run that failed. Takes a
 * reference to @self over. */
void               ghlo_session_core_lose    (gpointer           self);

/* A run, or the copying of what is carried into one input. */
typedef struct
{
  GhloSessionCore   *core;
  GhloSessionWiring *wiring;
  GhloValue        **inputs;    /* of a run: one for each input, NULL where carried; owned */
  guint              input;     /* of a copy */
  gboolean           in_turn;   /* set by whoever gave the call its turn */
  gboolean           done;      /* of a run: what is carried was stored */
} GhloSessionCall;

/* Takes the wiring over. */
GhloSessionCall   *ghlo_session_call_new     (GhloSessionCore   *core,
                                              GhloSessionWiring *wiring);
/* Of a run that had its turn and did not get to its end, loses what is carried. */
void               ghlo_session_call_free    (gpointer           call);

/* The bodies, for ghlo-job: a run gives a GhloOutcome without the outputs that are
 * carried or bound, a copy gives a GhloValue. */
gpointer           ghlo_session_call_run     (gpointer           call,
                                              const GhloMonitor *monitor,
                                              GError           **error);
gpointer           ghlo_session_call_copy    (gpointer           call,
                                              const GhloMonitor *monitor,
                                              GError           **error);
/* Has @func called with @work on a worker in the call's turn. */
gboolean           ghlo_session_call_push    (gpointer           call,
                                              GFunc              func,
                                              gpointer           work,
                                              GError           **error);

struct _GhloSession
{
  GObject             parent_instance;

  GhloExecutable     *executable;    /* never changes, as core */
  GhloSessionCore    *core;          /* NULL without an executable that a client made */

  GMutex              lock;          /* guards what follows; held for moments only */
  GhloSessionWiring  *wiring;        /* NULL where core is */
  GhloProgress       *progress;      /* nullable */
  gboolean            profile;
  guint               pending;
};

/* The wiring of this moment, with a reference; NULL with @error where no call can be made. */
GhloSessionWiring *ghlo_session_begin_call   (GhloSession       *self,
                                              GError           **error);
/* Whether the program has an input or output (@what) of that number. */
gboolean           ghlo_session_check_number (const char        *what,
                                              guint              number,
                                              guint              n,
                                              GError           **error);

G_END_DECLS
