/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The interface of the reference executor's kernels. A kernel sees one call of one
 * operation, with operands as values and regions that it can run. Its name is
 * ghlo_ref_WORD, where WORD is the last word of the operation's row in ops.def.
 *
 * Shapes are those of the actual values, not of the types in the program, so a
 * dynamic dimension is known here. A kernel derives the shape of its result from
 * its operands and gets the memory from ghlo_ref_result().
 */

#pragma once

#include "base/element.h"
#include "base/fail.h"
#include "ir/module.h"
#include "kernel/scalar.h"
#include "runtime/value.h"

G_BEGIN_DECLS

typedef struct _GhloRefFrame  GhloRefFrame;    /* values of one function that is running */
typedef struct _GhloRefScalarFunction GhloRefScalarFunction;

typedef struct
{
  GhloRefFrame     *frame;
  const GhloIrOp   *op;
  GhloValue *const *operands;     /* borrowed; one for each operand of op */
  guint             n_operands;
  GhloValue       **results;      /* the kernel fills this with owned references */
  gsize             work;         /* since the last check of ghlo_ref_work () */
} GhloRefCall;

typedef gboolean (*GhloRefKernel) (GhloRefCall *call, GError **error);

/* The kernel of an operation's row, or NULL where the row says "none". */
GhloRefKernel  ghlo_ref_kernel          (GhloIrOpKind        kind);

/* Creates result @index with zeroed memory, the element type that the program states and the given
 * dimensions, and stores it in call->results. NULL with @error set when there is no memory, or when the
 * dimensions contradict the program's static type (DATA). */
GhloValue     *ghlo_ref_result          (GhloRefCall        *call,
                                         guint               index,
                                         const gint64       *dimensions,
                                         guint               rank,
                                         GError            **error);
/* The same with the dimensions of @like. */
GhloValue     *ghlo_ref_result_like     (GhloRefCall        *call,
                                         guint               index,
                                         const GhloValue    *like,
                                         GError            **error);
/* FALSE with @error set when the run is to stop. Kernels call it every few milliseconds of work: it is
 * cheap, but not free. */
gboolean       ghlo_ref_continue        (GhloRefCall        *call,
                                         GError            **error);
/* Adds @n elements of work, after 65536 of which it calls ghlo_ref_continue (). Cheap enough for each element. */
static inline gboolean
ghlo_ref_work (GhloRefCall *call,
               gsize        n,
               GError     **error)
{
  call->work += n;
  if (call->work < 65536)
    return TRUE;
  call->work = 0;

  return ghlo_ref_continue (call, error);
}

/* Sets a DATA error that begins with the operation's name and place. Always FALSE. */
gboolean       ghlo_ref_fail            (const GhloRefCall  *call,
                                         GError            **error,
                                         const char         *format,
                                         ...) G_GNUC_PRINTF (3, 4);
#define ghlo_ref_fail(...) GHLO_FALSE_AFTER (ghlo_ref_fail (__VA_ARGS__))

/* Runs region @region of the operation on any values. @results has room for the operands of the region's
 * terminator; the caller owns the references that it receives. */
gboolean       ghlo_ref_run_region      (GhloRefCall        *call,
                                         guint               region,
                                         GhloValue *const   *arguments,
                                         guint               n_arguments,
                                         GhloValue         **results,
                                         GError            **error);
/* Runs the function @name in a new frame (calls, composites, decompositions). */
gboolean       ghlo_ref_run_function    (GhloRefCall        *call,
                                         const char         *name,
                                         GhloValue *const   *arguments,
                                         guint               n_arguments,
                                         GhloValue         **results,
                                         guint               n_results,
                                         GError            **error);

/* A region whose arguments and results are tensors of rank 0, prepared for one run per element. A run
 * allocates nothing where the body consists of elementwise operations and constants; any other body works
 * too, more slowly. A kernel creates it once, runs it many times and frees it. */
