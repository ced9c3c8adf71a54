/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Splits the pretty forms of ops.def into the elements that the parser and the printer walk. A row is split on first
 * use and kept until the process ends. An unknown word is a mistake in the table and aborts the process; the test of
 * the table finds such mistakes.
 */

#include "ir/assembly.h"

#include <string.h>

static const char *const directive_words[GHLO_IR_N_DIRECTIVES] = {
#define DIRECTIVE(ID, word) [GHLO_IR_DIRECTIVE_##ID] = word,
#include "ir/assembly.def"
};

/* The inherent attributes that a custom directive shows. */
static const struct
{
  GhloIrAsmDirective  directive;
  const char *const   names[7];
} directive_attributes[] = {
  { GHLO_IR_DIRECTIVE_SLICE_RANGES, { "start_indices", "limit_indices", "strides" } },
  { GHLO_IR_DIRECTIVE_EXPONENT_MANTISSA, { "exponent_bits", "mantissa_bits" } },
  { GHLO_IR_DIRECTIVE_CALL_TARGET, { "call_target_name" } },
  { GHLO_IR_DIRECTIVE_DOT_DIMENSIONS, { "dot_dimension_numbers" } },
  { GHLO_IR_DIRECTIVE_PRECISION, { "precision_config" } },
  { GHLO_IR_DIRECTIVE_PRECISION_ALGORITHM, { "precision_config", "algorithm" } },
  { GHLO_IR_DIRECTIVE_CONV_DIMENSIONS, { "dimension_numbers" } },
  { GHLO_IR_DIRECTIVE_CONV_WINDOW, { "window_strides", "padding", "lhs_dilation", "rhs_dilation", "window_reversal" } },
  { GHLO_IR_DIRECTIVE_CONSTANT, { "value" } },
  { GHLO_IR_DIRECTIVE_REDUCE, { "dimensions" } },
  { GHLO_IR_DIRECTIVE_SCAN, { "dimension", "operandSegmentSizes", "resultSegmentSizes" } },
  { GHLO_IR_DIRECTIVE_FUNC, { "sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs" } },
  { GHLO_IR_DIRECTIVE_MODULE, { "sym_name" } },
  { GHLO_IR_DIRECTIVE_CONST_SHAPE, { "shape" } },
  { GHLO_IR_DIRECTIVE_SDY_MESH, { "sym_name", "mesh" } },
  { GHLO_IR_DIRECTIVE_SDY_CONSTRAINT, { "sharding" } },
  { GHLO_IR_DIRECTIVE_SDY_MANUAL, { "in_shardings", "out_shardings", "manual_axes" } },
};

static int
find_group (const GhloIrGroupSpec *groups,
            guint                  n_groups,
            const char            *name)
{
  for (guint i = 0; i < n_groups; i++)
    if (strcmp (groups[i].name, name) == 0)
      return i;

  return -1;
}

static int
find_attribute (const GhloIrOpSpec *spec,
                const char         *name)
{
  for (guint i = 0; i < spec->n_attributes; i++)
    if (strcmp (spec->attributes[i].name, name) == 0)
      return i;

  return -1;
}

static int
find_region (const GhloIrOpSpec *spec,
             const char         *name)
{
  for (guint i = 0; i < spec->n_regions; i++)
    if (strcmp (spec->regions[i].name, name) == 0)
      return i;

  return -1;
}

static gboolean
set (GhloIrAsmElement *element,
     GhloIrAsmKind     kind,
     int               index)
{
  if (index < 0)
    return FALSE;
  element->kind = kind;
  element->index = index;

  return TRUE;
}

static gboolean
split_name (const GhloIrOpSpec *spec,
            const char         *name,
            GhloIrAsmElement   *element)
{
  return set (element, GHLO_IR_ASM_OPERANDS, find_group (spec->operands, spec->n_operands, name))
         || set (element, GHLO_IR_ASM_ATTRIBUTE, find_attribute (spec, name))
         || set (element, GHLO_IR_ASM_REGION, find_region (spec, name));
}

/* "@type(name)"; "results" denotes the result group if there is only one. */
static gboolean
split_type (const GhloIrOpSpec *spec,
            const char         *word,
            GhloIrAsmElement   *element)
{
  g_autofree char *name = g_strndup (word + strlen ("@type("), strlen (word) - strlen ("@type()"));

  if (set (element, GHLO_IR_ASM_OPERAND_TYPES, find_group (spec->operands, spec->n_operands, name))
      || set (element, GHLO_IR_ASM_RESULT_TYPES, find_group (spec->results, spec->n_results, name)))
    return TRUE;

  return strcmp (name, "results") == 0 && set (element, GHLO_IR_ASM_RESULT_TYPES, spec->n_results == 1 ? 0 : -1);
}

