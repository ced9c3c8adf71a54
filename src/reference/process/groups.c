/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Converts replica groups, written as a table or as axes of a mesh, to groups of
 * processes (specification, "Collective ops").
 */

#include "reference/process/groups.h"

#include "reference/frame.h"

/* Larger meshes are rejected: no grid of processes is that large. */
enum { MAX_DEVICES = 1 << 20 };

/* The part of a mesh that a group spans along one axis or sub-axis: @size devices, @stride apart. */
typedef struct
{
  gint64 size, stride;
} Part;

static void
free_row (gpointer data)
{
  g_array_unref (data);
}

static GPtrArray *
new_rows (void)
{
  return g_ptr_array_new_with_free_func (free_row);
}

static GArray *
add_row (GPtrArray *rows)
{
  GArray *row = g_array_new (FALSE, FALSE, sizeof (gint64));

  g_ptr_array_add (rows, row);

  return row;
}

/* Reads a table of numbers in which -1 pads short rows. */
static GPtrArray *
read_table (const GhloIrAttr *attr)
{
  g_autofree gint64 *values = NULL;
  GPtrArray *rows;
  gsize n, n_rows, length;

  if (attr->kind != GHLO_IR_ATTR_DENSE || !ghlo_ir_type_is_tensor (attr->type) || attr->type->rank != 2
      || !ghlo_ir_dense_to_int64 (attr, &values, &n))
    return NULL;

  rows = new_rows ();
  n_rows = attr->type->dimensions[0];
  length = attr->type->dimensions[1];
  for (gsize i = 0; length > 0 && i < n_rows; i++)
    {
      GArray *row = add_row (rows);

      for (gsize j = 0; j < length; j++)
        if (values[i * length + j] != -1)
          g_array_append_val (row, values[i * length + j]);
    }

  return rows;
}

/* The mesh: the attribute itself, or the mesh of the symbol that it names. */
static const GhloIrAttr *
find_mesh (const GhloRefCall *call,
           const GhloIrAttr  *attr)
{
  const GhloIrAttr *mesh = ghlo_ir_struct_get (attr, "mesh");
  const GhloIrOp *symbol;

  if (mesh != NULL && mesh->kind == GHLO_IR_ATTR_SYMBOL)
    {
      symbol = ghlo_ir_op_find_symbol (call->op, mesh->text);
      if (symbol == NULL)
        return NULL;
      mesh = ghlo_ir_op_get (symbol, "mesh");
      if (mesh == NULL)
        mesh = ghlo_ir_op_get (symbol, "stablehlo.mesh");
    }

  return mesh != NULL && mesh->kind == GHLO_IR_ATTR_STRUCT && mesh->subkind == GHLO_IR_STRUCT_MESH ? mesh : NULL;
}

/* The part of the mesh that an axis or a sub-axis covers. FALSE also when @reference names no axis of the
 * mesh; the verifier checks that only for a mesh that is given without a symbol. */
static gboolean
find_part (const GhloIrAttr *axes,
           const GhloIrAttr *reference,
           Part             *part)
{
  const GhloIrAttr *name, *sub_axis;
  gint64 stride = 1;

  if (reference->kind != GHLO_IR_ATTR_STRUCT || reference->subkind != GHLO_IR_STRUCT_AXIS_REF)
    return FALSE;
  name = ghlo_ir_struct_get (reference, "name");
  sub_axis = ghlo_ir_struct_get (reference, "sub_axis_info");

  for (gsize i = axes->length; i-- > 0;)
    {
      const GhloIrAttr *axis_name = ghlo_ir_struct_get (axes->children[i], "name");
      gint64 size = ghlo_ir_struct_get_int (axes->children[i], "size");

      if (name != NULL && axis_name != NULL && g_strcmp0 (name->text, axis_name->text) == 0)
        {
          gint64 before = sub_axis != NULL ? ghlo_ir_struct_get_int (sub_axis, "pre_size") : 1;

          part->size = sub_axis != NULL ? ghlo_ir_struct_get_int (sub_axis, "size") : size;
          if (before < 1 || part->size < 1 || before > size || part->size > size || size % (before * part->size) != 0)
            return FALSE;
          part->stride = stride * (size / (before * part->size));
          return TRUE;
        }
      stride *= size;
    }

  return FALSE;
}

/* Whether a group that spans both parts would contain a device twice. */
static gboolean
parts_overlap (const Part *a,
               const Part *b)
{
  return a->size > 1 && b->size > 1 && a->stride < b->stride * b->size && b->stride < a->stride * a->size;
}

