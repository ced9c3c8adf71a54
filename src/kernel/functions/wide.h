/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions on f64 nodes with a relative error of 1e-10, for functions of f32 that would otherwise need two f32 for
 * each number. They do not handle special values.
 */

#pragma once

#include "kernel/functions/vocabulary.h"

G_BEGIN_DECLS

/* 2^t, with |t| limited to 1000. */
guint ghlo_expand_wide_exp2         (Builder *b, guint t);
/* The same with a relative error of 1.4e-14, besides the rounding of t. */
guint ghlo_expand_wide_exp2_precise (Builder *b, guint t);
/* 2^exponent × mantissa, with the mantissa within [√½, √2). */
typedef struct
{
  guint exponent;       /* f64 */
  guint mantissa;
} Split;

/* For positive normal numbers. */
Split ghlo_expand_wide_split        (Builder *b, guint x);
guint ghlo_expand_wide_log          (Builder *b, guint x);
guint ghlo_expand_wide_log2         (Builder *b, guint x);
/* The logarithm with the precision of f64. */
guint ghlo_expand_wide_log_precise  (Builder *b, guint x);
/* log (1 + t), t >= 0. */
guint ghlo_expand_wide_log_plus_one (Builder *b, guint t);
/* The same with the precision of f64. */
guint ghlo_expand_wide_log_plus_one_precise (Builder *b, guint t);

G_END_DECLS
