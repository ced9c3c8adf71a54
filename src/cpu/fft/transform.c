/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Transforms along a dimension: which way they are computed, and their tables.
 */

#include "cpu/fft/transform.h"

#include "base/sizes.h"

#include <string.h>

/* The longest transform of lanes whose rows stay in the L2 cache, and the shortest line that is made a matrix. */
enum { MAX_ROWS = 1 << 12, MIN_LINE = 64 };

/* Lines are transformed as matrices where fewer than half of the lanes would be used, or where longer ones would be too
 * few blocks for all threads. */
enum { MIN_BLOCKS = 4, MIN_SHARED_LINE = 1 << 10 };

/* The longest transforms of lanes, and of an odd number of real numbers, whose loops do not check for a cancel; and the
 * longest of all. */
enum { MAX_LANE_ROWS = 1 << 17, MAX_ODD = 1 << 22, MAX_CORE = 1 << 30 };

/* The longest of Rader's, whose primitive root is found by trial, and the greatest factor before it. */
enum { MAX_CYCLE = 1 << 12, MAX_CYCLE_RADIX = 13 };

/* Entries of tables between checks for a cancel. */
enum { CHECK_EVERY = 1 << 18 };

/* The greatest divisor of @n that is at most its root; 1 for primes. */
static gsize
find_divisor (gsize n)
{
  gsize best = 1;

  for (gsize d = 2; d * d <= n; d++)
    if (n % d == 0)
      best = d;

  return best;
}

/* The least number of at least @n with prime factors up to 7 that transforms fast. */
static gsize
find_smooth (gsize n)
{
  gsize best = 1;

  while (best < n)
    best *= 2;
  for (gsize sevens = 1; sevens < best; sevens *= 7)
    for (gsize fives = sevens; fives < best; fives *= 5)
      for (gsize threes = fives; threes < best; threes *= 3)
        {
          gsize m = threes;

          while (m < n)
            m *= 2;
          if (m < best && m % 4 == 0)
            best = m;
        }

  return best;
}

/* The least number whose powers are all numbers from 1 to @n - 1 modulo @n, an odd prime. */
static gsize
find_primitive_root (gsize n)
{
  for (gsize root = 2;; root++)
    {
      gsize power = root, order = 1;

      for (; power != 1; power = power * root % n)
        order++;
      if (order == n - 1)
        return root;
    }
}

/* Whether @n is an odd prime, and n - 1 numbers are transformed by small radices. */
static gboolean
is_before_prime (GhloCpuTransform *self,
                 gsize             n)
{
  if (n < 3 || n > MAX_CYCLE || find_divisor (n) > 1 || !ghlo_cpu_radices_read (&self->columns, n - 1, self->is_f64))
    return FALSE;
  for (guint i = 0; i < self->columns.n_passes; i++)
    if (self->columns.radices[i] > MAX_CYCLE_RADIX)
      return FALSE;

  return TRUE;
}

static gboolean
is_worth_lines (const GhloCpuTransform *self,
                gsize                   n_lanes)
{
  gsize part = ghlo_cpu_transform_n_lanes (self);

  if (self->length < MIN_LINE)
    return FALSE;
  return self->length > MAX_ROWS || n_lanes < part / 2
         || (self->length >= MIN_SHARED_LINE && n_lanes < MIN_BLOCKS * part);
}

const char *
ghlo_cpu_transform_read (GhloCpuTransform     *self,
                         gsize                 n,
                         GhloCpuTransformForm  form,
                         gboolean              is_f64,
                         gboolean              inverse,
                         gboolean              may_run_by_line,
                         gsize                 n_lanes)
{
  gsize divisor;

  *self = (GhloCpuTransform) { .n = n, .form = form, .is_f64 = is_f64, .inverse = inverse };
  self->pairs = form != GHLO_CPU_TRANSFORM_COMPLEX && n % 2 == 0;
  self->core = self->length = self->pairs ? n / 2 : n;
  if (self->core > MAX_CORE || (form != GHLO_CPU_TRANSFORM_COMPLEX && !self->pairs && n > MAX_ODD))
    return "its length is too large";
  self->chirps = !ghlo_cpu_radices_read (&self->columns, self->core, is_f64);
  if (self->chirps)
    self->length = find_smooth (2 * self->core - 1);
  self->by_line = may_run_by_line && is_worth_lines (self, n_lanes);
  divisor = self->by_line ? find_divisor (self->length) : 1;
  if (divisor < 8)
    self->by_line = FALSE;
  self->reverses = inverse && !self->chirps;
  if (!self->by_line && self->chirps && is_before_prime (self, self->core))
    {
      self->chirps = FALSE;
      self->cycles = TRUE;
      self->length = self->core - 1;
    }
  if (!self->by_line)
    return self->length > MAX_LANE_ROWS || !ghlo_cpu_radices_read (&self->columns, self->length, is_f64)
           ? "its length is too large" : NULL;

  return ghlo_cpu_radices_read (&self->columns, divisor, is_f64)
         && ghlo_cpu_radices_read (&self->rows, self->length / divisor, is_f64) ? NULL : "its length is too large";
}

