/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Golden tests of passes. Each file of tests/passes holds sections between lines
 * "// -----"; a section has
 *
 *   // PASS: names of passes, or a level
 *   // INPUTS: small          where special values would run too long; none: not to be run
 *   // EXCESS precision       where values may change by it
 *   // SUMS free              where sums are made in another order (design of numbers)
 *   a program
 *   // GIVES:
 *   what is printed of it after those passes
 *
 * and each program must compute afterwards what it did before, on special inputs too.
 * With GHLO_TEST_UPDATE=1 what is printed is written into the files instead, to be
 * read before it is kept.
 */

#include "base/text.h"
#include "pass-help.h"

#define SEPARATOR "// -----\n"
#define GIVES     "// GIVES:\n"

/* The rest of the line after @key, or NULL. */
static char *
find_value (const char *section,
            const char *key)
{
  const char *found = strstr (section, key), *end;

  if (found == NULL)
    return NULL;
  found += strlen (key);
  end = strchr (found, '\n');

  return g_strstrip (g_strndup (found, end != NULL ? (gsize) (end - found) : strlen (found)));
}

static GhloIrModule *
apply (GhloIrModule  *module,
       const char    *passes,
       gboolean       excess,
       GError       **error)
{
  g_auto (GStrv) names = g_strsplit (passes, ",", -1);
  GhloPassOptions options = { .excess_precision = excess };

  for (guint i = 0; names[i] != NULL; i++)
    g_strstrip (names[i]);
  if (names[0][0] == 'O')
    options.level = (guint) g_ascii_strtoull (names[0] + 1, NULL, 10);
  else
    options.only = (const char *const *) names;
  for (guint i = 0; options.only != NULL && names[i] != NULL; i++)
    g_assert_cmpint (ghlo_pass_find (names[i]), >=, 0);

  return pass_apply (module, &options, NULL, error);
}

/* The program of the section after its passes; checks that it still computes the same. */
static char *
run_section (const char *path,
             guint       number,
             const char *section,
             const char *program)
{
  g_autofree char *passes = find_value (section, "// PASS:");
  g_autofree char *inputs = find_value (section, "// INPUTS:");
  gboolean excess = strstr (section, "// EXCESS") != NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloIrModule) before = pass_parse (path, program, strlen (program), &error);
  g_autoptr (GhloIrModule) after = NULL;
  g_autofree char *difference = NULL;
  guint n_runs = 0;

  g_assert_nonnull (passes);
  if (before == NULL)
    g_error ("%s, section %u: %s", path, number, error->message);
  after = apply (before, passes, excess, &error);
  if (after == NULL)
    g_error ("%s, section %u: %s", path, number, error->message);
  if (!excess && g_strcmp0 (inputs, "none") != 0)
    difference = pass_compare_modules (before, after, 8, g_strcmp0 (inputs, "small") != 0,
                                       strstr (section, "// SUMS free") != NULL ? 1e-5 : 0, &n_runs);
  if (difference != NULL)
    {
      g_autofree char *text = ghlo_ir_to_string (after, GHLO_IR_PRINT_STRIP_LOCATIONS);

      g_test_message ("%s", text);
      g_error ("%s, section %u: %s", path, number, difference);
    }

  /* A program that never ran would agree with anything. */
  if (!excess && n_runs == 0 && g_strcmp0 (inputs, "none") != 0)
    g_error ("%s, section %u: the program does not run", path, number);

  return ghlo_ir_to_string (after, GHLO_IR_PRINT_STRIP_LOCATIONS);
}

static void
check_file (const char *path)
{
  gboolean update = g_getenv ("GHLO_TEST_UPDATE") != NULL;
  g_autofree char *text = NULL;
  g_autoptr (GString) updated = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) sections = NULL;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  sections = g_strsplit (text, SEPARATOR, -1);
  for (guint i = 0; sections[i] != NULL; i++)
    {
      const char *gives = strstr (sections[i], GIVES);
      g_autofree char *program = g_strndup (sections[i], gives != NULL ? (gsize) (gives - sections[i])
                                                                       : strlen (sections[i]));
      g_autofree char *found = run_section (path, i + 1, sections[i], program);

      g_string_append_printf (updated, "%s%s%s%s", i > 0 ? SEPARATOR : "", program, GIVES, found);
      if (!update && (gives == NULL || strcmp (gives + strlen (GIVES), found) != 0))
        g_error ("%s, section %u: expected\n%s\nfound\n%s", path, i + 1, gives != NULL ? gives : "", found);
    }
  if (update)
    {
      g_file_set_contents (path, updated->str, -1, &error);
      g_assert_no_error (error);
    }
}

static void
test_file (gconstpointer data)
{
  check_file (data);
}

int
main (int    argc,
      char **argv)
{
  g_autofree char *folder = NULL;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = NULL;
  const char *name;

  g_test_init (&argc, &argv, NULL);
  folder = g_test_build_filename (G_TEST_DIST, "passes", NULL);
  dir = g_dir_open (folder, 0, NULL);
  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".mlir"))
      g_ptr_array_add (names, g_build_filename (folder, name, NULL));
  g_ptr_array_sort (names, ghlo_text_compare);
  g_assert_cmpuint (names->len, >, 0);
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *base = g_path_get_basename (g_ptr_array_index (names, i));
      g_autofree char *test = g_strdup_printf ("/passes/golden/%s", base);

      g_test_add_data_func (test, g_ptr_array_index (names, i), test_file);
    }

  return g_test_run ();
}
