/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Transforms in lanes: numbers are gathered into rows, transformed there, and scattered.
 */

#include "cpu/fft/transform.h"

#include "base/sizes.h"

#include <string.h>

/* Rows that pass through the stack on their way between rows and memory. */
enum { CHUNK = 32 };

/* Moves elements of @size bytes; numbers of a lane or of the other dimension are adjacent where they are moved with a
 * transpose. */
static void
move (gsize         size,
      const guint8 *from,
      gint64        from_row,
      gint64        from_column,
      guint8       *to,
      gint64        to_row,
      gint64        to_column,
      gsize         rows,
      gsize         columns)
{
  const GhloCpuRoutines *routines = ghlo_cpu_routines ();
  gboolean transposes = from_row == (gint64) size && to_column == (gint64) size;
  GhloCpuPlaneFunc run = (transposes ? routines->transpose : routines->move)[g_bit_storage (size) - 1];

  run (from, from_row, from_column, to, to_row, to_column, rows, columns);
}

/* Whether lanes are adjacent, and fill a row. */
static gboolean
are_adjacent (const GhloCpuTransform *self,
              const GhloCpuLanes     *lanes,
              guint                   n_lanes)
{
  return n_lanes == ghlo_cpu_transform_n_lanes (self) && lanes->run - lanes->first >= n_lanes;
}

/* Copies @n numbers of @size bytes, 8 or 16: mostly a few, for which a call would take longer. */
static inline void
copy_numbers (const guint8 *from,
              guint8       *to,
              gsize         size,
              gsize         n)
{
  gsize bytes = n * size;

  for (; bytes >= 16; bytes -= 16, from += 16, to += 16)
    memcpy (to, from, 16);
  if (bytes > 0)
    memcpy (to, from, 8);
}

/* Copies the numbers of lanes at @memory, which are @size bytes each, to a row, or from one. */
static void
copy_runs (const GhloCpuLanes *lanes,
           gsize               size,
           guint               n_lanes,
           guint8             *memory,
           guint8             *row,
           gboolean            is_in)
{
  gsize first = lanes->first;

  for (gsize left = n_lanes; left > 0;)
    {
      const gsize n = MIN (left, lanes->run - first);

      copy_numbers (is_in ? memory : row, is_in ? row : memory, size, n);
      left -= n;
      row += n * size;
      if (left > 0)
        memory += lanes->lane - (gint64) (first * size);
      first = 0;
    }
}

/* Reads numbers into rows. Where those of a lane are adjacent, rows of parts are rows of a transposed matrix. */
static void
gather (const GhloCpuTransform *self,
        const GhloCpuLanes     *from,
        guint                   n_lanes,
        gsize                   n,
        guint8                 *rows)
{
  const GhloCpuFourier *routines = &ghlo_cpu_routines ()->fourier[self->is_f64];
  gsize size = ghlo_cpu_transform_size (self);
  guint8 chunk[CHUNK * GHLO_CPU_FOURIER_ROW] __attribute__ ((aligned (64)));

  if (are_adjacent (self, from, n_lanes))
    {
      routines->split (from->data, from->element, rows, n);
      return;
    }
  if (from->element == (gint64) size)
    {
      if (n_lanes < ghlo_cpu_transform_n_lanes (self))
        memset (rows, 0, n * GHLO_CPU_FOURIER_ROW);
      move (size / 2, from->data, (gint64) size / 2, from->lane, rows, GHLO_CPU_FOURIER_PART, (gint64) size / 2, 2 * n,
            n_lanes);
      return;
    }
  memset (chunk, 0, sizeof chunk);
  for (gsize i = 0; i < n; i += CHUNK)
    {
      gsize n_rows = MIN (CHUNK, n - i);

      for (gsize row = 0; row < n_rows; row++)
        copy_runs (from, size, n_lanes, from->data + (gint64) (i + row) * from->element,
                   chunk + row * GHLO_CPU_FOURIER_ROW, TRUE);
      routines->split (chunk, GHLO_CPU_FOURIER_ROW, rows + i * GHLO_CPU_FOURIER_ROW, n_rows);
    }
}

