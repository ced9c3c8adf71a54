/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where in the arena each temporary lies: in the order in which they begin, each in the
 * smallest gap that those in use at the time leave, or at the end. Buffers that change
 * places live for as long as any of them does.
 */

#include "plan/build.h"

#include "base/sizes.h"

enum { ALIGNMENT = 64 };

static void
live_together (GhloStep *step,
               gpointer  data)
{
  GhloStepPlan *plan = data;

  for (guint i = 0; i < step->n_exchanges; i++)
    {
      GhloStepBuffer *a = &plan->buffers[step->exchanges[i].read], *b = &plan->buffers[step->exchanges[i].written];

      a->first = b->first = MIN (a->first, b->first);
      a->last = b->last = MAX (a->last, b->last);
    }
}

static int
compare_first (gconstpointer a,
               gconstpointer b)
{
  const GhloStepBuffer *one = *(GhloStepBuffer *const *) a, *other = *(GhloStepBuffer *const *) b;

  if (one->first != other->first)
    return one->first < other->first ? -1 : 1;

  return one->size > other->size ? -1 : one->size < other->size;
}

static gsize
round_up (gsize size)
{
  return (size + ALIGNMENT - 1) & ~(gsize) (ALIGNMENT - 1);
}

/* Takes out of @active, which is in the order of places, what ended before @now. */
static void
retire (GPtrArray *active,
        guint32    now)
{
  guint n = 0;

  for (guint i = 0; i < active->len; i++)
    {
      const GhloStepBuffer *buffer = g_ptr_array_index (active, i);

      if (buffer->last >= now)
        active->pdata[n++] = active->pdata[i];
    }
  g_ptr_array_set_size (active, (int) n);
}

static void
place_one (GPtrArray      *active,
           GhloStepBuffer *buffer)
{
  gsize size = round_up (buffer->size), at = 0, best = G_MAXSIZE, best_at = 0;
  guint where = active->len;

  for (guint i = 0; i < active->len; i++)
    {
      const GhloStepBuffer *other = g_ptr_array_index (active, i);
      gsize gap = other->offset > at ? other->offset - at : 0;

      if (gap >= size && gap < best)
        {
          best = gap;
          best_at = at;
          where = i;
        }
      at = MAX (at, other->offset + round_up (other->size));
    }
  buffer->offset = best != G_MAXSIZE ? best_at : at;
  g_ptr_array_insert (active, (int) where, buffer);
}

void
ghlo_step_plan_assign (GhloStepPlan *plan)
{
  g_autoptr (GPtrArray) order = g_ptr_array_new (), active = g_ptr_array_new ();

  ghlo_step_plan_foreach (plan, live_together, plan);
  plan->arena_size = plan->temporaries_size = 0;
  for (guint i = 0; i < plan->n_buffers; i++)
    {
      GhloStepBuffer *buffer = &plan->buffers[i];

      if (buffer->kind == GHLO_STEP_BUFFER_TEMPORARY && buffer->first <= buffer->last && buffer->size > 0)
        g_ptr_array_add (order, buffer);
    }
  g_ptr_array_sort (order, compare_first);
  for (guint i = 0; i < order->len; i++)
    {
      GhloStepBuffer *buffer = g_ptr_array_index (order, i);

      retire (active, buffer->first);
      place_one (active, buffer);
      plan->temporaries_size += buffer->size;
      plan->arena_size = MAX (plan->arena_size, buffer->offset + round_up (buffer->size));
    }
}
