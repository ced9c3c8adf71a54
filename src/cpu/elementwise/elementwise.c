/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Elements of the result are numbered in memory order, and cut into parts. A part is computed row by row, where a row
 * is the last merged dimension; where rows are short, a buffer collects the elements of several rows.
 */

#include "cpu/elementwise/elementwise.h"

#include <string.h>

#include "cpu/move/strided.h"
#include "runtime/parallel.h"

/* Approximate bytes that one core moves per nanosecond in large tensors. */
#define MOVE_RATE 10.0

enum
{
  BUFFER = 4096,      /* bytes */
  MIN_ROW = 256,      /* fewest bytes of a row of the narrowest operand or the result that gets calls of its own */
  GRAIN = 8192,       /* fewest elements of a part; a multiple of a cache line's, whatever their size */
};

/* Merges adjacent dimensions where each operand has a single stride for both. */
static void
merge_dimensions (GhloCpuElementwise *self,
                  const GhloView     *operands,
                  const GhloView     *result)
{
  for (guint d = 0; d < result->rank; d++)
    {
      gint64 size = result->dimensions[d];
      gboolean merges = self->rank > 0;

      if (size == 1)
        continue;
      for (guint k = 0; k < self->n_sources && merges; k++)
        {
          const GhloView *operand = &operands[self->operands[k]];
          gint64 step;

          if (operand->rank > 0)
            merges = !__builtin_mul_overflow (size, operand->strides[d], &step)
                     && self->sources[k].strides[self->rank - 1] == step;
        }
      if (!merges)
        self->sizes[self->rank++] = 1;
      self->sizes[self->rank - 1] *= size;
      for (guint k = 0; k < self->n_sources; k++)
        {
          const GhloView *operand = &operands[self->operands[k]];

          self->sources[k].strides[self->rank - 1] = operand->rank > 0 ? operand->strides[d] : 0;
        }
    }
  if (self->rank == 0)
    {
      self->sizes[self->rank++] = 1;
      for (guint k = 0; k < self->n_sources; k++)
        self->sources[k].strides[0] = self->sources[k].size;
    }
}

static GhloCpuSourceKind
find_kind (const GhloCpuElementwise *self,
           const GhloCpuSource      *source)
{
  gboolean is_dense = TRUE, is_single = TRUE;
  gint64 stride = source->size;

  for (guint d = self->rank; d > 0; d--)
    {
      is_dense = is_dense && source->strides[d - 1] == stride;
      is_single = is_single && source->strides[d - 1] == 0;
      stride *= self->sizes[d - 1];
    }

  return is_dense ? GHLO_CPU_SOURCE_DENSE : is_single ? GHLO_CPU_SOURCE_SINGLE : GHLO_CPU_SOURCE_STRIDED;
}

static void
find_costs (GhloCpuElementwise *self)
{
  double bytes = self->size;
  guint largest = MAX (self->from_size, self->size), smallest = self->size;

  for (guint k = 0; k < self->n_sources; k++)
    smallest = MIN (smallest, self->sources[k].size);
  self->is_short = self->rank > 1 && self->sizes[self->rank - 1] < MIN_ROW / smallest;
  self->is_staged = self->write != NULL;
  for (guint k = 0; k < self->n_sources; k++)
    {
      GhloCpuSource *source = &self->sources[k];

      source->kind = find_kind (self, source);
      self->is_staged |= source->kind == GHLO_CPU_SOURCE_SINGLE || source->read != NULL
                         || (source->kind == GHLO_CPU_SOURCE_STRIDED
                             && (self->is_short || source->strides[self->rank - 1] != source->size));
      bytes += source->kind == GHLO_CPU_SOURCE_SINGLE ? 0 : source->size;
      largest = MAX (largest, source->to_size);
    }
  self->chunk = BUFFER / largest;
  self->nanoseconds = (double) self->n * (bytes / MOVE_RATE + self->cost);
  self->is_direct = self->rank == 1 && !self->is_staged;
}

