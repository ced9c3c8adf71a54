/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What verifiers of different families share: when types are compatible,
 * shapes as they are inferred, constraints of quantized operands, and errors
 * that several families give.
 *
 * Two types are compatible when a value of one may be the other: dimensions
 * agree where both are static, bounds are kept, element types are equal or
 * quantized alike. Nothing here allocates unless it fails.
 */

#pragma once

#include "ir/verify/verify.h"

G_BEGIN_DECLS

/* The verifiers of all rows, by the words of ops.def. */
#define OP(ID, name, summary, traits, word, ...) \
  gboolean ghlo_ir_verify_##word (GhloIrVerifier *verifier, const GhloIrOp *op);
#include "ir/ops.def"

/* A shape that is being inferred; -1 is dynamic, or unbounded, as in GhloIrType. */
typedef struct
{
  guint    rank;
  gint64   dimensions[GHLO_MAX_RANK];
  gint64   bounds[GHLO_MAX_RANK];
} GhloIrShape;

/* Operand @index's and result @index's type. */
static inline const GhloIrType *
ghlo_ir_operand_type (const GhloIrOp *op,
                      guint           index)
{
  return op->operands[index].value->type;
}

static inline const GhloIrType *
ghlo_ir_result_type (const GhloIrOp *op,
                     guint           index)
{
  return op->results[index].type;
}

static inline gboolean
ghlo_ir_dims_compatible (gint64 a,
                         gint64 b)
{
  return a == b || a < 0 || b < 0;
}

/* TENSOR, UNRANKED or MEMREF. */
static inline gboolean
ghlo_ir_type_is_shaped (const GhloIrType *type)
{
  return type->kind == GHLO_IR_TYPE_TENSOR || type->kind == GHLO_IR_TYPE_UNRANKED
         || type->kind == GHLO_IR_TYPE_MEMREF;
}

static inline gboolean
ghlo_ir_type_is_quantized (const GhloIrType *type)
{
  return type->quantization != NULL;
}

static inline gboolean
ghlo_ir_type_is_per_tensor (const GhloIrType *type)
{
  return type->quantization != NULL && type->quantization->axis < 0;
}

static inline gboolean
ghlo_ir_type_is_per_axis (const GhloIrType *type)
{
  return type->quantization != NULL && type->quantization->axis >= 0;
}

/* The bound of dimension @index, -1 without. */
static inline gint64
ghlo_ir_type_bound (const GhloIrType *type,
                    guint             index)
{
  return type->bounds != NULL ? type->bounds[index] : -1;
}

/* Identical element types, quantization included; any kinds of type. */
gboolean ghlo_ir_same_element            (const GhloIrType *a,
                                          const GhloIrType *b);
/* Equal element types; quantized ones equal but for scales and zero points. */
gboolean ghlo_ir_elements_compatible     (const GhloIrType *a,
                                          const GhloIrType *b);
/* Identical element types, or both floats of any precision. */
gboolean ghlo_ir_same_element_or_floats  (const GhloIrType *a,
                                          const GhloIrType *b);
/* Whether values of @from's element type fit @to's: same class, not wider.
 * With @any_float floats of any width do. */
gboolean ghlo_ir_element_promotable      (const GhloIrType *from,
                                          const GhloIrType *to,
                                          gboolean          any_float);
/* Bits of an element of a tensor type; both parts of a complex one. */
guint    ghlo_ir_element_bits            (const GhloIrType *type);
/* Same rank and dimensions that agree, or one is unranked; bounds are not looked at. */
gboolean ghlo_ir_shapes_compatible       (const GhloIrType *a,
                                          const GhloIrType *b);
/* The same, and no static dimension exceeds the other type's bound. */
gboolean ghlo_ir_bounded_shapes_compatible (const GhloIrType *a,
                                            const GhloIrType *b);
gboolean ghlo_ir_types_compatible        (const GhloIrType *a,
                                          const GhloIrType *b);
gboolean ghlo_ir_extents_compatible      (const gint64     *a,
                                          gsize             rank_a,
                                          const gint64     *b,
                                          gsize             rank_b);

/* Makes all dimensions dynamic and unbounded. */
void     ghlo_ir_shape_init              (GhloIrShape      *self,
                                          guint             rank);
/* Takes the shape of a ranked tensor type. */
void     ghlo_ir_shape_from_type         (GhloIrShape      *self,
                                          const GhloIrType *type);
/* Merges another shape of the same value: a static size replaces a dynamic one, the
 * smaller bound is kept. Fails where the shapes contradict each other. */
gboolean ghlo_ir_shape_merge             (GhloIrVerifier   *verifier,
                                          const GhloIrOp   *op,
                                          GhloIrShape      *self,
                                          const GhloIrType *type);
