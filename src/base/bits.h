/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Bit masks, and conversions between floating-point values and their bit patterns.
 */

#pragma once

#include <glib.h>
#include <string.h>

G_BEGIN_DECLS

/* Returns a number whose @n lowest bits are set. */
static inline guint64
ghlo_low_bits (guint n)
{
  return n >= 64 ? G_MAXUINT64 : ((guint64) 1 << n) - 1;
}

static inline guint32
ghlo_bits_of_float (float value)
{
  guint32 bits;

  memcpy (&bits, &value, sizeof (bits));

  return bits;
}

static inline float
ghlo_float_of_bits (guint32 bits)
{
  float value;

  memcpy (&value, &bits, sizeof (value));

  return value;
}

static inline guint64
ghlo_bits_of_double (double value)
{
  guint64 bits;

  memcpy (&bits, &value, sizeof (bits));

  return bits;
}

static inline double
ghlo_double_of_bits (guint64 bits)
{
  double value;

  memcpy (&value, &bits, sizeof (value));

  return value;
}

G_END_DECLS
