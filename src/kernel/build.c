/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Growing tables, which are frozen into one block of memory at the end. Things that do not fit a table are dropped
 * and remembered, and the kernel is then rejected, along with the indices that were returned for them.
 */

#include "kernel/build.h"

#include "base/bits.h"
#include "base/ghlo-error.h"
#include "base/hash.h"
#include "kernel/check.h"

#include <string.h>

/* Tables that are compared as bytes must have no padding. */
G_STATIC_ASSERT (sizeof (GhloKernelNode) == 24);
G_STATIC_ASSERT (sizeof (GhloKernelTerm) == (5 + GHLO_KERNEL_MAX_AXES) * 8);
G_STATIC_ASSERT (sizeof (GhloKernelAccess) == (2 + GHLO_KERNEL_MAX_AXES) * 8);
G_STATIC_ASSERT (sizeof (GhloKernelFold) == 16);
G_STATIC_ASSERT (sizeof (GhloKernelBlock) == 56);

struct _GhloKernelBuilder
{
  char       *name;
  const char *full;             /* name of the table that overflowed, or NULL */
  const char *misused;          /* the first call that was made in the wrong place, or NULL */
  GPtrArray  *names;            /* owned strings, which the tables refer to */
  GArray     *axes, *buffers, *accesses, *terms, *temporaries, *blocks, *stores, *folds, *carries, *nodes;
  guint       open[GHLO_KERNEL_MAX_DEPTH];      /* the blocks that have not ended, outermost first */
  guint       depth;
};

/* Initial sizes of tables, and of the table of nodes; most kernels have no more. */
enum { FEW = 8, MANY = 64 };

GhloKernelBuilder *
ghlo_kernel_builder_new (const char *name)
{
  GhloKernelBuilder *self = g_new0 (GhloKernelBuilder, 1);

  self->name = g_strdup (name);
  self->names = g_ptr_array_new_with_free_func (g_free);
  self->axes = g_array_sized_new (FALSE, TRUE, sizeof (GhloKernelAxis), FEW);
  self->buffers = g_array_sized_new (FALSE, TRUE, sizeof (GhloKernelBuffer), FEW);
  self->accesses = g_array_sized_new (FALSE, TRUE, sizeof (GhloKernelAccess), FEW);
  self->terms = g_array_sized_new (FALSE, TRUE, sizeof (GhloKernelTerm), FEW);
  self->temporaries = g_array_sized_new (FALSE, TRUE, sizeof (GhloKernelTemporary), FEW);
  self->blocks = g_array_sized_new (FALSE, TRUE, sizeof (GhloKernelBlock), FEW);
  self->stores = g_array_sized_new (FALSE, TRUE, sizeof (GhloKernelStore), FEW);
  self->folds = g_array_sized_new (FALSE, TRUE, sizeof (GhloKernelFold), FEW);
  self->carries = g_array_sized_new (FALSE, TRUE, sizeof (GhloKernelCarry), FEW);
  self->nodes = g_array_sized_new (FALSE, TRUE, sizeof (GhloKernelNode), MANY);

  return self;
}

void
ghlo_kernel_builder_free (GhloKernelBuilder *self)
{
  g_free (self->name);
  g_ptr_array_unref (self->names);
  g_array_unref (self->axes);
  g_array_unref (self->buffers);
  g_array_unref (self->accesses);
  g_array_unref (self->terms);
  g_array_unref (self->temporaries);
  g_array_unref (self->blocks);
  g_array_unref (self->stores);
  g_array_unref (self->folds);
  g_array_unref (self->carries);
  g_array_unref (self->nodes);
  g_free (self);
}

/* Returns the index of a new zeroed element, or GHLO_KERNEL_NONE. */
static guint
add (GhloKernelBuilder *self,
     GArray            *table,
     guint              most,
     const char        *what)
{
  if (table->len >= most)
    {
      self->full = what;
      return GHLO_KERNEL_NONE;
    }
  g_array_set_size (table, table->len + 1);

  return table->len - 1;
}

