/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The options of a compile: properties, presets, and the setters behind them. A
 * call reads them when it is made, so that later changes do not reach it.
 */

#include "ghlo-compile-options-private.h"

#include "ghlo-enum-types.h"

/**
 * GhloCompileOptions:
 *
 * What a compile may be told, and everything has a default.
 *
 * [method@Ghlo.Client.compile] reads the options when it is called; changing them
 * later changes nothing that is under way.
 *
 * A name of a pass that the library does not have is accepted and does nothing, so
 * that options outlive a pass.
 *
 * Since: 1.0
 */
struct _GhloCompileOptions
{
  GObject                 parent_instance;

  GhloOptimizationLevel   optimization_level;
  GhloDevice             *device;              /* NULL: chosen by the library */
  gboolean                debug_info;
  gboolean                caching;
  gboolean                excess_precision;
  gboolean                wait_for_code;
  char                  **enabled_passes;      /* never NULL */
  char                  **disabled_passes;     /* never NULL */
};

enum
{
  PROP_0,
  PROP_OPTIMIZATION_LEVEL,
  PROP_DEVICE,
  PROP_DEBUG_INFO,
  PROP_CACHING,
  PROP_EXCESS_PRECISION,
  PROP_WAIT_FOR_CODE,
  PROP_ENABLED_PASSES,
  PROP_DISABLED_PASSES,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (GhloCompileOptions, ghlo_compile_options, G_TYPE_OBJECT)

static void
ghlo_compile_options_finalize (GObject *object)
{
  GhloCompileOptions *self = GHLO_COMPILE_OPTIONS (object);

  g_clear_object (&self->device);
  g_strfreev (self->enabled_passes);
  g_strfreev (self->disabled_passes);

  G_OBJECT_CLASS (ghlo_compile_options_parent_class)->finalize (object);
}

static void
ghlo_compile_options_get_property (GObject    *object,
                                   guint       prop_id,
                                   GValue     *value,
                                   GParamSpec *pspec)
{
  GhloCompileOptions *self = GHLO_COMPILE_OPTIONS (object);

  switch (prop_id)
    {
    case PROP_OPTIMIZATION_LEVEL:
      g_value_set_enum (value, self->optimization_level);
      break;
    case PROP_DEVICE:
      g_value_set_object (value, self->device);
      break;
    case PROP_DEBUG_INFO:
      g_value_set_boolean (value, self->debug_info);
      break;
    case PROP_CACHING:
      g_value_set_boolean (value, self->caching);
      break;
    case PROP_EXCESS_PRECISION:
      g_value_set_boolean (value, self->excess_precision);
      break;
    case PROP_WAIT_FOR_CODE:
      g_value_set_boolean (value, self->wait_for_code);
      break;
    case PROP_ENABLED_PASSES:
      g_value_set_boxed (value, self->enabled_passes);
      break;
    case PROP_DISABLED_PASSES:
      g_value_set_boxed (value, self->disabled_passes);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
ghlo_compile_options_set_property (GObject      *object,
                                   guint         prop_id,
                                   const GValue *value,
                                   GParamSpec   *pspec)
{
  GhloCompileOptions *self = GHLO_COMPILE_OPTIONS (object);

  switch (prop_id)
    {
    case PROP_OPTIMIZATION_LEVEL:
      ghlo_compile_options_set_optimization_level (self, g_value_get_enum (value));
      break;
    case PROP_DEVICE:
      ghlo_compile_options_set_device (self, g_value_get_object (value));
      break;
    case PROP_DEBUG_INFO:
      ghlo_compile_options_set_debug_info (self, g_value_get_boolean (value));
      break;
    case PROP_CACHING:
      ghlo_compile_options_set_caching (self, g_value_get_boolean (value));
      break;
    case PROP_EXCESS_PRECISION:
      ghlo_compile_options_set_excess_precision (self, g_value_get_boolean (value));
      break;
    case PROP_WAIT_FOR_CODE:
      ghlo_compile_options_set_wait_for_code (self, g_value_get_boolean (value));
      break;
    case PROP_ENABLED_PASSES:
      ghlo_compile_options_set_enabled_passes (self, g_value_get_boxed (value));
      break;
    case PROP_DISABLED_PASSES:
      ghlo_compile_options_set_disabled_passes (self, g_value_get_boxed (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
ghlo_compile_options_class_init (GhloCompileOptionsClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->finalize = ghlo_compile_options_finalize;
  object_class->get_property = ghlo_compile_options_get_property;
  object_class->set_property = ghlo_compile_options_set_property;

  /**
   * GhloCompileOptions:optimization-level: (getter get_optimization_level) (setter set_optimization_level)
   *
   * How much work is done for a fast run.
   *
   * Since: 1.0
   */
  properties[PROP_OPTIMIZATION_LEVEL] =
    g_param_spec_enum ("optimization-level", NULL, NULL, GHLO_TYPE_OPTIMIZATION_LEVEL,
                       GHLO_OPTIMIZATION_LEVEL_O2, flags);

  /**
   * GhloCompileOptions:device: (getter get_device) (setter set_device)
   *
   * The device to compile for; %NULL lets the library choose
   * ([method@Ghlo.CompileOptions.set_device] says how).
   *
   * Since: 1.0
   */
  properties[PROP_DEVICE] = g_param_spec_object ("device", NULL, NULL, GHLO_TYPE_DEVICE, flags);

  /**
   * GhloCompileOptions:debug-info: (getter get_debug_info) (setter set_debug_info)
   *
   * Whether the executable keeps the program's locations for errors and
   * profiles.
   *
   * Since: 1.0
   */
  properties[PROP_DEBUG_INFO] = g_param_spec_boolean ("debug-info", NULL, NULL, FALSE, flags);

  /**
   * GhloCompileOptions:caching: (getter get_caching) (setter set_caching)
   *
   * Whether the compile may take its result from an executable in use, or from the
   * cache on disk, and put it there.
   *
   * Since: 1.0
   */
  properties[PROP_CACHING] = g_param_spec_boolean ("caching", NULL, NULL, TRUE, flags);

  /**
   * GhloCompileOptions:excess-precision: (getter get_excess_precision) (setter set_excess_precision)
   *
   * Whether fused operations on f16 and bf16 may keep more precision between
   * them than the program says.
   *
   * Since: 1.0
   */
  properties[PROP_EXCESS_PRECISION] = g_param_spec_boolean ("excess-precision", NULL, NULL, FALSE, flags);

  /**
   * GhloCompileOptions:wait-for-code: (getter get_wait_for_code) (setter set_wait_for_code)
   *
   * Whether the compile ends only when the machine code of all kernels is made.
   *
   * It is made in the background otherwise, and the first runs do without, to the same
   * results and more slowly. The compile's progress and its cancellable are of the wait too.
   *
   * Since: 1.0
   */
  properties[PROP_WAIT_FOR_CODE] = g_param_spec_boolean ("wait-for-code", NULL, NULL, FALSE, flags);

  /**
   * GhloCompileOptions:enabled-passes: (getter get_enabled_passes) (setter set_enabled_passes)
   *
   * The names of passes to run that the optimization level leaves out. A compile with a
   * name that no pass has fails with %GHLO_ERROR_INVALID_ARGUMENT and lists the names.
   *
   * Since: 1.0
   */
  properties[PROP_ENABLED_PASSES] = g_param_spec_boxed ("enabled-passes", NULL, NULL, G_TYPE_STRV, flags);

  /**
   * GhloCompileOptions:disabled-passes: (getter get_disabled_passes) (setter set_disabled_passes)
   *
   * The names of passes to leave out that the optimization level runs. A compile with a
   * name that no pass has fails with %GHLO_ERROR_INVALID_ARGUMENT and lists the names.
   *
   * Since: 1.0
   */
  properties[PROP_DISABLED_PASSES] = g_param_spec_boxed ("disabled-passes", NULL, NULL, G_TYPE_STRV, flags);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
ghlo_compile_options_init (GhloCompileOptions *self)
{
  self->optimization_level = GHLO_OPTIMIZATION_LEVEL_O2;
  self->caching = TRUE;
  self->enabled_passes = g_new0 (char *, 1);
  self->disabled_passes = g_new0 (char *, 1);
}

GhloSettings *
ghlo_compile_options_dup_settings (GhloCompileOptions *options)
{
  GhloSettings *settings = ghlo_settings_new ();

  if (options == NULL)
    return settings;
  g_strfreev (settings->enabled_passes);
  g_strfreev (settings->disabled_passes);
  settings->optimization_level = options->optimization_level;
  settings->debug_info = options->debug_info;
  settings->caching = options->caching;
  settings->excess_precision = options->excess_precision;
  settings->wait_for_code = options->wait_for_code;
  settings->enabled_passes = g_strdupv (options->enabled_passes);
  settings->disabled_passes = g_strdupv (options->disabled_passes);

  return settings;
}

/**
 * ghlo_compile_options_new:
 *
 * Makes options that all have their defaults; these are the same as those of
 * [ctor@Ghlo.CompileOptions.new_balanced].
 *
 * Returns: (transfer full): new options
 *
 * Since: 1.0
 */
GhloCompileOptions *
ghlo_compile_options_new (void)
{
  return g_object_new (GHLO_TYPE_COMPILE_OPTIONS, NULL);
}

/**
 * ghlo_compile_options_new_balanced:
 *
 * Makes options for everyday use: O2, with the cache.
 *
 * Returns: (transfer full): new options
 *
 * Since: 1.0
 */
GhloCompileOptions *
ghlo_compile_options_new_balanced (void)
{
  return ghlo_compile_options_new ();
}

/**
 * ghlo_compile_options_new_debug:
 *
 * Makes options for looking into a program: O0, locations kept, no cache.
 *
 * Returns: (transfer full): new options
 *
 * Since: 1.0
 */
GhloCompileOptions *
ghlo_compile_options_new_debug (void)
{
  return g_object_new (GHLO_TYPE_COMPILE_OPTIONS,
                       "optimization-level", GHLO_OPTIMIZATION_LEVEL_O0,
                       "debug-info", TRUE,
                       "caching", FALSE,
                       NULL);
}

/**
 * ghlo_compile_options_new_quick_compile:
 *
 * Makes options for programs that run once or change often: O1, with the cache.
 *
 * Returns: (transfer full): new options
 *
 * Since: 1.0
 */
GhloCompileOptions *
ghlo_compile_options_new_quick_compile (void)
{
  return g_object_new (GHLO_TYPE_COMPILE_OPTIONS,
                       "optimization-level", GHLO_OPTIMIZATION_LEVEL_O1,
                       NULL);
}

/**
 * ghlo_compile_options_new_release:
 *
 * Makes options for programs that run many times: O3, with the cache.
 *
 * Returns: (transfer full): new options
 *
 * Since: 1.0
 */
GhloCompileOptions *
ghlo_compile_options_new_release (void)
{
  return g_object_new (GHLO_TYPE_COMPILE_OPTIONS,
                       "optimization-level", GHLO_OPTIMIZATION_LEVEL_O3,
                       NULL);
}

/**
 * ghlo_compile_options_get_optimization_level: (get-property optimization-level)
 * @self: options
 *
 * Gets how much work is done for a fast run.
 *
 * Returns: the level
 *
 * Since: 1.0
 */
GhloOptimizationLevel
ghlo_compile_options_get_optimization_level (GhloCompileOptions *self)
{
  g_return_val_if_fail (GHLO_IS_COMPILE_OPTIONS (self), GHLO_OPTIMIZATION_LEVEL_O2);

  return self->optimization_level;
}

/**
 * ghlo_compile_options_set_optimization_level: (set-property optimization-level)
 * @self: options
 * @optimization_level: the level
 *
 * Sets how much work is done for a fast run.
 *
 * Since: 1.0
 */
void
ghlo_compile_options_set_optimization_level (GhloCompileOptions    *self,
                                             GhloOptimizationLevel  optimization_level)
{
  g_return_if_fail (GHLO_IS_COMPILE_OPTIONS (self));

  /* A binding may hand over any number. */
  optimization_level = CLAMP ((int) optimization_level, GHLO_OPTIMIZATION_LEVEL_O0, GHLO_OPTIMIZATION_LEVEL_O3);
  if (self->optimization_level == optimization_level)
    return;
  self->optimization_level = optimization_level;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_OPTIMIZATION_LEVEL]);
}

/**
 * ghlo_compile_options_get_device: (get-property device)
 * @self: options
 *
 * Gets the device to compile for.
 *
 * Returns: (transfer none) (nullable): the device, or %NULL when the library is
 *   to choose
 *
 * Since: 1.0
 */
GhloDevice *
ghlo_compile_options_get_device (GhloCompileOptions *self)
{
  g_return_val_if_fail (GHLO_IS_COMPILE_OPTIONS (self), NULL);

  return self->device;
}

/**
 * ghlo_compile_options_set_device: (set-property device)
 * @self: options
 * @device: (nullable): a device that a client listed, or %NULL to let the library
 *   choose
 *
 * Sets the device to compile for. This wins over the environment variable
 * `GHLO_DEVICE`.
 *
 * Where neither names one, a program goes to the CPU or to a real GPU, whichever is
 * estimated to end a run first: by the program's operations and bytes, by rates that
 * `ghlo calibrate` measured on the machine, or careful guesses without it, both as
 * earlier runs have refined them, and with inputs that come from the host's memory, and
 * outputs that go there. Vulkan devices that are software are never chosen. What small
 * programs take is known without looking for a GPU. Steps of a program that goes to a
 * GPU may still be the CPU's, where the transfers are worth it.
 * [property@Ghlo.Plan:reason] says why the choice was made.
 *
 * Integers are the same on each device. Of floats a GPU may take subnormal numbers for
 * zero, and adds up products and convolutions in another order than the CPU, so that
 * these differ by what rounding makes of that. Whoever needs the same bits on all
 * machines names a device.
 *
 * Since: 1.0
 */
void
ghlo_compile_options_set_device (GhloCompileOptions *self,
                                 GhloDevice         *device)
{
  g_return_if_fail (GHLO_IS_COMPILE_OPTIONS (self));

  if (device != NULL && !GHLO_IS_DEVICE (device))
    return;
  if (g_set_object (&self->device, device))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_DEVICE]);
}

/**
 * ghlo_compile_options_get_debug_info: (get-property debug-info)
 * @self: options
 *
 * Gets whether the executable keeps the program's locations for errors and
 * profiles.
 *
 * Returns: %TRUE to keep locations
 *
 * Since: 1.0
 */
gboolean
ghlo_compile_options_get_debug_info (GhloCompileOptions *self)
{
  g_return_val_if_fail (GHLO_IS_COMPILE_OPTIONS (self), FALSE);

  return self->debug_info;
}

/**
 * ghlo_compile_options_set_debug_info: (set-property debug-info)
 * @self: options
 * @debug_info: %TRUE to keep locations
 *
 * Sets whether the executable keeps the program's locations for errors and
 * profiles.
 *
 * Since: 1.0
 */
void
ghlo_compile_options_set_debug_info (GhloCompileOptions *self,
                                         gboolean            debug_info)
{
  g_return_if_fail (GHLO_IS_COMPILE_OPTIONS (self));

  debug_info = debug_info != FALSE;
  if (self->debug_info == debug_info)
    return;
  self->debug_info = debug_info;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_DEBUG_INFO]);
}

/**
 * ghlo_compile_options_get_caching: (get-property caching)
 * @self: options
 *
 * Gets whether the compile may take its result from an executable in use, or from
 * the cache on disk, and put it there.
 *
 * Returns: %TRUE to use the cache
 *
 * Since: 1.0
 */
gboolean
ghlo_compile_options_get_caching (GhloCompileOptions *self)
{
  g_return_val_if_fail (GHLO_IS_COMPILE_OPTIONS (self), TRUE);

  return self->caching;
}

/**
 * ghlo_compile_options_set_caching: (set-property caching)
 * @self: options
 * @caching: %TRUE to use the cache
 *
 * Sets whether the compile may take its result from the cache on disk, and put
 * it there.
 *
 * Since: 1.0
 */
void
ghlo_compile_options_set_caching (GhloCompileOptions *self,
                                      gboolean            caching)
{
  g_return_if_fail (GHLO_IS_COMPILE_OPTIONS (self));

  caching = caching != FALSE;
  if (self->caching == caching)
    return;
  self->caching = caching;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CACHING]);
}

