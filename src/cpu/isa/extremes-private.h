/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Floats as bits, and minima and maxima in which NaN wins and -0 is below +0. Shared by elementwise loops and folds
 * of kernels, so that both give the same bits.
 */

#pragma once

#include "cpu/isa/elementwise-private.h"

#include <string.h>

#define FLOAT_EXTREMES(T, U, suffix) \
  static inline U \
  bits_##suffix (T value) \
  { \
    U bits; \
\
    memcpy (&bits, &value, sizeof (bits)); \
\
    return bits; \
  } \
\
  static inline T \
  from_bits_##suffix (U bits) \
  { \
    T value; \
\
    memcpy (&value, &bits, sizeof (value)); \
\
    return value; \
  } \
\
  /* Equal numbers differ in bits only if they are zeros of opposite sign. Where one number is NaN, the sum is NaN \
   * too. */ \
  static inline T \
  larger_##suffix (T x, \
                   T y) \
  { \
    T other = x == y ? from_bits_##suffix (bits_##suffix (x) & bits_##suffix (y)) : x + y; \
\
    other = x < y ? y : other; \
\
    return x > y ? x : other; \
  } \
\
  static inline T \
  smaller_##suffix (T x, \
                    T y) \
  { \
    T other = x == y ? from_bits_##suffix (bits_##suffix (x) | bits_##suffix (y)) : x + y; \
\
    other = x > y ? y : other; \
\
    return x < y ? x : other; \
  }

FLOAT_EXTREMES (F32, U32, f32)
FLOAT_EXTREMES (F64, U64, f64)

#undef FLOAT_EXTREMES
