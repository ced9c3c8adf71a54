/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * To come: see check.h.
 */

#include "kernel/check.h"

gboolean
ghlo_kernel_check (const GhloKernel  *self,
                   GError           **error)
{
  return TRUE;
}
