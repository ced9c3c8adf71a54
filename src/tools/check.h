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

/* How many steps the units did that there are: a device's, the CPU's, the host's. */
typedef struct
{
  const char *names[8];
  guint       counts[8];
  guint       n, total;
} GhloToolUnits;

/* The functions of a test program that are run: "main", or else all, where they take no inputs. */
GPtrArray *ghlo_tool_find_runs  (const GhloIrModule *module);
/* What of the program is left out when @runs are run: all of it, or functions with checks in
 * them. NULL when nothing is. */
char      *ghlo_tool_find_unrun (const GhloIrModule *module,
                                 GPtrArray          *runs);

void       ghlo_tool_count_units (GhloToolUnits       *self,
                                  const GhloPrepared  *prepared);
void       ghlo_tool_print_units (const GhloToolUnits *self);

/* Adds what goes wrong to @failures, a line each. */
void ghlo_tool_check_artifacts (GhloToolArtifacts       *self,
                                GhloIrModule            *module,
                                GString                 *failures);
void ghlo_tool_print_artifacts (const GhloToolArtifacts *self);
/* Writes @module for version @index of them, the newest last, and reads it: the program
 * is the same, and so are the bytes when it is written again. FALSE with *message set
 * where that is wrong; *held is FALSE when the version has no room for the program. */
gboolean ghlo_tool_check_artifact    (GhloIrModule   *module,
                                      guint           index,
                                      gboolean       *held,
                                      char          **message);
/* What no artifact gives back as it is: operations that are kept without being known, casts,
 * which readers take away, and a function that ends like a region of an operation. */
gboolean ghlo_tool_is_in_no_artifact (const GhloIrOp *op);
/* The first line in which two texts differ, for a message that the caller frees. */
char    *ghlo_tool_difference        (const char     *a,
                                      const char     *b);

G_END_DECLS
