/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The zeros around a convolution's input, and those between its elements where it is dilated, take part in the
 * products: an infinite or NaN weight turns them into NaN. Where a library leaves them out, the result is corrected
 * afterwards if there are such weights. The weights are only searched where the result is not finite at one of a few
 * positions (the probes) that all weights reach.
 */

#include <math.h>
#include <string.h>

#include "cpu/convolution/convolution-private.h"
#include "cpu/gemm/axis.h"
#include "cpu/gemm/convert-row.h"
#include "runtime/parallel.h"

enum { CHUNK = 1024 };

/* Approximate nanoseconds for checking a byte of weights. */
#define COST 0.03

/* Whether tap @tap reads actual input at position @place of the result. */
static inline gboolean
is_inside (const GhloCpuSpatial *s,
           gint64                place,
           gint64                tap)
{
  gint64 position = place * s->step + tap * s->kernel_dilation - s->low;

  return position >= 0 && position % s->input_dilation == 0 && position / s->input_dilation < s->input;
}

/* Advances to the next index in row-major order; FALSE after the last. */
static gboolean
next_index (gint64       *index,
            const gint64 *sizes,
            guint         rank)
{
  for (guint i = rank; i > 0; i--)
    {
      if (++index[i - 1] < sizes[i - 1])
        return TRUE;
      index[i - 1] = 0;
    }

  return FALSE;
}

gboolean
ghlo_cpu_windows_are_padded (const GhloCpuWindows *self)
{
  for (guint i = 0; i < self->n_spatial; i++)
    {
      const GhloCpuSpatial *s = &self->spatial[i];
      gint64 reach = (s->output - 1) * s->step + (s->kernel - 1) * s->kernel_dilation - s->low;

      if (s->low > 0 || reach >= s->input || (s->input_dilation > 1 && s->input > 1))
        return TRUE;
    }

  return FALSE;
}

static gboolean
find_probes (const GhloCpuSpatial *s,
             guint                *n,
             gint64               *positions)
{
  for (gint64 tap = 0; tap < s->kernel; tap++)
    {
      gboolean is_met = FALSE;
      gint64 place;

      for (guint i = 0; i < *n && !is_met; i++)
        is_met = is_inside (s, positions[i], tap);
      if (is_met)
        continue;
      /* Search from the middle, where all taps are most likely to meet the input. */
      for (place = s->output / 2; place < s->output && !is_inside (s, place, tap); place++)
        ;
      if (place == s->output)
        for (place = s->output / 2; place > 0 && !is_inside (s, place, tap); place--)
          ;
      if (!is_inside (s, place, tap) || *n == GHLO_CPU_MAX_PROBES)
        return FALSE;
      positions[(*n)++] = place;
    }

  return *n > 0;
}

gboolean
ghlo_cpu_windows_find_probes (const GhloCpuWindows *self,
                              GhloCpuProbes        *probes)
{
  /* Formats below 8 bits have no infinities, and represent NaN as zero. */
  if (self->output_batch == 0 || ghlo_element_info (self->result_type)->bits < 8)
    return FALSE;
  for (guint i = 0; i < self->n_spatial; i++)
    if (self->spatial[i].output == 0
        || !find_probes (&self->spatial[i], &probes->n[i], probes->positions[i]))
      return FALSE;

  return TRUE;
}

gboolean
ghlo_cpu_windows_probe (const GhloCpuWindows *self,
                        const GhloCpuProbes  *probes,
                        const guint8         *result,
                        gint64                begin,
                        gint64                end,
                        gint64                first,
                        gint64                last)
{
  gint64 sizes[GHLO_MAX_RANK], index[GHLO_MAX_RANK] = { 0 };

  for (guint d = 0; d < self->n_spatial; d++)
    sizes[d] = probes->n[d];
  do
    {
      const guint8 *at = result + first * self->result_feature;
      gint64 row = probes->positions[0][index[0]];

      for (guint d = 0; d < self->n_spatial; d++)
        at += probes->positions[d][index[d]] * self->spatial[d].result;
      for (gint64 i = first; row >= begin && row < end && i < last; i++, at += self->result_feature)
        if (!isfinite (ghlo_element_load (self->result_type, at).f))
          return FALSE;
    }
  while (next_index (index, sizes, self->n_spatial));

  return TRUE;
}

