/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads a convolution and assigns it to the algorithm that expects to be the fastest.
 */

#include "cpu/convolution/convolution-private.h"

#include <string.h>

#include "base/ghlo-error.h"
#include "cpu/finish.h"
#include "runtime/memory.h"

/* Multiply-adds up to which the library costs more than it saves. Products this small are summed in the order of the
 * specification. */
#define SMALL 16384

static gboolean
read_places (const GhloIrAttr *attr,
             const char       *field,
             guint             n_spatial,
             gint64           *positions)
{
  gsize n;
  const gint64 *from = ghlo_ir_struct_get_dims (attr, field, &n);

  if (n != n_spatial)
    return FALSE;
  if (n > 0)
    memcpy (positions, from, n * sizeof (gint64));

  return TRUE;
}

static gboolean
read_numbers (GhloCpuConvolutionNumbers *self,
              const GhloIrAttr          *attr)
{
  self->input_batch = ghlo_ir_struct_get_int (attr, "input_batch_dimension");
  self->input_feature = ghlo_ir_struct_get_int (attr, "input_feature_dimension");
  self->kernel_input_feature = ghlo_ir_struct_get_int (attr, "kernel_input_feature_dimension");
  self->kernel_output_feature = ghlo_ir_struct_get_int (attr, "kernel_output_feature_dimension");
  self->output_batch = ghlo_ir_struct_get_int (attr, "output_batch_dimension");
  self->output_feature = ghlo_ir_struct_get_int (attr, "output_feature_dimension");

  return read_places (attr, "input_spatial_dimensions", self->n_spatial, self->input_spatial)
         && read_places (attr, "kernel_spatial_dimensions", self->n_spatial, self->kernel_spatial)
         && read_places (attr, "output_spatial_dimensions", self->n_spatial, self->output_spatial);
}

const char *
ghlo_cpu_convolution_numbers_read (GhloCpuConvolutionNumbers *self,
                                   const GhloIrOp            *op)
{
  const char *reason;

  if (op->kind != GHLO_OP_STABLEHLO_CONVOLUTION)
    return "it is not a convolution";
  memset (self, 0, sizeof (*self));
  reason = ghlo_ir_window_read (&self->window, op);
  if (reason != NULL)
    return reason;
  self->n_spatial = self->window.rank;
  self->feature_groups = ghlo_ir_op_get_int (op, "feature_group_count", 1);
  self->batch_groups = ghlo_ir_op_get_int (op, "batch_group_count", 1);

  return read_numbers (self, ghlo_ir_op_get (op, "dimension_numbers"))
         ? NULL : "its dimension numbers do not fit its operands";
}

static gboolean
fail (GError **error)
{
  g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                       "expected a convolution's operands and result to have dimensions that fit each other");

  return FALSE;
}

static gboolean
read_spatial (GhloCpuWindows                  *self,
              guint                            i,
              const GhloCpuConvolutionNumbers *numbers,
              const GhloView                  *lhs,
              const GhloView                  *rhs,
              const GhloView                  *result)
{
  gint64 l = numbers->input_spatial[i], r = numbers->kernel_spatial[i], o = numbers->output_spatial[i];
  const GhloIrWindowDim *window = &numbers->window.dims[i];
  GhloCpuSpatial *spatial = &self->spatial[i];

  if (MAX (MAX (l, r), o) >= lhs->rank || MIN (MIN (l, r), o) < 0 || !ghlo_ir_window_is_near (window)
      || lhs->dimensions[l] != window->input || rhs->dimensions[r] != window->size
      || result->dimensions[o] != window->output)
    return FALSE;
  *spatial = (GhloCpuSpatial) {
    .input = window->input, .kernel = window->size, .output = window->output,
    .step = window->stride, .low = window->padding_low,
    .input_dilation = window->base_dilation, .kernel_dilation = window->window_dilation,
    .lhs = lhs->strides[l], .rhs = rhs->strides[r], .result = result->strides[o],
  };
  if (window->is_reversed && spatial->kernel > 0)
    {
      self->rhs_first += (spatial->kernel - 1) * spatial->rhs;
      spatial->rhs = -spatial->rhs;
    }

  return TRUE;
}

/* Leaves out the taps at either end that meet nothing but padding, at any position; one stays. FALSE where there are
 * none: a small image in a large window has many. */
static gboolean
trim_taps (GhloCpuWindows *self)
{
  gboolean trimmed = FALSE;

  for (guint i = 0; i < self->n_spatial; i++)
    {
      GhloCpuSpatial *s = &self->spatial[i];
      gint64 first, end;

      if (MIN (MIN (s->input, s->output), s->kernel) < 1)
        continue;
      /* What is left begins with padding, or with the input. */
      first = ghlo_ceil_div (MAX (s->low - (s->output - 1) * s->step, 0), s->kernel_dilation);
      first = MAX (MIN (MIN (first, s->low / s->kernel_dilation), s->kernel - 1), 0);
      end = MAX (s->low + (s->input - 1) * s->input_dilation, 0) / s->kernel_dilation + 1;
      end = CLAMP (end, first + 1, s->kernel);
      trimmed |= end - first < s->kernel;
      s->kernel = end - first;
      s->low -= first * s->kernel_dilation;
      self->rhs_first += first * s->rhs;
    }

  return trimmed;
}

