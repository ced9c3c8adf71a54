/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Joins two buffers into one where possible: the source and the target of a copy, if the copy is the last use of the
 * source; and an operand and a result of a step that works in place, if the step is the last use of the operand. So
 * outputs, carried values and results of branches are written directly to where they are needed, and a loop updates its
 * arrays in place.
 *
 * Steps are visited in the order of their numbers, and each records which buffers it touches. At a step, two buffers
 * are joined if one ends there and the other was not touched since the first began.
 */

#include "plan/build.h"

/* The size in bytes up to which a carried value is kept in two buffers instead of one; see is_double_buffered (). */
enum { MAX_DOUBLE_BUFFERED = 1 << 18 };

typedef struct
{
  GhloStepPlan *plan;
  guint32      *into;          /* for each buffer, the one that it was joined to, or itself (union-find) */
  gint64       *touched;       /* for each buffer, the last visited step that touched it, or -1 */
  gboolean     *exchanged;     /* whether a loop exchanges it with another one */
  gboolean     *ends_swapped;  /* whether the two may be exchanged after the loop */
  gboolean     *is_dynamic;    /* for a buffer that a loop's body reads: the loop is data-dependent */
  guint32      *partner;       /* for a buffer that a loop's body reads: the buffer that it writes, or GHLO_STEP_NONE */
  guint32      *loop;          /* the number of that loop */
  guint32      *n_reads;       /* for each buffer, the number of the current step's operands in it; 0 between steps */
  gboolean      is_last;       /* the last round: carried values that are updated in place have been found */
  guint32      *joined;        /* for each buffer, the last step that joined an operand to it, or GHLO_STEP_NONE */
} Joiner;

static guint32
find (Joiner  *self,
      guint32  buffer)
{
  while (buffer != GHLO_STEP_NONE && self->into[buffer] != buffer)
    buffer = self->into[buffer] = self->into[self->into[buffer]];

  return buffer;
}

/* Replaces @buffer, a temporary, by @to. */
static void
join (Joiner  *self,
      guint32  buffer,
      guint32  to)
{
  GhloStepBuffer *one = &self->plan->buffers[buffer], *other = &self->plan->buffers[to];

  self->into[buffer] = to;
  other->first = MIN (other->first, one->first);
  other->last = MAX (other->last, one->last);
  other->inner_last = MAX (other->inner_last, one->inner_last);
  other->scope = MIN (other->scope, one->scope);
  self->touched[to] = MAX (self->touched[to], self->touched[buffer]);
  self->n_reads[to] += self->n_reads[buffer];
  self->exchanged[to] |= self->exchanged[buffer];
  self->ends_swapped[to] |= self->ends_swapped[buffer];
  if (self->partner[buffer] != GHLO_STEP_NONE && self->partner[to] == GHLO_STEP_NONE)
    {
      self->partner[to] = self->partner[buffer];
      self->loop[to] = self->loop[buffer];
      self->is_dynamic[to] = self->is_dynamic[buffer];
    }
}

/* Whether @from, whose last use is @step, may use the memory of @to from its beginning on. */
static gboolean
may_join (Joiner         *self,
          const GhloStep *step,
          guint32         from,
          guint32         to)
{
  const GhloStepBuffer *one = &self->plan->buffers[from], *other = &self->plan->buffers[to];

  if (one->kind != GHLO_STEP_BUFFER_TEMPORARY || one->last != step->number
      || (other->kind != GHLO_STEP_BUFFER_TEMPORARY && other->kind != GHLO_STEP_BUFFER_OUTPUT)
      || self->touched[to] >= (gint64) one->first)
    return FALSE;

  /* A buffer may be exchanged by one loop only, and may be an output only if it is not exchanged after the loop. In the
   * host's memory, outputs are not aligned like the buffers that they would be exchanged with. */
  return !self->exchanged[from]
         || (!self->exchanged[to] && (other->kind == GHLO_STEP_BUFFER_TEMPORARY
                                      || (self->is_last && !self->ends_swapped[from] && other->space != 0)));
}

