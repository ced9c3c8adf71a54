/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the verifiers of different families: compatibility of types, inferred shapes, constraints on quantized
 * operands, and errors that several families report.
 *
 * Two types are compatible if a value may have both: dimensions agree where both are static, sizes stay within
 * bounds, and element types are equal or quantized alike. Nothing here allocates unless it fails.
 */

#pragma once

#include "ir/verify/verify.h"

G_BEGIN_DECLS

/* The verifiers of all rows, named by the words of ops.def. */
#define OP(ID, name, summary, traits, word, ...) \
  gboolean ghlo_ir_verify_##word (GhloIrVerifier *verifier, const GhloIrOp *op);
#include "ir/ops.def"

/* A shape that is being inferred; -1 means dynamic (or unbounded), as in GhloIrType. */
typedef struct
{
  guint    rank;
  gint64   dimensions[GHLO_MAX_RANK];
  gint64   bounds[GHLO_MAX_RANK];
} GhloIrShape;

/* The type of operand or result @index. */
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

/* The bound of dimension @index, or -1 if it has none. */
static inline gint64
ghlo_ir_type_bound (const GhloIrType *type,
                    guint             index)
{
  return type->bounds != NULL ? type->bounds[index] : -1;
}

/* Identical element types, quantization included. The types may be of any kind. */
gboolean ghlo_ir_same_element            (const GhloIrType *a,
                                          const GhloIrType *b);
/* Equal element types; quantized ones may differ in scales and zero points. */
gboolean ghlo_ir_elements_compatible     (const GhloIrType *a,
                                          const GhloIrType *b);
/* Identical element types, or both floats of any precision. */
gboolean ghlo_ir_same_element_or_floats  (const GhloIrType *a,
                                          const GhloIrType *b);
/* Whether @to's element type can hold values of @from's: same class,
 * not narrower. With @any_float, floats of any width qualify. */
gboolean ghlo_ir_element_promotable      (const GhloIrType *from,
                                          const GhloIrType *to,
                                          gboolean          any_float);
/* The number of bits of an element of a tensor type; a complex element counts both parts. */
guint    ghlo_ir_element_bits            (const GhloIrType *type);
/* Whether rank and static dimensions agree, or one of the types is unranked. Ignores bounds. */
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
/* Merges another shape of the same value: a static size replaces a dynamic one, and the smaller bound is kept. Fails
 * if the shapes contradict each other. */
gboolean ghlo_ir_shape_merge             (GhloIrVerifier   *verifier,
                                          const GhloIrOp   *op,
                                          GhloIrShape      *self,
                                          const GhloIrType *type);
/* Merges the shape that another branch returns: sizes that differ become dynamic. */
gboolean ghlo_ir_shape_widen             (GhloIrVerifier   *verifier,
                                          const GhloIrOp   *op,
                                          GhloIrShape      *self,
                                          const GhloIrType *type);
/* Appends "2x?x4", or "?<=4" for a bounded dimension. */
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
/* Result @index must be compatible with @type as a whole. */
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

/* Checks that each of @values is in [0, @limit). The error calls them @name. */
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
/* Whether no value occurs twice. */
gboolean ghlo_ir_dims_unique             (const gint64      *values,
                                          gsize              n);
gboolean ghlo_ir_verify_dims_unique      (GhloIrVerifier    *verifier,
                                          const GhloIrOp    *op,
                                          const char        *name,
                                          const gint64      *values,
                                          gsize              n);
gboolean ghlo_ir_dims_sorted             (const gint64      *values,
                                          gsize              n);

/* Checks the batching and contracting dimensions of dot_general and ragged_dot: both sides have the same number of
 * them, all are in range and distinct, and their sizes are compatible. */
gboolean ghlo_ir_verify_dot_dimensions   (GhloIrVerifier    *verifier,
                                          const GhloIrOp    *op,
                                          const GhloIrAttr  *numbers);

/* Checks that precision_config has no more than two values. */
gboolean ghlo_ir_verify_precision        (GhloIrVerifier    *verifier,
                                          const GhloIrOp    *op);

/* Reads the elements of @value if it is a constant of integers; the caller frees them. */
gboolean ghlo_ir_match_ints              (const GhloIrValue *value,
                                          gint64           **values,
                                          gsize             *n);
/* Checks that the shape operand @value, if it is constant, is compatible with result 0. */
gboolean ghlo_ir_verify_shape_operand    (GhloIrVerifier    *verifier,
                                          const GhloIrOp    *op,
                                          const GhloIrValue *value);

/* Checks the quantized operands of add and similar operations: storage types, expressed types and axes. */
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
/* Checks that scales and zero points are equal if both types are quantized per tensor or both per axis. */
gboolean ghlo_ir_verify_same_quantization (GhloIrVerifier   *verifier,
                                          const GhloIrOp    *op,
                                          const GhloIrType  *a,
                                          const GhloIrType  *b);

G_END_DECLS
