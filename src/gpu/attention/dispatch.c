/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Maps a plan's attention to two products with the same batches and rows.
 */

#include "gpu/attention/sizes.h"

#include "base/sizes.h"
#include "gpu/product/reading.h"
#include "kernel/lower.h"
#include "vulkan/pipelines.h"

/* The number of rows of a head from which attention is a single step. With fewer, as when a model generates one word at
 * a time, most of a tile would be empty, and a single workgroup would read all keys. */
enum { LEAST_ROWS = GHLO_SPIRV_MATRIX };

/* Finds the sizes, and whether a product asks for the highest precision. */
static const char *
find_sizes (const GhloIrAttention *attention,
            GhloGpuAttentionSizes *sizes)
{
  const char *reason = ghlo_attention_find_sizes (attention, &sizes->all);

  if (reason != NULL)
    return reason;
  sizes->is_highest = MAX (ghlo_gpu_find_precision (attention->scores), ghlo_gpu_find_precision (attention->last))
                      == GHLO_GPU_HIGHEST;

  return sizes->all.type == GHLO_ELEMENT_TYPE_F64 || sizes->all.type != sizes->all.value_type
         ? "its operands are not all of one supported type" : NULL;
}

const char *
ghlo_gpu_attention_obstacle (const GhloGpuDevice   *device,
                             const GhloIrOp *const *ops,
                             guint                  n_ops)
{
  GhloGpuAttentionSizes sizes;
  GhloSpirvAttention shader = { 0 };
  GhloIrAttention attention;
  const char *reason = ghlo_ir_attention_match (&attention, ops[n_ops - 1]);

  if (reason == NULL)
    reason = find_sizes (&attention, &sizes);
  if (reason == NULL && sizes.all.rows < LEAST_ROWS && !device->fuses_always)
    reason = "it has too few rows to fill a tile";
  for (guint i = 0; i < n_ops && reason == NULL; i++)
    if (ops[i] != attention.scores && ops[i] != attention.last)
      reason = ghlo_kernel_obstacle (ops[i]);

  return reason != NULL ? reason : ghlo_gpu_attention_choose_tile (&shader, &sizes, device);
}

/* The role of each dimension in either product, and the tensors of each product; -1: none, or not in memory. */
static const gint roles[GHLO_ATTENTION_N_ROLES][2] = {
  [GHLO_ATTENTION_BATCH] = { GHLO_SPIRV_BATCH, GHLO_SPIRV_BATCH },
  [GHLO_ATTENTION_ROWS] = { GHLO_SPIRV_ROWS, GHLO_SPIRV_ROWS },
  [GHLO_ATTENTION_LENGTH] = { GHLO_SPIRV_COLUMNS, GHLO_SPIRV_INNER },
  [GHLO_ATTENTION_FEATURES] = { GHLO_SPIRV_INNER, -1 },
  [GHLO_ATTENTION_COLUMNS] = { -1, GHLO_SPIRV_COLUMNS },
};

static const gint tensors[2][GHLO_SPIRV_N_TENSORS] = {
  { GHLO_ATTENTION_QUERIES, GHLO_ATTENTION_KEYS, GHLO_ATTENTION_SCORES },
  { -1, GHLO_ATTENTION_VALUES, GHLO_ATTENTION_RESULT },
};

static gboolean
append_all (GhloGpuAttention *self)
{
  GhloGpuProduct *products[] = { &self->scores.product, &self->values.product };

  for (guint p = 0; p < G_N_ELEMENTS (products); p++)
    {
      for (guint role = 0; role < GHLO_SPIRV_N_ROLES; role++)
        products[p]->counts[role] = 1;
      for (guint i = 0; i < self->step.n_dimensions; i++)
        {
          const GhloStepAttentionDimension *from = &self->step.dimensions[i];
          GhloSpirvProductDimension dimension = { .size = (guint64) from->size };
          const gint role = roles[from->role][p];

          for (guint t = 0; t < GHLO_SPIRV_N_TENSORS; t++)
            dimension.strides[t] = tensors[p][t] >= 0 ? from->strides[tensors[p][t]] : 0;
          if (role >= 0 && !ghlo_gpu_product_append (products[p], (GhloSpirvRole) role, &dimension))
            return FALSE;
        }
    }

  return TRUE;
}

