/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plan: an immutable tree of steps over buffers, made from a module once and
 * run any number of times. A body is a list of steps; loops and branches hold
 * bodies. A step's operand is a view of a buffer, so that reshapes, slices,
 * transposes, reversals and broadcasts cost nothing where the consumer takes their
 * strides.
 */

#pragma once

#include "codegen/target.h"

G_BEGIN_DECLS

typedef enum
{
  GHLO_CODE_BUFFER_INPUT,      /* the caller's; index says which */
  GHLO_CODE_BUFFER_OUTPUT,     /* handed to the caller; index says which */
  GHLO_CODE_BUFFER_CONSTANT,   /* bytes of the program */
  GHLO_CODE_BUFFER_TEMPORARY,  /* a slot of the arena */
} GhloCodeBufferKind;

typedef struct
{
  GhloCodeBufferKind kind;
  guint              index;         /* INPUT, OUTPUT */
  gsize              size;          /* bytes */
  GBytes            *bytes;         /* CONSTANT: owned, aligned to its elements at least */
  guint              first, last;   /* TEMPORARY: the steps, counted through the whole tree, that use it */
  gsize              offset;        /* TEMPORARY: in the arena; shared with others of other times */
} GhloCodeBuffer;

typedef enum
{
  GHLO_CODE_STEP_KERNEL,       /* work of the target's own: a library call, a moving of data */
  GHLO_CODE_STEP_COPY,         /* operands[0] into results[0], element by element */
  GHLO_CODE_STEP_REFERENCE,    /* one operation on the fallback executor */
  GHLO_CODE_STEP_LOOP,
  GHLO_CODE_STEP_BRANCH,
} GhloCodeStepKind;

typedef struct _GhloCodeBody GhloCodeBody;
typedef struct _GhloCodeStep GhloCodeStep;

/* Two buffers that change places after each iteration: what the body wrote becomes
 * what the next one reads. */
typedef struct
{
  guint32 read, written;
} GhloCodeExchange;

struct _GhloCodeStep
{
  GhloCodeStepKind      kind;
  guint                 number;        /* through the whole tree */
  const GhloIrOp       *op;            /* what it is for; of the plan's module; NULL for a copy of ours */
  const char           *reason;        /* of a REFERENCE step: why no kernel does it */
  GhloCodeOperand      *operands;
  GhloCodeOperand      *results;
  guint                 n_operands, n_results;
  /* KERNEL */
  const GhloCodeKernel *kernel;
  gpointer              prepared;      /* the kernel's own */
  guint32               scratch;       /* a buffer, or GHLO_CODE_NO_BUFFER */
  /* REFERENCE: a function of one operation */
  GhloIrModule         *module;        /* owned */
  /* LOOP: condition, body; BRANCH: one body for each value of operands[0] */
  GhloCodeBody         *bodies;
  guint                 n_bodies;
  GhloCodeExchange     *exchanges;     /* LOOP: after each iteration */
  guint                 n_exchanges;
  gint64                trips;         /* LOOP: how often the body runs, -1 where the condition says */
};

struct _GhloCodeBody
{
  GhloCodeStep   **steps;
  guint            n_steps;
  GhloCodeOperand  result;             /* a LOOP's condition: where the predicate is */
};

typedef struct
{
  GhloIrModule   *module;              /* owned: after the passes */
  GhloIrOp       *function;
  GhloCodeBuffer *buffers;
  guint           n_buffers;
  guint           n_inputs, n_outputs;
  guint           n_steps;             /* in the whole tree */
  gsize           arena_size;          /* bytes for all temporaries */
  GhloCodeBody    body;
} GhloCodePlan;

/* Plans @function of @module, which the plan takes a reference to and which nobody
 * changes any more. NULL with @error set; UNSUPPORTED when it has what no plan
 * holds (dynamic shapes). */
GhloCodePlan *ghlo_code_plan_new   (GhloIrModule          *module,
                                    GhloIrOp              *function,
                                    const GhloCodeTarget  *target,
                                    const GhloMonitor     *monitor,
                                    GError               **error);
void          ghlo_code_plan_free  (GhloCodePlan          *self);
/* A line for each step, indented by loops and branches, and one for the memory. */
char         *ghlo_code_plan_print (const GhloCodePlan    *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloCodePlan, ghlo_code_plan_free)

G_END_DECLS