/* Writes complex numbers, or their real parts. */
static void
scatter (const GhloCpuTransform *self,
         const guint8           *rows,
         const guint32          *order,
         const GhloCpuLanes     *to,
         guint                   n_lanes,
         gsize                   n,
         gboolean                real,
         double                  scale)
{
  const GhloCpuFourier *routines = &ghlo_cpu_routines ()->fourier[self->is_f64];
  gsize size = ghlo_cpu_transform_size (self);
  gint64 part_size = (gint64) size / 2;
  guint8 chunk[CHUNK * GHLO_CPU_FOURIER_ROW] __attribute__ ((aligned (64)));

  if (!real && are_adjacent (self, to, n_lanes))
    {
      routines->join (rows, order, to->data, to->element, n, scale);
      return;
    }
  for (gsize i = 0; i < n; i += CHUNK)
    {
      gsize n_rows = MIN (CHUNK, n - i);
      const guint8 *from = order != NULL ? rows : rows + i * GHLO_CPU_FOURIER_ROW;
      const guint32 *chunk_order = order != NULL ? order + i : NULL;
      guint8 *at = to->data + (gint64) i * to->element;

      if (real || to->element == (gint64) size)
        {
          routines->collect (from, chunk_order, chunk, n_rows, scale);
          move (size / 2, chunk, part_size, real ? GHLO_CPU_FOURIER_ROW : GHLO_CPU_FOURIER_PART, at, to->lane,
                part_size, n_lanes, real ? n_rows : 2 * n_rows);
        }
      else
        {
          routines->join (from, chunk_order, chunk, GHLO_CPU_FOURIER_ROW, n_rows, scale);
          for (gsize row = 0; row < n_rows; row++)
            copy_runs (to, size, n_lanes, at + (gint64) row * to->element, chunk + row * GHLO_CPU_FOURIER_ROW, FALSE);
        }
    }
}

static void
gather_real (const GhloCpuTransform *self,
             const GhloCpuLanes     *from,
             guint                   n_lanes,
             guint8                 *rows)
{
  gsize size = ghlo_cpu_transform_size (self) / 2;

  memset (rows, 0, self->n * GHLO_CPU_FOURIER_ROW);
  move (size, from->data, from->element, from->lane, rows, GHLO_CPU_FOURIER_ROW, (gint64) size, self->n, n_lanes);
}

/* Clears the imaginary parts of a row. */
static void
make_real (guint8 *row)
{
  memset (row + GHLO_CPU_FOURIER_PART, 0, GHLO_CPU_FOURIER_PART);
}

/* Adds the second half of the spectrum of an odd number of real numbers, the conjugates of the first. */
static void
mirror (const GhloCpuTransform *self,
        guint8                 *rows)
{
  make_real (rows);
  for (gsize k = self->n / 2 + 1; k < self->n; k++)
    {
      const guint8 *from = rows + (self->n - k) * GHLO_CPU_FOURIER_ROW;
      guint8 *row = rows + k * GHLO_CPU_FOURIER_ROW;
      gconstpointer parts = from + GHLO_CPU_FOURIER_PART;
      gpointer to = row + GHLO_CPU_FOURIER_PART;

      memcpy (row, from, GHLO_CPU_FOURIER_PART);
      if (self->is_f64)
        for (guint lane = 0; lane < GHLO_CPU_FOURIER_PART / sizeof (double); lane++)
          ((double *) to)[lane] = -((const double *) parts)[lane];
      else
        for (guint lane = 0; lane < GHLO_CPU_FOURIER_PART / sizeof (float); lane++)
          ((float *) to)[lane] = -((const float *) parts)[lane];
    }
}

static void
gather_half (const GhloCpuTransform *self,
             const GhloCpuLanes     *from,
             guint                   n_lanes,
             guint8                 *rows)
{
  gather (self, from, n_lanes, self->n / 2 + 1, rows);
  if (!self->pairs)
    {
      mirror (self, rows);
      return;
    }
  make_real (rows);
  make_real (rows + self->core * GHLO_CPU_FOURIER_ROW);
  ghlo_cpu_routines ()->fourier[self->is_f64].untangle (rows, NULL, self->core, self->halves, FALSE);
}

/* Convolves the rows with the chirp. The results are in order. */
static void
run_chirp (const GhloCpuTransform *self,
           guint8                 *rows,
           guint                   n_lanes)
{
  const GhloCpuFourier *routines = &ghlo_cpu_routines ()->fourier[self->is_f64];
  guint8 *others = rows + self->length * GHLO_CPU_FOURIER_ROW;

  routines->multiply (rows, NULL, self->chirp, rows, self->core);
  memset (rows + self->core * GHLO_CPU_FOURIER_ROW, 0, (self->length - self->core) * GHLO_CPU_FOURIER_ROW);
  ghlo_cpu_radices_run (&self->columns, rows, FALSE, n_lanes);
  routines->multiply (rows, self->columns.order, self->filter, others, self->length);
  ghlo_cpu_radices_run (&self->columns, others, TRUE, n_lanes);
  routines->multiply (others, self->columns.order, self->chirp, rows, self->core);
}

