/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Building a kernel by hand, and printing it. Unused bytes stay zero, so that equal
 * kernels have equal bytes.
 */

#include "kernel.h"

#include <string.h>

static const struct
{
  const char *name;
  guint8      n_operands;
} kinds[GHLO_N_NODES] = {
#define X(kind, name, n) { #name, n },
  GHLO_NODE_KINDS (X)
#undef X
};

static void
set_name (char       *to,
          const char *name)
{
  g_strlcpy (to, name, GHLO_KERNEL_NAME);
}

guint
ghlo_kernel_add_axis (GhloKernel *self,
                      const char *name,
                      gint64      extent,
                      gboolean    parallel)
{
  GhloKernelAxis *axis = &self->axes[self->n_axes];

  set_name (axis->name, name);
  axis->extent = extent;
  axis->parallel = parallel;

  return self->n_axes++;
}

guint
ghlo_kernel_add_buffer (GhloKernel *self,
                        const char *name,
                        gint64      size,
                        gboolean    written)
{
  GhloKernelBuffer *buffer = &self->buffers[self->n_buffers];

  set_name (buffer->name, name);
  buffer->size = size;
  buffer->written = written;

  return self->n_buffers++;
}

guint
ghlo_kernel_add_access (GhloKernel      *self,
                        guint            buffer,
                        GhloElementType  element,
                        gint64           offset,
                        const gint64    *strides)
{
  GhloKernelAccess *access = &self->accesses[self->n_accesses];

  access->element = element;
  access->buffer = buffer;
  access->index = access->fill = GHLO_KERNEL_NONE;
  access->offset = offset;
  memcpy (access->strides, strides, self->n_axes * sizeof *strides);

  return self->n_accesses++;
}

guint
ghlo_kernel_add_temporary (GhloKernel      *self,
                           const char      *name,
                           GhloElementType  type,
                           guint            axes)
{
  GhloKernelTemporary *temporary = &self->temporaries[self->n_temporaries];

  set_name (temporary->name, name);
  temporary->type = type;
  temporary->axes = axes;

  return self->n_temporaries++;
}

guint
ghlo_kernel_add_node (GhloKernel      *self,
                      GhloNodeKind     kind,
                      GhloElementType  type,
                      guint            a,
                      guint            b,
                      guint            c)
{
  GhloKernelNode *node = &self->nodes[self->n_nodes];
  guint n = kinds[kind].n_operands;

  node->kind = kind;
  node->type = type;
  node->operands[0] = n > 0 ? a : GHLO_KERNEL_NONE;
  node->operands[1] = n > 1 ? b : GHLO_KERNEL_NONE;
  node->operands[2] = n > 2 ? c : GHLO_KERNEL_NONE;

  return self->n_nodes++;
}

guint
ghlo_kernel_add_leaf (GhloKernel      *self,
                      GhloNodeKind     kind,
                      GhloElementType  type,
                      guint            which)
{
  guint node = ghlo_kernel_add_node (self, kind, type, 0, 0, 0);

  self->nodes[node].which = which;

  return node;
}

guint64
ghlo_kernel_float_bits (GhloElementType type,
                        double          value)
{
  if (type == GHLO_ELEMENT_TYPE_F32)
    {
      float narrow = value;
      guint32 bits;

      memcpy (&bits, &narrow, sizeof bits);
      return bits;
    }
  else
    {
      guint64 bits;

      memcpy (&bits, &value, sizeof bits);
      return bits;
    }
}

guint
ghlo_kernel_add_float (GhloKernel      *self,
                       GhloElementType  type,
                       double           value)
{
  guint node = ghlo_kernel_add_node (self, GHLO_NODE_CONSTANT, type, 0, 0, 0);

  self->nodes[node].bits = ghlo_kernel_float_bits (type, value);

  return node;
}

guint
ghlo_kernel_add_integer (GhloKernel      *self,
                         GhloElementType  type,
                         gint64           value)
{
  guint node = ghlo_kernel_add_node (self, GHLO_NODE_CONSTANT, type, 0, 0, 0);

  self->nodes[node].bits = type == GHLO_ELEMENT_TYPE_I32 ? (guint32) value : (guint64) value;

  return node;
}

GhloKernelStage *
ghlo_kernel_begin_stage (GhloKernel *self,
                         guint       axes)
{
  GhloKernelStage *stage = &self->stages[self->n_stages++];

  stage->axes = axes;
  stage->first = self->n_nodes;
  stage->first_merge = GHLO_KERNEL_NONE;

  return stage;
}

void
ghlo_kernel_begin_merge (GhloKernel *self)
{
  self->stages[self->n_stages - 1].first_merge = self->n_nodes;
}

void
ghlo_kernel_end_stage (GhloKernel *self)
{
  GhloKernelStage *stage = &self->stages[self->n_stages - 1];

  stage->end = self->n_nodes;
  if (stage->first_merge == GHLO_KERNEL_NONE)
    stage->first_merge = self->n_nodes;
}

static void
add_store (GhloKernel *self,
           guint       node,
           guint       access,
           guint       temporary)
{
  GhloKernelStage *stage = &self->stages[self->n_stages - 1];
  GhloKernelStore *store = &stage->stores[stage->n_stores++];

  store->node = node;
  store->access = access;
  store->temporary = temporary;
}

void
ghlo_kernel_store (GhloKernel *self,
                   guint       node,
                   guint       access)
{
  add_store (self, node, access, GHLO_KERNEL_NONE);
}

void
ghlo_kernel_keep (GhloKernel *self,
                  guint       node,
                  guint       temporary)
{
  add_store (self, node, GHLO_KERNEL_NONE, temporary);
}

