/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The step of fft. The last dimension is transformed from the operand into the result, and the others there, in place.
 * For IRFFT the last dimension comes last, and the others are transformed in the scratch.
 */

#include "base/sizes.h"
#include "cpu/fft/transform.h"
#include "cpu/finish.h"
#include "cpu/steps.h"
#include "runtime/parallel.h"

#include <math.h>

enum { MAX_DIMENSIONS = 3 };

/* Lines of at most this length, and lines that are many, are shared by the threads; otherwise they share the parts of
 * a line. Only as far as the scratch of a line is small. */
enum { MAX_SHARED_LENGTH = 1 << 16, MIN_SHARED_LINES = 4, MAX_SHARED_SCRATCH = 32 << 20 };

typedef enum
{
  FFT,
  IFFT,
  RFFT,
  IRFFT,
} Type;

/* The transforms along one dimension. Numbers are those of the operand, or of the result, of this pass. */
typedef struct
{
  GhloCpuTransform transform;
  gsize            outer, inner;          /* numbers outside and inside the dimension */
  gsize            n_from, n_to;          /* along the dimension */
  gsize            from_size, to_size;    /* bytes of a number */
  gsize            n_blocks;              /* of lanes, which go through the inner and outer numbers; or lines */
  gboolean         shares_lines;
  gsize            scratch;               /* bytes for one thread; where threads share a line, for all */
  double           nanoseconds;
} Pass;

typedef struct
{
  Type     type;
  guint    n_passes;
  Pass     passes[MAX_DIMENSIONS];        /* in order of execution */
  gsize    work;                          /* bytes of the scratch that hold numbers between passes */
  gsize    scratch;
} Fourier;

typedef struct
{
  const Pass        *pass;
  guint8            *from, *to, *scratch;
  const GhloMonitor *monitor;
  gint               failed;              /* atomic */
} Run;

static const char *
find_blocks (Pass *self)
{
  gsize lanes = ghlo_cpu_transform_n_lanes (&self->transform), scratch;
  const GhloCpuTransform *transform = &self->transform;

  self->n_blocks = transform->by_line ? self->outer : ghlo_size_ceil_div (self->outer * self->inner, lanes);
  if (!ghlo_cpu_transform_find_scratch (transform, &self->scratch))
    return "its length is too large";
  self->shares_lines = transform->by_line && self->outer > 1 && self->scratch <= MAX_SHARED_SCRATCH
                       && (transform->length <= MAX_SHARED_LENGTH
                           || self->outer >= MIN_SHARED_LINES * ghlo_parallel_n_workers ());
  self->nanoseconds = (double) self->n_blocks * (double) (transform->by_line ? 1 : lanes) * (double) transform->length
                      * (1 + 0.1 * log2 ((double) transform->length))
                      * (transform->chirps || transform->cycles ? 2 : 1);

  return ghlo_size_mul (&scratch, self->scratch, ghlo_parallel_n_workers ()) ? NULL : "its length is too large";
}

static gsize
scratch_of (const Pass *self)
{
  return self->scratch * (self->transform.by_line && !self->shares_lines ? 1 : ghlo_parallel_n_workers ());
}

/* Adds the pass over transformed dimension @d of @n. */
static const char *
add_pass (Fourier        *self,
          const GhloView *operand,
          const GhloView *result,
          guint           d,
          guint           n,
          gsize           length)
{
  Pass *pass = &self->passes[self->n_passes];
  gboolean is_last = d == n - 1, is_f64 = ghlo_element_type_real_part (operand->element_type) == GHLO_ELEMENT_TYPE_F64;
  GhloCpuTransformForm form = is_last && self->type == RFFT ? GHLO_CPU_TRANSFORM_REAL
                              : is_last && self->type == IRFFT ? GHLO_CPU_TRANSFORM_HALF : GHLO_CPU_TRANSFORM_COMPLEX;
  guint at = operand->rank - n + d;
  const GhloView *shape = self->type == IRFFT ? operand : result;
  gsize size = is_f64 ? 16 : 8;
  const char *reason;

  pass->outer = pass->inner = 1;
  for (guint i = 0; i < shape->rank; i++)
    if (i != at)
      *(i < at ? &pass->outer : &pass->inner) *= (gsize) shape->dimensions[i];
  pass->n_from = form == GHLO_CPU_TRANSFORM_HALF ? length / 2 + 1 : length;
  pass->n_to = form == GHLO_CPU_TRANSFORM_REAL ? length / 2 + 1 : length;
  pass->from_size = form == GHLO_CPU_TRANSFORM_REAL ? size / 2 : size;
  pass->to_size = form == GHLO_CPU_TRANSFORM_HALF ? size / 2 : size;
  reason = ghlo_cpu_transform_read (&pass->transform, length, form, is_f64, self->type == IFFT || self->type == IRFFT,
                                    is_last, pass->outer);
  if (reason == NULL)
    reason = find_blocks (pass);
  self->n_passes++;

  return reason;
}

