/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Checks what refers to the shardings of other values: propagation edges, and a sharding constraint, which may leave a
 * tensor unreduced.
 */

#include "ir/verify/sharding.h"

/* The fields of a sharding. */
enum { UNREDUCED = 3, REDUCTION = 4 };

/* The mesh of all shardings that an operation's edges lead to. */
typedef struct
{
  GhloIrModule   *module;
  const GhloIrOp *op;
  GhloIrMesh      mesh;
  gboolean        has_mesh;
} Edges;

/* Reads a reference to an operand or a result of the operation. Returns NULL if there is none. */
static const GhloIrValue *
find_value (const Edges      *self,
            const GhloIrAttr *attr)
{
  g_auto (GhloSdyAttr) end;
  gint64 index;

  if (!ghlo_ir_sdy_read (&end, self->module, attr, GHLO_SDY_EDGE_VALUE))
    return NULL;
  index = end.fields[1].integer;
  if (end.fields[0].integer == 0)
    return index >= 0 && index < self->op->n_operands ? ghlo_ir_op_operand (self->op, (guint) index) : NULL;

  return index >= 0 && index < self->op->n_results ? &self->op->results[index] : NULL;
}

/* Checks that the end of an edge exists, and that its sharding has the same mesh as the others. */
static char *
end_problem (Edges            *self,
             const GhloIrAttr *attr)
{
  const GhloIrValue *value = find_value (self, attr);
  const GhloIrAttr *sharding = value != NULL ? ghlo_ir_value_get_sharding (self->module, value) : NULL;
  g_auto (GhloSdyAttr) read;
  g_auto (GhloIrMesh) mesh = { 0 };
  g_autofree char *problem = NULL;

  ghlo_sdy_attr_init (&read, GHLO_SDY_SHARDING);
  if (value == NULL)
    return g_strdup ("expected edges between operands and results of the operation, found another number");
  if (!ghlo_ir_sdy_read (&read, self->module, sharding, GHLO_SDY_SHARDING))
    return NULL;
  problem = ghlo_ir_mesh_read (&mesh, self->module, self->op, &read);
  if (problem != NULL)
    return g_steal_pointer (&problem);
  if (self->has_mesh)
    return ghlo_ir_mesh_equal (&self->mesh, &mesh) ? NULL
           : g_strdup ("expected edges between shardings over one mesh, found different ones");
  self->mesh = mesh;
  self->has_mesh = TRUE;
  mesh = (GhloIrMesh) { 0 };

  return NULL;
}

static char *
edge_problem (Edges             *self,
              const GhloSdyAttr *edge)
{
  char *problem = end_problem (self, ghlo_ir_sdy_child (edge, 1, 0));

  for (gsize i = 0; problem == NULL && i < ghlo_sdy_field_n_attrs (&edge->fields[2]); i++)
    problem = end_problem (self, ghlo_ir_sdy_child (edge, 2, i));

  return problem;
}

static char *
axis_problem (Edges             *self,
              const GhloSdyAttr *edge)
{
  g_auto (GhloSdyAttr) axis;

  if (!ghlo_ir_sdy_read (&axis, self->module, ghlo_ir_sdy_child (edge, 0, 0), GHLO_SDY_AXIS)
      || g_hash_table_contains (self->mesh.indices, ghlo_ir_sdy_child (&axis, 0, 0)))
    return NULL;

  return g_strdup_printf ("expected an axis of the mesh, found \"%s\"", ghlo_ir_sdy_child (&axis, 0, 0)->text);
}

/* Calls @check for each edge, until one is wrong. */
static char *
foreach_edge (Edges             *self,
              const GhloSdyAttr *edges,
              char            *(*check) (Edges *self, const GhloSdyAttr *edge))
{
  char *problem = NULL;

  for (gsize i = 0; problem == NULL && i < ghlo_sdy_field_n_attrs (&edges->fields[0]); i++)
    {
      g_auto (GhloSdyAttr) step;

      if (!ghlo_ir_sdy_read (&step, self->module, ghlo_ir_sdy_child (edges, 0, i), GHLO_SDY_EDGE_STEP))
        continue;
      for (gsize j = 0; problem == NULL && j < ghlo_sdy_field_n_attrs (&step.fields[1]); j++)
        {
          g_auto (GhloSdyAttr) edge;

          if (ghlo_ir_sdy_read (&edge, self->module, ghlo_ir_sdy_child (&step, 1, j), GHLO_SDY_EDGE))
            problem = check (self, &edge);
        }
    }

  return problem;
}

