/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Allocating storage (device/storage.h) in host memory and in the memories of devices, and copying between them. Host
 * memory counts in the memory of the process.
 */

#pragma once

#include <gio/gio.h>

#include "device/device.h"

G_BEGIN_DECLS

/* Allocates @size bytes of host memory with arbitrary content. Fails with OUT_OF_MEMORY like ghlo_memory_alloc (). */
GhloStorage  *ghlo_storage_new_host (gsize               size,
                                     GError            **error);
/* Wraps host memory that belongs to somebody else; it may be NULL where @size is 0. @release (nullable) is called when
 * the memory is not needed any more. */
GhloStorage  *ghlo_storage_new_lent (gpointer            memory,
                                     gsize               size,
                                     GDestroyNotify      release,
                                     gpointer            data);
/* Allocates @size bytes with arbitrary content in the memory of @device. @kind is a hint, and never HOST: UPLOAD for
 * what the host is about to write, READBACK for what the host may read soon, DEVICE for the rest. Fails if the
 * device is lost. */
GhloStorage  *ghlo_storage_new_on   (GhloDeviceCore     *device,
                                     GhloMemoryKind      kind,
                                     gsize               size,
                                     GError            **error);
/* Returns read-only storage of @device over the bytes of @host, which is in host memory and has been written. It
 * holds a reference to @host until the device has read it for the last time. Returns NULL, at once, where the device
 * cannot read the bytes in place. */
GhloStorage  *ghlo_storage_new_view (GhloDeviceCore     *device,
                                     GhloStorage        *host);
/* Fills storage of a device that nothing has used yet from @from; has finished with that when it returns. */
gboolean      ghlo_storage_upload   (GhloStorage        *self,
                                     gconstpointer       from,
                                     const GhloMonitor  *monitor,
                                     GError            **error);
/* Copies storage of a device to @to; waits until it is written. */
gboolean      ghlo_storage_download (GhloStorage        *self,
                                     gpointer            to,
                                     const GhloMonitor  *monitor,
                                     GError            **error);
/* Copies between two storages of one device, of equal size, after all its runs and copies that were begun before. Sets
 * the fence of @to. */
gboolean      ghlo_storage_copy     (GhloStorage        *from,
                                     GhloStorage        *to,
                                     GError            **error);
/* Returns storage with the same content that the host can read, borrowed from @self: @self where the host can access
 * it, else a copy that is made once and kept. Waits until the content is written. Returns NULL with the error of the
 * writer, or with CANCELLED. */
GhloStorage  *ghlo_storage_fetch    (GhloStorage        *self,
                                     const GhloMonitor  *monitor,
                                     GError            **error);

/* Frees the memory of host storage, or returns it to its owner, where copies in other orders (packed.h) are all that
 * anybody still reads. The address stays, as a number. */
void          ghlo_storage_discard  (GhloStorage        *self);

/* For value.c: initializes owned host storage of @size bytes at @memory; the memory is freed together with the
 * structure by @destroy. */
void          ghlo_storage_init_host (GhloStorage       *self,
                                      gpointer           memory,
                                      gsize              size);
/* For @destroy functions of host storage: releases everything but the structure. */
void          ghlo_storage_clear_host (GhloStorage      *self);

/* Returns the memory that values and programs hold where the device works. For devices that work in host memory this is
 * the host memory that the process holds for any of them. A device that was not opened holds nothing. */
void          ghlo_device_core_measure_memory (GhloDeviceCore     *self,
                                               GhloMemoryUse      *use);
/* Restarts the peak at the current use. */
void          ghlo_device_core_reset_memory_peak (GhloDeviceCore  *self);

G_END_DECLS
