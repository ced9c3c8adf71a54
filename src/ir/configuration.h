/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The configuration of a custom call in forms for readers and languages that know nothing of MLIR.
 */

#pragma once

#include <gio/gio.h>

#include "ir/module.h"

G_BEGIN_DECLS

/* Returns the text of the backend_config, or its dictionary printed
 * as text, which the caller frees; NULL if the call has none. */
char     *ghlo_ir_configuration_to_string  (const GhloIrOp *op);
/* Returns the call's discardable attributes and the entries of its configuration dictionaries as a floating a{sv}. */
GVariant *ghlo_ir_configuration_to_variant (const GhloIrOp *op);

G_END_DECLS
