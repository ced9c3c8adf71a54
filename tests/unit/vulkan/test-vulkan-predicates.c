/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * No shader of a device writes a byte of results, temporaries or scratch under a predicate that is 0. Kernels that may
 * be predicated load ahead of the predicate's test, and no others do.
 */

#include "vulkan-program.h"

#include <string.h>

#include "gpu/core.h"
#include "gpu/kernel.h"
#include "gpu/steps.h"
#include "runtime/place.h"
#include "vulkan/device-memory.h"
#include "vulkan/drivers.h"
#include "vulkan/pipelines.h"
#include "vulkan/transfer.h"

enum { PATTERN = 0xa5, MAX_OUTPUTS = 4 };

/* Programs whose first input is the predicate of everything that they compute. */
#define PROGRAM(results, ...) "func.func @main(%predicate: tensor<i8>) -> (" results ") {\n" __VA_ARGS__ "}\n"

#define NUMBERS(type, shape) \
  "  %n = stablehlo.iota dim = 0 : tensor<" shape "xi32>\n" \
  "  %x = stablehlo.convert %n : (tensor<" shape "xi32>) -> tensor<" shape "x" type ">\n"

#define REDUCE(shape, dimensions, result) \
  PROGRAM ("tensor<" result ">", NUMBERS ("f32", shape) \
    "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n" \
    "  %r = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [" dimensions "] : " \
    "(tensor<" shape "xf32>, tensor<f32>) -> tensor<" result ">\n" \
    "  return %r : tensor<" result ">\n")

#define PRODUCT(m, k, n) \
  PROGRAM ("tensor<" m "x" n "xf32>", NUMBERS ("f32", m "x" k) \
    "  %i = stablehlo.iota dim = 1 : tensor<" k "x" n "xf32>\n" \
    "  %r = stablehlo.dot_general %x, %i, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : " \
    "(tensor<" m "x" k "xf32>, tensor<" k "x" n "xf32>) -> tensor<" m "x" n "xf32>\n" \
    "  return %r : tensor<" m "x" n "xf32>\n")

#define SORT(type, shape, order) \
  PROGRAM ("tensor<" shape "x" type ">, tensor<" shape "xi32>", NUMBERS (type, shape) \
    "  %r:2 = \"stablehlo.sort\"(%x, %n) ({\n" \
    "  ^bb0(%a: tensor<" type ">, %b: tensor<" type ">, %c: tensor<i32>, %d: tensor<i32>):\n" \
    "    %p = stablehlo.compare " order ", %a, %b : (tensor<" type ">, tensor<" type ">) -> tensor<i1>\n" \
    "    stablehlo.return %p : tensor<i1>\n" \
    "  }) {dimension = 1 : i64, is_stable = true} : (tensor<" shape "x" type ">, tensor<" shape "xi32>) -> " \
    "(tensor<" shape "x" type ">, tensor<" shape "xi32>)\n" \
    "  return %r#0, %r#1 : tensor<" shape "x" type ">, tensor<" shape "xi32>\n")

/* Sums from the beginning of each row. */
#define CUMULATIVE(type, rows, n, before) \
  PROGRAM ("tensor<" rows "x" n "x" type ">", NUMBERS (type, rows "x" n) \
    "  %none = stablehlo.constant dense<0.0> : tensor<" type ">\n" \
    "  %r = \"stablehlo.reduce_window\"(%x, %none) ({\n" \
    "  ^bb0(%a: tensor<" type ">, %b: tensor<" type ">):\n" \
    "    %s = stablehlo.add %a, %b : tensor<" type ">\n" \
    "    stablehlo.return %s : tensor<" type ">\n" \
    "  }) {window_dimensions = array<i64: 1, " n ">, padding = dense<[[0, 0], [" before ", 0]]> : tensor<2x2xi64>} " \
    ": (tensor<" rows "x" n "x" type ">, tensor<" type ">) -> tensor<" rows "x" n "x" type ">\n" \
    "  return %r : tensor<" rows "x" n "x" type ">\n")

#define SCATTER(type, unique) \
  PROGRAM ("tensor<64x4x" type ">", NUMBERS (type, "64x4") \
    "  %at = stablehlo.iota dim = 0 : tensor<16x1xi32>\n" \
    "  %u0 = stablehlo.iota dim = 1 : tensor<16x4xi32>\n" \
    "  %u = stablehlo.convert %u0 : (tensor<16x4xi32>) -> tensor<16x4x" type ">\n" \
    "  %r = \"stablehlo.scatter\"(%x, %at, %u) ({\n" \
    "  ^bb0(%a: tensor<" type ">, %b: tensor<" type ">):\n" \
    "    %s = stablehlo.add %a, %b : tensor<" type ">\n" \
    "    stablehlo.return %s : tensor<" type ">\n" \
    "  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], " \
    "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = " unique "} : " \
    "(tensor<64x4x" type ">, tensor<16x1xi32>, tensor<16x4x" type ">) -> tensor<64x4x" type ">\n" \
    "  return %r : tensor<64x4x" type ">\n")

