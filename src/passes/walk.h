/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Walks over a module, and changes to its tree that leave no stale uses.
 *
 * Passes consider functions whose regions have one block each, which is all that StableHLO has; a function with several
 * blocks in any region is left alone.
 */

#pragma once

#include "base/monitor.h"
#include "ir/module.h"

G_BEGIN_DECLS

/* The functions that have a body and that passes may change, in program order, including those of nested modules. */
GPtrArray    *ghlo_pass_functions        (const GhloIrModule *module);
/* The loops of @func in program order: an outer loop precedes those inside it. */
GPtrArray    *ghlo_pass_loops            (const GhloIrOp     *func);
/* Calls @func for each loop of the functions that passes may change, inner loops before outer ones. @func returns its
 * number of changes, which is added to *@n_changes. FALSE where @monitor (nullable) was cancelled. */
gboolean      ghlo_pass_each_loop        (GhloIrModule       *module,
                                          const GhloMonitor  *monitor,
                                          guint             (*func) (GhloIrModule *module,
                                                                     GhloIrOp     *loop),
                                          guint64            *n_changes,
                                          GError            **error);
/* The number of all operations, including functions and modules. */
guint64       ghlo_pass_count_ops        (const GhloIrModule *module);
/* The number of operations in @block and the regions inside it. */
guint64       ghlo_pass_count_block      (const GhloIrBlock  *block);

/* The operation after @op in a pre-order walk of @root's regions; NULL at the end. Start with @root. */
GhloIrOp     *ghlo_pass_next_op          (const GhloIrOp     *op,
                                          const GhloIrOp     *root);

/* The block's terminator; NULL where the text of the program leaves it out. */
GhloIrOp     *ghlo_pass_terminator       (const GhloIrBlock  *block);
/* Whether @op is @outer, or inside a region of it. */
gboolean      ghlo_pass_is_within        (const GhloIrOp     *op,
                                          const GhloIrOp     *outer);
/* Whether @value is defined inside a region of @op. */
gboolean      ghlo_pass_is_inside        (const GhloIrValue  *value,
                                          const GhloIrOp     *op);
/* Whether @op's regions use only values that are defined in them. */
gboolean      ghlo_pass_is_closed        (const GhloIrOp     *op);
/* depth: the number of operations around @op, including its function and modules. height: the number of levels of
 * operations nested in @op. */
guint         ghlo_pass_depth            (const GhloIrOp     *op);
guint         ghlo_pass_height           (const GhloIrOp     *op);
gboolean      ghlo_pass_is_unused        (const GhloIrOp     *op);
/* Whether @op is the only user of @value. */
gboolean      ghlo_pass_only_user        (const GhloIrValue  *value,
                                          const GhloIrOp     *op);

/* Removes an operation without uses, together with all that its regions contain. */
void          ghlo_pass_erase            (GhloIrOp           *op);
/* Moves @op to before @next, which may be in another block. */
void          ghlo_pass_move_before      (GhloIrOp           *op,
                                          GhloIrOp           *next);
/* Moves the blocks of one region to another, empty one. */
void          ghlo_pass_move_region      (GhloIrRegion       *from,
                                          GhloIrRegion       *to);
/* Moves the operations of @block except its terminator to before @next, and replaces the block's arguments by
 * @arguments. Returns the terminator, which stays in the block; its operands are the block's results. */
GhloIrOp     *ghlo_pass_splice           (GhloIrBlock        *block,
                                          GhloIrOp           *next,
                                          GhloIrValue *const *arguments);

G_END_DECLS
