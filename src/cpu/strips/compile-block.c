/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compiles the nodes and stores of a block of points to instructions. What is the same along a strip is computed once
 * per line and broadcast. A node that is stored, where nothing still reads the old contents, is computed in its
 * destination.
 */

#include "cpu/strips/compile-private.h"

#include "base/ghlo-error.h"
#include "base/sizes.h"
#include "kernel/evaluate.h"

#include <string.h>

guint
ghlo_cpu_strip_origin (const GhloCpuStripCompiler *self,
                       guint                       node)
{
  while (self->kernel->nodes[node].kind == GHLO_NODE_BITCAST)
    node = self->kernel->nodes[node].operands[0];

  return node;
}

guint16
ghlo_cpu_strip_add_slot (GhloCpuStripCompiler *self,
                         GhloElementType       type,
                         gboolean              has_strip)
{
  GhloCpuStripSlot slot = { .log2_size = (guint8) ghlo_cpu_strip_log2_size (type), .has_strip = has_strip != FALSE };

  g_array_append_val (self->self->slots, slot);

  return (guint16) (self->self->slots->len - 1);
}

guint16
ghlo_cpu_strip_constant (GhloCpuStripCompiler *self,
                         GhloElementType       type,
                         guint64               bits)
{
  GhloCpuStrips *program = self->self;
  GhloCpuStripSlot slot = { .log2_size = (guint8) ghlo_cpu_strip_log2_size (type), .is_constant = TRUE };

  for (guint i = 0; i < program->slots->len; i++)
    {
      const GhloCpuStripSlot *other = &g_array_index (program->slots, GhloCpuStripSlot, i);

      if (other->is_constant && other->log2_size == slot.log2_size
          && memcmp (program->constants->data + other->offset, &bits, (gsize) 1 << slot.log2_size) == 0)
        return (guint16) i;
    }
  slot.offset = ghlo_size_align (program->constants->len);
  g_byte_array_set_size (program->constants, (guint) (slot.offset + ((gsize) program->strip << slot.log2_size)));
  ghlo_cpu_strip_routines ()->splats[slot.log2_size] ((const guint8 *) &bits, program->constants->data + slot.offset,
                                                      program->strip);
  g_array_append_val (program->slots, slot);

  return (guint16) (program->slots->len - 1);
}

GhloCpuStripInstruction *
ghlo_cpu_strip_add (GArray           *list,
                    GhloCpuStripKind  kind,
                    guint             index,
                    guint16           result)
{
  g_array_set_size (list, list->len + 1);
  {
    GhloCpuStripInstruction *added = &g_array_index (list, GhloCpuStripInstruction, list->len - 1);

    *added = (GhloCpuStripInstruction) {
      .kind = kind, .index = (guint16) index, .result = result,
      .operands = { GHLO_KERNEL_NONE, GHLO_KERNEL_NONE, GHLO_KERNEL_NONE },
    };

    return added;
  }
}

guint16
ghlo_cpu_strip_slot (GhloCpuStripCompiler *self,
                     guint                 node,
                     const GArray         *list)
{
  const guint origin = ghlo_cpu_strip_origin (self, node);
  const GhloKernelNode *from = &self->kernel->nodes[origin];

  if (from->kind == GHLO_NODE_CONSTANT)
    return ghlo_cpu_strip_constant (self, from->type, from->bits);
  if ((self->facts[origin] & GHLO_CPU_STRIP_VARIES) != 0 || list == self->prologue)
    return self->slots[origin];
  if (self->splats[origin] == GHLO_KERNEL_NONE)
    {
      GhloCpuStripInstruction *splat;

      self->splats[origin] = ghlo_cpu_strip_add_slot (self, from->type, TRUE);
      splat = ghlo_cpu_strip_add (self->prologue, GHLO_CPU_STRIP_SPLAT, 0, self->splats[origin]);
      splat->operands[0] = self->slots[origin];
      splat->n_operands = 1;
      splat->loop.splat = ghlo_cpu_strip_routines ()->splats[ghlo_cpu_strip_log2_size (from->type)];
    }

  return self->splats[origin];
}

