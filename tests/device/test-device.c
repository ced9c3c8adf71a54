/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The contract of a device: what src/device promises of its memory, queue, steps and command buffers, and what programs
 * on it may rely on. The same cases run on each device; --device=NAME, or GHLO_DEVICE, says on which. A part that the
 * device does not have is skipped.
 */

#include "contract.h"

static char *name;

GhloDeviceCore *
contract_device (void)
{
  g_autoptr (GError) error = NULL;
  GhloDeviceCore *device = ghlo_devices_choose (name, &error);

  g_assert_no_error (error);
  g_assert_nonnull (device);

  return device;
}

/* The description that users see is there before the device is opened. */
static void
test_description (void)
{
  GhloDeviceCore *device = contract_device ();
  g_autoptr (GArray) properties = ghlo_device_core_list_properties (device);
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (device->klass->name);
  g_assert_nonnull (device->title);
  g_assert_nonnull (device->driver);
  g_assert_nonnull (device->features);
  g_assert_nonnull (device->names[0]);
  for (guint i = 0; device->names[i] != NULL; i++)
    {
      g_assert_cmpstr (device->names[i], !=, "");
      g_assert_true (ghlo_devices_find (device->names[i]) == device);
    }
  for (guint i = 0; i < properties->len; i++)
    {
      const GhloDeviceProperty *property = &g_array_index (properties, GhloDeviceProperty, i);

      g_assert_nonnull (property->name);
      g_assert_cmpuint (g_utf8_strlen (property->label, -1), <=, 10);
    }
  g_assert_true (ghlo_device_core_check (device, &error));
  g_assert_no_error (error);
}

/* The parts that there are belong together. */
static void
test_parts (void)
{
  const GhloDeviceCore *device = contract_device ();
  const GhloDeviceCoreClass *klass = device->klass;

  g_assert_true ((klass->whole_programs != NULL) != (klass->find_step != NULL));
  g_assert_true ((klass->find_step != NULL) == (klass->copy_step != NULL));
  if (klass->whole_programs != NULL)
    {
      g_assert_nonnull (klass->whole_programs->load);
      g_assert_nonnull (klass->whole_programs->free);
      g_assert_nonnull (klass->whole_programs->start);
    }
  if (device->memory != NULL)
    {
      const GhloDeviceMemoryClass *memory = device->memory->klass;

      g_assert_nonnull (device->memory->name);
      g_assert_true (memory->alloc != NULL && memory->free != NULL && memory->upload != NULL
                     && memory->download != NULL && memory->copy != NULL && memory->measure != NULL);
    }
  if (device->queue != NULL)
    {
      const GhloDeviceQueueClass *queue = device->queue->klass;

      g_assert_true (queue->add_fence != NULL && queue->submit != NULL && queue->settle != NULL
                     && queue->begin_timing != NULL && queue->end_timing != NULL);
      g_assert_true ((queue->has_reached != NULL) == (queue->watch != NULL));
    }
  if (device->command_buffers != NULL)
    {
      const GhloCommandBufferClass *commands = device->command_buffers;

      g_assert_true (device->memory != NULL && device->queue != NULL && klass->find_step != NULL);
      g_assert_true (commands->begin != NULL && commands->end != NULL && commands->set_predicate != NULL
                     && commands->repeat != NULL && commands->replay != NULL && commands->free != NULL);
    }
}

static gpointer
open_device (gpointer data)
{
  GhloDeviceCore *device = data;
  g_autoptr (GError) error = NULL;

  g_assert_true (device->klass->open (device, NULL, &error));
  g_assert_no_error (error);

  return NULL;
}

/* Any thread may open it, and more than once. */
static void
test_open (void)
{
  GhloDeviceCore *device = contract_device ();
  GThread *threads[4];

  if (device->klass->open == NULL)
    {
      g_test_skip ("the device need not be opened");
      return;
    }
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("open", open_device, device);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  g_assert_true (g_atomic_int_get (&device->is_open));
  open_device (device);
}

int
main (int   argc,
      char *argv[])
{
  const GOptionEntry entries[] = {
    { "device", 0, 0, G_OPTION_ARG_STRING, &name, "The device to test", "NAME" }, { NULL }
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;

  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_set_help_enabled (context, FALSE);
  g_option_context_set_ignore_unknown_options (context, TRUE);
  g_option_context_parse (context, &argc, &argv, &error);
  g_assert_no_error (error);
  g_test_init (&argc, &argv, NULL);
  g_test_message ("the device is '%s': %s", contract_device ()->names[0], contract_device ()->title);

  contract_add ("/device/description", test_description);
  contract_add ("/device/parts", test_parts);
  contract_add ("/device/open", test_open);
  contract_add_memory_cases ();
  contract_add_queue_cases ();
  contract_add_step_cases ();
  contract_add_command_cases ();
  contract_add_predicate_cases ();
  contract_add_program_cases ();
  contract_add_failure_cases ();

  return g_test_run ();
}
