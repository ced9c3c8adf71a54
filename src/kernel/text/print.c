/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Prints a kernel: one line for each declaration, node, fold, update and store; blocks in braces. Defaults (one
 * chain, steps and strides of 1) are omitted.
 */

#include "kernel/text.h"

#include "kernel/text/forms.h"
#include "kernel/text/printer.h"

static void
indent (GhloKernelPrinter *self)
{
  g_string_append_printf (self->text, "%*s", 2 * self->depth, "");
}

static void
close_brace (GhloKernelPrinter *self)
{
  self->depth--;
  indent (self);
  g_string_append (self->text, "}");
}

static void
append_operands (GhloKernelPrinter    *self,
                 const GhloKernelNode *node)
{
  for (guint i = 0; i < ghlo_node_spec (node->kind)->n_operands; i++)
    g_string_append_printf (self->text, " %%%u", node->operands[i]);
}

static void
print_node (GhloKernelPrinter *self,
            guint              number)
{
  const GhloKernelNode *node = &self->kernel->nodes[number];

  indent (self);
  g_string_append_printf (self->text, "%%%u = %s ", number, ghlo_node_spec (node->kind)->name);
  ghlo_kernel_print_type (self, node->type);
  if (ghlo_kernel_node_form (node->kind) != GHLO_KERNEL_FORM_OPERANDS)
    g_string_append (self->text, " ");
  switch (ghlo_kernel_node_form (node->kind))
    {
    case GHLO_KERNEL_FORM_OPERANDS:
      append_operands (self, node);
      if (node->quotient != 0)
        g_string_append_printf (self->text, " %s", ghlo_kernel_quotient_word (node->quotient));
      break;
    case GHLO_KERNEL_FORM_BITS:
      ghlo_kernel_append_constant (self->text, node->type, node->bits);
      break;
    case GHLO_KERNEL_FORM_AXIS:
      ghlo_kernel_print_axis (self, node->index);
      break;
    case GHLO_KERNEL_FORM_ACCESS:
    case GHLO_KERNEL_FORM_LOAD:
      g_string_append_printf (self->text, "@%u", node->index);
      if (node->operands[0] != GHLO_KERNEL_NONE)
        g_string_append_printf (self->text, " else %%%u", node->operands[0]);
      break;
    case GHLO_KERNEL_FORM_TEMPORARY:
      ghlo_kernel_print_temporary (self, node->index);
      break;
    case GHLO_KERNEL_FORM_FOLD:
      g_string_append_printf (self->text, "$%u", node->index);
      break;
    }
  g_string_append (self->text, "\n");
}

static void
print_update (GhloKernelPrinter *self,
              guint              fold,
              guint              node)
{
  if (node == GHLO_KERNEL_NONE)
    return;
  indent (self);
  g_string_append_printf (self->text, "update $%u %%%u\n", fold, node);
}

static void
print_fold (GhloKernelPrinter *self,
            guint              number)
{
  const GhloKernelFold *fold = &self->kernel->folds[number];

  indent (self);
  g_string_append_printf (self->text, "fold $%u ", number);
  ghlo_kernel_print_temporary (self, fold->temporary);
  g_string_append (self->text, " ");
  ghlo_kernel_print_type (self, fold->type);
  g_string_append (self->text, " from ");
  ghlo_kernel_append_constant (self->text, fold->type, fold->identity);
  g_string_append (self->text, "\n");
}

static void
print_store (GhloKernelPrinter     *self,
             const GhloKernelStore *store)
{
  indent (self);
  g_string_append_printf (self->text, "store %%%u to ", store->node);
  if (store->access != GHLO_KERNEL_NONE)
    g_string_append_printf (self->text, "@%u", store->access);
  else
    ghlo_kernel_print_temporary (self, store->temporary);
  g_string_append (self->text, "\n");
}

static void
print_merge (GhloKernelPrinter     *self,
             const GhloKernelBlock *block)
{
  gboolean is_there = block->first_merge < block->end_node;

  for (guint i = 0; i < block->n_folds; i++)
    is_there |= self->kernel->folds[block->first_fold + i].merge != GHLO_KERNEL_NONE;
  if (!is_there)
    return;
  indent (self);
  g_string_append (self->text, "merge {\n");
  self->depth++;
  for (guint i = block->first_merge; i < block->end_node; i++)
    print_node (self, i);
  for (guint i = block->first_fold; i < block->first_fold + block->n_folds; i++)
    print_update (self, i, self->kernel->folds[i].merge);
  close_brace (self);
  g_string_append (self->text, "\n");
}

