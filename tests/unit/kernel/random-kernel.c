/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Blocks of random kernels. Most blocks drawn are points; carried values and predicates are computed by points of their
 * own.
 */

#include "random-draw.h"

#define NONE GHLO_KERNEL_NONE

enum { MAX_TIMES = 1500, MAX_BLOCKS = 24, MAX_OPEN = 3 };

static guint
add_temporary (Draw            *self,
               GhloElementType  type,
               guint            axes)
{
  char name[16];

  g_snprintf (name, sizeof name, "t%u", self->n_all_temporaries++);

  return ghlo_kernel_add_temporary (self->builder, name, type, axes);
}

static void
make_readable (Draw            *self,
               guint            number,
               GhloElementType  type,
               guint            axes,
               gboolean         counts)
{
  self->temporaries[self->n_temporaries++] = (DrawnTemporary) { number, type, axes, counts };
}

/* The number of points of @axes. */
static gint64
count_points (const Draw *self,
              guint       axes)
{
  gint64 n = 1;

  for (guint i = 0; i < self->n_axes; i++)
    if ((axes & 1u << i) != 0)
      n *= self->extents[i];

  return n;
}

static guint
free_axes (const Draw *self)
{
  return ((1u << self->n_axes) - 1) & ~((1u << self->n_parallel) - 1) & ~self->loops;
}

/* Draws axes with a limited number of points. */
static guint
draw_point_axes (Draw  *self,
                 guint  percent)
{
  guint axes = draw_axes (self, free_axes (self), percent);

  while (axes != 0 && count_points (self, axes) * self->times > MAX_TIMES)
    axes &= axes - 1;

  return axes;
}

static void
begin_points (Draw  *self,
              guint  axes)
{
  self->n_blocks++;
  self->axes = axes;
  self->pool = self->n_nodes;
  self->has_order = FALSE;
  self->n_folds = self->n_in_place = 0;
  ghlo_kernel_begin_points (self->builder, axes);
}

static void
draw_nodes (Draw *self)
{
  guint n = 1 + draw (self, draw_percent (self, 20) ? 16 : 6);

  for (guint i = 0; i < n; i++)
    draw_any (self);
}

/* The operation of a fold that consists of a single one. */
static guint
draw_combination (Draw            *self,
                  GhloElementType  type,
                  guint            x,
                  guint            y)
{
  static const GhloNodeKind numbers[] = { GHLO_NODE_ADD, GHLO_NODE_MULTIPLY, GHLO_NODE_MINIMUM, GHLO_NODE_MAXIMUM };
  static const GhloNodeKind bits[] = { GHLO_NODE_AND, GHLO_NODE_OR, GHLO_NODE_XOR };
  guint classes = ghlo_node_types (type);
  gboolean has_bits = classes == GHLO_NODE_TYPES_B || (classes != GHLO_NODE_TYPES_F && draw_percent (self, 40));
  GhloNodeKind kind = has_bits ? bits[draw (self, G_N_ELEMENTS (bits))] : numbers[draw (self, G_N_ELEMENTS (numbers))];

  return draw_percent (self, 50) ? draw_node (self, kind, type, x, y, NONE) : draw_node (self, kind, type, y, x, NONE);
}

static void
begin_folds (Draw *self)
{
  guint n = 1 + (draw_percent (self, 40) ? draw (self, 3) : 0), n_chains = 1;
  gint64 split = 0;

  self->n_folds = n;
  for (guint i = 0; i < n; i++)
    {
      GhloElementType type = draw_type (self);
      guint axes = draw_axes (self, self->loops, 40), fold;
      guint temporary = add_temporary (self, type, axes);

      self->folded[i] = (DrawnTemporary) { temporary, type, axes, FALSE };
      fold = ghlo_kernel_add_fold (self->builder, type, temporary, draw_bits (self, type));
      if (i == 0)
        self->first_fold = fold;
          }
  if (draw_percent (self, 50))
    n_chains = 1u << draw (self, draw_percent (self, 10) ? 8 : 5);
  if (draw_percent (self, 30))
    split = 1 + draw (self, 6);
  if ((self->flags & RANDOM_KERNEL_COLUMNS) != 0)
    split *= n_chains;
  self->has_order = n_chains > 1 || split > 0;
  ghlo_kernel_set_order (self->builder, n_chains, split);
}

