/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The formats of sdy's attributes. In a format, "$" and a digit stand for the field of that number; "~" opens and
 * closes a part that is only present if one of its fields is. The kind of a field determines its spelling, unless a
 * letter between "$" and the digit overrides it: "f" factors ("i, k"), "c" factors in one word ("ik"), "s" factors
 * with sizes ("i=2, j=4"), "o" a question mark if the list is not closed. The optional parts of a
 * sharding may come in any order.
 */

#include "ir/sdy-attr.h"

#include <string.h>

#define ATTRS(child)    { GHLO_SDY_FIELD_ATTRS, GHLO_SDY_##child }
#define ATTR(child)     { GHLO_SDY_FIELD_ATTR, GHLO_SDY_##child }
#define OPTIONAL(child) { GHLO_SDY_FIELD_OPTIONAL, GHLO_SDY_##child }
#define NAME            { GHLO_SDY_FIELD_NAME }
#define INTEGER         { GHLO_SDY_FIELD_INTEGER }
#define INTEGERS        { GHLO_SDY_FIELD_INTEGERS }
#define FLAG            { GHLO_SDY_FIELD_FLAG }
#define PRIORITY        { GHLO_SDY_FIELD_PRIORITY }
#define REDUCTION       { GHLO_SDY_FIELD_REDUCTION }
#define SIDE            { GHLO_SDY_FIELD_SIDE }

const GhloSdySpec ghlo_sdy_specs[GHLO_SDY_N_KINDS] = {
  [GHLO_SDY_MANUAL_AXES] = { "manual_axes", "{$0}", { ATTRS (STRING) } },
  [GHLO_SDY_MESH_AXIS] = { "mesh_axis", "$0=$1", { NAME, INTEGER } },
  [GHLO_SDY_MESH] = { "mesh", "<[$0]~, device_ids=[$1]~>", { ATTRS (MESH_AXIS), INTEGERS } },
  [GHLO_SDY_SUB_AXIS] = { "sub_axis_info", "($0)$1", { INTEGER, INTEGER } },
  [GHLO_SDY_AXIS] = { "axis_ref", "$0~:$1~", { NAME, OPTIONAL (SUB_AXIS) } },
  [GHLO_SDY_DIMENSION] = { "dimension_sharding", "{$0$o1}~p$2~", { ATTRS (AXIS), FLAG, PRIORITY } },
  [GHLO_SDY_SHARDING] = { "sharding", "<$0, [$1]~, replicated={$2}~~, unreduced=$4{$3}~>",
                          { ATTR (MESH_OR_SYMBOL), ATTRS (DIMENSION), ATTRS (AXIS), ATTRS (AXIS), REDUCTION } },
  [GHLO_SDY_SHARDINGS] = { "sharding_per_value", "<[$0]>", { ATTRS (SHARDING) } },
  [GHLO_SDY_DIMENSION_MAPPING] = { "dim_mapping", "$c0", { INTEGERS } },
  [GHLO_SDY_TENSOR_MAPPING] = { "tensor_mapping", "[$0]", { ATTRS (DIMENSION_MAPPING) } },
  [GHLO_SDY_RULE] = { "op_sharding_rule",
                      "<($1)->($2)~ {$s0}~~ reduction={$f3}~~ need_replication={$f4}~~ permutation={$f5}~"
                      "~ blocked_propagation={$f6}~~, custom$7~>",
                      { INTEGERS, ATTRS (TENSOR_MAPPING), ATTRS (TENSOR_MAPPING), INTEGERS, INTEGERS, INTEGERS,
                        INTEGERS, FLAG } },
  [GHLO_SDY_AXES] = { "axis_ref_list", "{$0}", { ATTRS (AXIS) } },
  [GHLO_SDY_LISTS_OF_AXES] = { "list_of_axis_ref_lists", "[$0]", { ATTRS (AXES) } },
  [GHLO_SDY_ALL_TO_ALL] = { "all_to_all_param", "{$0}: $1->$2", { ATTRS (AXIS), INTEGER, INTEGER } },
  [GHLO_SDY_ALL_TO_ALLS] = { "all_to_all_param_list", "[$0]", { ATTRS (ALL_TO_ALL) } },
  [GHLO_SDY_EDGE_VALUE] = { "edge_value_ref", "$0-$1", { SIDE, INTEGER } },
  [GHLO_SDY_EDGE] = { "axis_to_propagation_details", "{$0 = $1 -> [$2]}",
                      { ATTR (AXIS), ATTR (EDGE_VALUE), ATTRS (EDGE_VALUE) } },
  [GHLO_SDY_EDGE_STEP] = { "propagation_one_step", "{step-$0 = [$1]}", { INTEGER, ATTRS (EDGE) } },
  [GHLO_SDY_EDGES] = { "propagation_edges", "<[$0]>", { ATTRS (EDGE_STEP) } },
};

