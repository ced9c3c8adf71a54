/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How many cases tests draw at random: few in each run of the tests, many where GHLO_TEST_LONG is set, as
 * tests/run --long does, and fewest where GHLO_TEST_SHORT is set, as in an emulator, where floats take 100 times as
 * long. Some tests have an option or a variable for another number.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

static inline guint
choose_samples (guint few,
                guint many)
{
  if (g_getenv ("GHLO_TEST_SHORT") != NULL)
    return few / 100;

  return g_getenv ("GHLO_TEST_LONG") != NULL ? many : few;
}

G_END_DECLS
