/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The configuration of calls that are expanded: a dictionary as "backend_config", or the same as a text in JSON.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

typedef struct
{
  const GhloIrOp   *op;
  const GhloIrAttr *entries;     /* a dictionary; NULL where there is no configuration */
} GhloExpandConfig;

/* Reads the configuration of @op, of which each entry has one of @names, a list that ends with NULL. FALSE otherwise,
 * with a sentence in *@problem that the caller frees. */
gboolean ghlo_expand_config_read     (GhloExpandConfig        *self,
                                      GhloIrModule            *module,
                                      const GhloIrOp          *op,
                                      const char *const       *names,
                                      char                   **problem);

/* If the entry is absent, *@value keeps its value. FALSE, with *@problem, if it has another kind. An integer is a real
 * number, too, and 0 and 1 are booleans. */
gboolean ghlo_expand_config_real     (const GhloExpandConfig  *self,
                                      const char              *name,
                                      double                  *value,
                                      char                   **problem);
gboolean ghlo_expand_config_integer  (const GhloExpandConfig  *self,
                                      const char              *name,
                                      gint64                  *value,
                                      char                   **problem);
/* A dimension of a tensor of that rank; a negative one counts from the end, as its default *@value may do. */
gboolean ghlo_expand_config_axis     (const GhloExpandConfig  *self,
                                      const char              *name,
                                      guint                    rank,
                                      gint64                  *value,
                                      char                   **problem);
gboolean ghlo_expand_config_boolean  (const GhloExpandConfig  *self,
                                      const char              *name,
                                      gboolean                *value,
                                      char                   **problem);
gboolean ghlo_expand_config_text     (const GhloExpandConfig  *self,
                                      const char              *name,
                                      const char             **value,
                                      char                   **problem);
/* Gets an ARRAY of texts or integers; NULL if the entry is absent. */
gboolean ghlo_expand_config_array    (const GhloExpandConfig  *self,
                                      const char              *name,
                                      GhloIrAttrKind           kind,
                                      const GhloIrAttr       **value,
                                      char                   **problem);

G_END_DECLS