static void
join_copy (Joiner         *self,
           const GhloStep *step)
{
  guint32 from = find (self, step->operands[0].buffer), to = find (self, step->results[0].buffer);

  if (from != to && ghlo_step_is_whole (self->plan, &step->operands[0])
      && ghlo_step_is_whole (self->plan, &step->results[0]) && may_join (self, step, from, to))
    join (self, from, to);
}

/* If a device runs a data-dependent loop, a body that overwrites no carried value need not wait for its condition. For
 * small arrays, this is worth more than the memory. */
static gboolean
is_double_buffered (Joiner  *self,
                    guint32  from)
{
  const GhloStepBuffer *buffer = &self->plan->buffers[from];
  const GhloCommandBufferClass *commands = self->plan->arenas[buffer->space].commands;

  return self->is_dynamic[from] && buffer->size <= MAX_DOUBLE_BUFFERED && commands != NULL
         && commands->count_iterations != NULL;
}

/* Whether @from is a carried value that the body reads for the last time at @step, and @to, where its next value is
 * written, was not touched before in this iteration. */
static gboolean
may_carry (Joiner         *self,
           const GhloStep *step,
           guint32         from,
           guint32         to)
{
  return self->partner[from] != GHLO_STEP_NONE && find (self, self->partner[from]) == to
         && self->plan->buffers[from].inner_last == step->number && self->touched[to] <= (gint64) self->loop[from]
         && self->plan->buffers[from].kind == GHLO_STEP_BUFFER_TEMPORARY && !is_double_buffered (self, from);
}

