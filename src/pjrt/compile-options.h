/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The options of a compile: the relevant part of xla.CompileOptionsProto (xla/pjrt/proto/compile_options.proto),
 * which arrives in protobuf's encoding.
 */

#pragma once

#include "base/ghlo-enums.h"
#include "pjrt/options/protobuf.h"

G_BEGIN_DECLS

typedef struct
{
  gint64  n_replicas, n_partitions;     /* at least 1 */
  gint64 *device_ids;                   /* owned; n_replicas × n_partitions, the partitions of a replica next to each
                                           other; NULL: the first devices */
  gboolean is_portable;                 /* may run on any device that an execution names */
  gint64   optimization_level;          /* a GhloOptimizationLevel; -1, here and in the next field, means the default */
  gint64   excess_precision;            /* a boolean */
} GhloPjrtCompileOptions;

#define GHLO_PJRT_COMPILE_OPTIONS_INIT { 1, 1, NULL, FALSE, -1, -1 }

/* Sets INVALID_ARGUMENT when the bytes are not such a message, or ask for more than @max_devices. */
gboolean ghlo_pjrt_compile_options_read  (GhloPjrtCompileOptions  *self,
                                          const char              *data,
                                          gsize                    size,
                                          gsize                    max_devices,
                                          GError                 **error);
void     ghlo_pjrt_compile_options_clear (GhloPjrtCompileOptions  *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GhloPjrtCompileOptions, ghlo_pjrt_compile_options_clear)

/* Returns the device assignment as a serialized xla.DeviceAssignmentProto. */
GBytes *ghlo_pjrt_device_assignment_write (const GhloPjrtCompileOptions *options);

/* options/overrides.c: reads an entry of CompileOptionsProto's map env_option_overrides. Returns FALSE with @error set
 * for a name that cannot be XLA's or a value that is invalid for its option, and FALSE without an error when @entry is
 * malformed. */
gboolean ghlo_pjrt_override_read (GhloPjrtCompileOptions  *options,
                                  GhloPjrtCursor           entry,
                                  GError                 **error);

G_END_DECLS
