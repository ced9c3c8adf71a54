/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Programs: their properties. ghlo-program-load.c creates them, ghlo-program-write.c
 * writes their text and portable artifacts.
 */

#include "ghlo-program-private.h"

#include "client/reclaim.h"

#include "ghlo-enum-types.h"
#include "ghlo-value-info-private.h"

/**
 * GhloProgram:
 *
 * A StableHLO program that was parsed and verified. It is immutable and may be
 * used from any thread.
 *
 * Programs come from files, by [func@Ghlo.Program.load], or from memory, by
 * [func@Ghlo.Program.parse], in any of the formats of [enum@Ghlo.ProgramFormat],
 * which is detected from the first bytes. An invalid program is reported as an
 * error whose first line names the place; [func@Ghlo.Program.check] lists all
 * findings.
 *
 * Since: 1.0
 */
struct _GhloProgram
{
  GObject            parent_instance;

  /* None of the fields changes. */
  GhloIrModule      *module;            /* NULL when created without a module */
  GhloProgramFormat  format;
  char              *producer;          /* nullable, like the next */
  char              *artifact_version;
};

enum
{
  PROP_0,
  PROP_ARTIFACT_VERSION,
  PROP_FORMAT,
  PROP_NAME,
  PROP_PRODUCER,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (GhloProgram, ghlo_program, G_TYPE_OBJECT)

/* Text that another tool wrote is displayed, so it must be valid UTF-8. */
static void
set_source (GhloProgram            *self,
            const GhloImportSource *source)
{
  const GhloIrVersion version = source->version;

  self->format = source->format;
  if (source->producer != NULL)
    self->producer = g_utf8_make_valid (source->producer, -1);
  if (ghlo_ir_version_compare (version, (GhloIrVersion) { 0 }) > 0)
    self->artifact_version = g_strdup_printf ("%u.%u.%u", version.major, version.minor, version.patch);
}

GhloProgram *
ghlo_program_new (GhloIrModule           *module,
                  const GhloImportSource *source)
{
  GhloProgram *self = g_object_new (GHLO_TYPE_PROGRAM, NULL);

  self->module = module;
  if (source != NULL)
    set_source (self, source);

  return self;
}

GhloIrModule *
ghlo_program_take_module (GhloProgram  *self,
                          GError      **error)
{
  if (GHLO_IS_PROGRAM (self) && self->module != NULL)
    return ghlo_ir_module_ref (self->module);

  g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT, "expected a program, found %s",
               self == NULL ? "nothing" : "one that was made without text: use load or parse");

  return NULL;
}

static void
ghlo_program_finalize (GObject *object)
{
  GhloProgram *self = GHLO_PROGRAM (object);

  g_clear_pointer (&self->module, ghlo_reclaim_module);
  g_free (self->producer);
  g_free (self->artifact_version);

  G_OBJECT_CLASS (ghlo_program_parent_class)->finalize (object);
}

