/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Process groups: how the replica groups of an operation (or its source-target
 * pairs) partition the grid of processes. The number of a process is replica *
 * n_partitions + partition.
 */

#pragma once

#include "reference/process/process.h"

G_BEGIN_DECLS

/* The strategies of the specification's section "Collective ops". */
typedef enum
{
  GHLO_REF_CROSS_REPLICA,
  GHLO_REF_CROSS_PARTITION,
  GHLO_REF_CROSS_REPLICA_AND_PARTITION,
  GHLO_REF_FLATTENED_IDS,
} GhloRefStrategy;

typedef struct
{
  GPtrArray *groups;         /* of GArray of guint32, in the order in which the strategy yields them */
} GhloRefGroups;

/* Reads the groups of attribute @name of the operation ("replica_groups" or "source_target_pairs"). FALSE
 * with @error set when they do not fit the grid. */
gboolean      ghlo_ref_groups_init      (GhloRefGroups   *self,
                                         GhloRefCall     *call,
                                         const char      *name,
                                         GhloRefStrategy  strategy,
                                         GError         **error);
void          ghlo_ref_groups_clear     (GhloRefGroups   *self);
/* The group that contains @process, or NULL. */
const GArray *ghlo_ref_groups_find      (const GhloRefGroups *self,
                                         guint32              process);

guint32       ghlo_ref_call_get_process (const GhloRefCall *call);
/* The operation's channel, or 0 when it has none. */
gint64        ghlo_ref_call_get_channel (const GhloRefCall *call);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GhloRefGroups, ghlo_ref_groups_clear)

G_END_DECLS
