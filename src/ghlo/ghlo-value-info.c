/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Value infos: a function's declaration of its inputs and outputs, as objects.
 */

#include "ghlo-value-info-private.h"

#include "base/stack.h"
#include "compiler/signature.h"

/**
 * GhloValueInfo:
 *
 * What a program declares about one of its inputs or outputs: its name, kind and
 * type, and how its memory may be reused. It is immutable.
 *
 * Since: 1.0
 */
struct _GhloValueInfo
{
  gatomicrefcount   ref_count;
  char             *name;            /* nullable; valid UTF-8, whatever bytes the program contains */
  GhloValueKind     kind;
  GhloTensorType   *tensor_type;     /* for a tensor with a rank; else NULL */
  GhloValueInfo   **members;         /* for a tuple or future, NULL-terminated; else NULL */
  gboolean          donatable;
  guint             index;           /* among the inputs, outputs or members */
  int               aliased_input;   /* for an output; -1 when there is none */
};

G_DEFINE_BOXED_TYPE (GhloValueInfo, ghlo_value_info, ghlo_value_info_ref, ghlo_value_info_unref)

static gpointer
new_members (gpointer data)
{
  const GhloIrType *type = data;
  GhloValueInfo **members = g_new0 (GhloValueInfo *, (gsize) type->rank + 1);

  for (guint i = 0; i < type->rank; i++)
    members[i] = ghlo_value_info_new_for_type (type->members[i], i);

  return members;
}

