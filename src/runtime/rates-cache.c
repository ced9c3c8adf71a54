/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A cache file contains a GhloDeviceRates as it is in memory, since it is read only on the machine that wrote it.
 */

#include "runtime/rates-cache.h"

#include <math.h>
#include <string.h>

#include "runtime/cache-item.h"

/* Bounds of plausible rates: amounts per second, and seconds for a run or step without work. */
#define MAX_RATE    1e18
#define MAX_SECONDS 60.0

static GBytes *
make_key (GBytes *identity)
{
  GByteArray *key = g_byte_array_new ();

  g_byte_array_append (key, (const guint8 *) "rates " GHLO_VERSION, sizeof "rates " GHLO_VERSION);
  g_byte_array_append (key, g_bytes_get_data (identity, NULL), (guint) g_bytes_get_size (identity));

  return g_byte_array_free_to_bytes (key);
}

/* Returns whether a file contains rates that can have been measured, including those that every device has. */
static gboolean
is_plausible (const GhloDeviceRates *rates)
{
  for (guint i = 0; i < GHLO_RATES_N_FIELDS; i++)
    {
      double value = ghlo_rates_get (rates, i);

      if (!isfinite (value) || value < 0 || value > (ghlo_rates_fields[i].is_time ? MAX_SECONDS : MAX_RATE))
        return FALSE;
    }

  return rates->bytes > 0 && rates->products[GHLO_PRODUCT_F32] > 0 && rates->scalars > 0;
}

gboolean
ghlo_rates_recall (GBytes          *identity,
                   GhloDeviceRates *rates)
{
  g_autoptr (GBytes) key = NULL, content = NULL;
  GhloDeviceRates found;

  if (!ghlo_cache_keeps_items ())
    return FALSE;
  key = make_key (identity);
  content = ghlo_cache_item_read (GHLO_CACHE_RATES, key);
  if (content == NULL)
    return FALSE;
  if (g_bytes_get_size (content) == sizeof found)
    {
      memcpy (&found, g_bytes_get_data (content, NULL), sizeof found);
      if (is_plausible (&found))
        {
          *rates = found;
          return TRUE;
        }
    }
  g_debug ("the cached rates of a device are invalid and are ignored");

  return FALSE;
}

void
ghlo_rates_keep (GBytes                *identity,
                 const char            *title,
                 const GhloDeviceRates *rates)
{
  g_autoptr (GBytes) key = NULL, content = NULL;

  if (!ghlo_cache_keeps_items ())
    return;
  key = make_key (identity);
  content = g_bytes_new (rates, sizeof *rates);
  ghlo_cache_item_write (GHLO_CACHE_RATES, key, title, content);
}
