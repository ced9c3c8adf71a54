/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A client of several devices: where buffers are, where programs run, and programs that run on all of them.
 */

#include <string.h>

#include "four.h"
#include "pjrt/abi-extensions.h"

static void
test_copies (void)
{
  const float numbers[] = { 1, 2, 3 };
  const int64_t dims[] = { 3 };
  PJRT_Client *client = four_client ();
  PJRT_Buffer *buffer = four_floats (four_device (client, 2), client, numbers, dims, 1);
  PJRT_Buffer *other = CALL (Buffer_CopyToDevice, .buffer = buffer, .dst_device = four_device (client, 3)).dst_buffer;
  PJRT_Buffer *third = CALL (Buffer_CopyToMemory, .buffer = other,
                             .dst_memory = CALL (Device_DefaultMemory,
                                                 .device = four_device (client, 1)).memory).dst_buffer;
  PJRT_Buffer *same = CALL (Buffer_CopyToDevice, .buffer = buffer, .dst_device = four_device (client, 2)).dst_buffer;

  g_assert_true (CALL (Buffer_UnsafePointer, .buffer = buffer).buffer_pointer
                 == CALL (Buffer_UnsafePointer, .buffer = third).buffer_pointer);
  g_assert_true (CALL (Buffer_UnsafePointer, .buffer = buffer).buffer_pointer
                 != CALL (Buffer_UnsafePointer, .buffer = same).buffer_pointer);
  CALL (Buffer_Delete, .buffer = buffer);
  four_check (other, four_device (client, 3), numbers, 3);
  four_check (third, four_device (client, 1), numbers, 3);
  CALL (Buffer_Destroy, .buffer = buffer);
  CALL (Buffer_Destroy, .buffer = other);
  CALL (Buffer_Destroy, .buffer = third);
  CALL (Buffer_Destroy, .buffer = same);
  CALL (Client_Destroy, .client = client);
}

static const char donating[] =
  "func.func @main(%x: tensor<3xf32> {tf.aliasing_output = 0 : i32}) -> tensor<3xf32> {\n"
  "  %sum = stablehlo.add %x, %x : tensor<3xf32>\n"
  "  return %sum : tensor<3xf32>\n"
  "}\n";

static void
execute_one (PJRT_LoadedExecutable *executable,
             PJRT_Buffer           *argument,
             PJRT_Device           *device,
             PJRT_Buffer          **output)
{
  PJRT_ExecuteOptions options = { .struct_size = sizeof options };
  PJRT_Buffer *const arguments[] = { argument };
  PJRT_Buffer *const *const lists[] = { arguments };
  PJRT_Buffer **const output_lists[] = { output };

  CALL (LoadedExecutable_Execute, .executable = executable, .options = &options, .argument_lists = lists,
        .num_devices = 1, .num_args = 1, .output_lists = output_lists, .execute_device = device);
}

static void
check_refused (const char      *program,
               const guint8    *options,
               gsize            n_options,
               PJRT_Error_Code  code,
               const char      *part)
{
  PJRT_Client *client = four_client ();
  PJRT_LoadedExecutable *executable;

  call_check_error (four_compile_with (client, program, options, n_options, &executable), code, part);
  CALL (Client_Destroy, .client = client);
}

/* A program runs on the device of its assignment, or on a named one; memory shared with a copy is not written to. */
static void
test_placement (void)
{
  /* Compile options as in call_compile (), for device 2; the second are portable. */
  static const guint8 on_two[] = { 0x1a, 15, 0x20, 1, 0x28, 1, 0x4a, 9, 0x08, 1, 0x10, 1, 0x1a, 3, 0x0a, 1, 2 };
  static const guint8 portable[] = { 0x1a, 4, 0x20, 1, 0x28, 1, 0x20, 1 };
  const float numbers[] = { 1, 2, 3 }, sums[] = { 2, 4, 6 };
  const int64_t dims[] = { 3 };
  PJRT_Client *client = four_client ();
  PJRT_Buffer *buffer = four_floats (four_device (client, 2), client, numbers, dims, 1), *copy, *output;
  PJRT_LoadedExecutable *executable;

  call_check ("compile", four_compile_with (client, donating, on_two, sizeof on_two, &executable));
  copy = CALL (Buffer_CopyToDevice, .buffer = buffer, .dst_device = four_device (client, 0)).dst_buffer;
  execute_one (executable, buffer, NULL, &output);
  four_check (output, four_device (client, 2), sums, 3);
  four_check (copy, four_device (client, 0), numbers, 3);
  g_assert_true (CALL (Buffer_IsDeleted, .buffer = buffer).is_deleted);
  CALL (Buffer_Destroy, .buffer = output);
  CALL (LoadedExecutable_Destroy, .executable = executable);

  call_check ("compile", four_compile_with (client, donating, portable, sizeof portable, &executable));
  execute_one (executable, copy, four_device (client, 3), &output);
  four_check (output, four_device (client, 3), sums, 3);
  CALL (Buffer_Destroy, .buffer = output);
  CALL (Buffer_Destroy, .buffer = copy);
  CALL (Buffer_Destroy, .buffer = buffer);
  CALL (LoadedExecutable_Destroy, .executable = executable);
  CALL (Client_Destroy, .client = client);
}

