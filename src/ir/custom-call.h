/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads the options of custom calls, for which frameworks use several places and every producer its own spelling.
 */

#pragma once

#include "base/fail.h"
#include "ir/module.h"

G_BEGIN_DECLS

/* An elementwise operation that exporters write as a call under MHLO's name. */
typedef struct
{
  const char   *target;
  GhloIrOpKind  kind;
} GhloIrMhloTarget;

/* Terminated by a row without a target. */
extern const GhloIrMhloTarget ghlo_ir_mhlo_targets[];

/* GHLO_OP_INVALID where @target, which is nullable, is none of them. */
GhloIrOpKind      ghlo_ir_mhlo_find                (const char     *target);

/* Returns the attribute @name of the call itself, or else that of the
 * first configuration dictionary that has one; NULL if there is none. */
const GhloIrAttr *ghlo_ir_custom_call_get          (const GhloIrOp *op,
                                                    const char     *name);

/* The verifier knows no call targets and checks none of these attributes, so each reader checks the kind. If the
 * attribute is absent, *@value keeps its value. If its kind is wrong, the functions return FALSE and set @problem to
 * a sentence that the caller frees. */
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
/* Reads a word of @enumeration. */
gboolean          ghlo_ir_custom_call_read_word    (const GhloIrOp *op,
                                                    const char     *name,
                                                    GhloIrEnum      enumeration,
                                                    const char    **value,
                                                    char          **problem);
/* Sets @problem to a message that @expected was expected as the attribute @name. Always returns FALSE. */
gboolean          ghlo_ir_custom_call_refuse       (const GhloIrOp *op,
                                                    const char     *name,
                                                    const char     *expected,
                                                    char          **problem);
#define ghlo_ir_custom_call_refuse(...) GHLO_FALSE_AFTER (ghlo_ir_custom_call_refuse (__VA_ARGS__))

/* Returns whether the call is only a hint about the order in
 * which its operands are computed, as JAX's control_dep is. */
gboolean          ghlo_ir_custom_call_is_hint      (const GhloIrOp *op);

G_END_DECLS
