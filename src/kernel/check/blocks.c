/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The tree of blocks in execution order: nesting, each block's ranges in the tables, its nodes, and where
 * temporaries have a value.
 */

#include "kernel/check/checker.h"

#include "kernel/depends.h"
#include "kernel/evaluate.h"

#define fail(...) ghlo_kernel_check_fail (__VA_ARGS__)

/* The start of the next block's ranges in the tables. */
typedef struct
{
  GhloKernelCheck *check;
  guint            node, store, fold, carry;
} Walk;

static const GhloKernelBlock *
this_block (const GhloKernelCheck *self)
{
  return &self->kernel->blocks[self->block];
}

static gboolean
check_unused (GhloKernelCheck       *self,
              const GhloKernelBlock *block)
{
  gboolean is_product = block->kind == GHLO_BLOCK_PRODUCT, is_while = block->kind == GHLO_BLOCK_WHILE;
  gboolean has_predicate = is_while || block->kind == GHLO_BLOCK_IF;
  const guint16 none = GHLO_KERNEL_NONE;

  if (block->reserved != 0 || block->reserved_end[0] != 0 || block->reserved_end[1] != 0 || block->reserved_end[2] != 0)
    return fail (self, "expected reserved fields that are 0");
  if (!is_product
      && (block->rows != 0 || block->columns != 0 || block->inner != 0 || block->left.access != none
          || block->left.temporary != none || block->right.access != none || block->right.temporary != none
          || block->result != none))
    return fail (self, "it has fields that only products have");
  if ((!has_predicate && block->predicate != none) || (!is_while && block->body != none))
    return fail (self, "it has a predicate or a body, which its kind does not have");
  if (block->n_folds == 0 && (block->n_chains != 0 || block->split != 0))
    return fail (self, "it has chains or a split but no folds");
  if (has_predicate && block->axes != 0)
    return fail (self, "it has axes");
  if (block->kind != GHLO_BLOCK_POINTS
      && (block->end_node != block->first_node || block->n_stores > 0 || block->n_folds > 0))
    return fail (self, "it has nodes, stores or folds, which only points have");
  if ((block->kind == GHLO_BLOCK_POINTS || is_product) && block->n_carries > 0)
    return fail (self, "it has carries");

  return TRUE;
}

/* Checks that the block's ranges begin where those of the previous block end. */
static gboolean
check_parts (Walk                  *walk,
             const GhloKernelBlock *block)
{
  const GhloKernel *kernel = walk->check->kernel;

  if (block->first_node != walk->node || block->first_store != walk->store || block->first_fold != walk->fold
      || block->first_carry != walk->carry)
    return fail (walk->check, "its nodes, stores, folds and carries begin at %u, %u, %u, %u: expected %u, %u, %u, %u",
                 block->first_node, block->first_store, block->first_fold, block->first_carry, walk->node, walk->store,
                 walk->fold, walk->carry);
  if (block->first_merge < block->first_node || block->end_node < block->first_merge
      || block->end_node > kernel->n_nodes)
    return fail (walk->check, "its nodes, their merge and their end are at %u, %u, %u of %u", block->first_node,
                 block->first_merge, block->end_node, kernel->n_nodes);
  if (block->n_stores > kernel->n_stores - walk->store || block->n_folds > kernel->n_folds - walk->fold
      || block->n_carries > kernel->n_carries - walk->carry)
    return fail (walk->check, "it has %u stores, %u folds and %u carries from %u, %u, %u on, which are more than "
                 "the kernel has", block->n_stores, block->n_folds, block->n_carries, walk->store, walk->fold,
                 walk->carry);
  walk->node = block->end_node;
  walk->store += block->n_stores;
  walk->fold += block->n_folds;
  walk->carry += block->n_carries;

  return TRUE;
}

/* Checks the block's own axes: they exist, and are neither parallel nor those of a loop around. */
static gboolean
check_axes (GhloKernelCheck       *self,
            const GhloKernelBlock *block)
{
  guint taken = self->parallel | self->loops[self->block];
  guint there = ((1u << self->kernel->n_axes) - 1) & ~taken;

  if ((block->axes & ~there) != 0)
    return fail (self, "its axes are 0x%02x: expected some of 0x%02x, which are neither parallel nor of a loop around",
                 block->axes, there);
  if (block->kind == GHLO_BLOCK_LOOP && (block->axes == 0 || (block->axes & (block->axes - 1)) != 0))
    return fail (self, "its axes are 0x%02x: expected one", block->axes);

  return TRUE;
}

