/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the files of strip loops: the tables of one level.
 */

#pragma once

#include "cpu/isa/elementwise-private.h"
#include "cpu/isa/strips.h"

extern const GhloCpuFoldFunc NAME (folds_i1)[GHLO_CPU_N_FOLDS];
extern const GhloCpuFoldFunc NAME (folds_s8)[GHLO_CPU_N_FOLDS];
extern const GhloCpuFoldFunc NAME (folds_s16)[GHLO_CPU_N_FOLDS];
extern const GhloCpuFoldFunc NAME (folds_s32)[GHLO_CPU_N_FOLDS];
extern const GhloCpuFoldFunc NAME (folds_s64)[GHLO_CPU_N_FOLDS];
extern const GhloCpuFoldFunc NAME (folds_u8)[GHLO_CPU_N_FOLDS];
extern const GhloCpuFoldFunc NAME (folds_u16)[GHLO_CPU_N_FOLDS];
extern const GhloCpuFoldFunc NAME (folds_u32)[GHLO_CPU_N_FOLDS];
extern const GhloCpuFoldFunc NAME (folds_u64)[GHLO_CPU_N_FOLDS];
extern const GhloCpuFoldFunc NAME (folds_f32)[GHLO_CPU_N_FOLDS];
extern const GhloCpuFoldFunc NAME (folds_f64)[GHLO_CPU_N_FOLDS];
extern const GhloCpuHalveFunc NAME (halvings_i1)[GHLO_N_COMBINERS];
extern const GhloCpuHalveFunc NAME (halvings_s8)[GHLO_N_COMBINERS];
extern const GhloCpuHalveFunc NAME (halvings_s16)[GHLO_N_COMBINERS];
extern const GhloCpuHalveFunc NAME (halvings_s32)[GHLO_N_COMBINERS];
extern const GhloCpuHalveFunc NAME (halvings_s64)[GHLO_N_COMBINERS];
extern const GhloCpuHalveFunc NAME (halvings_u8)[GHLO_N_COMBINERS];
extern const GhloCpuHalveFunc NAME (halvings_u16)[GHLO_N_COMBINERS];
extern const GhloCpuHalveFunc NAME (halvings_u32)[GHLO_N_COMBINERS];
extern const GhloCpuHalveFunc NAME (halvings_u64)[GHLO_N_COMBINERS];
extern const GhloCpuHalveFunc NAME (halvings_f32)[GHLO_N_COMBINERS];
extern const GhloCpuHalveFunc NAME (halvings_f64)[GHLO_N_COMBINERS];

/* Fills in the level's table. */
void NAME (strip_routines_init) (GhloCpuStripRoutines *self);
