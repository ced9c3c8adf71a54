/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plan: an immutable tree of steps over buffers, made from a module once and
 * run any number of times. It is for a list of devices, and a step is of the first of
 * them that does it. A body is a list of steps; loops and branches hold bodies. A step's
 * operand is a view of a buffer, so that reshapes, slices, transposes, reversals and
 * broadcasts cost nothing where the consumer takes their strides. Each buffer is in one
 * memory, and where a step wants what lies in another one, a step before transfers it.
 */

#pragma once

#include "ir/arena.h"
#include "plan/target.h"

G_BEGIN_DECLS

enum { GHLO_STEP_MAX_OPS = 1 << 20, GHLO_STEP_MAX_BYTES = 1 << 30 };

/* Where a step finds a tensor: part of a buffer, as a view. */
typedef struct
{
  guint32           buffer;       /* GHLO_STEP_NONE for a token */
  gsize             offset;       /* bytes from the buffer's start to index 0 in every dimension */
  const GhloIrType *type;         /* element type, dimensions, quantization */
  const gint64     *strides;      /* bytes, one for each dimension */
  /* Of a COMPUTE step's operand, as in GhloStepOperandSelection. */
  guint32           in_place;
  gboolean          wants_data;
} GhloStepOperand;

typedef enum
{
  GHLO_STEP_BUFFER_INPUT,         /* the caller's; index says which */
  GHLO_STEP_BUFFER_OUTPUT,        /* handed to the caller; index says which */
  GHLO_STEP_BUFFER_CONSTANT,      /* bytes of the program, put where the buffer is before the first run */
  GHLO_STEP_BUFFER_TEMPORARY,     /* a slot of an arena */
} GhloStepBufferKind;

typedef struct
{
  GhloStepBufferKind kind : 8;
  guint32            space : 24;    /* in which of the plan's arenas' memory it is; 0: the host's */
  guint              index;         /* INPUT, OUTPUT */
  gsize              size;          /* bytes */
  GBytes            *bytes;         /* CONSTANT: owned, aligned to its elements at least */
  guint32            scope;         /* the body where it was made */
  guint32            first, last;   /* steps between which it is in use, loops taken whole; first > last: never */
  guint32            inner_last;    /* what a loop's body reads: its last use in there */
  gsize              offset;        /* TEMPORARY: in its arena; shared with others of other times */
} GhloStepBuffer;

typedef enum
{
  GHLO_STEP_COMPUTE,      /* a target's: a library call, a moving of data, a copy */
  GHLO_STEP_REFERENCE,    /* one operation on the fallback executor, in the host's memory */
  GHLO_STEP_TRANSFER,     /* all of a buffer to one of the same size, one of both in the host's memory */
  GHLO_STEP_LOOP,
  GHLO_STEP_BRANCH,
} GhloStepKind;

typedef struct _GhloStepBody GhloStepBody;
typedef struct _GhloStep GhloStep;
typedef struct _GhloStepPlan GhloStepPlan;

/* What COMPUTE steps run, one for all that run the same. */
typedef struct
{
  const GhloStepPlan *plan;
  const GhloStep     *step;       /* the first of them */
  gpointer            compiled;   /* the implementation's own; NULL before. The plan's. */
} GhloStepCode;

/* Two buffers that change places after each iteration: what the body wrote becomes
 * what the next one reads. The same buffer twice where it is written in place. */
typedef struct
{
  guint32 read, written;
} GhloStepExchange;

