/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Single random operations out of everything that the rows of the op table allow: mostly valid ones, taken from random
 * programs or made from their row alone, with a mutation or two, and tested in everything that a program goes through.
 * All choices come from bytes, either a fuzzer's or generated from a seed. Once these are exhausted the plainest choice
 * is made, so that few bytes mean a plain operation.
 */

#pragma once

#include "main.h"
#include "program.h"

enum { RANDOM_OP_MAX_BYTES = 96, RANDOM_EXTREME_MAX_BYTES = 512 };

typedef struct
{
  const guint8  *data;          /* the remaining bytes */
  gsize          size;
  RandomProgram *program;       /* the program from which the operation was taken; NULL when it was made from its row
                                 * alone */
  GhloIrModule  *module;        /* the module whose @main contains the operation and returns exactly its results */
  GhloIrOp      *op;
  guint          n_changes;     /* changes to the operation as made */
  gboolean       is_extreme;    /* from a program of extreme numbers, which is run on everything that can */
  gboolean       is_huge;       /* a huge dimension exists already: one is enough */
  RandomFill     fill;          /* of arguments that the program does not know */
  /* The theme of the types and attributes of a row. */
  GhloElementType element;
  guint           rank;
  gint64          dimensions[RANDOM_USUAL_RANK];
} RandomOp;

/* Choices: the plain choice is 0 and FALSE. */
guint             random_op_pick             (RandomOp              *self,
                                              guint                  n);
/* TRUE in one of @n cases, two or more. */
gboolean          random_op_once             (RandomOp              *self,
                                              guint                  n);

/* The operation that @data encodes. */
RandomOp         *random_op_new              (const guint8          *data,
                                              gsize                  size);
/* An operation of @kind whose tensors have size 0 in dimension @dimension: all operands and results, or with
 * @operand (from 0 on) that operand alone. @example selects the program from which the operation is taken. NULL
 * where no operand has such a dimension. */
RandomOp         *random_op_new_empty        (GhloIrOpKind           kind,
                                              guint8                 example,
                                              guint                  dimension,
                                              int                    operand);
/* A whole program of extreme numbers (RandomOptions.is_extreme); the operation is the last one that states some. NULL
 * where its text is refused. */
RandomOp         *random_op_new_extreme      (const guint8          *data,
                                              gsize                  size);
/* The text of that program; the caller frees it. */
char             *random_op_extreme_to_text  (const guint8          *data,
                                              gsize                  size);
void              random_op_free             (RandomOp              *self);
/* The operation of @main that is or contains @self->op; NULL when @self->op is in another function. */
GhloIrOp         *random_op_get_outer        (const RandomOp        *self);

/* Types. */
void              random_op_choose_theme     (RandomOp              *self,
                                              guint32                constraint);
/* A type for an operand or result of a row. */
const GhloIrType *random_op_draw_type        (RandomOp              *self,
                                              guint32                constraint);
/* The tensor type, or one of single elements where its text cannot be parsed. @bounds and @encoding may be NULL. */
const GhloIrType *random_op_tensor_type      (RandomOp              *self,
                                              const GhloIrType      *element,
                                              const gint64          *dimensions,
                                              guint                  rank,
                                              const gint64          *bounds,
                                              const GhloIrAttr      *encoding);
/* Another type, which seldom fits in place of @type. */
const GhloIrType *random_op_change_type      (RandomOp              *self,
                                              const GhloIrType      *type);
/* An element type, mostly of @type's class. */
GhloElementType   random_op_change_element   (RandomOp              *self,
                                              GhloElementType        type);
/* A dimension, occasionally one that exceeds any memory. */
gint64            random_op_draw_dimension   (RandomOp              *self);
gint64            random_op_draw_extreme     (RandomOp              *self);

/* Attributes. */
const GhloIrAttr *random_op_draw_attribute   (RandomOp              *self,
                                              const GhloIrAttrSpec  *spec);
const GhloIrAttr *random_op_change_attribute (RandomOp              *self,
                                              const GhloIrAttr      *attr);
/* Elements of a static @type, or a splat. */
const GhloIrAttr *random_op_dense            (RandomOp              *self,
                                              const GhloIrType      *type,
                                              const guint8          *elements,
                                              gboolean               is_splat);

/* Operations. */
void              random_op_draw_row         (RandomOp              *self,
                                              GhloIrOpKind           kind);
void              random_op_change           (RandomOp              *self);
/* The same attributes and regions with other operands and results; replaces @op. */
GhloIrOp         *random_op_rebuild          (GhloIrModule          *module,
                                              GhloIrOp              *op,
                                              GPtrArray             *operands,
                                              GPtrArray             *result_types,
                                              guint                  n_regions);
/* Changes the type of operand @index by replacing it with an argument of @main. */
void              random_op_retype_operand   (RandomOp              *self,
                                              guint                  index,
                                              const GhloIrType      *type);
/* Gives results the types that the verifier says it expects. */
void              random_op_infer            (RandomOp              *self);

/* How far an operation got. */
typedef enum
{
  RANDOM_OP_DRAWN,        /* and passed to the verifier */
  RANDOM_OP_VERIFIED,
  RANDOM_OP_RAN,          /* to the end on the reference executor */
  RANDOM_OP_COMPARED,     /* at least one answer with another executor's */
  RANDOM_OP_N_STAGES
} RandomOpStage;

/* Tests everything that the project does with the operation that @data encodes. Returns a message with the program,
 * which the caller frees, or NULL where all is right. */
char             *random_op_check            (const guint8          *data,
                                              gsize                  size);
/* The same for the operation of random_op_new_empty (). */
char             *random_op_check_empty      (GhloIrOpKind           kind,
                                              guint8                 example,
                                              guint                  dimension,
                                              int                    operand);
/* The same for the program of random_op_new_extreme (), on the CPU's machine code and Vulkan devices too. */
char             *random_op_check_extreme    (const guint8          *data,
                                              gsize                  size);
/* The operation in the generic form, for printing; the caller frees it. */
char             *random_op_to_text          (const guint8          *data,
                                              gsize                  size);
void              random_op_count            (const RandomOp        *self,
                                              RandomOpStage          stage);
/* How many operations got how far since the last call; with @is_verbose for each row. */
char             *random_op_coverage         (gboolean               is_verbose);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RandomOp, random_op_free)
