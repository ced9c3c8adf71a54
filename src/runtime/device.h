/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The interface behind which every device that runs programs stands. A device is an instance of an executor's
 * class. It describes itself, says what it cannot do, allocates storage, and prepares a function of a module once,
 * into an immutable object that any number of threads may run at the same time. Devices belong to the process and
 * are never freed, so holding one needs no reference count.
 */

#pragma once

#include "base/ghlo-enums.h"
#include "ir/module.h"
#include "plan/plan.h"
#include "runtime/custom-calls.h"
#include "runtime/pending.h"
#include "runtime/profile.h"
#include "runtime/value.h"

G_BEGIN_DECLS

typedef struct _GhloPrepared GhloPrepared;

typedef struct
{
  GhloDeviceCore *host;           /* the device whose steps, in host memory, take the operations that this device has no
                                   * steps for; NULL: none */
  GhloDeviceCore *fallback;       /* runs the operations that neither has a step for; NULL: none */
  gboolean        places;         /* TRUE: @host also takes steps that it is estimated to run faster; FALSE: only those
                                   * that this device does not do */
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
  /* For each output, a tensor in host memory that should receive it, or NULL. The tensors belong to the caller, do not
   * overlap, and nobody else writes to them during the run. If the device writes to a target, the output is that value;
   * if the output is another value, copying it is up to the caller. */
  GhloValue *const *targets;
  /* Set to TRUE before the run may first write to the inputs that the caller gives up; until then they are
   * unchanged. */
  gboolean    *begun;
  /* The microseconds that the run spends on the fallback, and on uploading its inputs to the device, are added to
   * these; nullable. */
  gint64      *fallback_time, *upload_time;
  /* The bytes of inputs that were copied to the device's memory are added to this; nullable. */
  gsize       *uploaded;
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

/* The bytes of a device's memory that this process holds. */
typedef struct
{
  gsize used;
  gsize peak;                     /* the most that was held at once since the process began or the peak was reset */
} GhloMemoryUse;

/* An additional property of a device, for display: a list of words or a number. */
typedef struct
{
  const char *name;               /* for programs: "subgroup_size"; static, like label */
  const char *label;              /* for people, at most ten characters: "subgroup" */
  char      **words;              /* NULL-terminated; NULL: it is a number */
  guint64     number;
  gboolean    is_bytes;           /* TRUE: number is a number of bytes */
} GhloDeviceFact;

/* What an executor implements; callers use the functions below. */
typedef struct
{
  const char     *name;      /* "vulkan"; it is also a name of the first device of the class */
  /* Returns the number of bytes of memory that programs may use. */
  guint64       (*get_memory) (GhloDeviceCore           *self);
  /* Fills @use, which is zeroed, with the use of the device's own memory; see ghlo_device_core_measure_memory (). Both
   * this and reset_memory_peak are NULL for a device that works in host memory. */
  void          (*measure_memory) (GhloDeviceCore       *self,
                               GhloMemoryUse            *use);
  void          (*reset_memory_peak) (GhloDeviceCore    *self);
  /* Appends properties that users may want to know, without opening the device. NULL: there are none. */
  void          (*add_facts)  (GhloDeviceCore           *self,
                               GArray                   *facts);
  /* Describes, for people, what the process has compiled for the device: "pipelines: 3 made, 20 found on disk". The
   * caller frees the text. Both the result and the function may be NULL: there is nothing to say. */
  char         *(*describe_work) (GhloDeviceCore        *self);
  /* Returns the estimated rates of the device: the measured ones (runtime/rates.h) if there are any, else those of its
   * type. They do not change, and the device is not opened for them. Both the result and the function may be NULL: not
   * known. */
  const GhloStepRates *(*get_rates) (GhloDeviceCore     *self);
  /* Returns what the rates depend on besides the version of the library: the device and its driver. NULL for a device
   * whose rates are not kept. */
  GBytes       *(*identify)   (GhloDeviceCore           *self);
  /* Returns what @op needs and the device cannot provide in any way: "f64", or the name of the operation. Returns NULL
   * where nothing is missing. The function is NULL for a device that lacks nothing. */
  const char   *(*lacks)      (GhloDeviceCore           *self,
                               const GhloIrOp           *op);
  /* Returns NULL where the device runs @ops, which stand in one block in this order, as one step, a fusion of @kind.
   * Else returns the reason, a static sentence without its final stop. The layout of the operands is not known yet. For
   * kind "channels-last", asks whether the device would want a convolution in that layout. For kind "step", asks
   * whether it has steps for a single operation, judging by kind and types only; the device is not opened for it. NULL
   * for a device that has no fusions. */
  const char   *(*declines)   (GhloDeviceCore           *self,
                               const char               *kind,
                               const GhloIrOp *const    *ops,
                               guint                     n_ops);
  /* The storage functions; all four are NULL for a device that works in host memory.
   *
   * allocate returns storage for @size bytes with arbitrary content, aligned to 64 bytes. @space is a hint, and never
   * HOST: UPLOAD for what the host is about to write, READBACK for what the host may read soon, DEVICE for the rest.
   *
   * upload is called on storage that nothing has used yet, download on storage that is written. Both transfer all of
   * it, and have finished with the host's memory when the call returns.
   *
   * copy copies between two storages of the device, of equal size. The copy begins after all runs and copies that were
   * begun before it, and sets the pending of @to.
   */
  GhloStorage  *(*allocate)   (GhloDeviceCore           *self,
                               GhloMemorySpace           space,
                               gsize                     size,
                               GError                  **error);
  gboolean      (*upload)     (GhloDeviceCore           *self,
                               gconstpointer             from,
                               GhloStorage              *to,
                               const GhloMonitor        *monitor,
                               GError                  **error);
  gboolean      (*download)   (GhloDeviceCore           *self,
                               GhloStorage              *from,
                               gpointer                  to,
                               const GhloMonitor        *monitor,
                               GError                  **error);
  gboolean      (*copy)       (GhloDeviceCore           *self,
                               GhloStorage              *from,
                               GhloStorage              *to,
                               GError                  **error);
  /* Returns read-only storage of the device over the bytes of @host, which is in host memory and has been written. The
   * storage holds a reference to @host until the device has read it for the last time. Returns NULL, at once, where the
   * device cannot read the bytes in place; the function may be NULL too. */
  GhloStorage  *(*view)       (GhloDeviceCore           *self,
                               GhloStorage              *host);
  /* Prepares @function, a func.func of @module. @module is verified; the device takes a reference for as long as it
   * needs it. The result begins with a GhloPrepared, which the caller fills in. */
  GhloPrepared *(*prepare)    (GhloDeviceCore           *self,
                               GhloIrModule             *module,
                               GhloIrOp                 *function,
                               const GhloPrepareOptions *options,
                               const GhloMonitor        *monitor,
                               GError                  **error);
  void          (*release)    (GhloPrepared             *prepared);
  /* Returns the bytes that @prepared keeps between runs, without those of the module and of values. NULL: not known. */
  gsize         (*prepared_size) (const GhloPrepared    *prepared);
  /* See ghlo_prepared_start (). On entry *pending is NULL and all inputs are on the device. Outputs that are not
   * written yet have storage with the run's pending; no two of them share storage. If an input's writer fails, the run
   * fails with the same error when its turn comes. Calls ghlo_run_options_begin (). */
  gboolean      (*start)      (GhloPrepared             *prepared,
                               const GhloRunOptions     *options,
                               GhloValue *const         *inputs,
                               gsize                     n_inputs,
                               GhloValue               **outputs,
                               GhloPending             **pending,
                               const GhloMonitor        *monitor,
                               GError                  **error);
  /* Returns what the device offers to the planners of its own and of other devices' programs; it lives as long as the
   * device. This and the next three functions are NULL for an executor that makes no plans. */
  const GhloStepTarget *(*get_target) (GhloDeviceCore   *self);
  /* Returns the plan, owned by @prepared; NULL where the fallback runs the whole program as one step. */
  const GhloStepPlan *(*get_plan) (const GhloPrepared   *prepared);
  /* Return the plan as text, which the caller frees, and its figures. */
  char         *(*describe)   (GhloPrepared             *prepared);
  void          (*measure)    (GhloPrepared             *prepared,
                               GhloRunFigures           *figures);
} GhloDeviceCoreClass;

struct _GhloDeviceCore
{
  const GhloDeviceCoreClass *klass;
  GhloDeviceKind             kind;
  /* The names that users type, NULL-terminated: "vulkan:1", "vulkan:UUID". The first one is displayed. Names are unique
   * on a machine. */
  const char *const         *names;
  const char                *title;          /* for people: "NVIDIA H200" */
  const char                *driver;         /* driver and version, for people */
  const char                *model;          /* of the hardware, "AMD EPYC 7543"; nullable, as is vector_level */
  const char                *vector_level;   /* the highest set of vector instructions in use: "avx2" */
  const char *const         *features;       /* NULL-terminated */
  gboolean                   wants_passes;   /* FALSE: programs run as written, without passes */
  gboolean                   shares_memory;  /* TRUE: its steps use the host's memory, and outputs are read in place;
                                              * inputs may still be copied */
  gboolean                   is_gpu;         /* a hardware GPU, which may be chosen for programs that name no device */
  gint                       lost;           /* atomic; once TRUE, it stays TRUE */
};

/* The first member of what an executor's prepare () returns. */
struct _GhloPrepared
{
  GhloDeviceCore *device;
  guint           n_outputs;
};

/* Returns whether the device works in host memory and has no storage of its own. */
static inline gboolean
ghlo_device_core_is_host (const GhloDeviceCore *self)
{
  return self->klass->allocate == NULL;
}

/* Called by the device when it went away. Every later call fails with DEVICE_LOST. */
void          ghlo_device_core_lose     (GhloDeviceCore           *self);
gboolean      ghlo_device_core_is_lost  (const GhloDeviceCore     *self);
/* Returns FALSE with DEVICE_LOST if the device was lost. */
gboolean      ghlo_device_core_check    (const GhloDeviceCore     *self,
                                         GError                  **error);

/* Returns the memory that values and programs hold where the device works. For devices that work in host memory this is
 * the host memory that the process holds for any of them. A device that was not opened holds nothing. */
void          ghlo_device_core_measure_memory (GhloDeviceCore     *self,
                                               GhloMemoryUse      *use);
/* Restarts the peak at the current use. */
void          ghlo_device_core_reset_memory_peak (GhloDeviceCore  *self);

/* Returns an array of GhloDeviceFact; transfer full. */
GArray       *ghlo_device_core_list_facts (GhloDeviceCore         *self);
/* For the device's add_facts (). The fact takes ownership of @words. */
void          ghlo_device_facts_add_words (GArray                 *facts,
                                           const char             *name,
                                           const char             *label,
                                           char                  **words);
void          ghlo_device_facts_add_number (GArray                *facts,
                                           const char             *name,
                                           const char             *label,
                                           guint64                 number);
void          ghlo_device_facts_add_bytes (GArray                 *facts,
                                           const char             *name,
                                           const char             *label,
                                           guint64                 bytes);
/* See GhloDeviceCoreClass.get_rates; NULL where the rates are not known. */
const GhloStepRates *ghlo_device_core_get_rates (GhloDeviceCore   *self);
/* See GhloDeviceCoreClass.describe_work; NULL where there is nothing to say. */
char         *ghlo_device_core_describe_work (GhloDeviceCore      *self);

/* These call the class's functions, and fail if the device is lost. Values are copied by the functions of place.h. */
GhloStorage  *ghlo_device_core_allocate (GhloDeviceCore           *self,
                                         GhloMemorySpace           space,
                                         gsize                     size,
                                         GError                  **error);
gboolean      ghlo_device_core_upload   (GhloDeviceCore           *self,
                                         gconstpointer             from,
                                         GhloStorage              *to,
                                         const GhloMonitor        *monitor,
                                         GError                  **error);
gboolean      ghlo_device_core_download (GhloDeviceCore           *self,
                                         GhloStorage              *from,
                                         gpointer                  to,
                                         const GhloMonitor        *monitor,
                                         GError                  **error);
gboolean      ghlo_device_core_copy     (GhloDeviceCore           *self,
                                         GhloStorage              *from,
                                         GhloStorage              *to,
                                         GError                  **error);

/* @options is nullable, as is @monitor here and below. Fails with UNSUPPORTED, and the location of the operation, where
 * the device lacks something. */
GhloPrepared *ghlo_device_core_prepare  (GhloDeviceCore           *self,
                                         GhloIrModule             *module,
                                         GhloIrOp                 *function,
                                         const GhloPrepareOptions *options,
                                         const GhloMonitor        *monitor,
                                         GError                  **error);
void          ghlo_prepared_free        (GhloPrepared             *self);
/* Waits until the code that is compiled in the background for faster runs is ready. Runs may begin earlier and give the
 * same results. Returns FALSE when cancelled. */
gboolean      ghlo_prepared_wait_for_code (GhloPrepared          *self,
                                           const GhloMonitor     *monitor,      /* nullable */
                                           GError               **error);
/* Returns the bytes that @self keeps between runs, without those of the module and of values; 0 where not known. */
gsize         ghlo_prepared_get_size    (const GhloPrepared       *self);
/* Starts a run. Inputs that are elsewhere are copied to the device first. On success, @outputs, which has room for the
 * function's results, is filled with references, and *pending stands for the rest of the run, including its errors; it
 * is NULL where nothing is left to do. Runs on one device begin in the order of these calls. The device takes
 * references to the @inputs that it still needs; @self and @monitor must stay alive until the run has ended.
 * Thread-safe. */
gboolean      ghlo_prepared_start       (GhloPrepared             *self,
                                         const GhloRunOptions     *options,     /* nullable */
                                         GhloValue *const         *inputs,
                                         gsize                     n_inputs,
                                         GhloValue               **outputs,
                                         GhloPending             **pending,
                                         const GhloMonitor        *monitor,
                                         GError                  **error);
/* Starts a run and waits until it has ended. */
gboolean      ghlo_prepared_run         (GhloPrepared             *self,
                                         const GhloRunOptions     *options,     /* nullable */
                                         GhloValue *const         *inputs,
                                         gsize                     n_inputs,
                                         GhloValue               **outputs,
                                         const GhloMonitor        *monitor,
                                         GError                  **error);
/* Describes, for people, how the program will run; the caller frees the text. NULL when there is nothing to say. */
char         *ghlo_prepared_describe    (GhloPrepared             *self);
/* Returns NULL where there is no plan, or where the fallback runs the whole program as one step. */
const GhloStepPlan *ghlo_prepared_get_plan (const GhloPrepared    *self);
/* Returns FALSE where the device makes no plans; nothing is known then. */
gboolean      ghlo_prepared_measure     (GhloPrepared             *self,
                                         GhloRunFigures           *figures);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloPrepared, ghlo_prepared_free)

G_END_DECLS
