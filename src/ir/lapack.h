/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Custom calls of linear algebra, read with the rows of ir/lapack.def: which routine a call runs, on which matrices,
 * and whether its operands, results, parameters and layouts fit together. Executors rely on these checks: running a
 * call that was read successfully never accesses memory outside its tensors.
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

/* The type of a tensor of a call. @dimensions is borrowed; unknown sizes are GHLO_DYNAMIC. */
typedef struct
{
  GhloElementType  type;
  guint            rank;
  const gint64    *dimensions;
} GhloIrLapackShape;

/* A matrix, vector or number, one for each member of the batch. It is an operand, a result or both. */
typedef struct
{
  char            name[GHLO_IR_LAPACK_WORD];
  char            element;          /* 'T', 'R', 'C' or 'I', as in the table */
  guint           rank;             /* up to 2 */
  char            letters[2];
  gint64          extents[2];       /* 1 beyond the rank; GHLO_DYNAMIC if unknown */
  int             operand, result;  /* index among operands and among results, or -1 */
  gboolean        is_computed;      /* FALSE if the parameters tell the routine not to compute it */
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
  const char           *name;       /* LAPACK's name, without the letter of the element type */
  const char           *call;       /* the LAPACK call, as in the row */
  int                   not_finite; /* info if the input is not finite: the routine is then not run, since it might
                                       not terminate; 0 if it always runs */
  GhloElementType       type;
  gboolean              is_complex;
  guint                 n_arguments, n_parameters;
  GhloIrLapackArgument  arguments[GHLO_IR_LAPACK_ARGUMENTS];
  GhloIrLapackParameter parameters[GHLO_IR_LAPACK_PARAMETERS];
  guint                 n_batch;    /* number of batch dimensions */
  const gint64         *batch;      /* the batch dimensions of operand 0; borrowed */
  gint64                extents[26];        /* by letter: 'a' is element 0 */
} GhloIrLapackCall;

/* Returns whether the table has a custom call of that name. */
gboolean ghlo_ir_lapack_is_target (const char              *target);
/* Calls @func for each target name once. For the routines that XLA names after LAPACK's, "lapack_?NAME_ffi"
 * represents all element types. @name is only valid during the call. */
void     ghlo_ir_lapack_foreach   (void                   (*func) (const char *name,
                                                                   gpointer    data),
                                   gpointer                 data);
/* Reads @op, whose operands and results have the given shapes. If these do not fit, returns FALSE and sets @problem
 * to a sentence that the caller frees. */
gboolean ghlo_ir_lapack_read      (GhloIrLapackCall        *self,
                                   const GhloIrOp          *op,
                                   const GhloIrLapackShape *operands,
                                   const GhloIrLapackShape *results,
                                   char                   **problem);
/* The same with the types that the program states, which may have dynamic dimensions. */
gboolean ghlo_ir_lapack_read_op   (GhloIrLapackCall        *self,
                                   const GhloIrOp          *op,
                                   char                   **problem);

/* Returns the extent that a letter stands for. */
static inline gint64
ghlo_ir_lapack_extent (const GhloIrLapackCall *self,
                       char                    letter)
{
  return self->extents[letter - 'a'];
}

/* Sets @count to the largest of the sums in a text such as
 * "2mn+k,5k", at least 1. Returns FALSE if a sum exceeds @limit. */
gboolean ghlo_ir_lapack_count     (const GhloIrLapackCall  *self,
                                   const char              *sums,
                                   gint64                   limit,
                                   gint64                  *count);
/* Returns the argument or parameter of that name, or NULL; some exist for real or for complex types only. */
const GhloIrLapackArgument  *ghlo_ir_lapack_argument  (const GhloIrLapackCall *self,
                                                       const char             *name);
const GhloIrLapackParameter *ghlo_ir_lapack_parameter (const GhloIrLapackCall *self,
                                                       const char             *name);
/* Reads the next blank-separated word of @text and strips its mark. Skips words marked for the other kind of numbers
 * (real or complex). Returns FALSE after the last word. */
gboolean ghlo_ir_lapack_next_word (const char             **text,
                                   gboolean                 is_complex,
                                   char                     word[GHLO_IR_LAPACK_WORD]);

G_END_DECLS
