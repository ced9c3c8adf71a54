/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A program that has been compiled for a device.
 */

#pragma once

#if !defined (GHLO_INSIDE) && !defined (GHLO_COMPILATION)
#error "Only <ghlo/ghlo.h> can be included directly."
#endif

#include "ghlo-compile-report.h"
#include "ghlo-cost.h"
#include "ghlo-plan.h"
#include "ghlo-program.h"
#include "ghlo-result.h"
#include "ghlo-statistics.h"

G_BEGIN_DECLS

#define GHLO_TYPE_EXECUTABLE (ghlo_executable_get_type ())

GHLO_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (GhloExecutable, ghlo_executable, GHLO, EXECUTABLE, GObject)

GHLO_AVAILABLE_IN_1_0
GhloProgram    *ghlo_executable_get_program    (GhloExecutable       *self);
GHLO_AVAILABLE_IN_1_0
GhloDevice     *ghlo_executable_get_device     (GhloExecutable       *self);
GHLO_AVAILABLE_IN_1_0
GhloValueInfo **ghlo_executable_list_inputs    (GhloExecutable       *self) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
GhloValueInfo **ghlo_executable_list_outputs   (GhloExecutable       *self) G_GNUC_WARN_UNUSED_RESULT;

GHLO_AVAILABLE_IN_1_0
GhloResult     *ghlo_executable_execute        (GhloExecutable       *self,
                                                GhloBuffer * const   *inputs,
                                                gsize                 n_inputs,
                                                GCancellable         *cancellable,
                                                GError              **error) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
void            ghlo_executable_execute_async  (GhloExecutable       *self,
                                                GhloBuffer * const   *inputs,
                                                gsize                 n_inputs,
                                                GCancellable         *cancellable,
                                                GAsyncReadyCallback   callback,
                                                gpointer              user_data);
GHLO_AVAILABLE_IN_1_0
GhloResult     *ghlo_executable_execute_finish (GhloExecutable       *self,
                                                GAsyncResult         *result,
                                                GError              **error) G_GNUC_WARN_UNUSED_RESULT;

GHLO_AVAILABLE_IN_1_0
GBytes         *ghlo_executable_serialize        (GhloExecutable       *self,
                                                  GCancellable         *cancellable,
                                                  GError              **error) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
void            ghlo_executable_serialize_async  (GhloExecutable       *self,
                                                  GCancellable         *cancellable,
                                                  GAsyncReadyCallback   callback,
                                                  gpointer              user_data);
GHLO_AVAILABLE_IN_1_0
GBytes         *ghlo_executable_serialize_finish (GhloExecutable       *self,
                                                  GAsyncResult         *result,
                                                  GError              **error) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
GhloCompileReport *ghlo_executable_get_report  (GhloExecutable       *self);
GHLO_AVAILABLE_IN_1_0
GhloPlan       *ghlo_executable_get_plan         (GhloExecutable       *self) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
GhloCost       *ghlo_executable_get_cost         (GhloExecutable       *self) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
char           *ghlo_executable_dump           (GhloExecutable       *self,
                                                GhloDumpStage         stage,
                                                GhloTextFlags         flags,
                                                GCancellable         *cancellable,
                                                GError              **error) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
void            ghlo_executable_dump_async     (GhloExecutable       *self,
                                                GhloDumpStage         stage,
                                                GhloTextFlags         flags,
                                                GCancellable         *cancellable,
                                                GAsyncReadyCallback   callback,
                                                gpointer              user_data);
GHLO_AVAILABLE_IN_1_0
char           *ghlo_executable_dump_finish    (GhloExecutable       *self,
                                                GAsyncResult         *result,
                                                GError              **error) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
GhloStatistics *ghlo_executable_get_statistics   (GhloExecutable       *self) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
