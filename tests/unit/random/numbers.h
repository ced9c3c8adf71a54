/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is known of the numbers of a value in a random program, so that two executors'
 * answers can be compared without false alarms (design section 7a). It follows the value
 * through the program: sums of small multiples of a half are exact in any order, a
 * function has its units in the last place, and errors add up. What may jump when its
 * operand is a little off (a comparison, floor, a sort) is made of exact operands only.
 */

#pragma once

#include "base/element.h"
#include "kernel/scalar.h"
#include "runtime/value.h"

typedef enum
{
  RANDOM_NONE,     /* another right executor may answer anything */
  RANDOM_NEAR,     /* within error and ulps */
  RANDOM_EQUAL,    /* equal, but a zero may have either sign */
  RANDOM_BITS,     /* the same bits, or both NaN */
} RandomTrust;

typedef struct
{
  RandomTrust trust;
  double      error;        /* NEAR: most that an element may be away, besides ulps */
  double      ulps;         /* NEAR: in units of the element's own last place */
  double      magnitude;    /* of what is finite (parts of complex numbers); INFINITY: not known */
  double      step;         /* everything finite is a multiple of it; 0: not known */
  gboolean    specials;     /* NaN and infinities among them */
  gboolean    reordered;    /* passes may add it up in another order */
} RandomNumbers;

/* How the elements of an input or constant are chosen. */
typedef enum
{
  RANDOM_FILL_GRID,         /* small multiples of a half, or of one in narrow types */
  RANDOM_FILL_SPECIAL,      /* the same with NaN, infinities, -0 and extreme integers among them */
  RANDOM_FILL_WILD,         /* awkward numbers of all sizes */
  RANDOM_FILL_PLAIN,        /* what rules look for: 0, -0, 1, -1, 2 and the like */
  RANDOM_FILL_POSITIVE,     /* positive definite matrices in the last two dimensions; else positive numbers */
  RANDOM_FILL_ANY,          /* one of GRID, SPECIAL and WILD; of choosing only */
} RandomFill;

/* How an operation treats operands that are not the same bits everywhere. */
typedef enum
{
  RANDOM_JUMPS,             /* no use to it */
  RANDOM_JOINS,             /* gives one of them, or its negative */
  RANDOM_ADDS,
  RANDOM_MULTIPLIES,
} RandomContinuity;

typedef struct
{
  gboolean         sees_zeros;    /* the sign of a zero makes a difference other than in a zero's sign */
  RandomContinuity continuity;
} RandomRule;

/* A function whose answer is rounded in the executor's own way: within the units in the last
 * place that the table of scalar operations has, in f32 and f64. */
typedef struct
{
  double units;             /* the most besides, in multiples of the type's epsilon */
  enum
  {
    RANDOM_RANGE_OPEN,      /* may leave the type's range */
    RANDOM_RANGE_LOW,       /* stays in it but at poles, with no bound that would be of use */
    RANDOM_RANGE_ONE,       /* within 4, slope within 2 */
    RANDOM_RANGE_SAME,      /* within the operand's magnitude, slope within 1 */
    RANDOM_RANGE_EXP,       /* within exp of it, and so the slope */
  } range;
} RandomFunction;

RandomNumbers random_numbers_unknown  (void);
RandomNumbers random_numbers_small    (double magnitude,
                                       double step);
/* Of a tensor filled that way. */
RandomNumbers random_numbers_filled   (GhloElementType type,
                                       RandomFill      fill);
/* Of elements each of which comes from either. */
RandomNumbers random_numbers_join     (RandomNumbers a,
                                       RandomNumbers b);
/* Of an operation that rounds its exact answer once, over values of @type. */
RandomNumbers random_numbers_exact    (GhloElementType      type,
                                       const RandomRule    *rule,
                                       const RandomNumbers *operands,
                                       guint                n);
RandomNumbers random_numbers_function (GhloElementType       type,
                                       GhloScalarKind        kind,
                                       const RandomFunction *function,
                                       const RandomNumbers  *operands,
                                       guint                 n);
/* Of @n terms added up in any order, products when @b is not NULL. */
RandomNumbers random_numbers_sum      (GhloElementType      type,
                                       RandomNumbers        a,
                                       const RandomNumbers *b,
                                       double               n);
/* Of the product of @n of them. */
RandomNumbers random_numbers_product  (GhloElementType type,
                                       RandomNumbers   a,
                                       double          n);
/* After conversion to @type. */
RandomNumbers random_numbers_convert  (GhloElementType from,
                                       GhloElementType type,
                                       RandomNumbers   a);
/* Of an algorithm over @n numbers that is stable: @a times @growth, and an error of some roundings of each. */
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
/* A tensor of static @type filled so; quantized ones stay within their storage's range. NULL when memory is short. */
GhloValue    *random_input            (GhloTensorType      *type,
                                       RandomFill           fill,
                                       guint32              seed);
/* Where two values differ by more than @numbers allow, as a sentence that the caller
 * frees; NULL when they agree. With @same_bits only NaNs may differ. */
char         *random_compare          (const GhloValue     *expected,
                                       const GhloValue     *found,
                                       const RandomNumbers *numbers,
                                       gboolean             same_bits);
