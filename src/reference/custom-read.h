/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reading custom calls, of which the verifier has only seen that their operands and results are of some type. Each
 * answers FALSE with a DATA error where the call has something else.
 */

#pragma once

#include "reference/kernel.h"

G_BEGIN_DECLS

gboolean ghlo_ref_custom_counts              (const GhloRefCall  *call,
                                              guint               n_operands,
                                              guint               n_results,
                                              GError            **error);
/* Operand @index is a tensor, not quantized. */
gboolean ghlo_ref_custom_numbers             (const GhloRefCall  *call,
                                              guint               index,
                                              GError            **error);
/* Of integers, at most @most of them. */
gboolean ghlo_ref_custom_integers            (const GhloRefCall  *call,
                                              guint               index,
                                              gsize               most,
                                              GError            **error);
/* One integer, and one boolean. */
gboolean ghlo_ref_custom_read_integer        (const GhloRefCall  *call,
                                              guint               index,
                                              gint64             *value,
                                              GError            **error);
gboolean ghlo_ref_custom_read_predicate      (const GhloRefCall  *call,
                                              guint               index,
                                              gboolean           *value,
                                              GError            **error);
/* The program says a tensor of that type, or of integers, for result @index. Its shape is ghlo_ref_result()'s to
 * check. */
gboolean ghlo_ref_custom_result_has          (const GhloRefCall  *call,
                                              guint               index,
                                              GhloElementType     type,
                                              GError            **error);
gboolean ghlo_ref_custom_result_has_integers (const GhloRefCall  *call,
                                              guint               index,
                                              GError            **error);
/* Fails with @problem, which it frees: what ir/custom-call.h says of an attribute. Always FALSE. */
gboolean ghlo_ref_custom_fail                (const GhloRefCall  *call,
                                              char               *problem,
                                              GError            **error);
#define ghlo_ref_custom_fail(...) GHLO_FALSE_AFTER (ghlo_ref_custom_fail (__VA_ARGS__))

G_END_DECLS
