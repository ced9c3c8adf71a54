/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The shardings of inputs and outputs for which programs of several partitions give none. The expectations follow
 * Shardy's rules; tests/jax/partitions.py compares programs of JAX with XLA.
 */

#include <string.h>

#include "call.h"
#include "pjrt/abi-extensions.h"

/* CompileOptionsProto { executable_build_options { num_partitions: 4, use_spmd_partitioning } }. */
static const char four[] = { 0x1a, 4, 0x28, 4, 0x30, 1 };

static PJRT_Client *client;

/* "2x1 0 2, 1 3": how many parts dimensions are in, and the devices of each part; "whole". Reads an xla.OpSharding as
 * this plugin writes them: type, tiles, devices, and whether the last dimension of tiles counts copies. */
static char *
describe (const char *bytes,
          gsize       size)
{
  const guint8 *at = (const guint8 *) bytes, *tiles, *devices;
  GString *text = g_string_new (NULL);
  guint n_tiles, n_devices, n_copies = 1;

  if (size == 0)
    return g_string_free (g_string_assign (text, "whole"), FALSE);
  g_assert_cmpuint (at[0], ==, 0x08);
  g_assert_cmpuint (at[1], ==, 3);
  g_assert_cmpuint (at[2], ==, 0x1a);
  n_tiles = at[3];
  tiles = at + 4;
  g_assert_cmpuint (tiles[n_tiles], ==, 0x22);
  n_devices = tiles[n_tiles + 1];
  devices = tiles + n_tiles + 2;
  if (devices + n_devices < at + size)
    n_copies = tiles[--n_tiles];
  for (guint i = 0; i < n_tiles; i++)
    g_string_append_printf (text, "%s%u", i > 0 ? "x" : "", tiles[i]);
  for (guint i = 0; i < n_devices; i++)
    g_string_append_printf (text, "%s%u", i > 0 && i % n_copies == 0 ? ", " : " ", devices[i]);

  return g_string_free (text, FALSE);
}

typedef struct
{
  const char *name;
  const char *program;          /* the arguments, results and body after "func.func @main" */
  const char *expected[4];      /* of the outputs, then NULL, then optionally of the first input */
} Case;

#define X "{sdy.sharding = #sdy.sharding<@m, [{\"x\"}, {}]>}"
#define Y "{sdy.sharding = #sdy.sharding<@m, [{}, {\"y\"}]>}"
#define XY "{sdy.sharding = #sdy.sharding<@m, [{\"x\"}, {\"y\"}]>}"
#define T "tensor<8x8xf32>"
/* The first or the second dimension, split along x or y. */
#define ROWS_X "2x1 0 1, 2 3"
#define COLUMNS_X "1x2 0 1, 2 3"
#define COLUMNS_Y "1x2 0 2, 1 3"
#define X_Y "2x2 0, 1, 2, 3"
#define Y_X "2x2 0, 2, 1, 3"

