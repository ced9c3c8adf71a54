/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fusions that are attention (ir/attention.h): the roles of their dimensions, and the kernel that computes the logits
 * from the scores.
 *
 * A fusion's body may come from anywhere: one that is not attention is left to the plan.
 */

#pragma once

#include "ir/attention.h"
#include "plan/epilogue.h"

G_BEGIN_DECLS

/* The tensors of attention. */
enum
{
  GHLO_ATTENTION_QUERIES,
  GHLO_ATTENTION_KEYS,
  GHLO_ATTENTION_VALUES,
  GHLO_ATTENTION_RESULT,
  GHLO_ATTENTION_SCORES,                /* not stored anywhere; strides are those of a dense tensor */
  GHLO_ATTENTION_N_TENSORS
};

/* The roles of dimensions. */
typedef enum
{
  GHLO_ATTENTION_BATCH,                 /* of all tensors, though its stride in the queries may be 0 */
  GHLO_ATTENTION_ROWS,                  /* of queries, the result and scores */
  GHLO_ATTENTION_LENGTH,                /* of keys, values and scores: the softmax is over it */
  GHLO_ATTENTION_FEATURES,              /* of queries and keys */
  GHLO_ATTENTION_COLUMNS,               /* of values and the result */
  GHLO_ATTENTION_N_ROLES
} GhloAttentionRole;

typedef struct
{
  GhloAttentionRole role;
  gint64            size;                               /* more than 1 */
  gint64            strides[GHLO_ATTENTION_N_TENSORS];  /* in bytes; 0 for a tensor without the dimension */
} GhloStepAttentionDimension;

/* A mask whose value for each score depends on no score. */
typedef struct
{
  GhloStepEpilogue kernel;              /* computes the mask; it writes no result of the request */
  gboolean         keeps;               /* the value of the mask where the score counts */
  double           number;              /* the logit elsewhere */
} GhloStepAttentionMask;

/* What a device needs to know of an attention before there are strides. */
typedef struct
{
  GhloElementType type, value_type;     /* of queries and keys, and of weights and values: f32, bf16, f16 or f64 */
  gint64          batches, rows, length, features, columns;
} GhloAttentionSizes;

typedef struct
{
  GhloIrAttention            attention;
  guint                      operands[GHLO_ATTENTION_RESULT];   /* of the request: the queries, keys and values */
  guint                      n_dimensions;
  GhloStepAttentionDimension dimensions[4 * GHLO_MAX_RANK];     /* of each role from the outermost to the innermost */
  gboolean                   has_kernel;        /* FALSE: the scores are the logits */
  GhloStepEpilogue           logits;            /* the kernel; it writes no result of the request */
} GhloStepAttention;

/* Returns NULL, or a static string that says why no step computes the attention: it has types that none computes with,
 * or no elements. */
const char *ghlo_attention_find_sizes (const GhloIrAttention *attention,
                                       GhloAttentionSizes    *sizes);
/* Returns NULL, or a static string that says why the request's fusion is not attention. */
const char *ghlo_step_attention_init  (GhloStepAttention     *self,
                                       const GhloStepRequest *request);
void        ghlo_step_attention_clear (GhloStepAttention     *self);
/* Finds the mask of an attention whose logits end with a selection; @mask is zero before, and must be cleared in either
 * case. FALSE where there is none. */
gboolean    ghlo_step_attention_find_mask (const GhloStepAttention *self,
                                       const GhloStepRequest *request,
                                       GhloStepAttentionMask *mask);
void        ghlo_step_attention_mask_clear (GhloStepAttentionMask *mask);

G_END_DECLS
