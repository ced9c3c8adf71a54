/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The loops of triangular systems and of factorizations into triangles, for each type. Compiled for each level, with
 * fused multiply-adds where the processor has them.
 */

#include "cpu/isa/routines-private.h"

#include <float.h>
#include <math.h>
#include <string.h>

#if TILE_ROWS >= 12
#define REAL_ROWS 8
#else
#define REAL_ROWS 4
#endif

/* Loops of as few iterations as a register has lanes are not made one instruction. */
#if VECTOR_BYTES == 64
#define ROOTS_F32(x) ((VF32) _mm512_sqrt_ps ((__m512) (x)))
#define ROOTS_F64(x) ((VF64) _mm512_sqrt_pd ((__m512d) (x)))
#elif VECTOR_BYTES == 32
#define ROOTS_F32(x) ((VF32) _mm256_sqrt_ps ((__m256) (x)))
#define ROOTS_F64(x) ((VF64) _mm256_sqrt_pd ((__m256d) (x)))
#elif defined (__SSE2__)
#define ROOTS_F32(x) ((VF32) _mm_sqrt_ps ((__m128) (x)))
#define ROOTS_F64(x) ((VF64) _mm_sqrt_pd ((__m128d) (x)))
#else
#define ROOTS_F32(x) ((VF32) { sqrtf ((x)[0]), sqrtf ((x)[1]), sqrtf ((x)[2]), sqrtf ((x)[3]) })
#define ROOTS_F64(x) ((VF64) { sqrt ((x)[0]), sqrt ((x)[1]) })
#endif

#define T float
#define V VF32
#define F(name) F_(name, f32)
#define F_(name, type) name##_##type
#define PARTS 1
#define ROWS REAL_ROWS
#define SMALLEST FLT_MIN
#define SQRT sqrtf
#define ROOTS ROOTS_F32
#include "cpu/isa/triangle-template.h"

#define T double
#define V VF64
#define F(name) F_(name, f64)
#define F_(name, type) name##_##type
#define PARTS 1
#define ROWS REAL_ROWS
#define SMALLEST DBL_MIN
#define SQRT sqrt
#define ROOTS ROOTS_F64
#include "cpu/isa/triangle-template.h"

#define T float
#define V VF32
#define F(name) F_(name, c32)
#define F_(name, type) name##_##type
#define PARTS 2
#define ROWS (REAL_ROWS / 2)
#define SMALLEST FLT_MIN
#define SQRT sqrtf
#define ROOTS ROOTS_F32
#include "cpu/isa/triangle-template.h"

#define T double
#define V VF64
#define F(name) F_(name, c64)
#define F_(name, type) name##_##type
#define PARTS 2
#define ROWS (REAL_ROWS / 2)
#define SMALLEST DBL_MIN
#define SQRT sqrt
#define ROOTS ROOTS_F64
#include "cpu/isa/triangle-template.h"

void
NAME (triangles_init) (GhloCpuRoutines *routines)
{
  const GhloCpuTriangles all[] = { triangles_f32, triangles_f64, triangles_c32, triangles_c64 };

  memcpy (routines->triangles, all, sizeof (all));
  routines->solve_rows[0] = solve_rows_f32;
  routines->solve_rows[1] = solve_rows_f64;
}
