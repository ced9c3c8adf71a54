/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * dot_general, dot and convolution, and fusions of one of these with an epilogue. Operands and results may have any
 * strides.
 *
 * An epilogue is computed by the product's shader, or by the kernel that adds its pieces. If neither can do so, it is a
 * kernel of its own, which reads what the product writes, so no fusion is ever worse than the steps that it was made
 * of.
 */

#include "base/sizes.h"
#include "gpu/kernel.h"
#include "gpu/product/dispatch.h"
#include "gpu/product/planes.h"
#include "gpu/product/split-k.h"
#include "gpu/steps.h"
#include "kernel/text.h"
#include "plan/epilogue.h"

typedef struct
{
  GhloGpuDevice       *device;
  guint                   operands[2];          /* indices of the request's operands that are the product's lhs and
                                                 * rhs */
  GhloGpuProductShader shader;
  GhloKernel             *pieces;               /* owned; NULL if k is in one piece */
  GhloGpuKernel        sum;                  /* adds the pieces */
  gboolean                has_planes;           /* the operands are split into planes */
  GhloGpuPlanes        planes;
  GhloGpuProductShader fallback;             /* the product for operands that planes cannot represent */
  GhloStepEpilogue       *fusion;               /* owned; NULL if there is no epilogue */
  GhloGpuEpilogue      epilogue;             /* for the shaders, or the kernel that adds pieces */
  const char             *separate_reason;      /* why the epilogue is a kernel of its own; NULL if it is not */
  guint                   place;                /* the result whose memory holds the product, or GHLO_STEP_NONE */
  GhloGpuKernel        kernel;               /* the fusion's, for that case */
  /* Bytes of scratch: for the pieces; for the kernel that adds them; for the product itself, if it is not a result; and
   * for the fusion's kernel. */
  gsize                   sums, sum_scratch, product_scratch, kernel_scratch;
} Step;

static void
clear (gpointer step)
{
  Step *self = step;

  ghlo_gpu_planes_clear (&self->planes);
  ghlo_gpu_epilogue_clear (&self->epilogue);
  if (self->fusion != NULL)
    ghlo_step_epilogue_clear (self->fusion);
  g_free (self->fusion);
  g_free (self->pieces);
}

/* Offsets of parts of the scratch. */
static gsize
planes_at (const Step *self)
{
  return self->sums + self->sum_scratch;
}

static gsize
product_at (const Step *self)
{
  return planes_at (self) + (self->has_planes ? self->planes.size : 0);
}

static gsize
kernel_at (const Step *self)
{
  return product_at (self) + self->product_scratch;
}

/* Makes the product write dense planes of sums in place of the result. */
static void
write_sums (GhloGpuProduct *product)
{
  gint64 stride = (gint64) ghlo_gpu_product_plane_size (product);

  product->shader.types[GHLO_SPIRV_RESULT] = ghlo_gpu_product_plane_type (product);
  product->shader.epilogue = NULL;
  product->shader.is_dropped = FALSE;
  for (guint role = GHLO_SPIRV_BATCH; role <= GHLO_SPIRV_COLUMNS; role++)
    for (guint i = 0; i < product->shader.n_dimensions[role]; i++)
      {
        stride /= (gint64) product->dimensions[role][i].size;
        product->dimensions[role][i].strides[GHLO_SPIRV_RESULT] = stride;
      }
}

static const char *
read_pieces (Step *self)
{
  GhloGpuProduct *product = &self->shader.product;
  const char *reason;

  if (product->n_pieces == 1 || product->n_groups == 0)
    return NULL;
  self->pieces = ghlo_gpu_product_pieces (product, self->shader.epilogue);
  if (self->pieces == NULL)
    return "it has too many dimensions";
  reason = ghlo_gpu_kernel_init (&self->sum, self->device, self->pieces);
  self->sums = ghlo_size_align ((gsize) product->n_pieces * (gsize) ghlo_gpu_product_plane_size (product));
  self->sum_scratch = ghlo_size_align (ghlo_gpu_kernel_scratch (&self->sum));
  write_sums (product);
  self->shader.epilogue = NULL;

  return reason;
}

/* Assigns the epilogue to the shader of the product and to that of unsplit operands, or to neither of them if it is a
 * kernel of its own. */
