/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fft, in the arithmetic of its type. Dimensions are transformed one after the other, each in one pass over memory if a
 * line fits a workgroup, and else by Stockham's passes over memory, of radices that fit. Lengths with large prime
 * factors are Bluestein's convolutions. Real transforms of even length are transforms of pairs.
 */

#include "base/sizes.h"
#include "gpu/fourier.h"
#include "gpu/steps.h"
#include "vulkan/memory.h"
#include "vulkan/queue.h"
#include "vulkan/transfer.h"

#include <math.h>
#include <string.h>

#include "base/bits.h"

/* The maximum number of dimensions, of passes over memory along one, and of dispatches in a run: Bluestein's are two
 * transforms, and there may be one more for pairs. */
enum { MAX_DIMS = 3, MAX_STEPS = 6, MAX_STAGES = MAX_DIMS * 2 * MAX_STEPS + 1 };

/* The most bytes of tables. */
#define MAX_TABLES ((gsize) 1 << 28)

/* The fewest lines beside each other where their numbers are not adjacent: 32 bytes of them are. */
enum { ADJACENT = 4 };

typedef enum
{
  FFT,
  IFFT,
  RFFT,
  IRFFT,
} Type;

/* Where numbers are during a run. */
typedef enum
{
  OPERAND,
  RESULT,
  SCRATCH,
  SCRATCH_2,
  N_PLACES
} Place;

typedef struct
{
  GhloGpuDevice   *device;
  Type             type;
  gboolean         is_f64;
  guint            n_dims;
  gint64           lengths[MAX_DIMS], dims[MAX_DIMS];   /* of the transform, and current sizes */
  gsize            batch, result_size;
  GhloFourierStage stages[MAX_STAGES];
  guint            n_stages;
  gsize            places[N_PLACES], scratch;   /* offsets in the scratch, and its size */
  guint64          tables;              /* address in device memory; 0: none */
  gsize            tables_size;
} Fourier;

/* How the first stage of a transform along one dimension loads numbers, and its last one stores them. */
typedef struct
{
  guint32          form;
  guint            swaps;
  gsize            in_pitch, out_pitch; /* 0: there are as many numbers as in the transform */
  gsize            in_limit, out_limit; /* 0: none */
  double           scale;
  GhloFourierTable load, store, filter;
} Ends;

/* The bits of a form that concern loads or stores. */
enum
{
  LOADS = FFT_REAL_LOAD | FFT_HALF | FFT_TANGLE | FFT_LOAD_FACTORS | FFT_IN_LIMIT | FFT_CONVOLVE,
  STORES = FFT_REAL_STORE | FFT_UNTANGLE | FFT_STORE_FACTORS | FFT_OUT_LIMIT,
};

static const char too_large[] = "it needs too much memory";

static gsize
number_size (const Fourier *self)
{
  return self->is_f64 ? 16 : 8;
}

/* Adds a stage for lines of @n numbers, with the @loads or @stores of @ends. */
static GhloFourierStage *
add_stage (Fourier    *self,
           gsize       n,
           gsize       n_lines,
           const Ends *ends,
           gboolean    loads,
           gboolean    stores)
{
  GhloFourierStage *stage = &self->stages[self->n_stages];
  GhloFourierWords *words = &stage->words;

  g_assert (self->n_stages < MAX_STAGES);
  self->n_stages++;
  stage->n = (guint) n;
  stage->form = ends->form & ((loads ? LOADS : 0) | (stores ? STORES : 0));
  words->n_lines = n_lines;
  words->depth = 1;
  words->in_limit = ends->in_limit;
  words->out_limit = ends->out_limit;
  words->scale = self->is_f64 ? ghlo_bits_of_double (stores ? ends->scale : 1)
                              : ghlo_bits_of_float (stores ? (float) ends->scale : 1);
  words->swaps = ends->swaps & ((loads ? FFT_SWAP_LOAD : 0) | (stores ? FFT_SWAP_FIRST | FFT_SWAP_LAST : 0));
  if (loads)
    stage->tables[GHLO_FOURIER_LOADS] = ends->load;
  if (stores)
    stage->tables[GHLO_FOURIER_STORES] = ends->store;
  stage->tables[GHLO_FOURIER_FILTERS] = ends->filter;
  if ((stage->form & (FFT_TANGLE | FFT_UNTANGLE)) != 0)
    stage->tables[GHLO_FOURIER_OF_PAIRS] = (GhloFourierTable) { GHLO_FOURIER_HALVES, 0, n };

  return stage;
}

