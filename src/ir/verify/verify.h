/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The verifier: every rule of the specification that a module must keep before
 * anything else looks at it. It finds all violations, not only the first.
 *
 * verify.c checks what the op table says of any operation (numbers, kinds of types and
 * attributes, regions, dominance, symbols, traits); each row's own function, in the
 * other files, checks the rest and may rely on these checks. Operations that a symbol
 * names (callees, decompositions, meshes) are looked up last.
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
  gboolean         failed;       /* of the operation being verified */
} GhloIrVerifier;

/* A check of one operation: a row's own verifier, ghlo_ir_verify_NAME for the NAME in
 * its row, or a check that it deferred. */
typedef gboolean (*GhloIrVerifyFunc) (GhloIrVerifier *verifier, const GhloIrOp *op);

typedef struct
{
  const GhloIrOp   *op;
  GhloIrVerifyFunc  check;
} GhloIrSymbolUse;

/* Verifies everything; FALSE when an error was added to @diagnostics, or
 * @monitor was cancelled. */
gboolean ghlo_ir_verify (GhloIrModule      *module,
                         GhloDiagnostics   *diagnostics,
                         const GhloMonitor *monitor);

/* Adds an error of code VERIFY at the position of @op: "'stablehlo.add' op " + message.
 * Always returns FALSE. */
gboolean ghlo_ir_verify_fail (GhloIrVerifier *verifier,
                              const GhloIrOp *op,
                              const char     *format,
                              ...) G_GNUC_PRINTF (3, 4);
#define ghlo_ir_verify_fail(...) GHLO_FALSE_AFTER (ghlo_ir_verify_fail (__VA_ARGS__))

/* Defers @check, which looks up a symbol that @op names, until all operations of the
 * module are verified; it does not run when one has failed. Returns TRUE. */
gboolean ghlo_ir_verify_symbol_use (GhloIrVerifier   *verifier,
                                    const GhloIrOp   *op,
                                    GhloIrVerifyFunc  check);

/* What is wrong with a STRUCT attribute taken by itself (an algorithm that is not
 * known, an axis that its mesh lacks): a sentence that the caller frees, or NULL. */
char    *ghlo_ir_struct_problem (const GhloIrAttr *self);

/* Whether @type satisfies @constraint of a row. */
gboolean ghlo_ir_type_fits      (const GhloIrType *type,
                                 guint32           constraint);

/* What is wrong with @attr as the attribute of row @spec: a sentence that the
 * caller frees, or NULL. */
char    *ghlo_ir_attribute_problem (const GhloIrAttrSpec *spec,
                                    const GhloIrAttr     *attr);

G_END_DECLS
