/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The text form of sdy's attributes: each is parsed into fields and printed the same, other spellings are normalized,
 * and malformed text is refused.
 */

#include <string.h>

#include "ir/sdy-attr.h"

static void
check_text (GhloIrModule *module,
            const char   *text,
            const char   *usual)
{
  const GhloIrAttr *attr = ghlo_ir_attr_opaque (module, text);
  g_autoptr (GString) printed = g_string_new (NULL);
  g_auto (GhloSdyAttr) self;
  g_autofree char *problem = ghlo_sdy_attr_parse (&self, module, attr);

  g_assert_cmpstr (problem, ==, NULL);
  g_assert_true (ghlo_sdy_attr_is (attr, self.kind));
  ghlo_sdy_attr_print (&self, printed);
  g_assert_cmpstr (printed->str, ==, usual);
}

static void
test_usual (void)
{
  static const char *const texts[] = {
    "sdy.mesh<[]>",
    "sdy.mesh<[\"x\"=2]>",
    "sdy.mesh<[\"x\"=2, \"y\"=4]>",
    "sdy.mesh<[], device_ids=[3]>",
    "sdy.mesh<[\"a\"=3, \"b\"=2], device_ids=[0, 2, 4, 1, 3, 5]>",
    "sdy<manual_axes{}>",
    "sdy<manual_axes{\"x\", \"y\"}>",
    "sdy<mesh_axis\"x\"=2>",
    "sdy<sub_axis_info(1)2>",
    "sdy<axis_ref\"x\">",
    "sdy<axis_ref\"x\":(1)2>",
    "sdy<dimension_sharding{}>",
    "sdy<dimension_sharding{?}>",
    "sdy<dimension_sharding{?}p0>",
    "sdy<dimension_sharding{\"x\", \"y\":(2)2, ?}p12>",
    "sdy.sharding<@mesh, []>",
    "sdy.sharding<@mesh, [{\"x\"}, {?}, {\"y\":(2)2, ?}p1, {}], replicated={\"z\"}>",
    "sdy.sharding<@\"a mesh\\0A\", [{\"q\\22\"}]>",
    "sdy.sharding<mesh<[\"x\"=2]>, [{\"x\"}]>",
    "sdy.sharding<mesh<[], device_ids=[0]>, []>",
    "sdy.sharding<@m, [{\"x\"}], unreduced={\"y\"}>",
    "sdy.sharding<@m, [{\"x\"}], replicated={\"a\"}, unreduced=max{\"y\", \"z\":(1)2}>",
    "sdy.sharding<@m, [], unreduced=min{\"y\"}>",
    "sdy.sharding_per_value<[]>",
    "sdy.sharding_per_value<[<@m, [{\"x\"}]>, <mesh<[]>, []>]>",
    "sdy<dim_mapping>",
    "sdy<dim_mappingik>",
    "sdy<dim_mappingzz_1z_12i>",
    "sdy<tensor_mapping[]>",
    "sdy<tensor_mapping[i, jk]>",
    "sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=16, k=4} reduction={k}>",
    "sdy.op_sharding_rule<([], [ij])->([i, j]) {i=8, j=16}, custom>",
    ("sdy.op_sharding_rule<([i])->([i]) {i=8} reduction={i} need_replication={i, i} permutation={i}"
     " blocked_propagation={i}, custom>"),
    "sdy.op_sharding_rule<([])->([])>",
    ("sdy.propagation_edges<[{step-0 = [{\"x\" = operand-0 -> [result-0, result-1]}]}, {step-1 = [{\"y\":(1)2 = "
     "result-0 -> [operand-1]}]}]>"),
    "sdy<axis_ref_list{}>",
    "sdy<axis_ref_list{\"x\", \"y\":(1)2}>",
    "sdy<list_of_axis_ref_lists[{\"x\"}, {}]>",
    "sdy<all_to_all_param{\"x\"}: 0->1>",
    "sdy<all_to_all_param_list[{\"x\"}: 0->1, {\"y\", \"z\"}: 2->0]>",
  };
  g_autoptr (GhloIrModule) module = ghlo_ir_module_new ("test");

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    check_text (module, texts[i], texts[i]);
}