static gboolean
finish_stage (Fourier          *self,
              GhloFourierStage *stage,
              gsize             n_tensors)
{
  GhloFourierWords *words = &stage->words;
  gsize n;

  ghlo_fourier_tile (stage, self->device, self->is_f64);

  /* The shader's indices have 32 bits. */
  return ghlo_size_mul (&n, n_tensors, words->out_pitch) && ghlo_size_mul (&stage->out_size, n, number_size (self))
         && n <= G_MAXUINT32 / 4 && words->in_pitch <= G_MAXUINT32 / 4 && stage->n_points < G_MAXUINT32 / 4
         && words->n_lines < G_MAXUINT32 / 4;
}

/* The most numbers of a line that fits a workgroup, with some lines beside it if its numbers are not adjacent. */
static gsize
find_most (const Fourier *self,
           gsize          depth)
{
  return ghlo_fourier_most (self->device, self->is_f64, depth > 1 ? ADJACENT : 1);
}

/* Divides @n into @count factors of at most @most; FALSE if that is impossible. */
static gboolean
divide (gsize  n,
        gsize  most,
        guint  count,
        gsize *factors)
{
  const gsize middle = (gsize) ceil (pow ((double) n, 1.0 / count) - 1e-6);

  if (count == 1)
    *factors = n;
  if (count == 1)
    return n <= most;
  for (gsize f = MAX (middle, 2); f <= most; f++)
    if (n % f == 0 && divide (n / f, most, count - 1, factors + 1))
      {
        *factors = f;
        return TRUE;
      }

  return FALSE;
}

/* Adds the transforms of @n numbers, which are @depth apart, with radices for factors. */
static const char *
add_smooth (Fourier    *self,
            gsize       n,
            gsize       depth,
            gsize       batch,
            const Ends *ends)
{
  gsize factors[MAX_STEPS];
  guint n_steps = 1;

  while (n_steps <= MAX_STEPS && !divide (n, find_most (self, n_steps == 1 ? depth : 2), n_steps, factors))
    n_steps++;
  if (n_steps > MAX_STEPS)
    return "its length has too many factors";
  for (gsize i = 0, before = 1; i < n_steps; before *= factors[i++])
    {
      const gboolean is_first = i == 0, is_last = i + 1 == n_steps;
      const gsize after = n / before / factors[i], in_inner = after * depth;
      GhloFourierStage *stage = add_stage (self, factors[i], batch * (n / factors[i]) * depth, ends, is_first, is_last);
      GhloFourierWords *words = &stage->words;

      words->depth = depth;
      words->in_inner = in_inner;
      words->out_inner = in_inner * before;
      words->in_pitch = is_first && ends->in_pitch != 0 ? ends->in_pitch : factors[i] * in_inner;
      words->out_pitch = is_last && ends->out_pitch != 0 ? ends->out_pitch : n * depth;
      words->factor_inner = is_last ? words->out_inner : in_inner;
      if (!is_last)
        {
          stage->form |= FFT_STORE_FACTORS;
          stage->tables[GHLO_FOURIER_STORES]
            = (GhloFourierTable) { GHLO_FOURIER_TWIDDLES, factors[i], after };
        }
      stage->form |= (words->in_inner > 1 ? FFT_LINES_IN : 0) | (words->out_inner > 1 ? FFT_LINES_OUT : 0);
      if (!finish_stage (self, stage, batch))
        return too_large;
    }

  return NULL;
}

/* The first length from @n on that has few passes. */
static gsize
find_length (gsize n)
{
  gsize unit = 1;

  while (8 * unit < n)
    unit *= 2;

  return n <= 5 * unit ? 5 * unit : n <= 6 * unit ? 6 * unit : n <= 7 * unit ? 7 * unit : 8 * unit;
}