/* Checks that @temporary exists and has @type (INVALID: any type). */
static gboolean
check_temporary (GhloKernelCheck *self,
                 const char      *what,
                 guint            temporary,
                 GhloElementType  type)
{
  if (temporary >= self->kernel->n_temporaries)
    return fail (self, "%s: there is no temporary %u", what, temporary);
  if (type != GHLO_ELEMENT_TYPE_INVALID && self->kernel->temporaries[temporary].type != type)
    return fail (self, "%s: temporary %u (%s) is of type %s: expected %s", what, temporary,
                 self->kernel->temporaries[temporary].name,
                 ghlo_element_info (self->kernel->temporaries[temporary].type)->name, ghlo_element_info (type)->name);

  return TRUE;
}

static gboolean
check_read (GhloKernelCheck *self,
            const char      *what,
            guint            temporary,
            GhloElementType  type)
{
  if (!check_temporary (self, what, temporary, type))
    return FALSE;
  if (!self->is_readable[temporary])
    return fail (self, "%s: temporary %u (%s) has no value here", what, temporary,
                 self->kernel->temporaries[temporary].name);

  return TRUE;
}

/* Checks that the temporary spans @all and otherwise only axes of loops around. */
static gboolean
check_span (GhloKernelCheck *self,
            const char      *what,
            guint            temporary,
            guint            all)
{
  guint axes = self->kernel->temporaries[temporary].axes, loops = self->loops[self->block];

  if ((axes & all) != all || (axes & ~(all | loops)) != 0)
    return fail (self, "%s: temporary %u (%s) spans axes 0x%02x: expected 0x%02x, and besides some of 0x%02x", what,
                 temporary, self->kernel->temporaries[temporary].name, axes, all, loops);

  return TRUE;
}

static gboolean
check_write (GhloKernelCheck *self,
             const char      *what,
             guint            temporary,
             GhloElementType  type)
{
  if (!check_temporary (self, what, temporary, type))
    return FALSE;
  if (self->writers[temporary] != GHLO_KERNEL_NONE)
    return fail (self, "%s: temporary %u (%s) is written in block %u already", what, temporary,
                 self->kernel->temporaries[temporary].name, self->writers[temporary]);
  self->writers[temporary] = self->block;

  return TRUE;
}

static gboolean
check_store (GhloKernelCheck *self,
             guint            number)
{
  const GhloKernelBlock *block = this_block (self);
  const GhloKernelStore *store = &self->kernel->stores[number];
  GhloElementType type;

  if (store->node < block->first_node || store->node >= block->first_merge)
    return fail (self, "store %u: it is of node %u: expected one of [%u, %u)", number, store->node, block->first_node,
                 block->first_merge);
  if ((store->access == GHLO_KERNEL_NONE) == (store->temporary == GHLO_KERNEL_NONE))
    return fail (self, "store %u: expected an access or a temporary", number);
  type = self->kernel->nodes[store->node].type;
  if (store->temporary != GHLO_KERNEL_NONE)
    return check_write (self, "a store", store->temporary, type)
           && check_span (self, "a store", store->temporary, block->axes);
  if (store->access >= self->kernel->n_accesses)
    return fail (self, "store %u: there is no access %u", number, store->access);
  if (self->kernel->accesses[store->access].type != type)
    return fail (self, "store %u: node %u is of type %s: expected %s, as access %u", number, store->node,
                 ghlo_element_info (type)->name,
                 ghlo_element_info (self->kernel->accesses[store->access].type)->name, store->access);

  return ghlo_kernel_check_use (self, store->access, block->first_merge);
}

/* Checks that a fold's update or merge is a node in [@first, @end) of the fold's type. */
static gboolean
check_fold_node (GhloKernelCheck *self,
                 guint            number,
                 const char      *what,
                 guint            node,
                 guint            first,
                 guint            end)
{
  GhloElementType type = self->kernel->folds[number].type;

  if (node < first || node >= end)
    return fail (self, "fold %u: its %s is node %u: expected one of [%u, %u)", number, what, node, first, end);
  if (self->kernel->nodes[node].type != type)
    return fail (self, "fold %u: its %s is of type %s: expected %s", number, what,
                 ghlo_element_info (self->kernel->nodes[node].type)->name, ghlo_element_info (type)->name);

  return TRUE;
}

/* Checks what nodes that refer to the fold rely on. */
static gboolean
check_fold_fields (GhloKernelCheck *self,
                   guint            number)
{
  const GhloKernelFold *fold = &self->kernel->folds[number];

  if (!ghlo_kernel_check_is_type (fold->type))
    return fail (self, "fold %u: nodes cannot have its type %u", number, fold->type);
  if (fold->reserved != 0)
    return fail (self, "fold %u: expected reserved fields that are 0", number);
  if (fold->identity != ghlo_node_cut (fold->type, fold->identity))
    return fail (self, "fold %u: the bits of its identity 0x%" G_GINT64_MODIFIER "x are not of its type", number,
                 fold->identity);

  return TRUE;
}

