/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Running passes: levels, switches, reports, cancelling, bounds on the cost of hostile programs, and what constant
 * folding asks its evaluator.
 */

#include "pass-help.h"

static GhloIrModule *
parse (const char *text)
{
  g_autoptr (GError) error = NULL;
  GhloIrModule *module = pass_parse ("test.mlir", text, strlen (text), &error);

  g_assert_no_error (error);

  return module;
}

static void
run (GhloIrModule          *module,
     const GhloPassOptions *options,
     GhloPassReport        *report)
{
  g_autoptr (GError) error = NULL;
  GhloPassOptions own = *options;

  own.verify = TRUE;
  ghlo_passes_run (module, &own, NULL, report, &error);
  g_assert_no_error (error);
}

static guint
count_kind (const GhloIrModule *module,
            const char         *name)
{
  g_autofree char *text = ghlo_ir_to_string (module, GHLO_IR_PRINT_GENERIC | GHLO_IR_PRINT_ELIDE_LARGE);
  g_autofree char *quoted = g_strdup_printf ("\"%s\"", name);
  const char *end = text + strlen (text);
  guint n = 0;

  /* A sanitizer's strstr () searches for the end of the text in each call. */
  for (const char *p = text; (p = g_strstr_len (p, end - p, quoted)) != NULL; p++)
    n++;

  return n;
}

/* Contains work for canonicalize (O1), cse (O2) and dce (O1). */
static const char *const sample =
  "func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {\n"
  "  %c = stablehlo.constant dense<0> : tensor<4xi32>\n"
  "  %0 = stablehlo.add %x, %c : tensor<4xi32>\n"
  "  %1 = stablehlo.not %0 : tensor<4xi32>\n"
  "  %2 = stablehlo.not %x : tensor<4xi32>\n"
  "  %3 = stablehlo.multiply %1, %2 : tensor<4xi32>\n"
  "  %4 = stablehlo.custom_call @nothing(%x) : (tensor<4xi32>) -> tensor<4xi32>\n"
  "  return %3 : tensor<4xi32>\n"
  "}\n";

static GhloPassReport *
run_sample (const GhloPassOptions  *options,
            GhloIrModule          **module)
{
  GhloPassReport *report = ghlo_pass_report_new ();

  *module = parse (sample);
  run (*module, options, report);

  return report;
}

static guint
runs_of (const GhloPassReport *report,
         const char           *name)
{
  return report->records[ghlo_pass_find (name)].n_runs;
}

