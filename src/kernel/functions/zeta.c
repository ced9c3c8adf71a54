/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The Hurwitz zeta function and the polygamma functions for f32, like those for f64 with fewer terms.
 */

#include "kernel/functions/f64/zeta.h"

static const ZetaMethod method = { 4, 7 };

guint
ghlo_expand_zeta (Builder         *b,
                  GhloElementType  type,
                  const guint     *operands)
{
  return narrow (b, ghlo_expand_wide_zeta (b, &method, widen (b, operands[0]), widen (b, operands[1])));
}

guint
ghlo_expand_polygamma (Builder         *b,
                       GhloElementType  type,
                       const guint     *operands)
{
  guint n = operands[0], digamma = ghlo_expand_digamma (b, type, &operands[1]), result;

  result = narrow (b, ghlo_expand_wide_polygamma (b, &method, widen (b, n), widen (b, operands[1])));

  return choose (b, is_real (b, n, 0), digamma, result);
}
