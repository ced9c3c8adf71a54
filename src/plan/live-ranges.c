/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The ranges are found for one buffer after the other, from the steps that touch it, from the last to the first. A part
 * of the program makes a buffer live at its begin if it reads it (generates), or if the buffer is live at its end and
 * the part does not overwrite it whole (kills it); these two facts of a loop's body are known before its intervals are.
 */

#include "plan/live-ranges.h"

/* A range with more intervals than this loses its smallest details: from the last one on, gaps are filled. */
enum { MAX_INTERVALS = 4096 };

/* How a step touches a buffer. */
typedef enum
{
  READS         = 1 << 0,     /* needs it before the step; a partial write does so too */
  KILLS         = 1 << 1,     /* overwrites it whole */
  READS_AFTER   = 1 << 2,     /* needs it when the step has ended, and throughout its bodies */
  IS_SWAPPED    = 1 << 3,     /* the loop's body reads it, and gets it by a swap: GhloBufferSwap.read */
  IS_SWAPPED_IN = 1 << 4,     /* the loop's body writes it: GhloBufferSwap.written */
} TouchKind;

typedef struct
{
  guint32   number;           /* of the step, or its end */
  TouchKind kind;
} Touch;

/* A step in the tree, by its number and by its end. */
typedef struct
{
  const GhloStep *step;
  guint32         parent;     /* number of the step that has it in a body; GHLO_STEP_NONE: none */
  guint32         scope;      /* of the body that it is in */
} Node;

typedef struct
{
  const GhloStepPlan *plan;
  GhloStepPoll       *poll;
  Node               *nodes;
  guint32            *starts;     /* for each buffer, the index of its first touch */
  guint32            *ends;       /* for each buffer, the index after its last one */
  Touch              *touches;    /* NULL while they are counted */
  /* Of the current buffer: its intervals from the last to the first. */
  GArray             *intervals;
} Finder;

/* What a part of the program makes of a buffer; see above. */
typedef struct
{
  gboolean generates, kills;
} Flow;

/* Whether a step that writes @result overwrites all of its buffer. No two elements of a result are at one address. */
static gboolean
is_covering (const GhloStepPlan    *plan,
             const GhloStep        *step,
             const GhloStepOperand *result)
{
  return step->kind == GHLO_STEP_TRANSFER
         || (result->type != NULL && result->strides != NULL
             && ghlo_step_type_size (result->type) == plan->buffers[result->buffer].size);
}

/* The memory of others is not merged. */
static gboolean
has_range (const GhloStepPlan *plan,
           guint32             buffer)
{
  const GhloStepBufferKind kind = plan->buffers[buffer].kind;

  return kind == GHLO_STEP_BUFFER_TEMPORARY || kind == GHLO_STEP_BUFFER_OUTPUT;
}

static void
touch (Finder    *self,
       guint32    buffer,
       guint32    number,
       TouchKind  kind)
{
  if (buffer == GHLO_STEP_NONE || !has_range (self->plan, buffer))
    return;
  if (self->touches != NULL)
    self->touches[self->ends[buffer]] = (Touch) { number, kind };
  self->ends[buffer]++;
}

static gboolean touch_body (Finder             *self,
                            guint32             parent,
                            const GhloStepBody *body);

/* In the order of their numbers. */
static gboolean
touch_step (Finder         *self,
            guint32         parent,
            guint32         scope,
            const GhloStep *step)
{
  self->nodes[step->number] = self->nodes[step->end] = (Node) { step, parent, scope };
  for (guint i = 0; i < step->n_operands; i++)
    touch (self, step->operands[i].buffer, step->number, READS);
  for (guint i = 0; i < step->n_results && step->n_bodies == 0; i++)
    if (step->results[i].buffer != GHLO_STEP_NONE)
      touch (self, step->results[i].buffer, step->number,
             is_covering (self->plan, step, &step->results[i]) ? KILLS : READS);
  for (guint k = 0; k < step->n_bodies; k++)
    {
      const GhloStepBody *body = &step->bodies[k];

      if (!touch_body (self, step->number, body))
        return FALSE;
      if (step->kind != GHLO_STEP_LOOP || k > 0 || step->trips >= 0)
        continue;
      if (body->n_steps > 0)
        touch (self, body->result.buffer, body->steps[body->n_steps - 1]->end, READS_AFTER);
      else
        touch (self, body->result.buffer, step->number, READS);
    }
  /* A device that selects a branch reads the index at each of its steps. */
  for (guint i = 0; i < step->n_operands && step->n_bodies > 0; i++)
    touch (self, step->operands[i].buffer, step->end, READS_AFTER);
  for (guint i = 0; i < step->n_swaps; i++)
    {
      touch (self, step->swaps[i].read, step->end, IS_SWAPPED);
      touch (self, step->swaps[i].written, step->end, IS_SWAPPED_IN);
    }

  return ghlo_step_poll (self->poll);
}

