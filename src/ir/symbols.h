/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The symbols that attributes and operations refer to.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

/* Calls @func for each symbol reference in @attr (nullable), however deep it stands; of a nested
 * reference for the outermost name. */
void ghlo_ir_attr_foreach_symbol (const GhloIrAttr *attr,
                                  void            (*func) (const char *name,
                                                           gpointer    data),
                                  gpointer          data);
/* Calls @func for each operation that attributes of @op refer to, as seen from @op. Not for what
 * operations in its regions refer to, nor for names that nothing has. */
void ghlo_ir_op_foreach_symbol   (const GhloIrOp   *op,
                                  void            (*func) (GhloIrOp *symbol,
                                                           gpointer  data),
                                  gpointer          data);

G_END_DECLS
