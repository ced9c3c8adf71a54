/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Structural equality of two operations of one module. Attributes and types are interned and compared by pointer;
 * regions are compared operation by operation.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

/* Returns whether kind, attributes, regions and the types of operands and results are equal. The operands may be
 * different values, but values that the regions capture from outside must be the same. */
gboolean ghlo_ir_op_is_like     (const GhloIrOp *a,
                                 const GhloIrOp *b);
/* The same, and the operands must be the same values too;
 * those of a commutative elementwise operation may be swapped. */
gboolean ghlo_ir_op_equal       (const GhloIrOp *a,
                                 const GhloIrOp *b);
/* Like ghlo_ir_op_equal () but ignores the contents of regions. */
gboolean ghlo_ir_op_equal_alone (const GhloIrOp *a,
                                 const GhloIrOp *b);
/* Hashes that match the three relations above. They are only stable within one process. */
guint32  ghlo_ir_op_hash_like   (const GhloIrOp *op);
guint32  ghlo_ir_op_hash        (const GhloIrOp *op);
guint32  ghlo_ir_op_hash_alone  (const GhloIrOp *op);

G_END_DECLS