static void
test_other_spellings (void)
{
  static const char *const texts[][2] = {
    { "sdy.mesh< [ \"x\" = 2,\"y\"=4 ] , device_ids = [ 1,0 ] >", "sdy.mesh<[\"x\"=2, \"y\"=4], device_ids=[1, 0]>" },
    { "sdy<mesh<[\"x\"=2]>>", "sdy.mesh<[\"x\"=2]>" },
    { "sdy.sharding<@m,[{\"x\",?},{ }]>", "sdy.sharding<@m, [{\"x\", ?}, {}]>" },
    { "sdy.sharding<@m, [], unreduced={\"y\"}, replicated={\"z\"}>",
      "sdy.sharding<@m, [], replicated={\"z\"}, unreduced={\"y\"}>" },
    { "sdy.sharding<@m, [], unreduced=sum{\"y\"}>", "sdy.sharding<@m, [], unreduced={\"y\"}>" },
    { "sdy<manual_axes {\"x\",\"y\"} >", "sdy<manual_axes{\"x\", \"y\"}>" },
    { "sdy<dim_mapping ij>", "sdy<dim_mappingij>" },
    { "sdy<edge_value_ref result-1>", "sdy<edge_value_refresult-1>" },
    { "sdy.sharding_per_value<[#sdy.sharding<@m, [#sdy<dimension_sharding{}>]>]>",
      "sdy.sharding_per_value<[<@m, [{}]>]>" },
    { "sdy.op_sharding_rule<([i,k],[k,j])->([i,j]) {i=8,j=16,k=4} reduction={k} permutation={i}>",
      "sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=16, k=4} reduction={k} permutation={i}>" },
  };
  g_autoptr (GhloIrModule) module = ghlo_ir_module_new ("test");

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    check_text (module, texts[i][0], texts[i][1]);
}

static void
test_fields (void)
{
  g_autoptr (GhloIrModule) module = ghlo_ir_module_new ("test");
  const GhloIrAttr *attr = ghlo_ir_attr_opaque (module,
                                                "sdy.sharding<@m, [{\"x\"}, {?}p3], unreduced=max{\"y\":(1)2}>");
  const GhloIrAttr *dimension = ghlo_ir_attr_opaque (module, "sdy<dimension_sharding{?}p3>");
  const GhloIrAttr *axis = ghlo_ir_attr_opaque (module, "sdy<axis_ref\"y\":(1)2>");
  g_auto (GhloSdyAttr) self;
  g_autofree char *problem = ghlo_sdy_attr_parse (&self, module, attr);

  g_assert_null (problem);
  g_assert_cmpint (self.kind, ==, GHLO_SDY_SHARDING);
  g_assert_true (g_ptr_array_index (self.fields[0].attrs, 0) == ghlo_ir_attr_symbol (module, "m", NULL, 0));
  g_assert_cmpuint (ghlo_sdy_field_n_attrs (&self.fields[1]), ==, 2);
  g_assert_true (g_ptr_array_index (self.fields[1].attrs, 1) == dimension);
  g_assert_cmpuint (ghlo_sdy_field_n_attrs (&self.fields[2]), ==, 0);
  g_assert_true (g_ptr_array_index (self.fields[3].attrs, 0) == axis);
  g_assert_cmpint (self.fields[4].integer, ==, 1);
  g_assert_true (ghlo_sdy_attr_is (axis, GHLO_SDY_AXIS));
  g_assert_false (ghlo_sdy_attr_is (axis, GHLO_SDY_DIMENSION));
  g_assert_false (ghlo_sdy_attr_is (ghlo_ir_attr_opaque (module, "sdy.mesh_axis<>"), GHLO_SDY_MESH));
}

