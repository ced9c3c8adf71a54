/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is done to the result of a product or convolution while it is still in the cache:
 * elementwise operations one after the other, each on what the one before left and an
 * operand. A bias, a residual, relu (the maximum with 0), a clamp (a maximum and a
 * minimum) and a scale are such. f16 and bf16 are rounded after each operation, as they
 * would be without an epilogue.
 *
 * The result lies without gaps. Its elements are counted in the order in which they lie,
 * and so it does not matter which panels it is made in.
 */

#pragma once

#include "base/view.h"
#include "cpu/gemm/gemm.h"
#include "ir/op-spec.h"

G_BEGIN_DECLS

enum { GHLO_CPU_MAX_STAGES = 8 };

/* The result's element i meets the operand's element i / inner % count. Those are adjacent
 * and of the result's type; inner * count is not more than the result's elements. One for
 * each column of a matrix is (1, columns), one for each row (columns, rows), one for all
 * (1, 1). */
typedef struct
{
  GhloIrOpKind op;        /* of one operand or two, and of one type throughout */
  gboolean     is_left;   /* the operand stands on the left of the result so far */
  gint64       inner, count;   /* count 0: there is no operand (negate, abs, sqrt …) */
} GhloCpuEpilogueStage;

typedef struct _GhloCpuEpilogue GhloCpuEpilogue;

/* Immutable; of a result of @n elements. NULL where there are too many stages, or no loop
 * for one (elementwise.h). */
GhloCpuEpilogue *ghlo_cpu_epilogue_new   (GhloElementType             type,
                                          gint64                      n,
                                          const GhloCpuEpilogueStage *stages,
                                          guint                       n_stages);
void             ghlo_cpu_epilogue_free  (GhloCpuEpilogue            *self);
/* Whether there is a loop for operations of that kind, and how many operands they have:
 * 0 where there is none. */
guint            ghlo_cpu_epilogue_takes (GhloElementType             type,
                                          GhloIrOpKind                op);
/* How an operand meets the elements of a result of the same dimensions, or of any if its rank
 * is 0, which lies without gaps. FALSE when not as said above. */
gboolean         ghlo_cpu_epilogue_meet  (const GhloView             *operand,
                                          const GhloView             *result,
                                          GhloCpuEpilogueStage       *stage);

/* One run's, that @data of the function below points to. */
typedef struct
{
  const GhloCpuEpilogue *epilogue;
  const guint8          *result;                          /* the first element in memory */
  const guint8          *operands[GHLO_CPU_MAX_STAGES];   /* by stage; NULL where it has none */
} GhloCpuEpilogueRun;

/* A GhloCpuPanelFunc. */
void             ghlo_cpu_epilogue_panel (gpointer                    data,
                                          const GhloCpuPanel         *panel);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloCpuEpilogue, ghlo_cpu_epilogue_free)

G_END_DECLS
