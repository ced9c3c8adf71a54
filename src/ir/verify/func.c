/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Verifies modules, functions, returns and operations that name functions: calls, composites, the programs of
 * interpreter.run_parallel.
 */

#include "ir/verify/common.h"

#include <string.h>

/* The type of a function, or NULL if the attribute is not a function type. */
static const GhloIrType *
function_type (const GhloIrOp *func)
{
  const GhloIrAttr *attr = ghlo_ir_op_get (func, "function_type");

  if (attr == NULL || attr->kind != GHLO_IR_ATTR_TYPE || attr->type->kind != GHLO_IR_TYPE_FUNCTION)
    return NULL;

  return attr->type;
}

/* Looks up the function @name from @op and returns its type; NULL after an error. */
static const GhloIrType *
find_function (GhloIrVerifier *verifier,
               const GhloIrOp *op,
               const char     *name)
{
  const GhloIrOp *func = ghlo_ir_op_find_symbol (op, name);
  const GhloIrType *type = func != NULL && func->kind == GHLO_OP_FUNC_FUNC ? function_type (func) : NULL;

  if (type == NULL)
    ghlo_ir_verify_fail (verifier, op, "expected the name of a function, found '%s', %s", name,
                         func == NULL ? "which is not defined" : "which is not a function");

  return type;
}

gboolean
ghlo_ir_verify_module (GhloIrVerifier *verifier,
                       const GhloIrOp *op)
{
  const GhloIrBlock *body = ghlo_ir_op_region_block (op, 0);

  if (body->n_arguments != 0)
    return ghlo_ir_verify_fail (verifier, op, "expected a module body without arguments, found %u", body->n_arguments);
  for (guint i = 0; i < op->n_discardable; i++)
    if (strchr (op->discardable[i].name, '.') == NULL)
      return ghlo_ir_verify_fail (verifier, op, "expected module attributes with a dialect prefix, found '%s'",
                                  op->discardable[i].name);

  return TRUE;
}

/* Checks that there is one dictionary for each argument (or result) and that each name has a dialect prefix. */
static gboolean
value_attributes_fit (GhloIrVerifier *verifier,
                      const GhloIrOp *op,
                      const char     *name,
                      guint           n)
{
  const GhloIrAttr *list = ghlo_ir_op_get (op, name);

  if (list == NULL)
    return TRUE;
  if (list->length != n)
    return ghlo_ir_verify_fail (verifier, op, "expected %u dictionaries in %s, found %" G_GSIZE_FORMAT,
                                n, name, list->length);
  for (gsize i = 0; i < list->length; i++)
    for (gsize j = 0; j < list->children[i]->length; j++)
      if (strchr (list->children[i]->entries[j].name, '.') == NULL)
        return ghlo_ir_verify_fail (verifier, op, "expected attributes in %s with a dialect prefix, found '%s'",
                                    name, list->children[i]->entries[j].name);

  return TRUE;
}

static gboolean
visibility_fits (GhloIrVerifier *verifier,
                 const GhloIrOp *op,
                 gboolean        is_declaration)
{
  const char *visibility = ghlo_ir_op_get_string (op, "sym_visibility");

  if (visibility == NULL)
    visibility = "public";
  if (strcmp (visibility, "public") != 0 && strcmp (visibility, "private") != 0 && strcmp (visibility, "nested") != 0)
    return ghlo_ir_verify_fail (verifier, op, "expected visibility public, private or nested, found '%s'", visibility);
  if (is_declaration && strcmp (visibility, "public") == 0)
    return ghlo_ir_verify_fail (verifier, op, "expected a private declaration or a body, found neither");

  return TRUE;
}

gboolean
ghlo_ir_verify_func (GhloIrVerifier *verifier,
                     const GhloIrOp *op)
{
  const GhloIrBlock *body = ghlo_ir_func_get_body (op);
  const GhloIrType *type = function_type (op);

  if (type == NULL)
    {
      g_autofree char *found = ghlo_ir_attr_to_string (ghlo_ir_op_get (op, "function_type"));

      return ghlo_ir_verify_fail (verifier, op, "expected a function type in function_type, found %s", found);
    }
  if (!visibility_fits (verifier, op, body == NULL)
      || !value_attributes_fit (verifier, op, "arg_attrs", type->rank)
      || !value_attributes_fit (verifier, op, "res_attrs", type->n_results))
    return FALSE;
  if (body == NULL)
    return TRUE;

  if (body->n_arguments != type->rank)
    return ghlo_ir_verify_fail (verifier, op, "expected a body of %u arguments, as the function type has, found %u",
                                type->rank, body->n_arguments);
  for (guint i = 0; i < type->rank; i++)
    if (body->arguments[i]->type != type->members[i])
      return ghlo_ir_verify_fail_type (verifier, op, "an argument of the function type's", type->members[i],
                                       body->arguments[i]->type);

  return TRUE;
}

