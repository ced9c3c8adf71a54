/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A frame holds the values of one function while it runs. Regions share the
 * frame of their function, so that what they take from outside is simply
 * there; a call makes a new frame. A value leaves its slot as soon as no later
 * step uses it.
 */

#pragma once

#include "reference/process/process.h"

G_BEGIN_DECLS

struct _GhloRefFrame
{
  GhloRefProcess        *process;
  const GhloRefFunction *function;
  const GhloRefStep     *step;       /* being run, innermost */
  GhloValue            **slots;      /* function->n_slots of them; NULL where nothing is held */
  guint                  depth;      /* calls around this one */
};

void     ghlo_ref_frame_init          (GhloRefFrame           *self,
                                       GhloRefProcess         *process,
                                       const GhloRefFunction  *function,
                                       guint                   depth);
void     ghlo_ref_frame_clear         (GhloRefFrame           *self);

/* Runs a block. The arguments' references are taken in any case; @results has
 * room for block->n_returned and is filled on success. */
gboolean ghlo_ref_frame_run           (GhloRefFrame           *self,
                                       const GhloRefBlock     *block,
                                       GhloValue             **arguments,
                                       GhloValue             **results,
                                       GError                **error);
/* Runs a function in a frame of its own; the references of the arguments, as
 * many as it has, are taken. */
gboolean ghlo_ref_enter_function      (GhloRefProcess         *process,
                                       const GhloRefFunction  *function,
                                       guint                   depth,
                                       GhloValue             **arguments,
                                       GhloValue             **results,
                                       GError                **error);

/* The step of @call, or NULL for a call that no frame runs. */
const GhloRefStep *
         ghlo_ref_call_get_step       (const GhloRefCall      *call);
/* An operand with a reference for the caller: its slot's own where this is its
 * last use, so that the caller alone holds it. Once for each operand. */
GhloValue *
         ghlo_ref_call_take_operand   (GhloRefCall            *call,
                                       guint                   index);
/* Tells how much of the operation is done, where it is one of the program's
 * outermost: 0 … 1. */
void     ghlo_ref_call_report         (GhloRefCall            *call,
                                       double                  within);
/* TRUE when @value may stand where the program says @type. */
gboolean ghlo_ref_value_fits          (const GhloValue        *value,
                                       const GhloIrType       *type);
/* Where @type is a quantized one and *value a tensor of plain integers, which are taken for its storage, *value
 * becomes a quantized tensor over the same memory. */
gboolean ghlo_ref_accept_storage      (const GhloIrType       *type,
                                       GhloValue             **value,
                                       GError                **error);
/* What @value is, for messages. */
char    *ghlo_ref_value_describe      (const GhloValue        *value);
/* Result @index is @value itself; FALSE when the program's type forbids it. */
gboolean ghlo_ref_pass                (GhloRefCall            *call,
                                       guint                   index,
                                       GhloValue              *value,
                                       GError                **error);

G_END_DECLS
