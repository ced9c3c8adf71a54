/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A device that programs run on.
 */

#pragma once

#if !defined (GHLO_INSIDE) && !defined (GHLO_COMPILATION)
#error "Only <ghlo/ghlo.h> can be included directly."
#endif

#include "ghlo-enums.h"

G_BEGIN_DECLS

#define GHLO_TYPE_DEVICE (ghlo_device_get_type ())

GHLO_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (GhloDevice, ghlo_device, GHLO, DEVICE, GObject)

GHLO_AVAILABLE_IN_1_0
const char         *ghlo_device_get_name     (GhloDevice *self);
GHLO_AVAILABLE_IN_1_0
GhloDeviceKind      ghlo_device_get_kind     (GhloDevice *self);
GHLO_AVAILABLE_IN_1_0
const char         *ghlo_device_get_driver   (GhloDevice *self);
GHLO_AVAILABLE_IN_1_0
guint64             ghlo_device_get_memory   (GhloDevice *self);
GHLO_AVAILABLE_IN_1_0
guint64             ghlo_device_get_memory_used (GhloDevice *self);
GHLO_AVAILABLE_IN_1_0
guint64             ghlo_device_get_memory_peak (GhloDevice *self);
GHLO_AVAILABLE_IN_1_0
const char * const *ghlo_device_get_features (GhloDevice *self);
GHLO_AVAILABLE_IN_1_0
const char         *ghlo_device_get_model    (GhloDevice *self);
GHLO_AVAILABLE_IN_1_0
const char         *ghlo_device_get_vector_level (GhloDevice *self);
GHLO_AVAILABLE_IN_1_0
gboolean            ghlo_device_is_lost      (GhloDevice *self);
GHLO_AVAILABLE_IN_1_0
gboolean            ghlo_device_equal        (gconstpointer a,
                                              gconstpointer b);
GHLO_AVAILABLE_IN_1_0
guint               ghlo_device_hash         (gconstpointer device);

G_END_DECLS
