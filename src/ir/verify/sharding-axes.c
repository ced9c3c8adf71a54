/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Meshes of sdy and lists of their axes. A part of an axis, "x":(2)4, has the places of x that remain when the axis is
 * split by 2 and then by 4.
 */

#include "ir/verify/sharding.h"

void
ghlo_ir_mesh_clear (GhloIrMesh *self)
{
  ghlo_sdy_attr_clear (&self->attr);
  g_clear_pointer (&self->sizes, g_free);
  g_clear_pointer (&self->indices, g_hash_table_unref);
}

static const GhloIrAttr *
find_mesh (const GhloIrOp   *from,
           const GhloIrAttr *mesh_or_name)
{
  const GhloIrOp *op;

  if (mesh_or_name->kind != GHLO_IR_ATTR_SYMBOL)
    return mesh_or_name;
  op = ghlo_ir_op_find_symbol (from, mesh_or_name->text);

  return op != NULL && op->kind == GHLO_OP_SDY_MESH ? ghlo_ir_op_get (op, "mesh") : NULL;
}

/* Drops device_ids that a mesh has anyway. */
static void
drop_usual_devices (GhloSdyAttr *mesh)
{
  const gsize n = ghlo_sdy_field_n_integers (&mesh->fields[1]);
  gboolean in_order = n > 0 && ghlo_sdy_field_n_attrs (&mesh->fields[0]) > 0;

  for (gsize i = 0; in_order && i < n; i++)
    in_order = ghlo_ir_sdy_integer (&mesh->fields[1], i) == (gint64) i;
  if (in_order)
    g_clear_pointer (&mesh->fields[1].integers, g_array_unref);
}

char *
ghlo_ir_mesh_read (GhloIrMesh        *self,
                   GhloIrModule      *module,
                   const GhloIrOp    *from,
                   const GhloSdyAttr *sharding)
{
  const GhloIrAttr *named = ghlo_ir_sdy_child (sharding, 0, 0);
  gsize n;

  *self = (GhloIrMesh) { 0 };
  if (!ghlo_ir_sdy_read (&self->attr, module, find_mesh (from, named), GHLO_SDY_MESH))
    return g_strdup_printf ("expected the name of a mesh of the program, found '%s'",
                            named->kind == GHLO_IR_ATTR_SYMBOL ? named->text : "");
  drop_usual_devices (&self->attr);
  n = ghlo_sdy_field_n_attrs (&self->attr.fields[0]);
  self->sizes = g_new0 (gint64, n + 1);
  self->indices = g_hash_table_new (NULL, NULL);
  for (gsize i = 0; i < n; i++)
    {
      g_auto (GhloSdyAttr) axis;

      if (!ghlo_ir_sdy_read (&axis, module, ghlo_ir_sdy_child (&self->attr, 0, i), GHLO_SDY_MESH_AXIS))
        continue;
      self->sizes[i] = axis.fields[1].integer;
      g_hash_table_insert (self->indices, (gpointer) ghlo_ir_sdy_child (&axis, 0, 0), GSIZE_TO_POINTER (i + 1));
    }

  return NULL;
}

gboolean
ghlo_ir_mesh_equal (const GhloIrMesh *self,
                    const GhloIrMesh *other)
{
  const GhloSdyField *axes = &self->attr.fields[0], *other_axes = &other->attr.fields[0];
  const GhloSdyField *devices = &self->attr.fields[1], *other_devices = &other->attr.fields[1];

  if (ghlo_sdy_field_n_attrs (axes) != ghlo_sdy_field_n_attrs (other_axes)
      || ghlo_sdy_field_n_integers (devices) != ghlo_sdy_field_n_integers (other_devices))
    return FALSE;
  for (gsize i = 0; i < ghlo_sdy_field_n_attrs (axes); i++)
    if (ghlo_ir_sdy_child (&self->attr, 0, i) != ghlo_ir_sdy_child (&other->attr, 0, i))
      return FALSE;
  for (gsize i = 0; i < ghlo_sdy_field_n_integers (devices); i++)
    if (ghlo_ir_sdy_integer (devices, i) != ghlo_ir_sdy_integer (other_devices, i))
      return FALSE;

  return TRUE;
}

