/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Placement of single steps of a device's program on the CPU: the minimum cut of the costs, which steps move at which
 * rates, and that the results are the reference executor's wherever steps are placed.
 */

#include "../reference/kernel-programs.h"

#include "compiler/devices.h"
#include "cpu/device.h"
#include "cpu/steps.h"
#include "discrete-device.h"
#include "plan/cut.h"
#include "plan/place.h"
#include "runtime/place.h"

/* Cuts. */

enum { MAX_NODES = 9, MAX_PAIRS = 24, MAX_COST = 20, N_CUTS = 2000 };

typedef struct
{
  guint  n, n_pairs;
  gint64 here[MAX_NODES], there[MAX_NODES];
  struct { guint here, there; gint64 cost; } pairs[MAX_PAIRS];
} Problem;

/* The cost when the nodes whose bits are set in @there are in the second place. */
static gint64
cost_of (const Problem *self,
         guint          there)
{
  gint64 cost = 0;

  for (guint i = 0; i < self->n; i++)
    cost += there >> i & 1 ? self->there[i] : self->here[i];
  for (guint i = 0; i < self->n_pairs; i++)
    if (!(there >> self->pairs[i].here & 1) && (there >> self->pairs[i].there & 1))
      cost += self->pairs[i].cost;

  return cost;
}

static gint64
random_cost (void)
{
  gint64 cost = g_test_rand_int_range (0, MAX_COST);

  return cost == MAX_COST - 1 ? GHLO_CUT_NEVER : cost;
}

static void
draw (Problem *self)
{
  *self = (Problem) { .n = g_test_rand_int_range (1, MAX_NODES + 1), .n_pairs = g_test_rand_int_range (0, MAX_PAIRS) };
  for (guint i = 0; i < self->n; i++)
    {
      self->here[i] = random_cost ();
      self->there[i] = self->here[i] < GHLO_CUT_NEVER ? random_cost () : 0;
    }
  for (guint i = 0; i < self->n_pairs; i++)
    {
      self->pairs[i].here = g_test_rand_int_range (0, self->n);
      self->pairs[i].there = (self->pairs[i].here + g_test_rand_int_range (0, self->n)) % self->n;
      self->pairs[i].cost = self->pairs[i].here != self->pairs[i].there ? g_test_rand_int_range (0, MAX_COST) : 0;
    }
}

/* Compares with all placements of a few nodes: the cost is minimal, and no other minimal placement has fewer nodes
 * in the second place. */
static void
test_cuts (void)
{
  for (guint round = 0; round < N_CUTS; round++)
    {
      g_autoptr (GhloCut) cut = ghlo_cut_new ();
      Problem problem;
      guint found = 0;

      draw (&problem);
      for (guint i = 0; i < problem.n; i++)
        g_assert_cmpuint (ghlo_cut_add_node (cut, problem.here[i], problem.there[i]), ==, i);
      for (guint i = 0; i < problem.n_pairs; i++)
        if (problem.pairs[i].here != problem.pairs[i].there)
          ghlo_cut_add_pair (cut, problem.pairs[i].here, problem.pairs[i].there, problem.pairs[i].cost);
      g_assert_true (ghlo_cut_solve (cut, G_MAXUINT64));
      for (guint i = 0; i < problem.n; i++)
        found |= (guint) ghlo_cut_is_there (cut, i) << i;
      for (guint there = 0; there < 1u << problem.n; there++)
        {
          g_assert_cmpint (cost_of (&problem, found), <=, cost_of (&problem, there));
          if (cost_of (&problem, found) == cost_of (&problem, there))
            g_assert_cmphex (found & there, ==, found);
        }
    }
}

/* A chain longer than any program considered, whose nodes alternately prefer the two places. */
static void
test_long (void)
{
  const guint n = 100000;
  g_autoptr (GhloCut) cut = ghlo_cut_new (), given_up = ghlo_cut_new ();

  for (guint i = 0; i < n; i++)
    {
      guint node = ghlo_cut_add_node (cut, i % 2 == 0 ? 0 : 5, i % 2 == 0 ? 5 : 0);

      ghlo_cut_add_node (given_up, 3, 5);
      if (i == 0)
        continue;
      ghlo_cut_add_pair (cut, node - 1, node, 2);
      ghlo_cut_add_pair (cut, node, node - 1, 2);
    }
  g_assert_true (ghlo_cut_solve (cut, G_MAXUINT64));
  for (guint i = 1; i + 1 < n; i++)
    g_assert_true (ghlo_cut_is_there (cut, i) == (i % 2 != 0));
  g_assert_false (ghlo_cut_solve (given_up, 1000));
}

