/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Making a plan: fusions. What an implementation does of one is one step; the rest is built
 * as that of any function that is called.
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
  const GhloIrOp *rest;
  guint n_ops = 0, n_done;

  *built = body != NULL;
  if (body == NULL)
    return TRUE;
  for (const GhloIrOp *inner = body->first; inner != body->last; inner = inner->next)
    n_ops++;
  n_done = n_ops;
  if (!ghlo_step_has_plain_types (op) || !ghlo_step_build_implementation (self, op, body, &n_done))
    n_done = 0;
  if (n_ops > 0 && n_done == n_ops)
    return TRUE;
  rest = body->first;
  for (guint i = 0; i < n_done; i++)
    rest = rest->next;

  return ghlo_step_build_called (self, op, body, rest, error);
}
