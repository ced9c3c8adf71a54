/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Processes of the reference executor: how they rendezvous, in which groups, and that processes whose partners do not
 * arrive fail instead of waiting forever.
 */

#include "reference-programs.h"

#define SUM(groups) \
  "    %r = \"stablehlo.all_reduce\"(%x) ({\n" \
  "      ^bb0(%a: tensor<i64>, %b: tensor<i64>):\n" \
  "        %s = stablehlo.add %a, %b : tensor<i64>\n" \
  "        stablehlo.return %s : tensor<i64>\n" \
  "    }) {replica_groups = dense<" groups "} : (tensor<2xi64>) -> tensor<2xi64>\n"

#define SUM_OF_TWO \
  "  func.func @sum(%x: tensor<2xi64>) -> tensor<2xi64> {\n" SUM ("[[0, 1]]> : tensor<1x2xi64>") \
  "    return %r : tensor<2xi64>\n" \
  "  }\n"

static void
test_parallel (void)
{
  expect_ok ("module {\n" SUM_OF_TWO
             "  func.func @main() {\n"
             "    %x = stablehlo.constant dense<[1, 2]> : tensor<2xi64>\n"
             "    %y = stablehlo.constant dense<[30, 40]> : tensor<2xi64>\n"
             "    %r:2 = \"interpreter.run_parallel\"(%x, %y) {programs = [[@sum], [@sum]]}\n"
             "        : (tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>, tensor<2xi64>)\n"
             "    check.expect_eq_const %r#0, dense<[31, 42]> : tensor<2xi64>\n"
             "    check.expect_eq_const %r#1, dense<[31, 42]> : tensor<2xi64>\n"
             "    return\n"
             "  }\n}\n");
}

/* One process waits at a collective, the other ends without reaching it. */
static void
test_deadlock (void)
{
  expect_failure ("module {\n" SUM_OF_TWO
                  "  func.func @idle(%x: tensor<2xi64>) -> tensor<2xi64> {\n"
                  "    return %x : tensor<2xi64>\n"
                  "  }\n"
                  "  func.func @main() {\n"
                  "    %x = stablehlo.constant dense<[1, 2]> : tensor<2xi64>\n"
                  "    %r:2 = \"interpreter.run_parallel\"(%x, %x) {programs = [[@sum], [@idle]]}\n"
                  "        : (tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>, tensor<2xi64>)\n"
                  "    return\n"
                  "  }\n}\n", GHLO_ERROR_DATA,
                  "test.mlir:3:*'stablehlo.all_reduce'*2 processes*found 1*(in process (0, 0))");
}

/* Processes that wait for each other in different orders. */
static void
test_deadlock_crossed (void)
{
  expect_failure ("module {\n"
                  "  func.func @a(%t: !stablehlo.token) -> !stablehlo.token {\n"
                  "    %r:2 = \"stablehlo.recv\"(%t) {\n"
                  "        channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>,\n"
                  "        is_host_transfer = true} : (!stablehlo.token) -> (tensor<i64>, !stablehlo.token)\n"
                  "    return %r#1 : !stablehlo.token\n"
                  "  }\n"
                  "  func.func @main() {\n"
                  "    %t = stablehlo.after_all : !stablehlo.token\n"
                  "    %r:2 = \"interpreter.run_parallel\"(%t, %t) {programs = [[@a, @a]]}\n"
                  "        : (!stablehlo.token, !stablehlo.token) -> (!stablehlo.token, !stablehlo.token)\n"
                  "    return\n"
                  "  }\n}\n", GHLO_ERROR_DATA, "*'stablehlo.recv'*nothing was sent*");
}

/* A process that fails stops one that waits for it. */
static void
test_failing_process (void)
{
  expect_failure ("module {\n" SUM_OF_TWO
                  "  func.func @fail(%x: tensor<2xi64>) -> tensor<2xi64> {\n"
                  "    check.expect_eq_const %x, dense<7> : tensor<2xi64>\n"
                  "    %r = func.call @sum(%x) : (tensor<2xi64>) -> tensor<2xi64>\n"
                  "    return %r : tensor<2xi64>\n"
                  "  }\n"
                  "  func.func @main() {\n"
                  "    %x = stablehlo.constant dense<[1, 2]> : tensor<2xi64>\n"
                  "    %r:2 = \"interpreter.run_parallel\"(%x, %x) {programs = [[@sum], [@fail]]}\n"
                  "        : (tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>, tensor<2xi64>)\n"
                  "    return\n"
                  "  }\n}\n", GHLO_ERROR_DATA, "*'check.expect_eq_const'*found 1*(in process (1, 0))");
}

