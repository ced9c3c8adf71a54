/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The sections of MLIR bytecode by their ids (MLIR: Bytecode/Encoding.h).
 */

#pragma once

/* Ids of sections. A dialect version section is part of the dialect section; IR sections may be nested; all others
 * stand in the file itself. */
typedef enum
{
  GHLO_BYTECODE_SECTION_STRINGS,
  GHLO_BYTECODE_SECTION_DIALECTS,
  GHLO_BYTECODE_SECTION_ATTRIBUTES,
  GHLO_BYTECODE_SECTION_ATTRIBUTE_OFFSETS,
  GHLO_BYTECODE_SECTION_IR,
  GHLO_BYTECODE_SECTION_RESOURCES,
  GHLO_BYTECODE_SECTION_RESOURCE_OFFSETS,
  GHLO_BYTECODE_SECTION_DIALECT_VERSIONS,
  GHLO_BYTECODE_SECTION_PROPERTIES,
  GHLO_BYTECODE_N_SECTIONS
} GhloBytecodeSection;
