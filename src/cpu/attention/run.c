/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs attention. A task is a block of rows of one batch, with all keys or one part of them. Partial results are merged
 * in the order of the keys.
 */

#include "cpu/attention/attention-private.h"
#include "cpu/finish.h"
#include "runtime/parallel.h"

/* Approximate nanoseconds to pack or to examine one value. */
#define PREPARE_TIME 0.3

typedef struct
{
  const GhloCpuAttention *attention;
  const guint8           *tensors[GHLO_ATTENTION_RESULT];
  guint8                 *result;
  GhloCpuAttentionKernel  logits, mask; /* with the buffers of operands */
  guint8                 *scratch;      /* of the workers */
  guint8                 *partials;
  /* For each block of keys of each batch: */
  guint8                 *packed;
  guint8                 *values_are_finite;
  const GhloMonitor      *monitor;
} Run;

static gsize
count_blocks (const GhloCpuAttention *self)
{
  return (gsize) (self->counts[GHLO_ATTENTION_BATCH] * self->n_row_blocks);
}

/* The blocks of keys of one batch. */
static gint64
count_key_blocks (const GhloCpuAttention *self)
{
  return ghlo_ceil_div (self->counts[GHLO_ATTENTION_LENGTH], self->keys);
}

static gsize
count_all_key_blocks (const GhloCpuAttention *self)
{
  return (gsize) (self->counts[GHLO_ATTENTION_BATCH] * count_key_blocks (self));
}

gsize
ghlo_cpu_attention_scratch (const GhloCpuAttention *self)
{
  const gsize n_tasks = count_blocks (self) * (gsize) self->n_parts, n_key_blocks = count_all_key_blocks (self);

  return self->scratch.size * MIN (MAX (n_tasks, n_key_blocks), ghlo_parallel_n_workers ())
         + self->partial_size * n_tasks + (self->packs_ahead ? self->packed_size * n_key_blocks : 0)
         + self->finite_size;
}

static void
begin_kernel (const GhloCpuAttentionBlock  *block,
              const GhloCpuAttentionKernel *from,
              const GhloCpuKernel          *kernel,
              const GhloMonitor            *monitor,
              GhloCpuAttentionKernel       *to)
{
  *to = *from;
  ghlo_cpu_kernel_run_init (&to->run, kernel, to->buffers,
                            ghlo_cpu_attention_at (block, block->attention->scratch.kernel), monitor);
}

/* Prepares the block @number of all batches. */
static void
begin_block (const Run             *run,
             GhloCpuAttentionBlock *block,
             gsize                  number,
             guint                  worker)
{
  const GhloCpuAttention *self = run->attention;
  const GhloCpuAxis *batch = self->axes[GHLO_ATTENTION_BATCH];
  const gint64 at = (gint64) number / self->n_row_blocks;

  block->attention = self;
  block->scratch = run->scratch + worker * self->scratch.size;
  block->queries = run->tensors[GHLO_ATTENTION_QUERIES] + ghlo_cpu_axis_at (&batch[GHLO_ATTENTION_QUERIES], at);
  block->keys = run->tensors[GHLO_ATTENTION_KEYS] + ghlo_cpu_axis_at (&batch[GHLO_ATTENTION_KEYS], at);
  block->values = run->tensors[GHLO_ATTENTION_VALUES] + ghlo_cpu_axis_at (&batch[GHLO_ATTENTION_VALUES], at);
  block->result = run->result + ghlo_cpu_axis_at (&batch[GHLO_ATTENTION_RESULT], at);
  block->scores = ghlo_cpu_axis_at (&batch[GHLO_ATTENTION_SCORES], at) / self->score_writer.size;
  block->first_row = (gint64) number % self->n_row_blocks * self->rows;
  block->n_rows = MIN (self->rows, self->counts[GHLO_ATTENTION_ROWS] - block->first_row);
  block->packed = run->packed + (gsize) (at * count_key_blocks (self)) * self->packed_size;
  block->values_are_finite = run->values_are_finite + at * count_key_blocks (self);
  if (self->step.has_kernel)
    begin_kernel (block, &run->logits, &self->kernel, run->monitor, &block->logits);
  if (self->has_mask)
    begin_kernel (block, &run->mask, &self->mask_kernel, run->monitor, &block->mask);
}

/* Packs and examines blocks of keys and values. */
static void
prepare_blocks (gpointer data,
                gsize    begin,
                gsize    end,
                guint    worker)
{
  const Run *run = data;
  const GhloCpuAttention *self = run->attention;
  const gint64 n_blocks = count_key_blocks (self);

  for (gsize i = begin; i < end && !ghlo_monitor_cancelled (run->monitor, NULL); i++)
    {
      GhloCpuAttentionBlock block;

      begin_block (run, &block, i / (gsize) n_blocks * (gsize) self->n_row_blocks, worker);
      block.first_key = (gint64) i % n_blocks * self->keys;
      block.n_keys = MIN (self->keys, self->counts[GHLO_ATTENTION_LENGTH] - block.first_key);
      if (self->packs_ahead)
        ghlo_cpu_attention_pack (&block, run->packed + i * self->packed_size);
      if (self->has_mask)
        run->values_are_finite[i] = ghlo_cpu_attention_examine_values (&block);
    }
}

