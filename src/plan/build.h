/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Making a plan: what the files that do it share. A value of the program is a view
 * of a buffer, a token, or a tuple of values. Building gives each result a buffer of
 * its own and copies where a value has to be somewhere; join.c takes away what copies
 * and buffers are not needed.
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
  GhloStepValue   **members;       /* of a tuple; type->rank of them */
  GhloStepOperand   dense;         /* a dense copy, once a step made one */
  GhloStepScope    *dense_scope;   /* where; NULL while there is none */
};

/* Asked at each step that a stage goes over, whether to stop. */
typedef struct
{
  const GhloMonitor *monitor;
  GError           **error;
  guint              n;
} GhloStepWatch;

enum { GHLO_STEP_LOOK = 256 };

/* FALSE, with the error set, when the plan was cancelled. */
static inline gboolean
ghlo_step_watch (GhloStepWatch *self)
{
  return ++self->n % GHLO_STEP_LOOK != 0 || !ghlo_monitor_cancelled (self->monitor, self->error);
}

/* The body that is being filled. */
struct _GhloStepScope
{
  GhloStepScope *parent;
  guint32        number;
  guint32        n_before;         /* buffers of lower numbers are there before the body's loop or branch */
  gboolean       is_repeated;      /* a loop's condition or body */
  GPtrArray     *steps;            /* of GhloStep; NULL once the body has them */
};

