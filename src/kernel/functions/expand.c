/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Copies of kernels with their functions replaced by expansions.
 */

#include "kernel/functions/vocabulary.h"

#include "base/bits.h"
#include "base/ghlo-error.h"

/* A kernel that is being copied to a builder. */
typedef struct
{
  const GhloKernel *from;
  Builder          *to;
  gboolean          keeps;      /* conversions of f32 to bf16, and from and to f16, stay */
  const guint      *terms;      /* the new numbers of nodes, for use in terms; NULL in the first pass */
  guint            *moved;      /* the new numbers of nodes, filled in during the copy */
  const guint8     *uses;       /* flags of nodes from ghlo_expand_find_uses () */
  guint            *rounded;    /* for TO_BF16 on the fast path: its result as an f32 node; else GHLO_KERNEL_NONE */
  guint            *sentinel;   /* fast path: receives the node, once it exists; NULL: the exact path */
  guint            *split;      /* fast path: pairs of (2^16 + 1) times each bf16 number and its negative */
} Copy;

static void
copy_storage (const Copy *self)
{
  const GhloKernel *from = self->from;

  for (guint i = 0; i < from->n_axes; i++)
    ghlo_kernel_add_axis (self->to, from->axes[i].name, from->axes[i].extent, from->axes[i].is_parallel,
                          from->axes[i].is_runtime);
  for (guint i = 0; i < from->n_buffers; i++)
    {
      ghlo_kernel_add_buffer (self->to, from->buffers[i].name, from->buffers[i].size, from->buffers[i].is_written);
      ghlo_kernel_share_buffer (self->to, i, from->buffers[i].shared);
    }
  for (guint i = 0; i < from->n_accesses; i++)
    {
      const GhloKernelAccess *access = &from->accesses[i];

      ghlo_kernel_add_access (self->to, access->buffer, access->type, access->offset, access->strides);
      for (guint k = 0; k < access->n_terms; k++)
        {
          GhloKernelTerm term = from->terms[access->first_term + k];

          if (self->terms != NULL && term.node != GHLO_KERNEL_NONE)
            term.node = self->terms[term.node];
          ghlo_kernel_add_term (self->to, &term);
        }
    }
  for (guint i = 0; i < from->n_temporaries; i++)
    ghlo_kernel_add_temporary (self->to, from->temporaries[i].name, from->temporaries[i].type,
                               from->temporaries[i].axes);
}

/* Returns @factor times node @number, which is a constant or a bf16 number. */
static guint
scale (const Copy *self,
       guint       number,
       float       factor)
{
  const GhloKernelNode *node = &self->from->nodes[number];
  const guint moved = self->moved[number];

  if (node->kind == GHLO_NODE_CONSTANT)
    return real (self->to, moved, (double) (ghlo_float_of_bits ((guint32) node->bits) * factor));

  return factor < 0 ? negate (self->to, moved) : multiply_real (self->to, moved, (double) factor);
}

/* Returns the fast path's rounding of the product @node. The factor to split is a constant, which costs nothing, or
 * else the older of the two, which is more likely to occur in other products. */
static guint
round_product (const Copy           *self,
               const GhloKernelNode *node)
{
  const guint a = node->operands[0], b = node->operands[1];
  const gboolean has_first = self->from->nodes[a].kind == GHLO_NODE_CONSTANT
                             || (self->from->nodes[b].kind != GHLO_NODE_CONSTANT && a < b);
  const guint number = has_first ? a : b;
  guint *split = &self->split[2 * number];

  if (split[0] == GHLO_KERNEL_NONE)
    {
      split[0] = scale (self, number, (1 << 16) + 1);
      split[1] = scale (self, number, -1);
    }

  return ghlo_expand_function (self->to, ghlo_expand_round_product_fast, GHLO_ELEMENT_TYPE_F32,
                               (const guint[]) { self->moved[has_first ? b : a], split[0], split[1] }, 3);
}

/* Returns whether node @number, FROM_BF16 of a rounding, is only used times powers of two, and the fast path may round
 * it. */
