/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Checks shardings of values, and finds the attributes of sdy among those of an operation.
 */

#include "ir/verify/sharding.h"

#include <string.h>

/* The fields of a sharding and of the sharding of a dimension. */
enum { MESH, DIMENSIONS, REPLICATED, UNREDUCED };
enum { AXES, IS_CLOSED, PRIORITY };

/* Whether the sharding splits, replicates or adds nothing. */
static gboolean
is_without_axes (const GhloSdyAttr *sharding)
{
  return ghlo_sdy_field_n_attrs (&sharding->fields[DIMENSIONS]) == 0
         && ghlo_sdy_field_n_attrs (&sharding->fields[REPLICATED]) == 0
         && ghlo_sdy_field_n_attrs (&sharding->fields[UNREDUCED]) == 0;
}

static gboolean
is_replicated (GhloIrModule      *module,
               const GhloSdyAttr *sharding)
{
  for (gsize i = 0; i < ghlo_sdy_field_n_attrs (&sharding->fields[DIMENSIONS]); i++)
    {
      g_auto (GhloSdyAttr) dimension;

      if (!ghlo_ir_sdy_read (&dimension, module, ghlo_ir_sdy_child (sharding, DIMENSIONS, i), GHLO_SDY_DIMENSION)
          || ghlo_sdy_field_n_attrs (&dimension.fields[AXES]) > 0)
        return FALSE;
    }

  return TRUE;
}

static gboolean
is_single_device (const GhloIrMesh *mesh)
{
  return ghlo_sdy_field_n_attrs (&mesh->attr.fields[0]) == 0
         && ghlo_sdy_field_n_integers (&mesh->attr.fields[1]) == 1;
}

/* A sharding of what has no dimensions. */
static char *
empty_problem (const GhloSdyAttr *sharding,
               const char        *what)
{
  return is_without_axes (sharding) ? NULL : g_strdup_printf ("expected a sharding without dimensions, replicated and "
                                                              "unreduced axes for %s, found one with these", what);
}

static char *
dimensions_problem (GArray            *axes,
                    const GhloIrMesh  *mesh,
                    GhloIrModule      *module,
                    const GhloSdyAttr *sharding)
{
  char *problem = NULL;

  for (gsize i = 0; problem == NULL && i < ghlo_sdy_field_n_attrs (&sharding->fields[DIMENSIONS]); i++)
    {
      g_auto (GhloSdyAttr) dimension;

      if (!ghlo_ir_sdy_read (&dimension, module, ghlo_ir_sdy_child (sharding, DIMENSIONS, i), GHLO_SDY_DIMENSION))
        continue;
      if (dimension.fields[PRIORITY].integer >= 0 && dimension.fields[IS_CLOSED].integer != 0
          && ghlo_sdy_field_n_attrs (&dimension.fields[AXES]) == 0)
        return g_strdup_printf ("expected a priority only for a dimension that is open or has axes, found one for "
                                "dimension %" G_GSIZE_FORMAT, i);
      problem = ghlo_ir_axes_append (axes, mesh, module, &dimension.fields[AXES], NULL);
    }

  return problem;
}

char *
ghlo_ir_manual_axes_problem (GhloIrModule   *module,
                             const GhloIrOp *op,
                             GHashTable     *names)
{
  for (const GhloIrOp *outer = ghlo_ir_op_get_parent (op); outer != NULL; outer = ghlo_ir_op_get_parent (outer))
    {
      g_auto (GhloSdyAttr) manual;

      ghlo_sdy_attr_init (&manual, GHLO_SDY_MANUAL_AXES);
      if (outer->kind != GHLO_OP_SDY_MANUAL_COMPUTATION
          || !ghlo_ir_sdy_read (&manual, module, ghlo_ir_op_get (outer, "manual_axes"), GHLO_SDY_MANUAL_AXES))
        continue;
      for (gsize i = 0; i < ghlo_sdy_field_n_attrs (&manual.fields[0]); i++)
        if (g_hash_table_contains (names, ghlo_ir_sdy_child (&manual, 0, i)))
          return g_strdup_printf ("expected axes that no manual computation around it has, found \"%s\"",
                                  ghlo_ir_sdy_child (&manual, 0, i)->text);
    }

  return NULL;
}

