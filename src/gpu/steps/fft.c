/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fft of f32, computed in f64, which almost always rounds to the same numbers as the long doubles of the reference
 * executor. Dimensions are transformed one after the other, in passes over all numbers that alternate between the two
 * halves of the scratch.
 */

#include "base/sizes.h"
#include "gpu/shaders.h"
#include "gpu/spirv/spirv.h"
#include "gpu/steps.h"

#include <string.h>

typedef struct
{
  GHLO_GPU_TABLE_HEAD
#include "shaders/fft.words"
} Table;

/* The maximum radix that lengths are factored into if possible, the largest prime that is permitted as a radix
 * otherwise, the maximum number of dimensions, and of dispatches in a run: at most 2^59 numbers are addressable, in
 * which the factor 5 occurs at most 25 times, and there are six other dispatches. */
enum { MAX_RADIX = 16, MAX_PRIME = 4096, MAX_DIMS = 3, MAX_STAGES = 32, N_PHASES = FFT_STORE_COMPLEX + 1 };

/* Bytes of a complex number. */
enum { NUMBER = 16 };

typedef enum
{
  FFT,
  IFFT,
  RFFT,
  IRFFT,
} Type;

/* A dispatch, whose table has offsets in the scratch as addresses. */
typedef struct
{
  guint   phase;
  guint64 n_points;
  Table   table;
} Stage;

typedef struct
{
  GhloGpuDevice      *device;
  Type                type;
  guint               n_dims;
  gint64              dims[MAX_DIMS];           /* current sizes */
  gsize               batch;
  gsize               numbers[2], scratch;      /* offsets in the scratch, and its size */
  guint               at;                       /* the half that holds the numbers at this stage */
  Stage               stages[MAX_STAGES];
  guint               n_stages;
  GhloVulkanPipeline *pipelines[N_PHASES];
} Fourier;

static Stage *
add_stage (Fourier *self,
           guint    phase,
           guint64  n_points)
{
  Stage *stage = &self->stages[self->n_stages++];

  g_assert (self->n_stages <= MAX_STAGES);
  stage->phase = phase;
  stage->n_points = n_points;
  stage->table.from = self->numbers[self->at];
  stage->table.to = self->numbers[1 - self->at];

  return stage;
}

static gsize
count (const Fourier *self)
{
  gsize n = self->batch;

  for (guint i = 0; i < self->n_dims; i++)
    n *= (gsize) self->dims[i];

  return n;
}

/* Returns the greatest factor of @n up to MAX_RADIX, or else its least prime; 0 if that is too large. */
static gint64
find_radix (gint64 n)
{
  for (gint64 r = MAX_RADIX; r > 1; r--)
    if (n % r == 0)
      return r;
  for (gint64 r = MAX_RADIX + 1; r <= MAX_PRIME; r++)
    if (n % r == 0)
      return r;

  return 0;
}

/* Adds the stages that transform along dimension @d. */
static const char *
add_passes (Fourier *self,
            guint    d)
{
  gint64 n = self->dims[d], inner = 1;
  gsize twiddles;
  Stage *stage;

  if (n == 1)
    return NULL;
  if (!ghlo_size_reserve (&self->scratch, &twiddles, (gsize) n, NUMBER))
    return "it needs too much scratch memory";
  stage = add_stage (self, FFT_TWIDDLES, (guint64) n);
  stage->table.to = twiddles;
  stage->table.n = (guint64) n;
  for (guint i = d + 1; i < self->n_dims; i++)
    inner *= self->dims[i];
  for (gint64 stride = 1, radix; stride < n; stride *= radix)
    {
      radix = find_radix (n / stride);
      if (radix == 0)
        return "its length has a large prime factor";
      stage = add_stage (self, FFT_PASS, count (self));
      stage->table.twiddles = twiddles;
      stage->table.n = (guint64) n;
      stage->table.inner = (guint64) inner;
      stage->table.radix = (guint64) radix;
      stage->table.stride = (guint64) stride;
      stage->table.inverse = self->type == IFFT || self->type == IRFFT;
      self->at = 1 - self->at;
    }

  return NULL;
}

static void
add_expand (Fourier *self,
            gint64   n)
{
  guint last = self->n_dims - 1;
  gint64 half = self->dims[last];
  Stage *stage;

  self->dims[last] = n;
  stage = add_stage (self, FFT_EXPAND, count (self));
  stage->table.n = (guint64) n;
  stage->table.n_from = (guint64) half;
  self->at = 1 - self->at;
}

/* @lengths are those of the transform. */
static const char *
add_stages (Fourier      *self,
            const gint64 *lengths)
{
  guint last = self->n_dims - 1;
  gint64 n_to = self->type == RFFT ? lengths[last] / 2 + 1 : lengths[last];
  gsize divisor = 1;
  const char *reason = NULL;
  Stage *stage;

  add_stage (self, self->type == RFFT ? FFT_LOAD_REAL : FFT_LOAD_COMPLEX, count (self));
  self->at = 1 - self->at;
  for (guint d = 0; d < last && reason == NULL; d++)
    reason = add_passes (self, d);
  if (self->type == IRFFT)
    add_expand (self, lengths[last]);
  if (reason == NULL)
    reason = add_passes (self, last);
  if (reason != NULL)
    return reason;
  for (guint i = 0; i < self->n_dims && (self->type == IFFT || self->type == IRFFT); i++)
    divisor *= (gsize) lengths[i];
  stage = add_stage (self, self->type == IRFFT ? FFT_STORE_REAL : FFT_STORE_COMPLEX,
                     count (self) / (gsize) lengths[last] * (gsize) n_to);
  stage->table.n_from = (guint64) lengths[last];
  stage->table.n_to = (guint64) n_to;
  stage->table.divisor = divisor;

  return NULL;
}

