/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tridiagonal systems that may be singular, which LAPACK supports only for real numbers and a single right-hand side.
 * They are called like LAPACK functions, as the row of ir/lapack.def says.
 */

#include "cpu/linalg/tridiagonal.h"

#include <complex.h>
#include <float.h>
#include <math.h>

#define NUMBER float
#define REAL float
#define NAME(name) name##_s
#define SIZE(x) fabsf (x)
#define SIGN(x) (x)
#define EPSILON FLT_EPSILON
#define SMALLEST FLT_MIN
#include "cpu/linalg/tridiagonal-template.h"

#define NUMBER double
#define REAL double
#define NAME(name) name##_d
#define SIZE(x) fabs (x)
#define SIGN(x) (x)
#define EPSILON DBL_EPSILON
#define SMALLEST DBL_MIN
#include "cpu/linalg/tridiagonal-template.h"

#define NUMBER float _Complex
#define REAL float
#define NAME(name) name##_c
#define SIZE(x) (fabsf (crealf (x)) + fabsf (cimagf (x)))
#define SIGN(x) crealf (x)
#define EPSILON FLT_EPSILON
#define SMALLEST FLT_MIN
#include "cpu/linalg/tridiagonal-template.h"

#define NUMBER double _Complex
#define REAL double
#define NAME(name) name##_z
#define SIZE(x) (fabs (creal (x)) + fabs (cimag (x)))
#define SIGN(x) creal (x)
#define EPSILON DBL_EPSILON
#define SMALLEST DBL_MIN
#include "cpu/linalg/tridiagonal-template.h"

gpointer
ghlo_cpu_tridiagonal_find (const GhloIrLapackCall *call)
{
  if (call->routine != GHLO_IR_LAPACK_GTSV_PERTURBED)
    return NULL;
  switch (call->type)
    {
    case GHLO_ELEMENT_TYPE_F32:
      return (gpointer) solve_s;
    case GHLO_ELEMENT_TYPE_F64:
      return (gpointer) solve_d;
    case GHLO_ELEMENT_TYPE_COMPLEX_F32:
      return (gpointer) solve_c;
    case GHLO_ELEMENT_TYPE_COMPLEX_F64:
      return (gpointer) solve_z;
    default:
      return NULL;
    }
}
