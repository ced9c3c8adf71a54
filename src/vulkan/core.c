/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Implements the device interface of runtime/device.h for Vulkan devices: storage and programs.
 */

#include "vulkan/core.h"

#include <string.h>

#include "base/ghlo-error.h"
#include "base/new.h"
#include "runtime/planned.h"
#include "vulkan/device.h"
#include "vulkan/facts.h"
#include "vulkan/imports.h"
#include "vulkan/memory.h"
#include "vulkan/queue.h"
#include "vulkan/target.h"
#include "vulkan/transfer.h"
#include "vulkan/waiter.h"

/* Bytes up to which storage is placed in host-visible memory. For larger storage the device's own memory is worth a
 * copy. */
enum { MAX_HOST_VISIBLE = 1 << 16 };

/* Alignment of all storage in bytes, required by runtime/device.h. */
enum { STORAGE_ALIGNMENT = 64 };

/* Share of a compile's progress that opening the device accounts for. */
#define OPENING_SHARE 0.5

static GhloVulkanDevice *
device_of (GhloDeviceCore *core)
{
  return (GhloVulkanDevice *) core;
}

static guint64
get_memory (GhloDeviceCore *core)
{
  const guint heap = ghlo_vulkan_main_heap (device_of (core));

  return heap != G_MAXUINT ? device_of (core)->memory_types.memoryHeaps[heap].size : 0;
}

static void
measure_memory (GhloDeviceCore *core,
                GhloMemoryUse  *use)
{
  GhloVulkanMemoryStatistics statistics;

  if (!ghlo_vulkan_device_is_open (device_of (core)))
    return;
  ghlo_vulkan_memory_measure (device_of (core)->memory, &statistics);
  *use = (GhloMemoryUse) { statistics.all_used, statistics.peak };
}

static void
reset_memory_peak (GhloDeviceCore *core)
{
  if (ghlo_vulkan_device_is_open (device_of (core)))
    ghlo_vulkan_memory_reset_peak (device_of (core)->memory);
}

/* Inputs occupy memory twice while they are being uploaded. */
static void
measure (GhloPrepared   *prepared,
         GhloRunFigures *figures)
{
  ghlo_planned_measure (prepared, figures);
  figures->run_bytes += ghlo_vulkan_most_staged (device_of (prepared->device), figures->input_bytes);
}

static const char *
decline_reason (GhloDeviceCore        *core,
                const char            *kind,
                const GhloIrOp *const *ops,
                guint                  n_ops)
{
  return ghlo_vulkan_decline_reason (device_of (core), kind, ops, n_ops);
}

static void
destroy (GhloStorage *storage)
{
  GhloVulkanDevice *device = device_of (storage->device);

  ghlo_vulkan_memory_free (device->memory, storage->address, storage->size, ghlo_vulkan_queue_value (device->queue));
  g_free (storage);
}

/* Small storage is host-visible, since a copy on the device would take longer than it saves. Where memory is unified,
 * all local memory is host-visible. */
static GhloStorage *
allocate (GhloDeviceCore   *core,
          GhloMemorySpace   space,
          gsize             size,
          GError          **error)
{
  static const GhloVulkanMemoryKind kinds[] = {
    [GHLO_MEMORY_DEVICE] = GHLO_VULKAN_LOCAL, [GHLO_MEMORY_UPLOAD] = GHLO_VULKAN_UPLOAD,
    [GHLO_MEMORY_READBACK] = GHLO_VULKAN_READBACK,
  };
  GhloVulkanDevice *device = device_of (core);
  guint64 address;
  GhloStorage *storage;

  if (!ghlo_vulkan_device_open (device, NULL, error))
    return NULL;
  if (size > MAX_HOST_VISIBLE || ghlo_vulkan_device_is_unified (device))
    space = GHLO_MEMORY_DEVICE;
  address = ghlo_vulkan_memory_alloc (device->memory, kinds[space], size, error);
  if (address == 0)
    return NULL;
  storage = ghlo_new0 (GhloStorage);
  g_atomic_ref_count_init (&storage->ref_count);
  storage->space = space;
  storage->device = core;
  storage->address = address;
  storage->size = size;
  if (space != GHLO_MEMORY_UPLOAD)
    storage->host = ghlo_vulkan_memory_find (device->memory, address).host;
  storage->destroy = destroy;

  return storage;
}