static void
draw_updates (Draw *self)
{
  for (guint i = 0; i < self->n_folds; i++)
    {
      GhloElementType type = self->folded[i].type;
      guint node = draw_operand (self, type);

      if (draw_percent (self, 75))
        {
          guint left = draw_leaf (self, GHLO_NODE_LEFT, type, self->first_fold + i);

          node = draw_combination (self, type, left, node);
        }
      ghlo_kernel_set_update (self->builder, self->first_fold + i, node);
    }
}

static void
draw_merges (Draw *self)
{
  if (!self->has_order && draw_percent (self, 70))
    return;
  ghlo_kernel_begin_merge (self->builder);
  self->in_merge = TRUE;
  self->pool = self->n_nodes;
  if (draw_percent (self, 50))
    draw_nodes (self);
  for (guint i = 0; i < self->n_folds; i++)
    {
      GhloElementType type = self->folded[i].type;
      guint left, right;

      if (draw_percent (self, 20))
        {
          ghlo_kernel_set_merge (self->builder, self->first_fold + i, draw_operand (self, type));
          continue;
        }
      left = draw_leaf (self, GHLO_NODE_LEFT, type, self->first_fold + i);
      right = draw_leaf (self, GHLO_NODE_RIGHT, type, self->first_fold + i);
      ghlo_kernel_set_merge (self->builder, self->first_fold + i, draw_combination (self, type, left, right));
    }
  self->in_merge = FALSE;
}

static void
end_points (Draw *self)
{
  draw_updates (self);
  if (self->n_folds > 0)
    draw_merges (self);
  ghlo_kernel_end_block (self->builder);
}

/* Stores a node that is drawn now to memory. */
static void
draw_stores (Draw *self)
{
  DrawnAccess outputs[2];
  GhloElementType type = draw_type (self);
  guint node = draw_whole (self, type), n = draw_outputs (self, type, TRUE, outputs);

  for (guint i = 0; i < n; i++)
    ghlo_kernel_store (self->builder, i == 0 ? node : draw_whole (self, type), outputs[i].number);
}

/* Draws accesses that are loaded, and stored at the end. */
static void
draw_in_place (Draw *self)
{
  self->n_in_place = draw_outputs (self, draw_type (self), FALSE, self->in_place);
  for (guint i = 0; i < self->n_in_place; i++)
    draw_load (self, &self->in_place[i]);
}

/* Points over any axes, which keep some of their values, and store some if @stores. */
static void
draw_points (Draw     *self,
             gboolean  stores)
{
  DrawnTemporary kept[4];
  guint n_kept = draw (self, 3);
  gboolean only_folds;

  begin_points (self, draw_point_axes (self, 60));
  if (self->axes != 0 && draw_percent (self, 45))
    begin_folds (self);
  only_folds = self->n_folds > 0 && (self->flags & RANDOM_KERNEL_COLUMNS) != 0;
  if (!only_folds && draw_percent (self, 15))
    draw_in_place (self);
  draw_nodes (self);
  if (self->axes != 0 && (self->flags & RANDOM_KERNEL_COLUMNS) != 0)
    n_kept = 0;
  for (guint i = 0; i < n_kept; i++)
    {
      GhloElementType type = draw_type (self);
      guint axes = self->axes | draw_axes (self, self->loops, 40), node = draw_whole (self, type);

      kept[i] = (DrawnTemporary) { add_temporary (self, type, axes), type, axes, FALSE };
      ghlo_kernel_keep (self->builder, node, kept[i].number);
    }
  for (guint i = 0; i < self->n_in_place; i++)
    ghlo_kernel_store (self->builder, draw_whole (self, self->in_place[i].type), self->in_place[i].number);
  if (!only_folds && (stores || draw_percent (self, 30)))
    draw_stores (self);
  end_points (self);
  for (guint i = 0; i < n_kept; i++)
    make_readable (self, kept[i].number, kept[i].type, kept[i].axes, FALSE);
  for (guint i = 0; i < self->n_folds; i++)
    make_readable (self, self->folded[i].number, self->folded[i].type, self->folded[i].axes, FALSE);
}