gboolean
ghlo_cpu_elementwise_init (GhloCpuElementwise *self,
                           const GhloView     *operands,
                           const GhloView     *result)
{
  for (guint k = 0; k < self->n_sources; k++)
    {
      const GhloView *operand = &operands[self->operands[k]];

      if (operand->rank != 0
          && (operand->rank != result->rank
              || memcmp (operand->dimensions, result->dimensions, result->rank * sizeof (gint64)) != 0))
        return FALSE;
    }
  self->n = (gsize) ghlo_view_count (result);
  self->size = ghlo_element_info (result->element_type)->size;
  self->rank = 0;
  if (self->n == 0)
    return TRUE;
  merge_dimensions (self, operands, result);
  find_costs (self);

  return TRUE;
}

typedef struct
{
  const GhloCpuElementwise *self;
  const guint8             *operands[GHLO_CPU_MAX_SOURCES];
  guint8                   *result;
} Run;

/* The state of computing one part. */
typedef struct
{
  const Run *run;
  gsize      index;                                 /* the current element */
  gint64     position[GHLO_MAX_RANK];
  gint64     offsets[GHLO_CPU_MAX_SOURCES];         /* of the current element, in bytes */
  gsize      repeated[GHLO_CPU_MAX_SOURCES];        /* elements of the buffer that are copies of the repeated one */
  guint8     buffers[GHLO_CPU_MAX_SOURCES][BUFFER] __attribute__ ((aligned (64)));
  guint8     raw[GHLO_CPU_MAX_SOURCES][BUFFER / 2] __attribute__ ((aligned (64)));   /* before conversion */
  guint8     out[BUFFER] __attribute__ ((aligned (64)));
} Part;

static void
part_init (Part      *part,
           const Run *run,
           gsize      index)
{
  const GhloCpuElementwise *self = run->self;
  gsize rest = index;

  part->run = run;
  part->index = index;
  memset (part->offsets, 0, sizeof (part->offsets));
  memset (part->repeated, 0, sizeof (part->repeated));
  for (guint d = self->rank; d > 0; d--)
    {
      part->position[d - 1] = (gint64) (rest % (gsize) self->sizes[d - 1]);
      rest /= (gsize) self->sizes[d - 1];
      for (guint k = 0; k < self->n_sources; k++)
        part->offsets[k] += part->position[d - 1] * self->sources[k].strides[d - 1];
    }
}

/* Advances by @n elements in dimension @d, which has at least that many left. */
static void
part_advance (Part  *part,
              guint  d,
              gsize  n)
{
  const GhloCpuElementwise *self = part->run->self;

  part->position[d] += (gint64) n;
  for (guint k = 0; k < self->n_sources; k++)
    part->offsets[k] += (gint64) n * self->sources[k].strides[d];
  if (part->position[d] < self->sizes[d])
    return;
  for (guint k = 0; k < self->n_sources; k++)
    if (self->sources[k].kind == GHLO_CPU_SOURCE_STRIDED)
      part->repeated[k] = 0;
  for (; d > 0 && part->position[d] == self->sizes[d]; d--)
    {
      for (guint k = 0; k < self->n_sources; k++)
        part->offsets[k] += self->sources[k].strides[d - 1] - self->sizes[d] * self->sources[k].strides[d];
      part->position[d] = 0;
      part->position[d - 1]++;
    }
}

/* The buffer in which elements of an operand are collected before they are converted. */
static inline guint8 *
part_buffer (Part *part,
             guint k)
{
  return part->run->self->sources[k].read != NULL ? part->raw[k] : part->buffers[k];
}

/* Converts @n elements to numbers of the loop: returns @from, or the buffer with the converted numbers. */
static inline const guint8 *
part_read (Part         *part,
           guint         k,
           const guint8 *from,
           gsize         n)
{
  const GhloCpuSource *source = &part->run->self->sources[k];

  if (source->read == NULL)
    return from;
  source->read (from, part->buffers[k], n);

  return part->buffers[k];
}

/* Returns the same element @n times. Copies that are in the buffer already are reused. */
static const guint8 *
part_repeat (Part  *part,
             guint  k,
             gint64 offset,
             gsize  n)
{
  if (part->repeated[k] < n)
    {
      ghlo_cpu_fill (part->run->self->sources[k].size, part->run->operands[k] + offset, part_buffer (part, k), n);
      part_read (part, k, part_buffer (part, k), n);
      part->repeated[k] = n;
    }

  return part->buffers[k];
}

