/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a run of a program costs: operations, bytes, time and memory.
 */

#pragma once

#if !defined (GHLO_INSIDE) && !defined (GHLO_COMPILATION)
#error "Only <ghlo/ghlo.h> can be included directly."
#endif

#include <glib-object.h>

#include "ghlo-version-macros.h"

G_BEGIN_DECLS

#define GHLO_TYPE_COST (ghlo_cost_get_type ())

typedef struct _GhloCost GhloCost;

GHLO_AVAILABLE_IN_1_0
GType     ghlo_cost_get_type               (void) G_GNUC_CONST;
GHLO_AVAILABLE_IN_1_0
GhloCost *ghlo_cost_ref                    (GhloCost       *self);
GHLO_AVAILABLE_IN_1_0
void      ghlo_cost_unref                  (GhloCost       *self);
GHLO_AVAILABLE_IN_1_0
double    ghlo_cost_get_operations         (const GhloCost *self);
GHLO_AVAILABLE_IN_1_0
double    ghlo_cost_get_product_operations (const GhloCost *self);
GHLO_AVAILABLE_IN_1_0
guint64   ghlo_cost_get_bytes              (const GhloCost *self);
GHLO_AVAILABLE_IN_1_0
gboolean  ghlo_cost_is_exact               (const GhloCost *self);
GHLO_AVAILABLE_IN_1_0
double    ghlo_cost_get_estimate           (const GhloCost *self);
GHLO_AVAILABLE_IN_1_0
guint64   ghlo_cost_get_peak_memory        (const GhloCost *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloCost, ghlo_cost_unref)

G_END_DECLS
