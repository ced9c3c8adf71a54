/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sliding windows over a tensor, as reduce_window, select_and_scatter and the convolutions have them.
 */

#pragma once

#include "ir/verify/structured.h"
#include "ir/window.h"

G_BEGIN_DECLS

/* The names of the attributes that describe a window; NULL for one that the operation does not have. */
typedef struct
{
  const char *strides;
  const char *base_dilations;
  const char *window_dilations;
  const char *reversal;
} GhloIrWindowNames;

/* Fills @window from @sizes and the attributes named in @names. Does not read padding, nor the sizes of the operand and
 * the result. */
gboolean ghlo_ir_verify_window         (GhloIrVerifier          *verifier,
                                        const GhloIrOp          *op,
                                        const gint64            *sizes,
                                        gsize                    rank,
                                        const GhloIrWindowNames *names,
                                        GhloIrWindow            *window);
/* Adds the attribute "padding", of shape (rank, 2), if present. */
gboolean ghlo_ir_verify_window_padding (GhloIrVerifier          *verifier,
                                        const GhloIrOp          *op,
                                        GhloIrWindow            *window);
/* Sets @count to the number of window positions along dimension @index, which has @base elements; -1 if either size
 * is dynamic. Fails on overflow. */
gboolean ghlo_ir_verify_window_count   (GhloIrVerifier          *verifier,
                                        const GhloIrOp          *op,
                                        const GhloIrWindow      *window,
                                        guint                    index,
                                        gint64                   base,
                                        gint64                  *count);

G_END_DECLS
