/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The Hurwitz zeta function and the polygamma functions of order 1 or more, on f64 nodes, with selectable accuracy.
 */

#pragma once

#include "kernel/functions/f64/double.h"

G_BEGIN_DECLS

typedef struct
{
  guint n_terms;                /* terms that are added individually, on each side of the pole */
  guint n_corrections;          /* corrections for the remaining terms */
} ZetaMethod;

guint ghlo_expand_wide_zeta      (Builder *b, const ZetaMethod *method, guint s, guint q);
guint ghlo_expand_wide_polygamma (Builder *b, const ZetaMethod *method, guint n, guint x);

G_END_DECLS