struct _GhloStep
{
  GhloStepKind                  kind;
  guint                         number;  /* through the whole tree, in the order of running */
  guint                         end;   /* LOOP: a number after all of its steps' */
  const GhloIrOp               *op;    /* what it is for; of the plan's module; NULL for a copy */
  const GhloIrBlock            *body;  /* COMPUTE: of a fusion, what it does; of the plan's module, as op is */
  /* Why each of the plan's targets does not do it: of those before @target; REFERENCE: of all. Static. */
  const char *const            *reasons;
  GhloStepOperand              *operands;  /* REFERENCE: those of ghlo_ir_outline_inputs (); TRANSFER: a buffer alone */
  GhloStepOperand              *results;
  guint                         n_operands, n_results;
  /* COMPUTE: whose it is. BRANCH: who does all bodies and may choose between them, with operands[0] in its memory;
   * NULL: the host does, and that is in its own. */
  const GhloStepTarget         *target;
  const GhloStepImplementation *implementation;  /* COMPUTE, as the next one */
  GhloStepCode                 *code;
  gpointer                      kept;     /* COMPUTE: by the selection, until the code is compiled; the step's */
  guint32                       scratch;  /* a buffer, or GHLO_STEP_NONE */
  gboolean                      may_be_gated;     /* COMPUTE: as in GhloStepRequest */
  gpointer                      fallback;  /* REFERENCE: whoever runs the plan's own */
  GhloStepBody                 *bodies;  /* LOOP: condition, body; BRANCH: one for each value of operands[0] */
  guint                         n_bodies;
  GhloStepExchange             *exchanges;  /* LOOP: after each iteration */
  guint                         n_exchanges;
  gint64                        trips;  /* LOOP: how often the body runs, -1 where the condition says */
};

struct _GhloStepBody
{
  guint32         scope;               /* its number; the function's is 0 */
  GhloStep      **steps;
  guint           n_steps;
  GhloStepOperand result;              /* a LOOP's condition: where the predicate is */
};

/* Inputs over which an output is written in place, while they are read for the last time. */
typedef struct
{
  guint *inputs;
  guint  n_inputs;
} GhloStepDonation;

/* What a run takes for temporaries in a memory. */
typedef struct
{
  const GhloStepSpace *space;         /* NULL: the host's */
  gsize                size;          /* bytes for all of them */
  gsize                temporaries;   /* the sum of their sizes */
} GhloStepArena;

struct _GhloStepPlan
{
  GhloIrArena     arena;               /* everything of the plan that is no reference to something else */
  GhloIrModule   *module;              /* a reference; never changed */
  const GhloIrOp *function;
  const GhloStepTarget *const *targets;  /* in the order in which they are asked */
  guint           n_targets;
  GhloStepBuffer *buffers;
  guint           n_buffers;
  guint           n_inputs, n_outputs;
  guint32        *inputs;              /* buffers */
  guint32        *outputs;             /* buffers, one for each result; GHLO_STEP_NONE for a token */
  guint          *shared;              /* for each result the input that it is, or GHLO_STEP_NONE */
  GhloStepDonation *donations;         /* for each result */
  gboolean       *is_handed_on;        /* for each input: an output is in its memory */
  guint           n_scopes;
  guint           n_steps;             /* numbers given out */
  GhloStepArena  *arenas;              /* the host's, then one for each other memory of the targets */
  guint           n_arenas;
  guint32         home;                /* which of them is of the memory of inputs and outputs … */
  guint32         host;                /* … and of what steps in the host's memory take and give: 0, or a shared one */
  guint           n_reference;         /* steps of that kind */
  guint           n_transfers;         /* and of that, with their bytes, loops taken once */
  gsize           transfer_bytes;
  guint           max_views;           /* of one step, operands and results */
  GhloStepCode  **codes;               /* in the order of their steps */
  guint           n_codes;
  GPtrArray      *keepers;             /* the steps that something was kept for, borrowed */
  GhloStepBody    body;
};

/* Whether plans themselves do operations of @kind on any device, where types allow it: as views of what is there,
 * as loops and branches, or as nothing at all. */
gboolean      ghlo_step_plan_does  (GhloIrOpKind          kind);

/* Whether @op gives a constant, or a view of its first operand that takes no step. */
gboolean      ghlo_step_is_view    (const GhloIrOp       *op);

/* Plans @function of @module, which the plan takes a reference to and which nobody
 * changes any more, planning included: any number of threads may plan it at once. @targets
 * live as long as the plan: the preferred one first, in whose memory the inputs and outputs are,
 * and one at least that works in the host's memory. With @rates (nullable), of each target what is known
 * of it, steps are of the first of these where that is estimated to be quicker (place.h). NULL with @error
 * set; UNSUPPORTED when there is none of these, or what no plan holds (dynamic shapes, more than
 * GHLO_STEP_MAX_OPS operations, calls being put in place of what they call, or GHLO_STEP_MAX_BYTES of
 * steps), OUT_OF_MEMORY when the plan would take more than @most_bytes while it is made. */
