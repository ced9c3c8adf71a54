/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pretty forms: one walk over the elements in the operation's
 * row, followed by the inference of types that the form omits.
 */

#include <string.h>

#include "import/text/parser.h"
#include "ir/verify/verify.h"

static gboolean
at_literal (const GhloImportParser *self,
            const char             *text)
{
  if (g_ascii_isalpha (text[0]))
    return ghlo_import_at_word (self, text);
  if (text[1] == '>')
    return ghlo_import_at (self, GHLO_TOKEN_ARROW);

  return ghlo_import_at (self, (guchar) text[0]);
}

static gboolean
parse_literal (GhloImportParser *self,
               const char       *text)
{
  g_autofree char *what = NULL;

  if (at_literal (self, text))
    {
      ghlo_import_next (self);
      return TRUE;
    }
  what = g_strdup_printf ("'%s'", text);

  return ghlo_import_expected (self, what);
}

/* Whether the optional group that starts with @first is present. */
static gboolean
is_present (const GhloImportParser *self,
            const GhloIrAsmElement *first)
{
  switch (first->kind)
    {
    case GHLO_IR_ASM_LITERAL:
      return at_literal (self, first->text);
    case GHLO_IR_ASM_OPERANDS:
    case GHLO_IR_ASM_ALL_OPERANDS:
      return ghlo_import_at (self, GHLO_TOKEN_PERCENT);
    case GHLO_IR_ASM_REGION:
      return ghlo_import_at (self, '{');
    default:
      return !ghlo_import_at (self, ':') && !ghlo_import_at (self, '{');
    }
}

static gboolean
parse_group (GhloImportParser *self,
             GhloImportOp     *op,
             guint             index)
{
  gsize before = op->operands.n;
  gboolean ok;

  switch (op->spec->operands[index].arity)
    {
    case GHLO_IR_ONE:
      ok = ghlo_import_parse_operand (self, op);
      break;
    case GHLO_IR_OPTIONAL:
      ok = !ghlo_import_at (self, GHLO_TOKEN_PERCENT) || ghlo_import_parse_operand (self, op);
      break;
    default:
      ok = ghlo_import_parse_operands (self, op);
      break;
    }
  op->group_sizes[index] = (guint) (op->operands.n - before);

  return ok;
}

/* Parses the types of a group: as many as it has values, or a list if it is variadic. */
static gboolean
parse_group_types (GhloImportParser      *self,
                   GhloImportTypes       *types,
                   const GhloIrGroupSpec *group,
                   gsize                  n)
{
  const GhloIrType *type;

  if (group->arity == GHLO_IR_VARIADIC)
    return n == 0 || ghlo_import_parse_types (self, types);
  if (n == 0)
    return TRUE;
  type = ghlo_import_parse_type (self);
  if (type != NULL)
    GHLO_IMPORT_PUSH (types, type);

  return type != NULL;
}

static gboolean
parse_regions (GhloImportParser *self,
               GhloImportOp     *op,
               guint             index)
{
  do
    if (!ghlo_import_parse_region (self, ghlo_import_add_region (self, op), NULL, ghlo_import_op_is_isolated (op)))
      return FALSE;
  while (op->spec->regions[index].variadic && ghlo_import_accept (self, ','));

  return TRUE;
}

static gboolean
parse_attribute (GhloImportParser *self,
                 GhloImportOp     *op,
                 guint             index)
{
  const GhloIrAttr *attr = ghlo_import_parse_attr_of (self, &op->spec->attributes[index]);

  op->inherent[index] = attr;

  return attr != NULL;
}

static gboolean
parse_functional (GhloImportParser *self,
                  GhloImportOp     *op)
{
  const GhloIrType *function = ghlo_import_parse_function_type (self);

  return function != NULL && ghlo_import_assign_types (self, op, function);
}

/* Parses the dictionary of a pretty form. Attributes of the wrong kind are reported at its position, since that of
 * the operation may be lines before. */