/* A cancel ends the wait for an endless process. */
static void
test_cancel_parallel (void)
{
  expect_cancelled ("module {\n" SUM_OF_TWO
                    "  func.func @endless(%x: tensor<2xi64>) -> tensor<2xi64> {\n"
                    "    %true = stablehlo.constant dense<true> : tensor<i1>\n"
                    "    %r = stablehlo.while(%i = %x) : tensor<2xi64>\n"
                    "    cond { stablehlo.return %true : tensor<i1>\n"
                    "    } do { stablehlo.return %i : tensor<2xi64>\n"
                    "    }\n"
                    "    return %r : tensor<2xi64>\n"
                    "  }\n"
                    "  func.func @main() {\n"
                    "    %x = stablehlo.constant dense<[1, 2]> : tensor<2xi64>\n"
                    "    %r:2 = \"interpreter.run_parallel\"(%x, %x) {programs = [[@sum], [@endless]]}\n"
                    "        : (tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>, tensor<2xi64>)\n"
                    "    return\n"
                    "  }\n}\n", FALSE);
}

/* Alone, a program is process (0, 0) of a grid of one. */
static void
test_alone (void)
{
  expect_ok ("func.func @main() {\n"
             "    %x = stablehlo.constant dense<[1, 2]> : tensor<2xi64>\n"
             SUM ("0> : tensor<1x1xi64>")
             "    check.expect_eq_const %r, dense<[1, 2]> : tensor<2xi64>\n"
             "    %id = stablehlo.replica_id : tensor<ui32>\n"
             "    check.expect_eq_const %id, dense<0> : tensor<ui32>\n"
             "    return\n"
             "}\n");
  expect_failure ("func.func @main() {\n"
                  "    %x = stablehlo.constant dense<[1, 2]> : tensor<2xi64>\n"
                  SUM ("[[0, 1]]> : tensor<1x2xi64>")
                  "    return\n"
                  "}\n", GHLO_ERROR_DATA, "*expected numbers from 0 to 0*");
  expect_failure ("func.func @main() {\n"
                  "    %t = stablehlo.after_all : !stablehlo.token\n"
                  "    %r:2 = \"stablehlo.infeed\"(%t) : (!stablehlo.token) -> (tensor<i64>, !stablehlo.token)\n"
                  "    return\n"
                  "}\n", GHLO_ERROR_DATA, "*infeed queue is empty*");
}

#define START(name, operand) \
  "    %" name " = \"stablehlo.async_start\"(" operand ") ({\n" \
  "    ^bb0(%y: tensor<2xi64>):\n" \
  "      %g = \"stablehlo.all_gather\"(%y) {all_gather_dim = 0 : i64,\n" \
  "          replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi64>) -> tensor<4xi64>\n" \
  "      stablehlo.return %g : tensor<4xi64>\n" \
  "    }) : (tensor<2xi64>) -> !stablehlo.future<tensor<4xi64>>\n"
#define DONE(name, future) \
  "    %" name " = \"stablehlo.async_done\"(" future ") : (!stablehlo.future<tensor<4xi64>>) -> tensor<4xi64>\n"

/* Two futures in progress at a time, completed in a different order by each process. */
static void
test_futures (void)
{
  expect_ok ("module {\n"
             "  func.func @one(%x: tensor<2xi64>) -> (tensor<4xi64>, tensor<4xi64>) {\n"
             "    %z = stablehlo.add %x, %x : tensor<2xi64>\n"
             START ("f", "%x") START ("h", "%z") DONE ("p", "%f") DONE ("q", "%h")
             "    return %p, %q : tensor<4xi64>, tensor<4xi64>\n"
             "  }\n"
             "  func.func @two(%x: tensor<2xi64>) -> (tensor<4xi64>, tensor<4xi64>) {\n"
             "    %z = stablehlo.add %x, %x : tensor<2xi64>\n"
             START ("f", "%x") START ("h", "%z") DONE ("q", "%h") DONE ("p", "%f")
             "    return %p, %q : tensor<4xi64>, tensor<4xi64>\n"
             "  }\n"
             "  func.func @main() {\n"
             "    %x = stablehlo.constant dense<[1, 2]> : tensor<2xi64>\n"
             "    %y = stablehlo.constant dense<[3, 4]> : tensor<2xi64>\n"
             "    %r:4 = \"interpreter.run_parallel\"(%x, %y) {programs = [[@one], [@two]]}\n"
             "        : (tensor<2xi64>, tensor<2xi64>)\n"
             "        -> (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>)\n"
             "    check.expect_eq_const %r#0, dense<[1, 2, 3, 4]> : tensor<4xi64>\n"
             "    check.expect_eq_const %r#1, dense<[2, 4, 6, 8]> : tensor<4xi64>\n"
             "    check.expect_eq_const %r#2, dense<[1, 2, 3, 4]> : tensor<4xi64>\n"
             "    check.expect_eq_const %r#3, dense<[2, 4, 6, 8]> : tensor<4xi64>\n"
             "    return\n"
             "  }\n}\n");
}

