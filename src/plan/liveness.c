/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The live range of each buffer: from the first to the last step that touches it. A buffer from outside of a loop is
 * live for all of the loop.
 */

#include "plan/build.h"

/* The bodies around a step, from the innermost outwards. */
typedef struct _Frame Frame;

struct _Frame
{
  const Frame    *parent;
  guint32         scope;
  const GhloStep *loop;      /* the loop that this is the condition or body of; NULL for a branch or function */
};

static void
number_steps (GhloStepPlan       *plan,
              const GhloStepBody *body)
{
  for (guint i = 0; i < body->n_steps; i++)
    {
      GhloStep *step = body->steps[i];

      step->number = plan->n_steps++;
      for (guint k = 0; k < step->n_bodies; k++)
        {
          number_steps (plan, &step->bodies[k]);
          plan->n_steps++;      /* the end of the body */
        }
      step->end = step->n_bodies > 0 ? plan->n_steps++ : step->number;
    }
}

static void
touch (GhloStepPlan *plan,
       const Frame  *frame,
       guint32       number,
       guint32       at)
{
  GhloStepBuffer *buffer = number != GHLO_STEP_NONE ? &plan->buffers[number] : NULL;

  if (buffer == NULL)
    return;
  buffer->first = MIN (buffer->first, at);
  buffer->last = MAX (buffer->last, at);
  for (; frame != NULL && frame->scope != buffer->scope; frame = frame->parent)
    if (frame->loop != NULL)
      {
        buffer->first = MIN (buffer->first, frame->loop->number);
        buffer->last = MAX (buffer->last, frame->loop->end);
      }
}

static void
touch_step (GhloStepPlan   *plan,
            const Frame    *frame,
            const GhloStep *step)
{
  for (guint k = 0; k < step->n_operands; k++)
    touch (plan, frame, step->operands[k].buffer, step->number);
  for (guint k = 0; k < step->n_results; k++)
    touch (plan, frame, step->results[k].buffer, step->number);
  touch (plan, frame, step->scratch, step->number);
  for (guint k = 0; k < step->n_swaps; k++)
    for (guint end = 0; end < 2; end++)
      {
        touch (plan, frame, step->swaps[k].read, end ? step->end : step->number);
        touch (plan, frame, step->swaps[k].written, end ? step->end : step->number);
      }
}

static gboolean
touch_body (GhloStepPlan       *plan,
            GhloStepPoll       *poll,
            const Frame        *frame,
            const GhloStepBody *body)
{
  for (guint i = 0; i < body->n_steps; i++)
    {
      const GhloStep *step = body->steps[i];

      if (!ghlo_step_poll (poll))
        return FALSE;
      touch_step (plan, frame, step);
      for (guint k = 0; k < step->n_bodies; k++)
        {
          gboolean is_loop = step->kind == GHLO_STEP_LOOP;
          const Frame inner = { frame, step->bodies[k].scope, is_loop ? step : NULL };

          if (!touch_body (plan, poll, &inner, &step->bodies[k]))
            return FALSE;
          if (is_loop && k == 0 && step->trips < 0)
            touch (plan, &inner, step->bodies[k].result.buffer, step->bodies[k].n_steps > 0
                   ? step->bodies[k].steps[step->bodies[k].n_steps - 1]->end : step->number);
        }
    }

  return TRUE;
}

gboolean
ghlo_step_plan_find_liveness (GhloStepPlan *plan,
                              GhloStepPoll *poll)
{
  const Frame frame = { NULL, plan->body.scope, NULL };

  for (guint i = 0; i < plan->n_buffers; i++)
    {
      plan->buffers[i].first = G_MAXUINT32;
      plan->buffers[i].last = 0;
    }
  plan->n_steps = 0;
  number_steps (plan, &plan->body);

  return touch_body (plan, poll, &frame, &plan->body);
}