/* A single tap without padding reads each position of the input once or never. */
static gboolean
reads_once (const GhloCpuSpatial *s)
{
  return s->kernel == 1 && s->low == 0 && s->input_dilation == 1 && s->output > 0
         && (s->output - 1) * s->step < s->input;
}

/* With a single tap, the positions that are read are an input with longer strides, and the convolution is a product. */
static void
skip_positions (GhloCpuWindows *self)
{
  for (guint i = 0; i < self->n_spatial; i++)
    if (!reads_once (&self->spatial[i]))
      return;
  for (guint i = 0; i < self->n_spatial; i++)
    {
      GhloCpuSpatial *s = &self->spatial[i];

      s->input = s->output;
      s->lhs *= s->step;
      s->step = 1;
    }
}

static gboolean
is_single (const GhloCpuSpatial *spatial)
{
  return spatial->input == 1 && spatial->kernel == 1 && spatial->output == 1 && spatial->low == 0;
}

/* Leaves out dimensions of one position, as far as at least one dimension stays. Depthwise convolutions get two
 * dimensions at least: libraries have their best loops for images. */
static void
simplify (GhloCpuWindows *self)
{
  const gboolean is_depthwise = self->feature_groups > 1 && self->feature_groups == self->output_features;
  guint n = 0;

  for (guint i = 0; i < self->n_spatial; i++)
    if (!is_single (&self->spatial[i]) || (n == 0 && i + 1 == self->n_spatial))
      self->spatial[n++] = self->spatial[i];
  if (is_depthwise && n == 1)
    {
      self->spatial[n++] = self->spatial[0];
      self->spatial[0] = (GhloCpuSpatial) {
        .input = 1, .kernel = 1, .output = 1, .step = 1, .input_dilation = 1, .kernel_dilation = 1,
      };
    }
  self->n_spatial = n;
}

static gboolean
read_windows (GhloCpuWindows                  *self,
              const GhloCpuConvolutionNumbers *numbers,
              const GhloView                  *lhs,
              const GhloView                  *rhs,
              const GhloView                  *result,
              GError                         **error)
{
  guint rank = numbers->n_spatial + 2;

  if (lhs->rank != rank || rhs->rank != rank || result->rank != rank
      || MIN (MIN (numbers->input_batch, numbers->input_feature), numbers->kernel_input_feature) < 0
      || MIN (MIN (numbers->kernel_output_feature, numbers->output_batch), numbers->output_feature) < 0
      || MAX (MAX (numbers->input_batch, numbers->input_feature), numbers->kernel_input_feature) >= rank
      || MAX (MAX (numbers->kernel_output_feature, numbers->output_batch), numbers->output_feature) >= rank)
    return fail (error);
  *self = (GhloCpuWindows) {
    .lhs_type = lhs->element_type, .rhs_type = rhs->element_type, .result_type = result->element_type,
    .n_spatial = numbers->n_spatial, .rhs_is_persistent = rhs->is_persistent,
    .batch = lhs->dimensions[numbers->input_batch], .output_batch = result->dimensions[numbers->output_batch],
    .features = lhs->dimensions[numbers->input_feature],
    .output_features = result->dimensions[numbers->output_feature],
    .group_features = rhs->dimensions[numbers->kernel_input_feature],
    .feature_groups = numbers->feature_groups, .batch_groups = numbers->batch_groups,
    .lhs_batch = lhs->strides[numbers->input_batch], .lhs_feature = lhs->strides[numbers->input_feature],
    .rhs_input = rhs->strides[numbers->kernel_input_feature],
    .rhs_output = rhs->strides[numbers->kernel_output_feature],
    .result_batch = result->strides[numbers->output_batch],
    .result_feature = result->strides[numbers->output_feature],
  };
  for (guint i = 0; i < numbers->n_spatial; i++)
    if (!read_spatial (self, i, numbers, lhs, rhs, result))
      return fail (error);

  if (MIN (self->feature_groups, self->batch_groups) < 1
      || self->features != self->group_features * self->feature_groups
      || self->batch != self->output_batch * self->batch_groups
      || self->output_features != rhs->dimensions[numbers->kernel_output_feature]
      || self->output_features % self->feature_groups != 0 || self->output_features % self->batch_groups != 0)
    return fail (error);

  return TRUE;
}