/* The number of devices of a mesh; 0 when there are too many or a size is invalid. */
static gint64
count_devices (const GhloIrAttr *axes)
{
  gint64 n = 1;

  for (gsize i = 0; i < axes->length; i++)
    {
      gint64 size = ghlo_ir_struct_get_int (axes->children[i], "size");

      if (size < 1 || size > MAX_DEVICES || n * size > MAX_DEVICES)
        return 0;
      n *= size;
    }

  return n;
}

/* The first device of a group has coordinate 0 in every part. The others follow in an order in which the
 * last part varies fastest. */
static GPtrArray *
split_mesh (gint64        n_devices,
            const Part   *parts,
            gsize         n_parts,
            const gint64 *device_ids)
{
  GPtrArray *rows = new_rows ();
  gint64 group_size = 1;

  for (gsize i = 0; i < n_parts; i++)
    group_size *= parts[i].size;

  for (gint64 device = 0; device < n_devices; device++)
    {
      gboolean is_first = TRUE;
      GArray *row;

      for (gsize i = 0; i < n_parts; i++)
        is_first &= device / parts[i].stride % parts[i].size == 0;
      if (!is_first)
        continue;

      row = add_row (rows);
      for (gint64 member = 0; member < group_size; member++)
        {
          gint64 rest = member, id = device;

          for (gsize i = n_parts; i-- > 0;)
            {
              id += rest % parts[i].size * parts[i].stride;
              rest /= parts[i].size;
            }
          if (device_ids != NULL)
            id = device_ids[id];
          g_array_append_val (row, id);
        }
    }

  return rows;
}

static GPtrArray *
read_mesh_axes (const GhloRefCall *call,
                const GhloIrAttr  *attr)
{
  const GhloIrAttr *mesh = find_mesh (call, attr);
  const GhloIrAttr *references = ghlo_ir_struct_get (attr, "axes");
  const GhloIrAttr *axes = mesh != NULL ? ghlo_ir_struct_get (mesh, "axes") : NULL;
  const GhloIrAttr *ids = mesh != NULL ? ghlo_ir_struct_get (mesh, "device_ids") : NULL;
  g_autofree gint64 *device_ids = NULL;
  g_autofree Part *parts = NULL;
  gint64 n_devices;
  gsize n_ids = 0;

  if (axes == NULL || axes->kind != GHLO_IR_ATTR_ARRAY || references == NULL || references->kind != GHLO_IR_ATTR_ARRAY)
    return NULL;
  n_devices = count_devices (axes);
  if (n_devices == 0 || (ids != NULL && !ghlo_ir_dense_to_int64 (ids, &device_ids, &n_ids)))
    return NULL;
  if (n_ids == 0)
    g_clear_pointer (&device_ids, g_free);
  else if (n_ids != n_devices)
    return NULL;

  parts = g_new (Part, references->length + 1);
  for (gsize i = 0; i < references->length; i++)
    {
      if (!find_part (axes, references->children[i], &parts[i]))
        return NULL;
      for (gsize j = 0; j < i; j++)
        if (parts_overlap (&parts[j], &parts[i]))
          return NULL;
    }

  return split_mesh (n_devices, parts, references->length, device_ids);
}

/* Adds one row of all numbers, which is the meaning of an empty table. */
static void
add_all (GPtrArray *rows,
         gint64     n)
{
  GArray *row = add_row (rows);

  for (gint64 i = 0; i < n; i++)
    g_array_append_val (row, i);
}

static GPtrArray *
read_rows (const GhloRefCall *call,
           const char        *name,
           gint64             n)
{
  const GhloIrAttr *attr = ghlo_ir_op_get (call->op, name);
  GPtrArray *rows = NULL;

  if (attr == NULL)
    rows = new_rows ();
  else if (attr->kind == GHLO_IR_ATTR_STRUCT)
    rows = read_mesh_axes (call, attr);
  else
    rows = read_table (attr);

  if (rows != NULL && rows->len == 0 && g_str_equal (name, "replica_groups"))
    add_all (rows, n);

  return rows;
}

/* Adds the group of processes that the ids of a row denote. @fixed is the replica or partition that they
 * have in common. */