/* Reads a reference to an axis. */
static char *
read_axis (GhloIrMeshAxis   *self,
           const GhloIrMesh *mesh,
           GhloIrModule     *module,
           const GhloIrAttr *attr)
{
  g_auto (GhloSdyAttr) axis, part;
  gsize index;

  ghlo_sdy_attr_init (&part, GHLO_SDY_SUB_AXIS);
  if (!ghlo_ir_sdy_read (&axis, module, attr, GHLO_SDY_AXIS))
    return g_strdup ("expected an axis");
  self->name = ghlo_ir_sdy_child (&axis, 0, 0);
  index = GPOINTER_TO_SIZE (g_hash_table_lookup (mesh->indices, self->name));
  if (index == 0)
    return g_strdup_printf ("expected an axis of the mesh, found \"%s\"", self->name->text);
  self->index = (guint) index - 1;
  self->before = 1;
  self->size = mesh->sizes[self->index];
  self->is_part = ghlo_sdy_field_n_attrs (&axis.fields[1]) > 0;
  if (!self->is_part)
    return NULL;
  if (!ghlo_ir_sdy_read (&part, module, ghlo_ir_sdy_child (&axis, 1, 0), GHLO_SDY_SUB_AXIS))
    return g_strdup ("expected a part of an axis");
  self->before = part.fields[0].integer;
  self->size = part.fields[1].integer;

  return NULL;
}

/* Orders axes as the mesh has them, and parts of an axis by their places; a whole axis follows a part that begins like
 * it. A GCompareFunc. */
static int
compare_axes (gconstpointer a,
              gconstpointer b)
{
  const GhloIrMeshAxis *first = a, *second = b;

  if (first->index != second->index)
    return first->index < second->index ? -1 : 1;
  if (first->before != second->before)
    return first->before < second->before ? -1 : 1;
  if (first->is_part != second->is_part)
    return first->is_part ? -1 : 1;

  return first->size < second->size ? -1 : first->size > second->size;
}

/* Whether @self is the part of the axis directly behind @last. */
static gboolean
continues (const GhloIrMeshAxis *self,
           const GhloIrMeshAxis *last)
{
  gint64 end;

  return self->is_part && last->is_part && self->index == last->index
         && !__builtin_mul_overflow (last->before, last->size, &end) && end == self->before;
}

char *
ghlo_ir_axes_append (GArray             *axes,
                     const GhloIrMesh   *mesh,
                     GhloIrModule       *module,
                     const GhloSdyField *list,
                     const char         *name)
{
  GhloIrMeshAxis axis = { 0 }, last;

  for (gsize i = 0; i < ghlo_sdy_field_n_attrs (list); i++, last = axis)
    {
      char *problem = read_axis (&axis, mesh, module, g_ptr_array_index (list->attrs, i));

      if (problem != NULL)
        return problem;
      g_assert (axis.name != NULL);
      if (i > 0 && continues (&axis, &last))
        return g_strdup_printf ("expected neighbouring parts of axis \"%s\" as one part, found two", axis.name->text);
      if (i > 0 && name != NULL && compare_axes (&last, &axis) > 0)
        return g_strdup_printf ("expected %s axes in the order of the mesh, found \"%s\" behind \"%s\"", name,
                                axis.name->text, last.name->text);
      g_array_append_val (axes, axis);
    }

  return NULL;
}

/* Checks that a part is one of an axis of size @whole. */
static char *
part_problem (const GhloIrMeshAxis *self,
              gint64                whole)
{
  gint64 end;

  if (self->before < 1)
    return g_strdup_printf ("expected a size of at least 1 before a part of axis \"%s\", found %" G_GINT64_FORMAT,
                            self->name->text, self->before);
  if (self->size < 2)
    return g_strdup_printf ("expected a part of axis \"%s\" of at least size 2, found %" G_GINT64_FORMAT,
                            self->name->text, self->size);
  if (__builtin_mul_overflow (self->before, self->size, &end) || whole % end != 0)
    return g_strdup_printf ("expected a part of axis \"%s\" whose end divides its size, %" G_GINT64_FORMAT ", found (%"
                            G_GINT64_FORMAT ")%" G_GINT64_FORMAT, self->name->text, whole, self->before, self->size);

  return self->size != whole ? NULL
         : g_strdup_printf ("expected the axis \"%s\" itself, found a part that is all of it", self->name->text);
}

char *
ghlo_ir_axes_check (GArray           *axes,
                    const GhloIrMesh *mesh)
{
  const GhloIrMeshAxis *axis = (gconstpointer) axes->data;
  char *problem = NULL;

  g_array_sort (axes, compare_axes);
  for (guint i = 0; problem == NULL && i < axes->len; i++)
    if (axis[i].is_part)
      problem = part_problem (&axis[i], mesh->sizes[axis[i].index]);
  for (guint i = 1; problem == NULL && i < axes->len; i++)
    if (compare_axes (&axis[i - 1], &axis[i]) == 0)
      problem = g_strdup_printf ("expected each axis once, found \"%s\" twice", axis[i].name->text);
    else if (ghlo_ir_axis_overlaps (&axis[i - 1], &axis[i]))
      problem = g_strdup_printf ("expected parts of axis \"%s\" that do not overlap, found two that do",
                                 axis[i].name->text);

  return problem;
}
