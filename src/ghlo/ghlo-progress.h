/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The progress of a slow call, as an object with bindable properties.
 */

#pragma once

#if !defined (GHLO_INSIDE) && !defined (GHLO_COMPILATION)
#error "Only <ghlo/ghlo.h> can be included directly."
#endif

#include "ghlo-enums.h"

G_BEGIN_DECLS

#define GHLO_TYPE_PROGRESS (ghlo_progress_get_type ())

GHLO_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (GhloProgress, ghlo_progress, GHLO, PROGRESS, GObject)

GHLO_AVAILABLE_IN_1_0
GhloProgress      *ghlo_progress_new          (void) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
double             ghlo_progress_get_fraction (GhloProgress *self);
GHLO_AVAILABLE_IN_1_0
GhloProgressStage  ghlo_progress_get_stage    (GhloProgress *self);
GHLO_AVAILABLE_IN_1_0
const char        *ghlo_progress_get_detail   (GhloProgress *self);

G_END_DECLS