/* Whether entry @i is computed; FALSE where cancelled. */
static gboolean
proceed (const GhloMonitor *monitor,
         gsize              i)
{
  return i % CHECK_EVERY != 0 || !ghlo_monitor_cancelled (monitor, NULL);
}

static guint8 *
new_table (const GhloCpuTransform *self,
           gsize                   n)
{
  guint8 *table = g_try_malloc_n (n, ghlo_cpu_transform_size (self));

  if (table != NULL)
    memset (table, 0, n * ghlo_cpu_transform_size (self));

  return table;
}

/* The factors of untangle: ∓i/2 exp (∓2 pi i k / n). */
static gboolean
fill_halves (GhloCpuTransform  *self,
             const GhloMonitor *monitor)
{
  g_auto (GhloRoots) roots = { 0 };

  self->halves = new_table (self, self->core / 2 + 1);
  if (self->halves == NULL || !ghlo_roots_init (&roots, self->n))
    return FALSE;
  for (gsize k = 0; k <= self->core / 2; k++)
    {
      GhloRoot root = ghlo_roots_get (&roots, k);
      GhloRoot half = { root.im / 2, -root.re / 2 };

      if (!proceed (monitor, k))
        return FALSE;
      if (self->form == GHLO_CPU_TRANSFORM_HALF)
        half.im = -half.im;
      ghlo_root_store (half, self->is_f64, self->halves, k);
    }

  return TRUE;
}

static gboolean
fill_twists (GhloCpuTransform  *self,
             const GhloMonitor *monitor)
{
  g_auto (GhloRoots) roots = { 0 };
  gsize n = self->columns.n, lanes = ghlo_cpu_transform_n_lanes (self);
  gsize n_blocks = ghlo_size_ceil_div (self->rows.n, lanes);
  gsize real_size = ghlo_cpu_transform_size (self) / 2;

  self->lane_twists = g_aligned_alloc (n, GHLO_CPU_FOURIER_ROW, 64);
  self->twists = new_table (self, n_blocks * n);
  if (self->twists == NULL || !ghlo_roots_init (&roots, self->length))
    return FALSE;
  for (gsize k = 0; k < n; k++)
    for (gsize lane = 0; lane < lanes; lane++)
      {
        GhloRoot root = ghlo_roots_get (&roots, k * lane % self->length);
        guint8 *at = self->lane_twists + k * GHLO_CPU_FOURIER_ROW + lane * real_size;
        guint8 parts[16];

        ghlo_root_store (root, self->is_f64, parts, 0);
        memcpy (at, parts, real_size);
        memcpy (at + GHLO_CPU_FOURIER_PART, parts + real_size, real_size);
      }
  for (gsize i = 0; i < n_blocks * n; i++)
    {
      if (!proceed (monitor, i))
        return FALSE;
      ghlo_root_store (ghlo_roots_get (&roots, i % n * (i / n) * lanes % self->length), self->is_f64,
                           self->twists, i);
    }

  return TRUE;
}

/* Transforms the filter by the loops that it is for. */
static gboolean
transform_filter (GhloCpuTransform  *self,
                  const GhloMonitor *monitor)
{
  gsize size = ghlo_cpu_transform_size (self), n = self->length, bytes;
  const GhloCpuFourier *routines = &ghlo_cpu_routines ()->fourier[self->is_f64];
  g_autofree guint8 *memory = NULL;
  guint8 *scratch;

  if (self->by_line ? !ghlo_cpu_transform_find_matrix (self, &bytes)
                    : !ghlo_size_mul (&bytes, n + 1, GHLO_CPU_FOURIER_ROW))
    return FALSE;
  memory = g_try_malloc0 (bytes + 64);
  if (memory == NULL)
    return FALSE;
  scratch = memory + (64 - (gsize) memory % 64);
  if (self->by_line)
    return ghlo_cpu_transform_run_matrix (self, self->filter, self->filter, FALSE, 1.0 / (double) n, scratch, monitor);

  for (gsize k = 0; k < n; k++)
    {
      memcpy (scratch + k * GHLO_CPU_FOURIER_ROW, self->filter + k * size, size / 2);
      memcpy (scratch + k * GHLO_CPU_FOURIER_ROW + GHLO_CPU_FOURIER_PART, self->filter + k * size + size / 2, size / 2);
    }
  ghlo_cpu_radices_run (&self->columns, scratch, FALSE, 1);
  for (gsize k = 0; k < n; k++)
    {
      guint8 row[GHLO_CPU_FOURIER_ROW];

      routines->join (scratch, &self->columns.order[k], row, 0, 1, 1.0 / (double) n);
      memcpy (self->filter + k * size, row, size);
    }

  return TRUE;
}

