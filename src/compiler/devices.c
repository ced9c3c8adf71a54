/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The table of devices. An executor enters here.
 */

#include "compiler/devices.h"

#include "base/ghlo-error.h"
#include "cpu/executor.h"
#include "reference/reference.h"

static guint64
get_host_memory (void)
{
  return ghlo_memory_get_limit ();
}

static const char *const reference_features[] = { "every-operation", "every-element-type", NULL };

static const GhloDeviceCore reference_core = {
  .kind = GHLO_DEVICE_KIND_REFERENCE,
  .name = "Reference executor",
  .driver = "ghlo " GHLO_VERSION,
  .features = reference_features,
  .get_memory = get_host_memory,
  .get_executor = ghlo_reference_executor,
};

static const GhloExecutor *
get_cpu_executor (void)
{
  return ghlo_cpu_executor (ghlo_reference_executor ());
}

static const GhloDeviceCore cpu_core = {
  .kind = GHLO_DEVICE_KIND_CPU,
  .name = "CPU",
  .driver = "ghlo " GHLO_VERSION,
  .features = reference_features,
  .wants_passes = TRUE,
  .get_memory = get_host_memory,
  .get_executor = get_cpu_executor,
};

static const GhloDeviceCore *const cores[] = { &cpu_core, &reference_core, NULL };

const GhloDeviceCore *const *
ghlo_device_cores (void)
{
  return cores;
}

const char *
ghlo_device_core_kind (const GhloDeviceCore *core)
{
  static const char *const names[] = { "reference", "cpu", "vulkan" };

  return names[core->kind];
}

const GhloDeviceCore *
ghlo_device_core_find (const char *kind)
{
  for (guint i = 0; cores[i] != NULL; i++)
    if (g_str_equal (kind, ghlo_device_core_kind (cores[i])))
      return cores[i];

  return NULL;
}

const GhloDeviceCore *
ghlo_device_core_choose (GError **error)
{
  const char *wish = g_getenv ("GHLO_DEVICE");
  g_autoptr (GString) known = NULL;
  const GhloDeviceCore *core;

  if (wish == NULL || *wish == '\0' || g_str_equal (wish, "auto"))
    return cores[0];

  core = ghlo_device_core_find (wish);
  if (core != NULL)
    return core;

  known = g_string_new (NULL);
  for (guint i = 0; cores[i] != NULL; i++)
    g_string_append_printf (known, "%s'%s'", i > 0 ? ", " : "", ghlo_device_core_kind (cores[i]));

  g_set_error (error, GHLO_ERROR, GHLO_ERROR_DEVICE,
               "no device of kind '%s', which GHLO_DEVICE asks for, was found; there is %s", wish, known->str);

  return NULL;
}
