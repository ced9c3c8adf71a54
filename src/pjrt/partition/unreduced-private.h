/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Analysis of the addends of unreduced outputs (unreduced-find.c): which values' addends are known, and by
 * which slices of their operands operations compute them. Used by the construction of addends (unreduced.c).
 */

#pragma once

#include "passes/rewrite.h"
#include "pjrt/sharding/propagation.h"

G_BEGIN_DECLS

/* The state of the work on one output. */
typedef struct
{
  GhloRewriter         maker;           /* inserts before the entry's return */
  GhloPjrtPropagation *propagation;     /* borrowed */
  GhloPjrtMesh         mesh;            /* owned, as are the fields below */
  GhloPjrtAxes         axes;            /* the axes along which the output is unreduced */
  guint                n;               /* the number of addends */
  GHashTable          *known;           /* GhloIrValue → whether its addends are known, as an integer */
  GHashTable          *made;            /* GhloIrValue → its addend for the index at work */
  guint                depth;
} GhloPjrtUnreduced;

/* A dimension that is divided into @size parts. Addend i uses part i / @stride % @size. */
typedef struct
{
  guint operand, dimension;
  guint size, stride;
  guint axes;                           /* bits: indices into the output's axes */
} GhloPjrtSlice;

/* The slices of an operation's operands from which the operation computes one addend. */
typedef struct
{
  guint         n;
  GhloPjrtSlice slices[2 * GHLO_PJRT_MAX_PRIMES];
  guint         axes;                   /* of all slices together */
  gboolean      is_wrong;               /* several dimensions are sharded along the same axis */
  int           only_first;             /* the operand that only counts in the first addend; -1 for none */
} GhloPjrtSlices;

/* Returns the number of addends that differ only in the @n primes of the output's axes from @first on. */
guint    ghlo_pjrt_unreduced_count       (const GhloPjrtUnreduced *self,
                                          guint                    first,
                                          guint                    n);
/* Reads the primes of @mesh along which @sharding's tensor is unreduced. Returns FALSE when there are none. */
gboolean ghlo_pjrt_unreduced_read_axes   (const GhloPjrtMesh      *mesh,
                                          const GhloSdyAttr       *sharding,
                                          GhloPjrtAxes            *axes);
/* Whether @value is a sum along the axes whose addends are known. */
gboolean ghlo_pjrt_unreduced_has_addends (GhloPjrtUnreduced       *self,
                                          const GhloIrValue       *value);
/* Finds the dimensions by which @value is sharded along all of the axes. Returns FALSE when there are none. */
gboolean ghlo_pjrt_unreduced_find_parts  (const GhloPjrtUnreduced *self,
                                          const GhloIrValue       *value,
                                          GhloPjrtSlices          *slices);
/* Finds where @op adds over dimensions that are sharded along all of the axes. Returns FALSE when it does not. */
gboolean ghlo_pjrt_unreduced_find_slices (const GhloPjrtUnreduced *self,
                                          const GhloIrOp          *op,
                                          GhloPjrtSlices          *slices);

G_END_DECLS
