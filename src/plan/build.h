/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Building a plan: declarations that the files of this stage share. A value of the program is a view of a buffer, a
 * token, or a tuple of values. Building gives each result a buffer of its own, and adds a copy wherever a value has to
 * be in a particular place; coalesce.c then removes unnecessary copies and buffers.
 */

#pragma once

#include "base/fail.h"
#include "plan/plan.h"

G_BEGIN_DECLS

typedef struct _GhloStepValue GhloStepValue;
typedef struct _GhloStepScope GhloStepScope;

struct _GhloStepValue
{
  const GhloIrType *type;
  GhloStepOperand   operand;       /* of a tensor */
  GhloStepValue   **members;       /* of a tuple; there are type->rank of them */
  GhloStepOperand   dense;         /* a dense copy, once a step has made one */
  GhloStepScope    *dense_scope;   /* the scope in which the copy is made; NULL while there is none */
};

/* Checks for cancellation; a stage of planning calls it for each step that it visits. The first stage, which visits
 * operations and copies constants, reports its progress by operations. */
typedef struct
{
  const GhloMonitor *monitor;
  GError           **error;
  guint              n;
  guint              n_ops;        /* of the function's body */
} GhloStepPoll;

enum { GHLO_STEP_POLL_INTERVAL = 256 };

/* FALSE, with the error set, when planning was cancelled. */
static inline gboolean
ghlo_step_poll (GhloStepPoll *self)
{
  return ++self->n % GHLO_STEP_POLL_INTERVAL != 0 || !ghlo_monitor_cancelled (self->monitor, self->error);
}

/* To be called after work that takes long for one operation. */
static inline void
ghlo_step_report (GhloStepPoll *self)
{
  ghlo_monitor_progress (self->monitor, MIN ((double) self->n / MAX (self->n_ops, 1), 1), "constants");
}

/* A body that is being filled with steps. */
struct _GhloStepScope
{
  GhloStepScope *parent;
  guint32        number;
  guint32        n_before;         /* buffers with lower numbers existed before the loop or branch of the body */
  gboolean       is_repeated;      /* the condition or the body of a loop */
  GPtrArray     *steps;            /* of GhloStep; NULL once the body has them */
};

typedef struct
{
  GhloIrArena           arena;     /* of values, which are freed when the plan is built */
  GhloStepPlan         *plan;
  const char          **reasons;   /* for each target, why it declines the current operation */
  GHashTable           *placed;    /* operations and fusions to be run in host memory (place.h); NULL: none */
  GhloStepPoll         *poll;
  GArray               *buffers;   /* of GhloStepBuffer */
  GHashTable           *values;    /* GhloIrValue → GhloStepValue */
  GHashTable           *constants;  /* GhloIrAttr → buffer + 1 */
  GHashTable           *alike;     /* GhloStep: the last of alike ones that was selected and takes its operands so */
  GHashTable           *transferred;  /* buffer and space → its contents there; private to build-transfer.c */
  GPtrArray            *scopes;    /* all that were opened; freed when the plan is built */
  GhloStepScope        *scope;
  guint                 depth;     /* of calls */
  guint                 nesting;   /* of calls and regions */
  guint                 n_ops;
  gsize                 most_bytes;
} GhloStepBuilder;

/* Buffers and operands */
guint32          ghlo_step_add_buffer    (GhloStepBuilder   *self,
                                          GhloStepBufferKind kind,
                                          guint              index,
                                          gsize              size,
                                          guint32            space);
gsize            ghlo_step_type_size     (const GhloIrType      *type);
/* A dense operand that is all of @buffer. */
GhloStepOperand  ghlo_step_dense_operand (GhloStepBuilder  *self,
                                          guint32           buffer,
                                          const GhloIrType *type);
gboolean         ghlo_step_is_dense      (const GhloStepOperand *operand);
/* Whether @operand is dense and all of its buffer; the plan's buffers must be complete. */
gboolean         ghlo_step_is_whole      (const GhloStepPlan    *plan,
                                          const GhloStepOperand *operand);
/* Strides for a reshape to @to of elements with @dimensions and @strides, in row-major order; NULL when the reshape
 * cannot be expressed by strides. There must be at least one element. */
