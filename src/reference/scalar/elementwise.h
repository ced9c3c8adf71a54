/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The one loop behind all elementwise kernels: operands with any strides, plain or
 * quantized, a scalar function, and a dense result.
 */

#pragma once

#include "base/sizes.h"
#include "reference/scalar/block.h"

G_BEGIN_DECLS

enum { GHLO_REF_MAX_SOURCES = 3 };

/* How the elements of an operand correspond to those of the result. */
typedef enum
{
  GHLO_REF_SOURCE_DENSE,     /* one to one */
  GHLO_REF_SOURCE_SINGLE,    /* one element for the whole result */
  GHLO_REF_SOURCE_STRIDED,   /* by strides; 0 along broadcast dimensions */
} GhloRefSourceKind;

typedef struct
{
  const GhloValue      *value;
  GhloRefSourceKind     kind;
  gint64                strides[GHLO_MAX_RANK];   /* STRIDED only: elements per step along each dimension of the
                                                   * result */
  GhloRefQuantizedAxis  axis;                     /* its quantization is NULL for plain elements */
} GhloRefSource;

/* Describes an operand of the call as a DENSE source. FALSE with @error set when its scales do not fit its shape. */
gboolean          ghlo_ref_source_init    (GhloRefSource   *self,
                                           GhloRefCall     *call,
                                           guint            operand,
                                           GError         **error);
/* The scalar function of the call's operation for the expressed types of its operands and its result; NULL
 * with @error set when there is none. */
GhloRefScalarFunc ghlo_ref_call_func      (GhloRefCall     *call,
                                           GhloRefScalarOp *op,
                                           GError         **error);
/* Computes result 0, whose memory exists already. */
gboolean          ghlo_ref_run_sources    (GhloRefCall           *call,
                                           const GhloRefScalarOp *op,
                                           GhloRefScalarFunc      func,
                                           const GhloRefSource   *sources,
                                           guint                  n_sources,
                                           GError               **error);

/* Specialized loops for common operations on dense operands of one shape (or, with @n_sources 2, single
 * elements). NULL when there is none for these types. */
typedef void (*GhloRefFastLoop) (const GhloRefScalarOp *op,
                                 const guint8 *const   *operands,
                                 guint8                *result,
                                 gsize                  n);

GhloRefFastLoop   ghlo_ref_fast_loop      (const GhloRefScalarOp *op);

G_END_DECLS
