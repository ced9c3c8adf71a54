/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PJRT's executables: compiled programs together with the devices on which they run.
 */

#pragma once

#include "compiler/executable-core.h"
#include "pjrt/client.h"
#include "pjrt/compile-options.h"
#include "pjrt/layouts.h"
#include "pjrt/sharding/sharding.h"

G_BEGIN_DECLS

/* 32 digits, and a NUL. */
enum { GHLO_PJRT_FINGERPRINT_SIZE = 33 };

/* The object behind both of PJRT's handles to a program. Immutable, except for fields that are atomic or guarded. */
struct PJRT_Executable
{
  gatomicrefcount         ref_count;
  PJRT_Client            *client;       /* owned, as are all pointers below */
  GhloExecutableCore     *core;
  GhloPjrtCompileOptions  options;
  GBytes                 *option_bytes; /* as passed by the caller */
  char                    fingerprint[GHLO_PJRT_FINGERPRINT_SIZE];      /* of the program, the options, the device
                                                                           and the version */
  PJRT_NamedValue        *costs;        /* computed on first request; atomic */
  PJRT_Device           **devices;      /* n_devices entries, in the order of the assignment */
  guint                   n_devices;
  guint                   n_inputs, n_outputs;
  GhloPjrtSharding      **shardings;    /* by input and then by output; NULL when the program runs on one device */
  guint                   n_shardings;
  const char            **sharding_bytes;       /* serialized forms of the shardings, for callers, as is the next;
                                                   both have one more entry than there are shardings */
  gsize                  *sharding_sizes;
  guint                   n_manual;     /* the number of computations that each partition does by itself (manual
                                           computations) */
  guint                   n_stacked;    /* the number of outputs that are stacks of addends (partition/unreduced.h) */
  PJRT_Buffer_Type       *output_types;         /* by output, as the next */
  gsize                  *output_ranks;
  gint64                 *output_dimensions;    /* of all outputs, concatenated */
  guint                  *memories;             /* memory kinds, by input and then by output, as the next two */
  const char            **memory_kinds;
  gsize                  *memory_kind_sizes;
  PJRT_LogicalDeviceIds  *logical_ids;          /* of the devices */
  PJRT_Layouts_MemoryLayout **layouts;          /* by input and then by output; owned with its members; callers get
                                                   them without a reference */
  guint                   n_layouts;
  gboolean                is_laid_out;          /* some layouts are not row-major */
  GhloTensorType        **types;                /* of the part of each tensor that one device holds, by input and
                                                   then by output */
  gboolean               *is_token;             /* by input and then by output: a token of the program, in place of
                                                   which callers have a tensor without elements */
  guint                  *donated_inputs;       /* as in GhloRunOptions */
  gboolean               *is_donated;           /* by input: whether a run may take its memory */
  gboolean                donates;              /* whether any input is donated */
  gboolean                calls_host;           /* whether the program calls functions of the application */
  double                  seconds;              /* the estimated time of one execution; infinite when unknown */
  gint                    took;                 /* µs that the last execution took, initially G_MAXINT; atomic */
  GhloWaitStreak               streak;                /* guarded by the lock of the client's history */
};

struct PJRT_LoadedExecutable
{
  PJRT_Executable *executable;          /* owned */
  gint             is_deleted;          /* atomic */
};

/* The first of two steps of a compile: creates an executable without a program. @options is a serialized
 * CompileOptionsProto. */
PJRT_Executable *ghlo_pjrt_executable_new     (PJRT_Client         *client,
                                               gconstpointer        options,
                                               gsize                options_size,
                                               GError             **error);
/* The second step: compiles @module. @settings (nullable) replaces the default settings. */
gboolean         ghlo_pjrt_executable_compile (PJRT_Executable     *self,
                                               GhloIrModule        *module,
                                               GhloSettings        *settings,
                                               GError             **error);
/* Returns the type that callers see in place of @type: for a token, a tensor without elements. */
GhloTensorType  *ghlo_pjrt_external_type      (const GhloIrType    *type,
                                               GError             **error);
/* Called before the compile when there are several devices: decides how the inputs and outputs of @request's program
 * are sharded, and takes out the computations that each device does by itself. *@have_effects becomes TRUE when one
 * of those has side effects in the application. */
gboolean         ghlo_pjrt_executable_partition (PJRT_Executable   *self,
                                               GhloCompileRequest  *request,
                                               gboolean            *have_effects,
                                               GError             **error);
void             ghlo_pjrt_executable_clear_partition (PJRT_Executable *self);
/* Called after partitioning: decides the layouts of inputs and outputs, and changes @module's entry to take and
 * return tensors in these layouts. */
gboolean         ghlo_pjrt_executable_lay_out (PJRT_Executable     *self,
                                               GhloIrModule        *module,
                                               GError             **error);
/* Creates a handle that takes over the reference to @self. */
PJRT_LoadedExecutable *ghlo_pjrt_loaded_executable_new (PJRT_Executable *self);
PJRT_Executable *ghlo_pjrt_executable_ref     (PJRT_Executable     *self);
void             ghlo_pjrt_executable_unref   (PJRT_Executable     *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PJRT_Executable, ghlo_pjrt_executable_unref)

void             ghlo_pjrt_executable_add_functions        (PJRT_Api *api);
void             ghlo_pjrt_loaded_executable_add_functions (PJRT_Api *api);
void             ghlo_pjrt_compile_add_functions           (PJRT_Api *api);
void             ghlo_pjrt_execute_add_functions           (PJRT_Api *api);
void             ghlo_pjrt_cost_add_functions              (PJRT_Api *api);
void             ghlo_pjrt_serialize_add_functions         (PJRT_Api *api);

G_END_DECLS
