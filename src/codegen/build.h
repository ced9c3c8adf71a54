/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Making a plan: what the files that do it share. A value of the program is a view
 * of a buffer, a token, or a tuple of values.
 */

#pragma once

#include "codegen/plan.h"

G_BEGIN_DECLS

typedef struct _GhloCodeValue GhloCodeValue;
typedef struct _GhloCodeScope GhloCodeScope;

struct _GhloCodeValue
{
  const GhloIrType *type;
  GhloCodeOperand   operand;       /* of a tensor */
  GhloCodeValue   **members;       /* of a tuple; type->rank of them */
  GhloCodeOperand   dense;         /* a dense copy, once a step made one */
  GhloCodeScope    *dense_scope;   /* where; NULL while there is none */
};

/* The body that is being filled. */
struct _GhloCodeScope
{
  GhloCodeScope *parent;
  GPtrArray     *steps;            /* of GhloCodeStep */
  gboolean       repeats;          /* a loop's body or condition */
  guint          first;            /* the number of the loop's step */
  GArray        *used;             /* of guint32: buffers from outside that a repeated body uses */
};

/* What building knows of a buffer besides the plan's own. */
typedef struct
{
  GhloCodeScope *scope;            /* where it was made */
  guint          uses;             /* of values that are views of it, not built yet */
} GhloCodeBufferState;

typedef struct
{
  GhloCodePlan         *plan;
  const GhloCodeTarget *target;
  const GhloMonitor    *monitor;
  GArray               *buffers;   /* of GhloCodeBuffer */
  GArray               *states;    /* of GhloCodeBufferState, beside buffers */
  GHashTable           *values;    /* GhloIrValue → GhloCodeValue */
  GHashTable           *wanted;    /* GhloIrValue → buffer + 1, where its step is to write it */
  GHashTable           *constants; /* GhloIrAttr → buffer + 1 */
  GArray               *pairs;     /* of GhloCodeExchange: buffers that live equally long */
  GPtrArray            *scopes;    /* all that were opened; freed at the end */
  GhloCodeScope        *scope;
  guint                 n_steps;
  guint                 n_ops;
} GhloCodeBuilder;

static inline GhloCodeBuffer *
ghlo_code_buffer (const GhloCodeBuilder *self,
                  guint32                buffer)
{
  return &g_array_index (self->buffers, GhloCodeBuffer, buffer);
}

static inline GhloCodeBufferState *
ghlo_code_buffer_state (const GhloCodeBuilder *self,
                        guint32                buffer)
{
  return &g_array_index (self->states, GhloCodeBufferState, buffer);
}

/* Buffers and operands */
guint32          ghlo_code_add_buffer   (GhloCodeBuilder        *self,
                                         GhloCodeBufferKind      kind,
                                         guint                   index,
                                         gsize                   size);
gsize            ghlo_code_type_size    (const GhloIrType       *type);
/* The whole of @buffer, dense. */
GhloCodeOperand  ghlo_code_dense_operand (GhloCodeBuilder       *self,
                                         guint32                 buffer,
                                         const GhloIrType       *type);
gboolean         ghlo_code_is_dense     (const GhloCodeOperand  *operand);
/* Dense, and all of its buffer. */
gboolean         ghlo_code_is_whole     (const GhloCodeBuilder  *self,
                                         const GhloCodeOperand  *operand);

/* Values. What is bound counts its uses; each use that is built is taken off. */
GhloCodeValue   *ghlo_code_value        (const GhloCodeBuilder  *self,
                                         const GhloIrValue      *value);
void             ghlo_code_bind         (GhloCodeBuilder        *self,
                                         const GhloIrValue      *value,
                                         GhloCodeOperand         operand);
void             ghlo_code_bind_same    (GhloCodeBuilder        *self,
                                         const GhloIrValue      *value,
                                         GhloCodeValue          *same);
void             ghlo_code_use_operands (GhloCodeBuilder        *self,
                                         const GhloIrOp         *op);
/* A dense view of a value, by a copy where it is none. */
GhloCodeOperand  ghlo_code_densify      (GhloCodeBuilder        *self,
                                         GhloCodeValue          *value);
/* Where the result of a step is written: where it is wanted, or a new buffer. */
GhloCodeOperand  ghlo_code_add_result   (GhloCodeBuilder        *self,
                                         const GhloIrValue      *result);

/* Steps */
GhloCodeStep    *ghlo_code_add_step     (GhloCodeBuilder        *self,
                                         GhloCodeStepKind        kind,
                                         const GhloIrOp         *op,
                                         guint                   n_operands,
                                         guint                   n_results);
/* Notes that the step uses the buffers of its operands and results now. */
void             ghlo_code_touch_step   (GhloCodeBuilder        *self,
                                         const GhloCodeStep     *step);
void             ghlo_code_touch        (GhloCodeBuilder        *self,
                                         guint32                 buffer);
void             ghlo_code_add_copy     (GhloCodeBuilder        *self,
                                         const GhloIrOp         *op,
                                         const GhloCodeOperand  *from,
                                         const GhloCodeOperand  *to);
void             ghlo_code_open_scope   (GhloCodeBuilder        *self,
                                         gboolean                repeats);
/* Ends the scope and gives its steps to @body. */
void             ghlo_code_close_scope  (GhloCodeBuilder        *self,
                                         GhloCodeBody           *body);

/* All operations of a block but its terminator, whose operands stay to be used. */
gboolean         ghlo_code_build_block  (GhloCodeBuilder        *self,
                                         const GhloIrBlock      *block,
                                         GError                **error);
/* Operations that are views or copies: FALSE when @op is none. */
gboolean         ghlo_code_build_view   (GhloCodeBuilder        *self,
                                         const GhloIrOp         *op);
gboolean         ghlo_code_build_moves  (GhloCodeBuilder        *self,
                                         const GhloIrOp         *op);
/* Loops and branches: FALSE with @error set when it fails; *built says whether @op
 * is one. */
gboolean         ghlo_code_build_control (GhloCodeBuilder       *self,
                                          const GhloIrOp        *op,
                                          gboolean              *built,
                                          GError               **error);

/* Places all temporaries in the arena. */
void             ghlo_code_plan_memory  (GhloCodePlan           *plan,
                                         const GhloCodeExchange *pairs,
                                         guint                   n_pairs);

G_END_DECLS
