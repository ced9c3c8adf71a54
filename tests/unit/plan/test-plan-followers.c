/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products and convolutions that one step of a plan does together with what follows
 * them: which do, which do not, and that results are the same bits as those of a step
 * for each operation, and as the reference executor's.
 */

#include "../reference/kernel-programs.h"

#include "cpu/executor.h"
#include "cpu/target.h"
#include "passes/pass.h"
#include "runtime/run-plan.h"

enum { MAX_INPUTS = 32 };

static GhloIrModule *
mark (const char *text)
{
  static const char *const only[] = { "epilogues", NULL };
  GhloIrModule *module = parse (text);
  g_autoptr (GError) error = NULL;

  ghlo_passes_run (module, &(GhloPassOptions) { .only = only, .verify = TRUE }, NULL, NULL, &error);
  g_assert_no_error (error);

  return module;
}

static char *
print_plan (GhloIrModule *module)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloStepPlan) plan = ghlo_step_plan_new (module, ghlo_ir_module_get_entry (module), ghlo_cpu_target (),
                                                      NULL, &error);

  g_assert_no_error (error);

  return ghlo_step_plan_print (plan);
}

static void
run_on (const GhloExecutor *executor,
        GhloIrModule       *module,
        GhloValue         **inputs,
        guint               n_inputs,
        GhloValue         **outputs)
{
  g_autoptr (GError) error = NULL;
  GhloPrepared *prepared = executor->prepare (module, ghlo_ir_module_get_entry (module), NULL, &error);

  g_assert_no_error (error);
  executor->run (prepared, NULL, inputs, n_inputs, outputs, NULL, &error);
  g_assert_no_error (error);
  executor->release (prepared);
}

/* Numbers whose products and sums are exact. */
static void
fill (GhloValue *value)
{
  gboolean is_float = ghlo_element_type_is_float (value->type->element_type) || is_complex (value);

  for (gsize i = 0; i < value->n_elements; i++)
    if (is_float)
      set_number (value, i, CMPLX (g_test_rand_int_range (-8, 9) / 4.0, g_test_rand_int_range (-8, 9) / 4.0));
    else
      set_number (value, i, g_test_rand_int_range (0, 4));
}

/* The first function's one result, with and without marks, and by the reference executor. */
static void
check_runs (const char *text)
{
  const GhloExecutor *reference = ghlo_reference_executor (), *executor = ghlo_cpu_executor (reference);
  g_autoptr (GhloIrModule) plain = parse (text), marked = mark (text);
  const GhloIrBlock *body = ghlo_ir_func_get_body (ghlo_ir_module_get_entry (plain));
  GhloValue *inputs[MAX_INPUTS], *outputs[3] = { NULL };

  for (guint i = 0; i < body->n_arguments; i++)
    {
      g_autoptr (GhloTensorType) type = ghlo_ir_type_to_tensor_type (body->arguments[i]->type);

      inputs[i] = ghlo_value_new_tensor (type, NULL);
      fill (inputs[i]);
    }
  run_on (reference, plain, inputs, body->n_arguments, &outputs[0]);
  run_on (executor, plain, inputs, body->n_arguments, &outputs[1]);
  run_on (executor, marked, inputs, body->n_arguments, &outputs[2]);
  for (gsize i = 0; i < outputs[0]->n_elements; i++)
    if (number_at (outputs[0], i) != number_at (outputs[1], i))
      g_error ("element %" G_GSIZE_FORMAT " differs from the reference executor's:\n%s", i, text);
  if (memcmp (outputs[1]->data, outputs[2]->data, outputs[1]->n_bytes) != 0)
    g_error ("an epilogue gives other bits:\n%s", text);
  for (guint i = 0; i < 3; i++)
    ghlo_value_unref (outputs[i]);
  for (guint i = 0; i < body->n_arguments; i++)
    ghlo_value_unref (inputs[i]);
}

/* The plan has lines with @words, which NULL ends, and the program computes the same. */
static void
check (const char *text,
       ...)
{
  g_autoptr (GhloIrModule) marked = mark (text);
  g_autofree char *plan = print_plan (marked);
  const char *word;
  va_list words;

  va_start (words, text);
  while ((word = va_arg (words, const char *)) != NULL)
    if (strstr (plan, word) == NULL)
      g_error ("expected \"%s\" in\n%s", word, plan);
  va_end (words);
  check_runs (text);
}

