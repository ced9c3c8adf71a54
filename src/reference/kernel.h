/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a kernel of the reference executor sees: one call of one operation, with
 * operands as values and regions that it can run. Kernels are ghlo_ref_WORD for
 * the last WORD of their row in ops.def.
 *
 * Shapes are those of the values at hand, never of the types in the program:
 * a dynamic dimension is known here. A kernel derives its result's shape from
 * its operands and asks ghlo_ref_result() for memory.
 */

#pragma once

#include "base/element.h"
#include "base/fail.h"
#include "ir/module.h"
#include "kernel/scalar.h"
#include "runtime/value.h"

G_BEGIN_DECLS

typedef struct _GhloRefFrame  GhloRefFrame;    /* values of one function being run */
typedef struct _GhloRefScalarFunction GhloRefScalarFunction;

typedef struct
{
  GhloRefFrame     *frame;
  const GhloIrOp   *op;
  GhloValue *const *operands;     /* borrowed; one for each operand of op */
  guint             n_operands;
  GhloValue       **results;      /* to be filled with owned references */
} GhloRefCall;

typedef gboolean (*GhloRefKernel) (GhloRefCall *call, GError **error);

/* Dispatch: the kernel of an operation's row, or NULL for "none". */
GhloRefKernel  ghlo_ref_kernel          (GhloIrOpKind        kind);

/* Result @index with memory of its own (zeroed), of the element type that the
 * program states and of the given dimensions; NULL with @error set when there
 * is no memory, or the dimensions contradict the program's static type (DATA).
 * It is stored in call->results already. */
GhloValue     *ghlo_ref_result          (GhloRefCall        *call,
                                         guint               index,
                                         const gint64       *dimensions,
                                         guint               rank,
                                         GError            **error);
/* The same, with the dimensions of @like. */
GhloValue     *ghlo_ref_result_like     (GhloRefCall        *call,
                                         guint               index,
                                         const GhloValue    *like,
                                         GError            **error);
/* FALSE with @error set when the run is to stop. Call every few milliseconds
 * of work: cheap, but not free. */
gboolean       ghlo_ref_continue        (GhloRefCall        *call,
                                         GError            **error);
/* Sets a DATA error that begins with the operation's name and place. Always FALSE. */
gboolean       ghlo_ref_fail            (const GhloRefCall  *call,
                                         GError            **error,
                                         const char         *format,
                                         ...) G_GNUC_PRINTF (3, 4);
#define ghlo_ref_fail(...) GHLO_FALSE_AFTER (ghlo_ref_fail (__VA_ARGS__))

/* Runs region @region of the operation on any values. @results has room for
 * what the region's terminator gives; references are the caller's. */
gboolean       ghlo_ref_run_region      (GhloRefCall        *call,
                                         guint               region,
                                         GhloValue *const   *arguments,
                                         guint               n_arguments,
                                         GhloValue         **results,
                                         GError            **error);
/* Runs the function @name with a new frame (calls, composites, decompositions). */
gboolean       ghlo_ref_run_function    (GhloRefCall        *call,
                                         const char         *name,
                                         GhloValue *const   *arguments,
                                         guint               n_arguments,
                                         GhloValue         **results,
                                         guint               n_results,
                                         GError            **error);

/* A region whose arguments and results are tensors of rank 0, made ready to be
 * run once for each element: no allocation per run where the body consists of
 * elementwise operations and constants (any other body still works, slower).
 * Make it once in a kernel, run it many times, free it. */
GhloRefScalarFunction *
               ghlo_ref_scalar_function_new  (GhloRefCall            *call,
                                              guint                   region,
                                              GError                **error);
/* The same for the function @name of the program. */
GhloRefScalarFunction *
               ghlo_ref_scalar_function_new_for (GhloRefCall         *call,
                                              const char             *name,
                                              GError                **error);
/* The block of its arguments, for their types. */
const GhloIrBlock *
               ghlo_ref_scalar_function_get_block (const GhloRefScalarFunction *self);
gboolean       ghlo_ref_scalar_function_run  (GhloRefScalarFunction  *self,
                                              const GhloScalar       *arguments,
                                              GhloScalar             *results,
                                              GError                **error);
/* What the body combines by when its only operation is "op (arg 0, arg 1)" of
 * one result, with equal element types throughout, else NONE: for loops that are
 * written out for sums, products, minima and maxima. */
GhloCombiner   ghlo_ref_scalar_function_combiner (const GhloRefScalarFunction *self);
void           ghlo_ref_scalar_function_free (GhloRefScalarFunction  *self);

/* One elementwise operation on scalars (scalar.c): the arithmetic of every row of
 * kernel/scalar.def. */
typedef struct
{
  GhloScalarKind   kind;             /* what it is on that class of elements */
  GhloElementType  operand_type;     /* of operand 0 (of the values, for select) */
  GhloElementType  result_type;
  gint64           detail;           /* compare: direction; reduce_precision: exponent bits */
  gint64           detail2;          /* compare: comparison type; reduce_precision: mantissa bits */
} GhloRefScalarOp;

typedef GhloScalar (*GhloRefScalarFunc) (const GhloRefScalarOp *op, const GhloScalar *operands);

/* Fills @scalar_op from @op and returns the function, or NULL when @op is not
 * elementwise on plain (unquantized) numbers. The function's answer is already
 * rounded to the result's type. */
GhloRefScalarFunc ghlo_ref_scalar_func  (const GhloIrOp     *op,
                                         GhloRefScalarOp    *scalar_op);
/* The same by kind, for compositions such as chlo.broadcast_add. */
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
/* The elements of an integer tensor (any width, index too), which has few; caller frees. */
gint64        *ghlo_ref_to_ints         (const GhloValue    *value);
/* Elements as doubles (floats) or pairs of doubles (complex); caller frees.
 * NULL when there is no memory. */
double        *ghlo_ref_to_doubles      (const GhloValue    *value);

G_END_DECLS
