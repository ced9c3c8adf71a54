/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PJRT's executables: programs that were compiled, with the devices on which they run.
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

/* What both handles that PJRT has of a program refer to. Does not change, but for what is atomic or guarded. */
struct PJRT_Executable
{
  gatomicrefcount         ref_count;
  PJRT_Client            *client;       /* owned, as all of the next */
  GhloExecutableCore     *core;
  GhloPjrtCompileOptions  options;
  GBytes                 *option_bytes; /* as they came */
  char                    fingerprint[GHLO_PJRT_FINGERPRINT_SIZE];      /* of program, options, device and version */
  PJRT_NamedValue        *costs;        /* once somebody asks; atomic */
  PJRT_Device           **devices;      /* n_devices of them, in the order of the assignment */
  guint                   n_devices;
  guint                   n_inputs, n_outputs;
  GhloPjrtSharding      **shardings;    /* by input and then by output; NULL: it runs on one device */
  guint                   n_shardings;
  const char            **sharding_bytes;       /* of these, for callers; as the next; one more than there are */
  gsize                  *sharding_sizes;
  guint                   n_manual;     /* computations that each partition does by itself */
  guint                   n_stacked;    /* outputs that are stacks of addends */
  PJRT_Buffer_Type       *output_types;         /* by output, as the next */
  gsize                  *output_ranks;
  gint64                 *output_dimensions;    /* of all outputs, one after the other */
  guint                  *memories;             /* kinds, by input and then by output, as the next two */
  const char            **memory_kinds;
  gsize                  *memory_kind_sizes;
  PJRT_LogicalDeviceIds  *logical_ids;          /* of the devices */
  PJRT_Layouts_MemoryLayout **layouts;          /* by input and then by output; with its members, which callers do not
                                                   free */
  guint                   n_layouts;
  gboolean                is_laid_out;          /* some are not by rows */
  GhloTensorType        **types;                /* of what a device holds, by input and then by output */
  gboolean               *is_token;             /* of a program's token callers have a tensor without elements */
  guint                  *replaced;             /* as in GhloRunOptions */
  gboolean               *is_donated;           /* by input: a run may take its memory */
  gboolean                donates;              /* any of them */
  gboolean                calls_host;           /* functions of the caller's */
  double                  seconds;              /* that an execution is estimated to take; infinite: nobody knows */
  gint                    took;                 /* µs of the last one, at first G_MAXINT; atomic */
  GhloWaitStreak               streak;                /* guarded by the client's history */
};

struct PJRT_LoadedExecutable
{
  PJRT_Executable *executable;          /* owned */
  gint             is_deleted;          /* atomic */
};

/* In two steps, without a program yet: for @options, a CompileOptionsProto. */
PJRT_Executable *ghlo_pjrt_executable_new     (PJRT_Client         *client,
                                               gconstpointer        options,
                                               gsize                options_size,
                                               GError             **error);
/* @settings (nullable): other than the default ones. */
gboolean         ghlo_pjrt_executable_compile (PJRT_Executable     *self,
                                               GhloIrModule        *module,
                                               GhloSettings        *settings,
                                               GError             **error);
/* What callers have in place of a value of @type: of a token a tensor without elements. */
GhloTensorType  *ghlo_pjrt_type_at_border     (const GhloIrType    *type,
                                               GError             **error);
/* Before the compile: how inputs and outputs of @request's program lie over the devices, of which there are several,
 * and what each does by itself. *@have_effects becomes TRUE where that calls the application for its effects. */
gboolean         ghlo_pjrt_executable_partition (PJRT_Executable   *self,
                                               GhloCompileRequest  *request,
                                               gboolean            *have_effects,
                                               GError             **error);
void             ghlo_pjrt_executable_clear_partition (PJRT_Executable *self);
/* After that: in which layouts. @module's entry takes and gives what lies so. */
gboolean         ghlo_pjrt_executable_lay_out (PJRT_Executable     *self,
                                               GhloIrModule        *module,
                                               GError             **error);
/* A handle that takes over the reference to @self. */
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
