/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pretty forms of the sdy dialect. Its attributes are kept as text, of which these forms print the body: "<@mesh,
 * [{}]>" for "#sdy.sharding<@mesh, [{}]>".
 */

#include <string.h>

#include "ir/print/print-private.h"

/* Returns the part of an OPAQUE attribute's text between the prefix @before and the suffix @after, or NULL if the
 * text does not have these. */
static const char *
inside (const GhloIrAttr *attr,
        const char       *before,
        const char       *after,
        gsize            *length)
{
  gsize skip = strlen (before) + strlen (after);

  if (!ghlo_ir_attr_is (attr, GHLO_IR_ATTR_OPAQUE) || !g_str_has_prefix (attr->text, before)
      || !g_str_has_suffix (attr->text, after) || strlen (attr->text) < skip)
    return NULL;
  *length = strlen (attr->text) - skip;

  return attr->text + strlen (before);
}

static void
put_inside (GhloIrPrinter  *self,
            const GhloIrOp *op,
            const char     *name,
            const char     *before,
            const char     *after)
{
  gsize length;
  const char *text = inside (ghlo_ir_op_get (op, name), before, after, &length);

  /* The directive is printed only where it has them all. */
  g_assert (text != NULL);
  g_string_append_len (self->out, text, length);
}

static void
put_mesh (GhloIrPrinter  *self,
          const GhloIrOp *op,
          guint64         shown)
{
  g_string_append_c (self->out, ' ');
  ghlo_ir_put_symbol (self->out, ghlo_ir_op_get_string (op, "sym_name"));
  g_string_append (self->out, " = <");
  put_inside (self, op, "mesh", "sdy.mesh<", ">");
  g_string_append_c (self->out, '>');
  ghlo_ir_put_attr_dict (self, op, shown, NULL);
}

static gboolean
has_mesh (const GhloIrOp *op)
{
  const GhloIrAttr *name = ghlo_ir_op_get (op, "sym_name");
  gsize length;

  return ghlo_ir_attr_is (name, GHLO_IR_ATTR_STRING) && strlen (name->text) == name->length
         && inside (ghlo_ir_op_get (op, "mesh"), "sdy.mesh<", ">", &length) != NULL;
}

static void
put_constraint (GhloIrPrinter  *self,
                const GhloIrOp *op,
                guint64         shown)
{
  g_string_append_c (self->out, ' ');
  ghlo_ir_put_operands (self, op, 0, op->n_operands);
  g_string_append (self->out, " <");
  put_inside (self, op, "sharding", "sdy.sharding<", ">");
  g_string_append_c (self->out, '>');
  ghlo_ir_put_attr_dict (self, op, shown, NULL);
  g_string_append (self->out, " : ");
  ghlo_ir_put_type (self, op->results[0].type);
}

static gboolean
has_constraint (const GhloIrOp *op)
{
  gsize length;

  return ghlo_ir_op_operand (op, 0)->type == op->results[0].type
         && inside (ghlo_ir_op_get (op, "sharding"), "sdy.sharding<", ">", &length) != NULL;
}

static void
put_manual (GhloIrPrinter  *self,
            const GhloIrOp *op,
            guint64         shown)
{
  const GhloIrBlock *block = ghlo_ir_op_region_block (op, 0);

  g_string_append_c (self->out, '(');
  ghlo_ir_put_operands (self, op, 0, op->n_operands);
  g_string_append (self->out, ") in_shardings=");
  put_inside (self, op, "in_shardings", "sdy.sharding_per_value<", ">");
  g_string_append (self->out, " out_shardings=");
  put_inside (self, op, "out_shardings", "sdy.sharding_per_value<", ">");
  g_string_append (self->out, " manual_axes=");
  put_inside (self, op, "manual_axes", "sdy<manual_axes", ">");
  g_string_append (self->out, " (");
  for (guint i = 0; i < block->n_arguments; i++)
    {
      g_string_append (self->out, i > 0 ? ", " : "");
      ghlo_ir_put_argument (self, block->arguments[i]);
    }
  g_string_append (self->out, ") ");
  ghlo_ir_put_region (self, &op->regions[0], FALSE);
  ghlo_ir_put_attr_dict (self, op, shown, NULL);
  g_string_append (self->out, " : ");
  ghlo_ir_put_functional (self, op);
}

static gboolean
has_manual (const GhloIrOp *op)
{
  gsize length;

  return ghlo_ir_op_region_block (op, 0) != NULL
         && inside (ghlo_ir_op_get (op, "in_shardings"), "sdy.sharding_per_value<", ">", &length) != NULL
         && inside (ghlo_ir_op_get (op, "out_shardings"), "sdy.sharding_per_value<", ">", &length) != NULL
         && inside (ghlo_ir_op_get (op, "manual_axes"), "sdy<manual_axes", ">", &length) != NULL;
}

static const GhloIrPrintDirective directives[GHLO_IR_N_DIRECTIVES] = {
  [GHLO_IR_DIRECTIVE_SDY_MESH] = { put_mesh, has_mesh, TRUE },
  [GHLO_IR_DIRECTIVE_SDY_CONSTRAINT] = { put_constraint, has_constraint, TRUE },
  [GHLO_IR_DIRECTIVE_SDY_MANUAL] = { put_manual, has_manual, TRUE },
};

const GhloIrPrintDirective *
ghlo_ir_print_sharding_directive (GhloIrAsmDirective directive)
{
  return directives[directive].put != NULL ? &directives[directive] : NULL;
}
