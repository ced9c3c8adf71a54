/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the verifiers of operations with dimension numbers, regions and many
 * operands share. Sets of dimensions are bits of one word, since a tensor has
 * at most GHLO_MAX_RANK dimensions.
 */

#pragma once

#include "ir/verify/common.h"

G_BEGIN_DECLS

G_STATIC_ASSERT (GHLO_MAX_RANK <= 64);

/* What a region's terminator returns; nothing when the region leaves it out. */
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

/* A ranked tensor of rank 0 with that plain element type. */
static inline gboolean
ghlo_ir_type_is_scalar (const GhloIrType *type,
                        GhloElementType   element_type)
{
  return type->kind == GHLO_IR_TYPE_TENSOR && type->rank == 0 && type->quantization == NULL
         && type->element_type == element_type;
}

/* Each of @values is in [0, rank) and not yet in @seen, to which it is added. */
gboolean ghlo_ir_verify_dim_set      (GhloIrVerifier   *verifier,
                                      const GhloIrOp   *op,
                                      const char       *name,
                                      const gint64     *values,
                                      gsize             n,
                                      guint             rank,
                                      guint64          *seen);
/* In increasing order. */
gboolean ghlo_ir_verify_dims_sorted  (GhloIrVerifier   *verifier,
                                      const GhloIrOp   *op,
                                      const char       *name,
                                      const gint64     *values,
                                      gsize             n);
gboolean ghlo_ir_verify_result_count (GhloIrVerifier   *verifier,
                                      const GhloIrOp   *op,
                                      guint             expected);
/* "expected WHAT of type EXPECTED, found FOUND". */
gboolean ghlo_ir_fail_type           (GhloIrVerifier   *verifier,
                                      const GhloIrOp   *op,
                                      const char       *what,
                                      guint             index,
                                      const GhloIrType *expected,
                                      const GhloIrType *found);
/* The first @n operands have compatible shapes. */
gboolean ghlo_ir_verify_same_shapes  (GhloIrVerifier   *verifier,
                                      const GhloIrOp   *op,
                                      guint             first,
                                      guint             n,
                                      const char       *what);
/* The dimension of @indices that holds one index, of as many numbers as the map
 * @map_name has; one past the last dimension where an index is a single number. */
gboolean ghlo_ir_verify_index_vector (GhloIrVerifier   *verifier,
                                      const GhloIrOp   *op,
                                      const GhloIrType *indices,
                                      const char       *map_name,
                                      gsize             n_map,
                                      gint64            index_vector_dim);
void     ghlo_ir_sort_ints           (gint64           *values,
                                      gsize             n);
/* A list of pairs, (N, 2), whose sources are unique and whose targets are. */
gboolean ghlo_ir_verify_pairs        (GhloIrVerifier   *verifier,
                                      const GhloIrOp   *op,
                                      const GhloIrAttr *pairs);

G_END_DECLS
