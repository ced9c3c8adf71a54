/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A level's functions for each number type and operation as rows of a table; @prefix is that of their names. Booleans
 * are not among them.
 */

#pragma once

#define INTEGER_COMBINERS(prefix, bits, sign) \
  { \
    [GHLO_COMBINER_ADD] = prefix##add_##bits, \
    [GHLO_COMBINER_AND] = prefix##and_##bits, \
    [GHLO_COMBINER_MAXIMUM] = prefix##maximum_##sign##bits, \
    [GHLO_COMBINER_MINIMUM] = prefix##minimum_##sign##bits, \
    [GHLO_COMBINER_MULTIPLY] = prefix##multiply_##bits, \
    [GHLO_COMBINER_OR] = prefix##or_##bits, \
    [GHLO_COMBINER_XOR] = prefix##xor_##bits, \
  }

#define FLOAT_COMBINERS(prefix, suffix) \
  { \
    [GHLO_COMBINER_ADD] = prefix##add_##suffix, \
    [GHLO_COMBINER_MAXIMUM] = prefix##maximum_##suffix, \
    [GHLO_COMBINER_MINIMUM] = prefix##minimum_##suffix, \
    [GHLO_COMBINER_MULTIPLY] = prefix##multiply_##suffix, \
  }

#define NUMBER_COMBINERS(prefix) \
  [GHLO_CPU_NUMBER_S8] = INTEGER_COMBINERS (prefix, 8, s), \
  [GHLO_CPU_NUMBER_S16] = INTEGER_COMBINERS (prefix, 16, s), \
  [GHLO_CPU_NUMBER_S32] = INTEGER_COMBINERS (prefix, 32, s), \
  [GHLO_CPU_NUMBER_S64] = INTEGER_COMBINERS (prefix, 64, s), \
  [GHLO_CPU_NUMBER_U8] = INTEGER_COMBINERS (prefix, 8, u), \
  [GHLO_CPU_NUMBER_U16] = INTEGER_COMBINERS (prefix, 16, u), \
  [GHLO_CPU_NUMBER_U32] = INTEGER_COMBINERS (prefix, 32, u), \
  [GHLO_CPU_NUMBER_U64] = INTEGER_COMBINERS (prefix, 64, u), \
  [GHLO_CPU_NUMBER_F32] = FLOAT_COMBINERS (prefix, f32), \
  [GHLO_CPU_NUMBER_F64] = FLOAT_COMBINERS (prefix, f64)