const char *const ghlo_sdy_reductions[GHLO_SDY_N_REDUCTIONS] = { "", "max", "min" };
const char *const ghlo_sdy_sides[GHLO_SDY_N_SIDES] = { "operand", "result" };

void
ghlo_sdy_attr_init (GhloSdyAttr *self,
                    GhloSdyKind  kind)
{
  *self = (GhloSdyAttr) { .kind = kind };
  for (guint i = 0; i < GHLO_SDY_MAX_FIELDS; i++)
    if (ghlo_sdy_specs[kind].fields[i].kind == GHLO_SDY_FIELD_PRIORITY)
      self->fields[i].integer = -1;
}

void
ghlo_sdy_attr_clear (GhloSdyAttr *self)
{
  for (guint i = 0; i < GHLO_SDY_MAX_FIELDS; i++)
    {
      g_clear_pointer (&self->fields[i].integers, g_array_unref);
      g_clear_pointer (&self->fields[i].attrs, g_ptr_array_unref);
    }
}

void
ghlo_sdy_field_add (GhloSdyField     *field,
                    const GhloIrAttr *attr)
{
  if (field->attrs == NULL)
    field->attrs = g_ptr_array_new ();
  g_ptr_array_add (field->attrs, (gpointer) attr);
}

void
ghlo_sdy_field_append (GhloSdyField *field,
                       gint64        integer)
{
  if (field->integers == NULL)
    field->integers = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_array_append_val (field->integers, integer);
}

/* Whether the spelling is "sdy.mesh<…>", for a format in angle brackets, rather than "sdy<axis_ref…>". */
static gboolean
is_angled (GhloSdyKind kind)
{
  return ghlo_sdy_specs[kind].format[0] == '<';
}

const char *
ghlo_sdy_find_body (const GhloIrAttr *attr,
                    GhloSdyKind       kind,
                    gsize            *length)
{
  const char *mnemonic = ghlo_sdy_specs[kind].mnemonic, *text = attr->text;
  /* The letters of these directly follow the mnemonic. */
  gboolean open_end = kind == GHLO_SDY_DIMENSION_MAPPING || kind == GHLO_SDY_EDGE_VALUE;

  if (attr->kind != GHLO_IR_ATTR_OPAQUE || !g_str_has_prefix (text, "sdy") || (text[3] != '.' && text[3] != '<')
      || !g_str_has_prefix (text + 4, mnemonic))
    return NULL;
  text += 4 + strlen (mnemonic);
  if (!open_end && (*text == '_' || g_ascii_isalnum (*text)))
    return NULL;
  *length = strlen (text);
  if (attr->text[3] == '.')
    return text;
  if (*length == 0 || text[*length - 1] != '>')
    return NULL;
  *length -= 1;

  return text;
}

gboolean
ghlo_sdy_attr_is (const GhloIrAttr *attr,
                  GhloSdyKind       kind)
{
  gsize length;

  if (kind == GHLO_SDY_STRING)
    return attr->kind == GHLO_IR_ATTR_STRING;
  if (kind == GHLO_SDY_MESH_OR_SYMBOL)
    return (attr->kind == GHLO_IR_ATTR_SYMBOL && attr->length == 0) || ghlo_sdy_attr_is (attr, GHLO_SDY_MESH);

  return ghlo_sdy_find_body (attr, kind, &length) != NULL;
}

/* Printing. */

static void
put_factor (GString *string,
            gint64   factor)
{
  if (factor <= GHLO_SDY_LAST_LETTER)
    g_string_append_c (string, (char) ('i' + factor));
  else
    g_string_append_printf (string, "z_%" G_GINT64_FORMAT, factor - GHLO_SDY_LAST_LETTER);
}

static void
put_integers (GString            *string,
              const GhloSdyField *field,
              char                style)
{
  for (guint i = 0; i < ghlo_sdy_field_n_integers (field); i++)
    {
      gint64 value = g_array_index (field->integers, gint64, i);

      if (i > 0 && style != 'c')
        g_string_append (string, ", ");
      if (style == 's')
        {
          put_factor (string, i);
          g_string_append_c (string, '=');
        }
      if (style == 'f' || style == 'c')
        put_factor (string, value);
      else
        g_string_append_printf (string, "%" G_GINT64_FORMAT, value);
    }
}

