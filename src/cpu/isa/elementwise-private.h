/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the files of elementwise loops: a type for each kind of number, and macros that define loops of one, two
 * and three operands around an expression in x, y and z.
 */

#pragma once

#include "cpu/isa/elementwise.h"
#include "cpu/isa/routines-private.h"

typedef guint8  I1;
typedef gint8   S8;
typedef gint16  S16;
typedef gint32  S32;
typedef gint64  S64;
typedef guint8  U8;
typedef guint16 U16;
typedef guint32 U32;
typedef guint64 U64;
typedef float   F32;
typedef double  F64;

/* The same types without alignment. */
#define ANYWHERE(T) typedef T T##_there __attribute__ ((aligned (1), may_alias))

ANYWHERE (I1);
ANYWHERE (S8);
ANYWHERE (S16);
ANYWHERE (S32);
ANYWHERE (S64);
ANYWHERE (U8);
ANYWHERE (U16);
ANYWHERE (U32);
ANYWHERE (U64);
ANYWHERE (F32);
ANYWHERE (F64);

typedef struct { float re, im; } __attribute__ ((packed, may_alias)) C64, C64_there;
typedef struct { double re, im; } __attribute__ ((packed, may_alias)) C128, C128_there;

/* Tells the compiler that element i of the result depends only on elements i of the operands, even where they share
 * memory. */
#ifdef __clang__
/* Expressions that have no vector instructions stay scalar loops; do not warn about those. */
#pragma clang diagnostic ignored "-Wpass-failed"
#define INDEPENDENT _Pragma ("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma ("GCC ivdep")
#endif

#define LOOP_1(name, From, To, expression) \
  static void \
  name (const guint8 *const *operands, \
        guint8              *result, \
        gsize                n, \
        gconstpointer        detail) \
  { \
    const From##_there *a = (gconstpointer) operands[0]; \
    To##_there *to = (gpointer) result; \
\
    INDEPENDENT for (gsize i = 0; i < n; i++) \
      { \
        const From x = a[i]; \
\
        to[i] = (To) (expression); \
      } \
  }

#define LOOP_2(name, From, To, expression) \
  static void \
  name (const guint8 *const *operands, \
        guint8              *result, \
        gsize                n, \
        gconstpointer        detail) \
  { \
    const From##_there *a = (gconstpointer) operands[0], *b = (gconstpointer) operands[1]; \
    To##_there *to = (gpointer) result; \
\
    INDEPENDENT for (gsize i = 0; i < n; i++) \
      { \
        const From x = a[i], y = b[i]; \
\
        to[i] = (To) (expression); \
      } \
  }

#define LOOP_3(name, First, From, To, expression) \
  static void \
  name (const guint8 *const *operands, \
        guint8              *result, \
        gsize                n, \
        gconstpointer        detail) \
  { \
    const First##_there *a = (gconstpointer) operands[0]; \
    const From##_there *b = (gconstpointer) operands[1], *c = (gconstpointer) operands[2]; \
    To##_there *to = (gpointer) result; \
\
    INDEPENDENT for (gsize i = 0; i < n; i++) \
      { \
        const First x = a[i]; \
        const From y = b[i], z = c[i]; \
\
        to[i] = (To) (expression); \
      } \
  }

extern const GhloCpuElementwiseFunc NAME (loops_i1)[GHLO_CPU_N_ELEMENTWISE];
extern const GhloCpuElementwiseFunc NAME (loops_s8)[GHLO_CPU_N_ELEMENTWISE];
extern const GhloCpuElementwiseFunc NAME (loops_s16)[GHLO_CPU_N_ELEMENTWISE];
extern const GhloCpuElementwiseFunc NAME (loops_s32)[GHLO_CPU_N_ELEMENTWISE];
extern const GhloCpuElementwiseFunc NAME (loops_s64)[GHLO_CPU_N_ELEMENTWISE];
extern const GhloCpuElementwiseFunc NAME (loops_u8)[GHLO_CPU_N_ELEMENTWISE];
extern const GhloCpuElementwiseFunc NAME (loops_u16)[GHLO_CPU_N_ELEMENTWISE];
extern const GhloCpuElementwiseFunc NAME (loops_u32)[GHLO_CPU_N_ELEMENTWISE];
extern const GhloCpuElementwiseFunc NAME (loops_u64)[GHLO_CPU_N_ELEMENTWISE];
extern const GhloCpuElementwiseFunc NAME (loops_f32)[GHLO_CPU_N_ELEMENTWISE];
extern const GhloCpuElementwiseFunc NAME (loops_f64)[GHLO_CPU_N_ELEMENTWISE];
extern const GhloCpuElementwiseFunc NAME (loops_c64)[GHLO_CPU_N_ELEMENTWISE];
extern const GhloCpuElementwiseFunc NAME (loops_c128)[GHLO_CPU_N_ELEMENTWISE];
extern const GhloCpuElementwiseFunc NAME (functions_u8)[];
extern const GhloCpuElementwiseFunc NAME (functions_u16)[];
extern const GhloCpuElementwiseFunc NAME (functions_f32)[];
extern const GhloCpuElementwiseFunc NAME (functions_f64)[];
extern const GhloCpuElementwiseFunc NAME (casts)[GHLO_CPU_N_NUMBERS][GHLO_CPU_N_TARGETS];

extern const GhloCpuReduceFunc NAME (reductions)[GHLO_CPU_N_NUMBERS][GHLO_N_COMBINERS];
extern const GhloCpuScanFunc NAME (bf16_scans)[GHLO_N_COMBINERS];
extern const GhloCpuScanFunc NAME (scans)[GHLO_CPU_N_NUMBERS][GHLO_N_COMBINERS];
extern const GhloCpuScanFunc NAME (wide_sum);

/* Fills in the level's table. */
void NAME (elementwise_routines_init) (GhloCpuElementwiseRoutines *self);
