/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Conversion of rows of elements between types. Compiled for each level and vectorized by the compiler.
 */

#include "cpu/isa/halves-private.h"

static void
bf16_to_f32 (gconstpointer from_data,
             gpointer      to_data,
             gsize         n)
{
  const guint16 *from = from_data;
  guint32 *to = to_data;

  for (gsize i = 0; i < n; i++)
    to[i] = (guint32) from[i] << 16;
}

static void
f32_to_bf16 (gconstpointer from_data,
             gpointer      to_data,
             gsize         n)
{
  const guint32 *from = from_data;
  guint16 *to = to_data;

  for (gsize i = 0; i < n; i++)
    to[i] = round_to_bf16 (from[i]);
}

static void
f16_to_f32 (gconstpointer from,
            gpointer      to,
            gsize         n)
{
  widen_halves (from, to, n);
}

static void
f32_to_f16 (gconstpointer from,
            gpointer      to,
            gsize         n)
{
  narrow_halves (from, to, n);
}

#define CONVERT(name, From, To) \
  static void \
  name (gconstpointer from_data, \
        gpointer      to_data, \
        gsize         n) \
  { \
    const From *from = from_data; \
    To *to = to_data; \
\
    for (gsize i = 0; i < n; i++) \
      to[i] = (To) from[i]; \
  }

CONVERT (f32_to_f64, float, double)
CONVERT (f64_to_f32, double, float)
CONVERT (i8_to_i16, gint8, gint16)
CONVERT (u8_to_i16, guint8, gint16)
CONVERT (i8_to_i32, gint8, gint32)
CONVERT (u8_to_i32, guint8, gint32)
CONVERT (i16_to_i32, gint16, gint32)
CONVERT (u16_to_i32, guint16, gint32)
CONVERT (i64_to_i32, guint64, guint32)
CONVERT (i8_to_i64, gint8, gint64)
CONVERT (u8_to_i64, guint8, gint64)
CONVERT (i16_to_i64, gint16, gint64)
CONVERT (u16_to_i64, guint16, gint64)
CONVERT (i32_to_i64, gint32, gint64)
CONVERT (u32_to_i64, guint32, gint64)
CONVERT (i32_to_i8, guint32, guint8)
CONVERT (i32_to_i16, guint32, guint16)
CONVERT (i64_to_i8, guint64, guint8)
CONVERT (i64_to_i16, guint64, guint16)

const GhloCpuConvertFunc NAME (conversions)[GHLO_CPU_N_CONVERSIONS] = {
  [GHLO_CPU_BF16_TO_F32] = bf16_to_f32,
  [GHLO_CPU_F16_TO_F32] = f16_to_f32,
  [GHLO_CPU_F32_TO_BF16] = f32_to_bf16,
  [GHLO_CPU_F32_TO_F16] = f32_to_f16,
  [GHLO_CPU_F32_TO_F64] = f32_to_f64,
  [GHLO_CPU_F64_TO_F32] = f64_to_f32,
  [GHLO_CPU_I8_TO_I16] = i8_to_i16,
  [GHLO_CPU_U8_TO_I16] = u8_to_i16,
  [GHLO_CPU_I8_TO_I32] = i8_to_i32,
  [GHLO_CPU_U8_TO_I32] = u8_to_i32,
  [GHLO_CPU_I16_TO_I32] = i16_to_i32,
  [GHLO_CPU_U16_TO_I32] = u16_to_i32,
  [GHLO_CPU_I64_TO_I32] = i64_to_i32,
  [GHLO_CPU_I8_TO_I64] = i8_to_i64,
  [GHLO_CPU_U8_TO_I64] = u8_to_i64,
  [GHLO_CPU_I16_TO_I64] = i16_to_i64,
  [GHLO_CPU_U16_TO_I64] = u16_to_i64,
  [GHLO_CPU_I32_TO_I64] = i32_to_i64,
  [GHLO_CPU_U32_TO_I64] = u32_to_i64,
  [GHLO_CPU_I32_TO_I8] = i32_to_i8,
  [GHLO_CPU_I32_TO_I16] = i32_to_i16,
  [GHLO_CPU_I64_TO_I8] = i64_to_i8,
  [GHLO_CPU_I64_TO_I16] = i64_to_i16,
};
