/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plan: an immutable tree of steps over buffers, made from a module once and
 * run any number of times. A body is a list of steps; loops and branches hold
 * bodies. A step's operand is a view of a buffer, so that reshapes, slices,
 * transposes, reversals and broadcasts cost nothing where the consumer takes their
 * strides.
 */

#pragma once

#include "plan/target.h"

G_BEGIN_DECLS

#define GHLO_STEP_NONE G_MAXUINT32

/* Where a step finds a tensor: part of a buffer, as a view. The arrays live as long
 * as the plan. */
typedef struct
{
  guint32           buffer;       /* GHLO_STEP_NONE for a token */
  gsize             offset;       /* bytes from the buffer's start to index 0 in every dimension */
  const GhloIrType *type;         /* element type, dimensions, quantization */
  const gint64     *strides;      /* bytes, one for each dimension */
} GhloStepOperand;

typedef enum
{
  GHLO_STEP_BUFFER_INPUT,         /* the caller's; index says which */
  GHLO_STEP_BUFFER_OUTPUT,        /* handed to the caller; index says which */
  GHLO_STEP_BUFFER_CONSTANT,      /* bytes of the program */
  GHLO_STEP_BUFFER_TEMPORARY,     /* a slot of the arena */
} GhloStepBufferKind;

typedef struct
{
  GhloStepBufferKind kind;
  guint              index;         /* INPUT, OUTPUT */
  gsize              size;          /* bytes */
  GBytes            *bytes;         /* CONSTANT: owned, aligned to its elements at least */
  guint32            scope;         /* the body where it was made */
  guint32            first, last;   /* steps between which it is in use, loops taken whole; first > last: never */
  guint32            inner_last;    /* what a loop's body reads: its last use in there */
  gsize              offset;        /* TEMPORARY: in the arena; shared with others of other times */
} GhloStepBuffer;

typedef enum
{
  GHLO_STEP_COMPUTE,       /* the target's: a library call, a moving of data, a copy */
  GHLO_STEP_REFERENCE,    /* one operation on the fallback executor */
  GHLO_STEP_LOOP,
  GHLO_STEP_BRANCH,
} GhloStepKind;

typedef struct _GhloCodeBody GhloStepBody;
typedef struct _GhloCodeStep GhloStep;

/* Two buffers that change places after each iteration: what the body wrote becomes
 * what the next one reads. The same buffer twice where it is written in place. */
typedef struct
{
  guint32 read, written;
} GhloStepExchange;

struct _GhloCodeStep
{
  GhloStepKind                  kind;
  guint                         number;  /* through the whole tree, in the order of running */
  guint                         end;   /* LOOP: a number after all of its steps' */
  const GhloIrOp               *op;    /* what it is for; of the plan's module; NULL for a copy */
  const GhloIrFollower         *followers;  /* KERNEL: what else it is for; of the plan's module, as op is */
  guint                         n_followers;
  const char                   *reason;  /* REFERENCE: why no kernel does it */
  GhloStepOperand              *operands;  /* REFERENCE: those of ghlo_ir_outline_inputs () */
  GhloStepOperand              *results;
  guint                         n_operands, n_results;
  const GhloStepImplementation *kernel;        /* KERNEL, as the next */
  gpointer                      prepared;  /* the kernel's own */
  guint32                       scratch;  /* a buffer, or GHLO_STEP_NONE */
  gpointer                      fallback;  /* REFERENCE: whoever runs the plan's own */
  GhloStepBody                 *bodies;  /* LOOP: condition, body; BRANCH: one for each value of operands[0] */
  guint                         n_bodies;
  GhloStepExchange             *exchanges;  /* LOOP: after each iteration */
  guint                         n_exchanges;
  gint64                        trips;  /* LOOP: how often the body runs, -1 where the condition says */
};

struct _GhloCodeBody
{
  guint32         scope;               /* its number; the function's is 0 */
  GhloStep      **steps;
  guint           n_steps;
  GhloStepOperand result;              /* a LOOP's condition: where the predicate is */
};

typedef struct
{
  GhloIrModule   *module;              /* owned: after the passes */
  GhloIrOp       *function;
  GhloStepBuffer *buffers;
  guint           n_buffers;
  guint           n_inputs, n_outputs;
  guint32        *inputs;              /* buffers */
  guint32        *outputs;             /* buffers, one for each result; GHLO_STEP_NONE for a token */
  guint          *shared;              /* for each result the input that it is, or GHLO_STEP_NONE */
  guint           n_scopes;
  guint           n_steps;             /* numbers given out */
  gsize           arena_size;          /* bytes for all temporaries */
  gsize           temporaries_size;    /* the sum of their sizes */
  guint           n_reference;         /* steps of that kind */
  guint           max_views;           /* of one step, operands and results */
  GhloStepBody    body;
} GhloStepPlan;

/* Plans @function of @module, which the plan takes a reference to and which nobody
 * changes any more. NULL with @error set; UNSUPPORTED when it has what no plan
 * holds (dynamic shapes). */
GhloStepPlan *ghlo_step_plan_new   (GhloIrModule         *module,
                                    GhloIrOp             *function,
                                    const GhloStepTarget *target,
                                    const GhloMonitor    *monitor,
                                    GError              **error);
void          ghlo_step_plan_free  (GhloStepPlan          *self);
/* The view of an operand, without its data; of rank 0 for a token. */
GhloView      ghlo_step_view       (const GhloStepOperand *operand);
/* A line for each step, indented by loops and branches, and one for the memory. The
 * caller frees it. */
char         *ghlo_step_plan_print (const GhloStepPlan    *self);
/* Calls @func for every step of the tree, in order. */
void          ghlo_step_plan_foreach (const GhloStepPlan  *self,
                                      void               (*func) (GhloStep *step,
                                                                  gpointer      data),
                                      gpointer             data);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloStepPlan, ghlo_step_plan_free)

G_END_DECLS