static gboolean
split_custom (const char       *word,
              GhloIrAsmElement *element)
{
  for (guint i = 0; i < GHLO_IR_N_DIRECTIVES; i++)
    if (strcmp (directive_words[i], word) == 0)
      return set (element, GHLO_IR_ASM_CUSTOM, i);

  return FALSE;
}

static gboolean
split_word (const GhloIrOpSpec *spec,
            const char         *word,
            GhloIrAsmElement   *element)
{
  static const struct
  {
    const char    *word;
    GhloIrAsmKind  kind;
  } fixed[] = {
    { "@operands", GHLO_IR_ASM_ALL_OPERANDS },
    { "@attrs", GHLO_IR_ASM_ATTR_DICT },
    { "@functional", GHLO_IR_ASM_FUNCTIONAL },
    { "[?", GHLO_IR_ASM_OPEN },
    { "?]", GHLO_IR_ASM_CLOSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (fixed); i++)
    if (strcmp (fixed[i].word, word) == 0)
      return set (element, fixed[i].kind, 0);

  if (word[0] == '$')
    return split_name (spec, word + 1, element);
  if (g_str_has_prefix (word, "@type("))
    return split_type (spec, word, element);
  if (word[0] == '@')
    return split_custom (word, element);

  element->kind = GHLO_IR_ASM_LITERAL;
  element->text = g_intern_string (word);

  return TRUE;
}

/* Stores in each OPEN the index of the element after its CLOSE. Groups do not nest. */
static void
link_groups (GhloIrAssembly *assembly)
{
  guint open = 0;

  for (guint i = 0; i < assembly->n_elements; i++)
    {
      if (assembly->elements[i].kind == GHLO_IR_ASM_OPEN)
        open = i;
      else if (assembly->elements[i].kind == GHLO_IR_ASM_CLOSE)
        assembly->elements[open].index = i + 1;
    }
}

static void
show_attribute (GhloIrAssembly     *assembly,
                const GhloIrOpSpec *spec,
                const char         *name)
{
  int index = find_attribute (spec, name);

  if (index >= 0)
    assembly->shown |= G_GUINT64_CONSTANT (1) << index;
}

static void
collect_shown (GhloIrAssembly     *assembly,
               const GhloIrOpSpec *spec)
{
  for (guint i = 0; i < assembly->n_elements; i++)
    {
      const GhloIrAsmElement *element = &assembly->elements[i];

      if (element->kind == GHLO_IR_ASM_ATTRIBUTE)
        assembly->shown |= G_GUINT64_CONSTANT (1) << element->index;
      if (element->kind != GHLO_IR_ASM_CUSTOM)
        continue;
      for (guint j = 0; j < G_N_ELEMENTS (directive_attributes); j++)
        if (directive_attributes[j].directive == element->index)
          for (guint k = 0; directive_attributes[j].names[k] != NULL; k++)
            show_attribute (assembly, spec, directive_attributes[j].names[k]);
    }
}

static GhloIrAssembly *
split (const GhloIrOpSpec *spec)
{
  g_auto (GStrv) words = g_strsplit (spec->assembly, " ", -1);
  GhloIrAssembly *assembly = g_new0 (GhloIrAssembly, 1);

  assembly->elements = g_new0 (GhloIrAsmElement, g_strv_length (words));
  for (guint i = 0; words[i] != NULL; i++)
    {
      if (words[i][0] == '\0')
        continue;
      if (!split_word (spec, words[i], &assembly->elements[assembly->n_elements]))
        g_error ("the pretty form of %s has an unknown word, %s", spec->name, words[i]);
      assembly->n_elements++;
    }
  link_groups (assembly);
  collect_shown (assembly, spec);

  return assembly;
}

const GhloIrAssembly *
ghlo_ir_assembly_get (GhloIrOpKind kind)
{
  static GhloIrAssembly *assemblies[GHLO_N_OPS];
  const GhloIrOpSpec *spec = ghlo_ir_op_spec (kind);

  if (spec->assembly == NULL)
    return NULL;
  if (g_once_init_enter (&assemblies[kind]))
    g_once_init_leave (&assemblies[kind], split (spec));

  return assemblies[kind];
}