static const Case cases[] = {
  { "product",
    "(%a: " T " " X ", %b: " T " " Y ") -> " T " {\n"
    "  %r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (" T ", " T ") -> " T "\n"
    "  return %r : " T "\n}\n", { X_Y } },
  /* The rows of one and the contracted dimension of the other want x; both have the same size, the first wins. */
  { "contest",
    "(%a: " T " " X ", %b: " T " {sdy.sharding = #sdy.sharding<@m, [{}, {\"x\"}]>}) -> " T " {\n"
    "  %r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (" T ", " T ") -> " T "\n"
    "  return %r : " T "\n}\n", { ROWS_X } },
  { "transpose",
    "(%a: " T " " XY ") -> (" T ", tensor<8xf32>) {\n"
    "  %t = stablehlo.transpose %a, dims = [1, 0] : (" T ") -> " T "\n"
    "  %0 = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %s = stablehlo.reduce(%t init: %0) applies stablehlo.add across dimensions = [0] : (" T ", tensor<f32>) -> "
    "tensor<8xf32>\n"
    "  return %t, %s : " T ", tensor<8xf32>\n}\n", { Y_X, "2 0 1, 2 3" } },
  { "reshape",
    "(%a: " T " " X ", %b: " T " {sdy.sharding = #sdy.sharding<@m, [{\"x\", \"y\"}, {}]>}) -> "
    "(tensor<64xf32>, tensor<2x4x8xf32>, tensor<4x16xf32>) {\n"
    "  %0 = stablehlo.reshape %a : (" T ") -> tensor<64xf32>\n"
    "  %1 = stablehlo.reshape %b : (" T ") -> tensor<2x4x8xf32>\n"
    "  %2 = stablehlo.reshape %a : (" T ") -> tensor<4x16xf32>\n"
    "  return %0, %1, %2 : tensor<64xf32>, tensor<2x4x8xf32>, tensor<4x16xf32>\n}\n",
    { "2 0 1, 2 3", "2x2x1 0, 1, 2, 3", ROWS_X } },
  { "broadcast",
    "(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{\"y\"}]>}) -> tensor<3x8xf32> {\n"
    "  %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<8xf32>) -> tensor<3x8xf32>\n"
    "  return %0 : tensor<3x8xf32>\n}\n", { COLUMNS_Y } },
  /* A dimension that cannot be split equally is replicated. */
  { "odd",
    "(%a: " T " " XY ") -> (tensor<3x8xf32>, tensor<6x7xf32>) {\n"
    "  %0 = stablehlo.slice %a [0:3, 0:8] : (" T ") -> tensor<3x8xf32>\n"
    "  %1 = stablehlo.slice %a [0:6, 0:7] : (" T ") -> tensor<6x7xf32>\n"
    "  return %0, %1 : tensor<3x8xf32>, tensor<6x7xf32>\n}\n", { COLUMNS_Y, ROWS_X } },
  { "gather",
    "(%a: " T " " Y ", %i: tensor<4xi32>) -> tensor<4x8xf32> {\n"
    "  %0 = \"stablehlo.gather\"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], "
    "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}>"
    " : (" T ", tensor<4xi32>) -> tensor<4x8xf32>\n"
    "  return %0 : tensor<4x8xf32>\n}\n", { COLUMNS_Y } },
  { "constant",
    "(%a: " T " " X ") -> (" T ", " T ") {\n"
    "  %0 = stablehlo.constant dense<1.0> : " T "\n"
    "  %1 = stablehlo.add %a, %0 : " T "\n"
    "  return %0, %1 : " T ", " T "\n}\n", { "whole", ROWS_X } },
  { "loop",
    "(%a: " T " " X ") -> " T " {\n"
    "  %n = stablehlo.constant dense<3> : tensor<i32>\n"
    "  %z = stablehlo.constant dense<0.0> : " T "\n"
    "  %r:3 = stablehlo.while(%i = %n, %s = %z, %c = %a) : tensor<i32>, " T ", " T "\n"
    "  cond {\n"
    "    %0 = stablehlo.constant dense<0> : tensor<i32>\n"
    "    %1 = stablehlo.compare GT, %i, %0 : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    stablehlo.return %1 : tensor<i1>\n"
    "  } do {\n"
    "    %0 = stablehlo.constant dense<1> : tensor<i32>\n"
    "    %1 = stablehlo.subtract %i, %0 : tensor<i32>\n"
    "    %2 = stablehlo.add %s, %c : " T "\n"
    "    stablehlo.return %1, %2, %c : tensor<i32>, " T ", " T "\n"
    "  }\n"
    "  return %r#1 : " T "\n}\n", { ROWS_X } },
  /* A function called twice gets the shardings of each call. */
  { "calls",
    "(%a: " T " " X ", %b: " T " " Y ") -> (" T ", " T ") {\n"
    "  %0 = call @turn(%a) : (" T ") -> " T "\n"
    "  %1 = call @turn(%b) : (" T ") -> " T "\n"
    "  return %0, %1 : " T ", " T "\n}\n"
    "func.func private @turn(%a: " T ") -> " T " {\n"
    "  %0 = stablehlo.transpose %a, dims = [1, 0] : (" T ") -> " T "\n"
    "  return %0 : " T "\n}\n", { COLUMNS_X, "2x1 0 2, 1 3" } },
  { "backwards",
    "(%a: " T ") -> (" T " " XY ", tensor<8x1x8xf32>) {\n"
    "  %0 = stablehlo.tanh %a : " T "\n"
    "  %1 = stablehlo.reshape %a : (" T ") -> tensor<8x1x8xf32>\n"
    "  return %0, %1 : " T ", tensor<8x1x8xf32>\n}\n", { X_Y, "2x1x2 0, 1, 2, 3", NULL, X_Y } },
  /* A constraint keeps the sharding of a dimension that it leaves open. */
  { "constraint",
    "(%a: " T " " XY ") -> (" T ", " T ") {\n"
    "  %0 = sdy.sharding_constraint %a <@m, [{}, {?}]> : " T "\n"
    "  %1 = stablehlo.negate %0 : " T "\n"
    "  %2 = stablehlo.transpose %1, dims = [1, 0] : (" T ") -> " T "\n"
    "  return %1, %2 : " T ", " T "\n}\n", { COLUMNS_Y, "2x1 0 2, 1 3" } },
  /* A group whose tensors cannot lie alike. */
  { "nonsense",
    "(%a: " T " " X ") -> " T " {\n"
    "  %0 = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  sdy.sharding_group %a group_id = 1 : " T "\n"
    "  sdy.sharding_group %0 group_id = 1 : tensor<f32>\n"
    "  return %a : " T "\n}\n", { ROWS_X } },
  /* A mesh without axes: shardings only say which dimensions are open. */
  { "empty",
    "(%a: " T " " XY ") -> " T " {\n"
    "  %0 = sdy.sharding_constraint %a <@none, [{}, {?}]> : " T "\n"
    "  return %0 : " T "\n}\n", { COLUMNS_Y } },
  /* A call with a rule of its own, one without a rule, and one that returns its operand. */
  { "custom",
    "(%a: " T " " XY ") -> (" T ", " T ", " T ") {\n"
    "  %0 = stablehlo.custom_call @Sharding(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, k]) "
    "{i=8, j=8, k=8}, custom>} : (" T ") -> " T "\n"
    "  %1 = stablehlo.custom_call @Sharding(%a) : (" T ") -> " T "\n"
    "  %2 = stablehlo.custom_call @LayoutConstraint(%a) : (" T ") -> " T "\n"
    "  return %0, %1, %2 : " T ", " T ", " T "\n}\n", { ROWS_X, "whole", X_Y } },
  { "group",
    "(%a: " T " " XY ") -> " T " {\n"
    "  %0 = stablehlo.constant dense<1.0> : " T "\n"
    "  sdy.sharding_group %a group_id = 7 : " T "\n"
    "  sdy.sharding_group %0 group_id = 7 : " T "\n"
    "  return %0 : " T "\n}\n", { X_Y } },
  { "manual",
    "(%a: " T " " XY ") -> " T " {\n"
    "  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{\"x\", ?}, {?}]>] out_shardings=[<@m, [{?}, {\"x\", ?}]>] "
    "manual_axes={\"x\"} (%b: tensor<4x8xf32>) {\n"
    "    %1 = stablehlo.transpose %b, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>\n"
    "    sdy.return %1 : tensor<8x4xf32>\n"
    "  } : (" T ") -> " T "\n"
    "  return %0 : " T "\n}\n", { Y_X } },
};

