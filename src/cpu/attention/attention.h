/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Attention as one step: the scores of some rows of queries and some keys at a time, their softmax by running maxima
 * and sums, and the product with values. No more scores than that are in memory.
 *
 * The numbers depend on shapes only: they are the same for any number of threads.
 */

#pragma once

#include "cpu/gemm/pack.h"
#include "cpu/isa/elementwise.h"
#include "cpu/jit/compiled-kernel.h"
#include "plan/attention.h"

G_BEGIN_DECLS

/* Offsets of arrays in the scratch of a worker. Numbers are f32, or f64 for operands of f64; a pair of bf16 counts as
 * one. */
typedef struct
{
  gsize queries;                        /* row by row */
  gsize packed;                         /* keys, then values, unless they are packed ahead */
  gsize scores;                         /* of a block, row by row; then its weights */
  gsize products;                       /* of a block with vectors */
  gsize sums;                           /* weighted sums of values, row by row */
  gsize maximum, next, factor, total, part;   /* a number for each row */
  gsize line;                           /* one number, repeated */
  gsize rounded, logits;                /* a row of scores, and of logits, in their own types */
  gsize rest;                           /* for packing */
  gsize kernel;
  gsize size;
} GhloCpuAttentionScratch;

/* Keys or values, and how they are multiplied. */
typedef struct
{
  GhloCpuReader      reader;
  /* Where they are packed: */
  GhloCpuPacker      packer;
  gsize              packed_at;         /* offset in a block that is packed ahead */
  gboolean           is_paired;         /* both factors are pairs of bf16; else numbers */
  const GhloCpuRowTileFunc (*tiles)[2]; /* by height */
  /* Where vectors are multiplied with them in place: */
  GhloCpuVectorsFunc multiply;
  gint64             stride;            /* in bytes */
} GhloCpuAttentionFactor;

typedef struct
{
  GhloStepAttention   step;
  GhloCpuKernel       kernel;           /* computes the logits, where step.has_kernel */
  gboolean            has_mask;
  GhloStepAttentionMask mask;
  GhloCpuKernel       mask_kernel;
  gboolean            is_in_place;      /* the logits may overwrite the scores, which have the same type */
  GhloCpuArithmetic   arithmetic;
  GhloCpuNumber       number;           /* the same as a number of elementwise loops */
  gint64              number_size;
  /* The dimensions of each role as one axis, by tensor. */
  GhloCpuAxis         axes[GHLO_ATTENTION_N_ROLES][GHLO_ATTENTION_N_TENSORS];
  gint64              counts[GHLO_ATTENTION_N_ROLES];

  float               scale;            /* logits are scores times this, unless step.has_kernel */
  GhloCpuReader       query_reader, logit_reader;
  GhloCpuWriter       score_writer, result_writer;
  /* Few rows are multiplied as vectors with keys and values in place; others by tiles, with keys and values packed. */
  gboolean            has_vectors;
  GhloCpuAttentionFactor key, value;

  gint64              rows, keys;       /* the most of a block */
  gboolean            is_compact;       /* a block has all keys, and its rows follow each other */
  gint64              part;             /* keys of a part, a multiple of those of a block */
  gint64              n_row_blocks, n_parts;
  gint64              query_row, score_row, sum_row;    /* numbers from one row to the next */
  double              nanoseconds;      /* estimated, on one thread */
  GhloCpuAttentionScratch scratch;
  gsize               partial_size;     /* bytes of the sums, maxima and totals of one part of a block of rows */
  /* Keys and values of all batches are packed first, where several blocks of rows read them. */
  gboolean            packs_ahead;
  gsize               packed_size;      /* bytes of a block of keys and its values */
  gsize               finite_size;      /* bytes that say which blocks of values are finite; 0: no mask */
} GhloCpuAttention;

/* Returns a static string that says why the CPU does not compute @ops, which end with the second product, as one step,
 * or NULL. */
const char *ghlo_cpu_attention_obstacle (const GhloIrOp *const *ops,
                                         guint                  n_ops);
/* The same, also where separate steps are as fast. */
const char *ghlo_cpu_attention_declines (const GhloIrOp *const *ops,
                                         guint                  n_ops);
/* Returns NULL, or a static string that says why the request is not an attention that the CPU computes. @self, which
 * was zero, must be cleared in either case. */
const char *ghlo_cpu_attention_init     (GhloCpuAttention      *self,
                                         const GhloStepRequest *request);
void        ghlo_cpu_attention_clear    (GhloCpuAttention      *self);
/* Bytes of scratch of a run. */
gsize       ghlo_cpu_attention_scratch  (const GhloCpuAttention *self);
/* As run () of GhloStepImplementation. */
gboolean    ghlo_cpu_attention_run      (const GhloCpuAttention *self,
                                         const GhloView        *operands,
                                         const GhloView        *results,
                                         gpointer               scratch,
                                         const GhloMonitor     *monitor,
                                         GError               **error);

G_END_DECLS