#define HEAD "func.func @main(%x: tensor<6x8xf32>, %w: tensor<8x4xf32>, %b: tensor<4xf32>, %r: tensor<6x4xf32>) "
#define DOT(result) \
  "  " result " = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : " \
  "(tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>\n"
#define BIAS \
  "  %bias = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<4xf32>) -> tensor<6x4xf32>\n"
#define ZERO \
  "  %zero = stablehlo.constant dense<0.0> : tensor<6x4xf32>\n"

static void
test_product (void)
{
  check (HEAD "-> tensor<6x4xf32> {\n" ZERO DOT ("%0") BIAS
         "  %1 = stablehlo.add %0, %bias : tensor<6x4xf32>\n"
         "  %2 = stablehlo.maximum %1, %zero : tensor<6x4xf32>\n"
         "  return %2 : tensor<6x4xf32>\n}\n",
         "plan: 1 step, 0 of them", "0 dot stablehlo.dot_general + add + maximum ", "-> out0 tensor<6x4xf32>", NULL);
  /* What stands on the left, and is made after the product. */
  check (HEAD "-> tensor<6x4xf32> {\n" DOT ("%0") BIAS
         "  %1 = stablehlo.subtract %bias, %0 : tensor<6x4xf32>\n"
         "  %2 = stablehlo.multiply %r, %r : tensor<6x4xf32>\n"
         "  %3 = stablehlo.subtract %2, %1 : tensor<6x4xf32>\n"
         "  return %3 : tensor<6x4xf32>\n}\n",
         "plan: 2 steps, 0 of them", "0 elementwise stablehlo.multiply",
         "1 dot stablehlo.dot_general + subtract + subtract", NULL);
  check (HEAD "-> tensor<24xf32> {\n" DOT ("%0")
         "  %low = stablehlo.constant dense<-1.0> : tensor<f32>\n"
         "  %high = stablehlo.constant dense<2.0> : tensor<f32>\n"
         "  %1 = stablehlo.reshape %0 : (tensor<6x4xf32>) -> tensor<24xf32>\n"
         "  %2 = stablehlo.reshape %r : (tensor<6x4xf32>) -> tensor<24xf32>\n"
         "  %3 = stablehlo.add %1, %2 : tensor<24xf32>\n"
         "  %4 = stablehlo.clamp %low, %3, %high : (tensor<f32>, tensor<24xf32>, tensor<f32>) -> tensor<24xf32>\n"
         "  return %4 : tensor<24xf32>\n}\n",
         "plan: 1 step, 0 of them", " + reshape + add + clamp ", NULL);
}

static void
test_convolution (void)
{
  check ("func.func @main(%x: tensor<2x6x6x3xf32>, %w: tensor<3x3x3x5xf32>, %b: tensor<5xf32>, "
         "%r: tensor<2x6x6x5xf32>) -> tensor<2x6x6x5xf32> {\n"
         "  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
         "window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
         "(tensor<2x6x6x3xf32>, tensor<3x3x3x5xf32>) -> tensor<2x6x6x5xf32>\n"
         "  %1 = stablehlo.broadcast_in_dim %b, dims = [3] : (tensor<5xf32>) -> tensor<2x6x6x5xf32>\n"
         "  %2 = stablehlo.add %0, %1 : tensor<2x6x6x5xf32>\n"
         "  %zero = stablehlo.constant dense<0.0> : tensor<2x6x6x5xf32>\n"
         "  %3 = stablehlo.maximum %2, %zero : tensor<2x6x6x5xf32>\n"
         "  %4 = stablehlo.add %3, %r : tensor<2x6x6x5xf32>\n"
         "  return %4 : tensor<2x6x6x5xf32>\n}\n",
         "plan: 1 step, 0 of them", "0 convolution stablehlo.convolution + add + maximum + add ", NULL);
}

