/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts of `ghlo bench`: measuring programs, measuring the machine, and
 * reporting both.
 */

#pragma once

#include <json-glib/json-glib.h>

#include "ir/cost.h"
#include "tools/tool.h"

G_BEGIN_DECLS

typedef struct
{
  const char     *device;       /* the device's name; nullable */
  char          **inputs;        /* specifications of inputs; nullable */
  const char     *fill;          /* specification for the content of all other inputs */
  guint           warm_up;       /* untimed runs before the timed ones */
  guint           repetitions;   /* 0: as many as fit into @seconds, but at least 5 */
  double          seconds;
  gboolean        profile;       /* repeat the runs with a measurement of each step */
  gboolean        wait_for_code; /* after the first run, wait for machine code that is still being generated */
} GhloBenchOptions;

/* The results for one program. Times are in seconds. */
typedef struct
{
  char       *name;
  GhloIrCost  cost;
  double      load, compile, first;
  double      minimum, median, mean, deviation, p95, p99;
  double      queued;           /* least time of one run of several that do not wait for each other; the minimum where
                                 * the device works in host memory */
  double      reference;        /* fraction of the running time that is spent in steps of the reference executor */
  guint       n_runs;
  gsize       peak_bytes;       /* peak use of the device's working memory during the runs */
  gsize       planned_bytes;    /* the part of it that was planned ahead; 0 when nothing was planned */
  double      faults;           /* page faults per run */
  double      copy, products;   /* the peak rates of the device as in GhloBenchMachine where they are not the machine's;
                                 * 0 where they are, or are not known */
  char       *steps;            /* a table of the times of the steps; NULL when they were not measured */
} GhloBenchResult;

/* The peak rates of this machine; 0 where a rate could not be measured. */
typedef struct
{
  double copy;      /* bytes read and written per second */
  double products;  /* f32 operations per second in a matrix product */
} GhloBenchMachine;

gboolean ghlo_bench_measure      (const char              *path,
                                  const GhloBenchOptions  *options,
                                  GhloBenchResult         *result,
                                  GError                 **error);
void     ghlo_bench_result_clear (GhloBenchResult         *result);
void     ghlo_bench_machine      (GhloBenchMachine        *machine);

/* All results and the machine's rates, in the form in which they are saved and compared. */
JsonNode *ghlo_bench_to_json     (const GhloBenchMachine  *machine,
                                  const GhloBenchResult   *results,
                                  guint                    n_results);
/* @baseline holds results saved earlier; nullable. Returns how many programs became slower by more than
 * @tolerance (0.1 is a tenth). */
guint    ghlo_bench_print_table  (const GhloBenchMachine  *machine,
                                  const GhloBenchResult   *results,
                                  guint                    n_results,
                                  JsonNode                *baseline,
                                  double                   tolerance);
void     ghlo_bench_print_csv    (const GhloBenchMachine  *machine,
                                  const GhloBenchResult   *results,
                                  guint                    n_results);

G_END_DECLS
