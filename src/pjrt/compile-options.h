/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a compile is asked for: xla.CompileOptionsProto (xla/pjrt/proto/compile_options.proto) in protobuf's encoding,
 * of which we read what concerns us.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gint64  n_replicas, n_partitions;     /* at least 1 */
  gint64 *device_ids;                   /* owned; n_replicas × n_partitions, partitions of a replica beside each
                                           other; NULL: the first ones */
  gboolean is_portable;                 /* runs on whatever device an execution names */
} GhloPjrtCompileOptions;

#define GHLO_PJRT_COMPILE_OPTIONS_INIT { 1, 1, NULL, FALSE }

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

/* Messages in protobuf's encoding, field by field: bare numbers, as packed lists have them; a field that is a number;
 * one that is a message, or such a list. */
void     ghlo_pjrt_append_varint         (GByteArray              *bytes,
                                          guint64                  value);
void     ghlo_pjrt_append_number         (GByteArray              *bytes,
                                          guint                    field,
                                          guint64                  value);
void     ghlo_pjrt_append_message        (GByteArray              *bytes,
                                          guint                    field,
                                          const GByteArray        *message);

G_END_DECLS