static gboolean
parse_dictionary (GhloImportParser *self,
                  GhloImportOp     *op)
{
  GhloImportPosition position = ghlo_import_position (self);

  if (!ghlo_import_at (self, '{'))
    return TRUE;
  if (!ghlo_import_parse_op_attrs (self, op))
    return FALSE;

  for (guint i = 0; i < op->spec->n_attributes; i++)
    {
      const GhloIrAttrSpec *spec = &op->spec->attributes[i];
      g_autofree char *problem = NULL;
      gpointer *known;

      if (op->inherent[i] == NULL)
        continue;
      known = ghlo_import_memo_at (&self->memo, op->inherent[i], spec);
      if (*known == NULL)
        problem = ghlo_ir_attribute_problem (spec, op->inherent[i]);
      if (problem != NULL)
        return ghlo_import_fail_at (self, position, "%s", problem);
      *known = (gpointer) op->inherent[i];
    }

  return TRUE;
}

static gboolean
parse_element (GhloImportParser       *self,
               GhloImportOp           *op,
               const GhloIrAsmElement *element)
{
  const GhloIrOpSpec *spec = op->spec;

  switch (element->kind)
    {
    case GHLO_IR_ASM_LITERAL:
      return parse_literal (self, element->text);
    case GHLO_IR_ASM_OPERANDS:
      return parse_group (self, op, element->index);
    case GHLO_IR_ASM_ALL_OPERANDS:
      return ghlo_import_parse_operands (self, op);
    case GHLO_IR_ASM_ATTRIBUTE:
      return parse_attribute (self, op, element->index);
    case GHLO_IR_ASM_REGION:
      return parse_regions (self, op, element->index);
    case GHLO_IR_ASM_ATTR_DICT:
      return parse_dictionary (self, op);
    case GHLO_IR_ASM_FUNCTIONAL:
      return parse_functional (self, op);
    case GHLO_IR_ASM_OPERAND_TYPES:
      return parse_group_types (self, &op->operand_types, &spec->operands[element->index],
                                op->group_sizes[element->index]);
    case GHLO_IR_ASM_RESULT_TYPES:
      return parse_group_types (self, &op->result_types, &spec->results[element->index], 1);
    case GHLO_IR_ASM_CUSTOM:
      return ghlo_import_directives[element->index] (self, op);
    case GHLO_IR_ASM_OPEN:
    case GHLO_IR_ASM_CLOSE:
      break;
    }

  return TRUE;
}

/* The type of the attribute "value", or NULL if the row has none. */
static const GhloIrType *
value_type (const GhloImportOp *op)
{
  for (guint i = 0; i < op->spec->n_attributes; i++)
    if (strcmp (op->spec->attributes[i].name, "value") == 0)
      return op->inherent[i] != NULL ? op->inherent[i]->type : NULL;

  return NULL;
}

/* Infers types that the form omits from the row's traits or from a constant's value. */
static void
infer_types (GhloImportOp *op)
{
  guint32 traits = op->spec->traits;
  const GhloIrType *type = NULL;

  if (op->operand_types.n < op->operands.n)
    {
      if (op->operand_types.n > 0 && (traits & (GHLO_IR_TRAIT_SAME_OPERAND_TYPES | GHLO_IR_TRAIT_SAME_TYPES)))
        type = op->operand_types.items[0];
      else if (op->result_types.n > 0 && (traits & GHLO_IR_TRAIT_SAME_TYPES))
        type = op->result_types.items[0];
      else if (op->operand_types.n == 0)
        type = value_type (op);
      while (type != NULL && op->operand_types.n < op->operands.n)
        GHLO_IMPORT_PUSH (&op->operand_types, type);
    }

  if (op->result_types.n == 0 && op->spec->n_results == 1 && op->spec->results[0].arity == GHLO_IR_ONE)
    {
      type = op->operand_types.n > 0 && (traits & GHLO_IR_TRAIT_SAME_TYPES) ? op->operand_types.items[0]
                                                                           : value_type (op);
      if (type != NULL)
        GHLO_IMPORT_PUSH (&op->result_types, type);
    }
}

gboolean
ghlo_import_parse_pretty (GhloImportParser *self,
                          GhloImportOp     *op)
{
  const GhloIrAssembly *assembly = ghlo_ir_assembly_get (op->kind);

  memset (op->group_sizes, 0, sizeof op->group_sizes);
  for (guint i = 0; i < assembly->n_elements; i++)
    {
      const GhloIrAsmElement *element = &assembly->elements[i];

      if (element->kind == GHLO_IR_ASM_OPEN && !is_present (self, element + 1))
        i = element->index - 1;
      else if (!parse_element (self, op, element))
        return FALSE;
    }
  infer_types (op);

  return TRUE;
}
