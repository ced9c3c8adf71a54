/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The fake device: what it is, and its parts (device/device.h).
 */

#include "calls.h"

#include "cpu/device.h"

/* The fusions that the CPU supports, since its steps are those of the CPU. */
static const char *
unsupported_reason (GhloDeviceCore        *self,
                    GhloFusionKind         kind,
                    const GhloIrOp *const *ops,
                    guint                  n_ops)
{
  GhloDeviceCore *cpu = ghlo_cpu_device ();

  return cpu->klass->unsupported_reason (cpu, kind, ops, n_ops);
}

static const GhloDeviceCoreClass klass = {
  .name = "fake", .unsupported_reason = unsupported_reason, .find_step = fake_find_step, .copy_step = &fake_step,
};

/* Guesses, of one core, by which steps are estimated. */
static const GhloDeviceRates rates = {
  .bytes = 1e10, .scalars = 4e9, .products = { 3e10, 1e10, 1e10 }, .run = 1e-4, .step = 1e-6,
};

/* Of all devices, also those that were lost, which callers may still query. */
static struct
{
  GMutex     lock;
  GPtrArray *devices;
} all;

void
fake_finish (void)
{
  g_autoptr (GPtrArray) devices = NULL;

  g_mutex_lock (&all.lock);
  devices = all.devices != NULL ? g_ptr_array_copy (all.devices, NULL, NULL) : g_ptr_array_new ();
  g_mutex_unlock (&all.lock);
  for (guint i = 0; i < devices->len; i++)
    fake_queue_finish (((GhloDeviceCore *) devices->pdata[i])->queue, NULL, NULL);
}

void
fake_find_devices (GPtrArray *devices)
{
  static const char *const names[] = { "fake", NULL };
  static const char *const features[] = { "every-operation", "every-element-type", NULL };
  GhloDeviceCore *self;

  if (devices->len > 0)
    return;
  self = g_new (GhloDeviceCore, 1);
  *self = (GhloDeviceCore) {
    .klass = &klass,
    .kind = GHLO_DEVICE_KIND_VULKAN,
    .names = names,
    .title = "Fake device",
    .driver = "ghlo " GHLO_VERSION,
    .features = features,
    .wants_passes = TRUE,
    .memory = fake_memory_new (self),
    .queue = fake_queue_new (self),
    .command_buffers = &fake_command_buffers,
    .rates = &rates,
  };
  g_ptr_array_add (devices, self);
  g_mutex_lock (&all.lock);
  if (all.devices == NULL)
    all.devices = g_ptr_array_new ();
  g_ptr_array_add (all.devices, self);
  g_mutex_unlock (&all.lock);
}
