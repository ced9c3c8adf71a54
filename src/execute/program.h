/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A function of a module, prepared to be run on a device any number of times, by any number of threads at once: a plan,
 * or a whole program of a device that makes no plans.
 */

#pragma once

#include "execute/profile.h"
#include "plan/plan.h"
#include "runtime/custom-calls.h"
#include "runtime/value.h"

G_BEGIN_DECLS

/* Prepared immutably. Programs that a device has no plan for, such as those with dynamic shapes or tuples among
 * their inputs and outputs, are whole programs of the fallback device. */
typedef struct _GhloPrepared GhloPrepared;

typedef struct
{
  /* The device whose steps, in host memory, take the operations that this device has no steps for; with
   * @may_use_host, it also takes steps that it is estimated to run faster. NULL: none. */
  GhloDeviceCore *host;
  gboolean        may_use_host;
  GhloDeviceCore *fallback;       /* runs the operations that neither has a step for; NULL: none */
  const GhloCustomTargets *custom_targets;     /* functions of the application; NULL: none. The prepared program holds
                                                * references to the functions that it calls, not to the table. */
} GhloPrepareOptions;

/* What a run may be given besides its inputs; all optional. The arrays and begun are borrowed for the call that starts
 * the run, everything else that is pointed to until the run has ended. */
typedef struct
{
  const char *probe_directory;    /* the directory that interpreter.probe writes to; NULL keeps probes in memory */
  void      (*print) (gpointer         data,      /* for interpreter.print, one call at a time; NULL discards it */
                      const char      *name,      /* of the printed value, without "%" */
                      const GhloValue *value);
  gpointer    print_data;
  /* For each output, the input whose memory it may take over, or GHLO_RUN_NO_INPUT. The caller gives such an input up;
   * the device takes its memory if the caller holds the only reference (ghlo_value_is_own ()). A device that works in
   * host memory then returns the input value itself as the output. */
  const guint *donated_inputs;
  /* For each input, the value that the caller keeps for the runs of this program alone, besides the reference that the
   * run is given, or NULL. Where nobody else refers to it either, and runs read a copy in another order only, its
   * memory is freed, or returned to who lent it. Nullable. */
  GhloValue *const *bound;
  /* For each output, a tensor in host memory that should receive it, or NULL. The tensors belong to the caller, do not
   * overlap, and nobody else writes to them during the run. If the device writes to a target, the output is that value;
   * if the output is another value, copying it is up to the caller. */
  GhloValue *const *targets;
  /* For each output, set to whether it shares memory with an input, a constant or another output; nullable. */
  gboolean    *shared;
  /* Set to TRUE before the run may first write to the inputs that the caller gives up; until then they are
   * unchanged. */
  gboolean    *begun;
  /* The microseconds that the run spends on the fallback, and on uploading its inputs to the device, are added to
   * these; nullable. */
  gint64      *fallback_time, *upload_time;
  /* The time of each step is added to this; nullable. Devices without plans ignore it. */
  GhloRunProfile *profile;
  /* Set where several processes of a program run together and meet in its collective operations: the process of the
   * reference executor (reference/process/process.h) that this run is. NULL: the run is the only one. */
  struct _GhloRefProcess *process;
  /* Passed on in the frames of the functions that answer the program's custom calls. */
  gpointer     context;
} GhloRunOptions;

#define GHLO_RUN_NO_INPUT G_MAXUINT

/* Called by the device before its first step. */
static inline void
ghlo_run_options_begin (const GhloRunOptions *options)
{
  if (options != NULL && options->begun != NULL)
    *options->begun = TRUE;
}

/* What is known of a program's runs in advance. */
typedef struct
{
  guint n_steps, n_fallback_steps;
  gsize input_bytes;
  gsize run_bytes;                /* of outputs and temporaries; 0 when not known */
  gsize prepared_bytes;           /* of constants and of prepared code and data, kept between runs */
  gsize plan_bytes;               /* the part of prepared_bytes that describes the steps */
  guint n_transfers;              /* steps between memories, and their bytes, with loops counted once */
  gsize transfer_bytes;
} GhloRunFigures;

/* The number of bytes in use at once while a program runs. */
static inline gsize
ghlo_run_figures_peak (const GhloRunFigures *self)
{
  return self->input_bytes + self->run_bytes + self->prepared_bytes;
}