static const char *
add_complex (Fourier    *self,
             gsize       n,
             gsize       depth,
             gsize       batch,
             const Ends *ends)
{
  Ends all = *ends, first, second;
  const char *reason;
  gsize m;

  if (ghlo_fourier_is_smooth (n))
    return add_smooth (self, n, depth, batch, ends);
  if (n > MAX_TABLES)
    return too_large;
  m = find_length (2 * n - 1);
  all.form |= FFT_LOAD_FACTORS | FFT_STORE_FACTORS | FFT_IN_LIMIT | FFT_OUT_LIMIT;
  all.swaps |= FFT_SWAP_FIRST;
  all.load = all.store = (GhloFourierTable) { GHLO_FOURIER_CHIRP, 0, n };
  all.in_limit = n * depth;
  all.in_pitch = ends->in_pitch != 0 ? ends->in_pitch : n * depth;
  all.out_limit = ends->out_limit != 0 ? ends->out_limit : n * depth;
  all.out_pitch = ends->out_pitch != 0 ? ends->out_pitch : n * depth;
  first = second = all;
  all.filter = first.store = (GhloFourierTable) { GHLO_FOURIER_FILTER, m, n };
  all.form |= FFT_CONVOLVE;
  if (m <= find_most (self, depth))
    return add_smooth (self, m, depth, batch, &all);
  first.form &= LOADS | FFT_STORE_FACTORS;
  first.swaps = (ends->swaps & FFT_SWAP_LOAD) | FFT_SWAP_LAST;
  first.out_pitch = 0;
  first.scale = 1;
  reason = add_smooth (self, m, depth, batch, &first);
  second.form &= STORES;
  second.swaps &= ~(guint) FFT_SWAP_LOAD;
  second.in_pitch = 0;

  return reason != NULL ? reason : add_smooth (self, m, depth, batch, &second);
}

/* Adds a dispatch between the transforms of pairs of real numbers, of which there are @n, and of all of them. */
static const char *
add_pairs (Fourier *self,
           gsize    n,
           gsize    batch,
           guint32  form,
           double   scale)
{
  const gboolean tangles = (form & FFT_TANGLE) != 0;
  GhloFourierStage *stage = add_stage (self, n, batch, &(Ends) { .form = form, .scale = scale }, TRUE, TRUE);

  stage->form |= FFT_ONLY_PAIRS;
  stage->words.in_inner = stage->words.out_inner = 1;
  stage->words.in_pitch = tangles ? n + 1 : n;
  stage->words.out_pitch = tangles ? n : n + 1;

  return finish_stage (self, stage, batch) ? NULL : too_large;
}

/* Adds the transform from or to @n real numbers, which are adjacent. */
static const char *
add_real (Fourier *self,
          gsize    n,
          gsize    batch,
          double   scale)
{
  const gboolean is_inverse = self->type == IRFFT;
  const gsize half = n / 2;
  Ends ends = { .swaps = is_inverse ? FFT_SWAP_LAST : 0, .scale = is_inverse ? scale : 0.5 };
  const char *reason = NULL;

  if (n % 2 != 0)
    {
      ends.form = is_inverse ? FFT_HALF | FFT_REAL_STORE : FFT_REAL_LOAD | FFT_OUT_LIMIT;
      ends.swaps = is_inverse ? FFT_SWAP_LOAD | FFT_SWAP_LAST : 0;
      ends.scale = scale;
      ends.in_limit = n;
      ends.in_pitch = is_inverse ? half + 1 : n;
      ends.out_limit = ends.out_pitch = is_inverse ? n : half + 1;
      return add_complex (self, n, 1, batch, &ends);
    }
  if (half > 1 && ghlo_fourier_is_smooth (half) && half <= find_most (self, 1))
    {
      ends.form = is_inverse ? FFT_TANGLE : FFT_UNTANGLE;
      ends.in_pitch = is_inverse ? half + 1 : half;
      ends.out_pitch = is_inverse ? half : half + 1;
      return add_smooth (self, half, 1, batch, &ends);
    }
  if (is_inverse)
    reason = add_pairs (self, half, batch, FFT_TANGLE, 1);
  ends.scale = scale;
  if (reason == NULL)
    reason = add_complex (self, half, 1, batch, &ends);
  if (reason == NULL && !is_inverse)
    reason = add_pairs (self, half, batch, FFT_UNTANGLE, 0.5);

  return reason;
}

/* Adds the transform along dimension @d of all numbers, of which the last dimension may be half. */
static const char *
add_dimension (Fourier *self,
               guint    d,
               double   scale)
{
  const gboolean is_inverse = self->type == IFFT || self->type == IRFFT;
  const Ends ends = { .scale = scale, .swaps = is_inverse ? FFT_SWAP_LOAD | FFT_SWAP_LAST : 0 };
  gsize batch = self->batch, depth = 1;

  for (guint i = 0; i < d; i++)
    batch *= (gsize) self->dims[i];
  for (guint i = d + 1; i < self->n_dims; i++)
    depth *= (gsize) self->dims[i];

  return add_complex (self, (gsize) self->dims[d], depth, batch, &ends);
}

