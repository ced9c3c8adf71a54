/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions of one f32, at every f32: the greatest error, where it is, and how many results are not the nearest number.
 *
 *   exhaustive-functions [--threads=N] [--range=BEGIN:END] [--every=N] [--state=FILE] [NAME…]
 *
 * The reference value is computed in double, whose error is bounded (Truth). MPFR computes it where that bound leaves
 * the rounding to f32 undecided, and at the argument of the greatest error. One argument in 65536 is also given to
 * MPFR, to check the bound. Arguments are processed in pieces of 2^24 bit patterns; --range selects a range of bit
 * patterns, in hexadecimal, and --every only multiples of N. With --state each finished piece becomes a line of a file,
 * and pieces found there, for the same kernel nodes, are skipped: a run can be interrupted and continued at any time.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <mpfr.h>

#include "../unit/kernel/function-truths.h"
#include "../unit/reference/accuracy-functions.h"
#include "base/bits.h"
#include "cpu/isa/elementwise.h"
#include "cpu/isa/level.h"
#include "kernel/expand.h"
#include "pieces.h"

enum { PRECISION = 320, CHUNK = 1024, CHECKED = 65536 };

/* @exact: NULL where the reference value is not the function's but that of the reference executor's decomposition.
 * @doubt: the bound on the error of the reference value in double, in units in the last place of f32. */
typedef struct
{
  GhloNodeKind     kind;
  AccuracyFunction exact;
  double           doubt;
} Truth;

/* Eight units in the last place of double, more than the error of any function of the C library; twice that for erfc,
 * whose error is known to reach five. Near digamma's zeros between its poles digits of long double cancel. */
static const Truth truths[] = {
  { GHLO_NODE_EXPONENTIAL, mpfr_exp, 0x1p-26 },
  { GHLO_NODE_EXPONENTIAL_MINUS_ONE, mpfr_expm1, 0x1p-26 },
  { GHLO_NODE_LOG, mpfr_log, 0x1p-26 },
  { GHLO_NODE_LOG_PLUS_ONE, mpfr_log1p, 0x1p-26 },
  { GHLO_NODE_TANH, mpfr_tanh, 0x1p-26 },
  { GHLO_NODE_LOGISTIC, accuracy_logistic, 0x1p-26 },
  { GHLO_NODE_ERF, mpfr_erf, 0x1p-26 },
  { GHLO_NODE_ERFC, mpfr_erfc, 0x1p-25 },
  { GHLO_NODE_ERF_INV, accuracy_erf_inv, 0x1p-26 },
  { GHLO_NODE_SINE, mpfr_sin, 0x1p-26 },
  { GHLO_NODE_COSINE, mpfr_cos, 0x1p-26 },
  { GHLO_NODE_TAN, mpfr_tan, 0x1p-26 },
  { GHLO_NODE_ASIN, mpfr_asin, 0x1p-26 },
  { GHLO_NODE_ACOS, mpfr_acos, 0x1p-26 },
  { GHLO_NODE_ATAN, mpfr_atan, 0x1p-26 },
  { GHLO_NODE_SINH, NULL, 0 },
  { GHLO_NODE_COSH, NULL, 0 },
  { GHLO_NODE_ASINH, mpfr_asinh, 0x1p-26 },
  { GHLO_NODE_ACOSH, mpfr_acosh, 0x1p-26 },
  { GHLO_NODE_ATANH, mpfr_atanh, 0x1p-26 },
  { GHLO_NODE_CBRT, mpfr_cbrt, 0x1p-26 },
  { GHLO_NODE_RSQRT, mpfr_rec_sqrt, 0x1p-26 },
  { GHLO_NODE_LGAMMA, accuracy_lgamma, 0x1p-26 },
  { GHLO_NODE_DIGAMMA, accuracy_digamma, 0x1p-14 },
  { GHLO_NODE_BESSEL_I1E, accuracy_bessel_i1e, 0x1p-26 },
};

typedef struct
{
  const FunctionTruth   *function;
  const Truth           *truth;
  GhloCpuElementwiseFunc loop;
  guint                  every;
  mpfr_t                 exact;         /* owned by one thread */
} Measure;

static double
measure_for (const Measure *self,
             float          x)
{
  return x < 0 ? self->function->measure : 0;
}

/* Computes the reference value by MPFR in @self->exact. */
static void
evaluate (Measure *self,
          float    x)
{
  mpfr_set_flt (self->exact, x, MPFR_RNDN);
  self->truth->exact (self->exact, self->exact, MPFR_RNDN);
}

/* Returns f32's unit in the last place at @value. */
static double
last_place (double value)
{
  gint64 exponent = (gint64) (ghlo_bits_of_double (value) >> 52 & 0x7ff);

  return ghlo_double_of_bits ((guint64) (CLAMP (exponent, 1023 - 126, 1023 + 127) - 23) << 52);
}

