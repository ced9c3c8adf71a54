/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The softmax of a block: logits by the kernel of the fusion, and weights relative to the maximum of the keys so far.
 * The same loops compute all of it that elementwise steps use.
 *
 * The maximum starts from the lowest finite number, so that no difference of infinities arises where a row has no key
 * yet: weights of -inf are 0, and a row that ends without any key has a total of 0 and is NaN, as in a softmax, unless
 * the attention has empty rows.
 */

#include "cpu/attention/attention-private.h"

#include "cpu/isa/routines.h"

#include <float.h>
#include <string.h>

static void
fill (const GhloCpuAttention *self,
      guint8                 *to,
      const guint8           *number,
      gsize                   n)
{
  const guint32 narrow = *(const guint32 *) (gconstpointer) number;

  if (self->number == GHLO_CPU_NUMBER_F64)
    {
      const guint64 wide = *(const guint64 *) (gconstpointer) number;

      for (gsize i = 0; i < n; i++)
        ((guint64 *) (gpointer) to)[i] = wide;
    }
  else
    for (gsize i = 0; i < n; i++)
      ((guint32 *) (gpointer) to)[i] = narrow;
}

/* Combines @n numbers with one. */
static void
combine_one (const GhloCpuAttentionBlock *block,
             guint                        operation,
             guint8                      *numbers,
             const guint8                *number,
             gsize                        n)
{
  const GhloCpuAttention *self = block->attention;
  guint8 *line = ghlo_cpu_attention_at (block, self->scratch.line);

  fill (self, line, number, n);
  ghlo_cpu_attention_combine (self, operation, numbers, line, numbers, n);
}

static void
exponentiate (const GhloCpuAttention *self,
              guint8                 *numbers,
              gsize                   n)
{
  const guint8 *const operands[] = { numbers };

  ghlo_cpu_elementwise_routines ()->functions[self->number][GHLO_NODE_EXPONENTIAL] (operands, numbers, n, NULL);
}

static void
reduce (const GhloCpuAttention *self,
        guint                   combiner,
        const guint8           *numbers,
        gsize                   n,
        guint8                 *accumulator)
{
  ghlo_cpu_elementwise_routines ()->reductions[self->number][combiner] (numbers, n, accumulator);
}

/* The kernel gets addresses as if all scores and results were in memory. */
void
ghlo_cpu_attention_run_kernel (const GhloCpuAttentionBlock *block,
                               GhloCpuAttentionKernel      *kernel,
                               gint64                       row,
                               gint64                       n_rows,
                               guint8                      *scores,
                               guint8                      *results)
{
  const GhloCpuAttention *self = block->attention;
  const GhloCpuAxis *rows = &self->axes[GHLO_ATTENTION_ROWS][GHLO_ATTENTION_SCORES];
  const gint64 size = self->score_writer.size;
  const gint64 at = block->scores + ghlo_cpu_axis_at (rows, block->first_row + row) / size + block->first_key;

  kernel->buffers[0] = (gpointer) ((guintptr) scores - (guintptr) (at * size));
  kernel->buffers[self->step.logits.n_operands + 1]
    = (gpointer) ((guintptr) results - (guintptr) (at * kernel->result_size));
  ghlo_cpu_kernel_run_part (&kernel->run, at, at + n_rows * block->n_keys, 0);
}

/* Turns a row of scores into logits. */
static void
compute_logits (GhloCpuAttentionBlock *block,
                gint64                 row,
                guint8                *numbers)
{
  const GhloCpuAttention *self = block->attention;
  const gint64 size = self->score_writer.size, n = block->n_keys;
  guint8 *scores = numbers, *logits = numbers;

  if (!self->score_writer.same)
    {
      scores = logits = ghlo_cpu_attention_at (block, self->scratch.rounded);
      ghlo_cpu_write_row (&self->score_writer, numbers, scores, size, (gsize) n);
    }
  if (self->step.has_kernel)
    {
      if (!self->is_in_place)
        logits = ghlo_cpu_attention_at (block, self->scratch.logits);
      ghlo_cpu_attention_run_kernel (block, &block->logits, row, 1, scores, logits);
    }
  if (logits != numbers)
    ghlo_cpu_read_row (&self->logit_reader, logits, self->logit_reader.size, numbers, (gsize) n);
}