/* Complex numbers are transformed from the last dimension on, since its pass reads and writes whole lines. */
static const char *
add_stages (Fourier *self)
{
  const guint last = self->n_dims - 1;
  const gboolean is_real = self->type == RFFT || self->type == IRFFT;
  const gsize n = (gsize) self->lengths[last], n_half = n / 2 + 1;
  const char *reason = NULL;
  gsize batch = self->batch, divisor = 1;
  double scale;

  for (guint i = 0; i < self->n_dims; i++)
    divisor *= self->type == IFFT || self->type == IRFFT ? (gsize) self->lengths[i] : 1;
  scale = 1.0 / (double) divisor;
  if (is_real)
    self->dims[last] = (gint64) n_half;
  for (guint i = 0; i < last; i++)
    batch *= (gsize) self->dims[i];
  if (self->type == RFFT)
    reason = add_real (self, n, batch, 1);
  for (guint d = self->n_dims; d-- > 0 && reason == NULL;)
    if (!(is_real && d == last) && (self->dims[d] > 1 || (self->n_stages == 0 && d == 0 && !is_real)))
      {
        reason = add_dimension (self, d, is_real ? 1 : scale);
        scale = is_real ? scale : 1;
      }
  if (self->type == IRFFT && reason == NULL)
    reason = add_real (self, n, batch, scale);

  return reason;
}

/* Whether a stage writes its results where the same workgroup has read numbers. */
static gboolean
is_in_place (const GhloFourierStage *stage)
{
  return stage->words.in_inner == stage->words.out_inner && stage->words.in_pitch == stage->words.out_pitch
         && (stage->form & (FFT_REAL_LOAD | FFT_REAL_STORE | FFT_HALF | FFT_ONLY_PAIRS)) == 0;
}

/* Stages are done in place where possible, and in the result, if that has complex numbers, rather than in scratch
 * memory. */
static const char *
place_stages (Fourier *self)
{
  gsize most[N_PLACES] = { [RESULT] = self->type != IRFFT ? self->result_size : 0 };

  self->stages[self->n_stages - 1].to = RESULT;
  for (guint i = self->n_stages - 1; i > 0; i--)
    {
      const gsize size = self->stages[i - 1].out_size;
      Place to = self->stages[i].to;

      if (!is_in_place (&self->stages[i]) || (to == RESULT && size > most[RESULT]))
        to = to != RESULT && size <= most[RESULT] ? RESULT : to != SCRATCH ? SCRATCH : SCRATCH_2;
      self->stages[i].from = self->stages[i - 1].to = to;
      most[to] = MAX (most[to], size);
    }
  if (!ghlo_size_reserve (&self->scratch, &self->places[SCRATCH], most[SCRATCH], 1)
      || !ghlo_size_reserve (&self->scratch, &self->places[SCRATCH_2], most[SCRATCH_2], 1))
    return too_large;
  for (guint i = 0; i < self->n_stages; i++)
    {
      const gsize size = ghlo_fourier_count_bytes (&self->stages[i], self->is_f64);

      if (size > MAX_TABLES || self->tables_size > MAX_TABLES)
        return too_large;
      self->tables_size += size;
    }

  return NULL;
}