static gboolean
fill_chirps (GhloCpuTransform  *self,
             const GhloMonitor *monitor)
{
  g_auto (GhloRoots) roots = { 0 };
  gsize n = self->core;

  self->chirp = new_table (self, n);
  self->filter = new_table (self, self->length);
  if (self->chirp == NULL || self->filter == NULL || !ghlo_roots_init (&roots, 2 * n))
    return FALSE;
  for (gsize k = 0; k < n; k++)
    {
      GhloRoot root = ghlo_roots_get (&roots, k * k % (2 * n)), conjugate = { root.re, -root.im };

      if (!proceed (monitor, k))
        return FALSE;
      if (self->inverse)
        {
          conjugate = root;
          root.im = -root.im;
        }
      ghlo_root_store (root, self->is_f64, self->chirp, k);
      ghlo_root_store (conjugate, self->is_f64, self->filter, k);
      ghlo_root_store (conjugate, self->is_f64, self->filter, (self->length - k) % self->length);
    }

  return transform_filter (self, monitor);
}

static gboolean
fill_cycles (GhloCpuTransform  *self,
             const GhloMonitor *monitor)
{
  g_auto (GhloRoots) roots = { 0 };
  const gsize n = self->core, root = find_primitive_root (n);

  self->filter = new_table (self, self->length);
  self->powers = g_try_new (guint32, self->length);
  self->order = g_try_new (guint32, n + 1);
  if (self->filter == NULL || self->powers == NULL || self->order == NULL || !ghlo_roots_init (&roots, n))
    return FALSE;
  self->order[0] = (guint32) self->length;
  self->order[n] = (guint32) n;
  for (gsize i = 0, power = 1; i < self->length; i++, power = power * root % n)
    {
      /* The inverse of a power is as far from the end of the cycle. */
      const gsize inverse = (self->length - i) % self->length;
      GhloRoot factor = ghlo_roots_get (&roots, power);

      if (self->inverse)
        factor.im = -factor.im;
      ghlo_root_store (factor, self->is_f64, self->filter, inverse);
      self->powers[i] = (guint32) power;
      self->order[power] = self->columns.order[inverse];
    }

  return transform_filter (self, monitor);
}

gboolean
ghlo_cpu_transform_prepare (GhloCpuTransform  *self,
                            const GhloMonitor *monitor)
{
  return ghlo_cpu_radices_prepare (&self->columns)
         && (!self->by_line || (ghlo_cpu_radices_prepare (&self->rows) && fill_twists (self, monitor)))
         && (!self->pairs || fill_halves (self, monitor)) && (!self->chirps || fill_chirps (self, monitor))
         && (!self->cycles || fill_cycles (self, monitor));
}

void
ghlo_cpu_transform_clear (GhloCpuTransform *self)
{
  ghlo_cpu_radices_clear (&self->columns);
  ghlo_cpu_radices_clear (&self->rows);
  g_free (self->chirp);
  g_free (self->filter);
  g_free (self->powers);
  g_free (self->order);
  g_free (self->halves);
  g_aligned_free (self->lane_twists);
  g_free (self->twists);
}

gsize
ghlo_cpu_transform_tables_size (const GhloCpuTransform *self)
{
  gsize size = ghlo_cpu_transform_size (self), bytes = ghlo_cpu_radices_size (&self->columns);

  if (self->by_line)
    bytes += ghlo_cpu_radices_size (&self->rows) + self->columns.n * GHLO_CPU_FOURIER_ROW
             + ghlo_size_ceil_div (self->rows.n, ghlo_cpu_transform_n_lanes (self)) * self->columns.n * size;
  if (self->pairs)
    bytes += (self->core / 2 + 1) * size;
  if (self->chirps)
    bytes += (self->core + self->length) * size;
  if (self->cycles)
    bytes += self->length * (size + sizeof (guint32)) + (self->core + 1) * sizeof (guint32);

  return bytes;
}
