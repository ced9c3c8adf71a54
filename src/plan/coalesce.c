/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Merges two buffers into one where possible: the source and the target of a copy, if the copy is the last use of the
 * source; and an operand and a result of a step that works in place, if the step is the last use of the operand; and a
 * value and the result of a branch, if each of its bodies writes the result by such a copy or step. So outputs, carried
 * values and results of branches are written directly to where they are needed, and a loop updates its arrays in place,
 * also where it does so under a condition.
 *
 * Steps are visited in the order of their numbers, and each records which buffers it touches. At a step, two buffers
 * are merged if one ends there and the other was not touched since the first began.
 */

#include "plan/build.h"

/* The size in bytes up to which a carried value is kept in two buffers instead of one; see is_double_buffered (). */
enum { MAX_DOUBLE_BUFFERED = 1 << 18 };

/* How a body of a branch uses a buffer. */
typedef struct
{
  guint32         scope;       /* the body's, which tells whether the other members are about it */
  const GhloStep *first, *last;  /* the body's own steps that touch it, or contain steps that do */
} Use;

typedef struct
{
  GhloStepPlan *plan;
  GhloStepPoll *poll;
  guint32      *merged_into;   /* for each buffer, the one that it was merged to, or itself (union-find) */
  gint64       *touched;       /* for each buffer, the last visited step that touched it, or -1 */
  gboolean     *is_swapped;    /* whether a loop swaps it with another one */
  gboolean     *ends_swapped;  /* whether the two may be swapped after the loop */
  gboolean     *is_dynamic;    /* for a buffer that a loop's body reads: the loop is data-dependent */
  guint32      *swapped_with;  /* for a buffer that a loop's body reads: the buffer that it writes, or GHLO_STEP_NONE */
  guint32      *loop;          /* the number of that loop */
  guint32      *n_reads;       /* for each buffer, the number of the current step's operands in it; 0 between steps */
  gboolean      is_last;       /* the last round: carried values that are updated in place have been found */
  guint32      *merged_at;     /* for each buffer, the last step that merged an operand to it, or GHLO_STEP_NONE */
  Use          *uses;          /* for each buffer, in the body that was looked at last */
} Coalescer;

static guint32
find (Coalescer  *self,
      guint32     buffer)
{
  while (buffer != GHLO_STEP_NONE && self->merged_into[buffer] != buffer)
    buffer = self->merged_into[buffer] = self->merged_into[self->merged_into[buffer]];

  return buffer;
}

/* Replaces @buffer, a temporary, by @to. */
static void
merge (Coalescer  *self,
       guint32     buffer,
       guint32     to)
{
  GhloStepBuffer *one = &self->plan->buffers[buffer], *other = &self->plan->buffers[to];

  self->merged_into[buffer] = to;
  other->first = MIN (other->first, one->first);
  other->last = MAX (other->last, one->last);
  other->inner_last = MAX (other->inner_last, one->inner_last);
  other->scope = MIN (other->scope, one->scope);
  self->touched[to] = MAX (self->touched[to], self->touched[buffer]);
  self->n_reads[to] += self->n_reads[buffer];
  self->is_swapped[to] |= self->is_swapped[buffer];
  self->ends_swapped[to] |= self->ends_swapped[buffer];
  if (self->swapped_with[buffer] != GHLO_STEP_NONE && self->swapped_with[to] == GHLO_STEP_NONE)
    {
      self->swapped_with[to] = self->swapped_with[buffer];
      self->loop[to] = self->loop[buffer];
      self->is_dynamic[to] = self->is_dynamic[buffer];
    }
}

/* Whether the last use is @step, or in a body of it. */
static gboolean
ends_at (guint32         last,
         const GhloStep *step)
{
  return last >= step->number && last <= step->end;
}

/* Whether @from, whose last use is @step, may use the memory of @to from its beginning on. */
static gboolean
may_merge (Coalescer      *self,
           const GhloStep *step,
           guint32         from,
           guint32         to)
{
  const GhloStepBuffer *one = &self->plan->buffers[from], *other = &self->plan->buffers[to];

  if (one->kind != GHLO_STEP_BUFFER_TEMPORARY || !ends_at (one->last, step)
      || (other->kind != GHLO_STEP_BUFFER_TEMPORARY && other->kind != GHLO_STEP_BUFFER_OUTPUT)
      || self->touched[to] >= (gint64) one->first)
    return FALSE;

  /* A buffer may be swapped by one loop only, and may be an output only if it is not swapped after the loop. In the
   * host's memory, outputs are not aligned like the buffers that they would be swapped with. */
  return !self->is_swapped[from]
         || (!self->is_swapped[to] && (other->kind == GHLO_STEP_BUFFER_TEMPORARY
                                       || (self->is_last && !self->ends_swapped[from] && other->space != 0)));
}

