/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The compile options in the form that calls carry.
 */

#pragma once

#include "compiler/settings.h"
#include "ghlo-compile-options.h"

G_BEGIN_DECLS

/* A copy of the options, or the defaults where @options is NULL. The device is not included. */
GhloSettings *ghlo_compile_options_dup_settings (GhloCompileOptions *options);

G_END_DECLS