/* Merges the shape of another branch: sizes that differ become dynamic. */
gboolean ghlo_ir_shape_widen             (GhloIrVerifier   *verifier,
                                          const GhloIrOp   *op,
                                          GhloIrShape      *self,
                                          const GhloIrType *type);
/* Appends "2x?x4", or "?<=4" where bounded. */
void     ghlo_ir_shape_append            (const GhloIrShape *self,
                                          GString          *string);
/* "[1, ?, 3]", owned by the caller. */
char    *ghlo_ir_ints_to_string          (const gint64     *values,
                                          gsize             n);

/* Result @index must be compatible with @shape, and its element type with
 * @element's (a tensor type, or an ELEMENT or QUANTIZED one; NULL: any). */
gboolean ghlo_ir_verify_inferred         (GhloIrVerifier    *verifier,
                                          const GhloIrOp    *op,
                                          guint              index,
                                          const GhloIrShape *shape,
                                          const GhloIrType  *element);
/* The same with a plain element type. */
gboolean ghlo_ir_verify_inferred_element (GhloIrVerifier    *verifier,
                                          const GhloIrOp    *op,
                                          guint              index,
                                          const GhloIrShape *shape,
                                          GhloElementType    element);
/* Result @index must be compatible with the whole of @type. */
gboolean ghlo_ir_verify_inferred_type    (GhloIrVerifier    *verifier,
                                          const GhloIrOp    *op,
                                          guint              index,
                                          const GhloIrType  *type);

/* "expected WHAT TYPE, found TYPE", both types spelled out. Always FALSE. */
gboolean ghlo_ir_verify_fail_type        (GhloIrVerifier    *verifier,
                                          const GhloIrOp    *op,
                                          const char        *what,
                                          const GhloIrType  *expected,
                                          const GhloIrType  *found);
#define ghlo_ir_verify_fail_type(...) GHLO_FALSE_AFTER (ghlo_ir_verify_fail_type (__VA_ARGS__))

/* Each of @values in [0, @limit), called @name in the error. */
gboolean ghlo_ir_verify_dims_in_range    (GhloIrVerifier    *verifier,
                                          const GhloIrOp    *op,
                                          const char        *name,
                                          const gint64      *values,
                                          gsize              n,
                                          gint64             limit);
gboolean ghlo_ir_verify_dim_in_range     (GhloIrVerifier    *verifier,
                                          const GhloIrOp    *op,
                                          const char        *name,
                                          gint64             value,
                                          gint64             limit);
/* TRUE when no value occurs twice. */
gboolean ghlo_ir_dims_unique             (const gint64      *values,
                                          gsize              n);
gboolean ghlo_ir_verify_dims_unique      (GhloIrVerifier    *verifier,
                                          const GhloIrOp    *op,
                                          const char        *name,
                                          const gint64      *values,
                                          gsize              n);
gboolean ghlo_ir_dims_sorted             (const gint64      *values,
                                          gsize              n);

/* Checks the batching and contracting dimensions of dot_general and ragged_dot: as many
 * on both sides, in range, each once, of compatible sizes. */
gboolean ghlo_ir_verify_dot_dimensions   (GhloIrVerifier    *verifier,
                                          const GhloIrOp    *op,
                                          const GhloIrAttr  *numbers);

/* Checks that precision_config has no more than two values. */
gboolean ghlo_ir_verify_precision        (GhloIrVerifier    *verifier,
                                          const GhloIrOp    *op);

/* Gives the elements of @value when it is a constant of integers; the caller frees them. */
gboolean ghlo_ir_match_ints              (const GhloIrValue *value,
                                          gint64           **values,
                                          gsize             *n);
/* Where shape operand @value is constant, it must be compatible with result 0. */
gboolean ghlo_ir_verify_shape_operand    (GhloIrVerifier    *verifier,
                                          const GhloIrOp    *op,
                                          const GhloIrValue *value);

/* Checks quantized operands of add and operations like it: storage types, expressed
 * types and axes. */
gboolean ghlo_ir_verify_quantized_binary (GhloIrVerifier    *verifier,
                                          const GhloIrOp    *op,
                                          const GhloIrType  *lhs,
                                          const GhloIrType  *rhs,
                                          const GhloIrType  *result);
/* Checks the rules for quantized types that convolution and dot_general share. */
gboolean ghlo_ir_verify_quantized_dot    (GhloIrVerifier    *verifier,
                                          const GhloIrOp    *op,
                                          const GhloIrType  *lhs,
                                          const GhloIrType  *rhs,
                                          const GhloIrType  *result);
/* Checks that scales and zero points are equal when both types are quantized per tensor
 * or both per axis. */
gboolean ghlo_ir_verify_same_quantization (GhloIrVerifier   *verifier,
                                          const GhloIrOp    *op,
                                          const GhloIrType  *a,
                                          const GhloIrType  *b);

G_END_DECLS
