/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * `ghlo check`: runs test files in the style of StableHLO's own and reports those
 * that do not behave as expected.
 */

#include "tools/check.h"

#include <stdio.h>
#include <string.h>

#include "base/ghlo-error.h"
#include "base/hash.h"
#include "base/text.h"
#include "compiler/evaluate.h"
#include "compiler/optimize.h"
#include "import/import.h"
#include "ir/print/print.h"
#include "ir/verify/verify.h"
#include "reference/device.h"

/* One --passes option. */
typedef struct
{
  GhloPassOptions options;
  char          **names;           /* owned; the names that @options borrows */
  const char     *text;            /* nullable; the option's text, when there are several --passes */
} Passes;

typedef struct
{
  gboolean            diagnostics;
  gboolean            round_trip;
  gboolean            artifacts;
  gboolean            no_run;
  gboolean            verbose;
  gboolean            shows_units;
  char               *device_name;
  Passes             *passes;      /* owned; @n_passes of them */
  guint               n_passes;
  GHashTable         *runs;        /* for the current file: line and text of a program after passes → its failures */
  GhloDeviceCore     *device;
  guint               n_passed, n_failed, n_skipped;
  GhloToolArtifacts   versions;
  GhloToolUnits       units;
  GhloToolProgress    progress;
} Checker;

/* The file being checked: its name, the failures so far, and the parts that were not run. */
typedef struct
{
  Checker    *checker;
  const char *path;
  const Passes *passes;
  GhloToolFile input;
  GhloImportFlags flags;    /* from the file's RUN lines and for --diagnostics */
  gboolean    must_fail;    /* every RUN line expects failure */
  GString    *failures;
  GString    *unrun;
  guint       n_tested;     /* functions that were run, and programs that were rejected as expected */
} File;

static void
fail (File       *file,
      const char *format,
      ...) G_GNUC_PRINTF (2, 3);

static void
fail (File       *file,
      const char *format,
      ...)
{
  va_list args;

  if (file->failures->len > 0)
    g_string_append_c (file->failures, '\n');
  va_start (args, format);
  g_string_append_vprintf (file->failures, format, args);
  va_end (args);
}

static void
fail_findings (File                  *file,
               const GhloDiagnostics *diagnostics,
               guint                  first_line)
{
  for (guint i = 0; i < diagnostics->findings->len; i++)
    {
      const GhloFinding *finding = g_ptr_array_index (diagnostics->findings, i);

      if (finding->line > 0)
        fail (file, "%s:%u:%u: %s", file->path, finding->line + first_line - 1, finding->column, finding->message);
      else
        fail (file, "%s: %s", file->path, finding->message);
    }
}

/* A mark in a test's comments: a line that must be rejected. */

typedef struct
{
  guint line;
  guint n_wanted, n_found;
} Mark;

static Mark *
find_mark (GArray *marks,
           guint   line)
{
  for (guint i = 0; i < marks->len; i++)
    if (g_array_index (marks, Mark, i).line == line)
      return &g_array_index (marks, Mark, i);

  return NULL;
}

/* The line that "expected-error" followed by @suffix refers to when it stands in @line. */
static guint
marked_line (const char *suffix,
             guint       line)
{
  if (g_str_has_prefix (suffix, "-re"))
    suffix += strlen ("-re");
  while (*suffix == ' ')
    suffix++;
  if (g_str_has_prefix (suffix, "@below"))
    return line + 1;
  if (g_str_has_prefix (suffix, "@above"))
    return line - 1;
  if (g_str_has_prefix (suffix, "@+") || g_str_has_prefix (suffix, "@-"))
    return line + (guint) g_ascii_strtoll (suffix + 1, NULL, 10);

  return line;
}

static GArray *
collect_marks (const File            *file,
               const GhloToolSection *section)
{
  GArray *marks = g_array_new (FALSE, TRUE, sizeof (Mark));
  gsize length = 0;
  const char *data = file->input.is_text ? g_bytes_get_data (section->bytes, &length) : NULL;
  g_autofree char *text = g_strndup (data != NULL ? data : "", length);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (guint i = 0; lines[i] != NULL; i++)
    for (const char *p = strstr (lines[i], "expected-error"); p != NULL; p = strstr (p + 1, "expected-error"))
      {
        guint line = marked_line (p + strlen ("expected-error"), i + 1);
        Mark *mark = find_mark (marks, line);

        if (mark != NULL)
          mark->n_wanted++;
        else
          g_array_append_val (marks, ((Mark) { line, 1, 0 }));
      }

  return marks;
}

/* Compares findings with marks and reports disagreements to @file. The tests were written for a parser that
 * stops at the first malformed place, so findings after a marked one may exceed the marks. */