/* Checks that no manual computation around @op has one of @axes as its own. */
static char *
manual_problem (GhloIrModule   *module,
                const GhloIrOp *op,
                const GArray   *axes)
{
  g_autoptr (GHashTable) names = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < axes->len; i++)
    g_hash_table_add (names, (gpointer) g_array_index (axes, GhloIrMeshAxis, i).name);

  return ghlo_ir_manual_axes_problem (module, op, names);
}

static char *
tensor_problem (GhloIrModule      *module,
                const GhloIrOp    *op,
                const GhloIrMesh  *mesh,
                const GhloSdyAttr *sharding,
                const GhloIrType  *type)
{
  g_autoptr (GArray) axes = g_array_new (FALSE, FALSE, sizeof (GhloIrMeshAxis));
  const gsize n = ghlo_sdy_field_n_attrs (&sharding->fields[DIMENSIONS]);
  char *problem;

  if (type->kind == GHLO_IR_TYPE_UNRANKED)
    return g_strdup ("expected a sharding only of tensors with a rank, found one of a tensor without");
  if (n != type->rank)
    return g_strdup_printf ("expected a sharding of %u dimensions, found %" G_GSIZE_FORMAT, type->rank, n);
  problem = dimensions_problem (axes, mesh, module, sharding);
  if (problem == NULL)
    problem = ghlo_ir_axes_append (axes, mesh, module, &sharding->fields[REPLICATED], "replicated");
  if (problem == NULL)
    problem = ghlo_ir_axes_append (axes, mesh, module, &sharding->fields[UNREDUCED], "unreduced");
  if (problem == NULL)
    problem = ghlo_ir_axes_check (axes, mesh);

  return problem != NULL ? problem : manual_problem (module, op, axes);
}

char *
ghlo_ir_sharding_problem (GhloIrModule     *module,
                          const GhloIrOp   *op,
                          const GhloIrAttr *attr,
                          const GhloIrType *type)
{
  g_auto (GhloSdyAttr) sharding;
  g_auto (GhloIrMesh) mesh = { 0 };
  char *problem;

  if (!ghlo_ir_sdy_read (&sharding, module, attr, GHLO_SDY_SHARDING))
    return g_strdup ("expected an attribute #sdy.sharding");
  problem = ghlo_ir_mesh_read (&mesh, module, op, &sharding);
  if (problem != NULL)
    return problem;
  if (is_single_device (&mesh) || (type == NULL && is_replicated (module, &sharding)))
    return empty_problem (&sharding, "a single device");
  if (type != NULL && type->kind == GHLO_IR_TYPE_TUPLE)
    {
      if (type->rank != 1)
        return g_strdup_printf ("expected a sharding only of tuples of one value, found one of a tuple of %u",
                                type->rank);
      type = type->members[0];
    }
  if (type == NULL || (type->kind != GHLO_IR_TYPE_TENSOR && type->kind != GHLO_IR_TYPE_UNRANKED
                       && type->kind != GHLO_IR_TYPE_MEMREF))
    return empty_problem (&sharding, "a value that is not a tensor");

  return tensor_problem (module, op, &mesh, &sharding, type);
}

/* Whether the only sharding of an operation without values says that it runs on a single device, or nothing. */
static gboolean
is_for_no_value (GhloIrModule      *module,
                 const GhloIrOp    *op,
                 const GhloSdyAttr *shardings)
{
  g_auto (GhloSdyAttr) sharding;
  g_auto (GhloIrMesh) mesh = { 0 };
  g_autofree char *problem = NULL;

  ghlo_sdy_attr_init (&sharding, GHLO_SDY_SHARDING);
  if (ghlo_sdy_field_n_attrs (&shardings->fields[0]) != 1
      || !ghlo_ir_sdy_read (&sharding, module, ghlo_ir_sdy_child (shardings, 0, 0), GHLO_SDY_SHARDING))
    return FALSE;
  problem = ghlo_ir_mesh_read (&mesh, module, op, &sharding);

  return (problem == NULL && is_single_device (&mesh)) || is_replicated (module, &sharding);
}

