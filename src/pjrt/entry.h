/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Updates the entry of a program after its inputs or outputs were changed.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

/* Sets the function type of @module's entry from the types of its arguments and of the values that it returns. Their
 * numbers must not have changed. Inputs and outputs whose type has changed lose their sharding attributes. */
void ghlo_pjrt_update_entry (GhloIrModule *module);

G_END_DECLS