static void
compare_marks (File                  *file,
               const GhloToolSection *section,
               const GhloDiagnostics *diagnostics,
               GArray                *marks)
{
  gboolean behind_malformed = FALSE;

  for (guint i = 0; i < diagnostics->findings->len; i++)
    {
      const GhloFinding *finding = g_ptr_array_index (diagnostics->findings, i);
      Mark *mark = find_mark (marks, finding->line);

      if (finding->severity != GHLO_SEVERITY_ERROR)
        continue;
      if (mark != NULL)
        {
          mark->n_found++;
          behind_malformed |= finding->code == GHLO_ERROR_PARSE;
        }
      else if (!behind_malformed)
        fail (file, "%s:%u: unexpected error: %s", file->path, finding->line + section->first_line - 1,
              finding->message);
    }
  for (guint i = 0; i < marks->len; i++)
    {
      const Mark *mark = &g_array_index (marks, Mark, i);

      if (mark->n_found == 0)
        fail (file, "%s:%u: expected an error in this line, found none", file->path,
              mark->line + section->first_line - 1);
    }
}

/* Parses @text and prints the result; NULL when it does not parse. */
static char *
reprint (File            *file,
         const char      *text,
         GhloIrPrintFlags flags)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (GhloDiagnostics) diagnostics = NULL;
  g_autoptr (GhloIrModule) module = ghlo_tool_parse (file->path, bytes, file->flags, &diagnostics, NULL);

  if (module != NULL)
    return ghlo_ir_to_string (module, flags);
  for (guint i = 0; i < diagnostics->findings->len; i++)
    {
      g_autofree char *message = ghlo_diagnostics_format (diagnostics, g_ptr_array_index (diagnostics->findings, i));

      fail (file, "the printed program cannot be parsed: %s", message);
    }

  return NULL;
}

static void
compare_texts (File       *file,
               guint       first_line,
               const char *what,
               const char *a,
               const char *b)
{
  guint line = 1;

  if (a == NULL || b == NULL || strcmp (a, b) == 0)
    return;
  while (*a != '\0' && *a == *b)
    {
      line += *a == '\n' ? 1 : 0;
      a++, b++;
    }
  fail (file, "%s:%u: the %s form changes when it is parsed and printed again, in its line %u: '%.60s' became '%.60s'",
        file->path, first_line, what, line, a, b);
}

/* Checks that printing, parsing and printing again gives the same text, in both forms and across them. */
static void
check_round_trip (File                  *file,
                  const GhloToolSection *section,
                  GhloIrModule          *module)
{
  g_autofree char *pretty = ghlo_ir_to_string (module, GHLO_IR_PRINT_DEFAULT);
  g_autofree char *generic = ghlo_ir_to_string (module, GHLO_IR_PRINT_GENERIC);
  g_autofree char *pretty_again = reprint (file, pretty, GHLO_IR_PRINT_DEFAULT);
  g_autofree char *generic_again = reprint (file, generic, GHLO_IR_PRINT_GENERIC);
  g_autofree char *crossed = reprint (file, generic, GHLO_IR_PRINT_DEFAULT);

  compare_texts (file, section->first_line, "pretty", pretty, pretty_again);
  compare_texts (file, section->first_line, "generic", generic, generic_again);
  compare_texts (file, section->first_line, "pretty form of the generic", pretty, crossed);
}

static void
check_artifacts (File                  *file,
                 const GhloToolSection *section,
                 GhloIrModule          *module)
{
  g_autoptr (GString) failures = g_string_new (NULL);

  if (ghlo_tool_is_in_no_artifact (module->op))
    return;
  ghlo_tool_check_artifacts (&file->checker->versions, module, failures);
  if (failures->len > 0)
    fail (file, "%s:%u: %s", file->path, section->first_line, failures->str);
}

static void
run_function (File         *file,
              GhloIrModule *module,
              GhloIrOp     *function)
{
  guint n_results = ghlo_ir_op_get (function, "function_type")->type->n_results;
  g_autofree GhloValue **outputs = g_new0 (GhloValue *, n_results + 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloPrepared) prepared = ghlo_devices_prepare (file->checker->device, module, function, NULL, &error);
  gboolean ok = prepared != NULL && ghlo_prepared_run (prepared, NULL, NULL, 0, outputs, NULL, &error);

  for (guint i = 0; ok && i < n_results; i++)
    ghlo_value_unref (outputs[i]);
  if (ok)
    ghlo_tool_count_units (&file->checker->units, prepared);
  if (!ok)
    fail (file, "%s: @%s: %s", file->path, ghlo_ir_op_get_string (function, "sym_name"), error->message);
}

