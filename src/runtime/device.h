/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What programs run on, behind one interface. A device is an instance of an executor's class: it says what it is
 * and what it lacks, makes storage, and prepares a function of a module once, into something immutable that any
 * number of threads run at the same time. Devices belong to the process and are never freed, so that anybody may
 * hold one without counting.
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
  GhloDeviceCore *host;           /* whose steps do what the device has none for; in host memory; NULL: nobody's */
  GhloDeviceCore *fallback;       /* runs what nobody has a step for; NULL: nobody does */
  gboolean        places;         /* steps are @host's where that is estimated to be quicker; FALSE: only those that
                                     the device does not do */
  const GhloCustomTargets *custom_targets;     /* functions of the application; NULL: none. Those that the program
                                                  calls are referred to, the table is not. */
} GhloPrepareOptions;

/* What a run may be given besides its inputs; all optional. The arrays and begun are borrowed by the call that
 * starts the run, what else is pointed to until the run has ended. */
typedef struct
{
  const char *probe_directory;    /* where interpreter.probe writes; NULL keeps probes in memory */
  void      (*print) (gpointer         data,      /* interpreter.print, one call at a time; NULL drops it */
                      const char      *name,      /* of the printed value, without "%" */
                      const GhloValue *value);
  gpointer    print_data;
  /* For each output the input whose memory it may take, or GHLO_RUN_NO_INPUT: a value that the
   * caller gives up, which a device takes where it is the caller's alone (ghlo_value_is_own ()).
   * Where one that works in host memory takes it, the output is that value. */
  const guint *replaced;
  /* For each output a tensor in host memory where it is wanted, or NULL: the caller's, which nobody
   * else writes to during the run, and apart from the others. Where a device does write there, the
   * output is that value; anything else is the caller's to copy. */
  GhloValue *const *targets;
  /* Set to TRUE when the run may begin to write to what the caller gives up; until then that is as it was. */
  gboolean    *begun;
  /* To which the microseconds are added that a run spends on the fallback, and on uploading its inputs
   * to the device; NULL when nobody asks. */
  gint64      *fallback_time, *upload_time;
  /* To which the bytes of these inputs are added that were copied to the device's memory; NULL when nobody asks. */
  gsize       *uploaded;
  /* To which is added what each step took; NULL when nobody asks. Not of devices without plans. */
  GhloRunProfile *profile;
  /* Where several run a program at once, and meet in its collective operations: the one that this run is, of the
   * reference executor (reference/process/process.h), whose the meetings are. NULL: it is the only one. */
  struct _GhloRefProcess *process;
  /* Whatever functions that answer the program's custom calls are to find in their frames. */
  gpointer     context;
} GhloRunOptions;

#define GHLO_RUN_NO_INPUT G_MAXUINT

/* For the device, before its first step. */
static inline void
ghlo_run_options_begin (const GhloRunOptions *options)
{
  if (options != NULL && options->begun != NULL)
    *options->begun = TRUE;
}

/* What is known of a program's runs before them. */
typedef struct
{
  guint n_steps, n_fallback_steps;
  gsize input_bytes;
  gsize run_bytes;                /* for outputs and what is computed in between; 0 when not known */
  gsize prepared_bytes;           /* of constants and of what is prepared, kept between runs */
  gsize plan_bytes;               /* those of them that tell what the steps are */
  guint n_transfers;              /* of the steps, between memories; with their bytes, loops taken once */
  gsize transfer_bytes;
} GhloRunFigures;

/* Bytes that there are at once while a program runs. */
static inline gsize
ghlo_run_figures_peak (const GhloRunFigures *self)
{
  return self->input_bytes + self->run_bytes + self->prepared_bytes;
}

/* Bytes of a device's memory that this process holds. */
typedef struct
{
  gsize used;
  gsize peak;                     /* the most that it held at once, ever or since the peak was reset */
} GhloMemoryUse;

/* Something to know of a device besides what all of them have: words, or a number. */
typedef struct
{
  const char *name;               /* for programs: "subgroup_size"; static, as the next */
  const char *label;              /* for people, at most ten characters: "subgroup" */
  char      **words;              /* NULL-terminated; NULL: it is a number */
  guint64     number;
  gboolean    is_bytes;           /* the number is */
} GhloDeviceFact;

