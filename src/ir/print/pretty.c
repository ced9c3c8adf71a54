/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Prints the pretty form: walks the elements of an operation's assembly format, with MLIR's rules for spaces. An
 * operation that the format cannot express (types that a reader would infer differently, attributes of other kinds,
 * wrong numbers of operands) is printed in the generic form.
 */

#include <string.h>

#include "ir/print/print-private.h"

gboolean
ghlo_ir_attr_is_default (const GhloIrAttrSpec *spec,
                         const GhloIrAttr     *value)
{
  g_autoptr (GString) text = NULL;

  if (spec->presence != GHLO_IR_DEFAULTED)
    return FALSE;
  /* Large values are never defaults and would take long to print. */
  if ((value->kind == GHLO_IR_ATTR_ARRAY || value->kind == GHLO_IR_ATTR_DICTIONARY) && value->length > 0)
    return FALSE;
  if (value->kind == GHLO_IR_ATTR_DENSE)
    return FALSE;

  text = g_string_new (NULL);
  ghlo_ir_attr_append (value, text);

  return strcmp (text->str, spec->fallback) == 0;
}

/* Whether a reader of @spec's short spelling gets @value back, which may be NULL. */
static gboolean
fits_short_spelling (const GhloIrAttrSpec *spec,
                     const GhloIrAttr     *value)
{
  static const struct
  {
    GhloIrAttrConstraint constraint;
    GhloIrAttrKind       kind;
    GhloElementType      element_type;
  } rows[] = {
    { GHLO_IR_KIND_BOOL, GHLO_IR_ATTR_BOOL, GHLO_ELEMENT_TYPE_I1 },
    { GHLO_IR_KIND_I32, GHLO_IR_ATTR_INTEGER, GHLO_ELEMENT_TYPE_I32 },
    { GHLO_IR_KIND_I64, GHLO_IR_ATTR_INTEGER, GHLO_ELEMENT_TYPE_I64 },
    { GHLO_IR_KIND_UI32, GHLO_IR_ATTR_INTEGER, GHLO_ELEMENT_TYPE_UI32 },
    { GHLO_IR_KIND_UI64, GHLO_IR_ATTR_INTEGER, GHLO_ELEMENT_TYPE_UI64 },
    { GHLO_IR_KIND_F32, GHLO_IR_ATTR_FLOAT, GHLO_ELEMENT_TYPE_F32 },
    { GHLO_IR_KIND_F64, GHLO_IR_ATTR_FLOAT, GHLO_ELEMENT_TYPE_F64 },
    { GHLO_IR_KIND_STRING, GHLO_IR_ATTR_STRING, GHLO_ELEMENT_TYPE_INVALID },
    { GHLO_IR_KIND_SYMBOL, GHLO_IR_ATTR_SYMBOL, GHLO_ELEMENT_TYPE_INVALID },
    { GHLO_IR_KIND_I32_ARRAY, GHLO_IR_ATTR_DENSE_ARRAY, GHLO_ELEMENT_TYPE_I32 },
    { GHLO_IR_KIND_I64_ARRAY, GHLO_IR_ATTR_DENSE_ARRAY, GHLO_ELEMENT_TYPE_I64 },
    { GHLO_IR_KIND_BOOL_ARRAY, GHLO_IR_ATTR_DENSE_ARRAY, GHLO_ELEMENT_TYPE_I1 },
    { GHLO_IR_KIND_ENUM, GHLO_IR_ATTR_ENUM, GHLO_ELEMENT_TYPE_INVALID },
    { GHLO_IR_KIND_STRUCT, GHLO_IR_ATTR_STRUCT, GHLO_ELEMENT_TYPE_INVALID },
  };

  /* Outside optional groups, only numbers have defaults. */
  if (value == NULL)
    return spec->presence == GHLO_IR_DEFAULTED && (spec->kind == GHLO_IR_KIND_UI64 || spec->kind == GHLO_IR_KIND_I64
                                                         || spec->kind == GHLO_IR_KIND_I32);

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].constraint == spec->kind)
      return value->kind == rows[i].kind
             && (rows[i].element_type == GHLO_ELEMENT_TYPE_INVALID || value->type->element_type == rows[i].element_type)
             && ((value->kind != GHLO_IR_ATTR_ENUM && value->kind != GHLO_IR_ATTR_STRUCT)
                 || value->subkind == spec->detail);

  return TRUE;
}