void
ghlo_cpu_attention_begin (const GhloCpuAttentionBlock *block)
{
  const GhloCpuAttention *self = block->attention;
  const float lowest = -FLT_MAX;
  const double lowest_wide = -DBL_MAX;
  const gsize n_rows = (gsize) block->n_rows;

  fill (self, ghlo_cpu_attention_at (block, self->scratch.maximum),
        self->number == GHLO_CPU_NUMBER_F64 ? (gconstpointer) &lowest_wide : (gconstpointer) &lowest, n_rows);
  memset (ghlo_cpu_attention_at (block, self->scratch.total), 0, n_rows * (gsize) self->number_size);
  memset (ghlo_cpu_attention_at (block, self->scratch.sums), 0,
          n_rows * (gsize) (self->sum_row * self->number_size));
}

/* Sets next to the maxima including those in it, and multiplies totals and sums with exp (maximum - next). */
static void
rescale (const GhloCpuAttentionBlock *block)
{
  const GhloCpuAttention *self = block->attention;
  guint8 *maximum = ghlo_cpu_attention_at (block, self->scratch.maximum);
  guint8 *next = ghlo_cpu_attention_at (block, self->scratch.next);
  guint8 *factor = ghlo_cpu_attention_at (block, self->scratch.factor);
  guint8 *total = ghlo_cpu_attention_at (block, self->scratch.total);
  const gsize n_rows = (gsize) block->n_rows;

  ghlo_cpu_attention_combine (self, GHLO_SCALAR_SUBTRACT, maximum, next, factor, n_rows);
  exponentiate (self, factor, n_rows);
  ghlo_cpu_attention_combine (self, GHLO_SCALAR_MULTIPLY, total, factor, total, n_rows);
  for (gint64 i = 0; i < block->n_rows; i++)
    if (memcmp (maximum + i * self->number_size, next + i * self->number_size, (gsize) self->number_size) != 0)
      combine_one (block, GHLO_SCALAR_MULTIPLY, ghlo_cpu_attention_row (block, self->scratch.sums, i, self->sum_row),
                   factor + i * self->number_size, (gsize) self->counts[GHLO_ATTENTION_COLUMNS]);
  memcpy (maximum, next, n_rows * (gsize) self->number_size);
}

/* Turns the logits of rows, or their scores where there is a factor, into weights relative to the maximum of those in
 * @next and of all of them, which @next gets, and sets their sums in @part. A weight of f32 is NaN where a logit is,
 * though the maximum is not. */
static void
weigh_rows (const GhloCpuAttentionBlock *block,
            gint64                       first,
            gint64                       n_rows)
{
  const GhloCpuAttention *self = block->attention;
  const gsize n = (gsize) block->n_keys;
  guint8 *row = ghlo_cpu_attention_row (block, self->scratch.scores, first, self->score_row);
  guint8 *maximum = ghlo_cpu_attention_row (block, self->scratch.next, first, 1);
  guint8 *total = ghlo_cpu_attention_row (block, self->scratch.part, first, 1);

  if (self->number == GHLO_CPU_NUMBER_F32)
    ghlo_cpu_routines ()->weigh ((gpointer) row, (gsize) n_rows, (gsize) self->score_row, n, self->scale,
                                 (gpointer) maximum, (gpointer) total);
  else
    for (; n_rows > 0; n_rows--)
      {
        reduce (self, GHLO_COMBINER_MAXIMUM, row, n, maximum);
        combine_one (block, GHLO_SCALAR_SUBTRACT, row, maximum, n);
        exponentiate (self, row, n);
        reduce (self, GHLO_COMBINER_ADD, row, n, total);
        row += self->score_row * self->number_size;
        maximum += self->number_size;
        total += self->number_size;
      }
}

void
ghlo_cpu_attention_weigh (GhloCpuAttentionBlock *block)
{
  const GhloCpuAttention *self = block->attention;
  const gsize n_rows = (gsize) block->n_rows, size = (gsize) self->number_size;
  guint8 *next = ghlo_cpu_attention_at (block, self->scratch.next);
  guint8 *part = ghlo_cpu_attention_at (block, self->scratch.part);
  guint8 *total = ghlo_cpu_attention_at (block, self->scratch.total);

  memcpy (next, ghlo_cpu_attention_at (block, self->scratch.maximum), n_rows * size);
  memset (part, 0, n_rows * size);
  if (self->is_compact)
    {
      guint8 *scores = ghlo_cpu_attention_at (block, self->scratch.scores);

      ghlo_cpu_attention_run_kernel (block, &block->logits, 0, block->n_rows, scores, scores);
    }
  if (!self->is_compact && (self->step.has_kernel || !self->score_writer.same))
    for (gint64 i = 0; i < block->n_rows; i++)
      {
        compute_logits (block, i, ghlo_cpu_attention_row (block, self->scratch.scores, i, self->score_row));
        weigh_rows (block, i, 1);
      }
  else
    weigh_rows (block, 0, block->n_rows);
  rescale (block);
  ghlo_cpu_attention_combine (self, GHLO_SCALAR_ADD, total, part, total, n_rows);
}

