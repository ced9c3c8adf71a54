/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A device address is a host address with one extra bit set that no host address has.
 */

#include "discrete-device.h"

#include <string.h>

#include "base/ghlo-error.h"
#include "cpu/device.h"
#include "cpu/steps.h"
#include "execute/program.h"
#include "runtime/place.h"

#define DISCRETE_BIT ((gsize) 1 << 60)

DiscreteFigures discrete;
GhloDeviceRates discrete_rates = {
  .bytes = 1e9, .products = { 4e9, 4e9, 4e9 }, .scalars = 2e9, .uploads = 1e8, .downloads = 1e8,
};

static gpointer
to_device (gpointer memory)
{
  return GSIZE_TO_POINTER (GPOINTER_TO_SIZE (memory) | DISCRETE_BIT);
}

/* Aborts for a host address. */
static gpointer
to_host (gconstpointer address)
{
  g_assert_true (GPOINTER_TO_SIZE (address) & DISCRETE_BIT);

  return GSIZE_TO_POINTER (GPOINTER_TO_SIZE (address) & ~DISCRETE_BIT);
}

static gboolean
begin_call (const char  *what,
            GError     **error)
{
  discrete.n_calls++;
  if (discrete.n_calls == discrete.cancels_at)
    g_cancellable_cancel (discrete.cancellable);
  if (discrete.n_calls != discrete.fails_at)
    return TRUE;
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_DEVICE, "the device fails to %s", what);

  return FALSE;
}

static gpointer
alloc (GhloDeviceMemory  *self,
       GhloMemoryKind     kind,
       gsize              size,
       gpointer          *host,
       GError           **error)
{
  if (!begin_call ("allocate", error))
    return NULL;
  discrete.n_blocks++;
  if (host != NULL)
    *host = NULL;

  return to_device (g_aligned_alloc (1, MAX (size, 1), 64));
}

static void
free_block (GhloDeviceMemory *self,
            gpointer          memory,
            gsize             size)
{
  discrete.n_blocks--;
  g_aligned_free (to_host (memory));
}

/* Transfers of values, to memory that is fresh, are not counted. */
static gboolean
upload (GhloDeviceMemory   *self,
        gconstpointer       from,
        gpointer            to,
        gsize               size,
        gboolean            is_fresh,
        const GhloMonitor  *monitor,
        GError            **error)
{
  if (!begin_call ("upload", error))
    return FALSE;
  if (!is_fresh)
    {
      discrete.n_uploads++;
      discrete.n_bytes += size;
    }
  memcpy (to_host (to), from, size);

  return TRUE;
}

static gboolean
download (GhloDeviceMemory   *self,
          gconstpointer       from,
          gpointer            to,
          gsize               size,
          const GhloMonitor  *monitor,
          GError            **error)
{
  if (!begin_call ("download", error))
    return FALSE;
  discrete.n_downloads++;
  discrete.n_bytes += size;
  memcpy (to, to_host (from), size);

  return TRUE;
}

static gboolean
copy (GhloDeviceMemory  *self,
      gconstpointer      from,
      gpointer           to,
      gsize              size,
      GError           **error)
{
  memcpy (to_host (to), to_host (from), size);

  return TRUE;
}

static void
measure (GhloDeviceMemory *self,
         GhloMemoryUse    *use,
         gboolean          restarts)
{
}

/* Everything has ended when its call returns. */

static GhloFence *
add_fence (GhloDeviceQueue *self,
           GhloWait         wait)
{
  return NULL;
}

static gboolean
submit (GhloDeviceQueue  *self,
        GError          **error)
{
  return TRUE;
}

static void
settle (GhloDeviceQueue *self)
{
}

static gboolean
begin_timing (GhloDeviceQueue  *self,
              GError          **error)
{
  return begin_call ("start", error);
}

static gboolean
end_timing (GhloDeviceQueue    *self,
            gint64             *nanoseconds,
            const GhloMonitor  *monitor,
            GError            **error)
{
  if (!begin_call ("finish", error))
    return FALSE;
  *nanoseconds = DISCRETE_STEP_TIME;
  discrete.n_waits++;

  return TRUE;
}

/* Steps: those of the CPU, run on views of the device's memory. */

typedef struct
{
  const GhloStepImplementation *implementation;
  gpointer                      compiled;
  guint                         n_operands, n_results;
} Compiled;

static const GhloStepImplementation *
find_inner (const GhloIrOp *op)
{
  return op != NULL ? ghlo_cpu_find_step (ghlo_cpu_device (), op, NULL) : &ghlo_cpu_step_copy;
}

static gboolean
lacks_type (const GhloIrType *type)
{
  return type->kind == GHLO_IR_TYPE_TENSOR
         && (type->element_type == GHLO_ELEMENT_TYPE_F64 || ghlo_element_type_is_complex (type->element_type));
}