static gboolean
is_only_scaled (const Copy *self,
                guint       number)
{
  return (self->uses[number] & GHLO_EXPAND_IS_WANTED) == 0
         && (self->uses[self->from->nodes[number].operands[0]] & GHLO_EXPAND_MAY_BE_NAN) != 0;
}

/* Returns node @number, which is a power of two times the rounding @rounded. */
static guint
round_scaled (const Copy *self,
              guint       number,
              guint       rounded)
{
  const GhloKernelNode *nodes = self->from->nodes, *node = &nodes[number];
  const guint factor = node->operands[node->operands[0] == rounded];

  return ghlo_expand_function (self->to, ghlo_expand_round_product_fast, GHLO_ELEMENT_TYPE_F32,
                               (const guint[]) { self->moved[nodes[nodes[rounded].operands[0]].operands[0]],
                                                 scale (self, factor, (1 << 16) + 1), scale (self, factor, -1) }, 3);
}

/* Handles nodes that the fast path drops or replaces. */
static gboolean
copy_fast (const Copy *self,
           guint       number)
{
  const GhloKernelNode *node = &self->from->nodes[number];
  const guint rounded = ghlo_expand_find_scaled (self->from, number);
  const gboolean is_wanted = (self->uses[number] & GHLO_EXPAND_IS_WANTED) != 0;

  if (rounded != GHLO_KERNEL_NONE && is_only_scaled (self, rounded))
    {
      self->moved[number] = round_scaled (self, number, rounded);
      return TRUE;
    }

  return (!is_wanted && ghlo_expand_is_product (self->from, number))
         || (ghlo_expand_is_rounding (self->from, node) && is_only_scaled (self, number));
}

/* Returns the result of node @number, a TO_BF16, as an f32 number in @to. */
static guint
round_to_bf16 (const Copy *self,
               guint       number)
{
  const guint operand = self->from->nodes[number].operands[0];
  const gboolean is_fast = self->sentinel != NULL && (self->uses[number] & GHLO_EXPAND_MAY_BE_NAN) != 0;

  if (is_fast && ghlo_expand_is_scaled (self->from, operand))
    return self->moved[operand];
  if (is_fast && ghlo_expand_is_product (self->from, operand))
    return round_product (self, &self->from->nodes[operand]);

  return ghlo_expand_function (self->to, is_fast ? ghlo_expand_round_bf16_fast : ghlo_expand_round_bf16,
                               GHLO_ELEMENT_TYPE_F32, &self->moved[operand], 1);
}

/* Handles FROM_BF16 of a TO_BF16 of f32, and a TO_BF16 of f32 that is not needed itself or that the fast path rounds.
 * Returns FALSE for all other nodes. */
static gboolean
copy_rounding (const Copy *self,
               guint       number)
{
  const GhloKernelNode *node = &self->from->nodes[number];
  const gboolean is_wanted = (self->uses[number] & GHLO_EXPAND_IS_WANTED) != 0;

  if (ghlo_expand_is_rounding (self->from, node))
    self->moved[number] = round_to_bf16 (self, node->operands[0]);
  else if (node->kind != GHLO_NODE_TO_BF16
           || ghlo_kernel_operand_type (self->from, node) != GHLO_ELEMENT_TYPE_F32)
    return FALSE;
  else if (is_wanted && (self->sentinel == NULL || (self->uses[number] & GHLO_EXPAND_MAY_BE_NAN) == 0))
    return FALSE;
  else if (is_wanted)
    {
      self->rounded[number] = round_to_bf16 (self, number);
      self->moved[number] = ghlo_expand_function (self->to, ghlo_expand_upper_half, GHLO_ELEMENT_TYPE_F32,
                                                  &self->rounded[number], 1);
    }

  return TRUE;
}

