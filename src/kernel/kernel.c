/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The table of nodes as data, and the equality of kernels.
 */

#include "kernel/kernel.h"

#include <string.h>

enum
{
  B = GHLO_NODE_TYPES_B,
  S = GHLO_NODE_TYPES_S,
  U = GHLO_NODE_TYPES_U,
  F = GHLO_NODE_TYPES_F,
  I = S | U,
  L = B | I,
  N = I | F,
  A = B | N,
  /* Single types, as bits beyond those of the classes. */
  UI8 = 1 << 4,
  UI16 = 1 << 5,
  F32 = 1 << 6,
};

#define ONE_TYPE(types) \
  ((types) == UI8 ? GHLO_ELEMENT_TYPE_UI8 : (types) == UI16 ? GHLO_ELEMENT_TYPE_UI16 \
   : (types) == F32 ? GHLO_ELEMENT_TYPE_F32 : GHLO_ELEMENT_TYPE_INVALID)
#define OPERANDS(n, types) n, (types) & A, ONE_TYPE (types)
#define RESULT_SAME    0, GHLO_ELEMENT_TYPE_INVALID
#define RESULT_OWN     A, GHLO_ELEMENT_TYPE_INVALID
#define RESULT_BOOLEAN 0, GHLO_ELEMENT_TYPE_I1
#define RESULT_UI8     0, GHLO_ELEMENT_TYPE_UI8
#define RESULT_UI16    0, GHLO_ELEMENT_TYPE_UI16
#define RESULT_F32     0, GHLO_ELEMENT_TYPE_F32