/* Returns which of the operands @nodes of an instruction in a group are whole strips, as bits. */
static guint8
shifts_of (const GhloCpuStripCompiler *self,
           const guint16              *nodes,
           guint                       n)
{
  guint shifts = 0;

  for (guint i = 0; i < n; i++)
    {
      guint facts = self->facts[ghlo_cpu_strip_origin (self, nodes[i])];

      if ((facts & GHLO_CPU_STRIP_FOLDED) == 0 || (facts & GHLO_CPU_STRIP_STORED) != 0)
        shifts |= 1u << i;
    }

  return (guint8) shifts;
}

gboolean
ghlo_cpu_strip_add_call (GhloCpuStripCompiler *self,
                         guint                 node,
                         GArray               *list,
                         guint16               result)
{
  const GhloKernelNode *from = &self->kernel->nodes[node];
  const guint n = from->kind == GHLO_NODE_LEFT ? 0 : ghlo_node_spec (from->kind)->n_operands;
  guint16 operands[3] = { GHLO_KERNEL_NONE, GHLO_KERNEL_NONE, GHLO_KERNEL_NONE };
  GhloCpuStripInstruction *call;
  GhloCpuElementwiseFunc loop;
  gboolean swaps;

  if (!ghlo_cpu_strip_find_call (self->kernel, from, &loop, &swaps))
    {
      g_set_error (self->error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
                   "kernel %s: there is no precompiled loop for %s of %s", self->kernel->name,
                   ghlo_node_spec (from->kind)->name, ghlo_element_info (from->type)->name);
      return FALSE;
    }
  for (guint i = 0; i < n; i++)
    operands[i] = ghlo_cpu_strip_slot (self, from->operands[i], list);
  call = ghlo_cpu_strip_add (list, GHLO_CPU_STRIP_CALL, 0, result);
  call->n_operands = (guint8) n;
  call->loop.call = loop;
  if (list == self->groups)
    call->shifts = shifts_of (self, from->operands, n) | ((self->facts[node] & GHLO_CPU_STRIP_STORED) != 0 ? 8 : 0);
  memcpy (call->operands, operands, sizeof operands);
  if (swaps)
    {
      guint shifts = call->shifts;

      call->operands[0] = operands[1];
      call->operands[1] = operands[0];
      call->shifts = (guint8) ((shifts & ~3u) | (shifts & 1) << 1 | (shifts & 2) >> 1);
    }

  return TRUE;
}

guint16
ghlo_cpu_strip_add_copy (GhloCpuStripCompiler *self,
                         guint                 left,
                         GArray               *list)
{
  const GhloKernelNode *from = &self->kernel->nodes[left];
  guint16 slot = ghlo_cpu_strip_add_slot (self, from->type, TRUE);
  GhloCpuStripInstruction *copy;

  /* Copies have a loop for every type, so this cannot fail. */
  ghlo_cpu_strip_add_call (self, left, list, slot);
  copy = &g_array_index (list, GhloCpuStripInstruction, list->len - 1);
  copy->operands[0] = self->self->folds[from->index].left;
  copy->n_operands = 1;

  return slot;
}

/* Adds an access of the block; the nodes of its terms are used in @list. */
static guint
add_access (GhloCpuStripCompiler *self,
            guint                 number,
            const GArray         *list)
{
  const GhloKernelAccess *from = &self->kernel->accesses[number];
  guint added = ghlo_cpu_strip_add_access (self->self, self->kernel, number, self->block->lanes);
  GhloCpuStripAccess *access = &g_array_index (self->self->accesses, GhloCpuStripAccess, added);

  for (guint i = 0; i < from->n_terms; i++)
    {
      GhloCpuStripGuard *guard = &access->terms[i];
      guint node = self->kernel->terms[from->first_term + i].node;
      GhloElementType type;

      if (node == GHLO_KERNEL_NONE)
        continue;
      type = self->kernel->nodes[node].type;
      node = ghlo_cpu_strip_origin (self, node);
      guard->is_varying = (self->facts[node] & GHLO_CPU_STRIP_VARIES) != 0 && self->block->lanes != GHLO_KERNEL_NONE;
      /* A value that is the same along the strip is read once, from the prologue. */
      guard->slot = ghlo_cpu_strip_slot (self, node, guard->is_varying ? list : self->prologue);
      if (ghlo_element_info (type)->bits != 64)
        guard->to_s64 = ghlo_cpu_elementwise_routines ()->casts[ghlo_cpu_strip_number (type)][GHLO_CPU_NUMBER_S64];
      access->is_general |= guard->is_varying;
    }

  return added;
}