/* As much as a kernel takes; the rest has steps of its own. */
static void
test_partly (void)
{
  /* There is no kernel for tanh. */
  check (HEAD "-> tensor<6x4xf32> {\n" DOT ("%0") BIAS
         "  %1 = stablehlo.add %0, %bias : tensor<6x4xf32>\n"
         "  %2 = stablehlo.sign %1 : tensor<6x4xf32>\n"
         "  %3 = stablehlo.tanh %2 : tensor<6x4xf32>\n"
         "  %4 = stablehlo.add %3, %r : tensor<6x4xf32>\n"
         "  return %4 : tensor<6x4xf32>\n}\n",
         "plan: 3 steps, 1 of them", "dot stablehlo.dot_general + add + sign ", "reference stablehlo.tanh", NULL);
  /* One operand's elements do not follow the result's. */
  check (HEAD "-> tensor<6x4xf32> {\n" DOT ("%0") BIAS
         "  %1 = stablehlo.add %0, %bias : tensor<6x4xf32>\n"
         "  %2 = stablehlo.reverse %r, dims = [1] : tensor<6x4xf32>\n"
         "  %3 = stablehlo.add %1, %2 : tensor<6x4xf32>\n"
         "  return %3 : tensor<6x4xf32>\n}\n",
         "plan: 2 steps, 0 of them", "0 dot stablehlo.dot_general + add ", "1 elementwise stablehlo.add", NULL);
}

static void
test_not (void)
{
  static const char dot[] = "dot stablehlo.dot_general \"";

  /* Used twice, by one operation or two, and returned. */
  check (HEAD "-> tensor<6x4xf32> {\n" DOT ("%0")
         "  %1 = stablehlo.multiply %0, %0 : tensor<6x4xf32>\n"
         "  return %1 : tensor<6x4xf32>\n}\n", "plan: 2 steps", dot, NULL);
  /* The other operand depends on the product. */
  check (HEAD "-> tensor<6x4xf32> {\n" DOT ("%0")
         "  %1 = stablehlo.negate %0 : tensor<6x4xf32>\n"
         "  %2 = stablehlo.multiply %1, %r : tensor<6x4xf32>\n"
         "  %3 = stablehlo.add %0, %2 : tensor<6x4xf32>\n"
         "  return %3 : tensor<6x4xf32>\n}\n", "plan: 4 steps", dot, NULL);
  /* Of another type. */
  check (HEAD "-> tensor<6x4xi1> {\n" ZERO DOT ("%0")
         "  %1 = stablehlo.compare LT, %0, %zero : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xi1>\n"
         "  return %1 : tensor<6x4xi1>\n}\n", "plan: 2 steps", dot, NULL);
  check (HEAD "-> tensor<0x4xf32> {\n"
         "  %s = stablehlo.slice %x [0:0, 0:8] : (tensor<6x8xf32>) -> tensor<0x8xf32>\n"
         "  %0 = stablehlo.dot %s, %w : (tensor<0x8xf32>, tensor<8x4xf32>) -> tensor<0x4xf32>\n"
         "  %1 = stablehlo.negate %0 : tensor<0x4xf32>\n"
         "  return %1 : tensor<0x4xf32>\n}\n", "dot stablehlo.dot \"", NULL);
  /* In a region that the product is outside of. */
  check (HEAD "-> tensor<6x4xf32> {\n" DOT ("%0")
         "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
         "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
         "  %three = stablehlo.constant dense<3> : tensor<i32>\n"
         "  %1:2 = stablehlo.while(%i = %zero, %s = %r) : tensor<i32>, tensor<6x4xf32>\n"
         "  cond {\n"
         "    %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
         "    stablehlo.return %c : tensor<i1>\n"
         "  } do {\n"
         "    %j = stablehlo.add %i, %one : tensor<i32>\n"
         "    %t = stablehlo.add %s, %0 : tensor<6x4xf32>\n"
         "    stablehlo.return %j, %t : tensor<i32>, tensor<6x4xf32>\n"
         "  }\n"
         "  return %1#1 : tensor<6x4xf32>\n}\n", dot, "loop 3 times", NULL);
}

/* What is carried is read and written by one step, in turns with another buffer. */
static void
test_loop (void)
{
  check ("func.func @main(%x: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {\n"
         "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
         "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
         "  %three = stablehlo.constant dense<3> : tensor<i32>\n"
         "  %1:2 = stablehlo.while(%i = %zero, %s = %x) : tensor<i32>, tensor<4x4xf32>\n"
         "  cond {\n"
         "    %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
         "    stablehlo.return %c : tensor<i1>\n"
         "  } do {\n"
         "    %j = stablehlo.add %i, %one : tensor<i32>\n"
         "    %2 = stablehlo.dot %b, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>\n"
         "    %3 = stablehlo.add %2, %s : tensor<4x4xf32>\n"
         "    %4 = stablehlo.negate %3 : tensor<4x4xf32>\n"
         "    stablehlo.return %j, %4 : tensor<i32>, tensor<4x4xf32>\n"
         "  }\n"
         "  return %1#1 : tensor<4x4xf32>\n}\n", "dot stablehlo.dot + add + negate ", " <-> ", NULL);
}

