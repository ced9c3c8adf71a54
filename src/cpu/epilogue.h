/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is done to the result of a product or convolution while it is still in the cache:
 * elementwise operations one after the other, each on what the one before left and an
 * operand. A bias, a residual, relu (the maximum with 0), a clamp (a maximum and a
 * minimum) and a scale are such. f16 and bf16 are rounded after each operation, as they
 * would be without an epilogue.
 */

#pragma once

#include "cpu/gemm.h"
#include "ir/op-spec.h"

G_BEGIN_DECLS

enum { GHLO_CPU_MAX_STAGES = 8 };

/* How an operand's elements follow those of the result. They are of the result's type. */
typedef enum
{
  GHLO_CPU_EPILOGUE_NONE,      /* there is none: negate, abs, sqrt … */
  GHLO_CPU_EPILOGUE_SINGLE,    /* one for all */
  GHLO_CPU_EPILOGUE_ROWS,      /* one for each row, adjacent */
  GHLO_CPU_EPILOGUE_COLUMNS,   /* one for each column, adjacent */
  GHLO_CPU_EPILOGUE_RESULT,    /* one for each, in the layout of the result */
} GhloCpuEpilogueKind;

typedef struct
{
  GhloIrOpKind        op;        /* of one operand or two, and of one type throughout */
  GhloCpuEpilogueKind kind;
  gboolean            is_left;   /* the operand stands on the left of the result so far */
} GhloCpuEpilogueStage;

typedef struct _GhloCpuEpilogue GhloCpuEpilogue;

/* Immutable. NULL where there are too many stages, or no loop for one (elementwise.h). */
GhloCpuEpilogue *ghlo_cpu_epilogue_new   (GhloElementType             type,
                                          const GhloCpuEpilogueStage *stages,
                                          guint                       n_stages);
void             ghlo_cpu_epilogue_free  (GhloCpuEpilogue            *self);

/* One run's, that @data of the function below points to. */
typedef struct
{
  const GhloCpuEpilogue *epilogue;
  const guint8          *result;                          /* the element at index 0 in every dimension */
  const guint8          *operands[GHLO_CPU_MAX_STAGES];   /* by stage; NULL where it has none */
} GhloCpuEpilogueRun;

/* A GhloCpuPanelFunc. */
void             ghlo_cpu_epilogue_panel (gpointer                    data,
                                          const GhloCpuPanel         *panel);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloCpuEpilogue, ghlo_cpu_epilogue_free)

G_END_DECLS
