/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Groups that become kernels: what the device is asked and what the asker is told, the limits of groups, and random
 * programs whose groups are hard to keep apart, with values that are read both directly and after products, rows,
 * transposes and scalars. Fused programs give the same bits.
 */

#include "pass-help.h"

#include "ir/fusion.h"

enum { N_PROGRAMS = 300, N_STEPS = 50, MAX_OPS = 256, MAX_VALUES = 48 };

static const char *const both[] = { "fuse-reductions", "fuse-maps", NULL };

static GhloIrModule *
parse (const char *text)
{
  g_autoptr (GError) error = NULL;
  GhloIrModule *module = pass_parse ("test.mlir", text, strlen (text), &error);

  if (module == NULL)
    g_error ("%s\n%s", error->message, text);

  return module;
}

static GhloIrModule *
fuse (GhloIrModule          *module,
      const GhloPassOptions *options)
{
  g_autoptr (GError) error = NULL;
  GhloPassOptions own = *options;
  GhloIrModule *fused;

  own.only = both;
  fused = pass_apply (module, &own, NULL, &error);
  g_assert_no_error (error);

  return fused;
}

static guint
count_fusions (const GhloIrBlock *block)
{
  guint n = 0;

  for (const GhloIrOp *op = block->first; op != NULL; op = op->next)
    n += ghlo_ir_fusion_get_body (op) != NULL;

  return n;
}

static const GhloIrBlock *
main_block (const GhloIrModule *module)
{
  return ghlo_ir_func_get_body (ghlo_ir_module_get_entry (module));
}

static void
assert_same (GhloIrModule *before,
             GhloIrModule *after)
{
  guint n_runs = 0;
  g_autofree char *difference = pass_compare_modules (before, after, 2, FALSE, 0, &n_runs);

  if (difference != NULL)
    {
      g_autofree char *text = ghlo_ir_to_string (before, GHLO_IR_PRINT_STRIP_LOCATIONS);
      g_autofree char *fused = ghlo_ir_to_string (after, GHLO_IR_PRINT_STRIP_LOCATIONS);

      g_error ("%s\n%s%s", difference, text, fused);
    }
  g_assert_cmpuint (n_runs, >, 0);
}

/* Counts the questions to the device and the notifications. */

typedef struct
{
  guint n_asked, n_reported, n_merges, n_declined, last_number;
} Talk;

static const char *
declines (gpointer               data,
          GhloFusionKind         kind,
          const GhloIrOp *const *ops,
          guint                  n_ops)
{
  Talk *talk = data;

  talk->n_asked++;
  g_assert_cmpint (kind, ==, GHLO_FUSION_MAP);
  for (guint i = 0; i < n_ops; i++)
    {
      const GhloIrOp *op = ops[i];

      /* Operations are in order: before all their uses. */
      for (guint k = 0; k < i; k++)
        for (guint n = 0; n < ops[k]->n_operands; n++)
          g_assert_true (ghlo_ir_op_operand (ops[k], n)->op != op);
      if (op->kind == GHLO_OP_STABLEHLO_TANH)
        return "there is no tanh";
    }

  return n_ops > 3 ? "there are too many" : NULL;
}

static void
report_candidate (gpointer                   data,
                  const GhloIrModule        *module,
                  const GhloFusionCandidate *candidate)
{
  Talk *talk = data;

  talk->n_reported++;
  g_assert_cmpint (candidate->kind, ==, GHLO_FUSION_MAP);
  g_assert_nonnull (candidate->first);
  g_assert_nonnull (candidate->op);
  if (candidate->reason == NULL)
    {
      g_assert_cmpuint (candidate->number, ==, ++talk->last_number);
      talk->n_merges++;
      return;
    }
  g_assert_cmpuint (candidate->number, ==, 0);
  if (g_str_equal (candidate->reason, "there is no tanh"))
    talk->n_declined++;
}

static const char *const layer =
  "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
  "  %one = stablehlo.constant dense<1.0> : tensor<4xf32>\n"
  "  %0 = stablehlo.add %x, %one : tensor<4xf32>\n"
  "  %1 = stablehlo.multiply %0, %x : tensor<4xf32>\n"
  "  %2 = stablehlo.tanh %1 : tensor<4xf32>\n"
  "  %3 = stablehlo.negate %2 : tensor<4xf32>\n"
  "  %4 = stablehlo.abs %3 : tensor<4xf32>\n"
  "  %5 = stablehlo.sqrt %4 : tensor<4xf32>\n"
  "  %6 = stablehlo.floor %5 : tensor<4xf32>\n"
  "  return %6 : tensor<4xf32>\n}\n";

