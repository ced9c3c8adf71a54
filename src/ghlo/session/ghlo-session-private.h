/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sessions as objects, over a core that workers share.
 */

#pragma once

#include "client/session-core.h"
#include "ghlo-session.h"

G_BEGIN_DECLS

struct _GhloSession
{
  GObject             parent_instance;

  GhloExecutable     *executable;    /* never changes, as core */
  GhloSessionCore    *core;          /* NULL without an executable that a client made */

  GMutex               lock;         /* guards what follows; held for moments only */
  GhloSessionBindings *bindings;         /* NULL where core is */
  GhloProgress        *progress;     /* nullable */
  gboolean             profile;
  guint                pending;
};

/* The bindings of this moment, with a reference; NULL with @error where no call can be made. */
GhloSessionBindings *ghlo_session_begin_call   (GhloSession *self,
                                                GError     **error);
/* Takes @bindings over, for the calls from here on. */
void                 ghlo_session_set_bindings (GhloSession         *self,
                                                GhloSessionBindings *bindings);
/* Whether the program has an input or output (@what) of that number. */
gboolean           ghlo_session_check_number (const char        *what,
                                              guint              number,
                                              guint              n,
                                              GError           **error);

G_END_DECLS
