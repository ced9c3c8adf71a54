/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The stages of planning as a device sees them. All steps of a plan are selected before any is compiled, and operations
 * that the device lacks go to the next device. Equal steps are compiled once, and the compiler is told which values
 * alias. Of several errors the first step's is reported, and a cancelled compile ends soon.
 */

#include "../reference/kernel-programs.h"

#include "cpu/device.h"
#include "cpu/steps.h"
#include "execute/run-plan.h"
#include "reference/device.h"
#include "runtime/parallel.h"

/* A device that adds, subtracts and multiplies f32, lacks f64, and logs what it is asked. */
typedef struct
{
  GhloDeviceCore  base;
  GMutex          lock;            /* guards what follows */
  GString        *log;             /* a line for each select and compile */
  guint           n_compiled, n_released;
  guint           fails[2];        /* compiles that fail, by the operation's index in @order */
  const GhloIrOp *order[64];
  guint           n_order;
  gulong          slow;            /* microseconds that a compile takes */
  gboolean        wants_data, does_fusions;
  guint           n_selected, n_reused;   /* selection states: all, and those that compiles reused */
  guint           n_dropped;          /* those that were released; atomic */
} Device;

/* Compiled data, or the state of a selection. */
typedef struct
{
  Device         *device;
  GhloIrOpKind    kind;
  const GhloIrOp *selected_op;      /* NULL for compiled data */
  gboolean        is_finished;
} Compiled;

static void
append_number (GString *log,
               guint32  number)
{
  if (number == GHLO_STEP_NONE)
    g_string_append (log, " -");
  else
    g_string_append_printf (log, " %u", number);
}

static const char *
read_request (gpointer               step,
              GhloDeviceCore        *device,
              const GhloStepRequest *request)
{
  *(Compiled *) step = (Compiled) { (Device *) device, request->op->kind, NULL };

  return request->results[0].element_type != GHLO_ELEMENT_TYPE_F32 ? "it knows of f32 alone" : NULL;
}

static void
select_step (gpointer               step,
             const GhloStepRequest *request,
             GhloStepSelection     *selection)
{
  Compiled *compiled = step;
  Device *device = compiled->device;

  g_assert_null (request->aliases);
  for (guint i = 0; i < request->n_operands; i++)
    selection->operands[i] = (GhloStepOperandSelection) { .dense = TRUE, .wants_data = device->wants_data,
                                                           .in_place = 0 };
  selection->scratch = 8;
  g_string_append (device->log, "select\n");
  device->order[device->n_order++] = request->op;
  device->n_selected++;
  compiled->selected_op = request->op;
}

static gboolean
fails (const Device   *device,
       const GhloIrOp *op,
       GError        **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (device->fails); i++)
    if (device->fails[i] < device->n_order && device->order[device->fails[i]] == op)
      {
        g_set_error (error, GHLO_ERROR, GHLO_ERROR_DEVICE, "operation %u fails", device->fails[i]);
        return TRUE;
      }

  return FALSE;
}

static gboolean
finish (gpointer                step,
        GhloDeviceCore         *self,
        const GhloStepRequest  *request,
        const GhloMonitor      *monitor,
        GError                **error)
{
  Compiled *compiled = step;
  Device *device = compiled->device;

  /* The state is not passed on where the operands' layout differs from that at the selection. */
  g_assert_true (compiled->selected_op == (request->selection_state != NULL ? request->op : NULL));
  g_usleep (device->slow);
  g_mutex_lock (&device->lock);
  g_string_append_printf (device->log, "compile %s, over", ghlo_ir_op_get_name (request->op));
  for (guint i = 0; i < request->n_operands; i++)
    append_number (device->log, request->aliases[i]);
  g_string_append (device->log, ", aligned");
  for (guint i = 0; i < request->n_operands + request->n_results; i++)
    append_number (device->log, request->alignments[i]);
  for (guint i = 0; i < request->n_operands; i++)
    if (request->operands[i].data != NULL)
      g_string_append_printf (device->log, ", constant %g", *(const float *) (gconstpointer) request->operands[i].data);
  g_string_append_c (device->log, '\n');
  g_assert_cmpuint (request->scratch, ==, 8);
  device->n_compiled++;
  device->n_reused += compiled->selected_op != NULL;
  g_mutex_unlock (&device->lock);
  compiled->selected_op = NULL;
  compiled->is_finished = !fails (device, request->op, error);

  return compiled->is_finished;
}

