/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Failures of the device itself, and its loss; for devices that can be made to have them.
 */

#include "contract.h"

#include "base/ghlo-error.h"

#define DOUBLE \
  "func.func @main(%x: " CONTRACT_NUMBER ") -> " CONTRACT_NUMBER " {\n" \
  "  %0 = stablehlo.add %x, %x : " CONTRACT_NUMBER "\n" \
  "  return %0 : " CONTRACT_NUMBER "\n}\n"

#define BOTH \
  "func.func @main(%x: " CONTRACT_NUMBER ") -> (" CONTRACT_NUMBER ", " CONTRACT_NUMBER ") {\n" \
  "  %0 = stablehlo.add %x, %x : " CONTRACT_NUMBER "\n" \
  "  %1 = stablehlo.multiply %x, %0 : " CONTRACT_NUMBER "\n" \
  "  return %0, %1 : " CONTRACT_NUMBER ", " CONTRACT_NUMBER "\n}\n"

static const GhloError codes[] = { GHLO_ERROR_DEVICE, GHLO_ERROR_OUT_OF_MEMORY };

static gboolean
try_prepare (GError **error)
{
  g_autoptr (GhloIrModule) module = contract_parse (DOUBLE);
  g_autoptr (GhloPrepared) prepared = ghlo_devices_prepare (contract_device (), module,
                                                            ghlo_ir_module_get_entry (module), NULL, error);

  return prepared != NULL;
}

/* Does what has the call @fault in it. @placed is on the device, and only a copy of it is read. */
static gboolean
try_call (ContractFault   fault,
          GhloPrepared   *prepared,
          GhloValue      *number,
          GhloValue      *placed,
          GError        **error)
{
  g_autoptr (GhloValue) value = NULL;

  switch (fault)
    {
    case CONTRACT_ALLOCATE:
    case CONTRACT_UPLOAD:
      value = ghlo_value_place (number, contract_device (), NULL, error);
      return value != NULL;
    case CONTRACT_COPY:
      value = ghlo_value_copy (placed, contract_device (), error);
      return value != NULL;
    case CONTRACT_DOWNLOAD:
      value = ghlo_value_new_over (placed->type, placed->storage, NULL);
      return ghlo_value_fetch (value, NULL, error);
    case CONTRACT_PREPARE:
      return try_prepare (error);
    default:
      return ghlo_prepared_run (prepared, NULL, &number, 1, &value, NULL, error);
    }
}

static GhloValue *
place (GhloValue *value)
{
  g_autoptr (GError) error = NULL;
  GhloValue *placed = ghlo_value_place (value, contract_device (), NULL, &error);

  g_assert_no_error (error);

  return placed;
}

/* Each call fails once, with the device's own error; the same call then works, and so does everything else. */
static void
test_calls (void)
{
  for (ContractFault fault = 0; fault < CONTRACT_N_FAULTS && contract_can_fail (); fault++)
    for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
      {
        g_autoptr (GhloPrepared) prepared = contract_prepare (DOUBLE);
        g_autoptr (GhloValue) number = contract_number (4), placed = place (number), output = NULL;
        g_autoptr (GError) error = NULL;

        contract_fail (fault, codes[i]);
        g_assert_false (try_call (fault, prepared, number, placed, &error));
        g_assert_error (error, GHLO_ERROR, codes[i]);
        g_clear_error (&error);
        g_assert_true (try_call (fault, prepared, number, placed, &error));
        g_assert_no_error (error);
        g_assert_false (ghlo_device_core_is_lost (contract_device ()));
        output = contract_start (prepared, NULL, &placed, 1);
        contract_assert_number (output, 8);
        contract_assert_number (placed, 4);
      }
}

/* The work of a run fails after the call that began it: the error arrives at each output, at what is computed from them
 * and at copies of them, and nowhere else. */
static void
test_run (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (codes) && contract_can_fail (); i++)
    {
      g_autoptr (GhloPrepared) both = contract_prepare (BOTH), twice = contract_prepare (DOUBLE);
      g_autoptr (GhloValue) number = contract_number (3), before = NULL, after = NULL, follows = NULL, copy = NULL;
      g_autoptr (GhloFence) fence = NULL;
      g_autoptr (GError) error = NULL;
      GhloValue *outputs[2] = { NULL };

      before = contract_start (twice, NULL, &number, 1);
      contract_assert_number (before, 6);
      contract_slow_down (20000);
      contract_fail (CONTRACT_RUN, codes[i]);
      g_assert_true (ghlo_prepared_start (both, NULL, &number, 1, outputs, &fence, NULL, &error));
      g_assert_no_error (error);
      follows = contract_start (twice, NULL, &outputs[1], 1);
      copy = ghlo_value_copy (outputs[0], contract_device (), &error);
      g_assert_no_error (error);
      after = contract_start (twice, NULL, &before, 1);
      contract_slow_down (0);

      g_assert_false (ghlo_fence_wait (fence, NULL, &error));
      g_assert_error (error, GHLO_ERROR, codes[i]);
      g_assert_error (ghlo_fence_get_error (fence), GHLO_ERROR, codes[i]);
      for (guint k = 0; k < 4; k++)
        {
          g_autoptr (GError) found = contract_get_error (k < 2 ? outputs[k] : k == 2 ? follows : copy);

          g_assert_error (found, GHLO_ERROR, codes[i]);
        }
      contract_assert_number (after, 12);
      ghlo_values_clear (outputs, 2);
    }
}