static gboolean
check_fold (GhloKernelCheck *self,
            guint            number)
{
  const GhloKernelBlock *block = this_block (self);
  const GhloKernelFold *fold = &self->kernel->folds[number];

  if (!check_fold_node (self, number, "update", fold->update, block->first_node, block->first_merge))
    return FALSE;
  if (fold->merge == GHLO_KERNEL_NONE && (block->n_chains > 1 || block->split > 0))
    return fail (self, "fold %u: it has no merge: expected one chain and one part, found %u chains and a split of %"
                 G_GINT64_FORMAT, number, block->n_chains, block->split);
  if (fold->merge != GHLO_KERNEL_NONE
      && !check_fold_node (self, number, "merge", fold->merge, block->first_merge, block->end_node))
    return FALSE;

  return check_write (self, "a fold", fold->temporary, fold->type) && check_span (self, "a fold", fold->temporary, 0);
}

static gboolean
check_order (GhloKernelCheck       *self,
             const GhloKernelBlock *block)
{
  if (block->n_folds == 0)
    return block->first_merge == block->end_node || fail (self, "it has a merge but no folds");
  if (block->axes == 0)
    return fail (self, "it has folds but no axes");
  if (block->n_chains < 1 || block->n_chains > GHLO_KERNEL_MAX_CHAINS || (block->n_chains & (block->n_chains - 1)) != 0)
    return fail (self, "expected a power of two of at most %u chains, found %u", GHLO_KERNEL_MAX_CHAINS,
                 block->n_chains);
  if (block->split < 0)
    return fail (self, "expected a split of 0 or more, found %" G_GINT64_FORMAT, block->split);

  return TRUE;
}

/* With more than one chain or part, accumulators must not be stored. */
static gboolean
check_partial_stores (GhloKernelCheck       *self,
                      const GhloKernelBlock *block)
{
  g_autofree guint8 *is_partial = NULL;

  if (block->n_chains <= 1 && block->split == 0)
    return TRUE;
  is_partial = ghlo_kernel_depends (self->kernel, block);
  for (guint i = block->first_store; i < block->first_store + block->n_stores; i++)
    {
      const GhloKernelStore *store = &self->kernel->stores[i];

      if (is_partial[store->node] || ghlo_kernel_index_depends (self->kernel, is_partial, store->access))
        return fail (self, "store %u: it depends on a partial fold, of which there is one for each chain or part", i);
    }

  return TRUE;
}

static gboolean
check_points (GhloKernelCheck       *self,
              const GhloKernelBlock *block)
{
  for (guint i = block->first_fold; i < block->first_fold + block->n_folds; i++)
    if (!check_fold_fields (self, i))
      return FALSE;
  if (!check_order (self, block) || !ghlo_kernel_check_nodes (self))
    return FALSE;
  for (guint i = block->first_store; i < block->first_store + block->n_stores; i++)
    if (!check_store (self, i))
      return FALSE;
  for (guint i = block->first_fold; i < block->first_fold + block->n_folds; i++)
    if (!check_fold (self, i))
      return FALSE;

  return check_partial_stores (self, block);
}

/* Checks a factor, which must not depend on the axes @other of its product. */
static gboolean
check_factor (GhloKernelCheck        *self,
              const char             *what,
              const GhloKernelFactor *factor,
              guint                   other,
              GhloElementType         type)
{
  const GhloKernelAccess *access;
  guint span = ghlo_kernel_check_scope (self) & ~other;

  if ((factor->access == GHLO_KERNEL_NONE) == (factor->temporary == GHLO_KERNEL_NONE))
    return fail (self, "%s: expected an access or a temporary", what);
  if (factor->temporary != GHLO_KERNEL_NONE)
    {
      if (!check_read (self, what, factor->temporary, type))
        return FALSE;
      if ((self->kernel->temporaries[factor->temporary].axes & ~span) != 0)
        return fail (self, "%s: temporary %u (%s) spans axes 0x%02x: expected some of 0x%02x", what, factor->temporary,
                     self->kernel->temporaries[factor->temporary].name,
                     self->kernel->temporaries[factor->temporary].axes, span);
      return TRUE;
    }
  if (factor->access >= self->kernel->n_accesses)
    return fail (self, "%s: there is no access %u", what, factor->access);
  access = &self->kernel->accesses[factor->access];
  if (access->type != type)
    return fail (self, "%s: access %u is of type %s: expected %s", what, factor->access,
                 ghlo_element_info (access->type)->name, ghlo_element_info (type)->name);
  if (access->n_terms > 0)
    return fail (self, "%s: access %u has terms", what, factor->access);
  for (guint i = 0; i < self->kernel->n_axes; i++)
    if (access->strides[i] != 0 && (span & 1u << i) == 0)
      return fail (self, "%s: access %u has a stride of axis %u (%s)", what, factor->access, i,
                   self->kernel->axes[i].name);

  return TRUE;
}

