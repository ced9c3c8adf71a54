/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The entry of a program whose inputs or outputs were changed.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

/* Has the type of @module's entry be that of its arguments and of what it returns, of as many as before. Inputs and
 * outputs whose type is another one lose what was said of their sharding. */
void ghlo_pjrt_update_entry (GhloIrModule *module);

G_END_DECLS
