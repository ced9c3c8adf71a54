/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loops of Fourier transforms (routines.h, GhloCpuFourier) for the number type T with vectors V. Before it is included,
 * the includer also defines F (name), which adds the type to a name, and EVEN, ODD, LOW and HIGH, which take the even
 * or odd lanes of two vectors, or interleave their lower or upper halves.
 *
 * A row holds a complex number for each lane: the real parts, then the imaginary parts, GHLO_CPU_FOURIER_PART bytes of
 * each. All lanes are transformed alike.
 */

#define PART  (GHLO_CPU_FOURIER_PART / sizeof (T))
#define ROW   (2 * PART)

typedef struct
{
  V re, im;
} F (Number);

/* The imaginary parts are @part numbers behind the real parts. */
static inline F (Number)
F (load) (const T *at,
          gint64   part)
{
  return (F (Number)) { *(const V *) (gconstpointer) at, *(const V *) (gconstpointer) (at + part) };
}

static inline void
F (store) (T          *at,
           gint64      part,
           F (Number)  x)
{
  *(V *) (gpointer) at = x.re;
  *(V *) (gpointer) (at + part) = x.im;
}

static inline F (Number)
F (plus) (F (Number) a,
          F (Number) b)
{
  return (F (Number)) { a.re + b.re, a.im + b.im };
}

static inline F (Number)
F (minus) (F (Number) a,
           F (Number) b)
{
  return (F (Number)) { a.re - b.re, a.im - b.im };
}

/* The product with the complex number at @w. */
static inline F (Number)
F (times) (F (Number)  a,
           const T    *w)
{
  return (F (Number)) { a.re * w[0] - a.im * w[1], a.re * w[1] + a.im * w[0] };
}

/* The product with -i. */
static inline F (Number)
F (turn) (F (Number) a)
{
  return (F (Number)) { a.im, -a.re };
}

static inline __attribute__ ((always_inline)) void
F (transform_2) (F (Number) *x)
{
  F (Number) a = x[0], b = x[1];

  x[0] = F (plus) (a, b);
  x[1] = F (minus) (a, b);
}

/* Transforms the four numbers that are @step apart. */
static inline __attribute__ ((always_inline)) void
F (transform_4) (F (Number) *x,
                 guint       step)
{
  F (Number) a = F (plus) (x[0], x[2 * step]), b = F (minus) (x[0], x[2 * step]);
  F (Number) c = F (plus) (x[step], x[3 * step]), d = F (turn) (F (minus) (x[step], x[3 * step]));

  x[0] = F (plus) (a, c);
  x[step] = F (plus) (b, d);
  x[2 * step] = F (minus) (a, c);
  x[3 * step] = F (minus) (b, d);
}

static inline __attribute__ ((always_inline)) void
F (transform_8) (F (Number) *x)
{
  const T half = (T) 0.70710678118654752440L;
  F (Number) even[4], odd[4];

  F (transform_4) (x, 2);
  F (transform_4) (x + 1, 2);
  UNROLL for (guint k = 0; k < 4; k++)
    {
      even[k] = x[2 * k];
      odd[k] = x[2 * k + 1];
    }
  odd[1] = (F (Number)) { (odd[1].re + odd[1].im) * half, (odd[1].im - odd[1].re) * half };
  odd[2] = F (turn) (odd[2]);
  odd[3] = (F (Number)) { (odd[3].im - odd[3].re) * half, -((odd[3].re + odd[3].im) * half) };
  UNROLL for (guint k = 0; k < 4; k++)
    {
      x[k] = F (plus) (even[k], odd[k]);
      x[k + 4] = F (minus) (even[k], odd[k]);
    }
}