const gint64    *ghlo_step_reshape_strides (GhloIrArena      *arena,
                                            const gint64     *dimensions,
                                            const gint64     *strides,
                                            guint             rank,
                                            const GhloIrType *to);

/* Values */
GhloStepValue   *ghlo_step_value         (const GhloStepBuilder *self,
                                          const GhloIrValue     *value);
void             ghlo_step_bind          (GhloStepBuilder   *self,
                                          const GhloIrValue *value,
                                          GhloStepOperand    operand);
void             ghlo_step_bind_same     (GhloStepBuilder   *self,
                                          const GhloIrValue *value,
                                          GhloStepValue     *same);
/* A new buffer for the result of a step. */
GhloStepOperand  ghlo_step_add_result    (GhloStepBuilder  *self,
                                          const GhloIrType *type,
                                          guint32           space);

/* Values in a particular memory */
guint32          ghlo_step_target_space  (const GhloStepPlan   *plan,
                                          GhloDeviceCore       *target);
/* The space of the operand's buffer; that of the host for a token. */
guint32          ghlo_step_get_space     (const GhloStepBuilder *self,
                                          const GhloStepOperand *operand);
/* Whether @operand is a part of a buffer in another memory, so that a dense copy of it is made before it is transferred
 * to @space. */
gboolean         ghlo_step_needs_packing (const GhloStepBuilder *self,
                                          const GhloStepOperand *operand,
                                          guint32                space);
/* A view of @value in @space, dense if @is_dense; adds copies and transfers where there is none yet. */
GhloStepOperand  ghlo_step_materialize   (GhloStepBuilder *self,
                                          GhloStepValue   *value,
                                          guint32          space,
                                          gboolean         is_dense);
/* A dense view of @value in the memory where it is. */
GhloStepOperand  ghlo_step_densify       (GhloStepBuilder *self,
                                          GhloStepValue   *value);

/* Steps */
GhloStep    *ghlo_step_add      (GhloStepBuilder *self,
                                 GhloStepKind     kind,
                                 const GhloIrOp  *op,
                                 guint            n_operands,
                                 guint            n_results);
/* Copies @from to @to, element by element; adds nothing for empty tensors. */
void             ghlo_step_add_copy      (GhloStepBuilder       *self,
                                          const GhloStepOperand *from,
                                          const GhloStepOperand *to);
void             ghlo_step_open_scope    (GhloStepBuilder       *self,
                                          guint32                n_before,
                                          gboolean               is_repeated);
gboolean         ghlo_step_is_inside     (const GhloStepScope   *scope,
                                          const GhloStepScope   *outer);
/* Closes the current scope and moves its steps to @body. */
void             ghlo_step_close_scope   (GhloStepBuilder *self,
                                          GhloStepBody    *body);

/* Builds @first and the operations after it in its block, except the terminator. */
gboolean         ghlo_step_build_ops     (GhloStepBuilder   *self,
                                          const GhloIrOp    *first,
                                          GError           **error);
/* Builds an operation that is a view. FALSE when @op is none. */
gboolean         ghlo_step_build_view    (GhloStepBuilder *self,
                                          const GhloIrOp  *op);
gboolean         ghlo_step_has_plain_types (const GhloIrOp      *op);
/* Whether @op should run in host memory, if a target there supports it. */
gboolean         ghlo_step_is_placed     (const GhloStepBuilder *self,
                                          const GhloIrOp        *op);
/* The first target that may support @op; NULL where none does. */
GhloDeviceCore *ghlo_step_find_target      (const GhloStepBuilder *self,
                                                  const GhloIrOp        *op);
/* Adds a step of the first target that supports @op. For a fusion, only the first target that may support its first
 * operation is asked. FALSE, with self->reasons set, when no implementation supports it. */
gboolean         ghlo_step_build_implementation  (GhloStepBuilder   *self,
                                                  const GhloIrOp    *op,
                                                  const GhloIrBlock *body);
/* Hash and equality of steps for equal fusions, or for operations that are equal but for their values. */
guint            ghlo_step_hash_alike    (gconstpointer    step);
gboolean         ghlo_step_is_alike      (gconstpointer    a,
                                          gconstpointer    b);
/* Whether the same operands of both operations are one value, since a compiled step may read such a value only
 * once. With many operands, this is not checked, and only an operation itself counts as equal. */
