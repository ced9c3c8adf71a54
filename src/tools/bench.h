/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts of `ghlo bench`: what a program takes, what the machine could do, and
 * how both are shown.
 */

#pragma once

#include <json-glib/json-glib.h>

#include "ir/cost.h"
#include "tools/tool.h"

G_BEGIN_DECLS

typedef struct
{
  const char     *device;       /* its name; nullable */
  const char     *fill;          /* for every input */
  guint           warm_up;       /* runs before those that count */
  guint           repetitions;   /* 0: as many as fit into @seconds, 5 at least */
  double          seconds;
  gboolean        profile;       /* run as often again, step by step */
  gboolean        wait_for_code; /* between the first run and the others */
} GhloBenchOptions;

/* One program; times are in seconds. */
typedef struct
{
  char       *name;
  GhloIrCost  cost;
  double      load, compile, first;
  double      minimum, median, mean, deviation, p95, p99;
  double      reference;        /* share of the runs' time in steps of the reference executor */
  guint       n_runs;
  gsize       peak_bytes;       /* of the memory that the device works in, while it ran */
  gsize       planned_bytes;    /* of it, as was known before; 0 where it was not */
  double      faults;           /* pages that were touched anew, for each run */
  char       *steps;            /* a table of what they took; NULL where that was not measured */
} GhloBenchResult;

/* What this machine does at its best; 0 where it could not be measured. */
typedef struct
{
  double copy;      /* bytes a second that are read and written */
  double products;  /* f32 operations a second in a product of matrices */
} GhloBenchMachine;

gboolean ghlo_bench_measure      (const char              *path,
                                  const GhloBenchOptions  *options,
                                  GhloBenchResult         *result,
                                  GError                 **error);
void     ghlo_bench_result_clear (GhloBenchResult         *result);
void     ghlo_bench_machine      (GhloBenchMachine        *machine);

/* The least time that the machine needs: the longer of moving the bytes and doing
 * the products; 0 when neither rate is known. */
double   ghlo_bench_least_time   (const GhloBenchMachine  *machine,
                                  const GhloIrCost        *cost);

/* All results with the machine's rates, as they are saved and compared. */
JsonNode *ghlo_bench_to_json     (const GhloBenchMachine  *machine,
                                  const GhloBenchResult   *results,
                                  guint                    n_results);
/* @baseline is what was saved earlier, or NULL. Returns how many programs became
 * slower by more than @tolerance (0.1 is a tenth). */
guint    ghlo_bench_print_table  (const GhloBenchMachine  *machine,
                                  const GhloBenchResult   *results,
                                  guint                    n_results,
                                  JsonNode                *baseline,
                                  double                   tolerance);
void     ghlo_bench_print_csv    (const GhloBenchMachine  *machine,
                                  const GhloBenchResult   *results,
                                  guint                    n_results);

G_END_DECLS
