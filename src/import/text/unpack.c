/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Converts constants from MLIR's encoding to buffer layout. MLIR's byte order is little-endian; booleans are packed
 * eight to a byte, lowest bit first; other types below 8 bits take one byte each, with the other bits zero. Data that
 * is in buffer layout already stays where it is, at any alignment: it may be a slice of a mapped file.
 */

#include "import/text/unpack.h"

#include <string.h>

#include "base/sizes.h"

/* Limits for the bytes of unpacked constants: a multiple of the program's size, and a minimum. */
enum { MAX_UNPACKED = 16, MIN_UNPACKED = 4096 };

/* Returns a value of @bits bits as a buffer stores it in one byte. */
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

/* Whether @n elements of a type below 8 bits, one to a byte, are already sign- or zero-extended as in a buffer. */
static gboolean
is_extended (const GhloElementInfo *info,
             gsize                  n,
             const guint8          *data)
{
  guint8 difference = 0;

  for (gsize i = 0; i < n; i++)
    difference |= data[i] ^ extend (info, data[i]);

  return difference == 0;
}

static guint8 *
alloc (gsize  n,
       gsize *missing)
{
  guint8 *bytes = g_try_malloc (MAX (n, 1));

  if (bytes == NULL)
    *missing = MAX (n, 1);

  return bytes;
}

/* For types below 8 bits, one to a byte. */
static GBytes *
unpack_whole (const GhloElementInfo *info,
              gsize                  n,
              GBytes                *raw,
              gsize                 *missing)
{
  const guint8 *data = g_bytes_get_data (raw, NULL);
  guint8 *bytes;

  if (is_extended (info, n, data))
    return g_bytes_ref (raw);
  bytes = alloc (n, missing);
  if (bytes == NULL)
    return NULL;
  for (gsize i = 0; i < n; i++)
    bytes[i] = info->bits == 1 ? data[i] != 0 : extend (info, data[i]);

  return g_bytes_new_take (bytes, n);
}

/* For types below 8 bits, several to a byte. */
static GBytes *
unpack_packed (const GhloElementInfo *info,
               gsize                  n,
               const guint8          *data,
               gsize                 *missing)
{
  guint8 *bytes = alloc (n, missing);

  if (bytes == NULL)
    return NULL;
  for (gsize i = 0; i < n; i++)
    {
      gsize bit = i * info->bits;
      guint value = (guint) data[bit / 8] >> (bit % 8);

      if (bit % 8 + info->bits > 8)
        value |= (guint) data[bit / 8 + 1] << (8 - bit % 8);
      bytes[i] = extend (info, value);
    }

  return g_bytes_new_take (bytes, n);
}

/* For one byte that holds one element, which may stand for all. */
static GBytes *
unpack_one (const GhloElementInfo *info,
            guint8                 value)
{
  guint8 *byte = g_malloc (1);

  *byte = extend (info, value);

  return g_bytes_new_take (byte, 1);
}

/* For types below 8 bits. MLIR only packs booleans: if the size allows
 * both readings, other types are a splat, or one element to a byte. */
static GBytes *
unpack_small (const GhloElementInfo *info,
              gsize                  n,
              GBytes                *raw,
              gsize                  packed,
              gboolean               allow_splat,
              gboolean              *splat,
              gsize                 *missing)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (raw, &size);
  gboolean one = allow_splat && size == 1 && n > 1;

  if (size == 1 && (n == 1 || (one && (info->bits != 1 || packed != 1))))
    {
      *splat = n > 1;
      return unpack_one (info, *data);
    }
  if (size == n)
    return unpack_whole (info, n, raw, missing);

  return size == packed ? unpack_packed (info, n, data, missing) : NULL;
}

/* Converts little-endian numbers to the host's byte order. */
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
                    gboolean        *splat,
                    gsize           *missing)
{
  const GhloElementInfo *info = ghlo_element_info (element_type);
  gsize size = g_bytes_get_size (raw), whole, packed;
  GBytes *result = NULL;

  *splat = FALSE;
  *missing = 0;
  /* A splat may stand for more elements than memory has bytes. */
  if (!ghlo_size_mul (&whole, n, info->size))
    whole = G_MAXSIZE;
  packed = n / 8 * info->bits + (n % 8 * info->bits + 7) / 8;

  if (n == 0 && (size == 0 || (allow_splat && size == info->size)))
    result = g_bytes_new (NULL, 0);
  else if (n > 0 && info->bits < 8)
    result = unpack_small (info, n, raw, packed, allow_splat, splat, missing);
  else if (n > 0 && (size == whole || (allow_splat && size == info->size)))
    {
      *splat = size != whole;
      return to_host_order (info, raw);
    }
  g_bytes_unref (raw);

  return result;
}

guint64
ghlo_import_most_unpacked (gsize size)
{
  return MAX_UNPACKED * (guint64) size + MIN_UNPACKED;
}

gboolean
ghlo_import_count_unpacked (guint64       *n_unpacked,
                            gconstpointer  data,
                            GBytes        *bytes,
                            gsize          size)
{
  if (data != g_bytes_get_data (bytes, NULL))
    *n_unpacked += g_bytes_get_size (bytes);

  return *n_unpacked <= ghlo_import_most_unpacked (size);
}

GBytes *
ghlo_import_compress (GBytes   *bytes,
                      gsize     n,
                      gsize     size,
                      gboolean *splat)
{
  const guint8 *data = g_bytes_get_data (bytes, NULL);
  GBytes *one;

  if (n == 0 || *splat || memcmp (data, data + size, (n - 1) * size) != 0)
    return bytes;
  *splat = TRUE;
  if (n == 1)
    return bytes;
  one = g_bytes_new (data, size);
  g_bytes_unref (bytes);

  return one;
}