#define RANDOM(algorithm, words) \
  PROGRAM ("tensor<" words "xui64>, tensor<100xui32>", \
    "  %state = stablehlo.iota dim = 0 : tensor<" words "xui64>\n" \
    "  %r:2 = stablehlo.rng_bit_generator %state, algorithm = " algorithm " : (tensor<" words "xui64>) -> " \
    "(tensor<" words "xui64>, tensor<100xui32>)\n" \
    "  return %r#0, %r#1 : tensor<" words "xui64>, tensor<100xui32>\n")

static const char *const programs[] = {
  /* Kernels: several points per invocation, one point, a workgroup per point, and folds in separate parts. */
  PROGRAM ("tensor<300000xf32>", NUMBERS ("f32", "300000")
           "  %r = stablehlo.sine %x : tensor<300000xf32>\n  return %r : tensor<300000xf32>\n"),
  PROGRAM ("tensor<100xf32>", NUMBERS ("f32", "100")
           "  %r = stablehlo.sine %x : tensor<100xf32>\n  return %r : tensor<100xf32>\n"),
  REDUCE ("8x1000", "1", "8xf32"),
  REDUCE ("300000", "0", "f32"),
  REDUCE ("8x10", "1", "8xf32"),
  REDUCE ("256", "0", "f32"),
  PROGRAM ("tensor<100xf32>", NUMBERS ("f32", "100")
           "  %r = stablehlo.negate %x : tensor<100xf32>\n  return %r : tensor<100xf32>\n"),
  PROGRAM ("tensor<40x30xi32>", NUMBERS ("i32", "30x40")
           "  %r = stablehlo.transpose %x, dims = [1, 0] : (tensor<30x40xi32>) -> tensor<40x30xi32>\n"
           "  return %r : tensor<40x30xi32>\n"),
  PRODUCT ("70", "50", "60"),
  PRODUCT ("8", "4096", "8"),
  SORT ("i32", "4x100", "GT"),
  SORT ("i32", "2x5000", "GT"),
  SORT ("f32", "2x3000", "LT"),
  PROGRAM ("tensor<3x2xi32>, tensor<3x2xi32>", NUMBERS ("i32", "3x50")
           "  %r:2 = chlo.top_k(%x, k = 2) : tensor<3x50xi32> -> (tensor<3x2xi32>, tensor<3x2xi32>)\n"
           "  return %r#0, %r#1 : tensor<3x2xi32>, tensor<3x2xi32>\n"),
  CUMULATIVE ("f32", "4", "100", "99"),
  CUMULATIVE ("f32", "2", "5000", "4999"),
  CUMULATIVE ("f64", "2", "300", "299"),
  PROGRAM ("tensor<2x33xcomplex<f32>>", NUMBERS ("f32", "2x64")
           "  %r = stablehlo.fft %x, type = RFFT, length = [64] : (tensor<2x64xf32>) -> tensor<2x33xcomplex<f32>>\n"
           "  return %r : tensor<2x33xcomplex<f32>>\n"),
  SCATTER ("f32", "false"),
  SCATTER ("f32", "true"),
  SCATTER ("i32", "false"),
  SCATTER ("f64", "false"),
  SCATTER ("f64", "true"),
  PROGRAM ("tensor<64xi32>", NUMBERS ("i32", "64")
           "  %i = stablehlo.constant dense<3> : tensor<i32>\n"
           "  %u = stablehlo.iota dim = 0 : tensor<8xi32>\n"
           "  %r = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<64xi32>, tensor<8xi32>, tensor<i32>) -> "
           "tensor<64xi32>\n"
           "  return %r : tensor<64xi32>\n"),
  PROGRAM ("tensor<2x40x40xf32>", NUMBERS ("f32", "2x40x40")
           "  %r = \"stablehlo.cholesky\"(%x) {lower = true} : (tensor<2x40x40xf32>) -> tensor<2x40x40xf32>\n"
           "  return %r : tensor<2x40x40xf32>\n"),
  PROGRAM ("tensor<40x40xf32>", NUMBERS ("f32", "40x40")
           "  %r = \"stablehlo.triangular_solve\"(%x, %x) {left_side = true, lower = true, unit_diagonal = true, "
           "transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<40x40xf32>, tensor<40x40xf32>) -> "
           "tensor<40x40xf32>\n"
           "  return %r : tensor<40x40xf32>\n"),
  RANDOM ("THREE_FRY", "2"),
  RANDOM ("PHILOX", "3"),
};