/* Puts the short spelling, which omits what the reader knows from @spec. If @value is NULL, puts the default. */
static void
put_short (GhloIrPrinter        *self,
           const GhloIrAttrSpec *spec,
           const GhloIrAttr     *value)
{
  if (value == NULL)
    {
      g_string_append_len (self->out, spec->fallback, (gssize) strcspn (spec->fallback, " "));
      return;
    }

  switch (spec->kind)
    {
    case GHLO_IR_KIND_BOOL:
    case GHLO_IR_KIND_I32:
    case GHLO_IR_KIND_I64:
    case GHLO_IR_KIND_UI32:
    case GHLO_IR_KIND_UI64:
    case GHLO_IR_KIND_F32:
    case GHLO_IR_KIND_F64:
      ghlo_ir_put_attr (self, value, GHLO_IR_UNTYPED);
      break;
    case GHLO_IR_KIND_I32_ARRAY:
    case GHLO_IR_KIND_I64_ARRAY:
    case GHLO_IR_KIND_BOOL_ARRAY:
      g_string_append_c (self->out, '[');
      ghlo_ir_put_numbers (self, value);
      g_string_append_c (self->out, ']');
      break;
    case GHLO_IR_KIND_ENUM:
      g_string_append (self->out, ghlo_ir_enum_word (value));
      break;
    case GHLO_IR_KIND_STRUCT:
      ghlo_ir_put_struct_body (self, value);
      break;
    default:
      ghlo_ir_put_attr (self, value, GHLO_IR_TYPED);
      break;
    }
}

/* The number of regions that the row's region @index stands for: all remaining ones if variadic. */
static guint
count_regions (const GhloIrOp *op,
               guint           index)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_get_spec (op);

  if (index >= op->n_regions)
    return 0;

  return spec->regions[index].variadic ? op->n_regions - index : 1;
}

/* If the presence of @element decides whether its optional
 * group is printed, sets *@present to that and returns TRUE. */
static gboolean
decides (const GhloIrOp         *op,
         const GhloIrAsmElement *element,
         gboolean               *present)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_get_spec (op);
  guint first, n = 0;

  switch (element->kind)
    {
    case GHLO_IR_ASM_ATTRIBUTE:
      *present = op->attributes[element->index] != NULL
                 && !ghlo_ir_attr_is_default (&spec->attributes[element->index], op->attributes[element->index]);
      return TRUE;
    case GHLO_IR_ASM_OPERANDS:
    case GHLO_IR_ASM_OPERAND_TYPES:
      *present = ghlo_ir_op_operand_group (op, element->index, &first, &n) && n > 0;
      return TRUE;
    case GHLO_IR_ASM_RESULT_TYPES:
      *present = ghlo_ir_op_result_group (op, element->index, &first, &n) && n > 0;
      return TRUE;
    case GHLO_IR_ASM_REGION:
      *present = count_regions (op, element->index) > 0;
      return TRUE;
    default:
      return FALSE;
    }
}

static gboolean
group_is_present (const GhloIrOp       *op,
                  const GhloIrAssembly *assembly,
                  guint                 open)
{
  gboolean present = TRUE;

  for (guint i = open + 1; i < assembly->elements[open].index; i++)
    if (decides (op, &assembly->elements[i], &present))
      break;

  return present;
}

static const GhloIrPrintDirective *
find_directive (const GhloIrAsmElement *element)
{
  const GhloIrPrintDirective *directive = ghlo_ir_print_directive ((GhloIrAsmDirective) element->index);

  if (directive == NULL)
    directive = ghlo_ir_print_structured_directive ((GhloIrAsmDirective) element->index);
  if (directive == NULL)
    directive = ghlo_ir_print_sharding_directive ((GhloIrAsmDirective) element->index);

  return directive;
}

static gboolean
element_fits (const GhloIrOp         *op,
              const GhloIrAsmElement *element)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_get_spec (op);
  const GhloIrPrintDirective *directive;
  guint first, n;

  switch (element->kind)
    {
    case GHLO_IR_ASM_ATTRIBUTE:
      return fits_short_spelling (&spec->attributes[element->index], op->attributes[element->index]);
    case GHLO_IR_ASM_OPERANDS:
    case GHLO_IR_ASM_OPERAND_TYPES:
      return ghlo_ir_op_operand_group (op, element->index, &first, &n);
    case GHLO_IR_ASM_RESULT_TYPES:
      return ghlo_ir_op_result_group (op, element->index, &first, &n);
    case GHLO_IR_ASM_REGION:
      return element->index < op->n_regions;
    case GHLO_IR_ASM_CUSTOM:
      directive = find_directive (element);
      return directive != NULL && (directive->fits == NULL || directive->fits (op));
    default:
      return TRUE;
    }
}

/* Whether the numbers of operands, results and regions match the row. */
static gboolean
numbers_fit (const GhloIrOp *op)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_get_spec (op);
  gboolean any_regions = spec->n_regions > 0 && spec->regions[spec->n_regions - 1].variadic;
  guint first, n;

  if (op->n_regions != spec->n_regions && !any_regions)
    return FALSE;
  if (spec->n_operands > 0 ? !ghlo_ir_op_operand_group (op, 0, &first, &n) : op->n_operands > 0)
    return FALSE;

  return spec->n_results > 0 ? ghlo_ir_op_result_group (op, 0, &first, &n) : op->n_results == 0;
}

