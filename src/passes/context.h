/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a pass is and what it is given: its row of the table, the options of the run, and counters of its changes.
 * Private to this folder.
 */

#pragma once

#include "passes/pass.h"

G_BEGIN_DECLS

typedef struct
{
  const GhloPassOptions *options;
  const GhloMonitor     *monitor;        /* nullable */
  guint64                n_changes;      /* of the current pass */
  guint64                n_evaluated;    /* elements computed ahead of time in this run, over all rounds */
  guint                  n_merges;       /* merges that fusion passes made in this run */
  guint                  max_merges;
} GhloPassContext;

typedef gboolean (*GhloPassFunc) (GhloIrModule     *module,
                                  GhloPassContext  *context,
                                  GError          **error);

typedef enum
{
  GHLO_PASS_EACH,                        /* in each round */
  GHLO_PASS_FIRST,                       /* in the first round only */
  GHLO_PASS_FUSION,                      /* once, by ghlo_passes_fuse () */
} GhloPassSchedule;

typedef struct
{
  const char      *name;                 /* kebab-case, as switches have it */
  const char      *summary;              /* one line */
  guint            level;                /* the lowest level that runs it */
  GhloPassSchedule schedule;
  GhloPassFunc     run;
} GhloPass;

/* In the order in which a round runs them. */
extern const GhloPass ghlo_pass_table[];

#define PASS(word) \
  gboolean ghlo_pass_##word (GhloIrModule *module, GhloPassContext *context, GError **error)
PASS (inline);
PASS (lower_quantized);
PASS (expand);
PASS (whole_scatter_windows);
PASS (canonicalize);
PASS (fold);
PASS (fold_transposes);
PASS (reshape);
PASS (cse);
PASS (licm);
PASS (count_loops);
PASS (dce);
PASS (channels_last);
PASS (expand_dots);
PASS (narrow_dots);
PASS (split_windows);
PASS (fuse_loops);
PASS (fuse_attention);
PASS (expand_gemv);
PASS (fuse_epilogues);
PASS (fuse_reductions);
PASS (fuse_maps);
PASS (widen_floats);
#undef PASS

/* The part of "expand" without which a program would not run. */
gboolean ghlo_pass_expand_required (GhloIrModule     *module,
                                    GhloPassContext  *context,
                                    GError          **error);

G_END_DECLS