static const char *
keep_name (GhloKernelBuilder *self,
           const char        *name)
{
  char *copy = g_strdup (name);

  g_ptr_array_add (self->names, copy);

  return copy;
}

static void
misuse (GhloKernelBuilder *self,
        const char        *what)
{
  if (self->misused == NULL)
    self->misused = what;
}

/* Returns the current block if its kind is among @kinds (bits); else records the misuse @what and returns NULL. */
static GhloKernelBlock *
open_block (GhloKernelBuilder *self,
            guint              kinds,
            const char        *what)
{
  GhloKernelBlock *block = NULL;

  if (self->depth > 0)
    block = &g_array_index (self->blocks, GhloKernelBlock, self->open[self->depth - 1]);
  if (block == NULL || (kinds & 1u << block->kind) == 0)
    {
      misuse (self, what);
      return NULL;
    }

  return block;
}

guint
ghlo_kernel_add_axis (GhloKernelBuilder *self,
                      const char        *name,
                      gint64             extent,
                      gboolean           is_parallel,
                      gboolean           is_runtime)
{
  guint number = add (self, self->axes, GHLO_KERNEL_MAX_AXES, "axes");

  if (number != GHLO_KERNEL_NONE)
    g_array_index (self->axes, GhloKernelAxis, number) =
      (GhloKernelAxis) { keep_name (self, name), extent, is_parallel, is_runtime };

  return number;
}

guint
ghlo_kernel_add_buffer (GhloKernelBuilder *self,
                        const char        *name,
                        gint64             size,
                        gboolean           is_written)
{
  guint number = add (self, self->buffers, GHLO_KERNEL_MAX_BUFFERS, "buffers");

  if (number != GHLO_KERNEL_NONE)
    g_array_index (self->buffers, GhloKernelBuffer, number) =
      (GhloKernelBuffer) { keep_name (self, name), size, is_written, GHLO_KERNEL_NONE };

  return number;
}

void
ghlo_kernel_share_buffer (GhloKernelBuilder *self,
                          guint              buffer,
                          guint              with)
{
  if (buffer < self->buffers->len)
    g_array_index (self->buffers, GhloKernelBuffer, buffer).shared = with;
}

guint
ghlo_kernel_add_access (GhloKernelBuilder *self,
                        guint              buffer,
                        GhloElementType    type,
                        gint64             offset,
                        const gint64      *strides)
{
  guint number = add (self, self->accesses, GHLO_KERNEL_MAX_ACCESSES, "accesses");
  GhloKernelAccess *access;

  if (number == GHLO_KERNEL_NONE)
    return number;
  access = &g_array_index (self->accesses, GhloKernelAccess, number);
  access->type = type;
  access->buffer = buffer;
  access->first_term = self->terms->len;
  access->offset = offset;
  memcpy (access->strides, strides, self->axes->len * sizeof *strides);

  return number;
}

void
ghlo_kernel_add_term (GhloKernelBuilder    *self,
                      const GhloKernelTerm *term)
{
  guint number = add (self, self->terms, GHLO_KERNEL_MAX_TERMS, "terms of accesses");

  if (number == GHLO_KERNEL_NONE)
    return;
  g_array_index (self->terms, GhloKernelTerm, number) = *term;
  if (self->accesses->len > 0)
    g_array_index (self->accesses, GhloKernelAccess, self->accesses->len - 1).n_terms++;
  else
    misuse (self, "a term belongs to no access");
}

guint
ghlo_kernel_add_temporary (GhloKernelBuilder *self,
                           const char        *name,
                           GhloElementType    type,
                           guint              axes)
{
  guint number = add (self, self->temporaries, GHLO_KERNEL_MAX_TEMPORARIES, "temporaries");

  if (number != GHLO_KERNEL_NONE)
    g_array_index (self->temporaries, GhloKernelTemporary, number) =
      (GhloKernelTemporary) { keep_name (self, name), type, axes };

  return number;
}