static const char *
read_lengths (Fourier        *self,
              const GhloView *operand,
              const GhloView *result)
{
  const guint first = operand->rank - self->n_dims, last = self->n_dims - 1;
  const char *reason;
  gsize n, n_result;

  for (guint i = 0; i < self->n_dims; i++)
    {
      gint64 half = self->lengths[i] / 2 + 1;

      self->dims[i] = operand->dimensions[first + i];
      if (self->lengths[i] < 1 || self->dims[i] != (self->type == IRFFT && i == last ? half : self->lengths[i])
          || result->dimensions[first + i] != (self->type == RFFT && i == last ? half : self->lengths[i]))
        return "fft_length does not match its operand and result";
    }
  if (!ghlo_shape_count (operand->dimensions, first, &self->batch)
      || !ghlo_shape_count (operand->dimensions, operand->rank, &n)
      || !ghlo_shape_count (result->dimensions, result->rank, &n_result)
      || MAX (n, n_result) > G_MAXUINT32 / 4)
    return too_large;
  self->result_size = n_result * (self->type == IRFFT ? number_size (self) / 2 : number_size (self));
  reason = self->batch == 0 ? NULL : add_stages (self);

  return reason != NULL || self->n_stages == 0 ? reason : place_stages (self);
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
  const GhloElementType part = ghlo_element_type_real_part (operand->element_type);
  g_autofree gint64 *lengths = NULL;
  gsize n;

  self->device = device;
  self->is_f64 = part == GHLO_ELEMENT_TYPE_F64;
  if (part != GHLO_ELEMENT_TYPE_F32 && !self->is_f64)
    return "only floats of 32 and 64 bits are supported";
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (g_strcmp0 (type, types[i]) == 0)
      self->type = i;
  lengths = ghlo_ir_op_dup_ints (request->op, "fft_length", &n);
  if (lengths == NULL || n < 1 || n > MAX_DIMS || n > operand->rank)
    return "it transforms too many dimensions";
  self->n_dims = (guint) n;
  memcpy (self->lengths, lengths, n * sizeof *lengths);
  if (self->is_f64 && !ghlo_gpu_shaders_have_f64 (device))
    return "the device does not compute it with the required accuracy";

  return ghlo_gpu_shaders_obstacle (device, 0) != NULL ? ghlo_gpu_shaders_obstacle (device, 0)
                                                       : read_lengths (self, operand, result);
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
make_tables (Fourier            *self,
             const GhloMonitor  *monitor,
             GError            **error)
{
  g_autofree guint8 *tables = g_try_malloc (MAX (self->tables_size, 1));
  GhloVulkanDevice *device = &self->device->vulkan;
  gboolean ok = tables != NULL;
  gsize at = 0;

  for (guint i = 0; i < self->n_stages && ok; i++)
    {
      ok = ghlo_fourier_fill (&self->stages[i], self->is_f64, tables, at);
      at += ghlo_fourier_count_bytes (&self->stages[i], self->is_f64);
    }
  if (!ok)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY, "out of memory for the roots of a Fourier transform");
      return FALSE;
    }
  if (self->tables_size == 0)
    return TRUE;
  self->tables = ghlo_vulkan_memory_alloc (device->memory, GHLO_VULKAN_LOCAL, self->tables_size, error);

  return self->tables != 0 && ghlo_vulkan_fill (device, tables, self->tables, self->tables_size, monitor, error);
}

static gboolean
finish (gpointer                step,
        GhloDeviceCore         *device,
        const GhloStepRequest  *request,
        const GhloMonitor      *monitor,
        GError                **error)
{
  Fourier *self = step;

  for (guint i = 0; i < self->n_stages; i++)
    {
      GhloFourierStage *stage = &self->stages[i];

      /* Pairs of real numbers may be aligned as these are. */
      if (i == 0 && self->type == RFFT && request->alignments[0] < number_size (self))
        stage->form |= FFT_NARROW_LOAD;
      if (i + 1 == self->n_stages && self->type == IRFFT && request->alignments[1] < number_size (self))
        stage->form |= FFT_NARROW_STORE;
      if (!ghlo_fourier_compile (stage, self->device, self->is_f64, error))
        return FALSE;
    }

  return make_tables (self, monitor, error);
}

static void
clear (gpointer step)
{
  Fourier *self = step;

  if (self->tables != 0)
    ghlo_vulkan_memory_free (self->device->vulkan.memory, self->tables, self->tables_size,
                             ghlo_vulkan_queue_value (self->device->vulkan.queue));
}

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
  const guint64 places[N_PLACES] = { ghlo_gpu_place_encode (operands[0]), ghlo_gpu_place_encode (results[0]),
                                     base + self->places[SCRATCH], base + self->places[SCRATCH_2] };

  for (guint i = 0; i < self->n_stages; i++)
    {
      const GhloFourierStage *stage = &self->stages[i];
      GhloFourierWords words = stage->words;

      words.from = places[stage->from];
      words.to = places[stage->to];
      for (guint k = 0; k < GHLO_FOURIER_N_TABLES; k++)
        (&words.roots)[k] += self->tables;
      ghlo_gpu_shader_record (recording, stage->pipeline, stage->n_points, stage->points_per_group, &words,
                              sizeof words, GHLO_GPU_N_ADDRESSES (GhloFourierWords, roots));
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
  .finish = finish,
  .clear = clear,
  .record = record,
  .describe = describe,
};
