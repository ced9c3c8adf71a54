/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * When two operations of one module say the same. Attributes and types are interned, so of
 * those it is a comparison of pointers; regions are compared operation by operation.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

/* Kind, attributes, types of operands and results, and regions are the same; which values the
 * operands are does not count. What regions take from outside of them has to be the same values. */
gboolean ghlo_ir_op_is_like     (const GhloIrOp *a,
                                 const GhloIrOp *b);
/* The operands are the same values as well; those of a commutative elementwise operation in either
 * order. */
gboolean ghlo_ir_op_equal       (const GhloIrOp *a,
                                 const GhloIrOp *b);
/* The same of all but what their regions hold. */
gboolean ghlo_ir_op_equal_alone (const GhloIrOp *a,
                                 const GhloIrOp *b);
/* The same number in one process for operations that are like each other, equal, and equal alone. */
guint32  ghlo_ir_op_hash_like   (const GhloIrOp *op);
guint32  ghlo_ir_op_hash        (const GhloIrOp *op);
guint32  ghlo_ir_op_hash_alone  (const GhloIrOp *op);

G_END_DECLS
