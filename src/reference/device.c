/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The device of the reference executor. It prepares a function and runs it in host memory, as
 * a process of a grid, which usually has no other.
 */

#include "reference/device.h"

#include "base/hash.h"
#include "reference/frame.h"

static void
free_probes (gpointer data)
{
  g_ptr_array_unref (data);
}

static void
run_init (GhloRefRun           *run,
          const GhloRefProgram *program,
          const GhloRunOptions *options,
          const GhloMonitor    *monitor)
{
  *run = (GhloRefRun) { .program = program, .options = options, .monitor = monitor };
  g_mutex_init (&run->lock);
  run->probes = g_hash_table_new_full (ghlo_hash_string, g_str_equal, g_free, free_probes);
}

static void
run_clear (GhloRefRun *run)
{
  g_hash_table_unref (run->probes);
  g_mutex_clear (&run->lock);
}

/* Converts an input to the program's type and returns it with a reference. Plain integers are taken for the
 * storage of a quantized argument. */
static GhloValue *
accept_input (const GhloIrType  *type,
              GhloValue         *input,
              guint              index,
              GError           **error)
{
  g_autofree char *expected = NULL, *found = NULL;
  g_autoptr (GhloValue) accepted = ghlo_value_ref (input);

  if (!ghlo_ref_accept_storage (type, &accepted, error))
    return NULL;
  if (ghlo_ref_value_fits (accepted, type))
    return g_steal_pointer (&accepted);

  expected = ghlo_ir_type_to_string (type);
  found = ghlo_ref_value_describe (input);
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT, "expected %s for input %u, found %s",
               expected, index, found);

  return NULL;
}

static GhloValue **
accept_inputs (const GhloRefFunction *function,
               GhloValue *const      *inputs,
               gsize                  n_inputs,
               GError               **error)
{
  GhloValue **accepted;

  if (n_inputs != function->body.n_arguments)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT, "expected %u inputs, found %" G_GSIZE_FORMAT,
                   function->body.n_arguments, n_inputs);
      return NULL;
    }

  accepted = g_new0 (GhloValue *, n_inputs + 1);
  for (gsize i = 0; i < n_inputs; i++)
    {
      accepted[i] = accept_input (function->body.block->arguments[i]->type, inputs[i], i, error);
      if (accepted[i] == NULL)
        {
          ghlo_values_clear (accepted, i);
          g_free (accepted);
          return NULL;
        }
    }

  return accepted;
}

/* Other processes read the values of a rendezvous while this one goes on, so memory that is lent only for one
 * call is copied. */
static gboolean
keep_arguments (GhloValue **arguments,
                gsize       n,
                GError    **error)
{
  for (gsize i = 0; i < n; i++)
    {
      GhloValue *value = arguments[i], *copy;

      g_assert (value != NULL);
      if (value->kind != GHLO_VALUE_TENSOR || !value->storage->is_call_scoped)
        continue;
      copy = ghlo_value_new_copied (value->type, value->data, NULL, error);
      if (copy == NULL)
        return FALSE;
      ghlo_value_unref (value);
      arguments[i] = copy;
    }

  return TRUE;
}

/* Runs as a process of a grid that the caller has begun. */
static gboolean
run_member (GhloRefProcess  *owner,
            GhloRefRun      *run,
            GhloValue      **arguments,
            GhloValue      **outputs,
            GError         **error)
{
  const GhloRefFunction *entry = run->program->entry;
  GhloRefProcess process;
  gboolean ok;

  if (!keep_arguments (arguments, entry->body.n_arguments, error))
    {
      ghlo_values_clear (arguments, entry->body.n_arguments);
      return FALSE;
    }
  ghlo_ref_process_begin_part (&process, run, owner);
  ok = ghlo_ref_enter_function (&process, entry, 0, arguments, outputs, error);
  owner->was_stopped |= process.was_stopped;

  return ok;
}

/* Runs as process (0, 0) of a grid of one. */
static gboolean
run_alone (GhloRefRun  *run,
           GhloValue  **arguments,
           GhloValue  **outputs,
           GError     **error)
{
  const GhloRefFunction *entry = run->program->entry;
  GhloRefGrid *grid = ghlo_ref_grid_new (1, 1, NULL, NULL);
  GhloRefProcess process;
  gboolean ok;

  ghlo_ref_process_begin (&process, run, grid, 0, 0);
  process.reported_block = &entry->body;

  ok = ghlo_ref_enter_function (&process, entry, 0, arguments, outputs, error);
  if (!ok)
    ghlo_ref_grid_fail (grid, NULL);
  ghlo_ref_process_end (&process);
  ghlo_ref_grid_join (grid);
  if (!ok)
    ghlo_ref_process_find_cause (&process, error);
  else if (!ghlo_ref_grid_check_received (grid, error))
    {
      ghlo_values_clear (outputs, entry->body.n_returned);
      ok = FALSE;
    }
  ghlo_ref_grid_free (grid);

  return ok;
}

static gboolean
start (gpointer               prepared,
       const GhloRunOptions  *options,
       GhloValue *const      *inputs,
       gsize                  n_inputs,
       GhloValue            **outputs,
       GhloFence            **fence,
       const GhloMonitor     *monitor,
       GError               **error)
{
  const GhloRefProgram *program = prepared;
  g_autoptr (GError) local_error = NULL;
  g_autofree GhloValue **arguments = accept_inputs (program->entry, inputs, n_inputs, error);
  GhloRefRun state;
  gboolean ok;

  if (arguments == NULL)
    return FALSE;

  ghlo_run_options_begin (options);
  run_init (&state, program, options, monitor);
  if (options != NULL && options->process != NULL)
    ok = run_member (options->process, &state, arguments, outputs, &local_error);
  else
    ok = run_alone (&state, arguments, outputs, &local_error);
  run_clear (&state);

  if (ok)
    ghlo_monitor_progress (monitor, 1, NULL);
  else
    g_propagate_error (error, g_steal_pointer (&local_error));

  return ok;
}

static gpointer
load (GhloDeviceCore            *self,
      GhloIrModule              *module,
      GhloIrOp                  *function,
      const GhloPrepareOptions  *options,
      gsize                     *size,
      const GhloMonitor         *monitor,
      GError                   **error)
{
  g_autoptr (GError) local_error = NULL;
  GhloRefProgram *program = ghlo_ref_program_new (module, function, options->custom_targets, monitor, &local_error);

  if (program == NULL)
    g_propagate_error (error, g_steal_pointer (&local_error));
  else
    *size = program->size;

  return program;
}

static void
release (gpointer program)
{
  ghlo_ref_program_free (program);
}

GhloDeviceCore *
ghlo_reference_device (void)
{
  static const GhloWholeProgramClass programs = { .load = load, .free = release, .start = start };
  static const GhloDeviceCoreClass klass = { .name = "reference", .whole_programs = &programs };
  static const char *const names[] = { "reference", NULL };
  static const char *const features[] = { "every-operation", "every-element-type", NULL };
  static GhloDeviceCore device = {
    .klass = &klass,
    .kind = GHLO_DEVICE_KIND_REFERENCE,
    .names = names,
    .title = "Reference executor",
    .driver = "ghlo " GHLO_VERSION,
    .features = features,
  };

  return &device;
}

void
ghlo_reference_find_devices (GPtrArray *devices)
{
  GhloDeviceCore *device = ghlo_reference_device ();

  if (!g_ptr_array_find (devices, device, NULL))
    g_ptr_array_add (devices, device);
}