/* Transforms an odd number of numbers. @roots are the powers of exp (-2 pi i / radix). */
static inline __attribute__ ((always_inline)) void
F (transform_odd) (F (Number) *x,
                   guint       radix,
                   const T    *roots)
{
  F (Number) sums[GHLO_CPU_FOURIER_MAX_RADIX / 2], differences[GHLO_CPU_FOURIER_MAX_RADIX / 2], first = x[0];
  guint half = radix / 2;

  UNROLL for (guint i = 0; i < half; i++)
    {
      sums[i] = F (plus) (x[i + 1], x[radix - 1 - i]);
      differences[i] = F (minus) (x[i + 1], x[radix - 1 - i]);
      x[0] = F (plus) (x[0], sums[i]);
    }
  /* Two results at a time wait less for their sums. */
  UNROLL for (guint k = 1; k <= half; k += 2)
    {
      F (Number) cosines[2] = { first, first }, sines[2] = { { { 0 }, { 0 } }, { { 0 }, { 0 } } };
      guint power[2] = { k, k + 1 };

      UNROLL for (guint i = 0; i < half; i++)
        UNROLL for (guint r = 0; r < 2; r++)
          {
            const T c = roots[2 * power[r]], s = roots[2 * power[r] + 1];

            cosines[r] = (F (Number)) { cosines[r].re + sums[i].re * c, cosines[r].im + sums[i].im * c };
            sines[r] = (F (Number)) { sines[r].re + differences[i].re * s, sines[r].im + differences[i].im * s };
            power[r] = power[r] + k + r < radix ? power[r] + k + r : power[r] + k + r - radix;
          }
      UNROLL for (guint r = 0; r < 2; r++)
        {
          if (k + r > half)
            continue;
          x[k + r] = (F (Number)) { cosines[r].re - sines[r].im, cosines[r].im + sines[r].re };
          x[radix - k - r] = (F (Number)) { cosines[r].re + sines[r].im, cosines[r].im - sines[r].re };
        }
    }
}

static inline __attribute__ ((always_inline)) void
F (transform) (F (Number) *x,
               guint       radix,
               const T    *roots)
{
  if (radix == 2)
    F (transform_2) (x);
  else if (radix == 4)
    F (transform_4) (x, 1);
  else if (radix == 8)
    F (transform_8) (x);
  else
    F (transform_odd) (x, radix, roots);
}

/* One pass (GhloCpuFourierPassFunc) over @lanes lanes. Inlined for each radix, so that its numbers stay in registers,
 * and for one register of each row or all. */
static inline __attribute__ ((always_inline)) void
F (pass) (T       *rows,
          gsize    n_groups,
          gsize    m,
          const T *twiddles,
          guint    radix,
          const T *roots,
          gboolean inverse,
          guint    lanes)
{
  gint64 part = inverse ? -(gint64) PART : (gint64) PART;

  if (inverse)
    rows += PART;
  for (gsize group = 0; group < n_groups; group++, rows += radix * m * ROW)
    for (gsize k = 0; k < m; k++)
      {
        const T *w = k > 0 ? twiddles + 2 * (radix - 1) * k : twiddles;

        for (guint lane = 0; lane < lanes; lane += LANES (T))
          {
            T *at = rows + k * ROW + lane;
            F (Number) x[GHLO_CPU_FOURIER_MAX_RADIX];

            x[0] = F (load) (at, part);
            UNROLL for (guint j = 1; j < radix; j++)
              x[j] = F (load) (at + j * m * ROW, part);
            F (transform) (x, radix, roots);
            F (store) (at, part, x[0]);
            UNROLL for (guint j = 1; j < radix; j++)
              F (store) (at + j * m * ROW, part, m == 1 ? x[j] : F (times) (x[j], w + 2 * (j - 1)));
          }
      }
}

#define DEFINE_PASS(radix_) \
  static void \
  F (pass_##radix_) (gpointer      rows, \
                     gsize         n_groups, \
                     gsize         m, \
                     gconstpointer twiddles, \
                     guint         radix, \
                     gconstpointer roots, \
                     gboolean      inverse, \
                     guint         lanes) \
  { \
    if (lanes <= LANES (T) && PART > LANES (T)) \
      F (pass) (rows, n_groups, m, twiddles, radix_, roots, inverse, LANES (T)); \
    else if (m == 1) \
      F (pass) (rows, n_groups, 1, twiddles, radix_, roots, inverse, PART); \
    else \
      F (pass) (rows, n_groups, m, twiddles, radix_, roots, inverse, PART); \
  }

