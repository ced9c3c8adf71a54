/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Specs: reading them from programs, and converting them to shardings for callers.
 */

#include "pjrt/sharding/spec.h"

#include <string.h>

GhloPjrtSpec *
ghlo_pjrt_spec_new (const GhloPjrtMesh *mesh,
                    guint               rank)
{
  GhloPjrtSpec *self = g_malloc0 (sizeof *self + rank * sizeof self->dimensions[0]);

  self->mesh = mesh;
  self->rank = rank;

  return self;
}

GhloPjrtSpec *
ghlo_pjrt_spec_copy (const GhloPjrtSpec *spec)
{
  return g_memdup2 (spec, sizeof *spec + spec->rank * sizeof spec->dimensions[0]);
}

/* Returns the one of @meshes to which @sharding refers, adding it if needed. Returns NULL, with nothing added, when
 * the mesh cannot be read. */
static const GhloPjrtMesh *
find_mesh (GhloIrModule      *module,
           const GhloIrOp    *from,
           const GhloSdyAttr *sharding,
           guint              n_partitions,
           GPtrArray         *meshes)
{
  g_auto (GhloPjrtMesh) mesh = { 0 };
  GhloPjrtMesh *added;

  if (!ghlo_pjrt_mesh_read (&mesh, module, from, sharding, n_partitions, NULL))
    return NULL;
  for (guint i = 0; i < meshes->len; i++)
    if (ghlo_pjrt_mesh_equal (meshes->pdata[i], &mesh))
      return meshes->pdata[i];
  added = g_memdup2 (&mesh, sizeof mesh);
  mesh.partitions = NULL;
  g_ptr_array_add (meshes, added);

  return added;
}

static guint
bits_of (const GhloPjrtAxes *axes)
{
  guint bits = 0;

  for (guint i = 0; i < axes->n; i++)
    bits |= 1u << axes->primes[i];

  return bits;
}

/* Reads the axes in field @field of @attr. Returns FALSE when they do not consist of whole primes, or when one of
 * them is in @seen. */
static gboolean
read_axes (const GhloPjrtMesh *mesh,
           const GhloSdyAttr  *attr,
           guint               field,
           GhloPjrtAxes       *axes,
           guint              *seen)
{
  for (guint i = 0; i < ghlo_sdy_field_n_attrs (&attr->fields[field]); i++)
    if (!ghlo_pjrt_mesh_append (mesh, ghlo_pjrt_sdy_get (attr, field, i), axes))
      return FALSE;
  if ((bits_of (axes) & *seen) != 0)
    return FALSE;
  *seen |= bits_of (axes);

  return TRUE;
}

static gboolean
read_dimensions (GhloPjrtSpec      *self,
                 GhloIrModule      *module,
                 const GhloSdyAttr *sharding)
{
  GhloPjrtAxes replicated = { 0 }, unreduced = { 0 };
  guint seen = 0;

  if (!read_axes (self->mesh, sharding, 2, &replicated, &seen)
      || !read_axes (self->mesh, sharding, 3, &unreduced, &seen))
    return FALSE;
  self->taken = seen;
  for (guint i = 0; i < self->rank; i++)
    {
      g_auto (GhloSdyAttr) dimension = { 0 };

      if (!ghlo_pjrt_read_sdy (module, ghlo_pjrt_sdy_get (sharding, 1, i), GHLO_SDY_DIMENSION, &dimension, NULL)
          || !read_axes (self->mesh, &dimension, 0, &self->dimensions[i].axes, &seen))
        return FALSE;
      self->dimensions[i].is_closed = dimension.fields[1].integer != 0;
    }

  return TRUE;
}

GhloPjrtSpec *
ghlo_pjrt_spec_read (GhloIrModule     *module,
                     const GhloIrOp   *from,
                     const GhloIrAttr *attr,
                     guint             rank,
                     guint             n_partitions,
                     GPtrArray        *meshes)
{
  g_auto (GhloSdyAttr) sharding = { 0 };
  g_autofree GhloPjrtSpec *self = NULL;
  const GhloPjrtMesh *mesh;

  if (!ghlo_pjrt_read_sdy (module, attr, GHLO_SDY_SHARDING, &sharding, NULL)
      || ghlo_sdy_field_n_attrs (&sharding.fields[1]) != rank)
    return NULL;
  mesh = find_mesh (module, from, &sharding, n_partitions, meshes);
  if (mesh == NULL)
    return NULL;
  self = ghlo_pjrt_spec_new (mesh, rank);

  return read_dimensions (self, module, &sharding) ? g_steal_pointer (&self) : NULL;
}

