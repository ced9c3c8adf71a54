/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The part of the collective operations that asynchronous operations need.
 */

#pragma once

#include "reference/process/groups.h"

G_BEGIN_DECLS

/* If @call->op is a collective operation, draws tickets for its rendezvous, in the order in which they will
 * take place. */
gboolean ghlo_ref_collective_draw_tickets (GhloRefCall  *call,
                                           GPtrArray    *tickets,
                                           GError      **error);

G_END_DECLS
