/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Names for the inputs and outputs of an exported function: the paths of the leaves of its arguments and results, for
 * values that the program does not name.
 */

#include "import/exported/exported.h"

#include <string.h>

/* The attribute in which JAX itself names an output. */
#define RESULT_INFO "jax.result_info"

/* The module is not verified, so nothing about the function is certain. The kept arguments of the exported function
 * come last, after the platform index and tokens. */
static void
name_inputs (const GhloExported *self,
             GhloIrModule       *module,
             const GhloIrOp     *function)
{
  const GhloIrBlock *body = ghlo_ir_func_get_body (function);
  guint n_paths = self->input_paths != NULL ? g_strv_length (self->input_paths) : 0;
  guint first;

  if (body == NULL || body->n_arguments < self->n_kept_inputs)
    return;
  first = body->n_arguments - self->n_kept_inputs;
  for (guint i = 0; i < self->n_kept_inputs; i++)
    {
      GhloIrValue *argument = body->arguments[first + i];
      guint input = self->kept_inputs[i];

      if (argument->name == NULL && input < n_paths && *self->input_paths[input] != '\0')
        argument->name = ghlo_ir_module_intern (module, self->input_paths[input], -1);
    }
}

/* Whether an output with these attributes lacks a name although there is a path for it. */
static gboolean
lacks_name (const GhloIrAttr *attributes,
            const char       *path)
{
  if (*path == '\0')
    return FALSE;

  return attributes == NULL
         || (attributes->kind == GHLO_IR_ATTR_DICTIONARY && ghlo_ir_dictionary_get (attributes, RESULT_INFO) == NULL);
}

static const GhloIrAttr *
add_result_info (GhloIrModule     *module,
                 const GhloIrAttr *attributes,
                 const char       *path)
{
  gsize n = attributes != NULL ? attributes->length : 0;
  g_autofree GhloIrNamedAttr *entries = g_new (GhloIrNamedAttr, n + 1);

  if (n > 0)
    memcpy (entries, attributes->entries, n * sizeof *entries);
  entries[n] = (GhloIrNamedAttr) { ghlo_ir_module_intern (module, RESULT_INFO, -1),
                                   ghlo_ir_attr_string (module, path, -1) };

  return ghlo_ir_attr_dictionary (module, entries, n + 1);
}

/* Returns the attributes of the function's outputs, one dictionary each, NULL for an output without any. Returns NULL
 * if the function's attributes are malformed. */
static const GhloIrAttr **
get_output_attributes (const GhloIrOp *function,
                       guint          *n)
{
  const GhloIrAttr *type = ghlo_ir_op_get (function, "function_type");
  const GhloIrAttr *list = ghlo_ir_op_get (function, "res_attrs");
  const GhloIrAttr **attributes;

  if (type == NULL || type->kind != GHLO_IR_ATTR_TYPE || type->type == NULL
      || type->type->kind != GHLO_IR_TYPE_FUNCTION)
    return NULL;
  *n = type->type->n_results;
  if (list != NULL && (list->kind != GHLO_IR_ATTR_ARRAY || list->length != *n))
    return NULL;

  attributes = g_new0 (const GhloIrAttr *, *n + 1);
  for (guint i = 0; list != NULL && i < *n; i++)
    attributes[i] = list->children[i];

  return attributes;
}

static void
name_outputs (const GhloExported *self,
              GhloIrModule       *module,
              GhloIrOp           *function)
{
  guint n_paths = self->output_paths != NULL ? g_strv_length (self->output_paths) : 0;
  guint n = 0;
  g_autofree const GhloIrAttr **attributes = get_output_attributes (function, &n);
  gboolean any = FALSE;

  if (attributes == NULL || n < n_paths)
    return;
  for (guint i = 0; i < n_paths; i++)
    {
      const GhloIrAttr **output = &attributes[n - n_paths + i];

      if (!lacks_name (*output, self->output_paths[i]))
        continue;
      *output = add_result_info (module, *output, self->output_paths[i]);
      any = TRUE;
    }
  if (!any)
    return;

  for (guint i = 0; i < n; i++)
    if (attributes[i] == NULL)
      attributes[i] = ghlo_ir_attr_dictionary (module, NULL, 0);
  ghlo_ir_op_set (module, function, "res_attrs", ghlo_ir_attr_array (module, attributes, n));
}

void
ghlo_exported_name_values (const GhloExported *self,
                           GhloIrModule       *module)
{
  GhloIrOp *function = ghlo_ir_module_get_entry (module);

  if (function == NULL)
    return;
  name_inputs (self, module, function);
  name_outputs (self, module, function);
}