/**
 * ghlo_compile_options_get_excess_precision: (get-property excess-precision)
 * @self: options
 *
 * Gets whether fused operations on f16 and bf16 may keep more precision between
 * them than the program says.
 *
 * Returns: %TRUE to allow it
 *
 * Since: 1.0
 */
gboolean
ghlo_compile_options_get_excess_precision (GhloCompileOptions *self)
{
  g_return_val_if_fail (GHLO_IS_COMPILE_OPTIONS (self), FALSE);

  return self->excess_precision;
}

/**
 * ghlo_compile_options_set_excess_precision: (set-property excess-precision)
 * @self: options
 * @excess_precision: %TRUE to allow it
 *
 * Sets whether fused operations on f16 and bf16 may keep more precision between
 * them than the program says.
 *
 * Since: 1.0
 */
void
ghlo_compile_options_set_excess_precision (GhloCompileOptions *self,
                                               gboolean            excess_precision)
{
  g_return_if_fail (GHLO_IS_COMPILE_OPTIONS (self));

  excess_precision = excess_precision != FALSE;
  if (self->excess_precision == excess_precision)
    return;
  self->excess_precision = excess_precision;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_EXCESS_PRECISION]);
}

/* TRUE when the list changed; no list is an empty one. */
static gboolean
set_strv (char              ***place,
          const char *const   *value)
{
  static const char *const nothing[] = { NULL };
  char **copy;

  if (value == NULL)
    value = nothing;
  if (g_strv_equal ((const char *const *) *place, value))
    return FALSE;
  copy = g_strdupv ((char **) value);
  g_strfreev (*place);
  *place = copy;

  return TRUE;
}

