/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plan: an immutable tree of steps over buffers, made from a module once and run any number of times. It is for a
 * list of devices; each step belongs to the first device that supports it. A body is a list of steps; loops and
 * branches contain bodies. An operand of a step is a view of a buffer, so reshapes, slices, transposes, reversals and
 * broadcasts cost nothing where the consumer accepts the strides. Each buffer is in one memory; where a step needs a
 * value that is in another memory, a TRANSFER step precedes it.
 */

#pragma once

#include "device/device.h"
#include "ir/arena.h"

G_BEGIN_DECLS

enum { GHLO_STEP_MAX_OPS = 1 << 20, GHLO_STEP_MAX_BYTES = 1 << 30 };

/* A tensor of a step: a view of a part of a buffer. */
typedef struct
{
  guint32           buffer;       /* GHLO_STEP_NONE for a token */
  gsize             offset;       /* bytes from the buffer's start to index 0 in every dimension */
  const GhloIrType *type;         /* element type, dimensions, quantization */
  const gint64     *strides;      /* bytes, one for each dimension */
  /* For an operand of a COMPUTE step, as in GhloStepOperandSelection. */
  guint32           in_place;
  gboolean          wants_data;
  gboolean          is_persistent; /* as in GhloView, when its step was selected */
} GhloStepOperand;

typedef enum
{
  GHLO_STEP_BUFFER_INPUT,         /* the caller's; index says which */
  GHLO_STEP_BUFFER_OUTPUT,        /* handed to the caller; index says which */
  GHLO_STEP_BUFFER_CONSTANT,      /* bytes of the program, copied to the buffer's memory before the first run */
  GHLO_STEP_BUFFER_TEMPORARY,     /* a slot of an arena */
} GhloStepBufferKind;

typedef struct
{
  GhloStepBufferKind kind : 8;
  guint32            space : 24;    /* the memory: an index into the plan's arenas; 0: the host's */
  guint              index;         /* INPUT, OUTPUT */
  gsize              size;          /* bytes */
  GBytes            *bytes;         /* CONSTANT: owned, aligned at least to the size of an element */
  guint32            scope;         /* number of the body in which it was made */
  guint32            first, last;   /* numbers of the first and last step of its live range, extended to whole loops;
                                       first > last: not used */
  gsize              offset;        /* TEMPORARY: in its arena; buffers with disjoint live ranges may overlap */
} GhloStepBuffer;

typedef enum
{
  GHLO_STEP_COMPUTE,      /* a step of a target: a library call, a data movement, a copy */
  GHLO_STEP_REFERENCE,    /* one operation on the fallback executor, in the host's memory */
  GHLO_STEP_TRANSFER,     /* copies a whole buffer to one of the same size in another memory; one of the two memories
                             is the host's */
  GHLO_STEP_LOOP,
  GHLO_STEP_BRANCH,
} GhloStepKind;

typedef struct _GhloStepBody GhloStepBody;
typedef struct _GhloStep GhloStep;
typedef struct _GhloStepPlan GhloStepPlan;

/* What COMPUTE steps run; equal steps share one. */
typedef struct
{
  const GhloStepPlan *plan;
  const GhloStep     *step;       /* the first of them */
  gpointer            compiled;   /* private to the implementation, owned by the plan; NULL until compiled */
  GhloStepPacking     packing;    /* set when it is compiled */
} GhloCompiledStep;

/* Two buffers that are swapped after each iteration, so that the next iteration reads what the body wrote. Both are
 * the same buffer where the value is updated in place. */
typedef struct
{
  guint32 read, written;
} GhloBufferSwap;

struct _GhloStep
{
  GhloStepKind                  kind;
  guint                         number;  /* in the whole tree, in order of execution */
  guint                         end;   /* LOOP: a number greater than those of all its steps */
  const GhloIrOp               *op;    /* the operation that it is for; belongs to the plan's module; NULL for a copy */
  const GhloIrBlock            *body;  /* COMPUTE: the body of a fusion; belongs to the plan's module */
  /* For each target before @target, why it does not run the step; REFERENCE: for all targets. Static. */
  const char *const            *reasons;
  GhloStepOperand              *operands;  /* REFERENCE: from ghlo_ir_outline_inputs (); TRANSFER: just a buffer */
  GhloStepOperand              *results;
  guint                         n_operands, n_results;
  /* COMPUTE: the target that runs it. BRANCH: the target that runs all bodies and selects one, with operands[0] in its
   * memory; NULL: the host selects, with operands[0] in the host's memory. */
  GhloDeviceCore               *target;
  const GhloStepImplementation *implementation;  /* COMPUTE, as is the next one */
  GhloCompiledStep             *compiled_step;
  gpointer                      selection_state;  /* COMPUTE: as in GhloStepSelection; owned until compiled */
  guint32                       scratch;  /* a buffer, or GHLO_STEP_NONE */
  gboolean                      may_be_predicated;  /* COMPUTE: as in GhloStepRequest */
  gpointer                      fallback;  /* REFERENCE: private to the runner of the plan */
  GhloStepBody                 *bodies;  /* LOOP: condition, body; BRANCH: one for each value of operands[0] */
  guint                         n_bodies;
  GhloBufferSwap               *swaps;  /* LOOP: after each iteration */
  guint                         n_swaps;
  gint64                        trips;  /* LOOP: number of iterations, -1 where the condition determines it */
};

