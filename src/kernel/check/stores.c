/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What blocks do to buffers that are written: no two points and no two stores write to the same place, and loads
 * read only what the same point writes. Strides are those of the whole address, multiplied by the steps of all
 * guards so that they are integers.
 */

#include "kernel/check/checker.h"

#include "kernel/variance.h"

#include <stdlib.h>
#include <string.h>

#define fail(...) ghlo_kernel_check_fail (__VA_ARGS__)

enum { MAX_MOVING = 8 };

/* One dimension of the set of written places. */
typedef struct
{
  gint64 stride, extent;
} Digit;

/* How the points of a store's block map to places. */
typedef struct
{
  guint  block, access;
  gint64 scale;                                 /* factor of all strides and of the element size */
  gint64 strides[GHLO_KERNEL_MAX_AXES];
  guint  n_moving;
  Digit  moving[MAX_MOVING];                    /* terms whose node varies */
} Map;

static const GhloKernelAccess *
access_of (const GhloKernelCheck *self,
           const Map             *map)
{
  return &self->kernel->accesses[map->access];
}

static gint64
size_of (const GhloKernelCheck *self,
         const Map             *map)
{
  return ghlo_element_info (access_of (self, map)->type)->size;
}

/* Returns the axes whose points are unordered: those of the block, and the parallel ones. */
static guint
unordered_axes (const GhloKernelCheck *self,
                guint                  block)
{
  return (self->parallel | self->kernel->blocks[block].axes) & self->long_axes;
}

/* Returns whether the block has one point at a time, so that its loads and stores are in order. */
static gboolean
is_one_point (const GhloKernelCheck *self,
              guint                  block)
{
  return unordered_axes (self, block) == 0;
}

/* Returns whether a term that clamps never has to. */
static gboolean
is_within (const GhloKernelCheck *self,
           const GhloKernelTerm  *term)
{
  gint64 low = term->offset, high = term->offset;

  for (guint i = 0; i < self->kernel->n_axes; i++)
    {
      gint64 part = term->strides[i] * (self->kernel->axes[i].extent - 1);

      low += MIN (part, 0);
      high += MAX (part, 0);
    }

  return term->node == GHLO_KERNEL_NONE && low >= 0 && high < term->end;
}

static gboolean
has_strides (const GhloKernelCheck *self,
             const GhloKernelTerm  *term)
{
  for (guint i = 0; i < self->kernel->n_axes; i++)
    if (term->strides[i] != 0 && (self->long_axes & 1u << i) != 0)
      return TRUE;

  return FALSE;
}

/* The node of a term adds the same amount at all points, or is a dimension of its own. */
static gboolean
map_node (GhloKernelCheck *self,
          Map             *map,
          guint            number,
          guint            variance)
{
  const GhloKernelTerm *term = &self->kernel->terms[number];
  gboolean is_moving = (self->parallel & self->long_axes) != 0
                       && (variance & (self->long_axes | GHLO_KERNEL_TIME)) != 0;

  if ((variance & unordered_axes (self, map->block)) == 0 && !is_moving)
    return TRUE;
  if (has_strides (self, term))
    return fail (self, "it stores through access %u, whose term %u has strides, and an index that is not the same at "
                 "all points", map->access, number);
  if (term->end == 1)
    return TRUE;
  if (map->n_moving == MAX_MOVING)
    return fail (self, "it stores through access %u, which has more than %u indices", map->access, MAX_MOVING);
  if (__builtin_mul_overflow (term->stride, map->scale, &map->moving[map->n_moving].stride))
    return fail (self, "it stores through access %u, whose strides are too large", map->access);
  map->moving[map->n_moving++].extent = term->end;

  return TRUE;
}

/* Adds the strides of a term to those of the address. */
static gboolean
map_term (GhloKernelCheck *self,
          Map             *map,
          guint            number,
          const guint16   *variance)
{
  const GhloKernelTerm *term = &self->kernel->terms[number];
  gint64 unit, part;

  if (term->stride == 0)
    return TRUE;
  if (term->clamps && has_strides (self, term) && !is_within (self, term))
    return fail (self, "it stores through access %u, whose term %u clamps an index that depends on axes", map->access,
                 number);
  if (term->node != GHLO_KERNEL_NONE && !map_node (self, map, number, variance[term->node]))
    return FALSE;
  if (__builtin_mul_overflow (term->stride, map->scale / term->step, &unit))
    return fail (self, "it stores through access %u, whose strides are too large", map->access);
  for (guint i = 0; i < self->kernel->n_axes; i++)
    if (__builtin_mul_overflow (term->strides[i], unit, &part)
        || __builtin_add_overflow (map->strides[i], part, &map->strides[i]))
      return fail (self, "it stores through access %u, whose strides are too large", map->access);

  return TRUE;
}

