/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The cost of a run (operations, bytes, time and memory), as far as it is known in advance.
 */

#include <string.h>

#include "ir/cost.h"
#include "plan/cost.h"
#include "pjrt/error.h"
#include "pjrt/executable.h"

/* Indices of the costs, which have XLA's names. */
enum { FLOPS, BYTES, SECONDS, N_COSTS };

static PJRT_NamedValue
number (const char *name,
        double      value)
{
  return (PJRT_NamedValue) {
    .struct_size = sizeof (PJRT_NamedValue), .name = name, .name_size = strlen (name), .type = PJRT_NamedValue_kFloat,
    .float_value = (float) value, .value_size = 1,
  };
}

/* SECONDS is only included where it is known; the other costs are lower bounds. */
static PJRT_NamedValue *
list_costs (const PJRT_Executable *executable)
{
  const GhloStepPlan *plan = ghlo_prepared_get_plan (executable->core->compilation->prepared);
  PJRT_NamedValue *costs = g_new0 (PJRT_NamedValue, N_COSTS);
  GhloStepCost steps = { .seconds = -1 };
  GhloIrCost work;

  ghlo_ir_cost (executable->core->signature.function, &work);
  if (plan != NULL)
    ghlo_step_plan_cost (plan, &steps);
  costs[FLOPS] = number ("flops", work.product_operations + work.scalar_operations);
  costs[BYTES] = number ("bytes accessed", work.bytes);
  if (steps.seconds >= 0)
    costs[SECONDS] = number ("optimal_seconds", steps.seconds);

  return costs;
}

static PJRT_Error *
get_cost_analysis (PJRT_Executable_GetCostAnalysis_Args *args)
{
  PJRT_NamedValue *costs;

  PJRT_NEEDS (args, properties);
  costs = g_atomic_pointer_get (&args->executable->costs);
  if (costs == NULL)
    {
      costs = list_costs (args->executable);
      if (!g_atomic_pointer_compare_and_exchange (&args->executable->costs, NULL, costs))
        {
          g_free (costs);
          costs = g_atomic_pointer_get (&args->executable->costs);
        }
    }
  args->properties = costs;
  args->num_properties = costs[SECONDS].name != NULL ? N_COSTS : SECONDS;

  return NULL;
}

/* Returns the size of the outputs in bytes. *@aliased is the part of it that may take the memory of inputs. */
static gint64
measure_outputs (const PJRT_Executable *executable,
                 gint64                *aliased)
{
  gint64 bytes = 0;

  *aliased = 0;
  for (guint i = 0; i < executable->n_outputs; i++)
    {
      const gint64 size = ghlo_tensor_type_get_size (executable->types[executable->n_inputs + i]);

      bytes += size;
      if (executable->donated_inputs[i] != GHLO_RUN_NO_INPUT)
        *aliased += size;
    }

  return bytes;
}

/* All figures are for the device's memory; runs use no other memory. */
static PJRT_Error *
get_compiled_memory_stats (PJRT_Executable_GetCompiledMemoryStats_Args *args)
{
  const PJRT_Executable *executable;
  GhloRunFigures figures = { 0 };
  gint64 aliased, outputs, run;

  PJRT_NEEDS (args, host_temp_size_in_bytes);
  executable = args->executable;
  if (!ghlo_prepared_measure (executable->core->compilation->prepared, &figures))
    return ghlo_pjrt_error_new (PJRT_Error_Code_UNIMPLEMENTED, "%s does not report the memory that programs use",
                                executable->devices[0]->description.name);
  outputs = measure_outputs (executable, &aliased);
  run = MAX ((gint64) figures.run_bytes, outputs);
  args->generated_code_size_in_bytes = (gint64) figures.prepared_bytes;
  args->argument_size_in_bytes = (gint64) figures.input_bytes;
  args->output_size_in_bytes = outputs;
  args->alias_size_in_bytes = aliased;
  args->temp_size_in_bytes = run - outputs;
  args->host_generated_code_size_in_bytes = 0;
  args->host_argument_size_in_bytes = 0;
  args->host_output_size_in_bytes = 0;
  args->host_alias_size_in_bytes = 0;
  args->host_temp_size_in_bytes = 0;
  run += (gint64) figures.input_bytes - aliased;
  if (PJRT_HAS (args, peak_memory_in_bytes))
    args->peak_memory_in_bytes = run;
  if (PJRT_HAS (args, total_size_in_bytes))
    args->total_size_in_bytes = run + (gint64) figures.prepared_bytes;
  if (PJRT_HAS (args, total_allocation_bytes))
    args->total_allocation_bytes = run + (gint64) figures.prepared_bytes;
  if (PJRT_HAS (args, indefinite_allocations))
    args->indefinite_allocations = (gint64) figures.prepared_bytes;
  if (PJRT_HAS (args, peak_unpadded_heap_bytes))
    args->peak_unpadded_heap_bytes = run;

  return NULL;
}

void
ghlo_pjrt_cost_add_functions (PJRT_Api *api)
{
  api->PJRT_Executable_GetCostAnalysis = get_cost_analysis;
  api->PJRT_Executable_GetCompiledMemoryStats = get_compiled_memory_stats;
}