static void
assert_lost (gboolean   ok,
             GError   **error)
{
  g_assert_false (ok);
  g_assert_error (*error, GHLO_ERROR, GHLO_ERROR_DEVICE_LOST);
  g_clear_error (error);
}

/* What a device that was lost has made, and what still can be called. */
static void
check_lost (GhloDeviceCore *device,
            GhloPrepared   *prepared,
            GhloValue      *number,
            GhloValue      *placed,
            GhloValue      *read)
{
  g_autoptr (GhloIrModule) module = contract_parse (DOUBLE);
  GhloDeviceMemory *memory = device->memory;
  g_autoptr (GError) error = NULL;
  GhloValue *output = NULL;
  guint8 bytes[16] = { 0 };

  g_assert_true (ghlo_device_core_is_lost (device));
  assert_lost (ghlo_device_core_check (device, &error), &error);
  assert_lost (ghlo_devices_prepare (device, module, ghlo_ir_module_get_entry (module), NULL, &error) != NULL, &error);
  assert_lost (ghlo_prepared_run (prepared, NULL, &number, 1, &output, NULL, &error), &error);
  assert_lost (ghlo_prepared_run (prepared, NULL, &placed, 1, &output, NULL, &error), &error);
  assert_lost (ghlo_value_place (number, device, NULL, &error) != NULL, &error);
  assert_lost (ghlo_value_copy (placed, device, &error) != NULL, &error);
  assert_lost (ghlo_value_fetch (placed, NULL, &error), &error);
  assert_lost (memory->klass->alloc (memory, GHLO_MEMORY_DEVICE, 64, NULL, &error) != NULL, &error);
  assert_lost (memory->klass->upload (memory, bytes, GSIZE_TO_POINTER (placed->storage->address), sizeof bytes, FALSE,
                                      NULL, &error), &error);
  assert_lost (memory->klass->download (memory, GSIZE_TO_POINTER (placed->storage->address), bytes, sizeof bytes, NULL,
                                        &error), &error);
  /* What the host has read stays. */
  contract_assert_number (read, 3);
}

/* A lost device says so at every call from then on, fences end, and a new instance takes its place. */
static void
test_lost (void)
{
  for (ContractFault fault = 0; fault < CONTRACT_N_FAULTS && contract_can_fail (); fault++)
    {
      GhloDeviceCore *device = contract_device ();
      g_autoptr (GhloPrepared) prepared = contract_prepare (DOUBLE), again = NULL;
      g_autoptr (GhloValue) number = contract_number (3), placed = place (number), read = place (number);
      g_autoptr (GhloValue) pending = NULL, output = NULL;
      g_autoptr (GError) error = NULL;

      contract_assert_number (read, 3);
      contract_slow_down (5000);
      if (fault < CONTRACT_START)
        pending = contract_start (prepared, NULL, &placed, 1);
      contract_fail (fault, GHLO_ERROR_DEVICE_LOST);
      assert_lost (try_call (fault, prepared, number, placed, &error), &error);
      contract_slow_down (0);
      /* Whoever waits goes on, whether the run had ended before or not. */
      if (pending != NULL && !ghlo_fence_wait (pending->storage->fence, NULL, &error))
        assert_lost (FALSE, &error);
      if (pending != NULL)
        assert_lost (ghlo_value_fetch (pending, NULL, &error), &error);
      for (guint i = 0; i < 2; i++)
        check_lost (device, prepared, number, placed, read);

      g_assert_true (contract_device () != device);
      g_assert_cmpstr (contract_device ()->names[0], ==, device->names[0]);
      g_assert_false (ghlo_device_core_is_lost (contract_device ()));
      again = contract_prepare (DOUBLE);
      output = contract_start (again, NULL, &read, 1);
      contract_assert_number (output, 6);
    }
}

void
contract_add_failure_cases (void)
{
  contract_add ("/device/failures/calls", test_calls);
  contract_add ("/device/failures/run", test_run);
  contract_add ("/device/loss/all", test_lost);
}
