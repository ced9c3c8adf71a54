/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Value infos out of a function's signature.
 */

#pragma once

#include "ghlo-value-info.h"
#include "ir/module.h"

G_BEGIN_DECLS

typedef enum
{
  GHLO_VALUE_INFO_INPUTS,
  GHLO_VALUE_INFO_OUTPUTS,
} GhloValueInfoSide;

/* One for each input or output of @function, NULL-terminated; none for NULL. */
GhloValueInfo **ghlo_value_info_list_for_function (const GhloIrOp    *function,
                                                   GhloValueInfoSide  side);

/* What is known of the value of that number by its type. */
GhloValueInfo  *ghlo_value_info_new_for_type      (const GhloIrType  *type,
                                                   guint              index);

G_END_DECLS
