/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How long work asks whether to stop and says how far it is, without knowing
 * of any object: plain callbacks, both optional, called from any thread.
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
                           const char *detail);    /* static or interned, or NULL */
  /* What kind of work it is from now on; NULL where nobody asks. */
  void        (*stage)    (gpointer          data,
                           GhloProgressStage stage);
  gpointer      progress_data;         /* of both */
} GhloMonitor;

/* TRUE, with G_IO_ERROR_CANCELLED set, when the work is to stop. @self may be NULL. */
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

/* The fraction stays where it is. */
static inline void
ghlo_monitor_stage (const GhloMonitor *self,
                    GhloProgressStage  stage)
{
  if (self != NULL && self->stage != NULL)
    self->stage (self->progress_data, stage);
}

G_END_DECLS
