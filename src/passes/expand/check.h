/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a call has to be like to be expanded.
 */

#pragma once

#include "base/fail.h"
#include "ir/module.h"

G_BEGIN_DECLS

/* Sets *@problem to what is expected of the call and what was found. Always returns FALSE. */
gboolean ghlo_expand_refuse        (char             **problem,
                                    const char        *format,
                                    ...) G_GNUC_PRINTF (2, 3);
#define ghlo_expand_refuse(...) GHLO_FALSE_AFTER (ghlo_expand_refuse (__VA_ARGS__))

gboolean ghlo_expand_refuse_activation (const char    *name,
                                    char             **problem);

/* Whether the call has @least to @most operands and @n_results results, all of static shape. */
gboolean ghlo_expand_check_counts  (const GhloIrOp    *op,
                                    guint              least,
                                    guint              most,
                                    guint              n_results,
                                    char             **problem);
/* Whether the first @n operands and all results are floats, all f64 or none. */
gboolean ghlo_expand_check_floats  (const GhloIrOp    *op,
                                    guint              n,
                                    char             **problem);
/* Whether the operand can be broadcast to the dimensions of operand @to. */
gboolean ghlo_expand_check_broadcasts (const GhloIrOp *op,
                                    guint              index,
                                    guint              to,
                                    char             **problem);

G_END_DECLS
