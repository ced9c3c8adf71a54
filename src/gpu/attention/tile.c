/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Chooses the tile of an attention, and the type that its operands are multiplied as.
 */

#include "gpu/attention/sizes.h"

#include "base/sizes.h"

/* The number of multiply-adds of each product from which operands of f32 are split (product/split.c), and up to which
 * invocations multiply scalars. The latter read a vector of shared memory for every four multiply-adds, while products
 * have tiles in registers. That the saved steps make up for this is an estimate for a GPU, not a measurement. */
#define LEAST_SPLIT 0x1p21
#define MOST_NUMBERS 0x1p24

/* In order of preference; each is used if it fits into shared memory and there are at least least_groups workgroups. */
typedef struct
{
  guint   n_rows, n_length, n_column_groups;
  guint64 least_groups;
} Candidate;

static const Candidate by_matrices[] = {
  { 64, 64, 2, 264 },
  { 32, 64, 2, 0 },
  { 32, 64, 1, 0 },
  { 32, 32, 2, 0 },
  { 32, 32, 1, 0 },
  { 16, 32, 1, 0 },
};

static const Candidate by_numbers[] = {
  { 32, 32, 2, 0 },
  { 16, 32, 2, 0 },
  { 16, 16, 1, 0 },
};

/* Returns the component type of matrices for operands of @type, or INVALID if the device has no such matrices. */
static GhloElementType
find_component (const GhloGpuDevice *device,
                GhloElementType      type)
{
  const GhloElementType component = type == GHLO_ELEMENT_TYPE_F32 ? GHLO_ELEMENT_TYPE_BF16 : type;

  return (device->vulkan.matrices >> component & 1) != 0 ? component : GHLO_ELEMENT_TYPE_INVALID;
}

static guint
round_up (gint64 n,
          guint  to)
{
  return (guint) ghlo_round_up (n, to);
}

static gboolean
fits (const GhloSpirvAttention *shader,
      const GhloGpuDevice      *device)
{
  const GhloElementInfo *component = ghlo_element_info (shader->component);
  const guint n_threads = ghlo_spirv_attention_threads (shader);
  const guint longest = MAX (shader->n_rows, shader->n_length) * MAX (shader->n_features, shader->n_columns);
  const guint n_vectors = longest * component->size / GHLO_SPIRV_PIECE_BYTES;

  return ghlo_spirv_attention_fits (shader) && n_threads <= device->vulkan.max_group_size
         && ghlo_ceil_div (n_vectors, n_threads) * shader->n_planes <= GHLO_SPIRV_ATTENTION_MAX_HELD
         && shader->n_columns / shader->n_column_groups <= GHLO_SPIRV_ATTENTION_MAX_COLUMNS
         && ghlo_spirv_attention_shared (shader) <= device->vulkan.shared_memory;
}

static gboolean
choose_tile (GhloSpirvAttention          *shader,
             const GhloGpuAttentionSizes *sizes,
             const GhloGpuDevice         *device,
             const Candidate             *candidates,
             guint                        n_candidates)
{
  for (guint i = 0; i < n_candidates; i++)
    {
      shader->n_rows = candidates[i].n_rows;
      shader->n_length = candidates[i].n_length;
      shader->n_column_groups = candidates[i].n_column_groups;
      shader->n_features = round_up (sizes->all.features, GHLO_SPIRV_MATRIX);
      shader->n_columns = round_up (sizes->all.columns, GHLO_SPIRV_MATRIX * candidates[i].n_column_groups);
      if (fits (shader, device)
          && (guint64) sizes->all.batches * round_up (sizes->all.rows, candidates[i].n_rows) / candidates[i].n_rows
             >= candidates[i].least_groups)
        return TRUE;
    }

  return FALSE;
}

const char *
ghlo_gpu_attention_choose_tile (GhloSpirvAttention          *shader,
                                const GhloGpuAttentionSizes *sizes,
                                const GhloGpuDevice         *device)
{
  const double n_steps = (double) sizes->all.batches * (double) sizes->all.rows * (double) sizes->all.length
                         * (double) MAX (sizes->all.features, sizes->all.columns);
  const gboolean is_split = sizes->all.type == GHLO_ELEMENT_TYPE_F32
                            && (n_steps >= LEAST_SPLIT || device->forced_splits != 0);
  GhloElementType component = find_component (device, sizes->all.type);

  if (sizes->all.features > GHLO_SPIRV_ATTENTION_MAX_COLUMNS || sizes->all.columns > GHLO_SPIRV_ATTENTION_MAX_COLUMNS)
    return "its heads have too many features";
  if (sizes->all.type == GHLO_ELEMENT_TYPE_F32 && !is_split)
    component = GHLO_ELEMENT_TYPE_INVALID;
  if (component != GHLO_ELEMENT_TYPE_INVALID && is_split && sizes->is_highest)
    return "precision HIGHEST needs more bits than two bf16 halves have";
  if (component == GHLO_ELEMENT_TYPE_INVALID && n_steps > MOST_NUMBERS && !device->fuses_always)
    return "separate products are faster on a device without cooperative matrices";
  shader->component = component != GHLO_ELEMENT_TYPE_INVALID ? component : GHLO_ELEMENT_TYPE_F32;
  shader->n_planes = component != GHLO_ELEMENT_TYPE_INVALID && is_split ? 2 : 1;
  shader->is_ahead = component != GHLO_ELEMENT_TYPE_INVALID;
  shader->subgroup = shader->is_ahead && !device->emulates_matrices ? device->vulkan.subgroup_size : 0;
  shader->scores.split = shader->n_planes == 2 ? GHLO_SPIRV_BF16_X3 : GHLO_SPIRV_UNSPLIT;
  shader->scores.subgroup = shader->subgroup;
  if (shader->subgroup > 0 ? !choose_tile (shader, sizes, device, by_matrices, G_N_ELEMENTS (by_matrices))
                           : !choose_tile (shader, sizes, device, by_numbers, G_N_ELEMENTS (by_numbers)))
    return "its tiles do not fit into the device's shared memory";

  return NULL;
}
