/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The table of expansions, and the sums of powers that many of them contain.
 */

#include "kernel/functions/f64/double.h"

guint
ghlo_expand_horner (Builder      *b,
                    guint         x,
                    const double *c,
                    guint         n)
{
  guint sum = real (b, x, c[n - 1]);

  for (guint i = n - 1; i > 0; i--)
    sum = multiply_add_real (b, sum, x, c[i - 1]);

  return sum;
}

guint
ghlo_expand_estrin (Builder      *b,
                    guint         x,
                    const double *c,
                    guint         n)
{
  enum { MAX = 64 };
  guint terms[MAX];

  g_assert (n > 0 && n <= MAX);
  for (guint i = 0; i < n; i++)
    terms[i] = real (b, x, c[i]);
  for (; n > 1; n = (n + 1) / 2)
    {
      for (guint i = 0; i + 1 < n; i += 2)
        terms[i / 2] = multiply_add (b, terms[i + 1], x, terms[i]);
      if (n % 2 == 1)
        terms[n / 2] = terms[n - 1];
      x = multiply (b, x, x);
    }

  return terms[0];
}

/* For functions of a single type, f32 holds the expansion. */
typedef struct
{
  GhloKernelExpansion f32, f64;
  GhloKernelExpansion bf16;     /* for a bf16 number in f32, where the result is only used rounded to bf16; nullable */
} Expansions;