static void
take_epilogue (Step                *self,
               const GhloProductOp *product_op)
{
  GhloGpuProductShader *shaders[] = { &self->shader, &self->fallback };
  const GhloStepEpilogue *fusion = self->fusion;

  self->place = fusion->product_result;
  for (guint i = 0; i < G_N_ELEMENTS (shaders) && self->separate_reason == NULL; i++)
    {
      shaders[i]->epilogue = &self->epilogue;
      shaders[i]->product.shader.epilogue = &self->epilogue.shader;
      shaders[i]->product.shader.is_dropped = self->place == GHLO_STEP_NONE;
    }
  if (self->separate_reason == NULL)
    return;
  self->kernel_scratch = ghlo_size_align (ghlo_gpu_kernel_scratch (&self->kernel));
  self->place = ghlo_step_epilogue_place (fusion);
  if (self->place == GHLO_STEP_NONE)
    self->product_scratch = ghlo_size_align ((gsize) ghlo_view_count (&product_op->result)
                                             * ghlo_element_info (product_op->result.element_type)->size);
}

static const char *
read_epilogue (Step                  *self,
               const GhloStepRequest *request)
{
  const char *reason = ghlo_gpu_kernel_init (&self->kernel, self->device, self->fusion->lowered.kernel);

  if (reason == NULL)
    self->separate_reason = ghlo_gpu_epilogue_init (&self->epilogue, self->fusion, &self->shader.product,
                                                    request->alignments);

  return reason;
}

/* Reads the product that @request, or its fusion, computes. */
static const char *
read_product_op (GhloProductOp         *product_op,
                 const GhloStepRequest *request)
{
  const char *reason = ghlo_product_op_read (product_op, request);

  return reason == NULL && product_op->computed != GHLO_STEP_NONE ? "it computes an operand of its product" : reason;
}

static const char *
read_request (gpointer               step,
              GhloDeviceCore        *device,
              const GhloStepRequest *request)
{
  Step *self = step;
  GhloProductOp product_op;
  const char *reason = read_product_op (&product_op, request);

  self->device = (GhloGpuDevice *) device;
  if (reason != NULL || request->body == NULL)
    return reason;
  self->fusion = g_new0 (GhloStepEpilogue, 1);

  return ghlo_step_epilogue_init (self->fusion, request);
}

static const char *
read_product (Step                  *self,
              const GhloProductOp   *product_op,
              const GhloStepRequest *request,
              gboolean               matrices)
{
  const GhloView operands[] = { request->operands[product_op->operands[0]],
                                request->operands[product_op->operands[1]] };
  const GhloStepRequest product_request = { .op = product_op->op, .n_operands = 2, .n_results = 1, .operands = operands,
                                            .results = &product_op->result };
  GhloGpuProduct *product = &self->shader.product;
  const char *reason = ghlo_gpu_product_read (product, self->device, &product_request, matrices);

  for (guint i = 0; i < 2; i++)
    self->operands[i] = product_op->operands[product->operands[i]];
  if (reason == NULL && self->fusion != NULL)
    reason = read_epilogue (self, request);
  if (reason != NULL)
    return reason;
  self->has_planes = ghlo_gpu_planes_init (&self->planes, product, &self->fallback.product, self->device);
  if (self->fusion != NULL && self->separate_reason == NULL && !self->device->fuses_always
      && !ghlo_gpu_epilogue_is_worth (&self->epilogue, product))
    self->separate_reason = "that is faster";
  if (self->fusion != NULL)
    take_epilogue (self, product_op);

  return read_pieces (self);
}

/* It is not yet known where operands will lie, so scratch is reserved for the worse of both cases. */
static void
select_step (gpointer               step,
             const GhloStepRequest *request,
             GhloStepSelection     *selection)
{
  const Step *as_read = step;
  GhloProductOp product_op;

  selection->reason = read_product_op (&product_op, request);
  for (guint matrices = 0; selection->reason == NULL && matrices < 2; matrices++)
    {
      g_autofree Step *self = g_new0 (Step, 1);

      self->device = as_read->device;
      self->fusion = as_read->fusion;
      selection->reason = read_product (self, &product_op, request, matrices != 0);
      selection->scratch = MAX (selection->scratch, kernel_at (self) + self->kernel_scratch);
      self->fusion = NULL;
      clear (self);
    }
  if (as_read->fusion == NULL)
    selection->selection_state = NULL;
}

