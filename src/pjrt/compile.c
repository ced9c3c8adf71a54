/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compiles a program with options, both as PJRT's callers provide them, to an executable.
 */

#include <math.h>
#include <string.h>

#include "base/ghlo-error.h"
#include "base/hash.h"
#include "base/sizes.h"
#include "client/workers.h"
#include "compiler/read-module.h"
#include "plan/cost.h"
#include "pjrt/callbacks.h"
#include "pjrt/element-type.h"
#include "pjrt/error.h"
#include "pjrt/executable.h"
#include "pjrt/ffi/ffi.h"

/* The fixed cost of each step of an execution, whatever it does. */
#define STEP_SECONDS 0.5e-6

/* The number of elements of a matrix whose factorization takes about as long as that. */
enum { SMALL_MATRIX = 256 };

static GhloIrModule *
read_program (const PJRT_Program  *program,
              GError             **error)
{
  g_autoptr (GBytes) bytes = NULL;

  if (program->format_size != strlen ("mlir") || memcmp (program->format, "mlir", program->format_size) != 0)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED, "expected a program in the format 'mlir', found '%.*s'",
                   (int) program->format_size, program->format);
      return NULL;
    }
  /* A copy, since constants in the module keep references to it. */
  bytes = g_bytes_new (program->code, program->code_size);

  return ghlo_read_program (bytes, "program", NULL, NULL, error);
}

/* Whether programs can run on that many devices. */
static gboolean
check_devices (const PJRT_Executable  *self,
               GError                **error)
{
  if (self->options.n_replicas > 1)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
                 "expected a program of one replica, which may have several partitions, found %" G_GINT64_FORMAT
                 " replicas", self->options.n_replicas);
  else if (self->n_devices > 1 && !ghlo_device_core_is_host (self->client->core))
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
                 "expected a program of one partition for %s, since its memory is not host memory, found %u",
                 self->client->core->title, self->n_devices);
  else
    return TRUE;

  return FALSE;
}

/* Looks up the executable's devices. Sets INVALID_ARGUMENT when the client does not have a device of that number. */
static gboolean
find_devices (PJRT_Executable  *self,
              GError          **error)
{
  self->n_devices = (guint) (self->options.n_replicas * self->options.n_partitions);
  self->devices = g_new0 (PJRT_Device *, self->n_devices);
  self->logical_ids = g_new (PJRT_LogicalDeviceIds, self->n_devices);
  for (guint i = 0; i < self->n_devices; i++)
    {
      gint64 id = self->options.device_ids != NULL ? self->options.device_ids[i] : i;

      self->logical_ids[i].replica = (int) (i / self->options.n_partitions);
      self->logical_ids[i].partition = (int) (i % self->options.n_partitions);
      self->devices[i] = ghlo_pjrt_client_find (self->client, id);
      if (self->devices[i] == NULL)
        {
          g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                       "expected a device ID from 0 to %u, found %" G_GINT64_FORMAT,
                       self->client->n_devices - 1, id);
          return FALSE;
        }
    }

  return check_devices (self, error);
}

GhloTensorType *
ghlo_pjrt_external_type (const GhloIrType  *type,
                         GError           **error)
{
  const gint64 none = 0;
  GhloTensorType *external = NULL;

  if (type->kind == GHLO_IR_TYPE_TOKEN)
    external = ghlo_tensor_type_new (GHLO_ELEMENT_TYPE_I1, &none, 1);
  else if (ghlo_ir_type_is_numbers (type))
    external = ghlo_ir_type_to_tensor_type (type);
  if (external == NULL)
    {
      g_autofree char *text = ghlo_ir_type_to_string (type);

      g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
                   "expected tensors of static shapes or tokens as inputs and outputs, found %s", text);
    }

  return external;
}

/* Returns the type of the part of input or output @index that one device holds, for its layout. */
static GhloTensorType *
type_of_part (const PJRT_Executable  *self,
              guint                   index,
              const GhloIrType       *type,
              GError                **error)
{
  g_autoptr (GhloTensorType) stored = NULL;

  if (self->shardings != NULL)
    stored = ghlo_tensor_type_ref (self->shardings[index]->part);
  else
    stored = ghlo_pjrt_external_type (type, error);

  return stored != NULL ? ghlo_pjrt_layout_get_type (self->layouts[index], stored) : NULL;
}