/* Approximate number of multiply-adds, padding included. */
static double
count_products (const GhloCpuWindows *windows)
{
  double n = (double) windows->output_batch * (double) windows->output_features * (double) windows->group_features;

  for (guint i = 0; i < windows->n_spatial; i++)
    n *= (double) windows->spatial[i].output * (double) windows->spatial[i].kernel;

  return n;
}

/* Finds the way of the algorithm that expects to be the fastest. Our loops and products know that at once, the library
 * before it makes anything; where that beats our loops without copies, it is not compared with products. Small
 * convolutions are the library's only where nothing else takes them. */
static gboolean
choose_algorithm (GhloCpuConvolution  *self,
                  GError             **error)
{
  const gboolean small = count_products (&self->windows) <= SMALL;
  const GhloCpuConvolutionAlgorithm *const algorithms[] = {
    &ghlo_cpu_convolution_lanes, small ? &ghlo_cpu_convolution_panels : &ghlo_cpu_convolution_library,
    small ? &ghlo_cpu_convolution_library : &ghlo_cpu_convolution_panels,
  };
  double most = G_MAXDOUBLE;

  for (guint i = 0; i < G_N_ELEMENTS (algorithms); i++)
    {
      g_auto (GhloCpuWay) way = { 0 };
      g_autoptr (GError) problem = NULL;

      if (algorithms[i]->take (self, most, &way, &problem))
        {
          ghlo_cpu_way_clear (&self->way);
          self->algorithm = algorithms[i];
          ghlo_cpu_way_move (&self->way, &way);
          if (algorithms[i] == &ghlo_cpu_convolution_library && !self->way.copies)
            return TRUE;
          most = self->way.nanoseconds;
        }
      if (problem != NULL && self->algorithm == NULL)
        {
          g_propagate_error (error, g_steal_pointer (&problem));
          return FALSE;
        }
    }
  if (self->algorithm == NULL)
    g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY, "a padded copy of the input is too large");

  return self->algorithm != NULL;
}

static GhloCpuConvolution *
convolution_new (const GhloCpuConvolutionNumbers *numbers,
                 const GhloView                  *lhs,
                 const GhloView                  *rhs,
                 const GhloView                  *result,
                 GhloCpuPanelFunc                 epilogue,
                 gboolean                         compiles,
                 GError                         **error)
{
  g_autoptr (GhloCpuConvolution) self = g_new0 (GhloCpuConvolution, 1);
  gboolean trimmed;

  if (!read_windows (&self->windows, numbers, lhs, rhs, result, error))
    return NULL;
  self->whole = self->windows;
  trimmed = trim_taps (&self->windows);
  skip_positions (&self->windows);
  simplify (&self->windows);
  self->epilogue = epilogue;
  self->compiles = compiles;
  if (!choose_algorithm (self, error))
    return NULL;
  self->skips_padding = (trimmed || (self->algorithm->skips_padding && ghlo_cpu_windows_are_padded (&self->windows)))
                        && ghlo_element_type_is_float (self->windows.rhs_type);
  self->has_probes = self->skips_padding && !trimmed
                     && ghlo_cpu_windows_find_probes (&self->windows, &self->probes);

  return g_steal_pointer (&self);
}

static void
clear_packed (GhloCpuConvolution *self)
{
  if (self->packed != NULL)
    ghlo_memory_free (self->packed, self->way.packed_size);
  self->packed = NULL;
}

void
ghlo_cpu_convolution_free (GhloCpuConvolution *self)
{
  if (self == NULL)
    return;
  clear_packed (self);
  ghlo_cpu_way_clear (&self->way);
  g_free (self);
}

/* Packs a constant kernel. Where memory is short or the library fails, it stays unpacked. FALSE when cancelled. */
static gboolean
pack (GhloCpuConvolution  *self,
      const guint8        *rhs,
      const GhloMonitor   *monitor,
      GError             **error)
{
  gpointer scratch;

  if (rhs == NULL || self->way.packed_size == 0)
    return TRUE;
  scratch = ghlo_memory_alloc_uninitialized (self->way.scratch_size, NULL);
  if (scratch != NULL)
    self->packed = ghlo_memory_alloc_uninitialized (self->way.packed_size, NULL);
  if (self->packed != NULL && !ghlo_cpu_convolution_pack (self, rhs, self->packed, scratch, monitor, NULL))
    clear_packed (self);
  if (scratch != NULL)
    ghlo_memory_free (scratch, self->way.scratch_size);
  if (self->packed != NULL)
    {
      char *description = g_strconcat (self->way.description, ", kernel reordered", NULL);

      g_free (self->way.description);
      self->way.description = description;
    }

  return !ghlo_monitor_cancelled (monitor, error);
}

