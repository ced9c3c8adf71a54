/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From sdy's sharding of a tensor to the parts that partitions hold, and to the description for callers. All
 * attributes are checked, since programs may come from untrusted sources.
 */

#include "pjrt/sharding/sharding.h"

#include "base/fail.h"
#include "pjrt/compile-options.h"
#include "reference/kernel.h"

/* Divides dimension @dimension along one more axis, within the parts so far. */
static gboolean
split_dimension (GhloPjrtSharding    *self,
                 const GhloPjrtMesh  *mesh,
                 guint                dimension,
                 const GhloPjrtAxis  *axis,
                 GError             **error)
{
  self->counts[dimension] *= axis->size;
  if (self->counts[dimension] > (gint64) mesh->n_partitions)
    return ghlo_invalid (error, "expected each axis once in a sharding, found one twice");
  for (guint place = 0; place < mesh->n_partitions; place++)
    {
      guint *index = &self->parts[(gsize) ghlo_pjrt_mesh_partition_at (mesh, place) * self->rank + dimension];

      *index = *index * (guint) axis->size + (guint) (place / axis->stride % axis->size);
    }

  return TRUE;
}

static gboolean
read_dimension (GhloPjrtSharding    *self,
                const GhloPjrtMesh  *mesh,
                guint                dimension,
                const GhloIrAttr    *attr,
                GError             **error)
{
  const gint64 size = self->whole->dimensions[dimension];
  g_auto (GhloSdyAttr) axes = { 0 };

  if (!ghlo_pjrt_read_sdy (mesh->module, attr, GHLO_SDY_DIMENSION, &axes, error))
    return FALSE;
  for (guint i = 0; i < ghlo_sdy_field_n_attrs (&axes.fields[0]); i++)
    {
      GhloPjrtAxis axis;

      if (!ghlo_pjrt_mesh_find (mesh, ghlo_pjrt_sdy_get (&axes, 0, i), &axis, error)
          || !split_dimension (self, mesh, dimension, &axis, error))
        return FALSE;
    }
  if (size % self->counts[dimension] != 0)
    return ghlo_unsupported (error, "expected a dimension that divides into %" G_GINT64_FORMAT " equal parts, found "
                             "size %" G_GINT64_FORMAT, self->counts[dimension], size);

  return TRUE;
}

/* Returns the row-major number of the tile that @partition holds. */
static gsize
tile_of (const GhloPjrtSharding *self,
         guint                   partition)
{
  gsize tile = 0;

  for (guint i = 0; i < self->rank; i++)
    tile = tile * (gsize) self->counts[i] + self->parts[(gsize) partition * self->rank + i];

  return tile;
}

/* Returns number @index, in the order of the mesh, of the partitions that hold the given addend of the given tile. */
static guint
find_holder (const GhloPjrtSharding *self,
             const GhloPjrtMesh     *mesh,
             gsize                   tile,
             guint                   addend,
             gsize                   index)
{
  guint partition = 0;

  for (guint place = 0; place < self->n_partitions; place++)
    {
      partition = ghlo_pjrt_mesh_partition_at (mesh, place);
      if (tile_of (self, partition) == tile && self->addends[partition] == addend && index-- == 0)
        break;
    }

  return partition;
}

/* Writes an xla.OpSharding (xla/xla_data.proto): the type, the grid of tiles, in which a tile may have several
 * devices with copies or addends, and the devices tile by tile. */