/* Whether the strip is always contiguous in memory. */
static gboolean
is_plain (const GhloCpuStripCompiler *self,
          guint                       access)
{
  const GhloCpuStripAccess *it = ghlo_cpu_strip_access (self->self, access);

  return it->n_terms == 0 && (self->block->lanes == GHLO_KERNEL_NONE || it->lane == 1 << it->log2_size);
}

static gboolean
is_plain_temporary (const GhloCpuStripCompiler *self,
                    guint                       number)
{
  guint axes = self->kernel->temporaries[number].axes;

  return !self->block->is_along || (axes != 0 && ghlo_kernel_last_axis (axes) == self->block->lanes);
}

static void
add_leaf (GhloCpuStripCompiler *self,
          guint                 number,
          GArray               *list)
{
  const GhloKernelNode *node = &self->kernel->nodes[number];
  guint16 result, fill = GHLO_KERNEL_NONE;
  GhloCpuStripInstruction *added;
  gboolean is_copied;
  guint access;

  switch (node->kind)
    {
    case GHLO_NODE_AXIS:
    case GHLO_NODE_EXTENT:
      result = ghlo_cpu_strip_add_slot (self, node->type, TRUE);
      added = ghlo_cpu_strip_add (list, node->kind == GHLO_NODE_AXIS ? GHLO_CPU_STRIP_AXIS : GHLO_CPU_STRIP_EXTENT,
                                  node->index, result);
      added->loop.ramp = ghlo_cpu_strip_routines ()->ramps[ghlo_cpu_strip_log2_size (node->type)];
      break;
    case GHLO_NODE_LOAD:
    case GHLO_NODE_INSIDE:
      access = add_access (self, node->index, list);
      if (node->operands[0] != GHLO_KERNEL_NONE)
        fill = ghlo_cpu_strip_slot (self, node->operands[0], list);
      /* Where the place is overwritten before the value is stored or folded, the value has to be copied. */
      is_copied = node->kind == GHLO_NODE_LOAD
                  && ghlo_kernel_is_written (self->kernel, self->kernel->accesses[node->index].buffer)
                  && (self->block->block.n_folds > 0 || (self->facts[number] & GHLO_CPU_STRIP_STORED) != 0);
      result = ghlo_cpu_strip_add_slot (self, node->type,
                                        is_copied || node->kind == GHLO_NODE_INSIDE || !is_plain (self, access));
      added = ghlo_cpu_strip_add (list, node->kind == GHLO_NODE_LOAD ? GHLO_CPU_STRIP_LOAD : GHLO_CPU_STRIP_INSIDE,
                                  access, result);
      added->operands[0] = fill;
      added->is_copied = is_copied;
      break;
    case GHLO_NODE_TEMPORARY:
      is_copied = ghlo_cpu_strip_is_overwritten (self, node->index)
                  && (self->block->block.n_folds > 0 || (self->facts[number] & GHLO_CPU_STRIP_STORED) != 0);
      result = ghlo_cpu_strip_add_slot (self, node->type, is_copied || !is_plain_temporary (self, node->index));
      added = ghlo_cpu_strip_add (list, GHLO_CPU_STRIP_LOAD_TEMPORARY, node->index, result);
      added->is_copied = is_copied;
      break;
    case GHLO_NODE_LEFT:
      result = self->self->folds[node->index].left;
      break;
    case GHLO_NODE_RIGHT:
      result = self->self->folds[node->index].right;
      break;
    default:
      g_assert_not_reached ();
    }
  self->slots[number] = result;
}