static gboolean
describe_inputs (PJRT_Executable   *self,
                 const GhloIrType  *type,
                 GError           **error)
{
  self->n_inputs = type->rank;
  self->types = g_new0 (GhloTensorType *, (gsize) type->rank + type->n_results);
  self->is_token = g_new0 (gboolean, (gsize) type->rank + type->n_results);
  self->is_donated = g_new0 (gboolean, type->rank);
  for (guint i = 0; i < type->rank; i++)
    {
      self->types[i] = type_of_part (self, i, type->members[i], error);
      if (self->types[i] == NULL)
        return FALSE;
      self->is_token[i] = type->members[i]->kind == GHLO_IR_TYPE_TOKEN;
    }

  return TRUE;
}

static gboolean
describe_outputs (PJRT_Executable   *self,
                  const GhloIrType  *type,
                  GError           **error)
{
  g_autoptr (GArray) dimensions = g_array_new (FALSE, FALSE, sizeof (gint64));

  self->n_outputs = type->n_results;
  self->output_types = g_new0 (PJRT_Buffer_Type, type->n_results);
  self->output_ranks = g_new0 (gsize, type->n_results);
  for (guint i = 0; i < type->n_results; i++)
    {
      const GhloIrType *member = type->members[type->rank + i];
      GhloTensorType *external = type_of_part (self, type->rank + i, member, error);
      const gint64 *sizes;

      if (external == NULL)
        return FALSE;
      self->types[type->rank + i] = external;
      self->is_token[type->rank + i] = member->kind == GHLO_IR_TYPE_TOKEN;
      sizes = ghlo_tensor_type_get_dimensions (external, &self->output_ranks[i]);
      g_array_append_vals (dimensions, sizes, (guint) self->output_ranks[i]);
      self->output_types[i] = ghlo_pjrt_element_type_to (ghlo_tensor_type_get_element_type (external));
    }
  self->output_dimensions = (gpointer) g_array_free (g_steal_pointer (&dimensions), FALSE);

  return TRUE;
}

/* Returns the memory kind that the program names, if the device has it, and the device's default otherwise. */
static guint
find_memory (const PJRT_Executable *self,
             const GhloIrAttr      *named)
{
  const char *name = named != NULL && named->kind == GHLO_IR_ATTR_STRING ? named->text : "";
  const PJRT_Device *device = self->devices[0];

  g_assert (device != NULL);
  for (guint i = 0; i < device->n_memories; i++)
    if (strcmp (ghlo_pjrt_memory_kinds[i], name) == 0)
      return i;

  return GHLO_PJRT_MEMORY_DEVICE;
}

static void
describe_memories (PJRT_Executable *self)
{
  const GhloIrOp *function = self->core->signature.function;
  const guint n = self->n_inputs + self->n_outputs;

  self->memories = g_new (guint, n);
  self->memory_kinds = g_new (const char *, n);
  self->memory_kind_sizes = g_new (gsize, n);
  for (guint i = 0; i < n; i++)
    {
      const GhloIrAttr *named = i < self->n_inputs
                                ? ghlo_signature_input_attribute (function, i, "mhlo.memory_kind")
                                : ghlo_signature_output_attribute (function, i - self->n_inputs, "mhlo.memory_kind");

      self->memories[i] = find_memory (self, named);
      self->memory_kinds[i] = ghlo_pjrt_memory_kinds[self->memories[i]];
      self->memory_kind_sizes[i] = strlen (self->memory_kinds[i]);
    }
}

/* Returns the input whose memory @output may take: the input that the program names, or else the first donated input
 * of the same type that is not taken yet. */
static guint
choose_donated_input (const PJRT_Executable *self,
                      const GhloIrType      *type,
                      guint                  output,
                      const gboolean        *taken)
{
  const GhloIrOp *function = self->core->signature.function;
  int named = ghlo_signature_aliased_input (function, type->rank, output);

  if (named >= 0)
    return (guint) named;
  for (guint i = 0; i < type->rank; i++)
    if (self->is_donated[i] && !taken[i] && ghlo_signature_aliased_output (function, i) < 0
        && type->members[i] == type->members[type->rank + output])
      return i;

  return GHLO_RUN_NO_INPUT;
}

/* Returns the first output that is not taken yet and of which a device holds as many bytes as of input @input; -1
 * when there is none. */
static gint64
find_room (const PJRT_Executable *self,
           guint                  input,
           const gboolean        *taken)
{
  const gint64 size = ghlo_tensor_type_get_size (self->types[input]);

  for (guint i = 0; i < self->n_outputs; i++)
    if (!taken[i] && ghlo_tensor_type_get_size (self->types[self->n_inputs + i]) == size)
      return i;

  return -1;
}