/* Products that meet: each follower is one product's alone. */
static void
test_two (void)
{
  check (HEAD "-> tensor<6x4xf32> {\n" DOT ("%0") DOT ("%1")
         "  %2 = stablehlo.negate %1 : tensor<6x4xf32>\n"
         "  %3 = stablehlo.add %0, %2 : tensor<6x4xf32>\n"
         "  %4 = stablehlo.abs %3 : tensor<6x4xf32>\n"
         "  return %4 : tensor<6x4xf32>\n}\n",
         "0 dot stablehlo.dot_general + negate ", "1 dot stablehlo.dot_general + add + abs ", "plan: 2 steps", NULL);
  /* Each waits for the one before. */
  check (HEAD "-> tensor<6x4xf32> {\n" DOT ("%0") DOT ("%1") DOT ("%2") DOT ("%3")
         "  %4 = stablehlo.tanh %r : tensor<6x4xf32>\n"
         "  %5 = stablehlo.sign %4 : tensor<6x4xf32>\n"
         "  %6 = stablehlo.add %5, %0 : tensor<6x4xf32>\n"
         "  %7 = stablehlo.add %6, %1 : tensor<6x4xf32>\n"
         "  %8 = stablehlo.add %7, %2 : tensor<6x4xf32>\n"
         "  %9 = stablehlo.add %8, %3 : tensor<6x4xf32>\n"
         "  return %9 : tensor<6x4xf32>\n}\n", "plan: 6 steps", "5 dot stablehlo.dot_general + add ", NULL);
}

/* A function that is called twice has its own followers each time. */
static void
test_calls (void)
{
  check ("func.func private @layer(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {\n"
         "  %0 = stablehlo.dot %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>\n"
         "  %1 = stablehlo.multiply %w, %x : tensor<4x4xf32>\n"
         "  %half = stablehlo.constant dense<0.5> : tensor<f32>\n"
         "  %2 = stablehlo.broadcast_in_dim %half, dims = [] : (tensor<f32>) -> tensor<4x4xf32>\n"
         "  %3 = stablehlo.add %0, %1 : tensor<4x4xf32>\n"
         "  %4 = stablehlo.multiply %2, %3 : tensor<4x4xf32>\n"
         "  return %4 : tensor<4x4xf32>\n}\n"
         "func.func @main(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {\n"
         "  %0 = call @layer(%x, %w) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>\n"
         "  %1 = call @layer(%0, %w) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>\n"
         "  return %1 : tensor<4x4xf32>\n}\n",
         "plan: 4 steps", "1 dot stablehlo.dot + add + multiply ", "3 dot stablehlo.dot + add + multiply ", NULL);
}

/* The mark alone, where nothing follows, or much: the plan looks for itself. */
static void
test_marks (void)
{
  static const char text[] =
    HEAD "-> tensor<6x4xf32> {\n"
    "  %0 = stablehlo.dot %x, %w {ghlo.epilogue} : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>\n"
    "  return %0 : tensor<6x4xf32>\n}\n";
  g_autoptr (GString) many = g_string_new (HEAD "-> tensor<6x4xf32> {\n" DOT ("%v0"));
  guint n = 40;

  check (text, "plan: 1 step", NULL);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (many, "  %%v%u = stablehlo.add %%v%u, %%r : tensor<6x4xf32>\n", i + 1, i);
  g_string_append_printf (many, "  return %%v%u : tensor<6x4xf32>\n}\n", n);
  check (many->str, "0 dot stablehlo.dot_general + add + add + add + add + add + add + add + add \"", "plan: 33 steps",
         NULL);
}

/* Random programs: a product or convolution, and what follows it. */
typedef struct
{
  GString    *arguments, *body;
  guint       n_arguments, n_values;
  const char *operand, *element;       /* of the product's operands and of its result */
  gboolean    is_ordered, is_float;
  guint       rank;                    /* of the result, as the next */
  gint64      dimensions[8];
  char       *product;                 /* what computes the first value, while it has these dimensions */
} Maker;

