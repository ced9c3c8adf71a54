/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Attention as programs write it: a product of queries and keys, elementwise operations on these scores (a scale, a
 * mask), their softmax over the keys, and the product of that and values.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

enum { GHLO_IR_ATTENTION_MAX_OPS = 48 };

/* Reshapes in it add and drop dimensions of size 1 alone, so that all of its values with an element for each score have
 * these in one order. */
typedef struct
{
  const GhloIrOp    *scores;            /* the first product */
  const GhloIrValue *logits;            /* what the softmax is of; the scores themselves, where nothing is between */
  const GhloIrOp    *maximum;           /* the reduction: its dimensions are those of the keys */
  const GhloIrOp    *last;              /* the second product */
  guint              weights;           /* the operand of that which is the softmax */
  guint              n_ops;             /* from @scores to @last, in no order */
  const GhloIrOp    *ops[GHLO_IR_ATTENTION_MAX_OPS];
} GhloIrAttention;

/* NULL, or why @last is not the end of an attention of whose other values nobody else uses any; static. */
const char *ghlo_ir_attention_match    (GhloIrAttention   *self,
                                        const GhloIrOp    *last);
gboolean    ghlo_ir_attention_has      (const GhloIrAttention *self,
                                        const GhloIrOp    *op);

/* The next dimension of @type from @at on whose size is not 1; its rank where there is none. */
static inline guint
ghlo_ir_attention_next (const GhloIrType *type,
                        guint             at)
{
  while (at < type->rank && type->dimensions[at] == 1)
    at++;

  return at;
}

G_END_DECLS