/* Records which parts of the original program @module stay untested when its functions with the names of
 * @runs are run. */
static void
note_unrun (File                  *file,
            const GhloToolSection *section,
            const GhloIrModule    *module,
            GPtrArray             *runs)
{
  g_autoptr (GPtrArray) written = g_ptr_array_new ();
  g_autofree char *unrun = NULL;

  for (guint i = 0; i < runs->len; i++)
    g_ptr_array_add (written, ghlo_ir_module_find (module, ghlo_ir_op_get_string (runs->pdata[i], "sym_name")));
  unrun = ghlo_tool_find_unrun (module, written);
  if (unrun != NULL)
    g_string_append_printf (file->unrun, "%s%s:%u: %s", file->unrun->len > 0 ? "\n" : "", file->path,
                            section->first_line, unrun);
}

/* Runs @functions, unless another --passes already produced the same program from @section; then its
 * failures are repeated. */
static void
run_functions (File                  *file,
               const GhloToolSection *section,
               GhloIrModule          *module,
               GPtrArray             *functions)
{
  Checker *checker = file->checker;
  gsize begin = file->failures->len;
  g_autofree char *run = NULL;
  const char *wrong = NULL;

  file->n_tested += functions->len;
  if (checker->n_passes > 1)
    {
      g_autofree char *text = ghlo_ir_to_string (module, GHLO_IR_PRINT_GENERIC);

      run = g_strdup_printf ("%u: %s", section->first_line, text);
      wrong = g_hash_table_lookup (checker->runs, run);
    }
  if (wrong != NULL)
    {
      if (*wrong != '\0')
        fail (file, "%s", wrong + (*wrong == '\n' ? 1 : 0));
      return;
    }
  for (guint i = 0; i < functions->len; i++)
    run_function (file, module, functions->pdata[i]);
  if (run != NULL)
    g_hash_table_insert (checker->runs, g_steal_pointer (&run), g_strdup (file->failures->str + begin));
}

/* Passes change a copy, so that functions that they remove are noticed as not run. */
static void
run_module (File                  *file,
            const GhloToolSection *section,
            GhloIrModule          *module)
{
  g_autoptr (GhloIrModule) made = ghlo_ir_module_copy (module);
  const GhloPassOptions *passes = &file->passes->options;
  const GhloOptimizeOptions options = { .level = passes->level };
  g_autoptr (GPtrArray) functions = NULL;
  g_autoptr (GError) error = NULL;

  if (!ghlo_passes_run (made, passes, NULL, NULL, &error)
      || (passes->only == NULL && !ghlo_fuse (made, file->checker->device, &options, NULL, NULL, NULL, NULL, &error)))
    {
      fail (file, "%s: %s", file->path, error->message);
      return;
    }

  functions = ghlo_tool_find_runs (made);
  note_unrun (file, section, module, functions);
  run_functions (file, section, made, functions);
}

static void
check_section (File  *file,
               guint  index)
{
  const GhloToolSection *section = &g_array_index (file->input.sections, GhloToolSection, index);
  g_autoptr (GhloDiagnostics) diagnostics = NULL;
  g_autoptr (GhloIrModule) module = ghlo_tool_file_parse (&file->input, index, file->flags, &diagnostics, NULL);
  g_autoptr (GArray) marks = collect_marks (file, section);

  /* Some marks are meant for other tools than a parser, so --no-run ignores marks. */
  if (marks->len > 0 && !file->checker->no_run)
    compare_marks (file, section, diagnostics, marks);
  else if (module == NULL && marks->len == 0 && !file->must_fail)
    fail_findings (file, diagnostics, section->first_line);
  if (module == NULL)
    {
      file->n_tested++;
      return;
    }

  if (file->checker->round_trip)
    check_round_trip (file, section, module);
  if (file->checker->artifacts)
    check_artifacts (file, section, module);
  if (!file->checker->no_run && !file->checker->diagnostics)
    run_module (file, section, module);
}

static void
report (File       *file,
        guint      *counter,
        const char *word,
        const char *detail)
{
  Checker *checker = file->checker;

  (*counter)++;
  if (counter == &checker->n_passed && !checker->verbose)
    return;
  ghlo_tool_progress_end (&checker->progress);
  printf ("%s %s", word, file->path);
  if (file->passes->text != NULL)
    printf (" with --passes=%s", file->passes->text);
  printf ("%s%s\n", detail != NULL ? ": " : "", detail != NULL ? detail : "");
  if (file->failures->len > 0)
    printf ("%s\n", file->failures->str);
  if (counter == &checker->n_skipped && file->unrun->len > 0)
    printf ("%s\n", file->unrun->str);
}