/* Compiles kernels like those of steps that may be predicated, wherever the steps are. */
static GhloStepImplementation ahead;

static gboolean
finish_ahead (gpointer                step,
              GhloDeviceCore         *self,
              const GhloStepRequest  *request,
              const GhloMonitor      *monitor,
              GError                **error)
{
  GhloStepRequest predicated = *request;

  predicated.may_be_predicated = TRUE;

  return ghlo_gpu_step_kernel.finish (step, self, &predicated, monitor, error);
}

static const GhloStepImplementation *(*find) (GhloDeviceCore               *self,
                                              const GhloIrOp               *op,
                                              const GhloStepImplementation *previous);

static const GhloStepImplementation *
find_ahead (GhloDeviceCore               *self,
            const GhloIrOp               *op,
            const GhloStepImplementation *previous)
{
  const GhloStepImplementation *found = find (self, op, previous == &ahead ? &ghlo_gpu_step_kernel : previous);

  return found == &ghlo_gpu_step_kernel ? &ahead : found;
}

/* State of the functions with which the test replaces the device's. */
static struct
{
  const GhloStepPlan *plan;     /* of the program under test */
  GhloGpuDevice   *device;
  guint               n_replays;
  gboolean            is_true;
} seen;

static GhloCommandBuffer *
begin_predicated (GhloDeviceCore         *self,
                  const GhloBufferExtent *buffers)
{
  GhloCommandBuffer *recording = ghlo_gpu_command_buffers.begin (self, buffers);

  ghlo_gpu_command_buffers.set_predicate (recording, (GhloBufferRef) { 0, 0 });

  return recording;
}

/* Whether any byte of @buffer differs from its value before. */
static gboolean
is_written (const GhloStepBuffer *buffer,
            const guint8         *address)
{
  g_autofree guint8 *bytes = g_malloc (buffer->size), *before = g_malloc (buffer->size);
  g_autoptr (GError) error = NULL;

  memset (before, PATTERN, buffer->size);
  ghlo_vulkan_download (&seen.device->vulkan, ghlo_vulkan_address (address), bytes, buffer->size, NULL, &error);
  g_assert_no_error (error);

  return memcmp (bytes, before, buffer->size) != 0;
}

static gboolean
is_of_run (const GhloStepBuffer *buffer)
{
  return (buffer->kind == GHLO_STEP_BUFFER_TEMPORARY || buffer->kind == GHLO_STEP_BUFFER_OUTPUT)
         && buffer->first <= buffer->last && buffer->size > 0;
}

static void
fill (const GhloStepBuffer *buffer,
      const guint8         *address)
{
  g_autofree guint8 *bytes = g_malloc (buffer->size);
  g_autoptr (GError) error = NULL;

  memset (bytes, PATTERN, buffer->size);
  ghlo_vulkan_upload (&seen.device->vulkan, bytes, ghlo_vulkan_address (address), buffer->size, NULL, &error);
  g_assert_no_error (error);
}

static gboolean
replay_and_look (GhloCommandBuffer  *recording,
                 guint8 *const      *addresses,
                 const GhloMonitor  *monitor,
                 GError            **error)
{
  const GhloStepPlan *plan = seen.plan;

  seen.n_replays++;
  for (guint i = 0; i < plan->n_buffers; i++)
    if (is_of_run (&plan->buffers[i]))
      fill (&plan->buffers[i], addresses[i]);
  if (!ghlo_gpu_command_buffers.replay (recording, addresses, monitor, error))
    return FALSE;
  for (guint i = 0; i < plan->n_buffers; i++)
    if (is_of_run (&plan->buffers[i])
        && (!seen.is_true || plan->buffers[i].kind == GHLO_STEP_BUFFER_OUTPUT))
      g_assert_cmpint (is_written (&plan->buffers[i], addresses[i]), ==, seen.is_true);

  return TRUE;
}

