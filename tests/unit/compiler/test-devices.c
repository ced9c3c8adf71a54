/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The available devices by name, and what a device does not support.
 */

#include "compiler/devices.h"

#include <string.h>

#include "base/ghlo-error.h"
#include "cpu/device.h"
#include "import/import.h"
#include "reference/device.h"

static GhloIrModule *
parse (const char *text)
{
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("test.mlir", text, strlen (text));
  GhloIrModule *module = ghlo_import_text (text, strlen (text), GHLO_IMPORT_DEFAULT, diagnostics, NULL);

  g_assert_nonnull (module);

  return module;
}

/* The reference executor under another name. */

static GhloDeviceCoreClass single_class;
static const char *const single_names[] = { "single", "single:0", NULL };
/* Instances that replace each other, each when the previous one is lost. */
static GhloDeviceCore singles[] = {
  { .klass = &single_class, .names = single_names },
  { .klass = &single_class, .names = single_names },
};
static guint n_singles, n_searches;

static void
find_single (GPtrArray *devices)
{
  n_searches++;
  if (devices->len == 0)
    g_ptr_array_add (devices, &singles[n_singles++]);
}

static gboolean
may_have_gpu (void)
{
  return FALSE;
}

const GhloDeviceFinder ghlo_device_registry[] = {
  { ghlo_cpu_find_devices },
  { find_single, may_have_gpu },
  { ghlo_reference_find_devices },
  { NULL }
};

/* Looking for the host's devices does not wait for other devices. */
static void
test_find (void)
{
  g_assert_true (ghlo_devices_find ("reference") == ghlo_reference_device ());
  g_assert_true (ghlo_devices_find ("cpu") == ghlo_cpu_device ());
  g_assert_cmpuint (n_searches, ==, 0);
  g_assert_true (ghlo_devices_find ("single") == &singles[0]);
  g_assert_cmpuint (n_searches, ==, 1);
}

static void
test_list (void)
{
  g_autoptr (GPtrArray) devices = ghlo_devices_list (), again = ghlo_devices_list ();

  g_assert_cmpuint (devices->len, ==, 3);
  g_assert_cmpuint (again->len, ==, 3);
  for (guint i = 0; i < devices->len; i++)
    {
      GhloDeviceCore *device = devices->pdata[i];

      g_assert_true (again->pdata[i] == device);
      for (guint k = 0; device->names[k] != NULL; k++)
        g_assert_true (ghlo_devices_find (device->names[k]) == device);
      g_assert_true (ghlo_devices_find (device->klass->name) == device);
    }
  g_assert_true (devices->pdata[1] == &singles[0]);
  g_assert_cmpuint (n_searches, ==, 1);
  g_assert_null (ghlo_devices_find ("abacus"));
}

static void
test_choose (void)
{
  g_autoptr (GPtrArray) devices = ghlo_devices_list ();
  g_autoptr (GError) error = NULL;

  g_unsetenv ("GHLO_DEVICE");
  g_assert_true (ghlo_devices_choose (NULL, &error) == devices->pdata[0]);
  g_assert_true (ghlo_devices_choose ("auto", &error) == devices->pdata[0]);
  g_assert_true (ghlo_devices_choose ("", &error) == devices->pdata[0]);
  g_assert_true (ghlo_devices_choose ("single:0", &error) == &singles[0]);
  g_assert_no_error (error);
  g_assert_null (ghlo_devices_choose ("abacus", &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_DEVICE);
  g_assert_cmpstr (error->message, ==,
                   "expected one of the devices 'auto', 'cpu', 'single', 'reference', found 'abacus'");
  g_clear_error (&error);

  g_setenv ("GHLO_DEVICE", "reference", TRUE);
  g_assert_true (ghlo_devices_choose (NULL, &error) == ghlo_reference_device ());
  g_assert_true (ghlo_devices_choose ("single", &error) == &singles[0]);
  g_assert_true (ghlo_devices_choose ("auto", &error) == devices->pdata[0]);
  g_assert_no_error (error);
  g_setenv ("GHLO_DEVICE", "abacus", TRUE);
  g_assert_null (ghlo_devices_choose (NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_DEVICE);
  g_assert_nonnull (strstr (error->message, "GHLO_DEVICE"));
  g_unsetenv ("GHLO_DEVICE");
}

static void
test_without_fallback (void)
{
  static const char *const texts[] = {
    "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
    "  %0 = stablehlo.add %x, %x : tensor<?xf32>\n"
    "  return %0 : tensor<?xf32>\n}\n",
    "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
    "  %0 = \"stablehlo.collective_permute\"(%x) "
    "{source_target_pairs = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>\n"
    "  return %0 : tensor<4xf32>\n}\n",
  };
  GhloDeviceCore *cpu = ghlo_devices_find ("cpu");

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GhloIrModule) module = parse (texts[i]);
      GhloIrOp *function = ghlo_ir_module_get_entry (module);
      g_autoptr (GhloPrepared) prepared = NULL;
      g_autoptr (GError) error = NULL;

      g_assert_null (ghlo_device_core_prepare (cpu, module, function, NULL, NULL, &error));
      g_assert_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED);
      g_clear_error (&error);
      prepared = ghlo_devices_prepare (cpu, module, function, NULL, &error);
      g_assert_no_error (error);
    }
}

/* A lost device stays lost; the next listing has a new instance in its place, and the other devices unchanged. */
static void
test_lost (void)
{
  g_autoptr (GPtrArray) before = ghlo_devices_list ();
  g_autoptr (GPtrArray) after = NULL;
  g_autoptr (GhloIrModule) module = parse ("func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
                                           "  return %x : tensor<f32>\n}\n");
  GhloIrOp *function = ghlo_ir_module_get_entry (module);
  g_autoptr (GhloPrepared) prepared = NULL;
  g_autoptr (GError) error = NULL;
  guint n = n_searches;

  ghlo_device_core_lose (&singles[0]);
  after = ghlo_devices_list ();
  g_assert_cmpuint (n_searches, ==, n + 1);
  g_assert_cmpuint (after->len, ==, before->len);
  for (guint i = 0; i < after->len; i++)
    g_assert_true (after->pdata[i] == (before->pdata[i] == &singles[0] ? &singles[1] : before->pdata[i]));
  g_assert_true (ghlo_devices_find ("single") == &singles[1]);
  g_assert_cmpuint (n_searches, ==, n + 1);

  g_assert_true (ghlo_device_core_is_lost (&singles[0]));
  g_assert_null (ghlo_devices_prepare (&singles[0], module, function, NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_DEVICE_LOST);
  g_clear_error (&error);
  prepared = ghlo_devices_prepare (&singles[1], module, function, NULL, &error);
  g_assert_no_error (error);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  single_class = *ghlo_reference_device ()->klass;
  single_class.name = "single";

  g_test_add_func ("/devices/find", test_find);
  g_test_add_func ("/devices/list", test_list);
  g_test_add_func ("/devices/choose", test_choose);
  g_test_add_func ("/devices/without-fallback", test_without_fallback);
  g_test_add_func ("/devices/lost", test_lost);

  return g_test_run ();
}