static void
add_group (GhloRefGroups   *self,
           const GArray    *row,
           GhloRefStrategy  strategy,
           guint            fixed,
           guint            n_partitions)
{
  GArray *group = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint n_blocks = strategy == GHLO_REF_CROSS_REPLICA_AND_PARTITION ? n_partitions : 1;

  for (guint block = 0; block < n_blocks; block++)
    for (guint i = 0; i < row->len; i++)
      {
        guint32 number = g_array_index (row, gint64, i);
        guint32 process = number;

        if (strategy == GHLO_REF_CROSS_REPLICA)
          process = number * n_partitions + fixed;
        else if (strategy == GHLO_REF_CROSS_PARTITION)
          process = fixed * n_partitions + number;
        else if (strategy == GHLO_REF_CROSS_REPLICA_AND_PARTITION)
          process = number * n_partitions + block;
        g_array_append_val (group, process);
      }
  g_ptr_array_add (self->groups, group);
}

static gboolean
check_row (GhloRefCall   *call,
           const char    *name,
           const GArray  *row,
           gint64         n,
           GError       **error)
{
  gboolean may_repeat = g_str_equal (name, "source_target_pairs");

  for (guint i = 0; i < row->len; i++)
    {
      gint64 number = g_array_index (row, gint64, i);

      if (number < 0 || number >= n)
        return ghlo_ref_fail (call, error, "expected numbers from 0 to %" G_GINT64_FORMAT " in %s, found %"
                              G_GINT64_FORMAT, n - 1, name, number);
      for (guint j = 0; j < i && !may_repeat; j++)
        if (g_array_index (row, gint64, j) == number)
          return ghlo_ref_fail (call, error, "expected every number once in %s, found %" G_GINT64_FORMAT " again",
                                name, number);
    }

  return TRUE;
}

gboolean
ghlo_ref_groups_init (GhloRefGroups   *self,
                      GhloRefCall     *call,
                      const char      *name,
                      GhloRefStrategy  strategy,
                      GError         **error)
{
  const GhloRefGrid *grid = call->frame->process->grid;
  guint n_replicas = ghlo_ref_grid_get_replicas (grid), n_partitions = ghlo_ref_grid_get_partitions (grid);
  gint64 n = strategy == GHLO_REF_FLATTENED_IDS ? (gint64) n_replicas * n_partitions
             : strategy == GHLO_REF_CROSS_PARTITION ? n_partitions : n_replicas;
  guint n_fixed = strategy == GHLO_REF_CROSS_REPLICA ? n_partitions
                  : strategy == GHLO_REF_CROSS_PARTITION ? n_replicas : 1;
  g_autoptr (GPtrArray) rows = read_rows (call, name, n);

  self->groups = NULL;
  if (rows == NULL)
    return ghlo_ref_fail (call, error,
                          "expected a table of process numbers, or axes of a known mesh, each once, as %s", name);
  if (rows->len > n)
    return ghlo_ref_fail (call, error, "expected at most %" G_GINT64_FORMAT " rows in %s, found %u", n, name,
                          rows->len);
  for (guint i = 0; i < rows->len; i++)
    if (!check_row (call, name, g_ptr_array_index (rows, i), n, error))
      return FALSE;

  self->groups = g_ptr_array_new_with_free_func (free_row);
  for (guint i = 0; i < rows->len; i++)
    for (guint fixed = 0; fixed < n_fixed; fixed++)
      add_group (self, g_ptr_array_index (rows, i), strategy, fixed, n_partitions);

  return TRUE;
}

void
ghlo_ref_groups_clear (GhloRefGroups *self)
{
  g_clear_pointer (&self->groups, g_ptr_array_unref);
}

const GArray *
ghlo_ref_groups_find (const GhloRefGroups *self,
                      guint32              process)
{
  for (guint i = 0; i < self->groups->len; i++)
    {
      const GArray *group = g_ptr_array_index (self->groups, i);

      for (guint j = 0; j < group->len; j++)
        if (g_array_index (group, guint32, j) == process)
          return group;
    }

  return NULL;
}

guint32
ghlo_ref_call_get_process (const GhloRefCall *call)
{
  const GhloRefProcess *process = call->frame->process;

  return process->replica * ghlo_ref_grid_get_partitions (process->grid) + process->partition;
}

gint64
ghlo_ref_call_get_channel (const GhloRefCall *call)
{
  const GhloIrAttr *handle = ghlo_ir_op_get (call->op, "channel_handle");

  return handle != NULL && handle->kind == GHLO_IR_ATTR_STRUCT ? ghlo_ir_struct_get_int (handle, "handle") : 0;
}