GhloRefScalarFunction *
               ghlo_ref_scalar_function_new  (GhloRefCall            *call,
                                              guint                   region,
                                              GError                **error);
/* The same for function @name of the program. */
GhloRefScalarFunction *
               ghlo_ref_scalar_function_new_for (GhloRefCall         *call,
                                              const char             *name,
                                              GError                **error);
/* The block that defines the arguments, for their types. */
const GhloIrBlock *
               ghlo_ref_scalar_function_get_block (const GhloRefScalarFunction *self);
gboolean       ghlo_ref_scalar_function_run  (GhloRefScalarFunction  *self,
                                              const GhloScalar       *arguments,
                                              GhloScalar             *results,
                                              GError                **error);
/* The combiner that the body amounts to, when its only operation is "op (arg 0, arg 1)" with one result and
 * the same element type throughout; NONE otherwise. For loops that are specialized for sums, products,
 * minima and maxima. */
GhloCombiner   ghlo_ref_scalar_function_combiner (const GhloRefScalarFunction *self);
void           ghlo_ref_scalar_function_free (GhloRefScalarFunction  *self);

/* One elementwise operation on scalars (scalar.c): covers the arithmetic of every row of kernel/scalar.def. */
typedef struct
{
  GhloScalarKind   kind;             /* the operation on that class of elements */
  GhloElementType  operand_type;     /* of operand 0 (for select, of the values selected from) */
  GhloElementType  result_type;
  union                              /* the attributes of the operations that have any */
  {
    struct { gint64 direction, type; } compare;
    struct { gint64 exponent_bits, mantissa_bits; } reduce_precision;
  };
} GhloRefScalarOp;

typedef GhloScalar (*GhloRefScalarFunc) (const GhloRefScalarOp *op, const GhloScalar *operands);

/* Fills @scalar_op from @op and returns the function, or NULL when @op is not elementwise on plain
 * (unquantized) numbers. The function returns a value that is already rounded to the result's type. */
GhloRefScalarFunc ghlo_ref_scalar_func  (const GhloIrOp     *op,
                                         GhloRefScalarOp    *scalar_op);
/* The same for an operation kind, for compositions such as chlo.broadcast_add. */
GhloRefScalarFunc ghlo_ref_scalar_func_for (GhloIrOpKind     kind,
                                            GhloElementType  operand_type,
                                            GhloElementType  result_type,
                                            GhloRefScalarOp *scalar_op);

/* Small helpers for kernels. */
static inline const gint64 *
ghlo_ref_dims (const GhloValue *value)
{
  return value->type->dimensions;
}

static inline gsize
ghlo_ref_element_size (const GhloValue *value)
{
  return ghlo_element_info (value->type->element_type)->size;
}

static inline guint
ghlo_ref_rank (const GhloValue *value)
{
  return value->type->rank;
}

static inline GhloScalar
ghlo_ref_load (const GhloValue *value, gsize index)
{
  return ghlo_element_load (value->type->element_type,
                            value->data + index * ghlo_element_info (value->type->element_type)->size);
}

static inline void
ghlo_ref_store (GhloValue *value, gsize index, GhloScalar scalar)
{
  ghlo_element_store (value->type->element_type,
                      value->data + index * ghlo_element_info (value->type->element_type)->size, scalar);
}

/* Row-major strides in elements. */
void           ghlo_ref_strides         (const gint64       *dimensions,
                                         guint               rank,
                                         gint64             *strides);
/* Advances @index through @dimensions in row-major order; FALSE after the last. */
gboolean       ghlo_ref_next_index      (gint64             *index,
                                         const gint64       *dimensions,
                                         guint               rank);
/* The elements of a small integer tensor of any width (index included). The caller frees them. */
gint64        *ghlo_ref_to_ints         (const GhloValue    *value);
/* The elements as doubles, or as pairs of doubles for complex ones. The caller frees them. NULL when there
 * is no memory. */
double        *ghlo_ref_to_doubles      (const GhloValue    *value);

G_END_DECLS