static void
test_levels (void)
{
  const struct { guint level, adds, nots, calls; } expected[] = {
    { 0, 1, 2, 1 }, { 1, 0, 2, 0 }, { 2, 0, 1, 0 }, { 3, 0, 1, 0 }, { 7, 0, 1, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      const GhloPassOptions options = { .level = expected[i].level };
      g_autoptr (GhloIrModule) module = NULL;
      g_autoptr (GhloPassReport) report = run_sample (&options, &module);

      g_assert_cmpuint (count_kind (module, "stablehlo.add"), ==, expected[i].adds);
      g_assert_cmpuint (count_kind (module, "stablehlo.not"), ==, expected[i].nots);
      g_assert_cmpuint (count_kind (module, "stablehlo.custom_call"), ==, expected[i].calls);
      g_assert_cmpuint (runs_of (report, "cse") > 0, ==, expected[i].level >= 2);
      g_assert_cmpuint (runs_of (report, "inline"), <=, 1);
      g_assert_cmpuint (runs_of (report, "fuse-epilogues") + runs_of (report, "fuse-reductions")
                        + runs_of (report, "fuse-maps") + runs_of (report, "fuse-loops"), ==, 0);
    }
}

static void
test_switches (void)
{
  const char *cse[] = { "cse", "no-such-pass", NULL }, *canonicalize[] = { "canonicalize", NULL };
  const char *both[] = { "cse", "canonicalize", NULL };
  g_autoptr (GhloIrModule) module = NULL;
  g_autoptr (GhloPassReport) report = NULL;

  /* One pass that the level lacks is switched on and one that it has is switched off at the same time. */
  report = run_sample (&(GhloPassOptions) { .level = 1, .on = cse, .off = canonicalize }, &module);
  g_assert_cmpuint (runs_of (report, "cse"), >, 0);
  g_assert_cmpuint (runs_of (report, "canonicalize"), ==, 0);
  g_assert_cmpuint (count_kind (module, "stablehlo.add"), ==, 1);
  g_clear_pointer (&report, ghlo_pass_report_unref);
  g_clear_pointer (&module, ghlo_ir_module_unref);

  /* At O0, and alone. */
  report = run_sample (&(GhloPassOptions) { .on = canonicalize }, &module);
  g_assert_cmpuint (runs_of (report, "canonicalize"), >, 0);
  g_assert_cmpuint (runs_of (report, "dce"), ==, 0);
  g_assert_cmpuint (count_kind (module, "stablehlo.add"), ==, 0);
  g_clear_pointer (&report, ghlo_pass_report_unref);
  g_clear_pointer (&module, ghlo_ir_module_unref);

  /* In the given order: cse finds nothing before canonicalize has run. */
  report = run_sample (&(GhloPassOptions) { .only = both }, &module);
  g_assert_cmpuint (report->records[ghlo_pass_find ("cse")].n_changes, ==, 0);
  g_assert_cmpuint (report->records[ghlo_pass_find ("canonicalize")].n_changes, ==, 1);
  g_assert_cmpuint (runs_of (report, "fold"), ==, 0);
  g_clear_pointer (&report, ghlo_pass_report_unref);
  g_clear_pointer (&module, ghlo_ir_module_unref);

  /* Switching a pass off overrides switching it on. */
  report = run_sample (&(GhloPassOptions) { .level = 2, .on = cse, .off = cse }, &module);
  g_assert_cmpuint (runs_of (report, "cse"), ==, 0);
}

static void
test_environment (void)
{
  const char *cse[] = { "cse", NULL };
  g_autoptr (GhloIrModule) module = NULL;
  g_autoptr (GhloPassReport) report = NULL;

  g_assert_false (ghlo_passes_help_wanted ());
  g_setenv ("GHLO_DISABLE", "cse,canonicalize", TRUE);
  report = run_sample (&(GhloPassOptions) { .level = 2, .use_environment = TRUE }, &module);
  g_assert_cmpuint (runs_of (report, "cse") + runs_of (report, "canonicalize"), ==, 0);
  g_assert_cmpuint (runs_of (report, "dce"), >, 0);
  g_clear_pointer (&report, ghlo_pass_report_unref);
  g_clear_pointer (&module, ghlo_ir_module_unref);

  /* Options override the environment, which is read only on request. */
  report = run_sample (&(GhloPassOptions) { .level = 2, .use_environment = TRUE, .on = cse }, &module);
  g_assert_cmpuint (runs_of (report, "cse"), >, 0);
  g_assert_cmpuint (runs_of (report, "canonicalize"), ==, 0);
  g_clear_pointer (&report, ghlo_pass_report_unref);
  g_clear_pointer (&module, ghlo_ir_module_unref);
  report = run_sample (&(GhloPassOptions) { .level = 2 }, &module);
  g_assert_cmpuint (runs_of (report, "canonicalize"), >, 0);

  g_setenv ("GHLO_DISABLE", "help", TRUE);
  g_assert_true (ghlo_passes_help_wanted ());
  g_unsetenv ("GHLO_DISABLE");
}

static void
test_table (void)
{
  g_autofree char *help = ghlo_passes_help ();

  for (guint i = 0; i < ghlo_passes_count (); i++)
    {
      const char *name = ghlo_pass_get_name (i);

      g_assert_cmpint (ghlo_pass_find (name), ==, (int) i);
      g_assert_nonnull (ghlo_pass_get_summary (i));
      g_assert_cmpuint (ghlo_pass_get_level (i), >=, 1);
      g_assert_cmpuint (ghlo_pass_get_level (i), <=, GHLO_PASS_ON_REQUEST);
      g_assert_nonnull (strstr (help, name));
      for (const char *p = name; *p != '\0'; p++)
        g_assert_true (g_ascii_islower (*p) || *p == '-');
    }
  g_assert_cmpint (ghlo_pass_find ("no-such-pass"), ==, -1);
  g_assert_null (ghlo_pass_get_name (ghlo_passes_count ()));
}

static void
test_report (void)
{
  g_autoptr (GhloIrModule) module = NULL;
  g_autoptr (GhloPassReport) report = run_sample (&(GhloPassOptions) { .level = 2 }, &module);
  g_autofree char *text = ghlo_pass_report_to_string (report);

  /* module, function, seven operations, return; then not, multiply, return. */
  g_assert_cmpuint (report->n_ops_before, ==, 9);
  g_assert_cmpuint (report->n_ops_after, ==, 5);
  g_assert_cmpuint (report->n_rounds, >=, 2);
  g_assert_cmpuint (report->records[ghlo_pass_find ("cse")].n_changes, ==, 1);
  g_assert_nonnull (strstr (text, "dce"));
  g_assert_nonnull (strstr (text, "9 operations became 5"));
}

static gint64
sum_records (const GhloPassReport *report)
{
  gint64 sum = 0;

  for (guint i = 0; i < ghlo_passes_count (); i++)
    sum += report->records[i].microseconds;

  return sum;
}

/* The time in a report is at least the sum of its passes' times, including those of fusion. */
static void
test_report_time (void)
{
  g_autoptr (GString) text = g_string_new ("func.func @main(%0: tensor<4x4xf32>) -> tensor<4x4xf32> {\n");
  g_autoptr (GhloPassReport) report = ghlo_pass_report_new ();
  g_autoptr (GhloIrModule) module = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < 2000; i += 2)
    g_string_append_printf (text,
                            "  %%%u = stablehlo.dot_general %%%u, %%0, contracting_dims = [1] x [0]"
                            " : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>\n"
                            "  %%%u = stablehlo.add %%%u, %%%u : tensor<4x4xf32>\n",
                            i + 1, i, i + 2, i + 1, i + 1);
  g_string_append (text, "  return %2000 : tensor<4x4xf32>\n}\n");
  module = parse (text->str);
  ghlo_passes_fuse (module, &(GhloPassOptions) { .level = 2 }, NULL, report, &error);
  g_assert_no_error (error);
  g_assert_cmpint (sum_records (report), >, 0);
  g_assert_cmpint (report->microseconds, >=, sum_records (report));
}