/* Adds up all results that may be NaN: the sum is NaN if one of them is. */
static guint
add_sentinel (const Copy *self)
{
  const GhloKernel *from = self->from;
  guint sentinel = GHLO_KERNEL_NONE;

  for (guint i = 0; i < from->n_stores; i++)
    {
      const guint node = from->stores[i].node;
      const guint number = from->nodes[node].type == GHLO_ELEMENT_TYPE_F32 ? self->moved[node] : self->rounded[node];

      if (number != GHLO_KERNEL_NONE)
        sentinel = sentinel != GHLO_KERNEL_NONE ? add (self->to, sentinel, number) : number;
    }

  return sentinel;
}

/* Returns whether node @number is only used rounded to bf16 and is cheaper that way. */
static gboolean
is_narrowed (const Copy *self,
             guint       number)
{
  return (self->uses[number] & GHLO_EXPAND_IS_WANTED) == 0 && ghlo_expand_is_narrow (self->from, number);
}

/* Returns whether @node is x³ with a constant exponent: a common power, of which the general one has the same bits. */
static gboolean
is_cube (const Copy           *self,
         const GhloKernelNode *node)
{
  const GhloKernelNode *exponent = node->kind == GHLO_NODE_POWER ? &self->from->nodes[node->operands[1]] : NULL;

  if (exponent == NULL || exponent->kind != GHLO_NODE_CONSTANT)
    return FALSE;

  return exponent->type == GHLO_ELEMENT_TYPE_F32 ? ghlo_float_of_bits ((guint32) exponent->bits) == 3
                                                 : ghlo_double_of_bits (exponent->bits) == 3;
}

/* Returns the expansion for node @number, a function, or NULL. */
static GhloKernelExpansion
choose_expansion (const Copy *self,
                  guint       number)
{
  const GhloKernelNode *node = &self->from->nodes[number];

  if (is_narrowed (self, number))
    return ghlo_expand_find_bf16 (node->kind);
  if (is_cube (self, node))
    return ghlo_expand_cube;

  return ghlo_kernel_expansion (node->kind, ghlo_kernel_operand_type (self->from, node));
}

/* Returns FALSE for a function without an expansion. */
static gboolean
copy_node (const Copy  *self,
           guint        number,
           GError     **error)
{
  const GhloKernelNode *node = &self->from->nodes[number];
  const GhloNodeSpec *spec = ghlo_node_spec (node->kind);
  GhloElementType type = ghlo_kernel_operand_type (self->from, node);
  guint operands[3];

  if ((self->sentinel != NULL && copy_fast (self, number)) || copy_rounding (self, number))
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (operands); i++)
    operands[i] = node->operands[i] != GHLO_KERNEL_NONE ? self->moved[node->operands[i]] : GHLO_KERNEL_NONE;
  if (node->kind == GHLO_NODE_CONSTANT)
    self->moved[number] = ghlo_kernel_add_constant (self->to, node->type, node->bits);
  else if (node->kind == GHLO_NODE_LOAD)
    self->moved[number] = ghlo_kernel_add_load (self->to, node->type, node->index, operands[0]);
  else if (spec->role == GHLO_NODE_LEAF)
    self->moved[number] = ghlo_kernel_add_leaf (self->to, node->kind, node->type, node->index);
  else if (spec->role == GHLO_NODE_PRIMITIVE)
    self->moved[number]
      = ghlo_expand_add_primitive (self->to, node,
                                   node->quotient == 0 && is_narrowed (self, number) ? GHLO_QUOTIENT_IS_NARROW
                                                                                     : node->quotient,
                                   operands[0], operands[1], operands[2]);
  else if (self->keeps && (node->kind == GHLO_NODE_FROM_F16
                           || ((node->kind == GHLO_NODE_TO_F16 || node->kind == GHLO_NODE_TO_BF16)
                               && type == GHLO_ELEMENT_TYPE_F32)))
    self->moved[number] = ghlo_kernel_add_node (self->to, node->kind, node->type, operands[0], operands[1],
                                                operands[2]);
  else if (choose_expansion (self, number) != NULL)
    self->moved[number] = ghlo_expand_function (self->to, choose_expansion (self, number), type, operands,
                                                spec->n_operands);
  else
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED, "there is no expansion of %s of %s in the kernel %s",
                   spec->name, ghlo_element_info (type)->name, self->from->name);
      return FALSE;
    }

  return TRUE;
}

