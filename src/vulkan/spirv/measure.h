/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a device makes of single nodes, found by running small kernels on it: which operations are rounded once and to
 * nearest even, whether subnormal numbers, signs of zeros, NaNs and infinities stay what they are, and whether integers
 * are divided as kernels say. Drivers promise some of it, and not all of that is so. A kernel that has only nodes which
 * the device does exactly has the CPU's bits on it.
 */

#pragma once

#include "kernel/interpret.h"
#include "vulkan/spirv/spirv.h"

G_BEGIN_DECLS

/* Sets of element types are bits, 1 << type. */
typedef struct
{
  GhloSpirvFloats floats;                       /* what shaders are to be made for */
  guint64         types;                        /* those that it has */
  guint64         exact[GHLO_N_NODES];          /* of the operands that a node is exact with */
  guint64         nearly[GHLO_N_NODES];         /* the same but for subnormal operands, and results before rounding */
} GhloSpirvDevice;

/* Runs all points of @kernel, whose shader is @words, in @memory. */
typedef gboolean (*GhloSpirvRunFunc) (gpointer                data,
                                      const GhloKernel       *kernel,
                                      GBytes                 *words,
                                      const GhloKernelMemory *memory,
                                      GError                **error);

/* All types that nodes may have. */
guint64  ghlo_spirv_all_types (void);

/* Fills @self: @types are those that the device has, of @promises what its driver says. FALSE where @run fails. */
gboolean ghlo_spirv_measure   (GhloSpirvDevice        *self,
                               guint64                 types,
                               const GhloSpirvFloats  *promises,
                               GhloSpirvRunFunc        run,
                               gpointer                data,
                               GError                **error);
/* Whether @self may be what was measured of such a device. */
gboolean ghlo_spirv_device_is_plausible (const GhloSpirvDevice *self,
                                         guint64                types,
                                         const GhloSpirvFloats *promises);
/* The first node of @kernel, which is an expanded one, that the device does not do exactly (FMA for a product), or not
 * at all, and the type that it is so with; GHLO_N_NODES where there is none: the kernel has the CPU's bits, without
 * @subnormals at least where there are none of these. */
GhloNodeKind ghlo_spirv_find_inexact (const GhloSpirvDevice *self,
                                      const GhloKernel      *kernel,
                                      gboolean               subnormals,
                                      GhloElementType       *type);

G_END_DECLS