/* Six columns are split in halves along x, four rows in quarters along both parts of z, whose devices are in another
 * order. The first output is split the other way round, the second as propagation has it, and the third, which involves
 * both meshes, is on all devices. */
static const char automatic[] =
  "sdy.mesh @grid = <[\"x\"=2, \"y\"=2]>\n"
  "sdy.mesh @line = <[\"z\"=4], device_ids=[3, 1, 0, 2]>\n"
  "func.func @main(%a: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{\"y\"}, {\"x\", ?}]>, "
  "                                     jax.buffer_donor = true},\n"
  "                %b: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@line, [{\"z\"}, {}]>},\n"
  "                %c: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {}]>})\n"
  "    -> (tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@line, [{}, {\"z\":(1)2}]>}, tensor<4x6xf32>, "
  "        tensor<6x4xf32>) {\n"
  "  %sum = stablehlo.add %a, %b : tensor<4x6xf32>\n"
  "  %all = stablehlo.add %sum, %c : tensor<4x6xf32>\n"
  "  %turned = stablehlo.transpose %all, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>\n"
  "  %twice = stablehlo.add %a, %a : tensor<4x6xf32>\n"
  "  %other = stablehlo.add %twice, %c : tensor<4x6xf32>\n"
  "  return %all, %other, %turned : tensor<4x6xf32>, tensor<4x6xf32>, tensor<6x4xf32>\n"
  "}\n";

/* Makes a buffer of some rows and columns of a tensor of 4 × 6 numbers. */
static PJRT_Buffer *
part_on (PJRT_Client *client,
         guint        device,
         const float *numbers,
         int64_t      first_row,
         int64_t      n_rows,
         int64_t      first_column,
         int64_t      n_columns)
{
  g_autofree float *part = g_new (float, n_rows * n_columns);
  const int64_t dims[] = { n_rows, n_columns };

  for (int64_t i = 0; i < n_rows; i++)
    memcpy (part + i * n_columns, numbers + (first_row + i) * 6 + first_column, n_columns * sizeof *part);

  return four_floats (four_device (client, device), client, part, dims, 2);
}

static void
check_automatic (PJRT_Client *client,
                 FourRow     *outputs,
                 const float *all)
{
  /* Places of the line that devices are at. */
  static const guint places[] = { 2, 1, 3, 0 };
  float turned[24];

  for (guint i = 0; i < 24; i++)
    turned[i] = all[i % 4 * 6 + i / 4];
  for (guint i = 0; i < FOUR; i++)
    {
      float part[12], followed[6];

      for (guint j = 0; j < 12; j++)
        part[j] = all[j / 3 * 6 + places[i] / 2 * 3 + j % 3];
      for (guint j = 0; j < 6; j++)
        followed[j] = all[(i % 2 * 2 + j / 3) * 6 + i / 2 * 3 + j % 3];
      four_check (outputs[i][0], four_device (client, i), part, 12);
      four_check (outputs[i][1], four_device (client, i), followed, 6);
      four_check (outputs[i][2], four_device (client, i), turned, 24);
    }
}

static void
test_automatic (void)
{
  static const guint places[] = { 2, 1, 3, 0 };
  PJRT_Client *client = four_client ();
  PJRT_LoadedExecutable *executable = four_compile (client, automatic);
  float numbers[24], all[24];
  FourRow inputs[FOUR], outputs[FOUR];

  for (guint i = 0; i < 24; i++)
    {
      numbers[i] = (float) i;
      all[i] = 3 * numbers[i];
    }
  for (guint i = 0; i < FOUR; i++)
    {
      inputs[i][0] = part_on (client, i, numbers, i % 2 * 2, 2, i / 2 * 3, 3);
      inputs[i][1] = part_on (client, i, numbers, places[i], 1, 0, 6);
      inputs[i][2] = part_on (client, i, numbers, 0, 4, 0, 6);
    }
  call_check ("execute", four_execute (executable, inputs, 3, outputs));
  check_automatic (client, outputs, all);
  for (guint i = 0; i < FOUR; i++)
    {
      g_assert_true (CALL (Buffer_IsDeleted, .buffer = inputs[i][0]).is_deleted);
      g_assert_false (CALL (Buffer_IsDeleted, .buffer = inputs[i][1]).is_deleted);
    }
  call_check_error (four_execute (executable, inputs, 3, outputs), PJRT_Error_Code_INVALID_ARGUMENT,
                    "input 0 of device 0 cannot be used");
  four_destroy (outputs, 3);
  for (guint i = 0; i < FOUR; i++)
    {
      CALL (Buffer_Destroy, .buffer = inputs[i][0]);
      inputs[i][0] = part_on (client, i, numbers, 0, i == 2 ? 3 : 2, 0, 3);
    }
  call_check_error (four_execute (executable, inputs, 3, outputs), PJRT_Error_Code_INVALID_ARGUMENT,
                    "device 2: expected tensor<2x3xf32> for input 0, found tensor<3x3xf32>");
  four_destroy (inputs, 3);
  CALL (LoadedExecutable_Destroy, .executable = executable);
  CALL (Client_Destroy, .client = client);
}

