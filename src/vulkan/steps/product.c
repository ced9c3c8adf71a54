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
#include "vulkan/target.h"

typedef struct
{
  GhloVulkanDevice  *device;
  GhloVulkanProduct  product;
  VkPipeline         pipeline;
  GhloKernel        *pieces;            /* owned; NULL where k is in one piece */
  GhloVulkanKernel   sum;               /* of them */
  gsize              planes;            /* bytes of scratch for what they come to; behind it is that of the sum */
  GhloVulkanAccess   accesses[GHLO_SPIRV_N_TENSORS];    /* but for their places */
} Step;

static void
release (gpointer compiled)
{
  Step *self = compiled;

  g_free (self->pieces);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Step, release)

/* Pieces write dense planes of sums in place of the result. */
static void
write_planes (GhloVulkanProduct *product)
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
  const char *reason;

  if (self->product.n_pieces == 1 || self->product.n_groups == 0)
    return NULL;
  self->pieces = ghlo_vulkan_product_pieces (&self->product);
  if (self->pieces == NULL)
    return "it has too many dimensions";
  reason = ghlo_vulkan_kernel_init (&self->sum, self->device, self->pieces);
  self->planes = ghlo_size_align ((gsize) self->product.n_pieces * (gsize) ghlo_vulkan_product_plane (&self->product));
  write_planes (&self->product);

  return reason;
}

static const char *
read_request (Step                  *self,
              GhloVulkanDevice      *device,
              const GhloStepRequest *request,
              gboolean               matrices)
{
  const char *reason = ghlo_vulkan_product_read (&self->product, device, request, matrices);

  self->device = device;

  return reason != NULL ? reason : read_pieces (self);
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
      if (self->pieces != NULL)
        selection->scratch = MAX (selection->scratch, self->planes + ghlo_vulkan_kernel_scratch (&self->sum));
    }

  return TRUE;
}

static void
find_accesses (Step                  *self,
               const GhloStepRequest *request)
{
  for (guint i = 0; i < GHLO_SPIRV_N_TENSORS; i++)
    {
      const gboolean is_result = i == GHLO_SPIRV_RESULT;
      const GhloView *view = is_result ? &request->results[0] : &request->operands[self->product.operands[i]];
      GhloVulkanAccess *access = &self->accesses[i];

      access->word = GHLO_SPIRV_N_WORDS + GHLO_SPIRV_PRODUCT_ADDRESSES + i;
      access->is_written = is_result;
      access->size = is_result && self->pieces != NULL ? self->planes : ghlo_vulkan_reach (view, &access->begin);
      /* What the shader gets is the address of another element than the view's first. */
      if (!is_result)
        access->begin -= self->product.starts[i];
    }
}

/* Whether both operands begin at multiples of a piece's size in all runs. */
static gboolean
is_aligned (const GhloStepRequest *request)
{
  return request->alignments != NULL && request->alignments[0] % GHLO_SPIRV_PIECE_BYTES == 0
         && request->alignments[1] % GHLO_SPIRV_PIECE_BYTES == 0;
}

static gpointer
compile (gpointer               target,
         const GhloStepRequest *request,
         const GhloMonitor     *monitor,
         GError               **error)
{
  g_autoptr (Step) self = g_new0 (Step, 1);
  g_autoptr (GBytes) words = NULL;
  const char *reason = read_request (self, target, request, is_aligned (request));

  if (reason != NULL)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INTERNAL, "%s was selected for a Vulkan device, but cannot be "
                   "compiled: %s", ghlo_ir_op_get_name (request->op), reason);
      return NULL;
    }
  if (self->product.n_groups == 0)
    return g_steal_pointer (&self);
  find_accesses (self, request);
  words = ghlo_spirv_emit_product (&self->product.shader, &self->device->measured.floats);
  self->pipeline = ghlo_vulkan_pipelines_get (self->device->pipelines, words, error);
  if (self->pipeline == VK_NULL_HANDLE || (self->pieces != NULL && !ghlo_vulkan_kernel_compile (&self->sum, error)))
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

static gboolean
record (gpointer              compiled,
        const GhloStepPlace  *operands,
        const GhloStepPlace  *results,
        GhloStepPlace         scratch,
        gpointer              recording,
        GError              **error)
{
  const Step *self = compiled;
  const GhloVulkanProduct *product = &self->product;
  guint64 words[MAX_WORDS] = { 0 };
  GhloVulkanAccess accesses[GHLO_SPIRV_N_TENSORS];
  const GhloVulkanDispatch dispatch = {
    .pipeline = self->pipeline, .n_points = product->n_groups, .points_each = 1, .most_groups = G_MAXUINT,
    .words = words, .n_words = write_words (product, words), .accesses = accesses, .n_accesses = GHLO_SPIRV_N_TENSORS,
  };

  if (product->n_groups == 0)
    return TRUE;
  memcpy (accesses, self->accesses, sizeof accesses);
  for (guint i = 0; i < 2; i++)
    accesses[i].place = ghlo_vulkan_place_at (operands[product->operands[i]], product->starts[i]);
  accesses[GHLO_SPIRV_RESULT].place = self->pieces != NULL ? scratch : results[0];
  ghlo_vulkan_recording_dispatch (recording, &dispatch);
  if (self->pieces != NULL)
    ghlo_vulkan_kernel_record (&self->sum, (const GhloStepPlace[]) { scratch, results[0] },
                               ghlo_vulkan_place_at (scratch, (gint64) self->planes), recording);

  return TRUE;
}

static char *
describe (gpointer compiled)
{
  const Step *self = compiled;
  const GhloVulkanProduct *product = &self->product;
  const GhloSpirvTile *tile = &product->shader.tile;
  g_autoptr (GString) text = g_string_new (NULL);

  if (product->n_groups == 0)
    return g_strdup ("nothing to compute");
  g_string_printf (text, "tiles of %u x %u, %u steps at once%s", ghlo_spirv_tile_rows (tile),
                   ghlo_spirv_tile_columns (tile), tile->n_inner,
                   product->shader.subgroup > 0 ? ", by cooperative matrices" : "");
  if (product->n_pieces > 1)
    g_string_append_printf (text, ", in %" G_GINT64_FORMAT " pieces", product->n_pieces);

  return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
print_kernels (gpointer compiled)
{
  const Step *self = compiled;

  return self->pieces != NULL ? ghlo_kernel_print (self->pieces) : NULL;
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