static gboolean
copy_points (const Copy             *self,
             const GhloKernelBlock  *block,
             GError                **error)
{
  const GhloKernel *from = self->from;
  guint end_fold = block->first_fold + block->n_folds;

  ghlo_kernel_begin_points (self->to, block->axes);
  if (block->n_folds > 0)
    ghlo_kernel_set_order (self->to, block->n_chains, block->split);
  for (guint i = block->first_fold; i < end_fold; i++)
    ghlo_kernel_add_fold (self->to, from->folds[i].type, from->folds[i].temporary, from->folds[i].identity);
  for (guint i = block->first_node; i < block->end_node; i++)
    {
      if (i == block->first_merge)
        ghlo_kernel_begin_merge (self->to);
      if (!copy_node (self, i, error))
        return FALSE;
    }
  for (guint i = block->first_store; i < block->first_store + block->n_stores; i++)
    {
      const GhloKernelStore *store = &from->stores[i];

      if (store->access != GHLO_KERNEL_NONE)
        ghlo_kernel_store (self->to, self->moved[store->node], store->access);
      else
        ghlo_kernel_keep (self->to, self->moved[store->node], store->temporary);
    }
  if (self->sentinel != NULL)
    *self->sentinel = add_sentinel (self);
  for (guint i = block->first_fold; i < end_fold; i++)
    {
      ghlo_kernel_set_update (self->to, i, self->moved[from->folds[i].update]);
      if (from->folds[i].merge != GHLO_KERNEL_NONE)
        ghlo_kernel_set_merge (self->to, i, self->moved[from->folds[i].merge]);
    }
  ghlo_kernel_end_block (self->to);

  return TRUE;
}

/* Copies the blocks [@first, @end), which are siblings. */
static gboolean
copy_blocks (const Copy  *self,
             guint        first,
             guint        end,
             GError     **error)
{
  const GhloKernel *from = self->from;

  for (guint i = first; i < end; i = from->blocks[i].end)
    {
      const GhloKernelBlock *block = &from->blocks[i];
      guint body = block->kind == GHLO_BLOCK_WHILE ? block->body : i + 1;

      if (block->kind == GHLO_BLOCK_PRODUCT)
        {
          ghlo_kernel_add_product (self->to, block->rows, block->columns, block->inner, block->left, block->right,
                                   block->result);
          continue;
        }
      if (block->kind == GHLO_BLOCK_POINTS)
        {
          if (!copy_points (self, block, error))
            return FALSE;
          continue;
        }
      if (block->kind == GHLO_BLOCK_LOOP)
        ghlo_kernel_begin_loop (self->to, (guint) g_bit_nth_lsf (block->axes, -1));
      else if (block->kind == GHLO_BLOCK_WHILE)
        ghlo_kernel_begin_while (self->to, block->predicate);
      else
        ghlo_kernel_begin_if (self->to, block->predicate);
      for (guint k = block->first_carry; k < block->first_carry + block->n_carries; k++)
        ghlo_kernel_add_carry (self->to, from->carries[k].temporary, from->carries[k].first, from->carries[k].next);
      if (!copy_blocks (self, i + 1, body, error))
        return FALSE;
      if (block->kind == GHLO_BLOCK_WHILE)
        ghlo_kernel_begin_body (self->to);
      if (!copy_blocks (self, body, block->end, error))
        return FALSE;
      ghlo_kernel_end_block (self->to);
    }

  return TRUE;
}

/* @moved has room for the new numbers of all nodes. @terms are those from an earlier copy, or NULL. @sentinel is that
 * of ghlo_kernel_expand_fast (), or NULL for the exact path. */