static gboolean
touch_body (Finder             *self,
            guint32             parent,
            const GhloStepBody *body)
{
  for (guint i = 0; i < body->n_steps; i++)
    if (!touch_step (self, parent, body->scope, body->steps[i]))
      return FALSE;

  return TRUE;
}

/* The touches [@first, @end) of the current buffer. */
typedef struct
{
  guint32 first, end;
} Span;

/* The first touch of @span whose number is @number or greater. */
static guint32
find_touch (const Finder *self,
            Span          span,
            guint32       number)
{
  while (span.first < span.end)
    {
      const guint32 middle = span.first + (span.end - span.first) / 2;

      if (self->touches[middle].number < number)
        span.first = middle + 1;
      else
        span.end = middle;
    }

  return span.first;
}

static TouchKind
kinds_at (const Finder *self,
          Span          span,
          guint32       number)
{
  TouchKind kinds = 0;

  for (guint32 i = find_touch (self, span, number); i < span.end && self->touches[i].number == number; i++)
    kinds |= self->touches[i].kind;

  return kinds;
}

static Span
span_of_body (const Finder       *self,
              Span                span,
              const GhloStepBody *body)
{
  if (body->n_steps == 0)
    return (Span) { span.first, span.first };

  return (Span) { find_touch (self, span, body->steps[0]->number),
                  find_touch (self, span, body->steps[body->n_steps - 1]->end + 1) };
}

/* Takes the touches of the last step of a body from the end of @span. Returns the step. */
static const GhloStep *
take_last_step (const Finder *self,
                guint32       scope,
                Span         *span,
                Span         *taken)
{
  const Node *node = &self->nodes[self->touches[span->end - 1].number];

  while (node->scope != scope && node->parent != GHLO_STEP_NONE)
    node = &self->nodes[node->parent];
  *taken = (Span) { find_touch (self, *span, node->step->number), span->end };
  span->end = taken->first;

  return node->step;
}

static Flow flow_of_body (const Finder *self,
                          guint32       scope,
                          Span          span);

static Flow
flow_of_branch (const Finder   *self,
                const GhloStep *branch,
                Span            span)
{
  const TouchKind after = kinds_at (self, span, branch->end);
  Flow flow = { (kinds_at (self, span, branch->number) & READS) != 0, TRUE };

  for (guint k = 0; k < branch->n_bodies; k++)
    {
      const Flow inner = flow_of_body (self, branch->bodies[k].scope, span_of_body (self, span, &branch->bodies[k]));

      flow.generates |= inner.generates || ((after & READS_AFTER) != 0 && !inner.kills);
      flow.kills &= inner.kills;
    }

  return flow;
}

/* Whether the body of @loop makes the buffer live at its begin where the loop alone needs it. */
static gboolean
body_generates (TouchKind swapped,
                Flow      body)
{
  return body.generates || ((swapped & IS_SWAPPED_IN) != 0 && !body.kills);
}

/* The value is needed at the begin of an iteration if the condition or the body needs it, or what follows the loop. */
static Flow
flow_of_loop (const Finder   *self,
              const GhloStep *loop,
              Span            span)
{
  const TouchKind begin = kinds_at (self, span, loop->number), end = kinds_at (self, span, loop->end);
  const Flow condition = flow_of_body (self, loop->bodies[0].scope, span_of_body (self, span, &loop->bodies[0]));
  const Flow body = flow_of_body (self, loop->bodies[1].scope, span_of_body (self, span, &loop->bodies[1]));
  const gboolean is_needed = (end & IS_SWAPPED) != 0 || (begin & READS) != 0;

  return (Flow) { is_needed || condition.generates
                    || (!condition.kills && (body_generates (end, body) || (end & READS_AFTER) != 0)),
                  condition.kills };
}