GhloCpuConvolution *
ghlo_cpu_convolution_prepare (const GhloCpuConvolutionNumbers *numbers,
                              const GhloView                  *lhs,
                              const GhloView                  *rhs,
                              const GhloView                  *result,
                              GhloCpuPanelFunc                 epilogue,
                              const GhloMonitor               *monitor,
                              GError                         **error)
{
  g_autoptr (GhloCpuConvolution) self = convolution_new (numbers, lhs, rhs, result, epilogue, TRUE, error);

  if (self == NULL || !pack (self, rhs->data, monitor, error))
    return NULL;
  self->packs_ahead = self->packed != NULL;
  if (rhs->data != NULL)
    g_clear_pointer (&self->way.packing, g_bytes_unref);

  return g_steal_pointer (&self);
}

GhloCpuConvolution *
ghlo_cpu_convolution_choose (const GhloCpuConvolutionNumbers *numbers,
                             const GhloView                  *lhs,
                             const GhloView                  *rhs,
                             const GhloView                  *result,
                             GhloCpuPanelFunc                 epilogue,
                             GError                         **error)
{
  GhloCpuConvolution *self = convolution_new (numbers, lhs, rhs, result, epilogue, FALSE, error);

  if (self != NULL)
    self->packs_ahead = rhs->data != NULL && self->way.packed_size > 0;

  return self;
}

gsize
ghlo_cpu_convolution_scratch_size (const GhloCpuConvolution *self)
{
  return self->way.scratch_size;
}

gsize
ghlo_cpu_convolution_packed_size (const GhloCpuConvolution *self)
{
  return self->packs_ahead ? self->way.packed_size : 0;
}

GBytes *
ghlo_cpu_convolution_get_packing (const GhloCpuConvolution *self,
                                  gsize                    *size)
{
  *size = self->way.packed_size;

  return self->way.packing;
}

/* Runs need weights that are not finite in the given order. */
gboolean
ghlo_cpu_convolution_pack (const GhloCpuConvolution  *self,
                           const guint8              *rhs,
                           gpointer                   packed,
                           gpointer                   scratch,
                           const GhloMonitor         *monitor,
                           GError                   **error)
{
  return (!self->skips_padding || ghlo_cpu_windows_have_finite_kernel (&self->whole, rhs, monitor))
         && self->algorithm->pack (self, rhs, packed, scratch, monitor, error);
}

const char *
ghlo_cpu_convolution_describe (const GhloCpuConvolution *self)
{
  return self->way.description;
}

double
ghlo_cpu_convolution_nanoseconds (const GhloCpuConvolution *self)
{
  return self->way.nanoseconds;
}

/* Returns @ok, and sets the error where it is FALSE: @problem, or else that the run was cancelled. */
static gboolean
finish (gboolean            ok,
        GError             *problem,
        const GhloMonitor  *monitor,
        GError            **error)
{
  if (problem == NULL)
    return ghlo_cpu_finish (ok, monitor, error);
  g_propagate_error (error, problem);

  return ok;
}

/* The epilogue has already run on the result, and may have overwritten it; so the result is computed again. */
static gboolean
spread_nan (const GhloCpuConvolution     *self,
            const GhloCpuConvolutionRun  *run,
            GError                      **error)
{
  GhloCpuConvolutionRun again = *run;

  again.epilogue = NULL;
  again.is_suspect = NULL;

  return (run->epilogue == NULL || self->algorithm->compute (self, &again, error))
         && ghlo_cpu_windows_spread_nan (&self->whole, run->rhs, run->result, run->monitor)
         && (run->epilogue == NULL || ghlo_cpu_windows_finish (&self->windows, run));
}

gboolean
ghlo_cpu_convolution_run (const GhloCpuConvolution *self,
                          const guint8             *lhs,
                          const guint8             *rhs,
                          gconstpointer             packed,
                          guint8                   *result,
                          gpointer                  scratch,
                          gpointer                  epilogue_data,
                          const GhloMonitor        *monitor,
                          GError                  **error)
{
  /* Packed kernels are finite. */
  gboolean checks = self->skips_padding && self->packed == NULL && packed == NULL;
  gint is_suspect = checks && !self->has_probes;
  GhloCpuConvolutionRun run = {
    .lhs = lhs, .rhs = rhs, .packed = self->packed != NULL ? self->packed : packed, .scratch = scratch,
    .epilogue = self->epilogue, .epilogue_data = epilogue_data, .monitor = monitor,
    .is_suspect = checks && self->has_probes ? &is_suspect : NULL,
  };
  GError *problem = NULL;
  gboolean ok;

  run.result = result;
  ok = self->algorithm->compute (self, &run, &problem);
  if (ok && is_suspect && !ghlo_cpu_windows_have_finite_kernel (&self->whole, rhs, monitor))
    ok = spread_nan (self, &run, &problem);
  else if (is_suspect)
    ok = ok && !ghlo_monitor_cancelled (monitor, NULL);

  return finish (ok, problem, monitor, error);
}
