/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What has to hold of the shader of any kernel: the validator of SPIR-V takes it, and a device that does its nodes
 * exactly gives the interpreter's bits. A kernel that fails is printed, with the words of its shader.
 */

#pragma once

#include "shader-kernel.h"

G_BEGIN_DECLS

/* Validates the shaders of @kernel for a device that promises all that one may, and for one that promises nothing.
 * Without a validator they are made alone. */
void        shader_check_validate (const GhloKernel      *kernel,
                                   const char            *name);
/* The same of two kernels in a module, each done by invocations or by workgroups. */
void        shader_check_validate_pair (const GhloKernel *first,
                                   const GhloKernel      *second,
                                   const char            *name);
/* Validates a module, where there is a validator. */
void        shader_check_words    (GBytes                *words,
                                   const char            *name);
/* Skips the test where there is no validator. */
void        shader_check_skip     (void);

typedef enum
{
  SHADER_CHECK_INEXACT,         /* not run: the device does not do its nodes exactly */
  SHADER_CHECK_INVOCATIONS,     /* a point takes more shared memory than all devices have */
  SHADER_CHECK_BOTH,
} ShaderCheck;

/* Runs @kernel in memory drawn by @seed, each point by an invocation, and by a workgroup; of those that carry something
 * every third also by a wider one, and those that fold by a narrower one, whose invocations have several chains. */
ShaderCheck shader_check_run      (ShaderRunner          *runner,
                                   const GhloSpirvDevice *device,
                                   const GhloKernel      *kernel,
                                   const gint64          *extents,
                                   guint64                seed,
                                   const char            *name);

G_END_DECLS
