/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What workers know of a progress: a counted core that takes reports from any
 * thread and brings them, at most 30 times a second, into the context where the
 * object was made.
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
  const char       *detail;       /* static or interned, or NULL */
} GhloProgressReport;

/* Called in the object's context while the object lives. */
typedef void (*GhloProgressShowFunc) (gpointer                  object,
                                      const GhloProgressReport *report);

/* For the thread-default context of the caller; @object, which owns the core, is known
 * weakly. */
GhloProgressCore *ghlo_progress_core_new    (gpointer             object,
                                             GhloProgressShowFunc show);
/* The object goes: takes its reference over. */
void              ghlo_progress_core_close  (GhloProgressCore     *self);
GhloProgressCore *ghlo_progress_core_ref    (GhloProgressCore  *self);
void              ghlo_progress_core_unref  (GhloProgressCore  *self);

/* A call takes the progress: it starts at 0 again, and reports of earlier calls
 * are ignored from now on. Returns the call's number. */
guint             ghlo_progress_core_begin  (GhloProgressCore  *self);

/* Reports, from any thread; a fraction below the last one counts as that one.
 * @detail is static or interned. @direct: this is the thread of a sync call,
 * which may notify where it owns the progress' context. */
void              ghlo_progress_core_update (GhloProgressCore *self,
                                             guint             call,
                                             double            fraction,
                                             GhloProgressStage stage,
                                             const char       *detail,
                                             gboolean          direct);

/* The call ends: what is known is notified at once where this thread owns the
 * progress' context, else as soon as that context runs. */
void              ghlo_progress_core_finish (GhloProgressCore *self,
                                             guint             call,
                                             gboolean          success,
                                             gboolean          direct);

G_END_DECLS
