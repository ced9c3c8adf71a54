/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VHLO, the versioned copy of StableHLO used in portable artifacts: the versions of each operation, the attributes of
 * each version, and their mapping to the attributes of the IR (StableHLO: docs/vhlo.md).
 */

#pragma once

#include "import/import.h"
#include "import/memo.h"

G_BEGIN_DECLS

/* One version of one operation, such as "vhlo.all_gather_v2". Each name has one object. */
typedef struct _GhloVhloOp GhloVhloOp;

/* Returns NULL if VHLO has no such operation. @name is without the dialect: "add_v1". */
const GhloVhloOp  *ghlo_vhlo_op_find       (const char *name);
/* Returns "all_gather_v2"; valid as long as the process lives. */
const char        *ghlo_vhlo_op_name       (const GhloVhloOp *self);
/* Returns the attribute names in the order of the properties, which is alphabetical. */
const char *const *ghlo_vhlo_op_attributes (const GhloVhloOp *self, guint *n);

/* Converts an operation of a VHLO version to one of the IR. @values has the value of each of its VHLO attributes, in
 * order. Attributes are appended to @attributes (GhloIrNamedAttr), except those that stand for a default. @memo
 * caches converted attributes, since many operations may share a large one. @in_function tells whether a return ends
 * a function rather than another region. Returns FALSE with @error set if @values do not fit. */
gboolean           ghlo_vhlo_upgrade       (const GhloVhloOp        *self,
                                            GhloIrModule            *module,
                                            GhloImportMemo          *memo,
                                            const GhloIrAttr *const *values,
                                            gboolean                 in_function,
                                            GhloIrOpKind            *kind,
                                            GArray                  *attributes,
                                            GError                 **error);

/* Whether VHLO has operations of that kind; other operations are written as they are. */
gboolean           ghlo_vhlo_has_op        (GhloIrOpKind kind);
/* Returns the VHLO version of @op for @target and appends its attributes, in order, to @values (const GhloIrAttr *;
 * created in @module if VHLO's attribute differs from the operation's own). Operand types, result types and
 * discardable attributes are checked too. Returns NULL if @target cannot express the operation; @error then names the
 * operation and the version that it needs. */
const GhloVhloOp  *ghlo_vhlo_downgrade     (const GhloIrOp  *op,
                                            GhloIrModule    *module,
                                            GhloIrVersion    target,
                                            GPtrArray       *values,
                                            GError         **error);
/* Whether VHLO has no place for inherent attribute number @attribute
 * of the row. Artifacts list it among the discardable attributes. */
gboolean           ghlo_vhlo_is_extra      (GhloIrOpKind kind,
                                            guint        attribute);

G_END_DECLS
