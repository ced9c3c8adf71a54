/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Custom calls that are partitioned by a partitioner of the application: the information that it gets, and the
 * treatment of its answers, correct and wrong ones.
 */

#include "four.h"

#include <string.h>

#include "pjrt/abi-extensions.h"

/* xla.OpSharding { type: OTHER, tiles: [4], devices: [0, 1, 2, 3] }. */
#define LINE "\x08\x03\x1a\x01\x04\x22\x04\x00\x01\x02\x03"
/* The same, written as a grid of one dimension. */
#define LINE_BY_GRID "\x08\x03\x1a\x01\x04\x4a\x01\x04"
/* Two tiles, each on two devices, 0 and 2, 1 and 3: a transposed grid of 2 by 2. */
#define HALVES "\x08\x03\x1a\x02\x02\x02\x30\x01\x4a\x02\x02\x02\x52\x02\x01\x00"
/* Unreduced: each device has an addend of the whole. */
#define ADDENDS "\x08\x03\x1a\x02\x01\x04\x22\x04\x00\x01\x02\x03\x42\x01\x06"
/* Replicated on every device. */
#define WHOLE ""
#define TUPLE_OF_TWO(a, b) "\x08\x02\x2a" a "\x2a" b

/* The partitioner's answer, and the information that it got. */
typedef struct
{
  const char *program;
  const char *sharding;         /* of each operand */
  gsize       sharding_size;
  const char *result;           /* sharding of the result, or of the tuple */
  gsize       result_size;
  const char *problem;          /* nullable; makes the partitioner fail with this message */
  guint       n_asked, n_freed;
  GByteArray *received;         /* in the last call: shape and sharding of each operand, then of the result */
} Answer;

static Answer answer;
static guint n_gone;

static void
tell (JAX_CustomCallPartitioner_aval aval)
{
  g_assert_true (aval.has_sharding);
  g_byte_array_append (answer.received, (const guint8 *) aval.shape.data, (guint) aval.shape.size);
  g_byte_array_append (answer.received, (const guint8 *) aval.sharding.data, (guint) aval.sharding.size);
}

static void
free_answer (void *data)
{
  g_free (data);
  answer.n_freed++;
}

static void
partition (JAX_CustomCallPartitioner_Callbacks      *self,
           JAX_CustomCallPartitioner_Partition_Args *args)
{
  JAX_CustomCallPartitioner_string *shardings = g_new (JAX_CustomCallPartitioner_string, args->num_args + 1);

  g_assert_true (self->private_data == &answer);
  g_assert_cmpint (args->header.api_version, ==, 0);
  g_assert_cmpmem (args->backend_config.data, args->backend_config.size, "k\0y", 3);
  g_byte_array_set_size (answer.received, 0);
  for (gsize i = 0; i < args->num_args; i++)
    {
      tell (args->op_args[i]);
      shardings[i] = (JAX_CustomCallPartitioner_string) { answer.sharding, answer.sharding_size };
    }
  tell (args->op_result);
  answer.n_asked++;
  args->header.data = shardings;
  args->header.cleanup_fn = free_answer;
  args->header.has_error = answer.problem != NULL;
  args->header.code = PJRT_Error_Code_UNIMPLEMENTED;
  args->header.error_msg = (JAX_CustomCallPartitioner_string) { answer.problem, strlen (answer.problem ?: "") };
  args->mlir_module = (JAX_CustomCallPartitioner_string) { answer.program, strlen (answer.program) };
  args->args_sharding = shardings;
  args->result_sharding = (JAX_CustomCallPartitioner_string) { answer.result, answer.result_size };
}

static void
go (JAX_CustomCallPartitioner_Callbacks *self)
{
  g_assert_nonnull (self);
  n_gone++;
}

static JAX_CustomCallPartitioner_Callbacks partitioner = {
  .private_data = &answer, .dtor = go, .partition = partition, .can_side_effecting_have_replicated_sharding = true,
};

