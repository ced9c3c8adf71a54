/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Running a compiled program.
 */

#pragma once

#include "compiler/executable-core.h"

G_BEGIN_DECLS

/* What one run gave. */
typedef struct
{
  GPtrArray *outputs;           /* of GhloValue, owned */
  gint64     run_time;          /* microseconds, as the next */
  gint64     reference_time;    /* of these in steps of the reference executor */
} GhloOutcome;

/* Every input was accepted. Outputs have memory of their own, or, as @options (nullable, less
 * fallback_time) allows, that of an input which the caller then gives up, or what the caller
 * brought; in that an output always is, though its value may be another. INVALID_ARGUMENT when
 * it does not fit there. */
GhloOutcome *ghlo_run_executable (GhloExecutableCore    *executable,
                                  GhloValue *const      *inputs,
                                  const GhloRunOptions  *options,
                                  const GhloMonitor     *monitor,
                                  GError               **error);
void         ghlo_outcome_free   (GhloOutcome           *self);

/* A value like @value with memory that nobody else has. */
GhloValue   *ghlo_copy_value     (GhloValue *value,
                                  GError   **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloOutcome, ghlo_outcome_free)

G_END_DECLS