static GhloKernelBuilder *
copy_kernel (const GhloKernel  *from,
             gboolean           keeps,
             const guint       *terms,
             guint             *moved,
             guint             *sentinel,
             GError           **error)
{
  g_autoptr (GhloKernelBuilder) to = ghlo_kernel_builder_new (from->name);
  g_autofree guint8 *uses = g_new (guint8, from->n_nodes + 1);
  g_autofree guint *rounded = g_new (guint, from->n_nodes + 1), *split = g_new (guint, 2 * from->n_nodes + 1);
  Copy copy = {
    .from = from, .to = to, .keeps = keeps, .terms = terms, .uses = uses, .rounded = rounded, .split = split,
  };

  copy.moved = moved;
  copy.sentinel = sentinel;
  for (guint i = 0; i < from->n_nodes; i++)
    rounded[i] = split[2 * i] = GHLO_KERNEL_NONE;
  ghlo_expand_find_uses (from, sentinel != NULL, uses);
  copy_storage (&copy);

  return copy_blocks (&copy, 0, from->n_blocks, error) ? g_steal_pointer (&to) : NULL;
}

static GhloKernel *
expand (const GhloKernel  *self,
        gboolean           keeps,
        GError           **error)
{
  g_autofree guint *terms = g_new0 (guint, self->n_nodes + 1), *moved = g_new0 (guint, self->n_nodes + 1);
  GhloKernelBuilder *builder = copy_kernel (self, keeps, NULL, terms, NULL, error);
  gboolean has_nodes = FALSE;

  /* Accesses are added before the nodes to which their terms refer, hence a second pass. */
  for (guint i = 0; i < self->n_terms; i++)
    has_nodes = has_nodes || self->terms[i].node != GHLO_KERNEL_NONE;
  if (builder != NULL && has_nodes)
    {
      ghlo_kernel_builder_free (builder);
      builder = copy_kernel (self, keeps, terms, moved, NULL, error);
    }

  return builder != NULL ? ghlo_kernel_builder_end (builder, error) : NULL;
}

GhloKernel *
ghlo_kernel_expand (const GhloKernel  *self,
                    GError           **error)
{
  return expand (self, FALSE, error);
}

GhloKernel *
ghlo_kernel_expand_but_narrow (const GhloKernel  *self,
                               GError           **error)
{
  return expand (self, TRUE, error);
}

static gboolean
has_fast_path (const GhloKernel *self)
{
  g_autofree guint8 *uses = g_new (guint8, self->n_nodes + 1);

  if (self->n_blocks != 1 || self->n_folds > 0 || self->n_temporaries > 0 || self->n_terms > 0)
    return FALSE;
  ghlo_expand_find_uses (self, TRUE, uses);
  for (guint i = 0; i < self->n_nodes; i++)
    if (self->nodes[i].kind == GHLO_NODE_TO_BF16 && (uses[i] & GHLO_EXPAND_MAY_BE_NAN) != 0
        && ghlo_kernel_operand_type (self, &self->nodes[i]) == GHLO_ELEMENT_TYPE_F32)
      return TRUE;

  return FALSE;
}

GhloKernel *
ghlo_kernel_expand_fast (const GhloKernel *self,
                         guint            *sentinel)
{
  g_autofree guint *moved = g_new0 (guint, self->n_nodes + 1);
  GhloKernelBuilder *builder = has_fast_path (self) ? copy_kernel (self, FALSE, NULL, moved, sentinel, NULL)
                                                    : NULL;

  return builder != NULL ? ghlo_kernel_builder_end (builder, NULL) : NULL;
}

gboolean
ghlo_kernel_passes_nan_on (const GhloKernel *self,
                           guint             buffer)
{
  g_autofree guint8 *uses = g_new (guint8, self->n_nodes + 1);

  ghlo_expand_find_uses (self, TRUE, uses);
  for (guint i = 0; i < self->n_nodes; i++)
    if (self->nodes[i].kind == GHLO_NODE_LOAD && self->accesses[self->nodes[i].index].buffer == buffer
        && (uses[i] & GHLO_EXPAND_MAY_BE_NAN) == 0)
      return FALSE;

  return TRUE;
}