/* With --diagnostics, every mark counts as a test, and so does every section without marks. */
static void
check_diagnostics (File *file)
{
  for (guint i = 0; i < file->input.sections->len; i++)
    {
      const GhloToolSection *section = &g_array_index (file->input.sections, GhloToolSection, i);
      g_autoptr (GArray) marks = collect_marks (file, section);
      guint n_tests = MAX (marks->len, 1), n_wrong = 0;

      g_string_truncate (file->failures, 0);
      check_section (file, i);
      if (file->failures->len > 0)
        {
          n_wrong = 1;
          for (const char *p = file->failures->str; (p = strchr (p, '\n')) != NULL; p++)
            n_wrong++;
          n_wrong = MIN (n_wrong, n_tests);
          printf ("%s\n", file->failures->str);
        }
      file->checker->n_failed += n_wrong;
      file->checker->n_passed += n_tests - n_wrong;
    }
}

/* Whether the file has RUN lines and each of them begins with "not". */
static gboolean
expects_failure (const char *text,
                 gsize       length)
{
  const char *end = text + length, *p = text;
  gboolean any = FALSE;

  while ((p = g_strstr_len (p, end - p, "RUN: ")) != NULL)
    {
      p += strlen ("RUN: ");
      if (end - p < 4 || strncmp (p, "not ", 4) != 0)
        return FALSE;
      any = TRUE;
    }

  return any;
}

/* Reads the file's directives: RUN lines and comments. @text is empty for forms other than text. */
static void
read_directives (File       *file,
                 const char *text,
                 gsize       length)
{
  file->must_fail = expects_failure (text, length);
  if (file->checker->diagnostics || g_strstr_len (text, length, "--allow-unregistered-dialect") != NULL
      || g_strstr_len (text, length, " -allow-unregistered-dialect") != NULL)
    file->flags = GHLO_IMPORT_ALLOW_UNREGISTERED;
}

static void
check_open_file (File *file)
{
  Checker *checker = file->checker;
  gsize length = 0;
  const char *data = file->input.is_text ? g_bytes_get_data (file->input.file.bytes, &length) : NULL;
  const char *text = data != NULL ? data : "";

  read_directives (file, text, length);
  if (checker->diagnostics)
    {
      check_diagnostics (file);
      return;
    }

  for (guint i = 0; i < file->input.sections->len; i++)
    check_section (file, i);
  if (g_strstr_len (text, MIN (length, 200), "RUN-DISABLED") != NULL && !checker->no_run && file->unrun->len == 0)
    report (file, &checker->n_skipped, "SKIP",
            file->failures->len == 0 ? "not run upstream; passes here" : "not run upstream; fails here");
  else if (file->failures->len > 0)
    report (file, &checker->n_failed, "FAIL", NULL);
  else if (!checker->no_run && (file->unrun->len > 0 || file->n_tested == 0))
    report (file, &checker->n_skipped, "SKIP",
            file->unrun->len > 0 ? "some functions are not run" : "no function is run");
  else
    report (file, &checker->n_passed, "PASS", NULL);
}

/* Checks the file once with each --passes. */
static void
check_file (Checker    *checker,
            const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) failures = g_string_new (NULL), unrun = g_string_new (NULL);
  File file = { .checker = checker, .path = path, .failures = failures, .unrun = unrun };
  gboolean is_open = ghlo_tool_file_open (&file.input, path, TRUE, &error);

  for (guint i = 0; i < checker->n_passes; i++)
    {
      file.passes = &checker->passes[i];
      file.n_tested = 0;
      g_string_truncate (failures, 0);
      g_string_truncate (unrun, 0);
      if (is_open)
        check_open_file (&file);
      else
        report (&file, &checker->n_failed, "FAIL", error->message);
    }
  ghlo_tool_file_clear (&file.input);
  g_hash_table_remove_all (checker->runs);
}

/* Collects the .mlir files of a folder, recursively, or the file itself. */
static void
collect_files (const char *path,
               GPtrArray  *files)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  if (dir == NULL)
    {
      g_ptr_array_add (files, g_strdup (path));
      return;
    }
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      if (g_file_test (child, G_FILE_TEST_IS_DIR) || g_str_has_suffix (name, ".mlir"))
        collect_files (child, files);
    }
}