static void
test_answers (void)
{
  /* xla.OpSharding: { type: OTHER tile_assignment_dimensions: [1, 2, 2] tile_assignment_devices: [3, 1, 0, 2]
   * replicate_on_last_tile_dim: true }; and of a grid whose axes are exchanged. */
  static const guint8 line[] = { 0x08, 3, 0x1a, 3, 1, 2, 2, 0x22, 4, 3, 1, 0, 2, 0x30, 1 };
  static const guint8 grid[] = { 0x08, 3, 0x1a, 2, 2, 2, 0x22, 4, 0, 2, 1, 3 };
  PJRT_Client *client = four_client ();
  PJRT_LoadedExecutable *loaded = four_compile (client, automatic);
  PJRT_Executable *executable = CALL (LoadedExecutable_GetExecutable, .loaded_executable = loaded).executable;
  PJRT_Executable_OutputDimensions_Args dims = CALL (Executable_OutputDimensions, .executable = executable);
  PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args ids = CALL (LoadedExecutable_AddressableDeviceLogicalIds,
                                                                     .executable = loaded);
  const PJRT_Shardings_Extension *shardings = (const PJRT_Shardings_Extension *) api->extension_start;
  PJRT_Shardings_PJRT_Executable_ParameterShardings_Args inputs = { .struct_size = sizeof inputs,
                                                                    .executable = executable };
  PJRT_Shardings_PJRT_Executable_OutputShardings_Args outputs = { .struct_size = sizeof outputs,
                                                                  .executable = executable };

  while (shardings->base.type != PJRT_Extension_Type_Shardings)
    shardings = (const PJRT_Shardings_Extension *) shardings->base.next;
  call_check ("inputs", shardings->PJRT_Shardings_PJRT_Executable_ParameterShardings (&inputs));
  call_check ("outputs", shardings->PJRT_Shardings_PJRT_Executable_OutputShardings (&outputs));
  g_assert_cmpuint (inputs.num_parameters, ==, 3);
  g_assert_cmpmem (inputs.shardings[0], inputs.sharding_sizes[0], grid, sizeof grid);
  g_assert_cmpuint (inputs.sharding_sizes[2], ==, 0);
  g_assert_cmpuint (outputs.num_outputs, ==, 3);
  g_assert_cmpmem (outputs.shardings[0], outputs.sharding_sizes[0], line, sizeof line);
  g_assert_cmpmem (outputs.shardings[1], outputs.sharding_sizes[1], grid, sizeof grid);
  g_assert_cmpuint (outputs.sharding_sizes[2], ==, 0);
  g_assert_cmpint (dims.dims[0], ==, 4);
  g_assert_cmpint (dims.dims[1], ==, 3);
  g_assert_cmpuint (CALL (Executable_NumPartitions, .executable = executable).num_partitions, ==, FOUR);
  g_assert_cmpuint (ids.num_addressable_device_logical_ids, ==, FOUR);
  g_assert_cmpint (ids.addressable_device_logical_ids[3].partition, ==, 3);
  CALL (Executable_Destroy, .executable = executable);
  CALL (LoadedExecutable_Destroy, .executable = loaded);
  CALL (Client_Destroy, .client = client);
}

#define MANUAL(body) \
  "sdy.mesh @line = <[\"z\"=4]>\n" \
  "func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@line, [{\"z\"}]>})\n" \
  "    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@line, [{\"z\"}]>}) {\n" \
  "  %r = sdy.manual_computation(%a) in_shardings=[<@line, [{\"z\"}]>] out_shardings=[<@line, [{\"z\"}]>] " \
  "      manual_axes={\"z\"} (%p: tensor<2xf32>) {\n" \
  body \
  "  } : (tensor<8xf32>) -> tensor<8xf32>\n" \
  "  return %r : tensor<8xf32>\n" \
  "}\n"

#define SUM_OF(result, operand) \
  "  %" result " = \"stablehlo.all_reduce\"(%" operand ") <{channel_handle = #stablehlo.channel_handle<handle = 1, " \
  "      type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({\n" \
  "  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n" \
  "    %z = stablehlo.add %x, %y : tensor<f32>\n" \
  "    stablehlo.return %z : tensor<f32>\n" \
  "  }) : (tensor<2xf32>) -> tensor<2xf32>\n"

#define IS_PARTITION_2 \
  "  %id = stablehlo.partition_id : tensor<ui32>\n" \
  "  %two = stablehlo.constant dense<2> : tensor<ui32>\n"

/* Manual computations: partitions run independently, and meet in collective operations. */
static void
test_manual (void)
{
  PJRT_Client *client = four_client ();
  FourRow outputs[FOUR];

  call_check ("execute", four_run (client, MANUAL (SUM_OF ("s", "p")
                                                   "  %id = stablehlo.partition_id : tensor<ui32>\n"
                                                   "  %n = stablehlo.convert %id : (tensor<ui32>) -> tensor<f32>\n"
                                                   "  %ns = stablehlo.broadcast_in_dim %n, dims = [] : "
                                                   "      (tensor<f32>) -> tensor<2xf32>\n"
                                                   "  %t = stablehlo.add %s, %ns : tensor<2xf32>\n"
                                                   SUM_OF ("u", "t")
                                                   "  %v = stablehlo.subtract %u, %p : tensor<2xf32>\n"
                                                   "  sdy.return %v : tensor<2xf32>\n"), outputs));
  for (guint i = 0; i < FOUR; i++)
    {
      const float expected[] = { 4 * 12 + 6 - 2.0f * i, 4 * 16 + 6 - (2.0f * i + 1) };

      four_check (outputs[i][0], four_device (client, i), expected, 2);
    }
  four_destroy (outputs, 1);
  CALL (Client_Destroy, .client = client);
}

