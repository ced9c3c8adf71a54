/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Single operations drawn at random out of what the rows of the op table could say: mostly
 * right ones, taken from random programs or made by their row alone, with a thing or two
 * changed, and put to the test of everything that a program meets. All choices come from
 * bytes, a fuzzer's or those of a seed. Where these end the plain choice is made, so that
 * few bytes say a plain operation.
 */

#pragma once

#include "main.h"
#include "program.h"

enum { RANDOM_OP_MAX_BYTES = 96 };

typedef struct
{
  const guint8  *data;          /* what is left of the bytes */
  gsize          size;
  RandomProgram *program;       /* which the operation is from; NULL when its row alone made it */
  GhloIrModule  *module;        /* where @main has the operation, it gives its results and nothing else */
  GhloIrOp      *op;
  guint          n_changes;     /* to what a maker made */
  gboolean       is_huge;       /* there is a huge dimension already: one is enough */
  RandomFill     fill;          /* of arguments that the program does not know */
  /* What types and attributes of a row are drawn from. */
  GhloElementType element;
  guint           rank;
  gint64          dimensions[RANDOM_MAX_RANK];
} RandomOp;

/* Choices: the plain one is 0 and FALSE. */
guint             random_op_pick             (RandomOp              *self,
                                              guint                  n);
/* TRUE in one of @n cases, of two or more. */
gboolean          random_op_once             (RandomOp              *self,
                                              guint                  n);

/* The operation that @data says. */
RandomOp         *random_op_new              (const guint8          *data,
                                              gsize                  size);
/* An operation of @kind whose tensors have dimension 0 in place @dimension: all operands and results, or with
 * @operand (from 0 on) that operand alone. @example tells apart the programs that the operation may be from. NULL where
 * no operand has such a dimension. */
RandomOp         *random_op_new_empty        (GhloIrOpKind           kind,
                                              guint8                 example,
                                              guint                  dimension,
                                              int                    operand);
void              random_op_free             (RandomOp              *self);
/* The operation of @main that @self->op is, or is in; NULL when it is in another function. */
GhloIrOp         *random_op_get_outer        (const RandomOp        *self);

/* Types. */
void              random_op_choose_theme     (RandomOp              *self,
                                              guint32                constraint);
/* A type for a place of a row. */
const GhloIrType *random_op_draw_type        (RandomOp              *self,
                                              guint32                constraint);
/* The tensor type, or one of single elements where no program can say it. @bounds, @encoding may be NULL. */
const GhloIrType *random_op_tensor_type      (RandomOp              *self,
                                              const GhloIrType      *element,
                                              const gint64          *dimensions,
                                              guint                  rank,
                                              const gint64          *bounds,
                                              const GhloIrAttr      *encoding);
/* Another type, not often one that fits where @type does. */
const GhloIrType *random_op_change_type      (RandomOp              *self,
                                              const GhloIrType      *type);
/* An element type, mostly of @type's class. */
GhloElementType   random_op_change_element   (RandomOp              *self,
                                              GhloElementType        type);
/* A dimension, now and then one that no memory holds. */
gint64            random_op_draw_dimension   (RandomOp              *self);
gint64            random_op_draw_extreme     (RandomOp              *self);

/* Attributes. */
const GhloIrAttr *random_op_draw_attribute   (RandomOp              *self,
                                              const GhloIrAttrSpec  *spec);
const GhloIrAttr *random_op_change_attribute (RandomOp              *self,
                                              const GhloIrAttr      *attr);
/* Elements of a static @type, or one for all of them. */
const GhloIrAttr *random_op_dense            (RandomOp              *self,
                                              const GhloIrType      *type,
                                              const guint8          *elements,
                                              gboolean               is_splat);

/* Operations. */
void              random_op_draw_row         (RandomOp              *self,
                                              GhloIrOpKind           kind);
void              random_op_change           (RandomOp              *self);
/* The same attributes and regions over other operands and results; takes @op's place. */
GhloIrOp         *random_op_rebuild          (GhloIrModule          *module,
                                              GhloIrOp              *op,
                                              GPtrArray             *operands,
                                              GPtrArray             *result_types,
                                              guint                  n_regions);
/* Another type for a value of @main: an argument that takes the place of operand @index. */
void              random_op_retype_operand   (RandomOp              *self,
                                              guint                  index,
                                              const GhloIrType      *type);
/* Gives results the types that the verifier says it expects. */
void              random_op_infer            (RandomOp              *self);

/* How far an operation came. */
typedef enum
{
  RANDOM_OP_DRAWN,        /* and given to the verifier */
  RANDOM_OP_VERIFIED,
  RANDOM_OP_RAN,          /* on the reference executor to the end */
  RANDOM_OP_COMPARED,     /* some answer of it with another executor's */
  RANDOM_OP_N_STAGES
} RandomOpStage;

/* What is wrong with how the project deals with the operation that @data says: a message
 * with the program, which the caller frees; NULL where all is right. */
char             *random_op_check            (const guint8          *data,
                                              gsize                  size);
/* The same of what random_op_new_empty () gives. */
char             *random_op_check_empty      (GhloIrOpKind           kind,
                                              guint8                 example,
                                              guint                  dimension,
                                              int                    operand);
/* The operation in the generic form, for people; the caller frees it. */
char             *random_op_to_text          (const guint8          *data,
                                              gsize                  size);
void              random_op_count            (const RandomOp        *self,
                                              RandomOpStage          stage);
/* How many operations came how far since the last call; @is_verbose: for each row. */
char             *random_op_coverage         (gboolean               is_verbose);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RandomOp, random_op_free)