static void
write_bytes (GhloPjrtSharding   *self,
             const GhloPjrtMesh *mesh,
             gsize               n_tiles,
             gsize               n_addends)
{
  enum { TYPE = 1, TILES = 3, DEVICES = 4, IS_REPLICATED = 6, LAST_TILES = 8 };
  enum { REPLICATED = 0, OTHER = 3, UNREDUCED = 6 };
  g_autoptr (GByteArray) bytes = g_byte_array_new (), tiles = g_byte_array_new (), devices = g_byte_array_new ();
  g_autoptr (GByteArray) last = g_byte_array_new ();
  const gsize n_copies = self->n_partitions / (n_tiles * n_addends);

  for (guint i = 0; i < self->rank; i++)
    ghlo_pjrt_append_varint (tiles, (guint64) self->counts[i]);
  if (n_copies > 1)
    {
      ghlo_pjrt_append_varint (tiles, n_copies);
      ghlo_pjrt_append_varint (last, REPLICATED);
    }
  if (n_addends > 1)
    {
      ghlo_pjrt_append_varint (tiles, n_addends);
      ghlo_pjrt_append_varint (last, UNREDUCED);
    }
  for (gsize tile = 0; tile < n_tiles; tile++)
    for (gsize copy = 0; copy < n_copies; copy++)
      for (guint addend = 0; addend < n_addends; addend++)
        ghlo_pjrt_append_varint (devices, find_holder (self, mesh, tile, addend, copy));
  ghlo_pjrt_append_number (bytes, TYPE, OTHER);
  ghlo_pjrt_append_message (bytes, TILES, tiles);
  ghlo_pjrt_append_message (bytes, DEVICES, devices);
  if (n_addends > 1)
    ghlo_pjrt_append_message (bytes, LAST_TILES, last);
  else if (n_copies > 1)
    ghlo_pjrt_append_number (bytes, IS_REPLICATED, TRUE);
  g_bytes_unref (self->bytes);
  self->bytes = g_byte_array_free_to_bytes (g_steal_pointer (&bytes));
}

/* Computes the number of tiles, and of addends of each. */
static void
count (const GhloPjrtSharding *self,
       gsize                  *n_tiles,
       gsize                  *n_addends)
{
  *n_tiles = *n_addends = 1;
  for (guint i = 0; i < self->rank && *n_tiles <= self->n_partitions; i++)
    *n_tiles *= (gsize) self->counts[i];
  for (guint i = 0; i < self->n_partitions; i++)
    *n_addends = MAX (*n_addends, self->addends[i] + 1);
}

gboolean
ghlo_pjrt_sharding_settle (GhloPjrtSharding  *self,
                           GError           **error)
{
  gint64 dimensions[GHLO_MAX_RANK];
  gsize n_tiles, n_addends, n_first = 0;

  count (self, &n_tiles, &n_addends);
  for (guint i = 0; i < self->n_partitions; i++)
    {
      self->is_first[i] = TRUE;
      for (guint j = 0; j < i; j++)
        self->is_first[i] &= tile_of (self, i) != tile_of (self, j) || self->addends[i] != self->addends[j];
      n_first += self->is_first[i];
    }
  self->is_unreduced = n_addends > 1;
  if (n_tiles > self->n_partitions || n_first != n_tiles * n_addends)
    return ghlo_invalid (error, "expected each axis once in a sharding, found one twice");
  for (guint i = 0; i < self->rank; i++)
    dimensions[i] = self->whole->dimensions[i] / self->counts[i];
  ghlo_tensor_type_unref (self->part);
  self->part = n_tiles > 1 ? ghlo_tensor_type_new_full (self->whole->element_type, dimensions, NULL, self->rank,
                                                        self->whole->quantization)
                           : ghlo_tensor_type_ref (self->whole);

  return TRUE;
}

/* Called when all dimensions are known. Returns FALSE when an axis occurs twice, so that nobody holds some part. */
static gboolean
finish (GhloPjrtSharding    *self,
        const GhloPjrtMesh  *mesh,
        GError             **error)
{
  gsize n_tiles, n_addends;

  if (!ghlo_pjrt_sharding_settle (self, error))
    return FALSE;
  count (self, &n_tiles, &n_addends);
  if (n_tiles > 1 || n_addends > 1)
    write_bytes (self, mesh, n_tiles, n_addends);

  return TRUE;
}

gboolean
ghlo_pjrt_sharding_check_sum (const GhloPjrtSharding  *self,
                              GError                 **error)
{
  const GhloElementType type = self->whole->element_type;
  GhloRefScalarOp op;

  return (self->whole->quantization == NULL
          && ghlo_ref_scalar_func_for (GHLO_OP_STABLEHLO_ADD, type, type, &op) != NULL)
         || ghlo_unsupported (error, "expected elements that can be added in an unreduced tensor, found %s",
                              ghlo_element_info (type)->name);
}

