/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Instantiates the factorizations that end after a known number of steps, and the solvers of linear systems, for
 * real and for complex numbers.
 */

#include "reference/algebra/lapack.h"

#include <math.h>
#include <string.h>

#define IS_COMPLEX FALSE
#include "reference/algebra/number-real.h"
#include "reference/algebra/linalg-template.h"
#include "reference/algebra/reflect-template.h"
#include "reference/algebra/hermitian-template.h"
#include "reference/algebra/factorize-template.h"
#include "reference/algebra/tridiagonal-template.h"
#include "reference/algebra/number-none.h"

#define IS_COMPLEX TRUE
#include "reference/algebra/number-complex.h"
#include "reference/algebra/linalg-template.h"
#include "reference/algebra/reflect-template.h"
#include "reference/algebra/hermitian-template.h"
#include "reference/algebra/factorize-template.h"
#include "reference/algebra/tridiagonal-template.h"
#include "reference/algebra/number-none.h"
