/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What functions return.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

/* A function that stablehlo.return ends may return more values than it has results, as programs of the official tests
 * do; the rest is dropped. Here it is so once and for all: whoever reads a function afterwards finds as many values as
 * results. The module need not be verified. */
void ghlo_import_drop_returns (GhloIrModule *module);

G_END_DECLS