/* Adds the accesses of the operands, for a shader that takes them unsplit. */
static void
find_operands (const Step            *self,
               GhloGpuProductShader  *shader,
               const GhloStepRequest *request)
{
  for (guint i = 0; i < 2; i++)
    {
      const gint64 start = shader->product.starts[i];
      gint64 begin;
      gsize size = ghlo_gpu_reach (&request->operands[self->operands[i]], &begin);

      /* The shader gets the address of an element other than the view's first. */
      ghlo_gpu_product_add_access (shader, GHLO_SPIRV_PRODUCT_ADDRESSES + i,
                                   (GhloGpuSource) { GHLO_GPU_OPERAND, self->operands[i], start },
                                   begin - start, size, FALSE);
    }
}

/* Adds the accesses of the result and of the epilogue. */
static void
find_results (const Step           *self,
              GhloGpuProductShader *shader,
              const GhloView       *result)
{
  GhloGpuSource source = { GHLO_GPU_RESULT, self->place, 0 };
  gint64 begin;
  gsize size = ghlo_gpu_reach (result, &begin);

  if (self->place == GHLO_STEP_NONE)
    source = (GhloGpuSource) { GHLO_GPU_SCRATCH, 0, (gint64) product_at (self) };
  if (!shader->product.shader.is_dropped)
    ghlo_gpu_product_add_access (shader, GHLO_SPIRV_PRODUCT_ADDRESSES + GHLO_SPIRV_RESULT, source, begin, size,
                                 TRUE);
  ghlo_gpu_product_add_epilogue (shader);
}

/* Adds the accesses of the shader of planes, except for results. */
static void
find_planes (Step *self)
{
  const GhloGpuPlanes *planes = &self->planes;
  const gint64 at = (gint64) planes_at (self);
  const GhloGpuSource flag = { GHLO_GPU_SCRATCH, 0, at + (gint64) planes->flag_at };

  for (guint i = 0; i < 2; i++)
    {
      const GhloGpuPlanesSide *side = &planes->sides[i];

      ghlo_gpu_product_add_access (&self->shader, GHLO_SPIRV_PRODUCT_ADDRESSES + i,
                                   (GhloGpuSource) { GHLO_GPU_SCRATCH, 0, at + (gint64) side->planes_at },
                                   0, side->planes_size, FALSE);
      ghlo_gpu_product_add_access (&self->shader, GHLO_SPIRV_PRODUCT_FACTORS + i,
                                   (GhloGpuSource) { GHLO_GPU_SCRATCH, 0, at + (gint64) side->factors_at },
                                   0, side->factors_size, FALSE);
    }
  ghlo_gpu_product_add_access (&self->shader, GHLO_SPIRV_PRODUCT_FLAG, flag, 0, sizeof (guint32), FALSE);
  ghlo_gpu_product_add_access (&self->fallback, GHLO_SPIRV_PRODUCT_FLAG, flag, 0, sizeof (guint32), FALSE);
}

static void
find_accesses (Step                  *self,
               const GhloView        *result,
               const GhloStepRequest *request)
{
  if (self->has_planes)
    {
      find_planes (self);
      find_operands (self, &self->fallback, request);
      find_results (self, &self->fallback, result);
    }
  else
    find_operands (self, &self->shader, request);
  if (self->pieces != NULL)
    ghlo_gpu_product_add_access (&self->shader, GHLO_SPIRV_PRODUCT_ADDRESSES + GHLO_SPIRV_RESULT,
                                 (GhloGpuSource) { GHLO_GPU_SCRATCH, 0, 0 }, 0, self->sums, TRUE);
  else
    find_results (self, &self->shader, result);
}

/* Whether both operands are aligned to the size of a piece in all runs. */
static gboolean
is_aligned (const GhloProductOp   *product_op,
            const GhloStepRequest *request)
{
  return request->alignments != NULL && request->alignments[product_op->operands[0]] % GHLO_SPIRV_PIECE_BYTES == 0
         && request->alignments[product_op->operands[1]] % GHLO_SPIRV_PIECE_BYTES == 0;
}

