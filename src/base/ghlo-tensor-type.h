/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The type of a tensor: element type, dimensions, bounds and quantization.
 */

#pragma once

#if !defined (GHLO_INSIDE) && !defined (GHLO_COMPILATION)
#error "Only <ghlo/ghlo.h> can be included directly."
#endif

#include <glib-object.h>

#include "ghlo-enums.h"
#include "ghlo-error.h"

G_BEGIN_DECLS

#define GHLO_TYPE_TENSOR_TYPE (ghlo_tensor_type_get_type ())

/**
 * GHLO_DYNAMIC:
 *
 * The size of a dimension that is not known before a program runs.
 *
 * Since: 1.0
 */
#define GHLO_DYNAMIC (-1)

typedef struct _GhloTensorType GhloTensorType;

GHLO_AVAILABLE_IN_1_0
GType            ghlo_tensor_type_get_type         (void) G_GNUC_CONST;
GHLO_AVAILABLE_IN_1_0
GhloTensorType  *ghlo_tensor_type_new              (GhloElementType        element_type,
                                                    const gint64          *dimensions,
                                                    gsize                  n_dimensions) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
GhloTensorType  *ghlo_tensor_type_new_quantized    (GhloTensorType        *stored,
                                                    GhloElementType        expressed_type,
                                                    const double          *scales,
                                                    gsize                  n_scales,
                                                    const gint64          *zero_points,
                                                    gsize                  n_zero_points,
                                                    int                    axis,
                                                    gint64                 storage_min,
                                                    gint64                 storage_max,
                                                    GError               **error) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
GhloTensorType  *ghlo_tensor_type_parse            (const char            *string,
                                                    GError               **error) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
GhloTensorType  *ghlo_tensor_type_ref              (GhloTensorType        *self);
GHLO_AVAILABLE_IN_1_0
void             ghlo_tensor_type_unref            (GhloTensorType        *self);
GHLO_AVAILABLE_IN_1_0
GhloElementType  ghlo_tensor_type_get_element_type (const GhloTensorType  *self);
GHLO_AVAILABLE_IN_1_0
guint            ghlo_tensor_type_get_rank         (const GhloTensorType  *self);
GHLO_AVAILABLE_IN_1_0
const gint64    *ghlo_tensor_type_get_dimensions   (const GhloTensorType  *self,
                                                    gsize                 *n_dimensions);
GHLO_AVAILABLE_IN_1_0
gboolean         ghlo_tensor_type_is_static        (const GhloTensorType  *self);
GHLO_AVAILABLE_IN_1_0
gboolean         ghlo_tensor_type_is_quantized     (const GhloTensorType  *self);
GHLO_AVAILABLE_IN_1_0
GhloElementType  ghlo_tensor_type_get_expressed_type (const GhloTensorType *self);
GHLO_AVAILABLE_IN_1_0
const double    *ghlo_tensor_type_get_scales       (const GhloTensorType  *self,
                                                    gsize                 *n_scales);
GHLO_AVAILABLE_IN_1_0
const gint64    *ghlo_tensor_type_get_zero_points  (const GhloTensorType  *self,
                                                    gsize                 *n_zero_points);
GHLO_AVAILABLE_IN_1_0
int              ghlo_tensor_type_get_quantized_axis (const GhloTensorType *self);
GHLO_AVAILABLE_IN_1_0
gint64           ghlo_tensor_type_get_storage_min  (const GhloTensorType  *self);
GHLO_AVAILABLE_IN_1_0
gint64           ghlo_tensor_type_get_storage_max  (const GhloTensorType  *self);
GHLO_AVAILABLE_IN_1_0
gint64           ghlo_tensor_type_get_n_elements   (const GhloTensorType  *self);
GHLO_AVAILABLE_IN_1_0
gint64           ghlo_tensor_type_get_size         (const GhloTensorType  *self);
GHLO_AVAILABLE_IN_1_0
char            *ghlo_tensor_type_to_string        (const GhloTensorType  *self) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
gboolean         ghlo_tensor_type_equal            (const GhloTensorType  *a,
                                                    const GhloTensorType  *b);
GHLO_AVAILABLE_IN_1_0
guint            ghlo_tensor_type_hash             (const GhloTensorType  *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloTensorType, ghlo_tensor_type_unref)

G_END_DECLS