static const PJRT_Custom_Partitioner_Extension *
find_extension (void)
{
  PJRT_Extension_Base *base = api->extension_start;

  while (base != NULL && base->type != PJRT_Extension_Type_Custom_Partitioner)
    base = base->next;
  g_assert_nonnull (base);
  g_assert_cmpuint (base->struct_size, ==, sizeof (PJRT_Custom_Partitioner_Extension));

  return (const PJRT_Custom_Partitioner_Extension *) base;
}

static PJRT_Error *
register_as (const char                          *name,
             gsize                                name_size,
             JAX_CustomCallPartitioner_Callbacks *given)
{
  PJRT_Register_Custom_Partitioner_Args args = { .struct_size = sizeof args, .name = name, .name_size = name_size,
                                                 .callbacks = given };

  return find_extension ()->register_custom_partitioner (&args);
}

#define SHARDING(message) .sharding = message, .sharding_size = sizeof (message) - 1
#define RESULT(message) .result = message, .result_size = sizeof (message) - 1

#define ANSWER(...) \
  G_STMT_START { \
    GByteArray *received = answer.received; \
    answer = (Answer) { __VA_ARGS__ }; \
    answer.received = received; \
  } G_STMT_END

/* Each partition's two numbers, and the sum of all partitions' numbers. */
static const char sum[] =
  "func.func public @main(%p: tensor<2xf32>) -> tensor<2xf32> {\n"
  "  %s = \"stablehlo.all_reduce\"(%p) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, "
  "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({\n"
  "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
  "    %c = stablehlo.add %a, %b : tensor<f32>\n"
  "    stablehlo.return %c : tensor<f32>\n"
  "  }) : (tensor<2xf32>) -> tensor<2xf32>\n"
  "  %t = stablehlo.add %s, %p : tensor<2xf32>\n"
  "  return %t : tensor<2xf32>\n"
  "}\n";

#define MESHES "sdy.mesh @grid = <[\"x\"=2, \"y\"=2]>\nsdy.mesh @line = <[\"z\"=4]>\n"
#define LINE_OF "{sdy.sharding = #sdy.sharding<@line, [{\"z\"}]>}"
#define CALL_OF(operand) \
  "stablehlo.custom_call @test.partitioned(" operand ") {backend_config = \"k\\00y\", " \
  "sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}, custom>} : (tensor<8xf32>) -> tensor<8xf32>\n"

static const char called[] =
  MESHES
  "func.func @main(%a: tensor<8xf32> " LINE_OF ") -> tensor<8xf32> {\n"
  "  %r = " CALL_OF ("%a")
  "  return %r : tensor<8xf32>\n"
  "}\n";

static void
check_sums (PJRT_Client *client,
            const char  *program)
{
  FourRow outputs[FOUR];

  call_check ("execute", four_run (client, program, outputs));
  for (guint i = 0; i < FOUR; i++)
    {
      const float expected[] = { 12 + 2.0f * i, 16 + 2.0f * i + 1 };

      four_check (outputs[i][0], four_device (client, i), expected, 2);
    }
  four_destroy (outputs, 1);
}

/* The operand's sharding is the program's, the result's follows from the rule of the call. */
static void
test_sum (void)
{
  /* xla.ShapeProto { element_type: F32, dimensions: [8], layout { minor_to_major: [0], … }, is_dynamic: [false] }. */
  static const char shape[] = "\x10\x0b\x1a\x01\x08\x2a\x06\x0a\x01\x00\x80\x01\x01\x32\x01\x00";
  PJRT_Client *client = four_client ();
  const guint8 *received;

  ANSWER (sum, SHARDING (LINE), RESULT (LINE_BY_GRID));
  check_sums (client, called);
  g_assert_cmpuint (answer.n_asked, ==, 1);
  g_assert_cmpuint (answer.n_freed, ==, 1);
  received = answer.received->data;
  g_assert_cmpuint (answer.received->len, ==, 2 * (sizeof shape - 1 + sizeof LINE - 1));
  for (guint i = 0; i < 2; i++, received += answer.received->len / 2)
    {
      g_assert_cmpmem (received, sizeof shape - 1, shape, sizeof shape - 1);
      g_assert_cmpmem (received + sizeof shape - 1, sizeof LINE - 1, LINE, sizeof LINE - 1);
    }
  CALL (Client_Destroy, .client = client);
}

