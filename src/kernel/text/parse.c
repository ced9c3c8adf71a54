/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Parses text into a kernel: its declarations and its tree of blocks. Declared things are referred to by name,
 * nodes, accesses and folds by number. References come after what they refer to, except for nodes in terms of
 * accesses. The builder checks whether everything is consistent.
 */

#include "kernel/text.h"

#include "base/text.h"
#include "kernel/text/forms.h"
#include "kernel/text/parser.h"

static gboolean parse_block (GhloKernelParser *self,
                             gboolean         *is_block);

/* axis row 1536 runtime */
static gboolean
parse_axis (GhloKernelParser *self,
            gboolean          is_parallel)
{
  g_autofree char *name = NULL;
  gboolean is_runtime;
  gint64 extent;

  if (!ghlo_kernel_parser_name (self, "an axis", &name) || !ghlo_kernel_parser_integer (self, &extent))
    return FALSE;
  is_runtime = ghlo_kernel_parser_accept_word (self, "runtime");
  if (ghlo_kernel_add_axis (self->builder, name, extent, is_parallel, is_runtime) == GHLO_KERNEL_NONE)
    return FALSE;
  g_ptr_array_add (self->names[GHLO_KERNEL_NAMED_AXIS], g_steal_pointer (&name));

  return TRUE;
}

/* buffer y 786432 written; buffer x 786432 shares 1. The shared buffer is given by number, since it may come later. */
static gboolean
parse_buffer (GhloKernelParser *self)
{
  g_autofree char *name = NULL;
  gboolean is_written, has_shared;
  gint64 size, shared = 0;
  guint number;

  if (!ghlo_kernel_parser_name (self, "a buffer", &name) || !ghlo_kernel_parser_integer (self, &size))
    return FALSE;
  is_written = ghlo_kernel_parser_accept_word (self, "written");
  has_shared = ghlo_kernel_parser_accept_word (self, "shares");
  if (has_shared && !ghlo_kernel_parser_integer (self, &shared))
    return FALSE;
  number = ghlo_kernel_add_buffer (self->builder, name, size, is_written);
  if (number == GHLO_KERNEL_NONE)
    return FALSE;
  if (has_shared)
    ghlo_kernel_share_buffer (self->builder, number,
                              shared >= 0 && shared < GHLO_KERNEL_MAX_BUFFERS ? shared : GHLO_KERNEL_MAX_BUFFERS);
  g_ptr_array_add (self->names[GHLO_KERNEL_NAMED_BUFFER], g_steal_pointer (&name));

  return TRUE;
}

/* temporary e f32 [column] */
static gboolean
parse_temporary (GhloKernelParser *self)
{
  g_autofree char *name = NULL;
  GhloElementType type;
  guint axes = 0;

  if (!ghlo_kernel_parser_name (self, "a temporary", &name) || !ghlo_kernel_parser_type (self, &type))
    return FALSE;
  if (self->lexer.kind == '[' && !ghlo_kernel_parser_axes (self, &axes))
    return FALSE;
  if (ghlo_kernel_add_temporary (self->builder, name, type, axes) == GHLO_KERNEL_NONE)
    return FALSE;
  g_ptr_array_add (self->names[GHLO_KERNEL_NAMED_TEMPORARY], g_steal_pointer (&name));

  return TRUE;
}

/* @number is the builder's index of the block that begins. */
static gboolean
begin (GhloKernelParser *self,
       guint             number)
{
  return number != GHLO_KERNEL_NONE && self->depth++ < GHLO_KERNEL_MAX_DEPTH;
}

static void
end (GhloKernelParser *self)
{
  ghlo_kernel_end_block (self->builder);
  self->depth--;
}