/* Functions that a manual computation calls are taken along, whatever their visibility. */
static void
test_called (void)
{
  static const char program[] =
    MANUAL ("    %n = func.call @negated(%p) : (tensor<2xf32>) -> tensor<2xf32>\n"
            "    sdy.return %n : tensor<2xf32>\n")
    "func.func public @negated(%p: tensor<2xf32>) -> tensor<2xf32> {\n"
    "  %n = call @other(%p) : (tensor<2xf32>) -> tensor<2xf32>\n"
    "  return %n : tensor<2xf32>\n"
    "}\n"
    "func.func @other(%p: tensor<2xf32>) -> tensor<2xf32> {\n"
    "  %n = stablehlo.negate %p : tensor<2xf32>\n"
    "  return %n : tensor<2xf32>\n"
    "}\n";
  PJRT_Client *client = four_client ();
  FourRow outputs[FOUR];

  call_check ("execute", four_run (client, program, outputs));
  for (guint i = 0; i < FOUR; i++)
    {
      const float expected[] = { -2.0f * i, -2.0f * i - 1 };

      four_check (outputs[i][0], four_device (client, i), expected, 2);
    }
  four_destroy (outputs, 1);
  CALL (Client_Destroy, .client = client);
}

#define STARTED(body) \
  MANUAL ("    %f = \"stablehlo.async_start\"(%p) ({\n" \
          "    ^bb0(%q: tensor<2xf32>):\n" \
          "      %g = \"stablehlo.collective_permute\"(%q) <{source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], " \
          "[3, 0]]> : tensor<4x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : " \
          "(tensor<2xf32>) -> tensor<2xf32>\n" \
          "      stablehlo.return %g : tensor<2xf32>\n" \
          "    }) : (tensor<2xf32>) -> !stablehlo.future<tensor<2xf32>>\n" \
          body)
#define DONE "\"stablehlo.async_done\"(%f) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>\n"

/* Asynchronous operations that are awaited later, with a hint of an order, and some that are not awaited. */
static void
test_started (void)
{
  static const char program[] =
    STARTED ("    %n = stablehlo.negate %p : tensor<2xf32>\n"
             "    %d = " DONE
             "    stablehlo.custom_call @control_dep(%f, %n) {has_side_effect = true} : "
             "(!stablehlo.future<tensor<2xf32>>, tensor<2xf32>) -> ()\n"
             "    %r = stablehlo.add %d, %n : tensor<2xf32>\n"
             "    sdy.return %r : tensor<2xf32>\n");
  static const char unawaited[] =
    STARTED ("    stablehlo.custom_call @other(%f) : (!stablehlo.future<tensor<2xf32>>) -> ()\n"
             "    sdy.return %p : tensor<2xf32>\n");
  static const float expected[] = { 6, -2, -2, -2 };
  PJRT_Client *client = four_client ();
  FourRow outputs[FOUR];

  call_check ("execute", four_run (client, program, outputs));
  for (guint i = 0; i < FOUR; i++)
    four_check (outputs[i][0], four_device (client, i), (const float[]) { expected[i], expected[i] }, 2);
  four_destroy (outputs, 1);
  CALL (Client_Destroy, .client = client);
  check_refused (unawaited, NULL, 0, PJRT_Error_Code_UNIMPLEMENTED, "used by 'stablehlo.async_done' only");
}

/* Unreduced inputs are added up; an unreduced output has the whole sum on one device, and zeros on the others. */
static void
test_sums (void)
{
  static const char program[] =
    "sdy.mesh @grid = <[\"x\"=2, \"y\"=2]>\n"
    "func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@grid, [{\"y\"}], unreduced={\"x\"}>})\n"
    "    -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@grid, [{\"x\"}], unreduced={\"y\"}>}) {\n"
    "  %r = stablehlo.multiply %a, %a : tensor<4xf32>\n"
    "  return %r : tensor<4xf32>\n"
    "}\n";
  /* The squares of 0 + 4, 1 + 5, 2 + 6 and 3 + 7. */
  static const float expected[FOUR][2] = { { 16, 36 }, { 0, 0 }, { 64, 100 }, { 0, 0 } };
  PJRT_Client *client = four_client ();
  FourRow outputs[FOUR];

  call_check ("execute", four_run (client, program, outputs));
  for (guint i = 0; i < FOUR; i++)
    four_check (outputs[i][0], four_device (client, i), expected[i], 2);
  four_destroy (outputs, 1);
  CALL (Client_Destroy, .client = client);
}

