/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From sdy's sharding of a tensor to the parts that partitions hold. A mesh is a grid of partitions with named axes,
 * the last one changing fastest; dimensions of tensors lie along axes, or along sub-axes, "x":(2)4 being 4 places along
 * x that are |x| / (2 * 4) apart. Programs come from strangers: all is checked.
 */

#include "pjrt/sharding.h"

#include <string.h>

#include "base/fail.h"
#include "import/sdy-attr.h"
#include "pjrt/compile-options.h"
#include "reference/kernel.h"

enum { MAX_AXES = 64 };

typedef struct
{
  GhloIrModule *module;
  guint         n_partitions;
  guint         n_axes;
  const char   *names[MAX_AXES];
  gint64        sizes[MAX_AXES];
  gint64        strides[MAX_AXES];      /* places from one index to the next; 0 for an axis that does not count */
  guint        *partitions;             /* owned; by place; NULL where the number of a place is its partition's */
  gboolean      is_single;              /* no grid but one device of several */
} Mesh;

static void
mesh_clear (Mesh *self)
{
  g_free (self->partitions);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Mesh, mesh_clear)

/* @attr as an attribute of @kind; clear it in any case. */
static gboolean
read_attr (GhloIrModule      *module,
           const GhloIrAttr  *attr,
           GhloSdyKind        kind,
           GhloSdyAttr       *read,
           GError           **error)
{
  g_autofree char *problem = NULL;

  ghlo_sdy_attr_init (read, kind);
  if (attr == NULL || !ghlo_sdy_attr_is (attr, kind))
    return ghlo_invalid (error, "expected an attribute #sdy.%s for a sharding", ghlo_sdy_specs[kind].mnemonic);
  problem = ghlo_sdy_attr_parse (read, module, attr);
  if (problem != NULL)
    return ghlo_invalid (error, "#%s: %s", attr->text, problem);

  return TRUE;
}

static const GhloIrAttr *
get_attr (const GhloSdyAttr *self,
          guint              field,
          guint              index)
{
  return self->fields[field].attrs->pdata[index];
}

static const char *
get_name (const GhloSdyAttr *self)
{
  return ghlo_sdy_field_n_attrs (&self->fields[0]) > 0 ? get_attr (self, 0, 0)->text : "";
}

static gboolean
read_axes (Mesh               *self,
           const GhloSdyAttr  *mesh,
           GError            **error)
{
  gint64 stride = 1;

  self->n_axes = (guint) ghlo_sdy_field_n_attrs (&mesh->fields[0]);
  if (self->n_axes > MAX_AXES)
    return ghlo_unsupported (error, "expected a mesh of at most %d axes, found %u", MAX_AXES, self->n_axes);
  for (guint i = self->n_axes; i-- > 0;)
    {
      g_auto (GhloSdyAttr) axis = { 0 };

      if (!read_attr (self->module, get_attr (mesh, 0, i), GHLO_SDY_MESH_AXIS, &axis, error))
        return FALSE;
      self->names[i] = get_name (&axis);
      self->sizes[i] = axis.fields[1].integer;
      self->strides[i] = stride;
      if (self->sizes[i] < 1 || self->sizes[i] > (gint64) self->n_partitions)
        return ghlo_unsupported (error, "expected a mesh of the program's %u partitions, found an axis '%s' of %"
                            G_GINT64_FORMAT, self->n_partitions, self->names[i], self->sizes[i]);
      stride *= self->sizes[i];
      if (stride > (gint64) self->n_partitions)
        break;
    }
  if (self->n_axes > 0 && stride != (gint64) self->n_partitions)
    return ghlo_unsupported (error, "expected a mesh of the program's %u partitions, found another one",
                        self->n_partitions);

  return TRUE;
}

/* Which partition is at which place. */
static gboolean
read_partitions (Mesh               *self,
                 const GhloSdyAttr  *mesh,
                 GError            **error)
{
  const gsize n = ghlo_sdy_field_n_integers (&mesh->fields[1]);
  g_autofree gboolean *seen = g_new0 (gboolean, self->n_partitions);

  self->is_single = self->n_axes == 0 && n == 1;
  if (n == 0 || self->is_single)
    return TRUE;
  if (n != self->n_partitions)
    return ghlo_invalid (error, "expected %u device_ids of a mesh, found %" G_GSIZE_FORMAT, self->n_partitions, n);
  self->partitions = g_new (guint, n);
  for (gsize i = 0; i < n; i++)
    {
      gint64 id = g_array_index (mesh->fields[1].integers, gint64, i);

      if (id < 0 || id >= (gint64) n || seen[id])
        return ghlo_invalid (error, "expected each of the %" G_GSIZE_FORMAT " partitions once in a mesh, found %"
                             G_GINT64_FORMAT, n, id);
      seen[id] = TRUE;
      self->partitions[i] = (guint) id;
    }

  return TRUE;
}

