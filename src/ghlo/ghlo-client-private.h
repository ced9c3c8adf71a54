/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The client from the inside: the functions that answer custom calls.
 */

#pragma once

#include "ghlo-client.h"
#include "runtime/custom-calls.h"

G_BEGIN_DECLS

/* Those that there are now, with a reference; NULL for none. */
GhloCustomTargets *ghlo_client_dup_custom_targets   (GhloClient        *self);
/* Puts @target, NULL for nothing, in the place of the one of that name: whether there was one. */
gboolean           ghlo_client_change_custom_target (GhloClient        *self,
                                                     const char        *name,
                                                     GhloCustomTarget  *target);

G_END_DECLS