static const char *
read_lengths (Fourier        *self,
              const gint64   *lengths,
              const GhloView *operand,
              const GhloView *result)
{
  guint first = operand->rank - self->n_dims, last = self->n_dims - 1;
  gsize n, n_result;

  for (guint i = 0; i < self->n_dims; i++)
    {
      gint64 half = lengths[i] / 2 + 1;

      self->dims[i] = operand->dimensions[first + i];
      if (lengths[i] < 1 || self->dims[i] != (self->type == IRFFT && i == last ? half : lengths[i])
          || result->dimensions[first + i] != (self->type == RFFT && i == last ? half : lengths[i]))
        return "fft_length does not match its operand and result";
    }
  if (!ghlo_shape_count (operand->dimensions, first, &self->batch)
      || !ghlo_shape_count (operand->dimensions, operand->rank, &n)
      || !ghlo_shape_count (result->dimensions, result->rank, &n_result)
      || !ghlo_size_reserve (&self->scratch, &self->numbers[0], MAX (n, n_result), NUMBER)
      || !ghlo_size_reserve (&self->scratch, &self->numbers[1], MAX (n, n_result), NUMBER))
    return "it needs too much scratch memory";

  return self->batch == 0 ? NULL : add_stages (self, lengths);
}

static const char *
read_request (gpointer               step,
              GhloDeviceCore        *core,
              const GhloStepRequest *request)
{
  Fourier *self = step;
  GhloGpuDevice *device = (GhloGpuDevice *) core;
  static const char *const types[] = { "FFT", "IFFT", "RFFT", "IRFFT" };
  const char *type = ghlo_ir_enum_word (ghlo_ir_op_get (request->op, "fft_type"));
  const GhloView *operand = &request->operands[0], *result = &request->results[0];
  g_autofree gint64 *lengths = NULL;
  gsize n;

  self->device = device;
  if (ghlo_element_type_real_part (operand->element_type) != GHLO_ELEMENT_TYPE_F32)
    return "only f32 and complex<f32> are supported";
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (g_strcmp0 (type, types[i]) == 0)
      self->type = i;
  lengths = ghlo_ir_op_dup_ints (request->op, "fft_length", &n);
  if (lengths == NULL || n < 1 || n > MAX_DIMS || n > operand->rank)
    return "it transforms too many dimensions";
  self->n_dims = (guint) n;
  if (!ghlo_gpu_shaders_have_f64 (device))
    return "the device does not compute it with the required accuracy";

  return ghlo_gpu_shaders_obstacle (device) != NULL ? ghlo_gpu_shaders_obstacle (device)
                                                       : read_lengths (self, lengths, operand, result);
}

static void
fill_selection (gpointer               step,
                const GhloStepRequest *request,
                GhloStepSelection     *selection)
{
  const Fourier *self = step;

  selection->operands[0].dense = TRUE;
  selection->scratch = self->scratch;
}

static gboolean
make_pipelines (gpointer                step,
                GhloDeviceCore         *device,
                const GhloStepRequest  *request,
                const GhloMonitor      *monitor,
                GError                **error)
{
  Fourier *self = step;

  for (guint i = 0; i < self->n_stages; i++)
    {
      guint32 phase = self->stages[i].phase;

      if (self->pipelines[phase] == NULL)
        self->pipelines[phase] = ghlo_gpu_shader_compile (self->device, GHLO_GPU_SHADER_FFT, &phase, 1, error);
      if (self->pipelines[phase] == NULL)
        return FALSE;
    }

  return TRUE;
}

/* The first stage reads the operand, and the last one writes the result. */
static gboolean
record (gpointer              compiled,
        const GhloBufferRef  *operands,
        const GhloBufferRef  *results,
        GhloBufferRef         scratch,
        gpointer              recording,
        GError              **error)
{
  const Fourier *self = compiled;
  const guint64 base = ghlo_gpu_place_encode (scratch);

  for (guint i = 0; i < self->n_stages; i++)
    {
      const Stage *stage = &self->stages[i];
      Table table = stage->table;

      table.from = i == 0 ? ghlo_gpu_place_encode (operands[0]) : base + table.from;
      table.to = i + 1 == self->n_stages ? ghlo_gpu_place_encode (results[0]) : base + table.to;
      table.twiddles += base;
      ghlo_gpu_shader_record (recording, self->pipelines[stage->phase], stage->n_points, GHLO_GPU_SHADER_GROUP,
                              &table, sizeof table, GHLO_GPU_N_ADDRESSES (Table, n));
    }

  return TRUE;
}

static char *
describe (gpointer compiled)
{
  return g_strdup_printf ("%u dispatches", ((const Fourier *) compiled)->n_stages);
}

const GhloStepImplementation ghlo_gpu_step_fft = {
  .name = "fft",
  .size = sizeof (Fourier),
  .read = read_request,
  .select = fill_selection,
  .finish = make_pipelines,
  .record = record,
  .describe = describe,
};
