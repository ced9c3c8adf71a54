/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The table of kernels by operation kind, generated from the op table.
 */

#include "reference/kernel.h"

#define OP(ID, name, summary, traits, verifier, reference, ...) \
  gboolean ghlo_ref_##reference (GhloRefCall *call, GError **error);
#include "ir/ops.def"

/* Stands for "none" in the table below. Never called. */
gboolean
ghlo_ref_none (GhloRefCall *call,
               GError     **error)
{
  return ghlo_ref_fail (call, error, "no kernel runs this operation");
}

GhloRefKernel
ghlo_ref_kernel (GhloIrOpKind kind)
{
  static const GhloRefKernel kernels[GHLO_N_OPS] = {
#define OP(ID, name, summary, traits, verifier, reference, ...) [GHLO_OP_##ID] = ghlo_ref_##reference,
#include "ir/ops.def"
  };

  return kernels[kind] != ghlo_ref_none ? kernels[kind] : NULL;
}