/* Along one axis, with what is along the other one in it; partitions that the outer one does not have meet there. */
static const char nested[] =
  "sdy.mesh @grid = <[\"x\"=2, \"y\"=2], device_ids=[0, 2, 1, 3]>\n"
  "func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@grid, [{\"y\", \"x\"}]>})\n"
  "    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@grid, [{\"y\", \"x\"}]>}) {\n"
  "  %r = sdy.manual_computation(%a) in_shardings=[<@grid, [{\"y\"}]>] out_shardings=[<@grid, [{\"y\"}]>] "
  "      manual_axes={\"y\"} (%h: tensor<4xf32>) {\n"
  "    %q = sdy.manual_computation(%h) in_shardings=[<@grid, [{\"x\"}]>] out_shardings=[<@grid, [{\"x\"}]>] "
  "        manual_axes={\"x\"} (%p: tensor<2xf32>) {\n"
  "      %id = stablehlo.partition_id : tensor<ui32>\n"
  "      %n = stablehlo.convert %id : (tensor<ui32>) -> tensor<f32>\n"
  "      %ns = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<f32>) -> tensor<2xf32>\n"
  "      %t = stablehlo.add %p, %ns : tensor<2xf32>\n"
  SUM_OF ("s", "t")
  "      %d = stablehlo.subtract %s, %t : tensor<2xf32>\n"
  "      sdy.return %d : tensor<2xf32>\n"
  "    } : (tensor<4xf32>) -> tensor<4xf32>\n"
  "    sdy.return %q : tensor<4xf32>\n"
  "  } : (tensor<8xf32>) -> tensor<8xf32>\n"
  "  return %r : tensor<8xf32>\n"
  "}\n";

static void
test_nested (void)
{
  PJRT_Client *client = four_client ();
  FourRow outputs[FOUR];

  call_check ("execute", four_run (client, nested, outputs));
  for (guint i = 0; i < FOUR; i++)
    {
      const float expected[] = { 12 + 6 - (2.0f * i + i), 16 + 6 - (2.0f * i + 1 + i) };

      four_check (outputs[i][0], four_device (client, i), expected, 2);
    }
  four_destroy (outputs, 1);
  CALL (Client_Destroy, .client = client);
}

/* One partition fails while the others wait for it, or never arrives. */
static void
test_failures (void)
{
  PJRT_Client *client = four_client ();
  FourRow outputs[FOUR];

  call_check_error (four_run (client, MANUAL (IS_PARTITION_2
                                              "  %ok = stablehlo.compare NE, %id, %two : "
                                              "      (tensor<ui32>, tensor<ui32>) -> tensor<i1>\n"
                                              "  stablehlo.custom_call @shape_assertion(%ok) "
                                              "      {has_side_effect = true, error_message = \"not two\"} : "
                                              "      (tensor<i1>) -> ()\n"
                                              SUM_OF ("s", "p")
                                              "  sdy.return %s : tensor<2xf32>\n"), outputs),
                    PJRT_Error_Code_INVALID_ARGUMENT, "partition 2: ");
  four_destroy (outputs, 1);
  call_check_error (four_run (client, MANUAL (IS_PARTITION_2
                                              "  %goes = stablehlo.compare NE, %id, %two : "
                                              "      (tensor<ui32>, tensor<ui32>) -> tensor<i1>\n"
                                              "  %r = \"stablehlo.if\"(%goes) ({\n"
                                              SUM_OF ("s", "p")
                                              "    stablehlo.return %s : tensor<2xf32>\n"
                                              "  }, {\n"
                                              "    stablehlo.return %p : tensor<2xf32>\n"
                                              "  }) : (tensor<i1>) -> tensor<2xf32>\n"
                                              "  sdy.return %r : tensor<2xf32>\n"), outputs),
                    PJRT_Error_Code_INVALID_ARGUMENT, "partition 0: ");
  four_destroy (outputs, 1);
  CALL (Client_Destroy, .client = client);
}

#define SHARDED(meshes, sharding) \
  meshes \
  "func.func @main(%a: tensor<8xf32> {" sharding "}) -> tensor<8xf32> {\n" \
  "  return %a : tensor<8xf32>\n" \
  "}\n"

