/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Kernels that probe how a device computes single nodes, and operands for them: combinations of special numbers, and
 * numbers for which rounding depends on the last bit or the result becomes subnormal or infinite.
 */

#pragma once

#include "kernel/interpret.h"

G_BEGIN_DECLS

enum
{
  GHLO_PROBE_POINTS   = 2048,
  GHLO_PROBE_OPERANDS = 3,      /* the first buffers; buffers of results follow, one per row */
};

/* What a buffer of results receives. */
typedef struct
{
  GhloNodeKind    kind;
  GhloElementType type;         /* of the result */
  guint8          operands;     /* bits: which of the three operands the node has */
} GhloProbeRow;

typedef struct
{
  GhloKernel      *kernel;
  GhloElementType  type;        /* of the operands */
  GhloProbeRow     rows[GHLO_KERNEL_MAX_BUFFERS];
  guint            n_rows;
} GhloProbe;

/* Probes all nodes that have operands of @type and results in @types, which are bits. */
GhloProbe *ghlo_probe_new           (GhloElementType  type,
                                     guint64          types);
/* Probes arithmetic on floats of @type with constants that compilers have rules for, and operations on a number and
 * itself, including comparisons. */
GhloProbe *ghlo_probe_new_constants (GhloElementType  type);
/* Probes comparisons of sign-extended 32-bit integers with 64-bit constants. The rows count as CONVERT, since compilers
 * with a wrong rule miscompare such operands only. */
GhloProbe *ghlo_probe_new_widened   (void);
void       ghlo_probe_free          (GhloProbe       *self);

/* Returns memory with operands and room for results. */
GhloKernelMemory *ghlo_probe_memory_new  (const GhloProbe  *self);
void              ghlo_probe_memory_free (const GhloProbe  *self,
                                          GhloKernelMemory *memory);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloProbe, ghlo_probe_free)

G_END_DECLS