static void
test_device (void)
{
  Talk talk = { 0 };
  const GhloPassOptions options = { .fusion = { declines, &talk, report_candidate, &talk } };
  g_autoptr (GhloIrModule) module = parse (layer), fused = fuse (module, &options);

  /* (add, multiply), tanh, and of the four operations after it three, or two and two. */
  g_assert_cmpuint (talk.n_merges, >=, 3);
  g_assert_cmpuint (talk.n_declined, >=, 1);
  g_assert_cmpuint (talk.n_reported, >=, talk.n_merges + talk.n_declined);
  g_assert_cmpuint (talk.n_asked, >, talk.n_merges);
  g_assert_cmpuint (count_fusions (main_block (fused)), >=, 2);
  for (const GhloIrOp *op = main_block (fused)->first; op != NULL; op = op->next)
    {
      const GhloIrBlock *body = ghlo_ir_fusion_get_body (op);
      guint n = 0;

      for (const GhloIrOp *inner = body != NULL ? body->first : NULL; inner != NULL && inner != body->last;
           inner = inner->next, n++)
        g_assert_cmpint (inner->kind, !=, GHLO_OP_STABLEHLO_TANH);
      g_assert_cmpuint (n, <=, 3);
    }
  assert_same (module, fused);
}

/* GHLO_FUSE limits the fusions of both passes together. */
static void
test_count (void)
{
  static const char *const text =
    "func.func @main(%x: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4x4xf32>) {\n"
    "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %0 = stablehlo.abs %x : tensor<4x4xf32>\n"
    "  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : "
    "(tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>\n"
    "  %2 = stablehlo.dot %0, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>\n"
    "  %3 = stablehlo.abs %2 : tensor<4x4xf32>\n"
    "  %4 = stablehlo.sqrt %3 : tensor<4x4xf32>\n"
    "  return %1, %4 : tensor<4xf32>, tensor<4x4xf32>\n}\n";
  const GhloPassOptions options = { .use_environment = TRUE };
  g_autoptr (GhloIrModule) module = parse (text);

  for (guint n = 0; n < 4; n++)
    {
      g_autofree char *number = g_strdup_printf ("%u", n);
      g_autoptr (GhloIrModule) fused = NULL;

      g_setenv ("GHLO_FUSE", number, TRUE);
      fused = fuse (module, &options);
      g_unsetenv ("GHLO_FUSE");
      g_assert_cmpuint (count_fusions (main_block (fused)), ==, MIN (n, 2));
    }
}

/* Limits */

static void
check_limits (const GhloIrModule *module)
{
  g_assert_cmpuint (count_fusions (main_block (module)), >, 1);
  for (const GhloIrOp *op = main_block (module)->first; op != NULL; op = op->next)
    {
      const GhloIrBlock *body = ghlo_ir_fusion_get_body (op);
      guint n = 0;

      for (const GhloIrOp *inner = body != NULL ? body->first : NULL; inner != NULL && inner != body->last;
           inner = inner->next)
        n++;
      g_assert_cmpuint (n, <=, MAX_OPS);
      if (body != NULL)
        g_assert_cmpuint (op->n_operands + op->n_results, <=, MAX_VALUES);
    }
}