/* A nested sdy attribute is printed without its name. */
static void
put_attrs (GString            *string,
           const GhloSdyField *field,
           GhloSdyKind         child)
{
  for (guint i = 0; i < ghlo_sdy_field_n_attrs (field); i++)
    {
      const GhloIrAttr *attr = g_ptr_array_index (field->attrs, i);
      const char *body = NULL;
      gsize length;

      if (child == GHLO_SDY_MESH_OR_SYMBOL && attr->kind == GHLO_IR_ATTR_OPAQUE)
        {
          g_string_append (string, "mesh");
          body = ghlo_sdy_find_body (attr, GHLO_SDY_MESH, &length);
        }
      else if (child < GHLO_SDY_N_KINDS)
        body = ghlo_sdy_find_body (attr, child, &length);
      g_string_append (string, i > 0 ? ", " : "");
      if (body != NULL)
        g_string_append_len (string, body, length);
      else
        ghlo_ir_attr_append (attr, string);
    }
}

static void
put_field (GString           *string,
           const GhloSdyAttr *self,
           guint              index,
           char               style)
{
  const GhloSdyFieldSpec *spec = &ghlo_sdy_specs[self->kind].fields[index];
  const GhloSdyField *field = &self->fields[index];

  switch (spec->kind)
    {
    case GHLO_SDY_FIELD_INTEGER:
    case GHLO_SDY_FIELD_PRIORITY:
      g_string_append_printf (string, "%" G_GINT64_FORMAT, field->integer);
      break;
    case GHLO_SDY_FIELD_INTEGERS:
      put_integers (string, field, style);
      break;
    case GHLO_SDY_FIELD_FLAG:
      if (style == 'o' && field->integer == 0)
        g_string_append (string, ghlo_sdy_field_n_attrs (&self->fields[0]) > 0 ? ", ?" : "?");
      break;
    case GHLO_SDY_FIELD_REDUCTION:
      g_string_append (string, ghlo_sdy_reductions[field->integer]);
      break;
    case GHLO_SDY_FIELD_SIDE:
      g_string_append (string, ghlo_sdy_sides[field->integer]);
      break;
    default:
      put_attrs (string, field, spec->kind == GHLO_SDY_FIELD_NAME ? GHLO_SDY_STRING : spec->child);
    }
}

const char *
ghlo_sdy_read_reference (const char *format,
                         char       *style,
                         guint      *index)
{
  *style = g_ascii_isalpha (*format) ? *format++ : '\0';
  *index = *format - '0';

  return format + 1;
}

gboolean
ghlo_sdy_has_part (const GhloSdyAttr *self,
                   const char        *format)
{
  const GhloSdyFieldSpec *specs = ghlo_sdy_specs[self->kind].fields;
  char style;
  guint index;

  for (; *format != '~'; format++)
    if (*format == '$')
      {
        format = ghlo_sdy_read_reference (format + 1, &style, &index) - 1;
        if (ghlo_sdy_field_n_attrs (&self->fields[index]) > 0 || ghlo_sdy_field_n_integers (&self->fields[index]) > 0
            || (specs[index].kind == GHLO_SDY_FIELD_FLAG && self->fields[index].integer != 0)
            || (specs[index].kind == GHLO_SDY_FIELD_PRIORITY && self->fields[index].integer >= 0))
          return TRUE;
      }

  return FALSE;
}

void
ghlo_sdy_attr_print (const GhloSdyAttr *self,
                     GString           *string)
{
  const char *format = ghlo_sdy_specs[self->kind].format;
  gboolean inside = FALSE;
  char style;
  guint index;

  g_string_append_printf (string, "sdy%c%s", is_angled (self->kind) ? '.' : '<', ghlo_sdy_specs[self->kind].mnemonic);
  while (*format != '\0')
    if (*format == '~')
      {
        inside = !inside;
        format++;
        if (inside && !ghlo_sdy_has_part (self, format))
          {
            format = strchr (format, '~') + 1;
            inside = FALSE;
          }
      }
    else if (*format == '$')
      {
        format = ghlo_sdy_read_reference (format + 1, &style, &index);
        put_field (string, self, index, style);
      }
    else
      g_string_append_c (string, *format++);
  if (!is_angled (self->kind))
    g_string_append_c (string, '>');
}
