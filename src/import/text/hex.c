/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Decodes hexadecimal text.
 */

#include "import/text/parser.h"

#define BAD 0x80

static const guint8 digits[256] = {
  [0 ... '0' - 1] = BAD,
  ['0'] = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
  ['9' + 1 ... 'A' - 1] = BAD,
  ['A'] = 10, 11, 12, 13, 14, 15,
  ['F' + 1 ... 'a' - 1] = BAD,
  ['a'] = 10, 11, 12, 13, 14, 15,
  ['f' + 1 ... 255] = BAD,
};

gboolean
ghlo_import_decode_hex (guint8     *bytes,
                        const char *text,
                        gsize       n_bytes)
{
  const guint8 *in = (const guint8 *) text;
  guint seen = 0;

  for (gsize i = 0; i < n_bytes; i++)
    {
      guint high = digits[in[2 * i]], low = digits[in[2 * i + 1]];

      seen |= high | low;
      bytes[i] = (guint8) (high << 4 | low);
    }

  return (seen & BAD) == 0;
}