static void
run (GhloPrepared *prepared,
     gboolean      is_true)
{
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_new (GHLO_ELEMENT_TYPE_I8, NULL, 0);
  const guint8 predicate = is_true ? 64 : 0;
  g_autoptr (GBytes) bytes = g_bytes_new (&predicate, 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloValue) input = ghlo_value_new_for_bytes (type, bytes, &error);
  GhloValue *outputs[MAX_OUTPUTS];

  seen.is_true = is_true;
  seen.n_replays = 0;
  ghlo_prepared_run (prepared, NULL, &input, 1, outputs, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (seen.n_replays, ==, 1);
  ghlo_values_clear (outputs, ghlo_prepared_get_n_outputs (prepared));
}

static void
check_program (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloPrepared) prepared = vulkan_program_prepare (&seen.device->vulkan.core, text, &error);

  g_assert_no_error (error);
  seen.plan = ghlo_prepared_get_plan (prepared);
  g_test_message ("%s", ghlo_step_get_operation (seen.plan->body.steps[seen.plan->body.n_steps - 1]));
  g_assert_cmpuint (seen.plan->inputs[0], ==, 0);
  g_assert_cmpuint (seen.plan->n_transfers, ==, 0);
  run (prepared, FALSE);
  run (prepared, TRUE);
}

/* Kernels have both forms, since steps after a loop are predicated as well. */
static void
test_predicates (void)
{
  GhloGpuDevice *device = vulkan_program_device ();
  GhloCommandBufferClass recorder = ghlo_gpu_command_buffers;
  const GhloDeviceCoreClass *klass;
  GhloDeviceCoreClass own;
  g_autoptr (GError) error = NULL;

  if (device == NULL)
    return;
  ghlo_gpu_device_open (device, NULL, &error);
  g_assert_no_error (error);
  klass = device->vulkan.core.klass;
  seen.device = device;
  recorder.begin = begin_predicated;
  recorder.replay = replay_and_look;
  device->vulkan.core.command_buffers = &recorder;
  find = klass->find_step;
  own = *klass;
  device->vulkan.core.klass = &own;
  ahead = ghlo_gpu_step_kernel;
  ahead.finish = finish_ahead;
  for (guint i = 0; i < 2 * G_N_ELEMENTS (programs); i++)
    {
      own.find_step = i % 2 == 0 ? find : find_ahead;
      check_program (programs[i / 2]);
    }
  device->vulkan.core.command_buffers = &ghlo_gpu_command_buffers;
  device->vulkan.core.klass = klass;
}

/* Programs that negate numbers where that is never predicated, and where it may be. */
#define NEGATING(...) \
  "func.func @main(%x: tensor<32xi32>) -> tensor<32xi32> {\n" \
  "  %zero = stablehlo.constant dense<0> : tensor<i32>\n" \
  "  %one = stablehlo.constant dense<1> : tensor<i32>\n" \
  "  %most = stablehlo.constant dense<9> : tensor<i32>\n" \
  __VA_ARGS__ \
  "  return %r : tensor<32xi32>\n" \
  "}\n"

#define NEGATED(to, from) "  %" to " = stablehlo.negate %" from " : tensor<32xi32>\n"
#define SUM(to, a, b) "  %" to " = stablehlo.add %" a ", %" b " : tensor<32xi32>\n"

/* Makes %w from %v, starting with %init; @id is the suffix of the names. */
#define LOOP(id, init, condition, ...) \
  "  %l" id ":2 = stablehlo.while(%i" id " = %zero, %v" id " = %" init ") : tensor<i32>, tensor<32xi32>\n" \
  "  cond {\n" \
  condition (id) \
  "    stablehlo.return %c" id " : tensor<i1>\n" \
  "  } do {\n" \
  "    %n" id " = stablehlo.add %i" id ", %one : tensor<i32>\n" \
  __VA_ARGS__ \
  "    stablehlo.return %n" id ", %w" id " : tensor<i32>, tensor<32xi32>\n" \
  "  }\n"

#define COUNTED(id) \
  "    %c" id " = stablehlo.compare LT, %i" id ", %most : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
#define IS_LITTLE(id) \
  "    %at" id " = stablehlo.slice %v" id " [0:1] : (tensor<32xi32>) -> tensor<1xi32>\n" \
  "    %first" id " = stablehlo.reshape %at" id " : (tensor<1xi32>) -> tensor<i32>\n" \
  "    %c" id " = stablehlo.compare LT, %first" id ", %most : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"

