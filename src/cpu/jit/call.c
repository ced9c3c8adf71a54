/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lays out the scratch of machine code, and defines the functions that the code calls.
 */

#include "cpu/jit/call.h"

#include "kernel/places.h"

#include <math.h>

enum { ALIGNMENT = 64, ROOM = 64, BETWEEN = 64 };

/* The results that columns keep in a temporary: where it is that of a fold, also those of chains and parts that are not
 * merged yet. */
static guint
count_partial_results (const GhloKernel *kernel,
                       guint             temporary)
{
  for (guint i = 0; i < kernel->n_blocks; i++)
    for (guint k = 0; k < kernel->blocks[i].n_folds; k++)
      if (kernel->folds[kernel->blocks[i].first_fold + k].temporary == temporary)
        return g_bit_storage (kernel->blocks[i].n_chains) + (kernel->blocks[i].split > 0);

  return 1;
}

/* Adds the bytes of a temporary to *total, which is the offset where it begins. FALSE on overflow. */
static gboolean
add_temporary (const GhloKernel         *kernel,
               const GhloKernelSchedule *schedule,
               const gint64             *extents,
               guint                     number,
               gsize                    *total)
{
  const GhloKernelTemporary *temporary = &kernel->temporaries[number];
  gsize bytes = schedule->columns > 0 ? schedule->columns * count_partial_results (kernel, number)
                : schedule->lanes == GHLO_KERNEL_NONE ? 1 : schedule->width;

  for (guint i = 0; i < kernel->n_axes; i++)
    if ((temporary->axes & 1u << i) != 0 && __builtin_mul_overflow (bytes, (gsize) extents[i], &bytes))
      return FALSE;

  return !__builtin_add_overflow (bytes, (gsize) ROOM, &bytes)
         && !__builtin_mul_overflow (bytes, (gsize) ghlo_element_info (temporary->type)->size, &bytes)
         && !__builtin_add_overflow (bytes, (gsize) BETWEEN + ALIGNMENT - 1, &bytes)
         && !__builtin_add_overflow (*total, bytes & ~(gsize) (ALIGNMENT - 1), total) && *total < G_MAXSIZE / 2;
}

/* Whether temporary @i has memory of its own. A temporary that spans no axes is a variable instead, unless columns are
 * folded. */
static gboolean
has_memory (const GhloKernel         *kernel,
            const GhloKernelSchedule *schedule,
            const guint16            *places,
            guint                     i)
{
  return (kernel->temporaries[i].axes != 0 || schedule->columns > 0) && places[i] == i;
}

gsize
ghlo_code_scratch (const GhloKernel         *kernel,
                   const GhloKernelSchedule *schedule,
                   const gint64             *extents)
{
  guint16 places[GHLO_KERNEL_MAX_TEMPORARIES];
  gsize total = GHLO_CODE_DUMMY_BYTES;

  ghlo_kernel_find_places (kernel, places);
  for (guint i = 0; i < kernel->n_temporaries; i++)
    if (has_memory (kernel, schedule, places, i) && !add_temporary (kernel, schedule, extents, i, &total))
      return G_MAXSIZE;

  return total;
}

static gboolean
never_stops (gpointer data)
{
  return FALSE;
}

static void
fma_f32 (float       *result,
         const float *a,
         const float *b,
         const float *c,
         gsize        n)
{
  for (gsize i = 0; i < n; i++)
    result[i] = fmaf (a[i], b[i], c[i]);
}

static void
fma_f64 (double       *result,
         const double *a,
         const double *b,
         const double *c,
         gsize         n)
{
  for (gsize i = 0; i < n; i++)
    result[i] = fma (a[i], b[i], c[i]);
}

void
ghlo_code_call_init (GhloCodeCall              *call,
                     guint8                   **temporaries,
                     const GhloKernel          *kernel,
                     const GhloKernelSchedule  *schedule,
                     const gint64              *extents,
                     gpointer const            *buffers,
                     gpointer                   scratch)
{
  guint16 places[GHLO_KERNEL_MAX_TEMPORARIES];
  gsize start = GHLO_CODE_DUMMY_BYTES;

  ghlo_kernel_find_places (kernel, places);
  for (guint i = 0; i < kernel->n_temporaries; i++)
    {
      temporaries[i] = NULL;
      if (!has_memory (kernel, schedule, places, i))
        continue;
      temporaries[i] = (guint8 *) scratch + start;
      add_temporary (kernel, schedule, extents, i, &start);
    }
  for (guint i = 0; i < kernel->n_temporaries; i++)
    temporaries[i] = temporaries[places[i]];
  *call = (GhloCodeCall) {
    .buffers = buffers,
    .extents = extents,
    .temporaries = temporaries,
    .dummy = scratch,
    .stops = never_stops,
    .fma_f32 = fma_f32,
    .fma_f64 = fma_f64,
  };
}
