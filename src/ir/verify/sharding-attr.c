/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Checks an attribute of sdy by itself: its syntax, the sizes, names and devices of a mesh, the steps and ends of
 * propagation edges.
 */

#include "ir/verify/sharding.h"

static char *
axis_problem (const GhloSdyAttr *self)
{
  const gint64 size = self->fields[1].integer;

  return size > 0 ? NULL : g_strdup_printf ("expected an axis of a mesh to have a size of at least 1, found %"
                                            G_GINT64_FORMAT, size);
}

/* Checks that no two axes have one name, and sets *@size to the product of the sizes, or -1 if it is too large. */
static char *
axes_problem (const GhloSdyAttr *self,
              GhloIrModule      *module,
              gint64            *size)
{
  g_autoptr (GHashTable) names = g_hash_table_new (NULL, NULL);

  *size = 1;
  for (gsize i = 0; i < ghlo_sdy_field_n_attrs (&self->fields[0]); i++)
    {
      g_auto (GhloSdyAttr) axis;
      const GhloIrAttr *name;

      if (!ghlo_ir_sdy_read (&axis, module, ghlo_ir_sdy_child (self, 0, i), GHLO_SDY_MESH_AXIS))
        continue;
      name = ghlo_ir_sdy_child (&axis, 0, 0);
      if (!g_hash_table_add (names, (gpointer) name))
        return g_strdup_printf ("expected axes of a mesh with different names, found \"%s\" twice", name->text);
      if (*size < 0 || __builtin_mul_overflow (*size, axis.fields[1].integer, size))
        *size = -1;
    }

  return NULL;
}

/* Checks device_ids: each device once. */
static char *
devices_problem (const GhloSdyField *devices,
                 gint64              size)
{
  const gsize n = ghlo_sdy_field_n_integers (devices);
  g_autofree gboolean *seen = g_new0 (gboolean, n + 1);

  if (n == 0)
    return NULL;
  if (size != (gint64) n)
    return g_strdup_printf ("expected device_ids for each device of the mesh, found %" G_GSIZE_FORMAT, n);
  for (gsize i = 0; i < n; i++)
    {
      const gint64 id = ghlo_ir_sdy_integer (devices, i);

      if (id >= (gint64) n || seen[id])
        return g_strdup_printf ("expected device_ids to have each of %" G_GSIZE_FORMAT " devices once, found %"
                                G_GINT64_FORMAT "%s", n, id, id < (gint64) n ? " twice" : "");
      seen[id] = TRUE;
    }

  return NULL;
}

static char *
mesh_problem (const GhloSdyAttr *self,
              GhloIrModule      *module)
{
  const GhloSdyField *devices = &self->fields[1];
  const gsize n = ghlo_sdy_field_n_integers (devices);
  gint64 size;
  char *problem;

  for (gsize i = 0; i < n; i++)
    if (ghlo_ir_sdy_integer (devices, i) < 0)
      return g_strdup_printf ("expected devices of a mesh of at least 0, found %" G_GINT64_FORMAT,
                              ghlo_ir_sdy_integer (devices, i));
  if (ghlo_sdy_field_n_attrs (&self->fields[0]) == 0)
    return n <= 1 ? NULL : g_strdup_printf ("expected at most one device of a mesh without axes, found %"
                                            G_GSIZE_FORMAT, n);
  problem = axes_problem (self, module, &size);

  return problem != NULL ? problem : devices_problem (devices, size);
}

static char *
edge_problem (const GhloSdyAttr *self)
{
  g_autoptr (GHashTable) targets = g_hash_table_new (NULL, NULL);
  const GhloIrAttr *source = ghlo_ir_sdy_child (self, 1, 0);

  for (gsize i = 0; i < ghlo_sdy_field_n_attrs (&self->fields[2]); i++)
    {
      const GhloIrAttr *target = ghlo_ir_sdy_child (self, 2, i);

      if (target == source)
        return g_strdup ("expected targets of propagation that are not its source, found the source");
      if (!g_hash_table_add (targets, (gpointer) target))
        return g_strdup ("expected each target of propagation once, found one twice");
    }

  return NULL;
}

/* A GCompareFunc. */
static int
compare_integers (gconstpointer a,
                  gconstpointer b)
{
  const gint64 left = *(const gint64 *) a, right = *(const gint64 *) b;

  return (left > right) - (left < right);
}

static char *
steps_problem (const GhloSdyAttr *self,
               GhloIrModule      *module)
{
  g_autoptr (GArray) indices = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (gsize i = 0; i < ghlo_sdy_field_n_attrs (&self->fields[0]); i++)
    {
      g_auto (GhloSdyAttr) step;

      if (!ghlo_ir_sdy_read (&step, module, ghlo_ir_sdy_child (self, 0, i), GHLO_SDY_EDGE_STEP))
        continue;
      if (step.fields[0].integer < 0)
        return g_strdup_printf ("expected steps of propagation of at least 0, found %" G_GINT64_FORMAT,
                                step.fields[0].integer);
      g_array_append_val (indices, step.fields[0].integer);
    }
  g_array_sort (indices, compare_integers);
  for (guint i = 1; i < indices->len; i++)
    if (compare_integers (&g_array_index (indices, gint64, i), &g_array_index (indices, gint64, i - 1)) == 0)
      return g_strdup_printf ("expected each step of propagation once, found %" G_GINT64_FORMAT " twice",
                              g_array_index (indices, gint64, i));

  return NULL;
}

static char *
own_problem (const GhloSdyAttr *self,
             GhloIrModule      *module)
{
  switch ((guint) self->kind)
    {
    case GHLO_SDY_MESH_AXIS:
      return axis_problem (self);
    case GHLO_SDY_MESH:
      return mesh_problem (self, module);
    case GHLO_SDY_EDGE:
      return edge_problem (self);
    case GHLO_SDY_EDGES:
      return steps_problem (self, module);
    default:
      return NULL;
    }
}

/* The nesting is that of the formats, a few levels. */
char *
ghlo_ir_sdy_problem (GhloIrModule     *module,
                     const GhloIrAttr *attr)
{
  g_auto (GhloSdyAttr) self;
  char *problem = ghlo_sdy_attr_parse (&self, module, attr);

  for (guint i = 0; problem == NULL && i < GHLO_SDY_MAX_FIELDS; i++)
    for (gsize j = 0; problem == NULL && j < ghlo_sdy_field_n_attrs (&self.fields[i]); j++)
      if (ghlo_ir_sdy_child (&self, i, j)->kind == GHLO_IR_ATTR_OPAQUE)
        problem = ghlo_ir_sdy_problem (module, ghlo_ir_sdy_child (&self, i, j));

  return problem != NULL ? problem : own_problem (&self, module);
}
