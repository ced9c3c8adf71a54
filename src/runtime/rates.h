/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rates of devices, as measured by `ghlo calibrate`. They are kept in the cache for as long as the device, its
 * driver and the version of the library stay the same.
 */

#pragma once

#include "plan/target.h"

G_BEGIN_DECLS

/* Describes one number of GhloStepRates. */
typedef struct
{
  const char *name;             /* "uploads" */
  const char *unit;             /* "bytes/s" */
  gboolean    is_time;          /* TRUE: seconds for one; FALSE: how many in a second */
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

/* Returns the seconds that the amount in this field takes at its rate; 0 where the amount is 0, whatever the rate. */
double   ghlo_rates_time   (const GhloStepRates *rates,
                            const GhloStepRates *amounts,
                            guint                field);
/* Returns the cache key for a device's identity; transfer full. */
GBytes  *ghlo_rates_key    (GBytes              *identity);

/* Sets *@rates to the measured rates of the device with that identity. Returns FALSE where there are none or they are
 * implausible. */
gboolean ghlo_rates_recall (GBytes              *identity,
                            GhloStepRates       *rates);
/* @title names the device for people. Does nothing where GHLO_CACHE keeps nothing. */
void     ghlo_rates_keep   (GBytes              *identity,
                            const char          *title,
                            const GhloStepRates *rates);

G_END_DECLS
