/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * dot_general, dot and convolution as steps. Operands and results are taken as they lie, whatever their strides.
 */

#include <string.h>

#include "base/ghlo-error.h"
#include "base/sizes.h"
#include "kernel/text.h"
#include "vulkan/kernel.h"
#include "vulkan/pipelines.h"
#include "vulkan/product/pieces.h"
#include "vulkan/product/planes.h"
#include "vulkan/target.h"

/* Of tensors, factors and the flag. */
enum { MAX_ACCESSES = GHLO_SPIRV_N_TENSORS + 2 + 1 };

typedef struct
{
  GhloVulkanProduct  product;
  VkPipeline         pipeline;
  GhloVulkanAccess   accesses[MAX_ACCESSES];    /* but for their places */
  guint              n_accesses;
} Shader;

typedef struct
{
  GhloVulkanDevice  *device;
  Shader             shader;
  GhloKernel        *pieces;            /* owned; NULL where k is in one piece */
  GhloVulkanKernel   sum;               /* of them */
  gsize              sums;              /* bytes of scratch for what they come to; behind it is that of the sum … */
  gsize              sum_scratch;       /* … of as many, and behind that the one of planes */
  gboolean           has_planes;        /* the operands are split */
  GhloVulkanPlanes   planes;
  Shader             whole;             /* the product where planes do not hold the operands */
} Step;

static void
release (gpointer compiled)
{
  Step *self = compiled;

  ghlo_vulkan_planes_clear (&self->planes);
  g_free (self->pieces);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Step, release)

/* Pieces write dense planes of sums in place of the result. */
static void
write_sums (GhloVulkanProduct *product)
{
  gint64 stride = (gint64) ghlo_vulkan_product_plane (product);

  product->shader.types[GHLO_SPIRV_RESULT] = ghlo_vulkan_product_planed (product);
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
  GhloVulkanProduct *product = &self->shader.product;
  const char *reason;

  if (product->n_pieces == 1 || product->n_groups == 0)
    return NULL;
  self->pieces = ghlo_vulkan_product_pieces (product);
  if (self->pieces == NULL)
    return "it has too many dimensions";
  reason = ghlo_vulkan_kernel_init (&self->sum, self->device, self->pieces);
  self->sums = ghlo_size_align ((gsize) product->n_pieces * (gsize) ghlo_vulkan_product_plane (product));
  self->sum_scratch = ghlo_size_align (ghlo_vulkan_kernel_scratch (&self->sum));
  write_sums (product);

  return reason;
}

static const char *
read_request (Step                  *self,
              GhloVulkanDevice      *device,
              const GhloStepRequest *request,
              gboolean               matrices)
{
  GhloVulkanProduct *product = &self->shader.product;
  const char *reason = ghlo_vulkan_product_read (product, device, request, matrices);

  self->device = device;
  if (reason != NULL)
    return reason;
  self->has_planes = ghlo_vulkan_planes_init (&self->planes, product, &self->whole.product, device, request->op);

  return read_pieces (self);
}

static gsize
scratch_size (const Step *self)
{
  return self->sums + self->sum_scratch + (self->has_planes ? self->planes.size : 0);
}

/* Where operands will lie is not known yet: there is to be scratch for either way. */
static gboolean
select_step (gpointer               target,
             const GhloStepRequest *request,
             GhloStepSelection     *selection)
{
  for (guint matrices = 0; matrices < 2; matrices++)
    {
      g_autoptr (Step) self = g_new0 (Step, 1);

      selection->reason = read_request (self, target, request, matrices != 0);
      if (selection->reason != NULL)
        return FALSE;
      selection->scratch = MAX (selection->scratch, scratch_size (self));
    }

  return TRUE;
}

static void
add_access (Shader   *shader,
            guint     word,
            gint64    begin,
            gsize     size,
            gboolean  is_written)
{
  shader->accesses[shader->n_accesses++] = (GhloVulkanAccess) {
    .word = GHLO_SPIRV_N_WORDS + word, .begin = begin, .size = size, .is_written = is_written,
  };
}