static void
test_limits (void)
{
  const GhloPassOptions options = { 0 };
  g_autoptr (GString) chain = g_string_new ("func.func @main(%v0: tensor<4xi32>) -> tensor<4xi32> {\n");
  g_autoptr (GString) sum = g_string_new ("func.func @main(%v0: tensor<4xi32>");
  g_autoptr (GhloIrModule) module = NULL, fused = NULL;

  for (guint i = 0; i < 600; i++)
    g_string_append_printf (chain, "  %%v%u = stablehlo.%s %%v%u, %%v%u : tensor<4xi32>\n", i + 1,
                            i % 2 == 0 ? "add" : "xor", i, i > 0 ? i - 1 : 0);
  g_string_append (chain, "  return %v600 : tensor<4xi32>\n}\n");
  module = parse (chain->str);
  fused = fuse (module, &options);
  check_limits (fused);
  assert_same (module, fused);
  g_clear_pointer (&module, ghlo_ir_module_unref);
  g_clear_pointer (&fused, ghlo_ir_module_unref);

  for (guint i = 1; i < 100; i++)
    g_string_append_printf (sum, ", %%v%u: tensor<4xi32>", i);
  g_string_append (sum, ") -> tensor<4xi32> {\n  %s0 = stablehlo.not %v0 : tensor<4xi32>\n");
  for (guint i = 1; i < 100; i++)
    g_string_append_printf (sum, "  %%s%u = stablehlo.add %%s%u, %%v%u : tensor<4xi32>\n", i, i - 1, i);
  g_string_append (sum, "  return %s99 : tensor<4xi32>\n}\n");
  module = parse (sum->str);
  fused = fuse (module, &options);
  check_limits (fused);
  assert_same (module, fused);
}

/* An operation that is moved is recomputed for each of its readers; the number of such places is limited. */
static void
test_places (void)
{
  const GhloPassOptions options = { 0 };
  g_autoptr (GString) text = g_string_new ("func.func @main(%v0: tensor<4x4xi32>) -> tensor<4x4xi32> {\n");
  g_autoptr (GhloIrModule) module = NULL, fused = NULL;

  for (guint i = 0; i < 40; i++)
    g_string_append_printf (text, "  %%t%u = stablehlo.transpose %%v%u, dims = [1, 0] : (tensor<4x4xi32>) -> "
                            "tensor<4x4xi32>\n  %%v%u = stablehlo.add %%v%u, %%t%u : tensor<4x4xi32>\n",
                            i, i, i + 1, i, i);
  g_string_append (text, "  return %v40 : tensor<4x4xi32>\n}\n");
  module = parse (text->str);
  fused = fuse (module, &options);
  check_limits (fused);
  assert_same (module, fused);
}

/* Random programs */

typedef enum
{
  WIDE,      /* 4x6 */
  TALL,      /* 6x4 */
  ROW,       /* 4 */
  COLUMN,    /* 6 */
  SINGLE,
  N_SHAPES
} Shape;

static const char *const types[] = { "tensor<4x6xi32>", "tensor<6x4xi32>", "tensor<4xi32>", "tensor<6xi32>",
                                     "tensor<i32>" };

typedef struct
{
  GString *text;
  guint    n, numbers[N_SHAPES][2 * N_STEPS + 8], n_of[N_SHAPES];
} Program;

static guint
pick (const Program *self,
      Shape          shape)
{
  gint32 n = (gint32) self->n_of[shape];

  /* Prefers recent values. */
  return self->numbers[shape][g_test_rand_int_range (0, 3) > 0 ? n - g_test_rand_int_range (1, MIN (n, 6) + 1)
                                                               : g_test_rand_int_range (0, n)];
}

static void
add_value (Program *self,
           Shape    shape)
{
  self->numbers[shape][self->n_of[shape]++] = self->n++;
}

static void
add_elementwise (Program *self,
                 Shape    shape)
{
  static const char *const names[] = { "add", "subtract", "multiply", "maximum", "xor" };

  g_string_append_printf (self->text, "  %%v%u = stablehlo.%s %%v%u, %%v%u : %s\n", self->n,
                          names[g_test_rand_int_range (0, G_N_ELEMENTS (names))], pick (self, shape),
                          pick (self, shape), types[shape]);
  add_value (self, shape);
}

static void
add_one (Program    *self,
         const char *operation,
         Shape       from,
         const char *rest,
         Shape       to)
{
  g_string_append_printf (self->text, "  %%v%u = stablehlo.%s %%v%u%s : (%s) -> %s\n", self->n, operation,
                          pick (self, from), rest, types[from], types[to]);
  add_value (self, to);
}

static void
add_reduce (Program *self,
            Shape    from,
            guint    dimension,
            Shape    to)
{
  g_string_append_printf (self->text, "  %%v%u = stablehlo.reduce(%%v%u init: %%zero) applies stablehlo.%s across "
                          "dimensions = [%u] : (%s, tensor<i32>) -> %s\n", self->n, pick (self, from),
                          g_test_rand_int_range (0, 2) == 0 ? "add" : "maximum", dimension, types[from], types[to]);
  add_value (self, to);
}