static gboolean
run (gpointer            data,
     const GhloView     *operands,
     const GhloView     *results,
     gpointer            scratch,
     const GhloMonitor  *monitor,
     GError            **error)
{
  const Compiled *compiled = data;
  const float *a = (gconstpointer) operands[0].data, *b = (gconstpointer) operands[1].data;
  float *c = (gpointer) results[0].data;

  memset (scratch, 0xff, 8);
  for (gint64 i = 0; i < ghlo_view_count (&results[0]); i++)
    c[i] = compiled->kind == GHLO_OP_STABLEHLO_ADD ? a[i] + b[i]
           : compiled->kind == GHLO_OP_STABLEHLO_SUBTRACT ? a[i] - b[i] : a[i] * b[i];

  return TRUE;
}

static void
clear (gpointer step)
{
  Compiled *compiled = step;

  if (compiled->selected_op != NULL)
    g_atomic_int_inc ((gint *) &compiled->device->n_dropped);
  if (compiled->is_finished)
    g_atomic_int_inc ((gint *) &compiled->device->n_released);
}

static const GhloStepImplementation arithmetic = {
  .name = "arithmetic", .size = sizeof (Compiled), .keeps_selection_state = TRUE, .read = read_request,
  .select = select_step, .finish = finish, .clear = clear, .run = run,
};

static const GhloStepImplementation *
find (GhloDeviceCore               *self,
      const GhloIrOp               *op,
      const GhloStepImplementation *previous)
{
  const Device *device = (const Device *) self;
  gboolean is_known = op->kind == GHLO_OP_STABLEHLO_ADD || op->kind == GHLO_OP_STABLEHLO_SUBTRACT
                      || op->kind == GHLO_OP_STABLEHLO_MULTIPLY
                      || (op->kind == GHLO_OP_STABLEHLO_COMPOSITE && device->does_fusions);

  return is_known && previous == NULL ? &arithmetic : NULL;
}

static void
device_init (Device *self)
{
  static const GhloDeviceCoreClass klass = { .name = "test", .find_step = find, .copy_step = &ghlo_cpu_step_copy };
  static const char *const names[] = { "test", NULL };

  *self = (Device) { .base.klass = &klass, .base.names = names, .log = g_string_new (NULL),
                     .fails = { G_MAXUINT, G_MAXUINT } };
  g_mutex_init (&self->lock);
}

static void
device_clear (Device *self)
{
  g_assert_cmpuint (self->n_selected, ==, self->n_reused + self->n_dropped);
  g_string_free (self->log, TRUE);
  g_mutex_clear (&self->lock);
}

static GhloRunPlan *
prepare_on (Device            *device,
            GhloDeviceCore    *host,
            const char        *text,
            const GhloMonitor *monitor,
            GError           **error)
{
  const GhloPrepareOptions options = { .host = host, .fallback = ghlo_reference_device () };
  g_autoptr (GhloIrModule) module = parse (text);

  return ghlo_run_plan_new (&device->base, module, ghlo_ir_module_get_entry (module), &options, monitor, error);
}

/* Everything is selected first. The first operation may overwrite a donated input; the second overwrites the first
 * one's result, and the third is selected and compiled together with the second. */