/* Those of a shader that takes the operands as they are: of the tensors. */
static void
find_operands (Shader                *shader,
               const GhloStepRequest *request)
{
  for (guint i = 0; i < 2; i++)
    {
      gint64 begin;
      gsize size = ghlo_vulkan_reach (&request->operands[shader->product.operands[i]], &begin);

      /* What the shader gets is the address of another element than the view's first. */
      add_access (shader, GHLO_SPIRV_PRODUCT_ADDRESSES + i, begin - shader->product.starts[i], size, FALSE);
    }
}

static void
find_accesses (Step                  *self,
               const GhloStepRequest *request)
{
  gint64 begin;
  gsize size = ghlo_vulkan_reach (&request->results[0], &begin);

  if (self->has_planes)
    {
      for (guint i = 0; i < 2; i++)
        add_access (&self->shader, GHLO_SPIRV_PRODUCT_ADDRESSES + i, 0, self->planes.sides[i].planes_size, FALSE);
      find_operands (&self->whole, request);
      add_access (&self->whole, GHLO_SPIRV_PRODUCT_ADDRESSES + GHLO_SPIRV_RESULT, begin, size, TRUE);
      add_access (&self->whole, GHLO_SPIRV_PRODUCT_FLAG, 0, sizeof (guint32), FALSE);
    }
  else
    find_operands (&self->shader, request);
  if (self->pieces != NULL)
    add_access (&self->shader, GHLO_SPIRV_PRODUCT_ADDRESSES + GHLO_SPIRV_RESULT, 0, self->sums, TRUE);
  else
    add_access (&self->shader, GHLO_SPIRV_PRODUCT_ADDRESSES + GHLO_SPIRV_RESULT, begin, size, TRUE);
  if (!self->has_planes)
    return;
  add_access (&self->shader, GHLO_SPIRV_PRODUCT_FLAG, 0, sizeof (guint32), FALSE);
  for (guint i = 0; i < 2; i++)
    add_access (&self->shader, GHLO_SPIRV_PRODUCT_FACTORS + i, 0, self->planes.sides[i].factors_size, FALSE);
}

/* Whether both operands begin at multiples of a piece's size in all runs. */
static gboolean
is_aligned (const GhloStepRequest *request)
{
  return request->alignments != NULL && request->alignments[0] % GHLO_SPIRV_PIECE_BYTES == 0
         && request->alignments[1] % GHLO_SPIRV_PIECE_BYTES == 0;
}

/* What the addresses of all that the shader writes are multiples of. */
static guint64
find_alignment (const Step            *self,
                const GhloStepRequest *request)
{
  if (self->pieces != NULL)
    return ghlo_size_align (1) | ghlo_vulkan_product_plane (&self->shader.product);

  return request->alignments != NULL ? request->alignments[request->n_operands] : 1;
}

static gboolean
make_pipeline (const Step  *self,
               Shader      *shader,
               GError     **error)
{
  g_autoptr (GBytes) words = ghlo_spirv_emit_product (&shader->product.shader, &self->device->measured.floats);

  shader->pipeline = ghlo_vulkan_pipelines_get (self->device->pipelines, words, error);

  return shader->pipeline != VK_NULL_HANDLE;
}

static gpointer
compile (gpointer               target,
         const GhloStepRequest *request,
         const GhloMonitor     *monitor,
         GError               **error)
{
  g_autoptr (Step) self = g_new0 (Step, 1);
  const char *reason = read_request (self, target, request, is_aligned (request));

  if (reason != NULL)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INTERNAL, "%s was selected for a Vulkan device, but cannot be "
                   "compiled: %s", ghlo_ir_op_get_name (request->op), reason);
      return NULL;
    }
  if (self->shader.product.n_groups == 0)
    return g_steal_pointer (&self);
  find_accesses (self, request);
  ghlo_vulkan_product_find_vectors (&self->shader.product, find_alignment (self, request));
  if (!make_pipeline (self, &self->shader, error)
      || (self->pieces != NULL && !ghlo_vulkan_kernel_compile (&self->sum, error))
      || (self->has_planes && !(ghlo_vulkan_planes_compile (&self->planes, error)
                                && make_pipeline (self, &self->whole, error))))
    return NULL;

  return g_steal_pointer (&self);
}

