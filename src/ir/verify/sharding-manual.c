/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Checks sdy.manual_computation: the shardings of its operands and results, and the types inside it, which are those
 * outside split along its manual axes.
 */

#include "ir/verify/sharding.h"

/* The operands or the results of a manual computation, outside and inside. */
typedef struct
{
  const char  *what;
  const char  *shardings;       /* the attribute */
  GhloIrTypeAt outside, inside;
  guint        n_outside, n_inside;
} Values;

/* What all shardings share. */
typedef struct
{
  GhloIrModule   *module;
  const GhloIrOp *op;
  GHashTable     *manual;       /* the names of the manual axes */
  GhloIrMesh      mesh;         /* the first mesh with axes */
  gboolean        has_mesh, meshes_differ;
} Manual;

static const GhloIrType *
argument_type (const GhloIrOp *op,
               guint           index)
{
  return ghlo_ir_op_region_block (op, 0)->arguments[index]->type;
}

static const GhloIrType *
returned_type (const GhloIrOp *op,
               guint           index)
{
  return ghlo_ir_operand_type (ghlo_ir_op_region_block (op, 0)->last, index);
}

static void
note_mesh (Manual     *self,
           GhloIrMesh *mesh)
{
  if (ghlo_sdy_field_n_attrs (&mesh->attr.fields[0]) == 0 && ghlo_sdy_field_n_integers (&mesh->attr.fields[1]) == 0)
    return;
  if (self->has_mesh)
    {
      self->meshes_differ |= !ghlo_ir_mesh_equal (&self->mesh, mesh);
      return;
    }
  self->mesh = *mesh;
  self->has_mesh = TRUE;
  *mesh = (GhloIrMesh) { 0 };
}

/* Sets *@parts to the number of parts into which the manual axes split a dimension. */
static char *
count_parts (const Manual      *self,
             const GhloIrMesh  *mesh,
             const GhloIrAttr  *attr,
             gint64            *parts)
{
  g_autoptr (GArray) axes = g_array_new (FALSE, FALSE, sizeof (GhloIrMeshAxis));
  g_auto (GhloSdyAttr) dimension;
  gboolean is_free = FALSE;
  char *problem;

  *parts = 1;
  if (!ghlo_ir_sdy_read (&dimension, self->module, attr, GHLO_SDY_DIMENSION))
    return NULL;
  problem = ghlo_ir_axes_append (axes, mesh, self->module, &dimension.fields[0], NULL);
  for (guint i = 0; problem == NULL && i < axes->len; i++)
    {
      const GhloIrMeshAxis *axis = &g_array_index (axes, GhloIrMeshAxis, i);
      const gboolean is_manual = g_hash_table_contains (self->manual, axis->name);

      if (is_manual && is_free)
        return g_strdup_printf ("expected manual axes before all others, found \"%s\" behind one", axis->name->text);
      is_free = !is_manual;
      if (is_manual && __builtin_mul_overflow (*parts, axis->size, parts))
        return g_strdup_printf ("expected fewer parts, found too many along \"%s\"", axis->name->text);
    }

  return problem;
}

/* Checks that the type inside is that outside with each dimension divided by the parts of its manual axes. */
static char *
shard_problem (Manual           *self,
               const GhloIrAttr *attr,
               const GhloIrType *outside,
               const GhloIrType *inside)
{
  g_auto (GhloSdyAttr) sharding;
  g_auto (GhloIrMesh) mesh = { 0 };
  char *problem;

  if (!ghlo_ir_sdy_read (&sharding, self->module, attr, GHLO_SDY_SHARDING))
    return NULL;
  problem = ghlo_ir_mesh_read (&mesh, self->module, self->op, &sharding);
  for (guint i = 0; problem == NULL && i < ghlo_sdy_field_n_attrs (&sharding.fields[1]); i++)
    {
      const gint64 size = i < outside->rank && outside->dimensions != NULL ? outside->dimensions[i] : -1;
      gint64 parts;

      problem = count_parts (self, &mesh, ghlo_ir_sdy_child (&sharding, 1, i), &parts);
      if (problem != NULL || size < 0)
        continue;
      if (size % parts != 0)
        problem = g_strdup_printf ("expected a dimension that divides into %" G_GINT64_FORMAT " parts along manual "
                                   "axes, found size %" G_GINT64_FORMAT, parts, size);
      else if (i < inside->rank && inside->dimensions != NULL && inside->dimensions[i] != size / parts)
        problem = g_strdup_printf ("expected size %" G_GINT64_FORMAT " of dimension %u inside, found %" G_GINT64_FORMAT,
                                   size / parts, i, inside->dimensions[i]);
    }
  if (problem == NULL)
    note_mesh (self, &mesh);

  return problem;
}

