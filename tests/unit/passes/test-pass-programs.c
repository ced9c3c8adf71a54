/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 *     test-pass-programs [--models=FOLDER] FILE-OR-FOLDER…
 *
 * Whole programs before and after passes: every program verifies after each pass, and
 * computes the same bits at O1, O2, O3, and at O2 with each pass switched off alone;
 * what passes leave the same, to the letter, runs once.
 * Constants of functions without arguments are made arguments, too, since a program of
 * constants alone is folded before any other rule sees it; then what a test checks is
 * returned instead, so that it may run on any values, NaN and the least integers among
 * them.
 *
 * Sums in another order are allowed by docs/internals/numbers.md. One rule makes
 * them: a convolution whose kernel is reversed. A batch normalization that is expanded
 * rounds each of its operations. Programs that have either are compared within rounding,
 * all others to the bit.
 */

#include "pass-help.h"
#include "runtime/npy.h"

typedef struct
{
  char            *name;
  GhloPassOptions  options;
  const char      *off[2];
} Config;

static GArray *configs;
static guint n_programs, n_runs;

static void
clear_config (gpointer data)
{
  g_free (((Config *) data)->name);
}

/* The levels, and O2 with each pass switched off in turn. */
static void
make_configs (void)
{
  configs = g_array_new (FALSE, TRUE, sizeof (Config));
  g_array_set_clear_func (configs, clear_config);
  for (guint level = 1; level <= GHLO_PASS_MAX_LEVEL; level++)
    {
      Config config = { .name = g_strdup_printf ("O%u", level), .options = { .level = level } };

      g_array_append_val (configs, config);
    }
  for (guint i = 0; i < ghlo_passes_count (); i++)
    {
      Config config = { .name = g_strdup_printf ("O2 without %s", ghlo_pass_get_name (i)), .options = { .level = 2 },
                        .off = { ghlo_pass_get_name (i) } };

      g_array_append_val (configs, config);
    }
}

static gboolean
contains_kind (const GhloIrModule *module,
               GhloIrOpKind        kind)
{
  g_autofree char *text = ghlo_ir_to_string (module, GHLO_IR_PRINT_GENERIC | GHLO_IR_PRINT_STRIP_LOCATIONS
                                                     | GHLO_IR_PRINT_ELIDE_LARGE);
  g_autofree char *name = g_strdup_printf ("\"%s\"", ghlo_ir_op_spec (kind)->name);

  return strstr (text, name) != NULL;
}

static double
tolerance_of (const GhloIrModule *module)
{
  gboolean expands = contains_kind (module, GHLO_OP_STABLEHLO_BATCH_NORM_GRAD)
                     || contains_kind (module, GHLO_OP_STABLEHLO_BATCH_NORM_INFERENCE)
                     || contains_kind (module, GHLO_OP_STABLEHLO_BATCH_NORM_TRAINING);
  gboolean reverses = contains_kind (module, GHLO_OP_STABLEHLO_REVERSE)
                      && contains_kind (module, GHLO_OP_STABLEHLO_CONVOLUTION);

  return expands || reverses ? 1e-4 : 0;
}

static void
check_configs (const char   *path,
               guint         section,
               const char   *what,
               GhloIrModule *module,
               const char   *function,      /* NULL: all functions, on generated inputs */
               GhloValue   **inputs,
               guint         n_inputs)
{
  double tolerance = tolerance_of (module);
  g_autoptr (GHashTable) compared = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < configs->len; i++)
    {
      Config *config = &g_array_index (configs, Config, i);
      g_autoptr (GError) error = NULL;
      g_autoptr (GhloIrModule) after = NULL;
      g_autofree char *difference = NULL;
      gboolean ran = FALSE;

      config->options.off = config->off[0] != NULL ? config->off : NULL;
      after = pass_apply (module, &config->options, NULL, &error);
      if (after == NULL)
        g_error ("%s, section %u%s, %s: %s", path, section, what, config->name, error->message);
      /* Most passes change nothing in most programs, and equal programs need not be compared again. */
      if (!g_hash_table_add (compared, ghlo_ir_to_string (after, GHLO_IR_PRINT_DEFAULT)))
        continue;
      if (function == NULL)
        {
          difference = pass_compare_modules (module, after, 2, TRUE, tolerance, &n_runs);
        }
      else
        {
          difference = pass_compare_runs (module, after, function, inputs, n_inputs, tolerance, &ran);
          n_runs += ran;
        }
      if (difference != NULL)
        g_error ("%s, section %u%s, %s: %s", path, section, what, config->name, difference);
    }
}

