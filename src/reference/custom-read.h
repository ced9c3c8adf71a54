/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Checked access to the operands and results of custom calls. The verifier knows of these only that they have some
 * type, so each function returns FALSE with a DATA error where the call does not have what is expected.
 */

#pragma once

#include "reference/kernel.h"

G_BEGIN_DECLS

gboolean ghlo_ref_custom_counts              (const GhloRefCall  *call,
                                              guint               n_operands,
                                              guint               n_results,
                                              GError            **error);
/* Operand @index must be a tensor that is not quantized. */
gboolean ghlo_ref_custom_numbers             (const GhloRefCall  *call,
                                              guint               index,
                                              GError            **error);
/* Operand @index must be a tensor of at most @most integers. */
gboolean ghlo_ref_custom_integers            (const GhloRefCall  *call,
                                              guint               index,
                                              gsize               most,
                                              GError            **error);
/* Reads an operand of a single integer, or of a single boolean. */
gboolean ghlo_ref_custom_read_integer        (const GhloRefCall  *call,
                                              guint               index,
                                              gint64             *value,
                                              GError            **error);
gboolean ghlo_ref_custom_read_predicate      (const GhloRefCall  *call,
                                              guint               index,
                                              gboolean           *value,
                                              GError            **error);
/* The program must declare result @index as a tensor of that type, or of integers. ghlo_ref_result() checks
 * its shape. */
gboolean ghlo_ref_custom_result_has          (const GhloRefCall  *call,
                                              guint               index,
                                              GhloElementType     type,
                                              GError            **error);
gboolean ghlo_ref_custom_result_has_integers (const GhloRefCall  *call,
                                              guint               index,
                                              GError            **error);
/* Fails with @problem, a message of ir/custom-call.h about an attribute, and frees it. Always FALSE. */
gboolean ghlo_ref_custom_fail                (const GhloRefCall  *call,
                                              char               *problem,
                                              GError            **error);
#define ghlo_ref_custom_fail(...) GHLO_FALSE_AFTER (ghlo_ref_custom_fail (__VA_ARGS__))

G_END_DECLS
