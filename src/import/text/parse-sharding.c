/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pretty forms of the sdy dialect. Its attributes are kept as text, in the spelling that they have outside these
 * forms: "sdy.sharding<@mesh, [{}]>".
 */

#include <string.h>

#include "import/text/parser.h"

/* Sets an attribute of the operation to bracketed text between @before and @after. */
static gboolean
parse_bracketed (GhloImportParser *self,
                 GhloImportOp     *op,
                 const char       *name,
                 guint             open,
                 const char       *before,
                 const char       *after)
{
  const char *start = self->lexer.start, *end;
  g_autofree char *inside = NULL, *text = NULL, *what = NULL;

  if (ghlo_import_at (self, GHLO_TOKEN_HASH))
    {
      const GhloIrAttr *attr = ghlo_import_parse_attr (self);

      ghlo_import_set_inherent (op, name, attr);
      return attr != NULL;
    }
  if (!ghlo_import_at (self, open))
    {
      what = g_strdup_printf ("'%c'", (char) open);
      return ghlo_import_expected (self, what);
    }
  end = ghlo_import_skip_balanced (self, start);
  if (end == NULL)
    return FALSE;
  if (memchr (start, '\0', end - start) != NULL)
    return ghlo_import_fail (self, "expected an attribute without NUL bytes, found one with them");
  inside = g_strndup (start, end - start);
  text = g_strconcat (before, inside, after, NULL);
  ghlo_import_set_inherent (op, name, ghlo_ir_attr_opaque (self->module, text));

  return TRUE;
}

/* "@mesh = <["x"=2]> {…}". */
gboolean
ghlo_import_directive_sdy_mesh (GhloImportParser *self,
                                GhloImportOp     *op)
{
  const char *name = ghlo_import_parse_symbol_name (self);

  if (name == NULL)
    return FALSE;
  ghlo_import_set_inherent (op, "sym_name", ghlo_ir_attr_string (self->module, name, -1));

  return ghlo_import_expect (self, '=', "'='") && parse_bracketed (self, op, "mesh", '<', "sdy.mesh", "")
         && ghlo_import_parse_op_attrs (self, op);
}

/* "%a <@mesh, [{"x"}]> {…} : type". */
gboolean
ghlo_import_directive_sdy_constraint (GhloImportParser *self,
                                      GhloImportOp     *op)
{
  const GhloIrType *type;

  if (!ghlo_import_parse_operand (self, op) || !parse_bracketed (self, op, "sharding", '<', "sdy.sharding", "")
      || !ghlo_import_parse_op_attrs (self, op) || !ghlo_import_expect (self, ':', "':'"))
    return FALSE;
  type = ghlo_import_parse_type (self);
  if (type == NULL)
    return FALSE;
  GHLO_IMPORT_PUSH (&op->operand_types, type);
  GHLO_IMPORT_PUSH (&op->result_types, type);

  return TRUE;
}

/* The optional "(%b: type, …)" before the region. */
static gboolean
parse_region_arguments (GhloImportParser    *self,
                        GhloImportArguments *arguments)
{
  if (!ghlo_import_accept (self, '(') || ghlo_import_accept (self, ')'))
    return TRUE;
  do
    {
      GhloImportArgument argument = { 0 };

      if (!ghlo_import_parse_value_name (self, &argument.name) || !ghlo_import_expect (self, ':', "':'")
          || (argument.type = ghlo_import_parse_type (self)) == NULL
          || !ghlo_import_accept_location (self, &argument.location))
        return FALSE;
      GHLO_IMPORT_PUSH (arguments, argument);
    }
  while (ghlo_import_accept (self, ','));

  return ghlo_import_expect (self, ')', "',' or ')'");
}

/* "(%a) in_shardings=[…] out_shardings=[…] manual_axes={…} (%b: type) { … } {…} : function type". */
gboolean
ghlo_import_directive_sdy_manual (GhloImportParser *self,
                                  GhloImportOp     *op)
{
  GhloImportArguments arguments = { 0 };
  const GhloIrType *function;
  gboolean ok;

  if (!ghlo_import_expect (self, '(', "'('") || !ghlo_import_parse_operands (self, op)
      || !ghlo_import_expect (self, ')', "',' or ')'")
      || !ghlo_import_expect_word (self, "in_shardings") || !ghlo_import_expect (self, '=', "'='")
      || !parse_bracketed (self, op, "in_shardings", '[', "sdy.sharding_per_value<", ">")
      || !ghlo_import_expect_word (self, "out_shardings") || !ghlo_import_expect (self, '=', "'='")
      || !parse_bracketed (self, op, "out_shardings", '[', "sdy.sharding_per_value<", ">")
      || !ghlo_import_expect_word (self, "manual_axes") || !ghlo_import_expect (self, '=', "'='")
      || !parse_bracketed (self, op, "manual_axes", '{', "sdy<manual_axes", ">"))
    return FALSE;

  ok = parse_region_arguments (self, &arguments)
       && ghlo_import_parse_region (self, ghlo_import_add_region (self, op), &arguments, FALSE);
  GHLO_IMPORT_CLEAR (&arguments);
  if (!ok || !ghlo_import_parse_op_attrs (self, op) || !ghlo_import_expect (self, ':', "':'"))
    return FALSE;
  function = ghlo_import_parse_function_type (self);

  return function != NULL && ghlo_import_assign_types (self, op, function);
}