/* The block's ranges in the other tables begin at their current ends. */
static guint
add_block (GhloKernelBuilder *self,
           GhloBlockKind      kind,
           guint              axes)
{
  const GhloKernelFactor none = { GHLO_KERNEL_NONE, GHLO_KERNEL_NONE };
  guint number = add (self, self->blocks, GHLO_KERNEL_MAX_BLOCKS, "blocks");
  GhloKernelBlock *block;

  if (self->depth > 0)
    open_block (self, ~(1u << GHLO_BLOCK_POINTS), "a block is nested in points");
  if (number == GHLO_KERNEL_NONE)
    return number;
  block = &g_array_index (self->blocks, GhloKernelBlock, number);
  block->kind = kind;
  block->axes = axes;
  block->end = number + 1;
  block->body = block->predicate = block->result = GHLO_KERNEL_NONE;
  block->first_node = block->first_merge = block->end_node = self->nodes->len;
  block->first_store = self->stores->len;
  block->first_fold = self->folds->len;
  block->first_carry = self->carries->len;
  block->left = block->right = none;

  return number;
}

static guint
begin_block (GhloKernelBuilder *self,
             GhloBlockKind      kind,
             guint              axes,
             guint              predicate)
{
  guint number = add_block (self, kind, axes);

  if (number == GHLO_KERNEL_NONE)
    return number;
  g_array_index (self->blocks, GhloKernelBlock, number).predicate = predicate;
  if (self->depth < GHLO_KERNEL_MAX_DEPTH)
    self->open[self->depth++] = number;
  else
    self->full = "nested blocks";

  return number;
}

guint
ghlo_kernel_begin_points (GhloKernelBuilder *self,
                          guint              axes)
{
  guint number = begin_block (self, GHLO_BLOCK_POINTS, axes, GHLO_KERNEL_NONE);

  if (number != GHLO_KERNEL_NONE)
    g_array_index (self->blocks, GhloKernelBlock, number).first_merge = GHLO_KERNEL_NONE;

  return number;
}

guint
ghlo_kernel_begin_loop (GhloKernelBuilder *self,
                        guint              axis)
{
  return begin_block (self, GHLO_BLOCK_LOOP, axis < GHLO_KERNEL_MAX_AXES ? 1u << axis : 0, GHLO_KERNEL_NONE);
}

guint
ghlo_kernel_begin_while (GhloKernelBuilder *self,
                         guint              predicate)
{
  return begin_block (self, GHLO_BLOCK_WHILE, 0, predicate);
}

void
ghlo_kernel_begin_body (GhloKernelBuilder *self)
{
  GhloKernelBlock *block = open_block (self, 1u << GHLO_BLOCK_WHILE, "a body belongs to no while");

  if (block != NULL)
    block->body = self->blocks->len;
}

guint
ghlo_kernel_begin_if (GhloKernelBuilder *self,
                      guint              predicate)
{
  return begin_block (self, GHLO_BLOCK_IF, 0, predicate);
}

guint
ghlo_kernel_add_product (GhloKernelBuilder *self,
                         guint              rows,
                         guint              columns,
                         guint              inner,
                         GhloKernelFactor   left,
                         GhloKernelFactor   right,
                         guint              result)
{
  guint number = add_block (self, GHLO_BLOCK_PRODUCT, rows | columns | inner);
  GhloKernelBlock *block;

  if (number == GHLO_KERNEL_NONE)
    return number;
  block = &g_array_index (self->blocks, GhloKernelBlock, number);
  block->rows = rows;
  block->columns = columns;
  block->inner = inner;
  block->left = left;
  block->right = right;
  block->result = result;

  return number;
}