/* The types that the format states; the others are inferred from these. */
typedef struct
{
  gboolean          all;
  const GhloIrType *operand, *result;   /* the first ones */
  guint64           operand_groups, result_groups;
} StatedTypes;

static StatedTypes
find_stated_types (const GhloIrOp       *op,
                   const GhloIrAssembly *assembly)
{
  StatedTypes stated = { FALSE, NULL, NULL, 0, 0 };
  guint first, n;

  for (guint i = 0; i < assembly->n_elements; i++)
    {
      const GhloIrAsmElement *element = &assembly->elements[i];

      if (element->kind == GHLO_IR_ASM_FUNCTIONAL || element->kind == GHLO_IR_ASM_CUSTOM)
        stated.all = TRUE;
      else if (element->kind == GHLO_IR_ASM_OPERAND_TYPES)
        {
          stated.operand_groups |= G_GUINT64_CONSTANT (1) << element->index;
          if (stated.operand == NULL && ghlo_ir_op_operand_group (op, element->index, &first, &n) && n > 0)
            stated.operand = ghlo_ir_op_operand (op, first)->type;
        }
      else if (element->kind == GHLO_IR_ASM_RESULT_TYPES)
        {
          stated.result_groups |= G_GUINT64_CONSTANT (1) << element->index;
          if (stated.result == NULL && ghlo_ir_op_result_group (op, element->index, &first, &n) && n > 0)
            stated.result = op->results[first].type;
        }
    }

  return stated;
}

/* The type that a reader infers if the format states none: that
 * of another operand, of the result or of the attribute "value". */
static const GhloIrType *
inferred_type (const GhloIrOp    *op,
               const StatedTypes *stated)
{
  guint32 traits = ghlo_ir_op_get_spec (op)->traits;
  const GhloIrAttr *value = ghlo_ir_op_get (op, "value");

  if (stated->operand != NULL && (traits & (GHLO_IR_TRAIT_SAME_OPERAND_TYPES | GHLO_IR_TRAIT_SAME_TYPES)))
    return stated->operand;
  if (stated->result != NULL && (traits & GHLO_IR_TRAIT_SAME_TYPES))
    return stated->result;

  return value != NULL ? value->type : NULL;
}

static gboolean
types_follow (const GhloIrOp       *op,
              const GhloIrAssembly *assembly)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_get_spec (op);
  StatedTypes stated = find_stated_types (op, assembly);
  const GhloIrType *inferred = stated.all ? NULL : inferred_type (op, &stated);
  guint first, n;

  for (guint i = 0; !stated.all && i < spec->n_operands; i++)
    if (!(stated.operand_groups >> i & 1) && ghlo_ir_op_operand_group (op, i, &first, &n))
      for (guint j = 0; j < n; j++)
        if (ghlo_ir_op_operand (op, first + j)->type != inferred)
          return FALSE;
  for (guint i = 0; !stated.all && i < spec->n_results; i++)
    if (!(stated.result_groups >> i & 1) && ghlo_ir_op_result_group (op, i, &first, &n))
      for (guint j = 0; j < n; j++)
        if (op->results[first + j].type != inferred)
          return FALSE;

  return TRUE;
}

gboolean
ghlo_ir_has_pretty_form (const GhloIrOp *op)
{
  const GhloIrAssembly *assembly = ghlo_ir_assembly_get (op->kind);

  if (assembly == NULL || !numbers_fit (op) || !types_follow (op, assembly))
    return FALSE;

  for (guint i = 0; i < assembly->n_elements; i++)
    {
      const GhloIrAsmElement *element = &assembly->elements[i];

      if (element->kind == GHLO_IR_ASM_OPEN && !group_is_present (op, assembly, i))
        i = element->index - 1;
      else if (!element_fits (op, element))
        return FALSE;
    }

  return TRUE;
}

/* MLIR's spacing: most elements are separated by a space, punctuation is not. */
typedef struct
{
  gboolean space;         /* put a space after the previous element */
  gboolean punctuation;   /* the previous element was punctuation */
} Spacing;

static void
put_space (GhloIrPrinter *self,
           Spacing       *spacing)
{
  if (spacing->space || !spacing->punctuation)
    g_string_append_c (self->out, ' ');
  spacing->space = TRUE;
  spacing->punctuation = FALSE;
}

