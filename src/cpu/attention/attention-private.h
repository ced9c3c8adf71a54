/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One block of rows and keys of attention.
 */

#pragma once

#include "cpu/attention/attention.h"

G_BEGIN_DECLS

/* A kernel with an element for each score, run on rows of a block. */
typedef struct
{
  GhloCpuKernelRun run;
  gint64           result_size;         /* bytes of an element of its result */
  gpointer         buffers[GHLO_KERNEL_MAX_BUFFERS];
} GhloCpuAttentionKernel;

typedef struct
{
  const GhloCpuAttention *attention;
  guint8                 *scratch;      /* the worker's */
  guint                   worker;
  /* At the first element of the batch: */
  const guint8           *queries, *keys, *values;
  guint8                 *result;
  gint64                  scores;       /* the number of the score, among all */
  gint64                  first_row, n_rows, first_key, n_keys;
  const guint8           *packed;               /* each block of keys and its values, where they are packed ahead */
  const guint8           *values_are_finite;    /* for each block of keys; where there is a mask */
  GhloCpuAttentionKernel  logits, mask;         /* where there is one */
} GhloCpuAttentionBlock;

static inline gpointer
ghlo_cpu_attention_at (const GhloCpuAttentionBlock *block,
                       gsize                        offset)
{
  return block->scratch + offset;
}

/* Row @row of the block in an array of rows that are @stride numbers apart. */
static inline guint8 *
ghlo_cpu_attention_row (const GhloCpuAttentionBlock *block,
                        gsize                        offset,
                        gint64                       row,
                        gint64                       stride)
{
  return block->scratch + offset + row * stride * block->attention->number_size;
}

/* Applies an elementwise operation to @n adjacent numbers. */
static inline void
ghlo_cpu_attention_combine (const GhloCpuAttention *self,
                            guint                   operation,
                            const guint8           *lhs,
                            const guint8           *rhs,
                            guint8                 *to,
                            gsize                   n)
{
  const guint8 *const operands[] = { lhs, rhs };

  ghlo_cpu_elementwise_routines ()->loops[self->number][operation] (operands, to, n, NULL);
}

/* Prepares the queries of the block's rows. */
void ghlo_cpu_attention_read_queries   (const GhloCpuAttentionBlock *block);
/* Packs the block's keys and values into @packed. */
void ghlo_cpu_attention_pack           (const GhloCpuAttentionBlock *block,
                                        guint8                      *packed);
/* Multiplies queries and keys into scores, and weights and values into the sums, to which the products are added. */
void ghlo_cpu_attention_multiply_keys  (const GhloCpuAttentionBlock *block);
void ghlo_cpu_attention_multiply_values (const GhloCpuAttentionBlock *block);
/* Runs a kernel on rows of the block's scores; on more than one only where rows follow each other. */
void ghlo_cpu_attention_run_kernel     (const GhloCpuAttentionBlock *block,
                                        GhloCpuAttentionKernel      *kernel,
                                        gint64                       row,
                                        gint64                       n_rows,
                                        guint8                      *scores,
                                        guint8                      *results);
/* Whether all values of the block's keys are finite. */
gboolean ghlo_cpu_attention_examine_values (const GhloCpuAttentionBlock *block);
/* Whether all keys of the block have weights of 0 in all rows and finite values, so that they change nothing. */
gboolean ghlo_cpu_attention_is_empty   (GhloCpuAttentionBlock       *block);
/* Sets the maxima, totals and sums to those of no keys. */
void ghlo_cpu_attention_begin          (const GhloCpuAttentionBlock *block);
/* Turns the scores into weights relative to the maximum so far, and scales sums and totals if that has grown. */
void ghlo_cpu_attention_weigh          (GhloCpuAttentionBlock       *block);
/* Writes what the keys of a part have given to @partial, and adds that to the block. */
void ghlo_cpu_attention_save           (const GhloCpuAttentionBlock *block,
                                        guint8                      *partial);
void ghlo_cpu_attention_merge          (const GhloCpuAttentionBlock *block,
                                        const guint8                *partial);
/* Divides the sums by the totals and writes the rows of the result. */
void ghlo_cpu_attention_end            (const GhloCpuAttentionBlock *block);

G_END_DECLS