/* The value of a numeric constant; NULL for other operations. */
static GhloValue *
constant_value (const GhloIrOp *op)
{
  const GhloIrAttr *attr = op->kind == GHLO_OP_STABLEHLO_CONSTANT ? ghlo_ir_op_get (op, "value") : NULL;
  const GhloIrType *type = op->n_results == 1 ? op->results[0].type : NULL;
  g_autoptr (GhloTensorType) tensor = NULL;
  GhloValue *value;

  if (attr == NULL || attr->kind != GHLO_IR_ATTR_DENSE || attr->dense.bytes == NULL || attr->type != type
      || type->quantization != NULL || type->encoding != NULL || attr->dense.n_elements > 1 << 16)
    return NULL;
  tensor = ghlo_ir_type_to_tensor_type (type);
  value = ghlo_value_new_tensor (tensor, NULL);
  for (gsize i = 0; i < value->n_elements; i++)
    ghlo_element_store (type->element_type, value->data + i * ghlo_element_info (type->element_type)->size,
                        ghlo_ir_dense_get (attr, i));

  return value;
}

/* Turns the constants of a function without arguments into arguments; FALSE where there are none. */
static gboolean
lift_constants (GhloIrModule *module,
                GhloIrOp     *func,
                GPtrArray    *values)
{
  GhloIrBlock *block = func->kind == GHLO_OP_FUNC_FUNC ? ghlo_ir_func_get_body (func) : NULL;
  g_autoptr (GPtrArray) types = g_ptr_array_new ();
  const GhloIrType *type;
  GhloIrOp *next;

  if (block == NULL || block->n_arguments > 0 || func->regions[0].first != func->regions[0].last)
    return FALSE;
  for (GhloIrOp *op = block->first; op != NULL; op = next)
    {
      GhloValue *value = constant_value (op);

      next = op->next;
      if (value == NULL)
        continue;
      g_ptr_array_add (values, value);
      g_ptr_array_add (types, (gpointer) op->results[0].type);
      ghlo_ir_value_replace (&op->results[0],
                             ghlo_ir_block_add_argument (module, block, op->results[0].type, NULL));
      ghlo_ir_op_remove (op);
    }
  type = ghlo_ir_op_get (func, "function_type")->type;
  type = ghlo_ir_type_function (module, (const GhloIrType *const *) types->pdata, types->len,
                                type->members + type->rank, type->n_results);
  ghlo_ir_op_set (module, func, "function_type", ghlo_ir_attr_type (module, type));

  return values->len > 0;
}

/* Makes the function return the operands of its checks instead of checking them. */
static void
return_checked (GhloIrModule *module,
                GhloIrOp     *func)
{
  GhloIrBlock *block = ghlo_ir_func_get_body (func);
  GhloIrOp *terminator = block->last, *next;
  const GhloIrType *type = ghlo_ir_op_get (func, "function_type")->type;
  g_autoptr (GPtrArray) values = g_ptr_array_new (), types = g_ptr_array_new ();

  for (guint i = 0; i < type->n_results; i++)
    g_ptr_array_add (values, ghlo_ir_op_operand (terminator, i));
  for (GhloIrOp *op = block->first; op != terminator; op = next)
    {
      next = op->next;
      if (!g_str_has_prefix (ghlo_ir_op_get_name (op), "check."))
        continue;
      for (guint i = 0; i < op->n_operands; i++)
        g_ptr_array_add (values, ghlo_ir_op_operand (op, i));
      ghlo_ir_op_remove (op);
    }
  for (guint i = 0; i < values->len; i++)
    g_ptr_array_add (types, (gpointer) ((GhloIrValue *) g_ptr_array_index (values, i))->type);
  next = ghlo_ir_op_new (module, &(GhloIrOpState) {
    .kind = terminator->kind, .operands = (GhloIrValue *const *) values->pdata, .n_operands = values->len,
  });
  ghlo_ir_op_insert_before (next, terminator);
  ghlo_ir_op_remove (terminator);
  type = ghlo_ir_type_function (module, type->members, type->rank, (const GhloIrType *const *) types->pdata,
                                types->len);
  ghlo_ir_op_set (module, func, "function_type", ghlo_ir_attr_type (module, type));
}

