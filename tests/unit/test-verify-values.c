/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The verifier on the dialect shape and on operations that StableHLO's
 * specification lacks. A case without a message is valid.
 */

#include <string.h>

#include "import/import.h"
#include "ir/verify.h"
#include "other-types.h"

typedef struct
{
  const char *name;
  const char *arguments;   /* of @main */
  const char *body;        /* one line */
  const char *message;     /* a part of the error, or NULL where valid */
} Case;

#define SELECT(numbers, operand, index, result) \
  "%a: " operand ", %i: " index, \
  "%0 = \"stablehlo.torch_index_select\"(%a, %i) {" numbers "} : (" operand ", " index ") -> " result

static const Case select_cases[] = {
  { "valid", SELECT ("dim = 1 : i64, batch_dims = 0 : i64", "tensor<2x3x5xf32>", "tensor<7xi32>",
                     "tensor<2x7x5xf32>"), NULL },
  { "scalar-index", SELECT ("dim = -1 : i64, batch_dims = 0 : i64", "tensor<2x3xf32>", "tensor<i32>",
                            "tensor<2xf32>"), NULL },
  { "batch", SELECT ("dim = 1 : i64, batch_dims = -1 : i64", "tensor<2x3x5xf32>", "tensor<2x7xi32>",
                     "tensor<2x7x5xf32>"), NULL },
  { "dynamic", SELECT ("dim = 0 : i64, batch_dims = 0 : i64", "tensor<?x3xf32>", "tensor<?xi32>",
                       "tensor<4x3xf32>"), NULL },
  { "element", SELECT ("dim = 1 : i64, batch_dims = 0 : i64", "tensor<2x3xi32>", "tensor<2xi32>",
                       "tensor<2x2xi8>"), "expected result #0 of type tensor<2x2xi32>, found tensor<2x2xi8>" },
  { "size", SELECT ("dim = 1 : i64, batch_dims = 0 : i64", "tensor<2x3x5xf32>", "tensor<7xi32>",
                    "tensor<2x3x5xf32>"), "expected result #0 of type tensor<2x7x5xf32>" },
  { "rank", SELECT ("dim = 1 : i64, batch_dims = 1 : i64", "tensor<2x3x5xf32>", "tensor<2xi32>",
                    "tensor<2x2x5xf32>"), "expected result #0 of type tensor<2x5xf32>" },
  { "batch-size", SELECT ("dim = 1 : i64, batch_dims = 1 : i64", "tensor<2x3xf32>", "tensor<4x7xi32>",
                          "tensor<2x7xf32>"), "an index with the batch dimensions of" },
  { "batch-of-dim", SELECT ("dim = 0 : i64, batch_dims = 1 : i64", "tensor<2x3xf32>", "tensor<2xi32>",
                            "tensor<3xf32>"), "at most 0 batch_dims" },
};

