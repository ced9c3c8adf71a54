/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An executable with inputs that are bound once and outputs that are carried over
 * to the next run.
 */

#pragma once

#if !defined (GHLO_INSIDE) && !defined (GHLO_COMPILATION)
#error "Only <ghlo/ghlo.h> can be included directly."
#endif

#include "ghlo-executable.h"
#include "ghlo-progress.h"

G_BEGIN_DECLS

#define GHLO_TYPE_SESSION (ghlo_session_get_type ())

GHLO_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (GhloSession, ghlo_session, GHLO, SESSION, GObject)

GHLO_AVAILABLE_IN_1_0
GhloSession     *ghlo_session_new               (GhloExecutable       *executable) G_GNUC_WARN_UNUSED_RESULT;

GHLO_AVAILABLE_IN_1_0
GhloExecutable  *ghlo_session_get_executable    (GhloSession          *self);
GHLO_AVAILABLE_IN_1_0
GhloProgress    *ghlo_session_get_progress      (GhloSession          *self);
GHLO_AVAILABLE_IN_1_0
void             ghlo_session_set_progress      (GhloSession          *self,
                                                 GhloProgress         *progress);
GHLO_AVAILABLE_IN_1_0
gboolean         ghlo_session_get_profile       (GhloSession          *self);
GHLO_AVAILABLE_IN_1_0
void             ghlo_session_set_profile       (GhloSession          *self,
                                                 gboolean              profile);
GHLO_AVAILABLE_IN_1_0
guint            ghlo_session_get_pending       (GhloSession          *self);

GHLO_AVAILABLE_IN_1_0
gboolean         ghlo_session_bind_input        (GhloSession          *self,
                                                 guint                 input,
                                                 GhloBuffer           *buffer,
                                                 GError              **error);
GHLO_AVAILABLE_IN_1_0
gboolean         ghlo_session_bind_input_by_name (GhloSession         *self,
                                                 const char           *name,
                                                 GhloBuffer           *buffer,
                                                 GError              **error);
GHLO_AVAILABLE_IN_1_0
GhloValueInfo  **ghlo_session_list_inputs       (GhloSession          *self) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
gboolean         ghlo_session_bind_output       (GhloSession          *self,
                                                 guint                 output,
                                                 guintptr              address,
                                                 gsize                 size,
                                                 GDestroyNotify        release,
                                                 gpointer              user_data,
                                                 GError              **error);
GHLO_AVAILABLE_IN_1_0
gboolean         ghlo_session_bind_owned_output (GhloSession          *self,
                                                 guint                 output,
                                                 guintptr              address,
                                                 gsize                 size,
                                                 GObject              *owner,
                                                 GError              **error);
GHLO_AVAILABLE_IN_1_0
gboolean         ghlo_session_unbind_output     (GhloSession          *self,
                                                 guint                 output,
                                                 GError              **error);
GHLO_AVAILABLE_IN_1_0
gboolean         ghlo_session_carry             (GhloSession          *self,
                                                 guint                 output,
                                                 guint                 input,
                                                 GhloBuffer           *initial,
                                                 GError              **error);
GHLO_AVAILABLE_IN_1_0
gboolean         ghlo_session_carry_all         (GhloSession          *self,
                                                 GhloBuffer * const   *initial,
                                                 gsize                 n_initial,
                                                 GError              **error);
GHLO_AVAILABLE_IN_1_0
gboolean         ghlo_session_reset             (GhloSession          *self,
                                                 GError              **error);

GHLO_AVAILABLE_IN_1_0
GhloResult      *ghlo_session_run               (GhloSession          *self,
                                                 GhloBuffer * const   *inputs,
                                                 gsize                 n_inputs,
                                                 GCancellable         *cancellable,
                                                 GError              **error) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
void             ghlo_session_run_async         (GhloSession          *self,
                                                 GhloBuffer * const   *inputs,
                                                 gsize                 n_inputs,
                                                 GCancellable         *cancellable,
                                                 GAsyncReadyCallback   callback,
                                                 gpointer              user_data);
GHLO_AVAILABLE_IN_1_0
GhloResult      *ghlo_session_run_finish        (GhloSession          *self,
                                                 GAsyncResult         *result,
                                                 GError              **error) G_GNUC_WARN_UNUSED_RESULT;

GHLO_AVAILABLE_IN_1_0
GhloBuffer      *ghlo_session_copy_state        (GhloSession          *self,
                                                 guint                 input,
                                                 GCancellable         *cancellable,
                                                 GError              **error) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
void             ghlo_session_copy_state_async  (GhloSession          *self,
                                                 guint                 input,
                                                 GCancellable         *cancellable,
                                                 GAsyncReadyCallback   callback,
                                                 gpointer              user_data);
GHLO_AVAILABLE_IN_1_0
GhloBuffer      *ghlo_session_copy_state_finish (GhloSession          *self,
                                                 GAsyncResult         *result,
                                                 GError              **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
