/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One call of an application's function by a program's custom_call.
 */

#pragma once

#if !defined (GHLO_INSIDE) && !defined (GHLO_COMPILATION)
#error "Only <ghlo/ghlo.h> can be included directly."
#endif

#include "ghlo-buffer.h"
#include "ghlo-value-info.h"

G_BEGIN_DECLS

#define GHLO_TYPE_CUSTOM_CALL (ghlo_custom_call_get_type ())

GHLO_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (GhloCustomCall, ghlo_custom_call, GHLO, CUSTOM_CALL, GObject)

typedef gboolean (*GhloCustomCallFunction) (GhloCustomCall  *call,
                                            gpointer         user_data,
                                            GError         **error);

GHLO_AVAILABLE_IN_1_0
const char     *ghlo_custom_call_get_target         (GhloCustomCall  *self);
GHLO_AVAILABLE_IN_1_0
char           *ghlo_custom_call_get_backend_config (GhloCustomCall  *self) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
GVariant       *ghlo_custom_call_get_attributes     (GhloCustomCall  *self) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
gboolean        ghlo_custom_call_has_side_effect    (GhloCustomCall  *self);
GHLO_AVAILABLE_IN_1_0
GCancellable   *ghlo_custom_call_get_cancellable    (GhloCustomCall  *self);

GHLO_AVAILABLE_IN_1_0
GhloValueInfo **ghlo_custom_call_list_operands      (GhloCustomCall  *self) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
GhloBuffer     *ghlo_custom_call_get_operand        (GhloCustomCall  *self,
                                                     guint            index,
                                                     GError         **error) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
gconstpointer   ghlo_custom_call_get_operand_data   (GhloCustomCall  *self,
                                                     guint            index,
                                                     gsize           *n_bytes,
                                                     GError         **error);

GHLO_AVAILABLE_IN_1_0
GhloValueInfo **ghlo_custom_call_list_results       (GhloCustomCall  *self) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
gboolean        ghlo_custom_call_set_result         (GhloCustomCall  *self,
                                                     guint            index,
                                                     GhloBuffer      *buffer,
                                                     GError         **error);
GHLO_AVAILABLE_IN_1_0
gpointer        ghlo_custom_call_get_result_data    (GhloCustomCall  *self,
                                                     guint            index,
                                                     gsize           *n_bytes,
                                                     GError         **error);

G_END_DECLS