struct _GhloStepBody
{
  guint32         scope;               /* its number; 0 for the function's body */
  GhloStep      **steps;
  guint           n_steps;
  GhloStepOperand result;              /* condition of a LOOP: where the predicate is */
};

/* Inputs that may be overwritten in place by an output, because the step that writes the output reads them for the
 * last time. */
typedef struct
{
  guint *inputs;
  guint  n_inputs;
} GhloStepDonation;

/* The memory that a run needs for temporaries in one space. */
typedef struct
{
  GhloDeviceMemory    *memory;        /* NULL: the host's */
  const GhloCommandBufferClass *commands;  /* of the devices that work there; NULL: they have none */
  gsize                size;          /* bytes that hold all of them */
  gsize                temporaries;   /* the sum of their sizes */
} GhloStepArena;

struct _GhloStepPlan
{
  GhloIrArena        arena;              /* all of the plan's own allocations */
  GhloIrModule      *module;             /* a reference; not changed */
  const GhloIrOp    *function;
  GhloDeviceCore *const *devices;        /* in order of preference */
  guint              n_devices;
  GhloStepBuffer    *buffers;
  guint              n_buffers;
  guint              n_inputs, n_outputs;
  guint32           *inputs;             /* numbers of buffers */
  guint32           *outputs;            /* numbers of buffers, one for each result; GHLO_STEP_NONE for a token */
  guint             *aliased_inputs;     /* for each result, the input that it is identical to, or GHLO_STEP_NONE */
  GhloStepDonation  *donations;          /* for each result */
  gboolean          *is_forwarded;       /* for each input: an output is the same memory */
  guint              n_scopes;
  guint              n_steps;            /* one more than the highest step number */
  GhloStepArena     *arenas;             /* that of the host, then one for each other memory of the targets */
  guint              n_arenas;
  guint32            io_arena;           /* index of the arena in whose memory inputs and outputs are */
  guint32            host;               /* the same for steps in host memory: 0, or memory shared with the host */
  guint              n_reference;        /* number of REFERENCE steps */
  guint              n_transfers;        /* number of TRANSFER steps, and their bytes; loops are counted once */
  gsize              transfer_bytes;
  guint              max_views;          /* maximum over steps of operands plus results */
  GhloCompiledStep **compiled_steps;     /* in the order of their first steps */
  guint              n_compiled_steps;
  GPtrArray         *steps_with_state;   /* the steps with a selection_state, borrowed */
  GhloStepBody       body;
};

/* Whether the plan itself implements operations of @kind on any device, where their types allow it: as views, as loops
 * and branches, or without any step. */
gboolean      ghlo_step_plan_implements (GhloIrOpKind          kind);

/* Whether @op is a constant, or a view of its first operand that needs no step. */
gboolean      ghlo_step_is_view    (const GhloIrOp       *op);

/* Plans @function of @module. The plan takes a reference to @module, which must not be changed from now on; any number
 * of threads may plan it at once. @targets must outlive the plan. The first target is the preferred one, in whose
 * memory inputs and outputs are; at least one must work in the host's memory. With @may_use_host, steps run on the
 * first target that works in host memory where that is estimated to be faster (place.h). NULL with @error set:
 * UNSUPPORTED when no target works in host memory, or for programs that no plan supports (dynamic shapes, more than
 * GHLO_STEP_MAX_OPS operations with calls expanded, or more than GHLO_STEP_MAX_BYTES of steps); OUT_OF_MEMORY when
 * planning would take more than @most_bytes. */
