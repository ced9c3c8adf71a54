/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The custom call ApproxTopK: what comes first along a dimension by a comparator, of arrays that are ordered together.
 * It may miss some of it where a device gains by that; none of ours does.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

#define GHLO_IR_APPROX_TOP_K "ApproxTopK"

typedef struct
{
  guint              n;             /* arrays, the first operands; then as many initial values, which nobody needs */
  guint              dimension;
  gint64             count;         /* results have in it */
  const char        *name;          /* the comparator's */
  const GhloIrBlock *comparator;    /* its arguments are a pair of each array's elements */
} GhloIrApproxTopK;

/* FALSE, and a sentence in @problem, owned by the caller, where operands, results, comparator and options do not
 * fit. */
gboolean ghlo_ir_approx_top_k_read (GhloIrApproxTopK *self,
                                    const GhloIrOp   *op,
                                    char            **problem);

G_END_DECLS
