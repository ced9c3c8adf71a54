/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The options of custom calls, which frameworks write in several places and anybody writes as they like.
 */

#pragma once

#include "base/fail.h"
#include "ir/module.h"

G_BEGIN_DECLS

/* An attribute of the call's own, else of one of the dictionaries that calls carry theirs in; NULL where there is
 * none. */
const GhloIrAttr *ghlo_ir_custom_call_get          (const GhloIrOp *op,
                                                    const char     *name);

/* The verifier knows no target, and looks at none of these attributes: each is read by its kind. What is not there
 * leaves *@value as it is; what is of another kind is FALSE, with a sentence in @problem, owned by the caller. */
gboolean          ghlo_ir_custom_call_read_integer (const GhloIrOp *op,
                                                    const char     *name,
                                                    gint64         *value,
                                                    char          **problem);
gboolean          ghlo_ir_custom_call_read_boolean (const GhloIrOp *op,
                                                    const char     *name,
                                                    gboolean       *value,
                                                    char          **problem);
gboolean          ghlo_ir_custom_call_read_real    (const GhloIrOp *op,
                                                    const char     *name,
                                                    double         *value,
                                                    char          **problem);
gboolean          ghlo_ir_custom_call_read_text    (const GhloIrOp *op,
                                                    const char     *name,
                                                    const char    **value,
                                                    char          **problem);
/* A word of @enumeration. */
gboolean          ghlo_ir_custom_call_read_word    (const GhloIrOp *op,
                                                    const char     *name,
                                                    GhloIrEnum      enumeration,
                                                    const char    **value,
                                                    char          **problem);
/* Says that @expected belongs in the place of the attribute; always FALSE. */
gboolean          ghlo_ir_custom_call_refuse       (const GhloIrOp *op,
                                                    const char     *name,
                                                    const char     *expected,
                                                    char          **problem);
#define ghlo_ir_custom_call_refuse(...) GHLO_FALSE_AFTER (ghlo_ir_custom_call_refuse (__VA_ARGS__))

/* Whether the call only asks for an order of what its operands are made by, which is a hint: JAX's control_dep. */
gboolean          ghlo_ir_custom_call_is_hint      (const GhloIrOp *op);

G_END_DECLS