/* A future that cannot complete: either waited for, or dropped. */
static void
test_futures_deadlock (void)
{
  const char *rest =
    "  func.func @idle(%x: tensor<2xi64>) {\n"
    "    return\n"
    "  }\n"
    "  func.func @main() {\n"
    "    %x = stablehlo.constant dense<[1, 2]> : tensor<2xi64>\n"
    "    \"interpreter.run_parallel\"(%x, %x) {programs = [[@one], [@idle]]}\n"
    "        : (tensor<2xi64>, tensor<2xi64>) -> ()\n"
    "    return\n"
    "  }\n}\n";
  g_autofree char *waits = g_strconcat ("module {\n"
                                        "  func.func @one(%x: tensor<2xi64>) {\n"
                                        START ("f", "%x") DONE ("p", "%f")
                                        "    return\n"
                                        "  }\n", rest, NULL);
  g_autofree char *drops = g_strconcat ("module {\n"
                                        "  func.func @one(%x: tensor<2xi64>) {\n"
                                        START ("f", "%x")
                                        "    return\n"
                                        "  }\n", rest, NULL);

  expect_failure (waits, GHLO_ERROR_DATA, "*2 processes*found 1*");
  expect_ok (drops);
}

#define GATHER_ID(groups, global) \
  "  func.func @f() -> tensor<?xui32> {\n" \
  "    %r = stablehlo.replica_id : tensor<ui32>\n" \
  "    %p = stablehlo.partition_id : tensor<ui32>\n" \
  "    %ten = stablehlo.constant dense<10> : tensor<ui32>\n" \
  "    %t = stablehlo.multiply %r, %ten : tensor<ui32>\n" \
  "    %u = stablehlo.add %t, %p : tensor<ui32>\n" \
  "    %v = stablehlo.reshape %u : (tensor<ui32>) -> tensor<1xui32>\n" \
  "    %g = \"stablehlo.all_gather\"(%v) {all_gather_dim = 0 : i64, replica_groups = " groups ",\n" \
  "        channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>" global "}\n" \
  "        : (tensor<1xui32>) -> tensor<?xui32>\n" \
  "    return %g : tensor<?xui32>\n" \
  "  }\n"

#define MESH "#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = \"x\", size = 2>, " \
             "#stablehlo.mesh_axis<name = \"y\", size = 2>]>"

/* Checks the groups over a grid of two replicas by two partitions by what the first and the last process gather. */
static void
expect_groups (const char *function,
               guint       n,
               const char *first,
               const char *last)
{
  g_autofree char *text =
    g_strdup_printf ("module {\n%s"
                     "  func.func @main() {\n"
                     "    %%r:4 = \"interpreter.run_parallel\"() {programs = [[@f, @f], [@f, @f]]}\n"
                     "        : () -> (tensor<?xui32>, tensor<?xui32>, tensor<?xui32>, tensor<?xui32>)\n"
                     "    %%a = tensor.cast %%r#0 : tensor<?xui32> to tensor<%uxui32>\n"
                     "    %%b = tensor.cast %%r#3 : tensor<?xui32> to tensor<%uxui32>\n"
                     "    check.expect_eq_const %%a, dense<%s> : tensor<%uxui32>\n"
                     "    check.expect_eq_const %%b, dense<%s> : tensor<%uxui32>\n"
                     "    return\n  }\n}\n", function, n, n, first, n, last, n);

  expect_ok (text);
}

