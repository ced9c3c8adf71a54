/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Decides which products use planes, lays out planes in the scratch, and records the dispatches that compute them.
 */

#include "gpu/product/planes.h"

#include "base/sizes.h"
#include "gpu/product/plane-kernels.h"

/* Replaces an operand of @product by its planes. */
static void
take_planes (GhloGpuProduct *product,
             guint           tensor)
{
  const GhloSpirvRole roles[] = { GHLO_SPIRV_BATCH, ghlo_gpu_product_outer (tensor) };
  gint64 inner, strides[2];

  ghlo_gpu_plane_strides (product, tensor, &inner, &strides[1], &strides[0]);
  for (guint r = 0; r < 2; r++)
    for (guint i = product->shader.n_dimensions[roles[r]]; i-- > 0;)
      {
        product->dimensions[roles[r]][i].strides[tensor] = strides[r];
        strides[r] *= (gint64) product->dimensions[roles[r]][i].size;
      }
  product->dimensions[GHLO_SPIRV_INNER][0].strides[tensor] = inner;
  product->shader.types[tensor] = GHLO_ELEMENT_TYPE_F16;
  product->starts[tensor] = 0;
}

/* Turns @product, which is of f32 except for the split, into the product of planes. Returns FALSE if the device cannot
 * compute that. */
static gboolean
take_product (GhloGpuProduct      *product,
              const GhloGpuDevice *device)
{
  const gint64 n = ghlo_gpu_plane_steps (product) * ghlo_gpu_n_planes (product);

  if (n > G_MAXINT32)
    return FALSE;
  for (guint i = 0; i < 2; i++)
    take_planes (product, i);
  product->counts[GHLO_SPIRV_INNER] = n;
  product->dimensions[GHLO_SPIRV_INNER][0].size = (guint64) n;
  product->shader.condition = GHLO_SPIRV_UNLESS_FLAGGED;

  return ghlo_gpu_product_choose_tile (product, device, TRUE) == NULL && product->shader.subgroup > 0;
}

/* Reserves scratch for @size bytes. */
static gsize
add_scratch (GhloGpuPlanes *self,
             gsize          size)
{
  gsize at = self->size;

  self->size += ghlo_size_align (size);

  return at;
}

static gboolean
add_side (GhloGpuPlanes        *self,
          const GhloGpuProduct *product,
          GhloGpuDevice        *device,
          guint                 tensor)
{
  GhloGpuPlanesSide *side = &self->sides[tensor];
  const gint64 n_batches = product->counts[GHLO_SPIRV_BATCH];
  gint64 size, inner, outer, batch;
  gsize scratch;

  ghlo_gpu_plane_strides (product, tensor, &inner, &outer, &batch);
  side->begin = ghlo_gpu_plane_begin (product, tensor, &size);
  side->factors_size = (gsize) (n_batches * product->counts[ghlo_gpu_product_outer (tensor)]) * sizeof (float);
  side->planes_size = (gsize) n_batches * (gsize) batch;
  side->low_at = (gsize) (GHLO_SPIRV_MATRIX * inner);
  side->planes = ghlo_gpu_plane_planes (product, tensor, side);
  if (side->planes == NULL || ghlo_gpu_kernel_init (&side->make_planes, device, side->planes) != NULL)
    return FALSE;
  scratch = ghlo_gpu_kernel_scratch (&side->make_planes);
  if (!ghlo_gpu_plane_finds_factors (product, tensor))
    {
      side->factors = ghlo_gpu_plane_factors (product, tensor, (gint64) side->factors_size);
      if (side->factors == NULL || ghlo_gpu_kernel_init (&side->find_factors, device, side->factors) != NULL)
        return FALSE;
      scratch = MAX (scratch, ghlo_gpu_kernel_scratch (&side->find_factors));
    }
  side->factors_at = add_scratch (self, side->factors_size);
  side->planes_at = add_scratch (self, side->planes_size);
  side->kernels_at = add_scratch (self, scratch);

  return TRUE;
}