static gboolean
lacks_types (const GhloIrOp *op)
{
  gboolean found = FALSE;

  for (guint i = 0; i < op->n_operands && !found; i++)
    found = lacks_type (ghlo_ir_op_operand (op, i)->type);
  for (guint i = 0; i < op->n_results && !found; i++)
    found = lacks_type (op->results[i].type);

  return found;
}

static const char *
read_request (gpointer               data,
              GhloDeviceCore        *device,
              const GhloStepRequest *request)
{
  *(Compiled *) data = (Compiled) { find_inner (request->op), NULL, request->n_operands, request->n_results };
  if (request->op != NULL && lacks_types (request->op))
    return "it has no f64";

  return request->op != NULL && request->n_results > 0 && request->results[0].rank == 3 ? "it has no three dimensions"
                                                                                        : NULL;
}

static void
select_step (gpointer               data,
             const GhloStepRequest *request,
             GhloStepSelection     *selection)
{
  Compiled *self = data;

  /* The device's own clear () would not know the state. */
  if (ghlo_step_select (self->implementation, ghlo_cpu_device (), request, selection))
    ghlo_step_free (self->implementation, g_steal_pointer (&selection->selection_state));
}

static gboolean
finish (gpointer                data,
        GhloDeviceCore         *device,
        const GhloStepRequest  *request,
        const GhloMonitor      *monitor,
        GError                **error)
{
  Compiled *self = data;

  self->compiled = ghlo_step_compile_request (self->implementation, ghlo_cpu_device (), request, monitor, error);

  return self->compiled != NULL;
}

static void
clear (gpointer data)
{
  Compiled *self = data;

  ghlo_step_free (self->implementation, self->compiled);
}

static void
translate (const GhloView *views,
           guint           n,
           GhloView       *translated)
{
  for (guint i = 0; i < n; i++)
    {
      gboolean is_empty = views[i].element_type == GHLO_ELEMENT_TYPE_INVALID || ghlo_view_count (&views[i]) == 0;

      translated[i] = views[i];
      if (!is_empty)
        translated[i].data = to_host (views[i].data);
    }
}

static gboolean
run_step (gpointer            data,
          const GhloView     *operands,
          const GhloView     *results,
          gpointer            scratch,
          const GhloMonitor  *monitor,
          GError            **error)
{
  const Compiled *self = data;
  g_autofree GhloView *views = g_new (GhloView, self->n_operands + self->n_results);
  gboolean has_scratch = (GPOINTER_TO_SIZE (scratch) & DISCRETE_BIT) != 0;

  translate (operands, self->n_operands, views);
  translate (results, self->n_results, views + self->n_operands);

  return self->implementation->run (self->compiled, views, views + self->n_operands,
                                    has_scratch ? to_host (scratch) : scratch, monitor, error);
}

static const GhloStepImplementation step = {
  .name = "step", .size = sizeof (Compiled), .read = read_request, .select = select_step, .finish = finish,
  .clear = clear, .run = run_step,
};

/* The CPU's steps, except for some of each family. */
static const GhloStepImplementation *
find (GhloDeviceCore               *self,
      const GhloIrOp               *op,
      const GhloStepImplementation *previous)
{
  static const GhloIrOpKind missing[] = {
    GHLO_OP_STABLEHLO_CONCATENATE, GHLO_OP_STABLEHLO_CONVOLUTION, GHLO_OP_STABLEHLO_DIVIDE,
    GHLO_OP_STABLEHLO_GATHER, GHLO_OP_STABLEHLO_MAXIMUM, GHLO_OP_STABLEHLO_REDUCE_WINDOW, GHLO_OP_STABLEHLO_SELECT,
    GHLO_OP_STABLEHLO_SORT, GHLO_OP_STABLEHLO_XOR,
  };

  for (guint i = 0; i < G_N_ELEMENTS (missing); i++)
    if (op->kind == missing[i])
      return NULL;

  return previous == NULL && find_inner (op) != NULL ? &step : NULL;
}

GhloDeviceCore *
discrete_device (void)
{
  static const GhloDeviceMemoryClass memory_class = {
    .alloc = alloc, .free = free_block, .upload = upload, .download = download, .copy = copy, .measure = measure,
  };
  static const GhloDeviceQueueClass queue_class = {
    .add_fence = add_fence, .submit = submit, .settle = settle, .begin_timing = begin_timing, .end_timing = end_timing,
  };
  static const GhloDeviceCoreClass klass = { .name = "discrete", .find_step = find, .copy_step = &step };
  static GhloDeviceMemory memory = { &memory_class, "discrete", 0, 0 };
  static GhloDeviceQueue queue = { &queue_class };
  static const char *const names[] = { "discrete", NULL };
  static GhloDeviceCore device = { .klass = &klass, .names = names, .wants_passes = TRUE, .memory = &memory,
                                   .queue = &queue, .rates = &discrete_rates };

  return &device;
}

void
discrete_find_devices (GPtrArray *devices)
{
  if (!g_ptr_array_find (devices, discrete_device (), NULL))
    g_ptr_array_add (devices, discrete_device ());
}