/* Returns the next @n elements of an operand, all of which are in one row. */
static const guint8 *
part_fetch (Part  *part,
            guint  k,
            gsize  n)
{
  const GhloCpuSource *source = &part->run->self->sources[k];
  const guint8 *from = part->run->operands[k] + part->offsets[k];
  gint64 stride = source->strides[part->run->self->rank - 1];

  if (stride == 0)
    return part_repeat (part, k, part->offsets[k], n);
  if (stride != source->size)
    {
      ghlo_cpu_pack_strided (source->size, from, 0, stride, part_buffer (part, k), 1, n);
      from = part_buffer (part, k);
    }

  return part_read (part, k, from, n);
}

/* Fetches the next @n elements of each operand, across rows. */
static void
part_fetch_across (Part          *part,
                   gsize          n,
                   const guint8 **pointers)
{
  const GhloCpuElementwise *self = part->run->self;
  guint last = self->rank - 1;

  for (guint k = 0; k < self->n_sources; k++)
    if (self->sources[k].kind == GHLO_CPU_SOURCE_DENSE)
      pointers[k] = part->run->operands[k] + part->index * self->sources[k].size;
    else
      pointers[k] = part_buffer (part, k);
  for (gsize i = 0; i < n;)
    {
      gsize whole = (gsize) self->sizes[last], row = MIN (n - i, whole - (gsize) part->position[last]);
      gsize n_rows = (gsize) (self->sizes[last - 1] - part->position[last - 1]);

      n_rows = row < whole ? 1 : MIN ((n - i) / whole, n_rows);
      for (guint k = 0; k < self->n_sources; k++)
        {
          const GhloCpuSource *source = &self->sources[k];

          if (source->kind == GHLO_CPU_SOURCE_STRIDED)
            ghlo_cpu_pack_strided (source->size, part->run->operands[k] + part->offsets[k],
                                   source->strides[last - 1], source->strides[last],
                                   part_buffer (part, k) + i * source->size, n_rows, row);
        }
      if (row < whole)
        part_advance (part, last, row);
      else
        part_advance (part, last - 1, n_rows);
      i += n_rows * row;
    }
  for (guint k = 0; k < self->n_sources; k++)
    if (self->sources[k].kind == GHLO_CPU_SOURCE_SINGLE)
      pointers[k] = part_repeat (part, k, 0, n);
    else
      pointers[k] = part_read (part, k, pointers[k], n);
}

static void
part_run (gpointer data,
          gsize    begin,
          gsize    end,
          guint    worker)
{
  const Run *run = data;
  const GhloCpuElementwise *self = run->self;
  Part part;

  g_assert (self->rank > (self->is_short ? 1 : 0));
  part_init (&part, run, begin);
  while (part.index < end)
    {
      guint last = self->rank - 1;
      gsize n = end - part.index;
      guint8 *result = run->result + part.index * self->size;
      const guint8 *pointers[GHLO_CPU_MAX_SOURCES] = { NULL };

      if (!self->is_short)
        n = MIN (n, (gsize) (self->sizes[last] - part.position[last]));
      if (self->is_staged)
        n = MIN (n, self->chunk);
      if (self->is_short)
        part_fetch_across (&part, n, pointers);
      else
        for (guint k = 0; k < self->n_sources; k++)
          pointers[k] = part_fetch (&part, k, n);
      self->loop (pointers, self->write != NULL ? part.out : result, n, self->detail);
      if (self->write != NULL)
        self->write (part.out, result, n);
      if (!self->is_short)
        part_advance (&part, last, n);
      part.index += n;
    }
}

gboolean
ghlo_cpu_elementwise_run (const GhloCpuElementwise *self,
                          const GhloView           *operands,
                          guint8                   *result,
                          const GhloMonitor        *monitor)
{
  Run run = { self, { NULL }, result };

  if (self->n == 0)
    return TRUE;
  for (guint k = 0; k < self->n_sources; k++)
    run.operands[k] = operands[self->operands[k]].data + self->sources[k].offset;
  if (self->is_direct && self->n < GRAIN)
    {
      self->loop (run.operands, result, self->n, self->detail);
      return TRUE;
    }

  return ghlo_parallel_for (self->n, GRAIN, self->nanoseconds, part_run, &run, monitor);
}
