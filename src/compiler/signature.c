/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Signatures: which function runs, which values it accepts, and what its attributes say.
 */

#include "compiler/signature.h"

#include <string.h>

#include "base/ghlo-error.h"
#include "base/stack.h"

/* The attribute of an argument that names the output that may take its memory. */
#define ALIASING_ATTRIBUTE "tf.aliasing_output"
#define DONOR_ATTRIBUTE    "jax.buffer_donor"
/* JAX's attribute for an argument that is not one of the traced function's own, such as "_platform_index"; its text is
 * the name. */
#define CONSTANT_ATTRIBUTE "jax.global_constant"

/* The attribute @name in dictionary @index of a list of dictionaries. */
static const GhloIrAttr *
get_attribute (const GhloIrAttr *dictionaries,
               guint             index,
               const char       *name)
{
  const GhloIrAttr *dictionary;

  if (dictionaries == NULL || dictionaries->kind != GHLO_IR_ATTR_ARRAY || index >= dictionaries->length)
    return NULL;
  dictionary = dictionaries->children[index];
  if (dictionary == NULL || dictionary->kind != GHLO_IR_ATTR_DICTIONARY)
    return NULL;

  return ghlo_ir_dictionary_get (dictionary, name);
}

const GhloIrAttr *
ghlo_signature_input_attribute (const GhloIrOp *function,
                                guint           index,
                                const char     *name)
{
  return get_attribute (ghlo_ir_op_get (function, "arg_attrs"), index, name);
}

const GhloIrAttr *
ghlo_signature_output_attribute (const GhloIrOp *function,
                                 guint           index,
                                 const char     *name)
{
  return get_attribute (ghlo_ir_op_get (function, "res_attrs"), index, name);
}

/* FALSE for "arg0" and "0", which tools write where there is no name. */
static gboolean
is_name (const char *name)
{
  if (name == NULL || *name == '\0')
    return FALSE;
  if (g_str_has_prefix (name, "arg"))
    name += strlen ("arg");

  return name[strspn (name, "0123456789")] != '\0';
}

const char *
ghlo_signature_input_name (const GhloIrOp *function,
                           guint           index)
{
  const GhloIrBlock *body = ghlo_ir_func_get_body (function);
  const GhloIrAttr *constant = get_attribute (ghlo_ir_op_get (function, "arg_attrs"), index, CONSTANT_ATTRIBUTE);
  const GhloIrValue *argument;

  if (body == NULL || index >= body->n_arguments)
    return NULL;
  if (constant != NULL && constant->kind == GHLO_IR_ATTR_STRING && constant->length > 0)
    return constant->text;
  argument = body->arguments[index];
  if (argument->location != NULL && argument->location->kind == GHLO_IR_LOCATION_NAME
      && is_name (argument->location->text))
    return argument->location->text;

  return is_name (argument->name) ? argument->name : NULL;
}

const char *
ghlo_signature_output_name (const GhloIrOp *function,
                            guint           index)
{
  const GhloIrAttr *info = get_attribute (ghlo_ir_op_get (function, "res_attrs"), index, "jax.result_info");

  return info != NULL && info->kind == GHLO_IR_ATTR_STRING && info->length > 0 ? info->text : NULL;
}

gint64
ghlo_signature_aliased_output (const GhloIrOp *function,
                               guint           index)
{
  const GhloIrAttr *alias = get_attribute (ghlo_ir_op_get (function, "arg_attrs"), index, ALIASING_ATTRIBUTE);

  return alias != NULL && alias->kind == GHLO_IR_ATTR_INTEGER ? alias->integer : -1;
}

char *
ghlo_signature_describe_input (const GhloIrOp *function,
                               guint           index)
{
  const char *name = ghlo_signature_input_name (function, index);

  return name != NULL ? g_strdup_printf ("%u ('%s')", index, name) : g_strdup_printf ("%u", index);
}

void
ghlo_signature_append_input (const GhloIrOp *function,
                             guint           index,
                             GString        *list)
{
  enum { LONG = 240 };
  g_autofree char *input = ghlo_signature_describe_input (function, index);

  if (list->len < LONG)
    g_string_append_printf (list, "%s%s", list->len > 0 ? ", " : "", input);
  else if (!g_str_has_suffix (list->str, "…"))
    g_string_append (list, ", …");
}

int
ghlo_signature_find_input (const GhloSignature *self,
                           const char          *name,
                           GError             **error)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < self->type->rank; i++)
    {
      const char *given = ghlo_signature_input_name (self->function, i);
      g_autofree char *known = given != NULL ? g_utf8_make_valid (given, -1) : NULL;

      if (known != NULL && g_strcmp0 (known, name) == 0)
        return (int) i;
      g_string_append (names, i > 0 ? ", " : "");
      if (known != NULL)
        g_string_append (names, known);
      else
        g_string_append_printf (names, "%u", i);
    }
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
               "expected the name of an input of this program (%s), found %s%s%s", names->len > 0 ? names->str : "none",
               name != NULL ? "'" : "", name != NULL ? name : "nothing", name != NULL ? "'" : "");

  return -1;
}