static void
test_groups (void)
{
  expect_groups (GATHER_ID ("dense<[[0, 1]]> : tensor<1x2xi64>", ""), 4, "[0, 10, 1, 11]", "[0, 10, 1, 11]");
  expect_groups (GATHER_ID ("dense<[[0], [1]]> : tensor<2x1xi64>", ""), 2, "[0, 1]", "[10, 11]");
  expect_groups (GATHER_ID ("dense<[[3, 1], [0, 2]]> : tensor<2x2xi64>", ", use_global_device_ids"), 2,
                 "[0, 10]", "[11, 1]");
  expect_groups (GATHER_ID ("#stablehlo.replica_group_mesh_axes<mesh = " MESH
                            ", axes = [#stablehlo.axis_ref<name = \"x\">]>", ", use_global_device_ids"), 2,
                 "[0, 10]", "[1, 11]");
  expect_groups (GATHER_ID ("#stablehlo.replica_group_mesh_axes<mesh = " MESH ", axes = "
                            "[#stablehlo.axis_ref<name = \"y\">, #stablehlo.axis_ref<name = \"x\">]>",
                            ", use_global_device_ids"), 4,
                 "[0, 10, 1, 11]", "[0, 10, 1, 11]");
}

#define REFERENCE(part) "#stablehlo.axis_ref<name = \"x\"" part ">"
#define GATHER_AXES(axes) \
  "module {\n" \
  GATHER_ID ("#stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = \"x\", " \
             "size = 4>], device_ids = dense<[0, 1, 2, 3]> : tensor<4xi64>>, axes = [" axes "]>", \
             ", use_global_device_ids") \
  "  func.func @main() {\n" \
  "    %r:4 = \"interpreter.run_parallel\"() {programs = [[@f, @f], [@f, @f]]}\n" \
  "        : () -> (tensor<?xui32>, tensor<?xui32>, tensor<?xui32>, tensor<?xui32>)\n" \
  "    return\n  }\n}\n"

