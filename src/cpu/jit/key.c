/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The key holds all inputs byte by byte; a hash could collide with that of another kernel.
 */

#include "cpu/jit/key.h"

#include <string.h>

static void
append_text (GByteArray *bytes,
             const char *text)
{
  g_byte_array_append (bytes, (const guint8 *) text, (guint) strlen (text) + 1);
}

GBytes *
ghlo_code_key (const GhloKernel         *kernel,
               const GhloKernelSchedule *schedule,
               const GhloCodeTarget     *target,
               const char               *id)
{
  GByteArray *bytes = g_byte_array_sized_new (4096);
  const guint32 numbers[] = { target->vector_bytes, target->masked_bytes, target->has_fma, target->has_rounding,
                              target->has_half, target->has_range, target->has_extremes, schedule->lanes,
                              schedule->width, schedule->cuts, schedule->columns, schedule->prefetches };

  append_text (bytes, id);
  append_text (bytes, target->triple);
  append_text (bytes, target->cpu);
  append_text (bytes, target->features);
  g_byte_array_append (bytes, (const guint8 *) numbers, sizeof numbers);
  ghlo_kernel_append_key (kernel, bytes);

  return g_byte_array_free_to_bytes (bytes);
}
