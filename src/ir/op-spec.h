/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The op table as data: one GhloIrOpSpec for each row of ops.def. The parser, the printer, the verifier, executors,
 * `ghlo ops` and the coverage page read it.
 */

#pragma once

#include "ir/attr.h"

G_BEGIN_DECLS

/* GHLO_OP_STABLEHLO_ADD …; GHLO_OP_INVALID is 0. */
typedef enum
{
  GHLO_OP_INVALID,
#define OP(ID, ...) GHLO_OP_##ID,
#include "ir/ops.def"
  GHLO_N_OPS
} GhloIrOpKind;

/* Constraints on a value: classes of element types, kinds of types, and requirements on the shape. */
typedef enum
{
  GHLO_IR_CAN_PRED           = 1 << 0,   /* i1 */
  GHLO_IR_CAN_SINT           = 1 << 1,
  GHLO_IR_CAN_UINT           = 1 << 2,
  GHLO_IR_CAN_FLOAT          = 1 << 3,
  GHLO_IR_CAN_COMPLEX        = 1 << 4,
  GHLO_IR_CAN_QUANTIZED      = 1 << 5,   /* per tensor */
  GHLO_IR_CAN_QUANTIZED_AXIS = 1 << 6,   /* per axis */
  GHLO_IR_CAN_INDEX          = 1 << 7,
  GHLO_IR_CAN_TOKEN          = 1 << 8,
  GHLO_IR_CAN_TUPLE          = 1 << 9,
  GHLO_IR_CAN_BUFFER         = 1 << 10,  /* memref */
  GHLO_IR_CAN_FUTURE         = 1 << 11,
  GHLO_IR_CAN_UNRANKED       = 1 << 12,
  GHLO_IR_CAN_ANYTHING       = 1 << 13,  /* no constraint at all */
  GHLO_IR_ONLY_I32           = 1 << 14,  /* the only integer type */
  GHLO_IR_ONLY_UI32          = 1 << 15,
  GHLO_IR_ONLY_F32_F64       = 1 << 16,  /* the only float types */
  GHLO_IR_RANK_0             = 1 << 17,
  GHLO_IR_RANK_1             = 1 << 18,
  GHLO_IR_RANK_2             = 1 << 19,
  GHLO_IR_STATIC             = 1 << 20,  /* no dynamic dimension */
  GHLO_IR_STATIC_OR_BOUNDED  = 1 << 21,  /* a dynamic dimension has a bound, and at most one is dynamic */
} GhloIrConstraint;

#define GHLO_IR_CAN_INT (GHLO_IR_CAN_SINT | GHLO_IR_CAN_UINT)

typedef enum
{
  GHLO_IR_ONE,
  GHLO_IR_OPTIONAL,
  GHLO_IR_VARIADIC,
} GhloIrArity;

/* A group of operands or results under one name. */
typedef struct
{
  const char  *name;
  GhloIrArity  arity;
  guint32      constraint;   /* GhloIrConstraint bits */
} GhloIrGroupSpec;

/* Constraints on an attribute. */
typedef enum
{
  GHLO_IR_KIND_ANY,
  GHLO_IR_KIND_UNIT,
  GHLO_IR_KIND_BOOL,
  GHLO_IR_KIND_I32,
  GHLO_IR_KIND_I64,
  GHLO_IR_KIND_UI32,
  GHLO_IR_KIND_UI64,
  GHLO_IR_KIND_F32,
  GHLO_IR_KIND_F64,
  GHLO_IR_KIND_STRING,
  GHLO_IR_KIND_SYMBOL,           /* flat: @name */
  GHLO_IR_KIND_SYMBOLS,          /* array of flat symbols */
  GHLO_IR_KIND_SYMBOL_ARRAYS,    /* array of arrays of flat symbols */
  GHLO_IR_KIND_TYPE,
  GHLO_IR_KIND_ARRAY,
  GHLO_IR_KIND_DICTIONARY,
  GHLO_IR_KIND_DICTIONARIES,     /* array of dictionaries */
  GHLO_IR_KIND_STRING_OR_DICTIONARY,
  GHLO_IR_KIND_ELEMENTS,         /* dense, any element type */
  GHLO_IR_KIND_I64_ELEMENTS,     /* dense of i64 */
  GHLO_IR_KIND_INDEX_VECTORS,    /* each array<i64> is a dense of index of rank 1 (layouts) */
  GHLO_IR_KIND_INDEX_VECTOR_ARRAYS, /* array of arrays of these (tilings) */
  GHLO_IR_KIND_TYPED,            /* any attribute that has a type: integer, float, dense */
  GHLO_IR_KIND_I32_ARRAY,        /* array<i32: …> */
  GHLO_IR_KIND_I64_ARRAY,        /* array<i64: …> */
  GHLO_IR_KIND_BOOL_ARRAY,       /* array<i1: …> */
  GHLO_IR_KIND_ENUM,             /* detail is a GhloIrEnum */
  GHLO_IR_KIND_ENUMS,            /* array of that enum */
  GHLO_IR_KIND_STRUCT,           /* detail is a GhloIrStruct */
  GHLO_IR_KIND_STRUCTS,          /* array of that struct */
  GHLO_IR_KIND_REPLICA_GROUPS,   /* dense 2-d i64, or #stablehlo.replica_group_mesh_axes */
} GhloIrAttrConstraint;

typedef enum
{
  GHLO_IR_REQUIRED,
  GHLO_IR_OPTIONAL_ATTR,
  GHLO_IR_DEFAULTED,         /* the default applies if absent; printed text may omit it */
} GhloIrPresence;