typedef struct
{
  GhloElementType type;
  gint64          size;      /* of an element */
  GhloCpuReader   reader;    /* of types that are converted */
  GhloCpuAxis     axis;      /* all weights, in memory order */
  const guint8   *first;
  gint            found;     /* atomic: some weight is not finite */
} Search;

/* Whether all bits of the exponent are set in one of some adjacent elements. */
#define FIND(name, T, EXPONENT) \
  static gboolean \
  name (gconstpointer elements, \
        gint64        n) \
  { \
    const T *bits = elements; \
    T found = 0; \
\
    for (gint64 i = 0; i < n; i++) \
      found |= (T) -((bits[i] & EXPONENT) == EXPONENT); \
\
    return found != 0; \
  }

FIND (find_f16, guint16, 0x7c00)
FIND (find_bf16, guint16, 0x7f80)
FIND (find_f32, guint32, 0x7f800000)
FIND (find_f64, guint64, 0x7ff0000000000000)

/* Other elements, and those that are not adjacent, are converted to f32, or copied, first. */
static gboolean
search_run (const Search *self,
            const guint8 *from,
            gint64        n)
{
  const GhloCpuRoutines *routines = ghlo_cpu_routines ();
  const GhloElementType type = self->reader.size == 0 ? self->type : GHLO_ELEMENT_TYPE_F32;
  const gint64 stride = n > 1 ? self->axis.stride : self->size;
  guint64 copy[CHUNK];    /* the widest elements */
  gconstpointer elements = self->reader.size != 0 || stride != self->size ? (gconstpointer) copy : from;

  if (self->reader.size != 0)
    ghlo_cpu_read_row (&self->reader, from, stride, copy, (gsize) n);
  else if (stride != self->size)
    routines->move[g_bit_storage ((gsize) self->size) - 1] (from, 0, stride, (guint8 *) copy, 0, self->size, 1,
                                                            (gsize) n);

  return (type == GHLO_ELEMENT_TYPE_F16 ? find_f16 : type == GHLO_ELEMENT_TYPE_BF16 ? find_bf16
          : type == GHLO_ELEMENT_TYPE_F32 ? find_f32 : find_f64) (elements, n);
}

static void
search_part (gpointer data,
             gsize    begin,
             gsize    end,
             guint    worker)
{
  Search *self = data;
  GhloCpuAxisCursor cursor = { 0 };

  ghlo_cpu_axis_cursor_init (&cursor, &self->axis, (gint64) begin);
  for (gint64 left = (gint64) (end - begin), n; left > 0 && !g_atomic_int_get (&self->found); left -= n)
    {
      n = MIN (MIN (left, cursor.left), CHUNK);
      if (search_run (self, self->first + cursor.at, n))
        g_atomic_int_set (&self->found, TRUE);
      ghlo_cpu_axis_cursor_skip (&cursor, &self->axis, n);
    }
}

/* Sorts the kernel's dimensions by decreasing stride, and walks all of them forwards. Of what is repeated, one is
 * enough. */
static void
search_init (Search               *self,
             const GhloCpuWindows *w,
             const guint8         *rhs)
{
  gint64 sizes[GHLO_MAX_RANK + 2], strides[GHLO_MAX_RANK + 2];
  guint rank = 0;

  self->first = rhs + w->rhs_first;
  for (guint i = 0; i < w->n_spatial + 2; i++)
    {
      gint64 size = i == 0 ? w->output_features : i == 1 ? w->group_features : w->spatial[i - 2].kernel;
      gint64 stride = i == 0 ? w->rhs_output : i == 1 ? w->rhs_input : w->spatial[i - 2].rhs;
      guint at = rank;

      if (size == 1 || (stride == 0 && size > 0))
        continue;
      if (stride < 0)
        self->first += stride * (size - 1);
      for (; at > 0 && strides[at - 1] < ABS (stride); at--)
        {
          sizes[at] = sizes[at - 1];
          strides[at] = strides[at - 1];
        }
      sizes[at] = size;
      strides[at] = ABS (stride);
      rank++;
    }
  ghlo_cpu_axis_init (&self->axis, sizes, strides, rank);
}