DEFINE_PASS (2)
DEFINE_PASS (3)
DEFINE_PASS (4)
DEFINE_PASS (5)
DEFINE_PASS (7)
DEFINE_PASS (8)
DEFINE_PASS (radix)

static void
F (split) (const guint8 *from,
           gint64        step,
           gpointer      rows,
           gsize         n)
{
  T *to = rows;

  for (gsize i = 0; i < n; i++, from += step, to += ROW)
    for (guint lane = 0; lane < PART; lane += LANES (T))
      {
        V a = ((const F (Any) *) from)[2 * lane / LANES (T)], b = ((const F (Any) *) from)[2 * lane / LANES (T) + 1];

        F (store) (to + lane, PART, (F (Number)) { EVEN (a, b), ODD (a, b) });
      }
}

static void
F (join) (gconstpointer  rows,
          const guint32 *order,
          guint8        *to,
          gint64         step,
          gsize          n,
          double         scale)
{
  const T *from = rows;
  const T factor = (T) scale;

  for (gsize i = 0; i < n; i++, to += step)
    for (guint lane = 0; lane < PART; lane += LANES (T))
      {
        F (Number) x = F (load) (from + (order != NULL ? order[i] : i) * ROW + lane, PART);
        F (Any) *at = (F (Any) *) to + 2 * lane / LANES (T);

        x.re *= factor;
        x.im *= factor;
        at[0] = LOW (x.re, x.im);
        at[1] = HIGH (x.re, x.im);
      }
}

static void
F (collect) (gconstpointer  rows,
             const guint32 *order,
             gpointer       to_rows,
             gsize          n,
             double         scale)
{
  const T *from = rows;
  T *to = to_rows;

  for (gsize i = 0; i < n; i++)
    for (guint lane = 0; lane < ROW; lane += LANES (T))
      {
        gconstpointer source = from + (order != NULL ? order[i] : i) * ROW + lane;
        gpointer target = to + i * ROW + lane;

        *(V *) target = *(const V *) source * (T) scale;
      }
}

static void
F (multiply) (gconstpointer  rows,
              const guint32 *order,
              gconstpointer  factors,
              gpointer       to_rows,
              gsize          n)
{
  const T *from = rows, *w = factors;
  T *to = to_rows;

  for (gsize i = 0; i < n; i++)
    for (guint lane = 0; lane < PART; lane += LANES (T))
      {
        F (Number) x = F (load) (from + (order != NULL ? order[i] : i) * ROW + lane, PART);

        F (store) (to + i * ROW + lane, PART, F (times) (x, w + 2 * i));
      }
}

static void
F (twist) (gconstpointer  rows,
           const guint32 *order,
           gconstpointer  lane_factors,
           gconstpointer  factors,
           gpointer       to_rows,
           gsize          n,
           gboolean       inverse)
{
  const T *from = (const T *) rows + (inverse ? PART : 0), *lanes = lane_factors, *w = factors;
  T *to = (T *) to_rows + (inverse ? PART : 0);
  gint64 part = inverse ? -(gint64) PART : (gint64) PART;

  for (gsize i = 0; i < n; i++)
    for (guint lane = 0; lane < PART; lane += LANES (T))
      {
        F (Number) x = F (load) (from + order[i] * ROW + lane, part);
        F (Number) y = F (times) (F (load) (lanes + i * ROW + lane, PART), w + 2 * i);

        F (store) (to + i * ROW + lane, part,
                   (F (Number)) { x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re });
      }
}

static void
F (untangle) (gpointer       rows,
              const guint32 *order,
              gsize          m,
              gconstpointer  factors,
              gboolean       forward)
{
  const T *w = factors;

  for (gsize k = 0; k <= m / 2; k++)
    {
      T *low = (T *) rows + (order != NULL ? order[k] : k) * ROW;
      T *high = (T *) rows + (order != NULL ? order[m - k] : m - k) * ROW;
      T *partner = forward && k == 0 ? low : high;

      for (guint lane = 0; lane < PART; lane += LANES (T))
        {
          F (Number) a = F (load) (low + lane, PART), b = F (load) (partner + lane, PART);
          F (Number) even = { (a.re + b.re) * (T) 0.5, (a.im - b.im) * (T) 0.5 };
          F (Number) odd = F (times) ((F (Number)) { a.re - b.re, a.im + b.im }, w + 2 * k);
          F (Number) mirrored = F (minus) (even, odd);

          mirrored.im = -mirrored.im;
          F (store) (high + lane, PART, mirrored);
          F (store) (low + lane, PART, F (plus) (even, odd));
        }
    }
}