static void
test_order (void)
{
  static const char text[] =
    "func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {\n"
    "  %0 = stablehlo.subtract %b, %a : tensor<8xf32>\n"
    "  %1 = stablehlo.add %0, %b : tensor<8xf32>\n"
    "  %2 = stablehlo.add %1, %b : tensor<8xf32>\n"
    "  return %2 : tensor<8xf32>\n"
    "}\n";
  g_autoptr (GhloValue) a = new_random ("tensor<8xf32>", -2, 2), b = new_random ("tensor<8xf32>", -2, 2);
  g_autoptr (GhloRunPlan) plan = NULL;
  g_autoptr (GError) error = NULL;
  GhloValue *found;
  Device device;

  device_init (&device);
  plan = prepare_on (&device, NULL, text, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (device.log->str, ==, "select\nselect\n"
                   "compile stablehlo.subtract, over - 0, aligned 4 4 16\n"
                   "compile stablehlo.add, over 0 -, aligned 16 4 16\n");
  g_assert_true (ghlo_run_plan_run (plan, NULL, (GhloValue *[]) { a, b }, &found, NULL, &error));
  for (gsize i = 0; i < 8; i++)
    {
      float x = ((float *) (gpointer) a->data)[i], y = ((float *) (gpointer) b->data)[i];

      g_assert_cmpfloat (((float *) (gpointer) found->data)[i], ==, (y - x) + y + y);
    }
  ghlo_value_unref (found);
  g_clear_pointer (&plan, ghlo_run_plan_free);
  g_assert_cmpuint (device.n_released, ==, 2);
  device_clear (&device);
}

/* Constants whose contents are requested distinguish steps, other constants do not. */
static void
test_constants (void)
{
  static const char text[] =
    "func.func @main(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {\n"
    "  %c = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>\n"
    "  %d = stablehlo.constant dense<[3.0, 4.0]> : tensor<2xf32>\n"
    "  %0 = stablehlo.add %a, %c : tensor<2xf32>\n"
    "  %1 = stablehlo.add %a, %d : tensor<2xf32>\n"
    "  %2 = stablehlo.add %a, %c : tensor<2xf32>\n"
    "  return %0, %1, %2, %a : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>\n"
    "}\n";

  for (guint wants_data = 0; wants_data < 2; wants_data++)
    {
      g_autoptr (GhloRunPlan) plan = NULL;
      g_autoptr (GError) error = NULL;
      Device device;

      device_init (&device);
      device.wants_data = wants_data != 0;
      plan = prepare_on (&device, NULL, text, NULL, &error);
      g_assert_no_error (error);
      g_assert_true ((strstr (device.log->str, "constant 1") != NULL) == device.wants_data);
      g_assert_true ((strstr (device.log->str, "constant 3") != NULL) == device.wants_data);
      /* The constants' alignments may differ. */
      g_assert_cmpuint (device.n_compiled, >=, wants_data ? 2 : 1);
      g_assert_cmpuint (device.n_compiled, <=, 2);
      g_clear_pointer (&plan, ghlo_run_plan_free);
      device_clear (&device);
    }
}

/* Equal fusions are selected once, as long as their operands have the same layout. */
static void
test_equal_fusions (void)
{
#define FUSION(result, operands) \
  "  " result " = stablehlo.composite \"ghlo.fusion.map\" " operands " {decomposition = @f} : " \
  "(tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>\n"
  static const char text[] =
    "func.func private @f(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {\n"
    "  %0 = stablehlo.add %a, %b : tensor<8xf32>\n"
    "  %1 = stablehlo.multiply %0, %b : tensor<8xf32>\n"
    "  return %1 : tensor<8xf32>\n"
    "}\n"
    "func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<f32>) -> tensor<8xf32> {\n"
    FUSION ("%0", "%a, %b") FUSION ("%1", "%0, %b") FUSION ("%2", "%1, %b")
    "  %3 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<8xf32>\n"
    FUSION ("%4", "%2, %3")
    "  return %4 : tensor<8xf32>\n"
    "}\n";
#undef FUSION
  g_autoptr (GhloRunPlan) plan = NULL;
  g_autoptr (GError) error = NULL;
  Device device;

  device_init (&device);
  device.does_fusions = TRUE;
  plan = prepare_on (&device, NULL, text, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (g_str_has_prefix (device.log->str, "select\nselect\ncompile stablehlo.composite, "));
  g_assert_cmpuint (device.n_selected, ==, 2);
  g_clear_pointer (&plan, ghlo_run_plan_free);
  device_clear (&device);
}

/* So are operations that are equal but for their values, as long as the same operands of each are one value. */
static void
test_equal_operations (void)
{
#define ADD(result, operands) "  " result " = stablehlo.add " operands " : tensor<8xf32>\n"
  static const char text[] =
    "func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<f32>) -> tensor<8xf32> {\n"
    ADD ("%0", "%a, %b") ADD ("%1", "%0, %b") ADD ("%2", "%1, %1") ADD ("%3", "%2, %2")
    "  %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<8xf32>\n"
    ADD ("%5", "%3, %4") ADD ("%6", "%5, %b")
    "  return %6 : tensor<8xf32>\n"
    "}\n";
#undef ADD
  g_autoptr (GhloRunPlan) plan = NULL;
  g_autoptr (GError) error = NULL;
  Device device;

  device_init (&device);
  plan = prepare_on (&device, NULL, text, NULL, &error);
  g_assert_no_error (error);
  if (!g_str_has_prefix (device.log->str, "select\nselect\nselect\ncompile stablehlo.add, "))
    g_error ("expected three selections in\n%s", device.log->str);
  g_clear_pointer (&plan, ghlo_run_plan_free);
  device_clear (&device);
}

/* @n operations that are pairwise different when compiled. */
static char *
make_many (guint n)
{
  GString *text = g_string_new ("func.func @main(%v0: tensor<1xf32>) -> tensor<1xf32> {\n");

  for (guint i = 1; i <= n; i++)
    {
      g_string_append_printf (text, "  %%b%u = stablehlo.broadcast_in_dim %%v0, dims = [0] : (tensor<1xf32>) -> "
                              "tensor<%uxf32>\n", i, i + 1);
      g_string_append_printf (text, "  %%a%u = stablehlo.add %%b%u, %%b%u : tensor<%uxf32>\n", i, i, i, i + 1);
      g_string_append_printf (text, "  %%s%u = stablehlo.slice %%a%u [0:1] : (tensor<%uxf32>) -> tensor<1xf32>\n", i, i,
                              i + 1);
    }
  g_string_append_printf (text, "  return %%s%u : tensor<1xf32>\n}\n", n);

  return g_string_free (text, FALSE);
}

static void
test_first_error (void)
{
  g_autofree char *text = make_many (40);

  for (guint round = 0; round < 20; round++)
    {
      g_autoptr (GError) error = NULL;
      Device device;

      device_init (&device);
      device.slow = 50;
      device.fails[0] = 31;
      device.fails[1] = 17;
      g_assert_null (prepare_on (&device, NULL, text, NULL, &error));
      g_assert_error (error, GHLO_ERROR, GHLO_ERROR_DEVICE);
      g_assert_cmpstr (error->message, ==, "operation 17 fails");
      g_assert_cmpuint (device.n_released, <, 40);
      device_clear (&device);
    }
}

typedef struct
{
  GThread *thread;
  double   last;
  guint    n;
} Progress;

static void
on_progress (gpointer    data,
             double      fraction,
             const char *detail)
{
  Progress *self = data;

  g_assert_true (g_thread_self () == self->thread);
  g_assert_cmpfloat (fraction, >=, self->last);
  self->last = fraction;
  self->n++;
}

static void
test_progress (void)
{
  g_autofree char *text = make_many (40);
  Progress progress = { g_thread_self () };
  const GhloMonitor monitor = { .progress = on_progress, .progress_data = &progress };
  g_autoptr (GhloRunPlan) plan = NULL;
  g_autoptr (GError) error = NULL;
  Device device;

  device_init (&device);
  device.slow = 1000;
  plan = prepare_on (&device, NULL, text, &monitor, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (progress.last, ==, 1);
  g_assert_cmpuint (progress.n, >, 2);
  g_clear_pointer (&plan, ghlo_run_plan_free);
  g_assert_cmpuint (device.n_released, ==, 40);
  device_clear (&device);
}

static void
test_cancelled (void)
{
  g_autofree char *text = make_many (40);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const GhloMonitor monitor = { .cancellable = cancellable };
  g_autoptr (GError) error = NULL;
  GThread *thread = g_thread_new (NULL, cancel_soon, cancellable);
  Device device;

  /* 400 ms of work for two threads. */
  ghlo_parallel_set_limit (2);
  device_init (&device);
  device.slow = 20000;
  g_assert_null (prepare_on (&device, NULL, text, &monitor, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpuint (device.n_compiled, <, 40);
  g_thread_join (thread);
  g_assert_cmpuint (device.n_released, ==, device.n_compiled);
  device_clear (&device);
  ghlo_parallel_set_limit (0);
}

/* Operations that a device declines go to the CPU, and finally to the reference executor, with the reasons. */
static void
test_devices (void)
{
  static const char text[] =
    "func.func @main(%a: tensor<4xf32>, %b: tensor<4xi32>, %c: tensor<4xf64>) -> (tensor<4xf32>, tensor<4xi32>, "
    "tensor<4xf64>, tensor<4xf64>) {\n"
    "  %0 = stablehlo.add %a, %a : tensor<4xf32>\n"
    "  %1 = stablehlo.negate %0 : tensor<4xf32>\n"
    "  %2 = stablehlo.add %b, %b : tensor<4xi32>\n"
    "  %3 = stablehlo.add %c, %c : tensor<4xf64>\n"
    "  %4 = \"stablehlo.collective_permute\"(%3) "
    "{source_target_pairs = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<4xf64>) -> tensor<4xf64>\n"
    "  return %1, %2, %3, %4 : tensor<4xf32>, tensor<4xi32>, tensor<4xf64>, tensor<4xf64>\n"
    "}\n";
  static const char *const lines[] = {
    "plan: 5 steps, 1 of them on the fallback executor;",
    "test arithmetic stablehlo.add in0 ",
    "cpu elementwise stablehlo.negate ",
    ", test: it is not implemented: out0 ",
    ", test: it knows of f32 alone: in1 ",
    ", test: it knows of f32 alone: in2 ",
    "reference stablehlo.collective_permute, test: it is not implemented; cpu: it is not implemented: ",
  };
  GhloValue *inputs[] = { new_random ("tensor<4xf32>", -2, 2), new_random ("tensor<4xi32>", -9, 9),
                          new_random ("tensor<4xf64>", -2, 2) };
  GhloValue *found[4], *expected[4];
  g_autoptr (GhloRunPlan) plan = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *printed = NULL;
  Device device;

  device_init (&device);
  plan = prepare_on (&device, ghlo_cpu_device (), text, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (device.n_compiled, ==, 1);
  printed = ghlo_step_plan_print (ghlo_run_plan_get_plan (plan));
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    if (strstr (printed, lines[i]) == NULL)
      g_error ("expected \"%s\" in\n%s", lines[i], printed);
  g_assert_true (ghlo_run_plan_run (plan, NULL, inputs, found, NULL, &error));
  run_text (text, inputs, 3, expected);
  for (guint i = 0; i < 4; i++)
    {
      g_assert_cmpmem (found[i]->data, found[i]->n_bytes, expected[i]->data, expected[i]->n_bytes);
      ghlo_value_unref (found[i]);
      ghlo_value_unref (expected[i]);
    }
  ghlo_values_clear (inputs, 3);
  g_clear_pointer (&plan, ghlo_run_plan_free);
  device_clear (&device);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/plan-stages/order", test_order);
  g_test_add_func ("/plan-stages/constants", test_constants);
  g_test_add_func ("/plan-stages/equal-fusions", test_equal_fusions);
  g_test_add_func ("/plan-stages/equal-operations", test_equal_operations);
  g_test_add_func ("/plan-stages/devices", test_devices);
  g_test_add_func ("/plan-stages/first-error", test_first_error);
  g_test_add_func ("/plan-stages/progress", test_progress);
  g_test_add_func ("/plan-stages/cancelled", test_cancelled);

  return g_test_run ();
}
