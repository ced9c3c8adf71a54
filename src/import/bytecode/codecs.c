/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The dialects with an encoding of their own for attributes and types.
 */

#include "import/bytecode/bytecode.h"

const GhloBytecodeCodec *const ghlo_bytecode_codecs[GHLO_BYTECODE_N_DIALECTS] = {
  [GHLO_BYTECODE_BUILTIN] = &ghlo_bytecode_builtin,
  [GHLO_BYTECODE_VHLO] = &ghlo_bytecode_vhlo,
  [GHLO_BYTECODE_STABLEHLO] = &ghlo_bytecode_stablehlo,
  [GHLO_BYTECODE_CHLO] = &ghlo_bytecode_chlo,
  [GHLO_BYTECODE_SDY] = &ghlo_bytecode_sdy,
};
