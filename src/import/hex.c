/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Hexadecimal text to bytes, and bytes as MLIR keeps constants to buffer
 * layout. MLIR's order is little-endian; booleans are eight to a byte, lowest
 * bit first, other types below 8 bits one to a byte with the rest zero.
 */

#include <string.h>

#include "import/parser.h"

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

/* The value of @bits bits as a buffer holds it in one byte. */
static guint8
extend (const GhloElementInfo *info,
        guint                  value)
{
  guint mask = (1u << info->bits) - 1;

  value &= mask;
  if (info->element_class == GHLO_ELEMENT_CLASS_SIGNED && value >> (info->bits - 1) != 0)
    value |= ~mask;

  return (guint8) value;
}

/* Types below 8 bits, from whole bytes or, where these are too few, packed. */
static GBytes *
unpack_small (const GhloElementInfo *info,
              gsize                  n,
              const guint8          *data,
              gboolean               packed)
{
  guint8 *bytes = g_try_malloc (MAX (n, 1));

  if (bytes == NULL)
    return NULL;
  for (gsize i = 0; i < n; i++)
    {
      gsize bit = i * info->bits;
      guint value;

      if (!packed)
        {
          bytes[i] = info->bits == 1 ? data[i] != 0 : extend (info, data[i]);
          continue;
        }
      value = (guint) data[bit / 8] >> (bit % 8);
      if (bit % 8 + info->bits > 8)
        value |= (guint) data[bit / 8 + 1] << (8 - bit % 8);
      bytes[i] = extend (info, value);
    }

  return g_bytes_new_take (bytes, n);
}

/* Little-endian numbers in the host's order. */
static GBytes *
to_host_order (const GhloElementInfo *info,
               GBytes                *raw)
{
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
  return raw;
#else
  gsize size, width = info->element_class == GHLO_ELEMENT_CLASS_COMPLEX ? info->size / 2 : info->size;
  guint8 *bytes = g_bytes_unref_to_data (raw, &size);

  for (gsize i = 0; i + width <= size; i += width)
    for (gsize j = 0; j < width / 2; j++)
      {
        guint8 byte = bytes[i + j];

        bytes[i + j] = bytes[i + width - 1 - j];
        bytes[i + width - 1 - j] = byte;
      }

  return g_bytes_new_take (bytes, size);
#endif
}

GBytes *
ghlo_import_unpack (GhloElementType  element_type,
                    gsize            n,
                    GBytes          *raw,
                    gboolean         allow_splat,
                    gboolean        *splat)
{
  const GhloElementInfo *info = ghlo_element_info (element_type);
  gsize size, whole, packed;
  const guint8 *data = g_bytes_get_data (raw, &size);
  GBytes *result = NULL;

  *splat = FALSE;
  if (!ghlo_size_mul (&whole, n, info->size) || !ghlo_size_mul (&packed, n, info->bits))
    {
      g_bytes_unref (raw);
      return NULL;
    }
  packed = packed / 8 + (packed % 8 != 0);

  if (info->bits >= 8)
    {
      *splat = allow_splat && n > 1 && size == info->size;
      if (size == whole || *splat)
        return to_host_order (info, raw);
    }
  else if (size == packed || size == whole)
    {
      result = unpack_small (info, n, data, size == packed && packed != whole);
      if (n == 1 && result != NULL)
        {
          g_bytes_unref (result);
          result = g_bytes_new ((const guint8[]) { extend (info, *data) }, 1);
        }
    }
  else if (allow_splat && size == 1 && n > 1)
    {
      *splat = TRUE;
      result = g_bytes_new ((const guint8[]) { extend (info, *data) }, 1);
    }
  g_bytes_unref (raw);

  return result;
}
