/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The loops of Fourier transforms, of f32 and of f64. Compiled for each level; nothing is fused, so all levels give the
 * same bits.
 */

#include "cpu/isa/routines-private.h"

#include <string.h>

/* The loops of one pass have an unknown radix, which clang would complain about; it unrolls the others anyway. */
#ifdef __clang__
#undef UNROLL
#define UNROLL
#endif

#if VECTOR_BYTES == 64
#define EVEN_F32(a, b) __builtin_shufflevector (a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
#define ODD_F32(a, b) __builtin_shufflevector (a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)
#define LOW_F32(a, b) __builtin_shufflevector (a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH_F32(a, b) __builtin_shufflevector (a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define EVEN_F64(a, b) __builtin_shufflevector (a, b, 0, 2, 4, 6, 8, 10, 12, 14)
#define ODD_F64(a, b) __builtin_shufflevector (a, b, 1, 3, 5, 7, 9, 11, 13, 15)
#define LOW_F64(a, b) __builtin_shufflevector (a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH_F64(a, b) __builtin_shufflevector (a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#elif VECTOR_BYTES == 32
#define EVEN_F32(a, b) __builtin_shufflevector (a, b, 0, 2, 4, 6, 8, 10, 12, 14)
#define ODD_F32(a, b) __builtin_shufflevector (a, b, 1, 3, 5, 7, 9, 11, 13, 15)
#define LOW_F32(a, b) __builtin_shufflevector (a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH_F32(a, b) __builtin_shufflevector (a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define EVEN_F64(a, b) __builtin_shufflevector (a, b, 0, 2, 4, 6)
#define ODD_F64(a, b) __builtin_shufflevector (a, b, 1, 3, 5, 7)
#define LOW_F64(a, b) __builtin_shufflevector (a, b, 0, 4, 1, 5)
#define HIGH_F64(a, b) __builtin_shufflevector (a, b, 2, 6, 3, 7)
#else
#define EVEN_F32(a, b) __builtin_shufflevector (a, b, 0, 2, 4, 6)
#define ODD_F32(a, b) __builtin_shufflevector (a, b, 1, 3, 5, 7)
#define LOW_F32(a, b) __builtin_shufflevector (a, b, 0, 4, 1, 5)
#define HIGH_F32(a, b) __builtin_shufflevector (a, b, 2, 6, 3, 7)
#define EVEN_F64(a, b) __builtin_shufflevector (a, b, 0, 2)
#define ODD_F64(a, b) __builtin_shufflevector (a, b, 1, 3)
#define LOW_F64 EVEN_F64
#define HIGH_F64 ODD_F64
#endif

#define T float
#define V VF32
#define F(name) F_(name, f32)
#define F_(name, type) name##_##type
typedef VF32_any Any_f32;
#define EVEN EVEN_F32
#define ODD ODD_F32
#define LOW LOW_F32
#define HIGH HIGH_F32
#include "cpu/isa/fourier-template.h"
#undef T
#undef V
#undef F
#undef EVEN
#undef ODD
#undef LOW
#undef HIGH

#define T double
#define V VF64
#define F(name) F_(name, f64)
typedef VF64_any Any_f64;
#define EVEN EVEN_F64
#define ODD ODD_F64
#define LOW LOW_F64
#define HIGH HIGH_F64
#include "cpu/isa/fourier-template.h"

void
NAME (fourier_init) (GhloCpuFourier *routines)
{
  routines[0] = fourier_f32;
  routines[1] = fourier_f64;
}