gboolean
ghlo_pjrt_spec_is_closed (const GhloPjrtSpec *self)
{
  for (guint i = 0; i < self->rank; i++)
    if (!self->dimensions[i].is_closed)
      return FALSE;

  return TRUE;
}

gboolean
ghlo_pjrt_spec_equal (const GhloPjrtSpec *self,
                      const GhloPjrtSpec *other)
{
  if (self->mesh != other->mesh || self->rank != other->rank || self->taken != other->taken)
    return FALSE;
  for (guint i = 0; i < self->rank; i++)
    if (self->dimensions[i].is_closed != other->dimensions[i].is_closed
        || !ghlo_pjrt_axes_equal (&self->dimensions[i].axes, &other->dimensions[i].axes))
      return FALSE;

  return TRUE;
}

/* Returns those of @axes that are in @primes or, for FALSE, those that are not. */
static GhloPjrtAxes
filter (const GhloPjrtAxes *axes,
        guint               primes,
        gboolean            is_in)
{
  GhloPjrtAxes some = { 0 };

  for (guint i = 0; i < axes->n; i++)
    if (((primes & 1u << axes->primes[i]) != 0) == is_in)
      some.primes[some.n++] = axes->primes[i];

  return some;
}

GhloPjrtSpec *
ghlo_pjrt_spec_hide (const GhloPjrtSpec *self,
                     guint               primes)
{
  GhloPjrtSpec *hidden = ghlo_pjrt_spec_copy (self);

  hidden->taken |= primes;
  for (guint i = 0; i < self->rank; i++)
    hidden->dimensions[i].axes = filter (&self->dimensions[i].axes, primes, FALSE);

  return hidden;
}

GhloPjrtSpec *
ghlo_pjrt_spec_show (const GhloPjrtSpec *self,
                     const GhloPjrtSpec *hidden,
                     guint               primes)
{
  GhloPjrtSpec *shown = ghlo_pjrt_spec_copy (self);

  for (guint i = 0; i < self->rank; i++)
    {
      GhloPjrtAxes axes = filter (&self->dimensions[i].axes, primes, TRUE);
      const GhloPjrtAxes *more = &hidden->dimensions[i].axes;

      for (guint j = 0; j < more->n && axes.n < GHLO_PJRT_MAX_PRIMES; j++)
        axes.primes[axes.n++] = more->primes[j];
      shown->dimensions[i].axes = axes;
    }

  return shown;
}

/* Keeps the leading ones of @axes whose product divides @size. */
static void
limit_by_size (GhloPjrtAxes       *axes,
               const GhloPjrtMesh *mesh,
               gint64              size)
{
  guint n = 0;

  while (n < axes->n && size % mesh->primes[axes->primes[n]].size == 0)
    size /= mesh->primes[axes->primes[n++]].size;
  axes->n = (guint8) n;
}

/* Keeps the leading ones of @axes that form whole axes of the mesh, whose primes are consecutive. */
static void
limit_to_whole_axes (GhloPjrtAxes       *axes,
                     const GhloPjrtMesh *mesh)
{
  guint n = 0;

  while (n < axes->n)
    {
      const guint first = axes->primes[n], axis = mesh->prime_axes[first];
      guint end = n;

      while (end < axes->n && axes->primes[end] == first + end - n && mesh->prime_axes[axes->primes[end]] == axis)
        end++;
      if ((first > 0 && mesh->prime_axes[first - 1] == axis)
          || (first + end - n < mesh->n_primes && mesh->prime_axes[first + end - n] == axis))
        break;
      n = end;
    }
  axes->n = (guint8) n;
}

GhloPjrtSharding *
ghlo_pjrt_spec_to_sharding (const GhloPjrtSpec *self,
                            GhloTensorType     *type)
{
  GhloPjrtAxes axes[GHLO_MAX_RANK];
  guint n = 0;

  if (self->rank != type->rank || self->mesh->is_single)
    return NULL;
  for (guint i = 0; i < self->rank; i++)
    {
      axes[i] = self->dimensions[i].axes;
      limit_by_size (&axes[i], self->mesh, type->dimensions[i]);
      if (!self->dimensions[i].is_closed)
        limit_to_whole_axes (&axes[i], self->mesh);
      n += axes[i].n;
    }

  return n > 0 ? ghlo_pjrt_sharding_new (self->mesh, axes, type, NULL) : NULL;
}
