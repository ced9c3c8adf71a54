/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reports results as a table, JSON or CSV, and compares them with saved ones.
 */

#include "tools/bench.h"

#include <stdio.h>
#include <string.h>

/* The numbers of one program with their names, shared by JSON and CSV. */
typedef struct
{
  const char *name;
  double      value;
} Number;

enum { N_NUMBERS = 23 };

static double
ratio (double a,
       double b)
{
  return b > 0 ? a / b : 0;
}

/* The rates at which the program could run at best. */
static GhloBenchMachine
find_rates (const GhloBenchMachine *machine,
            const GhloBenchResult  *result)
{
  return result->copy > 0 ? (GhloBenchMachine) { result->copy, result->products } : *machine;
}

/* A lower bound of the running time: the longer of moving the bytes and computing the products, in seconds. 0 when
 * neither rate is known. */
static double
least_time (const GhloBenchMachine *rates,
            const GhloIrCost       *cost)
{
  return MAX (ratio (cost->bytes, rates->copy), ratio (cost->product_operations, rates->products));
}

static void
list_numbers (const GhloBenchMachine *machine,
              const GhloBenchResult  *result,
              Number                  numbers[N_NUMBERS])
{
  const GhloBenchMachine rates = find_rates (machine, result);
  double operations = result->cost.product_operations + result->cost.scalar_operations;
  const Number all[N_NUMBERS] = {
    { "median_s", result->median },
    { "minimum_s", result->minimum },
    { "mean_s", result->mean },
    { "deviation_s", result->deviation },
    { "p95_s", result->p95 },
    { "p99_s", result->p99 },
    { "runs", result->n_runs },
    { "first_s", result->first },
    { "load_s", result->load },
    { "compile_s", result->compile },
    { "operations", operations },
    { "product_operations", result->cost.product_operations },
    { "bytes", result->cost.bytes },
    { "operations_per_s", ratio (operations, result->median) },
    { "bytes_per_s", ratio (result->cost.bytes, result->median) },
    { "share_of_copy", ratio (ratio (result->cost.bytes, result->median), rates.copy) },
    { "share_of_products", ratio (ratio (result->cost.product_operations, result->median), rates.products) },
    { "share_of_roofline", ratio (least_time (&rates, &result->cost), result->median) },
    { "share_of_reference", result->reference },
    { "peak_bytes", (double) result->peak_bytes },
    { "planned_bytes", (double) result->planned_bytes },
    { "faults_per_run", result->faults },
    { "queued_s", result->queued },
  };

  memcpy (numbers, all, sizeof all);
}

JsonNode *
ghlo_bench_to_json (const GhloBenchMachine *machine,
                    const GhloBenchResult  *results,
                    guint                   n_results)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "copy_bytes_per_s");
  json_builder_add_double_value (builder, machine->copy);
  json_builder_set_member_name (builder, "product_operations_per_s");
  json_builder_add_double_value (builder, machine->products);
  json_builder_set_member_name (builder, "programs");
  json_builder_begin_object (builder);
  for (guint i = 0; i < n_results; i++)
    {
      Number numbers[N_NUMBERS];

      list_numbers (machine, &results[i], numbers);
      json_builder_set_member_name (builder, results[i].name);
      json_builder_begin_object (builder);
      for (guint n = 0; n < N_NUMBERS; n++)
        {
          json_builder_set_member_name (builder, numbers[n].name);
          json_builder_add_double_value (builder, numbers[n].value);
        }
      json_builder_end_object (builder);
    }
  json_builder_end_object (builder);
  json_builder_end_object (builder);

  return json_builder_get_root (builder);
}

void
ghlo_bench_print_csv (const GhloBenchMachine *machine,
                      const GhloBenchResult  *results,
                      guint                   n_results)
{
  for (guint i = 0; i < n_results; i++)
    {
      Number numbers[N_NUMBERS];

      list_numbers (machine, &results[i], numbers);
      if (i == 0)
        {
          printf ("program");
          for (guint n = 0; n < N_NUMBERS; n++)
            printf (",%s", numbers[n].name);
          printf ("\n");
        }
      printf ("%s", results[i].name);
      for (guint n = 0; n < N_NUMBERS; n++)
        printf (",%.9g", numbers[n].value);
      printf ("\n");
    }
}

/* The saved median of a program, or 0. */
static double
saved_median (JsonNode   *baseline,
              const char *name)
{
  JsonObject *programs = NULL, *program = NULL;

  if (baseline != NULL && JSON_NODE_HOLDS_OBJECT (baseline)
      && json_object_has_member (json_node_get_object (baseline), "programs"))
    programs = json_object_get_object_member (json_node_get_object (baseline), "programs");
  if (programs != NULL && json_object_has_member (programs, name))
    program = json_object_get_object_member (programs, name);

  return program != NULL ? json_object_get_double_member_with_default (program, "median_s", 0) : 0;
}

static void
print_row (const GhloBenchMachine *machine,
           const GhloBenchResult  *result)
{
  const GhloBenchMachine rates = find_rates (machine, result);
  const double times[] = { result->median, result->minimum, result->p95, result->first, result->compile };
  double operations = result->cost.product_operations + result->cost.scalar_operations;
  g_autofree char *memory = g_format_size_full (result->peak_bytes, G_FORMAT_SIZE_IEC_UNITS);

  printf ("%-24.24s", result->name);
  for (guint i = 0; i < G_N_ELEMENTS (times); i++)
    {
      g_autofree char *text = ghlo_tool_format_time (times[i]);

      ghlo_tool_print_cell (stdout, text, 10);
    }
  printf (" %9.3g %8.3g", ratio (operations, result->median) / 1e9, ratio (result->cost.bytes, result->median) / 1e9);
  printf ("%7.1f %%%8.1f %%", 100 * ratio (least_time (&rates, &result->cost), result->median),
          100 * result->reference);
  ghlo_tool_print_cell (stdout, memory, 11);
  printf (" %7.0f", result->faults);
}

guint
ghlo_bench_print_table (const GhloBenchMachine *machine,
                        const GhloBenchResult  *results,
                        guint                   n_results,
                        JsonNode               *baseline,
                        double                  tolerance)
{
  guint n_slower = 0;

  printf ("%-24s%10s%10s%10s%10s%10s %9s %8s%9s%10s%11s %7s%s\n", "program", "median", "minimum", "p95", "first",
          "compile", "GFLOP/s", "GB/s", "roofline", "reference", "memory", "faults",
          baseline != NULL ? "   change" : "");
  for (guint i = 0; i < n_results; i++)
    {
      double saved = saved_median (baseline, results[i].name);

      print_row (machine, &results[i]);
      if (saved > 0)
        {
          double change = results[i].median / saved - 1;

          printf (" %+7.1f %%%s", 100 * change, change > tolerance ? "  slower" : "");
          n_slower += change > tolerance ? 1 : 0;
        }
      printf ("\n");
    }
  printf ("machine: %.3g GB/s copied", machine->copy / 1e9);
  if (machine->products > 0)
    printf (", %.3g GFLOP/s in products\n", machine->products / 1e9);
  else
    printf ("; the rate of products is unknown without oneDNN\n");

  return n_slower;
}
