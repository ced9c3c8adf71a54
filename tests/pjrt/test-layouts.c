/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tensors in other layouts than row-major: buffers created with a layout, and programs with such inputs and outputs.
 * The test data are the bytes 0 to 5 in two rows of three.
 */

#include <string.h>

#include "call.h"
#include "pjrt/abi-extensions.h"

/* Aligned to cache lines, as is required for sharing the memory. */
static const _Alignas (64) guint8 rows[] = { 0, 1, 2, 3, 4, 5 }, columns[] = { 0, 3, 1, 4, 2, 5 };
static const int64_t dims[] = { 2, 3 };

#define LAYOUT(...) \
  { .struct_size = sizeof (PJRT_Buffer_MemoryLayout), .type = PJRT_Buffer_MemoryLayout_Type_Tiled, \
    .tiled = { .minor_to_major = (const int64_t[]) { __VA_ARGS__ }, \
               .minor_to_major_size = G_N_ELEMENTS (((const int64_t[]) { __VA_ARGS__ })) } }

static PJRT_Buffer_MemoryLayout by_columns = LAYOUT (0, 1), by_rows = LAYOUT (1, 0);

/* A PJRT_SHAPE. */
#define SHAPE(layout) \
  .shape_dims = dims, .shape_num_dims = 2, .shape_element_type = PJRT_Buffer_Type_U8, .shape_layout = layout

static PJRT_Client *client;

static const PJRT_Layouts_Extension *
find_layouts (void)
{
  for (PJRT_Extension_Base *base = api->extension_start; base != NULL; base = base->next)
    if (base->type == PJRT_Extension_Type_Layouts)
      return (const PJRT_Layouts_Extension *) base;

  return NULL;
}

static void
check_text (PJRT_Layouts_MemoryLayout *layout,
            const char                *expected)
{
  PJRT_Layouts_MemoryLayout_Serialize_Args text = { .struct_size = sizeof text, .layout = layout };

  call_check ("Serialize", find_layouts ()->PJRT_Layouts_MemoryLayout_Serialize (&text));
  g_assert_cmpmem (text.serialized_bytes, text.serialized_bytes_size, expected, strlen (expected));
  text.serialized_layout_deleter (text.serialized_layout);
}

/* Checks the buffer's layout, through both functions that return it. */
static void
check_layout (PJRT_Buffer *buffer,
              const char  *expected)
{
  PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args layout = { .struct_size = sizeof layout, .buffer = buffer };
  PJRT_Layouts_MemoryLayout_Destroy_Args destroy = { .struct_size = sizeof destroy };
  const PJRT_Buffer_MemoryLayout order = CALL (Buffer_GetMemoryLayout, .buffer = buffer).layout;
  g_autoptr (GString) text = g_string_new ("{");

  call_check ("MemoryLayout", find_layouts ()->PJRT_Layouts_PJRT_Buffer_MemoryLayout (&layout));
  check_text (layout.layout, expected);
  destroy.layout = layout.layout;
  call_check ("Destroy", find_layouts ()->PJRT_Layouts_MemoryLayout_Destroy (&destroy));
  for (gsize i = 0; i < order.tiled.minor_to_major_size; i++)
    g_string_append_printf (text, i > 0 ? ",%d" : "%d", (int) order.tiled.minor_to_major[i]);
  g_string_append_c (text, '}');
  g_assert_cmpstr (text->str, ==, expected);
}

static void
check_read (PJRT_Buffer              *buffer,
            PJRT_Buffer_MemoryLayout *layout,   /* nullable */
            const guint8             *expected)
{
  guint8 found[6] = { 0 };
  PJRT_Event *event = CALL (Buffer_ToHostBuffer, .src = buffer, .host_layout = layout, .dst = found,
                            .dst_size = sizeof found).event;

  CALL (Event_Await, .event = event);
  CALL (Event_Destroy, .event = event);
  g_assert_cmpmem (found, sizeof found, expected, sizeof found);
}

