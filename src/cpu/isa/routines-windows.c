/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sums over the taps of windows, in all lanes of registers at once; each register's sum stays in one. Every operation
 * is rounded, as the specification writes it. Compiled for each level.
 */

#include "cpu/isa/routines-private.h"

/* Registers of the result that are summed at once, for a number of outputs that share each load. */
#define REGISTERS(outputs) ((outputs) == 1 ? 8 : (TILE_ROWS > 6 ? 16 : 8) / (outputs))

/* Blocks of COUNT registers, the last of which begins early enough to be whole: a sum alone waits for each addition. */
#define BLOCKS(name, COUNT) \
  for (; REGISTERS (outputs) >= COUNT && self->n >= COUNT && 2 * (self->n - at) > COUNT; \
       at = MIN (at + COUNT, self->n)) \
    name##_block (self, MIN (at, self->n - COUNT), outputs, COUNT, kind);

#define WINDOW(name, T, V, add) \
  static inline __attribute__ ((always_inline)) void \
  name##_block (const GhloCpuWindowLanes *self, gsize at, guint outputs, guint registers, \
                GhloCpuWindowWeights kind) \
  { \
    V sums[GHLO_CPU_WINDOW_OUTPUTS][8]; \
    T *y = (T *) self->y + (gint64) at * self->y_step; \
\
    UNROLL for (guint o = 0; o < outputs; o++) \
      UNROLL for (guint r = 0; r < registers; r++) \
        sums[o][r] = (V) { 0 }; \
    for (gsize tap = 0; tap < self->n_taps; tap++) \
      { \
        const T *x = (const T *) self->x + self->offsets[tap] + (gint64) at * self->x_step; \
        const T *weights = (const T *) self->weights + tap * self->weights_step; \
        V row[8]; \
\
        UNROLL for (guint r = 0; r < registers; r++) \
          row[r] = *(const V##_any *) (gconstpointer) (x + (gint64) r * self->x_step); \
        UNROLL for (guint o = 0; o < outputs; o++) \
          { \
            V weight; \
\
            if (kind == GHLO_CPU_WEIGHTS_OF_LANES) \
              weight = *(const V##_any *) (gconstpointer) weights; \
            else if (kind == GHLO_CPU_WEIGHTS_SHARED) \
              weight = (V) { 0 } + weights[o]; \
            UNROLL for (guint r = 0; r < registers; r++) \
              { \
                if (kind == GHLO_CPU_WEIGHTS_OF_REGISTERS) \
                  weight = *(const V##_any *) (gconstpointer) (weights + (at + r) * LANES (T)); \
                sums[o][r] = add (sums[o][r], weight, row[r]); \
              } \
          } \
      } \
    UNROLL for (guint o = 0; o < outputs; o++) \
      UNROLL for (guint r = 0; r < registers; r++) \
        *(V##_any *) (gpointer) (y + o * self->y_row + (gint64) r * self->y_step) = sums[o][r]; \
  } \
\
  static inline __attribute__ ((always_inline)) void \
  name##_outputs (const GhloCpuWindowLanes *self, guint outputs, GhloCpuWindowWeights kind) \
  { \
    gsize at = 0; \
\
    BLOCKS (name, 8) \
    BLOCKS (name, 4) \
    BLOCKS (name, 2) \
    BLOCKS (name, 1) \
  } \
\
  static void \
  name##_shared (const GhloCpuWindowLanes *self) \
  { \
    if (self->n_outputs == 1) \
      name##_outputs (self, 1, GHLO_CPU_WEIGHTS_SHARED); \
    else if (self->n_outputs == 2) \
      name##_outputs (self, 2, GHLO_CPU_WEIGHTS_SHARED); \
    else \
      name##_outputs (self, 4, GHLO_CPU_WEIGHTS_SHARED); \
  } \
\
  static void \
  name##_of_lanes (const GhloCpuWindowLanes *self) \
  { \
    name##_outputs (self, 1, GHLO_CPU_WEIGHTS_OF_LANES); \
  } \
\
  static void \
  name##_of_registers (const GhloCpuWindowLanes *self) \
  { \
    name##_outputs (self, 1, GHLO_CPU_WEIGHTS_OF_REGISTERS); \
  }

#define ADD_PRODUCT(sum, weight, x) ((sum) + (weight) * (x))
#define ADD_PAIRS(sum, weight, x)   ((sum) + multiply_pairs (weight, x))

WINDOW (f32, float, VF32, ADD_PRODUCT)
WINDOW (f64, double, VF64, ADD_PRODUCT)
WINDOW (i16, guint32, VU32, ADD_PAIRS)
WINDOW (i32, guint32, VU32, ADD_PRODUCT)

const GhloCpuWindowLanesFunc NAME (windows)[GHLO_CPU_N_ARITHMETICS][GHLO_CPU_N_WINDOW_WEIGHTS] = {
  [GHLO_CPU_F32] = { f32_shared, f32_of_lanes, f32_of_registers },
  [GHLO_CPU_F64] = { f64_shared, f64_of_lanes, f64_of_registers },
  [GHLO_CPU_I16] = { i16_shared, i16_of_lanes, i16_of_registers },
  [GHLO_CPU_I32] = { i32_shared, i32_of_lanes, i32_of_registers },
};
