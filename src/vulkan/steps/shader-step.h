/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What step implementations of shaders (shaders.h) share.
 */

#pragma once

#include "vulkan/shaders.h"
#include "vulkan/steps/step.h"

G_BEGIN_DECLS

static inline void
ghlo_vulkan_clear_nothing (gconstpointer self)
{
}

/* Of one that has nothing to free. The compile gets operands that are dense where the selection says so. */
#define GHLO_VULKAN_DEFINE_SHADER_STEP(Type) GHLO_VULKAN_DEFINE_STEP (Type, ghlo_vulkan_clear_nothing, FALSE)

G_END_DECLS