guint
ghlo_kernel_add_accumulator (GhloKernel *self,
                             guint       temporary,
                             double      identity)
{
  GhloKernelStage *stage = &self->stages[self->n_stages - 1];
  GhloKernelAccumulator *accumulator = &stage->accumulators[stage->n_accumulators];

  accumulator->type = self->temporaries[temporary].type;
  accumulator->temporary = temporary;
  accumulator->updated = accumulator->merged = GHLO_KERNEL_NONE;
  if (ghlo_element_type_is_float (accumulator->type))
    accumulator->identity = ghlo_kernel_float_bits (accumulator->type, identity);
  else
    accumulator->identity = (guint64) (gint64) identity;

  return stage->n_accumulators++;
}

static const char *
type_name (guint8 type)
{
  return ghlo_element_type_to_string (type);
}

static void
print_affine (GString          *out,
              const GhloKernel *self,
              gint64            offset,
              const gint64     *strides)
{
  g_string_append_printf (out, "%" G_GINT64_FORMAT, offset);
  for (guint i = 0; i < self->n_axes; i++)
    if (strides[i] != 0)
      g_string_append_printf (out, " + %" G_GINT64_FORMAT " %s", strides[i], self->axes[i].name);
}

static void
print_access (GString          *out,
              const GhloKernel *self,
              guint             number)
{
  const GhloKernelAccess *access = &self->accesses[number];

  g_string_append_printf (out, "%s:%s[", self->buffers[access->buffer].name, type_name (access->element));
  print_affine (out, self, access->offset, access->strides);
  if (access->index != GHLO_KERNEL_NONE)
    g_string_append_printf (out, " + %" G_GINT64_FORMAT " clamp(%%%u, %" G_GINT64_FORMAT ")", access->index_stride,
                            access->index, access->index_end);
  g_string_append_c (out, ']');
  for (guint i = 0; i < access->n_guards; i++)
    {
      g_string_append (out, i == 0 ? " where " : " and ");
      g_string_append (out, "0 <= ");
      print_affine (out, self, access->guards[i].offset, access->guards[i].strides);
      g_string_append_printf (out, " < %" G_GINT64_FORMAT, access->guards[i].end);
    }
}

static void
print_node (GString          *out,
            const GhloKernel *self,
            guint             number)
{
  const GhloKernelNode *node = &self->nodes[number];

  g_string_append_printf (out, "    %%%u = %s.%s", number, kinds[node->kind].name, type_name (node->type));
  if (node->kind == GHLO_NODE_CONSTANT)
    g_string_append_printf (out, " 0x%" G_GINT64_MODIFIER "x", node->bits);
  else if (node->kind == GHLO_NODE_AXIS)
    g_string_append_printf (out, " %s", self->axes[node->which].name);
  else if (node->kind == GHLO_NODE_TEMPORARY)
    g_string_append_printf (out, " %s", self->temporaries[node->which].name);
  else if (node->kind == GHLO_NODE_LEFT || node->kind == GHLO_NODE_RIGHT)
    g_string_append_printf (out, " %u", node->which);
  else if (node->kind == GHLO_NODE_LOAD)
    {
      g_string_append_c (out, ' ');
      print_access (out, self, node->which);
    }
  for (guint i = 0; i < kinds[node->kind].n_operands; i++)
    g_string_append_printf (out, " %%%u", node->operands[i]);
  g_string_append_c (out, '\n');
}

static void
print_stage (GString               *out,
             const GhloKernel      *self,
             const GhloKernelStage *stage)
{
  g_string_append (out, "  stage");
  for (guint i = 0; i < self->n_axes; i++)
    if (stage->axes >> i & 1)
      g_string_append_printf (out, " %s", self->axes[i].name);
  g_string_append (out, "\n");
  for (guint i = stage->first; i < stage->first_merge; i++)
    print_node (out, self, i);
  for (guint i = 0; i < stage->n_stores; i++)
    {
      const GhloKernelStore *store = &stage->stores[i];

      g_string_append (out, "    ");
      if (store->access == GHLO_KERNEL_NONE)
        g_string_append (out, self->temporaries[store->temporary].name);
      else
        print_access (out, self, store->access);
      g_string_append_printf (out, " = %%%u\n", store->node);
    }
  for (guint i = 0; i < stage->n_accumulators; i++)
    g_string_append_printf (out, "    %s = fold of %%%u from 0x%" G_GINT64_MODIFIER "x\n",
                            self->temporaries[stage->accumulators[i].temporary].name, stage->accumulators[i].updated,
                            stage->accumulators[i].identity);
  if (stage->first_merge < stage->end)
    g_string_append (out, "   merge\n");
  for (guint i = stage->first_merge; i < stage->end; i++)
    print_node (out, self, i);
}

char *
ghlo_kernel_print (const GhloKernel *self)
{
  GString *out = g_string_new (NULL);

  g_string_append_printf (out, "kernel %s\n", self->name);
  for (guint i = 0; i < self->n_axes; i++)
    g_string_append_printf (out, "  %s axis %s: %" G_GINT64_FORMAT "\n", self->axes[i].parallel ? "parallel" : "inner",
                            self->axes[i].name, self->axes[i].extent);
  for (guint i = 0; i < self->n_buffers; i++)
    g_string_append_printf (out, "  buffer %s: %" G_GINT64_FORMAT " bytes%s\n", self->buffers[i].name,
                            self->buffers[i].size, self->buffers[i].written ? ", written" : "");
  for (guint i = 0; i < self->n_stages; i++)
    print_stage (out, self, &self->stages[i]);

  return g_string_free (out, FALSE);
}