static char *
list_of (const char   *before,
         guint         n,
         const gint64 *numbers,
         const char   *between,
         const char   *after)
{
  GString *text = g_string_new (before);

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? between : "", numbers[i]);
  g_string_append (text, after);

  return g_string_free (text, FALSE);
}

static char *
type_of (const char   *element,
         guint         rank,
         const gint64 *dimensions)
{
  g_autofree char *after = g_strdup_printf ("%s%s>", rank > 0 ? "x" : "", element);

  return list_of ("tensor<", rank, dimensions, "x", after);
}

static char *
add_argument (Maker        *self,
              const char   *element,
              guint         rank,
              const gint64 *dimensions)
{
  g_autofree char *type = type_of (element, rank, dimensions);

  g_string_append_printf (self->arguments, "%s%%a%u: %s", self->n_arguments > 0 ? ", " : "", self->n_arguments, type);
  self->n_arguments++;

  return g_steal_pointer (&type);
}

static void
shuffle (guint *numbers,
         guint  n)
{
  for (guint i = 0; i < n; i++)
    numbers[i] = i;
  for (guint i = n; i > 1; i--)
    {
      guint other = (guint) g_test_rand_int_range (0, (gint) i), kept = numbers[i - 1];

      numbers[i - 1] = numbers[other];
      numbers[other] = kept;
    }
}

/* One operand of a product: batches, what is contracted and the rest in any order. */
static char *
add_side (Maker        *self,
          guint         n_batch,
          guint         n_contracted,
          const gint64 *sizes,
          gint64       *places)
{
  guint shared = n_batch + n_contracted, n = shared + (guint) g_test_rand_int_range (0, 3), order[8];
  gint64 dimensions[8];

  shuffle (order, n);
  for (guint i = 0; i < n; i++)
    if (order[i] < shared)
      {
        dimensions[i] = sizes[order[i]];
        places[order[i]] = i;
      }
    else
      dimensions[i] = self->dimensions[self->rank++] =
        g_test_rand_int_range (1, g_test_rand_int_range (0, 5) == 0 ? 90 : 9);

  return add_argument (self, self->operand, n, dimensions);
}

static void
add_dot (Maker *self)
{
  guint n_batch = (guint) g_test_rand_int_range (0, 3), n_contracted = (guint) g_test_rand_int_range (0, 3);
  gint64 sizes[4], places[2][4];
  g_autofree char *types[3] = { NULL }, *lists[4] = { NULL };

  for (guint i = 0; i < n_batch + n_contracted; i++)
    sizes[i] = g_test_rand_int_range (1, i < n_batch ? 5 : 12);
  for (guint i = 0; i < n_batch; i++)
    self->dimensions[self->rank++] = sizes[i];
  for (guint side = 0; side < 2; side++)
    {
      types[side] = add_side (self, n_batch, n_contracted, sizes, places[side]);
      lists[side] = list_of ("[", n_batch, places[side], ", ", "]");
      lists[2 + side] = list_of ("[", n_contracted, places[side] + n_batch, ", ", "]");
    }
  types[2] = type_of (self->element, self->rank, self->dimensions);
  self->product = g_strdup_printf ("stablehlo.dot_general %%a0, %%a1, batching_dims = %s x %s, contracting_dims = %s x "
                                   "%s : (%s, %s) -> %s", lists[0], lists[1], lists[2], lists[3], types[0], types[1],
                                   types[2]);
  for (guint i = 0; i < 3; i++)
    g_clear_pointer (&types[i], g_free);
  for (guint i = 0; i < 4; i++)
    g_clear_pointer (&lists[i], g_free);
}

/* The names of a tensor's dimensions in any order, and their sizes in the same. */
static char *
lay_out (const char   *names,
         const gint64 *sizes,
         gint64       *dimensions)
{
  guint n = (guint) strlen (names), order[8];
  GString *text = g_string_new ("[");

  shuffle (order, n);
  for (guint i = 0; i < n; i++)
    {
      g_string_append_printf (text, "%s%c", i > 0 ? ", " : "", names[order[i]]);
      dimensions[i] = sizes[order[i]];
    }
  g_string_append_c (text, ']');

  return g_string_free (text, FALSE);
}

