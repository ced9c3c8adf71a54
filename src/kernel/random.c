/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Determines element widths, the number of counters, and the dimension over which Threefry's words are split.
 */

#include "kernel/random.h"

#include "base/sizes.h"

static void
init_narrow (GhloRandom      *self,
             GhloElementType  type)
{
  const GhloElementInfo *info = ghlo_element_info (type);

  self->is_narrow = info->bits < 8;
  for (guint i = 0; self->is_narrow && i < 256; i++)
    if (info->element_class == GHLO_ELEMENT_CLASS_FLOAT)
      self->narrow[i] = (guint8) (i & ((1u << info->bits) - 1));
    else
      ghlo_element_store (type, &self->narrow[i], (GhloScalar) { .u = i });
}

/* Chooses the first dimension of even size, or else the first of the largest size. */
static void
find_split (GhloRandom     *self,
            const GhloView *output)
{
  guint split = 0;

  self->extent = self->inner = 1;
  if (output->rank == 0)
    return;
  for (guint i = 1; i < output->rank; i++)
    if (output->dimensions[i] > output->dimensions[split])
      split = i;
  for (guint i = output->rank; i > 0; i--)
    if (output->dimensions[i - 1] % 2 == 0)
      split = i - 1;
  self->extent = (gsize) output->dimensions[split];
  for (guint i = split + 1; i < output->rank; i++)
    self->inner *= (gsize) output->dimensions[i];
}

static void
count_counts (GhloRandom *self)
{
  if (self->n == 0)
    self->n_counts = 0;
  else if (!self->is_threefry)
    self->n_counts = self->is_wide ? self->n / 2 + self->n % 2 : self->n / 4 + (self->n % 4 != 0);
  else if (self->is_wide)
    self->n_counts = self->n;
  else
    self->n_counts = self->n / self->extent * (self->extent / 2 + self->extent % 2);
}

const char *
ghlo_random_init (GhloRandom     *self,
                  const GhloIrOp *op,
                  const GhloView *state,
                  const GhloView *output)
{
  const char *algorithm = ghlo_ir_enum_word (ghlo_ir_op_get (op, "rng_algorithm"));

  *self = (GhloRandom) { 0 };
  self->state_size = (gsize) ghlo_view_count (state) * ghlo_element_info (state->element_type)->size;
  self->is_threefry = g_strcmp0 (algorithm, "THREE_FRY") == 0;
  if (self->state_size != 16 && (self->state_size != 24 || self->is_threefry))
    return "the size of its state does not fit its algorithm";
  self->size = ghlo_element_info (output->element_type)->size;
  self->is_wide = ghlo_element_info (output->element_type)->bits > 32;
  if (self->size > 8)
    return "its elements have more than 64 bits";
  if (!ghlo_shape_count (output->dimensions, output->rank, &self->n))
    return "it has too many results";
  init_narrow (self, output->element_type);
  if (self->n > 0)
    find_split (self, output);
  count_counts (self);

  return NULL;
}
