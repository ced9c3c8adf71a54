/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Kernels that try what a device makes of single nodes, and numbers for them: special ones with each other, and those
 * at which rounding is decided by the last bit, or goes over into subnormal or infinite numbers.
 */

#pragma once

#include "kernel/interpret.h"

G_BEGIN_DECLS

enum
{
  GHLO_PROBE_POINTS   = 2048,
  GHLO_PROBE_OPERANDS = 3,      /* the first buffers; those of results follow, one for each row */
};

/* What one buffer of results gets. */
typedef struct
{
  GhloNodeKind    kind;
  GhloElementType type;         /* of the result */
  guint8          operands;     /* bits: those of the three that the node has */
} GhloProbeRow;

typedef struct
{
  GhloKernel      *kernel;
  GhloElementType  type;        /* of the operands */
  GhloProbeRow     rows[GHLO_KERNEL_MAX_BUFFERS];
  guint            n_rows;
} GhloProbe;

/* All nodes that have operands of @type, and results of @types, which are bits. */
GhloProbe        *ghlo_probe_new           (GhloElementType   type,
                                            guint64           types);
/* Arithmetic with floats of @type of which one is a constant that compilers have rules for; and of a number with
 * itself, comparisons too. */
GhloProbe        *ghlo_probe_new_constants (GhloElementType   type);
/* Comparisons of integers of 32 bits, signed ones that are converted to 64, with constants. Their rows are CONVERT's,
 * since only these operands are compared otherwise by a compiler that has a wrong rule for it. */
GhloProbe        *ghlo_probe_new_widened   (void);
void              ghlo_probe_free          (GhloProbe        *self);

/* Memory with operands, and room for results. */
GhloKernelMemory *ghlo_probe_memory_new    (const GhloProbe  *self);
void              ghlo_probe_memory_free   (const GhloProbe  *self,
                                            GhloKernelMemory *memory);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloProbe, ghlo_probe_free)

G_END_DECLS