gboolean
ghlo_signature_is_donatable (const GhloIrOp *function,
                             guint           index)
{
  const GhloIrAttr *donor = get_attribute (ghlo_ir_op_get (function, "arg_attrs"), index, DONOR_ATTRIBUTE);

  return ghlo_signature_aliased_output (function, index) >= 0
         || (donor != NULL && donor->kind == GHLO_IR_ATTR_BOOL && donor->integer != 0);
}

int
ghlo_signature_aliased_input (const GhloIrOp *function,
                              guint           n_inputs,
                              guint           output)
{
  for (guint i = 0; i < n_inputs; i++)
    if (ghlo_signature_aliased_output (function, i) == (gint64) output)
      return (int) i;

  return -1;
}

gboolean
ghlo_signature_init (GhloSignature *self,
                     GhloIrModule  *module,
                     GError       **error)
{
  GhloIrOp *function = ghlo_ir_module_get_entry (module);
  const GhloIrAttr *type = function != NULL ? ghlo_ir_op_get (function, "function_type") : NULL;
  g_autofree char *found = NULL;

  if (type != NULL && type->type != NULL && type->type->kind == GHLO_IR_TYPE_FUNCTION
      && ghlo_ir_func_get_body (function) != NULL)
    {
      *self = (GhloSignature) { function, type->type };
      return TRUE;
    }

  found = ghlo_ir_module_describe_functions (module);
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
               "%s: expected a function 'main' or a single public function to run, found %s", module->file_name, found);

  return FALSE;
}

static char *
describe_value (const GhloValue *value)
{
  GString *text;

  if (value->kind == GHLO_VALUE_TENSOR)
    return ghlo_tensor_type_to_string (value->type);
  if (value->kind == GHLO_VALUE_TOKEN)
    return g_strdup ("a token");
  if (value->kind == GHLO_VALUE_FUTURE)
    return g_strdup ("a future");

  text = g_string_new ("tuple<");
  for (guint i = 0; i < value->n_members; i++)
    {
      g_autofree char *member = describe_value (value->members[i]);

      g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", member);
    }
  g_string_append_c (text, '>');

  return g_string_free (text, FALSE);
}

/* Static dimensions must be equal, and bounds must not be exceeded. */
static gboolean
dimensions_fit (const GhloIrType     *type,
                const GhloTensorType *found)
{
  if (type->rank != found->rank)
    return FALSE;
  for (guint i = 0; i < type->rank; i++)
    {
      if (type->dimensions[i] >= 0 && type->dimensions[i] != found->dimensions[i])
        return FALSE;
      if (type->dimensions[i] < 0 && type->bounds != NULL && type->bounds[i] >= 0
          && found->dimensions[i] > type->bounds[i])
        return FALSE;
    }

  return TRUE;
}

/* Whether the input is quantized and the value has plain stored numbers. */
static gboolean
is_stored (const GhloIrType     *type,
           const GhloTensorType *found)
{
  return type->quantization != NULL && found->quantization == NULL;
}

static gboolean
tensor_fits (const GhloIrType     *type,
             const GhloTensorType *found)
{
  if (type->element_type != found->element_type || type->element_type == GHLO_ELEMENT_TYPE_INVALID)
    return FALSE;
  if (type->kind != GHLO_IR_TYPE_UNRANKED && !dimensions_fit (type, found))
    return FALSE;
  if (type->quantization == NULL)
    return found->quantization == NULL;

  return is_stored (type, found) || ghlo_quantization_equal (type->quantization, found->quantization);
}

static GhloValue *
accept_tensor (const GhloIrType *type,
               GhloValue        *value,
               GError          **error)
{
  const GhloTensorType *found = value->type;
  g_autoptr (GhloTensorType) quantized = NULL;

  if (!tensor_fits (type, found))
    return NULL;
  if (!is_stored (type, found))
    return ghlo_value_ref (value);
  quantized = ghlo_tensor_type_new_full (found->element_type, found->dimensions, NULL, found->rank, type->quantization);

  return ghlo_value_new_over (quantized, value->storage, error);
}

/* NULL when @value does not fit; @error is set only for other reasons. */
static GhloValue *
accept_value (const GhloIrType *type,
              GhloValue        *value,
              GError          **error)
{
  g_autoptr (GPtrArray) members = NULL;

  switch (type->kind)
    {
    case GHLO_IR_TYPE_TENSOR:
    case GHLO_IR_TYPE_UNRANKED:
      return value->kind == GHLO_VALUE_TENSOR ? accept_tensor (type, value, error) : NULL;
    case GHLO_IR_TYPE_TOKEN:
      return value->kind == GHLO_VALUE_TOKEN ? ghlo_value_ref (value) : NULL;
    case GHLO_IR_TYPE_TUPLE:
      if (value->kind != GHLO_VALUE_TUPLE || value->n_members != type->rank)
        return NULL;
      members = g_ptr_array_new_with_free_func ((GDestroyNotify) ghlo_value_unref);
      for (guint i = 0; i < type->rank; i++)
        {
          GhloValue *member = accept_value (type->members[i], value->members[i], error);

          if (member == NULL)
            return NULL;
          g_ptr_array_add (members, member);
        }
      return ghlo_value_new_tuple ((GhloValue *const *) members->pdata, members->len);
    default:
      return NULL;
    }
}

