/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The failures of the fake device.
 */

#include "contract.h"

#include "fake.h"

gboolean
contract_can_fail (void)
{
  const gboolean is_fake = g_str_equal (contract_device ()->klass->name, "fake");

  if (!is_fake)
    g_test_skip ("the device cannot be made to fail");

  return is_fake;
}

void
contract_fail (ContractFault fault,
               GhloError     code)
{
  static const FakeCall calls[CONTRACT_N_FAULTS] = {
    [CONTRACT_ALLOCATE] = FAKE_ALLOCATE, [CONTRACT_UPLOAD] = FAKE_UPLOAD, [CONTRACT_DOWNLOAD] = FAKE_DOWNLOAD,
    [CONTRACT_COPY] = FAKE_COPY, [CONTRACT_PREPARE] = FAKE_PREPARE, [CONTRACT_START] = FAKE_START,
    [CONTRACT_RUN] = FAKE_RUN,
  };

  fake_fail (calls[fault], 1, code);
}

void
contract_slow_down (guint microseconds)
{
  fake_take_time (FAKE_RUN, microseconds);
}

void
contract_assert_nothing_left (void)
{
  fake_assert_nothing_left (10 * G_USEC_PER_SEC);
}
