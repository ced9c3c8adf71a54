/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A compiled program as workers know it: immutable, counted atomically, run by any
 * number of threads at once.
 */

#pragma once

#include "base/monitor.h"
#include "ghlo-compile-options-private.h"
#include "ghlo-device-private.h"
#include "ghlo-runnable-private.h"
#include "ghlo-statistics-private.h"
#include "ghlo-timing.h"
#include "ir/module.h"

G_BEGIN_DECLS

/* What is compiled: all four are owned but the device's core, which nobody frees. */
typedef struct
{
  GhloIrModule          *module;
  GhloDeviceCore        *device;
  GhloSettings          *settings;
  GhloCounters          *counters;     /* the client's */
} GhloCompileRequest;

typedef struct
{
  gatomicrefcount        ref_count;
  GhloIrModule          *module;       /* as it was written: what people see of the program */
  GhloIrOp              *function;     /* of module */
  const GhloIrType      *type;         /* of function */
  GhloDeviceCore        *device;
  GhloRunnable          *runnable;     /* what runs */
  GhloSettings          *settings;
  GhloCounters          *counters;         /* of this program alone */
  GhloCounters          *client_counters;
} GhloCompiled;

/* What one run gave. */
typedef struct
{
  GPtrArray  *outputs;                 /* of GhloValue, owned */
  GhloTiming *timing;
} GhloOutcome;

/* Takes references to what @request has. */
GhloCompiled *ghlo_compiled_new          (const GhloCompileRequest  *request,
                                          const GhloMonitor         *monitor,
                                          GError                   **error);
void          ghlo_compile_request_clear (GhloCompileRequest        *request);
GhloCompiled *ghlo_compiled_ref          (GhloCompiled          *self);
void          ghlo_compiled_unref        (GhloCompiled          *self);

/* Whether @value is what the program takes as input @index; INVALID_ARGUMENT says
 * what it takes. Gives a new reference, to another view of the same memory where
 * the program calls stored numbers quantized. */
GhloValue    *ghlo_compiled_accept_input (GhloCompiled          *self,
                                          guint                  index,
                                          GhloValue             *value,
                                          GError               **error);
/* Whether some value of output @output can be input @input; INVALID_ARGUMENT names
 * both and their types. Sizes that the program leaves open are for the run to check. */
gboolean      ghlo_compiled_check_carry  (GhloCompiled          *self,
                                          guint                  output,
                                          guint                  input,
                                          GError               **error);
/* Every input was accepted. Outputs have memory of their own, or, as @options (nullable, less
 * fallback_time) allows, that of an input which the caller then gives up, or what the caller
 * brought; in that an output always is, though its value may be another. INVALID_ARGUMENT when
 * it does not fit there. */
GhloOutcome  *ghlo_compiled_run          (GhloCompiled          *self,
                                          GhloValue *const      *inputs,
                                          const GhloRunOptions  *options,
                                          const GhloMonitor     *monitor,
                                          GError               **error);

/* A value like @value with memory that nobody else has. */
GhloValue    *ghlo_compiled_copy_value   (GhloValue             *value,
                                          GError               **error);

/* A serialized program, whose bytes @request is filled from, less the counters:
 * DATA for what is none, DEVICE when there is no device of its kind. */
GBytes       *ghlo_compiled_serialize    (const GhloCompiled    *self,
                                          const GhloMonitor     *monitor,
                                          GError               **error);
gboolean      ghlo_compile_request_read  (GhloCompileRequest    *request,
                                          GBytes                *bytes,
                                          const GhloMonitor     *monitor,
                                          GError               **error);

void          ghlo_outcome_free          (GhloOutcome           *self);

G_END_DECLS
