/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Comparisons of tensors, shared by the check operations and the custom calls of
 * the same names. On a mismatch all of them fail with a DATA error that names the
 * first differing elements.
 */

#pragma once

#include "reference/kernel.h"

G_BEGIN_DECLS

/* Corresponding elements must be equal numbers: NaN equals nothing, and +0 equals -0. */
gboolean ghlo_ref_check_equal        (GhloRefCall        *call,
                                      const GhloValue    *actual,
                                      const GhloValue    *expected,
                                      GError            **error);
/* Corresponding elements may differ by at most @tolerance. NaN matches NaN, and an infinity matches itself.
 * Elements that are neither float nor complex must be equal. */
gboolean ghlo_ref_check_almost_equal (GhloRefCall        *call,
                                      const GhloValue    *actual,
                                      const GhloValue    *expected,
                                      double              tolerance,
                                      GError            **error);
/* Corresponding elements must lie at least @minimum and at most @maximum ULPs (representable steps of their
 * format) apart. NaN is zero ULPs from NaN. */
gboolean ghlo_ref_check_close        (GhloRefCall        *call,
                                      const GhloValue    *actual,
                                      const GhloValue    *expected,
                                      guint64             minimum,
                                      guint64             maximum,
                                      GError            **error);

G_END_DECLS