/* What an executor implements; callers use the functions below. */
typedef struct
{
  const char     *name;      /* "vulkan", which is a name of the first device of the class as well */
  /* Bytes of memory that programs may use. */
  guint64       (*get_memory) (GhloDeviceCore           *self);
  /* Of the device's own memory, as ghlo_device_core_measure_memory (), into @use, which is zero. NULL, as the next, for
   * a device that works in host memory. */
  void          (*measure_memory) (GhloDeviceCore       *self,
                               GhloMemoryUse            *use);
  void          (*reset_memory_peak) (GhloDeviceCore    *self);
  /* Adds what people may want to know of it. The device is not opened for it. NULL: there is nothing. */
  void          (*add_facts)  (GhloDeviceCore           *self,
                               GArray                   *facts);
  /* What the process has had made for it, for people: "pipelines: 3 made, 20 found on disk"; the caller frees it.
   * NULL: nothing; also in place of the function. */
  char         *(*describe_work) (GhloDeviceCore        *self);
  /* What it is estimated to do in a second: as was measured of it (runtime/rates.h), else by its type. It does not
   * change, and the device is not opened for it. NULL: not known; also in place of the function. */
  const GhloStepRates *(*get_rates) (GhloDeviceCore     *self);
  /* What its rates depend on besides the version of the library: the device and its driver. NULL for a device whose
   * rates are not kept. */
  GBytes       *(*identify)   (GhloDeviceCore           *self);
  /* What @op needs and the device cannot give it in any way, "f64" or the operation's name; NULL for nothing.
   * NULL for a device that lacks nothing. */
  const char   *(*lacks)      (GhloDeviceCore           *self,
                               const GhloIrOp           *op);
  /* NULL where the device does @ops, which stand in one block in this order, as one step, a fusion of @kind; else
   * the reason why not, as a sentence without its stop, static. It has yet to see how the operands lie. Of kind
   * "channels-last": whether it would have a convolution so; of kind "step": whether it has steps for an operation by
   * itself, as far as its kind and types tell, for which it is not opened. NULL for a device that does no fusions. */
  const char   *(*declines)   (GhloDeviceCore           *self,
                               const char               *kind,
                               const GhloIrOp *const    *ops,
                               guint                     n_ops);
  /* What deals with storage, NULL, all four, for a device that works in host memory. Storage is allocated for @size
   * bytes, any content, at a multiple of 64; @space, which is not the host's, is a wish: UPLOAD for what the host is
   * about to write, READBACK for what the host may read soon, DEVICE for the rest. Uploads, of storage that nothing has
   * used, and downloads, of what is written, are of all of it; the host's memory is not needed when the call returns. A
   * copy of storage of the device's own, of the same size, begins after the runs and copies that were begun before, and
   * sets @to's pending. */
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
  /* Storage of the device, to be read alone, over the bytes of @host in host memory, which are written. It refers to
   * them until the device has read them for the last time. NULL where the device does not read them there, which it
   * tells at once; also in place of the function. */
  GhloStorage  *(*view)       (GhloDeviceCore           *self,
                               GhloStorage              *host);
  /* @module is verified and referenced for as long as needed; @function is one of its func.func. The result
   * begins with a GhloPrepared, which the caller fills. */
  GhloPrepared *(*prepare)    (GhloDeviceCore           *self,
                               GhloIrModule             *module,
                               GhloIrOp                 *function,
                               const GhloPrepareOptions *options,
                               const GhloMonitor        *monitor,
                               GError                  **error);
  void          (*release)    (GhloPrepared             *prepared);
  /* The bytes that it keeps between runs, but for the module's and what values hold. NULL: not known. */
  gsize         (*prepared_size) (const GhloPrepared    *prepared);
  /* As ghlo_prepared_start (); *pending is NULL as it comes, and all inputs are where the device works. Outputs that
   * are not written yet have storage with that pending, which no two of them share. A run whose inputs are not written
   * when its time has come fails as what should have written them did. Calls ghlo_run_options_begin (). */
  gboolean      (*start)      (GhloPrepared             *prepared,
                               const GhloRunOptions     *options,
                               GhloValue *const         *inputs,
                               gsize                     n_inputs,
                               GhloValue               **outputs,
                               GhloPending             **pending,
                               const GhloMonitor        *monitor,
                               GError                  **error);
  /* What the device offers to plans, its own and others'; it lives as long as the device. NULL, as the next three, for
   * an executor that makes no plans. */
  const GhloStepTarget *(*get_target) (GhloDeviceCore   *self);
  /* The plan, which the prepared program has; NULL where the fallback runs all of it as one step. */
  const GhloStepPlan *(*get_plan) (const GhloPrepared   *prepared);
  /* The plan as text, which the caller frees, and its figures. */
  char         *(*describe)   (GhloPrepared             *prepared);
  void          (*measure)    (GhloPrepared             *prepared,
                               GhloRunFigures           *figures);
} GhloDeviceCoreClass;