static void
test_refusals (void)
{
  static const guint8 replicas[] = { 0x1a, 4, 0x20, 2, 0x28, 2 };
  static const struct
  {
    const char     *program;
    PJRT_Error_Code code;
    const char     *part;
  } rows[] = {
    { SHARDED ("sdy.mesh @m = <[\"z\"=2]>\n", "sdy.sharding = #sdy.sharding<@m, [{\"z\"}]>"),
      PJRT_Error_Code_UNIMPLEMENTED, "input 0: expected a mesh of the program's 4 partitions, found another size" },
    { SHARDED ("sdy.mesh @m = <[\"z\"=4]>\n", "sdy.sharding = #sdy.sharding<@m, [{\"x\"}]>"),
      PJRT_Error_Code_INVALID_ARGUMENT, "expected an axis of the mesh, found \"x\"" },
    { SHARDED ("sdy.mesh @m = <[\"z\"=4]>\n", "sdy.sharding = #sdy.sharding<@m, [{\"z\", \"z\"}]>"),
      PJRT_Error_Code_INVALID_ARGUMENT, "expected each axis once, found \"z\" twice" },
    { SHARDED ("sdy.mesh @m = <[\"z\"=4]>\n", "sdy.sharding = #sdy.sharding<@m, [{\"z\":(1)3}]>"),
      PJRT_Error_Code_INVALID_ARGUMENT, "expected a part of axis \"z\" whose end divides its size, 4" },
    { SHARDED ("sdy.mesh @m = <[\"z\"=4]>\n", "sdy.sharding = #sdy.sharding<@m, [{\"z\"}, {}]>"),
      PJRT_Error_Code_INVALID_ARGUMENT, "expected a sharding of 1 dimensions, found 2" },
    { SHARDED ("sdy.mesh @m = <[\"z\"=4], device_ids=[0, 1, 1, 3]>\n", "sdy.sharding = #sdy.sharding<@m, [{\"z\"}]>"),
      PJRT_Error_Code_INVALID_ARGUMENT, "expected device_ids to have each of 4 devices once, found 1 twice" },
    { SHARDED ("", "sdy.sharding = #sdy.sharding<@m, [{\"z\"}]>"),
      PJRT_Error_Code_INVALID_ARGUMENT, "expected the name of a mesh of the program, found 'm'" },
    { SHARDED ("sdy.mesh @m = <[], device_ids=[1]>\n", "sdy.sharding = #sdy.sharding<@m, []>"),
      PJRT_Error_Code_UNIMPLEMENTED, "expected a sharding over all partitions, found one on a single device" },
    { SHARDED ("sdy.mesh @m = <[\"z\"=4]>\n", "sdy.sharding = #sdy.sharding<@m, [{}], unreduced=max{\"z\"}>"),
      PJRT_Error_Code_UNIMPLEMENTED, "expected a sum along unreduced axes, found 'max'" },
    { SHARDED ("sdy.mesh @m = <[\"z\"=4]>\n", "sdy.sharding = #sdy.sharding<@m, [{\"z\"}], unreduced={\"z\"}>"),
      PJRT_Error_Code_INVALID_ARGUMENT, "expected each axis once, found \"z\" twice" },
    { SHARDED ("", "mhlo.sharding = \"{devices=[4]<=[4]}\""),
      PJRT_Error_Code_UNIMPLEMENTED, "found mhlo.sharding {devices=[4]<=[4]}" },
    { "sdy.mesh @m = <[\"z\"=4]>\n"
      "func.func @main(%a: tensor<6xf32> {sdy.sharding = #sdy.sharding<@m, [{\"z\"}]>}) -> tensor<6xf32> {\n"
      "  return %a : tensor<6xf32>\n"
      "}\n",
      PJRT_Error_Code_UNIMPLEMENTED, "expected a dimension that divides into 4 equal parts, found size 6" },
  };

  check_refused (donating, replicas, sizeof replicas, PJRT_Error_Code_UNIMPLEMENTED,
                 "expected a program of one replica, which may have several partitions, found 2 replicas");
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    check_refused (rows[i].program, NULL, 0, rows[i].code, rows[i].part);
}

/* Each device holds its own addend of an unreduced value, and the addends are not added up. */
static const char apart[] =
  "sdy.mesh @grid = <[\"x\"=2, \"y\"=2], device_ids=[1, 0, 2, 3]>\n"
  "func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@grid, [{\"y\"}], unreduced={\"x\"}>})\n"
  "    -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@grid, [{\"y\"}], unreduced={\"x\"}>}) {\n"
  "  %r = sdy.manual_computation(%a) in_shardings=[<@grid, [{\"y\"}], unreduced={\"x\"}>] "
  "      out_shardings=[<@grid, [{\"y\"}], unreduced={\"x\"}>] manual_axes={\"x\", \"y\"} (%p: tensor<2xf32>) {\n"
  "    %n = stablehlo.negate %p : tensor<2xf32>\n"
  "    sdy.return %n : tensor<2xf32>\n"
  "  } : (tensor<4xf32>) -> tensor<4xf32>\n"
  "  %c = sdy.sharding_constraint %r <@grid, [{\"y\"}], unreduced={\"x\"}> : tensor<4xf32>\n"
  "  return %c : tensor<4xf32>\n"
  "}\n";

/* Checks that the rewritten program cannot be serialized, and that its text no longer mentions unreduced axes. */
static void
check_rewritten (PJRT_Client *client,
                 const char  *program)
{
  PJRT_LoadedExecutable *loaded = four_compile (client, program);
  PJRT_Executable *executable = CALL (LoadedExecutable_GetExecutable, .loaded_executable = loaded).executable;
  PJRT_Program text = { .struct_size = sizeof text };
  g_autofree char *code = NULL;

  call_check_error (CALL_ERROR (Executable_Serialize, .executable = executable), PJRT_Error_Code_UNIMPLEMENTED,
                    "unreduced outputs");
  CALL (Executable_OptimizedProgram, .executable = executable, .program = &text);
  code = g_malloc0 (text.code_size + 1);
  text.code = code;
  CALL (Executable_OptimizedProgram, .executable = executable, .program = &text);
  g_assert_null (strstr (code, "unreduced"));
  CALL (Executable_Destroy, .executable = executable);
  CALL (LoadedExecutable_Destroy, .executable = loaded);
}

