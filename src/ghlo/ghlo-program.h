/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A parsed and verified program.
 */

#pragma once

#if !defined (GHLO_INSIDE) && !defined (GHLO_COMPILATION)
#error "Only <ghlo/ghlo.h> can be included directly."
#endif

#include <gio/gio.h>

#include "ghlo-diagnostic.h"
#include "ghlo-value-info.h"

G_BEGIN_DECLS

#define GHLO_TYPE_PROGRAM (ghlo_program_get_type ())

GHLO_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (GhloProgram, ghlo_program, GHLO, PROGRAM, GObject)

GHLO_AVAILABLE_IN_1_0
GhloProgram    *ghlo_program_load           (GFile                *file,
                                             GCancellable         *cancellable,
                                             GError              **error) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
void            ghlo_program_load_async     (GFile                *file,
                                             GCancellable         *cancellable,
                                             GAsyncReadyCallback   callback,
                                             gpointer              user_data);
GHLO_AVAILABLE_IN_1_0
GhloProgram    *ghlo_program_load_finish    (GAsyncResult         *result,
                                             GError              **error) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
GhloProgram    *ghlo_program_parse          (GBytes               *bytes,
                                             const char           *name,
                                             GCancellable         *cancellable,
                                             GError              **error) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
void            ghlo_program_parse_async    (GBytes               *bytes,
                                             const char           *name,
                                             GCancellable         *cancellable,
                                             GAsyncReadyCallback   callback,
                                             gpointer              user_data);
GHLO_AVAILABLE_IN_1_0
GhloProgram    *ghlo_program_parse_finish   (GAsyncResult         *result,
                                             GError              **error) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
GListModel     *ghlo_program_check          (GBytes               *bytes,
                                             const char           *name,
                                             GCancellable         *cancellable,
                                             GError              **error) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
void            ghlo_program_check_async    (GBytes               *bytes,
                                             const char           *name,
                                             GCancellable         *cancellable,
                                             GAsyncReadyCallback   callback,
                                             gpointer              user_data);
GHLO_AVAILABLE_IN_1_0
GListModel     *ghlo_program_check_finish   (GAsyncResult         *result,
                                             GError              **error) G_GNUC_WARN_UNUSED_RESULT;

GHLO_AVAILABLE_IN_1_0
const char     *ghlo_program_get_name       (GhloProgram          *self);
GHLO_AVAILABLE_IN_1_0
GhloProgramFormat ghlo_program_get_format   (GhloProgram          *self);
GHLO_AVAILABLE_IN_1_0
const char     *ghlo_program_get_producer   (GhloProgram          *self);
GHLO_AVAILABLE_IN_1_0
const char     *ghlo_program_get_artifact_version (GhloProgram    *self);
GHLO_AVAILABLE_IN_1_0
GhloValueInfo **ghlo_program_list_inputs    (GhloProgram          *self) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
GhloValueInfo **ghlo_program_list_outputs   (GhloProgram          *self) G_GNUC_WARN_UNUSED_RESULT;

GHLO_AVAILABLE_IN_1_0
char           *ghlo_program_to_text        (GhloProgram          *self,
                                             GhloTextFlags         flags,
                                             GCancellable         *cancellable,
                                             GError              **error) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
void            ghlo_program_to_text_async  (GhloProgram          *self,
                                             GhloTextFlags         flags,
                                             GCancellable         *cancellable,
                                             GAsyncReadyCallback   callback,
                                             gpointer              user_data);
GHLO_AVAILABLE_IN_1_0
char           *ghlo_program_to_text_finish (GhloProgram          *self,
                                             GAsyncResult         *result,
                                             GError              **error) G_GNUC_WARN_UNUSED_RESULT;

GHLO_AVAILABLE_IN_1_0
GBytes         *ghlo_program_serialize         (GhloProgram          *self,
                                                const char           *version,
                                                GCancellable         *cancellable,
                                                GError              **error) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
void            ghlo_program_serialize_async   (GhloProgram          *self,
                                                const char           *version,
                                                GCancellable         *cancellable,
                                                GAsyncReadyCallback   callback,
                                                gpointer              user_data);
GHLO_AVAILABLE_IN_1_0
GBytes         *ghlo_program_serialize_finish  (GhloProgram          *self,
                                                GAsyncResult         *result,
                                                GError              **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
