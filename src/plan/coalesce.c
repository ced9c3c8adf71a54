/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Merges two buffers into one where the values in them are never needed at the same time: the source and the target of
 * a copy; an operand and a result of a step that works in place; and so the two buffers of a carried value. Outputs,
 * carried values and results of branches are then written directly to where they are needed, and a loop updates its
 * arrays in place, however many updates, branches and inner loops they pass through.
 *
 * Candidates are taken in the order of what they save: copies, and steps that copy what they do not update in place, in
 * the innermost loops first; then the other steps that work in place. They are tried again until nothing is merged,
 * since a loop that updates its value in place no longer swaps it.
 */

#include "plan/live-ranges.h"

/* The size in bytes up to which a carried value is kept in two buffers instead of one; see is_double_buffered (). */
enum { MAX_DOUBLE_BUFFERED = 1 << 18 };

/* An operand and a result that may be one buffer. */
typedef struct
{
  const GhloStep *step;
  guint32         operand, result;    /* the buffers as the step has them */
  guint32         order, index;       /* least first; index: in the order of steps */
} Candidate;

typedef struct
{
  GhloStepPlan  *plan;
  GhloStepPoll  *poll;
  GArray        *candidates;
  const GhloStep **steps;        /* by their numbers */
  guint32        depth;          /* of loops around the current step */
  gboolean       is_last;        /* the last rounds: carried values that are updated in place have been found */
  /* For each buffer; but for the first, of those that are not merged into another one. */
  guint32       *merged_into;    /* the one that it was merged to, or itself (union-find) */
  GhloLiveRange *ranges;
  guint32       *swapped_with;   /* the buffer that a loop swaps it with, or GHLO_STEP_NONE */
  gboolean      *ends_swapped;   /* whether the two may be swapped after the loop */
  gboolean      *is_dynamic;     /* whether the loop is data-dependent */
} Coalescer;

/* The greatest number of loops that counts for the order. */
enum { MAX_DEPTH = 1 << 16 };

static guint32
find (Coalescer *self,
      guint32    buffer)
{
  while (buffer != GHLO_STEP_NONE && self->merged_into[buffer] != buffer)
    buffer = self->merged_into[buffer] = self->merged_into[self->merged_into[buffer]];

  return buffer;
}

/* If a device runs a data-dependent loop, a body that overwrites no carried value need not wait for its condition. For
 * small arrays, this is worth more than the memory. */
static gboolean
is_double_buffered (const Coalescer *self,
                    guint32          swapped)
{
  const GhloStepBuffer *buffer = &self->plan->buffers[swapped];
  const GhloCommandBufferClass *commands = self->plan->arenas[buffer->space].commands;

  return self->is_dynamic[swapped] && buffer->size <= MAX_DOUBLE_BUFFERED && commands != NULL
         && commands->count_iterations != NULL;
}

/* Whether the loops that swap the buffers permit it. A buffer may be swapped by one loop only, and may be an output
 * only if it is not swapped after the loop. In the host's memory, outputs are not aligned like the buffers that they
 * would be swapped with. */
static gboolean
loops_permit (Coalescer *self,
              guint32    from,
              guint32    to)
{
  const guint32 with = find (self, self->swapped_with[from]);
  const guint32 swapped = with != GHLO_STEP_NONE ? from : to;
  const gboolean is_output = self->plan->buffers[from].kind == GHLO_STEP_BUFFER_OUTPUT
                             || self->plan->buffers[to].kind == GHLO_STEP_BUFFER_OUTPUT;

  if (with == to)
    return !is_double_buffered (self, from);
  if (with != GHLO_STEP_NONE && self->swapped_with[to] != GHLO_STEP_NONE)
    return FALSE;

  return self->swapped_with[swapped] == GHLO_STEP_NONE || !is_output
         || (self->is_last && !self->ends_swapped[swapped] && self->plan->buffers[to].space != 0);
}

static gboolean
is_in (Coalescer             *self,
       const GhloStepOperand *operand,
       guint32                from,
       guint32                to)
{
  const guint32 buffer = find (self, operand->buffer);

  return buffer != GHLO_STEP_NONE && (buffer == from || buffer == to);
}

/* Whether @step works in place where @from and @to are one buffer: it writes one whole result there, and may do so in
 * the place of each operand that it reads there, for the last time. */
static gboolean
is_in_place (Coalescer      *self,
             const GhloStep *step,
             guint32         from,
             guint32         to)
{
  const GhloStepOperand *result = NULL;
  gboolean reads = FALSE;

  for (guint i = 0; i < step->n_results; i++)
    if (is_in (self, &step->results[i], from, to))
      {
        if (result != NULL)
          return FALSE;
        result = &step->results[i];
      }
  if (step->kind != GHLO_STEP_COMPUTE || result == NULL || !ghlo_step_is_whole (self->plan, result))
    return FALSE;
  for (guint i = 0; i < step->n_operands; i++)
    {
      const GhloStepOperand *operand = &step->operands[i];
      const guint32 index = step->op == NULL ? 0 : operand->in_place;

      if (!is_in (self, operand, from, to))
        continue;
      if (index == GHLO_STEP_NONE || &step->results[index] != result || !ghlo_step_is_whole (self->plan, operand)
          || !ghlo_live_range_ends_at (&self->ranges[find (self, operand->buffer)], 2 * step->number + 1))
        return FALSE;
      reads = TRUE;
    }

  return reads;
}