typedef struct
{
  GhloIrArena           arena;     /* of what goes when the plan is made: values */
  GhloStepPlan         *plan;
  const char          **reasons;   /* why each target does not do the operation at hand */
  GHashTable           *placed;    /* operations and fusions that are to be in host memory; NULL: none */
  GhloStepWatch        *watch;
  GArray               *buffers;   /* of GhloStepBuffer */
  GHashTable           *values;    /* GhloIrValue → GhloStepValue */
  GHashTable           *constants;  /* GhloIrAttr → buffer + 1 */
  GHashTable           *fusions;   /* body → the last step of it that was taken as it was selected */
  GHashTable           *transferred;  /* buffer and space → where its contents are; of build-transfer.c */
  GPtrArray            *scopes;    /* all that were opened; freed at the end */
  GhloStepScope        *scope;
  guint                 depth;     /* of calls */
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
/* The whole of @buffer, dense. */
GhloStepOperand  ghlo_step_dense_operand (GhloStepBuilder  *self,
                                          guint32           buffer,
                                          const GhloIrType *type);
gboolean         ghlo_step_is_dense      (const GhloStepOperand *operand);
/* Whether it is all of its buffer, dense; of a plan whose buffers are all there. */
gboolean         ghlo_step_is_whole      (const GhloStepPlan    *plan,
                                          const GhloStepOperand *operand);
/* Strides for @to over elements that lie by @strides in @dimensions, in the same row-major order, of which there
 * are some; NULL when no strides say that. */
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

/* Values in a memory */
guint32          ghlo_step_target_space  (const GhloStepPlan   *plan,
                                          const GhloStepTarget *target);
/* Of an operand's buffer; the host's for a token. */
guint32          ghlo_step_get_space     (const GhloStepBuilder *self,
                                          const GhloStepOperand *operand);
/* Whether @operand is brought to @space as a dense copy, being a part of a buffer elsewhere. */
gboolean         ghlo_step_is_cut        (const GhloStepBuilder *self,
                                          const GhloStepOperand *operand,
                                          guint32                space);
/* A view of a value in @space, dense on demand, by copies and transfers where there is none. */
GhloStepOperand  ghlo_step_take          (GhloStepBuilder *self,
                                          GhloStepValue   *value,
                                          guint32          space,
                                          gboolean         is_dense);
/* A dense view of a value where it lies. */
GhloStepOperand  ghlo_step_densify       (GhloStepBuilder *self,
                                          GhloStepValue   *value);

/* Steps */
GhloStep    *ghlo_step_add      (GhloStepBuilder *self,
                                 GhloStepKind     kind,
                                 const GhloIrOp  *op,
                                 guint            n_operands,
                                 guint            n_results);
/* @from into @to, element by element; nothing for no elements. */
void             ghlo_step_add_copy      (GhloStepBuilder       *self,
                                          const GhloStepOperand *from,
                                          const GhloStepOperand *to);
void             ghlo_step_open_scope    (GhloStepBuilder       *self,
                                          guint32                n_before,
                                          gboolean               is_repeated);
gboolean         ghlo_step_is_inside     (const GhloStepScope   *scope,
                                          const GhloStepScope   *outer);
/* Ends the scope and gives its steps to @body. */
void             ghlo_step_close_scope   (GhloStepBuilder *self,
                                          GhloStepBody    *body);

/* @first and the operations behind it in its block, but for the terminator. */
gboolean         ghlo_step_build_ops     (GhloStepBuilder   *self,
                                          const GhloIrOp    *first,
                                          GError           **error);
/* Operations that are views: FALSE when @op is none. */
gboolean         ghlo_step_build_view    (GhloStepBuilder *self,
                                          const GhloIrOp  *op);
gboolean         ghlo_step_has_plain_types (const GhloIrOp      *op);
/* Whether @op is to be in host memory, if a target there does it. */
gboolean         ghlo_step_is_placed     (const GhloStepBuilder *self,
                                          const GhloIrOp        *op);
/* The first target that may do @op; NULL: none does. */
const GhloStepTarget *ghlo_step_find_target      (const GhloStepBuilder *self,
                                                  const GhloIrOp        *op);
/* A step of the first target that does @op, or, where that is a fusion, of the first that may do what it begins with.
 * FALSE, with the targets' reasons, when no implementation does it. */
gboolean         ghlo_step_build_implementation  (GhloStepBuilder   *self,
                                                  const GhloIrOp    *op,
                                                  const GhloIrBlock *body);
/* Fusions: one step where an implementation does all of it, else one for each operation. FALSE with @error set when it
 * fails; *built says whether @op is one. */
gboolean         ghlo_step_build_fusion  (GhloStepBuilder *self,
                                          const GhloIrOp  *op,
                                          gboolean        *built,
                                          GError         **error);
/* The operations from @first on of @body, a function's, in the place of @op, which calls it. */
gboolean         ghlo_step_build_called  (GhloStepBuilder   *self,
                                          const GhloIrOp    *op,
                                          const GhloIrBlock *body,
                                          GError           **error);
/* Whether the next one builds operations of @kind. */
gboolean         ghlo_step_is_control    (GhloIrOpKind     kind);
/* Loops, branches and calls: FALSE with @error set when it fails; *built says whether
 * @op is one. */
gboolean         ghlo_step_build_control (GhloStepBuilder *self,
                                          const GhloIrOp  *op,
                                          gboolean        *built,
                                          GError         **error);
gboolean         ghlo_step_unsupported   (const GhloIrOp *op,
                                          const char     *reason,
                                          GError        **error);
#define ghlo_step_unsupported(...) GHLO_FALSE_AFTER (ghlo_step_unsupported (__VA_ARGS__))

/* keep.c: what @step's selection kept, which may be NULL; instead of what was kept of another one. */
void             ghlo_step_keep             (GhloStepPlan *plan,
                                             GhloStep     *step,
                                             gpointer      kept);
/* Of steps that no code is compiled of. */
void             ghlo_step_plan_drop_kept   (GhloStepPlan *plan);
/* All that is left. */
void             ghlo_step_plan_clear_kept  (GhloStepPlan *plan);

/* The stages after building. FALSE, with @watch's error set, when the plan was cancelled. */

/* Steps write their results where copies would bring them, in another order, and these go. */
gboolean         ghlo_step_plan_stride_results (GhloStepPlan  *plan,
                                                GhloStepWatch *watch);
/* Buffers are joined where one may stand for two, and copies that are none any more go. */
gboolean         ghlo_step_plan_coalesce       (GhloStepPlan  *plan,
                                                GhloStepWatch *watch);
/* Numbers the steps, and finds when each buffer is in use. */
gboolean         ghlo_step_plan_find_liveness  (GhloStepPlan  *plan,
                                                GhloStepWatch *watch);
/* Finds which outputs are written over inputs in place. */
gboolean         ghlo_step_plan_find_donations (GhloStepPlan  *plan,
                                                GhloStepWatch *watch);
/* Places all temporaries in their arenas. */
gboolean         ghlo_step_plan_assign         (GhloStepPlan  *plan,
                                                GhloStepWatch *watch);
/* Finds which steps may be behind gates. */
gboolean         ghlo_step_plan_find_gates     (GhloStepPlan  *plan,
                                                GhloStepWatch *watch);
/* Finds which steps run the same. */
gboolean         ghlo_step_plan_find_codes     (GhloStepPlan  *plan,
                                                GhloStepWatch *watch);
/* ghlo_step_plan_foreach (), watched. */
gboolean         ghlo_step_plan_walk           (const GhloStepPlan *plan,
                                                GhloStepWatch      *watch,
                                                void              (*func) (GhloStep *step,
                                                                           gpointer  data),
                                                gpointer            data);

/* What a step is compiled with: the view of an operand, with data where it is a constant that is wanted;
 * the result that an operand lies under, or may in a run that takes inputs' memory for outputs; and what an
 * operand's address is a multiple of. */
GhloView         ghlo_step_compiled_view          (const GhloStepPlan    *plan,
                                                   const GhloStepOperand *operand);
guint32          ghlo_step_alias                  (const GhloStepPlan    *plan,
                                                   const GhloStep        *step,
                                                   guint                  operand);
guint32          ghlo_step_alignment              (const GhloStepPlan    *plan,
                                                   const GhloStepOperand *operand);

G_END_DECLS
