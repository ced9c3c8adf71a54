/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The rates of a device, which are measured by `ghlo calibrate` or else guessed: how much it moves and computes in a
 * second. Times of steps and programs are estimated by them.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Classes of products and convolutions by their element type. */
typedef enum
{
  GHLO_PRODUCT_F32,              /* and integers of more than 16 bits */
  GHLO_PRODUCT_NARROW,           /* at most 16 bits; devices have special units for them */
  GHLO_PRODUCT_WIDE,             /* f64 and complex numbers */
  GHLO_N_PRODUCT_RATES
} GhloProductRate;

/* The approximate peak rates of a device, per second; 0 where one is not known. */
typedef struct
{
  double bytes;                  /* read and written in its memory */
  double products[GHLO_N_PRODUCT_RATES];        /* operations in products; a multiply-add is two */
  double scalars;                /* other operations */
  double uploads, downloads;     /* bytes from and to the host's memory; 0 for a device that works in that memory */
  double run;                    /* seconds of overhead of a run, until the host sees its end */
  double step;                   /* seconds of overhead of a step that waits for the previous one */
} GhloDeviceRates;

/* Describes one number of GhloDeviceRates. */
typedef struct
{
  const char *name;             /* "uploads" */
  const char *unit;             /* "bytes/s" */
  gboolean    is_time;          /* TRUE: seconds for one; FALSE: how many in a second */
  gsize       offset;           /* in the struct */
} GhloRatesField;

enum { GHLO_RATES_N_FIELDS = sizeof (GhloDeviceRates) / sizeof (double) };

extern const GhloRatesField ghlo_rates_fields[GHLO_RATES_N_FIELDS];

static inline double
ghlo_rates_get (const GhloDeviceRates *rates,
                guint                  field)
{
  return *(const double *) (gconstpointer) ((const guint8 *) rates + ghlo_rates_fields[field].offset);
}

G_END_DECLS
