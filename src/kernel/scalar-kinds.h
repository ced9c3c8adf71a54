/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The scalar operations of scalar.def as an enumeration, and those of them that reductions combine with. This
 * header is separate for loops that do not know the IR.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  GHLO_SCALAR_INVALID,
#define SCALAR(DIALECT, ID, ...) GHLO_SCALAR_##ID,
#include "kernel/scalar.def"
  GHLO_N_SCALARS
} GhloScalarKind;

typedef enum
{
  GHLO_COMBINER_NONE,
#define COMBINER(DIALECT, ID, ...) GHLO_COMBINER_##ID,
#include "kernel/scalar.def"
  GHLO_N_COMBINERS
} GhloCombiner;

G_END_DECLS
