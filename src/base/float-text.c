/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Decimal text of floats, digit for digit as LLVM's APFloat prints them, since
 * programs are compared as text. APFloat does not give the nearest decimal: it
 * first cuts digits off the exact decimal expansion (by a bound on their number
 * that it takes from the number of bits) and only then rounds what is left. So
 * 0.7 as f32 is "0.699999988" and not "7.000000e-01".
 */

#include "float-text.h"

#include <math.h>
#include <string.h>

enum
{
  FEW_DIGITS = 6,        /* what the exponential form holds */
  MAX_PADDING = 3,       /* zeros that the plain form may add */
  /* More than are ever kept (18), so that cutting them is cutting the exact
   * expansion. Were it not, in some number with a dozen nines in a row, another
   * text would be tried. */
  MAX_DIGITS = 30,
};

/* 0.DIGITS * 10^point in magnitude. */
typedef struct
{
  char digits[MAX_DIGITS];
  int  n_digits;
  int  point;
} Decimal;

/* The first digits of @value, which is finite and above zero. */
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

/* Keeps @n digits, and none of the zeros at their end. */
static void
cut (Decimal *decimal,
     int      n)
{
  decimal->n_digits = CLAMP (n, 1, decimal->n_digits);
  while (decimal->n_digits > 1 && decimal->digits[decimal->n_digits - 1] == '0')
    decimal->n_digits--;
}

/* Rounds half up to @n digits. */
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

/* How many digits of @value's exact expansion APFloat looks at before it rounds
 * to @precision of them; @point is the expansion's. The ratios of 196 and 59
 * are its bounds on the logarithm of 10 to base 2. */
static int
digits_looked_at (double value,
                  int    point,
                  int    precision)
{
  int exponent, scale, n_bits, needed, removed;
  long double significand = frexpl (value, &exponent);

  /* The value is an odd integer times two to some power. */
  while (significand != floorl (significand))
    {
      significand *= 2;
      exponent--;
    }

  /* Its exact expansion is an integer over ten to the power of scale. */
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

/* The plain form where it needs few zeros, else the exponential one. */
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

/* Tries six digits, then APFloat's full number of them, then as many rounded to
 * nearest, which is never too few. FALSE, with nothing appended, when no decimal
 * will do. */
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
