/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the steps that move data share.
 */

#pragma once

#include "base/ghlo-error.h"
#include "cpu/move/copy.h"
#include "cpu/steps.h"

G_BEGIN_DECLS

/* What run() returns for work that is @done, or was cancelled. */
static inline gboolean
ghlo_cpu_moves_finish (gboolean            done,
                       const GhloMonitor  *monitor,
                       GError            **error)
{
  if (!done && !ghlo_monitor_cancelled (monitor, error))
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "the copy was cancelled");

  return done;
}

/* A scalar index of any integer type; what no gint64 holds is the greatest. */
static inline gint64
ghlo_cpu_moves_index (const GhloView *scalar)
{
  gint64 index = ghlo_element_load (scalar->element_type, scalar->data).i;

  return index < 0 && scalar->element_type == GHLO_ELEMENT_TYPE_UI64 ? G_MAXINT64 : index;
}

/* Whether elements of the operands are elements of the result as they are. */
static inline gboolean
ghlo_cpu_moves_plain (const GhloIrOp *op)
{
  for (guint i = 0; i < op->n_operands; i++)
    if (ghlo_ir_op_operand (op, i)->type->quantization != op->results[0].type->quantization
        && ghlo_ir_op_operand (op, i)->type->rank > 0)
      return FALSE;

  return TRUE;
}

G_END_DECLS