/* Checks that the buffer holds the tensor of all tests, in column-major order. */
static void
check_columns (PJRT_Buffer *buffer)
{
  const PJRT_Buffer_Dimensions_Args size = CALL (Buffer_Dimensions, .buffer = buffer);
  guint8 two[2];

  g_assert_cmpmem (size.dims, size.num_dims * sizeof (int64_t), dims, sizeof dims);
  check_layout (buffer, "{0,1}");
  check_read (buffer, &by_rows, rows);
  check_read (buffer, &by_columns, columns);
  check_read (buffer, NULL, columns);
  CALL (Event_Destroy, .event = CALL (Buffer_CopyRawToHost, .buffer = buffer, .dst = two, .offset = 1,
                                      .transfer_size = 2).event);
  g_assert_cmpmem (two, 2, columns + 1, 2);
  g_assert_cmpmem ((gpointer) CALL (Buffer_UnsafePointer, .buffer = buffer).buffer_pointer, 6, columns, 6);
}

static PJRT_Buffer *
from_host (PJRT_Device              *device,    /* nullable */
           const guint8             *numbers,
           const int64_t            *strides,   /* nullable */
           PJRT_Buffer_MemoryLayout *layout)    /* nullable */
{
  PJRT_Client_BufferFromHostBuffer_Args args =
    CALL (Client_BufferFromHostBuffer, .client = client, .device = device, .data = numbers,
          .type = PJRT_Buffer_Type_U8, .dims = dims, .num_dims = 2, .byte_strides = strides,
          .num_byte_strides = strides != NULL ? 2 : 0, .device_layout = layout,
          .host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableZeroCopy);

  CALL (Event_Destroy, .event = args.done_with_host_buffer);

  return args.buffer;
}

/* Buffers from row-major and column-major memory, and copies. */
static void
test_buffers (void)
{
  const int64_t column_strides[] = { 1, 2 };
  PJRT_Memory *other = CALL (Client_AddressableMemories, .client = client).addressable_memories[1];
  PJRT_Buffer *buffer = from_host (NULL, rows, NULL, &by_columns), *copy;

  check_columns (buffer);
  copy = CALL (Buffer_CopyToMemory, .buffer = buffer, .dst_memory = other).dst_buffer;
  check_columns (copy);
  CALL (Buffer_Destroy, .buffer = copy);
  copy = CALL (Buffer_CopyToDevice, .buffer = buffer, .dst_device = CALL (Buffer_Device, .buffer = buffer).device)
         .dst_buffer;
  CALL (Buffer_Destroy, .buffer = buffer);
  check_columns (copy);
  CALL (Buffer_Destroy, .buffer = copy);

  /* Memory that is in this layout already is shared. */
  buffer = from_host (NULL, columns, column_strides, &by_columns);
  check_columns (buffer);
  g_assert_true (CALL (Buffer_UnsafePointer, .buffer = buffer).buffer_pointer == (uintptr_t) columns);
  CALL (Buffer_Destroy, .buffer = buffer);
  buffer = from_host (NULL, columns, column_strides, &by_rows);
  check_layout (buffer, "{1,0}");
  check_read (buffer, NULL, rows);
  CALL (Buffer_Destroy, .buffer = buffer);
}

