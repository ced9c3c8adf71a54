/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What asynchronous operations use of collective ones.
 */

#pragma once

#include "reference/process/groups.h"

G_BEGIN_DECLS

/* Draws tickets for the meetings of the collective operation @call->op, if it is
 * one, in the order in which it will hold them. */
gboolean ghlo_ref_collective_draw_tickets (GhloRefCall  *call,
                                           GPtrArray    *tickets,
                                           GError      **error);

G_END_DECLS