static void
test_cancel (void)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const GhloMonitor monitor = { .cancellable = cancellable };
  g_autoptr (GhloIrModule) module = parse (sample);
  g_autoptr (GError) error = NULL;

  g_cancellable_cancel (cancellable);
  g_assert_false (ghlo_passes_run (module, &(GhloPassOptions) { .level = 2 }, &monitor, NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* New operations get the location of those that they replace; inlined ones have both locations. */
static void
test_locations (void)
{
  g_autoptr (GhloIrModule) module = parse (
    "func.func @main(%x: tensor<4x1xf32> loc(\"x\")) -> tensor<4x4xf32> {\n"
    "  %0 = func.call @f(%x) : (tensor<4x1xf32>) -> tensor<4x1xf32> loc(\"call\")\n"
    "  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32> loc(\"repeat\")\n"
    "  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32> loc(\"turn\")\n"
    "  return %2 : tensor<4x4xf32> loc(\"end\")\n"
    "} loc(\"main\")\n"
    "func.func private @f(%x: tensor<4x1xf32> loc(\"y\")) -> tensor<4x1xf32> {\n"
    "  %c = stablehlo.constant dense<4.0> : tensor<f32> loc(\"four\")\n"
    "  %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<4x1xf32> loc(\"fours\")\n"
    "  %1 = stablehlo.divide %x, %0 : tensor<4x1xf32> loc(\"quarter\")\n"
    "  return %1 : tensor<4x1xf32> loc(\"back\")\n"
    "} loc(\"f\")\n");
  GhloIrBlock *body;
  g_autofree char *text = NULL;

  run (module, &(GhloPassOptions) { .level = 2 }, NULL);
  body = ghlo_ir_func_get_body (ghlo_ir_module_get_entry (module));
  for (GhloIrOp *op = body->first; op != NULL; op = op->next)
    {
      g_assert_nonnull (op->location);
      g_assert_cmpuint (op->line, >, 0);
    }
  text = ghlo_ir_to_string (module, GHLO_IR_PRINT_DEFAULT);
  g_assert_nonnull (strstr (text, "callsite("));
  g_assert_nonnull (strstr (text, "\"quarter\""));
  g_assert_nonnull (strstr (text, "\"turn\""));
}

/* An evaluator that counts its calls, and cancels or fails on request. */
typedef struct
{
  GhloPassEvaluator inner;
  guint             n_asked;
  gboolean          fails, cancels;
} Counting;

static gboolean
evaluate (gpointer                 data,
          GhloIrModule            *module,
          const GhloIrOp          *op,
          const GhloIrAttr *const *operands,
          GPtrArray               *results,
          GError                 **error)
{
  Counting *self = data;

  self->n_asked++;
  if (self->cancels || self->fails)
    {
      g_set_error (error, G_IO_ERROR, self->cancels ? G_IO_ERROR_CANCELLED : G_IO_ERROR_FAILED, "no");
      return FALSE;
    }

  return self->inner.evaluate (self->inner.data, module, op, operands, results, error);
}

/* The evaluator is not called for operands or results larger than any memory, and a result that does not fit into
 * memory is skipped. */
static void
test_huge_results (void)
{
  static const char *const text =
    "func.func @main() -> (tensor<1099511627778xi32>, tensor<1048576x1048576xi32>, tensor<i32>) {\n"
    "  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>\n"
    "  %z = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %1 = stablehlo.pad %0, %z, low = [0], high = [1099511627776], interior = [0]"
    " : (tensor<2xi32>, tensor<i32>) -> tensor<1099511627778xi32>\n"
    "  %2 = stablehlo.constant dense<3> : tensor<1099511627776xi32>\n"
    "  %3 = stablehlo.reduce(%2 init: %z) applies stablehlo.add across dimensions = [0]"
    " : (tensor<1099511627776xi32>, tensor<i32>) -> tensor<i32>\n"
    "  %4 = stablehlo.constant dense<5> : tensor<2x1048576xi32>\n"
    "  %5 = stablehlo.dot_general %4, %4, contracting_dims = [0] x [0]"
    " : (tensor<2x1048576xi32>, tensor<2x1048576xi32>) -> tensor<1048576x1048576xi32>\n"
    "  return %1, %5, %3 : tensor<1099511627778xi32>, tensor<1048576x1048576xi32>, tensor<i32>\n"
    "}\n";
  static const char *const small =
    "func.func @main() -> tensor<4096xi64> {\n"
    "  %0 = stablehlo.iota dim = 0 : tensor<4096xi64>\n"
    "  %1 = stablehlo.constant dense<[1, 2]> : tensor<2xi64>\n"
    "  %2 = stablehlo.reverse %1, dims = [0] : tensor<2xi64>\n"
    "  %3 = stablehlo.concatenate %0, %2, dim = 0 : (tensor<4096xi64>, tensor<2xi64>) -> tensor<4098xi64>\n"
    "  %4 = stablehlo.slice %3 [2:4098] : (tensor<4098xi64>) -> tensor<4096xi64>\n"
    "  return %4 : tensor<4096xi64>\n}\n";
  GhloDeviceEvaluator reference = { .device = ghlo_reference_device () };
  Counting counting = { .inner = ghlo_device_evaluator (&reference) };
  const GhloPassOptions options = { .level = 3, .evaluator = { evaluate, &counting } };
  g_autoptr (GhloIrModule) module = parse (text), other = parse (small);
  gsize limit = ghlo_memory_get_limit ();

  run (module, &options, NULL);
  g_assert_cmpuint (counting.n_asked, ==, 0);
  g_assert_cmpuint (count_kind (module, "stablehlo.pad"), ==, 1);
  g_assert_cmpuint (count_kind (module, "stablehlo.dot_general"), ==, 1);
  g_assert_cmpuint (count_kind (module, "stablehlo.reduce"), ==, 1);

  ghlo_memory_set_limit (1);
  run (other, &options, NULL);
  ghlo_memory_set_limit (limit);
  g_assert_cmpuint (counting.n_asked, >, 0);
  g_assert_cmpuint (count_kind (other, "stablehlo.reverse"), ==, 1);
  run (other, &options, NULL);
  g_assert_cmpuint (count_kind (other, "stablehlo.reverse"), ==, 0);
}

static void
test_evaluator (void)
{
  static const char *const text =
    "func.func @main() -> (tensor<1000xf32>, tensor<70000xi32>, tensor<i32>) {\n"
    "  %c = stablehlo.constant dense<3.0> : tensor<1000xf32>\n"
    "  %0 = stablehlo.multiply %c, %c : tensor<1000xf32>\n"
    "  %i = stablehlo.iota dim = 0 : tensor<70000xi32>\n"
    "  %d = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>\n"
    "  %z = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %1 = stablehlo.reduce(%d init: %z) applies stablehlo.add across dimensions = [0]"
    " : (tensor<3xi32>, tensor<i32>) -> tensor<i32>\n"
    "  return %0, %i, %1 : tensor<1000xf32>, tensor<70000xi32>, tensor<i32>\n"
    "}\n";
  GhloDeviceEvaluator reference = { .device = ghlo_reference_device () };
  Counting counting = { .inner = ghlo_device_evaluator (&reference) };
  const char *fold[] = { "fold", NULL };
  const GhloPassOptions options = { .only = fold, .evaluator = { evaluate, &counting } };
  g_autoptr (GhloIrModule) module = parse (text);
  g_autoptr (GError) error = NULL;

  /* Once for the splat's single element, once for the reduction; iota has no operands. */
  run (module, &options, NULL);
  g_assert_cmpuint (counting.n_asked, ==, 2);
  g_assert_cmpuint (count_kind (module, "stablehlo.multiply"), ==, 0);
  g_assert_cmpuint (count_kind (module, "stablehlo.iota"), ==, 1);

  g_clear_pointer (&module, ghlo_ir_module_unref);
  module = parse (text);
  counting.fails = TRUE;
  run (module, &options, NULL);
  g_assert_cmpuint (count_kind (module, "stablehlo.multiply"), ==, 1);

  counting.cancels = TRUE;
  g_assert_false (ghlo_passes_run (module, &options, NULL, NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* @n functions, each of which calls the next one twice: 2ⁿ operations if all were inlined. */
static void
test_growth (void)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GhloIrModule) module = NULL;
  g_autoptr (GhloPassReport) report = ghlo_pass_report_new ();
  enum { N = 40 };

  for (guint i = 0; i < N; i++)
    g_string_append_printf (text, "func.func %s @f%u(%%x: tensor<f32>) -> tensor<f32> {\n"
                            "  %%0 = func.call @f%u(%%x) : (tensor<f32>) -> tensor<f32>\n"
                            "  %%1 = func.call @f%u(%%0) : (tensor<f32>) -> tensor<f32>\n"
                            "  return %%1 : tensor<f32>\n}\n", i == 0 ? "public" : "private", i, i + 1, i + 1);
  g_string_append_printf (text, "func.func private @f%u(%%x: tensor<f32>) -> tensor<f32> {\n"
                          "  %%0 = stablehlo.sine %%x : tensor<f32>\n  return %%0 : tensor<f32>\n}\n", (guint) N);
  module = parse (text->str);
  run (module, &(GhloPassOptions) { .only = (const char *const[]) { "inline", NULL } }, report);
  g_assert_cmpuint (report->n_ops_after, <, 1000 * 1000);
  g_assert_cmpuint (count_kind (module, "func.call"), >, 0);
}

/* A chain of calls that is deeper than a program may run, and nested operations that inlining would nest too deeply. */
static void
test_depth (void)
{
  g_autoptr (GString) chain = g_string_new (NULL), nest = g_string_new (NULL);
  g_autoptr (GhloIrModule) module = NULL;
  enum { LENGTH = 2000, HEIGHT = 100 };

  for (guint i = 0; i < LENGTH; i++)
    g_string_append_printf (chain, "func.func %s @f%u(%%x: tensor<f32>) -> tensor<f32> {\n"
                            "  %%0 = func.call @f%u(%%x) : (tensor<f32>) -> tensor<f32>\n"
                            "  return %%0 : tensor<f32>\n}\n", i == 0 ? "public" : "private", i, i + 1);
  g_string_append_printf (chain, "func.func private @f%u(%%x: tensor<f32>) -> tensor<f32> {\n"
                          "  return %%x : tensor<f32>\n}\n", (guint) LENGTH);
  module = parse (chain->str);
  run (module, &(GhloPassOptions) { .level = 2 }, NULL);
  g_clear_pointer (&module, ghlo_ir_module_unref);

  for (guint f = 0; f < 4; f++)
    {
      g_string_append_printf (nest, "func.func %s @f%u(%%x: tensor<i1>) -> tensor<i1> {\n",
                              f == 0 ? "public" : "private", f);
      for (guint i = 0; i < HEIGHT; i++)
        g_string_append_printf (nest, "%%v%u = \"stablehlo.if\"(%%x) ({\n", i);
      if (f < 3)
        g_string_append_printf (nest, "%%c = func.call @f%u(%%x) : (tensor<i1>) -> tensor<i1>\n", f + 1);
      else
        g_string_append (nest, "%c = stablehlo.not %x : tensor<i1>\n");
      /* Each region returns the result of the next inner one. */
      for (guint i = HEIGHT; i > 0; i--)
        {
          g_autofree char *inner = i < HEIGHT ? g_strdup_printf ("v%u", i) : g_strdup ("c");

          g_string_append_printf (nest, "stablehlo.return %%%s : tensor<i1>\n}, {\n"
                                  "stablehlo.return %%x : tensor<i1>\n}) : (tensor<i1>) -> tensor<i1>\n", inner);
        }
      g_string_append (nest, "return %v0 : tensor<i1>\n}\n");
    }
  module = parse (nest->str);
  run (module, &(GhloPassOptions) { .level = 2 }, NULL);
  g_assert_cmpuint (count_kind (module, "func.call"), >, 0);
}

/* Many pairs of operations that cancel each other: the pass is linear, and removes all. */
static void
test_size (void)
{
  g_autoptr (GString) text = g_string_new ("func.func @main(%v0: tensor<4x5xf32>) -> tensor<4x5xf32> {\n");
  g_autoptr (GhloIrModule) module = NULL;
  g_autoptr (GhloPassReport) report = ghlo_pass_report_new ();
  enum { N = 20000 };

  for (guint i = 0; i < N; i++)
    g_string_append_printf (text, "  %%t%u = stablehlo.transpose %%v%u, dims = [1, 0]"
                            " : (tensor<4x5xf32>) -> tensor<5x4xf32>\n"
                            "  %%a%u = stablehlo.abs %%t%u : tensor<5x4xf32>\n"
                            "  %%v%u = stablehlo.transpose %%a%u, dims = [1, 0]"
                            " : (tensor<5x4xf32>) -> tensor<4x5xf32>\n", i, i, i, i, i + 1, i);
  g_string_append_printf (text, "  return %%v%u : tensor<4x5xf32>\n}\n", (guint) N);
  module = parse (text->str);
  run (module, &(GhloPassOptions) { .level = 3 }, report);
  g_assert_cmpuint (report->n_ops_after, ==, 4);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_unsetenv ("GHLO_DISABLE");
  g_test_add_func ("/passes/table", test_table);
  g_test_add_func ("/passes/levels", test_levels);
  g_test_add_func ("/passes/switches", test_switches);
  g_test_add_func ("/passes/environment", test_environment);
  g_test_add_func ("/passes/report", test_report);
  g_test_add_func ("/passes/report-time", test_report_time);
  g_test_add_func ("/passes/cancel", test_cancel);
  g_test_add_func ("/passes/locations", test_locations);
  g_test_add_func ("/passes/evaluator", test_evaluator);
  g_test_add_func ("/passes/huge-results", test_huge_results);
  g_test_add_func ("/passes/growth", test_growth);
  g_test_add_func ("/passes/depth", test_depth);
  g_test_add_func ("/passes/size", test_size);

  return g_test_run ();
}