/* Returns what the addresses of the shader's result are multiples of. */
static guint64
find_alignment (const Step            *self,
                const GhloStepRequest *request)
{
  if (self->pieces != NULL)
    return ghlo_size_align (1) | ghlo_gpu_product_plane_size (&self->shader.product);
  if (self->place == GHLO_STEP_NONE)
    return ghlo_size_align (1);

  return request->alignments != NULL ? request->alignments[request->n_operands + self->place] : 1;
}

static gboolean
make_pipelines (Step                   *self,
                const GhloStepRequest  *request,
                GError                **error)
{
  return ghlo_gpu_product_compile (&self->shader, self->device, error)
         && (self->pieces == NULL || ghlo_gpu_kernel_compile (&self->sum, request->may_be_predicated, 0, error))
         && (!self->has_planes || (ghlo_gpu_planes_compile (&self->planes, request->may_be_predicated, error)
                                   && ghlo_gpu_product_compile (&self->fallback, self->device, error)))
         && (self->separate_reason == NULL
             || ghlo_gpu_kernel_compile (&self->kernel, request->may_be_predicated, 0, error));
}

static gboolean
finish (gpointer                step,
        GhloDeviceCore         *device,
        const GhloStepRequest  *request,
        const GhloMonitor      *monitor,
        GError                **error)
{
  Step *self = step;
  GhloProductOp product_op;
  const char *reason = read_product_op (&product_op, request);

  if (reason == NULL)
    reason = read_product (self, &product_op, request, is_aligned (&product_op, request));
  if (reason != NULL)
    return ghlo_step_fail (device, request, reason, error);
  if (self->shader.product.n_groups == 0)
    return TRUE;
  find_accesses (self, &product_op.result, request);
  ghlo_gpu_product_find_vectors (&self->shader.product, find_alignment (self, request));

  return make_pipelines (self, request, error);
}

/* Finds the places of the buffers of the fusion's kernel, except for the first one. */
static void
find_buffers (const Step          *self,
              const GhloBufferRef *operands,
              const GhloBufferRef *results,
              GhloBufferRef       *buffers)
{
  const GhloStepEpilogue *fusion = self->fusion;
  const gint64 *starts = fusion->lowered.starts;
  guint n = 0;

  for (guint i = 0; i < fusion->n_operands; i++, n++)
    buffers[n] = ghlo_gpu_place_at (operands[i], starts[n + 1]);
  for (guint i = 0; i < fusion->n_results; i++, n++)
    buffers[n] = ghlo_gpu_place_at (results[fusion->result_indices[i]], starts[n + 1]);
}

/* Returns the place of the product itself, unless it is dropped. */
static GhloBufferRef
find_own (const Step          *self,
          const GhloBufferRef *results,
          GhloBufferRef        scratch)
{
  return self->place != GHLO_STEP_NONE ? results[self->place] : ghlo_gpu_place_at (scratch, (gint64) product_at (self));
}

/* Adds the pieces, and computes the epilogue unless that is a kernel of its own. */
static void
record_sum (const Step          *self,
            const GhloBufferRef *operands,
            const GhloBufferRef *results,
            GhloBufferRef        scratch,
            GhloGpuRecording    *recording)
{
  const gboolean has_epilogue = self->fusion != NULL && self->separate_reason == NULL;
  GhloBufferRef buffers[2 + GHLO_KERNEL_MAX_BUFFERS] = { scratch };
  guint n = 1;

  if (!has_epilogue || self->place != GHLO_STEP_NONE)
    buffers[n++] = find_own (self, results, scratch);
  if (has_epilogue)
    find_buffers (self, operands, results, buffers + n);
  ghlo_gpu_kernel_record (&self->sum, buffers, ghlo_gpu_place_at (scratch, (gint64) self->sums), recording);
}

static void
record_planes (const Step          *self,
               const GhloBufferRef *operands,
               GhloBufferRef        scratch,
               GhloGpuRecording    *recording)
{
  const GhloGpuProduct *product = &self->fallback.product;
  GhloBufferRef places[2];

  for (guint i = 0; i < 2; i++)
    places[i] = ghlo_gpu_place_at (operands[self->operands[i]], product->starts[i]);
  ghlo_gpu_planes_record (&self->planes, places, ghlo_gpu_place_at (scratch, (gint64) planes_at (self)),
                          recording);
}