static void
set_types (GhloGpuAttention *self)
{
  const GhloIrAttention *attention = &self->step.attention;
  GhloSpirvProduct *scores = &self->scores.product.shader, *values = &self->values.product.shader;
  const GhloElementType type = ghlo_ir_op_operand (attention->scores, 0)->type->element_type;

  scores->types[GHLO_SPIRV_LHS] = scores->types[GHLO_SPIRV_RHS] = values->types[GHLO_SPIRV_RHS] = type;
  scores->types[GHLO_SPIRV_RESULT] = attention->scores->results[0].type->element_type;
  values->types[GHLO_SPIRV_LHS] = attention->logits->type->element_type;
  values->types[GHLO_SPIRV_RESULT] = attention->last->results[0].type->element_type;
  scores->accumulator = values->accumulator = GHLO_ELEMENT_TYPE_F32;
  self->shader.has_empty_rows = attention->has_empty_rows;
}

/* Whether the device converts and computes like kernels do. */
static const char *
check_device (const GhloGpuAttention *self,
              const GhloGpuDevice    *device)
{
  GhloElementType type;

  if (!ghlo_gpu_product_has_types (&self->scores.product.shader, device)
      || !ghlo_gpu_product_has_types (&self->values.product.shader, device)
      || (self->step.has_kernel
          && ghlo_spirv_find_inexact (&device->measured, self->logits.kernel, FALSE, &type) != GHLO_N_NODES))
    return "the device does not compute with its element types accurately enough";

  return NULL;
}

/* Whether every four elements of a tensor along @inner are contiguous and aligned to their size, given that the
 * tensor's first element is aligned to @alignment. */
static gboolean
is_in_fours (const GhloGpuProduct *product,
             guint                 tensor,
             GhloSpirvRole         inner,
             guint32               alignment)
{
  const gint64 size = ghlo_element_info (product->shader.types[tensor])->size, four = GHLO_SPIRV_TOGETHER * size;

  if (product->shader.n_dimensions[inner] != 1 || product->dimensions[inner][0].strides[tensor] != size
      || product->counts[inner] % GHLO_SPIRV_TOGETHER != 0 || (gint64) alignment % four != 0)
    return FALSE;
  for (guint role = 0; role < GHLO_SPIRV_N_ROLES; role++)
    for (guint i = 0; i < product->shader.n_dimensions[role]; i++)
      if (role != (guint) inner && product->dimensions[role][i].strides[tensor] % four != 0)
        return FALSE;

  return TRUE;
}

/* Finds where each tensor lies, and how it is read or written. */
static void
find_tensors (GhloGpuAttention      *self,
              const GhloStepRequest *request)
{
  const struct { GhloGpuProductShader *product; guint tensor; GhloSpirvRole rows, inner; } rows[] = {
    [GHLO_SPIRV_QUERIES] = { &self->scores, GHLO_SPIRV_LHS, GHLO_SPIRV_ROWS, GHLO_SPIRV_INNER },
    [GHLO_SPIRV_KEYS] = { &self->scores, GHLO_SPIRV_RHS, GHLO_SPIRV_COLUMNS, GHLO_SPIRV_INNER },
    [GHLO_SPIRV_VALUES] = { &self->values, GHLO_SPIRV_RHS, GHLO_SPIRV_INNER, GHLO_SPIRV_COLUMNS },
    [GHLO_SPIRV_OUTPUT] = { &self->values, GHLO_SPIRV_RESULT, GHLO_SPIRV_ROWS, GHLO_SPIRV_COLUMNS },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const gboolean is_output = i == GHLO_SPIRV_OUTPUT;
      const guint operand = is_output ? request->n_operands : self->step.operands[i];
      const GhloView *view = is_output ? &request->results[0] : &request->operands[operand];
      const GhloGpuSource source = { is_output ? GHLO_GPU_RESULT : GHLO_GPU_OPERAND,
                                     is_output ? 0 : operand, 0 };
      const GhloGpuProduct *product = &rows[i].product->product;
      gint64 begin;
      gsize size = ghlo_gpu_reach (view, &begin);

      ghlo_gpu_product_add_access (rows[i].product, GHLO_SPIRV_PRODUCT_ADDRESSES + rows[i].tensor, source, begin,
                                   size, is_output);
      if (request->alignments != NULL
          && is_in_fours (product, rows[i].tensor, rows[i].inner, request->alignments[operand]))
        self->shader.fours |= (guint8) (1u << i);
      if (ghlo_gpu_product_step (product, rows[i].rows, rows[i].tensor)
          < ghlo_gpu_product_step (product, rows[i].inner, rows[i].tensor))
        self->shader.across |= (guint8) (1u << i);
    }
  ghlo_gpu_product_add_epilogue (&self->scores);
}