GhloValueInfo *
ghlo_value_info_new_for_type (const GhloIrType *type,
                              guint             index)
{
  GhloValueInfo *self = g_new0 (GhloValueInfo, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->index = index;
  self->aliased_input = -1;
  switch (type->kind)
    {
    case GHLO_IR_TYPE_TOKEN:
      self->kind = GHLO_VALUE_TOKEN;
      break;
    case GHLO_IR_TYPE_TUPLE:
    case GHLO_IR_TYPE_FUTURE:
      self->kind = type->kind == GHLO_IR_TYPE_TUPLE ? GHLO_VALUE_TUPLE : GHLO_VALUE_FUTURE;
      self->members = ghlo_stack_call (new_members, (gpointer) type);
      break;
    default:
      self->kind = GHLO_VALUE_TENSOR;
      if (ghlo_ir_type_is_tensor (type))
        self->tensor_type = ghlo_ir_type_to_tensor_type (type);
    }

  return self;
}

static char *
dup_name (const char *name)
{
  return name != NULL ? g_utf8_make_valid (name, -1) : NULL;
}

GhloValueInfo **
ghlo_value_info_list_for_function (const GhloIrOp    *function,
                                   GhloValueInfoSide  side)
{
  const GhloIrAttr *attribute = function != NULL ? ghlo_ir_op_get (function, "function_type") : NULL;
  const GhloIrType *type;
  GhloValueInfo **list;
  guint n;

  if (attribute == NULL || attribute->type == NULL || attribute->type->kind != GHLO_IR_TYPE_FUNCTION)
    return g_new0 (GhloValueInfo *, 1);

  type = attribute->type;
  n = side == GHLO_VALUE_INFO_INPUTS ? type->rank : type->n_results;
  list = g_new0 (GhloValueInfo *, (gsize) n + 1);
  for (guint i = 0; i < n; i++)
    {
      if (side == GHLO_VALUE_INFO_INPUTS)
        {
          list[i] = ghlo_value_info_new_for_type (type->members[i], i);
          list[i]->name = dup_name (ghlo_signature_input_name (function, i));
          list[i]->donatable = ghlo_signature_is_donatable (function, i);
        }
      else
        {
          list[i] = ghlo_value_info_new_for_type (type->members[type->rank + i], i);
          list[i]->name = dup_name (ghlo_signature_output_name (function, i));
          list[i]->aliased_input = ghlo_signature_aliased_input (function, type->rank, i);
        }
    }

  return list;
}

/**
 * ghlo_value_info_ref:
 * @self: a value info
 *
 * Takes a reference.
 *
 * Returns: (transfer full): @self
 *
 * Since: 1.0
 */
GhloValueInfo *
ghlo_value_info_ref (GhloValueInfo *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

static gpointer
free_members (gpointer data)
{
  GhloValueInfo **members = data;

  for (guint i = 0; members[i] != NULL; i++)
    ghlo_value_info_unref (members[i]);
  g_free (members);

  return NULL;
}

/**
 * ghlo_value_info_unref:
 * @self: (transfer full): a value info
 *
 * Drops a reference.
 *
 * Since: 1.0
 */
void
ghlo_value_info_unref (GhloValueInfo *self)
{
  g_return_if_fail (self != NULL);

  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_free (self->name);
  g_clear_pointer (&self->tensor_type, ghlo_tensor_type_unref);
  if (self->members != NULL)
    ghlo_stack_call (free_members, self->members);
  g_free (self);
}

/**
 * ghlo_value_info_get_name:
 * @self: a value info
 *
 * Gets the name of the value in the program.
 *
 * Returns: (nullable): the name, or %NULL when it has none
 *
 * Since: 1.0
 */
const char *
ghlo_value_info_get_name (const GhloValueInfo *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->name;
}

/**
 * ghlo_value_info_get_index:
 * @self: a value info
 *
 * Gets the position of the value among the program's inputs or outputs, or among
 * the members of a tuple.
 *
 * Returns: the index, from 0
 *
 * Since: 1.0
 */
guint
ghlo_value_info_get_index (const GhloValueInfo *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->index;
}

/**
 * ghlo_value_info_get_kind:
 * @self: a value info
 *
 * Gets the kind of the value.
 *
 * Returns: the kind
 *
 * Since: 1.0
 */
GhloValueKind
ghlo_value_info_get_kind (const GhloValueInfo *self)
{
  g_return_val_if_fail (self != NULL, GHLO_VALUE_TENSOR);

  return self->kind;
}

/**
 * ghlo_value_info_get_tensor_type:
 * @self: a value info
 *
 * Gets the type of a tensor. Its dimensions may be %GHLO_DYNAMIC.
 *
 * Returns: (transfer none) (nullable): the type; %NULL for a value that is not a
 *   tensor, and for a tensor of unknown rank
 *
 * Since: 1.0
 */
GhloTensorType *
ghlo_value_info_get_tensor_type (const GhloValueInfo *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->tensor_type;
}

/**
 * ghlo_value_info_list_members:
 * @self: a value info
 *
 * Lists the members of a tuple, or the values that a future will deliver.
 *
 * Returns: (transfer full) (array zero-terminated=1): the members; none for a
 *   tensor or token
 *
 * Since: 1.0
 */
GhloValueInfo **
ghlo_value_info_list_members (const GhloValueInfo *self)
{
  GhloValueInfo **list;
  guint n = 0;

  g_return_val_if_fail (self != NULL, NULL);

  while (self->members != NULL && self->members[n] != NULL)
    n++;
  list = g_new0 (GhloValueInfo *, (gsize) n + 1);
  for (guint i = 0; i < n; i++)
    list[i] = ghlo_value_info_ref (self->members[i]);

  return list;
}

/**
 * ghlo_value_info_is_donatable:
 * @self: a value info
 *
 * Returns whether the program permits a run to reuse the memory of this input.
 * [method@Ghlo.Executable.execute] never does.
 *
 * Returns: %TRUE when the memory may be reused
 *
 * Since: 1.0
 */
gboolean
ghlo_value_info_is_donatable (const GhloValueInfo *self)
{
  g_return_val_if_fail (self != NULL, FALSE);

  return self->donatable;
}

/**
 * ghlo_value_info_get_aliased_input:
 * @self: a value info
 *
 * Gets the input whose memory the program permits this output to reuse.
 *
 * Returns: the index of the input, or -1 when there is none
 *
 * Since: 1.0
 */
int
ghlo_value_info_get_aliased_input (const GhloValueInfo *self)
{
  g_return_val_if_fail (self != NULL, -1);

  return self->aliased_input;
}

static void
append_type (const GhloValueInfo *self,
             GString             *text)
{
  g_autofree char *tensor = NULL;

  switch (self->kind)
    {
    case GHLO_VALUE_TOKEN:
      g_string_append (text, "!stablehlo.token");
      return;
    case GHLO_VALUE_TUPLE:
    case GHLO_VALUE_FUTURE:
      g_string_append (text, self->kind == GHLO_VALUE_TUPLE ? "tuple<" : "!stablehlo.future<");
      for (guint i = 0; self->members[i] != NULL; i++)
        {
          if (i > 0)
            g_string_append (text, ", ");
          append_type (self->members[i], text);
        }
      g_string_append_c (text, '>');
      return;
    case GHLO_VALUE_TENSOR:
      tensor = self->tensor_type != NULL ? ghlo_tensor_type_to_string (self->tensor_type) : g_strdup ("tensor<*>");
      g_string_append (text, tensor);
      return;
    }
}

static gpointer
to_string (gpointer data)
{
  const GhloValueInfo *self = data;
  GString *text = g_string_new (NULL);

  if (self->name != NULL)
    g_string_append_printf (text, "%s: ", self->name);
  append_type (self, text);

  return g_string_free (text, FALSE);
}

/**
 * ghlo_value_info_to_string:
 * @self: a value info
 *
 * Formats name and type in MLIR's syntax for types: `weights: tensor<2x3xf32>`.
 *
 * Returns: (transfer full): the text
 *
 * Since: 1.0
 */
char *
ghlo_value_info_to_string (const GhloValueInfo *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return ghlo_stack_call (to_string, (gpointer) self);
}
