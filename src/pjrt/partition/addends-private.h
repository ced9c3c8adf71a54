/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finding out whose addends are known and where operations are to be cut for them (addends-find.c), for whoever makes
 * them (addends.c).
 */

#pragma once

#include "passes/rewrite.h"
#include "pjrt/sharding/propagation.h"

G_BEGIN_DECLS

/* At work on one output. */
typedef struct
{
  GhloRewriter         maker;           /* before the entry's return */
  GhloPjrtPropagation *propagation;     /* borrowed */
  GhloPjrtMesh         mesh;            /* owned, as what follows */
  GhloPjrtAxes         axes;            /* along which the output is not reduced */
  guint                n;               /* addends */
  GHashTable          *known;           /* GhloIrValue → whether its addends are known, as a number */
  GHashTable          *made;            /* GhloIrValue → the addend at work */
  guint                depth;
} GhloPjrtAdder;

/* A dimension in @size parts, of which addend i is made of number i / @stride % @size. */
typedef struct
{
  guint operand, dimension;
  guint size, stride;
  guint axes;                           /* bits: which of the output's */
} GhloPjrtCut;

/* Where an operation's operands are to be cut so that what it gives of the parts is one addend. */
typedef struct
{
  guint       n;
  GhloPjrtCut cuts[2 * GHLO_PJRT_MAX_PRIMES];
  guint       axes;                     /* of all of them */
  gboolean    is_wrong;                 /* several dimensions lie along one axis */
  int         only_first;               /* the operand that counts in the first addend alone; -1 for none */
} GhloPjrtCuts;

/* How many addends differ where primes of the output's from @first on, @n of them, do. */
guint    ghlo_pjrt_addends_count      (const GhloPjrtAdder *self,
                                       guint                first,
                                       guint                n);
/* The primes of @mesh that @sharding's tensor is not reduced along; FALSE for none. */
gboolean ghlo_pjrt_addends_read_axes  (const GhloPjrtMesh  *mesh,
                                       const GhloSdyAttr   *sharding,
                                       GhloPjrtAxes        *axes);
/* Whether @value is a sum along the axes whose addends are known. */
gboolean ghlo_pjrt_addends_are_known  (GhloPjrtAdder       *self,
                                       const GhloIrValue   *value);
/* The dimensions of @value by which it is in parts along all of the axes; FALSE where it is not. */
gboolean ghlo_pjrt_addends_find_parts (const GhloPjrtAdder *self,
                                       const GhloIrValue   *value,
                                       GhloPjrtCuts        *cuts);
/* Where @op adds over dimensions that lie along all of the axes; FALSE where it does not. */
gboolean ghlo_pjrt_addends_find_cuts  (const GhloPjrtAdder *self,
                                       const GhloIrOp      *op,
                                       GhloPjrtCuts        *cuts);

G_END_DECLS
