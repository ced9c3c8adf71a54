/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Requirements on the shader of any kernel: the SPIR-V validator accepts it, and a device that computes the kernel's
 * nodes exactly gives the interpreter's bits. A failing kernel is printed, with the words of its shader.
 */

#pragma once

#include "shader-kernel.h"

G_BEGIN_DECLS

/* Validates the shaders of @kernel for a device that makes every promise, and for one that makes none. Without a
 * validator the shaders are only generated. */
void        shader_check_validate (const GhloKernel      *kernel,
                                   const char            *name);
/* The same for two kernels in one module, each run by invocations or by workgroups. */
void        shader_check_validate_pair (const GhloKernel *first,
                                   const GhloKernel      *second,
                                   const char            *name);
/* Validates a module, where a validator is installed. */
void        shader_check_words    (GBytes                *words,
                                   const char            *name);
/* Skips the test where no validator is installed. */
void        shader_check_skip     (void);

typedef enum
{
  SHADER_CHECK_INEXACT,         /* not run: the device does not compute the nodes exactly */
  SHADER_CHECK_INVOCATIONS,     /* a point takes more shared memory than every device has */
  SHADER_CHECK_BOTH,
} ShaderCheck;

/* Runs @kernel on memory drawn from @seed, with one invocation and with one workgroup for each point. Kernels that
 * carry values run by a wider workgroup, too, one time in three; those that fold run by a narrower one, whose
 * invocations have several chains. */
ShaderCheck shader_check_run      (ShaderRunner          *runner,
                                   const GhloSpirvDevice *device,
                                   const GhloKernel      *kernel,
                                   const gint64          *extents,
                                   guint64                seed,
                                   const char            *name);

G_END_DECLS
