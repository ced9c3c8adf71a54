/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The verifier checks every rule of the specification that a module must satisfy before anything else uses it. It
 * reports all violations, not only the first.
 *
 * verify.c checks what the op table defines for every operation (numbers, kinds of types and attributes, regions,
 * dominance, symbols, traits). The verifier of each row, in the other files, checks the rest and may rely on these
 * checks. References to symbols (callees, decompositions, meshes) are resolved last.
 */

#pragma once

#include "base/fail.h"
#include "ir/module.h"

G_BEGIN_DECLS

typedef struct
{
  GhloIrModule    *module;
  GhloDiagnostics *diagnostics;
  GArray          *symbol_uses;  /* of GhloIrSymbolUse: checks to run after the walk */
  gboolean         failed;       /* the operation being verified has an error */
} GhloIrVerifier;

/* A check of one operation: the verifier of its row, ghlo_ir_verify_NAME
 * for the NAME in ops.def, or a check that this verifier deferred. */
typedef gboolean (*GhloIrVerifyFunc) (GhloIrVerifier *verifier, const GhloIrOp *op);

typedef struct
{
  const GhloIrOp   *op;
  GhloIrVerifyFunc  check;
} GhloIrSymbolUse;

/* Verifies the whole module. Returns FALSE if an error was added to @diagnostics or @monitor was cancelled. */
gboolean ghlo_ir_verify (GhloIrModule      *module,
                         GhloDiagnostics   *diagnostics,
                         const GhloMonitor *monitor);

/* Adds an error of code VERIFY at the position of @op: "'stablehlo.add' op " + message. Always returns FALSE. */
gboolean ghlo_ir_verify_fail (GhloIrVerifier *verifier,
                              const GhloIrOp *op,
                              const char     *format,
                              ...) G_GNUC_PRINTF (3, 4);
#define ghlo_ir_verify_fail(...) GHLO_FALSE_AFTER (ghlo_ir_verify_fail (__VA_ARGS__))

/* Defers @check, which looks up a symbol that @op refers to, until all operations of the module are verified. The
 * check is skipped if any of them failed. Returns TRUE. */
gboolean ghlo_ir_verify_symbol_use (GhloIrVerifier   *verifier,
                                    const GhloIrOp   *op,
                                    GhloIrVerifyFunc  check);

/* Returns what is wrong with a STRUCT attribute taken by itself (an unknown algorithm, an axis that its mesh lacks):
 * a sentence that the caller frees, or NULL. */
char    *ghlo_ir_struct_problem (const GhloIrAttr *self);

/* Whether @type satisfies a row's @constraint. */
gboolean ghlo_ir_type_fits      (const GhloIrType *type,
                                 guint32           constraint);

/* Returns what is wrong with @attr as the attribute of row @spec: a sentence that the caller frees, or NULL. */
char    *ghlo_ir_attribute_problem (const GhloIrAttrSpec *spec,
                                    const GhloIrAttr     *attr);

G_END_DECLS
