/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Members of JSON objects that several sub-commands print.
 */

#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

static inline void
ghlo_tool_json_add_int (JsonBuilder *builder,
                        const char  *name,
                        gint64       value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, value);
}

G_END_DECLS