static void
add_convolution (Maker *self)
{
  gint64 batch = g_test_rand_int_range (1, 4), features = g_test_rand_int_range (1, 17);
  gint64 results = g_test_rand_int_range (1, 20), step = g_test_rand_int_range (1, 3);
  gint64 pad = g_test_rand_int_range (0, 2), taps = g_test_rand_int_range (1, 4), places[2], given[2];
  gint64 dimensions[2][4];
  g_autofree char *input = NULL, *kernel = NULL, *output = NULL, *first = NULL, *second = NULL, *type = NULL;

  for (guint i = 0; i < 2; i++)
    {
      given[i] = g_test_rand_int_range (taps, 15);
      places[i] = (given[i] + 2 * pad - taps) / step + 1;
    }
  self->rank = 4;
  input = lay_out ("bf01", (gint64[]) { batch, features, given[0], given[1] }, dimensions[0]);
  kernel = lay_out ("io01", (gint64[]) { features, results, taps, taps }, dimensions[1]);
  output = lay_out ("bf01", (gint64[]) { batch, results, places[0], places[1] }, self->dimensions);
  first = add_argument (self, self->operand, 4, dimensions[0]);
  second = add_argument (self, self->operand, 4, dimensions[1]);
  type = type_of (self->element, 4, self->dimensions);
  self->product = g_strdup_printf ("stablehlo.convolution(%%a0, %%a1) dim_numbers = %sx%s->%s, window = "
                                   "{stride = [%d, %d], pad = [[%d, %d], [%d, %d]]} {batch_group_count = 1 : i64, "
                                   "feature_group_count = 1 : i64} : (%s, %s) -> %s", input, kernel, output, (int) step,
                                   (int) step, (int) pad, (int) pad, (int) pad, (int) pad, first, second, type);
}

/* Another operand: a number for all, an input, one that something is done to, the same
 * product once more, with a follower or without, or an input repeated along some dimensions. */
static char *
add_other (Maker *self)
{
  g_autofree char *type = type_of (self->element, self->rank, self->dimensions), *from = NULL, *list = NULL;
  guint kind = (guint) g_test_rand_int_range (0, 10), n = 0, number = self->n_values++;
  gint64 dimensions[8], kept[8];

  if (kind < 2)
    {
      g_string_append_printf (self->body, "  %%o%u = stablehlo.constant dense<%s> : %s\n", number,
                              strstr (self->element, "complex") != NULL ? "(1.0, -0.5)" : self->is_float ? "0.5" : "1",
                              type);
      return g_strdup_printf ("%%o%u", number);
    }
  if (kind == 2)
    {
      g_free (add_argument (self, self->element, self->rank, self->dimensions));
      return g_strdup_printf ("%%a%u", self->n_arguments - 1);
    }
  if (kind <= 4 && self->product != NULL && kind > 2)
    {
      g_string_append_printf (self->body, "  %%p%u = %s\n", number, self->product);
      if (kind == 4)
        return g_strdup_printf ("%%p%u", number);
      g_string_append_printf (self->body, "  %%o%u = stablehlo.negate %%p%u : %s\n", number, number, type);
      return g_strdup_printf ("%%o%u", number);
    }
  for (guint i = 0; i < self->rank; i++)
    if (kind == 3 || g_test_rand_bit ())
      {
        kept[n] = i;
        dimensions[n++] = self->dimensions[i];
      }
  from = add_argument (self, self->element, n, dimensions);
  if (kind == 3)
    g_string_append_printf (self->body, "  %%o%u = stablehlo.negate %%a%u : %s\n", number, self->n_arguments - 1, type);
  else
    {
      list = list_of ("[", n, kept, ", ", "]");
      g_string_append_printf (self->body, "  %%o%u = stablehlo.broadcast_in_dim %%a%u, dims = %s : (%s) -> %s\n",
                              number, self->n_arguments - 1, list, from, type);
    }

  return g_strdup_printf ("%%o%u", number);
}

/* All dimensions become one, or one becomes two. */
static void
add_reshape (Maker *self,
             guint  last,
             guint  next)
{
  g_autofree char *from = type_of (self->element, self->rank, self->dimensions), *to = NULL;
  gint64 n = 1;

  for (guint i = 0; i < self->rank; i++)
    n *= self->dimensions[i];
  self->rank = 1;
  self->dimensions[0] = n;
  g_clear_pointer (&self->product, g_free);
  if (n % 2 == 0 && g_test_rand_bit ())
    {
      self->dimensions[self->rank++] = 2;
      self->dimensions[0] = n / 2;
    }
  to = type_of (self->element, self->rank, self->dimensions);
  g_string_append_printf (self->body, "  %%v%u = stablehlo.reshape %%v%u : (%s) -> %s\n", next, last, from, to);
}

