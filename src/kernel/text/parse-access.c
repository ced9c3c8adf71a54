/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Parses accesses: sums of coordinates times strides, an offset, and terms.
 *
 *   row * 512 + column * 4 + 64 + 512 * guard (%3 + row - 1, step 2, end 100) - 4 * clamp (%4, end 7)
 *
 * The parts of a sum may be in any order; the order of terms is kept.
 */

#include "kernel/text/parser.h"

typedef struct
{
  guint   node;                 /* or GHLO_KERNEL_NONE */
  gint64  offset;
  gint64  strides[GHLO_KERNEL_MAX_AXES];
  GArray *terms;                /* of an access; NULL within a term */
} Sum;

static gboolean parse_sum (GhloKernelParser *self,
                           Sum              *sum);

/* Parses a term from its word on; its stride has been read. */
static gboolean
parse_term (GhloKernelParser *self,
            gint64            stride,
            Sum              *access)
{
  Sum sum = { .node = GHLO_KERNEL_NONE };
  GhloKernelTerm term = { .step = 1, .stride = stride };

  term.clamps = ghlo_kernel_lexer_is (&self->lexer, "clamp");
  if (!term.clamps && !ghlo_kernel_lexer_is (&self->lexer, "guard"))
    return ghlo_kernel_parser_fail (self, "'clamp' or 'guard'");
  ghlo_kernel_parser_next (self);
  if (!ghlo_kernel_parser_expect (self, '(') || !parse_sum (self, &sum) || !ghlo_kernel_parser_expect (self, ','))
    return FALSE;
  if (ghlo_kernel_parser_accept_word (self, "step")
      && (!ghlo_kernel_parser_integer (self, &term.step) || !ghlo_kernel_parser_expect (self, ',')))
    return FALSE;
  if (!ghlo_kernel_parser_expect_word (self, "end") || !ghlo_kernel_parser_integer (self, &term.end)
      || !ghlo_kernel_parser_expect (self, ')'))
    return FALSE;
  term.node = sum.node;
  term.offset = sum.offset;
  for (guint i = 0; i < GHLO_KERNEL_MAX_AXES; i++)
    term.strides[i] = sum.strides[i];
  /* One more term than the builder accepts is enough for it to fail. */
  if (access->terms->len <= GHLO_KERNEL_MAX_TERMS)
    g_array_append_val (access->terms, term);

  return TRUE;
}

static gboolean
add (GhloKernelParser      *self,
     const GhloKernelLexer *place,
     gint64                 value,
     gint64                *total)
{
  return !__builtin_add_overflow (*total, value, total)
         || ghlo_kernel_parser_fail_at (self, place, "a sum that fits in 64 bits");
}

static gboolean
parse_integer_part (GhloKernelParser *self,
                    gboolean          is_negative,
                    Sum              *sum)
{
  GhloKernelLexer place = self->lexer;
  gint64 value;

  if (!ghlo_kernel_parser_magnitude (self, is_negative, &value))
    return FALSE;
  if (sum->terms != NULL && ghlo_kernel_parser_accept (self, '*'))
    return parse_term (self, value, sum);

  return add (self, &place, value, &sum->offset);
}

static gboolean
parse_axis_part (GhloKernelParser *self,
                 gboolean          is_negative,
                 Sum              *sum)
{
  GhloKernelLexer place = self->lexer;
  gint64 stride = is_negative ? -1 : 1;
  guint axis;

  if (!ghlo_kernel_parser_reference (self, GHLO_KERNEL_NAMED_AXIS, &axis))
    return FALSE;
  if (ghlo_kernel_parser_accept (self, '*') && !ghlo_kernel_parser_magnitude (self, is_negative, &stride))
    return FALSE;

  return add (self, &place, stride, &sum->strides[axis]);
}

static gboolean
parse_node_part (GhloKernelParser *self,
                 gboolean          is_negative,
                 Sum              *sum)
{
  if (sum->terms != NULL)
    return ghlo_kernel_parser_fail (self, "an axis, an offset or a term");
  if (sum->node != GHLO_KERNEL_NONE || is_negative)
    return ghlo_kernel_parser_fail (self, "an axis or an offset, since a term adds one node");

  return ghlo_kernel_parser_number (self, GHLO_KERNEL_TOKEN_NODE, GHLO_KERNEL_MAX_NODES, &sum->node);
}

static gboolean
parse_sum (GhloKernelParser *self,
           Sum              *sum)
{
  gboolean is_negative = ghlo_kernel_parser_accept (self, '-');

  for (;;)
    {
      gboolean is_right;

      if (self->lexer.kind == GHLO_KERNEL_TOKEN_INTEGER)
        is_right = parse_integer_part (self, is_negative, sum);
      else if (self->lexer.kind == GHLO_KERNEL_TOKEN_NODE)
        is_right = parse_node_part (self, is_negative, sum);
      else
        is_right = parse_axis_part (self, is_negative, sum);
      if (!is_right)
        return FALSE;
      is_negative = ghlo_kernel_parser_accept (self, '-');
      if (!is_negative && !ghlo_kernel_parser_accept (self, '+'))
        return TRUE;
    }
}

gboolean
ghlo_kernel_parser_access (GhloKernelParser *self)
{
  g_autoptr (GArray) terms = g_array_new (FALSE, FALSE, sizeof (GhloKernelTerm));
  Sum sum = { .node = GHLO_KERNEL_NONE, .terms = terms };
  GhloElementType type;
  guint buffer;

  if (!ghlo_kernel_parser_new_number (self, GHLO_KERNEL_TOKEN_ACCESS, self->n_accesses)
      || !ghlo_kernel_parser_type (self, &type)
      || !ghlo_kernel_parser_reference (self, GHLO_KERNEL_NAMED_BUFFER, &buffer)
      || !ghlo_kernel_parser_expect (self, '[') || !parse_sum (self, &sum) || !ghlo_kernel_parser_expect (self, ']'))
    return FALSE;
  if (ghlo_kernel_add_access (self->builder, buffer, type, sum.offset, sum.strides) == GHLO_KERNEL_NONE)
    return FALSE;
  self->n_accesses++;
  for (guint i = 0; i < terms->len; i++)
    ghlo_kernel_add_term (self->builder, &g_array_index (terms, GhloKernelTerm, i));

  return TRUE;
}