/* Whether the values of both are needed at the same time, other than in steps that work in place. */
static gboolean
interfere (Coalescer *self,
           guint32    from,
           guint32    to)
{
  GhloLiveInterval common = { 0, 0 };

  while (ghlo_live_range_common (&self->ranges[from], &self->ranges[to], common.end, &common))
    {
      if (common.start != common.end || common.start % 2 == 0
          || !is_in_place (self, self->steps[common.start / 2], from, to))
        return TRUE;
      common.end++;
    }

  return FALSE;
}

/* Replaces @buffer, a temporary, by @to. */
static void
merge (Coalescer *self,
       guint32    buffer,
       guint32    to)
{
  GhloStepBuffer *one = &self->plan->buffers[buffer], *other = &self->plan->buffers[to];

  if (find (self, self->swapped_with[buffer]) == to)
    self->swapped_with[to] = GHLO_STEP_NONE;
  else if (self->swapped_with[buffer] != GHLO_STEP_NONE)
    {
      self->swapped_with[to] = self->swapped_with[buffer];
      self->ends_swapped[to] = self->ends_swapped[buffer];
      self->is_dynamic[to] = self->is_dynamic[buffer];
    }
  self->merged_into[buffer] = to;
  ghlo_live_range_unite (&self->ranges[to], &self->ranges[buffer]);
  other->scope = MIN (other->scope, one->scope);
}

/* Returns whether the buffers were merged. */
static gboolean
try_candidate (Coalescer       *self,
               const Candidate *candidate)
{
  guint32 from = find (self, candidate->operand), to = find (self, candidate->result);
  const GhloStepBuffer *one = &self->plan->buffers[from], *other = &self->plan->buffers[to];

  if (from == to || one->size != other->size || one->space != other->space || !loops_permit (self, from, to)
      || (one->kind == GHLO_STEP_BUFFER_OUTPUT && other->kind == GHLO_STEP_BUFFER_OUTPUT)
      || interfere (self, from, to))
    return FALSE;
  if (one->kind == GHLO_STEP_BUFFER_OUTPUT)
    merge (self, to, from);
  else
    merge (self, from, to);

  return TRUE;
}

/* Tries all candidates until none is merged, and removes those that were. */
static gboolean
merge_candidates (Coalescer *self)
{
  guint n;

  do
    {
      Candidate *candidates = (Candidate *) (gpointer) self->candidates->data;

      n = self->candidates->len;
      g_array_set_size (self->candidates, 0);
      for (guint i = 0; i < n; i++)
        {
          if (!ghlo_step_poll (self->poll))
            return FALSE;
          if (!try_candidate (self, &candidates[i]))
            candidates[self->candidates->len++] = candidates[i];
        }
    }
  while (self->candidates->len < n);

  return TRUE;
}

/* Buffers of other kinds have no range. */
static gboolean
may_be_merged (const Coalescer       *self,
               const GhloStepOperand *operand)
{
  return operand->buffer != GHLO_STEP_NONE && self->ranges[operand->buffer].n > 0
         && ghlo_step_is_whole (self->plan, operand);
}

static gboolean
is_update (const GhloIrOp *op)
{
  return op->kind == GHLO_OP_STABLEHLO_DYNAMIC_UPDATE_SLICE || op->kind == GHLO_OP_STABLEHLO_SCATTER;
}

/* Whether the step copies all of an operand that it does not work in place on. */
static gboolean
copies_otherwise (const GhloStep *step)
{
  gboolean copies = step->op == NULL || is_update (step->op);

  for (const GhloIrOp *op = step->body != NULL ? step->body->first : NULL; op != NULL && !copies; op = op->next)
    copies = is_update (op);

  return copies;
}

static void
add_candidates (Coalescer      *self,
                const GhloStep *step)
{
  const guint32 order = MAX_DEPTH - MIN (self->depth, MAX_DEPTH) + (copies_otherwise (step) ? 0 : MAX_DEPTH + 1);

  for (guint i = 0; i < step->n_operands; i++)
    {
      const guint32 index = step->op == NULL ? 0 : step->operands[i].in_place;

      if (index != GHLO_STEP_NONE && may_be_merged (self, &step->operands[i])
          && may_be_merged (self, &step->results[index]))
        {
          const Candidate candidate = { step, step->operands[i].buffer, step->results[index].buffer, order,
                                        self->candidates->len };

          g_array_append_val (self->candidates, candidate);
        }
    }
}

