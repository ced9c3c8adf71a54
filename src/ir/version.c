/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Versions as text.
 */

#include "ir/version.h"

gboolean
ghlo_ir_version_parse (const char    *text,
                       GhloIrVersion *version)
{
  guint16 *const parts[] = { &version->major, &version->minor, &version->patch };

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      guint value = 0;

      if (!g_ascii_isdigit (*text))
        return FALSE;
      for (; g_ascii_isdigit (*text); text++)
        {
          value = value * 10 + g_ascii_digit_value (*text);
          if (value > G_MAXUINT16)
            return FALSE;
        }
      *parts[i] = value;
      if (i + 1 < G_N_ELEMENTS (parts) && *text++ != '.')
        return FALSE;
    }

  return *text == '\0';
}
