/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Recognises attention as programs write it: a product of queries and keys, elementwise operations on these scores (a
 * scale, a mask), their softmax over the keys, a selection of zeros for rows without any key, and the product of the
 * softmax and the values.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

enum { GHLO_IR_ATTENTION_MAX_OPS = 48 };

/* The operations of one attention. Its reshapes only add or drop dimensions of size 1, so all values that have one
 * element for each score hold these elements in the same order. */
typedef struct
{
  const GhloIrOp    *scores;            /* the first product, of queries and keys */
  const GhloIrValue *logits;            /* the operand of the softmax; equal to the scores where no operation lies in
                                           between */
  const GhloIrOp    *maximum;           /* the maximum reduction of the softmax; it reduces the dimensions of the
                                           keys */
  const GhloIrOp    *last;              /* the second product, of softmax and values */
  guint              weights;           /* the number of the operand of @last that is the softmax */
  gboolean           has_empty_rows;    /* rows whose logits are all minus infinity have weights of 0, instead of NaN */
  guint              n_ops;             /* all operations from @scores to @last, in no particular order */
  const GhloIrOp    *ops[GHLO_IR_ATTENTION_MAX_OPS];
} GhloIrAttention;

/* Matches the attention that ends in @last and whose intermediate values have no other users. Returns NULL on
 * success, otherwise the reason why there is no match, a static string. */
const char *ghlo_ir_attention_match    (GhloIrAttention   *self,
                                        const GhloIrOp    *last);
gboolean    ghlo_ir_attention_has      (const GhloIrAttention *self,
                                        const GhloIrOp    *op);

/* Returns the first dimension of @type, from @at on, whose size is not 1, or the rank if there is none. */
static inline guint
ghlo_ir_attention_next (const GhloIrType *type,
                        guint             at)
{
  while (at < type->rank && type->dimensions[at] == 1)
    at++;

  return at;
}

G_END_DECLS