enum
{
  MAX_WORDS = GHLO_SPIRV_N_WORDS + GHLO_SPIRV_PRODUCT_N_WORDS
              + GHLO_SPIRV_MAX_WINDOWS * sizeof (GhloSpirvProductWindow) / sizeof (guint64)
              + GHLO_SPIRV_N_ROLES * GHLO_SPIRV_MAX_DIMENSIONS * (1 + GHLO_SPIRV_N_FORMS)
};

/* All of the table but the addresses; how many words it has. */
static guint
write_words (const GhloVulkanProduct *product,
             guint64                 *words)
{
  guint64 *own = words + GHLO_SPIRV_N_WORDS;
  guint n = GHLO_SPIRV_PRODUCT_N_WORDS;

  own[GHLO_SPIRV_PRODUCT_M] = (guint64) product->counts[GHLO_SPIRV_ROWS];
  own[GHLO_SPIRV_PRODUCT_N] = (guint64) product->counts[GHLO_SPIRV_COLUMNS];
  own[GHLO_SPIRV_PRODUCT_K] = (guint64) product->counts[GHLO_SPIRV_INNER];
  own[GHLO_SPIRV_PRODUCT_BATCHES] = (guint64) product->counts[GHLO_SPIRV_BATCH];
  own[GHLO_SPIRV_PRODUCT_PIECE] = (guint64) product->piece;
  own[GHLO_SPIRV_PRODUCT_PLANE] = ghlo_vulkan_product_plane (product);
  for (guint i = 0; i < product->shader.n_windows; i++)
    {
      own[n++] = product->windows[i].low;
      own[n++] = product->windows[i].extent;
      own[n++] = product->windows[i].dilation;
      own[n++] = (guint64) product->windows[i].stride;
    }
  for (guint role = 0; role < GHLO_SPIRV_N_ROLES; role++)
    for (guint i = 0; i < product->shader.n_dimensions[role]; i++)
      {
        own[n++] = product->dimensions[role][i].size;
        for (guint form = 0; form < GHLO_SPIRV_N_TENSORS + (guint) product->shader.n_windows; form++)
          own[n++] = (guint64) product->dimensions[role][i].strides[form];
      }

  return GHLO_SPIRV_N_WORDS + n;
}

/* @places: of the accesses, in their order. */
static void
record_shader (const Shader        *shader,
               const GhloStepPlace *places,
               GhloVulkanRecording *recording)
{
  guint64 words[MAX_WORDS] = { 0 };
  GhloVulkanAccess accesses[MAX_ACCESSES];
  const GhloVulkanDispatch dispatch = {
    .pipeline = shader->pipeline, .n_points = shader->product.n_groups, .points_each = 1, .most_groups = G_MAXUINT,
    .words = words, .n_words = write_words (&shader->product, words), .accesses = accesses,
    .n_accesses = shader->n_accesses,
  };

  memcpy (accesses, shader->accesses, sizeof accesses);
  for (guint i = 0; i < shader->n_accesses; i++)
    accesses[i].place = places[i];
  ghlo_vulkan_recording_dispatch (recording, &dispatch);
}

/* Makes planes, and multiplies them. */
static void
record_planes (const Step          *self,
               const GhloStepPlace *operands,
               GhloStepPlace        result,
               GhloStepPlace        scratch,
               GhloVulkanRecording *recording)
{
  const GhloVulkanPlanes *planes = &self->planes;
  const GhloStepPlace flag = ghlo_vulkan_place_at (scratch, (gint64) planes->flag_at);
  GhloStepPlace places[MAX_ACCESSES] = { [GHLO_SPIRV_RESULT] = result, [GHLO_SPIRV_N_TENSORS] = flag };

  ghlo_vulkan_planes_record (planes, operands, scratch, recording);
  for (guint i = 0; i < 2; i++)
    {
      places[i] = ghlo_vulkan_place_at (scratch, (gint64) planes->sides[i].planes_at);
      places[GHLO_SPIRV_N_TENSORS + 1 + i] = ghlo_vulkan_place_at (scratch, (gint64) planes->sides[i].factors_at);
    }
  record_shader (&self->shader, places, recording);
}