/* Plans. */

static const GhloDeviceRates slow = {
  .bytes = 1e4, .products = { 1e4, 1e4, 1e4 }, .scalars = 1e4, .uploads = 1e4, .downloads = 1e4, .run = 1, .step = 1,
};
static const GhloDeviceRates fast = {
  .bytes = 1e18, .products = { 1e18, 1e18, 1e18 }, .scalars = 1e18, .uploads = 1e18, .downloads = 1e18,
};

static GhloPrepared *
prepare_placed (const char *text,
                gboolean    may_use_host)
{
  g_autoptr (GhloIrModule) module = parse (text);
  g_autoptr (GError) error = NULL;
  GhloPrepareOptions options = ghlo_devices_get_options ();
  GhloPrepared *prepared;

  options.may_use_host = may_use_host;
  prepared = ghlo_device_core_prepare (discrete_device (), module, ghlo_ir_module_get_entry (module), &options, NULL,
                                       &error);
  g_assert_no_error (error);

  return prepared;
}

static guint
count (const char *text,
       const char *part)
{
  guint n = 0;

  for (const char *p = strstr (text, part); p != NULL; p = strstr (p + 1, part))
    n++;

  return n;
}

#define T "tensor<64x64xi32>"

/* At the current rates the program has that many steps on the CPU that the device could run, and that many
 * transfers, and gives the reference executor's results. */
static void
assert_placed (const char *text,
               guint       n_placed,
               guint       n_transfers)
{
  g_autoptr (GhloPrepared) prepared = prepare_placed (text, TRUE), again = prepare_placed (text, TRUE);
  g_autofree char *plan = ghlo_prepared_describe (prepared), *same = ghlo_prepared_describe (again);
  g_autoptr (GhloValue) input = new_random (T, -100, 100);
  g_autoptr (GhloValue) placed = ghlo_value_place (input, discrete_device (), NULL, NULL);
  g_autoptr (GError) error = NULL;
  GhloValue *expected, *found;

  if (count (plan, "running it on the CPU is estimated to be faster") != n_placed
      || count (plan, " transfer of ") != n_transfers)
    g_error ("expected %u steps that are placed and %u transfers in\n%s", n_placed, n_transfers, plan);
  g_assert_cmpstr (plan, ==, same);
  run_text (text, &input, 1, &expected);
  g_assert_true (ghlo_prepared_run (prepared, NULL, &placed, 1, &found, NULL, &error));
  g_assert_no_error (error);
  g_assert_true (ghlo_value_get_device (found) == discrete_device () && ghlo_value_fetch (found, NULL, NULL));
  g_assert_cmpmem (found->data, found->n_bytes, expected->data, expected->n_bytes);
  ghlo_value_unref (expected);
  ghlo_value_unref (found);
}

/* Three steps, of which only the second is of another kind. */
static const char chain[] =
  "func.func @main(%x: " T ") -> " T " {\n"
  "  %0 = stablehlo.negate %x : " T "\n"
  "  %1 = stablehlo.dot %0, %0 : (" T ", " T ") -> " T "\n"
  "  %2 = stablehlo.negate %1 : " T "\n"
  "  return %2 : " T "\n"
  "}\n";

static void
test_chain (void)
{
  g_autoptr (GhloPrepared) kept = NULL;
  g_autofree char *plan = NULL;

  /* The device is slow and transfers are free: all steps move together. */
  discrete_rates = slow;
  discrete_rates.uploads = discrete_rates.downloads = 1e18;
  discrete_rates.run = 0;
  discrete_rates.step = 0;
  assert_placed (chain, 3, 2);
  kept = prepare_placed (chain, FALSE);
  plan = ghlo_prepared_describe (kept);
  g_assert_cmpuint (count (plan, "running it on the CPU is estimated to be faster"), ==, 0);

  /* Transfers cost more than the device's steps: none moves, though each step alone would be faster. */
  discrete_rates.uploads = discrete_rates.downloads = 1;
  assert_placed (chain, 0, 0);

  /* The product pays for its transfers. */
  discrete_rates = fast;
  discrete_rates.products[GHLO_PRODUCT_F32] = 1;
  assert_placed (chain, 1, 2);
  discrete_rates.downloads = 1e-2;
  assert_placed (chain, 0, 0);
  discrete_rates.downloads = 1e18;
  discrete_rates.run = 1e9;
  assert_placed (chain, 0, 0);

  /* Nothing is known. */
  discrete_rates = (GhloDeviceRates) { 0 };
  assert_placed (chain, 0, 0);
}