static void
add_store (GhloCpuStripCompiler  *self,
           const GhloKernelStore *store,
           guint                  access,
           GArray                *list)
{
  const GhloKernelNode *node = &self->kernel->nodes[store->node];
  gboolean is_temporary = store->temporary != GHLO_KERNEL_NONE;
  guint16 slot = ghlo_cpu_strip_slot (self, store->node, list);
  GhloCpuStripKind kind = is_temporary ? GHLO_CPU_STRIP_STORE_TEMPORARY : GHLO_CPU_STRIP_STORE;
  GhloCpuStripInstruction *added = ghlo_cpu_strip_add (list, kind, is_temporary ? store->temporary : access,
                                                       GHLO_KERNEL_NONE);

  added->operands[0] = slot;
  added->n_operands = 1;
  added->log2_size = (guint8) ghlo_cpu_strip_log2_size (node->type);
}

/* The store whose destination may take the place of the strip of @node, or NULL. */
static const GhloKernelStore *
find_destination (const GhloCpuStripCompiler *self,
                  guint                       node)
{
  const GhloKernelBlock *block = &self->block->block;
  const guint kind = self->kernel->nodes[node].kind, facts = self->facts[node];

  if (ghlo_node_spec (kind)->role == GHLO_NODE_LEAF || kind == GHLO_NODE_BITCAST || (facts & GHLO_CPU_STRIP_LATE) != 0
      || (facts & GHLO_CPU_STRIP_FOLDED) != 0 || (facts & GHLO_CPU_STRIP_VARIES) == 0)
    return NULL;
  for (guint i = block->first_store; i < block->first_store + block->n_stores; i++)
    if (self->kernel->stores[i].node == node)
      return &self->kernel->stores[i];

  return NULL;
}

/* Adds a node of the body that is not a leaf, and its first store. */
static gboolean
add_body_node (GhloCpuStripCompiler *self,
               guint                 number)
{
  const GhloKernelNode *node = &self->kernel->nodes[number];
  const GhloKernelStore *destination = find_destination (self, number);
  guint16 into = ghlo_cpu_strip_update_into (self, number, FALSE);
  guint access = GHLO_KERNEL_NONE;

  if (into != GHLO_KERNEL_NONE)
    self->slots[number] = into;
  else if (destination != NULL)
    {
      gboolean is_temporary = destination->temporary != GHLO_KERNEL_NONE, is_always;
      GhloCpuStripInstruction *added;

      if (!is_temporary)
        access = add_access (self, destination->access, self->body);
      is_always = is_temporary ? is_plain_temporary (self, destination->temporary) : is_plain (self, access);
      self->slots[number] = ghlo_cpu_strip_add_slot (self, node->type, !is_always);
      added = ghlo_cpu_strip_add (self->body,
                                  is_temporary ? GHLO_CPU_STRIP_SET_TEMPORARY_DESTINATION
                                               : GHLO_CPU_STRIP_SET_DESTINATION,
                                  is_temporary ? destination->temporary : access, self->slots[number]);
      added->log2_size = (guint8) ghlo_cpu_strip_log2_size (node->type);
    }
  else
    self->slots[number] = ghlo_cpu_strip_add_slot (self, node->type, TRUE);
  if (!ghlo_cpu_strip_add_call (self, number, self->body, self->slots[number]))
    return FALSE;
  if (destination != NULL)
    add_store (self, destination, access, self->body);

  return TRUE;
}

static gboolean
add_node (GhloCpuStripCompiler *self,
          guint                 number)
{
  const GhloKernelNode *node = &self->kernel->nodes[number];
  const guint facts = self->facts[number];

  if ((facts & GHLO_CPU_STRIP_SINGLE) != 0)
    {
      ghlo_cpu_strip_add_fold (self, number);
      return TRUE;
    }
  if ((facts & GHLO_CPU_STRIP_IS_USED) == 0 || node->kind == GHLO_NODE_CONSTANT || node->kind == GHLO_NODE_BITCAST)
    return TRUE;
  if (ghlo_node_spec (node->kind)->role == GHLO_NODE_LEAF)
    {
      add_leaf (self, number, (facts & GHLO_CPU_STRIP_VARIES) != 0 ? self->body : self->prologue);
      /* A fold's value before each point, if stored, becomes a whole strip. */
      if ((facts & GHLO_CPU_STRIP_FOLDED) != 0 && (facts & GHLO_CPU_STRIP_STORED) != 0)
        self->slots[number] = ghlo_cpu_strip_add_copy (self, number, self->groups);
      return TRUE;
    }
  if ((facts & GHLO_CPU_STRIP_FOLDED) != 0)
    {
      guint16 into = ghlo_cpu_strip_update_into (self, number, FALSE);

      self->slots[number] = into != GHLO_KERNEL_NONE ? into : ghlo_cpu_strip_add_slot (self, node->type, TRUE);
      return ghlo_cpu_strip_add_call (self, number, self->groups, self->slots[number]);
    }
  if ((facts & GHLO_CPU_STRIP_VARIES) != 0)
    return add_body_node (self, number);
  self->slots[number] = ghlo_cpu_strip_add_slot (self, node->type, TRUE);

  return ghlo_cpu_strip_add_call (self, number, self->prologue, self->slots[number]);
}

