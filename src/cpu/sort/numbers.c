/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Includes the sorting of numbers for each width.
 */

#include "cpu/sort/numbers.h"

#include "cpu/isa/routines.h"

#include <string.h>

#define NUMBER guint32
#define FUNCTION(name) name##_u32
#include "cpu/sort/template.h"
#undef NUMBER
#undef FUNCTION

#define NUMBER guint64
#define FUNCTION(name) name##_u64
#include "cpu/sort/template.h"
#undef NUMBER
#undef FUNCTION
