/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One step of propagation: for each factor of an operation's rule, the shardings of its operands and results are
 * extended to match each other as far as possible. Steps only add axes and never remove any, so propagation
 * terminates.
 */

#pragma once

#include "pjrt/sharding/rule.h"
#include "pjrt/sharding/spec.h"

G_BEGIN_DECLS

/* The direction of propagation: from operands to results, and from results to operands. */
typedef enum
{
  GHLO_PJRT_NOWHERE = 0,
  GHLO_PJRT_FORWARD = 1 << 0,
  GHLO_PJRT_BACKWARD = 1 << 1,
  GHLO_PJRT_BOTH_WAYS = GHLO_PJRT_FORWARD | GHLO_PJRT_BACKWARD,
} GhloPjrtDirection;

/* The input of a step. */
typedef struct
{
  const GhloPjrtRule *rule;
  GhloPjrtDirection   pass_through, communication;      /* the directions for factors of these kinds */
  gboolean            is_elementwise;
} GhloPjrtStep;

/* @specs: by tensor of the rule; NULL where nothing is known. Specs that gain axes are replaced by new ones, which
 * the caller owns. Sets @changed by tensor and returns TRUE when any spec changed. Only specs over a single mesh are
 * considered. */
gboolean      ghlo_pjrt_propagate_step (const GhloPjrtStep  *self,
                                        GhloPjrtSpec       **specs,
                                        gboolean            *changed);

G_END_DECLS
