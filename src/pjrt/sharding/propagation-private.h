/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Propagation at work: what is known of which value, and which operations are to be looked at again. Shared by what
 * begins it (propagation.c), what the program says (said.c) and what operations do (visit.c).
 */

#pragma once

#include "pjrt/sharding/propagation.h"
#include "pjrt/sharding/step.h"

G_BEGIN_DECLS

/* The last of them lets everything go everywhere. */
enum { GHLO_PJRT_N_LEVELS = 5 };

struct _GhloPjrtPropagation
{
  GhloIrModule   *module;       /* owned, as all of the next */
  const GhloIrOp *function;     /* the module's */
  guint           n_partitions;
  GPtrArray      *meshes;       /* of GhloPjrtMesh, owned */
  GHashTable     *specs;        /* by place, see there → GhloPjrtSpec, owned */
  GHashTable     *groups;       /* GhloIrValue → the GPtrArray of all in its group, owned; those in groups alone */
  GPtrArray      *all_groups;   /* of these */
  GPtrArray      *ops;          /* of GhloIrOp, borrowed; their id is their place here */
  gboolean       *is_waiting;   /* by operation */
  gboolean        any_waits;
  guint           level;        /* of GHLO_PJRT_N_LEVELS */
  GhloPjrtRule    rule;         /* of the operation at work */
};

/* The id of a value, else 0. */
enum
{
  GHLO_PJRT_IS_FREE = 1,        /* no spec is kept of it: uses have constants, and a scalar everywhere, as they like */
  GHLO_PJRT_WAS_CONSTRAINED,    /* and it was decided whether it follows */
};

/* What lies somehow: a value, or the operand of an operation by itself, which the program says something of; then
 * @value is NULL. @hidden: primes that are not to be seen of it. */
typedef struct
{
  gconstpointer      key;
  const GhloIrValue *value;
  guint              hidden;
} GhloPjrtPlace;

GhloPjrtPlace    ghlo_pjrt_place_of        (const GhloPjrtPropagation *self,
                                            const GhloIrValue         *value);
GhloPjrtPlace    ghlo_pjrt_operand_place   (const GhloIrOp            *op,
                                            guint                      index);
/* NULL where nothing is known. */
GhloPjrtSpec    *ghlo_pjrt_look_up         (const GhloPjrtPropagation *self,
                                            GhloPjrtPlace              place);
/* Takes @spec (nullable). FALSE where none is kept. */
gboolean         ghlo_pjrt_know            (GhloPjrtPropagation       *self,
                                            GhloPjrtPlace              place,
                                            GhloPjrtSpec              *spec);
/* The operation that steps between values that @op gives from its region, or @op. */
const GhloIrOp  *ghlo_pjrt_step_owner      (const GhloIrOp            *op);
/* Has @op looked at again. */
void             ghlo_pjrt_wait_for        (GhloPjrtPropagation       *self,
                                            const GhloIrOp            *op);
/* Has all looked at again that touch @value. */
void             ghlo_pjrt_tell            (GhloPjrtPropagation       *self,
                                            const GhloIrValue         *value);

/* All that the program says of values, from which the rest follows. */
void             ghlo_pjrt_know_said       (GhloPjrtPropagation       *self);

/* Takes a step between what @op connects. */
void             ghlo_pjrt_visit           (GhloPjrtPropagation       *self,
                                            const GhloIrOp            *op);
/* Whether @op connects values by edges, as a loop does what it carries, and not by a rule. */
gboolean         ghlo_pjrt_has_edges       (const GhloIrOp            *op);

G_END_DECLS