static void
merge_copy (Coalescer      *self,
            const GhloStep *step)
{
  guint32 from = find (self, step->operands[0].buffer), to = find (self, step->results[0].buffer);

  if (from != to && ghlo_step_is_whole (self->plan, &step->operands[0])
      && ghlo_step_is_whole (self->plan, &step->results[0]) && may_merge (self, step, from, to))
    merge (self, from, to);
}

/* If a device runs a data-dependent loop, a body that overwrites no carried value need not wait for its condition. For
 * small arrays, this is worth more than the memory. */
static gboolean
is_double_buffered (Coalescer  *self,
                    guint32     from)
{
  const GhloStepBuffer *buffer = &self->plan->buffers[from];
  const GhloCommandBufferClass *commands = self->plan->arenas[buffer->space].commands;

  return self->is_dynamic[from] && buffer->size <= MAX_DOUBLE_BUFFERED && commands != NULL
         && commands->count_iterations != NULL;
}

/* Whether @from is a carried value that the body reads for the last time at @step, and @to, where its next value is
 * written, was not touched before in this iteration. */
static gboolean
may_carry (Coalescer      *self,
           const GhloStep *step,
           guint32         from,
           guint32         to)
{
  return self->swapped_with[from] != GHLO_STEP_NONE && find (self, self->swapped_with[from]) == to
         && ends_at (self->plan->buffers[from].inner_last, step) && self->touched[to] <= (gint64) self->loop[from]
         && self->plan->buffers[from].kind == GHLO_STEP_BUFFER_TEMPORARY && !is_double_buffered (self, from);
}

static void
count_reads (Coalescer      *self,
             const GhloStep *step,
             gboolean        are_counted)
{
  for (guint i = 0; i < step->n_operands; i++)
    {
      guint32 buffer = find (self, step->operands[i].buffer);

      if (buffer != GHLO_STEP_NONE)
        self->n_reads[buffer] = are_counted ? self->n_reads[buffer] + 1 : 0;
    }
}

/* Merges @from to @to where @step, which writes @to, uses @from for the last time. */
static void
merge_last (Coalescer      *self,
            const GhloStep *step,
            guint32         from,
            guint32         to)
{
  const gboolean carries = may_carry (self, step, from, to);

  if (!carries && !may_merge (self, step, from, to))
    return;
  if (carries)
    self->swapped_with[from] = GHLO_STEP_NONE;
  merge (self, from, to);
  self->merged_at[to] = step->number;
  if (carries)
    self->is_swapped[to] = FALSE;
}

/* Merges an operand that shares memory with no other operand to a result that no other operand was merged to. */
static void
merge_operand (Coalescer             *self,
               const GhloStep        *step,
               const GhloStepOperand *operand)
{
  const GhloStepOperand *result = operand->in_place != GHLO_STEP_NONE ? &step->results[operand->in_place] : NULL;
  guint32 from, to;

  if (result == NULL || !ghlo_step_is_whole (self->plan, operand) || !ghlo_step_is_whole (self->plan, result))
    return;
  from = find (self, operand->buffer);
  to = find (self, result->buffer);
  if (from == to || self->merged_at[to] == step->number || self->n_reads[from] > 1
      || self->plan->buffers[from].size != self->plan->buffers[to].size)
    return;
  merge_last (self, step, from, to);
}

static void
merge_in_place (Coalescer      *self,
                const GhloStep *step)
{
  count_reads (self, step, TRUE);
  for (guint i = 0; i < step->n_operands; i++)
    merge_operand (self, step, &step->operands[i]);
  count_reads (self, step, FALSE);
}

static void
touch (Coalescer      *self,
       const GhloStep *step,
       guint32         buffer)
{
  buffer = find (self, buffer);
  if (buffer != GHLO_STEP_NONE)
    self->touched[buffer] = MAX (self->touched[buffer], (gint64) step->number);
}

static void
touch_step (Coalescer      *self,
            const GhloStep *step)
{
  for (guint i = 0; i < step->n_operands; i++)
    touch (self, step, step->operands[i].buffer);
  for (guint i = 0; i < step->n_results; i++)
    touch (self, step, step->results[i].buffer);
  for (guint i = 0; i < step->n_swaps; i++)
    {
      touch (self, step, step->swaps[i].read);
      touch (self, step, step->swaps[i].written);
    }
}