static gboolean
check_product (GhloKernelCheck       *self,
               const GhloKernelBlock *block)
{
  GhloElementType type;

  if ((block->rows & block->columns) != 0 || (block->rows & block->inner) != 0 || (block->columns & block->inner) != 0
      || (block->rows | block->columns | block->inner) != block->axes || block->inner == 0)
    return fail (self, "its rows 0x%02x, columns 0x%02x and inner axes 0x%02x do not make up its axes 0x%02x",
                 block->rows, block->columns, block->inner, block->axes);
  if (!check_temporary (self, "the result", block->result, GHLO_ELEMENT_TYPE_INVALID))
    return FALSE;
  type = self->kernel->temporaries[block->result].type;
  if (ghlo_node_types (type) != GHLO_NODE_TYPES_F)
    return fail (self, "the result is of type %s: expected f32 or f64", ghlo_element_info (type)->name);

  return check_factor (self, "the left factor", &block->left, block->columns, type)
         && check_factor (self, "the right factor", &block->right, block->rows, type)
         && check_write (self, "the result", block->result, type)
         && check_span (self, "the result", block->result, block->rows | block->columns);
}

/* Before the inner blocks: checks the initial values of carries. */
static gboolean
check_carries_in (GhloKernelCheck       *self,
                  const GhloKernelBlock *block)
{
  const GhloKernelTemporary *temporaries = self->kernel->temporaries;

  for (guint i = block->first_carry; i < block->first_carry + block->n_carries; i++)
    {
      const GhloKernelCarry *carry = &self->kernel->carries[i];
      guint own = block->kind == GHLO_BLOCK_LOOP ? block->axes : 0;

      if (!check_write (self, "a carry", carry->temporary, GHLO_ELEMENT_TYPE_INVALID)
          || !check_read (self, "a carry's first", carry->first, temporaries[carry->temporary].type))
        return FALSE;
      if (temporaries[carry->first].axes != temporaries[carry->temporary].axes)
        return fail (self, "a carry's first spans axes 0x%02x: expected 0x%02x", temporaries[carry->first].axes,
                     temporaries[carry->temporary].axes);
      if ((temporaries[carry->temporary].axes & own) != 0)
        return fail (self, "temporary %u (%s) is carried along an axis that it spans", carry->temporary,
                     temporaries[carry->temporary].name);
    }
  for (guint i = block->first_carry; i < block->first_carry + block->n_carries; i++)
    self->is_readable[self->kernel->carries[i].temporary] = block->kind != GHLO_BLOCK_IF;

  return TRUE;
}

/* After the inner blocks: checks the next values of carries. */
static gboolean
check_carries_on (GhloKernelCheck       *self,
                  const GhloKernelBlock *block)
{
  const GhloKernelTemporary *temporaries = self->kernel->temporaries;

  for (guint i = block->first_carry; i < block->first_carry + block->n_carries; i++)
    {
      const GhloKernelCarry *carry = &self->kernel->carries[i];
      guint writer;

      if (!check_read (self, "a carry's next", carry->next, temporaries[carry->temporary].type))
        return FALSE;
      writer = self->writers[carry->next];
      if (writer <= self->block || writer >= block->end)
        return fail (self, "a carry's next: temporary %u (%s) is written in block %u: expected one of [%u, %u)",
                     carry->next, temporaries[carry->next].name, writer, self->block + 1, block->end);
      if (temporaries[carry->next].axes != temporaries[carry->temporary].axes)
        return fail (self, "a carry's next spans axes 0x%02x: expected 0x%02x", temporaries[carry->next].axes,
                     temporaries[carry->temporary].axes);
    }

  return TRUE;
}

/* Temporaries written inside a block that ends remain readable only if they span the axis of the loop that ends.
 * Carried temporaries become readable. */