/* Notes all steps, the swaps of loops, and candidates. */
static gboolean
visit_body (Coalescer          *self,
            const GhloStepBody *body)
{
  for (guint i = 0; i < body->n_steps; i++)
    {
      const GhloStep *step = body->steps[i];

      if (!ghlo_step_poll (self->poll))
        return FALSE;
      self->steps[step->number] = self->steps[step->end] = step;
      if (step->kind == GHLO_STEP_COMPUTE)
        add_candidates (self, step);
      for (guint k = 0; k < step->n_swaps; k++)
        {
          const GhloBufferSwap *swap = &step->swaps[k];

          self->swapped_with[swap->read] = swap->written;
          self->swapped_with[swap->written] = swap->read;
          self->ends_swapped[swap->read] = self->ends_swapped[swap->written] = step->trips % 2 != 0;  /* or -1 */
          self->is_dynamic[swap->read] = self->is_dynamic[swap->written] = step->trips < 0;
        }
      self->depth += step->kind == GHLO_STEP_LOOP;
      for (guint k = 0; k < step->n_bodies; k++)
        if (!visit_body (self, &step->bodies[k]))
          return FALSE;
      self->depth -= step->kind == GHLO_STEP_LOOP;
    }

  return TRUE;
}

static int
compare_candidates (gconstpointer a,
                    gconstpointer b)
{
  const Candidate *one = a, *other = b;

  if (one->order != other->order)
    return one->order < other->order ? -1 : 1;

  return one->index < other->index ? -1 : one->index > other->index;
}

/* Replaces merged buffers in the step, and removes swaps of a buffer with itself. */
static void
rename_buffers (GhloStep *step,
                gpointer  data)
{
  Coalescer *self = data;
  guint n = 0;

  for (guint i = 0; i < step->n_operands; i++)
    step->operands[i].buffer = find (self, step->operands[i].buffer);
  for (guint i = 0; i < step->n_results; i++)
    step->results[i].buffer = find (self, step->results[i].buffer);
  for (guint k = 0; k < step->n_bodies; k++)
    if (step->bodies[k].result.strides != NULL)
      step->bodies[k].result.buffer = find (self, step->bodies[k].result.buffer);
  for (guint i = 0; i < step->n_swaps; i++)
    {
      const GhloBufferSwap swap = { find (self, step->swaps[i].read), find (self, step->swaps[i].written) };

      if (swap.read != swap.written)
        step->swaps[n++] = swap;
    }
  step->n_swaps = n;
}

static gboolean
is_redundant_copy (const GhloStep *step)
{
  return step->kind == GHLO_STEP_COMPUTE && step->op == NULL
         && step->operands[0].buffer == step->results[0].buffer && step->operands[0].offset == step->results[0].offset
         && ghlo_step_is_dense (&step->operands[0]) && ghlo_step_is_dense (&step->results[0]);
}

static void
remove_redundant_copies (GhloStepBody *body)
{
  guint n = 0;

  for (guint i = 0; i < body->n_steps; i++)
    {
      GhloStep *step = body->steps[i];

      for (guint k = 0; k < step->n_bodies; k++)
        remove_redundant_copies (&step->bodies[k]);
      if (!is_redundant_copy (step))
        body->steps[n++] = step;
    }
  body->n_steps = n;
}

static gboolean
coalesce (Coalescer *self)
{
  if (!ghlo_live_ranges_find (self->plan, self->poll, self->ranges) || !visit_body (self, &self->plan->body))
    return FALSE;
  g_array_sort (self->candidates, compare_candidates);
  if (!merge_candidates (self))
    return FALSE;
  self->is_last = TRUE;
  if (!merge_candidates (self) || !ghlo_step_plan_walk (self->plan, self->poll, rename_buffers, self))
    return FALSE;
  remove_redundant_copies (&self->plan->body);

  return ghlo_step_plan_find_liveness (self->plan, self->poll);
}

gboolean
ghlo_step_plan_coalesce (GhloStepPlan *plan,
                         GhloStepPoll *poll)
{
  const guint n = plan->n_buffers;
  Coalescer self = { .plan = plan, .poll = poll };
  gboolean ok;

  if (!ghlo_step_plan_find_liveness (plan, poll))
    return FALSE;
  self.candidates = g_array_new (FALSE, FALSE, sizeof (Candidate));
  self.steps = g_new (const GhloStep *, plan->n_steps + 1);
  self.merged_into = g_new (guint32, n + 1);
  self.ranges = g_new0 (GhloLiveRange, n + 1);
  self.swapped_with = g_new0 (guint32, n + 1);
  self.ends_swapped = g_new0 (gboolean, n + 1);
  self.is_dynamic = g_new0 (gboolean, n + 1);
  for (guint i = 0; i < n; i++)
    {
      self.merged_into[i] = i;
      self.swapped_with[i] = GHLO_STEP_NONE;
    }
  ok = coalesce (&self);
  g_array_unref (self.candidates);
  g_free (self.steps);
  g_free (self.merged_into);
  for (guint i = 0; i < n; i++)
    ghlo_live_range_clear (&self.ranges[i]);
  g_free (self.ranges);
  g_free (self.swapped_with);
  g_free (self.ends_swapped);
  g_free (self.is_dynamic);

  return ok;
}