/* The mesh of @sharding, by its name or written out. */
static gboolean
read_mesh (Mesh               *self,
           const GhloIrOp     *from,
           const GhloSdyAttr  *sharding,
           GError            **error)
{
  g_auto (GhloSdyAttr) mesh = { 0 };
  const GhloIrAttr *attr;

  if (ghlo_sdy_field_n_attrs (&sharding->fields[0]) == 0)
    return ghlo_invalid (error, "expected a mesh of a sharding, found none");
  attr = get_attr (sharding, 0, 0);
  if (attr->kind == GHLO_IR_ATTR_SYMBOL)
    {
      const GhloIrOp *op = ghlo_ir_op_find_symbol (from, attr->text);

      if (op == NULL || op->kind != GHLO_OP_SDY_MESH)
        return ghlo_invalid (error, "expected a mesh of the program's, found @%s", attr->text);
      attr = ghlo_ir_op_get (op, "mesh");
    }

  return read_attr (self->module, attr, GHLO_SDY_MESH, &mesh, error) && read_axes (self, &mesh, error)
         && read_partitions (self, &mesh, error);
}

/* An axis that a dimension lies along, or a part of one: @size places that are @stride apart. */
typedef struct
{
  gint64 size, stride;
} Part;

static gboolean
find_part (const Mesh         *mesh,
           const GhloIrAttr   *reference,
           Part               *part,
           GError            **error)
{
  g_auto (GhloSdyAttr) axis = { 0 }, sub_axis = { 0 };
  gint64 before = 1;
  guint i = 0;

  if (!read_attr (mesh->module, reference, GHLO_SDY_AXIS, &axis, error))
    return FALSE;
  while (i < mesh->n_axes && g_strcmp0 (mesh->names[i], get_name (&axis)) != 0)
    i++;
  if (i == mesh->n_axes)
    return ghlo_invalid (error, "expected an axis of the mesh in a sharding, found '%s'", get_name (&axis));
  part->size = mesh->sizes[i];
  if (mesh->strides[i] == 0)
    {
      *part = (Part) { 1, 1 };
      return TRUE;
    }
  if (ghlo_sdy_field_n_attrs (&axis.fields[1]) > 0)
    {
      if (!read_attr (mesh->module, get_attr (&axis, 1, 0), GHLO_SDY_SUB_AXIS, &sub_axis, error))
        return FALSE;
      before = sub_axis.fields[0].integer;
      part->size = sub_axis.fields[1].integer;
      if (before < 1 || before > mesh->sizes[i] || part->size < 1 || part->size > mesh->sizes[i]
          || mesh->sizes[i] % (before * part->size) != 0)
        return ghlo_invalid (error, "expected a part of axis '%s' of %" G_GINT64_FORMAT " in a sharding",
                             mesh->names[i], mesh->sizes[i]);
    }
  part->stride = mesh->strides[i] * (mesh->sizes[i] / (before * part->size));

  return TRUE;
}

static guint
partition_at (const Mesh *mesh,
              guint       place)
{
  return mesh->partitions != NULL ? mesh->partitions[place] : place;
}

/* Splits dimension @dimension along one more axis, inside of those before it. */
static gboolean
split_dimension (GhloPjrtSharding  *self,
                 const Mesh        *mesh,
                 guint              dimension,
                 const GhloIrAttr  *reference,
                 GError           **error)
{
  Part part;

  if (!find_part (mesh, reference, &part, error))
    return FALSE;
  self->counts[dimension] *= part.size;
  if (self->counts[dimension] > (gint64) mesh->n_partitions)
    return ghlo_invalid (error, "expected each axis once in a sharding, found one of more parts than the mesh has");
  for (guint place = 0; place < mesh->n_partitions; place++)
    {
      guint *index = &self->parts[(gsize) partition_at (mesh, place) * self->rank + dimension];

      *index = *index * (guint) part.size + (guint) (place / part.stride % part.size);
    }

  return TRUE;
}

static gboolean
read_dimension (GhloPjrtSharding  *self,
                const Mesh        *mesh,
                guint              dimension,
                const GhloIrAttr  *attr,
                GError           **error)
{
  const gint64 size = self->whole->dimensions[dimension];
  g_auto (GhloSdyAttr) axes = { 0 };

  if (!read_attr (mesh->module, attr, GHLO_SDY_DIMENSION, &axes, error))
    return FALSE;
  for (guint i = 0; i < ghlo_sdy_field_n_attrs (&axes.fields[0]); i++)
    if (!split_dimension (self, mesh, dimension, get_attr (&axes, 0, i), error))
      return FALSE;
  if (size % self->counts[dimension] != 0)
    return ghlo_unsupported (error, "expected a dimension in %" G_GINT64_FORMAT " equal parts, found one of %"
                        G_GINT64_FORMAT, self->counts[dimension], size);

  return TRUE;
}

