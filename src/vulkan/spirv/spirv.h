/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SPIR-V of kernels: one compute shader, of which each invocation does one parallel point. Buffers are addresses, and
 * their elements are aligned to their size.
 *
 * Floats are computed as kernels state it where the device does that: it has to keep subnormals, to round single
 * operations to nearest even, and to divide and take roots exactly rounded.
 */

#pragma once

#include "kernel/kernel.h"

G_BEGIN_DECLS

enum { GHLO_SPIRV_GROUP = 64 };         /* invocations of a workgroup */

/* What is pushed to a shader. */
typedef struct
{
  guint64 table;                /* address of words of 64 bits (GhloSpirvWord) */
  guint64 first;                /* the first invocation's point */
} GhloSpirvPush;

/* The words of a table. Behind them come the addresses of all buffers, then the extents of all axes. */
typedef enum
{
  GHLO_SPIRV_WORD_END,          /* points from here on are left out */
  GHLO_SPIRV_WORD_SCRATCH,      /* address, aligned to 8 bytes */
  GHLO_SPIRV_WORD_INVOCATIONS,  /* of the dispatch, which all have scratch */
  GHLO_SPIRV_N_WORDS
} GhloSpirvWord;

/* What the device promises for floats of 32 bits and of 64 (VkPhysicalDeviceFloatControlsProperties); and whether it
 * rounds an FMA once, which none promises and a test tells. Where it does not, an FMA of 32 bits is made of operations
 * on 64; one of 64 bits is what the device makes of it. */
typedef struct
{
  gboolean keeps_subnormals[2], rounds_to_even[2], keeps_nan[2], fuses[2];
} GhloSpirvFloats;

/* A module whose entry point is "main"; UNSUPPORTED where the kernel is too large. */
GBytes *ghlo_spirv_emit    (const GhloKernel       *kernel,
                            const GhloSpirvFloats  *floats,
                            GError                **error);
/* The bytes of scratch that one invocation takes, G_MAXSIZE where they are too many. */
gsize   ghlo_spirv_scratch (const GhloKernel       *kernel);

G_END_DECLS
