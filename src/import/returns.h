/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Normalises the returns of functions.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

/* A function that ends in stablehlo.return may return more values than it has results,
 * as programs of the official tests do. This function drops the extra values, so that
 * all later code finds as many values as results. The module need not be verified. */
void ghlo_import_drop_returns (GhloIrModule *module);

G_END_DECLS
