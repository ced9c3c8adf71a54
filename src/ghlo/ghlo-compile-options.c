/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The options of a compilation: properties, presets and setters. A call reads the
 * options when it is made, so later changes do not affect it.
 */

#include "ghlo-compile-options-private.h"

#include "ghlo-enum-types.h"

/**
 * GhloCompileOptions:
 *
 * The options of a compilation. Every option has a default.
 *
 * [method@Ghlo.Client.compile] reads the options when it is called; later changes
 * do not affect compilations in progress.
 *
 * A compilation with a name that no pass has fails, but a serialized executable with
 * such a name can still be loaded, so that it outlives a pass.
 *
 * Since: 1.0
 */
struct _GhloCompileOptions
{
  GObject                 parent_instance;

  GhloOptimizationLevel   optimization_level;
  GhloDevice             *device;              /* NULL when the library chooses */
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
   * How much effort is spent on making runs fast.
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
   * Whether the compilation may share the result of an existing executable, and may
   * read and write the cache on disk.
   *
   * Since: 1.0
   */
  properties[PROP_CACHING] = g_param_spec_boolean ("caching", NULL, NULL, TRUE, flags);

  /**
   * GhloCompileOptions:excess-precision: (getter get_excess_precision) (setter set_excess_precision)
   *
   * Whether fused operations on f16 and bf16 may keep more precision between them than the program
   * specifies.
   *
   * What they give each other is then of f32, and results are rounded once. Other frameworks
   * compute in this way too; it is faster, and nearer to what the program would give in f32.
   * Conversions that the program itself contains are made. Otherwise the result of each operation
   * is rounded, whatever is fused.
   *
   * Since: 1.0
   */
  properties[PROP_EXCESS_PRECISION] = g_param_spec_boolean ("excess-precision", NULL, NULL, TRUE, flags);

  /**
   * GhloCompileOptions:wait-for-code: (getter get_wait_for_code) (setter set_wait_for_code)
   *
   * Whether the compilation waits until the machine code of all kernels has been generated.
   *
   * Otherwise machine code is generated in the background, and the first runs do without it:
   * they are slower but give the same results. The progress and the cancellable of the
   * compilation cover the wait.
   *
   * Since: 1.0
   */
  properties[PROP_WAIT_FOR_CODE] = g_param_spec_boolean ("wait-for-code", NULL, NULL, FALSE, flags);

  /**
   * GhloCompileOptions:enabled-passes: (getter get_enabled_passes) (setter set_enabled_passes)
   *
   * The names of additional passes to run, which the optimization level leaves out. A
   * compilation with a name that no pass has fails with %GHLO_ERROR_INVALID_ARGUMENT and lists
   * the names.
   *
   * Since: 1.0
   */
  properties[PROP_ENABLED_PASSES] = g_param_spec_boxed ("enabled-passes", NULL, NULL, G_TYPE_STRV, flags);

  /**
   * GhloCompileOptions:disabled-passes: (getter get_disabled_passes) (setter set_disabled_passes)
   *
   * The names of passes to leave out, which the optimization level would run. A compilation with
   * a name that no pass has fails with %GHLO_ERROR_INVALID_ARGUMENT and lists the names.
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
  self->excess_precision = TRUE;
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
 * Creates options with the default values, which are the same as those of
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
 * Creates options for everyday use: O2, with the cache.
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
 * Creates options for debugging a program: O0, locations kept, no cache, no excess precision.
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
                       "excess-precision", FALSE,
                       NULL);
}

/**
 * ghlo_compile_options_new_quick_compile:
 *
 * Creates options for programs that run once or change often: O1, with the cache.
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
 * Creates options for programs that run many times: O3, with the cache.
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
 * Gets how much effort is spent on making runs fast.
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
 * Sets how much effort is spent on making runs fast.
 *
 * Since: 1.0
 */
void
ghlo_compile_options_set_optimization_level (GhloCompileOptions    *self,
                                             GhloOptimizationLevel  optimization_level)
{
  g_return_if_fail (GHLO_IS_COMPILE_OPTIONS (self));

  /* A language binding may pass any number. */
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
 * Returns: (transfer none) (nullable): the device, or %NULL when the library
 *   chooses
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
 * Sets the device to compile for. It takes precedence over the environment variable
 * `GHLO_DEVICE`.
 *
 * When neither names a device, the program is compiled for the CPU or for a hardware
 * GPU, whichever is estimated to complete a run first. The estimate is based on the
 * operations and bytes of the program, and on rates that `ghlo calibrate` has measured
 * on the machine or, without these, on conservative guesses.
 * It assumes that inputs come from host memory and that outputs return there. Software
 * Vulkan devices are never chosen. The time of small programs is known without looking
 * for a GPU. When a program is compiled for a GPU, some of its steps may still run on
 * the CPU where this is worth the transfers. [property@Ghlo.Plan:reason] explains the
 * choice.
 *
 * Integer results are the same on all devices. For floats, a GPU may flush subnormal
 * numbers to zero, and it sums the products of matrix products and convolutions in
 * another order than the CPU, so that results differ by rounding. Name a device if you
 * need the same bits on all machines.
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
 * Gets whether the compilation may share the result of an existing executable, and
 * may read and write the cache on disk.
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
 * Sets whether the compilation may share the result of an existing executable, and
 * may read and write the cache on disk.
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
 * them than the program specifies.
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
 * them than the program specifies.
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

/* Returns whether the list changed. NULL counts as an empty list. */
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
 * Gets whether the compilation waits until the machine code of all kernels has been
 * generated.
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
 * Sets whether the compilation waits until the machine code of all kernels has been
 * generated.
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
 * Gets the names of additional passes to run, which the optimization level leaves
 * out.
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
 * Sets the names of additional passes to run, which the optimization level leaves
 * out.
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
 * Gets the names of passes to leave out, which the optimization level would run.
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
 * Sets the names of passes to leave out, which the optimization level would run.
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