static void
test_made (void)
{
  const PJRT_Buffer_Type type = PJRT_Buffer_Type_U8;
  PJRT_Buffer *buffer, *from = from_host (NULL, rows, NULL, &by_columns), *by_row = from_host (NULL, rows, NULL, NULL);
  PJRT_Client_CreateAliasBuffer_Args alias = CALL (Client_CreateAliasBuffer, .client = client, SHAPE (&by_columns));

  check_layout (alias.alias_buffer, "{0,1}");
  call_check_error (CALL_ERROR (Client_FulfillAliasBuffer, .client = client, .buffer = by_row,
                                .fulfill_alias_buffer_cb = alias.fulfill_alias_buffer_cb),
                    PJRT_Error_Code_INVALID_ARGUMENT, "expected the layout {0,1} for the alias, found {1,0}");
  CALL (Client_FulfillAliasBuffer, .client = client, .buffer = from,
        .fulfill_alias_buffer_cb = alias.fulfill_alias_buffer_cb);
  check_columns (alias.alias_buffer);
  buffer = CALL (Buffer_Bitcast, .buffer = by_row, .element_type = type, .dims = ((const int64_t[]) { 3, 2 }),
                 .num_dims = 2, .device_layout = &by_columns).out_buffer;
  check_layout (buffer, "{0,1}");
  check_read (buffer, &by_rows, columns);
  CALL (Buffer_Destroy, .buffer = buffer);
  buffer = CALL (Client_CreateViewOfDeviceBuffer, .client = client, .device_buffer_ptr = (void *) columns, .dims = dims,
                 .num_dims = 2, .element_type = type, .layout = &by_columns).buffer;
  check_columns (buffer);
  CALL (Buffer_Destroy, .buffer = buffer);
  buffer = CALL (Client_CreateUninitializedBuffer, .client = client, SHAPE (&by_columns)).buffer;
  check_layout (buffer, "{0,1}");
  CALL (Buffer_Destroy, .buffer = buffer);
  CALL (Buffer_Destroy, .buffer = alias.alias_buffer);
  CALL (Buffer_Destroy, .buffer = from);
  CALL (Buffer_Destroy, .buffer = by_row);
}

/* Raw bytes are in the buffer's layout; reads of tensors are in the requested layout. */
static void
test_transfers (void)
{
  PJRT_ShapeSpec specs[2];
  PJRT_Buffer_MemoryLayout *layouts[] = { &by_columns, &by_columns };
  PJRT_AsyncHostToDeviceTransferManager *manager;

  for (guint i = 0; i < 2; i++)
    specs[i] = (PJRT_ShapeSpec) { .struct_size = sizeof specs[i], .dims = dims, .num_dims = 2,
                                  .element_type = PJRT_Buffer_Type_U8 };
  manager = CALL (Client_CreateBuffersForAsyncHostToDevice, .client = client, .shape_specs = specs,
                  .num_shape_specs = 2, .device_layouts = layouts, .num_device_layouts = 2).transfer_manager;
  CALL (Event_Destroy, .event = CALL (AsyncHostToDeviceTransferManager_TransferData, .transfer_manager = manager,
                                      .buffer_index = 0, .data = columns, .transfer_size = 6,
                                      .is_last_transfer = TRUE).done_with_h2d_transfer);
  CALL (Event_Destroy, .event = CALL (AsyncHostToDeviceTransferManager_TransferLiteral, .transfer_manager = manager,
                                      .buffer_index = 1, .data = rows, SHAPE (NULL)).done_with_h2d_transfer);
  for (int i = 0; i < 2; i++)
    {
      PJRT_Buffer *buffer = CALL (AsyncHostToDeviceTransferManager_RetrieveBuffer, .transfer_manager = manager,
                                  .buffer_index = i).buffer_out;

      check_columns (buffer);
      CALL (Buffer_Destroy, .buffer = buffer);
    }
  CALL (AsyncHostToDeviceTransferManager_Destroy, .transfer_manager = manager);
}

/* Layouts that are no permutation of two dimensions. */
static void
test_refused (void)
{
  static const char part[] = "expected a layout that lists each of 2 dimensions once";
  PJRT_Buffer_MemoryLayout wrong[] = { LAYOUT (0, 0), LAYOUT (0, 2), LAYOUT (-1, 0), LAYOUT (0), by_columns,
                                       by_columns };
  PJRT_Buffer *buffer = from_host (NULL, rows, NULL, NULL);
  guint8 found[6];

  wrong[4].tiled.num_tiles = 1;
  wrong[5].type = PJRT_Buffer_MemoryLayout_Type_Strides;
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      call_check_error (CALL_ERROR (Client_CreateUninitializedBuffer, .client = client, SHAPE (&wrong[i])),
                        PJRT_Error_Code_UNIMPLEMENTED, part);
      call_check_error (CALL_ERROR (Buffer_ToHostBuffer, .src = buffer, .host_layout = &wrong[i], .dst = found,
                                    .dst_size = sizeof found), PJRT_Error_Code_UNIMPLEMENTED, part);
    }
  CALL (Buffer_Destroy, .buffer = buffer);
}

