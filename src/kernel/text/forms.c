/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The forms of nodes and blocks, and constants as text.
 */

#include "kernel/text/forms.h"

#include "base/bits.h"
#include "kernel/evaluate.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { MAX_DIGITS = 17, MAX_NUMBER = 40 };

/* The forms of leaves; all other nodes have operands. */
static const guint8 leaf_forms[] = {
  [GHLO_NODE_CONSTANT] = GHLO_KERNEL_FORM_BITS,
  [GHLO_NODE_AXIS] = GHLO_KERNEL_FORM_AXIS,
  [GHLO_NODE_EXTENT] = GHLO_KERNEL_FORM_AXIS,
  [GHLO_NODE_LOAD] = GHLO_KERNEL_FORM_LOAD,
  [GHLO_NODE_INSIDE] = GHLO_KERNEL_FORM_ACCESS,
  [GHLO_NODE_TEMPORARY] = GHLO_KERNEL_FORM_TEMPORARY,
  [GHLO_NODE_LEFT] = GHLO_KERNEL_FORM_FOLD,
  [GHLO_NODE_RIGHT] = GHLO_KERNEL_FORM_FOLD,
};

GhloKernelForm
ghlo_kernel_node_form (GhloNodeKind kind)
{
  return kind < G_N_ELEMENTS (leaf_forms) ? leaf_forms[kind] : GHLO_KERNEL_FORM_OPERANDS;
}

const char *
ghlo_kernel_quotient_word (GhloQuotient quotient)
{
  static const char *const words[] = {
    [GHLO_QUOTIENT_IS_BOUNDED] = "bounded", [GHLO_QUOTIENT_IS_APPROXIMATE] = "approximate",
    [GHLO_QUOTIENT_IS_NARROW] = "narrow",
  };

  return words[quotient];
}

/* Appends a finite number. */
static void
append_float (GString         *text,
              GhloElementType  type,
              double           value)
{
  char number[MAX_NUMBER], plain[MAX_NUMBER], format[8];
  guint64 bits = ghlo_float_to_bits (type, value);

  for (int digits = 1; digits <= MAX_DIGITS; digits++)
    {
      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (number, sizeof number, format, value);
      if (ghlo_float_to_bits (type, g_ascii_strtod (number, NULL)) == bits)
        break;
    }
  /* 512 rather than 5.12e+02. */
  if (fabs (value) < 1e9 && value == floor (value) && strchr (number, 'e') != NULL)
    {
      g_ascii_formatd (plain, sizeof plain, "%.0f", value);
      if (strlen (plain) <= strlen (number))
        memcpy (number, plain, sizeof plain);
    }
  g_string_append (text, number);
}

void
ghlo_kernel_append_constant (GString         *text,
                             GhloElementType  type,
                             guint64          bits)
{
  switch (ghlo_node_types (type))
    {
    case GHLO_NODE_TYPES_B:
      g_string_append (text, bits != 0 ? "true" : "false");
      return;
    case GHLO_NODE_TYPES_S:
      g_string_append_printf (text, "%" G_GINT64_FORMAT, ghlo_node_to_integer (type, bits));
      return;
    case GHLO_NODE_TYPES_U:
      g_string_append_printf (text, "%" G_GUINT64_FORMAT, bits);
      return;
    default:
      break;
    }
  if (isnan (ghlo_float_from_bits (type, bits)))
    g_string_append_printf (text, "0x%" G_GINT64_MODIFIER "x", bits);
  else if (isinf (ghlo_float_from_bits (type, bits)))
    g_string_append (text, ghlo_float_from_bits (type, bits) < 0 ? "-inf" : "inf");
  else
    append_float (text, type, ghlo_float_from_bits (type, bits));
}

static gboolean
read_integer (GhloElementType  type,
              gboolean         is_negative,
              const char      *text,
              guint64         *bits)
{
  gboolean is_signed = ghlo_node_types (type) == GHLO_NODE_TYPES_S;
  guint n_bits = ghlo_element_info (type)->bits - is_signed;
  guint64 magnitude;
  char *end;

  if (is_negative && !is_signed)
    return FALSE;
  errno = 0;
  magnitude = g_ascii_strtoull (text, &end, 10);
  if (errno != 0 || *end != '\0' || magnitude > ghlo_low_bits (n_bits) + is_negative)
    return FALSE;
  *bits = ghlo_node_cut (type, is_negative ? -magnitude : magnitude);

  return TRUE;
}

gboolean
ghlo_kernel_read_decimal (GhloElementType  type,
                          gboolean         is_negative,
                          const char      *text,
                          guint64         *bits)
{
  double value;

  if (ghlo_node_types (type) != GHLO_NODE_TYPES_F)
    return ghlo_node_types (type) != GHLO_NODE_TYPES_B && read_integer (type, is_negative, text, bits);
  value = g_ascii_strtod (text, NULL);
  *bits = ghlo_float_to_bits (type, is_negative ? -value : value);

  return isfinite (ghlo_float_from_bits (type, *bits));
}