/* Adds the row @from to @to. */
static void
add_row (const GhloCpuTransform *self,
         gpointer                to,
         gconstpointer           from)
{
  if (self->is_f64)
    for (guint i = 0; i < GHLO_CPU_FOURIER_ROW / sizeof (double); i++)
      ((double *) to)[i] += ((const double *) from)[i];
  else
    for (guint i = 0; i < GHLO_CPU_FOURIER_ROW / sizeof (float); i++)
      ((float *) to)[i] += ((const float *) from)[i];
}

/* Convolves the rows of powers with the roots. Adding the first row to the sum of a spectrum adds it to all numbers. */
static void
run_cycle (const GhloCpuTransform *self,
           guint8                 *rows,
           guint                   n_lanes)
{
  const GhloCpuFourier *routines = &ghlo_cpu_routines ()->fourier[self->is_f64];
  guint8 *others = rows + (self->core + 1) * GHLO_CPU_FOURIER_ROW;
  guint8 *first = others + self->length * GHLO_CPU_FOURIER_ROW, *sum = rows + self->length * GHLO_CPU_FOURIER_ROW;

  memcpy (first, rows, GHLO_CPU_FOURIER_ROW);
  for (gsize i = 0; i < self->length; i++)
    memcpy (others + i * GHLO_CPU_FOURIER_ROW, rows + self->powers[i] * (gsize) GHLO_CPU_FOURIER_ROW,
            GHLO_CPU_FOURIER_ROW);
  ghlo_cpu_radices_run (&self->columns, others, FALSE, n_lanes);
  routines->multiply (others, self->columns.order, self->filter, rows, self->length);
  add_row (self, rows, first);
  ghlo_cpu_radices_run (&self->columns, rows, TRUE, n_lanes);
  memcpy (sum, others + self->columns.order[0] * (gsize) GHLO_CPU_FOURIER_ROW, GHLO_CPU_FOURIER_ROW);
  add_row (self, sum, first);
}

gboolean
ghlo_cpu_transform_find_scratch (const GhloCpuTransform *self,
                                 gsize                  *scratch)
{
  gsize size = ghlo_cpu_transform_size (self), ignored;

  *scratch = 0;
  if (!self->by_line)
    return ghlo_size_reserve (scratch, &ignored, self->chirps ? 2 * self->length
                                                 : self->cycles ? 2 * (self->core + 1) : self->length + 1,
                              GHLO_CPU_FOURIER_ROW);

  return ghlo_cpu_transform_find_matrix (self, scratch)
         && ghlo_size_reserve (scratch, &ignored, self->form == GHLO_CPU_TRANSFORM_COMPLEX ? 0 : self->core, size)
         && ghlo_size_reserve (scratch, &ignored, self->chirps ? self->length : 0, size);
}

void
ghlo_cpu_transform_run_lanes (const GhloCpuTransform *self,
                              const GhloCpuLanes     *from,
                              const GhloCpuLanes     *to,
                              guint                   n_lanes,
                              guint8                 *scratch)
{
  const guint32 *order = self->chirps ? NULL : self->cycles ? self->order : self->columns.order;
  double scale = self->inverse ? 1.0 / (double) self->core : 1.0;
  GhloCpuLanes pairs_from = *from, pairs_to = *to;
  gsize size = ghlo_cpu_transform_size (self);

  if (self->form == GHLO_CPU_TRANSFORM_REAL && self->pairs)
    pairs_from.element = (gint64) size;
  if (self->form == GHLO_CPU_TRANSFORM_HALF && self->pairs)
    pairs_to.element = (gint64) size;
  if (self->form == GHLO_CPU_TRANSFORM_HALF)
    gather_half (self, from, n_lanes, scratch);
  else if (self->form == GHLO_CPU_TRANSFORM_REAL && !self->pairs)
    gather_real (self, from, n_lanes, scratch);
  else
    gather (self, &pairs_from, n_lanes, self->core, scratch);

  if (self->chirps)
    run_chirp (self, scratch, n_lanes);
  else if (self->cycles)
    run_cycle (self, scratch, n_lanes);
  else
    ghlo_cpu_radices_run (&self->columns, scratch, self->reverses, n_lanes);

  if (self->form == GHLO_CPU_TRANSFORM_REAL && self->pairs)
    ghlo_cpu_routines ()->fourier[self->is_f64].untangle (scratch, order, self->core, self->halves, TRUE);
  if (self->form == GHLO_CPU_TRANSFORM_REAL)
    scatter (self, scratch, order, to, n_lanes, self->n / 2 + 1, FALSE, scale);
  else
    scatter (self, scratch, order, &pairs_to, n_lanes, self->core,
             self->form == GHLO_CPU_TRANSFORM_HALF && !self->pairs, scale);
}