static void
check_layouts (PJRT_LoadedExecutable *loaded,
               const char            *input,
               const char            *output)
{
  PJRT_Executable *executable = CALL (LoadedExecutable_GetExecutable, .loaded_executable = loaded).executable;
  PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args outputs = { .struct_size = sizeof outputs,
                                                                 .executable = executable };
  PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args inputs = { .struct_size = sizeof inputs,
                                                                   .executable = executable };
  const PJRT_Executable_OutputDimensions_Args size = CALL (Executable_OutputDimensions, .executable = executable);

  call_check ("outputs", find_layouts ()->PJRT_Layouts_PJRT_Executable_GetOutputLayouts (&outputs));
  call_check ("inputs", find_layouts ()->PJRT_Layouts_PJRT_Executable_GetParameterLayouts (&inputs));
  check_text (inputs.layouts[0], input);
  check_text (outputs.layouts[0], output);
  g_assert_cmpmem (size.dims, size.dim_sizes[0] * sizeof (int64_t), dims, sizeof dims);
  CALL (Executable_Destroy, .executable = executable);
}

/* Runs a program with input layout @in (nullable: row-major) and output layout @out. */
static PJRT_Buffer *
run (PJRT_LoadedExecutable    *loaded,
     PJRT_Buffer_MemoryLayout *in)
{
  PJRT_Buffer *input = from_host (NULL, rows, NULL, in), *output;

  call_check ("Execute", call_run (loaded, &input, 1, &output));
  CALL (Buffer_Destroy, .buffer = input);

  return output;
}

/* @main returns its argument. */
#define PROGRAM(in, out) \
  "func.func @main(%x: tensor<2x3xui8> " in ") -> (tensor<2x3xui8> " out ") {\n" \
  "  return %x : tensor<2x3xui8>\n" \
  "}\n"
#define MODE(layout) "{mhlo.layout_mode = \"" layout "\"}"

static void
test_programs (void)
{
  PJRT_LoadedExecutable *loaded = call_compile (client, PROGRAM (MODE ("{0,1}"), MODE ("default")));
  PJRT_Buffer *by_row = from_host (NULL, rows, NULL, NULL), *output;
  g_autofree char *bytes = NULL;
  gsize size;

  check_layouts (loaded, "{0,1}", "{1,0}");
  output = run (loaded, &by_columns);
  check_layout (output, "{1,0}");
  check_read (output, NULL, rows);
  CALL (Buffer_Destroy, .buffer = output);
  call_check_error (call_run (loaded, &by_row, 1, &output), PJRT_Error_Code_INVALID_ARGUMENT,
                    "expected the layout {0,1} of input 0, found {1,0}");
  CALL (LoadedExecutable_Destroy, .executable = loaded);

  loaded = call_compile (client, PROGRAM (MODE ("auto"), MODE ("{0,1}")));
  check_layouts (loaded, "{1,0}", "{0,1}");
  output = run (loaded, NULL);
  check_columns (output);
  CALL (Buffer_Destroy, .buffer = output);
  bytes = call_serialize (loaded, &size);
  CALL (LoadedExecutable_Destroy, .executable = loaded);
  loaded = CALL (Executable_DeserializeAndLoad, .client = client, .serialized_executable = bytes,
                 .serialized_executable_size = size).loaded_executable;
  check_layouts (loaded, "{1,0}", "{0,1}");
  output = run (loaded, NULL);
  check_columns (output);
  CALL (Buffer_Destroy, .buffer = output);
  CALL (Buffer_Destroy, .buffer = by_row);
  CALL (LoadedExecutable_Destroy, .executable = loaded);
}

