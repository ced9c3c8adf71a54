/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the verifiers of operations with dimension numbers, regions and many operands. A set of dimensions is a
 * bit mask in one word, since a tensor has at most GHLO_MAX_RANK dimensions.
 */

#pragma once

#include "ir/verify/common.h"

G_BEGIN_DECLS

G_STATIC_ASSERT (GHLO_MAX_RANK <= 64);

/* The values that a region's terminator returns; none if the region has no terminator. */
typedef struct
{
  const GhloIrUse *values;
  guint            n;
} GhloIrReturned;

GhloIrReturned ghlo_ir_region_returned   (const GhloIrOp *op,
                                          guint           region);

static inline const GhloIrType *
ghlo_ir_returned_type (const GhloIrReturned *returned,
                       guint                 index)
{
  return returned->values[index].value->type;
}

/* Whether @type is a tensor of rank 0 with that plain element type. */
static inline gboolean
ghlo_ir_type_is_scalar (const GhloIrType *type,
                        GhloElementType   element_type)
{
  return type->kind == GHLO_IR_TYPE_TENSOR && type->rank == 0 && type->quantization == NULL
         && type->element_type == element_type;
}

/* Checks that each of @values is in [0, rank) and not in @seen, and adds it to @seen. */
gboolean ghlo_ir_verify_dim_set      (GhloIrVerifier   *verifier,
                                      const GhloIrOp   *op,
                                      const char       *name,
                                      const gint64     *values,
                                      gsize             n,
                                      guint             rank,
                                      guint64          *seen);
/* Checks that @values are in increasing order. */
gboolean ghlo_ir_verify_dims_sorted  (GhloIrVerifier   *verifier,
                                      const GhloIrOp   *op,
                                      const char       *name,
                                      const gint64     *values,
                                      gsize             n);
gboolean ghlo_ir_verify_result_count (GhloIrVerifier   *verifier,
                                      const GhloIrOp   *op,
                                      guint             expected);
/* Fails with "expected WHAT of type EXPECTED, found FOUND". */
gboolean ghlo_ir_fail_type           (GhloIrVerifier   *verifier,
                                      const GhloIrOp   *op,
                                      const char       *what,
                                      guint             index,
                                      const GhloIrType *expected,
                                      const GhloIrType *found);
#define ghlo_ir_fail_type(...) GHLO_FALSE_AFTER (ghlo_ir_fail_type (__VA_ARGS__))
/* Checks that the first @n operands have compatible shapes. */
gboolean ghlo_ir_verify_same_shapes  (GhloIrVerifier   *verifier,
                                      const GhloIrOp   *op,
                                      guint             first,
                                      guint             n,
                                      const char       *what);
/* Checks index_vector_dim: that dimension of @indices has as many elements as the map @map_name. A dimension one past
 * the last one means index vectors of one element. */
gboolean ghlo_ir_verify_index_vector (GhloIrVerifier   *verifier,
                                      const GhloIrOp   *op,
                                      const GhloIrType *indices,
                                      const char       *map_name,
                                      gsize             n_map,
                                      gint64            index_vector_dim);
void     ghlo_ir_sort_ints           (gint64           *values,
                                      gsize             n);
/* Checks a list of pairs of shape (N, 2): sources are unique, and so are targets. */
gboolean ghlo_ir_verify_pairs        (GhloIrVerifier   *verifier,
                                      const GhloIrOp   *op,
                                      const GhloIrAttr *pairs);

G_END_DECLS
