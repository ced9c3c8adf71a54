/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Parses versions.
 */

#include "ir/version.h"

#include <string.h>

#include "base/ghlo-error.h"

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

gboolean
ghlo_ir_version_parse_target (const char     *text,
                              GhloIrVersion  *version,
                              GError        **error)
{
  const GhloIrVersion oldest = GHLO_IR_VERSION_OLDEST;
  const GhloIrVersion current = GHLO_IR_VERSION_CURRENT;
  g_autofree char *found = NULL;

  *version = current;
  if (text == NULL)
    return TRUE;
  if (ghlo_ir_version_parse (text, version) && ghlo_ir_version_compare (*version, oldest) >= 0
      && ghlo_ir_version_compare (*version, current) <= 0)
    return TRUE;

  found = g_utf8_make_valid (text, (gssize) strnlen (text, 40));
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
               "expected a version of StableHLO from %u.%u.%u to %u.%u.%u, found '%s'", oldest.major, oldest.minor,
               oldest.patch, current.major, current.minor, current.patch, found);

  return FALSE;
}
