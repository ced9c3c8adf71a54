/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is known about the numbers of a value in a random program, so that two executors' answers can be compared
 * without false alarms (design section 7a). The facts are propagated through the program: sums of small multiples of a
 * half are exact in any order, a function has an error in ULPs, and errors add up. Operations that are discontinuous (a
 * comparison, floor, a sort) get exact operands only.
 */

#pragma once

#include "base/element.h"
#include "kernel/scalar.h"
#include "runtime/value.h"

typedef enum
{
  RANDOM_NONE,     /* another correct executor may give any answer */
  RANDOM_NEAR,     /* within error and ulps */
  RANDOM_EQUAL,    /* equal, except that zeros may have either sign */
  RANDOM_BITS,     /* equal bits, or both NaN */
} RandomTrust;

typedef struct
{
  RandomTrust trust;
  double      error;        /* NEAR: the largest error of an element, besides ulps */
  double      ulps;         /* NEAR: in ULPs of the element itself */
  double      magnitude;    /* of the finite numbers (parts of complex numbers); INFINITY: unknown */
  double      step;         /* all finite numbers are multiples of it; 0: unknown */
  gboolean    specials;     /* NaNs and infinities occur */
  gboolean    reordered;    /* passes may change the order of its summation, or the operations that round it */
} RandomNumbers;

/* How the elements of an input or constant are chosen. */
typedef enum
{
  RANDOM_FILL_GRID,         /* small multiples of a half, or of one in narrow types */
  RANDOM_FILL_SPECIAL,      /* the same, including NaN, infinities, -0 and extreme integers */
  RANDOM_FILL_WILD,         /* special values of all magnitudes */
  RANDOM_FILL_PLAIN,        /* values that rules look for: 0, -0, 1, -1, 2 and the like */
  RANDOM_FILL_POSITIVE,     /* positive definite matrices in the last two dimensions, or positive numbers */
  RANDOM_FILL_ANY,          /* one of GRID, SPECIAL and WILD; only for choosing */
} RandomFill;

/* How an operation treats operands whose bits may differ between executors. */
typedef enum
{
  RANDOM_JUMPS,             /* not usable: discontinuous */
  RANDOM_JOINS,             /* returns one of them, or its negative */
  RANDOM_ADDS,
  RANDOM_MULTIPLIES,
} RandomContinuity;

typedef struct
{
  gboolean         sees_zeros;    /* the sign of a zero affects more than the sign of zeros in the result */
  RandomContinuity continuity;
} RandomRule;

/* A function whose rounding is up to the executor: in f32 and f64 within the ULPs that the table of scalar
 * operations states. */
typedef struct
{
  double units;             /* the maximal additional error, in multiples of the type's epsilon */
  enum
  {
    RANDOM_RANGE_OPEN,      /* may leave the type's range */
    RANDOM_RANGE_LOW,       /* stays within the range except at poles, without a useful bound */
    RANDOM_RANGE_ONE,       /* within 4, slope within 2 */
    RANDOM_RANGE_SAME,      /* within the operand's magnitude, slope within 1 */
    RANDOM_RANGE_EXP,       /* within exp of the operand's magnitude, and so is the slope */
  } range;
} RandomFunction;

RandomNumbers random_numbers_unknown  (void);
RandomNumbers random_numbers_small    (double magnitude,
                                       double step);
/* For a tensor filled in this way. */
RandomNumbers random_numbers_filled   (GhloElementType type,
                                       RandomFill      fill);
/* For elements that each come from either. */
RandomNumbers random_numbers_join     (RandomNumbers a,
                                       RandomNumbers b);
/* For an operation that rounds its exact answer once, over values of @type. */
RandomNumbers random_numbers_exact    (GhloElementType      type,
                                       const RandomRule    *rule,
                                       const RandomNumbers *operands,
                                       guint                n);
RandomNumbers random_numbers_function (GhloElementType       type,
                                       GhloScalarKind        kind,
                                       const RandomFunction *function,
                                       const RandomNumbers  *operands,
                                       guint                 n);
/* For sums of @n terms, added in any order; the terms are products when @b is not NULL. */
RandomNumbers random_numbers_sum      (GhloElementType      type,
                                       RandomNumbers        a,
                                       const RandomNumbers *b,
                                       double               n);
/* For products of @n such numbers. */
RandomNumbers random_numbers_product  (GhloElementType type,
                                       RandomNumbers   a,
                                       double          n);
/* For a conversion to @type. */
RandomNumbers random_numbers_convert  (GhloElementType from,
                                       GhloElementType type,
                                       RandomNumbers   a);
/* For a numerically stable algorithm over @n numbers: magnitudes up to @a times @growth, and an error of some
 * roundings of each. */
RandomNumbers random_numbers_stable   (GhloElementType type,
                                       RandomNumbers   a,
                                       double          growth,
                                       double          n);

double        random_epsilon          (GhloElementType      type);
double        random_largest          (GhloElementType      type);

/* Fills a dense tensor; the same @seed gives the same elements. */
void          random_fill             (GhloElementType type,
                                       const gint64   *dimensions,
                                       guint           rank,
                                       RandomFill      fill,
                                       guint32         seed,
                                       guint8         *data);
/* A tensor of the static @type, filled likewise; quantized elements stay within their storage's range. NULL when out
 * of memory. */
GhloValue    *random_input            (GhloTensorType      *type,
                                       RandomFill           fill,
                                       guint32              seed);
/* Describes where two values differ by more than @numbers allow, in a sentence that the caller frees; NULL when they
 * agree. With @same_bits only NaNs may differ. */
char         *random_compare          (const GhloValue     *expected,
                                       const GhloValue     *found,
                                       const RandomNumbers *numbers,
                                       gboolean             same_bits);