static gboolean
make_map (GhloKernelCheck *self,
          Map             *map,
          guint            block,
          guint            number,
          const guint16   *variance)
{
  const GhloKernelAccess *access = &self->kernel->accesses[number];
  guint end = access->first_term + access->n_terms;

  *map = (Map) { .block = block, .access = number, .scale = 1 };
  for (guint i = access->first_term; i < end; i++)
    if (self->kernel->terms[i].stride != 0
        && __builtin_mul_overflow (map->scale, self->kernel->terms[i].step, &map->scale))
      return fail (self, "it stores through access %u, whose steps are too large", number);
  for (guint i = 0; i < self->kernel->n_axes; i++)
    if (__builtin_mul_overflow (access->strides[i], map->scale, &map->strides[i]))
      return fail (self, "it stores through access %u, whose strides are too large", number);
  for (guint i = access->first_term; i < end; i++)
    if (!map_term (self, map, i, variance))
      return FALSE;

  return TRUE;
}

static int
compare_digits (const void *a,
                const void *b)
{
  const Digit *x = a, *y = b;

  return x->stride < y->stride ? -1 : x->stride > y->stride;
}

/* Returns whether the sums of @digits differ by at least @span from each other. */
static gboolean
are_apart (Digit *digits,
           guint  n,
           gint64 span)
{
  qsort (digits, n, sizeof *digits, compare_digits);
  for (guint i = 0; i < n; i++)
    {
      gint64 part;

      if (digits[i].stride < span)
        return FALSE;
      if (__builtin_mul_overflow (digits[i].stride, digits[i].extent - 1, &part)
          || __builtin_add_overflow (span, part, &span))
        return FALSE;
    }

  return TRUE;
}

/* Returns whether the points of @axes, and varying terms, map to places that are at least @span, which is unscaled,
 * apart. */
static gboolean
is_distinct (const GhloKernelCheck *self,
             const Map             *map,
             guint                  axes,
             gint64                 span)
{
  Digit digits[GHLO_KERNEL_MAX_AXES + MAX_MOVING];
  guint n = 0;

  if (__builtin_mul_overflow (span, map->scale, &span))
    return FALSE;
  for (guint i = 0; i < self->kernel->n_axes; i++)
    if ((axes & 1u << i) != 0)
      digits[n++] = (Digit) { map->strides[i], self->kernel->axes[i].extent };
  for (guint i = 0; i < map->n_moving; i++)
    digits[n++] = map->moving[i];
  for (guint i = 0; i < n; i++)
    {
      if (digits[i].stride == G_MININT64)
        return FALSE;
      digits[i].stride = ABS (digits[i].stride);
    }

  return are_apart (digits, n, span);
}

/* Checks that no two points of the block, in any iterations of loops around, write to the same place. */
static gboolean
check_map (GhloKernelCheck *self,
           const Map       *map)
{
  guint axes = unordered_axes (self, map->block);

  if ((self->parallel & self->long_axes) != 0)
    for (guint i = 0; i < self->kernel->n_axes; i++)
      if (map->strides[i] != 0)
        axes |= self->loops[map->block] & self->long_axes & 1u << i;
  if (!is_distinct (self, map, axes, size_of (self, map)))
    return fail (self, "it stores through access %u, which may take two points of axes 0x%02x to the same address",
                 map->access, axes);

  return TRUE;
}

static gboolean
has_equal_terms (const GhloKernel       *kernel,
                 const GhloKernelAccess *a,
                 const GhloKernelAccess *b)
{
  return a->n_terms == b->n_terms
         && (a->n_terms == 0 || memcmp (&kernel->terms[a->first_term], &kernel->terms[b->first_term],
                                        a->n_terms * sizeof *kernel->terms) == 0);
}

/* Computes the range of the access's offset plus the contributions of @axes to the address, times the map's scale. */
static gboolean
reach_of_axes (const GhloKernelCheck *self,
               const Map             *map,
               guint                  axes,
               gint64                *low,
               gint64                *high)
{
  gint64 size = size_of (self, map);

  if (__builtin_mul_overflow (access_of (self, map)->offset, map->scale, low)
      || __builtin_mul_overflow (size, map->scale, &size) || __builtin_add_overflow (*low, size, high))
    return FALSE;
  for (guint i = 0; i < self->kernel->n_axes; i++)
    {
      gint64 part;

      if ((axes & 1u << i) == 0)
        continue;
      if (__builtin_mul_overflow (map->strides[i], self->kernel->axes[i].extent - 1, &part)
          || __builtin_add_overflow (*low, MIN (part, 0), low) || __builtin_add_overflow (*high, MAX (part, 0), high))
        return FALSE;
    }

  return TRUE;
}

