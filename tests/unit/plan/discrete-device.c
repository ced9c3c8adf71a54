/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A device address is a host address with one extra bit set that no host address has.
 */

#include "discrete-device.h"

#include <string.h>

#include "base/ghlo-error.h"
#include "cpu/target.h"
#include "runtime/place.h"
#include "runtime/planned.h"

#define DISCRETE_BIT ((gsize) 1 << 60)

DiscreteFigures discrete;
GhloStepRates discrete_rates = {
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

/* Memory of plans. */

static gpointer
space_alloc (gpointer   self,
             gsize      size,
             GError   **error)
{
  if (!begin_call ("allocate", error))
    return NULL;
  discrete.n_blocks++;

  return to_device (g_aligned_alloc (1, MAX (size, 1), 64));
}

static void
space_free (gpointer self,
            gpointer memory,
            gsize    size)
{
  discrete.n_blocks--;
  g_aligned_free (to_host (memory));
}

static gboolean
space_upload (gpointer            self,
              gconstpointer       from,
              gpointer            to,
              gsize               size,
              const GhloMonitor  *monitor,
              GError            **error)
{
  if (!begin_call ("upload", error))
    return FALSE;
  discrete.n_uploads++;
  discrete.n_bytes += size;
  memcpy (to_host (to), from, size);

  return TRUE;
}

static gboolean
space_download (gpointer            self,
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
space_start (gpointer   self,
             GError   **error)
{
  return begin_call ("start", error);
}

static gboolean
space_finish (gpointer            self,
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
  const GhloStepTarget *cpu = ghlo_cpu_target ();

  return op != NULL ? cpu->find (cpu->self, op, NULL) : cpu->copy;
}

static gboolean
select_step (gpointer               self,
             const GhloStepRequest *request,
             GhloStepSelection     *selection)
{
  const GhloStepImplementation *inner = find_inner (request->op);

  if (request->op != NULL && request->n_results > 0 && request->results[0].rank == 3)
    {
      selection->reason = "it has no three dimensions";
      return FALSE;
    }

  if (!inner->select (ghlo_cpu_target ()->self, request, selection))
    return FALSE;
  /* The device's own release () would not know it. */
  if (selection->kept != NULL)
    inner->release (g_steal_pointer (&selection->kept));

  return TRUE;
}

static gpointer
compile (gpointer               self,
         const GhloStepRequest *request,
         const GhloMonitor     *monitor,
         GError               **error)
{
  const GhloStepImplementation *inner = find_inner (request->op);
  gpointer compiled = inner->compile (ghlo_cpu_target ()->self, request, monitor, error);
  Compiled *made;

  if (compiled == NULL)
    return NULL;
  made = g_new (Compiled, 1);
  *made = (Compiled) { inner, compiled, request->n_operands, request->n_results };

  return made;
}

static void
release_step (gpointer data)
{
  Compiled *self = data;

  if (self->implementation->release != NULL)
    self->implementation->release (self->compiled);
  g_free (self);
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
  .name = "step", .select = select_step, .compile = compile, .run = run_step, .release = release_step,
};

static gboolean
lacks_type (const GhloIrType *type)
{
  return type->kind == GHLO_IR_TYPE_TENSOR
         && (type->element_type == GHLO_ELEMENT_TYPE_F64 || ghlo_element_type_is_complex (type->element_type));
}

static const char *
lacks (gpointer        self,
       const GhloIrOp *op)
{
  gboolean found = FALSE;

  for (guint i = 0; i < op->n_operands && !found; i++)
    found = lacks_type (ghlo_ir_op_operand (op, i)->type);
  for (guint i = 0; i < op->n_results && !found; i++)
    found = lacks_type (op->results[i].type);

  return found ? "it has no f64" : NULL;
}

/* The CPU's steps, except for some of each family. */
static const GhloStepImplementation *
find (gpointer                      self,
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

static const GhloStepTarget *
get_target (GhloDeviceCore *self)
{
  static const GhloStepSpace space = {
    .name = "discrete", .alloc = space_alloc, .free = space_free, .upload = space_upload, .download = space_download,
    .start = space_start, .finish = space_finish,
  };
  static const GhloStepTarget target = {
    .name = "discrete", .space = &space, .lacks = lacks, .find = find, .copy = &step, .rates = &discrete_rates,
  };

  return &target;
}

/* Storage. */

static void
destroy (GhloStorage *storage)
{
  discrete.n_blocks--;
  g_aligned_free (to_host (GSIZE_TO_POINTER (storage->address)));
  g_free (storage);
}

static GhloStorage *
allocate (GhloDeviceCore   *self,
          GhloMemorySpace   space,
          gsize             size,
          GError          **error)
{
  GhloStorage *storage;

  if (!begin_call ("allocate", error))
    return NULL;
  storage = g_new0 (GhloStorage, 1);
  g_atomic_ref_count_init (&storage->ref_count);
  storage->space = GHLO_MEMORY_DEVICE;
  storage->device = self;
  storage->address = GPOINTER_TO_SIZE (to_device (g_aligned_alloc (1, MAX (size, 1), 64)));
  storage->size = size;
  storage->destroy = destroy;
  discrete.n_blocks++;

  return storage;
}

static gboolean
upload (GhloDeviceCore     *self,
        gconstpointer       from,
        GhloStorage        *to,
        const GhloMonitor  *monitor,
        GError            **error)
{
  if (!begin_call ("upload", error))
    return FALSE;
  memcpy (to_host (GSIZE_TO_POINTER (to->address)), from, to->size);

  return TRUE;
}

static gboolean
download (GhloDeviceCore     *self,
          GhloStorage        *from,
          gpointer            to,
          const GhloMonitor  *monitor,
          GError            **error)
{
  if (!begin_call ("download", error))
    return FALSE;
  memcpy (to, to_host (GSIZE_TO_POINTER (from->address)), from->size);

  return TRUE;
}

static gboolean
copy (GhloDeviceCore  *self,
      GhloStorage     *from,
      GhloStorage     *to,
      GError         **error)
{
  memcpy (to_host (GSIZE_TO_POINTER (to->address)), to_host (GSIZE_TO_POINTER (from->address)), from->size);

  return TRUE;
}

GhloDeviceCore *
discrete_device (void)
{
  static const GhloDeviceCoreClass klass = {
    .name = "discrete",
    .allocate = allocate,
    .upload = upload,
    .download = download,
    .copy = copy,
    .prepare = ghlo_planned_prepare,
    .release = ghlo_planned_release,
    .start = ghlo_planned_start,
    .get_target = get_target,
    .get_plan = ghlo_planned_get_plan,
    .describe = ghlo_planned_describe,
    .measure = ghlo_planned_measure,
  };
  static const char *const names[] = { "discrete", NULL };
  static GhloDeviceCore device = { .klass = &klass, .names = names, .wants_passes = TRUE };

  return &device;
}

void
discrete_find_devices (GPtrArray *devices)
{
  if (!g_ptr_array_find (devices, discrete_device (), NULL))
    g_ptr_array_add (devices, discrete_device ());
}