/* Two calls of one function are partitioned separately, each with its own operands. */
static void
test_calls (void)
{
  static const char program[] =
    MESHES
    "func.func @main(%a: tensor<8xf32> " LINE_OF ") -> (tensor<8xf32> " LINE_OF ") {\n"
    "  %0 = call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>\n"
    "  %1 = stablehlo.constant dense<0.0> : tensor<8xf32>\n"
    "  %2 = stablehlo.multiply %0, %1 : tensor<8xf32>\n"
    "  %3 = stablehlo.add %2, %a : tensor<8xf32>\n"
    "  %4 = call @f(%3) : (tensor<8xf32>) -> tensor<8xf32>\n"
    "  return %4 : tensor<8xf32>\n"
    "}\n"
    "func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> {\n"
    "  %r = " CALL_OF ("%a")
    "  return %r : tensor<8xf32>\n"
    "}\n";
  PJRT_Client *client = four_client ();

  ANSWER (sum, SHARDING (LINE), RESULT (LINE));
  check_sums (client, program);
  g_assert_cmpuint (answer.n_asked, ==, 2);
  g_assert_cmpuint (answer.n_freed, ==, 2);
  CALL (Client_Destroy, .client = client);
}

/* Several results with different shardings chosen by the partitioner: transposed halves, and addends. */
static void
test_results (void)
{
  static const char program[] =
    MESHES
    "func.func @main(%a: tensor<8xf32> " LINE_OF ") -> (tensor<8xf32> " LINE_OF ", tensor<8xf32> " LINE_OF ") {\n"
    "  %r:2 = stablehlo.custom_call @test.partitioned(%a) {backend_config = \"k\\00y\"} : "
    "(tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)\n"
    "  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>\n"
    "}\n";
  static const char parts[] =
    "func.func public @main(%p: tensor<4xf32>) -> (tensor<4xf32>, tensor<8xf32>) {\n"
    "  %n = stablehlo.negate %p : tensor<4xf32>\n"
    "  %one = stablehlo.constant dense<1.0> : tensor<8xf32>\n"
    "  return %n, %one : tensor<4xf32>, tensor<8xf32>\n"
    "}\n";
  PJRT_Client *client = four_client ();
  FourRow outputs[FOUR];

  ANSWER (parts, SHARDING (HALVES), RESULT (TUPLE_OF_TWO ("\x10" HALVES, "\x0f" ADDENDS)));
  call_check ("execute", four_run (client, program, outputs));
  for (guint i = 0; i < FOUR; i++)
    {
      const float negated[] = { -2.0f * i, -2.0f * i - 1 }, fours[] = { 4, 4 };

      four_check (outputs[i][0], four_device (client, i), negated, 2);
      four_check (outputs[i][1], four_device (client, i), fours, 2);
    }
  four_destroy (outputs, 2);
  CALL (Client_Destroy, .client = client);
}

/* A program for one device has no partitioning left. */
static void
test_one (void)
{
  PJRT_Client *client = call_client ("cpu");

  call_check_error (call_compile_error (client, called, NULL, 0), PJRT_Error_Code_UNIMPLEMENTED, "test.partitioned");
  CALL (Client_Destroy, .client = client);
}

static void
check_refused (const char      *program,
               PJRT_Error_Code  code,
               const char      *part)
{
  PJRT_Client *client = four_client ();
  PJRT_LoadedExecutable *executable;

  call_check_error (four_compile_with (client, program, NULL, 0, &executable), code, part);
  g_assert_cmpuint (answer.n_freed, ==, answer.n_asked);
  CALL (Client_Destroy, .client = client);
}

