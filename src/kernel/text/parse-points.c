/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Parses the contents of points: nodes, folds, stores, and the merge of the folds.
 */

#include "kernel/text/forms.h"
#include "kernel/text/parser.h"

#include "base/bits.h"

#include <math.h>

/* The value of a constant node, or the identity of a fold. */
static gboolean
parse_constant (GhloKernelParser *self,
                GhloElementType   type,
                guint64          *bits)
{
  GhloKernelLexer place = self->lexer;
  gboolean is_negative = ghlo_kernel_parser_accept (self, '-');
  gboolean is_right = FALSE;
  g_autofree char *text = g_strndup (self->lexer.start, self->lexer.cursor - self->lexer.start);

  *bits = 0;
  if (self->lexer.kind == GHLO_KERNEL_TOKEN_INTEGER || self->lexer.kind == GHLO_KERNEL_TOKEN_FLOAT)
    is_right = ghlo_kernel_read_decimal (type, is_negative, text, bits);
  else if (self->lexer.kind == GHLO_KERNEL_TOKEN_HEX)
    {
      *bits = self->lexer.value;
      is_right = !is_negative && !self->lexer.overflows && *bits <= ghlo_low_bits (ghlo_element_info (type)->bits);
    }
  else if (ghlo_node_types (type) == GHLO_NODE_TYPES_F && ghlo_kernel_lexer_is (&self->lexer, "inf"))
    {
      *bits = ghlo_float_to_bits (type, is_negative ? -INFINITY : INFINITY);
      is_right = TRUE;
    }
  else if (ghlo_node_types (type) == GHLO_NODE_TYPES_B && !is_negative)
    {
      *bits = ghlo_kernel_lexer_is (&self->lexer, "true");
      is_right = *bits || ghlo_kernel_lexer_is (&self->lexer, "false");
    }
  if (!is_right)
    return ghlo_kernel_parser_fail_at (self, &place, "a constant of type %s", ghlo_element_info (type)->name);
  ghlo_kernel_parser_next (self);

  return TRUE;
}

static gboolean
parse_operands (GhloKernelParser *self,
                GhloNodeKind      kind,
                GhloElementType   type)
{
  static const GhloQuotient quotients[] = { GHLO_QUOTIENT_IS_BOUNDED, GHLO_QUOTIENT_IS_APPROXIMATE,
                                            GHLO_QUOTIENT_IS_NARROW };
  guint operands[3] = { GHLO_KERNEL_NONE, GHLO_KERNEL_NONE, GHLO_KERNEL_NONE };

  for (guint i = 0; i < ghlo_node_spec (kind)->n_operands; i++)
    if (!ghlo_kernel_parser_number (self, GHLO_KERNEL_TOKEN_NODE, self->n_nodes, &operands[i]))
      return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (quotients) && kind == GHLO_NODE_DIVIDE && type == GHLO_ELEMENT_TYPE_F32; i++)
    if (ghlo_kernel_parser_accept_word (self, ghlo_kernel_quotient_word (quotients[i])))
      return ghlo_kernel_add_quotient (self->builder, quotients[i], operands[0], operands[1]) != GHLO_KERNEL_NONE;

  return ghlo_kernel_add_node (self->builder, kind, type, operands[0], operands[1], operands[2]) != GHLO_KERNEL_NONE;
}

static gboolean
parse_load (GhloKernelParser *self,
            GhloElementType   type)
{
  guint access, fill = GHLO_KERNEL_NONE;

  if (!ghlo_kernel_parser_number (self, GHLO_KERNEL_TOKEN_ACCESS, self->n_accesses, &access))
    return FALSE;
  if (ghlo_kernel_parser_accept_word (self, "else")
      && !ghlo_kernel_parser_number (self, GHLO_KERNEL_TOKEN_NODE, self->n_nodes, &fill))
    return FALSE;

  return ghlo_kernel_add_load (self->builder, type, access, fill) != GHLO_KERNEL_NONE;
}

/* Parses the reference of a leaf in one of the remaining forms. */
static gboolean
parse_reference (GhloKernelParser *self,
                 GhloKernelForm    form,
                 guint            *index)
{
  switch (form)
    {
    case GHLO_KERNEL_FORM_AXIS:
      return ghlo_kernel_parser_reference (self, GHLO_KERNEL_NAMED_AXIS, index);
    case GHLO_KERNEL_FORM_TEMPORARY:
      return ghlo_kernel_parser_reference (self, GHLO_KERNEL_NAMED_TEMPORARY, index);
    case GHLO_KERNEL_FORM_ACCESS:
      return ghlo_kernel_parser_number (self, GHLO_KERNEL_TOKEN_ACCESS, self->n_accesses, index);
    default:
      return ghlo_kernel_parser_number (self, GHLO_KERNEL_TOKEN_FOLD, self->n_folds, index);
    }
}

static gboolean
parse_value (GhloKernelParser *self,
             GhloNodeKind      kind,
             GhloElementType   type)
{
  GhloKernelForm form = ghlo_kernel_node_form (kind);
  guint64 bits;
  guint index;

  if (form == GHLO_KERNEL_FORM_OPERANDS)
    return parse_operands (self, kind, type);
  if (form == GHLO_KERNEL_FORM_LOAD)
    return parse_load (self, type);
  if (form == GHLO_KERNEL_FORM_BITS)
    return parse_constant (self, type, &bits)
           && ghlo_kernel_add_constant (self->builder, type, bits) != GHLO_KERNEL_NONE;

  return parse_reference (self, form, &index)
         && ghlo_kernel_add_leaf (self->builder, kind, type, index) != GHLO_KERNEL_NONE;
}