/**
 * ghlo_compile_options_get_wait_for_code: (get-property wait-for-code)
 * @self: options
 *
 * Gets whether the compile ends only when the machine code of all kernels is made.
 *
 * Returns: %TRUE to wait for it
 *
 * Since: 1.0
 */
gboolean
ghlo_compile_options_get_wait_for_code (GhloCompileOptions *self)
{
  g_return_val_if_fail (GHLO_IS_COMPILE_OPTIONS (self), FALSE);

  return self->wait_for_code;
}

/**
 * ghlo_compile_options_set_wait_for_code: (set-property wait-for-code)
 * @self: options
 * @wait_for_code: %TRUE to wait for it
 *
 * Sets whether the compile ends only when the machine code of all kernels is made.
 *
 * Since: 1.0
 */
void
ghlo_compile_options_set_wait_for_code (GhloCompileOptions *self,
                                        gboolean            wait_for_code)
{
  g_return_if_fail (GHLO_IS_COMPILE_OPTIONS (self));

  wait_for_code = wait_for_code != FALSE;
  if (self->wait_for_code == wait_for_code)
    return;
  self->wait_for_code = wait_for_code;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_WAIT_FOR_CODE]);
}

/**
 * ghlo_compile_options_get_enabled_passes: (get-property enabled-passes)
 * @self: options
 *
 * Gets the names of passes to run that the optimization level leaves out.
 *
 * Returns: (transfer none) (array zero-terminated=1): the names
 *
 * Since: 1.0
 */