static void
ghlo_program_get_property (GObject    *object,
                           guint       prop_id,
                           GValue     *value,
                           GParamSpec *pspec)
{
  GhloProgram *self = GHLO_PROGRAM (object);

  switch (prop_id)
    {
    case PROP_ARTIFACT_VERSION:
      g_value_set_string (value, ghlo_program_get_artifact_version (self));
      break;
    case PROP_FORMAT:
      g_value_set_enum (value, ghlo_program_get_format (self));
      break;
    case PROP_NAME:
      g_value_set_string (value, ghlo_program_get_name (self));
      break;
    case PROP_PRODUCER:
      g_value_set_string (value, ghlo_program_get_producer (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
ghlo_program_class_init (GhloProgramClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = ghlo_program_finalize;
  object_class->get_property = ghlo_program_get_property;

  /**
   * GhloProgram:artifact-version: (getter get_artifact_version)
   *
   * The version of StableHLO that the program was written for as a portable
   * artifact, such as `1.13.0`; %NULL for other formats.
   *
   * Since: 1.0
   */
  properties[PROP_ARTIFACT_VERSION] =
    g_param_spec_string ("artifact-version", NULL, NULL, NULL,
                         G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);

  /**
   * GhloProgram:format: (getter get_format)
   *
   * The format that the program was read from.
   *
   * Since: 1.0
   */
  properties[PROP_FORMAT] =
    g_param_spec_enum ("format", NULL, NULL, GHLO_TYPE_PROGRAM_FORMAT, GHLO_PROGRAM_FORMAT_TEXT,
                       G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);

  /**
   * GhloProgram:name: (getter get_name)
   *
   * The name of the program in messages.
   *
   * Since: 1.0
   */
  properties[PROP_NAME] = g_param_spec_string ("name", NULL, NULL, "",
                                               G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);

  /**
   * GhloProgram:producer: (getter get_producer)
   *
   * The tool that wrote the bytecode from which the program was read; %NULL for
   * text.
   *
   * Since: 1.0
   */
  properties[PROP_PRODUCER] =
    g_param_spec_string ("producer", NULL, NULL, NULL,
                         G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
ghlo_program_init (GhloProgram *self)
{
}

/**
 * ghlo_program_get_name: (get-property name)
 * @self: a program
 *
 * Gets the name of the program in messages.
 *
 * Returns: the name
 *
 * Since: 1.0
 */
const char *
ghlo_program_get_name (GhloProgram *self)
{
  g_return_val_if_fail (GHLO_IS_PROGRAM (self), NULL);

  return self->module != NULL ? self->module->file_name : "";
}

/**
 * ghlo_program_get_format: (get-property format)
 * @self: a program
 *
 * Gets the format that the program was read from. The program of a loaded
 * executable counts as text.
 *
 * Returns: the format
 *
 * Since: 1.0
 */
GhloProgramFormat
ghlo_program_get_format (GhloProgram *self)
{
  g_return_val_if_fail (GHLO_IS_PROGRAM (self), GHLO_PROGRAM_FORMAT_TEXT);

  return self->format;
}

/**
 * ghlo_program_get_producer: (get-property producer)
 * @self: a program
 *
 * Gets the tool that wrote the bytecode from which the program was read, as the
 * tool calls itself, such as `StableHLO_v1.13.0`.
 *
 * Returns: (nullable): the producer, or %NULL for a program that was read from text
 *
 * Since: 1.0
 */
const char *
ghlo_program_get_producer (GhloProgram *self)
{
  g_return_val_if_fail (GHLO_IS_PROGRAM (self), NULL);

  return self->producer;
}

/**
 * ghlo_program_get_artifact_version: (get-property artifact-version)
 * @self: a program
 *
 * Gets the version of StableHLO that the program was written for as a portable
 * artifact, also when it was embedded in a file of `jax.export`.
 *
 * Returns: (nullable): the version, such as `1.13.0`, or %NULL for other formats
 *
 * Since: 1.0
 */
const char *
ghlo_program_get_artifact_version (GhloProgram *self)
{
  g_return_val_if_fail (GHLO_IS_PROGRAM (self), NULL);

  return self->artifact_version;
}

static GhloValueInfo **
list_values (GhloProgram       *self,
             GhloValueInfoSide  side)
{
  const GhloIrOp *entry = self->module != NULL ? ghlo_ir_module_get_entry (self->module) : NULL;

  return ghlo_value_info_list_for_function (entry, side);
}

/**
 * ghlo_program_list_inputs:
 * @self: a program
 *
 * Lists the inputs of the program: the arguments of its function `main`, or of its
 * only public function.
 *
 * Returns: (transfer full) (array zero-terminated=1): the inputs in order
 *
 * Since: 1.0
 */
GhloValueInfo **
ghlo_program_list_inputs (GhloProgram *self)
{
  g_return_val_if_fail (GHLO_IS_PROGRAM (self), NULL);

  return list_values (self, GHLO_VALUE_INFO_INPUTS);
}

/**
 * ghlo_program_list_outputs:
 * @self: a program
 *
 * Lists the outputs of the program.
 *
 * Returns: (transfer full) (array zero-terminated=1): the outputs in order
 *
 * Since: 1.0
 */
GhloValueInfo **
ghlo_program_list_outputs (GhloProgram *self)
{
  g_return_val_if_fail (GHLO_IS_PROGRAM (self), NULL);

  return list_values (self, GHLO_VALUE_INFO_OUTPUTS);
}