static char *
values_problem (Manual       *self,
                const Values *values)
{
  const GhloIrAttr *attr = ghlo_ir_op_get (self->op, values->shardings);
  g_autofree char *problem = NULL;
  g_auto (GhloSdyAttr) shardings;

  if (!ghlo_ir_sdy_read (&shardings, self->module, attr, GHLO_SDY_SHARDINGS))
    return g_strdup_printf ("expected an attribute #sdy.sharding_per_value as '%s'", values->shardings);
  if (values->n_outside == 0 && values->n_inside == 0 && ghlo_sdy_field_n_attrs (&shardings.fields[0]) == 0)
    return NULL;
  problem = ghlo_ir_shardings_problem (self->module, self->op, attr, values->outside, values->n_outside);
  if (problem == NULL && values->n_outside != values->n_inside)
    problem = g_strdup_printf ("expected %u inside, found %u", values->n_outside, values->n_inside);
  for (guint i = 0; problem == NULL && i < values->n_outside; i++)
    problem = shard_problem (self, ghlo_ir_sdy_child (&shardings, 0, i), values->outside (self->op, i),
                             values->inside (self->op, i));

  return problem != NULL ? g_strdup_printf ("%s: %s", values->what, problem) : NULL;
}

/* Checks the manual axes after the shardings: all are of one mesh, which has these axes. */
static char *
axes_problem (const Manual      *self,
              const GhloSdyAttr *axes)
{
  const gsize n = ghlo_sdy_field_n_attrs (&axes->fields[0]);

  if (n > 0 && (self->meshes_differ || !self->has_mesh))
    return g_strdup ("expected shardings over one mesh for manual axes, found none or different ones");
  for (gsize i = 0; i < n; i++)
    if (!g_hash_table_contains (self->mesh.indices, ghlo_ir_sdy_child (axes, 0, i)))
      return g_strdup_printf ("expected a manual axis of the mesh, found \"%s\"", ghlo_ir_sdy_child (axes, 0, i)->text);

  return ghlo_ir_manual_axes_problem (self->module, self->op, self->manual);
}

char *
ghlo_ir_manual_problem (GhloIrModule   *module,
                        const GhloIrOp *op)
{
  const GhloIrBlock *block = ghlo_ir_op_region_block (op, 0);
  const Values operands = {
    "operands", "in_shardings", ghlo_ir_operand_type, argument_type, op->n_operands, block->n_arguments,
  };
  const Values results = {
    "results", "out_shardings", ghlo_ir_result_type, returned_type, op->n_results, block->last->n_operands,
  };
  g_autoptr (GHashTable) names = g_hash_table_new (NULL, NULL);
  Manual self = { .module = module, .op = op, .manual = names };
  g_auto (GhloSdyAttr) axes;
  char *problem;

  if (!ghlo_ir_sdy_read (&axes, module, ghlo_ir_op_get (op, "manual_axes"), GHLO_SDY_MANUAL_AXES))
    return g_strdup ("expected an attribute #sdy<manual_axes{…}>");
  for (gsize i = 0; i < ghlo_sdy_field_n_attrs (&axes.fields[0]); i++)
    g_hash_table_add (names, (gpointer) ghlo_ir_sdy_child (&axes, 0, i));
  problem = values_problem (&self, &operands);
  if (problem == NULL)
    problem = values_problem (&self, &results);
  if (problem == NULL)
    problem = op->n_operands + op->n_results == 0 ? ghlo_ir_manual_axes_problem (module, op, names)
                                                  : axes_problem (&self, &axes);
  ghlo_ir_mesh_clear (&self.mesh);

  return problem;
}