static void
close_scope (GhloKernelCheck       *self,
             const GhloKernelBlock *block)
{
  for (guint i = 0; i < self->kernel->n_temporaries; i++)
    if (self->writers[i] > self->block && self->writers[i] < block->end
        && (block->kind != GHLO_BLOCK_LOOP || (self->kernel->temporaries[i].axes & block->axes) == 0))
      self->is_readable[i] = FALSE;
  for (guint i = block->first_carry; i < block->first_carry + block->n_carries; i++)
    self->is_readable[self->kernel->carries[i].temporary] = TRUE;
}

static gboolean
check_predicate (GhloKernelCheck       *self,
                 const GhloKernelBlock *block)
{
  return check_read (self, "the predicate", block->predicate, GHLO_ELEMENT_TYPE_I1)
         && check_span (self, "the predicate", block->predicate, 0);
}

static gboolean check_siblings (Walk  *walk,
                                guint  first,
                                guint  end,
                                guint  loops,
                                guint  depth);

/* Checks a block that contains blocks. */
static gboolean
check_nest (Walk                  *walk,
            const GhloKernelBlock *block,
            guint                  depth)
{
  GhloKernelCheck *self = walk->check;
  guint number = self->block, first = number + 1;
  guint loops = self->loops[number] | (block->kind == GHLO_BLOCK_LOOP ? block->axes : 0);

  if (block->kind == GHLO_BLOCK_IF && !check_predicate (self, block))
    return FALSE;
  if (!check_carries_in (self, block))
    return FALSE;
  if (block->kind == GHLO_BLOCK_WHILE)
    {
      if (block->body < first || block->body > block->end)
        return fail (self, "its body begins at block %u: expected one of [%u, %u]", block->body, first, block->end);
      if (!check_siblings (walk, first, block->body, loops, depth + 1))
        return FALSE;
      self->block = number;
      if (!check_predicate (self, block))
        return FALSE;
      first = block->body;
    }
  if (!check_siblings (walk, first, block->end, loops, depth + 1))
    return FALSE;
  self->block = number;
  if (!check_carries_on (self, block))
    return FALSE;
  close_scope (self, block);

  return TRUE;
}

/* Checks points or a product; their results are readable afterwards. */
static gboolean
check_leaf (GhloKernelCheck       *self,
            const GhloKernelBlock *block)
{
  if (block->end != self->block + 1)
    return fail (self, "it ends before block %u: expected %u", block->end, self->block + 1);
  if (!(block->kind == GHLO_BLOCK_POINTS ? check_points (self, block) : check_product (self, block)))
    return FALSE;
  for (guint i = 0; i < self->kernel->n_temporaries; i++)
    if (self->writers[i] == self->block)
      self->is_readable[i] = TRUE;

  return TRUE;
}

/* Checks the blocks [@first, @end) and everything inside them. */
static gboolean
check_siblings (Walk  *walk,
                guint  first,
                guint  end,
                guint  loops,
                guint  depth)
{
  GhloKernelCheck *self = walk->check;

  for (guint i = first; i < end; i = self->kernel->blocks[i].end)
    {
      const GhloKernelBlock *block = &self->kernel->blocks[i];

      self->block = GHLO_KERNEL_NONE;
      if (block->kind >= GHLO_N_BLOCKS)
        return fail (self, "block %u: there is no kind %u", i, block->kind);
      self->block = i;
      self->loops[i] = loops;
      if (depth > GHLO_KERNEL_MAX_DEPTH)
        return fail (self, "expected at most %u nested blocks", GHLO_KERNEL_MAX_DEPTH);
      if (block->end <= i || block->end > end)
        return fail (self, "it ends before block %u: expected one of [%u, %u]", block->end, i + 1, end);
      if (!check_unused (self, block) || !check_parts (walk, block) || !check_axes (self, block))
        return FALSE;
      if (block->kind == GHLO_BLOCK_POINTS || block->kind == GHLO_BLOCK_PRODUCT
          ? !check_leaf (self, block) : !check_nest (walk, block, depth))
        return FALSE;
    }

  return TRUE;
}

gboolean
ghlo_kernel_check_blocks (GhloKernelCheck *self)
{
  const GhloKernel *kernel = self->kernel;
  Walk walk = { .check = self };

  if (!check_siblings (&walk, 0, kernel->n_blocks, 0, 1))
    return FALSE;
  self->block = GHLO_KERNEL_NONE;
  if (walk.node != kernel->n_nodes || walk.store != kernel->n_stores || walk.fold != kernel->n_folds
      || walk.carry != kernel->n_carries)
    return fail (self, "%u nodes, %u stores, %u folds and %u carries are in blocks: expected %u, %u, %u, %u",
                 walk.node, walk.store, walk.fold, walk.carry, kernel->n_nodes, kernel->n_stores, kernel->n_folds,
                 kernel->n_carries);

  return TRUE;
}