const char * const *
ghlo_compile_options_get_enabled_passes (GhloCompileOptions *self)
{
  g_return_val_if_fail (GHLO_IS_COMPILE_OPTIONS (self), NULL);

  return (const char * const *) self->enabled_passes;
}

/**
 * ghlo_compile_options_set_enabled_passes: (set-property enabled-passes)
 * @self: options
 * @enabled_passes: (array zero-terminated=1) (nullable): the names
 *
 * Sets the names of passes to run that the optimization level leaves out.
 *
 * Since: 1.0
 */
void
ghlo_compile_options_set_enabled_passes (GhloCompileOptions *self,
                                             const char * const *enabled_passes)
{
  g_return_if_fail (GHLO_IS_COMPILE_OPTIONS (self));

  if (set_strv (&self->enabled_passes, enabled_passes))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ENABLED_PASSES]);
}

/**
 * ghlo_compile_options_get_disabled_passes: (get-property disabled-passes)
 * @self: options
 *
 * Gets the names of passes to leave out that the optimization level runs.
 *
 * Returns: (transfer none) (array zero-terminated=1): the names
 *
 * Since: 1.0
 */
const char * const *
ghlo_compile_options_get_disabled_passes (GhloCompileOptions *self)
{
  g_return_val_if_fail (GHLO_IS_COMPILE_OPTIONS (self), NULL);

  return (const char * const *) self->disabled_passes;
}

/**
 * ghlo_compile_options_set_disabled_passes: (set-property disabled-passes)
 * @self: options
 * @disabled_passes: (array zero-terminated=1) (nullable): the names
 *
 * Sets the names of passes to leave out that the optimization level runs.
 *
 * Since: 1.0
 */
void
ghlo_compile_options_set_disabled_passes (GhloCompileOptions *self,
                                              const char * const *disabled_passes)
{
  g_return_if_fail (GHLO_IS_COMPILE_OPTIONS (self));

  if (set_strv (&self->disabled_passes, disabled_passes))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_DISABLED_PASSES]);
}
