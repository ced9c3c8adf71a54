/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How much was compiled and run, and how much memory is in use.
 */

#pragma once

#if !defined (GHLO_INSIDE) && !defined (GHLO_COMPILATION)
#error "Only <ghlo/ghlo.h> can be included directly."
#endif

#include <glib-object.h>

#include "ghlo-version-macros.h"

G_BEGIN_DECLS

#define GHLO_TYPE_STATISTICS (ghlo_statistics_get_type ())

typedef struct _GhloStatistics GhloStatistics;

GHLO_AVAILABLE_IN_1_0
GType           ghlo_statistics_get_type         (void) G_GNUC_CONST;
GHLO_AVAILABLE_IN_1_0
GhloStatistics *ghlo_statistics_ref              (GhloStatistics       *self);
GHLO_AVAILABLE_IN_1_0
void            ghlo_statistics_unref            (GhloStatistics       *self);
GHLO_AVAILABLE_IN_1_0
guint64         ghlo_statistics_get_n_compiles   (const GhloStatistics *self);
GHLO_AVAILABLE_IN_1_0
guint64         ghlo_statistics_get_n_runs       (const GhloStatistics *self);
GHLO_AVAILABLE_IN_1_0
guint64         ghlo_statistics_get_n_failures   (const GhloStatistics *self);
GHLO_AVAILABLE_IN_1_0
guint64         ghlo_statistics_get_n_cache_hits (const GhloStatistics *self);
GHLO_AVAILABLE_IN_1_0
guint64         ghlo_statistics_get_n_cache_misses (const GhloStatistics *self);
GHLO_AVAILABLE_IN_1_0
double          ghlo_statistics_get_compile_time (const GhloStatistics *self);
GHLO_AVAILABLE_IN_1_0
double          ghlo_statistics_get_run_time     (const GhloStatistics *self);
GHLO_AVAILABLE_IN_1_0
guint64         ghlo_statistics_get_memory_used  (const GhloStatistics *self);
GHLO_AVAILABLE_IN_1_0
guint64         ghlo_statistics_get_memory_peak  (const GhloStatistics *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloStatistics, ghlo_statistics_unref)

G_END_DECLS