static void
check_files (Checker   *checker,
             GPtrArray *files)
{
  ghlo_tool_progress_init (&checker->progress, "checking");
  for (guint i = 0; i < files->len; i++)
    {
      g_autofree char *name = g_path_get_basename (g_ptr_array_index (files, i));

      ghlo_monitor_progress (&checker->progress.monitor, (double) i / files->len, name);
      check_file (checker, g_ptr_array_index (files, i));
    }
  ghlo_tool_progress_end (&checker->progress);
  if (checker->artifacts)
    ghlo_tool_print_artifacts (&checker->versions);
  if (checker->shows_units)
    ghlo_tool_print_units (&checker->units);
  printf ("%u passed, %u failed, %u skipped\n", checker->n_passed, checker->n_failed, checker->n_skipped);
}

/* Parses the --passes options @passes_options, which are nullable. Prints an error and returns FALSE when one is
 * invalid. */
static gboolean
read_passes (Checker             *checker,
             char               **passes_options,
             GhloDeviceEvaluator *evaluator)
{
  gboolean ok = TRUE;

  checker->n_passes = MAX (1, passes_options != NULL ? g_strv_length (passes_options) : 0);
  checker->passes = g_new0 (Passes, checker->n_passes);
  for (guint i = 0; ok && i < checker->n_passes; i++)
    {
      Passes *passes = &checker->passes[i];

      passes->text = checker->n_passes > 1 ? passes_options[i] : NULL;
      passes->options = (GhloPassOptions) { .use_environment = TRUE, .verify = TRUE,
                                            .evaluator = ghlo_device_evaluator (evaluator) };
      ok = ghlo_tool_read_passes (passes_options != NULL ? passes_options[i] : NULL, &passes->options, &passes->names);
    }

  return ok;
}

static void
checker_clear (Checker *self)
{
  for (guint i = 0; i < self->n_passes; i++)
    g_strfreev (self->passes[i].names);
  g_free (self->passes);
  g_free (self->device_name);
  g_clear_pointer (&self->runs, g_hash_table_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Checker, checker_clear)

int
ghlo_tool_check (int    argc,
                 char **argv)
{
  g_auto (Checker) checker = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_free);
  GhloDeviceEvaluator evaluator = { .device = ghlo_reference_device () };
  g_auto (GStrv) passes = NULL;
  int status;
  const GOptionEntry entries[] = {
    { "diagnostics", 0, 0, G_OPTION_ARG_NONE, &checker.diagnostics,
      "Check lines marked expected-error, run nothing", NULL },
    { "round-trip", 0, 0, G_OPTION_ARG_NONE, &checker.round_trip,
      "Also print and parse each program, and compare the texts", NULL },
    { "artifacts", 0, 0, G_OPTION_ARG_NONE, &checker.artifacts,
      "Also write each program as an artifact of every version that can represent it, and read it back", NULL },
    { "no-run", 0, 0, G_OPTION_ARG_NONE, &checker.no_run, "Parse and verify, run nothing", NULL },
    { "device", 'd', 0, G_OPTION_ARG_STRING, &checker.device_name, "The device to run on (cpu)", "NAME" },
    { "passes", 'p', 0, G_OPTION_ARG_STRING_ARRAY, &passes,
      "Run the passes of a level (O0 to O3), or the named ones, before each program; can be repeated",
      "LEVEL|NAME,…" },
    { "units", 'u', 0, G_OPTION_ARG_NONE, &checker.shows_units, "Print how many steps ran on each unit", NULL },
    { "verbose", 'v', 0, G_OPTION_ARG_NONE, &checker.verbose, "Also list the files that pass", NULL },
    G_OPTION_ENTRY_NULL
  };

  if (!ghlo_tool_parse_options ("check", entries, &argc, &argv, &status))
    return status;
  checker.device = ghlo_devices_choose (checker.device_name, &error);
  if (checker.device == NULL || argc < 2)
    {
      ghlo_tool_error ("%s", error != NULL ? error->message : "expected a FILE; \"ghlo check --help\" tells more");
      return GHLO_TOOL_USAGE;
    }
  checker.runs = g_hash_table_new_full (ghlo_hash_string, g_str_equal, g_free, g_free);
  if (!read_passes (&checker, passes, &evaluator))
    return GHLO_TOOL_USAGE;

  for (int i = 1; i < argc; i++)
    {
      g_autoptr (GPtrArray) found = g_ptr_array_new ();

      collect_files (argv[i], found);
      if (found->len == 0)
        {
          ghlo_tool_error ("expected .mlir files in the folder '%s', found none", argv[i]);
          checker.n_failed++;
        }
      g_ptr_array_sort (found, ghlo_text_compare);
      g_ptr_array_extend_and_steal (files, g_steal_pointer (&found));
    }
  check_files (&checker, files);

  return checker.n_failed == 0 ? GHLO_TOOL_OK : GHLO_TOOL_FAILED;
}
