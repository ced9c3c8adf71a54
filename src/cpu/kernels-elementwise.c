/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One level's table of elementwise loops, and stores past the caches. Compiled for each
 * level.
 */

#include "cpu/kernels-elementwise-private.h"

#include <string.h>

#if defined (__x86_64__)
#include <immintrin.h>
#endif

void
NAME (stream) (guint8       *to,
               const guint8 *from,
               gsize         n)
{
  gsize i = 0;

#if defined (__AVX512F__)
  for (; i + 64 <= n; i += 64)
    _mm512_stream_si512 ((gpointer) (to + i), _mm512_loadu_si512 (from + i));
#elif defined (__AVX2__)
  for (; i + 32 <= n; i += 32)
    _mm256_stream_si256 ((gpointer) (to + i), _mm256_loadu_si256 ((gconstpointer) (from + i)));
#elif defined (__x86_64__)
  for (; i + 16 <= n; i += 16)
    _mm_stream_si128 ((gpointer) (to + i), _mm_loadu_si128 ((gconstpointer) (from + i)));
#endif
  memcpy (to + i, from + i, n - i);
}

void
NAME (lines_init) (GhloCpuLines *self)
{
  *self = (GhloCpuLines) {
    .loops = {
      [GHLO_CPU_NUMBER_I1] = NAME (loops_i1),
      [GHLO_CPU_NUMBER_S8] = NAME (loops_s8),
      [GHLO_CPU_NUMBER_S16] = NAME (loops_s16),
      [GHLO_CPU_NUMBER_S32] = NAME (loops_s32),
      [GHLO_CPU_NUMBER_S64] = NAME (loops_s64),
      [GHLO_CPU_NUMBER_U8] = NAME (loops_u8),
      [GHLO_CPU_NUMBER_U16] = NAME (loops_u16),
      [GHLO_CPU_NUMBER_U32] = NAME (loops_u32),
      [GHLO_CPU_NUMBER_U64] = NAME (loops_u64),
      [GHLO_CPU_NUMBER_F32] = NAME (loops_f32),
      [GHLO_CPU_NUMBER_F64] = NAME (loops_f64),
      [GHLO_CPU_NUMBER_C64] = NAME (loops_c64),
      [GHLO_CPU_NUMBER_C128] = NAME (loops_c128),
    },
    .stream = NAME (stream),
  };
  memcpy (self->casts, NAME (casts), sizeof (self->casts));
}