static void
check (const char *name,
       const char *kind,
       guint       index,
       const char *bytes,
       gsize       size,
       const char *expected)
{
  g_autofree char *found = describe (bytes, size);

  if (g_strcmp0 (found, expected) != 0)
    g_error ("%s, %s %u: expected %s, found %s", name, kind, index, expected, found);
}

static PJRT_LoadedExecutable *
compile (const char *body)
{
  g_autofree char *program = g_strconcat ("sdy.mesh @m = <[\"x\"=2, \"y\"=2]>\nsdy.mesh @none = <[]>\n"
                                          "func.func @main", body, NULL);
  const PJRT_Program given = {
    .struct_size = sizeof given, .code = program, .code_size = strlen (program), .format = "mlir",
    .format_size = strlen ("mlir"),
  };

  return CALL (Client_Compile, .client = client, .program = &given, .compile_options = four,
               .compile_options_size = sizeof four).executable;
}

static void
test_case (gconstpointer data)
{
  const Case *self = data;
  PJRT_LoadedExecutable *loaded = compile (self->program);
  PJRT_Executable *executable = CALL (LoadedExecutable_GetExecutable, .loaded_executable = loaded).executable;
  const PJRT_Shardings_Extension *shardings = (const PJRT_Shardings_Extension *) api->extension_start;
  PJRT_Shardings_PJRT_Executable_ParameterShardings_Args inputs = { .struct_size = sizeof inputs,
                                                                    .executable = executable };
  PJRT_Shardings_PJRT_Executable_OutputShardings_Args outputs = { .struct_size = sizeof outputs,
                                                                  .executable = executable };
  guint n = 0;

  while (shardings->base.type != PJRT_Extension_Type_Shardings)
    shardings = (const PJRT_Shardings_Extension *) shardings->base.next;
  call_check ("inputs", shardings->PJRT_Shardings_PJRT_Executable_ParameterShardings (&inputs));
  call_check ("outputs", shardings->PJRT_Shardings_PJRT_Executable_OutputShardings (&outputs));
  for (; n < outputs.num_outputs; n++)
    check (self->name, "output", n, outputs.shardings[n], outputs.sharding_sizes[n], self->expected[n]);
  if (n + 1 < G_N_ELEMENTS (self->expected) && self->expected[n + 1] != NULL)
    check (self->name, "input", 0, inputs.shardings[0], inputs.sharding_sizes[0], self->expected[n + 1]);
  CALL (Executable_Destroy, .executable = executable);
  CALL (LoadedExecutable_Destroy, .executable = loaded);
}