static void
count_reads (Joiner         *self,
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

/* Joins an operand that shares memory with no other operand to a result that no other operand was joined to. */
static void
join_operand (Joiner                *self,
              const GhloStep        *step,
              const GhloStepOperand *operand)
{
  const GhloStepOperand *result = operand->in_place != GHLO_STEP_NONE ? &step->results[operand->in_place] : NULL;
  guint32 from, to;
  gboolean carries;

  if (result == NULL || !ghlo_step_is_whole (self->plan, operand) || !ghlo_step_is_whole (self->plan, result))
    return;
  from = find (self, operand->buffer);
  to = find (self, result->buffer);
  if (from == to || self->joined[to] == step->number || self->n_reads[from] > 1
      || self->plan->buffers[from].size != self->plan->buffers[to].size)
    return;
  carries = may_carry (self, step, from, to);
  if (!carries && !may_join (self, step, from, to))
    return;
  if (carries)
    self->partner[from] = GHLO_STEP_NONE;
  join (self, from, to);
  self->joined[to] = step->number;
  if (carries)
    self->exchanged[to] = FALSE;
}

static void
join_in_place (Joiner         *self,
               const GhloStep *step)
{
  count_reads (self, step, TRUE);
  for (guint i = 0; i < step->n_operands; i++)
    join_operand (self, step, &step->operands[i]);
  count_reads (self, step, FALSE);
}

static void
touch (Joiner         *self,
       const GhloStep *step,
       guint32         buffer)
{
  buffer = find (self, buffer);
  if (buffer != GHLO_STEP_NONE)
    self->touched[buffer] = MAX (self->touched[buffer], (gint64) step->number);
}

static void
touch_step (Joiner         *self,
            const GhloStep *step)
{
  for (guint i = 0; i < step->n_operands; i++)
    touch (self, step, step->operands[i].buffer);
  for (guint i = 0; i < step->n_results; i++)
    touch (self, step, step->results[i].buffer);
  for (guint i = 0; i < step->n_exchanges; i++)
    {
      touch (self, step, step->exchanges[i].read);
      touch (self, step, step->exchanges[i].written);
    }
}

static gboolean
visit_body (Joiner             *self,
            GhloStepPoll       *poll,
            const GhloStepBody *body,
            gboolean            copies)
{
  for (guint i = 0; i < body->n_steps; i++)
    {
      const GhloStep *step = body->steps[i];

      if (!ghlo_step_poll (poll))
        return FALSE;
      if (step->kind == GHLO_STEP_COMPUTE && (step->op == NULL) == copies)
        {
          if (copies)
            join_copy (self, step);
          else
            join_in_place (self, step);
        }
      touch_step (self, step);
      for (guint k = 0; k < step->n_bodies; k++)
        if (!visit_body (self, poll, &step->bodies[k], copies))
          return FALSE;
    }

  return TRUE;
}

static void
record_exchanges (GhloStep *step,
                  gpointer  data)
{
  Joiner *self = data;

  for (guint i = 0; i < step->n_exchanges; i++)
    {
      guint32 read = find (self, step->exchanges[i].read), written = find (self, step->exchanges[i].written);

      if (read == written)
        continue;
      self->exchanged[read] = self->exchanged[written] = TRUE;
      self->ends_swapped[read] = self->ends_swapped[written] = step->trips % 2 != 0;        /* also if not known (-1) */
      self->partner[read] = written;
      self->loop[read] = step->number;
      self->is_dynamic[read] = step->trips < 0;
    }
}

/* Replaces joined buffers in the step, and removes exchanges of a buffer with itself. */
static void
rename_buffers (GhloStep *step,
                gpointer  data)
{
  Joiner *self = data;
  guint n = 0;

  for (guint i = 0; i < step->n_operands; i++)
    step->operands[i].buffer = find (self, step->operands[i].buffer);
  for (guint i = 0; i < step->n_results; i++)
    step->results[i].buffer = find (self, step->results[i].buffer);
  for (guint k = 0; k < step->n_bodies; k++)
    if (step->bodies[k].result.strides != NULL)
      step->bodies[k].result.buffer = find (self, step->bodies[k].result.buffer);
  for (guint i = 0; i < step->n_exchanges; i++)
    {
      const GhloStepExchange exchange = { find (self, step->exchanges[i].read),
                                          find (self, step->exchanges[i].written) };

      if (exchange.read != exchange.written)
        step->exchanges[n++] = exchange;
    }
  step->n_exchanges = n;
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
join_round (GhloStepPlan *plan,
            GhloStepPoll *poll,
            gboolean      copies,
            gboolean      is_last)
{
  guint n = plan->n_buffers;
  Joiner self = {
    .plan = plan, .into = g_new (guint32, n + 1), .touched = g_new (gint64, n + 1),
    .exchanged = g_new0 (gboolean, n + 1), .ends_swapped = g_new0 (gboolean, n + 1),
    .is_dynamic = g_new0 (gboolean, n + 1), .partner = g_new (guint32, n + 1), .loop = g_new0 (guint32, n + 1),
    .n_reads = g_new0 (guint32, n + 1), .is_last = is_last, .joined = g_new (guint32, n + 1),
  };
  gboolean ok;

  for (guint i = 0; i < n; i++)
    {
      self.into[i] = i;
      self.touched[i] = -1;
      self.partner[i] = self.joined[i] = GHLO_STEP_NONE;
    }
  ok = ghlo_step_plan_find_liveness (plan, poll) && ghlo_step_plan_walk (plan, poll, record_exchanges, &self)
       && visit_body (&self, poll, &plan->body, copies) && ghlo_step_plan_walk (plan, poll, rename_buffers, &self);
  if (ok)
    remove_redundant_copies (&plan->body);
  g_free (self.into);
  g_free (self.touched);
  g_free (self.exchanged);
  g_free (self.ends_swapped);
  g_free (self.is_dynamic);
  g_free (self.partner);
  g_free (self.loop);
  g_free (self.n_reads);
  g_free (self.joined);

  return ok;
}

/* A carried value that is updated in place may be joined to an output, so copies are visited twice. */
gboolean
ghlo_step_plan_coalesce (GhloStepPlan *plan,
                         GhloStepPoll *poll)
{
  return join_round (plan, poll, TRUE, FALSE) && join_round (plan, poll, FALSE, FALSE)
         && join_round (plan, poll, TRUE, TRUE)
         && ghlo_step_plan_find_liveness (plan, poll);
}
