/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Devices: objects around the device cores of the process.
 */

#include "ghlo-device-private.h"

#include "ghlo-enum-types.h"

/**
 * GhloDevice:
 *
 * Something that programs run on: the processor, a Vulkan device, or the
 * reference executor.
 *
 * Devices are found and listed by a [class@Ghlo.Client]. An object that was created
 * in another way does not represent a device, and calls with it fail with
 * %GHLO_ERROR_INVALID_ARGUMENT.
 *
 * Since: 1.0
 */
struct _GhloDevice
{
  GObject               parent_instance;

  GhloDeviceCore *core;      /* NULL when not created by a client; never changes */
};

enum
{
  PROP_0,
  PROP_NAME,
  PROP_KIND,
  PROP_DRIVER,
  PROP_MEMORY,
  PROP_FEATURES,
  PROP_LOST,
  PROP_MODEL,
  PROP_VECTOR_LEVEL,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

static const char *const no_features[] = { NULL };

G_DEFINE_FINAL_TYPE (GhloDevice, ghlo_device, G_TYPE_OBJECT)

GhloDevice *
ghlo_device_for_core (GhloDeviceCore *core)
{
  static GMutex lock;
  static GHashTable *devices;      /* by core */
  GhloDevice *self;

  g_mutex_lock (&lock);
  if (devices == NULL)
    devices = g_hash_table_new (NULL, NULL);
  self = g_hash_table_lookup (devices, core);
  if (self == NULL)
    {
      self = g_object_new (GHLO_TYPE_DEVICE, NULL);
      self->core = core;
      g_hash_table_insert (devices, core, self);
    }
  g_mutex_unlock (&lock);

  return self;
}

GhloDeviceCore *
ghlo_device_get_core (GhloDevice *self)
{
  return self->core;
}

static void
ghlo_device_get_property (GObject    *object,
                          guint       prop_id,
                          GValue     *value,
                          GParamSpec *pspec)
{
  GhloDevice *self = GHLO_DEVICE (object);

  switch (prop_id)
    {
    case PROP_NAME:
      g_value_set_string (value, ghlo_device_get_name (self));
      break;
    case PROP_KIND:
      g_value_set_enum (value, ghlo_device_get_kind (self));
      break;
    case PROP_DRIVER:
      g_value_set_string (value, ghlo_device_get_driver (self));
      break;
    case PROP_MEMORY:
      g_value_set_uint64 (value, ghlo_device_get_memory (self));
      break;
    case PROP_FEATURES:
      g_value_set_boxed (value, ghlo_device_get_features (self));
      break;
    case PROP_MODEL:
      g_value_set_string (value, ghlo_device_get_model (self));
      break;
    case PROP_VECTOR_LEVEL:
      g_value_set_string (value, ghlo_device_get_vector_level (self));
      break;
    case PROP_LOST:
      g_value_set_boolean (value, ghlo_device_is_lost (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
ghlo_device_class_init (GhloDeviceClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;

  object_class->get_property = ghlo_device_get_property;

  /**
   * GhloDevice:name: (getter get_name)
   *
   * The human-readable name of the device.
   *
   * Since: 1.0
   */
  properties[PROP_NAME] = g_param_spec_string ("name", NULL, NULL, "", flags);

  /**
   * GhloDevice:kind: (getter get_kind)
   *
   * What kind of device it is.
   *
   * Since: 1.0
   */
  properties[PROP_KIND] = g_param_spec_enum ("kind", NULL, NULL, GHLO_TYPE_DEVICE_KIND,
                                             GHLO_DEVICE_KIND_REFERENCE, flags);

  /**
   * GhloDevice:driver: (getter get_driver)
   *
   * The human-readable name and version of the driver.
   *
   * Since: 1.0
   */
  properties[PROP_DRIVER] = g_param_spec_string ("driver", NULL, NULL, "", flags);

  /**
   * GhloDevice:memory: (getter get_memory)
   *
   * The memory that programs on the device may use, in bytes.
   *
   * Since: 1.0
   */
  properties[PROP_MEMORY] = g_param_spec_uint64 ("memory", NULL, NULL, 0, G_MAXUINT64, 0, flags);

  /**
   * GhloDevice:features: (getter get_features)
   *
   * The names of the device's features.
   *
   * Since: 1.0
   */
  properties[PROP_FEATURES] = g_param_spec_boxed ("features", NULL, NULL, G_TYPE_STRV, flags);

  /**
   * GhloDevice:lost: (getter is_lost)
   *
   * Whether the device was lost. Every later call on it fails.
   *
   * Since: 1.0
   */
  properties[PROP_LOST] = g_param_spec_boolean ("lost", NULL, NULL, FALSE, flags);

  /**
   * GhloDevice:model: (getter get_model)
   *
   * The model of the hardware, as the hardware reports it.
   *
   * Since: 1.0
   */
  properties[PROP_MODEL] = g_param_spec_string ("model", NULL, NULL, NULL, flags);

  /**
   * GhloDevice:vector-level: (getter get_vector_level)
   *
   * The highest level of vector instructions that programs on the device use.
   *
   * Since: 1.0
   */
  properties[PROP_VECTOR_LEVEL] = g_param_spec_string ("vector-level", NULL, NULL, NULL, flags);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
ghlo_device_init (GhloDevice *self)
{
}

/**
 * ghlo_device_get_name: (get-property name)
 * @self: a device
 *
 * Gets the human-readable name of the device.
 *
 * Returns: the name; empty for an object that does not represent a device
 *
 * Since: 1.0
 */
const char *
ghlo_device_get_name (GhloDevice *self)
{
  g_return_val_if_fail (GHLO_IS_DEVICE (self), NULL);

  return self->core != NULL ? self->core->title : "";
}

/**
 * ghlo_device_get_kind: (get-property kind)
 * @self: a device
 *
 * Gets what kind of device it is.
 *
 * Returns: the kind
 *
 * Since: 1.0
 */
GhloDeviceKind
ghlo_device_get_kind (GhloDevice *self)
{
  g_return_val_if_fail (GHLO_IS_DEVICE (self), GHLO_DEVICE_KIND_REFERENCE);

  return self->core != NULL ? self->core->kind : GHLO_DEVICE_KIND_REFERENCE;
}

/**
 * ghlo_device_get_driver: (get-property driver)
 * @self: a device
 *
 * Gets the human-readable name and version of the device's driver.
 *
 * Returns: the driver; empty for an object that does not represent a device
 *
 * Since: 1.0
 */
const char *
ghlo_device_get_driver (GhloDevice *self)
{
  g_return_val_if_fail (GHLO_IS_DEVICE (self), NULL);

  return self->core != NULL ? self->core->driver : "";
}

static GhloMemoryUse
measure (GhloDevice *self)
{
  GhloMemoryUse use = { 0 };

  if (self->core != NULL)
    ghlo_device_core_measure_memory (self->core, &use);

  return use;
}

/**
 * ghlo_device_get_memory: (get-property memory)
 * @self: a device
 *
 * Gets how much memory programs on the device may use. For devices that work in
 * host memory this is the limit that the environment variable
 * `GHLO_MEMORY_LIMIT` sets.
 *
 * Returns: the number of bytes
 *
 * Since: 1.0
 */
guint64
ghlo_device_get_memory (GhloDevice *self)
{
  g_return_val_if_fail (GHLO_IS_DEVICE (self), 0);

  return measure (self).total;
}

/**
 * ghlo_device_get_memory_used:
 * @self: a device
 *
 * Gets how much of the device's memory this process uses: buffers, memory that
 * executables keep between runs, and the working memory of runs. Devices that work
 * in host memory share it and all return the same number.
 *
 * Returns: the number of bytes; 0 for a device that was not used yet
 *
 * Since: 1.0
 */
guint64
ghlo_device_get_memory_used (GhloDevice *self)
{
  g_return_val_if_fail (GHLO_IS_DEVICE (self), 0);

  return measure (self).used;
}

/**
 * ghlo_device_get_memory_peak:
 * @self: a device
 *
 * Gets the highest value that [method@Ghlo.Device.get_memory_used] has reached. The
 * memory that a program needs is known before it runs; see
 * [method@Ghlo.Cost.get_peak_memory].
 *
 * Returns: the number of bytes
 *
 * Since: 1.0
 */
guint64
ghlo_device_get_memory_peak (GhloDevice *self)
{
  g_return_val_if_fail (GHLO_IS_DEVICE (self), 0);

  return measure (self).peak;
}

/**
 * ghlo_device_get_features: (get-property features)
 * @self: a device
 *
 * Gets the names of the device's features.
 *
 * Returns: (transfer none) (array zero-terminated=1): the names
 *
 * Since: 1.0
 */
const char * const *
ghlo_device_get_features (GhloDevice *self)
{
  g_return_val_if_fail (GHLO_IS_DEVICE (self), NULL);

  return self->core != NULL ? self->core->features : no_features;
}

/**
 * ghlo_device_is_lost: (get-property lost)
 * @self: a device
 *
 * Returns whether the device was lost, along with the contents of its memory. Every
 * later call on a lost device fails with %GHLO_ERROR_DEVICE_LOST. If the device
 * comes back, [method@Ghlo.Client.list_devices] returns it as a new object.
 *
 * Returns: %TRUE when the device is lost
 *
 * Since: 1.0
 */
gboolean
ghlo_device_is_lost (GhloDevice *self)
{
  g_return_val_if_fail (GHLO_IS_DEVICE (self), FALSE);

  return self->core != NULL && ghlo_device_core_is_lost (self->core);
}

/**
 * ghlo_device_get_model: (get-property model)
 * @self: a device
 *
 * Gets the model of the hardware, as the hardware reports it.
 *
 * Returns: (nullable): the model, or %NULL where it is not known
 *
 * Since: 1.0
 */
const char *
ghlo_device_get_model (GhloDevice *self)
{
  g_return_val_if_fail (GHLO_IS_DEVICE (self), NULL);

  return self->core != NULL ? self->core->model : NULL;
}

/**
 * ghlo_device_get_vector_level: (get-property vector-level)
 * @self: a device
 *
 * Gets the highest level of vector instructions that programs on the device use:
 * `baseline`, which every processor of the architecture supports, `avx2`, or
 * `avx512`. The environment variable `ONEDNN_MAX_CPU_ISA` can lower it.
 *
 * Returns: (nullable): the level, or %NULL for a device that has none
 *
 * Since: 1.0
 */
const char *
ghlo_device_get_vector_level (GhloDevice *self)
{
  g_return_val_if_fail (GHLO_IS_DEVICE (self), NULL);

  return self->core != NULL ? self->core->vector_level : NULL;
}

/**
 * ghlo_device_equal:
 * @a: (type GhloDevice): a device
 * @b: (type GhloDevice): another device
 *
 * Returns whether two objects represent the same device, regardless of the clients
 * that listed them. An object that does not represent a device is equal only to
 * itself. A device that was lost and came back is a different one. This is a
 * `GEqualFunc`.
 *
 * Returns: %TRUE when the devices are the same
 *
 * Since: 1.0
 */
gboolean
ghlo_device_equal (gconstpointer a,
                   gconstpointer b)
{
  const GhloDevice *one = a, *other = b;

  g_return_val_if_fail (GHLO_IS_DEVICE ((gpointer) a) && GHLO_IS_DEVICE ((gpointer) b), FALSE);

  return one == other || (one->core != NULL && one->core == other->core);
}

/**
 * ghlo_device_hash:
 * @device: (type GhloDevice): a device
 *
 * Computes a hash that is the same for equal devices within this process. This is a
 * `GHashFunc`.
 *
 * Returns: the hash
 *
 * Since: 1.0
 */
guint
ghlo_device_hash (gconstpointer device)
{
  const GhloDevice *self = device;

  g_return_val_if_fail (GHLO_IS_DEVICE ((gpointer) device), 0);

  return g_direct_hash (self->core != NULL ? (gconstpointer) self->core : device);
}