/* A partial result has the maxima, the totals, and the sums of all rows of a block. */
void
ghlo_cpu_attention_save (const GhloCpuAttentionBlock *block,
                         guint8                      *partial)
{
  const GhloCpuAttention *self = block->attention;
  const gsize numbers = (gsize) (self->rows * self->number_size);

  memcpy (partial, ghlo_cpu_attention_at (block, self->scratch.maximum), numbers);
  memcpy (partial + numbers, ghlo_cpu_attention_at (block, self->scratch.total), numbers);
  memcpy (partial + 2 * numbers, ghlo_cpu_attention_at (block, self->scratch.sums), (gsize) self->sum_row * numbers);
}

void
ghlo_cpu_attention_merge (const GhloCpuAttentionBlock *block,
                          const guint8                *partial)
{
  const GhloCpuAttention *self = block->attention;
  const gsize numbers = (gsize) (self->rows * self->number_size), n_rows = (gsize) block->n_rows;
  const guint8 *totals = partial + numbers, *sums = partial + 2 * numbers;
  guint8 *next = ghlo_cpu_attention_at (block, self->scratch.next);
  guint8 *part = ghlo_cpu_attention_at (block, self->scratch.part);
  guint8 *total = ghlo_cpu_attention_at (block, self->scratch.total);
  guint8 *row = ghlo_cpu_attention_at (block, self->scratch.scores);

  ghlo_cpu_attention_combine (self, GHLO_SCALAR_MAXIMUM, ghlo_cpu_attention_at (block, self->scratch.maximum),
                              partial, next, n_rows);
  rescale (block);
  ghlo_cpu_attention_combine (self, GHLO_SCALAR_SUBTRACT, partial, next, part, n_rows);
  exponentiate (self, part, n_rows);
  for (gint64 i = 0; i < block->n_rows; i++)
    {
      guint8 *sum = ghlo_cpu_attention_row (block, self->scratch.sums, i, self->sum_row);
      const gsize n_columns = (gsize) self->counts[GHLO_ATTENTION_COLUMNS];

      memcpy (row, sums + i * self->sum_row * self->number_size, n_columns * (gsize) self->number_size);
      combine_one (block, GHLO_SCALAR_MULTIPLY, row, part + i * self->number_size, n_columns);
      ghlo_cpu_attention_combine (self, GHLO_SCALAR_ADD, sum, row, sum, n_columns);
    }
  ghlo_cpu_attention_combine (self, GHLO_SCALAR_MULTIPLY, part, totals, part, n_rows);
  ghlo_cpu_attention_combine (self, GHLO_SCALAR_ADD, total, part, total, n_rows);
}

void
ghlo_cpu_attention_end (const GhloCpuAttentionBlock *block)
{
  const GhloCpuAttention *self = block->attention;
  const GhloCpuAxis *rows = &self->axes[GHLO_ATTENTION_ROWS][GHLO_ATTENTION_RESULT];
  const gint64 n_columns = self->counts[GHLO_ATTENTION_COLUMNS];
  const guint8 *total = ghlo_cpu_attention_at (block, self->scratch.total);
  const guint64 none = 0;

  for (gint64 i = 0; i < block->n_rows; i++)
    {
      guint8 *sums = ghlo_cpu_attention_row (block, self->scratch.sums, i, self->sum_row);
      const guint8 *divisor = total + i * self->number_size;

      /* The largest weight of a row with a key is 1. */
      if (!self->step.attention.has_empty_rows || memcmp (divisor, &none, (gsize) self->number_size) != 0)
        combine_one (block, GHLO_SCALAR_DIVIDE, sums, divisor, (gsize) n_columns);
      ghlo_cpu_write_axis (&self->result_writer, sums, block->result + ghlo_cpu_axis_at (rows, block->first_row + i),
                           &self->axes[GHLO_ATTENTION_COLUMNS][GHLO_ATTENTION_RESULT], 0, n_columns);
    }
}
