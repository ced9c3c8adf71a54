/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The options with which a client is created: named values, which users of JAX set with the configuration
 * jax_pjrt_client_create_options.
 */

#pragma once

#include <glib.h>

#include "pjrt/abi.h"

G_BEGIN_DECLS

/* Limited since each of the PJRT devices that share a device needs a thread, where the partitions of a program wait
 * for each other. */
enum { GHLO_PJRT_MAX_DEVICES = 256 };

typedef struct
{
  char  *device;        /* owned: "cpu", "vulkan:1" (JAX: vulkan.1); NULL: chosen by the plugin */
  guint  n_devices;     /* the number of PJRT devices that share the device */
} GhloPjrtOptions;

#define GHLO_PJRT_OPTIONS_INIT { NULL, 1 }

/* Reads the options. Unknown names are options of other plugins and are ignored. */
gboolean ghlo_pjrt_options_read  (GhloPjrtOptions        *self,
                                  const PJRT_NamedValue  *values,
                                  gsize                   n_values,
                                  GError                **error);
void     ghlo_pjrt_options_clear (GhloPjrtOptions        *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GhloPjrtOptions, ghlo_pjrt_options_clear)

G_END_DECLS
