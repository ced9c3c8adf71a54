/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The step of iota: writes one row of numbers, and copies it to all others. A result of a single row is written
 * directly.
 */

#include "base/sizes.h"
#include "cpu/move/move.h"

#include "runtime/parallel.h"

typedef void (*CountFunc) (gpointer to,
                           gsize    begin,
                           gsize    end);

typedef struct
{
  GhloElementType type;
  gsize           n;              /* numbers of a row */
  CountFunc       count;          /* nullable */
  gboolean        is_single;        /* the result is one row */
  GhloCpuCopy     copy;
} Iota;

#define COUNT(name, T) \
  static void \
  name (gpointer to, \
        gsize    begin, \
        gsize    end) \
  { \
    T *numbers = to; \
\
    for (gsize i = begin; i < end; i++) \
      numbers[i] = (T) i; \
  }

COUNT (count_8, guint8)
COUNT (count_16, guint16)
COUNT (count_32, guint32)
COUNT (count_64, guint64)
COUNT (count_f32, float)
COUNT (count_f64, double)

static const struct
{
  GhloElementType type;
  CountFunc       count;
} counts[] = {
  { GHLO_ELEMENT_TYPE_I8, count_8 }, { GHLO_ELEMENT_TYPE_UI8, count_8 },
  { GHLO_ELEMENT_TYPE_I16, count_16 }, { GHLO_ELEMENT_TYPE_UI16, count_16 },
  { GHLO_ELEMENT_TYPE_I32, count_32 }, { GHLO_ELEMENT_TYPE_UI32, count_32 },
  { GHLO_ELEMENT_TYPE_I64, count_64 }, { GHLO_ELEMENT_TYPE_UI64, count_64 },
  { GHLO_ELEMENT_TYPE_F32, count_f32 }, { GHLO_ELEMENT_TYPE_F64, count_f64 },
};

static const char *
read_request (gpointer               step,
              GhloDeviceCore        *device,
              const GhloStepRequest *request)
{
  Iota *self = step;
  const GhloView *result = &request->results[0];
  gint64 dimension = ghlo_ir_op_get_int (request->op, "iota_dimension", 0), strides[GHLO_MAX_RANK] = { 0 };
  gint64 size = ghlo_element_info (result->element_type)->size;

  if (dimension < 0 || dimension >= result->rank)
    return "its dimension is out of range";
  self->type = result->element_type;
  self->n = (gsize) result->dimensions[dimension];
  self->is_single = ghlo_view_count (result) == (gint64) self->n;
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    if (counts[i].type == self->type)
      self->count = counts[i].count;
  strides[dimension] = size;
  ghlo_cpu_copy_init (&self->copy, result->rank, result->dimensions, self->type, strides, self->type, result->strides);

  return NULL;
}

static void
fill_selection (gpointer               step,
                const GhloStepRequest *request,
                GhloStepSelection     *selection)
{
  const Iota *self = step;

  if (!self->is_single && self->copy.n_parts > 0)
    selection->scratch = self->n * ghlo_element_info (self->type)->size;
}

typedef struct
{
  const Iota *iota;
  guint8     *to;
} Run;

static void
count_part (gpointer data,
            gsize    begin,
            gsize    end,
            guint    worker)
{
  const Run *run = data;
  const Iota *self = run->iota;
  const GhloElementInfo *info = ghlo_element_info (self->type);

  if (self->count != NULL)
    {
      self->count (run->to, begin, end);
      return;
    }
  for (gsize i = begin; i < end; i++)
    {
      GhloScalar scalar = { .i = (gint64) i };

      if (info->element_class == GHLO_ELEMENT_CLASS_FLOAT)
        scalar.f = (double) i;
      else if (info->element_class == GHLO_ELEMENT_CLASS_COMPLEX)
        scalar = (GhloScalar) { .c = { (double) i, 0 } };
      ghlo_element_store (self->type, run->to + i * info->size, scalar);
    }
}

static gboolean
run (gpointer            compiled,
     const GhloView     *operands,
     const GhloView     *results,
     gpointer            scratch,
     const GhloMonitor  *monitor,
     GError            **error)
{
  const Iota *self = compiled;
  Run counted = { self, self->is_single ? results[0].data : scratch };
  double nanoseconds = (double) self->n * (self->count != NULL ? 0.5 : 20);
  gboolean done = TRUE;

  if (self->copy.n_parts > 0)
    done = ghlo_parallel_for (self->n, 4096, nanoseconds, count_part, &counted, monitor)
           && (self->is_single || ghlo_cpu_copy_run (&self->copy, scratch, results[0].data, monitor));

  return ghlo_cpu_finish (done, monitor, error);
}

const GhloStepImplementation ghlo_cpu_step_iota = {
  .name = "iota",
  .size = sizeof (Iota),
  .read = read_request,
  .select = fill_selection,
  .run = run,
};