static gboolean
record (gpointer              compiled,
        const GhloBufferRef  *operands,
        const GhloBufferRef  *results,
        GhloBufferRef         scratch,
        gpointer              recording,
        GError              **error)
{
  const Step *self = compiled;
  GhloBufferRef buffers[GHLO_KERNEL_MAX_BUFFERS];

  if (self->shader.product.n_groups == 0)
    return TRUE;
  if (self->has_planes)
    record_planes (self, operands, scratch, recording);
  ghlo_gpu_product_record (&self->shader, operands, results, scratch, recording);
  if (self->pieces != NULL)
    record_sum (self, operands, results, scratch, recording);
  /* Overwrites the results for operands that planes cannot represent. */
  if (self->has_planes)
    ghlo_gpu_product_record (&self->fallback, operands, results, scratch, recording);
  if (self->separate_reason != NULL)
    {
      buffers[0] = find_own (self, results, scratch);
      find_buffers (self, operands, results, buffers + 1);
      ghlo_gpu_kernel_record (&self->kernel, buffers, ghlo_gpu_place_at (scratch, (gint64) kernel_at (self)),
                              recording);
    }

  return TRUE;
}

static char *
describe (gpointer compiled)
{
  static const char *const splits[] = {
    "", " of one plane of f16", " of two planes of f16", " of two planes of f16, partial sums added as f32", " of bf16",
    " of two halves in bf16",
  };
  const Step *self = compiled;
  const GhloGpuProduct *product = &self->shader.product;
  const GhloSpirvTile *tile = &product->shader.tile;
  g_autoptr (GString) text = g_string_new (NULL);

  if (product->n_groups == 0)
    return g_strdup ("nothing to compute");
  if (product->shader.stream.n_inner_threads > 0)
    {
      const GhloSpirvStream *stream = &product->shader.stream;

      g_string_printf (text, "streamed by %u x %u invocations of %u x %u, in loads of %u and %u, %u steps of k at once",
                       tile->n_row_threads, stream->n_inner_threads, tile->n_rows, tile->n_columns,
                       stream->widths[0], stream->widths[1], stream->n_inner * stream->n_chunks);
    }
  else
    g_string_printf (text, "tiles of %u x %u, %u steps of k at once%s%s", ghlo_spirv_tile_rows (tile),
                   ghlo_spirv_tile_columns (tile), tile->n_inner,
                   product->shader.subgroup > 0 ? ", by cooperative matrices" : "", splits[product->shader.split]);
  if (product->n_pieces > 1)
    g_string_append_printf (text, ", k in %" G_GINT64_FORMAT " pieces", product->n_pieces);
  if (self->fusion != NULL)
    g_string_append_printf (text, ", and an epilogue of %u nodes", self->fusion->lowered.kernel->n_nodes);
  if (self->separate_reason != NULL)
    g_string_append_printf (text, " in a separate kernel: %s", self->separate_reason);

  return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
print_kernels (gpointer       compiled,
               GhloKernelForm form)
{
  const Step *self = compiled;
  const GhloKernel *kernels[] = { self->planes.sides[0].factors, self->planes.sides[1].factors,
                                  self->planes.sides[0].planes, self->planes.sides[1].planes, self->planes.flag,
                                  self->pieces, self->fusion != NULL ? self->fusion->lowered.kernel : NULL };
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (kernels); i++)
    if (kernels[i] != NULL)
      {
        g_autofree char *kernel = ghlo_kernel_print (kernels[i]);

        g_string_append_printf (text, "%s%s", text->len > 0 ? "\n" : "", kernel);
      }

  return text->len > 0 ? g_string_free (g_steal_pointer (&text), FALSE) : NULL;
}

const GhloStepImplementation ghlo_gpu_step_product = {
  .name = "product",
  .writes_strides = TRUE,
  .size = sizeof (Step),
  .keeps_selection_state = TRUE,
  .read = read_request,
  .select = select_step,
  .finish = finish,
  .clear = clear,
  .record = record,
  .describe = describe,
  .print_kernels = print_kernels,
};