/* %2 = multiply f32 %0 %1 */
static gboolean
parse_node (GhloKernelParser *self)
{
  g_autofree char *name = NULL;
  GhloNodeKind kind = GHLO_N_NODES;
  GhloElementType type;

  if (!ghlo_kernel_parser_new_number (self, GHLO_KERNEL_TOKEN_NODE, self->n_nodes)
      || !ghlo_kernel_parser_expect (self, '='))
    return FALSE;
  if (self->lexer.kind == GHLO_KERNEL_TOKEN_WORD)
    {
      name = ghlo_kernel_lexer_name (&self->lexer);
      kind = ghlo_node_named (name);
    }
  if (kind == GHLO_N_NODES)
    return ghlo_kernel_parser_fail (self, "the name of a node");
  ghlo_kernel_parser_next (self);
  if (!ghlo_kernel_parser_type (self, &type) || !parse_value (self, kind, type))
    return FALSE;
  self->n_nodes++;

  return TRUE;
}

/* fold $0 most f32 from -inf */
static gboolean
parse_fold (GhloKernelParser *self)
{
  GhloElementType type;
  guint64 identity;
  guint temporary;

  if (!ghlo_kernel_parser_new_number (self, GHLO_KERNEL_TOKEN_FOLD, self->n_folds)
      || !ghlo_kernel_parser_reference (self, GHLO_KERNEL_NAMED_TEMPORARY, &temporary)
      || !ghlo_kernel_parser_type (self, &type) || !ghlo_kernel_parser_expect_word (self, "from")
      || !parse_constant (self, type, &identity))
    return FALSE;
  self->n_folds++;

  return ghlo_kernel_add_fold (self->builder, type, temporary, identity) != GHLO_KERNEL_NONE;
}

/* update $0 %4; the fold belongs to the current points, whose folds begin at @first */
static gboolean
parse_update (GhloKernelParser *self,
              guint             first,
              void            (*set) (GhloKernelBuilder *, guint, guint))
{
  GhloKernelLexer place = self->lexer;
  guint fold, node;

  if (!ghlo_kernel_parser_number (self, GHLO_KERNEL_TOKEN_FOLD, self->n_folds, &fold))
    return FALSE;
  if (fold < first)
    return ghlo_kernel_parser_fail_at (self, &place, "a fold of these points");
  if (!ghlo_kernel_parser_number (self, GHLO_KERNEL_TOKEN_NODE, self->n_nodes, &node))
    return FALSE;
  set (self->builder, fold, node);

  return TRUE;
}

/* store %2 to @1, store %2 to most */
static gboolean
parse_store (GhloKernelParser *self)
{
  guint node, number;

  if (!ghlo_kernel_parser_number (self, GHLO_KERNEL_TOKEN_NODE, self->n_nodes, &node)
      || !ghlo_kernel_parser_expect_word (self, "to"))
    return FALSE;
  if (self->lexer.kind == GHLO_KERNEL_TOKEN_ACCESS)
    {
      if (!ghlo_kernel_parser_number (self, GHLO_KERNEL_TOKEN_ACCESS, self->n_accesses, &number))
        return FALSE;
      ghlo_kernel_store (self->builder, node, number);
      return TRUE;
    }
  if (!ghlo_kernel_parser_reference (self, GHLO_KERNEL_NAMED_TEMPORARY, &number))
    return FALSE;
  ghlo_kernel_keep (self->builder, node, number);

  return TRUE;
}

static gboolean
parse_merge (GhloKernelParser *self,
             guint             first_fold)
{
  if (!ghlo_kernel_parser_expect (self, '{'))
    return FALSE;
  ghlo_kernel_begin_merge (self->builder);
  while (!ghlo_kernel_parser_accept (self, '}'))
    {
      gboolean is_right;

      if (self->lexer.kind == GHLO_KERNEL_TOKEN_NODE)
        is_right = parse_node (self);
      else if (ghlo_kernel_parser_accept_word (self, "update"))
        is_right = parse_update (self, first_fold, ghlo_kernel_set_merge);
      else
        is_right = ghlo_kernel_parser_fail (self, "a node, 'update' or '}'");
      if (!is_right)
        return FALSE;
    }

  return TRUE;
}

gboolean
ghlo_kernel_parser_points (GhloKernelParser *self)
{
  guint first_fold = self->n_folds;

  while (!ghlo_kernel_parser_accept (self, '}'))
    {
      gboolean is_right;

      if (self->lexer.kind == GHLO_KERNEL_TOKEN_NODE)
        is_right = parse_node (self);
      else if (ghlo_kernel_parser_accept_word (self, "fold"))
        is_right = parse_fold (self);
      else if (ghlo_kernel_parser_accept_word (self, "update"))
        is_right = parse_update (self, first_fold, ghlo_kernel_set_update);
      else if (ghlo_kernel_parser_accept_word (self, "store"))
        is_right = parse_store (self);
      else if (ghlo_kernel_parser_accept_word (self, "merge"))
        return parse_merge (self, first_fold) && ghlo_kernel_parser_expect (self, '}');
      else
        is_right = ghlo_kernel_parser_fail (self, "a node, 'fold', 'update', 'store', 'merge' or '}'");
      if (!is_right)
        return FALSE;
    }

  return TRUE;
}
