/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures the peak rates of the machine: all cores copying memory, and a large
 * product of f32 matrices by oneDNN, the library that computes products.
 */

#include "tools/bench.h"

#include <gmodule.h>
#include <string.h>

enum { COPY_BYTES = 64 << 20, SIZE = 1024, ROUNDS = 7 };

typedef struct
{
  guint8 *from, *to;
} Copy;

static gpointer
copy_thread (gpointer data)
{
  const Copy *copy = data;

  memcpy (copy->to, copy->from, COPY_BYTES);

  return NULL;
}

/* Each core copies a block of its own that is too large for any cache. */
static double
measure_copy (void)
{
  guint n = g_get_num_processors ();
  g_autofree Copy *copies = g_new0 (Copy, n);
  g_autofree GThread **threads = g_new0 (GThread *, n);
  double best = 0;

  for (guint i = 0; i < n; i++)
    {
      copies[i] = (Copy) { g_malloc (COPY_BYTES), g_malloc (COPY_BYTES) };
      memset (copies[i].from, 1, COPY_BYTES);
      memset (copies[i].to, 1, COPY_BYTES);
    }
  for (guint round = 0; round < ROUNDS; round++)
    {
      gint64 start = g_get_monotonic_time ();

      for (guint i = 0; i < n; i++)
        threads[i] = g_thread_new ("copy", copy_thread, &copies[i]);
      for (guint i = 0; i < n; i++)
        g_thread_join (threads[i]);
      best = MAX (best, 2.0 * COPY_BYTES * n / (double) MAX (g_get_monotonic_time () - start, 1) * 1e6);
    }
  for (guint i = 0; i < n; i++)
    {
      g_free (copies[i].from);
      g_free (copies[i].to);
    }

  return best;
}

/* oneDNN's dnnl_sgemm: row-major C = alpha A B + beta C. */
typedef int (*Sgemm) (char         transa,
                      char         transb,
                      gint64       m,
                      gint64       n,
                      gint64       k,
                      float        alpha,
                      const float *a,
                      gint64       lda,
                      const float *b,
                      gint64       ldb,
                      float        beta,
                      float       *c,
                      gint64       ldc);

/* Returns 0 without oneDNN. */
static double
measure_products (void)
{
  GModule *library = NULL;
  g_autofree float *matrices = NULL;
  gpointer symbol = NULL;
  double best = 0;
  Sgemm sgemm;

  for (guint version = 3; library == NULL && version >= 2; version--)
    {
      g_autofree char *name = g_strdup_printf ("libdnnl.so.%u", version);

      library = g_module_open (name, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
    }
  if (library == NULL || !g_module_symbol (library, "dnnl_sgemm", &symbol))
    return 0;
  /* The library's threads keep running, so its code must stay loaded. */
  g_module_make_resident (library);

  sgemm = (Sgemm) symbol;
  matrices = g_new (float, 3 * SIZE * SIZE);
  for (gsize i = 0; i < 3 * SIZE * SIZE; i++)
    matrices[i] = 0.5f;
  for (guint round = 0; round < ROUNDS; round++)
    {
      gint64 start = g_get_monotonic_time ();

      if (sgemm ('N', 'N', SIZE, SIZE, SIZE, 1, matrices, SIZE, matrices + SIZE * SIZE, SIZE, 0,
                 matrices + 2 * SIZE * SIZE, SIZE) != 0)
        return 0;
      best = MAX (best, 2.0 * SIZE * SIZE * SIZE / (double) MAX (g_get_monotonic_time () - start, 1) * 1e6);
    }

  return best;
}

void
ghlo_bench_machine (GhloBenchMachine *machine)
{
  machine->copy = measure_copy ();
  machine->products = measure_products ();
}