typedef struct
{
  const char           *name;
  GhloIrAttrConstraint  kind;
  guint                 detail;     /* the enumeration or structure, for the ENUM and STRUCT kinds */
  GhloIrPresence        presence;
  const char           *fallback;   /* DEFAULTED: the default as MLIR text */
  gint64                minimum;    /* I32, I64: the least value allowed; G_MININT64 if any is */
} GhloIrAttrSpec;

typedef struct
{
  const char  *name;
  gboolean     variadic;     /* the name stands for any number of regions */
  gboolean     any_blocks;   /* FALSE: exactly one block */
} GhloIrRegionSpec;

typedef enum
{
  GHLO_IR_TRAIT_PURE              = 1 << 0,  /* may be removed, moved and merged with equal operations */
  GHLO_IR_TRAIT_TERMINATOR        = 1 << 1,
  GHLO_IR_TRAIT_ISOLATED          = 1 << 2,  /* regions capture no value from outside */
  GHLO_IR_TRAIT_SYMBOL            = 1 << 3,  /* has a sym_name and belongs to a symbol table */
  GHLO_IR_TRAIT_SYMBOL_TABLE      = 1 << 4,
  GHLO_IR_TRAIT_COMMUTATIVE       = 1 << 5,
  GHLO_IR_TRAIT_ELEMENTWISE       = 1 << 6,  /* one result; each element is computed from those at the same position
                                                of the operands */
  GHLO_IR_TRAIT_IMPLICIT_RETURN   = 1 << 7,  /* stablehlo.return may be missing at the end of a region */
  GHLO_IR_TRAIT_SEGMENTS          = 1 << 8,  /* operand_segment_sizes (and result_segment_sizes) give the sizes of
                                                groups */
  GHLO_IR_TRAIT_SAME_GROUP_SIZE   = 1 << 9,  /* variadic operand groups have equal sizes */
  GHLO_IR_TRAIT_COMPATIBLE_TYPES  = 1 << 10, /* operands and results are compatible:
                                                HLO_CompatibleOperandsAndResultType */
  GHLO_IR_TRAIT_COMPATIBLE_ELEMENTS = 1 << 11, /* only their element types are: …ResultElementType */
  GHLO_IR_TRAIT_SAME_ELEMENTS     = 1 << 12, /* identical element types of operands and results */
  GHLO_IR_TRAIT_SAME_SHAPE        = 1 << 13, /* operands and results have compatible shapes */
  GHLO_IR_TRAIT_SAME_TYPES        = 1 << 14, /* identical types of operands and results */
  GHLO_IR_TRAIT_GRAPH_REGION      = 1 << 15, /* values may be used before they are defined */
  GHLO_IR_TRAIT_SAME_OPERAND_TYPES = 1 << 16, /* all operands have identical types */
  GHLO_IR_TRAIT_PAIRWISE_TYPES    = 1 << 17, /* result i has the type of operand i */
  GHLO_IR_TRAIT_COMPATIBLE_OPERAND_ELEMENTS = 1 << 18, /* all operands have compatible element types */
  GHLO_IR_TRAIT_IDEMPOTENT        = 1 << 19, /* for real numbers, f (f (x)) = f (x) or f (x, x) = x */
  GHLO_IR_TRAIT_BROADCASTS_SCALARS = 1 << 20, /* ELEMENTWISE, but an operand of rank 0 is broadcast */
} GhloIrTrait;

/* The neutral element: as second operand it leaves the first unchanged.
 * ghlo_ir_op_neutral () gives its value for each element type. */
typedef enum
{
  GHLO_IR_NEUTRAL_NONE,
  GHLO_IR_NEUTRAL_ZERO,       /* false, 0; -0 for floats, since +0 would change -0 */
  GHLO_IR_NEUTRAL_ONE,        /* true, 1 */
  GHLO_IR_NEUTRAL_LOWEST,     /* false, the lowest number */
  GHLO_IR_NEUTRAL_HIGHEST,    /* true, the highest number */
  GHLO_IR_NEUTRAL_ALL_ONES,   /* true, every bit set */
} GhloIrNeutral;

/* Versions of an operation in VHLO: name_vN exists since major.minor.patch. */
typedef struct
{
  guint8 version;     /* the N of _vN */
  guint8 major, minor, patch;
} GhloIrVhloVersion;

typedef struct
{
  const char              *name;          /* "stablehlo.add" */
  const char              *summary;       /* one line for documentation */
  const GhloIrGroupSpec   *operands;
  const GhloIrGroupSpec   *results;
  const GhloIrAttrSpec    *attributes;    /* inherent, in the dialect's order */
  const GhloIrRegionSpec  *regions;
  guint8                   n_operands, n_results, n_attributes, n_regions;
  guint8                   n_versions;
  guint32                  traits;
  const char              *assembly;      /* see assembly.h; NULL: generic form only */
  const GhloIrVhloVersion *versions;
  const char              *verifier;      /* names of the row's verifier and reference kernel */
  const char              *reference;     /* as in ops.def; "none" if there is none */
  GhloIrNeutral            neutral;
  GhloIrOpKind             element_op;    /* the operation that computes each element; INVALID if it is the row's own */
} GhloIrOpSpec;

extern const GhloIrOpSpec ghlo_ir_op_specs[GHLO_N_OPS];

static inline const GhloIrOpSpec *
ghlo_ir_op_spec (GhloIrOpKind kind)
{
  return &ghlo_ir_op_specs[kind];
}

/* Sets @value to the neutral element of @kind for elements of @type. Returns FALSE if there is none. */
gboolean     ghlo_ir_op_neutral        (GhloIrOpKind     kind,
                                        GhloElementType  type,
                                        GhloScalar      *value);

/* Returns GHLO_OP_INVALID if no row has that name. @length is -1 if @name is NUL-terminated. */
GhloIrOpKind ghlo_ir_op_kind_from_name (const char      *name,
                                        gssize           length);

G_END_DECLS