static Flow
flow_of_step (const Finder   *self,
              const GhloStep *step,
              Span            span)
{
  TouchKind kinds;

  if (step->kind == GHLO_STEP_LOOP)
    return flow_of_loop (self, step, span);
  if (step->kind == GHLO_STEP_BRANCH)
    return flow_of_branch (self, step, span);
  kinds = kinds_at (self, span, step->number);

  return (Flow) { (kinds & READS) != 0 || (kinds & (READS_AFTER | KILLS)) == READS_AFTER, (kinds & KILLS) != 0 };
}

static Flow
flow_of_body (const Finder *self,
              guint32       scope,
              Span          span)
{
  Flow flow = { FALSE, FALSE };

  while (span.end > span.first)
    {
      Span taken;
      const GhloStep *step = take_last_step (self, scope, &span, &taken);
      const Flow before = flow_of_step (self, step, taken);

      flow = (Flow) { before.generates || (!before.kills && flow.generates), before.kills || flow.kills };
    }

  return flow;
}

/* Adds an interval, none of whose points is behind the first interval so far. */
static void
add_interval (Finder  *self,
              guint32  start,
              guint32  end)
{
  GArray *intervals = self->intervals;
  GhloLiveInterval *first = intervals->len > 0 ? &g_array_index (intervals, GhloLiveInterval, intervals->len - 1)
                                               : NULL;

  if (first != NULL && (first->start <= end + 1 || intervals->len == MAX_INTERVALS))
    first->start = MIN (first->start, start);
  else
    g_array_append_val (intervals, ((GhloLiveInterval) { start, end }));
}

static void
add_interval_if (Finder   *self,
                 gboolean  is_live,
                 guint32   start,
                 guint32   end)
{
  if (is_live && start <= end)
    add_interval (self, start, end);
}

static gboolean add_body (Finder             *self,
                          const GhloStepBody *body,
                          Span                span,
                          gboolean            is_live);

/* The following functions add the intervals in a part of the program at whose end the buffer is live if @is_live.
 * Return whether it is live at its begin. */
static gboolean
add_branch (Finder         *self,
            const GhloStep *branch,
            Span            span,
            gboolean        is_live)
{
  gboolean is_live_before = (kinds_at (self, span, branch->number) & READS) != 0;

  is_live |= (kinds_at (self, span, branch->end) & READS_AFTER) != 0;
  add_interval_if (self, is_live, 2 * branch->end, 2 * branch->end + 1);
  for (guint k = branch->n_bodies; k-- > 0;)
    is_live_before |= add_body (self, &branch->bodies[k], span_of_body (self, span, &branch->bodies[k]), is_live);
  add_interval_if (self, is_live_before, 2 * branch->number, 2 * branch->number + 1);

  return is_live_before;
}

static gboolean
add_loop (Finder         *self,
          const GhloStep *loop,
          Span            span,
          gboolean        is_live)
{
  const TouchKind end = kinds_at (self, span, loop->end);
  const Flow flow = flow_of_loop (self, loop, span);
  gboolean is_live_before, is_live_at_end, body;

  is_live |= (end & READS_AFTER) != 0;
  is_live_before = flow.generates || (is_live && !flow.kills);
  is_live_at_end = is_live_before;
  if ((end & IS_SWAPPED) != 0)
    is_live_at_end = FALSE;
  else if ((end & IS_SWAPPED_IN) != 0)
    is_live_at_end = TRUE;
  add_interval_if (self, (end & IS_SWAPPED) != 0 || is_live || is_live_before, 2 * loop->end + 1, 2 * loop->end + 1);
  add_interval_if (self, is_live_at_end, 2 * loop->end, 2 * loop->end);
  body = add_body (self, &loop->bodies[1], span_of_body (self, span, &loop->bodies[1]), is_live_at_end);
  add_body (self, &loop->bodies[0], span_of_body (self, span, &loop->bodies[0]), body || is_live);
  add_interval_if (self, is_live_before, 2 * loop->number, 2 * loop->number + 1);

  return is_live_before;
}