static void
set_refusal (const GhloSignature  *self,
             guint                 index,
             const char           *found,
             GError              **error)
{
  g_autofree char *expected = ghlo_ir_type_to_string (self->type->members[index]);
  const char *name = ghlo_signature_input_name (self->function, index);

  if (name != NULL)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT, "expected %s for input %u ('%s'), found %s",
                 expected, index, name, found);
  else
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT, "expected %s for input %u, found %s",
                 expected, index, found);
}

static GhloValue *
accept_input (const GhloSignature *self,
              guint                index,
              GhloValue           *value,
              GError             **error)
{
  g_autoptr (GError) local_error = NULL;
  GhloValue *accepted = accept_value (self->type->members[index], value, &local_error);
  g_autofree char *found = NULL;

  if (accepted != NULL)
    return accepted;
  if (local_error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&local_error));
      return NULL;
    }
  found = describe_value (value);
  set_refusal (self, index, found, error);

  return NULL;
}

typedef struct
{
  const GhloSignature *signature;
  guint                index;
  GhloValue           *value;
  GError             **error;
} Acceptance;

static gpointer
run_acceptance (gpointer data)
{
  const Acceptance *self = data;

  return accept_input (self->signature, self->index, self->value, self->error);
}

/* Tuples nest. */
GhloValue *
ghlo_signature_accept_input (const GhloSignature *self,
                             guint                index,
                             GhloValue           *value,
                             GError             **error)
{
  return self->type->members[index]->kind == GHLO_IR_TYPE_TUPLE || value->kind == GHLO_VALUE_TUPLE
         ? ghlo_stack_call (run_acceptance, &(Acceptance) { self, index, value, error })
         : accept_input (self, index, value, error);
}

gboolean
ghlo_signature_check_tensor (const GhloSignature   *self,
                             guint                  index,
                             const GhloTensorType  *type,
                             GError               **error)
{
  const GhloIrType *expected = self->type->members[index];
  g_autofree char *found = NULL;

  if ((expected->kind == GHLO_IR_TYPE_TENSOR || expected->kind == GHLO_IR_TYPE_UNRANKED)
      && tensor_fits (expected, type))
    return TRUE;
  found = ghlo_tensor_type_to_string (type);
  set_refusal (self, index, found, error);

  return FALSE;
}

/* Whether a tensor of type @found may fit @type at run time. */
static gboolean
tensor_may_fit (const GhloIrType *type,
                const GhloIrType *found)
{
  if (type->element_type != found->element_type || type->element_type == GHLO_ELEMENT_TYPE_INVALID)
    return FALSE;
  if (found->quantization != NULL
      && (type->quantization == NULL || !ghlo_quantization_equal (type->quantization, found->quantization)))
    return FALSE;
  if (type->kind == GHLO_IR_TYPE_UNRANKED || found->kind == GHLO_IR_TYPE_UNRANKED)
    return TRUE;
  if (type->rank != found->rank)
    return FALSE;

  for (guint i = 0; i < type->rank; i++)
    {
      gint64 wanted = type->dimensions[i];
      gint64 size = found->dimensions[i];

      if (size >= 0 && wanted >= 0 && wanted != size)
        return FALSE;
      if (size >= 0 && wanted < 0 && type->bounds != NULL && type->bounds[i] >= 0 && size > type->bounds[i])
        return FALSE;
    }

  return TRUE;
}

static gboolean
type_may_fit (const GhloIrType *type,
              const GhloIrType *found)
{
  gboolean tensor = type->kind == GHLO_IR_TYPE_TENSOR || type->kind == GHLO_IR_TYPE_UNRANKED;

  if (tensor)
    return (found->kind == GHLO_IR_TYPE_TENSOR || found->kind == GHLO_IR_TYPE_UNRANKED) && tensor_may_fit (type, found);
  if (type->kind != found->kind)
    return FALSE;
  if (type->kind != GHLO_IR_TYPE_TUPLE)
    return type->kind == GHLO_IR_TYPE_TOKEN;
  if (type->rank != found->rank)
    return FALSE;
  for (guint i = 0; i < type->rank; i++)
    if (!type_may_fit (type->members[i], found->members[i]))
      return FALSE;

  return TRUE;
}

gboolean
ghlo_signature_check_carry (const GhloSignature *self,
                            guint                output,
                            guint                input,
                            GError             **error)
{
  const GhloIrType *type = self->type->members[input];
  const GhloIrType *found = self->type->members[self->type->rank + output];
  g_autofree char *expected_text = NULL;
  g_autofree char *found_text = NULL;

  if (type_may_fit (type, found))
    return TRUE;

  expected_text = ghlo_ir_type_to_string (type);
  found_text = ghlo_ir_type_to_string (found);
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
               "output %u cannot be carried into input %u: expected %s, the type of the input, found %s",
               output, input, expected_text, found_text);

  return FALSE;
}
