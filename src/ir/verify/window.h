/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Windows that slide over a tensor: what reduce_window, select_and_scatter and
 * the convolutions share.
 */

#pragma once

#include "ir/verify/structured.h"

G_BEGIN_DECLS

typedef struct
{
  gint64 size;              /* -1 when dynamic */
  gint64 stride;
  gint64 base_dilation;
  gint64 window_dilation;
  gint64 padding_low;
  gint64 padding_high;
} GhloIrWindowDim;

typedef struct
{
  guint           rank;
  GhloIrWindowDim dims[GHLO_MAX_RANK];
} GhloIrWindow;

/* The attributes that hold a window's numbers; NULL where the operation has none. */
typedef struct
{
  const char *strides;
  const char *base_dilations;
  const char *window_dilations;
  const char *reversal;
} GhloIrWindowNames;

/* Fills @window from @sizes and the attributes that @names has; without padding. */
gboolean ghlo_ir_verify_window         (GhloIrVerifier          *verifier,
                                        const GhloIrOp          *op,
                                        const gint64            *sizes,
                                        gsize                    rank,
                                        const GhloIrWindowNames *names,
                                        GhloIrWindow            *window);
/* Adds the attribute "padding", of shape (rank, 2), where there is one. */
gboolean ghlo_ir_verify_window_padding (GhloIrVerifier          *verifier,
                                        const GhloIrOp          *op,
                                        GhloIrWindow            *window);
/* How many positions the window has along its dimension @index, of @base elements; -1
 * where either size is dynamic. Fails where that overflows. */
gboolean ghlo_ir_verify_window_count   (GhloIrVerifier          *verifier,
                                        const GhloIrOp          *op,
                                        const GhloIrWindow      *window,
                                        guint                    index,
                                        gint64                   base,
                                        gint64                  *count);

G_END_DECLS
