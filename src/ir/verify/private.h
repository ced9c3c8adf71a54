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
  guint64            extent;          /* of what they are made of, as it would be printed */
  guint64            most;            /* of that */
  /* Types that were found to satisfy a constraint: programs use few of each. */
  struct
  {
    const GhloIrType *type;
    guint32           constraint;
  } known_fits[GHLO_IR_N_KNOWN_FITS];
} GhloIrVerifyRun;

/* Whether the pair was seen before; if not, the slot is given for it. */
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

/* Numbers and types of operands and results. */
gboolean ghlo_ir_verify_values     (GhloIrVerifyRun *run, const GhloIrOp *op);
/* A type that is well formed in itself; that of an @what ("operand"). */
gboolean ghlo_ir_verify_type       (GhloIrVerifyRun *run, const GhloIrOp *op, const char *what, const GhloIrType *type);
/* Presence and kinds of inherent attributes. */
gboolean ghlo_ir_verify_attributes (GhloIrVerifyRun *run, const GhloIrOp *op);
/* Numbers of regions and blocks, terminators. */
gboolean ghlo_ir_verify_regions    (GhloIrVerifyRun *run, const GhloIrOp *op);
/* What the row's traits say of types. */
gboolean ghlo_ir_verify_traits     (GhloIrVerifyRun *run, const GhloIrOp *op);

G_END_DECLS