static gboolean
record (gpointer              compiled,
        const GhloStepPlace  *operands,
        const GhloStepPlace  *results,
        GhloStepPlace         scratch,
        gpointer              recording,
        GError              **error)
{
  const Step *self = compiled;
  const GhloVulkanProduct *product = self->has_planes ? &self->whole.product : &self->shader.product;
  const GhloStepPlace result = self->pieces != NULL ? scratch : results[0];
  const GhloStepPlace planes = ghlo_vulkan_place_at (scratch, (gint64) (self->sums + self->sum_scratch));
  GhloStepPlace places[MAX_ACCESSES] = { [GHLO_SPIRV_RESULT] = results[0] };

  if (product->n_groups == 0)
    return TRUE;
  for (guint i = 0; i < 2; i++)
    places[i] = ghlo_vulkan_place_at (operands[product->operands[i]], product->starts[i]);
  if (self->has_planes)
    record_planes (self, places, result, planes, recording);
  else
    {
      places[GHLO_SPIRV_RESULT] = result;
      record_shader (&self->shader, places, recording);
    }
  if (self->pieces != NULL)
    ghlo_vulkan_kernel_record (&self->sum, (const GhloStepPlace[]) { scratch, results[0] },
                               ghlo_vulkan_place_at (scratch, (gint64) self->sums), recording);
  /* It comes last: what others have made of operands that planes do not hold is written over. */
  if (self->has_planes)
    {
      places[GHLO_SPIRV_N_TENSORS] = ghlo_vulkan_place_at (planes, (gint64) self->planes.flag_at);
      record_shader (&self->whole, places, recording);
    }

  return TRUE;
}

static char *
describe (gpointer compiled)
{
  static const char *const splits[] = {
    "", " of one plane of f16", " of two planes of f16", " of two planes of f16, added as f32",
  };
  const Step *self = compiled;
  const GhloVulkanProduct *product = &self->shader.product;
  const GhloSpirvTile *tile = &product->shader.tile;
  g_autoptr (GString) text = g_string_new (NULL);

  if (product->n_groups == 0)
    return g_strdup ("nothing to compute");
  g_string_printf (text, "tiles of %u x %u, %u steps at once%s%s", ghlo_spirv_tile_rows (tile),
                   ghlo_spirv_tile_columns (tile), tile->n_inner,
                   product->shader.subgroup > 0 ? ", by cooperative matrices" : "", splits[product->shader.split]);
  if (product->n_pieces > 1)
    g_string_append_printf (text, ", in %" G_GINT64_FORMAT " pieces", product->n_pieces);

  return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
print_kernels (gpointer compiled)
{
  const Step *self = compiled;
  const GhloKernel *kernels[] = { self->planes.sides[0].factors, self->planes.sides[1].factors,
                                  self->planes.sides[0].planes, self->planes.sides[1].planes, self->planes.flag,
                                  self->pieces };
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (kernels); i++)
    if (kernels[i] != NULL)
      {
        g_autofree char *kernel = ghlo_kernel_print (kernels[i]);

        g_string_append_printf (text, "%s%s", text->len > 0 ? "\n" : "", kernel);
      }

  return text->len > 0 ? g_string_free (g_steal_pointer (&text), FALSE) : NULL;
}

const GhloStepImplementation ghlo_vulkan_step_product = {
  .name = "product",
  .writes_strides = TRUE,
  .select = select_step,
  .compile = compile,
  .record = record,
  .release = release,
  .describe = describe,
  .print_kernels = print_kernels,
};
