/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts of all segments are numbered consecutively. A thread that copies a range of parts searches for the
 * segment of the first one.
 */

#include "cpu/move/segments.h"

#include <string.h>

#include "runtime/parallel.h"

/* Fewest bytes for each thread. */
enum { GRAIN_BYTES = 128 << 10 };

void
ghlo_cpu_segments_init (GhloCpuSegments *self)
{
  *self = (GhloCpuSegments) { 0 };
}

void
ghlo_cpu_segments_add (GhloCpuSegments *self,
                       const GhloView  *result,
                       const gint64    *sizes,
                       guint            operand,
                       const gint64    *from,
                       gint64           from_at,
                       gint64           to_at)
{
  GhloCpuSegment *segment = &self->segments[self->n];

  ghlo_cpu_copy_init (&segment->copy, result->rank, sizes, result->element_type, from, result->element_type,
                      result->strides);
  if (segment->copy.n_parts == 0)
    return;
  segment->operand = operand;
  segment->from = from_at;
  segment->to = to_at;
  segment->end = segment->copy.n_parts + (self->n > 0 ? self->segments[self->n - 1].end : 0);
  self->nanoseconds += segment->copy.nanoseconds;
  self->n_bytes += segment->copy.n_parts * ghlo_cpu_copy_part (&segment->copy);
  self->n++;
}

void
ghlo_cpu_segments_add_around (GhloCpuSegments *self,
                              const GhloView  *result,
                              const gint64    *starts,
                              const gint64    *sizes,
                              guint            operand,
                              const gint64    *from)
{
  gint64 box[GHLO_MAX_RANK], from_at = 0, to_at = 0;

  /* One box before and one behind the excluded box in this dimension; in earlier dimensions they have its extent. */
  memcpy (box, result->dimensions, result->rank * sizeof (gint64));
  for (guint d = 0; d < result->rank; d++)
    {
      gint64 end = starts[d] + sizes[d];

      if (starts[d] > 0)
        {
          box[d] = starts[d];
          ghlo_cpu_segments_add (self, result, box, operand, from, from_at, to_at);
        }
      if (end < result->dimensions[d])
        {
          box[d] = result->dimensions[d] - end;
          ghlo_cpu_segments_add (self, result, box, operand, from, from_at + end * from[d],
                                 to_at + end * result->strides[d]);
        }
      box[d] = sizes[d];
      from_at += starts[d] > 0 ? starts[d] * from[d] : 0;
      to_at += starts[d] > 0 ? starts[d] * result->strides[d] : 0;
    }
}

typedef struct
{
  const GhloCpuSegments *segments;
  const GhloView        *operands;
  guint8                *result;
} Run;

static void
run_parts (gpointer data,
           gsize    begin,
           gsize    end,
           guint    worker)
{
  const Run *run = data;
  const GhloCpuSegments *self = run->segments;
  guint low = 0, high = self->n - 1;

  while (low < high)
    {
      guint middle = (low + high) / 2;

      if (self->segments[middle].end <= begin)
        low = middle + 1;
      else
        high = middle;
    }
  for (; begin < end; low++)
    {
      const GhloCpuSegment *segment = &self->segments[low];
      gsize first = segment->end - segment->copy.n_parts, last = MIN (end, segment->end);

      ghlo_cpu_copy_parts (&segment->copy, run->operands[segment->operand].data + segment->from,
                           run->result + segment->to, begin - first, last - first);
      begin = last;
    }
}

gboolean
ghlo_cpu_segments_run (const GhloCpuSegments *self,
                       const GhloView        *operands,
                       guint8                *result,
                       const GhloMonitor     *monitor)
{
  Run run = { .segments = self, .operands = operands };
  gsize n_parts = self->n > 0 ? self->segments[self->n - 1].end : 0;

  if (n_parts == 0)
    return TRUE;
  run.result = result;

  return ghlo_parallel_for (n_parts, MAX (GRAIN_BYTES / MAX (self->n_bytes / n_parts, 1), 1), self->nanoseconds,
                            run_parts, &run, monitor);
}
