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

#define GHLO_CODE_NONE G_MAXUINT32

/* Where a step finds a tensor: part of a buffer, as a view. The arrays live as long
 * as the plan. */
typedef struct
{
  guint32           buffer;       /* GHLO_CODE_NONE for a token */
  gsize             offset;       /* bytes from the buffer's start to index 0 in every dimension */
  const GhloIrType *type;         /* element type, dimensions, quantization */
  const gint64     *strides;      /* bytes, one for each dimension */
} GhloCodeOperand;

typedef enum
{
  GHLO_CODE_BUFFER_INPUT,         /* the caller's; index says which */
  GHLO_CODE_BUFFER_OUTPUT,        /* handed to the caller; index says which */
  GHLO_CODE_BUFFER_CONSTANT,      /* bytes of the program */
  GHLO_CODE_BUFFER_TEMPORARY,     /* a slot of the arena */
} GhloCodeBufferKind;

typedef struct
{
  GhloCodeBufferKind kind;
  guint              index;         /* INPUT, OUTPUT */
  gsize              size;          /* bytes */
  GBytes            *bytes;         /* CONSTANT: owned, aligned to its elements at least */
  guint32            scope;         /* the body where it was made */
  guint32            first, last;   /* steps between which it is in use, loops taken whole; first > last: never */
  guint32            inner_last;    /* what a loop's body reads: its last use in there */
  gsize              offset;        /* TEMPORARY: in the arena; shared with others of other times */
} GhloCodeBuffer;

typedef enum
{
  GHLO_CODE_STEP_KERNEL,       /* the target's: a library call, a moving of data, a copy */
  GHLO_CODE_STEP_REFERENCE,    /* one operation on the fallback executor */
  GHLO_CODE_STEP_LOOP,
  GHLO_CODE_STEP_BRANCH,
} GhloCodeStepKind;

typedef struct _GhloCodeBody GhloCodeBody;
typedef struct _GhloCodeStep GhloCodeStep;

/* Two buffers that change places after each iteration: what the body wrote becomes
 * what the next one reads. The same buffer twice where it is written in place. */
typedef struct
{
  guint32 read, written;
} GhloCodeExchange;

struct _GhloCodeStep
{
  GhloCodeStepKind      kind;
  guint                 number;        /* through the whole tree, in the order of running */
  guint                 end;           /* LOOP: a number after all of its steps' */
  const GhloIrOp       *op;            /* what it is for; of the plan's module; NULL for a copy */
  const GhloIrFollower *followers;     /* KERNEL: what else it is for; of the plan's module, as op is */
  guint                 n_followers;
  const char           *reason;        /* REFERENCE: why no kernel does it */
  GhloCodeOperand      *operands;
  GhloCodeOperand      *results;
  guint                 n_operands, n_results;
  const GhloCodeKernel *kernel;        /* KERNEL, as the next */
  gpointer              prepared;      /* the kernel's own */
  guint32               scratch;       /* a buffer, or GHLO_CODE_NONE */
  GhloIrModule         *module;        /* REFERENCE: a function of one operation; owned */
  gpointer              fallback;      /* REFERENCE: whoever runs the plan's own */
  GhloCodeBody         *bodies;        /* LOOP: condition, body; BRANCH: one for each value of operands[0] */
  guint                 n_bodies;
  GhloCodeExchange     *exchanges;     /* LOOP: after each iteration */
  guint                 n_exchanges;
  gint64                trips;         /* LOOP: how often the body runs, -1 where the condition says */
};

struct _GhloCodeBody
{
  guint32          scope;              /* its number; the function's is 0 */
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
  guint32        *inputs;              /* buffers */
  guint32        *outputs;             /* buffers, one for each result; GHLO_CODE_NONE for a token */
  guint          *shared;              /* for each result the input that it is, or GHLO_CODE_NONE */
  guint           n_scopes;
  guint           n_steps;             /* numbers given out */
  gsize           arena_size;          /* bytes for all temporaries */
  gsize           temporaries_size;    /* the sum of their sizes */
  guint           n_reference;         /* steps of that kind */
  guint           max_views;           /* of one step, operands and results */
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
/* The view of an operand, without its data; of rank 0 for a token. */
GhloView      ghlo_code_view       (const GhloCodeOperand *operand);
/* Whether output @output may be written over the memory of input @input, of the same size:
 * nothing reads the input after the first write, or what writes it works in place. */
gboolean      ghlo_code_plan_may_replace (const GhloCodePlan *self,
                                          guint               output,
                                          guint               input);
/* A line for each step, indented by loops and branches, and one for the memory. The
 * caller frees it. */
char         *ghlo_code_plan_print (const GhloCodePlan    *self);
/* Calls @func for every step of the tree, in order. */
void          ghlo_code_plan_foreach (const GhloCodePlan  *self,
                                      void               (*func) (GhloCodeStep *step,
                                                                  gpointer      data),
                                      gpointer             data);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloCodePlan, ghlo_code_plan_free)

G_END_DECLS
