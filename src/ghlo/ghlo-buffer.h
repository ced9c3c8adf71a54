/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Data that programs take as inputs and return as outputs.
 */

#pragma once

#if !defined (GHLO_INSIDE) && !defined (GHLO_COMPILATION)
#error "Only <ghlo/ghlo.h> can be included directly."
#endif

#include <gio/gio.h>

#include "ghlo-device.h"
#include "ghlo-tensor-type.h"

G_BEGIN_DECLS

#define GHLO_TYPE_BUFFER (ghlo_buffer_get_type ())

GHLO_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (GhloBuffer, ghlo_buffer, GHLO, BUFFER, GObject)

GHLO_AVAILABLE_IN_1_0
GhloBuffer          *ghlo_buffer_new_from_bytes         (GhloTensorType       *tensor_type,
                                                         GBytes               *bytes,
                                                         GError              **error) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
GhloBuffer          *ghlo_buffer_new_from_bytes_strided (GhloTensorType       *tensor_type,
                                                         GBytes               *bytes,
                                                         const gint64         *byte_strides,
                                                         gsize                 n_byte_strides,
                                                         GError              **error) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
GhloBuffer          *ghlo_buffer_new_from_address       (GhloTensorType       *tensor_type,
                                                         guintptr              address,
                                                         const gint64         *byte_strides,
                                                         gsize                 n_byte_strides,
                                                         GDestroyNotify        release,
                                                         gpointer              user_data,
                                                         GError              **error) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
GhloBuffer          *ghlo_buffer_new_from_owner         (GhloTensorType       *tensor_type,
                                                         guintptr              address,
                                                         const gint64         *byte_strides,
                                                         gsize                 n_byte_strides,
                                                         GObject              *owner,
                                                         GError              **error) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
GhloBuffer          *ghlo_buffer_new_token              (void) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
GhloBuffer          *ghlo_buffer_new_tuple              (GhloBuffer * const   *members,
                                                         gsize                 n_members,
                                                         GError              **error) G_GNUC_WARN_UNUSED_RESULT;

GHLO_AVAILABLE_IN_1_0
GhloBuffer          *ghlo_buffer_new_zeros              (GhloTensorType       *tensor_type,
                                                         GError              **error) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
GhloBuffer          *ghlo_buffer_new_from_doubles       (GhloTensorType       *tensor_type,
                                                         const double         *numbers,
                                                         gsize                 n_numbers,
                                                         GError              **error) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
GhloBuffer          *ghlo_buffer_new_from_int64s        (GhloTensorType       *tensor_type,
                                                         const gint64         *numbers,
                                                         gsize                 n_numbers,
                                                         GError              **error) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
double              *ghlo_buffer_get_doubles            (GhloBuffer           *self,
                                                         gsize                *n_numbers,
                                                         GError              **error) G_GNUC_WARN_UNUSED_RESULT;

GHLO_AVAILABLE_IN_1_0
GhloBuffer          *ghlo_buffer_load                   (GFile                *file,
                                                         GhloTensorType       *tensor_type,
                                                         GCancellable         *cancellable,
                                                         GError              **error) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
void                 ghlo_buffer_load_async             (GFile                *file,
                                                         GhloTensorType       *tensor_type,
                                                         GCancellable         *cancellable,
                                                         GAsyncReadyCallback   callback,
                                                         gpointer              user_data);
GHLO_AVAILABLE_IN_1_0
GhloBuffer          *ghlo_buffer_load_finish            (GAsyncResult         *result,
                                                         GError              **error) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
gboolean             ghlo_buffer_save                   (GhloBuffer           *self,
                                                         GFile                *file,
                                                         GCancellable         *cancellable,
                                                         GError              **error);
GHLO_AVAILABLE_IN_1_0
void                 ghlo_buffer_save_async             (GhloBuffer           *self,
                                                         GFile                *file,
                                                         GCancellable         *cancellable,
                                                         GAsyncReadyCallback   callback,
                                                         gpointer              user_data);
GHLO_AVAILABLE_IN_1_0
gboolean             ghlo_buffer_save_finish            (GhloBuffer           *self,
                                                         GAsyncResult         *result,
                                                         GError              **error);

GHLO_AVAILABLE_IN_1_0
GhloBuffer          *ghlo_buffer_copy_to_device         (GhloBuffer           *self,
                                                         GhloDevice           *device,
                                                         GCancellable         *cancellable,
                                                         GError              **error) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
void                 ghlo_buffer_copy_to_device_async   (GhloBuffer           *self,
                                                         GhloDevice           *device,
                                                         GCancellable         *cancellable,
                                                         GAsyncReadyCallback   callback,
                                                         gpointer              user_data);
GHLO_AVAILABLE_IN_1_0
GhloBuffer          *ghlo_buffer_copy_to_device_finish  (GhloBuffer           *self,
                                                         GAsyncResult         *result,
                                                         GError              **error) G_GNUC_WARN_UNUSED_RESULT;

GHLO_AVAILABLE_IN_1_0
GhloValueKind        ghlo_buffer_get_kind               (GhloBuffer           *self);
GHLO_AVAILABLE_IN_1_0
GhloTensorType      *ghlo_buffer_get_tensor_type        (GhloBuffer           *self);
GHLO_AVAILABLE_IN_1_0
GhloDevice          *ghlo_buffer_get_device             (GhloBuffer           *self);
GHLO_AVAILABLE_IN_1_0
guint64              ghlo_buffer_get_size               (GhloBuffer           *self);
GHLO_AVAILABLE_IN_1_0
GhloBuffer * const  *ghlo_buffer_get_members            (GhloBuffer           *self,
                                                         gsize                *n_members);

GHLO_AVAILABLE_IN_1_0
GBytes              *ghlo_buffer_read                   (GhloBuffer           *self,
                                                         GCancellable         *cancellable,
                                                         GError              **error) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
void                 ghlo_buffer_read_async             (GhloBuffer           *self,
                                                         GCancellable         *cancellable,
                                                         GAsyncReadyCallback   callback,
                                                         gpointer              user_data);
GHLO_AVAILABLE_IN_1_0
GBytes              *ghlo_buffer_read_finish            (GhloBuffer           *self,
                                                         GAsyncResult         *result,
                                                         GError              **error) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
GBytes              *ghlo_buffer_get_host_bytes         (GhloBuffer           *self) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
guintptr             ghlo_buffer_get_address            (GhloBuffer           *self);
GHLO_AVAILABLE_IN_1_0
guintptr             ghlo_buffer_export_dlpack          (GhloBuffer           *self,
                                                         gboolean              versioned,
                                                         GError              **error) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
void                 ghlo_buffer_release                (GhloBuffer           *self);

G_END_DECLS
