/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions of f64 nodes within 1e-10 of the truth, relatively: what functions of f32 are made of that
 * would need two f32 for each number otherwise. They know nothing of special values.
 */

#pragma once

#include "kernel/functions/private.h"

G_BEGIN_DECLS

/* 2^t; as for |t| = 1000 beyond. */
guint ghlo_expand_wide_exp2         (Builder *b, guint t);
/* The same within 1.4e-14 and what t is rounded by. */
guint ghlo_expand_wide_exp2_precise (Builder *b, guint t);
/* Of positive normal numbers. */
guint ghlo_expand_wide_log          (Builder *b, guint x);
guint ghlo_expand_wide_log2         (Builder *b, guint x);
/* The logarithm to f64's precision. */
guint ghlo_expand_wide_log_precise  (Builder *b, guint x);
/* log (1 + t), t >= 0. */
guint ghlo_expand_wide_log_plus_one (Builder *b, guint t);
/* The same to f64's precision. */
guint ghlo_expand_wide_log_plus_one_precise (Builder *b, guint t);

G_END_DECLS
