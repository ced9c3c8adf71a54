/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Walks over a module, and changes of its tree that leave no stale uses.
 *
 * Passes look at functions whose regions have one block each, which is all that
 * StableHLO has; what holds several blocks anywhere is left alone.
 */

#pragma once

#include "base/monitor.h"
#include "ir/module.h"

G_BEGIN_DECLS

/* The functions with a body that passes may change, in program order, those of
 * modules inside the module too. */
GPtrArray    *ghlo_pass_functions        (const GhloIrModule *module);
/* The loops of @func in program order, so that an outer one stands before those inside it. */
GPtrArray    *ghlo_pass_loops            (const GhloIrOp     *func);
/* Calls @func for each loop of the functions that passes may change, an inner one before those around it, and adds what
 * it returns, the number of its changes, to *@n_changes. FALSE where @monitor (nullable) was cancelled. */
gboolean      ghlo_pass_each_loop        (GhloIrModule       *module,
                                          const GhloMonitor  *monitor,
                                          guint             (*func) (GhloIrModule *module,
                                                                     GhloIrOp     *loop),
                                          guint64            *n_changes,
                                          GError            **error);
/* All operations, functions and modules included. */
guint64       ghlo_pass_count_ops        (const GhloIrModule *module);
/* Operations in @block and the regions inside it. */
guint64       ghlo_pass_count_block      (const GhloIrBlock  *block);

/* The operation after @op in program order, its regions' first: inside @root's
 * regions only, NULL at their end. Begin with @root. */
GhloIrOp     *ghlo_pass_next_op          (const GhloIrOp     *op,
                                          const GhloIrOp     *root);

/* The block's terminator; NULL where the text left it out. */
GhloIrOp     *ghlo_pass_terminator       (const GhloIrBlock  *block);
/* Whether @op is @outer, or inside a region of it. */
gboolean      ghlo_pass_is_within        (const GhloIrOp     *op,
                                          const GhloIrOp     *outer);
/* Whether @value is defined inside a region of @op. */
gboolean      ghlo_pass_is_inside        (const GhloIrValue  *value,
                                          const GhloIrOp     *op);
/* Whether @op's regions use only what is defined in them. */
gboolean      ghlo_pass_is_closed        (const GhloIrOp     *op);
/* The regions around @op within its function, and the regions nested in @op. */
guint         ghlo_pass_depth            (const GhloIrOp     *op);
guint         ghlo_pass_height           (const GhloIrOp     *op);
gboolean      ghlo_pass_is_unused        (const GhloIrOp     *op);
/* Whether @op is the one user of @value. */
gboolean      ghlo_pass_only_user        (const GhloIrValue  *value,
                                          const GhloIrOp     *op);

/* Removes an operation without uses, with all that its regions hold. */
void          ghlo_pass_erase            (GhloIrOp           *op);
/* Moves @op to before @next, which may be in another block. */
void          ghlo_pass_move_before      (GhloIrOp           *op,
                                          GhloIrOp           *next);
/* Moves the blocks of one region to another, empty one. */
void          ghlo_pass_move_region      (GhloIrRegion       *from,
                                          GhloIrRegion       *to);
/* Moves what @block holds but for its terminator to before @next; what used the
 * block's arguments uses @arguments from then on. Gives the terminator, left alone
 * in the block; its operands are what the block gave. */
GhloIrOp     *ghlo_pass_splice           (GhloIrBlock        *block,
                                          GhloIrOp           *next,
                                          GhloIrValue *const *arguments);

G_END_DECLS
