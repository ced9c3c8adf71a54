/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One level's table of elementwise loops. Compiled for each level.
 */

#include "cpu/isa/elementwise-private.h"

#include <string.h>

void
NAME (elementwise_routines_init) (GhloCpuElementwiseRoutines *self)
{
  *self = (GhloCpuElementwiseRoutines) {
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
    .functions = {
      [GHLO_CPU_NUMBER_U8] = NAME (functions_u8),
      [GHLO_CPU_NUMBER_U16] = NAME (functions_u16),
      [GHLO_CPU_NUMBER_F32] = NAME (functions_f32),
      [GHLO_CPU_NUMBER_F64] = NAME (functions_f64),
    },
  };
  memcpy (self->casts, NAME (casts), sizeof (self->casts));
  memcpy (self->reductions, NAME (reductions), sizeof (self->reductions));
  memcpy (self->scans, NAME (scans), sizeof (self->scans));
  memcpy (self->bf16_scans, NAME (bf16_scans), sizeof (self->bf16_scans));
  self->wide_sum = NAME (wide_sum);
}