/* The number of what @partition holds, row by row. */
static gsize
tile_of (const GhloPjrtSharding *self,
         guint                   partition)
{
  gsize tile = 0;

  for (guint i = 0; i < self->rank; i++)
    tile = tile * (gsize) self->counts[i] + self->parts[(gsize) partition * self->rank + i];

  return tile;
}

/* The partition that is number @index, in the order of the mesh, of those that hold that addend of that tile. */
static guint
find_holder (const GhloPjrtSharding *self,
             const Mesh             *mesh,
             gsize                   tile,
             guint                   addend,
             gsize                   index)
{
  guint partition = 0;

  for (guint place = 0; place < self->n_partitions; place++)
    {
      partition = partition_at (mesh, place);
      if (tile_of (self, partition) == tile && self->addends[partition] == addend && index-- == 0)
        break;
    }

  return partition;
}

/* xla.OpSharding (xla/xla_data.proto): the type, the tiles, which may have several devices each with copies or addends,
 * and these tile by tile. */
static void
write_bytes (GhloPjrtSharding *self,
             const Mesh       *mesh,
             gsize             n_tiles,
             gsize             n_addends)
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

/* When all dimensions are known. FALSE where an axis was there twice, so that some part is nobody's. */
static gboolean
finish (GhloPjrtSharding  *self,
        const Mesh        *mesh,
        GError           **error)
{
  gint64 dimensions[GHLO_MAX_RANK];
  gsize n_tiles = 1, n_first = 0, n_addends = 1;

  for (guint i = 0; i < self->rank; i++)
    {
      dimensions[i] = self->whole->dimensions[i] / self->counts[i];
      n_tiles *= (gsize) self->counts[i];
      if (n_tiles > self->n_partitions)
        break;
    }
  for (guint i = 0; i < self->n_partitions; i++)
    {
      self->is_first[i] = TRUE;
      for (guint j = 0; j < i; j++)
        self->is_first[i] &= tile_of (self, i) != tile_of (self, j) || self->addends[i] != self->addends[j];
      n_first += self->is_first[i];
      n_addends = MAX (n_addends, self->addends[i] + 1);
    }
  self->is_sum = n_addends > 1;
  if (n_tiles > self->n_partitions || n_first != n_tiles * n_addends)
    return ghlo_invalid (error, "expected each axis once in a sharding, found one twice");
  if (n_tiles == 1 && n_addends == 1)
    return TRUE;
  write_bytes (self, mesh, n_tiles, n_addends);
  ghlo_tensor_type_unref (self->part);
  self->part = ghlo_tensor_type_new_full (self->whole->element_type, dimensions, NULL, self->rank,
                                          self->whole->quantization);

  return TRUE;
}

/* Along which axes the tensor is the sum of what partitions hold. */
static gboolean
read_addends (GhloPjrtSharding   *self,
              const Mesh         *mesh,
              const GhloSdyAttr  *sharding,
              GError            **error)
{
  const gsize n = ghlo_sdy_field_n_attrs (&sharding->fields[3]);
  const GhloElementType type = self->whole->element_type;
  GhloRefScalarOp op;

  if (n > 0 && (sharding->fields[4].integer != 0 || self->whole->quantization != NULL
                || ghlo_ref_scalar_func_for (GHLO_OP_STABLEHLO_ADD, type, type, &op) == NULL))
    return ghlo_unsupported (error, "expected sums of numbers along unreduced axes, found something else");
  for (guint i = 0; i < n; i++)
    {
      Part part;

      if (!find_part (mesh, get_attr (sharding, 3, i), &part, error))
        return FALSE;
      for (guint place = 0; place < mesh->n_partitions; place++)
        {
          guint *addend = &self->addends[partition_at (mesh, place)];

          *addend = *addend * (guint) part.size + (guint) (place / part.stride % part.size);
          if (*addend >= mesh->n_partitions)
            return ghlo_invalid (error, "expected each axis once in a sharding, found one twice");
        }
    }

  return TRUE;
}