/* Inputs whose donation is optional stay with the caller where no output has their size, as in XLA. */
static void
give_back_others (PJRT_Executable *self)
{
  const GhloIrOp *function = self->core->signature.function;
  g_autofree gboolean *taken = g_new0 (gboolean, self->n_outputs);

  for (guint i = 0; i < self->n_inputs; i++)
    {
      const gint64 output = ghlo_signature_aliased_output (function, i);

      if (self->is_donated[i] && output >= 0 && output < (gint64) self->n_outputs)
        taken[output] = TRUE;
    }
  for (guint i = 0; i < self->n_inputs; i++)
    {
      gint64 output;

      if (!self->is_donated[i] || ghlo_signature_aliased_output (function, i) >= 0)
        continue;
      output = find_room (self, i, taken);
      self->is_donated[i] = output >= 0;
      if (output >= 0)
        taken[output] = TRUE;
    }
}

static void
plan_donation (PJRT_Executable  *self,
               const GhloIrType *type)
{
  g_autofree gboolean *taken = g_new0 (gboolean, type->rank);

  self->donated_inputs = g_new (guint, type->n_results);
  for (guint i = 0; i < type->rank; i++)
    self->is_donated[i] = ghlo_signature_is_donatable (self->core->signature.function, i);
  give_back_others (self);
  for (guint i = 0; i < type->rank; i++)
    self->donates |= self->is_donated[i];
  for (guint i = 0; i < type->n_results; i++)
    {
      self->donated_inputs[i] = choose_donated_input (self, type, i, taken);
      if (self->donated_inputs[i] != GHLO_RUN_NO_INPUT)
        taken[self->donated_inputs[i]] = TRUE;
    }
}

/* Whether the cost of the step is unknown and may be high: a custom call on more than a small matrix. */
static gboolean
is_unknown (const GhloStep *step)
{
  if (step->op == NULL || step->op->kind != GHLO_OP_STABLEHLO_CUSTOM_CALL)
    return FALSE;
  for (guint i = 0; i < step->n_operands; i++)
    {
      const GhloIrType *type = step->operands[i].type;
      gsize n;

      if (type != NULL && (!ghlo_shape_count (type->dimensions, type->rank, &n) || n > SMALL_MATRIX))
        return TRUE;
    }

  return FALSE;
}

/* Counts the steps of a run, including those of every iteration; the count is huge when one of them is unknown. */
static double
count_steps (const GhloStepBody *body)
{
  double n = 0;

  for (guint i = 0; i < body->n_steps; i++)
    {
      const GhloStep *step = body->steps[i];
      double inner = 0;

      for (guint k = 0; k < step->n_bodies; k++)
        inner += count_steps (&step->bodies[k]);
      n += is_unknown (step) ? G_MAXDOUBLE : 1 + (step->kind == GHLO_STEP_LOOP ? (double) step->trips : 1) * inner;
    }

  return n;
}

/* Estimates the time of one run in seconds; INFINITY where there is no bound. Estimates are lower bounds of what a
 * step takes. A program that calls a function for its effects may take long, and its caller need not wait for it. A
 * function without effects has no token that would report its failure, so the call itself has to report it. */
static double
estimate_seconds (const PJRT_Executable *self,
                  gboolean               has_effects)
{
  const GhloStepPlan *plan = ghlo_prepared_get_plan (self->core->compilation->prepared);
  GhloStepCost cost;

  if (has_effects || plan == NULL)
    return INFINITY;
  ghlo_step_plan_cost (plan, &cost);

  return cost.seconds >= 0 ? cost.seconds + count_steps (&plan->body) * STEP_SECONDS : INFINITY;
}

/* The settings for JAX's semantics where these differ from StableHLO's specification, and for the caller's options. */
static GhloSettings *
make_settings (const GhloPjrtCompileOptions *options)
{
  static const char *const passes[] = { "whole-scatter-windows", NULL };
  GhloSettings *settings = ghlo_settings_new ();

  g_strfreev (settings->enabled_passes);
  settings->enabled_passes = g_strdupv ((char **) passes);
  if (options->optimization_level >= 0)
    settings->optimization_level = (GhloOptimizationLevel) options->optimization_level;
  if (options->excess_precision >= 0)
    settings->excess_precision = options->excess_precision != 0;

  return settings;
}

