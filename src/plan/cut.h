/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Things of which each is to be in one of two places, at a cost that depends on the place, and on pairs that are in
 * different ones. The least sum of costs is a minimum cut of a network (Greig, Porteous and Seheult 1989), which
 * blocking flows find (Dinitz 1970).
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _GhloCut GhloCut;

/* Costs are 0 or more; this one is that of what must not be. */
#define GHLO_CUT_NEVER  ((gint64) 1 << 56)
/* What is dearer counts as this. */
#define GHLO_CUT_MOST   ((gint64) 1 << 46)

GhloCut  *ghlo_cut_new      (void);
void      ghlo_cut_free     (GhloCut *self);
/* Its number; nodes are numbered from 0. */
guint     ghlo_cut_add_node (GhloCut *self,
                             gint64   cost_here,
                             gint64   cost_there);
/* What is to be paid where @here is in the first place, and @there in the second one. */
void      ghlo_cut_add_pair (GhloCut *self,
                             guint    here,
                             guint    there,
                             gint64   cost);
/* FALSE when it takes more than so many looks at pairs; then nothing is known. */
gboolean  ghlo_cut_solve    (GhloCut *self,
                             guint64  max_looks);
/* Whether the node is in the second place. Of several cuts it is the one with the fewest nodes there. */
gboolean  ghlo_cut_is_there (const GhloCut *self,
                             guint          node);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloCut, ghlo_cut_free)

G_END_DECLS
