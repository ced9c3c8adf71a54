/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Moves of strip elements, and the table of one level. Sums of addresses wrap: addresses of lanes out of bounds may
 * be anything, and are not accessed. Compiled for each level.
 */

#include "cpu/isa/strips-private.h"

#include <string.h>

#define MOVES(bits) \
  static void \
  splat_##bits (const guint8 *from, \
                guint8       *to, \
                gsize         n) \
  { \
    const U##bits value = *(const U##bits##_there *) (gconstpointer) from; \
    U##bits##_there *elements = (gpointer) to; \
\
    for (gsize i = 0; i < n; i++) \
      elements[i] = value; \
  } \
\
  static void \
  ramp_##bits (gint64  first, \
               guint8 *to, \
               gsize   n) \
  { \
    U##bits##_there *elements = (gpointer) to; \
\
    for (gsize i = 0; i < n; i++) \
      elements[i] = (U##bits) ((U##bits) first + (U##bits) i); \
  } \
\
  static void \
  strided_##bits (const guint8 *from, \
                  gint64        from_stride, \
                  guint8       *to, \
                  gint64        to_stride, \
                  gsize         n) \
  { \
    if (to_stride == sizeof (U##bits)) \
      for (gsize i = 0; i < n; i++, from += from_stride) \
        ((U##bits##_there *) (gpointer) to)[i] = *(const U##bits##_there *) (gconstpointer) from; \
    else \
      for (gsize i = 0; i < n; i++, from += from_stride, to += to_stride) \
        *(U##bits##_there *) (gpointer) to = *(const U##bits##_there *) (gconstpointer) from; \
  } \
\
  static void \
  gather_##bits (const guint8 *base, \
                 const gint64 *offsets, \
                 const guint8 *inside, \
                 guint8       *to, \
                 gsize         n) \
  { \
    U##bits##_there *elements = (gpointer) to; \
\
    for (gsize i = 0; i < n; i++) \
      if (inside == NULL || inside[i]) \
        elements[i] = *(const U##bits##_there *) (gconstpointer) (base + offsets[i]); \
  } \
\
  static void \
  scatter_##bits (guint8       *base, \
                  const gint64 *offsets, \
                  const guint8 *inside, \
                  const guint8 *from, \
                  gsize         n) \
  { \
    const U##bits##_there *elements = (gconstpointer) from; \
\
    for (gsize i = 0; i < n; i++) \
      if (inside == NULL || inside[i]) \
        *(U##bits##_there *) (gpointer) (base + offsets[i]) = elements[i]; \
  }

MOVES (8)
MOVES (16)
MOVES (32)
MOVES (64)

static inline gint64
position_of (const GhloCpuStripTerm *term,
             gsize                   i)
{
  guint64 position = (guint64) term->first + i * (guint64) term->lane;

  return (gint64) (term->positions != NULL ? position + (guint64) term->positions[i] : position);
}

static void
clamp_term (const GhloCpuStripTerm *term,
            gint64                 *offsets,
            guint8                 *inside,
            gsize                   n)
{
  const GhloCpuStripTerm copy = *term;

  for (gsize i = 0; i < n; i++)
    {
      gint64 position = position_of (&copy, i);

      position = CLAMP (position, 0, copy.end - 1);
      offsets[i] = (gint64) ((guint64) offsets[i] + (guint64) position * (guint64) copy.stride);
    }
}

static void
guard_term (const GhloCpuStripTerm *term,
            gint64                 *offsets,
            guint8                 *inside,
            gsize                   n)
{
  const GhloCpuStripTerm copy = *term;

  for (gsize i = 0; i < n; i++)
    {
      gint64 position = position_of (&copy, i), index = copy.step == 1 ? position : position / copy.step;

      inside[i] &= (guint64) position == (guint64) index * (guint64) copy.step && index >= 0 && index < copy.end;
      offsets[i] = (gint64) ((guint64) offsets[i] + (guint64) index * (guint64) copy.stride);
    }
}

#define PRODUCT(T, suffix, f) \
  static void \
  product_##suffix (const guint8 *const *operands, \
                    guint8              *result, \
                    gsize                n, \
                    gconstpointer        detail) \
  { \
    const T factor = *(const T##_there *) (gconstpointer) operands[0]; \
    const T##_there *elements = (gconstpointer) operands[1]; \
    T##_there *sums = (gpointer) result; \
\
    INDEPENDENT for (gsize i = 0; i < n; i++) \
      sums[i] = __builtin_fma##f (factor, elements[i], sums[i]); \
  }

PRODUCT (F32, f32, f)
PRODUCT (F64, f64, )

#define BY_SIZE(name) { name##_8, name##_16, name##_32, name##_64 }

void
NAME (strip_routines_init) (GhloCpuStripRoutines *self)
{
  *self = (GhloCpuStripRoutines) {
    .splats = BY_SIZE (splat),
    .ramps = BY_SIZE (ramp),
    .strided = BY_SIZE (strided),
    .gathers = BY_SIZE (gather),
    .scatters = BY_SIZE (scatter),
    .clamp = clamp_term,
    .guard = guard_term,
    .folds = {
      [GHLO_CPU_NUMBER_I1] = NAME (folds_i1),
      [GHLO_CPU_NUMBER_S8] = NAME (folds_s8),
      [GHLO_CPU_NUMBER_S16] = NAME (folds_s16),
      [GHLO_CPU_NUMBER_S32] = NAME (folds_s32),
      [GHLO_CPU_NUMBER_S64] = NAME (folds_s64),
      [GHLO_CPU_NUMBER_U8] = NAME (folds_u8),
      [GHLO_CPU_NUMBER_U16] = NAME (folds_u16),
      [GHLO_CPU_NUMBER_U32] = NAME (folds_u32),
      [GHLO_CPU_NUMBER_U64] = NAME (folds_u64),
      [GHLO_CPU_NUMBER_F32] = NAME (folds_f32),
      [GHLO_CPU_NUMBER_F64] = NAME (folds_f64),
    },
    .halvings = {
      [GHLO_CPU_NUMBER_I1] = NAME (halvings_i1),
      [GHLO_CPU_NUMBER_S8] = NAME (halvings_s8),
      [GHLO_CPU_NUMBER_S16] = NAME (halvings_s16),
      [GHLO_CPU_NUMBER_S32] = NAME (halvings_s32),
      [GHLO_CPU_NUMBER_S64] = NAME (halvings_s64),
      [GHLO_CPU_NUMBER_U8] = NAME (halvings_u8),
      [GHLO_CPU_NUMBER_U16] = NAME (halvings_u16),
      [GHLO_CPU_NUMBER_U32] = NAME (halvings_u32),
      [GHLO_CPU_NUMBER_U64] = NAME (halvings_u64),
      [GHLO_CPU_NUMBER_F32] = NAME (halvings_f32),
      [GHLO_CPU_NUMBER_F64] = NAME (halvings_f64),
    },
    .products = { [GHLO_CPU_NUMBER_F32] = product_f32, [GHLO_CPU_NUMBER_F64] = product_f64 },
  };
}