/* Three dimensions, for which an order may differ from its inverse. */
static void
test_order (void)
{
  static const char program[] =
    "func.func @main(%x: tensor<2x3x2xui8> " MODE ("{0,2,1}") ") -> (tensor<2x3x2xui8> " MODE ("{1,0,2}") ") {\n"
    "  %y = stablehlo.add %x, %x : tensor<2x3x2xui8>\n"
    "  return %y : tensor<2x3x2xui8>\n"
    "}\n";
  const int64_t sizes[] = { 2, 3, 2 };
  PJRT_Buffer_MemoryLayout layout = LAYOUT (0, 2, 1);
  PJRT_LoadedExecutable *loaded = call_compile (client, program);
  PJRT_Client_BufferFromHostBuffer_Args args;
  PJRT_Buffer *output;
  guint8 numbers[12], expected[12], found[12];

  for (guint8 i = 0; i < 12; i++)
    numbers[i] = i;
  for (guint i = 0; i < 2; i++)
    for (guint j = 0; j < 3; j++)
      for (guint k = 0; k < 2; k++)
        expected[(k * 2 + i) * 3 + j] = 2 * numbers[(i * 3 + j) * 2 + k];
  args = CALL (Client_BufferFromHostBuffer, .client = client, .data = numbers, .type = PJRT_Buffer_Type_U8,
               .dims = sizes, .num_dims = 3, .device_layout = &layout);
  CALL (Event_Destroy, .event = args.done_with_host_buffer);
  check_layout (args.buffer, "{0,2,1}");
  call_check ("Execute", call_run (loaded, &args.buffer, 1, &output));
  check_layout (output, "{1,0,2}");
  call_read (output, found, sizeof found);
  g_assert_cmpmem (found, sizeof found, expected, sizeof expected);
  CALL (Buffer_Destroy, .buffer = output);
  CALL (Buffer_Destroy, .buffer = args.buffer);
  CALL (LoadedExecutable_Destroy, .executable = loaded);
}

/* Layouts that the plugin chooses are row-major, except that a transpose keeps its operand's memory. */
static void
test_auto (void)
{
  PJRT_LoadedExecutable *loaded = call_compile (client,
    "func.func @main(%x: tensor<3x2x4xui8> " MODE ("auto") ", %y: tensor<3x2xui8> " MODE ("auto") ")\n"
    "    -> (tensor<2x3xui8> " MODE ("auto") ", tensor<2x4x3xui8> " MODE ("auto") ") {\n"
    "  %0 = stablehlo.transpose %x, dims = [1, 2, 0] : (tensor<3x2x4xui8>) -> tensor<2x4x3xui8>\n"
    "  %1 = stablehlo.transpose %y, dims = [1, 0] : (tensor<3x2xui8>) -> tensor<2x3xui8>\n"
    "  return %1, %0 : tensor<2x3xui8>, tensor<2x4x3xui8>\n"
    "}\n");
  PJRT_Client_BufferFromHostBuffer_Args args[2];
  PJRT_Buffer *inputs[2], *outputs[2];
  PJRT_Event *done;
  guint8 numbers[24], found[24];

  for (guint8 i = 0; i < 24; i++)
    numbers[i] = i;
  for (guint i = 0; i < 2; i++)
    {
      args[i] = CALL (Client_BufferFromHostBuffer, .client = client, .data = i == 0 ? numbers : columns,
                      .type = PJRT_Buffer_Type_U8, .dims = ((const int64_t[]) { 3, 2, 4 }), .num_dims = 3 - i);
      CALL (Event_Destroy, .event = args[i].done_with_host_buffer);
      inputs[i] = args[i].buffer;
    }
  check_layouts (loaded, "{2,1,0}", "{0,1}");
  call_check ("Execute", call_execute (loaded, inputs, 2, outputs, &done));
  CALL (Event_Await, .event = done);
  CALL (Event_Destroy, .event = done);
  check_columns (outputs[0]);
  check_layout (outputs[1], "{1,0,2}");
  call_read (outputs[1], found, sizeof found);
  g_assert_cmpmem (found, sizeof found, numbers, sizeof numbers);
  for (guint i = 0; i < 2; i++)
    {
      CALL (Buffer_Destroy, .buffer = inputs[i]);
      CALL (Buffer_Destroy, .buffer = outputs[i]);
    }
  CALL (LoadedExecutable_Destroy, .executable = loaded);

  /* A function that is called elsewhere is not changed. */
  loaded = call_compile (client,
    "func.func @main(%y: tensor<2x3xui8>) -> (tensor<3x2xui8> " MODE ("auto") ") {\n"
    "  %0 = stablehlo.transpose %y, dims = [1, 0] : (tensor<2x3xui8>) -> tensor<3x2xui8>\n"
    "  return %0 : tensor<3x2xui8>\n"
    "}\n"
    "func.func private @other(%x: tensor<2x3xui8>) -> tensor<3x2xui8> {\n"
    "  %0 = func.call @main(%x) : (tensor<2x3xui8>) -> tensor<3x2xui8>\n"
    "  return %0 : tensor<3x2xui8>\n"
    "}\n");
  outputs[0] = run (loaded, NULL);
  check_layout (outputs[0], "{1,0}");
  check_read (outputs[0], NULL, columns);
  CALL (Buffer_Destroy, .buffer = outputs[0]);
  CALL (LoadedExecutable_Destroy, .executable = loaded);
}