static gboolean
add_step (Finder         *self,
          const GhloStep *step,
          Span            span,
          gboolean        is_live)
{
  TouchKind kinds;

  if (step->kind == GHLO_STEP_LOOP)
    return add_loop (self, step, span, is_live);
  if (step->kind == GHLO_STEP_BRANCH)
    return add_branch (self, step, span, is_live);
  kinds = kinds_at (self, span, step->number);
  is_live |= (kinds & READS_AFTER) != 0;
  add_interval_if (self, is_live || (kinds & (READS | KILLS)) != 0, 2 * step->number + 1, 2 * step->number + 1);
  is_live = (is_live && (kinds & KILLS) == 0) || (kinds & READS) != 0;
  add_interval_if (self, is_live, 2 * step->number, 2 * step->number);

  return is_live;
}

/* Adds the intervals between @first and @last, the points at which a body begins and ends. */
static gboolean
add_steps (Finder   *self,
           guint32   scope,
           Span      span,
           guint32   first,
           guint32   last,
           gboolean  is_live)
{
  guint64 end = (guint64) last + 1;      /* what is behind was added */

  while (span.end > span.first)
    {
      Span taken;
      const GhloStep *step = take_last_step (self, scope, &span, &taken);

      if (end > 2 * (guint64) step->end + 2)
        add_interval_if (self, is_live, 2 * step->end + 2, (guint32) (end - 1));
      is_live = add_step (self, step, taken, is_live);
      end = 2 * step->number;
    }
  if (end > first)
    add_interval_if (self, is_live, first, (guint32) (end - 1));

  return is_live;
}

static gboolean
add_body (Finder             *self,
          const GhloStepBody *body,
          Span                span,
          gboolean            is_live)
{
  if (body->n_steps == 0)
    return is_live;

  /* The number after the last step is the end of the body. */
  return add_steps (self, body->scope, span, 2 * body->steps[0]->number,
                    2 * body->steps[body->n_steps - 1]->end + 3, is_live);
}

static void
set_intervals (GhloLiveRange          *self,
               const GhloLiveInterval *intervals,
               guint                   n)
{
  *self = (GhloLiveRange) { .n = n };
  if (n == 1)
    self->one = intervals[0];
  else if (n > 1)
    {
      self->capacity = n;
      self->many = g_memdup2 (intervals, n * sizeof *intervals);
    }
}

/* In its own body a buffer is live from the first step that touches it on: nothing before it can have written it. The
 * caller needs outputs at the end. */
static void
find_range (Finder        *self,
            guint32        buffer,
            GhloLiveRange *range)
{
  const Span span = { self->starts[buffer], self->ends[buffer] };
  GhloLiveInterval *intervals;

  g_array_set_size (self->intervals, 0);
  if (span.first < span.end)
    add_steps (self, self->plan->buffers[buffer].scope, span, G_MAXUINT32, 2 * self->plan->n_steps + 1,
               self->plan->buffers[buffer].kind == GHLO_STEP_BUFFER_OUTPUT);
  intervals = (GhloLiveInterval *) (gpointer) self->intervals->data;
  for (guint i = 0; i < self->intervals->len / 2; i++)
    {
      const GhloLiveInterval last = intervals[self->intervals->len - 1 - i];

      intervals[self->intervals->len - 1 - i] = intervals[i];
      intervals[i] = last;
    }
  set_intervals (range, intervals, self->intervals->len);
}

static gboolean
find_touches (Finder *self)
{
  const guint n = self->plan->n_buffers;
  guint32 total = 0;

  if (!touch_body (self, GHLO_STEP_NONE, &self->plan->body))
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      total += self->ends[i];
      self->starts[i] = total - self->ends[i];
      self->ends[i] = self->starts[i];
    }
  self->touches = g_new (Touch, total + 1);

  return touch_body (self, GHLO_STEP_NONE, &self->plan->body);
}