/* points [row, column] chains 64 split 4096 { … } */
static gboolean
parse_points (GhloKernelParser *self)
{
  gint64 n_chains = 0, split = 0;
  guint axes = 0;

  if (self->lexer.kind == '[' && !ghlo_kernel_parser_axes (self, &axes))
    return FALSE;
  if (ghlo_kernel_parser_accept_word (self, "chains"))
    {
      GhloKernelLexer place = self->lexer;

      if (!ghlo_kernel_parser_integer (self, &n_chains))
        return FALSE;
      if (n_chains < 1 || n_chains > GHLO_KERNEL_MAX_CHAINS)
        return ghlo_kernel_parser_fail_at (self, &place, "from 1 to %d chains", GHLO_KERNEL_MAX_CHAINS);
    }
  if (ghlo_kernel_parser_accept_word (self, "split") && !ghlo_kernel_parser_integer (self, &split))
    return FALSE;
  if (!ghlo_kernel_parser_expect (self, '{') || !begin (self, ghlo_kernel_begin_points (self->builder, axes)))
    return FALSE;
  if (n_chains != 0 || split != 0)
    ghlo_kernel_set_order (self->builder, n_chains, split);
  if (!ghlo_kernel_parser_points (self))
    return FALSE;
  end (self);

  return TRUE;
}

/* The carries after the opening brace: carry h from first by next. */
static gboolean
parse_carries (GhloKernelParser *self)
{
  guint temporary, first, next;

  while (ghlo_kernel_parser_accept_word (self, "carry"))
    {
      if (!ghlo_kernel_parser_reference (self, GHLO_KERNEL_NAMED_TEMPORARY, &temporary)
          || !ghlo_kernel_parser_expect_word (self, "from")
          || !ghlo_kernel_parser_reference (self, GHLO_KERNEL_NAMED_TEMPORARY, &first)
          || !ghlo_kernel_parser_expect_word (self, "by")
          || !ghlo_kernel_parser_reference (self, GHLO_KERNEL_NAMED_TEMPORARY, &next))
        return FALSE;
      ghlo_kernel_add_carry (self->builder, temporary, first, next);
    }

  return TRUE;
}

/* Parses blocks up to and including the closing brace. */
static gboolean
parse_blocks (GhloKernelParser *self)
{
  while (!ghlo_kernel_parser_accept (self, '}'))
    {
      gboolean is_block;

      if (!parse_block (self, &is_block))
        return FALSE;
      if (!is_block)
        return ghlo_kernel_parser_fail (self, "a block or '}'");
    }

  return TRUE;
}

/* Reads the name after the keyword, and what follows up to the next brace. */
static gboolean
parse_nest (GhloKernelParser *self,
            GhloKernelNamed   kind,
            guint           (*begin_nest) (GhloKernelBuilder *builder, guint number))
{
  guint number;

  return ghlo_kernel_parser_reference (self, kind, &number) && ghlo_kernel_parser_expect (self, '{')
         && begin (self, begin_nest (self->builder, number)) && parse_carries (self) && parse_blocks (self);
}

/* loop step { carries, blocks } */
static gboolean
parse_loop (GhloKernelParser *self)
{
  if (!parse_nest (self, GHLO_KERNEL_NAMED_AXIS, ghlo_kernel_begin_loop))
    return FALSE;
  end (self);

  return TRUE;
}

/* while going { carries, blocks } do { blocks } */
static gboolean
parse_while (GhloKernelParser *self)
{
  if (!parse_nest (self, GHLO_KERNEL_NAMED_TEMPORARY, ghlo_kernel_begin_while)
      || !ghlo_kernel_parser_expect_word (self, "do") || !ghlo_kernel_parser_expect (self, '{'))
    return FALSE;
  ghlo_kernel_begin_body (self->builder);
  if (!parse_blocks (self))
    return FALSE;
  end (self);

  return TRUE;
}

/* when first { carries, blocks } */
static gboolean
parse_if (GhloKernelParser *self)
{
  if (!parse_nest (self, GHLO_KERNEL_NAMED_TEMPORARY, ghlo_kernel_begin_if))
    return FALSE;
  end (self);

  return TRUE;
}

static gboolean
parse_factor (GhloKernelParser *self,
              GhloKernelFactor *factor)
{
  guint number;

  *factor = (GhloKernelFactor) { GHLO_KERNEL_NONE, GHLO_KERNEL_NONE };
  if (self->lexer.kind == GHLO_KERNEL_TOKEN_ACCESS)
    {
      if (!ghlo_kernel_parser_number (self, GHLO_KERNEL_TOKEN_ACCESS, self->n_accesses, &number))
        return FALSE;
      factor->access = number;
      return TRUE;
    }
  if (!ghlo_kernel_parser_reference (self, GHLO_KERNEL_NAMED_TEMPORARY, &number))
    return FALSE;
  factor->temporary = number;

  return TRUE;
}

