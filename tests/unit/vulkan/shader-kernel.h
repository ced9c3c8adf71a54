/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Kernels on a test device: the device's measured properties, and runs of all parallel points of a kernel on host
 * memory.
 */

#pragma once

#include "shader-runner.h"

#include "gpu/spirv/measure.h"
#include "kernel/interpret.h"

G_BEGIN_DECLS

/* A runner whose device has been measured; NULL where there is none, in which case the test is skipped. */
ShaderRunner *shader_kernel_open (GhloSpirvDevice         *device);

/* Runs the shader @words of @kernel, whose workgroups compute @points points, on @memory. */
gboolean      shader_kernel_run  (ShaderRunner            *runner,
                                  const GhloKernel        *kernel,
                                  GBytes                  *words,
                                  guint64                  points,
                                  const gint64            *extents,
                                  const GhloKernelMemory  *memory,
                                  GError                 **error);

G_END_DECLS