/* Returns whether the two stores fit beside each other, between the strides that they share. */
static gboolean
are_interleaved (const GhloKernelCheck *self,
                 const Map             *a,
                 const Map             *b)
{
  gint64 low_a, high_a, low_b, high_b, span;
  guint common = 0;

  if (!has_equal_terms (self->kernel, access_of (self, a), access_of (self, b)))
    return FALSE;
  for (guint i = 0; i < self->kernel->n_axes; i++)
    if ((self->long_axes & 1u << i) != 0 && a->strides[i] != 0 && a->strides[i] == b->strides[i])
      common |= 1u << i;
  if (!reach_of_axes (self, a, ~common, &low_a, &high_a) || !reach_of_axes (self, b, ~common, &low_b, &high_b)
      || __builtin_sub_overflow (MAX (high_a, high_b), MIN (low_a, low_b), &span))
    return FALSE;
  if (low_a < high_b && low_b < high_a)
    return FALSE;

  return is_distinct (self, a, common, span / a->scale + (span % a->scale != 0));
}

static gboolean
check_pair (GhloKernelCheck *self,
            const Map       *a,
            const Map       *b)
{
  const GhloKernelReach *x = &self->reaches[a->access], *y = &self->reaches[b->access];
  guint buffer = access_of (self, a)->buffer;

  if (buffer != access_of (self, b)->buffer || x->high <= y->low || y->high <= x->low
      || (is_one_point (self, a->block) && is_one_point (self, b->block)) || are_interleaved (self, a, b))
    return TRUE;

  return fail (self, "it stores through access %u, block %u through access %u, into bytes [%" G_GINT64_FORMAT ", %"
               G_GINT64_FORMAT ") and [%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT ") of buffer %u (%s), which may be the "
               "same address", b->access, a->block, a->access, y->low, y->high, x->low, x->high, buffer,
               self->kernel->buffers[buffer].name);
}

static gboolean
check_block_stores (GhloKernelCheck *self,
                    const guint16   *variance,
                    GArray          *maps)
{
  const GhloKernelBlock *block = &self->kernel->blocks[self->block];

  for (guint i = block->first_store; i < block->first_store + block->n_stores; i++)
    {
      guint number = self->kernel->stores[i].access;
      const GhloKernelBuffer *buffer;
      Map map;

      if (number == GHLO_KERNEL_NONE)
        continue;
      buffer = &self->kernel->buffers[self->kernel->accesses[number].buffer];
      if (!buffer->is_written)
        return fail (self, "it stores through access %u into buffer %u (%s), which is not written", number,
                     self->kernel->accesses[number].buffer, buffer->name);
      if (!make_map (self, &map, self->block, number, variance) || !check_map (self, &map))
        return FALSE;
      for (guint j = 0; j < maps->len; j++)
        if (!check_pair (self, &g_array_index (maps, Map, j), &map))
          return FALSE;
      g_array_append_val (maps, map);
    }

  return TRUE;
}

static gboolean
is_stored (const GhloKernel      *kernel,
           const GhloKernelBlock *block,
           guint                  number)
{
  const GhloKernelAccess *load = &kernel->accesses[number];

  for (guint i = block->first_store; i < block->first_store + block->n_stores; i++)
    {
      const GhloKernelAccess *store;

      if (kernel->stores[i].access == GHLO_KERNEL_NONE)
        continue;
      store = &kernel->accesses[kernel->stores[i].access];
      if (store->buffer == ghlo_kernel_memory (kernel, load->buffer) && store->type == load->type
          && store->offset == load->offset && memcmp (store->strides, load->strides, sizeof load->strides) == 0
          && has_equal_terms (kernel, store, load))
        return TRUE;
    }

  return FALSE;
}

/* Checks that, of buffers that are written, the block reads only what it writes itself, unless all is in order. */
static gboolean
check_block_loads (GhloKernelCheck *self)
{
  const GhloKernel *kernel = self->kernel;
  const GhloKernelBlock *block = &kernel->blocks[self->block];
  const guint factors[] = { block->left.access, block->right.access };

  if (is_one_point (self, self->block))
    return TRUE;
  for (guint i = block->first_node; i < block->first_merge; i++)
    {
      const GhloKernelNode *node = &kernel->nodes[i];

      if (node->kind == GHLO_NODE_LOAD && ghlo_kernel_is_written (kernel, kernel->accesses[node->index].buffer)
          && !is_stored (kernel, block, node->index))
        return fail (self, "node %u (load): access %u is of a buffer that is written: expected the place of a store of "
                     "the same block", i, node->index);
    }
  for (guint i = 0; i < G_N_ELEMENTS (factors); i++)
    if (factors[i] != GHLO_KERNEL_NONE && ghlo_kernel_is_written (kernel, kernel->accesses[factors[i]].buffer))
      return fail (self, "access %u is a factor, of a buffer that is written", factors[i]);

  return TRUE;
}

gboolean
ghlo_kernel_check_stores (GhloKernelCheck *self)
{
  g_autofree guint16 *variance = ghlo_kernel_variance (self->kernel);
  g_autoptr (GArray) maps = g_array_new (FALSE, FALSE, sizeof (Map));

  for (self->block = 0; self->block < self->kernel->n_blocks; self->block++)
    if (!check_block_stores (self, variance, maps) || !check_block_loads (self))
      return FALSE;

  return TRUE;
}