static const GhloNodeSpec specs[GHLO_N_NODES] = {
#define LEAF(ID, name, types) \
  [GHLO_NODE_##ID] = { #name, GHLO_NODE_LEAF, GHLO_NODE_##ID == GHLO_NODE_LOAD, 0, 0, types, 0 },
#define NODE(ID, name, n, types, result) \
  [GHLO_NODE_##ID] = { #name, GHLO_NODE_PRIMITIVE, OPERANDS (n, types), RESULT_##result },
#define FUNCTION(ID, name, n, types, result) \
  [GHLO_NODE_##ID] = { #name, GHLO_NODE_FUNCTION, OPERANDS (n, types), RESULT_##result },
#include "kernel/node.def"
};

const GhloNodeSpec *
ghlo_node_spec (GhloNodeKind kind)
{
  return &specs[kind];
}

GhloNodeKind
ghlo_node_named (const char *name)
{
  GhloNodeKind kind = 0;

  while (kind < GHLO_N_NODES && strcmp (specs[kind].name, name) != 0)
    kind++;

  return kind;
}

guint
ghlo_node_types (GhloElementType type)
{
  const GhloElementInfo *info = ghlo_element_info (type);

  switch (info->element_class)
    {
    case GHLO_ELEMENT_CLASS_BOOLEAN:
      return B;
    case GHLO_ELEMENT_CLASS_SIGNED:
      return info->bits >= 8 && type != GHLO_ELEMENT_TYPE_INDEX ? S : 0;
    case GHLO_ELEMENT_CLASS_UNSIGNED:
      return info->bits >= 8 ? U : 0;
    default:
      return type == GHLO_ELEMENT_TYPE_F32 || type == GHLO_ELEMENT_TYPE_F64 ? F : 0;
    }
}

guint64
ghlo_node_all_types (void)
{
  guint64 types = 0;

  G_STATIC_ASSERT (GHLO_ELEMENT_TYPE_F64 < 64);
  for (guint type = 0; type <= GHLO_ELEMENT_TYPE_F64; type++)
    if (ghlo_node_types (type) != 0)
      types |= (guint64) 1 << type;

  return types;
}

const char *
ghlo_kernel_block_word (GhloBlockKind kind)
{
  static const char *const words[GHLO_N_BLOCKS] = {
    [GHLO_BLOCK_POINTS] = "points",
    [GHLO_BLOCK_LOOP] = "loop",
    [GHLO_BLOCK_WHILE] = "while",
    [GHLO_BLOCK_IF] = "when",
    [GHLO_BLOCK_PRODUCT] = "product",
  };

  return words[kind];
}

GhloElementType
ghlo_kernel_operand_type (const GhloKernel     *self,
                          const GhloKernelNode *node)
{
  const GhloNodeSpec *spec = &specs[node->kind];

  if (spec->n_operands == 0 || node->operands[0] == GHLO_KERNEL_NONE)
    return GHLO_ELEMENT_TYPE_INVALID;

  return self->nodes[node->operands[spec->n_operands - 1]].type;
}

guint
ghlo_kernel_loops_around (const GhloKernel      *self,
                          const GhloKernelBlock *block)
{
  const guint number = (guint) (block - self->blocks);
  guint loops = 0;

  for (guint i = 0; i < number; i++)
    if (self->blocks[i].kind == GHLO_BLOCK_LOOP && self->blocks[i].end > number)
      loops |= self->blocks[i].axes;

  return loops;
}

gint64
ghlo_kernel_count_points (const GhloKernel *self,
                          guint             axes)
{
  gint64 n = 1;

  for (guint i = 0; i < self->n_axes; i++)
    if ((axes & 1u << i) != 0 && __builtin_mul_overflow (n, self->axes[i].extent, &n))
      return G_MAXINT64;

  return n;
}

static gboolean
equal_axes (const GhloKernel *self,
            const GhloKernel *other)
{
  for (guint i = 0; i < self->n_axes; i++)
    {
      const GhloKernelAxis *a = &self->axes[i], *b = &other->axes[i];

      if (a->is_parallel != b->is_parallel || a->is_runtime != b->is_runtime
          || (a->extent != b->extent && !a->is_runtime))
        return FALSE;
    }

  return TRUE;
}

static gboolean
equal_storage (const GhloKernel *self,
               const GhloKernel *other)
{
  for (guint i = 0; i < self->n_buffers; i++)
    if (self->buffers[i].is_written != other->buffers[i].is_written
        || self->buffers[i].shared != other->buffers[i].shared)
      return FALSE;
  for (guint i = 0; i < self->n_temporaries; i++)
    if (self->temporaries[i].type != other->temporaries[i].type
        || self->temporaries[i].axes != other->temporaries[i].axes)
      return FALSE;

  return TRUE;
}

/* For tables of plain numbers. Padding is zero, because the builder's arrays are zeroed. */
#define TABLE_EQUAL(table) \
  (self->n_##table == other->n_##table \
   && memcmp (self->table, other->table, self->n_##table * sizeof self->table[0]) == 0)

gboolean
ghlo_kernel_is_elementwise (const GhloKernel *self)
{
  return self->n_blocks == 1 && self->n_folds == 0 && self->n_axes == self->n_parallel && self->n_terms == 0
         && self->n_temporaries == 0;
}

gboolean
ghlo_kernel_uses_coordinates (const GhloKernel *self)
{
  for (guint i = 0; i < self->n_nodes; i++)
    switch ((GhloNodeKind) self->nodes[i].kind)
      {
      case GHLO_NODE_AXIS:
      case GHLO_NODE_EXTENT:
      case GHLO_NODE_INSIDE:
        return TRUE;
      default:
        break;
      }

  return FALSE;
}

gboolean
ghlo_kernel_equal (const GhloKernel *self,
                   const GhloKernel *other)
{
  return self == other
         || (self->hash == other->hash && self->n_axes == other->n_axes && self->n_buffers == other->n_buffers
             && self->n_temporaries == other->n_temporaries && equal_axes (self, other) && equal_storage (self, other)
             && TABLE_EQUAL (accesses) && TABLE_EQUAL (terms) && TABLE_EQUAL (blocks) && TABLE_EQUAL (stores)
             && TABLE_EQUAL (folds) && TABLE_EQUAL (carries) && TABLE_EQUAL (nodes));
}

void
ghlo_kernel_append_key (const GhloKernel *self,
                        GByteArray       *bytes)
{
  const guint16 counts[] = { self->n_axes, self->n_buffers, self->n_accesses, self->n_terms, self->n_temporaries,
                             self->n_blocks, self->n_stores, self->n_folds, self->n_carries, self->n_nodes };

  g_byte_array_append (bytes, (const guint8 *) counts, sizeof counts);
  for (guint i = 0; i < self->n_axes; i++)
    {
      const GhloKernelAxis *axis = &self->axes[i];
      const gint64 words[] = { axis->is_runtime ? 0 : axis->extent, axis->is_parallel, axis->is_runtime };

      g_byte_array_append (bytes, (const guint8 *) words, sizeof words);
    }
  for (guint i = 0; i < self->n_buffers; i++)
    {
      const guint32 words[] = { self->buffers[i].is_written, self->buffers[i].shared };

      g_byte_array_append (bytes, (const guint8 *) words, sizeof words);
    }
  for (guint i = 0; i < self->n_temporaries; i++)
    {
      g_byte_array_append (bytes, &self->temporaries[i].type, 1);
      g_byte_array_append (bytes, &self->temporaries[i].axes, 1);
    }
#define ADD(table) g_byte_array_append (bytes, (const guint8 *) self->table, self->n_##table * sizeof self->table[0])
  ADD (accesses);
  ADD (terms);
  ADD (blocks);
  ADD (stores);
  ADD (folds);
  ADD (carries);
  ADD (nodes);
#undef ADD
}

/* Translates a pointer into the kernel @from to the same position in its copy @to. */
static gconstpointer
move (const GhloKernel *from,
      const GhloKernel *to,
      gconstpointer     pointer)
{
  return (const guint8 *) to + ((const guint8 *) pointer - (const guint8 *) from);
}

GhloKernel *
ghlo_kernel_copy (const GhloKernel *self)
{
  GhloKernel *copy = g_memdup2 (self, self->size);

#define MOVE(table) copy->table = move (self, copy, self->table)
  MOVE (name);
  MOVE (axes);
  MOVE (buffers);
  MOVE (accesses);
  MOVE (terms);
  MOVE (temporaries);
  MOVE (blocks);
  MOVE (stores);
  MOVE (folds);
  MOVE (carries);
  MOVE (nodes);
#undef MOVE
  for (guint i = 0; i < copy->n_axes; i++)
    ((GhloKernelAxis *) copy->axes)[i].name = move (self, copy, self->axes[i].name);
  for (guint i = 0; i < copy->n_buffers; i++)
    ((GhloKernelBuffer *) copy->buffers)[i].name = move (self, copy, self->buffers[i].name);
  for (guint i = 0; i < copy->n_temporaries; i++)
    ((GhloKernelTemporary *) copy->temporaries)[i].name = move (self, copy, self->temporaries[i].name);

  return copy;
}
