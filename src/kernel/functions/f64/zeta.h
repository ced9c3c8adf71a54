/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Hurwitz' zeta function and the polygamma functions of f64 nodes, as accurate as is asked for. The latter of orders
 * from 1 on.
 */

#pragma once

#include "kernel/functions/f64/double.h"

G_BEGIN_DECLS

typedef struct
{
  guint n_terms;                /* that are summed one by one, on each side of the pole */
  guint n_corrections;          /* of what is left of them */
} ZetaMethod;

guint ghlo_expand_wide_zeta      (Builder *b, const ZetaMethod *method, guint s, guint q);
guint ghlo_expand_wide_polygamma (Builder *b, const ZetaMethod *method, guint n, guint x);

G_END_DECLS
