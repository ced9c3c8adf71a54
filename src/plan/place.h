/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where the steps of a program run whose preferred device is apart from the host's memory: there, or in the host's
 * where that is estimated to be quicker, the transfers that it takes included.
 */

#pragma once

#include "plan/target.h"

G_BEGIN_DECLS

/* The operations and fusions of @function that are better done by @host, by what is known of the rates of both (each
 * nullable), as a set; the caller unrefs it. NULL where none are, rates are not known, or the program is not one that
 * this understands. It depends on these alone. */
GHashTable *ghlo_step_place (const GhloIrOp       *function,
                             const GhloStepTarget *device,
                             const GhloStepRates  *device_rates,
                             const GhloStepTarget *host,
                             const GhloStepRates  *host_rates);

G_END_DECLS