/* An output in the input's layout takes over its memory. */
static void
test_donation (void)
{
  PJRT_LoadedExecutable *loaded = call_compile (client,
    "func.func @main(%x: tensor<2x3xui8> {mhlo.layout_mode = \"{0,1}\", tf.aliasing_output = 0 : i32})\n"
    "    -> (tensor<2x3xui8> " MODE ("{0,1}") ") {\n"
    "  %y = stablehlo.not %x : tensor<2x3xui8>\n"
    "  %z = stablehlo.not %y : tensor<2x3xui8>\n"
    "  return %z : tensor<2x3xui8>\n"
    "}\n");
  PJRT_Buffer *input = from_host (NULL, rows, NULL, &by_columns), *output;
  uintptr_t place = CALL (Buffer_UnsafePointer, .buffer = input).buffer_pointer;

  call_check ("Execute", call_run (loaded, &input, 1, &output));
  g_assert_true (CALL (Buffer_IsDeleted, .buffer = input).is_deleted);
  check_columns (output);
  g_assert_true (CALL (Buffer_UnsafePointer, .buffer = output).buffer_pointer == place);
  CALL (Buffer_Destroy, .buffer = input);
  CALL (Buffer_Destroy, .buffer = output);
  CALL (LoadedExecutable_Destroy, .executable = loaded);
}

static void
test_refused_programs (void)
{
  static const struct
  {
    const char *program, *part;
  } cases[] = {
    { PROGRAM (MODE ("{0,0}"), ""), "input 0: expected a layout that lists each of 2 dimensions once" },
    { PROGRAM (MODE ("{0,2}"), ""), "input 0: expected a layout that lists each of 2 dimensions once" },
    { PROGRAM ("", MODE ("{1,0:T(8,128)}")), "output 0: expected a layout that lists each of 2 dimensions once, "
      "without tiles, found '{1,0:T(8,128)}'" },
    { PROGRAM ("", MODE ("{0}")), "found '{0}'" },
    { PROGRAM ("", MODE ("")), "found ''" },
    { "func.func @main(%x: tensor<2x3xui8>) -> tensor<2x3xui8> attributes {ghlo.layouts = [\"{1,0}\"]} {\n"
      "  return %x : tensor<2x3xui8>\n"
      "}\n", "expected ghlo.layouts for 2 inputs and outputs, found 1" },
    { PROGRAM (MODE ("{0,1}"), "")
      "func.func private @other(%x: tensor<2x3xui8>) -> tensor<2x3xui8> {\n"
      "  %0 = func.call @main(%x) : (tensor<2x3xui8>) -> tensor<2x3xui8>\n"
      "  return %0 : tensor<2x3xui8>\n"
      "}\n", "expected row-major inputs and outputs of an entry function" },
    { PROGRAM (MODE ("{0,1}"), "")
      "func.func private @other(%x: tensor<2x3xui8>) -> tensor<2x3xui8> {\n"
      "  %0 = stablehlo.composite \"a.name\" %x {decomposition = @main} : (tensor<2x3xui8>) -> tensor<2x3xui8>\n"
      "  return %0 : tensor<2x3xui8>\n"
      "}\n", "expected row-major inputs and outputs of an entry function" },
  };
  static const char options[] = { 0x1a, 4, 0x20, 1, 0x28, 1 };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      PJRT_Error *error = call_compile_error (client, cases[i].program, options, sizeof options);
      g_autofree char *message = call_take_message (error);

      g_test_message ("%s", message);
      g_assert_nonnull (strstr (message, cases[i].part));
    }
}