gboolean         ghlo_step_same_values   (const GhloIrOp  *a,
                                          const GhloIrOp  *b);
/* Builds a fusion: one step where an implementation supports all of it, else one for each operation. FALSE with @error
 * set when this fails; *@built says whether @op is a fusion. */
gboolean         ghlo_step_build_fusion  (GhloStepBuilder *self,
                                          const GhloIrOp  *op,
                                          gboolean        *built,
                                          GError         **error);
/* Builds the body of a called function in the place of @op, which calls it. */
gboolean         ghlo_step_build_called  (GhloStepBuilder   *self,
                                          const GhloIrOp    *op,
                                          const GhloIrBlock *body,
                                          GError           **error);
/* Whether ghlo_step_build_control () builds operations of @kind. */
gboolean         ghlo_step_is_control    (GhloIrOpKind     kind);
/* Builds loops, branches and calls. FALSE with @error set when this fails; *@built says whether @op is one of them. */
gboolean         ghlo_step_build_control (GhloStepBuilder *self,
                                          const GhloIrOp  *op,
                                          gboolean        *built,
                                          GError         **error);
gboolean         ghlo_step_unsupported   (const GhloIrOp *op,
                                          const char     *reason,
                                          GError        **error);
#define ghlo_step_unsupported(...) GHLO_FALSE_AFTER (ghlo_step_unsupported (__VA_ARGS__))

/* selection-state.c: takes ownership of the selection_state of @step (nullable), and releases an earlier one. */
void             ghlo_step_set_selection_state  (GhloStepPlan *plan,
                                                 GhloStep     *step,
                                                 gpointer      selection_state);
/* Releases the states of steps that share the compiled step of another one. */
void             ghlo_step_plan_drop_selection_states (GhloStepPlan *plan);
/* Releases all states that are left. */
void             ghlo_step_plan_clear_selection_states (GhloStepPlan *plan);

/* The stages after building. Each returns FALSE, with the error of @poll set, when planning was cancelled. */

/* Lets steps write their results in the order of dimensions to which a copy would bring them, and removes the copy. */
gboolean         ghlo_step_plan_stride_results (GhloStepPlan *plan,
                                                GhloStepPoll *poll);
/* Merges buffers where one can stand for both, and removes copies that become unnecessary. */
gboolean         ghlo_step_plan_coalesce       (GhloStepPlan *plan,
                                                GhloStepPoll *poll);
/* Numbers the steps, and finds the live range of each buffer. */
gboolean         ghlo_step_plan_find_liveness  (GhloStepPlan *plan,
                                                GhloStepPoll *poll);
/* Finds the outputs that may be written over inputs in place. */
gboolean         ghlo_step_plan_find_donations (GhloStepPlan *plan,
                                                GhloStepPoll *poll);
/* Places all temporaries in their arenas. */
gboolean         ghlo_step_plan_assign         (GhloStepPlan *plan,
                                                GhloStepPoll *poll);
/* Finds the steps that may be recorded under predicates. */
gboolean         ghlo_step_plan_find_predicated (GhloStepPlan *plan,
                                                 GhloStepPoll *poll);
/* Finds equal steps, which share one compiled step. */
gboolean         ghlo_step_plan_deduplicate    (GhloStepPlan *plan,
                                                GhloStepPoll *poll);
/* Like ghlo_step_plan_foreach (), but can be cancelled. */
gboolean         ghlo_step_plan_walk           (const GhloStepPlan *plan,
                                                GhloStepPoll       *poll,
                                                void              (*func) (GhloStep *step,
                                                                           gpointer  data),
                                                gpointer            data);

/* What a step is compiled with: the view of an operand, with data where it is a constant whose data is wanted; the
 * result that has the same address as an operand in some or all runs, including runs that take the memory of inputs
 * for outputs; and the alignment of an operand's address in bytes. */
GhloView         ghlo_step_compiled_view          (const GhloStepPlan    *plan,
                                                   const GhloStepOperand *operand);
guint32          ghlo_step_alias                  (const GhloStepPlan    *plan,
                                                   const GhloStep        *step,
                                                   guint                  operand);
guint32          ghlo_step_alignment              (const GhloStepPlan    *plan,
                                                   const GhloStepOperand *operand);

G_END_DECLS
