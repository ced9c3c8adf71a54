/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What verify.c and the checks out of the op table share; row verifiers need
 * none of it.
 */

#pragma once

#include "ir/verify/common.h"

G_BEGIN_DECLS

enum { GHLO_IR_N_KNOWN_FITS = 256 };

/* One run. The verifier that rows see is its first member. */
typedef struct
{
  GhloIrVerifier     verifier;
  const GhloMonitor *monitor;
  gsize              n_ops;           /* visited so far */
  guint64            extent;          /* printed size of their attributes, types and locations */
  guint64            most;            /* limit of @extent */
  /* Types that were found to satisfy a constraint: programs use few of each. */
  struct
  {
    const GhloIrType *type;
    guint32           constraint;
  } known_fits[GHLO_IR_N_KNOWN_FITS];
} GhloIrVerifyRun;

/* Whether the type is known to satisfy the constraint. Gives the slot to remember it in. */
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
/* Checks that @type, the type of an @what ("operand"), is well formed. */
gboolean ghlo_ir_verify_type       (GhloIrVerifyRun *run, const GhloIrOp *op, const char *what, const GhloIrType *type);
/* Checks the presence and kinds of inherent attributes. */
gboolean ghlo_ir_verify_attributes (GhloIrVerifyRun *run, const GhloIrOp *op);
/* Checks the numbers of regions and blocks, and terminators. */
gboolean ghlo_ir_verify_regions    (GhloIrVerifyRun *run, const GhloIrOp *op);
/* Checks the traits of the row. */
gboolean ghlo_ir_verify_traits     (GhloIrVerifyRun *run, const GhloIrOp *op);

G_END_DECLS