/* Checks that the operands (or results) of @op have exactly @types. */
static gboolean
values_are (GhloIrVerifier          *verifier,
            const GhloIrOp          *op,
            gboolean                 results,
            const GhloIrType *const *types,
            guint                    n,
            const char              *owner)
{
  guint found = results ? op->n_results : op->n_operands;
  const char *what = results ? "result" : "operand";

  if (found != n)
    return ghlo_ir_verify_fail (verifier, op, "expected %u %ss, as %s has, found %u", n, what, owner, found);
  for (guint i = 0; i < n; i++)
    {
      const GhloIrType *type = results ? ghlo_ir_result_type (op, i) : ghlo_ir_operand_type (op, i);
      g_autofree char *wanted_text = NULL;
      g_autofree char *found_text = NULL;

      if (type == types[i])
        continue;
      wanted_text = ghlo_ir_type_to_string (types[i]);
      found_text = ghlo_ir_type_to_string (type);
      return ghlo_ir_verify_fail (verifier, op, "expected %s #%u of type %s, as %s has, found %s",
                                  what, i, wanted_text, owner, found_text);
    }

  return TRUE;
}

gboolean
ghlo_ir_verify_func_return (GhloIrVerifier *verifier,
                            const GhloIrOp *op)
{
  const GhloIrOp *func = ghlo_ir_op_get_parent (op);
  const GhloIrType *type = func != NULL && func->kind == GHLO_OP_FUNC_FUNC ? function_type (func) : NULL;

  if (func == NULL || func->kind != GHLO_OP_FUNC_FUNC)
    return ghlo_ir_verify_fail (verifier, op, "expected a function as the parent operation, found '%s'",
                                func != NULL ? ghlo_ir_op_get_spec (func)->name : "nothing");

  /* A missing function type is reported elsewhere. */
  return type == NULL
         || values_are (verifier, op, FALSE, type->members + type->rank, type->n_results, "the function's type");
}

/* stablehlo.return may also end a function. It may then return more values than the function has results; readers
 * drop the extra ones (import/returns.h). In other regions, the parent operation checks the values. */
gboolean
ghlo_ir_verify_return (GhloIrVerifier *verifier,
                       const GhloIrOp *op)
{
  const GhloIrOp *parent = ghlo_ir_op_get_parent (op);
  const GhloIrType *type = parent != NULL && parent->kind == GHLO_OP_FUNC_FUNC ? function_type (parent) : NULL;

  if (type == NULL)
    return TRUE;
  if (op->n_operands < type->n_results)
    return ghlo_ir_verify_fail (verifier, op, "expected at least %u operands, as the function's type has, found %u",
                                type->n_results, op->n_operands);
  for (guint i = 0; i < type->n_results; i++)
    if (ghlo_ir_operand_type (op, i) != type->members[type->rank + i])
      return ghlo_ir_verify_fail_type (verifier, op, "an operand of the function's result type",
                                       type->members[type->rank + i], ghlo_ir_operand_type (op, i));

  return TRUE;
}

static gboolean
callee_fits (GhloIrVerifier *verifier,
             const GhloIrOp *op)
{
  const GhloIrType *type = find_function (verifier, op, ghlo_ir_op_get_string (op, "callee"));

  return type != NULL
         && values_are (verifier, op, FALSE, type->members, type->rank, "the callee")
         && values_are (verifier, op, TRUE, type->members + type->rank, type->n_results, "the callee");
}

gboolean
ghlo_ir_verify_call (GhloIrVerifier *verifier,
                     const GhloIrOp *op)
{
  return value_attributes_fit (verifier, op, "arg_attrs", op->n_operands)
         && value_attributes_fit (verifier, op, "res_attrs", op->n_results)
         && ghlo_ir_verify_symbol_use (verifier, op, callee_fits);
}

