/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A file consists of a header, the key, the title and the content. Its name is a hash of the key; keys with equal
 * hashes overwrite each other's file. Hits should take microseconds, so a fast hash is used.
 */

#include "runtime/cache-item.h"

#include <string.h>

#include "base/hash.h"
#include "runtime/cache.h"

enum { MAGIC_SIZE = 8, NAME_SIZE = 17 };

/* The last digit is the version of the content's format. */
static const char magics[GHLO_CACHE_N_ITEMS][MAGIC_SIZE + 1] = {
  [GHLO_CACHE_CODE] = "GHLOKER1",
  [GHLO_CACHE_PIPELINE] = "GHLOPIP1",
  [GHLO_CACHE_MEASUREMENT] = "GHLOMEA1",
  [GHLO_CACHE_RATES] = "GHLORAT1",
};

typedef struct
{
  char    magic[MAGIC_SIZE];
  guint32 key_size;     /* in bytes, like title_size */
  guint32 title_size;
} Header;

gboolean
ghlo_cache_keeps_items (void)
{
  return ghlo_cache_get_mode () >= GHLO_CACHE_ON;
}

static void
name_of (GhloCacheItem  item,
         GBytes        *key,
         char           name[NAME_SIZE])
{
  const guint64 words[2] = { 0x676c686f2d636f64, 0x652d66696c657321 + item };
  gsize size;
  const guint8 *data = g_bytes_get_data (key, &size);

  g_snprintf (name, NAME_SIZE, "%016" G_GINT64_MODIFIER "x", ghlo_hash_keyed (words, 1, 3, data, size));
}

/* Returns FALSE where @file is none of these items. */
static gboolean
read_header (GBytes        *file,
             Header        *header,
             GhloCacheItem *item)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (file, &size);

  if (size < sizeof *header)
    return FALSE;
  memcpy (header, data, sizeof *header);
  for (*item = 0; *item < GHLO_CACHE_N_ITEMS; (*item)++)
    if (memcmp (header->magic, magics[*item], MAGIC_SIZE) == 0)
      return (guint64) header->key_size + header->title_size <= size - sizeof *header;

  return FALSE;
}

GBytes *
ghlo_cache_item_read (GhloCacheItem  item,
                      GBytes        *key)
{
  g_autoptr (GBytes) file = NULL;
  char name[NAME_SIZE];
  GhloCacheItem found;
  Header header;
  const guint8 *data;
  gsize size, start;

  name_of (item, key, name);
  file = ghlo_cache_read (name);
  if (file == NULL)
    return NULL;
  data = g_bytes_get_data (file, &size);
  if (!read_header (file, &header, &found) || found != item || header.key_size != g_bytes_get_size (key)
      || memcmp (data + sizeof header, g_bytes_get_data (key, NULL), header.key_size) != 0)
    {
      g_debug ("the cache's file '%s' has another key", name);
      return NULL;
    }
  start = sizeof header + header.key_size + header.title_size;

  return g_bytes_new_from_bytes (file, start, size - start);
}

void
ghlo_cache_item_write (GhloCacheItem  item,
                       GBytes        *key,
                       const char    *title,
                       GBytes        *content)
{
  Header header = { .key_size = (guint32) g_bytes_get_size (key), .title_size = (guint32) strlen (title) + 1 };
  g_autoptr (GBytes) file = NULL;
  char name[NAME_SIZE];
  GByteArray *bytes;

  if (g_bytes_get_size (content) > GHLO_CACHE_MAX_FILE)
    return;
  bytes = g_byte_array_new ();
  memcpy (header.magic, magics[item], MAGIC_SIZE);
  g_byte_array_append (bytes, (const guint8 *) &header, sizeof header);
  g_byte_array_append (bytes, g_bytes_get_data (key, NULL), header.key_size);
  g_byte_array_append (bytes, (const guint8 *) title, header.title_size);
  g_byte_array_append (bytes, g_bytes_get_data (content, NULL), (guint) g_bytes_get_size (content));
  file = g_byte_array_free_to_bytes (bytes);
  name_of (item, key, name);
  ghlo_cache_write (name, file);
}

void
ghlo_cache_item_remove (GhloCacheItem  item,
                        GBytes        *key)
{
  char name[NAME_SIZE];

  name_of (item, key, name);
  ghlo_cache_remove (name);
}

char *
ghlo_cache_item_summarize (GBytes        *file,
                           GhloCacheItem *item)
{
  const char *title;
  Header header;

  if (!read_header (file, &header, item))
    return NULL;
  title = (const char *) g_bytes_get_data (file, NULL) + sizeof header + header.key_size;

  return g_utf8_make_valid (title, (gssize) strnlen (title, header.title_size));
}
