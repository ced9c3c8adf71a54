/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a client is created with: named values, as people give them to JAX with the configuration
 * jax_pjrt_client_create_options.
 */

#pragma once

#include <glib.h>

#include "pjrt/abi.h"

G_BEGIN_DECLS

/* Devices that are one need a thread each where a program's parts wait for each other. */
enum { GHLO_PJRT_MAX_DEVICES = 256 };

typedef struct
{
  char  *device;        /* owned: "cpu", "vulkan:1"; NULL: our choice */
  guint  n_devices;     /* how many of PJRT's devices it is */
} GhloPjrtOptions;

#define GHLO_PJRT_OPTIONS_INIT { NULL, 1 }

/* Names that nobody knows are those of other plugins, and passed over. */
gboolean ghlo_pjrt_options_read  (GhloPjrtOptions        *self,
                                  const PJRT_NamedValue  *values,
                                  gsize                   n_values,
                                  GError                **error);
void     ghlo_pjrt_options_clear (GhloPjrtOptions        *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GhloPjrtOptions, ghlo_pjrt_options_clear)

G_END_DECLS
