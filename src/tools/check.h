/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts of `ghlo check`.
 */

#pragma once

#include "tools/tool.h"

G_BEGIN_DECLS

#define GHLO_TOOL_N_VERSIONS 33

/* Programs that each version of portable artifacts could hold and could not. */
typedef struct
{
  guint n_held[GHLO_TOOL_N_VERSIONS];
  guint n_refused[GHLO_TOOL_N_VERSIONS];
} GhloToolArtifacts;

/* Adds what goes wrong to @failures, a line each. */
void ghlo_tool_check_artifacts (GhloToolArtifacts       *self,
                                GhloIrModule            *module,
                                GString                 *failures);
void ghlo_tool_print_artifacts (const GhloToolArtifacts *self);

G_END_DECLS
