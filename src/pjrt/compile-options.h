/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a compile is asked for: xla.CompileOptionsProto (xla/pjrt/proto/compile_options.proto) in protobuf's encoding,
 * of which we read what concerns us.
 */

#pragma once

#include "base/ghlo-enums.h"
#include "pjrt/options/protobuf.h"

G_BEGIN_DECLS

typedef struct
{
  gint64  n_replicas, n_partitions;     /* at least 1 */
  gint64 *device_ids;                   /* owned; n_replicas × n_partitions, partitions of a replica beside each
                                           other; NULL: the first ones */
  gboolean is_portable;                 /* runs on whatever device an execution names */
  gint64   optimization_level;          /* a GhloOptimizationLevel; -1, as the next: the default one */
  gint64   excess_precision;            /* a boolean */
} GhloPjrtCompileOptions;

#define GHLO_PJRT_COMPILE_OPTIONS_INIT { 1, 1, NULL, FALSE, -1, -1 }

/* INVALID_ARGUMENT for what is no such message, or asks for more than @max_devices. */
gboolean ghlo_pjrt_compile_options_read  (GhloPjrtCompileOptions  *self,
                                          const char              *data,
                                          gsize                    size,
                                          gsize                    max_devices,
                                          GError                 **error);
void     ghlo_pjrt_compile_options_clear (GhloPjrtCompileOptions  *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GhloPjrtCompileOptions, ghlo_pjrt_compile_options_clear)

/* xla.DeviceAssignmentProto of them. */
GBytes  *ghlo_pjrt_device_assignment_write (const GhloPjrtCompileOptions *options);

G_END_DECLS