char *
ghlo_ir_shardings_problem (GhloIrModule     *module,
                           const GhloIrOp   *op,
                           const GhloIrAttr *attr,
                           GhloIrTypeAt      types,
                           guint             n)
{
  g_auto (GhloSdyAttr) shardings;
  gsize n_found;

  if (!ghlo_ir_sdy_read (&shardings, module, attr, GHLO_SDY_SHARDINGS))
    return g_strdup ("expected an attribute #sdy.sharding_per_value");
  n_found = ghlo_sdy_field_n_attrs (&shardings.fields[0]);
  if (n == 0 && is_for_no_value (module, op, &shardings))
    return ghlo_ir_sharding_problem (module, op, ghlo_ir_sdy_child (&shardings, 0, 0), NULL);
  if (n_found != n)
    return g_strdup_printf ("expected shardings of %u values, found %" G_GSIZE_FORMAT, n, n_found);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *problem = ghlo_ir_sharding_problem (module, op, ghlo_ir_sdy_child (&shardings, 0, i),
                                                           types (op, i));

      if (problem != NULL)
        return g_strdup_printf ("value %u: %s", i, problem);
    }

  return NULL;
}

/* The sharding number @index of a list, or NULL. */
static const GhloIrAttr *
sharding_at (GhloIrModule     *module,
             const GhloIrAttr *list,
             guint             index)
{
  g_auto (GhloSdyAttr) shardings;

  return ghlo_ir_sdy_read (&shardings, module, list, GHLO_SDY_SHARDINGS)
         && index < ghlo_sdy_field_n_attrs (&shardings.fields[0]) ? ghlo_ir_sdy_child (&shardings, 0, index) : NULL;
}

/* Returns the value of "sdy.sharding" of argument or result @index, or NULL. */
static const GhloIrAttr *
find_value_sharding (const GhloIrAttr *dictionaries,
                     guint             index)
{
  const GhloIrAttr *dictionary = dictionaries != NULL && index < dictionaries->length ? dictionaries->children[index]
                                                                                       : NULL;

  for (gsize i = 0; dictionary != NULL && i < dictionary->length; i++)
    if (strcmp (dictionary->entries[i].name, "sdy.sharding") == 0)
      return dictionary->entries[i].value;

  return NULL;
}

const GhloIrAttr *
ghlo_ir_value_get_sharding (GhloIrModule      *module,
                            const GhloIrValue *value)
{
  const GhloIrOp *op = value->op != NULL ? value->op : value->block->region->op;

  if (op == NULL)
    return NULL;
  if (value->op == NULL)
    return op->kind == GHLO_OP_FUNC_FUNC && value->block == op->regions[0].first
           ? find_value_sharding (ghlo_ir_op_get (op, "arg_attrs"), value->index) : NULL;
  if (op->kind == GHLO_OP_SDY_SHARDING_CONSTRAINT)
    return ghlo_ir_op_get (op, "sharding");

  return sharding_at (module, ghlo_ir_op_get (op, op->kind == GHLO_OP_SDY_MANUAL_COMPUTATION ? "out_shardings"
                                                                                              : "sdy.sharding"),
                      value->index);
}

/* The checks of discardable attributes. */

static char *
results_problem (GhloIrModule     *module,
                 const GhloIrOp   *op,
                 const GhloIrAttr *attr)
{
  return ghlo_ir_shardings_problem (module, op, attr, ghlo_ir_result_type, op->n_results);
}

/* An array of propagation edges, which are checked by themselves. */
static char *
edge_lists_problem (G_GNUC_UNUSED GhloIrModule   *module,
                    G_GNUC_UNUSED const GhloIrOp *op,
                    const GhloIrAttr             *attr)
{
  gboolean ok = attr->kind == GHLO_IR_ATTR_ARRAY;

  for (gsize i = 0; ok && i < attr->length; i++)
    ok = ghlo_sdy_attr_is (attr->children[i], GHLO_SDY_EDGES);

  return ok ? NULL : g_strdup ("expected an array of #sdy.propagation_edges");
}

