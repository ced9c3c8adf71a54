/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Windows over rows of adjacent elements: which of its rows each window selects, element by element. A register holds
 * elements of one row, and is compared with the window's other rows one after the other. Compiled for each level.
 */

#include "cpu/isa/routines-private.h"

/* A whole register, one of 16 bytes, and one element; each of floats, and of the masks that comparing them gives. */
#define PARTS(T, I, suffix) \
  typedef T V##suffix __attribute__ ((vector_size (VECTOR_BYTES), aligned (1), may_alias)); \
  typedef I VI##suffix __attribute__ ((vector_size (VECTOR_BYTES), aligned (1), may_alias)); \
  typedef T Q##suffix __attribute__ ((vector_size (16), aligned (1), may_alias)); \
  typedef I QI##suffix __attribute__ ((vector_size (16), aligned (1), may_alias)); \
  typedef T S##suffix __attribute__ ((vector_size (sizeof (T)), aligned (1), may_alias)); \
  typedef I SI##suffix __attribute__ ((vector_size (sizeof (I)), aligned (1), may_alias));

PARTS (float, gint32, _f32)
PARTS (double, gint64, _f64)

/* The lanes of @a where @mask is all ones, else those of @b. */
#define CHOOSE(V, I, mask, a, b) ((V) (((I) (a) & (mask)) | ((I) (b) & ~(mask))))

/* The selected element of a window is identified by the number of its tap. */
#define GRADIENT_ONCE(V, I, name, kind, KEEPS) \
  static inline void \
  gradient_##kind##name (const guint8         *from, \
                         const guint8         *source, \
                         guint8               *to, \
                         const GhloCpuPoolRow *row) \
  { \
    V best = *(const V *) (gconstpointer) (from + row->taps[0]), s = *(const V *) (gconstpointer) source; \
    I chosen = { 0 }; \
\
    for (guint tap = 1; tap < row->n_taps; tap++) \
      { \
        V x = *(const V *) (gconstpointer) (from + row->taps[tap]); \
        I keeps = best KEEPS x; \
\
        best = CHOOSE (V, I, keeps, best, x); \
        chosen = CHOOSE (I, I, keeps, chosen, (I) { 0 } + (gint32) tap); \
      } \
    for (guint tap = row->first; tap < row->end; tap++) \
      { \
        V *r = (gpointer) (to + row->taps[tap]); \
        I here = chosen == (gint32) tap; \
\
        *r = row->adds ? CHOOSE (V, I, here, *r + s, *r) : (V) ((I) (s + 0) & here); \
      } \
  }

#define ONCE(V, I, name) \
  GRADIENT_ONCE (V, I, name, greater_equal, >=) \
  GRADIENT_ONCE (V, I, name, greater, >) \
  GRADIENT_ONCE (V, I, name, less_equal, <=) \
  GRADIENT_ONCE (V, I, name, less, <)

ONCE (V_f32, VI_f32, _v32)
ONCE (Q_f32, QI_f32, _q32)
ONCE (S_f32, SI_f32, _s32)
ONCE (V_f64, VI_f64, _v64)
ONCE (Q_f64, QI_f64, _q64)
ONCE (S_f64, SI_f64, _s64)

/* Each row in parts, the largest first. */
#define GRADIENT(T, bits, kind) \
  static void \
  gradient_##kind##_f##bits (const GhloCpuPoolRow *row) \
  { \
    for (gsize w = 0; w < row->n_windows; w++) \
      { \
        const guint8 *from = row->operand + (gint64) w * row->operand_step; \
        const guint8 *source = row->source + (gint64) w * row->source_step; \
        guint8 *to = row->result + (gint64) w * row->operand_step; \
        gsize n = row->n; \
\
        for (; n >= LANES (T); n -= LANES (T), from += VECTOR_BYTES, source += VECTOR_BYTES, to += VECTOR_BYTES) \
          gradient_##kind##_v##bits (from, source, to, row); \
        for (; n >= 16 / sizeof (T); n -= 16 / sizeof (T), from += 16, source += 16, to += 16) \
          gradient_##kind##_q##bits (from, source, to, row); \
        for (; n > 0; n--, from += sizeof (T), source += sizeof (T), to += sizeof (T)) \
          gradient_##kind##_s##bits (from, source, to, row); \
      } \
  }

GRADIENT (float, 32, greater_equal)
GRADIENT (float, 32, greater)
GRADIENT (float, 32, less_equal)
GRADIENT (float, 32, less)
GRADIENT (double, 64, greater_equal)
GRADIENT (double, 64, greater)
GRADIENT (double, 64, less_equal)
GRADIENT (double, 64, less)

const GhloCpuPoolGradientFunc NAME (pool_gradients)[2][GHLO_CPU_N_SELECTIONS] = {
  { gradient_greater_equal_f32, gradient_greater_f32, gradient_less_equal_f32, gradient_less_f32 },
  { gradient_greater_equal_f64, gradient_greater_f64, gradient_less_equal_f64, gradient_less_f64 },
};
