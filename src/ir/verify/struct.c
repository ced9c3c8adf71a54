/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Checks structured attributes independently of the operation. The text parser calls these checks as it reads an
 * attribute, so that the error points there; the verifier calls them for attributes from elsewhere.
 */

#include "ir/verify/verify.h"

/* tf32 only names a precision and is no element type of tensors. */
enum { TF32 = GHLO_ELEMENT_TYPE_INVALID };

/* Dot algorithms that some hardware supports, with one component on both sides. */
static const struct
{
  guint8 operand;
  guint8 accumulation;
  guint8 n_operations;
} algorithms[] = {
  { GHLO_ELEMENT_TYPE_F16, GHLO_ELEMENT_TYPE_F16, 1 },
  { GHLO_ELEMENT_TYPE_F16, GHLO_ELEMENT_TYPE_F32, 1 },
  { GHLO_ELEMENT_TYPE_BF16, GHLO_ELEMENT_TYPE_BF16, 1 },
  { GHLO_ELEMENT_TYPE_BF16, GHLO_ELEMENT_TYPE_F32, 1 },
  { GHLO_ELEMENT_TYPE_BF16, GHLO_ELEMENT_TYPE_F32, 3 },
  { GHLO_ELEMENT_TYPE_BF16, GHLO_ELEMENT_TYPE_F32, 6 },
  { GHLO_ELEMENT_TYPE_BF16, GHLO_ELEMENT_TYPE_F32, 9 },
  { TF32, GHLO_ELEMENT_TYPE_F32, 1 },
  { TF32, GHLO_ELEMENT_TYPE_F32, 3 },
  { GHLO_ELEMENT_TYPE_F32, GHLO_ELEMENT_TYPE_F32, 1 },
  { GHLO_ELEMENT_TYPE_F64, GHLO_ELEMENT_TYPE_F64, 1 },
};

/* Reads the element type in a field of an algorithm. Returns FALSE for a type that no algorithm has. */
static gboolean
read_precision (const GhloIrAttr *algorithm,
                const char       *field,
                GhloElementType  *element_type)
{
  const GhloIrAttr *attr = ghlo_ir_struct_get (algorithm, field);
  const GhloIrType *type = attr != NULL ? attr->type : NULL;

  if (type == NULL || type->kind != GHLO_IR_TYPE_ELEMENT)
    return FALSE;
  if (type->text != NULL && !g_str_equal (type->text, "tf32"))
    return FALSE;
  *element_type = type->text != NULL ? (GhloElementType) TF32 : type->element_type;

  return TRUE;
}

/* Every 8-bit float except the exponent-only one. */
static gboolean
is_dot_f8 (GhloElementType type)
{
  return type >= GHLO_ELEMENT_TYPE_F8E3M4 && type <= GHLO_ELEMENT_TYPE_F8E5M2FNUZ;
}

static gboolean
algorithm_is_known (const GhloIrAttr *algorithm)
{
  const GhloIrAttr *imprecise = ghlo_ir_struct_get (algorithm, "allow_imprecise_accumulation");
  gint64 n_operations = ghlo_ir_struct_get_int (algorithm, "num_primitive_operations");
  GhloElementType lhs, rhs, accumulation;

  if (ghlo_ir_struct_get_int (algorithm, "lhs_component_count") != 1
      || ghlo_ir_struct_get_int (algorithm, "rhs_component_count") != 1
      || !read_precision (algorithm, "lhs_precision_type", &lhs)
      || !read_precision (algorithm, "rhs_precision_type", &rhs)
      || !read_precision (algorithm, "accumulation_type", &accumulation))
    return FALSE;

  if (is_dot_f8 (lhs) && is_dot_f8 (rhs) && accumulation == GHLO_ELEMENT_TYPE_F32 && n_operations == 1)
    return TRUE;
  if ((imprecise != NULL && imprecise->integer != 0) || lhs != rhs)
    return FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (algorithms); i++)
    if (algorithms[i].operand == lhs && algorithms[i].accumulation == accumulation
        && algorithms[i].n_operations == n_operations)
      return TRUE;

  return FALSE;
}

/* "expected WHAT, found ATTRIBUTE"; the attribute may be absent. */
static char *
problem_of (const char       *what,
            const GhloIrAttr *found)
{
  g_autofree char *text = found != NULL ? ghlo_ir_attr_to_string (found) : g_strdup ("none");

  return g_strdup_printf ("expected %s, found %s", what, text);
}

static char *
check_algorithm (const GhloIrAttr *algorithm)
{
  static const char *const counts[] = { "lhs_component_count", "rhs_component_count", "num_primitive_operations" };

  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    {
      gint64 value = ghlo_ir_struct_get_int (algorithm, counts[i]);

      if (value < 1)
        return g_strdup_printf ("expected a positive %s, found %" G_GINT64_FORMAT, counts[i], value);
    }
  if (algorithm_is_known (algorithm))
    return NULL;

  return problem_of ("an algorithm that some hardware supports", algorithm);
}

/* Returns the name of a mesh axis or of a reference to one; NULL for anything else. */
static const char *
axis_name (const GhloIrAttr *axis,
           GhloIrStruct      structure)
{
  const GhloIrAttr *name;

  if (axis->kind != GHLO_IR_ATTR_STRUCT || axis->subkind != structure)
    return NULL;
  name = ghlo_ir_struct_get (axis, "name");

  return name != NULL && name->kind == GHLO_IR_ATTR_STRING ? name->text : NULL;
}

static gboolean
mesh_has_axis (const GhloIrAttr *axes,
               gsize             n,
               const char       *name)
{
  for (gsize i = 0; i < n; i++)
    if (g_strcmp0 (axis_name (axes->children[i], GHLO_IR_STRUCT_MESH_AXIS), name) == 0)
      return TRUE;

  return FALSE;
}

