/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A device: what it is, what it can do, and its parts, each with an interface of its own: the memory that it computes
 * in (memory.h), the queue of its work (queue.h), command buffers (command-buffer.h) and steps (step.h). Devices belong
 * to the process and are never freed, so holding one needs no reference count.
 */

#pragma once

#include "base/ghlo-enums.h"
#include "device/queue.h"
#include "device/rates.h"
#include "device/step.h"
#include "device/storage.h"
#include "ir/fusion.h"

G_BEGIN_DECLS

/* A property of a device, for display: a list of words or a number. */
typedef struct
{
  const char *name;               /* for programs: "subgroup_size"; static, like label */
  const char *label;              /* for people, at most ten characters: "subgroup" */
  char      **words;              /* NULL-terminated; NULL: it is a number */
  guint64     number;
  gboolean    is_bytes;           /* TRUE: number is a number of bytes */
} GhloDeviceProperty;

/* What is common to the devices of an executor. */
typedef struct
{
  const char     *name;      /* "vulkan"; it is also a name of the first device of the class */
  /* Appends properties that users may want to know, without opening the device. NULL: there are none. */
  void          (*add_properties) (GhloDeviceCore       *self,
                                   GArray               *properties);
  /* Returns NULL where the device runs @ops, which stand in one block in this order, as one step, a fusion of @kind.
   * Else returns the reason, a static sentence without its final stop. The layout of the operands is not known yet.
   * STEP asks whether it has steps for a single operation, judging by kind and types only, without being opened.
   * CHANNELS_LAST asks whether it would want a convolution in that layout, EXPAND_DOTS and EXPAND_GEMV whether it would
   * want a product as multiplications and additions, NARROW_DOTS whether one of f32 as one of bf16, SPLIT_WINDOWS
   * whether windows as a step for each dimension wherever that saves a little. NULL for a device without fusions. */
  const char   *(*unsupported_reason) (GhloDeviceCore        *self,
                                       GhloFusionKind         kind,
                                       const GhloIrOp *const *ops,
                                       guint                  n_ops);
  /* Opens the device unless it is open; thread-safe. NULL where that takes nothing. */
  gboolean      (*open)      (GhloDeviceCore           *self,
                              const GhloMonitor        *monitor,       /* nullable */
                              GError                  **error);
  /* The implementation to try for @op after @previous, or the first one if that is NULL; NULL when there are no more.
   * Depends only on the kind of @op, so that a device's implementations can be listed. NULL for a device that makes no
   * plans. */
  const GhloStepImplementation *(*find_step) (GhloDeviceCore               *self,
                                              const GhloIrOp               *op,
                                              const GhloStepImplementation *previous);
  /* Copies between views with any strides; never declines. */
  const GhloStepImplementation  *copy_step;
  /* How a device that makes no plans runs whole programs (execute/program.h); NULL for one that makes plans. */
  const struct _GhloWholeProgramClass *whole_programs;
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
  GhloDeviceMemory          *memory;         /* that all its steps read and write; NULL: the host's memory */
  GhloDeviceQueue           *queue;          /* NULL: its work ends within the call */
  const GhloCommandBufferClass *command_buffers;     /* NULL: steps are run one by one */
  GBytes                    *identity;       /* what the rates depend on besides the version of the library: the device
                                              * and its driver; NULL: its rates are not kept */
  const GhloDeviceRates     *rates;          /* measured (runtime/rates-cache.h), or guessed by its type; nullable */
  gint                       is_open;        /* atomic; set by open () */
  gint                       lost;           /* atomic; once TRUE, it stays TRUE */
};

/* Returns whether the device works in host memory and has no storage of its own. */
static inline gboolean
ghlo_device_core_is_host (const GhloDeviceCore *self)
{
  return self->memory == NULL;
}

/* Called by the device when it went away. Every later call fails with DEVICE_LOST. */
void          ghlo_device_core_lose     (GhloDeviceCore           *self);
gboolean      ghlo_device_core_is_lost  (const GhloDeviceCore     *self);
/* Returns FALSE with DEVICE_LOST if the device was lost. */
gboolean      ghlo_device_core_check    (const GhloDeviceCore     *self,
                                         GError                  **error);

/* Returns an array of GhloDeviceProperty; transfer full. */
GArray       *ghlo_device_core_list_properties (GhloDeviceCore    *self);
/* For the device's add_properties (). The property takes ownership of @words. */
void          ghlo_device_properties_add_words (GArray            *properties,
                                                const char        *name,
                                                const char        *label,
                                                char             **words);
void          ghlo_device_properties_add_number (GArray           *properties,
                                                 const char       *name,
                                                 const char       *label,
                                                 guint64           number);
void          ghlo_device_properties_add_bytes (GArray            *properties,
                                                const char        *name,
                                                const char        *label,
                                                guint64            bytes);

/* Calls find_step () of the class; NULL for a device that makes no plans. */
static inline const GhloStepImplementation *
ghlo_device_core_find_step (GhloDeviceCore               *self,
                            const GhloIrOp               *op,
                            const GhloStepImplementation *previous)
{
  return self->klass->find_step != NULL ? self->klass->find_step (self, op, previous) : NULL;
}

G_END_DECLS
