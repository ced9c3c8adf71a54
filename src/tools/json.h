/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * JSON members that several sub-commands print.
 */

#pragma once

#include <json-glib/json-glib.h>

#include "runtime/rates-cache.h"

G_BEGIN_DECLS

static inline void
ghlo_tool_json_add_int (JsonBuilder *builder,
                        const char  *name,
                        gint64       value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, value);
}

/* Adds an object of all rates, by name. */
static inline void
ghlo_tool_json_add_rates (JsonBuilder           *builder,
                          const char            *name,
                          const GhloDeviceRates *rates)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_object (builder);
  for (guint i = 0; i < GHLO_RATES_N_FIELDS; i++)
    {
      json_builder_set_member_name (builder, ghlo_rates_fields[i].name);
      json_builder_add_double_value (builder, ghlo_rates_get (rates, i));
    }
  json_builder_end_object (builder);
}

G_END_DECLS