gboolean
ghlo_cpu_windows_have_finite_kernel (const GhloCpuWindows *self,
                                     const guint8         *rhs,
                                     const GhloMonitor    *monitor)
{
  Search search = { .type = self->rhs_type, .size = (gint64) ghlo_element_info (self->rhs_type)->size };
  const gboolean is_known = search.size >= 4 || search.type == GHLO_ELEMENT_TYPE_F16
                            || search.type == GHLO_ELEMENT_TYPE_BF16;

  if (!is_known && !ghlo_cpu_reader_init (&search.reader, self->rhs_type, GHLO_CPU_F32))
    return FALSE;
  search_init (&search, self, rhs);
  ghlo_parallel_for ((gsize) search.axis.count, CHUNK, COST * (double) (search.axis.count * search.size),
                     search_part, &search, monitor);
  ghlo_cpu_axis_clear (&search.axis);

  return !search.found;
}

typedef struct
{
  const GhloCpuWindows *windows;
  const guint8         *rhs;         /* address of the first tap */
  guint8               *result;
  guint8                nan[8];
  gsize                 size;        /* of an element of the result */
} Spread;

static gboolean
has_finite_weights (const GhloCpuWindows *w,
                    const guint8         *rhs)
{
  for (gint64 i = 0; i < w->group_features; i++, rhs += w->rhs_input)
    if (!isfinite (ghlo_element_load (w->rhs_type, rhs).f))
      return FALSE;

  return TRUE;
}

/* Writes NaN wherever @tap, of one feature, meets a zero of padding or dilation. */
static void
spread_tap (const Spread *self,
            const gint64 *tap,
            guint8       *result)
{
  const GhloCpuWindows *w = self->windows;
  gint64 sizes[GHLO_MAX_RANK], place[GHLO_MAX_RANK] = { 0 };

  for (guint d = 0; d < w->n_spatial; d++)
    sizes[d] = w->spatial[d].output;
  do
    {
      guint8 *at = result;
      gboolean inside = TRUE;

      for (guint d = 0; d < w->n_spatial; d++)
        {
          inside = inside && is_inside (&w->spatial[d], place[d], tap[d]);
          at += place[d] * w->spatial[d].result;
        }
      for (gint64 image = 0; !inside && image < w->output_batch; image++)
        memcpy (at + image * w->result_batch, self->nan, self->size);
    }
  while (next_index (place, sizes, w->n_spatial));
}

static void
spread_features (gpointer data,
                 gsize    begin,
                 gsize    end,
                 guint    worker)
{
  const Spread *self = data;
  const GhloCpuWindows *w = self->windows;
  gint64 sizes[GHLO_MAX_RANK], tap[GHLO_MAX_RANK] = { 0 };

  for (guint d = 0; d < w->n_spatial; d++)
    sizes[d] = w->spatial[d].kernel;
  for (gint64 feature = (gint64) begin; feature < (gint64) end; feature++)
    do
      {
        const guint8 *rhs = self->rhs + feature * w->rhs_output;

        for (guint d = 0; d < w->n_spatial; d++)
          rhs += tap[d] * w->spatial[d].rhs;
        if (!has_finite_weights (w, rhs))
          spread_tap (self, tap, self->result + feature * w->result_feature);
      }
    while (next_index (tap, sizes, w->n_spatial));
}

gboolean
ghlo_cpu_windows_spread_nan (const GhloCpuWindows *self,
                             const guint8         *rhs,
                             guint8               *result,
                             const GhloMonitor    *monitor)
{
  Spread spread = {
    .windows = self, .rhs = rhs + self->rhs_first, .size = ghlo_element_info (self->result_type)->size,
  };
  double nanoseconds = 20.0 * (double) self->output_features * (double) self->group_features;

  spread.result = result;
  for (guint i = 0; i < self->n_spatial; i++)
    {
      if (self->spatial[i].output == 0)
        return TRUE;
      nanoseconds *= (double) self->spatial[i].kernel;
    }
  ghlo_element_store (self->result_type, spread.nan, (GhloScalar) { .f = NAN });

  return ghlo_parallel_for ((gsize) self->output_features, 1, nanoseconds, spread_features, &spread, monitor);
}

static void
clear_part (gpointer data,
            gsize    begin,
            gsize    end,
            guint    worker)
{
  memset ((guint8 *) data + begin, 0, end - begin);
}

gboolean
ghlo_cpu_windows_clear (guint8            *memory,
                        gsize              size,
                        const GhloMonitor *monitor)
{
  return ghlo_parallel_for (size, 1 << 16, (double) size / 10, clear_part, memory, monitor);
}
