/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A device knows the plan's buffers by number alone, and of each of them what it may overlap: temporaries lie in an
 * arena, and an output may take the memory of an input.
 */

#include "runtime/run-recordings.h"

typedef struct
{
  const GhloStepRecorder *recorder;
  gpointer                recording;      /* NULL: none begins here */
  guint                   n_steps;
} Stretch;

struct _GhloRunRecordings
{
  const GhloStepPlan *plan;
  GhloStepExtent     *extents;            /* of the plan's buffers */
  GhloStepPlace      *places;             /* of one step, while it is recorded */
  Stretch            *stretches;          /* by the number of the first step */
  GMutex              lock;               /* guards the next, and places once the object is there */
  Stretch            *singles;            /* of one step each, made when somebody measures them; NULL before */
};

/* The arena has region 0. An output is of one region with all inputs that it may replace. */
static void
find_extents (GhloRunRecordings *self)
{
  const GhloStepPlan *plan = self->plan;

  for (guint i = 0; i < plan->n_buffers; i++)
    {
      const GhloStepBuffer *buffer = &plan->buffers[i];
      gboolean is_temporary = buffer->kind == GHLO_STEP_BUFFER_TEMPORARY;

      self->extents[i] = (GhloStepExtent) { is_temporary ? 0 : i + 1, is_temporary ? buffer->offset : 0,
                                            buffer->size };
    }
  for (guint i = 0; i < plan->n_outputs; i++)
    for (guint k = 0; plan->outputs[i] != GHLO_STEP_NONE && k < plan->donations[i].n_inputs; k++)
      {
        guint32 from = self->extents[plan->outputs[i]].region;
        guint32 to = self->extents[plan->inputs[plan->donations[i].inputs[k]]].region;

        for (guint j = 0; from != to && j < plan->n_buffers; j++)
          if (self->extents[j].region == from)
            self->extents[j].region = to;
      }
}

static GhloStepPlace
place_of (const GhloStepOperand *operand)
{
  return (GhloStepPlace) { operand->buffer, (gint64) operand->offset };
}

static gboolean
record_step (GhloRunRecordings  *self,
             const GhloStep     *step,
             gpointer            recording,
             GError            **error)
{
  GhloStepPlace *results = self->places + step->n_operands;

  for (guint i = 0; i < step->n_operands; i++)
    self->places[i] = place_of (&step->operands[i]);
  for (guint i = 0; i < step->n_results; i++)
    results[i] = place_of (&step->results[i]);

  return step->implementation->record (step->code->compiled, self->places, results,
                                       (GhloStepPlace) { step->scratch, 0 }, recording, error);
}

static gboolean
record (GhloRunRecordings   *self,
        GhloStep *const     *steps,
        guint                n_steps,
        Stretch             *stretch,
        GError             **error)
{
  const GhloStepRecorder *recorder = ghlo_run_recorder_of (steps[0]);
  gpointer recording = recorder->begin (steps[0]->target->space->self, self->extents);
  gboolean ok = TRUE;

  for (guint i = 0; ok && i < n_steps; i++)
    ok = record_step (self, steps[i], recording, error);
  recorder->end (recording);
  if (ok)
    *stretch = (Stretch) { recorder, recording, n_steps };
  else
    recorder->free (recording);

  return ok;
}

/* How many steps from @first on one device records. */
static guint
measure_stretch (const GhloStepBody *body,
                 guint               first)
{
  guint n = 0;

  if (ghlo_run_recorder_of (body->steps[first]) == NULL)
    return 0;
  while (first + n < body->n_steps && body->steps[first + n]->kind == GHLO_STEP_COMPUTE
         && body->steps[first + n]->target == body->steps[first]->target)
    n++;

  return n;
}

static gboolean
record_body (GhloRunRecordings   *self,
             const GhloStepBody  *body,
             GError             **error)
{
  for (guint i = 0, n; i < body->n_steps; i += MAX (n, 1))
    {
      const GhloStep *step = body->steps[i];

      n = measure_stretch (body, i);
      if (n > 0 && !record (self, &body->steps[i], n, &self->stretches[step->number], error))
        return FALSE;
      for (guint k = 0; k < step->n_bodies; k++)
        if (!record_body (self, &step->bodies[k], error))
          return FALSE;
    }

  return TRUE;
}

GhloRunRecordings *
ghlo_run_recordings_new (const GhloStepPlan  *plan,
                         GError             **error)
{
  g_autoptr (GhloRunRecordings) self = g_new0 (GhloRunRecordings, 1);

  self->plan = plan;
  g_mutex_init (&self->lock);
  self->extents = g_new (GhloStepExtent, plan->n_buffers);
  self->places = g_new (GhloStepPlace, plan->max_views);
  self->stretches = g_new0 (Stretch, plan->n_steps);
  find_extents (self);

  return record_body (self, &plan->body, error) ? g_steal_pointer (&self) : NULL;
}

static void
free_stretches (GhloRunRecordings *self,
                Stretch           *stretches)
{
  for (guint i = 0; stretches != NULL && i < self->plan->n_steps; i++)
    if (stretches[i].recording != NULL)
      stretches[i].recorder->free (stretches[i].recording);
  g_free (stretches);
}

void
ghlo_run_recordings_free (GhloRunRecordings *self)
{
  free_stretches (self, self->stretches);
  free_stretches (self, self->singles);
  g_mutex_clear (&self->lock);
  g_free (self->extents);
  g_free (self->places);
  g_free (self);
}

static const Stretch *
get_single (GhloRunRecordings  *self,
            GhloStep *const    *steps,
            GError            **error)
{
  Stretch *single;
  gboolean ok;

  g_mutex_lock (&self->lock);
  if (self->singles == NULL)
    self->singles = g_new0 (Stretch, self->plan->n_steps);
  single = &self->singles[steps[0]->number];
  ok = single->recording != NULL || record (self, steps, 1, single, error);
  g_mutex_unlock (&self->lock);

  return ok ? single : NULL;
}

guint
ghlo_run_recordings_run (GhloRunRecordings   *self,
                         const GhloStepBody  *body,
                         guint                first,
                         gboolean             alone,
                         guint8 *const       *addresses,
                         const GhloMonitor   *monitor,
                         GError             **error)
{
  const Stretch *stretch = alone ? get_single (self, &body->steps[first], error)
                                 : &self->stretches[body->steps[first]->number];

  return stretch != NULL && stretch->recorder->replay (stretch->recording, addresses, monitor, error)
         ? stretch->n_steps : 0;
}
