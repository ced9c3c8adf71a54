/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Options of a compilation.
 */

#pragma once

#if !defined (GHLO_INSIDE) && !defined (GHLO_COMPILATION)
#error "Only <ghlo/ghlo.h> can be included directly."
#endif

#include "ghlo-device.h"
#include "ghlo-enums.h"

G_BEGIN_DECLS

#define GHLO_TYPE_COMPILE_OPTIONS (ghlo_compile_options_get_type ())

GHLO_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (GhloCompileOptions, ghlo_compile_options, GHLO, COMPILE_OPTIONS, GObject)

GHLO_AVAILABLE_IN_1_0
GhloCompileOptions    *ghlo_compile_options_new                    (void) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
GhloCompileOptions    *ghlo_compile_options_new_balanced           (void) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
GhloCompileOptions    *ghlo_compile_options_new_debug              (void) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
GhloCompileOptions    *ghlo_compile_options_new_quick_compile      (void) G_GNUC_WARN_UNUSED_RESULT;
GHLO_AVAILABLE_IN_1_0
GhloCompileOptions    *ghlo_compile_options_new_release            (void) G_GNUC_WARN_UNUSED_RESULT;

GHLO_AVAILABLE_IN_1_0
GhloOptimizationLevel  ghlo_compile_options_get_optimization_level (GhloCompileOptions    *self);
GHLO_AVAILABLE_IN_1_0
void                   ghlo_compile_options_set_optimization_level (GhloCompileOptions    *self,
                                                                    GhloOptimizationLevel  optimization_level);
GHLO_AVAILABLE_IN_1_0
GhloDevice            *ghlo_compile_options_get_device             (GhloCompileOptions    *self);
GHLO_AVAILABLE_IN_1_0
void                   ghlo_compile_options_set_device             (GhloCompileOptions    *self,
                                                                    GhloDevice            *device);
GHLO_AVAILABLE_IN_1_0
gboolean               ghlo_compile_options_get_debug_info         (GhloCompileOptions    *self);
GHLO_AVAILABLE_IN_1_0
void                   ghlo_compile_options_set_debug_info         (GhloCompileOptions    *self,
                                                                    gboolean               debug_info);
GHLO_AVAILABLE_IN_1_0
gboolean               ghlo_compile_options_get_caching            (GhloCompileOptions    *self);
GHLO_AVAILABLE_IN_1_0
void                   ghlo_compile_options_set_caching            (GhloCompileOptions    *self,
                                                                    gboolean               caching);
GHLO_AVAILABLE_IN_1_0
gboolean               ghlo_compile_options_get_excess_precision   (GhloCompileOptions    *self);
GHLO_AVAILABLE_IN_1_0
void                   ghlo_compile_options_set_excess_precision   (GhloCompileOptions    *self,
                                                                    gboolean               excess_precision);
GHLO_AVAILABLE_IN_1_0
gboolean               ghlo_compile_options_get_wait_for_code      (GhloCompileOptions    *self);
GHLO_AVAILABLE_IN_1_0
void                   ghlo_compile_options_set_wait_for_code      (GhloCompileOptions    *self,
                                                                    gboolean               wait_for_code);
GHLO_AVAILABLE_IN_1_0
const char * const    *ghlo_compile_options_get_enabled_passes     (GhloCompileOptions    *self);
GHLO_AVAILABLE_IN_1_0
void                   ghlo_compile_options_set_enabled_passes     (GhloCompileOptions    *self,
                                                                    const char * const    *enabled_passes);
GHLO_AVAILABLE_IN_1_0
const char * const    *ghlo_compile_options_get_disabled_passes    (GhloCompileOptions    *self);
GHLO_AVAILABLE_IN_1_0
void                   ghlo_compile_options_set_disabled_passes    (GhloCompileOptions    *self,
                                                                    const char * const    *disabled_passes);

G_END_DECLS