/* Axes that the mesh lacks, and repeated axes. */
static void
test_wrong_axes (void)
{
  static const char *const texts[] = {
    GATHER_AXES (REFERENCE ("") ", " REFERENCE ("")),
    GATHER_AXES (REFERENCE ("") ", " REFERENCE (", sub_axis_info = (1)2")),
    GATHER_AXES (REFERENCE (", sub_axis_info = (1)4") ", " REFERENCE (", sub_axis_info = (2)2")),
    GATHER_AXES (REFERENCE (", sub_axis_info = (2)4")),
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    expect_failure (texts[i], GHLO_ERROR_DATA, "*axes of a known mesh, each once*");
}

/* Each process sends to the next by pairs; the last one's value goes nowhere. */
static void
test_channels (void)
{
  expect_ok ("module {\n"
             "  func.func @f(%x: tensor<i64>, %t: !stablehlo.token) -> tensor<i64> {\n"
             "    %s = \"stablehlo.send\"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,\n"
             "        source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}\n"
             "        : (tensor<i64>, !stablehlo.token) -> !stablehlo.token\n"
             "    %r:2 = \"stablehlo.recv\"(%s) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,\n"
             "        source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}\n"
             "        : (!stablehlo.token) -> (tensor<i64>, !stablehlo.token)\n"
             "    return %r#0 : tensor<i64>\n"
             "  }\n"
             "  func.func @main() {\n"
             "    %t = stablehlo.after_all : !stablehlo.token\n"
             "    %a = stablehlo.constant dense<7> : tensor<i64>\n"
             "    %b = stablehlo.constant dense<8> : tensor<i64>\n"
             "    %c = stablehlo.constant dense<9> : tensor<i64>\n"
             "    %r:3 = \"interpreter.run_parallel\"(%a, %t, %b, %t, %c, %t) {programs = [[@f], [@f], [@f]]}\n"
             "        : (tensor<i64>, !stablehlo.token, tensor<i64>, !stablehlo.token, tensor<i64>, !stablehlo.token)\n"
             "        -> (tensor<i64>, tensor<i64>, tensor<i64>)\n"
             "    check.expect_eq_const %r#0, dense<0> : tensor<i64>\n"
             "    check.expect_eq_const %r#1, dense<7> : tensor<i64>\n"
             "    check.expect_eq_const %r#2, dense<8> : tensor<i64>\n"
             "    return\n"
             "  }\n}\n");
}

#define SEND(type, attributes) \
  "module {\n" \
  "  func.func @send(%x: tensor<i64>, %t: !stablehlo.token) {\n" \
  "    %s = \"stablehlo.send\"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = " type ">,\n" \
  "        " attributes "} : (tensor<i64>, !stablehlo.token) -> !stablehlo.token\n" \
  "    return\n" \
  "  }\n" \
  "  func.func @idle() {\n" \
  "    return\n" \
  "  }\n" \
  "  func.func @main() {\n" \
  "    %t = stablehlo.after_all : !stablehlo.token\n" \
  "    %x = stablehlo.constant dense<7> : tensor<i64>\n"
#define END "    return\n  }\n}\n"

/* A value sent to the host, or to a process that does not receive it, is an error. */
static void
test_not_received (void)
{
  static const char alone[] = "    func.call @send(%x, %t) : (tensor<i64>, !stablehlo.token) -> ()\n" END;
  static const char beside[] = "    \"interpreter.run_parallel\"(%x, %t) {programs = [[@send, @idle]]}\n"
                               "        : (tensor<i64>, !stablehlo.token) -> ()\n" END;
  g_autofree char *to_host = g_strconcat (SEND ("2", "is_host_transfer = true"), alone, NULL);
  g_autofree char *both_to_host = g_strconcat (SEND ("2", "is_host_transfer = true"), beside, NULL);
  g_autofree char *to_idle = g_strconcat (SEND ("1", "source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>"), beside,
                                          NULL);
  g_autofree char *nowhere = g_strconcat (SEND ("1", "source_target_pairs = dense<[[1, 0]]> : tensor<1x2xi64>"), alone,
                                          NULL);

  expect_failure (to_host, GHLO_ERROR_UNSUPPORTED,
                  "test.mlir:3:*'stablehlo.send': no process received the values sent to the host*");
  expect_failure (both_to_host, GHLO_ERROR_UNSUPPORTED,
                  "*'stablehlo.send': no process received the values sent to the host*");
  expect_failure (to_idle, GHLO_ERROR_DATA, "*'stablehlo.send': no process received the values sent");
  /* According to its pairs the process sends nothing. */
  expect_ok (nowhere);
}

/* The former names of operations, and calls that frameworks export. */
static void
test_old_names (void)
{
  expect_ok ("module {\n"
             "  func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
             "    %r = \"stablehlo.cross-replica-sum\"(%x) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}\n"
             "        : (tensor<2xf32>) -> tensor<2xf32>\n"
             "    return %r : tensor<2xf32>\n"
             "  }\n"
             "  func.func @main() {\n"
             "    %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>\n"
             "    %r:2 = \"interpreter.run_parallel\"(%a, %a) {programs = [[@f], [@f]]}\n"
             "        : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)\n"
             "    check.expect_eq_const %r#1, dense<[2.0, 4.0]> : tensor<2xf32>\n"
             "    %e = stablehlo.custom_call @mhlo.erf(%a) {mhlo.attributes = {}, mhlo.version = 1 : i64}\n"
             "        : (tensor<2xf32>) -> tensor<2xf32>\n"
             "    check.expect_almost_eq_const %e, dense<[0.842700793, 0.995322265]> : tensor<2xf32>\n"
             "    %x = stablehlo.constant dense<[[1.0, 0x7FC00000, 3.0, 3.0],\n"
             "        [-1.0, -2.0, 0.0, -0.0]]> : tensor<2x4xf32>\n"
             "    %k:2 = stablehlo.custom_call @mhlo.topk(%x)\n"
             "        {mhlo.attributes = {k = 2 : i64, largest = true}, mhlo.version = 1 : i64}\n"
             "        : (tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)\n"
             "    check.expect_almost_eq_const %k#0, dense<[[0x7FC00000, 3.0], [0.0, -0.0]]> : tensor<2x2xf32>\n"
             "    check.expect_eq_const %k#1, dense<[[1, 2], [2, 3]]> : tensor<2x2xi32>\n"
             "    return\n"
             "  }\n}\n");
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/processes/parallel", test_parallel);
  g_test_add_func ("/processes/deadlock", test_deadlock);
  g_test_add_func ("/processes/deadlock-crossed", test_deadlock_crossed);
  g_test_add_func ("/processes/failing-process", test_failing_process);
  g_test_add_func ("/processes/cancel-parallel", test_cancel_parallel);
  g_test_add_func ("/processes/alone", test_alone);
  g_test_add_func ("/processes/futures", test_futures);
  g_test_add_func ("/processes/futures-deadlock", test_futures_deadlock);
  g_test_add_func ("/processes/groups", test_groups);
  g_test_add_func ("/processes/wrong-axes", test_wrong_axes);
  g_test_add_func ("/processes/channels", test_channels);
  g_test_add_func ("/processes/not-received", test_not_received);
  g_test_add_func ("/processes/old-names", test_old_names);

  return g_test_run ();
}