/* Frees storage over imported host memory that kernels read in place. */
static void
free_view (gpointer data)
{
  g_autofree GhloStorage *self = data;

  ghlo_vulkan_imports_give (device_of (self->device)->imports, self->host);
  ghlo_storage_clear_host (self);
}

/* Work that the device was given may still read the memory, so the storage is freed once that has finished. */
static void
destroy_view (GhloStorage *storage)
{
  GhloVulkanDevice *device = device_of (storage->device);
  const guint64 value = ghlo_vulkan_queue_value (device->queue);
  g_autoptr (GhloPending) pending = NULL;

  if (value > ghlo_vulkan_queue_reached (device->queue, value))
    pending = ghlo_vulkan_waiter_add (device->waiter);
  ghlo_pending_notify (pending, free_view, storage);
}

/* The view is lent storage, so the holder of its last reference does not write to it. */
static GhloStorage *
view (GhloDeviceCore *core,
      GhloStorage    *host)
{
  GhloVulkanDevice *device = device_of (core);
  const gboolean may = ghlo_vulkan_device_is_unified (device) && ghlo_vulkan_device_is_open (device)
                       && host->address % STORAGE_ALIGNMENT == 0;
  const guint64 address = may ? ghlo_vulkan_imports_take (device->imports, host->host, host->size) : 0;
  GhloStorage *storage;

  if (address == 0)
    return NULL;
  storage = ghlo_storage_new_lent (host->host, host->size, (GDestroyNotify) ghlo_storage_unref,
                                   ghlo_storage_ref (host));
  storage->space = GHLO_MEMORY_DEVICE;
  storage->device = core;
  storage->address = address;
  storage->destroy = destroy_view;

  return storage;
}

static gboolean
upload (GhloDeviceCore     *core,
        gconstpointer       from,
        GhloStorage        *to,
        const GhloMonitor  *monitor,
        GError            **error)
{
  return ghlo_vulkan_fill (device_of (core), from, to->address, to->size, monitor, error);
}

static gboolean
download (GhloDeviceCore     *core,
          GhloStorage        *from,
          gpointer            to,
          const GhloMonitor  *monitor,
          GError            **error)
{
  return ghlo_vulkan_download (device_of (core), from->address, to, from->size, monitor, error);
}

/* The queue copies after everything put in before, and before everything that follows. */
static gboolean
copy (GhloDeviceCore  *core,
      GhloStorage     *from,
      GhloStorage     *to,
      GError         **error)
{
  GhloVulkanDevice *device = device_of (core);

  if (from->size == 0)
    return TRUE;
  if (!ghlo_vulkan_queue_copy (device->queue, from->address, to->address, from->size, error))
    return FALSE;
  to->pending = ghlo_vulkan_waiter_add (device->waiter);

  return TRUE;
}

/* A run ends when the queue has finished its work; by then the host's part between its steps is done as well. */
static gboolean
start (GhloPrepared          *prepared,
       const GhloRunOptions  *options,
       GhloValue *const      *inputs,
       gsize                  n_inputs,
       GhloValue            **outputs,
       GhloPending          **pending,
       const GhloMonitor     *monitor,
       GError               **error)
{
  GhloDeviceCore *core = prepared->device;

  if (!ghlo_planned_start (prepared, options, inputs, n_inputs, outputs, pending, monitor, error))
    {
      /* The device is still busy with what was submitted. The caller is told of the end when there is none of it left,
       * so the process may end then, and the driver with it. */
      if (ghlo_vulkan_device_is_open (device_of (core)))
        ghlo_vulkan_queue_settle (device_of (core)->queue);
      return FALSE;
    }
  *pending = ghlo_vulkan_waiter_add (device_of (core)->waiter);
  for (guint i = 0; i < prepared->n_outputs; i++)
    {
      GhloStorage *storage = outputs[i]->storage;

      /* An output that passes an input through is also the caller's, and nothing writes to it. */
      if (storage != NULL && storage->device == core && storage->pending == NULL && ghlo_value_is_own (outputs[i]))
        storage->pending = ghlo_pending_ref (*pending);
    }

  return TRUE;
}

