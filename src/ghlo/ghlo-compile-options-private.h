/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Options as calls take them along.
 */

#pragma once

#include "compiler/settings.h"
#include "ghlo-compile-options.h"

G_BEGIN_DECLS

/* With the defaults where @options is NULL. The device is not among them. */
GhloSettings *ghlo_compile_options_dup_settings (GhloCompileOptions *options);

G_END_DECLS