static gboolean
read_dimensions (GhloPjrtSharding   *self,
                 const Mesh         *mesh,
                 const GhloSdyAttr  *sharding,
                 GError            **error)
{
  if (mesh->is_single)
    return ghlo_unsupported (error, "expected a sharding over all partitions, found one on one of them");
  if (ghlo_sdy_field_n_attrs (&sharding->fields[1]) != self->rank)
    return ghlo_invalid (error, "expected a sharding of %u dimensions, found one of %" G_GSIZE_FORMAT, self->rank,
                         ghlo_sdy_field_n_attrs (&sharding->fields[1]));
  for (guint i = 0; i < self->rank; i++)
    if (!read_dimension (self, mesh, i, get_attr (sharding, 1, i), error))
      return FALSE;

  return read_addends (self, mesh, sharding, error) && finish (self, mesh, error);
}

static gboolean
is_named (const GhloSdyAttr *axes,
          const char        *name)
{
  for (guint i = 0; i < ghlo_sdy_field_n_attrs (&axes->fields[0]); i++)
    if (g_strcmp0 (get_attr (axes, 0, i)->text, name) == 0)
      return TRUE;

  return FALSE;
}

/* Along @axes: strides of positions in place of those of places, 0 along other axes. The number of positions. */
static guint
keep_axes (Mesh              *self,
           const GhloSdyAttr *axes)
{
  gint64 stride = 1;

  for (guint i = self->n_axes; i-- > 0;)
    {
      const gboolean is_kept = is_named (axes, self->names[i]);

      self->strides[i] = is_kept ? stride : 0;
      stride *= is_kept ? self->sizes[i] : 1;
    }

  return (guint) stride;
}

/* The mesh of @attr, whole. */
static gboolean
find_mesh (Mesh              *self,
           const GhloIrOp    *from,
           const GhloIrAttr  *attr,
           GhloSdyAttr       *sharding,
           GError           **error)
{
  return read_attr (self->module, attr, GHLO_SDY_SHARDING, sharding, error) && read_mesh (self, from, sharding, error);
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
  g_auto (Mesh) mesh = { .module = module, .n_partitions = n_partitions };
  g_auto (GhloSdyAttr) sharding = { 0 }, kept = { 0 };
  g_autoptr (GhloPjrtSharding) self = NULL;

  if (!find_mesh (&mesh, from, attr, &sharding, error)
      || (axes != NULL && !read_attr (module, axes, GHLO_SDY_MANUAL_AXES, &kept, error)))
    return NULL;
  if (axes != NULL)
    {
      g_clear_pointer (&mesh.partitions, g_free);
      mesh.n_partitions = keep_axes (&mesh, &kept);
    }
  self = ghlo_pjrt_sharding_new_whole (whole, mesh.n_partitions);

  return read_dimensions (self, &mesh, &sharding, error) ? g_steal_pointer (&self) : NULL;
}

void
ghlo_pjrt_positions_clear (GhloPjrtPositions *self)
{
  g_clear_pointer (&self->offsets, g_free);
  g_clear_pointer (&self->positions, g_free);
  g_clear_pointer (&self->partitions, g_free);
  g_clear_pointer (&self->places, g_free);
}

gboolean
ghlo_pjrt_positions_read (GhloPjrtPositions  *self,
                          GhloIrModule       *module,
                          const GhloIrOp     *from,
                          const GhloIrAttr   *attr,
                          const GhloIrAttr   *axes,
                          guint               n_partitions,
                          GError            **error)
{
  g_auto (Mesh) mesh = { .module = module, .n_partitions = n_partitions };
  g_auto (GhloSdyAttr) sharding = { 0 }, kept = { 0 };
  gint64 strides[MAX_AXES];

  if (!find_mesh (&mesh, from, attr, &sharding, error)
      || !read_attr (module, axes, GHLO_SDY_MANUAL_AXES, &kept, error))
    return FALSE;
  memcpy (strides, mesh.strides, sizeof strides);
  *self = (GhloPjrtPositions) {
    .n_partitions = n_partitions, .n = keep_axes (&mesh, &kept), .positions = g_new0 (guint, n_partitions),
    .partitions = g_new (guint, n_partitions), .places = g_new (guint, n_partitions),
  };
  self->offsets = g_new0 (guint, self->n);
  for (guint place = 0; place < n_partitions; place++)
    {
      guint offset = 0;

      for (guint i = 0; i < mesh.n_axes; i++)
        if (mesh.strides[i] > 0)
          {
            guint index = (guint) (place / strides[i] % mesh.sizes[i]);

            self->positions[place] += index * (guint) mesh.strides[i];
            offset += index * (guint) strides[i];
          }
      self->offsets[self->positions[place]] = offset;
      self->partitions[place] = partition_at (&mesh, place);
      self->places[self->partitions[place]] = place;
    }

  return TRUE;
}