static void
use (Coalescer      *self,
     guint32         scope,
     const GhloStep *step,
     guint32         buffer)
{
  Use *found;

  buffer = find (self, buffer);
  if (buffer == GHLO_STEP_NONE)
    return;
  found = &self->uses[buffer];
  if (found->scope != scope)
    *found = (Use) { scope, step, step };
  found->last = step;
}

/* Notes the buffers that @step touches, which is @outer or in a body of it. */
static gboolean
use_step (Coalescer      *self,
          guint32         scope,
          const GhloStep *outer,
          const GhloStep *step)
{
  for (guint i = 0; i < step->n_operands; i++)
    use (self, scope, outer, step->operands[i].buffer);
  for (guint i = 0; i < step->n_results; i++)
    use (self, scope, outer, step->results[i].buffer);
  for (guint i = 0; i < step->n_swaps; i++)
    {
      use (self, scope, outer, step->swaps[i].read);
      use (self, scope, outer, step->swaps[i].written);
    }
  for (guint k = 0; k < step->n_bodies; k++)
    {
      const GhloStepBody *body = &step->bodies[k];

      if (step->kind == GHLO_STEP_LOOP && body->result.strides != NULL)
        use (self, scope, outer, body->result.buffer);
      for (guint i = 0; i < body->n_steps; i++)
        if (!use_step (self, scope, outer, body->steps[i]))
          return FALSE;
    }

  return ghlo_step_poll (self->poll);
}

/* The operand of @step that it copies to, or updates in, the buffer @to, which it touches by a single result and by no
 * operand; NULL where there is none. With @from other than GHLO_STEP_NONE, one in that buffer. */
static const GhloStepOperand *
find_updated (Coalescer      *self,
              const GhloStep *step,
              guint32         from,
              guint32         to)
{
  const GhloStepOperand *found = NULL;

  for (guint i = 0; step->kind == GHLO_STEP_COMPUTE && found == NULL && i < step->n_operands; i++)
    {
      const GhloStepOperand *operand = &step->operands[i];
      guint32 index = step->op == NULL ? 0 : operand->in_place, buffer = find (self, operand->buffer);

      if (index != GHLO_STEP_NONE && buffer != GHLO_STEP_NONE && (from == GHLO_STEP_NONE || buffer == from)
          && find (self, step->results[index].buffer) == to && ghlo_step_is_whole (self->plan, operand)
          && ghlo_step_is_whole (self->plan, &step->results[index])
          && self->plan->buffers[buffer].size == self->plan->buffers[to].size)
        found = operand;
    }
  for (guint i = 0; found != NULL && i < step->n_operands; i++)
    {
      guint32 buffer = find (self, step->operands[i].buffer);

      if (buffer == to || (&step->operands[i] != found && buffer == find (self, found->buffer)))
        return NULL;
    }

  return found;
}

/* Narrows @from, the buffer that may be merged to each result of @branch, to what is so in @body: its last use is the
 * first step that touches the result, which copies it or updates it in place. GHLO_STEP_NONE: not known yet; the
 * result's own buffer: none. */
static gboolean
narrow_to_body (Coalescer          *self,
                const GhloStep     *branch,
                const GhloStepBody *body,
                guint32            *from)
{
  for (guint i = 0; i < body->n_steps; i++)
    if (!use_step (self, body->scope, body->steps[i], body->steps[i]))
      return FALSE;

  for (guint i = 0; i < branch->n_results; i++)
    {
      guint32 to = find (self, branch->results[i].buffer);
      const Use *written = to != GHLO_STEP_NONE ? &self->uses[to] : NULL;
      const GhloStepOperand *updated = NULL;

      if (written != NULL && from[i] != to && written->scope == body->scope)
        updated = find_updated (self, written->first, from[i], to);
      from[i] = updated != NULL ? find (self, updated->buffer) : to;
      if (updated != NULL && self->uses[from[i]].last != written->first)
        from[i] = to;
    }

  return TRUE;
}