/* Points that write the carried value @temporary, over @axes, some of which are enclosing loops. */
static void
draw_next (Draw            *self,
           guint            temporary,
           GhloElementType  type,
           guint            axes)
{
  begin_points (self, axes & ~self->loops);
  draw_nodes (self);
  ghlo_kernel_keep (self->builder, draw_whole (self, type), temporary);
  end_points (self);
  make_readable (self, temporary, type, axes, FALSE);
}

/* A single point that writes @temporary. */
static void
keep_alone (Draw  *self,
            guint  node,
            guint  temporary)
{
  ghlo_kernel_keep (self->builder, node, temporary);
  end_points (self);
  make_readable (self, temporary, self->nodes[node].type, 0, FALSE);
}

/* A predicate that differs between points. */
static guint
draw_predicate (Draw *self)
{
  guint temporary = add_temporary (self, GHLO_ELEMENT_TYPE_I1, 0);

  begin_points (self, 0);
  draw_nodes (self);
  keep_alone (self, draw_whole (self, GHLO_ELEMENT_TYPE_I1), temporary);

  return temporary;
}

/* A carried value of a loop: its initial value, the temporary that holds it and the one of its next value. */
typedef struct
{
  DrawnTemporary first;
  guint          temporary, next;
} DrawnCarry;

static guint
draw_carries (Draw       *self,
              guint       axis,
              DrawnCarry *carries)
{
  guint n = 0;

  for (guint i = 0; i < self->n_temporaries && n < 3; i++)
    {
      const DrawnTemporary *first = &self->temporaries[i];

      if ((first->axes & axis) != 0 || draw_percent (self, 60)
          || count_points (self, first->axes & ~self->loops) * self->times > MAX_TIMES / 4)
        continue;
      carries[n] = (DrawnCarry) { *first, add_temporary (self, first->type, first->axes),
                                  add_temporary (self, first->type, first->axes) };
      n++;
    }

  return n;
}

static void
add_carries (Draw             *self,
             const DrawnCarry *carries,
             guint             n,
             gboolean          are_readable)
{
  for (guint i = 0; i < n; i++)
    {
      ghlo_kernel_add_carry (self->builder, carries[i].temporary, carries[i].first.number, carries[i].next);
      if (are_readable)
        make_readable (self, carries[i].temporary, carries[i].first.type, carries[i].first.axes, FALSE);
    }
}

static void draw_blocks (Draw  *self,
                         guint  n);

/* Draws the contents of a block and its next carried values. */
static void
draw_body (Draw             *self,
           const DrawnCarry *carries,
           guint             n)
{
  self->n_open++;
  draw_blocks (self, 1 + draw (self, 2));
  self->n_open--;
  for (guint i = 0; i < n; i++)
    draw_next (self, carries[i].next, carries[i].first.type, carries[i].first.axes);
}

/* Forgets the temporaries that can no longer be read after a block (@axis: a loop's); there were @n before the
 * block. */
static void
end_block (Draw             *self,
           guint             n,
           guint             axis,
           const DrawnCarry *carries,
           guint             n_carries)
{
  guint end = self->n_temporaries;

  ghlo_kernel_end_block (self->builder);
  self->n_temporaries = n;
  for (guint i = n; i < end; i++)
    if ((self->temporaries[i].axes & axis) != 0)
      self->temporaries[self->n_temporaries++] = self->temporaries[i];
  for (guint i = 0; i < n_carries; i++)
    make_readable (self, carries[i].temporary, carries[i].first.type, carries[i].first.axes, FALSE);
}