/* Whether a dimension of transforms of @length numbers has the right size. */
static gboolean
fits (gint64   size,
      gint64   length,
      gboolean is_half)
{
  return size == (is_half ? length / 2 + 1 : length);
}

static const char *
read_request (gpointer               step,
              GhloDeviceCore        *device,
              const GhloStepRequest *request)
{
  static const char *const types[] = { "FFT", "IFFT", "RFFT", "IRFFT" };
  Fourier *self = step;
  const GhloView *operand = &request->operands[0], *result = &request->results[0];
  const char *type = ghlo_ir_enum_word (ghlo_ir_op_get (request->op, "fft_type")), *reason = NULL;
  gsize n, count, scratch = 0;
  g_autofree gint64 *lengths = ghlo_ir_op_dup_ints (request->op, "fft_length", &n);

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (g_strcmp0 (type, types[i]) == 0)
      self->type = i;
  if (n < 1 || n > MAX_DIMENSIONS || n > operand->rank || operand->rank != result->rank)
    return "it transforms too many dimensions";
  if (ghlo_view_count (result) == 0)
    return NULL;
  for (guint i = 0; i < n; i++)
    if (!fits (operand->dimensions[operand->rank - n + i], lengths[i], self->type == IRFFT && i == n - 1)
        || !fits (result->dimensions[operand->rank - n + i], lengths[i], self->type == RFFT && i == n - 1))
      return "fft_length does not match its operand and result";

  for (guint i = 0; i < n && reason == NULL; i++)
    {
      guint d = self->type == IRFFT ? i : (guint) n - 1 - i;

      reason = add_pass (self, operand, result, d, (guint) n, (gsize) lengths[d]);
    }
  if (reason != NULL)
    return reason;
  for (guint i = 0; i < self->n_passes; i++)
    scratch = MAX (scratch, scratch_of (&self->passes[i]));
  if (self->type == IRFFT && n > 1)
    {
      count = (gsize) ghlo_view_count (operand);
      self->work = ghlo_size_align (count * ghlo_element_info (operand->element_type)->size);
    }

  return ghlo_size_add (&self->scratch, scratch, self->work) ? NULL : "its length is too large";
}

static void
fill_selection (gpointer               step,
                const GhloStepRequest *request,
                GhloStepSelection     *selection)
{
  const Fourier *self = step;

  selection->operands[0].dense = TRUE;
  if (self->type == FFT || self->type == IFFT)
    selection->operands[0].in_place = 0;
  selection->scratch = self->scratch;
}

static gboolean
finish (gpointer               step,
        GhloDeviceCore        *device,
        const GhloStepRequest *request,
        const GhloMonitor     *monitor,
        GError               **error)
{
  Fourier *self = step;

  for (guint i = 0; i < self->n_passes; i++)
    if (!ghlo_cpu_transform_prepare (&self->passes[i].transform, monitor))
      {
        if (!ghlo_monitor_cancelled (monitor, error))
          g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY,
                               "there is not enough memory for the tables of a Fourier transform");
        return FALSE;
      }

  return TRUE;
}

static void
clear (gpointer step)
{
  Fourier *self = step;

  for (guint i = 0; i < self->n_passes; i++)
    ghlo_cpu_transform_clear (&self->passes[i].transform);
}

/* The first lane of a block on one side of a pass. */
static GhloCpuLanes
find_lanes (const Pass *self,
            gsize       first,
            guint8     *data,
            gsize       n,
            gsize       size)
{
  const gsize run = self->inner, at = first % run;

  return (GhloCpuLanes) {
    .data = data + (first / run * n * run + at) * size, .lane = (gint64) (n * run * size),
    .element = (gint64) (run * size), .run = run, .first = at,
  };
}

