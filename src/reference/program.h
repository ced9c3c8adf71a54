/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A program prepared for running: every function reachable from the entry, as
 * blocks of steps. A step knows the frame slots of its operands and results, and
 * which slots die with it. A program is immutable once made, so any number of
 * threads can run it at the same time; nothing is written to the module.
 */

#pragma once

#include "execute/program.h"
#include "reference/kernel.h"

G_BEGIN_DECLS

typedef struct _GhloRefBlock    GhloRefBlock;
typedef struct _GhloRefFunction GhloRefFunction;

typedef struct
{
  const GhloIrOp        *op;
  GhloRefKernel          kernel;
  GhloValue             *constant;      /* owned; the operation's constant result, or NULL */
  GhloCustomTarget      *custom;        /* owned; the target of a custom call that the application answers, or NULL */
  const GhloRefFunction *callee;        /* of a call or composite; borrowed */
  GhloTensorType       **result_types;  /* owned; one for each result; NULL where the shape is not static */
  GhloRefBlock          *regions;       /* owned; one for each region */
  guint32               *slots;         /* owned; slots of the operands, then the slots that die here */
  guint8                *takeable;      /* owned; for each operand, whether it is used by this step only and for the
                                         * last time; NULL where no operand may be taken */
  guint32                n_operands, n_results, n_regions, n_dying;
  guint32                first_result;  /* slot of result 0; the others follow */
} GhloRefStep;

struct _GhloRefBlock
{
  GhloRefStep *steps;                   /* owned; all operations except the terminator */
  guint32      n_steps;
  guint32      n_arguments;             /* they occupy the slots from first_slot on */
  guint32      n_returned;
  guint32      n_dying_arguments;       /* arguments without uses */
  guint32      n_dying;                 /* slots that die at the terminator */
  guint32     *slots;                   /* owned; returned slots, dying arguments, dying slots */
  guint32      first_slot, end_slot;    /* range of everything defined here and in nested regions */
  gboolean     is_present;              /* FALSE for a region without a block */
  const GhloIrBlock *block;
};

struct _GhloRefFunction
{
  const GhloIrOp *op;                   /* func.func */
  GhloRefBlock    body;
  guint32         n_slots;
};

typedef struct
{
  GhloIrModule          *module;        /* owned */
  GhloRefFunction       *entry;         /* owned */
  GHashTable            *callees;       /* of GhloIrOp → GhloRefFunction, owned; NULL where there are none */
  gsize                  size;          /* bytes of all owned memory except the module and constants */
} GhloRefProgram;

static inline const guint32 *
ghlo_ref_step_dying (const GhloRefStep *step)
{
  return step->slots + step->n_operands;
}

GhloRefProgram        *ghlo_ref_program_new           (GhloIrModule            *module,
                                                       GhloIrOp                *function,
                                                       const GhloCustomTargets *custom_targets,     /* nullable */
                                                       const GhloMonitor       *monitor,
                                                       GError                 **error);
void                   ghlo_ref_program_free          (GhloRefProgram        *self);
/* NULL when @op is not a reachable function. */
const GhloRefFunction *ghlo_ref_program_get_function  (const GhloRefProgram  *self,
                                                       const GhloIrOp        *op);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloRefProgram, ghlo_ref_program_free)

/* Appends "program.mlir:12:7: 'stablehlo.gather': ", or as much of it as is known. */
void                   ghlo_ref_append_place          (GString             *string,
                                                       const GhloIrModule  *module,
                                                       const GhloIrOp      *op);
/* Prefixes the message of @error with the place, unless it already begins with one. */
void                   ghlo_ref_prefix_place          (GError             **error,
                                                       const GhloIrModule  *module,
                                                       const GhloIrOp      *op);

/* The tensor of a dense attribute, with type @type (constant.c). */
GhloValue             *ghlo_ref_dense_value           (const GhloIrAttr    *attr,
                                                       const GhloIrType    *type,
                                                       GError             **error);
/* The value of a constant operation, for result 0 of @op. */
GhloValue             *ghlo_ref_constant_value        (const GhloIrOp      *op,
                                                       GError             **error);
/* Whether keeping the value of @op takes next to no memory. */
gboolean               ghlo_ref_constant_is_small     (const GhloIrOp      *op);

G_END_DECLS
