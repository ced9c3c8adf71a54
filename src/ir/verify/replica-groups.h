/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Groups of processes, given as a table of ids or as axes of a mesh.
 */

#pragma once

#include "ir/verify/structured.h"

G_BEGIN_DECLS

typedef enum
{
  GHLO_IR_GROUPS_EQUAL,      /* all of one size; the ids are 0 … n-1 */
  GHLO_IR_GROUPS_PADDED,     /* shorter groups are padded with -1; the ids are 0 … n-1 */
  GHLO_IR_GROUPS_PARTIAL,    /* any subset of the processes */
} GhloIrGroupsKind;

/* Checks the attribute "replica_groups". @size is the size that groups must have, or -1. */
gboolean ghlo_ir_verify_replica_groups (GhloIrVerifier   *verifier,
                                        const GhloIrOp   *op,
                                        GhloIrGroupsKind  kind,
                                        gint64            size);

G_END_DECLS
