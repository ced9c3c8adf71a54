/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the step implementations that use the shaders of shaders.h.
 */

#pragma once

#include "vulkan/shaders.h"
#include "vulkan/steps/step.h"

G_BEGIN_DECLS

static inline void
ghlo_vulkan_clear_nothing (gconstpointer self)
{
}

/* For implementations with nothing to free. The compile gets dense operands if the selection asked for them. */
#define GHLO_VULKAN_DEFINE_SHADER_STEP(Type) GHLO_VULKAN_DEFINE_STEP (Type, ghlo_vulkan_clear_nothing, FALSE)

G_END_DECLS
