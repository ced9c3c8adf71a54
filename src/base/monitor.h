/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How long-running work checks for cancellation and reports its progress without depending on any object: plain
 * callbacks, both optional, called from any thread.
 */

#pragma once

#include <gio/gio.h>

#include "base/ghlo-enums.h"

G_BEGIN_DECLS

typedef struct
{
  GCancellable *cancellable;   /* borrowed; NULL when the work cannot be cancelled */
  void        (*progress) (gpointer    data,
                           double      fraction,   /* 0 … 1 of this piece of work */
                           const char *detail);    /* static or interned; nullable */
  /* Called when another kind of work begins; nullable. */
  void        (*stage)    (gpointer          data,
                           GhloProgressStage stage);
  gpointer      progress_data;         /* of both callbacks */
} GhloMonitor;

/* Returns TRUE with G_IO_ERROR_CANCELLED set when the work is to stop. @self may be NULL. */
static inline gboolean
ghlo_monitor_cancelled (const GhloMonitor *self,
                        GError           **error)
{
  return self != NULL && self->cancellable != NULL
         && g_cancellable_set_error_if_cancelled (self->cancellable, error);
}

static inline void
ghlo_monitor_progress (const GhloMonitor *self,
                       double             fraction,
                       const char        *detail)
{
  if (self != NULL && self->progress != NULL)
    self->progress (self->progress_data, fraction, detail);
}

/* Reports a new stage; the fraction does not change. */
static inline void
ghlo_monitor_stage (const GhloMonitor *self,
                    GhloProgressStage  stage)
{
  if (self != NULL && self->stage != NULL)
    self->stage (self->progress_data, stage);
}

/* A part of a larger piece of work. */
typedef struct
{
  const GhloMonitor *whole;        /* borrowed; nullable */
  double             from, to;     /* the range of the part, as fractions of the whole */
} GhloMonitorPart;

static inline void
ghlo_monitor_part_progress (gpointer    data,
                            double      fraction,
                            const char *detail)
{
  const GhloMonitorPart *part = data;

  ghlo_monitor_progress (part->whole, part->from + fraction * (part->to - part->from), detail);
}

/* Returns a monitor for the part. Its progress is reported as progress of the whole; its stages are not reported.
 * The result borrows @part. */
static inline GhloMonitor
ghlo_monitor_of_part (GhloMonitorPart *part)
{
  return (GhloMonitor) {
    .cancellable = part->whole != NULL ? part->whole->cancellable : NULL,
    .progress = ghlo_monitor_part_progress,
    .progress_data = part,
  };
}

G_END_DECLS
