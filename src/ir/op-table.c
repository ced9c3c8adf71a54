/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The rows of ops.def as data, and the lookup of a row by name.
 */

#include "ir/op-spec.h"

#include <string.h>

/* The words used in ops.def. */
enum
{
  PRED = GHLO_IR_CAN_PRED,
  SINT = GHLO_IR_CAN_SINT,
  UINT = GHLO_IR_CAN_UINT,
  INT = GHLO_IR_CAN_INT,
  FLOAT = GHLO_IR_CAN_FLOAT,
  COMPLEX = GHLO_IR_CAN_COMPLEX,
  QUANT = GHLO_IR_CAN_QUANTIZED,
  QUANT_AXIS = GHLO_IR_CAN_QUANTIZED_AXIS,
  INDEX = GHLO_IR_CAN_INDEX,
  TOKEN = GHLO_IR_CAN_TOKEN,
  TUPLE = GHLO_IR_CAN_TUPLE,
  BUFFER = GHLO_IR_CAN_BUFFER,
  FUTURE = GHLO_IR_CAN_FUTURE,
  UNRANKED = GHLO_IR_CAN_UNRANKED,
  ANYTHING = GHLO_IR_CAN_ANYTHING,
  I32_ONLY = GHLO_IR_ONLY_I32,
  UI32_ONLY = GHLO_IR_ONLY_UI32,
  F32_F64 = GHLO_IR_ONLY_F32_F64,
  RANK_0 = GHLO_IR_RANK_0,
  RANK_1 = GHLO_IR_RANK_1,
  RANK_2 = GHLO_IR_RANK_2,
  STATIC = GHLO_IR_STATIC,
  STATIC_OR_BOUNDED = GHLO_IR_STATIC_OR_BOUNDED,
  TENSOR = PRED | INT | FLOAT | COMPLEX | QUANT,
  TENSOR_AXIS = TENSOR | QUANT_AXIS,
  ANY_TENSOR = TENSOR_AXIS | UNRANKED,
  CUSTOM_CALL = ANY_TENSOR | BUFFER | TOKEN | TUPLE | FUTURE,
};

enum
{
  PURE = GHLO_IR_TRAIT_PURE,
  TERMINATOR = GHLO_IR_TRAIT_TERMINATOR,
  ISOLATED = GHLO_IR_TRAIT_ISOLATED,
  SYMBOL = GHLO_IR_TRAIT_SYMBOL,
  SYMBOL_TABLE = GHLO_IR_TRAIT_SYMBOL_TABLE,
  COMMUTATIVE = GHLO_IR_TRAIT_COMMUTATIVE,
  ELEMENTWISE = GHLO_IR_TRAIT_ELEMENTWISE,
  IMPLICIT_RETURN = GHLO_IR_TRAIT_IMPLICIT_RETURN,
  SEGMENTS = GHLO_IR_TRAIT_SEGMENTS,
  SAME_GROUP_SIZE = GHLO_IR_TRAIT_SAME_GROUP_SIZE,
  COMPATIBLE_TYPES = GHLO_IR_TRAIT_COMPATIBLE_TYPES,
  COMPATIBLE_ELEMENTS = GHLO_IR_TRAIT_COMPATIBLE_ELEMENTS,
  SAME_ELEMENTS = GHLO_IR_TRAIT_SAME_ELEMENTS,
  SAME_SHAPE = GHLO_IR_TRAIT_SAME_SHAPE,
  SAME_TYPES = GHLO_IR_TRAIT_SAME_TYPES,
  GRAPH_REGION = GHLO_IR_TRAIT_GRAPH_REGION,
  SAME_OPERAND_TYPES = GHLO_IR_TRAIT_SAME_OPERAND_TYPES,
  PAIRWISE_TYPES = GHLO_IR_TRAIT_PAIRWISE_TYPES,
  COMPATIBLE_OPERAND_ELEMENTS = GHLO_IR_TRAIT_COMPATIBLE_OPERAND_ELEMENTS,
  IDEMPOTENT = GHLO_IR_TRAIT_IDEMPOTENT,
  BROADCASTS_SCALARS = GHLO_IR_TRAIT_BROADCASTS_SCALARS,
};

#define ONE(name, types)   { name, GHLO_IR_ONE, types }
#define MAYBE(name, types) { name, GHLO_IR_OPTIONAL, types }
#define MANY(name, types)  { name, GHLO_IR_VARIADIC, types }

