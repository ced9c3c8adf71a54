/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Blocks that contribute nothing are left out: those in which a mask excludes all keys for all rows, as a causal mask
 * does above the diagonal, where the weights next to the maxima so far are exactly 0. A weight of 0 times a value that
 * is not finite is NaN, so values are examined first.
 */

#include "cpu/attention/attention-private.h"

#include <math.h>
#include <string.h>

/* The least difference whose exponential is 0 when negated. */
#define LEAST_F32 104.0
#define LEAST_F64 746.0

static double
number_at (const GhloCpuAttention *self,
           const guint8           *numbers,
           gint64                  i)
{
  return self->number == GHLO_CPU_NUMBER_F64 ? ((const double *) (gconstpointer) numbers)[i]
                                             : (double) ((const float *) (gconstpointer) numbers)[i];
}

/* Whether the weights of excluded keys are 0 in all rows; not where a maximum is NaN. */
static gboolean
has_zero_weights (const GhloCpuAttentionBlock *block)
{
  const GhloCpuAttention *self = block->attention;
  const guint8 *maxima = ghlo_cpu_attention_at (block, self->scratch.maximum);
  const double least = self->number == GHLO_CPU_NUMBER_F64 ? LEAST_F64 : LEAST_F32;

  for (gint64 i = 0; i < block->n_rows; i++)
    if (!(number_at (self, maxima, i) - self->mask.number >= least))
      return FALSE;

  return TRUE;
}

/* Begins with the last row, which sees most keys where a mask is causal. */
static gboolean
is_excluded (GhloCpuAttentionBlock *block)
{
  const GhloCpuAttention *self = block->attention;
  guint8 *mask = ghlo_cpu_attention_at (block, self->scratch.rounded);

  for (gint64 i = block->n_rows; i > 0; i--)
    {
      ghlo_cpu_attention_run_kernel (block, &block->mask, i - 1, 1, mask, mask);
      if (memchr (mask, self->mask.keeps ? 1 : 0, (gsize) block->n_keys) != NULL)
        return FALSE;
    }

  return TRUE;
}

gboolean
ghlo_cpu_attention_is_empty (GhloCpuAttentionBlock *block)
{
  return block->attention->has_mask && block->values_are_finite[block->first_key / block->attention->keys]
         && has_zero_weights (block) && is_excluded (block);
}

/* Whether the maximum and the minimum of the numbers are finite. */
static gboolean
are_finite (const GhloCpuAttention *self,
            const guint8           *numbers,
            gsize                   n)
{
  const GhloCpuReduceFunc *reductions = ghlo_cpu_elementwise_routines ()->reductions[self->number];
  double extremes[2] = { 0 };

  reductions[GHLO_COMBINER_MAXIMUM] (numbers, n, (guint8 *) &extremes[0]);
  reductions[GHLO_COMBINER_MINIMUM] (numbers, n, (guint8 *) &extremes[1]);

  return isfinite (number_at (self, (const guint8 *) &extremes[0], 0))
         && isfinite (number_at (self, (const guint8 *) &extremes[1], 0));
}

gboolean
ghlo_cpu_attention_examine_values (const GhloCpuAttentionBlock *block)
{
  const GhloCpuAttention *self = block->attention;
  const GhloCpuAxis *axes[] = { &self->axes[GHLO_ATTENTION_LENGTH][GHLO_ATTENTION_VALUES],
                                &self->axes[GHLO_ATTENTION_COLUMNS][GHLO_ATTENTION_VALUES] };
  const gint64 firsts[] = { block->first_key, 0 }, counts[] = { block->n_keys, self->counts[GHLO_ATTENTION_COLUMNS] };
  const guint inner = axes[0]->stride == self->value.reader.size ? 0 : 1, outer = 1 - inner;
  guint8 *line = ghlo_cpu_attention_at (block, self->scratch.line);

  for (gint64 i = firsts[outer]; i < firsts[outer] + counts[outer]; i++)
    {
      ghlo_cpu_read_axis (&self->value.reader, block->values + ghlo_cpu_axis_at (axes[outer], i), axes[inner],
                          firsts[inner], counts[inner], line);
      if (!are_finite (self, line, (gsize) counts[inner]))
        return FALSE;
    }

  return TRUE;
}