/* Whether @name is a letter followed by letters, digits and underscores, then one or more parts after dots, which may
 * also contain dollar signs and begin with any of these characters. */
static gboolean
is_composite_name (const char *name)
{
  guint n_parts = 1;
  gsize length = 0;

  if (!g_ascii_isalpha (name[0]))
    return FALSE;
  for (; *name != '\0'; name++)
    {
      if (*name == '.')
        {
          if (length == 0)
            return FALSE;
          n_parts++;
          length = 0;
          continue;
        }
      if (!g_ascii_isalnum (*name) && *name != '_' && (*name != '$' || n_parts == 1))
        return FALSE;
      length++;
    }

  return n_parts > 1 && length > 0;
}

static gboolean
decomposition_fits (GhloIrVerifier *verifier,
                    const GhloIrOp *op)
{
  const GhloIrType *type = find_function (verifier, op, ghlo_ir_op_get_string (op, "decomposition"));

  return type != NULL
         && values_are (verifier, op, FALSE, type->members, type->rank, "the decomposition")
         && values_are (verifier, op, TRUE, type->members + type->rank, type->n_results, "the decomposition");
}

gboolean
ghlo_ir_verify_composite (GhloIrVerifier *verifier,
                          const GhloIrOp *op)
{
  const GhloIrAttr *name = ghlo_ir_op_get (op, "name");

  if (strlen (name->text) != name->length || !is_composite_name (name->text))
    return ghlo_ir_verify_fail (verifier, op, "expected a name like \"namespace.operation\", found \"%s\"", name->text);

  return ghlo_ir_verify_symbol_use (verifier, op, decomposition_fits);
}

/* Checks that each function in the infeed list returns one tensor. */
static gboolean
infeed_fits (GhloIrVerifier *verifier,
             const GhloIrOp *op)
{
  const GhloIrAttr *infeed = ghlo_ir_op_get (op, "infeed");

  if (infeed == NULL)
    return TRUE;
  if (infeed->length == 0)
    return ghlo_ir_verify_fail (verifier, op, "expected functions in infeed or no infeed, found an empty one");
  for (gsize i = 0; i < infeed->length; i++)
    {
      const char *name = infeed->children[i]->text;
      const GhloIrType *type = find_function (verifier, op, name);

      if (type == NULL)
        return FALSE;
      if (type->n_results != 1 || !ghlo_ir_type_is_shaped (type->members[type->rank]))
        return ghlo_ir_verify_fail (verifier, op, "expected infeed function '%s' to return a tensor, found %u results",
                                    name, type->n_results);
    }

  return TRUE;
}

gboolean
ghlo_ir_verify_run_parallel (GhloIrVerifier *verifier,
                             const GhloIrOp *op)
{
  const GhloIrAttr *programs = ghlo_ir_op_get (op, "programs");
  g_autoptr (GPtrArray) inputs = g_ptr_array_new (), results = g_ptr_array_new ();
  const char *owner = "the grid of programs";

  if (programs->length == 0 || programs->children[0]->length == 0)
    return ghlo_ir_verify_fail (verifier, op, "expected functions in programs, found none");
  for (gsize i = 0; i < programs->length; i++)
    {
      const GhloIrAttr *row = programs->children[i];

      if (row->length != programs->children[0]->length)
        return ghlo_ir_verify_fail (verifier, op, "expected %" G_GSIZE_FORMAT " functions in each row of programs,"
                                    " found %" G_GSIZE_FORMAT, programs->children[0]->length, row->length);
      for (gsize j = 0; j < row->length; j++)
        {
          const GhloIrType *type = find_function (verifier, op, row->children[j]->text);

          if (type == NULL)
            return FALSE;
          for (guint k = 0; k < type->rank; k++)
            g_ptr_array_add (inputs, (gpointer) type->members[k]);
          for (guint k = 0; k < type->n_results; k++)
            g_ptr_array_add (results, (gpointer) type->members[type->rank + k]);
        }
    }

  return values_are (verifier, op, FALSE, (const GhloIrType *const *) inputs->pdata, inputs->len, owner)
         && values_are (verifier, op, TRUE, (const GhloIrType *const *) results->pdata, results->len, owner)
         && infeed_fits (verifier, op);
}
