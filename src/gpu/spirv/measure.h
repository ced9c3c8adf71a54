/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures how a device computes single nodes, by running small kernels on it: which operations are rounded once and to
 * nearest even, whether subnormal numbers, signs of zeros, NaNs and infinities are preserved, and whether integers are
 * divided as kernels specify. Drivers promise some of this, and do not keep all of their promises. A kernel that
 * consists only of nodes which the device computes exactly yields the same bits as on the CPU.
 */

#pragma once

#include "gpu/spirv/spirv.h"
#include "kernel/interpret.h"

G_BEGIN_DECLS

/* Sets of element types are bit sets, 1 << type. */
typedef struct
{
  GhloSpirvFloats floats;                       /* what shaders are emitted for */
  guint64         types;                        /* that the device supports */
  guint64         exact[GHLO_N_NODES];          /* by node, the operand types with which its results are exact */
  guint64         nearly[GHLO_N_NODES];         /* the same, but ignoring subnormal operands and results that are
                                                 * subnormal before rounding */
} GhloSpirvDevice;

/* Runs all points of @kernel, whose shader is @words, on @memory. */
typedef gboolean (*GhloSpirvRunFunc) (gpointer                data,
                                      const GhloKernel       *kernel,
                                      GBytes                 *words,
                                      const GhloKernelMemory *memory,
                                      GError                **error);

/* Fills @self. @types are the types of the device, @promises those of its driver. Returns FALSE if @run fails. */
gboolean     ghlo_spirv_measure             (GhloSpirvDevice        *self,
                                             guint64                 types,
                                             const GhloSpirvFloats  *promises,
                                             GhloSpirvRunFunc        run,
                                             gpointer                data,
                                             GError                **error);
/* Whether @self could be the result of measuring such a device; for results read from disk. */
gboolean     ghlo_spirv_device_is_plausible (const GhloSpirvDevice  *self,
                                             guint64                 types,
                                             const GhloSpirvFloats  *promises);
/* Returns the first node of @kernel, which must be expanded, that the device does not compute exactly or not at all
 * (FMA for a product block), and sets @type to the type concerned. Returns GHLO_N_NODES if there is none: then the
 * kernel yields the CPU's bits, or, without @subnormals, does so where no subnormal numbers occur. */
GhloNodeKind ghlo_spirv_find_inexact        (const GhloSpirvDevice  *self,
                                             const GhloKernel       *kernel,
                                             gboolean                subnormals,
                                             GhloElementType        *type);

G_END_DECLS
