/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A frame holds the values of one function while it runs. Regions share the frame
 * of their function, so values captured from outside need no copying; a call makes
 * a new frame. A value leaves its slot as soon as no later step uses it.
 */

#pragma once

#include "reference/process/process.h"

G_BEGIN_DECLS

struct _GhloRefFrame
{
  GhloRefProcess        *process;
  const GhloRefFunction *function;
  const GhloRefStep     *step;       /* the innermost step that is running */
  GhloValue            **slots;      /* function->n_slots of them; NULL where a slot is empty */
  guint                  depth;      /* number of enclosing calls */
};

void     ghlo_ref_frame_init          (GhloRefFrame           *self,
                                       GhloRefProcess         *process,
                                       const GhloRefFunction  *function,
                                       guint                   depth);
void     ghlo_ref_frame_clear         (GhloRefFrame           *self);

/* Runs a block. Takes the references of the arguments in any case. @results has room for block->n_returned
 * values and is filled on success. */
gboolean ghlo_ref_frame_run           (GhloRefFrame           *self,
                                       const GhloRefBlock     *block,
                                       GhloValue             **arguments,
                                       GhloValue             **results,
                                       GError                **error);
/* Runs a function in a frame of its own. Takes the references of the arguments, one for each parameter of
 * the function. */
gboolean ghlo_ref_enter_function      (GhloRefProcess         *process,
                                       const GhloRefFunction  *function,
                                       guint                   depth,
                                       GhloValue             **arguments,
                                       GhloValue             **results,
                                       GError                **error);

/* The step of @call, or NULL when no frame runs the call. */
const GhloRefStep *
         ghlo_ref_call_get_step       (const GhloRefCall      *call);
/* Returns an operand with a reference for the caller. Where this is the operand's last use, the reference is
 * the slot's own, so that nobody else holds the value. Call it once for each operand. */
GhloValue *
         ghlo_ref_call_take_operand   (GhloRefCall            *call,
                                       guint                   index);
/* Reports the completed fraction of the operation, 0 … 1. Does nothing unless the operation is one of the
 * outermost of the program. */
void     ghlo_ref_call_report         (GhloRefCall            *call,
                                       double                  within);
/* Whether the program's type @type admits @value. */
gboolean ghlo_ref_value_fits          (const GhloValue        *value,
                                       const GhloIrType       *type);
/* Where @type is quantized and *value is a tensor of plain integers, the integers are taken for its storage:
 * *value becomes a quantized tensor over the same memory. */
gboolean ghlo_ref_accept_storage      (const GhloIrType       *type,
                                       GhloValue             **value,
                                       GError                **error);
/* A description of @value for messages. */
char    *ghlo_ref_value_describe      (const GhloValue        *value);
/* Makes @value itself result @index. FALSE when the program's type does not admit it. */
gboolean ghlo_ref_pass                (GhloRefCall            *call,
                                       guint                   index,
                                       GhloValue              *value,
                                       GError                **error);

G_END_DECLS
