/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pretty form of an operation as a list of elements. The parser and the printer both walk this list, one to read
 * and the other to write. The format string of a row is split at its spaces once, on first use, into these words:
 *
 *   $name           the operands, attribute or region of that name
 *   @operands       all operands, separated by commas
 *   @attrs          the dictionary of the attributes that the form does not show
 *   @functional     "(operand types) -> result types"
 *   @type(name)     the types of an operand or result group, separated by commas
 *   @same           types of operands and results, written once if all are
 *                   equal (MLIR's SameOperandsAndResultType)
 *   @word           any other custom directive, listed in assembly.def
 *   [? … ?]         optional group: present if its first $name is present (or, for an
 *                   attribute with a default, if the value differs from the default)
 *   anything else   stands for itself: a keyword or punctuation
 */

#pragma once

#include "ir/op-spec.h"

G_BEGIN_DECLS

typedef enum
{
  GHLO_IR_ASM_LITERAL,       /* text */
  GHLO_IR_ASM_OPERANDS,      /* index: operand group */
  GHLO_IR_ASM_ATTRIBUTE,     /* index: attribute */
  GHLO_IR_ASM_REGION,        /* index: region */
  GHLO_IR_ASM_ALL_OPERANDS,
  GHLO_IR_ASM_ATTR_DICT,
  GHLO_IR_ASM_FUNCTIONAL,
  GHLO_IR_ASM_OPERAND_TYPES, /* index: operand group */
  GHLO_IR_ASM_RESULT_TYPES,  /* index: result group */
  GHLO_IR_ASM_CUSTOM,        /* index: GhloIrAsmDirective */
  GHLO_IR_ASM_OPEN,          /* optional group; index: element after its CLOSE */
  GHLO_IR_ASM_CLOSE,
} GhloIrAsmKind;

/* Custom directives, spelled as in ops.def: "@slice-ranges" is GHLO_IR_DIRECTIVE_SLICE_RANGES. */
typedef enum
{
#define DIRECTIVE(ID, word) GHLO_IR_DIRECTIVE_##ID,
#include "ir/assembly.def"
  GHLO_IR_N_DIRECTIVES
} GhloIrAsmDirective;

typedef struct
{
  GhloIrAsmKind  kind;
  guint          index;
  const char    *text;       /* LITERAL */
} GhloIrAsmElement;

typedef struct
{
  GhloIrAsmElement *elements;
  guint             n_elements;
  guint64           shown;     /* bit i is set if the form itself shows inherent attribute i */
} GhloIrAssembly;

/* Returns NULL if the row has no pretty form. Thread-safe; the result lives as long as the process. */
const GhloIrAssembly *ghlo_ir_assembly_get (GhloIrOpKind kind);

G_END_DECLS
