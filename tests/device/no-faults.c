/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A device that nobody can make fail.
 */

#include "contract.h"

gboolean
contract_can_fail (void)
{
  g_test_skip ("the device cannot be made to fail");

  return FALSE;
}

void
contract_fail (ContractFault fault,
               GhloError     code)
{
  g_assert_not_reached ();
}

void
contract_slow_down (guint microseconds)
{
}

void
contract_assert_nothing_left (void)
{
}