/* The discardable attributes of sdy that have a meaning. */
static const struct
{
  const char *name;
  char     *(*problem) (GhloIrModule *module, const GhloIrOp *op, const GhloIrAttr *attr);
} discardable[] = {
  { "sdy.sharding", results_problem },
  { "sdy.sharding_rule", ghlo_ir_rule_problem },
  { "sdy.propagation_edges", ghlo_ir_edges_problem },
  { "sdy.result_propagation_edges", edge_lists_problem },
  { "sdy.block_arg_propagation_edges", edge_lists_problem },
};

static char *
discardable_problem (GhloIrModule   *module,
                     const GhloIrOp *op)
{
  for (guint i = 0; i < op->n_discardable; i++)
    for (guint j = 0; j < G_N_ELEMENTS (discardable); j++)
      if (strcmp (op->discardable[i].name, discardable[j].name) == 0)
        {
          g_autofree char *problem = discardable[j].problem (module, op, op->discardable[i].value);

          if (problem != NULL)
            return g_strdup_printf ("%s: %s", discardable[j].name, problem);
        }

  return NULL;
}

/* Checks the shardings of a function's arguments or results. */
static char *
signature_problem (GhloIrModule            *module,
                   const GhloIrOp          *op,
                   const char              *name,
                   const char              *what,
                   const GhloIrType *const *types,
                   guint                    n)
{
  const GhloIrAttr *dictionaries = ghlo_ir_op_get (op, name);

  for (guint i = 0; dictionaries != NULL && i < n; i++)
    {
      const GhloIrAttr *attr = find_value_sharding (dictionaries, i);
      g_autofree char *problem = attr != NULL ? ghlo_ir_sharding_problem (module, op, attr, types[i]) : NULL;

      if (problem != NULL)
        return g_strdup_printf ("%s %u: %s", what, i, problem);
    }

  return NULL;
}

static char *
function_problem (GhloIrModule   *module,
                  const GhloIrOp *op)
{
  const GhloIrType *type = ghlo_ir_op_get (op, "function_type")->type;
  char *problem = signature_problem (module, op, "arg_attrs", "argument", type->members, type->rank);

  return problem != NULL ? problem
         : signature_problem (module, op, "res_attrs", "result", type->members + type->rank, type->n_results);
}

static char *
mesh_problem (const GhloIrOp *op)
{
  const GhloIrOp *parent = ghlo_ir_op_get_parent (op);

  if (!ghlo_sdy_attr_is (ghlo_ir_op_get (op, "mesh"), GHLO_SDY_MESH))
    return g_strdup ("expected an attribute #sdy.mesh as 'mesh'");

  return parent != NULL && parent->kind == GHLO_OP_BUILTIN_MODULE ? NULL
         : g_strdup ("expected a mesh directly inside a module, found it elsewhere");
}

static gboolean
check (GhloIrVerifier *verifier,
       const GhloIrOp *op)
{
  g_autofree char *problem = discardable_problem (verifier->module, op);

  if (problem == NULL && op->kind == GHLO_OP_SDY_MESH)
    problem = mesh_problem (op);
  if (problem == NULL && op->kind == GHLO_OP_FUNC_FUNC)
    problem = function_problem (verifier->module, op);
  if (problem == NULL && op->kind == GHLO_OP_SDY_SHARDING_CONSTRAINT)
    problem = ghlo_ir_constraint_problem (verifier->module, op);
  if (problem == NULL && op->kind == GHLO_OP_SDY_MANUAL_COMPUTATION)
    problem = ghlo_ir_manual_problem (verifier->module, op);

  return problem == NULL || ghlo_ir_verify_fail (verifier, op, "%s", problem);
}

gboolean
ghlo_ir_verify_shardings (GhloIrVerifier *verifier,
                          const GhloIrOp *op)
{
  gboolean any = op->kind == GHLO_OP_SDY_MESH || op->kind == GHLO_OP_SDY_SHARDING_CONSTRAINT
                 || op->kind == GHLO_OP_SDY_MANUAL_COMPUTATION
                 || (op->kind == GHLO_OP_FUNC_FUNC
                     && (ghlo_ir_op_get (op, "arg_attrs") != NULL || ghlo_ir_op_get (op, "res_attrs") != NULL));

  for (guint i = 0; !any && i < op->n_discardable; i++)
    any = g_str_has_prefix (op->discardable[i].name, "sdy.");

  return !any || ghlo_ir_verify_symbol_use (verifier, op, check);
}