static GhloPrepared *
prepare (GhloDeviceCore            *core,
         GhloIrModule              *module,
         GhloIrOp                  *function,
         const GhloPrepareOptions  *options,
         const GhloMonitor         *monitor,
         GError                   **error)
{
  const double share = ghlo_vulkan_device_is_open (device_of (core)) ? 0 : OPENING_SHARE;
  GhloMonitorPart first = { monitor, 0, share }, second = { monitor, share, 1 };
  const GhloMonitor opening = ghlo_monitor_of_part (&first), rest = ghlo_monitor_of_part (&second);

  if (!ghlo_vulkan_device_open (device_of (core), &opening, error))
    return NULL;

  return ghlo_planned_prepare (core, module, function, options, &rest, error);
}

static const GhloStepTarget *
get_target (GhloDeviceCore *core)
{
  return device_of (core)->target;
}

static const GhloDeviceCoreClass klass = {
  .name = "vulkan",
  .get_memory = get_memory,
  .measure_memory = measure_memory,
  .reset_memory_peak = reset_memory_peak,
  .add_facts = ghlo_vulkan_add_facts,
  .get_rates = ghlo_vulkan_get_rates,
  .identify = ghlo_vulkan_identify,
  .describe_work = ghlo_vulkan_describe_work,
  .declines = decline_reason,
  .allocate = allocate,
  .view = view,
  .upload = upload,
  .download = download,
  .copy = copy,
  .prepare = prepare,
  .release = ghlo_planned_release,
  .start = start,
  .get_target = get_target,
  .get_plan = ghlo_planned_get_plan,
  .describe = ghlo_planned_describe,
  .measure = measure,
};

static gboolean
has_index (GPtrArray *devices,
           guint      index)
{
  for (guint i = 0; i < devices->len; i++)
    if (((const GhloVulkanDevice *) devices->pdata[i])->index == index)
      return TRUE;

  return FALSE;
}

gboolean
ghlo_vulkan_may_have_gpu (void)
{
#ifdef __linux__
  /* Device nodes of drivers that do not use the kernel's direct rendering manager: NVIDIA, WSL, Arm, Qualcomm. */
  static const char *const nodes[] = { "/dev/nvidiactl", "/dev/dxg", "/dev/mali0", "/dev/kgsl-3d0" };
  g_autoptr (GDir) folder = g_dir_open ("/dev/dri", 0, NULL);
  const char *name;

  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL)
    if (g_str_has_prefix (name, "renderD"))
      return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
    if (g_file_test (nodes[i], G_FILE_TEST_EXISTS))
      return TRUE;

  return FALSE;
#else
  return TRUE;
#endif
}

/* What ghlo_vulkan_explain () returns. */
static char *explanation;

const char *
ghlo_vulkan_explain (void)
{
  return explanation;
}

void
ghlo_vulkan_find_devices (GPtrArray *devices)
{
  g_autoptr (GError) error = NULL;
  const GhloVulkanInstance *instance = ghlo_vulkan_instance_get (&error);
  VkPhysicalDevice physical[GHLO_VULKAN_MAX_DEVICES];
  guint n = instance != NULL ? ghlo_vulkan_instance_list (instance, physical, &error) : 0;

  g_clear_pointer (&explanation, g_free);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GError) reason = NULL;
      GhloVulkanDevice *device = has_index (devices, i) ? NULL : ghlo_vulkan_device_new (instance, physical[i], i,
                                                                                         &reason);

      if (device != NULL)
        {
          device->core.klass = &klass;
          g_ptr_array_insert (devices, (gint) MIN (i, devices->len), device);
        }
      else if (reason != NULL)
        g_debug ("%s", reason->message);
      if (reason != NULL && error == NULL)
        error = g_steal_pointer (&reason);
    }
  if (devices->len == 0 && error != NULL)
    {
      explanation = g_strdup (error->message);
      g_debug ("there are no Vulkan devices: %s", explanation);
    }
}
