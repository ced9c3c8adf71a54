/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The properties of PJRT's executables.
 */

#include "pjrt/executable.h"

#include <string.h>

#include "client/reclaim.h"
#include "pjrt/error.h"
#include "pjrt/program-text.h"

PJRT_Executable *
ghlo_pjrt_executable_ref (PJRT_Executable *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
ghlo_pjrt_executable_unref (PJRT_Executable *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  for (guint i = 0; self->types != NULL && i < self->n_inputs + self->n_outputs; i++)
    g_clear_pointer (&self->types[i], ghlo_tensor_type_unref);
  g_free (self->types);
  ghlo_pjrt_executable_clear_partition (self);
  g_free (self->costs);
  g_free (self->is_token);
  for (guint i = 0; i < self->n_layouts; i++)
    g_clear_pointer (&self->layouts[i], ghlo_pjrt_layout_unref);
  g_free (self->layouts);
  g_free (self->is_donated);
  g_free (self->donated_inputs);
  g_free (self->logical_ids);
  g_free (self->memory_kind_sizes);
  g_free (self->memory_kinds);
  g_free (self->memories);
  g_free (self->output_dimensions);
  g_free (self->output_ranks);
  g_free (self->output_types);
  g_free (self->devices);
  g_bytes_unref (self->option_bytes);
  ghlo_pjrt_compile_options_clear (&self->options);
  g_clear_pointer (&self->core, ghlo_reclaim_executable);
  ghlo_pjrt_client_unref (self->client);
  g_free (self);
}

static PJRT_Error *
destroy (PJRT_Executable_Destroy_Args *args)
{
  PJRT_NEEDS (args, executable);
  if (args->executable != NULL)
    ghlo_pjrt_executable_unref (args->executable);

  return NULL;
}

/* Returns the name of the module. */
static PJRT_Error *
get_name (PJRT_Executable_Name_Args *args)
{
  const char *name;

  PJRT_NEEDS (args, executable_name_size);
  name = ghlo_ir_op_get_string (args->executable->core->module->op, "sym_name");
  args->executable_name = name != NULL ? name : "main";
  args->executable_name_size = strlen (args->executable_name);

  return NULL;
}

static PJRT_Error *
num_replicas (PJRT_Executable_NumReplicas_Args *args)
{
  PJRT_NEEDS (args, num_replicas);
  args->num_replicas = (gsize) args->executable->options.n_replicas;

  return NULL;
}

static PJRT_Error *
num_partitions (PJRT_Executable_NumPartitions_Args *args)
{
  PJRT_NEEDS (args, num_partitions);
  args->num_partitions = (gsize) args->executable->options.n_partitions;

  return NULL;
}

static PJRT_Error *
num_outputs (PJRT_Executable_NumOutputs_Args *args)
{
  PJRT_NEEDS (args, num_outputs);
  args->num_outputs = args->executable->n_outputs;

  return NULL;
}

/* The size of everything that the program keeps between runs. Code is a part of it that is not counted separately. */
static PJRT_Error *
size_of_generated_code (PJRT_Executable_SizeOfGeneratedCodeInBytes_Args *args)
{
  PJRT_NEEDS (args, size_in_bytes);
  args->size_in_bytes = (gint64) ghlo_prepared_get_size (args->executable->core->compilation->prepared);

  return NULL;
}

static PJRT_Error *
output_element_types (PJRT_Executable_OutputElementTypes_Args *args)
{
  PJRT_NEEDS (args, num_output_types);
  args->output_types = args->executable->output_types;
  args->num_output_types = args->executable->n_outputs;

  return NULL;
}

static PJRT_Error *
output_dimensions (PJRT_Executable_OutputDimensions_Args *args)
{
  PJRT_NEEDS (args, dim_sizes);
  args->num_outputs = args->executable->n_outputs;
  args->dims = args->executable->output_dimensions;
  args->dim_sizes = args->executable->output_ranks;

  return NULL;
}

static PJRT_Error *
output_memory_kinds (PJRT_Executable_OutputMemoryKinds_Args *args)
{
  PJRT_NEEDS (args, memory_kind_sizes);
  args->num_outputs = args->executable->n_outputs;
  args->memory_kinds = args->executable->memory_kinds + args->executable->n_inputs;
  args->memory_kind_sizes = args->executable->memory_kind_sizes + args->executable->n_inputs;

  return NULL;
}

static PJRT_Error *
parameter_memory_kinds (PJRT_Executable_ParameterMemoryKinds_Args *args)
{
  PJRT_NEEDS (args, memory_kind_sizes);
  args->num_parameters = args->executable->n_inputs;
  args->memory_kinds = args->executable->memory_kinds;
  args->memory_kind_sizes = args->executable->memory_kind_sizes;

  return NULL;
}

static PJRT_Error *
fingerprint (PJRT_Executable_Fingerprint_Args *args)
{
  PJRT_NEEDS (args, executable_fingerprint_size);
  args->executable_fingerprint = args->executable->fingerprint;
  args->executable_fingerprint_size = strlen (args->executable->fingerprint);

  return NULL;
}

/* Returns the program as it was written, except for shardings. Callers ask twice, first for the size. */
static PJRT_Error *
optimized_program (PJRT_Executable_OptimizedProgram_Args *args)
{
  g_autofree char *text = NULL;
  GError *error = NULL;
  PJRT_Program *program;
  gsize size;

  PJRT_NEEDS (args, program);
  program = args->program;
  PJRT_NEEDS (program, format_size);
  text = ghlo_pjrt_program_text (args->executable->core->module, &error);
  if (text == NULL)
    return ghlo_pjrt_error_take (error);
  size = strlen (text);
  program->format = "mlir";
  program->format_size = strlen ("mlir");
  if (program->code == NULL)
    {
      program->code_size = size;
      return NULL;
    }
  if (program->code_size < size)
    return ghlo_pjrt_error_new (PJRT_Error_Code_INVALID_ARGUMENT, "expected room for %zu bytes, found %zu", size,
                                program->code_size);
  memcpy (program->code, text, size);
  program->code_size = size;

  return NULL;
}

/* Nothing to free: the bytes belong to the executable. */
static void
keep (G_GNUC_UNUSED PJRT_Bytes *bytes)
{
}

static PJRT_Error *
get_compile_options (PJRT_Executable_GetCompileOptions_Args *args)
{
  PJRT_NEEDS (args, serialized_compile_options_deleter);
  args->serialized_bytes = g_bytes_get_data (args->executable->option_bytes, &args->serialized_bytes_size);
  args->serialized_compile_options = NULL;
  args->serialized_compile_options_deleter = keep;

  return NULL;
}

void
ghlo_pjrt_executable_add_functions (PJRT_Api *api)
{
  api->PJRT_Executable_Destroy = destroy;
  api->PJRT_Executable_Name = get_name;
  api->PJRT_Executable_NumReplicas = num_replicas;
  api->PJRT_Executable_NumPartitions = num_partitions;
  api->PJRT_Executable_NumOutputs = num_outputs;
  api->PJRT_Executable_SizeOfGeneratedCodeInBytes = size_of_generated_code;
  api->PJRT_Executable_OutputElementTypes = output_element_types;
  api->PJRT_Executable_OutputDimensions = output_dimensions;
  api->PJRT_Executable_OutputMemoryKinds = output_memory_kinds;
  api->PJRT_Executable_ParameterMemoryKinds = parameter_memory_kinds;
  api->PJRT_Executable_Fingerprint = fingerprint;
  api->PJRT_Executable_OptimizedProgram = optimized_program;
  api->PJRT_Executable_GetCompileOptions = get_compile_options;
  ghlo_pjrt_loaded_executable_add_functions (api);
  ghlo_pjrt_compile_add_functions (api);
  ghlo_pjrt_execute_add_functions (api);
  ghlo_pjrt_cost_add_functions (api);
  ghlo_pjrt_serialize_add_functions (api);
}
