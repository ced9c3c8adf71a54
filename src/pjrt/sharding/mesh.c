/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads meshes and references to their axes.
 */

#include "pjrt/sharding/mesh.h"

#include <string.h>

#include "base/fail.h"

void
ghlo_pjrt_mesh_clear (GhloPjrtMesh *self)
{
  g_clear_pointer (&self->partitions, g_free);
}

void
ghlo_pjrt_mesh_free (GhloPjrtMesh *self)
{
  ghlo_pjrt_mesh_clear (self);
  g_free (self);
}

gboolean
ghlo_pjrt_read_sdy (GhloIrModule      *module,
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

static const char *
get_name (const GhloSdyAttr *self)
{
  return ghlo_sdy_field_n_attrs (&self->fields[0]) > 0 ? ghlo_pjrt_sdy_get (self, 0, 0)->text : "";
}

static gboolean
read_axes (GhloPjrtMesh       *self,
           const GhloSdyAttr  *mesh,
           GError            **error)
{
  gint64 stride = 1;

  self->n_axes = (guint) ghlo_sdy_field_n_attrs (&mesh->fields[0]);
  if (self->n_axes > GHLO_PJRT_MAX_AXES)
    return ghlo_unsupported (error, "expected a mesh of at most %d axes, found %u", GHLO_PJRT_MAX_AXES, self->n_axes);
  for (guint i = self->n_axes; i-- > 0;)
    {
      g_auto (GhloSdyAttr) axis = { 0 };

      if (!ghlo_pjrt_read_sdy (self->module, ghlo_pjrt_sdy_get (mesh, 0, i), GHLO_SDY_MESH_AXIS, &axis, error))
        return FALSE;
      self->names[i] = get_name (&axis);
      self->sizes[i] = axis.fields[1].integer;
      self->strides[i] = stride;
      if (self->sizes[i] < 1 || self->sizes[i] > (gint64) self->n_partitions)
        return ghlo_unsupported (error, "expected a mesh of the program's %u partitions, found an axis '%s' of size %"
                                 G_GINT64_FORMAT, self->n_partitions, self->names[i], self->sizes[i]);
      stride *= self->sizes[i];
      if (stride > (gint64) self->n_partitions)
        break;
    }
  if (self->n_axes > 0 && stride != (gint64) self->n_partitions)
    return ghlo_unsupported (error, "expected a mesh of the program's %u partitions, found another size",
                             self->n_partitions);

  return TRUE;
}

static gboolean
list_primes (GhloPjrtMesh  *self,
             GError       **error)
{
  for (guint i = 0; i < self->n_axes; i++)
    {
      gint64 rest = self->sizes[i];

      for (gint64 prime = 2; rest > 1; prime++)
        for (; rest % prime == 0; rest /= prime)
          {
            if (self->n_primes == GHLO_PJRT_MAX_PRIMES)
              return ghlo_unsupported (error, "expected a mesh of at most %d partitions", 1 << GHLO_PJRT_MAX_PRIMES);
            self->prime_axes[self->n_primes] = i;
            self->primes[self->n_primes++] = (GhloPjrtAxis) { prime, self->strides[i] * (rest / prime) };
          }
    }

  return TRUE;
}

/* Reads the partition of each place. */
static gboolean
read_partitions (GhloPjrtMesh       *self,
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

gboolean
ghlo_pjrt_mesh_read (GhloPjrtMesh       *self,
                     GhloIrModule       *module,
                     const GhloIrOp     *from,
                     const GhloSdyAttr  *sharding,
                     guint               n_partitions,
                     GError            **error)
{
  g_auto (GhloSdyAttr) mesh = { 0 };
  const GhloIrAttr *attr;

  *self = (GhloPjrtMesh) { .module = module, .n_partitions = n_partitions };
  if (ghlo_sdy_field_n_attrs (&sharding->fields[0]) == 0)
    return ghlo_invalid (error, "expected a sharding over a mesh, found one without");
  attr = ghlo_pjrt_sdy_get (sharding, 0, 0);
  if (attr->kind == GHLO_IR_ATTR_SYMBOL)
    {
      const GhloIrOp *op = ghlo_ir_op_find_symbol (from, attr->text);

      if (op == NULL || op->kind != GHLO_OP_SDY_MESH)
        return ghlo_invalid (error, "expected the name of a mesh in the program, found @%s", attr->text);
      attr = ghlo_ir_op_get (op, "mesh");
    }

  return ghlo_pjrt_read_sdy (module, attr, GHLO_SDY_MESH, &mesh, error) && read_axes (self, &mesh, error)
         && list_primes (self, error) && read_partitions (self, &mesh, error);
}

gboolean
ghlo_pjrt_mesh_equal (const GhloPjrtMesh *self,
                      const GhloPjrtMesh *other)
{
  if (self->n_axes != other->n_axes || self->n_partitions != other->n_partitions
      || self->is_single != other->is_single)
    return FALSE;
  for (guint i = 0; i < self->n_axes; i++)
    if (self->sizes[i] != other->sizes[i] || g_strcmp0 (self->names[i], other->names[i]) != 0)
      return FALSE;
  for (guint i = 0; i < self->n_partitions; i++)
    if (ghlo_pjrt_mesh_partition_at (self, i) != ghlo_pjrt_mesh_partition_at (other, i))
      return FALSE;

  return TRUE;
}

static gboolean
is_named (const GhloSdyAttr *axes,
          const char        *name)
{
  for (guint i = 0; i < ghlo_sdy_field_n_attrs (&axes->fields[0]); i++)
    if (g_strcmp0 (ghlo_pjrt_sdy_get (axes, 0, i)->text, name) == 0)
      return TRUE;

  return FALSE;
}

guint
ghlo_pjrt_mesh_keep_axes (GhloPjrtMesh      *self,
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

/* A reference to a sub-axis: @size indices of axis @axis, the product of whose more significant factors is @before. */
typedef struct
{
  guint  axis;
  gint64 before, size;
} Reference;

static gboolean
read_reference (const GhloPjrtMesh  *self,
                const GhloIrAttr    *attr,
                Reference           *reference,
                GError             **error)
{
  g_auto (GhloSdyAttr) axis = { 0 }, sub_axis = { 0 };
  guint i = 0;

  if (!ghlo_pjrt_read_sdy (self->module, attr, GHLO_SDY_AXIS, &axis, error))
    return FALSE;
  while (i < self->n_axes && g_strcmp0 (self->names[i], get_name (&axis)) != 0)
    i++;
  if (i == self->n_axes)
    return ghlo_invalid (error, "expected an axis of the mesh in a sharding, found '%s'", get_name (&axis));
  *reference = (Reference) { i, 1, self->sizes[i] };
  if (ghlo_sdy_field_n_attrs (&axis.fields[1]) == 0)
    return TRUE;
  if (!ghlo_pjrt_read_sdy (self->module, ghlo_pjrt_sdy_get (&axis, 1, 0), GHLO_SDY_SUB_AXIS, &sub_axis, error))
    return FALSE;
  reference->before = sub_axis.fields[0].integer;
  reference->size = sub_axis.fields[1].integer;
  if (reference->before < 1 || reference->before > self->sizes[i] || reference->size < 1
      || reference->size > self->sizes[i] || self->sizes[i] % (reference->before * reference->size) != 0)
    return ghlo_invalid (error, "expected a sub-axis that divides axis '%s' of size %" G_GINT64_FORMAT, self->names[i],
                         self->sizes[i]);

  return TRUE;
}

gboolean
ghlo_pjrt_mesh_find (const GhloPjrtMesh  *self,
                     const GhloIrAttr    *reference,
                     GhloPjrtAxis        *axis,
                     GError             **error)
{
  Reference found;

  if (!read_reference (self, reference, &found, error))
    return FALSE;
  *axis = (GhloPjrtAxis) { 1, 1 };
  if (self->strides[found.axis] > 0)
    *axis = (GhloPjrtAxis) { found.size, self->strides[found.axis]
                                         * (self->sizes[found.axis] / (found.before * found.size)) };

  return TRUE;
}

gboolean
ghlo_pjrt_mesh_append (const GhloPjrtMesh *self,
                       const GhloIrAttr   *reference,
                       GhloPjrtAxes       *axes)
{
  Reference found;
  gint64 before = 1, size = 1;

  if (!read_reference (self, reference, &found, NULL))
    return FALSE;
  for (guint i = 0; i < self->n_primes && size < found.size; i++)
    {
      if (self->prime_axes[i] != found.axis)
        continue;
      if (before < found.before)
        before *= self->primes[i].size;
      else if (before > found.before || axes->n == GHLO_PJRT_MAX_PRIMES
               || memchr (axes->primes, (int) i, axes->n) != NULL)
        return FALSE;
      else
        {
          axes->primes[axes->n++] = (guint8) i;
          size *= self->primes[i].size;
        }
    }

  return size == found.size && before == found.before;
}
