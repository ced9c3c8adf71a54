/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Assigns each of many nodes to one of two places, "here" and "there". A node has a cost in each place, and a pair of
 * nodes has a cost where they are in different places. The assignment of least total cost is a minimum cut of a network
 * (Greig, Porteous and Seheult 1989), which is found with blocking flows (Dinitz 1970).
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _GhloCut GhloCut;

/* Costs are non-negative. This one marks an assignment as impossible. */
#define GHLO_CUT_NEVER  ((gint64) 1 << 56)
/* Higher costs count as this one. */
#define GHLO_CUT_MOST   ((gint64) 1 << 46)

GhloCut  *ghlo_cut_new      (void);
void      ghlo_cut_free     (GhloCut *self);
/* Returns the number of the new node; nodes are numbered from 0. */
guint     ghlo_cut_add_node (GhloCut *self,
                             gint64   cost_here,
                             gint64   cost_there);
/* Adds the cost of @here being in the first place while @there is in the second. */
void      ghlo_cut_add_pair (GhloCut *self,
                             guint    here,
                             guint    there,
                             gint64   cost);
/* FALSE when more than @max_visits edges would be visited; then there is no result. */
gboolean  ghlo_cut_solve    (GhloCut *self,
                             guint64  max_visits);
/* Whether the node is in the second place. Among several minimum cuts, the one with the fewest nodes there is taken. */
gboolean  ghlo_cut_is_there (const GhloCut *self,
                             guint          node);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloCut, ghlo_cut_free)

G_END_DECLS
