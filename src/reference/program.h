/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A program made ready to run: every function that the entry can reach, as
 * blocks of steps. A step knows the slots of its operands and results in a
 * frame, and which slots hold nothing of use after it. Immutable once made, so
 * that any number of threads run it at once; nothing is written to the module.
 */

#pragma once

#include "reference/kernel.h"
#include "runtime/device.h"

G_BEGIN_DECLS

typedef struct _GhloRefBlock    GhloRefBlock;
typedef struct _GhloRefFunction GhloRefFunction;

typedef struct
{
  const GhloIrOp        *op;
  GhloRefKernel          kernel;
  GhloValue             *constant;      /* owned; what the operation always gives, or NULL */
  GhloCustomTarget      *custom;        /* owned; of a custom call that the application answers; else NULL */
  const GhloRefFunction *callee;        /* of a call or composite; borrowed */
  GhloTensorType       **result_types;  /* owned; one for each result, NULL where not static */
  GhloRefBlock          *regions;       /* owned; one for each region */
  guint32               *slots;         /* owned; those of the operands, then the dying ones */
  guint8                *takeable;      /* owned; by operand: used here alone and for the last time;
                                           NULL where no operand is to be taken */
  guint32                n_operands, n_results, n_regions, n_dying;
  guint32                first_result;  /* slot of result 0; the others follow */
} GhloRefStep;

struct _GhloRefBlock
{
  GhloRefStep *steps;                   /* owned; all operations but the terminator */
  guint32      n_steps;
  guint32      n_arguments;             /* slots from first_slot on */
  guint32      n_returned;
  guint32      n_dying_arguments;       /* that nobody uses */
  guint32      n_dying;                 /* with the terminator */
  guint32     *slots;                   /* owned; returned, dying arguments, dying */
  guint32      first_slot, end_slot;    /* of all that is defined here and in nested regions */
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
  GhloPrepared           base;
  GhloIrModule          *module;        /* owned */
  GhloRefFunction       *entry;         /* owned */
  GHashTable            *callees;       /* of GhloIrOp → GhloRefFunction, owned; NULL where there are none */
  gsize                  size;          /* bytes of all that is owned, but for the module and constants */
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
/* NULL when @op is not among the functions that can be reached. */
const GhloRefFunction *ghlo_ref_program_get_function  (const GhloRefProgram  *self,
                                                       const GhloIrOp        *op);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloRefProgram, ghlo_ref_program_free)

/* "program.mlir:12:7: 'stablehlo.gather': ", or as much of it as is known. */
void                   ghlo_ref_append_place          (GString             *string,
                                                       const GhloIrModule  *module,
                                                       const GhloIrOp      *op);
/* Puts the place before @error's message, unless one stands there already. */
void                   ghlo_ref_prefix_place          (GError             **error,
                                                       const GhloIrModule  *module,
                                                       const GhloIrOp      *op);

/* The tensor of a dense attribute under that type (constant.c). */
GhloValue             *ghlo_ref_dense_value           (const GhloIrAttr    *attr,
                                                       const GhloIrType    *type,
                                                       GError             **error);
/* What a constant operation gives, for result 0 of @op. */
GhloValue             *ghlo_ref_constant_value        (const GhloIrOp      *op,
                                                       GError             **error);
/* TRUE when holding on to that value takes next to no memory. */
gboolean               ghlo_ref_constant_is_small     (const GhloIrOp      *op);

G_END_DECLS