static void
test_refusals (void)
{
  static const char quarters[] = "func.func @main(%p: tensor<4xf32>) -> tensor<4xf32> { return %p : tensor<4xf32> }";
  static const char manual[] =
    MESHES
    "func.func @main(%a: tensor<16xf32>) -> tensor<16xf32> {\n"
    "  %0 = sdy.manual_computation(%a) in_shardings=[<@grid, [{\"x\"}]>] out_shardings=[<@grid, [{\"x\"}]>] "
    "manual_axes={\"x\"} (%b: tensor<8xf32>) {\n"
    "    %r = " CALL_OF ("%b")
    "    sdy.return %r : tensor<8xf32>\n"
    "  } : (tensor<16xf32>) -> tensor<16xf32>\n"
    "  return %0 : tensor<16xf32>\n"
    "}\n";
  const struct
  {
    Answer          answer;
    PJRT_Error_Code code;
    const char     *part;
  } rows[] = {
    { { sum, SHARDING (LINE), RESULT (LINE), .problem = "it is Sunday" }, PJRT_Error_Code_UNIMPLEMENTED,
      "custom call 'test.partitioned', partitioned by the application: it is Sunday" },
    { { "nonsense", SHARDING (LINE), RESULT (LINE) }, PJRT_Error_Code_INVALID_ARGUMENT, "partition:1:1" },
    { { "module {}", SHARDING (LINE), RESULT (LINE) }, PJRT_Error_Code_INVALID_ARGUMENT, "test.partitioned" },
    { { quarters, SHARDING (LINE), RESULT (LINE) }, PJRT_Error_Code_INVALID_ARGUMENT,
      "expected a program on shards" },
    { { sum, SHARDING (LINE), RESULT (WHOLE) }, PJRT_Error_Code_INVALID_ARGUMENT,
      "expected a program on shards" },
    { { sum, SHARDING ("\x08"), RESULT (LINE) }, PJRT_Error_Code_INVALID_ARGUMENT, "expected an xla.OpSharding" },
    { { sum, SHARDING ("\x08\x04"), RESULT (LINE) }, PJRT_Error_Code_UNIMPLEMENTED,
      "expected a sharding over all partitions, found one of type 4" },
    /* Two tiles on one device; no devices; too few and too many dimensions. */
    { { sum, SHARDING ("\x08\x03\x1a\x01\x04\x22\x04\x00\x00\x02\x03"), RESULT (LINE) },
      PJRT_Error_Code_INVALID_ARGUMENT, "expected each of the 4 partitions once in a sharding, found 0" },
    { { sum, SHARDING ("\x08\x03\x1a\x01\x04"), RESULT (LINE) }, PJRT_Error_Code_INVALID_ARGUMENT,
      "expected a grid of 4 devices" },
    { { sum, SHARDING ("\x08\x03\x1a\x01\x04\x4a\x02\x02\x02\x52\x02\x01\x01"), RESULT (LINE) },
      PJRT_Error_Code_INVALID_ARGUMENT, "expected each dimension once in the order" },
    { { sum, SHARDING ("\x08\x03\x1a\x01\x02\x22\x02\x00\x01"), RESULT (LINE) }, PJRT_Error_Code_UNIMPLEMENTED,
      "expected a sharding over the program's 4 partitions" },
    { { sum, SHARDING ("\x08\x03\x1a\x02\x04\x01\x22\x04\x00\x01\x02\x03"), RESULT (LINE) },
      PJRT_Error_Code_INVALID_ARGUMENT, "expected tiles of 1 dimensions in a sharding, found 2" },
    { { sum, SHARDING ("\x08\x03\x1a\x02\x01\x04\x22\x04\x00\x01\x02\x03\x42\x01\x04"), RESULT (LINE) },
      PJRT_Error_Code_UNIMPLEMENTED, "expected subgroups of type REPLICATED or UNREDUCED" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      GByteArray *received = answer.received;

      answer = rows[i].answer;
      answer.received = received;
      check_refused (called, rows[i].code, rows[i].part);
    }
  ANSWER (sum, SHARDING (LINE), RESULT (LINE));
  check_refused (manual, PJRT_Error_Code_UNIMPLEMENTED, "not supported in a manual computation");
  g_assert_cmpuint (answer.n_asked, ==, 0);
}

/* Answers with a flipped bit or a missing end: each is accepted or refused. */
static void
test_damage (void)
{
  static const struct
  {
    const char *bytes;
    gsize       size;
  } messages[] = { { LINE, sizeof LINE - 1 }, { HALVES, sizeof HALVES - 1 }, { ADDENDS, sizeof ADDENDS - 1 } };
  PJRT_Client *client = four_client ();
  guint n_refused = 0;

  for (guint i = 0; i < G_N_ELEMENTS (messages); i++)
    for (gsize j = 0; j < 9 * messages[i].size; j++)
      {
        const gsize size = j < messages[i].size ? j : messages[i].size;
        const gsize bit = j < messages[i].size ? 0 : j - messages[i].size;
        g_autofree char *bytes = g_memdup2 (messages[i].bytes, messages[i].size);
        PJRT_LoadedExecutable *executable;
        PJRT_Error *error;

        bytes[bit / 8] = (char) (bytes[bit / 8] ^ (j < messages[i].size ? 0 : 1 << bit % 8));
        ANSWER (sum, .sharding = bytes, .sharding_size = size, RESULT (LINE));
        error = four_compile_with (client, called, NULL, 0, &executable);
        if (error == NULL)
          CALL (LoadedExecutable_Destroy, .executable = executable);
        else
          g_free (call_take_message (error));
        n_refused += error != NULL;
      }
  g_assert_cmpuint (n_refused, >, 0);
  ANSWER (sum, SHARDING (LINE), RESULT (LINE));
  check_sums (client, called);
  CALL (Client_Destroy, .client = client);
}

/* The first partitioner that is registered under a name is used. */
static void
test_registration (void)
{
  JAX_CustomCallPartitioner_Callbacks second = partitioner, newer = { .version = 1, .partition = partition };
  JAX_CustomCallPartitioner_Callbacks none = { 0 };
  PJRT_Register_Batch_Partitionable_Args batch = { .struct_size = sizeof batch, .name = "a", .name_size = 1 };

  call_check ("register", register_as ("test.partitioned", strlen ("test.partitioned"), &partitioner));
  g_assert_cmpuint (n_gone, ==, 0);
  call_check ("register", register_as ("test.partitioned", strlen ("test.partitioned"), &second));
  g_assert_cmpuint (n_gone, ==, 1);
  call_check_error (register_as ("\xff", 1, &second), PJRT_Error_Code_INVALID_ARGUMENT, "expected the name");
  call_check_error (register_as ("", 0, &second), PJRT_Error_Code_INVALID_ARGUMENT, "expected the name");
  call_check_error (register_as ("new", 3, &newer), PJRT_Error_Code_UNIMPLEMENTED, "version 0, found version 1");
  call_check_error (register_as ("new", 3, &none), PJRT_Error_Code_INVALID_ARGUMENT, "found none");
  call_check_error (register_as ("new", 3, NULL), PJRT_Error_Code_INVALID_ARGUMENT, "found none");
  call_check ("batch", find_extension ()->register_batch_partitionable (&batch));
}

int
main (int    argc,
      char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  call_load ();
  answer.received = g_byte_array_new ();
  call_check ("register", register_as ("test.partitioned", strlen ("test.partitioned"), &partitioner));

  g_test_add_func ("/pjrt/partitioners/registration", test_registration);
  g_test_add_func ("/pjrt/partitioners/sum", test_sum);
  g_test_add_func ("/pjrt/partitioners/calls", test_calls);
  g_test_add_func ("/pjrt/partitioners/results", test_results);
  g_test_add_func ("/pjrt/partitioners/one", test_one);
  g_test_add_func ("/pjrt/partitioners/refusals", test_refusals);
  g_test_add_func ("/pjrt/partitioners/damage", test_damage);
  status = g_test_run ();
  g_byte_array_unref (answer.received);

  return status;
}
