/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Building a plan: fusions. A fusion that an implementation supports is one step; any other is built like a call of
 * its function.
 */

#include "plan/build.h"

#include "ir/fusion.h"

gboolean
ghlo_step_build_fusion (GhloStepBuilder *self,
                        const GhloIrOp  *op,
                        gboolean        *built,
                        GError         **error)
{
  const GhloIrBlock *body = ghlo_ir_fusion_get_body (op);

  *built = body != NULL;
  if (body == NULL)
    return TRUE;
  if (body->first != body->last && ghlo_step_has_plain_types (op) && ghlo_step_build_implementation (self, op, body))
    return TRUE;

  return ghlo_step_build_called (self, op, body, error);
}