/* Implemented by a device that makes no plans (GhloDeviceCoreClass.whole_programs). */
typedef struct _GhloWholeProgramClass
{
  /* Prepares @function, a func.func of @module. @module is verified; the program takes a reference for as long as it
   * needs it. Sets *@size to the bytes that it keeps between runs, without those of the module and of values. */
  gpointer  (*load)     (GhloDeviceCore           *device,
                         GhloIrModule             *module,
                         GhloIrOp                 *function,
                         const GhloPrepareOptions *options,
                         gsize                    *size,
                         const GhloMonitor        *monitor,
                         GError                  **error);
  void      (*free)     (gpointer                  program);
  /* See ghlo_prepared_start (). On entry *fence is NULL and all inputs are on the device. Outputs that are not
   * written yet have storage with the run's fence. If an input's writer fails, the run fails with the same error
   * when its turn comes. Calls ghlo_run_options_begin (). */
  gboolean  (*start)    (gpointer                  program,
                         const GhloRunOptions     *options,
                         GhloValue *const         *inputs,
                         gsize                     n_inputs,
                         GhloValue               **outputs,
                         GhloFence               **fence,
                         const GhloMonitor        *monitor,
                         GError                  **error);
} GhloWholeProgramClass;

/* @options is nullable, as is @monitor here and below. Fails with UNSUPPORTED where the device makes plans
 * only, none can be made, and @options has no fallback. */
GhloPrepared *ghlo_device_core_prepare  (GhloDeviceCore           *self,
                                         GhloIrModule             *module,
                                         GhloIrOp                 *function,
                                         const GhloPrepareOptions *options,
                                         const GhloMonitor        *monitor,
                                         GError                  **error);
void          ghlo_prepared_free        (GhloPrepared             *self);
/* Waits until the code that is compiled in the background for faster runs is ready. Runs may begin earlier and give the
 * same results. Returns FALSE when cancelled. */
gboolean      ghlo_prepared_wait_for_code (const GhloPrepared    *self,
                                           const GhloMonitor     *monitor,      /* nullable */
                                           GError               **error);
GhloDeviceCore *ghlo_prepared_get_device  (const GhloPrepared     *self);
guint           ghlo_prepared_get_n_outputs (const GhloPrepared   *self);
/* Returns the bytes that a whole program keeps between runs, without those of the module and of values; 0 for a
 * plan. */
gsize         ghlo_prepared_get_size    (const GhloPrepared       *self);
/* Starts a run. Inputs that are elsewhere are copied to the device first. On success, @outputs, which has room for the
 * function's results, is filled with references, and *fence stands for the rest of the run, including its errors; it
 * is NULL where nothing is left to do. Runs on one device begin in the order of these calls. The device takes
 * references to the @inputs that it still needs; @self and @monitor must stay alive until the run has ended.
 * Thread-safe. */
gboolean      ghlo_prepared_start       (const GhloPrepared       *self,
                                         const GhloRunOptions     *options,     /* nullable */
                                         GhloValue *const         *inputs,
                                         gsize                     n_inputs,
                                         GhloValue               **outputs,
                                         GhloFence               **fence,
                                         const GhloMonitor        *monitor,
                                         GError                  **error);
/* Starts a run and waits until it has ended. */
gboolean      ghlo_prepared_run         (const GhloPrepared       *self,
                                         const GhloRunOptions     *options,     /* nullable */
                                         GhloValue *const         *inputs,
                                         gsize                     n_inputs,
                                         GhloValue               **outputs,
                                         const GhloMonitor        *monitor,
                                         GError                  **error);
/* Describes, for people, how the program will run; the caller frees the text. NULL when there is nothing to say. */
char         *ghlo_prepared_describe    (const GhloPrepared       *self);
/* Returns NULL where there is no plan, or where the fallback runs the whole program as one step. */
const GhloStepPlan *ghlo_prepared_get_plan (const GhloPrepared    *self);
/* Returns whether the device interprets the program operation by operation, without a plan: the reference executor. */
gboolean      ghlo_prepared_is_interpreted (const GhloPrepared    *self);
/* Returns FALSE for an interpreted program; nothing is known then. */
gboolean      ghlo_prepared_measure     (const GhloPrepared       *self,
                                         GhloRunFigures           *figures);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloPrepared, ghlo_prepared_free)

G_END_DECLS
