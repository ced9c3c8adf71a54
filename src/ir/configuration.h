/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a program configures a custom call with, for people and for languages that know nothing of MLIR.
 */

#pragma once

#include <gio/gio.h>

#include "ir/module.h"

G_BEGIN_DECLS

/* The backend_config: its text, or its dictionary as text; the caller frees it. NULL where there is none. */
char     *ghlo_ir_configuration_to_string  (const GhloIrOp *op);
/* The entries of its dictionaries and its attributes of its own, as a{sv}, floating. */
GVariant *ghlo_ir_configuration_to_variant (const GhloIrOp *op);

G_END_DECLS
