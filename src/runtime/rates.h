/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rates of devices, as `ghlo calibrate` measured them: kept in the cache for as long as the device, its driver and the
 * version of the library are the same.
 */

#pragma once

#include "plan/target.h"

G_BEGIN_DECLS

/* A number of GhloStepRates. */
typedef struct
{
  const char *name;             /* "uploads" */
  const char *unit;             /* "bytes/s" */
  gboolean    is_time;          /* it is how long one takes; FALSE: how many there are in a second */
  gsize       offset;           /* in the struct */
} GhloRatesField;

enum { GHLO_RATES_N_FIELDS = sizeof (GhloStepRates) / sizeof (double) };

extern const GhloRatesField ghlo_rates_fields[GHLO_RATES_N_FIELDS];

static inline double
ghlo_rates_get (const GhloStepRates *rates,
                guint                field)
{
  return *(const double *) (gconstpointer) ((const guint8 *) rates + ghlo_rates_fields[field].offset);
}

static inline void
ghlo_rates_set (GhloStepRates *rates,
                guint          field,
                double         rate)
{
  *(double *) (gpointer) ((guint8 *) rates + ghlo_rates_fields[field].offset) = rate;
}

/* Seconds for as much as @amounts has in the place of the rate; 0 for nothing, whatever the rate. */
double   ghlo_rates_time   (const GhloStepRates *rates,
                            const GhloStepRates *amounts,
                            guint                field);
/* For caches, from an identity; the caller unrefs it. */
GBytes  *ghlo_rates_key    (GBytes              *identity);

/* Sets *@rates to what was measured of the device that @identity tells from all others; FALSE where nothing was, or
 * what there is cannot be true. */
gboolean ghlo_rates_recall (GBytes              *identity,
                            GhloStepRates       *rates);
/* @title: of the device, for people. Does nothing where nothing is kept (GHLO_CACHE). */
void     ghlo_rates_keep   (GBytes              *identity,
                            const char          *title,
                            const GhloStepRates *rates);

G_END_DECLS