char *
ghlo_ir_edges_problem (GhloIrModule     *module,
                       const GhloIrOp   *op,
                       const GhloIrAttr *attr)
{
  Edges self = { .module = module, .op = op };
  g_auto (GhloSdyAttr) edges;
  char *problem;

  if (!ghlo_ir_sdy_read (&edges, module, attr, GHLO_SDY_EDGES))
    return g_strdup ("expected an attribute #sdy.propagation_edges");
  problem = foreach_edge (&self, &edges, edge_problem);
  if (problem == NULL && !self.has_mesh)
    problem = g_strdup ("expected edges to lead to a sharding, found none");
  if (problem == NULL)
    problem = foreach_edge (&self, &edges, axis_problem);
  ghlo_ir_mesh_clear (&self.mesh);

  return problem;
}

/* Whether @axis is a part of those of @axes, which are sorted and do not overlap, taken together. */
static gboolean
is_covered (const GhloIrMeshAxis *axis,
            const GArray         *axes)
{
  gint64 end = axis->before;

  for (guint i = 0; i < axes->len; i++)
    {
      const GhloIrMeshAxis *other = &g_array_index (axes, GhloIrMeshAxis, i);

      if (other->index == axis->index && other->before <= end)
        end = MAX (end, other->before * other->size);
    }

  return end >= axis->before * axis->size;
}

/* Reads the unreduced axes of a sharding that may be invalid. */
static gboolean
read_unreduced (GhloIrModule      *module,
                const GhloSdyAttr *sharding,
                const GhloIrMesh  *mesh,
                GArray            *axes)
{
  g_autofree char *problem = ghlo_ir_axes_append (axes, mesh, module, &sharding->fields[UNREDUCED], NULL);

  if (problem == NULL)
    problem = ghlo_ir_axes_check (axes, mesh);

  return problem == NULL;
}

/* Checks what the constraint @to does to a tensor of sharding @from: it may begin a sum, but nothing else, and it keeps
 * the reduction of axes that stay unreduced. */
static char *
transition_problem (const GhloSdyAttr *from,
                    const GhloSdyAttr *to,
                    const GArray      *from_axes,
                    const GArray      *to_axes)
{
  const gint64 reduction = to->fields[REDUCTION].integer;

  for (guint i = 0; i < to_axes->len; i++)
    {
      const GhloIrMeshAxis *axis = &g_array_index (to_axes, GhloIrMeshAxis, i);

      if (reduction != 0 && !is_covered (axis, from_axes))
        return g_strdup_printf ("expected unreduced axes that are new to be those of a sum, found \"%s\" of '%s'",
                                axis->name->text, ghlo_sdy_reductions[reduction]);
      for (guint j = 0; from->fields[REDUCTION].integer != reduction && j < from_axes->len; j++)
        if (ghlo_ir_axis_overlaps (axis, &g_array_index (from_axes, GhloIrMeshAxis, j)))
          return g_strdup_printf ("expected unreduced axis \"%s\" to keep its reduction, found another",
                                  axis->name->text);
    }

  return NULL;
}

char *
ghlo_ir_constraint_problem (GhloIrModule   *module,
                            const GhloIrOp *op)
{
  const GhloIrAttr *attr = ghlo_ir_op_get (op, "sharding");
  const GhloIrAttr *before = ghlo_ir_value_get_sharding (module, ghlo_ir_op_operand (op, 0));
  g_autoptr (GArray) from_axes = g_array_new (FALSE, FALSE, sizeof (GhloIrMeshAxis));
  g_autoptr (GArray) to_axes = g_array_new (FALSE, FALSE, sizeof (GhloIrMeshAxis));
  g_auto (GhloIrMesh) from_mesh = { 0 }, to_mesh = { 0 };
  g_auto (GhloSdyAttr) from, to;
  g_autofree char *problem = ghlo_ir_sharding_problem (module, op, attr, ghlo_ir_result_type (op, 0));

  ghlo_sdy_attr_init (&from, GHLO_SDY_SHARDING);
  ghlo_sdy_attr_init (&to, GHLO_SDY_SHARDING);
  if (problem != NULL)
    return g_steal_pointer (&problem);
  if (!ghlo_ir_sdy_read (&from, module, before, GHLO_SDY_SHARDING)
      || !ghlo_ir_sdy_read (&to, module, attr, GHLO_SDY_SHARDING))
    return NULL;
  problem = ghlo_ir_mesh_read (&from_mesh, module, op, &from);
  if (problem == NULL)
    problem = ghlo_ir_mesh_read (&to_mesh, module, op, &to);
  /* An operand's own mistakes are reported where they are. */
  if (problem != NULL || !ghlo_ir_mesh_equal (&from_mesh, &to_mesh)
      || !read_unreduced (module, &from, &from_mesh, from_axes) || !read_unreduced (module, &to, &to_mesh, to_axes))
    return NULL;

  return transition_problem (&from, &to, from_axes, to_axes);
}