/* Returns the distance in units in the last place. The first lines are function_distance () for ordinary numbers, at a
 * hundredth of the cost. */
static double
distance (float  found,
          double exact,
          double measure)
{
  if (fabs (exact) < 0x1.fffffep127 && fabs ((double) found) < 0x1p127 && exact != 0 && found != 0)
    return fabs ((double) found - exact) / last_place (MAX (fabs (exact), measure));

  return function_distance (found, exact, measure);
}

/* Returns whether @found is the f32 nearest to the true value, which is approximately @exact. */
static gboolean
is_nearest (Measure *self,
            float    x,
            float    found,
            double   exact)
{
  double error = distance (found, exact, 0);

  if (fabs (error - 0.5) > self->truth->doubt)
    return error < 0.5;
  evaluate (self, x);

  return found == mpfr_get_flt (self->exact, MPFR_RNDN);
}

/* Aborts where the reference value in double violates its error bound. */
static void
check_truth (Measure *self,
             float    x,
             double   exact)
{
  double expected, doubt;

  if (isnan (x))
    return;
  evaluate (self, x);
  expected = mpfr_get_d (self->exact, MPFR_RNDN);
  /* Differences far below or above f32's range do not matter. */
  if (expected == exact || (isnan (expected) && isnan (exact))
      || (fabs (expected) < 0x1p-200 && fabs (exact) < 0x1p-200)
      || (fabs (expected) >= 0x1p129 && fabs (exact) >= 0x1p129))
    return;
  doubt = fabs (expected - exact) / last_place (MAX (fabs (expected), measure_for (self, x)));
  if (!(doubt <= self->truth->doubt))
    g_error ("%s: the truth of %a is %a: %a was taken for it", ghlo_node_spec (self->function->kind)->name, x, expected,
             exact);
}

static void
measure_piece (gpointer data,
               Piece   *piece)
{
  Measure *self = data;
  const guint64 every = self->every;

  for (guint64 begin = (piece->begin + every - 1) / every * every; begin < piece->end; begin += CHUNK * every)
    {
      guint n = (guint) MIN (CHUNK, (piece->end - begin + every - 1) / every);
      float x[CHUNK], y[CHUNK];
      const guint8 *operands[] = { (const guint8 *) x };

      for (guint i = 0; i < n; i++)
        x[i] = ghlo_float_of_bits ((guint32) (begin + i * every));
      self->loop (operands, (guint8 *) y, n, NULL);
      for (guint i = 0; i < n; i++)
        {
          guint32 bits = (guint32) (begin + i * every);
          double exact = self->function->exact (x[i]), error = distance (y[i], exact, measure_for (self, x[i]));

          if (error > piece->worst)
            {
              piece->worst = error;
              piece->where = bits;
            }
          if (self->truth->exact == NULL)
            continue;
          /* The odd factor selects arguments that are not round numbers. */
          if (bits * 0x9e3779b1u % CHECKED == 0)
            check_truth (self, x[i], exact);
          piece->n_others += error > 0 && !is_nearest (self, x[i], y[i], exact);
        }
    }
}

static gpointer
measure_new (gpointer template)
{
  Measure *self = g_memdup2 (template, sizeof *self);

  mpfr_init2 (self->exact, PRECISION);

  return self;
}

static void
measure_free (gpointer data)
{
  Measure *self = data;

  mpfr_clear (self->exact);
  mpfr_free_cache ();
  g_free (self);
}

/* Returns a fingerprint of the function's kernel nodes: a file's pieces are valid for an equal one. */
static guint64
fingerprint (GhloNodeKind kind)
{
  GhloKernelBuilder *builder = ghlo_kernel_builder_new ("function");
  const gint64 size = 4;
  g_autofree GhloKernel *kernel = NULL, *expanded = NULL;
  g_autoptr (GError) error = NULL;

  ghlo_kernel_add_axis (builder, "i", 1, TRUE, FALSE);
  for (guint i = 0; i < 2; i++)
    ghlo_kernel_add_access (builder, ghlo_kernel_add_buffer (builder, "x", 4, i > 0), GHLO_ELEMENT_TYPE_F32, 0, &size);
  ghlo_kernel_begin_points (builder, 0);
  ghlo_kernel_store (builder, ghlo_kernel_add_node (builder, kind, GHLO_ELEMENT_TYPE_F32,
                                                    ghlo_kernel_add_leaf (builder, GHLO_NODE_LOAD,
                                                                          GHLO_ELEMENT_TYPE_F32, 0),
                                                    GHLO_KERNEL_NONE, GHLO_KERNEL_NONE), 1);
  ghlo_kernel_end_block (builder);
  kernel = ghlo_kernel_builder_end (builder, &error);
  expanded = kernel != NULL ? ghlo_kernel_expand (kernel, &error) : NULL;
  if (expanded == NULL)
    g_error ("%s", error->message);

  return expanded->hash;
}

