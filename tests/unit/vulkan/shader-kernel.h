/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Kernels on a device of tests: what it was measured to do, and all parallel points of a kernel in memory of the host.
 */

#pragma once

#include "shader-runner.h"

#include "kernel/interpret.h"
#include "vulkan/spirv/measure.h"

G_BEGIN_DECLS

/* A runner that has been measured; NULL where there is none, the test being skipped then. */
ShaderRunner *shader_kernel_open (GhloSpirvDevice         *device);

/* Runs the shader @words of @kernel in @memory. */
gboolean      shader_kernel_run  (ShaderRunner            *runner,
                                  const GhloKernel        *kernel,
                                  GBytes                  *words,
                                  gboolean                 group_per_point,
                                  const gint64            *extents,
                                  const GhloKernelMemory  *memory,
                                  GError                 **error);

G_END_DECLS