static const Case shape_cases[] = {
  { "of", "%a: tensor<2x?xf32>", "%0 = shape.shape_of %a : tensor<2x?xf32> -> tensor<2xindex>", NULL },
  { "of-own", "%a: tensor<*xf32>", "%0 = shape.shape_of %a : tensor<*xf32> -> !shape.shape", NULL },
  { "of-unranked", "%a: tensor<*xf32>", "%0 = shape.shape_of %a : tensor<*xf32> -> tensor<?xindex>", NULL },
  { "of-rank", "%a: tensor<2x?xf32>", "%0 = shape.shape_of %a : tensor<2x?xf32> -> tensor<3xindex>",
    "expected result #0 of type tensor<2xindex>" },
  { "of-element", "%a: tensor<2x?xf32>", "%0 = shape.shape_of %a : tensor<2x?xf32> -> tensor<2xi32>",
    "a result of type tensor<?xindex> or !shape.shape, found tensor<2xi32>" },
  { "of-token", "%a: !stablehlo.token", "%0 = shape.shape_of %a : !stablehlo.token -> tensor<0xindex>",
    "a tensor or !shape.value_shape as operand, found !stablehlo.token" },
  { "of-value", "%a: !shape.value_shape", "%0 = shape.shape_of %a : !shape.value_shape -> tensor<?xindex>",
    "a result of type !shape.shape" },
  { "constant", "", "%0 = shape.const_shape [1, 2] : tensor<2xindex>", NULL },
  { "constant-own", "", "%0 = shape.const_shape [1, 2] : !shape.shape", NULL },
  { "constant-size", "", "%0 = shape.const_shape [1, 2] : tensor<3xindex>",
    "expected result #0 of type tensor<2xindex>" },
  { "constant-element", "", "%0 = shape.const_shape [1, 2] : tensor<2xf32>", "found tensor<2xf32>" },
  { "count", "%a: tensor<?xindex>", "%0 = shape.num_elements %a : tensor<?xindex> -> index", NULL },
  { "count-own", "%a: !shape.shape", "%0 = shape.num_elements %a : !shape.shape -> !shape.size", NULL },
  { "count-result", "%a: tensor<?xindex>", "%0 = shape.num_elements %a : tensor<?xindex> -> tensor<f32>",
    "a result of type index or !shape.size, found tensor<f32>" },
  { "count-own-result", "%a: !shape.shape", "%0 = shape.num_elements %a : !shape.shape -> index",
    "a result of type !shape.size" },
  { "count-token", "%a: !stablehlo.token", "%0 = shape.num_elements %a : !stablehlo.token -> index",
    "as each operand, found !stablehlo.token" },
  { "broadcast", "%a: tensor<2xindex>, %b: tensor<?xindex>",
    "%0 = shape.broadcast %a, %b : tensor<2xindex>, tensor<?xindex> -> tensor<2xindex>", NULL },
  { "broadcast-operand", "%a: tensor<2xindex>, %b: tensor<2xi64>",
    "%0 = shape.broadcast %a, %b : tensor<2xindex>, tensor<2xi64> -> tensor<2xindex>", "found tensor<2xi64>" },
  { "broadcast-result", "%a: tensor<2xindex>",
    "%0 = shape.broadcast %a, %a : tensor<2xindex>, tensor<2xindex> -> tensor<2x1xindex>", "found tensor<2x1xindex>" },
};

static char *
case_text (const Case *one)
{
  return g_strdup_printf ("func.func @main(%s) {\n  %s\n  return\n}\n", one->arguments, one->body);
}

static void
check_case (const Case *one)
{
  g_autofree char *text = case_text (one);
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("test", text, strlen (text));
  g_autoptr (GhloIrModule) module = ghlo_import_text (text, strlen (text), GHLO_IMPORT_DEFAULT, diagnostics, NULL);
  const GhloFinding *finding = NULL;

  if (module != NULL)
    ghlo_ir_verify (module, diagnostics, NULL);
  if (diagnostics->n_errors > 0)
    finding = g_ptr_array_index (diagnostics->findings, 0);

  if (one->message == NULL && finding != NULL)
    g_test_fail_printf ("%s is valid, but: %s", one->name, finding->message);
  else if (one->message != NULL && finding == NULL)
    g_test_fail_printf ("%s is accepted", one->name);
  else if (finding != NULL && (strstr (finding->message, one->message) == NULL || finding->line != 2))
    g_test_fail_printf ("%s: expected '%s' in line 2, found: %u: %s", one->name, one->message, finding->line,
                        finding->message);
}

typedef struct
{
  const char *name;
  const Case *cases;
  gsize       n;
} Group;

static void
test_group (gconstpointer data)
{
  const Group *group = data;

  for (gsize i = 0; i < group->n; i++)
    {
      g_autofree char *text = case_text (&group->cases[i]);

      check_case (&group->cases[i]);
      if (group->cases[i].message == NULL)
        check_other_types (text);
    }
}

int
main (int   argc,
      char *argv[])
{
  static const Group groups[] = {
    { "/verify-values/torch-index-select", select_cases, G_N_ELEMENTS (select_cases) },
    { "/verify-values/shape", shape_cases, G_N_ELEMENTS (shape_cases) },
  };

  g_test_init (&argc, &argv, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (groups); i++)
    g_test_add_data_func (groups[i].name, &groups[i], test_group);

  return g_test_run ();
}
