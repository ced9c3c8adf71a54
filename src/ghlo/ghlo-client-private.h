/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The internal interface of the client: the functions that answer custom calls.
 */

#pragma once

#include "ghlo-client.h"
#include "runtime/custom-calls.h"

G_BEGIN_DECLS

/* The currently registered functions, with a reference; NULL for none. */
GhloCustomTargets *ghlo_client_dup_custom_targets   (GhloClient        *self);
/* Replaces the target of that name by @target; NULL removes it. Returns whether there was one. */
gboolean           ghlo_client_change_custom_target (GhloClient        *self,
                                                     const char        *name,
                                                     GhloCustomTarget  *target);

G_END_DECLS
