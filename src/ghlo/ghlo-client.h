/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The entry point for applications: finds devices and compiles programs.
 */

#pragma once

#if !defined (GHLO_INSIDE) && !defined (GHLO_COMPILATION)
#error "Only <ghlo/ghlo.h> can be included directly."
#endif

#include "ghlo-compile-options.h"
#include "ghlo-custom-call.h"
#include "ghlo-executable.h"
#include "ghlo-progress.h"

G_BEGIN_DECLS

#define GHLO_TYPE_CLIENT (ghlo_client_get_type ())

GHLO_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (GhloClient, ghlo_client, GHLO, CLIENT, GObject)

GHLO_AVAILABLE_IN_1_0
GhloClient     *ghlo_client_new                 (void) G_GNUC_WARN_UNUSED_RESULT;

GHLO_AVAILABLE_IN_1_0
guint           ghlo_client_get_max_threads     (GhloClient           *self);
GHLO_AVAILABLE_IN_1_0
void            ghlo_client_set_max_threads     (GhloClient           *self,
                                                 guint                 max_threads);

GHLO_AVAILABLE_IN_1_0
gboolean        ghlo_client_register_custom_call   (GhloClient             *self,
                                                    const char             *target,
                                                    GhloCustomCallFunction  function,
                                                    gpointer                user_data,
                                                    GDestroyNotify          destroy,
                                                    GMainContext           *context,
                                                    GError                **error);
GHLO_AVAILABLE_IN_1_0
gboolean        ghlo_client_unregister_custom_call (GhloClient             *self,
                                                    const char             *target,
                                                    GError                **error);

GHLO_AVAILABLE_IN_1_0
gboolean        ghlo_shut_down                     (guint                   timeout);

GHLO_AVAILABLE_IN_1_0
GListModel     *ghlo_client_list_devices        (GhloClient           *self,
                                                 GCancellable         *cancellable,
                                                 GError              **error) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
void            ghlo_client_list_devices_async  (GhloClient           *self,
                                                 GCancellable         *cancellable,
                                                 GAsyncReadyCallback   callback,
                                                 gpointer              user_data);
GHLO_AVAILABLE_IN_1_0
GListModel     *ghlo_client_list_devices_finish (GhloClient           *self,
                                                 GAsyncResult         *result,
                                                 GError              **error) G_GNUC_WARN_UNUSED_RESULT;

GHLO_AVAILABLE_IN_1_0
GhloExecutable *ghlo_client_compile             (GhloClient           *self,
                                                 GhloProgram          *program,
                                                 GhloCompileOptions   *options,
                                                 GhloProgress         *progress,
                                                 GCancellable         *cancellable,
                                                 GError              **error) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
void            ghlo_client_compile_async       (GhloClient           *self,
                                                 GhloProgram          *program,
                                                 GhloCompileOptions   *options,
                                                 GhloProgress         *progress,
                                                 GCancellable         *cancellable,
                                                 GAsyncReadyCallback   callback,
                                                 gpointer              user_data);
GHLO_AVAILABLE_IN_1_0
GhloExecutable *ghlo_client_compile_finish      (GhloClient           *self,
                                                 GAsyncResult         *result,
                                                 GError              **error) G_GNUC_WARN_UNUSED_RESULT;

GHLO_AVAILABLE_IN_1_0
GhloExecutable *ghlo_client_load_executable        (GhloClient           *self,
                                                    GBytes               *bytes,
                                                    GhloLoadFlags         flags,
                                                    GCancellable         *cancellable,
                                                    GError              **error) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
void            ghlo_client_load_executable_async  (GhloClient           *self,
                                                    GBytes               *bytes,
                                                    GhloLoadFlags         flags,
                                                    GCancellable         *cancellable,
                                                    GAsyncReadyCallback   callback,
                                                    gpointer              user_data);
GHLO_AVAILABLE_IN_1_0
GhloExecutable *ghlo_client_load_executable_finish (GhloClient           *self,
                                                    GAsyncResult         *result,
                                                    GError              **error) G_GNUC_WARN_UNUSED_RESULT;

GHLO_AVAILABLE_IN_1_0
GhloStatistics *ghlo_client_get_statistics         (GhloClient           *self) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
void            ghlo_client_trim                   (GhloClient           *self);

G_END_DECLS
