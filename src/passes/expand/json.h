/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads JSON into attributes.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

/* Reads an object whose values are numbers, texts, booleans, or arrays of these, into a dictionary. NULL for anything
 * else. A number that is written without a fraction and an exponent is an INTEGER if it fits into 64 bits. */
const GhloIrAttr *ghlo_expand_json_read (GhloIrModule *module,
                                         const char   *text,
                                         gsize         length);

G_END_DECLS
