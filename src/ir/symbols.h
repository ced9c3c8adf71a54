/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Visits the symbols that attributes and operations refer to.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

/* Calls @func for each symbol reference in @attr (nullable), at
 * any depth. For a nested reference it gets the outermost name. */
void ghlo_ir_attr_foreach_symbol (const GhloIrAttr *attr,
                                  void            (*func) (const char *name,
                                                           gpointer    data),
                                  gpointer          data);
/* Calls @func for each operation that the attributes of @op refer to, resolved from @op. Skips references in @op's
 * regions and names that resolve to nothing. */
void ghlo_ir_op_foreach_symbol   (const GhloIrOp   *op,
                                  void            (*func) (GhloIrOp *symbol,
                                                           gpointer  data),
                                  gpointer          data);

G_END_DECLS