void
ghlo_kernel_add_carry (GhloKernelBuilder *self,
                       guint              temporary,
                       guint              first,
                       guint              next)
{
  GhloKernelBlock *block = open_block (self, 1u << GHLO_BLOCK_LOOP | 1u << GHLO_BLOCK_WHILE | 1u << GHLO_BLOCK_IF,
                                       "a carried temporary belongs to no loop");
  guint number;

  if (block == NULL)
    return;
  if (self->blocks->len > self->open[self->depth - 1] + 1)
    misuse (self, "a carried temporary comes after the blocks of its loop");
  number = add (self, self->carries, GHLO_KERNEL_MAX_CARRIES, "carried temporaries");
  if (number == GHLO_KERNEL_NONE)
    return;
  block->n_carries++;
  g_array_index (self->carries, GhloKernelCarry, number) = (GhloKernelCarry) { temporary, first, next };
}

void
ghlo_kernel_set_order (GhloKernelBuilder *self,
                       guint              n_chains,
                       gint64             split)
{
  GhloKernelBlock *block = open_block (self, 1u << GHLO_BLOCK_POINTS, "chains or a split belong to no points");

  if (block == NULL)
    return;
  block->n_chains = n_chains;
  block->split = split;
}

void
ghlo_kernel_begin_merge (GhloKernelBuilder *self)
{
  GhloKernelBlock *block = open_block (self, 1u << GHLO_BLOCK_POINTS, "a merge belongs to no points");

  if (block != NULL && block->first_merge == GHLO_KERNEL_NONE)
    block->first_merge = self->nodes->len;
  else
    misuse (self, "points have two merges");
}

void
ghlo_kernel_end_block (GhloKernelBuilder *self)
{
  GhloKernelBlock *block = open_block (self, (1u << GHLO_N_BLOCKS) - 1, "the end of a block has no beginning");

  if (block == NULL)
    return;
  self->depth--;
  block->end = self->blocks->len;
  if (block->kind != GHLO_BLOCK_POINTS)
    return;
  block->end_node = self->nodes->len;
  if (block->first_merge == GHLO_KERNEL_NONE)
    block->first_merge = block->end_node;
  if (block->n_folds > 0 && block->n_chains == 0)
    block->n_chains = 1;
}

static GhloKernelNode *
add_node (GhloKernelBuilder *self,
          GhloNodeKind       kind,
          GhloElementType    type,
          guint             *number)
{
  GhloKernelNode *node;

  open_block (self, 1u << GHLO_BLOCK_POINTS, "a node is outside of points");
  *number = add (self, self->nodes, GHLO_KERNEL_MAX_NODES, "nodes");
  if (*number == GHLO_KERNEL_NONE)
    return NULL;
  node = &g_array_index (self->nodes, GhloKernelNode, *number);
  node->kind = kind;
  node->type = type;
  node->operands[0] = node->operands[1] = node->operands[2] = GHLO_KERNEL_NONE;

  return node;
}

guint
ghlo_kernel_add_node (GhloKernelBuilder *self,
                      GhloNodeKind       kind,
                      GhloElementType    type,
                      guint              a,
                      guint              b,
                      guint              c)
{
  guint number;
  GhloKernelNode *node = add_node (self, kind, type, &number);

  if (node == NULL)
    return number;
  node->operands[0] = a;
  node->operands[1] = b;
  node->operands[2] = c;

  return number;
}

guint
ghlo_kernel_add_quotient (GhloKernelBuilder *self,
                          GhloQuotient       quotient,
                          guint              a,
                          guint              b)
{
  guint number;
  GhloKernelNode *node = add_node (self, GHLO_NODE_DIVIDE, GHLO_ELEMENT_TYPE_F32, &number);

  if (node == NULL)
    return number;
  node->quotient = quotient;
  node->operands[0] = a;
  node->operands[1] = b;
  node->operands[2] = GHLO_KERNEL_NONE;

  return number;
}

guint
ghlo_kernel_add_leaf (GhloKernelBuilder *self,
                      GhloNodeKind       kind,
                      GhloElementType    type,
                      guint              index)
{
  guint number;
  GhloKernelNode *node = add_node (self, kind, type, &number);

  if (node != NULL)
    node->index = index;

  return number;
}

