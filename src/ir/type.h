/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Types of the IR. They are interned per module: two types of one module are equal if and only if their pointers are.
 * They live in the module's arena.
 */

#pragma once

#include "base/tensor-type.h"

G_BEGIN_DECLS

typedef struct _GhloIrModule GhloIrModule;
typedef struct _GhloIrType   GhloIrType;
typedef struct _GhloIrAttr   GhloIrAttr;

typedef enum
{
  GHLO_IR_TYPE_ELEMENT,      /* f32, i1, index, complex<f32>, tf32 … outside a tensor */
  GHLO_IR_TYPE_QUANTIZED,    /* !quant.uniform<…> outside a tensor */
  GHLO_IR_TYPE_TENSOR,       /* ranked */
  GHLO_IR_TYPE_UNRANKED,     /* tensor<*xf32> */
  GHLO_IR_TYPE_MEMREF,       /* ranked buffer */
  GHLO_IR_TYPE_TOKEN,        /* !stablehlo.token */
  GHLO_IR_TYPE_TUPLE,
  GHLO_IR_TYPE_FUTURE,       /* !stablehlo.future<…> */
  GHLO_IR_TYPE_FUNCTION,
  GHLO_IR_TYPE_NONE,
  GHLO_IR_TYPE_OPAQUE,       /* a type of another dialect, kept as text without the "!" */
} GhloIrTypeKind;

struct _GhloIrType
{
  GhloIrTypeKind    kind;
  GhloElementType   element_type;   /* ELEMENT, QUANTIZED (storage), TENSOR, UNRANKED, MEMREF */
  guint             rank;           /* TENSOR, MEMREF; number of members of TUPLE and FUTURE; number of inputs of
                                       FUNCTION */
  guint             n_results;      /* FUNCTION */
  GhloQuantization *quantization;   /* QUANTIZED, TENSOR, UNRANKED, MEMREF; NULL if not quantized; owned by the
                                       module; interned */
  const gint64     *dimensions;     /* TENSOR, MEMREF: rank entries, -1 for a dynamic one */
  const gint64     *bounds;         /* TENSOR: rank entries, -1 if unbounded; NULL without bounds */
  const GhloIrAttr *encoding;       /* TENSOR: an encoding other than bounds; MEMREF: layout and memory space; else
                                       NULL */
  const GhloIrType *const *members; /* TUPLE, FUTURE; FUNCTION: inputs, then results */
  guint32           extent;         /* the size of its printed form; see context.h */
  const char       *text;           /* OPAQUE: "shape.witness"; ELEMENT of a type that only names a precision
                                       ("tf32", "i3", "f80"): its spelling, with element_type INVALID */
};

const GhloIrType *ghlo_ir_type_element    (GhloIrModule *module, GhloElementType element_type);
/* A builtin scalar type that GHLO's tensors cannot hold: tf32, i3, si32, f80 … */
const GhloIrType *ghlo_ir_type_named      (GhloIrModule *module, const char *name);
const GhloIrType *ghlo_ir_type_quantized  (GhloIrModule *module, GhloQuantization *quantization);
/* @element is ELEMENT or QUANTIZED (or OPAQUE). @bounds and @encoding may be NULL. */
const GhloIrType *ghlo_ir_type_tensor     (GhloIrModule *module, const GhloIrType *element,
                                           const gint64 *dimensions, gsize rank,
                                           const gint64 *bounds, const GhloIrAttr *encoding);
const GhloIrType *ghlo_ir_type_unranked   (GhloIrModule *module, const GhloIrType *element);
const GhloIrType *ghlo_ir_type_memref     (GhloIrModule *module, const GhloIrType *element,
                                           const gint64 *dimensions, gsize rank, const GhloIrAttr *encoding);
const GhloIrType *ghlo_ir_type_token      (GhloIrModule *module);
const GhloIrType *ghlo_ir_type_none       (GhloIrModule *module);
const GhloIrType *ghlo_ir_type_tuple      (GhloIrModule *module, const GhloIrType *const *members, gsize n);
const GhloIrType *ghlo_ir_type_future     (GhloIrModule *module, const GhloIrType *const *members, gsize n);
const GhloIrType *ghlo_ir_type_function   (GhloIrModule *module,
                                           const GhloIrType *const *inputs, gsize n_inputs,
                                           const GhloIrType *const *results, gsize n_results);
const GhloIrType *ghlo_ir_type_opaque     (GhloIrModule *module, const char *text);

/* Returns the element type of a TENSOR, UNRANKED or MEMREF as a type. */
const GhloIrType *ghlo_ir_type_get_element (GhloIrModule *module, const GhloIrType *type);
/* Returns the same tensor type with another element type (ELEMENT or QUANTIZED). */
const GhloIrType *ghlo_ir_type_with_element (GhloIrModule *module, const GhloIrType *tensor, const GhloIrType *element);

static inline gboolean
ghlo_ir_type_is_tensor (const GhloIrType *type)
{
  return type->kind == GHLO_IR_TYPE_TENSOR;
}

gboolean          ghlo_ir_type_has_static_shape (const GhloIrType *type);   /* ranked, no dynamic dimension */
/* Returns whether @type is a tensor of static shape with a plain element type, not a quantized one. */
gboolean          ghlo_ir_type_is_numbers       (const GhloIrType *type);
/* Returns the number of elements of a tensor of static shape; approximate beyond 2^53. */
double            ghlo_ir_type_count_elements    (const GhloIrType *type);
GhloTensorType   *ghlo_ir_type_to_tensor_type   (const GhloIrType *type);   /* of a TENSOR, else NULL; transfer full */
void              ghlo_ir_type_append           (const GhloIrType *type, GString *string);
char             *ghlo_ir_type_to_string        (const GhloIrType *type);

G_END_DECLS