/* product c [row] [column] [inner] = @3 * weights */
static gboolean
parse_product (GhloKernelParser *self)
{
  guint result, rows, columns, inner;
  GhloKernelFactor left, right;

  return ghlo_kernel_parser_reference (self, GHLO_KERNEL_NAMED_TEMPORARY, &result)
         && ghlo_kernel_parser_axes (self, &rows) && ghlo_kernel_parser_axes (self, &columns)
         && ghlo_kernel_parser_axes (self, &inner) && ghlo_kernel_parser_expect (self, '=')
         && parse_factor (self, &left) && ghlo_kernel_parser_expect (self, '*') && parse_factor (self, &right)
         && ghlo_kernel_add_product (self->builder, rows, columns, inner, left, right, result) != GHLO_KERNEL_NONE;
}

/* Returns TRUE also where there is no block; *@is_block tells. */
static gboolean
parse_block (GhloKernelParser *self,
             gboolean         *is_block)
{
  static gboolean (*const parsers[GHLO_N_BLOCKS]) (GhloKernelParser *) = {
    [GHLO_BLOCK_POINTS] = parse_points,
    [GHLO_BLOCK_LOOP] = parse_loop,
    [GHLO_BLOCK_WHILE] = parse_while,
    [GHLO_BLOCK_IF] = parse_if,
    [GHLO_BLOCK_PRODUCT] = parse_product,
  };

  *is_block = TRUE;
  for (guint kind = 0; kind < GHLO_N_BLOCKS; kind++)
    if (ghlo_kernel_parser_accept_word (self, ghlo_kernel_block_word (kind)))
      return parsers[kind](self);
  *is_block = FALSE;

  return TRUE;
}

static gboolean
parse_statement (GhloKernelParser *self)
{
  gboolean is_block;

  if (ghlo_kernel_parser_accept_word (self, "parallel"))
    return parse_axis (self, TRUE);
  if (ghlo_kernel_parser_accept_word (self, "axis"))
    return parse_axis (self, FALSE);
  if (ghlo_kernel_parser_accept_word (self, "buffer"))
    return parse_buffer (self);
  if (ghlo_kernel_parser_accept_word (self, "temporary"))
    return parse_temporary (self);
  if (ghlo_kernel_parser_accept_word (self, "access"))
    return ghlo_kernel_parser_access (self);

  return parse_block (self, &is_block)
         && (is_block || ghlo_kernel_parser_fail (self, "a declaration, a block or '}'"));
}

/* kernel softmax { … } */
static gboolean
parse_kernel (GhloKernelParser *self)
{
  g_autofree char *name = NULL;

  if (!ghlo_kernel_parser_expect_word (self, "kernel") || !ghlo_kernel_parser_name (self, "a kernel", &name)
      || !ghlo_kernel_parser_expect (self, '{'))
    return FALSE;
  self->builder = ghlo_kernel_builder_new (name);
  while (!ghlo_kernel_parser_accept (self, '}'))
    if (!parse_statement (self))
      return FALSE;

  return self->lexer.kind == GHLO_KERNEL_TOKEN_END || ghlo_kernel_parser_fail (self, "the end of the text");
}

GhloKernel *
ghlo_kernel_parse (const char  *text,
                   gsize        size,
                   GError     **error)
{
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("kernel", text, size);
  GhloKernelParser self = { .diagnostics = diagnostics };
  gsize bom = ghlo_text_bom (text, size);
  GhloKernel *kernel = NULL;

  for (guint i = 0; i < GHLO_KERNEL_N_NAMED; i++)
    self.names[i] = g_ptr_array_new_with_free_func (g_free);
  ghlo_kernel_lexer_init (&self.lexer, text + bom, size - bom);
  ghlo_kernel_parser_next (&self);
  /* Without diagnostics, the text is a kernel, or a kernel that is too large. */
  if (parse_kernel (&self) || diagnostics->n_errors == 0)
    kernel = ghlo_kernel_builder_end (g_steal_pointer (&self.builder), error);
  else
    ghlo_diagnostics_to_error (diagnostics, error);
  g_clear_pointer (&self.builder, ghlo_kernel_builder_free);
  for (guint i = 0; i < GHLO_KERNEL_N_NAMED; i++)
    g_ptr_array_unref (self.names[i]);

  return kernel;
}
