/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Places temporaries in the arena of their memory, in the order in which their live ranges begin: each goes into the
 * smallest gap between the buffers that are in use then that holds it (the first of equal ones), or at the end. Buffers
 * that a loop swaps share the union of their live ranges.
 */

#include "plan/build.h"

#include "base/ghlo-error.h"
#include "base/sizes.h"

/* A range of free bytes between buffers that are in use. */
typedef struct
{
  gsize start, end;
} Gap;

/* The free space of an arena: gaps below @top, and everything from @top on. Gaps are adjacent neither to each other nor
 * to @top. */
typedef struct
{
  GTree      *by_size;      /* of Gap, ordered by size and then by start; owns them */
  GHashTable *by_start;     /* the same gaps by their start, and by their end */
  GHashTable *by_end;
  gsize       top;
} Room;

/* The buffers whose live ranges begin and end at each step: the first of each list, and for each buffer the
 * next one. */
typedef struct
{
  guint32 *first, *last;
  guint32 *next_first, *next_last;
} Schedule;

static int
compare_gaps (gconstpointer a,
              gconstpointer b,
              gpointer      data)
{
  const Gap *one = a, *other = b;
  gsize size = one->end - one->start, other_size = other->end - other->start;

  if (size != other_size)
    return size < other_size ? -1 : 1;

  return one->start < other->start ? -1 : one->start > other->start;
}

static void
add_gap (Room  *self,
         gsize  start,
         gsize  end)
{
  Gap *gap = g_new (Gap, 1);

  *gap = (Gap) { start, end };
  g_tree_insert (self->by_size, gap, gap);
  g_hash_table_insert (self->by_start, GSIZE_TO_POINTER (start), gap);
  g_hash_table_insert (self->by_end, GSIZE_TO_POINTER (end), gap);
}

static Gap
remove_gap (Room *self,
            Gap  *gap)
{
  Gap removed = *gap;

  g_hash_table_remove (self->by_start, GSIZE_TO_POINTER (gap->start));
  g_hash_table_remove (self->by_end, GSIZE_TO_POINTER (gap->end));
  g_tree_remove (self->by_size, gap);

  return removed;
}

/* FALSE when the size of the arena would overflow. */
static gboolean
allocate (Room  *self,
          gsize  size,
          gsize *offset)
{
  GTreeNode *node = g_tree_lower_bound (self->by_size, &(Gap) { 0, size });
  Gap gap;

  if (node == NULL)
    {
      *offset = self->top;
      return ghlo_size_add (&self->top, self->top, size);
    }
  gap = remove_gap (self, g_tree_node_key (node));
  if (gap.end - gap.start > size)
    add_gap (self, gap.start + size, gap.end);
  *offset = gap.start;

  return TRUE;
}

static void
release (Room  *self,
         gsize  start,
         gsize  end)
{
  Gap *before = g_hash_table_lookup (self->by_end, GSIZE_TO_POINTER (start));
  Gap *behind = g_hash_table_lookup (self->by_start, GSIZE_TO_POINTER (end));

  if (before != NULL)
    start = remove_gap (self, before).start;
  if (behind != NULL)
    end = remove_gap (self, behind).end;
  if (end == self->top)
    self->top = start;
  else
    add_gap (self, start, end);
}

static void
unite_live_ranges (GhloStep *step,
                   gpointer  data)
{
  GhloStepPlan *plan = data;

  for (guint i = 0; i < step->n_swaps; i++)
    {
      GhloStepBuffer *a = &plan->buffers[step->swaps[i].read], *b = &plan->buffers[step->swaps[i].written];

      a->first = b->first = MIN (a->first, b->first);
      a->last = b->last = MAX (a->last, b->last);
    }
}

static gboolean
is_placed (const GhloStepBuffer *buffer,
           guint32               space)
{
  return buffer->kind == GHLO_STEP_BUFFER_TEMPORARY && buffer->first <= buffer->last && buffer->size > 0
         && buffer->space == space;
}

