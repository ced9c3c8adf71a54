/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The custom call ApproxTopK: returns the first elements along one dimension, in the order that a comparator defines,
 * of one or more arrays that are sorted together. The definition allows an approximate result, which may be faster on
 * some devices; GHLO's executors always compute the exact one.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

#define GHLO_IR_APPROX_TOP_K "ApproxTopK"

typedef struct
{
  guint              n;             /* number of arrays. They are the first operands; n initial values follow, which
                                       are ignored */
  guint              dimension;
  gint64             count;         /* size of that dimension in the results */
  const char        *name;          /* name of the comparator function */
  const GhloIrBlock *comparator;    /* body of the comparator; its arguments are a pair of elements of each array */
} GhloIrApproxTopK;

/* Reads @op. Returns FALSE if its operands, results, comparator or options do not fit together; @problem is then set
 * to a sentence that the caller frees. */
gboolean ghlo_ir_approx_top_k_read (GhloIrApproxTopK *self,
                                    const GhloIrOp   *op,
                                    char            **problem);

G_END_DECLS