static void
add_follower (Maker *self,
              guint  last,
              guint  next)
{
  static const char *const ops[] = { "add", "subtract", "multiply", "maximum", "minimum" };
  g_autofree char *type = type_of (self->element, self->rank, self->dimensions), *one = NULL, *other = NULL;
  guint kind = (guint) g_test_rand_int_range (0, 10);

  if (kind == 9)
    add_reshape (self, last, next);
  else if (kind == 8)
    g_string_append_printf (self->body, "  %%v%u = stablehlo.negate %%v%u : %s\n", next, last, type);
  else if (kind == 7 && self->is_ordered)
    {
      one = add_other (self);
      other = add_other (self);
      g_string_append_printf (self->body, "  %%v%u = stablehlo.clamp %s, %%v%u, %s : %s\n", next, one, last, other,
                              type);
    }
  else
    {
      const char *op = ops[kind % (self->is_ordered ? 5 : 3)];

      other = add_other (self);
      if (g_test_rand_bit ())
        g_string_append_printf (self->body, "  %%v%u = stablehlo.%s %%v%u, %s : %s\n", next, op, last, other, type);
      else
        g_string_append_printf (self->body, "  %%v%u = stablehlo.%s %s, %%v%u : %s\n", next, op, other, last, type);
    }
}

/* A program of up to six followers. */
static char *
make_program (gboolean convolution)
{
  static const struct
  {
    const char *operand, *element;
    gboolean    is_ordered, is_float;
  } types[] = {
    { "f32", "f32", TRUE, TRUE }, { "bf16", "bf16", TRUE, TRUE }, { "f16", "f16", TRUE, TRUE },
    { "f64", "f64", TRUE, TRUE }, { "i32", "i32", TRUE, FALSE }, { "i8", "i32", TRUE, FALSE },
    { "ui8", "ui8", TRUE, FALSE }, { "i64", "i64", TRUE, FALSE }, { "bf16", "f32", TRUE, TRUE },
    { "complex<f32>", "complex<f32>", FALSE, TRUE },
  };
  guint t = (guint) g_test_rand_int_range (0, G_N_ELEMENTS (types)), n = (guint) g_test_rand_int_range (1, 7);
  g_autoptr (GString) arguments = g_string_new (NULL), body = g_string_new (NULL);
  Maker self = {
    .arguments = arguments, .body = body, .operand = types[t].operand, .element = types[t].element,
    .is_ordered = types[t].is_ordered, .is_float = types[t].is_float,
  };
  g_autofree char *type = NULL;

  if (convolution)
    add_convolution (&self);
  else
    add_dot (&self);
  g_string_append_printf (self.body, "  %%v0 = %s\n", self.product);
  for (guint i = 0; i < n; i++)
    add_follower (&self, i, i + 1);
  type = type_of (self.element, self.rank, self.dimensions);
  g_free (self.product);

  return g_strdup_printf ("func.func @main(%s) -> %s {\n%s  return %%v%u : %s\n}\n", arguments->str, type, body->str,
                          n, type);
}

static void
check_random (gboolean convolution)
{
  guint n_joined = 0, n = 300;

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *text = make_program (convolution), *plan = NULL;
      g_autoptr (GhloIrModule) marked = mark (text);

      plan = print_plan (marked);
      n_joined += strstr (plan, " + ") != NULL;
      check_runs (text);
    }
  g_assert_cmpuint (n_joined, >, n / 2);
}

static void
test_random_products (void)
{
  check_random (FALSE);
}

static void
test_random_convolutions (void)
{
  check_random (TRUE);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/plan-followers/product", test_product);
  g_test_add_func ("/plan-followers/convolution", test_convolution);
  g_test_add_func ("/plan-followers/partly", test_partly);
  g_test_add_func ("/plan-followers/not", test_not);
  g_test_add_func ("/plan-followers/loop", test_loop);
  g_test_add_func ("/plan-followers/two", test_two);
  g_test_add_func ("/plan-followers/calls", test_calls);
  g_test_add_func ("/plan-followers/marks", test_marks);
  g_test_add_func ("/plan-followers/random-products", test_random_products);
  g_test_add_func ("/plan-followers/random-convolutions", test_random_convolutions);

  return g_test_run ();
}