/* Returns the error at the worst argument, computed by MPFR. */
static double
measure_worst (const Measure *self,
               float          x)
{
  Measure one = *self;
  const guint8 *operands[] = { (const guint8 *) &x };
  double error;
  float found;

  self->loop (operands, (guint8 *) &found, 1, NULL);
  mpfr_init2 (one.exact, PRECISION);
  evaluate (&one, x);
  error = distance (found, mpfr_get_d (one.exact, MPFR_RNDN), measure_for (self, x));
  mpfr_clear (one.exact);

  return error;
}

static gboolean
run_function (const FunctionTruth *function,
              const Truth         *truth,
              const PieceOptions  *options)
{
  static const PieceWork work = { measure_new, measure_piece, measure_free };
  Measure self = { .function = function, .truth = truth, .every = options->every,
                   .loop = ghlo_cpu_elementwise_routines ()->functions[GHLO_CPU_NUMBER_F32][function->kind] };
  const char *name = ghlo_node_spec (function->kind)->name;
  gint64 begin = g_get_monotonic_time ();
  Piece total = pieces_run (options, name, fingerprint (function->kind) + options->every - 1, &work, &self);
  float where = ghlo_float_of_bits (total.where);

  if (truth->exact != NULL && total.worst > 0)
    total.worst = measure_worst (&self, where);
  g_print ("%-24s %.4f ulp at %.9g (%a), ", name, total.worst, where, where);
  if (truth->exact != NULL)
    g_print ("%.4f %% are the nearest number, ",
             100 - 100 * (double) total.n_others * options->every / (double) (total.end - total.begin));
  g_print ("%.0f s%s\n", (double) (g_get_monotonic_time () - begin) / 1e6,
           total.worst <= function->ulps ? "" : ": TOO FAR");

  return total.worst <= function->ulps;
}

/* Returns the rest of @argument after @option, or NULL. */
static const char *
after (const char *argument,
       const char *option)
{
  return g_str_has_prefix (argument, option) ? argument + strlen (option) : NULL;
}

/* Returns FALSE where an option is invalid. */
static gboolean
read_option (const char   *argument,
             PieceOptions *options)
{
  const guint64 all = (guint64) 1 << 32;
  const char *value;
  char *rest;

  if ((value = after (argument, "--threads=")) != NULL)
    options->n_threads = (guint) CLAMP (g_ascii_strtoll (value, NULL, 10), 1, 1024);
  else if ((value = after (argument, "--every=")) != NULL)
    options->every = (guint) CLAMP (g_ascii_strtoll (value, NULL, 10), 1, 1 << 24);
  else if ((value = after (argument, "--state=")) != NULL)
    options->state = value;
  else if ((value = after (argument, "--range=")) != NULL)
    {
      options->begin = g_ascii_strtoull (value, &rest, 16);
      options->end = *rest == ':' ? g_ascii_strtoull (rest + 1, &rest, 16) : 0;
      return *rest == '\0' && options->begin < options->end && options->end <= all;
    }
  else
    return *argument != '-';

  return TRUE;
}

static gboolean
is_wanted (const char *name,
           int         n_arguments,
           char      **arguments)
{
  gboolean has_names = FALSE;

  for (int i = 0; i < n_arguments; i++)
    {
      if (g_str_equal (arguments[i], name))
        return TRUE;
      has_names = has_names || *arguments[i] != '-';
    }

  return !has_names;
}

static const Truth *
find_truth (const char  *name,
            GhloNodeKind kind)
{
  for (guint k = 0; k < G_N_ELEMENTS (truths); k++)
    if (truths[k].kind == kind)
      return &truths[k];
  g_error ("there is no bound of the truth of %s", name);
}

int
main (int   argc,
      char *argv[])
{
  PieceOptions options = { .n_threads = g_get_num_processors (), .end = (guint64) 1 << 32, .every = 1 };
  gboolean is_good = TRUE;

  for (int i = 1; i < argc; i++)
    if (!read_option (argv[i], &options))
      {
        g_printerr ("usage: exhaustive-functions [--threads=N] [--range=BEGIN:END] [--every=N] [--state=FILE] "
                    "[NAME…]\n");
        return EXIT_FAILURE;
      }
  g_print ("level %s\n", ghlo_cpu_level_name (ghlo_cpu_level ()));
  for (guint i = 0; i < n_function_truths; i++)
    {
      const char *name = ghlo_node_spec (function_truths[i].kind)->name;

      if (is_wanted (name, argc - 1, argv + 1))
        is_good = run_function (&function_truths[i], find_truth (name, function_truths[i].kind), &options) && is_good;
    }

  return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
