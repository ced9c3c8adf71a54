/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The rows of attrs.def as constant data.
 */

#include "ir/attr.h"

#define WORDS(...) (const char *const[]) { __VA_ARGS__, NULL }

const GhloIrEnumSpec ghlo_ir_enum_specs[] = {
#define ENUMERATION(ID, dialect, mnemonic, ...) { dialect, mnemonic, WORDS (__VA_ARGS__) },
#include "ir/attrs.def"
};

#define DIMS(name)     { name, GHLO_IR_FIELD_DIMS, TRUE }
#define INT(name)      { name, GHLO_IR_FIELD_INT, FALSE }
#define OPT_INT(name)  { name, GHLO_IR_FIELD_INT, TRUE }
#define BOOL(name)     { name, GHLO_IR_FIELD_BOOL, FALSE }
#define TYPE(name)     { name, GHLO_IR_FIELD_TYPE, FALSE }
#define STRING(name)   { name, GHLO_IR_FIELD_STRING, FALSE }
#define OPT_REAL(name) { name, GHLO_IR_FIELD_REAL, TRUE }
#define ATTR(name)     { name, GHLO_IR_FIELD_ATTR, FALSE }
#define OPT_ATTR(name) { name, GHLO_IR_FIELD_ATTR, TRUE }

#define FIELDS(...) \
  (const GhloIrField[]) { __VA_ARGS__ }, sizeof ((const GhloIrField[]) { __VA_ARGS__ }) / sizeof (GhloIrField)

const GhloIrStructSpec ghlo_ir_struct_specs[] = {
#define STRUCTURE(ID, dialect, mnemonic, ...) { dialect, mnemonic, FIELDS (__VA_ARGS__) },
#include "ir/attrs.def"
};
