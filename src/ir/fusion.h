/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fusions: groups of operations that one step executes. A group is a stablehlo.composite named "ghlo.fusion.KIND";
 * its decomposition is a private function that contains the group's operations, and equal groups share one function.
 * Readers, printers, the verifier and executors therefore handle fusions without code of their own.
 *
 * Programs from elsewhere may contain composites of such names with any decomposition: the name guarantees nothing.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

typedef enum
{
  GHLO_FUSION_LOOP,
  GHLO_FUSION_ATTENTION,
  GHLO_FUSION_EPILOGUE,
  GHLO_FUSION_REDUCTION,
  GHLO_FUSION_MAP,
  /* What else devices are asked about a single operation; no fusion is of these kinds. */
  GHLO_FUSION_STEP,
  GHLO_FUSION_CHANNELS_LAST,
  GHLO_FUSION_EXPAND_DOTS,
  GHLO_FUSION_EXPAND_GEMV,
  GHLO_FUSION_NARROW_DOTS,
  GHLO_FUSION_SPLIT_WINDOWS,
} GhloFusionKind;

typedef struct
{
  const char *name;             /* "epilogue" */
  const char *composite;        /* "ghlo.fusion.epilogue" */
} GhloFusionSpec;

/* By kind, up to MAP. */
extern const GhloFusionSpec ghlo_fusion_specs[];

/* Returns the block that defines what a fusion computes: its arguments are the operands, and the first operands of
 * its terminator are the results. Returns NULL for any other operation. */
const GhloIrBlock *ghlo_ir_fusion_get_body (const GhloIrOp    *op);
/* Whether @op is a product or a convolution. */
gboolean           ghlo_ir_op_is_product   (const GhloIrOp    *op);
/* Returns the operation of a fusion's body that the others prepare or continue: its first product or convolution, or
 * else its first operation. */
const GhloIrOp    *ghlo_ir_fusion_get_lead (const GhloIrBlock *body);

G_END_DECLS
