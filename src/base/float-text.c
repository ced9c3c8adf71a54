/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Decimal text of floats, digit for digit as LLVM's APFloat prints them, since programs are compared as text. APFloat
 * does not print the nearest decimal: it first truncates the exact decimal expansion (to a number of digits that it
 * bounds from the number of bits) and then rounds the remaining digits. So 0.7 as f32 is "0.699999988" and not
 * "7.000000e-01".
 */

#include "float-text.h"

#include <math.h>
#include <string.h>

enum
{
  FEW_DIGITS = 6,        /* the digits that the exponential form holds */
  MAX_PADDING = 3,       /* the zeros that the plain form may add */
  /* More digits than are ever kept (18), so that truncating these has the same result as truncating the exact
   * expansion. If it ever did not, for a number with a dozen nines in a row, the next attempt would be taken. */
  MAX_DIGITS = 30,
};

/* The magnitude 0.DIGITS * 10^point. */
typedef struct
{
  char digits[MAX_DIGITS];
  int  n_digits;
  int  point;
} Decimal;

/* Computes the first digits of @value, which is finite and above zero. */
static void
expand (double   value,
        Decimal *decimal)
{
  char format[16], text[MAX_DIGITS + 32];
  const char *p;

  g_snprintf (format, sizeof format, "%%.%de", MAX_DIGITS - 1);
  g_ascii_formatd (text, sizeof text, format, value);
  decimal->n_digits = 0;
  for (p = text; *p != 'e'; p++)
    if (g_ascii_isdigit (*p))
      decimal->digits[decimal->n_digits++] = *p;
  decimal->point = (int) g_ascii_strtoll (p + 1, NULL, 10) + 1;
}

/* Keeps @n digits, less the zeros at their end. */
static void
cut (Decimal *decimal,
     int      n)
{
  decimal->n_digits = CLAMP (n, 1, decimal->n_digits);
  while (decimal->n_digits > 1 && decimal->digits[decimal->n_digits - 1] == '0')
    decimal->n_digits--;
}

/* Rounds to @n digits, ties up. */
static void
round_digits (Decimal *decimal,
              int      n)
{
  gboolean up;

  if (decimal->n_digits <= n)
    return;
  up = decimal->digits[n] >= '5';
  decimal->n_digits = n;

  while (up && decimal->n_digits > 0 && decimal->digits[decimal->n_digits - 1] == '9')
    decimal->n_digits--;
  if (up && decimal->n_digits > 0)
    decimal->digits[decimal->n_digits - 1]++;
  else if (up)
    {
      decimal->digits[0] = '1';
      decimal->n_digits = 1;
      decimal->point++;
    }
  cut (decimal, decimal->n_digits);
}

/* Returns how many digits of @value's exact expansion APFloat looks at before it rounds to @precision digits. @point
 * is the decimal point of the expansion. The ratio of 196 to 59 is APFloat's bound on the binary logarithm of 10. */
static int
digits_looked_at (double value,
                  int    point,
                  int    precision)
{
  int exponent, scale, n_bits, needed, removed;
  long double significand = frexpl (value, &exponent);

  /* Write the value as an odd integer times a power of two. */
  while (significand != floorl (significand))
    {
      significand *= 2;
      exponent--;
    }

  /* The exact expansion is an integer divided by 10 to the power of scale. */
  scale = MAX (-exponent, 0);
  n_bits = (int) floorl (log2l (significand) + exponent + scale * log2l (10.0L)) + 1;
  needed = (precision * 196 + 58) / 59;
  removed = n_bits > needed ? (n_bits - needed) * 59 / 196 : 0;

  return point + scale - removed;
}

static void
append_exponential (GString       *string,
                    const Decimal *decimal,
                    gboolean       padded)
{
  int exponent = decimal->point - 1;

  g_string_append_c (string, decimal->digits[0]);
  g_string_append_c (string, '.');
  if (decimal->n_digits == 1 && !padded)
    g_string_append_c (string, '0');
  g_string_append_len (string, decimal->digits + 1, decimal->n_digits - 1);
  for (int i = decimal->n_digits; padded && i <= FEW_DIGITS; i++)
    g_string_append_c (string, '0');

  g_string_append_c (string, padded ? 'e' : 'E');
  g_string_append_c (string, exponent < 0 ? '-' : '+');
  g_string_append_printf (string, padded ? "%02d" : "%d", ABS (exponent));
}

/* Appends the plain form where it needs few zeros, otherwise the exponential form. */
static void
append_plain (GString       *string,
              const Decimal *decimal,
              int            precision)
{
  int trailing = decimal->point - decimal->n_digits;
  gboolean exponential;

  if (trailing >= 0)
    exponential = trailing > MAX_PADDING || decimal->point > precision;
  else
    exponential = decimal->point <= 0 && 1 - decimal->point > MAX_PADDING;

  if (exponential)
    {
      append_exponential (string, decimal, FALSE);
      return;
    }

  if (decimal->point <= 0)
    {
      g_string_append (string, "0.");
      for (int i = decimal->point; i < 0; i++)
        g_string_append_c (string, '0');
      g_string_append_len (string, decimal->digits, decimal->n_digits);
      return;
    }

  for (int i = 0; i < MAX (decimal->point, decimal->n_digits); i++)
    {
      if (i == decimal->point)
        g_string_append_c (string, '.');
      g_string_append_c (string, i < decimal->n_digits ? decimal->digits[i] : '0');
    }
}

static gboolean
reads_back (const char      *text,
            GhloElementType  type,
            guint64          bits)
{
  return ghlo_float_to_bits (type, g_ascii_strtod (text, NULL)) == bits;
}

/* Tries six digits, then APFloat's full number of digits, then the same number rounded to nearest, which is always
 * enough. Returns FALSE, with nothing appended, when the number has no suitable decimal form. */
static gboolean
append_decimal (GString         *string,
                GhloElementType  type,
                double           magnitude,
                gboolean         negative,
                guint64          bits)
{
  int full = 2 + (ghlo_element_info (type)->mantissa_bits + 1) * 59 / 196;
  gsize start = string->len;
  Decimal exact;

  expand (magnitude, &exact);
  for (int attempt = 0; attempt < 3; attempt++)
    {
      int precision = attempt == 0 ? FEW_DIGITS : full;
      Decimal decimal = exact;

      g_string_truncate (string, start);
      if (negative)
        g_string_append_c (string, '-');
      if (attempt < 2)
        cut (&decimal, digits_looked_at (magnitude, exact.point, precision));
      round_digits (&decimal, precision);
      if (attempt == 0)
        append_exponential (string, &decimal, TRUE);
      else
        append_plain (string, &decimal, precision);
      if (strchr (string->str + start, '.') == NULL)
        break;
      if (reads_back (string->str + start, type, bits))
        return TRUE;
    }
  g_string_truncate (string, start);

  return FALSE;
}

void
ghlo_float_append (GString         *string,
                   GhloElementType  type,
                   guint64          bits)
{
  double value = ghlo_float_from_bits (type, bits);

  if (value == 0)
    g_string_append (string, signbit (value) ? "-0.000000e+00" : "0.000000e+00");
  else if (!isfinite (value) || !append_decimal (string, type, fabs (value), signbit (value), bits))
    g_string_append_printf (string, "0x%" G_GINT64_MODIFIER "X", bits);
}
