/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Custom calls of linear algebra, read by the rows of ir/lapack.def: what a call computes, of which matrices, and
 * whether its operands, results, parameters and layouts fit each other. Nothing that an executor does with a call
 * that was read leads out of the tensors that it has.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

typedef enum
{
#define ROUTINE(ID, ...) GHLO_IR_LAPACK_##ID,
#include "ir/lapack.def"
  GHLO_IR_LAPACK_N_ROUTINES
} GhloIrLapackRoutine;

enum { GHLO_IR_LAPACK_ARGUMENTS = 8, GHLO_IR_LAPACK_PARAMETERS = 4, GHLO_IR_LAPACK_WORD = 32 };

/* A tensor of a call, without its elements; dimensions are borrowed, and GHLO_DYNAMIC where they are not known. */
typedef struct
{
  GhloElementType  type;
  guint            rank;
  const gint64    *dimensions;
} GhloIrLapackShape;

/* A matrix, vector or number of each member of the batch: an operand, a result or both. */
typedef struct
{
  char            name[GHLO_IR_LAPACK_WORD];
  char            element;          /* 'T', 'R', 'C' or 'I', as in the table */
  guint           rank;             /* up to 2 */
  char            letters[2];
  gint64          extents[2];       /* 1 where there is none; GHLO_DYNAMIC where not known */
  int             operand, result;  /* their numbers, or -1 */
  gboolean        is_computed;      /* else the routine leaves it out */
  GhloElementType type;
} GhloIrLapackArgument;

typedef struct
{
  char     name[GHLO_IR_LAPACK_WORD];
  gboolean is_character;
  gint64   value;
} GhloIrLapackParameter;

typedef struct
{
  GhloIrLapackRoutine   routine;
  const char           *name;       /* LAPACK's, without the letter of its type */
  const char           *call;       /* the row's */
  int                   not_finite; /* info where numbers are not finite, which the routine would not end with; or 0 */
  GhloElementType       type;
  gboolean              is_complex;
  guint                 n_arguments, n_parameters;
  GhloIrLapackArgument  arguments[GHLO_IR_LAPACK_ARGUMENTS];
  GhloIrLapackParameter parameters[GHLO_IR_LAPACK_PARAMETERS];
  guint                 n_batch;    /* dimensions of the batch */
  const gint64         *batch;      /* those of operand 0; borrowed */
  gint64                extents[26];        /* by letter */
} GhloIrLapackCall;

/* Whether a custom call of that name is one of the table's. */
gboolean ghlo_ir_lapack_knows     (const char              *target);
/* Their names, each once; "lapack_?NAME_ffi" for the four that a type has a letter in. Static. */
void     ghlo_ir_lapack_foreach   (void                   (*func) (const char *name,
                                                                   gpointer    data),
                                   gpointer                 data);
/* Reads @op, whose operands and results are of these shapes. FALSE with a sentence in @problem, owned by the caller,
 * where they do not fit. */
gboolean ghlo_ir_lapack_read      (GhloIrLapackCall        *self,
                                   const GhloIrOp          *op,
                                   const GhloIrLapackShape *operands,
                                   const GhloIrLapackShape *results,
                                   char                   **problem);
/* The same for the types in the program, of which dimensions may be dynamic. */
gboolean ghlo_ir_lapack_read_op   (GhloIrLapackCall        *self,
                                   const GhloIrOp          *op,
                                   char                   **problem);

/* The extent of a letter. */
static inline gint64
ghlo_ir_lapack_extent (const GhloIrLapackCall *self,
                       char                    letter)
{
  return self->extents[letter - 'a'];
}

/* The largest of the sums "2mn+k,5k", at least 1; FALSE where it is beyond @limit. */
gboolean ghlo_ir_lapack_count     (const GhloIrLapackCall  *self,
                                   const char              *sums,
                                   gint64                   limit,
                                   gint64                  *count);
/* An argument or a parameter by its name; NULL where there is none, as for complex numbers of what reals have. */
const GhloIrLapackArgument  *ghlo_ir_lapack_argument  (const GhloIrLapackCall *self,
                                                       const char             *name);
const GhloIrLapackParameter *ghlo_ir_lapack_parameter (const GhloIrLapackCall *self,
                                                       const char             *name);
/* The next of the words of @text that are separated by blanks and are for such numbers, without its mark; FALSE
 * behind the last. */
gboolean ghlo_ir_lapack_next_word (const char             **text,
                                   gboolean                 is_complex,
                                   char                     word[GHLO_IR_LAPACK_WORD]);

G_END_DECLS
