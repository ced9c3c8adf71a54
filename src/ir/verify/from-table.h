/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by verify.c and the checks that follow from the op table; the rows' own verifiers need none of it.
 */

#pragma once

#include "ir/verify/common.h"

G_BEGIN_DECLS

enum { GHLO_IR_N_KNOWN_FITS = 256 };

/* One run of the verifier. Rows only see its first member. */
typedef struct
{
  GhloIrVerifier     verifier;
  const GhloMonitor *monitor;
  gsize              n_ops;           /* operations visited so far */
  guint64            extent;          /* printed size of their attributes, types and locations */
  guint64            most;            /* upper limit of @extent */
  /* A cache of types known to satisfy a constraint: a program has few different pairs of these. */
  struct
  {
    const GhloIrType *type;
    guint32           constraint;
  } known_fits[GHLO_IR_N_KNOWN_FITS];
} GhloIrVerifyRun;

/* Whether @type is known to satisfy @constraint. Also returns the cache slot of the pair. */
static inline gboolean
ghlo_ir_known_fit (const GhloIrVerifyRun *run,
                   const GhloIrType      *type,
                   guint32                constraint,
                   guint                 *slot)
{
  gsize hash = (GPOINTER_TO_SIZE (type) >> 4) * 31 + (gsize) constraint * 7;

  *slot = (guint) ((hash ^ (hash >> 8)) % GHLO_IR_N_KNOWN_FITS);

  return run->known_fits[*slot].type == type && run->known_fits[*slot].constraint == constraint;
}

/* Checks the numbers and types of operands and results. */
gboolean ghlo_ir_verify_values     (GhloIrVerifyRun *run, const GhloIrOp *op);
/* Checks that @type is well formed. The error calls it the type of an @what ("operand"). */
gboolean ghlo_ir_verify_type       (GhloIrVerifyRun *run, const GhloIrOp *op, const char *what, const GhloIrType *type);
/* Checks the presence and kinds of inherent attributes. */
gboolean ghlo_ir_verify_attributes (GhloIrVerifyRun *run, const GhloIrOp *op);
/* Checks the numbers of regions and blocks, and terminators. */
gboolean ghlo_ir_verify_regions    (GhloIrVerifyRun *run, const GhloIrOp *op);
/* Checks the traits of the row. */
gboolean ghlo_ir_verify_traits     (GhloIrVerifyRun *run, const GhloIrOp *op);

G_END_DECLS