/* The bodies of a branch never run both, so a value may end in each of them. */
static gboolean
merge_branch (Coalescer      *self,
              const GhloStep *branch)
{
  g_autofree guint32 *from = g_new (guint32, branch->n_results + 1);

  for (guint i = 0; i < branch->n_results; i++)
    {
      guint32 to = find (self, branch->results[i].buffer);

      from[i] = GHLO_STEP_NONE;
      if (to != GHLO_STEP_NONE)
        self->merged_at[to] = branch->number;
    }
  for (guint k = 0; k < branch->n_bodies; k++)
    if (!narrow_to_body (self, branch, &branch->bodies[k], from))
      return FALSE;

  for (guint i = 0; i < branch->n_results; i++)
    {
      guint32 to = find (self, branch->results[i].buffer), value = find (self, from[i]);

      /* Neither what another result was merged to, nor the index, which the branch reads. */
      if (value != to && value != GHLO_STEP_NONE && self->merged_at[value] != branch->number
          && find (self, branch->operands[0].buffer) != value)
        merge_last (self, branch, value, to);
    }

  return TRUE;
}

static gboolean
visit_body (Coalescer          *self,
            const GhloStepBody *body,
            gboolean            copies)
{
  for (guint i = 0; i < body->n_steps; i++)
    {
      const GhloStep *step = body->steps[i];

      if (!ghlo_step_poll (self->poll))
        return FALSE;
      if (step->kind == GHLO_STEP_COMPUTE && (step->op == NULL) == copies)
        {
          if (copies)
            merge_copy (self, step);
          else
            merge_in_place (self, step);
        }
      if (step->kind == GHLO_STEP_BRANCH && !copies && !merge_branch (self, step))
        return FALSE;
      touch_step (self, step);
      for (guint k = 0; k < step->n_bodies; k++)
        if (!visit_body (self, &step->bodies[k], copies))
          return FALSE;
    }

  return TRUE;
}

static void
record_swaps (GhloStep *step,
              gpointer  data)
{
  Coalescer *self = data;

  for (guint i = 0; i < step->n_swaps; i++)
    {
      guint32 read = find (self, step->swaps[i].read), written = find (self, step->swaps[i].written);

      if (read == written)
        continue;
      self->is_swapped[read] = self->is_swapped[written] = TRUE;
      self->ends_swapped[read] = self->ends_swapped[written] = step->trips % 2 != 0;        /* also if not known (-1) */
      self->swapped_with[read] = written;
      self->loop[read] = step->number;
      self->is_dynamic[read] = step->trips < 0;
    }
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
      const GhloBufferSwap swap = { find (self, step->swaps[i].read),
                                    find (self, step->swaps[i].written) };

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

/* One round over all steps: either the copies, or the steps that work in place. */
static gboolean
coalesce_round (GhloStepPlan *plan,
                GhloStepPoll *poll,
                gboolean      copies,
                gboolean      is_last)
{
  guint n = plan->n_buffers;
  Coalescer self = {
    .plan = plan, .poll = poll, .merged_into = g_new (guint32, n + 1), .touched = g_new (gint64, n + 1),
    .is_swapped = g_new0 (gboolean, n + 1), .ends_swapped = g_new0 (gboolean, n + 1),
    .is_dynamic = g_new0 (gboolean, n + 1), .swapped_with = g_new (guint32, n + 1), .loop = g_new0 (guint32, n + 1),
    .n_reads = g_new0 (guint32, n + 1), .is_last = is_last, .merged_at = g_new (guint32, n + 1),
    .uses = g_new (Use, n + 1),
  };
  gboolean ok;

  for (guint i = 0; i < n; i++)
    {
      self.merged_into[i] = i;
      self.touched[i] = -1;
      self.swapped_with[i] = self.merged_at[i] = self.uses[i].scope = GHLO_STEP_NONE;
    }
  ok = ghlo_step_plan_find_liveness (plan, poll) && ghlo_step_plan_walk (plan, poll, record_swaps, &self)
       && visit_body (&self, &plan->body, copies) && ghlo_step_plan_walk (plan, poll, rename_buffers, &self);
  if (ok)
    remove_redundant_copies (&plan->body);
  g_free (self.merged_into);
  g_free (self.touched);
  g_free (self.is_swapped);
  g_free (self.ends_swapped);
  g_free (self.is_dynamic);
  g_free (self.swapped_with);
  g_free (self.loop);
  g_free (self.n_reads);
  g_free (self.merged_at);
  g_free (self.uses);

  return ok;
}

/* A carried value that is updated in place may be merged to an output, so copies are visited twice. */
gboolean
ghlo_step_plan_coalesce (GhloStepPlan *plan,
                         GhloStepPoll *poll)
{
  return coalesce_round (plan, poll, TRUE, FALSE) && coalesce_round (plan, poll, FALSE, FALSE)
         && coalesce_round (plan, poll, TRUE, TRUE)
         && ghlo_step_plan_find_liveness (plan, poll);
}