/* One register of complex products. */
static inline void
F (multiply_pairs) (const T *a,
                    const T *w,
                    T       *to)
{
  const F (Any) *va = (gconstpointer) a, *vw = (gconstpointer) w;
  F (Number) x = { EVEN (va[0], va[1]), ODD (va[0], va[1]) }, y = { EVEN (vw[0], vw[1]), ODD (vw[0], vw[1]) };
  V re = x.re * y.re - x.im * y.im, im = x.re * y.im + x.im * y.re;

  ((F (Any) *) to)[0] = LOW (re, im);
  ((F (Any) *) to)[1] = HIGH (re, im);
}

/* The compiler would fuse pairs of products, whatever it is told about contractions, where it vectorizes them. */
static void
F (multiply_line) (gconstpointer numbers,
                   gconstpointer factors,
                   gpointer      to_numbers,
                   gsize         n)
{
  const T *a = numbers, *w = factors;
  T *to = to_numbers, rest[2][2 * LANES (T)] = { { 0 } };
  gsize i = 0;

  for (; i + LANES (T) <= n; i += LANES (T))
    F (multiply_pairs) (a + 2 * i, w + 2 * i, to + 2 * i);
  memcpy (rest[0], a + 2 * i, 2 * (n - i) * sizeof (T));
  memcpy (rest[1], w + 2 * i, 2 * (n - i) * sizeof (T));
  F (multiply_pairs) (rest[0], rest[1], rest[0]);
  memcpy (to + 2 * i, rest[0], 2 * (n - i) * sizeof (T));
}

static void
F (untangle_line) (gconstpointer numbers,
                   gpointer      to_numbers,
                   gsize         m,
                   gconstpointer factors,
                   gboolean      forward,
                   gsize         begin,
                   gsize         end)
{
  const T *w = factors;
  T *to = to_numbers;

  for (gsize k = begin; k < end; k++)
    {
      const T *a = (const T *) numbers + 2 * k, *b = (const T *) numbers + (forward && k == 0 ? 0 : 2 * (m - k));
      gboolean is_real = !forward && k == 0;
      T a_im = is_real ? 0 : a[1], b_im = is_real ? 0 : b[1];
      T re = (a[0] + b[0]) * (T) 0.5, im = (a_im - b_im) * (T) 0.5, d_re = a[0] - b[0], d_im = a_im + b_im;
      T odd_re = d_re * w[2 * k] - d_im * w[2 * k + 1], odd_im = d_re * w[2 * k + 1] + d_im * w[2 * k];

      if (forward || k > 0)
        {
          to[2 * (m - k)] = re - odd_re;
          to[2 * (m - k) + 1] = -(im - odd_im);
        }
      to[2 * k] = re + odd_re;
      to[2 * k + 1] = im + odd_im;
    }
}

static void
F (mirror_line) (gpointer numbers,
                 gsize    n)
{
  T *at = numbers;

  at[1] = 0;
  for (gsize k = n / 2 + 1; k < n; k++)
    {
      at[2 * k] = at[2 * (n - k)];
      at[2 * k + 1] = -at[2 * (n - k) + 1];
    }
}

static const GhloCpuFourier F (fourier) = {
  .pass = { [2] = F (pass_2), [3] = F (pass_3), [4] = F (pass_4), [5] = F (pass_5), [7] = F (pass_7),
            [8] = F (pass_8) },
  .any_pass = F (pass_radix),
  .split = F (split),
  .join = F (join),
  .collect = F (collect),
  .multiply = F (multiply),
  .twist = F (twist),
  .untangle = F (untangle),
  .multiply_line = F (multiply_line),
  .untangle_line = F (untangle_line),
  .mirror_line = F (mirror_line),
};

#undef PART
#undef ROW
#undef DEFINE_PASS
