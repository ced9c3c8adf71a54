/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How the time of one run was spent.
 */

#pragma once

#if !defined (GHLO_INSIDE) && !defined (GHLO_COMPILATION)
#error "Only <ghlo/ghlo.h> can be included directly."
#endif

#include <glib-object.h>

#include "ghlo-version-macros.h"

G_BEGIN_DECLS

#define GHLO_TYPE_TIMING (ghlo_timing_get_type ())

typedef struct _GhloTiming GhloTiming;

GHLO_AVAILABLE_IN_1_0
GType       ghlo_timing_get_type      (void) G_GNUC_CONST;
GHLO_AVAILABLE_IN_1_0
GhloTiming *ghlo_timing_ref           (GhloTiming       *self);
GHLO_AVAILABLE_IN_1_0
void        ghlo_timing_unref         (GhloTiming       *self);
GHLO_AVAILABLE_IN_1_0
double      ghlo_timing_get_compile   (const GhloTiming *self);
GHLO_AVAILABLE_IN_1_0
double      ghlo_timing_get_upload    (const GhloTiming *self);
GHLO_AVAILABLE_IN_1_0
double      ghlo_timing_get_run       (const GhloTiming *self);
GHLO_AVAILABLE_IN_1_0
double      ghlo_timing_get_reference (const GhloTiming *self);
GHLO_AVAILABLE_IN_1_0
double      ghlo_timing_get_download  (const GhloTiming *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloTiming, ghlo_timing_unref)

G_END_DECLS
