/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The table of the rates.
 */

#include "device/rates.h"

static const char per_second[] = "operations/s", bytes[] = "bytes/s";

const GhloRatesField ghlo_rates_fields[GHLO_RATES_N_FIELDS] = {
  { "bytes", bytes, FALSE, G_STRUCT_OFFSET (GhloDeviceRates, bytes) },
  { "products", per_second, FALSE, G_STRUCT_OFFSET (GhloDeviceRates, products[GHLO_PRODUCT_F32]) },
  { "narrow_products", per_second, FALSE, G_STRUCT_OFFSET (GhloDeviceRates, products[GHLO_PRODUCT_NARROW]) },
  { "wide_products", per_second, FALSE, G_STRUCT_OFFSET (GhloDeviceRates, products[GHLO_PRODUCT_WIDE]) },
  { "scalars", per_second, FALSE, G_STRUCT_OFFSET (GhloDeviceRates, scalars) },
  { "uploads", bytes, FALSE, G_STRUCT_OFFSET (GhloDeviceRates, uploads) },
  { "downloads", bytes, FALSE, G_STRUCT_OFFSET (GhloDeviceRates, downloads) },
  { "run", "s", TRUE, G_STRUCT_OFFSET (GhloDeviceRates, run) },
  { "step", "s", TRUE, G_STRUCT_OFFSET (GhloDeviceRates, step) },
};