static void
draw_loop (Draw *self)
{
  guint axes = free_axes (self), n = self->n_temporaries, n_carries, axis;
  DrawnCarry carries[3];

  for (guint i = 0; i < self->n_axes; i++)
    if ((axes & 1u << i) != 0 && (self->extents[i] * self->times > MAX_TIMES / 8 || draw_percent (self, 50)))
      axes &= ~(1u << i);
  if (axes == 0)
    return;
  axis = (guint) __builtin_ctz (axes);
  n_carries = draw_carries (self, 1u << axis, carries);
  self->n_blocks++;
  ghlo_kernel_begin_loop (self->builder, axis);
  self->loops |= 1u << axis;
  self->times *= self->extents[axis];
  add_carries (self, carries, n_carries, TRUE);
  draw_body (self, carries, n_carries);
  self->loops &= ~(1u << axis);
  self->times /= self->extents[axis];
  end_block (self, n, 1u << axis, carries, n_carries);
}

/* n = 0; while (n < 3 and something) { …; n = n + 1; }. */
static void
draw_while (Draw *self)
{
  static const GhloElementType types[] = { GHLO_ELEMENT_TYPE_I32, GHLO_ELEMENT_TYPE_UI8, GHLO_ELEMENT_TYPE_I64 };
  const GhloElementType type = types[draw (self, G_N_ELEMENTS (types))];
  guint zero = add_temporary (self, type, 0), count = add_temporary (self, type, 0);
  guint next = add_temporary (self, type, 0), goes_on = add_temporary (self, GHLO_ELEMENT_TYPE_I1, 0);
  guint n = self->n_temporaries, n_carries, node, other;
  DrawnCarry carries[3];

  begin_points (self, 0);
  keep_alone (self, draw_constant (self, type, 0), zero);
  n = self->n_temporaries;
  n_carries = draw_carries (self, 0, carries);
  self->n_blocks++;
  ghlo_kernel_begin_while (self->builder, goes_on);
  self->times *= 3;
  ghlo_kernel_add_carry (self->builder, count, zero, next);
  make_readable (self, count, type, 0, TRUE);
  add_carries (self, carries, n_carries, TRUE);
  begin_points (self, 0);
  node = draw_leaf (self, GHLO_NODE_TEMPORARY, type, count);
  other = draw_constant (self, type, draw (self, 4));
  node = draw_node (self, GHLO_NODE_LESS, GHLO_ELEMENT_TYPE_I1, node, other, NONE);
  if (draw_percent (self, 50))
    {
      draw_nodes (self);
      other = draw_whole (self, GHLO_ELEMENT_TYPE_I1);
      node = draw_node (self, GHLO_NODE_AND, GHLO_ELEMENT_TYPE_I1, node, other, NONE);
    }
  keep_alone (self, node, goes_on);
  ghlo_kernel_begin_body (self->builder);
  draw_body (self, carries, n_carries);
  begin_points (self, 0);
  node = draw_leaf (self, GHLO_NODE_TEMPORARY, type, count);
  other = draw_constant (self, type, 1);
  keep_alone (self, draw_node (self, GHLO_NODE_ADD, type, node, other, NONE), next);
  self->times /= 3;
  end_block (self, n, 0, carries, n_carries);
  make_readable (self, count, type, 0, TRUE);
}

static void
draw_when (Draw *self)
{
  guint predicate = draw_predicate (self), n = self->n_temporaries, n_carries;
  DrawnCarry carries[3];

  n_carries = draw_carries (self, 0, carries);
  self->n_blocks++;
  ghlo_kernel_begin_if (self->builder, predicate);
  add_carries (self, carries, n_carries, FALSE);
  draw_body (self, carries, n_carries);
  end_block (self, n, 0, carries, n_carries);
}

/* A temporary over some of @axes and of those in scope, or an access. */
static GhloKernelFactor
draw_product_factor (Draw            *self,
                     GhloElementType  type,
                     guint            axes)
{
  guint found = NONE, n = 0, around = self->loops | ((1u << self->n_parallel) - 1);

  for (guint i = 0; i < self->n_temporaries; i++)
    if (self->temporaries[i].type == type && (self->temporaries[i].axes & ~(axes | self->loops)) == 0
        && draw (self, ++n) == 0)
      found = self->temporaries[i].number;
  if (found != NONE)
    return (GhloKernelFactor) { NONE, found };

  return (GhloKernelFactor) { draw_factor (self, type, axes | around), NONE };
}

