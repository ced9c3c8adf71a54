/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The constructors of value infos, from a function's signature.
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

/* One info for each input or output of @function, NULL-terminated; an empty list when @function is NULL. */
GhloValueInfo **ghlo_value_info_list_for_function (const GhloIrOp    *function,
                                                   GhloValueInfoSide  side);

/* The info that can be derived from the type of value number @index. */
GhloValueInfo  *ghlo_value_info_new_for_type      (const GhloIrType  *type,
                                                   guint              index);

G_END_DECLS
