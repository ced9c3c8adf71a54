/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One finding of a check. Workers create lists of plain records; the objects are
 * created from these in the caller's context.
 */

#include "ghlo-diagnostic-private.h"

#include "ghlo-enum-types.h"

typedef struct
{
  GhloSeverity  severity;
  GhloError     code;
  guint         line;
  guint         column;
  char         *message;
  char         *excerpt;     /* nullable */
} Record;

struct _GhloDiagnosticList
{
  char   *file;
  GArray *records;
};

/**
 * GhloDiagnostic:
 *
 * One thing that [func@Ghlo.Program.check] found in a program: what is wrong, how
 * serious it is, and where.
 *
 * Since: 1.0
 */
struct _GhloDiagnostic
{
  GObject  parent_instance;

  char    *file;             /* never changes; neither do the fields below */
  Record   record;
};

enum
{
  PROP_0,
  PROP_SEVERITY,
  PROP_CODE,
  PROP_FILE,
  PROP_LINE,
  PROP_COLUMN,
  PROP_MESSAGE,
  PROP_EXCERPT,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (GhloDiagnostic, ghlo_diagnostic, G_TYPE_OBJECT)

static void
record_clear (gpointer data)
{
  Record *record = data;

  g_free (record->message);
  g_free (record->excerpt);
}

GhloDiagnosticList *
ghlo_diagnostic_list_new (const GhloDiagnostics *diagnostics)
{
  GhloDiagnosticList *self = g_new0 (GhloDiagnosticList, 1);

  self->file = g_strdup (diagnostics->file_name);
  self->records = g_array_new (FALSE, TRUE, sizeof (Record));
  g_array_set_clear_func (self->records, record_clear);
  for (guint i = 0; i < diagnostics->findings->len; i++)
    {
      const GhloFinding *finding = g_ptr_array_index (diagnostics->findings, i);
      const Record record = {
        .severity = finding->severity,
        .code = finding->code,
        .line = finding->line,
        .column = finding->column,
        .message = g_strdup (finding->message),
        .excerpt = ghlo_diagnostics_excerpt (diagnostics, finding),
      };

      g_array_append_val (self->records, record);
    }

  return self;
}

void
ghlo_diagnostic_list_free (GhloDiagnosticList *self)
{
  g_free (self->file);
  g_array_unref (self->records);
  g_free (self);
}

GListModel *
ghlo_diagnostic_list_to_model (GhloDiagnosticList *self)
{
  GListStore *store = g_list_store_new (GHLO_TYPE_DIAGNOSTIC);

  for (guint i = 0; i < self->records->len; i++)
    {
      g_autoptr (GhloDiagnostic) object = g_object_new (GHLO_TYPE_DIAGNOSTIC, NULL);
      Record *record = &g_array_index (self->records, Record, i);

      object->file = g_strdup (self->file);
      object->record = *record;
      record->message = NULL;
      record->excerpt = NULL;
      g_list_store_append (store, object);
    }
  ghlo_diagnostic_list_free (self);

  return G_LIST_MODEL (store);
}

static void
ghlo_diagnostic_finalize (GObject *object)
{
  GhloDiagnostic *self = GHLO_DIAGNOSTIC (object);

  g_free (self->file);
  record_clear (&self->record);

  G_OBJECT_CLASS (ghlo_diagnostic_parent_class)->finalize (object);
}

static void
ghlo_diagnostic_get_property (GObject    *object,
                              guint       prop_id,
                              GValue     *value,
                              GParamSpec *pspec)
{
  GhloDiagnostic *self = GHLO_DIAGNOSTIC (object);

  switch (prop_id)
    {
    case PROP_SEVERITY:
      g_value_set_enum (value, self->record.severity);
      break;
    case PROP_CODE:
      g_value_set_enum (value, self->record.code);
      break;
    case PROP_FILE:
      g_value_set_string (value, ghlo_diagnostic_get_file (self));
      break;
    case PROP_LINE:
      g_value_set_uint (value, self->record.line);
      break;
    case PROP_COLUMN:
      g_value_set_uint (value, self->record.column);
      break;
    case PROP_MESSAGE:
      g_value_set_string (value, ghlo_diagnostic_get_message (self));
      break;
    case PROP_EXCERPT:
      g_value_set_string (value, self->record.excerpt);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
ghlo_diagnostic_class_init (GhloDiagnosticClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;

  object_class->finalize = ghlo_diagnostic_finalize;
  object_class->get_property = ghlo_diagnostic_get_property;

  /**
   * GhloDiagnostic:severity: (getter get_severity)
   *
   * The severity of the finding.
   *
   * Since: 1.0
   */
  properties[PROP_SEVERITY] = g_param_spec_enum ("severity", NULL, NULL, GHLO_TYPE_SEVERITY,
                                                 GHLO_SEVERITY_ERROR, flags);

  /**
   * GhloDiagnostic:code: (getter get_code)
   *
   * The error code that loading the program would fail with.
   *
   * Since: 1.0
   */
  properties[PROP_CODE] = g_param_spec_enum ("code", NULL, NULL, GHLO_TYPE_ERROR, GHLO_ERROR_PARSE, flags);

  /**
   * GhloDiagnostic:file: (getter get_file)
   *
   * The name of the program, as passed to the check.
   *
   * Since: 1.0
   */
  properties[PROP_FILE] = g_param_spec_string ("file", NULL, NULL, "", flags);

  /**
   * GhloDiagnostic:line: (getter get_line)
   *
   * The line, counted from 1; 0 when the place is not known.
   *
   * Since: 1.0
   */
  properties[PROP_LINE] = g_param_spec_uint ("line", NULL, NULL, 0, G_MAXUINT, 0, flags);

  /**
   * GhloDiagnostic:column: (getter get_column)
   *
   * The byte in the line, counted from 1; 0 when the place is not known.
   *
   * Since: 1.0
   */
  properties[PROP_COLUMN] = g_param_spec_uint ("column", NULL, NULL, 0, G_MAXUINT, 0, flags);

  /**
   * GhloDiagnostic:message: (getter get_message)
   *
   * A sentence about what was expected and what was found.
   *
   * Since: 1.0
   */
  properties[PROP_MESSAGE] = g_param_spec_string ("message", NULL, NULL, "", flags);

  /**
   * GhloDiagnostic:excerpt: (getter get_excerpt)
   *
   * The source line, and a line with a caret that marks the place.
   *
   * Since: 1.0
   */
  properties[PROP_EXCERPT] = g_param_spec_string ("excerpt", NULL, NULL, NULL, flags);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
ghlo_diagnostic_init (GhloDiagnostic *self)
{
}

/**
 * ghlo_diagnostic_get_severity: (get-property severity)
 * @self: a diagnostic
 *
 * Gets the severity of the finding.
 *
 * Returns: the severity
 *
 * Since: 1.0
 */
GhloSeverity
ghlo_diagnostic_get_severity (GhloDiagnostic *self)
{
  g_return_val_if_fail (GHLO_IS_DIAGNOSTIC (self), GHLO_SEVERITY_ERROR);

  return self->record.severity;
}

/**
 * ghlo_diagnostic_get_code: (get-property code)
 * @self: a diagnostic
 *
 * Gets the error code that loading the program would fail with.
 *
 * Returns: the code
 *
 * Since: 1.0
 */
GhloError
ghlo_diagnostic_get_code (GhloDiagnostic *self)
{
  g_return_val_if_fail (GHLO_IS_DIAGNOSTIC (self), GHLO_ERROR_PARSE);

  return self->record.code;
}

/**
 * ghlo_diagnostic_get_file: (get-property file)
 * @self: a diagnostic
 *
 * Gets the name of the program, as passed to the check.
 *
 * Returns: the name
 *
 * Since: 1.0
 */
const char *
ghlo_diagnostic_get_file (GhloDiagnostic *self)
{
  g_return_val_if_fail (GHLO_IS_DIAGNOSTIC (self), NULL);

  return self->file != NULL ? self->file : "";
}

/**
 * ghlo_diagnostic_get_line: (get-property line)
 * @self: a diagnostic
 *
 * Gets the line of the finding.
 *
 * Returns: the line, counted from 1; 0 when the place is not known
 *
 * Since: 1.0
 */
guint
ghlo_diagnostic_get_line (GhloDiagnostic *self)
{
  g_return_val_if_fail (GHLO_IS_DIAGNOSTIC (self), 0);

  return self->record.line;
}

/**
 * ghlo_diagnostic_get_column: (get-property column)
 * @self: a diagnostic
 *
 * Gets the position of the finding in its line, in bytes.
 *
 * Returns: the column, counted from 1; 0 when the place is not known
 *
 * Since: 1.0
 */
guint
ghlo_diagnostic_get_column (GhloDiagnostic *self)
{
  g_return_val_if_fail (GHLO_IS_DIAGNOSTIC (self), 0);

  return self->record.column;
}

/**
 * ghlo_diagnostic_get_message: (get-property message)
 * @self: a diagnostic
 *
 * Gets an English sentence that describes the problem.
 *
 * Returns: the sentence
 *
 * Since: 1.0
 */
const char *
ghlo_diagnostic_get_message (GhloDiagnostic *self)
{
  g_return_val_if_fail (GHLO_IS_DIAGNOSTIC (self), NULL);

  return self->record.message != NULL ? self->record.message : "";
}

/**
 * ghlo_diagnostic_get_excerpt: (get-property excerpt)
 * @self: a diagnostic
 *
 * Gets the source line of the finding and, on a second line, a caret that marks the
 * place. To be shown in a monospaced font.
 *
 * Returns: (nullable): the two lines, or %NULL when the place is not known
 *
 * Since: 1.0
 */
const char *
ghlo_diagnostic_get_excerpt (GhloDiagnostic *self)
{
  g_return_val_if_fail (GHLO_IS_DIAGNOSTIC (self), NULL);

  return self->record.excerpt;
}

/**
 * ghlo_diagnostic_to_string:
 * @self: a diagnostic
 *
 * Formats the diagnostic in the style of compilers: place, severity and message,
 * then the excerpt.
 *
 * Returns: (transfer full): the text, without a newline at its end
 *
 * Since: 1.0
 */
char *
ghlo_diagnostic_to_string (GhloDiagnostic *self)
{
  static const char *const severities[] = { "error", "warning", "note" };
  GString *text;

  g_return_val_if_fail (GHLO_IS_DIAGNOSTIC (self), NULL);

  text = g_string_new (ghlo_diagnostic_get_file (self));
  if (self->record.line > 0)
    g_string_append_printf (text, ":%u:%u", self->record.line, MAX (self->record.column, 1));
  g_string_append_printf (text, ": %s: %s", severities[self->record.severity], ghlo_diagnostic_get_message (self));
  if (self->record.excerpt != NULL)
    g_string_append_printf (text, "\n%s", self->record.excerpt);

  return g_string_free (text, FALSE);
}
