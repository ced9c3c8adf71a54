/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The numbers of the processor that this runs on.
 */

#include "machine.h"

#include <unistd.h>

#if defined (__x86_64__)
static void
init_processor (GhloMachine *self)
{
  gboolean v4 = __builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512vl")
                && __builtin_cpu_supports ("avx512bw") && __builtin_cpu_supports ("avx512dq");
  gboolean v3 = __builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma");

  self->vector_bits = v4 ? 512 : v3 ? 256 : 128;
  self->n_registers = v4 ? 32 : 16;
  self->fma = v3;
  self->masks = v4;
}
#else
static void
init_processor (GhloMachine *self)
{
  self->vector_bits = 128;
  self->n_registers = 32;
  self->fma = TRUE;
}
#endif

static gsize
read_cache (int level)
{
  static const int names[] = { _SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE };
  long size = sysconf (names[level]);

  return size > 0 ? size : 0;
}

void
ghlo_machine_init_host (GhloMachine *self)
{
  *self = (GhloMachine) { .name = "host", .keeps_denormals = TRUE, .fma_latency = 4, .fma_units = 2,
                          .line_bytes = 64, .load_bytes = 64 };
  init_processor (self);
  for (int i = 0; i < 3; i++)
    self->cache_bytes[i] = read_cache (i);
  self->n_cores = MAX (sysconf (_SC_NPROCESSORS_ONLN), 1);
  self->scratch_bytes = self->cache_bytes[1] / 2;
}

char *
ghlo_machine_print (const GhloMachine *self)
{
  return g_strdup_printf ("%s: %u bits × %u registers%s%s, caches %" G_GSIZE_FORMAT " / %" G_GSIZE_FORMAT
                          " / %" G_GSIZE_FORMAT " KiB, %u cores", self->name, self->vector_bits, self->n_registers,
                          self->fma ? ", fma" : "", self->masks ? ", masks" : "", self->cache_bytes[0] / 1024,
                          self->cache_bytes[1] / 1024, self->cache_bytes[2] / 1024, self->n_cores);
}