GhloStepPlan *ghlo_step_plan_new   (const GhloIrModule   *module,
                                    const GhloIrOp       *function,
                                    const GhloStepTarget *const *targets,
                                    guint                 n_targets,
                                    const GhloStepRates  *const *rates,
                                    gsize                 most_bytes,
                                    const GhloMonitor    *monitor,
                                    GError              **error);
void          ghlo_step_plan_free  (GhloStepPlan          *self);
/* The bytes that the plan takes, but for what is compiled. */
gsize         ghlo_step_plan_get_size (const GhloStepPlan *self);
/* Makes what @code's steps run, of their final views, and of the constants' data that they want. Codes
 * may be compiled at the same time. */
gboolean      ghlo_step_compile    (GhloStepCode          *code,
                                    const GhloMonitor     *monitor,
                                    GError               **error);
/* Until all that makes the steps faster is made, in the background. @monitor is told how much of it is. FALSE when
 * cancelled. */
gboolean      ghlo_step_plan_wait  (const GhloStepPlan    *self,
                                    const GhloMonitor     *monitor,
                                    GError               **error);
/* What people are told that the step is for: the operation, or of a fusion the first one; NULL for a copy. */
const char   *ghlo_step_get_name   (const GhloStep        *self);
/* Whether output @output may be written over the memory of input @input: they are of the same size,
 * and nothing reads the input after the first write, or what writes it works in place. */
gboolean      ghlo_step_plan_may_replace (const GhloStepPlan *self,
                                          guint               output,
                                          guint               input);
/* What the step does, for people: an operation, a fusion's name, "copy" or "transfer". */
const char   *ghlo_step_get_operation (const GhloStep     *self);
/* Who does it: a target by its name, "reference" where that is the fallback executor, "host" for transfers and the
 * control flow that no target sees to. */
const char   *ghlo_step_get_unit   (const GhloStep        *self);
/* The operation of the program that it is for; of a fusion the first one; NULL for a copy. */
const GhloIrOp *ghlo_step_get_op   (const GhloStep        *self);
/* What the plan says of the step, without those inside of it; the caller frees it. */
char         *ghlo_step_print      (const GhloStepPlan    *plan,
                                    const GhloStep        *self);
/* Whether @body, the number of one of its bodies, is ever run. */
gboolean      ghlo_step_runs_body  (const GhloStep        *self,
                                    guint                  body);
/* Who records the step: of a COMPUTE step's target; NULL where it is run. */
static inline const GhloStepRecorder *
ghlo_step_get_recorder (const GhloStep *self)
{
  return self->kind == GHLO_STEP_COMPUTE && self->target->space != NULL ? self->target->space->recorder : NULL;
}

/* Where a LOOP that data ends has its predicate in the memory of the device that computes it: what its condition's last
 * step brings to the host. Nowhere where that step does something else. */
GhloStepPlace ghlo_step_get_predicate (const GhloStep     *self);
/* A line for each step, indented by loops and branches, and one for the memory. The
 * caller frees it. */
char         *ghlo_step_plan_print (const GhloStepPlan    *self);
/* The kernels that were generated for its steps, each once, as text; empty where there are none. */
char         *ghlo_step_plan_print_kernels (const GhloStepPlan *self);
/* The machine code of these, in the same way. */
char         *ghlo_step_plan_print_code (const GhloStepPlan *self);
/* Calls @func for every step of the tree, in order. */
void          ghlo_step_plan_foreach (const GhloStepPlan  *self,
                                      void               (*func) (GhloStep *step,
                                                                  gpointer      data),
                                      gpointer             data);

/* The view of an operand, without its data; of rank 0 for a token. Each run asks for those of all steps. */
static inline GhloView
ghlo_step_view (const GhloStepOperand *operand)
{
  static const gint64 no_dimensions[1];
  const GhloIrType *type = operand->type;

  if (operand->strides == NULL)
    return (GhloView) { .element_type = GHLO_ELEMENT_TYPE_INVALID };

  return (GhloView) { .element_type = type->element_type, .rank = type->rank,
                      .dimensions = type->rank > 0 ? type->dimensions : no_dimensions, .strides = operand->strides };
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloStepPlan, ghlo_step_plan_free)

G_END_DECLS
