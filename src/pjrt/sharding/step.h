/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One step of propagation: the operands and results of one operation come to lie along each factor of its rule as the
 * others do, where they may. Nothing that a tensor lies along is taken back, so that steps come to an end.
 */

#pragma once

#include "pjrt/sharding/rule.h"
#include "pjrt/sharding/spec.h"

G_BEGIN_DECLS

/* Which way it goes: from operands to results, from results to operands. */
typedef enum
{
  GHLO_PJRT_NOWHERE = 0,
  GHLO_PJRT_FORWARD = 1 << 0,
  GHLO_PJRT_BACKWARD = 1 << 1,
  GHLO_PJRT_BOTH_WAYS = GHLO_PJRT_FORWARD | GHLO_PJRT_BACKWARD,
} GhloPjrtWay;

/* A step's request. */
typedef struct
{
  const GhloPjrtRule *rule;
  GhloPjrtWay         same, other;      /* of factors of these kinds */
  gboolean            is_elementwise;
} GhloPjrtStep;

/* @specs: by tensor of the rule, each NULL where nothing is known; specs that come to lie along more are replaced, and
 * the caller's. Sets @changed by tensor; TRUE where any did. Those of one mesh alone are looked at. */
gboolean      ghlo_pjrt_propagate_step (const GhloPjrtStep  *self,
                                        GhloPjrtSpec       **specs,
                                        gboolean            *changed);

G_END_DECLS