/* Kinds of attributes: constraint, detail. */
#define ANY                  GHLO_IR_KIND_ANY, 0
#define UNIT                 GHLO_IR_KIND_UNIT, 0
#define BOOL                 GHLO_IR_KIND_BOOL, 0
#define I32                  GHLO_IR_KIND_I32, 0
#define I64                  GHLO_IR_KIND_I64, 0
#define UI32                 GHLO_IR_KIND_UI32, 0
#define UI64                 GHLO_IR_KIND_UI64, 0
#define F32                  GHLO_IR_KIND_F32, 0
#define F64                  GHLO_IR_KIND_F64, 0
#define STRING               GHLO_IR_KIND_STRING, 0
#define TYPE                 GHLO_IR_KIND_TYPE, 0
#define ARRAY                GHLO_IR_KIND_ARRAY, 0
#define DICTIONARY           GHLO_IR_KIND_DICTIONARY, 0
#define DICTIONARIES         GHLO_IR_KIND_DICTIONARIES, 0
#define STRING_OR_DICTIONARY GHLO_IR_KIND_STRING_OR_DICTIONARY, 0
#define ELEMENTS             GHLO_IR_KIND_ELEMENTS, 0
#define I64_ELEMENTS         GHLO_IR_KIND_I64_ELEMENTS, 0
#define INDEX_VECTORS        GHLO_IR_KIND_INDEX_VECTORS, 0
#define INDEX_VECTOR_ARRAYS  GHLO_IR_KIND_INDEX_VECTOR_ARRAYS, 0
#define TYPED                GHLO_IR_KIND_TYPED, 0
#define I32_ARRAY            GHLO_IR_KIND_I32_ARRAY, 0
#define I64_ARRAY            GHLO_IR_KIND_I64_ARRAY, 0
#define BOOL_ARRAY           GHLO_IR_KIND_BOOL_ARRAY, 0
#define REPLICA_GROUPS       GHLO_IR_KIND_REPLICA_GROUPS, 0
#define SYMBOLS              GHLO_IR_KIND_SYMBOLS, 0
#define SYMBOL_ARRAYS        GHLO_IR_KIND_SYMBOL_ARRAYS, 0
#define SYMBOL_REF           GHLO_IR_KIND_SYMBOL, 0
#define ENUM(ID)             GHLO_IR_KIND_ENUM, GHLO_IR_ENUM_##ID
#define ENUMS(ID)            GHLO_IR_KIND_ENUMS, GHLO_IR_ENUM_##ID
#define STRUCT(ID)           GHLO_IR_KIND_STRUCT, GHLO_IR_STRUCT_##ID
#define STRUCTS(ID)          GHLO_IR_KIND_STRUCTS, GHLO_IR_STRUCT_##ID

#define REQ(name, kind)               { name, kind, GHLO_IR_REQUIRED, NULL, G_MININT64 }
#define REQ_MIN(name, kind, minimum)  { name, kind, GHLO_IR_REQUIRED, NULL, minimum }
#define OPT(name, kind)               { name, kind, GHLO_IR_OPTIONAL_ATTR, NULL, G_MININT64 }
#define OPT_MIN(name, kind, minimum)  { name, kind, GHLO_IR_OPTIONAL_ATTR, NULL, minimum }
#define DEF(name, kind, fallback)     { name, kind, GHLO_IR_DEFAULTED, fallback, G_MININT64 }

#define REGION(name)      { name, FALSE, FALSE }
#define REGION_LIST(name) { name, TRUE, FALSE }
#define REGION_LIST_ANY(name) { name, TRUE, TRUE }
#define REGION_ANY(name)  { name, FALSE, TRUE }

#define LIST(type, ...) (const type[]) { __VA_ARGS__ }
#define COUNT(type, ...) (sizeof (LIST (type, __VA_ARGS__)) / sizeof (type))

#define OPERANDS(...)   .operands = LIST (GhloIrGroupSpec, __VA_ARGS__), \
                        .n_operands = COUNT (GhloIrGroupSpec, __VA_ARGS__)
#define RESULTS(...)    .results = LIST (GhloIrGroupSpec, __VA_ARGS__), \
                        .n_results = COUNT (GhloIrGroupSpec, __VA_ARGS__)
#define ATTRIBUTES(...) .attributes = LIST (GhloIrAttrSpec, __VA_ARGS__), \
                        .n_attributes = COUNT (GhloIrAttrSpec, __VA_ARGS__)
#define REGIONS(...)    .regions = LIST (GhloIrRegionSpec, __VA_ARGS__), \
                        .n_regions = COUNT (GhloIrRegionSpec, __VA_ARGS__)
#define VERSIONS(...)   .versions = LIST (GhloIrVhloVersion, __VA_ARGS__), \
                        .n_versions = COUNT (GhloIrVhloVersion, __VA_ARGS__)
#define NEUTRAL(ID)     .neutral = GHLO_IR_NEUTRAL_##ID
#define ELEMENT_OP(ID)  .element_op = GHLO_OP_##ID

const GhloIrOpSpec ghlo_ir_op_specs[GHLO_N_OPS] = {
  [GHLO_OP_INVALID] = { .name = "", .summary = "" },
#define OP(ID, name_, summary_, traits_, verifier_, reference_, assembly_, ...) \
  [GHLO_OP_##ID] = { \
    .name = name_, .summary = summary_, .traits = traits_, .verifier = #verifier_, .reference = #reference_, \
    .assembly = assembly_, __VA_ARGS__ \
  },
#include "ir/ops.def"
};

/* Hash table of the rows by name: open addressing, filled once. */
enum { N_SLOTS = 1024 };

G_STATIC_ASSERT (GHLO_N_OPS < N_SLOTS / 2);

static guint16 slots[N_SLOTS];

static guint
hash_name (const char *name,
           gsize       length)
{
  guint hash = 5381;

  for (gsize i = 0; i < length; i++)
    hash = hash * 33 + (guchar) name[i];

  return hash;
}

static gpointer
fill_slots (gpointer data)
{
  for (guint kind = 1; kind < GHLO_N_OPS; kind++)
    {
      const char *name = ghlo_ir_op_specs[kind].name;
      guint slot = hash_name (name, strlen (name)) % N_SLOTS;

      while (slots[slot] != 0)
        slot = (slot + 1) % N_SLOTS;
      slots[slot] = (guint16) kind;
    }

  return NULL;
}

GhloIrOpKind
ghlo_ir_op_kind_from_name (const char *name,
                           gssize      length)
{
  static GOnce once = G_ONCE_INIT;
  gsize n = length < 0 ? strlen (name) : (gsize) length;

  g_once (&once, fill_slots, NULL);

  for (guint slot = hash_name (name, n) % N_SLOTS; slots[slot] != 0; slot = (slot + 1) % N_SLOTS)
    {
      const char *candidate = ghlo_ir_op_specs[slots[slot]].name;

      if (strlen (candidate) == n && memcmp (candidate, name, n) == 0)
        return slots[slot];
    }

  return GHLO_OP_INVALID;
}
