/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tables are computed in long double, once, when a program is compiled, so that each root is rounded once and devices
 * need no f64.
 */

#include "gpu/fourier.h"

#include "base/roots.h"
#include "base/sizes.h"

/* TILE: the numbers of a workgroup's lines, of few of which there is room for several workgroups on a multiprocessor;
 * EACH: of an invocation. ADJACENT: the fewest lines beside each other where their numbers are not adjacent. SHORT: the
 * least run of adjacent numbers that is worth a load. MANY_GROUPS: workgroups that a large device wants. */
enum { TILE = 2048, EACH = 16, ADJACENT = 4, SHORT = 4, MANY_GROUPS = 264, WARP = 32, MAX_THREADS = 1024,
       PAIRS_GROUP = 256 };

static const guint radices[] = { 16, 13, 11, 9, 8, 7, 5, 4, 3, 2 };

gboolean
ghlo_fourier_is_smooth (gsize n)
{
  for (guint i = 0; i < G_N_ELEMENTS (radices); i++)
    while (n % radices[i] == 0)
      n /= radices[i];

  return n == 1;
}

static guint
real_size (gboolean is_f64)
{
  return is_f64 ? 8 : 4;
}

/* Numbers of a line in shared memory, with padding; PITCH of the shader. */
static gsize
pitch_of (gsize n)
{
  return n + n / 16 + 2;
}

gsize
ghlo_fourier_most (const GhloGpuDevice *device,
                   gboolean             is_f64,
                   guint                n_lines)
{
  const gsize room = device->vulkan.shared_memory / real_size (is_f64) / n_lines;
  const gsize most = MIN (MAX_THREADS, device->vulkan.max_group_size) * EACH / n_lines;

  return MIN (most, (MAX (room, 2) - 2) / 17 * 16);
}

/* Registers of an invocation for @n items of @each numbers in each line. */
static guint
count_registers (const GhloFourierStage *stage,
                 guint                   n,
                 guint                   each)
{
  return each * (guint) ghlo_size_ceil_div (stage->lines * n, stage->threads);
}

void
ghlo_fourier_tile (GhloFourierStage    *stage,
                   const GhloGpuDevice *device,
                   gboolean             is_f64)
{
  const gboolean by_lines = (stage->form & FFT_LINES_OUT) != 0;
  const gsize n = stage->n, n_lines = (gsize) stage->words.n_lines;
  const guint most_threads = MIN (MAX_THREADS, device->vulkan.max_group_size);
  gsize lines;

  if ((stage->form & FFT_ONLY_PAIRS) != 0)
    {
      stage->lines = 1;
      stage->threads = PAIRS_GROUP;
      stage->size = 2;
      stage->n_points = n_lines * (n / 2 + 1);
      stage->points_per_group = PAIRS_GROUP;
      return;
    }
  for (gsize i = 0, left = n; i < G_N_ELEMENTS (radices); i++)
    for (; left % radices[i] == 0; left /= radices[i])
      stage->radices[stage->n_radices++] = radices[i];
  if (stage->n_radices > 1)
    stage->tables[GHLO_FOURIER_OF_PASSES].kind = GHLO_FOURIER_ROOTS;
  lines = MAX (TILE / n, by_lines ? ADJACENT : 1);
  lines = MIN (lines, MAX (n_lines / MANY_GROUPS, by_lines ? ADJACENT : 1));
  lines = MIN (lines, n_lines);
  while (lines > 1 && n > ghlo_fourier_most (device, is_f64, (guint) lines))
    lines--;
  stage->lines = 1u << g_bit_nth_msf (lines, -1);
  stage->threads = (guint) (ghlo_size_ceil_div (stage->lines * n, EACH * WARP) * WARP);
  stage->threads = MIN (stage->threads, most_threads);
  if (!by_lines && n > 1 && n < SHORT * stage->radices[0])
    stage->form |= FFT_SHORT;
  stage->size = count_registers (stage, (guint) n, 1);
  for (guint i = 0; i < stage->n_radices; i++)
    stage->size = MAX (stage->size, count_registers (stage, (guint) n / stage->radices[i], stage->radices[i]));
  if ((stage->form & (FFT_TANGLE | FFT_UNTANGLE)) != 0)
    stage->size = MAX (stage->size, count_registers (stage, (guint) n / 2 + 1, 2));
  if (2 * stage->lines * pitch_of (n) * real_size (is_f64) <= device->vulkan.shared_memory)
    stage->form |= FFT_PLANES;
  stage->n_points = ghlo_size_ceil_div (n_lines, stage->lines);
  stage->points_per_group = 1;
}

gboolean
ghlo_fourier_compile (GhloFourierStage *stage,
                      GhloGpuDevice    *device,
                      gboolean          is_f64,
                      GError          **error)
{
  guint32 constants[GHLO_FOURIER_N_CONSTANTS] = { stage->threads, stage->n, stage->lines, 0, stage->size,
                                                  stage->form };

  for (guint i = 0; i < stage->n_radices; i++)
    constants[3] |= (stage->radices[i] - 1) << (4 * i);
  stage->pipeline = ghlo_gpu_shader_compile (device, is_f64 ? GHLO_GPU_SHADER_FFT_F64 : GHLO_GPU_SHADER_FFT, constants,
                                             G_N_ELEMENTS (constants), error);

  return stage->pipeline != NULL;
}