static void
test_addends (void)
{
  PJRT_Client *client = four_client ();
  FourRow outputs[FOUR];

  call_check ("execute", four_run (client, apart, outputs));
  for (guint i = 0; i < FOUR; i++)
    {
      const float expected[] = { -2.0f * i, -2.0f * i - 1 };

      four_check (outputs[i][0], four_device (client, i), expected, 2);
    }
  four_destroy (outputs, 1);
  check_rewritten (client, apart);
  CALL (Client_Destroy, .client = client);
}

#define UNREDUCED "{sdy.sharding = #sdy.sharding<@line, [], unreduced={\"z\"}>}"
#define SCALARS "(tensor<8xf32>, tensor<8xf32>) -> tensor<f32>"

/* A sum that starts at 5, a product, a split value, and a difference, each unreduced over the devices. */
static const char computed[] =
  "sdy.mesh @line = <[\"z\"=4], device_ids=[3, 1, 0, 2]>\n"
  "func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@line, [{\"z\"}]>})\n"
  "    -> (tensor<f32> " UNREDUCED ", tensor<f32> " UNREDUCED ",\n"
  "        tensor<8xf32> {sdy.sharding = #sdy.sharding<@line, [{}], unreduced={\"z\"}>}, "
  "        tensor<f32> " UNREDUCED ") {\n"
  "  %five = stablehlo.constant dense<5.0> : tensor<f32>\n"
  "  %s = stablehlo.reduce(%a init: %five) applies stablehlo.add across dimensions = [0] : "
  "(tensor<8xf32>, tensor<f32>) -> tensor<f32>\n"
  "  %t = sdy.sharding_constraint %s <@line, [], unreduced={\"z\"}> : tensor<f32>\n"
  "  %p = call @square(%a) : (tensor<8xf32>) -> tensor<f32>\n"
  "  %n = stablehlo.negate %t : tensor<f32>\n"
  "  %d = stablehlo.add %n, %p : tensor<f32>\n"
  "  return %t, %p, %a, %d : tensor<f32>, tensor<f32>, tensor<8xf32>, tensor<f32>\n"
  "}\n"
  "func.func private @square(%a: tensor<8xf32>) -> tensor<f32> {\n"
  "  %p = stablehlo.dot_general %a, %a, contracting_dims = [0] x [0] : " SCALARS "\n"
  "  return %p : tensor<f32>\n"
  "}\n";

static void
test_computed (void)
{
  /* Places of the line that devices are at: device i has numbers 2i and 2i + 1, and those are of its place. */
  static const guint places[] = { 2, 1, 3, 0 };
  PJRT_Client *client = four_client ();
  FourRow outputs[FOUR];

  call_check ("execute", four_run (client, computed, outputs));
  for (guint i = 0; i < FOUR; i++)
    {
      const float one = 2.0f * i, other = 2.0f * i + 1;
      const float sum = one + other + (places[i] == 0 ? 5 : 0), product = one * one + other * other;
      float parts[8] = { 0 };

      parts[2 * places[i]] = one;
      parts[2 * places[i] + 1] = other;
      four_check (outputs[i][0], four_device (client, i), &sum, 1);
      four_check (outputs[i][1], four_device (client, i), &product, 1);
      four_check (outputs[i][2], four_device (client, i), parts, 8);
      four_check (outputs[i][3], four_device (client, i), &(const float) { product - sum }, 1);
    }
  four_destroy (outputs, 4);
  check_rewritten (client, computed);
  CALL (Client_Destroy, .client = client);
}

/* An unreduced product, two of whose dimensions want the same axis, so that no device has an addend of its own. */
static const char contested[] =
  "sdy.mesh @grid = <[\"x\"=2, \"y\"=2]>\n"
  "func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@grid, [{\"x\", \"y\"}]>})\n"
  "    -> (tensor<f32> {sdy.sharding = #sdy.sharding<@grid, [], unreduced={\"x\", \"y\"}>}) {\n"
  "  %b = stablehlo.reshape %a : (tensor<8xf32>) -> tensor<4x2xf32>\n"
  "  %l = sdy.sharding_constraint %b <@grid, [{\"x\"}, {}]> : tensor<4x2xf32>\n"
  "  %r = sdy.sharding_constraint %b <@grid, [{}, {\"x\"}]> : tensor<4x2xf32>\n"
  "  %p = stablehlo.dot_general %l, %r, contracting_dims = [0, 1] x [0, 1] : (tensor<4x2xf32>, tensor<4x2xf32>) -> "
  "tensor<f32>\n"
  "  return %p : tensor<f32>\n"
  "}\n";

static void
test_contested (void)
{
  PJRT_Client *client = four_client ();
  FourRow outputs[FOUR];
  float sum = 0;

  call_check ("execute", four_run (client, contested, outputs));
  for (guint i = 0; i < FOUR; i++)
    {
      float addend;

      call_read (outputs[i][0], &addend, sizeof addend);
      sum += addend;
    }
  g_assert_cmpfloat (sum, ==, 140);
  four_destroy (outputs, 1);
  CALL (Client_Destroy, .client = client);
}

