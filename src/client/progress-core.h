/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The part of a progress object that workers use: a reference-counted core that takes reports from any thread and
 * delivers them, at most 30 times a second, in the context where the object was created.
 */

#pragma once

#include <gio/gio.h>

#include "base/ghlo-enums.h"

G_BEGIN_DECLS

typedef struct _GhloProgressCore GhloProgressCore;

typedef struct
{
  double            fraction;
  GhloProgressStage stage;
  const char       *detail;       /* static or interned; nullable */
} GhloProgressReport;

/* Called in the object's context while the object is alive. */
typedef void (*GhloProgressShowFunc) (gpointer                  object,
                                      const GhloProgressReport *report);

/* Creates a core that reports in the thread-default context of the caller. The core has a weak reference to @object,
 * which owns the core. */
GhloProgressCore *ghlo_progress_core_new    (gpointer             object,
                                             GhloProgressShowFunc show);
/* Called when the object is finalized; takes over the object's reference. */
void              ghlo_progress_core_close  (GhloProgressCore     *self);
GhloProgressCore *ghlo_progress_core_ref    (GhloProgressCore  *self);
void              ghlo_progress_core_unref  (GhloProgressCore  *self);

/* Starts a call: the progress returns to 0, and further reports of earlier calls are ignored. Returns the number of
 * the call. */
guint             ghlo_progress_core_begin  (GhloProgressCore  *self);

/* Reports progress, from any thread. A fraction below the previous one counts as the previous one. @detail is static
 * or interned. @direct: the caller is the thread of a sync call, which may notify the object itself where it owns
 * the progress' context. */
void              ghlo_progress_core_update (GhloProgressCore *self,
                                             guint             call,
                                             double            fraction,
                                             GhloProgressStage stage,
                                             const char       *detail,
                                             gboolean          direct);

/* Ends the call. The final report is delivered at once where this thread owns the progress' context, otherwise as
 * soon as that context runs. */
void              ghlo_progress_core_finish (GhloProgressCore *self,
                                             guint             call,
                                             gboolean          success,
                                             gboolean          direct);

G_END_DECLS