static void
run_blocks (gpointer data,
            gsize    begin,
            gsize    end,
            guint    worker)
{
  Run *self = data;
  const Pass *pass = self->pass;
  const gsize lanes = ghlo_cpu_transform_n_lanes (&pass->transform), n = pass->outer * pass->inner;

  for (gsize first = begin * lanes; first < MIN (end * lanes, n) && !g_atomic_int_get (&self->failed); first += lanes)
    {
      GhloCpuLanes from = find_lanes (pass, first, self->from, pass->n_from, pass->from_size);
      GhloCpuLanes to = find_lanes (pass, first, self->to, pass->n_to, pass->to_size);

      ghlo_cpu_transform_run_lanes (&pass->transform, &from, &to, (guint) MIN (lanes, n - first),
                                    self->scratch + worker * pass->scratch);
      if (ghlo_monitor_cancelled (self->monitor, NULL))
        g_atomic_int_set (&self->failed, TRUE);
    }
}

static void
run_lines (gpointer data,
           gsize    begin,
           gsize    end,
           guint    worker)
{
  Run *self = data;
  const Pass *pass = self->pass;
  /* Progress is reported by whoever shares out the lines. */
  GhloMonitor monitor = { .cancellable = self->monitor != NULL ? self->monitor->cancellable : NULL };

  for (gsize line = begin; line < end && !g_atomic_int_get (&self->failed); line++)
    if (!ghlo_cpu_transform_run_line (&pass->transform, self->from + line * pass->n_from * pass->from_size,
                                      self->to + line * pass->n_to * pass->to_size,
                                      self->scratch + worker * pass->scratch, &monitor))
      g_atomic_int_set (&self->failed, TRUE);
}

static gboolean
run_pass (const Pass        *self,
          guint8            *from,
          guint8            *to,
          guint8            *scratch,
          const GhloMonitor *monitor)
{
  Run run = { .pass = self, .monitor = monitor };
  GhloParallelFunc func = self->transform.by_line ? run_lines : run_blocks;

  run.from = from;
  run.to = to;
  run.scratch = scratch;
  if (self->transform.by_line && !self->shares_lines)
    {
      run_lines (&run, 0, self->n_blocks, 0);
      return !run.failed;
    }

  return ghlo_parallel_for (self->n_blocks, 1, self->nanoseconds, func, &run, monitor) && !run.failed;
}

static gboolean
run (gpointer            compiled,
     const GhloView     *operands,
     const GhloView     *results,
     gpointer            scratch,
     const GhloMonitor  *monitor,
     GError            **error)
{
  const Fourier *self = compiled;
  guint8 *from = operands[0].data;
  gboolean done = TRUE;

  for (guint i = 0; i < self->n_passes && done; i++)
    {
      guint8 *to = self->work > 0 && i + 1 < self->n_passes ? scratch : results[0].data;

      done = run_pass (&self->passes[i], from, to, (guint8 *) scratch + self->work, monitor);
      from = to;
    }

  return ghlo_cpu_finish (done, monitor, error);
}

static void
describe_radices (const GhloCpuRadices *radices,
                  GString              *text)
{
  for (guint i = 0; i < radices->n_passes; i++)
    g_string_append_printf (text, " %u", radices->radices[i]);
}

static char *
describe (gpointer compiled)
{
  const Fourier *self = compiled;
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < self->n_passes; i++)
    {
      const GhloCpuTransform *transform = &self->passes[i].transform;

      g_string_append_printf (text, "%s%" G_GSIZE_FORMAT ":%s", i > 0 ? ", " : "", transform->n,
                              transform->chirps ? " chirp" : transform->cycles ? " cycle" : "");
      describe_radices (&transform->columns, text);
      if (transform->by_line)
        g_string_append (text, " by");
      describe_radices (&transform->rows, text);
    }

  return g_string_free (text, FALSE);
}

static void
get_packing (gpointer         compiled,
             GhloStepPacking *packing)
{
  const Fourier *self = compiled;

  for (guint i = 0; i < self->n_passes; i++)
    packing->constant_size += ghlo_cpu_transform_tables_size (&self->passes[i].transform);
}

const GhloStepImplementation ghlo_cpu_step_fft = {
  .name = "fft",
  .size = sizeof (Fourier),
  .read = read_request,
  .select = fill_selection,
  .finish = finish,
  .clear = clear,
  .run = run,
  .describe = describe,
  .get_packing = get_packing,
};
