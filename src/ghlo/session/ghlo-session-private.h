/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sessions as objects, around a core that workers share.
 */

#pragma once

#include "client/session-core.h"
#include "ghlo-session.h"

G_BEGIN_DECLS

struct _GhloSession
{
  GObject             parent_instance;

  GhloExecutable     *executable;    /* never changes; neither does core */
  GhloSessionCore    *core;          /* NULL without an executable created by a client */

  GMutex               lock;         /* guards the fields below; held only briefly */
  GhloSessionBindings *bindings;         /* NULL if and only if core is NULL */
  GhloProgress        *progress;     /* nullable */
  gboolean             profile;
  guint                pending;
};

/* The current bindings with a reference; NULL with @error set when no call can be made. */
GhloSessionBindings *ghlo_session_begin_call   (GhloSession *self,
                                                GError     **error);
/* Takes ownership of @bindings, which apply to calls from now on. */
void                 ghlo_session_set_bindings (GhloSession         *self,
                                                GhloSessionBindings *bindings);
/* Whether @number is below @n, the number of the program's inputs or outputs (@what). */
gboolean           ghlo_session_check_number (const char        *what,
                                              guint              number,
                                              guint              n,
                                              GError           **error);

G_END_DECLS