gboolean
ghlo_pjrt_executable_compile (PJRT_Executable  *self,
                              GhloIrModule     *module,
                              GhloSettings     *settings,
                              GError          **error)
{
  GhloCompileRequest request = {
    .module = module, .device = self->client->core, .counters = self->client->counters,
    .settings = settings != NULL ? ghlo_settings_ref (settings) : make_settings (&self->options),
  };
  const GhloIrType *type;
  gboolean has_effects;

  if (ghlo_pjrt_callbacks_find (module, &request.custom_targets, &has_effects, error))
    {
      has_effects |= ghlo_pjrt_ffi_add_targets (module, &request.custom_targets);
      self->calls_host = request.custom_targets != NULL;
      if ((self->n_devices == 1 || ghlo_pjrt_executable_partition (self, &request, &has_effects, error))
          && ghlo_pjrt_executable_lay_out (self, module, error))
        self->core = ghlo_executable_core_new (&request, NULL, error);
    }
  g_clear_pointer (&request.custom_targets, ghlo_custom_targets_unref);
  ghlo_settings_unref (request.settings);
  if (self->core == NULL)
    return FALSE;
  type = self->core->signature.type;
  if (!describe_inputs (self, type, error) || !describe_outputs (self, type, error))
    return FALSE;
  self->seconds = estimate_seconds (self, has_effects);
  self->took = G_MAXINT;
  describe_memories (self);
  plan_donation (self, type);

  return TRUE;
}

PJRT_Executable *
ghlo_pjrt_executable_new (PJRT_Client    *client,
                          gconstpointer   options,
                          gsize           options_size,
                          GError        **error)
{
  PJRT_Executable *self = g_new0 (PJRT_Executable, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->client = ghlo_pjrt_client_ref (client);
  self->options = (GhloPjrtCompileOptions) GHLO_PJRT_COMPILE_OPTIONS_INIT;
  self->option_bytes = g_bytes_new (options, options_size);
  if (ghlo_pjrt_compile_options_read (&self->options, options, options_size, client->n_devices, error)
      && find_devices (self, error))
    return self;
  ghlo_pjrt_executable_unref (self);

  return NULL;
}

/* The fingerprint is the same in every process. A fast hash is used, since callers ask for the fingerprint of every
 * program. */
static void
set_fingerprint (PJRT_Executable    *self,
                 const PJRT_Program *program)
{
  static const guint64 key[] = { 0x6f6c6867, 0x74726a70 };
  const guint64 code = ghlo_hash_keyed (key, 1, 3, program->code, program->code_size);
  g_autofree char *text = g_strdup_printf ("%s\n%s\n%016" G_GINT64_MODIFIER "x", self->client->version,
                                           self->devices[0]->description.kind, code);
  gsize size;
  gconstpointer options = g_bytes_get_data (self->option_bytes, &size);
  const guint64 parts[] = {
    ghlo_hash_keyed (key, 1, 3, text, strlen (text)), ghlo_hash_keyed (key, 1, 3, options, size),
  };

  g_snprintf (self->fingerprint, sizeof self->fingerprint, "%016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER "x",
              code, ghlo_hash_keyed (key, 1, 3, parts, sizeof parts));
}

static PJRT_Executable *
compile_program (PJRT_Client         *client,
                 const PJRT_Program  *program,
                 gconstpointer        options,
                 gsize                options_size,
                 GError             **error)
{
  g_autoptr (GhloIrModule) module = NULL;
  g_autoptr (PJRT_Executable) self = NULL;

  if (ghlo_workers_check (error))
    self = ghlo_pjrt_executable_new (client, options, options_size, error);
  if (self == NULL)
    return NULL;
  module = read_program (program, error);
  if (module == NULL || !ghlo_pjrt_executable_compile (self, module, NULL, error))
    return NULL;
  set_fingerprint (self, program);

  return g_steal_pointer (&self);
}

static PJRT_Error *
compile (PJRT_Client_Compile_Args *args)
{
  PJRT_Executable *executable;
  GError *error = NULL;

  PJRT_NEEDS (args, executable);
  executable = compile_program (args->client, args->program, args->compile_options, args->compile_options_size, &error);
  if (executable == NULL)
    return ghlo_pjrt_error_take (error);
  args->executable = ghlo_pjrt_loaded_executable_new (executable);

  return NULL;
}

/* Compiles ahead of time for a client that will load the program. */
static PJRT_Error *
compile_for_topology (PJRT_Compile_Args *args)
{
  GError *error = NULL;

  PJRT_NEEDS (args, executable);
  args->executable = compile_program (args->topology->client, args->program, args->compile_options,
                                      args->compile_options_size, &error);

  return ghlo_pjrt_error_take (error);
}

void
ghlo_pjrt_compile_add_functions (PJRT_Api *api)
{
  api->PJRT_Client_Compile = compile;
  api->PJRT_Compile = compile_for_topology;
}