static PJRT_LoadedExecutable *
compile_two (char *program)
{
  /* Compile options as in call_compile (), for two partitions. */
  static const char two[] = { 0x1a, 4, 0x20, 1, 0x28, 2 };
  const PJRT_Program given = {
    .struct_size = sizeof given, .code = program, .code_size = strlen (program), .format = "mlir",
    .format_size = strlen ("mlir"),
  };

  return CALL (Client_Compile, .client = client, .program = &given, .compile_options = two,
               .compile_options_size = sizeof two).executable;
}

/* Each device's shard has this layout. */
static void
test_partitions (void)
{
  char program[] =
    "sdy.mesh @m = <[\"x\"=2]>\n"
    "func.func @main(%x: tensor<4x3xui8> {mhlo.layout_mode = \"{0,1}\", sdy.sharding = #sdy.sharding<@m, "
    "[{\"x\"}, {}]>}) -> (tensor<3x4xui8> {mhlo.layout_mode = \"{0,1}\", sdy.sharding = #sdy.sharding<@m, "
    "[{}, {\"x\"}]>}) {\n"
    "  %y = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x3xui8>) -> tensor<3x4xui8>\n"
    "  return %y : tensor<3x4xui8>\n"
    "}\n";
  PJRT_LoadedExecutable *loaded = compile_two (program);
  PJRT_Buffer *inputs[2], *outputs[2];
  PJRT_Buffer *const *const lists[] = { &inputs[0], &inputs[1] };
  PJRT_Buffer **const output_lists[] = { &outputs[0], &outputs[1] };
  PJRT_ExecuteOptions options = { .struct_size = sizeof options };

  for (guint i = 0; i < 2; i++)
    inputs[i] = from_host (CALL (Client_Devices, .client = client).devices[i], i == 0 ? rows : columns, NULL,
                           &by_columns);
  CALL (LoadedExecutable_Execute, .executable = loaded, .options = &options, .argument_lists = lists,
        .num_devices = 2, .num_args = 1, .output_lists = output_lists);
  for (guint i = 0; i < 2; i++)
    {
      check_layout (outputs[i], "{0,1}");
      check_read (outputs[i], NULL, i == 0 ? rows : columns);
      CALL (Buffer_Destroy, .buffer = inputs[i]);
      CALL (Buffer_Destroy, .buffer = outputs[i]);
    }
  CALL (LoadedExecutable_Destroy, .executable = loaded);
}

int
main (int    argc,
      char **argv)
{
  const PJRT_NamedValue options[] = {
    { .struct_size = sizeof (PJRT_NamedValue), .name = "device", .name_size = strlen ("device"),
      .type = PJRT_NamedValue_kString, .string_value = "cpu", .value_size = strlen ("cpu") },
    { .struct_size = sizeof (PJRT_NamedValue), .name = "devices", .name_size = strlen ("devices"),
      .type = PJRT_NamedValue_kString, .string_value = "2", .value_size = 1 },
  };
  int status;

  g_test_init (&argc, &argv, NULL);
  call_load ();
  client = CALL (Client_Create, .create_options = options, .num_options = G_N_ELEMENTS (options)).client;

  g_test_add_func ("/pjrt/layouts/buffers", test_buffers);
  g_test_add_func ("/pjrt/layouts/made", test_made);
  g_test_add_func ("/pjrt/layouts/transfers", test_transfers);
  g_test_add_func ("/pjrt/layouts/refused", test_refused);
  g_test_add_func ("/pjrt/layouts/programs", test_programs);
  g_test_add_func ("/pjrt/layouts/order", test_order);
  g_test_add_func ("/pjrt/layouts/auto", test_auto);
  g_test_add_func ("/pjrt/layouts/donation", test_donation);
  g_test_add_func ("/pjrt/layouts/refused-programs", test_refused_programs);
  g_test_add_func ("/pjrt/layouts/partitions", test_partitions);

  status = g_test_run ();
  CALL (Client_Destroy, .client = client);

  return status;
}
