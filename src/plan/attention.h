/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fusions that are attention (ir/attention.h), by what each of their dimensions is, and the kernel that makes logits of
 * scores.
 *
 * A fusion's body may come from anywhere: what is no attention is left to the plan.
 */

#pragma once

#include "ir/attention.h"
#include "plan/epilogue.h"

G_BEGIN_DECLS

/* Of the tensors. */
enum
{
  GHLO_ATTENTION_QUERIES,
  GHLO_ATTENTION_KEYS,
  GHLO_ATTENTION_VALUES,
  GHLO_ATTENTION_RESULT,
  GHLO_ATTENTION_SCORES,                /* which are nowhere: as if they were dense */
  GHLO_ATTENTION_N_TENSORS
};

/* What dimensions are. */
typedef enum
{
  GHLO_ATTENTION_BATCH,                 /* of all tensors, though queries may be the same along it */
  GHLO_ATTENTION_ROWS,                  /* of queries, the result and scores */
  GHLO_ATTENTION_LENGTH,                /* of keys, values and scores: what the softmax is over */
  GHLO_ATTENTION_FEATURES,              /* of queries and keys */
  GHLO_ATTENTION_COLUMNS,               /* of values and the result */
  GHLO_ATTENTION_N_ROLES
} GhloAttentionRole;

typedef struct
{
  GhloAttentionRole role;
  gint64            size;                               /* more than 1 */
  gint64            strides[GHLO_ATTENTION_N_TENSORS];  /* bytes; 0 of a tensor without it */
} GhloStepAttentionDimension;

typedef struct
{
  GhloIrAttention            attention;
  guint                      operands[GHLO_ATTENTION_RESULT];   /* of the request: queries, keys, values */
  guint                      n_dimensions;
  GhloStepAttentionDimension dimensions[4 * GHLO_MAX_RANK];     /* of a role from the outermost on */
  gboolean                   has_kernel;        /* else scores are the logits */
  GhloStepEpilogue           logits;            /* the kernel, which gives no result of the request */
} GhloStepAttention;

/* NULL, or the reason, static, why the request's fusion is none of these. */
const char *ghlo_step_attention_init  (GhloStepAttention     *self,
                                       const GhloStepRequest *request);
void        ghlo_step_attention_clear (GhloStepAttention     *self);

G_END_DECLS
