/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a program declares about one of its inputs or outputs.
 */

#pragma once

#if !defined (GHLO_INSIDE) && !defined (GHLO_COMPILATION)
#error "Only <ghlo/ghlo.h> can be included directly."
#endif

#include "ghlo-enums.h"
#include "ghlo-tensor-type.h"

G_BEGIN_DECLS

#define GHLO_TYPE_VALUE_INFO (ghlo_value_info_get_type ())

typedef struct _GhloValueInfo GhloValueInfo;

GHLO_AVAILABLE_IN_1_0
GType            ghlo_value_info_get_type          (void) G_GNUC_CONST;
GHLO_AVAILABLE_IN_1_0
GhloValueInfo   *ghlo_value_info_ref               (GhloValueInfo       *self);
GHLO_AVAILABLE_IN_1_0
void             ghlo_value_info_unref             (GhloValueInfo       *self);
GHLO_AVAILABLE_IN_1_0
const char      *ghlo_value_info_get_name          (const GhloValueInfo *self);
GHLO_AVAILABLE_IN_1_0
guint            ghlo_value_info_get_index         (const GhloValueInfo *self);
GHLO_AVAILABLE_IN_1_0
GhloValueKind    ghlo_value_info_get_kind          (const GhloValueInfo *self);
GHLO_AVAILABLE_IN_1_0
GhloTensorType  *ghlo_value_info_get_tensor_type   (const GhloValueInfo *self);
GHLO_AVAILABLE_IN_1_0
GhloValueInfo  **ghlo_value_info_list_members      (const GhloValueInfo *self) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
gboolean         ghlo_value_info_is_donatable      (const GhloValueInfo *self);
GHLO_AVAILABLE_IN_1_0
int              ghlo_value_info_get_aliased_input (const GhloValueInfo *self);
GHLO_AVAILABLE_IN_1_0
char            *ghlo_value_info_to_string         (const GhloValueInfo *self) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloValueInfo, ghlo_value_info_unref)

G_END_DECLS
