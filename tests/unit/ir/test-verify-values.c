/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The verifier on the shape dialect, on buffers and on operations outside of StableHLO's specification. A case without
 * a message is valid.
 */

#include <string.h>

#include "import/import.h"
#include "ir/verify/verify.h"
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

#define ALIAS(output, operand, part) \
  "#stablehlo.output_operand_alias<output_tuple_indices = [" output "], operand_index = " operand \
  ", operand_tuple_indices = [" part "]>"
#define CALL(target, operands, aliases, types) \
  "%0 = \"stablehlo.custom_call\"(" operands ") {call_target_name = \"" target "\", api_version = 4 : i32, " \
  "output_operand_aliases = [" aliases "]} : " types
#define CALL_2(target, operands, aliases, types) \
  "%0:2 = \"stablehlo.custom_call\"(" operands ") {call_target_name = \"" target "\", api_version = 4 : i32, " \
  "output_operand_aliases = [" aliases "]} : " types

static const Case buffer_cases[] = {
  { "create", "", CALL ("CreateBuffer", "", "", "() -> memref<2xf32>"), NULL },
  { "create-input", "%a: tensor<2xf32>", CALL ("CreateBuffer", "%a", "", "(tensor<2xf32>) -> memref<2xf32>"),
    "expected no inputs and one memref as output of target CreateBuffer, found 1 inputs and 1 outputs" },
  { "create-tensor", "", CALL ("CreateBuffer", "", "", "() -> tensor<2xf32>"),
    "expected no inputs and one memref as output of target CreateBuffer, found tensor<2xf32>" },
  { "create-two", "", CALL_2 ("CreateBuffer", "", "", "() -> (memref<2xf32>, memref<2xf32>)"),
    "expected no inputs and one memref as output of target CreateBuffer, found 0 inputs and 2 outputs" },
  { "pin", "%a: tensor<2xf32>", CALL ("Pin", "%a", "", "(tensor<2xf32>) -> memref<2xf32>"), NULL },
  { "pin-dynamic", "%a: tensor<?xf32>", CALL ("Pin", "%a", "", "(tensor<?xf32>) -> memref<2xf32>"), NULL },
  { "pin-unranked", "%a: tensor<*xf32>", CALL ("Pin", "%a", "", "(tensor<*xf32>) -> memref<2xf32>"), NULL },
  { "pin-none", "", CALL ("Pin", "", "", "() -> memref<2xf32>"), "one input and one output of target Pin" },
  { "pin-two", "%a: tensor<2xf32>",
    CALL_2 ("Pin", "%a", "", "(tensor<2xf32>) -> (memref<2xf32>, memref<2xf32>)"),
    "one input and one output of target Pin" },
  { "pin-memref", "%a: memref<2xf32>", CALL ("Pin", "%a", "", "(memref<2xf32>) -> memref<2xf32>"),
    "expected a tensor as input of target Pin, found memref<2xf32>" },
  { "pin-token", "%a: !stablehlo.token", CALL ("Pin", "%a", "", "(!stablehlo.token) -> memref<2xf32>"),
    "expected a tensor as input of target Pin, found !stablehlo.token" },
  { "pin-tensor", "%a: tensor<2xf32>", CALL ("Pin", "%a", "", "(tensor<2xf32>) -> tensor<2xf32>"),
    "expected a memref as output of target Pin, found tensor<2xf32>" },
  { "pin-shape", "%a: tensor<2xf32>", CALL ("Pin", "%a", "", "(tensor<2xf32>) -> memref<3xf32>"),
    "the shape and element type of tensor<2xf32>, found memref<3xf32>" },
  { "pin-element", "%a: tensor<2xf32>", CALL ("Pin", "%a", "", "(tensor<2xf32>) -> memref<2xi32>"),
    "the shape and element type of tensor<2xf32>, found memref<2xi32>" },
  { "pin-alias", "%a: tensor<2xf32>", CALL ("Pin", "%a", ALIAS ("", "0", ""), "(tensor<2xf32>) -> memref<2xf32>"),
    "an aliased output of the operand's type, tensor<2xf32>, found memref<2xf32>" },
  { "unpin", "%a: memref<2xf32>", CALL ("Unpin", "%a", "", "(memref<2xf32>) -> tensor<2xf32>"), NULL },
  { "unpin-two", "%a: memref<2xf32>", CALL ("Unpin", "%a, %a", "", "(memref<2xf32>, memref<2xf32>) -> tensor<2xf32>"),
    "one input and one output of target Unpin" },
  { "unpin-tensor", "%a: tensor<2xf32>", CALL ("Unpin", "%a", "", "(tensor<2xf32>) -> tensor<2xf32>"),
    "a memref as input of target Unpin" },
  { "unpin-memref", "%a: memref<2xf32>", CALL ("Unpin", "%a", "", "(memref<2xf32>) -> memref<2xf32>"),
    "a tensor as output of target Unpin" },
  { "unpin-element", "%a: memref<2xf32>", CALL ("Unpin", "%a", "", "(memref<2xf32>) -> tensor<2xi32>"),
    "the shape and element type of memref<2xf32>, found tensor<2xi32>" },
  { "unpin-alias", "%a: memref<2xf32>", CALL ("Unpin", "%a", ALIAS ("", "0", ""), "(memref<2xf32>) -> tensor<2xf32>"),
    "an aliased output of the operand's type, memref<2xf32>, found tensor<2xf32>" },
  { "update", "%a: memref<2xf32>", CALL ("f", "%a", ALIAS ("", "0", ""), "(memref<2xf32>) -> memref<2xf32>"), NULL },
  { "read", "%a: memref<2xf32>", CALL ("f", "%a", "", "(memref<2xf32>) -> tensor<2xf32>"), NULL },
  { "swap", "%a: memref<2xf32>, %b: memref<2xf32>",
    CALL_2 ("f", "%a, %b", ALIAS ("0", "1", "") ", " ALIAS ("1", "0", ""),
            "(memref<2xf32>, memref<2xf32>) -> (memref<2xf32>, memref<2xf32>)"), NULL },
  { "members", "%a: tuple<tuple<memref<2xf32>>, memref<3xf32>>",
    CALL_2 ("f", "%a", ALIAS ("0", "0", "1") ", " ALIAS ("1, 0", "0", "0, 0"),
            "(tuple<tuple<memref<2xf32>>, memref<3xf32>>) -> (memref<3xf32>, tuple<memref<2xf32>>)"), NULL },
  { "unaliased", "%a: memref<2xf32>", CALL ("f", "%a", "", "(memref<2xf32>) -> memref<2xf32>"),
    "each buffer output in an alias with an operand, found none for []" },
  { "unaliased-second", "%a: memref<2xf32>",
    CALL_2 ("f", "%a", ALIAS ("0", "0", ""), "(memref<2xf32>) -> (memref<2xf32>, memref<2xf32>)"),
    "found none for [1]" },
  { "unaliased-member", "%a: memref<2xf32>", CALL ("f", "%a", "", "(memref<2xf32>) -> tuple<tuple<memref<2xf32>>>"),
    "found none for [0, 0]" },
  { "aliased-tensor", "%a: tensor<2xf32>, %b: memref<2xf32>",
    CALL ("f", "%a, %b", ALIAS ("", "0", ""), "(tensor<2xf32>, memref<2xf32>) -> memref<2xf32>"),
    "an aliased output of the operand's type" },
  { "operand-twice", "%a: memref<2xf32>",
    CALL_2 ("f", "%a", ALIAS ("0", "0", "") ", " ALIAS ("1", "0", ""),
            "(memref<2xf32>) -> (memref<2xf32>, memref<2xf32>)"), "each buffer operand in one alias" },
  { "output-twice", "%a: memref<2xf32>, %b: memref<2xf32>",
    CALL ("f", "%a, %b", ALIAS ("", "0", "") ", " ALIAS ("", "1", ""),
          "(memref<2xf32>, memref<2xf32>) -> memref<2xf32>"), "each buffer output in one alias" },
  { "tensor-twice", "%a: tensor<2xf32>",
    CALL_2 ("f", "%a", ALIAS ("0", "0", "") ", " ALIAS ("1", "0", ""),
            "(tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)"), NULL },
  { "operand-index", "%a: memref<2xf32>", CALL ("f", "%a", ALIAS ("", "1", ""), "(memref<2xf32>) -> memref<2xf32>"),
    "operand_index of output_operand_aliases in [0, 1), found 1" },
  { "operand-part", "%a: memref<2xf32>", CALL ("f", "%a", ALIAS ("", "0", "0"), "(memref<2xf32>) -> memref<2xf32>"),
    "expected operand_tuple_indices that name a part of an operand of type memref<2xf32>, found [0]" },
  { "output-part", "%a: memref<2xf32>", CALL ("f", "%a", ALIAS ("1", "0", ""), "(memref<2xf32>) -> memref<2xf32>"),
    "expected output_tuple_indices that name a part of the results of type memref<2xf32>, found [1]" },
  { "per-axis", "%a: memref<2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>",
    CALL ("f", "%a", "", "(memref<2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) -> tensor<f32>"), "expected operand #0" },
  { "zero-point", "%a: memref<2x!quant.uniform<i8:f32, 1.0:200>>",
    CALL ("f", "%a", "", "(memref<2x!quant.uniform<i8:f32, 1.0:200>>) -> tensor<f32>"), "expected operand #0" },
  { "index", "%a: memref<2xindex>", CALL ("f", "%a", "", "(memref<2xindex>) -> tensor<f32>"), "expected operand #0" },
  { "layouts", "%a: memref<2x3xf32>",
    "%0 = \"stablehlo.custom_call\"(%a) {call_target_name = \"f\", operand_layouts = [dense<[0, 1]> : "
    "tensor<2xindex>], result_layouts = [dense<0> : tensor<1xindex>]} : (memref<2x3xf32>) -> tensor<2xf32>", NULL },
  { "layout-size", "%a: memref<2x3xf32>",
    "%0 = \"stablehlo.custom_call\"(%a) {call_target_name = \"f\", operand_layouts = [dense<0> : tensor<1xindex>], "
    "result_layouts = [dense<0> : tensor<1xindex>]} : (memref<2x3xf32>) -> tensor<2xf32>",
    "expected a layout of operand #0 that is a permutation of its dimensions, found dense<0> : tensor<1xindex> for "
    "type memref<2x3xf32>" },
  { "layout-rank", "%a: tensor<2x3xf32>",
    "%0 = \"stablehlo.custom_call\"(%a) {call_target_name = \"f\", operand_layouts = [dense<[[0, 1]]> : "
    "tensor<1x2xindex>], result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<2x3xf32>) -> tensor<2xf32>",
    "vectors of index" },
  { "tilings", "", "%0 = \"stablehlo.custom_call\"() {call_target_name = \"f\", result_tilings = [[dense<[8, 128]> : "
    "tensor<2xindex>, dense<2> : tensor<1xindex>], []]} : () -> tensor<2xf32>", NULL },
  { "tiling-integers", "", "%0 = \"stablehlo.custom_call\"() {call_target_name = \"f\", result_tilings = [[8, 128]]} : "
    "() -> tensor<2xf32>", "vectors of index" },
  { "tiling-flat", "", "%0 = \"stablehlo.custom_call\"() {call_target_name = \"f\", result_tilings = [dense<2> : "
    "tensor<1xindex>]} : () -> tensor<2xf32>", "vectors of index" },
  { "tuple", "%a: tensor<2xf32>, %b: memref<2xf32>",
    "%0 = stablehlo.tuple %a, %b : tuple<tensor<2xf32>, memref<2xf32>>", NULL },
  { "member", "%a: tuple<tensor<2xf32>, memref<2xf32>>",
    "%0 = stablehlo.get_tuple_element %a[1] : (tuple<tensor<2xf32>, memref<2xf32>>) -> memref<2xf32>", NULL },
  { "member-as-tensor", "%a: tuple<tensor<2xf32>, memref<2xf32>>",
    "%0 = stablehlo.get_tuple_element %a[1] : (tuple<tensor<2xf32>, memref<2xf32>>) -> tensor<2xf32>",
    "a result compatible with memref<2xf32>" },
  { "add", "%a: memref<2xf32>", "%0 = \"stablehlo.add\"(%a, %a) : (memref<2xf32>, memref<2xf32>) -> memref<2xf32>",
    "expected operand #0" },
  { "barrier", "%a: memref<2xf32>", "%0 = \"stablehlo.optimization_barrier\"(%a) : (memref<2xf32>) -> memref<2xf32>",
    "expected operand #0" },
  { "if", "%p: tensor<i1>, %a: memref<2xf32>",
    "%0 = \"stablehlo.if\"(%p) ({ \"stablehlo.return\"(%a) : (memref<2xf32>) -> () }, "
    "{ \"stablehlo.return\"(%a) : (memref<2xf32>) -> () }) : (tensor<i1>) -> memref<2xf32>",
    "expected result #0" },
  { "case", "%p: tensor<i32>, %a: memref<2xf32>",
    "%0 = \"stablehlo.case\"(%p) ({ \"stablehlo.return\"(%a) : (memref<2xf32>) -> () }) : (tensor<i32>) -> "
    "memref<2xf32>",
    "expected result #0" },
  { "while", "%p: tensor<i1>, %a: memref<2xf32>",
    "%0:2 = \"stablehlo.while\"(%p, %a) ({ ^bb0(%q: tensor<i1>, %b: memref<2xf32>): \"stablehlo.return\"(%q) : "
    "(tensor<i1>) -> () }, { ^bb0(%q: tensor<i1>, %b: memref<2xf32>): \"stablehlo.return\"(%q, %b) : (tensor<i1>, "
    "memref<2xf32>) -> () }) : (tensor<i1>, memref<2xf32>) -> (tensor<i1>, memref<2xf32>)", NULL },
  { "while-shape", "%p: tensor<i1>, %a: memref<2xf32>",
    "%0:2 = \"stablehlo.while\"(%p, %a) ({ ^bb0(%q: tensor<i1>, %b: memref<2xf32>): \"stablehlo.return\"(%q) : "
    "(tensor<i1>) -> () }, { ^bb0(%q: tensor<i1>, %b: memref<3xf32>): \"stablehlo.return\"(%q, %a) : (tensor<i1>, "
    "memref<2xf32>) -> () }) : (tensor<i1>, memref<2xf32>) -> (tensor<i1>, memref<2xf32>)", "body argument 1" },
  { "reduce", "%a: memref<2xf32>, %v: tensor<f32>",
    "%0 = \"stablehlo.reduce\"(%a, %v) ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): \"stablehlo.return\"(%x) : "
    "(tensor<f32>) -> () }) {dimensions = array<i64: 0>} : (memref<2xf32>, tensor<f32>) -> tensor<f32>",
    "expected operand #0" },
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
    { "/verify-values/buffer", buffer_cases, G_N_ELEMENTS (buffer_cases) },
  };

  g_test_init (&argc, &argv, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (groups); i++)
    g_test_add_data_func (groups[i].name, &groups[i], test_group);

  return g_test_run ();
}