GhloStepPlan *ghlo_step_plan_new   (const GhloIrModule    *module,
                                    const GhloIrOp        *function,
                                    GhloDeviceCore *const *targets,
                                    guint                  n_targets,
                                    gboolean               may_use_host,
                                    gsize                  most_bytes,
                                    const GhloMonitor     *monitor,
                                    GError               **error);
void          ghlo_step_plan_free  (GhloStepPlan          *self);
/* The bytes that the plan takes, without compiled code. */
gsize         ghlo_step_plan_get_size (const GhloStepPlan *self);
/* Compiles @self for its steps, with their final views and the data of the constants that they want. Different ones may
 * be compiled at the same time. */
gboolean      ghlo_step_compile    (GhloCompiledStep      *self,
                                    const GhloMonitor     *monitor,
                                    GError               **error);
/* Waits until everything that is being optimized in the background is ready. Reports progress to @monitor. FALSE
 * when cancelled. */
gboolean      ghlo_step_plan_wait  (const GhloStepPlan    *self,
                                    const GhloMonitor     *monitor,
                                    GError               **error);
/* The name of the operation that the step is for, for display; of a fusion, its first operation. NULL for a copy. */
const char   *ghlo_step_get_name   (const GhloStep        *self);
/* Whether output @output may be written to the memory of input @input: they have the same size, and either nothing
 * reads the input after the first write, or the step that writes works in place. */
gboolean      ghlo_step_plan_may_replace (const GhloStepPlan *self,
                                          guint               output,
                                          guint               input);
/* What the step does, for display: an operation, a fusion's name, "copy" or "transfer". */
const char   *ghlo_step_get_operation (const GhloStep     *self);
/* Who runs the step, for display: the name of a target, "reference" for the fallback executor, "host" for transfers and
 * for control flow that no target handles. */
const char   *ghlo_step_get_unit   (const GhloStep        *self);
/* The operation that the step is for; of a fusion, its first operation. NULL for a copy. */
const GhloIrOp *ghlo_step_get_op   (const GhloStep        *self);
/* The step's text in the plan, without the steps inside it; the caller frees it. */
char         *ghlo_step_print      (const GhloStepPlan    *plan,
                                    const GhloStep        *self);
/* Whether the step's body with the number @body is ever run. */
gboolean      ghlo_step_runs_body  (const GhloStep        *self,
                                    guint                  body);
/* The command buffers of a COMPUTE step's device; NULL where the step is run directly. */
static inline const GhloCommandBufferClass *
ghlo_step_get_commands (const GhloStep *self)
{
  return self->kind == GHLO_STEP_COMPUTE ? self->target->command_buffers : NULL;
}

/* For a LOOP whose condition determines the number of iterations: where the predicate is in the memory of the device
 * that computes it, before the last step of the condition transfers it to the host. GHLO_STEP_NONE where that step is
 * not such a transfer. */
GhloBufferRef ghlo_step_get_predicate (const GhloStep     *self);
/* One line for each step, indented by loops and branches, and one for the memory. The caller frees it. */
char         *ghlo_step_plan_print (const GhloStepPlan    *self);
/* The kernels that were generated for the steps, each once under the numbers of its steps; empty where there are
 * none. The caller frees the text. */
char         *ghlo_step_plan_print_kernels (const GhloStepPlan *self,
                                            GhloKernelForm      form);
/* Calls @func for every step of the tree, in order. */
void          ghlo_step_plan_foreach (const GhloStepPlan  *self,
                                      void               (*func) (GhloStep *step,
                                                                  gpointer      data),
                                      gpointer             data);

/* The view of an operand, without its data; of rank 0 for a token. Each run calls this for all steps. */
static inline GhloView
ghlo_step_view (const GhloStepOperand *operand)
{
  static const gint64 no_dimensions[1];
  const GhloIrType *type = operand->type;

  if (operand->strides == NULL)
    return (GhloView) { .element_type = GHLO_ELEMENT_TYPE_INVALID };

  return (GhloView) { .element_type = type->element_type, .rank = type->rank,
                      .dimensions = type->rank > 0 ? type->dimensions : no_dimensions, .strides = operand->strides,
                      .is_persistent = operand->is_persistent };
}

/* Whether a kernel may contain the operand's value, so that steps with other values have other kernels. */
static inline gboolean
ghlo_step_is_known_scalar (const GhloStepBuffer  *buffers,
                           const GhloStepOperand *operand)
{
  return operand->buffer != GHLO_STEP_NONE && operand->type->rank == 0
         && buffers[operand->buffer].kind == GHLO_STEP_BUFFER_CONSTANT;
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloStepPlan, ghlo_step_plan_free)

G_END_DECLS