/* A step between two steps that the device lacks moves with them where transfers there and back would cost more. */
static void
test_between (void)
{
  static const char text[] =
    "func.func @main(%x: " T ") -> " T " {\n"
    "  %0 = stablehlo.maximum %x, %x : " T "\n"
    "  %1 = stablehlo.negate %0 : " T "\n"
    "  %2 = stablehlo.maximum %1, %0 : " T "\n"
    "  return %2 : " T "\n"
    "}\n";

  discrete_rates = slow;
  assert_placed (text, 1, 2);
  discrete_rates = fast;
  assert_placed (text, 0, 4);
}

/* A loop moves together with its carried values, and nothing is transferred in it. */
static void
test_loop (void)
{
  static const char text[] =
    "func.func @main(%x: " T ") -> " T " {\n"
    "  %n = stablehlo.constant dense<10> : tensor<i32>\n"
    "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "  %s = stablehlo.negate %x : " T "\n"
    "  %i, %z = stablehlo.while(%k = %zero, %c = %x) : tensor<i32>, " T "\n"
    "    cond {\n"
    "    %less = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    stablehlo.return %less : tensor<i1>\n"
    "  } do {\n"
    "    %next = stablehlo.add %k, %one : tensor<i32>\n"
    "    %0 = stablehlo.add %c, %s : " T "\n"
    "    stablehlo.return %next, %0 : tensor<i32>, " T "\n"
    "  }\n"
    "  %r = stablehlo.negate %z : " T "\n"
    "  return %r : " T "\n"
    "}\n";

  /* Ten additions of half a second pay for two transfers of two seconds, which a single addition would not; the
   * steps around the loop move along, since their operands would be transferred as well. */
  discrete_rates = fast;
  discrete_rates.scalars = 8192;
  discrete_rates.uploads = discrete_rates.downloads = 8192;
  assert_placed (text, 3, 2);
  /* Now nothing does. */
  discrete_rates.uploads = discrete_rates.downloads = 512;
  assert_placed (text, 0, 0);
}

/* As many operations as large models have, at rates that leave the placement undecided; the time taken is reported. */
static void
test_large (void)
{
  static const char *const ops[] = { "negate", "sine", "add", "maximum", "multiply" };
  const guint n = 20000;
  g_autoptr (GString) text = g_string_new ("func.func @main(%0: " T ", %1: " T ") -> " T " {\n");
  g_autoptr (GHashTable) placed = NULL;
  g_autoptr (GhloIrModule) module = NULL;
  const GhloDeviceRates *cpu = ghlo_cpu_device ()->rates;

  for (guint i = 2; i < n; i++)
    {
      const char *op = ops[g_test_rand_int_range (0, G_N_ELEMENTS (ops))];
      guint far = i - 1 - g_test_rand_int_range (0, MIN (i, 50));

      if (g_str_equal (op, "negate") || g_str_equal (op, "sine"))
        g_string_append_printf (text, "  %%%u = stablehlo.negate %%%u : " T "\n", i, far);
      else
        g_string_append_printf (text, "  %%%u = stablehlo.%s %%%u, %%%u : " T "\n", i, op, i - 1, far);
    }
  g_string_append_printf (text, "  return %%%u : " T "\n}\n", n - 1);
  module = parse (text->str);
  discrete_rates = *cpu;
  discrete_rates.uploads = discrete_rates.downloads = cpu->bytes;
  discrete_rates.run = discrete_rates.step = cpu->step * 0.9;
  g_test_timer_start ();
  placed = ghlo_step_place (ghlo_ir_module_get_entry (module),
                            discrete_device (), ghlo_cpu_device ());
  g_test_message ("%u of %u operations placed in %.1f ms", placed != NULL ? g_hash_table_size (placed) : 0, n,
                  g_test_timer_elapsed () * 1e3);
  g_assert_nonnull (placed);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plan/place/cuts", test_cuts);
  g_test_add_func ("/plan/place/long", test_long);
  g_test_add_func ("/plan/place/chain", test_chain);
  g_test_add_func ("/plan/place/between", test_between);
  g_test_add_func ("/plan/place/loop", test_loop);
  g_test_add_func ("/plan/place/large", test_large);

  return g_test_run ();
}