const char *
ghlo_gpu_attention_init (GhloGpuAttention      *self,
                         const GhloGpuDevice   *device,
                         const GhloStepRequest *request)
{
  GhloGpuAttentionSizes sizes;
  const char *reason = ghlo_step_attention_init (&self->step, request);

  if (reason == NULL)
    reason = find_sizes (&self->step.attention, &sizes);
  if (reason != NULL)
    return reason;
  set_types (self);
  if (!append_all (self))
    return "it has too many dimensions, or too large ones";
  if (self->step.has_kernel)
    {
      reason = ghlo_gpu_epilogue_init (&self->logits, &self->step.logits, &self->scores.product,
                                       request->alignments);
      self->scores.epilogue = &self->logits;
      self->scores.product.shader.epilogue = &self->logits.shader;
    }
  if (reason == NULL)
    reason = check_device (self, device);
  if (reason != NULL)
    return reason;
  sizes.all.batches = self->scores.product.counts[GHLO_SPIRV_BATCH];
  sizes.all.rows = self->scores.product.counts[GHLO_SPIRV_ROWS];
  self->shader.scores = self->scores.product.shader;
  self->shader.values = self->values.product.shader;
  reason = ghlo_gpu_attention_choose_tile (&self->shader, &sizes, device);
  if (reason != NULL)
    return reason;
  self->device = device;
  self->n_groups = (guint64) sizes.all.batches * ghlo_size_ceil_div ((gsize) sizes.all.rows, self->shader.n_rows);
  find_tensors (self, request);

  return NULL;
}

void
ghlo_gpu_attention_clear (GhloGpuAttention *self)
{
  ghlo_gpu_epilogue_clear (&self->logits);
  ghlo_step_attention_clear (&self->step);
}

gboolean
ghlo_gpu_attention_compile (GhloGpuAttention  *self,
                            GError           **error)
{
  g_autoptr (GBytes) words = ghlo_spirv_emit_attention (&self->shader, &self->device->measured.floats);

  self->pipeline = ghlo_vulkan_pipelines_get (self->device->vulkan.pipelines, words, error);

  return self->pipeline != NULL;
}

void
ghlo_gpu_attention_record (const GhloGpuAttention *self,
                           const GhloBufferRef    *operands,
                           const GhloBufferRef    *results,
                           GhloBufferRef           scratch,
                           GhloGpuRecording       *recording)
{
  guint64 words[GHLO_SPIRV_N_WORDS + 2 * GHLO_GPU_PRODUCT_MAX_WORDS] = { 0 };
  GhloGpuAccess accesses[2 * GHLO_GPU_PRODUCT_MAX_ACCESSES];
  const guint second = ghlo_gpu_product_words (&self->scores, words + GHLO_SPIRV_N_WORDS);
  const guint n_words = second + ghlo_gpu_product_words (&self->values, words + GHLO_SPIRV_N_WORDS + second);
  const GhloGpuDispatch dispatch = {
    .name = "attention", .pipeline = self->pipeline, .n_points = self->n_groups, .points_per_group = 1,
    .most_groups = G_MAXUINT,
    .work = ghlo_gpu_product_work (&self->scores) + ghlo_gpu_product_work (&self->values),
    .words = words, .n_words = GHLO_SPIRV_N_WORDS + n_words, .accesses = accesses,
    .n_accesses = self->scores.n_accesses + self->values.n_accesses,
  };

  g_assert (second == ghlo_spirv_attention_second (&self->shader));
  ghlo_gpu_product_find_accesses (&self->scores, operands, results, scratch, accesses);
  ghlo_gpu_product_find_accesses (&self->values, operands, results, scratch, accesses + self->scores.n_accesses);
  for (guint i = self->scores.n_accesses; i < dispatch.n_accesses; i++)
    accesses[i].word += second;
  ghlo_gpu_recording_dispatch (recording, &dispatch);
}
