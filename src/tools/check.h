/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts of `ghlo check`.
 */

#pragma once

#include "tools/tool.h"

G_BEGIN_DECLS

#define GHLO_TOOL_N_VERSIONS 33

/* For each version of portable artifacts, how many programs it could represent and how many it could not. */
typedef struct
{
  guint n_held[GHLO_TOOL_N_VERSIONS];
  guint n_refused[GHLO_TOOL_N_VERSIONS];
} GhloToolArtifacts;

/* How many steps ran on each unit: a device, the CPU, or the host. */
typedef struct
{
  const char *names[8];
  guint       counts[8];
  guint       n, total;
} GhloToolUnits;

/* The functions of a test program to run: "main" if there is one, otherwise all functions. Functions that
 * take inputs are left out. */
GPtrArray *ghlo_tool_find_runs  (const GhloIrModule *module);
/* Describes what remains untested when @runs are run: the whole program, or functions that contain checks.
 * NULL when nothing remains. */
char      *ghlo_tool_find_unrun (const GhloIrModule *module,
                                 GPtrArray          *runs);

void       ghlo_tool_count_units (GhloToolUnits       *self,
                                  const GhloPrepared  *prepared);
void       ghlo_tool_print_units (const GhloToolUnits *self);

/* Appends one line to @failures for each problem. */
void ghlo_tool_check_artifacts (GhloToolArtifacts       *self,
                                GhloIrModule            *module,
                                GString                 *failures);
void ghlo_tool_print_artifacts (const GhloToolArtifacts *self);
/* Writes @module for version number @index (the newest is the last) and reads it back. The program must be
 * the same, and so must the bytes when it is written again. FALSE with *message set where they are not.
 * *held is FALSE when the version cannot represent the program. */
gboolean ghlo_tool_check_artifact    (GhloIrModule   *module,
                                      guint           index,
                                      gboolean       *held,
                                      char          **message);
/* Whether no artifact can reproduce the operation unchanged: unregistered operations, casts, which readers
 * remove, and functions that end with a region's terminator. */
gboolean ghlo_tool_is_in_no_artifact (const GhloIrOp *op);
/* A message with the first line in which two texts differ. The caller frees it. */
char    *ghlo_tool_difference        (const char     *a,
                                      const char     *b);

G_END_DECLS