static void
draw_product (Draw *self)
{
  GhloElementType type = draw_type_of (self, GHLO_NODE_TYPES_F);
  guint axes = draw_point_axes (self, 85), parts[3] = { 0 }, span, result;
  GhloKernelFactor left, right;

  for (guint i = 0; i < self->n_axes; i++)
    if ((axes & 1u << i) != 0)
      parts[draw (self, 3)] |= 1u << i;
  if (parts[2] == 0)
    return;
  left = draw_product_factor (self, type, parts[0] | parts[2]);
  right = draw_product_factor (self, type, parts[1] | parts[2]);
  if ((left.access == NONE && left.temporary == NONE) || (right.access == NONE && right.temporary == NONE))
    return;
  span = parts[0] | parts[1] | draw_axes (self, self->loops, 40);
  result = add_temporary (self, type, span);
  self->n_blocks++;
  ghlo_kernel_add_product (self->builder, parts[0], parts[1], parts[2], left, right, result);
  make_readable (self, result, type, span, FALSE);
}

static void
draw_blocks (Draw  *self,
             guint  n)
{
  for (guint i = 0; i < n && self->n_blocks < MAX_BLOCKS; i++)
    {
      guint choice = draw (self, (self->flags & RANDOM_KERNEL_COLUMNS) != 0 ? 5 : self->n_open < MAX_OPEN ? 10 : 6);

      if (choice < 5)
        draw_points (self, FALSE);
      else if (choice == 5)
        draw_product (self);
      else if (choice < 8)
        draw_loop (self);
      else if (choice == 8)
        draw_while (self);
      else
        draw_when (self);
    }
}

static void
draw_all_axes (Draw *self)
{
  static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "h" };
  guint n_inner = draw_percent (self, 10) ? 0 : 1 + draw (self, 4), longest = draw (self, 8);

  self->n_parallel = draw_percent (self, 15) && (self->flags & RANDOM_KERNEL_COLUMNS) == 0 ? 0 : 1 + draw (self, 3);
  for (guint i = 0; i < self->n_parallel + n_inner; i++)
    {
      gint64 extent = draw_percent (self, 10) ? 1 : 2 + draw (self, 8);

      if (i == longest)
        extent = draw_percent (self, 20) ? 1 + draw (self, 600) : 1 + draw (self, 70);
      if (i < self->n_parallel)
        {
          extent = MAX (1, MIN (extent, MAX_TIMES / 2 / self->times));
          self->times *= extent;
        }
      self->extents[i] = extent;
      ghlo_kernel_add_axis (self->builder, names[i], extent, i < self->n_parallel, draw_percent (self, 25));
      self->n_axes++;
    }
}

GhloKernel *
random_kernel (guint64           seed,
               RandomKernelFlags flags)
{
  g_autofree Draw *self = g_new0 (Draw, 1);
  g_autoptr (GError) error = NULL;
  char name[32];
  GhloKernel *kernel;

  g_snprintf (name, sizeof name, "random %" G_GUINT64_FORMAT, seed);
  self->builder = ghlo_kernel_builder_new (name);
  self->state = seed;
  self->flags = flags;
  self->times = 1;
  for (guint i = 0; i < G_N_ELEMENTS (self->palette); i++)
    self->palette[i] = i == 0 ? GHLO_ELEMENT_TYPE_F32 : self->palette[0];
  for (guint i = 0; i < G_N_ELEMENTS (self->palette); i++)
    self->palette[i] = draw_type (self);
  draw_all_axes (self);
  draw_blocks (self, 1 + draw (self, 4));
  draw_points (self, TRUE);
  kernel = ghlo_kernel_builder_end (self->builder, &error);
  g_assert_no_error (error);

  return kernel;
}

void
random_kernel_extents (const GhloKernel *kernel,
                       guint64           seed,
                       gint64           *extents)
{
  Draw self = { .state = seed };

  for (guint i = 0; i < kernel->n_axes; i++)
    extents[i] = kernel->axes[i].is_runtime ? 1 + draw (&self, (guint) kernel->axes[i].extent)
                                            : kernel->axes[i].extent;
}