/* Checks each function after inlining all its calls. Loops may not terminate on inputs other than their own. */
static void
check_lifted (const char   *path,
              guint         section,
              GhloIrModule *original)
{
  const GhloPassOptions options = { .only = (const char *const[]) { "inline", "dce", NULL } };
  g_autoptr (GhloIrModule) module = pass_apply (original, &options, NULL, NULL);
  GhloIrBlock *body;

  g_assert_nonnull (module);
  body = ghlo_ir_op_region_block (module->op, 0);
  if (contains_kind (module, GHLO_OP_FUNC_CALL) || contains_kind (module, GHLO_OP_STABLEHLO_COMPOSITE)
      || contains_kind (module, GHLO_OP_INTERPRETER_RUN_PARALLEL))
    return;
  for (GhloIrOp *op = body->first; op != NULL; op = op->next)
    {
      g_autoptr (GhloIrModule) lifted = ghlo_ir_module_copy (module);
      g_autoptr (GPtrArray) values = g_ptr_array_new_with_free_func ((GDestroyNotify) ghlo_value_unref);
      const char *name = op->kind == GHLO_OP_FUNC_FUNC ? ghlo_ir_op_get_string (op, "sym_name") : NULL;

      if (name == NULL || !lift_constants (lifted, ghlo_ir_module_find (lifted, name), values))
        continue;
      check_configs (path, section, " with arguments", lifted, name, (GhloValue **) values->pdata, values->len);
      if (contains_kind (module, GHLO_OP_STABLEHLO_WHILE))
        continue;
      return_checked (lifted, ghlo_ir_module_find (lifted, name));
      check_configs (path, section, " without checks", lifted, NULL, NULL, 0);
    }
}

static void
check_section (const char *path,
               guint       section,
               const char *text)
{
  g_autoptr (GhloIrModule) module = pass_parse (path, text, strlen (text), NULL);

  /* Not every section of a test is a program; random numbers differ in each run. */
  if (module == NULL || contains_kind (module, GHLO_OP_STABLEHLO_RNG))
    return;
  n_programs++;
  check_configs (path, section, "", module, NULL, NULL, 0);
  check_lifted (path, section, module);
}

static void
check_file (const char *path)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) sections = NULL;
  g_autoptr (GError) error = NULL;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  sections = g_strsplit (text, "// -----", -1);
  for (guint i = 0; sections[i] != NULL; i++)
    check_section (path, i + 1, sections[i]);
}

static void
check_path (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  if (dir == NULL)
    {
      check_file (path);
      return;
    }
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      if (g_file_test (child, G_FILE_TEST_IS_DIR) || g_str_has_suffix (name, ".mlir"))
        check_path (child);
    }
}

static void
test_path (gconstpointer data)
{
  n_programs = n_runs = 0;
  check_path (data);
  g_test_message ("%u programs, %u runs", n_programs, n_runs);
  g_assert_cmpuint (n_programs, >, 0);
  g_assert_cmpuint (n_runs, >, 0);
}

/* An exported model with its own inputs. */
static void
test_model (gconstpointer data)
{
  g_autofree char *path = g_build_filename (data, "module.mlir", NULL);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloIrModule) module = NULL;
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) ghlo_value_unref);
  GhloIrBlock *body;
  gsize length;

  g_file_get_contents (path, &text, &length, &error);
  g_assert_no_error (error);
  module = pass_parse (path, text, length, &error);
  g_assert_no_error (error);
  body = ghlo_ir_func_get_body (ghlo_ir_module_get_entry (module));
  for (guint i = 0; i < body->n_arguments; i++)
    {
      g_autofree char *name = g_strdup_printf ("arg%u.npy", i);
      g_autofree char *file = g_build_filename (data, name, NULL);
      g_autoptr (GhloTensorType) type = ghlo_ir_type_to_tensor_type (body->arguments[i]->type);
      g_autoptr (GBytes) bytes = NULL;
      gsize size;
      char *contents;
      GhloValue *value;

      g_file_get_contents (file, &contents, &size, &error);
      g_assert_no_error (error);
      bytes = g_bytes_new_take (contents, size);
      value = ghlo_npy_read (bytes, type, &error);
      g_assert_no_error (error);
      g_ptr_array_add (inputs, value);
    }
  n_runs = 0;
  check_configs (path, 1, "", module, ghlo_ir_op_get_string (ghlo_ir_module_get_entry (module), "sym_name"),
                 (GhloValue **) inputs->pdata, inputs->len);
  g_assert_cmpuint (n_runs, >, 0);
}

static void
add_models (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      char *path = g_build_filename (folder, name, NULL);
      g_autofree char *module = g_build_filename (path, "module.mlir", NULL);
      g_autofree char *test = g_strdup_printf ("/passes/models/%s", name);

      if (g_file_test (module, G_FILE_TEST_EXISTS))
        g_test_add_data_func_full (test, path, test_model, g_free);
      else
        g_free (path);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  /* Special values serve as shapes and paddings, too. */
  ghlo_memory_set_limit (256 * 1024 * 1024);
  make_configs ();
  for (int i = 1; i < argc; i++)
    {
      g_autofree char *base = g_path_get_basename (argv[i]);
      g_autofree char *test = g_strdup_printf ("/passes/programs/%s", base);

      if (g_str_has_prefix (argv[i], "--models="))
        add_models (argv[i] + strlen ("--models="));
      else if (g_file_test (argv[i], G_FILE_TEST_EXISTS))
        g_test_add_data_func (test, argv[i], test_path);
    }

  return g_test_run ();
}
