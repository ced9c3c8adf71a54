/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measured rates of devices, kept in the cache for as long as the device, its driver and the version of the library
 * stay the same.
 */

#pragma once

#include "device/rates.h"

G_BEGIN_DECLS

/* Sets *@rates to the measured rates of the device with that identity. Returns FALSE where there are none or they are
 * implausible. */
gboolean ghlo_rates_recall (GBytes              *identity,
                            GhloDeviceRates     *rates);
/* @title names the device for people. Does nothing where GHLO_CACHE keeps nothing. */
void     ghlo_rates_keep   (GBytes                *identity,
                            const char            *title,
                            const GhloDeviceRates *rates);

G_END_DECLS