gboolean
ghlo_live_ranges_find (const GhloStepPlan *plan,
                       GhloStepPoll       *poll,
                       GhloLiveRange      *ranges)
{
  const guint n = plan->n_buffers;
  g_autofree Node *nodes = g_new (Node, plan->n_steps + 1);
  g_autofree guint32 *starts = g_new0 (guint32, n + 1), *ends = g_new0 (guint32, n + 1);
  g_autoptr (GArray) intervals = g_array_new (FALSE, FALSE, sizeof (GhloLiveInterval));
  Finder self = { plan, poll, nodes, starts, ends, NULL, intervals };
  gboolean ok = find_touches (&self);

  for (guint i = 0; ok && i < n; i++)
    {
      find_range (&self, i, &ranges[i]);
      ok = ghlo_step_poll (poll);
    }
  g_free (self.touches);

  return ok;
}

void
ghlo_live_range_clear (GhloLiveRange *self)
{
  g_free (self->many);
  *self = (GhloLiveRange) { 0 };
}

/* The first interval that ends at or after @point. */
static guint
find_interval (const GhloLiveRange *self,
               guint32              point)
{
  const GhloLiveInterval *intervals = ghlo_live_range_intervals (self);
  guint first = 0, end = self->n;

  while (first < end)
    {
      const guint middle = first + (end - first) / 2;

      if (intervals[middle].end < point)
        first = middle + 1;
      else
        end = middle;
    }

  return first;
}

/* Makes room for @n intervals, more than one, in an array. */
static void
reserve (GhloLiveRange *self,
         guint          n)
{
  const gboolean is_one = self->many == NULL && self->n == 1;

  if (n > self->capacity)
    {
      self->capacity = MAX (n, 2 * self->capacity);
      self->many = g_renew (GhloLiveInterval, self->many, self->capacity);
    }
  g_assert (self->many != NULL);
  if (is_one)
    self->many[0] = self->one;
}

void
ghlo_live_range_unite (GhloLiveRange *self,
                       GhloLiveRange *other)
{
  const GhloLiveRange larger = self->n >= other->n ? *self : *other;
  GhloLiveRange smaller = self->n >= other->n ? *other : *self;
  const GhloLiveInterval *added = ghlo_live_range_intervals (&smaller);
  GhloLiveInterval *all;
  guint n, end;

  *self = larger;
  *other = (GhloLiveRange) { 0 };
  if (smaller.n == 0)
    return;
  end = self->n + smaller.n;
  reserve (self, end);
  all = self->many;
  n = find_interval (self, added[0].start);
  memmove (all + n + smaller.n, all + n, (self->n - n) * sizeof *all);
  for (guint i = n + smaller.n, j = 0; i < end || j < smaller.n;)
    {
      const GhloLiveInterval next = j == smaller.n || (i < end && all[i].start <= added[j].start) ? all[i++]
                                                                                                  : added[j++];

      if (n > 0 && (next.start <= all[n - 1].end + 1 || n == MAX_INTERVALS))
        all[n - 1].end = MAX (all[n - 1].end, next.end);
      else
        all[n++] = next;
    }
  self->n = n;
  ghlo_live_range_clear (&smaller);
}

/* With a step by halving for each interval of the range that has fewer of them. */
gboolean
ghlo_live_range_common (const GhloLiveRange *a,
                        const GhloLiveRange *b,
                        guint32              point,
                        GhloLiveInterval    *common)
{
  const GhloLiveRange *few = a->n <= b->n ? a : b, *many = few == a ? b : a;
  const GhloLiveInterval *intervals = ghlo_live_range_intervals (few), *others = ghlo_live_range_intervals (many);

  for (guint i = find_interval (few, point); i < few->n; i++)
    {
      const guint32 start = MAX (intervals[i].start, point);
      const guint j = find_interval (many, start);

      if (j < many->n && others[j].start <= intervals[i].end)
        {
          *common = (GhloLiveInterval) { MAX (start, others[j].start), MIN (intervals[i].end, others[j].end) };
          return TRUE;
        }
    }

  return FALSE;
}

gboolean
ghlo_live_range_ends_at (const GhloLiveRange *self,
                         guint32              point)
{
  const guint i = find_interval (self, point);

  return i < self->n && ghlo_live_range_intervals (self)[i].end == point;
}