static GhloCpuStripRange
append (GhloCpuStrips *self,
        const GArray  *list)
{
  GhloCpuStripRange range = { self->instructions->len, self->instructions->len + list->len };

  g_array_append_vals (self->instructions, list->data, list->len);

  return range;
}

/* Adds all nodes and stores. Values that were not stored with their node are stored last. */
static gboolean
add_all (GhloCpuStripCompiler *self)
{
  const GhloKernelBlock *block = &self->block->block;

  for (guint i = block->first_node; i < block->first_merge; i++)
    if (!add_node (self, i))
      return FALSE;
  for (guint i = block->first_store; i < block->first_store + block->n_stores; i++)
    {
      const GhloKernelStore *store = &self->kernel->stores[i];

      if (find_destination (self, store->node) != store)
        {
          guint access = store->access == GHLO_KERNEL_NONE ? 0 : add_access (self, store->access, self->last);

          add_store (self, store, access, self->last);
        }
    }
  ghlo_cpu_strip_add_updates (self);

  return ghlo_cpu_strip_add_merge (self);
}

static gboolean
compile (GhloCpuStripCompiler *self)
{
  GhloCpuStripBlock *block = self->block;

  if (!ghlo_cpu_strip_find_varying (self))
    {
      block->axes[block->n_axes++] = (guint8) block->lanes;
      block->lanes = GHLO_KERNEL_NONE;
      block->is_along = FALSE;
      ghlo_cpu_strip_find_varying (self);
    }
  ghlo_cpu_strip_find_used (self);
  ghlo_cpu_strip_find_late (self);
  ghlo_cpu_strip_begin_folds (self);
  if (!add_all (self))
    return FALSE;
  block->prologue = append (self->self, self->prologue);
  block->body = append (self->self, self->body);
  block->groups = append (self->self, self->groups);
  block->last = append (self->self, self->last);
  block->merge = append (self->self, self->merge);

  return TRUE;
}

gboolean
ghlo_cpu_strip_compile_points (GhloCpuStrips     *self,
                               const GhloKernel  *kernel,
                               GhloCpuStripBlock *block,
                               GError           **error)
{
  const guint size = sizeof (GhloCpuStripInstruction);
  g_autofree guint8 *facts = g_new0 (guint8, kernel->n_nodes + 1);
  g_autofree guint16 *slots = g_new (guint16, 2 * kernel->n_nodes + 1);
  g_autoptr (GArray) prologue = g_array_new (FALSE, TRUE, size);
  g_autoptr (GArray) body = g_array_sized_new (FALSE, TRUE, size, block->block.end_node - block->block.first_node);
  g_autoptr (GArray) groups = g_array_new (FALSE, TRUE, size);
  g_autoptr (GArray) last = g_array_new (FALSE, TRUE, size);
  g_autoptr (GArray) merge = g_array_new (FALSE, TRUE, size);
  GhloCpuStripCompiler compiler = {
    .self = self, .kernel = kernel, .block = block, .facts = facts, .slots = slots, .splats = slots + kernel->n_nodes,
    .prologue = prologue, .body = body, .groups = groups, .last = last, .merge = merge, .error = error,
  };

  memset (slots, 0xff, (2 * kernel->n_nodes + 1) * sizeof *slots);

  return compile (&compiler);
}