guint
ghlo_kernel_add_load (GhloKernelBuilder *self,
                      GhloElementType    type,
                      guint              access,
                      guint              fill)
{
  guint number;
  GhloKernelNode *node = add_node (self, GHLO_NODE_LOAD, type, &number);

  if (node == NULL)
    return number;
  node->index = access;
  node->operands[0] = fill;

  return number;
}

guint
ghlo_kernel_add_constant (GhloKernelBuilder *self,
                          GhloElementType    type,
                          guint64            bits)
{
  guint number;
  GhloKernelNode *node = add_node (self, GHLO_NODE_CONSTANT, type, &number);

  if (node != NULL)
    node->bits = bits;

  return number;
}

guint
ghlo_kernel_add_float (GhloKernelBuilder *self,
                       GhloElementType    type,
                       double             value)
{
  return ghlo_kernel_add_constant (self, type, ghlo_float_to_bits (type, value));
}

void
ghlo_kernel_store (GhloKernelBuilder *self,
                   guint              node,
                   guint              access)
{
  GhloKernelBlock *block = open_block (self, 1u << GHLO_BLOCK_POINTS, "a store is outside of points");
  guint number = add (self, self->stores, GHLO_KERNEL_MAX_STORES, "stores");

  if (block == NULL || number == GHLO_KERNEL_NONE)
    return;
  block->n_stores++;
  g_array_index (self->stores, GhloKernelStore, number) = (GhloKernelStore) { node, access, GHLO_KERNEL_NONE };
}

void
ghlo_kernel_keep (GhloKernelBuilder *self,
                  guint              node,
                  guint              temporary)
{
  guint number = self->stores->len;

  ghlo_kernel_store (self, node, GHLO_KERNEL_NONE);
  if (self->stores->len > number)
    g_array_index (self->stores, GhloKernelStore, number).temporary = temporary;
}

guint
ghlo_kernel_add_fold (GhloKernelBuilder *self,
                      GhloElementType    type,
                      guint              temporary,
                      guint64            identity)
{
  GhloKernelBlock *block = open_block (self, 1u << GHLO_BLOCK_POINTS, "a fold is outside of points");
  guint number = add (self, self->folds, GHLO_KERNEL_MAX_FOLDS, "folds");

  if (block == NULL || number == GHLO_KERNEL_NONE)
    return number;
  block->n_folds++;
  g_array_index (self->folds, GhloKernelFold, number) =
    (GhloKernelFold) { .type = type, .temporary = temporary, .update = GHLO_KERNEL_NONE,
                       .merge = GHLO_KERNEL_NONE, .identity = identity };

  return number;
}

void
ghlo_kernel_set_update (GhloKernelBuilder *self,
                        guint              fold,
                        guint              node)
{
  if (fold < self->folds->len)
    g_array_index (self->folds, GhloKernelFold, fold).update = node;
}

void
ghlo_kernel_set_merge (GhloKernelBuilder *self,
                       guint              fold,
                       guint              node)
{
  if (fold < self->folds->len)
    g_array_index (self->folds, GhloKernelFold, fold).merge = node;
}

const GhloKernelNode *
ghlo_kernel_builder_get_node (GhloKernelBuilder *self,
                              guint              node)
{
  return node < self->nodes->len ? &g_array_index (self->nodes, GhloKernelNode, node) : NULL;
}

static guint64
hash_kernel (const GhloKernel *self)
{
  static const guint64 key[2] = { 0x676c686f2d6b6572, 0x6e656c2d68617368 };
  g_autoptr (GByteArray) bytes = g_byte_array_sized_new (self->size);

  ghlo_kernel_append_key (self, bytes);

  return ghlo_hash_keyed (key, 2, 4, bytes->data, bytes->len);
}

