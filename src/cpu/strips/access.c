/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Addresses along strips. Where the positions of all terms move by whole steps from lane to lane, the lanes in bounds
 * are a contiguous range, and their addresses have one stride. Otherwise, or where a node gives a position that
 * varies, each lane gets an address of its own. Sums wrap.
 */

#include "cpu/strips/strips-private.h"

#include "base/sizes.h"

#include <string.h>

/* Positions beyond this are out of bounds. */
#define FAR_AWAY ((gint64) 1 << 61)

static GhloCpuStripSum
sum_of (const GhloKernel *kernel,
        const gint64     *strides)
{
  GhloCpuStripSum sum = { 0 };

  for (guint i = 0; i < kernel->n_axes; i++)
    if (strides[i] != 0)
      {
        sum.axes[sum.n] = (guint8) i;
        sum.strides[sum.n++] = strides[i];
      }

  return sum;
}

guint
ghlo_cpu_strip_add_access (GhloCpuStrips    *self,
                           const GhloKernel *kernel,
                           guint             number,
                           guint             lanes)
{
  const GhloKernelAccess *from = &kernel->accesses[number];
  GhloCpuStripAccess access = {
    .sum = sum_of (kernel, from->strides), .offset = from->offset, .buffer = from->buffer,
    .log2_size = (guint8) ghlo_cpu_strip_log2_size (from->type), .n_terms = from->n_terms,
    .own_lane = lanes != GHLO_KERNEL_NONE ? from->strides[lanes] : 0,
  };

  access.lane = access.own_lane;
  if (from->n_terms > 0)
    {
      access.terms = g_new0 (GhloCpuStripGuard, from->n_terms);
      g_ptr_array_add (self->terms, access.terms);
    }
  for (guint i = 0; i < from->n_terms; i++)
    {
      const GhloKernelTerm *term = &kernel->terms[from->first_term + i];
      GhloCpuStripGuard *guard = &access.terms[i];

      *guard = (GhloCpuStripGuard) {
        .sum = sum_of (kernel, term->strides), .offset = term->offset, .step = term->clamps ? 1 : term->step,
        .end = term->end, .stride = term->stride, .lane = lanes != GHLO_KERNEL_NONE ? term->strides[lanes] : 0,
        .slot = GHLO_KERNEL_NONE, .clamps = term->clamps,
      };
      if (guard->lane % guard->step != 0 || (guard->clamps && guard->lane != 0))
        access.is_general = TRUE;
      else
        access.lane += guard->lane / guard->step * guard->stride;
    }
  g_array_append_val (self->accesses, access);

  return self->accesses->len - 1;
}

gint64
ghlo_cpu_strip_add_up (const GhloCpuStripRun *run,
                       const GhloCpuStripSum *sum,
                       gint64                 offset)
{
  guint64 total = (guint64) offset;

  for (guint i = 0; i < sum->n; i++)
    total += (guint64) sum->strides[i] * (guint64) run->point[sum->axes[i]];

  return (gint64) total;
}

/* The position of lane 0, without the value of a node that varies. */
static gint64
first_position (const GhloCpuStripRun   *run,
                const GhloCpuStripGuard *guard)
{
  gint64 position = ghlo_cpu_strip_add_up (run, &guard->sum, guard->offset), value;

  if (guard->slot == GHLO_KERNEL_NONE || guard->is_varying)
    return position;
  if (guard->to_s64 != NULL)
    guard->to_s64 ((const guint8 *[]) { run->slots[guard->slot] }, (guint8 *) &value, 1, NULL);
  else
    value = *(const gint64 *) (gconstpointer) run->slots[guard->slot];

  return (gint64) ((guint64) position + (guint64) value);
}

/* Narrows [*@begin, *@end) to the lanes i with 0 <= @first + i × @lane < @limit. */
static void
narrow (gint64  first,
        gint64  lane,
        gint64  limit,
        gsize  *begin,
        gsize  *end)
{
  gint64 low = 0, high = (gint64) *end;

  limit = MIN (limit, FAR_AWAY);
  if (lane == 0 || first > FAR_AWAY || first < -FAR_AWAY)
    high = first >= 0 && first < limit ? high : 0;
  else if (lane > 0)
    {
      low = first < 0 ? ghlo_ceil_div (-first, lane) : 0;
      high = first < limit ? MIN (high, (limit - 1 - first) / lane + 1) : 0;
    }
  else
    {
      low = first >= limit ? (first - limit - lane) / -lane : 0;
      high = first >= 0 ? MIN (high, first / -lane + 1) : 0;
    }
  *begin = MAX (*begin, (gsize) low);
  *end = MIN (*end, (gsize) high);
}

guint8 *
ghlo_cpu_strip_locate (GhloCpuStripRun          *run,
                       const GhloCpuStripAccess *access,
                       gsize                     n,
                       gsize                    *begin,
                       gsize                    *end)
{
  guint64 address = (guint64) ghlo_cpu_strip_add_up (run, &access->sum, access->offset);

  *begin = 0;
  *end = n;
  for (guint i = 0; i < access->n_terms; i++)
    {
      const GhloCpuStripGuard *guard = &access->terms[i];
      gint64 position = first_position (run, guard);

      if (guard->clamps)
        position = CLAMP (position, 0, guard->end - 1);
      else
        {
          if (guard->step != 1 && position % guard->step != 0)
            *end = 0;
          position /= guard->step;
          narrow (position, guard->lane / guard->step, guard->end, begin, end);
        }
      address += (guint64) position * (guint64) guard->stride;
    }
  if (*begin >= *end)
    *begin = *end = 0;

  return (guint8 *) ((guintptr) run->buffers[access->buffer] + (guintptr) address);
}

guint8 *
ghlo_cpu_strip_locate_each (GhloCpuStripRun          *run,
                            const GhloCpuStripAccess *access,
                            gsize                     n)
{
  gint64 address = ghlo_cpu_strip_add_up (run, &access->sum, access->offset);

  for (gsize i = 0; i < n; i++)
    run->offsets[i] = (gint64) ((guint64) address + i * (guint64) access->own_lane);
  memset (run->inside, 1, n);
  for (guint i = 0; i < access->n_terms; i++)
    {
      const GhloCpuStripGuard *guard = &access->terms[i];
      GhloCpuStripTerm term = {
        .first = first_position (run, guard), .lane = guard->lane, .step = guard->step, .end = guard->end,
        .stride = guard->stride,
      };

      if (guard->is_varying && guard->to_s64 != NULL)
        {
          guard->to_s64 ((const guint8 *[]) { run->slots[guard->slot] }, (guint8 *) run->positions, n, NULL);
          term.positions = run->positions;
        }
      else if (guard->is_varying)
        term.positions = (gconstpointer) run->slots[guard->slot];
      (guard->clamps ? run->routines->clamp : run->routines->guard) (&term, run->offsets, run->inside, n);
    }

  return run->buffers[access->buffer];
}