/* The text for callers has no operation that their converters do not know. */
static void
test_text (void)
{
  PJRT_LoadedExecutable *loaded = compile ("(%a: " T " " XY ") -> " T " {\n"
                                           "  %0 = sdy.sharding_constraint %a <@m, [{\"y\"}, {}]> : " T "\n"
                                           "  sdy.sharding_group %0 group_id = 1 : " T "\n"
                                           "  %1 = stablehlo.negate %0 : " T "\n"
                                           "  return %1 : " T "\n}\n");
  PJRT_Executable *executable = CALL (LoadedExecutable_GetExecutable, .loaded_executable = loaded).executable;
  PJRT_Program program = { .struct_size = sizeof program };
  g_autofree char *code = NULL;

  CALL (Executable_OptimizedProgram, .executable = executable, .program = &program);
  code = g_malloc0 (program.code_size + 1);
  program.code = code;
  CALL (Executable_OptimizedProgram, .executable = executable, .program = &program);
  g_assert_null (strstr (code, "sdy.sharding_constraint"));
  g_assert_null (strstr (code, "sdy.sharding_group"));
  g_assert_nonnull (strstr (code, "stablehlo.negate %a"));
  CALL (Executable_Destroy, .executable = executable);
  CALL (LoadedExecutable_Destroy, .executable = loaded);
}

/* A sharding propagates backwards through a long program, from one end to the other and into side branches. */
static void
test_long (void)
{
  enum { N = 20000 };
  g_autoptr (GString) body = g_string_new ("(%v0: " T ") -> (" T " " XY ", " T ") {\n");

  for (guint i = 1; i <= N; i++)
    g_string_append_printf (body, "  %%v%u = stablehlo.add %%v%u, %%v%u : " T "\n", i, i - 1, i / 2);
  g_string_append_printf (body, "  return %%v%u, %%v%u : " T ", " T "\n}\n", N, N / 2);
  test_case (&(const Case) { "long", body->str, { X_Y, X_Y, NULL, X_Y } });
}

int
main (int    argc,
      char **argv)
{
  static const PJRT_NamedValue options[] = {
    { .struct_size = sizeof (PJRT_NamedValue), .name = "device", .name_size = strlen ("device"),
      .type = PJRT_NamedValue_kString, .string_value = "cpu", .value_size = strlen ("cpu") },
    { .struct_size = sizeof (PJRT_NamedValue), .name = "devices", .name_size = strlen ("devices"),
      .type = PJRT_NamedValue_kString, .string_value = "4", .value_size = 1 },
  };
  int status;

  g_test_init (&argc, &argv, NULL);
  call_load ();
  client = CALL (Client_Create, .create_options = options, .num_options = G_N_ELEMENTS (options)).client;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/pjrt/shardings/", cases[i].name, NULL);

      g_test_add_data_func (path, &cases[i], test_case);
    }
  g_test_add_func ("/pjrt/shardings/text", test_text);
  g_test_add_func ("/pjrt/shardings/long", test_long);
  status = g_test_run ();
  CALL (Client_Destroy, .client = client);

  return status;
}