static void
test_bad (void)
{
  static const char *const texts[] = {
    "sdy", "sdy.", "sdy<", "sdy.mesh", "sdy.mesh<", "sdy.mesh<[>", "sdy.mesh<[\"x\"]>", "sdy.mesh<[\"x\"=]>",
    "sdy.mesh<[\"x\"=2,]>", "sdy.mesh<[\"x\"=2]> ]", "sdy.mesh<[\"x=2]>", "sdy.mesh<[x=2]>",
    "sdy.mesh<[\"x\"=99999999999999999999]>", "sdy.mesh<[\"\\9\"=2]>", "sdy.mesh<[], device_ids=[1>",
    "sdy.sharding<m, []>", "sdy.sharding<@, []>", "sdy.sharding<@m>", "sdy.sharding<@m, [{\"x\" \"y\"}]>",
    "sdy.sharding<@m, [{?, \"x\"}]>", "sdy.sharding<@m, [{}p-1]>", "sdy.sharding<@m, [{}px]>",
    "sdy.sharding<@m, [], other={\"x\"}>", "sdy.sharding<@m, [], replicated={\"x\"}, replicated={\"y\"}>",
    "sdy.sharding<@m, [], replicated={}>", "sdy.sharding<@m, [{\"x\"?}]>", "sdy.sharding<@m, [{, ?}]>",
    "sdy.sharding<@m, [{\"x\", }]>", "sdy.sharding<@m, [{\"x\"}p01]>", "sdy<dim_mappingz_0>",
    "sdy.op_sharding_rule<([i])->([i]) {i=8} permutation={i} reduction={i}>",
    "sdy.sharding_per_value<[#sdy.mesh<[]>]>", "sdy.sharding_per_value<[#sdy<sharding<@m, []>]>",
    "sdy.sharding<#alias, []>", "sdy.op_sharding_rule<([a])->([i]) {i=8}>", "sdy.op_sharding_rule<([i])->([i]) {j=8}>",
    "sdy.op_sharding_rule<([i])>", "sdy<dim_mapping a>", "sdy<edge_value_refblock-0>", "sdy.unknown<[]>",
    "sdy<manual_axes{\"x\"}", "sdy<manual_axes{x}>", "other.mesh<[]>",
  };
  g_autoptr (GhloIrModule) module = ghlo_ir_module_new ("test");

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_auto (GhloSdyAttr) self;
      g_autofree char *problem = ghlo_sdy_attr_parse (&self, module, ghlo_ir_attr_opaque (module, texts[i]));

      g_test_message ("%s", problem);
      g_assert_nonnull (problem);
      g_assert_true (g_str_has_prefix (problem, "expected "));
      g_assert_nonnull (strstr (problem, ", found "));
    }
}

static void
test_found (void)
{
  static const struct { const char *text, *problem; } cases[] = {
    { "sdy.mesh<[x=2]>", "expected a string at byte 10 of #sdy.mesh<[x=2]>, found 'x'" },
    { "sdy.mesh<[\"x\"=é]>", "expected an integer at byte 14 of #sdy.mesh<[\"x\"=é]>, found 'é'" },
    { "sdy.mesh<[\"x\"=2", "expected ']' at byte 15 of #sdy.mesh<[\"x\"=2, found the end" },
  };
  g_autoptr (GhloIrModule) module = ghlo_ir_module_new ("test");

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (GhloSdyAttr) self;
      g_autofree char *problem = ghlo_sdy_attr_parse (&self, module, ghlo_ir_attr_opaque (module, cases[i].text));

      g_assert_cmpstr (problem, ==, cases[i].problem);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/sdy-attr/usual", test_usual);
  g_test_add_func ("/sdy-attr/other-spellings", test_other_spellings);
  g_test_add_func ("/sdy-attr/fields", test_fields);
  g_test_add_func ("/sdy-attr/bad", test_bad);
  g_test_add_func ("/sdy-attr/found", test_found);

  return g_test_run ();
}