static void
schedule_init (Schedule           *self,
               const GhloStepPlan *plan,
               guint32             space)
{
  self->first = g_new (guint32, plan->n_steps + 1);
  self->last = g_new (guint32, plan->n_steps + 1);
  self->next_first = g_new (guint32, plan->n_buffers + 1);
  self->next_last = g_new (guint32, plan->n_buffers + 1);
  for (guint i = 0; i <= plan->n_steps; i++)
    self->first[i] = self->last[i] = GHLO_STEP_NONE;
  for (guint i = plan->n_buffers; i > 0; i--)
    if (is_placed (&plan->buffers[i - 1], space))
      {
        const GhloStepBuffer *buffer = &plan->buffers[i - 1];

        self->next_first[i - 1] = self->first[buffer->first];
        self->first[buffer->first] = i - 1;
        self->next_last[i - 1] = self->last[buffer->last];
        self->last[buffer->last] = i - 1;
      }
}

static void
schedule_clear (Schedule *self)
{
  g_free (self->first);
  g_free (self->last);
  g_free (self->next_first);
  g_free (self->next_last);
}

/* Larger buffers first; GLib's sort is stable. */
static int
compare_sizes (gconstpointer a,
               gconstpointer b)
{
  const GhloStepBuffer *one = *(GhloStepBuffer *const *) a, *other = *(GhloStepBuffer *const *) b;

  return one->size > other->size ? -1 : one->size < other->size;
}

static gboolean
place_starting (GhloStepPlan    *plan,
                const Schedule  *schedule,
                guint32          step,
                Room            *room,
                GPtrArray       *starting,
                GError         **error)
{
  for (guint32 i = schedule->first[step]; i != GHLO_STEP_NONE; i = schedule->next_first[i])
    g_ptr_array_add (starting, &plan->buffers[i]);
  g_ptr_array_sort (starting, compare_sizes);
  for (guint i = 0; i < starting->len; i++)
    {
      GhloStepBuffer *buffer = g_ptr_array_index (starting, i);
      GhloStepArena *arena = &plan->arenas[buffer->space];

      if (!allocate (room, ghlo_size_align (buffer->size), &buffer->offset))
        {
          g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY,
                               "the temporary buffers of the program take more memory than can be addressed");
          return FALSE;
        }
      arena->temporaries += buffer->size;
      arena->size = MAX (arena->size, buffer->offset + ghlo_size_align (buffer->size));
    }
  g_ptr_array_set_size (starting, 0);

  return TRUE;
}

static void
retire_ending (const GhloStepPlan *plan,
               const Schedule     *schedule,
               guint32             step,
               Room               *room)
{
  for (guint32 i = schedule->last[step]; i != GHLO_STEP_NONE; i = schedule->next_last[i])
    release (room, plan->buffers[i].offset, plan->buffers[i].offset + ghlo_size_align (plan->buffers[i].size));
}

static gboolean
assign_arena (GhloStepPlan *plan,
              GhloStepPoll *poll,
              guint32       space)
{
  g_autoptr (GTree) by_size = g_tree_new_full (compare_gaps, NULL, NULL, g_free);
  g_autoptr (GHashTable) by_start = g_hash_table_new (NULL, NULL), by_end = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) starting = g_ptr_array_new ();
  Room room = { by_size, by_start, by_end, 0 };
  Schedule schedule;
  gboolean ok = TRUE;

  schedule_init (&schedule, plan, space);
  for (guint32 step = 0; ok && step < plan->n_steps; step++)
    {
      ok = place_starting (plan, &schedule, step, &room, starting, poll->error) && ghlo_step_poll (poll);
      retire_ending (plan, &schedule, step, &room);
    }
  schedule_clear (&schedule);

  return ok;
}

gboolean
ghlo_step_plan_assign (GhloStepPlan *plan,
                       GhloStepPoll *poll)
{
  gboolean ok = ghlo_step_plan_walk (plan, poll, unite_live_ranges, plan);

  for (guint i = 0; ok && i < plan->n_arenas; i++)
    ok = assign_arena (plan, poll, i);

  return ok;
}