/* Reads the axes along which the tensor is the sum of what partitions hold. */
static gboolean
read_addends (GhloPjrtSharding    *self,
              const GhloPjrtMesh  *mesh,
              const GhloSdyAttr   *sharding,
              GError             **error)
{
  const gsize n = ghlo_sdy_field_n_attrs (&sharding->fields[3]);

  if (n > 0 && sharding->fields[4].integer != 0)
    return ghlo_unsupported (error, "expected a sum along unreduced axes, found '%s'",
                             ghlo_sdy_reductions[sharding->fields[4].integer]);
  if (n > 0 && !ghlo_pjrt_sharding_check_sum (self, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      GhloPjrtAxis axis;

      if (!ghlo_pjrt_mesh_find (mesh, ghlo_pjrt_sdy_get (sharding, 3, i), &axis, error))
        return FALSE;
      for (guint place = 0; place < mesh->n_partitions; place++)
        {
          guint *addend = &self->addends[ghlo_pjrt_mesh_partition_at (mesh, place)];

          *addend = *addend * (guint) axis.size + (guint) (place / axis.stride % axis.size);
          if (*addend >= mesh->n_partitions)
            return ghlo_invalid (error, "expected each axis once in a sharding, found one twice");
        }
    }

  return TRUE;
}

static gboolean
read_dimensions (GhloPjrtSharding    *self,
                 const GhloPjrtMesh  *mesh,
                 const GhloSdyAttr   *sharding,
                 GError             **error)
{
  if (mesh->is_single)
    return ghlo_unsupported (error, "expected a sharding over all partitions, found one on a single device");
  if (ghlo_sdy_field_n_attrs (&sharding->fields[1]) != self->rank)
    return ghlo_invalid (error, "expected a sharding of %u dimensions, found one of %" G_GSIZE_FORMAT, self->rank,
                         ghlo_sdy_field_n_attrs (&sharding->fields[1]));
  for (guint i = 0; i < self->rank; i++)
    if (!read_dimension (self, mesh, i, ghlo_pjrt_sdy_get (sharding, 1, i), error))
      return FALSE;

  return read_addends (self, mesh, sharding, error) && finish (self, mesh, error);
}

GhloPjrtSharding *
ghlo_pjrt_sharding_read (GhloIrModule      *module,
                         const GhloIrOp    *from,
                         const GhloIrAttr  *attr,
                         const GhloIrAttr  *axes,
                         GhloTensorType    *whole,
                         guint              n_partitions,
                         GError           **error)
{
  g_auto (GhloPjrtMesh) mesh = { 0 };
  g_auto (GhloSdyAttr) sharding = { 0 }, kept = { 0 };
  g_autoptr (GhloPjrtSharding) self = NULL;

  if (!ghlo_pjrt_read_sdy (module, attr, GHLO_SDY_SHARDING, &sharding, error)
      || !ghlo_pjrt_mesh_read (&mesh, module, from, &sharding, n_partitions, error)
      || (axes != NULL && !ghlo_pjrt_read_sdy (module, axes, GHLO_SDY_MANUAL_AXES, &kept, error)))
    return NULL;
  if (axes != NULL)
    {
      g_clear_pointer (&mesh.partitions, g_free);
      mesh.n_partitions = ghlo_pjrt_mesh_keep_axes (&mesh, &kept);
    }
  self = ghlo_pjrt_sharding_new_whole (whole, mesh.n_partitions);

  return read_dimensions (self, &mesh, &sharding, error) ? g_steal_pointer (&self) : NULL;
}

GhloPjrtSharding *
ghlo_pjrt_sharding_new (const GhloPjrtMesh  *mesh,
                        const GhloPjrtAxes  *axes,
                        GhloTensorType      *whole,
                        GError             **error)
{
  g_autoptr (GhloPjrtSharding) self = ghlo_pjrt_sharding_new_whole (whole, mesh->n_partitions);

  for (guint i = 0; i < self->rank; i++)
    for (guint j = 0; j < axes[i].n; j++)
      if (!split_dimension (self, mesh, i, &mesh->primes[axes[i].primes[j]], error))
        return NULL;

  return finish (self, mesh, error) ? g_steal_pointer (&self) : NULL;
}