static void
print_points (GhloKernelPrinter     *self,
              const GhloKernelBlock *block)
{
  guint end_fold = block->first_fold + block->n_folds;

  for (guint i = block->first_fold; i < end_fold; i++)
    print_fold (self, i);
  for (guint i = block->first_node; i < block->first_merge; i++)
    print_node (self, i);
  for (guint i = block->first_fold; i < end_fold; i++)
    print_update (self, i, self->kernel->folds[i].update);
  for (guint i = 0; i < block->n_stores; i++)
    print_store (self, &self->kernel->stores[block->first_store + i]);
  print_merge (self, block);
}

static void
append_factor (GhloKernelPrinter      *self,
               const GhloKernelFactor *factor)
{
  if (factor->access != GHLO_KERNEL_NONE)
    g_string_append_printf (self->text, "@%u", factor->access);
  else
    ghlo_kernel_print_temporary (self, factor->temporary);
}

/* Appends what follows the keyword of the block. */
static void
append_head (GhloKernelPrinter     *self,
             const GhloKernelBlock *block)
{
  switch ((GhloBlockKind) block->kind)
    {
    case GHLO_BLOCK_POINTS:
      if (block->axes != 0)
        ghlo_kernel_print_axes (self, block->axes);
      /* The default for points with folds is one chain. */
      if (block->n_chains != (block->n_folds > 0))
        g_string_append_printf (self->text, " chains %u", block->n_chains);
      if (block->split != 0)
        g_string_append_printf (self->text, " split %" G_GINT64_FORMAT, block->split);
      break;
    case GHLO_BLOCK_LOOP:
      g_string_append (self->text, " ");
      ghlo_kernel_print_axis (self, g_bit_nth_lsf (block->axes, -1));
      break;
    case GHLO_BLOCK_WHILE:
    case GHLO_BLOCK_IF:
      g_string_append (self->text, " ");
      ghlo_kernel_print_temporary (self, block->predicate);
      break;
    default:
      g_string_append (self->text, " ");
      ghlo_kernel_print_temporary (self, block->result);
      ghlo_kernel_print_axes (self, block->rows);
      ghlo_kernel_print_axes (self, block->columns);
      ghlo_kernel_print_axes (self, block->inner);
      g_string_append (self->text, " = ");
      append_factor (self, &block->left);
      g_string_append (self->text, " * ");
      append_factor (self, &block->right);
    }
}

static void
print_carry (GhloKernelPrinter     *self,
             const GhloKernelCarry *carry)
{
  indent (self);
  g_string_append (self->text, "carry ");
  ghlo_kernel_print_temporary (self, carry->temporary);
  g_string_append (self->text, " from ");
  ghlo_kernel_print_temporary (self, carry->first);
  g_string_append (self->text, " by ");
  ghlo_kernel_print_temporary (self, carry->next);
  g_string_append (self->text, "\n");
}

static void print_block (GhloKernelPrinter *self,
             guint              number);

/* Prints what is inside the braces of a block. */
static void
print_inside (GhloKernelPrinter     *self,
              const GhloKernelBlock *block)
{
  guint i = block - self->kernel->blocks + 1;

  for (guint j = 0; j < block->n_carries; j++)
    print_carry (self, &self->kernel->carries[block->first_carry + j]);
  if (block->kind == GHLO_BLOCK_POINTS)
    print_points (self, block);
  if (block->kind == GHLO_BLOCK_WHILE)
    {
      for (; i < block->body; i = self->kernel->blocks[i].end)
        print_block (self, i);
      close_brace (self);
      g_string_append (self->text, " do {\n");
      self->depth++;
    }
  for (; i < block->end; i = self->kernel->blocks[i].end)
    print_block (self, i);
}

static void
print_block (GhloKernelPrinter *self,
             guint              number)
{
  const GhloKernelBlock *block = &self->kernel->blocks[number];

  indent (self);
  g_string_append (self->text, ghlo_kernel_block_word (block->kind));
  append_head (self, block);
  if (block->kind != GHLO_BLOCK_PRODUCT)
    {
      g_string_append (self->text, " {\n");
      self->depth++;
      print_inside (self, block);
      close_brace (self);
    }
  g_string_append (self->text, "\n");
}

char *
ghlo_kernel_print (const GhloKernel *self)
{
  GhloKernelPrinter printer = { .kernel = self, .text = g_string_new ("kernel "), .depth = 1 };

  ghlo_kernel_print_name (&printer, self->name);
  g_string_append (printer.text, " {\n");
  ghlo_kernel_print_declarations (&printer);
  for (guint i = 0; i < self->n_blocks; i = self->blocks[i].end)
    print_block (&printer, i);
  g_string_append (printer.text, "}\n");

  return g_string_free (printer.text, FALSE);
}