static void
run_tasks (gpointer data,
           gsize    begin,
           gsize    end,
           guint    worker)
{
  const Run *run = data;
  const GhloCpuAttention *self = run->attention;

  for (gsize task = begin; task < end; task++)
    {
      const gint64 part = (gint64) (task % (gsize) self->n_parts);
      const gint64 last = MIN ((part + 1) * self->part, self->counts[GHLO_ATTENTION_LENGTH]);
      GhloCpuAttentionBlock block;

      begin_block (run, &block, task / (gsize) self->n_parts, worker);
      ghlo_cpu_attention_read_queries (&block);
      ghlo_cpu_attention_begin (&block);
      for (block.first_key = part * self->part; block.first_key < last; block.first_key += self->keys)
        {
          if (ghlo_monitor_cancelled (run->monitor, NULL))
            return;
          block.n_keys = MIN (self->keys, last - block.first_key);
          if (ghlo_cpu_attention_is_empty (&block))
            continue;
          ghlo_cpu_attention_multiply_keys (&block);
          ghlo_cpu_attention_weigh (&block);
          ghlo_cpu_attention_multiply_values (&block);
        }
      if (self->n_parts > 1)
        ghlo_cpu_attention_save (&block, run->partials + task * self->partial_size);
      else
        ghlo_cpu_attention_end (&block);
    }
}

static void
merge_parts (gpointer data,
             gsize    begin,
             gsize    end,
             guint    worker)
{
  const Run *run = data;
  const GhloCpuAttention *self = run->attention;

  for (gsize number = begin; number < end; number++)
    {
      GhloCpuAttentionBlock block;

      begin_block (run, &block, number, worker);
      ghlo_cpu_attention_begin (&block);
      for (gsize part = 0; part < (gsize) self->n_parts; part++)
        ghlo_cpu_attention_merge (&block, run->partials + (number * (gsize) self->n_parts + part) * self->partial_size);
      ghlo_cpu_attention_end (&block);
    }
}

static void
prepare_all (Run *run)
{
  const GhloCpuAttention *self = run->attention;
  const gsize n = count_all_key_blocks (self);

  ghlo_parallel_for (n, 1, PREPARE_TIME * (double) (n * (gsize) (self->keys * self->counts[GHLO_ATTENTION_COLUMNS])),
                     prepare_blocks, run, run->monitor);
}

/* The buffers of scores and results are set for each row. */
static void
read_kernel (const GhloStepEpilogue *from,
             const GhloView         *operands,
             gint64                  result_size,
             GhloCpuAttentionKernel *to)
{
  for (guint i = 0; i < from->n_operands; i++)
    to->buffers[i + 1] = operands[i].data + from->lowered.starts[i + 1];
  to->result_size = result_size;
}

gboolean
ghlo_cpu_attention_run (const GhloCpuAttention  *self,
                        const GhloView          *operands,
                        const GhloView          *results,
                        gpointer                 scratch,
                        const GhloMonitor       *monitor,
                        GError                 **error)
{
  const gsize n_blocks = count_blocks (self), n_tasks = n_blocks * (gsize) self->n_parts;
  Run run = { .attention = self, .result = results[0].data, .partials = scratch, .monitor = monitor };
  gboolean done;

  run.packed = run.partials + n_tasks * self->partial_size;
  run.values_are_finite = run.packed + (self->packs_ahead ? count_all_key_blocks (self) * self->packed_size : 0);
  run.scratch = run.values_are_finite + self->finite_size;
  for (guint i = 0; i < GHLO_ATTENTION_RESULT; i++)
    run.tensors[i] = operands[self->step.operands[i]].data;
  if (self->step.has_kernel)
    read_kernel (&self->step.logits, operands, self->logit_reader.size, &run.logits);
  if (self->has_mask)
    read_kernel (&self->mask.kernel, operands, 1, &run.mask);
  if (self->has_mask || self->packs_ahead)
    prepare_all (&run);
  done = ghlo_parallel_for (n_tasks, 1, self->nanoseconds, run_tasks, &run, monitor)
         && !ghlo_monitor_cancelled (monitor, NULL);
  if (done && self->n_parts > 1)
    done = ghlo_parallel_for (n_blocks, 1, self->nanoseconds / (double) self->counts[GHLO_ATTENTION_LENGTH],
                              merge_parts, &run, monitor);

  return ghlo_cpu_finish (done, monitor, error);
}
