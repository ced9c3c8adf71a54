/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernels that the op table names, by kind of operation.
 */

#include "reference/kernel.h"

/* Every word of the table's kernel column; "none" is declared here and never defined. */
#define OP(ID, name, summary, traits, verifier, reference, ...) \
  gboolean ghlo_ref_##reference (GhloRefCall *call, GError **error) __attribute__ ((weak));
#include "ir/ops.def"

GhloRefKernel
ghlo_ref_kernel (GhloIrOpKind kind)
{
  static const GhloRefKernel kernels[GHLO_N_OPS] = {
#define OP(ID, name, summary, traits, verifier, reference, ...) [GHLO_OP_##ID] = ghlo_ref_##reference,
#include "ir/ops.def"
  };

  return kernels[kind];
}