void
ghlo_kernel_set_layout (GhloKernel   *self,
                        guint         access,
                        const gint64 *strides,
                        const gint64 *extents)
{
  GhloKernelAccess *changed = (GhloKernelAccess *) &self->accesses[access];

  memcpy (changed->strides, strides, self->n_axes * sizeof *strides);
  for (guint i = 0; i < self->n_axes; i++)
    {
      GhloKernelAxis *axis = (GhloKernelAxis *) &self->axes[i];

      axis->is_runtime = extents[i] > 0;
      axis->extent = extents[i] > 0 ? extents[i] : axis->extent;
    }
  self->hash = hash_kernel (self);
}

/* Copies @table to *@end and advances *@end. */
static gpointer
freeze_table (GArray  *table,
              guint8 **end)
{
  gpointer copy = *end;
  gsize size = (gsize) table->len * g_array_get_element_size (table);

  if (size > 0)
    memcpy (copy, table->data, size);
  *end += (size + 7) & ~(gsize) 7;

  return copy;
}

static const char *
freeze_name (const char  *name,
             guint8     **end)
{
  gsize size = strlen (name) + 1;
  char *copy = memcpy (*end, name, size);

  *end += size;

  return copy;
}

static gsize
measure (GhloKernelBuilder *self)
{
  GArray *tables[] = { self->axes, self->buffers, self->accesses, self->terms, self->temporaries,
                       self->blocks, self->stores, self->folds, self->carries, self->nodes };
  gsize size = sizeof (GhloKernel) + strlen (self->name) + 1;

  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    size += ((gsize) tables[i]->len * g_array_get_element_size (tables[i]) + 7) & ~(gsize) 7;
  for (guint i = 0; i < self->names->len; i++)
    size += strlen (g_ptr_array_index (self->names, i)) + 1;

  return size;
}

static GhloKernel *
freeze (GhloKernelBuilder *self)
{
  gsize size = measure (self);
  GhloKernel *kernel = g_malloc0 (size);
  guint8 *end = (guint8 *) (kernel + 1);
  GhloKernelAxis *axes;
  GhloKernelBuffer *buffers;
  GhloKernelTemporary *temporaries;

  kernel->size = size;
#define FREEZE(table) \
  kernel->n_##table = self->table->len; \
  kernel->table = freeze_table (self->table, &end)
  FREEZE (axes);
  FREEZE (buffers);
  FREEZE (accesses);
  FREEZE (terms);
  FREEZE (temporaries);
  FREEZE (blocks);
  FREEZE (stores);
  FREEZE (folds);
  FREEZE (carries);
  FREEZE (nodes);
#undef FREEZE
  axes = (GhloKernelAxis *) kernel->axes;
  buffers = (GhloKernelBuffer *) kernel->buffers;
  temporaries = (GhloKernelTemporary *) kernel->temporaries;
  kernel->name = freeze_name (self->name, &end);
  for (guint i = 0; i < kernel->n_axes; i++)
    {
      axes[i].name = freeze_name (axes[i].name, &end);
      if (axes[i].is_parallel && kernel->n_parallel == i)
        kernel->n_parallel++;
    }
  for (guint i = 0; i < kernel->n_buffers; i++)
    buffers[i].name = freeze_name (buffers[i].name, &end);
  for (guint i = 0; i < kernel->n_temporaries; i++)
    temporaries[i].name = freeze_name (temporaries[i].name, &end);
  kernel->hash = hash_kernel (kernel);

  return kernel;
}

GhloKernel *
ghlo_kernel_builder_end (GhloKernelBuilder  *self,
                         GError            **error)
{
  g_autoptr (GhloKernelBuilder) owned G_GNUC_UNUSED = self;
  g_autofree GhloKernel *kernel = NULL;

  if (self->full != NULL)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED, "the kernel %s has too many %s", self->name, self->full);
      return NULL;
    }
  if (self->depth > 0)
    misuse (self, "a block has no end");
  if (self->misused != NULL)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT, "the kernel %s is invalid: %s", self->name,
                   self->misused);
      return NULL;
    }
  kernel = freeze (self);
  if (!ghlo_kernel_check (kernel, error))
    return NULL;

  return g_steal_pointer (&kernel);
}
