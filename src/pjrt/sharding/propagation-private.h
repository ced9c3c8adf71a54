/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The state of propagation: what is known about each value, and the worklist of operations. Shared by the driver
 * (propagation.c), the reading of the program's annotations (annotations.c) and the handling of operations (visit.c).
 */

#pragma once

#include "pjrt/sharding/propagation.h"
#include "pjrt/sharding/step.h"

G_BEGIN_DECLS

/* At the last level everything propagates in all directions. */
enum { GHLO_PJRT_N_LEVELS = 5 };

struct _GhloPjrtPropagation
{
  GhloIrModule   *module;       /* owned, as are the fields below */
  const GhloIrOp *function;     /* borrowed from the module */
  guint           n_partitions;
  GPtrArray      *meshes;       /* of GhloPjrtMesh, owned */
  GHashTable     *specs;        /* the key of a slot → GhloPjrtSpec, owned */
  GHashTable     *groups;       /* GhloIrValue → the GPtrArray of all values in its sharding group; only for values
                                   in groups */
  GPtrArray      *all_groups;   /* owns the arrays of groups */
  GPtrArray      *ops;          /* of GhloIrOp, borrowed; the id of an operation is its index here */
  gboolean       *is_queued;    /* by operation: whether it is on the worklist */
  gboolean        any_queued;
  guint           level;        /* of GHLO_PJRT_N_LEVELS */
  GhloPjrtRule    rule;         /* the rule of the operation at work */
};

/* The ids of values; 0 for all others. */
enum
{
  GHLO_PJRT_IS_FREE = 1,        /* no spec is kept: each use of a constant or of a broadcast scalar may have its own
                                   sharding */
  GHLO_PJRT_WAS_CONSTRAINED,    /* it was already decided whether the value takes over a constraint */
};

/* What a spec is kept for: a value, or a single operand of an operation for which the program specifies a
 * sharding; then @value is NULL. @hidden: primes of its sharding that steps must not see. */
typedef struct
{
  gconstpointer      key;
  const GhloIrValue *value;
  guint              hidden;
} GhloPjrtSlot;

GhloPjrtSlot     ghlo_pjrt_value_slot       (const GhloPjrtPropagation *self,
                                             const GhloIrValue         *value);
GhloPjrtSlot     ghlo_pjrt_operand_slot     (const GhloIrOp            *op,
                                             guint                      index);
/* Returns NULL when nothing is known. */
GhloPjrtSpec    *ghlo_pjrt_look_up          (const GhloPjrtPropagation *self,
                                             GhloPjrtSlot               slot);
/* Stores @spec (nullable), which it takes over. Returns FALSE when it was not stored. */
gboolean         ghlo_pjrt_store_spec       (GhloPjrtPropagation       *self,
                                             GhloPjrtSlot               slot,
                                             GhloPjrtSpec              *spec);
/* Returns the operation whose visit handles the operands of @op: its parent when @op ends a region, otherwise @op. */
const GhloIrOp  *ghlo_pjrt_step_owner       (const GhloIrOp            *op);
/* Adds @op to the worklist. */
void             ghlo_pjrt_enqueue          (GhloPjrtPropagation       *self,
                                             const GhloIrOp            *op);
/* Adds all operations that touch @value to the worklist. */
void             ghlo_pjrt_enqueue_touching (GhloPjrtPropagation       *self,
                                             const GhloIrValue         *value);

/* Reads everything that the program says about the shardings of values, from which the rest follows. */
void             ghlo_pjrt_read_annotations (GhloPjrtPropagation       *self);

/* Propagates between the values that @op connects. */
void             ghlo_pjrt_visit            (GhloPjrtPropagation       *self,
                                             const GhloIrOp            *op);
/* Whether @op connects values by edges, as a loop connects its carried values, rather than by a rule. */
gboolean         ghlo_pjrt_has_edges        (const GhloIrOp            *op);

G_END_DECLS