static const Expansions expansions[GHLO_N_NODES] = {
  [GHLO_NODE_EXPONENTIAL] = { ghlo_expand_exponential, ghlo_expand_exponential_f64 },
  [GHLO_NODE_EXPONENTIAL_MINUS_ONE] = { ghlo_expand_exponential_minus_one, ghlo_expand_exponential_minus_one_f64 },
  [GHLO_NODE_LOG] = { ghlo_expand_log, ghlo_expand_log_f64 },
  [GHLO_NODE_LOG_PLUS_ONE] = { ghlo_expand_log_plus_one, ghlo_expand_log_plus_one_f64 },
  [GHLO_NODE_TANH] = { ghlo_expand_tanh, ghlo_expand_tanh_f64, ghlo_expand_tanh_bf16 },
  [GHLO_NODE_LOGISTIC] = { ghlo_expand_logistic, ghlo_expand_logistic_f64, ghlo_expand_logistic_bf16 },
  [GHLO_NODE_ERF] = { ghlo_expand_erf, ghlo_expand_erf_f64 },
  [GHLO_NODE_ERFC] = { ghlo_expand_erfc, ghlo_expand_erfc_f64 },
  [GHLO_NODE_ERF_INV] = { ghlo_expand_erf_inv, ghlo_expand_erf_inv_f64 },
  [GHLO_NODE_SINE] = { ghlo_expand_sine, ghlo_expand_sine_f64 },
  [GHLO_NODE_COSINE] = { ghlo_expand_cosine, ghlo_expand_cosine_f64 },
  [GHLO_NODE_TAN] = { ghlo_expand_tan, ghlo_expand_tan_f64 },
  [GHLO_NODE_ASIN] = { ghlo_expand_asin, ghlo_expand_asin_f64 },
  [GHLO_NODE_ACOS] = { ghlo_expand_acos, ghlo_expand_acos_f64 },
  [GHLO_NODE_ATAN] = { ghlo_expand_atan, ghlo_expand_atan_f64 },
  [GHLO_NODE_ATAN2] = { ghlo_expand_atan2, ghlo_expand_atan2_f64 },
  [GHLO_NODE_SINH] = { ghlo_expand_sinh, ghlo_expand_sinh_f64 },
  [GHLO_NODE_COSH] = { ghlo_expand_cosh, ghlo_expand_cosh_f64 },
  [GHLO_NODE_ASINH] = { ghlo_expand_asinh, ghlo_expand_asinh_f64 },
  [GHLO_NODE_ACOSH] = { ghlo_expand_acosh, ghlo_expand_acosh_f64 },
  [GHLO_NODE_ATANH] = { ghlo_expand_atanh, ghlo_expand_atanh_f64 },
  [GHLO_NODE_POWER] = { ghlo_expand_power, ghlo_expand_power_f64 },
  [GHLO_NODE_CBRT] = { ghlo_expand_cbrt, ghlo_expand_cbrt_f64 },
  [GHLO_NODE_RSQRT] = { ghlo_expand_rsqrt, ghlo_expand_rsqrt_f64 },
  [GHLO_NODE_LGAMMA] = { ghlo_expand_lgamma, ghlo_expand_lgamma_f64 },
  [GHLO_NODE_DIGAMMA] = { ghlo_expand_digamma, ghlo_expand_digamma_f64 },
  [GHLO_NODE_BESSEL_I1E] = { ghlo_expand_bessel_i1e, ghlo_expand_bessel_i1e_f64 },
  [GHLO_NODE_ZETA] = { ghlo_expand_zeta, ghlo_expand_zeta_f64 },
  [GHLO_NODE_POLYGAMMA] = { ghlo_expand_polygamma, ghlo_expand_polygamma_f64 },
  [GHLO_NODE_REMAINDER_FLOAT] = { ghlo_expand_remainder_float, ghlo_expand_remainder_float_f64 },
  [GHLO_NODE_FROM_BF16] = { ghlo_expand_from_bf16, NULL },
  [GHLO_NODE_TO_BF16] = { ghlo_expand_to_bf16, ghlo_expand_to_bf16 },
  [GHLO_NODE_FROM_F16] = { ghlo_expand_from_f16, NULL },
  [GHLO_NODE_TO_F16] = { ghlo_expand_to_f16, ghlo_expand_to_f16 },
  [GHLO_NODE_FROM_F4E2M1FN] = { ghlo_expand_from_f4e2m1fn, NULL },
  [GHLO_NODE_TO_F4E2M1FN] = { ghlo_expand_to_f4e2m1fn, ghlo_expand_to_f4e2m1fn },
  [GHLO_NODE_FROM_F6E2M3FN] = { ghlo_expand_from_f6e2m3fn, NULL },
  [GHLO_NODE_TO_F6E2M3FN] = { ghlo_expand_to_f6e2m3fn, ghlo_expand_to_f6e2m3fn },
  [GHLO_NODE_FROM_F6E3M2FN] = { ghlo_expand_from_f6e3m2fn, NULL },
  [GHLO_NODE_TO_F6E3M2FN] = { ghlo_expand_to_f6e3m2fn, ghlo_expand_to_f6e3m2fn },
  [GHLO_NODE_FROM_F8E3M4] = { ghlo_expand_from_f8e3m4, NULL },
  [GHLO_NODE_TO_F8E3M4] = { ghlo_expand_to_f8e3m4, ghlo_expand_to_f8e3m4 },
  [GHLO_NODE_FROM_F8E4M3] = { ghlo_expand_from_f8e4m3, NULL },
  [GHLO_NODE_TO_F8E4M3] = { ghlo_expand_to_f8e4m3, ghlo_expand_to_f8e4m3 },
  [GHLO_NODE_FROM_F8E4M3FN] = { ghlo_expand_from_f8e4m3fn, NULL },
  [GHLO_NODE_TO_F8E4M3FN] = { ghlo_expand_to_f8e4m3fn, ghlo_expand_to_f8e4m3fn },
  [GHLO_NODE_FROM_F8E4M3FNUZ] = { ghlo_expand_from_f8e4m3fnuz, NULL },
  [GHLO_NODE_TO_F8E4M3FNUZ] = { ghlo_expand_to_f8e4m3fnuz, ghlo_expand_to_f8e4m3fnuz },
  [GHLO_NODE_FROM_F8E4M3B11FNUZ] = { ghlo_expand_from_f8e4m3b11fnuz, NULL },
  [GHLO_NODE_TO_F8E4M3B11FNUZ] = { ghlo_expand_to_f8e4m3b11fnuz, ghlo_expand_to_f8e4m3b11fnuz },
  [GHLO_NODE_FROM_F8E5M2] = { ghlo_expand_from_f8e5m2, NULL },
  [GHLO_NODE_TO_F8E5M2] = { ghlo_expand_to_f8e5m2, ghlo_expand_to_f8e5m2 },
  [GHLO_NODE_FROM_F8E5M2FNUZ] = { ghlo_expand_from_f8e5m2fnuz, NULL },
  [GHLO_NODE_TO_F8E5M2FNUZ] = { ghlo_expand_to_f8e5m2fnuz, ghlo_expand_to_f8e5m2fnuz },
  [GHLO_NODE_FROM_F8E8M0FNU] = { ghlo_expand_from_f8e8m0fnu, NULL },
  [GHLO_NODE_TO_F8E8M0FNU] = { ghlo_expand_to_f8e8m0fnu, ghlo_expand_to_f8e8m0fnu },
};

GhloKernelExpansion
ghlo_kernel_expansion (GhloNodeKind    kind,
                       GhloElementType type)
{
  const GhloNodeSpec *spec = ghlo_node_spec (kind);

  if (spec->role != GHLO_NODE_FUNCTION)
    return NULL;
  if (spec->operand_types == 0)
    return spec->operand_type == type ? expansions[kind].f32 : NULL;

  return type == GHLO_ELEMENT_TYPE_F32 ? expansions[kind].f32
         : type == GHLO_ELEMENT_TYPE_F64 ? expansions[kind].f64 : NULL;
}

GhloKernelExpansion
ghlo_expand_find_bf16 (GhloNodeKind kind)
{
  return expansions[kind].bf16;
}