static gboolean
is_integers (const GhloIrType *type)
{
  return type->quantization == NULL
         && (ghlo_element_type_is_integer (type->element_type) || type->element_type == GHLO_ELEMENT_TYPE_INDEX
             || type->element_type == GHLO_ELEMENT_TYPE_I1);
}

/* Checks that the axes of a mesh have names, that no axis is
 * empty, and that the product of their sizes fits in 63 bits. */
static char *
check_mesh (const GhloIrAttr *mesh)
{
  const GhloIrAttr *axes = ghlo_ir_struct_get (mesh, "axes");
  const GhloIrAttr *ids = ghlo_ir_struct_get (mesh, "device_ids");
  gint64 n_devices = 1;

  if (axes == NULL || axes->kind != GHLO_IR_ATTR_ARRAY)
    return problem_of ("an array as the axes of a mesh", axes);
  if (ids != NULL && (ids->kind != GHLO_IR_ATTR_DENSE || !is_integers (ids->type)))
    return problem_of ("dense elements of integers as the devices of a mesh", ids);
  if (axes->length > GHLO_MAX_RANK)
    return g_strdup_printf ("expected a mesh of at most %u axes, found %" G_GSIZE_FORMAT, GHLO_MAX_RANK, axes->length);
  for (gsize i = 0; i < axes->length; i++)
    {
      const char *name = axis_name (axes->children[i], GHLO_IR_STRUCT_MESH_AXIS);
      gint64 size = name != NULL ? ghlo_ir_struct_get_int (axes->children[i], "size") : 0;

      if (name == NULL)
        return problem_of ("a mesh of axes with names", axes->children[i]);
      if (mesh_has_axis (axes, i, name))
        return g_strdup_printf ("expected each axis of a mesh once, found '%s' again", name);
      if (size < 1 || __builtin_mul_overflow (n_devices, size, &n_devices))
        return g_strdup_printf ("expected a positive size of axis '%s' of a mesh, found %" G_GINT64_FORMAT, name, size);
    }

  return NULL;
}

/* Checks groups along axes of @mesh. */
static char *
check_axes_of (const GhloIrAttr *mesh,
               const GhloIrAttr *axes)
{
  const GhloIrAttr *mesh_axes = ghlo_ir_struct_get (mesh, "axes");

  for (gsize i = 0; i < axes->length; i++)
    {
      const char *name = axis_name (axes->children[i], GHLO_IR_STRUCT_AXIS_REF);

      if (name == NULL)
        return problem_of ("references to axes as the axes of replica groups", axes->children[i]);
      if (!mesh_has_axis (mesh_axes, mesh_axes->length, name))
        return g_strdup_printf ("expected an axis of the mesh of replica groups, found '%s'", name);
    }

  return NULL;
}

/* The mesh is an attribute or a symbol. For a symbol, the axes
 * may be any attributes; they are checked when the program runs. */
static char *
check_group_axes (const GhloIrAttr *groups)
{
  const GhloIrAttr *mesh = ghlo_ir_struct_get (groups, "mesh");
  const GhloIrAttr *axes = ghlo_ir_struct_get (groups, "axes");
  char *problem;

  if (axes == NULL || axes->kind != GHLO_IR_ATTR_ARRAY)
    return problem_of ("an array as the axes of replica groups", axes);
  if (mesh != NULL && mesh->kind == GHLO_IR_ATTR_SYMBOL && mesh->length == 0)
    return NULL;
  if (mesh == NULL || mesh->kind != GHLO_IR_ATTR_STRUCT || mesh->subkind != GHLO_IR_STRUCT_MESH)
    return problem_of ("a symbol or a mesh as the mesh of replica groups", mesh);
  problem = check_mesh (mesh);

  return problem != NULL ? problem : check_axes_of (mesh, axes);
}

/* Checks that the mode of an accuracy belongs to its enumeration. */
static char *
check_accuracy (const GhloIrAttr *accuracy)
{
  const GhloIrAttr *mode = ghlo_ir_struct_get (accuracy, "mode");

  if (mode != NULL && mode->kind == GHLO_IR_ATTR_ENUM && mode->subkind == GHLO_IR_ENUM_RESULT_ACCURACY_MODE)
    return NULL;

  return problem_of ("#stablehlo.result_accuracy_mode<…> as the mode of an accuracy", mode);
}

static char *
check_axis (const GhloIrAttr *axis)
{
  const GhloIrAttr *part = ghlo_ir_struct_get (axis, "sub_axis_info");

  if (part == NULL || (part->kind == GHLO_IR_ATTR_STRUCT && part->subkind == GHLO_IR_STRUCT_SUB_AXIS_INFO))
    return NULL;

  return problem_of ("#stablehlo.sub_axis_info<…> as the part of an axis", part);
}

char *
ghlo_ir_struct_problem (const GhloIrAttr *self)
{
  static char *(*const checks[GHLO_IR_N_STRUCTS]) (const GhloIrAttr *) = {
    [GHLO_IR_STRUCT_DOT_ALGORITHM] = check_algorithm,
    [GHLO_IR_STRUCT_RESULT_ACCURACY] = check_accuracy,
    [GHLO_IR_STRUCT_AXIS_REF] = check_axis,
    [GHLO_IR_STRUCT_MESH] = check_mesh,
    [GHLO_IR_STRUCT_REPLICA_GROUP_MESH_AXES] = check_group_axes,
  };

  return checks[self->subkind] != NULL ? checks[self->subkind] (self) : NULL;
}