static void
put_literal (GhloIrPrinter *self,
             const char    *text,
             Spacing       *spacing)
{
  gboolean single = text[1] == '\0';
  gboolean apart = (!single && strcmp (text, "->") != 0)
                   || strchr (spacing->punctuation ? ">)}]," : "<>(){}[],", text[0]) == NULL;

  if (spacing->space && apart)
    g_string_append_c (self->out, ' ');
  g_string_append (self->out, text);
  spacing->space = !single || strchr ("<({[", text[0]) == NULL;
  spacing->punctuation = text[0] != '_' && !g_ascii_isalpha (text[0]);
}

static void
put_operand_group (GhloIrPrinter  *self,
                   const GhloIrOp *op,
                   guint           group,
                   gboolean        types)
{
  guint first = 0, n = 0;

  ghlo_ir_op_operand_group (op, group, &first, &n);
  if (!types)
    {
      ghlo_ir_put_operands (self, op, first, n);
      return;
    }
  for (guint i = 0; i < n; i++)
    {
      g_string_append (self->out, i > 0 ? ", " : "");
      ghlo_ir_put_type (self, ghlo_ir_op_operand (op, first + i)->type);
    }
}

static void
put_result_group (GhloIrPrinter  *self,
                  const GhloIrOp *op,
                  guint           group)
{
  guint first = 0, n = 0;

  ghlo_ir_op_result_group (op, group, &first, &n);
  for (guint i = 0; i < n; i++)
    {
      g_string_append (self->out, i > 0 ? ", " : "");
      ghlo_ir_put_type (self, op->results[first + i].type);
    }
}

static void
put_element (GhloIrPrinter          *self,
             const GhloIrOp         *op,
             const GhloIrAsmElement *element,
             guint64                 shown)
{
  switch (element->kind)
    {
    case GHLO_IR_ASM_OPERANDS:
      put_operand_group (self, op, element->index, FALSE);
      break;
    case GHLO_IR_ASM_OPERAND_TYPES:
      put_operand_group (self, op, element->index, TRUE);
      break;
    case GHLO_IR_ASM_RESULT_TYPES:
      put_result_group (self, op, element->index);
      break;
    case GHLO_IR_ASM_ALL_OPERANDS:
      ghlo_ir_put_operands (self, op, 0, op->n_operands);
      break;
    case GHLO_IR_ASM_FUNCTIONAL:
      ghlo_ir_put_functional (self, op);
      break;
    case GHLO_IR_ASM_ATTRIBUTE:
      put_short (self, &ghlo_ir_op_get_spec (op)->attributes[element->index], op->attributes[element->index]);
      break;
    case GHLO_IR_ASM_REGION:
      for (guint i = 0; i < count_regions (op, element->index); i++)
        {
          g_string_append (self->out, i > 0 ? ", " : "");
          ghlo_ir_put_region (self, &op->regions[element->index + i], TRUE);
        }
      break;
    case GHLO_IR_ASM_CUSTOM:
      find_directive (element)->put (self, op, shown);
      break;
    default:
      break;
    }
}

/* Whether the element prints as nothing and therefore takes no space. */
static gboolean
is_nothing (const GhloIrOp         *op,
            const GhloIrAsmElement *element)
{
  guint first, n = 0;

  if (element->kind == GHLO_IR_ASM_ALL_OPERANDS)
    return op->n_operands == 0;

  return element->kind == GHLO_IR_ASM_OPERANDS
         && ghlo_ir_op_operand_group (op, element->index, &first, &n) && n == 0;
}

void
ghlo_ir_put_pretty (GhloIrPrinter  *self,
                    const GhloIrOp *op)
{
  const GhloIrAssembly *assembly = ghlo_ir_assembly_get (op->kind);
  Spacing spacing = { TRUE, FALSE };

  for (guint i = 0; i < assembly->n_elements; i++)
    {
      const GhloIrAsmElement *element = &assembly->elements[i];
      gboolean glued = element->kind == GHLO_IR_ASM_CUSTOM && find_directive (element)->glued;

      if (element->kind == GHLO_IR_ASM_OPEN && !group_is_present (op, assembly, i))
        i = element->index - 1;
      else if (element->kind == GHLO_IR_ASM_OPEN || element->kind == GHLO_IR_ASM_CLOSE || is_nothing (op, element))
        continue;
      else if (element->kind == GHLO_IR_ASM_LITERAL)
        {
          /* A bracket before a region is preceded by a space. */
          if (i + 1 < assembly->n_elements && element[1].kind == GHLO_IR_ASM_REGION)
            g_string_append_c (self->out, ' ');
          put_literal (self, element->text, &spacing);
        }
      else if (element->kind == GHLO_IR_ASM_ATTR_DICT)
        ghlo_ir_put_attr_dict (self, op, assembly->shown, NULL);
      else
        {
          if (!glued)
            put_space (self, &spacing);
          put_element (self, op, element, assembly->shown);
        }
    }
}
