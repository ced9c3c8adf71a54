/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VHLO, the versioned copy of StableHLO that portable artifacts hold: which
 * versions an operation has had, what attributes each of them carries, and how
 * they correspond to the operation's own (StableHLO: docs/vhlo.md).
 */

#pragma once

#include "import/import.h"
#include "import/memo.h"

G_BEGIN_DECLS

/* One version of one operation: "vhlo.all_gather_v2". There is one of a name. */
typedef struct _GhloVhloOp GhloVhloOp;

/* NULL when VHLO has no such operation. @name is without the dialect: "add_v1". */
const GhloVhloOp  *ghlo_vhlo_op_find       (const char *name);
/* "all_gather_v2"; lives as long as the process. */
const char        *ghlo_vhlo_op_name       (const GhloVhloOp *self);
/* Attribute names in the order of the properties, which is alphabetical. */
const char *const *ghlo_vhlo_op_attributes (const GhloVhloOp *self, guint *n);

/* What an operation of a VHLO version is here. @memo keeps what becomes of attributes,
 * of which a large one may be part of many operations. @values has one attribute for each
 * of the operation's attributes, in their order; those that stand for a default
 * are left out of what is added to @attributes (GhloIrNamedAttr). @in_function is
 * whether a return ends a function and not a region of an operation. FALSE with @error
 * set when @values do not fit. */
gboolean           ghlo_vhlo_upgrade       (const GhloVhloOp        *self,
                                            GhloIrModule            *module,
                                            GhloImportMemo          *memo,
                                            const GhloIrAttr *const *values,
                                            gboolean                 in_function,
                                            GhloIrOpKind            *kind,
                                            GArray                  *attributes,
                                            GError                 **error);

/* Whether the operation, which VHLO has, is written as VHLO at all. */
gboolean           ghlo_vhlo_has_op        (GhloIrOpKind kind);
/* The version of VHLO for @op at @target, and its attributes in their order
 * (const GhloIrAttr *, made in @module, where VHLO's differ from the operation's
 * own). NULL with @error set, naming the operation and the version that it
 * needs, when @target cannot hold it. Types, result types and discardable
 * attributes are checked as well. */
const GhloVhloOp  *ghlo_vhlo_downgrade     (const GhloIrOp  *op,
                                            GhloIrModule    *module,
                                            GhloIrVersion    target,
                                            GPtrArray       *values,
                                            GError         **error);
/* Whether VHLO has no place for the inherent attribute @attribute (its number in
 * the operation's row): it stands among the discardable ones of an artifact. */
gboolean           ghlo_vhlo_is_extra      (GhloIrOpKind kind,
                                            guint        attribute);

G_END_DECLS