/* A device has as many bytes of the first input as of the first output, and of the second more than of any. */
static const char donors[] =
  "sdy.mesh @line = <[\"z\"=4]>\n"
  "func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@line, [{\"z\"}]>, jax.buffer_donor = true},\n"
  "                %b: tensor<16xf32> {sdy.sharding = #sdy.sharding<@line, [{\"z\"}]>, jax.buffer_donor = true})\n"
  "    -> (tensor<8xi32> {sdy.sharding = #sdy.sharding<@line, [{\"z\"}]>}) {\n"
  "  %r = stablehlo.convert %a : (tensor<8xf32>) -> tensor<8xi32>\n"
  "  return %r : tensor<8xi32>\n"
  "}\n";

/* A donated input stays with the caller if no output can use its memory. */
static void
test_donors (void)
{
  static const float numbers[] = { 1, 2, 3, 4 };
  const int64_t dims[][1] = { { 2 }, { 4 } };
  PJRT_Client *client = four_client ();
  PJRT_LoadedExecutable *executable = four_compile (client, donors);
  FourRow inputs[FOUR], outputs[FOUR];

  for (guint i = 0; i < FOUR; i++)
    for (guint j = 0; j < 2; j++)
      inputs[i][j] = four_floats (four_device (client, i), client, numbers, dims[j], 1);
  call_check ("execute", four_execute (executable, inputs, 2, outputs));
  for (guint i = 0; i < FOUR; i++)
    {
      gint32 found[2];

      g_assert_true (CALL (Buffer_IsDeleted, .buffer = inputs[i][0]).is_deleted);
      g_assert_false (CALL (Buffer_IsDeleted, .buffer = inputs[i][1]).is_deleted);
      four_check (inputs[i][1], four_device (client, i), numbers, 4);
      call_read (outputs[i][0], found, sizeof found);
      g_assert_cmpint (found[1], ==, 2);
    }
  four_destroy (inputs, 2);
  four_destroy (outputs, 1);
  CALL (LoadedExecutable_Destroy, .executable = executable);
  CALL (Client_Destroy, .client = client);
}

/* A token is an operand and a result of a manual computation. */
static const char ordered[] =
  "sdy.mesh @line = <[\"z\"=4]>\n"
  "func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@line, [{\"z\"}]>})\n"
  "    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@line, [{\"z\"}]>}, !stablehlo.token) {\n"
  "  %t = stablehlo.create_token : !stablehlo.token\n"
  "  %r:2 = sdy.manual_computation(%t, %a) in_shardings=[<@line, []>, <@line, [{\"z\"}]>] "
  "      out_shardings=[<@line, [{\"z\"}]>, <@line, []>] manual_axes={\"z\"} "
  "      (%u: !stablehlo.token, %p: tensor<2xf32>) {\n"
  "    %v = stablehlo.after_all %u : !stablehlo.token\n"
  "    %n = stablehlo.negate %p : tensor<2xf32>\n"
  "    sdy.return %n, %v : tensor<2xf32>, !stablehlo.token\n"
  "  } : (!stablehlo.token, tensor<8xf32>) -> (tensor<8xf32>, !stablehlo.token)\n"
  "  return %r#0, %r#1 : tensor<8xf32>, !stablehlo.token\n"
  "}\n";

static void
test_tokens (void)
{
  PJRT_Client *client = four_client ();
  FourRow outputs[FOUR];

  call_check ("execute", four_run (client, ordered, outputs));
  for (guint i = 0; i < FOUR; i++)
    {
      const float expected[] = { -2.0f * i, -2.0f * i - 1 };

      four_check (outputs[i][0], four_device (client, i), expected, 2);
      g_assert_cmpuint (CALL (Buffer_OnDeviceSizeInBytes, .buffer = outputs[i][1]).on_device_size_in_bytes, ==, 0);
    }
  four_destroy (outputs, 2);
  CALL (Client_Destroy, .client = client);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  call_load ();

  g_test_add_func ("/pjrt/devices/copies", test_copies);
  g_test_add_func ("/pjrt/devices/placement", test_placement);
  g_test_add_func ("/pjrt/devices/automatic", test_automatic);
  g_test_add_func ("/pjrt/devices/answers", test_answers);
  g_test_add_func ("/pjrt/devices/manual", test_manual);
  g_test_add_func ("/pjrt/devices/called", test_called);
  g_test_add_func ("/pjrt/devices/started", test_started);
  g_test_add_func ("/pjrt/devices/sums", test_sums);
  g_test_add_func ("/pjrt/devices/nested", test_nested);
  g_test_add_func ("/pjrt/devices/addends", test_addends);
  g_test_add_func ("/pjrt/devices/computed", test_computed);
  g_test_add_func ("/pjrt/devices/contested", test_contested);
  g_test_add_func ("/pjrt/devices/donors", test_donors);
  g_test_add_func ("/pjrt/devices/tokens", test_tokens);
  g_test_add_func ("/pjrt/devices/failures", test_failures);
  g_test_add_func ("/pjrt/devices/refusals", test_refusals);

  return g_test_run ();
}