struct _GhloDeviceCore
{
  const GhloDeviceCoreClass *klass;
  GhloDeviceKind             kind;
  /* What users type, NULL-terminated: "vulkan:1", "vulkan:UUID". The first one is shown; no two devices of the
   * machine share one. */
  const char *const         *names;
  const char                *title;          /* for people: "NVIDIA H200" */
  const char                *driver;         /* with its version, for people */
  const char                *model;          /* of the hardware, "AMD EPYC 7543"; nullable, as the next */
  const char                *vector_level;   /* the highest set of vector instructions that is used: "avx2" */
  const char *const         *features;       /* NULL-terminated */
  gboolean                   wants_passes;   /* FALSE: programs run as they are written */
  gboolean                   shares_memory;  /* with the host: their steps have the same bytes, and outputs are read
                                                where they are; inputs may be copied */
  gboolean                   is_gpu;         /* a real one, which programs that name no device may be given */
  gint                       lost;           /* atomic; never becomes FALSE again */
};

/* The beginning of what an executor prepares. */
struct _GhloPrepared
{
  GhloDeviceCore *device;
  guint           n_outputs;
};

/* Whether the device works in host memory, and has no storage of its own. */
static inline gboolean
ghlo_device_core_is_host (const GhloDeviceCore *self)
{
  return self->klass->allocate == NULL;
}

/* For the device: that it went away. Every later call fails with DEVICE_LOST. */
void          ghlo_device_core_lose     (GhloDeviceCore           *self);
gboolean      ghlo_device_core_is_lost  (const GhloDeviceCore     *self);
/* FALSE with DEVICE_LOST where it did. */
gboolean      ghlo_device_core_check    (const GhloDeviceCore     *self,
                                         GError                  **error);

/* What values and programs hold of the memory that the device works in: of host memory for those that have none of
 * their own, whichever of them it is for. Nothing of a device that was not opened. */
void          ghlo_device_core_measure_memory (GhloDeviceCore     *self,
                                               GhloMemoryUse      *use);
/* The peak counts from here on. */
void          ghlo_device_core_reset_memory_peak (GhloDeviceCore  *self);

/* Of GhloDeviceFact; the caller unrefs it. */
GArray       *ghlo_device_core_list_facts (GhloDeviceCore         *self);
/* For the device: the fact takes @words. */
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
/* As the class's; NULL where they are not known. */
const GhloStepRates *ghlo_device_core_get_rates (GhloDeviceCore   *self);
/* As the class's; NULL for nothing. */
char         *ghlo_device_core_describe_work (GhloDeviceCore      *self);

/* As the class's, of a device that is not lost; values are copied by place.h's functions. */
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

/* @options may be NULL, here as below @monitor. UNSUPPORTED, with the place, where the device lacks something. */
GhloPrepared *ghlo_device_core_prepare  (GhloDeviceCore           *self,
                                         GhloIrModule             *module,
                                         GhloIrOp                 *function,
                                         const GhloPrepareOptions *options,
                                         const GhloMonitor        *monitor,
                                         GError                  **error);
void          ghlo_prepared_free        (GhloPrepared             *self);
/* Until what is made in the background for faster runs is there: a run may begin before, to the same results. FALSE
 * when cancelled. */
gboolean      ghlo_prepared_wait_for_code (GhloPrepared          *self,
                                           const GhloMonitor     *monitor,      /* nullable */
                                           GError               **error);
/* The bytes that it keeps between runs, but for the module's and what values hold; 0 where they are not known. */
gsize         ghlo_prepared_get_size    (const GhloPrepared       *self);
/* Begins a run. Inputs that lie elsewhere are brought to the device before. TRUE: @outputs, which has room for the
 * function's results, is filled with references, and *pending is the rest of the run, of which what goes wrong is
 * told; NULL where nothing is left. Runs that one device is given begin in the order of these calls. The device
 * refers to what it needs of @inputs; @self and @monitor stay until the run has ended. Thread-safe. */
gboolean      ghlo_prepared_start       (GhloPrepared             *self,
                                         const GhloRunOptions     *options,     /* nullable */
                                         GhloValue *const         *inputs,
                                         gsize                     n_inputs,
                                         GhloValue               **outputs,
                                         GhloPending             **pending,
                                         const GhloMonitor        *monitor,
                                         GError                  **error);
/* The same to its end. */
gboolean      ghlo_prepared_run         (GhloPrepared             *self,
                                         const GhloRunOptions     *options,     /* nullable */
                                         GhloValue *const         *inputs,
                                         gsize                     n_inputs,
                                         GhloValue               **outputs,
                                         const GhloMonitor        *monitor,
                                         GError                  **error);
/* How it will run, for people; the caller frees it. NULL when there is nothing to say. */
char         *ghlo_prepared_describe    (GhloPrepared             *self);
/* NULL where there is none, or where the fallback runs all of it as one step. */
const GhloStepPlan *ghlo_prepared_get_plan (const GhloPrepared    *self);
/* FALSE where the device makes no plans, and nothing is known. */
gboolean      ghlo_prepared_measure     (GhloPrepared             *self,
                                         GhloRunFigures           *figures);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloPrepared, ghlo_prepared_free)

G_END_DECLS