/* Numbers of a table; too many are more than there may be. */
static gsize
count_numbers (const GhloFourierStage *stage,
               const GhloFourierTable *table)
{
  gsize n;

  switch (table->kind)
    {
    case GHLO_FOURIER_NONE:
      return 0;
    case GHLO_FOURIER_ROOTS:
      return stage->n - stage->radices[0];
    case GHLO_FOURIER_HALVES:
      return table->n / 2 + 1;
    case GHLO_FOURIER_TWIDDLES:
      return ghlo_size_mul (&n, table->m, table->n) ? MIN (n, G_MAXUINT32) : G_MAXUINT32;
    case GHLO_FOURIER_CHIRP:
      return table->n;
    default:
      return table->m;
    }
}

gsize
ghlo_fourier_count_bytes (const GhloFourierStage *stage,
                          gboolean                is_f64)
{
  gsize n = 0;

  for (guint i = 0; i < GHLO_FOURIER_N_TABLES; i++)
    n += count_numbers (stage, &stage->tables[i]);

  return n * 2 * real_size (is_f64);
}

static void
fill_roots (const GhloFourierStage *stage,
            const GhloRoots        *roots,
            gboolean                is_f64,
            guint8                 *to)
{
  gsize s = stage->radices[0], at = 0;

  for (guint i = 1; i < stage->n_radices; s *= stage->radices[i++])
    for (gsize v = 1; v < stage->radices[i]; v++)
      for (gsize k = 0; k < s; k++)
        ghlo_root_store (ghlo_roots_get (roots, v * k * (stage->n / (stage->radices[i] * s))), is_f64, to, at++);
}

/* Transforms the @n numbers that are @step apart from @x on. */
static void
transform (const GhloRoots *roots,
           const GhloRoot  *x,
           gsize            step,
           gsize            n,
           GhloRoot        *to)
{
  GhloRoot numbers[7];
  gsize r = 2, m;

  if (n == 1)
    {
      *to = *x;
      return;
    }
  while (n % r != 0)
    r++;
  g_assert (r <= G_N_ELEMENTS (numbers));
  m = n / r;
  for (gsize v = 0; v < r; v++)
    transform (roots, x + v * step, step * r, m, to + v * m);
  for (gsize k = 0; k < m; k++)
    {
      for (gsize v = 0; v < r; v++)
        numbers[v] = to[v * m + k];
      for (gsize u = k; u < n; u += m)
        {
          GhloRoot sum = { 0, 0 };

          for (gsize v = 0; v < r; v++)
            {
              GhloRoot root = ghlo_roots_get (roots, u * v % n * step);

              sum.re += numbers[v].re * root.re - numbers[v].im * root.im;
              sum.im += numbers[v].re * root.im + numbers[v].im * root.re;
            }
          to[u] = sum;
        }
    }
}

static gboolean
fill_filter (const GhloFourierTable *table,
             const GhloRoots        *chirps,
             gboolean                is_f64,
             guint8                 *to)
{
  const gsize m = table->m;
  g_auto (GhloRoots) roots = { 0 };
  g_autofree GhloRoot *numbers = g_try_new0 (GhloRoot, m), *result = g_try_new0 (GhloRoot, m);

  if (numbers == NULL || result == NULL || !ghlo_roots_init (&roots, m))
    return FALSE;
  for (gsize k = 0; k < table->n; k++)
    {
      GhloRoot root = ghlo_roots_get (chirps, k * k % chirps->n);

      numbers[k] = numbers[(m - k) % m] = (GhloRoot) { root.re / (long double) m, -root.im / (long double) m };
    }
  transform (&roots, numbers, 1, m, result);
  for (gsize k = 0; k < m; k++)
    ghlo_root_store (result[k], is_f64, to, k);

  return TRUE;
}

static gboolean
fill_table (const GhloFourierStage *stage,
            const GhloFourierTable *table,
            gboolean                is_f64,
            guint8                 *to)
{
  const GhloFourierKind kind = table->kind;
  g_auto (GhloRoots) roots = { 0 };

  if (kind == GHLO_FOURIER_NONE)
    return TRUE;
  if (!ghlo_roots_init (&roots, kind == GHLO_FOURIER_ROOTS ? stage->n
                                : kind == GHLO_FOURIER_TWIDDLES ? table->m * table->n : 2 * table->n))
    return FALSE;
  if (kind == GHLO_FOURIER_FILTER)
    return fill_filter (table, &roots, is_f64, to);
  if (kind == GHLO_FOURIER_ROOTS)
    fill_roots (stage, &roots, is_f64, to);
  else
    for (gsize k = 0; k < count_numbers (stage, table); k++)
      {
        GhloRoot root = ghlo_roots_get (&roots, kind == GHLO_FOURIER_TWIDDLES ? k / table->n * (k % table->n)
                                                : kind == GHLO_FOURIER_CHIRP ? k * k % roots.n : k);

        ghlo_root_store (kind == GHLO_FOURIER_HALVES ? (GhloRoot) { root.im, -root.re } : root, is_f64, to, k);
      }

  return TRUE;
}

gboolean
ghlo_fourier_fill (GhloFourierStage *stage,
                   gboolean          is_f64,
                   guint8           *tables,
                   gsize             at)
{
  guint64 *words = &stage->words.roots;

  for (guint i = 0; i < GHLO_FOURIER_N_TABLES; i++)
    {
      words[i] = at;
      if (!fill_table (stage, &stage->tables[i], is_f64, tables + at))
        return FALSE;
      at += count_numbers (stage, &stage->tables[i]) * 2 * real_size (is_f64);
    }

  return TRUE;
}
