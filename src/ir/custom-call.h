/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The options of custom calls, which frameworks write in several places.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

/* An attribute of one of the dictionaries that calls carry theirs in; NULL where none has it. */
const GhloIrAttr *ghlo_ir_custom_call_get     (const GhloIrOp *op,
                                               const char     *name);
/* The same of an integer or boolean, else @fallback. */
gint64            ghlo_ir_custom_call_get_int (const GhloIrOp *op,
                                               const char     *name,
                                               gint64          fallback);

/* Whether the call only asks for an order of what its operands are made by, which is a hint: JAX's control_dep. */
gboolean          ghlo_ir_custom_call_is_hint (const GhloIrOp *op);

G_END_DECLS
