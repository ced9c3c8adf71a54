/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The outcome of one run.
 */

#pragma once

#if !defined (GHLO_INSIDE) && !defined (GHLO_COMPILATION)
#error "Only <ghlo/ghlo.h> can be included directly."
#endif

#include "ghlo-buffer.h"
#include "ghlo-plan.h"
#include "ghlo-timing.h"

G_BEGIN_DECLS

#define GHLO_TYPE_RESULT (ghlo_result_get_type ())

GHLO_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (GhloResult, ghlo_result, GHLO, RESULT, GObject)

GHLO_AVAILABLE_IN_1_0
guint                ghlo_result_get_n_outputs (GhloResult *self);
GHLO_AVAILABLE_IN_1_0
GhloBuffer          *ghlo_result_get_output    (GhloResult *self,
                                                guint       index);
GHLO_AVAILABLE_IN_1_0
GhloBuffer * const  *ghlo_result_get_outputs   (GhloResult *self,
                                                gsize      *n_outputs);
GHLO_AVAILABLE_IN_1_0
GhloTiming          *ghlo_result_get_timing    (GhloResult *self);
GHLO_AVAILABLE_IN_1_0
GhloPlan            *ghlo_result_get_plan      (GhloResult *self);
GHLO_AVAILABLE_IN_1_0
void                 ghlo_result_release       (GhloResult *self);

G_END_DECLS