static const struct
{
  const char *text;
  guint       n_plain, n_ahead;
} negating[] = {
  { NEGATING (NEGATED ("r", "x")), 1, 0 },
  { NEGATING (LOOP ("1", "x", COUNTED, NEGATED ("w1", "v1")) SUM ("r", "l1#1", "x")), 1, 0 },
  { NEGATING (LOOP ("1", "x", IS_LITTLE, NEGATED ("w1", "v1")) SUM ("r", "l1#1", "x")), 0, 1 },
  /* The same before the loop, in it and after it. */
  { NEGATING (NEGATED ("a", "x") LOOP ("1", "a", IS_LITTLE, NEGATED ("w1", "v1")) NEGATED ("r", "l1#1")), 2, 1 },
  { NEGATING (LOOP ("1", "x", IS_LITTLE, LOOP ("2", "v1", COUNTED, NEGATED ("w2", "v2")) SUM ("w1", "l2#1", "x"))
              SUM ("r", "l1#1", "x")), 0, 1 },
  /* The host runs a loop around a loop that ends by its data. */
  { NEGATING (LOOP ("1", "x", IS_LITTLE, NEGATED ("a", "v1") LOOP ("2", "a", IS_LITTLE, NEGATED ("w2", "v2"))
                    SUM ("w1", "l2#1", "a")) SUM ("r", "l1#1", "x")), 1, 1 },
  { NEGATING (NEGATED ("v1", "x") IS_LITTLE ("1")
              "  %r = \"stablehlo.if\"(%c1) ({\n"
              NEGATED ("s", "v1")
              "    stablehlo.return %s : tensor<32xi32>\n"
              "  }, {\n"
              "    stablehlo.return %v1 : tensor<32xi32>\n"
              "  }) : (tensor<i1>) -> tensor<32xi32>\n"), 1, 1 },
};

/* That of @step, of an operand and a result: of two of it that wait for nothing both are known. */
static const GhloGpuKernel *
get_kernel (const GhloStep *step)
{
  GhloBufferExtent extents[4];
  GhloBufferRef places[4];
  const GhloBufferRef nowhere = { GHLO_STEP_NONE, 0 };
  const GhloGpuKernel *kernels[2];
  g_autoptr (GhloGpuRecording) recording = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      extents[i] = (GhloBufferExtent) { i, 0, G_MAXUINT32, i };
      places[i] = (GhloBufferRef) { i, 0 };
    }
  recording = ghlo_gpu_recording_new (seen.device, extents);
  for (guint i = 0; i < 2; i++)
    {
      step->implementation->record (step->compiled_step->compiled, &places[i], &places[2 + i], nowhere, recording,
                                    &error);
      g_assert_no_error (error);
    }
  g_assert_true (ghlo_gpu_recording_get_pair (recording, 0, kernels));
  g_assert_true (kernels[0] == kernels[1]);

  return kernels[0];
}

/* That of the form which a kernel of @n_points has that may be predicated; 0: which others have. */
static GhloVulkanPipeline *
get_pipeline (const GhloGpuKernel *kernel,
              guint64              n_points)
{
  GhloSpirvSchedule schedule = ghlo_gpu_kernel_schedule (kernel, GHLO_SPIRV_PARTS_IN_TURN);
  g_autoptr (GBytes) words = NULL, adapted = NULL;
  g_autoptr (GError) error = NULL;
  GhloVulkanPipeline *pipeline;

  schedule.n_points = n_points;
  words = ghlo_spirv_emit (kernel->kernel, &seen.device->measured.floats, &schedule, &error);
  g_assert_no_error (error);
  adapted = ghlo_vulkan_driver_adapt (seen.device->vulkan.driver, words);
  pipeline = ghlo_vulkan_pipelines_get (seen.device->vulkan.pipelines, adapted, &error);
  g_assert_no_error (error);

  return pipeline;
}

static void
count_form (GhloStep *step,
            gpointer  data)
{
  guint *counts = data;
  const GhloGpuKernel *kernel;
  GhloVulkanPipeline *plain, *ahead;

  if (step->op == NULL || step->op->kind != GHLO_OP_STABLEHLO_NEGATE)
    return;
  kernel = get_kernel (step);
  plain = get_pipeline (kernel, 0);
  ahead = get_pipeline (kernel, kernel->n_points);
  g_assert_true (plain != ahead);
  g_assert_true (kernel->pipeline == (step->may_be_predicated ? ahead : plain));
  counts[step->may_be_predicated]++;
}

static void
test_forms (void)
{
  seen.device = vulkan_program_open ();
  for (guint i = 0; seen.device != NULL && i < G_N_ELEMENTS (negating); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GhloPrepared) prepared = vulkan_program_prepare (&seen.device->vulkan.core, negating[i].text, &error);
      guint counts[2] = { 0 };

      g_assert_no_error (error);
      g_test_message ("%s", negating[i].text);
      ghlo_step_plan_foreach (ghlo_prepared_get_plan (prepared), count_form, counts);
      g_assert_cmpuint (counts[FALSE], ==, negating[i].n_plain);
      g_assert_cmpuint (counts[TRUE], ==, negating[i].n_ahead);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vulkan/predicates", test_predicates);
  g_test_add_func ("/vulkan/predicates/forms", test_forms);

  return g_test_run ();
}