gboolean
ghlo_gpu_planes_init (GhloGpuPlanes  *self,
                      GhloGpuProduct *product,
                      GhloGpuProduct *fallback,
                      GhloGpuDevice  *device)
{
  g_autofree GhloGpuProduct *of_planes = NULL;
  gboolean ok;

  if (!ghlo_spirv_takes_planes (product->split))
    return FALSE;
  *self = (GhloGpuPlanes) { .size = 0 };
  *fallback = *product;
  fallback->is_in_one = TRUE;
  fallback->shader.condition = GHLO_SPIRV_IF_FLAGGED;
  of_planes = g_memdup2 (product, sizeof *product);
  of_planes->shader.split = product->split;
  ok = ghlo_gpu_product_choose_tile (fallback, device, FALSE) == NULL;
  for (guint i = 0; i < 2 && ok; i++)
    ok = add_side (self, of_planes, device, i);
  if (ok)
    {
      self->flag = ghlo_gpu_plane_flag (self->sides);
      ok = self->flag != NULL && ghlo_gpu_kernel_init (&self->find_flag, device, self->flag) == NULL
           && take_product (of_planes, device);
    }
  if (!ok)
    {
      ghlo_gpu_planes_clear (self);
      return FALSE;
    }
  self->flag_at = add_scratch (self, sizeof (guint32));
  self->kernel_at = add_scratch (self, ghlo_gpu_kernel_scratch (&self->find_flag));
  *product = *of_planes;

  return TRUE;
}

void
ghlo_gpu_planes_clear (GhloGpuPlanes *self)
{
  for (guint i = 0; i < 2; i++)
    {
      g_clear_pointer (&self->sides[i].factors, g_free);
      g_clear_pointer (&self->sides[i].planes, g_free);
    }
  g_clear_pointer (&self->flag, g_free);
}

gboolean
ghlo_gpu_planes_compile (GhloGpuPlanes  *self,
                         gboolean        may_be_predicated,
                         GError        **error)
{
  for (guint i = 0; i < 2; i++)
    if ((self->sides[i].factors != NULL
         && !ghlo_gpu_kernel_compile (&self->sides[i].find_factors, may_be_predicated, 0, error))
        || !ghlo_gpu_kernel_compile (&self->sides[i].make_planes, may_be_predicated, 0, error))
      return FALSE;

  return ghlo_gpu_kernel_compile (&self->find_flag, may_be_predicated, 0, error);
}

/* Finds the places of the buffers of a side's kernels: the operand, factors, and planes. */
static void
find_places (const GhloGpuPlanesSide *side,
             GhloBufferRef            operand,
             GhloBufferRef            scratch,
             GhloBufferRef           *places)
{
  places[0] = ghlo_gpu_place_at (operand, side->begin);
  places[1] = ghlo_gpu_place_at (scratch, (gint64) side->factors_at);
  places[2] = ghlo_gpu_place_at (scratch, (gint64) side->planes_at);
  places[3] = ghlo_gpu_place_at (places[2], (gint64) side->low_at);
}

/* Kernels that do not depend on factors are recorded between those that find factors and those that wait for these. */
void
ghlo_gpu_planes_record (const GhloGpuPlanes *self,
                        const GhloBufferRef *operands,
                        GhloBufferRef        scratch,
                        GhloGpuRecording    *recording)
{
  GhloBufferRef places[2][4], of_kernels[2], flag = ghlo_gpu_place_at (scratch, (gint64) self->flag_at);
  const GhloGpuPlanesSide *sides = self->sides;

  for (guint i = 0; i < 2; i++)
    {
      find_places (&sides[i], operands[i], scratch, places[i]);
      of_kernels[i] = ghlo_gpu_place_at (scratch, (gint64) sides[i].kernels_at);
    }
  for (guint i = 0; i < 2; i++)
    if (sides[i].factors != NULL)
      ghlo_gpu_kernel_record_parts (&sides[i].find_factors, places[i], of_kernels[i], recording);
  for (guint i = 0; i < 2; i++)
    if (sides[i].factors != NULL)
      ghlo_gpu_kernel_record_rest (&sides[i].find_factors, places[i], of_kernels[i], recording);
  for (guint waits = 0; waits < 2; waits++)
    for (guint i = 0; i < 2; i++)
      if ((sides[i].factors != NULL) == (waits != 0))
        ghlo_gpu_kernel_record (&sides[i].make_planes, places[i], of_kernels[i], recording);
  ghlo_gpu_kernel_record (&self->find_flag, (const GhloBufferRef[]) { places[0][1], places[1][1], flag },
                          ghlo_gpu_place_at (scratch, (gint64) self->kernel_at), recording);
}