/* A product belongs to no group, so that paths lead out of groups and back. */
static void
add_product (Program *self)
{
  g_string_append_printf (self->text, "  %%p%u = stablehlo.dot %%v%u, %%v%u : (%s, %s) -> tensor<4x4xi32>\n"
                          "  %%v%u = stablehlo.dot %%p%u, %%v%u : (tensor<4x4xi32>, %s) -> %s\n", self->n,
                          pick (self, WIDE), pick (self, TALL), types[WIDE], types[TALL], self->n, self->n,
                          pick (self, WIDE), types[WIDE], types[WIDE]);
  add_value (self, WIDE);
}

static void
add_step (Program *self)
{
  switch (g_test_rand_int_range (0, 16))
    {
    case 0:
      add_reduce (self, WIDE, 1, ROW);
      break;
    case 1:
      add_reduce (self, WIDE, 0, COLUMN);
      break;
    case 2:
      add_reduce (self, TALL, 1, COLUMN);
      break;
    case 3:
      add_reduce (self, ROW, 0, SINGLE);
      break;
    case 4:
      add_one (self, "broadcast_in_dim", ROW, ", dims = [0]", WIDE);
      break;
    case 5:
      add_one (self, "broadcast_in_dim", ROW, ", dims = [1]", TALL);
      break;
    case 6:
      add_one (self, "broadcast_in_dim", SINGLE, ", dims = []", g_test_rand_int_range (0, 2) == 0 ? WIDE : ROW);
      break;
    case 7:
      add_one (self, "transpose", WIDE, ", dims = [1, 0]", TALL);
      break;
    case 8:
      add_one (self, "transpose", TALL, ", dims = [1, 0]", WIDE);
      break;
    case 9:
      add_product (self);
      break;
    default:
      add_elementwise (self, (Shape) g_test_rand_int_range (0, N_SHAPES));
    }
}

static char *
make_program (void)
{
  Program self = { .text = g_string_new ("func.func @main(") };

  for (Shape shape = WIDE; shape < N_SHAPES; shape++)
    {
      g_string_append_printf (self.text, "%s%%v%u: %s", shape > 0 ? ", " : "", self.n, types[shape]);
      add_value (&self, shape);
    }
  g_string_append_printf (self.text, ") -> (%s, %s, %s, %s, %s) {\n  %%zero = stablehlo.constant dense<0> : "
                          "tensor<i32>\n", types[0], types[1], types[2], types[3], types[4]);
  for (guint i = 0; i < N_STEPS; i++)
    add_step (&self);
  g_string_append (self.text, "  return");
  for (Shape shape = WIDE; shape < N_SHAPES; shape++)
    g_string_append_printf (self.text, "%s %%v%u", shape > 0 ? "," : "", self.numbers[shape][self.n_of[shape] - 1]);
  g_string_append_printf (self.text, " : %s, %s, %s, %s, %s\n}\n", types[0], types[1], types[2], types[3], types[4]);

  return g_string_free (self.text, FALSE);
}

static void
test_random (void)
{
  static const char *const first[] = { "dce", NULL };
  const GhloPassOptions options = { 0 };
  guint n_fusions = 0;

  for (guint i = 0; i < N_PROGRAMS; i++)
    {
      g_autofree char *text = make_program ();
      g_autoptr (GhloIrModule) module = parse (text), clean = NULL, fused = NULL;
      g_autoptr (GError) error = NULL;

      clean = pass_apply (module, &(GhloPassOptions) { .only = first }, NULL, &error);
      g_assert_no_error (error);
      fused = fuse (i % 4 == 0 ? module : clean, &options);
      n_fusions += count_fusions (main_block (fused));
      assert_same (module, fused);
    }
  g_test_message ("%u fusions in %u programs", n_fusions, N_PROGRAMS);
  g_assert_cmpuint (n_fusions, >, 2 * N_PROGRAMS);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_unsetenv ("GHLO_FUSE");
  g_test_add_func ("/fuse/device", test_device);
  g_test_add_func ("/fuse/count", test_count);
  g_test_add_func ("/fuse/limits", test_limits);
  g_test_add_func ("/fuse/places", test_places);
  g_test_add_func ("/fuse/random", test_random);

  return g_test_run ();
}
