/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lowers the operations that compute an operand of a product. Reshapes at the end change no order of elements, so the
 * kernel's points are those of the value before them.
 */

#include "plan/prologue.h"

#include <string.h>

#include "base/sizes.h"

/* The largest extent of the last axis that the code depends on, where it is that of a group of elements. */
enum { MAX_UNROLLED = 64 };

static const GhloIrValue *
find_value (const GhloProductOp   *product,
            const GhloStepRequest *request)
{
  const GhloIrValue *value = ghlo_ir_op_operand (product->op, product->computed);

  while (value->op != NULL && value->op->block == request->body && value->op->kind == GHLO_OP_STABLEHLO_RESHAPE)
    value = ghlo_ir_op_operand (value->op, 0);

  return value;
}

/* Gets the strides in bytes of @type's dimensions if there were a gap behind each row, so that rows and their elements
 * are different axes of the kernel. FALSE where a dimension is neither inside of a row nor counts rows. */
static gboolean
find_strides (const GhloStepPrologue *self,
              const GhloIrType       *type,
              gint64                 *strides)
{
  const gint64 size = ghlo_element_info (type->element_type)->size;

  ghlo_shape_strides (type->dimensions, type->rank, 1, strides);
  for (guint i = 0; i < type->rank; i++)
    {
      const gint64 stride = strides[i];

      if (type->dimensions[i] > 1
          && (stride >= self->row ? stride % self->row != 0 : stride * type->dimensions[i] > self->row))
        return FALSE;
      strides[i] = (stride + stride / self->row) * size;
    }

  return TRUE;
}

/* Finds the axes of a row, and lets the kernel write rows as far from each other as they are in a block. */
static void
set_layout (GhloStepPrologue *self,
            gboolean          takes_rows)
{
  GhloKernel *kernel = self->lowered.kernel;
  gint64 strides[GHLO_KERNEL_MAX_AXES] = { 0 }, extents[GHLO_KERNEL_MAX_AXES];
  gint64 step = self->pitch * ghlo_element_info (self->type)->size, room = self->pitch;
  guint stored = 0;

  while (kernel->accesses[stored].buffer != self->n_operands)
    stored++;
  for (guint i = 0; i < kernel->n_axes; i++)
    self->extents[i] = kernel->axes[i].extent;
  self->split = kernel->n_axes;
  for (gint64 row = self->row; self->split > 0 && row > 1; row /= self->extents[self->split])
    {
      const guint i = --self->split;

      strides[i] = kernel->accesses[stored].strides[i];
      extents[i] = CLAMP (room, 1, self->extents[i]);
      room /= extents[i];
    }
  for (guint i = self->split; i > 0; step *= extents[i])
    {
      strides[--i] = step;
      extents[i] = self->extents[i];
    }
  /* The loop over such a short axis is unrolled. */
  if (takes_rows && self->split + 1 < kernel->n_axes && self->extents[kernel->n_axes - 1] <= MAX_UNROLLED)
    extents[kernel->n_axes - 1] = 0;
  ghlo_kernel_set_layout (kernel, stored, strides, extents);
}

/* Whether all accesses to one buffer move along the axes in the same way. */
static gboolean
has_equal_strides (const GhloKernel *kernel)
{
  for (guint a = 1; a < kernel->n_accesses; a++)
    for (guint b = 0; b < a; b++)
      if (kernel->accesses[a].buffer == kernel->accesses[b].buffer
          && memcmp (kernel->accesses[a].strides, kernel->accesses[b].strides, sizeof kernel->accesses[a].strides) != 0)
        return FALSE;

  return TRUE;
}

const char *
ghlo_step_prologue_init (GhloStepPrologue      *self,
                         const GhloProductOp   *product,
                         const GhloStepRequest *request,
                         gint64                 row,
                         gint64                 pitch,
                         gboolean               takes_rows)
{
  const GhloIrValue *value = find_value (product, request);
  const GhloIrType *type = value->type;
  gint64 strides[GHLO_MAX_RANK];
  const GhloView block = { .element_type = type->element_type, .rank = type->rank, .dimensions = type->dimensions,
                           .strides = strides };
  const GhloKernelGroup group = {
    .body = request->body, .output_value = value, .computes_parts = TRUE, .n_operands = request->n_operands,
    .n_results = 1, .operands = request->operands, .results = &block,
  };
  const char *reason;

  *self = (GhloStepPrologue) { .n_operands = request->n_operands, .type = type->element_type, .row = row,
                               .pitch = pitch };
  if (!find_strides (self, type, strides))
    return "the dimensions of its prologue do not match rows of the product's operand";
  if (!ghlo_kernel_lower (&group, &self->lowered, &reason))
    return reason;
  if (!ghlo_kernel_is_elementwise (self->lowered.kernel) || ghlo_kernel_uses_coordinates (self->lowered.kernel)
      || !has_equal_strides (self->lowered.kernel))
    return "its prologue does not compute all elements in the same way";

  set_layout (self, takes_rows);

  return NULL;
}

gint64
ghlo_step_prologue_box (const GhloStepPrologue *self,
                        guint                   first,
                        guint                   end,
                        gint64                  begin,
                        gint64                  limit,
                        gint64                 *starts,
                        gint64                 *extents)
{
  const gint64 *all = self->extents;
  gint64 n = 1, outer;
  guint i = end;

  while (i > first && begin % (n * all[i - 1]) == 0 && limit - begin >= n * all[i - 1])
    {
      i--;
      extents[i] = all[i];
      starts[i] = 0;
      n *= extents[i];
    }
  outer = begin / n;
  for (gboolean is_partial = TRUE; i > first; is_partial = FALSE)
    {
      i--;
      starts[i] = outer % all[i];
      outer /= all[i];
      extents[i] = is_partial ? MIN (all[i] - starts[i], (limit - begin) / n) : 1;
      n *= extents[i];
    }

  return n;
}

void
ghlo_step_prologue_clear (GhloStepPrologue *self)
{
  ghlo_lowered_kernel_clear (&self->lowered);
}
