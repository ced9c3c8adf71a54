/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Comparisons of tensors that the check operations, and the custom calls of
 * those names, are made of. All fail with a DATA error that names the first
 * elements that differ.
 */

#pragma once

#include "reference/kernel.h"

G_BEGIN_DECLS

/* Every element is the same number: NaN equals nothing, and the zeros are equal. */
gboolean ghlo_ref_check_equal        (GhloRefCall        *call,
                                      const GhloValue    *actual,
                                      const GhloValue    *expected,
                                      GError            **error);
/* Every element differs by at most @tolerance; NaN is near NaN, an infinity near
 * itself. What is neither float nor complex must be equal. */
gboolean ghlo_ref_check_almost_equal (GhloRefCall        *call,
                                      const GhloValue    *actual,
                                      const GhloValue    *expected,
                                      double              tolerance,
                                      GError            **error);
/* Between every two elements lie at least @minimum and at most @maximum steps
 * of their format; NaN is no step from NaN. */
gboolean ghlo_ref_check_close        (GhloRefCall        *call,
                                      const GhloValue    *actual,
                                      const GhloValue    *expected,
                                      guint64             minimum,
                                      guint64             maximum,
                                      GError            **error);

G_END_DECLS
